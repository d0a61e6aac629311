//! Bodies that are much larger than most others and no balls: they are found by their boxes, not by their spheres.
//!
//! A plate of a thousand grains' width has a sphere that holds a million of them, and a box that touches a thousand.

use zerocopy::{FromBytes, Immutable, IntoBytes};

use super::bodies::Bodies;
use super::bounding_sphere::Ball;
use super::box_body::{HugeBox, most, places};
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

/// A body is huge if its sphere is at least 2^3 times as large as that of the body in the middle, by powers of two.
const OCTAVES: usize = 3;

/// A box around a shape in its own frame, about the centre of its [`Ball`].
#[derive(Clone, Copy, Debug, Default, PartialEq, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
struct Extent {
    half: [f64; 3],
    /// Whether it is known: 1.
    known: u64,
}

sections! {
    /// What the huge bodies need.
    pub(super) struct HugeMemory<'s>(bodies: u64, shapes: u64; n = places(bodies)) {
        ids: [u32; n],
        extents: [Extent; shapes],
        huge_boxes: [HugeBox; n],
    }
}

/// The huge bodies of a step.
#[derive(Clone, Copy)]
pub(super) struct Huge<'s> {
    /// Their indices, in order.
    pub bodies: &'s [u32],
    /// Where, in the same order.
    pub huge_boxes: &'s [HugeBox],
}

impl<'s> Huge<'s> {
    /// Looks for huge bodies, and takes them out of all groups, so that the grid finds nothing of them.
    pub fn new(all: &Bodies<'_>, bounds: &mut Spheres<'_>, memory: HugeMemory<'s>) -> Self {
        let HugeMemory { ids, extents, huge_boxes } = memory;
        extents.fill(Extent::default());
        let count = find(bounds, ids);
        for (i, huge_box) in ids.iter().take(count).map(|i| *i as usize).zip(&mut *huge_boxes) {
            let shape = all.shape.get(i) as usize;
            let extent = extents.get_mut(shape);
            let ball = bounds.balls.get(shape).copied().unwrap_or_default();
            let (centre, radius) = (bounds.centres[i], bounds.radii[i]);
            let half = match (extent, all.shapes.get(shape)) {
                (Some(extent), Some(Shape::Mesh(surface))) => {
                    if extent.known == 0 {
                        *extent = Extent { half: half(surface, &ball), known: 1 };
                    }
                    extent.half.map(|x| x * all.scales.map_or(1.0, |s| s.number(i)))
                }
                _ => [radius; 3],
            };
            let reach = world(&all.pose(i), half, &centre, radius, bounds.wider);
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
        Huge { bodies: ids.get(..count).unwrap_or_default(), huge_boxes }
    }

    /// The same bodies with wider boxes and spheres.
    pub fn with<'w>(self, huge_boxes: &'w [HugeBox]) -> Huge<'w>
    where
        's: 'w,
    {
        Huge { huge_boxes: huge_boxes.get(..self.huge_boxes.len()).unwrap_or_default(), ..self }
    }

    /// Which of them a body is.
    pub fn place(&self, body: u32) -> Option<usize> {
        self.bodies.binary_search(&body).ok()
    }

    /// Whether [`Huge::pairs`] has nothing to complain of.
    pub fn is_in_order(&self, query: &Query<'_>) -> bool {
        let spheres = || Query { bodies: HugeBox::spheres(self.huge_boxes)?, ..*query }.check();
        let boxes = || HugeBox::boxes(self.huge_boxes)?.check(&query.space);
        self.bodies.is_empty() || (boxes().is_ok() && spheres().is_ok())
    }

    /// Writes the candidates of all bodies of a query with the huge ones, then those of the huge ones with each other. Beyond the end of
    /// the output, candidates are only counted.
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
        // A record of a body and a box has the fields of a candidate.
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

/// A number that there was room for or not.
pub(super) fn counted(found: Result<usize>) -> Result<usize> {
    match found {
        Err(e) if e.what == What::Output => Ok(e.needed as usize),
        found => found,
    }
}

const _: () = assert!(size_of::<BoxCandidate>() == size_of::<Candidate>());

/// Adds what looking for pairs needs.
pub(super) fn scratch(bodies: u32) -> Result<Layout> {
    box_tree_scratch(most(bodies), bodies.max(most(bodies)))
}

/// What the tree is laid out for.
pub(super) fn sizes(bodies: u32) -> BoxTreeSizes {
    BoxTreeSizes { boxes: most(bodies) }
}

/// Writes the huge bodies and gives their number; none where there are too many.
fn find(bounds: &Spheres<'_>, ids: &mut [u32]) -> usize {
    if bounds.all_balls {
        return 0;
    }
    // Sizes from that of the smallest sphere on, which has a radius; none is larger by more than the last one of these.
    const OCTAVES_APART: usize = 64;
    let exponent = |radius: &f64| (radius.to_bits() >> 52) as usize;
    let (mut least, mut most) = (usize::MAX, 0);
    for (radius, spot) in bounds.radii.iter().zip(bounds.spots) {
        least = if *radius > 0.0 { min(least, exponent(radius)) } else { least };
        most = if spot.radius < 0.0 { max(most, exponent(radius)) } else { most };
    }
    // The body in the middle is no smaller than the smallest.
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
    let huge =
        candidates.filter(|(_, (radius, spot))| octave(radius) >= from && spot.radius < 0.0).map(|(i, _)| i as u32);
    let count = huge.clone().count();
    if count > ids.len() {
        return 0;
    }
    huge.zip(ids).for_each(|(i, id)| *id = i);
    count
}

/// Half the edges of a box about the centre of the ball around a mesh, halos included.
fn half(surface: &Surface<'_>, ball: &Ball) -> [f64; 3] {
    let Surface { mesh, .. } = surface;
    let Some(Bounds { low, high, halo, .. }) = mesh.bounds.first() else { return [ball.radius; 3] };
    [0, 1, 2].map(|k| max(Real::abs(low[k] - ball.centre[k]), Real::abs(high[k] - ball.centre[k])) + halo)
}

/// Half the edges of a box along the axes around a box that is turned, and wider by a halo's margin; no larger than the sphere around the body, and wider by
/// what rounding may do.
fn world(pose: &Pose, half: [f64; 3], centre: &[f64; 3], radius: f64, wider: f64) -> [f64; 3] {
    let far = centre.iter().fold(radius, |sum, x| sum + Real::abs(*x)) * SUM_ERROR + wider;
    let Ok(turn) = pose.transform(What::Pose) else { return [radius; 3] };
    turn.rows.map(|row| {
        let across = row.iter().zip(half).fold(0.0, |sum, (r, h)| sum + Real::abs(*r) * h) + far;
        if across < radius { across } else { radius }
    })
}
