//! Tests that corners of a world are those of a scene with the same bodies, in any phase of a step.

use core::mem::{MaybeUninit, offset_of};
use core::ptr::{null, null_mut};

use super::*;
use crate::arrays::{DEM_F64, DEM_U32, DEM_U64, NO_ARRAY, dem_array};
use crate::detect::{dem_scene_counts, dem_scene_detect, dem_scene_query};
use crate::errors::*;
use crate::grow::tests::Heap;
use crate::inputs::Input;
use crate::placed::{DEM_KIND_MESH, POINT, dem_placed};
use crate::scene_corners::dem_scene_corners;
use crate::scenes::{dem_scene_desc, dem_scene_init, dem_scene_layout};
use crate::testing::{Line, Shape as Mesh, cube, scratch_of};
use crate::world_bodies::*;
use crate::world_grow::{dem_world_build, dem_world_insert, dem_world_run};
use crate::world_steps::*;
use crate::world_views::*;
use crate::worlds::tests::{NULL, Owned, query, rough, table};
use crate::worlds::*;

/// Cubes on the ground, a ball and a pair of balls between them.
struct Room {
    _mesh: Mesh,
    shapes: Vec<dem_placed>,
    laws: [crate::laws::dem_interaction; 1],
    members: Vec<dem_member>,
}

impl Room {
    fn new() -> Room {
        let mesh = Mesh::new(&cube(), 0.02);
        let mut shapes = table();
        shapes.push(dem_placed { kind: DEM_KIND_MESH, solid: 1, shape: mesh.handle(), ..POINT });
        let mut members = vec![dem_member { id: 1000, ..Input::DEFAULT }];
        let places = [[0.0, 0.0, 0.01], [1.015, 0.1, 0.012], [0.4, 0.2, 1.02], [-0.24, 0.5, 0.24], [2.2, 0.5, 0.36]];
        for (shape, place) in [3, 3, 3, 1, 2].into_iter().zip(places) {
            let mut member = dem_member { shape, id: 40 - members.len() as u64, ..Input::DEFAULT };
            // SAFETY: three numbers.
            unsafe { assert_eq!(dem_body_ball(&mut member.body, place.as_ptr(), 0.4, 800.0, NULL.cast()), DEM_OK) };
            members.push(member);
        }
        Room { _mesh: mesh, shapes, laws: [rough()], members }
    }

    fn query(&self) -> dem_world_query {
        query(&self.shapes, &self.laws)
    }

    fn world(&self) -> (Owned, Vec<u64>) {
        let mut own = Owned::new(&dem_world_desc { bodies: 8, contacts: 256, nodes: 1024, ..Input::DEFAULT });
        own.scratch = vec![0; 1 << 22];
        let handles = self.members.iter().map(|member| own.add(member)).collect();
        (own, handles)
    }

    /// The corners in a scene with these states of bodies.
    fn expected(&self, bodies: &[dem_body], most: usize) -> Vec<dem_contact_corner> {
        let kinds: Vec<u32> = self.members.iter().map(|member| member.shape).collect();
        let ids: Vec<u64> = self.members.iter().map(|member| member.id).collect();
        let field = |offset: usize| dem_array {
            data: bodies.as_ptr().cast::<u8>().wrapping_add(offset).cast(),
            count: bodies.len(),
            stride: size_of::<dem_body>(),
            r#type: DEM_F64,
            ..NO_ARRAY
        };
        let list = |data: *const c_void, r#type| dem_array { data, count: kinds.len(), r#type, ..NO_ARRAY };
        let query = dem_scene_query {
            shapes: self.shapes.as_ptr(),
            shape_count: self.shapes.len(),
            positions: field(offset_of!(dem_body, position)),
            orientations: field(offset_of!(dem_body, orientation)),
            shape_of: list(kinds.as_ptr().cast(), DEM_U32),
            ids: list(ids.as_ptr().cast(), DEM_U64),
            ..Input::DEFAULT
        };
        let (mut size, mut scene, mut counts) = (0, null_mut(), dem_scene_counts::default());
        let desc = dem_scene_desc { bodies: 8, contacts: 256, nodes: 1024, ..Input::DEFAULT };
        let mut found = vec![dem_contact_corner::default(); 512];
        let mut count = 0;
        // SAFETY: all memory has the size that is passed.
        unsafe {
            assert_eq!(dem_scene_layout(&mut size, null_mut(), &desc, NULL.cast()), DEM_OK);
            let mut block = vec![Line([0; 64]); size / 64];
            assert_eq!(dem_scene_init(block.as_mut_ptr().cast(), size, &mut scene, &desc, NULL.cast()), DEM_OK);
            size = scratch_of(|to, size, error| dem_scene_detect(scene, NULL.cast(), 0, &query, to, size, error));
            let mut scratch = vec![0u8; 2 * size];
            let (to, size) = (scratch.as_mut_ptr().cast(), scratch.len());
            let room = size_of_val(&counts);
            assert_eq!(dem_scene_detect(scene, &mut counts, room, &query, to, size, NULL.cast()), DEM_OK);
            let (out, capacity) = (found.as_mut_ptr(), found.len());
            let status = dem_scene_corners(scene, out, capacity, &mut count, &query, most, to, size, NULL.cast());
            assert_eq!(status, DEM_OK);
        }
        found.truncate(count);
        found
    }
}

fn untouched() -> dem_contact_corner {
    dem_contact_corner { gap: 77.0, ..Default::default() }
}

fn corners(
    own: &mut Owned,
    query: &dem_world_query,
    (capacity, most): (usize, usize),
) -> (dem_error, Vec<dem_contact_corner>, usize) {
    let (mut found, mut count, mut error) = (vec![untouched(); capacity], 99, dem_error::default());
    let (world, to) = (own.world(), own.scratch.as_mut_ptr().cast());
    let (out, size) = (found.as_mut_ptr(), own.scratch.len());
    // SAFETY: all memory has the size that is passed.
    unsafe { dem_world_corners(world, out, capacity, &mut count, query, most, to, size, &mut error) };
    assert!(error.code == DEM_OK || found.iter().all(|corner| *corner == untouched()));
    found.truncate(if error.code == DEM_OK { count } else { 0 });
    (error, found, count)
}

fn bodies(own: &Owned) -> Vec<dem_body> {
    let view = own.view();
    // SAFETY: the view tells the number of items.
    unsafe { core::slice::from_raw_parts(view.bodies, view.count) }.to_vec()
}

#[test]
fn corners_of_a_world_are_those_of_a_scene_of_its_bodies() {
    let room = Room::new();
    let query = room.query();
    let (mut own, _) = room.world();
    // No step has found contacts yet.
    assert_eq!(corners(&mut own, &query, (4, 0)).2, 0);
    let mut seen = 0;
    for step in 0..30 {
        let most = [0, usize::MAX, 2][step % 3];
        let expected = room.expected(&bodies(&own), most);
        let hash = own.hash();
        own.begin(DEM_ASK_LAW);
        while own.poll(&query).unwrap() != DEM_WANT_LAW {}
        // A solver of impulses needs no law.
        let lawless = dem_world_query { interactions: null(), interaction_count: 0, ..query };
        let (error, found, count) = corners(&mut own, &lawless, (512, most));
        assert_eq!((error.code, count), (DEM_OK, expected.len()), "{error:?}");
        assert_eq!((found, own.hash()), (expected.clone(), hash));
        let (error, _, count) = corners(&mut own, &query, (expected.len() - 1, most));
        assert_eq!((error.code, error.argument), (DEM_ERROR_CAPACITY, What::Output as u32));
        assert_eq!((error.needed as usize, count), (expected.len(), expected.len()));
        seen += expected.len();
        own.finish(&query);
        // Corners of the accepted step are those at its start.
        let hash = own.hash();
        assert_eq!(corners(&mut own, &query, (512, most)).1, expected);
        assert_eq!(own.hash(), hash);
    }
    assert!(seen > 30 * 12, "{seen}");
    own.begin(0);
    while own.poll(&query).unwrap() != DEM_WANT_DONE {}
    // SAFETY: there is a world.
    unsafe { assert_eq!(dem_world_abandon(own.world(), NULL.cast()), DEM_OK) };
    assert_eq!(corners(&mut own, &query, (512, 0)).2, 0);
}

#[test]
fn bodies_that_left_are_told_and_those_that_came_do_not_matter() {
    let room = Room::new();
    let query = room.query();
    let (mut own, handles) = room.world();
    own.step(&query);
    let before = corners(&mut own, &query, (512, 0)).1;
    assert!(before.len() > 12);
    own.add(&dem_member { id: 7, ..room.members[1] });
    assert_eq!(corners(&mut own, &query, (512, 0)).1, before);
    // SAFETY: there is a world.
    unsafe { assert_eq!(dem_world_remove(own.world(), handles[2], NULL.cast()), DEM_OK) };
    let (error, _, count) = corners(&mut own, &query, (512, 0));
    assert_eq!((error.code, error.argument, error.index), (DEM_ERROR_MISMATCH, What::Ids as u32, 2));
    assert_eq!(count, 0);
    // Another body in the same slot is not the body of the step.
    own.add(&dem_member { id: 8, ..room.members[4] });
    assert_eq!(corners(&mut own, &query, (512, 0)).0.code, DEM_ERROR_MISMATCH);
    own.step(&query);
    assert_eq!(corners(&mut own, &query, (512, 0)).0.code, DEM_OK);
}

#[test]
fn scratch_grows_to_what_the_error_says_and_bad_arguments_change_nothing() {
    let room = Room::new();
    let query = room.query();
    let (mut own, _) = room.world();
    own.step(&query);
    let expected = corners(&mut own, &query, (512, 0)).1;
    own.scratch = Vec::new();
    for round in 0.. {
        let (error, found, _) = corners(&mut own, &query, (expected.len(), 0));
        if error.code == DEM_OK {
            assert_eq!(found, expected);
            break;
        }
        assert_eq!((error.code, error.argument), (DEM_ERROR_CAPACITY, What::Scratch as u32));
        assert!(error.needed as usize > own.scratch.len() && round < 3);
        own.scratch = vec![0x55; error.needed as usize];
    }
    let (error, _, _) = corners(&mut own, &dem_world_query { pairs: 2, ..query }, (512, 0));
    assert_eq!((error.code, error.argument), (DEM_ERROR_CAPACITY, What::Pairs as u32));
    let few = dem_world_query { pairs: error.needed as usize, ..query };
    assert_eq!(corners(&mut own, &few, (512, 0)).1, expected);
    let (world, to, size) = (own.world(), own.scratch.as_mut_ptr().cast::<c_void>(), own.scratch.len());
    let bytes = own.bytes();
    let mut list = [untouched(); 64];
    let out = list.as_mut_ptr();
    // SAFETY: all memory has the size that is passed, or the pointer is null.
    unsafe {
        let (no, none) = (null_mut(), null_mut());
        assert_eq!(dem_world_corners(null_mut(), out, 64, no, &query, 0, to, size, none), DEM_ERROR_NULL);
        assert_eq!(dem_world_corners(world, out, 64, no, null(), 0, to, size, none), DEM_ERROR_NULL);
        assert_eq!(dem_world_corners(world, null_mut(), 64, no, &query, 0, to, size, none), DEM_ERROR_NULL);
        assert_eq!(dem_world_corners(world, world.cast(), 64, no, &query, 0, to, size, none), DEM_ERROR_OVERLAP);
        assert_eq!(dem_world_corners(world, to.cast(), 64, no, &query, 0, to, size, none), DEM_ERROR_OVERLAP);
        // Null counts the corners.
        let mut count = 0;
        let status = dem_world_corners(world, null_mut(), 0, &mut count, &query, 0, to, size, none);
        assert_eq!((status, count), (DEM_ERROR_CAPACITY, expected.len()));
    }
    assert!(own.bytes() == bytes && list.iter().all(|corner| *corner == untouched()));
}

#[test]
fn manifolds_of_a_world_are_its_corners_in_memory_that_grows() {
    let room = Room::new();
    let query = room.query();
    let (mut heap, mut other) = (Heap::new(), Heap::new());
    let (mut world, mut list) = (heap.block(), other.block());
    let (mut count, mut error) = (99, dem_error::default());
    // SAFETY: all memory has the size that is passed, or the pointer is null.
    unsafe {
        let early = dem_world_manifolds(&mut world, &mut list, &mut count, &query, 0, null_mut());
        assert_eq!((early, count), (DEM_ERROR_NULL, 0));
        let setup = <dem_world_setup as Input>::DEFAULT;
        assert_eq!(dem_world_build(&mut world, &setup, null_mut()), DEM_OK);
        for member in &room.members {
            assert_eq!(dem_world_insert(&mut world, null_mut(), member, null_mut()), DEM_OK);
        }
        let (mut own, _) = room.world();
        for _ in 0..5 {
            assert_eq!(dem_world_run(&mut world, &query, 1e-3, 1e-3, &mut error), DEM_OK, "{error:?}");
            own.advance(1e-3, &query).unwrap();
            let expected = corners(&mut own, &query, (512, 0)).1;
            let status = dem_world_manifolds(&mut world, &mut list, &mut count, &query, 0, &mut error);
            assert_eq!((status, count), (DEM_OK, expected.len()), "{error:?}");
            let found = core::slice::from_raw_parts(list.start.cast::<dem_contact_corner>(), count);
            assert_eq!(found, expected);
        }
        assert_eq!((heap.used.len(), other.used.len()), (1, 1));
        // Corners must not be in memory of the world. If the host has no memory, nothing is lost.
        let mut inside = dem_block { size: 4096, resize: None, ..world };
        let status = dem_world_manifolds(&mut world, &mut inside, &mut count, &query, 0, null_mut());
        assert_eq!(status, DEM_ERROR_OVERLAP);
        let mut fixed = dem_block { resize: None, size: 128, ..list };
        let status = dem_world_manifolds(&mut world, &mut fixed, &mut count, &query, 0, &mut error);
        assert_eq!((status, error.argument), (DEM_ERROR_CAPACITY, What::Block as u32));
        let mut view = MaybeUninit::<dem_world_slots>::uninit();
        let size = size_of::<dem_world_slots>();
        assert_eq!(dem_world_view(view.as_mut_ptr(), size, world.start.cast(), null_mut()), DEM_OK);
    }
}
