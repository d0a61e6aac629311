//! Corners of the contacts of a world, for impulse solvers.

use super::block::WorldRef;
use crate::contact::shape::Shape;
use crate::contact::{Corner, CornerLimits};
use crate::detect::Bodies;
use crate::error::Result;
use crate::exec::Executor;
use crate::memory::Layout;
use crate::simd::Isa;

impl WorldRef<'_> {
    /// Scratch of [`Self::corners`] for the present contacts, a list with this room, and up to this number of threads.
    ///
    /// Errors and cost: those of [`SceneRef::corners_scratch`](crate::detect::SceneRef::corners_scratch).
    pub fn corners_scratch(
        &self,
        shapes: &[Shape<'_>],
        limits: CornerLimits,
        capacity: usize,
        threads: usize,
    ) -> Result<Layout> {
        self.in_contact(shapes, |bodies| self.scene().corners_scratch(bodies, limits, capacity, threads))
    }

    /// The corners of all contacts of [`WorldRef::scene`], at the positions of the start of the step: see
    /// [`SceneRef::corners`](crate::detect::SceneRef::corners), whose indices of bodies are slots here. `shapes`: as for
    /// [`World::poll`](super::World::poll). After a window without [records](super::Records) there are none.
    ///
    /// Errors: those of [`SceneRef::corners`](crate::detect::SceneRef::corners). [`Kind::Mismatch`](crate::error::Kind::Mismatch) for
    /// [`What::Ids`](crate::error::What::Ids) means that a body of these contacts was removed since. Bodies that were added since have no effect.
    /// Cost: that of [`SceneRef::corners`](crate::detect::SceneRef::corners).
    pub fn corners(
        &self,
        exec: &dyn Executor,
        isa: Isa,
        shapes: &[Shape<'_>],
        limits: CornerLimits,
        out: &mut [Corner],
        scratch: &mut [u8],
    ) -> Result<usize> {
        self.in_contact(shapes, |bodies| self.scene().corners(exec, isa, bodies, limits, out, scratch))
    }

    /// Calls `work` with the bodies that existed when contacts were found.
    fn in_contact<R>(&self, shapes: &[Shape<'_>], work: impl FnOnce(&Bodies<'_>) -> Result<R>) -> Result<R> {
        self.with_first(self.scene().now().poses().len(), shapes, work)
    }
}
