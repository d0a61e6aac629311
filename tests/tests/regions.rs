//! Regions: one contact for each place where two bodies touch, with the resultant of all patch pairs.

use dem_core::contact::regions::{Grouping, Mode};
use dem_core::contact::shape::{
    Part, Placed, Request, Shape, shape_contacts, shape_corners, shape_corners_scratch, shape_scratch,
};
use dem_core::contact::{CellOptions, Contact, Corner, CornerLimits, Law, Node, Regions, Room};
use dem_core::error::{Kind, What};
use dem_core::exec::{Serial, Work};
use dem_core::pose::Pose;
use dem_core::rays::{Ray, cast};
use dem_core::simd::Isa;
use dem_std::{ContactFinder, Memory, Threads, generate};
use dem_tests::Triangle;
use dem_tests::contact::{Body, HALO, after, at, cuboid, deep_bodies, ell, near_bodies, soup, wrench};
use dem_tests::data;
use dem_tests::deep::{ball, moved, sized, turn};
use dem_tests::random::Random;
use dem_tests::scene::posed;
use dem_tests::shapes::{all, assert_opposite, assert_sound, ground, grouped, part, placed, sphere, surface};
use dem_tests::vector::{add, cross, dot, length, rotate, scale, sub};

fn regions(a: &Placed<'_>, b: &Placed<'_>) -> Vec<Contact> {
    grouped(a, b, &Grouping::default())
}

/// Regions equal patch pairs in force and torque about the first contact; so does one contact for both bodies. Gives
/// the numbers of patch pairs and regions.
fn assert_same_resultant(a: &Placed<'_>, b: &Placed<'_>) -> [usize; 2] {
    let all = grouped(a, b, &Grouping::PATCHES);
    let list = regions(a, b);
    let one = grouped(a, b, &Grouping::BODIES);
    let point = all.first().map_or([0.0; 3], |c| c.position);
    let wanted = wrench(&all, point);
    // What is summed up.
    let arm = all.iter().map(|c| length(dem_tests::vector::sub(c.position, point))).fold(1e-3, f64::max);
    let size: f64 = all.iter().map(|c| (1.0 - c.gap / c.halo) * c.area).sum();
    let moments: f64 = all.iter().map(|c| length(c.moment)).sum();
    for list in [&list, &one] {
        list.iter().for_each(assert_sound);
        assert!(list.is_sorted_by(|x, y| x.key < y.key));
        let [force, torque] = wrench(list, point).minus(&wanted).size();
        assert!(force <= 1e-12 * size && torque <= 1e-12 * (arm * size + moments), "{force} {torque} {size}");
        let share: f64 = list.iter().map(|c| c.share).sum();
        assert!(list.is_empty() || (share - 1.0).abs() < 1e-12, "{share}");
    }
    if length(wanted.force) > 0.5001 * size && !all.is_empty() {
        assert_eq!(one.len(), 1);
    }
    [all.len(), list.len()]
}

#[test]
fn resultants_are_those_of_all_patch_pairs_at_any_pose() {
    let (mut nodes, mut found) = (0, 0);
    for case in 0..120 {
        let (a, pose_a, b, pose_b) = if case % 2 == 0 { near_bodies(case) } else { deep_bodies(case) };
        let bodies = [Body::new(&a, HALO), Body::new(&b, HALO)];
        let [a, b] = bodies.each_ref().map(|body| surface(body, true));
        let (a, b) = (placed(Shape::Mesh(&a), &pose_a), placed(Shape::Mesh(&b), &pose_b));
        let [patches, regions] = assert_same_resultant(&a, &b);
        assert!(regions <= patches);
        (nodes, found) = (nodes + patches, found + regions);
    }
    assert!(nodes > 1000 && 3 * found < nodes, "{nodes} {found}");
}

fn two_rocks(level: u32, gap: f64) -> [Vec<Triangle>; 2] {
    let rock = |seed| soup(&generate::bumpy(generate::icosphere(level).unwrap(), 1.2, seed).unwrap());
    let (a, b) = (rock(1), rock(2));
    let top = |mesh: &[Triangle]| mesh.iter().flatten().fold(f64::MIN, |m, v| m.max(v[2]));
    let bottom = |mesh: &[Triangle]| mesh.iter().flatten().fold(f64::MAX, |m, v| m.min(v[2]));
    // The top of one below the bottom of the other one.
    let highest = a.iter().flatten().copied().reduce(|x, y| if y[2] > x[2] { y } else { x }).unwrap();
    let lowest = b.iter().flatten().copied().reduce(|x, y| if y[2] < x[2] { y } else { x }).unwrap();
    let lift = [highest[0] - lowest[0], highest[1] - lowest[1], top(&a) - bottom(&b) + gap];
    let b = moved(&b, lift);
    [a, b]
}

#[test]
fn two_rocks_that_begin_to_touch_have_one_contact_at_any_triangulation() {
    for level in [1, 2, 3, 5] {
        for gap in [0.95, 0.8, 0.5, 0.1, -0.1] {
            let bodies = two_rocks(level, gap * 2.0 * HALO).map(|mesh| Body::new(&mesh, HALO));
            let [a, b] = bodies.each_ref().map(|body| surface(body, true));
            let (a, b) = (placed(Shape::Mesh(&a), &Pose::IDENTITY), placed(Shape::Mesh(&b), &Pose::IDENTITY));
            let [patches, regions] = assert_same_resultant(&a, &b);
            println!("level {level}, gap {gap}: {patches} patch pairs, {regions} regions");
            assert_eq!(regions, usize::from(patches > 0), "level {level}, gap {gap}: {patches} patch pairs");
            let (contacts, corners) = corners_of(&a, &b, 4);
            let wanted = if contacts.is_empty() { 0..=0 } else { 1..=4 };
            assert!(wanted.contains(&corners.len()), "level {level}, gap {gap}: {corners:?}");
        }
    }
}

fn wall(n: u32) -> Vec<Triangle> {
    soup(&generate::plate([n, n], [8.0, 8.0]).unwrap())
}

#[test]
fn a_box_has_one_contact_with_a_plane_and_two_with_a_corner() {
    let cube = Body::new(&cuboid([1.0, 0.6, 0.4]), HALO);
    let cube = surface(&cube, true);
    let floor = Body::new(&moved(&cuboid([8.0, 8.0, 2.0]), [0.0, 0.0, -1.0]), HALO);
    let floor = surface(&floor, true);
    // A floor and a wall with an edge in common.
    let quad = |c: [[f64; 3]; 4]| vec![[c[0], c[1], c[2]], [c[0], c[2], c[3]]];
    let (near, far) = ([0.0, -4.0, 0.0], [0.0, 4.0, 0.0]);
    let floor_of_it = quad([near, [8.0, -4.0, 0.0], [8.0, 4.0, 0.0], far]);
    let corner = [floor_of_it, quad([near, far, [0.0, 4.0, 3.0], [0.0, -4.0, 3.0]])].concat();
    let corner = Body::new(&corner, HALO);
    let corner = surface(&corner, false);
    for tilt in [0.0, 1e-12, 1e-10, 1e-4, 0.01, 0.03] {
        for gap in [0.04, 0.01, 0.0, -0.01] {
            let pose = at([3.0, 0.1, 0.2 + gap], turn([0.0, 1.0, 0.0], tilt));
            let body = placed(Shape::Mesh(&cube), &pose);
            for other in [Shape::Mesh(&floor), ground(HALO)] {
                let [_, count] = assert_same_resultant(&body, &placed(other, &Pose::IDENTITY));
                let list = regions(&body, &placed(other, &Pose::IDENTITY));
                assert_eq!(count, 1, "tilt {tilt}, gap {gap}, kind {}: {list:?}", other.kind());
            }
            let pose = at([0.5 + 0.02, 0.1, 0.2 + gap.max(0.01)], turn([0.0, 0.0, 1.0], tilt.min(0.01)));
            let list = regions(&placed(Shape::Mesh(&cube), &pose), &placed(Shape::Mesh(&corner), &Pose::IDENTITY));
            assert_eq!(list.len(), 2, "in a corner, tilt {tilt}, gap {gap}: {list:#?}");
        }
    }
}

#[test]
fn feet_stay_apart() {
    let feet = |places: &[[f64; 2]], top: [f64; 3]| {
        let mut parts: Vec<Triangle> =
            places.iter().flat_map(|p| moved(&cuboid([0.2, 0.2, 0.5]), [p[0], p[1], 0.25])).collect();
        parts.extend(moved(&cuboid(top), [0.0, 0.0, 0.6]));
        parts
    };
    let bodies = [
        (feet(&[[-0.4, 0.0], [0.4, 0.0]], [1.2, 0.2, 0.2]), 2),
        (feet(&[[-0.4, -0.4], [0.4, -0.4], [-0.4, 0.4], [0.4, 0.4]], [1.2, 1.2, 0.2]), 4),
    ];
    let floor = Body::new(&moved(&cuboid([8.0, 8.0, 2.0]), [0.0, 0.0, -1.0]), HALO);
    let floor = surface(&floor, true);
    for (mesh, wanted) in bodies {
        let body = Body::new(&mesh, HALO);
        let body = surface(&body, false);
        for gap in [0.03, 0.01] {
            let pose = at([0.1, 0.2, gap], [0.0, 0.0, 0.0, 1.0]);
            let body = placed(Shape::Mesh(&body), &pose);
            for other in [Shape::Mesh(&floor), ground(HALO)] {
                let [_, count] = assert_same_resultant(&body, &placed(other, &Pose::IDENTITY));
                assert_eq!(count, wanted);
            }
        }
    }
}

/// An L that stands on an edge of each leg has two contacts at any gap, and one where it lies.
#[test]
fn an_l_keeps_its_feet_apart() {
    let floor = Body::new(&moved(&cuboid([8.0, 8.0, 2.0]), [0.0, 0.0, -1.0]), HALO);
    let floor = surface(&floor, true);
    let half = std::f64::consts::FRAC_1_SQRT_2;
    // The outer corner is up; flat; and on the outside of a leg.
    let stands = turn([-half, half, 0.0], std::f64::consts::FRAC_PI_2);
    let leans = after(turn([half, half, 0.0], 0.002), stands);
    let (lies, sits) = (turn([0.0, 0.0, 1.0], 0.3), turn([1.0, 0.0, 0.0], std::f64::consts::FRAC_PI_2));
    for body in LAWS.map(|law| law(&ell(), HALO)) {
        let body = surface(&body, true);
        for (turned, height, gaps, wanted) in [
            (stands, 1.4 * half, &[0.045, 0.04, 0.03, 0.02, 0.01, 0.0, -0.01, -0.1][..], 2),
            (leans, 1.4 * half, &[0.04, 0.03, 0.02, 0.01, 0.0, -0.01, -0.1], 2),
            (lies, 0.5, &[0.03, 0.01, -0.01], 1),
            (sits, 0.8, &[0.03, 0.01, -0.01], 1),
        ] {
            for gap in gaps {
                let pose = at([0.1, 0.2, height + gap], turned);
                let body = placed(Shape::Mesh(&body), &pose);
                for other in [Shape::Mesh(&floor), ground(HALO)] {
                    let [_, count] = assert_same_resultant(&body, &placed(other, &Pose::IDENTITY));
                    assert_eq!(count, wanted, "{height} {gap}, kind {}", other.kind());
                }
            }
        }
    }
}

/// A block with a groove from front to back, `deep` in its middle and 2 wide, cut into `n` parts along the groove. It stands on both rims of the groove.
fn grooved(deep: f64, n: usize) -> Vec<Triangle> {
    let outline = [[-1.0, 0.0], [0.0, deep], [1.0, 0.0], [1.0, 0.6], [-1.0, 0.6]];
    let y = |k: usize| k as f64 / n as f64 - 0.5;
    let at = |i: usize, k: usize| [outline[i % 5][0], y(k), outline[i % 5][1]];
    let mut all = Vec::new();
    for k in 0..n {
        for i in 0..5 {
            all.push([at(i + 1, k), at(i, k), at(i, k + 1)]);
            all.push([at(i + 1, k), at(i, k + 1), at(i + 1, k + 1)]);
        }
    }
    for [i, j, l] in [[0, 1, 4], [1, 3, 4], [1, 2, 3]] {
        all.push([at(i, 0), at(j, 0), at(l, 0)]);
        all.push([at(i, n), at(l, n), at(j, n)]);
    }
    all
}

/// Sides of a groove are one place as soon as the groove's ground is in the halo, at any triangulation.
#[test]
fn both_rims_of_a_groove_are_one_place_if_its_ground_is_near() {
    let floor = Body::new(&moved(&cuboid([8.0, 8.0, 2.0]), [0.0, 0.0, -1.0]), HALO);
    let floor = surface(&floor, true);
    let halo = 2.0 * HALO;
    for (law, of) in LAWS.into_iter().enumerate() {
        for n in [1, 9, 300] {
            for (deep, gap, wanted) in
                [(0.82, 0.2, 2), (0.78, 0.2, 1), (0.5, 0.49, 1), (0.5, 0.51, 2), (3.0, 0.9, 2), (3.0, -0.5, 2)]
            {
                let body = of(&grooved(deep * halo, n), HALO);
                let body = surface(&body, true);
                for tilt in [0.0, 1e-9] {
                    let pose =
                        at([0.1, 0.2, gap * halo], after(turn([0.0, 1.0, 0.0], tilt), turn([0.0, 0.0, 1.0], 0.3)));
                    let body = placed(Shape::Mesh(&body), &pose);
                    for other in [Shape::Mesh(&floor), ground(HALO)] {
                        let other = placed(other, &Pose::IDENTITY);
                        let list = regions(&body, &other);
                        let told = format!("law {law}, {n} parts, deep {deep}, gap {gap}, tilt {tilt}: {list:#?}");
                        assert_eq!(list.len(), wanted, "{told}");
                        assert_opposite(&list, regions(&other, &body), n);
                    }
                }
            }
        }
    }
}

#[test]
fn a_ball_in_a_socket_has_several_contacts_that_lean_no_more_than_the_angle() {
    // A ball in a ball that is turned inside out.
    let socket = Body::new(&dem_tests::deep::turned_over(&sized(&ball(3), 1.02)), HALO);
    let inner = Body::new(&ball(3), HALO);
    let (socket, inner) = (surface(&socket, false), surface(&inner, false));
    let pose = at([0.0, 0.0, -0.01], turn([0.6, 0.0, 0.8], 0.3));
    let (a, b) = (placed(Shape::Mesh(&inner), &pose), placed(Shape::Mesh(&socket), &Pose::IDENTITY));
    let [patches, count] = assert_same_resultant(&a, &b);
    println!("{patches} patch pairs, {count} regions");
    assert!(count > 4 && count <= 20, "{patches} {count}");
    let room = Room { pairs: 200_000, terms: 400_000, segments: 1000 };
    let mut scratch = Memory::new(shape_scratch(&a, &b, room, 1).unwrap()).unwrap();
    let (mut out, mut nodes) = (vec![Contact::default(); count], vec![Node::default(); patches]);
    let found = shape_contacts(
        Work::new(&Serial, Isa::best(), &mut scratch),
        &a,
        &b,
        &Request::new(7, room),
        &mut out,
        Some(&mut nodes),
    );
    assert_eq!(found.map(|found| [found.contacts, found.nodes]), Ok([count, patches]));
    let all = grouped(&a, &b, &Grouping::PATCHES);
    let mut leaning = 0.0;
    for (node, of_it) in nodes.iter().zip(&all) {
        assert_eq!(node.features, of_it.key[1]);
        let cos = dot(out[node.contact as usize].normal, of_it.normal);
        let force = (1.0 - of_it.gap / of_it.halo) * of_it.area;
        assert!((f64::from(node.force) - force).abs() <= 1e-6 * force);
        if cos < std::f64::consts::FRAC_PI_4.cos() {
            leaning += force;
        }
    }
    let all: f64 = nodes.iter().map(|node| f64::from(node.force)).sum();
    assert!(leaning < 0.01 * all, "{leaning} of {all}");
    for short in [0, patches - 1] {
        let mut nodes = vec![Node::default(); short];
        let work = Work::new(&Serial, Isa::best(), &mut scratch);
        let e = shape_contacts(work, &a, &b, &Request::new(7, room), &mut out, Some(&mut nodes)).unwrap_err();
        assert_eq!((e.kind, e.what, e.needed), (Kind::Capacity, What::Nodes, patches as u64));
    }
    let work = Work::new(&Serial, Isa::best(), &mut scratch);
    let e = shape_contacts(work, &a, &b, &Request::new(7, room), &mut out[..1], None).unwrap_err();
    assert_eq!((e.kind, e.what, e.needed), (Kind::Capacity, What::Output, count as u64));
}

#[test]
fn exchanging_bodies_and_threads_change_nothing() {
    for case in 0..60 {
        let (a, pose_a, b, pose_b) = if case % 2 == 0 { near_bodies(case) } else { deep_bodies(case) };
        let bodies = [Body::new(&a, HALO), Body::new(&b, HALO)];
        let [a, b] = bodies.each_ref().map(|body| surface(body, true));
        let (a, b) = (placed(Shape::Mesh(&a), &pose_a), placed(Shape::Mesh(&b), &pose_b));
        for grouping in [Grouping::default(), Grouping::BODIES] {
            let list = grouped(&a, &b, &grouping);
            assert_opposite(&list, grouped(&b, &a, &grouping), case as usize);
            let mut finder = ContactFinder::default();
            finder.grouping = grouping;
            let mut on_lanes = Vec::new();
            finder.find_on(&Threads::new(3).unwrap(), &a, &b, 7, &mut on_lanes).unwrap();
            assert_eq!(on_lanes, list);
        }
    }
}

#[test]
fn the_order_of_triangles_does_not_change_regions() {
    let mut random = Random::new(5);
    for gap in [0.6, 0.2] {
        let [a, b] = two_rocks(3, gap * 2.0 * HALO);
        let mut other = a.clone();
        for i in (1..other.len()).rev() {
            other.swap(i, random.below(i + 1));
        }
        let bodies = [&a, &b, &other].map(|mesh| Body::new(mesh, HALO));
        let [a, b, other] = bodies.each_ref().map(|body| surface(body, true));
        let at_home = |surface| placed(Shape::Mesh(surface), &Pose::IDENTITY);
        let (list, again) = (regions(&at_home(&a), &at_home(&b)), regions(&at_home(&other), &at_home(&b)));
        assert_eq!(list.len(), again.len());
        for (x, y) in list.iter().zip(&again) {
            assert!((x.area - y.area).abs() < 1e-9 * x.area && (x.gap - y.gap).abs() < 1e-12);
        }
    }
}

#[test]
fn compounds_of_balls_and_meshes_have_regions_of_their_parts() {
    let rock = Body::new(&two_rocks(2, 0.0)[0], HALO);
    let rock = surface(&rock, true);
    let parts: Vec<Part<'_>> = (0..3)
        .flat_map(|i| {
            let x = 1.5 * f64::from(i);
            [part(Shape::Mesh(&rock), [x, 0.0, 0.0]), part(sphere(0.7, HALO), [x, 2.0, 0.0])]
        })
        .collect();
    let mut random = Random::new(8);
    let (mut nodes, mut found) = (0, 0);
    for case in 0..40 {
        let axis = random.direction();
        let pose = at(scale(random.range(1.0, 3.0), random.direction()), turn(axis, random.range(0.0, 3.0)));
        let a = Placed { shape: Shape::Compound(&parts), pose: &Pose::IDENTITY, scale: 1.0 };
        let b = Placed { shape: Shape::Compound(&parts), pose: &pose, scale: [1.0, 0.8][case % 2] };
        let [patches, regions] = assert_same_resultant(&a, &b);
        assert_opposite(&grouped(&a, &b, &Grouping::default()), grouped(&b, &a, &Grouping::default()), case);
        (nodes, found) = (nodes + patches, found + regions);
    }
    assert!(found > 50 && found < nodes, "{nodes} {found}");
}

#[test]
fn a_bunny_on_a_wall_of_many_facets() {
    let bunny = data::mesh("scenes/bunny.stl");
    let [low, high] = bunny.iter().flatten().fold([[f64::MAX; 3], [f64::MIN; 3]], |[l, h], v| {
        [[0, 1, 2].map(|k| l[k].min(v[k])), [0, 1, 2].map(|k| h[k].max(v[k]))]
    });
    let size = (0..3).map(|k| high[k] - low[k]).fold(0.0, f64::max);
    let middle = [0, 1, 2].map(|k| -0.5 * (low[k] + high[k]));
    let bunny = sized(&moved(&bunny, middle), 2.0 / size);
    let hills: Vec<Triangle> =
        wall(40).iter().map(|t| t.map(|[x, y, _]| [x, y, 0.2 * (3.0 * x).sin() * (2.0 * y).cos()])).collect();
    for law in [Law::Facing, Law::Volume] {
        let options = CellOptions { law, ..CellOptions::default() };
        let [bunny, hills] = [&bunny, &hills].map(|soup| Body::with(soup, HALO, &options));
        let (bunny, hills) = (surface(&bunny, false), surface(&hills, false));
        let mut random = Random::new(31);
        let (mut nodes, mut found) = (0, 0);
        for _ in 0..12 {
            let pose = at(
                [random.range(-1.0, 1.0), random.range(-1.0, 1.0), random.range(0.5, 1.1)],
                after(turn(random.direction(), 2.0), [0.0, 0.0, 0.0, 1.0]),
            );
            let at_home = placed(Shape::Mesh(&hills), &Pose::IDENTITY);
            let [patches, regions] = assert_same_resultant(&placed(Shape::Mesh(&bunny), &pose), &at_home);
            assert!(regions <= 15, "{law:?}: {regions} of {patches}");
            (nodes, found) = (nodes + patches, found + regions);
        }
        assert!(nodes > 100 && 20 * found < nodes, "{law:?}: {nodes} {found}");
    }
}

#[test]
fn a_bad_angle_is_refused() {
    let body = placed(sphere(1.0, HALO), &Pose::IDENTITY);
    for (angle, kind) in [(f64::NAN, Kind::NotFinite), (-0.1, Kind::OutOfRange), (3.2, Kind::OutOfRange)] {
        let room = Room { pairs: 0, terms: 0, segments: 0 };
        let request = Request { grouping: Grouping { mode: Mode::Regions, angle }, ..Request::new(0, room) };
        let work = Work::new(&Serial, Isa::best(), &mut []);
        let e = shape_contacts(work, &body, &body, &request, &mut [], None).unwrap_err();
        assert_eq!((e.kind, e.what), (kind, What::Angle));
    }
}

/// Contacts with their nodes, and their corners, up to so many each.
fn corners_of(a: &Placed<'_>, b: &Placed<'_>, most: usize) -> (Vec<Contact>, Vec<Corner>) {
    let room = Room { pairs: 40_000, terms: 100_000, segments: 2000 };
    let mut scratch = Memory::new(shape_scratch(a, b, room, 1).unwrap()).unwrap();
    let (mut contacts, mut nodes) = (vec![Contact::default(); 100], vec![Node::default(); 10_000]);
    let work = Work::new(&Serial, Isa::best(), &mut scratch);
    let found = shape_contacts(work, a, b, &Request::new(7, room), &mut contacts, Some(&mut nodes)).unwrap();
    contacts.truncate(found.contacts);
    nodes.truncate(found.nodes);
    let mut scratch = Memory::new(shape_corners_scratch(a, b, 40_000).unwrap()).unwrap();
    let mut corners = vec![Corner::default(); 2000];
    let of = Regions { contacts: &contacts, nodes: &nodes };
    let limits = CornerLimits { pairs: 40_000, most };
    let count = shape_corners(Isa::best(), a, b, &of, limits, &mut corners, &mut scratch).unwrap();
    corners.truncate(count);
    (contacts, corners)
}

#[test]
fn corners_of_a_region_are_those_of_all_its_patch_pairs() {
    let cube = Body::new(&cuboid([1.0, 0.6, 0.4]), HALO);
    let cube = surface(&cube, true);
    let floor = Body::new(&moved(&cuboid([8.0, 8.0, 2.0]), [0.0, 0.0, -1.0]), HALO);
    let floor = surface(&floor, true);
    for other in [Shape::Mesh(&floor), ground(HALO)] {
        let pose = at([0.013, 0.1, 0.21], turn([0.0, 1.0, 0.0], 0.001));
        let (contacts, corners) =
            corners_of(&placed(Shape::Mesh(&cube), &pose), &placed(other, &Pose::IDENTITY), CornerLimits::ALL);
        assert_eq!((contacts.len(), corners.len()), (1, 4), "{corners:?}");
        for corner in corners {
            let [x, y, _] = dem_tests::vector::sub(corner.position, pose.position);
            assert!((x.abs() - 0.5).abs() < 1e-3 && (y.abs() - 0.3).abs() < 1e-3, "{corner:?}");
        }
    }
    // Open plates of triangles whose sides lie in those of the box, so that points of a side of it are in any order up to rounding.
    for n in [1, 2, 9, 40] {
        let plate = Body::new(&wall(n), HALO);
        let plate = surface(&plate, false);
        for (tilt, yaw) in [0.0, 1e-9, 1e-5, 0.001, 0.01].into_iter().flat_map(|tilt| [(tilt, 0.0), (tilt, 0.3)]) {
            let pose = at([0.013, 0.1, 0.21], after(turn([0.0, 1.0, 0.0], tilt), turn([0.0, 0.0, 1.0], yaw)));
            let (body, wall) = (placed(Shape::Mesh(&cube), &pose), placed(Shape::Mesh(&plate), &Pose::IDENTITY));
            let (contacts, corners) = corners_of(&body, &wall, CornerLimits::ALL);
            assert_eq!((contacts.len(), corners.len()), (1, 4), "{n} {tilt} {yaw}: {corners:?}");
            for (x, y) in [(-0.5, -0.3), (0.5, -0.3), (0.5, 0.3), (-0.5, 0.3)] {
                let corner = dem_tests::vector::add(pose.position, rotate(pose.orientation, [x, y, -0.2]));
                let near = |c: &Corner| (0..2).all(|k| (c.position[k] - corner[k]).abs() < 2e-4);
                assert!(corners.iter().any(near), "{n} {tilt} {yaw}: {corner:?} is not in {corners:?}");
            }
        }
    }
    let bodies = two_rocks(3, 0.02).map(|mesh| Body::new(&mesh, HALO));
    let [a, b] = bodies.each_ref().map(|body| surface(body, true));
    let (a, b) = (placed(Shape::Mesh(&a), &Pose::IDENTITY), placed(Shape::Mesh(&b), &Pose::IDENTITY));
    let (contacts, corners) = corners_of(&a, &b, 4);
    assert!(contacts.len() == 1 && (1..=4).contains(&corners.len()), "{corners:?}");
    let (_, all) = corners_of(&a, &b, 0);
    assert!(all.len() >= corners.len());
}

/// Both laws, and how each makes a body.
/// A base of so many sides in the circle of radius 1 at z = 0, below walls that rise outwards at this angle to a lid at z = 1.
fn widening(sides: usize, angle: f64) -> Vec<Triangle> {
    let ring = |k: usize, z: f64| {
        let (at, wide) = (std::f64::consts::TAU * (k % sides) as f64 / sides as f64, 1.0 + z / angle.tan());
        [wide * at.cos(), wide * at.sin(), z]
    };
    let mut mesh = Vec::new();
    for k in 0..sides {
        let [p, q, r, s] = [ring(k, 0.0), ring(k + 1, 0.0), ring(k, 1.0), ring(k + 1, 1.0)];
        mesh.extend([[p, q, s], [p, s, r]]);
        if (1..sides - 1).contains(&k) {
            mesh.extend([[ring(0, 0.0), q, p], [ring(0, 1.0), r, s]]);
        }
    }
    mesh
}

/// A body that widens above its base has the base's vertices as corners, though the halo ends beyond them all around: an impulse solver holds it by these. Where one of them
/// rises out of the halo, it is none any more.
#[test]
fn a_body_that_widens_above_its_base_stands_on_the_vertices_of_it() {
    let walls = [wall(2), wall(9), wall(40)].map(|wall| Body::new(&wall, HALO));
    let walls: Vec<_> = walls.iter().map(|wall| surface(wall, false)).collect();
    let others: Vec<_> = walls.iter().map(Shape::Mesh).chain([ground(HALO)]).collect();
    for (sides, angle) in [3, 4, 7].into_iter().flat_map(|n| [2.0, 14.0, 45.0, 76.0, 87.0, 90.0, 110.0].map(|a| (n, a)))
    {
        let angle = f64::to_radians(angle);
        let body = Body::new(&widening(sides, angle), HALO);
        let body = surface(&body, true);
        for (other, tilt) in
            others.iter().flat_map(|other| [0.0, 1e-7, 1e-3, 0.3 * HALO, 1.5 * HALO].map(|tilt| (other, tilt)))
        {
            // Beyond that it stands on a wall.
            if tilt > 0.5 * angle {
                continue;
            }
            let pose =
                at([0.013, 0.1, 0.8 * HALO + tilt], after(turn([0.0, 1.0, 0.0], tilt), turn([0.0, 0.0, 1.0], 0.3)));
            let (contacts, corners) =
                corners_of(&placed(Shape::Mesh(&body), &pose), &placed(*other, &Pose::IDENTITY), CornerLimits::ALL);
            let base = (0..sides).map(|k| std::f64::consts::TAU * k as f64 / sides as f64);
            let base = base.map(|at| add(pose.position, rotate(pose.orientation, [at.cos(), at.sin(), 0.0])));
            for vertex in base.filter(|vertex| vertex[2] < 1.99 * HALO) {
                let near = |c: &Corner| {
                    (c.gap - vertex[2]).abs() < 1e-3 * HALO + 1e-2 * tilt
                        && (0..2).all(|k| (c.position[k] - vertex[k]).abs() < 0.1 * HALO)
                };
                assert!(corners.iter().any(near), "{sides} {angle} {tilt}: {vertex:?} is not in {corners:?}");
            }
            println!("{sides} {angle} {tilt}: {} contacts, {} corners", contacts.len(), corners.len());
            if tilt == 0.0 {
                assert_eq!((contacts.len(), corners.len()), (1, sides), "{angle}: {corners:?}");
            }
        }
    }
}

const LAWS: [fn(&[Triangle], f64) -> Body; 2] = [Body::new, Body::conservative];

#[test]
fn rocks_that_are_pressed_into_each_other_have_one_contact_at_any_triangulation() {
    for (law, body) in LAWS.into_iter().enumerate() {
        for level in [2, 3, 4] {
            for gap in [0.5, 0.0, -0.2, -1.0, -2.0, -4.0, -8.0, -12.0] {
                let bodies = two_rocks(level, gap * 2.0 * HALO).map(|mesh| body(&mesh, HALO));
                let [a, b] = bodies.each_ref().map(|body| surface(body, true));
                let (a, b) = (placed(Shape::Mesh(&a), &Pose::IDENTITY), placed(Shape::Mesh(&b), &Pose::IDENTITY));
                let [patches, regions] = assert_same_resultant(&a, &b);
                assert!(regions == 1 && patches > 10, "law {law}, level {level}, gap {gap}: {patches} {regions}");
                let (contacts, corners) = corners_of(&a, &b, 4);
                assert!(contacts.len() == 1 && (1..=4).contains(&corners.len()), "law {law}, level {level}, gap {gap}");
            }
        }
    }
}

#[test]
fn what_is_pressed_in_has_as_many_regions_as_places() {
    let plate = moved(&cuboid([8.0, 8.0, 2.0]), [0.0, 0.0, -1.0]);
    let fine = {
        let top = wall(40);
        let skirt = |p: [f64; 3], q: [f64; 3]| {
            let down = |v: [f64; 3]| [v[0], v[1], -2.0];
            [[p, down(p), q], [q, down(p), down(q)]]
        };
        let rim = [[-4.0, -4.0, 0.0], [4.0, -4.0, 0.0], [4.0, 4.0, 0.0], [-4.0, 4.0, 0.0]];
        let sides = (0..4).flat_map(|k| skirt(rim[k], rim[(k + 1) % 4]));
        top.into_iter().chain(sides).collect::<Vec<_>>()
    };
    // One surface with two and three legs, whose fronts are one patch.
    let comb = |legs: usize| {
        let length = 2.0 * legs as f64 - 1.0;
        let mut shape: Vec<Triangle> = vec![];
        let quad = |c: [[f64; 3]; 4]| vec![[c[0], c[1], c[2]], [c[0], c[2], c[3]]];
        let x = |k: usize| 0.4 * (k as f64 - 0.5 * length);
        for k in 0..2 * legs - 1 {
            let low = if k % 2 == 0 { 0.0 } else { 0.5 };
            for y in [-0.2, 0.2] {
                let cell = |from: f64, to: f64| {
                    let c = [[x(k), y, from], [x(k + 1), y, from], [x(k + 1), y, to], [x(k), y, to]];
                    if y < 0.0 { quad(c) } else { quad([c[1], c[0], c[3], c[2]]) }
                };
                if low == 0.0 {
                    shape.extend(cell(0.0, 0.5));
                }
                shape.extend(cell(0.5, 0.8));
            }
            let flat = |z: f64| [[x(k), -0.2, z], [x(k), 0.2, z], [x(k + 1), 0.2, z], [x(k + 1), -0.2, z]];
            shape.extend(quad(flat(low)));
            let [p, q, r, s] = flat(0.8);
            shape.extend(quad([s, r, q, p]));
            if low == 0.0 {
                for (at, top, turned) in [(k, if k == 0 { 0.8 } else { 0.5 }, false), (k + 1, 0.5, true)] {
                    let top = if at == 2 * legs - 1 { 0.8 } else { top };
                    let c = [[x(at), -0.2, 0.0], [x(at), -0.2, top], [x(at), 0.2, top], [x(at), 0.2, 0.0]];
                    shape.extend(if turned { quad([c[3], c[2], c[1], c[0]]) } else { quad(c) });
                }
            }
        }
        shape
    };
    let bowl = dem_tests::deep::turned_over(&sized(&ball(3), 1.4));
    let bowl = moved(&bowl, [0.0, 0.0, 1.4]);
    let sphere = moved(&ball(3), [0.0, 0.0, 1.0]);
    let rock = soup(&generate::bumpy(generate::icosphere(3).unwrap(), 1.2, 5).unwrap());
    let lowest = rock.iter().flatten().fold(f64::MAX, |m, v| m.min(v[2]));
    let rock = moved(&rock, [0.0, 0.0, -lowest]);
    let cube = moved(&cuboid([0.6, 0.4, 0.5]), [0.0, 0.0, 0.25]);
    let cases = [
        ("a box", &cube, &plate, 1),
        ("a box in triangles", &cube, &fine, 1),
        ("a rock", &rock, &plate, 1),
        ("a rock in triangles", &rock, &fine, 1),
        ("a ball in a bowl", &sphere, &bowl, 1),
        ("two legs", &comb(2), &plate, 2),
        ("three legs", &comb(3), &plate, 3),
        ("three legs in triangles", &comb(3), &fine, 3),
    ];
    for (law, of) in LAWS.into_iter().enumerate() {
        for (name, mesh, other, places) in cases {
            let [body, below] = [mesh, other].map(|mesh| of(mesh, HALO));
            let [body, below] = [&body, &below].map(|body| surface(body, false));
            for depth in [0.4, -0.1, -0.5, -2.0, -6.0] {
                // So deep a ball looks farther around than one region does.
                if depth < -2.0 && name == "a ball in a bowl" {
                    continue;
                }
                let pose = at([0.013, 0.021, depth * HALO], turn([0.6, 0.8, 0.0], 1e-3));
                let (a, b) = (placed(Shape::Mesh(&body), &pose), placed(Shape::Mesh(&below), &Pose::IDENTITY));
                let list = regions(&a, &b);
                assert_eq!(list.len(), places, "{name}, law {law}, depth {depth}: {list:#?}");
            }
        }
    }
}

/// Rocks that touch, each contact with three corners: where a vertex of one is above the other one, the gap is no smaller than that between the corners less `gap_error`.
#[test]
fn gaps_at_vertices_are_off_from_those_between_corners_by_the_error_at_most() {
    let rock = |levels, bumps, seed| {
        let rock = soup(&generate::bumpy(generate::icosphere(levels).unwrap(), bumps, seed).unwrap());
        rock.iter().map(|t| t.map(|v| scale(0.6, v))).collect::<Vec<Triangle>>()
    };
    let soups = [rock(3, 1.05, 4), rock(1, 1.2, 3), rock(3, 1.02, 1)];
    let bodies = soups.each_ref().map(|soup| Body::new(soup, 0.05));
    let meshes = bodies.each_ref().map(|body| surface(body, true));
    let mut random = Random::new(31);
    let (mut met, mut needed) = (0, 0.0f64);
    for i in 0..200 {
        let (a, b) = (i % 3, random.below(3));
        let (turned, there) = (random.rotation(), at([0.0; 3], random.rotation()));
        let [x, y, _] = random.in_cube(0.4);
        let other = placed(Shape::Mesh(&meshes[b]), &there);
        let (mut low, mut high) = (0.0, 3.0);
        for _ in 0..14 {
            let middle = 0.5 * (low + high);
            let touch = !all(&placed(Shape::Mesh(&meshes[a]), &at([x, y, middle], turned)), &other).0.is_empty();
            if touch { low = middle } else { high = middle }
        }
        let pose = at([x, y, low - 0.1 * random.range(0.1, 0.8)], turned);
        let body = placed(Shape::Mesh(&meshes[a]), &pose);
        let (contacts, corners) = corners_of(&body, &other, 3);
        for (c, contact) in contacts.iter().enumerate().filter(|(_, contact)| contact.least_gap > 0.0) {
            let own: Vec<_> = corners.iter().filter(|corner| corner.contact as usize == c).collect();
            let [p, q, r] = own[..] else { continue };
            let n = contact.normal;
            for v in soups[a].iter().flatten() {
                let v = add(pose.position, rotate(turned, *v));
                let from = |off: f64| Ray::new(add(v, scale(-off, n)), scale(-1.0, n));
                let (Some(hit), own) = (cast(&other, &from(0.0)).unwrap(), cast(&body, &from(1e-7)).unwrap()) else {
                    continue;
                };
                if hit.side != 0 || own.is_some_and(|own| own.t < hit.t) || hit.t > contact.halo {
                    continue;
                }
                let area = |a: [f64; 3], b: [f64; 3], c: [f64; 3]| dot(n, cross(sub(b, a), sub(c, a)));
                let whole = area(p.position, q.position, r.position);
                let parts = [
                    area(v, q.position, r.position) / whole,
                    area(p.position, v, r.position) / whole,
                    area(p.position, q.position, v) / whole,
                ];
                if parts.iter().any(|x| *x < 0.0) {
                    continue;
                }
                let gap = parts[0] * p.gap + parts[1] * q.gap + parts[2] * r.gap;
                assert!(gap - hit.t <= p.gap_error + 1e-9, "{i}: {gap} {} {corners:?}", hit.t);
                needed = needed.max(gap - hit.t);
                met += 1;
            }
        }
    }
    println!("{met} vertices, gaps off by up to {needed}");
    assert!(met > 50 && needed > 0.01, "{met} {needed}");
}

/// Poses in which an L stands on an edge of each leg, its lowest vertex `gap` above the floor: leaning a little about either axis, and turned about the normal.
fn on_two_edges(mesh: &[Triangle], gap: f64, mut with: impl FnMut(f64, &Pose)) {
    let half = std::f64::consts::FRAC_1_SQRT_2;
    let stands = turn([-half, half, 0.0], std::f64::consts::FRAC_PI_2);
    for tilt in [1e-6, 1e-3, 3e-3, 1e-2, 3e-2] {
        // About the edges, across them, and about both.
        for axis in [[half, half, 0.0], [half, -half, 0.0], [0.8, 0.6, 0.0]] {
            for way in [tilt, -tilt] {
                for spin in [0.0, 0.3, 1.1, 2.9, 4.4] {
                    let turned = after(turn([0.0, 0.0, 1.0], spin), after(turn(axis, way), stands));
                    let low = mesh.iter().flatten().map(|v| rotate(turned, *v)[2]).fold(f64::MAX, f64::min);
                    with(tilt, &at([0.1, 0.2, gap - low], turned));
                }
            }
        }
    }
}

/// The sides of a cube on a floor are pressed along the floor, and their forces cancel. The wall of the same mesh that an edge of the cube touches takes none of
/// them, so the floor pushes along its normal, as a floor alone does.
#[test]
fn a_wall_takes_nothing_from_the_floor_that_belongs_to_it() {
    let point = |x: f64, y: f64, z: f64| [x, y, z];
    let quad = |a, b, c, d| [[a, b, c], [a, c, d]];
    let floor = quad(point(-4.0, -2.0, 0.0), point(0.0, -2.0, 0.0), point(0.0, 2.0, 0.0), point(-4.0, 2.0, 0.0));
    let wall = quad(point(0.0, -2.0, 0.0), point(0.0, -2.0, 3.0), point(0.0, 2.0, 3.0), point(0.0, 2.0, 0.0));
    let (room, cube) = ([floor, wall].concat(), cuboid([0.8; 3]));
    let (room, cube) = (Body::conservative(&room, HALO), Body::conservative(&cube, HALO));
    let (room, cube) = (surface(&room, false), surface(&cube, true));
    let room = placed(Shape::Mesh(&room), &Pose::IDENTITY);
    let halos = 2.0 * HALO;
    let rest = 0.4 + 0.9 * halos;
    for turn in [45.0, 40.0, 32.0, 30.5, 30.3, 30.0, 20.0, 5.0, 1.0, 0.1_f64] {
        let half = 0.5 * turn.to_radians();
        let reach = 0.4 * (turn.to_radians().cos() + turn.to_radians().sin());
        for gap in [0.98, 0.9, 0.6, 0.5, 0.35] {
            let pose = at([-reach - gap * halos, 0.0, rest], [0.0, 0.0, half.sin(), half.cos()]);
            let list = regions(&room, &placed(Shape::Mesh(&cube), &pose));
            let told = format!("turned by {turn}, gap {gap}: {list:#?}");
            let [floor, wall] = &list[..] else { panic!("{told}") };
            assert!(floor.normal[2] < 0.0 && floor.normal[0].hypot(floor.normal[1]) < 1e-6, "{told}");
            assert!(wall.normal[0] > 0.0 && wall.normal[1].hypot(wall.normal[2]) < 1e-6, "{told}");
        }
    }
}

/// A solid floor with a wall at its left end: both are 1 thick.
fn room() -> Vec<Triangle> {
    let outline = [[0.0, 0.0], [6.0, 0.0], [6.0, -1.0], [-1.0, -1.0], [-1.0, 6.0], [0.0, 6.0]];
    let at = |k: usize, y: f64| [outline[k][0], y, outline[k][1]];
    let mut room: Vec<Triangle> = vec![];
    for k in 0..6 {
        let l = (k + 1) % 6;
        let [a, b, c, d] = [at(k, -6.0), at(k, 6.0), at(l, 6.0), at(l, -6.0)];
        room.extend([[a, c, b], [a, d, c]]);
    }
    for [a, b, c] in [[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5]] {
        room.extend([[at(a, -6.0), at(b, -6.0), at(c, -6.0)], [at(a, 6.0), at(c, 6.0), at(b, 6.0)]]);
    }
    room
}

/// Bodies in any pose near floor and wall of one mesh have a contact with each, along its normal, as with two half-spaces. In few poses they are one contact
/// by the law of volumes: where one face of a body presses on both with an edge.
#[test]
fn bodies_at_floor_and_wall_have_a_contact_with_each() {
    let halo = 0.01;
    let prism: Vec<Triangle> = {
        let at = |k: usize, z: f64| {
            let angle = std::f64::consts::FRAC_PI_3 * (k % 6) as f64;
            [0.5 * angle.cos(), 0.5 * angle.sin(), z]
        };
        let side =
            |k: usize| [[at(k, -0.4), at(k + 1, -0.4), at(k + 1, 0.4)], [at(k, -0.4), at(k + 1, 0.4), at(k, 0.4)]];
        let caps = |k: usize| [[at(0, 0.4), at(k, 0.4), at(k + 1, 0.4)], [at(0, -0.4), at(k + 1, -0.4), at(k, -0.4)]];
        (0..6).flat_map(side).chain((1..5).flat_map(caps)).collect()
    };
    let rock = soup(&generate::bumpy(generate::icosphere(2).unwrap(), 1.2, 5).unwrap());
    for law in LAWS {
        let of = |mesh: &[Triangle]| law(mesh, halo);
        let room = of(&room());
        let room = surface(&room, true);
        let room = placed(Shape::Mesh(&room), &Pose::IDENTITY);
        let mut random = Random::new(12);
        for (name, mesh, most) in [("cube", &cuboid([1.0; 3]), 1), ("prism", &prism, 1), ("rock", &rock, 0)] {
            let body = of(mesh);
            let body = surface(&body, true);
            let (mut other, mut leaning) = (0, 0);
            const POSES: usize = 300;
            for _ in 0..POSES {
                let turned = random.rotation();
                let low = |k: usize| {
                    let all = mesh.iter().flatten().map(|v| rotate(turned, *v)[k]);
                    all.fold(f64::MAX, f64::min)
                };
                let gap = |random: &mut Random| 2.0 * halo * random.range(0.02, 0.9);
                let at = at([gap(&mut random) - low(0), 0.0, gap(&mut random) - low(2)], turned);
                let list = regions(&room, &placed(Shape::Mesh(&body), &at));
                let lean = |c: &Contact| f64::max(-c.normal[0], -c.normal[2]) < 0.99;
                other += usize::from(list.len() != 2);
                leaning += usize::from(list.len() == 2 && list.iter().any(lean));
            }
            println!("{name}: {other} {leaning}");
            assert!(other <= most && leaning <= POSES / 75, "{name}: {other} {leaning}");
        }
    }
}

/// A body has one corner at the floor and another one at the wall, far from each other, and both may belong to one of its faces. All that acts on the floor adds up to a
/// force along its normal, and so does all that acts on the wall: each of them is one contact, at the corner.
#[test]
fn two_corners_of_one_face_at_floor_and_wall_have_a_contact_each() {
    let halo = 0.01;
    let room = Body::conservative(&room(), halo);
    let room = surface(&room, true);
    let room = placed(Shape::Mesh(&room), &Pose::IDENTITY);
    let mut random = Random::new(12);
    for (name, mesh) in [("cube", cuboid([0.4; 3])), ("brick", cuboid([0.5, 0.3, 0.2]))] {
        let body = Body::conservative(&mesh, halo);
        let body = surface(&body, true);
        let (mut poses, mut wrong) = (0, 0);
        while poses < 1000 {
            let turned = random.rotation();
            let lowest = |k: usize| {
                let all = mesh.iter().flatten().map(|v| rotate(turned, *v));
                all.reduce(|x, y| if y[k] < x[k] { y } else { x }).unwrap()
            };
            let (wall, floor) = (lowest(0), lowest(2));
            if length(sub(wall, floor)) < 0.1 {
                continue;
            }
            poses += 1;
            let gap = |random: &mut Random| halo * random.range(0.4, 1.7);
            let pose = at([gap(&mut random) - wall[0], 0.0, gap(&mut random) - floor[2]], turned);
            let list = regions(&room, &placed(Shape::Mesh(&body), &pose));
            let leans = |c: &&Contact| f64::max(-c.normal[0], -c.normal[2]) < 15_f64.to_radians().cos();
            let force = |c: &Contact| (1.0 - c.gap / c.halo) * c.area;
            let all: f64 = list.iter().map(force).sum();
            wrong += usize::from(list.iter().filter(leans).any(|c| force(c) > 1e-3 * all));
        }
        println!("{name}: {wrong}");
        assert!(wrong <= 5, "{name}: {wrong}");
    }
}

/// A cube has one corner at the floor and another one at the wall, farther apart than its edges are long: all faces there lean. Floor and wall push along their
/// normals where they are touched.
#[test]
fn corners_at_floor_and_wall_have_a_contact_each() {
    let room = room();
    let halo = 0.01;
    let (room, cube) = (Body::conservative(&room, halo), Body::conservative(&cuboid([1.0; 3]), halo));
    let (room, cube) = (surface(&room, true), surface(&cube, true));
    let turned = [0.4297079449615022, -0.4788819869017701, 0.26949095293933856, 0.7165177952572171];
    let pose = dem_tests::contact::at([0.8324002068567302, 1.6923577916424914, 0.7397710507079872], turned);
    let list = regions(&placed(Shape::Mesh(&room), &Pose::IDENTITY), &placed(Shape::Mesh(&cube), &pose));
    let [x, y] = &list[..] else { panic!("{list:#?}") };
    let (wall, floor) = if x.normal[0].abs() > 0.5 { (x, y) } else { (y, x) };
    assert!(wall.normal[0] < -1.0 + 1e-6 && wall.position[0] < halo && wall.position[2] > 0.5, "{list:#?}");
    assert!(floor.normal[2] < -1.0 + 1e-6 && floor.position[2] < halo && floor.position[0] > 1.2, "{list:#?}");
}

/// The forces on the sides of a tip that begins to touch a plane cancel but for a small part, which is along its normal: one contact.
#[test]
fn a_tip_that_begins_to_touch_a_plane_has_one_contact() {
    let halo = 0.01;
    let (a, b, c) = ((8.0_f64 / 9.0).sqrt(), (2.0_f64 / 9.0).sqrt(), (2.0_f64 / 3.0).sqrt());
    let top = [[a, 0.0, 4.0 / 3.0], [-b, c, 4.0 / 3.0], [-b, -c, 4.0 / 3.0]];
    let [p, q, r] = top;
    let o = [0.0; 3];
    let spike = Body::conservative(&[[o, q, p], [o, r, q], [o, p, r], [p, q, r]], halo);
    let floor = [
        [[-5.0, -5.0, 0.0], [5.0, -5.0, 0.0], [5.0, 5.0, 0.0]],
        [[-5.0, -5.0, 0.0], [5.0, 5.0, 0.0], [-5.0, 5.0, 0.0]],
    ];
    let floor = Body::conservative(&floor, halo);
    let (spike, floor) = (surface(&spike, true), surface(&floor, false));
    for tilt in [0.0, 0.01, 0.1, 0.3] {
        for gap in [0.999, 0.99, 0.98, 0.95, 0.7] {
            let pose = dem_tests::contact::at([0.0, 0.0, 2.0 * halo * gap], turn([1.0, 0.3, 0.0], tilt));
            for below in [ground(halo), Shape::Mesh(&floor)] {
                let list = regions(&placed(below, &Pose::IDENTITY), &placed(Shape::Mesh(&spike), &pose));
                let [one] = &list[..] else { panic!("{tilt} {gap}: {list:#?}") };
                assert!(one.normal[2] < -0.999, "{tilt} {gap}: {list:#?}");
            }
        }
    }
}

/// Both contacts of an L that leans on an edge of each leg push along the normal of the floor. Two faces of each foot do not, and the ends of the L are at both
/// feet. What the ends do not cancel is less than half of the angle by which the L leans.
#[test]
fn both_feet_of_an_l_are_pushed_along_the_normal_however_it_leans() {
    let floor = Body::conservative(&moved(&cuboid([8.0, 8.0, 2.0]), [0.0, 0.0, -1.0]), HALO);
    let floor = surface(&floor, true);
    // The feet of the last one are 3.8 halos apart.
    for [size, width] in [[1.0, 1.0], [1.0, 0.2], [0.27, 0.27]] {
        let mesh: Vec<Triangle> = ell().iter().map(|t| t.map(|v| [size * v[0], size * v[1], width * v[2]])).collect();
        let body = Body::conservative(&mesh, HALO);
        let body = surface(&body, true);
        for gap in [0.02, 0.25, 0.4, 0.5, 0.7, -0.25, -0.5] {
            on_two_edges(&mesh, gap * 2.0 * HALO, |tilt, pose| {
                let body = placed(Shape::Mesh(&body), pose);
                for other in [Shape::Mesh(&floor), ground(HALO)] {
                    let other = placed(other, &Pose::IDENTITY);
                    let list = regions(&body, &other);
                    let told = format!("size {size}, {width}, gap {gap}, tilt {tilt}, {pose:?}: {list:#?}");
                    if let [x, y] = &list[..] {
                        // The edges are as far apart as the ends of the notch.
                        let apart = length(sub(x.position, y.position)) / size;
                        assert!((apart / 2.0_f64.sqrt() - 1.0).abs() < 0.1, "{told}");
                    } else {
                        // One foot has left the floor: nothing near that is far from the contact.
                        assert!(list.len() == 1 && tilt > 0.01, "{told}");
                        let [x, y, _] = list[0].position;
                        let low = posed(&mesh, pose).into_iter().flatten().filter(|v| v[2] < 2.0 * HALO);
                        let far = low.map(|v| (v[0] - x).hypot(v[1] - y)).fold(0.0, f64::max);
                        assert!(far < 0.75 * f64::max(size, width), "{far}, {told}");
                    }
                    for c in &list {
                        let lean = c.normal[0].hypot(c.normal[1]).atan2(c.normal[2]);
                        assert!(lean < 0.5 * tilt || tilt > 0.01 && c.share < 0.001, "{lean}, {told}");
                        assert!((c.wedging - 1.0).abs() < 1e-12, "{told}");
                    }
                    assert_opposite(&list, regions(&other, &body), 0);
                }
            });
        }
    }
}
