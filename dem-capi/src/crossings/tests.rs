//! Tests of lists, sizes and refusals. The core tests which triangles cross.

use super::*;
use crate::errors::*;
use crate::testing::{Shape, cube, scratch_of};

fn needed(shape: *const dem_shape) -> usize {
    let null = core::ptr::null_mut::<usize>();
    // SAFETY: all pointers are valid.
    scratch_of(|to, size, error| unsafe {
        dem_shape_self_intersections(null.cast(), 0, null, shape, 0, to, size, error)
    })
}

/// Calls the function: pairs, their number, the error. The memory is one pair longer than the capacity.
fn crossings(shape: &Shape, capacity: usize, short: usize) -> (Vec<[u32; 2]>, usize, dem_error) {
    let size = needed(shape.handle());
    let (mut scratch, mut pairs, mut count) = (vec![0x55u8; size], vec![[99; 2]; capacity + 1], 77);
    let (mut error, start) = (dem_error { code: 99, ..dem_error::default() }, scratch.as_mut_ptr().cast());
    let to = pairs.as_mut_ptr();
    let (handle, given) = (shape.handle(), size - short);
    // SAFETY: all memory has the size that is passed.
    let status = unsafe { dem_shape_self_intersections(to, capacity, &mut count, handle, 0, start, given, &mut error) };
    assert_eq!(status, error.code);
    assert_eq!(pairs.pop(), Some([99; 2]));
    (pairs, count, error)
}

#[test]
fn a_needle_through_two_faces_crosses_both() {
    let mut triangles = cube();
    let clean = Shape::new(&triangles, 0.1);
    assert_eq!(crossings(&clean, 0, 0), (vec![], 0, dem_error::default()));
    triangles.push([[0.3, 0.2, -1.0], [0.31, 0.2, -1.0], [0.3, 0.2, 2.0]]);
    let shape = Shape::new(&triangles, 0.1);
    // The bottom is triangles 0 and 1, the top is 2 and 3; the added triangle passes on one side of their diagonals.
    let (pairs, count, error) = crossings(&shape, 2, 0);
    assert_eq!((count, error), (2, dem_error::default()));
    assert!(pairs[0][0] < 2 && (2..4).contains(&pairs[1][0]) && pairs.iter().all(|p| p[1] == 12), "{pairs:?}");
    let (_, count, error) = crossings(&shape, 1, 0);
    assert_eq!((count, error.code, error.argument), (2, DEM_ERROR_CAPACITY, What::Output as u32));
    assert_eq!((error.needed, error.given), (2, 1));
    let (untouched, count, error) = crossings(&shape, 2, 1);
    assert_eq!((untouched, count, error.code), (vec![[99; 2]; 2], 0, DEM_ERROR_CAPACITY));
    assert_eq!((error.argument, error.needed), (What::Scratch as u32, needed(shape.handle()) as u64));
}

#[test]
fn mistakes_are_told() {
    let shape = Shape::new(&cube(), 0.0);
    let mut memory = vec![0u64; 1 << 14];
    let start = memory.as_mut_ptr().cast::<c_void>();
    let (handle, size) = (shape.handle(), needed(shape.handle()));
    let null: *mut dem_error = core::ptr::null_mut();
    let call = |pairs: *mut c_void, shape, isa, scratch| {
        // SAFETY: all memory has the size that is passed, or the call refuses it.
        unsafe { dem_shape_self_intersections(pairs.cast(), 1, null.cast(), shape, isa, scratch, size, null) }
    };
    let behind = start.wrapping_byte_add(64);
    assert_eq!(call(start, handle, 0, behind), DEM_OK);
    assert_eq!(call(null.cast(), handle, 0, behind), DEM_ERROR_NULL);
    assert_eq!(call(start, null.cast(), 0, behind), DEM_ERROR_NULL);
    assert_eq!(call(start, handle, 99, behind), DEM_ERROR_UNSUPPORTED);
    assert_eq!(call(start.wrapping_byte_add(2), handle, 0, behind), DEM_ERROR_MISALIGNED);
    assert_eq!(call(start, handle, 0, start), DEM_ERROR_OVERLAP);
    assert_eq!(call(start, handle, 0, handle.cast_mut().cast()), DEM_ERROR_OVERLAP);
    assert_eq!(call(handle.cast_mut().cast(), handle, 0, behind), DEM_ERROR_OVERLAP);
}
