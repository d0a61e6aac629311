//! Contacts against closed forms, brute force over all faces and cells, and other triangles of the same walls.

use dem_core::contact::{CellOptions, Contact, Face, Law, Side, contacts, contacts_scratch, measure, status};
use dem_core::exec::{Serial, Work};
use dem_core::pose::Pose;
use dem_core::simd::Isa;
use dem_std::{Memory, generate};
use dem_tests::contact::{
    Body, HALO, Wrench, after, all_contacts, at, carried, cuboid, near_bodies, soup, wrench, wrench_of,
};
use dem_tests::random::Random;
use dem_tests::vector::{add, cross, length, rotate, scale, sub};
use dem_tests::{Triangle, data, walls};

fn small_turn(axis: [f64; 3], angle: f64) -> [f64; 4] {
    let [x, y, z] = scale(0.5 * angle, axis);
    [x, y, z, (1.0 - 0.25 * angle * angle).sqrt()]
}

fn close(a: &Wrench, b: &Wrench, tolerance: f64) -> bool {
    a.minus(b).size().into_iter().all(|x| x <= tolerance)
}

/// P0's cubes and P3's stacks live on this: the supporting force does not jump when a box tilts by a rounding.
#[test]
fn the_force_on_a_box_on_a_plane_is_lipschitz_in_the_tilt() {
    let boxed = Body::new(&cuboid([1.0, 0.6, 0.5]), HALO);
    let mut random = Random::new(2);
    for other in [walls::regular(1, 2.0), walls::irregular(500, 2.0, 3), cuboid([0.8, 0.9, 1.0])] {
        let top = other.iter().flatten().fold(f64::MIN, |m, v| m.max(v[2]));
        let wall = Body::new(&other, HALO);
        let world = at(random.in_cube(3.0), random.rotation());
        let pose_wall = carried(&world, &Pose::IDENTITY);
        let height = top + 0.25 + 0.02;
        let with = |turn: [f64; 4]| {
            // The wall's side of the overlap is partial for the box: the middles are apart.
            let pose = carried(&world, &at([0.1, 0.05, height], turn));
            wrench_of(&boxed, &pose, &wall, &pose_wall, pose.position)
        };
        let flat = with([0.0, 0.0, 0.0, 1.0]);
        assert!(flat.size()[0] > 0.2, "{flat:?}");
        for axis in [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.6, -0.8, 0.0]] {
            for exponent in [-15, -12, -9, -6, -4, -3, -2] {
                let tilt = 10f64.powi(exponent);
                let change = with(small_turn(axis, tilt)).minus(&flat).size();
                // The theorem's constant is some tens; most of its terms cancel, and this is what is left, with room for the
                // second order.
                let bound = if exponent == -2 { 3.0 } else { 1.5 };
                assert!(change.iter().all(|x| *x <= bound * tilt + 1e-12), "tilt {tilt:e} about {axis:?}: {change:?}");
            }
        }
    }
}

#[test]
fn a_wall_is_the_same_in_few_and_many_triangles() {
    let mut random = Random::new(5);
    let bodies = [
        ("box", cuboid([1.0, 0.6, 0.5]), [0.0, 0.0, 0.27], [0.0, 0.0, 0.0, 1.0]),
        ("box on edge", cuboid([1.0, 0.6, 0.5]), [0.0, 0.0, 0.4], small_turn([1.0, 0.0, 0.0], 0.7)),
        ("sphere", soup(&generate::icosphere(3).unwrap()), [0.1, 0.0, 1.015], [0.1, 0.2, 0.3, 0.4]),
    ];
    for (name, mesh, position, orientation) in bodies {
        let body = Body::new(&mesh, HALO);
        let pose = at(position, orientation);
        let world = at(random.in_cube(2.0), random.rotation());
        let resultant = |wall: &[Triangle]| {
            let wall = Body::new(wall, HALO);
            wrench_of(&body, &carried(&world, &pose), &wall, &world, carried(&world, &pose).position)
        };
        let two = resultant(&walls::regular(1, 2.0));
        assert!(two.size()[0] > 1e-4, "{name}: {two:?}");
        let tilings = [
            walls::regular(10, 2.0),
            walls::regular(71, 2.0),
            walls::irregular(200, 2.0, 1),
            walls::irregular(10_000, 2.0, 2),
        ];
        for wall in tilings {
            let many = resultant(&wall);
            let relative = many.minus(&two).size().map(|x| x / two.size()[0]);
            assert!(relative.iter().all(|x| *x < 1e-9), "{name}, {} triangles: {relative:?}", wall.len());
            let rounded = resultant(&walls::rounded(&wall, [0.0, 0.0, 0.0, 1.0], [0.0; 3]));
            let relative = rounded.minus(&two).size().map(|x| x / two.size()[0]);
            assert!(relative.iter().all(|x| *x < 1e-5), "{name}, {} rounded triangles: {relative:?}", wall.len());
        }
        // Nor do the body's own triangles matter: each in four.
        let quarters = walls::quartered(&mesh);
        let wall = Body::new(&walls::regular(3, 2.0), HALO);
        let finer = Body::new(&quarters, HALO);
        let finer = wrench_of(&finer, &carried(&world, &pose), &wall, &world, carried(&world, &pose).position);
        assert!(close(&finer, &two, 1e-9 * two.size()[0]), "{name}: {finer:?} {two:?}");
    }
}

#[test]
fn a_box_on_a_wall_of_many_triangles_has_one_contact_for_its_base() {
    // By the law of volumes its sides are nodes, too (`energy.rs`).
    let boxed = Body::facing(&cuboid([1.0, 0.6, 0.5]), HALO);
    let wall = Body::facing(&walls::irregular(5_000, 2.0, 7), HALO);
    let pose = at([0.2, 0.1, 0.27], [0.0, 0.0, 0.3, 1.0]);
    let (list, found) = all_contacts(Isa::best(), &boxed.side(&pose), &wall.side(&Pose::IDENTITY));
    // The rim belongs to the base, too, which is most opposed to the wall.
    assert_eq!((list.len(), found.crossing), (1, 0));
    let base = list.iter().max_by(|x, y| x.share.total_cmp(&y.share)).unwrap();
    // With a rim as wide as what is left of the halo, of which less than half is felt.
    assert!(base.share == 1.0 && (0.6..0.6 + 0.5 * 3.2 * 0.03).contains(&base.area), "{base:?}");
    assert!(length(sub(base.normal, [0.0, 0.0, 1.0])) < 1e-12);
    let [x, y, z] = base.position;
    // The rim's share is on the wall only.
    assert!((x - 0.2).hypot(y - 0.1) < 1e-12 && (0.009..0.01).contains(&z), "{base:?}");
    assert!((base.least_gap - 0.02).abs() < 1e-12 && (base.gap - 0.02).abs() < 1e-3);
    assert_eq!(base.halo, 2.0 * HALO);
    assert!((list.iter().map(|c| c.share).sum::<f64>() - 1.0).abs() < 1e-12);
    assert!(list.windows(2).all(|w| w[0].key < w[1].key) && list.iter().all(|c| c.key[0] == 7));
}

/// The pressure of a round sphere above a plane, by the integrals of both halves.
fn sphere_on_plane(radius: f64, gap: f64, halo: f64, law: Law) -> f64 {
    let (n, tau) = (200_000, 2.0 * std::f64::consts::PI);
    let step = (halo - gap) / n as f64;
    let sum = |f: &dyn Fn(f64) -> f64| (0..n).map(|i| f((i as f64 + 0.5) * step)).sum::<f64>() * step * tau;
    // Over the height above the lowest point, and over the gap along the sphere's radii.
    let sphere = sum(&|h| (1.0 - (gap + h) / halo) * (1.0 - h / radius) * radius);
    // Along the sphere's radii, or along the plane's own normal.
    let looks = |q: f64| if law == Law::Facing { ((radius + gap) / (radius + gap + q)).powi(2) } else { 1.0 };
    let plane = sum(&|q| (1.0 - (gap + q) / halo) * (radius + gap + q) * looks(q));
    0.5 * (sphere + plane)
}

#[test]
fn fine_spheres_on_a_wall_have_the_force_of_a_round_one() {
    for (halo, law) in [0.1, 0.35].into_iter().flat_map(|halo| [Law::Facing, Law::Volume].map(|law| (halo, law))) {
        let gap = 0.3 * halo;
        let right = sphere_on_plane(1.0, gap, halo, law);
        let body = |soup: &[Triangle]| Body::with(soup, 0.5 * halo, &CellOptions { law, ..CellOptions::default() });
        let mut last = f64::INFINITY;
        for (level, bound) in [(3, 0.2), (4, 0.06), (5, 0.02)] {
            let ball = body(&soup(&generate::icosphere(level).unwrap()));
            let wall = body(&walls::irregular(100, 3.0, 1));
            let pose = at([0.3, -0.2, 1.0 + gap], [0.3, 0.1, -0.5, 0.7]);
            let w = wrench_of(&ball, &pose, &wall, &Pose::IDENTITY, pose.position);
            let error = (w.force[2] / right - 1.0).abs();
            assert!(error < bound && error < last, "halo {halo}, level {level}: {} for {right}", w.force[2]);
            // The force goes through the centre, along the axis.
            assert!(w.force[0].hypot(w.force[1]) < 0.02 * right && w.size()[1] < 0.02 * right, "{w:?}");
            last = error;
        }
    }
}

/// Two boxes meet with edges that cross at right angles, and with parallel ones.
#[test]
fn edges_have_the_force_of_round_wedges() {
    let boxes = [Body::facing, Body::conservative].map(|of| of(&cuboid([1.0; 3]), HALO));
    let (halo, reach) = (2.0 * HALO, 0.5f64.sqrt());
    let eighth = small_turn_exact([1.0, 0.0, 0.0], std::f64::consts::FRAC_PI_4);
    let quarter = small_turn_exact([0.0, 0.0, 1.0], std::f64::consts::FRAC_PI_2);
    let force = |boxed: &Body, gap: f64, turn: [f64; 4]| {
        let above = at([0.01, 0.02, 2.0 * reach + gap * halo], after(turn, eighth));
        wrench_of(boxed, &above, boxed, &at([0.0; 3], eighth), above.position).force
    };
    // In units of k T^2, with exact round wedges; sectors of 22.5 degrees are near. By the law of volumes it is the integral of 1 - g/T over
    // the shadow of one box's faces, g the distance from the other box.
    let facing = [(0.9, 0.005), (0.7, 0.061), (0.5, 0.190), (0.3, 0.387), (0.1, 0.633), (0.01, 0.756)];
    let volumes = [(0.9, 0.0046), (0.7, 0.0685), (0.5, 0.2316), (0.3, 0.5121), (0.1, 0.9271), (0.01, 1.1622)];
    for (boxed, right) in boxes.iter().zip([facing, volumes]) {
        for (gap, round) in right {
            let f = force(boxed, gap, quarter)[2] / (halo * halo);
            assert!((f / round - 1.0).abs() < 0.1 || (f - round).abs() < 0.002, "gap {gap}: {f} for {round}");
        }
        let parallel = force(boxed, 0.3, [0.0, 0.0, 0.0, 1.0]);
        for angle in [1e-12, 1e-9, 1e-6, 1e-3] {
            let change = length(sub(force(boxed, 0.3, small_turn([0.0, 0.0, 1.0], angle)), parallel));
            assert!(change < angle + 1e-13, "angle {angle:e}: {change:e}");
        }
    }
}

fn small_turn_exact(axis: [f64; 3], angle: f64) -> [f64; 4] {
    let [x, y, z] = scale((0.5 * angle).sin(), axis);
    [x, y, z, (0.5 * angle).cos()]
}

/// The measure by its definition: every face in every cell, in world coordinates, about the origin.
fn brute_force(a: &Body, pose_a: &Pose, b: &Body, pose_b: &Pose) -> Wrench {
    let half = |faces: &Body, from: &Pose, cells: &Body, to: &Pose, sign: f64| {
        let (face_cells, cells, mesh) = (faces.cells(), cells.cells(), faces.shape.mesh().unwrap());
        let [x, y, z, w] = to.orientation;
        let into = |v: [f64; 3]| rotate([-x, -y, -z, w], sub(v, to.position));
        let mut sum = Wrench::default();
        for i in 0..mesh.len() {
            let Some(prism) = face_cells.prism(i) else { continue };
            let corners = mesh.triangle(i).map(|v| into(add(rotate(from.orientation, v), from.position)));
            let normal = rotate([-x, -y, -z, w], rotate(from.orientation, prism.normal));
            for cell in cells.cell {
                let Some(m) = measure(&Face { corners, normal }, cell, cells.sides(cell), 2.0 * HALO) else { continue };
                let force = scale(0.5 * sign * m.pressure, rotate(to.orientation, cell.normal));
                let at = add(rotate(to.orientation, scale(1.0 / m.pressure, m.first)), to.position);
                sum.force = add(sum.force, force);
                sum.torque = add(sum.torque, cross(at, force));
            }
        }
        sum
    };
    let (x, y) = (half(a, pose_a, b, pose_b, 1.0), half(b, pose_b, a, pose_a, -1.0));
    Wrench { force: add(x.force, y.force), torque: add(x.torque, y.torque) }
}

#[test]
fn contacts_add_up_to_the_measure_of_all_faces_in_all_cells() {
    let mut met = 0;
    for seed in 0..60 {
        let (a, pose_a, b, pose_b) = near_bodies(seed);
        // [`measure`] is that of pressure along the normals of cells.
        let (a, b) = (Body::facing(&a, HALO), Body::facing(&b, HALO));
        let (list, _) = all_contacts(Isa::best(), &a.side(&pose_a), &b.side(&pose_b));
        let (ours, right) = (wrench(&list, [0.0; 3]), brute_force(&a, &pose_a, &b, &pose_b));
        assert!(close(&ours, &right, 1e-13), "{seed}: {ours:?} {right:?}");
        met += usize::from(right.size()[0] > 1e-8);
    }
    assert!(met > 45, "{met}");
}

/// Bad meshes that penetrate each other, in random poses: results are finite, with unit normals.
#[test]
fn nothing_gives_a_contact_without_a_normal_or_with_a_nan() {
    let mut random = Random::new(21);
    let mut meshes = vec![data::mesh("scenes/broken.stl"), data::mesh("scenes/teapot.stl"), cuboid([1.0, 0.0, 1.0])];
    for grid in [2, 4, 1_000] {
        let corner = |random: &mut Random| [0; 3].map(|_| random.below(grid) as f64 / grid as f64);
        meshes.push((0..200).map(|_| [0; 3].map(|_| corner(&mut random))).collect());
    }
    meshes.push(soup(&generate::bumpy(generate::icosphere(2).unwrap(), 2.0, 1).unwrap()));
    let size = |mesh: &[Triangle]| mesh.iter().flatten().flatten().fold(0.0, |m: f64, x| m.max(x.abs()));
    let (mut met, mut crossing) = (0, 0);
    for a in &meshes {
        for b in &meshes {
            let (body_a, body_b) = (Body::new(a, 0.02 * size(a)), Body::new(b, 0.02 * size(a)));
            for trial in 0..3 {
                let pose_a = at(scale(size(a), random.in_cube(0.7)), random.rotation());
                let solid = trial > 0;
                let (side_a, side_b) = (body_a.side(&pose_a), body_b.side(&Pose::IDENTITY));
                let (side_a, side_b) = (Side { solid, ..side_a }, Side { solid, ..side_b });
                let (list, found) = all_contacts(Isa::best(), &side_a, &side_b);
                // Only pairs that the filter cannot tell apart are decided for this; here all are.
                let pairs = dem_tests::query::all_pairs(Isa::best(), &side_a.operand, &side_b.operand, 0.0);
                assert_eq!(found.crossing, pairs.iter().filter(|pair| pair.distance == 0.0).count());
                crossing += found.crossing;
                for c in &list {
                    let numbers = c.position.iter().chain(&c.moment).chain([&c.gap, &c.least_gap, &c.area, &c.share]);
                    assert!(numbers.chain(&c.normal).all(|x| x.is_finite()), "{c:?}");
                    assert!((length(c.normal) - 1.0).abs() < 1e-12 && c.area >= 0.0, "{c:?}");
                    let low = if c.status & status::PENETRATING != 0 { -4.0 * (size(a) + size(b)) } else { 0.0 };
                    let gaps = low..=c.halo;
                    assert!(gaps.contains(&c.gap) && gaps.contains(&c.least_gap), "{c:?}");
                    met += 1;
                }
            }
        }
    }
    assert!(met > 1_000 && crossing > 1_000, "{met} {crossing}");
}

/// Independent of the pairs that the filter passes, and of how often full buffers are flushed.
#[test]
fn room_for_pairs_is_for_what_is_within_the_halos() {
    use dem_core::contact::Room;
    use dem_core::error::{Kind, What};
    let ball = Body::new(&soup(&generate::icosphere(2).unwrap()), 0.2);
    let (pose_a, pose_b) = (at([0.0; 3], [0.1, 0.0, 0.0, 1.0]), at([0.1, 0.2, 1.05], [0.0, 0.3, 0.1, 1.0]));
    let (a, b) = (ball.side(&pose_a), ball.side(&pose_b));
    let exact = dem_tests::query::all_pairs(Isa::best(), &a.operand, &b.operand, 0.0).len();
    assert!(exact > 3_000, "{exact}");
    let mut lists = Vec::new();
    for isa in Isa::list() {
        for pairs in [0, 1_000, exact / 2, exact, 4 * exact] {
            let room = Room { pairs, terms: 20_000, segments: 500 };
            let mut scratch = contacts_scratch(&a, &b, room, 1).and_then(Memory::new).unwrap();
            let mut out = vec![Contact::default(); 5_000];
            match contacts(Work::new(&Serial, *isa, &mut scratch), &a, &b, 0, room, &mut out) {
                Ok(found) => {
                    assert!(pairs > exact / 2);
                    out.truncate(found.contacts);
                    lists.push(out);
                }
                Err(e) => {
                    assert_eq!((e.kind, e.what, e.needed), (Kind::Capacity, What::Pairs, exact as u64));
                    assert_eq!(e.given, pairs as u64);
                }
            }
        }
    }
    assert!(lists.len() >= 2 * Isa::list().len() && lists.iter().all(|list| *list == lists[0]));
}

#[test]
fn too_little_room_is_an_error_with_the_exact_number() {
    use dem_core::contact::Room;
    use dem_core::error::{Kind, What};
    let boxed = Body::new(&cuboid([1.0; 3]), HALO);
    let (pose_a, pose_b) = (at([0.0; 3], [0.0, 0.0, 0.0, 1.0]), at([0.1, 0.2, 1.01], [0.0, 0.0, 0.1, 1.0]));
    let (a, b) = (boxed.side(&pose_a), boxed.side(&pose_b));
    let run = |room: Room, out: usize, less: usize| {
        let layout = contacts_scratch(&a, &b, room, 1).unwrap();
        let mut scratch = Memory::new(layout).unwrap();
        let mut out = vec![Contact::default(); out];
        let given = scratch.len() - less;
        contacts(Work::new(&Serial, Isa::best(), &mut scratch[..given]), &a, &b, 0, room, &mut out)
    };
    let room = Room { pairs: 1_000, terms: 1_000, segments: 0 };
    let found = run(room, 100, 0).unwrap();
    let needed = |room: Room, out: usize, what: What| {
        let e = run(room, out, 0).unwrap_err();
        assert_eq!((e.kind, e.what), (Kind::Capacity, what));
        e.needed as usize
    };
    let terms = needed(Room { terms: 1, ..room }, 100, What::Terms);
    assert_eq!(needed(Room { terms: terms - 1, ..room }, 100, What::Terms), terms);
    assert_eq!(needed(Room { terms, ..room }, found.contacts - 1, What::Output), found.contacts);
    let exact = Room { pairs: 0, terms, segments: 0 };
    assert_eq!(run(exact, found.contacts, 0).unwrap(), found);
    assert_eq!(run(exact, found.contacts, 1).unwrap_err().what, What::Scratch);
    let other = Body::new(&cuboid([1.0; 3])[..11], HALO);
    let wrong = dem_core::contact::Side { cells: other.cells(), ..a };
    let e = contacts(Work::new(&Serial, Isa::best(), &mut []), &wrong, &b, 0, room, &mut []).unwrap_err();
    assert_eq!((e.kind, e.what), (Kind::Mismatch, What::CellsA));
}
