//! Tests of the arguments of velocities in contact. The core tests the velocities.

use super::*;
use crate::errors::*;
use crate::testing::{Shape, sheet, vectors};

fn ask(contacts: &[dem_contact], stride: usize, a: *const dem_motion, b: *const dem_motion) -> (dem_error, Vec<f64>) {
    let mut error = dem_error::default();
    let mut out = vec![7.0; 3 * contacts.len()];
    // SAFETY: all memory has the size that is passed.
    unsafe {
        let (to, from, count) = (out.as_mut_ptr(), contacts.as_ptr(), contacts.len());
        let ask = |start, size, error| dem_contact_velocities(to, from, count, stride, a, b, start, size, error);
        let status = ask(core::ptr::null_mut(), 0, &mut error);
        if (status, error.argument) == (DEM_ERROR_CAPACITY, DEM_ARGUMENT_SCRATCH) {
            let mut scratch = vec![0u8; error.needed as usize];
            ask(scratch.as_mut_ptr().cast(), scratch.len(), &mut error);
        }
    }
    (error, out)
}

#[test]
fn both_motions_count_and_null_is_rest() {
    let sheet = sheet(3);
    let shape = Shape::new(&sheet, 0.01);
    let own = vec![[0.0, 0.0, 2.0]; 3 * sheet.len()];
    let contact = dem_contact { position: [0.5, 0.25, 0.05], ..dem_contact::default() };
    let contacts = [contact, dem_contact { position: [0.125, 0.75, 0.0], ..contact }];
    let a = dem_motion { velocity: [1.0, 0.0, 0.0], spin: [0.0, 0.0, 4.0], ..Input::DEFAULT };
    let b = dem_motion { shape: shape.handle(), vertices: vectors(&own), ..Input::DEFAULT };
    let (error, found) = ask(&contacts, 0, &a, &b);
    assert_eq!((error, found), (dem_error::default(), vec![0.0, 2.0, -2.0, -2.0, 0.5, -2.0]));
    let null = core::ptr::null();
    assert_eq!(ask(&contacts, 0, null, &b).1, [0.0, 0.0, -2.0, 0.0, 0.0, -2.0]);
    assert_eq!(ask(&contacts, 0, null, null).1, [0.0; 6]);
    // Every other record.
    let apart = [contacts[0], contacts[0], contacts[1], contacts[1]];
    assert_eq!(ask(&apart[..2], 2 * size_of::<dem_contact>(), &a, &b).1, [0.0, 2.0, -2.0, -2.0, 0.5, -2.0]);
}

#[test]
fn what_is_wrong_is_named() {
    let sheet = sheet(1);
    let shape = Shape::new(&sheet, 0.01);
    let own = vec![[0.0; 3]; 6];
    let contacts = [dem_contact::default()];
    let good = dem_motion { shape: shape.handle(), vertices: vectors(&own), ..Input::DEFAULT };
    let refused = |b: dem_motion| {
        let (error, out) = ask(&contacts, 0, core::ptr::null(), &b);
        assert_eq!(out, [7.0; 3]);
        (error.code, error.argument, error.component)
    };
    assert_eq!(ask(&contacts, 0, core::ptr::null(), &good).0, dem_error::default());
    let (motion, velocities) = (What::MotionB as u32, What::Velocities as u32);
    assert_eq!(refused(dem_motion { reserved: 1, ..good }), (DEM_ERROR_OUT_OF_RANGE, motion, 10));
    assert_eq!(refused(dem_motion { reserved_2: 1, ..good }), (DEM_ERROR_OUT_OF_RANGE, motion, 11));
    assert_eq!(refused(dem_motion { scale: -1.0, ..good }), (DEM_ERROR_OUT_OF_RANGE, motion, 9));
    assert_eq!(refused(dem_motion { centre: [0.0, f64::NAN, 0.0], ..good }), (DEM_ERROR_NOT_FINITE, motion, 7));
    assert_eq!(
        refused(dem_motion { vertices: vectors(&own[..5]), ..good }),
        (DEM_ERROR_MISMATCH, What::Vertices as u32, 0)
    );
    assert_eq!(refused(dem_motion { struct_size: 5, ..good }).0, DEM_ERROR_BAD_SIZE);
    assert_eq!(ask(&contacts, 32, core::ptr::null(), &good).0.code, DEM_ERROR_BAD_SIZE);
    // The output overlaps an input.
    let mut own = own;
    let motion = dem_motion { vertices: vectors(&own), ..good };
    let mut scratch = vec![0u8; 1 << 16];
    let (start, mut error) = (scratch.as_mut_ptr().cast(), dem_error::default());
    // SAFETY: all memory has the size that is passed.
    let status = unsafe {
        let to = own.as_mut_ptr().cast();
        dem_contact_velocities(to, contacts.as_ptr(), 1, 0, &motion, core::ptr::null(), start, 1 << 16, &mut error)
    };
    assert_eq!((status, error.argument), (DEM_ERROR_OVERLAP, velocities));
}
