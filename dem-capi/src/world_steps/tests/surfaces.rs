//! Tests of walls whose vertices move: `surfaces` of the query.

use super::*;
use crate::arrays::dem_array;
use crate::moving::dem_scene_surface;
use crate::testing::vectors;
use dem_core::pose::Pose as CorePose;

const HALO: f64 = 0.02;

/// A static cube, and a ball that lies on it.
fn on_a_cube(mesh: &Shape) -> (Owned, [dem_placed; 2]) {
    let cube = dem_placed { kind: DEM_KIND_MESH, shape: mesh.handle(), ..POINT };
    let ball = dem_placed { radius: 0.25, halo: HALO, ..POINT };
    let mut own = Owned::new(&ROOM);
    own.add(&dem_member { id: 1, ..Input::DEFAULT });
    let mut member = dem_member { shape: 1, id: 2, ..Input::DEFAULT };
    let place = [0.4, 0.6, 1.25 + HALO];
    // SAFETY: three numbers.
    unsafe { assert_eq!(dem_body_ball(&mut member.body, place.as_ptr(), 0.25, 800.0, NULL.cast()), DEM_OK) };
    own.add(&member);
    (own, [cube, ball])
}

#[test]
fn laws_see_vertices_that_move_and_what_is_wrong_with_them_is_told() {
    let mesh = Shape::new(&cube(), HALO);
    let (start, shapes) = on_a_cube(&mesh);
    let laws = [rough()];
    let still = query(&shapes, &laws);
    let force = |query: &dem_world_query| {
        let mut own = start.clone();
        own.step(query);
        let view = own.view();
        // SAFETY: there are two bodies.
        unsafe { (*view.wrenches.add(1)).force }
    };
    let good = [[0.3, 0.0, 0.0]; 36];
    let of = |vertices: &[[f64; 3]]| dem_scene_surface {
        shape: mesh.handle(),
        reserved_2: 0,
        scale: 1.0,
        body: 0,
        reserved: 0,
        vertices: vectors(vertices),
        pose: CorePose::IDENTITY.into(),
        bodies: core::ptr::null(),
        reserved_3: 0,
    };
    let surface = of(&good);
    let with = |surfaces: &[dem_scene_surface]| dem_world_query {
        surfaces: surfaces.as_ptr(),
        surface_count: surfaces.len(),
        surface_stride: size_of::<dem_scene_surface>(),
        ..still
    };
    let ([x, y, z], [along, across, up]) = (force(&still), force(&with(&[surface])));
    assert!(z > 0.0 && x.abs() + y.abs() < 1e-9 * z && (up - z).abs() < 1e-9 * z, "{x} {y} {z} {up}");
    assert!(along > 1e-3 * z && across.abs() < 1e-9 * z, "{along} {across} {z}");
    // Several surfaces of one body add up, here to zero.
    let back = good.map(|v| v.map(|x| -x));
    let both = [surface, of(&back)];
    assert!(force(&with(&both))[0].abs() < 1e-9 * z);

    let mut wrong = good;
    wrong[7][1] = f64::NAN;
    let what = What::Surfaces as u32;
    let mut own = start.clone();
    own.begin(0);
    own.poll(&still).unwrap();
    let before = own.bytes();
    let refused = |own: &mut Owned, query: &dem_world_query| {
        let error = own.poll(query).unwrap_err();
        assert!(own.bytes() == before, "{error:?}");
        (error.code, error.argument, error.index)
    };
    let mut second = |other| refused(&mut own, &with(&[surface, other]));
    assert_eq!(second(of(&wrong)), (DEM_ERROR_NOT_FINITE, what, 1));
    assert_eq!(second(of(&good[1..])), (DEM_ERROR_MISMATCH, what, 1));
    assert_eq!(second(dem_scene_surface { body: 2, ..surface }), (DEM_ERROR_BAD_INDEX, what, 1));
    assert_eq!(second(dem_scene_surface { scale: 0.0, ..surface }), (DEM_ERROR_OUT_OF_RANGE, what, 1));
    assert_eq!(second(dem_scene_surface { reserved: 1, ..surface }), (DEM_ERROR_OUT_OF_RANGE, what, 1));
    assert_eq!(second(dem_scene_surface { shape: core::ptr::null(), ..surface }), (DEM_ERROR_NULL, what, 1));
    let one = with(core::slice::from_ref(&surface));
    assert_eq!(refused(&mut own, &dem_world_query { surfaces: core::ptr::null(), ..one }), (DEM_ERROR_NULL, what, 0));
    assert_eq!(refused(&mut own, &dem_world_query { surface_stride: 8, ..one }), (DEM_ERROR_BAD_SIZE, what, 0));
    // Refused: velocities in memory that the call writes.
    let inside = of(&[]);
    let inside = dem_scene_surface {
        vertices: dem_array { data: own.scratch.as_ptr().cast(), count: 36, ..inside.vertices },
        ..inside
    };
    assert_eq!(refused(&mut own, &with(&[inside])).0, DEM_ERROR_OVERLAP);
    // With exactly as much scratch as the error tells, the step continues.
    let (mut want, mut error) = (0, dem_error::default());
    // SAFETY: there is a world, and the scratch has the size that is passed.
    unsafe {
        let (world, scratch) = (own.world(), own.scratch.as_mut_ptr().cast());
        let enough = scratch_of(|to, size, error| dem_world_poll(world, &mut want, &one, to, size, error));
        assert_eq!(dem_world_poll(world, &mut want, &one, scratch, enough - 1, &mut error), DEM_ERROR_CAPACITY);
        assert_eq!(dem_world_poll(world, &mut want, &one, scratch, enough, &mut error), DEM_OK, "{error:?}");
    }
    own.finish(&one);
    // SAFETY: there are two bodies.
    assert_eq!(unsafe { (*own.view().wrenches.add(1)).force }, [along, across, up]);
}

/// A belt so fast that a step is refused, with the pair. Windows divide such steps, in one call and step by step, with the same bits.
#[test]
fn vertices_that_are_too_fast_divide_a_window() {
    let mesh = Shape::new(&cube(), HALO);
    let (start, shapes) = on_a_cube(&mesh);
    let laws = [rough()];
    let fast = [[1.5 * HALO / DT, 0.0, 0.0]; 36];
    let surface = dem_scene_surface {
        shape: mesh.handle(),
        reserved_2: 0,
        scale: 1.0,
        body: 0,
        reserved: 0,
        vertices: vectors(&fast),
        pose: CorePose::IDENTITY.into(),
        bodies: core::ptr::null(),
        reserved_3: 0,
    };
    let still = query(&shapes, &laws);
    let moving = dem_world_query {
        surfaces: &surface,
        surface_count: 1,
        surface_stride: size_of::<dem_scene_surface>(),
        ..still
    };
    let mut own = start.clone();
    own.begin(0);
    assert_eq!(own.poll(&moving).unwrap(), DEM_WANT_STUCK);
    let told = own.view().too_fast;
    assert!((told.ratio - 1.5).abs() < 1e-12 && told.a + told.b == 1, "{told:?}");

    let (mut one, mut steps) = (start.clone(), start.clone());
    let mut error = dem_error::default();
    let (mut dt, mut complete, mut sum, mut count) = (0.0, 0, 0.0, 0);
    let size = one.scratch.len();
    // SAFETY: both worlds exist, and the scratch has the size that is passed.
    unsafe {
        let (world, scratch) = (one.world(), one.scratch.as_mut_ptr().cast());
        let done = dem_world_advance(world, &moving, 2.0 * DT, DT, scratch, size, &mut error);
        assert_eq!(done, DEM_OK, "{error:?}");
        let (world, scratch) = (steps.world(), steps.scratch.as_mut_ptr().cast());
        while complete == 0 {
            let step = |dt, complete| {
                let error = core::ptr::null_mut();
                dem_world_advance_step(world, dt, complete, &moving, 2.0 * DT, DT, scratch, size, error)
            };
            assert_eq!(step(core::ptr::null_mut(), &mut complete), DEM_ERROR_NULL);
            assert_eq!(step(&mut dt, core::ptr::null_mut()), DEM_ERROR_NULL);
            assert_eq!(step(&mut dt, &mut complete), DEM_OK);
            (sum, count) = (sum + dt, count + 1);
        }
    }
    assert!(count > 2 && (sum / (2.0 * DT) - 1.0).abs() < 1e-12, "{count} {sum}");
    assert!(one.bytes() == steps.bytes());
}
