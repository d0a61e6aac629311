//! Tests of steps: the same bits as in Rust, laws of the program, every call in every phase, and bad input.

use dem_core::array::Array;
use dem_core::body::Body;
use dem_core::contact::shape::{Part, Shape as CoreShape};
use dem_core::detect::Settings;
use dem_core::exec::Serial;
use dem_core::force::{Interaction, Laws};
use dem_core::pose::Pose;
use dem_core::simd::Isa;
use dem_core::world::{BodyDef, Report, Setup, StepInputs, World, WorldSizes, world_scratch};

use super::*;
use crate::errors::*;
use crate::inputs::Input;
use crate::laws::dem_interaction;
use crate::placed::{DEM_KIND_MESH, POINT, dem_placed};
use crate::scenes::dem_scene_contacts;
use crate::tasks::{ALONE, dem_tasks};
use crate::testing::{Line, Shape, cube, ell, scratch_of};
use crate::world_bodies::*;
use crate::world_views::*;
use crate::worlds::tests::{DT, NULL, Owned, ROOM, heap, query, rough, table};
use crate::worlds::*;

fn told(error: &dem_error) -> (i32, u32) {
    (error.code, error.argument)
}

unsafe extern "C" fn backwards(_: *mut c_void, lanes: usize, lane: crate::tasks::dem_lane, arg: *mut c_void) {
    for i in (0..lanes).rev() {
        // SAFETY: the library passes these arguments.
        unsafe { lane.unwrap()(i, arg) }
    }
}

const THREE: dem_tasks = dem_tasks { run: Some(backwards), lanes: 3, ..ALONE };

/// Converts an interaction to that of the core.
fn in_rust(law: dem_interaction) -> Interaction {
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
}

/// Both reports of 30 windows of 21 steps are equal.
fn assert_same(told: &dem_world_report, expected: &Report) {
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
}

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
    // SAFETY: the slice has the bytes of the lines.
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
    let own_laws = laws.map(in_rust);
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
    assert_same(&own.report(), &world.as_ref().report(&Serial).unwrap());
    let view = own.view();
    // SAFETY: the view tells the number of items.
    let bodies = unsafe { core::slice::from_raw_parts(view.bodies, view.count) };
    let all = bodies.iter().zip(world.as_ref().bodies()).all(|(c, rust)| Body::from(*c) == *rust);
    assert!(all && view.count == 13);
    // The array of velocities is the last one that both read.
    assert_eq!(Array::from_f64(&[]).len(), 0);
}

/// The law of the table, computed by the program.
fn host_law(own: &mut Owned, stiffness: f64) -> usize {
    let (mut law, mut view) = (core::mem::MaybeUninit::uninit(), core::mem::MaybeUninit::uninit());
    // SAFETY: all of the structs are written, and they tell the numbers of items.
    unsafe {
        let size = size_of::<dem_scene_contacts>();
        assert_eq!(dem_world_contacts(view.as_mut_ptr(), size, own.world(), NULL.cast()), DEM_OK);
        let size = size_of::<dem_host_law>();
        assert_eq!(dem_world_law(own.world(), law.as_mut_ptr(), size, NULL.cast()), DEM_OK);
        let (law, view) = (law.assume_init(), view.assume_init());
        assert_eq!(law.count, view.count);
        for i in 0..law.count {
            let contact = &*view.contacts.add(i);
            let (act, meeting) = (&mut *law.acts.add(i), &*law.meetings.add(i));
            assert_eq!(*act, dem_wrench::default());
            let push = stiffness * (1.0 - contact.gap / contact.halo) * contact.area;
            act.force = contact.normal.map(|n| push * n);
            act.torque = contact.moment.map(|m| stiffness * m);
            // Counts the steps of the contact, and stores its velocity.
            let springs = &mut (*law.springs.add(i)).vectors;
            springs[3][0] += 1.0;
            springs[4] = meeting.velocity;
        }
        law.count
    }
}

/// As in a scene: a cube in the inner corner of an L. The weaker force makes an angle of 0.95 with the sum.
#[test]
fn forces_within_the_angle_are_one_contact_in_a_world() {
    let meshes = [Shape::new(&ell(), 0.05), Shape::new(&cube(), 0.05)];
    let shapes =
        meshes.each_ref().map(|mesh| dem_placed { kind: DEM_KIND_MESH, solid: 1, shape: mesh.handle(), ..POINT });
    let mut cube = dem_member { shape: 1, ..Input::DEFAULT };
    let place = [1.04, 1.02, 0.0];
    // SAFETY: three numbers.
    unsafe { assert_eq!(dem_body_ball(&mut cube.body, place.as_ptr(), 0.5, 800.0, NULL.cast()), DEM_OK) };
    let contacts = |angle: f64| {
        let mut own = Owned::new(&dem_world_desc { bodies: 2, ..Input::DEFAULT });
        [Input::DEFAULT, cube].iter().for_each(|member| _ = own.add(member));
        own.begin(DEM_ASK_LAW);
        assert_eq!(own.poll(&dem_world_query { angle, ..query(&shapes, &[]) }), Ok(DEM_WANT_LAW));
        own.report().contacts
    };
    assert_eq!([0.9, 1.0].map(contacts), [2, 1]);
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
        // A copy stops at the same point.
        let mut copy = own.clone();
        contacts += host_law(&mut own, 2e5);
        host_law(&mut copy, 2e5);
        own.finish(&without);
        copy.finish(&without);
        assert_eq!(own.hash(), copy.hash());
        let view = own.view();
        // SAFETY: the view tells the number of items.
        let springs = unsafe { core::slice::from_raw_parts(view.springs, view.spring_count) };
        longest = springs.iter().fold(longest, |most, springs| most.max(springs.vectors[3][0]));
    }
    assert!(contacts > 1000 && longest > 20.0, "{contacts}, {longest}");
    let (a, b) = (own.view(), expected.view());
    for i in 0..a.count {
        // SAFETY: the views tell the numbers of items.
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
    // SAFETY: all of the struct is written, and it has more than two contacts.
    unsafe {
        assert_eq!(dem_world_law(own.world(), law.as_mut_ptr(), size, NULL.cast()), DEM_OK);
        let law = law.assume_init();
        let good = *law.acts.add(2);
        (*law.acts.add(2)).force[1] = f64::NAN;
        let error = own.poll(&query).unwrap_err();
        assert_eq!((told(&error), error.index), ((DEM_ERROR_NOT_FINITE, What::Acts as u32), 2));
        *law.acts.add(2) = good;
        (*law.springs.add(1)).vectors[1][2] = f64::INFINITY;
        let error = own.poll(&query).unwrap_err();
        assert_eq!((told(&error), error.index), ((DEM_ERROR_NOT_FINITE, What::Acts as u32), 1));
        assert_eq!(error.component, 11);
        (*law.springs.add(1)).vectors[1][2] = 0.0;
        // Finite numbers that are too large for any step: beyond the range of computation, or in other units.
        for (wrong, component) in [(1e300, 0), (1e30, 1), (-1e25, 5)] {
            let act = &mut *law.acts.add(2);
            match component {
                0..3 => act.force[component as usize] = wrong,
                _ => act.torque[component as usize - 3] = wrong,
            }
            let error = own.poll(&query).unwrap_err();
            assert_eq!((told(&error), error.index), ((DEM_ERROR_OUT_OF_RANGE, What::Acts as u32), 2), "{wrong}");
            assert_eq!(error.component, component, "{wrong}");
            *act = good;
        }
        assert_eq!(own.poll(&query), Ok(DEM_WANT_LOADS));
        // The forces of the step are known, and loads can be set now.
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

/// The shape that [`meddle`] changes, and how many calls from now.
struct Victim {
    state: *mut u32,
    calls: usize,
}

/// Acts like another thread that begins to change a shape during a call.
unsafe extern "C" fn meddle(user: *mut c_void, lanes: usize, lane: crate::tasks::dem_lane, arg: *mut c_void) {
    // SAFETY: the test passes a victim.
    let victim = unsafe { &mut *user.cast::<Victim>() };
    victim.calls += 1;
    // SAFETY: likewise.
    unsafe { victim.state.write(1) };
    for i in 0..lanes {
        // SAFETY: the library passes these arguments.
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
    // While the shape is being changed, calls do not read it.
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
    // SAFETY: all memory has the size that is passed.
    unsafe {
        let mut two: [core::mem::MaybeUninit<dem_scene_contacts>; 2] = [const { core::mem::MaybeUninit::uninit() }; 2];
        let size = size_of::<dem_scene_contacts>();
        assert_eq!(dem_world_contacts(two[0].as_mut_ptr(), size, own.world(), NULL.cast()), DEM_OK);
        assert_eq!(crate::scenes::dem_scene_view(two[1].as_mut_ptr(), size, scene, NULL.cast()), DEM_OK);
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
        assert_eq!(dem_world_law(own.world(), law.as_mut_ptr(), size_of::<dem_host_law>(), NULL.cast()), DEM_OK);
        let law: dem_host_law = law.assume_init();
        let meetings = core::slice::from_raw_parts(law.meetings, law.count);
        assert!(meetings.iter().zip(&velocities).all(|(meeting, velocity)| meeting.velocity == *velocity));
        // Calls that change a scene or copy it refuse the scene of a world.
        let (hash, mut error) = (own.hash(), dem_error::default());
        let refused = |status| assert_eq!(status, DEM_ERROR_UNSUPPORTED);
        refused(crate::scenes::dem_scene_commit(scene.cast_mut(), &mut error));
        assert_eq!(error.argument, What::Scene as u32);
        refused(crate::scenes::dem_scene_abandon(scene.cast_mut(), &mut error));
        refused(crate::scenes::dem_scene_hash(&mut 0, scene, &mut error));
        assert_eq!(own.hash(), hash);
        // A world that is being changed is refused, and so is memory without a world.
        let mut line = Line([0; 64]);
        let none: *const dem_world = (&raw mut line).cast_const().cast();
        let status = crate::scenes::dem_scene_view(two[1].as_mut_ptr(), size, dem_world_scene(none), &mut error);
        assert_eq!((status, error.argument), (DEM_ERROR_DAMAGED, What::Scene as u32));
    }
}

mod refused;
mod surfaces;
