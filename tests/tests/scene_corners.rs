//! Corners of all contacts of a scene in one pass: those of each pair of bodies by itself.

use dem_core::array::{Array, Words};
use dem_core::body::Body as RigidBody;
use dem_core::contact::regions::Grouping;
use dem_core::contact::shape::{Part, Placed, Shape, shape_corners, shape_corners_scratch};
use dem_core::contact::{Contact, Corner, CornerLimits, Node, Regions, Room, status};
use dem_core::detect::laws::{ContactInput, ContactResponse};
use dem_core::detect::{Bodies, Detected, Scene, SceneRef, SceneSizes, Settings, detect_scratch};
use dem_core::error::{Kind, What};
use dem_core::exec::{Executor, Serial};
use dem_core::pose::Pose;
use dem_core::simd::Isa;
use dem_core::world::BodyDef;
use dem_std::{Memory, OwnedScene, OwnedWorld, Threads, generate};
use dem_tests::contact::{Body, HALO, cuboid, soup};
use dem_tests::deep::turn;
use dem_tests::random::Random;
use dem_tests::shapes::{ground, part, sphere, surface};

const LIMITS: CornerLimits = CornerLimits { pairs: 4000, most: 4 };

/// A heap of bodies that is pressed together a little, on a half-space, with their shapes, and the shape and position of each.
fn in_a_heap(work: impl FnOnce(&Bodies<'_>, &[Shape<'_>], &[u32], &[[f64; 3]])) {
    let rock = |seed| soup(&generate::bumpy(generate::icosphere(2).unwrap(), 1.2, seed).unwrap());
    let meshes = [rock(1), rock(2), cuboid([1.0, 1.4, 1.2])].map(|mesh| Body::new(&mesh, HALO));
    let [one, two, cube] = meshes.each_ref().map(|body| surface(body, true));
    let parts: [Part<'_>; 2] = [part(Shape::Mesh(&one), [0.0; 3]), part(sphere(0.6, HALO), [1.1, 0.0, 0.0])];
    let shapes = [
        Shape::Mesh(&one),
        Shape::Mesh(&two),
        Shape::Mesh(&cube),
        sphere(0.7, HALO),
        Shape::Compound(&parts),
        ground(HALO),
    ];
    let (mut positions, mut turns, mut kinds) = (vec![[0.0, 0.0, -0.95]], vec![[0.0, 0.0, 0.0, 1.0]], vec![5]);
    for i in 0..60u32 {
        let [x, y, z] = [i % 5, i / 5 % 4, i / 20].map(f64::from);
        // Boxes that lie flat below, and others on them.
        positions.push([2.05 * x, 2.0 * y, if i < 20 { -0.35 + 0.01 * x * HALO } else { 1.9 * z - 0.6 }]);
        let angle = if i < 20 { 0.0 } else { 0.37 * f64::from(i) };
        turns.push(turn([0.6, 0.0, 0.8], angle));
        kinds.push(if i < 20 { 2 } else { i % 5 });
    }
    let bodies = Bodies {
        orientations: Some(Array::from_quaternions(&turns)),
        ..Bodies::new(&shapes, Words::from_slice(&kinds), Array::from_f64(&positions))
    };
    work(&bodies, &shapes, &kinds, &positions);
}

/// A scene that has found their contacts.
fn detected(bodies: &Bodies<'_>, grouping: Grouping) -> (Memory, Detected) {
    let room = Room { pairs: 4000, terms: 8000, segments: 1000 };
    let sizes = SceneSizes {
        bodies: 61,
        candidates: 1000,
        contacts: 20_000,
        nodes: 40_000,
        posed: 0,
        levels: 2,
        margin_contacts: 0,
    };
    let settings = Settings { room, pair_contacts: 1000, grouping, ..Settings::default() };
    let mut block = Memory::new(Scene::layout(&sizes).unwrap()).unwrap();
    let mut scratch = Memory::new(detect_scratch(&sizes, bodies, &settings, 1).unwrap()).unwrap();
    let mut scene = Scene::init(&mut block, &sizes).unwrap();
    let found = scene.detect(&Serial, Isa::best(), bodies, &settings, &mut scratch).unwrap();
    (block, found)
}

#[test]
fn corners_of_a_scene_are_those_of_its_pairs() {
    in_a_heap(|bodies, shapes, kinds, _| {
        for grouping in [Grouping::default(), Grouping::PATCHES] {
            let (block, found) = detected(bodies, grouping);
            let scene = SceneRef::peek(&block).unwrap();
            let step = scene.now();
            for most in [1, 4, CornerLimits::ALL] {
                let limits = CornerLimits { most, ..LIMITS };
                let mut wanted: Vec<Corner> = vec![];
                for pair in step.pairs() {
                    let poses: [Pose; 2] = step.poses_of(pair);
                    let of = |i: u32| shapes[kinds[i as usize] as usize];
                    let (a, b) = (
                        Placed { shape: of(pair.a), pose: &poses[0], scale: 1.0 },
                        Placed { shape: of(pair.b), pose: &poses[1], scale: 1.0 },
                    );
                    let contacts: Vec<Contact> = step.contacts()[pair.contacts()].to_vec();
                    let nodes = step.nodes_of(pair).iter();
                    let nodes: Vec<Node> = nodes.map(|n| Node { contact: n.contact - pair.first, ..*n }).collect();
                    let mut scratch = Memory::new(shape_corners_scratch(&a, &b, limits.pairs).unwrap()).unwrap();
                    let mut out = vec![Corner::default(); 4000];
                    let of = Regions { contacts: &contacts, nodes: &nodes };
                    let n = shape_corners(Isa::best(), &a, &b, &of, limits, &mut out, &mut scratch).unwrap();
                    wanted.extend(out[..n].iter().map(|c| Corner { contact: c.contact + pair.first, ..*c }));
                }
                println!("{found:?}, most {most}: {} corners", wanted.len());
                assert!(found.contacts > 30 && found.pairs > 30 && (most == 1 || wanted.len() > found.contacts + 20));
                let mut owned = OwnedScene::new(Threads::new(2).unwrap());
                owned.settings.grouping = grouping;
                owned.detect(bodies).unwrap();
                assert_eq!(owned.corners(most, bodies).unwrap(), wanted, "most {most}");
                let threads = Threads::new(3).unwrap();
                for (exec, threads) in [(&Serial as &dyn Executor, 1), (&threads, 1), (&threads, 3)] {
                    let mut out = vec![Corner::default(); wanted.len()];
                    let needs = scene.corners_scratch(bodies, limits, wanted.len(), threads).unwrap();
                    let mut scratch = Memory::new(needs).unwrap();
                    scratch.fill(0xa5);
                    let n = scene.corners(exec, Isa::best(), bodies, limits, &mut out, &mut scratch).unwrap();
                    assert_eq!((n, &out), (wanted.len(), &wanted), "most {most}, {threads} threads");
                }
                let each = |i: usize| wanted.iter().filter(|c| c.contact as usize == i).count();
                let counts: Vec<usize> = (0..found.contacts).map(each).collect();
                assert!(counts.iter().all(|n| *n >= 1 && (*n <= most)));
            }
        }
    });
}

#[test]
fn too_little_room_for_corners_changes_nothing_and_tells_what_would_do() {
    in_a_heap(|bodies, shapes, kinds, positions| {
        let (block, _) = detected(bodies, Grouping::default());
        let scene = SceneRef::peek(&block).unwrap();
        let mark = Corner { gap: 77.0, ..Corner::default() };
        let call = |bodies: &Bodies<'_>, limits: CornerLimits, capacity: usize, less: usize| {
            let needs = scene.corners_scratch(bodies, limits, capacity, 1).map_or(64, |layout| layout.size);
            let mut scratch = Memory::new(dem_core::memory::Layout { size: needs, align: 64 }).unwrap();
            let mut out = vec![mark; capacity];
            let end = needs - less.min(needs);
            let done = scene.corners(&Serial, Isa::best(), bodies, limits, &mut out, &mut scratch[..end]);
            assert!(done.is_ok() || out.iter().all(|c| *c == mark));
            done
        };
        let short = |e: dem_core::error::Error| (e.kind, e.what, e.needed as usize);
        let (kind, what, needed) = short(call(bodies, LIMITS, 3, 0).unwrap_err());
        assert_eq!((kind, what), (Kind::Capacity, What::Output));
        assert_eq!(call(bodies, LIMITS, needed, 0), Ok(needed));
        assert_eq!(short(call(bodies, LIMITS, needed - 1, 0).unwrap_err()), (Kind::Capacity, What::Output, needed));
        let (kind, what, pairs) = short(call(bodies, CornerLimits { pairs: 1, most: 4 }, needed, 0).unwrap_err());
        assert_eq!((kind, what), (Kind::Capacity, What::Pairs));
        assert_eq!(call(bodies, CornerLimits { pairs, most: 4 }, needed, 0), Ok(needed));
        assert!(call(bodies, CornerLimits { pairs: pairs - 1, most: 4 }, needed, 0).is_err());
        assert_eq!(call(bodies, LIMITS, needed, 1).unwrap_err().what, What::Scratch);
        let fewer = Bodies {
            orientations: None,
            ..Bodies::new(shapes, Words::from_slice(&kinds[1..]), Array::from_f64(&positions[1..]))
        };
        let e = call(&fewer, LIMITS, needed, 0).unwrap_err();
        assert_eq!((e.kind, e.what), (Kind::Mismatch, What::Positions));
        // Bodies that were put elsewhere in the arrays since.
        let others: Vec<u64> = (0..61).map(|i| if i < 2 { 1 - i } else { i }).collect();
        let e = call(&Bodies { ids: Some(Words::from_slice(&others)), ..*bodies }, LIMITS, needed, 0).unwrap_err();
        assert_eq!((e.kind, e.what), (Kind::Mismatch, What::Ids));
    });
}

/// Those of the step that a world has accepted, of which bodies have moved on.
#[test]
fn corners_of_a_world_are_those_of_a_scene_of_its_bodies() {
    let cube = Body::new(&cuboid([1.0, 1.4, 1.2]), HALO);
    let cube = surface(&cube, true);
    let shapes = [ground(HALO), Shape::Mesh(&cube), sphere(0.5, HALO)];
    let mut world = OwnedWorld::with_executor(Box::new(Serial));
    assert_eq!(world.corners(4, &shapes).unwrap(), []);
    let law = |_: &ContactInput<'_, 5>| ContactResponse { force: [0.0; 3], torque: [0.0; 3], springs: [[0.0; 3]; 5] };
    let mut kinds = vec![];
    for (kind, height) in [(0, 0.0), (1, 0.605), (1, 1.812), (2, 2.917)] {
        let body = match kinds.is_empty() {
            true => RigidBody::fixed(Pose::IDENTITY),
            false => RigidBody::ball(0.5, 1.0, [0.1 * height, 0.0, height]).unwrap(),
        };
        world.add(&BodyDef::new(RigidBody { velocity: [1.0, 0.0, 0.0], ..body }, kind)).unwrap();
        kinds.push(kind);
    }
    let positions: Vec<[f64; 3]> = world.view().unwrap().bodies().iter().map(|body| body.position).collect();
    let ids = world.view().unwrap().ids().to_vec();
    world.advance(1e-3, 1e-3, &shapes, &law).unwrap();
    let bodies = Bodies {
        ids: Some(Words::from_slice(&ids)),
        ..Bodies::new(&shapes, Words::from_slice(&kinds), Array::from_f64(&positions))
    };
    let mut scene = OwnedScene::with_executor(Box::new(Serial));
    scene.detect(&bodies).unwrap();
    let scene = scene.view().unwrap();
    for most in [CornerLimits::ALL, 1, 4] {
        let limits = CornerLimits { most, ..LIMITS };
        let mut expected = vec![Corner::default(); 64];
        let mut scratch = Memory::new(scene.corners_scratch(&bodies, limits, 64, 1).unwrap()).unwrap();
        let n = scene.corners(&Serial, Isa::best(), &bodies, limits, &mut expected, &mut scratch).unwrap();
        assert!(n == 3 || most != 1 && n >= 9, "{n} corners");
        assert_eq!(world.corners(most, &shapes).unwrap(), expected[..n]);
    }
}

/// What rests on a ridge has one contact of two faces that lean. Its first corner is an end of the ridge, which the others do not span.
#[test]
fn corners_tell_how_far_gaps_between_them_may_be_off() {
    let (half, rise, height) = (0.5, 0.8 * HALO, 0.5);
    let at = |x: f64, y: f64| [[x, y, rise * (x / half).abs()], [x, y, height]];
    let [[a, top_a], [c, _], [b, top_b]] = [-half, 0.0, half].map(|x| at(x, -half));
    let [[d, top_d], [f, _], [e, top_e]] = [-half, 0.0, half].map(|x| at(x, half));
    let quads = [[a, d, f, c], [c, f, e, b], [top_a, top_b, top_e, top_d], [a, top_a, top_d, d], [b, e, top_e, top_b]];
    let mut mesh: Vec<_> = quads.iter().flat_map(|[p, q, r, s]| [[*p, *q, *r], [*p, *r, *s]]).collect();
    mesh.extend([[a, c, top_a], [c, top_b, top_a], [c, b, top_b], [d, top_d, f], [f, top_d, top_e], [f, top_e, e]]);
    let (ridge, cube) = (Body::new(&mesh, HALO), Body::new(&cuboid([1.0, 1.0, 1.0]), HALO));
    let shapes = [ground(HALO), Shape::Mesh(&surface(&ridge, true)), Shape::Mesh(&surface(&cube, true))];
    let gap = 0.3 * HALO;
    let positions = [[0.0; 3], [0.0, 0.0, gap], [5.0, 0.0, 0.5 + gap]];
    let kinds = [0, 1, 2];
    let bodies = Bodies::new(&shapes, Words::from_slice(&kinds), Array::from_f64(&positions));
    let sizes =
        SceneSizes { bodies: 3, candidates: 10, contacts: 100, nodes: 100, posed: 0, levels: 2, margin_contacts: 0 };
    let settings =
        Settings { room: Room { pairs: 400, terms: 800, segments: 100 }, pair_contacts: 100, ..Settings::default() };
    let mut block = Memory::new(Scene::layout(&sizes).unwrap()).unwrap();
    let mut scratch = Memory::new(detect_scratch(&sizes, &bodies, &settings, 1).unwrap()).unwrap();
    let mut scene = Scene::init(&mut block, &sizes).unwrap();
    let found = scene.detect(&Serial, Isa::best(), &bodies, &settings, &mut scratch).unwrap();
    assert_eq!((found.pairs, found.contacts), (2, 2));
    let scene = scene.as_ref();
    let corners = |most: usize| {
        let limits = CornerLimits { most, ..LIMITS };
        let mut out = vec![Corner::default(); 20];
        let mut scratch = Memory::new(scene.corners_scratch(&bodies, limits, out.len(), 1).unwrap()).unwrap();
        let n = scene.corners(&Serial, Isa::best(), &bodies, limits, &mut out, &mut scratch).unwrap();
        let of = |contact: u32| out[..n].iter().filter(|c| c.contact == contact).copied().collect::<Vec<_>>();
        [of(0), of(1)]
    };
    let [leaning, flat] = corners(CornerLimits::ALL);
    assert_eq!((leaning.len(), flat.len()), (5, 4));
    assert!((leaning[0].gap - gap).abs() < 1e-9 && leaning[0].position[0].abs() < 1e-9, "{leaning:?}");
    assert!(leaning[1..].iter().all(|c| (c.gap - gap - rise).abs() < 1e-9), "{leaning:?}");
    // The other end of the ridge lies between two corners that are higher.
    assert!(leaning.iter().all(|c| (c.gap_error - rise).abs() < 1e-9), "{leaning:?}");
    assert!(flat.iter().all(|c| c.gap_error < 1e-12), "{flat:?}");
    // The deepest point says of no gap that it is larger than it is.
    let [leaning, flat] = corners(1);
    assert!(leaning.len() == 1 && flat.len() == 1 && leaning[0].gap_error == 0.0 && flat[0].gap_error < 1e-12);
}

/// Halos of a tenth of a box: the normal of a small contact at an edge lies nearly in the faces that meet there, and along it one of these may be far behind the other.
#[test]
fn bodies_that_hardly_touch_have_no_corners_deep_in_each_other() {
    let halo = 0.06;
    let body = Body::conservative(&cuboid([1.0, 0.8, 0.6]), halo);
    let side = surface(&body, true);
    let shapes = [Shape::Mesh(&side)];
    let mut random = Random::new(6);
    let (mut apart, mut touching, mut many) = (0, 0, 0);
    for i in 0..400 {
        // Where it was noticed, higher and lower, and anywhere.
        let known = [-0.0241354293, 0.8403644661, 0.4542178544 + 2e-4 * f64::from(i - 100)];
        let turned = [-0.8636297038, -0.1358328524, 0.2822727841, 0.3949876319];
        let (position, turn) = if i < 200 { (known, turned) } else { (random.in_cube(0.9), random.rotation()) };
        let (positions, turns) = ([[0.0; 3], position], [[0.0, 0.0, 0.0, 1.0], turn]);
        let bodies = Bodies {
            orientations: Some(Array::from_quaternions(&turns)),
            ..Bodies::new(&shapes, Words::from_slice(&[0, 0]), Array::from_f64(&positions))
        };
        for grouping in [Grouping::default(), Grouping::PATCHES] {
            let mut scene = OwnedScene::new(Threads::new(1).unwrap());
            scene.settings.grouping = grouping;
            scene.detect(&bodies).unwrap();
            let view = scene.view().unwrap();
            let contacts = view.now().contacts();
            let depth = contacts.iter().fold(0.0, |most, c| f64::max(most, -c.least_gap));
            if contacts.is_empty() || depth > 0.1 * halo || contacts.iter().any(|c| c.status & status::DOUBTFUL != 0) {
                continue;
            }
            let limits = CornerLimits { most: CornerLimits::ALL, ..LIMITS };
            let mut out = vec![Corner::default(); 400];
            let mut scratch = Memory::new(view.corners_scratch(&bodies, limits, out.len(), 1).unwrap()).unwrap();
            let count = view.corners(&Serial, Isa::best(), &bodies, limits, &mut out, &mut scratch).unwrap();
            for corner in &out[..count] {
                let c = &contacts[corner.contact as usize];
                assert!(corner.gap >= -2.0 * depth - halo / 32.0, "{i}: {corner:?} {c:?}");
            }
            (apart, touching) = if depth > 0.0 { (apart, touching + 1) } else { (apart + 1, touching) };
            many += usize::from(count > contacts.len());
        }
    }
    assert!(apart > 200 && touching > 20 && many > 100, "{apart} {touching} {many}");
}
