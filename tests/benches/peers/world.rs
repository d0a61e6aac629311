//! Group `world`: bodies that move, beside rapier3d with triangle meshes, sleeping off, one thread each.
//!
//! 300 bumpy rocks of 80 triangles and radius .5 fall from a lattice of spacing 1.3 onto a plane, gravity 9.81, friction .5, 500 steps of 1/240: steps 1 to 80 in
//! flight, steps 401 to 500 settled. 16 stacks of 20 unit boxes on a plane, steps of 1/60, ten seconds. Times are those of a body and a step.

use crate::clock::{Answer, Table, median, now};
use dem_core::body::Body;
use dem_core::contact::shape::{Part, Shape, Surface};
use dem_core::contact::{CellOptions, Law};
use dem_core::exec::Serial;
use dem_core::force::{Damping, Interaction, Laws, Normal};
use dem_core::mesh::{Halo, MassProperties, mass_properties, mass_scratch};
use dem_core::pose::Pose;
use dem_core::surrogate::Options;
use dem_core::world::{BodyDef, Handle, Setup};
use dem_std::{Memory, OwnedCells, OwnedShape, OwnedWorld, Triangles, generate};
use rapier3d::prelude as r;

const GRAVITY: f64 = 9.81;
const HALO: f64 = 0.02;
/// Steps until the first rock has fallen onto the plane, and those that count as settled.
const FLIGHT: usize = 80;
const SETTLED: std::ops::Range<usize> = 400..500;
/// Runs of each.
const RUNS: usize = 5;

/// What both sides simulate.
struct Scene {
    mesh: Triangles,
    positions: Vec<[f64; 3]>,
    friction: f64,
    /// Stiffness of our linear springs, and their share of the critical damping.
    stiffness: f64,
    damping: f64,
    dt: f64,
}

impl Scene {
    fn rocks() -> Scene {
        let sphere = generate::icosphere(1).expect("a sphere");
        let mut mesh = generate::bumpy(sphere, 1.2, 1).expect("a rock");
        let most = mesh.vertices.iter().map(|p| p.iter().map(|x| x * x).sum::<f64>().sqrt()).fold(0.0, f64::max);
        mesh.vertices.iter_mut().flatten().for_each(|x| *x *= 0.5 / most);
        let at = |k: usize| [(k % 10) as f64 * 1.3, (k / 10 % 10) as f64 * 1.3, 0.95 + (k / 100) as f64 * 1.3];
        Scene {
            mesh,
            positions: (0..300).map(at).collect(),
            friction: 0.5,
            stiffness: 1e4,
            damping: 0.3,
            dt: 1.0 / 240.0,
        }
    }

    fn stacks() -> Scene {
        let mesh = generate::cuboid([1.0; 3]).expect("a box");
        let at = |k: usize| {
            [(k / 20 % 4) as f64 * 3.0, (k / 80) as f64 * 3.0, 0.5 + 2.0 * HALO + (k % 20) as f64 * (1.0 + 1.98 * HALO)]
        };
        Scene {
            mesh,
            positions: (0..320).map(at).collect(),
            friction: 0.5,
            stiffness: 1e5,
            damping: 0.3,
            dt: 1.0 / 60.0,
        }
    }
}

/// Heights of bodies, and times of steps.
struct Run {
    times: Vec<f64>,
    heights: Vec<f64>,
    deepest: f64,
    contacts: usize,
}

impl Run {
    /// Time of a body and a step.
    fn time(&self, steps: std::ops::Range<usize>) -> f64 {
        let steps = &self.times[steps];
        steps.iter().sum::<f64>() / (steps.len() * self.heights.len()) as f64
    }
}

fn ours(scene: &Scene, steps: usize) -> Run {
    let shape =
        OwnedShape::new(&scene.mesh, scene.mesh.scalar(), Halo::Uniform(HALO), &Options::default()).expect("a shape");
    let mesh = shape.mesh().expect("its mesh");
    let cells = OwnedCells::new(&mesh, &CellOptions { law: Law::Auto, ..CellOptions::default() }).expect("its cells");
    let mut scratch = Memory::new(mass_scratch(&mesh.sizes).expect("sizes")).expect("memory");
    let mass: MassProperties = mass_properties(mesh, 1.0, &mut scratch).expect("a volume");
    let surface =
        Surface { mesh, tree: shape.tree().expect("its tree"), cells: cells.open().expect("cells"), solid: true };
    let parts = [Part { shape: Shape::Mesh(&surface), pose: mass.part_pose(), scale: 1.0 }];
    let shapes = [Shape::HalfSpace { halo: HALO }, Shape::Compound(&parts)];
    let table = [Interaction::new(Normal::Linear, scene.stiffness)
        .damped(Damping::Dashpot, scene.damping)
        .rough(scene.friction, 0.8)];
    let laws = Laws::new(&table).expect("a law");
    let mut world = OwnedWorld::with_executor(Box::new(Serial));
    world.set_up(&Setup { gravity: [0.0, 0.0, -GRAVITY], ..Setup::default() }).expect("a world");
    world.add(&BodyDef::new(Body::fixed(Pose::IDENTITY), 0)).expect("a plane");
    let add = |position: &[f64; 3]| -> Handle {
        let pose = Pose { position: *position, ..Pose::IDENTITY };
        world.add(&BodyDef::new(Body::new(&mass, &pose).expect("a body"), 1)).expect("room")
    };
    let handles: Vec<_> = scene.positions.iter().map(add).collect();
    let (mut times, mut deepest) = (Vec::new(), f64::INFINITY);
    for _ in 0..steps {
        let start = now();
        world.advance(scene.dt, scene.dt, &shapes, &laws).unwrap_or_else(|e| panic!("{e}"));
        times.push(now() - start);
        deepest = deepest.min(world.report().expect("a report").least_gap);
    }
    let view = world.view().expect("a world");
    let heights = handles.iter().map(|h| view.body(*h).expect("a body").position[2]).collect();
    Run { times, heights, deepest, contacts: world.report().expect("a report").contacts }
}

fn rapier(scene: &Scene, steps: usize) -> Run {
    let vector = |p: &[f64; 3]| r::Vector::new(p[0] as f32, p[1] as f32, p[2] as f32);
    let vertices: Vec<_> = scene.mesh.vertices.iter().map(vector).collect();
    let mut world = r::PhysicsWorld { gravity: vector(&[0.0, 0.0, -GRAVITY]), ..Default::default() };
    world.integration_parameters.dt = scene.dt as f32;
    let friction = scene.friction as f32;
    let up = r::Vector::new(0.0, 0.0, 1.0);
    world.insert(
        r::RigidBodyBuilder::fixed(),
        r::ColliderBuilder::new(r::SharedShape::halfspace(up)).friction(friction),
    );
    // As its users are advised for closed meshes.
    let flags = r::TriMeshFlags::FIX_INTERNAL_EDGES | r::TriMeshFlags::ORIENTED;
    let shape = r::SharedShape::trimesh_with_flags(vertices, scene.mesh.indices.clone(), flags).expect("a mesh");
    let add = |position: &[f64; 3]| {
        let body = r::RigidBodyBuilder::dynamic().translation(vector(position)).can_sleep(false);
        world.insert(body, r::ColliderBuilder::new(shape.clone()).density(1.0).friction(friction)).0
    };
    let handles: Vec<_> = scene.positions.iter().map(add).collect();
    let mut times = Vec::new();
    for _ in 0..steps {
        let start = now();
        world.step();
        times.push(now() - start);
    }
    let heights = handles.iter().map(|h| f64::from(world.bodies[*h].translation().z)).collect();
    Run { times, heights, deepest: f64::NAN, contacts: world.narrow_phase.contact_pairs().count() }
}

/// Bodies whose centre is not above the plane, or is no number.
fn escaped(run: &Run) -> usize {
    run.heights.iter().filter(|z| z.is_nan() || **z <= 0.0).count()
}

/// The whole group.
pub fn run(table: &mut Table) {
    let scene = Scene::rocks();
    let runs: Vec<_> = (0..RUNS).map(|_| [ours(&scene, 500), rapier(&scene, 500)]).collect();
    for (name, steps) in [("flight", 0..FLIGHT), ("settled", SETTLED)] {
        let [ours, peer] = [0, 1].map(|k| median(runs.iter().map(|run| run[k].time(steps.clone())).collect()));
        table.ratio(&format!("rocks_80_{name}"), ours, peer, Answer::default());
    }
    let [ours, peer] = &runs[0];
    println!(
        "info rocks_80: ours {} contacts, least gap {:.5}, {} escaped; rapier {} pairs, {} escaped",
        ours.contacts,
        ours.deepest,
        escaped(ours),
        peer.contacts,
        escaped(peer)
    );
    table.check("rocks_80 below the plane", escaped(ours), 0);
    table.check("rocks_80 sink by more than 1 % of a radius", usize::from(ours.deepest < -0.005), 0);
    stacks(table);
}

fn stacks(table: &mut Table) {
    let scene = Scene::stacks();
    let [ours, peer] = [ours(&scene, 600), rapier(&scene, 600)];
    table.ratio("stacks", ours.time(0..600), peer.time(0..600), Answer::default());
    for (name, run) in [("ours", &ours), ("rapier", &peer)] {
        let tops = run.heights.iter().skip(19).step_by(20).zip(scene.positions.iter().skip(19).step_by(20));
        let lost: Vec<_> = tops.map(|(z, start)| start[2] - z).collect();
        let standing = lost.iter().filter(|lost| **lost < 0.5).count();
        let most = lost.iter().filter(|lost| **lost < 0.5).copied().fold(0.0, f64::max);
        println!("info stacks: {name}: {standing} of 16 stand, which lost at most {most:.4} of 20");
    }
}
