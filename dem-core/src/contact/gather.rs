//! Contacts of two meshes: near triangle pairs, the terms of their faces and cells, and the reduction.

use zerocopy::FromZeros;

use super::cells::CellsRef;
use super::penetration::{FLOOR, REACH, contained, contained_scratch, penetration, penetration_scratch};
use super::reduce::{Contact, Place, Reduce, Sorted, share};
use super::terms::{Half, List, Term, Terms, Work};
use super::totals::{Common, Seen};
use super::turned::{self, Turn, Turned, with_place};
use crate::error::{Error, Kind, Result, What};
use crate::memory::{Carve, Layout, Plan};
use crate::mesh::LIMIT;
use crate::narrow::{Frame, NearPairs, Operand, ids, near_pairs, near_pairs_room, near_pairs_scratch, sort};
use crate::pose::Transform;
use crate::real::min;
use crate::simd::{Isa, dispatch};

/// One side of a query: a shape, where it is, and its cells.
#[derive(Clone, Copy)]
pub struct Side<'a> {
    /// Mesh, tree and pose.
    pub operand: Operand<'a>,
    /// The cells of the mesh.
    pub cells: CellsRef<'a>,
    /// Whether what the mesh encloses belongs to the body, so that what is inside as a whole has to come out. It should be
    /// closed and look outward.
    pub solid: bool,
}

/// How much scratch has room for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    /// Triangle pairs within the halos.
    pub pairs: usize,
    /// Sums over faces in cells: one or two for each of these pairs, less where parts are flat.
    pub terms: usize,
    /// Pairs that cross, each in a segment of the curve of intersection; no more than pairs. With 0 nothing is set aside for
    /// penetration.
    pub segments: usize,
}

/// What was found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// Contacts.
    pub contacts: usize,
    /// Triangle pairs that touch or cross each other.
    pub crossing: usize,
}

/// Scratch for [`contacts`] with this room.
///
/// Errors: [`Kind::TooLarge`].
pub fn contacts_scratch(a: &Side<'_>, b: &Side<'_>, room: Room) -> Result<Layout> {
    let narrow = near_pairs_scratch(&a.operand, &b.operand, room.pairs)?;
    // Terms are numbered.
    if room.terms > LIMIT as usize {
        return Err(Error::new(Kind::TooLarge, What::Terms).amounts(u64::from(LIMIT), room.terms as u64));
    }
    let mut plan = Plan::new();
    plan.add::<Work>(1).add::<Turned>(turned_size(a, b, room.pairs));
    let terms = room.terms as u64;
    plan.add::<Term>(terms).add::<Place>(terms).add::<Place>(terms).part(narrow);
    plan.part(penetration_scratch(a, b, room.segments)?).part(contained_scratch(a, b)?).layout(What::Scratch)
}

/// Writes the contacts of two surfaces, ordered by [`Contact::key`], and tells how many there are. `tag` becomes the first
/// half of every key.
///
/// A contact is the pressure `1 - gap / halo`, over all faces of one body in all cells of the other and the other way round,
/// half of each, added up over one patch of A and one of B; where surfaces go through each other, what every loop of their
/// curve of intersection encloses is added with a negative gap (`docs/contacts.md`). Moments are continuous in the poses, but
/// for what is told there, and do not depend on how flat parts are cut into triangles. Exchanging A and B exchanges the patches
/// and negates normals and couples, bit for bit (but for the last digits of shares, and bodies that penetrate and are the same in every number); the
/// instruction set changes nothing.
///
/// `scratch` is [`contacts_scratch`] with the same room.
///
/// Errors: those of [`pairs`](crate::narrow::pairs); [`Kind::Mismatch`] where cells are of another mesh; [`Kind::Capacity`] with the exact number for
/// [`What::Pairs`], [`What::Terms`], [`What::Segments`] or [`What::Output`], in the order in which they are met (`out` then
/// holds nothing of use).
/// Cost: that of finding the pairs, and 60 to 140 ns for each (measured with AVX-512, on flat and on curved parts); one or two
/// microseconds for each that crosses, and two passes over all triangles inside. Where a solid may hold the other body as a whole: some point searches, the winding
/// number of a point over all triangles where these are in doubt, and the smallest distance.
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
    let [work, ..] = carve.take::<Work>(1)? else { return Err(Error::new(Kind::Capacity, What::Scratch)) };
    let turned = carve.take::<Turned>(turned_size(a, b, room.pairs))?;
    let count = room.terms as u64;
    let (terms, places, spare) = (carve.take::<Term>(count)?, carve.take(count)?, carve.take(count)?);
    let rest = carve.part(near_pairs_scratch(&a.operand, &b.operand, room.pairs)?)?;
    let mut near = near_pairs(isa, &a.operand, &b.operand, REACH, room.pairs, rest)?;
    let (touching, crossing) = (near.touching, near.crossing);
    let frames = Frames::new(a, b)?;
    let mut list = List::new(terms);
    let split = Workshop { work, turned }.terms(isa, [a, b], &frames, &mut near, &mut list)?;
    let table = near.table;
    let List { terms, count, .. } = list;
    if count > terms.len() {
        return Err(Error::capacity(What::Terms, count as u64, terms.len() as u64));
    }
    let close = touching.iter().map(|pair| ids(*pair));
    let deep = penetration(a, b, close, room.segments, carve.part(penetration_scratch(a, b, room.segments)?)?)?;
    let inside = carve.part(contained_scratch(a, b)?)?;
    let whole = if deep.is_empty() { contained(isa, a, b, !touching.is_empty(), inside)? } else { None };
    let deep = if deep.is_empty() { whole.as_slice() } else { deep };
    let sorted = Sorted::new(terms.get(..count).unwrap_or_default(), split, [places, spare], table);
    let capacity = out.len();
    let put = |i, contact| {
        if let Some(to) = out.get_mut(i) {
            *to = contact;
        }
    };
    let number = dispatch(isa, Reduce { common: frames.common(a, b, tag), seen: frames.seen(a, b), sorted, deep, put });
    match out.get_mut(..number) {
        Some(all) => share(all),
        None => return Err(Error::capacity(What::Output, number as u64, capacity as u64)),
    }
    Ok(Found { contacts: number, crossing })
}

/// What the terms of both halves are made in.
struct Workshop<'s> {
    work: &'s mut Work,
    turned: &'s mut [Turned],
}

/// Of one body, at most: there is a pair for each.
fn turned_size(a: &Side<'_>, b: &Side<'_>, room: usize) -> u64 {
    min(near_pairs_room(room), a.operand.mesh.len().max(b.operand.mesh.len()) as u64)
}

impl Workshop<'_> {
    /// The terms of both halves, and where the second one's, in the cells of B, begin.
    fn terms(
        &mut self,
        isa: Isa,
        [a, b]: [&Side<'_>; 2],
        frames: &Frames,
        near: &mut NearPairs<'_>,
        list: &mut List<'_>,
    ) -> Result<usize> {
        let NearPairs { candidates: by_a, by_b, spare, table, .. } = near;
        if by_a.is_empty() {
            return Ok(0);
        }
        // Lanes that nobody waits in are computed, too, and should not be with what happens to be in memory.
        self.work.zero();
        let frame = Frame::new(&a.operand, &b.operand)?;
        let [per_a, per_b] = frame.scales.map(|scale| 1.0 / scale);
        let floor = FLOOR / frame.scale;
        // B's triangles in order, each with the place of its pair.
        for (place, (to, pair)) in by_b.iter_mut().zip(by_a.iter()).enumerate() {
            *to = with_place(pair << 32, place as u32);
        }
        sort(by_b, spare, table, u64::MAX << 32);
        let count = turned::list(by_b, self.turned, |i, face| {
            let pair = by_b.get(i).and_then(|of_b| by_a.get_mut(ids(*of_b).1 as usize));
            pair.into_iter().for_each(|pair| *pair = with_place(*pair, face));
        });
        let turn = Turn { faces: b, from: &frames.b, to: &frames.a, per_unit: per_a };
        let half = Half { turn, cells: a, a_has_cells: true, floor: floor * per_a, near: by_a };
        let faces = self.turned.get_mut(..count).unwrap_or_default();
        dispatch(isa, Terms { half, faces, list, work: self.work });
        let split = list.count;
        let count = turned::list(by_a, self.turned, |i, face| {
            spare.get_mut(i).into_iter().for_each(|to| *to = u64::from(face));
        });
        for pair in by_b.iter_mut() {
            let face = spare.get(ids(*pair).1 as usize).copied().unwrap_or_default();
            *pair = with_place(*pair, face as u32);
        }
        let turn = Turn { faces: a, from: &frames.a, to: &frames.b, per_unit: per_b };
        let half = Half { turn, cells: b, a_has_cells: false, floor: floor * per_b, near: by_b };
        let faces = self.turned.get_mut(..count).unwrap_or_default();
        dispatch(isa, Terms { half, faces, list, work: self.work });
        Ok(split)
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

    fn seen(&self, a: &Side<'_>, b: &Side<'_>) -> [Seen; 2] {
        let (pa, pb) = (self.a.translation, self.b.translation);
        let half = [0, 1, 2].map(|k| 0.5 * pa[k] - 0.5 * pb[k]);
        [
            Seen { turn: self.b, scale: b.operand.scale, half: half.map(|x| -x), sign: 1.0 },
            Seen { turn: self.a, scale: a.operand.scale, half, sign: -1.0 },
        ]
    }

    fn common(&self, a: &Side<'_>, b: &Side<'_>, tag: u64) -> Common {
        let (pa, pb) = (self.a.translation, self.b.translation);
        let (ma, mb) = (a.operand.mesh, b.operand.mesh);
        let same = ma.halos.is_empty() && mb.halos.is_empty();
        Common {
            tag,
            middle: [0, 1, 2].map(|k| 0.5 * pa[k] + 0.5 * pb[k]),
            halo: same.then(|| ma.largest_halo() * a.operand.scale + mb.largest_halo() * b.operand.scale),
        }
    }
}
