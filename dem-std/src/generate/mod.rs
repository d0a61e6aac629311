//! Generators of meshes: the shapes of the papers, and simple shapes for tests and first steps.
//!
//! | shape | generator |
//! | --- | --- |
//! | spheres of 20 4^level triangles (80, 320, 1,280, 5,120 in P0) | [`icosphere`] |
//! | spheres of meridians and parallels (12, 36, 140, 1,224 in P0 Table 6.2) | [`uv_sphere`] |
//! | convex hulls of given or of random points | [`hull`](fn@hull), [`hull_sphere`] |
//! | boxes, rooms (the inside of a box), cylinders and plates | [`cuboid`], [`room`], [`cylinder`](fn@cylinder), [`plate`] |
//! | bumpy spheres, radius in [1, eta] (P0 section 6.1) | [`bumpy`] |
//! | elongated spheres (P0 Table 6.1) | [`elongated`] |
//! | bodies and sheets of revolution, tori, capsules | [`turned`](fn@turned), [`turned_sheet`], [`torus`], [`capsule`] |
//! | bolts and nuts | [`Thread`] |
//!
//! The same arguments give the same bits on every machine: random numbers are splitmix64, arithmetic is IEEE, and the only
//! transcendental functions are libm's, in one file. Closed shapes are oriented outwards.

mod angle;
mod hull;
mod noise;
mod plain;
mod sphere;
mod thread;
mod turned;

use crate::Triangles;
use dem_core::error::{Error, Kind, Result, What};
use dem_core::real::Real;
pub use hull::{hull, hull_sphere};
pub use noise::Noise;
pub use plain::{cuboid, cylinder, plate, room};
pub use sphere::{icosphere, uv_sphere};
pub use thread::Thread;
pub use turned::{capsule, torus, turned, turned_sheet};

/// A sphere whose vertices are moved along their normals by smooth noise, so that radii are in [1, `eta`] (P0 section 6.1:
/// "the per-vertex radius is from [1, eta_r]"; 1 adds no noise).
///
/// `sphere` may be any mesh about the origin: a vertex v goes to `v (1 + (eta - 1) noise(v / |v|))`, with the noise in
/// [0, 1]. Meshes of different fineness with the same seed are approximations of the same body. Errors:
/// [`Kind::OutOfRange`] where `eta` is not a number of at least 1.
pub fn bumpy(sphere: Triangles, eta: f64, seed: u64) -> Result<Triangles> {
    if !(eta >= 1.0 && eta.is_finite()) {
        return Err(wrong(What::Eta, 1));
    }
    let noise = Noise::new(seed);
    let Triangles { mut vertices, indices } = sphere;
    for v in &mut vertices {
        let length = norm(*v);
        if length > 0.0 {
            let factor = 1.0 + (eta - 1.0) * noise.at(v.map(|x| x / length));
            *v = v.map(|x| x * factor);
        }
    }
    Ok(Triangles { vertices, indices })
}

/// A sphere of diameter 1, scaled by `eta` along x: the bodies of P0 Table 6.1 (eta = 1, 1.2, 1.4, 1.8, 2.6).
///
/// Errors: as [`icosphere`]; [`Kind::OutOfRange`] where `eta` is not positive.
pub fn elongated(level: u32, eta: f64) -> Result<Triangles> {
    if !(eta > 0.0 && eta.is_finite()) {
        return Err(wrong(What::Eta, 0));
    }
    Ok(icosphere(level)?.scaled([0.5 * eta, 0.5, 0.5]))
}

/// The error that an argument is outside its range; `range` tells which of several ranges.
fn wrong(what: What, range: u32) -> Error {
    Error::new(Kind::OutOfRange, what).at(0, range)
}

/// Refuses meshes with more vertices or triangles than 32-bit ids can name.
fn check_count(n: u64) -> Result<()> {
    let limit = u32::MAX as u64;
    if n < limit { Ok(()) } else { Err(Error::new(Kind::TooLarge, What::Count).amounts(limit - 1, n)) }
}

fn norm(v: [f64; 3]) -> f64 {
    Real::sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
}

fn normalised(v: [f64; 3]) -> [f64; 3] {
    let length = norm(v);
    v.map(|x| x / length)
}
