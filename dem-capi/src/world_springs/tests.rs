//! Tests of what contacts take over, for a law of the program.

use dem_core::detect::{JoinedSprings, SplitSprings};

use super::*;
use crate::errors::*;
use crate::world_steps::DEM_ASK_LAW;
use crate::worlds::tests::{NULL, Owned, ROOM, query, table};

const NONE: *const dem_tasks = core::ptr::null();

fn told(error: &dem_error) -> (i32, u32, u64) {
    (error.code, error.argument, error.needed)
}

#[test]
fn contacts_of_the_step_are_told_at_the_law_alone() {
    let shapes = table();
    let query = query(&shapes, &[]);
    let (mut own, _) = Owned::filled(&ROOM);
    let mut taken = [dem_taken_over { begins: 7, ..Default::default() }; 64];
    let mut error = dem_error::default();
    // SAFETY: all memory has the size that is passed.
    let mut ask = |own: &mut Owned, capacity: usize| unsafe {
        let status = dem_world_taken_over(taken.as_mut_ptr(), capacity, own.world(), NONE, &mut error);
        (status, error, taken)
    };
    let (status, error, _) = ask(&mut own, 64);
    assert_eq!((status, told(&error)), (DEM_ERROR_UNSUPPORTED, (DEM_ERROR_UNSUPPORTED, What::Phase as u32, 0)));
    for step in 0.. {
        own.begin(DEM_ASK_LAW);
        assert_eq!(own.poll(&query), Ok(crate::world_steps::DEM_WANT_LAW));
        let (status, _, taken) = ask(&mut own, 64);
        let count = taken.iter().filter(|taken| taken.begins != 7).count();
        assert_eq!(status, DEM_OK);
        if count > 2 {
            assert!(step > 0 || taken[..count].iter().all(|taken| taken.begins == 1));
            let (status, error, _) = ask(&mut own, count - 1);
            let expected = (DEM_ERROR_CAPACITY, What::Output as u32, count as u64);
            assert_eq!((status, told(&error)), (DEM_ERROR_CAPACITY, expected));
            break;
        }
        own.finish(&query);
    }
    let inside = own.world().cast();
    // SAFETY: the call refuses memory that overlaps.
    let status = unsafe { dem_world_taken_over(inside, 1, own.world(), NONE, NULL.cast()) };
    assert_eq!(status, DEM_ERROR_OVERLAP);
}

#[test]
fn springs_are_those_that_laws_begin_with() {
    let normal = [0.0, 0.6, 0.8];
    let springs = dem_springs { vectors: [[0.1, 0.0, 0.0], [0.0, 0.06, 0.08], [0.3; 3], [4.0; 3], [5.0; 3]] };
    let joined = dem_taken_over {
        joined_mean: [0.2, 0.08, -0.06],
        joined_moment: [0.0, 0.006, 0.008],
        joined_square: 0.04,
        has_joined: 1,
        ..Default::default()
    };
    let split =
        dem_taken_over { split_arm: [0.3, 0.0, 0.0], split_square: 0.09, split_own: 0.02, ..Default::default() };
    let run = |springs: &dem_springs, taken: &dem_taken_over, normal: &[f64; 3], reach: f64, torsion: f64| {
        let (mut own, mut error) = (*springs, dem_error::default());
        // SAFETY: all pointers are valid.
        unsafe { dem_springs_take_over(&mut own, taken, normal.as_ptr(), reach, torsion, &mut error) };
        (own, (error.code, error.argument))
    };
    for taken in [joined, split] {
        let of = TakenOver::from(taken);
        let both: (JoinedSprings, SplitSprings) = (of.joined(), of.split());
        let expected = take_over([springs.vectors[0], springs.vectors[1]], normal, (&both.0, &both.1), 0.15, 1.0);
        let (own, error) = run(&springs, &taken, &normal, 0.15, 1.0);
        assert_eq!((error, &own.vectors[..2], &own.vectors[2..]), ((DEM_OK, 0), &expected[..], &springs.vectors[2..]));
        assert_ne!(own, springs);
    }
    let on = dem_taken_over::default();
    assert_eq!(run(&springs, &on, &normal, 0.15, 1.0), (springs, (DEM_OK, 0)));
    let mut wild = springs;
    wild.vectors[1][2] = f64::NAN;
    let strange = dem_taken_over { split_own: f64::INFINITY, ..split };
    for (springs, taken, normal, reach, torsion, code, what) in [
        (wild, on, normal, 0.1, 1.0, DEM_ERROR_NOT_FINITE, What::Springs),
        (springs, strange, normal, 0.1, 1.0, DEM_ERROR_NOT_FINITE, What::Taken),
        (springs, on, [f64::NAN; 3], 0.1, 1.0, DEM_ERROR_NOT_FINITE, What::Normal),
        (springs, on, normal, -0.1, 1.0, DEM_ERROR_OUT_OF_RANGE, What::Reach),
        (springs, on, normal, 0.1, f64::INFINITY, DEM_ERROR_NOT_FINITE, What::Torsion),
    ] {
        let (_, error) = run(&springs, &taken, &normal, reach, torsion);
        assert_eq!(error, (code, what as u32));
    }
    let (null, mut own) = (core::ptr::null(), springs);
    // SAFETY: the call refuses null.
    let status = unsafe { dem_springs_take_over(&mut own, &on, null, 0.1, 1.0, NULL.cast()) };
    assert_eq!((status, own), (DEM_ERROR_NULL, springs));
}
