//! Two or three dimensions, open or periodic.

/// How many axes count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Dimensions {
    /// Discs: the third component of centres is not looked at.
    Two = 2,
    /// Spheres.
    Three = 3,
}

/// Where bodies are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Space {
    /// How many axes count.
    pub dimensions: Dimensions,
    /// The period along each axis, in units of length; 0 where an axis is open. Centres need not be inside of one
    /// particular box: shifts go from where they are.
    pub periods: [f64; 3],
}

impl Space {
    /// Three dimensions without end.
    pub const OPEN: Space = Space::new(Dimensions::Three, [0.0; 3]);
    /// Two dimensions without end.
    pub const PLANE: Space = Space::new(Dimensions::Two, [0.0; 3]);

    /// So many dimensions with these periods.
    pub const fn new(dimensions: Dimensions, periods: [f64; 3]) -> Self {
        Space { dimensions, periods }
    }

    /// Number of axes.
    #[inline(always)]
    pub fn axes(&self) -> usize {
        self.dimensions as usize
    }

    /// The period along an axis that counts and is not open.
    #[inline(always)]
    pub fn period(&self, axis: usize) -> Option<f64> {
        let period = self.periods.get(axis).copied().filter(|_| axis < self.axes());
        period.filter(|p| *p > 0.0)
    }

    /// Whether all axes are open.
    pub fn is_open(&self) -> bool {
        (0..3).all(|axis| self.period(axis).is_none())
    }
}
