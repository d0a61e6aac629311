//! The patches along the curve around an enclosed part: they tell the neighbours of the node of that part.

use zerocopy::{FromBytes, Immutable, IntoBytes};

use super::intersection_curve::Surround;

/// A patch of A and a patch of B that cross at the border of an enclosed part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub(in crate::contact) struct Tie {
    /// The patches that name the enclosed part: patch of A, patch of B.
    pub node: u64,
    /// Patches that cross there.
    pub at: u64,
    /// 1 where they are turned to each other by at least 120 degrees, else 0.
    pub faces: u64,
}

/// Output of ties; those without room are counted.
pub(in crate::contact) struct Ties<'t> {
    list: &'t mut [Tie],
    pub count: usize,
    wanted: bool,
}

impl<'t> Ties<'t> {
    pub fn new(list: &'t mut [Tie]) -> Self {
        Ties { list, count: 0, wanted: true }
    }

    /// No output of ties.
    pub fn none() -> Self {
        Ties { list: &mut [], count: 0, wanted: false }
    }

    fn put(&mut self, tie: Tie) {
        if let Some(to) = self.list.get_mut(self.count) {
            *to = tie;
        }
        self.count += 1;
    }

    /// Whether there were more than there is room for.
    pub fn is_short(&self) -> bool {
        self.wanted && self.count > self.list.len()
    }

    /// The ties from number `from` on.
    pub fn since(&mut self, from: usize) -> &mut [Tie] {
        let count = self.count.min(self.list.len());
        self.list.get_mut(from..count).unwrap_or_default()
    }
}

/// Cosine of 120 degrees: faces that are turned to each other by more do not lean.
const FACING: f64 = -0.5;

impl Surround<'_, '_> {
    /// Tells of all patches along the curve, each two of them once for each name. `order` has room for all segments.
    pub fn tell(&self, swapped: bool, order: &mut [u32], to: &mut Ties<'_>) {
        if !to.wanted {
            return;
        }
        (0..).zip(order.iter_mut()).for_each(|(i, to)| *to = i);
        // Cheap, as a sort asks for it often.
        let name = |i: &u32| {
            let Some(s) = self.segments.get(*i as usize) else { return (0, 0) };
            let [x, y] = [self.bodies[0].patch(s.x), self.bodies[1].patch(s.y)].map(u64::from);
            let at = if swapped { y << 32 | x } else { x << 32 | y };
            (self.patches(self.curve.find(*i), swapped), at)
        };
        let tie = |i: &u32| {
            let ((node, at), segment) = (name(i), self.segments.get(*i as usize));
            let normals = segment.map(|s| (self.bodies[0].normal(s.x), self.bodies[1].normal(s.y)));
            Tie { node, at, faces: normals.map_or(0, |(x, y)| u64::from(x.dot(y) <= FACING)) }
        };
        order.sort_unstable_by_key(name);
        for run in order.chunk_by(|i, j| name(i) == name(j)) {
            if let Some(tie) = run.iter().map(tie).max() {
                to.put(tie);
            }
        }
    }
}
