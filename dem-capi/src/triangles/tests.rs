//! Tests of layouts, pairings, precision and refusals. The core tests distances.

use super::*;
use crate::arrays::{DEM_I32, DEM_U32, dem_output};
use crate::errors::*;
use crate::inputs::Input;
use crate::shapes::*;
use core::ffi::c_void;

const NULL_PAIRS: *const dem_indices = core::ptr::null();
const NO_OPTIONS: *const dem_triangle_options = core::ptr::null();

/// Triangles at height `z[i]`, all above each other.
fn stack(z: &[f64]) -> Vec<[f64; 9]> {
    z.iter().map(|z| [0.0, 0.0, *z, 1.0, 0.0, *z, 0.0, 1.0, *z]).collect()
}

fn packed<T>(data: &[T], count: usize, scalar: u32) -> dem_triangles {
    let data = data.as_ptr().cast();
    dem_triangles { data, count, stride: 0, vertex_stride: 0, component_stride: 0, r#type: scalar, reserved: 0 }
}

fn output<T>(data: &mut [T], count: usize, scalar: u32) -> dem_output {
    let data = data.as_mut_ptr().cast();
    dem_output { data, count, stride: 0, component_stride: 0, r#type: scalar, reserved: 0 }
}

fn call(
    results: &dem_closest_points,
    a: &dem_triangles,
    b: &dem_triangles,
    pairs: *const dem_indices,
    options: *const dem_triangle_options,
) -> dem_error {
    let mut error = dem_error { code: 99, ..dem_error::default() };
    // SAFETY: the arrays of the tests exist, or the call refuses them before it reads them.
    let status = unsafe { dem_triangle_distance(results, a, b, pairs, options, &mut error) };
    assert_eq!(status, error.code);
    error
}

/// Distances of the two arrays, and the error.
fn distances(a: &dem_triangles, b: &dem_triangles, pairs: *const dem_indices, count: usize) -> (Vec<f64>, dem_error) {
    let mut distances = vec![-1.0; count];
    let results = dem_closest_points { distance: output(&mut distances, count, DEM_F64), ..Input::DEFAULT };
    let error = call(&results, a, b, pairs, NO_OPTIONS);
    (distances, error)
}

fn refused(code: i32, what: What) -> dem_error {
    dem_error { code, argument: what as u32, ..dem_error::default() }
}

#[test]
fn one_to_one_one_to_many_many_to_one_and_by_list() {
    let (low, high) = (stack(&[0.0, 1.0, 2.0]), stack(&[5.0, 7.0, 9.0]));
    let (a, b) = (packed(&low, 3, DEM_F64), packed(&high, 3, DEM_F64));
    let one = |t: &dem_triangles| dem_triangles { count: 1, ..*t };
    let ok = dem_error::default();
    assert_eq!(distances(&a, &b, NULL_PAIRS, 3), (vec![5.0, 6.0, 7.0], ok));
    assert_eq!(distances(&one(&a), &b, NULL_PAIRS, 3), (vec![5.0, 7.0, 9.0], ok));
    assert_eq!(distances(&a, &one(&b), NULL_PAIRS, 3), (vec![5.0, 4.0, 3.0], ok));
    let list = [[3i32, 1], [1, 3]];
    let data = list.as_ptr().cast();
    let fortran = dem_indices { data, count: 2, stride: 0, component_stride: 0, r#type: DEM_I32, base: 1 };
    assert_eq!(distances(&a, &b, &fortran, 2), (vec![3.0, 9.0], ok));
    let none = dem_triangles { count: 0, data: core::ptr::null(), ..a };
    assert_eq!(distances(&none, &none, NULL_PAIRS, 0), (vec![], ok));
    assert_eq!(distances(&none, &one(&b), NULL_PAIRS, 0), (vec![], ok));
}

#[test]
fn wrong_pairings_are_refused() {
    let (low, high) = (stack(&[0.0, 1.0, 2.0]), stack(&[5.0, 7.0, 9.0]));
    let (a, b) = (packed(&low, 3, DEM_F64), packed(&high, 2, DEM_F64));
    let (untouched, error) = distances(&a, &b, NULL_PAIRS, 3);
    assert_eq!(untouched, [-1.0; 3]);
    assert_eq!(error, dem_error { needed: 3, given: 2, ..refused(DEM_ERROR_MISMATCH, What::TrianglesB) });
    for (base, bad) in [(0, -1), (0, 2), (1, 0), (1, 3)] {
        let list = [[base, base], [base, bad]];
        let data = list.as_ptr().cast();
        let pairs = dem_indices { data, count: 2, stride: 0, component_stride: 0, r#type: DEM_I32, base: base as u32 };
        let (untouched, error) = distances(&a, &b, &pairs, 2);
        assert_eq!(untouched, [-1.0; 2]);
        let given = u64::from(bad as u32);
        let expected =
            dem_error { index: 1, component: 1, needed: 2, given, ..refused(DEM_ERROR_BAD_INDEX, What::Pairs) };
        assert_eq!(error, expected);
    }
}

#[test]
fn every_layout_reads_and_writes_the_same() {
    #[repr(C, packed)]
    #[derive(Clone, Copy, Default)]
    struct Element {
        id: u8,
        a: [f32; 9],
        b: [f32; 9],
        gap: f64,
        point: [f64; 3],
    }
    let mut elements = [Element::default(); 40];
    let mut rows = [[0.0f64; 40]; 18];
    for (i, e) in elements.iter_mut().enumerate() {
        for k in 0..9 {
            (e.a[k], e.b[k]) = ((i * 7 % 11 + k * k) as f32, (i * 5 % 13 + 3 * k) as f32 + 30.0);
            (rows[k][i], rows[k + 9][i]) = (e.a[k].into(), e.b[k].into());
        }
    }
    let first = elements.as_mut_ptr().cast::<u8>();
    let at = |offset: usize| first.wrapping_add(offset).cast::<c_void>();
    let stride = size_of::<Element>();
    let strided = |offset| dem_triangles { data: at(offset), stride, ..packed(&[0u8; 0], 40, DEM_F32) };
    let place = |offset| dem_output { data: at(offset), stride, ..output(&mut [0u8; 0], 40, DEM_F64) };
    let in_place = dem_closest_points { distance: place(73), point_b: place(81), ..Input::DEFAULT };
    let double = dem_triangle_options { precision: DEM_F64, ..Input::DEFAULT };
    assert_eq!(call(&in_place, &strided(1), &strided(37), NULL_PAIRS, &double).code, DEM_OK);

    let row = |from: usize| dem_triangles {
        stride: 8,
        vertex_stride: 3 * 320,
        component_stride: 320,
        ..packed(rows[from..].as_flattened(), 40, DEM_F64)
    };
    let (mut gap, mut point) = ([0.0; 40], [[0.0; 40]; 3]);
    let columns = dem_output { stride: 8, component_stride: 320, ..output(&mut point, 40, DEM_F64) };
    let apart = dem_closest_points { distance: output(&mut gap, 40, DEM_F64), point_b: columns, ..Input::DEFAULT };
    assert_eq!(call(&apart, &row(0), &row(9), NULL_PAIRS, NO_OPTIONS).code, DEM_OK);
    for (i, e) in elements.iter().enumerate() {
        assert_eq!((e.id, { e.gap }, { e.point }), (0, gap[i], point.map(|row| row[i])));
        assert!(gap[i] > 0.0);
    }
}

#[test]
fn weights_and_features_belong_to_the_points() {
    let (low, high) = (stack(&[0.0]), vec![[0.25, 0.25, 1.0, 0.25, 0.25, 2.0, 9.0, 9.0, 2.0]]);
    let (mut weights, mut features, mut points) = ([[0f32; 3]; 2], [[9u32; 2]; 1], [[0f32; 3]; 2]);
    let [(wa, wb), (pa, pb)] = [&mut weights, &mut points].map(|both| {
        let (a, b) = both.split_at_mut(1);
        (output(a, 1, DEM_F32), output(b, 1, DEM_F32))
    });
    let features_out = output(&mut features, 1, DEM_U32);
    let results = dem_closest_points {
        point_a: pa,
        point_b: pb,
        weights_a: wa,
        weights_b: wb,
        features: features_out,
        ..Input::DEFAULT
    };
    let error = call(&results, &packed(&low, 1, DEM_F64), &packed(&high, 1, DEM_F64), NULL_PAIRS, NO_OPTIONS);
    assert_eq!(error, dem_error::default());
    assert_eq!(points, [[0.25, 0.25, 0.0], [0.25, 0.25, 1.0]]);
    assert_eq!(weights, [[0.5, 0.25, 0.25], [1.0, 0.0, 0.0]]);
    assert_eq!(features, [[DEM_FEATURE_FACE, DEM_FEATURE_VERTEX_0]]);
}

#[test]
fn numbers_that_are_none_are_found_where_they_are() {
    let mut high = stack(&[5.0; 40]);
    high[33][4] = f64::NAN;
    let (low, list) = (stack(&[0.0]), [[0u32, 2], [0, 33]]);
    let (a, b) = (packed(&low, 1, DEM_F64), packed(&high, 40, DEM_F64));
    let expected = dem_error { index: 33, component: 4, ..refused(DEM_ERROR_NOT_FINITE, What::TrianglesB) };
    let (untouched, error) = distances(&a, &b, NULL_PAIRS, 40);
    assert_eq!(error, expected);
    let data = list.as_ptr().cast();
    let pairs = dem_indices { data, count: 2, stride: 0, component_stride: 0, r#type: DEM_U32, base: 0 };
    assert_eq!(distances(&a, &b, &pairs, 2).1, expected);
    assert!(untouched.iter().all(|d| *d == -1.0));
    let wrong = dem_error { argument: What::TrianglesA as u32, index: 0, ..expected };
    let nan = dem_triangles { data: high[33].as_ptr().cast(), count: 1, ..b };
    assert_eq!(distances(&nan, &a, NULL_PAIRS, 1).1, wrong);
}

#[test]
fn a_small_distance_does_not_become_a_touch_by_conversion() {
    let tiny = |z: &[f64]| stack(z).into_iter().map(|t| t.map(|x| x * 1e-60)).collect::<Vec<_>>();
    let (low, high) = (tiny(&[0.0, 0.0]), tiny(&[1.0, 0.0]));
    let mut distance = [9f32; 2];
    let results = dem_closest_points { distance: output(&mut distance, 2, DEM_F32), ..Input::DEFAULT };
    call(&results, &packed(&low, 2, DEM_F64), &packed(&high, 2, DEM_F64), NULL_PAIRS, NO_OPTIONS);
    assert_eq!(distance.map(f32::to_bits), [1, 0]);
}

#[test]
fn descriptions_that_make_no_sense_are_refused() {
    let low = stack(&[0.0, 1.0]);
    let good = packed(&low, 2, DEM_F64);
    let mut out = [-1.0; 2];
    let results = dem_closest_points { distance: output(&mut out, 2, DEM_F64), ..Input::DEFAULT };
    let huge = |given| {
        let limit = isize::MAX as u64;
        dem_error { needed: limit, given, ..refused(DEM_ERROR_TOO_LARGE, What::TrianglesA) }
    };
    let range = |what, needed, given| dem_error { needed, given, ..refused(DEM_ERROR_OUT_OF_RANGE, what) };
    let small = dem_error { needed: 8, given: 7, ..refused(DEM_ERROR_BAD_SIZE, What::TrianglesA) };
    for (a, expected) in [
        (dem_triangles { r#type: 3, ..good }, range(What::TrianglesA, 1, 3)),
        (dem_triangles { reserved: 1, ..good }, range(What::TrianglesA, 0, 1)),
        (
            dem_triangles { data: core::ptr::null(), ..good },
            dem_error { component: 255, ..refused(DEM_ERROR_NULL, What::TrianglesA) },
        ),
        (dem_triangles { stride: 7, ..good }, small),
        (dem_triangles { vertex_stride: 7, ..good }, dem_error { component: 2, ..small }),
        (dem_triangles { component_stride: 7, ..good }, dem_error { component: 1, ..small }),
        (dem_triangles { stride: usize::MAX, ..good }, huge(u64::MAX)),
        (dem_triangles { vertex_stride: usize::MAX / 2, ..good }, huge(u64::MAX)),
        (dem_triangles { component_stride: usize::MAX / 8 * 8, ..good }, huge(u64::MAX)),
        (dem_triangles { stride: isize::MAX as usize - 8, ..good }, huge(isize::MAX as u64 + 64)),
    ] {
        assert_eq!(call(&results, &a, &good, NULL_PAIRS, NO_OPTIONS), expected, "{a:?}");
    }
    for (distance, expected) in [
        (dem_output { r#type: DEM_U32, ..results.distance }, range(What::Distances, 1, 4)),
        (dem_output { reserved: 7, ..results.distance }, range(What::Distances, 0, 7)),
        (
            dem_output { stride: 1, ..results.distance },
            dem_error { given: 1, argument: What::Distances as u32, ..small },
        ),
        (
            dem_output { count: 1, ..results.distance },
            dem_error { needed: 2, given: 1, ..refused(DEM_ERROR_CAPACITY, What::Distances) },
        ),
    ] {
        let results = dem_closest_points { distance, ..results };
        assert_eq!(call(&results, &good, &good, NULL_PAIRS, NO_OPTIONS), expected, "{distance:?}");
    }
    for (options, code) in [
        (dem_triangle_options { isa: 99, ..Input::DEFAULT }, DEM_ERROR_UNSUPPORTED),
        (dem_triangle_options { precision: 3, ..Input::DEFAULT }, DEM_ERROR_OUT_OF_RANGE),
        (dem_triangle_options { reserved: 1, ..Input::DEFAULT }, DEM_ERROR_OUT_OF_RANGE),
        (dem_triangle_options { struct_size: 0, ..Input::DEFAULT }, DEM_ERROR_BAD_SIZE),
    ] {
        assert_eq!(call(&results, &good, &good, NULL_PAIRS, &options).code, code, "{options:?}");
    }
    assert_eq!(out, [-1.0; 2], "nothing was written");
}
