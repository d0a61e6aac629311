//! The points to which a triangle is fitted, the goal of a fit, and its result.

/// Points as three component arrays of the same length.
#[derive(Clone, Copy)]
pub(super) struct Points<'a> {
    pub x: &'a [f32],
    pub y: &'a [f32],
    pub z: &'a [f32],
}

impl<'a> Points<'a> {
    #[inline(always)]
    pub fn new(x: &'a [f32], y: &'a [f32], z: &'a [f32], count: usize) -> Self {
        let n = count.min(x.len()).min(y.len()).min(z.len());
        Points { x: &x[..n], y: &y[..n], z: &z[..n] }
    }

    #[inline(always)]
    pub fn len(&self) -> usize {
        self.x.len()
    }

    #[inline(always)]
    pub fn at(&self, i: usize) -> [f32; 3] {
        match (self.x.get(i), self.y.get(i), self.z.get(i)) {
            (Some(&x), Some(&y), Some(&z)) => [x, y, z],
            _ => [0.0; 3],
        }
    }
}

/// The function that the search minimises, and the length of the search.
#[derive(Clone, Copy)]
pub(super) struct Goal {
    /// Added to every distance: the halo of the fine triangles.
    pub halo: f32,
    /// The search minimises the volume times the halo to the power of half this number.
    pub exponent: u32,
    /// Steps of a descent from the best start; 0 for none. With a descent, [`FitKernel`](crate::surrogate::fit::FitKernel) gives only the best
    /// start.
    pub steps: u32,
    /// Number of times that the step of the search is halved; 0 for no search.
    pub halvings: u32,
    /// The most batches of candidates.
    pub batches: u32,
    /// Batches of random moves after the search. With these, segments and points are also tried as starts.
    pub wander: u32,
}

/// A triangle with its halo, in the scaled units of its part.
#[derive(Clone, Copy)]
pub(super) struct FittedTriangle {
    pub triangle: [[f32; 3]; 3],
    /// The halo, including [`Goal::halo`] and [`FLOOR`].
    pub halo: f32,
    pub objective: f32,
}

/// Added to halos in the objective, relative to the radius of the part, so that a flat part still gets a small triangle.
pub(super) const FLOOR: f32 = 2.0e-4;
