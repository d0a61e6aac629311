//! Tests of lists of pairs that are used for several steps, against brute force of the core.

use super::*;
use crate::errors::*;
use crate::inputs::Input;
use crate::testing::{numbers, vectors};
use dem_core::array::Array;
use dem_core::broad::{Dimensions, Proxies, Query, Space, brute};

const NULL: *mut c_void = core::ptr::null_mut();

/// Spheres of mixed sizes in a box.
pub struct Balls {
    pub centres: Vec<[f64; 3]>,
    pub radii: Vec<f64>,
    pub periods: [f64; 3],
    pub margin: f64,
    seed: u64,
}

impl Balls {
    pub fn new(count: usize, periods: [f64; 3], margin: f64) -> Balls {
        let mut balls = Balls { centres: Vec::new(), radii: Vec::new(), periods, margin, seed: 1 };
        (0..count).for_each(|_| balls.join());
        balls
    }

    /// A number from 0 to 1.
    pub fn uniform(&mut self) -> f64 {
        self.seed = self.seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.seed >> 40) as f64 / (1 << 24) as f64
    }

    pub fn join(&mut self) {
        let centre = [0; 3].map(|_| 10.0 * self.uniform());
        let size = self.uniform();
        self.centres.push(centre);
        self.radii.push(0.1 + size * size * size);
    }

    pub fn move_by(&mut self, i: usize, most: f64) {
        let way = [0; 3].map(|_| most * (2.0 * self.uniform() - 1.0));
        self.centres[i] = [0, 1, 2].map(|k| self.centres[i][k] + way[k]);
    }

    pub fn query(&self) -> dem_near_query {
        let (centres, radii) = (vectors(&self.centres), numbers(&self.radii));
        dem_near_query { periods: self.periods, margin: self.margin, centres, radii, ..Input::DEFAULT }
    }

    pub fn core(&self) -> Query<'_> {
        let bodies = Proxies::new(Array::from_f64(&self.centres), Array::from_numbers(&self.radii));
        Query { bodies, space: Space::new(Dimensions::Three, self.periods), margin: self.margin }
    }

    /// All pairs by brute force, in order.
    pub fn slow(&self) -> Vec<dem_near_pair> {
        let mut found = vec![Candidate::default(); 100_000];
        let count = brute(&self.core(), &mut found).unwrap();
        found.truncate(count);
        sorted(found.into_iter().map(Into::into).collect())
    }
}

pub fn sorted(mut pairs: Vec<dem_near_pair>) -> Vec<dem_near_pair> {
    pairs.sort_by_key(|p| (p.a, p.b, p.shift));
    pairs
}

#[test]
fn a_list_is_kept_as_long_as_it_lasts() {
    for periods in [[0.0; 3], [10.0, 0.0, 10.0]] {
        let then = Balls::new(300, periods, 0.4);
        let list = then.slow();
        let mut now = Balls::new(300, periods, 0.1);
        let mut lasted = 0;
        for step in 0..20 {
            for i in 0..300 {
                now.move_by(i, 0.02);
            }
            if step == 3 && periods[0] > 0.0 {
                now.centres[7][0] += 10.0;
            }
            let (mut size, mut moved, mut count) = (0, dem_near_motion::default(), 0);
            let (before, after) = (then.query(), now.query());
            // SAFETY: all memory has the size that is passed.
            unsafe {
                assert_eq!(dem_near_scratch(&mut size, 300, list.len(), list.len(), 0, NULL.cast()), DEM_OK);
                let mut scratch = vec![0x55u8; size];
                let start = scratch.as_mut_ptr().cast();
                let status = dem_near_moved(&mut moved, 24, &before, &after, start, size, NULL.cast());
                assert_eq!(status, DEM_OK);
                assert!((moved.skin - 0.3).abs() < 1e-15 && moved.farthest <= moved.sum);
                if moved.sum > moved.skin {
                    break;
                }
                lasted += 1;
                let mut out = vec![dem_near_pair::default(); list.len()];
                let (to, capacity, from) = (out.as_mut_ptr(), out.len(), list.as_ptr());
                let ask = |capacity: usize, count: &mut usize| {
                    let (n, start) = (list.len(), start);
                    dem_near_refresh(to, capacity, 0, count, from, n, &before, &after, start, size, NULL.cast())
                };
                assert_eq!(ask(capacity, &mut count), DEM_OK);
                assert_eq!(sorted(out[..count].to_vec()), now.slow());
                let all = count;
                assert_eq!((ask(1, &mut count), count), (DEM_ERROR_CAPACITY, all));
            }
        }
        assert!(lasted > 2 && lasted < 20, "{lasted}");
    }
}

#[test]
fn what_is_wrong_with_spheres_is_named() {
    let balls = Balls::new(9, [0.0; 3], 0.1);
    let q = balls.query();
    let bad = [f64::NAN; 9];
    let two = dem_near_query { dimensions: 4, ..q };
    let list = [dem_near_pair { a: 3, b: 9, ..dem_near_pair::default() }];
    let cases = [
        (dem_near_query { radii: numbers(&bad), ..q }, DEM_ERROR_NOT_FINITE, What::Radii),
        (dem_near_query { radii: numbers(&balls.radii[..8]), ..q }, DEM_ERROR_MISMATCH, What::Radii),
        (dem_near_query { margin: 0.2, ..q }, DEM_ERROR_OUT_OF_RANGE, What::Margin),
        (dem_near_query { periods: [1.0, 0.0, 0.0], ..q }, DEM_ERROR_MISMATCH, What::Periods),
        (dem_near_query { reserved: 1, ..q }, DEM_ERROR_OUT_OF_RANGE, What::Query),
        (two, DEM_ERROR_OUT_OF_RANGE, What::Dimensions),
    ];
    let mut scratch = [0u8; 1 << 12];
    for (now, code, what) in cases {
        let (mut moved, mut error) = (dem_near_motion::default(), dem_error::default());
        // SAFETY: all memory has the size that is passed.
        unsafe { dem_near_moved(&mut moved, 24, &q, &now, scratch.as_mut_ptr().cast(), 1 << 12, &mut error) };
        assert_eq!((error.code, error.argument), (code, what as u32));
    }
    let (mut error, mut count) = (dem_error::default(), 77);
    // SAFETY: likewise.
    unsafe {
        let (to, start) = (core::ptr::null_mut(), scratch.as_mut_ptr().cast());
        dem_near_refresh(to, 0, 0, &mut count, list.as_ptr(), 1, &q, &q, start, 1 << 12, &mut error);
    }
    assert_eq!((error.code, error.argument, count), (DEM_ERROR_BAD_INDEX, What::Pairs as u32, 0));
}
