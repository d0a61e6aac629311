//! Both algorithms for the cone of a vertex give the same cone.

extern crate std;

use std::vec;
use std::vec::Vec;

use glam::DVec3;

use super::Corners;
use crate::mesh::NONE;

/// Numbers from -1 to 1.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    fn way(&mut self) -> DVec3 {
        DVec3::new(self.next(), self.next(), self.next())
    }
}

fn unit(v: DVec3) -> DVec3 {
    crate::contact::unit(v).map_or(DVec3::ZERO, |(unit, _)| unit)
}

/// The corners, by cutting with one edge after the other or by angle, each with the edge that leads to it.
fn corners(edges: &[DVec3], by_angle: bool) -> Vec<(DVec3, u32)> {
    let room = edges.len() + 4;
    let (mut from, mut to, mut edge) = (vec![[0.0; 3]; room], vec![[0.0; 3]; room], vec![7; room]);
    let mut corners = Corners::new(&mut from, &mut to, &mut edge);
    match by_angle {
        true => corners.polar_of_many(|i| edges[i], &mut vec![[0; 2]; edges.len()]),
        false => corners.polar(edges.iter().copied()),
    }
    corners.with_edges().collect()
}

/// Distance of a direction from the sector between two others.
fn off(p: DVec3, q: DVec3, r: DVec3) -> f64 {
    let nu = unit(q.cross(r));
    let between = nu.cross(q).dot(p) >= 0.0 && r.cross(nu).dot(p) >= 0.0;
    if between { nu.dot(p).abs() } else { (p - q).length().min((p - r).length()) }
}

/// Largest distance of a corner of one cone from the outline of another. Cuts one by one may leave corners in the middle of a side.
fn far(from: &[(DVec3, u32)], to: &[(DVec3, u32)]) -> f64 {
    let sides = || to.iter().zip(to.iter().cycle().skip(1));
    let nearest = |p: DVec3| sides().fold(f64::INFINITY, |m, ((q, _), (r, _))| m.min(off(p, *q, *r)));
    from.iter().fold(0.0f64, |m, (p, _)| m.max(nearest(*p)))
}

fn agree(edges: &[DVec3], close: f64) -> usize {
    let (plain, by_angle) = (corners(edges, false), corners(edges, true));
    let error = far(&plain, &by_angle).max(far(&by_angle, &plain));
    assert!(error < close, "{error}: {} and {} corners of {} edges", plain.len(), by_angle.len(), edges.len());
    for (k, (corner, edge)) in by_angle.iter().enumerate().filter(|(_, (_, edge))| *edge != NONE) {
        let before = by_angle[(k + by_angle.len() - 1) % by_angle.len()].0;
        let d = edges[*edge as usize];
        assert!(d.dot(*corner).abs().max(d.dot(before).abs()) < close, "corner {k} is not of edge {edge}");
    }
    by_angle.len()
}

#[test]
fn cutting_by_angle_gives_the_cone_of_cutting_one_by_one() {
    let mut random = Numbers(1);
    let mut seen = [0; 3];
    for round in 0..3_000 {
        let axis = unit(random.way());
        let number = 3 + round % 90;
        // Pointed, blunt and hollow vertices, nearly flat ones, saddles, and edges twice.
        let lift = [2.0, 0.5, 0.0, -0.4, 0.01, 1e-4][round % 6];
        let mut edges: Vec<DVec3> = (0..number).map(|_| unit(unit(random.way()) - axis * lift)).collect();
        if round % 5 == 0 {
            edges.extend_from_within(..number / 2);
        }
        let count = agree(&edges, 1e-9);
        seen[match count {
            0 => 0,
            1..=6 => 1,
            _ => 2,
        }] += 1;
    }
    assert!(seen.iter().all(|n| *n > 100), "{seen:?}");
}

#[test]
fn each_edge_of_a_round_vertex_has_a_corner_in_any_order() {
    let ring = |number: usize, slope: f64, step: usize| -> Vec<DVec3> {
        let turn = |i: usize| core::f64::consts::TAU * (i * step % number) as f64 / number as f64;
        (0..number).map(|i| unit(DVec3::new(libm::cos(turn(i)), libm::sin(turn(i)), -slope))).collect()
    };
    for slope in [1e-3, 0.3, 1.0, 50.0] {
        for step in [1, 7, 400] {
            assert_eq!(agree(&ring(401, slope, step), 1e-9), 401, "{slope} {step}");
        }
    }
    assert_eq!(corners(&ring(100_003, 0.5, 12_345), true).len(), 100_003);
}
