//! How often the rays of sixteen points cross the surface, all in one direction, one point in each lane. See `crossings` for the computation of a
//! single point.
//!
//! A ray that begins above the plane of a node, by more than the node's halo, and goes up from there, meets nothing below the node.
//!
//! # Rounding
//! As in `many`: a turn of 64 u M^2 is more than the error of 20 u M^2 in `crossings`, and a height of 32 u M is more than twice the rounding error
//! of heights.

use super::bound::load;
use super::crossings::{Ray, crossing};
use super::packet::{BitsOfMany, Boxes, MANY, ManyStack, Packet, Sight, height};
use super::records::Hit;
use super::{Search, damaged};
use crate::error::Result;
use crate::simd::{FOUR, Four, Lane, Mask, Simd};
use crate::surrogate::Cluster;
use crate::triangle::kernel::snap;

impl Search<'_, '_> {
    /// The winding number at each of some points that are not on a closed surface; see [`winding`](Self::winding). `hits` only serve to choose a
    /// short ray. False if the sizes require that points are computed one by one.
    #[inline(always)]
    pub fn windings_of_many<S: Simd>(
        &mut self,
        simd: S,
        (packet, lanes): (&Packet, u32),
        hits: &[Option<Hit>; MANY],
        stack: &mut ManyStack<'_>,
        out: &mut [f64; MANY],
    ) -> Result<bool> {
        let mut sum = [0.0; 3];
        // A sample represents all points.
        for (l, hit) in hits.iter().enumerate().step_by(4) {
            if let (Some(hit), 1) = (hit, lanes >> l & 1) {
                let normal = self.normal(hit.triangle);
                sum = [0, 1, 2].map(|k| sum[k] + normal[k]);
            }
        }
        let ray = Ray::along(sum);
        let mut counts = [self.inward(); MANY];
        let all = self.crossings_of_many(simd, (packet, lanes), ray, stack, &mut counts)?;
        *out = counts.map(f64::from);
        Ok(all)
    }

    #[inline(always)]
    fn crossings_of_many<S: Simd>(
        &mut self,
        simd: S,
        (packet, lanes): (&Packet, u32),
        ray: Ray,
        stack: &mut ManyStack<'_>,
        counts: &mut [i32; MANY],
    ) -> Result<bool> {
        let (mut len, mut at, mut lanes) = (0, 0, lanes);
        for root in 1..self.tree.sizes.roots {
            stack.push(&mut len, root, lanes)?;
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
            let some = box_may_meet(cluster, &boxes, &sight, ray);
            for node in (0..cluster.count()).filter(|node| some >> node & 1 == 1) {
                let met = lanes & may_meet::<S::F32>(simd, &sight, (cluster, &boxes, node), ray);
                if met != 0 && cluster.is_fine() {
                    let [up, down, open] = clear_crossings::<S::F32>(simd, &sight, (cluster, node), ray);
                    for l in BitsOfMany(up & met) {
                        counts[l] += 1;
                    }
                    for l in BitsOfMany(down & met) {
                        counts[l] -= 1;
                    }
                    for l in BitsOfMany(open & met) {
                        let local = &packet.local[l];
                        let t = local.triangle(&self.mesh, cluster.link[node & 3]).map(|v| v.map(snap));
                        counts[l] += crossing(&t, local.scaled().map(snap), ray);
                    }
                } else if met != 0 {
                    for child in cluster.children(node) {
                        stack.push(&mut len, child as u32, met)?;
                    }
                }
            }
            match stack.pop(&mut len) {
                Some((node, waiting, _)) => (at, lanes) = (node, waiting),
                None => return Ok(true),
            }
        }
    }
}

/// Bits of the nodes that some ray may meet, by the box around all points.
#[inline(always)]
fn box_may_meet(cluster: &Cluster, boxes: &Boxes, sight: &Sight, ray: Ray) -> u32 {
    type L = <Four as Simd>::F32;
    let widened = L::load(FOUR, &cluster.rows[Cluster::HALO], 0) + L::splat(FOUR, sight.most);
    let mut gap = -widened;
    let mut k = 0;
    while k < 3 {
        if ray.axis != k || !ray.up {
            gap = gap.max(L::load(FOUR, &boxes.low[k], 0) - L::splat(FOUR, sight.high[k]));
        }
        if ray.axis != k || ray.up {
            gap = gap.max(L::splat(FOUR, sight.low[k]) - L::load(FOUR, &boxes.high[k], 0));
        }
        k += 1;
    }
    gap.le(widened).bits()
}

/// Bits of the points whose rays may meet a node: by its box and its plane, both widened.
#[inline(always)]
fn may_meet<L: Lane<Scalar = f32>>(
    simd: L::Simd,
    sight: &Sight,
    (cluster, boxes, node): (&Cluster, &Boxes, usize),
    ray: Ray,
) -> u32 {
    let node = node & 3;
    let ([u, v], along) = (ray.across(), ray.axis % 3);
    let halo = L::splat(simd, cluster.rows[Cluster::HALO][node]);
    let rises = (cluster.rows[Cluster::row(3, along)][node] >= 0.0) == ray.up;
    let (mut bits, mut at) = (0, 0);
    while at < MANY {
        let p = load::<L, _>(simd, &sight.point, 0, at);
        let height = height::<L>(simd, cluster, node, p);
        let mut gap = if rises { height } else { -height };
        gap = gap.max(match ray.up {
            true => p.0[along] - L::splat(simd, boxes.high[along][node]),
            false => L::splat(simd, boxes.low[along][node]) - p.0[along],
        });
        gap = gap.max(L::splat(simd, boxes.low[u][node]) - p.0[u]).max(p.0[u] - L::splat(simd, boxes.high[u][node]));
        gap = gap.max(L::splat(simd, boxes.low[v][node]) - p.0[v]).max(p.0[v] - L::splat(simd, boxes.high[v][node]));
        bits |= gap.le(halo + sight.slack::<L>(simd, at)).bits() << at;
        at += L::LANES;
    }
    bits
}

/// Three sets of bits: points whose rays clearly leave a triangle on the side of its normal, points whose rays clearly leave it on the other side,
/// and points that must be decided exactly.
#[inline(always)]
fn clear_crossings<L: Lane<Scalar = f32>>(
    simd: L::Simd,
    sight: &Sight,
    (cluster, node): (&Cluster, usize),
    ray: Ray,
) -> [u32; 3] {
    let node = node & 3;
    let [u, v] = ray.across();
    let corner = cluster.triangle(node);
    let zero = L::splat(simd, 0.0);
    let normal = L::splat(simd, cluster.rows[Cluster::row(3, ray.axis % 3)][node]);
    let ([mut up, mut down, mut open], mut at) = ([0; 3], 0);
    while at < MANY {
        let p = load::<L, _>(simd, &sight.point, 0, at);
        let mut ways = [[zero; 2]; 3];
        let mut k = 0;
        while k < 3 {
            ways[k] = [L::splat(simd, corner[k][u]) - p.0[u], L::splat(simd, corner[k][v]) - p.0[v]];
            k += 1;
        }
        let [a, b, c] = ways;
        let turns = [a[0] * b[1] - a[1] * b[0], b[0] * c[1] - b[1] * c[0], c[0] * a[1] - c[1] * a[0]];
        let least = turns[0].min(turns[1]).min(turns[2]);
        let most = turns[0].max(turns[1]).max(turns[2]);
        let slack = sight.turn::<L>(simd, at);
        let (left, right) = (slack.lt(least), most.lt(-slack));
        let missed = slack.lt(most) & least.lt(-slack);
        let height = height::<L>(simd, cluster, node, p);
        let clear = sight.above::<L>(simd, at).lt(height.abs());
        // Triangles that the line meets at larger coordinates.
        let ahead = (height * normal).lt(zero);
        let met = clear & if ray.up { ahead } else { !ahead };
        let (plus, minus) = if ray.up { (left, right) } else { (right, left) };
        up |= (met & plus).bits() << at;
        down |= (met & minus).bits() << at;
        open |= (!missed & !(clear & (left | right))).bits() << at;
        at += L::LANES;
    }
    [up, down, open]
}
