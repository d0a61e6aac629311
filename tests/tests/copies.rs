//! Worlds and scenes with memory of their own go back to copies, as engines with rollback do.

use dem_core::array::{Array, Words};
use dem_core::body::Body;
use dem_core::detect::Bodies;
use dem_core::error::Kind;
use dem_core::exec::Serial;
use dem_core::force::{Interaction, Laws, Normal};
use dem_core::pose::Pose;
use dem_core::world::{BodyDef, Setup};
use dem_std::{Memory, OwnedScene, OwnedWorld};
use dem_tests::shapes::{ground, sphere};

const HALO: f64 = 0.02;

#[test]
fn a_world_goes_back_eight_frames_with_the_same_bits() {
    let shapes = [ground(HALO), sphere(0.25, HALO)];
    let table = [Interaction::new(Normal::Linear, 2e5).rough(0.5, 0.8)];
    let laws = Laws::new(&table).unwrap();
    let mut world = OwnedWorld::with_executor(Box::new(Serial));
    let empty = world.copy();
    world.set_up(&Setup { gravity: [0.0, 0.0, -9.81], ..Setup::default() }).unwrap();
    world.add(&BodyDef::new(Body::fixed(Pose::IDENTITY), 0)).unwrap();
    let ball = |i: usize| {
        let place = [0.3 * i as f64, 0.1 * (i % 3) as f64, 0.3 + 0.4 * i as f64];
        BodyDef::new(Body::ball(0.25, 800.0, place).unwrap(), 1)
    };
    let first = world.add(&ball(0)).unwrap();
    (1..4).for_each(|i| _ = world.add(&ball(i)).unwrap());
    let mut frames = Vec::new();
    for frame in 0..20 {
        frames.push((world.copy(), world.view().unwrap().state_hash()));
        // The block grows on the way, bodies come and leave.
        if frame % 4 == 3 {
            (0..6).for_each(|i| _ = world.add(&ball(4 + frame + i)).unwrap());
        }
        if frame == 10 {
            world.remove(first).unwrap();
        }
        world.advance(1.0 / 60.0, 1e-3, &shapes, &laws).unwrap();
    }
    for back in [12, 19, 3, 0] {
        let (copy, hash) = &frames[back];
        world.go_back(copy).unwrap();
        assert_eq!(world.view().unwrap().state_hash(), *hash);
        for (frame, (_, hash)) in frames.iter().enumerate().skip(back) {
            assert_eq!(world.view().unwrap().state_hash(), *hash, "{frame} from {back}");
            if frame % 4 == 3 {
                (0..6).for_each(|i| _ = world.add(&ball(4 + frame + i)).unwrap());
            }
            if frame == 10 {
                world.remove(first).unwrap();
            }
            world.advance(1.0 / 60.0, 1e-3, &shapes, &laws).unwrap();
        }
    }
    // What is no world is refused, and one to which nothing was added is one.
    let hash = world.view().unwrap().state_hash();
    let mut torn = world.copy();
    torn[3] ^= 0xFF;
    assert_eq!(world.go_back(&torn).unwrap_err().kind, Kind::Damaged);
    assert_eq!(world.view().unwrap().state_hash(), hash);
    world.go_back(&empty).unwrap();
    assert!(world.view().is_err());
    assert_eq!(world.add(&ball(0)).unwrap().slot, 0);
    // What has no method of its own is a call on the world itself.
    let handle = world.add(&ball(3)).unwrap();
    world.open().unwrap().set_material(handle, 7).unwrap();
    assert_eq!(world.view().unwrap().materials(), [0, 7]);
}

#[test]
fn a_scene_goes_back_to_its_contacts() {
    let shapes = [ground(HALO), sphere(0.25, HALO)];
    let mut scene = OwnedScene::with_executor(Box::new(Serial));
    let step = |scene: &mut OwnedScene, bodies: usize, along: f64| {
        let place = |i: usize| if i == 0 { [0.0; 3] } else { [i as f64 + along, 0.0, 0.26] };
        let positions: Vec<_> = (0..bodies).map(place).collect();
        let kinds: Vec<u32> = (0..bodies).map(|i| u32::from(i > 0)).collect();
        let bodies = Bodies::new(&shapes, Words::from_slice(&kinds), Array::from_f64(&positions));
        assert_eq!(scene.detect(&bodies).unwrap().contacts, kinds.len() - 1);
        scene.view().unwrap().hash()
    };
    step(&mut scene, 4, 0.0);
    let copy = scene.copy();
    let next = step(&mut scene, 4, 0.01);
    // Larger in between.
    step(&mut scene, 400, 0.02);
    scene.go_back(&copy).unwrap();
    assert_eq!(step(&mut scene, 4, 0.01), next);
    assert!(scene.go_back(&Memory::new(dem_core::memory::Layout { size: 64, align: 64 }).unwrap()).is_err());
    assert_eq!(scene.view().unwrap().hash(), next);
    step(&mut scene, 400, 0.02);
}
