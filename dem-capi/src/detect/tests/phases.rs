//! Tests of single phases of a step, and of trials.

use super::*;

#[test]
fn the_phases_of_a_step_are_the_step() {
    let case = Case::new();
    let (mut whole, mut scene) = (Owned::new(desc(5)), Owned::new(desc(5)));
    let (query, expected) = (case.query(), whole.step(&case.query(), 0).unwrap());
    let (handle, hash) = (scene.handle(), scene.hash());
    let mut error = dem_error::default();
    let (mut centres, mut radii) = ([[0.0f64; 3]; 5], [0.0f64; 5]);
    let mut pairs = [dem_near_pair::default(); 64];
    // SAFETY: all memory has the size that is passed.
    unsafe {
        let size = scratch_of(|to, size, error| dem_scene_find(handle, NULL.cast(), 0, &query, to, size, error));
        let mut scratch = vec![0xABu8; size];
        let start = scratch.as_mut_ptr().cast();
        let to = [output(&mut centres, DEM_F64), output(&mut radii, DEM_F64)];
        assert_eq!(dem_scene_bounds(handle, &to[0], &to[1], &query, start, size, &mut error), DEM_OK, "{error:?}");
        let few = dem_output { count: 4, ..to[1] };
        let mut bounds =
            |to: *const dem_output| dem_scene_bounds(handle, core::ptr::null(), to, &query, start, size, &mut error);
        assert_eq!([bounds(&few), bounds(core::ptr::null())], [DEM_ERROR_CAPACITY, DEM_OK]);
        let over = dem_output { data: case.positions.as_ptr().cast_mut().cast(), ..to[1] };
        assert_eq!(bounds(&over), DEM_ERROR_OVERLAP);
        let mut list = |capacity, count: &mut usize| {
            dem_scene_candidates(handle, pairs.as_mut_ptr(), capacity, count, &query, start, size, &mut error)
        };
        let (mut count, mut needed) = (9, 9);
        assert_eq!((list(64, &mut count), list(1, &mut needed)), (DEM_OK, DEM_ERROR_CAPACITY));
        assert_eq!((count as u64, needed), (expected.candidates, count));
        let mut counts = dem_scene_counts::default();
        let (from, none) = (pairs.as_ptr(), core::ptr::null());
        let found = dem_scene_find_pairs(
            handle,
            &mut counts,
            size_of_val(&counts),
            &query,
            from,
            count,
            none,
            start,
            size,
            &mut error,
        );
        assert_eq!((found, scene.hash()), (DEM_OK, hash));
        assert_eq!(counts, expected);
        assert_eq!(dem_scene_commit(handle, NULL.cast()), DEM_OK);
    }
    for i in 0..5 {
        let endless = case.kinds[i] == 3;
        assert!(if endless { radii[i] == f64::INFINITY } else { radii[i] > 0.0 && radii[i] < 10.0 }, "{radii:?}");
    }
    assert_eq!(scene.step(&query, 0).unwrap().persisting, expected.contacts);
}

#[test]
fn steps_are_tried_and_committed_as_a_whole_or_in_part() {
    let mut case = Case::new();
    let mut scene = Owned::new(dem_scene_desc { posed: 8, ..desc(5) });
    let first = scene.step(&case.query(), 0).unwrap();
    let hash = scene.hash();
    case.positions[4][0] += 0.01;
    for _ in 0..3 {
        assert_eq!(scene.find(&case.query()).unwrap(), dem_scene_counts { persisting: first.contacts, ..first });
        assert_eq!((scene.view().last_count as u64, scene.hash()), (first.contacts, hash));
    }
    let handle = scene.handle();
    // SAFETY: the handle is that of a scene.
    let (abandon, commit) = unsafe { (dem_scene_abandon(handle, NULL.cast()), dem_scene_commit(handle, NULL.cast())) };
    assert_eq!((abandon, commit, scene.view().count, scene.hash()), (DEM_OK, DEM_OK, 0, hash));
    scene.find(&case.query()).unwrap();
    // SAFETY: the handle is that of a scene.
    assert_eq!(unsafe { dem_scene_commit(handle, NULL.cast()) }, DEM_OK);
    assert!(scene.view().count as u64 == first.contacts && scene.hash() != hash);
    // One pair at its own poses, with the second body first; all other pairs stay.
    let (query, hash) = (case.query(), scene.hash());
    let pairs = [dem_near_pair { a: 1, b: 0, ..Default::default() }];
    let pose = |position| dem_pose { position, ..crate::placed::IDENTITY };
    let poses = [pose([0.0, 0.5, 0.53]), pose([0.0; 3])];
    let (mut scratch, mut counts) = (vec![0u8; 1 << 22], dem_scene_counts::default());
    let mut find = |handle, pairs: &[dem_near_pair], poses: *const dem_pose| {
        let mut e = dem_error::default();
        let (list, count, start, size) = (pairs.as_ptr(), pairs.len(), scratch.as_mut_ptr().cast(), scratch.len());
        let to = &raw mut counts;
        // SAFETY: all memory has the size that is passed.
        unsafe {
            dem_scene_find_pairs(handle, to, size_of_val(&counts), &query, list, count, poses, start, size, &mut e)
        };
        (e.code, e.argument, e.index, counts.contacts)
    };
    assert_eq!(find(handle, &pairs, poses.as_ptr()), (DEM_OK, 0, 0, 1));
    let wrong = [dem_near_pair { a: 1, b: 5, ..Default::default() }];
    let (code, argument, ..) = find(handle, &wrong, core::ptr::null());
    assert_eq!((code, argument), (DEM_ERROR_BAD_INDEX, What::Pairs as u32));
    let view = scene.view();
    assert_eq!((view.count, view.pair_count, scene.hash()), (1, 1, hash));
    let (mut origins, mut count) = ([9u32; 64], 0);
    let mut commit = |taken: &[u32], room| {
        let (from, to) = (taken.as_ptr(), origins.as_mut_ptr());
        // SAFETY: all memory has the size that is passed.
        unsafe { dem_scene_commit_pairs(handle, to, room, &mut count, from, taken.len(), NULL.cast()) }
    };
    assert_eq!((commit(&[1, 1], 64), commit(&[1], 2)), (DEM_ERROR_MISMATCH, DEM_ERROR_CAPACITY));
    assert_eq!(scene.hash(), hash);
    assert_eq!(commit(&[1], 64), DEM_OK);
    assert_eq!((count as u64, origins[0], origins[1], scene.hash() == hash), (first.contacts, 1, 2, false));
    let last = scene.find(&case.query()).unwrap();
    assert_eq!((last.contacts, last.persisting), (first.contacts, first.contacts));
}
