//! Corners of contacts against known ones: vertices of boxes, polygons of overlap, brute force over all pairs of
//! triangles.

use dem_core::contact::shape::{Placed, Shape, shape_corners, shape_corners_scratch};
use dem_core::contact::{Contact, Corner, CornerLimits, FACE, Regions, Side, corners, corners_scratch, status};
use dem_core::error::{Error, Kind, What};
use dem_core::pose::Pose;
use dem_core::simd::Isa;
use dem_std::Memory;
use dem_tests::contact::{Body, HALO, after, all_contacts, at, cuboid, deep_bodies, near_bodies};
use dem_tests::random::Random;
use dem_tests::scene::posed;
use dem_tests::shapes::{self, placed, sphere, surface};
use dem_tests::vector::{add, cross, dot, length, rotate, scale, sub};
use dem_tests::{Triangle, walls};

/// All corners, with as much room as they take.
fn all(a: &Side<'_>, b: &Side<'_>, contacts: &[Contact], most: usize) -> Vec<Corner> {
    let (mut room, mut out) = (1, vec![Corner::default(); 1]);
    loop {
        let mut scratch = Memory::new(corners_scratch(&a.operand, &b.operand, room).unwrap()).unwrap();
        match corners(Isa::best(), a, b, contacts, CornerLimits { pairs: room, most }, &mut out, &mut scratch) {
            Ok(count) => {
                out.truncate(count);
                return out;
            }
            Err(Error { kind: Kind::Capacity, what: What::Pairs, needed, .. }) => {
                assert!(needed as usize > room);
                room = needed as usize;
            }
            Err(Error { kind: Kind::Capacity, what: What::Output, needed, .. }) => {
                assert!(needed as usize > out.len());
                out.resize(needed as usize, Corner::default());
            }
            Err(e) => panic!("{e}"),
        }
    }
}

fn of(a: &Body, pose_a: &Pose, b: &Body, pose_b: &Pose) -> (Vec<Contact>, Vec<Corner>) {
    let (a, b) = (a.side(pose_a), b.side(pose_b));
    let contacts = all_contacts(Isa::best(), &a, &b).0;
    let found = all(&a, &b, &contacts, CornerLimits::ALL);
    (contacts, found)
}

/// The corners of the contact with the largest share.
fn main_corners(contacts: &[Contact], found: &[Corner]) -> Vec<Corner> {
    let best = (0..contacts.len()).max_by(|i, j| contacts[*i].share.total_cmp(&contacts[*j].share)).unwrap();
    found.iter().filter(|c| c.contact as usize == best).copied().collect()
}

fn turn(axis: [f64; 3], angle: f64) -> [f64; 4] {
    let [x, y, z] = scale((0.5 * angle).sin() / length(axis), axis);
    [x, y, z, (0.5 * angle).cos()]
}

const EDGES: [f64; 3] = [1.0, 0.6, 0.4];

/// The corners of the base of a box in this pose.
fn base(pose: &Pose) -> Vec<[f64; 3]> {
    let corner = |i: usize| [0, 1, 2].map(|k| if k < 2 && i >> k & 1 == 1 { 0.5 } else { -0.5 } * EDGES[k]);
    (0..4).map(|i| add(rotate(pose.orientation, corner(i)), pose.position)).collect()
}

/// At any tilt, on a wall of any triangles, above and below the surface: the corners of the box that are in the halo, with their heights.
#[test]
fn a_box_on_a_wall_has_the_corners_of_its_base_that_are_in_the_halo() {
    let block = Body::new(&cuboid(EDGES), HALO);
    let walls = [walls::regular(1, 2.0), walls::regular(9, 2.0), walls::irregular(300, 2.0, 4)];
    let walls: Vec<_> = walls.iter().map(|wall| Body::new(wall, HALO)).collect();
    let mut random = Random::new(2);
    let mut counted = [0; 5];
    for tilt in [0.0, 1e-15, 1e-12, 1e-9, 1e-6, 1e-3, 1e-2, 0.03, 0.1, 0.3] {
        for lowest in [1.5 * HALO, 0.3 * HALO, 1e-9, -0.2 * HALO] {
            let heading = turn([0.0, 0.0, 1.0], random.range(0.0, 6.0));
            let orientation = after(turn([random.range(-1.0, 1.0), random.range(-1.0, 1.0), 0.0], tilt), heading);
            let mut pose = at([0.1, -0.2, 0.0], orientation);
            let floor = base(&pose).iter().fold(f64::INFINITY, |m, c| m.min(c[2]));
            pose.position[2] = lowest - floor;
            let expected: Vec<_> = base(&pose).into_iter().filter(|c| c[2] < 2.0 * HALO).collect();
            for wall in &walls {
                let (contacts, found) = of(&block, &pose, wall, &Pose::IDENTITY);
                let found = main_corners(&contacts, &found);
                let close = |c: &Corner, e: &[f64; 3]| {
                    length(sub(c.position, [e[0], e[1], 0.5 * e[2]])) < 0.02 * HALO + tilt * HALO
                };
                // The normal of a contact leans with the box by part of its tilt, and gaps are along it.
                let right = |c: &Corner, e: &[f64; 3]| (c.gap - e[2]).abs() < 2.0 * HALO * tilt * tilt + 1e-12;
                for e in &expected {
                    assert!(
                        found.iter().any(|c| close(c, e) && right(c, e)),
                        "{tilt} {lowest}: {e:?} is not in {found:?}"
                    );
                }
                assert_eq!(found.len(), expected.len(), "{tilt} {lowest}: {found:?} {expected:?}");
                counted[expected.len()] += 1;
                assert!(found.iter().enumerate().all(|(i, c)| c.order as usize == i));
                let deepest = expected.iter().fold(f64::INFINITY, |m, c| m.min(c[2]));
                assert!((found[0].gap - deepest).abs() < 2.0 * HALO * tilt * tilt + 1e-9, "the deepest comes first");
            }
        }
    }
    assert!(counted[1] > 0 && counted[2] > 0 && counted[4] > 0, "{counted:?}");
}

/// The convex polygon that two rectangles in a plane have in common, by brute force: corners in the other, crossings of sides.
fn common(p: &[[f64; 2]], q: &[[f64; 2]]) -> Vec<[f64; 2]> {
    let side = |a: [f64; 2], b: [f64; 2], x: [f64; 2]| (b[0] - a[0]) * (x[1] - a[1]) - (b[1] - a[1]) * (x[0] - a[0]);
    let holds = |poly: &[[f64; 2]], x: [f64; 2]| (0..4).all(|i| side(poly[i], poly[(i + 1) % 4], x) > 0.0);
    let mut all: Vec<_> = p.iter().copied().filter(|x| holds(q, *x)).collect();
    all.extend(q.iter().copied().filter(|x| holds(p, *x)));
    for i in 0..4 {
        for j in 0..4 {
            let (a, b, c, d) = (p[i], p[(i + 1) % 4], q[j], q[(j + 1) % 4]);
            let (s, t) = (side(c, d, a), side(c, d, b));
            let (u, v) = (side(a, b, c), side(a, b, d));
            if s * t < 0.0 && u * v < 0.0 {
                let w = s / (s - t);
                all.push([a[0] + w * (b[0] - a[0]), a[1] + w * (b[1] - a[1])]);
            }
        }
    }
    all
}

#[test]
fn boxes_that_overlap_in_part_have_the_corners_of_what_they_have_in_common() {
    let (block, other) = (Body::new(&cuboid(EDGES), HALO), Body::new(&cuboid([0.8, 0.9, 0.3]), HALO));
    let mut random = Random::new(6);
    let rectangle = |edges: [f64; 3], pose: &Pose| {
        let corner = |x: f64, y: f64| {
            let at = add(rotate(pose.orientation, [0.5 * x * edges[0], 0.5 * y * edges[1], 0.0]), pose.position);
            [at[0], at[1]]
        };
        [corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)]
    };
    let mut many = 0;
    for _ in 0..100 {
        let spin = |random: &mut Random| turn([0.0, 0.0, 1.0], random.range(0.0, 6.0));
        let gap = random.range(-0.2, 1.8) * HALO;
        let on = at([random.range(-0.4, 0.4), random.range(-0.4, 0.4), 0.35 + gap], spin(&mut random));
        let under = at([0.0; 3], spin(&mut random));
        // All of it turned anywhere.
        let by = at(random.in_cube(2.0), random.rotation());
        let world = |pose: &Pose| {
            at(add(rotate(by.orientation, pose.position), by.position), after(by.orientation, pose.orientation))
        };
        let (contacts, found) = of(&block, &world(&on), &other, &world(&under));
        let found = main_corners(&contacts, &found);
        // The normal leans a little where edges are near: corners are seen along it.
        let [x, y, z, w] = by.orientation;
        let n = rotate([-x, -y, -z, w], contacts[found[0].contact as usize].normal);
        let along = gap / n[2];
        let upper = rectangle(EDGES, &on).map(|[x, y]| [x - along * n[0], y - along * n[1]]);
        let expected = common(&upper, &rectangle([0.8, 0.9, 0.3], &under));
        assert_eq!(found.len(), expected.len(), "{found:?} {expected:?}");
        for [x, y] in expected {
            let e = add(rotate(by.orientation, add([x, y, 0.15], scale(0.5 * along, n))), by.position);
            let hit = found.iter().find(|c| length(sub(c.position, e)) < 1e-9);
            assert!(hit.is_some_and(|c| (c.gap - along).abs() < 1e-9), "{e:?} is not in {found:?}");
        }
        many += usize::from(found.len() > 4);
    }
    assert!(many > 20, "{many} of more than four corners");
}

/// The corners that a contact may have, slowly: over all pairs of triangles of its patches that face along its normal, corners of
/// either above the other and crossings of sides, with the gap along the normal.
fn candidates(c: &Contact, a: &[Triangle], patch_a: &[u32], b: &[Triangle], patch_b: &[u32]) -> Vec<([f64; 3], f64)> {
    let n = c.normal;
    let along = if n[0].abs() < 0.6 { [1.0, 0.0, 0.0] } else { [0.0, 1.0, 0.0] };
    let e = cross(n, along);
    let (x, y) = (scale(1.0 / length(e), e), cross(n, scale(1.0 / length(e), e)));
    let seen = |v: [f64; 3]| [dot(sub(v, c.position), x), dot(sub(v, c.position), y), dot(sub(v, c.position), n)];
    let area = |t: &Triangle| {
        let [p, q, r] = t.map(seen);
        0.5 * ((q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]))
    };
    let full = |t: &Triangle| 0.5 * length(cross(sub(t[1], t[0]), sub(t[2], t[0])));
    let height = |t: &Triangle, at: [f64; 2]| {
        let [p, q, r] = t.map(seen);
        let double = (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]);
        let v = ((at[0] - p[0]) * (r[1] - p[1]) - (at[1] - p[1]) * (r[0] - p[0])) / double;
        let w = ((q[0] - p[0]) * (at[1] - p[1]) - (q[1] - p[1]) * (at[0] - p[0])) / double;
        (p[2] + v * (q[2] - p[2]) + w * (r[2] - p[2]), v >= -1e-9 && w >= -1e-9 && v + w <= 1.0 + 1e-9)
    };
    let mut all = Vec::new();
    let mut put = |at: [f64; 2], s: &Triangle, t: &Triangle| {
        let ((above, in_s), (below, in_t)) = (height(s, at), height(t, at));
        let gap = above - below;
        if in_s && in_t && gap <= c.halo + 1e-9 {
            let half = 0.5 * (above + below);
            all.push((add(c.position, add(add(scale(at[0], x), scale(at[1], y)), scale(half, n))), gap));
        }
    };
    let key = [(c.key[1] >> 32) as u32, c.key[1] as u32];
    for s in a.iter().zip(patch_a).filter(|(_, p)| **p == key[0]).map(|(s, _)| s).filter(|s| -area(s) > full(s) / 200.0)
    {
        for t in
            b.iter().zip(patch_b).filter(|(_, p)| **p == key[1]).map(|(t, _)| t).filter(|t| area(t) > full(t) / 200.0)
        {
            let (p, q) = (s.map(seen), t.map(seen));
            p.iter().chain(&q).for_each(|v| put([v[0], v[1]], s, t));
            for i in 0..3 {
                for j in 0..3 {
                    let (a, b, c, d) = (p[i], p[(i + 1) % 3], q[j], q[(j + 1) % 3]);
                    let cross = |o: [f64; 3], u: [f64; 3], v: [f64; 3]| {
                        (u[0] - o[0]) * (v[1] - o[1]) - (u[1] - o[1]) * (v[0] - o[0])
                    };
                    let (u, v) = (cross(c, d, a), cross(c, d, b));
                    if u * v < 0.0 {
                        let w = u / (u - v);
                        put([a[0] + w * (b[0] - a[0]), a[1] + w * (b[1] - a[1])], s, t);
                    }
                }
            }
        }
    }
    all
}

/// Rocks, hulls, boxes, apart and in each other: every corner is one by brute force, and the deepest one is there.
#[test]
fn corners_of_any_bodies_are_those_of_brute_force() {
    let (mut compared, mut alone) = (0, 0);
    for seed in 0..60 {
        let (a, pose_a, b, pose_b) = if seed % 3 == 2 { deep_bodies(seed) } else { near_bodies(seed) };
        let (body_a, body_b) = (Body::new(&a, HALO), Body::new(&b, HALO));
        let (contacts, found) = of(&body_a, &pose_a, &body_b, &pose_b);
        let (world_a, world_b) = (posed(&a, &pose_a), posed(&b, &pose_b));
        let (cells_a, cells_b) = (body_a.cells(), body_b.cells());
        let beside = deepest(&contacts);
        for (i, c) in contacts.iter().enumerate() {
            let own: Vec<_> = found.iter().filter(|corner| corner.contact as usize == i).collect();
            assert!(!own.is_empty(), "each contact has a corner");
            let slow = candidates(c, &world_a, cells_a.patch, &world_b, cells_b.patch);
            let lone = own.len() == 1 && own[0].position == c.position && own[0].gap == c.least_gap;
            if lone {
                alone += 1;
                continue;
            }
            for corner in &own {
                let hit = slow
                    .iter()
                    .any(|(p, gap)| length(sub(*p, corner.position)) < 1e-6 && (gap - corner.gap).abs() < 1e-6);
                assert!(hit && corner.gap >= beside, "{seed} {i}: {corner:?} is none of {slow:?}");
                compared += 1;
            }
            let least = slow.iter().filter(|s| s.1 >= beside).fold(f64::INFINITY, |m, (_, gap)| m.min(*gap));
            if c.status & status::PENETRATING == 0 {
                assert!((own[0].gap - least).abs() < 1e-4 * HALO, "{seed} {i}: {own:?} {least}");
            }
        }
    }
    assert!(compared > 300 && alone < compared, "{compared} {alone}");
}

/// Faces of two bodies that are farther behind each other are beside each other: twice the depth of all of their contacts, and a tolerance.
fn deepest(contacts: &[Contact]) -> f64 {
    if contacts.iter().any(|c| c.status & status::DOUBTFUL != 0) {
        return f64::NEG_INFINITY;
    }
    contacts.iter().fold(0.0, |least, c| f64::min(least, 2.0 * c.least_gap)) - HALO / 32.0
}

#[test]
fn exchanged_bodies_and_other_numbers_of_triangles_have_the_same_corners() {
    let mut random = Random::new(4);
    for seed in 0..24 {
        let (a, pose_a, b, pose_b) = if seed % 2 == 1 { deep_bodies(seed) } else { near_bodies(seed) };
        let bodies = [Body::new(&a, HALO), Body::new(&b, HALO)];
        let (contacts, found) = of(&bodies[0], &pose_a, &bodies[1], &pose_b);
        let (back, other) = of(&bodies[1], &pose_b, &bodies[0], &pose_a);
        assert_eq!(found.len(), other.len());
        let place = |c: &Contact| back.iter().position(|o| o.key[1].rotate_left(32) == c.key[1]).unwrap() as u32;
        for corner in &found {
            let [of_a, of_b] = corner.features;
            let contact = place(&contacts[corner.contact as usize]);
            let there = Corner { contact, features: [of_b, of_a], ..*corner };
            assert!(other.contains(&there), "{seed}: {there:?} {other:?}");
        }
        if seed % 2 == 1 {
            continue; // what is inside is named after one of its triangles
        }
        // With renumbered triangles.
        let mut shuffled = a.clone();
        for i in (1..shuffled.len()).rev() {
            shuffled.swap(i, random.below(i + 1));
        }
        let (_, other) = of(&Body::new(&shuffled, HALO), &pose_a, &bodies[1], &pose_b);
        assert_eq!(found.len(), other.len(), "{seed}");
        for corner in &found {
            let near =
                |c: &&Corner| length(sub(c.position, corner.position)) < 1e-9 && (c.gap - corner.gap).abs() < 1e-9;
            assert!(other.iter().find(near).is_some(), "{seed}: {corner:?}");
        }
    }
}

/// How far a point is from what a feature of a mesh names: an edge's line or a vertex.
fn from_feature(side: &Side<'_>, pose: &Pose, feature: u64, point: [f64; 3]) -> f64 {
    let mesh = &side.operand.mesh;
    let at = |v: u32| {
        let of = |i: usize| (0..3).find(|k| mesh.welded(i)[*k] == v).map(|k| mesh.triangle(i)[k]);
        let local = (0..mesh.len()).find_map(of).unwrap();
        add(rotate(pose.orientation, local), pose.position)
    };
    let (v, w) = (at((feature >> 32) as u32), at(feature as u32));
    let (along, from) = (sub(w, v), sub(point, v));
    if feature >> 32 == feature & u64::from(u32::MAX) {
        return length(from);
    }
    assert!(feature >> 32 < feature & u64::from(u32::MAX));
    length(cross(along, from)) / length(along)
}

/// Cubes above each other, moved by a little along the diagonals of their faces: a vertex is above a diagonal, or as good as.
#[test]
fn no_name_has_the_diagonal_of_a_flat_face() {
    let (cube, mut corners) = (cuboid([1.0; 3]), 0);
    let turned: Vec<Triangle> = cube.iter().map(|t| t.map(|[x, y, z]| [-y, x, z])).collect();
    for (lower, upper) in [(&cube, &cube), (&cube, &turned), (&turned, &cube), (&turned, &turned)] {
        let bodies = [Body::new(lower, HALO), Body::new(upper, HALO)];
        for x in [0.0, 1e-9, -1e-9, 1e-7, -1e-6, 1e-5, -1e-5] {
            for y in [x, -x] {
                let pose = at([x, y, 1.0 + 0.5 * HALO], [0.0, 0.0, 0.0, 1.0]);
                let (_, found) = of(&bodies[0], &Pose::IDENTITY, &bodies[1], &pose);
                for corner in &found {
                    for (body, feature) in bodies.iter().zip(corner.features).filter(|(_, feature)| *feature != FACE) {
                        let view = body.side(&Pose::IDENTITY).operand.mesh;
                        let place = |v: u32| {
                            let own = |i: usize| (0..3).find(|k| view.welded(i)[*k] == v).map(|k| view.triangle(i)[k]);
                            (0..view.len()).find_map(own).unwrap()
                        };
                        let (v, w) = (place((feature >> 32) as u32), place(feature as u32));
                        let differ = (0..3).filter(|k| v[*k] != w[*k]).count();
                        assert!(differ < 2, "{x} {y}: {corner:?}");
                    }
                }
                corners += found.iter().filter(|corner| corner.features != [FACE; 2]).count();
            }
        }
    }
    assert!(corners >= 4 * 4 * 14, "{corners}");
}

#[test]
fn features_name_the_vertex_or_the_edges_that_meet_at_a_corner() {
    let mut kinds = [0; 4];
    for seed in 0..40 {
        let (a, pose_a, b, pose_b) = if seed % 4 == 1 { deep_bodies(seed) } else { near_bodies(seed) };
        let bodies = [Body::new(&a, HALO), Body::new(&b, HALO)];
        let (contacts, found) = of(&bodies[0], &pose_a, &bodies[1], &pose_b);
        let sides = [bodies[0].side(&pose_a), bodies[1].side(&pose_b)];
        for corner in &found {
            let half = scale(0.5 * corner.gap, contacts[corner.contact as usize].normal);
            let on = [add(corner.position, half), sub(corner.position, half)];
            let is_vertex = |f: u64| f >> 32 == f & u64::from(u32::MAX);
            let kind = match corner.features {
                [FACE, FACE] => 0,
                [f, FACE] if is_vertex(f) => 1,
                [FACE, f] if is_vertex(f) => 2,
                [f, g] if !is_vertex(f) && !is_vertex(g) => 3,
                other => panic!("{other:?}"),
            };
            kinds[kind] += 1;
            if kind == 0 {
                let contact = &contacts[corner.contact as usize];
                assert_eq!((corner.position, corner.gap), (contact.position, contact.least_gap));
            }
            for (k, pose) in [pose_a, pose_b].iter().enumerate().filter(|(k, _)| corner.features[*k] != FACE) {
                let off = from_feature(&sides[k], pose, corner.features[k], on[k]);
                assert!(off < 1e-9, "{seed}: {off} {corner:?}");
            }
        }
        // No two corners of a contact have one name.
        let mut names: Vec<_> = found.iter().map(|c| (c.contact, c.features)).collect();
        names.sort_unstable();
        assert!(names.windows(2).all(|w| w[0] != w[1]), "{seed}");
    }
    println!("positions, vertices of A, of B, pairs of edges: {kinds:?}");
    assert!(kinds.iter().all(|n| *n > 20), "{kinds:?}");
}

/// A box that slides and turns over walls of any triangles: its corners are the same four in all steps, however the wall is cut.
#[test]
fn corners_keep_their_names_while_a_box_slides() {
    let block = Body::new(&cuboid(EDGES), HALO);
    for wall in [walls::regular(9, 2.0), walls::irregular(300, 2.0, 4)] {
        let wall = Body::new(&wall, HALO);
        let mut names: Option<Vec<[u64; 2]>> = None;
        for step in 0..60 {
            let time = f64::from(step) / 60.0;
            let orientation = turn([0.0, 0.0, 1.0], 2.0 * time);
            let pose = at([0.3 * time - 0.1, -0.2 + 0.1 * time, 0.5 * EDGES[2] + 0.3 * HALO], orientation);
            let (contacts, found) = of(&block, &pose, &wall, &Pose::IDENTITY);
            let mut now: Vec<_> = main_corners(&contacts, &found).iter().map(|c| c.features).collect();
            now.sort_unstable();
            assert!(now.len() == 4 && now.iter().all(|f| f[1] == FACE && f[0] != FACE), "{now:?}");
            assert_eq!(*names.get_or_insert_with(|| now.clone()), now, "step {step}");
        }
    }
}

#[test]
fn the_first_few_corners_are_the_deepest_and_those_that_span_most() {
    // A disc of 24 sides that leans a little.
    let disc = |k: usize, z: f64| {
        let angle = std::f64::consts::TAU * k as f64 / 24.0;
        [angle.cos(), angle.sin(), z]
    };
    let mut prism: Vec<Triangle> = Vec::new();
    for k in 0..24 {
        let (p, q, r, s) = (disc(k, 0.0), disc(k + 1, 0.0), disc(k, 0.3), disc(k + 1, 0.3));
        prism.extend([[p, q, s], [p, s, r], [[0.0, 0.0, 0.0], q, p], [[0.0, 0.0, 0.3], r, s]]);
    }
    let (body, wall) = (Body::new(&prism, HALO), Body::new(&walls::regular(5, 3.0), HALO));
    let pose = at([0.0, 0.0, HALO], turn([0.0, 1.0, 0.0], 0.002));
    let (a, b) = (body.side(&pose), wall.side(&Pose::IDENTITY));
    let contacts = all_contacts(Isa::best(), &a, &b).0;
    let full = all(&a, &b, &contacts, CornerLimits::ALL);
    let main = main_corners(&contacts, &full);
    assert_eq!(main.len(), 24);
    for most in 1..=6 {
        let few: Vec<_> = all(&a, &b, &contacts, most).into_iter().filter(|c| c.contact == main[0].contact).collect();
        assert!(few.len() == most && few.iter().all(|c| c.gap_error < 0.002), "{few:?}");
        let same = |c: &Corner| Corner { gap_error: 0.0, ..*c };
        assert!(few.iter().map(same).eq(main[..most].iter().map(same)), "{few:?}");
    }
    assert!(main.iter().all(|c| c.gap >= main[0].gap - 1e-12));
    // Beyond the polygon of a few the disc goes on at its tilt; all of them leave nothing out.
    assert!(main.iter().all(|c| c.gap_error < 1e-12), "{main:?}");
    // Opposite to the first one, then on both sides of both.
    assert!(
        length(add(main[0].position, main[1].position)) < 0.1 && length(sub(main[2].position, main[3].position)) > 1.9
    );
}

/// Pairs of triangles are listed by patches where there is room for that, and else searched for.
#[test]
fn corners_are_the_same_however_their_triangles_were_found() {
    let (mut searched, mut many) = (0, 0);
    for seed in 0..60 {
        let (a, pose_a, b, pose_b) = if seed % 3 == 1 { deep_bodies(seed) } else { near_bodies(seed) };
        let (a, b) = (Body::new(&a, HALO), Body::new(&b, HALO));
        let (a, b) = (a.side(&pose_a), b.side(&pose_b));
        let contacts = all_contacts(Isa::best(), &a, &b).0;
        let of = |pairs: usize| -> Result<Vec<Corner>, u64> {
            let mut scratch = Memory::new(corners_scratch(&a.operand, &b.operand, pairs).unwrap()).unwrap();
            let mut out = vec![Corner::default(); 20_000];
            let limits = CornerLimits { pairs, most: CornerLimits::ALL };
            let count =
                corners(Isa::best(), &a, &b, &contacts, limits, &mut out, &mut scratch).map_err(|e| e.needed)?;
            Ok(out[..count].to_vec())
        };
        let found = of(20_000).unwrap();
        let Err(needed) = of(0) else { continue };
        for pairs in [needed, needed + 1, needed + needed / 4, 2 * needed, 8 * needed] {
            assert!(of(pairs as usize).as_ref() == Ok(&found), "{seed}: {pairs} of {needed}");
        }
        assert_eq!(of(needed as usize - 1), Err(needed), "{seed}");
        many += found.len();
        // The other patch pairs of a body that is flat have far too many.
        searched += usize::from(contacts.len() < needed as usize);
    }
    println!("{many} corners; {searched} pairs of bodies with patches of more than a triangle");
    assert!(many > 500 && searched > 10);
}

#[test]
fn what_is_wrong_is_refused_and_too_little_room_tells_how_much_would_do() {
    let (block, wall) = (Body::new(&cuboid(EDGES), HALO), Body::new(&walls::regular(3, 2.0), HALO));
    let pose = at([0.0, 0.0, 0.2 + HALO], [0.0, 0.0, 0.0, 1.0]);
    let (a, b) = (block.side(&pose), wall.side(&Pose::IDENTITY));
    let mut contacts = all_contacts(Isa::best(), &a, &b).0;
    let mut scratch = Memory::new(corners_scratch(&a.operand, &b.operand, 100).unwrap()).unwrap();
    let mut out = [Corner::default(); 64];
    let mut find = |contacts: &[Contact], pairs: usize, room: usize| {
        let limits = CornerLimits { pairs, most: CornerLimits::ALL };
        corners(Isa::best(), &a, &b, contacts, limits, &mut out[..room], &mut scratch)
    };
    let count = find(&contacts, 100, 64).unwrap();
    let error = find(&contacts, 100, count - 1).unwrap_err();
    assert_eq!(error, Error::capacity(What::Output, count as u64, count as u64 - 1));
    let error = find(&contacts, 1, 64).unwrap_err();
    assert_eq!((error.kind, error.what, error.given), (Kind::Capacity, What::Pairs, 1));
    contacts.push(contacts[0]);
    let error = find(&contacts, 100, 64).unwrap_err();
    assert_eq!((error.kind, error.what, error.index), (Kind::OutOfRange, What::Contacts, contacts.len() as u64 - 1));
    assert_eq!(find(&[], 100, 64), Ok(0));
}

#[test]
fn a_half_space_has_the_corners_of_a_wall_and_a_ball_has_one() {
    let (block, wall) = (Body::new(&cuboid(EDGES), HALO), Body::new(&walls::regular(4, 2.0), HALO));
    let (own, of_wall) = (surface(&block, false), surface(&wall, false));
    let mut random = Random::new(11);
    let any = |a: &Placed<'_>, b: &Placed<'_>| {
        let contacts = shapes::all(a, b).0;
        let mut scratch = Memory::new(shape_corners_scratch(a, b, 300).unwrap()).unwrap();
        let mut out = [Corner::default(); 99];
        let limits = CornerLimits { pairs: 300, most: CornerLimits::ALL };
        let count = shape_corners(
            Isa::best(),
            a,
            b,
            &Regions { contacts: &contacts, nodes: &[] },
            limits,
            &mut out,
            &mut scratch,
        )
        .unwrap();
        (main_corners(&contacts, &out[..count]), contacts, out[..count].to_vec())
    };
    let mut four = 0;
    for size in [1.0, 2.5] {
        for _ in 0..40 {
            let tilt = random.range(0.0, 0.03);
            let orientation =
                after(turn([random.range(-1.0, 1.0), random.range(-1.0, 1.0), 0.0], tilt), turn([0.0, 0.0, 1.0], 1.0));
            let mut pose = at([0.1, 0.2, 0.0], orientation);
            let floor = base(&pose).iter().fold(f64::INFINITY, |m, c| m.min(c[2]));
            pose.position[2] = random.range(-0.1, 1.5) * HALO - floor;
            // The same at another scale, anywhere.
            let by = at(random.in_cube(2.0), random.rotation());
            let world = |pose: &Pose| {
                at(
                    add(rotate(by.orientation, scale(size, pose.position)), by.position),
                    after(by.orientation, pose.orientation),
                )
            };
            let (on, under) = (world(&pose), world(&Pose::IDENTITY));
            let body = Placed { shape: Shape::Mesh(&own), pose: &on, scale: size };
            let ground = Placed { shape: shapes::ground(HALO), pose: &under, scale: size };
            let tiles = Placed { shape: Shape::Mesh(&of_wall), pose: &under, scale: size };
            let (found, ..) = any(&body, &ground);
            let (expected, ..) = any(&body, &tiles);
            assert_eq!(found.len(), expected.len(), "{found:?} {expected:?}");
            for c in &found {
                // Normals differ by what edges of the box add.
                let near = |e: &&Corner| {
                    length(sub(c.position, e.position)) < 0.03 * HALO * size
                        && (c.gap - e.gap).abs() < 1e-3 * HALO * size
                };
                assert!(expected.iter().any(|e| near(&e)), "{c:?} {expected:?}");
            }
            four += usize::from(found.len() == 4);
            // Exchanging the bodies changes no bit.
            let (other, ..) = any(&ground, &body);
            assert_eq!(
                found.iter().map(|c| Corner { contact: 0, ..*c }).collect::<Vec<_>>(),
                other
                    .iter()
                    .map(|c| Corner { contact: 0, features: [c.features[1], c.features[0]], ..*c })
                    .collect::<Vec<_>>()
            );
        }
    }
    assert!(four > 20);
    let above = at([0.0, 0.0, 0.3 + HALO], [0.0, 0.0, 0.0, 1.0]);
    let (_, contacts, corners) =
        any(&placed(sphere(0.3, HALO), &above), &placed(shapes::ground(HALO), &Pose::IDENTITY));
    assert_eq!((contacts.len(), corners.len()), (1, 1));
    assert_eq!(
        (corners[0].position, corners[0].gap, corners[0].order),
        (contacts[0].position, contacts[0].least_gap, 0)
    );
}

/// Very large and very small bodies, and halos that are much larger or smaller than they are.
#[test]
fn corners_of_bodies_of_any_size_are_numbers() {
    let mut random = Random::new(12);
    for _ in 0..60 {
        let size = 10f64.powf(random.range(-140.0, 140.0));
        let halo = 10f64.powf(random.range(-8.0, 1.0));
        let block = Body::new(&cuboid([1.0, 0.5, 10f64.powf(random.range(-6.0, 0.0))]), halo);
        let own = surface(&block, false);
        let pose_a = at(scale(size, random.in_cube(0.3)), random.rotation());
        let pose_b = at(scale(size, random.in_cube(0.3)), random.rotation());
        let (a, b) = (Shape::Mesh(&own), if random.below(2) == 0 { Shape::Mesh(&own) } else { shapes::ground(halo) });
        let (a, b) = (Placed { shape: a, pose: &pose_a, scale: size }, Placed { shape: b, pose: &pose_b, scale: size });
        let contacts = shapes::all(&a, &b).0;
        let mut scratch = Memory::new(shape_corners_scratch(&a, &b, 144).unwrap()).unwrap();
        let mut out = [Corner::default(); 600];
        let limits = CornerLimits { pairs: 144, most: random.below(6) };
        let count = shape_corners(
            Isa::best(),
            &a,
            &b,
            &Regions { contacts: &contacts, nodes: &[] },
            limits,
            &mut out,
            &mut scratch,
        )
        .unwrap();
        assert!(count >= contacts.len());
        for c in &out[..count] {
            assert!(c.position.iter().all(|x| x.is_finite()) && c.gap.is_finite(), "{c:?}");
            let contact = &contacts[c.contact as usize];
            assert!(c.gap <= contact.halo * (1.0 + 1e-9), "{c:?} {contact:?}");
            assert!((c.order as usize) < if limits.most == 0 { CornerLimits::MANIFOLD } else { limits.most });
        }
    }
}
