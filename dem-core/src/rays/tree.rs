//! Boxes around groups of bodies, so that a ray tests only bodies near it.
//!
//! Bodies are sorted in space. A node of the lowest level is a run of [`WIDE`] bodies; a node of a higher level is a run of as many nodes below. A
//! node has an AABB around the spheres of its bodies. Nodes that a ray meets are visited front to back.
//!
//! # Rounding
//! Sides of boxes err by half a unit in the last place, and so do the three operations that compute where a ray passes a side. In the test, sides
//! are moved outwards by 16 times [`SUM_ERROR`] of all coordinates of ray and box. That is at least the widening of spheres in their test. So a ray
//! that passes the test of a sphere meets all boxes around the sphere.

use zerocopy::{FromBytes, Immutable, IntoBytes};

use super::Ray;
use crate::broad::{BOX_LEVELS, WIDE, box_levels, halve};
use crate::error::Result;
use crate::memory::sections;
use crate::real::{Real, SUM_ERROR, max, min};

/// The least numbers of bodies and of rays for which a tree pays off. Building one takes as long as some hundred rays without it.
const BODIES: usize = 256;
const RAYS: usize = 256;

/// Whether a tree of this many bodies pays off for this many rays.
pub(super) fn pays(bodies: usize, rays: usize) -> bool {
    bodies >= BODIES && rays >= RAYS && u32::try_from(bodies).is_ok_and(|bodies| bodies < u32::MAX)
}

/// An AABB.
#[derive(Clone, Copy, Debug, PartialEq, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub(super) struct Bounds {
    low: [f64; 3],
    high: [f64; 3],
}

impl Bounds {
    const EMPTY: Bounds = Bounds { low: [f64::INFINITY; 3], high: [f64::NEG_INFINITY; 3] };

    fn with(self, other: Bounds) -> Bounds {
        let each = |of: fn(f64, f64) -> f64, a: [f64; 3], b: [f64; 3]| [0, 1, 2].map(|k| of(a[k], b[k]));
        Bounds { low: each(min, self.low, other.low), high: each(max, self.high, other.high) }
    }
}

sections! {
    /// A tree of this many bodies.
    pub(super) struct TreeMemory<'s>(bodies: usize; few = u32::try_from(bodies).unwrap_or(0)) {
        order: [u32; u64::from(few)],
        nodes: [Bounds; box_levels(few).1],
    }
}

pub(super) struct Tree<'a> {
    /// Indices of bodies, sorted in space.
    order: &'a [u32],
    nodes: &'a [Bounds],
    /// The first node of each level, from the lowest one on.
    first: [usize; BOX_LEVELS],
    top: usize,
}

/// A node that waits, and a lower bound of the `t` at which the ray meets it.
#[derive(Clone, Copy)]
struct Waiting {
    near: f64,
    level: u32,
    node: u32,
}

/// On each level, all children of a node may wait.
const ITEMS: usize = BOX_LEVELS * WIDE;

/// Covers the rounding of divisions and products.
const ROUNDED_UP: f64 = 1.0 + 16.0 * f64::UNIT_ROUNDOFF;

impl<'a> Tree<'a> {
    /// Builds the tree of bodies with these spheres. Those of half-spaces are infinite.
    pub fn new(memory: TreeMemory<'a>, centres: &[[f64; 3]], radii: &[f64]) -> Self {
        let TreeMemory { order, nodes } = memory;
        let sphere = |i: u32| {
            let i = i as usize;
            (centres.get(i).copied().unwrap_or_default(), radii.get(i).copied().unwrap_or_default())
        };
        order.iter_mut().zip(0..).for_each(|(to, i)| *to = i);
        // Very large bodies would widen all nodes above them, so they come first, in nodes of their own.
        let limit = quarter(centres, radii);
        let mut large = 0;
        for k in 0..order.len() {
            if sphere(order[k]).1 > limit {
                order.swap(k, large);
                large += 1;
            }
        }
        let (large, others) = order.split_at_mut(large);
        let start = large.len();
        halve(others, start, |i| sphere(*i).0, |i| *i);
        let (first, _, top) = box_levels(order.len() as u32);
        for (node, run) in nodes.iter_mut().zip(order.chunks(WIDE)) {
            *node = run.iter().fold(Bounds::EMPTY, |all, i| {
                let (centre, r) = sphere(*i);
                all.with(Bounds { low: centre.map(|x| x - r), high: centre.map(|x| x + r) })
            });
        }
        for level in 0..top {
            let (below, above) = nodes.split_at_mut(first[level + 1]);
            let below = below.get(first[level]..).unwrap_or_default();
            for (node, run) in above.iter_mut().zip(below.chunks(WIDE)) {
                *node = run.iter().fold(Bounds::EMPTY, |all, child| all.with(*child));
            }
        }
        Tree { order, nodes, first, top }
    }

    /// Calls `visit` for the bodies of all nodes that a ray meets, nearer nodes first, with the largest `t` of interest, which may shrink.
    pub fn along(&self, ray: &Ray, mut visit: impl FnMut(usize, &mut f64) -> Result<()>) -> Result<()> {
        let slabs = Slabs::new(ray);
        let mut most = ray.most;
        let mut waiting = [Waiting { near: 0.0, level: self.top as u32, node: 0 }; ITEMS];
        let mut count = usize::from(!self.order.is_empty());
        while count > 0 {
            count -= 1;
            let Waiting { near, level, node } = waiting[count];
            if near > most {
                continue;
            }
            let (level, children) = (level as usize, node as usize * WIDE);
            if level == 0 {
                for i in self.order.iter().skip(children).take(WIDE) {
                    visit(*i as usize, &mut most)?;
                }
                continue;
            }
            let start = count;
            let end = self.first[level];
            for node in (children..children + WIDE).take_while(|node| self.first[level - 1] + node < end) {
                let Some(bounds) = self.nodes.get(self.first[level - 1] + node) else { break };
                let Some(near) = slabs.near(bounds, most) else { continue };
                // The nearest node ends on top.
                let mut at = count;
                while at > start && waiting[at - 1].near < near {
                    waiting[at] = waiting[at - 1];
                    at -= 1;
                }
                waiting[at] = Waiting { near, level: level as u32 - 1, node: node as u32 };
                count += 1;
            }
        }
        Ok(())
    }
}

/// A quarter of the largest extent of the centres of bodies with finite spheres.
fn quarter(centres: &[[f64; 3]], radii: &[f64]) -> f64 {
    let finite = centres.iter().zip(radii).filter(|(_, r)| Real::is_finite(**r));
    let all = finite.fold(Bounds::EMPTY, |all, (centre, _)| all.with(Bounds { low: *centre, high: *centre }));
    0.25 * [0, 1, 2].iter().fold(0.0, |most, k| max(most, all.high[*k] - all.low[*k]))
}

/// A ray, with the numbers for box tests.
struct Slabs {
    origin: [f64; 3],
    inverse: [f64; 3],
    slack: f64,
}

impl Slabs {
    fn new(ray: &Ray) -> Self {
        let far = ray.origin.iter().fold(0.0, |sum, x| sum + Real::abs(*x));
        Slabs { origin: ray.origin, inverse: ray.direction.map(|x| 1.0 / x), slack: 32.0 * SUM_ERROR * far }
    }

    /// A lower bound of the `t` at which the ray enters a box; none if it does not enter it before `most`.
    #[inline(always)]
    fn near(&self, bounds: &Bounds, most: f64) -> Option<f64> {
        let (mut near, mut far) = (0.0, most);
        let size =
            [0, 1, 2].iter().fold(0.0, |sum, k| sum + max(Real::abs(bounds.low[*k]), Real::abs(bounds.high[*k])));
        let slack = self.slack + 32.0 * SUM_ERROR * size;
        // An infinite box, as around a half-space.
        if !Real::is_finite(slack) {
            return Some(0.0);
        }
        for axis in 0..3 {
            let (low, high) =
                (bounds.low[axis] - slack - self.origin[axis], bounds.high[axis] + slack - self.origin[axis]);
            let inverse = self.inverse[axis];
            if Real::is_finite(inverse) {
                let (x, y) = (low * inverse, high * inverse);
                (near, far) = (max(near, min(x, y)), min(far, max(x, y)));
            } else if low > 0.0 || high < 0.0 {
                return None;
            }
        }
        (near <= far * ROUNDED_UP).then_some(near / ROUNDED_UP)
    }
}
