//! The parts of a body that may be inside another one.

use glam::DVec3;

use super::perturbed_mesh::Body;

/// The parts of a body of which the first triangle is in the ball and in the box around another body. A body of one part has none.
pub(super) struct PartsNear<'b, I> {
    parts: I,
    body: Body<'b>,
    other: Body<'b>,
    /// The box, in the axes of the other mesh; computed when a part is in the ball.
    span: Option<[DVec3; 2]>,
}

impl<'b> PartsNear<'b, ()> {
    pub fn new(body: Body<'b>, other: Body<'b>) -> PartsNear<'b, impl Iterator<Item = u32>> {
        PartsNear { parts: body.cells.parts(), body, other, span: None }
    }
}

impl<I: Iterator<Item = u32>> PartsNear<'_, I> {
    /// The first triangle of the next part that is not `known`. Cost: a few operations for each part, and once a pass over the other body.
    pub fn next(&mut self, known: impl Fn(u32) -> bool) -> Option<u32> {
        let Self { parts, body, other, span } = self;
        parts.find(|first| {
            let corners = body.corners(*first);
            if known(*first) || !corners.iter().all(|at| other.may_enclose(*at)) {
                return false;
            }
            let [low, high] = *span.get_or_insert_with(|| other.span());
            corners.iter().all(|at| {
                let (at, room) = (other.own_axes(*at), other.reach());
                at.cmpge(low - room).all() && at.cmple(high + room).all()
            })
        })
    }
}
