//! Walls that their vertices rotate, in worlds: laws see the rotation of the surface below each contact, not of its body alone.

use dem_core::body::Body;
use dem_core::broad::Motion;
use dem_core::contact::shape::Shape;
use dem_core::detect::Wrench;
use dem_core::detect::laws::{ContactInput, ContactResponse};
use dem_core::detect::surfaces::MovingSurface;
use dem_core::exec::Serial;
use dem_core::force::{Damping, Interaction, Laws, Normal};
use dem_core::pose::Pose;
use dem_core::world::{BodyDef, Handle, Law, PollResult, Setup, StepOptions, WithSurfaces};
use dem_std::OwnedWorld;
use dem_tests::Triangle;
use dem_tests::contact::{self, cuboid};
use dem_tests::random::Random;
use dem_tests::shapes::{sphere, surface};
use dem_tests::vector::{add, cross, dot, length, rotate, scale, sub};
use dem_tests::walls::{self, moving, vertex_velocities};

const HALO: f64 = 0.01;

/// A wall at the origin, at rest or with this spin, and a body.
fn world(gravity: f64, spin: Option<[f64; 3]>, body: Body) -> (OwnedWorld, Handle) {
    world_in_order(gravity, spin, body, false)
}

/// The same, with the body first where asked: then the wall is B of their pair.
fn world_in_order(gravity: f64, spin: Option<[f64; 3]>, body: Body, body_first: bool) -> (OwnedWorld, Handle) {
    let mut world = OwnedWorld::with_executor(Box::new(Serial));
    world.set_up(&Setup { gravity: [0.0, 0.0, -gravity], ..Setup::default() }).unwrap();
    let still = Body::fixed(Pose::IDENTITY);
    let wall = match spin {
        Some(angular_velocity) => Body { angular_velocity, motion: Motion::Kinematic as u32, ..still },
        None => still,
    };
    let [wall, body] = [BodyDef::new(wall, 0), BodyDef::new(body, 1)];
    let order = if body_first { [body, wall] } else { [wall, body] };
    let handles = order.map(|body| world.add(&body).unwrap());
    (world, handles[usize::from(!body_first)])
}

/// A box of 0.4 by 0.4 by 0.2.
fn block(position: [f64; 3]) -> Body {
    Body { mass: 1.0, moments: [1.0 / 60.0, 1.0 / 60.0, 0.32 / 12.0], ..Body::ball(1.0, 1.0, position).unwrap() }
}

/// Heavy enough to lie at this height.
const LYING: f64 = 0.1 + 1.98 * HALO;

fn rough() -> [Interaction; 1] {
    let normal = Interaction::new(Normal::Pressure, 1e5).damped(Damping::Dashpot, 0.3);
    [Interaction { lag: 1e-3, ..normal.rough(0.5, 0.8) }]
}

/// A box in the middle of a turntable turns with it, and one beside the middle moves along a circle, without slip.
#[test]
fn a_turntable_by_vertices_takes_along_as_one_that_turns() {
    let table = contact::Body::conservative(&walls::regular(8, 2.0), HALO);
    let brick = contact::Body::conservative(&cuboid([0.4, 0.4, 0.2]), HALO);
    let (mesh, of_brick) = (surface(&table, false), surface(&brick, true));
    let shapes = [Shape::Mesh(&mesh), Shape::Mesh(&of_brick)];
    let spin = [0.0, 0.0, 1.0];
    let own = vertex_velocities(&table, |at| cross(spin, at));
    let surfaces = [moving(&table, &own)];
    let interactions = rough();
    let laws = Laws::new(&interactions).unwrap();
    let law = WithSurfaces { law: &laws, surfaces: &surfaces };
    let (time, dt) = (1.0, 2e-4);
    for radius in [0.0, 1.0] {
        // In the middle it starts at rest, beside it with the table.
        let start = block([radius, 0.0, LYING]);
        let start = Body { velocity: [0.0, radius, 0.0], angular_velocity: scale(radius, spin), ..start };
        let (mut whole, body) = world(10.0, Some(spin), start);
        whole.advance(time, dt, &shapes, &laws).unwrap();
        let (mut belt, block) = world(10.0, None, start);
        belt.advance(time, dt, &shapes, &law).unwrap();
        let [expected, found] = [(&whole, body), (&belt, block)].map(|(world, handle)| {
            let (view, report) = (world.view().unwrap(), world.report().unwrap());
            (view.body(handle).unwrap(), report.rubbed)
        });
        let off = length(sub(found.0.position, expected.0.position));
        let turned = found.0.angular_velocity[2];
        println!(
            "{radius}: off by {off:e}, spins {turned} {:?}, rubbed {} {}",
            expected.0.angular_velocity, found.1, expected.1
        );
        assert!((expected.0.angular_velocity[2] - 1.0).abs() < 1e-4);
        assert!((turned - 1.0).abs() < 1e-8 && off < 1e-7, "{radius}: {off} {turned}");
        // Half of this is the energy of the box beside the middle. In the middle friction takes what the slip at the begin costs.
        assert!((found.1 - expected.1).abs() < 1e-8, "{radius}: {} {}", found.1, expected.1);
    }
}

/// Energies of steps of this world: the work of what is driven, what is spurious, and the work of forces and torques on this body, if it rotates so.
fn ledger(world: &mut OwnedWorld, shapes: &[Shape<'_>], law: &impl Law, (wall, spin): (u32, [f64; 3])) -> [f64; 3] {
    let (dt, mut sums) = (1e-5, [0.0; 3]);
    for _ in 0..4000 {
        world.advance(dt, dt, shapes, law).unwrap();
        let (report, view) = (world.report().unwrap(), world.view().unwrap());
        let step = view.scene().now();
        let mut work = 0.0;
        for pair in step.pairs() {
            let sign = if pair.a == wall { 1.0 } else { -1.0 };
            for (contact, act) in step.contacts()[pair.contacts()].iter().zip(&view.acts()[pair.contacts()]) {
                work -= sign * dt * (dot(act.force, cross(spin, contact.position)) + dot(act.torque, spin));
            }
        }
        sums = [sums[0] + report.driven_work, sums[1] + report.spurious, sums[2] + work];
    }
    sums
}

/// A wall works by the motion of its vertices, with forces and torques, as one that turns as a whole: nothing of it is spurious.
#[test]
fn a_turntable_by_vertices_does_the_work_of_one_that_turns() {
    let table = contact::Body::conservative(&walls::regular(8, 2.0), HALO);
    let brick = contact::Body::conservative(&cuboid([0.4, 0.4, 0.2]), HALO);
    let (mesh, of_brick) = (surface(&table, false), surface(&brick, true));
    let shapes = [Shape::Mesh(&mesh), Shape::Mesh(&of_brick)];
    let spin = [0.0, 0.0, 1.0];
    let own = vertex_velocities(&table, |at| cross(spin, at));
    // Halves of the motion of one body add up.
    let half: Vec<_> = own.iter().map(|v| scale(0.5, *v)).collect();
    let interactions = rough();
    let laws = Laws::new(&interactions).unwrap();
    for place in [0.0, 1.0] {
        let start = block([place, 0.0, LYING]);
        let (mut whole, _) = world(10.0, Some(spin), start);
        let [expected, plain, _] = ledger(&mut whole, &shapes, &laws, (0, spin));
        let one = [moving(&table, &own)];
        let halves = [moving(&table, &half); 2];
        let as_b = [MovingSurface { body: 1, ..one[0] }];
        for (wall, surfaces) in [(0, &one[..]), (0, &halves), (1, &as_b)] {
            let law = WithSurfaces { law: &laws, surfaces: &surfaces };
            let (mut belt, _) = world_in_order(10.0, None, start, wall == 1);
            let [driven, spurious, work] = ledger(&mut belt, &shapes, &law, (wall, spin));
            println!("{place}: driven {driven} {expected}, spurious {spurious} {plain}, by forces {work}");
            assert!(expected > 1e-2 && (driven / expected - 1.0).abs() < 1e-9, "{driven} {expected}");
            assert!((driven / work - 1.0).abs() < 1e-9, "{driven} {work}");
            assert!(spurious.abs() < 1e-2 * driven && (spurious - plain).abs() < 1e-9 * driven, "{spurious} {plain}");
        }
    }
}

/// What vertices do under a law of the host is work of what is driven, too.
#[test]
fn vertices_work_under_a_law_of_the_host() {
    let table = contact::Body::conservative(&walls::regular(8, 2.0), HALO);
    let mesh = surface(&table, false);
    let shapes = [Shape::Mesh(&mesh), sphere(0.1, HALO)];
    let own = vertex_velocities(&table, |_| [2.0, 0.0, 0.0]);
    let surfaces = [moving(&table, &own)];
    let (mut world, _) = world(0.0, None, Body::ball(0.1, 1.0, [0.25, 0.1, 0.1 + HALO]).unwrap());
    let law = WithSurfaces { law: &|at: &ContactInput<'_, 5>| rub(at.velocity), surfaces: &surfaces };
    world.begin(&StepOptions { law: true, ..StepOptions::new(1e-3) }).unwrap();
    assert_eq!(world.poll(&shapes, &law).unwrap(), PollResult::Law);
    let count = world.with_law(|host| {
        host.acts.iter_mut().zip(host.meets).for_each(|(act, meets)| act.force = rub(meets.force).force);
        host.acts.len()
    });
    while world.poll(&shapes, &law).unwrap() != PollResult::Done {}
    world.accept().unwrap();
    let report = world.report().unwrap();
    // Force and velocity at the one contact.
    assert!(count == Ok(1) && (report.driven_work - 1e-3 * 6.0 * 2.0).abs() < 1e-12, "{}", report.driven_work);
}

/// A dashpot across: force and velocity are those of A.
fn rub(velocity: [f64; 3]) -> ContactResponse<5> {
    ContactResponse { force: scale(-3.0, velocity), torque: [0.0; 3], springs: [[0.0; 3]; 5] }
}

/// The spin that a law of the host sees at the one contact of a ball with a wall at rest.
fn seen(wall: &contact::Body, at: [f64; 3], velocities: &[[f64; 3]]) -> [f64; 3] {
    let mesh = surface(wall, false);
    let shapes = [Shape::Mesh(&mesh), sphere(0.1, HALO)];
    let (mut world, _) = world(0.0, None, Body::ball(0.1, 1.0, add(at, [0.0, 0.0, 0.1 + HALO])).unwrap());
    let tell =
        |at: &ContactInput<'_, 5>| ContactResponse { force: at.velocity, torque: at.spin, springs: [[0.0; 3]; 5] };
    let surfaces = [moving(wall, velocities)];
    world.advance(1e-9, 1e-9, &shapes, &WithSurfaces { law: &tell, surfaces: &surfaces }).unwrap();
    let view = world.view().unwrap();
    assert_eq!(view.acts().len(), 1);
    let sign = if view.scene().now().pairs()[0].a == 0 { 1.0 } else { -1.0 };
    scale(sign, view.acts()[0].torque)
}

/// A wall that stretches does not rotate; shear rotates it by half, a slope that grows by all of it, and a motion as a whole as it does.
#[test]
fn stretch_gives_no_spin_and_shear_half_of_it() {
    let wall = contact::Body::conservative(&walls::irregular(60, 1.0, 8), HALO);
    let mut random = Random::new(3);
    for _ in 0..50 {
        let at = [random.range(-0.8, 0.8), random.range(-0.8, 0.8), 0.0];
        let [a, b, c] = random.in_cube(2.0);
        let whole = random.in_cube(2.0);
        let cases = [
            ("stretch", vertex_velocities(&wall, |x| [a * x[0] + b * x[1], b * x[0] + c * x[1], 0.0]), [0.0; 3]),
            ("shear", vertex_velocities(&wall, |x| [a * x[1], 0.0, 0.0]), [0.0, 0.0, -0.5 * a]),
            ("slope", vertex_velocities(&wall, |x| [0.0, 0.0, a * x[0] + b * x[1]]), [b, -a, 0.0]),
            ("whole", vertex_velocities(&wall, |x| add([c, a, b], cross(whole, x))), whole),
        ];
        for (name, velocities, expected) in cases {
            let off = length(sub(seen(&wall, at, &velocities), expected));
            // Velocities of needles, which are as narrow as 1e-6 of their length, are rounded.
            assert!(off < 1e-8, "{name}: {off:e}");
        }
    }
    // Triangles without area.
    let line = [[[0.0; 3], [0.5, 0.0, 0.0], [1.0, 0.0, 0.0]]];
    let flat: Vec<Triangle> = walls::regular(2, 1.0).into_iter().chain(line).collect();
    let wall = contact::Body::conservative(&flat, HALO);
    let still = vertex_velocities(&wall, |_| [1.0, 2.0, 3.0]);
    assert_eq!(seen(&wall, [0.25, 0.0, 0.0], &still), [0.0; 3]);
}

/// The inside of a tube along y with so many flat sides.
fn drum(sides: usize, radius: f64, half: f64) -> Vec<Triangle> {
    let at = |i: usize, y: f64| {
        let angle = 2.0 * core::f64::consts::PI * (i as f64 + 0.5) / sides as f64;
        [radius * angle.sin(), y, -radius * angle.cos()]
    };
    let side = |i: usize| {
        let (j, [l, r]) = ((i + 1) % sides, [-half, half]);
        [[at(i, l), at(j, l), at(j, r)], [at(i, l), at(j, r), at(i, r)]]
    };
    (0..sides).flat_map(side).collect()
}

/// Forces and torques on the two bodies in one step.
fn step(world: &mut OwnedWorld, shapes: &[Shape<'_>], law: &impl Law) -> Vec<Wrench> {
    world.advance(1e-4, 1e-4, shapes, law).unwrap();
    world.view().unwrap().wrenches().to_vec()
}

/// Friction, dashpots and what damps tilt act in a drum by vertices as in a drum that turns, on a box that lies on a side, flat or with a small tilt, and on a ball. It turns about any axis.
#[test]
fn a_drum_by_vertices_rubs_and_damps_as_one_that_turns() {
    let inside = drum(8, 1.0, 1.0);
    let turning = contact::Body::conservative(&inside, HALO);
    let brick = contact::Body::conservative(&cuboid([0.4, 0.4, 0.2]), HALO);
    let (mesh, of_brick) = (surface(&turning, false), surface(&brick, true));
    let all = [[Shape::Mesh(&mesh), Shape::Mesh(&of_brick)], [Shape::Mesh(&mesh), sphere(0.1, HALO)]];
    let interactions = rough();
    let laws = Laws::new(&interactions).unwrap();
    let mut random = Random::new(5);
    let (mut worst, mut most_damped, mut met) = (0.0_f64, 0.0_f64, 0);
    for case in 0..200 {
        let spin = random.in_cube(3.0);
        let own = vertex_velocities(&turning, |at| cross(spin, at));
        let surfaces = [moving(&turning, &own)];
        let law = WithSurfaces { law: &laws, surfaces: &surfaces };
        let shapes = all[usize::from(case % 5 == 4)];
        // On one side after the other. All of its face is within the halos, where it is tilted, too.
        let tilt = if case % 2 == 0 { [0.0; 3] } else { random.in_cube(2e-3) };
        let half = scale(0.5, tilt);
        let orientation = [half[0], half[1], half[2], (1.0 - dot(half, half)).sqrt()];
        let apothem = (core::f64::consts::PI / 8.0).cos();
        let place = [random.range(-0.15, 0.15), random.range(-0.5, 0.5), 0.1 + 1.5 * HALO - apothem];
        let body = Body { orientation, ..block(place) };
        let angle = core::f64::consts::FRAC_PI_4 * (case % 8) as f64;
        let turn = [0.0, (0.5 * angle).sin(), 0.0, (0.5 * angle).cos()];
        let body =
            Body { position: rotate(turn, body.position), orientation: contact::after(turn, body.orientation), ..body };
        let found = step(&mut world(0.0, None, body).0, &shapes, &law);
        let expected = step(&mut world(0.0, Some(spin), body).0, &shapes, &laws);
        let still = step(&mut world(0.0, None, body).0, &shapes, &laws);
        let size = length(expected[1].force);
        // The wall leaves some balls faster than they spring back.
        if size == 0.0 {
            assert!(case % 5 == 4 && length(found[1].force) == 0.0, "{case}");
            continue;
        }
        met += 1;
        for (a, b) in found.iter().zip(&expected) {
            worst = worst.max(length(sub(a.force, b.force)).max(length(sub(a.torque, b.torque))) / size);
        }
        most_damped = most_damped.max(length(sub(expected[1].torque, still[1].torque)) / size);
    }
    println!("worst {worst:e}, damped {most_damped}, {met} met");
    assert!(worst < 1e-9 && most_damped > 1e-3 && met > 180, "{worst:e} {most_damped} {met}");
}
