//! What is refused, and changes nothing.

use super::*;

#[test]
fn misuse_is_refused_and_changes_nothing() {
    let shapes = [ground(HALO), sphere(0.25, HALO)];
    let (mut own, handles) = filled(&[
        BodyDef { id: Some(4), ..BodyDef::new(Body::fixed(Pose::IDENTITY), 0) },
        BodyDef { id: Some(5), ..BodyDef::new(Body::ball(0.25, 800.0, [0.0, 0.0, 0.26]).unwrap(), 1) },
    ]);
    let hash = own.view().state_hash();
    let ball = BodyDef::new(Body::ball(0.25, 800.0, [0.0; 3]).unwrap(), 1);
    let told = |error: dem_core::error::Error| (error.kind, error.what);
    assert_eq!(told(own.poll(&shapes, &rough, &Serial).unwrap_err()), (Kind::Unsupported, What::Phase));
    assert_eq!(told(own.world().accept().unwrap_err()), (Kind::Unsupported, What::Phase));
    assert_eq!(told(own.world().abandon().unwrap_err()), (Kind::Unsupported, What::Phase));
    assert_eq!(told(own.world().law_mut().err().unwrap()), (Kind::Unsupported, What::Phase));
    for dt in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert_eq!(own.world().begin(&StepOptions::new(dt)).unwrap_err().what, What::TimeStep);
    }
    let cases = [
        (BodyDef { id: Some(5), ..ball }, Kind::Duplicate, What::Ids),
        (BodyDef { id: Some(OWN_IDS), ..ball }, Kind::OutOfRange, What::Ids),
        (BodyDef { scale: 0.0, ..ball }, Kind::OutOfRange, What::Scales),
        (BodyDef { scale: f64::NAN, ..ball }, Kind::NotFinite, What::Scales),
        (BodyDef { groups: 0, ..ball }, Kind::OutOfRange, What::Groups),
        (BodyDef { body: Body { mass: 0.0, ..ball.body }, ..ball }, Kind::OutOfRange, What::Mass),
        (BodyDef { body: Body { moments: [0.0; 3], ..ball.body }, ..ball }, Kind::OutOfRange, What::Moments),
        (BodyDef { body: Body { position: [f64::NAN; 3], ..ball.body }, ..ball }, Kind::NotFinite, What::Positions),
    ];
    for (member, kind, what) in cases {
        assert_eq!(told(own.world().add(&member).unwrap_err()), (kind, what));
    }
    let bad = Setup { periods: [-1.0, 0.0, 0.0], ..Setup::default() };
    assert_eq!(told(own.world().set_up(&bad).unwrap_err()), (Kind::OutOfRange, What::Periods));
    let bad = Setup { order: 7, ..Setup::default() };
    assert_eq!(told(own.world().set_up(&bad).unwrap_err()), (Kind::OutOfRange, What::Order));
    assert_eq!(own.view().state_hash(), hash);
    // Within a step.
    own.world().begin(&StepOptions::new(DT)).unwrap();
    assert_eq!(told(own.world().begin(&StepOptions::new(DT)).unwrap_err()), (Kind::Unsupported, What::Phase));
    assert_eq!(told(own.world().add(&ball).unwrap_err()), (Kind::Unsupported, What::Phase));
    assert_eq!(told(own.world().remove(handles[1]).unwrap_err()), (Kind::Unsupported, What::Phase));
    assert_eq!(told(own.world().set_body(handles[1], &ball.body).unwrap_err()), (Kind::Unsupported, What::Phase));
    assert_eq!(told(own.world().set_up(&down()).unwrap_err()), (Kind::Unsupported, What::Phase));
    assert_eq!(told(own.world().loads_mut().err().unwrap()), (Kind::Unsupported, What::Phase));
    assert_eq!(told(own.world().accept().unwrap_err()), (Kind::Unsupported, What::Phase));
    // A shape that is not there, and a law that gives no number: the step stands where it stood.
    let error = own.poll(&shapes[..1], &rough, &Serial).unwrap_err();
    assert_eq!((error.kind, error.what, error.index), (Kind::BadIndex, What::ShapeNumbers, 1));
    assert_eq!(own.poll(&shapes, &rough, &Serial).unwrap(), PollResult::More);
    // Other shapes than contacts were found with: another size, kind or number of them.
    let [floor, _] = shapes;
    let others: [&[Shape<'_>]; 4] =
        [&[floor, sphere(0.3, HALO)], &[floor, floor], &shapes[..1], &[floor, sphere(0.25, 2.0 * HALO)]];
    for other in others {
        let error = own.poll(other, &rough, &Serial).unwrap_err();
        assert_eq!(told(error), (Kind::Mismatch, What::Shapes));
    }
    let error = own.poll(&shapes, &never, &Serial).unwrap_err();
    assert_eq!((error.kind, error.what, error.needed, error.given), (Kind::NotFinite, What::Acts, 4, 5));
    assert_eq!(own.poll(&shapes, &rough, &Serial).unwrap(), PollResult::More);
    assert_eq!(own.poll(&shapes, &rough, &Serial).unwrap(), PollResult::Done);
    assert_eq!(told(own.poll(&shapes, &rough, &Serial).unwrap_err()), (Kind::Unsupported, What::Phase));
    assert_eq!(own.view().state_hash(), hash);
    own.world().accept().unwrap();
    assert_eq!(told(own.world().accept().unwrap_err()), (Kind::Unsupported, What::Phase));
    assert_ne!(own.view().state_hash(), hash);
    // Loads that are no numbers.
    own.world().loads_mut().unwrap()[1].torque[2] = f64::NAN;
    own.world().begin(&StepOptions::new(DT)).unwrap();
    let error = loop {
        match own.poll(&shapes, &rough, &Serial) {
            Ok(_) => {}
            Err(error) => break error,
        }
    };
    assert_eq!((error.kind, error.what, error.index, error.component), (Kind::NotFinite, What::Wrenches, 1, 5));
    own.world().abandon().unwrap();
    own.world().loads_mut().unwrap()[1] = Wrench::default();
    own.step(DT, &shapes, &rough, &Serial);
    own.world().abandon().unwrap();
    assert!(own.world().remove(handles[1]).is_ok());
}

#[test]
fn a_window_that_is_refused_leaves_the_step_under_way() {
    with_shapes(|shapes| {
        let mut world = OwnedWorld::with_executor(Box::new(Serial));
        for member in heap(4) {
            world.add(&member).unwrap();
        }
        world.begin(&StepOptions::new(DT)).unwrap();
        world.poll(shapes, &rough).unwrap();
        assert_eq!(world.advance(DT, DT, shapes, &rough).unwrap_err().what, What::Phase);
        while world.poll(shapes, &rough).unwrap() != PollResult::Done {}
        world.accept().unwrap();
        assert_eq!(world.view().unwrap().steps(), 1);
    });
}
