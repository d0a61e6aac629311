//! The faces of one body in the cells of the other: one term for each that meet, in the order of faces, then cells.

use super::clip::{Batch, COLUMNS, CUTS};
use super::gather::Side;
use super::measure::{Corners, Cuts, Face, Reach, Waiting};
use super::reduce::Term;
use crate::narrow::ids;
use crate::pose::Transform;
use crate::simd::{Kernel, Simd};

/// Terms, written as long as there is room and counted always.
pub(super) struct List<'s> {
    pub terms: &'s mut [Term],
    pub count: usize,
}

impl List<'_> {
    /// Takes a place for a term that will be known later; until then it is one without area.
    fn reserve(&mut self, patches: u64, cell: u32) -> usize {
        if let Some(to) = self.terms.get_mut(self.count) {
            *to = Term::none(patches, cell);
        }
        self.count += 1;
        self.count - 1
    }
}

/// Faces in cells that are cut equally often and wait to be clipped together.
struct Queue {
    batch: Batch,
    waiting: [(Waiting, usize); COLUMNS],
    count: usize,
}

impl Queue {
    fn new() -> Self {
        Queue { batch: Batch::new(), waiting: [(Waiting::default(), 0); COLUMNS], count: 0 }
    }

    #[inline(always)]
    fn flush<S: Simd>(&mut self, simd: S, cuts: usize, list: &mut List<'_>) {
        self.batch.clip::<S::F64>(simd, cuts, self.count);
        for (column, (waiting, place)) in self.waiting.iter().enumerate().take(self.count) {
            if let Some(moments) = waiting.moments(&self.batch.integrals(column))
                && let Some(term) = list.terms.get_mut(*place)
            {
                term.put(waiting.halo, &moments);
            }
        }
        self.count = 0;
    }
}

/// The faces of one body in the cells of the other.
pub(super) struct Half<'h> {
    pub faces: &'h Side<'h>,
    pub cells: &'h Side<'h>,
    pub from: &'h Transform,
    pub to: &'h Transform,
    pub a_has_cells: bool,
    /// One over the scale of the cells' mesh.
    pub per_unit: f64,
    /// See [`Reach`]; in the units of the cells' mesh.
    pub floor: f64,
    /// Pairs of a face and a triangle that cells belong to, in order.
    pub near: &'h [u64],
}

/// Both halves, one after the other: where the second one's terms begin.
pub(super) struct Terms<'h, 's> {
    pub halves: [Half<'h>; 2],
    pub list: &'h mut List<'s>,
}

impl Kernel for Terms<'_, '_> {
    type Output = usize;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> usize {
        let Terms { halves, list } = self;
        let mut queues: [Queue; CUTS + 1] = core::array::from_fn(|_| Queue::new());
        let mut cuts = Cuts::new();
        let mut second = 0;
        for half in &halves {
            second = list.count;
            let (mut current, mut face) = (None, None);
            for pair in half.near {
                let (i, j) = ids(*pair);
                if current != Some(i) {
                    (current, face) = (Some(i), half.face(i));
                }
                let Some(face) = &face else { continue };
                let reach = Reach { halo: half.halo(i, j), floor: half.floor };
                for c in half.cells.cells.of(j as usize) {
                    let Some(cell) = half.cells.cells.cell.get(c) else { continue };
                    let sides = half.cells.cells.sides(cell);
                    let Some(waiting) = cuts.prepare::<S::F64>(simd, face, cell, sides, reach) else { continue };
                    let place = list.reserve(half.patches(i, cell.patch), c as u32);
                    let Some(queue) = queues.get_mut(cuts.number()) else { continue };
                    let column = queue.count & (COLUMNS - 1);
                    cuts.put(&mut queue.batch, column);
                    queue.waiting[column] = (waiting, place);
                    queue.count = column + 1;
                    if queue.count == COLUMNS {
                        queue.flush(simd, cuts.number(), list);
                    }
                }
            }
        }
        for (cuts, queue) in queues.iter_mut().enumerate() {
            queue.flush(simd, cuts, list);
        }
        second
    }
}

impl Half<'_> {
    /// Sum of the halos of a face and a triangle that cells belong to, in the units of the cells' mesh.
    #[inline(always)]
    fn halo(&self, face: u32, of_cells: u32) -> f64 {
        let sum = self.faces.operand.halo(face as usize) + self.cells.operand.halo(of_cells as usize);
        sum * self.per_unit
    }

    /// A face in the frame and the units of the cells; `None` where it has no area or is a copy.
    fn face(&self, i: u32) -> Option<Corners> {
        let prism = self.faces.cells.prism(i as usize)?;
        let (from, to) = (self.from, self.to);
        let apart = [0, 1, 2].map(|k| from.translation[k] - to.translation[k]);
        let scale = self.faces.operand.scale;
        let carried = |x: [f64; 3]| {
            let turned = from.rotate(x);
            to.rotate_back([0, 1, 2].map(|k| (turned[k] * scale + apart[k]) * self.per_unit))
        };
        let corners = self.faces.operand.mesh.triangle(i as usize).map(carried);
        Some(Corners::new(&Face { corners, normal: to.rotate_back(from.rotate(prism.normal)) }))
    }

    /// The patches of a face and a cell, A's in the upper half.
    fn patches(&self, face: u32, of_cell: u32) -> u64 {
        let of_face = self.faces.cells.patch.get(face as usize).copied().unwrap_or(face);
        let [a, b] = if self.a_has_cells { [of_cell, of_face] } else { [of_face, of_cell] };
        u64::from(a) << 32 | u64::from(b)
    }
}
