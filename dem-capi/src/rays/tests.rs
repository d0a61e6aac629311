//! Tests of rays in C: results against the core, and refusals.

use super::*;
use crate::arrays::{DEM_U32, NO_ARRAY, dem_array};
use crate::errors::*;
use crate::inputs::Input;
use crate::placed::dem_pose;
use crate::placed::*;
use crate::scenes::{dem_scene_desc, dem_scene_init, dem_scene_layout};
use crate::testing::{Line, Shape, cube, scratch_of, vectors};
use core::ptr::{null, null_mut};

pub(crate) const DOWN: dem_ray =
    dem_ray { origin: [0.25, 0.5, 9.0], direction: [0.0, 0.0, -2.0], most: f64::INFINITY, mask: u32::MAX, reserved: 0 };

pub(crate) const NOTHING: dem_ray_hit = dem_ray_hit {
    t: f64::INFINITY,
    point: [0.0; 3],
    normal: [0.0; 3],
    id: 0,
    body: u32::MAX,
    part: 0,
    triangle: u32::MAX,
    side: 3,
};

fn at(position: [f64; 3]) -> dem_pose {
    dem_pose { position, ..POINT.pose }
}

fn placed(hits: &mut [dem_ray_hit], body: &dem_placed, rays: &[dem_ray]) -> dem_error {
    assert_eq!(hits.len(), rays.len());
    let mut error = dem_error::default();
    // SAFETY: all memory has the size that is passed.
    let status = unsafe { dem_placed_cast(hits.as_mut_ptr(), body, rays.as_ptr(), rays.len(), &mut error) };
    assert_eq!(status, error.code);
    error
}

#[test]
fn rays_meet_the_first_part_of_a_body() {
    let mesh = Shape::new(&cube(), 0.05);
    let block = dem_placed { kind: DEM_KIND_MESH, solid: 1, shape: mesh.handle(), ..POINT };
    let rays = [DOWN, dem_ray { most: 3.9, ..DOWN }, dem_ray { origin: [5.0, 5.0, 9.0], ..DOWN }];
    let mut hits = [NOTHING; 3];
    let (bottom, top) = cube()
        .as_flattened()
        .iter()
        .fold((f64::INFINITY, -f64::INFINITY), |(low, high), v| (low.min(v[2]), high.max(v[2])));
    assert_eq!(placed(&mut hits, &block, &rays).code, DEM_OK);
    assert_eq!((hits[0].t, hits[0].normal, hits[0].side), ((9.0 - top) / 2.0, [0.0, 0.0, 1.0], 0));
    assert_eq!((hits[0].point, hits[0].body, hits[0].part), ([0.25, 0.5, top], 0, 0));
    assert_eq!(hits[1], if top < 1.2 { NOTHING } else { hits[0] });
    assert_eq!(hits[2], NOTHING);
    // A ball above it, and the ground below, in a compound that is moved down.
    let ball = dem_placed { kind: DEM_KIND_SPHERE, radius: 0.5, pose: at([0.25, 0.5, 3.0]), ..POINT };
    let ground = dem_placed { kind: DEM_KIND_HALF_SPACE, pose: at([0.0, 0.0, bottom]), ..POINT };
    let parts = [ground, block, ball];
    let list = dem_compound {
        struct_size: size_of::<dem_compound>() as u32,
        reserved: 0,
        parts: parts.as_ptr(),
        count: 3,
        stride: 0,
    };
    let all =
        dem_placed { kind: DEM_KIND_COMPOUND, shape: (&raw const list).cast(), pose: at([0.0, 0.0, -1.0]), ..POINT };
    assert_eq!(placed(&mut hits, &all, &rays).code, DEM_OK);
    assert_eq!((hits[0].t, hits[0].part, hits[0].triangle), (3.25, 2, 0));
    assert_eq!((hits[2].t, hits[2].part), ((10.0 - bottom) / 2.0, 0));
    // All hits, ray by ray; one more record must not change.
    let (mut met, mut ends, mut error) = ([NOTHING; 9], [0; 3], dem_error::default());
    let mut cast = |capacity, error: *mut dem_error| {
        // SAFETY: all memory has the size that is passed.
        let status = unsafe {
            dem_placed_cast_all(met.as_mut_ptr(), capacity, ends.as_mut_ptr(), &all, rays.as_ptr(), 3, error)
        };
        (status, met, ends)
    };
    assert_eq!(cast(6, &mut error).0, DEM_ERROR_CAPACITY);
    assert_eq!((error.argument, error.needed, error.given), (What::Output as u32, 8, 6));
    let (status, met, ends) = cast(8, &mut error);
    assert_eq!((status, ends, met[8]), (DEM_OK, [5, 7, 8], NOTHING));
    assert_eq!(
        met[..5].iter().map(|hit| (hit.part, hit.side)).collect::<Vec<_>>(),
        [(2, 0), (2, 1), (1, 0), (0, 0), (1, 1)]
    );
    assert!(met[..5].is_sorted_by(|a, b| a.t <= b.t));
    assert_eq!((met[0], met[7]), (hits[0], hits[2]));
}

#[test]
fn rays_that_are_wrong_are_told_with_their_place() {
    let ball = dem_placed { kind: DEM_KIND_SPHERE, radius: 0.5, ..POINT };
    let wrong = [
        (dem_ray { origin: [0.0, f64::NAN, 0.0], ..DOWN }, DEM_ERROR_NOT_FINITE, 1),
        (dem_ray { direction: [0.0; 3], ..DOWN }, DEM_ERROR_OUT_OF_RANGE, 3),
        (dem_ray { most: -1.0, ..DOWN }, DEM_ERROR_OUT_OF_RANGE, 6),
        (dem_ray { reserved: 1, ..DOWN }, DEM_ERROR_OUT_OF_RANGE, 7),
    ];
    let mut hits = [NOTHING; 2];
    for (ray, code, component) in wrong {
        let error = placed(&mut hits, &ball, &[DOWN, ray]);
        assert_eq!((error.code, error.argument), (code, What::Rays as u32));
        assert_eq!((error.index, error.component), (1, component));
    }
    let none = dem_placed { radius: f64::NAN, ..ball };
    assert_eq!(placed(&mut hits, &none, &[DOWN, DOWN]).argument, What::Body as u32);
    // SAFETY: nothing is read through null, and nothing for no rays.
    unsafe {
        assert_eq!(dem_placed_cast(null_mut(), &ball, &DOWN, 1, null_mut()), DEM_ERROR_NULL);
        assert_eq!(dem_placed_cast(hits.as_mut_ptr(), null(), &DOWN, 1, null_mut()), DEM_ERROR_NULL);
        assert_eq!(dem_placed_cast(hits.as_mut_ptr(), &ball, null(), 1, null_mut()), DEM_ERROR_NULL);
        assert_eq!(dem_placed_cast(null_mut(), &ball, null(), 0, null_mut()), DEM_OK);
        let own = hits.as_ptr().cast();
        assert_eq!(dem_placed_cast(hits.as_mut_ptr(), &ball, own, 1, null_mut()), DEM_ERROR_OVERLAP);
    }
}

#[test]
fn rays_meet_the_first_body_of_a_scene() {
    let mesh = Shape::new(&cube(), 0.05);
    let shapes = [
        dem_placed { kind: DEM_KIND_MESH, solid: 1, shape: mesh.handle(), ..POINT },
        dem_placed { kind: DEM_KIND_HALF_SPACE, halo: 0.05, ..POINT },
    ];
    let (kinds, groups) = ([1u32, 0, 0], [1u32, 2, 4]);
    let positions = [[0.0, 0.0, -7.0], [0.0, 0.0, 0.0], [0.0, 0.0, 3.0]];
    let words = |data: &[u32]| dem_array { data: data.as_ptr().cast(), count: 3, r#type: DEM_U32, ..NO_ARRAY };
    let query = dem_scene_query {
        shapes: shapes.as_ptr(),
        shape_count: 2,
        shape_of: words(&kinds),
        groups: words(&groups),
        positions: vectors(&positions),
        ..Input::DEFAULT
    };
    let desc = dem_scene_desc { bodies: 3, ..Input::DEFAULT };
    let (mut size, mut scene) = (0, null_mut());
    let rays = [DOWN, dem_ray { mask: 3, ..DOWN }, dem_ray { mask: 1, ..DOWN }, dem_ray { mask: 8, ..DOWN }];
    let mut hits = [NOTHING; 4];
    // SAFETY: all memory has the size that is passed.
    unsafe {
        assert_eq!(dem_scene_layout(&mut size, null_mut(), &desc, null_mut()), DEM_OK);
        let mut lines = vec![Line([0; 64]); size / 64];
        assert_eq!(dem_scene_init(lines.as_mut_ptr().cast(), size, &mut scene, &desc, null_mut()), DEM_OK);
        let none = rays.as_ptr();
        size = scratch_of(|to, size, error| dem_scene_cast(scene, hits.as_mut_ptr(), &query, none, 4, to, size, error));
        let mut scratch = vec![0u8; size];
        let to = scratch.as_mut_ptr().cast();
        let (mut error, out) = (dem_error::default(), hits.as_mut_ptr());
        let cast = |rays: *const dem_ray, size, error: *mut dem_error| {
            dem_scene_cast(scene, out, &query, rays, 4, to, size, error)
        };
        assert_eq!(cast(rays.as_ptr(), size, &mut error), DEM_OK);
        assert_eq!(hits.map(|hit| hit.body), [2, 1, 0, u32::MAX]);
        assert_eq!(hits.map(|hit| hit.id), [2, 1, 0, 0]);
        assert_eq!((hits[2].t, hits[3].t), (8.0, f64::INFINITY));
        assert_eq!(hits[0].t, hits[1].t - 1.5);
        let blind = [DOWN, dem_ray { mask: 0, ..DOWN }, DOWN, DOWN];
        assert_eq!(cast(blind.as_ptr(), size, &mut error), DEM_ERROR_OUT_OF_RANGE);
        assert_eq!((error.argument, error.index, error.component), (What::Rays as u32, 1, 8));
        let (mut met, mut ends) = ([NOTHING; 16], [0u64; 4]);
        let (to_met, to_ends) = (met.as_mut_ptr(), ends.as_mut_ptr());
        let all = |capacity, ends: *mut u64, error: *mut dem_error| {
            dem_scene_cast_all(scene, to_met, capacity, ends, &query, rays.as_ptr(), 4, to, size, error)
        };
        assert_eq!(all(8, to_ends, &mut error), DEM_ERROR_CAPACITY);
        assert_eq!((error.argument, error.needed), (What::Output as u32, 9));
        assert_eq!(all(9, to_ends, null_mut()), DEM_OK);
        assert_eq!(all(9, to_met.cast(), null_mut()), DEM_ERROR_OVERLAP);
        assert_eq!(all(9, null_mut(), null_mut()), DEM_ERROR_NULL);
        assert_eq!(ends, [5, 8, 9, 9]);
        assert_eq!([0, 5, 8].map(|i| met[i]), [hits[0], hits[1], hits[2]]);
        assert_eq!(met.map(|hit| hit.body)[..9], [2, 2, 1, 1, 0, 1, 1, 0, 0]);
        assert_eq!(cast(rays.as_ptr(), 0, &mut error), DEM_ERROR_CAPACITY);
        assert_eq!((error.argument, error.needed as usize <= size), (What::Scratch as u32, true));
        assert_eq!(cast(to.cast_const().cast(), size, &mut error), DEM_ERROR_OVERLAP);
        assert_eq!(dem_scene_cast(scene, to.cast(), &query, rays.as_ptr(), 4, to, size, null_mut()), DEM_ERROR_OVERLAP);
    }
}
