//! Dividing a part by bisections at multiples of a leaf: by medians along the longest axis, or, for a flat part, through a corner of its surrogate.

use glam::DVec3;

use super::options::Options;
use super::points::Item;
use super::principal_axes::Moments;
use super::tree_shape::{Cut, bisect};
use crate::memory::sections;
use crate::real::{max, min};
use crate::vector::{dot, sub};

/// Memory for sorting parts.
pub(super) struct Sorter<'s> {
    pub spare: &'s mut [Item],
    pub keys: &'s mut [u64],
    pub sorted: &'s mut [u64],
    /// Triangles of a leaf.
    pub leaf: u32,
}

sections! {
    /// Memory of a [`Sorter`] for this many items.
    pub(super) struct SorterMemory<'s>(n: u64) {
        spare: [Item; n],
        keys: [u64; n],
        sorted: [u64; n],
    }
}

/// The order of a number, as an integer.
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

    /// Puts items, which are ordered by id, into a given order.
    pub fn restore(&mut self, items: &mut [Item], order: impl Iterator<Item = u32>) {
        for (to, id) in self.spare.iter_mut().zip(order) {
            *to = items.get(id as usize).or(items.first()).copied().unwrap_or(*to);
        }
        if let Some(spare) = self.spare.get(..items.len()) {
            items.copy_from_slice(spare);
        }
    }

    /// Orders the items of a part of a restored tree, which begin at `start`, by id. That is their order when the part was first fitted, so sums
    /// have the same bits.
    pub fn by_id(&self, items: &mut [Item], start: usize) {
        if let Some(from) = self.spare.get(start..start + items.len()) {
            items.copy_from_slice(from);
            items.sort_unstable_by_key(|item| item.id);
        }
    }

    /// Sorts items into the children of a cut: those of child 0 first. Items of a child keep their order.
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

    /// Moves the `at` items with the smallest keys to the front, and gives the key at the border.
    #[inline(always)]
    fn bisect(&mut self, items: &mut [Item], at: usize, key: impl Fn([f32; 3]) -> f32) -> f32 {
        if at >= items.len() {
            return 0.0;
        }
        if items.len() <= FEW
            && let Some(border) = bisect_few(items, at, &key)
        {
            return border;
        }
        self.bisect_many(items, at, key)
    }

    #[inline(always)]
    fn bisect_many(&mut self, items: &mut [Item], at: usize, key: impl Fn([f32; 3]) -> f32) -> f32 {
        let n = items.len();
        let (Some(keys), Some(sorted), Some(spare)) =
            (self.keys.get_mut(..n), self.sorted.get_mut(..n), self.spare.get_mut(..n))
        else {
            return 0.0;
        };
        for (i, ((k, s), item)) in keys.iter_mut().zip(sorted.iter_mut()).zip(items.iter()).enumerate() {
            *k = u64::from(ordered(key(item.centre))) << 32 | i as u64;
            *s = *k;
        }
        let (_, &mut border, _) = sorted.select_nth_unstable(at);
        let left = partition(items, spare, keys.iter().map(|key| *key < border));
        if let (Some(to), Some(from)) = (items.get_mut(left..), spare.get(..n - left)) {
            to.copy_from_slice(from);
        }
        number((border >> 32) as u32)
    }
}

/// Moves the items marked as `first` to the front, and the others, in order, to `spare`. Gives the number of the former.
#[inline(always)]
fn partition(items: &mut [Item], spare: &mut [Item], first: impl Iterator<Item = bool>) -> usize {
    let (mut left, mut right) = (0, 0);
    for (i, first) in (0..items.len().min(spare.len())).zip(first) {
        let item = items[i];
        items[left] = item;
        spare[right] = item;
        left += usize::from(first);
        right += usize::from(!first);
    }
    left
}

/// The most items that are all compared with each other.
const FEW: usize = 32;

/// [`Sorter::bisect`] for a few items: an item goes to the front if fewer than `at` keys are smaller. None if there are equal keys at the border.
#[inline(always)]
fn bisect_few(items: &mut [Item], at: usize, key: impl Fn([f32; 3]) -> f32) -> Option<f32> {
    // Signed, because more processors have vector comparisons of signed integers.
    let signed = |x: f32| (ordered(x) ^ 0x8000_0000) as i32;
    let n = items.len().min(FEW);
    let mut keys = [i32::MAX; FEW];
    for (key_of, item) in keys.iter_mut().zip(items.iter()) {
        *key_of = signed(key(item.centre));
    }
    let (mut first, mut number_of, mut border) = ([false; FEW], 0, i32::MAX);
    let blocks = n.div_ceil(8);
    for i in 0..n {
        let mut smaller = [0i32; 8];
        for block in keys.as_chunks::<8>().0.iter().take(blocks) {
            for k in 0..8 {
                smaller[k] += i32::from(block[k] < keys[i]);
            }
        }
        first[i] = (smaller.iter().sum::<i32>() as usize) < at;
        number_of += usize::from(first[i]);
        border = if first[i] { border } else { border.min(keys[i]) };
    }
    if number_of != at {
        return None;
    }
    let mut spare = [Item::NONE; FEW];
    let left = partition(items, &mut spare, first.into_iter());
    items.iter_mut().skip(left).zip(&spare).for_each(|(to, from)| *to = *from);
    Some(number(border as u32 ^ 0x8000_0000))
}

/// The corner opposite the longest edge, then the ends of that edge.
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
    /// Vectors that give the barycentric coordinates of the ends of the opposite edge.
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

    /// Where the ray through a point meets the opposite edge, from 0 to 1; outside that range for points outside.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_items_are_bisected_as_many_are() {
        let mut state = 1u64;
        let mut random = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        for round in 0..2000 {
            let n = 2 + random(31) as usize;
            // Equal keys in every second round.
            let values = if round % 2 == 0 { 6 } else { 1 << 20 };
            let mut items = [Item::NONE; FEW];
            for (id, item) in items.iter_mut().enumerate().take(n) {
                *item = Item { centre: [random(values) as f32 - 3.0, 0.0, 0.0], id: id as u32 };
            }
            let at = 1 + random(n as u64 - 1) as usize;
            let mut many = items;
            let (mut spare, mut keys, mut sorted) = ([Item::NONE; FEW], [0; FEW], [0; FEW]);
            let mut sorter = Sorter { spare: &mut spare, keys: &mut keys, sorted: &mut sorted, leaf: 1 };
            let border = sorter.bisect_many(&mut many[..n], at, |p| p[0]);
            if let Some(found) = bisect_few(&mut items[..n], at, |p| p[0]) {
                assert_eq!(found, border);
                assert!(items.iter().zip(&many).all(|(a, b)| a.id == b.id), "{round}");
            } else {
                assert_eq!(round % 2, 0, "only equal keys are left to the other way");
            }
        }
    }
}
