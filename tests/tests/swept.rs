//! Spheres on two linear segments: bounds hold at every sampled time, and no pair that touches at one is missing.

use dem_core::array::Array;
use dem_core::broad::{
    Approach, Candidate, Dimensions, Proxies, Query, Space, Sweep, brute, bulge, enclose, swept_pairs, swept_scratch,
};
use dem_core::error::{Error, Kind, Result, What};
use dem_core::exec::{Executor, Serial};
use dem_std::{Memory, Threads};
use dem_tests::bodies::answer;
use dem_tests::random::Random;
use dem_tests::vector::{add, scale, sub};

fn length(a: [f64; 3]) -> f64 {
    a.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// Centre at a time.
fn at(sweep: &Sweep, time: f64) -> [f64; 3] {
    let on = |a: [f64; 3], b, part| add(a, scale(part, sub(b, a)));
    match time < sweep.turn {
        true => on(sweep.start, sweep.middle, time / sweep.turn),
        false if sweep.turn == 1.0 => sweep.end,
        false => on(sweep.middle, sweep.end, (time - sweep.turn) / (1.0 - sweep.turn)),
    }
}

fn random_sweep(random: &mut Random, cube: f64, way: f64) -> Sweep {
    let start = [0; 3].map(|_| random.range(0.0, cube));
    let middle = add(start, random.in_cube(way));
    let turn = [0.5, random.unit(), 1.0, 0.25][random.below(4)];
    let end = if turn == 1.0 { middle } else { add(middle, random.in_cube(way)) };
    Sweep { start, middle, end, radius: random.range(0.1, 1.0), turn }
}

fn flat(mut x: [f64; 3], space: &Space) -> [f64; 3] {
    x.iter_mut().skip(space.axes()).for_each(|x| *x = 0.0);
    x
}

/// Distance of centres at a time.
fn apart(a: &Sweep, b: &Sweep, space: &Space, shift: [i16; 3], time: f64) -> f64 {
    let moved = [0, 1, 2].map(|k| f64::from(shift[k]) * space.periods[k]);
    length(flat(add(sub(at(b, time), at(a, time)), moved), space))
}

#[test]
fn the_nearest_approach_is_that_of_all_sampled_times() {
    let mut random = Random::new(51);
    for round in 0..600 {
        let (a, b) = (random_sweep(&mut random, 4.0, 3.0), random_sweep(&mut random, 4.0, 3.0));
        let space = [Space::OPEN, Space::PLANE, Space::new(Dimensions::Three, [4.0, 0.0, 5.0])][round % 3];
        let shift = if round % 3 == 2 { [1, 0, -1] } else { [0; 3] };
        let found = a.approach(&b, &space, shift);
        let back = b.approach(&a, &space, shift.map(|s| -s));
        assert_eq!(found.distance, back.distance);
        let then = apart(&a, &b, &space, shift, found.time);
        assert!((then - found.distance).abs() < 1e-12, "{then} {found:?}");
        let sampled = (0..=400).map(|i| apart(&a, &b, &space, shift, f64::from(i) / 400.0)).fold(f64::MAX, f64::min);
        assert!(found.distance <= sampled + 1e-12);
        // No one is faster than 50 a span, where turns are not too early or late.
        if [a.turn, b.turn].iter().all(|t| *t == 1.0 || (0.2..0.8).contains(t)) {
            assert!(sampled <= found.distance + 50.0 / 400.0);
        }
    }
}

#[test]
fn the_first_of_the_nearest_times_is_told_and_touching_counts() {
    let straight = |start: [f64; 3], end: [f64; 3]| Sweep { start, middle: end, end, radius: 1.0, turn: 1.0 };
    let still = straight([0.0; 3], [0.0; 3]);
    let past = straight([-4.0, 2.0, 0.0], [4.0, 2.0, 0.0]);
    assert_eq!(still.approach(&past, &Space::OPEN, [0; 3]), Approach { distance: 2.0, time: 0.5 });
    assert!(still.may_meet(&past, &Space::OPEN, [0; 3], 0.0));
    let wide = straight([-4.0, 2.0 + 1e-9, 0.0], [4.0, 2.0 + 1e-9, 0.0]);
    assert!(!still.may_meet(&wide, &Space::OPEN, [0; 3], 0.0));
    assert!(still.may_meet(&wide, &Space::OPEN, [0; 3], 1e-9));
    // There and back again: ends are far, boxes of ends too, the turn touches.
    let back = Sweep { start: [9.0, 0.0, 0.0], middle: [2.0, 0.0, 0.0], end: [9.0, 0.0, 0.0], radius: 1.0, turn: 0.25 };
    assert_eq!(still.approach(&back, &Space::OPEN, [0; 3]), Approach { distance: 2.0, time: 0.25 });
    assert!(still.may_meet(&back, &Space::OPEN, [0; 3], 0.0));
    // Side by side they never meet, though their ways overlap (P3: a false positive of boxes).
    let (first, second) = (straight([0.0; 3], [9.0, 0.0, 0.0]), straight([3.0, 0.0, 0.0], [12.0, 0.0, 0.0]));
    assert_eq!(first.approach(&second, &Space::OPEN, [0; 3]), Approach { distance: 3.0, time: 0.0 });
    assert!(!first.may_meet(&second, &Space::OPEN, [0; 3], 0.5));
    assert_eq!(first.approach(&second, &Space::new(Dimensions::Three, [3.0, 0.0, 0.0]), [-1, 0, 0]).distance, 0.0);
    // A segment without time counts as a whole.
    let jump = Sweep { start: [-4.0, 1.0, 0.0], middle: [4.0, 1.0, 0.0], end: [9.0; 3], radius: 0.5, turn: 0.0 };
    assert_eq!(still.approach(&jump, &Space::OPEN, [0; 3]), Approach { distance: 1.0, time: 0.0 });
    let late = Sweep { start: [9.0; 3], middle: [-4.0, 1.0, 0.0], end: [4.0, 1.0, 0.0], radius: 0.5, turn: 1.0 };
    assert_eq!(late.approach(&still, &Space::OPEN, [0; 3]), Approach { distance: 1.0, time: 1.0 });
}

#[test]
fn spheres_and_boxes_around_paths_contain_them_and_are_tight() {
    let mut random = Random::new(52);
    for round in 0..2000 {
        let mut sweep = random_sweep(&mut random, 10.0, [0.0, 1e-9, 1.0, 100.0][round % 4]);
        let far = [0.0, 1e6, 1e12][round % 3];
        for place in [&mut sweep.start, &mut sweep.middle, &mut sweep.end] {
            *place = place.map(|x| x + far);
        }
        let (centre, radius) = sweep.sphere(&Space::OPEN);
        let [low, high] = sweep.sides();
        let rounded = 1e-12 * (far + 100.0);
        for i in 0..=20 {
            let x = at(&sweep, f64::from(i) / 20.0);
            assert!(length(sub(x, centre)) + sweep.radius <= radius + 1e-15 * far);
            for axis in 0..3 {
                assert!(low[axis] <= x[axis] - sweep.radius && x[axis] + sweep.radius <= high[axis]);
            }
        }
        // No smaller sphere holds the three places: any one has half of their largest distance, and one around an acute
        // triangle its circumcircle, at most 2 / sqrt(3) of that.
        let places = [sweep.start, sweep.middle, sweep.end];
        let longest = (0..3).map(|i| length(sub(places[i], places[(i + 1) % 3]))).fold(0.0, f64::max);
        assert!(radius - sweep.radius <= longest / 3f64.sqrt() + rounded, "{radius} {longest}");
        assert!(radius - sweep.radius >= 0.5 * longest - rounded);
    }
    let equal =
        Sweep { start: [0.0; 3], middle: [1.0, 0.0, 0.0], end: [0.5, 0.75f64.sqrt(), 0.0], radius: 0.0, turn: 0.5 };
    let (centre, radius) = equal.sphere(&Space::OPEN);
    assert!(
        length(sub(centre, [0.5, 0.75f64.sqrt() / 3.0, 0.0])) < 1e-12 && (radius - 1.0 / 3f64.sqrt()).abs() < 1e-12
    );
    let discs = Sweep { start: [0.0, 0.0, 1e9], radius: 1.0, ..equal };
    assert_eq!(discs.sphere(&Space::PLANE).0[2], 0.0);
    assert!(discs.sphere(&Space::PLANE).1 < 1.6);
}

#[test]
fn curved_paths_stay_within_the_bulge() {
    let mut random = Random::new(53);
    for _ in 0..400 {
        let (offset, speed) = (random.range(0.0, 2.0), random.range(0.0, 9.0));
        let (velocity, acceleration) = (random.in_cube(3.0), random.in_cube(5.0));
        let duration = random.range(0.01, 1.5);
        // A point that turns about the z axis while the centre falls.
        let place = |t: f64| {
            let centre = add(scale(t, velocity), scale(0.5 * t * t, acceleration));
            add(centre, [offset * (speed * t).cos(), offset * (speed * t).sin(), 0.0])
        };
        let bound = bulge(length(acceleration), offset, speed, duration);
        let worst = (0..=50).map(|i| f64::from(i) / 50.0).map(|part| {
            let chord = add(scale(1.0 - part, place(0.0)), scale(part, place(duration)));
            length(sub(place(part * duration), chord))
        });
        let worst = worst.fold(0.0, f64::max);
        assert!(worst <= bound * (1.0 + 1e-12), "{worst} {bound}");
    }
    // Falling alone comes as far as the bound says; half a turn less far, and many turns no farther than a diameter.
    assert!((bulge(8.0, 0.0, 3.0, 1.0) - 1.0).abs() < 1e-9 && bulge(0.0, 1.0, 1e9, 1e9) < 2.0 + 1e-9);
}

/// All pairs and images that may meet, by trying all.
fn slow(sweeps: &[Sweep], space: &Space, margin: f64) -> Vec<Candidate> {
    let mut found = Vec::new();
    let images = |axis: usize| if space.period(axis).is_some() { -4..=4 } else { 0..=0 };
    for a in 0..sweeps.len() {
        for b in a..sweeps.len() {
            for x in images(0) {
                for y in images(1) {
                    for z in images(2) {
                        let shift = [x, y, z];
                        if (a < b || shift > [0; 3]) && sweeps[a].may_meet(&sweeps[b], space, shift, margin) {
                            found.push(Candidate { a: a as u32, b: b as u32, shift, spare: 0 });
                        }
                    }
                }
            }
        }
    }
    found
}

#[test]
fn candidates_of_enclosing_spheres_contain_all_pairs_that_may_touch() {
    let mut random = Random::new(54);
    let spaces = [Space::OPEN, Space::PLANE, Space::new(Dimensions::Three, [12.0, 0.0, 11.0])];
    let three = Threads::new(3).unwrap();
    for space in spaces {
        let sweeps: Vec<_> = (0..120).map(|_| random_sweep(&mut random, 12.0, 3.0)).collect();
        let margin = 0.125;
        let (mut centres, mut radii) = (vec![[0.0; 3]; 120], vec![0.0; 120]);
        enclose(&three, &sweeps, &space, &mut centres, &mut radii).unwrap();
        let bodies = Proxies::new(Array::from_f64(&centres), Array::from_numbers(&radii));
        let list = answer(|out| brute(&Query { bodies, space, margin }, out));
        let mut scratch = Memory::new(swept_scratch(list.len()).unwrap()).unwrap();
        let mut kept =
            |exec: &dyn Executor| answer(|out| swept_pairs(exec, &list, &sweeps, &space, margin, out, &mut scratch));
        let found = kept(&Serial);
        assert_eq!(kept(&three), found);
        assert_eq!(found, slow(&sweeps, &space, margin));
        assert!(found.len() > 50 && 5 * found.len() < 4 * list.len(), "{} of {}", found.len(), list.len());
        for c in &list {
            let (a, b) = (&sweeps[c.a as usize], &sweeps[c.b as usize]);
            let met =
                (0..=50).any(|i| apart(a, b, &space, c.shift, f64::from(i) / 50.0) <= a.radius + b.radius + margin);
            assert!(!met || found.binary_search(c).is_ok());
        }
    }
}

#[test]
fn thousands_of_sweeps_are_enclosed_one_by_one() {
    let mut random = Random::new(55);
    let (space, three) = (Space::OPEN, Threads::new(3).unwrap());
    let sweeps: Vec<_> = (0..2_500).map(|_| random_sweep(&mut random, 30.0, 2.0)).collect();
    let (mut centres, mut radii) = (vec![[f64::NAN; 3]; 2_500], vec![f64::NAN; 2_500]);
    enclose(&three, &sweeps, &space, &mut centres, &mut radii).unwrap();
    for (i, sweep) in sweeps.iter().enumerate() {
        assert_eq!((centres[i], radii[i]), sweep.sphere(&space), "sweep {i}");
    }
    let bodies = Proxies::new(Array::from_f64(&centres), Array::from_numbers(&radii));
    let list = answer(|out| brute(&Query { bodies, space, margin: 0.0 }, out));
    let mut scratch = Memory::new(swept_scratch(list.len()).unwrap()).unwrap();
    let found = answer(|out| swept_pairs(&three, &list, &sweeps, &space, 0.0, out, &mut scratch));
    let meet = |c: &&Candidate| sweeps[c.a as usize].may_meet(&sweeps[c.b as usize], &space, c.shift, 0.0);
    assert_eq!(found, list.iter().filter(meet).copied().collect::<Vec<_>>());
    // Of those that meet none is left out, wherever in the list it is.
    assert_eq!(answer(|out| swept_pairs(&three, &found, &sweeps, &space, 0.0, out, &mut scratch)), found);
    assert!(found.len() > 2_048 && found.len() < list.len(), "{} of {}", found.len(), list.len());
}

#[test]
fn bad_sweeps_and_lists_are_errors() {
    let good = vec![Sweep { radius: 1.0, turn: 0.5, ..Sweep::default() }; 3];
    let refuse = |change: &dyn Fn(&mut Sweep), kind, component| {
        let mut sweeps = good.clone();
        change(&mut sweeps[1]);
        let error = enclose(&Serial, &sweeps, &Space::OPEN, &mut [[0.0; 3]; 3], &mut [0.0; 3]).unwrap_err();
        assert_eq!(error, Error::new(kind, What::Sweeps).at(1, component));
    };
    refuse(&|s| s.start[1] = f64::NAN, Kind::NotFinite, 1);
    refuse(&|s| s.middle[2] = f64::INFINITY, Kind::NotFinite, 5);
    refuse(&|s| s.end[0] = 1e200, Kind::OutOfRange, 6);
    refuse(&|s| s.radius = -1.0, Kind::OutOfRange, 9);
    refuse(&|s| s.turn = 1.5, Kind::OutOfRange, 10);
    refuse(&|s| s.turn = f64::NAN, Kind::NotFinite, 10);
    let short = enclose(&Serial, &good, &Space::OPEN, &mut [[0.0; 3]; 3], &mut [0.0; 2]);
    assert_eq!(short, Err(Error::new(Kind::Mismatch, What::Radii).amounts(3, 2)));
    let list = [Candidate { b: 1, ..Candidate::default() }, Candidate { a: 2, b: 3, ..Candidate::default() }];
    let ask = |list: &[Candidate], out: &mut [Candidate]| -> Result<usize> {
        let mut scratch = Memory::new(swept_scratch(list.len())?)?;
        swept_pairs(&Serial, list, &good, &Space::OPEN, 0.0, out, &mut scratch)
    };
    let wrong = Error::new(Kind::BadIndex, What::Pairs).at(1, 1).amounts(3, 3);
    assert_eq!(ask(&list, &mut [Candidate::default(); 2]), Err(wrong));
    assert_eq!(ask(&list[..1], &mut []), Err(Error::capacity(What::Output, 1, 0)));
}
