//! Sets of vertices that are joined step by step: a union-find (disjoint sets).

use super::block::NONE;

/// The vertices that have been joined so far, and their sets.
pub(crate) struct Sets<'s> {
    parent: &'s mut [u32],
    count: u64,
}

impl<'s> Sets<'s> {
    /// No vertex has been joined yet; `parent` has an item for each possible vertex.
    pub(crate) fn new(parent: &'s mut [u32]) -> Self {
        parent.fill(NONE);
        Sets { parent, count: 0 }
    }

    /// Joins the sets of two vertices.
    pub(crate) fn join(&mut self, ends: [u32; 2]) {
        for end in ends {
            if let Some(to) = self.parent.get_mut(end as usize)
                && *to == NONE
            {
                *to = end;
                self.count += 1;
            }
        }
        let [a, b] = ends.map(|end| self.root(end));
        if a != b
            && let Some(to) = self.parent.get_mut(a.max(b) as usize)
        {
            // The smaller number stays root, so roots do not depend on the order of joining.
            *to = a.min(b);
            self.count -= 1;
        }
    }

    /// The smallest vertex of the set of `vertex`.
    pub(crate) fn root(&mut self, vertex: u32) -> u32 {
        let mut at = vertex;
        loop {
            let up = self.up(at);
            if up == at {
                return at;
            }
            let next = self.up(up);
            if let Some(to) = self.parent.get_mut(at as usize) {
                *to = next;
            }
            at = next;
        }
    }

    /// Makes [`find`](Self::find) give roots, until the next [`join`](Self::join).
    pub(crate) fn flatten(&mut self) {
        // Parents have smaller numbers, so they are flat already.
        for vertex in 0..self.parent.len() {
            let up = self.up(self.up(vertex as u32));
            if let Some(to) = self.parent.get_mut(vertex) {
                *to = up;
            }
        }
    }

    /// The root of the set of `vertex`, after [`flatten`](Self::flatten).
    pub(crate) fn find(&self, vertex: u32) -> u32 {
        self.up(vertex)
    }

    /// Makes [`find`](Self::find) also give the roots here of the roots in `inner`, for vertices that were only joined there. Both are flat; this
    /// one joins roots of `inner` only.
    pub(crate) fn extend(&mut self, inner: &Sets<'_>) {
        for vertex in 0..self.parent.len() {
            let up = self.up(inner.up(vertex as u32));
            if let Some(to) = self.parent.get_mut(vertex) {
                *to = up;
            }
        }
    }

    fn up(&self, vertex: u32) -> u32 {
        self.parent.get(vertex as usize).copied().filter(|up| *up != NONE).unwrap_or(vertex)
    }

    /// Gives the memory back.
    pub(crate) fn into_memory(self) -> &'s mut [u32] {
        self.parent
    }

    /// Number of sets.
    pub(crate) fn count(&self) -> u64 {
        self.count
    }
}
