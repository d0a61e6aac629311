//! Bodies that come to a sheet from behind: its faces would draw them through it, and push them out in front. Nothing tells this from a body that
//! has sunk in, so the contacts are in doubt, and a law gives back no more energy than was put in.

use dem_core::body::Body;
use dem_core::contact::regions::Grouping;
use dem_core::contact::shape::Shape;
use dem_core::contact::status;
use dem_core::exec::Serial;
use dem_core::force::{Interaction, Laws, Normal};
use dem_core::mesh::{mass_properties, mass_scratch};
use dem_core::pose::Pose;
use dem_core::world::{BodyDef, Setup};
use dem_std::{Memory, OwnedWorld, generate};
use dem_tests::Triangle;
use dem_tests::contact::{self, cuboid, soup};
use dem_tests::deep::{ball, sized, turn, turned_over};
use dem_tests::shapes::{capsule, grouped, placed, sphere, surface};

const HALO: f64 = 0.01;
const DENSITY: f64 = 1000.0;

/// A sheet of 10 m that looks up, and waves.
fn sheet(height: f64) -> Vec<Triangle> {
    let mut plate = generate::plate([20, 20], [10.0, 10.0]).unwrap();
    for v in &mut plate.vertices {
        v[2] = height * (v[0].sin() + v[1].cos());
    }
    soup(&plate)
}

/// The speed at which a body leaves that came with `velocity` along z from `z`, and all statuses of its contacts. Without damping and friction.
fn passes(sheet: &contact::Body, (shape, body): (Shape<'_>, Body), [z, velocity]: [f64; 2]) -> (f64, f64, u32) {
    let wall = surface(sheet, false);
    let shapes = [Shape::Mesh(&wall), shape];
    let table = [Interaction::new(Normal::Pressure, 1e7)];
    let laws = Laws::new(&table).unwrap();
    let mut world = OwnedWorld::with_executor(Box::new(Serial));
    world.set_up(&Setup::default()).unwrap();
    world.watch(true).unwrap();
    world.add(&BodyDef::new(Body::fixed(Pose::IDENTITY), 0)).unwrap();
    let body = Body { position: [0.1, 0.2, z], velocity: [0.0, 0.0, velocity], ..body };
    let handle = world.add(&BodyDef::new(body, 1)).unwrap();
    let before = world.report().unwrap().totals.kinetic();
    world.advance(0.6, 2e-4, &shapes, &laws).unwrap();
    let report = world.report().unwrap();
    let view = world.view().unwrap();
    let moved = view.body(handle).unwrap().position[2] - z;
    (report.totals.kinetic() / before, moved, report.window_status)
}

/// A mesh as a body, turned.
fn solid(mesh: &contact::Body) -> Body {
    let view = mesh.shape.mesh().unwrap();
    let scratch = &mut Memory::new(mass_scratch(&view.sizes).unwrap()).unwrap();
    let properties = mass_properties(view, DENSITY, scratch).unwrap();
    Body::new(&properties, &Pose { position: [0.0; 3], orientation: turn([0.8, 0.6, 0.0], 0.3) }).unwrap()
}

#[test]
fn what_comes_to_a_sheet_from_behind_gains_no_energy() {
    let tilted = |half_length: f64, angle: f64| {
        let pose = Pose { position: [0.0; 3], orientation: turn([1.0, 0.0, 0.0], angle) };
        (capsule(half_length, 0.2, HALO), Body::capsule(half_length, 0.2, DENSITY, &pose).unwrap())
    };
    let (cube, rock) = (contact::Body::new(&cuboid([0.5; 3]), HALO), contact::Body::new(&sized(&ball(2), 0.3), HALO));
    let both = [&cube, &rock].map(|mesh| (surface(mesh, true), solid(mesh)));
    for height in [0.0, 0.05] {
        let sheet = contact::Body::new(&sheet(height), HALO);
        let round = (sphere(0.25, HALO), Body::ball(0.25, DENSITY, [0.0; 3]).unwrap());
        let mut bodies = vec![round, tilted(0.2, 0.0), tilted(0.2, 0.5), tilted(0.2, 1.57), tilted(1e-4, 0.5)];
        bodies.extend(both.iter().map(|(mesh, body)| (Shape::Mesh(mesh), *body)));
        for (k, case) in bodies.into_iter().enumerate() {
            let (energy, moved, status) = passes(&sheet, case, [-1.0, 3.0]);
            assert!((energy - 1.0).abs() < 0.01 && moved > 1.7, "{height}, body {k}: {energy} {moved}");
            assert!(status & status::DOUBTFUL != 0, "{height}, body {k}: {status:#x}");
            // From the front it bounces, and nothing is in doubt.
            let (energy, _, status) = passes(&sheet, case, [1.0, -3.0]);
            assert!(
                (energy - 1.0).abs() < 0.01 && status & status::DOUBTFUL == 0,
                "{height}, body {k}: {energy} {status:#x}"
            );
        }
    }
}

/// The faces of a sheet draw what is behind them; the contact tells that it is in doubt. In front of the sheet and beside it nothing is.
#[test]
fn a_sheet_that_draws_is_in_doubt() {
    let (up, cube) = (contact::Body::new(&sheet(0.0), HALO), contact::Body::new(&cuboid([0.5; 3]), HALO));
    let down = contact::Body::new(&turned_over(&sheet(0.0)), HALO);
    for angle in [0.0, 0.1, 0.3] {
        let low = |pose: &Pose| {
            let all = cuboid([0.5; 3]).into_iter().flatten();
            all.map(|v| pose.transform(dem_core::error::What::Pose).unwrap().apply(v)[2]).fold(f64::INFINITY, f64::min)
        };
        let turned = Pose { position: [0.1, 0.2, 0.0], orientation: turn([1.0, 0.0, 0.0], angle) };
        let above = Pose { position: [0.1, 0.2, 0.5 * HALO - low(&turned)], ..turned };
        let own = surface(&cube, true);
        for (sheet, doubt) in [(&up, false), (&down, true)] {
            let wall = surface(sheet, false);
            let list = grouped(
                &placed(Shape::Mesh(&own), &above),
                &placed(Shape::Mesh(&wall), &Pose::IDENTITY),
                &Grouping::default(),
            );
            let bits = list.iter().fold(0, |bits, c| bits | c.status);
            assert!(!list.is_empty() && (bits & status::DOUBTFUL != 0) == doubt, "{angle}: {list:?}");
        }
    }
}
