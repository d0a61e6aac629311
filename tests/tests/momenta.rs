//! Momentum and angular momentum of closed systems: what each order of a step keeps to rounding, and by how much the other one changes it.
//!
//! A contact pushes both bodies at one point, at which it was found with the positions x of the accepted state. Semi-implicit Euler moves bodies along their new
//! velocities v', and (x + dt v') × m v' = x × m v': so the sum changes by dt times all torques about one fixed point, which is 0. With positions first bodies have
//! moved by dt v where the torque was not looked for, and the sum changes by dt^2 v × F.

use dem_core::body::{Body, Order};
use dem_core::contact::shape::{Part, Shape};
use dem_core::exec::Serial;
use dem_core::force::{Cohesion, Damping, Interaction, Laws, Normal};
use dem_core::pose::Pose;
use dem_core::world::{BodyDef, Handle, Records, Setup};
use dem_std::OwnedWorld;
use dem_tests::contact::{self, cuboid};
use dem_tests::random::Random;
use dem_tests::shapes::{capsule, sphere, surface};
use dem_tests::vector::{add, cross, length, scale, sub};

const HALO: f64 = 0.02;
const DT: f64 = 5e-4;

/// Which shapes bodies of a system have, in turn.
const MIXED: [u32; 4] = [0, 1, 2, 3];
const BALLS: [u32; 4] = [0; 4];
const CLUMPS: [u32; 4] = [0, 3, 0, 3];

/// A cloud that flies together, turns and has nothing around it.
fn cloud(kinds: [u32; 4]) -> Vec<BodyDef> {
    let mut random = Random::new(5);
    (0..27_usize)
        .map(|i| {
            let at = [i % 3, i / 3 % 3, i / 9].map(|k| 0.82 * (k as f64 - 1.0));
            let position = add(at, random.in_cube(0.02));
            let kind = kinds[i % 4];
            let flies = add(scale(-4.0, at), cross([0.5, -1.0, 2.0], at));
            let mass = random.range(50.0, 100.0);
            // What is no ball has moments of its own.
            let moments = if kind == 0 { [0.4 * mass * 0.09; 3] } else { [0.9, 1.2, 1.6].map(|x| 0.03 * mass * x) };
            let body = Body {
                mass,
                moments,
                orientation: random.rotation(),
                velocity: add(add(flies, [3.0, 1.0, -2.0]), random.in_cube(0.3)),
                angular_velocity: random.in_cube(4.0),
                ..Body::ball(0.3, 1.0, add(position, [7.0, -4.0, 2.0])).unwrap()
            };
            BodyDef::new(body, kind)
        })
        .collect()
}

fn with_shapes<R>(test: impl FnOnce(&[Shape<'_>]) -> R) -> R {
    let mesh = contact::Body::conservative(&cuboid([0.5, 0.4, 0.35]), HALO);
    let own = surface(&mesh, true);
    let part = |x: f64| Part {
        shape: sphere(0.2, HALO),
        pose: Pose { position: [x, 0.0, 0.0], ..Pose::IDENTITY },
        scale: 1.0,
    };
    let parts = [part(-0.1), part(0.1)];
    test(&[sphere(0.28, HALO), Shape::Mesh(&own), capsule(0.1, 0.2, HALO), Shape::Compound(&parts)])
}

fn world(order: Order, members: &[BodyDef]) -> (OwnedWorld, Vec<Handle>) {
    let mut world = OwnedWorld::with_executor(Box::new(Serial));
    world.set_up(&Setup { order: order as u32, ..Setup::default() }).unwrap();
    let handles = members.iter().map(|member| world.add(member).unwrap()).collect();
    world.settings.room.segments = 256;
    (world, handles)
}

/// Laws with all that they have: each normal force, each damping, friction, torsion, rolling, both cohesions.
fn laws() -> [Interaction; 4] {
    let rough = |law: Interaction| Interaction { lag: 1e-4, rolling: 0.1, ..law.rough(0.5, 0.8) };
    [
        rough(Interaction::new(Normal::Pressure, 4e6).damped(Damping::Dashpot, 0.2).sticky(Cohesion::Area, 1e4)),
        rough(Interaction::new(Normal::Linear, 4e5).damped(Damping::HuntCrossley, 0.3)),
        rough(Interaction::new(Normal::Hertz, 2e6).damped(Damping::DashpotWithTension, 0.1)),
        rough(Interaction::new(Normal::Spring, 1e4).damped(Damping::Dashpot, 0.2).sticky(Cohesion::Dmt, 10.0)),
    ]
}

/// Sums of momenta and angular momenta, and of their magnitudes.
fn momenta(world: &OwnedWorld, handles: &[Handle]) -> ([[f64; 3]; 2], [f64; 2]) {
    let totals = world.report().unwrap().totals;
    let mut sizes = [0.0; 2];
    for handle in handles {
        let body = world.view().unwrap().body(*handle).unwrap();
        let momentum = scale(body.mass, body.velocity);
        sizes[0] += length(momentum);
        sizes[1] += length(body.position) * length(momentum) + length(body.angular_momentum());
    }
    ([totals.momentum, totals.angular_momentum], sizes)
}

/// Whatever bodies and laws there are, with records and without.
#[test]
fn semi_implicit_steps_keep_both_momenta_to_rounding() {
    with_shapes(|shapes| {
        for (kinds, records) in
            [(MIXED, Records::Last), (BALLS, Records::Last), (BALLS, Records::None), (CLUMPS, Records::None)]
        {
            for law in laws() {
                let (mut world, handles) = world(Order::SemiImplicit, &cloud(kinds));
                world.keep_records(records).unwrap();
                let table = [law];
                let laws = Laws::new(&table).unwrap();
                let (start, sizes) = momenta(&world, &handles);
                let kinetic = world.report().unwrap().totals.kinetic();
                let (mut most, mut worst, mut work) = (0, [0.0f64; 2], 0.0);
                for _ in 0..30 {
                    world.advance(10.0 * DT, DT, shapes, &laws).unwrap();
                    let report = world.report().unwrap();
                    (most, work) = (most.max(report.contacts), work + report.work);
                    let (now, _) = momenta(&world, &handles);
                    for k in 0..2 {
                        worst[k] = worst[k].max(length(sub(now[k], start[k])) / sizes[k]);
                    }
                }
                let end = world.report().unwrap().totals.kinetic();
                let (lost, off) = (1.0 - end / kinetic, (end - kinetic - work) / kinetic);
                // Works are all of the change of the kinetic energy where no rotation changes it by itself.
                let bound = if kinds == BALLS { 1e-13 } else { 1e-3 };
                assert!(off.abs() < bound, "{kinds:?} {records:?}: works miss {off:e}");
                println!(
                    "{kinds:?} {records:?} normal {}: off by {worst:?}, {most} contacts, lost {lost:.3}",
                    law.normal
                );
                assert!(lost > 0.02 && (most > 10 || records == Records::None), "{kinds:?}: {most} {lost}");
                assert!(worst.iter().all(|off| *off < 1e-13), "{kinds:?} {records:?} {law:?}: {worst:?}");
            }
        }
    });
}

/// Positions first: the momentum stays, and the angular momentum changes by the sum of dt^2 v × F in each step, v the velocities with which it begins.
#[test]
fn steps_with_positions_first_change_the_angular_momentum_by_a_closed_form() {
    with_shapes(|shapes| {
        let table = [laws()[1]];
        let laws = Laws::new(&table).unwrap();
        let run = |dt: f64| {
            let (mut world, handles) = world(Order::Explicit, &cloud(MIXED));
            let ([momentum, start], sizes) = momenta(&world, &handles);
            let (mut last, mut worst, mut whole) = (start, 0.0f64, [0.0; 3]);
            for step in 1..=(0.1 / dt).round() as u64 {
                let before: Vec<[f64; 3]> =
                    handles.iter().map(|handle| world.view().unwrap().body(*handle).unwrap().velocity).collect();
                world.advance(dt, dt, shapes, &laws).unwrap();
                let view = world.view().unwrap();
                assert_eq!(view.steps(), step, "a step was divided");
                let expected = handles.iter().zip(&before).fold([0.0; 3], |sum, (handle, velocity)| {
                    let force = view.wrenches()[handle.slot as usize].force;
                    add(sum, scale(dt * dt, cross(*velocity, force)))
                });
                let ([_, now], _) = momenta(&world, &handles);
                worst = worst.max(length(sub(sub(now, last), expected)) / sizes[1]);
                (last, whole) = (now, add(whole, expected));
            }
            let ([end, _], _) = momenta(&world, &handles);
            assert!(length(sub(end, momentum)) < 1e-13 * sizes[0]);
            assert!(length(sub(sub(last, start), whole)) < 1e-12 * sizes[1]);
            let part = length(sub(last, start)) / sizes[1];
            println!("dt {dt}: changes by {part:e}, which is the closed form to {worst:e}");
            assert!(worst < 1e-14, "{worst:e}");
            part
        };
        // As large as the step.
        let [coarse, fine] = [4e-4, 2e-4].map(run);
        assert!(fine > 1e-9 && (1.4..2.8).contains(&(coarse / fine)), "{coarse:e} {fine:e}");
    });
}

/// A pair across the border of a periodic box pushes at two points: each push turns the sum by the period times its force.
#[test]
fn images_turn_a_periodic_box_by_a_period_times_their_force() {
    let shapes = [sphere(0.28, HALO)];
    let period = 2.0;
    let mut world = OwnedWorld::with_executor(Box::new(Serial));
    world.set_up(&Setup { periods: [period, 0.0, 0.0], ..Setup::default() }).unwrap();
    let fly = |position, velocity| Body { velocity, ..Body::ball(0.3, 800.0, position).unwrap() };
    let handles: Vec<Handle> = [fly([0.2, 0.0, 0.0], [0.0, 1.0, 0.0]), fly([1.62, 0.1, 0.0], [0.0, 0.0, 0.0])]
        .into_iter()
        .map(|body| world.add(&BodyDef::new(body, 0)).unwrap())
        .collect();
    let table = [Interaction::new(Normal::Linear, 1e5).rough(0.4, 0.8)];
    let laws = Laws::new(&table).unwrap();
    let (mut pushed, mut last) = (0.0f64, momenta(&world, &handles).0);
    let start = last[0];
    for _ in 0..100 {
        world.advance(DT, DT, &shapes, &laws).unwrap();
        let ([momentum, now], sizes) = momenta(&world, &handles);
        let view = world.view().unwrap();
        // The force on the first ball acts a period away from where the second one feels its opposite.
        let force = view.wrenches()[handles[0].slot as usize].force;
        let expected = scale(DT, cross([period, 0.0, 0.0], scale(-1.0, force)));
        let off = length(sub(sub(now, last[1]), expected)) / sizes[1];
        assert!(off < 1e-14, "{off:e}: {now:?} {last:?} {expected:?}");
        assert!(length(sub(momentum, start)) < 1e-13 * sizes[0]);
        (pushed, last) = (pushed.max(length(force)), [momentum, now]);
    }
    assert!(pushed > 10.0, "{pushed}");
}
