//! Faces that pass through each other: the measure ends where the loop begins, and nothing counts twice or not at all.

use std::f64::consts::TAU;

use dem_core::pose::Pose;
use dem_tests::Triangle;
use dem_tests::cases;
use dem_tests::contact::{Body, at, cuboid, wrench_of};

const HALO: f64 = 0.01;

/// A prism of height 1 about z with a regular base of radius 1; its caps are fans about a corner, or about their middle.
fn prism(sides: usize, about_middle: bool) -> Vec<Triangle> {
    let rim = |k: usize, z: f64| {
        let angle = (k % sides) as f64 / sides as f64 * TAU;
        [angle.cos(), angle.sin(), z]
    };
    let side = |k: usize| {
        let [a, b, c, d] = [rim(k, -0.5), rim(k + 1, -0.5), rim(k + 1, 0.5), rim(k, 0.5)];
        [[a, b, c], [a, c, d]]
    };
    let cap = |k: usize| {
        let from = |z: f64| if about_middle { [0.0, 0.0, z] } else { rim(0, z) };
        [[from(0.5), rim(k, 0.5), rim(k + 1, 0.5)], [from(-0.5), rim(k + 1, -0.5), rim(k, -0.5)]]
    };
    let spokes = if about_middle { 0..sides } else { 1..sides - 1 };
    (0..sides).flat_map(side).chain(spokes.flat_map(cap)).collect()
}

/// A band of triangles between caps of different size, one of them turned by `twist` sides: up to three side planes and a cap at each vertex.
fn frustum(sides: usize, twist: f64, top: f64) -> Vec<Triangle> {
    let rim = |k: usize, z: f64| {
        let (by, radius) = if z > 0.0 { (twist, top) } else { (0.0, 1.0) };
        let angle = ((k % sides) as f64 + by) / sides as f64 * TAU;
        [radius * angle.cos(), radius * angle.sin(), z]
    };
    let band = |k: usize| {
        let [a, b, c, d] = [rim(k, -0.5), rim(k + 1, -0.5), rim(k + 1, 0.5), rim(k, 0.5)];
        [[a, b, d], [b, c, d]]
    };
    let cap = |k: usize| [[rim(0, 0.5), rim(k, 0.5), rim(k + 1, 0.5)], [rim(0, -0.5), rim(k + 1, -0.5), rim(k, -0.5)]];
    (0..sides).flat_map(band).chain((1..sides - 1).flat_map(cap)).collect()
}

/// A body on another one, in steps of a fifth of the way that faces move: nowhere more than 1 % off.
fn pass(name: &str, upper: &[Triangle], lower: &[Triangle], height: f64, size: f64) {
    let (upper, lower) = (Body::new(upper, HALO), Body::new(lower, HALO));
    let force = |z: f64| {
        let pose = at([0.0, 0.0, height + z * size], [0.0, 0.0, 0.0, 1.0]);
        wrench_of(&upper, &pose, &lower, &Pose::IDENTITY, pose.position).force
    };
    let outside = force(1e-10)[2];
    assert!(outside > 0.05, "{name}: {outside}");
    for k in -125..=50 {
        let z = 4e-13 * f64::from(k);
        let now = force(z)[2];
        assert!((now / outside - 1.0).abs() < 0.01, "{name}, {z:e}: {now} and not {outside}");
    }
}

#[test]
fn flat_caps_pass_through_each_other_without_a_step() {
    for sides in cases(&[3, 4, 5, 6][..], &[3, 4, 5, 6, 60]) {
        let body = prism(*sides, false);
        pass(&format!("{sides} sides"), &body, &body, 1.0, 2.0);
    }
    let plate = cuboid([10.0, 10.0, 1.0]);
    pass("6 sides on a box", &prism(6, false), &plate, 1.0, 7.0);
    pass("a box on 6 sides", &plate, &prism(6, false), 1.0, 7.0);
}

#[test]
fn caps_of_frustums_pass_through_each_other_without_a_step() {
    for (sides, twist, top) in [(3, 0.0, 4.0), (6, 0.0, 0.2), (5, 0.5, 1.0), (40, 0.5, 1.0), (12, 0.5, 0.7)] {
        let body = frustum(sides, twist, top);
        let name = format!("{sides} sides, {twist}, {top}");
        pass(&name, &body, &body, 1.0, 2.0 * top.max(1.0));
        pass(&name, &body, &cuboid([10.0, 10.0, 1.0]), 1.0, 7.0);
    }
}

#[test]
fn the_middle_of_a_fan_moves_with_its_cap() {
    for sides in cases(&[6][..], &[6, 80]) {
        let body = prism(*sides, true);
        pass(&format!("{sides} slices"), &body, &body, 1.0, 2.0);
    }
    pass("80 slices on a box", &prism(80, true), &cuboid([10.0, 10.0, 1.0]), 1.0, 7.0);
}
