//! Two or three dimensions, open or periodic.

/// Number of axes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Dimensions {
    /// Discs: the third component of centres is ignored.
    Two = 2,
    /// Spheres.
    Three = 3,
}

/// The space that bodies are in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Space {
    /// Number of axes.
    pub dimensions: Dimensions,
    /// The period along each axis, in units of length; 0 where an axis is open. Centres need not be wrapped into one
    /// period.
    pub periods: [f64; 3],
}

impl Space {
    /// Three open dimensions.
    pub const OPEN: Space = Space::new(Dimensions::Three, [0.0; 3]);
    /// Two open dimensions.
    pub const PLANE: Space = Space::new(Dimensions::Two, [0.0; 3]);

    /// A space with these dimensions and periods.
    pub const fn new(dimensions: Dimensions, periods: [f64; 3]) -> Self {
        Space { dimensions, periods }
    }

    /// Number of axes.
    #[inline(always)]
    pub fn axes(&self) -> usize {
        self.dimensions as usize
    }

    /// The period along an axis; None for open axes and axes beyond the dimensions.
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
