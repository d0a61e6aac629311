//! Bodies of several parts, some of which are in the other body as a whole: they count, though no crossing tells of them.

use dem_core::contact::{Law, status};
use dem_core::pose::Pose;
use dem_tests::Triangle;
use dem_tests::bad::{FLAGS, boxed, told, volume};
use dem_tests::contact::{Body, HALO, at, cuboid, wrench_of};
use dem_tests::convex::common;
use dem_tests::deep::{ball, find, moved, sized, turn, turned_over};
use dem_tests::random::Random;
use dem_tests::scene::posed;

/// So thin that the gap measure adds nothing to speak of.
const THIN: f64 = 1e-9;

const NONE: [f64; 4] = [0.0, 0.0, 0.0, 1.0];

const MAKES: [fn(&[Triangle], f64) -> Body; 3] = [Body::new, Body::facing, Body::conservative];

fn slab() -> Vec<Triangle> {
    cuboid([6.0, 6.0, 2.0])
}

/// Three separate bodies as one mesh, in this order.
fn three(order: [usize; 3]) -> (Vec<Triangle>, [Vec<Triangle>; 3]) {
    let parts = [
        moved(&cuboid([0.5, 0.4, 0.6]), [-1.0, 0.0, 0.0]),
        moved(&sized(&ball(1), 0.3), [0.2, 0.7, -0.6]),
        moved(&cuboid([0.3; 3]), [0.9, -0.4, 0.7]),
    ];
    (order.iter().flat_map(|k| parts[*k].clone()).collect(), parts)
}

#[test]
fn parts_in_the_other_body_as_a_whole_count() {
    let mut random = Random::new(31);
    let slab = slab();
    let mut whole_ones = 0;
    for order in [[0, 1, 2], [1, 2, 0], [2, 0, 1]] {
        let (all, parts) = three(order);
        for make in MAKES {
            let (body, other) = (make(&all, THIN), make(&slab, THIN));
            for k in 0..20 {
                let pose = at([0.1, 0.2, 1.0 + random.range(-0.7, 0.7)], random.rotation());
                let each = parts.clone().map(|part| (common(&posed(&part, &pose), &slab).volume, volume(&part)));
                // Where nothing crosses there is nothing to tell of, unless a body is solid.
                if each.iter().all(|(inside, all)| *inside < 1e-6 || *inside > 0.999_999 * all) {
                    continue;
                }
                whole_ones += each.iter().filter(|(inside, all)| *inside > 0.999_999 * all).count();
                let truth: f64 = each.iter().map(|(inside, _)| inside).sum();
                for exchanged in [false, true] {
                    let list = if exchanged {
                        find(&other, &Pose::IDENTITY, &body, &pose, false).0
                    } else {
                        find(&body, &pose, &other, &Pose::IDENTITY, false).0
                    };
                    let told = told(&list);
                    assert!(told.bits & FLAGS == 0, "{order:?} {k}: {told:?}");
                    // By this law area and depth multiply to the volume.
                    let wrong = body.cells().law() == Law::Facing && (told.volume / truth - 1.0).abs() > 1e-6;
                    assert!(!wrong, "{order:?} {k}: {told:?} {truth}");
                }
            }
        }
    }
    assert!(whole_ones > 30, "{whole_ones}");
}

/// A hollow in what is enclosed takes its volume from it, whether or not a crossing tells of it.
#[test]
fn hollows_in_the_other_body_as_a_whole_count() {
    let slab = slab();
    let (outer, hollow) = (cuboid([1.0; 3]), moved(&sized(&ball(2), 0.3), [0.05, 0.02, -0.1]));
    let orders = [[outer.clone(), turned_over(&hollow)].concat(), [turned_over(&hollow), outer.clone()].concat()];
    let mut random = Random::new(5);
    for shell in &orders {
        for make in MAKES {
            let (body, other) = (make(shell, THIN), make(&slab, THIN));
            let (mut crossed, mut whole) = (0, 0);
            for k in 0..40 {
                let pose = at([0.3, 0.1, 1.0 + random.range(-0.45, 0.2)], random.rotation());
                let inside = [&outer, &hollow].map(|part| common(&posed(part, &pose), &slab).volume);
                let is_whole = inside[1] > 0.999_999 * volume(&hollow);
                crossed += usize::from(!is_whole && inside[1] > 0.0);
                whole += usize::from(is_whole);
                let told = told(&find(&body, &pose, &other, &Pose::IDENTITY, false).0);
                assert!(told.bits & FLAGS == 0, "{k}: {told:?}");
                let truth = inside[0] - inside[1];
                let wrong = body.cells().law() == Law::Facing && (told.volume / truth - 1.0).abs() > 1e-6;
                assert!(!wrong, "{k}: {told:?} {truth}");
            }
            assert!(crossed > 5 && whole > 5, "{crossed} {whole}");
        }
    }
}

/// The force does not jump as the last corner of a part sinks in.
#[test]
fn nothing_jumps_as_a_part_sinks_in() {
    let slab = slab();
    let cubes = [moved(&cuboid([0.6; 3]), [-0.8, 0.0, 0.4]), moved(&cuboid([0.6; 3]), [0.8, 0.1, 0.0])];
    let shell = [cuboid([1.0; 3]), turned_over(&moved(&cuboid([0.4; 3]), [0.1, 0.0, 0.0]))];
    for [other, sinking] in [cubes, shell] {
        for make in MAKES {
            let (body, slab) = (make(&[other.clone(), sinking.clone()].concat(), HALO), make(&slab, HALO));
            let orientation = turn([0.6, 0.8, 0.0], 0.3);
            let top = boxed(&posed(&sinking, &at([0.0; 3], orientation)))[1][2];
            let force = |z: f64| {
                let pose = at([0.02, 0.01, 1.0 - top + z], orientation);
                wrench_of(&body, &pose, &slab, &Pose::IDENTITY, pose.position).force[2]
            };
            for z in [1e-7, 1e-6, 1e-5] {
                let [above, below] = [z, -z].map(force);
                assert!((above - below).abs() < 30.0 * z / HALO, "{z:e}: {above} {below}");
            }
        }
    }
}

/// Nothing crosses, and a part is inside, the other one nearer to the surface or farther.
#[test]
fn a_body_of_which_a_part_is_inside_of_a_solid_is_told_and_in_doubt() {
    let slab = slab();
    for low in [[-0.8, 0.0, 0.2], [0.8, 0.0, 0.2]] {
        for height in [1.5, 2.5] {
            let other = [-low[0], 0.0, height];
            let body = [moved(&cuboid([0.6; 3]), low), moved(&cuboid([0.6; 3]), other)];
            for order in [[0, 1], [1, 0]] {
                let (body, solid) = (Body::new(&order.map(|k| body[k].clone()).concat(), HALO), Body::new(&slab, HALO));
                let list = find(&body, &Pose::IDENTITY, &solid, &Pose::IDENTITY, true).0;
                let [contact] = list.as_slice() else { panic!("{list:?}") };
                assert!(contact.status & status::CONTAINED != 0 && contact.status & status::UNSURE != 0, "{contact:?}");
                assert!(contact.normal[2] > 0.9, "{contact:?}");
            }
        }
    }
    // A body of which all parts are inside is in no doubt.
    let two = [moved(&cuboid([0.6; 3]), [-0.8, 0.0, 0.0]), moved(&cuboid([0.6; 3]), [0.8, 0.0, 0.0])].concat();
    let list = find(&Body::new(&two, HALO), &Pose::IDENTITY, &Body::new(&slab, HALO), &Pose::IDENTITY, true).0;
    assert!(list.len() == 1 && list[0].status & FLAGS == 0, "{list:?}");
}

/// One of a hundred pebbles in a mesh is inside of a solid: which one does not matter.
#[test]
fn one_of_many_parts_inside_of_a_solid_is_told() {
    let pebble = |k: usize, inside: bool| {
        let at = [2.0 * (k % 10) as f64 - 9.0, 2.0 * (k / 10) as f64 - 9.0, 6.0];
        moved(&cuboid([0.1; 3]), if inside { [0.3, 0.2, 0.4] } else { at })
    };
    let slab = Body::new(&slab(), HALO);
    for which in [0, 63, 64, 99] {
        let pebbles: Vec<_> = (0..100).flat_map(|k| pebble(k, k == which)).collect();
        let list = find(&Body::new(&pebbles, HALO), &Pose::IDENTITY, &slab, &Pose::IDENTITY, true).0;
        let [contact] = list.as_slice() else { panic!("{which}: {list:?}") };
        assert!(contact.status & status::CONTAINED != 0 && contact.normal[2] > 0.9, "{which}: {contact:?}");
    }
    let outside: Vec<_> = (0..100).flat_map(|k| pebble(k, false)).collect();
    let list = find(&Body::new(&outside, HALO), &Pose::IDENTITY, &slab, &Pose::IDENTITY, true).0;
    assert!(list.is_empty(), "{list:?}");
}

/// A solid that is a single triangle: the closest feature calls all behind it inside, and the surface is around none of it. The parts that are
/// not tested make a contact of almost no area.
#[test]
fn parts_that_are_not_tested_are_in_doubt() {
    let sheet = [[[-4.0, -4.0, 0.0], [4.0, -4.0, 0.0], [0.0, 6.0, 3.0]]];
    let specks = |n: usize| (0..n).flat_map(|k| moved(&cuboid([1e-4; 3]), [1e-3 * k as f64 - 0.05, 0.0, 0.9]));
    let tell = |n: usize| {
        let specks: Vec<_> = specks(n).collect();
        find(&Body::new(&specks, 1e-6), &Pose::IDENTITY, &Body::new(&sheet, 1e-6), &Pose::IDENTITY, true).0
    };
    assert!(tell(50).is_empty());
    let list = tell(100);
    let [contact] = list.as_slice() else { panic!("{list:?}") };
    assert!(contact.status & status::UNSURE != 0 && contact.area < 1e-12, "{contact:?}");
}

/// Of hundreds of parts inside not all are looked at: then everything is in doubt, and nothing is told wrong in silence.
#[test]
fn more_parts_than_are_looked_at_are_in_doubt() {
    let specks = (0..100).flat_map(|k| {
        let at = [0.2 * f64::from(k % 10) - 0.9, 0.2 * f64::from(k / 10) - 0.9, -0.3];
        moved(&cuboid([0.1; 3]), at)
    });
    let body: Vec<_> = moved(&cuboid([0.5; 3]), [0.0, 0.0, 1.0]).into_iter().chain(specks).collect();
    let told =
        told(&find(&Body::new(&body, THIN), &Pose::IDENTITY, &Body::new(&slab(), THIN), &Pose::IDENTITY, false).0);
    assert!(told.bits & status::UNSURE != 0, "{told:?}");
}

/// A part in another part of its own body counts twice, or is in doubt, also when nothing crosses it any more.
#[test]
fn parts_in_each_other_are_in_doubt() {
    let nested = [cuboid([1.0; 3]), cuboid([0.3; 3])].concat();
    for order in [false, true] {
        let mesh = if order { nested[12..].iter().chain(&nested[..12]).copied().collect() } else { nested.clone() };
        for depth in [0.4, 0.5, 0.7, 0.9] {
            let pose = at([0.05, 0.0, 1.5 - depth], turn([0.6, 0.8, 0.0], 0.1));
            let told =
                told(&find(&Body::facing(&mesh, THIN), &pose, &Body::facing(&slab(), THIN), &Pose::IDENTITY, false).0);
            let truth = common(&posed(&cuboid([1.0; 3]), &pose), &slab()).volume;
            let right = (told.volume / truth - 1.0).abs() < 1e-3;
            assert!(right || told.bits & FLAGS != 0, "{depth}: {told:?} {truth}");
        }
    }
}

/// Parts beside the other body are in no doubt, however many they are: the bristles of a brush, of which one touches.
#[test]
fn parts_beside_the_other_body_are_in_no_doubt() {
    let bristle = |k: usize| {
        let rise = if k == 0 { 0.0 } else { 0.01 };
        moved(&cuboid([0.05, 0.05, 0.5]), [0.2 * (k % 10) as f64 - 0.9, 0.2 * (k / 10) as f64 - 0.9, rise])
    };
    let brush: Vec<_> = (0..100).flat_map(bristle).collect();
    let pose = at([0.0, 0.0, 1.25 - 0.005], NONE);
    let told = told(&find(&Body::facing(&brush, THIN), &pose, &Body::facing(&slab(), THIN), &Pose::IDENTITY, false).0);
    assert!(told.bits & FLAGS == 0 && (told.volume / (0.05 * 0.05 * 0.005) - 1.0).abs() < 1e-6, "{told:?}");
}
