//! Tests of arguments and memory. The core tests the loads.

use super::*;
use crate::arrays::DEM_U32;
use crate::errors::*;
use crate::inputs::Input;
use crate::placed::{DEM_KIND_MESH, POINT, dem_placed};
use crate::testing::{Cubes, output, scratch_of, vectors};

/// Vertices of a cube of loose triangles.
const VERTICES: usize = 36;

/// The loads on a body; numbers that are not written are 7.
fn ask(cubes: &Cubes, body: u32, scale: f64, forces: dem_array, room: usize, less: usize) -> (dem_error, Vec<f64>) {
    let (mut error, mut out) = (dem_error::default(), vec![7.0; 3 * room]);
    let to = dem_output { count: room, ..output(&mut out, DEM_F64) };
    // SAFETY: all memory has the size that is passed.
    unsafe {
        let (scene, shape) = (cubes.scene.as_ptr().cast(), cubes.mesh.handle());
        let surface = dem_scene_surface { body, scale, ..whole(shape) };
        let own = size_of_val(&surface);
        let ask = |start, size, error| dem_scene_loads(&to, scene, &surface, own, &forces, 0, start, size, error);
        if ask(core::ptr::null_mut(), 0, &mut error) == DEM_ERROR_CAPACITY && error.argument == DEM_ARGUMENT_SCRATCH {
            let mut scratch = vec![0xABu8; error.needed as usize - less];
            ask(scratch.as_mut_ptr().cast(), scratch.len(), &mut error);
        }
    }
    (error, out)
}

#[test]
fn loads_sum_to_the_force_of_each_body() {
    let cubes = Cubes::new();
    let force = [-3.0, 0.5, 0.25];
    let forces = vec![force; cubes.count];
    for (body, sign) in [(0, 1.0), (1, -1.0), (2, 0.0)] {
        let (error, out) = ask(&cubes, body, 1.0, vectors(&forces), VERTICES, 0);
        assert_eq!(error, dem_error::default());
        for (k, force) in force.into_iter().enumerate() {
            let sum: f64 = out.iter().skip(k).step_by(3).sum();
            assert!((sum - sign * force * cubes.count as f64).abs() < 1e-12, "{body}: {sum}");
        }
    }
    // Outputs in single precision, in structs of the host.
    let mut out = vec![7.0f32; 5 * VERTICES];
    let stride = 5 * size_of::<f32>();
    let to = dem_output { count: VERTICES, stride, ..output(&mut out, DEM_F32) };
    let (scene, shape) = (cubes.scene.as_ptr().cast(), cubes.mesh.handle());
    // SAFETY: all memory has the size that is passed.
    unsafe {
        let (surface, own, list) = (whole(shape), size_of::<dem_scene_surface>(), vectors(&forces));
        let ask = |start, size, error| dem_scene_loads(&to, scene, &surface, own, &list, 0, start, size, error);
        let mut scratch = vec![0u8; scratch_of(ask)];
        assert_eq!(ask(scratch.as_mut_ptr().cast(), scratch.len(), core::ptr::null_mut()), DEM_OK);
    }
    let sum: f32 = out.iter().step_by(5).sum();
    assert!((sum + 3.0 * cubes.count as f32).abs() < 1e-4 && out.iter().skip(3).step_by(5).all(|x| *x == 7.0));
}

#[test]
fn what_is_wrong_is_named_and_writes_nothing() {
    let cubes = Cubes::new();
    let forces = vec![[1.0; 3]; cubes.count];
    let all = vectors(&forces);
    let mut endless = forces.clone();
    endless[0][2] = f64::INFINITY;
    let short = vectors(&forces[1..]);
    let cases = [
        (ask(&cubes, 3, 1.0, all, VERTICES, 0), DEM_ERROR_BAD_INDEX, What::Surface),
        (ask(&cubes, 0, 1.0, short, VERTICES, 0), DEM_ERROR_MISMATCH, What::Forces),
        (ask(&cubes, 0, 1.0, vectors(&endless), VERTICES, 0), DEM_ERROR_NOT_FINITE, What::Forces),
        (ask(&cubes, 0, 0.0, all, VERTICES, 0), DEM_ERROR_OUT_OF_RANGE, What::Scale),
        (ask(&cubes, 0, 1.0, all, VERTICES - 1, 0), DEM_ERROR_CAPACITY, What::Output),
        (ask(&cubes, 0, 1.0, all, VERTICES, 1), DEM_ERROR_CAPACITY, What::Scratch),
    ];
    for ((error, out), code, what) in cases {
        assert_eq!((error.code, error.argument), (code, what as u32));
        assert!(out.iter().all(|x| *x == 7.0));
    }
    let (mut out, mut error) = (vec![[7.0; 3]; VERTICES], dem_error::default());
    let (scene, shape) = (cubes.scene.as_ptr().cast(), cubes.mesh.handle());
    let none = core::ptr::null_mut();
    // SAFETY: all memory has the size that is passed.
    let mut refused = |to: dem_output, forces: *const dem_array, shape, scratch| unsafe {
        let surface = whole(shape);
        dem_scene_loads(&to, scene, &surface, size_of_val(&surface), forces, 0, scratch, 64, &mut error);
        (error.code, error.argument)
    };
    let to = output(&mut out, DEM_F64);
    assert_eq!(refused(to, core::ptr::null(), shape, none), (DEM_ERROR_NULL, What::Forces as u32));
    assert_eq!(refused(to, &all, core::ptr::null(), none).0, DEM_ERROR_NULL);
    let nowhere = dem_output { data: core::ptr::null_mut(), ..to };
    assert_eq!(refused(nowhere, &all, shape, none), (DEM_ERROR_NULL, What::Output as u32));
    assert_eq!(refused(dem_output { r#type: DEM_U32, ..to }, &all, shape, none).0, DEM_ERROR_OUT_OF_RANGE);
    assert_eq!(refused(to, &all, shape, to.data).0, DEM_ERROR_OVERLAP);
    assert_eq!(
        refused(dem_output { data: forces.as_ptr().cast_mut().cast(), ..to }, &all, shape, none).0,
        DEM_ERROR_OVERLAP
    );
}

/// With the bodies of the step, a contact of two faces loads both triangles of each face. Errors about these bodies name them.
#[test]
fn with_bodies_loads_are_spread_over_what_contacts_cover() {
    let cubes = Cubes::new();
    let shapes = [dem_placed { kind: DEM_KIND_MESH, shape: cubes.mesh.handle(), ..POINT }];
    let positions = [[0.0; 3], [1.05, 0.0, 0.0], [9.0, 0.0, 0.0]];
    let query = dem_scene_query {
        shapes: shapes.as_ptr(),
        shape_count: 1,
        positions: vectors(&positions),
        pairs: 500,
        ..Input::DEFAULT
    };
    let forces = vec![[-1.0, 0.0, 0.0]; cubes.count];
    let list = vectors(&forces);
    let ask = |surface: &dem_scene_surface, of: u32, less: usize| {
        let (mut error, mut out) = (dem_error::default(), vec![[7.0; 3]; VERTICES]);
        let to = dem_output { count: VERTICES, ..output(out.as_flattened_mut(), DEM_F64) };
        // SAFETY: all memory has the size that is passed.
        unsafe {
            let (scene, own) = (cubes.scene.as_ptr().cast(), size_of_val(surface));
            let ask = |start, size, error| dem_scene_loads(&to, scene, surface, own, &list, of, start, size, error);
            if ask(core::ptr::null_mut(), 0, &mut error) == DEM_ERROR_CAPACITY && error.argument == DEM_ARGUMENT_SCRATCH
            {
                let mut scratch = vec![0xABu8; error.needed as usize - less];
                ask(scratch.as_mut_ptr().cast(), scratch.len(), &mut error);
            }
        }
        assert!(error.code == DEM_OK || out == vec![[7.0; 3]; VERTICES]);
        (error, out)
    };
    let point = whole(cubes.mesh.handle());
    let wide = dem_scene_surface { bodies: &query, ..point };
    let bearing = |out: &[[f64; 3]]| out.iter().filter(|load| load[0] < 0.0).count();
    let (error, out) = ask(&wide, 0, 0);
    assert_eq!(error, dem_error::default());
    assert!(bearing(&out) == 6 && out.iter().all(|load| load[0] <= 0.0), "{out:?}");
    assert!((out.iter().map(|load| load[0]).sum::<f64>() + cubes.count as f64).abs() < 1e-12);
    assert!(bearing(&ask(&point, 0, 0).1) <= 3);
    let wrong = |surface: &dem_scene_surface, of| {
        let (error, _) = ask(surface, of, 0);
        (error.code, error.argument)
    };
    let what = What::Surface as u32;
    assert_eq!(wrong(&wide, crate::scenes::DEM_LIST_MARGIN), (DEM_ERROR_UNSUPPORTED, what));
    assert_eq!(wrong(&dem_scene_surface { reserved_3: 1, ..wide }, 0), (DEM_ERROR_OUT_OF_RANGE, what));
    let other = Cubes::new();
    assert_eq!(wrong(&dem_scene_surface { shape: other.mesh.handle(), ..wide }, 0), (DEM_ERROR_MISMATCH, what));
    let few = dem_scene_query { positions: vectors(&positions[..2]), ..query };
    let few = dem_scene_surface { bodies: &few, ..wide };
    assert_eq!(wrong(&few, 0), (DEM_ERROR_MISMATCH, What::Positions as u32));
    let narrow = dem_scene_query { pairs: 1, ..query };
    let narrow = dem_scene_surface { bodies: &narrow, ..wide };
    assert_eq!(wrong(&narrow, 0), (DEM_ERROR_CAPACITY, What::Pairs as u32));
}
