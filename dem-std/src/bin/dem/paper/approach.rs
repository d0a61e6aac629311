//! Poses of two approaching bodies, at given gaps (P0 section 6.1).

use super::product::{Product, Rows};
use crate::failure::Failure;
use dem_std::Triangles;
use dem_std::dem_core::simd::Isa;
use dem_std::dem_core::triangle::{Block, Sink, closest_points};
use dem_std::random::SplitMix64;

/// The body that the sphere approaches.
#[derive(Clone, Copy, PartialEq)]
pub enum Other {
    /// Another sphere of the same kind.
    Sphere,
    /// A plane below, of 16 by 16 cells of a quarter diameter: 512 triangles, as P0 Table 6.4 counts 6.27e5 pairs for
    /// 1,224.
    Plane,
}

type Vector = [f64; 3];

/// A random rotation.
fn turn(random: &mut SplitMix64) -> impl Fn(Vector) -> Vector + use<> {
    let x = random.direction();
    let mut y = random.direction();
    let along = dot(x, y);
    y = [0, 1, 2].map(|k| y[k] - along * x[k]);
    let length = dot(y, y).sqrt();
    let y = y.map(|c| c / length);
    let z = [x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]];
    move |v| [dot(x, v), dot(y, v), dot(z, v)]
}

fn dot(a: Vector, b: Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// The two bodies with a gap between them: a randomly rotated sphere, and the other body below it.
pub fn pose(sphere: &Triangles, other: Other, gap: f64, random: &mut SplitMix64) -> Result<[Rows; 2], Failure> {
    let (turn_a, turn_b) = (turn(random), turn(random));
    let beside = [random.signed() * 0.25, random.signed() * 0.25];
    let plane = dem_std::generate::plate([16, 16], [4.0, 4.0])?;
    let below = match other {
        Other::Sphere => Rows::new(sphere, turn_b),
        Other::Plane => Rows::new(&plane, |v| [v[0] + beside[0], v[1] + beside[1], v[2]]),
    };
    // Bodies of diameter 1. Convex bodies do not overlap if they move by at most their distance.
    let mut height = 2.0;
    loop {
        let above = Rows::new(sphere, |v| {
            let [x, y, z] = turn_a(v);
            [x, y, z + height]
        });
        let left = smallest_distance(&above, &below)? - gap;
        if left < 1e-3 {
            return Ok([above, below]);
        }
        height -= left;
    }
}

fn smallest_distance(a: &Rows, b: &Rows) -> Result<f64, Failure> {
    struct Smallest(f32);
    impl Sink<f32> for Smallest {
        fn put(&mut self, _: usize, count: usize, block: &Block<f32>) {
            self.0 = block.distance.iter().take(count).fold(self.0, |m, d| m.min(*d));
        }
    }
    let mut smallest = Smallest(f32::MAX);
    closest_points(Isa::best(), &Product(a, b), &mut smallest)?;
    Ok(f64::from(smallest.0))
}
