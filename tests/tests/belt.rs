//! Walls whose vertices move by themselves, in worlds: laws see how surfaces move.

use dem_core::array::Array;
use dem_core::body::Body;
use dem_core::broad::Motion;
use dem_core::contact::shape::{Part, Shape};
use dem_core::detect::Wrench;
use dem_core::detect::laws::{ContactInput, ContactResponse};
use dem_core::detect::surfaces::MovingSurface;
use dem_core::error::{Kind, What};
use dem_core::exec::{Executor, Serial};
use dem_core::force::{Damping, Interaction, Laws, Normal};
use dem_core::pose::Pose;
use dem_core::world::{BodyDef, Handle, Law, PollResult, Setup, StepOptions, WithSurfaces};
use dem_std::{OwnedWorld, Threads};
use dem_tests::contact::{self, cuboid};
use dem_tests::random::Random;
use dem_tests::shapes::{sphere, surface};
use dem_tests::vector::{add, cross, length, rotate, scale, sub};
use dem_tests::walls;

const HALO: f64 = 0.01;
const G: f64 = 10.0;

fn rough(friction: f64) -> [Interaction; 1] {
    [Interaction {
        lag: 1e-3,
        ..Interaction::new(Normal::Pressure, 2e6).damped(Damping::Dashpot, 0.5).rough(friction, 0.8)
    }]
}

/// A wall, and a crowd on it: boxes and balls.
struct Scene {
    wall: contact::Body,
    block: contact::Body,
    pose: Pose,
    size: f64,
}

impl Scene {
    fn new() -> Scene {
        let (wall, block) = (walls::irregular(300, 3.0, 8), cuboid([0.6, 0.5, 0.4]));
        let pose = Pose { position: [0.3, -0.1, 0.2], orientation: [0.1, -0.2, 0.3, 0.927_361_849_549_570_4] };
        Scene {
            wall: contact::Body::conservative(&wall, HALO),
            block: contact::Body::conservative(&block, HALO),
            pose,
            size: 1.25,
        }
    }

    /// The world with a wall that is at rest, or moves as a whole like this: velocity of its origin, and spin.
    fn world(&self, exec: Box<dyn Executor + Send>, moving: Option<[[f64; 3]; 2]>) -> (OwnedWorld, Vec<Handle>) {
        let mut world = OwnedWorld::with_executor(exec);
        world.set_up(&Setup { gravity: rotate(self.pose.orientation, [0.0, 0.0, -G]), ..Setup::default() }).unwrap();
        let at_rest = Body::fixed(self.pose);
        let wall = match moving {
            Some([velocity, angular_velocity]) => {
                Body { velocity, angular_velocity, motion: Motion::Kinematic as u32, ..at_rest }
            }
            None => at_rest,
        };
        let place = |x: f64, y: f64, z: f64| add(self.pose.position, rotate(self.pose.orientation, [x, y, z]));
        let mut add = |body, shape, scale| world.add(&BodyDef { scale, ..BodyDef::new(body, shape) }).unwrap();
        let mut handles = vec![add(wall, 0, self.size)];
        for i in 0..9 {
            let (x, y) = (f64::from(i % 3) - 1.0, f64::from(i / 3) - 1.0);
            // Halos of the wall are as large as the wall.
            let lie = |height: f64| place(x, y, height + 0.3 * HALO + HALO * self.size);
            let body = match i % 2 {
                0 => Body {
                    mass: 100.0,
                    moments: [4.0, 4.5, 5.0],
                    position: lie(0.2),
                    orientation: self.pose.orientation,
                    ..Body::ball(1.0, 1.0, [0.0; 3]).unwrap()
                },
                _ => Body::ball(0.2, 2000.0, lie(0.2)).unwrap(),
            };
            handles.push(add(body, 1 + i % 2, 1.0));
        }
        (world, handles)
    }
}

/// Velocities of vertices as those of a body that moves as a whole, in the frame and the units of the mesh, which has this pose in the frame of the body.
fn rigid(scene: &Scene, frame: &Pose, moving: [[f64; 3]; 2]) -> Vec<[f64; 3]> {
    let mesh = scene.wall.shape.mesh().unwrap();
    let back = |[x, y, z, w]: [f64; 4], v| rotate([-x, -y, -z, w], v);
    let [velocity, spin] = moving.map(|v| back(scene.pose.orientation, v));
    let mut velocities = vec![[0.0; 3]; mesh.weld.len()];
    for (i, vertices) in mesh.vertex.iter().enumerate() {
        for (corner, vertex) in mesh.triangle(i).into_iter().zip(vertices) {
            let place = scale(scene.size, add(frame.position, rotate(frame.orientation, corner)));
            let v = add(velocity, cross(spin, place));
            velocities[*vertex as usize] = scale(1.0 / scene.size, back(frame.orientation, v));
        }
    }
    velocities
}

/// Of the mesh of a wall in its frame, where it is not the same.
const ASIDE: Pose = Pose { position: [0.1, -0.2, 0.0], orientation: [0.0, 0.0, 0.6, 0.8] };

fn step<L: Law>(world: &mut OwnedWorld, shapes: &[Shape<'_>], law: &L, dt: f64) -> Vec<Wrench> {
    world.advance(dt, dt, shapes, law).unwrap();
    world.view().unwrap().wrenches().to_vec()
}

/// Whether forces and torques of two worlds are the same, but for rounding.
fn assert_same(found: &[Wrench], expected: &[Wrench], name: &str) {
    let most = expected.iter().fold(0.0f64, |most, w| most.max(length(w.force)));
    assert!(most > 1.0);
    for (i, (a, b)) in found.iter().zip(expected).enumerate() {
        let off = length(sub(a.force, b.force)).max(length(sub(a.torque, b.torque)));
        assert!(off < 1e-11 * most, "{name}, body {i}: {a:?} {b:?}");
    }
}

/// Velocity and spin of the wall, about any axis.
fn moving_of(scene: &Scene, spin: f64) -> [[f64; 3]; 2] {
    [[0.7, -0.2, 0.1], rotate(scene.pose.orientation, [-0.7 * spin, 0.5 * spin, spin])]
}

/// A motion in its plane: wherever the wall goes, there is still wall below all bodies, and its points move there as before.
fn moving_along(scene: &Scene, spin: f64) -> [[f64; 3]; 2] {
    let velocity = if spin == 0.0 { [0.7, -0.2, 0.0] } else { [0.0; 3] };
    [velocity, [0.0, 0.0, spin]].map(|v| rotate(scene.pose.orientation, v))
}

/// A wall at rest whose vertices move as those of a rigid body is, for all laws, that body. So it is for springs, and for the place where they hold, as long as it lasts.
#[test]
fn vertices_that_move_as_a_body_are_that_body() {
    let scene = Scene::new();
    let (wall, block) = (surface(&scene.wall, false), surface(&scene.block, true));
    let mut worst = 0.0f64;
    for (name, frame) in [("mesh", Pose::IDENTITY), ("with a pose", ASIDE)] {
        // The wall itself is the same in both worlds.
        let part = [Part { shape: Shape::Mesh(&wall), pose: frame, scale: 1.0 }];
        let own = if name == "mesh" { Shape::Mesh(&wall) } else { Shape::Compound(&part) };
        let shapes = [own, Shape::Mesh(&block), sphere(0.2, HALO)];
        let dt = 1e-4;
        for (spin, torsion) in [(0.0, 1.0), (0.4, 0.0), (0.4, 1.0)] {
            let [whole, along] = [moving_of(&scene, spin), moving_along(&scene, spin)];
            let [velocities, own] = [whole, along].map(|whole| rigid(&scene, &frame, whole));
            let [moving, sliding] = [&velocities, &own].map(|velocities| {
                let velocities = Array::from_f64(velocities);
                [MovingSurface { body: 0, mesh: wall.mesh, tree: wall.tree, frame, scale: scene.size, velocities }]
            });
            for (damped, damping) in [(Damping::Dashpot, 0.5), (Damping::HuntCrossley, 2.0)] {
                let table = [Interaction { damped: damped as u32, damping, torsion, ..rough(0.4)[0] }];
                let laws = Laws::new(&table).unwrap();
                let law = WithSurfaces { law: &laws, surfaces: &moving };
                let new = |moving| scene.world(Box::new(Serial), moving).0;
                let still = step(&mut new(None), &shapes, &laws, dt);
                let found = step(&mut new(None), &shapes, &law, dt);
                assert_same(&found, &step(&mut new(Some(whole)), &shapes, &laws, dt), name);
                assert!(found.iter().zip(&still).any(|(a, b)| length(sub(a.force, b.force)) > 1.0));
                let law = WithSurfaces { law: &laws, surfaces: &sliding };
                let (mut belt, mut body) = (new(None), new(Some(along)));
                for _ in 0..20 {
                    let (found, expected) = (step(&mut belt, &shapes, &law, dt), step(&mut body, &shapes, &laws, dt));
                    // Torques on the wall are about where it is.
                    let most = expected.iter().fold(0.0f64, |most, w| most.max(length(w.force)));
                    for (a, b) in found.iter().zip(&expected).skip(1) {
                        let off = length(sub(a.force, b.force)).max(length(sub(a.torque, b.torque)));
                        worst = worst.max(off / most);
                    }
                }
                let report = belt.report().unwrap();
                assert!(report.contacts >= 9 && report.stored_tangential > 0.0, "{report:?}");
            }
        }
    }
    println!("worst {worst:e}");
    // The way of a step is a chord of the body, and a tangent of its vertices.
    assert!(worst < 2e-8, "{worst:e}");
}

/// No bit depends on threads, windows, or on who asks for velocities.
#[test]
fn threads_and_the_law_of_a_host_see_the_same() {
    let scene = Scene::new();
    let (wall, block) = (surface(&scene.wall, false), surface(&scene.block, true));
    let shapes = [Shape::Mesh(&wall), Shape::Mesh(&block), sphere(0.2, HALO)];
    let mut random = Random::new(4);
    let velocities: Vec<_> = (0..wall.mesh.weld.len()).map(|_| random.in_cube(1.0)).collect();
    let array = Array::from_f64(&velocities);
    let moving = [MovingSurface {
        body: 0,
        mesh: wall.mesh,
        tree: wall.tree,
        frame: Pose::IDENTITY,
        scale: scene.size,
        velocities: array,
    }];
    let table = rough(0.4);
    let laws = Laws::new(&table).unwrap();
    let law = WithSurfaces { law: &laws, surfaces: &moving };
    let state = |exec: Box<dyn Executor + Send>, parts: u32| {
        let (mut world, _) = scene.world(exec, None);
        for _ in 0..parts {
            world.advance(0.02 / f64::from(parts), 1e-4, &shapes, &law).unwrap();
        }
        world.view().unwrap().state_hash()
    };
    let one = state(Box::new(Serial), 1);
    assert_eq!(one, state(Box::new(Threads::new(2).unwrap()), 1));
    assert_eq!(one, state(Box::new(Threads::new(3).unwrap()), 1));

    // Forces are all that a law tells of the velocities that it sees.
    let tell =
        |at: &ContactInput<'_, 5>| ContactResponse { force: at.velocity, torque: at.spin, springs: [[0.0; 3]; 5] };
    let (mut one, _) = scene.world(Box::new(Serial), None);
    one.advance(1e-9, 1e-9, &shapes, &WithSurfaces { law: &tell, surfaces: &moving }).unwrap();
    let told = one.view().unwrap().acts().to_vec();
    let (mut other, _) = scene.world(Box::new(Serial), None);
    other.begin(&StepOptions { law: true, ..StepOptions::new(1e-9) }).unwrap();
    assert_eq!(other.poll(&shapes, &law).unwrap(), PollResult::Law);
    let met = other.with_law(|host| host.meets.to_vec()).unwrap();
    assert!(told.len() >= 9 && told == met, "{told:?} {met:?}");
}

/// What is wrong with a surface is told with its place, and the step goes on when it is mended.
#[test]
fn what_is_wrong_with_a_surface_is_told() {
    let scene = Scene::new();
    let (wall, block) = (surface(&scene.wall, false), surface(&scene.block, true));
    let shapes = [Shape::Mesh(&wall), Shape::Mesh(&block), sphere(0.2, HALO)];
    let good = rigid(&scene, &Pose::IDENTITY, moving_of(&scene, 0.4));
    let mut wrong = good.clone();
    wrong[7][1] = f64::NAN;
    let table = rough(0.4);
    let laws = Laws::new(&table).unwrap();
    let surface_of = |velocities| MovingSurface {
        body: 0,
        mesh: wall.mesh,
        tree: wall.tree,
        frame: Pose::IDENTITY,
        scale: scene.size,
        velocities,
    };
    let fine = surface_of(Array::from_f64(&good));
    let cases = [
        (surface_of(Array::from_f64(&wrong)), Kind::NotFinite),
        (surface_of(Array::from_f64(&good[1..])), Kind::Mismatch),
        (MovingSurface { body: 99, ..fine }, Kind::BadIndex),
        (MovingSurface { scale: -1.0, ..fine }, Kind::OutOfRange),
    ];
    for (bad, kind) in cases {
        let (mut world, _) = scene.world(Box::new(Serial), None);
        let (mut mended, _) = scene.world(Box::new(Serial), None);
        let list = [fine, bad];
        world.begin(&StepOptions::new(1e-4)).unwrap();
        let law = WithSurfaces { law: &laws, surfaces: &list };
        assert_eq!(world.poll(&shapes, &law).unwrap(), PollResult::More);
        let error = world.poll(&shapes, &law).unwrap_err();
        assert_eq!((error.kind, error.what, error.index), (kind, What::Surfaces, 1), "{error}");
        let few = &list[..1];
        let law = WithSurfaces { law: &laws, surfaces: &few };
        while world.poll(&shapes, &law).unwrap() != PollResult::Done {}
        world.accept().unwrap();
        step(&mut mended, &shapes, &law, 1e-4);
        let hash = |world: &OwnedWorld| world.view().unwrap().wrenches().to_vec();
        assert_eq!(hash(&world), hash(&mended));
    }
}

/// A box on a belt: friction takes it along until it moves as the belt does.
#[test]
fn a_belt_takes_a_box_along() {
    let (mu, speed, time) = (0.3, 0.5, 0.6);
    let wall = contact::Body::conservative(&walls::regular(8, 2.0), HALO);
    let block = contact::Body::conservative(&cuboid([0.4, 0.4, 0.2]), HALO);
    let (wall, block) = (surface(&wall, false), surface(&block, true));
    let shapes = [Shape::Mesh(&wall), Shape::Mesh(&block)];
    let velocities = vec![[speed, 0.0, 0.0]; wall.mesh.weld.len()];
    let moving = [MovingSurface {
        body: 0,
        mesh: wall.mesh,
        tree: wall.tree,
        frame: Pose::IDENTITY,
        scale: 1.0,
        velocities: Array::from_f64(&velocities),
    }];
    let table = rough(mu);
    let laws = Laws::new(&table).unwrap();
    let law = WithSurfaces { law: &laws, surfaces: &moving };
    let mut world = OwnedWorld::with_executor(Box::new(Serial));
    world.set_up(&Setup { gravity: [0.0, 0.0, -G], ..Setup::default() }).unwrap();
    world.add(&BodyDef::new(Body::fixed(Pose::IDENTITY), 0)).unwrap();
    let (mass, height) = (32.0, 0.1 + 1.99 * HALO);
    let body = Body { mass, moments: [0.53, 0.53, 0.85], ..Body::ball(1.0, 1.0, [-0.2, 0.1, height]).unwrap() };
    let handle = world.add(&BodyDef::new(body, 1)).unwrap();
    world.advance(time, 1e-4, &shapes, &law).unwrap();
    let end = world.view().unwrap().body(handle).unwrap();
    let expected = speed * time - speed * speed / (2.0 * mu * G);
    let off = (end.position[0] + 0.2) / expected - 1.0;
    println!("off by {off:e}, {end:?}");
    assert!(off.abs() < 5e-3 && (end.velocity[0] / speed - 1.0).abs() < 1e-3, "{off} {end:?}");
}
