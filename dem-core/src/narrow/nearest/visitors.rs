//! Goals of a search around a point: the closest triangle, decided canonically; all triangles within a bound; the number of triangles at a vertex.

use super::bound::{Seen, load};
use super::records::{Goal, Hit, Local, Near};
use crate::mesh::MeshRef;
use crate::real::{Real, min};
use crate::simd::{Lane, Mask, Simd};
use crate::surrogate::Cluster;
use crate::triangle::Feature;
use crate::triangle::kernel::{decide, number, point_triangle, triangle_feature};

/// Iterates over the lanes of a cluster whose bits are set.
pub(super) struct Bits(pub u32);

impl Iterator for Bits {
    type Item = usize;

    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        if self.0 == 0 {
            return None;
        }
        let lane = self.0.trailing_zeros() as usize & 3;
        self.0 &= self.0 - 1;
        Some(lane)
    }
}

/// Triangles that are decided at once: a multiple of every number of lanes.
pub(super) const BLOCK: usize = 8;

/// Triangles that wait to be decided together.
pub(super) struct Waiting {
    ids: [u32; BLOCK],
    gaps: [f64; BLOCK],
    number: usize,
}

impl Waiting {
    pub const NONE: Waiting = Waiting { ids: [0; BLOCK], gaps: [0.0; BLOCK], number: 0 };

    /// Whether there is no room for another triangle.
    #[inline(always)]
    fn is_full(&self) -> bool {
        self.number == BLOCK
    }

    #[inline(always)]
    fn add(&mut self, triangle: u32, below: f64) {
        if let (Some(id), Some(gap)) = (self.ids.get_mut(self.number), self.gaps.get_mut(self.number)) {
            (*id, *gap) = (triangle, below);
            self.number += 1;
        }
    }

    /// Takes all triangles out, and gives those that may be within the limit, and their number.
    #[inline(always)]
    fn take(&mut self, limit: f64) -> ([u32; BLOCK], usize) {
        let (mut ids, mut number) = ([0; BLOCK], 0);
        for (id, gap) in self.ids.iter().zip(&self.gaps).take(self.number) {
            if *gap <= limit {
                ids[number & (BLOCK - 1)] = *id;
                number += 1;
            }
        }
        self.number = 0;
        (ids, number)
    }
}

/// Finds the triangle with the smallest canonical distance.
pub(super) struct Closest<'c, S> {
    pub simd: S,
    pub mesh: &'c MeshRef<'c>,
    pub local: &'c Local,
    pub bound: f64,
    /// The closest triangle is no farther than this, if it is within the bound.
    pub limit: f64,
    pub waiting: Waiting,
    pub best: Option<Hit>,
}

impl<S: Simd> Goal for Closest<'_, S> {
    #[inline(always)]
    fn limit(&self) -> f64 {
        self.limit
    }

    #[inline(always)]
    fn passes(cluster: &Cluster) -> u32 {
        // Copies are left out: their originals are as close, and have smaller numbers.
        cluster.copies()
    }

    #[inline(always)]
    fn take(&mut self, seen: &Seen, cluster: &Cluster, near: u32) {
        let gaps = seen.gaps(cluster);
        for lane in Bits(near) {
            self.limit = min(self.limit, gaps.above[lane]);
        }
        for lane in Bits(near) {
            if gaps.below[lane] <= self.limit {
                if self.waiting.is_full() {
                    self.decide();
                }
                self.waiting.add(cluster.link[lane], gaps.below[lane]);
            }
        }
    }

    #[inline(always)]
    fn finish(&mut self) {
        self.decide();
    }
}

impl<S: Simd> Closest<'_, S> {
    #[inline(always)]
    fn decide(&mut self) {
        let (ids, number) = self.waiting.take(self.limit);
        let ids = &ids[..number];
        let found = BlockResult::of(self.simd, &Columns::of(self.mesh, self.local, ids));
        for (c, triangle) in ids.iter().enumerate() {
            let hit = found.hit(self.mesh, self.local, c, *triangle);
            let better = match self.best {
                None => hit.distance <= self.bound,
                Some(best) => (hit.distance, hit.triangle) < (best.distance, best.triangle),
            };
            if better {
                self.best = Some(hit);
                self.limit = min(self.limit, hit.distance);
            }
        }
    }
}

/// Collects all triangles that are nearer than a bound, in arbitrary order. Triangles beyond the room are only counted.
pub(super) struct Within<'c, 'o, S> {
    pub simd: S,
    pub mesh: &'c MeshRef<'c>,
    pub local: &'c Local,
    pub bound: f64,
    pub waiting: Waiting,
    pub out: &'o mut [Near],
    pub number: usize,
}

impl<S: Simd> Goal for Within<'_, '_, S> {
    #[inline(always)]
    fn limit(&self) -> f64 {
        self.bound
    }

    #[inline(always)]
    fn take(&mut self, seen: &Seen, cluster: &Cluster, near: u32) {
        let gaps = seen.gaps(cluster);
        for lane in Bits(near) {
            if gaps.below[lane] <= self.bound {
                if self.waiting.is_full() {
                    self.finish();
                }
                self.waiting.add(cluster.link[lane], gaps.below[lane]);
            }
        }
    }

    #[inline(always)]
    fn finish(&mut self) {
        let (ids, number) = self.waiting.take(self.bound);
        let ids = &ids[..number];
        let found = BlockResult::of(self.simd, &Columns::of(self.mesh, self.local, ids));
        for (c, triangle) in ids.iter().enumerate() {
            let Hit { triangle, distance, point, .. } = found.hit(self.mesh, self.local, c, *triangle);
            if distance < self.bound {
                if let Some(to) = self.out.get_mut(self.number) {
                    *to = Near { distance, point: point.map(|x| x / self.local.scale), triangle, group: 0 };
                }
                self.number += 1;
            }
        }
    }
}

/// Points and triangles, each pair scaled.
pub(super) struct Columns {
    corners: [[f64; BLOCK]; 9],
    points: [[f64; BLOCK]; 3],
    pub number: usize,
}

impl Columns {
    pub const NONE: Columns = Columns { corners: [[0.0; BLOCK]; 9], points: [[0.0; BLOCK]; 3], number: 0 };

    /// Columns for one point and some triangles.
    #[inline(always)]
    fn of(mesh: &MeshRef<'_>, local: &Local, candidates: &[u32]) -> Columns {
        let mut columns = Columns::NONE;
        for triangle in candidates.iter().take(BLOCK) {
            columns.add(mesh, local, *triangle);
        }
        columns
    }

    #[inline(always)]
    pub fn add(&mut self, mesh: &MeshRef<'_>, local: &Local, triangle: u32) {
        let at = self.number & (BLOCK - 1);
        let t = local.triangle(mesh, triangle);
        for (row, x) in self.corners.iter_mut().zip(t.as_flattened()) {
            row[at] = *x;
        }
        for (row, x) in self.points.iter_mut().zip(local.scaled()) {
            row[at] = x;
        }
        self.number += 1;
    }
}

/// The results of the lanes.
pub(super) struct BlockResult {
    distance2: [f64; BLOCK],
    /// Rows: part, s, t, turn.
    place: [[f64; BLOCK]; 4],
    point: [[f64; BLOCK]; 3],
    /// Bits of the columns that must be decided one by one.
    open: u32,
}

impl BlockResult {
    #[inline(always)]
    pub fn of<S: Simd>(simd: S, columns: &Columns) -> BlockResult {
        let mut found =
            BlockResult { distance2: [0.0; BLOCK], place: [[0.0; BLOCK]; 4], point: [[0.0; BLOCK]; 3], open: 0 };
        let mut at = 0;
        while at < columns.number {
            distances::<S::F64>(simd, columns, at, &mut found);
            at += S::F64::LANES;
        }
        found
    }

    #[inline(always)]
    pub fn hit(&self, mesh: &MeshRef<'_>, local: &Local, c: usize, triangle: u32) -> Hit {
        if self.open >> c & 1 == 1 {
            return settle(local, mesh, triangle);
        }
        let place = [0, 1, 2, 3].map(|k| self.place[k][c]);
        let distance = Real::sqrt(self.distance2[c]) * (1.0 / local.scale);
        Hit { triangle, feature: feature(place), distance, point: [0, 1, 2].map(|k| self.point[k][c]) }
    }
}

#[inline(always)]
fn feature([part, s, t, turn]: [f64; 4]) -> Feature {
    triangle_feature(part as usize, turn as usize, s, t).0
}

/// Squares of scaled distances up to this are decided by exact predicates: (2^-44)^2, far above the error of distances.
const NEARLY_TOUCHING: f64 = f64::from_bits((1023 - 88) << 52);

#[inline(always)]
fn distances<L: Lane<Scalar = f64>>(
    simd: L::Simd,
    Columns { corners, points, .. }: &Columns,
    at: usize,
    found: &mut BlockResult,
) {
    let p = load::<L, _>(simd, points, 0, at);
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

/// Decides a column that the lanes left open. The point counts as a triangle without size, so that the full decision for triangle pairs applies.
#[inline(never)]
fn settle(local: &Local, mesh: &MeshRef<'_>, triangle: u32) -> Hit {
    let p = local.scaled();
    let answer = decide(&[p; 3], &local.triangle(mesh, triangle));
    let distance = answer.distance / local.scale;
    let point = if distance == 0.0 { p } else { answer.point_b };
    Hit { triangle, feature: feature(answer.place_b), distance, point }
}

/// Counts the triangles at a vertex.
pub(super) struct Meeting<'c> {
    pub mesh: &'c MeshRef<'c>,
    pub vertex: u32,
    pub number: usize,
}

impl Goal for Meeting<'_> {
    #[inline(always)]
    fn limit(&self) -> f64 {
        0.0
    }

    #[inline(always)]
    fn take(&mut self, _: &Seen, cluster: &Cluster, near: u32) {
        for lane in Bits(near) {
            let [a, b, c] = self.mesh.welded(cluster.link[lane] as usize);
            let at = a == self.vertex || b == self.vertex || c == self.vertex;
            self.number += usize::from(at && a != b && b != c && c != a);
        }
    }
}

/// The closest of all triangles, tested one after another.
#[cfg(test)]
pub(crate) fn among_all(mesh: &MeshRef<'_>, local: &Local) -> Option<Hit> {
    let (simd, bound) = (crate::simd::Portable::<1, 1>, f64::INFINITY);
    let mut goal = Closest { simd, mesh, local, bound, limit: bound, waiting: Waiting::NONE, best: None };
    for triangle in 0..mesh.len() as u32 {
        goal.waiting.add(triangle, 0.0);
        goal.decide();
    }
    goal.best
}
