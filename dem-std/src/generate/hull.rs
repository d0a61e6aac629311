//! Convex hulls with exact predicates: the incremental algorithm, points in their order.
//!
//! A new point sees a face when it lies on the face's outer side or in its plane (exact sign, `robust`). A point on the
//! outer side of no face is inside or on the surface, and is skipped. Otherwise all faces that the point sees are
//! removed, and the hole is closed by triangles from its rim to the point. Faces in whose plane the point lies are
//! removed, too, so that no rim edge is in line with the point. So every triangle has an area, and only true corners
//! remain, also for coplanar and collinear points.

use super::check_count;
use crate::Triangles;
use crate::random::SplitMix64;
use dem_core::error::{Error, Kind, Result, What};
use robust::{Coord, Coord3D, orient2d, orient3d};
use std::collections::BTreeMap;

/// The convex hull of points: vertices are the input's true corners in input order, triangles are oriented outwards.
///
/// Points in a plane of three others are not corners unless the hull needs them. Cost: points times triangles of the
/// hull. Errors: [`Kind::NotFinite`] with point and component; [`Kind::OutOfRange`] where all points lie in one plane,
/// or a coordinate exceeds 1e90 (its cube must not overflow, so that the predicates are exact).
pub fn hull(points: &[[f64; 3]]) -> Result<Triangles> {
    check_count(2 * points.len() as u64)?;
    for (i, p) in points.iter().enumerate() {
        if let Some(c) = p.iter().position(|x| x.is_nan() || x.abs() > 1e90) {
            let kind = if p[c].is_finite() { Kind::OutOfRange } else { Kind::NotFinite };
            return Err(Error::new(kind, What::Points).at(i as u64, c as u32));
        }
    }
    let Some(start) = first_tetrahedron(points) else {
        return Err(Error::new(Kind::OutOfRange, What::Points));
    };
    let mut faces = start.to_vec();
    for p in 0..points.len() as u32 {
        add(points, &mut faces, p);
    }
    Ok(compact(points, &faces))
}

/// The hull of `n` random points on the unit sphere, all of which are corners: 2 n - 4 triangles (P0: 8, 20, 72 and 614
/// points give 12, 36, 140 and 1,224).
///
/// Errors: [`Kind::OutOfRange`] for fewer than 4 points.
pub fn hull_sphere(n: u32, seed: u64) -> Result<Triangles> {
    if n < 4 {
        return Err(Error::new(Kind::OutOfRange, What::Points).amounts(4, n as u64));
    }
    let mut random = SplitMix64::new(seed);
    hull(&(0..n).map(|_| random.direction()).collect::<Vec<_>>())
}

/// Positive where `p` lies on the outer side of a face (counter-clockwise from outside), zero in its plane.
fn outside(points: &[[f64; 3]], face: [u32; 3], p: u32) -> f64 {
    let at = |i: u32| {
        let [x, y, z] = points[i as usize];
        Coord3D { x, y, z }
    };
    // `orient3d` is positive below a counter-clockwise triangle.
    -orient3d(at(face[0]), at(face[1]), at(face[2]), at(p))
}

/// An exact test: three points are on a line if all three projections are.
fn collinear(a: [f64; 3], b: [f64; 3], c: [f64; 3]) -> bool {
    [(0, 1), (1, 2), (2, 0)].into_iter().all(|(i, j)| {
        let on = |p: [f64; 3]| Coord { x: p[i], y: p[j] };
        orient2d(on(a), on(b), on(c)) == 0.0
    })
}

/// Faces of the first four points that do not lie in one plane; `None` if there are none.
fn first_tetrahedron(points: &[[f64; 3]]) -> Option<[[u32; 3]; 4]> {
    let a = *points.first()?;
    let second = points.iter().position(|&b| b != a)?;
    let third = points.iter().position(|&c| !collinear(a, points[second], c))?;
    let base = [0, second as u32, third as u32];
    let fourth = (0..points.len() as u32).find(|&d| outside(points, base, d) != 0.0)?;
    let [a, b, c] = if outside(points, base, fourth) > 0.0 { [base[0], base[2], base[1]] } else { base };
    Some([[a, b, c], [a, fourth, b], [b, fourth, c], [c, fourth, a]])
}

fn add(points: &[[f64; 3]], faces: &mut Vec<[u32; 3]>, p: u32) {
    let sides: Vec<f64> = faces.iter().map(|&f| outside(points, f, p)).collect();
    if !sides.iter().any(|&s| s > 0.0) {
        return;
    }
    // Edges of the removed faces; edges without their reverse are the rim.
    let mut edges = BTreeMap::new();
    for (order, f) in faces.iter().zip(&sides).filter(|(_, s)| **s >= 0.0).map(|(f, _)| f).enumerate() {
        for k in 0..3 {
            edges.insert((f[k], f[(k + 1) % 3]), 3 * order + k);
        }
    }
    let mut rim: Vec<_> = edges.iter().filter(|((a, b), _)| !edges.contains_key(&(*b, *a))).collect();
    rim.sort_by_key(|(_, order)| **order);
    let new: Vec<[u32; 3]> = rim.into_iter().map(|(&(a, b), _)| [a, b, p]).collect();
    let mut sides = sides.iter();
    faces.retain(|_| sides.next().is_some_and(|s| *s < 0.0));
    faces.extend(new);
}

/// Removes points that are not corners.
fn compact(points: &[[f64; 3]], faces: &[[u32; 3]]) -> Triangles {
    let mut new_id: BTreeMap<u32, u32> = faces.as_flattened().iter().map(|&v| (v, 0)).collect();
    let mut vertices = Vec::with_capacity(new_id.len());
    for (old, new) in &mut new_id {
        *new = vertices.len() as u32;
        vertices.push(points[*old as usize]);
    }
    let indices = faces.iter().map(|f| f.map(|v| new_id.get(&v).copied().unwrap_or(0))).collect();
    Triangles { vertices, indices }
}
