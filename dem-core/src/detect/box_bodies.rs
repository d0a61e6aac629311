//! Huge bodies, which are much larger than most others and no balls. They are found by their boxes, not by their spheres.
//!
//! The sphere of a plate that is a thousand grains wide contains a million grains, but its box touches a thousand. If many bodies are large, only
//! those are huge whose boxes fill little of their spheres.
//!
//! Lost bodies, which are extremely far away, are also found by their boxes, whatever their shape. A grid that reached them would need cells so
//! wide that all other bodies were in one cell.

use zerocopy::{FromBytes, Immutable, IntoBytes};

use super::bodies::Bodies;
use super::bounding_sphere::Ball;
use super::box_body::{HugeBox, few, most, places};
use super::sphere_bounds::Bounds as Spheres;
use crate::array::Words;
use crate::broad::{BoxCandidate, BoxTree, BoxTreeSizes, Candidate, Query, box_tree_scratch, brute};
use crate::contact::shape::{Shape, Surface};
use crate::error::{Error, Result, What};
use crate::exec::Executor;
use crate::memory::{Layout, sections};
use crate::mesh::Bounds;
use crate::pose::Pose;
use crate::real::{Real, SUM_ERROR, max, min};
use crate::simd::Isa;

/// A body is huge if its sphere is at least 2^3 times as large as that of the median body, by powers of two.
const OCTAVES: usize = 3;

/// A body is lost if its distance from the origin is more than this many radii of the smallest body: cell coordinates have 45 bits.
const LOST: f64 = (1u64 << 44) as f64;

/// A box around a shape in the frame of the shape, with the centre of its [`Ball`].
#[derive(Clone, Copy, Debug, Default, PartialEq, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
struct Extent {
    half: [f64; 3],
    /// 1 if the box is known.
    known: u64,
}

sections! {
    /// Memory for the huge bodies.
    pub(super) struct HugeMemory<'s>(bodies: u64, shapes: u64; n = places(bodies)) {
        ids: [u32; n],
        extents: [Extent; shapes],
        huge_boxes: [HugeBox; n],
    }
}

/// The huge bodies of a step.
#[derive(Clone, Copy)]
pub(super) struct Huge<'s> {
    /// Their indices, ascending.
    pub bodies: &'s [u32],
    /// Their boxes, in the same order.
    pub huge_boxes: &'s [HugeBox],
    /// Bodies with a coordinate beyond this limit are lost.
    limit: f64,
}

impl<'s> Huge<'s> {
    /// Finds the huge bodies, and takes them out of all groups so that the grid ignores them.
    pub fn new(all: &Bodies<'_>, bounds: &mut Spheres<'_>, memory: HugeMemory<'s>) -> Self {
        let HugeMemory { ids, extents, huge_boxes } = memory;
        extents.fill(Extent::default());
        let count = find(bounds, ids, |i| is_empty(reach(all, bounds, extents, i), bounds.radii[i]));
        let (count, limit) = with_lost(bounds, ids, count);
        for (i, huge_box) in ids.iter().take(count).map(|i| *i as usize).zip(&mut *huge_boxes) {
            let (centre, radius) = (bounds.centres[i], bounds.radii[i]);
            let reach = reach(all, bounds, extents, i);
            let word = |words: Option<Words<'_>>, none| words.map_or(none, |words| words.get(i));
            *huge_box = HugeBox {
                low: [0, 1, 2].map(|a| centre[a] - reach[a]),
                high: [0, 1, 2].map(|a| centre[a] + reach[a]),
                centre,
                radius,
                body: i as u32,
                motion: word(all.motions, 0),
                group: word(all.groups, u32::MAX),
                mask: word(all.masks, u32::MAX),
            };
            bounds.groups[i] = 0;
        }
        let huge_boxes = huge_boxes.get(..count).unwrap_or_default();
        Huge { bodies: ids.get(..count).unwrap_or_default(), huge_boxes, limit }
    }

    /// Hides these bodies from the grid: sets their radii to 0, and moves each lost body to the centre of another body.
    pub fn hide(&self, centres: &mut [[f64; 3]], radii: &mut [f64]) {
        let (n, all) = (centres.len(), self.bodies.len());
        for (k, huge_box) in self.huge_boxes.iter().enumerate() {
            let i = huge_box.body as usize;
            put(radii, i, 0.0);
            if is_beyond(&huge_box.centre, self.limit) {
                let first = k * n / all.max(1);
                let mut others = (first..n).chain(0..first).filter(|i| self.place(*i as u32).is_none());
                if let Some(centre) = others.next().and_then(|other| centres.get(other)).copied() {
                    put(centres, i, centre);
                }
            }
        }
    }

    /// Undoes [`Huge::hide`].
    pub fn show(&self, centres: &mut [[f64; 3]], radii: &mut [f64]) {
        for huge_box in self.huge_boxes {
            put(centres, huge_box.body as usize, huge_box.centre);
            put(radii, huge_box.body as usize, huge_box.radius);
        }
    }

    /// The same huge bodies with other, wider boxes.
    pub fn with<'w>(self, huge_boxes: &'w [HugeBox]) -> Huge<'w>
    where
        's: 'w,
    {
        Huge { huge_boxes: huge_boxes.get(..self.huge_boxes.len()).unwrap_or_default(), ..self }
    }

    /// The index of a body among the huge bodies, if it is one.
    pub fn place(&self, body: u32) -> Option<usize> {
        self.bodies.binary_search(&body).ok()
    }

    /// Whether [`Huge::pairs`] would find no error in its input.
    pub fn is_in_order(&self, query: &Query<'_>) -> bool {
        let spheres = || Query { bodies: HugeBox::spheres(self.huge_boxes)?, ..*query }.check();
        let boxes = || HugeBox::boxes(self.huge_boxes)?.check(&query.space);
        self.bodies.is_empty() || (boxes().is_ok() && spheres().is_ok())
    }

    /// Writes the candidates of the query's bodies with huge bodies, then those of two huge bodies. Candidates beyond the end of the output are
    /// only counted.
    pub fn pairs(
        &self,
        isa: Isa,
        exec: &dyn Executor,
        query: &Query<'_>,
        tree: &mut BoxTree<'_>,
        out: &mut [Candidate],
        scratch: &mut [u8],
    ) -> Result<usize> {
        if self.bodies.is_empty() {
            return Ok(0);
        }
        let (boxes, own) = (HugeBox::boxes(self.huge_boxes)?, HugeBox::spheres(self.huge_boxes)?);
        let body = |k: u32| self.bodies.get(k as usize).copied().unwrap_or(k);
        let named = |e: Error| match e.what {
            What::Lows | What::Highs => Error { what: What::Centres, index: body(e.index as u32).into(), ..e },
            _ => e,
        };
        tree.rebuild(&query.space, &boxes, scratch).map_err(named)?;
        let tree = tree.as_ref();
        let count = match <[BoxCandidate]>::mut_from_bytes(out.as_mut_bytes()) {
            Ok(records) => counted(tree.pairs(isa, exec, query, &boxes, records, scratch))?,
            Err(_) => 0,
        };
        let (met, rest) = out.split_at_mut(count.min(out.len()));
        // The record of a body and a box has the same fields as a candidate.
        met.iter_mut().for_each(|c| *c = Candidate::new(c.a, body(c.b), c.shift));
        let named = |e: Error| match e.what {
            What::Centres | What::Radii => Error { index: body(e.index as u32).into(), ..e },
            _ => e,
        };
        let among = counted(brute(&Query { bodies: own, ..*query }, rest)).map_err(named)?;
        rest.iter_mut().take(among).for_each(|c| (c.a, c.b) = (body(c.a), body(c.b)));
        Ok(count + among)
    }
}

/// The number of candidates, whether or not there was room for them.
pub(super) fn counted(found: Result<usize>) -> Result<usize> {
    match found {
        Err(e) if e.what == What::Output => Ok(e.needed as usize),
        found => found,
    }
}

const _: () = assert!(size_of::<BoxCandidate>() == size_of::<Candidate>());

/// The scratch that the search for pairs needs.
pub(super) fn scratch(bodies: u32) -> Result<Layout> {
    box_tree_scratch(most(bodies), bodies.max(most(bodies)))
}

/// The sizes of the tree of boxes.
pub(super) fn sizes(bodies: u32) -> BoxTreeSizes {
    BoxTreeSizes { boxes: most(bodies) }
}

fn put<T>(items: &mut [T], i: usize, item: T) {
    if let Some(to) = items.get_mut(i) {
        *to = item;
    }
}

/// Whether a centre has a coordinate beyond `limit`.
fn is_beyond(centre: &[f64; 3], limit: f64) -> bool {
    centre.iter().any(|x| Real::abs(*x) > limit)
}

/// Adds lost bodies to the first `count` of `ids`, if there are few. Gives the new number, and the limit beyond which bodies are lost.
fn with_lost(bounds: &Spheres<'_>, ids: &mut [u32], count: usize) -> (usize, f64) {
    let none = (count, f64::INFINITY);
    let there = bounds.centres.iter().zip(bounds.radii.iter()).zip(bounds.groups.iter());
    let (mut least, mut far) = (f64::INFINITY, 0.0);
    for ((centre, radius), groups) in there.clone() {
        if *groups != 0 {
            least = if *radius > 0.0 { min(*radius, least) } else { least };
            far = centre.iter().fold(far, |far, x| max(Real::abs(*x), far));
        }
    }
    let limit = least * LOST;
    // In most scenes no body is lost.
    if far <= limit {
        return none;
    }
    let lost = || {
        let beyond =
            there.clone().enumerate().filter(|(_, ((centre, _), groups))| **groups != 0 && is_beyond(centre, limit));
        beyond.map(|(i, _)| i as u32)
    };
    if lost().count() > few(bounds.radii.len()) {
        return none;
    }
    let mut all = count;
    for body in lost() {
        if ids.get(..count).unwrap_or_default().binary_search(&body).is_ok() {
            continue;
        }
        match ids.get_mut(all) {
            Some(to) => (*to, all) = (body, all + 1),
            None => return none,
        }
    }
    ids.get_mut(..all).unwrap_or_default().sort_unstable();
    (all, limit)
}

/// Half the edges of the axis-aligned box of body `i`.
fn reach(all: &Bodies<'_>, bounds: &Spheres<'_>, extents: &mut [Extent], i: usize) -> [f64; 3] {
    let shape = all.shape.get(i) as usize;
    let ball = bounds.balls.get(shape).copied().unwrap_or_default();
    let (centre, radius) = (bounds.centres[i], bounds.radii[i]);
    let half = match (extents.get_mut(shape), all.shapes.get(shape)) {
        (Some(extent), Some(Shape::Mesh(surface))) => {
            if extent.known == 0 {
                *extent = Extent { half: half(surface, &ball), known: 1 };
            }
            extent.half.map(|x| x * all.scales.map_or(1.0, |s| s.number(i)))
        }
        _ => [radius; 3],
    };
    world(&all.pose(i), half, &centre, radius, bounds.wider)
}

/// Whether the volume of a box is less than an eighth of that of the cube in the sphere.
fn is_empty(reach: [f64; 3], radius: f64) -> bool {
    // Half an edge of that cube is 0.577 radii.
    let [x, y, z] = reach.map(|x| x / radius);
    x * y * z < 0.19 / 8.0
}

/// Writes the indices of huge bodies and gives their number. If there are many large bodies, only those that fill little of their spheres are huge.
/// If there is no room for all of these, the largest are.
fn find(bounds: &Spheres<'_>, ids: &mut [u32], mut is_empty: impl FnMut(usize) -> bool) -> usize {
    if bounds.all_balls {
        return 0;
    }
    // Octaves of sizes, counted from the smallest sphere with a radius above 0. The last octave also holds everything larger.
    const OCTAVES_APART: usize = 64;
    let exponent = |radius: &f64| (radius.to_bits() >> 52) as usize;
    let (mut least, mut most) = (usize::MAX, 0);
    for (radius, spot) in bounds.radii.iter().zip(bounds.spots) {
        least = if *radius > 0.0 { min(least, exponent(radius)) } else { least };
        most = if spot.radius < 0.0 { max(most, exponent(radius)) } else { most };
    }
    // The median body is at least as large as the smallest one.
    if most < least.saturating_add(OCTAVES) {
        return 0;
    }
    let octave = |radius: &f64| min(exponent(radius).saturating_sub(least), OCTAVES_APART - 1);
    let mut histogram = [0u32; OCTAVES_APART];
    bounds.radii.iter().for_each(|radius| histogram[octave(radius)] += 1);
    let (mut below, half) = (0, bounds.radii.len() as u32 / 2);
    let middle = histogram.iter().position(|n| {
        below += *n;
        below > half
    });
    let Some(from) = middle.map(|middle| middle + OCTAVES) else { return 0 };
    let large = histogram.iter().skip(from).sum::<u32>();
    if large == 0 {
        return 0;
    }
    let candidates = bounds.radii.iter().zip(bounds.spots).enumerate();
    let huge = |from: usize| {
        let all = candidates.clone().filter(move |(_, (radius, spot))| octave(radius) >= from && spot.radius < 0.0);
        all.map(|(i, _)| i)
    };
    let count = huge(from).count();
    if count <= min(ids.len(), few(bounds.radii.len())) {
        huge(from).zip(ids).for_each(|(i, id)| *id = i as u32);
        return count;
    }
    // Counts the mostly empty ones of each octave.
    histogram = [0; OCTAVES_APART];
    huge(from).filter(|i| is_empty(*i)).for_each(|i| histogram[octave(&bounds.radii[i])] += 1);
    let (mut whole, mut rest) = (OCTAVES_APART, ids.len());
    while whole > from && histogram[whole - 1] as usize <= rest {
        (whole, rest) = (whole - 1, rest - histogram[whole - 1] as usize);
    }
    // Takes a part of the largest octave that does not fit as a whole.
    let from = max(from, whole.saturating_sub(1));
    let mut wanted = |i: &usize| {
        let own = octave(&bounds.radii[*i]);
        let fits = own >= whole || rest > 0;
        if is_empty(*i) && fits {
            rest -= usize::from(own < whole);
            return true;
        }
        false
    };
    huge(from).filter(|i| wanted(i)).zip(ids).fold(0, |count, (i, id)| {
        *id = i as u32;
        count + 1
    })
}

/// Half the edges of a box around a mesh and its halos, about the centre of its ball.
fn half(surface: &Surface<'_>, ball: &Ball) -> [f64; 3] {
    let Surface { mesh, .. } = surface;
    let Some(Bounds { low, high, halo, .. }) = mesh.bounds.first() else { return [ball.radius; 3] };
    [0, 1, 2].map(|k| max(Real::abs(low[k] - ball.centre[k]), Real::abs(high[k] - ball.centre[k])) + halo)
}

/// Half the edges of an axis-aligned box around a rotated box, enlarged by `wider` and by the possible rounding error. It is no larger than the
/// sphere around the body.
fn world(pose: &Pose, half: [f64; 3], centre: &[f64; 3], radius: f64, wider: f64) -> [f64; 3] {
    let far = centre.iter().fold(radius, |sum, x| sum + Real::abs(*x)) * SUM_ERROR + wider;
    let Ok(turn) = pose.transform(What::Pose) else { return [radius; 3] };
    turn.rows.map(|row| {
        let across = row.iter().zip(half).fold(0.0, |sum, (r, h)| sum + Real::abs(*r) * h) + far;
        if across < radius { across } else { radius }
    })
}
