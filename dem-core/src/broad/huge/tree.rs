//! Builds the bounding volume hierarchy, sixteen children to a node.
//!
//! The tree is implicit: the children of node j of a level are the nodes 16 j to 16 j + 15 of the level below, or, on
//! the lowest level, the boxes with these ranks. So building means ordering the boxes. Ranges are halved, at multiples
//! of the largest power of sixteen, by the centres of boxes along the axis of largest spread. Boxes that are large
//! beside all others come first, in nodes of their own, since a wall would widen all nodes above it.

use super::super::Space;
use super::Boxes;
use super::frame::{Frame, Sides};
use crate::error::{Error, Kind, Result, What};
use crate::memory::{Sizes, sections};
use crate::real::{max, min};
use zerocopy::{FromBytes, Immutable, IntoBytes};

/// Children of a node.
pub(crate) const WIDE: usize = 16;

/// Largest number of levels of a tree.
pub(crate) const LEVELS: usize = 8;

/// AABBs of the children: rows of low x, y, z and high x, y, z.
pub(super) type Node = [[f32; WIDE]; 6];

/// A node whose children are empty.
const EMPTY: Node = [
    [f32::INFINITY; WIDE],
    [f32::INFINITY; WIDE],
    [f32::INFINITY; WIDE],
    [f32::NEG_INFINITY; WIDE],
    [f32::NEG_INFINITY; WIDE],
    [f32::NEG_INFINITY; WIDE],
];

/// Capacity of a tree's block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub struct BoxTreeSizes {
    /// Largest number of boxes.
    pub boxes: u32,
}

impl Sizes for BoxTreeSizes {
    const KIND: [u8; 4] = *b"boxt";
    const VERSION: u32 = 1;
    const WHAT: What = What::BoxTree;

    fn check(&self) -> Result<()> {
        if self.boxes == u32::MAX {
            return Err(Error::new(Kind::TooLarge, What::BoxTree).amounts(u64::from(u32::MAX) - 1, u64::from(u32::MAX)));
        }
        Ok(())
    }
}

sections! {
    /// A bounding volume hierarchy of AABBs of huge bodies: 30 bytes per box.
    ///
    /// [`BoxTree::rebuild`] builds it from a host's arrays, [`BoxTree::refit`] follows boxes that have moved, and
    /// [`BoxTreeRef::pairs`] searches it for bodies.
    pub struct BoxTree / BoxTreeRef (n: &BoxTreeSizes) {
        pub(super) frame: Cache [Frame; 1],
        pub(super) ids: Cache [u32; u64::from(n.boxes)],
        pub(super) nodes: Cache [Node; levels(n.boxes).1],
    }
}

/// First node of every level from the lowest up, and the number of nodes. The last level has one node.
pub(crate) fn levels(boxes: u32) -> ([usize; LEVELS], u64, usize) {
    let (mut first, mut total, mut count, mut top) = ([0; LEVELS], 0, u64::from(boxes), 0);
    for (level, first) in first.iter_mut().enumerate() {
        count = count.div_ceil(WIDE as u64);
        (*first, top) = (total as usize, level);
        total += count;
        if count <= 1 {
            break;
        }
    }
    (first, total, top)
}

/// A box while boxes are being ordered.
#[derive(Clone, Copy, Debug, Default, FromBytes, IntoBytes, Immutable, zerocopy::KnownLayout)]
#[repr(C)]
struct Item {
    /// Twice its centre, clamped to the bounds of all finite sides.
    middle: [f32; 3],
    /// Its longest side.
    longest: f32,
    id: u32,
}

sections! {
    /// Scratch of a rebuild.
    pub(super) struct Building<'s>(boxes: u32) {
        items: [Item; u64::from(boxes)],
    }
}

impl BoxTree<'_> {
    /// Rebuilds the tree from these boxes. `scratch` is [`box_tree_scratch`](crate::broad::box_tree_scratch).
    ///
    /// Errors: those of [`Boxes::check`]; [`Kind::Capacity`] where the tree is too small for the boxes, or `scratch`.
    /// After an error the tree is empty. Cost: n log n.
    pub fn rebuild(&mut self, space: &Space, boxes: &Boxes<'_>, scratch: &mut [u8]) -> Result<()> {
        let frame = self.survey(space, boxes)?;
        let items = Building::new(scratch, boxes.len() as u32)?.items;
        for (i, item) in items.iter_mut().enumerate() {
            *item = self::item(&frame, &frame.sides(boxes, i), i as u32);
        }
        let large = large_first(items);
        let (walls, others) = items.split_at_mut(large);
        halve(walls, 0, Item::middle, |item| item.id);
        halve(others, large, Item::middle, |item| item.id);
        for (id, item) in self.ids.iter_mut().zip(items) {
            *id = item.id;
        }
        self.fill(frame, boxes);
        Ok(())
    }

    /// Updates the AABBs of the tree for moved boxes and keeps their order. Searches stay correct, but become slower
    /// the further boxes have moved past each other.
    ///
    /// Errors: those of [`Boxes::check`]; [`Kind::Mismatch`] where the tree is empty, or of another number of boxes, or
    /// another space. After an error the tree is empty. Cost: proportional to the number of boxes.
    pub fn refit(&mut self, space: &Space, boxes: &Boxes<'_>) -> Result<()> {
        let last = self.frame[0];
        let frame = self.survey(space, boxes)?;
        if last.ready != 1 || last.boxes != frame.boxes || last.periods != frame.periods || last.axes != frame.axes {
            return Err(Error::new(Kind::Mismatch, What::BoxTree));
        }
        self.fill(frame, boxes);
        Ok(())
    }

    fn survey(&mut self, space: &Space, boxes: &Boxes<'_>) -> Result<Frame> {
        self.frame[0] = Frame::default();
        space.check()?;
        boxes.check(space)?;
        if boxes.len() > self.ids.len() {
            return Err(Error::capacity(What::BoxTree, boxes.len() as u64, self.ids.len() as u64));
        }
        Ok(Frame::new(space, boxes))
    }

    /// Computes the AABBs of all nodes.
    fn fill(&mut self, frame: Frame, boxes: &Boxes<'_>) {
        let (first, total, top) = levels(frame.boxes);
        let nodes = self.nodes.get_mut(..total as usize).unwrap_or_default();
        nodes.fill(EMPTY);
        for (rank, id) in self.ids.iter().take(frame.boxes as usize).enumerate() {
            widen(nodes.get_mut(rank / WIDE), rank % WIDE, &frame.sides(boxes, *id as usize));
        }
        for level in 0..top {
            for j in 0..first[level + 1] - first[level] {
                let sides = nodes.get(first[level] + j).map(around).unwrap_or_default();
                widen(nodes.get_mut(first[level + 1] + j / WIDE), j % WIDE, &sides);
            }
        }
        self.frame[0] = Frame { ready: 1, ..frame };
    }
}

fn widen(node: Option<&mut Node>, lane: usize, sides: &Sides) {
    if let Some(node) = node {
        for axis in 0..3 {
            (node[axis][lane], node[axis + 3][lane]) = (sides.low[axis], sides.high[axis]);
        }
    }
}

/// The AABB of all children of a node.
fn around(node: &Node) -> Sides {
    let low = |row: &[f32; WIDE]| row.iter().fold(f32::INFINITY, |a, b| min(a, *b));
    let high = |row: &[f32; WIDE]| row.iter().fold(f32::NEG_INFINITY, |a, b| max(a, *b));
    let [a, b, c, d, e, f] = node;
    Sides { low: [a, b, c].map(low), high: [d, e, f].map(high) }
}

fn item(frame: &Frame, sides: &Sides, id: u32) -> Item {
    let mut item = Item { id, ..Item::default() };
    for axis in 0..frame.axes as usize {
        // Clamped to the bounds of all finite sides; without finite sides, `low > high`.
        let ends = [frame.low[axis], frame.high[axis]].map(|x| (x - frame.origin[axis]) as f32);
        if ends[0] <= ends[1] {
            let (low, high) = (max(sides.low[axis], ends[0]), min(sides.high[axis], ends[1]));
            item.middle[axis] = low + high;
            item.longest = max(high - low, item.longest);
        }
    }
    item
}

/// Spread of centres along each axis.
fn spread<T>(items: &[T], middle: impl Fn(&T) -> [f64; 3]) -> [f64; 3] {
    let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    for item in items {
        for (axis, x) in middle(item).into_iter().enumerate() {
            (low[axis], high[axis]) = (min(x, low[axis]), max(x, high[axis]));
        }
    }
    [0, 1, 2].map(|axis| high[axis] - low[axis])
}

impl Item {
    fn middle(&self) -> [f64; 3] {
        self.middle.map(f64::from)
    }
}

/// Moves boxes that are longer than a quarter of the spread to the front, if they are few. Gives their number.
fn large_first(items: &mut [Item]) -> usize {
    let [x, y, z] = spread(items, Item::middle);
    // Spreads are doubled.
    let limit = (0.125 * max(x, max(y, z))) as f32;
    let large = items.iter().filter(|i| i.longest > limit).count();
    if large == 0 || large > items.len() / 4 {
        return 0;
    }
    items.sort_unstable_by_key(|i| (i.longest <= limit, i.id));
    large
}

/// Orders items for a tree of [`WIDE`] children to a node, by their middles; `start` is the rank of the first one.
///
/// Cost: n log n.
pub(crate) fn halve<T>(items: &mut [T], start: usize, middle: impl Fn(&T) -> [f64; 3], id: impl Fn(&T) -> u32) {
    // A stack: each halving pushes two ranges, and depth is at most the number of bits of a rank.
    let mut waiting = [(0, 0); 2 * u32::BITS as usize];
    let mut count = 1;
    waiting[0] = (start, start + items.len());
    while count > 0 {
        count -= 1;
        let (low, high) = waiting[count];
        let Some(at) = cut(low, high) else { continue };
        let range = &mut items[low - start..high - start];
        let [x, y, z] = spread(range, &middle);
        let axis = if x >= y && x >= z { 0 } else { 1 + usize::from(z > y) };
        let before = |a: &T, b: &T| middle(a)[axis].total_cmp(&middle(b)[axis]).then(id(a).cmp(&id(b)));
        range.select_nth_unstable_by(at - low, before);
        (waiting[count], waiting[count + 1]) = ((low, at), (at, high));
        count += 2;
    }
}

/// Where the ranks `low..high` are cut: of the largest power of [`WIDE`] that has a multiple inside, the multiple
/// nearest to the middle.
fn cut(low: usize, high: usize) -> Option<usize> {
    let mut unit = None;
    let mut power = WIDE;
    while power < high && (low / power + 1) * power < high {
        unit = Some(power);
        power = power.saturating_mul(WIDE);
    }
    let unit = unit?;
    let nearest = (low + (high - low) / 2 + unit / 2) / unit * unit;
    Some(min(max(nearest, (low / unit + 1) * unit), (high - 1) / unit * unit))
}
