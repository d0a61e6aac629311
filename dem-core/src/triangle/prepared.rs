//! Triangles prepared for all tests, and their closest points, in each lane.

use super::accuracy::{Accuracy, Vertices, number};
use crate::simd::{Lane, Mask, Vec3};

/// One triangle per lane, with the data that all tests need.
#[derive(Clone, Copy)]
pub(super) struct Prepared<L> {
    pub vertex: Vertices<L>,
    /// Edge k goes from vertex k to vertex k + 1.
    pub edge: [Vec3<L>; 3],
    /// 1 / |edge|^2, 0 for an edge of length 0.
    pub inverse: [L; 3],
    /// Longest |edge|^2.
    pub longest: L,
    /// Sum of |edge|^2: not finite if a coordinate is not finite.
    pub total: L,
    /// The vertex with the widest angle, and from it to the next and to the previous vertex.
    pub base: Vec3<L>,
    pub next: Vec3<L>,
    pub previous: Vec3<L>,
    /// The index of that vertex: 0, 1 or 2.
    pub turn: L,
    /// next x previous, and its squared length.
    pub normal: Vec3<L>,
    pub normal2: L,
    /// 1 / |normal|^2, 0 for a triangle that is treated as its edges.
    pub by_normal2: L,
    /// sin^2 of the widest angle.
    pub sin2: L,
}

impl<L: Lane> Prepared<L>
where
    L::Scalar: Accuracy,
{
    #[inline(always)]
    pub(super) fn new(simd: L::Simd, v: Vertices<L>) -> Self {
        let (zero, one) = (number::<L>(simd, 0.0), number(simd, 1.0));
        let edge = [v[1] - v[0], v[2] - v[1], v[0] - v[2]];
        let length2 = [edge[0].dot(edge[0]), edge[1].dot(edge[1]), edge[2].dot(edge[2])];
        let mut inverse = length2;
        for k in 0..3 {
            let some = zero.lt(length2[k]);
            inverse[k] = L::select(some, one / L::select(some, length2[k], one), zero);
        }
        // The widest angle is opposite the longest edge: edge 1 for vertex 0, edge 2 for vertex 1, edge 0 for vertex 2.
        let second = length2[1].lt(length2[2]);
        let longest12 = length2[1].max(length2[2]);
        let third = longest12.lt(length2[0]);
        let base = choose3(second, third, v[0], v[1], v[2]);
        let next = choose3(second, third, edge[0], edge[1], edge[2]);
        let previous = -choose3(second, third, edge[2], edge[0], edge[1]);
        let turn = L::select(third, number(simd, 2.0), L::select(second, one, zero));
        let by_next = L::select(third, inverse[2], L::select(second, inverse[1], inverse[0]));
        let by_previous = L::select(third, inverse[1], L::select(second, inverse[0], inverse[2]));
        let normal = next.cross(previous);
        let normal2 = normal.dot(normal);
        let sin2 = normal2 * by_next * by_previous;
        let proper = number::<L>(simd, <L::Scalar as Accuracy>::FLAT).lt(sin2);
        let by_normal2 = L::select(proper, one / L::select(proper, normal2, one), zero);
        let longest = longest12.max(length2[0]);
        let total = length2[0] + length2[1] + length2[2];
        Prepared {
            vertex: v,
            edge,
            inverse,
            longest,
            total,
            base,
            next,
            previous,
            turn,
            normal,
            normal2,
            by_normal2,
            sin2,
        }
    }
}

impl<L: Lane> Prepared<L> {
    /// Coordinates of a point of the plane, along `next` and `previous`; 0 in a triangle that is treated as its edges.
    #[inline(always)]
    pub fn coordinates(&self, point: Vec3<L>) -> (L, L) {
        let r = point - self.base;
        let (x, y) = (r.dot(self.previous.cross(self.normal)), r.dot(self.normal.cross(self.next)));
        (x * self.by_normal2, y * self.by_normal2)
    }
}

#[inline(always)]
pub(super) fn choose3<L: Lane>(second: L::Mask, third: L::Mask, x0: Vec3<L>, x1: Vec3<L>, x2: Vec3<L>) -> Vec3<L> {
    Vec3::select(third, x2, Vec3::select(second, x1, x0))
}

/// The place of a closest point on one triangle: on edge `part` (0, 1, 2) at parameter `s`, or (`part` 3) in the face at
/// `base + s next + t previous`.
#[derive(Clone, Copy)]
pub(crate) struct Place<L> {
    pub part: L,
    pub s: L,
    pub t: L,
}

impl<L: Lane> Place<L> {
    #[inline(always)]
    pub fn select(mask: L::Mask, a: Self, b: Self) -> Self {
        let part = L::select(mask, a.part, b.part);
        Place { part, s: L::select(mask, a.s, b.s), t: L::select(mask, a.t, b.t) }
    }

    #[inline(always)]
    pub fn overwrite(&mut self, mask: L::Mask, part: L, s: L, t: L) {
        self.part = L::select(mask, part, self.part);
        self.s = L::select(mask, s, self.s);
        self.t = L::select(mask, t, self.t);
    }
}

/// The result in each lane.
#[derive(Clone, Copy)]
pub(crate) struct Closest<L: Lane> {
    pub distance2: L,
    pub point_a: Vec3<L>,
    pub point_b: Vec3<L>,
    pub place_a: Place<L>,
    pub place_b: Place<L>,
    pub turn_a: L,
    pub turn_b: L,
    /// Lanes whose triangles certainly touch (a common vertex, or an edge clearly through a face): distance 0.
    pub touch: L::Mask,
    /// Lanes in which neither touching nor being apart is certain: exact predicates must decide.
    pub unsure: L::Mask,
    /// Lanes in which a cap may have cost too many digits; irrelevant if the triangles touch.
    pub hard: L::Mask,
    /// Lanes with a coordinate that is NaN or infinite.
    pub not_finite: L::Mask,
}

impl<L: Lane> Closest<L> {
    /// A bit for each lane that needs more digits or exact predicates.
    #[inline(always)]
    pub fn open(&self) -> u32 {
        (self.unsure | (self.hard & !self.touch)).bits()
    }
}
