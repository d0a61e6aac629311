//! Tests of results in place, blocks of points, bounds and refusals. The core tests the results themselves.

use super::*;
use crate::arrays::{DEM_U32, dem_array};
use crate::errors::*;
use crate::inputs::Input;
use crate::placed::{IDENTITY, dem_pose};
use crate::shapes::*;
use crate::testing::{Line, Shape, cube, output, vectors};

/// A particle of a solver: results are fields beside its position.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
struct Particle {
    at: [f32; 3],
    side: u32,
    signed: f64,
    normal: [f64; 3],
}

/// More points than one block, inside and outside of the unit cube.
fn particles() -> Vec<Particle> {
    let at = |i: usize| [i * 7 % 19, i * 11 % 17, i * 5 % 13].map(|n| n as f32 / 8.0 - 0.6);
    (0..3 * BLOCK + 5).map(|i| Particle { at: at(i), side: 9, ..Particle::default() }).collect()
}

/// Signed distance from the unit cube.
fn from_cube(p: [f32; 3]) -> f64 {
    let beyond = p.map(|x| (f64::from(x) - 0.5).abs() - 0.5);
    let outside = beyond.map(|x| x.max(0.0));
    let most = beyond.into_iter().fold(f64::MIN, f64::max);
    if most <= 0.0 { most } else { outside.iter().map(|x| x * x).sum::<f64>().sqrt() }
}

fn needed(query: &dem_point_query) -> usize {
    // SAFETY: all pointers are valid.
    let few = unsafe { super::run::with(query, |q| narrow::points_scratch(&q.operand)) };
    crate::memory::scratch_size(few.unwrap()).unwrap()
}

/// Calls the function with exactly as much scratch as is needed, less `short`.
fn find(results: &dem_point_results, query: &dem_point_query, short: usize) -> dem_error {
    let size = needed(query);
    let (mut scratch, mut error) = (vec![0x55u8; size], dem_error { code: 99, ..dem_error::default() });
    let start = scratch.as_mut_ptr().cast();
    // SAFETY: all memory has the size that is passed, or the call refuses it.
    let status = unsafe { dem_point_distance(results, query, start, size - short, &mut error) };
    assert_eq!(status, error.code);
    error
}

#[test]
fn signed_distances_go_into_the_hosts_own_structs() {
    let (shape, mut particles) = (Shape::new(&cube(), 0.3), particles());
    let (count, stride) = (particles.len(), size_of::<Particle>());
    let base = particles.as_mut_ptr().cast::<u8>();
    let place = |offset: usize, r#type| {
        let data = base.wrapping_add(offset).cast();
        dem_output { data, count, stride, component_stride: 0, r#type, reserved: 0 }
    };
    let points = dem_array { data: base.cast(), count, stride, component_stride: 0, r#type: DEM_F32, reserved: 0 };
    let query = dem_point_query { shape: shape.handle(), points, ..Input::DEFAULT };
    let results = dem_point_results {
        side: place(core::mem::offset_of!(Particle, side), DEM_U32),
        signed_distance: place(core::mem::offset_of!(Particle, signed), DEM_F64),
        normal: place(core::mem::offset_of!(Particle, normal), DEM_F64),
        ..Input::DEFAULT
    };
    // With as much scratch as an error asks for, points traverse the tree together, with the same result bits.
    let mut error = dem_error::default();
    let mut ask = |start, size| {
        // SAFETY: all memory has the size that is passed.
        unsafe { dem_point_distance(&results, &query, start, size, &mut error) };
        error
    };
    let mut scratch = vec![0x55u8; ask(core::ptr::null_mut(), 0).needed as usize];
    assert_eq!(ask(scratch.as_mut_ptr().cast(), scratch.len()), dem_error::default());
    // SAFETY: the particles exist, and nothing writes to them.
    let together = unsafe { core::slice::from_raw_parts(base.cast::<Particle>().cast_const(), count) }.to_vec();
    assert_eq!(find(&results, &query, 0), dem_error::default());
    assert!(particles.iter().zip(&together).all(|(a, b)| a.signed.to_bits() == b.signed.to_bits() && a == b));
    let mut sides = [0; 3];
    for (i, p) in particles.iter().enumerate() {
        let expected = from_cube(p.at);
        assert!((p.signed - expected).abs() < 1e-15, "{i}: {p:?}, not {expected}");
        let side = if expected < 0.0 { DEM_SIDE_INSIDE } else { DEM_SIDE_OUTSIDE };
        assert_eq!(p.side, if expected == 0.0 { DEM_SIDE_SURFACE } else { side });
        assert!((p.normal.iter().map(|x| x * x).sum::<f64>() - 1.0).abs() < 1e-14);
        sides[p.side as usize] += 1;
    }
    assert!(sides[0] > 50 && sides[1] > 20, "{sides:?}");
}

#[test]
fn every_result_of_a_point_by_itself_is_that_among_others() {
    let (shape, particles) = (Shape::new(&cube(), 0.0), particles());
    let at: Vec<[f64; 3]> = particles.iter().map(|p| p.at.map(f64::from)).collect();
    let pose = dem_pose { position: [0.25, 0.5, -0.125], orientation: [0.1, 0.2, 0.3, 0.9] };
    let all = |at: &[[f64; 3]]| {
        let n = at.len();
        let (mut integers, mut lengths, mut vectors) =
            (vec![[9u32; 4]; n], vec![[-1.0; 2]; n], vec![[[-1.0; 3]; 2]; n]);
        let integers_at: *mut c_void = integers.as_mut_ptr().cast();
        let lengths_at: *mut c_void = lengths.as_mut_ptr().cast();
        let vectors_at: *mut c_void = vectors.as_mut_ptr().cast();
        let part = |data: *mut c_void, at: usize, stride, r#type| {
            let data = data.wrapping_byte_add(at);
            dem_output { data, count: n, stride, component_stride: 0, r#type, reserved: 0 }
        };
        let integer = |k: usize| part(integers_at, 4 * k, 16, DEM_U32);
        let length = |k: usize| part(lengths_at, 8 * k, 16, DEM_F64);
        let vector = |k: usize| part(vectors_at, 24 * k, 48, DEM_F64);
        let results = dem_point_results {
            triangle: integer(0),
            feature: integer(1),
            side: integer(2),
            doubt: integer(3),
            distance: length(0),
            signed_distance: length(1),
            point: vector(0),
            normal: vector(1),
            ..Input::DEFAULT
        };
        let query =
            dem_point_query { shape: shape.handle(), pose, points: self::vectors(at), bound: 0.5, ..Input::DEFAULT };
        assert_eq!(find(&results, &query, 0), dem_error::default());
        (integers, lengths, vectors)
    };
    let together = all(&at);
    let mut beyond = 0;
    for (i, point) in at.iter().enumerate() {
        let alone = all(&[*point]);
        assert_eq!((alone.0[0], alone.1[0], alone.2[0]), (together.0[i], together.1[i], together.2[i]), "{i}");
        if alone.0[0][2] == DEM_SIDE_BEYOND {
            assert_eq!((alone.0[0][0], alone.1[0], alone.2[0]), (DEM_NO_ID, [f64::INFINITY; 2], [[0.0; 3]; 2]));
            beyond += 1;
        } else {
            assert!(alone.1[0][0] <= 0.5 && alone.1[0][0] == alone.1[0][1].abs() && alone.0[0][0] < 12);
        }
    }
    assert!(0 < beyond && beyond < at.len());
}

#[test]
fn winding_numbers_tell_inside_too() {
    let (shape, particles) = (Shape::new(&cube(), 0.0), particles());
    let at: Vec<[f64; 3]> = particles.iter().map(|p| p.at.map(f64::from)).collect();
    let mut winding = vec![-9.0; at.len()];
    let query = dem_point_query { shape: shape.handle(), points: vectors(&at), ..Input::DEFAULT };
    let to = output(&mut winding, DEM_F64);
    // SAFETY: all pointers are valid.
    unsafe {
        assert_eq!(dem_point_winding(&to, &query, core::ptr::null_mut()), DEM_OK);
        let none = dem_output { data: core::ptr::null_mut(), ..to };
        assert_eq!(dem_point_winding(&none, &query, core::ptr::null_mut()), DEM_ERROR_NULL);
        let short = dem_output { count: at.len() - 1, ..to };
        assert_eq!(dem_point_winding(&short, &query, core::ptr::null_mut()), DEM_ERROR_CAPACITY);
    }
    for (w, p) in winding.iter().zip(&particles) {
        let signed = from_cube(p.at);
        assert!(signed == 0.0 || (w - f64::from(signed < 0.0)).abs() < 1e-12, "{p:?}: {w}");
    }
}

#[test]
fn mistakes_are_told_with_their_place_and_nothing_is_written() {
    let shape = Shape::new(&cube(), 0.0);
    let mut at = vec![[0.5; 3]; 2 * BLOCK];
    let good = dem_point_query { shape: shape.handle(), points: vectors(&at), ..Input::DEFAULT };
    let mut nan = at.clone();
    nan[BLOCK + 3][1] = f64::NAN;
    at[BLOCK + 7][2] = 1e305;
    let broken = Shape(vec![Line([7; 64]); 4]);
    let pose = |orientation| dem_pose { orientation, ..IDENTITY };
    let mut distance = vec![-1.0; 2 * BLOCK];
    let results = dem_point_results { distance: output(&mut distance, DEM_F64), ..Input::DEFAULT };
    let size = needed(&good);
    let mut scratch = vec![0x55u8; size];
    let start: *mut c_void = scratch.as_mut_ptr().cast();
    for (query, code, what, index, component) in [
        (dem_point_query { shape: core::ptr::null(), ..good }, DEM_ERROR_NULL, What::Shape, 0, 0),
        (dem_point_query { shape: broken.handle(), ..good }, DEM_ERROR_DAMAGED, What::Shape, 0, 0),
        (
            dem_point_query { shape: shape.handle().wrapping_byte_add(8), ..good },
            DEM_ERROR_MISALIGNED,
            What::Shape,
            0,
            0,
        ),
        (dem_point_query { points: vectors(&nan), ..good }, DEM_ERROR_NOT_FINITE, What::Points, BLOCK + 3, 1),
        (dem_point_query { points: vectors(&at), ..good }, DEM_ERROR_OUT_OF_RANGE, What::Points, BLOCK + 7, 2),
        (
            dem_point_query { points: dem_array { r#type: 3, ..good.points }, ..good },
            DEM_ERROR_OUT_OF_RANGE,
            What::Points,
            0,
            0,
        ),
        (dem_point_query { pose: pose([0.0; 4]), ..good }, DEM_ERROR_OUT_OF_RANGE, What::Pose, 0, 3),
        (dem_point_query { bound: -1.0, ..good }, DEM_ERROR_OUT_OF_RANGE, What::Bound, 0, 0),
        (dem_point_query { bound: f64::NAN, ..good }, DEM_ERROR_NOT_FINITE, What::Bound, 0, 0),
        (dem_point_query { reserved: 1, ..good }, DEM_ERROR_OUT_OF_RANGE, What::Query, 0, 0),
        (dem_point_query { isa: 77, ..good }, DEM_ERROR_UNSUPPORTED, What::Isa, 0, 0),
        (dem_point_query { struct_size: 1, ..good }, DEM_ERROR_BAD_SIZE, What::Query, 0, 3),
    ] {
        let mut error = dem_error::default();
        // SAFETY: all pointers are valid, or the call refuses them.
        let status = unsafe { dem_point_distance(&results, &query, start, size, &mut error) };
        let found = (status, error.argument, error.index, error.component);
        assert_eq!(found, (code, what as u32, index as u64, component), "{query:?}");
    }
    let short = find(&results, &good, 1);
    assert_eq!((short.code, short.argument), (DEM_ERROR_CAPACITY, What::Scratch as u32));
    // The error tells the scratch for points that traverse the tree together.
    assert!(short.needed > size as u64 + (1 << 17) && short.given == size as u64 - 1, "{short:?}");
    let reserved = dem_point_results { reserved: 1, ..results };
    assert_eq!(find(&reserved, &good, 0).code, DEM_ERROR_OUT_OF_RANGE);
    let wrong = dem_point_results { side: results.distance, ..results };
    assert_eq!(
        (find(&wrong, &good, 0).argument, find(&wrong, &good, 0).code),
        (What::Sides as u32, DEM_ERROR_OUT_OF_RANGE)
    );
    let inside = dem_output { data: shape.handle().cast_mut().cast(), ..results.distance };
    assert_eq!(find(&dem_point_results { distance: inside, ..results }, &good, 0).code, DEM_ERROR_OVERLAP);
    assert!(distance.iter().all(|d| *d == -1.0));
}
