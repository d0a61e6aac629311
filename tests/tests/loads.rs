//! Loads of vertices of a surface, each spread over what a contact covers.

use dem_core::array::{Array, Words};
use dem_core::contact::Contact;
use dem_core::contact::shape::{Part, Shape, Surface};
use dem_core::detect::surfaces::MovingSurface;
use dem_core::detect::{Bodies, SceneRef};
use dem_core::error::{Error, Kind, What};
use dem_core::pose::Pose;
use dem_core::simd::Isa;
use dem_std::{Memory, OwnedScene, Threads};
use dem_tests::contact::{Body, cuboid, ell};
use dem_tests::crowd::{Crowd, Stock, parts, shapes};
use dem_tests::random::Random;
use dem_tests::shapes::{capsule, sphere, surface};
use dem_tests::vector::{add, cross, length, rotate, scale, sub};
use dem_tests::{Triangle, walls};

const HALO: f64 = 0.01;

fn moving<'s>(of: &Surface<'s>, body: u32, scale: f64) -> MovingSurface<'s> {
    let velocities = Array::from_f64(&[]);
    MovingSurface { body, mesh: of.mesh, tree: of.tree, frame: Pose::IDENTITY, scale, velocities }
}

/// The loads, with as much room as they take.
fn spread(
    of: &MovingSurface<'_>,
    view: &SceneRef<'_>,
    bodies: &Bodies<'_>,
    forces: &[[f64; 3]],
    torques: Option<&[[f64; 3]]>,
) -> Vec<[f64; 3]> {
    let (mut pairs, mut out) = (1, vec![[f64::NAN; 3]; of.mesh.weld.len()]);
    loop {
        let mut scratch = Memory::new(of.spread_scratch(view, bodies, pairs).unwrap()).unwrap();
        let acting = (Array::from_f64(forces), torques.map(Array::from_f64));
        match of.spread_loads(Isa::best(), view, (bodies, pairs), acting, &mut out, &mut scratch) {
            Err(Error { kind: Kind::Capacity, what: What::Pairs, needed, .. }) => {
                assert!(needed as usize > pairs);
                pairs = needed as usize;
            }
            done => {
                done.unwrap();
                return out;
            }
        }
    }
}

/// Where the vertices are in the frame of the mesh.
fn vertices(of: &Surface<'_>) -> Vec<[f64; 3]> {
    let mut at = vec![[0.0; 3]; of.mesh.weld.len()];
    for i in 0..of.mesh.len() {
        of.mesh.vertex[i].into_iter().zip(of.mesh.triangle(i)).for_each(|(v, x)| at[v as usize] = x);
    }
    at
}

/// Places, and the load at each.
type Loads = Vec<([f64; 3], [f64; 3])>;

/// Loads at the same place together: of a soup, each triangle has vertices of its own.
fn joined(at: &[[f64; 3]], loads: &[[f64; 3]]) -> Loads {
    let mut all: Loads = Vec::new();
    for (x, load) in at.iter().zip(loads).filter(|(_, load)| **load != [0.0; 3]) {
        match all.iter_mut().find(|(y, _)| length(sub(*x, *y)) < 1e-9) {
            Some((_, sum)) => *sum = add(*sum, *load),
            None => all.push((*x, *load)),
        }
    }
    all
}

/// A wall at rest with one body above it.
struct Case<'c> {
    wall: &'c Body,
    shape: Shape<'c>,
    pose: Pose,
}

impl Case<'_> {
    /// Each vertex of the wall that bears something of these forces at the body's contacts, given those contacts.
    fn loads(&self, force: impl Fn(&Contact) -> [f64; 3]) -> (Vec<Contact>, Loads) {
        let wall = surface(self.wall, false);
        let shapes = [Shape::Mesh(&wall), self.shape];
        let (positions, turns) = ([[0.0; 3], self.pose.position], [[0.0, 0.0, 0.0, 1.0], self.pose.orientation]);
        let bodies = Bodies {
            orientations: Some(Array::from_quaternions(&turns)),
            ..Bodies::new(&shapes, Words::from_slice(&[0, 1]), Array::from_f64(&positions))
        };
        let mut scene = OwnedScene::new(Threads::new(1).unwrap());
        scene.detect(&bodies).unwrap();
        let view = scene.view().unwrap();
        let contacts = view.now().contacts().to_vec();
        // A is the wall.
        let forces: Vec<_> = contacts.iter().map(force).collect();
        let loads = spread(&moving(&wall, 0, 1.0), &view, &bodies, &forces, None);
        (contacts, joined(&vertices(&wall), &loads))
    }
}

fn sums(loads: &[([f64; 3], [f64; 3])]) -> ([f64; 3], [f64; 3]) {
    loads.iter().fold(Default::default(), |(f, t), (x, load)| (add(f, *load), add(t, cross(*x, *load))))
}

/// Pressure law of stiffness 1.
fn push(c: &Contact) -> [f64; 3] {
    scale((1.0 - c.gap / c.halo) * c.area, c.normal)
}

fn assert_whole(contacts: &[Contact], loads: &[([f64; 3], [f64; 3])], force: impl Fn(&Contact) -> [f64; 3]) {
    let (sum, moment) = sums(loads);
    let all = contacts.iter().map(|c| (c.position, force(c))).collect::<Vec<_>>();
    let (expected, expected_moment) = sums(&all);
    let size = all.iter().map(|(_, f)| length(*f)).sum::<f64>();
    assert!(length(sub(sum, expected)) <= 1e-12 * size, "{sum:?} {expected:?}");
    assert!(length(sub(moment, expected_moment)) <= 1e-12 * size * 3.0, "{moment:?} {expected_moment:?}");
}

const EDGES: [f64; 3] = [1.0, 0.75, 0.4];

fn box_at(x: f64, y: f64, z: f64, turn: [f64; 4]) -> Pose {
    Pose { position: [x, y, 0.5 * EDGES[2] + z], orientation: turn }
}

/// A box that lies flat on a wall of squares: a vertex in the middle bears the pressure times the area that is its own, one square.
#[test]
fn a_box_that_lies_flat_presses_evenly_on_all_that_it_covers() {
    let block = Body::new(&cuboid(EDGES), HALO);
    let block = surface(&block, true);
    for cells in [8, 16, 32] {
        let wall = Body::new(&walls::regular(cells, 1.0), HALO);
        let (x, y) = (0.03, -0.02);
        let case = Case { wall: &wall, shape: Shape::Mesh(&block), pose: box_at(x, y, HALO, [0.0, 0.0, 0.0, 1.0]) };
        let (contacts, loads) = case.loads(push);
        assert_eq!(contacts.len(), 1);
        assert_whole(&contacts, &loads, push);
        let (side, total) = (2.0 / cells as f64, length(push(&contacts[0])));
        let own = total / (EDGES[0] * EDGES[1]) * side * side;
        let mut inside = 0;
        for (at, load) in &loads {
            let [u, v] = [0.5 * EDGES[0] - (at[0] - x).abs(), 0.5 * EDGES[1] - (at[1] - y).abs()];
            assert!(load[2] < 1e-15 && u > -side && v > -side, "{at:?} {load:?}");
            if u > side && v > side {
                inside += 1;
                assert!((-load[2] / own - 1.0).abs() < 0.01, "{cells} {at:?} {load:?} {own}");
            }
        }
        let expected = [1, 20, 130][[8, 16, 32].iter().position(|n| *n == cells).unwrap()];
        assert!(inside >= expected, "{cells}: {inside}");
    }
}

/// What coarse triangles bear is what fine ones bear, by how near these are to the corners of the coarse ones.
#[test]
fn finer_triangles_bear_the_same() {
    let block = Body::new(&cuboid(EDGES), HALO);
    let block = surface(&block, true);
    let turn = [0.003, 0.004, 0.3, (1.0f64 - 0.09 - 2.5e-5).sqrt()];
    let of = |cells: usize| {
        let wall = Body::new(&walls::regular(cells, 1.0), HALO);
        let case = Case { wall: &wall, shape: Shape::Mesh(&block), pose: box_at(0.1, 0.05, 1.5 * HALO, turn) };
        case.loads(push).1
    };
    let coarse = of(6);
    let side = 2.0 / 6.0;
    for cells in [12, 24] {
        let fine = of(cells);
        let total: f64 = fine.iter().map(|(_, load)| -load[2]).sum();
        for (at, load) in &coarse {
            // The weight of a vertex in squares that are cut along (1, 1).
            let weight = |x: [f64; 3]| {
                let [u, v] = [(x[0] - at[0]) / side, (x[1] - at[1]) / side];
                (1.0 - u.max(v).max(0.0) + u.min(v).min(0.0)).max(0.0)
            };
            let sum: f64 = fine.iter().map(|(x, load)| weight(*x) * load[2]).sum();
            assert!((sum - load[2]).abs() < 1e-3 * total, "{cells} {at:?} {sum} {load:?}");
        }
    }
}

/// Over the end of a wall nothing bears but the wall, and all of it pushes.
#[test]
fn a_box_over_the_end_of_a_wall_presses_on_what_it_covers() {
    let block = Body::new(&cuboid(EDGES), HALO);
    let block = surface(&block, true);
    let wall = Body::new(&walls::regular(16, 1.0), HALO);
    for out in [0.6, 0.8, 0.9, 0.97] {
        let turn = [0.0, 0.0, 0.2, 0.96f64.sqrt()];
        let case = Case { wall: &wall, shape: Shape::Mesh(&block), pose: box_at(out, 0.1, HALO, turn) };
        let (contacts, loads) = case.loads(push);
        assert_whole(&contacts, &loads, push);
        assert!(loads.len() > 20, "{out} {}", loads.len());
        let total: f64 = contacts.iter().map(|c| length(push(c))).sum();
        assert!(loads.iter().all(|(_, load)| load[2] < 1e-12 * total), "{out} {loads:?}");
    }
}

/// A ball presses on one triangle.
#[test]
fn a_ball_and_a_capsule_press_on_the_triangle_below() {
    let wall = Body::new(&walls::regular(16, 1.0), HALO);
    let lying = [0.0, 0.5f64.sqrt(), 0.0, 0.5f64.sqrt()];
    for (shape, orientation) in [(sphere(0.2, HALO), Pose::IDENTITY.orientation), (capsule(0.3, 0.2, HALO), lying)] {
        let force = |c: &Contact| add(push(c), [1e-5, -2e-5, 0.0]);
        let case = Case { wall: &wall, shape, pose: Pose { position: [0.11, 0.23, 0.21], orientation } };
        let (contacts, loads) = case.loads(force);
        assert_eq!((contacts.len(), loads.len()), (1, 3));
        assert_whole(&contacts, &loads, force);
    }
}

/// A wall behind a half-space in a compound: what lies on the wall presses on all that it covers, what lies on the half-space on the triangle of the wall that is closest.
#[test]
fn a_mesh_of_a_compound_bears_what_lies_on_it() {
    let (wall, block) = (Body::new(&walls::regular(16, 1.0), HALO), Body::new(&cuboid(EDGES), HALO));
    let (wall, block) = (surface(&wall, false), surface(&block, true));
    let frame = Pose { position: [5.0, 0.0, 2.0], ..Pose::IDENTITY };
    let parts = [
        Part { shape: Shape::HalfSpace { halo: HALO }, pose: Pose::IDENTITY, scale: 1.0 },
        Part { shape: Shape::Mesh(&wall), pose: frame, scale: 1.0 },
    ];
    let shapes = [Shape::Compound(&parts), Shape::Mesh(&block)];
    for ([x, z], least, most) in [([5.0, 2.0], 20, usize::MAX), ([0.0, 0.0], 3, 3)] {
        let above = box_at(x, 0.1, z + HALO, [0.0, 0.0, 0.2, 0.96f64.sqrt()]);
        let (positions, turns) = ([[0.0; 3], above.position], [[0.0, 0.0, 0.0, 1.0], above.orientation]);
        let bodies = Bodies {
            orientations: Some(Array::from_quaternions(&turns)),
            ..Bodies::new(&shapes, Words::from_slice(&[0, 1]), Array::from_f64(&positions))
        };
        let mut scene = OwnedScene::new(Threads::new(1).unwrap());
        scene.detect(&bodies).unwrap();
        let view = scene.view().unwrap();
        let contacts = view.now().contacts().to_vec();
        assert!(!contacts.is_empty());
        let forces: Vec<_> = contacts.iter().map(push).collect();
        let moving = MovingSurface { frame, ..moving(&wall, 0, 1.0) };
        let at: Vec<_> = vertices(&wall).into_iter().map(|x| add(x, frame.position)).collect();
        let loads = joined(&at, &spread(&moving, &view, &bodies, &forces, None));
        assert!(loads.len() >= least && loads.len() <= most, "{x} {}", loads.len());
        let (sum, moment) = sums(&loads);
        let all: Vec<_> = contacts.iter().map(|c| (c.position, push(c))).collect();
        let (expected, expected_moment) = sums(&all);
        // The closest triangle is far from what lies on the half-space, and bears its torque by large forces.
        let size = loads.iter().map(|(_, load)| length(*load)).sum::<f64>();
        assert!(length(sub(sum, expected)) <= 1e-12 * size, "{sum:?} {expected:?}");
        assert!(length(sub(moment, expected_moment)) <= 1e-11 * size, "{moment:?} {expected_moment:?}");
    }
}

/// As a body slides or turns over the triangles, no load changes by more than a multiple of the way.
#[test]
fn loads_change_no_faster_than_the_body_moves() {
    let block = Body::new(&cuboid(EDGES), HALO);
    let block = surface(&block, true);
    let legs = Body::new(&ell(), HALO);
    let legs = surface(&legs, true);
    let hill = |[x, y, _]: [f64; 3]| [x, y, 0.02 * ((5.0 * x).sin() + (4.0 * y).cos())];
    let rough: Vec<Triangle> = walls::regular(12, 1.5).iter().map(|t| t.map(hill)).collect();
    let walls = [Body::new(&walls::regular(12, 1.5), HALO), Body::new(&rough, HALO)];
    let tilted = Pose { position: [0.0, 0.0, 0.5 + 1.3 * HALO], orientation: [0.0, 0.0, 0.0, 1.0] };
    let starts = [
        (&walls[0], Shape::Mesh(&block), box_at(0.0, 0.0, 1.2 * HALO, [0.002, -0.003, 0.1, 0.99])),
        (&walls[0], Shape::Mesh(&legs), tilted),
        (&walls[1], Shape::Mesh(&block), box_at(0.05, 0.3, -0.5 * HALO, [0.02, 0.05, 0.2, 0.97])),
    ];
    for (i, (wall, shape, start)) in starts.into_iter().enumerate() {
        let mut fastest = [0.0f64; 2];
        for (size_of_step, step) in [1e-4, 1e-6].into_iter().enumerate() {
            let mut last: Option<Loads> = None;
            for k in 0..120 {
                let way = 2e-3 * f64::from(k / 2) + step * f64::from(k % 2);
                let position = add(start.position, [way, 0.4 * way, 0.0]);
                let q = start.orientation;
                let [x, y, z, w] = q;
                let half = 0.2 * way;
                let orientation = [x - half * y, y + half * x, z + half * w, w - half * z];
                let size = orientation.iter().map(|x| x * x).sum::<f64>().sqrt();
                let pose = Pose { position, orientation: orientation.map(|x| x / size) };
                let (contacts, loads) = Case { wall, shape, pose }.loads(push);
                let total: f64 = contacts.iter().map(|c| length(push(c))).sum();
                assert_whole(&contacts, &loads, push);
                if k % 2 == 1 {
                    let before = last.take().unwrap();
                    let all = before.iter().chain(&loads).map(|(x, _)| *x);
                    for x in all {
                        let find = |list: &[([f64; 3], [f64; 3])]| {
                            list.iter().find(|(y, _)| length(sub(x, *y)) < 1e-9).map_or([0.0; 3], |(_, load)| *load)
                        };
                        let change = length(sub(find(&before), find(&loads)));
                        fastest[size_of_step] = fastest[size_of_step].max(change / step / total);
                    }
                }
                last = Some(loads);
            }
        }
        println!("rates {i}: {fastest:?}");
        assert!(fastest.iter().all(|rate| *rate < 5.0), "{i}: {fastest:?}");
    }
}

/// Meshes among rocks, boxes, balls, compounds and half-spaces in any pose, with any forces and torques: sums and moments to rounding, and the same bits on any number of threads.
#[test]
fn loads_of_a_crowd_have_its_forces_and_moments() {
    let stock = Stock::new();
    let surfaces = stock.surfaces();
    let parts = parts(&surfaces);
    let shapes = shapes(&surfaces, &parts);
    let mut random = Random::new(9);
    let (mut loaded, mut wide) = (0, 0);
    for (seed, n, half, periods) in [(1, 300, 4.0, [0.0; 3]), (2, 120, 4.0, [8.0, 7.0, 9.0])] {
        let crowd = Crowd { periods, ..Crowd::new(n, half, seed) };
        let bodies = crowd.bodies(&shapes, true);
        let mut of_threads: Vec<Vec<[f64; 3]>> = Vec::new();
        let acting: Vec<_> = (0..20_000).map(|_| [random.in_cube(1.0), random.in_cube(0.1)]).collect();
        for threads in [1, 3] {
            let mut scene = OwnedScene::new(Threads::new(threads).unwrap());
            scene.settings.periods = periods;
            scene.detect(&bodies).unwrap();
            let view = scene.view().unwrap();
            let count = view.now().contacts().len();
            let [forces, torques] = [0, 1].map(|k| acting[..count].iter().map(|x| x[k]).collect::<Vec<_>>());
            let mut all = Vec::new();
            for i in 0..n {
                let Shape::Mesh(of) = shapes[crowd.kinds[i] as usize] else { continue };
                let surface = moving(of, i as u32, crowd.scales[i]);
                let loads = spread(&surface, &view, &bodies, &forces, Some(&torques));
                let turned = |x: [f64; 3]| {
                    let local = rotate(crowd.orientations[i], scale(crowd.scales[i], x));
                    add(local, crowd.positions[i])
                };
                let at: Vec<_> = vertices(of).into_iter().map(turned).collect();
                let (mut force, mut torque, mut size) = ([0.0; 3], [0.0; 3], 0.0);
                for touch in view.touches(i) {
                    let c = touch.contact();
                    let pair = view.now().pair_of(c).unwrap();
                    let sign = if touch.is_b() { -1.0 } else { 1.0 };
                    let by = |k: usize| if touch.is_b() { f64::from(pair.shift[k]) * periods[k] } else { 0.0 };
                    let position = view.now().contacts()[c].position;
                    let position = [0, 1, 2].map(|k| position[k] - by(k));
                    let (f, t) = (scale(sign, forces[c]), scale(sign, torques[c]));
                    // About the body, whose lengths are about 1.
                    let arm = sub(position, crowd.positions[i]);
                    force = add(force, f);
                    torque = add(torque, add(t, cross(arm, f)));
                    size += length(f) + length(t);
                }
                let pairs: Vec<_> = at.iter().map(|x| sub(*x, crowd.positions[i])).zip(loads.iter().copied()).collect();
                let (sum, moment) = sums(&pairs);
                let bears: f64 = loads.iter().map(|load| length(*load)).sum();
                assert!(length(sub(sum, force)) <= 1e-12 * (size + bears), "{seed} {i}: {sum:?} {force:?}");
                assert!(
                    length(sub(moment, torque)) <= 1e-11 * (size + bears),
                    "{seed} {i}: {moment:?} {torque:?} {bears}"
                );
                loaded += usize::from(size > 0.1);
                wide += usize::from(loads.iter().filter(|load| **load != [0.0; 3]).count() > 3 * view.touches(i).len());
                all.extend(loads);
            }
            of_threads.push(all);
        }
        let bits = |all: &[[f64; 3]]| all.as_flattened().iter().map(|x| x.to_bits()).collect::<Vec<_>>();
        assert!(bits(&of_threads[0]) == bits(&of_threads[1]));
    }
    assert!(loaded > 60 && wide > 30, "{loaded} {wide}");
}

#[test]
fn another_mesh_and_too_little_room_are_refused() {
    let (wall, other) = (Body::new(&walls::regular(8, 1.0), HALO), Body::new(&walls::regular(8, 1.0), HALO));
    let block = Body::new(&cuboid(EDGES), HALO);
    let (wall, other, block) = (surface(&wall, false), surface(&other, false), surface(&block, true));
    let shapes = [Shape::Mesh(&wall), Shape::Mesh(&block)];
    let positions = [[0.0; 3], [0.0, 0.0, 0.5 * EDGES[2] + HALO]];
    let bodies = Bodies::new(&shapes, Words::from_slice(&[0, 1]), Array::from_f64(&positions));
    let mut scene = OwnedScene::new(Threads::new(1).unwrap());
    scene.detect(&bodies).unwrap();
    let view = scene.view().unwrap();
    let forces = vec![[0.0, 0.0, -1.0]; view.now().contacts().len()];
    let few = Bodies::new(&shapes, Words::from_slice(&[0]), Array::from_f64(&positions[..1]));
    let mut out = vec![[0.0; 3]; wall.mesh.weld.len()];
    let mut ask = |of: &Surface<'_>, bodies: &Bodies<'_>, pairs: usize, forces: &[[f64; 3]], less: usize| {
        let of = moving(of, 0, 1.0);
        let layout = of.spread_scratch(&view, bodies, pairs)?;
        let mut scratch = Memory::new(layout).unwrap();
        let size = layout.size - less;
        let acting = (Array::from_f64(forces), None);
        of.spread_loads(Isa::best(), &view, (bodies, pairs), acting, &mut out, &mut scratch[..size])
    };
    let of = |result: Result<(), Error>| result.map_err(|e| (e.kind, e.what));
    assert_eq!(of(ask(&wall, &bodies, 4000, &forces, 0)), Ok(()));
    assert_eq!(of(ask(&other, &bodies, 4000, &forces, 0)), Err((Kind::Mismatch, What::Surfaces)));
    assert_eq!(of(ask(&wall, &few, 4000, &forces, 0)), Err((Kind::Mismatch, What::Positions)));
    assert_eq!(of(ask(&wall, &bodies, 1, &forces, 0)), Err((Kind::Capacity, What::Pairs)));
    assert_eq!(of(ask(&wall, &bodies, 4000, &[], 0)), Err((Kind::Mismatch, What::Forces)));
    assert_eq!(of(ask(&wall, &bodies, 4000, &forces, 64)), Err((Kind::Capacity, What::Scratch)));
}
