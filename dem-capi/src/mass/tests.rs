//! Tests of closed forms, sizes and refusals. The core tests the integrals.

use super::*;
use crate::errors::*;
use crate::testing::{Shape, cube, scratch_of};

fn needed(shape: *const dem_shape) -> usize {
    let (mut found, record) = (dem_mass::default(), size_of::<dem_mass>());
    // SAFETY: all pointers are valid.
    scratch_of(|to, size, error| unsafe { dem_shape_mass(&mut found, record, shape, 1.0, to, size, error) })
}

fn mass(shape: &Shape, density: f64, short: usize) -> (dem_mass, dem_error) {
    let size = needed(shape.handle());
    let (mut scratch, mut found) = (vec![0x55u8; size], dem_mass { volume: -7.0, ..dem_mass::default() });
    let (mut error, start) = (dem_error { code: 99, ..dem_error::default() }, scratch.as_mut_ptr().cast());
    let record = size_of::<dem_mass>();
    // SAFETY: all memory has the size that is passed.
    let status =
        unsafe { dem_shape_mass(&mut found, record, shape.handle(), density, start, size - short, &mut error) };
    assert_eq!(status, error.code);
    (found, error)
}

#[test]
fn a_cube_has_the_mass_of_a_cube() {
    let (found, error) = mass(&Shape::new(&cube(), 0.5), 3.0, 0);
    assert_eq!((error, found.volume, found.mass, found.area), (dem_error::default(), 1.0, 3.0, 6.0));
    assert_eq!((found.centre, found.holes, found.volume_error, found.state), ([0.5; 3], 0, 0.0, 0));
    for (i, row) in found.inertia.iter().enumerate() {
        for (j, x) in row.iter().enumerate() {
            assert!((x - if i == j { 0.5 } else { 0.0 }).abs() < 1e-15, "{:?}", found.inertia);
        }
    }
    assert!(found.moments.iter().all(|m| (m - 0.5).abs() < 1e-15));
    // The principal axes are those of the frame, so the part is only moved.
    assert_eq!((found.part_pose.position, found.part_pose.orientation), ([-0.5; 3], [0.0, 0.0, 0.0, 1.0]));
}

#[test]
fn what_is_unsure_about_an_open_cube_is_told() {
    let open = cube().split_off(1);
    let (found, error) = mass(&Shape::new(&open, 0.0), 1.0, 0);
    assert_eq!((error, found.holes), (dem_error::default(), 1));
    assert!((found.volume - 1.0).abs() <= found.volume_error && found.volume_error > 0.0, "{found:?}");
    assert!(found.centre.iter().all(|x| (x - 0.5).abs() <= found.centre_error) && found.inertia_error > 0.0);
    let inside_out: Vec<_> = cube().iter().map(|[a, b, c]| [*a, *c, *b]).collect();
    let (found, _) = mass(&Shape::new(&inside_out, 0.0), 1.0, 0);
    assert_eq!((found.volume, found.state), (1.0, DEM_MASS_INWARD));
    let (found, _) = mass(&Shape::new(&cube()[..2], 0.0), 1.0, 0);
    assert_eq!((found.volume, found.area, found.state), (0.0, 1.0, DEM_MASS_FLAT));
}

#[test]
fn mistakes_are_told_and_nothing_is_written() {
    let shape = Shape::new(&cube(), 0.0);
    let size = needed(shape.handle()) as u64;
    for (density, short, code, what, amounts) in [
        (f64::NAN, 0, DEM_ERROR_NOT_FINITE, What::Density, (0, 0)),
        (0.0, 0, DEM_ERROR_OUT_OF_RANGE, What::Density, (0, 0)),
        (1.0, 1, DEM_ERROR_CAPACITY, What::Scratch, (size, size - 1)),
        (1e300, 0, DEM_OK, What::None, (0, 0)),
    ] {
        let (found, error) = mass(&shape, density, short);
        assert_eq!((error.code, error.argument, (error.needed, error.given)), (code, what as u32, amounts));
        assert_eq!(found.volume == -7.0, code != DEM_OK);
    }
    let huge: Vec<_> = cube().iter().map(|t| t.map(|p| p.map(|x| x * 1e17))).collect();
    assert_eq!(mass(&Shape::new(&huge, 0.0), 1e290, 0).1.argument, What::Mesh as u32);
    let null: *mut dem_error = core::ptr::null_mut();
    let memory = shape.handle().cast_mut();
    // SAFETY: the call refuses its arguments before it writes.
    unsafe {
        assert_eq!(dem_shape_mass(null.cast(), 0, null.cast(), 1.0, null.cast(), 0, null), DEM_ERROR_NULL);
        let inside = dem_shape_mass(null.cast(), 0, memory, 1.0, memory.cast(), 1 << 12, null);
        assert_eq!(inside, DEM_ERROR_OVERLAP);
    }
}
