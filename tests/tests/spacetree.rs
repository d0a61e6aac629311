//! The spacetree finds what brute force finds, whatever the scene and the variant, while bodies move, come and go.

use dem_core::broad::{Candidate, Dimensions, Query, brute};
use dem_core::error::{Error, Kind, Result, What};
use dem_core::published::spacetree::{Refinement, Report, SpaceTree, SpaceTreeRef, SpaceTreeSizes, spacetree_scratch};
use dem_std::Memory;
use dem_tests::bodies::{self, Scene, answer, sorted};
use dem_tests::random::Random;

const VARIANTS: [Refinement; 3] = [Refinement::Regular, Refinement::Adaptive, Refinement::Reluctant];

/// A tree and its memory.
struct Tree {
    block: Memory,
    scratch: Memory,
}

impl Tree {
    fn new(bodies: u32, cells: u32, low: [f64; 3], width: f64) -> Tree {
        let sizes = SpaceTreeSizes { bodies, cells };
        let mut block = Memory::new(SpaceTree::layout(&sizes).unwrap()).unwrap();
        let scratch = Memory::new(spacetree_scratch(bodies, cells).unwrap()).unwrap();
        SpaceTree::init(&mut block, &sizes).unwrap().begin(low, width).unwrap();
        Tree { block, scratch }
    }

    fn update(&mut self, query: &Query<'_>, refinement: Refinement) -> Result<Report> {
        SpaceTree::open(&mut self.block)?.update(query, refinement, &mut self.scratch)
    }

    fn view(&self) -> SpaceTreeRef<'_> {
        SpaceTreeRef::peek(&self.block).unwrap()
    }
}

/// After every one of several updates; gives the number of pairs.
fn agrees(scene: &Scene, low: [f64; 3], width: f64) -> usize {
    let query = scene.query();
    let right = answer(|out| brute(&query, out));
    for refinement in VARIANTS {
        let mut tree = Tree::new(scene.centres.len() as u32, 40_000, low, width);
        for turn in 0..5 {
            let report = tree.update(&query, refinement).unwrap_or_else(|e| panic!("{}: {e}", scene.name));
            let found = sorted(answer(|out| tree.view().pairs(&query, out)));
            let missing: Option<&Candidate> = right.iter().find(|c| found.binary_search(c).is_err());
            assert_eq!(missing, None, "{} {refinement:?} {turn} {report:?} misses", scene.name);
            assert_eq!(found.len(), right.len(), "{} {refinement:?} {turn}", scene.name);
        }
    }
    right.len()
}

const SPACES: [(Dimensions, [f64; 3]); 5] = [
    (Dimensions::Three, [0.0; 3]),
    (Dimensions::Two, [0.0; 3]),
    (Dimensions::Three, [24.0, 24.0, 24.0]),
    (Dimensions::Three, [0.0, 23.0, 24.0]),
    (Dimensions::Two, [20.0, 0.0, 0.0]),
];

#[test]
fn all_variants_agree_with_brute_force_in_all_spaces() {
    let mut random = Random::new(21);
    for (dimensions, periods) in SPACES {
        for alpha in [-3.0, 0.0] {
            let scene = bodies::power_law(250, [24.0; 3], alpha, 6.0, &mut random).within(dimensions, periods);
            let scene = scene.margin(if alpha == 0.0 { 0.25 } else { 0.0 });
            assert!(agrees(&scene, [0.0; 3], 24.0) > 100);
        }
    }
    let scene = bodies::power_law(120, [24.0; 3], -2.0, 5.0, &mut random).filtered(&mut random);
    assert!(agrees(&scene, [-3.0, -20.0, 0.0], 70.0) > 10);
}

#[test]
fn bodies_outside_too_large_all_in_one_place_or_touching_exactly() {
    let mut random = Random::new(22);
    let scene = bodies::power_law(150, [24.0; 3], -3.0, 9.0, &mut random);
    // Most are outside of the root; some are wider than it.
    agrees(&scene, [5.0; 3], 9.0);
    agrees(&scene.clone().within(Dimensions::Three, [24.0; 3]), [5.0; 3], 9.0);
    agrees(&scene, [1e6; 3], 1.0);
    for (spacing, origin) in [(2.0, 0.0), (2.0, -3.0), (0.3, 0.1), (1.0, 1e6)] {
        let lattice = bodies::lattice(5, spacing, origin);
        let found = agrees(&lattice, [origin; 3], 9.0 * spacing);
        assert!(found >= 100, "{found}");
        agrees(&lattice, [origin - 1.3 * spacing; 3], 27.0 * spacing);
    }
    let heap = Scene::new("all in one place", vec![[-7.0; 3]; 40], vec![1.0; 40]);
    assert_eq!(agrees(&heap, [-20.0; 3], 30.0), 40 * 39 / 2);
    let points = Scene::new("points", vec![[3.0; 3], [3.0; 3], [4.0; 3]], vec![0.0; 3]);
    assert_eq!(agrees(&points, [0.0; 3], 10.0), 1);
    let wide = Scene::new("wide", vec![[0.3, 0.1, 7.0], [-9.6, 0.2, 0.0]], vec![1.1, 0.6]);
    assert_eq!(agrees(&wide.within(Dimensions::Two, [1.0, 0.0, 5.0]), [-1.0; 3], 1e200), 6);
    assert_eq!(agrees(&Scene::new("none", vec![], vec![]), [0.0; 3], 1.0), 0);
}

#[test]
fn pairs_stay_right_while_bodies_move_come_and_go() {
    let mut random = Random::new(23);
    for refinement in VARIANTS {
        for periods in [[0.0; 3], [30.0, 0.0, 30.0]] {
            let mut scene = bodies::power_law(150, [30.0; 3], -3.0, 10.0, &mut random);
            scene = scene.within(Dimensions::Three, periods);
            let mut tree = Tree::new(200, 40_000, [0.0; 3], 30.0);
            let (mut lifted, mut dropped) = (0, 0);
            for step in 0..25 {
                for (centre, radius) in scene.centres.iter_mut().zip(&scene.radii) {
                    let [x, y, z] = random.in_cube(1.0);
                    *centre = [centre[0] + x * radius, centre[1] + y * radius, centre[2] + z * radius];
                }
                if step % 5 == 4 {
                    let at = random.below(scene.centres.len());
                    scene.centres.swap_remove(at);
                    scene.radii.swap_remove(at);
                    scene.centres.extend([[15.0; 3], [3.0, 20.0, 9.0]]);
                    scene.radii.extend([1.0, 4.0]);
                    // Some jump to where their level may not be.
                    for centre in scene.centres.iter_mut().step_by(10) {
                        *centre = [0; 3].map(|_| random.range(0.0, 30.0));
                    }
                }
                let query = scene.query();
                let report = tree.update(&query, refinement).unwrap();
                (lifted, dropped) = (lifted + report.lifted, dropped + report.dropped);
                let found = sorted(answer(|out| tree.view().pairs(&query, out)));
                assert_eq!(found, answer(|out| brute(&query, out)), "{refinement:?} {periods:?} step {step}");
            }
            assert!(refinement == Refinement::Regular || (lifted > 0 && dropped > 20), "{lifted} {dropped}");
        }
    }
}

#[test]
fn variants_refine_where_they_say() {
    // One small body: the adaptive tree follows it down, the reluctant one waits for company.
    let mut scene = Scene::new("two", vec![[2.2; 3], [20.0; 3]], vec![0.4, 0.4]);
    let settle = |scene: &Scene, refinement, tree: &mut Tree| {
        (0..8).map(|_| tree.update(&scene.query(), refinement).unwrap()).last().unwrap()
    };
    let new = || Tree::new(2, 1000, [0.0; 3], 27.0);
    let (mut adaptive, mut reluctant, mut regular) = (new(), new(), new());
    let full = settle(&scene, Refinement::Regular, &mut regular);
    // Cells of 27, 9, 3 and 1: the last one wider than 0.8.
    assert_eq!(full.vertices, 8 + 4u64.pow(3) + 10u64.pow(3) + 28u64.pow(3));
    let around = settle(&scene, Refinement::Adaptive, &mut adaptive);
    // The root refined; on each of two levels the cells around the vertex of each body.
    assert!(around.refined > 3 && around.refined < 40 && around.vertices < 1500, "{around:?}");
    let root = settle(&scene, Refinement::Reluctant, &mut reluctant);
    assert!(root.refined < around.refined && root.vertices < around.vertices, "{root:?}");
    assert_eq!(adaptive.view().comparisons(&scene.query()), Ok(0));
    // Together all go down; apart again the cells that hold nothing are given up.
    scene.centres[1] = [3.05, 2.2, 2.2];
    let near = settle(&scene, Refinement::Reluctant, &mut reluctant);
    // Which of the cells that bodies share are refined depends on who was there first.
    let also = settle(&scene, Refinement::Adaptive, &mut adaptive);
    assert!(near.refined.abs_diff(also.refined) <= 2 && near.refined > root.refined, "{near:?} {also:?}");
    assert_eq!(reluctant.view().comparisons(&scene.query()), Ok(1));
    scene.centres[1] = [20.0; 3];
    let apart = settle(&scene, Refinement::Adaptive, &mut adaptive);
    assert_eq!(apart, around);
}

#[test]
fn too_little_memory_and_senseless_roots_are_errors() {
    let scene = Scene::new("two", vec![[2.2; 3], [20.0; 3]], vec![0.4, 0.4]);
    let query = scene.query();
    let mut tree = Tree::new(2, 3, [0.0; 3], 27.0);
    let error = (0..8).find_map(|_| tree.update(&query, Refinement::Adaptive).err()).unwrap();
    assert_eq!((error.kind, error.what, error.given), (Kind::Capacity, What::Cells, 3));
    assert!(error.needed > 3);
    assert_eq!(tree.view().pairs(&query, &mut []).map_err(|e| e.kind), Err(Kind::Mismatch));
    let mut tree = Tree::new(1, 3, [0.0; 3], 27.0);
    assert_eq!(tree.update(&query, Refinement::Adaptive), Err(Error::capacity(What::Bodies, 2, 1)));
    let sizes = SpaceTreeSizes { bodies: 2, cells: 9 };
    let mut block = Memory::new(SpaceTree::layout(&sizes).unwrap()).unwrap();
    let mut scratch = Memory::new(spacetree_scratch(2, 9).unwrap()).unwrap();
    let mut tree = SpaceTree::init(&mut block, &sizes).unwrap();
    assert_eq!(tree.update(&query, Refinement::Adaptive, &mut scratch).map_err(|e| e.kind), Err(Kind::OutOfRange));
    for (low, width) in [([0.0; 3], 0.0), ([0.0; 3], f64::NAN), ([f64::NAN; 3], 1.0), ([0.0; 3], f64::INFINITY)] {
        assert_eq!(tree.begin(low, width).map_err(|e| e.kind), Err(Kind::OutOfRange));
    }
    tree.begin([0.0; 3], 27.0).unwrap();
    let short = tree.update(&query, Refinement::Adaptive, &mut scratch[..64]).map_err(|e| (e.kind, e.what));
    assert_eq!(short, Err((Kind::Capacity, What::Scratch)));
    let far = Scene::new("far", vec![[1e100; 3], [-1e100; 3]], vec![0.4, 0.4]);
    assert_eq!(tree.update(&far.query(), Refinement::Adaptive, &mut scratch).map(|r| r.loose), Ok(2));
}
