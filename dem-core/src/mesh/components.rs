//! Connected components: whether they are closed, which of their triangles are reversed, whether they look inward or outward.

use super::block::{MeshRef, NONE};
use super::edges::{Side, repeats};
use super::moments::{Frame, Moments};
use super::report::{Component, Defect, is_copy, set};
use super::weld::Record;

/// Memory of the search.
pub(super) struct Search<'s> {
    /// Flags of defects. Copies are marked already; the search marks [`Defect::ReversedTriangle`].
    pub flags: &'s mut [u32],
    /// The component of each triangle; all [`NONE`] at the start.
    pub component: &'s mut [u32],
    pub queue: &'s mut [u32],
}

/// Finds the components, ordered by their first triangle, and gives their number. `sides` are sorted by edge; within edges of many triangles their
/// order changes.
pub(super) fn find(
    mesh: MeshRef<'_>,
    frame: Frame,
    sides: &mut [Record],
    mut search: Search<'_>,
    components: &mut [Component],
) -> usize {
    let mut count = 0;
    for first in 0..mesh.len() as u32 {
        if !search.is_new(mesh, first) {
            continue;
        }
        if let Some(to) = components.get_mut(count) {
            *to = search.reach(mesh, first, count as u32);
            search.turn_majority(to);
            search.measure(mesh, frame, to);
            count += 1;
        }
    }
    for group in sides.chunk_by_mut(|a, b| a[0] == b[0]) {
        search.open_unbalanced(group, components);
    }
    for c in components.iter_mut().take(count) {
        if c.is(Component::CLOSED) && c.is(Component::ORIENTABLE) && c.volume < 0.0 {
            c.state |= Component::INWARD;
        }
    }
    count
}

impl Search<'_> {
    fn is_new(&self, mesh: MeshRef<'_>, triangle: u32) -> bool {
        let new = self.component.get(triangle as usize).is_some_and(|c| *c == NONE);
        new && !is_copy(self.flags, triangle) && !repeats(mesh.welded(triangle as usize))
    }

    fn is_reversed(&self, triangle: u32) -> bool {
        self.flags.get(triangle as usize).is_some_and(|f| f >> Defect::ReversedTriangle.bit() & 1 != 0)
    }

    fn component(&self, triangle: u32) -> u32 {
        self.component.get(triangle as usize).copied().unwrap_or(NONE)
    }

    /// Adds a triangle to the queue. Gives whether there is such a triangle.
    fn enqueue(&mut self, triangle: u32, number: u32, written: &mut usize) -> bool {
        if let (Some(c), Some(to)) = (self.component.get_mut(triangle as usize), self.queue.get_mut(*written)) {
            (*c, *to) = (number, triangle);
            *written += 1;
            return true;
        }
        false
    }

    /// Puts all triangles that can be reached from `first` into the queue. Triangles oriented against it are marked as reversed.
    fn reach(&mut self, mesh: MeshRef<'_>, first: u32, number: u32) -> Component {
        let mut state = Component::ORIENTABLE | Component::CLOSED;
        let (mut read, mut written, mut reversed) = (0, 0, 0);
        self.enqueue(first, number, &mut written);
        while read < written {
            let triangle = self.queue.get(read).copied().unwrap_or(first);
            read += 1;
            let neighbours = mesh.neighbour.get(triangle as usize).copied().unwrap_or([NONE; 3]);
            for (side, next) in neighbours.into_iter().enumerate().filter(|(_, next)| *next != NONE) {
                let turned = self.is_reversed(triangle) != same_way(mesh, triangle, side, next);
                if self.component(next) == NONE {
                    if self.enqueue(next, number, &mut written) && turned {
                        set(self.flags, next, Defect::ReversedTriangle, 0);
                        reversed += 1;
                    }
                } else if self.is_reversed(next) != turned {
                    state &= !Component::ORIENTABLE;
                }
            }
        }
        Component { first, triangles: written as u32, reversed, state, ..Component::default() }
    }

    /// The triangles of the last component.
    fn members(&self, of: &Component) -> impl Iterator<Item = u32> + use<'_> {
        self.queue.iter().copied().take(of.triangles as usize)
    }

    /// Exchanges marks if most triangles are marked as reversed, so that the minority is. Removes all marks if the component is not orientable.
    fn turn_majority(&mut self, of: &mut Component) {
        let orientable = of.is(Component::ORIENTABLE);
        if orientable && of.reversed <= of.triangles / 2 {
            return;
        }
        let bit = 1 << Defect::ReversedTriangle.bit();
        for triangle in self.queue.iter().take(of.triangles as usize) {
            if let Some(flags) = self.flags.get_mut(*triangle as usize) {
                *flags = if orientable { *flags ^ bit } else { *flags & !bit };
            }
        }
        of.reversed = if orientable { of.triangles - of.reversed } else { 0 };
    }

    fn measure(&self, mesh: MeshRef<'_>, frame: Frame, of: &mut Component) {
        let mut moments = Moments::default();
        for triangle in self.members(of) {
            let corners = frame.triangle(mesh, triangle as usize);
            moments.add(if self.is_reversed(triangle) { -1.0 } else { 1.0 }, corners);
            moments.add_area(corners);
        }
        let unit = 1.0 / frame.scale;
        of.area = moments.area() * unit * unit;
        if of.is(Component::ORIENTABLE) && !moments.is_flat() {
            of.volume = moments.volume() * unit * unit * unit;
        }
    }

    /// Marks components as open if this edge has more of their triangles in one direction than in the other.
    fn open_unbalanced(&self, group: &mut [Record], components: &mut [Component]) {
        let component = |record: &Record| self.component(Side::unpack(*record).triangle);
        if group.len() > 2 {
            group.sort_unstable_by_key(|record| (component(record), record[1]));
        }
        for part in group.chunk_by(|a, b| component(a) == component(b)) {
            let sides = part.iter().map(|record| Side::unpack(*record));
            let forward = sides.filter(|side| side.backward == self.is_reversed(side.triangle)).count();
            if let Some(c) = components.get_mut(component(&part[0]) as usize) {
                // Without an orientation there are no directions, only the number of triangles.
                let closed = if c.is(Component::ORIENTABLE) { 2 * forward == part.len() } else { part.len() % 2 == 0 };
                c.state &= if closed { u32::MAX } else { !Component::CLOSED };
            }
        }
    }
}

/// Whether a neighbour has the common edge in the same direction.
fn same_way(mesh: MeshRef<'_>, triangle: u32, side: usize, next: u32) -> bool {
    let (a, b) = (mesh.welded(triangle as usize), mesh.welded(next as usize));
    let (from, to) = (a[side % 3], a[(side + 1) % 3]);
    (0..3).any(|l| b[l] == from && b[(l + 1) % 3] == to)
}
