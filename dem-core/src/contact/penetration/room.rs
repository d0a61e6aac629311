//! Bodies that look inward: rooms, or bodies turned inside out by mistake.
//!
//! Such a mesh encloses all space around it. A room contains the other body, of which at most a part penetrates the wall. If most of the other
//! body is beyond the wall, the mesh is no room for that body, and depth and direction are meaningless.

use super::super::{Side, status, unit};
use super::Enclosed;
use super::corner_inside::is_corner_beyond;
use super::depth_limits::{border_area, common_box, volume_of};
use super::intersection_curve::Surround;
use super::perturbed_mesh::{Body, in_order};
use super::whole_parts::{INSIDE, LOOK};
use super::winding::winding;
use crate::narrow::Frame;

/// A container that leaves at most this fraction of its area open is a room with seams or with a hole.
const OPENING: f64 = 1.0 / 8.0;

/// Whether a body encloses the space around it. Cost: none except for containers; for these a pass over the border.
fn is_room(body: &Body<'_>) -> bool {
    let (length, [area, _]) = (body.unit_length(), body.cells.surface.first().copied().unwrap_or_default());
    let open = || unit(border_area(body)).map_or(0.0, |(_, open)| open);
    let container = body.cells.is_container() && body.tree.looks_inward();
    body.cells.looks_inward() || container && open() <= OPENING * (area * length * length)
}

/// Whether one body is a room under the law of volumes, and the other body is beyond its wall. If surfaces do not cross, corners of the other
/// body decide. Otherwise any doubtful enclosed part (`deep`) decides. Under that law the wall would attract the other body without any warning.
/// Two rooms count as beyond each other's wall.
///
/// Cost: two flags if there is no room; else a line through the room's tree for each of up to 64 parts of the other body.
#[inline(never)]
pub(in super::super) fn is_beyond_wall(a: &Side<'_>, b: &Side<'_>, frame: &Frame, deep: &[Enclosed]) -> bool {
    match [a, b].map(|side| side.cells.is_room_by_volume()) {
        [false, false] => return false,
        [true, true] => return true,
        _ if !deep.is_empty() => return deep.iter().any(|part| part.status & status::UNSURE != 0),
        _ => {}
    }
    let (bodies, _) = in_order(a, b, frame);
    let side = usize::from(bodies[1].cells.is_room_by_volume());
    let (room, body) = (&bodies[side], &bodies[1 - side]);
    let is_beyond = |first: u32| is_corner_beyond(room, body, (first, 0), side == 1);
    let mut parts = body.cells.parts().take(LOOK).peekable();
    // Fins and copies do not tell what a mesh of one part encloses, so a triangle that counts is used.
    let sound = || (0..body.mesh.len() as u32).find(|i| body.encloses(*i)).unwrap_or(0);
    if parts.peek().is_none() { is_beyond(sound()) } else { parts.any(is_beyond) }
}

impl Surround<'_, '_> {
    /// If a body looks inward, marks all parts as doubtful in two cases. First, the other body looks inward, too. Second, a part is deeper than
    /// its halo, and one of these is enclosed: most of the other body, a complete part of it, or more than the intersection of both boxes. Cost:
    /// none if both look outward. If a part is that deep: a pass over the other body, and a winding number for each of up to 64 of its parts.
    pub fn doubt_rooms(&mut self, list: &[u32]) {
        let [x, y] = [0, 1].map(|side| is_room(&self.bodies[side]));
        if !(x || y) {
            return;
        }
        // Two bodies that each enclose the space around them have an infinite intersection.
        let lost = x && y || {
            let (mut deep, mut volume) = (false, 0.0);
            for part in self.parts(list) {
                let whole = self.part(part);
                deep |= whole.extent() > whole.halo();
                volume += whole.volume();
            }
            let most = || 2.0 * volume > volume_of(&self.bodies[usize::from(x)]) || volume > common_box(&self.bodies);
            deep && (most() || self.has_part_beyond_wall(usize::from(x)))
        };
        if lost {
            for root in list.iter().map(|i| self.whole.find(*i) as usize) {
                self.loops.get_mut(root).into_iter().for_each(|whole| whole.unsure = 1);
            }
        }
    }

    /// Whether a complete part of a body is beyond the wall of the other one, which looks inward.
    fn has_part_beyond_wall(&self, side: usize) -> bool {
        let (body, room) = (&self.bodies[side], &self.bodies[1 - side]);
        let is_beyond = |first: u32| {
            let known = (0..3).any(|corner| self.floods[side].is_inside(first, corner));
            !known && body.corners(first).iter().all(|at| 1.0 + winding(room, *at) > INSIDE)
        };
        room.tree.looks_inward() && body.cells.parts().take(LOOK).any(is_beyond)
    }
}
