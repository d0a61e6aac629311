//! Lists of pairs of balls: wherever balls are, and of whatever sizes, steps come to what the general steps come to.

use super::*;

/// Both ways of some steps are equal to rounding, on one thread and on more, and have contacts.
fn agree(case: &Case, steps: usize) {
    let (general, _) = case.run(&[steps], false, |_| {});
    let (own, few) = case.run(&[steps], true, |_| {});
    let (threads, _) = case.run(&[steps], true, |world| *world = OwnedWorld::new(Threads::new(3).unwrap()));
    assert_eq!(few, 1);
    let apart = difference(&own, &general, case.setup.periods);
    assert!(apart < 1e-9, "{apart:e}");
    let [own, threads] = [&own, &threads].map(|world| world.view().unwrap().state_hash());
    assert_eq!(own, threads);
    let contacts = general.report().unwrap().contacts;
    assert!(contacts > case.members.len(), "{contacts} contacts");
}

#[test]
fn balls_may_be_anywhere_in_periodic_space() {
    let mut case = Case::lattice(12);
    for (i, member) in case.members.iter_mut().enumerate() {
        let images = [i % 3, i / 3 % 3, i / 9 % 3].map(|image| image as f64 - 1.0);
        (0..3).for_each(|k| member.body.position[k] += images[k] * case.setup.periods[k]);
    }
    agree(&case, 20);
}

#[test]
fn balls_may_be_of_very_different_sizes() {
    let (mut random, plain) = (Random::new(8), Case::packed());
    let member = |scale: f64, position: [f64; 3], velocity| {
        let body = Body { velocity, ..Body::ball(0.5 * scale, 1.0, position).unwrap() };
        BodyDef { scale, ..BodyDef::new(body, 0) }
    };
    // A heap of small ones between large ones: cells of the size of these would hold hundreds.
    let mut members: Vec<_> = (0..1331)
        .map(|i| {
            let at = [i / 121, i / 11 % 11, i % 11].map(|k| 0.0985 * (f64::from(k) - 5.0) + random.range(-1e-3, 1e-3));
            member(0.1, at, [0; 3].map(|_| random.range(-0.2, 0.2)))
        })
        .collect();
    members.extend([-1.04, 1.04].map(|z| member(1.0, [0.0, 0.0, z], [0.0; 3])));
    agree(&Case { setup: Setup::default(), members, dt: 3e-5, ..plain }, 20);
}

#[test]
fn lists_hold_all_pairs_where_few_balls_are_far_from_many() {
    let mut case = Case { setup: Setup::default(), ..Case::packed() };
    for (i, member) in case.members.iter_mut().enumerate().filter(|(i, _)| i % 50 == 0) {
        member.body.position = [1e3 * i as f64, -1e5, 10.0];
    }
    agree(&case, 20);
}

/// Balls that were taken out and come back under their ids in each other's slots: their springs turn with them, not with who had the slot before.
#[test]
fn springs_of_balls_that_come_back_in_other_slots_turn_with_these() {
    let mut case = Case::heap();
    let mut random = Random::new(7);
    case.members.iter_mut().skip(1).for_each(|member| member.body.orientation = random.rotation());
    let run = |known: bool| {
        let laws = Laws::new(&case.table).unwrap();
        let law = Counted { laws, known, steps: AtomicUsize::new(0) };
        let mut world = OwnedWorld::with_executor(Box::new(Serial));
        world.set_up(&case.setup).unwrap();
        let handles: Vec<_> = case.members.iter().map(|member| world.add(member).unwrap()).collect();
        world.advance(300.0 * case.dt, case.dt, &SHAPES, &law).unwrap();
        assert!(world.view().unwrap().springs().iter().any(|springs| length(springs[0]) > 1e-2));
        for pair in [[1, 2], [11, 12], [31, 32]] {
            let bodies = pair.map(|i: usize| world.view().unwrap().bodies()[i]);
            pair.iter().for_each(|i| world.remove(handles[*i]).unwrap());
            // The slot that became free last is taken first.
            for (i, body) in pair.into_iter().zip(bodies) {
                world.add(&BodyDef { body, ..case.members[i] }).unwrap();
            }
            assert_eq!(world.view().unwrap().bodies()[pair[1]], bodies[0]);
        }
        world.advance(30.0 * case.dt, case.dt, &SHAPES, &law).unwrap();
        world
    };
    let apart = difference(&run(true), &run(false), [0.0; 3]);
    assert!(apart < 1e-10, "{apart:e}");
}

/// A ball far from all others needs no list more than it did near them; what is kept of its place is fine enough.
#[test]
fn a_ball_that_got_lost_costs_no_list_in_every_step() {
    let lists = |lost: bool| {
        let mut case = Case { setup: Setup::default(), ..Case::packed() };
        if lost {
            case.members[7].body.position = [4e6, -1e5, 3e6];
            case.members[8].body.position = [4e6, -1e5, 3e6 + 0.99];
            agree(&case, 20);
        }
        let laws = Laws::new(&case.table).unwrap();
        let law = Counted { laws, known: true, steps: AtomicUsize::new(0) };
        let mut world = Roomy::new(&case, AMPLE);
        world.advance(60, case.dt, &law).unwrap();
        assert_eq!(law.steps.into_inner(), 1);
        WorldRef::peek(&world.block).unwrap().ball_lists()
    };
    let [near, lost] = [false, true].map(lists);
    println!("{near} lists in 60 steps, {lost} with balls that are lost");
    assert!((3..20).contains(&near) && lost <= near + 1, "{lost} lists, {near} where none is lost");
}

/// A world that may grow has room for lists with their whole skin: it makes no more of them than one that had ample room from the beginning.
#[test]
fn a_world_that_grows_makes_no_more_lists_than_one_with_room() {
    let case = Case { setup: Setup::default(), ..Case::packed() };
    let laws = Laws::new(&case.table).unwrap();
    let law = Counted { laws, known: true, steps: AtomicUsize::new(0) };
    let mut ample = Roomy::new(&case, AMPLE);
    ample.advance(60, case.dt, &law).unwrap();
    let (grown, _) = case.run(&[60], true, |_| {});
    let (ample, grown) = (WorldRef::peek(&ample.block).unwrap(), grown.view().unwrap());
    let lists = [ample.ball_lists(), grown.ball_lists()];
    let WorldSizes { ball_pairs, ball_contacts, .. } = grown.sizes;
    println!("{lists:?} lists in 60 steps, room for {ball_pairs} pairs and {ball_contacts} contacts");
    assert_eq!(ample.state_hash(), grown.state_hash());
    assert!(lists[0] > 3 && lists[1] <= lists[0], "{lists:?}");
    assert!(ball_contacts < ball_pairs, "room for contacts is for pairs that touch");
}

/// A host that takes a lost ball back by a whole number of cells of the lattice in which its place is kept is noticed.
#[test]
fn a_lost_ball_that_is_brought_back_has_its_contacts() {
    let mut case = Case { setup: Setup::default(), ..Case::packed() };
    let back = [-0.95, 1.97, 1.97];
    let body = Body { velocity: [0.0; 3], angular_velocity: [0.0; 3], ..case.members[7].body };
    case.members[7].body = Body { position: [back[0] + 4096.0 * 4096.0, back[1], back[2]], ..body };
    let run = |known: bool| {
        let laws = Laws::new(&case.table).unwrap();
        let law = Counted { laws, known, steps: AtomicUsize::new(0) };
        let mut world = OwnedWorld::with_executor(Box::new(Serial));
        world.set_up(&case.setup).unwrap();
        let handles: Vec<_> = case.members.iter().map(|member| world.add(member).unwrap()).collect();
        world.advance(2.0 * case.dt, case.dt, &SHAPES, &law).unwrap();
        world.set_body(handles[7], &Body { position: back, ..body }).unwrap();
        world.advance(5.0 * case.dt, case.dt, &SHAPES, &law).unwrap();
        world
    };
    let [own, general] = [run(true), run(false)];
    assert!(difference(&own, &general, [0.0; 3]) < 1e-10);
    let touched = own.view().unwrap().bodies()[7].velocity;
    assert!(length(touched) > 1e-3, "{touched:?}");
}
