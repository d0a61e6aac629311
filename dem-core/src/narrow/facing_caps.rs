//! Two bodies that touch in a small part of both: one direction tells which triangles of each body may be near the other one, which replaces the
//! descent through both trees.
//!
//! The direction is the line from the middle of A to that of B. A triangle of A that ends before B begins, halos and threshold included, is near no
//! triangle of B; the same holds for triangles of B that begin after the end of A. A descent through one tree, with a test of single nodes instead
//! of pairs, finds where B begins, and which triangles of A reach that far. In a small tree all triangles are tested: four of them take some ten
//! operations, which is less than a descent would. If two bodies touch, a cap of each is left. Its triangles are packed, four to a cluster. So few
//! pairs of clusters are left for the filter, where a traversal would test many pairs whose triangles are mostly far apart. If two bodies are near
//! each other but do not touch, mostly nothing is left: see [`lie_apart`].
//!
//! # Rounding
//! Packed triangles are all in the frame of origin 0, and R is the reach of the whole body there; clusters of an origin with a larger reach are not
//! handled. The filter's slack is that of twice this reach. In terms of the filter's derivation: packed corners are rounded once more, by 1 R, and
//! so deviate from the plane of their normal by another 2 R, as scaled corners do. Along the line, with sums in f64: the direction in single
//! precision errs by 1 R, and its products with corners by 3 R. Halos are multiplied by a bound of its length, which errs by 2 R, and subtracted,
//! which errs by 1 R. That is less than 8 R for each body, and counts twice if a node is compared with another one. Bodies whose lengths are near
//! the largest number take the usual traversal.

use heapless::Vec;

use super::frame::{Frame, Relative};
use crate::real::{Real, max, min};
use crate::simd::{FOUR, Four, Isa, Kernel, Lane, Simd, dispatch};
use crate::surrogate::{Cluster, FINE, Origin, TreeRef, UNUSED, WIDTH};
use crate::vector::{dot, sub};

/// The most packed clusters of a body. With more, a traversal is faster.
const LEFT: usize = 12;

/// The most pairs of packed clusters.
const PAIRS: usize = 64;

/// The most clusters of a tree that are tested; `WAITING`: the most that wait for the test.
const LOOKS: usize = 128;
const WAITING: usize = 64;

/// The most clusters of a tree of which all triangles are tested.
const WHOLE: usize = 64;

/// If one body is this many times larger than the other one, too much of it reaches beyond the start of the other one.
const ALIKE: f64 = 4.0;

/// An upper bound for the length of a direction that is rounded to single precision.
const LENGTH: f32 = 1.0 + 1.0 / (1 << 20) as f32;

/// The range of lengths for which a few operations neither overflow nor lose all digits.
const RANGE: core::ops::Range<f64> = 1e-28..1e28;

/// The triangles of a body that may be near the other one, in clusters like those of its tree.
#[derive(Default)]
pub(super) struct Cap {
    clusters: Vec<Cluster, LEFT>,
}

impl Cap {
    pub fn clusters(&self) -> &[Cluster] {
        &self.clusters
    }

    /// Adds a triangle of a cluster, translated by `moves`. Gives whether there was room.
    #[inline(always)]
    fn take(&mut self, cluster: &Cluster, lane: usize, moves: [f64; 3]) -> bool {
        let full = self.clusters.last().is_none_or(|last| last.count() == WIDTH);
        if full && self.clusters.push(Cluster { meta: [FINE, 0, 0, 0], ..Cluster::EMPTY }).is_err() {
            return false;
        }
        let Some(to) = self.clusters.last_mut() else { return false };
        let (column, lane) = (to.count() & (WIDTH - 1), lane & (WIDTH - 1));
        for (to, row) in to.rows.iter_mut().zip(&cluster.rows) {
            to[column] = row[lane];
        }
        if moves != [0.0; 3] {
            let (mut first, mut normal) = ([0.0; 3], [0.0; 3]);
            for c in 0..3 {
                for k in 0..3 {
                    let x = &mut to.rows[Cluster::row(k, c)][column];
                    *x = (f64::from(*x) + moves[c]) as f32;
                }
                (first[c], normal[c]) =
                    (f64::from(to.rows[Cluster::row(0, c)][column]), f64::from(to.rows[Cluster::row(3, c)][column]));
            }
            to.rows[Cluster::OFFSET][column] = dot(normal, first) as f32;
        }
        to.link[column] = cluster.link[lane];
        to.meta[0] += 1;
        true
    }
}

/// Packs the triangles of each of two trees that may be within the threshold of the other one. All are in the frames of their origins 0, and those
/// of the second tree in its own units. Gives the relative frame of these origins. `None` if too much would be left, or too much would have to be
/// tested.
#[inline(always)]
pub(super) fn take_caps<L: Lane<Scalar = f32>>(
    simd: L::Simd,
    trees: [&TreeRef<'_>; 2],
    frame: &Frame,
    thresholds: [f64; 2],
    [cap_a, cap_b]: [&mut Cap; 2],
) -> Option<Relative> {
    let Line { sides: [of_a, of_b], relative, most } = line(trees, frame, thresholds)?;
    let (mut lows_a, mut lows_b) = (Lows::NONE, Lows::NONE);
    let (least_a, least_b) = (of_a.least::<L>(simd, &mut lows_a)?, of_b.least::<L>(simd, &mut lows_b)?);
    let all =
        of_a.take::<L>(simd, &lows_a, most - least_b, cap_a) && of_b.take::<L>(simd, &lows_b, most - least_a, cap_b);
    (all && cap_a.clusters.len() * cap_b.clusters.len() <= PAIRS).then_some(relative)
}

/// Whether one body ends before the other one begins along the line between their middles. Halos and `threshold`, a length in the world's units,
/// are included. This is for bodies of few triangles. It may give false for bodies that lie apart.
///
/// In a scene of uneven bodies, most pairs of bodies whose bounds meet do not touch. This test costs a small part of the search for contacts. If it
/// gives true, a plane is between the bodies, so neither is inside the other one.
pub(crate) fn lie_apart(isa: Isa, trees: [&TreeRef<'_>; 2], frame: &Frame, threshold: f64) -> bool {
    !trees.iter().any(|tree| tree.clusters.len() > WHOLE) && dispatch(isa, Apart { trees, frame, threshold })
}

struct Apart<'t> {
    trees: [&'t TreeRef<'t>; 2],
    frame: &'t Frame,
    threshold: f64,
}

impl Kernel for Apart<'_> {
    type Output = bool;

    #[inline(always)]
    fn run<S: Simd>(self, _: S) -> bool {
        let Apart { trees, frame, threshold } = self;
        let line = line(trees, frame, [threshold / frame.scales[0]; 2]);
        let Some(Line { sides: [of_a, of_b], most, .. }) = line else { return false };
        let mut lows = Lows::NONE;
        let (Some(least_a), Some(least_b)) = (of_a.all(&mut lows), of_b.all(&mut lows)) else { return false };
        least_a + least_b > most
    }
}

/// Two trees along the line between their middles.
struct Line<'t> {
    sides: [Along<'t>; 2],
    relative: Relative,
    /// The bodies may touch if the sum of their starts is at most this.
    most: f64,
}

/// `None` for bodies that take the usual traversal.
#[inline(always)]
fn line<'t>(trees: [&'t TreeRef<'t>; 2], frame: &Frame, [threshold, close]: [f64; 2]) -> Option<Line<'t>> {
    let size = |tree: &TreeRef<'_>| tree.root().map_or(0.0, |root| root.radius);
    let [size_a, size_b] = [size(trees[0]), size(trees[1]) * frame.ratio];
    if max(size_a, size_b) > ALIKE * min(size_a, size_b) {
        return None;
    }
    let whole = |tree: &TreeRef<'_>| {
        let (origin, root) = (tree.origins.first()?, tree.root()?);
        Some(Origin { reach: 2.0 * max(origin.reach, root.radius), ..*origin })
    };
    let (of_a, of_b) = (whole(trees[0])?, whole(trees[1])?);
    let relative = frame.relative(&of_a, &of_b, threshold, close);
    let centre = of_b.centre.map(|x| x * frame.ratio);
    let t = [0, 1, 2].map(|k| dot(frame.turn[k], centre) + frame.offset[k] - of_a.centre[k]);
    let length = Real::sqrt(dot(t, t));
    let size = length + of_a.reach + of_b.reach * frame.ratio + Real::abs(threshold);
    if !(RANGE.contains(&length) && RANGE.contains(&size)) {
        return None;
    }
    let [x, y, z] = t.map(|x| x / length);
    let back = [0, 1, 2].map(|k| frame.turn[0][k] * x + frame.turn[1][k] * y + frame.turn[2][k] * z);
    let of_a =
        Along { tree: trees[0], centre: of_a.centre, reach: 0.5 * of_a.reach, direction: [-x, -y, -z], unit: 1.0 };
    let of_b =
        Along { tree: trees[1], centre: of_b.centre, reach: 0.5 * of_b.reach, direction: back, unit: frame.ratio };
    let most = f64::from(relative.threshold) - length;
    Some(Line { sides: [of_a, of_b], relative, most })
}

/// Where each triangle of the fine clusters of a small tree begins, relative to the origin of its cluster and in the tree's units.
struct Lows([[f32; WIDTH]; WHOLE]);

impl Lows {
    const NONE: Lows = Lows([[0.0; WIDTH]; WHOLE]);
}

/// A tree that is measured along a direction.
struct Along<'t> {
    tree: &'t TreeRef<'t>,
    /// The zero point of the measurement.
    centre: [f64; 3],
    /// No part of the tree is farther from that point.
    reach: f64,
    direction: [f64; 3],
    /// The tree's unit, in the filter's units.
    unit: f64,
}

impl Along<'_> {
    /// Where each node of a cluster begins, halo included, and the translation of the cluster's origin.
    #[inline(always)]
    fn lows<L: Lane<Scalar = f32>>(&self, simd: L::Simd, cluster: &Cluster) -> Option<([f64; WIDTH], [f64; 3])> {
        let origin = self.tree.origins.get(cluster.origin()).filter(|origin| origin.reach <= self.reach)?;
        let moves = sub(origin.centre, self.centre);
        let base = dot(self.direction, moves);
        let [x, y, z] = self.direction;
        let (x, y, z) = (L::splat(simd, x as f32), L::splat(simd, y as f32), L::splat(simd, z as f32));
        let rows = cluster.rows.as_flattened();
        let mut along = [0.0; 4 * WIDTH];
        let mut at = 0;
        // Normals are stored after the corners and are not read.
        while at < 3 * WIDTH {
            let (of_x, of_y, of_z) =
                (L::load(simd, rows, at), L::load(simd, rows, 16 + at), L::load(simd, rows, 32 + at));
            of_x.fused(x, of_y.fused(y, of_z * z)).store(&mut along, at);
            at += L::LANES;
        }
        let (halo, mut lows) = (&cluster.rows[Cluster::HALO], [f64::INFINITY; WIDTH]);
        for k in 0..WIDTH {
            let nearest = min(min(along[k], along[WIDTH + k]), along[2 * WIDTH + k]) - LENGTH * halo[k];
            let low = (base + f64::from(nearest)) * self.unit;
            lows[k] = if halo[k] == UNUSED { f64::INFINITY } else { low };
        }
        Some((lows, moves))
    }

    /// Where the first triangle begins. For a small tree also writes where each triangle begins.
    #[inline(always)]
    fn least<L: Lane<Scalar = f32>>(&self, simd: L::Simd, lows: &mut Lows) -> Option<f64> {
        if self.is_small() { self.all(lows) } else { self.first::<L>(simd) }
    }

    /// Takes all triangles that begin at `most` or before. Gives whether it could take all of these.
    #[inline(always)]
    fn take<L: Lane<Scalar = f32>>(&self, simd: L::Simd, lows: &Lows, most: f64, cap: &mut Cap) -> bool {
        if self.is_small() { self.take_from(lows, most, cap) } else { self.take_below::<L>(simd, most, cap) }
    }

    #[inline(always)]
    fn is_small(&self) -> bool {
        self.tree.clusters.len() <= WHOLE
    }

    /// Where each triangle of a small tree begins, and the smallest of these numbers.
    // Every machine has four lanes. In kernels with more lanes, sums of products are shorter.
    #[inline(always)]
    fn all(&self, lows: &mut Lows) -> Option<f64> {
        let [x, y, z] = self.direction;
        let direction = [Quad::splat(FOUR, x as f32), Quad::splat(FOUR, y as f32), Quad::splat(FOUR, z as f32)];
        let (length, unused) = (Quad::splat(FOUR, LENGTH), Quad::splat(FOUR, UNUSED));
        let infinity = Quad::splat(FOUR, f32::INFINITY);
        let (mut least, mut from) = (f64::INFINITY, None);
        for (cluster, to) in self.tree.clusters.iter().zip(&mut lows.0).filter(|(cluster, _)| cluster.is_fine()) {
            let (base, _) = self.base(cluster, &mut from)?;
            let low = along(cluster, 0, direction).min(along(cluster, 1, direction)).min(along(cluster, 2, direction));
            let halo = Quad::load(FOUR, &cluster.rows[Cluster::HALO], 0);
            Quad::select(halo.eq(unused), infinity, low - length * halo).store(to, 0);
            least = min(least, (base + f64::from(first_of(to))) * self.unit);
        }
        Some(least)
    }

    /// Takes all triangles of a small tree that begin at `most` or before. Gives whether there was room.
    #[inline(always)]
    fn take_from(&self, lows: &Lows, most: f64, cap: &mut Cap) -> bool {
        let mut from = None;
        for (cluster, lows) in self.tree.clusters.iter().zip(&lows.0).filter(|(cluster, _)| cluster.is_fine()) {
            let Some((base, moves)) = self.base(cluster, &mut from) else { return false };
            let begins = |low: f32| (base + f64::from(low)) * self.unit;
            if begins(first_of(lows)) > most {
                continue;
            }
            for (lane, low) in lows.iter().enumerate() {
                if *low == f32::INFINITY || begins(*low) > most {
                    continue;
                }
                if !cap.take(cluster, lane, moves) {
                    return false;
                }
            }
        }
        true
    }

    /// Position of a cluster's origin along the direction, and its translation; `from` caches the last result.
    #[inline(always)]
    fn base(&self, cluster: &Cluster, from: &mut Option<(u32, f64, [f64; 3])>) -> Option<(f64, [f64; 3])> {
        let number = cluster.meta[1];
        match *from {
            Some((last, base, moves)) if last == number => Some((base, moves)),
            _ => {
                let origin = self.tree.origins.get(cluster.origin()).filter(|origin| origin.reach <= self.reach)?;
                let moves = sub(origin.centre, self.centre);
                let base = dot(self.direction, moves);
                *from = Some((number, base, moves));
                Some((base, moves))
            }
        }
    }

    /// Where the first triangle begins.
    #[inline(always)]
    fn first<L: Lane<Scalar = f32>>(&self, simd: L::Simd) -> Option<f64> {
        let mut waiting: Vec<(u32, f64), WAITING> = Vec::new();
        for root in 0..self.tree.sizes.roots {
            waiting.push((root, f64::NEG_INFINITY)).ok()?;
        }
        let (mut least, mut looks) = (f64::INFINITY, 0);
        while let Some((at, low)) = waiting.pop() {
            if low >= least {
                continue;
            }
            looks += 1;
            let cluster = self.tree.clusters.get(at as usize).filter(|_| looks <= LOOKS)?;
            let (lows, _) = self.lows::<L>(simd, cluster)?;
            let first = min(min(lows[0], lows[1]), min(lows[2], lows[3]));
            if cluster.is_fine() {
                least = min(least, first);
                continue;
            }
            // The nearest node comes last, so that it is taken next.
            for nearest in [false, true] {
                for (lane, low) in
                    lows.into_iter().enumerate().filter(|(_, low)| (*low <= first) == nearest && *low < least)
                {
                    for child in cluster.children(lane) {
                        waiting.push((child as u32, low)).ok()?;
                    }
                }
            }
        }
        Some(least)
    }

    /// Takes all triangles that begin at `most` or before. Gives whether it could take all of these.
    #[inline(always)]
    fn take_below<L: Lane<Scalar = f32>>(&self, simd: L::Simd, most: f64, cap: &mut Cap) -> bool {
        let (mut waiting, mut looks) = (Vec::<u32, WAITING>::new(), 0);
        if !(0..self.tree.sizes.roots).all(|root| waiting.push(root).is_ok()) {
            return false;
        }
        while let Some(at) = waiting.pop() {
            looks += 1;
            let Some(cluster) = self.tree.clusters.get(at as usize).filter(|_| looks <= LOOKS) else { return false };
            let Some((lows, moves)) = self.lows::<L>(simd, cluster) else { return false };
            for (lane, low) in lows.into_iter().enumerate() {
                if low > most {
                    continue;
                }
                if cluster.is_fine() {
                    if !cap.take(cluster, lane, moves) {
                        return false;
                    }
                    continue;
                }
                for child in cluster.children(lane) {
                    if waiting.push(child as u32).is_err() {
                        return false;
                    }
                }
            }
        }
        true
    }
}

/// Four nodes at once, which every machine supports.
type Quad = <Four as Simd>::F32;

/// Positions of one corner of each node of a cluster along a direction.
#[inline(always)]
fn along(cluster: &Cluster, corner: usize, [x, y, z]: [Quad; 3]) -> Quad {
    let row = |c: usize| &cluster.rows[Cluster::row(corner, c)];
    let [of_x, of_y, of_z] = [Quad::load(FOUR, row(0), 0), Quad::load(FOUR, row(1), 0), Quad::load(FOUR, row(2), 0)];
    of_x.fused(x, of_y.fused(y, of_z * z))
}

/// The smallest of four numbers.
#[inline(always)]
fn first_of(lows: &[f32; WIDTH]) -> f32 {
    min(min(lows[0], lows[1]), min(lows[2], lows[3]))
}
