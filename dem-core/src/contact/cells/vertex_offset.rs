//! Displacement of a vertex when all its faces move inward by 1, away from their planes.

use glam::DVec3;

use super::cell::{Cell, PRISM};
use super::walk::walk;
use crate::contact::unit;
use crate::mesh::{MeshRef, NONE};

/// Upper bound of the displacement.
const FARTHEST: f64 = 8.0;

/// A vertex of more triangles has no displacement.
const MOST: usize = 512;

/// Up to this number of faces the normals are cached; otherwise they are looked up each time.
const KEPT: usize = 12;

/// Squared difference below which normals count as equal: faces then move by 1 up to 1e-4 of the vertex displacement.
const SAME: f64 = 1e-8;

/// Three normals that span less volume count as normals of planes that do not meet in one point.
const FLAT: f64 = 1e-10;

/// Tolerance by which a face may move less than 1.
const MOTION_TOLERANCE: f64 = 1e-7;

/// More exchanges of planes than a vertex of a usual mesh needs.
const EXCHANGES: usize = 64;

/// A mesh, with its faces.
pub(super) struct FacedMesh<'f> {
    pub mesh: MeshRef<'f>,
    /// Index of the first cell of each triangle, which is its prism.
    pub first: &'f [u32],
    pub cell: &'f [Cell],
    pub patch: &'f [u32],
}

/// Numbers the fans of a mesh, which are triangles around a vertex that are connected by edges. Writes the fan of each corner of each triangle,
/// and returns the number of fans.
pub(super) fn fans(mesh: &MeshRef<'_>, to: &mut [[u32; 3]]) -> u64 {
    to.fill([NONE; 3]);
    let mut count = 0;
    each_corner(mesh.len(), |triangle, corner| {
        // In a sound mesh no walk reaches a corner of another fan; in others that ends the walk, so that each corner is visited once.
        let new = |to: &[[u32; 3]], t: u32, c: usize| to.get(t as usize).is_some_and(|fan| fan[c] == NONE);
        if new(to, triangle, corner) {
            walk(mesh, triangle, corner, |t, c, _| {
                let more = new(to, t, c);
                if more && let Some(fan) = to.get_mut(t as usize) {
                    fan[c] = count;
                }
                more
            });
            count += 1;
        }
    });
    u64::from(count)
}

/// Computes the displacements of all fans of [`fans`].
pub(super) fn ways(surface: &FacedMesh<'_>, fan: &[[u32; 3]], to: &mut [[f64; 3]]) {
    let mut count = 0;
    each_corner(fan.len(), |triangle, corner| {
        // Fans are numbered in this order.
        let own = fan.get(triangle as usize).map_or(NONE, |fan| fan[corner]);
        if own as usize == count {
            if let Some(to) = to.get_mut(count) {
                *to = away(surface, triangle, corner).to_array();
            }
            count += 1;
        }
    });
}

/// Visits all corners of this number of triangles.
fn each_corner(triangles: usize, mut visit: impl FnMut(u32, usize)) {
    (0..triangles as u32).for_each(|triangle| (0..3).for_each(|corner| visit(triangle, corner)));
}

/// The shortest `d` with `n.d = 1` for all unit outward normals `n` of the faces at a corner of a triangle, in the mesh's frame. Where there are
/// more than three normals, or their planes meet too far away: the shortest `d` with `n.d >= 1`, cut to [`FARTHEST`]. Zero where there is none.
/// The result has the same bits for every triangle of a vertex.
fn away(surface: &FacedMesh<'_>, triangle: u32, corner: usize) -> DVec3 {
    let Some(faces) = Faces::around(surface, triangle, corner) else { return DVec3::ZERO };
    let exact = faces.distinct().and_then(|(normals, count)| leaving(normals.get(..count)?));
    let d = exact.filter(|d| d.dot(*d) <= FARTHEST * FARTHEST).or_else(|| faces.least());
    d.and_then(unit).map_or(DVec3::ZERO, |(direction, length)| direction * crate::real::min(length, FARTHEST))
}

/// The shortest `d` with `n.d = 1` for one, two or three unit normals.
fn leaving(normals: &[DVec3]) -> Option<DVec3> {
    match *normals {
        [n] => Some(n),
        [m, n] => {
            let cosine = m.dot(n);
            (1.0 + cosine > FLAT).then(|| (m + n) / (1.0 + cosine))
        }
        [l, m, n] => {
            let sum = m.cross(n) + n.cross(l) + l.cross(m);
            let volume = l.dot(m.cross(n));
            (volume.abs() > FLAT).then(|| sum / volume)
        }
        _ => None,
    }
}

/// The faces of a vertex: triangles that are connected by edges; neighbours in one patch form one face.
struct Faces<'f> {
    of: &'f FacedMesh<'f>,
    /// The triangle with the smallest index, and its corner, so that the order does not depend on the triangle of the query.
    first: (u32, usize),
    one_patch: bool,
    kept: [DVec3; KEPT],
    count: usize,
}

impl<'f> Faces<'f> {
    fn around(of: &'f FacedMesh<'f>, triangle: u32, corner: usize) -> Option<Self> {
        let mut kept = [DVec3::ZERO; KEPT];
        let mut faces = Faces { of, first: (triangle, corner), one_patch: true, kept, count: KEPT + 1 };
        let (patch, mut count) = (faces.patch(triangle), 0);
        walk(&of.mesh, triangle, corner, |t, c, _| {
            faces.first = if t < faces.first.0 { (t, c) } else { faces.first };
            faces.one_patch &= faces.patch(t) == patch;
            count += 1;
            count <= MOST
        });
        if count > MOST {
            return None;
        }
        let mut normals = 0;
        faces.visit(|n| {
            if let Some(to) = kept.get_mut(normals) {
                *to = n;
            }
            normals += 1;
            normals <= KEPT
        });
        (faces.kept, faces.count) = (kept, normals);
        Some(faces)
    }

    fn patch(&self, i: u32) -> u32 {
        self.of.patch.get(i as usize).copied().unwrap_or(i)
    }

    /// The normal of a triangle, if it is a face.
    fn normal(&self, i: u32) -> Option<DVec3> {
        let FacedMesh { first, cell, .. } = self.of;
        let [from, to] = *first.get(i as usize..)?.first_chunk()?;
        let prism = cell.get(from as usize..to as usize)?.first().filter(|cell| cell.kind == PRISM)?;
        Some(DVec3::from_array(prism.normal))
    }

    /// Visits one normal of each face, in an order that depends on the mesh only, while the visitor returns true.
    fn visit(&self, mut visitor: impl FnMut(DVec3) -> bool) {
        if let Some(kept) = self.kept.get(..self.count) {
            kept.iter().all(|n| visitor(*n));
            return;
        }
        let mut before = None;
        walk(&self.of.mesh, self.first.0, self.first.1, |t, _, _| {
            let Some(normal) = self.normal(t) else { return true };
            let patch = Some(self.patch(t));
            let begins = patch != before;
            before = patch;
            let more = !begins || visitor(normal);
            more && !self.one_patch
        });
    }

    /// The distinct normals, if there are at most three.
    fn distinct(&self) -> Option<([DVec3; 3], usize)> {
        let (mut normals, mut count) = ([DVec3::ZERO; 3], 0);
        self.visit(|n| {
            if normals.iter().take(count).all(|m| (n - *m).dot(n - *m) > SAME) {
                if let Some(to) = normals.get_mut(count) {
                    *to = n;
                }
                count += 1;
            }
            count <= normals.len()
        });
        (count <= normals.len()).then_some((normals, count))
    }

    /// The shortest `d` with `n.d >= 1` for all normals, which is unique. At most three planes determine it. In each round the worst violated
    /// plane replaces one of them, so `d` grows until all faces move by 1.
    fn least(&self) -> Option<DVec3> {
        let mut basis = [DVec3::ZERO; 3];
        let mut d = DVec3::ZERO;
        for _ in 0..EXCHANGES {
            let mut worst = (1.0 - MOTION_TOLERANCE, None);
            self.visit(|n| {
                let by = n.dot(d);
                worst = if by < worst.0 { (by, Some(n)) } else { worst };
                true
            });
            let Some(n) = worst.1 else { break };
            (d, basis) = exchange(basis, n)?;
        }
        Some(d)
    }
}

/// The shortest `d` determined by the new plane and at most three planes of the basis (zero: none), and the planes that determine it.
fn exchange(basis: [DVec3; 3], n: DVec3) -> Option<(DVec3, [DVec3; 3])> {
    let [u, v, w] = basis;
    let o = DVec3::ZERO;
    // Used entries of the basis come first.
    let count = basis.iter().take_while(|m| **m != o).count();
    let mut best: Option<(f64, DVec3, [DVec3; 3])> = None;
    let mut hold = |planes: [DVec3; 3], number: usize| {
        let Some(d) = planes.get(..number).and_then(leaving) else { return };
        let length = d.dot(d);
        let leaves_all = || basis.iter().take(count).all(|m| m.dot(d) >= 1.0 - 0.5 * MOTION_TOLERANCE);
        if best.is_none_or(|(least, ..)| length < least) && leaves_all() {
            best = Some((length, d, planes));
        }
    };
    hold([n, o, o], 1);
    if count > 0 {
        hold([n, u, o], 2);
    }
    if count > 1 {
        hold([n, v, o], 2);
    }
    if count > 2 {
        hold([n, w, o], 2);
    }
    if count > 1 {
        hold([n, u, v], 3);
    }
    if count > 2 {
        hold([n, v, w], 3);
        hold([n, w, u], 3);
    }
    best.map(|(_, d, planes)| (d, planes))
}
