//! Contacts of a capsule with a sphere, another capsule or a half-space by closed forms.

use glam::DVec3;

use super::Shape;
use super::capsule::{Capsule, Sum, Sunk};
use super::site::Site;
use super::sphere_pair::{Balls, Round};
use super::writer::{Local, PartPair, Sink};
use crate::contact::spread::Wants;
use crate::contact::{across_both, any_across, status};
use crate::real::{Real, max, min};
use crate::triangle::distance_segment_segment;

/// A capsule relative to the midpoint of both bodies, in world units.
#[derive(Clone, Copy)]
struct Placed {
    centre: DVec3,
    axis: DVec3,
    half: f64,
    radius: f64,
    halo: f64,
}

impl Placed {
    fn of(site: &Site<'_>, margin: f64) -> Option<Self> {
        let (half, radius, halo) = match site.shape {
            Shape::Capsule { half_length, radius, halo } => (half_length, radius, halo),
            Shape::Sphere { radius, halo } => (0.0, radius, halo),
            _ => return None,
        };
        Some(Placed {
            centre: DVec3::from_array(site.turn.translation),
            axis: DVec3::from_array(site.turn.rotate([0.0, 0.0, 1.0])),
            half: half * site.scale,
            radius: radius * site.scale,
            halo: halo * site.scale + 0.5 * margin,
        })
    }

    fn ends(&self) -> [DVec3; 2] {
        [self.centre - self.axis * self.half, self.centre + self.axis * self.half]
    }

    /// Whether this capsule comes before the other one in space; the result does not depend on the caller's order.
    fn comes_first(&self, other: &Placed) -> bool {
        let numbers = |c: &Placed| {
            let ([a, b, d], [x, y, z]) = (c.centre.to_array(), c.axis.to_array());
            [a, b, d, x, y, z, c.half, c.radius, c.halo]
        };
        let (own, others) = (numbers(self), numbers(other));
        own.iter().zip(&others).find(|(x, y)| x != y).is_none_or(|(x, y)| x < y)
    }
}

/// Writes the contact of a sphere or a capsule with a capsule: that of two balls at their nearest points.
pub(super) fn with_capsule(parts: &PartPair<'_, '_>, (margin, wants): (f64, Wants), sink: &mut Sink<'_, '_>) {
    let (Some(a), Some(b)) = (Placed::of(parts.first, margin), Placed::of(parts.second, margin)) else { return };
    let Some([at_a, at_b]) = nearest(&a, &b) else { return };
    let balls =
        Balls { from: at_b, to: at_a, middle: sink.middle, radii: [a.radius, b.radius], halos: [a.halo, b.halo] };
    let Some(mut local) = balls.local() else { return };
    if local.status & status::DEGENERATE != 0 && b.half > 0.0 {
        // Where segments cross, the normal is at right angles to both.
        let normal = if a.half > 0.0 { across_both(b.axis, a.axis) } else { any_across(b.axis) };
        let middle = (at_a + at_b) * 0.5;
        local.position = middle + normal * (local.position - middle).dot(local.normal);
        local.normal = normal;
    }
    if wants.energy {
        local.energy = balls.stored();
    }
    sink.push(parts, &local.spread_as_ball(wants));
}

/// The nearest points of two segments, those of the first one first.
fn nearest(a: &Placed, b: &Placed) -> Option<[DVec3; 2]> {
    let exchanged = !a.comes_first(b);
    let (x, y) = if exchanged { (b, a) } else { (a, b) };
    let [p, q] = if x.half == 0.0 || y.half == 0.0 {
        let foot = |rod: &Placed, point: DVec3| {
            rod.centre + rod.axis * max(-rod.half, min(rod.half, rod.axis.dot(point - rod.centre)))
        };
        if x.half == 0.0 { [x.centre, foot(y, x.centre)] } else { [foot(x, y.centre), y.centre] }
    } else {
        let found = distance_segment_segment(x.ends().map(|v| v.to_array()), y.ends().map(|v| v.to_array())).ok()?;
        [found.point_a, found.point_b].map(DVec3::from_array)
    };
    Some(if exchanged { [q, p] } else { [p, q] })
}

/// Writes the contact of a half-space and a capsule.
pub(super) fn half_space_capsule(parts: &PartPair<'_, '_>, (margin, wants): (f64, Wants), sink: &mut Sink<'_, '_>) {
    let (ground, Some(rod)) = (parts.first, Placed::of(parts.second, margin)) else { return };
    let Shape::HalfSpace { halo } = ground.shape else { return };
    let up = DVec3::from_array(ground.turn.rotate([0.0, 0.0, 1.0]));
    let height = up.dot(rod.centre - DVec3::from_array(ground.turn.translation));
    let halo = rod.halo + (halo * ground.scale + 0.5 * margin);
    let lower = height - rod.half * Real::abs(up.dot(rod.axis));
    if lower - rod.radius >= halo {
        return;
    }
    // Scaled so that the capsule is about 1 long.
    let scale = max(max(rod.half, rod.radius), halo).inverse_exponent();
    let capsule = Capsule { axis: rod.axis, half: rod.half * scale, wants };
    let round = Round { radius: rod.radius * scale, halo: halo * scale };
    let Some(local) = on_plane(&capsule, &round, rod.halo * scale, up, height * scale) else { return };
    let local = Local { radius: round.radius + rod.halo * scale, ..local };
    sink.push(parts, &local.unscaled(scale, rod.centre).turned());
}

/// The contact with a plane at `height` below the centre; `own` is the capsule's halo.
fn on_plane(capsule: &Capsule, round: &Round, own: f64, up: DVec3, height: f64) -> Option<Local> {
    let rise = up.dot(capsule.axis);
    // A triangle that covers the whole reach.
    let size = 2.0 * (capsule.half + round.reach());
    let along = any_across(up);
    let (across, foot) = (up.cross(along) * size, up * -height);
    let along = along * (2.0 * size);
    let corners = [foot - along - across, foot + along - across, foot + across * 2.0];
    let mut sum = Sum::new();
    if let Some(piece) = capsule.piece(&corners, up, round.reach()) {
        sum.add(capsule, round, &piece, up, true);
    }
    sum.least = height - capsule.half * Real::abs(rise);
    let (mut ends, mut count) = ([Sunk::default(); 2], 0);
    for end in [-capsule.half, capsule.half] {
        let depth = -(height + end * rise);
        if depth > 0.0 {
            ends[count] = Sunk { end, depth, normal: up, round: *round };
            count += 1;
        }
    }
    let ends = ends.get(..count).unwrap_or_default();
    // The plane crosses the axis between its ends.
    if count == 1 && capsule.wants.energy {
        let sign = if rise > 0.0 { 1.0 } else { -1.0 };
        sum.energy += sign * (-height / rise) * round.axis_stored();
    }
    sum.contact(capsule, round.radius, own, true, ends)
}
