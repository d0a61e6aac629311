//! The published force of contact points (P0 section 2).

use crate::failure::Failure;
use dem_std::dem_core::body::Body;
use dem_std::dem_core::detect::Wrench;
use dem_std::dem_core::triangle::closest_points_one;

/// A contact point of two triangles.
#[derive(Clone, Copy)]
pub struct Point {
    position: [f64; 3],
    /// Direction from B to A.
    normal: [f64; 3],
    gap: f64,
}

impl Point {
    /// `apart` is the centre of A less that of B.
    pub fn new(a: [[f64; 3]; 3], b: [[f64; 3]; 3], apart: [f64; 3]) -> Result<Self, Failure> {
        let closest = closest_points_one(a, b)?;
        let away = sub(closest.point_a, closest.point_b);
        // If triangles cross, the closest points give no direction.
        let normal = unit(if closest.distance > 0.0 { away } else { apart });
        let position = [0, 1, 2].map(|k| 0.5 * (closest.point_a[k] + closest.point_b[k]));
        Ok(Point { position, normal, gap: closest.distance })
    }

    /// Replaces several points by one: their mean, with the smallest gap.
    fn merged(points: &[Point]) -> Self {
        let mean = |of: fn(&Point) -> [f64; 3]| {
            [0, 1, 2].map(|k| points.iter().map(|p| of(p)[k]).sum::<f64>() / points.len() as f64)
        };
        let gap = points.iter().fold(f64::INFINITY, |least, p| least.min(p.gap));
        Point { position: mean(|p| p.position), normal: unit(mean(|p| p.normal)), gap }
    }
}

/// Stiffness of the published force (P0 section 2).
pub const STIFFNESS: f64 = 1000.0;

/// The published forces on both bodies, with halos `eps` each. Points that form a chain with steps below a halo count as one (P0 remark 1).
pub fn forces(mut points: Vec<Point>, eps: f64, a: &Body, b: &Body) -> [Wrench; 2] {
    let mass = 1.0 / [a, b].iter().filter(|body| body.is_dynamic()).map(|body| 1.0 / body.mass).sum::<f64>();
    let mut wrenches = [Wrench::default(); 2];
    while let Some(first) = points.pop() {
        let mut chain = vec![first];
        let mut i = 0;
        while let Some(&Point { position, .. }) = chain.get(i) {
            chain.extend(points.extract_if(.., |p| length(sub(p.position, position)) < eps));
            i += 1;
        }
        let Point { position, normal, gap } = Point::merged(&chain);
        let size = STIFFNESS * (1.0 - 0.5 * gap / eps) * mass.sqrt();
        for ((wrench, body), sign) in wrenches.iter_mut().zip([a, b]).zip([1.0, -1.0]) {
            let force = normal.map(|x| sign * size * x);
            let torque = cross(sub(position, body.position), force);
            for k in 0..3 {
                wrench.force[k] += force[k];
                wrench.torque[k] += torque[k];
            }
        }
    }
    wrenches
}

pub fn sub(x: [f64; 3], y: [f64; 3]) -> [f64; 3] {
    [0, 1, 2].map(|k| x[k] - y[k])
}

fn cross(x: [f64; 3], y: [f64; 3]) -> [f64; 3] {
    [x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]]
}

fn length(x: [f64; 3]) -> f64 {
    x.iter().map(|c| c * c).sum::<f64>().sqrt()
}

fn unit(x: [f64; 3]) -> [f64; 3] {
    let length = length(x);
    if length > 0.0 { x.map(|c| c / length) } else { [0.0, 0.0, 1.0] }
}
