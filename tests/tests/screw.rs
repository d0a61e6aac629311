//! A bolt screws itself down a nut: what damping makes of contacts whose force turns as it pushes.

use dem_core::body::Body;
use dem_core::contact::shape::{Part, Shape};
use dem_core::exec::Serial;
use dem_core::force::{Damping, Interaction, Laws, Normal};
use dem_core::mesh::{mass_properties, mass_scratch};
use dem_core::pose::Pose;
use dem_core::world::{BodyDef, Setup};
use dem_std::generate::Thread;
use dem_std::{Memory, OwnedWorld};
use dem_tests::contact;
use dem_tests::shapes::surface;
use dem_tests::vector::{dot, rotate, scale, sub};
use std::f64::consts::TAU;

const THREAD: Thread = Thread { radius: 0.02, pitch: 0.014, turns: 3, sides: 18 };
const G: f64 = 9.81;
const WINDOW: f64 = 0.02;

/// What a bolt does in a window.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    fallen: f64,
    kinetic: f64,
    stored: f64,
    damped: f64,
}

/// A bolt on the thread of a nut, without friction, turned in space: what it has done by the end of each window, its weight, and the acceleration of what must turn as it falls.
fn screw(damped: Damping, damping: f64, dt: f64) -> (Vec<Seen>, f64, f64) {
    let (halo, turn) = (4e-4, [0.3, -0.2, 0.5, 0.787_400_787_401_181]);
    let made = |mesh| contact::Body::conservative(&contact::soup(&mesh), halo);
    let (nut, bolt) =
        (made(Thread { turns: 1, ..THREAD }.nut(0.0015, 0.034).unwrap()), made(THREAD.bolt([0.032, 0.014]).unwrap()));
    let mesh = bolt.shape.mesh().unwrap();
    let scratch = &mut Memory::new(mass_scratch(&mesh.sizes).unwrap()).unwrap();
    let properties = mass_properties(mesh, 7800.0, scratch).unwrap();
    // In the middle of their play flanks would be 1.5 mm apart: the bolt begins just above what it will rest on.
    let axis = rotate(turn, [0.0, 0.0, 1.0]);
    let body = Body::new(&properties, &Pose { position: scale(-1.1e-3, axis), orientation: turn }).unwrap();
    let (nut, bolt) = (surface(&nut, false), surface(&bolt, true));
    let part = [Part { shape: Shape::Mesh(&bolt), pose: properties.part_pose(), scale: 1.0 }];
    let shapes = [Shape::Mesh(&nut), Shape::Compound(&part)];
    let fixed = Body::fixed(Pose { position: [0.0; 3], orientation: turn });
    let gravity = scale(-G, axis);
    let mut world = OwnedWorld::with_executor(Box::new(Serial));
    world.settings.energy = true;
    world.set_up(&Setup { gravity, ..Setup::default() }).unwrap();
    world.add(&BodyDef::new(fixed, 0)).unwrap();
    let handle = world.add(&BodyDef::new(body, 1)).unwrap();
    let table = [Interaction::new(Normal::Pressure, 1e5).damped(damped, damping)];
    let laws = Laws::new(&table).unwrap();
    let inertia = (0..3)
        .map(|i| {
            properties.moments[i]
                * dot(rotate(body.orientation, [0, 1, 2].map(|k| f64::from(u8::from(i == k)))), axis).powi(2)
        })
        .sum::<f64>();
    let mut lost = 0.0;
    let seen = (0..7).map(|_| {
        world.advance(WINDOW, dt, &shapes, &laws).unwrap();
        let report = world.report().unwrap();
        lost += report.damped;
        let now = world.view().unwrap().body(handle).unwrap();
        Seen {
            fallen: -dot(sub(now.position, body.position), axis),
            kinetic: report.totals.kinetic(),
            stored: report.stored_normal,
            damped: lost,
        }
    });
    let seen = seen.collect();
    (seen, properties.mass * G, G / (1.0 + inertia * (TAU / THREAD.pitch).powi(2) / properties.mass))
}

#[test]
fn damping_takes_nothing_of_a_bolt_that_screws_itself_down() {
    for (damped, damping) in [(Damping::Dashpot, 0.5), (Damping::HuntCrossley, 5.0)] {
        let (seen, weight, acceleration) = screw(damped, damping, 1e-4);
        for s in &seen {
            let left = (s.kinetic + s.stored + s.damped) / (weight * s.fallen);
            println!("{damped:?}: {s:?}, of the energy of the fall {left}");
        }
        let [.., start, _, _, _, end] = seen[..] else { panic!("{seen:?}") };
        let all = (end.kinetic + end.stored + end.damped) / (weight * end.fallen);
        assert!((all - 1.0).abs() < 5e-3, "{damped:?}: {all}");
        // What damping takes of the first impact is in both.
        let taken = (end.damped - start.damped) / (end.kinetic - start.kinetic);
        assert!((0.0..0.02).contains(&taken), "{damped:?}: {taken}");
        // What turns and falls by an acceleration has this rate of the root of its energy. The thread has facets, over which the bolt stumbles a little.
        let rate = (end.kinetic.sqrt() - start.kinetic.sqrt()) / (4.0 * WINDOW) / (0.5 * weight * acceleration).sqrt();
        assert!((rate - 1.0).abs() < 0.03, "{damped:?}: {rate}");
    }
}
