//! The law of volumes: its force is the gradient of an energy, so a closed path of poses costs no work, and walls push along their normals only.

use dem_core::contact::regions::Grouping;
use dem_core::contact::shape::Shape;
use dem_core::contact::{Contact, Law, least_gap};
use dem_core::pose::Pose;
use dem_core::simd::Isa;
use dem_std::generate;
use dem_tests::cases;
use dem_tests::contact::{Body, after, all_contacts, at, carried, cuboid, ell, soup, wrench, wrench_of};
use dem_tests::deep::{moved, sized, turn, turned_over};
use dem_tests::random::Random;
use dem_tests::shapes::{all, ground, grouped, placed, sphere, surface};
use dem_tests::vector::{add, cross, dot, length, rotate, scale, sub};
use dem_tests::{Triangle, walls};

/// Halo of each body.
const HALO: f64 = 0.05;

fn rock(level: u32, eta: f64, seed: u64) -> Vec<Triangle> {
    soup(&generate::bumpy(generate::icosphere(level).unwrap(), eta, seed).unwrap())
}

/// Work on A around a closed path of poses about `base`, and the sum of its parts' amounts; the least gap on the way.
fn work(a: &Body, base: &Pose, b: &Body, radius: f64, parts: usize) -> [f64; 3] {
    path(base, radius, parts, |pose| all_contacts(Isa::best(), &a.side(pose), &b.side(&Pose::IDENTITY)).0)
}

/// The same for whatever tells the contacts at a pose of A.
fn path(base: &Pose, radius: f64, parts: usize, contacts: impl Fn(&Pose) -> Vec<Contact>) -> [f64; 3] {
    let axis = scale(1.0 / length([0.3, 0.5, 0.8]), [0.3, 0.5, 0.8]);
    let ways = [[1.0, 0.0, 0.0], scale(1.0 / length([0.0, 0.4, 1.0]), [0.0, 0.4, 1.0])];
    let (mut sum, mut amount, mut least) = (0.0, 0.0, f64::INFINITY);
    let step = std::f64::consts::TAU / parts as f64;
    for i in 0..parts {
        let (sine, cosine) = (step * i as f64).sin_cos();
        let position = add(base.position, add(scale(radius * cosine, ways[0]), scale(radius * sine, ways[1])));
        let velocity = add(scale(-radius * sine, ways[0]), scale(radius * cosine, ways[1]));
        let (double, rate) = ((2.0 * step * i as f64).sin(), 2.0 * (2.0 * step * i as f64).cos());
        let pose = at(position, after(turn(axis, 0.7 * radius * double), base.orientation));
        let list = contacts(&pose);
        least = least.min(least_gap(&list));
        let w = wrench(&list, position);
        let power = dot(w.force, velocity) + 0.7 * radius * rate * dot(w.torque, axis);
        (sum, amount) = (sum + power * step, amount + power.abs() * step);
    }
    [sum, amount, least]
}

/// The base moved along its position until the bodies are near, but do not touch.
fn near(a: &Body, mut base: Pose, b: &Body) -> Pose {
    let way = scale(1.0 / length(base.position), base.position);
    for _ in 0..80 {
        let least = least_gap(&all_contacts(Isa::best(), &a.side(&base), &b.side(&Pose::IDENTITY)).0);
        match least {
            x if x == f64::INFINITY => base.position = sub(base.position, scale(0.011, way)),
            x if x < 0.6 * HALO => base.position = add(base.position, scale(0.01, way)),
            _ => break,
        }
    }
    base
}

#[test]
fn a_closed_path_costs_no_work() {
    let cube = || Body::conservative(&cuboid([1.0; 3]), HALO);
    let small = Body::conservative(&cuboid([0.6; 3]), HALO);
    let of = |soup: Vec<Triangle>| Body::conservative(&soup, HALO);
    let pose =
        |position: [f64; 3], axis: [f64; 3], angle: f64| at(position, turn(scale(1.0 / length(axis), axis), angle));
    let cases = [
        ("cube and cube", cube(), cube(), pose([0.2, 0.15, 1.06], [1.0, 0.3, 0.2], 0.05), 0.02),
        ("corner and cube", cube(), cube(), pose([0.2, 0.15, 1.29], [1.0, 0.8, 0.1], 0.7), 0.02),
        ("cube in an L", small, of(ell()), pose([0.56, 0.57, 0.1], [0.1, 0.2, 1.0], 0.03), 0.015),
        ("rocks 80", of(rock(1, 1.4, 7)), of(rock(1, 1.4, 9)), pose([0.3, 0.2, 2.4], [1.0, 0.8, 0.1], 0.7), 0.01),
        ("rocks 1280", of(rock(3, 1.4, 7)), of(rock(3, 1.4, 9)), pose([0.3, 0.2, 2.4], [1.0, 0.8, 0.1], 0.7), 0.01),
    ];
    for (name, a, b, base, radius) in cases {
        let base = near(&a, base, &b);
        let [sum, amount, least] = work(&a, &base, &b, radius, 1_600);
        println!("{name}: {sum:.2e} of {amount:.2e}, least gap {least:.3}");
        assert!(least > 0.0 && amount > 0.0 && sum.abs() < 1e-7 * amount, "{name}: {sum:e} of {amount:e}, {least}");
    }
}

#[test]
fn a_wall_pushes_along_its_normal() {
    let wall = Body::conservative(&cuboid([8.0, 8.0, 2.0]), HALO);
    let mut random = Random::new(3);
    for soup in [cuboid([1.0; 3]), ell(), rock(2, 1.5, 3)] {
        let body = Body::conservative(&soup, HALO);
        for _ in 0..20 {
            let orientation = random.rotation();
            let low = soup.as_flattened().iter().map(|v| rotate(orientation, *v)[2]).fold(f64::INFINITY, f64::min);
            let pose = at([0.1, 0.2, 1.0 - low + random.range(0.0, 2.0 * HALO)], orientation);
            let list = all_contacts(Isa::best(), &body.side(&pose), &wall.side(&Pose::IDENTITY)).0;
            let [x, y, z] = wrench(&list, [0.0; 3]).force;
            assert!(z > 0.0 && x.abs() + y.abs() < 1e-12 * z, "{x:e} {y:e} {z:e}");
        }
    }
}

/// Facets of a wall whose corners were rounded to f32 lean by up to the rounding over their heights, each in its own way. What presses on one facet is pushed along the normal of that, exactly; what
/// presses on many is pushed sideways by no more than the largest lean of any. So 2e-6 of the force, for coordinates of some metres and facets of some centimetres, are those of the mesh that was given:
/// no law that follows the mesh has less.
#[test]
fn a_wall_that_was_rounded_pushes_sideways_as_much_as_its_facets_lean() {
    let place = at([3.0, -2.0, 5.0], [0.3, -0.2, 0.5, 0.787_400_787_401_181_1]);
    let up = rotate(place.orientation, [0.0, 0.0, 1.0]);
    let sideways = |v: [f64; 3]| sub(scale(1.0 / dot(v, up), v), up);
    let lean = |t: &Triangle| sideways(cross(sub(t[1], t[0]), sub(t[2], t[0])));
    let turned = |random: &mut Random, tilt: f64| {
        let axis = [random.range(-1.0, 1.0), 1.0, 0.3];
        after(turn(scale(1.0 / length(axis), axis), tilt), turn([0.0, 0.0, 1.0], random.range(0.0, 6.0)))
    };
    let force = |body: &Body, pose: &Pose, wall: &Body| {
        let list = all_contacts(Isa::best(), &body.side(pose), &wall.side(&Pose::IDENTITY)).0;
        wrench(&list, pose.position).force
    };
    let lowest = |edges: [f64; 3], q: [f64; 4]| {
        cuboid(edges).as_flattened().iter().map(|v| rotate(q, *v)[2]).fold(f64::INFINITY, f64::min)
    };
    let (edges, small) = ([1.0, 0.6, 0.4], [0.008; 3]);
    let (body, crumb) = (Body::conservative(&cuboid(edges), HALO), Body::conservative(&cuboid(small), 1e-3));
    let mut random = Random::new(14);
    let (mut most, mut flat) = (0.0f64, 0.0f64);
    for cells in [20, 71, 141] {
        let soup = walls::regular(cells, 3.0);
        let facets = walls::rounded(&soup, place.orientation, place.position);
        let largest = facets.iter().map(|t| length(lean(t))).fold(0.0, f64::max);
        let (wall, thin) = (Body::conservative(&facets, HALO), Body::conservative(&facets, 1e-3));
        for tilt in [0.0, 0.05, 0.6, 0.8, 1.0] {
            let local = turned(&mut random, tilt);
            let height = 0.4 * HALO - lowest(edges, local);
            let pose = carried(&place, &at([random.range(-1.0, 1.0), random.range(-1.0, 1.0), height], local));
            let own = sideways(force(&body, &pose, &wall));
            assert!(length(own) < 1.01 * largest, "{cells} {tilt}: {own:?} {largest:e}");
            flat = if tilt == 0.0 { flat.max(length(own)) } else { flat };
        }
        for _ in 0..40 {
            let (k, local) = (random.below(soup.len()), turned(&mut random, 0.7));
            let middle = soup[k].iter().fold([0.0; 3], |sum, v| add(sum, scale(1.0 / 3.0, *v)));
            let pose = carried(&place, &at(add(middle, [0.0, 0.0, 4e-4 - lowest(small, local)]), local));
            let (own, its) = (sideways(force(&crumb, &pose, &thin)), lean(&facets[k]));
            assert!(length(sub(own, its)) < 1e-11, "{cells}: {own:?} {its:?}");
            most = most.max(length(own));
        }
        println!("{cells}: facets lean by up to {largest:.1e}");
    }
    println!("up to {most:.1e} on a facet, {flat:.1e} below a box that lies flat");
    assert!(most > 2e-6 && flat < 1e-6, "{most:e} {flat:e}");
}

#[test]
fn a_flat_box_has_the_force_of_its_area_and_a_rim() {
    let wall = Body::conservative(&cuboid([8.0, 8.0, 2.0]), HALO);
    let body = Body::conservative(&cuboid([1.0; 3]), HALO);
    let halo = 2.0 * HALO;
    for gap in [0.01, 0.03, 0.08] {
        let pose = at([0.0, 0.0, 1.5 + gap], [0.0, 0.0, 0.0, 1.0]);
        let list = all_contacts(Isa::best(), &body.side(&pose), &wall.side(&Pose::IDENTITY)).0;
        let w = wrench(&list, pose.position);
        let over = w.force[2] / (1.0 - gap / halo);
        println!("{gap}: {over} of {}", list.len());
        assert!(over > 1.0 && over < 1.0 + 1.5 * halo && length(cross(w.force, [0.0, 0.0, 1.0])) < 1e-15);
    }
}

/// A mesh decides on its law by its own halo. Beside a halo that is far thicker it may be thin for the pair: what is left then of the force is told in
/// docs/contacts.md, and cells of either body for the law of facing have all of it.
#[test]
fn a_body_that_is_thin_for_a_thicker_halo_is_held_by_most_of_the_force() {
    let (slab, wide) = (cuboid([10.0, 10.0, 0.2]), 0.96);
    let thick = cuboid([30.0, 30.0, 8.0]);
    let [one, other] = [Body::new(&slab, 0.04), Body::new(&thick, wide)];
    assert_eq!([&one, &other].map(|body| body.cells().law()), [Law::Volume; 2]);
    let halo = 0.04 + wide;
    for gap in [0.2, 0.5, 0.8] {
        let pose = at([0.3, 0.2, 4.1 + gap], [0.0, 0.0, 0.0, 1.0]);
        let force = |a: &Body, b: &Body| {
            let list = all_contacts(Isa::best(), &a.side(&pose), &b.side(&Pose::IDENTITY)).0;
            let [x, y, z] = wrench(&list, pose.position).force;
            assert!(x.abs() + y.abs() < 1e-12 * z, "{x:e} {y:e} {z:e}");
            z / (100.0 * (1.0 - gap / halo))
        };
        let [volume, mixed, facing] = [
            force(&one, &other),
            force(&one, &Body::facing(&thick, wide)),
            force(&Body::facing(&slab, 0.04), &Body::facing(&thick, wide)),
        ];
        println!("{gap}: {volume} {mixed} {facing}");
        // The front less the back of the slab, half of each body's share, and rims; cones at corners differ a little.
        let right = 0.5 * (halo - gap).min(0.2) / (halo - gap) + 0.5;
        assert!(volume > right && volume < 1.25 * right, "{gap}: {volume} {right}");
        assert!((mixed / facing - 1.0).abs() < 1e-3 && facing > 1.0, "{gap}: {mixed} {facing}");
    }
}

#[test]
fn a_closed_path_that_penetrates_costs_no_work() {
    // Rocks of 1280 triangles take a minute and a half.
    let (finer, level) = cases(("rocks 320", 2), ("rocks 1280", 3));
    let of = |soup: Vec<Triangle>| Body::conservative(&soup, HALO);
    let pose =
        |position: [f64; 3], axis: [f64; 3], angle: f64| at(position, turn(scale(1.0 / length(axis), axis), angle));
    let cases = [
        (
            "cube and cube",
            of(cuboid([1.0; 3])),
            of(cuboid([1.0; 3])),
            pose([0.2, 0.15, 0.93], [1.0, 0.3, 0.2], 0.05),
            0.02,
        ),
        (
            "corner and cube",
            of(cuboid([1.0; 3])),
            of(cuboid([1.0; 3])),
            pose([0.2, 0.15, 1.1], [1.0, 0.8, 0.1], 0.7),
            0.02,
        ),
        ("rocks 80", of(rock(1, 1.4, 7)), of(rock(1, 1.4, 9)), pose([0.3, 0.2, 1.9], [1.0, 0.8, 0.1], 0.7), 0.02),
        (finer, of(rock(level, 1.4, 7)), of(rock(level, 1.4, 9)), pose([0.3, 0.2, 1.95], [1.0, 0.8, 0.1], 0.7), 0.02),
        (
            "in and out",
            of(cuboid([1.0; 3])),
            of(cuboid([1.0; 3])),
            pose([0.2, 0.15, 1.01], [1.0, 0.3, 0.2], 0.05),
            0.06,
        ),
        ("cube in an L", of(cuboid([0.6; 3])), of(ell()), pose([0.48, 0.49, 0.1], [0.1, 0.2, 1.0], 0.03), 0.015),
    ];
    for (name, a, b, base, radius) in cases {
        let [sum, amount, least] = work(&a, &base, &b, radius, 1_600);
        println!("{name}: {sum:.2e} of {amount:.2e}, least gap {least:.3}");
        assert!(least < 0.0 && amount > 0.0 && sum.abs() < 1e-6 * amount, "{name}: {sum:e} of {amount:e}, {least}");
    }
}

#[test]
fn spheres_and_half_spaces_cost_no_work_either() {
    let of = |soup: Vec<Triangle>| Body::conservative(&soup, HALO);
    let (cube, l, rocky) = (of(cuboid([1.0; 3])), of(ell()), of(rock(2, 1.4, 7)));
    let tilted = |position: [f64; 3]| at(position, turn([0.6, 0.0, 0.8], 0.7));
    let ball = sphere(0.3, HALO);
    let low = |body: &Body, pose: &Pose| {
        let list = all(&placed(Shape::Mesh(&surface(body, false)), pose), &placed(ground(HALO), &Pose::IDENTITY)).0;
        least_gap(&list)
    };
    let mut worst = 0.0f64;
    let mut check = |name: &str, base: Pose, radius: f64, contacts: &dyn Fn(&Pose) -> Vec<Contact>| {
        let [sum, amount, least] = path(&base, radius, 1_600, contacts);
        println!("{name}: {sum:.2e} of {amount:.2e}, least gap {least:.3}");
        assert!(amount > 0.0 && sum.abs() < 1e-6 * amount, "{name}: {sum:e} of {amount:e}");
        worst = worst.max(sum.abs() / amount);
    };
    for (name, body, places) in [
        ("ball and cube", &cube, [[0.1, 0.2, 0.83], [0.52, 0.53, 0.65], [0.4, 0.3, 0.74]]),
        ("ball in an L", &l, [[0.55, 0.57, 0.1], [0.52, 0.53, 0.1], [1.15, 0.45, 0.4]]),
        ("ball and rock", &rocky, [[0.1, 0.2, 1.55], [0.9, 0.8, 0.6], [0.2, -1.3, 0.2]]),
    ] {
        let of_body = surface(body, true);
        for place in places {
            check(name, tilted(place), 0.02, &|pose| {
                all(&placed(ball, pose), &placed(Shape::Mesh(&of_body), &Pose::IDENTITY)).0
            });
        }
    }
    for (name, body) in [("cube and plane", &cube), ("L and plane", &l), ("rock and plane", &rocky)] {
        let of_body = surface(body, false);
        for depth in [-0.05, 0.01, 0.2] {
            let mut base = tilted([0.0, 0.0, 0.0]);
            base.position[2] -= low(body, &base) + depth;
            check(name, base, 0.02, &|pose| {
                all(&placed(Shape::Mesh(&of_body), pose), &placed(ground(HALO), &Pose::IDENTITY)).0
            });
        }
    }
}

/// In and out beside an edge and through it: the law with the closest feature is a function of the depth, and begins with nothing.
#[test]
fn a_ball_whose_centre_goes_into_a_solid_and_out_costs_no_work() {
    let cube = Body::conservative(&cuboid([1.0; 3]), HALO);
    let cube = surface(&cube, true);
    for (place, most) in [([0.4, 0.1, 0.5], 1e-4), ([0.5, 0.1, 0.5], 1e-3), ([0.48, 0.47, 0.46], 1e-3)] {
        let contacts =
            |pose: &Pose| all(&placed(sphere(0.2, HALO), pose), &placed(Shape::Mesh(&cube), &Pose::IDENTITY)).0;
        let [sum, amount, least] = path(&at(place, [0.0, 0.0, 0.0, 1.0]), 0.06, 6_400, contacts);
        println!("ball at {place:?}: {sum:.2e} of {amount:.2e}");
        assert!(least < -0.2 && sum.abs() < most * amount, "{place:?}: {sum:e} of {amount:e}, {least}");
        // No jump as the centre goes through the surface.
        let [out, inside] = [1e-9, -1e-9].map(|d| {
            let pose = at([0.4, 0.1, 0.5 + d], [0.0, 0.0, 0.0, 1.0]);
            wrench(&contacts(&pose), [0.0; 3])
        });
        assert!(out.minus(&inside).size().into_iter().all(|d| d < 1e-6 * out.size()[0]), "{out:?} {inside:?}");
    }
}

#[test]
fn a_half_space_pushes_as_a_wall_of_triangles() {
    let wall = Body::conservative(&cuboid([8.0, 8.0, 2.0]), HALO);
    let mut random = Random::new(8);
    for soup in [cuboid([1.0; 3]), ell(), rock(2, 1.5, 3)] {
        let body = Body::conservative(&soup, HALO);
        let of_body = surface(&body, false);
        for case in 0..20 {
            let orientation = random.rotation();
            let low = soup.as_flattened().iter().map(|v| rotate(orientation, *v)[2]).fold(f64::INFINITY, f64::min);
            let mut pose = at([0.1, 0.2, 1.0 - low + random.range(-0.2, 2.0 * HALO)], orientation);
            let list = all_contacts(Isa::best(), &body.side(&pose), &wall.side(&Pose::IDENTITY)).0;
            let one = wrench(&list, pose.position);
            pose.position[2] -= 1.0;
            let list = all(&placed(Shape::Mesh(&of_body), &pose), &placed(ground(HALO), &Pose::IDENTITY)).0;
            let other = wrench(&list, pose.position);
            let [force, torque] = one.minus(&other).size();
            let size = one.size()[0].max(1e-6);
            assert!(force < 1e-8 * size && torque < 1e-8 * size, "{case}: {force:e} {torque:e} of {one:?} {other:?}");
        }
    }
}

/// Not only force and torque, but what a law sees: the fields of the contact, also where the body goes in.
#[test]
fn a_contact_with_a_half_space_is_that_with_a_wall_of_triangles() {
    let wall = Body::conservative(&cuboid([8.0, 8.0, 2.0]), HALO);
    let of_wall = surface(&wall, true);
    let mut random = Random::new(9);
    let (mut alone, mut off) = (0, [0.0f64; 3]);
    for soup in [cuboid([1.0; 3]), cuboid([1.0, 0.6, 0.4]), rock(2, 1.5, 3)] {
        let body = Body::conservative(&soup, HALO);
        let of_body = surface(&body, true);
        for case in 0..60 {
            let orientation = random.rotation();
            let low = soup.as_flattened().iter().map(|v| rotate(orientation, *v)[2]).fold(f64::INFINITY, f64::min);
            let depth = random.range(-1.0, 1.0) * HALO;
            let mut pose = at([0.1, 0.2, 1.0 - low - depth], orientation);
            let on = |other: Shape<'_>, pose: &Pose| {
                grouped(&placed(Shape::Mesh(&of_body), pose), &placed(other, &Pose::IDENTITY), &Grouping::default())
            };
            let one = on(Shape::Mesh(&of_wall), &pose);
            pose.position[2] -= 1.0;
            let other = on(ground(HALO), &pose);
            assert_eq!(one.len(), other.len(), "{case}: {one:?} {other:?}");
            let ([x], [y]) = (&one[..], &other[..]) else { continue };
            alone += 1;
            let way = sub(sub(x.position, [0.0, 0.0, 1.0]), y.position);
            let now = [(x.gap - y.gap).abs() / x.halo, (x.area / y.area - 1.0).abs(), length(way) / x.halo];
            assert!(now.iter().all(|off| *off < 1e-7), "{case} {depth}: {now:?}");
            off = [0, 1, 2].map(|k| off[k].max(now[k]));
        }
    }
    println!("{alone} contacts: gap, area and position are off by {off:?}");
    assert!(alone > 150);
}

/// Edges that are parallel: rounding decides to which of two patches their terms belong, and so to which node. No field of the contact depends on it.
#[test]
fn what_rounding_divides_among_nodes_does_not_change_a_contact() {
    let icosahedron = sized(&soup(&generate::icosphere(0).unwrap()), 0.5);
    let octahedron = [[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]].into_iter().flat_map(|[x, y]: [f64; 2]| {
        let [p, q] = if x * y > 0.0 {
            [[0.5 * x, 0.0, 0.0], [0.0, 0.5 * y, 0.0]]
        } else {
            [[0.0, 0.5 * y, 0.0], [0.5 * x, 0.0, 0.0]]
        };
        [[p, q, [0.0, 0.0, 0.5]], [q, p, [0.0, 0.0, -0.5]]]
    });
    let octahedron: Vec<Triangle> = octahedron.collect();
    let mut random = Random::new(5);
    let (mut poses, mut worst) = (0, 0.0f64);
    for (a, b) in [
        (cuboid([0.8, 0.6, 0.5]), icosahedron.clone()),
        (cuboid([0.8, 0.6, 0.5]), octahedron.clone()),
        (octahedron.clone(), octahedron),
        (icosahedron.clone(), icosahedron),
    ] {
        let bodies = [Body::conservative(&a, HALO), Body::conservative(&b, HALO)];
        let [a, b] = bodies.each_ref().map(|body| surface(body, true));
        for k in 0..60 {
            let aside = [0.05 * random.range(-1.0, 1.0), if k % 2 == 0 { 0.0 } else { 0.05 * random.range(-1.0, 1.0) }];
            let from = [1.2 - 0.01 * f64::from(k), aside[0], aside[1]];
            let found = (0..6).map(|step| {
                let off = f64::from(step) * 1e-15;
                let pose = at(add(from, [off, 2.0 * off, 3.0 * off]), [0.0, 0.0, 0.0, 1.0]);
                let (one, other) = (placed(Shape::Mesh(&b), &pose), placed(Shape::Mesh(&a), &Pose::IDENTITY));
                grouped(&one, &other, &Grouping::default())
            });
            let found: Vec<_> = found.collect();
            // Of several contacts rounding may decide the number; deeper than both bodies are thick, also the depth.
            let Some(all) =
                found.iter().map(|list| if let [c] = &list[..] { Some(*c) } else { None }).collect::<Option<Vec<_>>>()
            else {
                continue;
            };
            if all[0].least_gap < -3.0 * HALO {
                continue;
            }
            poses += 1;
            for c in &all {
                let off =
                    [c.gap - all[0].gap, length(sub(c.position, all[0].position)), (c.area / all[0].area - 1.0) * HALO];
                worst = off.iter().fold(worst, |worst, off| worst.max(off.abs() / HALO));
                assert!(worst < 1e-8, "{k}: {c:?} {:?}", all[0]);
            }
        }
    }
    println!("{poses} poses: {worst:e} halos");
    assert!(poses > 60, "{poses}");
}

/// Boxes whose sides come to lie in one plane: neither the force nor its rate of change depends on whose cells the sides are in by rounding.
#[test]
fn a_stack_that_slides_through_flush_feels_no_jump() {
    let (lower, upper) =
        (Body::conservative(&cuboid([1.0; 3]), HALO), Body::conservative(&cuboid([1.0, 0.8, 0.6]), HALO));
    let mut random = Random::new(4);
    for world in [Pose::IDENTITY, at(random.in_cube(2.0), random.rotation())] {
        let at_offset = |x: f64| {
            let pose = carried(&world, &at([x, 0.1, 0.83], [0.0, 0.0, 0.0, 1.0]));
            wrench(&all_contacts(Isa::best(), &upper.side(&pose), &lower.side(&world)).0, pose.position)
        };
        let flush = at_offset(0.0);
        for step in [1e-15, 1e-13, 1e-11, 1e-9, 1e-7, 1e-5, 1e-3] {
            for x in [step, -step] {
                let [force, torque] = at_offset(x).minus(&flush).size();
                assert!(force < 3.0 * step + 1e-12 && torque < 3.0 * step + 1e-12, "{x:e}: {force:e} {torque:e}");
            }
        }
    }
}

/// The records of regions: side patches push along the plane and cancel, so they are part of the one record, whose normal is the plane's.
#[test]
fn a_box_on_a_plane_is_one_region_along_the_normal() {
    let wall = Body::conservative(&cuboid([8.0, 8.0, 2.0]), HALO);
    let of_wall = surface(&wall, false);
    let (upright, tilted) = ([0.0, 0.0, 0.0, 1.0], turn(scale(0.5f64.sqrt(), [1.0, 1.0, 0.0]), 0.3));
    let corner = turn(scale(0.5f64.sqrt(), [1.0, -1.0, 0.0]), (1.0 / 3.0f64.sqrt()).acos());
    for (name, soup) in [("cube", cuboid([1.0; 3])), ("box", cuboid([1.0, 0.6, 0.8]))] {
        let body = Body::conservative(&soup, HALO);
        let of_body = surface(&body, false);
        for (orientation, gap) in
            [(upright, 0.03), (upright, 0.08), (tilted, 0.02), (corner, 0.02), (corner, -0.05), (upright, -0.05)]
        {
            let low = soup.as_flattened().iter().map(|v| rotate(orientation, *v)[2]).fold(f64::INFINITY, f64::min);
            for on_wall in [true, false] {
                let (pose, other) =
                    (at([0.1, 0.2, gap - low], orientation), at([0.0, 0.0, -1.0], [0.0, 0.0, 0.0, 1.0]));
                let mesh = placed(Shape::Mesh(&of_body), &pose);
                let (shape, place) =
                    if on_wall { (Shape::Mesh(&of_wall), &other) } else { (ground(HALO), &Pose::IDENTITY) };
                let regions = grouped(&mesh, &placed(shape, place), &Grouping::default());
                let all = wrench(&all(&mesh, &placed(shape, place)).0, pose.position);
                let case = format!("{name} {orientation:?} {gap} {on_wall}: {} regions", regions.len());
                let [c] = &regions[..] else { panic!("{case}: {regions:?}") };
                println!("{case} {:?} {:e}", c.normal, (1.0 - c.gap / c.halo) * c.area - all.force[2]);
                let across = c.normal[0].abs() + c.normal[1].abs();
                // What is enclosed is known but for the rounding of crossings.
                let bound = if gap < 0.0 { 1e-10 } else { 1e-12 };
                assert!(across < bound && c.normal[2] > 0.0, "{case}: {:?}", c.normal);
                assert!(((1.0 - c.gap / c.halo) * c.area - all.force[2]).abs() < bound * all.force[2], "{case}");
                let torque = wrench(&regions, pose.position).minus(&all).size()[1];
                assert!(torque < bound, "{case}: {torque:e}");
            }
        }
    }
}

/// Flaps, copies, open boxes and bodies that go through themselves, under the law of volumes all the same: no more than twice and a half the force of a
/// good body of the same size that lies flat at the same gap.
#[test]
fn bad_meshes_have_bounded_forces() {
    let wall = Body::conservative(&cuboid([8.0, 8.0, 2.0]), HALO);
    let cube = cuboid([1.0; 3]);
    let fin: Triangle = [[-0.5, -0.5, 0.5], [0.5, -0.5, 0.5], [0.0, -0.5, 0.9]];
    let bad = [
        ("fin", [&cube[..], &[fin]].concat()),
        ("faces twice", [&cube[..], &cube[..5]].concat()),
        ("sheets", [cube.clone(), turned_over(&cube)].concat()),
        ("open box", cube[2..].to_vec()),
        ("one face turned", [turned_over(&cube[..1]), cube[1..].to_vec()].concat()),
        ("inside out", turned_over(&cube)),
        ("cubes in each other", [cube.clone(), sized(&moved(&cube, [0.1, 0.05, 0.02]), 0.9)].concat()),
    ];
    let mut random = Random::new(6);
    for (name, soup) in bad {
        let body = Body::conservative(&soup, HALO);
        let mut most = 0.0f64;
        for case in 0..40 {
            let orientation = if case < 4 {
                turn([1.0, 0.0, 0.0], f64::from(case) * 0.5 * std::f64::consts::PI)
            } else {
                random.rotation()
            };
            let low = soup.as_flattened().iter().map(|v| rotate(orientation, *v)[2]).fold(f64::INFINITY, f64::min);
            for gap in [0.02, 0.05, 0.08] {
                let pose = at([0.1, 0.2, 1.0 - low + gap], orientation);
                let list = all_contacts(Isa::best(), &body.side(&pose), &wall.side(&Pose::IDENTITY)).0;
                let [force, torque] = wrench(&list, pose.position).size();
                let flat = 1.1 * (1.0 - gap / (2.0 * HALO));
                assert!(force.is_finite() && torque <= 2.0 * force.max(flat), "{name} {case}: {force} {torque}");
                most = most.max(force / flat);
            }
        }
        println!("{name}: {most:.2}");
        assert!(most < 2.5, "{name}: {most}");
    }
}

/// A plate about the origin, with as many squares a side above and below, a power of two so that vertices meet, and as many rectangles on each of its sides.
fn cut_plate(n: u32, edges: [f64; 3]) -> Vec<Triangle> {
    let [x, y, z] = edges.map(|e| 0.5 * e);
    let above = soup(&generate::plate([n, n], [edges[0], edges[1]]).expect("a plate"));
    let at = |t: Triangle, z: f64| t.map(|v| [v[0], v[1], z]);
    let mut all: Vec<Triangle> = above.iter().map(|&t| at(t, z)).collect();
    all.extend(above.iter().map(|&[a, b, c]| at([a, c, b], -z)));
    let corners = [[-x, -y], [x, -y], [x, y], [-x, y]];
    for (side, from) in corners.into_iter().enumerate() {
        let to = corners[(side + 1) % 4];
        let on = |k: u32, z: f64| {
            let t = f64::from(k) / f64::from(n);
            [from[0] + (to[0] - from[0]) * t, from[1] + (to[1] - from[1]) * t, z]
        };
        all.extend((0..n).flat_map(|k| {
            let (a, b, c, d) = (on(k, -z), on(k + 1, -z), on(k + 1, z), on(k, z));
            [[a, b, c], [a, c, d]]
        }));
    }
    all
}

/// Faces that look away from each other count by the law of volumes: in the middle of finely cut plates, too, where no edge is near.
#[test]
fn a_thin_plate_pushes_alike_however_finely_it_is_cut() {
    let (gap, tilted) = (0.03, [0.01, 0.02, 0.3, 1.0]);
    for thick in [0.02, 0.3] {
        let position = [0.05, 0.03, 0.15 + 0.5 * thick + gap];
        let push = |m: u32, n: u32| {
            let upper = Body::conservative(&cut_plate(m, [1.0, 1.0, thick]), 0.05);
            let lower = Body::conservative(&cut_plate(n, [2.0, 2.0, 0.3]), 0.05);
            wrench_of(&upper, &at(position, tilted), &lower, &Pose::IDENTITY, position)
        };
        let whole = push(1, 1);
        assert!(whole.force[2] > 0.4, "{whole:?}");
        for (m, n) in [(1, 8), (8, 8), (16, 16), (32, 16)] {
            let [force, torque] = push(m, n).minus(&whole).size();
            assert!(force < 1e-9 && torque < 1e-9, "{thick} thick, {m} and {n} squares a side: {force:e} {torque:e}");
        }
    }
}
