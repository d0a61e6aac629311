//! Winding numbers: how often a surface goes around a point. They are an inside test for meshes with holes, flipped triangles and crossing parts.

use glam::DVec3;

use super::Operand;
use super::closest_points::check;
use super::nearest::Local;
use crate::array::Array;
use crate::error::{Error, Result, What};
use crate::real::{Real, atan2};

/// Generalised winding numbers (Jacobson, Kavan, Sorkine-Hornung 2013) of `points` (world coordinates): the solid angle that
/// the surface takes up as seen from each point, with sign, over 4 pi. `out` gets one number a point.
///
/// For a closed surface that looks outward it is 1 inside and 0 outside, up to rounding; where parts overlap they add up;
/// with holes and flipped triangles it varies smoothly, and above 0.5 is the best meaning that inside has. It uses no tree
/// and no neighbours, so it is independent of [`points`](fn@super::points). On the surface itself it may be anything in
/// between.
///
/// Errors: as [`points`](fn@super::points), without bound and scratch. Cost: one arc tangent a triangle and point, some 30 ns:
/// for the few points that [`PointOnMesh::doubt`](super::PointOnMesh::doubt) marks.
pub fn winding_numbers(operand: &Operand<'_>, points: Array<'_>, out: &mut [f64]) -> Result<()> {
    let transform = check(operand, points)?;
    let given = out.len();
    let Some(out) = out.get_mut(..points.len()) else {
        return Err(Error::capacity(What::Output, points.len() as u64, given as u64));
    };
    let mesh = &operand.mesh;
    let extent = crate::vector::safe_length(mesh.centre()) + mesh.radius();
    for (i, to) in out.iter_mut().enumerate() {
        let point = transform.apply_back(points.get(i)).map(|x| x / operand.scale);
        let local = Local::new(point, extent);
        let p = DVec3::from_array(local.scaled());
        let mut sum = 0.0;
        for t in 0..mesh.len() {
            sum += half_angle(local.triangle(mesh, t as u32).map(|v| DVec3::from_array(v) - p));
        }
        *to = sum / (2.0 * core::f64::consts::PI) + 0.0;
    }
    Ok(())
}

/// Half of the solid angle of a triangle as seen from the origin (Van Oosterom and Strackee 1983, equation 8); positive if the origin is below the
/// triangle.
pub(crate) fn half_angle([a, b, c]: [DVec3; 3]) -> f64 {
    let [la, lb, lc] = [a, b, c].map(|v| Real::sqrt(v.dot(v)));
    let volume = a.dot(b.cross(c));
    let rest = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
    atan2(volume, rest)
}
