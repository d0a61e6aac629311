//! Tests of pairs of grids against brute force of the core: new grids, changes of bodies, and memory that grows.

use super::*;
use crate::errors::*;
use crate::near::tests::{Balls, sorted};
use crate::tasks::{dem_lane, dem_tasks};
use crate::testing::{Line, scratch_of};

const NULL: *mut c_void = core::ptr::null_mut();

struct Grid {
    block: Vec<Line>,
    pairs: Vec<dem_near_pair>,
    scratch: Vec<u8>,
}

impl Grid {
    fn new(bodies: u32, loose: u32) -> Grid {
        let desc = dem_grid_desc { bodies, loose, ..Input::DEFAULT };
        let (mut size, mut grid) = (0, core::ptr::null_mut());
        // SAFETY: all memory has the size that is passed.
        unsafe {
            assert_eq!(dem_grid_layout(&mut size, NULL.cast(), &desc, NULL.cast()), DEM_OK);
            let mut block = vec![Line([0x55; 64]); size / 64];
            assert_eq!(dem_grid_init(block.as_mut_ptr().cast(), size, &mut grid, &desc, NULL.cast()), DEM_OK);
            Grid { block, pairs: Vec::new(), scratch: Vec::new() }
        }
    }

    fn ask(&mut self, query: &dem_near_query, changed: Option<&[u32]>) -> (dem_error, usize) {
        let (mut error, mut count) = (dem_error::default(), 99);
        let (list, number) = changed.map_or((core::ptr::null(), 0), |list| (list.as_ptr(), list.len()));
        let (to, capacity, grid) = (self.pairs.as_mut_ptr(), self.pairs.len(), self.block.as_mut_ptr().cast());
        let (start, size) = (self.scratch.as_mut_ptr().cast(), self.scratch.len());
        // SAFETY: all memory has the size that is passed.
        let status =
            unsafe { dem_grid_pairs(grid, to, capacity, 0, &mut count, query, list, number, start, size, &mut error) };
        assert_eq!(status, error.code);
        (error, count)
    }

    /// Finds all pairs as a program that begins without memory.
    fn all(&mut self, query: &dem_near_query, changed: Option<&[u32]>) -> Vec<dem_near_pair> {
        for _ in 0..4 {
            let (error, count) = self.ask(query, changed);
            match error.code {
                DEM_OK => return self.pairs[..count].to_vec(),
                DEM_ERROR_CAPACITY if error.argument == What::Output as u32 => {
                    assert_eq!(count as u64, error.needed);
                    self.pairs = vec![dem_near_pair::default(); count];
                }
                _ => {
                    assert_eq!((error.code, error.argument, count), (DEM_ERROR_CAPACITY, What::Scratch as u32, 0));
                    self.scratch = vec![0x55; error.needed as usize];
                }
            }
        }
        panic!("no end");
    }
}

unsafe extern "C" fn backwards(_: *mut c_void, lanes: usize, lane: dem_lane, arg: *mut c_void) {
    // SAFETY: the library passes these arguments.
    (0..lanes).rev().for_each(|i| unsafe { lane.unwrap()(i, arg) });
}

#[test]
fn pairs_are_those_of_brute_force_by_any_number_of_lanes() {
    for periods in [[0.0; 3], [10.0, 10.0, 0.0]] {
        let balls = Balls::new(700, periods, 0.05);
        let mut grid = Grid::new(700, 0);
        let alone = grid.all(&balls.query(), None);
        assert_eq!(sorted(alone.clone()), balls.slow());
        assert!(alone.len() > 500);
        let tasks = dem_tasks { run: Some(backwards), user: NULL, lanes: 3, reserved: 0 };
        assert_eq!(grid.all(&dem_near_query { tasks, ..balls.query() }, None), alone);
        // Records of another size are first written to scratch.
        let (mut count, mut wide) = (0, vec![[7u32; 5]; alone.len()]);
        let handle = grid.block.as_mut_ptr().cast::<dem_grid>();
        // SAFETY: all memory has the size that is passed.
        unsafe {
            let (to, query, none, capacity) = (wide.as_mut_ptr().cast(), balls.query(), core::ptr::null(), wide.len());
            let mut pairs = |start, size, error| {
                dem_grid_pairs(handle, to, capacity, 20, &mut count, &query, none, 0, start, size, error)
            };
            let mut scratch = vec![0u8; scratch_of(&mut pairs)];
            let status = pairs(scratch.as_mut_ptr().cast(), scratch.len(), NULL.cast());
            assert_eq!((status, count), (DEM_OK, alone.len()));
        }
        assert!(wide.iter().zip(&alone).all(|(w, p)| w[0] == p.a && w[1] == p.b && w[4] == 7));
    }
}

#[test]
fn bodies_that_move_join_and_leave_are_followed() {
    // With little room for changes, all bodies are put into cells anew now and then.
    for loose in [1, 20, 400] {
        let mut balls = Balls::new(400, [10.0, 0.0, 0.0], 0.05);
        let mut grid = Grid::new(450, loose);
        // A list of changes is no error in a grid that was empty before.
        assert_eq!(sorted(grid.all(&balls.query(), Some(&[]))), balls.slow());
        for step in 0..30 {
            let mut changed = Vec::new();
            for _ in 0..5 {
                let i = (balls.uniform() * balls.centres.len() as f64) as usize;
                balls.move_by(i, 1.0);
                changed.push(i as u32);
            }
            match step % 3 {
                0 => balls.join(),
                1 => {
                    // The last body takes the place of one that leaves.
                    balls.centres.swap_remove(11);
                    balls.radii.swap_remove(11);
                    let n = balls.centres.len() as u32;
                    changed.retain(|i| *i < n);
                    changed.push(11);
                }
                _ => {}
            }
            assert_eq!(sorted(grid.all(&balls.query(), Some(&changed))), balls.slow(), "{loose} {step}");
        }
        balls.margin = 0.2;
        assert_eq!(sorted(grid.all(&balls.query(), Some(&[]))), balls.slow(), "another margin");
    }
}

#[test]
fn filters_and_discs_are_the_programs() {
    let mut balls = Balls::new(300, [0.0; 3], 0.0);
    balls.centres.iter_mut().for_each(|c| c[2] *= 1e6);
    let motions: Vec<u32> = (0..300).map(|i| [0, 1, 2][i % 3]).collect();
    let words = |v: &[u32]| crate::arrays::dem_array { data: v.as_ptr().cast(), count: v.len(), ..balls.query().masks };
    let query = dem_near_query { dimensions: 2, motions: words(&motions), ..balls.query() };
    let found = Grid::new(300, 0).all(&query, None);
    balls.centres.iter_mut().for_each(|c| c[2] = 0.0);
    let moves = |p: &dem_near_pair| motions[p.a as usize] == 0 || motions[p.b as usize] == 0;
    let expected: Vec<_> = balls.slow().into_iter().filter(moves).collect();
    assert!(sorted(found) == expected && expected.len() > 300);
}

#[test]
fn what_is_wrong_is_named() {
    let mut balls = Balls::new(50, [0.0; 3], 0.0);
    let mut grid = Grid::new(49, 0);
    grid.scratch = vec![0; 1 << 16];
    let (error, count) = grid.ask(&balls.query(), None);
    assert_eq!((error.code, error.argument, error.needed, count), (DEM_ERROR_CAPACITY, What::Grid as u32, 50, 0));
    let mut grid = Grid::new(50, 0);
    grid.scratch = vec![0; 1 << 16];
    _ = grid.all(&balls.query(), None);
    let (error, _) = grid.ask(&balls.query(), Some(&[3, 50]));
    assert_eq!((error.code, error.argument, error.index), (DEM_ERROR_BAD_INDEX, What::Bodies as u32, 1));
    balls.centres[7][1] = f64::INFINITY;
    let (error, _) = grid.ask(&balls.query(), Some(&[7]));
    let expected = (DEM_ERROR_NOT_FINITE, What::Centres as u32, 7, 1);
    assert_eq!((error.code, error.argument, error.index, error.component), expected);
    let mut error = dem_error::default();
    let (query, handle) = (balls.query(), grid.block.as_mut_ptr());
    // SAFETY: the call refuses its arguments before it writes.
    unsafe {
        let (to, start, none) = (handle.add(1).cast(), grid.scratch.as_mut_ptr().cast(), core::ptr::null());
        dem_grid_pairs(handle.cast(), to, 1, 0, NULL.cast(), &query, none, 0, start, 1 << 16, &mut error);
        assert_eq!((error.code, error.argument), (DEM_ERROR_OVERLAP, What::Output as u32));
        let over = balls.centres.as_mut_ptr().cast();
        dem_grid_pairs(handle.cast(), NULL.cast(), 0, 0, NULL.cast(), &query, none, 0, over, 64, &mut error);
        assert_eq!((error.code, error.argument), (DEM_ERROR_OVERLAP, What::Scratch as u32));
    }
    let desc = dem_grid_desc { levels: 65, ..Input::DEFAULT };
    let mut size = 0;
    // SAFETY: both pointers are valid.
    assert_eq!(unsafe { dem_grid_layout(&mut size, NULL.cast(), &desc, NULL.cast()) }, DEM_ERROR_OUT_OF_RANGE);
}

#[test]
fn a_grid_tells_what_it_chose_expected_and_came_to() {
    let balls = Balls::new(700, [0.0; 3], 0.05);
    let mut grid = Grid::new(700, 0);
    let handle = grid.block.as_mut_ptr().cast::<dem_grid>();
    let describe = || {
        let (mut report, mut error) = (dem_grid_report::default(), dem_error::default());
        // SAFETY: all memory has the size that is passed.
        assert_eq!(unsafe { dem_grid_describe(&mut report, handle, &mut error) }, DEM_OK);
        report
    };
    assert_eq!(describe(), dem_grid_report::default());
    grid.all(&balls.query(), None);
    let report = describe();
    assert_eq!(report.bodies.iter().sum::<u64>(), 700);
    let (sizes, none) = report.sizes.split_at(report.levels as usize);
    assert!(!sizes.is_empty() && sizes.iter().all(|s| *s > 0.0) && none.iter().all(|s| *s == 0.0), "{report:?}");
    assert!(report.expected > 1.0 && (0.2..5.0).contains(&(report.tested / report.expected)), "{report:?}");
    // SAFETY: the call refuses null.
    assert_eq!(unsafe { dem_grid_describe(core::ptr::null_mut(), handle, NULL.cast()) }, DEM_ERROR_NULL);
}
