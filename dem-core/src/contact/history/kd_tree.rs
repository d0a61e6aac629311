//! A k-d tree over points with six coordinates, from which points can be removed.
//!
//! A balanced k-d tree without pointers (Bentley, Multidimensional binary search trees used for associative searching, 1975). The middle of a
//! range is its root. Points before the root are on one side of the splitting plane, points after it on the other. Short ranges are unsorted
//! leaves. The result of a search depends only on the points.
//!
//! Among many points in one place, the one with the smallest id is the result. A range whose points are all in one place is not searched: its
//! root stores that id.

use zerocopy::{FromBytes, Immutable, IntoBytes};

/// Coordinates of a point: in the frame of A, then in that of B.
pub type Point = [f64; 6];

/// A point of a tree.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub struct Node {
    /// Coordinates.
    pub at: Point,
    /// Index of the contact.
    pub id: u32,
    /// [`HERE`] until the point is removed. The lowest bits are the axis of the splitting plane. [`SAME`] if all points of the node's range are
    /// in one place.
    marks: u32,
    /// Number of remaining points in the node's range.
    left: u32,
    /// The smallest id of the remaining points.
    first: u32,
}

const AXIS: u32 = 7;
const HERE: u32 = 8;
const SAME: u32 = 16;

impl Node {
    /// A point.
    pub fn new(at: Point, id: usize) -> Self {
        Node { at, id: id as u32, marks: HERE, left: 0, first: 0 }
    }

    fn is_here(&self) -> bool {
        self.marks & HERE != 0
    }

    /// Its id, or the largest number if the point is removed.
    fn own(&self) -> u32 {
        if self.is_here() { self.id } else { u32::MAX }
    }
}

/// Ranges up to this length are leaves.
const LEAF: usize = 32;

/// Depth of the stack: one range for each level, because ranges are halved, and two more.
const DEPTH: usize = 36;

/// A stack of ranges to be searched.
struct Waiting<T> {
    items: [T; DEPTH],
    count: usize,
}

impl<T: Copy> Waiting<T> {
    fn new(first: T) -> Self {
        Waiting { items: [first; DEPTH], count: 1 }
    }

    fn push(&mut self, item: T) {
        if let Some(to) = self.items.get_mut(self.count) {
            *to = item;
            self.count += 1;
        }
    }

    fn pop(&mut self) -> Option<T> {
        self.count = self.count.checked_sub(1)?;
        self.items.get(self.count).copied()
    }
}

/// Sorts the points into the order of a tree. Cost: O(n log n).
pub fn build(nodes: &mut [Node]) {
    let mut waiting = Waiting::new((0, nodes.len()));
    while let Some((from, to)) = waiting.pop() {
        let Some(range) = nodes.get_mut(from..to) else { continue };
        let (length, middle) = (range.len(), range.len() / 2);
        if length <= LEAF {
            range.iter_mut().for_each(|node| node.marks = HERE);
            continue;
        }
        let axis = widest(range);
        let along = |x: &Node, y: &Node| x.at[axis].total_cmp(&y.at[axis]);
        let place = range.first().map(|node| node.at);
        let same = if range.iter().all(|node| Some(node.at) == place) { SAME } else { 0 };
        let first = range.iter().fold(u32::MAX, |first, node| crate::real::min(node.id, first));
        let (_, root, _) = range.select_nth_unstable_by(middle, along);
        (root.marks, root.left, root.first) = (HERE | same | axis as u32, length as u32, first);
        waiting.push((from, from + middle));
        waiting.push((from + middle + 1, to));
    }
}

/// The axis of largest spread, estimated from a few points.
pub fn widest(range: &[Node]) -> usize {
    const FEW: usize = 32;
    let (mut low, mut high) = ([f64::INFINITY; 6], [f64::NEG_INFINITY; 6]);
    for node in range.iter().step_by(range.len() / FEW + 1) {
        for k in 0..6 {
            low[k] = crate::real::min(low[k], node.at[k]);
            high[k] = crate::real::max(high[k], node.at[k]);
        }
    }
    let mut best = 0;
    for k in 1..6 {
        if high[k] - low[k] > high[best] - low[best] {
            best = k;
        }
    }
    best
}

/// The squared distance of two points; symmetric to the last bit.
pub fn apart(x: &Point, y: &Point) -> f64 {
    let square = |k: usize| (x[k] - y[k]) * (x[k] - y[k]);
    ((square(0) + square(1)) + (square(2) + square(3))) + (square(4) + square(5))
}

/// Index and squared distance of the remaining point nearest to `at`, if its squared distance is at most `bound`. Ties
/// go to the smallest id. Cost: O(log n) unless many points in different places are equally near.
pub fn nearest(nodes: &[Node], at: &Point, bound: f64) -> Option<(usize, f64)> {
    let mut best = (bound, u32::MAX, usize::MAX);
    let mut waiting = Waiting::new((0, nodes.len() as u32, 0.0));
    while let Some((from, to, least)) = waiting.pop() {
        if to - from <= LEAF as u32 {
            let leaf = nodes.get(from as usize..to as usize).filter(|_| least <= best.0).unwrap_or_default();
            for (i, node) in leaf.iter().enumerate() {
                let distance = apart(&node.at, at);
                if distance <= best.0 && node.is_here() && (distance < best.0 || node.id < best.1) {
                    best = (distance, node.id, from as usize + i);
                }
            }
            continue;
        }
        let middle = from + (to - from) / 2;
        let Some(root) = nodes.get(middle as usize).filter(|root| root.left > 0 && least <= best.0) else {
            continue;
        };
        let distance = apart(&root.at, at);
        if root.marks & SAME != 0 {
            if (distance, root.first) < (best.0, best.1) {
                best = (distance, root.first, place_of(nodes, [from as usize, to as usize], root.first));
            }
            continue;
        }
        if root.is_here() && (distance, root.id) < (best.0, best.1) {
            best = (distance, root.id, middle as usize);
        }
        let axis = ((root.marks & AXIS) as usize).min(5);
        let side = at[axis] - root.at[axis];
        let (below, above) = ((from, middle), (middle + 1, to));
        let (near, far) = if side < 0.0 { (below, above) } else { (above, below) };
        // Rounding is monotonic: no point behind the plane is nearer than the plane.
        waiting.push((far.0, far.1, side * side));
        waiting.push((near.0, near.1, least));
    }
    (best.2 != usize::MAX).then_some((best.2, best.0))
}

/// The smallest id of the remaining points in a range; the largest number if there is none.
fn first_of(nodes: &[Node], [from, to]: [usize; 2]) -> u32 {
    if to - from <= LEAF {
        let leaf = nodes.get(from..to).unwrap_or_default();
        return leaf.iter().fold(u32::MAX, |first, node| crate::real::min(node.own(), first));
    }
    nodes.get(from + (to - from) / 2).map_or(u32::MAX, |root| root.first)
}

/// The index of the smallest id of a range.
fn place_of(nodes: &[Node], [mut from, mut to]: [usize; 2], id: u32) -> usize {
    while to - from > LEAF {
        let middle = from + (to - from) / 2;
        match () {
            () if nodes.get(middle).is_some_and(|root| root.own() == id) => return middle,
            () if first_of(nodes, [from, middle]) == id => to = middle,
            () => from = middle + 1,
        }
    }
    (from..to).find(|i| nodes.get(*i).is_some_and(|node| node.own() == id)).unwrap_or(usize::MAX)
}

/// Removes a point. Cost: O(log n).
pub fn take_out(nodes: &mut [Node], place: usize) {
    let (mut from, mut to) = (0, nodes.len());
    let mut above = Waiting::new([0; 2]);
    while to - from > LEAF {
        let middle = from + (to - from) / 2;
        let Some(root) = nodes.get_mut(middle) else { return };
        root.left = root.left.saturating_sub(1);
        above.push([from, to]);
        match place.cmp(&middle) {
            core::cmp::Ordering::Less => to = middle,
            core::cmp::Ordering::Greater => from = middle + 1,
            core::cmp::Ordering::Equal => break,
        }
    }
    if let Some(node) = nodes.get_mut(place) {
        node.marks &= !HERE;
    }
    while let Some([from, to]) = above.pop().filter(|[from, to]| to > from) {
        let middle = from + (to - from) / 2;
        let firsts = [first_of(nodes, [from, middle]), first_of(nodes, [middle + 1, to])];
        if let Some(root) = nodes.get_mut(middle) {
            root.first = firsts.into_iter().fold(root.own(), crate::real::min);
        }
    }
}

/// Removes two points that are in no tree, if both are still present.
pub fn leave(x: &mut Node, y: &mut Node) -> bool {
    let both = x.is_here() && y.is_here();
    if both {
        (x.marks, y.marks) = (0, 0);
    }
    both
}

/// Whether a point has not been removed.
pub fn is_in(nodes: &[Node], place: usize) -> bool {
    nodes.get(place).is_some_and(Node::is_here)
}
