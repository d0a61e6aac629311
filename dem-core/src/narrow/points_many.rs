//! Many points: points near each other descend the tree together.

use super::nearest::{Hit, MANY, ManyStack, Nearest, Packet};
use super::point_record::{Each, Last};
use super::point_side::is_far;
use crate::array::Array;
use crate::error::Result;
use crate::memory::sections;
use crate::real::{Real, max, min};
use crate::simd::{Lane, Simd, prefetch};
use crate::surrogate::TreeRef;

/// Points that are sorted together: their sort keys have 15 bits, and their indices 15 more.
const CHUNK: usize = 1 << INDEX;
const INDEX: u32 = 15;
/// Bits of a cell index along each axis.
const BITS: u32 = 5;

/// With more triangles of the surface around a packet, single points are as fast.
const MOST_TRIANGLES: f64 = 100.0;
/// Fewer points are computed one by one.
const FEWEST: usize = 5;
/// The largest extent of a packet, in units of the distance from the surface.
const FAR: f64 = 0.5;

sections! {
    /// Memory of packets.
    pub(super) struct Many<'s>(tree: &TreeRef<'_>) {
        stack: ManyStack(tree),
        order: [u32; CHUNK as u64],
    }
}

/// The source of a point's winding number. If the number is not known, it comes from the ray of a lane.
#[derive(Clone, Copy)]
enum Source {
    Nothing,
    Known(f64),
    Lane(usize),
}

impl Each<'_, '_> {
    /// Computes all points, in packets.
    #[inline(always)]
    pub(super) fn run_many<S: Simd>(&mut self, simd: S, many: Many<'_>) -> Result<()> {
        let Many { mut stack, order } = many;
        let (mut last, mut from): (Option<Last>, _) = (None, 0);
        let mut packet = Packet::new(self.search.extent);
        // With few lanes, a packet must be denser to pay off.
        let lanes = min(S::F32::LANES, 8) as f64 / 8.0;
        let widest = self.widest(MOST_TRIANGLES * lanes);
        while from < self.out.len() {
            let number = min(CHUNK, self.out.len() - from);
            let Some(order) = order.get_mut(..number) else { return Ok(()) };
            self.sort(from, order);
            for i in 0..=number {
                let next = order.get(i).map(|key| {
                    let place = from + (*key as usize & (CHUNK - 1));
                    (self.local(place), place)
                });
                // Far from the surface, points whose distance from each other is about their distance from the surface take the same path down the
                // tree.
                let far = last.as_ref().map_or(0.0, |last| FAR * lanes * last.distance);
                let fits = next.is_some_and(|(local, _)| packet.extent_with(local.point) <= widest + far);
                if !fits || packet.count == MANY {
                    last = self.packet(simd, &packet, &mut stack, last)?;
                    packet.count = 0;
                }
                if let Some((local, place)) = next {
                    // The record is written when the packet is done, to any place of the output.
                    prefetch(self.out, place);
                    packet.add(local, place);
                }
            }
            from += number;
        }
        Ok(())
    }

    /// The side of a box that contains this many triangles of the surface, if their density is uniform.
    fn widest(&self, triangles: f64) -> f64 {
        let mesh = &self.search.mesh;
        2.0 * mesh.radius() * Real::sqrt(triangles / mesh.len() as f64)
    }

    /// The indices of the points from `from` on, in an order in which neighbours are mostly near each other (Morton 1966). The sort keys are in the
    /// bits above the indices.
    fn sort(&self, from: usize, order: &mut [u32]) {
        let grid = Grid::new(self.points, from, order.len(), self.reach());
        for (i, to) in order.iter_mut().enumerate() {
            *to = grid.code(self.points.get(from + i)) << INDEX | i as u32;
        }
        order.sort_unstable();
    }

    /// The box of the points of interest; points beyond it need no order.
    fn reach(&self) -> [[f64; 3]; 2] {
        let mesh = &self.search.mesh;
        let centre = self.transform.apply(mesh.centre().map(|x| x * self.scale));
        let reach = 2.0 * mesh.radius() * self.scale;
        [centre.map(|x| x - reach), centre.map(|x| x + reach)]
    }

    #[inline(always)]
    fn packet<S: Simd>(
        &mut self,
        simd: S,
        packet: &Packet,
        stack: &mut ManyStack<'_>,
        mut last: Option<Last>,
    ) -> Result<Option<Last>> {
        let count = packet.count;
        let goal = match count < FEWEST {
            true => None,
            false => self.nearest_of_many(simd, packet, stack, &last)?,
        };
        let Some(goal) = goal else {
            for (local, place) in packet.local.iter().zip(&packet.place).take(count) {
                self.one(simd, local, *place, &mut last)?;
            }
            return Ok(last);
        };
        let (sources, rays) = self.sources(packet, &goal.best, &last);
        let mut windings = [0.0; MANY];
        let of_many = match (self.search.is_closed(), rays) {
            (true, 0) => true,
            (true, _) => self.search.windings_of_many(simd, (packet, rays), &goal.best, stack, &mut windings)?,
            (false, _) => false,
        };
        for (l, (hit, place)) in goal.best.into_iter().zip(&packet.place).enumerate().take(count) {
            let winding = match (&hit, sources[l & (MANY - 1)]) {
                (None, _) | (_, Source::Nothing) => None,
                (_, Source::Known(winding)) => Some(winding),
                (_, Source::Lane(lane)) if of_many => Some(windings[lane & (MANY - 1)]),
                (Some(hit), _) => self.search.winding(simd, &packet.local[l], hit, &self.rim)?,
            };
            self.put(&packet.local[l], hit, winding, *place, &mut last)?;
        }
        Ok(last)
    }

    /// Finds the closest triangles, unless the points must be computed one by one.
    #[inline(always)]
    fn nearest_of_many<S: Simd>(
        &mut self,
        simd: S,
        packet: &Packet,
        stack: &mut ManyStack<'_>,
        last: &Option<Last>,
    ) -> Result<Option<Nearest>> {
        let mut limits = [f64::INFINITY; MANY];
        if let Some(last) = last {
            for (limit, local) in limits.iter_mut().zip(&packet.local) {
                *limit = last.limit(local.point);
            }
        }
        let mut goal = Nearest::new(self.bound, &limits);
        let all = self.search.nearest_of_many(simd, packet, &mut goal, stack)?;
        Ok(all.then_some(goal))
    }

    /// The sources of the winding numbers, and the bits of the points whose rays are needed.
    fn sources(&self, packet: &Packet, hits: &[Option<Hit>; MANY], last: &Option<Last>) -> ([Source; MANY], u32) {
        let (mut sources, mut rays) = ([Source::Nothing; MANY], 0);
        let mut before = match last {
            Some(Last { winding: Some(winding), point, distance }) => {
                Some((*point, *distance, Source::Known(*winding)))
            }
            _ => None,
        };
        for (l, (hit, local)) in hits.iter().zip(&packet.local).enumerate().take(packet.count) {
            let asks = hit.filter(|hit| hit.distance != 0.0 && !is_far(&self.search.mesh, local));
            let Some(hit) = asks else {
                before = None;
                continue;
            };
            let meets = before.filter(|(point, distance, _)| {
                Last { point: *point, distance: *distance, winding: None }.meets(local.point, hit.distance)
            });
            let source = match meets {
                Some((.., source)) if self.search.is_closed() => source,
                _ => {
                    rays |= 1 << l;
                    Source::Lane(l)
                }
            };
            sources[l & (MANY - 1)] = source;
            before = Some((local.point, hit.distance, source));
        }
        (sources, rays)
    }
}

/// The grid of cells that defines the order of points.
struct Grid {
    low: [f64; 3],
    /// Cells per unit of length.
    fine: [f64; 3],
}

impl Grid {
    /// A grid in the box around some points, clipped to another box.
    fn new(points: Array<'_>, from: usize, number: usize, [lowest, highest]: [[f64; 3]; 2]) -> Grid {
        let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
        for i in from..from + number {
            let p = points.get(i);
            for k in 0..3 {
                (low[k], high[k]) = (min(low[k], p[k]), max(high[k], p[k]));
            }
        }
        let low = [0, 1, 2].map(|k| max(low[k], lowest[k]));
        let fine = [0, 1, 2].map(|k| f64::from(1u32 << BITS) / (min(high[k], highest[k]) - low[k]));
        Grid { low, fine }
    }

    fn code(&self, p: [f64; 3]) -> u32 {
        let [x, y, z] = [0, 1, 2].map(|k| {
            // NaN becomes 0.
            let cell = ((p[k] - self.low[k]) * self.fine[k]) as u32;
            spread(min(cell, (1 << BITS) - 1))
        });
        x << 2 | y << 1 | z
    }
}

/// Moves the low [`BITS`] bits to every third bit.
fn spread(x: u32) -> u32 {
    let x = (x | x << 8) & 0x0300_f00f;
    let x = (x | x << 4) & 0x030c_30c3;
    (x | x << 2) & 0x0924_9249
}
