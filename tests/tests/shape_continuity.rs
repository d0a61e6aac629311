//! Forces of spheres and half-spaces on meshes do not jump: over edges, corners, needles and grooves, into a solid.

use dem_core::contact::Contact;
use dem_core::contact::shape::Shape;
use dem_core::pose::Pose;
use dem_std::generate;
use dem_tests::Triangle;
use dem_tests::contact::{Body, at, cuboid, soup, wrench};
use dem_tests::random::Random;
use dem_tests::shapes::{all, assert_sound, ground, placed, point_wrench, sphere, surface};
use dem_tests::vector::{add, dot, length, scale, sub};

const NONE: [f64; 4] = [0.0, 0.0, 0.0, 1.0];
/// Of the mesh and of the sphere.
const HALO: f64 = 0.025;
const REACH: f64 = 2.0 * HALO;
const RADIUS: f64 = 0.3;

/// A pyramid on a square, from z = -1 to its tip in the origin.
fn needle(half: f64) -> Vec<Triangle> {
    let corner = |k: usize| [[half, half, -1.0], [-half, half, -1.0], [-half, -half, -1.0], [half, -half, -1.0]][k % 4];
    let mut all: Vec<Triangle> = (0..4).map(|k| [corner(k), corner(k + 1), [0.0; 3]]).collect();
    all.extend([[corner(0), corner(2), corner(1)], [corner(0), corner(3), corner(2)]]);
    all
}

/// Two walls that meet in the y axis, each at this angle from the vertical.
fn groove(angle: f64) -> Vec<Triangle> {
    let (s, c) = angle.sin_cos();
    let wall = |side: f64| {
        let v = |along: f64, y: f64| [side * along * s, y, along * c];
        let [p, q, r, t] = [v(0.0, -2.0), v(0.0, 2.0), v(2.0, 2.0), v(2.0, -2.0)];
        if side < 0.0 { [[p, q, r], [p, r, t]] } else { [[p, r, q], [p, t, r]] }
    };
    [wall(-1.0), wall(1.0)].concat()
}

/// A ball's inside.
fn bowl() -> Vec<Triangle> {
    soup(&generate::icosphere(3).unwrap()).iter().map(|t| [t[0], t[2], t[1]]).collect()
}

fn contacts(body: &Body, solid: bool, centre: [f64; 3]) -> Vec<Contact> {
    all(&placed(sphere(RADIUS, HALO), &at(centre, NONE)), &placed(Shape::Mesh(&surface(body, solid)), &Pose::IDENTITY))
        .0
}

/// Forces of the pressure law over k T^2, of the point law over K.
fn forces(list: &[Contact], centre: [f64; 3]) -> [[f64; 3]; 2] {
    list.iter().for_each(assert_sound);
    let (pressure, point) = (wrench(list, centre), point_wrench(list, centre));
    // No sphere is turned.
    assert!(length(pressure.torque) < 1e-12 && length(point.torque) < 1e-12);
    [scale(1.0 / (REACH * REACH), pressure.force), point.force]
}

/// The largest change of both forces over T for a step that is short in T, on many straight paths near the body.
fn steepest(triangles: &[Triangle], solid: bool, start: impl Fn(&mut Random) -> [f64; 3]) -> [f64; 2] {
    let (body, mut random) = (Body::new(triangles, HALO), Random::new(9));
    let mut worst = [0.0f64; 2];
    for _ in 0..4_000 {
        let from = start(&mut random);
        let before = forces(&contacts(&body, solid, from), from);
        for exponent in [-3, -5, -7, -9] {
            let step = 10f64.powi(exponent);
            let to = add(from, scale(step * REACH, random.direction()));
            let after = forces(&contacts(&body, solid, to), to);
            for k in 0..2 {
                worst[k] = worst[k].max((length(sub(after[k], before[k])) - 1e-12) / step);
            }
        }
    }
    worst
}

#[test]
fn no_step_of_a_sphere_changes_the_force_by_more_than_a_constant_times_its_length() {
    // Around the edge of a box that is the y axis at x = 0.5, z = 0.5, from outside.
    let around = |random: &mut Random| {
        let angle = random.range(-0.3, 1.9);
        let away = RADIUS + REACH * random.range(-0.3, 1.05);
        [0.5 + away * angle.sin(), random.range(-0.2, 0.2), 0.5 + away * angle.cos()]
    };
    let about = |at: [f64; 3]| {
        move |random: &mut Random| {
            let d = random.direction().map(f64::abs);
            add(at, scale(RADIUS + REACH * random.range(-0.3, 1.05), d))
        }
    };
    let above_tip = |random: &mut Random| {
        let d = random.direction();
        scale(RADIUS + REACH * random.range(-0.3, 1.05), [0.5 * d[0], 0.5 * d[1], d[2].abs().max(0.9)])
    };
    // Distances from both walls.
    let (s, c) = 0.7f64.sin_cos();
    let between = move |random: &mut Random| {
        let [g, h] = [0; 2].map(|_| RADIUS + REACH * random.range(-0.5, 1.2));
        [(g - h) / (2.0 * c), random.range(-0.2, 0.2), (g + h) / (2.0 * s)]
    };
    let in_bowl = |random: &mut Random| scale(1.0 - RADIUS - REACH * random.range(-0.3, 1.0), random.direction());
    let cube = cuboid([1.0; 3]);
    // Measured, with a third more. A force that jumps gives some 1e9.
    for (name, triangles, worst, [pressure, point]) in [
        ("edge", &cube, steepest(&cube, true, around), [50.0, 1.4]),
        ("corner", &cube, steepest(&cube, true, about([0.5; 3])), [13.0, 1.4]),
        ("needle", &needle(0.05), steepest(&needle(0.05), true, above_tip), [0.15, 1.4]),
        ("blunt tip", &needle(1.0), steepest(&needle(1.0), true, above_tip), [14.0, 1.4]),
        ("groove", &groove(0.7), steepest(&groove(0.7), false, between), [75.0, 2.4]),
        ("bowl", &bowl(), steepest(&bowl(), false, in_bowl), [65.0, 1.4]),
    ] {
        assert!(worst[0] > 0.03 && worst[0] < pressure, "{name}, {} triangles: {worst:?}", triangles.len());
        assert!(worst[1] > 0.5 && worst[1] < point, "{name}: {worst:?}");
    }
}

#[test]
fn a_needle_is_felt_before_it_stings() {
    for half in [1e-9, 1e-3, 0.05] {
        let body = Body::new(&needle(half), HALO);
        for gap in [0.99, 0.5, 0.1, 1e-3] {
            let d = [0.1, 0.05, 1.0];
            let centre = scale((RADIUS + gap * REACH) / length(d), d);
            let list = contacts(&body, true, centre);
            let [_, point] = forces(&list, centre);
            let wanted = scale((1.0 - gap) / length(d), d);
            // Toward the sphere, whatever the area; its sides are farther away than its tip by less than the halo.
            assert!(length(sub(point, wanted)) < 0.1 * (1.0 - gap), "{half} {gap}: {point:?} {wanted:?}");
        }
    }
}

#[test]
fn a_bowl_of_many_triangles_does_not_multiply_the_force() {
    let body = Body::new(&bowl(), HALO);
    let mut random = Random::new(4);
    for _ in 0..100 {
        let d = random.direction();
        let centre = scale(1.0 - RADIUS - 0.4 * REACH, d);
        let list = contacts(&body, false, centre);
        let [_, point] = forces(&list, centre);
        let share: f64 = list.iter().map(|c| c.share).sum();
        assert!(list.len() > 1 && (share - 1.0).abs() < 1e-12);
        assert!(length(point) < 0.75 && dot(point, d) < -0.4, "{point:?}");
    }
}

#[test]
fn a_groove_has_two_contacts() {
    let body = Body::new(&groove(0.7), HALO);
    let centre = [0.0, 0.1, (RADIUS + 0.4 * REACH) / 0.7f64.sin()];
    let list = contacts(&body, false, centre);
    assert_eq!(list.len(), 2);
    for c in &list {
        assert!((c.share - 0.5).abs() < 1e-9 && (c.least_gap - 0.4 * REACH).abs() < 1e-12, "{c:?}");
        assert!((c.normal[0].abs() - 0.7f64.cos()).abs() < 1e-9 && (c.normal[2] - 0.7f64.sin()).abs() < 1e-9, "{c:?}");
    }
}

/// A sphere pressed into a solid is pushed out harder the deeper it is, the way it came, until its centre has passed the middle.
#[test]
fn a_sphere_in_a_solid_is_pushed_out_the_way_it_came() {
    let ball = soup(&generate::icosphere(3).unwrap());
    for (name, triangles, side) in [("box", cuboid([2.0, 2.6, 2.4]), [1.0, 0.0, 0.0]), ("ball", ball, [0.6, 0.0, 0.8])]
    {
        let body = Body::facing(&triangles, HALO);
        let (mut last, mut height) = ([0.0; 2], 1.4);
        let off = [0.01, 0.02, -0.01];
        while height > 0.2 {
            let centre = add(scale(height, side), off);
            let list = contacts(&body, true, centre);
            let now = forces(&list, centre).map(|f| dot(f, side));
            let [pressure, point] = [0, 1].map(|k| now[k] - last[k]);
            let area = std::f64::consts::PI / (REACH * REACH);
            assert!(pressure >= 0.0 && pressure < 30.0 * area * 0.01, "{name} {height}: {last:?} {now:?}");
            assert!((0.0..0.017 / REACH).contains(&point), "{name} {height}: {last:?} {now:?}");
            (last, height) = (now, height - 0.01);
        }
        let wanted = 1.0 + (RADIUS + 0.79) / REACH;
        assert!((last[1] / wanted - 1.0).abs() < 0.06, "{name}: {} {wanted}", last[1]);
        // From both sides of the surface: flat, so nothing jumps.
        if name == "box" {
            let both = [1e-9, -1e-9].map(|d| {
                let centre = [1.0 + d, 0.02, -0.01];
                forces(&contacts(&body, true, centre), centre)
            });
            assert!((0..2).all(|k| length(sub(both[0][k], both[1][k])) < 1e-6 * length(both[0][k])), "{both:?}");
        }
    }
}

/// A surface that is not a solid lets a sphere through; until its centre has passed, it is pushed back.
#[test]
fn an_open_surface_pushes_back_until_the_centre_has_passed() {
    let body = Body::facing(&dem_tests::walls::irregular(50, 1.0, 3), HALO);
    for step in 1..100 {
        let height = 0.35 - 0.0035 * step as f64;
        let list = contacts(&body, false, [0.1, 0.2, height]);
        if height - RADIUS < REACH && height > 0.0 {
            assert_eq!(list.len(), 1);
            assert!((list[0].normal[2] - 1.0).abs() < 1e-9 && (list[0].least_gap - (height - RADIUS)).abs() < 1e-12);
        }
        // Behind it, where the pressure law feels nothing and the point law pushes on.
        let list = contacts(&body, false, [0.1, 0.2, -height]);
        assert_eq!(list.len(), usize::from(height - RADIUS < REACH), "{height}");
        for c in list {
            assert!(c.area <= 0.0 && c.share >= 1.0 && (c.normal[2] + 1.0).abs() < 1e-9, "{c:?}");
            assert!((c.least_gap - (height - RADIUS)).abs() < 1e-12, "{c:?}");
        }
    }
}

/// P0's cubes live on this: the supporting force does not jump when a box tilts by a rounding.
#[test]
fn the_force_on_a_box_on_a_half_space_is_lipschitz_in_the_tilt() {
    let boxed = Body::facing(&cuboid([1.0, 0.6, 0.5]), HALO);
    for gap in [0.02, 0.0, -0.003] {
        let with = |turn: [f64; 4]| {
            let pose = at([0.1, 0.05, 0.25 + gap], turn);
            wrench(
                &all(&placed(Shape::Mesh(&surface(&boxed, true)), &pose), &placed(ground(HALO), &Pose::IDENTITY)).0,
                pose.position,
            )
        };
        let flat = with(NONE);
        for axis in [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.6, -0.8, 0.0]] {
            for exponent in [-15, -12, -9, -6, -4, -3, -2] {
                let tilt = 10f64.powi(exponent);
                let [x, y, z] = scale(0.5 * tilt, axis);
                let change = with([x, y, z, (1.0 - 0.25 * tilt * tilt).sqrt()]).minus(&flat).size();
                assert!(change.iter().all(|x| *x <= 3.0 * tilt + 1e-12), "{gap}, {tilt:e} about {axis:?}: {change:?}");
            }
        }
    }
}
