//! Dividing a part: bisections at multiples of a leaf, by medians along the longest axis or through a corner of a flat
//! part's surrogate.

use glam::DVec3;

use super::fill::{Cut, bisect};
use super::frame::Moments;
use super::options::Options;
use super::points::Item;
use crate::memory::sections;
use crate::real::{max, min};
use crate::vector::{dot, sub};

/// Where parts are sorted.
pub(super) struct Sorter<'s> {
    pub spare: &'s mut [Item],
    pub keys: &'s mut [u64],
    pub sorted: &'s mut [u64],
    /// Triangles of a leaf.
    pub leaf: u32,
}

sections! {
    /// Memory of a [`Sorter`] of so many items.
    pub(super) struct SorterMemory<'s>(n: u64) {
        spare: [Item; n],
        keys: [u64; n],
        sorted: [u64; n],
    }
}

/// A number as an integer of the same order.
#[inline(always)]
pub(super) fn ordered(x: f32) -> u32 {
    let bits = x.to_bits();
    bits ^ ((bits as i32 >> 31) as u32 | 0x8000_0000)
}

fn number(ordered: u32) -> f32 {
    f32::from_bits(if ordered >> 31 != 0 { ordered & 0x7fff_ffff } else { !ordered })
}

impl<'s> Sorter<'s> {
    pub fn new(memory: SorterMemory<'s>, options: &Options) -> Self {
        let SorterMemory { spare, keys, sorted } = memory;
        Sorter { spare, keys, sorted, leaf: options.leaf }
    }

    /// Puts items, which are in the order of their ids, in a given order.
    pub fn restore(&mut self, items: &mut [Item], order: impl Iterator<Item = u32>) {
        for (to, id) in self.spare.iter_mut().zip(order) {
            *to = items.get(id as usize).or(items.first()).copied().unwrap_or(*to);
        }
        if let Some(spare) = self.spare.get(..items.len()) {
            items.copy_from_slice(spare);
        }
    }

    /// Puts the items of a part of a restored tree, which begin at `start`, in the order of their ids: that in which they were when the
    /// part was first fitted, so that sums have the same bits.
    pub fn by_id(&self, items: &mut [Item], start: usize) {
        if let Some(from) = self.spare.get(start..start + items.len()) {
            items.copy_from_slice(from);
            items.sort_unstable_by_key(|item| item.id);
        }
    }

    /// Sorts items into the children of a cut: those of child 0 first. Inside a child they keep their order.
    ///
    /// `triangle` is the surrogate of a flat part in the frame of the items' centres.
    pub fn divide(&mut self, items: &mut [Item], cut: Cut, triangle: Option<[DVec3; 3]>) {
        if cut.ways < 2 {
            return;
        }
        let first = bisect(cut.leaves, cut.ways);
        let at = (first.leaves as usize * self.leaf as usize).min(items.len());
        let halves = match triangle {
            Some(triangle) => {
                let (apex, b, c) = longest_opposite(triangle);
                let axes = Fan::new(apex, b, c);
                let median = self.bisect(items, at, |p| axes.along(p));
                let middle = b + (c - b) * f64::from(median);
                (Some([apex, b, middle]), Some([apex, middle, c]))
            }
            None => {
                let mut moments = Moments::default();
                items.iter().for_each(|item| moments.add(DVec3::from_array(item.centre.map(f64::from))));
                let axis = moments.longest();
                let (x, y, z) = (axis.x as f32, axis.y as f32, axis.z as f32);
                self.bisect(items, at, |p| p[0] * x + p[1] * y + p[2] * z);
                (None, None)
            }
        };
        let (left, right) = items.split_at_mut(at);
        self.divide(left, first, halves.0);
        let second = Cut { leaves: cut.leaves.saturating_sub(first.leaves), ways: cut.ways - first.ways };
        self.divide(right, second, halves.1);
    }

    /// Puts the `at` items with the smallest keys first; gives the key at the border.
    #[inline(always)]
    fn bisect(&mut self, items: &mut [Item], at: usize, key: impl Fn([f32; 3]) -> f32) -> f32 {
        let n = items.len();
        let (Some(keys), Some(sorted), Some(spare)) =
            (self.keys.get_mut(..n), self.sorted.get_mut(..n), self.spare.get_mut(..n))
        else {
            return 0.0;
        };
        if at >= n {
            return 0.0;
        }
        for (i, (k, item)) in keys.iter_mut().zip(items.iter()).enumerate() {
            *k = u64::from(ordered(key(item.centre))) << 32 | i as u64;
        }
        sorted.copy_from_slice(keys);
        let (_, &mut border, _) = sorted.select_nth_unstable(at);
        let (mut left, mut right) = (0, 0);
        for i in 0..n {
            let item = items[i];
            items[left] = item;
            spare[right] = item;
            let before = keys[i] < border;
            left += before as usize;
            right += !before as usize;
        }
        if let (Some(to), Some(from)) = (items.get_mut(left..), spare.get(..n - left)) {
            to.copy_from_slice(from);
        }
        number((border >> 32) as u32)
    }
}

/// The corner opposite the longest edge, then that edge.
fn longest_opposite(t: [DVec3; 3]) -> (DVec3, DVec3, DVec3) {
    let [a, b, c] = t;
    let (bc, ca, ab) = ((c - b).length_squared(), (a - c).length_squared(), (b - a).length_squared());
    if bc >= ca && bc >= ab {
        (a, b, c)
    } else if ca >= ab {
        (b, c, a)
    } else {
        (c, a, b)
    }
}

/// Rays from a corner of a triangle to the opposite edge.
struct Fan {
    apex: [f32; 3],
    /// Give the barycentrics of the ends of the opposite edge.
    first: [f32; 3],
    second: [f32; 3],
}

impl Fan {
    fn new(apex: DVec3, b: DVec3, c: DVec3) -> Fan {
        let (e0, e1) = (b - apex, c - apex);
        let normal = e0.cross(e1);
        let area = normal.dot(normal);
        let scale = if area > 0.0 { 1.0 / area } else { 0.0 };
        let single = |v: DVec3| [v.x as f32, v.y as f32, v.z as f32];
        Fan { apex: single(apex), first: single(e1.cross(normal) * scale), second: single(normal.cross(e0) * scale) }
    }

    /// Where the ray through a point meets the opposite edge, 0 to 1; beyond, for points outside.
    #[inline(always)]
    fn along(&self, p: [f32; 3]) -> f32 {
        let r = sub(p, self.apex);
        let (first, second) = (dot(self.first, r), dot(self.second, r));
        let sum = first + second;
        if sum > 1e-6 {
            max(min(second / sum, 2.0), -1.0)
        } else if second > first {
            2.0
        } else {
            -1.0
        }
    }
}
