//! Velocities at all contacts of a scene, which equal those of single body pairs, and loads of vertices.

use dem_core::array::{Array, Words};
use dem_core::contact::regions::Grouping;
use dem_core::contact::shape::{Part, Shape};
use dem_core::contact::{SurfaceMotion, Vertices, positions, relative_velocities, velocities_scratch};
use dem_core::detect::surfaces::{Motions, MovingSurface, velocities};
use dem_core::detect::{Bodies, SceneRef};
use dem_core::error::{Kind, What};
use dem_core::exec::{Executor, Serial};
use dem_core::narrow::Operand;
use dem_core::pose::Pose;
use dem_core::simd::Isa;
use dem_std::{Memory, OwnedScene, Threads};
use dem_tests::crowd::{Crowd, Stock, parts, shapes};
use dem_tests::random::Random;
use dem_tests::shapes::sphere;
use dem_tests::vector::{add, dot, length, rotate, scale, sub};

/// How a crowd moves: every body turns, and every mesh of it has vertices that move by themselves.
struct Moving {
    velocities: Vec<[f64; 3]>,
    spins: Vec<[f64; 3]>,
    centres: Vec<[f64; 3]>,
    /// For each body what its vertices do; nothing for what is no mesh.
    vertices: Vec<Vec<[f64; 3]>>,
}

impl Moving {
    fn new(crowd: &Crowd, shapes: &[Shape<'_>]) -> Moving {
        let mut random = Random::new(7);
        let mut each = |centre: [f64; 3], reach| {
            let v: Vec<_> = crowd.positions.iter().map(|p| [0, 1, 2].map(|k| centre[k] * p[k])).collect();
            v.into_iter().map(|v| dem_tests::vector::add(v, random.in_cube(reach))).collect::<Vec<_>>()
        };
        let (velocities, spins, centres) = (each([0.0; 3], 1.0), each([0.0; 3], 2.0), each([1.0; 3], 0.1));
        let of_mesh = |kind: &u32| match shapes[*kind as usize] {
            Shape::Mesh(surface) => (0..surface.mesh.weld.len()).map(|_| random.in_cube(3.0)).collect(),
            _ => Vec::new(),
        };
        Moving { velocities, spins, centres, vertices: crowd.kinds.iter().map(of_mesh).collect() }
    }

    fn motions(&self) -> Motions<'_> {
        let [velocities, spins, centres] =
            [&self.velocities, &self.spins, &self.centres].map(|v| Some(Array::from_f64(v)));
        Motions { velocities, spins, centres }
    }

    fn surface<'s>(&'s self, crowd: &Crowd, shapes: &[Shape<'s>], i: usize) -> Option<MovingSurface<'s>> {
        let Shape::Mesh(surface) = shapes[crowd.kinds[i] as usize] else { return None };
        let velocities = Array::from_f64(&self.vertices[i]);
        Some(MovingSurface {
            body: i as u32,
            mesh: surface.mesh,
            tree: surface.tree,
            frame: Pose::IDENTITY,
            scale: crowd.scales[i],
            velocities,
        })
    }

    /// Velocities by the library for the whole scene.
    fn all(&self, exec: &dyn Executor, view: &SceneRef<'_>, crowd: &Crowd, shapes: &[Shape<'_>]) -> Vec<[f64; 3]> {
        let mut out = vec![[f64::NAN; 3]; view.now().contacts().len()];
        velocities(exec, view, &self.motions(), &mut out).unwrap();
        for surface in (0..crowd.kinds.len()).filter_map(|i| self.surface(crowd, shapes, i)) {
            let mut scratch = Memory::new(surface.scratch(out.len(), exec.width()).unwrap()).unwrap();
            surface.add(exec, Isa::best(), view, &mut out, &mut scratch).unwrap();
        }
        out
    }

    /// Velocities by the library, one body pair after the other.
    fn slow(&self, view: &SceneRef<'_>, crowd: &Crowd, shapes: &[Shape<'_>]) -> Vec<[f64; 3]> {
        let mut out = vec![[f64::NAN; 3]; view.now().contacts().len()];
        for pair in view.now().pairs() {
            let moved = [0, 1, 2].map(|k| f64::from(pair.shift[k]) * crowd.periods[k]);
            let pose = |i: usize, by: [f64; 3]| Pose {
                position: [0, 1, 2].map(|k| crowd.positions[i][k] + by[k]),
                orientation: crowd.orientations[i],
            };
            let (a, b) = (pair.a as usize, pair.b as usize);
            let (pose_a, pose_b) = (pose(a, [0.0; 3]), pose(b, moved));
            let [a, b] = [(a, &pose_a, [0.0; 3]), (b, &pose_b, moved)].map(|(i, pose, by)| SurfaceMotion {
                velocity: self.velocities[i],
                spin: self.spins[i],
                centre: [0, 1, 2].map(|k| self.centres[i][k] + by[k]),
                vertices: self.surface(crowd, shapes, i).map(|s| Vertices {
                    operand: Operand { mesh: s.mesh, tree: s.tree, pose, scale: s.scale },
                    velocities: Array::from_f64(&self.vertices[i]),
                }),
            });
            let range = pair.first as usize..pair.end as usize;
            let at = positions(&view.now().contacts()[range.clone()]);
            let mut scratch = Memory::new(velocities_scratch(&a, &b).unwrap()).unwrap();
            relative_velocities(Isa::best(), &a, &b, at, &mut out[range], &mut scratch).unwrap();
        }
        out
    }
}

#[test]
fn velocities_are_those_of_one_body_pair_after_the_other() {
    let stock = Stock::new();
    let surfaces = stock.surfaces();
    let parts = parts(&surfaces);
    let shapes = shapes(&surfaces, &parts);
    let mut images = 0;
    for (seed, n, half, periods) in [(1, 300, 4.0, [0.0; 3]), (2, 120, 4.0, [8.0, 7.0, 9.0])] {
        let crowd = Crowd { periods, ..Crowd::new(n, half, seed) };
        let moving = Moving::new(&crowd, &shapes);
        let mut scene = OwnedScene::new(Threads::new(1).unwrap());
        scene.settings.periods = periods;
        // Many contacts.
        scene.settings.grouping = Grouping::PATCHES;
        scene.detect(&crowd.bodies(&shapes, true)).unwrap();
        let view = scene.view().unwrap();
        images += view.now().pairs().iter().filter(|c| c.shift != [0; 3]).count();
        let (found, expected) = (moving.all(&Serial, &view, &crowd, &shapes), moving.slow(&view, &crowd, &shapes));
        // More contacts than a thread looks at at a time.
        assert!(found.len() > 2048, "{}", found.len());
        for (i, (v, e)) in found.iter().zip(&expected).enumerate() {
            assert!(length(sub(*v, *e)) < 1e-9 * (1.0 + length(*e)), "{seed}, contact {i}: {v:?} {e:?}");
        }
        assert_eq!(found, moving.all(&Threads::new(3).unwrap(), &view, &crowd, &shapes), "threads change no bit");
    }
    assert!(images > 20, "{images}");
}

/// An executor that claims to have `usize::MAX` threads.
struct Boast;

impl Executor for Boast {
    fn width(&self) -> usize {
        usize::MAX
    }

    fn run(&self, threads: usize, thread: &(dyn Fn(usize) + Sync)) {
        (0..threads).for_each(thread);
    }
}

#[test]
fn a_wall_that_touches_thousands_is_felt_by_all_of_them() {
    let stock = Stock::new();
    let surfaces = stock.surfaces();
    let shapes = [Shape::Mesh(&surfaces[1]), sphere(0.05, 0.1)];
    const N: usize = 2500;
    let places = (0..N).map(|i| [-2.5 + 0.1 * (i % 50) as f64, -2.5 + 0.1 * (i / 50) as f64, 0.1]);
    let balls: Vec<_> = places.collect();
    for wall in [0, N / 3, N] {
        let mut positions = balls.clone();
        positions.insert(wall, [0.0; 3]);
        let kinds: Vec<_> = (0..=N).map(|i| u32::from(i != wall)).collect();
        // Balls do not meet each other.
        let groups: Vec<_> = kinds.iter().map(|kind| 1 << kind).collect();
        let masks: Vec<_> = kinds.iter().map(|kind| 2 >> kind).collect();
        let words = Words::from_slice;
        let bodies = Bodies {
            groups: Some(words(&groups)),
            masks: Some(words(&masks)),
            ..Bodies::new(&shapes, words(&kinds), Array::from_f64(&positions))
        };
        let mut scene = OwnedScene::new(Threads::new(1).unwrap());
        assert_eq!(scene.detect(&bodies).unwrap().contacts, N);
        let view = scene.view().unwrap();
        let stretched = |[x, y, _]: [f64; 3]| [x - y, 2.0 * y, 0.5 * x];
        let mesh = surfaces[1].mesh;
        // A vertex is that of some triangle's corner.
        let mut own = vec![[0.0; 3]; mesh.weld.len()];
        for (i, corners) in mesh.vertex.iter().enumerate() {
            corners.iter().zip(mesh.triangle(i)).for_each(|(v, at)| own[*v as usize] = stretched(at));
        }
        let velocities = Array::from_f64(&own);
        let surface = MovingSurface {
            body: wall as u32,
            mesh,
            tree: surfaces[1].tree,
            frame: Pose::IDENTITY,
            scale: 1.0,
            velocities,
        };
        let exec = Threads::new(2).unwrap();
        let mut scratch = Memory::new(surface.scratch(N, 2).unwrap()).unwrap();
        let mut out = vec![[0.0; 3]; N];
        surface.add(&exec, Isa::best(), &view, &mut out, &mut scratch).unwrap();
        let mut again = vec![[0.0; 3]; N];
        surface.add(&Boast, Isa::best(), &view, &mut again, &mut scratch).unwrap();
        assert_eq!(again, out);
        for (pair, v) in view.now().pairs().iter().zip(&out) {
            let (ball, sign) = if pair.a as usize == wall { (pair.b, 1.0) } else { (pair.a, -1.0) };
            let expected = stretched(positions[ball as usize]).map(|x| sign * x);
            assert!(length(sub(*v, expected)) < 1e-12, "{wall}, {pair:?}: {v:?} {expected:?}");
        }
    }
}

#[test]
fn what_is_wrong_is_named_and_writes_nothing() {
    let stock = Stock::new();
    let surfaces = stock.surfaces();
    let parts = parts(&surfaces);
    let shapes = shapes(&surfaces, &parts);
    let crowd = Crowd::new(60, 2.0, 3);
    let mut moving = Moving::new(&crowd, &shapes);
    let mut scene = OwnedScene::new(Threads::new(1).unwrap());
    let count = scene.detect(&crowd.bodies(&shapes, true)).unwrap().contacts;
    let view = scene.view().unwrap();
    let mut out = vec![[7.0; 3]; count];
    let e = velocities(&Serial, &view, &moving.motions(), &mut out[1..]).unwrap_err();
    assert_eq!((e.kind, e.what, e.needed), (Kind::Capacity, What::Output, count as u64));
    let short = Motions { spins: Some(Array::from_f64(&moving.spins[1..])), ..moving.motions() };
    let e = velocities(&Serial, &view, &short, &mut out).unwrap_err();
    assert_eq!((e.kind, e.what, e.needed, e.given), (Kind::Mismatch, What::Spins, 60, 59));
    moving.centres[5][2] = f64::NAN;
    let e = velocities(&Serial, &view, &moving.motions(), &mut out).unwrap_err();
    assert_eq!((e.kind, e.what, e.index, e.component), (Kind::NotFinite, What::Centres, 5, 2));

    let place = (0..60).find(|i| moving.surface(&crowd, &shapes, *i).is_some()).unwrap();
    let surface = moving.surface(&crowd, &shapes, place).unwrap();
    let mut scratch = Memory::new(surface.scratch(count, 1).unwrap()).unwrap();
    let mut refused = |surface: MovingSurface<'_>, scratch: &mut [u8]| {
        surface.add(&Serial, Isa::best(), &view, &mut out, scratch).unwrap_err()
    };
    let e = refused(MovingSurface { body: 60, ..surface }, &mut scratch);
    assert_eq!((e.kind, e.what, e.needed, e.given), (Kind::BadIndex, What::Surfaces, 60, 60));
    let e = refused(MovingSurface { scale: 0.0, ..surface }, &mut scratch);
    assert_eq!((e.kind, e.what, e.component), (Kind::OutOfRange, What::MotionA, 9));
    let e =
        refused(MovingSurface { velocities: Array::from_f64(&moving.vertices[place][1..]), ..surface }, &mut scratch);
    assert_eq!((e.kind, e.what), (Kind::Mismatch, What::Velocities));
    let less = scratch.len() - 1;
    let e = refused(surface, &mut scratch[..less]);
    assert_eq!((e.kind, e.what), (Kind::Capacity, What::Scratch));
    assert!(out.iter().all(|v| *v == [7.0; 3]));
}

/// Loads sum to the force on the body, and their power at the vertices' velocities is that of the forces at what velocities are between them.
#[test]
fn loads_of_vertices_have_the_force_and_the_power_of_the_contacts() {
    let stock = Stock::new();
    let surfaces = stock.surfaces();
    let parts = parts(&surfaces);
    let shapes = shapes(&surfaces, &parts);
    let mut random = Random::new(9);
    let (mut loaded, mut as_b) = (0, 0);
    for (seed, n, half, periods) in [(1, 300, 4.0, [0.0; 3]), (2, 120, 4.0, [8.0, 7.0, 9.0])] {
        let crowd = Crowd { periods, ..Crowd::new(n, half, seed) };
        let moving = Moving::new(&crowd, &shapes);
        let mut scene = OwnedScene::new(Threads::new(1).unwrap());
        scene.settings.periods = periods;
        scene.detect(&crowd.bodies(&shapes, true)).unwrap();
        let view = scene.view().unwrap();
        let forces: Vec<_> = view.now().contacts().iter().map(|_| random.in_cube(1.0)).collect();
        let mut wrenches = vec![Default::default(); n];
        view.wrenches(&Serial, Array::from_f64(&forces), None, None, &mut wrenches).unwrap();
        for surface in (0..n).filter_map(|i| moving.surface(&crowd, &shapes, i)) {
            let body = surface.body as usize;
            let mut scratch = Memory::new(surface.loads_scratch().unwrap()).unwrap();
            let mut loads = vec![[f64::NAN; 3]; moving.vertices[body].len()];
            surface.loads(Isa::best(), &view, Array::from_f64(&forces), &mut loads, &mut scratch).unwrap();
            let sum = loads.iter().fold([0.0; 3], |sum, load| add(sum, *load));
            assert!(length(sub(sum, wrenches[body].force)) < 1e-11, "{seed} {body}: {sum:?} {:?}", wrenches[body]);
            let mut own = vec![[0.0; 3]; forces.len()];
            let mut scratch = Memory::new(surface.scratch(own.len(), 1).unwrap()).unwrap();
            surface.add(&Serial, Isa::best(), &view, &mut own, &mut scratch).unwrap();
            let power: f64 = own.iter().zip(&forces).map(|(v, f)| dot(*v, *f)).sum();
            let world = |v: [f64; 3]| scale(surface.scale, rotate(crowd.orientations[body], v));
            let by_vertices: f64 = loads.iter().zip(&moving.vertices[body]).map(|(f, v)| dot(*f, world(*v))).sum();
            assert!((power - by_vertices).abs() < 1e-9 * (1.0 + power.abs()), "{seed} {body}: {power} {by_vertices}");
            loaded += usize::from(length(sum) > 0.1);
            as_b += view.touches(body).iter().filter(|touch| touch.is_b()).count();
        }
    }
    assert!(loaded > 30 && as_b > 200, "{loaded} {as_b}");
}

/// A mesh that has a place of its own in the frame of its body bears the same loads, and moves contacts the same way, as one that has the frame of the body.
#[test]
fn a_mesh_may_have_a_frame_of_its_own() {
    let stock = Stock::new();
    let surfaces = stock.surfaces();
    let (mesh, tree, n) = (surfaces[1].mesh, surfaces[1].tree, surfaces[1].mesh.weld.len());
    let frame = Pose { position: [0.4, -0.2, 0.7], orientation: [0.1, 0.3, -0.2, 0.9] };
    let parts = [Part { shape: Shape::Mesh(&surfaces[1]), pose: frame, scale: 1.0 }];
    let shapes = [Shape::Mesh(&surfaces[1]), sphere(0.3, 0.05), Shape::Compound(&parts)];
    let own: Vec<[f64; 3]> = (0..n).map(|v| [0.1 * v as f64, 1.0, -0.2 * v as f64]).collect();
    let scale = 1.5;
    let back = Pose { position: frame.position.map(|x| scale * x), ..frame }.inverse(What::Pose).unwrap();
    let found = [(0, Pose::IDENTITY, Pose::IDENTITY), (2, back, frame)].map(|(kind, pose, frame)| {
        let (kinds, scales) = ([kind, 1], [scale, 1.0]);
        let (positions, orientations) =
            ([pose.position, [0.33, -0.91, 0.32]], [pose.orientation, Pose::IDENTITY.orientation]);
        let bodies = Bodies {
            orientations: Some(Array::from_quaternions(&orientations)),
            scales: Some(Array::from_numbers(&scales)),
            ..Bodies::new(&shapes, Words::from_slice(&kinds), Array::from_f64(&positions))
        };
        let mut scene = OwnedScene::new(Threads::new(1).unwrap());
        assert_eq!(scene.detect(&bodies).unwrap().contacts, 1);
        let view = scene.view().unwrap();
        let surface = MovingSurface { body: 0, mesh, tree, frame, scale, velocities: Array::from_f64(&own) };
        let mut scratch = Memory::new(surface.loads_scratch().unwrap()).unwrap();
        let (mut loads, force) = (vec![[7.0; 3]; n], [[0.1, 0.2, -3.0]]);
        surface.loads(Isa::best(), &view, Array::from_f64(&force), &mut loads, &mut scratch).unwrap();
        let (mut moves, mut scratch) = ([[0.0; 3]], Memory::new(surface.scratch(1, 1).unwrap()).unwrap());
        surface.add(&Serial, Isa::best(), &view, &mut moves, &mut scratch).unwrap();
        loads.push(moves[0]);
        loads
    });
    let [plain, framed] = &found;
    // Velocities are along the axes of the mesh, which are those of the world here.
    assert!(plain.iter().zip(framed).all(|(x, y)| length(sub(*x, *y)) < 1e-10), "{plain:?} {framed:?}");
    assert!(plain.iter().filter(|load| length(**load) > 1e-9).count() >= 2);
}

/// A ball that lies on a plate presses on the corners of the triangle below it, by how near it is to each, and on nothing else.
#[test]
fn vertices_bear_the_loads_near_them_and_errors_write_nothing() {
    let stock = Stock::new();
    let surfaces = stock.surfaces();
    let shapes = [Shape::Mesh(&surfaces[1]), sphere(0.3, 0.05)];
    let place = [0.23, -0.61, 0.32];
    let positions = [[0.0; 3], place];
    let bodies = Bodies::new(&shapes, Words::from_slice(&[0, 1]), Array::from_f64(&positions));
    let mut scene = OwnedScene::new(Threads::new(1).unwrap());
    assert_eq!(scene.detect(&bodies).unwrap().contacts, 1);
    let view = scene.view().unwrap();
    let mesh = surfaces[1].mesh;
    let n = mesh.weld.len();
    let surface = MovingSurface {
        body: 0,
        mesh,
        tree: surfaces[1].tree,
        frame: Pose::IDENTITY,
        scale: 1.0,
        velocities: Array::from_f64(&[]),
    };
    let mut scratch = Memory::new(surface.loads_scratch().unwrap()).unwrap();
    let (mut loads, force) = (vec![[7.0; 3]; n], [[0.1, 0.2, -3.0]]);
    surface.loads(Isa::best(), &view, Array::from_f64(&force), &mut loads, &mut scratch).unwrap();
    let at: Vec<[f64; 3]> = (0..n)
        .map(|v| {
            let mut corners = (0..mesh.len()).flat_map(|i| mesh.vertex[i].into_iter().zip(mesh.triangle(i)));
            corners.find(|(vertex, _)| *vertex as usize == v).unwrap().1
        })
        .collect();
    let bearing: Vec<_> = (0..n).filter(|v| loads[*v] != [0.0; 3]).collect();
    assert!(bearing.len() == 3 && bearing.iter().all(|v| length(sub(at[*v], place)) < 1.5), "{bearing:?}");
    // Their centre is below the ball.
    let centre = bearing.iter().fold([0.0; 3], |sum, v| add(sum, scale(loads[*v][2] / -3.0, at[*v])));
    assert!(length(sub(centre, [0.23, -0.61, 0.0])) < 1e-12, "{centre:?}");

    let nan = [[0.0, f64::NAN, 0.0]];
    type Given<'g> = (MovingSurface<'g>, &'g [[f64; 3]], [usize; 2], Kind, What);
    let given: [Given<'_>; 6] = [
        (MovingSurface { body: 2, ..surface }, &force, [n, 0], Kind::BadIndex, What::Surfaces),
        (surface, &[], [n, 0], Kind::Mismatch, What::Forces),
        (surface, &nan, [n, 0], Kind::NotFinite, What::Forces),
        (surface, &force, [n - 1, 0], Kind::Capacity, What::Output),
        (surface, &force, [n, 1], Kind::Capacity, What::Scratch),
        (MovingSurface { scale: 0.0, ..surface }, &force, [n, 0], Kind::OutOfRange, What::Scale),
    ];
    for (surface, force, [room, less], kind, what) in given {
        let mut loads = vec![[7.0; 3]; room];
        let bytes = scratch.len() - less;
        let scratch = &mut scratch[..bytes];
        let e = surface.loads(Isa::best(), &view, Array::from_f64(force), &mut loads, scratch).unwrap_err();
        assert_eq!((e.kind, e.what), (kind, what), "{e}");
        assert!(loads.iter().all(|load| *load == [7.0; 3]), "{e}");
    }
}
