//! What becomes of triangles that may be near a point: the closest one, decided canonically; how many meet at a vertex.

use super::bound::load;
use super::{Goal, Hit, Local, Near};
use crate::mesh::MeshRef;
use crate::real::Real;
use crate::simd::{Lane, Mask, Simd, Vec3};
use crate::triangle::kernel::{decide, number, point_triangle, triangle_feature};
use crate::triangle::{BLOCK, Feature};

/// Canonical distances, and the smallest of them.
pub(super) struct Closest<'c, S> {
    pub simd: S,
    pub mesh: &'c MeshRef<'c>,
    pub local: &'c Local,
    pub bound: f64,
    pub best: Option<Hit>,
}

impl<S: Simd> Goal<S> for Closest<'_, S> {
    #[inline(always)]
    fn limit(&self) -> f64 {
        self.best.map_or(self.bound, |best| best.distance)
    }

    #[inline(always)]
    fn take(&mut self, candidates: &[u32]) {
        let found = Found::of(self.simd, self.mesh, self.local, candidates);
        for (c, triangle) in candidates.iter().enumerate().take(BLOCK) {
            let hit = found.hit(self.mesh, self.local, c, *triangle);
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

/// All triangles that are nearer than a bound, in no order of meaning: written as long as there is room, and counted.
pub(super) struct Within<'c, 'o, S> {
    pub simd: S,
    pub mesh: &'c MeshRef<'c>,
    pub local: &'c Local,
    pub bound: f64,
    pub out: &'o mut [Near],
    pub number: usize,
}

impl<S: Simd> Goal<S> for Within<'_, '_, S> {
    #[inline(always)]
    fn limit(&self) -> f64 {
        self.bound
    }

    #[inline(always)]
    fn take(&mut self, candidates: &[u32]) {
        let found = Found::of(self.simd, self.mesh, self.local, candidates);
        for (c, triangle) in candidates.iter().enumerate().take(BLOCK) {
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
    fn of<S: Simd>(simd: S, mesh: &MeshRef<'_>, local: &Local, candidates: &[u32]) -> Found {
        let mut corners = [[0.0; BLOCK]; 9];
        for (c, triangle) in candidates.iter().enumerate().take(BLOCK) {
            let t = local.triangle(mesh, *triangle);
            for (row, x) in corners.iter_mut().zip(t.as_flattened()) {
                row[c] = *x;
            }
        }
        let mut found = Found { distance2: [0.0; BLOCK], place: [[0.0; BLOCK]; 4], point: [[0.0; BLOCK]; 3], open: 0 };
        let mut at = 0;
        while at < candidates.len() {
            distances::<S::F64>(simd, local, &corners, at, &mut found);
            at += S::F64::LANES;
        }
        found
    }

    #[inline(always)]
    fn hit(&self, mesh: &MeshRef<'_>, local: &Local, c: usize, triangle: u32) -> Hit {
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
pub(super) struct Meeting<'c> {
    pub mesh: &'c MeshRef<'c>,
    pub vertex: u32,
    pub number: usize,
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
pub(crate) fn among_all(mesh: &MeshRef<'_>, local: &Local) -> Option<Hit> {
    let mut goal = Closest { simd: crate::simd::Portable::<1, 1>, mesh, local, bound: f64::INFINITY, best: None };
    for i in 0..mesh.len() as u32 {
        goal.take(&[i]);
    }
    goal.best
}
