//! The side of the surface on which a point is: by the winding number, and if that is not clear, from the closest feature (Baerentzen and
//! Aanaes, "Signed distance computation using the angle weighted pseudonormal", 2005).
//!
//! On a closed surface the winding number is an integer, and computed exactly. The closest feature cannot replace it: if parts overlap, or
//! a triangle and its reversed copy stand alone, the feature looks sound, but its side is wrong. Near an open rim the winding number is
//! close to 1/2 on both sides, and the feature is the better criterion.
//!
//! The open ball about the point that touches the surface at the closest point contains no part of the surface. So the side is that of the
//! directions near the closest point, where the surface is a plane, a wedge or a cone. For planes and wedges, exact predicates decide,
//! which need no normals and so no tolerance. For cones, the sign of the product with the angle-weighted sum of normals decides.

use glam::DVec3;
use robust::{Coord3D, orient3d};

use super::nearest::{Hit, Local};
use crate::mesh::{MeshRef, NONE};
use crate::real::{Real, atan2};
use crate::triangle::Feature;
use crate::triangle::kernel::snap;
use crate::vector::safe_length;

/// The side of a surface on which a point is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum PointSide {
    /// On the side to which the triangles' normals point.
    Outside = 0,
    /// On the other side.
    Inside = 1,
    /// Exactly on the surface.
    Surface = 2,
    /// Farther away than the bound.
    Beyond = 3,
}

/// Why a side is a guess: bits of [`PointOnMesh::doubt`](super::PointOnMesh::doubt). All but the last two speak of the closest
/// feature.
pub mod doubt {
    /// An edge of the closest feature does not have exactly two triangles (or is of a copy of an earlier triangle).
    pub const OPEN: u32 = 1;
    /// Two neighbouring triangles of the feature have opposite orientations.
    pub const INCONSISTENT: u32 = 2;
    /// A triangle of the feature has no area.
    pub const DEGENERATE: u32 = 4;
    /// Parts of the surface touch only in the closest vertex.
    pub const TOUCHING: u32 = 8;
    /// The surface is too sharp at the feature to decide.
    pub const SHARP: u32 = 16;
    /// The point is 2^24 mesh radii away. At such a distance all distances are nearly the same, and the closest feature says nothing. The guess is
    /// outside.
    pub const FAR: u32 = 32;
    /// The winding number is not near 0 or 1, or does not agree with the side that is reported (above or below 1/2). Parts of the surface
    /// overlap or are flipped, or the surface there is only a sheet.
    pub const WINDING: u32 = 64;
}

/// The result for a point: its side, the reasons for doubt, and the normal.
pub(super) struct Seen {
    pub side: PointSide,
    pub doubt: u32,
    /// Unit vector in the body's axes, or zero.
    pub normal: DVec3,
}

/// The answer of the closest feature: whether the point is inside, why that is a guess, and the feature's normal.
struct Verdict {
    inside: bool,
    doubt: u32,
    normal: DVec3,
}

/// Whether the winding number alone decides the side: it is farther from 1/2 than from 0 or 1.
pub(super) fn decides(winding: Option<f64>) -> bool {
    winding.is_some_and(|w| Real::abs(w - 0.5) > 0.25)
}

/// Decides the side of a point. `winding`: the winding number at the point, if it is not on the surface and the number is known. `meeting`: the
/// number of triangles at the closest vertex, if the closest feature is a vertex and the winding number does not decide.
pub(super) fn look(mesh: &MeshRef<'_>, local: &Local, hit: &Hit, winding: Option<f64>, meeting: usize) -> Seen {
    let p = local.scaled();
    let feature = hit.feature as usize;
    // At smaller distances, the difference to a point on an edge has lost most digits; the difference to a vertex keeps all digits.
    const CLOSE: f64 = 1.0 / (1u64 << 30) as f64;
    let straight = hit.feature == Feature::Face || (hit.corner().is_none() && hit.distance * local.scale < CLOSE);
    let far = is_far(mesh, local);
    let verdict = match hit.feature {
        _ if far => Verdict { inside: false, doubt: doubt::FAR, normal: DVec3::ZERO },
        _ if decides(winding) && !straight => {
            Verdict { inside: winding.is_some_and(|w| w > 0.5), doubt: 0, normal: DVec3::ZERO }
        }
        Feature::Face => face(&Corners::new(mesh, local, hit.triangle), p),
        Feature::Vertex0 | Feature::Vertex1 | Feature::Vertex2 => vertex(mesh, local, hit.triangle, feature, meeting),
        _ => edge(mesh, local, hit.triangle, feature - 3),
    };
    if hit.distance == 0.0 {
        return Seen { side: PointSide::Surface, doubt: verdict.doubt, normal: unit(verdict.normal) };
    }
    let (inside, doubt) = match winding {
        _ if far => (false, doubt::FAR),
        Some(w) => weighed(&verdict, w),
        None => (verdict.inside, verdict.doubt | doubt::OPEN),
    };
    let d = match hit.corner() {
        Some(corner) => DVec3::from_array(p) - Corners::new(mesh, local, hit.triangle).at(corner),
        None => DVec3::from_array(p) - DVec3::from_array(hit.point),
    };
    let normal = if straight { unit(verdict.normal) } else { DVec3::ZERO };
    let normal = match (normal == DVec3::ZERO, inside) {
        (true, true) => unit(-d),
        (true, false) => unit(d),
        // The normal of the feature, unless the winding number contradicts the feature.
        _ if inside != verdict.inside => -normal,
        _ => normal,
    };
    Seen { side: if inside { PointSide::Inside } else { PointSide::Outside }, doubt, normal }
}

/// Whether the point is inside, and why that is a guess.
fn weighed(verdict: &Verdict, winding: f64) -> (bool, u32) {
    let inside = winding > 0.5;
    if decides(Some(winding)) {
        // In front of a single sheet the number may be as low as -1/2.
        let usual = winding > -0.75 && winding < 1.25;
        return (inside, if usual { 0 } else { doubt::WINDING });
    }
    let other = if verdict.inside == inside { 0 } else { doubt::WINDING };
    (verdict.inside, verdict.doubt | other)
}

pub(super) fn is_far(mesh: &MeshRef<'_>, local: &Local) -> bool {
    let (centre, radius) = (mesh.centre(), mesh.radius());
    let [x, y, z] = [0, 1, 2].map(|k| local.point[k] - centre[k]);
    let limit = radius * (1u64 << 24) as f64;
    // The length is at most the sum of the components, which mostly decides.
    let clearly_near = Real::abs(x) + Real::abs(y) + Real::abs(z) < 0.5 * limit;
    !clearly_near && safe_length([x, y, z]) > limit && radius > 0.0
}

fn unit(v: DVec3) -> DVec3 {
    let s = v.abs().max_element().inverse_exponent();
    let v = v * s;
    let squared = v.dot(v);
    if squared > 0.0 { v / Real::sqrt(squared) } else { DVec3::ZERO }
}

/// A triangle of the mesh, scaled.
struct Corners([[f64; 3]; 3]);

impl Corners {
    fn new(mesh: &MeshRef<'_>, local: &Local, i: u32) -> Self {
        Corners(local.triangle(mesh, i))
    }

    fn at(&self, k: usize) -> DVec3 {
        DVec3::from_array(self.0[k % 3])
    }

    /// The unit normal; none if the area is so small that its direction is noise.
    fn normal(&self) -> Option<DVec3> {
        let (a, b, c) = (self.at(1) - self.at(0), self.at(2) - self.at(1), self.at(0) - self.at(2));
        let (aa, bb, cc) = (a.dot(a), b.dot(b), c.dot(c));
        // The product of the two shorter sides loses no digits for needles.
        let n = if aa > bb && aa > cc {
            b.cross(c)
        } else if bb > cc {
            c.cross(a)
        } else {
            a.cross(b)
        };
        let sides2 = aa * bb * cc / crate::real::max(aa, crate::real::max(bb, cc));
        if n.dot(n) > 1e-20 * sides2 { Some(unit(n)) } else { None }
    }

    /// 1 if `p` is above the plane, on the side of the normal; -1 below; 0 in it. Exact.
    fn side(&self, p: [f64; 3]) -> i32 {
        let [a, b, c, p] = [self.0[0], self.0[1], self.0[2], p].map(|v| {
            let [x, y, z] = v.map(snap);
            Coord3D { x, y, z }
        });
        let volume = orient3d(a, b, c, p);
        (volume < 0.0) as i32 - (volume > 0.0) as i32
    }
}

fn face(t: &Corners, p: [f64; 3]) -> Verdict {
    let side = t.side(p);
    let normal = t.normal();
    let doubt = if normal.is_none() { doubt::DEGENERATE } else { 0 };
    Verdict { inside: side < 0, doubt, normal: normal.unwrap_or(DVec3::ZERO) }
}

fn edge(mesh: &MeshRef<'_>, local: &Local, triangle: u32, k: usize) -> Verdict {
    let p = local.scaled();
    let t = Corners::new(mesh, local, triangle);
    let alone = face(&t, p);
    let other = match across(mesh, triangle, k) {
        Ok((other, at)) => (Corners::new(mesh, local, other), at),
        Err(why) => return Verdict { doubt: alone.doubt | why, ..alone },
    };
    let (other, at) = other;
    let (Some(n), Some(m)) = (t.normal(), other.normal()) else {
        return Verdict { doubt: alone.doubt | doubt::DEGENERATE, ..alone };
    };
    // If the other triangle lies below the first plane, the edge is convex.
    let bend = t.side(other.0[(at + 2) % 3]);
    let (below, below_other) = (t.side(p) < 0, other.side(p) < 0);
    let inside = match bend {
        -1 => below && below_other,
        1 => below || below_other,
        _ => below,
    };
    let folded = bend == 0 && n.dot(m) < 0.0;
    Verdict { inside, doubt: if folded { doubt::SHARP } else { 0 }, normal: n + m }
}

/// The neighbour across edge `k`, and the number of the edge in the neighbour.
fn across(mesh: &MeshRef<'_>, triangle: u32, k: usize) -> Result<(u32, usize), u32> {
    let ends = |w: [u32; 3], k: usize| (w[k % 3], w[(k + 1) % 3]);
    let other = mesh.neighbour.get(triangle as usize).map_or(NONE, |n| n[k % 3]);
    if other == NONE {
        return Err(doubt::OPEN);
    }
    let (from, to) = ends(mesh.welded(triangle as usize), k);
    let theirs = mesh.welded(other as usize);
    match (0..3).find(|j| ends(theirs, *j) == (to, from)) {
        Some(at) => Ok((other, at)),
        None => Err(doubt::INCONSISTENT),
    }
}

/// The verdict of a vertex, from a walk around it from neighbour to neighbour.
fn vertex(mesh: &MeshRef<'_>, local: &Local, triangle: u32, corner: usize, meeting: usize) -> Verdict {
    let mut sum = DVec3::ZERO;
    let mut why = 0;
    let (mut i, mut k, mut number) = (triangle, corner, 0);
    let apex = Corners::new(mesh, local, triangle).at(corner);
    loop {
        let t = Corners::new(mesh, local, i);
        let (a, b) = (t.at(k + 1) - t.at(k), t.at(k + 2) - t.at(k));
        match t.normal() {
            Some(normal) => {
                let cross = a.cross(b);
                sum += normal * atan2(Real::sqrt(cross.dot(cross)), a.dot(b));
            }
            None => why |= doubt::DEGENERATE,
        }
        number += 1;
        match across(mesh, i, k) {
            Ok((other, at)) => (i, k) = (other, (at + 1) % 3),
            Err(reason) => {
                why |= reason;
                break;
            }
        }
        if i == triangle {
            break;
        }
        if number > mesh.len() {
            why |= doubt::INCONSISTENT;
            break;
        }
    }
    if why & (doubt::OPEN | doubt::INCONSISTENT) == 0 && number != meeting {
        why |= doubt::TOUCHING;
    }
    let d = unit(DVec3::from_array(local.scaled()) - apex);
    let height = d.dot(sum);
    // The closest feature is uncertain by the square root of the roundoff, in terms of directions.
    const CERTAIN: f64 = 1e-6;
    if height.abs() < CERTAIN && d != DVec3::ZERO {
        why |= doubt::SHARP;
    }
    Verdict { inside: height < 0.0, doubt: why, normal: sum }
}
