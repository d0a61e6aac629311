//! The two frames of a query: the canonical one, in which pairs are decided, and the relative one, in which the filter
//! works.

use super::Operand;
use crate::error::{Result, What};
use crate::pose::Transform;
use crate::real::{Real, max};
use crate::surrogate::Origin;

/// What both frames are made of.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    pub a: Transform,
    pub b: Transform,
    /// Half of position A minus position B: the midpoint of the two positions sees A here, and B at its negative.
    pub half: [f64; 3],
    /// The midpoint, in world coordinates.
    pub middle: [f64; 3],
    /// A power of two that takes the size of the pair of bodies into [1, 2).
    pub scale: f64,
    /// From B's axes to A's: transpose(R_a) R_b.
    turn: [[f64; 3]; 3],
    /// Position of B as A sees it.
    offset: [f64; 3],
    /// Covers the rounding of canonical coordinates and distances: see `filter`.
    canonical: f64,
}

impl Frame {
    /// Errors: those of [`crate::pose::Pose::transform`].
    pub fn new(a: &Operand<'_>, b: &Operand<'_>) -> Result<Self> {
        let (ta, tb) = (a.pose.transform(What::PoseA)?, b.pose.transform(What::PoseB)?);
        let (pa, pb) = (ta.translation, tb.translation);
        let half = [0, 1, 2].map(|k| 0.5 * pa[k] - 0.5 * pb[k]);
        let middle = [0, 1, 2].map(|k| 0.5 * pa[k] + 0.5 * pb[k]);
        let (extent_a, extent_b) = (extent(a), extent(b));
        // Sums in an order that does not depend on which body comes first.
        let size = (extent_a + extent_b) + 2.0 * length(half);
        let columns = [0, 1, 2].map(|j| ta.rotate_back([0, 1, 2].map(|i| tb.rows[i][j])));
        Ok(Frame {
            a: ta,
            b: tb,
            half,
            middle,
            scale: size.inverse_exponent(),
            turn: [0, 1, 2].map(|i| [0, 1, 2].map(|j| columns[j][i])),
            offset: ta.rotate_back(half.map(|x| -2.0 * x)),
            canonical: 64.0 * f64::UNIT_ROUNDOFF * size,
        })
    }

    /// The filter's frame for clusters with these origins.
    #[inline]
    pub fn relative(&self, a: &Origin, b: &Origin, threshold: f64) -> Relative {
        let m = &self.turn;
        let c = b.centre;
        let t = [0, 1, 2].map(|i| (m[i][0] * c[0] + m[i][1] * c[1] + m[i][2] * c[2]) + self.offset[i] - a.centre[i]);
        // 64 u (reach + reach + distance of the origins); `filter` has the derivation.
        let size = a.reach + b.reach + length(t);
        let u = f64::from(f32::UNIT_ROUNDOFF);
        let slack = 64.0 * u * size + 8.0 * u * threshold.abs() + self.canonical;
        Relative {
            turn: m.map(|row| row.map(|x| x as f32)),
            translation: t.map(|x| x as f32),
            threshold: ((threshold + slack) as f32).next_up(),
        }
    }
}

/// Whether balls about both positions are farther apart than the threshold for certain. It comes before everything else,
/// so that bodies that are far apart cost next to nothing: no rotation is needed for it.
///
/// Errors: those of [`crate::pose::Pose::check`].
pub(super) fn far_apart(a: &Operand<'_>, b: &Operand<'_>, threshold: f64) -> Result<bool> {
    a.pose.check(What::PoseA)?;
    b.pose.check(What::PoseB)?;
    let (Some(ra), Some(rb)) = (a.tree.root(), b.tree.root()) else { return Ok(true) };
    let d = [0, 1, 2].map(|k| a.pose.position[k] - b.pose.position[k]);
    let norm = |[x, y, z]: [f64; 3]| (x * x + y * y + z * z).sqrt();
    let (centre_a, centre_b) = (norm(ra.centre), norm(rb.centre));
    let reach = (centre_a + ra.radius) + (centre_b + rb.radius) + threshold;
    // Squares that overflow or vanish make this false, or compare infinities: then the trees decide.
    let d2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    let margin = 1.0 + 64.0 * f64::UNIT_ROUNDOFF;
    Ok(d2 > f64::MIN_POSITIVE && d2 < f64::MAX && d2 > reach * reach * margin && reach < f64::MAX)
}

/// From B's origin frame to A's, in f32, and what must separate two surrogates beside their halos.
#[derive(Clone, Copy, Debug)]
pub(super) struct Relative {
    pub turn: [[f32; 3]; 3],
    pub translation: [f32; 3],
    pub threshold: f32,
}

pub(super) fn length(v: [f64; 3]) -> f64 {
    let largest = max(max(v[0].abs(), v[1].abs()), v[2].abs());
    if !(largest > 0.0 && largest < f64::INFINITY) {
        return largest;
    }
    let s = largest.inverse_exponent();
    let [x, y, z] = v.map(|x| x * s);
    (x * x + y * y + z * z).sqrt() / s
}

/// No corner of the mesh is farther from the origin of its own frame.
fn extent(operand: &Operand<'_>) -> f64 {
    length(operand.mesh.centre()) + operand.mesh.radius()
}
