//! Bodies that overlap before the first step.

use super::*;

/// Balls and cubes on the ground, fast ones among them: all that overlap are told, the deepest first, and nothing else changes.
#[test]
fn bodies_that_overlap_are_told_before_the_first_step() {
    let cube = contact::Body::conservative(&cuboid([1.0; 3]), HALO);
    let cube = surface(&cube, true);
    let shapes = [ground(HALO), sphere(0.5, HALO), Shape::Mesh(&cube)];
    let mut world = OwnedWorld::with_executor(Box::new(Serial));
    world.settings.room.segments = 256;
    assert!(world.overlaps(&shapes, &rough).unwrap().is_empty());
    world.add(&BodyDef { id: Some(90), ..BodyDef::new(Body::fixed(Pose::IDENTITY), 0) }).unwrap();
    let places = [[0.0, 0.0, 0.5], [3.0, 0.0, 0.497], [3.0, 0.99, 0.51], [6.0, 0.0, 0.48], [9.0, 0.0, 0.51]];
    for (i, position) in places.into_iter().enumerate() {
        let fast = [0.0, 0.0, if i == 3 { -500.0 } else { 0.0 }];
        let body = Body { velocity: fast, ..Body::ball(0.5, 1000.0, position).unwrap() };
        let shape = if i == 3 { 2 } else { 1 };
        world.add(&BodyDef { id: Some(80 - i as u64), ..BodyDef::new(body, shape) }).unwrap();
    }
    let before = (world.view().unwrap().state_hash(), world.view().unwrap().phase());
    let told = world.overlaps(&shapes, &rough).unwrap();
    let pairs: Vec<_> = told.iter().map(|pair| pair.ids).collect();
    assert_eq!(pairs, [[77, 90], [78, 79], [79, 90]]);
    for (pair, depth) in told.iter().zip([0.02, 1.0 - 0.99f64.hypot(0.013), 0.003]) {
        assert!((pair.least_gap + depth).abs() < 1e-9, "{pair:?} {depth}");
    }
    assert_eq!((world.view().unwrap().state_hash(), world.view().unwrap().phase()), before);
    // A report names the deepest pair, within a step and behind it.
    assert_eq!((world.report().unwrap().deepest, world.report().unwrap().least_gap), ([0; 2], f64::INFINITY));
    world.begin(&StepOptions { loads: true, ..StepOptions::new(1e-9) }).unwrap();
    assert_eq!(world.overlaps(&shapes, &rough).unwrap_err().what, What::Phase);
    while world.poll(&shapes, &rough).unwrap() != PollResult::Loads {}
    let within = world.report().unwrap();
    assert_eq!((within.deepest, within.least_gap), ([77, 90], told[0].least_gap));
    while world.poll(&shapes, &rough).unwrap() != PollResult::Done {}
    world.accept().unwrap();
    assert_eq!(world.report().unwrap().deepest, [77, 90]);
}

/// More pairs than there is room for at first, of equal depths, too; and bodies so fast that nobody can look.
#[test]
fn all_pairs_are_told_and_the_law_is_not_asked() {
    let shapes = [sphere(0.5, HALO)];
    let mut world = OwnedWorld::with_executor(Box::new(Serial));
    let place = |i: usize| if i.is_multiple_of(2) { i as f64 } else { i as f64 + 0.25 };
    let ball = |i: usize| Body::ball(0.5, 1000.0, [0.75 * place(i), 0.0, 0.0]).unwrap();
    let handles: Vec<_> = (0..100).map(|i| world.add(&BodyDef::new(ball(i), 0)).unwrap()).collect();
    let told = world.overlaps(&shapes, &never).unwrap();
    assert_eq!(told.len(), 99);
    assert!(told.is_sorted_by(|x, y| x.least_gap < y.least_gap || (x.least_gap == y.least_gap && x.ids < y.ids)));
    assert!((told[0].least_gap + 0.4375).abs() < 1e-9 && (told[98].least_gap + 0.0625).abs() < 1e-9, "{told:?}");

    world.set_body(handles[3], &Body { velocity: [1e29, 0.0, 0.0], ..ball(3) }).unwrap();
    let error = world.overlaps(&shapes, &never).unwrap_err();
    assert_eq!((error.kind, error.what), (Kind::TooLarge, What::TimeStep));
    assert!(error.index == 3 || error.component == 3, "{error}");
    assert_eq!(world.view().unwrap().phase(), Phase::Idle);
}

/// Springs of balls are beside their pairs then. The look copies them into records, and takes them back: neither the hash nor a bit of later steps changes.
#[test]
fn a_world_without_records_continues_to_the_bit() {
    let shapes = [ground(0.005), sphere(0.1, 0.005)];
    let table = [Interaction::new(Normal::Linear, 1e5).damped(Damping::Dashpot, 0.3).rough(0.8, 0.8)];
    let laws = Laws::new(&table).unwrap();
    let [mut looked, mut same] = [(); 2].map(|()| {
        let mut world = OwnedWorld::with_executor(Box::new(Serial));
        world.keep_records(Records::None).unwrap();
        world.set_up(&down()).unwrap();
        world.add(&BodyDef { id: Some(9), ..BodyDef::new(Body::fixed(Pose::IDENTITY), 0) }).unwrap();
        for i in 0..40 {
            // The first one is so heavy that it is in the ground.
            let (density, height) = if i == 0 { (5e4, 0.09) } else { (1e3, 0.1095) };
            let ball = Body::ball(0.1, density, [0.5 * f64::from(i), 0.0, height]).unwrap();
            let body = Body { angular_velocity: [0.0, 0.3, 0.5], ..ball };
            world.add(&BodyDef { id: Some(10 + i as u64), ..BodyDef::new(body, 1) }).unwrap();
        }
        world.advance(0.01, 1e-4, &shapes, &laws).unwrap();
        world
    });
    let hash = |world: &OwnedWorld| world.view().unwrap().state_hash();
    assert_eq!(hash(&looked), hash(&same));
    let told = looked.overlaps(&shapes, &laws).unwrap();
    assert_eq!(told.iter().map(|pair| pair.ids).collect::<Vec<_>>(), [[9, 10]]);
    assert_eq!(looked.view().unwrap().bodies(), same.view().unwrap().bodies());
    assert_eq!(hash(&looked), hash(&same));
    for world in [&mut looked, &mut same] {
        world.advance(0.01, 1e-4, &shapes, &laws).unwrap();
    }
    assert_eq!(looked.view().unwrap().bodies(), same.view().unwrap().bodies());
    assert_eq!(hash(&looked), hash(&same));
}
