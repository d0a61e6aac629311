//! Rigid bodies by themselves, against closed forms and integrations of high accuracy; and a free body on a wall, by the contacts of a scene.

use dem_core::array::{Array, Words};
use dem_core::body::{Body, Columns, Order, Rotation, Step, advance, totals};
use dem_core::broad::Motion;
use dem_core::contact::shape::{Part, Shape};
use dem_core::detect::{Bodies, Wrench};
use dem_core::error::{Kind, What};
use dem_core::exec::{Executor, Serial};
use dem_core::mesh::{MassProperties, mass_properties, mass_scratch};
use dem_core::pose::Pose;
use dem_std::{Memory, OwnedScene, Threads, generate};
use dem_tests::Triangle;
use dem_tests::contact::{self, at, cuboid, soup};
use dem_tests::data;
use dem_tests::random::Random;
use dem_tests::shapes::{ground, surface};
use dem_tests::vector::{add, cross, dot, length, rotate, scale, sub};

const NOTHING: Wrench = Wrench { force: [0.0; 3], torque: [0.0; 3] };

/// One number or a list of them.
fn numbers<const N: usize>(value: &serde_json::Value) -> [f64; N] {
    std::array::from_fn(|i| value[i].as_f64().unwrap())
}

/// Of mass 1 at the origin, with these moments.
fn top(moments: [f64; 3], angular_velocity: [f64; 3]) -> Body {
    Body { mass: 1.0, moments, angular_velocity, motion: Motion::Dynamic as u32, ..Body::fixed(Pose::IDENTITY) }
}

/// Angular velocity along the principal axes.
fn own(body: &Body) -> [f64; 3] {
    let [x, y, z, w] = body.orientation;
    rotate([-x, -y, -z, w], body.angular_velocity)
}

fn energy(body: &Body) -> f64 {
    totals(&Serial, &[*body], [0.0; 3]).unwrap().kinetic()
}

/// Somewhere, in any direction, turning and flying.
fn thrown(random: &mut Random) -> Body {
    let [a, b, c] = random.in_cube(1.0).map(|x| 1.0 + 0.3 * x);
    Body {
        position: random.in_cube(5.0),
        orientation: random.rotation(),
        velocity: random.in_cube(2.0),
        angular_velocity: random.in_cube(3.0),
        mass: 0.1 + a * a,
        moments: [b + c, c + a, a + b],
        ..top([1.0; 3], [0.0; 3])
    }
}

fn pushed(random: &mut Random) -> Wrench {
    Wrench { force: random.in_cube(3.0), torque: random.in_cube(2.0) }
}

/// Errors of the angular velocity and the energy at the times of the reference, and of the orientation at the last of them, with so many steps for each unit of time.
fn against_reference(case: &serde_json::Value, steps: f64, rotation: Rotation) -> [f64; 3] {
    let mut body = top(numbers(&case["I"]), numbers(&case["w0_body"]));
    let (start, momentum) = (energy(&body), body.angular_momentum());
    let (mut worst, mut drift, mut time, mut turned) = (0.0_f64, 0.0_f64, 0.0, 0.0);
    for state in case["states"].as_array().unwrap() {
        let until = state["t"].as_f64().unwrap();
        let count = ((until - time) * steps).ceil();
        let step = Step { rotation, ..Step::new(if count > 0.0 { (until - time) / count } else { 1.0 }) };
        for _ in 0..count as usize {
            advance(&Serial, std::slice::from_mut(&mut body), &[NOTHING], &step).unwrap();
            drift = drift.max((energy(&body) / start - 1.0).abs());
        }
        time = until;
        worst = worst.max(length(sub(own(&body), numbers(&state["w_body"]))));
        let [w, x, y, z] = numbers(&state["q_wxyz"]);
        let same: f64 = body.orientation.iter().zip([x, y, z, w]).map(|(a, b)| a * b).sum();
        turned = 2.0 * same.abs().min(1.0).acos();
    }
    if rotation == Rotation::Splitting {
        // A rounding of each step.
        let change = length(sub(body.angular_momentum(), momentum));
        assert!(change < 1e-16 * length(momentum) * (time * steps).max(100.0), "{change:e}");
    }
    [worst, drift, turned]
}

#[test]
fn a_free_top_is_that_of_the_reference_to_second_order() {
    let reference = data::json("physics/physics.json")["asymmetric_top"].clone();
    for case in reference["cases"].as_array().unwrap() {
        let [coarse, fine] = [200.0, 400.0].map(|steps| against_reference(case, steps, Rotation::Splitting));
        println!("{} coarse {coarse:?} fine {fine:?}", case["I"]);
        assert!(fine[1] < 1e-4, "the energy of a free body stays: {fine:?}");
        for k in 0..3 {
            assert!(coarse[k] < 1e-9 || (3.7..4.3).contains(&(coarse[k] / fine[k])), "{k}: {coarse:?} {fine:?}");
        }
    }
}

/// With I = (1, 2, 3) and steps of .01 the energy by splitting stays within 1e-6 over a hundred units of time, and does not drift; by the
/// explicit gyroscopic torque it grows by percents. Flips are 19.5529 apart.
#[test]
fn splitting_does_not_drift_where_the_explicit_torque_does() {
    let mut flips = Vec::new();
    let grown = [Rotation::Splitting, Rotation::Gyroscopic].map(|rotation| {
        let mut body = top([1.0, 2.0, 3.0], [0.01, 1.0, 0.01]);
        let (start, step) = (energy(&body), Step { rotation, ..Step::new(0.01) });
        let mut worst = 0.0_f64;
        for k in 0..10_000 {
            let before = own(&body)[1];
            advance(&Serial, std::slice::from_mut(&mut body), &[NOTHING], &step).unwrap();
            let now = own(&body)[1];
            if rotation == Rotation::Splitting && before * now < 0.0 {
                flips.push(0.01 * (f64::from(k) + before / (before - now)));
            }
            worst = worst.max((energy(&body) / start - 1.0).abs());
        }
        worst
    });
    println!("{grown:?} {flips:.4?}");
    assert!(grown[0] < 1e-6 && (0.03..0.1).contains(&grown[1]), "{grown:?}");
    assert!(flips.len() == 5 && flips.windows(2).all(|pair| (pair[1] - pair[0] - 19.5529).abs() < 0.02), "{flips:?}");
}

#[test]
fn momenta_change_by_what_acts_and_works_are_the_change_of_energy() {
    let mut random = Random::new(3);
    let gravity = [0.3, -0.5, -9.81];
    for rotation in [Rotation::Splitting, Rotation::Gyroscopic] {
        for order in [Order::SemiImplicit, Order::Explicit] {
            let mut bodies: Vec<Body> = (0..200).map(|_| thrown(&mut random)).collect();
            let wrenches: Vec<Wrench> = bodies.iter().map(|_| pushed(&mut random)).collect();
            // A ball's rotation alone has no gyroscopic torque, so that works add up to the change of energy.
            bodies.iter_mut().for_each(|body| body.moments = [body.moments[0]; 3]);
            let step = Step { gravity, order, rotation, ..Step::new(0.01) };
            let before = totals(&Serial, &bodies, [0.0; 3]).unwrap();
            let works = advance(&Serial, &mut bodies, &wrenches, &step).unwrap();
            let after = totals(&Serial, &bodies, [0.0; 3]).unwrap();
            let gained = after.kinetic() - before.kinetic();
            assert!((gained - works.wrenches - works.gravity).abs() < 1e-13 * after.kinetic(), "{gained} {works:?}");
            let force = wrenches.iter().fold(scale(before.mass, gravity), |sum, wrench| add(sum, wrench.force));
            let miss = sub(sub(after.momentum, before.momentum), scale(0.01, force));
            assert!(length(miss) < 1e-13 * after.mass * 10.0, "{miss:?}");
        }
    }
    // Bodies of any moments: the angular momentum of each about its own centre.
    for _ in 0..200 {
        let (mut body, wrench) = (thrown(&mut random), pushed(&mut random));
        let expected = add(body.angular_momentum(), scale(0.02, wrench.torque));
        advance(&Serial, std::slice::from_mut(&mut body), &[wrench], &Step::new(0.02)).unwrap();
        let miss = length(sub(body.angular_momentum(), expected));
        assert!(miss < 1e-14 * length(expected).max(1.0), "{miss:e}");
        let size: f64 = body.orientation.iter().map(|x| x * x).sum();
        assert!((size - 1.0).abs() < 1e-15);
    }
}

/// Positions of semi-implicit Euler are those of the parabola and half a step of velocity more; explicit Euler, less.
#[test]
fn what_falls_falls_as_each_order_says() {
    let (dt, n, gravity) = (1.0 / 1024.0, 1024, [0.0, 0.0, -8.0]);
    for (order, sign) in [(Order::SemiImplicit, 1.0), (Order::Explicit, -1.0)] {
        let mut body = Body { velocity: [3.0, 0.0, 4.0], ..top([1.0; 3], [0.0; 3]) };
        for _ in 0..n {
            advance(&Serial, std::slice::from_mut(&mut body), &[NOTHING], &Step { gravity, order, ..Step::new(dt) })
                .unwrap();
        }
        // Powers of two throughout, so nothing is rounded.
        assert_eq!(body.position, [3.0, 0.0, 4.0 - 4.0 - sign * 4.0 * dt]);
        assert_eq!(body.velocity, [3.0, 0.0, -4.0]);
    }
}

#[test]
fn only_dynamic_bodies_feel_and_only_kinematic_ones_follow_their_velocities() {
    let mut random = Random::new(8);
    let wrench = pushed(&mut random);
    let step = Step { gravity: [0.0, 0.0, -1.0], ..Step::new(0.5) };
    for motion in [Motion::Kinematic, Motion::Static, Motion::Ghost] {
        let before = Body { motion: motion as u32, mass: 0.0, moments: [0.0; 3], ..thrown(&mut random) };
        let mut body = before;
        let works = advance(&Serial, std::slice::from_mut(&mut body), &[wrench], &step).unwrap();
        assert_eq!((works.wrenches, works.gravity), (0.0, 0.0));
        assert_eq!(totals(&Serial, &[body], [0.0; 3]).unwrap().kinetic(), 0.0);
        if motion != Motion::Kinematic {
            assert_eq!(body, before);
            continue;
        }
        assert_eq!((body.velocity, body.angular_velocity), (before.velocity, before.angular_velocity));
        assert_eq!(body.position, add(before.position, scale(0.5, before.velocity)));
        // Rodrigues' formula for a vector that turns about the axis.
        let speed = length(before.angular_velocity);
        let (axis, angle) = (scale(1.0 / speed, before.angular_velocity), 0.5 * speed);
        let v = rotate(before.orientation, [0.3, 0.5, -0.7]);
        let along = scale((1.0 - angle.cos()) * dot(axis, v), axis);
        let expected = add(add(scale(angle.cos(), v), scale(angle.sin(), cross(axis, v))), along);
        assert!(length(sub(rotate(body.orientation, [0.3, 0.5, -0.7]), expected)) < 1e-15);
    }
}

#[test]
fn threads_change_no_bit() {
    let mut random = Random::new(4);
    for n in [0, 1, 15, 17, 1000, 5003] {
        let bodies: Vec<Body> = (0..n).map(|_| thrown(&mut random)).collect();
        let wrenches: Vec<Wrench> = (0..n).map(|_| pushed(&mut random)).collect();
        let run = |exec: &dyn Executor| {
            let mut bodies = bodies.clone();
            let works = [(); 5].map(|()| {
                let works = advance(exec, &mut bodies, &wrenches, &Step::new(0.01)).unwrap();
                [works.wrenches, works.gravity].map(f64::to_bits)
            });
            (bodies.clone(), works, totals(exec, &bodies, [1.0, 2.0, 3.0]).unwrap())
        };
        let one = run(&Serial);
        for threads in [2, 3] {
            assert!(run(&Threads::new(threads).unwrap()) == one, "{n} bodies, {threads} threads");
        }
    }
}

#[test]
fn what_is_wrong_is_told_and_nothing_has_moved() {
    let mut random = Random::new(5);
    let bodies: Vec<Body> = (0..100).map(|_| thrown(&mut random)).collect();
    let wrenches = vec![NOTHING; 100];
    let attempt = |bodies: &[Body], wrenches: &[Wrench], step: &Step| {
        let mut moved = bodies.to_vec();
        let error = advance(&Serial, &mut moved, wrenches, step).unwrap_err();
        let same = |a: &Body, b: &Body| bits(a) == bits(b);
        assert!(moved.iter().zip(bodies).all(|(a, b)| same(a, b)), "{error}");
        assert!(!error.to_string().is_empty());
        (error.kind, error.what, error.index, error.component)
    };
    let step = Step::new(0.01);
    let wrong = |place: usize, change: &dyn Fn(&mut Body)| {
        let mut bad = bodies.clone();
        change(&mut bad[place]);
        attempt(&bad, &wrenches, &step)
    };
    let (nan, out) = (Kind::NotFinite, Kind::OutOfRange);
    assert_eq!(wrong(7, &|b| b.position[1] = f64::NAN), (nan, What::Positions, 7, 1));
    assert_eq!(wrong(99, &|b| b.velocity[2] = f64::INFINITY), (nan, What::BodyVelocities, 99, 2));
    assert_eq!(wrong(0, &|b| b.angular_velocity[0] = 1e40), (out, What::Spins, 0, 0));
    assert_eq!(wrong(3, &|b| b.orientation = [0.0; 4]), (out, What::Orientations, 3, 3));
    assert_eq!(wrong(3, &|b| b.orientation[2] = f64::NAN), (nan, What::Orientations, 3, 2));
    assert_eq!(wrong(3, &|b| b.motion = 4), (out, What::Motions, 3, 0));
    for mass in [0.0, -1.0, 1e-40, 1e40] {
        assert_eq!(wrong(50, &|b| b.mass = mass), (out, What::Mass, 50, 0), "{mass}");
    }
    assert_eq!(wrong(50, &|b| b.mass = f64::NAN), (nan, What::Mass, 50, 0));
    assert_eq!(wrong(50, &|b| b.moments = [1.0, 2.0, 3.1]), (out, What::Moments, 50, 2));
    assert_eq!(wrong(50, &|b| b.moments = [1.0, 0.0, 1.0]), (out, What::Moments, 50, 1));
    for dt in [0.0, -1.0, 1e-40, 1e40] {
        assert_eq!(attempt(&bodies, &wrenches, &Step::new(dt)), (out, What::TimeStep, 0, 0));
    }
    assert_eq!(attempt(&bodies, &wrenches, &Step::new(f64::NAN)), (nan, What::TimeStep, 0, 0));
    let heavy = Step { gravity: [0.0, f64::NAN, 0.0], ..step };
    assert_eq!(attempt(&bodies, &wrenches, &heavy), (nan, What::Gravity, 0, 1));
    assert_eq!(attempt(&bodies, &wrenches[1..], &step), (Kind::Mismatch, What::Wrenches, 0, 0));
    let mut bad = wrenches.clone();
    (bad[40].torque[1], bad[60].force[0]) = (f64::NAN, f64::NAN);
    assert_eq!(attempt(&bodies, &bad, &step), (nan, What::Wrenches, 40, 4));
    let mut many = bodies.clone();
    many[20].mass = 0.0;
    assert_eq!(totals(&Serial, &many, [0.0; 3]).unwrap_err().what, What::Mass);
    assert_eq!(totals(&Serial, &bodies, [0.0, 0.0, f64::NAN]).unwrap_err().component, 2);
    assert_eq!(Body::ball(-1.0, 1.0, [0.0; 3]).unwrap_err().what, What::Radius);
    assert_eq!(Body::ball(1.0, f64::NAN, [0.0; 3]).unwrap_err().kind, nan);
    assert!(Columns::new(&[]).unwrap().positions.is_empty());
    let sheet = MassProperties { state: MassProperties::FLAT, ..MassProperties::default() };
    assert_eq!(Body::new(&sheet, &Pose::IDENTITY).unwrap_err().what, What::Mass);
}

/// All that may change.
fn bits(body: &Body) -> Vec<u64> {
    let vectors = [body.position, body.velocity, body.angular_velocity, body.moments].concat();
    let numbers = vectors.iter().chain(&body.orientation).chain(std::slice::from_ref(&body.mass));
    numbers.map(|x| x.to_bits()).chain([u64::from(body.motion)]).collect()
}

/// As large as may be, nothing becomes infinite in a step.
#[test]
fn the_largest_numbers_that_are_taken_stay_finite() {
    let large = f64::from_bits((1023 + 100) << 52);
    let small = 1.0 / large;
    let one = |x: f64| [x, -x, x];
    for rotation in [Rotation::Splitting, Rotation::Gyroscopic] {
        for (mass, moments) in [(small, [small; 3]), (large, [large; 3]), (small, [small, large, large])] {
            let body = Body {
                position: one(large),
                orientation: [1e-300, 2e-300, 0.0, 1e-300],
                velocity: one(large),
                angular_velocity: one(large),
                mass,
                ..top(moments, [0.0; 3])
            };
            let orientation = if rotation == Rotation::Splitting { body.orientation } else { [0.0, 1e308, 0.0, 1e300] };
            let mut bodies = [Body { orientation, ..body }];
            let wrench = Wrench { force: one(large), torque: one(large) };
            let step = Step { gravity: one(large), rotation, ..Step::new(large) };
            advance(&Serial, &mut bodies, &[wrench], &step).unwrap();
            let [body] = bodies;
            let vectors = [body.position, body.velocity, body.angular_velocity].concat();
            assert!(vectors.iter().chain(&body.orientation).all(|x| x.is_finite()), "{body:?}");
        }
    }
}

fn mass_of(mesh: &[Triangle]) -> (contact::Body, MassProperties) {
    let body = contact::Body::conservative(mesh, 0.05);
    let view = body.shape.mesh().unwrap();
    let scratch = &mut Memory::new(mass_scratch(&view.sizes).unwrap()).unwrap();
    let properties = mass_properties(view, 2.0, scratch).unwrap();
    (body, properties)
}

/// A mesh that lies anywhere in its own frame becomes a body whose part is where the mesh was.
#[test]
fn the_mesh_of_a_new_body_is_where_it_was() {
    let mut random = Random::new(6);
    for _ in 0..20 {
        let edges = random.in_cube(1.0).map(|x| 1.0 + 0.8 * x);
        let aside = random.in_cube(4.0);
        let turn = random.rotation();
        let mesh: Vec<Triangle> = cuboid(edges).iter().map(|t| t.map(|v| add(rotate(turn, v), aside))).collect();
        let (_, properties) = mass_of(&mesh);
        let pose = at(random.in_cube(3.0), random.rotation());
        let body = Body::new(&properties, &pose).unwrap();
        let whole = body.pose().product(&properties.part_pose(), What::Pose).unwrap();
        let (whole, pose) = (whole.transform(What::Pose).unwrap(), pose.transform(What::Pose).unwrap());
        for v in mesh.iter().flatten() {
            assert!(length(sub(whole.apply(*v), pose.apply(*v))) < 1e-13);
        }
        let [a, b, c] = edges.map(|x| x * x);
        let mut moments = [b + c, c + a, a + b].map(|sum| body.mass * sum / 12.0);
        moments.sort_by(f64::total_cmp);
        assert!((body.mass / (2.0 * edges.iter().product::<f64>()) - 1.0).abs() < 1e-13);
        assert!(moments.iter().zip(body.moments).all(|(x, y)| (x / y - 1.0).abs() < 1e-12));
    }
    let ball = Body::ball(2.0, 3.0, [1.0, 0.0, 0.0]).unwrap();
    assert!((ball.mass / (32.0 * std::f64::consts::PI) - 1.0).abs() < 1e-15);
    assert!(ball.moments.iter().all(|moment| (moment / (1.6 * ball.mass) - 1.0).abs() < 1e-15));
}

/// A body that flies at a wall with a spin and bounces off it without friction and damping, by the contacts of a scene: the change of its energy.
fn bounce(mesh: &[Triangle], seed: u64, steps: f64) -> f64 {
    let (own, properties) = mass_of(mesh);
    let own = surface(&own, true);
    let parts = [Part { shape: Shape::Mesh(&own), pose: properties.part_pose(), scale: 1.0 }];
    let shapes = [Shape::Compound(&parts), ground(0.05)];
    let mut random = Random::new(seed);
    let pose = at([0.1, 0.2, 1.5], random.rotation());
    let thrown = Body::new(&properties, &pose).unwrap();
    let thrown = Body { velocity: [0.2, 0.1, -1.0], angular_velocity: random.in_cube(1.0), ..thrown };
    let mut bodies = [thrown, Body::fixed(Pose::IDENTITY)];
    let mut scene = OwnedScene::new(Threads::new(1).unwrap());
    let start = totals(&Serial, &bodies, [0.0; 3]).unwrap();
    let (mut wrenches, mut met) = ([NOTHING; 2], false);
    for _ in 0..(6.0 * steps) as usize {
        let found = {
            let columns = Columns::new(&bodies).unwrap();
            let all = Bodies {
                orientations: Some(columns.orientations),
                motions: Some(columns.motions),
                ..Bodies::new(&shapes, Words::from_slice(&[0, 1]), columns.positions)
            };
            scene.detect(&all).unwrap().contacts
        };
        if met && found == 0 {
            let end = totals(&Serial, &bodies, [0.0; 3]).unwrap();
            assert!(end.momentum[2] > 0.0);
            // A plane pushes along its normal only.
            assert!(
                (end.momentum[0] - start.momentum[0]).abs() < 1e-10
                    && (end.momentum[1] - start.momentum[1]).abs() < 1e-10
            );
            return end.kinetic() / start.kinetic() - 1.0;
        }
        met |= found > 0;
        let view = scene.view().unwrap();
        // Stiffness 400 per area and length.
        let contacts = view.now().contacts();
        let push = |c: &dem_core::contact::Contact| 400.0 * c.halo * (1.0 - c.gap / c.halo) * c.area;
        let forces: Vec<_> = contacts.iter().map(|c| scale(push(c), c.normal)).collect();
        let torques: Vec<_> = contacts.iter().map(|c| scale(400.0 * c.halo, c.moment)).collect();
        view.wrenches(&Serial, Array::from_f64(&forces), Some(Array::from_f64(&torques)), None, &mut wrenches).unwrap();
        advance(&Serial, &mut bodies, &wrenches, &Step::new(1.0 / steps)).unwrap();
    }
    panic!("no bounce: {bodies:?}")
}

#[test]
fn a_bounce_by_the_contacts_of_a_scene_keeps_the_energy() {
    let rock = soup(&generate::bumpy(generate::icosphere(1).unwrap(), 1.4, 7).unwrap());
    let rock: Vec<Triangle> = rock.iter().map(|t| t.map(|v| scale(0.5, v))).collect();
    for (name, mesh) in [("cube", cuboid([1.0; 3])), ("box", cuboid([1.0, 0.6, 0.8])), ("rock", rock)] {
        let [mut coarse, mut fine] = [0.0_f64; 2];
        for seed in 0..3 {
            coarse = coarse.max(bounce(&mesh, seed, 500.0).abs());
            fine = fine.max(bounce(&mesh, seed, 2000.0).abs());
        }
        println!("{name}: {coarse:.1e} {fine:.1e}");
        assert!(coarse < 1e-3 && fine < 1e-4, "{name}: {coarse:e} {fine:e}");
    }
}
