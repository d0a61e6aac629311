//! The tree of boxes finds what brute force finds, whatever the boxes, the bodies and the space.

use dem_core::broad::{BoxCandidate, BoxTree, BoxTreeSizes, Dimensions, Space, boxes_brute};
use dem_core::error::{Error, Kind, What};
use dem_core::exec::{Executor, Serial};
use dem_core::simd::Isa;
use dem_std::Threads;
use dem_tests::bodies::{self, Scene};
use dem_tests::huge::{Huge, Tree};
use dem_tests::random::Random;

const INFINITE: f64 = f64::INFINITY;

fn answer(mut ask: impl FnMut(&mut [BoxCandidate]) -> Result<usize, Error>) -> Vec<BoxCandidate> {
    let needed = match ask(&mut []) {
        Ok(count) => count,
        Err(e) if e.kind == Kind::Capacity && e.what == What::Output => e.needed as usize,
        Err(e) => panic!("{e}"),
    };
    let mut list = vec![BoxCandidate::default(); needed];
    assert_eq!(ask(&mut list), Ok(needed));
    list
}

/// Compares the tree with brute force, with every instruction set, on one thread and on several. Gives the number of
/// pairs.
fn agrees(scene: &Scene, huge: &Huge) -> usize {
    let mut tree = Tree::new(huge.low.len(), scene.centres.len());
    tree.rebuild(&scene.space, huge).unwrap_or_else(|e| panic!("{}: {e}", scene.name));
    answers(scene, huge, &mut tree)
}

fn answers(scene: &Scene, huge: &Huge, tree: &mut Tree) -> usize {
    let query = scene.query();
    let right = answer(|out| boxes_brute(&query, &huge.boxes(), out));
    let three = Threads::new(3).unwrap();
    let mut first: Option<Vec<BoxCandidate>> = None;
    for isa in Isa::list() {
        for exec in [&Serial as &dyn Executor, &three] {
            let found = answer(|out| tree.pairs(*isa, exec, &query, huge, out));
            let first = first.get_or_insert_with(|| found.clone());
            assert_eq!(&found, first, "{} {}", scene.name, isa.name());
        }
    }
    let mut found = first.unwrap();
    assert!(found.is_sorted_by_key(|c| c.body));
    found.sort_unstable();
    assert_eq!(found, right, "{}", scene.name);
    right.len()
}

const SPACES: [(Dimensions, [f64; 3]); 6] = [
    (Dimensions::Three, [0.0; 3]),
    (Dimensions::Two, [0.0; 3]),
    (Dimensions::Three, [24.0; 3]),
    (Dimensions::Three, [0.0, 23.0, 24.0]),
    (Dimensions::Two, [20.0, 0.0, 0.0]),
    (Dimensions::Three, [7.0, 0.0, 5.0]),
];

#[test]
fn brute_force_finds_what_the_plainest_loop_finds() {
    let mut random = Random::new(31);
    for (dimensions, periods) in SPACES {
        let scene = bodies::power_law(60, [24.0; 3], -3.0, 5.0, &mut random).within(dimensions, periods).margin(0.125);
        let mut huge = Huge::random(30, 24.0, 15.0, &mut random);
        // Wherever an axis is open there may be no end, and along a periodic axis no ends.
        for (axis, period) in periods.into_iter().enumerate() {
            huge.low[axis][axis] = -INFINITE;
            huge.high[axis][axis] = INFINITE;
            if period == 0.0 {
                huge.high[3 + axis][axis] = INFINITE;
                huge.low[6 + axis][axis] = -INFINITE;
            }
        }
        let list = |scene: &Scene, huge: &Huge| answer(|out| boxes_brute(&scene.query(), &huge.boxes(), out));
        let all = list(&scene, &huge);
        assert_eq!(all, huge.slow(&scene, 9), "{}", scene.name);
        let (scene, huge) = (scene.filtered(&mut random), huge.filtered(&mut random));
        let some = list(&scene, &huge);
        assert_eq!(some, huge.slow(&scene, 9), "{}", scene.name);
        assert!(!some.is_empty() && some.len() < all.len(), "{} of {}", some.len(), all.len());
    }
}

#[test]
fn the_tree_agrees_with_brute_force_in_all_spaces() {
    let mut random = Random::new(32);
    for (dimensions, periods) in SPACES {
        for boxes in [1, 5, 16, 17, 200, 600] {
            let scene = bodies::power_law(150, [24.0; 3], -3.0, 6.0, &mut random).within(dimensions, periods);
            let scene = scene.margin(if boxes % 2 == 0 { 0.25 } else { 0.0 });
            let mut huge = Huge::random(boxes, 24.0, if boxes > 100 { 1.0 } else { 9.0 }, &mut random);
            assert!(agrees(&scene, &huge) > 0);
            // Grounds, rods and spaces without end, among others.
            for (axis, i) in [(0, 0), (1, boxes / 2), (2, boxes - 1)] {
                (huge.low[i][axis], huge.high[i][axis]) = (-INFINITE, INFINITE);
            }
            agrees(&scene, &huge);
            agrees(&scene.filtered(&mut random), &huge.filtered(&mut random));
        }
    }
}

#[test]
fn thousands_of_bodies_meet_boxes_as_by_brute_force() {
    let mut random = Random::new(35);
    for (dimensions, periods) in [SPACES[0], (Dimensions::Three, [24.0, 0.0, 24.0])] {
        let scene = bodies::power_law(2_500, [24.0; 3], -3.0, 3.0, &mut random).within(dimensions, periods);
        let huge = Huge::random(60, 24.0, 12.0, &mut random);
        let found = agrees(&scene, &huge);
        assert!(found > 1_000, "{found}");
    }
}

#[test]
fn boxes_in_boxes_all_in_one_place_points_and_walls() {
    let mut random = Random::new(33);
    let scene = bodies::power_law(200, [24.0; 3], -2.0, 8.0, &mut random);
    let nested: Vec<_> = (0..40).map(|i| [[0.25 * i as f64; 3], [24.0 - 0.25 * i as f64; 3]]).collect();
    let equal = vec![[[5.0; 3], [6.0; 3]]; 70];
    let points: Vec<_> = (0..100).map(|_| [0; 3].map(|_| random.range(0.0, 24.0))).map(|p| [p, p]).collect();
    let mut walls = Huge::random(300, 24.0, 0.5, &mut random);
    for axis in 0..3 {
        for at in [0.0, 24.0] {
            let (mut low, mut high) = ([-INFINITE; 3], [INFINITE; 3]);
            (low[axis], high[axis]) = (at, at);
            walls.low.push(low);
            walls.high.push(high);
        }
    }
    for space in [[0.0; 3], [24.0; 3], [0.0, 25.0, 0.0]] {
        let scene = scene.clone().within(Dimensions::Three, space);
        for sides in [&nested, &equal, &points] {
            assert!(agrees(&scene, &Huge::new(sides)) > 0);
        }
        assert!(agrees(&scene, &walls) > 0);
    }
    let everywhere = Huge::new(&[[[-INFINITE; 3], [INFINITE; 3]]; 3]);
    assert_eq!(agrees(&scene.clone().within(Dimensions::Three, [7.0; 3]), &everywhere), 600);
    assert_eq!(agrees(&scene, &Huge::new(&[])), 0);
    assert_eq!(agrees(&Scene::new("none", vec![], vec![]), &walls), 0);
}

#[test]
fn touching_counts_near_and_far_from_the_origin() {
    for origin in [0.0, 3.0, 1e6, 1e12] {
        // A ground at the height of the lowest centres less a radius, a wall that ends at an edge, a point.
        let scene = bodies::lattice(4, 2.0, origin);
        let side = |low: f64, high: f64| [origin + low, origin + high];
        let [ground, wall] = [side(-4.0, -1.0), side(7.0, 9.0)];
        let huge = Huge::new(&[
            [[-INFINITE, -INFINITE, ground[0]], [INFINITE, INFINITE, ground[1]]],
            [[wall[0], origin, -INFINITE], [wall[1], origin + 2.0, INFINITE]],
            [[origin + 3.0, origin, origin]; 2],
        ]);
        // 16 on the ground; 4 heights of 2 of a column; the spheres at 2 and 4 around 3.
        assert_eq!(agrees(&scene, &huge), 16 + 8 + 2, "{origin}");
    }
    let mut apart = bodies::lattice(4, 2.0, 0.0);
    apart.centres.iter_mut().for_each(|c| c[2] += f64::EPSILON);
    assert_eq!(agrees(&apart, &Huge::new(&[[[-INFINITE; 3], [INFINITE, INFINITE, -1.0]]])), 0);
    let far = Scene::new("far", vec![[1e100, 0.0, 0.0], [-1e100, 1.0, 1.0], [0.0; 3]], vec![1.0, 2e100, 1.0]);
    let huge = Huge::new(&[[[1e100, -1.0, -1.0], [2e100, 1.0, 1.0]], [[-0.5; 3], [0.5; 3]]]);
    assert_eq!(agrees(&far, &huge), 1 + 2 + 1);
}

#[test]
fn boxes_wider_than_the_period_meet_a_body_with_each_image() {
    let scene = Scene::new("wide", vec![[0.5, 0.0, 0.0], [-7.25, 0.0, 0.0]], vec![0.25, 0.25]);
    let scene = scene.within(Dimensions::Three, [1.0, 0.0, 0.0]);
    let long = Huge::new(&[[[0.0, -1.0, -1.0], [3.5, 1.0, 1.0]]]);
    // Images that begin within 3.75 before the body and 0.25 behind it.
    assert_eq!(agrees(&scene, &long), 4 + 5);
    assert_eq!(agrees(&scene, &Huge::new(&[[[-INFINITE, -1.0, -1.0], [INFINITE, 1.0, 1.0]]])), 2);
    let shifted = Huge::new(&[[[4000.0, -1.0, -1.0], [4064.0, 1.0, 1.0]]]);
    assert_eq!(agrees(&scene, &shifted), 64 + 66 - 1);
}

#[test]
fn a_tree_that_is_refitted_is_as_right_as_a_new_one() {
    let mut random = Random::new(34);
    for periods in [[0.0; 3], [30.0, 0.0, 30.0]] {
        let scene = bodies::power_law(120, [30.0; 3], -3.0, 8.0, &mut random).within(Dimensions::Three, periods);
        let mut huge = Huge::random(150, 30.0, 3.0, &mut random);
        let mut tree = Tree::new(200, 120);
        tree.rebuild(&scene.space, &huge).unwrap();
        for _ in 0..8 {
            for i in 0..150 {
                for (axis, d) in random.in_cube(4.0).into_iter().enumerate() {
                    huge.low[i][axis] += d;
                    huge.high[i][axis] += d;
                }
            }
            tree.refit(&scene.space, &huge).unwrap();
            assert!(answers(&scene, &huge, &mut tree) > 0);
        }
        let fewer = Huge::random(149, 30.0, 3.0, &mut random);
        assert_eq!(tree.refit(&scene.space, &fewer), Err(Error::new(Kind::Mismatch, What::BoxTree)));
        assert_eq!(tree.refit(&scene.space, &huge), Err(Error::new(Kind::Mismatch, What::BoxTree)));
    }
}

#[test]
fn bad_boxes_are_named_by_array_item_and_component() {
    let space = Space::new(Dimensions::Three, [10.0, 0.0, 0.0]);
    let good = Huge::new(&[[[0.0; 3], [1.0; 3]]; 3]);
    let refuse = |change: &dyn Fn(&mut Huge), kind, what, index, component| {
        let mut huge = good.clone();
        change(&mut huge);
        let mut tree = Tree::new(3, 0);
        let error = tree.rebuild(&space, &huge).unwrap_err();
        assert_eq!((error.kind, error.what, error.index, error.component), (kind, what, index, component), "{error}");
    };
    refuse(&|h| h.low[1][2] = f64::NAN, Kind::NotFinite, What::Lows, 1, 2);
    refuse(&|h| h.high[2][1] = f64::NAN, Kind::NotFinite, What::Highs, 2, 1);
    refuse(&|h| h.low[2][1] = INFINITE, Kind::NotFinite, What::Lows, 2, 1);
    refuse(&|h| h.high[0][1] = -INFINITE, Kind::NotFinite, What::Highs, 0, 1);
    refuse(&|h| h.low[1][0] = -INFINITE, Kind::NotFinite, What::Lows, 1, 0);
    refuse(&|h| h.high[1][0] = INFINITE, Kind::NotFinite, What::Highs, 1, 0);
    refuse(&|h| h.low[1][1] = 1.5, Kind::OutOfRange, What::Highs, 1, 1);
    refuse(&|h| h.low[1][1] = -1e200, Kind::OutOfRange, What::Lows, 1, 1);
    refuse(&|h| h.high[1][1] = 1e200, Kind::OutOfRange, What::Highs, 1, 1);
    refuse(&|h| h.low[0][0] = -40_961.0, Kind::OutOfRange, What::Lows, 0, 0);
    refuse(&|h| h.high[0][0] = 640.1, Kind::OutOfRange, What::Highs, 0, 0);
    refuse(&|h| h.words[0] = vec![0, 4, 0], Kind::OutOfRange, What::Motions, 1, 0);
    refuse(&|h| h.words[1] = vec![0], Kind::Mismatch, What::Groups, 0, 0);
    refuse(&|h| h.high.truncate(2), Kind::Mismatch, What::Highs, 0, 0);
    let mut discs = good.clone();
    discs.low[0][2] = f64::NAN;
    assert_eq!(Tree::new(3, 0).rebuild(&Space::PLANE, &discs), Ok(()));
    assert_eq!(Tree::new(2, 0).rebuild(&space, &good), Err(Error::capacity(What::BoxTree, 3, 2)));
}

#[test]
fn bad_bodies_short_memory_and_other_spaces_are_errors() {
    let scene = bodies::lattice(13, 2.0, 0.0);
    let huge = Huge::new(&[[[-INFINITE; 3], [INFINITE, INFINITE, -1.0]]]);
    let mut tree = Tree::new(1, scene.centres.len());
    let mut out = vec![BoxCandidate::default(); 168];
    let three = Threads::new(3).unwrap();
    for exec in [&Serial as &dyn Executor, &three] {
        let mut ask = |scene: &Scene, tree: &mut Tree| tree.pairs(Isa::best(), exec, &scene.query(), &huge, &mut out);
        tree.rebuild(&scene.space, &huge).unwrap();
        assert_eq!(ask(&scene, &mut tree), Err(Error::capacity(What::Output, 169, 168)));
        let mut bad = scene.clone();
        bad.centres[2000][1] = f64::NAN;
        assert_eq!(ask(&bad, &mut tree), Err(Error::new(Kind::NotFinite, What::Centres).at(2000, 1)));
        bad.centres[1999][2] = 1e200;
        assert_eq!(ask(&bad, &mut tree), Err(Error::new(Kind::OutOfRange, What::Centres).at(1999, 2)));
        let mut bad = scene.clone();
        bad.radii[5] = -1.0;
        assert_eq!(ask(&bad, &mut tree), Err(Error::new(Kind::OutOfRange, What::Radii).at(5, 0)));
        let other = scene.clone().within(Dimensions::Three, [0.0, 0.0, 100.0]);
        assert_eq!(ask(&other, &mut tree), Err(Error::new(Kind::Mismatch, What::BoxTree)));
        let error = tree.rebuild(&Space::new(Dimensions::Three, [1.0; 3]), &huge).unwrap_err();
        assert_eq!((error.kind, error.what, error.component), (Kind::NotFinite, What::Lows, 2));
        assert_eq!(ask(&scene, &mut tree), Err(Error::new(Kind::Mismatch, What::BoxTree)));
    }
    assert!(BoxTree::layout(&BoxTreeSizes { boxes: 100_000 }).unwrap().size <= 3_100_000);
}
