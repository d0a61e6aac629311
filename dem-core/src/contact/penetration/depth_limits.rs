//! Upper bounds for the enclosed parts of two bodies.
//!
//! A mesh whose triangles disagree may give any result. The intersection of two bodies is no larger than the intersection of their boxes, and no
//! larger than the smaller body. Its projected area in any direction is at most half of the surface of the boxes' intersection. Sheets have no
//! volume: the sum of the sides of that intersection limits their results.

use glam::DVec3;

use super::super::{status, unit};
use super::Enclosed;
use super::perturbed_mesh::Body;
use crate::real::min;
use crate::surrogate::Visit;

/// Margin added to the sides of the box, in canonical units: larger than the displacement of vertices.
const SHRINK_MARGIN: f64 = 1.0 / (1u64 << 36) as f64;

/// Limits in the world's units.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    volume: f64,
    area: f64,
    length: f64,
    /// Whether both surfaces are closed.
    closed: bool,
}

impl Bounds {
    pub fn new(bodies: &[Body<'_>; 2]) -> Self {
        let [x, y] = [0, 1].map(|k| Extent::of(&bodies[k]));
        let sides = (x.high.min(y.high) - x.low.max(y.low)).max(DVec3::ZERO) + SHRINK_MARGIN;
        let unit = bodies[0].unscale();
        let length = sides.x + sides.y + sides.z;
        // A sheet has no volume, and its box may have none.
        let (volume, area) = match x.is_body() && y.is_body() {
            true => (
                min(sides.x * sides.y * sides.z, min(x.volume(), y.volume())),
                sides.x * sides.y + sides.y * sides.z + sides.z * sides.x,
            ),
            false => (length * length * length, length * length),
        };
        let closed = bodies.iter().all(|body| body.cells.is_closed());
        Bounds { volume: volume * unit * unit * unit, area: area * unit * unit, length: length * unit, closed }
    }

    /// Limits results that are larger than possible, and sets their status: the area of each contact, the depth of each part, and the total
    /// volume. Forces keep their lines of action. Parts are ordered by their patches.
    pub fn hold(&self, parts: &mut [Enclosed]) {
        // A body that passes through the other one has two openings, between different patches. Parts of the same patches are one contact; parts
        // of closed surfaces each have their own area.
        for contact in parts.chunk_by_mut(|part, next| !self.closed && part.patches == next.patches) {
            let area = contact.iter().fold(0.0, |sum, part| sum + part.area);
            shrink(contact, self.area / area, |part, by| {
                part.area *= by;
                part.bare *= by;
            });
        }
        let (length, mut longer) = (self.length, false);
        for part in parts.iter_mut() {
            longer |= part.most > length;
            (part.depth, part.most) = (min(part.depth, length), min(part.most, length));
        }
        let volume = parts.iter().fold(0.0, |sum, part| sum + part.area * part.depth);
        shrink(parts, self.volume / volume, |part, by| part.depth *= by);
        if longer {
            parts.iter_mut().for_each(|part| part.status |= status::UNSURE);
        }
    }
}

/// If `by` is less than 1 beyond rounding, scales all parts with `change`, and their torques in proportion to their forces.
fn shrink(parts: &mut [Enclosed], by: f64, change: impl Fn(&mut Enclosed, f64)) {
    const ROUNDING: f64 = 1e-9;
    if by >= 1.0 - ROUNDING || by.is_nan() {
        return;
    }
    for part in parts {
        let before = part.force();
        change(part, by);
        let ratio = if before > 0.0 { part.force() / before } else { 0.0 };
        part.torque = part.torque.map(|x| x * ratio);
        part.status |= status::UNSURE;
    }
}

/// The sum of the area vectors of all triangles that count: half of the cross products along the border of the surface. It is zero for a closed
/// surface.
pub(super) fn border_area(body: &Body<'_>) -> DVec3 {
    let origin = body.corners(0)[0];
    body.border().fold(DVec3::ZERO, |sum, [from, to]| sum + (from - origin).cross(to - origin)) * 0.5
}

/// The box of all triangles: its lowest and highest corner. Cost: descents in the tree to the extreme points.
pub(super) fn extremes(body: &Body<'_>) -> [DVec3; 2] {
    let first = body.corners(0)[0];
    let mut boxed = Boxed { body, low: first, high: first };
    body.tree.visit(&mut boxed);
    [boxed.low, boxed.high]
}

/// The box of the triangles visited so far.
struct Boxed<'b> {
    body: &'b Body<'b>,
    low: DVec3,
    high: DVec3,
}

impl Visit for Boxed<'_> {
    fn enter(&mut self, corners: &[[f64; 3]; 3], halo: f64) -> bool {
        const ROUNDING: f64 = 1e-9;
        let room = halo * self.body.unit_length() * (1.0 + 1e-6) + ROUNDING;
        let [a, b, c] = corners.map(|v| self.body.place(v));
        let (low, high) = (a.min(b).min(c) - room, a.max(b).max(c) + room);
        low.cmplt(self.low).any() || high.cmpgt(self.high).any()
    }

    fn take(&mut self, triangle: u32) {
        let [a, b, c] = self.body.corners(triangle);
        (self.low, self.high) = (self.low.min(a.min(b).min(c)), self.high.max(a.max(b).max(c)));
    }
}

/// A body's box and volume.
struct Extent {
    low: DVec3,
    high: DVec3,
    volume: f64,
    /// Sum of all area vectors; zero for a closed surface.
    closing: DVec3,
    skin: f64,
}

impl Extent {
    fn of(body: &Body<'_>) -> Self {
        let length = body.unit_length();
        let [skin, volume] = body.cells.surface.first().copied().unwrap_or_default();
        let [low, high] = extremes(body);
        let (volume, skin) = (volume * length * length * length, skin * length * length);
        Extent { low, high, volume, closing: border_area(body), skin }
    }

    /// Whether the surface encloses something, even if it has holes.
    fn is_body(&self) -> bool {
        const MOST: f64 = 0.75;
        self.skin > 0.0 && unit(self.closing).is_none_or(|(_, gap)| gap <= MOST * self.skin)
    }

    /// The volume, if it is meaningful; for an open surface, or one that looks inward, the volume of the box.
    fn volume(&self) -> f64 {
        const CLOSED: f64 = 1e-6;
        let sides = self.high - self.low + SHRINK_MARGIN;
        let boxed = sides.x * sides.y * sides.z;
        let closes = unit(self.closing).is_none_or(|(_, gap)| gap <= CLOSED * self.skin);
        if closes && self.volume > 0.0 { min(self.volume + SHRINK_MARGIN * self.skin, boxed) } else { boxed }
    }
}

/// The volume of the intersection of both bodies' boxes.
pub(super) fn common_box(bodies: &[Body<'_>; 2]) -> f64 {
    let [x, y] = [0, 1].map(|k| extremes(&bodies[k]));
    let sides = (x[1].min(y[1]) - x[0].max(y[0])).max(DVec3::ZERO) + SHRINK_MARGIN;
    sides.x * sides.y * sides.z
}

/// The volume of a body; if it is not closed, the volume of its box.
pub(super) fn volume_of(body: &Body<'_>) -> f64 {
    Extent::of(body).volume()
}

/// Whether the enclosed surface closes within rounding: the missing area is a small part of its skin.
pub(super) fn closes(missing: DVec3, skin: f64, length: f64) -> bool {
    unit(missing).is_none_or(|(_, missing)| is_small(missing, skin) || missing <= SHRINK_MARGIN * length)
}

/// Whether a missing area is a small part of a skin.
pub(super) fn is_small(missing: f64, skin: f64) -> bool {
    const PART: f64 = 1e-5;
    missing <= PART * skin
}
