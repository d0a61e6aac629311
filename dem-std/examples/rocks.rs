//! Rocks fall into a box and come to rest: contacts, a law with friction and damping, and motion, in one loop.

use dem_std::dem_core::array::Words;
use dem_std::dem_core::body::{Body, Columns, Step, advance, totals};
use dem_std::dem_core::contact::shape::{Part, Shape, Surface};
use dem_std::dem_core::contact::{CellOptions, Law};
use dem_std::dem_core::detect::laws::{Act, Given, Meeting, Out, slip};
use dem_std::dem_core::detect::surfaces::Motions;
use dem_std::dem_core::detect::{Bodies, Wrench};
use dem_std::dem_core::error::Result;
use dem_std::dem_core::mesh::{Halo, mass_properties, mass_scratch};
use dem_std::dem_core::pose::Pose;
use dem_std::dem_core::surrogate::Options;
use dem_std::{Memory, OwnedCells, OwnedScene, OwnedShape, Threads, generate};

const HALO: f64 = 0.03;
const GRAVITY: [f64; 3] = [0.0, 0.0, -10.0];
/// Half the width of the box.
const HALF: f64 = 3.0;
const DT: f64 = 1e-3;

/// Pressure where surfaces touch.
const PRESSURE: f64 = 2e4;
/// By what part it grows for each unit of velocity at which they approach.
const DAMPING: f64 = 3.0;
/// Time by which friction's dashpot lags behind its spring.
const LAG: f64 = 1e-2;
/// Coefficient of friction.
const FRICTION: f64 = 0.5;

/// Force and spring of a contact.
fn push(at: &Meeting<'_, 1>) -> Act<1> {
    let (c, v) = (at.contact, at.velocity);
    let away: f64 = (0..3).map(|i| v[i] * c.normal[i]).sum();
    let normal = (PRESSURE * (1.0 - c.gap / c.halo) * c.area * (1.0 - DAMPING * away)).max(0.0);
    // Friction by a spring, and a dashpot beside it: both together stay within Coulomb's limit, too.
    let (stiffness, most) = (0.8 * PRESSURE * c.area / c.halo, FRICTION * normal);
    let (spring, _) = slip(at.springs[0], v, c.normal, DT, stiffness, most);
    let stretched = [0, 1, 2].map(|i| spring[i] + LAG * (v[i] - away * c.normal[i]));
    let (_, drag) = slip(stretched, [0.0; 3], c.normal, DT, stiffness, most);
    Act {
        force: [0, 1, 2].map(|i| normal * c.normal[i] + drag[i]),
        torque: c.moment.map(|m| PRESSURE * m),
        springs: [spring],
    }
}

/// Runs the scene and prints how it comes to rest.
pub fn main() -> Result<()> {
    // One rock, its cells, and its frame in the centre of mass, along the principal axes.
    let rock = generate::bumpy(generate::icosphere(1)?, 1.3, 1)?;
    let shape = OwnedShape::new(&rock, rock.scalar(), Halo::Uniform(HALO), &Options::default())?;
    let mesh = shape.mesh()?;
    let cells = OwnedCells::new(&mesh, &CellOptions { law: Law::Auto, ..CellOptions::default() })?;
    let mass = mass_properties(mesh, 1.0, &mut Memory::new(mass_scratch(&mesh.sizes)?)?)?;
    let surface = Surface { mesh, tree: shape.tree()?, cells: cells.open()?, solid: true };
    let parts = [Part { shape: Shape::Mesh(&surface), pose: mass.part_pose(), scale: 1.0 }];
    let shapes = [Shape::HalfSpace { halo: HALO }, Shape::Compound(&parts)];

    // A floor and four walls that look inward, and layers of rocks above.
    let half = core::f64::consts::FRAC_1_SQRT_2;
    let wall = |position, [x, y]: [f64; 2], w| Body::fixed(Pose { position, orientation: [x, y, 0.0, w] });
    let mut bodies = vec![
        wall([0.0; 3], [0.0; 2], 1.0),
        wall([-HALF, 0.0, 0.0], [0.0, half], half),
        wall([HALF, 0.0, 0.0], [0.0, -half], half),
        wall([0.0, -HALF, 0.0], [-half, 0.0], half),
        wall([0.0, HALF, 0.0], [half, 0.0], half),
    ];
    let mut kinds = vec![0; bodies.len()];
    for i in 0..16 {
        let (x, y, z) = (f64::from(i % 2) - 0.5, f64::from(i / 2 % 2) - 0.5, f64::from(i / 4));
        let orientation = [(7 * i % 5) as f64, (3 * i % 7) as f64, 1.0, (i % 3) as f64 - 1.0];
        bodies.push(Body::new(&mass, &Pose { position: [2.9 * x, 2.9 * y, 2.0 + 3.0 * z], orientation })?);
        kinds.push(1);
    }

    let mut scene = OwnedScene::new(Threads::global());
    let mut springs: Vec<[[f64; 3]; 1]> = Vec::new();
    let mut worked = 0.0;
    let start = totals(scene.executor(), &bodies, [0.0; 3])?.potential(GRAVITY);
    for step in 0..7000 {
        let columns = Columns::new(&bodies)?;
        scene.find(&Bodies {
            orientations: Some(columns.orientations),
            motions: Some(columns.motions),
            ..Bodies::new(&shapes, Words::from_slice(&kinds), columns.positions)
        })?;
        let view = scene.view()?;
        let contacts = view.now().contacts().len();
        let (mut acts, mut wound) = (vec![Wrench::default(); contacts], vec![[[0.0; 3]]; contacts]);
        let mut wrenches = vec![Wrench::default(); bodies.len()];
        let motions = Motions {
            velocities: Some(columns.velocities),
            spins: Some(columns.angular_velocities),
            ..Motions::default()
        };
        let given = Given { motions, springs: &springs, ..Given::default() };
        let out = Out { acts: &mut acts, springs: &mut wound, wrenches: &mut wrenches };
        view.apply(scene.executor(), &push, &given, out)?;
        let works = advance(scene.executor(), &mut bodies, &wrenches, &Step { gravity: GRAVITY, ..Step::new(DT) })?;
        worked += works.wrenches + works.gravity;
        scene.commit()?;
        springs = wound;
        if step % 500 == 499 {
            let all = totals(scene.executor(), &bodies, [0.0; 3])?;
            let (moving, above) = (all.kinetic() / start, all.potential(GRAVITY) / start);
            println!(
                "t {:.1}: {contacts} contacts, kinetic energy {moving:.1e}, potential {above:.3}",
                DT * f64::from(step + 1)
            );
        }
    }
    let end = totals(scene.executor(), &bodies, [0.0; 3])?;
    let inside = |body: &Body| body.position[0].abs().max(body.position[1].abs()) < HALF && body.position[2] > 0.0;
    assert!(bodies.iter().filter(|body| body.is_dynamic()).all(inside), "a rock has left the box");
    assert!(end.kinetic() < 1e-5 * start, "rocks are at rest");
    // What turns freely keeps its energy but for dt^2.
    assert!((worked - end.kinetic()).abs() < 1e-3 * start, "works add up to the change of energy");
    Ok(())
}
