//! The inputs of the laws of a world.

use crate::body::Body;
use crate::contact::shape::Shape;
use crate::detect::surfaces::MovingSurface;
use crate::error::Result;

/// Vectors that a law keeps for each contact: see [`Law`](super::Law).
pub const SPRINGS: usize = 5;

/// The vectors of a contact.
pub type Springs = [[f64; 3]; SPRINGS];

/// The input of a law besides the contact: bodies by their slots, which are [`ScenePair::a`](crate::detect::ScenePair::a) and [`ScenePair::b`](crate::detect::ScenePair::b).
#[derive(Clone, Copy)]
pub struct LawContext<'b> {
    /// Mass, moments, pose and velocity.
    pub bodies: &'b [Body],
    /// Indices in the law's own table of materials.
    pub materials: &'b [u32],
    /// Scales.
    pub scales: &'b [f64],
    /// The table of shapes.
    pub shapes: &'b [Shape<'b>],
    /// The index of each body's shape in `shapes`.
    pub shape_of: &'b [u32],
    /// Length of the step.
    pub dt: f64,
}

impl<'b> LawContext<'b> {
    /// The shape of a body, and its scale.
    pub fn shape(&self, body: usize) -> Option<(Shape<'b>, f64)> {
        let shape = self.shapes.get(*self.shape_of.get(body)? as usize)?;
        Some((*shape, self.scales.get(body).copied().unwrap_or(1.0)))
    }
}

/// Bodies with moving vertices. Arrays and slices of [`MovingSurface`] are such lists.
///
/// A host that keeps its surfaces in another form implements this trait, and needs no copies.
pub trait MovingSurfaces: Sync {
    /// Calls `work` with each surface, and stops at the first error.
    ///
    /// Errors: those of `work`, and those of the host.
    fn each(&self, work: &mut dyn FnMut(&MovingSurface<'_>) -> Result<()>) -> Result<()>;
}

impl MovingSurfaces for &[MovingSurface<'_>] {
    fn each(&self, work: &mut dyn FnMut(&MovingSurface<'_>) -> Result<()>) -> Result<()> {
        self.iter().try_for_each(work)
    }
}

impl<const N: usize> MovingSurfaces for [MovingSurface<'_>; N] {
    fn each(&self, work: &mut dyn FnMut(&MovingSurface<'_>) -> Result<()>) -> Result<()> {
        self.iter().try_for_each(work)
    }
}
