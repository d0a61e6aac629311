//! Any two meshes: what they have in common is right to a thousandth, or flagged, and bounded.
//!
//! Ten poses of each pair.

use std::collections::{BTreeMap, BTreeSet};

use dem_core::contact::{Contact, status};
use dem_core::pose::Pose;
use dem_std::generate;
use dem_tests::Triangle;
use dem_tests::bad::{FLAGS, assert_bounded, columns, spoil, told, turned};
use dem_tests::cases;
use dem_tests::contact::{Body, at, cuboid, soup};
use dem_tests::deep::{ball, deep, find, moved, sized, turn, turned_over};
use dem_tests::random::Random;
use dem_tests::scene::posed;

/// So thin that the gap measure adds nothing to speak of.
const THIN: f64 = 1e-9;

/// Cases that were wrong, and not flagged.
const ONCE_WRONG: [u64; 8] = [84, 846, 925, 1125, 1385, 1488, 1643, 1966];

const NONE: [f64; 4] = [0.0, 0.0, 0.0, 1.0];

/// The closed parts of a random body. Some lie in each other.
fn parts(random: &mut Random) -> Vec<Vec<Triangle>> {
    match random.below(8) {
        0 => vec![cuboid([0.9, 0.7, 0.8])],
        1 => vec![sized(&ball(1 + random.below(3) as u32), 0.5)],
        2 => vec![sized(&soup(&generate::bumpy(generate::icosphere(2).unwrap(), 1.6, random.bits()).unwrap()), 0.5)],
        3 => vec![cuboid([0.6; 3]), moved(&cuboid([0.6; 3]), random.in_cube(0.5))],
        4 => vec![sized(&ball(2), 0.35), moved(&sized(&ball(2), 0.35), random.in_cube(0.35))],
        5 => vec![moved(&cuboid([0.5; 3]), [-0.25, 0.0, 0.0]), moved(&cuboid([0.5; 3]), [0.25, 0.0, 0.0])],
        6 => {
            let by = [0.5, random.range(-0.4, 0.4), random.range(-0.4, 0.4)];
            vec![cuboid([0.5; 3]), moved(&cuboid([0.5; 3]), by)]
        }
        _ => {
            let bar = cuboid([0.9, 0.2, 0.3]);
            let pose = at(random.in_cube(0.2), random.rotation());
            vec![bar.clone(), posed(&bar, &pose)]
        }
    }
}

/// A random pose, or one in which faces and edges lie in each other.
fn pose(random: &mut Random) -> Pose {
    let eighths = |random: &mut Random| random.below(9) as f64 / 8.0 - 0.5;
    let orientation = match random.below(6) {
        0 => NONE,
        1 => turn([1.0, 0.0, 0.0], [0.25, 0.5, 1.0][random.below(3)] * std::f64::consts::PI),
        _ => random.rotation(),
    };
    let position = match random.below(4) {
        0 => [eighths(random), eighths(random), 0.5],
        _ => random.in_cube(0.7),
    };
    at(position, orientation)
}

/// What is wrong with a volume, if anything: columns along any axis may tell it, since one axis may lie in what is thin.
fn wrong(volume: f64, a: &[Triangle], b: &[Triangle]) -> Option<f64> {
    let axes = |mesh: &[Triangle], k: usize| -> Vec<Triangle> {
        mesh.iter().map(|t| t.map(|v| [v[k % 3], v[(k + 1) % 3], v[(k + 2) % 3]])).collect()
    };
    let mut last = 0.0;
    for (number, within) in [(60, 4e-2), (240, 1e-2), (960, 2.5e-3), (2400, 1.2e-3)] {
        for k in 0..3 {
            last = columns(&axes(a, k), &axes(b, k), number);
            if (volume - last).abs() <= within * last + 1e-7 {
                return None;
            }
        }
    }
    Some(last)
}

/// Whether a spoiled mesh may be a room: most of the triangles of the clean one are turned over, and no edge has more than two triangles, or two that disagree. Copies of a
/// triangle count once, in the orientation of most of them; as many of either orientation are both there.
fn is_room(spoiled: &[Triangle], clean: &[Triangle]) -> bool {
    let key = |t: &Triangle| rotated(t.map(|v| v.map(|x| (x as f32).to_bits())));
    let mut copies: BTreeMap<_, i32> = BTreeMap::new();
    for t in spoiled {
        *copies.entry(key(t)).or_default() += 1;
        *copies.entry(key(&turned(t))).or_default() -= 1;
    }
    let all: BTreeSet<_> = spoiled.iter().map(key).filter(|t| copies.get(t).is_some_and(|most| *most >= 0)).collect();
    let inward = clean.iter().filter(|t| all.contains(&key(&turned(t)))).count();
    let mut edges = BTreeMap::new();
    for [a, b, c] in &all {
        for side in [[a, b], [b, c], [c, a]] {
            *edges.entry(side).or_insert(0) += 1;
        }
    }
    2 * inward > clean.len() && edges.values().all(|number| *number == 1)
}

/// The least corner first.
fn rotated([a, b, c]: [[u32; 3]; 3]) -> [[u32; 3]; 3] {
    [[a, b, c], [b, c, a], [c, a, b]].into_iter().min().unwrap_or_default()
}

#[test]
fn any_two_meshes_are_right_or_flagged_and_bounded() {
    let cases = cases(60, 2000);
    let mut seen = [0; 2];
    for case in (0..cases).chain(ONCE_WRONG.into_iter().filter(|case| *case >= cases)) {
        let mut random = Random::new(7919 * case);
        let [clean_a, clean_b] = [0; 2].map(|_| parts(&mut random).concat());
        let (mut bad_a, mut bad_b) = (clean_a.clone(), clean_b.clone());
        (0..random.below(5)).for_each(|_| spoil(&mut bad_a, &mut random));
        (0..[0, 0, 1, 3][random.below(4)]).for_each(|_| spoil(&mut bad_b, &mut random));
        if random.below(4) == 0 {
            bad_a.iter_mut().flatten().flatten().for_each(|x| *x = f64::from(*x as f32));
        }
        let (a, b) = (Body::facing(&bad_a, THIN), Body::facing(&bad_b, THIN));
        for k in 0..10 {
            let pose = pose(&mut random);
            let list = find(&a, &pose, &b, &Pose::IDENTITY, false).0;
            let told = told(&list);
            assert_bounded(&told, &posed(&bad_a, &pose), &bad_b, f64::INFINITY);
            if told.bits & FLAGS != 0 {
                seen[1] += 1;
                continue;
            }
            // What reaches in through a hole, or is inside as a whole, crosses nothing: surfaces have no inside.
            if deep(&list).is_empty() {
                continue;
            }
            let Some(truth) = wrong(told.volume, &posed(&clean_a, &pose), &clean_b) else {
                seen[0] += 1;
                continue;
            };
            // A body that is turned inside out is a room to what it holds, which pokes through the wall.
            let placed = posed(&clean_a, &pose);
            let pokes = |room: &[Triangle], body: &[Triangle]| {
                let outside = columns(body, body, 960) - columns(body, room, 960);
                (told.volume - outside).abs() < 5e-3 * told.volume
            };
            let room = is_room(&bad_a, &clean_a) && pokes(&placed, &clean_b)
                || is_room(&bad_b, &clean_b) && pokes(&clean_b, &placed);
            assert!(room, "{case} {k}: {told:?} {truth}");
        }
    }
    // Three of each of the first ones, and two of all.
    assert!(seen[0] > 2 * cases as usize + 60 && seen[1] > 2 * cases as usize, "{seen:?}");
}

fn bits(list: &[Contact]) -> u32 {
    deep(list).iter().fold(0, |bits, c| bits | c.status)
}

#[test]
fn parts_that_lie_in_each_other_tell_so_where_it_counts() {
    // Two crossed bars, pressed into a wall at their crossing and at one end.
    let bars = [cuboid([2.0, 0.2, 0.2]), cuboid([0.2, 2.0, 0.2])].concat();
    let (bars, wall) = (Body::new(&bars, THIN), Body::new(&cuboid([1.0, 1.0, 1.0]), THIN));
    let with = |x: f64, z: f64| {
        bits(&find(&bars, &at([x, 0.02, z], turn([0.6, 0.8, 0.0], 0.05)), &wall, &Pose::IDENTITY, false).0)
    };
    assert!(with(0.1, 0.5) & status::UNSURE != 0);
    assert_eq!(with(-1.3, 0.55) & (FLAGS | status::PENETRATING), status::PENETRATING);
}

#[test]
fn parts_that_only_touch_or_lie_around_each_other_are_sound() {
    let unit = cuboid([1.0; 3]);
    let stack = [unit.clone(), moved(&unit, [1.0, 0.3, 0.0])].concat();
    let hollow = [unit.clone(), turned_over(&sized(&unit, 0.5))].concat();
    let leg = |x: f64| moved(&cuboid([0.2, 0.2, 1.0]), [x, 0.3, -1.0]);
    let table = [unit.clone(), leg(-0.3), leg(0.3)].concat();
    let stone = sized(&ball(2), 0.4);
    let body = Body::facing(&stone, THIN);
    let mut random = Random::new(8);
    for mesh in [stack, hollow, table] {
        let other = Body::facing(&mesh, THIN);
        let mut right = 0;
        for _ in 0..60 {
            let pose = at(random.in_cube(0.9), random.rotation());
            let list = find(&body, &pose, &other, &Pose::IDENTITY, false).0;
            assert_eq!(bits(&list) & FLAGS, 0, "{list:?}");
            if !deep(&list).is_empty() {
                assert_eq!(wrong(told(&list).volume, &posed(&stone, &pose), &mesh), None);
                right += 1;
            }
        }
        assert!(right > 10, "{right}");
    }
}
