//! A neighbour list with a skin holds all pairs as long as `moved` says so, and the bound is sharp.

use dem_core::broad::{Candidate, Dimensions, Moved, Query, Space, brute, moved, refresh, skin_scratch};
use dem_core::error::{Error, Kind, Result, What};
use dem_core::exec::{Executor, Serial};
use dem_std::{Memory, Threads};
use dem_tests::bodies::{self, Grid, Scene, answer, sorted};
use dem_tests::random::Random;
use dem_tests::vector::{add, scale};

fn scratch(query: &Query<'_>, list: &[Candidate]) -> Memory {
    skin_scratch(query.bodies.len() as u32, list.len()).and_then(Memory::new).unwrap()
}

fn how_far(then: &Scene, now: &Scene) -> Moved {
    let (then, now) = (then.query(), now.query());
    let three = Threads::new(3).unwrap();
    let one = moved(&Serial, &then, &now, &mut scratch(&now, &[])).unwrap();
    assert_eq!(moved(&three, &then, &now, &mut scratch(&now, &[])), Ok(one));
    one
}

/// The refreshed list, on one thread and on several.
fn left(list: &[Candidate], then: &Scene, now: &Scene) -> Vec<Candidate> {
    let (then, now) = (then.query(), now.query());
    let three = Threads::new(3).unwrap();
    let refreshed = |exec: &dyn Executor| answer(|out| refresh(exec, list, &then, &now, out, &mut scratch(&now, list)));
    let found = refreshed(&Serial);
    assert_eq!(refreshed(&three), found);
    found
}

fn all(scene: &Scene) -> Vec<Candidate> {
    answer(|out| brute(&scene.query(), out))
}

#[test]
fn lists_are_complete_under_motion_wraps_growth_and_filters_until_they_say_otherwise() {
    let mut random = Random::new(41);
    let spaces = [
        (Dimensions::Three, [0.0; 3]),
        (Dimensions::Two, [0.0; 3]),
        (Dimensions::Three, [20.0, 0.0, 20.0]),
        (Dimensions::Two, [18.0, 20.0, 0.0]),
        (Dimensions::Three, [7.0, 20.0, 5.0]),
    ];
    for (round, (dimensions, periods)) in spaces.into_iter().cycle().take(10).enumerate() {
        let mut now = bodies::power_law(130, [20.0; 3], -3.0, 5.0, &mut random).within(dimensions, periods);
        if round >= 5 {
            now = now.filtered(&mut random);
        }
        let (margin, skin) = ([0.0, 0.25][round % 2], 1.0);
        let (mut rebuilt, mut reused) = (0, 0);
        let mut then = now.clone().margin(margin + skin);
        let mut list = all(&then);
        now.margin = margin;
        for _ in 0..60 {
            for (i, centre) in now.centres.iter_mut().enumerate() {
                // Static bodies stay where they are.
                if now.words[0].get(i) == Some(&2) {
                    continue;
                }
                *centre = add(*centre, scale(0.05 + 0.05 * random.unit(), random.direction()));
                now.radii[i] = (now.radii[i] + random.range(-0.01, 0.01)).max(0.1);
                for (x, period) in centre.iter_mut().zip(periods) {
                    if period > 0.0 && random.below(8) == 0 {
                        *x += period * (random.below(7) as f64 - 3.0);
                    }
                }
            }
            if how_far(&then, &now).lasts() {
                reused += 1;
            } else {
                then = now.clone().margin(margin + skin);
                list = all(&then);
                rebuilt += 1;
            }
            assert_eq!(left(&list, &then, &now), all(&now), "{} round {round}", now.name);
        }
        assert!(rebuilt >= 2 && reused > 20, "{rebuilt} {reused}");
    }
}

#[test]
fn a_refreshed_list_keeps_its_order() {
    let mut random = Random::new(42);
    let then =
        bodies::power_law(400, [20.0; 3], -3.0, 6.0, &mut random).within(Dimensions::Three, [20.0; 3]).margin(0.5);
    let mut grid = Grid::new(400, 8);
    grid.rebuild(&then.query(), &[]).unwrap();
    let list = answer(|out| grid_pairs(&mut grid, &then, out));
    let mut now = then.clone().margin(0.1);
    now.centres.iter_mut().for_each(|c| *c = add(*c, scale(0.19, random.direction())));
    assert!(how_far(&then, &now).lasts());
    let found = left(&list, &then, &now);
    assert!(found.len() > 100 && found.len() < list.len());
    let place = |c: &Candidate| list.iter().position(|l| l == c).unwrap();
    assert!(found.is_sorted_by_key(place));
    assert_eq!(sorted(found), all(&now));
}

fn grid_pairs(grid: &mut Grid, scene: &Scene, out: &mut [Candidate]) -> Result<usize> {
    grid.pairs(dem_core::simd::Isa::best(), &scene.query(), dem_core::broad::Direction::TopDown, out)
}

#[test]
fn beyond_the_skin_a_pair_is_lost() {
    // Apart by a little more than the margin and the skin, then towards each other.
    let gap = 0.25 + 1e-9;
    let then = Scene::new("two", vec![[0.0; 3], [2.0 + gap, 0.0, 0.0]], vec![1.0; 2]).margin(0.25);
    let list = all(&then);
    assert_eq!(list, []);
    let at = |way: f64| {
        let mut now = then.clone().margin(0.0);
        (now.centres[0][0], now.centres[1][0]) = (way, 2.0 + gap - way);
        now
    };
    let near = at(0.125);
    assert!(how_far(&then, &near).sum > 0.25, "rounding is in it");
    let (within, beyond) = (at(0.125 - 1e-12), at(0.125 + 1e-9));
    assert!(how_far(&then, &within).lasts() && !how_far(&then, &beyond).lasts());
    assert_eq!((all(&within), left(&list, &then, &within)), (vec![], vec![]));
    assert_eq!((all(&beyond).len(), left(&list, &then, &beyond).len()), (1, 0));
}

#[test]
fn only_pairs_with_a_dynamic_body_limit_the_life_of_a_list() {
    let centres: Vec<_> = (0..5).map(|i| [10.0 * f64::from(i), 0.0, 0.0]).collect();
    let mut then = Scene::new("row", centres, vec![1.0; 5]).margin(1.0);
    let after = |then: &Scene, ways: [f64; 5]| {
        let mut now = then.clone().margin(0.0);
        now.centres.iter_mut().zip(ways).for_each(|(c, way)| c[1] += way);
        let moved = how_far(then, &now);
        assert_eq!(moved.skin, 1.0);
        let rounded = |x: f64| (x * 1e9).round() / 1e9;
        (rounded(moved.sum), rounded(moved.farthest))
    };
    assert_eq!(after(&then, [0.0; 5]), (0.0, 0.0));
    assert_eq!(after(&then, [0.25, -0.5, 0.125, 0.0, 0.0]), (0.75, 0.5));
    assert_eq!(after(&then, [0.0, 0.0, 0.0, 0.0, 0.75]), (0.75, 0.75));
    // Two kinematic bodies are no pair, and nor is one with a static one.
    then.words[0] = vec![0, 0, 1, 1, 2];
    assert_eq!(after(&then, [0.25, 0.125, 0.5, 0.5, 0.0]), (0.75, 0.5));
    assert_eq!(after(&then, [0.25, 0.5, 0.125, 0.25, 0.0]), (0.75, 0.5));
    then.words[0] = vec![1, 1, 1, 1, 2];
    assert_eq!(after(&then, [0.25, 0.5, 0.125, 0.25, 0.0]), (0.0, 0.5));
    // A body alone meets its own images, which move with it, and grow towards it.
    let mut alone =
        Scene::new("alone", vec![[0.0; 3]], vec![1.0]).within(Dimensions::Three, [3.0, 0.0, 0.0]).margin(1.0);
    let mut now = alone.clone().margin(0.0);
    now.centres[0] = [1.0, 5.0, 5.0];
    assert!(how_far(&alone, &now).lasts());
    now.radii[0] = 1.49;
    assert!(how_far(&alone, &now).lasts());
    now.radii[0] = 1.51;
    assert!(!how_far(&alone, &now).lasts());
    assert_eq!((left(&all(&alone), &alone, &now), all(&now).len()), (all(&now), 1));
    alone.radii[0] = 0.99;
    assert_eq!((left(&all(&alone), &alone, &now), all(&now).len()), (vec![], 1));
}

#[test]
fn the_move_of_one_of_thousands_of_bodies_is_noticed() {
    let centres: Vec<_> = (0..9_000).map(|i| [10.0 * f64::from(i), 0.0, 0.0]).collect();
    let then = Scene::new("row", centres, vec![1.0; 9_000]).margin(1.0);
    for who in [0, 4_095, 4_096, 4_097, 8_191, 8_192, 8_999] {
        let mut now = then.clone().margin(0.0);
        now.centres[who][1] += 0.75;
        let moved = how_far(&then, &now);
        assert!((moved.farthest - 0.75).abs() < 1e-9 && (moved.sum - 0.75).abs() < 1e-9, "body {who}: {moved:?}");
    }
}

#[test]
fn ties_and_distances_of_every_size_keep_their_pairs_with_no_skin_to_spare() {
    // Nothing has moved, and the skin is nothing: the list lasts and is what it was.
    for (spacing, origin) in [(2.0, 0.0), (0.3, 0.1), (1.0, 1e6), (0.7, 1e12)] {
        let then = bodies::lattice(4, spacing, origin).within(Dimensions::Three, [4.0 * spacing, 0.0, 0.0]);
        let then = Scene { space: if origin > 1e4 { Space::OPEN } else { then.space }, ..then };
        assert!(how_far(&then, &then).lasts());
        assert_eq!(left(&all(&then), &then, &then), all(&then));
        // Each moved by half of the skin at most, to where some just touch: completeness is a matter of rounding.
        let skin = 0.5 * spacing;
        let wide = then.clone().margin(skin);
        let list = all(&wide);
        let mut random = Random::new(43);
        for part in [1.0 - 1e-12, 0.999, 0.5] {
            let mut now = then.clone();
            now.centres.iter_mut().for_each(|c| *c = add(*c, scale(0.5 * skin * part, random.direction())));
            if how_far(&wide, &now).lasts() {
                assert_eq!(left(&list, &wide, &now), all(&now));
            } else {
                assert!(part > 0.99, "{spacing} {origin} {part}");
            }
        }
    }
}

#[test]
fn what_does_not_belong_together_is_an_error() {
    let then = bodies::lattice(3, 2.0, 0.0).margin(0.5);
    let now = then.clone().margin(0.0);
    let ask = |then: &Scene, now: &Scene| moved(&Serial, &then.query(), &now.query(), &mut scratch(&now.query(), &[]));
    let fewer = bodies::lattice(2, 2.0, 0.0);
    assert_eq!(ask(&then, &fewer), Err(Error::new(Kind::Mismatch, What::Centres).amounts(27, 8)));
    let closed = now.clone().within(Dimensions::Three, [9.0, 0.0, 0.0]);
    assert_eq!(ask(&then, &closed), Err(Error::new(Kind::Mismatch, What::Periods)));
    assert_eq!(ask(&now, &then), Err(Error::new(Kind::OutOfRange, What::Margin)));
    let mut bad = now.clone();
    bad.centres[9][1] = f64::NAN;
    assert_eq!(ask(&then, &bad), Err(Error::new(Kind::NotFinite, What::Centres).at(9, 1)));
    assert_eq!(ask(&bad, &now), Err(Error::new(Kind::NotFinite, What::Centres).at(9, 1)));
    let (list, mut out) = (all(&then), [Candidate::default(); 53]);
    let mut refreshed = |list: &[Candidate]| {
        refresh(&Serial, list, &then.query(), &now.query(), &mut out, &mut scratch(&now.query(), list))
    };
    assert_eq!(refreshed(&list), Err(Error::capacity(What::Output, 54, 53)));
    let mut wrong = list.clone();
    wrong[3].b = 27;
    let error = refreshed(&wrong).unwrap_err();
    assert_eq!((error.kind, error.what, error.index, error.component), (Kind::BadIndex, What::Pairs, 3, 1));
    assert_eq!((error.needed, error.given), (27, 27));
}
