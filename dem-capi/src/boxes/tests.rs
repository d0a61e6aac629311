//! Tests of spheres near boxes, against brute force of the core.

use super::*;
use crate::errors::*;
use crate::near::tests::Balls;
use crate::testing::{scratch_of, vectors};
use dem_core::array::Array;
use dem_core::broad::boxes_brute;

const NULL: *mut c_void = core::ptr::null_mut();

struct Sides {
    lows: Vec<[f64; 3]>,
    highs: Vec<[f64; 3]>,
}

impl Sides {
    /// The ground, an infinite wall, and small boxes anywhere.
    fn new(balls: &mut Balls, count: usize) -> Sides {
        let end = f64::INFINITY;
        let (mut lows, mut highs) =
            (vec![[-end, -end, -1.0], [2.0, -end, -end]], vec![[end, end, 0.3], [2.1, end, end]]);
        for _ in 0..count {
            let low = [0; 3].map(|_| 10.0 * balls.uniform());
            lows.push(low);
            highs.push(low.map(|x| x + 3.0 * balls.uniform()));
        }
        Sides { lows, highs }
    }

    fn boxes(&self) -> dem_near_boxes {
        dem_near_boxes { lows: vectors(&self.lows), highs: vectors(&self.highs), ..Input::DEFAULT }
    }
}

fn ask(
    query: &dem_near_query,
    boxes: &dem_near_boxes,
    capacity: usize,
    scratch: &mut [u8],
) -> (dem_error, Vec<dem_box_pair>, usize) {
    let (mut pairs, mut count, mut error) = (vec![dem_box_pair::default(); capacity], 99, dem_error::default());
    let (to, start) = (pairs.as_mut_ptr(), scratch.as_mut_ptr().cast());
    // SAFETY: all memory has the size that is passed.
    unsafe { dem_box_pairs(to, capacity, 0, &mut count, query, boxes, start, scratch.len(), &mut error) };
    pairs.truncate(count);
    (error, pairs, count)
}

#[test]
fn pairs_are_those_of_brute_force() {
    for (periods, number) in [([0.0; 3], 40), ([0.0, 10.0, 0.0], 40), ([0.0; 3], 0)] {
        let mut balls = Balls::new(500, periods, 0.05);
        let sides = Sides::new(&mut balls, number);
        let core = Boxes::new(Array::from_f64(&sides.lows), Array::from_f64(&sides.highs));
        let mut slow = vec![BoxCandidate::default(); 20_000];
        let count = boxes_brute(&balls.core(), &core, &mut slow).unwrap();
        let mut slow: Vec<dem_box_pair> = slow[..count].iter().map(|p| (*p).into()).collect();
        let (query, boxes) = (balls.query(), sides.boxes());
        // SAFETY: all pointers are valid.
        let size = scratch_of(|to, size, error| unsafe {
            dem_box_pairs(NULL.cast(), 0, 0, NULL.cast(), &query, &boxes, to, size, error)
        });
        let mut scratch = vec![0x55; size];
        let (error, _, found) = ask(&query, &boxes, count - 1, &mut scratch);
        assert_eq!((error.code, found as u64, error.needed), (DEM_ERROR_CAPACITY, count as u64, count as u64));
        let (error, mut found, _) = ask(&query, &boxes, count, &mut scratch);
        assert_eq!(error.code, DEM_OK);
        assert!(found.is_sorted_by_key(|p| p.body));
        let key = |p: &dem_box_pair| (p.body, p.huge, p.shift);
        slow.sort_by_key(key);
        found.sort_by_key(key);
        assert!(found == slow && count > 50, "{count}");
        let (error, ..) = ask(&query, &boxes, count, &mut scratch[..size - 1]);
        assert_eq!((error.code, error.argument, error.needed), (DEM_ERROR_CAPACITY, What::Scratch as u32, size as u64));
    }
    let none = ask(&Balls::new(9, [0.0; 3], 0.0).query(), &Input::DEFAULT, 0, &mut [0; 1 << 12]);
    assert_eq!((none.0.code, none.2), (DEM_OK, 0));
}

#[test]
fn what_is_wrong_with_boxes_is_named() {
    let mut balls = Balls::new(9, [0.0; 3], 0.0);
    let mut sides = Sides::new(&mut balls, 3);
    let query = balls.query();
    let mut scratch = vec![0; 1 << 12];
    let wrong = dem_near_boxes { highs: vectors(&sides.highs[1..]), ..sides.boxes() };
    let (error, ..) = ask(&query, &wrong, 9, &mut scratch);
    assert_eq!((error.code, error.argument), (DEM_ERROR_MISMATCH, What::Highs as u32));
    sides.highs[3][2] = -1.0;
    let (error, ..) = ask(&query, &sides.boxes(), 9, &mut scratch);
    let expected = (DEM_ERROR_OUT_OF_RANGE, What::Highs as u32, 3, 2);
    assert_eq!((error.code, error.argument, error.index, error.component), expected);
    let (error, ..) = ask(&query, &dem_near_boxes { reserved: 1, ..sides.boxes() }, 9, &mut scratch);
    assert_eq!((error.code, error.argument), (DEM_ERROR_OUT_OF_RANGE, What::Boxes as u32));
}
