//! Triangles with the same corners: the first one stands for all of them, and parts of a tree that lead only to copies are left out.

use crate::memory::sections;
use crate::mesh::{MeshRef, NONE, Record, sort};
use crate::surrogate::TreeRef;

/// Classes of triangles that are the same set of points, by exact positions of their corners.
pub(super) struct Alike<'s> {
    /// The size of the class of each first triangle; 0 for all other triangles.
    number: &'s [u32],
    /// The next triangle of the same class; [`NONE`] after the last.
    next: &'s [u32],
    /// A bit for each node of each cluster: whether there is a first triangle below it. Empty if there are no copies.
    nodes: &'s [u8],
}

sections! {
    /// Memory of [`Alike::new`].
    pub(super) struct AlikeMemory<'s>(tree: &TreeRef<'_>; triangles = u64::from(tree.sizes.triangles)) {
        records: [Record; triangles],
        number: [u32; triangles],
        next: [u32; triangles],
        nodes: [u8; tree.sizes.clusters.into()],
    }
}

impl<'s> Alike<'s> {
    /// Finds the classes. Cost: a sort.
    pub fn new(mesh: &MeshRef<'_>, tree: &TreeRef<'_>, memory: AlikeMemory<'s>) -> Alike<'s> {
        let AlikeMemory { records, number, next, nodes } = memory;
        for (i, record) in records.iter_mut().enumerate() {
            let [a, b, c] = corners(mesh, i).map(u64::from);
            *record = [a << 32 | b, c << 32 | i as u64];
        }
        sort(records);
        number.fill(0);
        let mut classes = 0;
        for class in records.chunk_by(|x, y| x[0] == y[0] && x[1] >> 32 == y[1] >> 32) {
            let mut following = NONE;
            for [_, triangle] in class.iter().rev() {
                let triangle = *triangle as u32;
                if let Some(to) = next.get_mut(triangle as usize) {
                    *to = following;
                }
                following = triangle;
            }
            if let Some(to) = number.get_mut(following as usize) {
                *to = class.len() as u32;
            }
            classes += 1;
        }
        let nodes = if classes < mesh.len() { mark(tree, number, nodes) } else { &[] };
        Alike { number, next, nodes }
    }

    /// Whether there are copies.
    pub fn any(&self) -> bool {
        !self.nodes.is_empty()
    }

    /// Number of triangles for which a first triangle stands; 0 for all other triangles.
    pub fn number(&self, triangle: u32) -> u64 {
        self.number.get(triangle as usize).copied().unwrap_or(0).into()
    }

    /// All triangles of the class of a first triangle, in ascending order.
    pub fn class(&self, first: u32) -> impl Iterator<Item = u32> {
        let of = |i: u32| if i == NONE { None } else { Some(i) };
        core::iter::successors(of(first), move |i| of(self.next.get(*i as usize).copied().unwrap_or(NONE)))
    }

    /// Of the pairs of nodes of two clusters, those with first triangles below both nodes.
    pub fn choose(&self, clusters: [u32; 2], nodes: u32) -> u32 {
        let [a, b] = clusters.map(|c| u32::from(self.nodes.get(c as usize).copied().unwrap_or(0xf)));
        // Each node of A has four bits.
        let rows = a & 1 | (a & 2) << 3 | (a & 4) << 6 | (a & 8) << 9;
        nodes & (rows * (b & 0xf))
    }
}

/// The different corners of a triangle, in ascending order. If there are fewer than three, the first one is repeated.
fn corners(mesh: &MeshRef<'_>, i: usize) -> [u32; 3] {
    let mut corners = mesh.welded(i);
    corners.sort_unstable();
    match corners {
        [a, b, c] if b == c => [a, a, c],
        sorted => sorted,
    }
}

fn mark<'s>(tree: &TreeRef<'_>, number: &[u32], nodes: &'s mut [u8]) -> &'s [u8] {
    // Children have larger numbers than their parents, so they are done first.
    for (i, cluster) in tree.clusters.iter().enumerate().rev() {
        let mut bits = 0;
        for lane in 0..cluster.count() {
            let leads = match cluster.is_fine() {
                true => number.get(cluster.link[lane & 3] as usize).is_some_and(|n| *n > 0),
                false => nodes.get(cluster.children(lane)).unwrap_or_default().iter().any(|below| *below != 0),
            };
            bits |= u8::from(leads) << lane;
        }
        if let Some(to) = nodes.get_mut(i) {
            *to = bits;
        }
    }
    nodes
}
