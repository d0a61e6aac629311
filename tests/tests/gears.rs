//! Machines: gears in mesh, one of which drives the other against a load, and a chain of rings that hangs.

use dem_core::body::Body;
use dem_core::broad::Motion;
use dem_core::contact::shape::Shape;
use dem_core::exec::Serial;
use dem_core::force::{Damping, Interaction, Laws, Normal};
use dem_core::pose::Pose;
use dem_core::world::{BodyDef, Handle, Setup};
use dem_std::{OwnedWorld, generate};
use dem_tests::Triangle;
use dem_tests::contact::{self, soup};
use dem_tests::shapes::surface;
use dem_tests::vector::length;
use std::f64::consts::{FRAC_1_SQRT_2, PI, TAU};

fn world(gravity: [f64; 3], members: &[BodyDef]) -> (OwnedWorld, Vec<Handle>) {
    let mut world = OwnedWorld::with_executor(Box::new(Serial));
    world.settings.energy = true;
    world.set_up(&Setup { gravity, ..Setup::default() }).unwrap();
    let handles = members.iter().map(|member| world.add(member).unwrap()).collect();
    (world, handles)
}

fn body(world: &OwnedWorld, handle: Handle) -> Body {
    world.view().unwrap().body(handle).unwrap()
}

const MODULE: f64 = 0.1;
const GEAR_HALO: f64 = 0.008;

/// An involute gear about the z axis with a pressure angle of 20 degrees, a tooth on the x axis, so thick, whose flanks stand back by `play` along their normals.
fn gear(teeth: u32, thick: f64, play: f64) -> Vec<Triangle> {
    let pressure = 20f64.to_radians();
    let pitch = 0.5 * MODULE * f64::from(teeth);
    let base = pitch * pressure.cos();
    let (tip, root) = (pitch + MODULE, pitch - 1.25 * MODULE);
    let involute = |angle: f64| angle.tan() - angle;
    // Half the angle of a tooth at this radius; radial below the base circle.
    let half = |radius: f64| {
        let at = (base / radius).min(1.0).acos();
        PI / f64::from(2 * teeth) + involute(pressure) - involute(at) - play / base
    };
    let low = base.max(root);
    let radii: Vec<f64> =
        std::iter::once(root).chain((0..=6).map(|k| low + (tip - low) * f64::from(k) / 6.0)).collect();
    let mut outline = Vec::new();
    for tooth in 0..teeth {
        let middle = TAU * f64::from(tooth) / f64::from(teeth);
        let flank = |radius: f64, side: f64| (radius, middle + side * half(radius));
        let up = radii.iter().map(|radius| flank(*radius, -1.0));
        let down = radii.iter().rev().map(|radius| flank(*radius, 1.0));
        outline.extend(up.chain(down).map(|(radius, angle)| [radius * angle.cos(), radius * angle.sin()]));
    }
    let z = 0.5 * thick;
    let mut all = Vec::new();
    for (i, [x, y]) in outline.iter().copied().enumerate() {
        let [u, v] = outline[(i + 1) % outline.len()];
        all.push([[0.0, 0.0, z], [x, y, z], [u, v, z]]);
        all.push([[0.0, 0.0, -z], [u, v, -z], [x, y, -z]]);
        all.push([[x, y, -z], [u, v, -z], [u, v, z]]);
        all.push([[x, y, -z], [u, v, z], [x, y, z]]);
    }
    all
}

/// One gear of 18 teeth turns with a constant speed, and drives one of 24 teeth against a constant torque.
#[test]
fn gears_keep_their_ratio_and_their_work() {
    let (first, second, per_turn, turns) = (18_u32, 24_u32, 1575, 2);
    let ratio = f64::from(first) / f64::from(second);
    let meshes = [gear(first, 0.3, 1.2 * GEAR_HALO), gear(second, 0.4, 1.2 * GEAR_HALO)];
    let bodies = meshes.map(|mesh| contact::Body::conservative(&mesh, GEAR_HALO));
    let own = bodies.each_ref().map(|body| surface(body, true));
    let shapes = [Shape::Mesh(&own[0]), Shape::Mesh(&own[1])];
    let (speed, load, inertia) = (1.0, 1.0, 0.3);
    let driver =
        Body { angular_velocity: [0.0, 0.0, speed], motion: Motion::Kinematic as u32, ..Body::fixed(Pose::IDENTITY) };
    // So heavy that its axis stays; a gap between its teeth looks at the other gear.
    let turned = 0.5 * (PI + PI / f64::from(second));
    let driven = Body {
        mass: 1e12,
        moments: [1e12, 1e12, inertia],
        orientation: [0.0, 0.0, turned.sin(), turned.cos()],
        angular_velocity: [0.0, 0.0, -ratio * speed],
        ..Body::ball(1.0, 1.0, [0.5 * MODULE * f64::from(first + second), 0.0, 0.0]).unwrap()
    };
    let (mut world, handles) = world([0.0; 3], &[BodyDef::new(driver, 0), BodyDef::new(driven, 1)]);
    world.with_loads(|loads| loads[handles[1].slot as usize].torque[2] = load).unwrap();
    let law = Interaction::new(Normal::Pressure, 300.0).damped(Damping::HuntCrossley, 5.0).rough(0.1, 0.8);
    let table = [Interaction { lag: 1e-3, ..law }];
    let laws = Laws::new(&table).unwrap();
    let dt = TAU / f64::from(per_turn) / speed;
    let angle = |world: &OwnedWorld| {
        let [_, _, z, w] = body(world, handles[1]).orientation;
        2.0 * z.atan2(w)
    };
    let (mut turned, mut last) = (0.0, angle(&world));
    let (mut given, mut taken, mut damped, mut rubbed) = (0.0, 0.0, 0.0, 0.0);
    let (mut range, mut at_turns, mut touching) = ([f64::INFINITY, f64::NEG_INFINITY], Vec::new(), u32::MAX);
    let mut begun = 0.0;
    for step in 1..=turns * per_turn {
        let before = body(&world, handles[1]).angular_velocity[2];
        world.advance(dt, dt, &shapes, &laws).unwrap();
        let now = angle(&world);
        let off = (now - last + PI).rem_euclid(TAU) - PI;
        (turned, last) = (turned + off, now);
        // The first teeth: the play goes, and what moves comes to rest on the flanks.
        if step <= per_turn / 9 {
            let report = world.report().unwrap();
            begun = report.totals.rotation + report.stored_normal + report.stored_tangential;
            continue;
        }
        let (view, report) = (world.view().unwrap(), world.report().unwrap());
        given -= view.wrenches()[handles[0].slot as usize].torque[2] * speed * dt;
        taken -= load * 0.5 * (before + body(&world, handles[1]).angular_velocity[2]) * dt;
        (damped, rubbed) = (damped + report.damped, rubbed + report.rubbed);
        touching = touching.min(report.contacts as u32);
        // How far the driven one is from where the teeth put it.
        let lag = turned + ratio * speed * dt * f64::from(step);
        range = [range[0].min(lag), range[1].max(lag)];
        if step % per_turn == 0 {
            at_turns.push(lag);
        }
    }
    let report = world.report().unwrap();
    let kept = report.totals.rotation + report.stored_normal + report.stored_tangential - begun;
    let rest = given - taken - damped - rubbed - kept;
    println!(
        "lag within {range:?}, at whole turns {at_turns:?}; given {given:.5}, taken {taken:.5}, damped {damped:.2e}, rubbed {rubbed:.5}, kept {kept:.2e}, rest {rest:.2e}"
    );
    assert!(touching >= 1, "teeth lost each other");
    // A tooth is .26 wide: it never slips, and the lag does not grow.
    assert!(range[1] - range[0] < 0.01 && range[0].abs().max(range[1].abs()) < 0.02, "{range:?}");
    assert!(at_turns.windows(2).all(|two| (two[1] - two[0]).abs() < 1e-4), "{at_turns:?}");
    let expected = load * ratio * TAU * (f64::from(turns) - 1.0 / 9.0);
    assert!((taken / expected - 1.0).abs() < 2e-3, "{taken} {expected}");
    // Friction takes its part, and nothing else.
    assert!(rubbed > 1e-3 * given && rubbed < 0.1 * given, "{rubbed} of {given}");
    assert!(rest.abs() < 0.02 * given, "{rest} of {given}");
}

/// Five rings that hang in each other from one that is fixed: each bears the weight of those below.
#[test]
fn rings_of_a_chain_bear_the_weight_below() {
    let (large, small, halo, mass, g) = (1.0, 0.2, 0.01, 790.0, 9.81);
    let mesh = contact::Body::conservative(&soup(&generate::torus(large, small, 32, 12).unwrap()), halo);
    let own = surface(&mesh, true);
    let shapes = [Shape::Mesh(&own)];
    let (along, across) = (0.5 * mass * large * large, mass * large * large);
    let moments = [
        along + 0.625 * mass * small * small,
        along + 0.625 * mass * small * small,
        across + 0.75 * mass * small * small,
    ];
    // Their axes are along y and x in turn, and their halos meet by a part.
    let turns = [[FRAC_1_SQRT_2, 0.0, 0.0, FRAC_1_SQRT_2], [0.0, FRAC_1_SQRT_2, 0.0, FRAC_1_SQRT_2]];
    let apart = 2.0 * (large - small) - 1.4 * halo;
    let members: Vec<BodyDef> = (0..5_usize)
        .map(|k| {
            let pose = Pose { position: [0.0, 0.0, -apart * k as f64], orientation: turns[k % 2] };
            let hangs =
                Body { mass, moments, orientation: pose.orientation, ..Body::ball(1.0, 1.0, pose.position).unwrap() };
            BodyDef::new(if k == 0 { Body::fixed(pose) } else { hangs }, 0)
        })
        .collect();
    let (mut world, handles) = world([0.0, 0.0, -g], &members);
    let law = Interaction::new(Normal::Pressure, 2e7).damped(Damping::Dashpot, 1.0).rough(0.4, 0.8);
    let table = [Interaction { lag: 2e-3, ..law }];
    let laws = Laws::new(&table).unwrap();
    world.advance(1.5, 1e-3, &shapes, &laws).unwrap();
    let report = world.report().unwrap();
    let fastest = (1..5).map(|k| length(body(&world, handles[k]).velocity)).fold(0.0, f64::max);
    println!(
        "{} contacts of {} pairs, fastest {fastest:e}, least gap {}",
        report.contacts, report.pairs, report.least_gap
    );
    assert!(report.pairs == 4 && report.least_gap > 0.0 && fastest < 1e-4, "{fastest:e}");
    let view = world.view().unwrap();
    let step = view.scene().now();
    for pair in step.pairs() {
        // What the upper of both feels from all contacts of the pair.
        let force =
            view.acts()[pair.contacts()].iter().fold([0.0; 3], |sum, act| [0, 1, 2].map(|k| sum[k] + act.force[k]));
        let upper = pair.a.min(pair.b);
        let down = if pair.a == upper { force } else { force.map(|x| -x) };
        let below = f64::from(4 - upper) * mass * g;
        println!("ring {upper}: {down:?}, below {below}");
        assert!((down[2] / below + 1.0).abs() < 1e-4, "{upper}: {down:?} {below}");
        assert!(down[0].hypot(down[1]) < 1e-3 * below, "{upper}: {down:?}");
    }
}
