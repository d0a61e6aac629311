//! The frequency of a report is a bound: never below that of closed forms and of stiffnesses by differences of forces, and near to them.

use dem_core::body::Body;
use dem_core::contact::shape::Shape;
use dem_core::exec::Serial;
use dem_core::force::{Damping, Interaction, Laws, Normal};
use dem_core::pose::Pose;
use dem_core::world::BodyDef;
use dem_std::OwnedWorld;
use dem_tests::contact::{self, after, cuboid};
use dem_tests::random::Random;
use dem_tests::shapes::{capsule, ground, sphere, surface};
use dem_tests::vector::{add, dot, rotate, scale};

const HALO: f64 = 0.005;
const T: f64 = 2.0 * HALO;
const PRESSURE: f64 = 1e5;

/// A world of these bodies after a step that is too short to move them.
fn looked_at(members: &[BodyDef], shapes: &[Shape<'_>], law: Interaction) -> OwnedWorld {
    let mut world = OwnedWorld::with_executor(Box::new(Serial));
    members.iter().for_each(|member| _ = world.add(member).unwrap());
    let table = [law];
    world.advance(1e-12, 1e-12, shapes, &Laws::new(&table).unwrap()).unwrap();
    world
}

fn floor() -> BodyDef {
    BodyDef::new(Body::fixed(Pose::IDENTITY), 0)
}

/// The square of the largest frequency of a body on a floor that does not rub, by differences of forces.
fn measured(body: &Body, shapes: &[Shape<'_>], law: Interaction) -> f64 {
    let axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].map(|axis| rotate(body.orientation, axis));
    let forces = |k: usize, by: f64| {
        let mut moved = *body;
        if k < 3 {
            moved.position = add(moved.position, scale(by, axes[k]));
        } else {
            let [x, y, z] = scale((0.5 * by).sin(), axes[k - 3]);
            moved.orientation = after([x, y, z, (0.5 * by).cos()], moved.orientation);
        }
        let wrench = looked_at(&[floor(), BodyDef::new(moved, 1)], shapes, law).view().unwrap().wrenches()[1];
        let own = |v| axes.map(|axis| dot(axis, v));
        [own(wrench.force), own(wrench.torque)]
    };
    let roots = [0, 1, 2, 3, 4, 5].map(|k| if k < 3 { body.mass } else { body.moments[k - 3] }.sqrt());
    let mut matrix = [[0.0; 6]; 6];
    for (k, column) in matrix.iter_mut().enumerate() {
        let by = 1e-6;
        let [more, less] = [forces(k, by), forces(k, -by)];
        for (i, to) in column.iter_mut().enumerate() {
            *to = (less[i / 3][i % 3] - more[i / 3][i % 3]) / (2.0 * by * roots[i] * roots[k]);
        }
    }
    // Of the symmetric part: loads turn with no body, and make the rest.
    let mut own = [1.0, 0.9, 1.1, 0.8, 1.2, 0.7];
    let mut square = 0.0;
    for _ in 0..4000 {
        let next: [f64; 6] =
            core::array::from_fn(|i| (0..6).map(|k| 0.5 * (matrix[i][k] + matrix[k][i]) * own[k]).sum::<f64>());
        square = next.iter().map(|x| x * x).sum::<f64>().sqrt();
        own = next.map(|x| x / square);
    }
    square
}

/// The told frequency over the one by differences.
fn ratio(body: &Body, shapes: &[Shape<'_>], law: Interaction) -> f64 {
    let world = looked_at(&[floor(), BodyDef::new(*body, 1)], shapes, law);
    world.report().unwrap().frequency / measured(body, shapes, law).sqrt()
}

fn leaning(angle: f64) -> Pose {
    let half = 0.5 * angle;
    Pose { position: [0.0; 3], orientation: [0.0, half.sin(), 0.0, half.cos()] }
}

#[test]
fn slender_capsules_that_lean_have_the_inertia_about_their_arm() {
    let (half, radius) = (1.0, 0.05);
    let shapes = [ground(HALO), capsule(half, radius, HALO)];
    let plain = Interaction::new(Normal::Pressure, PRESSURE);
    for (name, law, most) in [("plain", plain, 1.35), ("damped", plain.damped(Damping::Dashpot, 0.2), 1.1)] {
        for degrees in [0.0, 10.0, 30.0, 45.0, 60.0, 80.0, 85.0, 89.0, 90.0_f64] {
            // From upright to lying.
            let pose = leaning(degrees.to_radians());
            let height = half * degrees.to_radians().cos() + radius + 0.5 * T;
            let body = Body::capsule(half, radius, 1000.0, &Pose { position: [0.0, 0.0, height], ..pose }).unwrap();
            let told = ratio(&body, &shapes, law);
            println!("{name} {degrees}: {told}");
            assert!(told > 0.995 && told < most, "{name} {degrees}: {told}");
        }
    }
}

#[test]
fn boxes_and_balls_in_any_pose_are_not_softer_than_told() {
    let brick = contact::Body::conservative(&cuboid([0.4, 0.3, 0.1]), HALO);
    let brick = surface(&brick, true);
    let of_brick = |edges: [f64; 3]| {
        let [x, y, z] = edges.map(|edge| edge * edge / 12.0);
        Body {
            mass: 2.0,
            moments: [2.0 * (y + z), 2.0 * (x + z), 2.0 * (x + y)],
            ..Body::ball(1.0, 1.0, [0.0; 3]).unwrap()
        }
    };
    let plain = Interaction::new(Normal::Pressure, PRESSURE);
    let mut random = Random::new(4);
    let (mut least, mut most) = (f64::INFINITY, 0.0_f64);
    for case in 0..120 {
        let tilt = [0.0, 1e-3, 5e-3, 0.3, 3.0][case % 5];
        let shapes = [ground(HALO), [Shape::Mesh(&brick), sphere(0.2, HALO)][case / 5 % 2]];
        let mut body =
            if case / 5 % 2 == 0 { of_brick([0.4, 0.3, 0.1]) } else { Body::ball(0.2, 1e3, [0.0; 3]).unwrap() };
        let [x, y, z] = scale(0.5 * tilt, random.direction());
        let norm = (1.0 + x * x + y * y + z * z).sqrt();
        body.orientation = [x / norm, y / norm, z / norm, 1.0 / norm];
        // The lowest point is somewhere within the halos.
        let corner = |k: usize| [0, 1, 2].map(|i| [0.2, 0.15, 0.05][i] * if k >> i & 1 == 0 { 1.0 } else { -1.0 });
        let low = (0..8).map(|k| rotate(body.orientation, corner(k))[2]).fold(0.0, f64::min);
        let low = if case / 5 % 2 == 0 { -low } else { 0.2 };
        body.position = [0.1, -0.2, low + T * random.range(0.2, 0.8)];
        let damped = case % 2 == 0;
        let law = if damped { plain.damped(Damping::Dashpot, 0.2) } else { plain };
        let told = ratio(&body, &shapes, law);
        (least, most) = (least.min(told), most.max(told));
        if !(told > 0.98 && told < 1.5) {
            println!("case {case} tilt {tilt} damped {damped}: {told}");
        }
    }
    println!("{least} to {most}");
    assert!(least > 0.98 && most < 1.5, "{least} {most}");
}

/// Springs of friction at the foot couple sliding and tilt.
#[test]
fn frequencies_with_friction_are_closed_forms() {
    let law = Interaction::new(Normal::Pressure, PRESSURE).rough(0.5, 0.8);
    for [side, height] in [[0.4, 0.4], [0.4, 0.1], [0.2, 0.6]] {
        let brick = contact::Body::conservative(&cuboid([side, side, height]), HALO);
        let brick = surface(&brick, true);
        let (mass, across, along) = (3.0, (side * side + height * height) / 12.0, side * side / 6.0);
        let body = Body {
            mass,
            moments: [mass * across, mass * across, mass * along],
            ..Body::ball(1.0, 1.0, [0.0, 0.0, 0.5 * height + 0.5 * T]).unwrap()
        };
        let world = looked_at(&[floor(), BodyDef::new(body, 1)], &[ground(HALO), Shape::Mesh(&brick)], law);
        // Halos reach a little around the edges of the face.
        let contact = world.view().unwrap().scene().now().contacts()[0];
        let (stiff, second) = (PRESSURE * contact.area / T, contact.spread[0]);
        assert!((second / (side * side / 12.0) - 1.0).abs() < 0.1 && contact.spread[3].abs() < 1e-6 * second);
        let (slide, arm) = (0.8 * stiff, 0.5 * height - 0.25 * T + 0.5 * T);
        // Sliding and tilt: [[a, b], [b, c]].
        let [a, b] = [slide, slide * arm / across.sqrt()];
        let c = (slide * arm * arm + stiff * second) / across;
        let both = 0.5 * (a + c) + (0.25 * (a - c) * (a - c) + b * b).sqrt();
        let exact = (both.max(stiff) / mass).sqrt();
        let told = world.report().unwrap().frequency;
        println!("{side} {height}: {}", told / exact);
        assert!(told > 0.995 * exact && told < 1.01 * exact, "{side} {height}: {told} {exact}");
    }
    // Balls on a plane, on equal ones, and light ones on heavy ones.
    let shapes = [ground(HALO), sphere(0.2, HALO), sphere(0.2, HALO)];
    for (shear, density) in [(0.0, 1.0), (0.8, 1.0), (0.0, 1e4), (0.8, 1e4)] {
        let law = Interaction::new(Normal::Linear, 1e5).rough(if shear > 0.0 { 0.5 } else { 0.0 }, shear);
        let alone = Body::ball(0.2, 1000.0, [0.0, 0.0, 0.2 + 0.5 * T]).unwrap();
        let told = looked_at(&[floor(), BodyDef::new(alone, 1)], &shapes, law).report().unwrap().frequency;
        let reach = 0.2 + 0.25 * T;
        let turn = 1.0 + reach * reach / 0.016;
        let expected = (1e5 / alone.mass * f64::max(1.0, shear * turn)).sqrt();
        assert!(told > 0.995 * expected && told < 1.02 * expected, "{shear}: {told} {expected}");
        // One that rolls has springs of rolling, too.
        let rolling = Body { angular_velocity: [0.0, 1.0, 0.0], ..alone };
        let (rolls, radius) = (Interaction { rolling: 0.1, ..law }, 0.2 + HALO);
        let told = looked_at(&[floor(), BodyDef::new(rolling, 1)], &shapes, rolls).report().unwrap().frequency;
        let [a, b, c] = [1.0, reach / 0.016_f64.sqrt(), (reach * reach + radius * radius) / 0.016];
        let both = 0.5 * (a + c) + (0.25 * (a - c) * (a - c) + b * b).sqrt();
        let expected_of_rolling = (1e5 / alone.mass * f64::max(1.0, shear * both)).sqrt();
        println!("rolling {shear}: {}", told / expected_of_rolling);
        assert!(
            told > 0.995 * expected_of_rolling && told < 1.02 * expected_of_rolling,
            "{told} {expected_of_rolling}"
        );
        let lifted = Body { position: [0.0, 0.0, 0.2 + 2.0 * T], ..alone };
        let other = Body::ball(0.2, 1000.0 * density, [0.0, 0.0, 0.6 + 2.5 * T]).unwrap();
        let members = [BodyDef::new(lifted, 1), BodyDef::new(other, 2)];
        let told = looked_at(&members, &shapes, law).report().unwrap().frequency;
        let both = 1.0 / alone.mass + 1.0 / other.mass;
        let expected = (1e5 * both * f64::max(1.0, shear * turn)).sqrt();
        println!("{shear} {density}: {}", told / expected);
        assert!(told > 0.995 * expected && told < 1.02 * expected, "{shear} {density}: {told} {expected}");
    }
}

/// A lighter ball takes the slot of one that was in contact: it has no part in the contacts of the last step.
#[test]
fn a_body_that_was_replaced_has_no_part_in_the_report() {
    let shapes = [ground(HALO), sphere(0.1, HALO)];
    let ball = |density: f64, x: f64| BodyDef::new(Body::ball(0.1, density, [x, 0.0, 0.1 + 0.5 * T]).unwrap(), 1);
    let law = Interaction::new(Normal::Pressure, PRESSURE);
    let mut world = looked_at(&[floor(), ball(1000.0, 0.0), ball(1000.0, 1.0)], &shapes, law);
    let before = world.report().unwrap();
    assert!(before.coordination == 1.0 && before.frequency > 0.0 && before.virial[2][2] < 0.0, "{before:?}");
    let first = world.view().unwrap().handle(1).unwrap();
    world.remove(first).unwrap();
    let told = |world: &OwnedWorld, coordination: f64| {
        let report = world.report().unwrap();
        assert_eq!(report.coordination, coordination);
        assert!((report.virial[2][2] / before.virial[2][2] - 0.5).abs() < 1e-12, "{report:?}");
        assert!((report.frequency / before.frequency - 1.0).abs() < 1e-12, "{report:?}");
    };
    told(&world, 1.0);
    let second = world.add(&ball(1.0, 0.0)).unwrap();
    assert_eq!(second.slot, first.slot);
    told(&world, 0.5);
}
