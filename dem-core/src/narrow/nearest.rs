//! One point down a tree, to the closest triangle.
//!
//! Up to four clusters are taken off a stack at once, nearest first, so that sixteen nodes are tested together. For each a
//! lower bound of the distance is computed in f32: whatever the direction d, no point of a triangle is nearer than the
//! smallest of d.(p - v) / |d| over its corners v; d is taken from the closest point as f32 sees it, which makes the bound
//! sharp. Less the node's halo it holds for everything below. (Where all triangles have the same halo, that is part of the
//! node's, but not of the distance, and is given back.)
//!
//! # Rounding
//! Let u = 2^-24, p the point as seen from the cluster's origin, and M = |p| + reach; no corner, no difference and no halo
//! exceeds M. Everything is scaled by a power of two to M in [1, 2), so nothing overflows or vanishes. Stored numbers carry
//! no error.
//! * p, rounded to f32, is displaced by u M.
//! * p - v errs by u M more; its dot product with d by 3 u M |d|, fused or not.
//! * |d| errs by 2.5 u of itself, the quotient by u: 3.5 u M.
//! * Taking off the halo errs by u M.
//!
//! The sum is 9.5 u M; the slack is 12 u M. What it has over is more than 1e-7 M, and covers what canonical distances
//! err by: less than 1e-12 M. (Triangles that are treated as their edges have too large ones, which does no harm.)
//!
//! # Bound of the stack
//! As in `traverse`: each height is present with what one step pushes at most.

use super::Operand;
use super::frame::length;
use crate::error::{Error, Kind, Result, What};
use crate::mesh::{MeshRef, NONE};
use crate::real::{Real, max};
use crate::simd::{Lane, Mask, Simd, Vec3};
use crate::surrogate::{Cluster, TreeRef};
use crate::triangle::kernel::{decide, number, point_triangle, triangle_feature};
use crate::triangle::{BLOCK, Feature};

/// Clusters taken at once.
const AT_ONCE: usize = 4;

/// A point in the body's frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct Local {
    pub point: [f64; 3],
    /// A power of two that takes the point and the mesh to about 1.
    pub scale: f64,
}

impl Local {
    pub fn new(point: [f64; 3], extent: f64) -> Local {
        let size = point.into_iter().fold(extent, |m, x| max(m, x.abs()));
        Local { point, scale: size.inverse_exponent() }
    }

    pub fn scaled(&self) -> [f64; 3] {
        self.point.map(|x| x * self.scale)
    }

    /// A triangle of the mesh in the same units.
    #[inline(always)]
    pub fn triangle(&self, mesh: &MeshRef<'_>, i: u32) -> [[f64; 3]; 3] {
        mesh.triangle(i as usize).map(|v| v.map(|x| x * self.scale))
    }
}

/// The closest triangle.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hit {
    pub triangle: u32,
    pub feature: Feature,
    pub distance: f64,
    /// The closest point, in the body's frame, scaled.
    pub point: [f64; 3],
}

impl Hit {
    /// The corner that is closest, if one is.
    pub fn corner(&self) -> Option<usize> {
        let corner = self.feature as usize;
        if corner < 3 { Some(corner) } else { None }
    }

    /// The same as a welded vertex.
    pub fn vertex(&self, mesh: &MeshRef<'_>) -> Option<u32> {
        self.corner().map(|corner| mesh.welded(self.triangle as usize)[corner])
    }
}

/// Clusters that a search may have to keep.
pub(super) fn stack_size(tree: &TreeRef<'_>) -> u64 {
    let clusters = u64::from(tree.sizes.fan_out).div_ceil(4);
    let heights = u64::from(tree.sizes.depth) + 1;
    (heights * (4 * AT_ONCE) as u64).saturating_mul(clusters).saturating_add(u64::from(tree.sizes.roots))
}

/// What a search of a tree for triangles near a point is made of.
pub(super) struct Search<'t, 's> {
    pub mesh: MeshRef<'t>,
    tree: TreeRef<'t>,
    /// No corner of the mesh is farther from the origin of its frame.
    pub extent: f64,
    /// The halo that all triangles have.
    shared: f64,
    stack: &'s mut [u32],
    gaps: &'s mut [f64],
}

/// What is to be done with triangles that may be near.
trait Goal<S: Simd> {
    /// Triangles farther away are of no interest. It may shrink as the search goes on.
    fn limit(&self) -> f64;
    /// Takes up to sixteen.
    fn take(&mut self, candidates: &[u32]);
}

impl<'t, 's> Search<'t, 's> {
    pub fn new(operand: &Operand<'t>, stack: &'s mut [u32], gaps: &'s mut [f64]) -> Self {
        let mesh = operand.mesh;
        let shared = if mesh.sizes.halos == 0 { mesh.largest_halo() } else { 0.0 };
        let extent = length(mesh.centre()) + mesh.radius();
        Search { mesh, tree: operand.tree, extent, shared, stack, gaps }
    }

    /// The closest triangle within `bound`, whatever the guess.
    #[inline(always)]
    pub fn nearest<S: Simd>(&mut self, simd: S, local: &Local, bound: f64, guess: u32) -> Result<Option<Hit>> {
        let mesh = self.mesh;
        let mut goal = Closest { simd, mesh: &mesh, local, bound, best: None };
        if guess != NONE {
            Goal::<S>::take(&mut goal, &[guess]);
        }
        self.walk(simd, local.point, &mut goal)?;
        Ok(goal.best)
    }

    /// How many corners of triangles are this welded vertex, at which `hit` is. Of triangles with two equal corners none is
    /// counted.
    #[inline(always)]
    pub fn meeting<S: Simd>(&mut self, simd: S, hit: &Hit, vertex: u32) -> Result<usize> {
        let mesh = self.mesh;
        let point = hit.corner().map_or([0.0; 3], |corner| mesh.triangle(hit.triangle as usize)[corner]);
        let mut goal = Meeting { mesh: &mesh, vertex, number: 0 };
        self.walk(simd, point, &mut goal)?;
        Ok(goal.number)
    }

    #[inline(always)]
    fn walk<S: Simd, G: Goal<S>>(&mut self, simd: S, point: [f64; 3], goal: &mut G) -> Result<()> {
        let mut len = 0;
        for root in 0..self.tree.sizes.roots {
            self.push(&mut len, root, 0.0)?;
        }
        let mut batch = Batch::new();
        while len > 0 {
            let first = len.saturating_sub(AT_ONCE);
            let limit = goal.limit();
            batch.number = 0;
            for at in first..len {
                if self.gaps[at] <= limit {
                    let cluster = self.tree.clusters.get(self.stack[at] as usize).ok_or_else(damaged)?;
                    let origin = self.tree.origins.get(cluster.origin()).ok_or_else(damaged)?;
                    batch.add(cluster, point, origin.centre, origin.reach, self.shared);
                }
            }
            len = first;
            if batch.number == 0 {
                continue;
            }
            batch.bound(simd);
            let mut candidates = [0; 4 * AT_ONCE];
            let mut found = 0;
            for c in 0..batch.number {
                let cluster = batch.clusters[c];
                let (near, number) = batch.near(c, cluster.count(), limit);
                for (gap, lane) in &near[..number] {
                    if cluster.is_fine() {
                        candidates[found & (4 * AT_ONCE - 1)] = cluster.link[lane & 3];
                        found += 1;
                    } else {
                        for child in cluster.children(*lane) {
                            self.push(&mut len, child as u32, *gap)?;
                        }
                    }
                }
            }
            goal.take(&candidates[..found]);
        }
        Ok(())
    }

    /// Errors: [`Kind::Damaged`]: the stack holds whatever a sound tree can lead to.
    #[inline(always)]
    fn push(&mut self, len: &mut usize, cluster: u32, gap: f64) -> Result<()> {
        let (Some(item), Some(to)) = (self.stack.get_mut(*len), self.gaps.get_mut(*len)) else { return Err(damaged()) };
        (*item, *to) = (cluster, gap);
        *len += 1;
        Ok(())
    }
}

#[cold]
fn damaged() -> Error {
    Error::new(Kind::Damaged, What::Tree)
}

/// An empty cluster, for places of a batch that are not in use.
static NOTHING: Cluster = Cluster { rows: [[0.0; 4]; 14], link: [NONE; 4], meta: [0; 4] };

/// Up to four clusters side by side, and the point as each sees it.
struct Batch<'t> {
    clusters: [&'t Cluster; AT_ONCE],
    number: usize,
    /// Rows 0 to 8: corners; 9: halo; 10 to 12: point.
    rows: [[f32; 4 * AT_ONCE]; 13],
    bounds: [f32; 4 * AT_ONCE],
    /// From a scaled length to the body's, and what is taken off it then.
    unscale: [f64; AT_ONCE],
    slack: [f64; AT_ONCE],
}

/// In units of u M.
const SLACK: f64 = 12.0;

impl<'t> Batch<'t> {
    fn new() -> Self {
        let (rows, bounds) = ([[0.0; 4 * AT_ONCE]; 13], [0.0; 4 * AT_ONCE]);
        Batch { clusters: [&NOTHING; AT_ONCE], number: 0, rows, bounds, unscale: [1.0; AT_ONCE], slack: [0.0; AT_ONCE] }
    }

    #[inline(always)]
    fn add(&mut self, cluster: &'t Cluster, point: [f64; 3], centre: [f64; 3], reach: f64, shared: f64) {
        let c = self.number & (AT_ONCE - 1);
        let seen = [0, 1, 2].map(|k| point[k] - centre[k]);
        let size = length(seen) + reach;
        let scale = scale_of(size);
        let scale32 = scale as f32;
        for (to, from) in self.rows.iter_mut().zip(&cluster.rows[..10]) {
            for lane in 0..4 {
                to[4 * c + lane] = from[lane] * scale32;
            }
        }
        for (row, x) in self.rows[10..].iter_mut().zip(seen) {
            row[4 * c..4 * c + 4].fill((x * scale) as f32);
        }
        self.clusters[c] = cluster;
        self.unscale[c] = 1.0 / scale;
        self.slack[c] = SLACK * f64::from(f32::UNIT_ROUNDOFF) * size - shared;
        self.number = c + 1;
    }

    #[inline(always)]
    fn bound<S: Simd>(&mut self, simd: S) {
        let mut part = 0;
        while part * S::F32::LANES < 4 * self.number {
            let at = part * S::F32::LANES;
            below::<S::F32>(simd, &self.rows, at).store(&mut self.bounds, at);
            part += 1;
        }
    }

    /// The nodes of a cluster that may be within the limit, farthest first.
    #[inline(always)]
    fn near(&self, c: usize, count: usize, limit: f64) -> ([(f64, usize); 4], usize) {
        let mut near = [(0.0, 0); 4];
        let mut number = 0;
        for lane in 0..crate::real::min(count, 4) {
            let gap = f64::from(self.bounds[4 * c + lane]) * self.unscale[c] - self.slack[c];
            if gap <= limit {
                let mut at = number;
                while at > 0 && near[at - 1].0 < gap {
                    near[at] = near[at - 1];
                    at -= 1;
                }
                near[at] = (gap, lane);
                number += 1;
            }
        }
        (near, number)
    }
}

/// A power of two that takes a size into [1, 2); less for sizes so small that f32 does not reach that far.
#[inline(always)]
fn scale_of(size: f64) -> f64 {
    const MOST: f64 = f64::from_bits((1023 + 126) << 52);
    let scale = size.inverse_exponent();
    if scale < MOST { scale } else { MOST }
}

/// Three rows as vectors.
#[inline(always)]
fn load<L: Lane, R: AsRef<[L::Scalar]>>(simd: L::Simd, rows: &[R], row: usize, at: usize) -> Vec3<L> {
    Vec3([
        L::load(simd, rows[row].as_ref(), at),
        L::load(simd, rows[row + 1].as_ref(), at),
        L::load(simd, rows[row + 2].as_ref(), at),
    ])
}

/// Lower bounds of the distances of sixteen nodes, but for the slack.
#[inline(always)]
fn below<L: Lane<Scalar = f32>>(simd: L::Simd, rows: &[[f32; 4 * AT_ONCE]; 13], at: usize) -> L {
    let v = [load::<L, _>(simd, rows, 0, at), load::<L, _>(simd, rows, 3, at), load::<L, _>(simd, rows, 6, at)];
    let p = load::<L, _>(simd, rows, 10, at);
    let d = p - point_triangle::<L>(simd, p, v).point;
    let (x, y, z) = (d.dot(p - v[0]), d.dot(p - v[1]), d.dot(p - v[2]));
    let least = x.min(y).min(z);
    let length2 = d.dot(d);
    // Shorter directions prove nothing that the slack leaves over.
    let some = L::splat(simd, 1e-20).lt(length2);
    let gap = least / L::select(some, length2, L::splat(simd, 1.0)).sqrt();
    L::select(some, gap, L::splat(simd, 0.0)) - L::load(simd, &rows[9], at)
}

/// Canonical distances, and the smallest of them.
struct Closest<'c, S> {
    simd: S,
    mesh: &'c MeshRef<'c>,
    local: &'c Local,
    bound: f64,
    best: Option<Hit>,
}

impl<S: Simd> Goal<S> for Closest<'_, S> {
    #[inline(always)]
    fn limit(&self) -> f64 {
        self.best.map_or(self.bound, |best| best.distance)
    }

    #[inline(always)]
    fn take(&mut self, candidates: &[u32]) {
        let mut corners = [[0.0; BLOCK]; 9];
        for (c, triangle) in candidates.iter().enumerate().take(BLOCK) {
            let t = self.local.triangle(self.mesh, *triangle);
            for (row, x) in corners.iter_mut().zip(t.as_flattened()) {
                row[c] = *x;
            }
        }
        let mut found = Found { distance2: [0.0; BLOCK], place: [[0.0; BLOCK]; 4], point: [[0.0; BLOCK]; 3], open: 0 };
        let mut at = 0;
        while at < candidates.len() {
            distances::<S::F64>(self.simd, self.local, &corners, at, &mut found);
            at += S::F64::LANES;
        }
        let unscale = 1.0 / self.local.scale;
        for (c, triangle) in candidates.iter().enumerate().take(BLOCK) {
            let hit = match found.open >> c & 1 {
                0 => found.hit(c, *triangle, unscale),
                _ => settle(self.local, self.mesh, *triangle),
            };
            let better = match self.best {
                None => hit.distance <= self.bound,
                Some(best) => (hit.distance, hit.triangle) < (best.distance, best.triangle),
            };
            if better {
                self.best = Some(hit);
            }
        }
    }
}

/// What the lanes find.
struct Found {
    distance2: [f64; BLOCK],
    /// part, s, t, turn
    place: [[f64; BLOCK]; 4],
    point: [[f64; BLOCK]; 3],
    /// Columns to be decided one by one.
    open: u32,
}

impl Found {
    #[inline(always)]
    fn hit(&self, c: usize, triangle: u32, unscale: f64) -> Hit {
        let place = [0, 1, 2, 3].map(|k| self.place[k][c]);
        let distance = Real::sqrt(self.distance2[c]) * unscale;
        Hit { triangle, feature: feature(place), distance, point: [0, 1, 2].map(|k| self.point[k][c]) }
    }
}

#[inline(always)]
fn feature([part, s, t, turn]: [f64; 4]) -> Feature {
    triangle_feature(part as usize, turn as usize, s, t).0
}

/// Squares of scaled distances up to this are left to exact predicates: (2^-44)^2, far above the error of distances.
const NEARLY_TOUCHING: f64 = f64::from_bits((1023 - 88) << 52);

#[inline(always)]
fn distances<L: Lane<Scalar = f64>>(
    simd: L::Simd,
    local: &Local,
    corners: &[[f64; BLOCK]; 9],
    at: usize,
    found: &mut Found,
) {
    let p = Vec3::splat(simd, local.scaled());
    let v =
        [load::<L, _>(simd, corners, 0, at), load::<L, _>(simd, corners, 3, at), load::<L, _>(simd, corners, 6, at)];
    let near = point_triangle::<L>(simd, p, v);
    let open = near.hard | near.distance2.le(number(simd, NEARLY_TOUCHING));
    near.distance2.store(&mut found.distance2, at);
    near.part.store(&mut found.place[0], at);
    near.s.store(&mut found.place[1], at);
    near.t.store(&mut found.place[2], at);
    near.turn.store(&mut found.place[3], at);
    for k in 0..3 {
        near.point.0[k].store(&mut found.point[k], at);
    }
    found.open |= open.bits() << at;
}

/// Decides what the lanes left open: the point as a triangle without size, by everything that pairs of triangles have.
#[inline(never)]
fn settle(local: &Local, mesh: &MeshRef<'_>, triangle: u32) -> Hit {
    let p = local.scaled();
    let answer = decide(&[p; 3], &local.triangle(mesh, triangle));
    let distance = answer.distance / local.scale;
    let point = if distance == 0.0 { p } else { answer.point_b };
    Hit { triangle, feature: feature(answer.place_b), distance, point }
}

/// Counts the triangles at a vertex.
struct Meeting<'c> {
    mesh: &'c MeshRef<'c>,
    vertex: u32,
    number: usize,
}

impl<S: Simd> Goal<S> for Meeting<'_> {
    #[inline(always)]
    fn limit(&self) -> f64 {
        0.0
    }

    #[inline(always)]
    fn take(&mut self, candidates: &[u32]) {
        for triangle in candidates {
            let [a, b, c] = self.mesh.welded(*triangle as usize);
            let at = a == self.vertex || b == self.vertex || c == self.vertex;
            self.number += usize::from(at && a != b && b != c && c != a);
        }
    }
}

/// The closest of all triangles, one after another.
#[cfg(test)]
pub(super) fn among_all(mesh: &MeshRef<'_>, local: &Local) -> Option<Hit> {
    let mut goal = Closest { simd: crate::simd::Portable::<1, 1>, mesh, local, bound: f64::INFINITY, best: None };
    for i in 0..mesh.len() as u32 {
        goal.take(&[i]);
    }
    goal.best
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::{Isa, Kernel, dispatch};
    use crate::triangle::distance_point_triangle;
    use crate::triangle::tests::Random;

    struct Bound<'t, 'c>(&'t mut Batch<'c>);

    impl Kernel for Bound<'_, '_> {
        type Output = ();
        #[inline(always)]
        fn run<S: Simd>(self, simd: S) {
            self.0.bound(simd);
        }
    }

    /// Largest amount by which the bound in f32 exceeds the distance in f64, in units of u M.
    fn largest_error(isa: Isa) -> f64 {
        let mut random = Random(31);
        let mut largest = 0.0;
        for case in 0..20_000 {
            let mut cluster = Cluster { rows: [[0.0; 4]; 14], link: [0; 4], meta: [4, 0, 0, 0] };
            let size = libm::ldexp(1.0, (case % 9) - 8);
            let mut reach = 0.0;
            for lane in 0..4 {
                let centre = [0; 3].map(|_| random.next() - 0.5);
                for k in 0..3 {
                    let v = centre.map(|c| (c + size * (random.next() - 0.5)) as f32);
                    (0..3).for_each(|c| cluster.rows[3 * k + c][lane] = v[c]);
                    reach = max(reach, length(v.map(f64::from)));
                }
            }
            let away = libm::ldexp(1.0, case / 9 % 8 - 4);
            let point = [0; 3].map(|_| (random.next() - 0.5) * away);
            let mut batch = Batch::new();
            batch.add(&cluster, point, [0.0; 3], reach, 0.0);
            dispatch(isa, Bound(&mut batch));
            let unit = batch.slack[0] / SLACK;
            for lane in 0..4 {
                let t = cluster.triangle(lane).map(|v| v.map(f64::from));
                let Ok(near) = distance_point_triangle(point, t) else { continue };
                let bound = f64::from(batch.bounds[lane]) * batch.unscale[0];
                largest = max(largest, (bound - near.distance) / unit);
            }
        }
        largest
    }

    #[test]
    fn the_bound_in_single_precision_exceeds_no_distance_by_more_than_the_slack() {
        for isa in Isa::list() {
            let ratio = largest_error(*isa) / SLACK;
            assert!(ratio < 1.0 && ratio > 0.05, "{}: {ratio}", isa.name());
        }
    }

    #[test]
    fn the_bound_is_sharp() {
        let mut cluster = Cluster { rows: [[0.0; 4]; 14], link: [0; 4], meta: [1, 0, 0, 0] };
        for (k, v) in [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]].iter().enumerate() {
            (0..3).for_each(|c| cluster.rows[3 * k + c] = [v[c]; 4]);
        }
        for (point, distance) in [([0.25, 0.25, 0.5], 0.5), ([-3.0, -4.0, 0.0], 5.0), ([0.5, -2.0, 0.0], 2.0)] {
            let mut batch = Batch::new();
            batch.add(&cluster, point, [0.0; 3], 1.0, 0.0);
            batch.bound(crate::simd::Portable::<1, 1>);
            let bound = f64::from(batch.bounds[0]) * batch.unscale[0];
            assert!((bound - distance).abs() < 1e-6, "{bound} {distance}");
        }
    }
}
