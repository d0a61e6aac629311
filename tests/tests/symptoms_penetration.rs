//! Intersections with bad meshes: the volume is right to a thousandth, or flagged, and bounded in any case.

use dem_core::contact::{Contact, Law, status};
use dem_core::pose::Pose;
use dem_tests::bad::{FLAGS, assert_bounded, bowl, boxed, columns, flap, scanned, spoil, told, turned, volume};
use dem_tests::cases;
use dem_tests::contact::{Body, HALO, at, cuboid};
use dem_tests::convex::common;
use dem_tests::deep::{ball, deep, find, moved, sized, turn, turned_over};
use dem_tests::random::Random;
use dem_tests::scene::posed;
use dem_tests::vector::{cross, dot, length, scale, sub};
use dem_tests::{Triangle, walls};

/// So thin that the gap measure adds nothing to speak of.
const THIN: f64 = 1e-9;

const NONE: [f64; 4] = [0.0, 0.0, 0.0, 1.0];

/// A ball or box against a bad mesh in many poses: right or flagged, and so many right without a flag. `clean` is convex.
fn against(bad: &[Triangle], clean: &[Triangle], thing: &[Triangle], reach: f64, seed: u64) -> [usize; 2] {
    let (bad_body, body) = (Body::new(bad, THIN), Body::new(thing, THIN));
    let mut random = Random::new(seed);
    let (mut right, mut flagged) = (0, 0);
    for k in 0..100 {
        let pose = at(random.in_cube(reach), random.rotation());
        let placed = posed(thing, &pose);
        let truth = common(&placed, clean).volume;
        // One that is inside as a whole crosses nothing.
        if truth < 1e-6 || truth > 0.999 * volume(thing).min(volume(clean)) {
            continue;
        }
        let told = told(&find(&body, &pose, &bad_body, &Pose::IDENTITY, false).0);
        assert_bounded(&told, &placed, bad, volume(thing).min(volume(clean)));
        match told.bits & FLAGS {
            0 => {
                assert!((told.volume / truth - 1.0).abs() < 1e-3, "{k}: {told:?} {truth}");
                right += 1;
            }
            _ => flagged += 1,
        }
    }
    [right, flagged]
}

#[test]
fn a_box_with_a_flap_is_a_box() {
    let (unit, stone) = (cuboid([1.0; 3]), sized(&ball(2), 0.3));
    // Every edge in turn, diagonals of sides among them.
    for (i, t) in unit.iter().enumerate() {
        let [p, q] = [t[i % 3], t[(i + 1) % 3]];
        let middle = scale(0.5, [0, 1, 2].map(|k| p[k] + q[k]));
        let bad = [unit.clone(), flap([p, q], scale(1.8, middle)).to_vec()].concat();
        let [right, _] = against(&bad, &unit, &stone, 0.75, 3 + i as u64);
        assert!(right > 25, "{i}: {right}");
    }
    // The ball is on the flap's edge.
    let bad = [flap([[0.5, -0.5, 0.5], [0.5, 0.5, 0.5]], [1.0, 0.0, 1.0]).to_vec(), unit.clone()].concat();
    let pose = at([0.45, 0.1, 0.55], turn([0.6, 0.8, 0.0], 0.3));
    let truth = common(&posed(&stone, &pose), &unit).volume;
    let list = find(&Body::new(&stone, THIN), &pose, &Body::new(&bad, THIN), &Pose::IDENTITY, false).0;
    let told = told(&list);
    assert!((told.volume / truth - 1.0).abs() < 1e-3 && told.bits & FLAGS == 0, "{told:?} {truth}");
}

#[test]
fn a_box_with_every_triangle_there_and_back_again_is_a_box() {
    let unit = cuboid([1.0; 3]);
    for order in 0..3 {
        let three = |t: &Triangle| {
            let mut all = [*t, *t, turned(t)];
            all.rotate_left(order);
            all
        };
        let bad: Vec<Triangle> = unit.iter().flat_map(three).collect();
        for thing in [sized(&ball(2), 0.4), cuboid([0.7, 0.9, 0.5])] {
            let [right, flagged] = against(&bad, &unit, &thing, 0.8, 5);
            assert!(right > 30 && flagged == 0, "{order}: {right} {flagged}");
        }
    }
}

#[test]
fn two_boxes_that_share_a_face_are_one() {
    let unit = cuboid([1.0; 3]);
    let bad = [moved(&unit, [-0.5, 0.0, 0.0]), moved(&unit, [0.5, 0.0, 0.0])].concat();
    for thing in [sized(&ball(2), 0.4), cuboid([0.7, 0.9, 0.5]), cuboid([0.3, 3.0, 3.0]), cuboid([3.0; 3])] {
        let [right, flagged] = against(&bad, &cuboid([2.0, 1.0, 1.0]), &thing, 0.9, 6);
        assert!(right > 30 && flagged == 0, "{right} {flagged}");
    }
}

/// The area of all triangles.
fn surface(mesh: &[Triangle]) -> f64 {
    mesh.iter().map(|t| 0.5 * length(cross(sub(t[1], t[0]), sub(t[2], t[0])))).sum()
}

#[test]
fn whatever_is_bad_volumes_are_right_or_flagged_and_bounded() {
    let mut random = Random::new(31);
    let mut seen = [0; 3];
    for case in 0..150 {
        let clean = if case % 3 == 0 { cuboid([1.0, 0.8, 0.9]) } else { sized(&ball(2), 0.6) };
        let mut bad = clean.clone();
        for _ in 0..1 + random.below(4) {
            spoil(&mut bad, &mut random);
        }
        let thing = match case % 4 {
            0 => cuboid([0.4, 0.5, 0.6]),
            1 => cuboid([3.0, 3.0, 1.0]),
            2 => sized(&ball(3), 0.5),
            _ => sized(&ball(1), 0.3),
        };
        // Gap times area are the volume by the law of facing only.
        let (bad_body, body) = (Body::facing(&bad, THIN), Body::new(&thing, THIN));
        let room = Body::new(&bad, THIN);
        let smaller = surface(&thing).min(surface(&bad));
        for _ in 0..12 {
            let pose = at(random.in_cube(0.8), random.rotation());
            let placed = posed(&thing, &pose);
            let truth = common(&placed, &clean).volume;
            let list = find(&body, &pose, &bad_body, &Pose::IDENTITY, false).0;
            let told = told(&list);
            assert_bounded(&told, &placed, &bad, f64::INFINITY);
            let inside = truth > 0.999 * volume(&thing).min(volume(&clean));
            if told.bits & FLAGS != 0 {
                seen[1] += 1;
            } else if volume(&bad) < 0.0 && 2.0 * truth > volume(&thing) {
                // It holds most of the other one, as a room does.
                let beyond = volume(&thing) - truth;
                assert!((told.volume - beyond).abs() < 1e-3 * beyond + 1e-9, "{case}: {told:?} {beyond}\n{list:#?}");
                // By the law of volumes the force tells it.
                if room.cells().law() == Law::Volume && body.cells().law() == Law::Volume && beyond > 1e-4 {
                    let force = length(find(&body, &pose, &room, &Pose::IDENTITY, false).1.force);
                    let right = length(common(&placed, &clean).area) * (1.0 + beyond / (2.0 * THIN * smaller / 4.0));
                    assert!((force / right - 1.0).abs() < 1e-9, "{case}: {force} {right}");
                    seen[2] += 1;
                }
            } else if truth > 1e-4 && !inside {
                assert!((told.volume / truth - 1.0).abs() < 1e-3, "{case}: {told:?} {truth}\n{list:#?}");
                seen[0] += 1;
            }
        }
    }
    assert!(seen[0] > 400 && seen[1] > 100 && seen[2] > 2, "{seen:?}");
}

/// A unit box with a defect of this kind somewhere, and what the kind is called.
fn spoiled_box(unit: &[Triangle], kind: usize, random: &mut Random) -> (&'static str, Vec<Triangle>) {
    let mut mesh = unit.to_vec();
    let i = random.below(mesh.len());
    let t = mesh[i];
    let along = |x: f64| [0, 1, 2].map(|k| (1.0 - x) * t[0][k] + x * t[2][k]);
    let middle = scale(1.0 / 3.0, [0, 1, 2].map(|k| t[0][k] + t[1][k] + t[2][k]));
    let name = match kind {
        0 => {
            mesh.swap_remove(i);
            "a triangle is missing"
        }
        1 => {
            mesh[i] = turned(&t);
            "one looks the other way"
        }
        2 => {
            mesh.push(turned(&t));
            "one is there and back"
        }
        3 => {
            mesh.push(t);
            "one is there twice"
        }
        4 => {
            mesh.push([t[0], t[1], scale(random.range(0.2, 1.8), middle)]);
            "a fin"
        }
        5 => {
            // Beside the edge by a thousandth of it.
            let beside = [0, 1, 2].map(|k| along(0.5)[k] + 1e-3 * (t[1][k] - t[0][k]));
            mesh[i] = [t[0], t[1], beside];
            mesh.push([beside, t[1], t[2]]);
            "a T-junction with a gap"
        }
        6 => {
            mesh[i] = [t[0], t[1], along(0.3)];
            mesh.push([along(0.3), t[1], t[2]]);
            "a T-junction"
        }
        7 => {
            // Of one or two planes, and those that share an edge of one plane: then holes are flat, and it is clear which sides go around each.
            let normal = |t: &Triangle| cross(sub(t[1], t[0]), sub(t[2], t[0]));
            let level = |s: &Triangle, t: &Triangle| s.iter().all(|v| dot(normal(t), sub(*v, t[0])).abs() < 1e-9);
            let flat = |s: &Triangle, t: &Triangle| level(s, t) && level(t, s);
            let apart = |s: &Triangle, t: &Triangle| flat(s, t) || s.iter().filter(|v| t.contains(v)).count() < 2;
            let other = unit[random.below(unit.len())];
            let of_planes = |next: &Triangle| flat(next, &t) || flat(next, &other);
            let mut missing = vec![t];
            for _ in 0..8 {
                let next = unit[random.below(unit.len())];
                if missing.len() < 4 && of_planes(&next) && missing.iter().all(|other| apart(other, &next)) {
                    missing.push(next);
                }
            }
            mesh.retain(|t| !missing.contains(t));
            "several are missing"
        }
        _ => {
            mesh.push([t[0], t[1], scale(random.range(0.2, 1.8), middle)]);
            mesh[(i + 5) % 12] = turned(&unit[(i + 5) % 12]);
            mesh.swap_remove((i + 2) % 12);
            "a fin, a hole, and one that looks the other way"
        }
    };
    (name, mesh)
}

/// What pokes through a hole crosses nothing there: then the volume is not what the curve encloses, or there is no curve at all.
#[test]
fn whatever_pokes_through_a_hole_is_right_or_flagged() {
    let (unit, small) = (cuboid([1.0; 3]), cuboid([0.6, 0.5, 0.4]));
    let needle = cuboid([0.1, 0.08, 1.2]);
    let mut wrong = Vec::new();
    for kind in 0..9 {
        let mut random = Random::new(71 + kind as u64);
        let (mut name, mut right, mut flagged) = ("", [0; 3], [0; 3]);
        let most = cases(12, 200);
        // Once wrong without a flag: two missing triangles whose areas cancel.
        let once_wrong = |mesh: usize| [(4, 69), (5, 154)].contains(&(kind, mesh));
        for mesh in (0..200).take_while(|mesh| *mesh < most || (*mesh..200).any(once_wrong)) {
            let (what, bad) = spoiled_box(&unit, kind, &mut random);
            name = what;
            let other = spoiled_box(&small, random.below(9), &mut random).1;
            if mesh >= most && !once_wrong(mesh) {
                // What comes next has the same poses in each run.
                (0..3 * 24).for_each(|_| _ = (random.in_cube(0.85), random.rotation()));
                continue;
            }
            let bad_body = Body::new(&bad, THIN);
            for (which, (thing, sound)) in
                [(&small, &small), (&needle, &needle), (&other, &small)].into_iter().enumerate()
            {
                let body = Body::new(thing, THIN);
                for k in 0..24 {
                    let pose = at(random.in_cube(0.85), random.rotation());
                    let placed = posed(sound, &pose);
                    let truth = common(&placed, &unit).volume;
                    if truth < 1e-6 || truth > 0.999 * volume(sound) {
                        continue;
                    }
                    let told = told(&find(&body, &pose, &bad_body, &Pose::IDENTITY, true).0);
                    assert_bounded(&told, &posed(thing, &pose), &bad, f64::INFINITY);
                    if told.bits & FLAGS != 0 {
                        flagged[which] += 1;
                    } else if (told.volume / truth - 1.0).abs() < 1e-3 {
                        right[which] += 1;
                    } else {
                        wrong.push((name, mesh, which, k, told.volume / truth, told.bits));
                    }
                }
            }
        }
        println!(
            "{name}: a box, a needle, another bad box: {right:?} right, {flagged:?} flagged, of all {} wrong",
            wrong.len()
        );
    }
    assert!(wrong.is_empty(), "{} {:?}", wrong.len(), wrong.iter().take(20).collect::<Vec<_>>());
}

#[test]
fn what_is_dipped_into_a_bowl_does_not_have_all_of_the_bowl() {
    let shell = bowl(32, 10, 1.0, 0.9);
    assert!((volume(&shell) / (2.0 / 3.0 * std::f64::consts::PI * 0.271) - 1.0).abs() < 0.05);
    let (mut random, shell_body) = (Random::new(6), Body::facing(&shell, THIN));
    for name in ["scenes/bunny.stl", "scenes/teapot.stl", "scenes/broken.stl"] {
        let mut things = vec![scanned(name, 0.6)];
        for _ in 0..3 {
            let mut bad = things[0].clone();
            (0..6).for_each(|_| spoil(&mut bad, &mut random));
            things.push(bad);
        }
        let (mut seen, mut wrong) = ([0; 2], Vec::new());
        for (which, thing) in things.iter().enumerate() {
            let body = Body::facing(thing, THIN);
            for k in 0..25 {
                let [x, y, z] = scale(random.range(0.6, 1.1), random.direction());
                let pose = at([x, y, -z.abs()], random.rotation());
                let list = find(&body, &pose, &shell_body, &Pose::IDENTITY, false).0;
                let (told, placed) = (told(&list), posed(thing, &pose));
                assert_bounded(&told, &placed, &shell, volume(&shell));
                if told.bits & FLAGS != 0 {
                    seen[1] += 1;
                    continue;
                }
                let truth = columns(&posed(&things[0], &pose), &shell, 150);
                // Columns are not exact.
                if (told.volume - truth).abs() > 1e-2 * truth + 1e-6 {
                    wrong.push((which, k, told, truth));
                } else if truth > 1e-4 {
                    seen[0] += 1;
                }
            }
        }
        assert!(wrong.is_empty(), "{name} {wrong:?}");
    }
}

#[test]
fn sheets_that_coincide_tell_so() {
    let sheet = walls::regular(4, 1.0);
    let two = Body::new(&[sheet.clone(), turned_over(&sheet)].concat(), HALO);
    let with = |pose: Pose| find(&two, &pose, &two, &Pose::IDENTITY, false).0;
    let bits = |list: &[Contact]| list.iter().fold(0, |bits, c| bits | c.status);
    assert!(bits(&with(at([0.2, 0.1, 0.0], NONE))) & status::COINCIDENT != 0);
    for apart in [at([0.2, 0.1, 0.01], NONE), at([0.0; 3], turn([1.0, 0.0, 0.0], 0.1))] {
        let list = with(apart);
        assert!(!list.is_empty() && bits(&list) & status::COINCIDENT == 0, "{list:?}");
    }
    // Boxes that lie on each other know which way is out, and so do sheets with one side.
    let (unit, one, back) =
        (Body::new(&cuboid([1.0; 3]), HALO), Body::new(&sheet, HALO), Body::new(&turned_over(&sheet), HALO));
    for (a, b, z) in [(&unit, &unit, 1.0), (&unit, &one, 0.5), (&back, &one, 0.0), (&unit, &two, 0.5)] {
        let list = find(a, &at([0.2, 0.1, z], NONE), b, &Pose::IDENTITY, false).0;
        assert!(bits(&list) & (status::TOUCHING | status::COINCIDENT) == status::TOUCHING, "{list:?}");
    }
}

#[test]
fn plates_thinner_than_the_halo_that_stick_through_each_other_tell_so() {
    let bits = |thick: f64, other: f64, pose: Pose| {
        let [a, b] = [thick, other].map(|h| Body::new(&cuboid([1.0, 1.0, h]), HALO));
        let list = find(&a, &pose, &b, &Pose::IDENTITY, false).0;
        let bits = list.iter().fold(0, |bits, c| bits | c.status);
        assert!(bits & status::PENETRATING != 0, "{list:?}");
        bits & (status::THIN | FLAGS)
    };
    let across = |x: f64, z: f64| at([x, 0.03, z], turn([1.0, 0.0, 0.0], 1.3));
    let half_a_halo = 0.5 * HALO;
    for (thick, other) in [(half_a_halo, half_a_halo), (half_a_halo, 0.3), (0.3, half_a_halo)] {
        assert_eq!(bits(thick, other, across(0.3, 0.02)), status::THIN, "{thick} {other}");
    }
    assert_eq!(bits(0.3, 0.3, across(0.3, 0.02)), 0);
    // What is thick is not thin, however small it is against the triangles that it is pressed into.
    let floor = Body::new(&cuboid([30.0, 20.0, 4.0]), HALO);
    for depth in [0.05, 0.3, 1.0] {
        for (body, low) in [(cuboid([0.4; 3]), 0.2), (ball(2), least(&ball(2)))] {
            let list = find(
                &Body::new(&body, HALO),
                &at([0.3, 0.2, 2.0 + low - depth * HALO], NONE),
                &floor,
                &Pose::IDENTITY,
                false,
            )
            .0;
            let bits = list.iter().fold(0, |bits, c| bits | c.status);
            assert!(bits & (status::PENETRATING | status::THIN | FLAGS) == status::PENETRATING, "{depth} {list:?}");
        }
    }
    // One that only dips into the other one has a way out.
    assert_eq!(bits(half_a_halo, 0.3, at([0.1, 0.2, 0.15 + 0.3 * half_a_halo], NONE)), 0);
}

#[test]
fn a_ball_that_the_middle_of_a_flap_cuts_has_a_sheet_in_it() {
    // The flap alone is in the ball, and each side of it has a circle of its own there: half a ball each.
    let bad = [cuboid([1.0; 3]), flap([[0.5, -0.5, 0.5], [0.5, 0.5, 0.5]], [2.5, 0.0, 0.5]).to_vec()].concat();
    let (bad, stone) = (Body::new(&bad, THIN), Body::new(&sized(&ball(2), 0.1), THIN));
    for z in [0.47, 0.5, 0.56] {
        let list = find(&stone, &at([1.2, 0.02, z], turn([0.6, 0.8, 0.0], 0.3)), &bad, &Pose::IDENTITY, false).0;
        let deep = deep(&list);
        assert!(!deep.is_empty() && deep.iter().all(|c| c.status & status::LEAST_TRANSLATION != 0), "{deep:?}");
        // Out on the side on which its middle is.
        assert!(z == 0.5 || deep.iter().all(|c| c.normal[2] * (z - 0.5) > 0.0), "{deep:?}");
    }
}

/// Bad rocks and teapots in bowls of many sizes: where a flap lets the inside out, a rock is all around the bowl.
#[test]
fn no_contact_of_a_bowl_has_all_of_it_without_a_doubt() {
    let mut doubtful = 0;
    for case in 0..60 {
        let mut random = Random::new(case);
        let outer = random.range(0.08, 0.4);
        let shell = bowl(4 + random.below(60), 2 + random.below(16), outer, outer * random.range(0.6, 0.99));
        let (name, size) =
            (["scenes/teapot.stl", "scenes/rock_b_1280_near5.stl"][case as usize % 2], random.range(0.05, 0.5));
        let mut thing = scanned(name, size);
        (0..random.below(9)).for_each(|_| spoil(&mut thing, &mut random));
        let (body, shell_body) = (Body::new(&thing, THIN), Body::new(&shell, THIN));
        for k in 0..8 {
            let pose = at([0.0, 0.0, -random.range(0.0, outer)], random.rotation());
            let pose = if k % 2 == 0 { pose } else { at(scale(outer, random.direction()), pose.orientation) };
            let list = find(&body, &pose, &shell_body, &Pose::IDENTITY, false).0;
            for c in deep(&list) {
                // What is in doubt never has all of it.
                let truth = || columns(&posed(&thing, &pose), &shell, 200);
                assert!(
                    -c.gap * c.area <= 0.99 * volume(&shell) || truth() > 0.98 * volume(&shell),
                    "{case} {k}: {c:?}"
                );
                doubtful += usize::from(c.status & FLAGS != 0);
            }
        }
    }
    assert!(doubtful > 0);
}

/// A body turned inside out is the space around it, in which is most of what it touches from outside.
#[test]
fn what_is_turned_inside_out_tells_so_where_it_touches_from_outside() {
    let wall = cuboid([8.0, 8.0, 2.0]);
    let things = [wall.clone(), cuboid([0.8, 1.1, 0.9]), sized(&ball(2), 0.6), turned_over(&cuboid([1.0, 0.9, 1.2]))];
    for (which, bad) in [turned_over(&cuboid([1.0; 3])), turned_over(&sized(&ball(2), 0.6))].iter().enumerate() {
        for (k, thing) in things.iter().enumerate() {
            for (halo, make) in [THIN, HALO].into_iter().flat_map(|halo| {
                [Body::new, Body::facing, Body::conservative].map(|make: fn(&[Triangle], f64) -> Body| (halo, make))
            }) {
                let mut random = Random::new(9);
                let (body, other) = (make(bad, halo), make(thing, halo));
                let mut seen = 0;
                for _ in 0..20 {
                    let orientation = random.rotation();
                    let turned = posed(bad, &at([0.0; 3], orientation));
                    // Above the other one, a part of the halos deep or up to a third of itself.
                    let [x, y] = [random.range(-0.2, 0.2), random.range(-0.2, 0.2)];
                    let depth = random.range(0.001, 0.3);
                    let pose = at([x, y, boxed(thing)[1][2] - boxed(&turned)[0][2] - depth], orientation);
                    let list = find(&body, &pose, &other, &Pose::IDENTITY, false).0;
                    let deep = deep(&list);
                    for c in &deep {
                        assert!(c.status & FLAGS != 0, "{which} {k} {halo}: {c:?}");
                        // No harder than the common box at a depth of one halo.
                        let [low, high] = boxed(&posed(bad, &pose));
                        let [x, y, z] = [0, 1, 2].map(|k| high[k] - low[k] + 2.0 * halo);
                        let most = 2.0 * (x * y + y * z + z * x);
                        assert!((1.0 - c.gap / c.halo) * c.area <= most, "{which} {k} {halo}: {c:?}");
                    }
                    if halo == THIN {
                        assert_bounded(&told(&list), &posed(bad, &pose), thing, f64::INFINITY);
                    }
                    seen += usize::from(!deep.is_empty());
                }
                assert!(seen > 5, "{which} {k} {halo}: {seen}");
            }
        }
    }
}

/// A room that holds a body, or through whose wall the body pokes, is no body that is turned inside out.
#[test]
fn what_a_room_holds_tells_nothing() {
    let mut random = Random::new(12);
    let ell = sized(&dem_tests::contact::ell(), 0.3);
    let things = [cuboid([0.5, 0.6, 0.4]), cuboid([0.6, 0.6, 2.0 * HALO]), sized(&ball(2), 0.3), ell];
    for room in [turned_over(&cuboid([4.0, 3.0, 2.0])), turned_over(&sized(&ball(3), 2.0))] {
        let room_body = Body::new(&room, HALO);
        for (k, thing) in things.iter().enumerate() {
            // The floor of the ball rises by more than the halos below a plate.
            if k == 1 && room.len() > 12 {
                continue;
            }
            let body = Body::new(thing, HALO);
            let mut deep_ones = 0;
            for _ in 0..60 {
                let orientation = if random.below(3) == 0 { NONE } else { random.rotation() };
                // On the floor, from where halos meet to a depth of them.
                let down = boxed(&posed(thing, &at([0.0; 3], orientation)))[0][2];
                let pose = at([0.1, 0.05, boxed(&room)[0][2] - down + random.range(-2.0, 2.0) * HALO], orientation);
                for solid in [false, true] {
                    let (list, sum) = find(&body, &pose, &room_body, &Pose::IDENTITY, solid);
                    let told = told(&list);
                    assert!(told.bits & FLAGS == 0 && sum.force[2] >= 0.0, "{k}: {list:?}");
                    deep_ones += usize::from(told.bits & status::PENETRATING != 0);
                }
            }
            assert!(deep_ones > 20, "{k}: {deep_ones}");
        }
    }
}

/// How far a body reaches down.
fn least(body: &[dem_tests::Triangle]) -> f64 {
    -body.iter().flatten().map(|v| v[2]).fold(f64::INFINITY, f64::min)
}
