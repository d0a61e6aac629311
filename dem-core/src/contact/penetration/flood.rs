//! Vertices inside of the other body: from the crossings along edges that nothing crosses.

use zerocopy::{FromBytes, Immutable, IntoBytes};

use super::fan::walk;
use crate::mesh::{MeshRef, NONE, Sets};

/// A vertex inside, and a triangle that has it.
#[derive(Clone, Copy, Debug, Default, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub(super) struct Inside {
    pub vertex: u32,
    pub triangle: u32,
}

/// What is known of one mesh.
pub(super) struct Flood<'s, 'm> {
    mesh: MeshRef<'m>,
    /// A bit for each edge of each triangle that goes in or out.
    crossed: &'s mut [u8],
    /// For each welded vertex the loop at the border of what it is in; [`NONE`] outside.
    label: &'s mut [u32],
    queue: &'s mut [Inside],
    count: usize,
}

impl<'s, 'm> Flood<'s, 'm> {
    /// Nothing is known. The arrays have an item a triangle, a vertex, a vertex.
    pub fn new(mesh: MeshRef<'m>, crossed: &'s mut [u8], label: &'s mut [u32], queue: &'s mut [Inside]) -> Self {
        crossed.fill(0);
        label.fill(NONE);
        Flood { mesh, crossed, label, queue, count: 0 }
    }

    /// An edge of a triangle goes in or out.
    pub fn cross(&mut self, triangle: u32, edge: usize) {
        if let Some(to) = self.crossed.get_mut(triangle as usize) {
            *to |= 1 << edge;
        }
    }

    /// Whether an edge of a triangle goes in or out.
    pub fn has_crossed(&self, triangle: u32) -> bool {
        self.crossed.get(triangle as usize).is_some_and(|bits| *bits != 0)
    }

    /// A vertex is inside, together with what is at this loop.
    pub fn seed(&mut self, vertex: u32, triangle: u32, at: u32, links: &mut Sets<'_>) {
        match self.label.get_mut(vertex as usize) {
            Some(label) if *label == NONE => {
                *label = at;
                if let Some(to) = self.queue.get_mut(self.count) {
                    *to = Inside { vertex, triangle };
                    self.count += 1;
                }
            }
            Some(label) => links.join([*label, at]),
            None => (),
        }
    }

    /// Reaches all vertices from those that are known, and shows each triangle at each of its corners inside: the triangle, the corner,
    /// the loop.
    pub fn spread(&mut self, links: &mut Sets<'_>, mut visit: impl FnMut(u32, usize, u32)) {
        let mut done = 0;
        // No corner is visited twice where the mesh is sound; where it is not, that is an end.
        let mut budget = 8 * self.mesh.len() + 64;
        while done < self.count && budget > 0 {
            let Some(Inside { vertex, triangle }) = self.queue.get(done).copied() else { break };
            done += 1;
            let Some(corner) = self.mesh.welded(triangle as usize).iter().position(|v| *v == vertex) else { continue };
            let at = self.label.get(vertex as usize).copied().unwrap_or(NONE);
            let mesh = self.mesh;
            walk(&mesh, triangle, corner, |t, c, _| {
                visit(t, c, at);
                for (edge, to) in [(c, (c + 1) % 3), ((c + 2) % 3, (c + 2) % 3)] {
                    if self.crossed.get(t as usize).is_some_and(|bits| bits & 1 << edge == 0) {
                        self.seed(mesh.welded(t as usize)[to], t, at, links);
                    }
                }
                budget = budget.saturating_sub(1);
                budget > 0
            });
        }
    }

    /// How many vertices are inside.
    pub fn count(&self) -> usize {
        self.count
    }

    /// One of them, with its loop.
    pub fn inside(&self, k: usize) -> Option<(Inside, u32)> {
        let v = self.queue.get(..self.count)?.get(k)?;
        Some((*v, self.label.get(v.vertex as usize).copied()?))
    }
}
