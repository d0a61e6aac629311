//! Impacts and sliding against the reference results of `physics.json`, and oscillations against what steps of a finite length make of them.

use dem_core::body::{Body, Order};
use dem_core::exec::Serial;
use dem_core::force::{Damping, Interaction, Laws, Normal, dashpot, hunt_crossley, stable_step};
use dem_core::pose::Pose;
use dem_core::world::{BodyDef, Handle, Setup};
use dem_std::OwnedWorld;
use dem_tests::data;
use dem_tests::shapes::{ground, sphere};
use dem_tests::vector::{add, cross, length, scale, sub};
use serde_json::Value;
use std::f64::consts::PI;

const RADIUS: f64 = 0.5;

fn world(setup: Setup, members: &[BodyDef]) -> (OwnedWorld, Vec<Handle>) {
    let mut world = OwnedWorld::with_executor(Box::new(Serial));
    world.set_up(&setup).unwrap();
    let handles = members.iter().map(|member| world.add(member).unwrap()).collect();
    (world, handles)
}

fn body(world: &OwnedWorld, handle: Handle) -> Body {
    world.view().unwrap().body(handle).unwrap()
}

/// A ball with a mass, at a place; of no mass, one that stays.
fn ball(mass: Option<f64>, position: [f64; 3], velocity: [f64; 3]) -> Body {
    match mass {
        Some(mass) => {
            let moments = [0.4 * mass * RADIUS * RADIUS; 3];
            Body { mass, moments, velocity, ..Body::ball(RADIUS, 1.0, position).unwrap() }
        }
        None => Body::fixed(Pose { position, ..Pose::IDENTITY }),
    }
}

fn cases(name: &str) -> Vec<Value> {
    let all = data::json("physics/physics.json");
    let list = if all[name].is_array() { all[name].clone() } else { all[name]["cases"].clone() };
    list.as_array().unwrap_or_else(|| panic!("no cases of {name}")).clone()
}

fn number(case: &Value, name: &str) -> f64 {
    case[name].as_f64().unwrap_or_else(|| panic!("{name} of {case}"))
}

/// Velocities after a central impact, whose momentum is that before, to rounding.
#[test]
fn head_on_impacts_are_those_of_the_reference() {
    let halo = 0.02;
    let shapes = [sphere(RADIUS, halo)];
    for case in cases("head_on") {
        let [m1, m2, v1, v2, e] = ["m1", "m2", "v1", "v2", "e"].map(|name| number(&case, name));
        for (damped, damping) in
            [(Damping::Dashpot, dashpot(e)), (Damping::HuntCrossley, hunt_crossley(e, (v1 - v2).abs()))]
        {
            // A law of Hunt and Crossley without restitution is not there: its coefficient is infinite.
            if e == 0.0 && damped == Damping::HuntCrossley {
                continue;
            }
            let table = [Interaction::new(Normal::Linear, 1e6).damped(damped, damping)];
            let laws = Laws::new(&table).unwrap();
            let far = RADIUS + halo + 1e-6;
            let members = [
                BodyDef::new(ball(Some(m1), [-far, 0.0, 0.0], [v1, 0.0, 0.0]), 0),
                BodyDef::new(ball(Some(m2), [far, 0.0, 0.0], [v2, 0.0, 0.0]), 0),
            ];
            let (mut world, handles) = world(Setup::default(), &members);
            // A large damping needs small steps.
            let zeta = if damped == Damping::Dashpot { damping } else { 0.0 };
            let dt = (0.2 * stable_step(1e6, m1 * m2 / (m1 + m2), zeta)).min(2e-6);
            world.advance(0.02, dt, &shapes, &laws).unwrap();
            let after = [0, 1].map(|k| body(&world, handles[k]).velocity);
            let energy = world.report().unwrap().totals.kinetic();
            println!("{damped:?} {case}: {after:?} {energy}");
            for (after, name) in after.iter().zip(["v1_after", "v2_after"]) {
                assert!(
                    (after[0] - number(&case, name)).abs() < 2e-3 * (v1 - v2).abs(),
                    "{damped:?} {case}: {after:?}"
                );
                assert!(after[1] == 0.0 && after[2] == 0.0);
            }
            let impulse = m1 * (v1 - after[0][0]);
            assert!((impulse - number(&case, "impulse")).abs() < 5e-3 * impulse, "{damped:?} {case}: {impulse}");
            let momentum = m1 * after[0][0] + m2 * after[1][0];
            assert!((momentum - number(&case, "momentum")).abs() < 1e-12 * m1, "{damped:?} {case}: {momentum:e}");
            let lost = number(&case, "E_before") - number(&case, "E_after");
            assert!((energy - number(&case, "E_after")).abs() < 5e-3 * lost.max(1.0), "{damped:?} {case}: {energy}");
        }
    }
}

/// How deep a spring lets a body come, how long that takes, what it pushes with, and from which velocity on bodies touch.
#[test]
fn springs_are_those_of_the_reference() {
    for case in cases("spring") {
        let [eps, stiffness, speed] = ["eps", "Ks", "v_rel"].map(|name| number(&case, name));
        let [omega, reach] = [number(&case, "omega"), 2.0 * eps];
        let (one, other) = (case["m1"].as_f64(), case["m2"].as_f64());
        let shapes = [sphere(RADIUS, eps)];
        let table = [Interaction::new(Normal::Spring, stiffness)];
        let laws = Laws::new(&table).unwrap();
        let dt = 1e-3 / omega;
        // Least gap, largest force and time of a contact that begins at this velocity.
        let run = |speed: f64| {
            let far = 2.0 * RADIUS + reach;
            let members = [
                BodyDef::new(ball(one, [0.0; 3], [speed, 0.0, 0.0]), 0),
                BodyDef::new(ball(other, [far, 0.0, 0.0], [0.0; 3]), 0),
            ];
            let (mut world, handles) = world(Setup::default(), &members);
            let (mut least, mut force, mut time) = (f64::INFINITY, 0.0f64, 0.0);
            for _ in 0..20_000 {
                world.advance(dt, dt, &shapes, &laws).unwrap();
                let view = world.view().unwrap();
                let Some(contact) = view.scene().now().contacts().first() else {
                    if time > 0.0 {
                        break;
                    }
                    continue;
                };
                (least, time) = (least.min(contact.least_gap), time + dt);
                // Of the same step.
                let law = stiffness * number(&case, "reduced_mass").sqrt() * (1.0 - contact.least_gap / reach);
                let acts = length(view.acts()[0].force);
                assert!((acts - law).abs() < 1e-9 * stiffness, "{case}: {acts} {law}");
                force = force.max(acts);
            }
            let velocity = [0, 1].map(|k| body(&world, handles[k]).velocity[0]);
            (least, force, time, velocity[1] - velocity[0])
        };
        let (least, force, time, apart) = run(speed);
        println!("{case}: {least} {force} {time} {apart}");
        let depth = reach - number(&case, "min_gap");
        // Steps meet the deepest place to second order, and the end to a step.
        assert!((least - number(&case, "min_gap")).abs() < 1e-3 * depth, "{case}: {least}");
        assert!((time - number(&case, "contact_time")).abs() < 3.0 * dt, "{case}: {time}");
        assert!((apart / speed - number(&case, "restitution_continuous")).abs() < 1e-3, "{case}: {apart}");
        assert_eq!(least <= 0.0, case["touches"].as_bool().unwrap(), "{case}: {least}");
        assert!((number(&case, "F_at_gap_eps") / number(&case, "F_at_gap0") - 0.5).abs() < 1e-12);
        let expected = number(&case, "F_at_gap0") * depth / reach;
        assert!((force - expected).abs() < 2e-3 * expected, "{case}: {force} {expected}");
        let most = number(&case, "v_max_before_touch");
        let [below, above] = [0.995, 1.005].map(|part| run(part * most));
        assert!(below.0 > 0.0 && above.0 < 0.0, "{case}: {} {}", below.0, above.0);
    }
}

/// A ball that is thrown flat slides on a plane, and rolls from 2 v / (7 mu g) on.
#[test]
fn what_slides_rolls_when_and_where_the_reference_says() {
    let (halo, g) = (1e-3, 9.81);
    let shapes = [ground(halo), sphere(RADIUS - halo, halo)];
    let mass = 500.0;
    for case in cases("sliding_to_rolling") {
        let [speed, mu, when] = ["v0", "mu", "t_roll"].map(|name| number(&case, name));
        // It lies at rest on its spring.
        let stiffness = 2e7;
        let height = RADIUS + halo - mass * g / stiffness;
        let table =
            [Interaction { torsion: 0.0, lag: 1e-3, ..Interaction::new(Normal::Linear, stiffness).rough(mu, 0.8) }];
        let laws = Laws::new(&table).unwrap();
        let start = ball(Some(mass), [0.0, 0.0, height], [speed, 0.0, 0.0]);
        let gravity = [0.0, 0.0, -g];
        let members = [BodyDef::new(Body::fixed(Pose::IDENTITY), 0), BodyDef::new(start, 1)];
        let (mut world, handles) = world(Setup { gravity, ..Setup::default() }, &members);
        let slips = |ball: &Body| ball.velocity[0] + cross(ball.angular_velocity, [0.0, 0.0, -RADIUS])[0];
        let dt = 2e-4;
        world.advance(0.98 * when, dt, &shapes, &laws).unwrap();
        let before = body(&world, handles[1]);
        world.advance(0.02 * when, dt, &shapes, &laws).unwrap();
        let at = body(&world, handles[1]);
        world.advance(when, dt, &shapes, &laws).unwrap();
        let after = body(&world, handles[1]);
        println!("{case}: {:?} {:?} {:?}", slips(&before), at.position, after.velocity);
        assert!((slips(&before) / speed - 0.02).abs() < 5e-3, "{case}: {}", slips(&before));
        assert!(slips(&after).abs() < 5e-3 * speed, "{case}: {}", slips(&after));
        let distance = number(&case, "distance");
        assert!((at.position[0] / distance - 1.0).abs() < 2e-3, "{case}: {:?}", at.position);
        let rolls = number(&case, "v_roll");
        assert!((after.velocity[0] / rolls - 1.0).abs() < 2e-3, "{case}: {:?}", after.velocity);
        // It rolls on at this velocity.
        let expected = distance + rolls * when;
        assert!((after.position[0] / expected - 1.0).abs() < 2e-3, "{case}: {:?}", after.position);
    }
}

/// Balls that fly past each other meet when the reference says, however little they graze.
#[test]
fn oblique_pairs_meet_when_the_reference_says() {
    let eps = 0.01;
    let shapes = [sphere(RADIUS, eps)];
    let table = [Interaction::new(Normal::Linear, 1e8)];
    let laws = Laws::new(&table).unwrap();
    for case in cases("oblique_pairs") {
        let [b, when] = [number(&case, "b"), number(&case, "t_contact")];
        let members = [
            BodyDef::new(ball(Some(1.0), [-5.0, b, 0.0], [10.0, 0.0, 0.0]), 0),
            BodyDef::new(ball(Some(1.0), [0.0; 3], [0.0; 3]), 0),
        ];
        let (mut world, handles) = world(Setup::default(), &members);
        let dt = 2e-5;
        world.advance(when - 1.5 * dt, dt, &shapes, &laws).unwrap();
        assert_eq!(world.report().unwrap().contacts, 0, "{case}");
        // A contact that is there as a step begins is found in it.
        let mut met = 0.0;
        for _ in 0..4 {
            let begun = world.view().unwrap().time();
            world.advance(dt, dt, &shapes, &laws).unwrap();
            if world.report().unwrap().contacts > 0 {
                met = begun;
                break;
            }
        }
        assert!((when..when + dt).contains(&met), "{case}: {met}");
        world.advance(0.01, dt, &shapes, &laws).unwrap();
        // Without friction, what goes along the line of centres goes over to the other ball.
        let sine = b / (2.0 * (RADIUS + eps));
        let along = [(1.0 - sine * sine).sqrt(), -sine, 0.0];
        let taken = scale(10.0 * along[0], along);
        let [one, other] = [0, 1].map(|k| body(&world, handles[k]).velocity);
        println!("{case}: {met} {one:?} {other:?}, expected {taken:?}");
        // In the time that a contact takes, the line turns by a little.
        let turns = 10.0 * PI / (1e8f64 / 0.5).sqrt() / (2.0 * (RADIUS + eps));
        assert!(length(sub(other, taken)) < 10.0 * turns, "{case}: {other:?} {taken:?}");
        assert!(length(sub(add(one, other), [10.0, 0.0, 0.0])) < 1e-13 * 10.0, "{case}: {one:?} {other:?}");
    }
}

/// Thirty-two pairs in one world, of which each bounces at its own time: where they are at the end.
#[test]
fn pairs_that_bounce_end_where_the_reference_says() {
    let all = data::json("physics/physics.json")["lts_pairs"].clone();
    let (eps, reach, end) = (0.01, 1.02, 6.0);
    let shapes = [sphere(RADIUS, eps)];
    let stiffness = 1e4;
    let table = [Interaction::new(Normal::Linear, stiffness)];
    let laws = Laws::new(&table).unwrap();
    let pairs = all["pairs"].as_array().unwrap();
    let mut members = Vec::new();
    for pair in pairs {
        let y = 3.0 * number(pair, "i");
        members.push(BodyDef::new(ball(Some(1.0), [-2.0, y, 0.0], [number(pair, "v_left"), 0.0, 0.0]), 0));
        members.push(BodyDef::new(ball(Some(1.0), [2.0, y, 0.0], [number(pair, "v_right"), 0.0, 0.0]), 0));
    }
    let (mut world, handles) = world(Setup::default(), &members);
    let dt = 1e-4;
    world.advance(end, dt, &shapes, &laws).unwrap();
    // A spring takes half a period, in which the pair's middle goes on and its distance is the same again.
    let takes = PI / (stiffness / 0.5).sqrt();
    let mut worst = 0.0f64;
    for (pair, two) in pairs.iter().zip(handles.chunks(2)) {
        let [left, right] = [number(pair, "v_left"), number(pair, "v_right")];
        assert!((number(pair, "t_contact") - (4.0 - reach) / (left - right)).abs() < 1e-12, "{pair}");
        let late = 0.5 * takes * (left - right);
        let [x, y] = [0, 1].map(|k| body(&world, two[k]));
        let off =
            [x.position[0] - number(pair, "x_left_end") - late, y.position[0] - number(pair, "x_right_end") + late];
        worst = off.iter().fold(worst, |worst, off| worst.max(off.abs()));
        assert!(off.iter().all(|off| off.abs() < dt * (left - right)), "{pair}: {off:?}");
        let swapped = [x.velocity[0] - right, y.velocity[0] - left];
        assert!(swapped.iter().all(|off| off.abs() < 5e-3 * (left - right)), "{pair}: {swapped:?}");
    }
    println!("off by at most {worst}");
}

/// Semi-implicit Euler at w dt = 2 sin(pi / 2N) reverses a velocity in exactly N steps; positions first, at w dt = tan(pi / N), it comes back 1 / cos(pi / N)^N as fast.
#[test]
fn impacts_at_the_steps_of_closed_forms_come_back_exactly() {
    let (halo, stiffness, mass, speed) = (0.05, 1000.0, 2.0, 0.25);
    let w = f64::sqrt(stiffness / mass);
    let shapes = [ground(halo), sphere(RADIUS - halo, halo)];
    let table = [Interaction::new(Normal::Linear, stiffness)];
    let laws = Laws::new(&table).unwrap();
    for n in [2, 3, 4, 6, 10, 100] {
        let turn = PI / f64::from(n);
        for (order, dt, back) in [
            (Order::SemiImplicit, 2.0 * (0.5 * turn).sin() / w, 1.0),
            (Order::Explicit, turn.tan() / w, turn.cos().powi(-n)),
        ] {
            if n == 2 && order == Order::Explicit {
                continue;
            }
            // Halos begin to meet.
            let start = ball(Some(mass), [0.0, 0.0, RADIUS + halo], [0.0, 0.0, -speed]);
            let members = [BodyDef::new(Body::fixed(Pose::IDENTITY), 0), BodyDef::new(start, 1)];
            let (mut world, handles) = world(Setup { order: order as u32, ..Setup::default() }, &members);
            world.advance(f64::from(n) * dt, dt, &shapes, &laws).unwrap();
            assert_eq!(world.view().unwrap().steps(), n as u64, "{order:?}: steps were divided");
            let got = body(&world, handles[1]);
            println!(
                "{order:?} {n}: e off by {:e}, place by {:e}",
                got.velocity[2] / speed - back,
                got.position[2] - start.position[2]
            );
            assert!((got.velocity[2] / speed / back - 1.0).abs() < 1e-11, "{order:?} {n}: {}", got.velocity[2] / speed);
            assert!((got.position[2] - start.position[2]).abs() < 1e-12, "{order:?} {n}: {:?}", got.position);
        }
    }
    // 64/27, as a number.
    assert!(((PI / 6.0).cos().powi(-6) - 64.0 / 27.0).abs() < 1e-14);
}

/// Balls on a wall, pressed together by a load: each mode `sin(j t)` of the chain has the frequency `w^2 = (4k/m) sin^2(t / 2)` with `t = (2p - 1) pi / (2N + 1)`,
/// and the steps of 2 sin(pi / 2M) / w bring it back after 2M of them. Steps are stable up to 2 / w of the fastest mode.
#[test]
fn a_chain_has_the_frequencies_of_its_closed_form() {
    let (halo, stiffness, mass) = (0.05, 1000.0, 2.0);
    let reach = 2.0 * halo;
    let shapes = [ground(halo), sphere(RADIUS - halo, halo)];
    let table = [Interaction::new(Normal::Linear, stiffness)];
    let laws = Laws::new(&table).unwrap();
    // So little that the load on the last ball, by itself, moves it by no more in a step than is allowed: worlds divide longer steps.
    let pressed = 0.1 * reach;
    let size = 1e-3 * reach;
    for n in [1_u32, 2, 5, 9] {
        // A halo of the plane is below the first ball.
        let rest = |j: u32| RADIUS + halo - pressed + f64::from(j) * (2.0 * RADIUS - pressed);
        let angle = |p: u32| f64::from(2 * p - 1) * PI / f64::from(2 * n + 1);
        let frequency = |p: u32| (4.0 * stiffness / mass).sqrt() * (0.5 * angle(p)).sin();
        let fastest = frequency(n);
        let chain = |p: u32| {
            let mut members = vec![BodyDef::new(Body::fixed(Pose::IDENTITY), 0)];
            members.extend((0..n).map(|j| {
                let off = size * (f64::from(j + 1) * angle(p)).sin();
                BodyDef::new(ball(Some(mass), [0.0, 0.0, rest(j) + off], [0.0; 3]), 1)
            }));
            let (mut world, handles) = world(Setup::default(), &members);
            world.with_loads(|loads| loads[n as usize].force[2] = -stiffness * pressed).unwrap();
            (world, handles)
        };
        let offsets = |world: &OwnedWorld, handles: &[Handle]| -> Vec<f64> {
            (0..n).map(|j| body(world, handles[j as usize + 1]).position[2] - rest(j)).collect()
        };
        for p in 1..=n {
            let (mut world, handles) = chain(p);
            let w = frequency(p);
            // So many steps that the fastest mode is stable.
            let half = (3..).find(|m| (0.5 * PI / f64::from(*m)).sin() < 0.9 * w / fastest).unwrap();
            let dt = 2.0 * (0.5 * PI / f64::from(half)).sin() / w;
            world.advance(f64::from(2 * half) * dt, dt, &shapes, &laws).unwrap();
            assert_eq!(world.view().unwrap().steps(), u64::from(2 * half as u32));
            let now = offsets(&world, &handles);
            for (j, now) in now.iter().enumerate() {
                let expected = size * ((j + 1) as f64 * angle(p)).sin();
                assert!((now - expected).abs() < 1e-9 * size, "{n} {p}, ball {j}: {now} {expected}");
            }
            let told = world.report().unwrap().frequency;
            assert!(told > fastest * (1.0 - 1e-9) && told < 2.0 * fastest, "{n}: told {told}, fastest {fastest}");
        }
        for (part, stable) in [(0.99, true), (1.01, false)] {
            let (mut world, handles) = chain(n);
            let dt = part * 2.0 / fastest;
            world.advance(200.0 * dt, dt, &shapes, &laws).unwrap();
            let far = offsets(&world, &handles).iter().fold(0.0f64, |far, off| far.max(off.abs()));
            println!("{n} balls at {part} of the limit: {:.3} of what they began with", far / size);
            assert_eq!(far < 20.0 * size, stable, "{n} {part}: {far} {size}");
        }
    }
}
