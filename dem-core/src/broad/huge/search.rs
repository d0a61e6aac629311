//! Searches the tree for bodies.

use super::super::Query;
use super::super::candidate::{Counts, Room, gather};
use super::super::canonical::{Limits, Sphere, Spheres};
use super::frame::{Frame, Probe, Sides, home};
use super::tree::{BoxTreeRef, Building, LEVELS, Node, WIDE, levels};
use super::{BoxCandidate, Boxes, search};
use crate::error::{Error, Kind, Result, What};
use crate::exec::Executor;
use crate::memory::Layout;
use crate::real::min;
use crate::simd::{Isa, Kernel, Lane, Mask, Simd, dispatch};

/// Bodies in a chunk of work.
const CHUNK: usize = 1024;

pub(super) fn scratch(bodies: u32) -> Result<Layout> {
    Counts::layout(bodies as usize, CHUNK)
}

impl BoxTreeRef<'_> {
    /// Writes all pairs of a body of the query and a box that it touches, and gives their number. `boxes` are those
    /// that the tree was built from.
    ///
    /// Ordered by body; the order of the boxes of one body depends on the boxes alone. `scratch` is
    /// [`box_tree_scratch`].
    ///
    /// Errors: those of [`Query::check`]; [`Kind::Mismatch`] where the tree is empty, or was built for another number
    /// of boxes or another space; [`Kind::Capacity`] with the exact number where `out` is too small (the content of
    /// `out` is then unspecified), or `scratch`. The boxes must not have moved since the last rebuild or refit. This is
    /// not checked; if they have, pairs may be missing or wrong.
    ///
    /// Cost: for each body, one test of the root and of each node that it overlaps. Several threads search twice, to
    /// count and to write.
    #[allow(clippy::too_many_arguments)]
    pub fn pairs(
        &self,
        isa: Isa,
        exec: &dyn Executor,
        query: &Query<'_>,
        boxes: &Boxes<'_>,
        out: &mut [BoxCandidate],
        scratch: &mut [u8],
    ) -> Result<usize> {
        query.check_frame()?;
        boxes.check_lengths()?;
        let frame = &self.frame[0];
        let same = frame.ready == 1
            && frame.boxes as usize == boxes.len()
            && (0..3).all(|axis| frame.periods[axis] == query.space.period(axis).unwrap_or(0.0))
            && frame.axes as usize == query.space.axes()
            // A damaged block may hold any number.
            && boxes.len() <= self.ids.len();
        if !same {
            return Err(Error::new(Kind::Mismatch, What::BoxTree));
        }
        let n = query.bodies.len();
        let counts = Counts::new(scratch, n, CHUNK)?.each;
        let work = Work::new(*self, query, boxes);
        gather(exec, counts, out, |chunk, room| {
            let bodies = [chunk * CHUNK, min((chunk + 1) * CHUNK, n)];
            if dispatch(isa, Search { work: &work, bodies, room }) { Ok(()) } else { Err(wrong(query)) }
        })
    }
}

/// The error of a query with a wrong body.
fn wrong(query: &Query<'_>) -> Error {
    query.check().err().unwrap_or(Error::new(Kind::Mismatch, What::Bodies))
}

/// Data that all chunks share.
struct Work<'a> {
    tree: BoxTreeRef<'a>,
    frame: &'a Frame,
    query: &'a Query<'a>,
    boxes: &'a Boxes<'a>,
    /// First node of every level, and the number of the highest one.
    first: [usize; LEVELS],
    top: usize,
    open: bool,
    spheres: Spheres<'a>,
    limits: Limits<'a>,
}

impl<'a> Work<'a> {
    fn new(tree: BoxTreeRef<'a>, query: &'a Query<'a>, boxes: &'a Boxes<'a>) -> Self {
        let frame = &tree.frame[0];
        let (first, _, top) = levels(frame.boxes);
        let (spheres, limits) = (Spheres::new(query), Limits::new(query));
        Work { tree, frame, query, boxes, first, top, open: query.space.is_open(), spheres, limits }
    }

    /// Decides on a box that the tree found, and writes the pair.
    #[inline(always)]
    fn meet(
        &self,
        body: usize,
        sphere: &Sphere,
        rank: usize,
        image: [i64; 3],
        probe: &Probe,
        room: &mut Room<'_, BoxCandidate>,
    ) {
        let Some(&huge) = self.tree.ids.get(rank) else { return };
        let mut shift = [0; 3];
        if !self.open {
            let low = self.boxes.low.get(huge as usize);
            for axis in 0..3 {
                let period = self.frame.periods[axis];
                if period > 0.0 && low[axis].is_finite() {
                    shift[axis] = (image[axis] + probe.at[axis] - home(low[axis], period)) as i16;
                } else if image[axis] != probe.first[axis] {
                    // The box is unbounded along this axis, and was found in the first image.
                    return;
                }
            }
        }
        if self.boxes.decide(self.query, sphere, huge as usize, shift)
            && self.boxes.wanted(self.query, body, huge as usize)
        {
            room.put(BoxCandidate { body: body as u32, huge, shift, spare: 0 });
        }
    }
}

/// Searches a range of bodies. True where all of them pass their check.
struct Search<'w, 'r, 'o> {
    work: &'w Work<'w>,
    bodies: [usize; 2],
    room: &'r mut Room<'o, BoxCandidate>,
}

impl Kernel for Search<'_, '_, '_> {
    type Output = bool;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> bool {
        let Search { work, bodies: [start, end], room } = self;
        let mut right = true;
        for body in start..end {
            let sphere = work.spheres.get(body);
            if !work.limits.hold(body, &sphere) {
                right = false;
                continue;
            }
            if work.open {
                let sides = work.frame.around(work.query, &sphere);
                descend(simd, work, body, &sphere, &sides, [0; 3], &Probe::default(), room);
                continue;
            }
            let probe = work.frame.probe(work.query, &sphere);
            for z in probe.first[2]..=probe.last[2] {
                for y in probe.first[1]..=probe.last[1] {
                    for x in probe.first[0]..=probe.last[0] {
                        let sides = probe.sides(work.frame, [x, y, z]);
                        descend(simd, work, body, &sphere, &sides, [x, y, z], &probe, room);
                    }
                }
            }
        }
        right
    }
}

/// Searches the tree for one image of a body.
#[inline(always)]
#[allow(clippy::too_many_arguments)]
fn descend<S: Simd>(
    simd: S,
    work: &Work<'_>,
    body: usize,
    sphere: &Sphere,
    sides: &Sides,
    image: [i64; 3],
    probe: &Probe,
    room: &mut Room<'_, BoxCandidate>,
) {
    let (mut nodes, mut masks) = ([0; LEVELS], [0; LEVELS]);
    let mut level = work.top;
    masks[level] = overlapping_children(simd, work, level, 0, sides);
    loop {
        if masks[level] == 0 {
            if level == work.top {
                return;
            }
            level += 1;
            continue;
        }
        let below = nodes[level] * WIDE + masks[level].trailing_zeros() as usize;
        masks[level] &= masks[level] - 1;
        if level == 0 {
            work.meet(body, sphere, below, image, probe, room);
        } else {
            level -= 1;
            nodes[level] = below;
            masks[level] = overlapping_children(simd, work, level, below, sides);
        }
    }
}

/// Bits of the children of a node that overlap an AABB.
#[inline(always)]
fn overlapping_children<S: Simd>(simd: S, work: &Work<'_>, level: usize, number: usize, sides: &Sides) -> u32 {
    let Some(node) = work.tree.nodes.get(work.first[level] + number) else { return 0 };
    let mut bits = 0;
    let mut lane = 0;
    while lane < WIDE {
        let mut overlap = along::<S>(simd, node, sides, 0, lane);
        overlap = overlap & along::<S>(simd, node, sides, 1, lane) & along::<S>(simd, node, sides, 2, lane);
        bits |= overlap.bits() << lane;
        lane += S::F32::LANES;
    }
    bits
}

#[inline(always)]
fn along<S: Simd>(simd: S, node: &Node, sides: &Sides, axis: usize, lane: usize) -> <S::F32 as Lane>::Mask {
    let (low, high) = (S::F32::load(simd, &node[axis], lane), S::F32::load(simd, &node[axis + 3], lane));
    low.le(S::F32::splat(simd, sides.high[axis])) & S::F32::splat(simd, sides.low[axis]).le(high)
}

/// Scratch of [`BoxTree::rebuild`](crate::broad::BoxTree::rebuild) for this number of boxes (20 bytes each), and of [`BoxTreeRef::pairs`] for this
/// number of bodies (8 bytes for a thousand); either may be 0.
///
/// Errors: [`Kind::TooLarge`].
pub fn box_tree_scratch(boxes: u32, bodies: u32) -> Result<Layout> {
    Ok(Building::layout(boxes)?.or(search::scratch(bodies)?))
}
