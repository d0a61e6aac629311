//! The points that a triangle is fitted to, the goal of a fit, and its result.

/// Points by components, all of one length.
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

/// What the search minimises and how long.
#[derive(Clone, Copy)]
pub(super) struct Goal {
    /// Added to every distance: the halo of the fine triangles.
    pub halo: f32,
    /// Volume times halo to the power of half this number.
    pub exponent: u32,
    /// Steps of the descent from the best start, which then is all that [`FitKernel`](crate::surrogate::fit::FitKernel) gives; 0 for none.
    pub steps: u32,
    /// How often the steps of a search are halved; 0 for no search.
    pub halvings: u32,
    /// Most batches of candidates.
    pub batches: u32,
    /// Batches of random moves behind that; with them, segments and points are tried as starts, too.
    pub wander: u32,
}

/// A triangle with its halo, in the scale of its part.
#[derive(Clone, Copy)]
pub(super) struct FittedTriangle {
    pub triangle: [[f32; 3]; 3],
    /// With [`Goal::halo`] and [`FLOOR`].
    pub halo: f32,
    pub objective: f32,
}

/// Added to halos in the objective, so that a flat part still gets a small triangle. Relative to its radius.
pub(super) const FLOOR: f32 = 2.0e-4;
