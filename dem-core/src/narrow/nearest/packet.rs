//! Packets of sixteen points, how clusters see them, and the stack of nodes that wait for them.

use super::damaged;
use super::records::Local;
use crate::error::Result;
use crate::memory::sections;
use crate::real::{Real, max, min};
use crate::simd::{FOUR, Four, Lane, Simd, Vec3};
use crate::surrogate::{Cluster, Origin, TreeRef};

/// Points of a packet: a multiple of every number of lanes.
pub(in crate::narrow) const MANY: usize = 16;
/// One number for each point.
pub(super) type Row = [f32; MANY];

/// Slack of lower bounds, in units of u M.
pub(super) const ERROR_BELOW: f32 = 16.0;
/// Slack of upper bounds, in units of u M. It is also twice the rounding error of a height.
pub(super) const ERROR_ABOVE: f32 = 32.0;
/// In units of (u M)^2: the sign of a larger turn is certain.
const TURN: f32 = 64.0 / f32::UNIT_ROUNDOFF;
/// In units of (u M)^2: shorter directions prove nothing.
const SHORT: f32 = 1e-14 / (f32::UNIT_ROUNDOFF * f32::UNIT_ROUNDOFF);
/// The range of u M for sizes that need no scaling: 2^-54 to 2^6.
const UNITS: [f32; 2] = [1.0 / (1u64 << 54) as f32, (1u64 << 6) as f32];

/// Iterates over the points whose bits are set.
pub(super) struct BitsOfMany(pub u32);

impl Iterator for BitsOfMany {
    type Item = usize;

    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        if self.0 == 0 {
            return None;
        }
        let lane = self.0.trailing_zeros() as usize & (MANY - 1);
        self.0 &= self.0 - 1;
        Some(lane)
    }
}

/// Points in the body's frame. Lanes after the last point hold copies of some point.
pub(in crate::narrow) struct Packet {
    pub local: [Local; MANY],
    pub place: [usize; MANY],
    pub count: usize,
    rows: [[f64; MANY]; 3],
    /// The box around the points.
    low: [f64; 3],
    high: [f64; 3],
}

impl Packet {
    /// A packet without points.
    pub fn new(extent: f64) -> Packet {
        let local = Local::new([0.0; 3], extent);
        Packet {
            local: [local; MANY],
            place: [0; MANY],
            count: 0,
            rows: [[0.0; MANY]; 3],
            low: [0.0; 3],
            high: [0.0; 3],
        }
    }

    /// The longest side of the box around the points and one more point.
    #[inline(always)]
    pub fn extent_with(&self, point: [f64; 3]) -> f64 {
        let side = |k: usize| max(self.high[k], point[k]) - min(self.low[k], point[k]);
        if self.count == 0 { 0.0 } else { max(side(0), max(side(1), side(2))) }
    }

    /// Adds a point whose result goes to index `place`, if there is room. The first point fills all lanes.
    #[inline(always)]
    pub fn add(&mut self, local: Local, place: usize) {
        if self.count == 0 {
            (self.local, self.low, self.high) = ([local; MANY], local.point, local.point);
            self.rows = local.point.map(|x| [x; MANY]);
        }
        let l = self.count & (MANY - 1);
        (self.local[l], self.place[l]) = (local, place);
        for k in 0..3 {
            let x = local.point[k];
            self.rows[k][l] = x;
            (self.low[k], self.high[k]) = (min(self.low[k], x), max(self.high[k], x));
        }
        self.count += 1;
    }

    pub(super) fn lanes(&self) -> u32 {
        (1 << self.count) - 1
    }
}

sections! {
    /// Clusters that wait, for which points, and lower bounds of the distance from each point.
    pub(in crate::narrow) struct ManyStack<'s>(tree: &TreeRef<'_>; n = super::stack_size(tree)) {
        node: [u32; n],
        lanes: [u32; n],
        bounds: [[f32; MANY]; n],
    }
}

impl ManyStack<'_> {
    /// Pushes a cluster, and gives the row for its bounds.
    ///
    /// Errors: [`Kind::Damaged`](crate::error::Kind::Damaged), as for the search of one point.
    #[inline(always)]
    pub(super) fn push(&mut self, len: &mut usize, node: u32, lanes: u32) -> Result<&mut Row> {
        let at = *len;
        let to = (self.node.get_mut(at), self.lanes.get_mut(at), self.bounds.get_mut(at));
        let (Some(to_node), Some(to_lanes), Some(bounds)) = to else { return Err(damaged()) };
        (*to_node, *to_lanes) = (node, lanes);
        *len += 1;
        Ok(bounds)
    }

    /// Pops the last cluster: its number, the points for which it waits, and its bounds.
    #[inline(always)]
    pub(super) fn pop(&self, len: &mut usize) -> Option<(usize, u32, &Row)> {
        *len = len.checked_sub(1)?;
        Some((*self.node.get(*len)? as usize, *self.lanes.get(*len)?, self.bounds.get(*len)?))
    }

    /// Pushes all child clusters of a node.
    #[inline(always)]
    pub(super) fn push_below(
        &mut self,
        len: &mut usize,
        cluster: &Cluster,
        node: usize,
        lanes: u32,
        bounds: &Row,
    ) -> Result<()> {
        for child in cluster.children(node) {
            *self.push(len, child as u32, lanes)? = *bounds;
        }
        Ok(())
    }
}

/// Rounds up to single precision.
#[inline(always)]
pub(super) fn round_up(x: f64) -> f32 {
    (x + Real::abs(x) * f64::from(f32::EPSILON)) as f32
}

#[inline(always)]
pub(super) fn largest_of(row: &Row) -> f32 {
    let (mut row, mut half) = (*row, MANY / 2);
    while half > 0 {
        for l in 0..half {
            row[l] = max(row[l], row[l + half]);
        }
        half /= 2;
    }
    row[0]
}

/// The points of a packet as the clusters of one origin see them.
pub(super) struct Sight {
    /// Number of the origin.
    pub origin: usize,
    pub point: [Row; 3],
    /// u M for each point.
    pub unit: Row,
    shared: f32,
    /// The box around all points; `slack`: the largest slack.
    pub low: [f32; 3],
    pub high: [f32; 3],
    pub most: f32,
}

impl Sight {
    /// No origin has been used yet.
    pub const NOWHERE: Sight = Sight {
        origin: usize::MAX,
        point: [[0.0; MANY]; 3],
        unit: [0.0; MANY],
        shared: 0.0,
        low: [0.0; 3],
        high: [0.0; 3],
        most: 0.0,
    };

    /// Sets the origin. Gives whether the sizes are such that nothing must be scaled.
    #[inline(always)]
    #[allow(clippy::needless_range_loop)] // several arrays by one index
    pub fn look(&mut self, packet: &Packet, number: usize, origin: &Origin, shared: f64) -> bool {
        self.origin = number;
        self.shared = (shared * (1.0 - f64::from(f32::EPSILON))) as f32;
        let mut size = [origin.reach; MANY];
        for k in 0..3 {
            for l in 0..MANY {
                let x = packet.rows[k][l] - origin.centre[k];
                self.point[k][l] = x as f32;
                size[l] += Real::abs(x);
            }
            (self.low[k], self.high[k]) = (-largest_of(&self.point[k].map(|x| -x)), largest_of(&self.point[k]));
        }
        const UP: f64 = f32::UNIT_ROUNDOFF as f64 * (1.0 + f32::EPSILON as f64);
        for l in 0..MANY {
            self.unit[l] = (size[l] * UP) as f32;
        }
        let (least, most) = (-largest_of(&self.unit.map(|x| -x)), largest_of(&self.unit));
        self.most = most * ERROR_BELOW - self.shared;
        UNITS[0] <= least && most <= UNITS[1]
    }

    #[inline(always)]
    fn units<L: Lane<Scalar = f32>>(&self, simd: L::Simd, at: usize) -> L {
        L::load(simd, &self.unit, at)
    }

    /// Subtracted from lower bounds: more than the rounding error, less the shared halo.
    #[inline(always)]
    pub fn slack<L: Lane<Scalar = f32>>(&self, simd: L::Simd, at: usize) -> L {
        self.units::<L>(simd, at) * L::splat(simd, ERROR_BELOW) - L::splat(simd, self.shared)
    }

    /// Added to upper bounds.
    #[inline(always)]
    pub fn above<L: Lane<Scalar = f32>>(&self, simd: L::Simd, at: usize) -> L {
        self.units::<L>(simd, at) * L::splat(simd, ERROR_ABOVE)
    }

    /// The sign of a larger turn is certain.
    #[inline(always)]
    pub fn turn<L: Lane<Scalar = f32>>(&self, simd: L::Simd, at: usize) -> L {
        let unit = self.units::<L>(simd, at);
        unit * unit * L::splat(simd, TURN)
    }

    /// Squares of shorter directions prove nothing.
    #[inline(always)]
    pub fn short<L: Lane<Scalar = f32>>(&self, simd: L::Simd, at: usize) -> L {
        let unit = self.units::<L>(simd, at);
        unit * unit * L::splat(simd, SHORT)
    }
}

/// The boxes around the triangles of four nodes.
pub(super) struct Boxes {
    pub low: [[f32; 4]; 3],
    pub high: [[f32; 4]; 3],
}

impl Boxes {
    #[inline(always)]
    pub fn new(cluster: &Cluster) -> Boxes {
        type L = <Four as Simd>::F32;
        let mut boxes = Boxes { low: [[0.0; 4]; 3], high: [[0.0; 4]; 3] };
        let mut k = 0;
        while k < 3 {
            let row = |corner: usize| L::load(FOUR, &cluster.rows[Cluster::row(corner, k)], 0);
            let [a, b, c] = [row(0), row(1), row(2)];
            a.min(b).min(c).store(&mut boxes.low[k], 0);
            a.max(b).max(c).store(&mut boxes.high[k], 0);
            k += 1;
        }
        boxes
    }
}

/// Heights of points above the plane of a node.
#[inline(always)]
pub(super) fn height<L: Lane<Scalar = f32>>(simd: L::Simd, cluster: &Cluster, node: usize, p: Vec3<L>) -> L {
    let normal = |k: usize| L::splat(simd, cluster.rows[Cluster::row(3, k)][node & 3]);
    let offset = L::splat(simd, cluster.rows[Cluster::OFFSET][node & 3]);
    p.0[0].fused(normal(0), p.0[1].fused(normal(1), p.0[2].fused(normal(2), -offset)))
}
