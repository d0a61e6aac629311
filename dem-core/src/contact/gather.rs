//! Contacts of two meshes: near triangle pairs, the terms of their faces and cells, and the reduction.

use super::cells::{CellsRef, SIDES};
use super::clip::{Batch, COLUMNS, Clip};
use super::measure::{Face, Prepared, prepare};
use super::reduce::{Common, Contact, Place, Term, reduce, share, sort};
use crate::error::{Error, Kind, Result, What};
use crate::memory::{Carve, Layout, Plan};
use crate::narrow::{Operand, TrianglePair, pairs, pairs_scratch};
use crate::pose::Transform;
use crate::simd::{Isa, dispatch};

/// One side of a query: a shape, where it is, and its cells.
#[derive(Clone, Copy)]
pub struct Side<'a> {
    /// Mesh, tree and pose.
    pub operand: Operand<'a>,
    /// The cells of the mesh.
    pub cells: CellsRef<'a>,
}

/// How much scratch has room for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    /// Triangle pairs within the halos.
    pub pairs: usize,
    /// Faces in cells; about three for each of these pairs.
    pub terms: usize,
}

/// What was found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// Contacts.
    pub contacts: usize,
    /// Triangle pairs within the halos.
    pub pairs: usize,
    /// Those of them that touch or cross each other. Where there are any, the parts of a surface that are below the other one
    /// are in no contact.
    pub crossing: usize,
}

/// Scratch for [`contacts`] with this room.
///
/// Errors: [`Kind::TooLarge`].
pub fn contacts_scratch(a: &Side<'_>, b: &Side<'_>, room: Room) -> Result<Layout> {
    let narrow = pairs_scratch(&a.operand, &b.operand, room.pairs)?;
    let mut plan = Plan::new();
    plan.add::<TrianglePair>(room.pairs as u64).add::<Term>(room.terms as u64).part(narrow).layout(What::Scratch)
}

/// Writes the contacts of two surfaces, ordered by [`Contact::key`], and tells how many there are. `tag` becomes the first
/// half of every key.
///
/// A contact is the pressure `1 - gap / halo`, over all faces of one body in all cells of the other and the other way round,
/// half of each, added up over one patch of A and one of B (`docs/contacts.md`). Its moments are continuous in the poses as long as no
/// surface goes through the other, and do not depend on how flat parts are cut into triangles. Exchanging A and B exchanges the
/// patches and negates normals and couples, bit for bit; the instruction set changes nothing.
///
/// `scratch` is [`contacts_scratch`] with the same room.
///
/// Errors: those of [`pairs`]; [`Kind::Mismatch`] where cells are of another mesh; [`Kind::Capacity`] with the exact number for
/// [`What::Pairs`], [`What::Terms`] or [`What::Output`], in the order in which they are met (`out` then holds nothing of use).
/// Cost: that of [`pairs`], and some tens of nanoseconds for each pair found.
pub fn contacts(
    isa: Isa,
    a: &Side<'_>,
    b: &Side<'_>,
    tag: u64,
    room: Room,
    out: &mut [Contact],
    scratch: &mut [u8],
) -> Result<Found> {
    for (side, what) in [(a, What::CellsA), (b, What::CellsB)] {
        if side.cells.sizes.triangles as usize != side.operand.mesh.len() {
            return Err(Error::new(Kind::Mismatch, what));
        }
    }
    let mut carve = Carve::new(scratch, contacts_scratch(a, b, room)?, What::Scratch)?;
    let near = carve.take::<TrianglePair>(room.pairs as u64)?;
    let terms = carve.take::<Term>(room.terms as u64)?;
    let rest = carve.part(pairs_scratch(&a.operand, &b.operand, room.pairs)?)?;
    let number = pairs(isa, &a.operand, &b.operand, 0.0, near, rest).map_err(|e| match (e.kind, e.what) {
        (Kind::Capacity, What::Output) => Error { what: What::Pairs, ..e },
        _ => e,
    })?;
    let near = near.get(..number).unwrap_or_default();
    let crossing = near.iter().filter(|pair| pair.distance == 0.0).count();
    let frames = Frames::new(a, b)?;

    let mut list = List { terms, count: 0 };
    let faces_of_a = Half { isa, faces: a, cells: b, from: &frames.a, to: &frames.b, a_has_cells: false };
    faces_of_a.terms(near.iter().map(|pair| (pair.a, pair.b)), &mut list);
    let split = list.count;
    let faces_of_b = Half { isa, faces: b, cells: a, from: &frames.b, to: &frames.a, a_has_cells: true };
    faces_of_b.terms(near.iter().map(|pair| (pair.b, pair.a)), &mut list);
    let List { terms, count } = list;
    if count > terms.len() {
        return Err(Error::capacity(What::Terms, count as u64, terms.len() as u64));
    }
    let (first, second) = terms.get_mut(..count).unwrap_or_default().split_at_mut(split);
    sort(first);
    sort(second);
    let capacity = out.len();
    let number = reduce(&frames.common(a, b, tag), frames.places(a, b), [first, second], |i, contact| {
        if let Some(to) = out.get_mut(i) {
            *to = contact;
        }
    });
    match out.get_mut(..number) {
        Some(all) => share(all),
        None => return Err(Error::capacity(What::Output, number as u64, capacity as u64)),
    }
    Ok(Found { contacts: number, pairs: near.len(), crossing })
}

/// Terms, written as long as there is room and counted always.
struct List<'s> {
    terms: &'s mut [Term],
    count: usize,
}

impl List<'_> {
    fn push(&mut self, term: Term) {
        if let Some(to) = self.terms.get_mut(self.count) {
            *to = term;
        }
        self.count += 1;
    }
}

/// Both poses.
struct Frames {
    a: Transform,
    b: Transform,
}

impl Frames {
    fn new(a: &Side<'_>, b: &Side<'_>) -> Result<Self> {
        Ok(Frames { a: a.operand.pose.transform(What::PoseA)?, b: b.operand.pose.transform(What::PoseB)? })
    }

    fn places<'t>(&self, a: &Side<'t>, b: &Side<'t>) -> [Place<'t>; 2] {
        let (pa, pb) = (self.a.translation, self.b.translation);
        let half = [0, 1, 2].map(|k| 0.5 * pa[k] - 0.5 * pb[k]);
        [
            Place { cells: b.cells, turn: self.b, half: half.map(|x| -x), sign: 1.0 },
            Place { cells: a.cells, turn: self.a, half, sign: -1.0 },
        ]
    }

    fn common(&self, a: &Side<'_>, b: &Side<'_>, tag: u64) -> Common {
        let (pa, pb) = (self.a.translation, self.b.translation);
        let (ma, mb) = (a.operand.mesh, b.operand.mesh);
        let same = ma.halos.is_empty() && mb.halos.is_empty();
        Common {
            tag,
            middle: [0, 1, 2].map(|k| 0.5 * pa[k] + 0.5 * pb[k]),
            halo: same.then(|| ma.largest_halo() + mb.largest_halo()),
        }
    }
}

/// Faces in cells with the same number of sides that wait to be clipped together.
struct Queue {
    batch: Batch,
    waiting: [Option<(Prepared, u64, u32, u32)>; COLUMNS],
    count: usize,
}

impl Queue {
    const fn new() -> Self {
        Queue { batch: Batch::new(), waiting: [const { None }; COLUMNS], count: 0 }
    }

    fn flush(&mut self, isa: Isa, sides: usize, list: &mut List<'_>) {
        dispatch(isa, Clip { batch: &mut self.batch, sides, count: self.count });
        for (column, waiting) in self.waiting.iter().enumerate().take(self.count) {
            let Some((prepared, patches, face, cell)) = waiting else { continue };
            if let Some(moments) = prepared.moments(&self.batch.integrals(column)) {
                list.push(Term::new(*patches, *face, *cell, prepared.halo, &moments));
            }
        }
        self.count = 0;
    }
}

/// Faces that are kept in the frame of the cells.
const CARRIED: usize = 32;

/// The faces of one body in the cells of the other.
struct Half<'h> {
    isa: Isa,
    faces: &'h Side<'h>,
    cells: &'h Side<'h>,
    from: &'h Transform,
    to: &'h Transform,
    a_has_cells: bool,
}

impl Half<'_> {
    /// All terms, for pairs of a face and a triangle that cells belong to; in an order of no meaning.
    fn terms(&self, near: impl Iterator<Item = (u32, u32)>, list: &mut List<'_>) {
        let mut queues = [const { Queue::new() }; SIDES - 2];
        let mut carried = [const { (None, None) }; CARRIED];
        for (i, j) in near {
            // A face comes in several pairs, one after another or nearly so.
            let (current, face) = &mut carried[i as usize % CARRIED];
            if *current != Some(i) {
                (*current, *face) = (Some(i), self.face(i));
            }
            let Some(face) = face else { continue };
            let halo = self.faces.operand.mesh.halo(i as usize) + self.cells.operand.mesh.halo(j as usize);
            for c in self.cells.cells.of(j as usize) {
                let Some(cell) = self.cells.cells.cell.get(c) else { continue };
                let sides = self.cells.cells.sides(cell);
                let Some(queue) = sides.len().checked_sub(3).and_then(|k| queues.get_mut(k)) else { continue };
                if let Some(prepared) = prepare(face, cell, sides, halo, &mut queue.batch, queue.count) {
                    queue.waiting[queue.count] = Some((prepared, self.patches(i, cell.patch), i, c as u32));
                    queue.count += 1;
                    if queue.count == COLUMNS {
                        queue.flush(self.isa, sides.len(), list);
                    }
                }
            }
        }
        queues.iter_mut().enumerate().for_each(|(k, queue)| queue.flush(self.isa, k + 3, list));
    }

    /// A face in the frame of the cells; `None` where it has no area or is a copy.
    fn face(&self, i: u32) -> Option<Face> {
        let prism = self.faces.cells.prism(i as usize)?;
        let (from, to) = (self.from, self.to);
        let apart = [0, 1, 2].map(|k| from.translation[k] - to.translation[k]);
        let carried = |x: [f64; 3]| {
            let turned = from.rotate(x);
            to.rotate_back([0, 1, 2].map(|k| turned[k] + apart[k]))
        };
        let corners = self.faces.operand.mesh.triangle(i as usize).map(carried);
        Some(Face { corners, normal: to.rotate_back(from.rotate(prism.normal)) })
    }

    /// The patches of a face and a cell, A's in the upper half.
    fn patches(&self, face: u32, of_cell: u32) -> u64 {
        let of_face = self.faces.cells.patch.get(face as usize).copied().unwrap_or(face);
        let [a, b] = if self.a_has_cells { [of_cell, of_face] } else { [of_face, of_cell] };
        u64::from(a) << 32 | u64::from(b)
    }
}
