//! Mass properties of compounds, with memory that grows as needed.

use crate::Memory;
use dem_core::body::compound_mass_scratch;
use dem_core::contact::shape::Part;
use dem_core::error::{Error, Kind, Result, What};
use dem_core::mesh::MassProperties;
use dem_core::rays::Hit;

/// Columns along each axis, through the space that parts share.
const COLUMNS: u32 = 256;

/// Mass properties of a rigid compound filled with `density`, in its own frame. Space that parts share counts once: see
/// [`compound_mass`](dem_core::body::compound_mass), with 256 columns. The `part_pose` of the result, times the pose of each part, gives the
/// compound in the frame of a body.
///
/// ```
/// use dem_std::compound_mass;
/// use dem_std::dem_core::contact::shape::{Part, Shape};
/// use dem_std::dem_core::pose::Pose;
///
/// let ball = |x| {
///     let pose = Pose { position: [x, 0.0, 0.0], ..Pose::IDENTITY };
///     Part { shape: Shape::Sphere { radius: 1.0, halo: 0.01 }, pose, scale: 1.0 }
/// };
/// let mass = compound_mass(&[ball(-0.5), ball(0.5)], 1.0)?;
/// // Two balls less the lens that they share.
/// let right = std::f64::consts::PI * (8.0 / 3.0 - 5.0 / 12.0);
/// assert!((mass.mass / right - 1.0).abs() < 1e-4 && mass.moments[0] < mass.moments[1]);
/// # Ok::<(), dem_std::dem_core::error::Error>(())
/// ```
///
/// Errors: those of [`compound_mass`](dem_core::body::compound_mass), except for room; [`Kind::TooLarge`].
pub fn compound_mass(parts: &[Part<'_>], density: f64) -> Result<MassProperties> {
    let mut scratch = Memory::new(compound_mass_scratch(parts)?)?;
    let mut hits = vec![Hit::NOTHING; 2 * parts.len() + 64];
    loop {
        match dem_core::body::compound_mass(parts, density, COLUMNS, &mut hits, &mut scratch) {
            Err(Error { kind: Kind::Capacity, what: What::Output, needed, .. }) if needed as usize > hits.len() => {
                hits.resize(needed as usize + needed as usize / 2, Hit::NOTHING);
            }
            done => return done,
        }
    }
}
