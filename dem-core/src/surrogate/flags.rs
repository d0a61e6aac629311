//! Marks of nodes in addition to their surrogates: nodes with open sides below, and nodes with only copies below.
//!
//! With these marks, searches for closest points skip copies, and winding numbers find open sides without a pass over all triangles.

use super::tree::{COPIES, Cluster, OPEN, Tree, WIDTH};
use crate::mesh::{MeshRef, NONE};
use crate::real::Real;
use crate::vector::{cross, dot, sub};

/// A bit in the last of [`Root::choices`](super::Root::choices), which also holds the number of open sides: the surface looks inward.
const INWARD: u32 = 1 << 31;
/// An open surface looks inward if its volume, relative to its area to the power of 3/2, is below this; for a ball it is 0.094.
const INWARD_VOLUME: f64 = -0.01;

impl Cluster {
    /// Whether a triangle of this node has an open side.
    #[inline(always)]
    pub(crate) fn has_open(&self, lane: usize) -> bool {
        self.meta[0] & (OPEN << (lane & 3)) != 0
    }

    /// Bits of the nodes below which all triangles are copies of others with smaller numbers.
    #[inline(always)]
    pub(crate) fn copies(&self) -> u32 {
        (self.meta[0] / COPIES) & 15
    }

    fn mark(&mut self, lane: usize, open: bool, copies: bool) {
        self.meta[0] |= ((u32::from(open) * OPEN) | (u32::from(copies) * COPIES)) << (lane & 3);
    }
}

impl super::TreeRef<'_> {
    /// Number of sides of triangles without a partner.
    pub(crate) fn open_sides(&self) -> u32 {
        self.root().map_or(0, |root| root.choices[7] & !INWARD)
    }

    /// Whether the mesh is inverted: its volume is negative.
    pub(crate) fn looks_inward(&self) -> bool {
        self.root().is_some_and(|root| root.choices[7] & INWARD != 0)
    }
}

/// Whether side `k` of a triangle with three different corners has no partner. A partner is a neighbour that has the same edge in the other
/// direction. Sides with a partner cancel in the boundary of the surface.
pub(crate) fn is_open(mesh: &MeshRef<'_>, triangle: u32, k: usize) -> bool {
    is_open_side(mesh, triangle, mesh.welded(triangle as usize), k, |other| mesh.welded(other as usize))
}

/// As [`is_open`], with known corners.
#[inline(always)]
fn is_open_side(
    mesh: &MeshRef<'_>,
    triangle: u32,
    [a, b, c]: [u32; 3],
    k: usize,
    corners: impl Fn(u32) -> [u32; 3],
) -> bool {
    if a == b || b == c || c == a {
        return false;
    }
    let (from, to) = ([a, b, c][k % 3], [b, c, a][k % 3]);
    let other = mesh.neighbour.get(triangle as usize).map_or(NONE, |n| n[k % 3]);
    if other == NONE {
        return true;
    }
    let [a, b, c] = corners(other);
    let runs = |x: u32, y: u32| (x == to) & (y == from);
    !(runs(a, b) | runs(b, c) | runs(c, a))
}

/// The last triangles, each with the smallest number that it has had so far.
struct Recent {
    /// The corners, in order, as one number; and the triangle's number.
    seen: [(u128, u32); Recent::LEN],
    next: usize,
}

impl Recent {
    /// Room for a triangle and its reversed copy, each with three rotations of its corners, and one more.
    const LEN: usize = 7;

    fn new() -> Self {
        // No triangle has this number.
        Recent { seen: [(u128::MAX, NONE); Recent::LEN], next: 0 }
    }

    /// Whether a triangle has the same corners as one of these with a smaller number.
    #[inline(always)]
    fn repeats(&mut self, id: u32, corners: [u32; 3]) -> bool {
        let [a, b, c] = corners.map(u128::from);
        let corners = a << 64 | b << 32 | c;
        // This is rare, so all are compared without a branch in between.
        if self.seen.iter().fold(false, |any, (known, _)| any | (*known == corners))
            && let Some((_, least)) = self.seen.iter_mut().find(|(known, _)| *known == corners)
        {
            let later = id > *least;
            *least = if later { *least } else { id };
            return later;
        }
        if let Some(to) = self.seen.get_mut(self.next) {
            *to = (corners, id);
        }
        self.next = if self.next + 1 == Recent::LEN { 0 } else { self.next + 1 };
        false
    }
}

/// Marks fine triangles in the order in which they are written, and counts marks.
pub(super) struct Marker {
    /// Number of open sides.
    sides: u32,
    /// Whether there was a copy.
    copies: bool,
    recent: Recent,
}

impl Marker {
    pub fn new() -> Self {
        Marker { sides: 0, copies: false, recent: Recent::new() }
    }

    /// Marks the nodes of a fine cluster; `corners` gives the welded vertices of a triangle.
    ///
    /// A copy is found if it follows its original in the order of the tree's triangles. It does, because copies have the same centroid. A copy that
    /// is not found only costs time.
    #[inline(always)]
    pub fn mark(&mut self, cluster: &mut Cluster, mesh: &MeshRef<'_>, corners: impl Fn(u32) -> [u32; 3] + Copy) {
        for lane in 0..cluster.count() {
            let id = cluster.link[lane];
            let own = corners(id);
            let open = [0, 1, 2].map(|k| u32::from(is_open_side(mesh, id, own, k, corners))).into_iter().sum::<u32>();
            let copy = self.recent.repeats(id, own);
            (self.sides, self.copies) = (self.sides + open, self.copies | copy);
            cluster.mark(lane, open > 0, copy);
        }
    }
}

/// Triangles whose volumes are summed together: in this fixed order of the sum, the compiler may use lanes.
const TOGETHER: usize = 8;

/// Volume and area in coordinates about the middle, scaled to a radius of about 1; the area only if it is wanted.
fn volume_and_area<T: Real>(mesh: &MeshRef<'_>, rows: [&[T]; 9], wanted: bool) -> [f64; 2] {
    let (centre, scale) = (mesh.centre(), mesh.radius().inverse_exponent());
    let (mut volumes, mut areas) = ([0.0; TOGETHER], [0.0; TOGETHER]);
    let whole = mesh.len() / TOGETHER * TOGETHER;
    let mut at = 0;
    while at < mesh.len() {
        let blocks = rows.map(|row| row.get(at..).and_then(|rest| rest.first_chunk::<TOGETHER>()));
        // Rows are padded, so a last block is always complete.
        let [Some(ax), Some(ay), Some(az), Some(bx), Some(by), Some(bz), Some(cx), Some(cy), Some(cz)] = blocks else {
            break;
        };
        let number = if at < whole { TOGETHER } else { mesh.len() - whole };
        let (mut volume, mut area) = ([0.0; TOGETHER], [0.0; TOGETHER]);
        for k in 0..TOGETHER {
            let local = |x: T, c: usize| (x.to_f64() - centre[c]) * scale;
            let a = [local(ax[k], 0), local(ay[k], 1), local(az[k], 2)];
            let b = [local(bx[k], 0), local(by[k], 1), local(bz[k], 2)];
            let c = [local(cx[k], 0), local(cy[k], 1), local(cz[k], 2)];
            let normal = cross(sub(b, a), sub(c, a));
            volume[k] = dot(a, normal) * (1.0 / 6.0);
            area[k] = dot(normal, normal);
        }
        for k in 0..number {
            volumes[k] += volume[k];
            areas[k] += if wanted { 0.5 * Real::sqrt(area[k]) } else { 0.0 };
        }
        at += TOGETHER;
    }
    [volumes.into_iter().sum(), areas.into_iter().sum()]
}

impl Tree<'_> {
    /// Marks all nodes, given the counts of the marks of fine triangles. Cost: linear, a few nanoseconds a triangle.
    pub(super) fn mark(&mut self, mesh: &MeshRef<'_>, marker: &Marker) {
        let sides = marker.sides;
        let [volume, area] = match mesh.coordinates64.is_empty() {
            true => volume_and_area(mesh, mesh.rows32(), sides > 0),
            false => volume_and_area(mesh, mesh.rows64(), sides > 0),
        };
        let least = if sides == 0 { 0.0 } else { INWARD_VOLUME * area * Real::sqrt(area) };
        if let Some(root) = self.root.first_mut() {
            root.choices[7] = sides | if volume < least { INWARD } else { 0 };
        }
        if sides > 0 || marker.copies {
            self.mark_coarse();
        }
    }

    /// Marks coarse nodes. Children have larger numbers than parents, so they are done first.
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
