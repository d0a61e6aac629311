//! The search for triangles near a body, compared with a pass over all of them, and the number of boxes that it tests.

extern crate std;

use core::cell::Cell;
use std::vec::Vec;

use super::*;
use crate::array::{Array, Scalar};
use crate::mesh::Halo;
use crate::narrow::tests::{Body as Wall, bumpy, pose};
use crate::surrogate::Options;
use crate::triangle::tests::Random;

/// The box of the velocities of all triangles that meet the ball, by a pass over all triangles.
fn by_all(surface: &MovingSurface<'_>, body: &Pose, passing: &Passing) -> (VertexMotion, usize) {
    let frame = surface.placed_at(body).and_then(|pose| pose.transform(What::Pose)).expect("pose");
    let (mesh, factor) = (&surface.mesh, surface.scale);
    let centre = scale(frame.apply_back(passing.centre), 1.0 / factor);
    let reach = passing.reach / factor + mesh.largest_halo();
    let (mut found, mut number) = (VertexMotion::NONE, 0);
    for (i, vertices) in mesh.vertex.iter().enumerate() {
        let [a, b, c] = mesh.triangle(i);
        let away = [0, 1, 2].map(|k| {
            let (low, high) = (min(a[k], min(b[k], c[k])), max(a[k], max(b[k], c[k])));
            max(max(low - centre[k], centre[k] - high), 0.0)
        });
        if dot(away, away) <= reach * reach {
            number += 1;
            vertices
                .iter()
                .for_each(|v| found.include(frame.rotate(scale(surface.velocities.get(*v as usize), factor))));
        }
    }
    (found.or_nothing(), number)
}

#[test]
fn vertices_that_a_body_may_meet_are_those_of_a_pass_over_all_triangles() {
    let mut random = Random(5);
    let (mut none, mut some, mut all) = (0, 0, 0);
    for case in 0..24_u32 {
        let corners = bumpy(&mut random, 2 + case as usize % 7, 1.0, case % 3 == 0);
        let halos: Vec<f64> = (0..corners.len() / 3).map(|_| 0.05 * random.next()).collect();
        let halo = if case % 2 == 0 { Halo::Each(Array::from_numbers(&halos)) } else { Halo::Uniform(0.02) };
        let scalar = if case % 4 < 2 { Scalar::F32 } else { Scalar::F64 };
        let (fan_out, leaf) = [(4, 4), (2, 1), (3, 2), (64, 64), (5, 9)][case as usize % 5];
        let wall = Wall::with_tree(&corners, halo, scalar, &Options { fan_out, leaf, ..Options::default() });
        let velocities: Vec<[f64; 3]> = corners.iter().map(|_| [0; 3].map(|_| random.next() - 0.5)).collect();
        for _ in 0..200 {
            let far = if case % 8 == 7 { 1e6 } else { 1.0 };
            let position = [0; 3].map(|_| far * (random.next() - 0.5));
            let body = pose(&mut random, position);
            let position = [0; 3].map(|_| random.next() - 0.5);
            let frame = if case % 5 == 0 { Pose::IDENTITY } else { pose(&mut random, position) };
            let factor = 0.2 + 3.0 * random.next();
            let velocities = Array::from_f64(&velocities);
            let (mesh, tree) = (wall.mesh, wall.tree);
            let surface = MovingSurface { body: 0, mesh, tree, frame, scale: factor, velocities };
            let place = surface.placed_at(&body).expect("pose").position;
            let centre = [0, 1, 2].map(|k| place[k] + factor * 3.0 * (random.next() - 0.5));
            let passing = Passing { centre, reach: factor * 3.0 * random.next() * random.next() };
            let (expected, number) = by_all(&surface, &body, &passing);
            assert_eq!(of_near_part(&surface, &body, &passing), Ok(expected), "{case}");
            match number {
                0 => none += 1,
                n if n == mesh.len() => all += 1,
                _ => some += 1,
            }
        }
    }
    assert!(none > 100 && some > 2000 && all > 5, "{none} {some} {all}");
}

/// Number of boxes tested for grains beside each other on a belt of `2 side^2` triangles, each of half the width of a square.
fn boxes(side: usize, grains: usize) -> usize {
    let mut corners = Vec::new();
    for k in 0..side * side {
        let at = |i: usize, j: usize| [(k % side + i) as f64, (k / side + j) as f64, 0.0];
        corners.extend([at(0, 0), at(1, 0), at(1, 1), at(0, 0), at(1, 1), at(0, 1)]);
    }
    let belt = Wall::new(&corners, Halo::Uniform(0.01), Scalar::F64);
    let (pose, looked, near) = (Pose::IDENTITY, Cell::new(0), Cell::new(0));
    let row = (grains as f64).sqrt();
    for i in 0..grains {
        let at = |x: f64| side as f64 * (x + 0.5) / row;
        let centre = [at(i as f64 % row), at((i as f64 / row).floor()), 0.25];
        let ball = Passing { centre, reach: 0.3 };
        let meets = |low, high| {
            looked.set(looked.get() + 1);
            ball.meets(low, high)
        };
        with_boxes(&belt.at(&pose), meets, |_| near.set(near.get() + 1)).expect("tree");
    }
    assert!(near.get() >= grains);
    looked.get()
}

#[test]
fn boxes_for_grains_on_a_belt_are_few_and_grow_with_the_logarithm_of_its_triangles() {
    let grains = 10_000;
    // 242, 968, 3,872 and 15,488 triangles.
    let each = [11, 22, 44, 88].map(|side| boxes(side, grains) as f64 / grains as f64);
    assert!(each[1] < 80.0, "{each:?}");
    // One more level for four times as many triangles: four nodes of each of a few clusters.
    each.windows(2).for_each(|few| assert!(few[1] - few[0] < 20.0, "{each:?}"));
}
