//! What scenes are used for: bodies that lie, tilt, slide and are pushed by the pressure law, with the contacts of a scene and nothing else.

use dem_core::array::{Array, Words};
use dem_core::contact::Law;
use dem_core::contact::shape::Shape;
use dem_core::contact::{CellOptions, least_gap};
use dem_core::detect::Bodies;
use dem_core::pose::Pose;
use dem_std::{OwnedScene, Threads, generate};
use dem_tests::Triangle;
use dem_tests::cases;
use dem_tests::contact::{Body, Wrench, after, at, cuboid, ell, soup, wrench};
use dem_tests::deep::turn;
use dem_tests::random::Random;
use dem_tests::shapes::{ground, sphere, surface};
use dem_tests::vector::{add, cross, dot, length, rotate, scale, sub};
use dem_tests::{data, walls};

/// Halo of each body.
const HALO: f64 = 0.05;
/// Of both.
const T: f64 = 2.0 * HALO;
const LAWS: [Law; 2] = [Law::Facing, Law::Volume];

fn body(soup: &[Triangle], law: Law) -> Body {
    Body::with(soup, HALO, &CellOptions { law, ..CellOptions::default() })
}

/// What the pressure law of all contacts does to the first of two bodies, about its origin, and the least gap.
fn pushed(scene: &mut OwnedScene, shapes: &[Shape<'_>; 2], poses: &[Pose; 2]) -> (Wrench, f64) {
    let positions = poses.map(|pose| pose.position);
    let turns = poses.map(|pose| pose.orientation);
    let bodies = Bodies {
        orientations: Some(Array::from_quaternions(&turns)),
        ..Bodies::new(shapes, Words::from_slice(&[0, 1]), Array::from_f64(&positions))
    };
    scene.detect(&bodies).unwrap();
    let view = scene.view().unwrap();
    let contacts = view.now().contacts();
    (wrench(contacts, positions[0]), least_gap(contacts))
}

fn scene() -> OwnedScene {
    OwnedScene::new(Threads::new(1).unwrap())
}

/// How far two wrenches are apart.
fn apart(x: &Wrench, y: &Wrench) -> f64 {
    let [force, torque] = x.minus(y).size();
    force.max(torque)
}

#[test]
fn a_flat_box_tilts_without_a_jump() {
    let mut scene = scene();
    for law in LAWS {
        let (cube, wall) = (body(&cuboid([1.0; 3]), law), body(&cuboid([8.0, 8.0, 2.0]), law));
        let (cube, wall) = (surface(&cube, true), surface(&wall, true));
        for (name, under, top) in [("wall", Shape::Mesh(&wall), 1.0), ("half-space", ground(HALO), 0.0)] {
            let shapes = [Shape::Mesh(&cube), under];
            for gap in [0.02, 0.06] {
                let at_tilt = |scene: &mut OwnedScene, tilt: f64| {
                    let orientation = turn([0.6, 0.8, 0.0], tilt);
                    pushed(scene, &shapes, &[at([0.1, 0.2, top + 0.5 + gap], orientation), Pose::IDENTITY]).0
                };
                let flat = at_tilt(&mut scene, 0.0);
                let (mut steep, mut aside) = (0.0_f64, 0.0_f64);
                for k in 0..=104 {
                    let tilt = 10f64.powf(-15.0 + 0.125 * f64::from(k));
                    let now = at_tilt(&mut scene, tilt);
                    steep = steep.max((apart(&now, &flat) - 1e-13).max(0.0) / tilt);
                    aside = aside.max(now.force[0].hypot(now.force[1]) / now.force[2]);
                }
                println!("{law:?}, {name}, gap {gap}: {steep:.3} per radian, {aside:.1e} aside");
                // The torque of a face of side 1 with pressures 1 - g/T is w/(12 T), and a little more with the rim.
                assert!(steep < 1.1 / (12.0 * T), "{law:?}, {name}: {steep}");
                assert!(law == Law::Facing || aside < 1e-12, "{name}: {aside:e}");
            }
        }
    }
}

/// The largest change of the wrench from one of so many steps on the path to the next.
fn largest_jump(scene: &mut OwnedScene, shapes: &[Shape<'_>; 2], steps: usize, path: impl Fn(f64) -> Pose) -> f64 {
    let at =
        |scene: &mut OwnedScene, k: usize| pushed(scene, shapes, &[path(k as f64 / steps as f64), Pose::IDENTITY]).0;
    let (mut last, mut most) = (at(scene, 0), 0.0_f64);
    for k in 1..=steps {
        let now = at(scene, k);
        assert!(now.force.iter().chain(&now.torque).all(|x| x.is_finite()));
        (most, last) = (most.max(apart(&now, &last)), now);
    }
    most
}

#[test]
fn boxes_slide_through_flush_and_over_an_edge() {
    let mut scene = scene();
    for law in LAWS {
        let cube = body(&cuboid([1.0; 3]), law);
        let brick = body(&cuboid([2.0, 0.5, 0.4]), law);
        let slab = body(&cuboid([3.0, 3.0, 1.0]), law);
        let [cube, brick, slab] = [&cube, &brick, &slab].map(|body| surface(body, true));
        let (cube, brick, slab) = (Shape::Mesh(&cube), Shape::Mesh(&brick), Shape::Mesh(&slab));
        let none = [0.0, 0.0, 0.0, 1.0];
        type Path = fn(f64, [f64; 4]) -> Pose;
        let cases: [(&str, [Shape<'_>; 2], Path, f64); 3] = [
            ("flush", [cube, cube], |s, q| at([0.02 * (s - 0.5), 0.01 * (s - 0.5), 1.03], q), 0.02),
            (
                "flush and turned",
                [cube, cube],
                |s, _| at([0.0, 0.0, 1.03], turn([0.0, 0.0, 1.0], 0.02 * (s - 0.5))),
                0.02,
            ),
            ("brick", [brick, slab], |s, q| at([1.0 + s, 0.3, 0.73], q), 1.0),
        ];
        for (name, shapes, path, long) in cases {
            let jumps = [64, 512, 4096].map(|steps| largest_jump(&mut scene, &shapes, steps, |s| path(s, none)));
            let rates = [0, 1, 2].map(|k| jumps[k] * [64.0, 512.0, 4096.0][k] / long);
            println!("{law:?}, {name}: jumps {jumps:?}, {rates:?} per length");
            // No jump: the change over the step is bounded.
            assert!(rates[2] < 1.5 * rates[1] + 1e-6 && rates[1] < 1.5 * rates[0] + 1e-6, "{law:?}, {name}: {rates:?}");
        }
    }
}

#[test]
fn walls_push_along_their_normal() {
    let mut scene = scene();
    let mut random = Random::new(11);
    let rock = soup(&generate::bumpy(generate::icosphere(2).unwrap(), 1.5, 3).unwrap());
    let rocks = [cuboid([1.0; 3]), rock].map(|soup| (body(&soup, Law::Volume), soup));
    let tilt = random.rotation();
    let up = rotate(tilt, [0.0, 0.0, 1.0]);
    let turned = at([0.3, -0.2, 0.1], tilt);
    let [irregular, regular] = [walls::irregular(300, 4.0, 5), walls::regular(8, 4.0)];
    let [small, large] = [&irregular, &regular].map(|wall| walls::rounded(wall, tilt, turned.position));
    // How far the facets themselves lean.
    let lean = |wall: &[Triangle]| {
        let normal = |[a, b, c]: &Triangle| cross(sub(*b, *a), sub(*c, *a));
        wall.iter().map(normal).map(|n| length(cross(n, up)) / length(n)).fold(0.0, f64::max)
    };
    let (leans, leans_less) = (lean(&small), lean(&large));
    println!("facets lean by {leans:.1e} and {leans_less:.1e}");
    let [flat, small, large] = [&irregular, &small, &large].map(|wall| body(wall, Law::Volume));
    let [flat, small, large] = [&flat, &small, &large].map(|wall| surface(wall, false));
    for (name, under, place, most) in [
        ("half-space", ground(HALO), turned, 1e-9),
        ("coplanar", Shape::Mesh(&flat), turned, 1e-9),
        ("rounded to f32", Shape::Mesh(&large), Pose::IDENTITY, 1e-6),
        ("rounded to f32, small facets", Shape::Mesh(&small), Pose::IDENTITY, leans),
    ] {
        let mut worst = 0.0_f64;
        for (body, soup) in &rocks {
            let surface = surface(body, true);
            for _ in 0..40 {
                let orientation = random.rotation();
                let low =
                    soup.as_flattened().iter().map(|v| dot(rotate(orientation, *v), up)).fold(f64::INFINITY, f64::min);
                let height = random.range(0.1, 0.9) * T - low;
                let position = add([0.3, -0.2, 0.1], scale(height, up));
                let shapes = [Shape::Mesh(&surface), under];
                let (w, least) = pushed(&mut scene, &shapes, &[at(position, orientation), place]);
                let along = dot(w.force, up);
                assert!(least > 0.0 && along > 0.0, "{name}: {least} {along}");
                worst = worst.max(length(sub(w.force, scale(along, up))) / along);
            }
        }
        println!("{name}: {worst:.1e} aside");
        assert!(worst < most, "{name}: {worst:e}");
    }
}

/// Hills, open, 6 by 6.
fn terrain() -> Vec<Triangle> {
    walls::regular(24, 3.0)
        .iter()
        .map(|t| t.map(|[x, y, z]| [x, y, z + 0.15 * (1.7 * x).sin() * (1.3 * y + 0.4).cos()]))
        .collect()
}

/// Size of a mesh: the largest distance of a corner from the origin.
fn reach(soup: &[Triangle]) -> f64 {
    soup.as_flattened().iter().map(|v| length(*v)).fold(0.0, f64::max)
}

/// About its middle, with corners no farther than this.
fn fitted(mesh: Vec<Triangle>, size: f64) -> Vec<Triangle> {
    let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    for v in mesh.as_flattened() {
        (low, high) = ([0, 1, 2].map(|k| low[k].min(v[k])), [0, 1, 2].map(|k| high[k].max(v[k])));
    }
    let middle = scale(0.5, add(low, high));
    let mesh: Vec<_> = mesh.iter().map(|t| t.map(|v| sub(v, middle))).collect();
    let by = size / reach(&mesh);
    mesh.iter().map(|t| t.map(|v| scale(by, v))).collect()
}

#[test]
fn small_loops_cost_no_work() {
    let (mut scene, mut random) = (scene(), Random::new(4));
    let rock = |level, seed| soup(&generate::bumpy(generate::icosphere(level).unwrap(), 1.4, seed).unwrap());
    let bunny = fitted(data::mesh("scenes/bunny.stl"), 1.0);
    let cases = [
        ("cubes", cuboid([1.0; 3]), cuboid([1.2, 0.9, 1.0])),
        ("rocks", rock(2, 7), rock(2, 9)),
        ("cube and L", cuboid([0.6; 3]), ell()),
        ("cube and bunny", cuboid([0.8; 3]), bunny),
        ("rock and terrain", rock(1, 3), terrain()),
    ];
    for (name, a, b) in cases {
        let open = name.ends_with("terrain");
        let (body_a, body_b) = (body(&a, Law::Volume), body(&b, Law::Volume));
        let (sa, sb) = (surface(&body_a, true), surface(&body_b, !open));
        let shapes = [Shape::Mesh(&sa), Shape::Mesh(&sb)];
        let (mut done, mut worst) = (0, 0.0_f64);
        for _ in 0..200 {
            // From outside towards the middle until they are near.
            let way = if open { [0.0, 0.0, 1.0] } else { random.direction() };
            let beside =
                if open { [random.range(-1.0, 1.0), random.range(-1.0, 1.0), 0.0] } else { random.in_cube(0.2) };
            let orientation = random.rotation();
            let mut far = if open { 2.5 } else { reach(&a) + reach(&b) + 0.3 };
            let pose_at = |far: f64| at(add(beside, scale(far, way)), orientation);
            let wanted = random.range(0.2, 0.8) * T;
            while far > 0.0 {
                let (_, least) = pushed(&mut scene, &shapes, &[pose_at(far), Pose::IDENTITY]);
                if least < wanted {
                    break;
                }
                far -= 0.2 * HALO;
            }
            let base = pose_at(far);
            let (_, least) = pushed(&mut scene, &shapes, &[base, Pose::IDENTITY]);
            if least <= 0.1 * T {
                continue;
            }
            // Two directions of six, moves and turns, and once around them by the trapezoidal rule, which is good for periodic paths.
            let ways = [0, 1].map(|_| [random.direction(), random.direction()]);
            let (radius, parts) = (0.05 * T, 96);
            let (mut sum, mut amount) = (0.0, 0.0);
            for i in 0..parts {
                let angle = std::f64::consts::TAU * i as f64 / parts as f64;
                let (s, c) = angle.sin_cos();
                let mix = |k: usize, [x, y]: [f64; 2]| add(scale(x, ways[0][k]), scale(y, ways[1][k]));
                // The turn is by a vector that goes around, too.
                let (w, rate) = (scale(radius, mix(1, [c, s])), scale(radius, mix(1, [-s, c])));
                let size = length(w).max(1e-300);
                let spin = spin_of(w, rate, size);
                let pose = at(
                    add(base.position, scale(radius, mix(0, [c, s]))),
                    after(turn(scale(1.0 / size, w), size), base.orientation),
                );
                let (now, _) = pushed(&mut scene, &shapes, &[pose, Pose::IDENTITY]);
                let power = dot(now.force, scale(radius, mix(0, [-s, c]))) + dot(now.torque, spin);
                (sum, amount) = (sum + power, amount + power.abs());
            }
            (done, worst) = (done + 1, worst.max(sum.abs() / amount));
            if done == 12 {
                break;
            }
        }
        println!("{name}: {worst:.1e} of the work in {done} loops");
        assert!(done >= 8 && worst < 1e-7, "{name}: {worst:e} in {done}");
    }
}

/// The angular velocity of a turn by the vector w of this size that changes at this rate.
fn spin_of(w: [f64; 3], rate: [f64; 3], size: f64) -> [f64; 3] {
    let (a, b) = ((1.0 - size.cos()) / (size * size), (size - size.sin()) / (size * size * size));
    let once = cross(w, rate);
    add(rate, add(scale(a, once), scale(b, cross(w, once))))
}

#[test]
fn a_ball_in_a_socket_and_teeth_in_teeth_change_without_a_jump() {
    let mut scene = scene();
    // The inside of a ball, and a rack of teeth.
    let socket: Vec<Triangle> = soup(&generate::icosphere(3).unwrap())
        .iter()
        .map(|[a, b, c]| [*a, *c, *b])
        .filter(|t| t.iter().all(|v| v[2] < 0.5))
        .collect();
    let ball = soup(&generate::icosphere(2).unwrap());
    let ball: Vec<Triangle> = ball.iter().map(|t| t.map(|v| scale(0.93, v))).collect();
    let teeth = |n: usize, depth: f64| -> Vec<Triangle> {
        let outline: Vec<[f64; 2]> =
            (0..=2 * n).map(|i| [0.25 * (i as f64 - n as f64), if i % 2 == 0 { 0.0 } else { depth }]).collect();
        let at = |p: [f64; 2], y: f64, z: f64| [p[0], y, p[1] + z];
        outline
            .windows(2)
            .flat_map(|w| {
                let [p, q] = [w[0], w[1]];
                [
                    [at(p, -0.5, 0.0), at(q, -0.5, 0.0), at(q, 0.5, 0.0)],
                    [at(p, -0.5, 0.0), at(q, 0.5, 0.0), at(p, 0.5, 0.0)],
                ]
            })
            .collect()
    };
    let rack = teeth(6, 0.3);
    let over: Vec<Triangle> = teeth(4, 0.3).iter().map(|t| t.map(|[x, y, z]| [x, -y, -z])).collect();
    for law in LAWS {
        let [socket, ball, rack, over] = [&socket, &ball, &rack, &over].map(|soup| body(soup, law));
        let (socket, ball, rack, over) =
            (surface(&socket, false), surface(&ball, true), surface(&rack, false), surface(&over, false));
        let axis = [0.6, 0.0, 0.8];
        let rolled =
            |s: f64| at([0.012 * (6.0 * s).cos(), 0.012 * (6.0 * s).sin(), -0.01 - 0.01 * s], turn(axis, 0.3 * s));
        // Teeth in gaps, out of these and aside, near one flank and then the other.
        let slid =
            |s: f64| at([0.25 + 0.03 * (7.0 * s).sin(), 0.01 * s, 0.41 + 0.05 * s], turn([0.0, 1.0, 0.0], 0.01 * s));
        let steel = [sphere(0.94, HALO), Shape::Mesh(&socket)];
        for (name, shapes, path) in [
            ("mesh in a socket", [Shape::Mesh(&ball), Shape::Mesh(&socket)], &rolled as &dyn Fn(f64) -> Pose),
            ("ball in a socket", steel, &rolled),
            ("teeth", [Shape::Mesh(&over), Shape::Mesh(&rack)], &slid),
        ] {
            let steps = cases(&[40, 160][..], &[40, 160, 640]);
            let jumps: Vec<f64> = steps.iter().map(|n| largest_jump(&mut scene, &shapes, *n, path)).collect();
            println!("{law:?}, {name}: {jumps:?}");
            assert!(jumps[0] > 0.0, "{law:?}, {name}: {jumps:?}");
            assert!(jumps.windows(2).all(|two| two[1] < two[0] / 2.5), "{law:?}, {name}: {jumps:?}");
        }
    }
}
