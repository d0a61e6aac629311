//! Room of a world, and its bytes in files.

use super::*;

#[test]
fn too_little_room_is_told_and_made() {
    with_shapes(|shapes| {
        let members = heap(15);
        let (mut roomy, _) = filled(&members);
        let small = WorldSizes {
            bodies: 19,
            candidates: 1,
            contacts: 1,
            nodes: 0,
            levels: 4,
            ball_pairs: 0,
            ball_contacts: 0,
            events: 0,
        };
        let mut own = Own::new(&small);
        own.world().set_up(&down()).unwrap();
        for member in &members {
            own.world().add(member).unwrap();
        }
        let full = own.world().add(&BodyDef::new(Body::fixed(Pose::IDENTITY), 0)).unwrap_err();
        assert_eq!((full.kind, full.what, full.needed), (Kind::Capacity, What::Bodies, 20));
        let mut grown = 0;
        for step in 0..150 {
            roomy.step(DT, shapes, &rough, &Serial);
            roomy.world().accept().unwrap();
            own.world().begin(&StepOptions::new(DT)).unwrap();
            loop {
                let error = match own.poll(shapes, &rough, &Serial) {
                    Ok(PollResult::Done) => break,
                    Ok(_) => continue,
                    Err(error) => error,
                };
                assert_eq!(error.kind, Kind::Capacity);
                assert!(error.needed > error.given);
                let mut sizes = own.view().sizes;
                let needed = error.needed as u32;
                match error.what {
                    What::Candidates => sizes.candidates = needed,
                    What::Contacts => sizes.contacts = needed,
                    What::Nodes => sizes.nodes = needed,
                    what => panic!("{what:?}"),
                }
                let mut block = Memory::new(World::layout(&sizes).unwrap()).unwrap();
                World::grow(&own.block, &mut block, &sizes).unwrap();
                own.block = block;
                grown += 1;
            }
            own.world().accept().unwrap();
            assert_eq!(own.view().state_hash(), roomy.view().state_hash(), "step {step}");
        }
        assert!(grown > 3);
        // Scratch, too.
        let layout = world_scratch(&own.view().sizes, shapes, &settings(), 1).unwrap();
        own.scratch = Memory::new(Layout { size: layout.size / 2, align: 64 }).unwrap();
        own.world().begin(&StepOptions::new(DT)).unwrap();
        assert_eq!(own.poll(shapes, &rough, &Serial).unwrap_err().what, What::Scratch);
        own.scratch = Memory::new(layout).unwrap();
        while own.poll(shapes, &rough, &Serial).unwrap() != PollResult::Done {}
    });
}

/// Capacities of 1 for bodies that lie in a heap: one error tells them all, and one growth is enough.
#[test]
fn one_growth_is_enough_for_a_heap() {
    with_shapes(|shapes| {
        let members = heap(15);
        let (mut roomy, _) = filled(&members);
        for _ in 0..150 {
            roomy.step(DT, shapes, &rough, &Serial);
            roomy.world().accept().unwrap();
        }
        let small = WorldSizes {
            bodies: 19,
            candidates: 1,
            contacts: 1,
            nodes: 1,
            levels: 4,
            ball_pairs: 0,
            ball_contacts: 0,
            events: 0,
        };
        let mut own = Own::new(&small);
        own.world().set_up(&down()).unwrap();
        for (member, body) in members.iter().zip(roomy.view().bodies()) {
            own.world().add(&BodyDef { body: *body, ..*member }).unwrap();
        }
        own.world().begin(&StepOptions::new(DT)).unwrap();
        assert_eq!(own.poll(shapes, &rough, &Serial).unwrap_err().kind, Kind::Capacity);
        let short = own.view().shortage();
        assert!(short.candidates > 1 && short.contacts > 1 && short.nodes > 1 && short.bodies == 0, "{short:?}");
        let (mut sizes, mut settings) = (small, settings());
        assert!(sizes.make_room(&short, &mut settings).unwrap());
        let mut block = Memory::new(World::layout(&sizes).unwrap()).unwrap();
        World::grow(&own.block, &mut block, &sizes).unwrap();
        own.block = block;
        while own.poll(shapes, &rough, &Serial).unwrap() != PollResult::Done {}
        let (contacts, short) = (own.view().scene().now().contacts().len(), own.view().shortage());
        assert!(contacts > 1 && short.is_nothing(), "{contacts} contacts, {short:?}");
        // A host that knows what there will be has room for it from the beginning.
        let mut owned = OwnedWorld::with_executor(Box::new(Serial));
        owned.reserve(&sizes).unwrap();
        let room = owned.copy().len();
        members.iter().for_each(|member| _ = owned.add(member).unwrap());
        owned.advance(10.0 * DT, DT, shapes, &rough).unwrap();
        owned.reserve(&small).unwrap();
        assert_eq!((owned.copy().len(), owned.view().unwrap().sizes.contacts), (room, sizes.contacts));
    });
}

#[test]
fn files_are_whole_or_refused() {
    with_shapes(|shapes| {
        let mut world = OwnedWorld::with_executor(Box::new(Serial));
        world.set_up(&down()).unwrap();
        for member in heap(17) {
            world.add(&member).unwrap();
        }
        world.advance(0.1, DT, shapes, &rough).unwrap();
        // In the middle of a step.
        world.begin(&StepOptions::new(DT)).unwrap();
        world.poll(shapes, &rough).unwrap();
        let saved = world.save().unwrap().to_vec();
        let mut again = OwnedWorld::load(&saved, Box::new(Serial)).unwrap();
        for world in [&mut world, &mut again] {
            while world.poll(shapes, &rough).unwrap() != PollResult::Done {}
            world.accept().unwrap();
        }
        assert_eq!(world.view().unwrap().state_hash(), again.view().unwrap().state_hash());
        for at in (0..saved.len()).step_by(saved.len() / 97) {
            let mut bad = saved.clone();
            bad[at] ^= 4;
            assert!(OwnedWorld::load(&bad, Box::new(Serial)).is_err(), "{at}");
        }
        for end in [0, 10, saved.len() / 2, saved.len() - 1] {
            assert!(OwnedWorld::load(&saved[..end], Box::new(Serial)).is_err());
        }
    });
}
