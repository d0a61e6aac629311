//! Tests of sizes, closed forms and refusals in C. The core tests the integrals.

use super::*;
use crate::errors::*;
use crate::mass::dem_shape_mass;
use crate::placed::*;
use crate::testing::{Shape as Mesh, cube, scratch_of};
use core::f64::consts::PI;
use core::ptr::null_mut;

fn ball(x: f64) -> dem_placed {
    let pose = dem_pose { position: [x, 0.0, 0.0], ..POINT.pose };
    dem_placed { kind: DEM_KIND_SPHERE, radius: 1.0, pose, ..POINT }
}

fn list_of(parts: &[dem_placed]) -> dem_compound {
    dem_compound {
        struct_size: size_of::<dem_compound>() as u32,
        reserved: 0,
        parts: parts.as_ptr(),
        count: parts.len(),
        stride: 0,
    }
}

fn compound(list: &dem_compound) -> dem_placed {
    dem_placed { kind: DEM_KIND_COMPOUND, shape: (&raw const *list).cast(), ..POINT }
}

fn mass(body: &dem_placed, density: f64, columns: u32, less: isize) -> (dem_mass, dem_error, usize) {
    let (mut error, mut found) = (dem_error::default(), dem_mass { volume: -7.0, ..dem_mass::default() });
    let (to, record, size): (*mut dem_mass, _, _) = (&mut found, size_of::<dem_mass>(), 0);
    let ask = |start, size, error: &mut dem_error| {
        // SAFETY: all memory has the size that is passed.
        let status = unsafe { dem_placed_mass(to, record, body, density, columns, start, size, error) };
        assert_eq!(status, error.code);
    };
    ask(null_mut(), 0, &mut error);
    if (error.code, error.argument) != (DEM_ERROR_CAPACITY, DEM_ARGUMENT_SCRATCH) {
        return (found, error, size);
    }
    let size = error.needed as usize;
    let mut scratch = vec![0x55u8; size.wrapping_add_signed(-less)];
    ask(scratch.as_mut_ptr().cast(), scratch.len(), &mut error);
    (found, error, size)
}

#[test]
fn what_two_balls_share_counts_once() {
    let parts = [ball(-0.5), ball(0.5)];
    let list = list_of(&parts);
    let (found, error, size) = mass(&compound(&list), 3.0, 128, 0);
    let volume = PI * (8.0 / 3.0 - 5.0 / 12.0);
    assert_eq!(error.code, DEM_OK);
    assert!((found.mass / (3.0 * volume) - 1.0).abs() < 1e-3 && found.moments[0] < found.moments[1], "{found:?}");
    assert!(found.part_pose.position.iter().all(|x| x.abs() < 1e-12), "{found:?}");
    let (kept, error, _) = mass(&compound(&list), 3.0, 128, 1);
    assert_eq!((error.code, error.needed, kept.volume), (DEM_ERROR_CAPACITY, size as u64, -7.0));
    // More scratch than needed is allowed.
    for more in [1, 40, 63, 64, 1000, 12_033] {
        let (again, error, _) = mass(&compound(&list), 3.0, 128, -more);
        assert_eq!((error.code, again), (DEM_OK, found), "{more}: {error:?}");
    }
    // One ball is exact, wherever the body is.
    let (found, _, _) = mass(&ball(7.0), 1.0, 1, 0);
    assert!((found.volume - 4.0 / 3.0 * PI).abs() < 1e-14 && found.centre == [0.0; 3], "{found:?}");
}

#[test]
fn a_mesh_has_the_mass_of_its_shape() {
    let mesh = Mesh::new(&cube(), 0.05);
    let block = dem_placed { kind: DEM_KIND_MESH, solid: 1, shape: mesh.handle(), ..POINT };
    let mut right = dem_mass::default();
    // SAFETY: all memory has the size that is passed.
    unsafe {
        let (to, record): (*mut dem_mass, _) = (&mut right, size_of::<dem_mass>());
        let ask = |start, size, error| dem_shape_mass(to, record, mesh.handle(), 2.0, start, size, error);
        let mut scratch = vec![0u8; scratch_of(ask)];
        assert_eq!(ask(scratch.as_mut_ptr().cast(), scratch.len(), null_mut()), DEM_OK);
    }
    let (found, error, _) = mass(&block, 2.0, 4, 0);
    assert_eq!(error.code, DEM_OK);
    assert!((found.mass - right.mass).abs() < 1e-14 * right.mass, "{found:?}");
    assert!(found.moments.iter().zip(right.moments).all(|(x, y)| (x - y).abs() < 1e-13 * y), "{found:?}");
    // A ball inside of the body adds nothing.
    let inside = dem_placed { radius: 0.2, pose: dem_pose { position: right.centre, ..POINT.pose }, ..ball(0.0) };
    let parts = [block, inside];
    let (both, error, _) = mass(&compound(&list_of(&parts)), 2.0, 64, 0);
    assert_eq!((error.code, both.volume_error), (DEM_OK, 0.0));
    assert!((both.mass / right.mass - 1.0).abs() < 1e-3, "{both:?}");
}

#[test]
fn mistakes_are_told_and_nothing_is_written() {
    let ground = dem_placed { kind: DEM_KIND_HALF_SPACE, ..POINT };
    let parts = [ball(0.0), ground];
    let (found, error, _) = mass(&compound(&list_of(&parts)), 1.0, 8, 0);
    assert_eq!((error.code, error.index, found.volume), (DEM_ERROR_UNSUPPORTED, 1, -7.0));
    assert_eq!(mass(&ground, 1.0, 8, 0).1.code, DEM_ERROR_UNSUPPORTED);
    assert_eq!(mass(&ball(0.0), f64::NAN, 8, 0).1.code, DEM_ERROR_NOT_FINITE);
    assert_eq!(mass(&ball(0.0), -1.0, 8, 0).1.code, DEM_ERROR_OUT_OF_RANGE);
    assert_eq!(mass(&POINT, 1.0, 8, 0).1.code, DEM_ERROR_OUT_OF_RANGE);
    // A density beyond either bound is refused.
    for density in [0.0, -1.0, 1e-31, 1e31] {
        let (_, error, _) = mass(&ball(0.0), density, 8, 0);
        let mut text = [0u8; DEM_ERROR_TEXT];
        // SAFETY: the pointers are valid, and the text has the size that is passed.
        let status = unsafe { dem_error_format(text.as_mut_ptr().cast(), text.len(), null_mut(), &error) };
        let text = core::ffi::CStr::from_bytes_until_nul(&text).unwrap().to_str().unwrap();
        assert!(status == DEM_OK && text.starts_with("density: must be larger than 0, from 2^-100 to 2^100"), "{text}");
    }
    let (mut found, mut error) = (dem_mass::default(), dem_error::default());
    let (none, record) = (core::ptr::null(), size_of::<dem_mass>());
    // SAFETY: the call refuses null.
    unsafe { dem_placed_mass(&mut found, record, none, 1.0, 8, null_mut(), 0, &mut error) };
    assert_eq!(error.code, DEM_ERROR_NULL);
}
