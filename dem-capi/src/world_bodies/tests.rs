//! Tests of bodies that join and leave, and of states and loads in arrays. Wrong arguments are refused and change no byte.

use super::*;
use crate::errors::*;
use crate::inputs::Input;
use crate::testing::{Shape, cube, output, scratch_of, vectors};
use crate::worlds::tests::{DT, NULL, Owned, ROOM, heap, query, rough, table};

fn told(error: &dem_error) -> (i32, u32) {
    (error.code, error.argument)
}

#[test]
fn handles_name_bodies_that_are_there() {
    let mut own = Owned::new(&ROOM);
    let handles: Vec<u64> = (0..3).map(|_| own.add(&Input::DEFAULT)).collect();
    assert_eq!(handles, [0, 1, 2]);
    let (mut error, mut handle, mut body) = (dem_error::default(), 77, AT_ORIGIN);
    // SAFETY: there is a world.
    unsafe {
        assert_eq!(dem_world_remove(own.world(), handles[1], NULL.cast()), DEM_OK);
        let bytes = own.bytes();
        let gone = (DEM_ERROR_BAD_INDEX, What::Handle as u32);
        dem_world_remove(own.world(), handles[1], &mut error);
        assert_eq!(told(&error), gone);
        let text = Error::new(Kind::BadIndex, What::Handle).amounts(3, 1).to_string();
        assert!(text.contains("left slot 1"), "{text}");
        for no_body in [handles[1], 3, 1 << 40, u64::MAX] {
            dem_world_body(&mut body, own.world(), no_body, &mut error);
            assert_eq!(told(&error), gone);
            dem_world_set_body(own.world(), no_body, &AT_ORIGIN, &mut error);
            assert_eq!(told(&error), gone);
            dem_world_set_material(own.world(), no_body, 1, &mut error);
            assert_eq!(told(&error), gone);
            dem_world_set_load(own.world(), no_body, &dem_wrench::default(), &mut error);
            assert_eq!(told(&error), gone);
        }
        assert_eq!(own.bytes(), bytes);
        assert_eq!(dem_world_handle(&mut handle, own.world(), 1, NULL.cast()), DEM_NONE);
        assert_eq!(dem_world_handle(&mut handle, own.world(), 9, NULL.cast()), DEM_NONE);
        assert_eq!((handle, own.view().bodies_there, own.view().count), (77, 2, 3));
        // The slot is used again, under another handle.
        let again = own.add(&Input::DEFAULT);
        assert_eq!((again as u32, again >> 32), (1, 1));
        assert_eq!(dem_world_handle(&mut handle, own.world(), 1, NULL.cast()), DEM_OK);
        assert_eq!(handle, again);
        assert_eq!(dem_world_set_material(own.world(), again, 5, NULL.cast()), DEM_OK);
        assert_eq!(*own.view().materials.add(1), 5);
    }
}

#[test]
fn states_are_written_into_arrays_of_any_stride() {
    let (mut own, handles) = Owned::filled(&ROOM);
    let (shapes, laws) = (table(), [rough()]);
    own.advance(20.0 * DT, &query(&shapes, &laws)).unwrap();
    let mut rows = vec![[0.0_f64; 16]; handles.len()];
    let (mut count, n) = (0, handles.len());
    let mut spins = vec![[0.0_f32; 3]; n];
    let at = |rows: &mut [[f64; 16]], offset: usize| dem_output {
        stride: size_of::<[f64; 16]>(),
        ..dem_output {
            data: rows.as_mut_ptr().cast::<f64>().wrapping_add(offset).cast(),
            count: n,
            ..output::<f64>(&mut [], DEM_F64)
        }
    };
    let (positions, orientations, velocities) = (at(&mut rows, 0), at(&mut rows, 4), at(&mut rows, 8));
    // SAFETY: all memory has the size that is passed.
    unsafe {
        let to = output(&mut spins, DEM_F32);
        let world = own.world();
        let status = dem_world_states(&positions, &orientations, &velocities, &to, &mut count, world, NULL.cast());
        assert_eq!((status, count), (DEM_OK, n));
        for (i, handle) in handles.iter().enumerate() {
            let mut body = AT_ORIGIN;
            assert_eq!(dem_world_body(&mut body, world, *handle, NULL.cast()), DEM_OK);
            assert_eq!((rows[i][..3] == body.position, rows[i][4..8] == body.orientation), (true, true));
            assert_eq!((&rows[i][8..11], rows[i][3]), (&body.velocity[..], 0.0));
            assert_eq!(spins[i], body.angular_velocity.map(|x| x as f32));
        }
        assert!(rows[1][10] != 0.0);
        // Refused: too few items, and an output inside the world.
        let mut error = dem_error::default();
        let (null, short) = (core::ptr::null(), dem_output { count: n - 1, ..positions });
        dem_world_states(null, null, &short, null, &mut count, world, &mut error);
        assert_eq!((told(&error), error.needed), ((DEM_ERROR_CAPACITY, What::BodyVelocities as u32), n as u64));
        let inside = dem_output { data: world.cast(), ..positions };
        dem_world_states(&inside, null, null, null, &mut count, world, &mut error);
        assert_eq!(error.code, DEM_ERROR_OVERLAP);
        let words = dem_output { r#type: crate::arrays::DEM_U32, ..positions };
        dem_world_states(&words, null, null, null, &mut count, world, &mut error);
        assert_eq!(error.code, DEM_ERROR_OUT_OF_RANGE);
    }
}

#[test]
fn loads_act_until_they_are_set_again() {
    let mut own = Owned::new(&ROOM);
    let handles: Vec<u64> = heap()[1..4].iter().map(|member| own.add(member)).collect();
    let forces = [[1.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 3.0]];
    let mut bodies = [AT_ORIGIN; 3];
    let (shapes, laws) = (table(), [rough()]);
    let query = query(&shapes, &laws);
    let null = core::ptr::null();
    // SAFETY: there is a world.
    unsafe {
        for (body, handle) in bodies.iter_mut().zip(&handles) {
            assert_eq!(dem_world_body(body, own.world(), *handle, NULL.cast()), DEM_OK);
        }
        let bytes = own.bytes();
        let mut error = dem_error::default();
        let mut refused = |own: &mut Owned, forces: *const dem_array, torques: *const dem_array, code, what| {
            dem_world_set_loads(own.world(), forces, torques, &mut error);
            assert_eq!(told(&error), (code, what as u32));
            assert_eq!(own.bytes(), bytes);
        };
        refused(&mut own, &vectors(&forces[..2]), null, DEM_ERROR_MISMATCH, What::Forces);
        refused(&mut own, null, &vectors(&[[0.0; 3]; 4]), DEM_ERROR_MISMATCH, What::Torques);
        // If the second array is wrong, the first one is not used, either.
        let bad = [[0.0; 3], [0.0, f64::NAN, 0.0], [0.0; 3]];
        refused(&mut own, &vectors(&forces), &vectors(&bad), DEM_ERROR_NOT_FINITE, What::Torques);
        let nothing = dem_array { data: null.cast(), ..vectors(&forces) };
        refused(&mut own, &nothing, null, DEM_ERROR_NULL, What::Forces);
        let words = dem_array { r#type: crate::arrays::DEM_U64, ..vectors(&forces) };
        refused(&mut own, &words, null, DEM_ERROR_OUT_OF_RANGE, What::Forces);
        let wrong = dem_wrench { torque: [0.0, f64::INFINITY, 0.0], ..Default::default() };
        dem_world_set_load(own.world(), handles[1], &wrong, &mut error);
        assert_eq!((told(&error), error.index, error.component), ((DEM_ERROR_NOT_FINITE, What::Load as u32), 1, 4));
        assert_eq!(own.bytes(), bytes);

        assert_eq!(dem_world_set_loads(own.world(), &vectors(&forces), null, NULL.cast()), DEM_OK);
        own.advance(2.0 * DT, &query).unwrap();
        for ((before, force), handle) in bodies.iter().zip(&forces).zip(&handles) {
            let mut body = AT_ORIGIN;
            assert_eq!(dem_world_body(&mut body, own.world(), *handle, NULL.cast()), DEM_OK);
            for (k, force) in force.iter().enumerate() {
                let gained = (body.velocity[k] - before.velocity[k]) * body.mass;
                assert!((gained - 2.0 * DT * force).abs() < 1e-12);
            }
        }
    }
}

#[test]
fn members_are_refused_that_make_no_sense() {
    let (mut own, _) = Owned::filled(&ROOM);
    let good = dem_member { id: 500, ..heap()[1] };
    let body = good.body;
    let (nan, huge) = (f64::NAN, f64::MAX);
    let of = |body: dem_body| dem_member { body, ..good };
    let cases = [
        (of(dem_body { position: [0.0, nan, 0.0], ..body }), DEM_ERROR_NOT_FINITE, What::BodyPosition, 1),
        (of(dem_body { position: [huge, 0.0, 0.0], ..body }), DEM_ERROR_OUT_OF_RANGE, What::BodyPosition, 0),
        (of(dem_body { orientation: [0.0; 4], ..body }), DEM_ERROR_OUT_OF_RANGE, What::BodyOrientation, 3),
        (of(dem_body { velocity: [0.0, 0.0, nan], ..body }), DEM_ERROR_NOT_FINITE, What::BodyVelocity, 2),
        (of(dem_body { angular_velocity: [nan; 3], ..body }), DEM_ERROR_NOT_FINITE, What::BodySpin, 0),
        (of(dem_body { mass: 0.0, ..body }), DEM_ERROR_OUT_OF_RANGE, What::BodyMass, 0),
        (of(dem_body { moments: [1.0, 1.0, 3.0], ..body }), DEM_ERROR_OUT_OF_RANGE, What::BodyMoments, 2),
        (of(dem_body { motion: 9, ..body }), DEM_ERROR_OUT_OF_RANGE, What::BodyMotion, 0),
        (of(dem_body { reserved: 1, ..body }), DEM_ERROR_OUT_OF_RANGE, What::Member, 1),
        (dem_member { reserved: 1, ..good }, DEM_ERROR_OUT_OF_RANGE, What::Member, 0),
        (dem_member { scale: 0.0, ..good }, DEM_ERROR_OUT_OF_RANGE, What::Scale, 0),
        (dem_member { scale: nan, ..good }, DEM_ERROR_NOT_FINITE, What::Scale, 0),
        (dem_member { groups: 0, ..good }, DEM_ERROR_OUT_OF_RANGE, What::Groups, 0),
        (dem_member { id: 1 << 63, ..good }, DEM_ERROR_OUT_OF_RANGE, What::Id, 0),
        (dem_member { id: 1000, ..good }, DEM_ERROR_DUPLICATE, What::Id, 0),
        (dem_member { struct_size: 5, ..good }, DEM_ERROR_BAD_SIZE, What::Member, 3),
    ];
    let bytes = own.bytes();
    for (i, (member, code, what, component)) in cases.iter().enumerate() {
        let (mut error, mut handle) = (dem_error::default(), 77);
        // SAFETY: there is a world.
        unsafe { dem_world_add(own.world(), &mut handle, member, &mut error) };
        assert_eq!((told(&error), error.component), ((*code, *what as u32), *component), "case {i}");
        assert_eq!((own.bytes() == bytes, handle), (true, 77), "case {i}");
    }
    let mut error = dem_error::default();
    // SAFETY: there is a world.
    unsafe {
        dem_world_add(own.world(), core::ptr::null_mut(), core::ptr::null(), &mut error);
        assert_eq!(error.code, DEM_ERROR_NULL);
        dem_world_set_body(own.world(), 1, &dem_body { mass: nan, ..body }, &mut error);
        assert_eq!(told(&error), (DEM_ERROR_NOT_FINITE, What::BodyMass as u32));
        dem_world_set_body(own.world(), 1, &dem_body { reserved: 3, ..body }, &mut error);
        assert_eq!(error.code, DEM_ERROR_OUT_OF_RANGE);
        let position = [0.0, nan, 0.0];
        let mut ball = AT_ORIGIN;
        dem_body_ball(&mut ball, position.as_ptr(), 1.0, 1.0, &mut error);
        assert_eq!((told(&error), error.component), ((DEM_ERROR_NOT_FINITE, What::Position as u32), 1));
        dem_body_ball(&mut ball, [0.0; 3].as_ptr(), 0.0, 1.0, &mut error);
        assert_eq!(told(&error), (DEM_ERROR_OUT_OF_RANGE, What::Radius as u32));
        let pose = crate::placed::IDENTITY;
        for (half_length, radius, what) in [(1.0, 0.0, What::Radius), (-1.0, 1.0, What::HalfLength)] {
            dem_body_capsule(&mut ball, &pose, half_length, radius, 1.0, &mut error);
            assert_eq!(told(&error), (DEM_ERROR_OUT_OF_RANGE, what as u32));
        }
        dem_body_capsule(&mut ball, &pose, nan, 1.0, 1.0, &mut error);
        assert_eq!(told(&error), (DEM_ERROR_NOT_FINITE, What::HalfLength as u32));
        assert_eq!((ball, own.bytes() == bytes), (AT_ORIGIN, true));
        // The capsule has radius 1, and a cylinder of length 4 between its ends.
        assert_eq!(dem_body_capsule(&mut ball, &pose, 2.0, 1.0, 1.0, &mut error), DEM_OK);
        assert!((ball.mass / (core::f64::consts::PI * (4.0 + 4.0 / 3.0)) - 1.0).abs() < 1e-14);
    }
}

#[test]
fn a_body_has_the_mass_of_its_mesh() {
    let mesh = Shape::new(&cube(), 0.05);
    let pose = dem_pose { position: [3.0, 0.0, 0.0], ..crate::placed::IDENTITY };
    let (mut mass, mut body) = (dem_mass::default(), AT_ORIGIN);
    // SAFETY: all memory has the size that is passed.
    unsafe {
        let (found, room): (*mut dem_mass, _) = (&mut mass, size_of_val(&mass));
        let ask = |to, size, error| crate::mass::dem_shape_mass(found, room, mesh.handle(), 6.0, to, size, error);
        let mut scratch = vec![0u8; scratch_of(ask)];
        assert_eq!(ask(scratch.as_mut_ptr().cast(), scratch.len(), NULL.cast()), DEM_OK);
        assert_eq!(dem_body_of_mass(&mut body, &mass, &pose, NULL.cast()), DEM_OK);
        let mut error = dem_error::default();
        let flat = dem_mass { mass: 0.0, ..mass };
        dem_body_of_mass(&mut body, &flat, &pose, &mut error);
        assert_eq!(told(&error), (DEM_ERROR_OUT_OF_RANGE, What::Mass as u32));
    }
    assert!((body.mass - 6.0).abs() < 1e-12 && body.moments.iter().all(|m| (m - 1.0).abs() < 1e-12), "{body:?}");
    assert!((body.position[0] - 3.5).abs() < 1e-12 && body.motion == DEM_MOTION_DYNAMIC);
}

/// All properties of a body change, and its handle stays.
#[test]
fn members_are_told_and_changed() {
    let (mut own, handles) = Owned::filled(&ROOM);
    let mut member = dem_member::DEFAULT;
    let mut error = dem_error::default();
    // SAFETY: there is a world.
    unsafe {
        let size = size_of::<dem_member>();
        assert_eq!(dem_world_member(&mut member, size, own.world(), handles[3], &mut error), DEM_OK);
        let asked = heap()[3];
        assert_eq!((member.shape, member.id, member.scale, member.masks), (asked.shape, asked.id, 1.0, u32::MAX));
        assert_eq!(member.body, asked.body);
        let other = dem_member { shape: 0, scale: 2.0, masks: 4, groups: 8, material: 3, ..member };
        assert_eq!(dem_world_set_member(own.world(), handles[3], &other, &mut error), DEM_OK);
        assert_eq!(dem_world_member(&mut member, size, own.world(), handles[3], &mut error), DEM_OK);
        let told = (member.shape, member.scale, member.masks, member.groups, member.material, member.id);
        assert_eq!(told, (0, 2.0, 4, 8, 3, asked.id));
        for (bad, code, what) in [
            (dem_member { id: 400, ..other }, DEM_ERROR_MISMATCH, What::Id),
            (dem_member { scale: f64::NAN, ..other }, DEM_ERROR_NOT_FINITE, What::Scale),
            (dem_member { groups: 0, ..other }, DEM_ERROR_OUT_OF_RANGE, What::Groups),
        ] {
            assert_eq!(dem_world_set_member(own.world(), handles[3], &bad, &mut error), code);
            assert_eq!((error.argument, error.index), (what as u32, handles[3] & 0xFFFF_FFFF));
        }
        assert_eq!(dem_world_set_member(own.world(), u64::MAX, &other, &mut error), DEM_ERROR_BAD_INDEX);
        assert_eq!(dem_world_member(&mut member, 8, own.world(), handles[3], &mut error), DEM_ERROR_BAD_SIZE);
    }
}
