//! Contacts of two meshes: near triangle pairs, the terms of their faces and cells, and the reduction.

use heapless::Vec;

use super::node_sums::{Common, Seen};
use super::query::{ContactCounts, Room, Side};
use super::reduce::{Reduce, share, strip};
use super::term_order::{Parts, Place, sorted};
use super::two_sided::{FEW, Halves, HalvesMemory, common_law};
use crate::contact::Law;
use crate::contact::cells::CANCELLED;
use crate::contact::penetration::{
    Ties, contained, contained_scratch, is_beyond_wall, penetration, penetration_scratch, reach,
};
use crate::contact::record::{Contact, status};
use crate::contact::spread::Wants;
use crate::error::{Error, Kind, Result, What};
use crate::exec::{THREADS, Work, threads_of, within};
use crate::memory::{Layout, sections};
use crate::mesh::LIMIT;
use crate::narrow::{Frame, From, Plain, Threads, ids, lie_apart, near_frame, near_pairs, near_pairs_scratch};
use crate::simd::Isa;

/// Scratch for [`contacts`] with this room, for this number of threads, at most 64; 0 counts as 1.
///
/// Errors: [`Kind::TooLarge`].
pub fn contacts_scratch(a: &Side<'_>, b: &Side<'_>, room: Room, threads: usize) -> Result<Layout> {
    Memory::layout(a, b, room, threads.clamp(1, THREADS))
}

/// The number of terms of one thread. The terms of all threads must have 32-bit numbers.
fn terms(room: Room, threads: usize) -> Result<u64> {
    let (terms, most) = (room.terms as u64, u64::from(LIMIT) / threads as u64);
    if terms > most { Err(Error::new(Kind::TooLarge, What::Terms).amounts(most, terms)) } else { Ok(terms) }
}

sections! {
    /// Memory for this room, on this number of threads.
    struct Memory<'s>(a: &Side<'_>, b: &Side<'_>, room: Room, threads: usize; terms = terms(room, threads)?) {
        halves: HalvesMemory(a, b, room, threads),
        of_a: [Place; terms],
        of_b: [Place; terms],
        near: { near_pairs_scratch(&a.operand, &b.operand, room.pairs, threads)? },
        deep: { penetration_scratch(a, b, room.segments)? },
        inside: { contained_scratch(a, b)? },
    }
}

/// Writes the contacts of two surfaces, ordered by [`Contact::key`], and returns their number. `tag` becomes the first half of every key.
///
/// A contact is a sum over one patch of A and one of B. It is half the integral of the pressure `1 - gap / halo` over all faces of A in all cells
/// of B, plus half the integral over B's faces in A's cells. If surfaces cross, it also includes the part that each loop of their intersection
/// curve encloses, with a negative gap (`docs/contacts.md`). Moments are continuous in the poses, with the exceptions given there, and do not
/// depend on the triangulation of flat parts. Exchanging A and B exchanges the patches and negates normals and moments, bit for bit. Exceptions
/// are the last digits of shares, and penetrating bodies whose numbers are all identical. The instruction set changes nothing.
///
/// All threads of `work.exec` for which `work.scratch` has room share the work. Neither the threads nor the scratch change a bit. Many triangle
/// pairs are processed within [`Executor::enter`](crate::exec::Executor::enter); if the caller has entered before, all threads are awake from the
/// start. Scratch is [`contacts_scratch`] with the same room, for any number of threads.
///
/// Errors: those of [`pairs`](crate::narrow::pairs); [`Kind::Mismatch`] if cells are of another mesh; [`Kind::Capacity`] with the exact number
/// for [`What::Pairs`], [`What::Terms`], [`What::Segments`] or [`What::Output`], in this order (`out` then has no meaning).
/// Cost: that of finding the pairs, and 50 to 190 ns for each (measured with AVX-512; less in walls, more if there are few pairs). Each crossing
/// pair takes one or two microseconds, plus two passes over all triangles inside. If a solid may completely contain the other body: some point
/// searches, the winding number of a point over all triangles if these are in doubt, and the smallest distance.
pub fn contacts(
    work: Work<'_>,
    a: &Side<'_>,
    b: &Side<'_>,
    tag: u64,
    room: Room,
    out: &mut [Contact],
) -> Result<ContactCounts> {
    let ask = Ask { tag, room, margin: 0.0, far: 0.0, wants: Wants::default() };
    check_cells([a, b])?;
    contacts_scratch(a, b, room, 1)?.check(work.scratch, What::Scratch)?;
    let (mut bits, mut a, mut b) = (FacingBits::default(), *a, *b);
    let found = contacts_from(From::Roots, work, [&mut a, &mut b], &mut bits, ask, out, &mut Ties::none())?;
    let all = out.get_mut(..found.contacts).unwrap_or_default();
    strip(all);
    share(all);
    Ok(found)
}

/// The parameters of a query for contacts.
#[derive(Clone, Copy)]
pub(in crate::contact) struct Ask {
    /// The first half of every key.
    pub tag: u64,
    pub room: Room,
    /// Length by which the sum of both halos is enlarged.
    pub margin: f64,
    /// Distance from the origin of the positions from which the poses were computed, if these are other positions.
    pub far: f64,
    /// The optional fields of contacts.
    pub wants: Wants,
}

/// Errors: [`Kind::Mismatch`] if cells are of another mesh.
fn check_cells(sides: [&Side<'_>; 2]) -> Result<()> {
    for (side, what) in sides.into_iter().zip([What::CellsA, What::CellsB]) {
        if side.cells.sizes.triangles as usize != side.operand.mesh.len() {
            return Err(Error::new(Kind::Mismatch, what));
        }
    }
    Ok(())
}

/// [`contacts`] from pairs of clusters that were listed. Contacts may have [`LEANS`](status::LEANS), and have measured areas in place of shares.
/// `ties`: the patches along the intersection curve, no more than segments. The caller has checked that scratch is enough for one thread.
///
/// Where one body is a room and the other one is beyond its wall, both push by the law of facing, and all contacts are in doubt. The room may be
/// a body turned inside out.
pub(in crate::contact) fn contacts_from<'s>(
    from: From<'_>,
    work: Work<'_>,
    sides: [&mut Side<'s>; 2],
    bits: &'s mut FacingBits,
    ask: Ask,
    out: &mut [Contact],
    ties: &mut Ties<'_>,
) -> Result<ContactCounts> {
    let [a, b] = sides;
    check_cells([a, b])?;
    let frame = (ask.margin, ask.far);
    let Some(frame) = near_frame(&a.operand, &b.operand, frame)? else { return Ok(ContactCounts::default()) };
    // Most bodies whose bounds overlap are apart; this test finds that before any setup.
    if matches!(from, From::Roots) && are_apart(work.isa, [a, b], &frame) {
        return Ok(ContactCounts::default());
    }
    let Work { exec, isa, scratch } = work;
    let before = ties.count;
    if let Some(found) = by_common_law(from, Work::new(exec, isa, &mut *scratch), (a, b), &frame, ask, out, ties)? {
        return Ok(found);
    }
    ties.count = before;
    by_law_of_facing(from, Work::new(exec, isa, scratch), ([a, b], bits), &frame, ask, out, ties)
}

/// The same by the law of facing, and in doubt. Out of line, so that its arguments take no stack in the other law's calls.
#[cold]
#[inline(never)]
fn by_law_of_facing<'s>(
    from: From<'_>,
    work: Work<'_>,
    ([a, b], bits): ([&mut Side<'s>; 2], &'s mut FacingBits),
    frame: &Frame,
    ask: Ask,
    out: &mut [Contact],
    ties: &mut Ties<'_>,
) -> Result<ContactCounts> {
    *bits = [a.cells.facing_bits(), b.cells.facing_bits()];
    (a.cells, b.cells) = (a.cells.by_facing(&bits[0]), b.cells.by_facing(&bits[1]));
    let found = by_common_law(from, work, (a, b), frame, ask, out, ties)?.unwrap_or_default();
    let all = out.get_mut(..found.contacts).unwrap_or_default();
    all.iter_mut().for_each(|c| c.status |= status::UNSURE);
    Ok(found)
}

/// Memory for the bits of two meshes without those of their law. Copies of whole sides would take stack below all calls.
pub(in crate::contact) type FacingBits = [[u32; 1]; 2];

/// The same by the law common to both; `None` where a room has the other body beyond its wall.
#[inline(never)]
fn by_common_law(
    from: From<'_>,
    Work { exec, isa, scratch }: Work<'_>,
    (a, b): (&Side<'_>, &Side<'_>),
    frame: &Frame,
    Ask { tag, room, wants, .. }: Ask,
    out: &mut [Contact],
    ties: &mut Ties<'_>,
) -> Result<Option<ContactCounts>> {
    let count = threads_of(exec, scratch.len(), |threads| contacts_scratch(a, b, room, threads));
    let threads = Threads { exec, isa, count };
    let memory = Memory::new(scratch, a, b, room, count)?;
    let Memory { of_a, of_b, near: rest, deep, inside, .. } = memory;
    let mut halves = Halves::new(memory.halves, room.terms);
    let mut places = [of_a, of_b];
    let search = (from, plain(a, b));
    let mut near = near_pairs(threads, [&a.operand, &b.operand], frame, search, reach(frame), room.pairs, rest)?;
    let (touching, crossing) = (near.touching, near.crossing);
    let many = near.candidates.len() >= FEW && count > 1;
    // Callees below are out of line: they share this stack frame, and penetration has deep calls.
    let number = within(exec, many, || {
        let mut runs = Vec::new();
        let found = halves.terms(threads, [a, b], frame, &mut near, wants, &mut runs)?;
        let [needed, _] = found.count();
        if needed > room.terms {
            return Err(Error::capacity(What::Terms, needed as u64, room.terms as u64));
        }
        let close = touching.iter().map(|pair| ids(*pair));
        let deep = penetration(a, b, frame, close, (room.segments, wants), ties, deep)?;
        let whole = if deep.is_empty() { contained(isa, a, b, frame, !touching.is_empty(), inside)? } else { None };
        let deep = if deep.is_empty() { whole.as_slice() } else { deep };
        if needed == 0 && deep.is_empty() {
            return Ok(Some(0));
        }
        if is_beyond_wall(a, b, frame, deep) {
            return Ok(None);
        }
        let places = places.each_mut().map(|places| &mut **places);
        let parts = Parts { halves: sorted(threads, &found, places, near.table), deep };
        let (common, seen) = (common(a, b, frame, tag, wants.spread), seen(a, b, frame));
        Ok(Some(Reduce { common, seen, terms: found.terms, parts }.contacts(threads, out)))
    })?;
    let Some(number) = number else { return Ok(None) };
    let capacity = out.len();
    match out.get_mut(..number) {
        Some(all) => {
            mark_coincident([a, b], frame, all);
            mark_behind([a, b], all);
        }
        None => return Err(Error::capacity(What::Output, number as u64, capacity as u64)),
    }
    Ok(Some(ContactCounts { contacts: number, nodes: number, crossing }))
}

/// Whether two bodies are farther apart than they can reach, and neither is inside the other one. False if a solid has holes: winding numbers
/// then decide what is inside.
fn are_apart(isa: Isa, sides: [&Side<'_>; 2], frame: &Frame) -> bool {
    sides.iter().all(|side| !side.solid || side.cells.is_closed())
        && lie_apart(isa, sides.map(|side| &side.operand.tree), frame, reach(frame) / frame.scale + frame.margin)
}

/// Marks contacts of two-sided sheets that coincide.
fn mark_coincident(sides: [&Side<'_>; 2], frame: &Frame, all: &mut [Contact]) {
    /// Smaller gaps, in halos, count as zero.
    const NONE: f64 = 1.0 / (1 << 20) as f64;
    /// Faces are parallel if the product of their normals is this close to -1.
    const PARALLEL: f64 = 1e-9;
    let normal = |k: usize, turn: &crate::pose::Transform, patch: u64| {
        let (cells, i) = (sides[k].cells, patch as u32 as usize);
        let sheet = cells.part_of(i as u32) == Some(CANCELLED);
        cells.prism(i).filter(|_| sheet).map(|prism| turn.rotate(prism.normal))
    };
    for c in all.iter_mut().filter(|c| c.status & !status::LEANS == status::TOUCHING && c.gap <= NONE * c.halo) {
        let normals = (normal(0, &frame.a, c.key[1] >> 32), normal(1, &frame.b, c.key[1]));
        let (Some([x, y, z]), Some([u, v, w])) = normals else { continue };
        if x * u + y * v + z * w <= PARALLEL - 1.0 {
            c.status |= status::COINCIDENT;
        }
    }
}

/// Marks the contacts of a sheet that another body has come to from behind: by the law of volumes all faces would draw it through the sheet.
fn mark_behind(sides: [&Side<'_>; 2], all: &mut [Contact]) {
    /// Measured areas count faces that look away with this weight at most, and rounding.
    const NONE: f64 = 1.0 / (1 << 20) as f64;
    if common_law(sides[0], sides[1]) != Law::Volume || !sides.iter().any(|side| side.may_be_sheet()) {
        return;
    }
    let (seen, pushed) = all.iter().fold((0.0, 0.0), |(seen, pushed), c| (seen + c.share, pushed + c.area));
    if seen < NONE * pushed {
        all.iter_mut().for_each(|c| c.status |= status::OPEN);
    }
}

/// Triangles in the middle of flat parts have no cell except their prism. The lookup that finds them costs more than it saves where they are few.
fn plain<'a>(a: &Side<'a>, b: &Side<'a>) -> Option<Plain<'a>> {
    let flat = |side: &Side<'_>| side.cells.sizes.cells / 2 < side.cells.sizes.triangles;
    (flat(a) && flat(b))
        .then_some(Plain { first: [a.cells.first, b.cells.first], all: common_law(a, b) == Law::Volume })
}

/// The frames of both halves relative to the midpoint: first the half in the cells of B, then the half in the cells of A.
fn seen(a: &Side<'_>, b: &Side<'_>, frame: &Frame) -> [Seen; 2] {
    let half = frame.half;
    [
        Seen { turn: frame.b, scale: b.operand.scale, half: half.map(|x| -x), sign: 1.0 },
        Seen { turn: frame.a, scale: a.operand.scale, half, sign: -1.0 },
    ]
}

/// The data common to all contacts of a pair.
fn common(a: &Side<'_>, b: &Side<'_>, frame: &Frame, tag: u64, spread: bool) -> Common {
    let (ma, mb) = (a.operand.mesh, b.operand.mesh);
    let same = ma.halos.is_empty() && mb.halos.is_empty();
    let both = || ma.largest_halo() * a.operand.scale + mb.largest_halo() * b.operand.scale;
    let halo = same.then(|| both() + frame.margin);
    Common { tag, middle: frame.middle, halo, spread }
}
