//! The hierarchical grid finds what brute force finds, whatever the scene, the cells and the direction.

use dem_core::broad::{Candidate, Dimensions, Direction, HGrid, HGridSizes, brute, hgrid_scratch};
use dem_core::error::{Error, Kind, What};
use dem_core::exec::Executor;
use dem_core::simd::Isa;
use dem_std::Threads;
use dem_tests::bodies::{self, Grid, Scene, answer, sorted};
use dem_tests::cases;
use dem_tests::data;
use dem_tests::random::Random;

const DIRECTIONS: [Direction; 2] = [Direction::TopDown, Direction::BottomUp];

/// By brute force and by grids of several sizes; gives the number of pairs.
fn agrees(scene: &Scene, sizes: &[&[f64]]) -> usize {
    let query = scene.query();
    let right = answer(|out| brute(&query, out));
    for sizes in sizes {
        let mut grid = Grid::new(scene.centres.len(), 8);
        grid.rebuild(&query, sizes).unwrap_or_else(|e| panic!("{}: {e}", scene.name));
        for direction in DIRECTIONS {
            let mut first: Option<Vec<Candidate>> = None;
            for isa in Isa::list() {
                let found = answer(|out| grid.pairs(*isa, &query, direction, out));
                let first = first.get_or_insert_with(|| found.clone());
                assert!(found == *first, "{} {}", scene.name, isa.name());
            }
            let found = sorted(first.unwrap_or_default());
            let missing = right.iter().find(|c| found.binary_search(c).is_err());
            assert_eq!(missing, None, "{} {sizes:?} {direction:?} misses", scene.name);
            assert_eq!(found.len(), right.len(), "{} {sizes:?} {direction:?}", scene.name);
        }
    }
    right.len()
}

const SPACES: [(Dimensions, [f64; 3]); 6] = [
    (Dimensions::Three, [0.0; 3]),
    (Dimensions::Two, [0.0; 3]),
    (Dimensions::Three, [24.0, 24.0, 24.0]),
    (Dimensions::Three, [0.0, 30.0, 24.0]),
    (Dimensions::Two, [24.0, 27.0, 0.0]),
    (Dimensions::Two, [24.0, 0.0, 0.0]),
];

#[test]
fn random_bodies_in_all_spaces() {
    let mut random = Random::new(3);
    for (dimensions, periods) in SPACES {
        for alpha in [-3.0, 0.0] {
            let scene = bodies::power_law(400, [24.0; 3], alpha, 6.0, &mut random).within(dimensions, periods);
            let margin = if alpha == 0.0 { 0.25 } else { 0.0 };
            let found = agrees(&scene.margin(margin), &[&[], &[12.5], &[2.5, 5.0, 12.5], &[3.0, 3.5, 4.0, 13.0]]);
            assert!(found > 200, "{found}");
        }
    }
}

#[test]
fn clusters_lattices_and_single_cells() {
    let mut random = Random::new(4);
    let clustered = bodies::clusters(300, 7, 3.0, 1e4, &mut random);
    assert!(agrees(&clustered, &[&[], &[3.0], &[1.5, 2.0, 3.0]]) > 300);
    for (spacing, origin) in [(2.0, 0.0), (2.0, -3.0), (0.3, 0.1), (1e-9, 1.0), (1e30, -2e31)] {
        let lattice = bodies::lattice(5, spacing, origin);
        let found = agrees(&lattice, &[&[], &[spacing], &[1.7 * spacing]]);
        assert!(found > 50, "{found}");
        if origin == 0.0 {
            let closed = lattice.within(Dimensions::Three, [5.0 * spacing; 3]);
            assert_eq!(agrees(&closed, &[&[], &[spacing], &[2.5 * spacing]]), 3 * 125);
        }
    }
    let heap = Scene::new("all in one place", vec![[-7.0; 3]; 60], vec![1.0; 60]);
    assert_eq!(agrees(&heap, &[&[], &[2.0], &[100.0]]), 60 * 59 / 2);
    let points = Scene::new("points", vec![[3.0; 3], [3.0; 3], [4.0; 3]], vec![0.0; 3]);
    assert_eq!(agrees(&points, &[&[], &[1.0]]), 1);
}

/// Hits wait in a list of fixed length until they are written. In these crowds a cell fills it exactly to its end, and the one behind it in the grid's order
/// is the last one of a page, which must not find it full.
#[test]
fn no_pair_is_lost_where_waiting_hits_fill_their_list() {
    for (seed, bodies) in [(290_u64, 935), (908, 501), (3481, 766)] {
        let mut state = seed;
        let mut below = |m: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % m
        };
        let n = 300 + below(700) as usize;
        assert_eq!(n, bodies);
        let centres = (0..n).map(|_| [0.5 * below(6) as f64, 0.5 * below(6) as f64, 0.0]).collect();
        let crowd = Scene::new("a crowd on a lattice", centres, vec![1.0; n]);
        assert!(agrees(&crowd, &[&[]]) > 80_000);
    }
}

#[test]
fn far_from_the_origin_and_far_from_each_other() {
    let mut random = Random::new(5);
    // Whole numbers, so that neighbours touch exactly, 1e12 cell sizes away.
    for far in [1e6, 1e12, -1e12, 1e15] {
        let lattice = bodies::lattice(4, 2.0, far);
        assert_eq!(agrees(&lattice, &[&[], &[2.0], &[3.0]]), 3 * 4 * 4 * 3);
    }
    // Few bodies in a space of 2^40 cells along each axis: keys that are hashes.
    let mut sparse = bodies::clusters(200, 40, 2.0, 1e12, &mut random);
    sparse.centres.extend([[1e12, -1e12, 0.0], [-1e12, 1e12, 1e12]]);
    sparse.radii.extend([1.0, 1.0]);
    assert!(agrees(&sparse, &[&[3.0], &[1.5, 2.0, 3.0], &[]]) > 100);
    let sparse = sparse.within(Dimensions::Three, [0.0, 2.5e12, 0.0]);
    assert!(agrees(&sparse, &[&[3.0], &[2.0, 3.0]]) > 100);
}

/// The chosen cell sizes do not depend on a single body.
#[test]
fn one_body_far_away_or_huge_leaves_the_cells_of_the_others_small() {
    let mut random = Random::new(15);
    let scene = bodies::power_law(4_000, [40.0; 3], -3.0, 20.0, &mut random);
    let work = |scene: &Scene| {
        let query = scene.query();
        let mut grid = Grid::new(scene.centres.len(), 32);
        grid.rebuild(&query, &[]).unwrap();
        let counted = grid.count(&query, Direction::TopDown, [40.0; 3]).unwrap();
        (grid.view().levels().len(), counted.same + counted.cross)
    };
    let (levels, candidates) = work(&scene);
    assert!(levels >= 3);
    for (centre, radius) in [([1e9, -1e9, 1e9], 1.0), ([-1e6, 0.0, 0.0], 9e5)] {
        let mut scene = scene.clone();
        scene.centres.push(centre);
        scene.radii.push(radius);
        let (more_levels, more) = work(&scene);
        assert!(more_levels >= 3 && more < 3 * candidates, "{more_levels} {levels} {more} {candidates}");
    }
}

#[test]
fn huge_ratios_of_size() {
    let mut random = Random::new(6);
    let mut scene = bodies::power_law(300, [50.0; 3], -2.0, 3.0, &mut random);
    for radius in [1e3, 1e6, 1e25] {
        scene.centres.push([radius + 20.0, 25.0, 25.0]);
        scene.radii.push(radius);
    }
    let sizes: [&[f64]; 3] = [&[], &[2.5, 6.0, 2e3], &[6.0, 2e25]];
    let all = agrees(&scene, &sizes);
    assert!(all > 300);
    let wanted = agrees(&scene.clone().filtered(&mut random), &sizes);
    assert!(wanted > 50 && wanted < all, "{wanted} of {all}");
    let scene = bodies::power_law(40, [8.0; 3], 0.0, 5.0, &mut random);
    for periods in [[8.0, 0.0, 0.0], [8.0, 5.0, 8.0]] {
        let scene = scene.clone().within(Dimensions::Three, periods);
        let found = agrees(&scene, &[&[], &[2.5, 10.0], &[4.0, 10.0]]);
        assert!(found > 40 * 39 / 2, "{found}");
    }
}

#[test]
fn bodies_outside_of_the_box_and_unwanted_pairs() {
    let mut random = Random::new(7);
    let mut scene = bodies::power_law(300, [20.0; 3], -1.0, 3.0, &mut random);
    let inside = scene.clone().within(Dimensions::Three, [20.0, 20.0, 0.0]);
    for centre in &mut scene.centres {
        for x in &mut centre[..2] {
            *x += 20.0 * (random.below(7) as f64 - 3.0);
        }
    }
    let scene = scene.within(Dimensions::Three, [20.0, 20.0, 0.0]);
    let found = agrees(&scene, &[&[], &[3.0, 6.0]]);
    assert!(found.abs_diff(agrees(&inside, &[&[]])) < 3);
    assert!(agrees(&scene.filtered(&mut random), &[&[], &[3.0, 6.0]]) < found);
}

#[test]
fn few_bodies_and_short_memory() {
    for n in 0..3 {
        let scene = Scene::new("few", vec![[1.0; 3]; n], vec![1.0; n]);
        assert_eq!(agrees(&scene, &[&[], &[2.0]]), n.saturating_sub(1));
    }
    let scene = bodies::lattice(4, 2.0, 0.0);
    let query = scene.query();
    let mut grid = Grid::new(64, 2);
    let mut out = vec![Candidate::default(); 143];
    let empty = grid.pairs(Isa::best(), &query, Direction::TopDown, &mut out).unwrap_err();
    assert_eq!(empty, Error::new(Kind::Mismatch, What::Grid));
    grid.rebuild(&query, &[2.0]).unwrap();
    let short = grid.pairs(Isa::best(), &query, Direction::TopDown, &mut out).unwrap_err();
    assert_eq!(short, Error::capacity(What::Output, 144, 143));
    assert_eq!(grid.rebuild(&query, &[1.0, 1.5, 2.0]), Err(Error::capacity(What::CellSizes, 3, 2)));
    assert_eq!(grid.rebuild(&query, &[2.0, 1.0]), Err(Error::new(Kind::OutOfRange, What::CellSizes).at(1, 0)));
    assert_eq!(grid.rebuild(&query, &[f64::NAN]), Err(Error::new(Kind::NotFinite, What::CellSizes)));
    let mut bad = scene.clone();
    bad.centres[40][1] = f64::INFINITY;
    assert_eq!(grid.rebuild(&bad.query(), &[2.0]), Err(Error::new(Kind::NotFinite, What::Centres).at(40, 1)));
    let large = bodies::lattice(5, 2.0, 0.0);
    assert_eq!(grid.rebuild(&large.query(), &[2.0]), Err(Error::capacity(What::Grid, 125, 64)));
}

#[test]
fn levels_hold_the_bodies_that_fit_and_memory_is_what_was_promised() {
    let mut random = Random::new(8);
    let scene = bodies::power_law(2000, [60.0; 3], -3.0, 10.0, &mut random);
    let mut grid = Grid::new(2000, 3);
    let sizes = [4.0, 9.0, 10.0];
    grid.rebuild(&scene.query(), &sizes).unwrap();
    let view = grid.view();
    let largest = 2.0 * scene.radii.iter().fold(0.0, |a: f64, b| a.max(*b));
    for (l, level) in view.levels().iter().enumerate() {
        assert_eq!(level.size, if l == 2 { largest } else { sizes[l] });
        let below = if l == 0 { 0.0 } else { sizes[l - 1] };
        let right = scene.radii.iter().filter(|r| 2.0 * **r > below && 2.0 * **r <= level.size).count();
        assert_eq!(level.bodies(), right);
    }
    let mut order = view.order().to_vec();
    order.sort_unstable();
    assert!(order.into_iter().eq(0..2000));
    let sizes = HGridSizes { bodies: 1_000_000, levels: 8 };
    assert!(HGrid::layout(&sizes).unwrap().size <= 32_000_000);
    assert!(hgrid_scratch(1_000_000).unwrap().size <= 32_000_000);
}

/// Threads of its own, some of whose threads are called by another number, twice or not at all.
struct Faulty;

impl Executor for Faulty {
    fn width(&self) -> usize {
        5
    }

    fn run(&self, threads: usize, thread: &(dyn Fn(usize) + Sync)) {
        std::thread::scope(|scope| {
            for i in [1, 1, threads + 7] {
                scope.spawn(move || thread(i));
            }
        });
    }
}

#[test]
fn neither_grid_nor_pairs_depend_on_the_executor() {
    let mut random = Random::new(9);
    let pools = cases(&[2, 3][..], &[1, 2, 3, 8]);
    let pools: Vec<Threads> = pools.iter().map(|&threads| Threads::new(threads).unwrap()).collect();
    let executors = pools.iter().map(|pool| pool as &dyn Executor).chain([&Faulty as &dyn Executor]);
    let executors: Vec<_> = executors.collect();
    let n = 70_000;
    let mut scenes = vec![
        bodies::power_law(n, [200.0; 3], -3.0, 10.0, &mut random),
        bodies::power_law(n, [110.0, 110.0, 30.0], 0.0, 4.0, &mut random)
            .within(Dimensions::Three, [0.0, 110.0, 30.0])
            .filtered(&mut random),
        bodies::clusters(n, 700, 9.0, 1e12, &mut random),
    ];
    // All but some bodies in one bucket, and bodies that are tested against all others of a level.
    scenes.push(scenes[0].clone());
    scenes[3].centres[n - 1] = [1e5, -1e5, 2e5];
    scenes[3].centres[n - 3..n - 1].fill([3e3, 0.0, 0.0]);
    scenes[3].radii[n - 3..n - 1].fill(2.9e3);
    for (scene, sizes) in scenes.iter().zip([&[][..], &[4.0, 8.0], &[3.0], &[2.5, 6.0, 20.0, 4e3]]) {
        let query = scene.query();
        let mut grid = Grid::new(n, 8);
        grid.rebuild(&query, sizes).unwrap();
        let right = answer(|out| grid.pairs(Isa::best(), &query, Direction::TopDown, out));
        assert!(right.len() > n / 4, "{} {}", scene.name, right.len());
        let (order, levels) = (grid.view().order().to_vec(), grid.view().levels().to_vec());
        for (e, exec) in executors.iter().enumerate() {
            let mut other = Grid::new(n, 8);
            other.rebuild_by(*exec, &query, sizes).unwrap();
            assert!(order == other.view().order() && levels == other.view().levels(), "{} {e}", scene.name);
            for room in [right.len(), right.len() + n, 9 * right.len(), right.len() / 3, 0, right.len() - 1] {
                let mut out = vec![Candidate::default(); room];
                let found = other.pairs_by(*exec, Isa::best(), &query, Direction::TopDown, &mut out);
                if room < right.len() {
                    let error = Error::capacity(What::Output, right.len() as u64, room as u64);
                    assert_eq!(found, Err(error), "{} {e}", scene.name);
                } else {
                    assert_eq!(found, Ok(right.len()), "{} {e} {room}", scene.name);
                    assert!(out[..right.len()] == right, "{} {e} {room}", scene.name);
                }
            }
        }
        let mut bad = scene.clone();
        (bad.centres[40_000][1], bad.centres[60_000][0]) = (f64::NAN, f64::INFINITY);
        for exec in &executors {
            let error = Error::new(Kind::NotFinite, What::Centres).at(40_000, 1);
            assert_eq!(grid.rebuild_by(*exec, &bad.query(), sizes), Err(error));
        }
    }
}

/// Own particles, cell sizes and counts of slow Python; `tests/data/hgrid` says how they are defined.
#[test]
fn pairs_and_counts_are_those_of_the_reference() {
    let cases = data::json("hgrid/counts.json");
    for case in cases["cases"].as_array().unwrap() {
        let (name, d) = (case["name"].as_str().unwrap(), case["d"].as_u64().unwrap() as usize);
        let rows = data::numbers(&format!("hgrid/particles_{name}.f64le"));
        let centres = rows.chunks_exact(d + 1).map(|r| [r[1], r[2], r.get(3).copied().unwrap_or(0.0)]).collect();
        let scene = Scene::new(name, centres, rows.chunks_exact(d + 1).map(|r| r[0]).collect());
        let dimensions = if d == 2 { Dimensions::Two } else { Dimensions::Three };
        let a = case["A"].as_f64().unwrap();
        for run in case["runs"].as_array().unwrap() {
            let periodic = run["periodic"].as_bool().unwrap();
            let scene = scene.clone().within(dimensions, if periodic { [a; 3] } else { [0.0; 3] });
            let top_down = run["direction"] == "TD";
            let direction = if top_down { Direction::TopDown } else { Direction::BottomUp };
            let sizes: Vec<f64> = run["sizes"].as_array().unwrap().iter().map(|s| s.as_f64().unwrap()).collect();
            let mut grid = Grid::new(scene.centres.len(), sizes.len());
            grid.rebuild(&scene.query(), &sizes).unwrap();
            let found = sorted(answer(|out| grid.pairs(Isa::best(), &scene.query(), direction, out)));
            let kind = if periodic { "per" } else { "box" };
            let right = data::bytes(&format!("hgrid/overlaps_{name}_{kind}.u32le"));
            let right = right.chunks_exact(4).map(|b| u32::from_le_bytes(b.try_into().unwrap()));
            assert!(found.iter().flat_map(|c| [c.a, c.b]).eq(right), "{name} {kind} {direction:?}");
            let counters = grid.count(&scene.query(), direction, [a; 3]).unwrap();
            let number = |field: &str| run[field].as_u64().unwrap();
            assert_eq!(counters.same, number("candidates_same"), "{run}");
            assert_eq!(counters.cross, number("candidates_cross"), "{run}");
            assert_eq!(counters.accesses, number("access_all"), "{run}");
            assert_eq!(counters.inside, number("access_in"), "{run}");
            assert_eq!(counters.occupied, number("access_occ"), "{run}");
        }
    }
}

/// What a grid chose, expected and came to is what can be counted, on one thread and on several.
#[test]
fn a_report_tells_levels_and_tests_that_were_expected_and_came() {
    let mut random = Random::new(21);
    let threads = Threads::new(3).unwrap();
    for omega in [1.0, 10.0, 100.0] {
        let edge = 50.0 * omega;
        let scene = bodies::power_law(20_000, [edge; 3], -3.0, omega, &mut random);
        let query = scene.query();
        let mut grid = Grid::new(20_000, 8);
        grid.rebuild(&query, &[]).unwrap();
        let searched = grid.search_by(&dem_core::exec::Serial, &query).unwrap();
        assert_eq!(grid.search_by(&threads, &query).unwrap(), searched);
        let counted = grid.count(&query, Direction::TopDown, [edge; 3]).unwrap();
        let counted = (counted.same + counted.cross) as f64;
        assert!((searched.tested as f64 / counted - 1.0).abs() < 1e-3, "{omega}: {searched:?} and not {counted}");
        let report = grid.view().report(&searched);
        println!("{omega}: {} levels, {} expected, {} tested", report.count, report.expected, report.tested);
        assert_eq!(report.tested, searched.tested as f64 / 20_000.0);
        assert!((0.6..1.6).contains(&(report.expected / report.tested)), "{omega}: {report:?}");
        let levels = grid.view().levels();
        assert_eq!(report.count as usize, levels.len());
        assert!(report.levels.iter().zip(levels).all(|(x, y)| (x.size, x.bodies) == (y.size, y.bodies() as u64)));
        assert_eq!(report.levels.iter().map(|level| level.bodies).sum::<u64>(), 20_000);
        // Nothing is expected of sizes that a host gives.
        grid.rebuild(&query, &[3.0 * omega]).unwrap();
        assert_eq!((grid.view().report(&searched).expected, grid.view().report(&searched).count), (0.0, 1));
    }
}

/// Cells are as wide as bodies are sparse, and as narrow as they are dense, wherever the others are.
#[test]
fn chosen_cells_hold_about_six_bodies_however_these_lie() {
    let mut random = Random::new(22);
    let gas = bodies::power_law(20_000, [1000.0; 3], 0.0, 1.01, &mut random);
    let heaps = bodies::clusters(50_000, 100, 6.0, 1e4, &mut random);
    for (name, scene, most) in [("gas", &gas, 120.0), ("heaps", &heaps, 250.0)] {
        let mut grid = Grid::new(scene.radii.len(), 8);
        grid.rebuild(&scene.query(), &[]).unwrap();
        let tested = grid.search_by(&dem_core::exec::Serial, &scene.query()).unwrap().tested as f64;
        let (tested, size) = (tested / scene.radii.len() as f64, grid.view().levels()[0].size);
        println!("{name}: {tested} tests a body, cells of {size}");
        assert!(tested < most, "{name}: {tested} tests a body, cells of {size}");
        assert!(name == "heaps" || size > 40.0, "{size}");
    }
}
