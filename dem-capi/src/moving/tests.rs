//! Tests of arguments and memory. The core tests the velocities.

use super::*;
use crate::errors::*;
use crate::tasks::dem_lane;
use crate::testing::{Cubes, vectors};

/// Calls about the cubes.
trait Ask {
    fn ask(&self, motion: *const dem_scene_motion, tasks: *const dem_tasks, less: usize) -> (dem_error, Vec<[f64; 3]>);
}

impl Ask for Cubes {
    fn ask(&self, motion: *const dem_scene_motion, tasks: *const dem_tasks, less: usize) -> (dem_error, Vec<[f64; 3]>) {
        let (mut size, mut error, mut out) = (0, dem_error::default(), vec![[7.0; 3]; self.count]);
        let scene = self.scene.as_ptr().cast();
        // SAFETY: all memory has the size that is passed.
        unsafe {
            if dem_scene_velocities_scratch(&mut size, scene, motion, tasks, &mut error) == DEM_OK {
                let mut scratch = vec![0xABu8; size - less];
                let (to, size) = (scratch.as_mut_ptr().cast(), scratch.len());
                dem_scene_velocities(out.as_mut_ptr().cast(), scene, motion, tasks, to, size, &mut error);
            }
        }
        (error, out)
    }
}

/// Calls lanes backwards.
unsafe extern "C" fn backwards(_: *mut c_void, lanes: usize, lane: dem_lane, arg: *mut c_void) {
    // SAFETY: the library passes these arguments.
    (0..lanes).rev().for_each(|i| unsafe { lane.unwrap()(i, arg) });
}

#[test]
fn bodies_and_vertices_count_and_null_is_rest() {
    let case = Cubes::new();
    let null = core::ptr::null();
    assert_eq!(case.ask(null, null.cast(), 0), (dem_error::default(), vec![[0.0; 3]; case.count]));
    let (bodies, spins) = ([[1.0, 0.0, 0.0], [0.0, 2.0, 0.0], [5.0; 3]], [[0.0; 3]; 3]);
    let own = [[0.0, 0.0, 4.0]; 36];
    let surface = |body| dem_scene_surface {
        shape: case.mesh.handle(),
        reserved_2: 0,
        scale: 1.0,
        body,
        reserved: 0,
        vertices: vectors(&own),
        pose: dem_core::pose::Pose::IDENTITY.into(),
        bodies: core::ptr::null(),
        reserved_3: 0,
    };
    let surfaces = [surface(1), surface(2)];
    let motion = dem_scene_motion {
        velocities: vectors(&bodies),
        spins: vectors(&spins),
        surfaces: surfaces.as_ptr(),
        surface_count: 2,
        surface_stride: size_of::<dem_scene_surface>(),
        ..Input::DEFAULT
    };
    let expected = (dem_error::default(), vec![[1.0, -2.0, -4.0]; case.count]);
    assert_eq!(case.ask(&motion, null.cast(), 0), expected);
    let tasks = dem_tasks { run: Some(backwards), user: core::ptr::null_mut(), lanes: 3, reserved: 0 };
    assert_eq!(case.ask(&motion, &tasks, 0), expected);
    assert_eq!(case.ask(&motion, &tasks, 99), expected, "fewer lanes do it, too");
    let (error, out) = case.ask(&motion, null.cast(), 1);
    assert_eq!((error.code, error.argument), (DEM_ERROR_CAPACITY, What::Scratch as u32));
    assert_eq!(out, vec![[7.0; 3]; case.count]);
    // The first surface alone, that of A.
    let motion = dem_scene_motion { surfaces: &surface(0), surface_count: 1, ..Input::DEFAULT };
    assert_eq!(case.ask(&motion, null.cast(), 0).1, vec![[0.0, 0.0, 4.0]; case.count]);
}

/// A wall whose vertices rotate has the spin of a rotating body, as A or B of a contact, and the spin of its body is added.
#[test]
fn spins_are_those_of_bodies_and_of_vertices() {
    let case = Cubes::new();
    let (scene, count) = (case.scene.as_ptr().cast(), case.count);
    let spin = [0.3, -0.2, 0.7];
    let turned = |x: &[f64; 3]| {
        let [[a, b, c], [x, y, z]] = [spin, *x];
        [b * z - c * y, c * x - a * z, a * y - b * x]
    };
    let own: Vec<_> = crate::testing::cube().as_flattened().iter().map(turned).collect();
    let rest = [[0.0; 3]; 3];
    for body in 0..2 {
        let surface = dem_scene_surface {
            shape: case.mesh.handle(),
            reserved_2: 0,
            scale: 1.0,
            body,
            reserved: 0,
            vertices: vectors(&own),
            pose: dem_core::pose::Pose::IDENTITY.into(),
            bodies: core::ptr::null(),
            reserved_3: 0,
        };
        let mut bodies = rest;
        bodies[body as usize] = spin;
        let turns = dem_scene_motion { spins: vectors(&bodies), ..Input::DEFAULT };
        let moves = dem_scene_motion { surfaces: &surface, surface_count: 1, ..Input::DEFAULT };
        let both = dem_scene_motion { spins: vectors(&bodies), ..moves };
        let [whole, by_vertices, twice] = [&turns, &moves, &both].map(|motion| {
            let (mut size, mut out, mut spins) = (0, vec![[7.0f64; 3]; count], vec![[7.0f64; 3]; count]);
            let null: *mut c_void = core::ptr::null_mut();
            // SAFETY: all memory has the size that is passed.
            unsafe {
                assert_eq!(dem_scene_velocities_scratch(&mut size, scene, motion, null.cast(), null.cast()), DEM_OK);
                let mut scratch = vec![0xABu8; size];
                let (to, turned) = (out.as_mut_ptr().cast(), spins.as_mut_ptr().cast::<f64>());
                let at = scratch.as_mut_ptr().cast::<c_void>();
                let ask = |spins, error| dem_scene_motions(to, spins, scene, motion, null.cast(), at, size, error);
                assert_eq!(ask(turned, null.cast()), DEM_OK);
                let mut error = dem_error::default();
                assert_eq!(ask(core::ptr::null_mut(), &mut error), DEM_ERROR_NULL);
                assert_eq!(error.argument, What::Spins as u32);
                assert_eq!(ask(to, &mut error), DEM_ERROR_OVERLAP);
            }
            let motion: *const dem_scene_motion = motion;
            let (error, at_surfaces): (_, Vec<[f64; 3]>) = case.ask(motion, null.cast(), 0);
            assert_eq!(error, dem_error::default());
            (out, spins, at_surfaces)
        });
        let sign = if body == 0 { 1.0 } else { -1.0 };
        assert!(count > 0 && whole.1.iter().all(|x| *x == spin.map(|x| sign * x)), "{:?}", whole.1);
        for k in 0..count {
            for i in 0..3 {
                let [a, b, c] = [whole.1[k][i], by_vertices.1[k][i], twice.1[k][i]];
                assert!((a - b).abs() < 1e-12 && (a + b - c).abs() < 1e-12, "{a} {b} {c}");
                // Vertices that move as a rigid body give the velocities of this body.
                assert!((whole.0[k][i] - by_vertices.0[k][i]).abs() < 1e-12);
            }
            // dem_scene_velocities has the velocity of the wall below the contact, half of the gap of 0.05 away.
            let off = [0, 1, 2].map(|i| (by_vertices.0[k][i] - by_vertices.2[k][i]).abs());
            assert!(whole.2[k] == whole.0[k] && off.iter().all(|x| *x < 0.8 * 0.026) && off.iter().any(|x| *x > 0.001));
        }
    }
}

#[test]
fn what_is_wrong_is_named() {
    let case = Cubes::new();
    let own = [[0.0; 3]; 36];
    let whole = |own: &[[f64; 3]]| dem_scene_surface {
        shape: case.mesh.handle(),
        reserved_2: 0,
        scale: 1.0,
        body: 1,
        reserved: 0,
        vertices: vectors(own),
        pose: dem_core::pose::Pose::IDENTITY.into(),
        bodies: core::ptr::null(),
        reserved_3: 0,
    };
    let good = whole(&own);
    let refused = |motion: dem_scene_motion| {
        let (error, out) = case.ask(&motion, core::ptr::null(), 0);
        assert_eq!(out, vec![[7.0; 3]; case.count]);
        (error.code, error.argument, error.index, error.component)
    };
    let second = |surface: dem_scene_surface| {
        let both = [good, surface];
        let surface_stride = size_of::<dem_scene_surface>();
        refused(dem_scene_motion { surfaces: both.as_ptr(), surface_count: 2, surface_stride, ..Input::DEFAULT })
    };
    let surfaces = What::Surfaces as u32;
    assert_eq!(second(dem_scene_surface { body: 3, ..good }), (DEM_ERROR_BAD_INDEX, surfaces, 1, 0));
    assert_eq!(second(dem_scene_surface { scale: 0.0, ..good }), (DEM_ERROR_OUT_OF_RANGE, surfaces, 1, 9));
    assert_eq!(second(dem_scene_surface { reserved: 1, ..good }), (DEM_ERROR_OUT_OF_RANGE, surfaces, 1, 10));
    assert_eq!(second(dem_scene_surface { reserved_2: 1, ..good }), (DEM_ERROR_OUT_OF_RANGE, surfaces, 1, 11));
    assert_eq!(second(dem_scene_surface { shape: core::ptr::null(), ..good }), (DEM_ERROR_NULL, surfaces, 1, OF_SHAPE));
    assert_eq!(second(whole(&own[..35])), (DEM_ERROR_MISMATCH, surfaces, 1, 0));
    let bodies = [[0.0; 3], [0.0, f64::NAN, 0.0], [0.0; 3]];
    let (speeds, all) = (What::BodyVelocities as u32, vectors(&bodies));
    let of_bodies = |velocities| refused(dem_scene_motion { velocities, ..Input::DEFAULT });
    assert_eq!(of_bodies(all), (DEM_ERROR_NOT_FINITE, speeds, 1, 1));
    assert_eq!(of_bodies(vectors(&bodies[..2])), (DEM_ERROR_MISMATCH, speeds, 0, 0));
    assert_eq!(refused(dem_scene_motion { surface_count: 1, ..Input::DEFAULT }).0, DEM_ERROR_NULL);
    let (one, stride) = (&good as *const dem_scene_surface, dem_scene_surface::FIRST - 8);
    let small = dem_scene_motion { surfaces: one, surface_count: 1, surface_stride: stride, ..Input::DEFAULT };
    assert_eq!(refused(small).0, DEM_ERROR_BAD_SIZE);
    assert_eq!(refused(dem_scene_motion { reserved_2: 1, ..Input::DEFAULT }).0, DEM_ERROR_OUT_OF_RANGE);
    let mut endless = own;
    endless[7][2] = f64::INFINITY;
    assert_eq!(second(whole(&endless)), (DEM_ERROR_NOT_FINITE, surfaces, 1, 2));
    // The output overlaps an input.
    let (mut error, scene) = (dem_error::default(), case.scene.as_ptr().cast());
    let mut bodies = vec![[0.0; 3]; case.count.max(3)];
    let motion = dem_scene_motion { velocities: vectors(&bodies[..3]), ..Input::DEFAULT };
    let (to, none) = (bodies.as_mut_ptr().cast(), core::ptr::null_mut());
    // SAFETY: all memory has the size that is passed.
    let status = unsafe { dem_scene_velocities(to, scene, &motion, core::ptr::null(), none, 0, &mut error) };
    assert_eq!((status, error.argument), (DEM_ERROR_OVERLAP, What::Velocities as u32));
}
