//! Tests of refusals, which change no byte: calls in wrong phases, and bad input.

use super::*;

/// A world within a step, before the phase of the law.
fn at_the_law(query: &dem_world_query) -> Owned {
    let (mut own, _) = Owned::filled(&ROOM);
    own.advance(0.3, query).unwrap();
    own.begin(0);
    own.poll(query).unwrap();
    own
}

#[test]
fn calls_are_refused_at_phases_that_they_do_not_fit_and_change_no_byte() {
    let (shapes, laws) = (table(), [rough()]);
    let query = query(&shapes, &laws);
    let (mut own, handles) = Owned::filled(&ROOM);
    own.advance(0.3, &query).unwrap();
    // A world at each phase.
    let mut at = vec![own.clone()];
    own.begin(DEM_ASK_LOADS);
    at.push(own.clone());
    assert_eq!(own.poll(&query), Ok(DEM_WANT_MORE));
    at.push(own.clone());
    let mut asked = at[1].clone();
    // SAFETY: there is a world.
    unsafe { assert_eq!(dem_world_abandon(asked.world(), NULL.cast()), DEM_OK) };
    asked.begin(DEM_ASK_LAW);
    assert_eq!(asked.poll(&query), Ok(DEM_WANT_LAW));
    at.push(asked);
    for want in [DEM_WANT_LOADS, DEM_WANT_MORE, DEM_WANT_DONE] {
        assert_eq!(own.poll(&query), Ok(want));
        at.push(own.clone());
    }
    let mut stuck = at[0].clone();
    // SAFETY: there is a world.
    unsafe {
        let mut body: dem_body = dem_member::DEFAULT.body;
        assert_eq!(dem_world_body(&mut body, stuck.world(), handles[1], NULL.cast()), DEM_OK);
        body.velocity = [0.0, 0.0, -500.0];
        assert_eq!(dem_world_set_body(stuck.world(), handles[1], &body, NULL.cast()), DEM_OK);
    }
    stuck.begin(0);
    assert_eq!(stuck.poll(&query), Ok(DEM_WANT_STUCK));
    let fast = stuck.view().too_fast;
    assert!(fast.ratio > 1.0 && fast.dt < DT && (fast.a == 1 || fast.b == 1), "{fast:?}");
    at.push(stuck);

    type Call<'a> = (&'static str, &'static [u32], Box<dyn Fn(&mut Owned, &mut dem_error) -> i32 + 'a>);
    let setup: dem_world_setup = Input::DEFAULT;
    let (member, load): (dem_member, _) = (Input::DEFAULT, dem_wrench::default());
    let (idle, loads) = (&[DEM_PHASE_IDLE][..], &[DEM_PHASE_IDLE, DEM_PHASE_LOADS][..]);
    // SAFETY: there is a world, and the scratch has the size that is passed.
    let calls: [Call<'_>; 12] = unsafe {
        [
            ("begin", idle, Box::new(|own, e| dem_world_begin(own.world(), DT, 0, e))),
            (
                "poll",
                &[1, 2, 3, 4, 5, 7],
                Box::new(|own, e| own.poll(&query).map_or_else(|error| (*e = error, error.code).1, |_| 0)),
            ),
            ("accept", &[DEM_PHASE_DONE], Box::new(|own, e| dem_world_accept(own.world(), e))),
            ("abandon", &[1, 2, 3, 4, 5, 6, 7], Box::new(|own, e| dem_world_abandon(own.world(), e))),
            (
                "advance",
                idle,
                Box::new(|own, e| own.advance(DT, &query).map_or_else(|error| (*e = error, error.code).1, |()| 0)),
            ),
            ("set_up", idle, Box::new(|own, e| dem_world_set_up(own.world(), &setup, e))),
            ("add", idle, Box::new(|own, e| dem_world_add(own.world(), core::ptr::null_mut(), &member, e))),
            ("remove", idle, Box::new(|own, e| dem_world_remove(own.world(), handles[2], e))),
            ("set_body", idle, Box::new(|own, e| dem_world_set_body(own.world(), handles[2], &member.body, e))),
            ("set_material", idle, Box::new(|own, e| dem_world_set_material(own.world(), handles[2], 0, e))),
            ("set_load", loads, Box::new(|own, e| dem_world_set_load(own.world(), handles[2], &load, e))),
            (
                "law",
                &[DEM_PHASE_HOST_LAW],
                Box::new(|own, e| {
                    let mut law = core::mem::MaybeUninit::uninit();
                    dem_world_law(own.world(), law.as_mut_ptr(), size_of::<dem_host_law>(), e)
                }),
            ),
        ]
    };
    for (phase, own) in at.iter().enumerate() {
        assert_eq!(own.view().phase as usize, phase);
        for (name, fits, call) in &calls {
            let (mut own, before, mut error) = (own.clone(), own.bytes(), dem_error::default());
            let status = call(&mut own, &mut error);
            if fits.contains(&(phase as u32)) {
                assert_eq!(status, DEM_OK, "{name} at phase {phase}");
            } else {
                assert_eq!(told(&error), (DEM_ERROR_UNSUPPORTED, What::Phase as u32), "{name} at phase {phase}");
                assert_eq!(error.index as usize, phase);
                assert!(own.bytes() == before, "{name} at phase {phase} has changed something");
            }
        }
    }
    // A step can be accepted only once.
    let mut done = at[DEM_PHASE_DONE as usize].clone();
    let mut error = dem_error::default();
    // SAFETY: there is a world.
    unsafe {
        assert_eq!(dem_world_accept(done.world(), NULL.cast()), DEM_OK);
        let before = done.bytes();
        dem_world_accept(done.world(), &mut error);
        assert!(told(&error) == (DEM_ERROR_UNSUPPORTED, What::Phase as u32) && done.bytes() == before);
    }
}

#[test]
fn queries_that_make_no_sense_are_refused_and_change_no_byte() {
    let (mut shapes, mut laws) = (table(), vec![rough()]);
    let good = query(&shapes, &laws);
    let (mut own, null) = (at_the_law(&good), NULL.cast_const());
    let mut begun = own.clone();
    // SAFETY: there is a world.
    unsafe { assert_eq!(dem_world_abandon(begun.world(), NULL.cast()), DEM_OK) };
    begun.begin(0);
    let refused = |own: &mut Owned, query: &dem_world_query, code, what: What| {
        let before = own.bytes();
        let error = own.poll(query).unwrap_err();
        assert_eq!(told(&error), (code, what as u32), "{error:?}");
        assert!(own.bytes() == before, "{error:?}");
    };
    let begun = &mut begun;
    refused(begun, &dem_world_query { struct_size: 7, ..good }, DEM_ERROR_BAD_SIZE, What::Query);
    refused(begun, &dem_world_query { shapes: null.cast(), ..good }, DEM_ERROR_NULL, What::Shapes);
    refused(begun, &dem_world_query { shape_count: 2, ..good }, DEM_ERROR_BAD_INDEX, What::Shape);
    refused(begun, &dem_world_query { shape_stride: 8, ..good }, DEM_ERROR_BAD_SIZE, What::Shapes);
    refused(begun, &dem_world_query { isa: 99, ..good }, DEM_ERROR_UNSUPPORTED, What::Isa);
    refused(begun, &dem_world_query { grouping: 9, ..good }, DEM_ERROR_OUT_OF_RANGE, What::Grouping);
    refused(begun, &dem_world_query { angle: 9.0, ..good }, DEM_ERROR_OUT_OF_RANGE, What::Angle);
    refused(begun, &dem_world_query { skin: -1.0, ..good }, DEM_ERROR_OUT_OF_RANGE, What::Skin);
    refused(begun, &dem_world_query { bound: f64::NAN, ..good }, DEM_ERROR_NOT_FINITE, What::Bound);
    refused(begun, &dem_world_query { interactions: null.cast(), ..good }, DEM_ERROR_NULL, What::Interactions);
    refused(
        begun,
        &dem_world_query { tasks: dem_tasks { reserved: 1, ..ALONE }, ..good },
        DEM_ERROR_OUT_OF_RANGE,
        What::Executor,
    );
    let inside = begun.block.as_ptr().cast();
    refused(begun, &dem_world_query { shapes: inside, ..good }, DEM_ERROR_OVERLAP, What::World);
    shapes[1].radius = -1.0;
    refused(begun, &good, DEM_ERROR_OUT_OF_RANGE, What::Shapes);
    shapes[1].radius = 0.25;
    let two_laws = [rough(); 2];
    // In the phase of the law: no table, a table with a wrong number, a table without a body's material.
    let none = dem_world_query { interactions: null.cast(), interaction_count: 0, ..good };
    refused(&mut own, &none, DEM_ERROR_NULL, What::Interactions);
    laws[0].stiffness = f64::NAN;
    refused(&mut own, &good, DEM_ERROR_NOT_FINITE, What::Interactions);
    laws[0].stiffness = 2e5;
    refused(
        &mut own,
        &dem_world_query { interaction_count: 2, interactions: two_laws.as_ptr(), ..good },
        DEM_ERROR_MISMATCH,
        What::Interactions,
    );
}

#[test]
fn pointers_and_scratch_of_polls_are_refused_where_they_are_wrong() {
    let (shapes, laws) = (table(), [rough()]);
    let good = query(&shapes, &laws);
    let mut own = at_the_law(&good);
    let mut error = dem_error::default();
    // SAFETY: there is a world.
    unsafe {
        let mut want = 77;
        let (scratch, size) = (own.scratch.as_mut_ptr().cast(), own.scratch.len());
        let world = own.world();
        dem_world_poll(world, &mut want, core::ptr::null(), scratch, size, &mut error);
        assert_eq!(told(&error), (DEM_ERROR_NULL, What::Query as u32));
        dem_world_poll(core::ptr::null_mut(), &mut want, &good, scratch, size, &mut error);
        assert_eq!(told(&error), (DEM_ERROR_NULL, What::World as u32));
        dem_world_poll(world, core::ptr::null_mut(), &good, scratch, size, &mut error);
        assert_eq!(told(&error), (DEM_ERROR_NULL, What::Output as u32));
        dem_world_poll(world, &mut want, &good, world.cast(), size, &mut error);
        assert_eq!(told(&error), (DEM_ERROR_OVERLAP, What::Scratch as u32));
        dem_world_poll(world, &mut want, &good, NULL, size, &mut error);
        assert_eq!(told(&error), (DEM_ERROR_NULL, What::Scratch as u32));
        // With enough scratch, the step continues.
        dem_world_poll(world, &mut want, &good, scratch, 10, &mut error);
        assert_eq!(told(&error), (DEM_ERROR_CAPACITY, DEM_ARGUMENT_SCRATCH));
        let enough = scratch_of(|to, size, error| dem_world_poll(world, &mut want, &good, to, size, error));
        assert_eq!(error.needed as usize, enough);
        assert_eq!(error.short_of, dem_shortage { scratch: enough as u64, ..dem_shortage::default() });
        dem_world_poll(world, &mut want, &good, scratch, enough / 2, &mut error);
        assert_eq!(told(&error), (DEM_ERROR_CAPACITY, DEM_ARGUMENT_SCRATCH));
        assert_eq!(want, 77);
        assert_eq!(dem_world_poll(world, &mut want, &good, scratch, enough, &mut error), DEM_OK, "{error:?}");
    }
}

#[test]
fn steps_windows_and_settings_that_make_no_sense_are_refused_and_change_no_byte() {
    let (shapes, laws) = (table(), [rough()]);
    let good = query(&shapes, &laws);
    let mut own = at_the_law(&good);
    let none = dem_world_query { interactions: core::ptr::null(), interaction_count: 0, ..good };
    let mut error = dem_error::default();
    // SAFETY: there is a world.
    unsafe {
        let (scratch, size) = (own.scratch.as_mut_ptr().cast(), own.scratch.len());
        let world = own.world();
        assert_eq!(dem_world_abandon(world, NULL.cast()), DEM_OK);
        let before = own.bytes();
        for (dt, asks, code, what) in [
            (f64::NAN, 0, DEM_ERROR_NOT_FINITE, What::TimeStep),
            (0.0, 0, DEM_ERROR_OUT_OF_RANGE, What::TimeStep),
            (-1.0, 0, DEM_ERROR_OUT_OF_RANGE, What::TimeStep),
            (DT, 4, DEM_ERROR_OUT_OF_RANGE, What::Asks),
        ] {
            dem_world_begin(world, dt, asks, &mut error);
            assert_eq!(told(&error), (code, what as u32));
        }
        for (length, dt, what) in [(f64::NAN, DT, What::Length), (DT, f64::INFINITY, What::MostDt)] {
            dem_world_advance(world, &good, length, dt, scratch, size, &mut error);
            assert_eq!(told(&error), (DEM_ERROR_NOT_FINITE, what as u32));
        }
        dem_world_advance(world, &none, DT, DT, scratch, size, &mut error);
        assert_eq!(told(&error), (DEM_ERROR_NULL, What::Interactions as u32));
        let setups = [
            (dem_world_setup { gravity: [f64::NAN; 3], ..Input::DEFAULT }, DEM_ERROR_NOT_FINITE, What::Gravity),
            (dem_world_setup { periods: [-1.0, 0.0, 0.0], ..Input::DEFAULT }, DEM_ERROR_OUT_OF_RANGE, What::Periods),
            (dem_world_setup { order: 2, ..Input::DEFAULT }, DEM_ERROR_OUT_OF_RANGE, What::Order),
            (dem_world_setup { records: 2, ..Input::DEFAULT }, DEM_ERROR_OUT_OF_RANGE, What::Setup),
        ];
        for (setup, code, what) in &setups {
            dem_world_set_up(world, setup, &mut error);
            assert_eq!(told(&error), (*code, *what as u32));
        }
        dem_world_set_up(world, core::ptr::null(), &mut error);
        assert_eq!(error.code, DEM_ERROR_NULL);
        assert!(own.bytes() == before);
    }
    // A body of a material that is not in the table.
    // SAFETY: there is a world.
    unsafe { assert_eq!(dem_world_set_material(own.world(), 0, 3, NULL.cast()), DEM_OK) };
    let error = own.advance(DT, &good).unwrap_err();
    assert_eq!(told(&error), (DEM_ERROR_BAD_INDEX, What::Material as u32));
    assert_eq!((error.index, error.needed, error.given), (0, 1, 3));
}
