//! Tests of the directions at right angles to edges against canonical distances.

use super::*;
use crate::narrow::edge_axes::Sift;
use crate::narrow::undecided::Hits;

/// Two bodies about as far apart as they are large, of any order of magnitude.
fn neighbours(random: &mut Random, size: f64, small: f64) -> ([Body; 2], [Pose; 2]) {
    let bodies =
        [size, size * small].map(|size| Body::new(&bumpy(random, 3, size, true), Halo::Uniform(0.0), Scalar::F64));
    let away = [0; 3].map(|_| (random.next() - 0.5) * 10.0 * size);
    let poses = [[0.0; 3], [size, 0.3 * size, 0.0]].map(|at| pose(random, [0, 1, 2].map(|k| away[k] + at[k])));
    (bodies, poses)
}

/// The number of pairs of such bodies that are farther apart than a reach, and the number that is discarded.
fn sifted(random: &mut Random, size: f64, small: f64) -> [usize; 2] {
    let (bodies, poses) = neighbours(random, size, small);
    let [a, b] = [0, 1].map(|k| bodies[k].at(&poses[k]));
    let frame = Frame::new(&a, &b).expect("frame");
    let reach = if random.next() < 0.2 { 0.0 } else { 0.3 * size * small * random.next() };
    let all = brute(&a, &b);
    let pairs: Vec<Key> = all.iter().map(|(key, _)| *key).collect();
    let left = |isa: Isa| {
        let mut keys = pairs.clone();
        let (near, close) = ((Hits::within(reach), &mut keys[..]), (Hits::within(0.0), &mut [][..]));
        let [number, _] = dispatch(isa, Sift { a, b, frame: &frame, near, close });
        keys.truncate(number);
        keys
    };
    let kept = left(Isa::best());
    // A subset of the list with another reach, then keys that the first list does not have in this order.
    let less = 0.5 * reach;
    let mut part: Vec<Key> = pairs.iter().copied().filter(|key| key % 3 == 0).chain(pairs.iter().copied()).collect();
    let mut alone = part.clone();
    let (near, close) = ((Hits::within(less), &mut alone[..]), (Hits::within(0.0), &mut [][..]));
    let [of_alone, _] = dispatch(Isa::best(), Sift { a, b, frame: &frame, near, close });
    let mut keys = pairs.clone();
    let (near, close) = ((Hits::within(reach), &mut keys[..]), (Hits::within(less), &mut part[..]));
    let [number, of_part] = dispatch(Isa::best(), Sift { a, b, frame: &frame, near, close });
    assert!(keys[..number] == kept && part[..of_part] == alone[..of_alone]);
    for isa in Isa::list() {
        assert_eq!(left(*isa), kept, "{}", isa.name());
    }
    // The tolerance is that of the filter's canonical slack.
    let within = all.iter().filter(|(_, distance)| *distance <= reach * (1.0 + 1e-9) + 1e-14 * size);
    for (key, distance) in within {
        assert!(kept.contains(key), "{:?} at {distance:e} of {reach:e}", ids(*key));
    }
    let beyond = all.iter().filter(|(_, distance)| *distance > 1.01 * reach + 1e-9 * size).count();
    [beyond, pairs.len() - kept.len()]
}

#[test]
fn only_pairs_that_are_too_far_apart_are_left_out() {
    let mut random = Random(5);
    let mut sums = [0; 2];
    for i in 0..60 {
        let size = if i % 2 == 0 { 1.0 } else { 10f64.powf(24.0 * random.next() - 12.0) };
        let small = if i % 3 == 0 { 1e-3 } else { 1.0 };
        let [beyond, left_out] = sifted(&mut random, size, small);
        sums = [sums[0] + beyond, sums[1] + left_out];
    }
    // Most pairs that are farther apart must be discarded, or the test would be useless.
    assert!(sums[1] * 10 > sums[0] * 9 && sums[0] > 10_000, "{sums:?}");
}

#[test]
fn pairs_that_are_as_far_apart_as_their_reach_are_kept() {
    let mut random = Random(6);
    let (mut all, mut left_out) = (0, 0);
    for i in 0..20 {
        let size = if i % 2 == 0 { 1.0 } else { 10f64.powf(24.0 * random.next() - 12.0) };
        let (bodies, poses) = neighbours(&mut random, size, if i % 3 == 0 { 1e-3 } else { 1.0 });
        let [a, b] = [0, 1].map(|k| bodies[k].at(&poses[k]));
        let frame = Frame::new(&a, &b).expect("frame");
        let kept = |isa: Isa, key: Key, reach: f64| {
            let mut keys = [key];
            let (near, close) = ((Hits::within(reach), &mut keys[..]), (Hits::within(0.0), &mut [][..]));
            dispatch(isa, Sift { a, b, frame: &frame, near, close }) == [1, 0]
        };
        for (key, distance) in brute(&a, &b) {
            for isa in Isa::list() {
                assert!(kept(*isa, key, distance), "{:?} at {distance:e}, {}", ids(key), isa.name());
            }
            all += 1;
            left_out += usize::from(!kept(Isa::best(), key, 0.999 * distance));
        }
    }
    // If edges are nearest, the direction is exact, so a reach that is slightly too short is detected.
    assert!(left_out * 100 > all, "{left_out} of {all}");
}
