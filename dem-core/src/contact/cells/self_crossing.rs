//! Which triangles of a mesh pass through others of the same part (connected across edges), or through triangles of another part if one of both
//! parts is open.
//!
//! Where a surface passes through itself, its winding number around some points is 2 or 0: the penetration sums are then not the intersection of
//! the bodies. A binary tree of boxes over the triangles, in Morton order, finds the pairs whose boxes meet. Most of these pairs are ruled out
//! because one triangle lies on one side of the other one's plane.

use glam::DVec3;

use super::cell::{CROSSED, CROSSING, MEETING, UNTOLD, counts};
use super::self_overlap::NOTHING;
use crate::mesh::{MeshRef, NONE, Record, Sets, sort};
use crate::real::Real;

/// Triangles in a leaf.
const LEAF: usize = 4;

/// The search ends after this number of tree nodes and of pairs with meeting boxes, plus [`LOOK`] for each triangle. Whether the mesh passes
/// through itself is then unknown.
const LOOK_ALWAYS: u64 = 1 << 18;
const LOOK: u64 = 512;

/// A triangle that reaches less far beyond a plane only touches it. In radii of the mesh: about ten f32 rounding errors.
const TOUCH: f64 = 1.0 / (1 << 20) as f64;

/// Bit of a record: the part is open.
const OPEN: u64 = 1;

/// Stack size: one node for each level, and one more.
const WAITING: usize = 34;

/// A mesh whose cells are complete except for these marks.
pub(super) struct Faces<'f> {
    pub mesh: MeshRef<'f>,
    /// Unit normals; zero for triangles that do not count.
    pub normals: &'f [[f64; 3]],
    pub patch: &'f [u32],
    /// The fan of each corner.
    pub fan: &'f [[u32; 3]],
    /// Displacement of the vertex of each fan when its faces move outward by 1.
    pub away: &'f [[f64; 3]],
}

/// Memory with four more items than triangles.
pub(super) struct Memory<'s> {
    pub low: &'s mut [[f64; 3]],
    pub high: &'s mut [[f64; 3]],
    /// The patch of all triangles below a node; [`NONE`] if they have several.
    pub flat: &'s mut [u32],
    /// An item for each triangle.
    pub records: &'s mut [Record],
    /// An item for each triangle.
    pub sets: &'s mut [u32],
}

/// Marks the triangles that pass through others, among those that count. Returns [`CROSSED`] if there are any, and [`UNTOLD`] if the search ended
/// before all pairs were tested. Cost: O(n log n) for most meshes, and at most [`LOOK`] nodes and pairs for each triangle.
#[inline(never)]
pub(super) fn mark_crossings(faces: &Faces<'_>, memory: Memory<'_>, part: &mut [u32]) -> u32 {
    let radius = faces.mesh.radius();
    let mut number = 0;
    for i in (0..part.len()).filter(|i| counts(part.get(*i)) && faces.normal(*i) != DVec3::ZERO) {
        if let Some(to) = memory.records.get_mut(number) {
            *to = [faces.place_on_curve(i), i as u64];
            number += 1;
        }
    }
    sort(memory.records.get_mut(..number).unwrap_or_default());
    let mut search = Search {
        faces,
        records: memory.records,
        number,
        low: memory.low,
        high: memory.high,
        flat: memory.flat,
        leaves: number.div_ceil(LEAF).next_power_of_two(),
        touch: TOUCH * radius,
        left: LOOK_ALWAYS.saturating_add(LOOK.saturating_mul(number as u64)),
        sets: Sets::new(memory.sets),
        joined: false,
        found: false,
    };
    search.build();
    for leaf in 0..number.div_ceil(LEAF) {
        search.meet(leaf, part);
    }
    (u32::from(search.found) * CROSSED) | (u32::from(search.left == 0) * UNTOLD)
}

impl Faces<'_> {
    fn normal(&self, i: usize) -> DVec3 {
        self.normals.get(i).map_or(DVec3::ZERO, |n| DVec3::from_array(*n))
    }

    fn patch(&self, i: usize) -> u32 {
        self.patch.get(i).copied().unwrap_or(NONE)
    }

    /// Index of the centroid of a triangle on Morton's curve through the box around the mesh.
    fn place_on_curve(&self, i: usize) -> u64 {
        let [a, b, c] = self.mesh.triangle(i).map(DVec3::from_array);
        let (centre, radius) = (DVec3::from_array(self.mesh.centre()), self.mesh.radius());
        let at = ((a + b + c) / 3.0 - centre) / radius;
        const STEPS: f64 = (1 << 16) as f64;
        at.to_array().iter().enumerate().fold(0, |code, (k, x)| {
            // The cast saturates at the range of the integer.
            code | spread(u64::from(((0.5 * x + 0.5) * STEPS) as u16)) << k
        })
    }

    /// The corners of a triangle, moved inward by `by`: triangles that only touch, or cross by a rounding error, then no longer meet.
    fn moved(&self, i: usize, by: f64) -> [DVec3; 3] {
        let (corners, fan) = (self.mesh.triangle(i), self.fan.get(i).copied().unwrap_or([NONE; 3]));
        [0, 1, 2].map(|k| {
            let away = self.away.get(fan[k] as usize).copied().unwrap_or_default();
            DVec3::from_array(corners[k]) - DVec3::from_array(away) * by
        })
    }
}

/// Inserts two zeros after each of 16 bits.
fn spread(x: u64) -> u64 {
    let x = (x | x << 16) & 0x0000_ff00_00ff;
    let x = (x | x << 8) & 0x00f0_0f00_f00f;
    let x = (x | x << 4) & 0x0c30_c30c_30c3;
    (x | x << 2) & 0x2492_4924_9249
}

struct Search<'f, 's> {
    faces: &'f Faces<'f>,
    /// One record for each triangle that counts: index on the curve, in order, and triangle.
    records: &'s mut [Record],
    number: usize,
    low: &'s mut [[f64; 3]],
    high: &'s mut [[f64; 3]],
    flat: &'s mut [u32],
    /// A power of two. Node 1 is the root, the children of node k are 2 k and 2 k + 1, and the leaves come last.
    leaves: usize,
    touch: f64,
    /// Remaining number of pairs that may be compared.
    left: u64,
    /// The parts, computed on first use.
    sets: Sets<'s>,
    joined: bool,
    found: bool,
}

/// A triangle of a leaf.
#[derive(Clone, Copy)]
struct Facet {
    id: usize,
    corner: [DVec3; 3],
    low: DVec3,
    high: DVec3,
}

impl Search<'_, '_> {
    fn build(&mut self) {
        let nodes = 2 * self.leaves;
        for node in (1..nodes).rev() {
            let (low, high, flat) = if node >= self.leaves {
                self.leaf(node - self.leaves).fold(EMPTY, |sum, i| {
                    let [a, b, c] = self.faces.mesh.triangle(i).map(DVec3::from_array);
                    join(sum, (a.min(b).min(c), a.max(b).max(c), Some(self.faces.patch(i))))
                })
            } else {
                join(self.node(2 * node), self.node(2 * node + 1))
            };
            if let (Some(l), Some(h), Some(f)) =
                (self.low.get_mut(node), self.high.get_mut(node), self.flat.get_mut(node))
            {
                // An empty node has a box that meets none.
                (*l, *h, *f) = (low.to_array(), high.to_array(), flat.unwrap_or(NONE));
            }
        }
    }

    /// The box of a node, and its patch.
    #[inline(always)]
    fn node(&self, k: usize) -> (DVec3, DVec3, Option<u32>) {
        match (self.low.get(k), self.high.get(k), self.flat.get(k)) {
            (Some(low), Some(high), Some(flat)) => {
                (DVec3::from_array(*low), DVec3::from_array(*high), if low[0] > high[0] { None } else { Some(*flat) })
            }
            _ => EMPTY,
        }
    }

    fn leaf(&self, leaf: usize) -> impl Iterator<Item = usize> {
        let to = self.number.min(LEAF * leaf + LEAF);
        self.records.get(LEAF * leaf..to).unwrap_or_default().iter().map(|record| record[1] as usize)
    }

    fn facets(&self, leaf: usize) -> [Facet; LEAF] {
        let (low, high, _) = EMPTY;
        let mut out = [Facet { id: usize::MAX, corner: [DVec3::ZERO; 3], low, high }; LEAF];
        for (to, id) in out.iter_mut().zip(self.leaf(leaf)) {
            let corner = self.faces.mesh.triangle(id).map(DVec3::from_array);
            let [a, b, c] = corner;
            *to = Facet { id, corner, low: a.min(b).min(c), high: a.max(b).max(c) };
        }
        out
    }

    /// Compares the triangles of a leaf with each other and with those of later leaves.
    fn meet(&mut self, leaf: usize, part: &mut [u32]) {
        let (own, (low, high, flat)) = (self.facets(leaf), self.node(self.leaves + leaf));
        let several = flat.is_none_or(|flat| flat == NONE);
        if several {
            for (k, t) in own.iter().enumerate() {
                own.iter().skip(k + 1).for_each(|u| self.compare(t, u, part));
            }
        }
        // Up from the leaf: all later leaves are below the right siblings of the nodes on this path.
        let mut at = self.leaves + leaf;
        while at > 1 {
            if at.is_multiple_of(2) {
                self.descend(at + 1, &own, (low, high, flat), part);
            }
            at /= 2;
        }
    }

    fn descend(&mut self, from: usize, own: &[Facet; LEAF], (low, high, flat): Extent, part: &mut [u32]) {
        let mut stack = [0; WAITING];
        let mut count = 1;
        stack[0] = from;
        while count > 0 && self.left > 0 {
            count -= 1;
            self.left -= 1;
            let at = stack[count];
            let (floor, top, patch) = self.node(at);
            let one_plane = patch == flat && flat.is_some_and(|flat| flat != NONE);
            if one_plane || !meets((low, high), (floor, top)) {
                continue;
            }
            if at < self.leaves && count + 2 <= WAITING {
                (stack[count], stack[count + 1]) = (2 * at + 1, 2 * at);
                count += 2;
                continue;
            }
            let other = self.facets(at - self.leaves);
            for t in own.iter().filter(|t| meets((t.low, t.high), (floor, top))) {
                other.iter().for_each(|u| self.compare(t, u, part));
            }
        }
    }

    /// Marks two triangles if one passes through the other.
    #[inline(always)]
    fn compare(&mut self, t: &Facet, u: &Facet, part: &mut [u32]) {
        if !meets((t.low, t.high), (u.low, u.high)) {
            return;
        }
        self.left = self.left.saturating_sub(1);
        if self.straddles(t, u) && self.cross(t, u) {
            let lost = self.is_lost(t, u, part);
            self.found |= lost;
            for i in [t.id, u.id] {
                part.get_mut(i).into_iter().for_each(|part| *part |= if lost { CROSSING } else { MEETING });
            }
        }
    }

    /// Whether each of two triangles reaches beyond both sides of the other one's plane.
    #[inline(always)]
    fn straddles(&self, t: &Facet, u: &Facet) -> bool {
        let beyond = |t: &Facet, u: &Facet| {
            let (normal, anchor) = (self.faces.normal(t.id), t.corner[0]);
            let [a, b, c] = u.corner.map(|v| (v - anchor).dot(normal));
            let touch = self.touch;
            (a > touch || b > touch || c > touch) && (a < -touch || b < -touch || c < -touch)
        };
        beyond(t, u) && beyond(u, t)
    }

    /// Whether two crossing triangles are connected, or one of them belongs to an open part, or exactly one belongs to a hollow. Other
    /// overlapping closed parts are tested for each penetration.
    #[inline(never)]
    fn is_lost(&mut self, t: &Facet, u: &Facet, part: &[u32]) -> bool {
        if !self.joined {
            self.joined = true;
            self.join_parts(part);
        }
        let [p, q] = [t, u].map(|facet| self.sets.root(facet.id as u32) as usize);
        let of = [p, q].map(|root| self.records.get(root).map_or(OPEN, |record| record[0]));
        let radius = self.faces.mesh.radius();
        let nothing = NOTHING * (radius * radius * radius);
        let [first, second] = of.map(|volume| f64::from_bits(volume) < -nothing);
        p == q || of.contains(&OPEN) || first != second
    }

    /// Finds the parts, their volumes, and which of them are open. The result is in the first number of the record of each root; the order of
    /// records is no longer needed.
    fn join_parts(&mut self, part: &[u32]) {
        let mesh = &self.faces.mesh;
        let all = || (0..mesh.len()).filter(|i| counts(part.get(*i)));
        for i in all() {
            self.sets.join([i as u32; 2]);
            let across = mesh.neighbour.get(i).copied().unwrap_or_default();
            across.into_iter().filter(|j| counts(part.get(*j as usize))).for_each(|j| self.sets.join([i as u32, j]));
        }
        self.records.iter_mut().for_each(|record| record[0] = 0);
        let centre = DVec3::from_array(mesh.centre());
        for i in all() {
            let [a, b, c] = mesh.triangle(i).map(|v| DVec3::from_array(v) - centre);
            let root = self.sets.root(i as u32) as usize;
            if let Some(record) = self.records.get_mut(root) {
                record[0] = (f64::from_bits(record[0]) + a.dot(b.cross(c))).to_bits();
            }
        }
        for i in all() {
            let own = mesh.welded(i);
            let open = (0..3).any(|k| {
                let j = mesh.neighbour.get(i).map_or(NONE, |across| across[k]) as usize;
                let other = mesh.welded(j);
                let agrees = (0..3).any(|m| other[m] == own[(k + 1) % 3] && other[(m + 1) % 3] == own[k]);
                !counts(part.get(j)) || !agrees
            });
            let root = self.sets.root(i as u32) as usize;
            self.records.get_mut(root).filter(|_| open).into_iter().for_each(|record| record[0] = OPEN);
        }
    }

    /// Whether an edge of one of two triangles passes through the other one, away from their common corners.
    #[inline(never)]
    fn cross(&self, t: &Facet, u: &Facet) -> bool {
        let [own, other] = [t, u].map(|facet| self.faces.mesh.welded(facet.id));
        if self.faces.patch(t.id) == self.faces.patch(u.id) {
            return false;
        }
        // Products of three lengths neither overflow nor underflow in this unit.
        let unit = self.faces.mesh.radius().inverse_exponent();
        let [x, y] = [t, u].map(|facet| self.faces.moved(facet.id, self.touch).map(|v| v * unit));
        passes((&x, &own), (&y, &other)) || passes((&y, &other), (&x, &own))
    }
}

type Extent = (DVec3, DVec3, Option<u32>);

const EMPTY: Extent = (DVec3::INFINITY, DVec3::NEG_INFINITY, None);

/// The box around two boxes, and their common patch.
fn join(a: Extent, b: Extent) -> Extent {
    let patch = match (a.2, b.2) {
        (Some(p), Some(q)) => Some(if p == q { p } else { NONE }),
        (p, q) => p.or(q),
    };
    (a.0.min(b.0), a.1.max(b.1), patch)
}

#[inline(always)]
fn meets((low, high): (DVec3, DVec3), (floor, top): (DVec3, DVec3)) -> bool {
    low.x <= top.x && floor.x <= high.x && low.y <= top.y && floor.y <= high.y && low.z <= top.z && floor.z <= high.z
}

/// Whether an edge of a triangle passes through another one, its border included. Edges at a common corner are ignored.
fn passes((t, own): (&[DVec3; 3], &[u32; 3]), ([a, b, c], other): (&[DVec3; 3], &[u32; 3])) -> bool {
    let normal = (*b - *a).cross(*c - *a);
    (0..3).any(|k| {
        let (p, q) = (t[k], t[(k + 1) % 3]);
        if other.contains(&own[k]) || other.contains(&own[(k + 1) % 3]) {
            return false;
        }
        let sides = [p, q].map(|v| (v - *a).dot(normal) > 0.0);
        let way = q - p;
        let [x, y, z] = [(a, b), (b, c), (c, a)].map(|(r, s)| way.dot((*r - p).cross(*s - p)));
        sides[0] != sides[1] && (x >= 0.0 && y >= 0.0 && z >= 0.0 || x <= 0.0 && y <= 0.0 && z <= 0.0)
    })
}
