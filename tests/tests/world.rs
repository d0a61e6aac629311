//! Worlds: bodies that join and leave, steps that are tried, taken back, copied, interrupted and divided.

use dem_core::array::{Array, Words};
use dem_core::body::Body;
use dem_core::broad::Motion;
use dem_core::contact::shape::Shape;
use dem_core::detect::laws::{ContactInput, ContactResponse, slip};
use dem_core::detect::{Bodies, JoinedSprings, SplitSprings, Wrench, bounding_spheres};
use dem_core::error::{Kind, What};
use dem_core::exec::{Executor, Serial};
use dem_core::force::{Damping, Interaction, Laws, Normal};
use dem_core::memory::Layout;
use dem_core::pose::Pose;
use dem_core::rays::{Hit, Ray};
use dem_core::simd::Isa;
use dem_core::world::{
    BodyDef, Handle, OWN_IDS, Phase, PollResult, Records, Setup, StepInputs, StepOptions, World, WorldSizes,
    world_scratch,
};
use dem_std::{Memory, OwnedWorld, Threads};
use dem_tests::contact::{self, cuboid};
use dem_tests::random::Random;
use dem_tests::shapes::{ground, sphere, surface};
use dem_tests::vector::{add, dot, length, scale, sub};
use dem_tests::worlds::{Own, SIZES, settings};

#[path = "world/misuse.rs"]
mod misuse;
#[path = "world/names.rs"]
mod names;
#[path = "world/overlaps.rs"]
mod overlaps;
#[path = "world/room.rs"]
mod room;

const DT: f64 = 1e-3;
const HALO: f64 = 0.02;
const GRAVITY: [f64; 3] = [0.0, 0.0, -10.0];

/// Pressure with damping and friction, whose spring is the first.
fn rough(at: &ContactInput<'_, 5>) -> ContactResponse<5> {
    let c = at.contact;
    let away = dot(at.velocity, c.normal);
    let push = (2e5 * (1.0 - c.gap / c.halo) * c.area * (1.0 - 2.0 * away)).max(0.0);
    let (slide, drag) = slip(at.springs[0], at.velocity, c.normal, DT, 1e5 * c.area / c.halo, 0.4 * push);
    let force = add(scale(push, c.normal), drag);
    ContactResponse { force, torque: scale(2e5, c.moment), springs: [slide, [0.0; 3], [0.0; 3], [0.0; 3], [0.0; 3]] }
}

/// Pressure alone: its energy is kept where areas do not change.
fn smooth(at: &ContactInput<'_, 5>) -> ContactResponse<5> {
    let c = at.contact;
    let push = 2e5 * (1.0 - c.gap / c.halo) * c.area;
    ContactResponse { force: scale(push, c.normal), torque: scale(2e5, c.moment), springs: [[0.0; 3]; 5] }
}

/// A law that must not be called.
fn never(_: &ContactInput<'_, 5>) -> ContactResponse<5> {
    ContactResponse { force: [f64::NAN; 3], torque: [0.0; 3], springs: [[0.0; 3]; 5] }
}

fn down() -> Setup {
    Setup { gravity: GRAVITY, ..Setup::default() }
}

/// The mesh of a box.
fn block() -> contact::Body {
    contact::Body::conservative(&cuboid([0.6, 0.5, 0.4]), HALO)
}

/// Ground, balls and boxes, in random poses above each other; with ids that do not ascend.
fn heap(seed: u64) -> Vec<BodyDef> {
    let mut random = Random::new(seed);
    let mut members = vec![BodyDef { id: Some(1000), ..BodyDef::new(Body::fixed(Pose::IDENTITY), 0) }];
    for i in 0..18_u64 {
        let place = [0.85 * (i % 3) as f64, 0.85 * (i / 3 % 2) as f64, 0.45 + 0.85 * (i / 6) as f64];
        let position = add(place, random.in_cube(0.02));
        let mut body = Body::ball(0.25, 800.0, position).unwrap();
        body.velocity = random.in_cube(0.3);
        let ball = i % 3 != 1;
        if !ball {
            let m = 800.0 * 0.6 * 0.5 * 0.4;
            let moment = |a: f64, b: f64| m / 12.0 * (a * a + b * b);
            (body.mass, body.moments) = (m, [moment(0.5, 0.4), moment(0.6, 0.4), moment(0.6, 0.5)]);
            body.orientation = random.rotation();
        }
        members.push(BodyDef { id: Some(7 * i % 19), material: 3, ..BodyDef::new(body, if ball { 1 } else { 2 }) });
    }
    members
}

fn filled(members: &[BodyDef]) -> (Own, Vec<Handle>) {
    let mut own = Own::new(&SIZES);
    own.world().set_up(&down()).unwrap();
    let handles = members.iter().map(|member| own.world().add(member).unwrap()).collect();
    (own, handles)
}

/// Bodies of these handles.
fn bodies(own: &Own, handles: &[Handle]) -> Vec<Body> {
    handles.iter().map(|handle| own.view().body(*handle).unwrap()).collect()
}

fn with_shapes<R>(test: impl FnOnce(&[Shape<'_>]) -> R) -> R {
    let mesh = block();
    let surface = surface(&mesh, true);
    test(&[ground(HALO), sphere(0.25, HALO), Shape::Mesh(&surface)])
}

#[test]
fn a_ball_falls_and_bounces_as_often_as_it_should() {
    // The force depends on the height alone: so it comes back to the same height, in the same time.
    let shapes = [ground(HALO), sphere(0.25, HALO)];
    let mut world = OwnedWorld::with_executor(Box::new(Serial));
    world.set_up(&down()).unwrap();
    world.add(&BodyDef::new(Body::fixed(Pose::IDENTITY), 0)).unwrap();
    let ball = world.add(&BodyDef::new(Body::ball(0.25, 800.0, [0.0, 0.0, 0.3]).unwrap(), 1)).unwrap();
    let (mut turns, mut before) = (Vec::new(), 0.0);
    for i in 0..20_000 {
        world.advance(1e-4, 1e-4, &shapes, &smooth).unwrap();
        let body = world.view().unwrap().body(ball).unwrap();
        if before > 0.0 && body.velocity[2] <= 0.0 {
            turns.push(f64::from(i) * 1e-4);
            assert!((body.position[2] - 0.3).abs() < 2e-4, "{turns:?}, {body:?}");
        }
        before = body.velocity[2];
    }
    // At rest at the top: a bounce takes twice the fall and the time in contact.
    let gaps: Vec<f64> = turns.windows(2).map(|w| w[1] - w[0]).collect();
    assert!(gaps.len() >= 5, "{turns:?}");
    assert!(gaps.iter().all(|gap| (gap - gaps[0]).abs() < 2e-4), "{gaps:?}");
}

#[test]
fn a_step_is_tried_a_hundred_times_and_leaves_nothing() {
    with_shapes(|shapes| {
        let members = heap(1);
        let ((mut plain, handles), (mut tried, _)) = (filled(&members), filled(&members));
        let mut random = Random::new(2);
        for step in 0..400 {
            if step % 40 == 0 {
                let (hash, mut other) = (tried.view().state_hash(), 0);
                for trial in 0..10 {
                    tried.world().begin(&StepOptions::new(DT * f64::from(1 + trial % 3))).unwrap();
                    // Stopped anywhere.
                    for _ in 0..trial % 5 {
                        if tried.poll(shapes, &rough, &Serial).unwrap() != PollResult::More {
                            break;
                        }
                    }
                    if tried.view().phase() == Phase::Done {
                        other = 1;
                    }
                    _ = random.in_cube(1.0);
                    tried.world().abandon().unwrap();
                    assert_eq!(tried.view().state_hash(), hash);
                }
                assert_eq!(other, 1, "some trials were complete");
            }
            for own in [&mut plain, &mut tried] {
                assert_eq!(own.step(DT, shapes, &rough, &Serial), PollResult::Done);
                own.world().accept().unwrap();
            }
            assert_eq!(plain.view().state_hash(), tried.view().state_hash(), "step {step}");
        }
        assert_eq!(bodies(&plain, &handles), bodies(&tried, &handles));
        assert!(plain.view().acts().len() > 10);
        assert!(plain.view().springs().iter().any(|springs| springs[0] != [0.0; 3]));
    });
}

#[test]
fn copies_between_any_polls_go_on_with_the_same_bits() {
    with_shapes(|shapes| {
        let (mut own, _) = filled(&heap(3));
        let mut copy = own.block.clone();
        let mut one =
            Own { block: Memory::default(), scratch: Memory::new(Layout { size: 1 << 22, align: 64 }).unwrap() };
        for step in 0..300 {
            own.world().begin(&StepOptions::new(DT)).unwrap();
            let mut polls = 0;
            loop {
                // The copy takes over at another poll in each step, at another address, on other threads.
                if polls == step % 3 {
                    copy = own.block.clone();
                }
                polls += 1;
                if own.poll(shapes, &rough, &Serial).unwrap() == PollResult::Done {
                    break;
                }
            }
            own.world().accept().unwrap();
            one.block = std::mem::take(&mut copy);
            while one.poll(shapes, &rough, &Threads::new(2).unwrap()).unwrap() != PollResult::Done {}
            one.world().accept().unwrap();
            assert_eq!(one.view().state_hash(), own.view().state_hash(), "step {step}");
            copy = std::mem::take(&mut one.block);
        }
    });
}

#[test]
fn neither_threads_nor_a_neighbour_list_nor_the_order_of_adding_change_a_bit() {
    with_shapes(|shapes| {
        let members = heap(5);
        let mut turned = members.clone();
        turned.reverse();
        let run = |members: &[BodyDef], exec: Box<dyn Executor + Send>, skin: f64| {
            let mut world = OwnedWorld::with_executor(exec);
            world.settings.skin = skin;
            world.set_up(&down()).unwrap();
            let handles: Vec<Handle> = members.iter().map(|member| world.add(member).unwrap()).collect();
            world.advance(0.4, DT, shapes, &rough).unwrap();
            let view = world.view().unwrap();
            handles.iter().map(|handle| view.body(*handle).unwrap()).collect::<Vec<_>>()
        };
        let expected = run(&members, Box::new(Serial), 0.0);
        assert!(expected.iter().skip(1).any(|body| body.position[2] < 0.4));
        assert_eq!(run(&members, Box::new(Threads::new(2).unwrap()), 0.0), expected);
        assert_eq!(run(&members, Box::new(Threads::new(3).unwrap()), 0.1), expected);
        let mut other = run(&turned, Box::new(Serial), 0.05);
        other.reverse();
        assert_eq!(other, expected);
    });
}

#[test]
fn bodies_join_and_leave() {
    let shapes = [ground(HALO), sphere(0.25, HALO)];
    let (mut own, handles) = filled(&[
        BodyDef::new(Body::fixed(Pose::IDENTITY), 0),
        BodyDef::new(Body::ball(0.25, 800.0, [0.0, 0.0, 0.26]).unwrap(), 1),
        BodyDef::new(Body::ball(0.25, 800.0, [0.0, 0.0, 0.765]).unwrap(), 1),
        BodyDef::new(Body::ball(0.25, 800.0, [2.0, 0.0, 0.26]).unwrap(), 1),
    ]);
    own.step(DT, &shapes, &rough, &Serial);
    own.world().accept().unwrap();
    assert_eq!(own.view().scene().now().contacts().len(), 3);
    // The lower one leaves: the upper one falls.
    own.world().remove(handles[1]).unwrap();
    assert_eq!(own.world().remove(handles[1]).unwrap_err().kind, Kind::BadIndex);
    assert_eq!(own.view().count(), 3);
    own.step(DT, &shapes, &rough, &Serial);
    own.world().accept().unwrap();
    assert_eq!(own.view().scene().now().contacts().len(), 1);
    assert!(own.view().scene().now().pairs().iter().all(|pair| pair.a != 1 && pair.b != 1));
    assert!(own.view().body(handles[1]).is_err());
    // Its slot is taken again, under another name.
    let next = own.world().add(&BodyDef::new(Body::ball(0.25, 800.0, [2.0, 0.0, 0.76]).unwrap(), 1)).unwrap();
    assert_eq!((next.slot, next.generation), (1, 1));
    assert!(own.view().body(handles[1]).is_err() && own.view().body(next).is_ok());
    assert_eq!(own.view().handle(1), Some(next));
    assert!(own.view().ids()[1] > OWN_IDS);
    own.step(DT, &shapes, &rough, &Serial);
    own.world().accept().unwrap();
    assert_eq!(own.view().scene().now().contacts().len(), 2);
    // Twenty more than the first room, and out again in another order.
    let mut grown = OwnedWorld::with_executor(Box::new(Serial));
    let many: Vec<Handle> = (0..100)
        .map(|i| {
            let body = Body::ball(0.25, 800.0, [f64::from(i), 0.0, 1.0]).unwrap();
            grown.add(&BodyDef { id: Some(u64::from(200 - i as u32)), ..BodyDef::new(body, 1) }).unwrap()
        })
        .collect();
    for handle in many.iter().step_by(2) {
        grown.remove(*handle).unwrap();
    }
    assert_eq!(grown.view().unwrap().count(), 50);
    let again = grown.add(&BodyDef::new(Body::ball(0.25, 800.0, [0.0; 3]).unwrap(), 1)).unwrap();
    assert_eq!((again.slot, again.generation), (98, 1));
}

#[test]
fn a_list_of_neighbours_forgets_who_leaves_and_learns_who_joins() {
    let shapes = [ground(HALO), sphere(0.25, HALO)];
    let mut world = OwnedWorld::with_executor(Box::new(Serial));
    world.settings.skin = 0.5;
    world.set_up(&down()).unwrap();
    world.add(&BodyDef::new(Body::fixed(Pose::IDENTITY), 0)).unwrap();
    let ball = world.add(&BodyDef::new(Body::ball(0.25, 800.0, [0.0, 0.0, 0.26]).unwrap(), 1)).unwrap();
    world.advance(DT, DT, &shapes, &rough).unwrap();
    world.remove(ball).unwrap();
    world.advance(DT, DT, &shapes, &rough).unwrap();
    assert_eq!(world.view().unwrap().acts().len(), 0);
    world.add(&BodyDef::new(Body::ball(0.25, 800.0, [0.0, 0.0, 0.26]).unwrap(), 1)).unwrap();
    world.advance(DT, DT, &shapes, &rough).unwrap();
    assert_eq!(world.view().unwrap().acts().len(), 1);
}

#[test]
fn loads_and_laws_of_the_host() {
    with_shapes(|shapes| {
        let members = heap(7);
        let ((mut own, handles), (mut host, _)) = (filled(&members), filled(&members));
        let lift = Wrench { force: [0.0, 0.0, 50.0], torque: [0.1, 0.0, 0.0] };
        for step in 0..300 {
            own.world().loads_mut().unwrap()[handles[4].slot as usize] = lift;
            own.step(DT, shapes, &rough, &Serial);
            own.world().accept().unwrap();
            // The same, with the host at both places.
            host.world().begin(&StepOptions { dt: DT, loads: true, law: true }).unwrap();
            loop {
                match host.poll(shapes, &never, &Serial).unwrap() {
                    PollResult::More => {}
                    PollResult::Law => {
                        let mut world = host.world();
                        let law = world.law_mut().unwrap();
                        let step = law.scene.now();
                        for (i, contact) in step.contacts().iter().enumerate() {
                            let pair = step.pair_of(i).unwrap();
                            let at = ContactInput {
                                contact,
                                pair,
                                contacts: &step.contacts()[pair.contacts()],
                                place: i,
                                velocity: law.meets[i].force,
                                spin: law.meets[i].torque,
                                springs: law.springs[i],
                                joined: JoinedSprings::default(),
                                split: SplitSprings::default(),
                                begins: false,
                                shares: false,
                            };
                            let act = rough(&at);
                            law.acts[i] = Wrench { force: act.force, torque: act.torque };
                            law.springs[i] = act.springs;
                        }
                    }
                    PollResult::Loads => {
                        assert_eq!(host.view().acts().len(), host.view().scene().now().contacts().len());
                        host.world().loads_mut().unwrap()[handles[4].slot as usize] = lift;
                    }
                    PollResult::Done => break,
                    PollResult::Stuck => panic!("stuck"),
                }
            }
            host.world().accept().unwrap();
            assert_eq!(own.view().state_hash(), host.view().state_hash(), "step {step}");
        }
        assert!(own.view().springs().iter().any(|springs| springs[0] != [0.0; 3]));
    });
}

#[test]
fn works_and_momenta_add_up() {
    with_shapes(|shapes| {
        // In free space: no plane that takes momentum.
        let mut members = heap(9);
        members.remove(0);
        for member in &mut members {
            member.body.velocity = scale(-1.0, sub(member.body.position, [0.85, 0.42, 1.4]));
        }
        let (mut own, _) = filled(&members);
        own.world().set_up(&Setup::default()).unwrap();
        let start = own.view().report(&Serial).unwrap();
        let (mut work, mut most) = (0.0, 0);
        for _ in 0..600 {
            assert_eq!(own.step(DT, shapes, &rough, &Serial), PollResult::Done);
            own.world().accept().unwrap();
            let report = own.view().report(&Serial).unwrap();
            work += report.work;
            most = most.max(report.contacts);
        }
        let end = own.view().report(&Serial).unwrap();
        assert!(most > 10, "{most}");
        let mass: f64 = members.iter().map(|member| member.body.mass).sum();
        let moved = length(sub(end.totals.momentum, start.totals.momentum)) / mass;
        assert!(moved < 1e-12, "{moved}");
        let turned = length(sub(end.totals.angular_momentum, start.totals.angular_momentum));
        // Forces act at one point on both, and (x + dt v) × m v = x × m v.
        assert!(turned < 1e-12 * mass, "{turned}");
        let change = end.totals.kinetic() - start.totals.kinetic();
        assert!(change < 0.0 && (work - change).abs() < 1e-3 * change.abs(), "{work} {change}");
    });
}

#[test]
fn a_window_is_its_steps_and_its_means_are_its_momenta() {
    with_shapes(|shapes| {
        let members = heap(11);
        let ((mut one, handles), (mut other, _)) = (filled(&members), filled(&members));
        let load = Wrench { force: [3.0, 0.0, 9.0], torque: [0.0, 0.2, 0.0] };
        for own in [&mut one, &mut other] {
            own.world().loads_mut().unwrap()[handles[3].slot as usize] = load;
        }
        let before = bodies(&one, &handles);
        let window = 100.0 * DT;
        let advance = |own: &mut Own| {
            let drive = StepInputs { shapes, exec: &Serial, isa: Isa::best(), settings: settings(), law: &rough };
            World::open(&mut own.block).unwrap().advance(window, DT, &drive, &mut own.scratch).unwrap();
        };
        advance(&mut one);
        let mut sums = vec![[[0.0; 3]; 2]; handles.len()];
        for _ in 0..100 {
            other.world().begin(&StepOptions::new(window / 100.0)).unwrap();
            while other.poll(shapes, &rough, &Serial).unwrap() != PollResult::Done {}
            other.world().accept().unwrap();
            for (handle, [force, torque]) in handles.iter().zip(&mut sums) {
                let wrench = other.view().wrenches()[handle.slot as usize];
                (*force, *torque) = (add(*force, wrench.force), add(*torque, wrench.torque));
            }
        }
        assert_eq!(bodies(&one, &handles), bodies(&other, &handles));
        assert_eq!(one.view().time(), window);
        assert_eq!(one.view().steps(), 100);
        let (after, view) = (bodies(&one, &handles), one.view());
        for (i, handle) in handles.iter().enumerate() {
            let mean = view.mean_wrenches()[handle.slot as usize];
            let (a, b) = (&before[i], &after[i]);
            if a.motion == Motion::Static as u32 {
                // What has no momentum has the mean of its steps.
                let [force, torque] = sums[i].map(|sum| scale(0.01, sum));
                assert!(force[2] < -1.0, "{force:?}");
                assert!(length(sub(mean.force, force)) < 1e-12 * length(force));
                assert!(length(sub(mean.torque, torque)) < 1e-12 * length(torque));
                continue;
            }
            let own = if i == 3 { load } else { Wrench::default() };
            let change = scale(a.mass / window, sub(b.velocity, a.velocity));
            let expected = sub(sub(change, own.force), scale(a.mass, GRAVITY));
            assert!(length(sub(mean.force, expected)) < 1e-9 * (1.0 + length(expected)));
            let change = scale(1.0 / window, sub(b.angular_momentum(), a.angular_momentum()));
            assert!(length(sub(mean.torque, sub(change, own.torque))) < 1e-9 * (1.0 + length(change)));
        }
        let report = view.report(&Serial).unwrap();
        let kinetic = |all: &[Body]| dem_core::body::totals(&Serial, all, [0.0; 3]).unwrap().kinetic();
        let change = kinetic(&after) - kinetic(&before);
        assert!((report.work + report.gravity_work - change).abs() < 1e-3 * report.gravity_work.abs());
    });
}

#[test]
fn rays_meet_the_bodies_of_a_world() {
    with_shapes(|shapes| {
        let mut world = OwnedWorld::with_executor(Box::new(Serial));
        let down = Ray::new([0.85, 0.0, 9.0], [0.0, 0.0, -1.0]);
        assert_eq!(world.cast(&[down], shapes).unwrap(), [Hit::NOTHING]);
        let members = heap(6);
        let handles: Vec<Handle> = members.iter().map(|member| world.add(member).unwrap()).collect();
        world.advance(0.05, DT, shapes, &rough).unwrap();
        // A ray at each body meets it, or one that is in the way; the free slot of one that has left meets none.
        world.remove(handles[4]).unwrap();
        let bodies: Vec<Body> = handles.iter().filter_map(|handle| world.view().unwrap().body(*handle).ok()).collect();
        let eye = [3.0, -4.0, 5.0];
        let rays: Vec<Ray> =
            bodies[1..].iter().map(|body| Ray::new(eye, sub(body.position, eye))).chain([down]).collect();
        let (all, ends) = world.cast_all(&rays, shapes).unwrap();
        let mut start = 0;
        for ((ray, first), end) in rays.iter().zip(world.cast(&rays, shapes).unwrap()).zip(&ends) {
            let own = &all[start..*end as usize];
            assert_eq!(own[0], first);
            assert!(own.is_sorted_by(|a, b| a.t <= b.t) && first.t <= 1.0 || *ray == down, "{first:?}");
            assert!(own.iter().all(|hit| hit.body != handles[4].slot));
            // Each closed body is left as often as it is entered, and the ground is met once.
            for member in &members {
                let sides = own.iter().filter(|hit| Some(hit.id) == member.id).map(|hit| hit.side);
                let sides: Vec<u32> = sides.collect();
                assert!(sides == [0] && member.shape == 0 || sides.is_empty() || sides == [0, 1], "{sides:?}");
            }
            start = *end as usize;
        }
        assert_eq!((start, all.last().unwrap().id), (all.len(), 1000));
        // What is below a stack is met in the order of heights.
        let column: Vec<f64> = all[ends[ends.len() - 2] as usize..].iter().map(|hit| hit.point[2]).collect();
        assert!(column.len() >= 5 && column.is_sorted_by(|a, b| a >= b), "{column:?}");
    });
}

#[test]
fn a_world_without_bodies_steps() {
    let mut world = OwnedWorld::with_executor(Box::new(Serial));
    assert_eq!(world.view().err().map(|e| e.kind), Some(Kind::Null));
    world.advance(1.0, 0.25, &[], &rough).unwrap();
    assert_eq!((world.view().unwrap().time(), world.view().unwrap().steps()), (1.0, 4));
    assert_eq!(world.report().unwrap().totals.kinetic(), 0.0);
}

#[test]
fn what_leaves_a_periodic_box_comes_in_again() {
    let shapes = [sphere(0.25, HALO)];
    let mut world = OwnedWorld::with_executor(Box::new(Serial));
    let periods = [2.0, 0.0, 3.0];
    world.set_up(&Setup { periods, ..Setup::default() }).unwrap();
    let fly = |position, velocity| Body { velocity, ..Body::ball(0.25, 800.0, position).unwrap() };
    let one = world.add(&BodyDef::new(fly([1.9, 0.0, 0.1], [1.0, 5.0, -2.0]), 0)).unwrap();
    let other = world.add(&BodyDef::new(fly([0.35, 20.0, 1.0], [0.0, 0.0, 0.0]), 0)).unwrap();
    for _ in 0..1000 {
        world.advance(DT, DT, &shapes, &smooth).unwrap();
        for handle in [one, other] {
            let [x, _, z] = world.view().unwrap().body(handle).unwrap().position;
            assert!((0.0..2.0).contains(&x) && (0.0..3.0).contains(&z));
        }
    }
    let body = world.view().unwrap().body(one).unwrap();
    assert!(length(sub(body.position, [0.9, 5.0, 1.1])) < 1e-9, "{:?}", body.position);
    // Two that touch across the border go on touching with their springs as they pass it.
    let mut world = OwnedWorld::with_executor(Box::new(Serial));
    world.set_up(&Setup { periods, ..Setup::default() }).unwrap();
    for x in [0.25, 0.755] {
        let mut body = fly([x, 0.0, 0.0], [1.0, 0.0, 0.0]);
        body.angular_velocity = [0.0, 0.3 * x, 0.0];
        world.add(&BodyDef::new(body, 0)).unwrap();
    }
    let mut persisting = 0;
    for _ in 0..2000 {
        world.advance(DT, DT, &shapes, &rough).unwrap();
        let view = world.view().unwrap();
        let (links, springs) = (view.scene().links(), view.springs());
        persisting += links.iter().filter(|link| link.source != u32::MAX).count();
        if links.is_empty() {
            break;
        }
        assert!(springs.len() == 1);
    }
    assert!(persisting > 20, "{persisting}");
}

#[test]
fn walls_move_as_the_host_says() {
    let shapes = [ground(HALO), sphere(0.25, HALO)];
    let mut world = OwnedWorld::with_executor(Box::new(Serial));
    world.set_up(&down()).unwrap();
    let lift = Body { velocity: [0.0, 0.0, 0.5], motion: Motion::Kinematic as u32, ..Body::fixed(Pose::IDENTITY) };
    let floor = world.add(&BodyDef::new(lift, 0)).unwrap();
    let ball = world.add(&BodyDef::new(Body::ball(0.25, 800.0, [0.0, 0.0, 0.262]).unwrap(), 1)).unwrap();
    world.advance(1.0, DT, &shapes, &rough).unwrap();
    let view = world.view().unwrap();
    assert!((view.body(floor).unwrap().position[2] - 0.5).abs() < 1e-12);
    let body = view.body(ball).unwrap();
    assert!((0.75..0.79).contains(&body.position[2]) && (body.velocity[2] - 0.5).abs() < 1e-2, "{body:?}");
    let [up, pressed] =
        [ball, floor].map(|handle| view.mean_wrenches()[handle.slot as usize].force[2] / (10.0 * body.mass));
    assert!((up - 1.0).abs() < 0.1 && (up + pressed).abs() < 1e-9, "{up} {pressed}");
}

#[test]
fn bounds_of_the_check_are_those_of_scenes() {
    let shapes = [sphere(0.5, HALO)];
    let positions = [[1.0, 2.0, 3.0]];
    let (mut centres, mut radii) = ([[0.0; 3]], [0.0]);
    let bodies = Bodies::new(&shapes, Words::from_slice(&[0]), Array::from_f64(&positions));
    bounding_spheres(&Serial, &bodies, &mut centres, &mut radii).unwrap();
    assert!(centres[0] == positions[0] && (radii[0] - 0.52).abs() < 1e-9);
}
