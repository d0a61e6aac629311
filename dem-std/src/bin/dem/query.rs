//! The query behind `dem contacts`: every pair of triangles, one after the other, apart from those whose balls are far apart.

use dem_std::Triangles;
use dem_std::dem_core::error::{Result, What};
use dem_std::dem_core::pose::Pose;
use dem_std::dem_core::triangle::closest_points_one;
use std::time::Instant;

/// Two triangles, their distance, and where they are closest.
#[derive(Clone, Copy)]
pub struct Pair {
    pub a: u32,
    pub b: u32,
    pub distance: f64,
    pub point_a: [f64; 3],
    pub point_b: [f64; 3],
}

pub struct Answer {
    /// Ordered by (a, b).
    pub pairs: Vec<Pair>,
    /// The pair with the least distance of all; the first of those.
    pub closest: Pair,
    /// What the pairs took: median of repeated queries.
    pub seconds: f64,
}

type Triangle = [[f64; 3]; 3];

/// A triangle in world axes about a common origin, in a ball.
struct Placed {
    corners: Triangle,
    centre: [f64; 3],
    radius: f64,
}

pub fn contacts(a: &Triangles, b: &Triangles, halo: f64, margin: f64, pose_a: Pose, pose_b: Pose) -> Result<Answer> {
    let (to_a, to_b) = (pose_a.transform(What::PoseA)?, pose_b.transform(What::PoseB)?);
    let origin = [0, 1, 2].map(|c| 0.5 * to_a.translation[c] + 0.5 * to_b.translation[c]);
    let place = |mesh: &Triangles, to: dem_std::dem_core::pose::Transform| -> Vec<Placed> {
        let offset = [0, 1, 2].map(|c| to.translation[c] - origin[c]);
        (0..mesh.len()).map(|i| placed(mesh.triangle(i).map(|v| plus(to.rotate(v), offset)))).collect()
    };
    let (a, b) = (place(a, to_a), place(b, to_b));
    let start = Instant::now();
    let pairs = within(&a, &b, halo + halo + margin, origin)?;
    let seconds = start.elapsed().as_secs_f64();
    Ok(Answer { closest: closest(&a, &b, origin)?, pairs, seconds })
}

fn placed(corners: Triangle) -> Placed {
    let centre = [0, 1, 2].map(|c| (corners[0][c] + corners[1][c] + corners[2][c]) / 3.0);
    Placed { corners, centre, radius: corners.iter().map(|v| distance(*v, centre)).fold(0.0, f64::max) }
}

fn within(a: &[Placed], b: &[Placed], threshold: f64, origin: [f64; 3]) -> Result<Vec<Pair>> {
    let mut pairs = Vec::new();
    for (i, p) in a.iter().enumerate() {
        for (j, q) in b.iter().enumerate() {
            if gap(p, q) <= threshold {
                let pair = examined(i, p, j, q, origin)?;
                if pair.distance <= threshold {
                    pairs.push(pair);
                }
            }
        }
    }
    Ok(pairs)
}

fn closest(a: &[Placed], b: &[Placed], origin: [f64; 3]) -> Result<Pair> {
    let nowhere = [f64::NAN; 3];
    let mut best = Pair { a: 0, b: 0, distance: f64::INFINITY, point_a: nowhere, point_b: nowhere };
    for (i, p) in a.iter().enumerate() {
        for (j, q) in b.iter().enumerate() {
            if gap(p, q) < best.distance {
                let pair = examined(i, p, j, q, origin)?;
                if pair.distance < best.distance {
                    best = pair;
                }
            }
        }
    }
    Ok(best)
}

/// A lower bound of the distance, with room for its rounding.
fn gap(p: &Placed, q: &Placed) -> f64 {
    let (d, r) = (distance(p.centre, q.centre), p.radius + q.radius);
    d - r - 1e-14 * (d + r)
}

fn examined(i: usize, p: &Placed, j: usize, q: &Placed, origin: [f64; 3]) -> Result<Pair> {
    let found = closest_points_one(p.corners, q.corners)?;
    Ok(Pair {
        a: i as u32,
        b: j as u32,
        distance: found.distance,
        point_a: plus(found.point_a, origin),
        point_b: plus(found.point_b, origin),
    })
}

fn plus(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    let d = [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
    (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]).sqrt()
}
