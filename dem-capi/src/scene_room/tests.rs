//! Tests of estimates of room against first steps.

use super::*;
use crate::detect::dem_scene_detect;
use crate::errors::*;
use crate::memory::DEM_ALIGN;
use crate::placed::{DEM_KIND_MESH, POINT, dem_placed};
use crate::scenes::{dem_scene_init, dem_scene_layout};
use crate::testing::{Line, Shape as Built, cube, scratch_of, vectors};
use crate::world_bodies::{dem_member, dem_world_add};
use crate::world_steps::{DEM_ASK_LAW, dem_world_begin, dem_world_poll, dem_world_query};
use crate::worlds::*;
use core::ffi::c_void;
use core::ptr::{null, null_mut};

/// A ball of 8 * 4^`depth` triangles.
fn ball(depth: u32) -> Vec<[[f64; 3]; 3]> {
    let unit = |p: [f64; 3]| {
        let length = p.iter().map(|x| x * x).sum::<f64>().sqrt();
        p.map(|x| x / length)
    };
    let middle = |a: [f64; 3], b: [f64; 3]| unit([0, 1, 2].map(|k| a[k] + b[k]));
    let mut all = Vec::new();
    for [x, y, z] in [0, 1, 2, 3, 4, 5, 6, 7].map(|i| [i & 1, i >> 1 & 1, i >> 2].map(|b| 1.0 - 2.0 * f64::from(b))) {
        let [a, b, c] = [[x, 0.0, 0.0], [0.0, y, 0.0], [0.0, 0.0, z]];
        all.push(if x * y * z > 0.0 { [a, b, c] } else { [a, c, b] });
    }
    for _ in 0..depth {
        let parts = |[a, b, c]: [[f64; 3]; 3]| {
            let [p, q, r] = [middle(a, b), middle(b, c), middle(c, a)];
            [[a, p, r], [b, q, p], [c, r, q], [p, q, r]]
        };
        all = all.into_iter().flat_map(parts).collect();
    }
    all
}

/// Makes the first step of a scene in memory of a fixed size.
fn first_step(desc: &dem_scene_desc, query: &dem_scene_query) -> dem_error {
    let (mut size, mut scene, mut error) = (0, null_mut(), dem_error::default());
    // SAFETY: all memory has the size that is passed.
    unsafe {
        assert_eq!(dem_scene_layout(&mut size, null_mut(), desc, null_mut()), DEM_OK);
        let mut block = vec![Line([0xCD; 64]); size.div_ceil(DEM_ALIGN)];
        assert_eq!(dem_scene_init(block.as_mut_ptr().cast(), size, &mut scene, desc, null_mut()), DEM_OK);
        let needed = scratch_of(|start, size, error| dem_scene_detect(scene, null_mut(), 0, query, start, size, error));
        let mut scratch = vec![0u8; needed];
        let (start, size) = (scratch.as_mut_ptr().cast::<c_void>(), scratch.len());
        dem_scene_detect(scene, null_mut(), 0, query, start, size, &mut error);
    }
    error
}

#[test]
fn first_steps_of_heaps_of_meshes_have_room() {
    const SIDE: usize = 4;
    for (depth, halo, spacing) in [
        (2, 0.02, 0.95),
        (3, 0.02, 0.95),
        (4, 0.02, 0.95),
        (4, 0.02, 1.0),
        (4, 0.02, 0.99),
        (3, 0.1, 0.95),
        (4, 0.005, 0.95),
        (0, 0.05, 0.6),
    ] {
        let shape = Built::new(&ball(depth), halo);
        let shapes = [dem_placed { kind: DEM_KIND_MESH, solid: 1, shape: shape.handle(), ..POINT }];
        let at = |i: usize| [i % SIDE, i / SIDE % SIDE, i / SIDE / SIDE].map(|k| k as f64 * 2.0 * spacing);
        let positions: Vec<_> = (0..SIDE * SIDE * SIDE).map(at).collect();
        let mut query = dem_scene_query {
            shapes: shapes.as_ptr(),
            shape_count: 1,
            positions: vectors(&positions),
            ..Input::DEFAULT
        };
        let mut desc = dem_scene_desc { ..Input::DEFAULT };
        let usual = dem_scene_desc { bodies: 64, ..desc };
        let without = first_step(&usual, &query);
        let size = size_of::<dem_scene_desc>();
        // SAFETY: both structs exist.
        assert_eq!(unsafe { dem_scene_room(&mut desc, size, &raw mut query.pairs, &query, null_mut()) }, DEM_OK);
        let error = first_step(&desc, &query);
        assert_eq!(error, dem_error::default(), "{depth} {halo} {spacing}: {desc:?}");
        assert_eq!(desc.bodies, 64);
        // The estimates are at most eight times the nodes and sixteen times the pairs that the step needs.
        let eighth = dem_scene_desc { nodes: desc.nodes / 8, ..desc };
        assert_eq!(first_step(&eighth, &query).code, DEM_ERROR_CAPACITY, "{depth} {halo} {spacing}: {desc:?}");
        let few = dem_scene_query { pairs: query.pairs / 16, ..query };
        assert_eq!(first_step(&desc, &few).code, DEM_ERROR_CAPACITY, "{depth} {halo} {spacing}: {}", query.pairs);
        if depth == 4 {
            assert_eq!(without.code, DEM_ERROR_CAPACITY, "{halo} {spacing}");
        }
    }
}

#[test]
fn the_first_error_tells_all_that_is_short() {
    let shape = Built::new(&ball(4), 0.02);
    let shapes = [dem_placed { kind: DEM_KIND_MESH, solid: 1, shape: shape.handle(), ..POINT }];
    let positions: Vec<_> = (0..40).map(|i| [1.9 * f64::from(i), 0.0, 0.0]).collect();
    let query =
        dem_scene_query { shapes: shapes.as_ptr(), shape_count: 1, positions: vectors(&positions), ..Input::DEFAULT };
    let desc = dem_scene_desc { bodies: 40, ..Input::DEFAULT };
    let (mut size, mut scene, mut error) = (0, null_mut(), dem_error::default());
    // SAFETY: all memory has the size that is passed.
    unsafe {
        assert_eq!(dem_scene_layout(&mut size, null_mut(), &desc, null_mut()), DEM_OK);
        let mut block = vec![Line([0xCD; 64]); size.div_ceil(DEM_ALIGN)];
        assert_eq!(dem_scene_init(block.as_mut_ptr().cast(), size, &mut scene, &desc, null_mut()), DEM_OK);
        dem_scene_detect(scene, null_mut(), 0, &query, null_mut(), 0, &mut error);
    }
    let short = error.short_of;
    assert_eq!((error.code, error.argument), (DEM_ERROR_CAPACITY, What::Scratch as u32));
    assert!(short.nodes > 8 * 1184 && short.pairs > 256 && short.scratch > error.needed, "{short:?}");
    let with = dem_scene_query { pairs: short.pairs as usize, ..query };
    let roomy = dem_scene_desc { nodes: short.nodes as u32, ..desc };
    assert_eq!(first_step(&roomy, &with), dem_error::default());
}

/// Polls a world of these balls of triangles, in memory of a fixed size with default room: the first error, and the error after the world has got
/// this room.
fn first_poll(depth: u32, spacing: f64, records: u32) -> (dem_error, dem_error) {
    let shape = Built::new(&ball(depth), 0.02);
    let shapes = [dem_placed { kind: DEM_KIND_MESH, solid: 1, shape: shape.handle(), ..POINT }];
    let mut query = dem_world_query { shapes: shapes.as_ptr(), shape_count: 1, ..Input::DEFAULT };
    let mut desc = dem_world_desc { bodies: 64, records, ..Input::DEFAULT };
    let (mut size, mut world, mut want) = (0, null_mut(), 0);
    let [mut error, mut after] = [dem_error::default(); 2];
    // SAFETY: all memory has the size that is passed.
    unsafe {
        assert_eq!(dem_world_layout(&mut size, null_mut(), &desc, null_mut()), DEM_OK);
        let mut block = vec![Line([0xCD; 64]); size.div_ceil(DEM_ALIGN)];
        assert_eq!(dem_world_init(block.as_mut_ptr().cast(), size, &mut world, &desc, null_mut()), DEM_OK);
        for i in 0..64 {
            let mut member: dem_member = Input::DEFAULT;
            (member.body.motion, member.body.mass, member.body.moments) = (0, 1.0, [1.0; 3]);
            member.body.position = [i % 4, i / 4 % 4, i / 16].map(|k| f64::from(k) * 2.0 * spacing);
            assert_eq!(dem_world_add(world, null_mut(), &member, null_mut()), DEM_OK);
        }
        assert_eq!(dem_world_begin(world, 1e-9, DEM_ASK_LAW, null_mut()), DEM_OK);
        dem_world_poll(world, &mut want, &query, null_mut(), 0, &mut error);
        let short = error.short_of;
        assert_eq!(dem_world_room(&mut desc, size_of::<dem_world_desc>(), world, null_mut()), DEM_OK);
        for (room, needed) in [
            (&mut desc.candidates, short.candidates),
            (&mut desc.contacts, short.contacts),
            (&mut desc.nodes, short.nodes),
        ] {
            *room = (*room).max(needed as u32);
        }
        query.pairs = short.pairs as usize;
        assert_eq!(dem_world_layout(&mut size, null_mut(), &desc, null_mut()), DEM_OK);
        let mut larger = vec![Line([0xCD; 64]); size.div_ceil(DEM_ALIGN)];
        let mut grown = null_mut();
        assert_eq!(dem_world_grow(larger.as_mut_ptr().cast(), size, &mut grown, world, &desc, null_mut()), DEM_OK);
        let mut scratch = vec![0u8; short.scratch as usize];
        dem_world_poll(grown, &mut want, &query, scratch.as_mut_ptr().cast(), scratch.len(), &mut after);
    }
    (error, after)
}

#[test]
fn the_first_poll_of_a_world_tells_all_that_is_short() {
    let (error, after) = first_poll(4, 0.95, DEM_RECORDS_LAST);
    let short = error.short_of;
    assert_eq!((error.code, error.argument), (DEM_ERROR_CAPACITY, What::Scratch as u32));
    assert!(short.nodes > 8 * 1280 && short.pairs > 256 && short.scratch > error.needed, "{short:?}");
    assert_eq!((short.candidates, short.contacts), (0, 0));
    assert_eq!(after, dem_error::default());
    // A world of meshes that begins without room for records lacks this room, too.
    let (error, after) = first_poll(4, 0.95, DEM_RECORDS_NONE);
    assert!(error.short_of.candidates > 0 && error.short_of.contacts > 0 && error.short_of.nodes > 0, "{error:?}");
    assert_eq!(after, dem_error::default());
    // The defaults are enough for coarse meshes: only scratch is missing.
    let (error, after) = first_poll(2, 0.98, DEM_RECORDS_LAST);
    assert_eq!((error.short_of.nodes, error.short_of.pairs), (0, 0));
    assert_eq!(after, dem_error::default());
}

#[test]
fn the_defaults_have_room_for_heaps_of_boxes_and_coarse_meshes() {
    const SIDE: usize = 7;
    for (mesh, halo, spacing) in [(cube(), 0.01, 1.016), (ball(2), 0.01, 1.98), (ball(3), 0.01, 2.0)] {
        let shape = Built::new(&mesh, halo);
        let shapes = [dem_placed { kind: DEM_KIND_MESH, solid: 1, shape: shape.handle(), ..POINT }];
        let at = |i: usize| [i % SIDE, i / SIDE % SIDE, i / SIDE / SIDE].map(|k| k as f64 * spacing);
        let positions: Vec<_> = (0..SIDE * SIDE * SIDE).map(at).collect();
        let query = dem_scene_query {
            shapes: shapes.as_ptr(),
            shape_count: 1,
            positions: vectors(&positions),
            ..Input::DEFAULT
        };
        let desc = dem_scene_desc { bodies: positions.len() as u32, ..Input::DEFAULT };
        assert_eq!(first_step(&desc, &query), dem_error::default(), "{} triangles", mesh.len());
    }
}

#[test]
fn balls_have_the_defaults_and_bad_queries_are_told() {
    let shapes = [dem_placed { radius: 1.0, ..POINT }];
    let positions = [[0.0; 3]; 100];
    let query =
        dem_scene_query { shapes: shapes.as_ptr(), shape_count: 1, positions: vectors(&positions), ..Input::DEFAULT };
    let room = |query: &dem_scene_query| {
        let (mut pairs, mut desc, mut error) = (0, dem_scene_desc { ..Input::DEFAULT }, dem_error::default());
        // SAFETY: all pointers are valid.
        unsafe { dem_scene_room(&mut desc, size_of::<dem_scene_desc>(), &mut pairs, query, &mut error) };
        (desc, error, pairs)
    };
    let (desc, error, pairs) = room(&query);
    assert_eq!((pairs, room(&dem_scene_query { pairs: 999, ..query }).2), (256, 999));
    assert_eq!((error, desc.bodies, desc.candidates, desc.contacts), (dem_error::default(), 100, 1424, 1424));
    let none = dem_scene_query { shape_count: 0, shapes: null(), ..query };
    assert_eq!((room(&none).1.code, room(&none).1.argument), (DEM_ERROR_BAD_INDEX, What::ShapeNumbers as u32));
}
