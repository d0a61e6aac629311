//! Descends a tree with sixteen points at once, one in each lane. All points take the same path, so they must be near each other.
//!
//! # Rounding
//! Bounds and notation are those of `bound`, but nothing is scaled. M, here the sum of the point's coordinates and the reach, must be between 2^-30
//! and 2^30, or the points are computed one by one. So nothing overflows, and what underflows is less than 2^-63, far below u M.
//! * Lower bounds have two more roundings, of the slack and of the difference: 2 u M. The slack is 16 u M.
//! * Upper bounds have one more: 2 u M. The slack is 32 u M, as there.
//! * The turn of a point about an edge is the product of the vector from the edge's start with normal times edge. That product errs by 6 u |E|,
//!   which gives 10 u M |E|, and 10 more for the product and the vector. As |E| is at most 2 M, a turn of 64 u M^2 is certain.
//!
//! The closest point of an edge is computed with the inverse of the edge's square. Its rounding moves the point along the edge, which affects
//! neither bound. A direction shorter than 1e-7 M proves nothing, and its length is less than the slack.

use super::bound::load;
use super::packet::{BitsOfMany, Boxes, MANY, ManyStack, Packet, Row, Sight, height, largest_of, round_up};
use super::records::Hit;
use super::visitors::{BLOCK, BlockResult, Columns};
use super::{Search, damaged};
use crate::error::Result;
use crate::mesh::MeshRef;
use crate::real::{max, min};
use crate::simd::{FOUR, Four, Lane, Mask, Simd, Vec3};
use crate::surrogate::Cluster;

/// Bits of the points for which a bound is within the limit.
#[inline(always)]
fn within<L: Lane<Scalar = f32>>(simd: L::Simd, bounds: &Row, limit: &Row) -> u32 {
    let (mut bits, mut at) = (0, 0);
    while at < MANY {
        bits |= L::load(simd, bounds, at).le(L::load(simd, limit, at)).bits() << at;
        at += L::LANES;
    }
    bits
}

/// Bits of the nodes that may be within the limit of some point, by the box around all points.
#[inline(always)]
fn near_box(cluster: &Cluster, boxes: &Boxes, sight: &Sight, furthest: f32) -> u32 {
    type L = <Four as Simd>::F32;
    let mut way2 = L::splat(FOUR, 0.0);
    let mut k = 0;
    while k < 3 {
        let below = L::load(FOUR, &boxes.low[k], 0) - L::splat(FOUR, sight.high[k]);
        let above = L::splat(FOUR, sight.low[k]) - L::load(FOUR, &boxes.high[k], 0);
        let way = below.max(above).max(L::splat(FOUR, 0.0));
        way2 = way2 + way * way;
        k += 1;
    }
    let halo = L::load(FOUR, &cluster.rows[Cluster::HALO], 0);
    (way2.sqrt() - halo - L::splat(FOUR, sight.most)).le(L::splat(FOUR, furthest)).bits()
}

/// Lower bounds of the distances of the points to a node, from its plane and its box; and the bits of the points within the limit.
#[inline(always)]
fn rough<L: Lane<Scalar = f32>>(
    simd: L::Simd,
    sight: &Sight,
    (cluster, boxes, node): (&Cluster, &Boxes, usize),
    limit: &Row,
    bounds: &mut Row,
) -> u32 {
    let zero = L::splat(simd, 0.0);
    let halo = L::splat(simd, cluster.rows[Cluster::HALO][node & 3]);
    let (mut bits, mut at) = (0, 0);
    while at < MANY {
        let p = load::<L, _>(simd, &sight.point, 0, at);
        let mut way2 = zero;
        let mut k = 0;
        while k < 3 {
            let low = L::splat(simd, boxes.low[k][node & 3]);
            let high = L::splat(simd, boxes.high[k][node & 3]);
            let way = (low - p.0[k]).max(p.0[k] - high).max(zero);
            way2 = way.fused(way, way2);
            k += 1;
        }
        let gap = height::<L>(simd, cluster, node, p).abs().max(way2.sqrt());
        let bound = gap - halo - sight.slack::<L>(simd, at);
        bound.store(bounds, at);
        bits |= bound.le(L::load(simd, limit, at)).bits() << at;
        at += L::LANES;
    }
    bits
}

/// A triangle of a node, with all data that does not depend on points.
struct Shape {
    corner: [[f32; 3]; 3],
    edge: [[f32; 3]; 3],
    /// The inverse of the square of each edge.
    inverse: [f32; 3],
    /// Normal times edge.
    inward: [[f32; 3]; 3],
    normal: [f32; 3],
    halo: f32,
}

impl Shape {
    #[inline(always)]
    fn new(cluster: &Cluster, node: usize) -> Shape {
        let corner = cluster.triangle(node);
        let normal = [0, 1, 2].map(|c| cluster.rows[Cluster::row(3, c)][node & 3]);
        let mut shape =
            Shape { corner, edge: corner, inverse: [0.0; 3], inward: corner, normal, halo: cluster.halo(node) };
        let mut k = 0;
        while k < 3 {
            let (from, to) = (corner[k], corner[(k + 1) % 3]);
            let e = [to[0] - from[0], to[1] - from[1], to[2] - from[2]];
            let square = e[0] * e[0] + e[1] * e[1] + e[2] * e[2];
            shape.edge[k] = e;
            shape.inverse[k] = 1.0 / max(square, f32::MIN_POSITIVE);
            shape.inward[k] = crate::vector::cross(normal, e);
            k += 1;
        }
        shape
    }

    /// Lower bounds of the distances of the points to everything below the node. For a fine triangle, also lowers the limits to its upper bounds.
    #[inline(always)]
    fn exact<L: Lane<Scalar = f32>>(
        &self,
        simd: L::Simd,
        sight: &Sight,
        fine: bool,
        limit: &mut Row,
        bounds: &mut Row,
    ) {
        let (zero, one) = (L::splat(simd, 0.0), L::splat(simd, 1.0));
        let normal = Vec3::<L>::splat(simd, self.normal);
        let mut at = 0;
        while at < MANY {
            let p = load::<L, _>(simd, &sight.point, 0, at);
            let r = [
                p - Vec3::splat(simd, self.corner[0]),
                p - Vec3::splat(simd, self.corner[1]),
                p - Vec3::splat(simd, self.corner[2]),
            ];
            let turn = sight.turn::<L>(simd, at);
            let mut d = r[0];
            let mut length2 = d.dot_fused(d);
            let mut inside = zero.lt(one);
            let mut k = 0;
            while k < 3 {
                let edge = Vec3::<L>::splat(simd, self.edge[k]);
                let along = (r[k].dot_fused(edge) * L::splat(simd, self.inverse[k])).max(zero).min(one);
                let way = r[k] - edge.scale(along);
                let way2 = way.dot_fused(way);
                let nearer = way2.lt(length2);
                d = Vec3::select(nearer, way, d);
                length2 = length2.min(way2);
                inside = inside & turn.lt(r[k].dot_fused(Vec3::splat(simd, self.inward[k])));
                k += 1;
            }
            d = Vec3::select(inside, normal.scale(normal.dot_fused(r[0])), d);
            length2 = L::select(inside, d.dot_fused(d), length2);
            let least = d.dot_fused(r[0]).min(d.dot_fused(r[1])).min(d.dot_fused(r[2]));
            let some = sight.short::<L>(simd, at).lt(length2);
            let length = L::select(some, length2, one).sqrt();
            let gap = L::select(some, least / length, zero);
            (gap - L::splat(simd, self.halo) - sight.slack::<L>(simd, at)).store(bounds, at);
            if fine {
                let above = L::select(some, length, zero) + sight.above::<L>(simd, at);
                L::load(simd, limit, at).min(above).store(limit, at);
            }
            at += L::LANES;
        }
    }
}

/// The most triangles that wait to be decided together.
const LIST: usize = 64;

/// Finds the triangle with the smallest canonical distance for each point.
pub(in crate::narrow) struct Nearest {
    bound: f64,
    /// The closest triangle of each point is no farther than this, if it is within the bound.
    limit: Row,
    /// The largest limit.
    furthest: f32,
    triangle: [u32; LIST],
    lane: [u32; LIST],
    below: [f32; LIST],
    number: usize,
    pub best: [Option<Hit>; MANY],
}

impl Nearest {
    /// The closest triangle of each point is no farther than its limit, if it is within the bound.
    #[inline(always)]
    pub fn new(bound: f64, limits: &[f64; MANY]) -> Nearest {
        let mut limit = [0.0; MANY];
        for l in 0..MANY {
            limit[l] = round_up(min(limits[l], bound));
        }
        Nearest {
            bound,
            limit,
            furthest: largest_of(&limit),
            triangle: [0; LIST],
            lane: [0; LIST],
            below: [0.0; LIST],
            number: 0,
            best: [None; MANY],
        }
    }

    #[inline(always)]
    fn take<S: Simd>(
        &mut self,
        simd: S,
        mesh: &MeshRef<'_>,
        packet: &Packet,
        sight: &Sight,
        (cluster, boxes, lanes): (&Cluster, &Boxes, u32),
    ) {
        let (mut near, mut below) = ([0; 4], [[0.0; MANY]; 4]);
        // Copies are left out: their originals are as close, and have smaller numbers.
        let some = near_box(cluster, boxes, sight, self.furthest) & !cluster.copies();
        for node in 0..cluster.count() {
            if some >> node & 1 == 1 {
                let of = (cluster, boxes, node);
                near[node & 3] = lanes & rough::<S::F32>(simd, sight, of, &self.limit, &mut below[node & 3]);
            }
            if near[node & 3] != 0 {
                let shape = Shape::new(cluster, node);
                shape.exact::<S::F32>(simd, sight, true, &mut self.limit, &mut below[node & 3]);
            }
        }
        self.furthest = largest_of(&self.limit);
        for node in 0..cluster.count() {
            let below = &below[node & 3];
            let mut bits = near[node & 3];
            if bits != 0 {
                bits &= within::<S::F32>(simd, below, &self.limit);
                mesh.prefetch(cluster.link[node & 3] as usize);
            }
            for lane in BitsOfMany(bits) {
                if self.number == LIST {
                    self.decide(simd, mesh, packet);
                }
                let at = self.number & (LIST - 1);
                (self.triangle[at], self.lane[at], self.below[at]) = (cluster.link[node & 3], lane as u32, below[lane]);
                self.number += 1;
            }
        }
    }

    /// Decides the waiting triangles that are still within the limits.
    #[inline(always)]
    fn decide<S: Simd>(&mut self, simd: S, mesh: &MeshRef<'_>, packet: &Packet) {
        let mut from = 0;
        while from < self.number {
            let mut columns = Columns::NONE;
            let (mut triangle, mut lane) = ([0; BLOCK], [0; BLOCK]);
            while from < self.number && columns.number < BLOCK {
                let l = self.lane[from & (LIST - 1)] as usize & (MANY - 1);
                if self.below[from & (LIST - 1)] <= self.limit[l] {
                    let at = columns.number & (BLOCK - 1);
                    (triangle[at], lane[at]) = (self.triangle[from & (LIST - 1)], l);
                    columns.add(mesh, &packet.local[l], triangle[at]);
                }
                from += 1;
            }
            let found = BlockResult::of(simd, &columns);
            for c in 0..columns.number {
                let (l, triangle) = (lane[c & (BLOCK - 1)] & (MANY - 1), triangle[c & (BLOCK - 1)]);
                self.offer(l, found.hit(mesh, &packet.local[l], c, triangle));
            }
        }
        self.number = 0;
    }

    #[inline(always)]
    fn offer(&mut self, l: usize, hit: Hit) {
        let better = match self.best[l] {
            None => hit.distance <= self.bound,
            Some(best) => (hit.distance, hit.triangle) < (best.distance, best.triangle),
        };
        if better {
            self.best[l] = Some(hit);
            self.limit[l] = min(self.limit[l], round_up(hit.distance));
        }
    }
}

impl Search<'_, '_> {
    /// The closest triangle to each point. False if the sizes require that points are computed one by one.
    #[inline(always)]
    pub fn nearest_of_many<S: Simd>(
        &mut self,
        simd: S,
        packet: &Packet,
        goal: &mut Nearest,
        stack: &mut ManyStack<'_>,
    ) -> Result<bool> {
        let mesh = self.mesh;
        let (mut len, mut at, mut lanes) = (0, 0, packet.lanes());
        for root in 1..self.tree.sizes.roots {
            *stack.push(&mut len, root, lanes)? = [f32::NEG_INFINITY; MANY];
        }
        let mut sight = Sight::NOWHERE;
        loop {
            let cluster = self.tree.clusters.get(at).ok_or_else(damaged)?;
            if cluster.origin() != sight.origin {
                let origin = self.tree.origins.get(cluster.origin()).ok_or_else(damaged)?;
                if !sight.look(packet, cluster.origin(), origin, self.shared) {
                    return Ok(false);
                }
            }
            let boxes = Boxes::new(cluster);
            if cluster.is_fine() {
                goal.take(simd, &mesh, packet, &sight, (cluster, &boxes, lanes));
            } else {
                let some = near_box(cluster, &boxes, &sight, goal.furthest) & !cluster.copies();
                push_near(simd, &sight, (cluster, &boxes, some), (&goal.limit, lanes), stack, &mut len)?;
            }
            loop {
                let Some((node, waiting, bounds)) = stack.pop(&mut len) else {
                    goal.decide(simd, &mesh, packet);
                    return Ok(true);
                };
                (at, lanes) = (node, waiting & within::<S::F32>(simd, bounds, &goal.limit));
                if lanes != 0 {
                    break;
                }
            }
        }
    }
}

/// Pushes the child clusters of near nodes, with the one nearest to the first point on top.
#[inline(always)]
fn push_near<S: Simd>(
    simd: S,
    sight: &Sight,
    (cluster, boxes, some): (&Cluster, &Boxes, u32),
    (limit, lanes): (&Row, u32),
    stack: &mut ManyStack<'_>,
    len: &mut usize,
) -> Result<()> {
    let lead = lanes.trailing_zeros() as usize & (MANY - 1);
    let mut bounds = [[0.0; MANY]; 4];
    let mut near = [0; 4];
    let mut nearest = 4;
    for node in (0..cluster.count()).filter(|node| some >> node & 1 == 1) {
        let of = (cluster, boxes, node);
        near[node & 3] = lanes & rough::<S::F32>(simd, sight, of, limit, &mut bounds[node & 3]);
        if near[node & 3] != 0 && (nearest == 4 || bounds[node & 3][lead] < bounds[nearest & 3][lead]) {
            nearest = node;
        }
    }
    for node in 0..cluster.count() {
        if near[node & 3] != 0 && node != nearest {
            stack.push_below(len, cluster, node, near[node & 3], &bounds[node & 3])?;
        }
    }
    match nearest {
        4 => Ok(()),
        _ => stack.push_below(len, cluster, nearest, near[nearest & 3], &bounds[nearest & 3]),
    }
}

#[cfg(test)]
mod tests {
    use super::super::packet::{ERROR_ABOVE, ERROR_BELOW};
    use super::*;
    use crate::narrow::nearest::records::Local;
    use crate::simd::Portable;
    use crate::surrogate::Origin;
    use crate::triangle::distance_point_triangle;
    use crate::triangle::tests::Random;
    use crate::vector::safe_length;

    type L = <Portable<4, 2> as Simd>::F32;
    const SIMD: Portable<4, 2> = Portable::<4, 2>;

    /// The largest errors of bounds, on the wrong side, against the distance in f64, in units of u M: lower, upper, rough.
    fn largest_errors() -> [f64; 3] {
        let mut random = Random(37);
        let mut largest = [f64::NEG_INFINITY; 3];
        for case in 0..2000 {
            let mut cluster = Cluster { rows: [[0.0; 4]; 14], link: [0; 4], meta: [4, 0, 0, 0] };
            let (size, mut reach) = (libm::ldexp(1.0, case % 9 - 8), 0.0);
            for lane in 0..4 {
                let centre = [0; 3].map(|_| random.next() - 0.5);
                let corners = [0; 3].map(|_| centre.map(|c| (c + size * (random.next() - 0.5)) as f32));
                reach = corners.iter().fold(reach, |m, v| max(m, safe_length(v.map(f64::from))));
                let exact = corners.map(|v| glam::DVec3::from_array(v.map(f64::from)));
                let normal = crate::surrogate::normal(exact);
                for c in 0..3 {
                    (0..3).for_each(|k| cluster.rows[Cluster::row(k, c)][lane] = corners[k][c]);
                    cluster.rows[Cluster::row(3, c)][lane] = normal[c] as f32;
                }
                cluster.rows[Cluster::OFFSET][lane] = normal.dot(exact[0]) as f32;
            }
            let away = libm::ldexp(1.0, case / 9 % 8 - 4);
            let mut packet = Packet::new(1.0);
            (0..MANY).for_each(|l| packet.add(Local::new([0; 3].map(|_| (random.next() - 0.5) * away), 1.0), l));
            let mut sight = Sight::NOWHERE;
            assert!(sight.look(&packet, 0, &Origin { centre: [0.0; 3], reach }, 0.0));
            let boxes = Boxes::new(&cluster);
            for node in 0..4 {
                let ([mut limit, mut below, mut about], all) = ([[f32::INFINITY; MANY]; 3], [f32::INFINITY; MANY]);
                rough::<L>(SIMD, &sight, (&cluster, &boxes, node), &all, &mut about);
                Shape::new(&cluster, node).exact::<L>(SIMD, &sight, true, &mut limit, &mut below);
                for l in 0..MANY {
                    let t = cluster.triangle(node).map(|v| v.map(f64::from));
                    let Ok(near) = distance_point_triangle(packet.local[l].point, t) else { continue };
                    let unit = f64::from(sight.unit[l]);
                    let least = f64::from(ERROR_BELOW);
                    largest[0] = max(largest[0], (f64::from(below[l]) - near.distance) / unit + least);
                    largest[2] = max(largest[2], (f64::from(about[l]) - near.distance) / unit + least);
                    let most = f64::from(ERROR_ABOVE);
                    largest[1] = max(largest[1], (near.distance - f64::from(limit[l])) / unit + most);
                    assert!(near_box(&cluster, &boxes, &sight, round_up(near.distance)) >> node & 1 == 1);
                }
            }
        }
        largest
    }

    #[test]
    fn bounds_of_many_points_err_by_no_more_than_the_slack() {
        let [below, above, rough] = largest_errors();
        assert!(below < f64::from(ERROR_BELOW) && below > 0.02 * f64::from(ERROR_BELOW), "{below}");
        assert!(above < f64::from(ERROR_ABOVE) && above > 0.01 * f64::from(ERROR_ABOVE), "{above}");
        assert!(rough < f64::from(ERROR_BELOW) && rough > 0.02 * f64::from(ERROR_BELOW), "{rough}");
    }
}
