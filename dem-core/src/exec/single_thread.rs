//! Replaces `work_stealing.rs` on machines without atomic compare-and-swap: one thread works on all chunks.

use super::{CutMut, Executor, Parts, in_order};

pub(super) fn each<P: Parts>(_: &dyn Executor, _lanes: usize, parts: P, work: impl Fn(usize, P::Part)) {
    in_order(parts, work);
}

pub(super) fn each_with<P: Parts, S>(
    _: &dyn Executor,
    _lanes: usize,
    parts: P,
    scratch: CutMut<'_, S>,
    work: impl Fn(usize, P::Part, &mut [S]),
) {
    let CutMut(items, piece) = scratch;
    let own = items.get_mut(..piece).unwrap_or_default();
    in_order(parts, |i, part| work(i, part, own));
}
