//! Brute force against a plain loop; filters, bad input and short lists of all broad phases.

use dem_core::array::{Array, Words};
use dem_core::broad::{Candidate, Dimensions, Proxies, Query, Space, brute};
use dem_core::error::{Error, Kind, What};
use dem_tests::bodies::{self, Scene, answer};
use dem_tests::random::Random;

fn agrees(scene: &Scene, images: i16) -> usize {
    let found = answer(|out| brute(&scene.query(), out));
    assert_eq!(found, scene.slow(images), "{}", scene.name);
    found.len()
}

#[test]
fn brute_force_finds_what_the_plainest_loop_finds() {
    let mut random = Random::new(1);
    for (dimensions, periods) in [
        (Dimensions::Three, [0.0; 3]),
        (Dimensions::Two, [0.0; 3]),
        (Dimensions::Three, [12.0, 0.0, 9.0]),
        (Dimensions::Two, [7.0, 12.0, 0.0]),
    ] {
        let scene = bodies::power_law(60, [12.0, 12.0, 12.0], -3.0, 5.0, &mut random);
        let scene = scene.within(dimensions, periods).margin(0.1);
        let all = agrees(&scene, 3);
        let some = agrees(&scene.filtered(&mut random), 3);
        assert!(some > 0 && some < all, "{some} of {all}");
    }
}

#[test]
fn bodies_larger_than_the_period_meet_all_images_of_each_other_and_of_themselves() {
    let scene = Scene::new("wide", vec![[0.3, 0.1, 7.0], [-9.6, 0.2, 0.0]], vec![1.1, 0.6]);
    let scene = scene.within(Dimensions::Two, [1.0, 0.0, 5.0]);
    assert_eq!(agrees(&scene, 20), 2 + 1 + 3);
    let far = answer(|out| brute(&scene.query(), out));
    let shifts: Vec<i16> = far.iter().filter(|c| (c.a, c.b) == (0, 1)).map(|c| c.shift[0]).collect();
    assert_eq!(shifts, [9, 10, 11]);
}

#[test]
fn ties_count_and_exchange_changes_nothing() {
    let lattice = bodies::lattice(4, 2.0, -3.0);
    assert_eq!(agrees(&lattice, 0), 3 * 4 * 4 * 3);
    let closed = lattice.within(Dimensions::Three, [8.0; 3]);
    assert_eq!(agrees(&closed, 1), 3 * 64);
    let mut random = Random::new(2);
    let scene = bodies::power_law(80, [30.0, 30.0, 30.0], -2.0, 4.0, &mut random);
    let scene = scene.within(Dimensions::Three, [30.0, 17.3, 0.0]);
    for c in answer(|out| brute(&scene.query(), out)) {
        let back = c.shift.map(|s| -s);
        assert!(scene.query().reaches(c.b as usize, c.a as usize, back));
    }
}

#[test]
fn a_list_that_is_too_short_names_the_number_that_would_do() {
    let scene = bodies::lattice(4, 2.0, 0.0);
    let mut list = vec![Candidate::default(); 143];
    let short = brute(&scene.query(), &mut list).unwrap_err();
    assert_eq!(short, Error::capacity(What::Output, 144, 143));
    list.push(Candidate::default());
    assert_eq!(brute(&scene.query(), &mut list), Ok(144));
}

#[test]
fn no_body_or_one_body_gives_no_pairs() {
    for n in 0..2 {
        let scene = Scene::new("few", vec![[1.0; 3]; n], vec![1.0; n]);
        assert_eq!(agrees(&scene, 0), 0);
    }
}

#[test]
fn bad_input_is_named_by_array_item_and_component() {
    let good = Scene::new("good", vec![[0.0; 3], [1.0; 3], [2.0; 3]], vec![1.0; 3]);
    let refuse = |change: &dyn Fn(&mut Scene), kind, what, index, component| {
        let mut scene = good.clone().within(Dimensions::Three, [10.0, 0.0, 0.0]);
        change(&mut scene);
        let error = brute(&scene.query(), &mut []).unwrap_err();
        assert_eq!((error.kind, error.what, error.index, error.component), (kind, what, index, component), "{error}");
    };
    refuse(&|s| s.centres[1][2] = f64::NAN, Kind::NotFinite, What::Centres, 1, 2);
    refuse(&|s| s.centres[2][1] = 1e200, Kind::OutOfRange, What::Centres, 2, 1);
    refuse(&|s| s.centres[1][0] = 40_961.0, Kind::OutOfRange, What::Centres, 1, 0);
    refuse(&|s| s.radii[2] = -0.5, Kind::OutOfRange, What::Radii, 2, 0);
    refuse(&|s| s.radii[1] = f64::INFINITY, Kind::NotFinite, What::Radii, 1, 0);
    refuse(&|s| s.radii[1] = 320.1, Kind::OutOfRange, What::Radii, 1, 0);
    refuse(&|s| s.margin = -1.0, Kind::OutOfRange, What::Margin, 0, 0);
    refuse(&|s| s.margin = f64::NAN, Kind::NotFinite, What::Margin, 0, 0);
    refuse(&|s| s.space.periods[1] = -1.0, Kind::OutOfRange, What::Periods, 0, 1);
    refuse(&|s| s.words[0] = vec![0, 4, 0], Kind::OutOfRange, What::Motions, 1, 0);
    refuse(&|s| s.words[1] = vec![0], Kind::Mismatch, What::Groups, 0, 0);
    refuse(&|s| s.radii.truncate(2), Kind::Mismatch, What::Radii, 0, 0);
    // The third component of discs is ignored, so it may be NaN.
    let mut discs = good.clone().within(Dimensions::Two, [0.0; 3]);
    discs.centres[1][2] = f64::NAN;
    assert_eq!(brute(&discs.query(), &mut [Candidate::default(); 9]), Ok(2));
}

#[test]
fn static_bodies_meet_only_what_is_dynamic_and_groups_must_agree_both_ways() {
    let centres = [[0.0f64; 3]; 4];
    let bodies = Proxies::new(Array::from_f64(&centres), Array::from_numbers(&[1.0; 4]));
    let pairs = |bodies| {
        let query = Query { bodies, space: Space::OPEN, margin: 0.0 };
        answer(|out| brute(&query, out)).iter().map(|c| (c.a, c.b)).collect::<Vec<_>>()
    };
    let motions = Some(Words::from_slice(&[2, 2, 1, 0]));
    assert_eq!(pairs(Proxies { motions, ..bodies }), [(0, 3), (1, 3), (2, 3)]);
    let (groups, masks) = (Some(Words::from_slice(&[1, 2, 1, 3])), Some(Words::from_slice(&[2, 1, 1, 1])));
    assert_eq!(pairs(Proxies { groups, masks, ..bodies }), [(0, 1), (0, 3), (2, 3)]);
}
