//! Tests of layouts, pairings, weights and refusals. The core tests distances.

use super::*;
use crate::arrays::{DEM_F32, DEM_F64, DEM_U32};
use crate::errors::*;
use crate::inputs::Input;
use crate::testing::{output, vectors as points};

fn segments(data: &[[[f64; 3]; 2]]) -> dem_segments {
    let (data, count) = (data.as_ptr().cast(), data.len());
    dem_segments { data, count, stride: 0, vertex_stride: 0, component_stride: 0, r#type: DEM_F64, reserved: 0 }
}

fn triangles(data: &[[[f64; 3]; 3]]) -> dem_triangles {
    let (data, count) = (data.as_ptr().cast(), data.len());
    dem_triangles { data, count, stride: 0, vertex_stride: 0, component_stride: 0, r#type: DEM_F64, reserved: 0 }
}

/// All results of some pairs.
#[derive(Debug, PartialEq)]
struct All {
    distance: Vec<f64>,
    points: [Vec<[f64; 3]>; 2],
    weights: [Vec<f64>; 2],
    features: Vec<[u32; 2]>,
}

impl All {
    /// Runs `call` with room for all results; `corners` are the numbers of corners of items of A and B.
    fn of(
        count: usize,
        corners: [usize; 2],
        call: impl Fn(&dem_closest_points, *mut dem_error) -> i32,
    ) -> (All, dem_error) {
        let mut all = All {
            distance: vec![-1.0; count],
            points: [0, 1].map(|_| vec![[-1.0; 3]; count]),
            weights: corners.map(|n| vec![-1.0; n * count]),
            features: vec![[99; 2]; count],
        };
        let ([pa, pb], [wa, wb]) = (&mut all.points, &mut all.weights);
        let results = dem_closest_points {
            distance: output(&mut all.distance, DEM_F64),
            point_a: output(pa, DEM_F64),
            point_b: output(pb, DEM_F64),
            weights_a: output(wa, DEM_F64),
            weights_b: output(wb, DEM_F64),
            features: output(&mut all.features, DEM_U32),
            ..Input::DEFAULT
        };
        let mut error = dem_error { code: 99, ..dem_error::default() };
        let status = call(&results, &mut error);
        assert_eq!(status, error.code);
        (all, error)
    }
}

const TRIANGLE: [[f64; 3]; 3] = [[0.0; 3], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]];
const NULL: *const dem_indices = core::ptr::null();
const DEFAULTS: *const dem_triangle_options = core::ptr::null();

#[test]
fn points_and_triangles() {
    let at = [[1.0, 2.0, 3.0], [-3.0, -4.0, 0.0], [1.0, -2.0, 0.0]];
    let (points, triangle) = (points(&at), triangles(&[TRIANGLE]));
    // SAFETY: all pointers are valid.
    let call =
        |results: &_, error| unsafe { dem_point_triangle_distance(results, &points, &triangle, NULL, DEFAULTS, error) };
    let (found, error) = All::of(3, [1, 3], call);
    assert_eq!(error, dem_error::default());
    assert_eq!(found.distance, [3.0, 5.0, 2.0]);
    assert_eq!(found.points, [at.to_vec(), vec![[1.0, 2.0, 0.0], [0.0; 3], [1.0, 0.0, 0.0]]]);
    assert_eq!(found.weights[0], [1.0; 3]);
    assert_eq!(found.weights[1], [0.25, 0.25, 0.5, 1.0, 0.0, 0.0, 0.75, 0.25, 0.0]);
    assert_eq!(found.features, [[0, 6], [0, 0], [0, 3]]);
}

#[test]
fn points_and_segments_by_a_list() {
    let (points, segments) = (points(&[[0.0; 3], [1.0, 2.0, 0.0]]), segments(&[[[0.0; 3], [4.0, 0.0, 0.0]]]));
    let list = [[1u32, 0], [0, 0]];
    let data = list.as_ptr().cast();
    let pairs = dem_indices { data, count: 2, stride: 0, component_stride: 0, r#type: DEM_U32, base: 0 };
    // SAFETY: all pointers are valid.
    let call = |results: &_, error| unsafe {
        dem_point_segment_distance(results, &points, &segments, &pairs, DEFAULTS, error)
    };
    let (found, error) = All::of(2, [1, 2], call);
    assert_eq!((error, &found.distance), (dem_error::default(), &vec![2.0, 0.0]));
    assert_eq!(found.points[1], [[1.0, 0.0, 0.0], [0.0; 3]]);
    assert_eq!((&found.weights[1], &found.features), (&vec![0.75, 0.25, 1.0, 0.0], &vec![[0, 3], [0, 0]]));
}

#[test]
fn segments_one_to_one() {
    let a = segments(&[[[0.0; 3], [4.0, 0.0, 0.0]], [[0.0; 3], [1.0, 0.0, 0.0]]]);
    let b = segments(&[[[3.0, -1.0, 2.0], [3.0, 1.0, 2.0]], [[3.0, 0.0, 0.0], [4.0, 0.0, 0.0]]]);
    // SAFETY: all pointers are valid.
    let call = |results: &_, error| unsafe { dem_segment_distance(results, &a, &b, NULL, DEFAULTS, error) };
    let (found, error) = All::of(2, [2, 2], call);
    assert_eq!((error, &found.distance), (dem_error::default(), &vec![2.0, 2.0]));
    assert_eq!(found.points, [vec![[3.0, 0.0, 0.0], [1.0, 0.0, 0.0]], vec![[3.0, 0.0, 2.0], [3.0, 0.0, 0.0]]]);
    assert_eq!(found.weights, [vec![0.25, 0.75, 0.0, 1.0], vec![0.5, 0.5, 1.0, 0.0]]);
    assert_eq!(found.features, [[3, 3], [1, 0]]);
}

/// Segments whose numbers lie in columns of a structure of arrays.
#[test]
fn segments_in_columns_of_floats() {
    let rows: [[f32; 2]; 6] = [[0.0, 1.0], [0.0, 1.0], [0.0, 1.0], [0.0, 1.0], [0.0, 1.0], [8.0, 9.0]];
    let data = rows.as_ptr().cast();
    let columns = dem_segments {
        data,
        count: 2,
        stride: 4,
        vertex_stride: 24,
        component_stride: 8,
        r#type: DEM_F32,
        reserved: 0,
    };
    let row = [[0.5f32, 0.5, 1.0]];
    let point = dem_array { data: row.as_ptr().cast(), count: 1, r#type: DEM_F32, ..points(&[]) };
    for (precision, tolerance) in [(0, 1e-6), (DEM_F32, 1e-6), (DEM_F64, 0.0)] {
        let options = dem_triangle_options { precision, ..Input::DEFAULT };
        // SAFETY: all pointers are valid.
        let call = |results: &_, error| unsafe {
            dem_point_segment_distance(results, &point, &columns, NULL, &options, error)
        };
        let (found, error) = All::of(2, [1, 2], call);
        assert_eq!(error, dem_error::default());
        let expected = [0.5f64.sqrt(), 0.5f64.sqrt()];
        assert!(found.distance.iter().zip(expected).all(|(d, e)| (d - e).abs() <= tolerance + 1e-15), "{found:?}");
    }
}

#[test]
fn mistakes_are_told_with_their_place_and_nothing_is_written() {
    let (good, segment) = (points(&[[0.0; 3]; 2]), segments(&[[[0.0; 3], [4.0, 0.0, 0.0]]; 2]));
    let bad = [[[0.0; 3], [4.0, 0.0, 0.0]], [[0.0; 3], [0.0, f64::NAN, 0.0]]];
    let huge = [[1e300; 3]; 2];
    let (broken, huge) = (segments(&bad), points(&huge));
    let single = dem_triangle_options { precision: DEM_F32, ..Input::DEFAULT };
    let odd = dem_triangle_options { precision: 9, ..Input::DEFAULT };
    let (null_points, null): (*const dem_array, *const dem_segments) = (core::ptr::null(), core::ptr::null());
    let null_data = dem_array { data: core::ptr::null(), ..good };
    let strided = dem_segments { vertex_stride: 7, ..segment };
    for (points, segments, options, code, what, index, component) in [
        (null_points, &raw const segment, DEFAULTS, DEM_ERROR_NULL, What::Points, 0, 0),
        (&raw const good, null, DEFAULTS, DEM_ERROR_NULL, What::SegmentsB, 0, 0),
        (&null_data, &segment, DEFAULTS, DEM_ERROR_NULL, What::Points, 0, 255),
        (&good, &strided, DEFAULTS, DEM_ERROR_BAD_SIZE, What::SegmentsB, 0, 2),
        (&good, &dem_segments { r#type: 0, ..segment }, DEFAULTS, DEM_ERROR_OUT_OF_RANGE, What::SegmentsB, 0, 0),
        (&good, &dem_segments { reserved: 1, ..segment }, DEFAULTS, DEM_ERROR_OUT_OF_RANGE, What::SegmentsB, 0, 0),
        (&dem_array { reserved: 1, ..good }, &segment, DEFAULTS, DEM_ERROR_OUT_OF_RANGE, What::Points, 0, 0),
        (&good, &broken, DEFAULTS, DEM_ERROR_NOT_FINITE, What::SegmentsB, 1, 4),
        (&huge, &segment, &single, DEM_ERROR_NOT_FINITE, What::Points, 0, 0),
        (&good, &segment, &odd, DEM_ERROR_OUT_OF_RANGE, What::Precision, 0, 0),
        (&good, &dem_segments { count: 3, ..segment }, DEFAULTS, DEM_ERROR_MISMATCH, What::SegmentsB, 0, 0),
    ] {
        // SAFETY: the pointers are valid, or refused before they are read.
        let call =
            |results: &_, error| unsafe { dem_point_segment_distance(results, points, segments, NULL, options, error) };
        let (untouched, error) = All::of(2, [1, 2], call);
        assert_eq!((error.code, error.argument, error.index, error.component), (code, what as u32, index, component));
        assert!(untouched.distance.iter().all(|d| *d == -1.0) && untouched.weights[1].iter().all(|w| *w == -1.0));
    }
    // SAFETY: as above.
    let short =
        |results: &_, error| unsafe { dem_point_segment_distance(results, &good, &segment, NULL, DEFAULTS, error) };
    let (untouched, error) = All::of(1, [1, 2], short);
    assert_eq!(
        (error.code, error.needed, error.given, &untouched.distance[..]),
        (DEM_ERROR_CAPACITY, 2, 1, &[-1.0][..])
    );
}
