//! The patches along the curve around an enclosed part: they determine the neighbours of the part's node.

use zerocopy::{FromBytes, Immutable, IntoBytes};

use super::crossing_segment::Segment;
use super::intersection_curve::Surround;

/// A patch of A and a patch of B that cross at the border of an enclosed part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub(in crate::contact) struct Tie {
    /// The patches that name the enclosed part: patch of A, patch of B.
    pub node: u64,
    /// The crossing patches: patch of A, patch of B.
    pub at: u64,
    /// 1 if the angle between their normals is at least 120 degrees, else 0.
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

    /// Whether there are more ties than fit.
    pub fn is_short(&self) -> bool {
        self.wanted && self.count > self.list.len()
    }

    /// The ties from index `from` on.
    pub fn since(&mut self, from: usize) -> &mut [Tie] {
        let count = self.count.min(self.list.len());
        self.list.get_mut(from..count).unwrap_or_default()
    }
}

/// Cosine of 120 degrees: faces whose normals have a larger angle do not lean.
const FACING: f64 = -0.5;

impl Surround<'_, '_> {
    /// Writes all pairs of patches along the curve, each pair once for each name of a part. `names` has an item for each segment.
    pub fn tell(&self, swapped: bool, names: &mut [[u64; 3]], to: &mut Ties<'_>) {
        if !to.wanted {
            return;
        }
        for (i, (s, to)) in self.segments.iter().zip(names.iter_mut()).enumerate() {
            let [x, y] = [self.bodies[0].patch(s.x), self.bodies[1].patch(s.y)].map(u64::from);
            let at = if swapped { y << 32 | x } else { x << 32 | y };
            *to = [self.patches(self.side_of(i as u32), swapped), at, i as u64];
        }
        let tie = |&[node, at, i]: &[u64; 3]| {
            let normal = |side: usize, triangle: u32| self.placed.normal(&self.bodies, side, triangle);
            let normals = |s: &Segment| (normal(0, s.x), normal(1, s.y));
            let normals = self.segments.get(i as usize).map(normals);
            Tie { node, at, faces: normals.map_or(0, |(x, y)| u64::from(x.dot(y) <= FACING)) }
        };
        names.sort_unstable_by_key(|[node, at, _]| (*node, *at));
        for run in names.chunk_by(|[node, at, _], [next, there, _]| (node, at) == (next, there)) {
            if let Some(tie) = run.iter().map(tie).max() {
                to.put(tie);
            }
        }
    }
}
