//! A space divided among worlds: each has the bodies of the other ones as ghosts.

use std::collections::BTreeMap;

use dem_core::body::Body;
use dem_core::broad::Motion;
use dem_core::contact::shape::{self, Shape};
use dem_core::detect::Settings;
use dem_core::error::{Kind, What};
use dem_core::exec::Serial;
use dem_core::force::{Damping, Interaction, Laws, Normal};
use dem_core::memory::{ALIGN, Layout};
use dem_core::pose::Pose;
use dem_core::simd::Isa;
use dem_core::world::{BodyDef, Handle, PollResult, Records, Setup, StepInputs, StepOptions};
use dem_std::{Memory, OwnedWorld};
use dem_tests::contact::{self, cuboid};
use dem_tests::random::Random;
use dem_tests::shapes::{ground, sphere, surface};
use dem_tests::vector::{length, sub};

const DT: f64 = 1e-4;

/// Two balls that hit each other off centre; that of place `ghost` is owned by another world.
fn world(ghost: Option<usize>, records: Records) -> (OwnedWorld, [Handle; 2]) {
    let mut world = OwnedWorld::with_executor(Box::new(Serial));
    world.keep_records(records).unwrap();
    let handles = [(0.3, [0.0; 3], 1.0), (0.5, [0.79, 0.1, 0.0], -2.0)].map(|(radius, position, speed)| {
        let ball = Body { velocity: [speed, 0.0, 0.1], ..Body::ball(radius, 10.0, position).unwrap() };
        let place = usize::from(radius > 0.4);
        let motion = if ghost == Some(place) { Motion::Ghost } else { Motion::Dynamic };
        let body = Body { motion: motion as u32, ..ball };
        world.add(&BodyDef { id: Some(5 + place as u64), ..BodyDef::new(body, place as u32) }).unwrap()
    });
    (world, handles)
}

#[test]
fn ghosts_are_as_heavy_as_what_they_stand_for() {
    let shapes = [sphere(0.29, 0.01), sphere(0.48, 0.02)];
    for records in [Records::Last, Records::None] {
        for normal in [Normal::Pressure, Normal::Linear, Normal::Spring, Normal::Hertz] {
            let table = [Interaction::new(normal, 1e4).damped(Damping::Dashpot, 0.3).rough(0.4, 0.8)];
            let laws = Laws::new(&table).unwrap();
            let (mut whole, all) = world(None, records);
            let mut parts = [world(Some(1), records), world(Some(0), records)];
            let mut turned = false;
            for step in 0..400 {
                whole.advance(DT, DT, &shapes, &laws).unwrap();
                for (part, _) in &mut parts {
                    part.advance(DT, DT, &shapes, &laws).unwrap();
                }
                let view = |world: &OwnedWorld, handle| world.view().unwrap().body(handle).unwrap();
                let own: [Body; 2] = std::array::from_fn(|k| view(&parts[k].0, parts[k].1[k]));
                for (own, handle) in own.iter().zip(all) {
                    let seen = view(&whole, handle);
                    let names = format!("{normal:?}, {records:?}, step {step}");
                    let numbers = |body: &Body| [body.position, body.velocity, body.angular_velocity].concat();
                    let apart =
                        numbers(own).iter().zip(numbers(&seen)).fold(0.0, |most, (x, y)| (x - y).abs().max(most));
                    // Springs of balls without records follow where the host turns a ghost, to rounding.
                    let most = if records == Records::Last { 0.0 } else { 1e-12 };
                    assert!(apart <= most, "{names}: {apart:e}");
                }
                turned |= own[0].velocity[0] < 0.0;
                for (k, (part, handles)) in parts.iter_mut().enumerate() {
                    let ghost = Body { motion: Motion::Ghost as u32, ..own[1 - k] };
                    part.set_body(handles[1 - k], &ghost).unwrap();
                }
            }
            assert!(turned, "{normal:?}: they have not met");
        }
    }
}

/// Bodies that fall and slide on a rough, tilted ground, from one half of the space into the other: balls with radii of .09 to .11, and some boxes.
fn slope(boxes: bool) -> Vec<BodyDef> {
    let mut random = Random::new(5);
    let ground = Pose { orientation: [0.0, 0.2, 0.0, 1.0], ..Pose::IDENTITY };
    let mut members = vec![BodyDef { id: Some(1000), ..BodyDef::new(Body::fixed(ground), 0) }];
    for i in 0..120_u64 {
        let [x, y, z] = [i % 12, i / 12 % 5, i / 60].map(|k| k as f64);
        let east = 0.21 * (x - 6.0) + random.range(-0.01, 0.01);
        let place = [east, 0.21 * (y - 2.5), 0.15 - 0.42 * east + 0.21 * z];
        let radius = random.range(0.09, 0.11);
        let body = match boxes && i % 10 == 3 {
            true => {
                let (mass, side) = (10.0 * 0.008, 0.2_f64);
                Body { mass, moments: [mass * side * side / 6.0; 3], ..Body::ball(0.1, 10.0, place).unwrap() }
            }
            false => Body::ball(radius, 10.0, place).unwrap(),
        };
        let body = Body { velocity: [1.0, 0.0, 0.0], ..body };
        let is_box = boxes && i % 10 == 3;
        let shape = if is_box { 2 } else { 1 };
        // Ids in no order.
        let id = Some(i * 37 % 121);
        members.push(BodyDef { id, scale: if is_box { 1.0 } else { radius / 0.1 }, ..BodyDef::new(body, shape) });
    }
    members
}

/// A part of the space, with the bodies that are there, by their ids.
struct Part {
    world: OwnedWorld,
    handles: BTreeMap<u64, Handle>,
}

impl Part {
    fn new(records: Records) -> Part {
        let mut world = OwnedWorld::with_executor(Box::new(Serial));
        world.keep_records(records).unwrap();
        world.set_up(&Setup { gravity: [0.0, 0.0, -10.0], ..Setup::default() }).unwrap();
        Part { world, handles: BTreeMap::new() }
    }

    fn body(&self, id: u64) -> Body {
        self.world.view().unwrap().body(self.handles[&id]).unwrap()
    }

    /// Has the body, moved like this, or has it no more.
    fn hold(&mut self, member: &BodyDef, motion: Option<Motion>) {
        let id = member.id.unwrap();
        let Some(motion) = motion else {
            if let Some(handle) = self.handles.remove(&id) {
                self.world.remove(handle).unwrap();
            }
            return;
        };
        let body = Body { motion: motion as u32, ..member.body };
        match self.handles.get(&id) {
            Some(handle) => self.world.set_body(*handle, &body).unwrap(),
            None => _ = self.handles.insert(id, self.world.add(&BodyDef { body, ..*member }).unwrap()),
        }
    }
}

/// Two processes share a space. Gives how far bodies are from those of one world at most, how many went from one process to the other, and how many pairs came along.
fn divided(records: Records, boxes: bool, sends: bool, steps: usize) -> (f64, usize, usize) {
    let brick = contact::Body::conservative(&cuboid([0.18; 3]), 0.01);
    let shapes = [ground(0.01), sphere(0.09, 0.01), Shape::Mesh(&surface(&brick, true))];
    let table = [Interaction::new(Normal::Linear, 2e3).damped(Damping::Dashpot, 0.2).rough(0.3, 0.8)];
    let table = table.map(|law| Interaction { rolling: 0.3, ..law });
    let laws = Laws::new(&table).unwrap();
    let mut members = slope(boxes);
    let side = |body: &Body| usize::from(body.position[0] > 0.0);
    let fixed = |member: &BodyDef| member.body.motion == Motion::Static as u32;
    let mut whole = Part::new(records);
    let mut parts = [Part::new(records), Part::new(records)];
    let mut owners: Vec<usize> = members.iter().map(|member| side(&member.body)).collect();
    let share = |parts: &mut [Part; 2], members: &[BodyDef], owners: &[usize]| {
        for (member, owner) in members.iter().zip(owners) {
            for (k, part) in parts.iter_mut().enumerate() {
                let motion = match (fixed(member), *owner == k, member.body.position[0].abs() < 0.4) {
                    (true, ..) => Some(Motion::Static),
                    (_, true, _) => Some(Motion::Dynamic),
                    (_, _, near) => near.then_some(Motion::Ghost),
                };
                part.hold(member, motion);
            }
        }
    };
    members
        .iter()
        .for_each(|member| whole.hold(member, Some(if fixed(member) { Motion::Static } else { Motion::Dynamic })));
    share(&mut parts, &members, &owners);
    let (mut most, mut moved, mut came) = (0.0, 0, 0);
    for _ in 0..steps {
        whole.world.advance(1e-3, 1e-3, &shapes, &laws).unwrap();
        parts.iter_mut().for_each(|part| part.world.advance(1e-3, 1e-3, &shapes, &laws).unwrap());
        let mut leaving = [vec![], vec![]];
        for (member, owner) in members.iter_mut().zip(&mut owners).filter(|(member, _)| !fixed(member)) {
            let id = member.id.unwrap();
            member.body = parts[*owner].body(id);
            let (own, seen) = (member.body, whole.body(id));
            let numbers = |body: &Body| [body.position, body.velocity, body.angular_velocity].concat();
            most = numbers(&own).iter().zip(numbers(&seen)).fold(most, |most: f64, (x, y)| most.max((x - y).abs()));
            if side(&own) != *owner {
                leaving[*owner].push(parts[*owner].handles[&id]);
                *owner = side(&own);
                moved += 1;
            }
        }
        let mut records = Vec::new();
        for (part, leaving) in parts.iter_mut().zip(&leaving) {
            let hash = part.world.view().unwrap().state_hash();
            records.push(part.world.pack_springs(leaving).unwrap());
            assert_eq!(part.world.view().unwrap().state_hash(), hash);
        }
        share(&mut parts, &members, &owners);
        for (part, from) in parts.iter_mut().zip([1, 0]) {
            if sends && !leaving[from].is_empty() {
                came += part.world.unpack_springs(&records[from]).unwrap();
            }
        }
    }
    (most, moved, came)
}

#[test]
fn springs_go_along_with_bodies() {
    let (apart, moved, came) = divided(Records::Last, true, true, 600);
    assert!(moved > 25 && came > 25, "{moved} moved, {came} pairs came");
    assert_eq!(apart, 0.0);
    let (apart, ..) = divided(Records::Last, true, false, 600);
    assert!(apart > 1e-4, "springs are of no account here: {apart:e}");
}

/// Springs are beside pairs then, and turn with bodies by other products.
#[test]
fn springs_of_balls_without_records_go_along_with_bodies() {
    for boxes in [false, true] {
        let (apart, moved, came) = divided(Records::None, boxes, true, 600);
        assert!(moved > 25 && came > 25, "{moved} moved, {came} pairs came");
        // Rounding grows with each impact: 1e-11 is seen.
        assert!(apart <= 1e-10, "{boxes}: {apart:e}");
        let (apart, ..) = divided(Records::None, boxes, false, 600);
        assert!(apart > 1e-4, "springs are of no account here: {apart:e}");
    }
}

/// So many balls and a body of shape 2 at rest on a slope by friction: what holds it is its spring, which comes to another world.
fn springs_come_along(shapes: &[Shape<'_>], table: &[Interaction], count: usize, time: f64) {
    let laws = Laws::new(table).unwrap();
    let slope = 0.2_f64;
    let gravity = [9.81 * slope.sin(), 0.0, -9.81 * slope.cos()];
    let mut members = vec![BodyDef { id: Some(9), ..BodyDef::new(Body::fixed(Pose::IDENTITY), 0) }];
    let ball = |position| Body::ball(0.1, 1e3, position).unwrap();
    members.extend((0..count).map(|i| BodyDef::new(ball([0.5 * i as f64, 0.0, 0.1095]), 1)));
    members.push(BodyDef::new(Body { moments: [0.05; 3], mass: 8.0, ..ball([0.0, 1.0, 0.1095]) }, 2));
    for (i, member) in members.iter_mut().enumerate().skip(1) {
        member.id = Some(10 + i as u64);
    }
    for from in [Records::Last, Records::None] {
        let build = |records, members: &[BodyDef]| {
            let mut world = OwnedWorld::with_executor(Box::new(Serial));
            world.keep_records(records).unwrap();
            world.set_up(&Setup { gravity, ..Setup::default() }).unwrap();
            let handles: Vec<Handle> = members.iter().map(|member| world.add(member).unwrap()).collect();
            (world, handles)
        };
        let (mut world, handles) = build(from, &members);
        world.advance(time, DT, shapes, &laws).unwrap();
        let records = world.pack_springs(&handles).unwrap();
        let now: Vec<BodyDef> = members
            .iter()
            .zip(&handles)
            .map(|(member, handle)| BodyDef { body: world.view().unwrap().body(*handle).unwrap(), ..*member })
            .collect();
        world.advance(DT, DT, shapes, &laws).unwrap();
        for to in [Records::Last, Records::None] {
            let (mut other, own) = build(to, &now);
            assert_eq!(other.unpack_springs(&records).unwrap(), count + 1);
            other.advance(DT, DT, shapes, &laws).unwrap();
            for (handle, there) in handles.iter().zip(&own) {
                let [a, b] = [world.view().unwrap().body(*handle), other.view().unwrap().body(*there)];
                let [a, b] = [a.unwrap().velocity, b.unwrap().velocity];
                for k in 0..3 {
                    assert!((a[k] - b[k]).abs() < 1e-9, "{from:?} into {to:?}: {handle:?} {a:?} {b:?}");
                }
            }
        }
    }
}

#[test]
fn springs_of_meshes_beside_balls_come_to_a_world_without_records() {
    // More balls than go by general steps.
    let cube = contact::Body::conservative(&cuboid([0.2; 3]), 0.005);
    let cube = surface(&cube, true);
    let table = [Interaction::new(Normal::Linear, 1e5).damped(Damping::Dashpot, 0.3).rough(0.8, 0.8)];
    springs_come_along(&[ground(0.005), sphere(0.1, 0.005), Shape::Mesh(&cube)], &table, 40, 0.3);
}

#[test]
fn springs_of_compounds_come_to_a_world_without_records() {
    let parts = [-0.08, 0.08].map(|y| shape::Part {
        shape: sphere(0.1, 0.005),
        pose: Pose { position: [0.0, y, 0.0], ..Pose::IDENTITY },
        scale: 1.0,
    });
    let table = [Interaction::new(Normal::Linear, 1e5).damped(Damping::Dashpot, 0.3).rough(0.8, 0.8)];
    for (lag, time) in [(0.0, 0.3), (1e-3, 0.3), (0.0, 0.005), (1e-3, 0.005), (0.0, 0.0123), (1e-3, 0.0123)] {
        let table = table.map(|law| Interaction { lag, ..law });
        springs_come_along(&[ground(0.005), sphere(0.1, 0.005), Shape::Compound(&parts)], &table, 2, time);
    }
}

/// A world without room for records ends its window with springs beside pairs of balls, and asks for room. What it sends then are the springs of its contacts: of each that has one, and after a window that was
/// ended for want of room, too. The world that takes them goes on as one that has had records all the time.
#[test]
fn springs_of_compounds_are_sent_before_there_is_room_for_records() {
    let parts = [-0.08, 0.08].map(|y| shape::Part {
        shape: sphere(0.1, 0.005),
        pose: Pose { position: [0.0, y, 0.0], ..Pose::IDENTITY },
        scale: 1.0,
    });
    let table = [Interaction::new(Normal::Linear, 1e5).damped(Damping::Dashpot, 0.3).rough(0.8, 0.8)];
    let (laws, shapes) = (Laws::new(&table).unwrap(), [ground(0.005), Shape::Compound(&parts), sphere(0.1, 0.005)]);
    // They turn, so that no two contacts have the same spring.
    let lying = |moments, mass, [x, y]: [f64; 2]| Body {
        moments,
        mass,
        angular_velocity: [0.0, 0.0, 0.5],
        ..Body::ball(0.1, 1e3, [x, y, 0.1045]).unwrap()
    };
    let mut members = vec![BodyDef { id: Some(9), ..BodyDef::new(Body::fixed(Pose::IDENTITY), 0) }];
    members.push(BodyDef { id: Some(11), ..BodyDef::new(lying([0.05; 3], 8.0, [0.0, 1.0]), 1) });
    members.push(BodyDef { id: Some(12), ..BodyDef::new(lying([0.02; 3], 4.0, [3.0, 1.0]), 2) });
    let build = |records, members: &[BodyDef]| {
        let mut world = OwnedWorld::with_executor(Box::new(Serial));
        world.keep_records(records).unwrap();
        world.set_up(&Setup { gravity: [2.0, 0.0, -9.81], ..Setup::default() }).unwrap();
        let handles: Vec<Handle> = members.iter().map(|member| world.add(member).unwrap()).collect();
        (world, handles)
    };
    let steps = 10.0;
    let (mut whole, handles) = build(Records::Last, &members);
    whole.advance(steps * DT, DT, &shapes, &laws).unwrap();
    let now: Vec<BodyDef> = members
        .iter()
        .zip(&handles)
        .map(|(member, handle)| BodyDef { body: whole.view().unwrap().body(*handle).unwrap(), ..*member })
        .collect();
    whole.advance(DT, DT, &shapes, &laws).unwrap();
    let slides = |world: &OwnedWorld| world.view().unwrap().springs().iter().map(|s| s[0]).collect::<Vec<_>>();
    for ends_early in [false, true] {
        let (mut from, own) = build(Records::None, &members);
        if ends_early {
            // A step of the window is left when room runs out, and the window ends there.
            let settings = Settings::default();
            let drive = StepInputs { shapes: &shapes, exec: &Serial, isa: Isa::best(), settings, law: &laws };
            let mut scratch = Memory::new(Layout { size: 1 << 20, align: ALIGN }).unwrap();
            let done = from.open().unwrap().advance(steps * DT, DT, &drive, &mut scratch);
            let short = done.unwrap_err();
            assert_eq!((short.kind, short.what, short.component), (Kind::Capacity, What::Contacts, 0));
            from.open().unwrap().abandon().unwrap();
        } else {
            from.advance(steps * DT, DT, &shapes, &laws).unwrap();
        }
        let records = from.pack_springs(&own).unwrap();
        let (mut other, _) = build(Records::Last, &now);
        assert_eq!(other.unpack_springs(&records).unwrap(), 2);
        other.advance(DT, DT, &shapes, &laws).unwrap();
        let [seen, all] = [slides(&other), slides(&whole)];
        assert!(seen.len() == 3 && all.len() == 3 && all[0][0].abs() > 1e-5, "{seen:?} {all:?}");
        for (seen, all) in seen.iter().zip(&all) {
            assert!(length(sub(*seen, *all)) < 1e-9 * length(*all), "{ends_early}: {seen:?} {all:?}");
        }
        // It goes on itself, too.
        from.advance(DT, DT, &shapes, &laws).unwrap();
        let now = |world: &OwnedWorld, k: usize| world.view().unwrap().body(handles[k]).unwrap().velocity;
        for k in 1..3 {
            assert!(length(sub(now(&from, k), now(&whole, k))) < 1e-9, "{ends_early}: {k}");
        }
    }
}

/// Balls that twist on the ground, without records. A step that the host polls has moved their springs into records, which do not tell that the ground is flat.
#[test]
fn springs_go_along_behind_a_step_with_records() {
    let shapes = [ground(0.005), sphere(0.1, 0.005)];
    let table = [Interaction::new(Normal::Linear, 1e5).damped(Damping::Dashpot, 0.3).rough(0.8, 0.8)];
    let table = table.map(|law| Interaction { torsion: 1.0, ..law });
    let laws = Laws::new(&table).unwrap();
    let build = |members: &[BodyDef]| {
        let mut world = OwnedWorld::with_executor(Box::new(Serial));
        world.keep_records(Records::None).unwrap();
        world.set_up(&Setup { gravity: [0.0, 0.0, -9.81], ..Setup::default() }).unwrap();
        let handles: Vec<Handle> = members.iter().map(|member| world.add(member).unwrap()).collect();
        (world, handles)
    };
    let mut members = vec![BodyDef { id: Some(9), ..BodyDef::new(Body::fixed(Pose::IDENTITY), 0) }];
    members.extend((0..40).map(|i| {
        let ball = Body::ball(0.1, 1e3, [0.5 * f64::from(i + 1), 0.0, 0.1095]).unwrap();
        BodyDef { id: Some(10 + i as u64), ..BodyDef::new(Body { angular_velocity: [0.0, 0.3, 0.5], ..ball }, 1) }
    }));
    let (mut world, handles) = build(&members);
    world.advance(0.01, DT, &shapes, &laws).unwrap();
    world.begin(&StepOptions::new(DT)).unwrap();
    while world.poll(&shapes, &laws).unwrap() != PollResult::Done {}
    world.accept().unwrap();
    let records = world.pack_springs(&handles).unwrap();
    for (member, handle) in members.iter_mut().zip(&handles) {
        member.body = world.view().unwrap().body(*handle).unwrap();
    }
    let (mut other, there) = build(&members);
    // Records of bodies that are elsewhere are of no account.
    let (mut empty, _) = build(&members[..1]);
    assert_eq!(empty.unpack_springs(&records).unwrap(), 0);
    assert_eq!(other.unpack_springs(&records).unwrap(), 40);
    let (mut bare, _) = build(&members);
    for world in [&mut world, &mut other, &mut bare] {
        world.advance(10.0 * DT, DT, &shapes, &laws).unwrap();
    }
    let spin = |world: &OwnedWorld, k: usize| world.view().unwrap().body(there[k]).unwrap().angular_velocity;
    for k in 1..=40 {
        let [own, seen, without] = [spin(&world, k), spin(&other, k), spin(&bare, k)];
        for c in [1, 2] {
            assert!((own[c] - seen[c]).abs() < 1e-9, "{k}: {own:?} {seen:?}");
            assert!((own[c] - without[c]).abs() > 1e-4, "springs are of no account here: {own:?} {without:?}");
        }
    }
}
