//! Depth of a part that is bent around a concave edge: behind floor and wall of one mesh, the part is a slab with a fold.
//!
//! The bounding widths of a folded slab are those of a body, however thin the slab is. So the part's depth is also measured behind each patch at
//! the fold (`docs/contacts.md`, section 10).

use glam::DVec3;

use super::intersection_curve::Surround;
use super::opposed::small;
use super::perturbed_mesh::{Body, FLAT};
use super::sides::Sides;
use crate::mesh::NONE;
use crate::real::{max, min};
use crate::surrogate::Visit;

/// Opposed faces of the same body behind a patch make the body a blade there. Below this part of the patch's area, the patch counts in full.
const OPEN: f64 = 0.2;

/// From this part on, the patch does not count: the body is a blade there, and the patch is one side of it.
const BLADE: f64 = 0.4;

/// Parts with more patches at folds (a fine bowl) have the depth without folds, because each patch needs a search. If they are divided, corners
/// measure the depth of each side.
const MOST: usize = 256;

/// Number of triangles that searches may visit for each segment, each triangle at a fold, and each corner of the other body inside. Beyond that, the
/// part has the depth without folds.
pub(super) const LOOK: u32 = 256;

/// Triangles at concave edges, with their enclosed parts. [`NONE`] in place of a triangle stands for all of a part.
pub(super) struct Folds<'s> {
    list: &'s mut [[u32; 2]],
    count: usize,
    /// Whether some part may be divided into sides.
    divide: bool,
}

impl<'s> Folds<'s> {
    /// An empty list.
    pub fn new(list: &'s mut [[u32; 2]]) -> Self {
        Folds { list, count: 0, divide: false }
    }

    /// Adds a triangle of a part, if it is at a concave edge. Returns whether it is.
    pub fn see(&mut self, body: &Body<'_>, part: u32, triangle: u32) -> bool {
        if !(0..3).filter_map(|k| body.bend(triangle, k)).any(|bend| bend.is_concave(FLAT)) {
            return false;
        }
        if let Some(to) = self.list.get_mut(self.count) {
            *to = [part, triangle];
        }
        self.count += 1;
        true
    }
}

/// The data of a part that a search needs.
#[derive(Clone, Copy)]
struct Part {
    root: u32,
    /// A ball around the whole part, in canonical coordinates.
    middle: DVec3,
    radius: f64,
}

/// The plane of a patch: its normal, and its coordinate along the normal.
#[derive(Clone, Copy)]
struct Plane {
    patch: u32,
    normal: DVec3,
    at: f64,
}

impl Surround<'_, '_> {
    /// Sets the depths of parts bent around concave edges of one body, as far as no search is needed. Keeps the other parts for
    /// [`measure_folds`](Self::measure_folds), and returns whether there are any. Widths are known before.
    pub fn choose_folds(&mut self, side: usize, folds: &mut Folds<'_>) -> bool {
        // If the list overflowed, its entries are incomplete, and folds are not used.
        let Some(list) = folds.list.get_mut(..folds.count) else { return false };
        let body = self.bodies[side];
        list.sort_unstable_by_key(|[root, t]| (*root, body.patch(*t), *t));
        let (mut kept, mut next) = (0, 0);
        while let Some([root, _]) = list.get(next).copied() {
            let end = next + list.get(next..).unwrap_or_default().partition_point(|[of, _]| *of == root);
            let part = list.get(next..end).unwrap_or_default();
            let patches = part.chunk_by(|x, y| body.patch(x[1]) == body.patch(y[1])).count();
            let is_divided = self.divides() && (self.has_wall(side, root) || self.cancels(root));
            folds.divide |= is_divided;
            if patches <= MOST && (is_divided || !self.is_measured(side, part, patches)) {
                list.copy_within(next..end, kept);
                kept += end - next;
            } else if is_divided && let Some(to) = list.get_mut(kept) {
                // One entry stands for the part. `list_inside` needs the memory of the others.
                *to = [root, NONE];
                kept += 1;
            }
            next = end;
        }
        folds.count = kept;
        kept > 0
    }

    /// Whether the depth of a part is known without a search. It is known in two cases. First, the part reaches as far behind a patch at a fold
    /// as its width. Second, no two of its faces are opposed, so that no patch is one side of a blade.
    fn is_measured(&mut self, side: usize, part: &[[u32; 2]], patches: usize) -> bool {
        let (body, Some(root)) = (self.bodies[side], part.first().map(|[root, _]| *root)) else { return true };
        let mut points = 0_usize;
        self.each_point(root, |_| points += 1);
        if points.saturating_mul(patches) > (self.segments.len() + part.len()).saturating_mul(LOOK as usize) {
            return false;
        }
        let width = self.loops.get(root as usize).map_or(0.0, |of| of.across_patches);
        let mut depth = f64::INFINITY;
        for patch in part.chunk_by(|x, y| body.patch(x[1]) == body.patch(y[1])) {
            if patch.iter().any(|[root, t]| self.has_fold(side, *root, *t, part))
                && let Some(plane) = self.plane(side, patch)
            {
                let mut low = plane.at;
                self.each_point(root, |at| low = min(low, at.dot(plane.normal)));
                let reach = plane.at - low;
                if reach >= width {
                    return true;
                }
                depth = if depth < f64::INFINITY { max(depth, reach) } else { reach };
            }
        }
        let looks_one_way = self.facings.get(root as usize).is_some_and(|facing| facing[side].looks_one_way());
        if let Some(of) = self.loops.get_mut(root as usize).filter(|_| looks_one_way) {
            of.across_patches = min(of.across_patches, depth);
        }
        looks_one_way || depth == f64::INFINITY
    }

    /// Sets the depths of the parts bent around concave edges of one body. `order` has the segments sorted by the triangles of this body.
    pub fn measure_folds(&mut self, side: usize, order: &[u32], areas: &[f64], folds: &mut Folds<'_>) {
        let Some((list, rest)) = folds.list.split_at_mut_checked(folds.count) else { return };
        let inside = if folds.divide { self.list_inside(side, order, areas, rest) } else { &[] };
        let corners = self.floods[1 - side].corners();
        let mut left =
            LOOK.saturating_mul(small(self.segments.len().saturating_add(list.len()).saturating_add(corners)));
        for part in list.chunk_by(|x, y| x[0] == y[0]) {
            let root = part.first().map_or(NONE, |[root, _]| *root);
            let from = inside.partition_point(|[of, _]| *of < root);
            let to = inside.partition_point(|[of, _]| *of <= root);
            let own = inside.get(from..to).unwrap_or_default();
            let mut sides = if own.is_empty() || self.is_divided(root) { None } else { self.sides(side, order, own) };
            let few = part.first().is_some_and(|[_, t]| *t != NONE);
            let depth = if few { self.fold_depth(side, order, part, sides.as_mut(), &mut left) } else { None };
            if let (Some(depth), Some(of)) = (depth, self.loops.get_mut(root as usize)) {
                of.across_patches = min(of.across_patches, depth);
            }
            if let Some(sides) = sides.filter(|_| depth.is_some() || !few) {
                // Where both bodies have walls, some sides have no fold, and the planes of teeth pass behind others.
                let known = few && !self.has_wall(1 - side, root);
                self.divide(side, order, own, &sides, known, &mut left);
            }
        }
    }

    /// The triangles of a body inside the other one, ordered by part and patch; empty if there is no room for them.
    fn list_inside<'l>(&mut self, side: usize, order: &[u32], areas: &[f64], to: &'l mut [[u32; 2]]) -> &'l [[u32; 2]] {
        let (mut count, body) = (0, self.bodies[side]);
        self.each_face(side, order, areas, |_, _, face| {
            to.get_mut(count).into_iter().for_each(|to| *to = [face.part, face.triangle]);
            count += 1;
        });
        let Some(list) = to.get_mut(..count) else { return &[] };
        list.sort_unstable_by_key(|[root, t]| (*root, body.patch(*t), *t));
        list
    }

    /// The depth of a part behind the patches at its folds; none if it has no fold. Passes the depth behind each patch to `sides`.
    fn fold_depth(
        &self,
        side: usize,
        order: &[u32],
        part: &[[u32; 2]],
        mut sides: Option<&mut Sides>,
        left: &mut u32,
    ) -> Option<f64> {
        let body = self.bodies[side];
        let mut found: Option<(Part, f64)> = None;
        for patch in part.chunk_by(|x, y| body.patch(x[1]) == body.patch(y[1])) {
            if !patch.iter().any(|[root, t]| self.has_fold(side, *root, *t, part)) {
                continue;
            }
            let (of, most) = match found {
                Some(found) => found,
                None => (self.surrounding(patch.first()?[0], left), 0.0),
            };
            let Some(plane) = self.plane(side, patch) else { continue };
            let own = self.own_faces(side, order, &of, plane, left);
            // Without own faces behind the patch, only depths beyond the previous largest matter, unless the depth behind each side is wanted.
            let all = own.behind > 0.0 || sides.is_some();
            let low = if all { own.low } else { min(own.low, plane.at - most) };
            let reach = max(plane.at - self.lowest(1 - side, &of, plane, low, left), 0.0);
            let blade = if own.behind > 0.0 { own.behind / max(own.area, 0.0) } else { 0.0 };
            let counts = min((BLADE - blade) / (BLADE - OPEN), 1.0);
            let depth = if counts > 0.0 { reach / counts } else { f64::INFINITY };
            found = Some((of, max(most, depth)));
            sides
                .iter_mut()
                .for_each(|sides| sides.reach(&body, plane.patch, if counts < 1.0 { f64::INFINITY } else { reach }));
            if *left == 0 {
                return None;
            }
        }
        found.map(|(_, depth)| depth)
    }

    /// Whether some of edge `k` of a triangle is inside an enclosed part. An edge that another part crosses counts as well: crossings are not told
    /// apart.
    pub fn has_side(&self, side: usize, root: u32, triangle: u32, k: usize) -> bool {
        let inside = |corner: usize| self.is_corner_of(side, root, triangle, corner);
        self.floods[side].is_crossed(triangle, k) || inside(k) || inside((k + 1) % 3)
    }

    /// Whether some of a concave edge of a triangle, or of an edge without a neighbour, is inside an enclosed part.
    pub fn has_concave_side(&self, side: usize, root: u32, triangle: u32) -> bool {
        let body = &self.bodies[side];
        let is_concave = |k: usize| match body.bend(triangle, k) {
            Some(bend) => bend.is_concave(FLAT),
            None => body.is_open_side(triangle, k),
        };
        (0..3).any(|k| is_concave(k) && self.has_side(side, root, triangle, k))
    }

    /// Whether a side of a triangle is, at least in part, a fold of a part. `list` has the triangles at its folds.
    fn has_fold(&self, side: usize, root: u32, triangle: u32, list: &[[u32; 2]]) -> bool {
        let body = &self.bodies[side];
        (0..3).any(|k| {
            self.has_side(side, root, triangle, k)
                && body.bend(triangle, k).filter(|bend| bend.is_concave(FLAT)).is_some_and(|bend| {
                    let key = (body.patch(bend.next), bend.next);
                    list.binary_search_by_key(&key, |[_, t]| (body.patch(*t), *t)).is_ok()
                })
        })
    }

    /// Visits the ends of the segments of a part, and the vertices of both bodies inside it.
    fn each_point(&self, root: u32, mut tell: impl FnMut(DVec3)) {
        let of_part = |i: &u32| self.root(*i) == root;
        for i in (0..self.segments.len() as u32).filter(of_part) {
            self.segments.get(i as usize).into_iter().for_each(|s| s.ends().into_iter().for_each(&mut tell));
        }
        for (flood, body) in self.floods.iter().zip(&self.bodies) {
            for (triangle, corner, _) in (0..).map_while(|k| flood.inside(k)).filter(|(.., of)| of_part(of)) {
                tell(body.corners(triangle)[corner]);
            }
        }
    }

    /// The ball around a part.
    fn surrounding(&self, root: u32, left: &mut u32) -> Part {
        let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        self.each_point(root, |at| (low, high) = (low.min(at), high.max(at)));
        *left = left.saturating_sub(self.segments.len() as u32);
        let radius = 0.5 * crate::contact::unit(high - low).map_or(0.0, |(_, length)| length);
        Part { root, middle: (low + high) * 0.5, radius }
    }

    /// The plane of a patch, through its largest triangle in the list.
    fn plane(&self, side: usize, patch: &[[u32; 2]]) -> Option<Plane> {
        let body = &self.bodies[side];
        let size = |t: u32| {
            let [a, b, c] = body.corners(t);
            (b - a).cross(c - a).length_squared()
        };
        let largest = patch.iter().max_by(|x, y| size(x[1]).total_cmp(&size(y[1]))).map(|[_, t]| *t)?;
        let normal = body.normal(largest);
        Some(Plane { patch: body.patch(largest), normal, at: body.corners(largest)[0].dot(normal) })
    }

    /// Passes to `add` the area of a triangle inside a part, as triangles of both orientations in canonical coordinates.
    pub fn inside_of(
        &self,
        side: usize,
        order: &[u32],
        root: u32,
        triangle: u32,
        mut add: impl FnMut(DVec3, DVec3, DVec3),
    ) {
        if self.is_corner_of(side, root, triangle, 2) {
            let [a, b, c] = self.bodies[side].corners(triangle);
            add(a, b, c);
        }
        for i in self.at_triangle(side, order, triangle).filter(|i| self.root(*i) == root) {
            if self.loops.get(self.curve.find(i) as usize).is_some_and(|of| of.opens == 0) {
                let origin = self.origin;
                self.pieces_of(i as usize, side, |a, b, c| add(a + origin, b + origin, c + origin));
            }
        }
    }

    /// The segments in a triangle.
    fn at_triangle<'o>(&'o self, side: usize, order: &'o [u32], triangle: u32) -> impl Iterator<Item = u32> + 'o {
        let from = order.partition_point(|i| self.triangle(side, *i) < triangle);
        let rest = order.get(from..).unwrap_or_default();
        rest.iter().copied().take_while(move |i| self.triangle(side, *i) == triangle)
    }

    /// The lowest coordinate along a normal of the other body's corners in a part; `low` if none is lower.
    fn lowest(&self, of: usize, part: &Part, plane: Plane, low: f64, left: &mut u32) -> f64 {
        let body = &self.bodies[of];
        let mut search = Search::new(body, part, plane, low, left, |triangle, low| {
            let inside = |corner: &usize| self.is_corner_of(of, part.root, triangle, *corner);
            let corners = body.corners(triangle);
            (0..3).filter(inside).fold(low, |low, corner| min(low, corners[corner].dot(plane.normal)))
        });
        body.tree.visit(&mut search);
        search.low
    }

    /// Whether a corner of a triangle is in a part.
    pub fn is_corner_of(&self, side: usize, root: u32, triangle: u32, corner: usize) -> bool {
        self.floods[side].loop_around(triangle, corner).is_some_and(|of| self.root(of) == root)
    }

    /// The faces of the same body behind a patch: how low they reach, with the ends of segments on them, and the area of those opposed to the
    /// patch.
    fn own_faces(&self, side: usize, order: &[u32], part: &Part, plane: Plane, left: &mut u32) -> Own {
        let body = &self.bodies[side];
        let mut own = Own { low: plane.at, behind: 0.0, area: 0.0 };
        // The patch itself lies in its plane within its tolerance.
        let mut search = Search::new(body, part, plane, plane.at + FLAT, left, |triangle, low| {
            let (normal, corners) = (body.normal(triangle), body.corners(triangle));
            for corner in (0..3).filter(|corner| self.is_corner_of(side, part.root, triangle, *corner)) {
                own.low = min(own.low, corners[corner].dot(plane.normal));
            }
            for i in self.at_triangle(side, order, triangle).filter(|i| self.root(*i) == part.root) {
                let ends = self.segments.get(i as usize).map(|s| s.ends());
                ends.into_iter().flatten().for_each(|at| own.low = min(own.low, at.dot(plane.normal)));
            }
            let (is_own, against) = (body.patch(triangle) == plane.patch, -normal.dot(plane.normal));
            // Tests the centroid of the whole triangle, so that the result does not depend on the pose.
            let middle = corners.iter().fold(0.0, |sum, at| sum + at.dot(plane.normal)) * (1.0 / 3.0);
            if is_own || against > 0.0 && middle < plane.at {
                self.inside_of(side, order, part.root, triangle, |a, b, c| {
                    let size = 0.5 * (b - a).cross(c - a).dot(normal);
                    if is_own { own.area += size } else { own.behind += size * against }
                });
            }
            low
        });
        body.tree.visit(&mut search);
        own
    }
}

/// Faces of a body behind one of its patches.
struct Own {
    /// The lowest coordinate along the patch's normal.
    low: f64,
    /// The area of opposed faces behind the patch, projected onto it.
    behind: f64,
    /// The area of the patch.
    area: f64,
}

/// A search through the triangles of a body in the ball around a part, for points lower along a normal than the lowest known one.
struct Search<'l, F> {
    /// In the frame of the mesh.
    normal: DVec3,
    middle: DVec3,
    radius: f64,
    /// Converts heights from the mesh's frame: `from + unit * height`.
    from: f64,
    unit: f64,
    low: f64,
    left: &'l mut u32,
    take: F,
}

impl<'l, F> Search<'l, F> {
    fn new(body: &Body<'_>, part: &Part, plane: Plane, low: f64, left: &'l mut u32, take: F) -> Self {
        let unit = body.unit_length();
        Search {
            normal: body.own_axes(plane.normal),
            middle: DVec3::from_array(body.place_back(part.middle)),
            radius: part.radius / unit,
            from: body.place([0.0; 3]).dot(plane.normal),
            unit,
            low,
            left,
            take,
        }
    }
}

impl<F: FnMut(u32, f64) -> f64> Visit for Search<'_, F> {
    fn enter(&mut self, corners: &[[f64; 3]; 3], halo: f64) -> bool {
        const ROUNDING: f64 = 1.0 + 1e-6;
        let corners = corners.map(DVec3::from_array);
        let lowest = corners.iter().fold(f64::INFINITY, |low, at| min(low, at.dot(self.normal)));
        let [low, high] = [corners[0].min(corners[1]).min(corners[2]), corners[0].max(corners[1]).max(corners[2])];
        let apart = self.middle.clamp(low, high) - self.middle;
        let room = (self.radius + halo) * ROUNDING;
        *self.left > 0
            && self.from + self.unit * (lowest - halo * ROUNDING) < self.low
            && apart.dot(apart) <= room * room
    }

    fn take(&mut self, triangle: u32) {
        *self.left = self.left.saturating_sub(1);
        self.low = (self.take)(triangle, self.low);
    }
}
