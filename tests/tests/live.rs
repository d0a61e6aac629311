//! A live grid finds the pairs of brute force after any changes.

use dem_core::broad::{
    Candidate, Dimensions, Direction, LiveGrid, LiveGridSizes, Space, Updated, brute, live_grid_scratch,
};
use dem_core::error::{Error, Kind, What};
use dem_core::exec::{Executor, Serial};
use dem_core::simd::Isa;
use dem_std::Threads;
use dem_tests::bodies::{self, Scene, answer, sorted};
use dem_tests::live::Live;
use dem_tests::random::Random;
use dem_tests::vector::{add, scale};

/// With every instruction set, in both directions, by one thread and several.
fn agrees(live: &mut Live, scene: &Scene, what: &str) {
    let query = scene.query();
    let right = answer(|out| brute(&query, out));
    let three = Threads::new(3).unwrap();
    for direction in [Direction::TopDown, Direction::BottomUp] {
        let mut first: Option<Vec<Candidate>> = None;
        for isa in Isa::list() {
            for exec in [&Serial as &dyn Executor, &three] {
                let found = answer(|out| live.pairs(exec, *isa, &query, direction, out));
                let first = first.get_or_insert_with(|| found.clone());
                assert_eq!(&found, first, "{} {what} {}", scene.name, isa.name());
            }
        }
        let found = sorted(first.unwrap());
        let missing = right.iter().find(|c| found.binary_search(c).is_err());
        assert_eq!(missing, None, "{} {what} misses", scene.name);
        assert_eq!(found, right, "{} {what}", scene.name);
    }
}

/// Moves, adds and removes bodies. Gives the list of changed bodies.
fn change(scene: &mut Scene, random: &mut Random, side: f64) -> Vec<u32> {
    let mut changed = Vec::new();
    for _ in 0..1 + random.below(12) {
        let n = scene.centres.len();
        let i = random.below(n);
        match random.below(8) {
            0 if n > 20 => {
                scene.centres.swap_remove(i);
                scene.radii.swap_remove(i);
                for words in scene.words.iter_mut().filter(|w| !w.is_empty()) {
                    words.swap_remove(i);
                }
                changed.retain(|id| (*id as usize) < n - 1);
                if i < n - 1 {
                    changed.push(i as u32);
                }
            }
            1 | 2 => {
                scene.centres.push([0; 3].map(|_| random.range(0.0, side)));
                scene.radii.push(random.range(0.2, 3.0));
                let word = random.below(3) as u32;
                scene.words.iter_mut().filter(|w| !w.is_empty()).zip([word, 7, 3]).for_each(|(w, x)| w.push(x));
                // Another one may have had this place.
                changed.push(n as u32);
            }
            3 => scene.radii[i] = random.range(0.0, 4.0),
            4 => scene.centres[i] = [0; 3].map(|_| random.range(-side, 2.0 * side)),
            _ => scene.centres[i] = add(scene.centres[i], scale(scene.radii[i], random.direction())),
        }
        if i < scene.centres.len() {
            changed.push(i as u32);
        }
    }
    changed
}

#[test]
fn pairs_are_right_after_every_change_in_all_spaces() {
    let mut random = Random::new(61);
    let spaces = [
        (Dimensions::Three, [0.0; 3]),
        (Dimensions::Two, [0.0; 3]),
        (Dimensions::Three, [24.0; 3]),
        (Dimensions::Three, [0.0, 23.0, 24.0]),
        (Dimensions::Two, [20.0, 0.0, 0.0]),
        (Dimensions::Three, [7.0, 0.0, 5.0]),
    ];
    let (mut full, mut updated) = (0, 0);
    for (round, (dimensions, periods)) in spaces.into_iter().cycle().take(12).enumerate() {
        let mut scene = bodies::power_law(140, [24.0; 3], -3.0, 6.0, &mut random).within(dimensions, periods);
        scene.margin = [0.0, 0.25][round % 2];
        if round >= 6 {
            scene = scene.filtered(&mut random);
        }
        let mut live = Live::new(400, 8, 60);
        let sizes: [&[f64]; 3] = [&[], &[3.0, 6.0, 13.0], &[2.0]];
        live.rebuild(&Serial, &scene.query(), sizes[round % 3]).unwrap();
        for step in 0..25 {
            let changed = change(&mut scene, &mut random, 24.0);
            let report = live.update(&scene.query(), &changed).unwrap();
            updated += 1;
            if report.full {
                full += 1;
                let none = live.pairs(&Serial, Isa::best(), &scene.query(), Direction::TopDown, &mut []);
                assert_eq!(none, Err(Error::new(Kind::Mismatch, What::Grid)));
                live.rebuild(&Serial, &scene.query(), &[]).unwrap();
            } else {
                assert!(report.loose <= 60);
            }
            // Sometimes nobody asks between two updates.
            if step % 4 != 3 {
                agrees(&mut live, &scene, &format!("step {step} {report:?}"));
            }
        }
    }
    assert!(full >= 5 && full * 5 < updated, "{full} of {updated}");
}

#[test]
fn bodies_move_far_away_grow_huge_and_meet_in_one_place() {
    let mut random = Random::new(62);
    let start = bodies::power_law(120, [20.0; 3], -2.0, 5.0, &mut random);
    for place in [[1e6; 3], [1e12, 0.0, -1e12], [1e100, 0.0, 0.0], [-3.0, 5.0, 900.0]] {
        let mut scene = start.clone();
        let mut live = Live::new(130, 6, 40);
        live.rebuild(&Serial, &scene.query(), &[]).unwrap();
        for (step, id) in [7u32, 70, 100, 3].into_iter().enumerate() {
            scene.centres[id as usize] = place;
            // The third reaches back to where all were, just; its neighbours are a matter of rounding.
            if step == 2 {
                scene.radii[id as usize] = place.map(|x: f64| x * x).iter().sum::<f64>().sqrt();
            }
            assert_eq!(live.update(&scene.query(), &[id]), Ok(Updated { loose: step as u32 + 1, full: false }));
            agrees(&mut live, &scene, &format!("{place:?} step {step}"));
        }
    }
    // All in one place, one after the other; then from there on.
    let mut scene = start.clone();
    let mut live = Live::new(120, 6, 120);
    live.rebuild(&Serial, &scene.query(), &[]).unwrap();
    for i in (0..120).step_by(10) {
        scene.centres[i..i + 10].fill([1.0, 2.0, 3.0]);
        let changed: Vec<_> = (i as u32..i as u32 + 10).collect();
        assert!(!live.update(&scene.query(), &changed).unwrap().full);
        agrees(&mut live, &scene, "heap");
    }
    live.rebuild(&Serial, &scene.query(), &[]).unwrap();
    for i in (0..120).rev() {
        scene.centres.truncate(i);
        scene.radii.truncate(i);
        assert_eq!(live.update(&scene.query(), &[]), Ok(Updated { loose: 0, full: false }));
        if i % 17 == 0 {
            agrees(&mut live, &scene, "leaving");
        }
    }
}

#[test]
fn touching_neighbours_are_found_wherever_they_have_moved_to() {
    // Every distance of neighbours is a tie, and all of them move by the lattice's spacing.
    for origin in [0.0, -3.0, 1e6] {
        let mut scene = bodies::lattice(5, 2.0, origin);
        for periods in [[0.0; 3], [10.0; 3]] {
            if origin > 1.0 && periods[0] > 0.0 {
                continue;
            }
            scene.space = Space::new(Dimensions::Three, periods);
            let mut live = Live::new(125, 3, 125);
            live.rebuild(&Serial, &scene.query(), &[2.0]).unwrap();
            for i in (0..125).step_by(3) {
                scene.centres[i][1] += 2.0;
                live.update(&scene.query(), &[i as u32, i as u32]).unwrap();
                if i % 15 == 0 {
                    agrees(&mut live, &scene, "lattice");
                }
            }
        }
    }
}

#[test]
fn bodies_that_grow_within_their_cells_find_those_that_they_did_not_reach() {
    let mut random = Random::new(64);
    let mut scene = bodies::power_law(200, [24.0; 3], -3.0, 1.001, &mut random);
    let mut live = Live::new(200, 2, 20);
    live.rebuild(&Serial, &scene.query(), &[6.0]).unwrap();
    for id in 0..10 {
        scene.radii[id] = 2.9;
        let report = live.update(&scene.query(), &[id as u32]).unwrap();
        assert_eq!(report, Updated { loose: 0, full: false });
        agrees(&mut live, &scene, &format!("body {id} has grown"));
    }
}

#[test]
fn grids_with_hashed_keys_accept_joining_bodies_and_need_a_rebuild_after_a_move() {
    let mut random = Random::new(63);
    let mut scene = bodies::clusters(60, 9, 2.0, 1e11, &mut random);
    let mut live = Live::new(70, 6, 10);
    live.rebuild(&Serial, &scene.query(), &[3.1]).unwrap();
    scene.centres.push(scene.centres[0]);
    scene.radii.push(1.0);
    assert_eq!(live.update(&scene.query(), &[]), Ok(Updated { loose: 1, full: false }));
    agrees(&mut live, &scene, "joined");
    scene.centres[60] = scene.centres[5];
    assert_eq!(live.update(&scene.query(), &[60]), Ok(Updated { loose: 1, full: false }));
    agrees(&mut live, &scene, "moved on");
    scene.centres[30][0] += 1.0;
    assert!(live.update(&scene.query(), &[30]).unwrap().full);
    live.rebuild(&Serial, &scene.query(), &[3.1]).unwrap();
    agrees(&mut live, &scene, "rebuilt");
}

#[test]
fn wrong_changes_are_errors_and_change_nothing() {
    let mut scene = bodies::lattice(4, 2.0, 0.0);
    let mut live = Live::new(70, 3, 6);
    assert_eq!(live.update(&scene.query(), &[]), Err(Error::new(Kind::Mismatch, What::Grid)));
    live.rebuild(&Serial, &scene.query(), &[]).unwrap();
    let error = live.update(&scene.query(), &[5, 64]).unwrap_err();
    assert_eq!(error, Error::new(Kind::BadIndex, What::Bodies).at(1, 0).amounts(64, 64));
    let mut bad = scene.clone();
    bad.centres[9][2] = f64::NAN;
    assert_eq!(live.update(&bad.query(), &[5, 9]), Err(Error::new(Kind::NotFinite, What::Centres).at(9, 2)));
    bad = scene.clone();
    bad.centres.push([0.0; 3]);
    bad.radii.push(-1.0);
    assert_eq!(live.update(&bad.query(), &[5]), Err(Error::new(Kind::OutOfRange, What::Radii).at(64, 0)));
    let wide = scene.clone().margin(1.0);
    assert_eq!(live.update(&wide.query(), &[]), Err(Error::new(Kind::Mismatch, What::Grid)));
    let many = bodies::lattice(5, 2.0, 0.0);
    assert_eq!(live.update(&many.query(), &[]), Err(Error::capacity(What::Grid, 125, 70)));
    agrees(&mut live, &scene, "as it was");
    // A query of other bodies than the last update.
    scene.centres.push([0.5; 3]);
    scene.radii.push(1.0);
    let ask = |live: &mut Live, scene: &Scene, out: &mut [Candidate]| {
        live.pairs(&Serial, Isa::best(), &scene.query(), Direction::TopDown, out)
    };
    assert_eq!(ask(&mut live, &scene, &mut []), Err(Error::new(Kind::Mismatch, What::Grid)));
    assert_eq!(live.update(&scene.query(), &[]), Ok(Updated { loose: 1, full: false }));
    let needed = brute(&scene.query(), &mut [Candidate::default(); 500]).unwrap();
    assert!(needed > 144);
    let short = ask(&mut live, &scene, &mut vec![Candidate::default(); 143]);
    assert_eq!(short, Err(Error::capacity(What::Output, needed as u64, 143)));
    let short = ask(&mut live, &scene, &mut vec![Candidate::default(); needed - 1]);
    assert_eq!(short, Err(Error::capacity(What::Output, needed as u64, needed as u64 - 1)));
    let moved: Vec<u32> = (0..6).collect();
    // Where they were: they stay in the grid. Then they go.
    assert_eq!(live.update(&scene.query(), &moved), Ok(Updated { loose: 1, full: false }));
    scene.centres[..6].fill([90.0; 3]);
    assert_eq!(live.update(&scene.query(), &moved), Ok(Updated { loose: 6, full: true }));
    let sizes = LiveGridSizes { bodies: 1_000_000, levels: 8, loose: 100_000 };
    assert!(LiveGrid::layout(&sizes).unwrap().size <= 40_000_000);
    assert!(live_grid_scratch(1_000_000, 100_000).unwrap().size <= 32_000_000);
}
