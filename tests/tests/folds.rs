//! How deep bodies are that are behind several faces of one mesh at once: behind floor and wall, in a groove, in a corner, in a bowl.

use dem_core::body::Body as Rigid;
use dem_core::contact::shape::Shape;
use dem_core::contact::status::PENETRATING;
use dem_core::exec::Serial;
use dem_core::force::{Interaction, Laws, Normal};
use dem_core::pose::Pose;
use dem_core::simd::Isa;
use dem_core::world::{BodyDef, Setup};
use dem_std::OwnedWorld;
use dem_tests::Triangle;
use dem_tests::contact::{Body, all_contacts, at, cuboid};
use dem_tests::deep::{ball, moved, sized};
use dem_tests::random::Random;
use dem_tests::scene::posed;
use dem_tests::shapes::surface;
use dem_tests::vector::{add, cross, dot, length, scale, sub};
use dem_tests::walls::corner;

/// The halo of each body.
const HALO: f64 = 0.01;

/// T.
const T: f64 = 2.0 * HALO;

/// A solid around a groove along z, between the directions 0 and `angle` from the axis.
fn groove(angle: f64) -> Vec<Triangle> {
    let steps = 6;
    let all = std::f64::consts::TAU - angle;
    let rim = |i: usize, z: f64| {
        let (sin, cos) = (angle + all * (i as f64 / steps as f64)).sin_cos();
        [8.0 * cos, 8.0 * sin, z]
    };
    let valley = |z: f64| [0.0, 0.0, z];
    let mut mesh = Vec::new();
    let mut quad = |[a, b, c, d]: [[f64; 3]; 4]| mesh.extend([[a, b, c], [a, c, d]]);
    quad([valley(-4.0), rim(0, -4.0), rim(0, 4.0), valley(4.0)]);
    quad([rim(steps, -4.0), valley(-4.0), valley(4.0), rim(steps, 4.0)]);
    for i in 0..steps {
        quad([rim(i, -4.0), rim(i + 1, -4.0), rim(i + 1, 4.0), rim(i, 4.0)]);
    }
    for i in 0..steps {
        mesh.push([valley(4.0), rim(i, 4.0), rim(i + 1, 4.0)]);
        mesh.push([valley(-4.0), rim(i + 1, -4.0), rim(i, -4.0)]);
    }
    mesh
}

/// Each triangle in four.
fn finer(mesh: &[Triangle]) -> Vec<Triangle> {
    let middle = |a: [f64; 3], b: [f64; 3]| scale(0.5, add(a, b));
    let four = |[a, b, c]: &Triangle| {
        let (x, y, z) = (middle(*a, *b), middle(*b, *c), middle(*c, *a));
        [[*a, x, z], [x, *b, y], [z, y, *c], [x, y, z]]
    };
    mesh.iter().flat_map(four).collect()
}

/// A block of revolution about z with a bowl of this radius in its top, whose rim is at z = 0.
fn bowl(radius: f64, around: usize, along: usize) -> Vec<Triangle> {
    let mut outline = vec![[0.0, -2.0], [2.0, -2.0], [2.0, 0.0]];
    for k in 0..=along {
        let (sin, cos) = (std::f64::consts::FRAC_PI_2 * (k as f64 / along as f64)).sin_cos();
        outline.push([radius * cos, -radius * sin]);
    }
    outline.last_mut().unwrap()[0] = 0.0;
    let at = |[r, z]: [f64; 2], i: usize| {
        let (sin, cos) = (std::f64::consts::TAU * ((i % around) as f64 / around as f64)).sin_cos();
        [r * cos, r * sin, z]
    };
    let mut mesh = Vec::new();
    for pair in outline.windows(2) {
        for i in 0..around {
            let [a, b, c, d] = [at(pair[0], i), at(pair[0], i + 1), at(pair[1], i + 1), at(pair[1], i)];
            if pair[0][0] > 0.0 {
                mesh.push([a, b, c]);
            }
            if pair[1][0] > 0.0 {
                mesh.push([a, c, d]);
            }
        }
    }
    mesh
}

fn normal([a, b, c]: &Triangle) -> [f64; 3] {
    let n = cross(sub(*b, *a), sub(*c, *a));
    scale(1.0 / length(n), n)
}

/// The largest depth of the contacts of a mesh at rest and a body, in both orders, by both laws, however both are turned.
fn depths(mesh: &[Triangle], body: &[Triangle], random: &mut Random) -> Vec<f64> {
    let mut all = Vec::new();
    for turned in 0..3 {
        let rig = if turned == 0 { Pose::default() } else { at(random.in_cube(1.0), random.rotation()) };
        for law in 0..2 {
            let make =
                |soup: &[Triangle]| if law == 0 { Body::facing(soup, HALO) } else { Body::conservative(soup, HALO) };
            let (a, b) = (make(mesh), make(body));
            for [x, y] in [[&a, &b], [&b, &a]] {
                let list = all_contacts(Isa::best(), &x.solid(&rig), &y.solid(&rig)).0;
                all.push(list.iter().map(|c| -c.least_gap).fold(f64::MIN, f64::max));
            }
        }
    }
    all
}

/// How far the deepest of some points is behind planes that bound a convex space from outside.
fn deepest(points: &[[f64; 3]], planes: &[([f64; 3], [f64; 3])]) -> f64 {
    let behind = |p: &[f64; 3]| planes.iter().map(|(o, n)| dot(sub(*o, *p), *n)).fold(0.0, f64::max);
    points.iter().map(behind).fold(0.0, f64::max)
}

fn expect(found: &[f64], right: f64, within: f64, what: &str) {
    for depth in found {
        assert!((depth - right).abs() <= within * right + 2e-11, "{what}: {depth} of {right}, {found:?}");
    }
}

#[test]
fn a_cube_behind_floor_and_wall_is_as_deep_as_it_is_behind_one_of_them() {
    let mut random = Random::new(1);
    let mesh = groove(std::f64::consts::FRAC_PI_2);
    for depth in [1e-9, 1e-6, 1e-3, 0.1 * T, T, 3.0 * T] {
        for part in [1.0, 0.3, 1e-3] {
            let body = moved(&cuboid([1.0; 3]), [0.5 - depth, 0.5 - part * depth, 0.2]);
            expect(&depths(&mesh, &body, &mut random), depth, 1e-6, &format!("{depth} {part}"));
        }
    }
}

#[test]
fn a_cube_in_a_corner_of_three_walls_is_as_deep_as_it_is_behind_one_of_them() {
    let mut random = Random::new(2);
    let mesh = corner();
    for depth in [1e-9, 1e-3, T, 3.0 * T] {
        for part in [1.0, 0.4] {
            let body = moved(&cuboid([1.0; 3]), [0.5 - depth, 0.5 - part * depth, 0.5 - part * part * depth]);
            expect(&depths(&mesh, &body, &mut random), depth, 1e-6, &format!("{depth} {part}"));
        }
    }
}

#[test]
fn bodies_in_a_groove_are_as_deep_as_their_deepest_point() {
    let mut random = Random::new(3);
    for degrees in [60.0_f64, 90.0, 120.0, 150.0, 170.0] {
        let angle = degrees.to_radians();
        let mesh = groove(angle);
        let planes = [([0.0; 3], [0.0, 1.0, 0.0]), ([0.0; 3], [angle.sin(), -angle.cos(), 0.0])];
        for k in 0..40 {
            let body = match k % 3 {
                0 => cuboid([1.0; 3]),
                1 => cuboid([1.5, 0.2, 0.8]),
                _ => sized(&ball(2), 0.5),
            };
            let placed = posed(&body, &at([0.0; 3], random.rotation()));
            let lift = |n: [f64; 3]| -placed.iter().flatten().map(|v| dot(*v, n)).fold(f64::MAX, f64::min);
            // As deep as this behind both sides.
            let deep = [0, 1].map(|_| T * 10f64.powf(random.range(-2.0, 0.5)));
            let [x, y] = [0, 1].map(|k| lift(planes[k].1) - deep[k]);
            let up = (x * angle.cos() + y) / angle.sin();
            let placed = moved(&placed, [up, x, random.range(-0.5, 0.5)]);
            let points: Vec<_> = placed.iter().flatten().copied().collect();
            let right = deepest(&points, &planes);
            assert!((right - deep[0].max(deep[1])).abs() < 1e-9);
            let found = depths(&mesh, &placed, &mut random);
            expect(&found, right, 0.03, &format!("{degrees} {k} {deep:?}"));
        }
    }
}

#[test]
fn triangles_have_no_part_in_the_depth_behind_floor_and_wall() {
    let mut random = Random::new(5);
    let mesh = groove(std::f64::consts::FRAC_PI_2);
    let body = posed(&cuboid([1.0; 3]), &at([0.0; 3], [0.0, 0.0, 0.3_f64.sin(), 0.3_f64.cos()]));
    let lowest = |k: usize| body.iter().flatten().map(|v| v[k]).fold(f64::MAX, f64::min);
    let body = moved(&body, [-lowest(0) - 0.5 * T, -lowest(1) - 0.1 * T, 0.2]);
    let coarse = depths(&mesh, &body, &mut random);
    expect(&coarse, 0.5 * T, 1e-6, "coarse");
    expect(&depths(&finer(&finer(&finer(&mesh))), &finer(&finer(&body)), &mut random), coarse[0], 1e-6, "fine");
}

#[test]
fn a_nail_whose_head_has_sunk_in_is_as_deep_as_it_is_long() {
    // Its head and its shaft meet in concave edges, but each side of the shaft has the other one behind it.
    let mut random = Random::new(6);
    let plate = moved(&cuboid([4.0, 4.0, 4.0]), [0.0, 0.0, -2.0]);
    let at = |x: f64, y: f64, z: f64| [x, y, z];
    let (r, big) = (0.02, 0.2);
    let mut nail = Vec::new();
    let mut quad = |[a, b, c, d]: [[f64; 3]; 4]| nail.extend([[a, b, c], [a, c, d]]);
    let ring = |r: f64, z: f64| [at(r, r, z), at(-r, r, z), at(-r, -r, z), at(r, -r, z)];
    let [tip, neck, under, top] = [ring(r, -0.5), ring(r, 0.0), ring(big, 0.0), ring(big, 0.1)];
    for i in 0..4 {
        let j = (i + 1) % 4;
        quad([tip[i], tip[j], neck[j], neck[i]]);
        quad([neck[i], neck[j], under[j], under[i]]);
        quad([under[i], under[j], top[j], top[i]]);
    }
    quad([tip[3], tip[2], tip[1], tip[0]]);
    quad(top);
    for depth in [1e-9, 1e-6, 1e-4, 1e-3, 0.01] {
        let nail = moved(&nail, [0.3, 0.1, -depth]);
        expect(&depths(&plate, &nail, &mut random), 0.5 + depth, 1e-6, &format!("{depth}"));
    }
}

#[test]
fn a_ball_in_a_bowl_slightly_smaller_than_it_is_a_shell() {
    let mut random = Random::new(4);
    let mesh = bowl(0.98, 24, 8);
    let planes: Vec<_> = mesh
        .iter()
        .filter(|t| t.iter().all(|v| length(*v) < 1.0 && (length(*v) - 0.98).abs() < 1e-9))
        .map(|t| (t[0], normal(t)))
        .collect();
    for lift in [0.005, 0.01, 0.018] {
        let body = moved(&ball(3), [0.0, 0.0, lift]);
        let points: Vec<_> = body.iter().flatten().copied().filter(|v| v[2] < 0.0).collect();
        let right = deepest(&points, &planes);
        let found = depths(&mesh, &body, &mut random);
        expect(&found, right, 0.03, &format!("{lift}"));
    }
}

#[test]
fn the_depth_of_a_cube_that_comes_to_the_wall_and_beyond_the_end_of_it_does_not_jump() {
    let mesh = groove(std::f64::consts::FRAC_PI_2);
    let turned = |yaw: f64| at([0.0; 3], [0.0, (0.5 * yaw).sin(), 0.0, (0.5 * yaw).cos()]);
    for yaw in [0.0, 0.05, 0.53, 0.7] {
        let body = posed(&cuboid([1.0; 3]), &turned(yaw));
        let lowest = body.iter().flatten().map(|v| v[0]).fold(f64::MAX, f64::min);
        let (mesh, body) = (Body::conservative(&mesh, HALO), Body::conservative(&body, HALO));
        let depth = |wall: f64, along: f64| {
            let pose = at([-lowest - wall, 0.5 - 0.1 * T, along], [0.0, 0.0, 0.0, 1.0]);
            let list = all_contacts(Isa::best(), &mesh.solid(&Pose::default()), &body.solid(&pose)).0;
            list.iter().map(|c| -c.least_gap).fold(f64::MIN, f64::max)
        };
        for k in -50..=200 {
            let wall = 0.01 * T * f64::from(k) + 1e-9;
            let right = wall.max(0.1 * T);
            assert!((depth(wall, 0.2) / right - 1.0).abs() < 1e-6, "{yaw} {wall}: {}", depth(wall, 0.2));
        }
        // The groove ends where z is 4. Its end is no fold.
        for k in 0..=20 {
            let along = 3.0 + 0.05 * f64::from(k);
            assert!((depth(T, along) / T - 1.0).abs() < 1e-6, "{yaw} {along}: {}", depth(T, along));
        }
    }
}

/// Floor and wall have a contact each, so laws of the depth push either by its own depth. With one contact of both faces, the law of one spring made a fifth
/// of the energy more than there was, and threw the cube up.
#[test]
fn a_cube_on_the_floor_that_hits_the_wall_keeps_its_energy_by_laws_of_the_depth() {
    let own = [groove(std::f64::consts::FRAC_PI_2), cuboid([1.0; 3])].map(|soup| Body::conservative(&soup, HALO));
    let [mesh, cube] = [0, 1].map(|k| surface(&own[k], true));
    let shapes = [Shape::Mesh(&mesh), Shape::Mesh(&cube)];
    let (mass, g): (f64, f64) = (1000.0, 10.0);
    let stiffness = mass * g / (1.1 * T);
    let pace = (stiffness / mass).sqrt();
    // Each with the same force of the cube that rests.
    let hertz = mass * g / (2.0 * T * 1.1 * (1.0 / std::f64::consts::PI).sqrt());
    for (normal, stiffness) in [(Normal::Linear, stiffness), (Normal::Hertz, hertz)] {
        let table = [Interaction::new(normal, stiffness)];
        let laws = Laws::new(&table).unwrap();
        for yaw in [0.0, 5.0, 30.5, 45.0_f64] {
            let yaw = yaw.to_radians();
            let mut world = OwnedWorld::with_executor(Box::new(Serial));
            world.set_up(&Setup { gravity: [0.0, -g, 0.0], ..Setup::default() }).unwrap();
            world.add(&BodyDef::new(Rigid::fixed(Pose::IDENTITY), 0)).unwrap();
            let speed = 1.2 * T * pace;
            let away = 0.5 * (yaw.cos() + yaw.sin()) + 1.5 * T;
            let ball = Rigid::ball(0.5, 1.0, [away, 0.5 - 0.1 * T, 0.0]).unwrap();
            let orientation = [0.0, (0.5 * yaw).sin(), 0.0, (0.5 * yaw).cos()];
            let moments = [mass / 6.0; 3];
            let cube = Rigid { mass, moments, orientation, velocity: [-speed, 0.0, 0.0], ..ball };
            let cube = world.add(&BodyDef::new(cube, 1)).unwrap();
            let (start, mut most) = (0.5 * mass * speed * speed, 0.0_f64);
            let dt = 0.005 / pace;
            for _ in 0..1600 {
                world.advance(dt, dt, &shapes, &laws).unwrap();
                most = most.max(world.report().unwrap().totals.kinetic());
            }
            let up = world.view().unwrap().body(cube).unwrap().velocity[1] / speed;
            println!("{normal:?} {yaw}: {} {up}", most / start);
            assert!(most < 1.035 * start && up.abs() < 0.03, "{normal:?} {yaw}: {most} of {start}, {up}");
        }
    }
}

/// Sides of a wide groove, of a bowl, and of a nail are one part.
#[test]
fn only_walls_and_grooves_divide_what_is_inside() {
    let mut random = Random::new(7);
    let mut parts = |mesh: &[Triangle], body: &[Triangle]| {
        let mut counts = vec![];
        for _ in 0..3 {
            let rig = at(random.in_cube(1.0), random.rotation());
            let (a, b) = (Body::conservative(mesh, HALO), Body::conservative(body, HALO));
            for [x, y] in [[&a, &b], [&b, &a]] {
                let list = all_contacts(Isa::best(), &x.solid(&rig), &y.solid(&rig)).0;
                counts.push(list.iter().filter(|c| c.status & PENETRATING != 0).count());
            }
        }
        counts
    };
    for (degrees, sides) in [(40.0, 2), (60.0, 2), (80.0, 2), (90.0, 2), (100.0, 2), (120.0, 1), (150.0, 1)] {
        let angle = f64::to_radians(degrees);
        let (mesh, half) = (groove(angle), 0.5 * angle);
        // A wedge that fills the groove, and is as deep behind either side.
        let [low, high] = [0.0, angle].map(|a| [a.cos(), a.sin()]);
        let at = |k: usize, z: f64| [[0.0, 0.0, z], [low[0], low[1], z], [high[0], high[1], z]][k % 3];
        let mut body = vec![[at(0, 0.0), at(2, 0.0), at(1, 0.0)], [at(0, 1.0), at(1, 1.0), at(2, 1.0)]];
        for k in 0..3 {
            body.push([at(k, 0.0), at(k + 1, 0.0), at(k + 1, 1.0)]);
            body.push([at(k, 0.0), at(k + 1, 1.0), at(k, 1.0)]);
        }
        let body = moved(&body, [-0.3 * T * half.cos(), -0.3 * T * half.sin(), 0.2]);
        let found = parts(&mesh, &body);
        assert!(found.iter().all(|n| *n == sides), "{degrees} {found:?}");
    }
    let found = parts(&bowl(0.98, 24, 8), &moved(&ball(3), [0.0, 0.0, 0.01]));
    assert!(found.iter().all(|n| *n == 1), "{found:?}");
}
