//! Small scenes, whose steps should be cheap. The group `small` of the benches times them, and the program
//! `small_steps` counts their instructions.

use crate::Triangle;
use crate::contact::{Body, soup};
use crate::random::Random;
use crate::scene::{self, EPS};
use crate::vector::{add, cross, length, scale, sub};
use dem_core::array::{Array, Words};
use dem_core::body::Body as Rigid;
use dem_core::contact::shape::{Part, Shape, Surface};
use dem_core::contact::{
    CellOptions, CellsRef, Contact, ContactCounts, Corner, CornerLimits, Room, contacts, contacts_scratch,
};
use dem_core::detect::{Bodies, Detected, Scene, SceneRef, SceneSizes, Settings, detect_scratch};
use dem_core::error::Error;
use dem_core::exec::{Serial, Work};
use dem_core::force::{Damping, Interaction, Laws, Normal, dashpot};
use dem_core::memory::{ALIGN, Layout};
use dem_core::mesh::{Halo, MeshRef};
use dem_core::pose::Pose;
use dem_core::simd::Isa;
use dem_core::surrogate::{Options, TreeRef};
use dem_core::world::{BodyDef, Records, Setup, StepInputs, World, WorldSizes, world_scratch};
use dem_std::{Memory, OwnedCells, OwnedShape, Triangles, generate};
use std::path::Path;

/// Scenes, by name.
pub const NAMES: [&str; 12] =
    ["ball", "ball_of_1e6", "ten", "thousand", "grain", "rock", "grains", "pebble", "boulder", "crumb", "heap", "game"];

/// Scenes of fifty rocks, some of which touch: with their contacts; also with contacts within a margin; also with corners.
pub const ROCKS: [&str; 3] = ["rocks", "rocks_margin", "rocks_corners"];

/// The scenes on a terrain.
pub const ON_TERRAIN: [&str; 6] = ["grain", "rock", "grains", "pebble", "boulder", "crumb"];

/// Bodies, and their positions in even and in odd steps.
pub struct Small<'a> {
    shapes: Vec<Shape<'a>>,
    kinds: Vec<u32>,
    positions: [Vec<[f64; 3]>; 2],
    orientations: Option<Vec<[f64; 4]>>,
    settings: Settings,
    room: u32,
    /// Whether corners of contacts are wanted.
    corners: bool,
}

impl<'a> Small<'a> {
    /// Bodies of these shapes that move by `step` in every step; the first body stays.
    fn new(shapes: &[Shape<'a>], kinds: Vec<u32>, positions: Vec<[f64; 3]>, step: f64) -> Self {
        let mut random = Random::new(3);
        let moved = |(i, x): (usize, &[f64; 3])| match i {
            0 => *x,
            _ => add(*x, scale(step, random.direction())),
        };
        let moved = positions.iter().enumerate().map(moved).collect();
        let room = kinds.len() as u32;
        Small {
            shapes: shapes.to_vec(),
            kinds,
            positions: [positions, moved],
            orientations: None,
            settings: Settings::default(),
            room,
            corners: false,
        }
    }

    /// Solid meshes on a plane, each with its own rotation, on a lattice with this unevenness.
    fn heap(meshes: &'a [Surface<'a>], count: usize, spacing: f64, uneven: f64) -> Self {
        let mut random = Random::new(6);
        let side = (1..).find(|side| side * side * side >= count).unwrap_or(1);
        let at = |i: usize| [i % side, i / side % side, i / side / side].map(|k| spacing * (0.5 + k as f64));
        let places = (0..count).map(|i| add(at(i), random.in_cube(uneven)));
        let positions = std::iter::once([0.0; 3]).chain(places).collect();
        let shapes: Vec<_> =
            std::iter::once(Shape::HalfSpace { halo: 0.02 }).chain(meshes.iter().map(Shape::Mesh)).collect();
        let kinds = std::iter::once(0).chain((0..count).map(|i| 1 + (i % meshes.len()) as u32)).collect();
        let turned = (0..count).map(|_| random.rotation());
        let orientations = std::iter::once([0.0, 0.0, 0.0, 1.0]).chain(turned).collect();
        let mut heap = Small::new(&shapes, kinds, positions, 1e-3);
        heap.orientations = Some(orientations);
        heap.settings.room = Room { pairs: 1000, terms: 2000, segments: 200 };
        heap
    }

    /// The scene of a name of [`NAMES`]; those on a terrain need its surface. `stones` are those of [`stones`].
    pub fn named(name: &str, terrain: Option<&'a Surface<'a>>, stones: &'a [Surface<'a>]) -> Option<Self> {
        let ball = Shape::Sphere { radius: 0.5, halo: 0.01 };
        let both = [Shape::HalfSpace { halo: 0.01 }, ball];
        let row = |n: usize| (0..n).map(move |i| [0.999 * i as f64, 0.0, 0.499]);
        let on_plane = |balls: Vec<[f64; 3]>| {
            let kinds = (0..=balls.len()).map(|i| u32::from(i > 0)).collect();
            Small::new(&both, kinds, [vec![[0.0; 3]], balls].concat(), 1e-3)
        };
        let on_terrain = |shape: Shape<'a>, radius: f64, balls: usize| {
            let terrain = terrain?;
            let shapes = [Shape::Mesh(terrain), shape];
            let places = (0..balls).map(|i| rest(terrain, 200_000 + 1000 * i, 0.999 * radius));
            let kinds = (0..=balls).map(|i| u32::from(i > 0)).collect();
            Some(Small::new(&shapes, kinds, std::iter::once([0.0; 3]).chain(places).collect(), 1e-3 * radius))
        };
        match name {
            "ball" => Some(on_plane(row(1).collect())),
            "ball_of_1e6" => Some(Small { room: 1_000_000, ..on_plane(row(1).collect()) }),
            "ten" => Some(on_plane(row(9).collect())),
            "thousand" => {
                let mut random = Random::new(4);
                let at = |i: usize| [i % 10, i / 10 % 10, i / 100].map(|k| 0.499 + 0.998 * k as f64);
                Some(on_plane((0..999).map(|i| add(at(i), random.in_cube(0.004))).collect()))
            }
            "grain" => on_terrain(Shape::Sphere { radius: 1e-3, halo: 1e-5 }, 1e-3, 1),
            "rock" => on_terrain(Shape::Sphere { radius: 1.0, halo: 1e-2 }, 1.0, 1),
            "grains" => on_terrain(Shape::Sphere { radius: 1e-3, halo: 1e-5 }, 1e-3, 9),
            "pebble" => on_terrain(Shape::Mesh(stones.first()?), 1.002e-3, 1),
            "boulder" => on_terrain(Shape::Mesh(stones.get(1)?), 1.002, 1),
            "crumb" => on_terrain(Shape::Mesh(stones.get(2)?), 1.002e-3, 1),
            "heap" => Some(Small::heap(stones.get(3..4)?, 1000, 2.02, 0.03)),
            // With the data that laws of a world need: the detection in steps of a world.
            "heap_spread" => {
                let mut heap = Small::heap(stones.get(3..4)?, 1000, 2.02, 0.03);
                heap.settings.spread = true;
                Some(heap)
            }
            name if ROCKS.contains(&name) => {
                let mut rocks = Small::heap(stones.get(3..4)?, 50, 2.06, 0.03);
                rocks.settings.margin = if name == "rocks_margin" { 0.08 } else { 0.0 };
                rocks.corners = name == "rocks_corners";
                Some(rocks)
            }
            "game" => Some(Small::heap(stones.get(4..)?, 5000, 1.095, 0.03)),
            _ => None,
        }
    }

    /// Calls `each` with the number and the result of each step, after some warm-up steps.
    pub fn steps(&self, steps: usize, mut each: impl FnMut(usize, Detected)) -> Result<(), Error> {
        let many = if self.orientations.is_some() { 80 * self.room } else { (8 * self.room).min(100_000) };
        let sizes = SceneSizes {
            bodies: self.room,
            candidates: many,
            contacts: many,
            levels: 8,
            nodes: many,
            posed: 0,
            margin_contacts: if self.settings.margin > 0.0 { many } else { 0 },
        };
        let mut block = Memory::new(Scene::layout(&sizes)?)?;
        let mut scratch = Memory::new(detect_scratch(&sizes, &self.bodies(0), &self.settings, 1)?)?;
        let mut scene = Scene::init(&mut block, &sizes)?;
        let mut corners = Corners::default();
        for step in 0..steps + WARM {
            let bodies = self.bodies(step);
            let found = scene.detect(&Serial, Isa::best(), &bodies, &self.settings, &mut scratch)?;
            if self.corners {
                corners.of(&scene.as_ref(), &bodies, many)?;
            }
            if step >= WARM {
                each(step - WARM, found);
            }
        }
        Ok(())
    }

    /// As [`Small::steps`], with steps of a world with a force law, in which bodies hardly move.
    pub fn world_steps(&self, steps: usize) -> Result<(), Error> {
        let many = 80 * self.room;
        let sizes = WorldSizes {
            bodies: self.room,
            candidates: many,
            contacts: many,
            nodes: many,
            levels: 8,
            ball_pairs: many,
            ball_contacts: many,
            events: 0,
        };
        let mut block = Memory::new(World::layout(&sizes)?)?;
        let mut scratch = Memory::new(world_scratch(&sizes, &self.shapes, &self.settings, 1)?)?;
        let mut world = World::init(&mut block, &sizes)?;
        let turned = self.orientations.as_deref().unwrap_or_default();
        for (i, (position, kind)) in self.positions[0].iter().zip(&self.kinds).enumerate() {
            let orientation = turned.get(i).copied().unwrap_or(Pose::IDENTITY.orientation);
            let moving = Rigid { orientation, velocity: [1e-3, 0.0, -2e-3], ..Rigid::ball(1.0, 1.0, *position)? };
            let fixed = Rigid::fixed(Pose { position: *position, orientation });
            world.add(&BodyDef::new(if i == 0 { fixed } else { moving }, *kind))?;
        }
        let law = Interaction::new(Normal::Pressure, 1e3).damped(Damping::HuntCrossley, 1.0).rough(0.5, 0.8);
        let (table, settings) = ([law], self.settings);
        let laws = Laws::new(&table)?;
        let drive = StepInputs { shapes: &self.shapes, exec: &Serial, isa: Isa::best(), settings, law: &laws };
        world.advance(1e-6 * (steps + WARM) as f64, 1e-6, &drive, &mut scratch)
    }

    fn bodies(&self, step: usize) -> Bodies<'_> {
        let positions = Array::from_f64(&self.positions[step % 2]);
        let orientations = self.orientations.as_deref().map(Array::from_quaternions);
        Bodies { orientations, ..Bodies::new(&self.shapes, Words::from_slice(&self.kinds), positions) }
    }
}

/// Steps of a world of a thousand balls, packed in a periodic box, with friction, in a single window without records.
pub fn steps_of_balls(steps: usize) -> Result<(), Error> {
    let shapes = [Shape::Sphere { radius: 0.5 - PACKED_HALO, halo: PACKED_HALO }];
    let ball = Rigid::ball(0.5, 1.0, [0.0; 3])?;
    let law = Interaction::new(Normal::Linear, 1e4).damped(Damping::Dashpot, dashpot(0.5)).rough(0.5, 2.0 / 7.0);
    packed(steps, &shapes, (10, 0.985), |_| ball, &Interaction { torsion: 0.0, ..law }).map(|_| ())
}

/// The same for 216 compounds of four balls each, in windows with records at the end. Gives the final number of contacts.
pub fn steps_of_clumps(steps: usize) -> Result<usize, Error> {
    let far = 0.25;
    let parts = [[1.0, 1.0, 1.0], [1.0, -1.0, -1.0], [-1.0, 1.0, -1.0], [-1.0, -1.0, 1.0]].map(|corner| Part {
        shape: Shape::Sphere { radius: 0.5 - PACKED_HALO, halo: PACKED_HALO },
        pose: Pose { position: scale(far, corner), ..Pose::IDENTITY },
        scale: 1.0,
    });
    let ball = Rigid::ball(0.8, 1.0, [0.0; 3])?;
    let mut random = Random::new(5);
    let clump = |_| Rigid { orientation: random.rotation(), ..ball };
    let law = Interaction::new(Normal::Pressure, 2e4).damped(Damping::Dashpot, dashpot(0.5)).rough(0.5, 2.0 / 7.0);
    packed(steps, &[Shape::Compound(&parts)], (6, 1.4), clump, &law)
}

/// Computes the contacts of two meshes `times` times: of two touching rocks, or of two boxes that lie on each other. Gives their number.
pub fn contacts_of_two(scene: &scene::Scene, times: usize) -> Result<usize, Error> {
    let (a, b) = (Body::new(&scene.a, EPS), Body::new(&scene.b, EPS));
    let (a, b) = (a.side(&scene.pose_a), b.side(&scene.pose_b));
    let room = Room { pairs: 30_000, terms: 60_000, segments: 10_000 };
    let mut scratch = Memory::new(contacts_scratch(&a, &b, room, 1)?)?;
    let mut out = vec![Contact::default(); 30_000];
    let mut found = ContactCounts::default();
    for _ in 0..times + WARM {
        found = contacts(Work::new(&Serial, Isa::best(), &mut scratch), &a, &b, 0, room, &mut out)?;
    }
    Ok(found.contacts)
}

/// The halos of packed bodies.
const PACKED_HALO: f64 = 0.05;

/// Steps of bodies on a cubic lattice with this spacing, in a periodic box. Gives the number of contacts with records.
fn packed(
    steps: usize,
    shapes: &[Shape<'_>],
    (side, spacing): (usize, f64),
    mut body: impl FnMut(usize) -> Rigid,
    law: &Interaction,
) -> Result<usize, Error> {
    let many = side * side * side;
    let has_records = matches!(shapes, [Shape::Compound(_)]);
    let records = if has_records { 40 * many as u32 } else { 0 };
    let sizes = WorldSizes {
        bodies: many as u32,
        candidates: records,
        contacts: records,
        nodes: records,
        levels: 8,
        ball_pairs: if has_records { 20_000 } else { 10_000 },
        ball_contacts: if has_records { 20_000 } else { 5000 },
        events: 0,
    };
    let settings = Settings { skin: 0.1, ..Settings::default() };
    let mut block = Memory::new(World::layout(&sizes)?)?;
    let mut scratch = Memory::new(world_scratch(&sizes, shapes, &settings, 1)?)?;
    let mut world = World::init(&mut block, &sizes)?;
    world.keep_records(if has_records { Records::Last } else { Records::None })?;
    let mut random = Random::new(3);
    world.set_up(&Setup { periods: [spacing * side as f64; 3], ..Setup::default() })?;
    for i in 0..many {
        let at = [i / (side * side), i / side % side, i % side].map(|k| spacing * (0.5 + k as f64));
        let position = add(at, random.in_cube(0.03));
        let (velocity, angular_velocity) = (random.in_cube(2.0), random.in_cube(2.0));
        world.add(&BodyDef::new(Rigid { position, velocity, angular_velocity, ..body(i) }, 0))?;
    }
    let table = [*law];
    let laws = Laws::new(&table)?;
    let drive = StepInputs { shapes, exec: &Serial, isa: Isa::best(), settings, law: &laws };
    world.advance(1e-3 * (steps + WARM) as f64, 1e-3, &drive, &mut scratch)?;
    Ok(world.as_ref().scene().now().contacts().len())
}

/// Corners of all contacts, in memory that is reused.
#[derive(Default)]
struct Corners {
    out: Vec<Corner>,
    scratch: Memory,
}

impl Corners {
    fn of(&mut self, scene: &SceneRef<'_>, bodies: &Bodies<'_>, most: u32) -> Result<usize, Error> {
        let limits = CornerLimits { pairs: 1000, ..CornerLimits::default() };
        self.out.resize(most as usize, Corner::default());
        let needs = scene.corners_scratch(bodies, limits, self.out.len(), 1)?;
        if self.scratch.len() < needs.size {
            self.scratch = Memory::new(needs)?;
        }
        scene.corners(&Serial, Isa::best(), bodies, limits, &mut self.out, &mut self.scratch)
    }
}

/// Number of warm-up steps.
const WARM: usize = 4;

/// A ground of a million triangles on a square kilometre.
pub struct Terrain {
    mesh: Memory,
    tree: Memory,
    cells: Memory,
}

impl Terrain {
    /// The terrain, built once and cached in files of this folder.
    pub fn kept(folder: &Path) -> std::io::Result<Self> {
        let names = ["mesh", "tree", "cells"];
        if let Ok([mesh, tree, cells]) = try_all(names, |name| std::fs::read(folder.join(name))) {
            let [mesh, tree, cells] = [mesh, tree, cells].map(|bytes| memory(&bytes));
            let kept = Terrain { mesh, tree, cells };
            // Files from another version of the library are ignored.
            if kept.open().is_ok() {
                return Ok(kept);
            }
        }
        let shape = OwnedShape::new(&hills(), dem_core::array::Scalar::F64, Halo::Uniform(0.0), &Options::default());
        let shape = shape.unwrap_or_else(|e| panic!("{e}"));
        let cells = shape.mesh().and_then(|mesh| OwnedCells::new(&mesh, &CellOptions::default()));
        let cells = cells.unwrap_or_else(|e| panic!("{e}"));
        let [mesh, tree] = shape.blocks();
        std::fs::create_dir_all(folder)?;
        for (name, bytes) in names.iter().zip([mesh, tree, cells.block()]) {
            std::fs::write(folder.join(name), bytes)?;
        }
        Ok(Terrain { mesh: memory(mesh), tree: memory(tree), cells: memory(cells.block()) })
    }

    /// The surface with mesh, tree and cells.
    pub fn surface(&self) -> Surface<'_> {
        self.open().unwrap_or_else(|e| panic!("{e}"))
    }

    fn open(&self) -> Result<Surface<'_>, Error> {
        let (mesh, tree) = (MeshRef::open(&self.mesh)?, TreeRef::open(&self.tree)?);
        Ok(Surface { mesh, tree, cells: CellsRef::open(&self.cells)?, solid: false })
    }
}

/// A point at this height above the middle of a triangle.
fn rest(terrain: &Surface<'_>, triangle: usize, height: f64) -> [f64; 3] {
    let [a, b, c] = terrain.mesh.triangle(triangle);
    let across = cross(sub(b, a), sub(c, a));
    let up = scale(1.0 / length(across), across);
    let middle = scale(1.0 / 3.0, add(add(a, b), c));
    add(middle, scale(if up[2] < 0.0 { -height } else { height }, up))
}

/// Stones: one of a millimetre and one of a metre, each with a thousand triangles; one of a millimetre and one of a metre, each with 80 triangles,
/// the latter uneven; then twenty of half a metre with 112 triangles, as varied as those of a game.
pub fn stones() -> Vec<Body> {
    let sphere = |times| generate::icosphere(times).unwrap_or_else(|e| panic!("{e}"));
    let plain = [(1e-3, 3), (1.0, 3), (1e-3, 1)].map(|(radius, times)| {
        let mut mesh = sphere(times);
        mesh.vertices.iter_mut().for_each(|x| *x = scale(radius, *x));
        Body::new(&soup(&mesh), 1e-2 * radius)
    });
    let uneven = generate::bumpy(sphere(1), 1.1, 1).unwrap_or_else(|e| panic!("{e}"));
    let uneven = std::iter::once(Body::new(&soup(&uneven), 0.02));
    plain.into_iter().chain(uneven).chain((0..20).map(|kind| Body::new(&bumps(f64::from(kind)), 0.02))).collect()
}

/// A ball of eight meridians, each of them bent by waves.
fn bumps(kind: f64) -> Vec<Triangle> {
    let mut mesh = generate::uv_sphere(8, 8).unwrap_or_else(|e| panic!("{e}"));
    for x in &mut mesh.vertices {
        let wave = ((2.0 + kind % 4.0) * x[2]).sin() * ((1.0 + kind % 3.0) * x[0]).cos();
        *x = scale(0.5 * (1.0 + 0.2 * wave + 0.05 * (kind * x[1]).cos()), *x);
    }
    soup(&mesh)
}

/// A plate with hills of some tens of metres.
fn hills() -> Triangles {
    let mut plate = generate::plate([708; 2], [1000.0; 2]).unwrap_or_else(|e| panic!("{e}"));
    for [x, y, z] in &mut plate.vertices {
        *z = 20.0 * (0.013 * *x).sin() * (0.017 * *y).cos() + 2.0 * (0.11 * *x + 0.07 * *y).sin();
    }
    plate
}

fn memory(bytes: &[u8]) -> Memory {
    let mut memory = Memory::new(Layout { size: bytes.len(), align: ALIGN }).unwrap_or_else(|e| panic!("{e}"));
    memory.copy_from_slice(bytes);
    memory
}

fn try_all<T, E>(names: [&str; 3], of: impl Fn(&str) -> Result<T, E>) -> Result<[T; 3], E> {
    let [a, b, c] = names.map(of);
    Ok([a?, b?, c?])
}
