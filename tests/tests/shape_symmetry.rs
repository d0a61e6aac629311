//! Symmetries of contacts of shapes: exchanged bodies, instruction sets, frames, units, scales, parts; errors; bad and
//! extreme input.

use dem_core::contact::shape::{Part, Placed, Request, Shape, Surface, shape_contacts, shape_scratch};
use dem_core::contact::{CellOptions, Contact, Law, Room};
use dem_core::error::{Kind, What};
use dem_core::exec::{Serial, Work};
use dem_core::pose::Pose;
use dem_core::simd::Isa;
use dem_std::{Memory, generate};
use dem_tests::contact::{Body, HALO, at, carried, cuboid, soup, wrench};
use dem_tests::random::Random;
use dem_tests::shapes::{all, all_by, assert_opposite, assert_sound, ground, part, placed, sphere, surface};
use dem_tests::vector::{add, length, rotate, scale, sub};
use dem_tests::{Triangle, data, walls};

const NONE: [f64; 4] = [0.0, 0.0, 0.0, 1.0];

/// Meshes to choose from, all of about unit size.
fn meshes(size: f64) -> Vec<Body> {
    meshes_for(size, Law::Auto)
}

fn meshes_for(size: f64, law: Law) -> Vec<Body> {
    let options = CellOptions { law, ..CellOptions::default() };
    let rock = soup(&generate::bumpy(generate::icosphere(2).unwrap(), 1.5, 3).unwrap());
    let all = [cuboid([1.0, 0.8, 1.3]), rock, walls::irregular(60, 1.0, 2)];
    all.iter()
        .map(|t| Body::with(&t.iter().map(|t| t.map(|v| scale(size, v))).collect::<Vec<_>>(), size * HALO, &options))
        .collect()
}

/// A shape in one of `size`: its parts live in `parts`.
fn shape<'a>(random: &mut Random, meshes: &'a [Surface<'a>], size: f64, parts: &'a mut Vec<Part<'a>>) -> Shape<'a> {
    let kind = random.below(4);
    let mut simple = |kind: usize| match kind {
        0 => sphere(size * random.range(0.2, 0.9), size * HALO),
        1 => ground(size * HALO),
        _ => Shape::Mesh(&meshes[random.below(meshes.len())]),
    };
    if kind < 3 {
        return simple(kind);
    }
    let list: Vec<_> = (0..3).map(|k| simple(2 * (k % 2))).collect();
    for shape in list {
        let pose = at(scale(size, random.in_cube(0.8)), random.rotation());
        parts.push(Part { shape, pose, scale: [1.0, 0.5, 0.5][random.below(3)] });
    }
    Shape::Compound(parts)
}

/// Calls `visit` with many pairs of bodies that touch, are near or apart; `size` is a power of two.
fn pairs(size: f64, mut visit: impl FnMut(usize, &Placed<'_>, &Placed<'_>)) {
    let meshes = meshes(size);
    let meshes: Vec<_> = meshes.iter().flat_map(|body| [false, true].map(|solid| surface(body, solid))).collect();
    for case in 0..300 {
        let mut random = Random::new(case as u64);
        let (mut of_a, mut of_b) = (Vec::new(), Vec::new());
        let a = shape(&mut random, &meshes, size, &mut of_a);
        let b = shape(&mut random, &meshes, size, &mut of_b);
        let pose_a = at(scale(size, random.in_cube(0.9)), random.rotation());
        let pose_b = at(scale(size, random.in_cube(0.3)), random.rotation());
        visit(case, &placed(a, &pose_a), &placed(b, &pose_b));
    }
}

#[test]
fn exchanged_bodies_have_opposite_contacts_and_instruction_sets_do_not_matter() {
    let mut met = 0;
    pairs(1.0, |case, a, b| {
        let (list, found) = all(a, b);
        let (other, again) = all(b, a);
        assert_eq!(found, again);
        list.iter().for_each(assert_sound);
        assert_opposite(&list, other, case);
        assert!(list.is_empty() || (list.iter().map(|c| c.share).sum::<f64>() - 1.0).abs() < 1e-12);
        assert!(list.windows(2).all(|w| w[0].key <= w[1].key));
        for isa in Isa::list() {
            assert_eq!(all_by(*isa, a, b), (list.clone(), found), "{case}: {}", isa.name());
        }
        met += list.len();
    });
    assert!(met > 1_000, "{met}");
}

#[test]
fn a_rigid_motion_carries_contacts_along() {
    let by = at([0.3, -0.2, 0.4], Random::new(1).rotation());
    pairs(1.0, |case, a, b| {
        let (pose_a, pose_b) = (carried(&by, a.pose), carried(&by, b.pose));
        let moved = all(&Placed { pose: &pose_a, ..*a }, &Placed { pose: &pose_b, ..*b }).0;
        let list = all(a, b).0;
        let (x, y) = (wrench(&list, [0.0; 3]), wrench(&moved, by.position));
        // Which of two bodies that penetrate shrinks less depends on the axes.
        let tolerance = 1e-10 * (1.0 + x.size()[0]);
        assert!(length(sub(rotate(by.orientation, x.force), y.force)) < tolerance, "{case}: {x:?} {y:?}");
        assert!(length(sub(rotate(by.orientation, x.torque), y.torque)) < tolerance, "{case}: {x:?} {y:?}");
    });
}

fn scaled(c: &Contact, s: f64) -> Contact {
    Contact {
        position: scale(s, c.position),
        moment: scale(s * s * s, c.moment),
        gap: s * c.gap,
        least_gap: s * c.least_gap,
        area: s * s * c.area,
        halo: s * c.halo,
        radius: s * c.radius,
        ..*c
    }
}

/// Everything smaller by a power of two, in three ways: the numbers, the scale of the bodies, both.
#[test]
fn units_and_scales_change_nothing_else() {
    let s = 0.125;
    let mut wanted = Vec::new();
    pairs(1.0, |_, a, b| wanted.push(all(a, b).0.iter().map(|c| scaled(c, s)).collect::<Vec<_>>()));
    pairs(s, |case, a, b| assert_eq!(all(a, b).0, wanted[case], "{case}"));
    pairs(1.0, |case, a, b| {
        let [pose_a, pose_b] = [a, b].map(|x| at(scale(s, x.pose.position), x.pose.orientation));
        let (a, b) = (Placed { pose: &pose_a, scale: s, ..*a }, Placed { pose: &pose_b, scale: s, ..*b });
        let meshes = matches!((a.shape, b.shape), (Shape::Mesh(_), Shape::Mesh(_)));
        let (list, right) = (all(&a, &b).0, &wanted[case]);
        // Two meshes take a shorter way where they have no scale, with other roundings.
        let same = |x: &Contact, y: &Contact| x.key == y.key && (x.area - y.area).abs() < 1e-12;
        assert!(list == *right || meshes && list.iter().zip(right).all(|(x, y)| same(x, y)), "{case}");
    });
}

/// A body with a scale is the body of the scaled mesh.
#[test]
fn a_scaled_mesh_is_the_mesh_that_was_scaled() {
    let s = 1.7;
    for law in [Law::Facing, Law::Volume] {
        let [plain, larger] = [1.0, s].map(|size| meshes_for(size, law));
        let mut random = Random::new(6);
        for case in 0..200 {
            let k = random.below(plain.len());
            let pose = at(random.in_cube(1.0), random.rotation());
            let other = if case % 2 == 0 { sphere(0.7, 0.03) } else { ground(0.03) };
            let here = at(random.in_cube(0.8), random.rotation());
            let [x, y] = [(&plain[k], s), (&larger[k], 1.0)].map(|(body, scale)| {
                let body = Placed { shape: Shape::Mesh(&surface(body, true)), pose: &pose, scale };
                wrench(&all(&placed(other, &here), &body).0, [0.0; 3])
            });
            let near = x.minus(&y).size().into_iter().all(|d| d < 1e-10 * (1.0 + x.size()[0]));
            assert!(near, "{law:?} {case}: {x:?} {y:?}");
        }
    }
}

#[test]
fn a_compound_has_the_contacts_of_its_parts_with_shares_of_the_whole() {
    let box_body = Body::new(&cuboid([1.0, 0.8, 0.6]), HALO);
    let turned = Pose { position: [0.0, 0.0, -0.6], orientation: Random::new(2).rotation() };
    let solid = surface(&box_body, true);
    let parts = [
        part(Shape::Mesh(&solid), [0.0, 0.0, 0.33]),
        part(sphere(0.2, HALO), [0.5, 0.1, 0.22]),
        Part { shape: sphere(0.1, HALO), pose: turned, scale: 2.0 },
        part(sphere(0.2, HALO), [-0.5, 0.1, 0.22]),
    ];
    let floor = walls::regular(8, 2.0);
    let floor = Body::new(&floor, HALO);
    for (other, named) in [(ground(HALO), true), (Shape::Mesh(&surface(&floor, false)), false)] {
        let world = at([3.0, -2.0, 1.0], Random::new(8).rotation());
        let list = all(&placed(Shape::Compound(&parts), &world), &placed(other, &world)).0;
        let features: Vec<u64> = list.iter().map(|c| c.key[1] >> 32).collect();
        // Twelve triangles, then the spheres one by one.
        assert!(features.contains(&12) && features.contains(&14) && features[0] < 12, "{features:?}");
        assert!(features.is_sorted() && features.contains(&13) == named);
        assert!((list.iter().map(|c| c.share).sum::<f64>() - 1.0).abs() < 1e-12);
        let whole = wrench(&list, world.position);
        let mut sum = dem_tests::contact::Wrench::default();
        for p in &parts {
            let pose = carried(&world, &p.pose);
            let alone = Placed { shape: p.shape, pose: &pose, scale: p.scale };
            let w = wrench(&all(&alone, &placed(other, &world)).0, world.position);
            sum.force = add(sum.force, w.force);
            sum.torque = add(sum.torque, w.torque);
        }
        assert!(whole.minus(&sum).size().into_iter().all(|x| x < 1e-12 * sum.size()[0]), "{whole:?} {sum:?}");
    }
}

#[test]
fn far_from_the_origin_nothing_is_lost() {
    let far = [1e12, -3e12, 2e12];
    pairs(1.0, |case, a, b| {
        // On a lattice that survives the shift.
        let near = |p: &Pose| p.position.map(|x| (x * 1024.0).round() / 1024.0);
        let (pa, pb) = (near(a.pose), near(b.pose));
        let list = |shift: [f64; 3]| {
            let (pose_a, pose_b) =
                (Pose { position: add(pa, shift), ..*a.pose }, Pose { position: add(pb, shift), ..*b.pose });
            all(&Placed { pose: &pose_a, ..*a }, &Placed { pose: &pose_b, ..*b }).0
        };
        let (here, there) = (list([0.0; 3]), list(far));
        assert_eq!(here.len(), there.len());
        for (x, y) in here.iter().zip(&there) {
            assert!((x.area, x.gap, x.normal, x.key) == (y.area, y.gap, y.normal, y.key), "{case}: {x:?} {y:?}");
        }
    });
}

#[test]
fn sizes_may_differ_by_a_million() {
    // A pebble on a mountain, and a huge sphere on a small box.
    let terrain = soup(&generate::plate([300, 300], [1e6, 1e6]).unwrap());
    let terrain = Body::facing(&terrain, 0.005);
    let pebble = at([1234.5, -77.7, 1.004], NONE);
    let c =
        all(&placed(sphere(1.0, 0.005), &pebble), &placed(Shape::Mesh(&surface(&terrain, false)), &Pose::IDENTITY)).0;
    let d = all(&placed(sphere(1.0, 0.005), &pebble), &placed(ground(0.005), &Pose::IDENTITY)).0;
    assert!(
        c.len() == 1 && (c[0].area / d[0].area - 1.0).abs() < 1e-9 && c[0].normal == [0.0, 0.0, 1.0],
        "{c:?} {d:?}"
    );
    let boxed = Body::facing(&cuboid([1.0; 3]), 0.005);
    let below = at([0.0, 0.0, -1e6], NONE);
    let above = at([0.0, 0.0, 0.504], NONE);
    let list = all(&placed(Shape::Mesh(&surface(&boxed, true)), &above), &placed(sphere(1e6, 0.005), &below)).0;
    assert!(list.len() == 1 && list[0].normal[2] > 1.0 - 1e-12, "{list:?}");
    // The ball's radius is its distance, but for a millionth; the whole base is in reach.
    assert!((list[0].area - 1.0).abs() < 1e-3 && (list[0].least_gap - 0.004).abs() < 1e-9, "{list:?}");
}

/// Meshes as they should not be, anywhere and through each other, and shapes of all sizes.
#[test]
fn nothing_gives_a_contact_without_a_normal_or_with_a_nan() {
    let mut random = Random::new(21);
    let mut soups: Vec<Vec<Triangle>> = vec![data::mesh("scenes/broken.stl"), data::mesh("scenes/teapot.stl")];
    soups.push(cuboid([1.0, 0.0, 1.0]));
    for grid in [2, 4, 1_000] {
        let corner = |random: &mut Random| [0; 3].map(|_| random.below(grid) as f64 / grid as f64);
        soups.push((0..200).map(|_| [0; 3].map(|_| corner(&mut random))).collect());
    }
    let mut met = 0;
    for triangles in &soups {
        let size = triangles.iter().flatten().flatten().fold(0.0, |m: f64, x| m.max(x.abs()));
        let body = Body::new(triangles, 0.02 * size);
        for case in 0..200 {
            let corner = triangles[random.below(triangles.len())][0];
            let near = scale(size * [0.0, 1e-17, 1e-3, 0.3][case % 4], random.in_cube(1.0));
            let pose = at(add(corner, near), random.rotation());
            let radius = size * [0.0, 1e-12, 0.05, 1.0, 1e6][case % 5];
            let halo = size * [0.0, 1e-9, 0.02, 3.0][case % 4];
            let other = if case % 3 == 0 { ground(halo) } else { sphere(radius, halo) };
            let list =
                all(&placed(other, &pose), &placed(Shape::Mesh(&surface(&body, case % 2 == 0)), &Pose::IDENTITY)).0;
            list.iter().for_each(assert_sound);
            met += list.len();
        }
    }
    for exponent in [-300, -160, -15, -8, 8, 15, 160, 300] {
        let unit = 10f64.powi(exponent);
        // Trees are in f32.
        let body = Body::new(
            &cuboid([if exponent.abs() > 15 { 1.0 } else { unit }; 3]),
            if exponent.abs() > 15 { 0.01 } else { 0.01 * unit },
        );
        for direction in [[0.0, 0.0, 1.0], [0.6, 0.0, 0.8], [0.0, 0.0, 0.0]] {
            let pose = at(scale(unit, direction), NONE);
            for other in [sphere(0.5 * unit, 0.01 * unit), ground(0.01 * unit), Shape::Mesh(&surface(&body, true))] {
                for target in [sphere(0.5 * unit, 0.01 * unit), Shape::Mesh(&surface(&body, true))] {
                    all(&placed(other, &pose), &placed(target, &Pose::IDENTITY)).0.iter().for_each(assert_sound);
                }
            }
        }
    }
    assert!(met > 1_000, "{met}");
}

#[test]
fn invalid_bodies_are_refused_by_name() {
    let body = Body::new(&cuboid([1.0; 3]), HALO);
    let other = Body::new(&cuboid([1.0; 3])[..11], HALO);
    let (here, ball) = (Pose::IDENTITY, sphere(1.0, 0.1));
    let refused = |a: &Placed<'_>, b: &Placed<'_>| {
        let room = Room { pairs: 10, terms: 10, segments: 0 };
        let mut scratch = shape_scratch(a, b, room, 1).and_then(Memory::new).unwrap();
        let e =
            shape_contacts(Work::new(&Serial, Isa::best(), &mut scratch), a, b, &Request::new(0, room), &mut [], None)
                .unwrap_err();
        (e.kind, e.what, e.index, e.component)
    };
    let good = placed(ball, &here);
    for (shape, wanted) in [
        (sphere(f64::NAN, 0.1), (Kind::NotFinite, What::ShapeA, 0, 0)),
        (sphere(-1.0, 0.1), (Kind::OutOfRange, What::ShapeA, 0, 0)),
        (sphere(1.0, f64::INFINITY), (Kind::NotFinite, What::ShapeA, 0, 1)),
        (ground(-1.0), (Kind::OutOfRange, What::ShapeA, 0, 1)),
    ] {
        assert_eq!(refused(&placed(shape, &here), &good), wanted);
    }
    for (scale, kind) in [(0.0, Kind::OutOfRange), (-1.0, Kind::OutOfRange), (f64::NAN, Kind::NotFinite)] {
        assert_eq!(refused(&good, &Placed { scale, ..good }), (kind, What::ShapeB, 0, 2));
    }
    let lost = at([0.0, f64::NAN, 0.0], NONE);
    assert_eq!(refused(&good, &placed(ball, &lost)), (Kind::NotFinite, What::BodyPoseB, 0, 1));
    let parts = [part(ball, [0.0; 3]), part(Shape::Compound(&[]), [0.0; 3])];
    assert_eq!(refused(&placed(Shape::Compound(&parts), &here), &good), (Kind::Unsupported, What::ShapeA, 1, 0));
    let parts = [part(ball, [0.0; 3]), part(ball, [0.0, f64::NAN, 0.0])];
    assert_eq!(refused(&placed(Shape::Compound(&parts), &here), &good), (Kind::NotFinite, What::ShapeA, 1, 4));
    let right = surface(&body, true);
    let wrong = Surface { cells: other.cells(), ..right };
    assert_eq!(refused(&placed(Shape::Mesh(&wrong), &here), &good), (Kind::Mismatch, What::ShapeA, 0, 0));
    // Nothing to be in contact with.
    let empty = placed(Shape::Compound(&[]), &here);
    assert!(
        all(&empty, &good).0.is_empty() && all(&placed(ground(0.1), &here), &placed(ground(0.1), &here)).0.is_empty()
    );
}

#[test]
fn too_little_room_is_an_error_with_the_exact_number() {
    let body = Body::new(&soup(&generate::icosphere(2).unwrap()), HALO);
    let box_body = Body::new(&cuboid([1.0; 3]), HALO);
    let [ball, boxed] = [&body, &box_body].map(|body| surface(body, true));
    let parts = [part(Shape::Mesh(&ball), [0.0, 0.0, 1.0]), part(sphere(0.5, HALO), [0.0, 0.0, 0.52])];
    let others = [part(ground(HALO), [0.0; 3]), part(Shape::Mesh(&boxed), [0.0, 0.0, -0.5])];
    let here = Pose::IDENTITY;
    let (a, b) = (placed(Shape::Compound(&parts), &here), placed(Shape::Compound(&others), &here));
    let run = |room: Room, out: usize, less: usize| {
        let mut scratch = Memory::new(shape_scratch(&a, &b, room, 1).unwrap()).unwrap();
        let mut out = vec![Contact::default(); out];
        let given = scratch.len() - less;
        shape_contacts(
            Work::new(&Serial, Isa::best(), &mut scratch[..given]),
            &a,
            &b,
            &Request::new(0, room),
            &mut out,
            None,
        )
    };
    let needed = |room: Room, out: usize, what: What| {
        let e = run(room, out, 0).unwrap_err();
        assert_eq!((e.kind, e.what), (Kind::Capacity, what));
        e.needed as usize
    };
    let pairs = needed(Room { pairs: 0, terms: 0, segments: 0 }, 0, What::Pairs);
    assert_eq!(needed(Room { pairs: pairs - 1, terms: 1_000, segments: 0 }, 100, What::Pairs), pairs);
    let terms = needed(Room { pairs, terms: 0, segments: 0 }, 0, What::Terms);
    assert_eq!(needed(Room { pairs, terms: terms - 1, segments: 0 }, 100, What::Terms), terms);
    let exact = Room { pairs, terms, segments: 0 };
    let contacts = needed(exact, 0, What::Output);
    assert_eq!(needed(exact, contacts - 1, What::Output), contacts);
    assert_eq!(run(exact, contacts, 0).unwrap().contacts, contacts);
    assert_eq!(run(exact, contacts, 1).unwrap_err().what, What::Scratch);
}
