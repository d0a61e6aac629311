//! Scenes whose outcome is known: what tips, what slides, what stands, what rolls to and fro, and how errors shrink with the step.

use dem_core::body::Body;
use dem_core::contact::shape::Shape;
use dem_core::exec::Serial;
use dem_core::force::{Damping, Interaction, Laws, Normal, resting_gap};
use dem_core::mesh::{mass_properties, mass_scratch};
use dem_core::pose::Pose;
use dem_core::world::{BodyDef, Handle, Setup};
use dem_std::{Memory, OwnedWorld, generate};
use dem_tests::contact::{self, cuboid, soup};
use dem_tests::random::Random;
use dem_tests::scene::posed;
use dem_tests::shapes::{ground, sphere, surface};
use dem_tests::vector::{add, length, rotate, scale, sub};
use dem_tests::{Triangle, cases, walls};
use std::f64::consts::PI;

const G: f64 = 9.81;
/// Halo of rocks and of what they fall on.
const HALO: f64 = 0.02;

fn world(gravity: [f64; 3], members: &[BodyDef]) -> (OwnedWorld, Vec<Handle>) {
    let mut world = OwnedWorld::with_executor(Box::new(Serial));
    world.set_up(&Setup { gravity, ..Setup::default() }).unwrap();
    let handles = members.iter().map(|member| world.add(member).unwrap()).collect();
    (world, handles)
}

fn body(world: &OwnedWorld, handle: Handle) -> Body {
    world.view().unwrap().body(handle).unwrap()
}

fn fixed(shape: u32) -> BodyDef {
    BodyDef::new(Body::fixed(Pose::IDENTITY), shape)
}

/// A box of density 1000 with its middle at a place.
fn brick(edges: [f64; 3], position: [f64; 3]) -> Body {
    let mass = 1000.0 * edges.iter().product::<f64>();
    let [x, y, z] = edges.map(|edge| edge * edge);
    let moments = [y + z, x + z, x + y].map(|sum| mass / 12.0 * sum);
    Body { mass, moments, ..Body::ball(1.0, 1.0, position).unwrap() }
}

/// Gravity on an incline of this slope along x, in the frame of the incline.
fn incline(slope: f64) -> [f64; 3] {
    let size = G / (1.0 + slope * slope).sqrt();
    [slope * size, 0.0, -size]
}

/// A tall box on an incline stands, tips or slides: it tips above the slope width / height if friction holds it, and slides above the slope of friction.
#[test]
fn tall_boxes_stand_tip_or_slide() {
    let (edges, halo) = ([0.4, 0.4, 1.0], 1e-3);
    let mesh = contact::Body::conservative(&cuboid(edges), halo);
    let own = surface(&mesh, true);
    let shapes = [ground(halo), Shape::Mesh(&own)];
    // A box rests at a few thousandths of the depth that the halos have, so that it stands on nearly its edge.
    let pressure = 300.0 * 1000.0 * edges[2] * G;
    let gap = resting_gap(1000.0 * edges[2] * G, 1.0, pressure, 2.0 * halo);
    for (slope, friction, [tips, slides]) in
        [(0.36, 0.8, [false, false]), (0.43, 0.8, [true, false]), (0.36, 0.32, [false, true])]
    {
        let laws = [Interaction::new(Normal::Pressure, pressure).damped(Damping::Dashpot, 0.3).rough(friction, 0.8)];
        let laws = Laws::new(&laws).unwrap();
        let start = brick(edges, [0.0, 0.0, edges[2] / 2.0 + gap]);
        let (mut world, handles) = world(incline(slope), &[fixed(0), BodyDef::new(start, 1)]);
        world.advance(0.2, 1e-4, &shapes, &laws).unwrap();
        let early = body(&world, handles[1]).velocity;
        world.advance(1.0, 1e-4, &shapes, &laws).unwrap();
        let end = body(&world, handles[1]);
        let up = rotate(end.orientation, [0.0, 0.0, 1.0])[2];
        let moved = sub(end.position, start.position);
        println!("slope {slope}, friction {friction}: cos of the tilt {up:.4}, moved {moved:?}");
        assert_eq!(up < 0.9, tips, "{slope} {friction}: {up}");
        if !tips {
            // It leans by the pressure, at most by what the halos give way.
            assert!(up > 1.0 - 1e-4, "{slope} {friction}: {up}");
            let expected = incline(slope)[0] + friction * incline(slope)[2];
            // The first moments are left out: the box leans back before it slides.
            let gained = end.velocity[0] - early[0];
            match slides {
                true => assert!((gained / expected - 1.0).abs() < 0.01, "{slope} {friction}: {gained} {expected}"),
                false => assert!(length(moved) < halo, "{slope} {friction}: {moved:?}"),
            }
        }
    }
}

/// Bricks that lie on each other, each shifted by `part` of what is possible (1/2, 1/4, 1/6, ... of an edge, from the top): below 1 they stand, above they fall.
#[test]
fn stacks_overhang_as_far_as_they_can() {
    let (edges, halo, count) = ([1.0, 0.5, 0.25], 1e-3, 5);
    let mesh = contact::Body::conservative(&cuboid(edges), halo);
    let own = surface(&mesh, true);
    let shapes = [ground(halo), Shape::Mesh(&own)];
    let laws = [Interaction::new(Normal::Pressure, 3e6).damped(Damping::Dashpot, 0.3).rough(0.6, 0.8)];
    let laws = Laws::new(&laws).unwrap();
    for (part, stands) in [(0.9, true), (1.05, false)] {
        let mut x = 0.0;
        let mut members = vec![fixed(0)];
        for k in 0..count {
            let z = edges[2] / 2.0 + f64::from(k) * (edges[2] + 2.0 * halo) + 1.98 * halo;
            if k > 0 {
                x += part * edges[0] / (2.0 * f64::from(count - k));
            }
            members.push(BodyDef::new(brick(edges, [x, 0.0, z]), 1));
        }
        let (mut world, handles) = world([0.0, 0.0, -G], &members);
        let tops = |world: &OwnedWorld| body(world, handles[count as usize]);
        world.advance(1.5, 2e-4, &shapes, &laws).unwrap();
        let (end, start) = (tops(&world), members[count as usize].body);
        let moved = length(sub(end.position, start.position));
        println!("{part}: overhang {x:.3}, the top moved by {moved:.4}");
        assert_eq!(moved < 0.02, stands, "{part}: {moved}");
    }
}

/// Balls on a simple cubic lattice in a periodic box, pressed together by `F`: a stress of `-F / d^2` along each axis, and six neighbours.
#[test]
fn a_lattice_has_the_stress_of_its_contacts() {
    let (radius, halo, stiffness, depth) = (0.5, 0.01, 1e5, 1e-3);
    let apart = 2.0 * radius - depth;
    let mut members = Vec::new();
    for k in 0..27 {
        let at = [k % 3, k / 3 % 3, k / 9].map(|i| f64::from(i) * apart + 0.1);
        members.push(BodyDef::new(Body::ball(radius, 1000.0, at).unwrap(), 0));
    }
    let mut world = OwnedWorld::with_executor(Box::new(Serial));
    let period = 3.0 * apart;
    world.set_up(&Setup { periods: [period; 3], ..Setup::default() }).unwrap();
    members.iter().for_each(|member| _ = world.add(member).unwrap());
    let laws = [Interaction::new(Normal::Linear, stiffness).rough(0.5, 0.8)];
    world.advance(1e-5, 1e-5, &[sphere(radius - halo, halo)], &Laws::new(&laws).unwrap()).unwrap();
    let report = world.report().unwrap();
    let expected = -stiffness * depth / (apart * apart);
    for (i, row) in report.virial.iter().enumerate() {
        for (j, sum) in row.iter().enumerate() {
            let stress = sum / period.powi(3);
            let right = if i == j { expected } else { 0.0 };
            assert!((stress - right).abs() < 1e-9 * expected.abs(), "{i} {j}: {stress} {right}");
        }
    }
    assert_eq!((report.coordination, report.contacts), (6.0, 81));
}

/// The inside of a sphere.
fn bowl(radius: f64, level: u32) -> Vec<Triangle> {
    let ball = soup(&generate::icosphere(level).unwrap());
    ball.iter().map(|[a, b, c]| [*a, *c, *b].map(|v| scale(radius, v))).collect()
}

/// A ball in a bowl of triangles swings with the period `2 pi sqrt(c (R - r) / g)`, with c = 1 without friction and 7/5 where it rolls, and an amplitude that stays.
#[test]
fn balls_swing_in_bowls() {
    let (radius, inner, halo) = (1.0, 0.3, 0.01);
    let mesh = contact::Body::conservative(&bowl(radius, 6), halo);
    let own = surface(&mesh, false);
    let shapes = [Shape::Mesh(&own), sphere(inner - halo, halo)];
    let arm = radius - inner - halo;
    for (friction, inertia) in [(0.0, 1.0), (1.0, 1.4)] {
        let laws = [Interaction::new(Normal::Linear, 2e6).rough(friction, 0.8)];
        let laws = Laws::new(&laws).unwrap();
        let angle: f64 = 0.5;
        let ball = Body::ball(inner, 1000.0, [arm * angle.sin(), 0.0, -arm * angle.cos()]).unwrap();
        let (mut world, handles) = world([0.0, 0.0, -G], &[fixed(0), BodyDef::new(ball, 1)]);
        let (dt, mut crossings, mut last) = (2e-4, Vec::new(), ball.position[0]);
        let expected =
            2.0 * PI * (inertia * arm / G).sqrt() * (1.0 + angle.powi(2) / 16.0 + 11.0 / 3072.0 * angle.powi(4));
        let (mut most, mut rubbed) = (0.0f64, 0.0);
        let start = {
            let r = world.report().unwrap();
            r.totals.kinetic() + r.potential
        };
        for k in 1..=(2.1 * expected / dt) as u32 {
            world.advance(dt, dt, &shapes, &laws).unwrap();
            let x = body(&world, handles[1]).position[0];
            if x * last < 0.0 {
                crossings.push(dt * (f64::from(k) - x / (x - last)));
            }
            if f64::from(k) * dt > 1.75 * expected {
                most = most.max(x.abs());
            }
            last = x;
            rubbed += world.report().unwrap().rubbed;
        }
        let report = world.report().unwrap();
        let sum = report.totals.kinetic() + report.potential + report.stored_normal + report.stored_tangential + rubbed;
        // What is rubbed away where facets meet is told; the rest is of the step.
        let swing = ball.mass * G * arm * (1.0 - angle.cos());
        assert!((sum - start).abs() < 0.01 * swing, "{friction}: energy {start} -> {sum}, of {swing}");
        let period = (crossings[3] - crossings[1] + crossings[2] - crossings[0]) / 2.0;
        let kept = most / ball.position[0];
        println!("friction {friction}: period {period:.5}, expected {expected:.5}, amplitude kept {kept:.5}");
        assert!((period / expected - 1.0).abs() < 5e-3, "{friction}: {period} {expected}");
        assert!((kept - 1.0).abs() < 0.01, "{friction}: {kept}");
    }
}

/// A bumpy rock of 320 triangles in the frame of its body, and its mass properties.
fn rock(seed: u64) -> (contact::Body, Body, f64) {
    let mesh = soup(&generate::bumpy(generate::icosphere(2).unwrap(), 1.2, seed).unwrap());
    let first = contact::Body::conservative(&mesh, HALO);
    let view = first.shape.mesh().unwrap();
    let mut scratch = Memory::new(mass_scratch(&view.sizes).unwrap()).unwrap();
    let properties = mass_properties(view, 1000.0, &mut scratch).unwrap();
    let placed = posed(&mesh, &properties.part_pose());
    let low = placed.iter().flatten().map(|v| v[2]).fold(f64::INFINITY, f64::min);
    let body = Body::new(&properties, &Pose::IDENTITY).unwrap();
    (contact::Body::conservative(&placed, HALO), Body { orientation: [0.0, 0.0, 0.0, 1.0], ..body }, low)
}

/// A rock that drops onto a wall, slides and rolls takes the same way over a plane, two triangles and ten thousand.
#[test]
fn ways_do_not_depend_on_how_a_wall_is_meshed() {
    let (mesh, start, low) = rock(3);
    let walls = [1, 71].map(|cells| contact::Body::conservative(&walls::regular(cells, 20.0), HALO));
    let own = surface(&mesh, true);
    let flat = walls.each_ref().map(|wall| surface(wall, false));
    let shapes = [Shape::Mesh(&own), ground(HALO), Shape::Mesh(&flat[0]), Shape::Mesh(&flat[1])];
    let laws = [Interaction::new(Normal::Pressure, 3e8).damped(Damping::Dashpot, 0.2).rough(0.3, 0.8)];
    let laws = Laws::new(&laws).unwrap();
    let start = Body { position: [0.1, 0.2, 0.1 - low], velocity: [1.0, 0.3, -0.5], ..start };
    let mut deepest = f64::INFINITY;
    let ends = [1, 2, 3].map(|wall| {
        let (mut world, handles) = world([0.0, 0.0, -G], &[fixed(wall), BodyDef::new(start, 0)]);
        for _ in 0..100 {
            world.advance(0.01, 1e-3, &shapes, &laws).unwrap();
            deepest = deepest.min(world.report().unwrap().least_gap);
        }
        body(&world, handles[1])
    });
    println!("{:?}, least gap {deepest}", ends[0].position);
    assert!(deepest > 0.0 && length(sub(ends[0].position, start.position)) > 0.2);
    for end in &ends[1..] {
        let off = length(sub(end.position, ends[0].position));
        println!("off by {off:e}");
        assert!(off < 1e-6, "{off:e}");
    }
}

/// A box that looks inward, from -`half` to `half`: sides of squares whose widths differ, each cut along a random diagonal. Vertices within a side are moved along it, too.
fn room(half: f64, cells: usize, random: &mut Random) -> Vec<Triangle> {
    let width = 2.0 * half / cells as f64;
    let ticks: [Vec<f64>; 3] = std::array::from_fn(|_| {
        let tick = |k: usize| match k {
            0 => -half,
            _ if k == cells => half,
            _ => k as f64 * width - half + random.range(-0.3, 0.3) * width,
        };
        (0..=cells).map(tick).collect()
    });
    let mut all = Vec::new();
    for axis in 0..3 {
        for side in [-half, half] {
            let (x, y) = ((axis + 1) % 3, (axis + 2) % 3);
            let mut grid = Vec::new();
            for (i, j) in (0..=cells).flat_map(|i| (0..=cells).map(move |j| (i, j))) {
                let mut v = [side; 3];
                (v[x], v[y]) = (ticks[x][i], ticks[y][j]);
                if i % cells > 0 && j % cells > 0 {
                    (v[x], v[y]) = (v[x] + random.range(-0.1, 0.1) * width, v[y] + random.range(-0.1, 0.1) * width);
                }
                grid.push(v);
            }
            for (i, j) in (0..cells).flat_map(|i| (0..cells).map(move |j| (i, j))) {
                let at = |i: usize, j: usize| grid[i * (cells + 1) + j];
                let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
                let two = if random.below(2) == 0 { [[a, b, c], [a, c, d]] } else { [[a, b, d], [b, c, d]] };
                all.extend(two.map(|[p, q, r]| if side < 0.0 { [p, q, r] } else { [p, r, q] }));
            }
        }
    }
    all
}

/// The flat floor of a room pushes along its normal, however it is divided and however what lies on it is turned: no friction, so nothing else is there to push sideways.
#[test]
fn floors_of_rooms_push_along_their_normals() {
    let mut random = Random::new(5);
    let cube = contact::Body::new(&cuboid([1.0; 3]), HALO);
    let mesh = soup(&generate::bumpy(generate::icosphere(2).unwrap(), 1.2, 3).unwrap());
    let rock = contact::Body::new(&mesh, HALO);
    let room = contact::Body::new(&room(3.0, 5, &mut random), HALO);
    let own = [&cube, &rock].map(|body| surface(body, true));
    let held = surface(&room, true);
    let shapes = [Shape::Mesh(&held), Shape::Mesh(&own[0]), Shape::Mesh(&own[1])];
    let laws = [Interaction::new(Normal::Pressure, 3e6)];
    let laws = Laws::new(&laws).unwrap();
    let mut most = 0.0f64;
    for case in 0..cases(60, 1000) {
        let (shape, mesh) = if case % 2 == 0 { (1, &cuboid([1.0; 3])) } else { (2, &mesh) };
        let turn = Pose { position: [0.0; 3], orientation: random.rotation() };
        let low = posed(mesh, &turn).iter().flatten().map(|v| v[2]).fold(f64::INFINITY, f64::min);
        // From where halos begin to overlap to three halves of that below the floor.
        let gap = random.range(-3.0, 1.9) * HALO;
        let position = [random.range(-1.5, 1.5), random.range(-1.5, 1.5), gap - 3.0 - low];
        let start = Body { orientation: turn.orientation, ..brick([1.0; 3], position) };
        let (mut world, handles) = world([0.0, 0.0, -G], &[fixed(0), BodyDef::new(start, shape)]);
        world.advance(1e-6, 1e-6, &shapes, &laws).unwrap();
        let view = world.view().unwrap();
        let force = view.wrenches()[view.slot(handles[1]).unwrap()].force;
        let aside = force[0].hypot(force[1]) / force[2];
        assert!(force[2] > 0.0 && aside < 1e-9, "{case}, {:.2} halos: {force:?}", gap / HALO);
        most = most.max(aside);
    }
    println!("sideways {most:e} of the normal force at most");
}

/// Ten million lengths away from the origin a step is the same but for the rounding of coordinates.
#[test]
fn a_step_far_from_the_origin_is_the_same() {
    let (mesh, start, low) = rock(5);
    let own = surface(&mesh, true);
    let shapes = [Shape::Mesh(&own), ground(HALO)];
    let laws = [Interaction::new(Normal::Pressure, 1e8).damped(Damping::Dashpot, 0.2).rough(0.3, 0.8)];
    let laws = Laws::new(&laws).unwrap();
    // Coordinates that are exact in both places.
    let exact = |x: f64| (x * 2f64.powi(20)).round() / 2f64.powi(20);
    let run = |by: [f64; 3]| {
        let at = |p: [f64; 3]| add(p.map(exact), by);
        let floor = BodyDef::new(Body::fixed(Pose { position: by, ..Pose::IDENTITY }), 1);
        let lower = Body { position: at([0.0, 0.0, 0.01 - low]), velocity: [0.1, 0.0, -0.1], ..start };
        let upper = Body { position: at([0.3, 0.1, 1.9 - low]), velocity: [0.0, 0.0, -0.5], ..start };
        let (mut world, handles) = world([0.0, 0.0, -G], &[floor, BodyDef::new(lower, 0), BodyDef::new(upper, 0)]);
        world.advance(1e-3, 1e-3, &shapes, &laws).unwrap();
        let contacts = world.report().unwrap().contacts;
        (contacts, [1, 2].map(|k| body(&world, handles[k])))
    };
    let (contacts, near) = run([0.0; 3]);
    assert!(contacts >= 1);
    for by in [[1e7, 0.0, 0.0], [-1e7, 1e7, 0.0], [1e7, -1e7, 1e7]] {
        let (others, far) = run(by);
        assert_eq!(contacts, others);
        for (near, far) in near.iter().zip(&far) {
            let off = length(sub(sub(far.position, by), near.position));
            let turned = length(sub(far.velocity, near.velocity));
            println!("{by:?}: places {off:e}, velocities {turned:e}");
            assert!(off < 100.0 * f64::EPSILON * 1e7, "{by:?}: {off:e}");
        }
    }
}

/// Half the step, half the error: the default order is of first order in the step while contacts last, friction and damping included.
#[test]
fn errors_shrink_with_the_step() {
    let (mesh, start, low) = rock(5);
    let own = surface(&mesh, true);
    let shapes = [Shape::Mesh(&own), ground(HALO)];
    for (name, law) in [
        ("elastic", Interaction::new(Normal::Pressure, 1e9)),
        ("rough", Interaction::new(Normal::Pressure, 1e9).damped(Damping::HuntCrossley, 0.1).rough(0.3, 0.8)),
    ] {
        let laws = [law];
        let laws = Laws::new(&laws).unwrap();
        let at = |steps: u32| {
            let start = Body { position: [0.0, 0.0, 2.0 * HALO - low], velocity: [0.5, 0.0, -0.8], ..start };
            let (mut world, handles) = world([0.0, 0.0, -G], &[fixed(1), BodyDef::new(start, 0)]);
            world.advance(0.04, 0.04 / f64::from(steps), &shapes, &laws).unwrap();
            body(&world, handles[1])
        };
        let best = at(12_800);
        let errors = [100, 200, 400, 800].map(|steps| length(sub(at(steps).velocity, best.velocity)));
        println!("{name}: {errors:?}");
        for pair in errors.windows(2) {
            let ratio = pair[0] / pair[1];
            assert!((1.5..3.0).contains(&ratio), "{name}: {errors:?}");
        }
    }
}

/// A rock with a broad flat foot at z = 0, and its body as it lies.
fn lying_rock() -> (contact::Body, Body) {
    let mut rock = generate::bumpy(generate::icosphere(2).unwrap(), 1.2, 7).unwrap();
    rock.vertices.iter_mut().for_each(|v| v[2] = (v[2] + 0.4).max(0.0));
    let mesh = soup(&rock);
    let first = contact::Body::conservative(&mesh, HALO);
    let view = first.shape.mesh().unwrap();
    let mut scratch = Memory::new(mass_scratch(&view.sizes).unwrap()).unwrap();
    let properties = mass_properties(view, 1000.0, &mut scratch).unwrap();
    let body = Body::new(&properties, &Pose::IDENTITY).unwrap();
    (contact::Body::conservative(&posed(&mesh, &properties.part_pose()), HALO), body)
}

/// A rock on a terrain of triangles lies just below the slope of friction, and slides just above it as fast as on a plane.
#[test]
fn rocks_on_a_terrain_slide_at_the_slope_of_friction() {
    let (mesh, start) = lying_rock();
    let terrain = contact::Body::conservative(&walls::irregular(3_000, 6.0, 4), HALO);
    let (own, flat) = (surface(&mesh, true), surface(&terrain, false));
    let shapes = [Shape::Mesh(&own), ground(HALO), Shape::Mesh(&flat)];
    let friction = 0.2;
    let law = Interaction::new(Normal::Pressure, 3e6).damped(Damping::Dashpot, 0.5).rough(friction, 0.8);
    let laws = [Interaction { lag: 3e-3, ..law }];
    let laws = Laws::new(&laws).unwrap();
    for (slope, slides) in [(0.98 * friction, false), (1.05 * friction, true)] {
        let ends = [1, 2].map(|wall| {
            let start = Body { position: add(start.position, [-2.0, 0.3, 1.9 * HALO]), ..start };
            let (mut world, handles) = world(incline(slope), &[fixed(wall), BodyDef::new(start, 0)]);
            // It rocks at first.
            world.advance(2.0, 1e-3, &shapes, &laws).unwrap();
            let early = body(&world, handles[1]);
            world.advance(1.0, 1e-3, &shapes, &laws).unwrap();
            let end = body(&world, handles[1]);
            let gained = end.velocity[0] - early.velocity[0];
            let moved = length(sub(end.position, early.position));
            println!("slope {slope:.3}, shape {wall}: {gained:.6} faster, moved {moved:e}");
            (gained, moved)
        });
        let expected = incline(slope)[0] + friction * incline(slope)[2];
        for (gained, moved) in ends {
            match slides {
                true => assert!((gained / expected - 1.0).abs() < 0.01, "{slope}: {gained} {expected}"),
                false => assert!(moved < 1e-6, "{slope}: {moved:e}"),
            }
        }
    }
}

/// Rocks that have come to rest on each other stay where they are for any number of steps.
#[test]
fn a_pile_at_rest_stays() {
    let (mesh, start, low) = rock(7);
    let own = surface(&mesh, true);
    let shapes = [Shape::Mesh(&own), ground(HALO)];
    let laws = [Interaction::new(Normal::Pressure, 3e6).damped(Damping::Dashpot, 0.5).rough(0.6, 0.8)];
    let laws = Laws::new(&laws).unwrap();
    // Four walls around three rocks, and one more on top of these.
    let half = 0.5_f64.sqrt();
    let turns = [[0.0, half, 0.0, half], [0.0, -half, 0.0, half], [-half, 0.0, 0.0, half], [half, 0.0, 0.0, half]];
    let places = [[-2.0, 0.0, 0.0], [2.0, 0.0, 0.0], [0.0, -2.0, 0.0], [0.0, 2.0, 0.0]];
    let mut members = vec![fixed(1)];
    for (orientation, position) in turns.into_iter().zip(places) {
        members.push(BodyDef::new(Body::fixed(Pose { position, orientation }), 1));
    }
    for (i, at) in [[-0.9, -0.8, 0.1], [0.95, -0.7, 0.2], [0.0, 0.9, 0.15], [0.05, -0.1, 2.2]].into_iter().enumerate() {
        let turn = 0.3 * i as f64;
        let orientation = [0.1, 0.2 * turn, turn, 1.0];
        let position = add(at, [0.0, 0.0, 0.3 - low]);
        members.push(BodyDef::new(Body { position, orientation, ..start }, 0));
    }
    let (mut world, handles) = world([0.0, 0.0, -G], &members);
    // What is left of the fall dies away: the energy of the slowest motion falls to a third in each second, down to rounding.
    let (rest, bound) = cases((5.0, 1e-4), (40.0, 1e-12));
    world.advance(rest, 1e-3, &shapes, &laws).unwrap();
    let places = |world: &OwnedWorld| [5, 6, 7, 8].map(|k| body(world, handles[k]).position);
    let from = places(&world);
    assert!(from[3][2] > 1.5 && world.report().unwrap().contacts >= 8, "no pile: {from:?}");
    let steps = cases(1, 100);
    for part in 1..=steps {
        world.advance(1.0, 1e-3, &shapes, &laws).unwrap();
        let off = places(&world).iter().zip(from).map(|(now, from)| length(sub(*now, from))).fold(0.0, f64::max);
        if part == 1 || part == steps {
            println!(
                "after {part} thousand steps off by {off:e}, kinetic energy {:e}",
                world.report().unwrap().totals.kinetic()
            );
        }
        assert!(off < bound, "after {part} thousand steps off by {off:e}");
    }
}
