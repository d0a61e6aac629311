//! Tests of the sizes of a scene and of scratch, and of the errors if they are too small.

use super::*;

#[test]
fn what_is_too_small_says_what_would_do_and_the_scene_stays() {
    let case = Case::new();
    let mut scene = Owned::new(dem_scene_desc { candidates: 2, contacts: 1, ..desc(5) });
    let mut query = case.query();
    (query.pairs, query.pair_contacts) = (1, 1);
    let mut met = Vec::new();
    let found = loop {
        match scene.step(&query, 0) {
            Ok(found) => break found,
            Err(e) => {
                assert_eq!(e.code, DEM_ERROR_CAPACITY, "{e:?}");
                assert!(e.needed > e.given, "{e:?}");
                match e.argument {
                    x if x == What::Candidates as u32 => scene.desc.candidates = e.needed as u32,
                    x if x == What::Contacts as u32 => scene.desc.contacts = e.needed as u32,
                    x if x == What::Nodes as u32 => scene.desc.nodes = e.needed as u32,
                    x if x == What::Pairs as u32 => query.pairs = e.needed as usize,
                    x if x == What::PairContacts as u32 => query.pair_contacts = e.needed as usize,
                    other => panic!("{other}"),
                }
                met.push(e.argument);
                let (mut size, mut grown) = (0, core::ptr::null_mut());
                // SAFETY: all memory has the size that is passed.
                unsafe {
                    assert_eq!(dem_scene_layout(&mut size, NULL.cast(), &scene.desc, NULL.cast()), DEM_OK);
                    let mut block = vec![Line([0xEF; 64]); size / 64];
                    let status = dem_scene_grow(
                        block.as_mut_ptr().cast(),
                        size,
                        &mut grown,
                        scene.handle(),
                        &scene.desc,
                        NULL.cast(),
                    );
                    assert_eq!(status, DEM_OK);
                    scene.block = block;
                }
            }
        }
    };
    assert_eq!(found.contacts, Owned::new(desc(5)).step(&case.query(), 0).unwrap().contacts);
    assert!(met.len() >= 4, "{met:?}");
    let short = scene.step(&query, 64 * 64).unwrap_err();
    assert_eq!((short.code, short.argument), (DEM_ERROR_CAPACITY, What::Scratch as u32));
    assert_eq!(scene.view().count as u64, found.contacts);
    let more = vec![[0.0; 3]; 6];
    let many = dem_scene_query { positions: vectors(&more), shape_of: NO_WORDS, ..query };
    let e = scene.step(&many, 0).unwrap_err();
    assert_eq!((e.code, e.argument, e.needed, e.given), (DEM_ERROR_CAPACITY, What::Bodies as u32, 6, 5));
}

#[test]
fn scratch_that_grows_as_errors_say_is_enough() {
    let case = Case::new();
    let nobody = dem_scene_query { shapes: case.query().shapes, shape_count: 4, ..Input::DEFAULT };
    for query in [case.query(), nobody] {
        let (mut scene, mut memory) = (Owned::new(desc(5)), vec![0u8; 1 << 22]);
        let mut step = |size: u64, skip: usize| {
            let mut e = dem_error::default();
            // SAFETY: all memory has the size that is passed, at any alignment.
            unsafe {
                let scratch = memory.as_mut_ptr().add(skip).cast();
                dem_scene_detect(scene.handle(), NULL.cast(), 0, &query, scratch, size as usize, &mut e)
            };
            if e.code != DEM_OK {
                assert_eq!((e.code, e.argument, e.given), (DEM_ERROR_CAPACITY, What::Scratch as u32, size), "{e:?}");
            }
            e.needed
        };
        let enough = step(0, 0);
        assert_eq!((enough > 0, step(enough, 1)), (true, 0), "as much as was said: {enough}");
        // The error is as exact if only the part of the scratch after shapes and parts is missing.
        let exact = step(enough / 2, 0);
        assert!(exact <= enough && exact > enough / 2, "{exact} of {enough}");
        assert_eq!((step(exact - 1, 0), step(exact, 63)), (exact, 0));
    }
}

#[test]
fn a_block_is_as_large_as_the_manual_says() {
    let size = |bodies, candidates, contacts, nodes| {
        let (desc, mut size) = (dem_scene_desc { candidates, contacts, nodes, ..desc(bodies) }, 0usize);
        // SAFETY: both pointers are valid.
        assert_eq!(unsafe { dem_scene_layout(&mut size, NULL.cast(), &desc, NULL.cast()) }, DEM_OK);
        size as f64
    };
    const N: u32 = 1_000_000;
    let none = size(1, 1, 1, 1);
    let [bodies, candidates, contacts, nodes] =
        [size(N, 1, 1, 1), size(1, N, 1, 1), size(1, 1, N, 1), size(1, 1, 1, N)];
    for (one, said) in [(bodies, 200.0), (candidates, 16.0), (contacts, 524.0), (nodes, 48.0)] {
        let each = (one - none) / f64::from(N);
        assert!((each - said).abs() < 0.05 * said, "{each} bytes, the manual says {said}");
    }
}

#[test]
fn compounds_of_balls_alone_have_as_much_scratch_as_they_need() {
    let balls = [dem_placed { radius: 0.5, halo: 0.05, ..POINT }; 2];
    let compound = dem_compound { parts: balls.as_ptr(), count: 2, ..Input::DEFAULT };
    let shape = (&raw const compound).cast();
    let shapes = [dem_placed { kind: crate::placed::DEM_KIND_COMPOUND, shape, ..POINT }];
    let positions = [[0.0; 3], [1.05, 0.0, 0.0]];
    let desc = dem_scene_desc { bodies: 2, ..Input::DEFAULT };
    let query =
        dem_scene_query { shapes: shapes.as_ptr(), shape_count: 1, positions: vectors(&positions), ..Input::DEFAULT };
    let (mut size, mut scene, mut counts) = (0, core::ptr::null_mut(), dem_scene_counts::default());
    // SAFETY: all memory has the size that is passed.
    unsafe {
        assert_eq!(dem_scene_layout(&mut size, NULL.cast(), &desc, NULL.cast()), DEM_OK);
        let mut block = vec![Line([0; 64]); size / 64];
        assert_eq!(dem_scene_init(block.as_mut_ptr().cast(), size, &mut scene, &desc, NULL.cast()), DEM_OK);
        size = scratch_of(|to, size, error| dem_scene_detect(scene, NULL.cast(), 0, &query, to, size, error));
        let mut scratch = vec![0u8; size];
        let (to, room) = (scratch.as_mut_ptr().cast(), size_of_val(&counts));
        assert_eq!(dem_scene_detect(scene, &mut counts, room, &query, to, size, NULL.cast()), DEM_OK);
    }
    assert!(counts.contacts > 0);
}
