//! Bodies that join and leave, have any position and size, or are invalid.

use dem_core::array::{Array, Words};
use dem_core::contact::shape::Shape;
use dem_core::detect::Bodies;
use dem_core::error::{Kind, What};
use dem_std::{OwnedScene, Threads};
use dem_tests::contact::{at, cuboid};
use dem_tests::crowd::{Crowd, Stock, parts, shapes};
use dem_tests::random::Random;
use dem_tests::shapes::{all, capsule, ground, placed, sphere};

#[test]
fn bodies_come_and_go_and_a_place_that_is_given_away_inherits_nothing() {
    let shapes = [sphere(0.5, 0.05)];
    let mut scene = OwnedScene::new(Threads::new(1).unwrap());
    let mut detect = |positions: &[[f64; 3]], ids: &[u64]| {
        let kinds = vec![0; positions.len()];
        let bodies = Bodies {
            ids: Some(Words::from_slice(ids)),
            ..Bodies::new(&shapes, Words::from_slice(&kinds), Array::from_f64(positions))
        };
        let found = scene.detect(&bodies).unwrap();
        (found.contacts, found.persisting)
    };
    let row = [[0.0; 3], [1.0, 0.0, 0.0], [2.0, 0.0, 0.0], [3.0, 0.0, 0.0]];
    assert_eq!(detect(&[], &[]), (0, 0));
    assert_eq!(detect(&row, &[0, 1, 2, 3]), (3, 0));
    assert_eq!(detect(&row[..3], &[0, 1, 2]), (2, 2));
    assert_eq!(detect(&row, &[0, 1, 2, 3]), (3, 2));
    assert_eq!(detect(&row, &[0, 4, 2, 3]), (3, 1));
    assert_eq!(detect(&row[..1], &[0]), (0, 0));
    assert_eq!(detect(&[], &[]), (0, 0));
}

#[test]
fn there_is_nothing_to_see_before_the_first_step() {
    let scene = OwnedScene::new(Threads::new(1).unwrap());
    assert_eq!(scene.view().err().map(|e| (e.kind, e.what)), Some((Kind::Null, What::Scene)));
}

#[test]
fn senseless_bodies_are_an_error_that_says_which() {
    let stock = Stock::new();
    let surfaces = stock.surfaces();
    let parts = parts(&surfaces);
    let shapes = shapes(&surfaces, &parts);
    let good = Crowd::new(9000, 30.0, 12);
    let mut scene = OwnedScene::new(Threads::new(2).unwrap());
    let nan = f64::NAN;
    type Spoil<'s> = &'s dyn Fn(&mut Crowd);
    let cases: [(Spoil<'_>, Kind, What, u64, u32); 11] = [
        (&|c| c.positions[8000][1] = nan, Kind::NotFinite, What::Positions, 8000, 1),
        (&|c| c.orientations[5000] = [0.0; 4], Kind::OutOfRange, What::Orientations, 5000, 3),
        (&|c| c.orientations[5][2] = f64::INFINITY, Kind::NotFinite, What::Orientations, 5, 2),
        (&|c| c.scales[4096] = 0.0, Kind::OutOfRange, What::Scales, 4096, 0),
        (&|c| c.scales[7] = nan, Kind::NotFinite, What::Scales, 7, 0),
        (&|c| c.halos[8999] = -1.0, Kind::OutOfRange, What::Halos, 8999, 0),
        (&|c| c.kinds[0] = 5, Kind::BadIndex, What::ShapeNumbers, 0, 0),
        (&|c| c.motions[8] = 4, Kind::OutOfRange, What::Motions, 8, 0),
        (&|c| (c.scales[8], c.positions[9][0], c.ids[8]) = (-1.0, nan, 0), Kind::OutOfRange, What::Scales, 8, 0),
        (&|c| _ = c.masks.pop(), Kind::Mismatch, What::Masks, 0, 0),
        (&|c| c.ids[8123] = c.ids[77], Kind::Duplicate, What::Ids, 8123, 0),
    ];
    for (spoil, kind, what, index, component) in cases {
        let mut crowd = good.clone();
        spoil(&mut crowd);
        let e = scene.detect(&crowd.bodies(&shapes, true)).unwrap_err();
        assert_eq!((e.kind, e.what, e.index, e.component), (kind, what, index, component), "{e}");
    }
    let nested = [dem_core::contact::shape::Shape::Compound(&parts)];
    let outer = [dem_tests::shapes::part(nested[0], [0.0; 3])];
    let bad = [sphere(1.0, 0.0), dem_core::contact::shape::Shape::Compound(&outer), sphere(-1.0, 0.0)];
    let at = |n: usize| Bodies::new(&bad[n..], Words::from_slice(&[0]), Array::from_f64(&[[0.0; 3]]));
    for (n, kind, index) in [(0, Kind::Unsupported, 1), (2, Kind::OutOfRange, 0)] {
        let e = scene.detect(&at(n)).unwrap_err();
        assert_eq!((e.kind, e.what, e.index), (kind, What::Shapes, index), "{e}");
    }
}

#[test]
fn a_body_that_is_too_wide_or_has_no_size_is_named_whatever_it_is_found_by() {
    let soup: Vec<_> = {
        let plate = dem_std::generate::plate([2, 2], [50.0, 50.0]).unwrap();
        (0..plate.len()).map(|i| plate.triangle(i)).collect()
    };
    let plate = dem_tests::contact::Body::new(&soup, 0.01);
    let surface = dem_tests::shapes::surface(&plate, false);
    let shapes = [sphere(0.01, 0.0), dem_core::contact::shape::Shape::Mesh(&surface), sphere(1e200, 0.0)];
    let mut random = Random::new(31);
    let mut positions: Vec<_> = (0..100).map(|_| random.in_cube(0.5)).collect();
    positions.push([0.0; 3]);
    let mut kinds = vec![0u32; 101];
    let mut scales = vec![1.0; 101];
    let mut scene = OwnedScene::new(Threads::new(1).unwrap());
    scene.settings.periods = [1.0; 3];
    let mut refused = |kinds: &[u32], scales: &[f64]| {
        let bodies = Bodies {
            scales: Some(Array::from_numbers(scales)),
            ..Bodies::new(&shapes, Words::from_slice(kinds), Array::from_f64(&positions))
        };
        let e = scene.detect(&bodies).unwrap_err();
        (e.kind, e.what, e.index)
    };
    // A huge body: its box fits into 64 periods, its sphere does not.
    kinds[100] = 1;
    assert_eq!(refused(&kinds, &scales), (Kind::OutOfRange, What::Radii, 100));
    // Now its box does not fit, either.
    scales[100] = 2.0;
    assert_eq!(refused(&kinds, &scales), (Kind::OutOfRange, What::Centres, 100));
    (kinds[100], scales[100]) = (2, 1e200);
    assert_eq!(refused(&kinds, &scales), (Kind::NotFinite, What::Scales, 100));
}

#[test]
fn extreme_places_and_sizes_are_no_matter() {
    let shapes = [sphere(1.0, 0.0), sphere(1.0, 0.1)];
    let mut scene = OwnedScene::new(Threads::new(1).unwrap());
    let mut count = |positions: &[[f64; 3]], scales: &[f64]| {
        let kinds: Vec<u32> = (0..positions.len()).map(|i| (i % 2) as u32).collect();
        let bodies = Bodies {
            scales: Some(Array::from_numbers(scales)),
            ..Bodies::new(&shapes, Words::from_slice(&kinds), Array::from_f64(positions))
        };
        scene.detect(&bodies).map(|found| found.contacts)
    };
    // A pebble on a sphere as large as the earth, far from the origin; all in one place; a size ratio of 1e12.
    assert_eq!(count(&[[1e7, 0.0, 0.0], [1e7 - 6.4e6, 0.0, 0.0]], &[6.4e6, 0.01]), Ok(1));
    assert_eq!(count(&[[5.0; 3]; 40], &[1.0; 40]), Ok(40 * 39 / 2));
    assert_eq!(count(&[[0.0; 3], [1e12, 0.0, 0.0], [1e12 + 0.5, 0.0, 0.0]], &[1e12, 1.0, 1.0]), Ok(3));
    assert_eq!(count(&[[1e300; 3], [0.0; 3]], &[1.0; 2]).unwrap_err().kind, Kind::OutOfRange);
}

/// More plates than a fiftieth of all bodies: their spheres hold most of the balls, their boxes some.
#[test]
fn many_plates_among_balls_are_found_by_their_boxes() {
    let halo = 0.01;
    let plate = dem_tests::contact::Body::conservative(&cuboid([100.0, 100.0, 0.5]), halo);
    let surface = dem_tests::shapes::surface(&plate, true);
    let shapes = [sphere(0.2, halo), dem_core::contact::shape::Shape::Mesh(&surface)];
    let mut random = Random::new(41);
    for (balls, plates) in [(2000, 20), (2000, 150), (2000, 250), (9000, 250)] {
        let mut positions: Vec<_> = (0..plates).map(|i| [0.0, 0.0, f64::from(i)]).collect();
        let place = |random: &mut Random| [random.range(-49.0, 49.0), random.range(-49.0, 49.0)];
        positions.extend((0..balls).map(|_| {
            let [x, y] = place(&mut random);
            [x, y, random.range(-0.5, f64::from(plates) - 0.5)]
        }));
        let kinds: Vec<u32> = (0..plates + balls).map(|i| u32::from(i < plates)).collect();
        let motions: Vec<u32> = kinds.iter().map(|kind| 2 * kind).collect();
        let bodies = Bodies {
            motions: Some(Words::from_slice(&motions)),
            ..Bodies::new(&shapes, Words::from_slice(&kinds), Array::from_f64(&positions))
        };
        let mut scene = OwnedScene::new(Threads::new(1).unwrap());
        let found = scene.detect(&bodies).unwrap();
        let pairs = scene.view().unwrap().now().pairs().iter().filter(|pair| pair.a < plates as u32).count();
        let meets = |ball: &[f64; 3], plate: &[f64; 3]| (ball[2] - plate[2]).abs() < 0.25 + 0.2 + 2.0 * halo;
        let (walls, rest) = positions.split_at(plates as usize);
        let expected = rest.iter().map(|ball| walls.iter().filter(|wall| meets(ball, wall)).count()).sum::<usize>();
        assert_eq!(pairs, expected, "{balls} {plates}");
        assert!(found.list.candidates < 4 * balls as usize, "{balls} {plates}: {found:?}");
    }
}

/// One body that is lost far away makes no step test all pairs, nor do some.
#[test]
fn a_body_that_is_lost_costs_nothing() {
    let shapes = [sphere(1.0, 0.01)];
    let (n, mut random) = (4000, Random::new(43));
    let half = 0.8 * f64::from(n).cbrt();
    let near: Vec<_> = (0..n).map(|_| random.in_cube(half)).collect();
    let kinds = vec![0u32; n as usize];
    let step = |positions: &[[f64; 3]]| {
        let mut scene = OwnedScene::new(Threads::new(1).unwrap());
        let bodies = Bodies::new(&shapes, Words::from_slice(&kinds), Array::from_f64(positions));
        let found = scene.detect(&bodies).unwrap();
        let view = scene.view().unwrap();
        let pairs: Vec<_> = view.now().pairs().iter().map(|pair| pair.ids).collect();
        (found, pairs, view.list_grid().tested)
    };
    let (_, all, tested) = step(&near);
    assert!(tested < 100.0, "{tested}");
    for far in [1e15, 1e17, 1e60] {
        for lost in [1, 2, 60] {
            let mut positions = near.clone();
            let is_lost = |i: usize| i.is_multiple_of(n as usize / lost) && i / (n as usize / lost) < lost;
            for i in (0..n as usize).filter(|i| is_lost(*i)) {
                positions[i] = [far, if lost == 2 { 0.0 } else { far * (i + 1) as f64 }, -far];
            }
            let (_, pairs, tested) = step(&positions);
            assert!(tested < 100.0, "{lost} at {far:e}: {tested}");
            let mut expected: Vec<_> =
                all.iter().copied().filter(|ids| !ids.iter().any(|id| is_lost(*id as usize))).collect();
            if lost == 2 {
                // Both are in one place.
                expected.push([0, n as u64 / 2]);
                expected.sort_unstable();
            }
            assert!(pairs == expected, "{lost} at {far:e}: {} {}", pairs.len(), expected.len());
        }
    }
}

/// Capsules and balls whose own halos are wider than those of their shapes: what each pair has by itself, also of a capsule that is huge
/// beside the others.
#[test]
fn halos_of_bodies_reach_as_far_as_they_say() {
    let shapes = [ground(0.01), sphere(0.2, 0.01), capsule(0.3, 0.1, 0.01), capsule(20.0, 0.5, 0.01)];
    let mut random = Random::new(17);
    let n = 300;
    let kinds: Vec<u32> = (0..n)
        .map(|i| {
            if i == 7 {
                0
            } else if i == 9 {
                3
            } else {
                1 + i % 2
            }
        })
        .collect();
    let mut positions: Vec<_> = (0..n).map(|_| random.in_cube(2.5)).collect();
    (positions[7], positions[9]) = ([0.0, 0.0, -2.0], [0.5, 0.0, 0.0]);
    let turns: Vec<_> = (0..n).map(|i| if i == 7 { [0.0, 0.0, 0.0, 1.0] } else { random.rotation() }).collect();
    let halos: Vec<_> = (0..n).map(|_| random.range(0.0, 0.3)).collect();
    let scales: Vec<_> = (0..n).map(|i| if i == 7 { 1.0 } else { random.range(0.5, 1.5) }).collect();
    let bodies = Bodies {
        orientations: Some(Array::from_quaternions(&turns)),
        halos: Some(Array::from_numbers(&halos)),
        scales: Some(Array::from_numbers(&scales)),
        ..Bodies::new(&shapes, Words::from_slice(&kinds), Array::from_f64(&positions))
    };
    let poses: Vec<_> = positions.iter().zip(&turns).map(|(p, q)| at(*p, *q)).collect();
    let body = |i: usize| {
        let shape = match shapes[kinds[i] as usize] {
            Shape::Sphere { radius, .. } => Shape::Sphere { radius: radius * scales[i], halo: halos[i] },
            Shape::Capsule { half_length, radius, .. } => {
                Shape::Capsule { half_length: half_length * scales[i], radius: radius * scales[i], halo: halos[i] }
            }
            _ => Shape::HalfSpace { halo: halos[i] },
        };
        placed(shape, &poses[i])
    };
    let pairs = (0..n as usize).flat_map(|j| (0..j).map(move |i| [i, j]));
    let right: Vec<_> = pairs.filter(|[i, j]| !all(&body(*i), &body(*j)).0.is_empty()).collect();
    let mut scene = OwnedScene::new(Threads::new(1).unwrap());
    scene.detect(&bodies).unwrap();
    let mut found: Vec<_> = scene.view().unwrap().now().pairs().iter().map(|p| [p.a as usize, p.b as usize]).collect();
    found.iter_mut().for_each(|pair| pair.sort_unstable());
    found.sort_unstable_by_key(|[i, j]| [*j, *i]);
    assert_eq!(found, right);
    let of = |body: usize| right.iter().filter(|pair| pair.contains(&body)).count();
    assert!(right.len() > 500 && of(7) > 10 && of(9) > 50, "{} {} {}", right.len(), of(7), of(9));
}

/// Balls on two planes, in a cube that is filled so densely that some are deep in each other.
#[test]
fn what_bodies_do_not_say_is_what_they_would_say_by_default() {
    let shapes = [ground(0.03), sphere(0.5, 0.02), sphere(0.2, 0.0)];
    let mut random = Random::new(5);
    for balls in [3, 12, 700] {
        let side = 0.7 * f64::from(balls).cbrt();
        let kinds: Vec<u32> = (0..balls + 2).map(|i| if i % (balls + 1) == 0 { 0 } else { 1 + i % 2 }).collect();
        let place = |kind: &u32| if *kind == 0 { [0.0, 0.0, -0.4 * side] } else { random.in_cube(0.5 * side) };
        let positions: Vec<_> = kinds.iter().map(place).collect();
        let short = Bodies::new(&shapes, Words::from_slice(&kinds), Array::from_f64(&positions));
        let (n, mut turned) = (kinds.len(), vec![[0.0, 0.0, 0.0, 1.0]; kinds.len()]);
        let (ones, none, all) = (vec![1.0; n], vec![0; n], vec![u32::MAX; n]);
        // One of the planes is turned: not in what is compared first.
        for tilt in [0.0, 0.3] {
            turned[0] = [tilt, 0.0, 0.0, 1.0];
            let some = Bodies { orientations: Some(Array::from_quaternions(&turned)), ..short };
            let long = Bodies {
                scales: Some(Array::from_numbers(&ones)),
                motions: Some(Words::from_slice(&none)),
                groups: Some(Words::from_slice(&all)),
                masks: Some(Words::from_slice(&all)),
                ..some
            };
            let found = |bodies: &Bodies<'_>| {
                let mut scene = OwnedScene::new(Threads::new(1).unwrap());
                let found = scene.detect(bodies).unwrap();
                let view = scene.view().unwrap();
                let contacts = view.now().contacts().iter().map(|c| format!("{c:?}")).collect::<Vec<_>>();
                (found, contacts, view.now().pairs().to_vec(), view.all_touches().to_vec(), view.committed_hash())
            };
            let expected = found(&long);
            assert!(found(if tilt == 0.0 { &short } else { &some }) == expected, "{balls} balls, tilt {tilt}");
            assert!(expected.0.contacts > balls as usize / 2);
        }
    }
}
