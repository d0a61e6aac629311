//! Vertices inside the other body, found by a flood from the crossings along edges without crossings.
//!
//! The state belongs to corners of triangles: parts of a mesh that share only a vertex are not connected there, and each part has its own fan
//! around the vertex.

use zerocopy::{FromBytes, IntoBytes};

use crate::contact::cells::walk::walk;
use crate::error::{Error, Kind, Result, What};
use crate::memory::sections;
use crate::mesh::{MeshRef, Sets};

/// Bits of each triangle: three for its edges that cross the other surface, three for its corners inside, three for the visited ones of these
/// corners, and three for its corners outside.
type Marks = u16;
const INSIDE: usize = 3;
const VISITED: usize = 6;
const OUTSIDE: usize = 9;

/// The state of the flood in one mesh.
pub(super) struct Flood<'s, 'm> {
    mesh: MeshRef<'m>,
    marks: &'s mut [Marks],
    /// For each corner inside: the loop at the border of the surface piece that contains it.
    label: &'s mut [[u32; 3]],
    /// Corners by number: first one for each visited fan, then the corners to visit.
    queue: &'s mut [u32],
    count: usize,
    /// Number of corners in the queue that stand for visited fans.
    fans: usize,
    /// Number of these that were reached from crossings: those of the first spread.
    reached: Option<usize>,
}

sections! {
    /// Memory of a [`Flood`]; none if there is no room for segments.
    pub(super) struct FloodMemory<'s>(mesh: &MeshRef<'_>, segments: usize; n = triangles(mesh, segments)?) {
        marks: [Marks; n],
        label: [[u32; 3]; n],
        queue: [u32; 3 * n],
    }
}

/// Errors: [`Kind::TooLarge`] if the corners of the triangles do not have 32-bit numbers.
pub(super) fn triangles(mesh: &MeshRef<'_>, segments: usize) -> Result<u64> {
    let (n, most) = (mesh.sizes.triangles, u32::MAX / 3);
    match segments {
        0 => Ok(0),
        _ if n > most => Err(Error::new(Kind::TooLarge, What::Triangles).amounts(u64::from(most), u64::from(n))),
        _ => Ok(u64::from(n)),
    }
}

impl<'s, 'm> Flood<'s, 'm> {
    /// A flood without any known corner.
    pub fn new(mesh: MeshRef<'m>, memory: FloodMemory<'s>) -> Self {
        let FloodMemory { marks, label, queue, .. } = memory;
        marks.fill(0);
        Flood { mesh, marks, label, queue, count: 0, fans: 0, reached: None }
    }

    /// Marks an edge of a triangle that crosses the other surface.
    pub fn cross(&mut self, triangle: u32, edge: usize) {
        self.mark(triangle, edge);
    }

    /// Marks a vertex of a triangle as outside.
    pub fn exclude(&mut self, vertex: u32, triangle: u32) {
        if let Some(corner) = self.mesh.welded(triangle as usize).iter().position(|v| *v == vertex) {
            self.mark(triangle, OUTSIDE + corner);
        }
    }

    /// Whether some edge of a triangle crosses the other surface.
    pub fn has_crossed(&self, triangle: u32) -> bool {
        (0..3).any(|edge| self.has(triangle, edge))
    }

    /// Whether an edge of a triangle crosses the other surface.
    pub fn is_crossed(&self, triangle: u32, edge: usize) -> bool {
        self.has(triangle, edge)
    }

    /// Whether a corner of a triangle is known to be inside.
    pub fn is_inside(&self, triangle: u32, corner: usize) -> bool {
        self.has(triangle, INSIDE + corner)
    }

    /// The loop at the border of the surface piece that contains a corner of a triangle; none if the corner is not known to be inside.
    pub fn loop_around(&self, triangle: u32, corner: usize) -> Option<u32> {
        let label = self.label.get(triangle as usize).and_then(|label| label.get(corner)).copied();
        label.filter(|_| self.is_inside(triangle, corner))
    }

    fn has(&self, triangle: u32, bit: usize) -> bool {
        self.marks.get(triangle as usize).is_some_and(|marks| marks & 1 << bit != 0)
    }

    /// Sets a bit, and returns whether it was set before.
    fn mark(&mut self, triangle: u32, bit: usize) -> bool {
        let Some(marks) = self.marks.get_mut(triangle as usize) else { return true };
        let had = *marks & 1 << bit != 0;
        *marks |= 1 << bit;
        had
    }

    /// Marks a vertex of a triangle as inside, in the surface piece at this loop, and queues it.
    pub fn seed(&mut self, vertex: u32, triangle: u32, at: u32, links: &mut Sets<'_>) {
        let Some(corner) = self.mesh.welded(triangle as usize).iter().position(|v| *v == vertex) else { return };
        // No corner is in the queue twice, so the queue has room for all.
        if self.learn(triangle, corner, at, links)
            && let Some(to) = self.queue.get_mut(self.count)
        {
            *to = 3 * triangle + corner as u32;
            self.count += 1;
        }
    }

    /// Marks a corner as inside, in the surface piece at this loop. Returns whether that is new.
    fn learn(&mut self, triangle: u32, corner: usize, at: u32, links: &mut Sets<'_>) -> bool {
        let known = self.mark(triangle, INSIDE + corner);
        match self.label.get_mut(triangle as usize).and_then(|label| label.get_mut(corner)) {
            Some(label) if known => links.join([*label, at]),
            Some(label) => *label = at,
            None => return false,
        }
        !known
    }

    /// Floods all vertices reachable from the corners in the queue. Calls `visit` for each triangle at each of its corners inside, with the
    /// triangle, the corner, the loop, and whether another crossing says that this corner is outside.
    pub fn spread(&mut self, links: &mut Sets<'_>, mut visit: impl FnMut(u32, usize, u32, bool)) {
        let (mut done, mut fans) = (self.fans, self.fans);
        while let Some((triangle, corner, at)) = self.inside(done) {
            done += 1;
            if self.has(triangle, VISITED + corner) {
                continue;
            }
            if let Some(to) = self.queue.get_mut(fans) {
                *to = 3 * triangle + corner as u32;
                fans += 1;
            }
            let mesh = self.mesh;
            walk(&mesh, triangle, corner, |t, c, _| {
                // In a sound mesh no walk reaches a corner of another fan; in others that ends the walk.
                if self.mark(t, VISITED + c) {
                    return false;
                }
                self.learn(t, c, at, links);
                visit(t, c, at, self.has(t, OUTSIDE + c));
                for (edge, to) in [(c, (c + 1) % 3), ((c + 2) % 3, (c + 2) % 3)] {
                    if !self.has(t, edge) {
                        self.seed(mesh.welded(t as usize)[to], t, at, links);
                    }
                }
                true
            });
        }
        (self.count, self.fans) = (fans, fans);
        self.reached.get_or_insert(fans);
    }

    /// The unused memory once everything is reached. Nothing can be flooded afterwards.
    pub fn take_rest(&mut self) -> &'s mut [[u32; 2]] {
        let (own, rest) = core::mem::take(&mut self.queue).split_at_mut(self.count);
        self.queue = own;
        let even = rest.len() / 2 * 2;
        let rest = rest.get_mut(..even).unwrap_or_default();
        <[[u32; 2]]>::mut_from_bytes(rest.as_mut_bytes()).unwrap_or_default()
    }

    /// The number of corners inside; once everything is reached, of fans.
    pub fn corners(&self) -> usize {
        self.count
    }

    /// As [`inside`](Self::inside), but only for corners reached from crossings.
    pub fn reached(&self, k: usize) -> Option<(u32, usize, u32)> {
        self.inside(k).filter(|_| self.reached.is_none_or(|reached| k < reached))
    }

    /// A corner inside, with its loop; once everything is reached, one corner of each fan. None beyond the last one.
    pub fn inside(&self, k: usize) -> Option<(u32, usize, u32)> {
        let at = *self.queue.get(..self.count)?.get(k)?;
        let (triangle, corner) = (at / 3, at as usize % 3);
        Some((triangle, corner, *self.label.get(triangle as usize)?.get(corner)?))
    }
}
