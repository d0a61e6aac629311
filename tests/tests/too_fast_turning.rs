//! Bodies that turn far in a step: seen from them the straight paths of others are arcs, and yet nothing passes through anything without a force.

use dem_core::body::Body;
use dem_core::broad::Motion;
use dem_core::contact::shape::Shape;
use dem_core::detect::laws::{ContactInput, ContactResponse};
use dem_core::exec::Serial;
use dem_core::pose::Pose;
use dem_core::world::{BodyDef, PollResult, StepOptions};
use dem_std::OwnedWorld;
use dem_tests::contact::{self, after, at, carried, cuboid};
use dem_tests::deep::{moved, turn};
use dem_tests::random::Random;
use dem_tests::shapes::{all, capsule, ground, sphere, surface};
use dem_tests::vector::{add, cross, dot, length, perpendicular, rotate, scale, sub};

/// Of bodies of size 1.
const HALO: f64 = 0.005;

/// Frictionless, and stiff enough to stop what flies by 2.5 times its size in a step.
fn stiff(size: f64) -> impl Fn(&ContactInput<'_, 5>) -> ContactResponse<5> + Sync {
    move |input| {
        let c = input.contact;
        let push = 2e10 * size * size * (1.0 - c.gap / c.halo) * c.area;
        ContactResponse { force: scale(push, c.normal), torque: [0.0; 3], springs: [[0.0; 3]; 5] }
    }
}

#[test]
fn nothing_flies_through_what_spins() {
    let [cube, plate, small] = [[0.2; 3], [0.04, 0.2, 0.2], [0.1; 3]].map(cuboid);
    let [cube, plate, small] = [&cube, &plate, &small].map(|mesh| contact::Body::conservative(mesh, HALO));
    let [cube, plate, small] = [&cube, &plate, &small].map(|mesh| surface(mesh, true));
    let shapes = [
        sphere(0.1, HALO),
        sphere(0.05, HALO),
        Shape::Mesh(&cube),
        Shape::Mesh(&plate),
        Shape::Mesh(&small),
        capsule(0.1, 0.04, HALO),
    ];
    let dt = 1e-2;
    let mut random = Random::new(5);
    for (spinning, flying) in [(0, 1), (2, 1), (3, 1), (5, 1), (2, 4), (3, 5)] {
        for (case, angle) in [0.0, 0.1, 0.2, 0.5, 1.0, 3.0].into_iter().enumerate() {
            for motion in [Motion::Dynamic, Motion::Kinematic] {
                let size = [1e-2, 1.0, 1e2][case % 3];
                let whole = at(random.in_cube(size), random.rotation());
                let body = |place: [f64; 3]| {
                    let pose = carried(&whole, &at(scale(size, place), random_turn(case)));
                    Body { position: pose.position, orientation: pose.orientation, ..heavy(size) }
                };
                let along = |v: [f64; 3]| rotate(whole.orientation, v);
                // About the axis that turns what flies out of its way, seen from what spins.
                let spun = scale(angle / dt, along([0.0, 0.0, 1.0]));
                let spinning_body = Body { angular_velocity: spun, motion: motion as u32, ..body([0.0; 3]) };
                let velocity = along([-250.0 * size, 0.0, 0.0]);
                let mut world = OwnedWorld::with_executor(Box::new(Serial));
                world.watch(true).unwrap();
                let def = |body, shape| BodyDef { scale: size, ..BodyDef::new(body, shape) };
                world.add(&def(spinning_body, spinning)).unwrap();
                let flyer = world.add(&def(Body { velocity, ..body([1.3, 0.0, 0.0]) }, flying)).unwrap();
                world.advance(dt, dt, &shapes, &stiff(size)).unwrap();
                let report = world.report().unwrap();
                let now = world.view().unwrap().body(flyer).unwrap().velocity;
                let told = format!("{flying} at {spinning} that turns by {angle}, {motion:?}, size {size}");
                assert!(report.steps > 100 && report.window_gap.is_finite(), "{told}: {}", report.steps);
                assert!(length(sub(now, velocity)) > 0.1 * length(velocity), "{told}: {now:?}");
            }
        }
    }
}

/// The same in each run.
fn random_turn(case: usize) -> [f64; 4] {
    if case < 3 { [0.0, 0.0, 0.0, 1.0] } else { turn([0.0, 0.6, 0.8], 0.7 * case as f64) }
}

/// Turns as if it were round.
fn heavy(size: f64) -> Body {
    let mass = 500.0 * 0.1_f64.powi(3) * size.powi(3);
    let moments = [0.4 * mass * (0.1 * size).powi(2); 3];
    Body { mass, moments, motion: Motion::Dynamic as u32, ..Body::fixed(Pose::IDENTITY) }
}

/// A body that moves in a step of length 1 by its velocity and turns by its angular velocity.
struct Flyer {
    body: Body,
    shape: usize,
    size: f64,
    /// From the body's origin; of its bounds.
    centre: [f64; 3],
    radius: f64,
}

impl Flyer {
    fn pose(&self, time: f64) -> Pose {
        let Body { position, orientation, velocity, angular_velocity: spin, .. } = self.body;
        let angle = length(spin);
        let about = if angle > 0.0 { scale(1.0 / angle, spin) } else { [1.0, 0.0, 0.0] };
        at(add(position, scale(time, velocity)), after(turn(about, angle * time), orientation))
    }

    fn bounds(&self, pose: &Pose) -> [f64; 3] {
        add(pose.position, rotate(pose.orientation, scale(self.size, self.centre)))
    }

    fn def(&self) -> BodyDef {
        BodyDef { scale: self.size, ..BodyDef::new(self.body, self.shape as u32) }
    }
}

/// Whether both overlap at any of so many times of the step.
fn overlap(a: &Flyer, b: &Flyer, shapes: &[Shape<'_>], times: usize) -> bool {
    (1..=times).any(|i| {
        let time = i as f64 / times as f64;
        let (own, other) = (a.pose(time), b.pose(time));
        if a.radius.is_finite() && b.radius.is_finite() {
            let apart = length(sub(a.bounds(&own), b.bounds(&other)));
            if apart > a.size * a.radius + b.size * b.radius {
                return false;
            }
        }
        let side =
            |body: &Flyer, pose| dem_core::contact::shape::Placed { shape: shapes[body.shape], pose, scale: body.size };
        let (found, _) = all(&side(a, &own), &side(b, &other));
        found.iter().any(|c| c.least_gap < -1e-9 * a.size)
    })
}

/// What flies at, past or with a body that turns.
fn pair(random: &mut Random, bounds: &[([f64; 3], f64)]) -> [Flyer; 2] {
    let unit = 10.0_f64.powf(random.range(-2.0, 2.0));
    let mut flyer = |shape: usize, size: f64| {
        let (centre, radius) = bounds[shape];
        let motion = if shape == PLANE || random.below(3) == 0 { Motion::Kinematic } else { Motion::Dynamic };
        let pose = at(scale(unit, random.in_cube(2.0)), random.rotation());
        let body = Body { motion: motion as u32, ..heavy(1.0) };
        let body = Body { position: pose.position, orientation: pose.orientation, ..body };
        Flyer { body, shape, size, centre, radius }
    };
    let sizes = [unit, unit * 10.0_f64.powf(-1.0)];
    let mut a = flyer(0, sizes[0]);
    let mut b = flyer(0, sizes[1]);
    for (body, most) in [(&mut a, bounds.len()), (&mut b, PLANE)] {
        body.shape = random.below(most);
        (body.centre, body.radius) = bounds[body.shape];
        if body.shape == PLANE {
            body.body.motion = Motion::Kinematic as u32;
        }
    }
    // Two that no force moves are no pair.
    if !a.body.is_dynamic() {
        b.body.motion = Motion::Dynamic as u32;
    }
    b.size *= 10.0_f64.powf(random.range(0.0, 1.0));
    a.body.angular_velocity = scale(random.range(0.0, 3.0), random.direction());
    if random.below(2) == 0 {
        b.body.angular_velocity = scale(random.range(0.0, 3.0), random.direction());
    }
    let way = random.direction();
    let reach = if a.radius.is_finite() { a.radius } else { 1.0 } * a.size + b.radius * b.size;
    let far = reach * random.range(0.3, 3.0);
    b.body.position = add(a.body.position, scale(far, way));
    let around = cross(a.body.angular_velocity, sub(b.body.position, a.body.position));
    b.body.velocity = match random.below(4) {
        // At it, or past it.
        0 => add(scale(-random.range(0.3, 3.0) * far, way), scale(random.range(0.0, 1.0) * reach, random.direction())),
        1 => scale(-random.range(1.0, 3.0) * far, way),
        // With its surface.
        2 => add(around, scale(0.5 * HALO * unit * random.unit(), random.direction())),
        _ => add(around, scale(random.unit() * unit, random.direction())),
    };
    // The same motion seen from elsewhere.
    if random.below(2) == 0 {
        let by = scale(unit * random.unit(), random.direction());
        a.body.velocity = by;
        b.body.velocity = add(b.body.velocity, by);
    }
    [a, b]
}

const PLANE: usize = 6;

#[test]
fn what_is_not_refused_overlaps_at_no_time_of_the_step() {
    let cube = cuboid([1.0; 3]);
    let (plate, aside) = (cuboid([2.0, 2.0, 0.1]), moved(&cube, [1.5, 0.3, 0.0]));
    let far = moved(&cuboid([0.1, 2.0, 2.0]), [0.0, 0.0, 3.0]);
    let [cube, plate, aside, far] = [&cube, &plate, &aside, &far].map(|mesh| contact::Body::conservative(mesh, HALO));
    let [cube, plate, aside, far] = [&cube, &plate, &aside, &far].map(|mesh| surface(mesh, true));
    let shapes = [
        sphere(0.5, HALO),
        capsule(0.6, 0.2, HALO),
        Shape::Mesh(&cube),
        Shape::Mesh(&plate),
        Shape::Mesh(&aside),
        Shape::Mesh(&far),
        ground(HALO),
    ];
    let corner = |x: f64, y: f64, z: f64| length([0.5 * x, 0.5 * y, 0.5 * z]) + HALO;
    let bounds = [
        ([0.0; 3], 0.5 + HALO),
        ([0.0; 3], 0.8 + HALO),
        ([0.0; 3], corner(1.0, 1.0, 1.0)),
        ([0.0; 3], corner(2.0, 2.0, 0.1)),
        ([1.5, 0.3, 0.0], corner(1.0, 1.0, 1.0)),
        ([0.0, 0.0, 3.0], corner(0.1, 2.0, 2.0)),
        ([0.0; 3], f64::INFINITY),
    ];
    let mut random = Random::new(77);
    let (mut counts, mut silent) = ([0; 4], Vec::new());
    for case in 0..PAIRS {
        let [a, b] = pair(&mut random, &bounds);
        let mut world = OwnedWorld::with_executor(Box::new(Serial));
        // Either may be the first.
        for body in if case % 2 == 0 { [&a, &b] } else { [&b, &a] } {
            world.add(&body.def()).unwrap();
        }
        world.begin(&StepOptions::new(1e-30)).unwrap();
        let rest =
            |_: &ContactInput<'_, 5>| ContactResponse { force: [0.0; 3], torque: [0.0; 3], springs: [[0.0; 3]; 5] };
        world.poll(&shapes, &rest).unwrap();
        let touches = world.report().unwrap().contacts > 0;
        world.abandon().unwrap();
        // Forces may act on what touches.
        if touches {
            continue;
        }
        world.begin(&StepOptions::new(1.0)).unwrap();
        let refused = world.poll(&shapes, &rest).unwrap() == PollResult::Stuck;
        let times = if refused && case % 10 != 0 { 0 } else { 200 };
        let meets = times > 0 && overlap(&a, &b, &shapes, times);
        counts[usize::from(refused) + 2 * usize::from(meets)] += 1;
        if meets && !refused {
            silent.push((case, a.shape, b.shape));
        }
    }
    let [free, refused, _, needed] = counts;
    println!("{free} free, {needed} of {} refused ones overlap", (refused + needed) / 10);
    assert!(silent.is_empty(), "{} pass: {:?}", silent.len(), &silent[..silent.len().min(20)]);
    assert!(free > PAIRS / 10 && needed > PAIRS / 100, "{counts:?}");
}

const PAIRS: usize = 10_000;

#[test]
fn what_rides_on_a_body_that_turns_is_not_refused() {
    // On a disc that turns by a twentieth in a step: what rides leaves it by much less than halos.
    let disc = contact::Body::conservative(&cuboid([2.0, 2.0, 0.1]), HALO);
    let disc = surface(&disc, true);
    let shapes = [Shape::Mesh(&disc), sphere(0.05, HALO)];
    let mut random = Random::new(3);
    for _ in 0..100 {
        let axis = random.direction();
        let pose = at(random.in_cube(1.0), random.rotation());
        let spin = scale(0.05, axis);
        let body = Body { motion: Motion::Kinematic as u32, ..Body::fixed(pose) };
        let mut world = OwnedWorld::with_executor(Box::new(Serial));
        world.add(&BodyDef::new(Body { angular_velocity: spin, ..body }, 0)).unwrap();
        let out = perpendicular(axis);
        let place = add(pose.position, scale(random.range(0.1, 1.4) / length(out), out));
        let velocity = cross(spin, sub(place, pose.position));
        assert!(dot(velocity, axis).abs() < 1e-12);
        world
            .add(&BodyDef::new(Body { velocity, angular_velocity: spin, ..Body::ball(0.05, 1e3, place).unwrap() }, 1))
            .unwrap();
        world.begin(&StepOptions::new(1.0)).unwrap();
        let want = world.poll(&shapes, &stiff(1.0)).unwrap();
        assert_eq!(want, PollResult::More, "{:?}", world.report().unwrap().too_fast);
    }
}

#[test]
fn the_spin_of_a_ball_moves_none_of_its_surface() {
    // They fly fast and side by side, with halos that touch: nothing approaches anything, however fast balls spin.
    let disc = contact::Body::conservative(&cuboid([0.2, 0.2, 0.2]), HALO);
    let disc = surface(&disc, true);
    let shapes = [sphere(1.0, HALO), sphere(0.05, HALO), Shape::Mesh(&disc)];
    for (other, place) in [(1, 1.05 + 1.5 * HALO), (0, 2.0 + 1.5 * HALO), (2, 1.1 + 1.5 * HALO)] {
        for spin in [0.1, 1.0, 30.0] {
            for which in [[1.0, 0.0], [0.0, 1.0], [1.0, -1.0]] {
                if other == 2 && which[1] != 0.0 {
                    continue;
                }
                let mut world = OwnedWorld::with_executor(Box::new(Serial));
                let bodies = [(0, 0.0, which[0]), (other, place, which[1])];
                for (shape, x, part) in bodies {
                    let ball = Body::ball([1.0, 0.05, 0.1][shape as usize], 1e3, [x, 0.0, 0.0]).unwrap();
                    let (velocity, angular_velocity) = ([0.0, 0.4, 0.0], [0.3 * spin * part, 0.0, spin * part]);
                    world.add(&BodyDef::new(Body { velocity, angular_velocity, ..ball }, shape)).unwrap();
                }
                world.begin(&StepOptions::new(1.0)).unwrap();
                let want = world.poll(&shapes, &stiff(1.0)).unwrap();
                assert_eq!(want, PollResult::More, "{other} {spin} {:?}", world.report().unwrap().too_fast);
            }
        }
    }
}

/// Of two bodies of one size, one spins: which of both is larger by rounding says nothing, so the same scene elsewhere is as fast.
#[test]
fn bodies_of_one_size_are_as_fast_wherever_they_are() {
    let mesh = contact::Body::conservative(&cuboid([1.0, 0.6, 0.4]), 0.03);
    let mesh = surface(&mesh, true);
    let shapes = [Shape::Mesh(&mesh)];
    let ratio = |x: f64, size: f64, dt: f64| {
        let mut world = OwnedWorld::with_executor(Box::new(Serial));
        let body = |place: [f64; 3], velocity| Body { velocity, ..Body { position: place, ..heavy(1.0) } };
        let spun = Body { angular_velocity: [0.0, 0.0, 14.0], ..body([x + 0.62, 0.1, 0.0], [-1.0, 0.0, 0.0]) };
        world.add(&BodyDef { scale: size, ..BodyDef::new(spun, 0) }).unwrap();
        world.add(&BodyDef::new(body([x - 0.62, -0.1, 0.1], [1.0, 0.5, 0.0]), 0)).unwrap();
        world.begin(&StepOptions::new(dt)).unwrap();
        world.poll(&shapes, &stiff(1.0)).unwrap();
        world.report().unwrap().too_fast.ratio
    };
    let here = ratio(0.0, 1.0, 2e-2);
    assert!(here > 1.0, "{here}");
    for shift in 1..20 {
        let there = ratio(0.1 * f64::from(shift), 1.0, 2e-2);
        assert!((there - here).abs() < 1e-9 * here, "{shift}: {there} {here}");
    }
    let [less, more] = [0.999, 1.001].map(|size| ratio(0.0, size, 2e-2));
    assert!((more - less).abs() < 0.01 * here, "{less} {here} {more}");
}
