//! Lists of near triangles: contacts from a list, at poses within its margin, have the same bits as those of a new
//! search.

use dem_core::contact::regions::Grouping;
use dem_core::contact::shape::{
    Part, Placed, Request, Shape, Surface, list_pairs, list_pairs_scratch, listed_contacts, shape_contacts,
    shape_scratch,
};
use dem_core::contact::{Contact, ContactCounts, Room};
use dem_core::error::{Error, Kind, Result, What};
use dem_core::exec::{Executor, Serial, Work};
use dem_core::pose::Pose;
use dem_core::simd::Isa;
use dem_std::{Memory, Threads};
use dem_tests::cases;
use dem_tests::contact::{Body, HALO, after, at, cuboid, deep_bodies, grown, near_bodies, soup};
use dem_tests::random::Random;
use dem_tests::shapes::{all, ground, placed, sphere, surface};
use dem_tests::vector::{add, length, scale};

/// A list with as much room as it takes.
fn listed(isa: Isa, a: &Placed<'_>, b: &Placed<'_>, margin: f64) -> Vec<u64> {
    let mut scratch = Memory::new(list_pairs_scratch(a, b).unwrap()).unwrap();
    let needed = list_pairs(isa, a, b, margin, &mut [], &mut scratch).unwrap_err();
    assert_eq!((needed.kind, needed.what), (Kind::Capacity, What::PairList));
    let mut list = vec![u64::MAX; needed.needed as usize];
    assert_eq!(list_pairs(isa, a, b, margin, &mut list, &mut scratch), Ok(list.len()));
    list
}

fn patches(room: Room) -> Request {
    Request { grouping: Grouping::PATCHES, ..Request::new(7, room) }
}

fn contacts(
    exec: &dyn Executor,
    isa: Isa,
    a: &Placed<'_>,
    b: &Placed<'_>,
    list: &[u64],
) -> (Vec<Contact>, ContactCounts) {
    grown(
        |room| shape_scratch(a, b, room, exec.width()),
        |room, out, scratch| listed_contacts(Work::new(exec, isa, scratch), a, b, list, &patches(room), out, None),
    )
}

fn refused(a: &Placed<'_>, b: &Placed<'_>, list: &[u64]) -> Result<()> {
    let room = Room { pairs: 1 << 16, terms: 1 << 16, segments: 1 << 12 };
    let mut scratch = Memory::new(shape_scratch(a, b, room, 1)?)?;
    let mut out = vec![Contact::default(); 1 << 12];
    listed_contacts(Work::new(&Serial, Isa::best(), &mut scratch), a, b, list, &patches(room), &mut out, None)
        .map(|_| ())
}

fn scaled<'a>(surface: &'a Surface<'a>, pose: &'a Pose, scale: f64) -> Placed<'a> {
    Placed { shape: Shape::Mesh(surface), pose, scale }
}

/// A pose whose points within `reach` of the origin move by less than `way`.
fn nudged(random: &mut Random, pose: &Pose, way: f64, reach: f64) -> Pose {
    let [x, y, z] = random.direction().map(|c| c * 0.25 * way / reach);
    let turn = [x, y, z, (1.0 - (x * x + y * y + z * z)).sqrt()];
    let step = scale(0.49 * way, random.direction());
    at(add(pose.position, step), after(turn, pose.orientation))
}

#[test]
fn contacts_of_a_list_are_those_of_a_search_anew_at_every_pose_within_its_margin() {
    let (threads, mut random) = (Threads::new(3).unwrap(), Random::new(11));
    let (mut met, mut emptied) = (0, 0);
    for case in 0..80 {
        let (a, pose_a, b, pose_b) = if case % 3 == 0 { deep_bodies(case) } else { near_bodies(case) };
        let bodies = [Body::new(&a, HALO), Body::new(&b, HALO)];
        let solid = case % 2 == 0;
        let [x, y] = [surface(&bodies[0], solid), surface(&bodies[1], solid)];
        let scales = if case % 4 == 0 { [0.7, 1.3] } else { [1.0, 1.0] };
        let margin = HALO * [0.0, 0.5, 4.0, 20.0][case as usize % 4];
        let isa = Isa::list()[case as usize % Isa::list().len()];

        let list = listed(isa, &scaled(&x, &pose_a, scales[0]), &scaled(&y, &pose_b, scales[1]), margin);
        for k in 0..4 {
            // Half of the margin is each body's.
            let reach = 4.0;
            let now = match k {
                0 => [pose_a, pose_b],
                _ => [&pose_a, &pose_b].map(|pose| nudged(&mut random, pose, 0.5 * margin, reach)),
            };
            let (a, b) = (scaled(&x, &now[0], scales[0]), scaled(&y, &now[1], scales[1]));
            let anew = all(&a, &b);
            assert_eq!(contacts(&Serial, isa, &a, &b, &list), anew, "case {case}");
            assert_eq!(contacts(&threads, Isa::best(), &a, &b, &list), anew, "case {case}");
            met += usize::from(!anew.0.is_empty());
            emptied += usize::from(anew.0.is_empty());
        }
    }
    assert!(met > 100 && emptied > 10, "{met} {emptied}");
}

#[test]
fn a_motion_of_both_bodies_is_none_and_one_beyond_the_margin_is_refused() {
    let (a, pose_a, b, pose_b) = near_bodies(5);
    let bodies = [Body::new(&a, HALO), Body::new(&b, HALO)];
    let [x, y] = [surface(&bodies[0], false), surface(&bodies[1], false)];
    let margin = 0.1;
    let list = listed(Isa::best(), &placed(Shape::Mesh(&x), &pose_a), &placed(Shape::Mesh(&y), &pose_b), margin);
    let check = |p: &Pose, q: &Pose| refused(&placed(Shape::Mesh(&x), p), &placed(Shape::Mesh(&y), q), &list);
    let far = at([300.0, -200.0, 50.0], [0.5, -0.5, 0.5, 0.5]);
    let carried = |pose: &Pose| dem_tests::contact::carried(&far, pose);
    assert_eq!(check(&carried(&pose_a), &carried(&pose_b)), Ok(()));
    let error = Error::new(Kind::OutOfRange, What::PairList);
    let left = Err(error);
    for way in [0.99, 1.01] {
        let moved = |pose: &Pose| at(add(pose.position, [0.0, way * margin, 0.0]), pose.orientation);
        let expected = if way < 1.0 { Ok(()) } else { left };
        assert_eq!(check(&pose_a, &moved(&pose_b)), expected);
        assert_eq!(check(&moved(&pose_a), &pose_b), expected);
    }
    // A common rotation about the world's origin does not count, a rotation of one body counts with its size.
    let turn = |angle: f64| [0.0, (0.5 * angle).sin(), 0.0, (0.5 * angle).cos()];
    assert_eq!(check(&pose_a, &at(pose_b.position, after(turn(0.02), pose_b.orientation))), Ok(()));
    assert_eq!(check(&pose_a, &at(pose_b.position, after(turn(0.5), pose_b.orientation))), left);
    let text = error.to_string();
    assert!(text.contains("moved by more than its margin; make it anew"), "{text}");
}

/// Halos that are wider take as much of a list's margin as a motion does.
#[test]
fn wider_halos_have_a_part_of_the_margin() {
    let (a, pose_a, b, pose_b) = near_bodies(5);
    let bodies = [Body::new(&a, HALO), Body::new(&b, HALO)];
    let [x, y] = [surface(&bodies[0], false), surface(&bodies[1], false)];
    let (p, listed_margin) = (placed(Shape::Mesh(&x), &pose_a), 0.1);
    let list = listed(Isa::best(), &p, &placed(Shape::Mesh(&y), &pose_b), listed_margin);
    let mut more = 0;
    for (margin, way, fits) in [
        (0.1, 0.0, true),
        (0.1 + 1e-12, 0.0, false),
        (0.3, 0.0, false),
        (0.06, 0.039, true),
        (0.06, 0.041, false),
        (0.0, 0.099, true),
    ] {
        let q = at(add(pose_b.position, [0.0, way, 0.0]), pose_b.orientation);
        let q = placed(Shape::Mesh(&y), &q);
        let find = |list: Option<&[u64]>, margin: f64| {
            let request = Request { margin, ..patches(Room { pairs: 1 << 12, terms: 1 << 12, segments: 1 << 9 }) };
            let mut scratch = Memory::new(request.scratch(&p, &q, 1).unwrap()).unwrap();
            let mut out = vec![Contact::default(); 1 << 12];
            let work = Work::new(&Serial, Isa::best(), &mut scratch);
            let found = match list {
                Some(list) => listed_contacts(work, &p, &q, list, &request, &mut out, None),
                None => shape_contacts(work, &p, &q, &request, &mut out, None),
            };
            found.map(|found| out[..found.contacts].to_vec())
        };
        let (found, anew) = (find(Some(&list), margin), find(None, margin).unwrap());
        more += usize::from(anew.len() > find(None, 0.0).unwrap().len());
        match fits {
            true => assert!(found.unwrap() == anew && !anew.is_empty(), "{margin} {way}"),
            false => assert_eq!(found.unwrap_err(), Error::new(Kind::OutOfRange, What::PairList), "{margin} {way}"),
        }
    }
    assert!(more > 3);
}

#[test]
fn a_list_of_something_else_is_refused() {
    let (a, pose_a, b, pose_b) = near_bodies(9);
    let bodies = [Body::new(&a, HALO), Body::new(&b, HALO), Body::new(&cuboid([1.0, 1.0, 1.0])[..10], HALO)];
    let [x, y, z] = [0, 1, 2].map(|k| surface(&bodies[k], false));
    let (p, q) = (placed(Shape::Mesh(&x), &pose_a), placed(Shape::Mesh(&y), &pose_b));
    let list = listed(Isa::best(), &p, &q, 0.2);
    let is = |kind| Err(Error::new(kind, What::PairList));
    assert_eq!(refused(&p, &placed(Shape::Mesh(&z), &pose_b), &list), is(Kind::Mismatch));
    assert_eq!(refused(&Placed { scale: 1.5, ..p }, &q, &list), is(Kind::Mismatch));
    for wrong in [&[][..], &list[..20], &list[..list.len() - 1]] {
        assert_eq!(refused(&p, &q, wrong), is(Kind::Damaged));
    }
    // Whatever the words are, there is an answer or an error.
    let mut random = Random::new(3);
    for _ in 0..cases(200, 2000) {
        let mut list = list.clone();
        let at = random.below(list.len());
        list[at] ^= 1 << random.below(64);
        refused(&p, &q, &list).ok();
    }
    for margin in [-1.0, f64::NAN, f64::INFINITY] {
        let mut scratch = Memory::new(list_pairs_scratch(&p, &q).unwrap()).unwrap();
        let error = list_pairs(Isa::best(), &p, &q, margin, &mut [0; 64], &mut scratch).unwrap_err();
        assert_eq!(error.what, What::Margin);
    }
}

#[test]
fn lists_of_compounds_have_what_their_meshes_are_near() {
    let mut random = Random::new(21);
    let rock = Body::new(&soup(&dem_std::generate::icosphere(2).unwrap()), HALO);
    let cube = Body::new(&cuboid([1.0, 0.8, 0.6]), HALO);
    let (rock, cube) = (surface(&rock, true), surface(&cube, true));
    let mut met = 0;
    for case in 0..60 {
        let mut parts = |n: usize| -> Vec<Part<'_>> {
            (0..n)
                .map(|_| Part {
                    shape: match random.below(4) {
                        0 => sphere(0.4, HALO),
                        1 => Shape::Mesh(&rock),
                        _ => Shape::Mesh(&cube),
                    },
                    pose: at(random.in_cube(1.0), random.rotation()),
                    scale: random.range(0.5, 1.2),
                })
                .collect()
        };
        let (of_a, of_b) = (parts(1 + case % 4), parts(2));
        let shape_b = if case % 7 == 0 { ground(HALO) } else { Shape::Compound(&of_b) };
        let (pose_a, pose_b) = (at(random.in_cube(1.0), random.rotation()), at([1.5, 0.0, 0.0], random.rotation()));
        let margin = 0.2;
        let list = listed(Isa::best(), &placed(Shape::Compound(&of_a), &pose_a), &placed(shape_b, &pose_b), margin);
        for _ in 0..3 {
            let now = [&pose_a, &pose_b].map(|pose| nudged(&mut random, pose, 0.5 * margin, 6.0));
            assert!(length(now[0].position) > 0.0);
            let (a, b) = (placed(Shape::Compound(&of_a), &now[0]), placed(shape_b, &now[1]));
            let anew = all(&a, &b);
            assert_eq!(contacts(&Serial, Isa::best(), &a, &b, &list), anew, "case {case}");
            met += anew.0.len();
        }
    }
    assert!(met > 500, "{met}");
}
