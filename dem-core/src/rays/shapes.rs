//! Spheres and half-spaces by closed forms, and compounds part by part.

use super::mesh::Target;
use super::{All, Closest, Goal, Hit, Ray, largest};
use crate::contact::shape::{Placed, Shape, Site, Sites, check_placed};
use crate::error::{Result, What};
use crate::narrow::Side;
use crate::real::{Real, max};
use crate::vector::{add, dot, safe_length, scale, sub};

/// The first point of a shape that a ray meets; `None` where it meets none. Of equal ones that of the first part, and of the triangle with
/// the smallest number.
///
/// Errors: those of [`Ray::check`]; those of [`shape_contacts`](crate::contact::shape::shape_contacts) about body A; for meshes those of
/// [`cast_mesh`](super::cast_mesh). Cost: some ten nanoseconds for each part that is no mesh, and that of [`cast_mesh`](super::cast_mesh)
/// for each mesh. No scratch.
pub fn cast(placed: &Placed<'_>, ray: &Ray) -> Result<Option<Hit>> {
    ray.check()?;
    check_placed(placed, What::ShapeA, What::PoseA)?;
    closest(placed, ray, ray.most)
}

/// All points of a shape that a ray meets, in order, and how many. Of equal ones that of the first part comes first, and of the triangle
/// with the smallest number.
///
/// Errors: those of [`cast`]; [`Kind::Capacity`](crate::error::Kind::Capacity) with their number where `out` is too small, whose content is
/// then arbitrary. Cost: that of [`cast`], and the hits sorted.
pub fn cast_all(placed: &Placed<'_>, ray: &Ray, out: &mut [Hit]) -> Result<usize> {
    ray.check()?;
    check_placed(placed, What::ShapeA, What::PoseA)?;
    let mut goal = All::within(ray.most, out);
    each_part(placed, ray, &mut goal)?;
    goal.finish()
}

/// The first point at no larger `t` than `limit`, of what has been checked.
pub(super) fn closest(placed: &Placed<'_>, ray: &Ray, limit: f64) -> Result<Option<Hit>> {
    let mut goal = Closest::within(limit);
    each_part(placed, ray, &mut goal)?;
    Ok(goal.best)
}

pub(super) fn each_part(placed: &Placed<'_>, ray: &Ray, goal: &mut impl Goal) -> Result<()> {
    let mut part = 0;
    // As seen from the ray's origin, so that nothing is lost far from that of the world.
    Sites::new(placed, sub(placed.pose.position, ray.origin)).each(|site| {
        match site.shape {
            Shape::Sphere { radius, .. } => sphere(site, radius * site.scale, part, ray, goal),
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
fn hit(t: f64, part: u32, side: Side) -> Hit {
    Hit { t, body: 0, part, triangle: 0, side: side as u32, ..Hit::NOTHING }
}

/// Where the line is closest to the centre, and half of the chord from there (Hearn and Baker; no digits are lost far away).
fn sphere(site: &Site<'_>, radius: f64, part: u32, ray: &Ray, goal: &mut impl Goal) {
    let to = site.turn.translation;
    let by = max(largest(to), radius).inverse_exponent();
    let (to, r) = (scale(to, by), radius * by);
    let length = safe_length(ray.direction);
    let unit = ray.direction.map(|x| x / length);
    let along = dot(to, unit);
    let off = sub(to, scale(unit, along));
    let square = (r - safe_length(off)) * (r + safe_length(off));
    // Nothing is met that is only touched.
    if square.is_nan() || square <= 0.0 {
        return;
    }
    let half = Real::sqrt(square);
    // Of the two ends the larger one has all digits, and their product is known.
    let product = (safe_length(to) - r) * (safe_length(to) + r);
    let larger = if along > 0.0 { along + half } else { along - half };
    let other = product / larger;
    let ends = if along > 0.0 { [other, larger] } else { [larger, other] };
    for (end, side) in ends.into_iter().zip([Side::Outside, Side::Inside]) {
        let t = end / by / length;
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

fn half_space(site: &Site<'_>, part: u32, ray: &Ray, goal: &mut impl Goal) {
    let normal = site.turn.rotate([0.0, 0.0, 1.0]);
    let (height, slope) = (-dot(site.turn.translation, normal), dot(ray.direction, normal));
    let t = -height / slope;
    if slope != 0.0 && t >= 0.0 && t.is_finite() {
        let side = if slope < 0.0 { Side::Outside } else { Side::Inside };
        goal.take(hit(t + 0.0, part, side), |hit| {
            hit.normal = normal.map(|x| x + 0.0);
            hit.point = ray.at(hit.t);
        });
    }
}
