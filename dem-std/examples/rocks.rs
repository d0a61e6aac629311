//! Rocks fall into a box and come to rest: a world, a law with friction and damping, and a page that shows how it went.
//!
//! `cargo run --release --example rocks -- rocks.html` writes the page.

use dem_std::dem_core::error::Result;
use dem_std::dem_core::world::WorldRef;
use dem_std::page::{self, Curve, Mark, Page};
use dem_std::prelude::*;

const HALO: f64 = 0.03;
const GRAVITY: [f64; 3] = [0.0, 0.0, -10.0];
/// Half the width of the box.
const HALF: f64 = 3.0;
const DT: f64 = 1e-3;

/// A pressure of 2e4 where surfaces touch, more of it where they approach, and friction whose dashpot lags behind its spring by .01.
fn rocky() -> Interaction {
    let plain = Interaction::new(Normal::Pressure, 2e4).damped(Damping::HuntCrossley, 3.0);
    Interaction { lag: 0.01, ..plain.rough(0.5, 0.8) }
}

/// Runs the scene, prints how it comes to rest, and writes a page where one is named.
pub fn run(html: Option<&std::ffi::OsStr>) -> Result<()> {
    // One rock, its cells, and its frame in the centre of mass, along the principal axes.
    let rock = generate::bumpy(generate::icosphere(1)?, 1.3, 1)?;
    let shape = OwnedShape::new(&rock, rock.scalar(), Halo::Uniform(HALO), &TreeOptions::default())?;
    let mesh = shape.mesh()?;
    let cells = OwnedCells::new(&mesh, &CellOptions::default())?;
    let mass = mass_properties(mesh, 1.0, &mut Memory::new(mass_scratch(&mesh.sizes)?)?)?;
    let surface = Surface { mesh, tree: shape.tree()?, cells: cells.open()?, solid: true };
    let parts = [Part { shape: Shape::Mesh(&surface), pose: mass.part_pose(), scale: 1.0 }];
    let shapes = [Shape::HalfSpace { halo: HALO }, Shape::Compound(&parts)];

    let table = [rocky()];
    let laws = Laws::new(&table)?;

    // A floor and four walls that look inward, and layers of rocks above.
    let mut world = OwnedWorld::new(Threads::global());
    world.set_up(&Setup { gravity: GRAVITY, ..Setup::default() })?;
    let half = core::f64::consts::FRAC_1_SQRT_2;
    let walls = [
        ([0.0; 3], [0.0, 0.0, 0.0, 1.0]),
        ([-HALF, 0.0, 0.0], [0.0, half, 0.0, half]),
        ([HALF, 0.0, 0.0], [0.0, -half, 0.0, half]),
        ([0.0, -HALF, 0.0], [-half, 0.0, 0.0, half]),
        ([0.0, HALF, 0.0], [half, 0.0, 0.0, half]),
    ];
    for (position, orientation) in walls {
        world.add(&BodyDef::new(Body::fixed(Pose { position, orientation }), 0))?;
    }
    for i in 0..16 {
        let (x, y, z) = (f64::from(i % 2) - 0.5, f64::from(i / 2 % 2) - 0.5, f64::from(i / 4));
        let orientation = [(7 * i % 5) as f64, (3 * i % 7) as f64, 1.0, (i % 3) as f64 - 1.0];
        let pose = Pose { position: [2.9 * x, 2.9 * y, 2.0 + 3.0 * z], orientation };
        world.add(&BodyDef::new(Body::new(&mass, &pose)?, 1))?;
    }

    // What the page shows of it: the mesh in the frame of its body.
    let mut page = Page::new("Rocks fall into a box");
    let (plane, drawn) = (page.plane(), page.mesh(&in_frame(rock, &mass.part_pose())?));
    for shape in world.view()?.shapes() {
        page.body(page::Body { drawing: if *shape == 0 { plane } else { drawn }, scale: 1.0 });
    }
    let (mut kinetic, mut potential) = (Vec::new(), Vec::new());

    let start = world.report()?.potential;
    let mut worked = 0.0;
    for frame in 0..=140 {
        if frame > 0 {
            world.advance(50.0 * DT, DT, &shapes, &laws)?;
        }
        let report = world.report()?;
        worked += report.work + report.gravity_work;
        kinetic.push([report.time, report.totals.kinetic()]);
        potential.push([report.time, report.potential]);
        show(&mut page, &world.view()?);
        if frame % 10 == 0 {
            let (moving, above) = (report.totals.kinetic() / start, report.potential / start);
            println!(
                "t {:.1}: {} contacts, kinetic energy {moving:.1e}, potential {above:.3}",
                report.time, report.contacts
            );
        }
    }
    let curves = [Curve { name: "kinetic", points: &kinetic }, Curve { name: "potential", points: &potential }];
    page.plot("Energy", "", curves);
    if let Some(file) = html {
        match std::fs::write(file, page.to_html()) {
            Ok(()) => println!("written: {}", file.display()),
            Err(error) => eprintln!("{}: {error}", file.display()),
        }
    }

    let (view, end) = (world.view()?, world.report()?);
    let inside = |body: &Body| body.position[0].abs().max(body.position[1].abs()) < HALF && body.position[2] > 0.0;
    assert!(view.bodies().iter().filter(|body| body.is_dynamic()).all(inside), "a rock has left the box");
    assert!(end.totals.kinetic() < 1e-5 * start, "rocks are at rest");
    // What turns freely keeps its energy but for dt^2.
    assert!((worked - end.totals.kinetic()).abs() < 1e-3 * start, "works add up to the change of energy");
    Ok(())
}

/// The mesh with vertices in the frame of a body whose part it is.
fn in_frame(mut mesh: dem_std::Triangles, part: &Pose) -> Result<dem_std::Triangles> {
    let frame = part.transform(dem_std::dem_core::error::What::Pose)?;
    mesh.vertices.iter_mut().for_each(|v| *v = frame.apply(*v));
    Ok(mesh)
}

/// A frame of the page: bodies as they are now, and forces of the last step.
fn show(page: &mut Page, view: &WorldRef<'_>) {
    let scene = view.scene();
    let marks = scene.now().contacts().iter().zip(view.acts()).map(|(c, act)| Mark {
        position: c.position,
        normal: c.normal,
        area: c.area,
        value: act.force.iter().map(|x| x * x).sum::<f64>().sqrt(),
    });
    page.frame(view.time(), view.bodies().iter().map(Body::pose), marks);
}

fn main() -> Result<()> {
    run(std::env::args_os().nth(1).as_deref())
}
