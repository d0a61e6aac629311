//! Walls in scenes: wide, crossed, and by the thousand, among bodies that are much smaller.

use dem_core::array::{Array, Words};
use dem_core::detect::Bodies;
use dem_std::{OwnedScene, Threads};
use dem_tests::random::Random;
use dem_tests::shapes::sphere;
use dem_tests::vector::{add, length, rotate, sub};

#[test]
fn a_plate_in_a_heap_meets_what_is_near_it_and_not_all_that_its_sphere_holds() {
    let soup: Vec<_> = {
        let plate = dem_std::generate::plate([8, 8], [20.0, 20.0]).unwrap();
        (0..plate.len()).map(|i| plate.triangle(i)).collect()
    };
    let plate = dem_tests::contact::Body::new(&soup, 0.02);
    let surface = dem_tests::shapes::surface(&plate, false);
    let shapes = [sphere(0.1, 0.01), dem_core::contact::shape::Shape::Mesh(&surface)];
    let mut random = Random::new(21);
    let mut positions = vec![[0.0; 3]; 3];
    // Grains all around two crossed plates, and one that lies in a third one's plane.
    positions.extend((0..4000).map(|_| random.in_cube(9.0)));
    let mut orientations = vec![[0.0, 0.0, 0.0, 1.0]; positions.len()];
    orientations[1] = [0.6, 0.0, 0.0, 0.8];
    positions[2] = [0.3, 0.2, 0.0];
    let kinds: Vec<u32> = (0..positions.len()).map(|i| u32::from(i < 3)).collect();
    let bodies = Bodies {
        orientations: Some(Array::from_quaternions(&orientations)),
        ..Bodies::new(&shapes, Words::from_slice(&kinds), Array::from_f64(&positions))
    };
    let mut scene = OwnedScene::new(Threads::new(1).unwrap());
    let found = scene.detect(&bodies).unwrap();
    // By spheres each plate would meet nearly all grains. A plate that is turned has a box that is not thin.
    assert!(found.candidates < 7000, "{found:?}");
    let touching = |i: usize, plate: usize| {
        let p = dem_tests::vector::sub(positions[i], positions[plate]);
        let turn = orientations[plate];
        let back = [-turn[0], -turn[1], -turn[2], turn[3]];
        let local = dem_tests::vector::rotate(back, p);
        local[2].abs() < 0.13 && local[0].abs() < 9.8 && local[1].abs() < 9.8
    };
    let expected = (3..positions.len()).map(|i| (0..3).filter(|plate| touching(i, *plate)).count()).sum::<usize>();
    let view = scene.view().unwrap();
    let with_grains = view.now().pairs().iter().filter(|c| c.a < 3 && c.b >= 3 && c.end > c.first).count();
    assert!(expected > 50 && with_grains >= expected, "{with_grains} of {expected}");
}

#[test]
fn a_wide_floor_keeps_its_springs_across_half_the_period() {
    // A floor as wide as the period, whose origin is at its edge, and a ball that slides over its middle.
    let soup: Vec<_> = {
        let plate = dem_std::generate::plate([5, 2], [10.0, 4.0]).unwrap();
        (0..plate.len()).map(|i| plate.triangle(i).map(|v| add(v, [5.0, 0.0, 0.0]))).collect()
    };
    let floor = dem_tests::contact::Body::new(&soup, 0.02);
    let surface = dem_tests::shapes::surface(&floor, false);
    let shapes = [dem_core::contact::shape::Shape::Mesh(&surface), sphere(0.3, 0.02)];
    let mut scene = OwnedScene::new(Threads::new(1).unwrap());
    (scene.settings.periods, scene.settings.bound) = ([10.0, 0.0, 0.0], 0.1);
    let middle = (soup.iter().flatten().map(|v| v[0]).fold(f64::INFINITY, f64::min)
        + soup.iter().flatten().map(|v| v[0]).fold(f64::NEG_INFINITY, f64::max))
        / 2.0;
    for step in 0..40 {
        let x = middle - 0.1 + 0.005 * f64::from(step);
        let positions = [[0.0; 3], [x + if step % 2 == 0 { 10.0 } else { 0.0 }, 0.1, 0.31]];
        let bodies = Bodies::new(&shapes, Words::from_slice(&[0, 1]), Array::from_f64(&positions));
        let found = scene.detect(&bodies).unwrap();
        assert!(found.contacts == 1 && (step == 0 || found.persisting == 1), "step {step}: {found:?}");
    }
}

/// Plates that stand and lie everywhere, through each other, all static, and balls among them: pairs are those of plain distances, and few
/// of the two million pairs are looked at.
#[test]
fn a_thousand_walls_meet_what_is_near_them() {
    let soup: Vec<_> = {
        let plate = dem_std::generate::plate([2, 2], [6.0, 4.0]).unwrap();
        (0..plate.len()).map(|i| plate.triangle(i)).collect()
    };
    let plate = dem_tests::contact::Body::new(&soup, 0.02);
    let surface = dem_tests::shapes::surface(&plate, false);
    let shapes = [sphere(0.1, 0.01), dem_core::contact::shape::Shape::Mesh(&surface)];
    const BALLS: usize = 2000;
    let mut random = Random::new(41);
    let positions: Vec<_> = (0..BALLS + 1000).map(|_| random.in_cube(10.0)).collect();
    let orientations: Vec<_> = positions.iter().map(|_| random.rotation()).collect();
    let kinds: Vec<u32> = (0..positions.len()).map(|i| u32::from(i >= BALLS)).collect();
    let motions: Vec<u32> = kinds.iter().map(|kind| 2 * kind).collect();
    let bodies = Bodies {
        orientations: Some(Array::from_quaternions(&orientations)),
        motions: Some(Words::from_slice(&motions)),
        ..Bodies::new(&shapes, Words::from_slice(&kinds), Array::from_f64(&positions))
    };
    // A plate is felt from both sides where a ball's surface has not passed it.
    let near = |a: usize, b: usize| {
        let apart = sub(positions[a], positions[b]);
        if b < BALLS {
            return length(apart) <= 0.22;
        }
        let [x, y, z, w] = orientations[b];
        let [x, y, z] = rotate([-x, -y, -z, w], apart);
        length([(x.abs() - 3.0).max(0.0), (y.abs() - 2.0).max(0.0), z]) <= 0.13
    };
    let pairs = (0..BALLS).flat_map(|a| (a + 1..positions.len()).map(move |b| (a, b)));
    let expected: Vec<_> = pairs.filter(|(a, b)| near(*a, *b)).collect();
    assert!(expected.len() > 1000, "{}", expected.len());
    for (threads, skin) in [(1, 0.0), (3, 0.0), (2, 0.1)] {
        let mut scene = OwnedScene::new(Threads::new(threads).unwrap());
        scene.settings.skin = skin;
        let found = scene.detect(&bodies).unwrap();
        let view = scene.view().unwrap();
        let pairs: Vec<_> = view.now().pairs().iter().map(|c| (c.a as usize, c.b as usize)).collect();
        assert!(pairs == expected, "{threads} threads, skin {skin}");
        assert!(found.candidates < 50_000, "{found:?}");
    }
}
