//! Closed meshes that look inward: rooms, which have the law of volumes without a doubt, and bodies that are turned inside out, which draw nothing unless they say so.

use dem_core::contact::regions::Grouping;
use dem_core::contact::shape::{Placed, Shape};
use dem_core::contact::{CellOptions, Contact, Law, status};
use dem_core::pose::Pose;
use dem_core::simd::Isa;
use dem_std::generate;
use dem_tests::bad::{FLAGS, boxed};
use dem_tests::contact::{Body, all_contacts, at, carried, cuboid, ell, soup, wrench};
use dem_tests::deep::{ball, moved, sized, turn, turned_over};
use dem_tests::query::{nearest, operand};
use dem_tests::random::Random;
use dem_tests::scene::posed;
use dem_tests::shapes::{all, capsule, ground, grouped, placed, sphere, surface};
use dem_tests::vector::{add, length, scale};
use dem_tests::{Triangle, cases, data};

/// Halo of each body.
const HALO: f64 = 0.04;

/// The sum of both.
const T: f64 = 2.0 * HALO;

/// An uneven rock of the size 2 or so.
fn rock(level: u32, seed: u64) -> Vec<Triangle> {
    soup(&generate::bumpy(generate::icosphere(level).unwrap(), 1.5, seed).unwrap())
}

/// A scanned bunny of about this size, about the origin.
fn bunny(size: f64) -> Vec<Triangle> {
    let mesh = data::mesh("scenes/bunny.stl");
    let [low, high] = boxed(&mesh);
    let middle = [0, 1, 2].map(|k| -0.5 * (low[k] + high[k]));
    let whole = (0..3).map(|k| high[k] - low[k]).fold(0.0, f64::max);
    sized(&moved(&mesh, middle), size / whole)
}

/// A closed surface between rings about the z axis, from the lowest up, with a fan at both ends. `ring` gives radius and height at an angle.
fn lathe(rings: usize, sides: usize, ring: impl Fn(usize, usize) -> [f64; 2]) -> Vec<Triangle> {
    let point = |i: usize, k: usize| {
        let [r, z] = ring(i, k % sides);
        let (sine, cosine) = ((k % sides) as f64 / sides as f64 * std::f64::consts::TAU).sin_cos();
        [r * cosine, r * sine, z]
    };
    let [low, high] = [0, rings - 1].map(|i| [0.0, 0.0, ring(i, 0)[1]]);
    let mut mesh = Vec::new();
    for k in 0..sides {
        mesh.push([low, point(0, k + 1), point(0, k)]);
        mesh.push([high, point(rings - 1, k), point(rings - 1, k + 1)]);
        for i in 1..rings {
            let [a, b, c, d] = [point(i - 1, k), point(i - 1, k + 1), point(i, k + 1), point(i, k)];
            mesh.extend([[a, b, c], [a, c, d]]);
        }
    }
    mesh
}

/// A drum with lifters that become as thin as a knife.
fn drum(lifters: usize, deep: f64) -> Vec<Triangle> {
    let n = 6 * lifters;
    lathe(2, n, |i, k| [if k % 6 == 0 { 2.4 - deep } else { 2.4 }, [-1.5, 1.5][i]])
}

/// Rooms about the origin, in which a body of the size 1 has room.
fn rooms() -> Vec<(&'static str, Vec<Triangle>)> {
    let dome = lathe(5, 20, |i, _| {
        let (sine, cosine) = (0.3 * i as f64).sin_cos();
        [2.5 * cosine, 3.0 * sine - 1.0]
    });
    let stepped = lathe(4, 4, |i, _| [[2.0, 2.0, 3.2, 3.2][i], [-2.0, -0.7, -0.7, 2.0][i]]);
    [
        ("box", cuboid([3.0, 2.6, 2.2])),
        ("low box", cuboid([4.0, 4.0, 1.5])),
        ("drum", lathe(2, 32, |i, _| [2.0, [-1.2, 1.2][i]])),
        ("drum with lifters", drum(8, 0.35)),
        ("drum with knives", drum(3, 0.8)),
        ("hopper", lathe(3, 24, |i, _| [[0.8, 2.5, 2.5][i], [-2.0, 0.3, 2.0][i]])),
        ("dome", dome),
        ("ball", sized(&ball(3), 2.2)),
        ("cave", sized(&rock(2, 5), 3.0)),
        ("L", moved(&sized(&ell(), 3.0), [0.9, 0.9, 0.0])),
        ("step", stepped),
        ("bunny", moved(&bunny(9.0), [-0.8, 1.6, -0.8])),
        ("two silos", [cuboid([3.0, 2.6, 2.2]), moved(&cuboid([3.0; 3]), [9.0, 0.0, 0.0])].concat()),
    ]
    .map(|(name, mesh)| (name, turned_over(&mesh)))
    .into()
}

/// Bodies of the size 1 or less: a wedge like a knife and one of two parts are among them.
fn things() -> Vec<(&'static str, Vec<Triangle>)> {
    let knife = [[-0.5, 0.0, -0.4], [-0.5, -0.07, 0.4], [-0.5, 0.07, 0.4]];
    let side = knife.map(|[x, y, z]| [-x, y, z]);
    let quad = |a, b, c, d| [[a, b, c], [a, c, d]];
    let ([a, b, c], [d, e, f]) = (knife, side);
    let blade = [vec![[a, c, b], [d, e, f]], quad(a, b, e, d).into(), quad(b, c, f, e).into(), quad(c, a, d, f).into()];
    vec![
        ("cube", cuboid([0.7; 3])),
        ("slab", cuboid([0.9, 0.6, 0.34])),
        ("rock", sized(&rock(1, 3), 0.4)),
        ("fine rock", sized(&rock(2, 8), 0.4)),
        ("L", sized(&ell(), 0.4)),
        ("bunny", bunny(0.9)),
        ("knife", blade.concat()),
        (
            "dumbbell",
            [moved(&cuboid([0.35; 3]), [0.3, 0.0, 0.0]), moved(&cuboid([0.35; 3]), [-0.3, 0.1, 0.0])].concat(),
        ),
    ]
}

/// Moves a body along a direction until it is no farther than `gap` from another one at home, and never through it. `None` if it passes by.
fn approach(body: &Body, from: &Pose, way: [f64; 3], other: &Body, gap: f64) -> Option<Pose> {
    let home = operand(&other.shape, &Pose::IDENTITY);
    let mut pose = *from;
    for _ in 0..300 {
        let far = nearest(Isa::best(), &operand(&body.shape, &pose), &home, f64::INFINITY)?.distance;
        if far <= gap {
            return (far > 0.0).then_some(pose);
        }
        if length(pose.position) > 12.0 {
            return None;
        }
        pose.position = add(pose.position, scale((far - gap).max(1e-3 * T), way));
    }
    None
}

fn force(c: &Contact) -> f64 {
    (1.0 - c.gap / c.halo) * c.area
}

/// Of patch pairs and of places: bits of all contacts, the largest force that is not in doubt, and how many patch pairs there are.
fn told(a: &Placed<'_>, b: &Placed<'_>) -> (u32, f64, usize) {
    let lists = [all(a, b).0, grouped(a, b, &Grouping::default())];
    let sure = |c: &&Contact| c.status & FLAGS == 0;
    let bits = lists.iter().flatten().fold(0, |all, c| all | c.status);
    let most = lists.iter().flatten().filter(sure).map(|c| force(c).abs()).fold(0.0, f64::max);
    (bits, most, lists[0].len())
}

/// A direction.
fn way(random: &mut Random) -> [f64; 3] {
    loop {
        let way = random.in_cube(1.0);
        if length(way) > 0.1 && length(way) < 1.0 {
            return scale(1.0 / length(way), way);
        }
    }
}

fn inside_out() -> Vec<(&'static str, Vec<Triangle>)> {
    [
        ("cube", cuboid([1.0, 0.8, 0.9])),
        ("rock", sized(&rock(2, 11), 0.6)),
        ("L", sized(&ell(), 0.7)),
        ("bunny", bunny(1.3)),
        ("star", sized(&drum(5, 1.4), 0.4)),
        ("two cubes", [cuboid([0.6; 3]), moved(&cuboid([0.5; 3]), [0.8, 0.0, 0.0])].concat()),
    ]
    .map(|(name, mesh)| (name, turned_over(&mesh)))
    .into()
}

#[test]
fn what_is_inside_out_draws_nothing_without_a_doubt() {
    let mut random = Random::new(71);
    let bodies: Vec<_> = things().into_iter().map(|(name, mesh)| (name, Body::new(&mesh, HALO))).collect();
    let (mut seen, mut most) = ([0; 5], 0.0f64);
    for (name, mesh) in inside_out() {
        let room = Body::new(&mesh, HALO);
        assert_eq!(room.cells().law(), Law::Volume, "{name}");
        for solid in [false, true] {
            let of_home = surface(&room, solid);
            let home = placed(Shape::Mesh(&of_home), &Pose::IDENTITY);
            for case in 0..cases(32, 200) {
                let out = way(&mut random);
                let start = at(scale(4.0, out), random.rotation());
                let aim = add(out, scale(0.1, random.in_cube(1.0)));
                let aim = scale(-1.0 / length(aim), aim);
                let gap = random.range(0.02, 1.0) * T;
                let (other, body) = &bodies[case % bodies.len()];
                if let Some(pose) = approach(body, &start, aim, &room, gap) {
                    let own = case / bodies.len() % 2 == 1;
                    let of_thing = surface(body, own);
                    let thing = placed(Shape::Mesh(&of_thing), &pose);
                    let (_, push, count) = told(&thing, &home);
                    assert!(push == 0.0, "{name} {solid}, {other} {own}, {case}: {push:e} at {gap} {pose:?}");
                    let (_, push, _) = told(&home, &thing);
                    assert!(push == 0.0, "{name} {solid}, {other} {own}, {case}: {push:e} at {gap} {pose:?}");
                    seen[0] += usize::from(count > 0);
                    // Where surfaces cross.
                    let into = at(add(pose.position, scale(gap + random.range(0.0, 2.0) * T, aim)), pose.orientation);
                    let thing = placed(Shape::Mesh(&of_thing), &into);
                    let (bits, push, _) = told(&thing, &home);
                    seen[4] += usize::from(bits & status::PENETRATING != 0);
                    assert!(push == 0.0, "{name} {solid}, {other} {own}, {case}: {push:e} {bits} {into:?}");
                    // By the law of facing it is next to nothing.
                    let (x, y) = (body.side(&pose), room.side(&Pose::IDENTITY));
                    let sum = wrench(&all_contacts(Isa::best(), &x, &y).0, [0.0; 3]).size()[0];
                    most = most.max(sum);
                }
                // A ball and a capsule at the same place as a body of their shape.
                let point = Body::new(&sized(&ball(0), 1e-6), HALO);
                let radius = random.range(0.1, 0.8);
                if let Some(pose) = approach(&point, &start, aim, &room, radius + gap) {
                    let (bits, push, count) = told(&placed(sphere(radius, HALO), &pose), &home);
                    assert!(push == 0.0, "{name} {solid}, ball {case} {radius} at {gap}: {push:e} {bits} {pose:?}");
                    seen[1] += usize::from(count > 0);
                }
                let half = random.range(0.1, 0.6);
                let rod = Body::new(&cuboid([1e-6, 1e-6, 2.0 * half]), HALO);
                if let Some(pose) = approach(&rod, &start, aim, &room, radius + gap) {
                    let (bits, push, count) = told(&placed(capsule(half, radius, HALO), &pose), &home);
                    assert!(push == 0.0, "{name} {solid}, capsule {case} {radius} at {gap}: {push:e} {bits} {pose:?}");
                    seen[2] += usize::from(count > 0);
                }
                let turned = at([0.0; 3], random.rotation());
                let low = posed(&mesh, &turned).iter().flatten().map(|v| v[2]).fold(f64::MAX, f64::min);
                let pose = at([0.0, 0.0, gap - low], turned.orientation);
                let of_thing = surface(&room, solid);
                let thing = placed(Shape::Mesh(&of_thing), &pose);
                let (bits, push, count) = told(&thing, &placed(ground(HALO), &Pose::IDENTITY));
                assert!(push == 0.0, "{name} {solid}, plane {case} at {gap}: {push:e} {bits} {pose:?}");
                seen[3] += usize::from(count > 0);
            }
        }
    }
    println!("{seen:?}, the largest force on a mesh {most:e}");
    assert!(most < 0.01 && seen.iter().all(|n| *n > cases(50, 300)), "{most} {seen:?}");
}

#[test]
fn what_is_in_a_room_is_in_no_doubt() {
    let mut random = Random::new(72);
    let bodies: Vec<_> = things().into_iter().map(|(name, mesh)| (name, Body::new(&mesh, HALO))).collect();
    let mut seen = [0; 5];
    for (name, mesh) in rooms() {
        let (room, facing) = (Body::new(&mesh, HALO), Body::facing(&mesh, HALO));
        assert_eq!(room.cells().law(), Law::Volume, "{name}");
        for solid in [false, true] {
            let of_home = surface(&room, solid);
            let home = placed(Shape::Mesh(&of_home), &Pose::IDENTITY);
            let of_facing = surface(&facing, solid);
            let by_facing = placed(Shape::Mesh(&of_facing), &Pose::IDENTITY);
            for case in 0..cases(16, 96) {
                let (other, body) = &bodies[case % bodies.len()];
                let mut pose = at([0.0; 3], random.rotation());
                // To a wall, then along it to another one, and to a third.
                for wall in 0..3 {
                    let aim = way(&mut random);
                    let gap = random.range(0.1, 0.9) * T / (wall + 1) as f64;
                    let Some(next) = approach(body, &pose, aim, &room, gap) else { break };
                    pose = next;
                    let of_thing = surface(body, case % 3 == 0);
                    let thing = placed(Shape::Mesh(&of_thing), &pose);
                    for (a, b) in [(&thing, &home), (&home, &thing)] {
                        let (bits, _, count) = told(a, b);
                        assert!(bits & FLAGS == 0, "{name} {solid}, {other}, {case} {wall}: {bits} at {gap} {pose:?}");
                        seen[0] += usize::from(count > 0);
                    }
                    // In the wall.
                    let deep = random.range(0.0, 0.5) * T + gap;
                    let into = at(add(pose.position, scale(deep, aim)), pose.orientation);
                    let of_thing = surface(body, case % 3 == 0);
                    let thing = placed(Shape::Mesh(&of_thing), &into);
                    let (bits, ..) = told(&thing, &home);
                    seen[1] += usize::from(bits & status::PENETRATING != 0);
                    // Where most of a thin body is in the wall, that is in doubt by either law.
                    let (before, ..) = told(&thing, &by_facing);
                    assert!(
                        bits & FLAGS & !before == 0,
                        "{name} {solid}, {other}, {case} {wall}: {bits}, {deep} deep {into:?}"
                    );
                    seen[4] += usize::from(bits & FLAGS != 0);
                }
                let radius = random.range(0.1, 0.6);
                let point = Body::new(&sized(&ball(0), 1e-6), HALO);
                let mut pose = at([0.0; 3], random.rotation());
                for wall in 0..3 {
                    let gap = random.range(-0.9 * radius, 0.9 * T) / (wall + 1) as f64;
                    let gap = gap.max(-0.45 * radius);
                    let Some(next) = approach(&point, &pose, way(&mut random), &room, radius + gap) else { break };
                    pose = next;
                    let (bits, _, count) = told(&placed(sphere(radius, HALO), &pose), &home);
                    assert!(
                        bits & FLAGS == 0,
                        "{name} {solid}, ball {case} {wall}: {bits} at {gap} of {radius} {pose:?}"
                    );
                    seen[2] += usize::from(count > 0);
                }
                let half = random.range(0.1, 0.4);
                let rod = Body::new(&cuboid([1e-6, 1e-6, 2.0 * half]), HALO);
                let mut pose = at([0.0; 3], random.rotation());
                for wall in 0..3 {
                    let gap = random.range(-0.9 * radius, 0.9 * T) / (wall + 1) as f64;
                    let gap = gap.max(-0.45 * radius);
                    let Some(next) = approach(&rod, &pose, way(&mut random), &room, radius + gap) else { break };
                    pose = next;
                    let (bits, _, count) = told(&placed(capsule(half, radius, HALO), &pose), &home);
                    assert!(
                        bits & FLAGS == 0,
                        "{name} {solid}, capsule {case} {wall}: {bits} at {gap} of {radius} {pose:?}"
                    );
                    seen[3] += usize::from(count > 0);
                }
            }
        }
    }
    println!("{seen:?}");
    assert!(seen[..4].iter().all(|n| *n > cases(80, 500)), "{seen:?}");
}

/// Faces that lie in each other: on the floor, in a corner, and in both at any turn.
#[test]
fn a_body_that_lies_on_the_floor_of_a_room_is_in_no_doubt() {
    let mesh = turned_over(&cuboid([3.0, 2.6, 2.2]));
    let room = Body::new(&mesh, HALO);
    let cube = Body::new(&cuboid([0.7; 3]), HALO);
    for case in 0..200 {
        let angle = if case % 3 == 0 { 0.0 } else { 0.1 * f64::from(case) };
        let place = [0.4, 1.15, if case % 2 == 0 { 0.3 } else { 1.5 - 0.35 }];
        let place = [place[2], if case % 5 == 0 { 1.3 - 0.35 } else { 0.1 }, -1.1 + 0.35];
        let lies = at(place, turn([0.0, 0.0, 1.0], angle));
        // Both may be turned, and rounded, together.
        let by = at(
            [0.3, -7.0, 2.0],
            if case < 20 { [0.0, 0.0, 0.0, 1.0] } else { turn([0.6, 0.0, 0.8], 0.3 * f64::from(case)) },
        );
        let (x, y) = (carried(&by, &lies), by);
        for solid in [false, true] {
            let of_home = surface(&room, solid);
            let home = placed(Shape::Mesh(&of_home), &y);
            let of_thing = surface(&cube, solid);
            let (bits, push, count) = told(&placed(Shape::Mesh(&of_thing), &x), &home);
            assert!(bits & FLAGS == 0 && push > 0.0 && count > 0, "{case}: {bits} {push}");
        }
    }
}

/// A triangle with two sides encloses nothing. Where it is first in the mesh of a body, and beyond the wall, the body is in the room as before.
#[test]
fn a_fin_beyond_the_wall_does_not_tell_where_its_body_is() {
    let room = Body::new(&turned_over(&cuboid([3.0; 3])), HALO);
    let fin = vec![[[0.6, 0.1, 0.0], [0.8, 0.0, 0.1], [0.7, -0.1, -0.1]]];
    let cube = Body::new(&[fin.clone(), turned_over(&fin), cuboid([0.7; 3])].concat(), HALO);
    for solid in [false, true] {
        let (of_home, of_thing) = (surface(&room, solid), surface(&cube, solid));
        let lies = at([1.5 - 0.35 - 0.5 * T, 0.2, 0.3], [0.0, 0.0, 0.0, 1.0]);
        let home = placed(Shape::Mesh(&of_home), &Pose::IDENTITY);
        let (bits, push, count) = told(&placed(Shape::Mesh(&of_thing), &lies), &home);
        assert!(bits & status::UNSURE == 0 && push > 0.0 && count > 0, "{bits} {push} {count}");
    }
}

/// A room with a body beside it in the same mesh is no room, since that body is beyond the wall.
#[test]
fn a_room_with_something_beside_it_has_the_law_of_facing() {
    let room = turned_over(&cuboid([3.0; 3]));
    let law = |mesh: &[Triangle]| Body::new(mesh, HALO).cells().law();
    assert_eq!(law(&[room.clone(), moved(&cuboid([1.0; 3]), [4.0, 0.0, 0.0])].concat()), Law::Facing);
    assert_eq!(law(&[room.clone(), cuboid([1.0; 3])].concat()), Law::Facing);
    assert_eq!(law(&room), Law::Volume);
    // Rooms beside each other are rooms. One in the other is not: what is between them is beyond the wall of the inner one.
    let beside = moved(&room, [4.0, 0.0, 0.0]);
    assert_eq!(law(&[room.clone(), beside].concat()), Law::Volume);
    assert_eq!(law(&[room.clone(), turned_over(&cuboid([1.0; 3]))].concat()), Law::Facing);
    let options = CellOptions { law: Law::Facing, ..CellOptions::default() };
    assert_eq!(Body::with(&room, HALO, &options).cells().law(), Law::Facing);
}
