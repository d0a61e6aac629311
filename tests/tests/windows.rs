//! Windows of a world that end early: what is refused leaves the accepted state, and nothing under way.

use dem_core::body::Body;
use dem_core::contact::shape::Shape;
use dem_core::detect::Settings;
use dem_core::error::{Error, Kind, What};
use dem_core::exec::Serial;
use dem_core::force::{Interaction, Laws, Normal};
use dem_core::pose::Pose;
use dem_core::simd::Isa;
use dem_core::world::{BodyDef, Law, Records, Setup, StepInputs, World, WorldSizes};
use dem_std::OwnedWorld;
use dem_tests::contact::{self, cuboid};
use dem_tests::shapes::{ground, part, sphere, surface};
use dem_tests::worlds::{Own, SIZES, settings};

const HALO: f64 = 0.02;
const DT: f64 = 1e-3;

fn told(error: Error) -> (Kind, What) {
    (error.kind, error.what)
}

/// The ground, a cube and a ball that lie on it.
fn members() -> [BodyDef; 3] {
    let cube = Body::fixed(Pose { position: [3.0, 0.0, 0.51], ..Pose::IDENTITY });
    let ball = Body::ball(0.25, 800.0, [0.0, 0.0, 0.265]).unwrap();
    [BodyDef::new(Body::fixed(Pose::IDENTITY), 0), BodyDef::new(cube, 2), BodyDef::new(ball, 1)]
}

fn advance(own: &mut Own, length: f64, shapes: &[Shape<'_>], settings: Settings, law: &impl Law) -> Result<(), Error> {
    let drive = StepInputs { shapes, exec: &Serial, isa: Isa::best(), settings, law };
    World::open(&mut own.block).unwrap().advance(length, DT, &drive, &mut own.scratch)
}

#[test]
fn what_is_refused_leaves_no_window_under_way() {
    let cube = contact::Body::conservative(&cuboid([1.0; 3]), HALO);
    let cube = surface(&cube, true);
    let shapes = [ground(HALO), sphere(0.25, HALO), Shape::Mesh(&cube)];
    let table = [Interaction::new(Normal::Linear, 2e5)];
    let laws = Laws::new(&table).unwrap();
    let mut own = Own::new(&SIZES);
    let handles = members().map(|member| own.world().add(&member).unwrap());
    advance(&mut own, 0.01, &shapes, settings(), &laws).unwrap();
    let mut hash = own.view().state_hash();
    let no_number = Settings { bound: f64::NAN, ..settings() };
    let backwards = Settings { skin: -1.0, ..settings() };
    for (shapes, settings, expected) in [
        (&shapes[..2], settings(), (Kind::BadIndex, What::ShapeNumbers)),
        (&shapes[..], no_number, (Kind::NotFinite, What::Bound)),
        (&shapes[..], backwards, (Kind::OutOfRange, What::Skin)),
    ] {
        assert_eq!(told(advance(&mut own, 0.01, shapes, settings, &laws).unwrap_err()), expected);
        assert_eq!(own.view().state_hash(), hash);
        // Nothing is under way: bodies may join and leave.
        let more = own.world().add(&members()[2]).unwrap();
        own.world().remove(more).unwrap();
        hash = own.view().state_hash();
    }
    // In the middle of a window: it ends at the last accepted step, wherever that is.
    own.world().loads_mut().unwrap()[2].force[0] = f64::NAN;
    let error = advance(&mut own, 0.01, &shapes, settings(), &laws).unwrap_err();
    assert_eq!((told(error), error.index), ((Kind::NotFinite, What::Wrenches), 2));
    assert_eq!(own.view().mean_wrenches()[2].force, [0.0; 3]);
    own.world().loads_mut().unwrap()[2].force[0] = 0.0;
    // A material that the law does not know, by its slot.
    own.world().set_material(handles[2], 5).unwrap();
    let error = advance(&mut own, 0.01, &shapes, settings(), &laws).unwrap_err();
    assert_eq!((told(error), error.index), ((Kind::BadIndex, What::Materials), 2));
    assert_eq!((error.needed, error.given), (1, 5));
    own.world().set_material(handles[2], 0).unwrap();
    assert_eq!(own.view().state_hash(), hash);
    advance(&mut own, 0.01, &shapes, settings(), &laws).unwrap();
    // The shape of a body that has left is not asked for any more.
    own.world().remove(handles[1]).unwrap();
    advance(&mut own, 0.01, &shapes[..2], settings(), &laws).unwrap();
}

#[test]
fn too_little_room_leaves_the_window_which_is_not_another_one() {
    let shapes = [ground(HALO), sphere(0.25, HALO)];
    let table = [Interaction::new(Normal::Linear, 2e5)];
    let laws = Laws::new(&table).unwrap();
    let mut own = Own::new(&WorldSizes { contacts: 0, ..SIZES });
    let [ground, _, ball] = members();
    let handle = own.world().add(&ground).unwrap();
    own.world().add(&ball).unwrap();
    assert_eq!(advance(&mut own, 0.01, &shapes, settings(), &laws).unwrap_err().kind, Kind::Capacity);
    let other = advance(&mut own, 0.02, &shapes, settings(), &laws).unwrap_err();
    assert_eq!(told(other), (Kind::Mismatch, What::Window));
    assert!(own.world().remove(handle).is_err());
    own.world().abandon().unwrap();
    own.world().remove(handle).unwrap();
}

/// The look for bodies that are too fast meets more pairs than contacts have: its room grows like any other.
#[test]
fn fast_bodies_get_the_room_that_the_look_at_them_takes() {
    let table = [Interaction::new(Normal::Linear, 1e5)];
    let laws = Laws::new(&table).unwrap();
    let shapes = [sphere(0.19, 0.01)];
    let member = |i: usize| {
        let position = [i % 6, i / 6 % 6, i / 36].map(|k| 0.8 * k as f64);
        let body = Body { velocity: [60.0, 60.0, 0.0], ..Body::ball(0.2, 1000.0, position).unwrap() };
        BodyDef::new(body, 0)
    };
    let mut world = OwnedWorld::with_executor(Box::new(Serial));
    let mut own = Own::new(&WorldSizes { bodies: 200, candidates: 64, ..SIZES });
    for i in 0..200 {
        world.add(&member(i)).unwrap();
        own.world().add(&member(i)).unwrap();
    }
    world.advance(0.02, 1e-2, &shapes, &laws).unwrap();
    assert_eq!(world.view().unwrap().time(), 0.02);
    // Where the host makes room it is told of what there is too little.
    let drive = StepInputs { shapes: &shapes, exec: &Serial, isa: Isa::best(), settings: settings(), law: &laws };
    let error = World::open(&mut own.block).unwrap().advance(0.02, 1e-2, &drive, &mut own.scratch).unwrap_err();
    assert_eq!(told(error), (Kind::Capacity, What::Candidates));
    assert!(error.needed > 64 && error.given == 64);
}

#[test]
fn a_window_that_began_without_room_for_means_has_none() {
    // Compounds of balls make a world without records get room at the end of its first window: by then nothing is known of its begin.
    let halves = [-0.3, 0.3].map(|x| part(sphere(0.3, 0.01), [x, 0.0, 0.0]));
    let shapes = [ground(0.01), sphere(0.5, 0.01), Shape::Compound(&halves)];
    let table = [Interaction::new(Normal::Linear, 1e6)];
    let laws = Laws::new(&table).unwrap();
    let mut world = OwnedWorld::with_executor(Box::new(Serial));
    world.keep_records(Records::None).unwrap();
    world.set_up(&Setup { gravity: [0.0, 0.0, -9.81], ..Setup::default() }).unwrap();
    world.add(&BodyDef::new(Body::fixed(Pose::IDENTITY), 0)).unwrap();
    let ball = |position| Body::ball(0.5, 1e3, position).unwrap();
    let handles = [
        world.add(&BodyDef::new(ball([0.0, 0.0, 0.51]), 1)).unwrap(),
        world.add(&BodyDef::new(ball([0.0, 3.0, 0.31]), 2)).unwrap(),
    ];
    let mut told = 0;
    for _ in 0..4 {
        let bodies = handles.map(|handle| world.view().unwrap().body(handle).unwrap());
        world.advance(1e-3, 1e-4, &shapes, &laws).unwrap();
        let view = world.view().unwrap();
        if view.mean_wrenches().is_empty() {
            continue;
        }
        told += 1;
        for (handle, before) in handles.into_iter().zip(bodies) {
            let force = before.mass * ((view.body(handle).unwrap().velocity[2] - before.velocity[2]) / 1e-3 + 9.81);
            let mean = view.mean_wrenches()[handle.slot as usize].force[2];
            assert!((mean - force).abs() < 1e-6 * force.abs(), "{mean} {force}");
        }
    }
    assert_eq!(told, 3);
}
