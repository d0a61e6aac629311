//! Casts at spheres, capsules and half-spaces by closed forms, and at compounds part by part.

use super::mesh::Target;
use super::{All, Closest, Goal, Hit, Ray, largest};
use crate::contact::shape::{Placed, Shape, Site, Sites, check_placed};
use crate::error::{Result, What};
use crate::narrow::PointSide;
use crate::real::{Real, max, min};
use crate::vector::{add, dot, safe_length, scale, sub};

/// The first point of a shape that a ray meets; `None` if it meets none. Of equal ones, the result is that of the first part, and of the
/// triangle with the smallest number.
///
/// Errors: those of [`Ray::check`]; those of [`shape_contacts`](crate::contact::shape::shape_contacts) about body A; for meshes those of
/// [`cast_mesh`](super::cast_mesh). Cost: some ten nanoseconds for each part that is not a mesh, and that of
/// [`cast_mesh`](super::cast_mesh) for each mesh. No scratch.
pub fn cast(placed: &Placed<'_>, ray: &Ray) -> Result<Option<Hit>> {
    ray.check()?;
    check_placed(placed, What::ShapeA, What::BodyPoseA)?;
    closest(placed, ray, ray.most)
}

/// All points of a shape that a ray meets, in order, and their number. Of equal ones, that of the first part comes first, and of the
/// triangle with the smallest number.
///
/// Errors: those of [`cast`]; [`Kind::Capacity`](crate::error::Kind::Capacity) with their number if `out` is too small, whose content is
/// then undefined. Cost: that of [`cast`], and the hits sorted.
pub fn cast_all(placed: &Placed<'_>, ray: &Ray, out: &mut [Hit]) -> Result<usize> {
    ray.check()?;
    check_placed(placed, What::ShapeA, What::BodyPoseA)?;
    let mut goal = All::within(ray.most, out);
    each_part(placed, ray, &mut goal)?;
    goal.finish()
}

/// The first hit with `t` up to `limit`. The inputs have been checked.
pub(super) fn closest(placed: &Placed<'_>, ray: &Ray, limit: f64) -> Result<Option<Hit>> {
    let mut goal = Closest::within(limit);
    each_part(placed, ray, &mut goal)?;
    Ok(goal.best)
}

pub(super) fn each_part(placed: &Placed<'_>, ray: &Ray, goal: &mut impl Goal) -> Result<()> {
    let mut part = 0;
    // Relative to the ray's origin, so that no digits are lost far from the origin of the world.
    Sites::new(placed, sub(placed.pose.position, ray.origin)).each(|site| {
        match site.shape {
            Shape::Sphere { radius, .. } => sphere(site, radius * site.scale, part, ray, goal),
            Shape::Capsule { half_length, radius, .. } => {
                capsule(site, [half_length * site.scale, radius * site.scale], part, ray, goal);
            }
            Shape::HalfSpace { .. } => half_space(site, part, ray, goal),
            Shape::Mesh(surface) => {
                let (mesh, tree) = (surface.mesh, surface.tree);
                Target { mesh, tree, turn: site.turn, scale: site.scale, part }.cast(ray, goal)?;
            }
            Shape::Compound(_) => {}
        }
        part += 1;
        Ok(())
    })
}

/// A hit without point and normal.
fn hit(t: f64, part: u32, side: PointSide) -> Hit {
    Hit { t, body: 0, part, triangle: 0, side: side as u32, ..Hit::NOTHING }
}

fn sphere(site: &Site<'_>, radius: f64, part: u32, ray: &Ray, goal: &mut impl Goal) {
    let to = site.turn.translation;
    let by = max(largest(to), radius).inverse_exponent();
    let (to, r) = (scale(to, by), radius * by);
    let length = safe_length(ray.direction);
    let unit = ray.direction.map(|x| x / length);
    let Some(ends) = chord(to, r, unit) else { return };
    for (end, side) in ends.into_iter().zip([PointSide::Outside, PointSide::Inside]) {
        // Adding 0 turns -0, which would come before the hits of other parts there, into 0.
        let t = end / by / length + 0.0;
        if t >= 0.0 {
            goal.take(hit(t, part, side), |hit| {
                let normal = sub(scale(unit, end), to);
                let size = safe_length(normal);
                hit.normal = normal.map(|x| if size > 0.0 { x / size + 0.0 } else { 0.0 });
                hit.point = add(add(ray.origin, site.turn.translation), scale(hit.normal, radius));
            });
        }
    }
}

/// The parameters at which a line enters and leaves a ball with its centre at `to`. They are the point closest to the centre, minus and plus half
/// the chord (Hearn and Baker; no digits are lost far away).
fn chord(to: [f64; 3], r: f64, unit: [f64; 3]) -> Option<[f64; 2]> {
    let along = dot(to, unit);
    let off = sub(to, scale(unit, along));
    let square = (r - safe_length(off)) * (r + safe_length(off));
    // A sphere that is only touched is not met.
    if square.is_nan() || square <= 0.0 {
        return None;
    }
    let half = Real::sqrt(square);
    // Of the two ends, the larger one has all digits, and the product of both is known.
    let product = (safe_length(to) - r) * (safe_length(to) + r);
    let larger = if along > 0.0 { along + half } else { along - half };
    let other = product / larger;
    Some(if along > 0.0 { [other, larger] } else { [larger, other] })
}

/// A capsule is convex, so the parts of a line in both balls and in the cylinder between them form one interval.
fn capsule(site: &Site<'_>, [half, radius]: [f64; 2], part: u32, ray: &Ray, goal: &mut impl Goal) {
    let to = site.turn.translation;
    let by = max(max(largest(to), radius), half).inverse_exponent();
    let (to, r, half) = (scale(to, by), radius * by, half * by);
    let length = safe_length(ray.direction);
    let unit = ray.direction.map(|x| x / length);
    let axis = site.turn.rotate([0.0, 0.0, 1.0]);
    let mut ends = [f64::INFINITY, f64::NEG_INFINITY];
    let mut take = |[from, to]: [f64; 2]| ends = [min(ends[0], from), max(ends[1], to)];
    for end in [-half, half] {
        chord(add(to, scale(axis, end)), r, unit).into_iter().for_each(&mut take);
    }
    between(to, [half, r], unit, axis).into_iter().for_each(&mut take);
    for (end, side) in ends.into_iter().zip([PointSide::Outside, PointSide::Inside]) {
        // Adding 0 turns -0, which would come before the hits of other parts there, into 0.
        let t = end / by / length + 0.0;
        if t >= 0.0 && t.is_finite() {
            goal.take(hit(t, part, side), |hit| {
                let from = sub(scale(unit, end), to);
                let foot = scale(axis, max(-half, min(half, dot(from, axis))));
                let normal = sub(from, foot);
                let size = safe_length(normal);
                hit.normal = normal.map(|x| if size > 0.0 { x / size + 0.0 } else { 0.0 });
                let on = add(site.turn.translation, scale(foot, 1.0 / by));
                hit.point = add(add(ray.origin, on), scale(hit.normal, radius));
            });
        }
    }
}

/// The interval in which a line is inside a cylinder around an axis through `to`, and between its ends.
fn between(to: [f64; 3], [half, r]: [f64; 2], unit: [f64; 3], axis: [f64; 3]) -> Option<[f64; 2]> {
    let (rise, low) = (dot(unit, axis), -dot(to, axis));
    let (across, off) = (sub(unit, scale(axis, rise)), sub(to, scale(axis, dot(to, axis))));
    let steep = safe_length(across);
    let round = if steep > 0.0 {
        chord(off, r, across.map(|x| x / steep))?.map(|x| x / steep)
    } else if safe_length(off) < r {
        [f64::NEG_INFINITY, f64::INFINITY]
    } else {
        return None;
    };
    let flat = if rise != 0.0 {
        let [x, y] = [(-half - low) / rise, (half - low) / rise];
        [min(x, y), max(x, y)]
    } else if Real::abs(low) < half {
        [f64::NEG_INFINITY, f64::INFINITY]
    } else {
        return None;
    };
    let both = [max(round[0], flat[0]), min(round[1], flat[1])];
    (both[0] < both[1]).then_some(both)
}

fn half_space(site: &Site<'_>, part: u32, ray: &Ray, goal: &mut impl Goal) {
    let normal = site.turn.rotate([0.0, 0.0, 1.0]);
    let (height, slope) = (-dot(site.turn.translation, normal), dot(ray.direction, normal));
    let t = -height / slope;
    if slope != 0.0 && t >= 0.0 && t.is_finite() {
        let side = if slope < 0.0 { PointSide::Outside } else { PointSide::Inside };
        goal.take(hit(t + 0.0, part, side), |hit| {
            hit.normal = normal.map(|x| x + 0.0);
            hit.point = ray.at(hit.t);
        });
    }
}
