//! Steps: the same bits as in Rust, laws of the host, every call at every phase, and bad input.

use dem_core::array::Array;
use dem_core::body::Body;
use dem_core::contact::shape::{Part, Shape as CoreShape};
use dem_core::detect::Settings;
use dem_core::exec::Serial;
use dem_core::force::{Interaction, Laws};
use dem_core::pose::Pose;
use dem_core::simd::Isa;
use dem_core::world::{BodyDef, Setup, StepInputs, World, WorldSizes, world_scratch};

use super::*;
use crate::errors::*;
use crate::inputs::Input;
use crate::laws::dem_interaction;
use crate::placed::{DEM_KIND_MESH, POINT, dem_placed};
use crate::scenes::dem_scene_contacts;
use crate::tasks::{ALONE, dem_tasks};
use crate::testing::{Line, Shape, cube, scratch_of};
use crate::world_bodies::*;
use crate::world_views::*;
use crate::worlds::tests::{DT, NULL, Owned, ROOM, heap, query, rough, table};
use crate::worlds::*;

fn told(error: &dem_error) -> (i32, u32) {
    (error.code, error.argument)
}

unsafe extern "C" fn backwards(_: *mut c_void, lanes: usize, lane: crate::tasks::dem_lane, arg: *mut c_void) {
    for i in (0..lanes).rev() {
        // SAFETY: what the library says.
        unsafe { lane.unwrap()(i, arg) }
    }
}

const THREE: dem_tasks = dem_tasks { run: Some(backwards), lanes: 3, ..ALONE };

#[test]
fn a_world_has_the_same_bits_in_c_and_in_rust() {
    let (shapes, laws) = (table(), [rough()]);
    let query = dem_world_query { tasks: THREE, skin: 0.03, ..query(&shapes, &laws) };
    let (mut own, _) = Owned::filled(&ROOM);
    let sizes = WorldSizes {
        bodies: 20,
        candidates: 300,
        contacts: 300,
        nodes: 300,
        levels: 3,
        ball_pairs: 300,
        ball_contacts: 300,
        events: 0,
    };
    let mut block = vec![Line([0; 64]); World::layout(&sizes).unwrap().size / 64 + 1];
    // SAFETY: bytes of the lines.
    let block = unsafe { core::slice::from_raw_parts_mut(block.as_mut_ptr().cast::<u8>(), 64 * block.len()) };
    let mut world = World::init(block, &sizes).unwrap();
    world.set_up(&Setup { gravity: [0.0, 0.0, -10.0], ..Setup::default() }).unwrap();
    for m in heap() {
        let dem_member { shape, material, scale, groups, masks, id, .. } = m;
        world.add(&BodyDef { body: m.body.into(), shape, material, scale, groups, masks, id: Some(id) }).unwrap();
    }
    let small = CoreShape::Sphere { radius: 0.15, halo: 0.02 };
    let parts = [0.1, -0.1].map(|x| Part {
        shape: small,
        pose: Pose { position: [x, 0.0, 0.0], ..Pose::IDENTITY },
        scale: 1.0,
    });
    let shapes = [
        CoreShape::HalfSpace { halo: 0.02 },
        CoreShape::Sphere { radius: 0.25, halo: 0.02 },
        CoreShape::Compound(&parts),
    ];
    let own_laws = laws.map(|law| {
        let dem_interaction {
            normal,
            damped,
            cohesive,
            reserved,
            stiffness,
            damping,
            friction,
            shear,
            lag,
            torsion,
            rolling,
            cohesion,
        } = law;
        Interaction {
            normal,
            damped,
            cohesive,
            reserved,
            stiffness,
            damping,
            friction,
            shear,
            lag,
            torsion,
            rolling,
            cohesion,
        }
    });
    let law = Laws::new(&own_laws).unwrap();
    let settings = Settings::default();
    let drive = StepInputs { shapes: &shapes, exec: &Serial, isa: Isa::best(), settings, law: &law };
    let layout = world_scratch(&sizes, &shapes, &settings, 1).unwrap();
    let mut scratch = vec![Line([0; 64]); layout.size / 64 + 1];
    // SAFETY: likewise.
    let scratch = unsafe { core::slice::from_raw_parts_mut(scratch.as_mut_ptr().cast::<u8>(), 64 * scratch.len()) };
    for frame in 0..30 {
        world.advance(0.0205, DT, &drive, scratch).unwrap();
        own.advance(0.0205, &query).unwrap();
        assert_eq!(own.hash(), world.as_ref().state_hash(), "frame {frame}");
    }
    let (told, expected) = (own.report(), world.as_ref().report(&Serial).unwrap());
    assert!(told.contacts > 10 && told.frequency > 0.0 && told.rubbed > 0.0 && told.damped > 0.0);
    assert_eq!((told.steps, told.contacts, told.pairs), (30 * 21, expected.contacts as u64, expected.pairs as u64));
    assert_eq!(
        (told.time, told.momentum, told.potential),
        (expected.time, expected.totals.momentum, expected.potential)
    );
    assert_eq!(
        (told.stored_normal, told.rubbed, told.damped),
        (expected.stored_normal, expected.rubbed, expected.damped)
    );
    assert_eq!(
        (told.least_gap, told.approach, told.frequency),
        (expected.least_gap, expected.approach, expected.frequency)
    );
    assert!(told.spurious != 0.0 && told.deepest != [0; 2], "{told:?}");
    assert_eq!(
        (told.deepest, told.load_work, told.driven_work, told.spurious),
        (expected.deepest, expected.load_work, expected.driven_work, expected.spurious)
    );
    let view = own.view();
    // SAFETY: the view says how many there are.
    let bodies = unsafe { core::slice::from_raw_parts(view.bodies, view.count) };
    let all = bodies.iter().zip(world.as_ref().bodies()).all(|(c, rust)| Body::from(*c) == *rust);
    assert!(all && view.count == 13);
    // The last array that both read is that of velocities.
    assert_eq!(Array::from_f64(&[]).len(), 0);
}

/// The law of the table, as a program has it.
fn host_law(own: &mut Owned, stiffness: f64) -> usize {
    let (mut law, mut view) = (core::mem::MaybeUninit::uninit(), core::mem::MaybeUninit::uninit());
    // SAFETY: the structs are written as a whole, and say how many there are.
    unsafe {
        let size = size_of::<dem_scene_contacts>();
        assert_eq!(dem_world_contacts(view.as_mut_ptr(), size, own.world(), NULL.cast()), DEM_OK);
        let size = size_of::<dem_host_law>();
        assert_eq!(dem_world_law(law.as_mut_ptr(), size, own.world(), NULL.cast()), DEM_OK);
        let (law, view) = (law.assume_init(), view.assume_init());
        assert_eq!(law.count, view.count);
        for i in 0..law.count {
            let contact = &*view.contacts.add(i);
            let (act, meeting) = (&mut *law.acts.add(i), &*law.meetings.add(i));
            assert_eq!(*act, dem_wrench::default());
            let push = stiffness * (1.0 - contact.gap / contact.halo) * contact.area;
            act.force = contact.normal.map(|n| push * n);
            act.torque = contact.moment.map(|m| stiffness * m);
            // How often it was in contact, and what it saw.
            let springs = &mut (*law.springs.add(i)).vectors;
            springs[3][0] += 1.0;
            springs[4] = meeting.velocity;
        }
        law.count
    }
}

#[test]
fn a_law_of_the_host_moves_bodies_as_the_table_does() {
    let shapes = table();
    let smooth = [dem_interaction { stiffness: 2e5, ..Default::default() }];
    let with_table = query(&shapes, &smooth);
    let without = dem_world_query { interactions: core::ptr::null(), interaction_count: 0, ..with_table };
    let ((mut expected, _), (mut own, _)) = (Owned::filled(&ROOM), Owned::filled(&ROOM));
    let (mut contacts, mut longest) = (0, 0.0_f64);
    for _ in 0..300 {
        expected.step(&with_table);
        own.begin(DEM_ASK_LAW);
        assert_eq!(own.poll(&without), Ok(DEM_WANT_LAW));
        // A copy asks the same.
        let mut copy = own.clone();
        contacts += host_law(&mut own, 2e5);
        host_law(&mut copy, 2e5);
        own.finish(&without);
        copy.finish(&without);
        assert_eq!(own.hash(), copy.hash());
        let view = own.view();
        // SAFETY: the view says how many there are.
        let springs = unsafe { core::slice::from_raw_parts(view.springs, view.spring_count) };
        longest = springs.iter().fold(longest, |most, springs| most.max(springs.vectors[3][0]));
    }
    assert!(contacts > 1000 && longest > 20.0, "{contacts}, {longest}");
    let (a, b) = (own.view(), expected.view());
    for i in 0..a.count {
        // SAFETY: the views say how many there are.
        let (a, b) = unsafe { (&*a.bodies.add(i), &*b.bodies.add(i)) };
        let apart = (0..3).fold(0.0_f64, |most, k| most.max((a.position[k] - b.position[k]).abs()));
        assert!(apart < 1e-9, "{apart}");
    }
}

#[test]
fn laws_that_are_no_numbers_are_told_with_the_contact_and_can_be_mended() {
    let shapes = table();
    let query = query(&shapes, &[]);
    let (mut own, _) = Owned::filled(&ROOM);
    let mut law = core::mem::MaybeUninit::<dem_host_law>::uninit();
    let size = size_of::<dem_host_law>();
    loop {
        own.begin(DEM_ASK_LAW | DEM_ASK_LOADS);
        assert_eq!(own.poll(&query), Ok(DEM_WANT_LAW));
        if host_law(&mut own, 2e5) > 2 {
            break;
        }
        own.finish(&query);
    }
    // SAFETY: the struct is written as a whole, and has more than two contacts.
    unsafe {
        assert_eq!(dem_world_law(law.as_mut_ptr(), size, own.world(), NULL.cast()), DEM_OK);
        let law = law.assume_init();
        let good = *law.acts.add(2);
        (*law.acts.add(2)).force[1] = f64::NAN;
        let error = own.poll(&query).unwrap_err();
        assert_eq!((told(&error), error.index), ((DEM_ERROR_NOT_FINITE, What::Acts as u32), 2));
        *law.acts.add(2) = good;
        (*law.springs.add(1)).vectors[0][0] = f64::INFINITY;
        let error = own.poll(&query).unwrap_err();
        assert_eq!((told(&error), error.index), ((DEM_ERROR_NOT_FINITE, What::Acts as u32), 1));
        (*law.springs.add(1)).vectors[0][0] = 0.0;
        assert_eq!(own.poll(&query), Ok(DEM_WANT_LOADS));
        // Forces of the step are there, and loads can be set now.
        let view = own.view();
        assert_eq!((view.phase, view.act_count), (DEM_PHASE_LOADS, law.count));
        assert!((0..view.count).any(|i| (*view.wrenches.add(i)).force[2] > 0.0));
        let load = dem_wrench { force: [1.0, 0.0, 0.0], ..Default::default() };
        assert_eq!(dem_world_set_load(own.world(), 1, &load, NULL.cast()), DEM_OK);
        assert_eq!(own.poll(&query), Ok(DEM_WANT_MORE));
        assert_eq!(dem_world_set_load(own.world(), 1, &load, NULL.cast()), DEM_ERROR_UNSUPPORTED);
        assert_eq!(own.poll(&query), Ok(DEM_WANT_DONE));
        let view = own.view();
        assert!((*view.moved.add(1)).position != (*view.bodies.add(1)).position);
    }
}

/// What a call answers in each phase: those in which it is done.
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
    // SAFETY: there is a world, and as much scratch as is said.
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
                    dem_world_law(law.as_mut_ptr(), size_of::<dem_host_law>(), own.world(), e)
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
    // Accepted once.
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
    let (mut own, _) = Owned::filled(&ROOM);
    own.advance(0.3, &query(&shapes, &laws)).unwrap();
    own.begin(0);
    let mut begun = own.clone();
    own.poll(&query(&shapes, &laws)).unwrap();
    let null: *const c_void = core::ptr::null();
    let good = query(&shapes, &laws);
    let refused = |own: &mut Owned, query: &dem_world_query, code, what: What| {
        let before = own.bytes();
        let error = own.poll(query).unwrap_err();
        assert_eq!(told(&error), (code, what as u32), "{error:?}");
        assert!(own.bytes() == before, "{error:?}");
    };
    let begun = &mut begun;
    refused(begun, &dem_world_query { struct_size: 7, ..good }, DEM_ERROR_BAD_SIZE, What::Options);
    refused(begun, &dem_world_query { shapes: null.cast(), ..good }, DEM_ERROR_NULL, What::Shapes);
    refused(begun, &dem_world_query { shape_count: 2, ..good }, DEM_ERROR_BAD_INDEX, What::ShapeNumbers);
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
    // At the law: no table, one with a wrong number, one without a body's material.
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
    let mut error = dem_error::default();
    // SAFETY: there is a world.
    unsafe {
        let mut want = 77;
        let (scratch, size) = (own.scratch.as_mut_ptr().cast(), own.scratch.len());
        let world = own.world();
        dem_world_poll(world, &mut want, null.cast(), scratch, size, &mut error);
        assert_eq!(told(&error), (DEM_ERROR_NULL, What::Options as u32));
        dem_world_poll(core::ptr::null_mut(), &mut want, &good, scratch, size, &mut error);
        assert_eq!(told(&error), (DEM_ERROR_NULL, What::World as u32));
        dem_world_poll(world, core::ptr::null_mut(), &good, scratch, size, &mut error);
        assert_eq!(told(&error), (DEM_ERROR_NULL, What::Output as u32));
        dem_world_poll(world, &mut want, &good, world.cast(), size, &mut error);
        assert_eq!(told(&error), (DEM_ERROR_OVERLAP, What::Scratch as u32));
        dem_world_poll(world, &mut want, &good, NULL, size, &mut error);
        assert_eq!(told(&error), (DEM_ERROR_NULL, What::Scratch as u32));
        // With as much as is needed, it goes on.
        dem_world_poll(world, &mut want, &good, scratch, 10, &mut error);
        assert_eq!(told(&error), (DEM_ERROR_CAPACITY, DEM_ARGUMENT_SCRATCH));
        let enough = scratch_of(|to, size, error| dem_world_poll(world, &mut want, &good, to, size, error));
        assert_eq!(error.needed as usize, enough);
        assert_eq!(error.short_of, dem_shortage { scratch: enough as u64, ..dem_shortage::default() });
        dem_world_poll(world, &mut want, &good, scratch, enough / 2, &mut error);
        assert_eq!(told(&error), (DEM_ERROR_CAPACITY, DEM_ARGUMENT_SCRATCH));
        assert_eq!(want, 77);
        assert_eq!(dem_world_poll(world, &mut want, &good, scratch, enough, &mut error), DEM_OK, "{error:?}");
        // Time.
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
        for (length, dt, what) in [(f64::NAN, DT, What::Window), (DT, f64::INFINITY, What::TimeStep)] {
            dem_world_advance(world, length, dt, &good, scratch, size, &mut error);
            assert_eq!(told(&error), (DEM_ERROR_NOT_FINITE, what as u32));
        }
        dem_world_advance(world, DT, DT, &none, scratch, size, &mut error);
        assert_eq!(told(&error), (DEM_ERROR_NULL, What::Interactions as u32));
        let setups = [
            (dem_world_setup { gravity: [f64::NAN; 3], ..Input::DEFAULT }, DEM_ERROR_NOT_FINITE, What::Gravity),
            (dem_world_setup { periods: [-1.0, 0.0, 0.0], ..Input::DEFAULT }, DEM_ERROR_OUT_OF_RANGE, What::Periods),
            (dem_world_setup { order: 2, ..Input::DEFAULT }, DEM_ERROR_OUT_OF_RANGE, What::Order),
            (dem_world_setup { records: 2, ..Input::DEFAULT }, DEM_ERROR_OUT_OF_RANGE, What::Options),
        ];
        for (setup, code, what) in &setups {
            dem_world_set_up(world, setup, &mut error);
            assert_eq!(told(&error), (*code, *what as u32));
        }
        dem_world_set_up(world, null.cast(), &mut error);
        assert_eq!(error.code, DEM_ERROR_NULL);
        assert!(own.bytes() == before);
    }
    // A body of a material that is not in the table.
    // SAFETY: there is a world.
    unsafe { assert_eq!(dem_world_set_material(own.world(), 0, 3, NULL.cast()), DEM_OK) };
    let error = own.advance(DT, &good).unwrap_err();
    assert_eq!(told(&error), (DEM_ERROR_BAD_INDEX, What::Materials as u32));
    assert_eq!((error.index, error.needed, error.given), (0, 1, 3));
}

/// The shape that [`meddle`] changes, and how many calls from now.
struct Victim {
    state: *mut u32,
    calls: usize,
}

/// Behaves as another thread that begins to change a shape during a call.
unsafe extern "C" fn meddle(user: *mut c_void, lanes: usize, lane: crate::tasks::dem_lane, arg: *mut c_void) {
    // SAFETY: the test's.
    let victim = unsafe { &mut *user.cast::<Victim>() };
    victim.calls += 1;
    // SAFETY: likewise.
    unsafe { victim.state.write(1) };
    for i in 0..lanes {
        // SAFETY: what the library says.
        unsafe { lane.unwrap()(i, arg) }
    }
}

#[test]
fn a_shape_that_changes_during_a_poll_makes_the_step_begin_again() {
    let mut mesh = Shape::new(&cube(), 0.05);
    let cube = dem_placed { kind: DEM_KIND_MESH, solid: 1, shape: mesh.handle(), ..POINT };
    let shapes = [dem_placed { kind: crate::placed::DEM_KIND_HALF_SPACE, halo: 0.05, ..POINT }, cube];
    let laws = [dem_interaction { stiffness: 200.0, ..rough() }];
    let mut own = Owned::new(&ROOM);
    own.scratch = vec![0; 1 << 22];
    own.add(&Input::DEFAULT);
    for i in 0..3 {
        let mut member = dem_member { shape: 1, id: DEM_WORLD_NO_ID, ..heap()[1] };
        member.body.position = [1.2 * f64::from(i), 0.0, 0.05];
        own.add(&member);
    }
    let calm = query(&shapes, &laws);
    own.step(&calm);
    let mut expected = own.clone();
    expected.step(&calm);
    let mut victim = Victim { state: mesh.0.as_mut_ptr().cast::<u32>().wrapping_add(6), calls: 0 };
    let tasks = dem_tasks { run: Some(meddle), user: (&raw mut victim).cast(), lanes: 2, reserved: 0 };
    let hash = own.hash();
    own.begin(0);
    let error = own.poll(&dem_world_query { tasks, ..calm }).unwrap_err();
    assert_eq!(told(&error), (DEM_ERROR_BUSY, What::Shapes as u32));
    assert_eq!((own.view().phase, own.hash(), victim.calls > 0), (DEM_PHASE_FIND, hash, true));
    // As long as it is being changed, it is not looked at.
    let before = own.bytes();
    let error = own.poll(&calm).unwrap_err();
    assert!(told(&error) == (DEM_ERROR_BUSY, What::Shapes as u32) && own.bytes() == before);
    mesh.0[0].0[24] = 0;
    own.finish(&calm);
    assert_eq!(own.hash(), expected.hash());
}

#[test]
fn calls_that_read_a_scene_read_that_of_a_world_and_others_refuse_it() {
    let (shapes, laws) = (table(), [rough()]);
    let query = query(&shapes, &laws);
    let (mut own, _) = Owned::filled(&ROOM);
    own.advance(0.3, &query).unwrap();
    own.begin(DEM_ASK_LAW);
    while own.poll(&query).unwrap() != DEM_WANT_LAW {}
    let scene = dem_world_scene(own.world());
    assert!(dem_world_scene(core::ptr::null()).is_null());
    let view = own.view();
    // SAFETY: there is as much as is said.
    unsafe {
        let mut two: [core::mem::MaybeUninit<dem_scene_contacts>; 2] = [const { core::mem::MaybeUninit::uninit() }; 2];
        let size = size_of::<dem_scene_contacts>();
        assert_eq!(dem_world_contacts(two[0].as_mut_ptr(), size, own.world(), NULL.cast()), DEM_OK);
        assert_eq!(crate::scenes::dem_scene_view(scene, two[1].as_mut_ptr(), size, NULL.cast()), DEM_OK);
        let [a, b] = two.map(|view| view.assume_init());
        assert_eq!((a.contacts, a.pairs, a.count, a.pair_count), (b.contacts, b.pairs, b.count, b.pair_count));
        assert!(a.count > 10);
        // Velocities are those of the law's own table.
        let field = |offset: usize| crate::arrays::dem_array {
            data: view.bodies.cast::<u8>().add(offset).cast(),
            count: view.count,
            stride: size_of::<dem_body>(),
            r#type: crate::arrays::DEM_F64,
            ..crate::arrays::NO_ARRAY
        };
        let motion = crate::moving::dem_scene_motion {
            velocities: field(core::mem::offset_of!(dem_body, velocity)),
            spins: field(core::mem::offset_of!(dem_body, angular_velocity)),
            ..Input::DEFAULT
        };
        let (mut velocities, mut law) = (vec![[0.0; 3]; a.count], core::mem::MaybeUninit::uninit());
        let status = crate::moving::dem_scene_velocities(
            velocities.as_mut_ptr().cast(),
            scene,
            &motion,
            core::ptr::null(),
            NULL.cast(),
            0,
            NULL.cast(),
        );
        assert_eq!(status, DEM_OK);
        assert_eq!(dem_world_law(law.as_mut_ptr(), size_of::<dem_host_law>(), own.world(), NULL.cast()), DEM_OK);
        let law: dem_host_law = law.assume_init();
        let meetings = core::slice::from_raw_parts(law.meetings, law.count);
        assert!(meetings.iter().zip(&velocities).all(|(meeting, velocity)| meeting.velocity == *velocity));
        // Whatever changes a scene, or makes another one of it, refuses it.
        let (hash, mut error) = (own.hash(), dem_error::default());
        let refused = |status| assert_eq!(status, DEM_ERROR_UNSUPPORTED);
        refused(crate::scenes::dem_scene_commit(scene.cast_mut(), &mut error));
        assert_eq!(error.argument, What::Scene as u32);
        refused(crate::scenes::dem_scene_abandon(scene.cast_mut(), &mut error));
        refused(crate::scenes::dem_scene_hash(&mut 0, scene, &mut error));
        assert_eq!(own.hash(), hash);
        // Nobody reads a world that is being changed, nor what is no world.
        let mut line = Line([0; 64]);
        let none: *const dem_world = (&raw mut line).cast_const().cast();
        let status = crate::scenes::dem_scene_view(dem_world_scene(none), two[1].as_mut_ptr(), size, &mut error);
        assert_eq!((status, error.argument), (DEM_ERROR_DAMAGED, What::Scene as u32));
    }
}

mod surfaces;
