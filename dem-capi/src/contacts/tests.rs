//! Tests of verdicts against distances, statistics, parts, thresholds and refusals. The core tests the kernels.

use super::run::PART;
use super::*;
use crate::arrays::{DEM_F64, DEM_I32, DEM_U32, dem_array};
use crate::errors::*;
use crate::inputs::Input;
use crate::testing::{numbers, output};
use crate::triangles::{dem_closest_points, dem_triangle_distance};

/// More pairs than one call of the core gets. Some are near each other.
const COUNT: usize = 2 * PART + 77;

fn triangles(seed: u64) -> Vec<[f64; 9]> {
    let mut state = seed;
    let mut number = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    (0..COUNT).map(|i| [0; 9].map(|_| number() + if i % 3 == 0 { 0.0 } else { 0.3 * seed as f64 })).collect()
}

fn described(data: &[[f64; 9]]) -> dem_triangles {
    let (data, count) = (data.as_ptr().cast(), data.len());
    dem_triangles { data, count, stride: 0, vertex_stride: 0, component_stride: 0, r#type: DEM_F64, reserved: 0 }
}

/// The results of a call.
struct Answer {
    verdict: Vec<u32>,
    exact: Vec<u32>,
    distance: Vec<f64>,
    lower: Vec<f64>,
    point_a: Vec<[f64; 3]>,
    statistics: dem_contact_statistics,
    error: dem_error,
}

fn contacts(options: *const dem_contact_options, room: usize) -> Answer {
    let (a, b) = (triangles(1), triangles(2));
    let mut answer = Answer {
        verdict: vec![99; room],
        exact: vec![99; room],
        distance: vec![-1.0; room],
        lower: vec![-1.0; room],
        point_a: vec![[-1.0; 3]; room],
        statistics: dem_contact_statistics::default(),
        error: dem_error { code: 99, ..dem_error::default() },
    };
    let results = dem_contact_results {
        verdict: output(&mut answer.verdict, DEM_U32),
        exact: output(&mut answer.exact, DEM_I32),
        distance: output(&mut answer.distance, DEM_F64),
        lower: output(&mut answer.lower, DEM_F64),
        point_a: output(&mut answer.point_a, DEM_F64),
        ..Input::DEFAULT
    };
    let (a, b, size) = (described(&a), described(&b), size_of::<dem_contact_statistics>());
    let null = core::ptr::null();
    // SAFETY: all pointers are valid.
    let status = unsafe {
        dem_triangle_contacts(&results, &mut answer.statistics, size, &a, &b, null, options, &mut answer.error)
    };
    assert_eq!(status, answer.error.code);
    answer
}

fn distances() -> Vec<f64> {
    let (a, b) = (triangles(1), triangles(2));
    let mut distances = vec![-1.0; COUNT];
    let results = dem_closest_points { distance: output(&mut distances, DEM_F64), ..Input::DEFAULT };
    let (a, b) = (described(&a), described(&b));
    let null = core::ptr::null();
    // SAFETY: all pointers are valid.
    let status = unsafe { dem_triangle_distance(&results, &a, &b, null, core::ptr::null(), core::ptr::null_mut()) };
    assert_eq!(status, DEM_OK);
    distances
}

/// Thresholds below, above, and exactly at the distance.
fn thresholds(distances: &[f64]) -> Vec<f64> {
    distances.iter().enumerate().map(|(i, d)| [0.1, *d, d * 0.5, 0.4][i % 4]).collect()
}

#[test]
fn by_default_verdicts_are_those_of_the_distances() {
    let distances = distances();
    let each = thresholds(&distances);
    let options = dem_contact_options { thresholds: numbers(&each), ..Input::DEFAULT };
    let answer = contacts(&options, COUNT);
    assert_eq!(answer.error, dem_error::default());
    for i in 0..COUNT {
        let contact = distances[i] <= each[i];
        assert_eq!(answer.verdict[i], u32::from(contact), "pair {i}");
        assert!(answer.lower[i] <= distances[i] && distances[i] <= answer.distance[i], "pair {i}");
        assert!(!contact || (answer.exact[i] == 1 && answer.distance[i] == distances[i]), "pair {i}");
    }
    let found = answer.statistics;
    let many = |list: &[u32]| list.iter().filter(|x| **x == 1).count() as u64;
    assert_eq!((found.pairs, found.contacts, found.exact), (COUNT as u64, many(&answer.verdict), many(&answer.exact)));
    assert!(found.contacts > 100 && found.exact < found.pairs && found.exact >= found.contacts, "{found:?}");
}

#[test]
fn without_a_fallback_answers_are_right_or_open() {
    let distances = distances();
    let each = thresholds(&distances);
    let options = dem_contact_options { thresholds: numbers(&each), fallback: DEM_FALLBACK_NONE, ..Input::DEFAULT };
    let answer = contacts(&options, COUNT);
    for i in 0..COUNT {
        assert!(answer.verdict[i] == DEM_VERDICT_UNRESOLVED || answer.verdict[i] == u32::from(distances[i] <= each[i]));
        assert_eq!(answer.exact[i], 0);
    }
    let many = |verdict| answer.verdict.iter().filter(|x| **x == verdict).count() as u64;
    let found = answer.statistics;
    assert_eq!((found.contacts, found.unresolved), (many(DEM_VERDICT_CONTACT), many(DEM_VERDICT_UNRESOLVED)));
    // A threshold equal to the distance can be proved neither way.
    assert!(found.unresolved >= COUNT as u64 / 4 && found.contacts > 0 && found.exact == 0, "{found:?}");
}

#[test]
fn the_papers_search_falls_back_by_pairs_or_batches() {
    let mut options: dem_contact_options = Input::DEFAULT;
    // SAFETY: the pointer is valid.
    assert_eq!(unsafe { dem_contact_options_paper(&mut options, size_of::<dem_contact_options>()) }, DEM_OK);
    // The change of the functional must be small compared with the threshold.
    options.threshold = 1e-3;
    let pairs = contacts(&options, COUNT).statistics;
    assert_eq!((pairs.exact, pairs.batches, pairs.exact_batches), (pairs.unresolved, 0, 0));
    assert!(0 < pairs.unresolved && pairs.unresolved < pairs.pairs, "{pairs:?}");
    options.fallback = DEM_FALLBACK_BATCHES;
    let batches = contacts(&options, COUNT).statistics;
    assert_eq!((batches.unresolved, batches.batches), (pairs.unresolved, COUNT.div_ceil(8) as u64));
    assert!(batches.exact > pairs.exact && batches.exact <= 8 * batches.exact_batches, "{batches:?}");
}

#[test]
fn mistakes_are_told_with_their_place_and_nothing_is_written() {
    let good: dem_contact_options = dem_contact_options { threshold: 0.1, ..Input::DEFAULT };
    let mut bad = vec![0.1; COUNT];
    (bad[600], bad[700]) = (f64::NAN, -1.0);
    let negative = vec![-0.5; COUNT];
    let reserved = dem_array { reserved: 1, ..numbers(&bad) };
    let mut cases = vec![
        (dem_contact_options { threshold: f64::INFINITY, ..good }, DEM_ERROR_NOT_FINITE, What::Threshold, 0, 0),
        (dem_contact_options { threshold: -0.1, ..good }, DEM_ERROR_OUT_OF_RANGE, What::Threshold, 0, 0),
        (dem_contact_options { thresholds: numbers(&bad), ..good }, DEM_ERROR_NOT_FINITE, What::Thresholds, 600, 0),
        (
            dem_contact_options { thresholds: numbers(&negative), ..good },
            DEM_ERROR_OUT_OF_RANGE,
            What::Thresholds,
            0,
            0,
        ),
        (dem_contact_options { thresholds: numbers(&bad[1..]), ..good }, DEM_ERROR_CAPACITY, What::Thresholds, 0, 0),
        (dem_contact_options { thresholds: reserved, ..good }, DEM_ERROR_OUT_OF_RANGE, What::Thresholds, 0, 0),
        (dem_contact_options { isa: 99, ..good }, DEM_ERROR_UNSUPPORTED, What::Isa, 0, 0),
        (dem_contact_options { struct_size: 9, ..good }, DEM_ERROR_BAD_SIZE, What::Options, 0, 3),
        (dem_contact_options { precision: 7, ..good }, DEM_ERROR_OUT_OF_RANGE, What::Precision, 0, 0),
    ];
    for (what, options) in [
        (What::Scheme, dem_contact_options { scheme: 0, ..good }),
        (What::Criterion, dem_contact_options { criterion: 4, ..good }),
        (What::SweepLimit, dem_contact_options { sweeps: 1001, ..good }),
        (What::Fallback, dem_contact_options { fallback: 3, ..good }),
        (What::Batch, dem_contact_options { fallback: DEM_FALLBACK_BATCHES, batch: 3, ..good }),
        (What::ExactContacts, dem_contact_options { exact_contacts: 2, ..good }),
        (What::Options, dem_contact_options { reserved: 1, ..good }),
        (What::Kappa, dem_contact_options { kappa: -1.0, ..good }),
        (What::Rho, dem_contact_options { rho: f64::NAN, ..good }),
        (What::C, dem_contact_options { c: f64::INFINITY, ..good }),
        (What::Unit, dem_contact_options { unit: -1.0, ..good }),
    ] {
        cases.push((options, DEM_ERROR_OUT_OF_RANGE, what, 0, 0));
    }
    for (options, code, what, index, component) in cases {
        let answer = contacts(&options, COUNT);
        let error = answer.error;
        let found = (error.code, error.argument, error.index, error.component);
        assert_eq!(found, (code, what as u32, index, component), "{options:?}");
        assert!(answer.verdict.iter().all(|v| *v == 99) && answer.distance.iter().all(|d| *d == -1.0));
    }
    let error = contacts(&good, COUNT - 1).error;
    let expected = (DEM_ERROR_CAPACITY, What::Verdicts as u32, COUNT as u64, COUNT as u64 - 1);
    assert_eq!((error.code, error.argument, error.needed, error.given), expected);
    let null: *mut dem_error = core::ptr::null_mut();
    // SAFETY: the call refuses null.
    unsafe {
        let a = described(&[]);
        let call = |results| dem_triangle_contacts(results, null.cast(), 0, &a, &a, null.cast(), null.cast(), null);
        assert_eq!(call(null.cast()), DEM_ERROR_NULL);
        assert_eq!(call(&Input::DEFAULT), DEM_OK);
        assert_eq!(call(&dem_contact_results { reserved: 1, ..Input::DEFAULT }), DEM_ERROR_OUT_OF_RANGE);
    }
}
