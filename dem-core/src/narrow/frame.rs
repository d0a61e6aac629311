//! The two frames of a query: the canonical one, in which pairs are decided, and the relative one, in which the filter
//! works.
//!
//! # Rounding in f64
//! Both are made from the same rows of rotation matrices, and take the same difference of positions, so that being far from
//! the world's origin costs nothing. Let u = 2^-53, and the size be that of the pair of bodies about the midpoint. Rows made
//! from a quaternion are orthogonal up to 48 u (the normalisation contributes 20, the rounding of entries 14 twice): a corner
//! of A that goes there and back again moves by 48 u, and lengths change by 24 u. The product of two rotations errs by 9 u,
//! the turned origin by 5 u, canonical coordinates by 6 u, sums by 2 u, all of the size. The canonical distance is that of two
//! points that lie on their triangles up to 8 u. Where bodies have scales, both frames have two roundings more for each, 8 u.
//! So it is less than the distance that the filter sees by at most 110 u times the size, for which 128 are allowed.
//!
//! The filter works in the units of A's mesh; B's clusters are scaled on the way to it where theirs differ.

use super::Operand;
use crate::error::{Result, What};
use crate::pose::Transform;
use crate::real::{Real, max};
use crate::surrogate::Origin;
use crate::vector::{add, cross, dot, safe_length, sub};

/// The data from which both frames are computed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    pub a: Transform,
    pub b: Transform,
    /// Factors for the lengths of both meshes, applied first.
    pub scales: [f64; 2],
    /// Half of position A minus position B: the position of A relative to the midpoint; that of B is its negative.
    pub half: [f64; 3],
    /// The midpoint, in world coordinates.
    pub middle: [f64; 3],
    /// A power of two that takes the size of the pair of bodies into [1, 2).
    pub scale: f64,
    /// From B's axes to A's: transpose(R_a) R_b.
    pub turn: [[f64; 3]; 3],
    /// Position of B as A sees it, in the units of A's mesh.
    pub offset: [f64; 3],
    /// The unit of B's mesh over that of A's.
    pub ratio: f64,
    /// Length by which the sum of both halos is enlarged, in the world's units.
    pub margin: f64,
    /// The largest coordinate of both positions in the world, in the world's units: their rounding errors are proportional to it.
    pub far: f64,
    /// Covers the rounding of canonical coordinates and distances, in the units of A's mesh.
    canonical: f64,
}

impl Frame {
    /// The frame of two bodies; `None` if they are certainly farther apart than the threshold.
    ///
    /// Errors: those of [`crate::pose::Pose::transform`].
    pub fn unless_far(a: &Operand<'_>, b: &Operand<'_>, threshold: f64) -> Result<Option<Self>> {
        if far_apart(a, b, threshold)? { Ok(None) } else { Frame::new(a, b).map(Some) }
    }

    /// Errors: those of [`crate::pose::Pose::transform`].
    pub fn new(a: &Operand<'_>, b: &Operand<'_>) -> Result<Self> {
        let transforms = [a.pose.transform(What::PoseA)?, b.pose.transform(What::PoseB)?];
        Ok(Frame::between(transforms, [extent(a), extent(b)], [a.scale, b.scale]))
    }

    /// The frame of two bodies. No corner is farther from the origin of its own frame than the extent of its body, in its mesh's units.
    pub fn between([ta, tb]: [Transform; 2], [extent_a, extent_b]: [f64; 2], scales: [f64; 2]) -> Self {
        let (pa, pb) = (ta.translation, tb.translation);
        let half = [0, 1, 2].map(|k| 0.5 * pa[k] - 0.5 * pb[k]);
        let middle = [0, 1, 2].map(|k| 0.5 * pa[k] + 0.5 * pb[k]);
        // The order of the sums does not depend on which body comes first.
        let size = (extent_a * scales[0] + extent_b * scales[1]) + 2.0 * safe_length(half);
        let columns = [0, 1, 2].map(|j| ta.rotate_back([0, 1, 2].map(|i| tb.rows[i][j])));
        Frame {
            a: ta,
            b: tb,
            scales,
            half,
            middle,
            scale: size.inverse_exponent(),
            turn: [0, 1, 2].map(|i| [0, 1, 2].map(|j| columns[j][i])),
            offset: ta.rotate_back(half.map(|x| -2.0 * x)).map(|x| x / scales[0]),
            ratio: scales[1] / scales[0],
            margin: 0.0,
            far: max(largest(pa), largest(pb)),
            canonical: 128.0 * f64::UNIT_ROUNDOFF * size / scales[0],
        }
    }

    /// The filter's frame for clusters with these origins. Thresholds are in the units of A's mesh. `close` is the second threshold, for searches
    /// that have one.
    #[inline]
    pub(super) fn relative(&self, a: &Origin, b: &Origin, threshold: f64, close: f64) -> Relative {
        let m = &self.turn;
        let c = b.centre.map(|x| x * self.ratio);
        let t = [0, 1, 2].map(|i| dot(m[i], c) + self.offset[i] - a.centre[i]);
        // See `filter` for the derivation.
        let reach = b.reach * self.ratio;
        let asked = max(threshold.abs(), close.abs());
        let lengths = (15.0 * a.reach + 45.0 * reach) + (17.0 * safe_length(t) + 12.0 * asked);
        let slack = f64::from(f32::UNIT_ROUNDOFF) * lengths + (self.canonical + f64::from(UNDERFLOW));
        Relative {
            turn: m.map(|row| row.map(|x| x as f32)),
            moves: t.map(|x| core::array::from_fn(|k| if k < 12 { x as f32 } else { 0.0 })),
            threshold: ((threshold + slack) as f32).next_up(),
            close: ((close + slack) as f32).next_up(),
            asked: threshold as f32,
            slack: ((2.0 * slack) as f32).next_up(),
        }
    }
}

/// Whether the bounding balls are certainly farther apart than the threshold. This test comes before all others, so that bodies that are far apart
/// cost almost nothing: it needs no matrix and no root.
///
/// Errors: those of [`crate::pose::Pose::check`].
pub(super) fn far_apart(a: &Operand<'_>, b: &Operand<'_>, threshold: f64) -> Result<bool> {
    a.pose.check(What::PoseA)?;
    b.pose.check(What::PoseB)?;
    let (Some(ra), Some(rb)) = (a.tree.root(), b.tree.root()) else { return Ok(true) };
    // All lengths are halved, so that no difference of positions overflows.
    let centre = |operand: &Operand<'_>, local: [f64; 3]| {
        half_turned(&operand.pose.orientation, local).map(|x| x * operand.scale)
    };
    let (ca, cb) = (centre(a, ra.centre), centre(b, rb.centre));
    let between = [0, 1, 2].map(|k| 0.5 * a.pose.position[k] - 0.5 * b.pose.position[k]);
    let d = add(sub(ca, cb), between);
    let sum = |v: [f64; 3]| v[0].abs() + v[1].abs() + v[2].abs();
    let balls = 0.5 * (ra.radius * a.scale) + 0.5 * (rb.radius * b.scale);
    // The numbers above err by less than 30 units of all that enters, and the canonical distance by less than 90, as its matrices do not go there
    // and back again.
    let slack = 128.0 * f64::UNIT_ROUNDOFF * (sum(ca) + sum(cb) + sum(between) + balls);
    let reach = (balls + 0.5 * threshold) + slack;
    let largest = max(max(d[0].abs(), d[1].abs()), max(d[2].abs(), reach));
    let scale = largest.inverse_exponent();
    let ([x, y, z], reach) = (d.map(|c| c * scale), reach * scale);
    // False if anything is NaN or infinite: then the trees decide.
    Ok(x * x + y * y + z * z > reach * reach * (1.0 + 64.0 * f64::UNIT_ROUNDOFF))
}

/// Half of R v for a quaternion that need not have length 1: `v + 2 (w (q x v) + q x (q x v)) / |q|^2`. NaN if the square of its length would lose
/// digits.
#[inline(always)]
fn half_turned(&[x, y, z, w]: &[f64; 4], v: [f64; 3]) -> [f64; 3] {
    let once = cross([x, y, z], v);
    let twice = cross([x, y, z], once);
    let n = x * x + y * y + z * z + w * w;
    let by = if (1e-280..1e280).contains(&n) { 1.0 / n } else { f64::NAN };
    [0, 1, 2].map(|k| 0.5 * v[k] + by * (w * once[k] + twice[k]))
}

/// From the frame of B's origin to that of A's origin, in f32, and the gap that must separate two surrogates besides their halos.
#[derive(Clone, Copy, Debug)]
pub(super) struct Relative {
    pub turn: [[f32; 3]; 3],
    /// What is added on each axis to the rows of corners (12) and of normals (4 zeros).
    pub moves: [[f32; 16]; 3],
    pub threshold: f32,
    /// As `threshold`, for the second threshold.
    pub close: f32,
    /// The threshold without slack.
    pub asked: f32,
    /// Twice the allowance for rounding.
    pub slack: f32,
}

fn largest(v: [f64; 3]) -> f64 {
    v.into_iter().fold(0.0, |most, x| max(most, x.abs()))
}

/// An upper bound for the distance of a corner from the origin of the mesh's frame.
fn extent(operand: &Operand<'_>) -> f64 {
    safe_length(operand.mesh.centre()) + operand.mesh.radius()
}

/// 2^-120, 64 times the smallest normal number.
pub(super) const UNDERFLOW: f32 = 64.0 * f32::MIN_POSITIVE;
