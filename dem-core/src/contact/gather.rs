//! Contacts of two meshes: near triangle pairs, the terms of their faces and cells, and the reduction.

use super::cells::CellsRef;
use super::halves::{FEW, Halves};
use super::penetration::{REACH, contained, contained_scratch, penetration, penetration_scratch};
use super::places::{Parts, Place, sorted};
use super::reduce::{Contact, Reduce, share_forces};
use super::totals::{Common, Seen};
use crate::error::{Error, Kind, Result, What};
use crate::exec::{Executor, LANES, lanes_of, within};
use crate::memory::{Carve, Layout, Plan};
use crate::mesh::LIMIT;
use crate::narrow::{Lanes, Operand, Plain, ids, near_pairs, near_pairs_scratch};
use crate::pose::Transform;
use crate::simd::Isa;

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

/// Scratch for [`contacts`] with this room, for up to so many lanes, of which there are 64 at most; 0 counts as 1.
///
/// Errors: [`Kind::TooLarge`].
pub fn contacts_scratch(a: &Side<'_>, b: &Side<'_>, room: Room, lanes: usize) -> Result<Layout> {
    let lanes = lanes.clamp(1, LANES);
    let narrow = near_pairs_scratch(&a.operand, &b.operand, room.pairs, lanes)?;
    // Terms are numbered.
    let most = LIMIT as usize / lanes;
    if room.terms > most {
        return Err(Error::new(Kind::TooLarge, What::Terms).amounts(most as u64, room.terms as u64));
    }
    let mut plan = Plan::new();
    Halves::plan([a, b], room.pairs, room.terms, lanes, &mut plan);
    let terms = room.terms as u64;
    plan.add::<Place>(terms).add::<Place>(terms).part(narrow);
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
/// The work is shared out to all lanes that `exec` has and `scratch` has room for; neither changes a bit. Many
/// pairs are worked on within [`Executor::enter`]; who enters before finds all threads awake from the beginning. `scratch` is [`contacts_scratch`] with the same room, for any number of lanes.
///
/// Errors: those of [`pairs`](crate::narrow::pairs); [`Kind::Mismatch`] where cells are of another mesh; [`Kind::Capacity`] with the exact number for
/// [`What::Pairs`], [`What::Terms`], [`What::Segments`] or [`What::Output`], in the order in which they are met (`out` then
/// holds nothing of use).
/// Cost: that of finding the pairs, and 50 to 190 ns for each (measured with AVX-512; less in walls, more where there are few pairs); one or two
/// microseconds for each that crosses, and two passes over all triangles inside. Where a solid may hold the other body as a whole: some point searches, the winding
/// number of a point over all triangles where these are in doubt, and the smallest distance.
#[allow(clippy::too_many_arguments)]
pub fn contacts(
    exec: &dyn Executor,
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
    let count = lanes_of(exec, scratch.len(), |lanes| contacts_scratch(a, b, room, lanes));
    let lanes = Lanes { exec, isa, count };
    let mut carve = Carve::new(scratch, contacts_scratch(a, b, room, count)?, What::Scratch)?;
    let mut halves = Halves::new([a, b], room.pairs, room.terms, count, &mut carve)?;
    let terms = room.terms as u64;
    let mut places = [carve.take::<Place>(terms)?, carve.take::<Place>(terms)?];
    let rest = carve.part(near_pairs_scratch(&a.operand, &b.operand, room.pairs, count)?)?;
    let mut near = near_pairs(lanes, [&a.operand, &b.operand], plain(a, b), REACH, room.pairs, rest)?;
    let (touching, crossing) = (near.touching, near.crossing);
    let frames = Frames::new(a, b)?;
    let many = near.candidates.len() >= FEW && count > 1;
    let number = within(exec, many, || {
        let found = halves.terms(lanes, [a, b], &frames, &mut near)?;
        let [needed, _] = found.count();
        if needed > room.terms {
            return Err(Error::capacity(What::Terms, needed as u64, room.terms as u64));
        }
        let close = touching.iter().map(|pair| ids(*pair));
        let deep = penetration(a, b, close, room.segments, carve.part(penetration_scratch(a, b, room.segments)?)?)?;
        let inside = carve.part(contained_scratch(a, b)?)?;
        let whole = if deep.is_empty() { contained(isa, a, b, !touching.is_empty(), inside)? } else { None };
        let deep = if deep.is_empty() { whole.as_slice() } else { deep };
        let places = places.each_mut().map(|places| &mut **places);
        let parts = Parts { halves: sorted(lanes, &found, places, near.table), deep };
        let (common, seen) = (frames.common(a, b, tag), frames.seen(a, b));
        Ok(Reduce { common, seen, terms: found.terms, parts }.contacts(lanes, out))
    })?;
    let capacity = out.len();
    match out.get_mut(..number) {
        Some(all) => share_forces(all),
        None => return Err(Error::capacity(What::Output, number as u64, capacity as u64)),
    }
    Ok(Found { contacts: number, crossing })
}

/// Triangles in the middle of flat parts have no cell but their prism. To ask which have takes longer than it saves where few do.
fn plain<'a>(a: &Side<'a>, b: &Side<'a>) -> Option<Plain<'a>> {
    let flat = |side: &Side<'_>| side.cells.sizes.cells / 2 < side.cells.sizes.triangles;
    (flat(a) && flat(b)).then_some(Plain([a.cells.first, b.cells.first]))
}

/// Both poses.
pub(super) struct Frames {
    pub a: Transform,
    pub b: Transform,
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
