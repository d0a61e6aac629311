//! What is said of nodes beside their surrogates: which have open sides below, which have nothing below but copies.
//!
//! Closest points pass by copies, and winding numbers need the open sides, without looking at all triangles.

use glam::DVec3;

use super::tree::{Cluster, Tree, WIDTH};
use crate::mesh::{MeshRef, NONE};
use crate::real::Real;

/// Bit of lane 0 in [`Cluster::meta`]`[0]`: a triangle below has a side that has no partner, see [`is_open`].
const OPEN: u32 = 1 << 16;
/// Bit of lane 0: everything below repeats, corner by corner, a triangle with a smaller number.
const COPIES: u32 = 1 << 24;
/// All bits of marks.
pub(super) const MARKS: u32 = 15 * (OPEN | COPIES);
/// In the last of [`Root::choices`](super::Root::choices), beside the number of open sides: the surface looks inward.
const INWARD: u32 = 1 << 31;
/// Below this volume, relative to its area to the power of 3/2, an open surface looks inward; a ball has 0.094.
const INWARD_VOLUME: f64 = -0.01;

impl Cluster {
    /// Whether a triangle of this node has an open side.
    #[inline(always)]
    pub(crate) fn has_open(&self, lane: usize) -> bool {
        self.meta[0] & (OPEN << (lane & 3)) != 0
    }

    /// Bits of the nodes of which all triangles are copies of others with smaller numbers.
    #[inline(always)]
    pub(crate) fn copies(&self) -> u32 {
        (self.meta[0] / COPIES) & 15
    }

    fn mark(&mut self, lane: usize, open: bool, copies: bool) {
        self.meta[0] |= ((u32::from(open) * OPEN) | (u32::from(copies) * COPIES)) << (lane & 3);
    }
}

impl super::TreeRef<'_> {
    /// Sides of triangles that have no partner.
    pub(crate) fn open_sides(&self) -> u32 {
        self.root().map_or(0, |root| root.choices[7] & !INWARD)
    }

    /// Whether the mesh is turned inside out: its volume is negative.
    pub(crate) fn looks_inward(&self) -> bool {
        self.root().is_some_and(|root| root.choices[7] & INWARD != 0)
    }
}

/// Whether side `k` of a triangle with three different corners has no partner: a neighbour that runs along the same edge in
/// the other direction. The sides that have one cancel in the boundary of the surface.
pub(crate) fn is_open(mesh: &MeshRef<'_>, triangle: u32, k: usize) -> bool {
    let [a, b, c] = mesh.welded(triangle as usize);
    if a == b || b == c || c == a {
        return false;
    }
    let (from, to) = ([a, b, c][k % 3], [b, c, a][k % 3]);
    let other = mesh.neighbour.get(triangle as usize).map_or(NONE, |n| n[k % 3]);
    if other == NONE {
        return true;
    }
    let [a, b, c] = mesh.welded(other as usize);
    ![(a, b), (b, c), (c, a)].contains(&(to, from))
}

/// The last triangles that were met, each with the smallest number that it has had so far.
struct Recent {
    seen: [(u32, [[f64; 3]; 3]); Recent::LEN],
    next: usize,
}

impl Recent {
    /// A triangle and its reversed copy, each in three turns, and one more.
    const LEN: usize = 7;

    fn new() -> Self {
        Recent { seen: [(NONE, [[0.0; 3]; 3]); Recent::LEN], next: 0 }
    }

    /// Whether a triangle repeats one of these with a smaller number.
    fn repeats(&mut self, id: u32, corners: [[f64; 3]; 3]) -> bool {
        if let Some((least, _)) = self.seen.iter_mut().find(|(least, known)| *least != NONE && *known == corners) {
            let later = id > *least;
            *least = if later { *least } else { id };
            return later;
        }
        if let Some(to) = self.seen.get_mut(self.next) {
            *to = (id, corners);
        }
        self.next = (self.next + 1) % Recent::LEN;
        false
    }
}

impl Tree<'_> {
    /// Marks all nodes, and counts the open sides.
    ///
    /// A copy is found where it follows its original among the triangles of the tree; copies have the same centroid, so they
    /// do. One that is not found costs time only. Cost: linear, some tens of nanoseconds a triangle.
    pub(super) fn mark(&mut self, mesh: &MeshRef<'_>) {
        let (mut sides, mut volume, mut area) = (0, 0.0, 0.0);
        let mut recent = Recent::new();
        let (centre, scale) = (DVec3::from_array(mesh.centre()), mesh.radius().inverse_exponent());
        for cluster in self.clusters.iter_mut().filter(|cluster| cluster.is_fine()) {
            for lane in 0..cluster.count() {
                let id = cluster.link[lane];
                let corners = mesh.triangle(id as usize);
                let open = (0..3).filter(|k| is_open(mesh, id, *k)).count();
                sides += open as u32;
                cluster.mark(lane, open > 0, recent.repeats(id, corners));
                let [a, b, c] = corners.map(|v| (DVec3::from_array(v) - centre) * scale);
                let normal = (b - a).cross(c - a);
                volume += a.dot(normal) * (1.0 / 6.0);
                area += 0.5 * Real::sqrt(normal.dot(normal));
            }
        }
        let least = if sides == 0 { 0.0 } else { INWARD_VOLUME * area * Real::sqrt(area) };
        if let Some(root) = self.root.first_mut() {
            root.choices[7] = sides | if volume < least { INWARD } else { 0 };
        }
        self.mark_coarse();
    }

    /// Children have larger numbers than parents.
    fn mark_coarse(&mut self) {
        for at in (0..self.clusters.len()).rev() {
            for lane in 0..WIDTH {
                let Some(cluster) = self.clusters.get(at).filter(|c| !c.is_fine() && lane < c.count()) else {
                    continue;
                };
                let children = self.clusters.get(cluster.children(lane)).unwrap_or_default();
                let open = children.iter().any(|child| (0..child.count()).any(|lane| child.has_open(lane)));
                let copies = children.iter().all(|child| child.copies() == (1 << child.count()) - 1);
                if let Some(cluster) = self.clusters.get_mut(at) {
                    cluster.mark(lane, open, copies);
                }
            }
        }
    }
}
