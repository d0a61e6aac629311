//! The canonical decision: whether two spheres reach each other.

use super::Query;

/// The sphere of a body as the decision takes it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sphere {
    pub(crate) centre: [f64; 3],
    pub(crate) radius: f64,
}

impl Query<'_> {
    #[inline(always)]
    pub(crate) fn sphere(&self, i: usize) -> Sphere {
        Sphere { centre: self.bodies.centres.get(i), radius: self.bodies.radii.number(i) }
    }

    /// Whether body `b`, moved by `shift` periods, reaches body `a`: what every broad phase answers, decided by one
    /// sequence of operations. Along open axes the shift counts as 0.
    ///
    /// `d = (x_b - x_a) + shift * period` per axis, `(d_x d_x + d_y d_y) + d_z d_z <= R R` with
    /// `R = (r_a + r_b) + margin`. Exchanging the two and negating the shift negates each d and changes nothing else, so the
    /// answer is the same. It is exact but for the rounding of these operations: about 1e-16 of the distance, and of the
    /// shift times the period. Nothing overflows for queries that pass their check.
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
