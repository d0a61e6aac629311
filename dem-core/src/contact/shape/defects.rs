//! Defects of a mesh in contact with a ball, a capsule or a half-space: status bits, and upper bounds of the force.

use glam::DVec3;

use super::Surface;
use crate::array::Array;
use crate::contact::{Contact, status};
use crate::error::Result;
use crate::mesh::{MeshRef, NONE};
use crate::narrow::{Near, PointOnMesh, PointSide, doubt, points, winding_numbers};
use crate::real::{Real, min};
use crate::simd::Isa;

/// The largest depth at which a ball or a capsule of this radius was certainly pressed into a surface. Beyond this depth it may have come from
/// behind. A solid has no behind.
pub(super) fn deepest_of_round(surface: &Surface<'_>, radius: f64) -> f64 {
    if surface.solid { f64::INFINITY } else { 0.5 * radius }
}

/// The same for a half-space, which has no size: any depth into a sheet, open or two-sided, is doubtful.
pub(super) fn deepest_of_flat(surface: &Surface<'_>) -> f64 {
    if surface.solid || encloses(surface) { f64::INFINITY } else { 0.0 }
}

/// Whether a surface is closed and encloses more volume than rounding.
fn encloses(surface: &Surface<'_>) -> bool {
    let [area, volume] = surface.cells.surface.first().copied().unwrap_or_default();
    surface.cells.is_closed() && volume.abs() > ROUNDING * (area * Real::sqrt(area))
}

/// A sheet is on edge below this cosine between its contact's normal and the plane's normal. Its face may turn over in the next steps, or may
/// have done so: the law of volumes attracts a face that looks up to the plane.
const ON_EDGE: f64 = 0.5;

/// Whether a sheet that pushes a half-space along this normal is on edge.
pub(super) fn is_on_edge(surface: &Surface<'_>, up: DVec3, normal: DVec3) -> bool {
    -up.dot(normal) < ON_EDGE && deepest_of_flat(surface) == 0.0
}

/// A smaller part of the area counts as looking neither up nor down.
const ROUNDING: f64 = 1e-9;

/// Bits of [`Contact::status`] for defects of a solid near some points of a ball or a capsule, and of its triangles near it. `is_lost`: whether a
/// point of the body is inside the solid, with the body deeper than the halo.
pub(super) fn defects(
    surface: &Surface<'_>,
    at: &[PointOnMesh],
    near: &[Near],
    is_lost: impl Fn(&PointOnMesh) -> bool,
) -> u32 {
    if !surface.solid {
        return 0;
    }
    let doubts = at.iter().fold(0, |all, at| all | at.doubt);
    let bit = |doubt: u32, status: u32| if doubts & doubt != 0 { status } else { 0 };
    let told = bit(doubt::OPEN, status::OPEN) | bit(doubt::INCONSISTENT | doubt::WINDING, status::UNSURE);
    let cells = &surface.cells;
    if cells.is_outward() && !cells.passes_through_itself() {
        return told;
    }
    let mut all = near.iter().map(|near| near.triangle).chain(at.iter().map(|at| at.triangle));
    let crossed = cells.passes_through_itself() && all.clone().any(|i| cells.is_crossing(i));
    let is_open = |i: u32| (0..3).any(|k| side(&surface.mesh, i, k) != Side::Sound);
    let open = !cells.is_closed() && all.any(is_open);
    // In a room, most of the body is beyond the wall: the room may be a body turned inside out that is touched from outside.
    let lost = is_inside_out(surface) && at.iter().all(is_lost);
    told | if open { status::OPEN } else { 0 } | if lost || crossed { status::UNSURE } else { 0 }
}

/// The defect of a room under the law of volumes that is not solid, near a ball or a capsule. The mesh is turned inside out there, so that the
/// body is beyond the wall, and the wall would attract it. `centre` gives the point of the ball's centre or the capsule's segment nearest to a
/// point; `at` is any of these points. If the wall crosses a segment, the capsule is deep in it, which other bits report. `scratch` is that of
/// [`points`]. Cost: a product for each triangle near a room, and a search for the closest triangle if any of them is seen from behind.
pub(super) fn beyond_wall(
    surface: &Surface<'_>,
    near: &[Near],
    centre: impl Fn(DVec3) -> DVec3,
    at: [f64; 3],
    (isa, scratch): (Isa, &mut [u8]),
) -> Result<u32> {
    if surface.solid || !surface.cells.is_room_by_volume() {
        return Ok(0);
    }
    let is_behind = |near: &Near| {
        let (point, prism) = (DVec3::from_array(near.point), surface.cells.prism(near.triangle as usize));
        prism.is_some_and(|prism| DVec3::from_array(prism.normal).dot(centre(point) - point) < 0.0)
    };
    if !near.iter().any(is_behind) {
        return Ok(0);
    }
    let (operand, at) = (surface.operand(), [at]);
    let is_beyond = if surface.tree.looks_inward() {
        let mut closest = [PointOnMesh::default()];
        points(isa, &operand, Array::from_f64(&at), f64::INFINITY, &mut closest, scratch)?;
        closest[0].side == PointSide::Inside as u32
    } else {
        // The room is too flat for the tree to decide: the winding number inside it is less by 1 than around it.
        let mut number = [0.0];
        winding_numbers(&operand, Array::from_f64(&at), &mut number)?;
        number[0] > -0.5
    };
    Ok(if is_beyond { status::UNSURE } else { 0 })
}

/// The same for a half-space and the triangles `near` that reach below the top of its halo: the plane `up . x = offset + reach` in the mesh's
/// frame. A surface that is not solid may have free edges. Cost: a test of two flags for a mesh that is closed, looks outward and does not pass
/// through itself.
pub(super) fn defects_below(
    surface: &Surface<'_>,
    up: DVec3,
    [offset, reach]: [f64; 2],
    near: impl Iterator<Item = u32> + Clone,
) -> u32 {
    let (cells, mesh) = (&surface.cells, &surface.mesh);
    if cells.is_outward() && !cells.passes_through_itself() {
        return 0;
    }
    let crossed = cells.passes_through_itself() && near.clone().any(|i| cells.is_crossing(i));
    // The faces below the plane would push the other way.
    let inside_out = cells.looks_inward() || surface.solid && is_inside_out(surface);
    let is_open = |i: u32| {
        let low = mesh.triangle(i as usize).map(|v| up.dot(DVec3::from_array(v)) - offset < reach);
        (0..3).filter(|k| low[*k] || low[(k + 1) % 3]).any(|k| match side(mesh, i, k) {
            Side::Sound => false,
            Side::Free => surface.solid,
            Side::Turned => true,
        })
    };
    let open = !cells.is_closed() && near.clone().any(is_open);
    // Below any height, the area of a closed surface that looks down equals the area that looks up plus that of the cut. If more area looks up,
    // even triangles that agree look to the wrong side.
    let up_side_down = !cells.is_closed() && surface.solid && {
        let looks = |i: u32| {
            let [a, b, c] = mesh.triangle(i as usize).map(DVec3::from_array);
            up.dot((b - a).cross(c - a))
        };
        let (net, all) = near.map(looks).fold((0.0, 0.0), |(net, all), x| (net + x, all + x.abs()));
        net > ROUNDING * all
    };
    (if open { status::OPEN } else { 0 }) | if inside_out || up_side_down || crossed { status::UNSURE } else { 0 }
}

/// Marks defects. A contact of a sheet deeper than `most` may be wrong, too: its face would push as hard if the other body came from behind. The
/// area of a doubtful contact is reduced until it pushes as if the depth were one halo at most.
pub(super) fn tell(contacts: &mut [Contact], defects: u32, most: f64) {
    for c in contacts {
        c.status |= defects | if -c.least_gap > most { status::OPEN } else { 0 };
        let deep = -c.gap / c.halo;
        if c.status & status::DOUBTFUL != 0 && c.halo > 0.0 && deep > 1.0 {
            let part = 2.0 / (1.0 + deep);
            c.area *= part;
            c.moment = c.moment.map(|x| x * part);
            // The energy of a face with that force, from the first contact of halos to this depth.
            c.energy = min(c.energy, c.area * (1.0 + deep) * c.halo);
        }
    }
}

/// Whether the mesh or a part of it encloses the space around it.
fn is_inside_out(surface: &Surface<'_>) -> bool {
    surface.cells.looks_inward() || surface.tree.looks_inward()
}

/// The state of side `k` of a triangle.
#[derive(Clone, Copy, PartialEq)]
enum Side {
    Sound,
    /// It has not exactly one neighbour.
    Free,
    /// The neighbour has the opposite orientation: the edge runs in the same direction in both.
    Turned,
}

fn side(mesh: &MeshRef<'_>, triangle: u32, k: usize) -> Side {
    let other = mesh.neighbour.get(triangle as usize).map_or(NONE, |across| across[k % 3]);
    if other == NONE {
        return Side::Free;
    }
    let [own, other] = [triangle, other].map(|i| mesh.welded(i as usize));
    let (from, to) = (own[k % 3], own[(k + 1) % 3]);
    let turned = (0..3).any(|k| other[k] == from && other[(k + 1) % 3] == to);
    if turned { Side::Turned } else { Side::Sound }
}
