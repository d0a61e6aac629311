//! Defects of a mesh beside a ball, a capsule or a half-space: what contacts tell of them, and how hard they push at most.

use glam::DVec3;

use super::Surface;
use crate::array::Array;
use crate::contact::{Contact, status};
use crate::error::Result;
use crate::mesh::{MeshRef, NONE};
use crate::narrow::{Near, PointOnMesh, PointSide, doubt, points, winding_numbers};
use crate::real::{Real, min};
use crate::simd::Isa;

/// The depth from which on nobody can tell whether a ball or a capsule of this radius was pressed into a surface, or came from behind. A solid has no behind.
pub(super) fn deepest_of_round(surface: &Surface<'_>, radius: f64) -> f64 {
    if surface.solid { f64::INFINITY } else { 0.5 * radius }
}

/// The same of a half-space, which has no size: of a sheet, with free edges or of two sides, any depth.
pub(super) fn deepest_of_flat(surface: &Surface<'_>) -> f64 {
    if surface.solid || encloses(surface) { f64::INFINITY } else { 0.0 }
}

/// Whether a surface closes and has something inside of it: more than rounding.
fn encloses(surface: &Surface<'_>) -> bool {
    let [area, volume] = surface.cells.surface.first().copied().unwrap_or_default();
    surface.cells.is_closed() && volume.abs() > ROUNDING * (area * Real::sqrt(area))
}

/// Of a sheet whose contact with a half-space leans so far (the cosine of the angle to the plane's normal), it may be that its face turns over in the next steps, or has
/// done so: one that looks up is drawn to the plane by the law of volumes.
const ON_EDGE: f64 = 0.5;

/// Whether a sheet, which pushes a half-space along this normal, is on edge.
pub(super) fn is_on_edge(surface: &Surface<'_>, up: DVec3, normal: DVec3) -> bool {
    -up.dot(normal) < ON_EDGE && deepest_of_flat(surface) == 0.0
}

/// A smaller part of the area looks neither up nor down.
const ROUNDING: f64 = 1e-9;

/// Bits of [`Contact::status`] for what is wrong with a solid near some points of a ball or a capsule, and with its triangles near it. `is_lost`: whether a point
/// of the body is inside of the solid, and the body deeper than the halo.
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
    // Of a room most of the body is beyond the wall. It may be a body turned inside out, which it touches from outside.
    let lost = is_inside_out(surface) && at.iter().all(is_lost);
    told | if open { status::OPEN } else { 0 } | if lost || crossed { status::UNSURE } else { 0 }
}

/// What is wrong with a room of the law of volumes that is not solid, near a ball or a capsule: that it is beyond the wall, which would draw it, because the mesh is turned inside out. `centre`
/// gives the point of the ball's centre or the capsule's segment that is nearest to a point; `at` is any of these. If the wall goes through a segment, the capsule is deep in it, which is told
/// by itself. `scratch` is that of [`points`]. Cost: a product for each triangle near a room, and a search for the closest one where any of them is seen from behind.
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
        // Too flat a room for a tree to know: there is one turn less in it than around it.
        let mut number = [0.0];
        winding_numbers(&operand, Array::from_f64(&at), &mut number)?;
        number[0] > -0.5
    };
    Ok(if is_beyond { status::UNSURE } else { 0 })
}

/// The same for a half-space and the triangles `near` that reach below the top of its halo: the plane `up . x = offset + reach` in the frame of the mesh. Of a surface that is
/// not solid, edges may be free. Cost: a test of two flags for a mesh that is closed, looks outward and does not pass through itself.
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
    // The faces below it would push the other way.
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
    // Below any height what a surface encloses has as much that looks down as is cut there. Where more looks up, even triangles that agree look to the wrong side.
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

/// Tells of defects. Of a sheet a contact deeper than `most` may be wrong, too: its face would push as hard if the other body came from behind. Where a contact may be
/// wrong, its area is made so small that it pushes as if the depth were one halo at most.
pub(super) fn tell(contacts: &mut [Contact], defects: u32, most: f64) {
    for c in contacts {
        c.status |= defects | if -c.least_gap > most { status::OPEN } else { 0 };
        let deep = -c.gap / c.halo;
        if c.status & status::DOUBTFUL != 0 && c.halo > 0.0 && deep > 1.0 {
            let part = 2.0 / (1.0 + deep);
            c.area *= part;
            c.moment = c.moment.map(|x| x * part);
            // That of a face as large, from where halos meet to there.
            c.energy = min(c.energy, c.area * (1.0 + deep) * c.halo);
        }
    }
}

/// Whether the mesh or a part of it is the space around it.
fn is_inside_out(surface: &Surface<'_>) -> bool {
    surface.cells.looks_inward() || surface.tree.looks_inward()
}

/// What is wrong with side `k` of a triangle.
#[derive(Clone, Copy, PartialEq)]
enum Side {
    Sound,
    /// It has not exactly one neighbour: it counts for too little, or too much.
    Free,
    /// The neighbour looks to the other side: the edge runs in the same direction in both.
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
