//! Balls beside boxes: their own pairs without records, within steps that find all other contacts.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use dem_core::body::Body;
use dem_core::contact::Contact;
use dem_core::contact::shape::Shape;
use dem_core::detect::laws::{ContactInput, ContactResponse, ForceLaw};
use dem_core::detect::{Carry, ScenePair};
use dem_core::error::Kind;
use dem_core::exec::Serial;
use dem_core::force::{Laws, Pair};
use dem_core::pose::Pose;
use dem_core::simd::Isa;
use dem_core::world::{BodyDef, Law, LawContext, Records, SPRINGS, World, WorldSizes};
use dem_std::{OwnedWorld, Threads};
use dem_tests::contact::{self, cuboid};
use dem_tests::random::Random;
use dem_tests::shapes::surface;
use dem_tests::vector::{length, sub};

use super::{AMPLE, Case, Faulty, HALO, Roomy, SHAPES, difference, roomier};

/// Laws that count the pairs of bodies with records.
struct Watched<'l> {
    laws: Laws<'l>,
    known: bool,
    pairs: AtomicUsize,
}

struct Watch<'b>(Pair<'b>, &'b AtomicUsize);

impl<'b> ForceLaw<SPRINGS> for Watch<'b> {
    type Pair = <Pair<'b> as ForceLaw<SPRINGS>>::Pair;

    fn carry(&self) -> [Carry; SPRINGS] {
        self.0.carry()
    }

    fn arm(&self, pair: &Self::Pair) -> Option<usize> {
        self.0.arm(pair)
    }

    fn pair(&self, pair: &ScenePair, contacts: &[Contact]) -> Self::Pair {
        self.1.fetch_add(1, Relaxed);
        self.0.pair(pair, contacts)
    }

    fn act(&self, at: &ContactInput<'_, SPRINGS>, pair: &Self::Pair) -> ContactResponse<SPRINGS> {
        self.0.act(at, pair)
    }
}

impl<'l> Law for Watched<'l> {
    type Of<'b>
        = Watch<'b>
    where
        'l: 'b;

    fn of<'b>(&'b self, around: LawContext<'b>) -> Watch<'b> {
        Watch(self.laws.of(around), &self.pairs)
    }

    fn known(&self) -> Option<Laws<'_>> {
        self.known.then_some(self.laws)
    }

    fn spread(&self) -> bool {
        self.laws.spread()
    }
}

/// Balls that fall on a tilted plane, boxes among them, and a wall of triangles that stands on it.
pub(super) fn heap(periods: [f64; 3]) -> Case {
    let mut case = Case::heap();
    let mut random = Random::new(11);
    case.setup.periods = periods;
    if periods != [0.0; 3] {
        // Else a ball that is put in again at the other side is within the plane.
        case.members[0].body.orientation = Pose::IDENTITY.orientation;
    }
    for i in [8_u64, 22, 36, 47, 73, 90] {
        let member = &mut case.members[i as usize];
        let m = 0.9;
        let moment = |a: f64, b: f64| m / 12.0 * (a * a + b * b);
        let body = &mut member.body;
        (body.mass, body.moments) = (m, [moment(0.7, 0.5), moment(0.8, 0.5), moment(0.8, 0.7)]);
        body.orientation = random.rotation();
        (member.shape, member.scale) = (2, 1.0);
    }
    let pose = Pose { position: [2.0, 2.0, -0.2], ..Pose::IDENTITY };
    case.members.push(BodyDef { id: Some(3), ..BodyDef::new(Body::fixed(pose), 3) });
    case
}

pub(super) fn with_shapes<R>(test: impl FnOnce(&[Shape<'_>]) -> R) -> R {
    let [block, wall] = [[0.8, 0.7, 0.5], [0.4, 7.0, 3.0]].map(|size| contact::Body::conservative(&cuboid(size), HALO));
    let [block, wall] = [&block, &wall].map(|mesh| surface(mesh, true));
    test(&[SHAPES[0], SHAPES[1], Shape::Mesh(&block), Shape::Mesh(&wall)])
}

/// The world after these windows, and how many pairs of bodies had records in all of their steps.
fn run(case: &Case, windows: &[usize], known: bool, change: impl FnOnce(&mut OwnedWorld)) -> (OwnedWorld, usize) {
    with_shapes(|shapes| {
        let law = Watched { laws: Laws::new(&case.table).unwrap(), known, pairs: AtomicUsize::new(0) };
        let mut world = OwnedWorld::with_executor(Box::new(Serial));
        change(&mut world);
        world.set_up(&case.setup).unwrap();
        case.members.iter().for_each(|member| _ = world.add(member).unwrap());
        for steps in windows {
            world.advance(*steps as f64 * case.dt, case.dt, shapes, &law).unwrap();
        }
        (world, law.pairs.into_inner())
    })
}

#[test]
fn balls_beside_boxes_come_to_what_general_steps_come_to() {
    for periods in [[0.0; 3], [5.6, 5.6, 0.0]] {
        let case = heap(periods);
        let windows = [200, 1, 2, 40, 5];
        let (own, few) = run(&case, &windows, true, |_| {});
        let (general, all) = run(&case, &windows, false, |_| {});
        assert!(few * 2 < all && few > 300, "{few} of {all} pairs had records");
        let apart = difference(&own, &general, periods);
        assert!(apart < 1e-9, "{apart:e}");
        let [x, y] = [&own, &general].map(|world| world.report().unwrap());
        assert!(x.contacts > 30, "{} contacts", x.contacts);
        assert_eq!((x.contacts, x.pairs, x.steps, x.time), (y.contacts, y.pairs, y.steps, y.time));
        for (a, b) in [
            (x.work, y.work),
            (x.gravity_work, y.gravity_work),
            (x.damped, y.damped),
            (x.rubbed, y.rubbed),
            (x.stored_normal, y.stored_normal),
            (x.stored_tangential, y.stored_tangential),
            (x.coordination, y.coordination),
            (x.driven_work, y.driven_work),
            (x.spurious, y.spurious),
        ] {
            assert!((a - b).abs() < 1e-8 * (1.0 + b.abs()), "{a} {b}");
        }
        let [x, y] = [&own, &general].map(|world| world.view().unwrap());
        let slid = x.springs().iter().fold(0.0f64, |most, springs| most.max(length(springs[0])));
        assert!(slid > 1e-3, "{slid}");
        for (a, b) in x.springs().iter().zip(y.springs()) {
            (0..3).for_each(|k| assert!(length(sub(a[k], b[k])) < 1e-7, "{a:?} {b:?}"));
        }
    }
}

#[test]
fn neither_lists_nor_instructions_nor_threads_change_a_bit_of_balls_beside_boxes() {
    let case = heap([0.0; 3]);
    let hash = |change: &dyn Fn(&mut OwnedWorld)| run(&case, &[120, 20], true, change).0.view().unwrap().state_hash();
    let first = hash(&|_| {});
    for skin in [1e-3, 0.03, 0.2] {
        assert_eq!(hash(&|world| world.settings.skin = skin), first, "skin {skin}");
    }
    for isa in Isa::list() {
        assert_eq!(hash(&|world| world.isa = *isa), first, "{}", isa.name());
    }
    for threads in [2, 3] {
        assert_eq!(hash(&|world| *world = OwnedWorld::new(Threads::new(threads).unwrap())), first, "{threads} threads");
    }
    assert_eq!(hash(&|world| *world = OwnedWorld::with_executor(Box::new(Faulty(3)))), first);
}

#[test]
fn balls_beside_boxes_join_and_leave_between_windows() {
    let case = heap([0.0; 3]);
    let run = |known: bool, records: Records| {
        with_shapes(|shapes| {
            let law = Watched { laws: Laws::new(&case.table).unwrap(), known, pairs: AtomicUsize::new(0) };
            let mut world = OwnedWorld::with_executor(Box::new(Serial));
            world.keep_records(records).unwrap();
            world.set_up(&case.setup).unwrap();
            let handles: Vec<_> = case.members.iter().map(|member| world.add(member).unwrap()).collect();
            world.advance(160.0 * case.dt, case.dt, shapes, &law).unwrap();
            // Balls and a box leave.
            handles.iter().skip(1).step_by(7).for_each(|handle| world.remove(*handle).unwrap());
            world.advance(10.0 * case.dt, case.dt, shapes, &law).unwrap();
            let new = Body::ball(0.5, 1.0, [2.0, 2.0, 12.0]).unwrap();
            world.add(&BodyDef { id: Some(7), ..BodyDef::new(new, 0) }).unwrap();
            world.advance(30.0 * case.dt, case.dt, shapes, &law).unwrap();
            world
        })
    };
    let general = run(false, Records::Last);
    for records in [Records::Last, Records::None] {
        let apart = difference(&run(true, records), &general, [0.0; 3]);
        assert!(apart < 1e-9, "{records:?} {apart:e}");
    }
}

/// Too little room within a step changes no bit; nor does a copy of the block that is made there; and the window can be ended.
#[test]
fn too_little_room_beside_boxes_changes_no_bit() {
    let case = heap([0.0; 3]);
    with_shapes(|shapes| {
        let law = Watched { laws: Laws::new(&case.table).unwrap(), known: true, pairs: AtomicUsize::new(0) };
        let ample = AMPLE;
        let mut with_room = Roomy::new(&case, ample);
        with_room.advance_with(shapes, 150, case.dt, &law).unwrap();
        let mut short = Roomy::new(
            &case,
            WorldSizes { candidates: 1, contacts: 1, nodes: 1, ball_pairs: 1, ball_contacts: 1, ..ample },
        );
        let start = short.hash();
        let (mut seen, mut ended) = ([0; 5], 0);
        while let Err(error) = short.advance_with(shapes, 150, case.dt, &law) {
            assert_eq!(error.kind, Kind::Capacity, "{error:?}");
            let hash = short.hash();
            assert_eq!(short.advance_with(shapes, 150, case.dt, &law), Err(error));
            assert_eq!(short.hash(), hash);
            // A copy of which the window is ended goes on as one that was never tried.
            if World::open(&mut short.block).unwrap().as_ref().steps() == 0 {
                let mut copy = short.copied();
                World::open(&mut copy.block).unwrap().abandon().unwrap();
                assert_eq!(copy.hash(), start);
                ended += 1;
            }
            let (place, sizes) = roomier(&error, &short.sizes);
            seen[place] += 1;
            short.grow(sizes);
        }
        assert!(seen.iter().all(|count| *count >= 1) && ended > 0, "{seen:?} {ended}");
        assert_eq!(short.hash(), with_room.hash());
    });
}
