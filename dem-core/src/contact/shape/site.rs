//! The parts of a body, relative to the midpoint of both bodies, and checks of bodies.

use core::ops::Range;

use super::{Placed, Shape, Surface};
use crate::error::{Error, Kind, Result, What};
use crate::mesh::LIMIT;
use crate::pose::{Pose, Transform, scaled_product};
use crate::real::{Real, max};

/// A sphere, a capsule, a half-space or a mesh at its pose.
#[derive(Clone, Copy)]
pub(crate) struct Site<'a> {
    pub shape: Shape<'a>,
    /// Pose relative to the midpoint, in world axes.
    pub pose: Pose,
    /// `pose` as a matrix.
    pub turn: Transform,
    pub scale: f64,
    /// Number of the part's first feature.
    pub first: u32,
}

impl<'a> Site<'a> {
    /// Bounding sphere of the part and its halo: centre relative to the midpoint, and radius. `None` for a half-space.
    pub fn ball(&self) -> Option<([f64; 3], f64)> {
        let (centre, radius) = match self.shape {
            Shape::Sphere { radius, halo } => ([0.0; 3], radius + halo),
            Shape::Capsule { half_length, radius, halo } => ([0.0; 3], half_length + (radius + halo)),
            Shape::Mesh(Surface { mesh, .. }) => (mesh.centre(), mesh.radius() + mesh.largest_halo()),
            _ => return None,
        };
        Some((self.turn.apply(centre.map(|x| x * self.scale)), radius * self.scale))
    }

    /// The range of the part's features.
    pub fn features(&self) -> Range<u64> {
        let first = u64::from(self.first);
        first..first + self.shape.features()
    }

    /// Whether the bounding spheres are so far apart that there is no contact. `margin` enlarges the sum of both halos.
    pub fn is_far_from(&self, other: &Site<'_>, margin: f64) -> bool {
        let (Some((p, r)), Some((q, s))) = (self.ball(), other.ball()) else { return false };
        let d = [0, 1, 2].map(|k| p[k] - q[k]);
        let largest = p.into_iter().chain(q).chain([r, s, margin]).fold(0.0, |m, x| max(m, Real::abs(x)));
        let unit = largest.inverse_exponent();
        let [x, y, z] = d.map(|x| x * unit);
        let reach = ((r + s) + margin) * unit;
        // Relative to the operands, far larger than any rounding error.
        const SQUARE_ERROR: f64 = 1e-12;
        x * x + y * y + z * z > reach * reach + SQUARE_ERROR
    }
}

/// A body with one or more parts.
#[derive(Clone, Copy)]
pub(crate) struct Sites<'a> {
    placed: &'a Placed<'a>,
    /// Position relative to the midpoint.
    offset: [f64; 3],
}

impl<'a> Sites<'a> {
    /// The parts of a body whose position relative to the midpoint is `offset`.
    pub fn new(placed: &'a Placed<'a>, offset: [f64; 3]) -> Self {
        Sites { placed, offset }
    }

    /// Calls `visit` with each part.
    pub fn each(&self, mut visit: impl FnMut(&Site<'a>) -> Result<()>) -> Result<()> {
        let Placed { shape, pose, scale } = *self.placed;
        let body = Pose { position: self.offset, ..*pose };
        let turn = body.transform(What::Pose)?;
        let Shape::Compound(parts) = shape else {
            return visit(&Site { shape: plain(shape), pose: body, turn, scale, first: 0 });
        };
        let mut first = 0;
        for part in parts {
            let position = turn.apply(part.pose.position.map(|x| x * scale));
            let pose = Pose { position, orientation: scaled_product(pose.orientation, part.pose.orientation) };
            let turn = pose.transform(What::Pose)?;
            visit(&Site { shape: plain(part.shape), pose, turn, scale: scale * part.scale, first: first as u32 })?;
            first += part.shape.features();
        }
        Ok(())
    }
}

/// Converts a capsule of length 0 to a ball.
fn plain(shape: Shape<'_>) -> Shape<'_> {
    match shape {
        Shape::Capsule { half_length: 0.0, radius, halo } => Shape::Sphere { radius, halo },
        other => other,
    }
}

/// Component numbers in errors.
const RADIUS: u32 = 0;
const HALO: u32 = 1;
const SCALE: u32 = 2;
// 3 to 9 are those of a part's pose, 10 to 12 are used by the C interface.
const HALF_LENGTH: u32 = 13;

/// Checks a body. Errors: those of the poses; [`Kind::NotFinite`] and [`Kind::OutOfRange`] for radius, halo, scale and half length (components 0,
/// 1, 2 and 13) of a part; [`Kind::Unsupported`] for a compound in a compound; [`Kind::Mismatch`] if tree or cells are of another mesh;
/// [`Kind::TooLarge`] if features cannot be numbered.
pub(crate) fn check(placed: &Placed<'_>, what: What, pose: What) -> Result<()> {
    placed.pose.check(pose)?;
    positive(placed.scale, what, 0)?;
    match placed.shape {
        Shape::Compound(parts) => {
            for (i, part) in parts.iter().enumerate() {
                part.pose.check(what).map_err(|e| e.at(i as u64, e.component + 3))?;
                positive(part.scale, what, i)?;
                positive(placed.scale * part.scale, what, i)?;
                simple(&part.shape, placed.scale * part.scale, what, i)?;
            }
        }
        shape => simple(&shape, placed.scale, what, 0)?,
    }
    let features = placed.shape.features();
    if features > u64::from(LIMIT) {
        return Err(Error::new(Kind::TooLarge, what).amounts(u64::from(LIMIT), features));
    }
    Ok(())
}

/// Checks a shape by itself, with scale 1: see [`check`].
pub(crate) fn check_shape(shape: &Shape<'_>) -> Result<()> {
    check(&Placed { shape: *shape, pose: &Pose::IDENTITY, scale: 1.0 }, What::Shapes, What::Pose)
}

fn simple(shape: &Shape<'_>, scale: f64, what: What, part: usize) -> Result<()> {
    let lengths = |list: &[(f64, u32)]| {
        for (x, component) in list {
            let error = |kind| Err(Error::new(kind, what).at(part as u64, *component));
            if !x.is_finite() || !(x * scale).is_finite() {
                return error(Kind::NotFinite);
            }
            if *x < 0.0 {
                return error(Kind::OutOfRange);
            }
        }
        Ok(())
    };
    match shape {
        Shape::Sphere { radius, halo } => lengths(&[(*radius, RADIUS), (*halo, HALO)]),
        Shape::Capsule { half_length, radius, halo } => {
            lengths(&[(*half_length, HALF_LENGTH), (*radius, RADIUS), (*halo, HALO)])
        }
        Shape::HalfSpace { halo } => lengths(&[(*halo, HALO)]),
        Shape::Mesh(Surface { mesh, tree, cells, .. }) => {
            let n = mesh.sizes.triangles;
            let same = tree.sizes.triangles == n && cells.sizes.triangles == n;
            if same { Ok(()) } else { Err(Error::new(Kind::Mismatch, what).at(part as u64, 0)) }
        }
        Shape::Compound(_) => Err(Error::new(Kind::Unsupported, what).at(part as u64, 0)),
    }
}

fn positive(scale: f64, what: What, part: usize) -> Result<()> {
    let error = |kind| Err(Error::new(kind, what).at(part as u64, SCALE));
    match scale {
        x if !x.is_finite() => error(Kind::NotFinite),
        x if x <= 0.0 => error(Kind::OutOfRange),
        _ => Ok(()),
    }
}
