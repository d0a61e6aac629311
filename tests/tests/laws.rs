//! Forces of all contacts by a law, in one pass: the bits of separate calls, what sums must be, trials, and laws that go wrong.

use dem_core::array::{Array, Scalar, Strides};
use dem_core::broad::Candidate;
use dem_core::contact::Contact;
use dem_core::contact::regions::Grouping;
use dem_core::contact::shape::Shape;
use dem_core::detect::laws::{ContactInput, ContactResponse, ForceLaw, LawInputs, LawOutputs, slip};
use dem_core::detect::surfaces::{Motions, velocities};
use dem_core::detect::{
    Carry, JoinedSprings, Pairs, Scene, ScenePair, SceneRef, SceneSizes, Settings, SplitSprings, Wrench, detect_scratch,
};
use dem_core::error::{Kind, What};
use dem_core::exec::{Executor, Serial};
use dem_core::pose::Pose;
use dem_core::simd::Isa;
use dem_std::{Memory, OwnedScene, Threads};
use dem_tests::Triangle;
use dem_tests::contact::Body;
use dem_tests::crowd::{Crowd, Stock, parts, shapes};
use dem_tests::random::Random;
use dem_tests::scene::rocks;
use dem_tests::shapes::{ground, part, sphere, surface};
use dem_tests::vector::{add, cross, dot, length, scale, sub};

const DT: f64 = 0.01;
const STIFFNESS: f64 = 3.0;

/// Pressure with damping, friction, rolling resistance, and the largest overlap that there was.
struct Rough {
    friction: f64,
}

impl ForceLaw<3> for Rough {
    type Pair = f64;

    fn pair(&self, pair: &ScenePair, contacts: &[Contact]) -> f64 {
        assert_eq!(contacts.len(), pair.contacts().len());
        contacts.iter().fold(f64::INFINITY, |least, c| least.min(c.least_gap))
    }

    fn carry(&self) -> [Carry; 3] {
        [Carry::Tangent, Carry::Normal, Carry::Numbers]
    }

    fn act(&self, at: &ContactInput<'_, 3>, least: &f64) -> ContactResponse<3> {
        assert_eq!(*least, at.pair.least_gap);
        let c = at.contact;
        let [slide, twist, [largest, age, _]] = at.springs;
        let depth = (1.0 - c.gap / c.halo).max(0.0);
        let push = (STIFFNESS * depth * c.area * (1.0 - 0.1 * dot(at.velocity, c.normal))).max(0.0);
        let (slide, drag) = slip(slide, at.velocity, c.normal, DT, STIFFNESS * c.area, self.friction * push);
        let twist = add(twist, scale(DT * dot(at.spin, c.normal), c.normal));
        let torque = add(scale(STIFFNESS, c.moment), scale(-0.1 * STIFFNESS * c.area, twist));
        let force = add(scale(push, c.normal), drag);
        ContactResponse { force, torque, springs: [slide, twist, [largest.max(depth), age + 1.0, at.pair.least_gap]] }
    }
}

/// How bodies move.
struct Moving {
    velocities: Vec<[f64; 3]>,
    spins: Vec<[f64; 3]>,
    centres: Vec<[f64; 3]>,
}

impl Moving {
    fn new(positions: &[[f64; 3]], seed: u64) -> Moving {
        let mut random = Random::new(seed);
        let mut each = |reach| positions.iter().map(|_| random.in_cube(reach)).collect::<Vec<_>>();
        let (velocities, spins, away) = (each(1.0), each(2.0), each(0.1));
        Moving { velocities, spins, centres: positions.iter().zip(away).map(|(p, d)| add(*p, d)).collect() }
    }

    fn motions(&self, centres: bool) -> Motions<'_> {
        let [velocities, spins, own] = [&self.velocities, &self.spins, &self.centres].map(|v| Some(Array::from_f64(v)));
        Motions { velocities, spins, centres: own.filter(|_| centres) }
    }
}

/// What one pass gives.
#[derive(Clone, Debug, PartialEq)]
struct Passed<const N: usize> {
    acts: Vec<Wrench>,
    springs: Vec<[[f64; 3]; N]>,
    wrenches: Vec<Wrench>,
}

fn pass<const N: usize>(
    exec: &dyn Executor,
    view: &SceneRef<'_>,
    law: &(impl ForceLaw<N> + ?Sized),
    given: &LawInputs<'_, N>,
) -> Passed<N> {
    let (contacts, bodies) = (view.now().contacts().len(), view.now().poses().len());
    let nan = Wrench { force: [f64::NAN; 3], torque: [f64::NAN; 3] };
    let (mut acts, mut springs) = (vec![nan; contacts], vec![[[f64::NAN; 3]; N]; contacts]);
    let mut wrenches = vec![nan; bodies];
    view.apply(exec, law, given, LawOutputs { acts: &mut acts, springs: &mut springs, wrenches: &mut wrenches })
        .unwrap();
    Passed { acts, springs, wrenches }
}

/// One call after the other.
fn separate(view: &SceneRef<'_>, law: &Rough, motions: &Motions<'_>, last: &[[[f64; 3]; 3]]) -> Passed<3> {
    let contacts = view.now().contacts();
    let mut moved = vec![[f64::NAN; 3]; contacts.len()];
    velocities(&Serial, view, motions, &mut moved).unwrap();
    let carried: Vec<Vec<[f64; 3]>> = law
        .carry()
        .into_iter()
        .enumerate()
        .map(|(k, kind)| {
            let of_last: Vec<_> = last.iter().map(|springs| springs[k]).collect();
            let mut vectors = vec![[f64::NAN; 3]; contacts.len()];
            view.carry(&Serial, kind, &of_last, &mut vectors).unwrap();
            vectors
        })
        .collect();
    // Numbers are those of `carry_numbers`.
    let of_last: Vec<_> = last.iter().map(|springs| springs[2][1]).collect();
    let mut ages = vec![f64::NAN; contacts.len()];
    view.carry_numbers(&of_last, &mut ages).unwrap();
    assert!(ages.iter().zip(&carried[2]).all(|(age, numbers)| age.to_bits() == numbers[1].to_bits()));
    let (mut acts, mut springs) = (Vec::new(), Vec::new());
    for (i, contact) in contacts.iter().enumerate() {
        let pair = view.now().pair_of(i).unwrap();
        let [a, b] = [pair.a, pair.b].map(|i| motions.spins.unwrap().get(i as usize));
        let own = [0, 1, 2].map(|k| carried[k][i]);
        let all = &contacts[pair.contacts()];
        let begins = view.links()[i].origin == dem_core::mesh::NONE;
        let (velocity, spin, joined) = (moved[i], sub(a, b), JoinedSprings::default());
        let split = SplitSprings::default();
        let taken = |j: usize| {
            let of_blends = view.blends_of(j).iter().map(|blend| blend.last);
            of_blends.chain([view.links()[j].source]).collect::<Vec<_>>()
        };
        let link = view.links()[i];
        let shares = link.origin != link.source
            || !view.blends_of(i).is_empty()
            || pair.contacts().any(|j| j != i && taken(j).contains(&link.source));
        let at = ContactInput {
            contact,
            pair,
            contacts: all,
            place: i,
            velocity,
            spin,
            springs: own,
            joined,
            split,
            begins,
            shares,
        };
        let shared = law.pair(at.pair, all);
        let act = law.act(&at, &shared);
        acts.push(Wrench { force: act.force, torque: act.torque });
        springs.push(act.springs);
    }
    let [forces, torques] = [0, 1].map(|k| acts.iter().map(|act| [act.force, act.torque][k]).collect::<Vec<_>>());
    let mut wrenches = vec![Wrench::default(); view.now().poses().len()];
    let [forces, torques] = [&forces, &torques].map(|v| Array::from_f64(v));
    view.wrenches(&Serial, forces, Some(torques), motions.centres, &mut wrenches).unwrap();
    Passed { acts, springs, wrenches }
}

/// So that zeros of either sign are told apart.
fn bits<const N: usize>(passed: &Passed<N>) -> Vec<u64> {
    let wrenches = passed.acts.iter().chain(&passed.wrenches).flat_map(|w| [w.force, w.torque]);
    wrenches.chain(passed.springs.iter().flatten().copied()).flatten().map(f64::to_bits).collect()
}

#[test]
fn one_pass_has_the_bits_of_one_call_after_the_other() {
    let stock = Stock::new();
    let surfaces = stock.surfaces();
    let parts = parts(&surfaces);
    let shapes = shapes(&surfaces, &parts);
    let law = Rough { friction: 0.3 };
    let (mut images, mut kept, mut blends, mut slipping) = (0, 0, 0, 0);
    for (seed, n, half, periods, grouping) in [
        (1, 300, 4.0, [0.0; 3], Grouping::PATCHES),
        (2, 260, 2.5, [0.0; 3], Grouping::default()),
        (3, 120, 4.0, [8.0, 7.0, 9.0], Grouping::default()),
    ] {
        let mut crowd = Crowd { periods, ..Crowd::new(n, half, seed) };
        let mut scene = OwnedScene::new(Threads::new(1).unwrap());
        (scene.settings.periods, scene.settings.bound, scene.settings.grouping) = (periods, 0.3, grouping);
        let mut springs: Vec<[[f64; 3]; 3]> = Vec::new();
        let (mut random, threads) = (Random::new(seed), Threads::new(3).unwrap());
        for step in 0..5 {
            scene.find(&crowd.bodies(&shapes, true)).unwrap();
            let view = scene.view().unwrap();
            let moving = Moving::new(&crowd.positions, seed + step);
            for centres in [false, true] {
                let motions = moving.motions(centres);
                let expected = separate(&view, &law, &motions, &springs);
                let given = LawInputs { motions, springs: &springs, ..LawInputs::default() };
                let dynamic: &dyn ForceLaw<3, Pair = f64> = &law;
                assert!(bits(&pass(&Serial, &view, &law, &given)) == bits(&expected), "seed {seed}, step {step}");
                assert!(bits(&pass(&threads, &view, dynamic, &given)) == bits(&expected), "seed {seed}, step {step}");
                // Velocities that the host has.
                let mut moved = vec![[0.0; 3]; expected.acts.len()];
                velocities(&Serial, &view, &motions, &mut moved).unwrap();
                let given = LawInputs { velocities: Some(&moved), ..given };
                assert!(bits(&pass(&Serial, &view, &law, &given)) == bits(&expected), "seed {seed}, step {step}");
                // The same motions by strides.
                let strided = [&moving.velocities, &moving.spins, &moving.centres].map(|v| {
                    let numbers = v.iter().flat_map(|v| [v[0], 7.0, v[1], 7.0, v[2], 7.0]);
                    numbers.flat_map(f64::to_ne_bytes).collect::<Vec<u8>>()
                });
                let layout = Strides { count: n, stride: 48, component_stride: 16, scalar: Scalar::F64 };
                let [v, w, c] = strided.each_ref().map(|v| Array::new(v, layout, What::Spins).ok());
                let motions = Motions { velocities: v, spins: w, centres: c.filter(|_| centres) };
                let given = LawInputs { motions, springs: &springs, ..LawInputs::default() };
                assert!(bits(&pass(&threads, &view, &law, &given)) == bits(&expected), "seed {seed}, step {step}");
                if centres {
                    let carried = expected.springs.iter().zip(view.links());
                    kept += carried.filter(|(s, link)| s[2][1] > 1.0 && link.source != u32::MAX).count();
                    let held = |(i, act): (usize, &Wrench)| {
                        let c = &view.now().contacts()[i];
                        let push = dot(act.force, c.normal);
                        let drag = length(sub(act.force, scale(push, c.normal)));
                        assert!(drag <= law.friction * push * (1.0 + 1e-12) + 1e-15);
                        usize::from(push > 0.0 && drag > law.friction * push * (1.0 - 1e-12))
                    };
                    slipping += expected.acts.iter().enumerate().map(held).sum::<usize>();
                    springs = expected.springs;
                }
            }
            images += view.now().pairs().iter().filter(|pair| pair.shift != [0; 3]).count();
            blends += view.blends().len();
            if seed == 1 {
                assert!(view.now().contacts().len() > 2048, "more than a thread looks at at a time");
            }
            scene.commit().unwrap();
            crowd.stir(if seed == 1 { 0.02 } else { 0.06 }, &mut random);
        }
    }
    assert!(images > 20 && kept > 3000 && blends > 20 && slipping > 500, "{images} {kept} {blends} {slipping}");
}

/// A mesh about the middle of its box.
fn centred(soup: &[Triangle]) -> Vec<Triangle> {
    let corners = || soup.iter().flatten();
    let middle = [0, 1, 2].map(|k| {
        let ends = corners().fold([f64::INFINITY, f64::NEG_INFINITY], |[l, h], v| [l.min(v[k]), h.max(v[k])]);
        0.5 * (ends[0] + ends[1])
    });
    soup.iter().map(|t| t.map(|v| sub(v, middle))).collect()
}

/// Rocks out of files, twins of rocks, balls and a ground.
struct Heap {
    bodies: [Body; 2],
}

impl Heap {
    fn new() -> Heap {
        let scene = rocks(1280, "touch");
        Heap { bodies: [scene.a, scene.b].map(|rock| Body::new(&centred(&rock), 0.05)) }
    }

    fn crowd(&self, periods: [f64; 3]) -> Crowd {
        let mut random = Random::new(77);
        let mut crowd = Crowd { periods, ..Crowd::default() };
        for i in 0..64u64 {
            let place = [i % 4, i / 4 % 4, i / 16].map(|k| 1.02 * (k as f64 - 1.5));
            crowd.kinds.push([0, 1, 0, 2, 3][i as usize % 5]);
            crowd.positions.push(add(place, random.in_cube(0.1)));
            crowd.orientations.push(random.rotation());
            crowd.scales.push(random.range(0.8, 1.1));
            crowd.motions.push(if i % 9 == 4 { 2 } else { 0 });
        }
        if periods == [0.0; 3] {
            crowd.kinds.push(4);
            crowd.positions.push([0.0, 0.0, -2.0]);
            crowd.orientations.push([0.0, 0.0, 0.0, 1.0]);
            crowd.scales.push(1.0);
            crowd.motions.push(2);
        }
        let n = crowd.kinds.len();
        (crowd.groups, crowd.masks, crowd.halos) = (vec![u32::MAX; n], vec![u32::MAX; n], vec![0.05; n]);
        crowd.ids = (0..n as u64).map(|i| i * 7919 % 1009).collect();
        crowd
    }
}

/// Momentum, angular momentum and work, of rocks, twins, balls and a ground, in the open and in a periodic box.
#[test]
fn sums_balance_on_rocks() {
    let heap = Heap::new();
    let surfaces = heap.bodies.each_ref().map(|body| surface(body, true));
    let twin = [part(Shape::Mesh(&surfaces[0]), [0.2, 0.0, 0.0]), part(sphere(0.4, 0.05), [-0.3, 0.1, 0.0])];
    let shapes =
        [Shape::Mesh(&surfaces[0]), Shape::Mesh(&surfaces[1]), Shape::Compound(&twin), sphere(0.5, 0.05), ground(0.05)];
    let law = Rough { friction: 0.4 };
    for periods in [[0.0; 3], [4.1; 3]] {
        let crowd = heap.crowd(periods);
        let moving = Moving::new(&crowd.positions, 5);
        let mut scene = OwnedScene::new(Threads::new(2).unwrap());
        scene.settings.periods = periods;
        let found = scene.find(&crowd.bodies(&shapes, false)).unwrap();
        assert!(found.contacts > 60, "{found:?}");
        let view = scene.view().unwrap();
        let motions = moving.motions(true);
        let given = LawInputs { motions, springs: &[], ..LawInputs::default() };
        let passed = pass(&Threads::new(3).unwrap(), &view, &law, &given);
        assert!(bits(&passed) == bits(&pass(&Serial, &view, &law, &given)), "threads change no bit");
        let size: f64 = passed.acts.iter().map(|act| length(act.force) + length(act.torque)).sum();
        assert!(size > 1.0, "{size}");
        let sum = |of: &dyn Fn(usize, &Wrench) -> [f64; 3]| {
            passed.wrenches.iter().enumerate().fold([0.0; 3], |sum, (i, w)| add(sum, of(i, w)))
        };
        assert!(length(sum(&|_, w| w.force)) < 1e-12 * size);
        if periods == [0.0; 3] {
            let moment = sum(&|i, w| add(w.torque, cross(moving.centres[i], w.force)));
            assert!(length(moment) < 1e-11 * size, "{moment:?}");
        }
        let mut moved = vec![[0.0; 3]; found.contacts];
        velocities(&Serial, &view, &motions, &mut moved).unwrap();
        let at_contacts: f64 = view
            .now()
            .contacts()
            .iter()
            .enumerate()
            .map(|(i, _)| {
                let pair = view.now().pair_of(i).unwrap();
                let spin = sub(moving.spins[pair.a as usize], moving.spins[pair.b as usize]);
                dot(passed.acts[i].force, moved[i]) + dot(passed.acts[i].torque, spin)
            })
            .sum();
        let of_bodies: f64 = passed
            .wrenches
            .iter()
            .enumerate()
            .map(|(i, w)| dot(w.force, moving.velocities[i]) + dot(w.torque, moving.spins[i]))
            .sum();
        assert!((at_contacts - of_bodies).abs() < 1e-11 * size, "{at_contacts} {of_bodies}");
        assert!(at_contacts.abs() > 1e-3 * size);
    }
}

/// A trial is repeated after others, and gives what it gave; after the commit, too.
#[test]
fn trials_are_repeated_with_the_same_bits() {
    let stock = Stock::new();
    let surfaces = stock.surfaces();
    let parts = parts(&surfaces);
    let shapes = shapes(&surfaces, &parts);
    let law = Rough { friction: 0.3 };
    let mut crowd = Crowd::new(120, 2.5, 4);
    let mut scene = OwnedScene::new(Threads::new(2).unwrap());
    let moving = Moving::new(&crowd.positions, 4);
    let mut committed: Vec<[[f64; 3]; 3]> = Vec::new();
    let mut random = Random::new(8);
    for step in 0..3 {
        let elsewhere = {
            let mut other = crowd.clone();
            other.stir(0.1, &mut random);
            other
        };
        let mut tried = [&crowd, &elsewhere, &crowd].map(|crowd| {
            scene.find(&crowd.bodies(&shapes, false)).unwrap();
            let given = LawInputs { motions: moving.motions(true), springs: &committed, ..LawInputs::default() };
            pass(scene.executor(), &scene.view().unwrap(), &law, &given)
        });
        assert!(bits(&tried[0]) == bits(&tried[2]) && bits(&tried[0]) != bits(&tried[1]), "step {step}");
        scene.commit().unwrap();
        let given = LawInputs { motions: moving.motions(true), springs: &committed, ..LawInputs::default() };
        let after = pass(&Serial, &scene.view().unwrap(), &law, &given);
        assert!(bits(&after) == bits(&tried[0]));
        committed = std::mem::take(&mut tried[0].springs);
        crowd.stir(0.02, &mut random);
    }
    assert!(committed.iter().any(|springs| springs[2][1] == 3.0));
}

/// Pairs at poses of their own: each as if its bodies were there.
#[test]
fn pairs_at_poses_of_their_own_turn_their_springs() {
    let stock = Stock::new();
    let surfaces = stock.surfaces();
    let parts = parts(&surfaces);
    let shapes = shapes(&surfaces, &parts);
    let law = Rough { friction: 0.3 };
    let sizes = SceneSizes {
        bodies: 200,
        candidates: 6000,
        contacts: 6000,
        nodes: 20_000,
        posed: 6000,
        levels: 4,
        margin_contacts: 0,
    };
    let room = dem_core::contact::Room { pairs: 3000, terms: 9000, segments: 900 };
    let settings = Settings { bound: 0.3, room, pair_contacts: 400, ..Settings::default() };
    let mut block = Memory::new(Scene::layout(&sizes).unwrap()).unwrap();
    let mut scene = Scene::init(&mut block, &sizes).unwrap();
    let mut crowd = Crowd::new(120, 2.5, 6);
    let moving = Moving::new(&crowd.positions, 4);
    let mut random = Random::new(3);
    let mut springs: Vec<[[f64; 3]; 3]> = Vec::new();
    let mut carried = 0;
    for _ in 0..3 {
        let bodies = crowd.bodies(&shapes, true);
        let mut scratch = Memory::new(detect_scratch(&sizes, &bodies, &settings, 1).unwrap()).unwrap();
        let mut list = vec![Candidate::default(); 6000];
        let n = scene.candidates(&Serial, Isa::best(), &bodies, &settings, &mut list, &mut scratch).unwrap();
        let mut pose = |i: u32| Pose {
            position: add(crowd.positions[i as usize], random.in_cube(0.01)),
            orientation: crowd.orientations[i as usize],
        };
        let poses: Vec<_> = list[..n].iter().map(|pair| [pair.a, pair.b].map(&mut pose)).collect();
        let pairs = Pairs { list: &list[..n], poses: Some(&poses) };
        scene.find_pairs(&Serial, Isa::best(), &bodies, &pairs, &settings, &mut scratch).unwrap();
        let view = scene.as_ref();
        let expected = separate(&view, &law, &moving.motions(true), &springs);
        let given = LawInputs { motions: moving.motions(true), springs: &springs, ..LawInputs::default() };
        assert!(bits(&pass(&Threads::new(2).unwrap(), &view, &law, &given)) == bits(&expected));
        // Without centres, those of the pair's own poses tell how fast surfaces move.
        let expected_own = separate(&view, &law, &moving.motions(false), &springs);
        let given = LawInputs { motions: moving.motions(false), ..given };
        assert!(bits(&pass(&Serial, &view, &law, &given)) == bits(&expected_own));
        springs = expected.springs;
        carried += springs.iter().filter(|own| own[2][1] > 1.0).count();
        scene.commit();
        crowd.stir(0.02, &mut random);
    }
    assert!(carried > 100, "{carried}");
}

/// Forces across a gap, by a closure without springs, on the contacts within the margin.
#[test]
fn laws_without_springs_act_within_the_margin() {
    let shapes = [sphere(0.5, 0.01), ground(0.01)];
    let (kinds, positions) = ([0, 0, 1], [[0.0, 0.0, 0.52], [1.05, 0.0, 0.52], [0.0; 3]]);
    let bodies =
        dem_core::detect::Bodies::new(&shapes, dem_core::array::Words::from_slice(&kinds), Array::from_f64(&positions));
    let mut scene = OwnedScene::new(Threads::new(1).unwrap());
    scene.settings.margin = 0.2;
    let found = scene.detect(&bodies).unwrap();
    assert_eq!((found.contacts, found.margin_contacts), (0, 3));
    let view = scene.view().unwrap().margin();
    let law = |at: &ContactInput<'_, 0>| ContactResponse {
        force: scale(-dot(at.velocity, at.contact.normal), at.contact.normal),
        torque: [0.0; 3],
        springs: [],
    };
    let velocities = [[0.0, 0.0, -1.0], [-2.0, 0.0, 0.0], [0.0; 3]];
    let motions = Motions { velocities: Some(Array::from_f64(&velocities)), ..Motions::default() };
    let given = LawInputs { motions, ..LawInputs::default() };
    let mut acts = [Wrench::default(); 3];
    let mut wrenches = [Wrench::default(); 3];
    // Of springs that it has none of it wants no room.
    view.apply(&Serial, &law, &given, LawOutputs { acts: &mut acts, springs: &mut [], wrenches: &mut wrenches })
        .unwrap();
    assert_eq!(wrenches.map(|w| w.force), [[-2.0, 0.0, 1.0], [2.0, 0.0, 0.0], [0.0, 0.0, -1.0]]);
}

#[test]
fn laws_that_go_wrong_are_told_with_their_bodies() {
    let stock = Stock::new();
    let surfaces = stock.surfaces();
    let parts = parts(&surfaces);
    let shapes = shapes(&surfaces, &parts);
    let crowd = Crowd::new(300, 4.0, 1);
    let moving = Moving::new(&crowd.positions, 4);
    let mut scene = OwnedScene::new(Threads::new(1).unwrap());
    scene.settings.grouping = Grouping::PATCHES;
    let count = scene.find(&crowd.bodies(&shapes, true)).unwrap().contacts;
    assert!(count > 2048);
    let view = scene.view().unwrap();
    let given: LawInputs<'_, 1> = LawInputs { motions: moving.motions(true), springs: &[], ..LawInputs::default() };
    let marked = Wrench { force: [7.0; 3], torque: [7.0; 3] };
    let mut acts = vec![marked; count];
    let mut springs = vec![[[7.0; 3]]; count];
    let mut wrenches = vec![marked; 300];
    let (bad, worse) = (1500, 2040);
    for (part, value) in [(0, f64::NAN), (4, f64::INFINITY), (7, f64::NEG_INFINITY)] {
        let law = |at: &ContactInput<'_, 1>| {
            let mut all = [0.0; 9];
            if at.place == bad || at.place == worse {
                all[part] = value;
            }
            let [a, b, c, d, e, f, g, h, i] = all;
            ContactResponse { force: [a, b, c], torque: [d, e, f], springs: [[g, h, i]] }
        };
        for exec in [&Serial as &dyn Executor, &Threads::new(3).unwrap()] {
            let out = LawOutputs { acts: &mut acts, springs: &mut springs, wrenches: &mut wrenches };
            let e = view.apply(exec, &law, &given, out).unwrap_err();
            let ids = view.now().pair_of(bad).unwrap().ids;
            assert_eq!((e.kind, e.what, e.index, e.component), (Kind::NotFinite, What::Acts, 1500, part as u32));
            assert_eq!([e.needed, e.given], ids);
            assert!(e.to_string().contains(&format!("contact 1500 of bodies {} and {}", ids[0], ids[1])), "{e}");
        }
    }
    // The step is tried again with a law that works.
    let law = |_: &ContactInput<'_, 1>| ContactResponse { force: [1.0; 3], torque: [0.0; 3], springs: [[0.0; 3]] };
    let out = LawOutputs { acts: &mut acts, springs: &mut springs, wrenches: &mut wrenches };
    view.apply(&Serial, &law, &given, out).unwrap();

    let (mut acts, mut springs, mut wrenches) = (vec![marked; count], vec![[[7.0; 3]]; count], vec![marked; 300]);
    let mut refused = |given: &LawInputs<'_, 1>, [a, s, w]: [usize; 3]| {
        let out = LawOutputs { acts: &mut acts[a..], springs: &mut springs[s..], wrenches: &mut wrenches[w..] };
        view.apply(&Serial, &law, given, out).unwrap_err()
    };
    let e = refused(&given, [1, 0, 0]);
    assert_eq!((e.kind, e.what, e.needed, e.given), (Kind::Capacity, What::Acts, count as u64, count as u64 - 1));
    let e = refused(&given, [0, 1, 0]);
    assert_eq!((e.kind, e.what, e.needed, e.given), (Kind::Mismatch, What::Vectors, count as u64, count as u64 - 1));
    let e = refused(&given, [0, 0, 1]);
    assert_eq!((e.kind, e.what, e.needed, e.given), (Kind::Capacity, What::Output, 300, 299));
    let e = refused(&LawInputs { springs: &[[[0.0; 3]]], ..given }, [0; 3]);
    assert_eq!((e.kind, e.what, e.needed, e.given), (Kind::Mismatch, What::LastVectors, 0, 1));
    let e = refused(&LawInputs { spins: Some(&[]), ..given }, [0; 3]);
    assert_eq!((e.kind, e.what), (Kind::Mismatch, What::Spins));
    let e = refused(&LawInputs { carried: Some(&[]), ..given }, [0; 3]);
    assert_eq!((e.kind, e.what), (Kind::Mismatch, What::Surfaces));
    let e = refused(&LawInputs { velocities: Some(&[]), ..given }, [0; 3]);
    assert_eq!((e.kind, e.what, e.needed, e.given), (Kind::Mismatch, What::Velocities, count as u64, 0));
    let few = Motions { spins: Some(Array::from_f64(&moving.spins[1..])), ..given.motions };
    let e = refused(&LawInputs { motions: few, ..given }, [0; 3]);
    assert_eq!((e.kind, e.what, e.needed, e.given), (Kind::Mismatch, What::Spins, 300, 299));
    assert!(acts.iter().chain(&wrenches).all(|w| *w == marked) && springs.iter().all(|s| *s == [[7.0; 3]]));
}

/// A spring slips at what friction can be, along itself, and holds below.
#[test]
fn springs_slip_at_their_limit() {
    let normal = [0.0, 0.0, 1.0];
    let (spring, force) = slip([0.1, 0.0, 0.0], [0.0, 2.0, 5.0], normal, 0.1, 10.0, 100.0);
    assert!(length(sub(spring, [0.1, 0.2, 0.0])) < 1e-15 && length(sub(force, [-1.0, -2.0, 0.0])) < 1e-14);
    let (spring, force) = slip([0.3, 0.4, 0.0], [0.0; 3], normal, 0.1, 10.0, 1.0);
    assert!(length(sub(spring, [0.06, 0.08, 0.0])) < 1e-15 && length(sub(force, [-0.6, -0.8, 0.0])) < 1e-14);
    for most in [0.0, -1.0] {
        let (spring, force) = slip([0.3, 0.4, 0.0], [1.0; 3], normal, 0.1, 10.0, most);
        assert_eq!((length(spring), length(force)), (0.0, 0.0));
    }
}
