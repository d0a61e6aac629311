//! What is in common with a bad mesh: within a thousandth of the volume, or flagged, and bounded in any case.

use dem_core::contact::{Contact, status};
use dem_core::pose::Pose;
use dem_tests::contact::{Body, HALO, at, cuboid};
use dem_tests::convex::common;
use dem_tests::deep::{ball, find, moved, sized, turn, turned_over};
use dem_tests::random::Random;
use dem_tests::scene::posed;
use dem_tests::vector::{cross, dot, scale, sub};
use dem_tests::{Triangle, data, walls};

/// So thin that the gap measure adds nothing to speak of.
const THIN: f64 = 1e-9;

/// What tells that a volume may be wrong.
const FLAGS: u32 = status::OPEN | status::LEAST_TRANSLATION | status::UNSURE;

const NONE: [f64; 4] = [0.0, 0.0, 0.0, 1.0];

/// Sum of the volumes, the largest area, and all bits.
#[derive(Debug)]
struct Told {
    volume: f64,
    area: f64,
    bits: u32,
}

fn told(list: &[Contact]) -> Told {
    let deep = || list.iter().filter(|c| c.status & status::PENETRATING != 0);
    for c in list {
        let numbers = [c.position, c.normal, c.moment, [c.gap, c.least_gap, c.area], [c.share, c.halo, 0.0]];
        assert!(numbers.iter().flatten().all(|x| x.is_finite()), "{c:?}");
    }
    let area = deep().map(|c| c.area).fold(0.0, f64::max);
    let volume: f64 = deep().map(|c| -c.gap * c.area).sum();
    Told { volume, area, bits: list.iter().fold(0, |bits, c| bits | c.status) }
}

fn boxed(mesh: &[Triangle]) -> [[f64; 3]; 2] {
    mesh.iter().flatten().fold([[f64::MAX; 3], [f64::MIN; 3]], |[low, high], v| {
        [[0, 1, 2].map(|k| low[k].min(v[k])), [0, 1, 2].map(|k| high[k].max(v[k]))]
    })
}

fn volume(mesh: &[Triangle]) -> f64 {
    mesh.iter().map(|[a, b, c]| dot(*a, cross(*b, *c)) / 6.0).sum()
}

/// No more than what the boxes have in common and than the smaller body, and no more area than half of that box has.
fn assert_bounded(told: &Told, a: &[Triangle], b: &[Triangle], smaller: f64) {
    let [p, q] = [boxed(a), boxed(b)];
    let [x, y, z] = [0, 1, 2].map(|k| (p[1][k].min(q[1][k]) - p[0][k].max(q[0][k])).max(0.0) + 1e-9);
    let most = (x * y * z).min(smaller) * (1.0 + 1e-6);
    assert!(told.volume <= most && told.area <= (x * y + y * z + z * x) * (1.0 + 1e-6), "{told:?} {most}");
}

/// The volume that two meshes have in common, where one goes around at least once: by columns, exact along each.
fn columns(a: &[Triangle], b: &[Triangle], n: usize) -> f64 {
    let [p, q] = [boxed(a), boxed(b)];
    let range = [0, 1].map(|k| (p[0][k].max(q[0][k]), p[1][k].min(q[1][k])));
    if range.iter().any(|(low, high)| low >= high) {
        return 0.0;
    }
    let step = range.map(|(low, high)| (high - low) / n as f64);
    let mut all: Vec<Vec<(f64, i32, usize)>> = vec![Vec::new(); n * n];
    for (which, t) in a.iter().map(|t| (0, t)).chain(b.iter().map(|t| (1, t))) {
        let span = |k: usize| {
            let places = t.map(|v| ((v[k] - range[k].0) / step[k]).clamp(0.0, n as f64));
            let (low, high) = places.iter().fold((f64::MAX, 0.0f64), |(low, high), x| (low.min(*x), high.max(*x)));
            low as usize..high.ceil() as usize
        };
        for (i, j) in span(0).flat_map(|i| span(1).map(move |j| (i, j))) {
            // Nothing in the tests lies where these do.
            let x = range[0].0 + (i as f64 + 0.5030717) * step[0];
            let y = range[1].0 + (j as f64 + 0.4970593) * step[1];
            let side = |p: [f64; 3], q: [f64; 3]| (q[0] - p[0]) * (y - p[1]) - (q[1] - p[1]) * (x - p[0]);
            let w = [side(t[1], t[2]), side(t[2], t[0]), side(t[0], t[1])];
            if w.iter().all(|w| *w > 0.0) || w.iter().all(|w| *w < 0.0) {
                let z = (0..3).map(|k| w[k] * t[k][2]).sum::<f64>() / (w[0] + w[1] + w[2]);
                all[i * n + j].push((z, if w[0] > 0.0 { -1 } else { 1 }, which));
            }
        }
    }
    let mut sum = 0.0;
    for column in &mut all {
        column.sort_by(|p, q| p.0.total_cmp(&q.0));
        let (mut w, mut before) = ([0, 0], 0.0);
        for (z, way, which) in column.iter() {
            sum += if w[0] > 0 && w[1] > 0 { z - before } else { 0.0 };
            w[*which] += way;
            before = *z;
        }
    }
    sum * step[0] * step[1]
}

fn turned(t: &Triangle) -> Triangle {
    [t[0], t[2], t[1]]
}

/// A triangle on an edge and its reversed copy.
fn flap(edge: [[f64; 3]; 2], tip: [f64; 3]) -> [Triangle; 2] {
    let t = [edge[0], edge[1], tip];
    [t, turned(&t)]
}

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

/// Adds something bad to a closed mesh.
fn spoil(mesh: &mut Vec<Triangle>, random: &mut Random) {
    let i = random.below(mesh.len());
    let t = mesh[i];
    let middle = scale(1.0 / 3.0, [0, 1, 2].map(|k| t[0][k] + t[1][k] + t[2][k]));
    match random.below(8) {
        0 => mesh.extend(flap([t[0], t[1]], scale(random.range(0.2, 1.8), middle))),
        1 => mesh.push(t),
        2 => mesh.push(turned(&t)),
        3 => mesh.extend([turned(&t), t]),
        4 => _ = mesh.swap_remove(i),
        // A T-junction.
        5 => {
            let half = scale(0.5, [0, 1, 2].map(|k| t[0][k] + t[1][k]));
            mesh[i] = [t[0], half, t[2]];
            mesh.push([half, t[1], t[2]]);
        }
        6 => mesh[i] = turned(&t),
        // An edge of three triangles.
        _ => mesh.push([t[0], t[1], scale(random.range(0.2, 1.8), middle)]),
    }
}

#[test]
fn whatever_is_bad_volumes_are_right_or_flagged_and_bounded() {
    let mut random = Random::new(31);
    let mut seen = [0; 2];
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
        let (bad_body, body) = (Body::new(&bad, THIN), Body::new(&thing, THIN));
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
            } else if truth > 1e-4 && !inside {
                assert!((told.volume / truth - 1.0).abs() < 1e-3, "{case}: {told:?} {truth}\n{list:#?}");
                seen[0] += 1;
            }
        }
    }
    assert!(seen[0] > 400 && seen[1] > 100, "{seen:?}");
}

/// A clean closed bowl: half of a thick shell, with so many slices.
fn bowl(n: usize, rings: usize, outer: f64, inner: f64) -> Vec<Triangle> {
    let point = |r: f64, i: usize, j: usize| {
        // From the pole at the bottom to the rim.
        let u = std::f64::consts::FRAC_PI_2 * i as f64 / rings as f64;
        let v = std::f64::consts::TAU * (j % n) as f64 / n as f64;
        match i {
            0 => [0.0, 0.0, -r],
            _ if i == rings => [r * v.cos(), r * v.sin(), 0.0],
            _ => [r * u.sin() * v.cos(), r * u.sin() * v.sin(), -r * u.cos()],
        }
    };
    let mut out = Vec::new();
    for j in 0..n {
        for i in 0..rings {
            for (r, inside) in [(outer, false), (inner, true)] {
                let [a, b, c, d] = [point(r, i, j), point(r, i, j + 1), point(r, i + 1, j + 1), point(r, i + 1, j)];
                let both = [[a, c, d], [a, b, c]];
                let some = &both[..if i == 0 { 1 } else { 2 }];
                out.extend(some.iter().map(|t| if inside { turned(t) } else { *t }));
            }
        }
        let [p, q] = [point(outer, rings, j), point(outer, rings, j + 1)];
        let [r, s] = [point(inner, rings, j + 1), point(inner, rings, j)];
        out.extend([[p, q, r], [p, r, s]]);
    }
    out
}

/// A model of a size, about the origin.
fn scanned(name: &str, size: f64) -> Vec<Triangle> {
    let mesh = data::mesh(name);
    let [low, high] = boxed(&mesh);
    let longest = sub(high, low).into_iter().fold(0.0, f64::max);
    sized(&moved(&mesh, [0, 1, 2].map(|k| -0.5 * (low[k] + high[k]))), size / longest)
}

#[test]
fn what_is_dipped_into_a_bowl_does_not_have_all_of_the_bowl() {
    let shell = bowl(32, 10, 1.0, 0.9);
    assert!((volume(&shell) / (2.0 / 3.0 * std::f64::consts::PI * 0.271) - 1.0).abs() < 0.05);
    let (mut random, shell_body) = (Random::new(4), Body::new(&shell, THIN));
    for name in ["scenes/bunny.stl", "scenes/teapot.stl", "scenes/broken.stl"] {
        let mut things = vec![scanned(name, 0.6)];
        for _ in 0..3 {
            let mut bad = things[0].clone();
            (0..6).for_each(|_| spoil(&mut bad, &mut random));
            things.push(bad);
        }
        let (mut seen, mut wrong) = ([0; 2], Vec::new());
        for (which, thing) in things.iter().enumerate() {
            let body = Body::new(thing, THIN);
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
    // One that only dips into the other one has a way out.
    assert_eq!(bits(half_a_halo, 0.3, at([0.1, 0.2, 0.15 + 0.3 * half_a_halo], NONE)), 0);
}
