//! Bodies by their ids.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use super::*;

/// A comparison of each with all others would take a minute.
#[test]
fn bodies_join_in_any_order_of_ids() {
    const MANY: u64 = 300_000;
    let mut own = Own::new(&WorldSizes { bodies: MANY as u32, ..SIZES });
    let begin = Instant::now();
    let mut world = own.world();
    for i in 0..MANY {
        let member = BodyDef { id: Some(i * 7919 % MANY), ..BodyDef::new(Body::fixed(Pose::IDENTITY), 0) };
        world.add(&member).unwrap();
    }
    assert!(begin.elapsed() < Duration::from_secs(15), "{:?}", begin.elapsed());
    for i in (0..MANY).step_by(1001) {
        assert_eq!(world.as_ref().slot_of(i * 7919 % MANY), Some(i as usize));
    }
}

/// Bodies with ids and without come and go, in blocks that grow.
#[test]
fn ids_find_their_bodies() {
    let mut random = Random::new(3);
    let mut world = OwnedWorld::with_executor(Box::new(Serial));
    let mut there: BTreeMap<u64, Handle> = BTreeMap::new();
    for _ in 0..20_000 {
        // Ids that would like to be at the same places, too.
        let id = [random.below(300) as u64, (random.below(300) as u64) << 40][random.below(2)];
        let member = BodyDef { id: Some(id), ..BodyDef::new(Body::fixed(Pose::IDENTITY), 0) };
        match (there.get(&id).copied(), random.below(3)) {
            (Some(handle), 0) => {
                let error = world.add(&member).unwrap_err();
                assert_eq!((error.kind, error.what, error.index), (Kind::Duplicate, What::Ids, handle.slot.into()));
            }
            (Some(handle), _) => {
                world.remove(handle).unwrap();
                there.remove(&id);
            }
            (None, 0) => {
                let handle = world.add(&BodyDef { id: None, ..member }).unwrap();
                let own = world.view().unwrap().ids()[handle.slot as usize];
                assert_eq!(world.view().unwrap().slot_of(own), Some(handle.slot as usize));
                if random.below(2) == 0 {
                    world.remove(handle).unwrap();
                    assert_eq!(world.view().unwrap().slot_of(own), None);
                }
            }
            (None, _) => _ = there.insert(id, world.add(&member).unwrap()),
        }
        let id = random.below(300) as u64;
        let expected = there.get(&id).map(|handle| handle.slot as usize);
        assert_eq!(world.view().unwrap().slot_of(id), expected);
    }
    assert!(there.len() > 150);
}
