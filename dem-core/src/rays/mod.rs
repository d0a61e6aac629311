//! Ray casts: where a ray meets a mesh, a shape or the bodies of a host.
//!
//! Example: a ray from above meets a ball.
//!
//! ```
//! use dem_core::contact::shape::{Placed, Shape};
//! use dem_core::{pose::Pose, rays::{Ray, cast}};
//!
//! let ball = Placed { shape: Shape::Sphere { radius: 0.5, halo: 0.0 }, pose: &Pose::IDENTITY, scale: 1.0 };
//! let ray = Ray::new([0.0, 0.0, 3.0], [0.0, 0.0, -1.0]);
//! let hit = cast(&ball, &ray)?.expect("a hit");
//! assert_eq!((hit.t, hit.normal), (2.5, [0.0, 0.0, 1.0]));
//! # Ok::<(), dem_core::error::Error>(())
//! ```
//!
//! | file | what is in it |
//! | --- | --- |
//! | `triangle` | a ray and a triangle; no ray passes between two adjacent triangles |
//! | `mesh` | a ray and a mesh, by its tree, front to back |
//! | `shapes` | spheres and half-spaces by closed forms; compounds part by part |
//! | `tree` | boxes around groups of bodies, so that a ray tests only bodies near it |
//! | `bodies` | many rays at all bodies of a host: the first hit of each, or all of them |
//!
//! A ray meets surfaces from either side: a ray that begins inside a ball meets the ball where it leaves. Halos have no effect. A ray that only
//! touches a sphere does not meet it, and a ray along the face of a half-space does not meet the half-space.
//!
//! Results do not depend on the instruction set, on the tree or on threads.

mod bodies;
mod mesh;
mod shapes;
mod tree;
mod triangle;

#[cfg(test)]
#[allow(clippy::expect_used)]
mod tests;

pub use bodies::{cast_bodies, cast_bodies_all, cast_bodies_scratch};
pub use mesh::{cast_mesh, cast_mesh_all};
pub use shapes::{cast, cast_all};

use core::cmp::Ordering;
use core::ops::RangeInclusive;

use zerocopy::{FromBytes, Immutable, IntoBytes};

use crate::error::{Error, Kind, Result, What};
use crate::mesh::NONE;
use crate::real::{Real, max};
use crate::vector::{add, scale};

/// A half-line, or a piece of it: all points `origin + t direction` with `0 <= t <= most`, in world coordinates.
#[derive(Clone, Copy, Debug, PartialEq, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub struct Ray {
    /// The start of the ray.
    pub origin: [f64; 3],
    /// The direction, with any length from 2^-200 to 2^200; with a unit vector, `t` is a length.
    pub direction: [f64; 3],
    /// The largest `t` of interest, in units of the direction's length; infinity is allowed.
    pub most: f64,
    /// Bits of the groups that the ray meets, not 0; only [`cast_bodies`] and [`cast_bodies_all`] use and check them.
    pub mask: u32,
    /// Zero.
    pub reserved: u32,
}

/// The point at which a ray meets a surface.
#[derive(Clone, Copy, Debug, PartialEq, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub struct Hit {
    /// Parameter along the ray, in units of the length of its direction; infinite if nothing is met.
    pub t: f64,
    /// The point, in world coordinates.
    pub point: [f64; 3],
    /// The outward unit normal of the surface there, in world axes; for a mesh, that of the triangle. Zeros if a triangle has no area.
    pub normal: [f64; 3],
    /// Id of the body, for [`cast_bodies`] and [`cast_bodies_all`]; else 0.
    pub id: u64,
    /// Index of the body, for [`cast_bodies`] and [`cast_bodies_all`], [`NONE`] if nothing is met; else 0.
    pub body: u32,
    /// Number of the part of a compound; else 0.
    pub part: u32,
    /// Triangle of the mesh; 0 for spheres and half-spaces.
    pub triangle: u32,
    /// [`PointSide`](crate::narrow::PointSide) from which the ray comes, as a number: 0 for the side to which the normal points, 1 for the other
    /// side. 3 if nothing is met.
    pub side: u32,
}

impl Default for Hit {
    fn default() -> Self {
        Hit::NOTHING
    }
}

impl Hit {
    /// The record of a ray that meets nothing.
    pub const NOTHING: Hit = Hit {
        t: f64::INFINITY,
        point: [0.0; 3],
        normal: [0.0; 3],
        id: 0,
        body: NONE,
        part: 0,
        triangle: NONE,
        side: crate::narrow::PointSide::Beyond as u32,
    };

    /// Whether anything is met.
    pub fn is_some(&self) -> bool {
        self.body != NONE
    }
}

impl Ray {
    /// A ray without end that meets all groups.
    pub const fn new(origin: [f64; 3], direction: [f64; 3]) -> Ray {
        Ray { origin, direction, most: f64::INFINITY, mask: u32::MAX, reserved: 0 }
    }

    /// Checks that a ray is valid.
    ///
    /// Errors about [`What::Rays`], with component (0 to 2 origin, 3 to 5 direction, 6 the largest t, 7 `reserved`): [`Kind::NotFinite`];
    /// [`Kind::OutOfRange`] for an origin of more than 2^400, for a direction whose largest component is not within 2^-200 and 2^200, such
    /// as the zero vector, and below 0 for the largest t.
    pub fn check(&self) -> Result<()> {
        let error = |kind, component: usize| Err(Error::new(kind, What::Rays).at(0, component as u32));
        let mut numbers = self.origin.iter().chain(&self.direction);
        if let Some(component) = numbers.position(|x| !x.is_finite()) {
            return error(Kind::NotFinite, component);
        }
        if self.most.is_nan() {
            return error(Kind::NotFinite, 6);
        }
        if let Some(component) = self.origin.iter().position(|x| Real::abs(*x) > FARTHEST) {
            return error(Kind::OutOfRange, component);
        }
        if !LENGTHS.contains(&largest(self.direction)) {
            return error(Kind::OutOfRange, 3);
        }
        if self.most < 0.0 {
            return error(Kind::OutOfRange, 6);
        }
        if self.reserved != 0 { error(Kind::OutOfRange, 7) } else { Ok(()) }
    }

    /// [`Ray::check`], and whether the ray can meet a body: [`Kind::OutOfRange`] with component 8 for a `mask` of 0.
    pub(super) fn check_for_bodies(&self) -> Result<()> {
        self.check()?;
        if self.mask == 0 { Err(Error::new(Kind::OutOfRange, What::Rays).at(0, 8)) } else { Ok(()) }
    }

    /// The point at `t`.
    pub fn at(&self, t: f64) -> [f64; 3] {
        add(self.origin, scale(self.direction, t))
    }
}

/// 2^400.
const FARTHEST: f64 = f64::from_bits((1023 + 400) << 52);
/// 2^-200 to 2^200.
const LENGTHS: RangeInclusive<f64> = f64::from_bits((1023 - 200) << 52)..=f64::from_bits((1023 + 200) << 52);

fn largest(v: [f64; 3]) -> f64 {
    v.into_iter().fold(0.0, |m, x| max(m, Real::abs(x)))
}

/// What a cast does with hits.
trait Goal {
    /// Hits with a larger `t` do not matter. The limit may shrink.
    fn limit(&self) -> f64;
    /// Takes a hit. `rest` fills in the fields that cost more: point and normal.
    fn take(&mut self, hit: Hit, rest: impl FnOnce(&mut Hit));
}

/// The order of hits: by `t`, then by body id, by part, and by triangle.
fn order(a: &Hit, b: &Hit) -> Ordering {
    a.t.total_cmp(&b.t).then((a.id, a.part, a.triangle).cmp(&(b.id, b.part, b.triangle)))
}

/// Keeps the first hit.
struct Closest {
    limit: f64,
    best: Option<Hit>,
}

impl Closest {
    fn within(limit: f64) -> Closest {
        Closest { limit, best: None }
    }
}

impl Goal for Closest {
    fn limit(&self) -> f64 {
        self.limit
    }

    fn take(&mut self, mut hit: Hit, rest: impl FnOnce(&mut Hit)) {
        if hit.t <= self.limit && self.best.as_ref().is_none_or(|best| order(&hit, best).is_lt()) {
            rest(&mut hit);
            (self.limit, self.best) = (hit.t, Some(hit));
        }
    }
}

/// Collects all hits. Hits beyond the room are only counted.
struct All<'o> {
    limit: f64,
    out: &'o mut [Hit],
    count: usize,
    /// Id of the current body.
    id: u64,
    body: u32,
}

impl<'o> All<'o> {
    fn within(limit: f64, out: &'o mut [Hit]) -> Self {
        All { limit, out, count: 0, id: 0, body: 0 }
    }

    /// Errors: [`Kind::Capacity`] with the number of all hits.
    fn finish(self) -> Result<usize> {
        let given = self.out.len();
        let Some(hits) = self.out.get_mut(..self.count) else {
            return Err(Error::capacity(What::Output, self.count as u64, given as u64));
        };
        hits.sort_unstable_by(order);
        Ok(self.count)
    }
}

impl Goal for All<'_> {
    fn limit(&self) -> f64 {
        self.limit
    }

    fn take(&mut self, hit: Hit, rest: impl FnOnce(&mut Hit)) {
        if hit.t <= self.limit {
            if let Some(to) = self.out.get_mut(self.count) {
                *to = Hit { id: self.id, body: self.body, ..hit };
                rest(to);
            }
            self.count += 1;
        }
    }
}
