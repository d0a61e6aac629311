//! Tests of the list of contacts within the margin: nulls, overlaps, arrays of other lengths.

use super::*;
use crate::arrays::DEM_F64;
use crate::loads::dem_scene_loads;
use crate::moving::{dem_scene_motion, dem_scene_velocities};

/// A scene with more contacts within the margin than within the halos.
fn found(case: &Case) -> (Owned, dem_scene_contacts) {
    let mut scene = Owned::new(dem_scene_desc { margin_contacts: 200, ..desc(5) });
    let found = scene.step(&dem_scene_query { margin: 0.4, ..case.query() }, 0).unwrap();
    let view = scene.view();
    assert_eq!((view.margin_count as u64, view.margin_pair_count as u64), (found.margin_contacts, found.margin_pairs));
    assert!(view.margin_count > view.count && view.margin_pair_count >= view.pair_count, "{found:?}");
    (scene, view)
}

#[test]
fn sums_within_the_margin_refuse_what_is_null_or_overlaps() {
    let case = Case::new();
    let (mut scene, view) = found(&case);
    let handle = scene.handle();
    let forces = vec![[1.0, -2.0, 0.5]; view.margin_count];
    let mut sums = [[9.0; 3]; 5];
    let to = dem_output { count: 5, ..output(sums.as_flattened_mut(), DEM_F64) };
    let no_forces = dem_array { data: core::ptr::null(), ..vectors(&forces) };
    let over = |data: *const c_void| dem_output { data: data.cast_mut(), count: 5, stride: 0, ..to };
    let wrenches = |to: *const dem_output, scene: *const dem_scene, list: u32, forces: *const dem_array| {
        let mut error = dem_error::default();
        let (none, nobody) = (core::ptr::null(), core::ptr::null());
        // SAFETY: nulls are tested; all other pointers are valid.
        let code =
            unsafe { dem_scene_wrenches(to, core::ptr::null(), scene, forces, none, none, nobody, list, &mut error) };
        (code, error.argument)
    };
    let all = vectors(&forces);
    let argument = |what: What| what as u32;
    for (code, what, got) in [
        (DEM_ERROR_NULL, What::Forces, wrenches(&to, handle, DEM_LIST_MARGIN, core::ptr::null())),
        (DEM_ERROR_NULL, What::Forces, wrenches(&to, handle, DEM_LIST_MARGIN, &no_forces)),
        (DEM_ERROR_NULL, What::Scene, wrenches(&to, core::ptr::null(), DEM_LIST_MARGIN, &all)),
        (DEM_ERROR_MISMATCH, What::Forces, wrenches(&to, handle, DEM_LIST_CONTACTS, &all)),
        (DEM_ERROR_MISMATCH, What::Forces, wrenches(&to, handle, DEM_LIST_MARGIN, &vectors(&forces[..view.count]))),
        (DEM_ERROR_OUT_OF_RANGE, What::List, wrenches(&to, handle, 2, &all)),
        (DEM_ERROR_OVERLAP, What::Output, wrenches(&over(forces.as_ptr().cast()), handle, DEM_LIST_MARGIN, &all)),
        (DEM_ERROR_OVERLAP, What::Output, wrenches(&over(view.margin_contacts.cast()), handle, DEM_LIST_MARGIN, &all)),
    ] {
        assert_eq!(got, (code, argument(what)), "{what:?}");
    }
    assert!(sums == [[9.0; 3]; 5]);
    let to = dem_output { count: 5, ..output(sums.as_flattened_mut(), DEM_F64) };
    assert_eq!(wrenches(core::ptr::null(), handle, DEM_LIST_MARGIN, &all).0, DEM_OK);
    assert_eq!(wrenches(&to, handle, DEM_LIST_MARGIN, &all).0, DEM_OK);
    assert!(sums != [[9.0; 3]; 5]);
}

#[test]
fn velocities_and_loads_within_the_margin_refuse_what_is_null_or_overlaps() {
    let case = Case::new();
    let (mut scene, view) = found(&case);
    let handle = scene.handle();
    let mut velocities = vec![[9.0; 3]; view.margin_count];
    let motion = dem_scene_motion { list: DEM_LIST_MARGIN, ..Input::DEFAULT };
    let relative = |to: *mut f64, motion: &dem_scene_motion| {
        // SAFETY: nulls and overlaps are tested; all other pointers are valid.
        unsafe { dem_scene_velocities(to, handle, motion, core::ptr::null(), NULL, 0, core::ptr::null_mut()) }
    };
    let start: *mut f64 = velocities.as_mut_ptr().cast();
    assert_eq!(relative(core::ptr::null_mut(), &motion), DEM_ERROR_NULL);
    assert_eq!(relative(view.margin_contacts.cast_mut().cast(), &motion), DEM_ERROR_OVERLAP);
    assert_eq!(relative(start, &dem_scene_motion { list: 2, ..motion }), DEM_ERROR_OUT_OF_RANGE);
    let spins = dem_array { data: start.cast_const().cast(), ..vectors(&case.positions) };
    assert_eq!(relative(start, &dem_scene_motion { spins, ..motion }), DEM_ERROR_OVERLAP);
    assert!(velocities.iter().all(|v| *v == [9.0; 3]));
    let start: *mut f64 = velocities.as_mut_ptr().cast();
    assert_eq!(relative(start, &motion), DEM_OK);
    assert!(velocities.iter().all(|v| *v == [0.0; 3]));

    let forces = vec![[1.0; 3]; view.margin_count];
    let shape = case.table._mesh.handle();
    let mut loads = [[9.0; 3]; 36];
    let to = dem_output { count: 36, ..output(loads.as_flattened_mut(), DEM_F64) };
    let surface = crate::moving::dem_scene_surface { body: 2, ..crate::loads::whole(shape) };
    let (own, list) = (size_of_val(&surface), vectors(&forces));
    // SAFETY: all pointers are valid.
    let size = scratch_of(|start, size, error| unsafe {
        dem_scene_loads(&to, handle, &surface, own, &list, DEM_LIST_MARGIN, start, size, error)
    });
    let mut scratch = vec![0u8; size];
    let mut borne = |to: *const dem_output, forces: *const dem_array, list: u32| {
        let (memory, size) = (scratch.as_mut_ptr().cast(), scratch.len());
        // SAFETY: nulls and overlaps are tested; all other pointers are valid.
        unsafe {
            let own = size_of_val(&surface);
            dem_scene_loads(to, handle, &surface, own, forces, list, memory, size, core::ptr::null_mut())
        }
    };
    let all = vectors(&forces);
    let over = dem_output { data: forces.as_ptr().cast_mut().cast(), ..to };
    assert_eq!(borne(core::ptr::null(), &all, DEM_LIST_MARGIN), DEM_ERROR_NULL);
    assert_eq!(borne(&to, core::ptr::null(), DEM_LIST_MARGIN), DEM_ERROR_NULL);
    assert_eq!(borne(&over, &all, DEM_LIST_MARGIN), DEM_ERROR_OVERLAP);
    assert_eq!(borne(&to, &all, DEM_LIST_CONTACTS), DEM_ERROR_MISMATCH);
    assert_eq!(borne(&to, &all, 2), DEM_ERROR_OUT_OF_RANGE);
    assert!(loads == [[9.0; 3]; 36]);
    let to = dem_output { count: 36, ..output(loads.as_flattened_mut(), DEM_F64) };
    assert_eq!(borne(&to, &all, DEM_LIST_MARGIN), DEM_OK);
    assert!(loads != [[9.0; 3]; 36]);
}

/// An error about too little room names the list, and the other list does not change.
#[test]
fn a_margin_without_room_or_sense_changes_nothing() {
    let case = Case::new();
    let (mut scene, view) = found(&case);
    let hash = scene.hash();
    for (margin, code) in [(-0.1, DEM_ERROR_OUT_OF_RANGE), (f64::NAN, DEM_ERROR_NOT_FINITE)] {
        let error = scene.step(&dem_scene_query { margin, ..case.query() }, 0).unwrap_err();
        assert_eq!((error.code, error.argument), (code, What::Margin as u32));
    }
    let mut small = Owned::new(dem_scene_desc { margin_contacts: 3, ..desc(5) });
    let error = small.step(&dem_scene_query { margin: 0.4, ..case.query() }, 0).unwrap_err();
    assert_eq!((error.code, error.argument), (DEM_ERROR_CAPACITY, What::MarginContacts as u32));
    assert_eq!((error.needed, error.given, error.index), (view.margin_count as u64, 3, view.count as u64));
    assert_eq!((small.view().count, small.view().margin_count), (0, 0));
    assert_eq!((scene.hash(), scene.view().margin_count), (hash, view.margin_count));
}
