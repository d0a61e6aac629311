//! The canonical decision of all broad phases: whether two bounding spheres touch.

use super::{FARTHEST, IMAGES, Motion, Query, WIDEST};
use crate::real::min;

/// The bounding sphere of a body in f64.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sphere {
    pub(crate) centre: [f64; 3],
    pub(crate) radius: f64,
}

/// The spheres of a query, read from slices where the host's arrays are packed.
#[derive(Clone, Copy)]
pub(super) struct Spheres<'a> {
    query: &'a Query<'a>,
    packed: Option<(&'a [[f64; 3]], &'a [f64])>,
}

impl<'a> Spheres<'a> {
    pub(super) fn new(query: &'a Query<'a>) -> Self {
        Spheres { query, packed: query.bodies.centres.as_f64().zip(query.bodies.radii.as_f64_numbers()) }
    }

    #[inline(always)]
    pub(super) fn get(&self, i: usize) -> Sphere {
        match self.packed {
            Some((centres, radii)) if i < centres.len() && i < radii.len() => {
                Sphere { centre: centres[i], radius: radii[i] }
            }
            _ => self.query.sphere(i),
        }
    }
}

/// The ranges of [`Query::check_body`], computed once per query.
#[derive(Clone, Copy)]
pub(crate) struct Limits<'a> {
    query: &'a Query<'a>,
    farthest: [f64; 3],
    widest: f64,
    plain: bool,
}

impl<'a> Limits<'a> {
    pub(crate) fn new(query: &'a Query<'a>) -> Self {
        let mut limits = Limits { query, farthest: [f64::INFINITY; 3], widest: FARTHEST, plain: false };
        for axis in 0..query.space.axes() {
            limits.farthest[axis] = query.space.period(axis).map_or(FARTHEST, |p| min(IMAGES * p, FARTHEST));
            limits.widest = query.space.period(axis).map_or(limits.widest, |p| min(WIDEST * p, limits.widest));
        }
        limits.plain = query.space.is_open() && query.bodies.motions.is_none();
        limits
    }

    /// Whether a body passes [`Query::check_body`].
    #[inline(always)]
    pub(crate) fn hold(&self, i: usize, sphere: &Sphere) -> bool {
        let [x, y, z] = sphere.centre;
        let axes = self.query.space.axes();
        let inside = x.abs() <= self.farthest[0] && y.abs() <= self.farthest[1];
        let inside = inside && (axes < 3 || z.abs() <= self.farthest[2]);
        let inside = inside && (0.0..=FARTHEST).contains(&sphere.radius);
        inside && (self.plain || self.hold_others(i, sphere))
    }

    #[inline(never)]
    fn hold_others(&self, i: usize, sphere: &Sphere) -> bool {
        let width = 2.0 * sphere.radius + self.query.margin;
        (self.query.space.is_open() || width <= self.widest)
            && self.query.bodies.motions.is_none_or(|m| m.get(i) <= Motion::LAST)
    }
}

impl Query<'_> {
    #[inline(always)]
    pub(crate) fn sphere(&self, i: usize) -> Sphere {
        Sphere { centre: self.bodies.centres.get(i), radius: self.bodies.radii.number(i) }
    }

    /// Whether body `b`, translated by `shift` periods, touches body `a`. Every broad phase decides by this sequence of
    /// operations. Along open axes the shift counts as 0.
    ///
    /// `d = (x_b - x_a) + shift * period` per axis, `(d_x d_x + d_y d_y) + d_z d_z <= R R` with
    /// `R = (r_a + r_b) + margin`. Exchanging the bodies and negating the shift only negates each d, so the answer is
    /// symmetric. The relative rounding error is about 1e-16 of the distance and of shift times period. Nothing
    /// overflows for queries that pass their check.
    pub fn reaches(&self, a: usize, b: usize, shift: [i16; 3]) -> bool {
        self.decide(&self.sphere(a), &self.sphere(b), shift)
    }

    #[inline(always)]
    pub(crate) fn decide(&self, a: &Sphere, b: &Sphere, shift: [i16; 3]) -> bool {
        let mut square = 0.0;
        for (axis, shift) in shift.into_iter().enumerate().take(self.space.axes()) {
            let d = (b.centre[axis] - a.centre[axis]) + f64::from(shift) * self.period_or_zero(axis);
            square += d * d;
        }
        let reach = self.reach(a, b);
        square <= reach * reach
    }

    /// Sum of the radii and the margin.
    #[inline(always)]
    pub(crate) fn reach(&self, a: &Sphere, b: &Sphere) -> f64 {
        (a.radius + b.radius) + self.margin
    }

    #[inline(always)]
    fn period_or_zero(&self, axis: usize) -> f64 {
        self.space.period(axis).unwrap_or(0.0)
    }
}
