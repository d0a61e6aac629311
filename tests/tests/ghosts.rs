//! A space divided among worlds: each has the bodies of the other ones as ghosts.

use dem_core::body::Body;
use dem_core::broad::Motion;
use dem_core::exec::Serial;
use dem_core::force::{Damping, Interaction, Laws, Normal};
use dem_core::world::{Handle, Member, Records};
use dem_std::OwnedWorld;
use dem_tests::shapes::sphere;

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
        world.add(&Member { id: Some(5 + place as u64), ..Member::new(body, place as u32) }).unwrap()
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
