//! A k-d tree over points with six coordinates, from which points can be removed.
//!
//! A balanced k-d tree (Bentley, Multidimensional binary search trees used for associative searching, 1975) without
//! pointers: the middle of a range is its root, points before it are on one side of the splitting plane and points
//! after it on the other. Short ranges are unsorted leaves. The result of a search depends only on the points.

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
    /// 1 until the point is removed.
    own: u32,
    /// Number of remaining points in the node's range.
    left: u32,
    /// Axis of the splitting plane.
    axis: u32,
}

impl Node {
    /// A point.
    pub fn new(at: Point, id: usize) -> Self {
        Node { at, id: id as u32, own: 1, left: 0, axis: 0 }
    }
}

/// Ranges up to this length are leaves.
const LEAF: usize = 32;

/// Depth of the stack: one range for each level, as ranges are halved, and the last two.
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

/// Puts the points in the order of a tree. Cost: O(n log n).
pub fn build(nodes: &mut [Node]) {
    let mut waiting = Waiting::new((0, nodes.len()));
    while let Some((from, to)) = waiting.pop() {
        let Some(range) = nodes.get_mut(from..to) else { continue };
        let (length, middle) = (range.len(), range.len() / 2);
        if length <= LEAF {
            range.iter_mut().for_each(|node| node.own = 1);
            continue;
        }
        let axis = widest(range);
        let along = |x: &Node, y: &Node| x.at[axis].total_cmp(&y.at[axis]);
        let (_, root, _) = range.select_nth_unstable_by(middle, along);
        (root.own, root.left, root.axis) = (1, length as u32, axis as u32);
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
/// go to the smallest id. Cost: O(log n) unless many points are equally near.
pub fn nearest(nodes: &[Node], at: &Point, bound: f64) -> Option<(usize, f64)> {
    let mut best = (bound, u32::MAX, usize::MAX);
    let mut waiting = Waiting::new((0, nodes.len() as u32, 0.0));
    while let Some((from, to, least)) = waiting.pop() {
        if to - from <= LEAF as u32 {
            let leaf = nodes.get(from as usize..to as usize).filter(|_| least <= best.0).unwrap_or_default();
            for (i, node) in leaf.iter().enumerate() {
                let distance = apart(&node.at, at);
                if distance <= best.0 && node.own == 1 && (distance < best.0 || node.id < best.1) {
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
        if root.own == 1 && (distance, root.id) < (best.0, best.1) {
            best = (distance, root.id, middle as usize);
        }
        let axis = (root.axis as usize).min(5);
        let side = at[axis] - root.at[axis];
        let (below, above) = ((from, middle), (middle + 1, to));
        let (near, far) = if side < 0.0 { (below, above) } else { (above, below) };
        // Rounding is monotonic: no point behind the plane is nearer than the plane.
        waiting.push((far.0, far.1, side * side));
        waiting.push((near.0, near.1, least));
    }
    (best.2 != usize::MAX).then_some((best.2, best.0))
}

/// Removes a point. Cost: O(log n).
pub fn take_out(nodes: &mut [Node], place: usize) {
    let (mut from, mut to) = (0, nodes.len());
    while to - from > LEAF {
        let middle = from + (to - from) / 2;
        let Some(root) = nodes.get_mut(middle) else { return };
        root.left = root.left.saturating_sub(1);
        match place.cmp(&middle) {
            core::cmp::Ordering::Less => to = middle,
            core::cmp::Ordering::Greater => from = middle + 1,
            core::cmp::Ordering::Equal => {
                root.own = 0;
                return;
            }
        }
    }
    if let Some(node) = nodes.get_mut(place) {
        node.own = 0;
    }
}

/// Removes two points that are in no tree, if both are still there.
pub fn leave(x: &mut Node, y: &mut Node) -> bool {
    let both = x.own == 1 && y.own == 1;
    if both {
        (x.own, y.own) = (0, 0);
    }
    both
}

/// Whether a point has not been removed.
pub fn is_in(nodes: &[Node], place: usize) -> bool {
    nodes.get(place).is_some_and(|node| node.own == 1)
}
