//! All broad phases agree for any bodies: they find the pairs of brute force, or report the same wrong body.

use dem_core::broad::{Candidate, Dimensions, Direction, Query, brute};
use dem_core::error::{Kind, Result, What};
use dem_core::exec::Serial;
use dem_core::published::spacetree::{Refinement, SpaceTree, SpaceTreeRef, SpaceTreeSizes, spacetree_scratch};
use dem_core::simd::Isa;
use dem_std::Memory;
use dem_tests::bodies::{Grid, Scene, answer, sorted};
use dem_tests::live::Live;
use dem_tests::random::Random;
use proptest::prelude::*;

/// Kinds of coordinates: coinciding, far apart, or random bits.
const SORTS: usize = 7;

fn number(sort: usize, random: &mut Random) -> f64 {
    match sort {
        0 => random.range(-3.0, 3.0),
        1 => random.below(5) as f64 - 2.0,
        2 => 0.0,
        3 => random.range(-1.0, 1.0) * 10f64.powi(random.below(30) as i32 - 12),
        4 => [1e12, -1e12, 0.0][random.below(3)] + random.below(3) as f64,
        5 => random.below(2) as f64 * 1e120 + random.range(0.0, 1.0),
        _ => f64::from_bits(random.bits()),
    }
}

fn scene(sort: usize, n: usize, seed: u64) -> Scene {
    let mut random = Random::new(seed);
    let centres = (0..n).map(|_| [0; 3].map(|_| number(sort, &mut random))).collect();
    // Any bits are rarely positive numbers, and rarely of the size of others.
    let size = if sort == 6 { [0, 1, 3, 6][random.below(4)] } else { random.below(sort + 1) };
    let radii = (0..n).map(|_| [0.0, 0.5, 1.0, number(size, &mut random).abs()][random.below(4)]).collect();
    let mut scene = Scene::new(&format!("sort {sort}, {n} bodies, seed {seed}"), centres, radii);
    scene.margin = [0.0, 0.25][random.below(2)];
    let dimensions = [Dimensions::Three, Dimensions::Two][random.below(2)];
    let periods = [0; 3].map(|_| [0.0, 0.0, 1.5, 6.0, 1e3][random.below(5)]);
    let scene = scene.within(dimensions, periods);
    if random.below(2) == 0 { scene } else { scene.filtered(&mut random) }
}

/// The pairs in order, or what is wrong with the query.
fn pairs(mut ask: impl FnMut(&mut [Candidate]) -> Result<usize>) -> Result<Vec<Candidate>> {
    match ask(&mut []) {
        Err(error) if error.kind != Kind::Capacity || error.what != What::Output => Err(error),
        _ => Ok(sorted(answer(ask))),
    }
}

fn by_spacetree(query: &Query<'_>, refinement: Refinement) -> Result<Vec<Candidate>> {
    let sizes = SpaceTreeSizes { bodies: query.bodies.len() as u32, cells: 20_000 };
    let mut block = Memory::new(SpaceTree::layout(&sizes)?)?;
    let mut scratch = Memory::new(spacetree_scratch(sizes.bodies, sizes.cells)?)?;
    let mut tree = SpaceTree::init(&mut block, &sizes)?;
    tree.begin([-4.0; 3], 9.0)?;
    for _ in 0..3 {
        tree.update(query, refinement, &mut scratch)?;
    }
    pairs(|out| SpaceTreeRef::peek(&block)?.pairs(query, out))
}

fn by_grid(query: &Query<'_>, cells: &[f64]) -> Result<Vec<Candidate>> {
    let mut grid = Grid::new(query.bodies.len(), 5);
    grid.rebuild(query, cells)?;
    pairs(|out| grid.pairs(Isa::best(), query, Direction::BottomUp, out))
}

/// The pairs of a live grid that was built from `before` and updated to `now`.
fn by_changes(before: &Scene, now: &Scene) -> Result<Vec<Candidate>> {
    let n = now.centres.len();
    let mut live = Live::new(n.max(before.centres.len()), 5, n);
    live.rebuild(&Serial, &before.query(), &[])?;
    let query = now.query();
    let changed: Vec<u32> = (0..n as u32).collect();
    if live.update(&query, &changed)?.full {
        live.rebuild(&Serial, &query, &[])?;
    }
    pairs(|out| live.pairs(&Serial, Isa::best(), &query, Direction::TopDown, out))
}

fn agree(sort: usize, n: usize, seed: u64) -> std::result::Result<(), TestCaseError> {
    let scene = scene(sort, n, seed);
    let query = scene.query();
    let right = pairs(|out| brute(&query, out));
    prop_assert_eq!(&by_grid(&query, &[]), &right);
    prop_assert_eq!(&by_grid(&query, &[0.5, 1.0, 7.0]), &right);
    for refinement in [Refinement::Regular, Refinement::Adaptive, Refinement::Reluctant] {
        prop_assert_eq!(&by_spacetree(&query, refinement), &right);
    }
    // Starts from fewer or more bodies at random positions.
    let mut before = scene.clone();
    let mut random = Random::new(seed ^ 1);
    let m = random.below(n + 5);
    before.centres = (0..m).map(|_| random.in_cube(3.0)).collect();
    before.radii = vec![0.5; m];
    before.words = [const { Vec::new() }; 3];
    if before.query().check().is_ok() {
        prop_assert_eq!(&by_changes(&before, &scene), &right);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn all_broad_phases_agree_on_any_bodies(sort in 0..SORTS, n in 0usize..40, seed: u64) {
        agree(sort, n, seed)?;
    }
}

/// Bodies so far apart that cells are longer than a period by more than an integer can tell.
#[test]
fn cells_may_be_astronomically_longer_than_a_period() {
    agree(5, 2, 4124281281456683801).unwrap();
}
