//! Trials: a step can be tried any number of times, for any list of pairs, without effect until it is committed.

use dem_core::array::{Array, Words};
use dem_core::broad::Candidate;
use dem_core::contact::Contact;
use dem_core::contact::history::{Blend, Link};
use dem_core::contact::shape::Shape;
use dem_core::detect::{
    Bodies, Carry, Detected, List, Pairs, Scene, ScenePair, SceneSizes, Settings, bounding_spheres, detect_scratch,
};
use dem_core::error::{Error, Kind, Result, What};
use dem_core::exec::Serial;
use dem_core::memory::Layout;
use dem_core::pose::Pose;
use dem_core::simd::Isa;
use dem_std::Memory;
use dem_tests::cases;
use dem_tests::crowd::{Crowd, Stock, parts, shapes};
use dem_tests::random::Random;
use dem_tests::shapes::sphere;

/// A scene whose scratch is filled with garbage before each call.
struct Lab<'s> {
    block: Memory,
    shapes: &'s [Shape<'s>],
    settings: Settings,
}

/// The results of a trial, without the list of candidates.
#[derive(Clone, Debug, PartialEq)]
struct Said {
    found: Detected,
    contacts: Vec<Contact>,
    pairs: Vec<ScenePair>,
    links: Vec<Link>,
    blends: Vec<Blend>,
    springs: Vec<[f64; 3]>,
    touches: Vec<u32>,
}

const SIZES: SceneSizes = SceneSizes {
    bodies: 200,
    candidates: 8000,
    contacts: 8000,
    nodes: 8000,
    posed: 300,
    levels: 4,
    margin_contacts: 0,
};

/// What a committed step keeps: pairs, second halves of keys, positions with areas, poses, and nodes, as bits.
type Committed = (Vec<ScenePair>, Vec<u64>, Vec<[u64; 4]>, Vec<[u64; 7]>, Vec<(u64, u32, u32)>);

impl<'s> Lab<'s> {
    fn new(shapes: &'s [Shape<'s>], skin: f64, periods: [f64; 3]) -> Self {
        let mut block = Memory::new(Scene::layout(&SIZES).unwrap()).unwrap();
        Scene::init(&mut block, &SIZES).unwrap();
        let room = dem_core::contact::Room { pairs: 3000, terms: 9000, segments: 900 };
        let settings = Settings { skin, periods, bound: 0.3, room, pair_contacts: 400, ..Settings::default() };
        Lab { block, shapes, settings }
    }

    fn look(&mut self, crowd: &Crowd, pairs: Option<&Pairs<'_>>) -> Result<Detected> {
        let bodies = crowd.bodies(self.shapes, true);
        let layout = detect_scratch(&SIZES, &bodies, &self.settings, 1).unwrap();
        let mut scratch = Memory::new(Layout { size: layout.size, ..Layout::EMPTY }).unwrap();
        scratch.fill(0xA5);
        let mut scene = Scene::open(&mut self.block).unwrap();
        match pairs {
            None => scene.find(&Serial, Isa::best(), &bodies, &self.settings, &mut scratch),
            Some(pairs) => scene.find_pairs(&Serial, Isa::best(), &bodies, pairs, &self.settings, &mut scratch),
        }
    }

    /// The list of candidates.
    fn candidates(&mut self, crowd: &Crowd, room: usize) -> Result<Vec<Candidate>> {
        let bodies = crowd.bodies(self.shapes, true);
        let mut scratch = Memory::new(detect_scratch(&SIZES, &bodies, &self.settings, 1).unwrap()).unwrap();
        let mut out = vec![Candidate::default(); room];
        let mut scene = Scene::open(&mut self.block).unwrap();
        let found = scene.candidates(&Serial, Isa::best(), &bodies, &self.settings, &mut out, &mut scratch)?;
        out.truncate(found);
        Ok(out)
    }

    fn scene(&mut self) -> Scene<'_> {
        Scene::open(&mut self.block).unwrap()
    }

    /// A trial, with springs out of those of the committed step.
    fn try_at(&mut self, crowd: &Crowd, springs: &[[f64; 3]]) -> Said {
        let found = self.look(crowd, None).unwrap();
        self.said(found, springs)
    }

    fn said(&mut self, found: Detected, springs: &[[f64; 3]]) -> Said {
        let scene = self.scene();
        let view = scene.as_ref();
        let mut carried = vec![[f64::NAN; 3]; found.contacts];
        view.carry(&Serial, Carry::Tangent, springs, &mut carried).unwrap();
        for (spring, contact) in carried.iter_mut().zip(view.now().contacts()) {
            *spring = [0, 1, 2].map(|k| spring[k] + 0.01 * contact.position[k]);
        }
        Said {
            found: Detected { list: List::default(), ..found },
            contacts: view.now().contacts().to_vec(),
            pairs: view.now().pairs().to_vec(),
            links: view.links().to_vec(),
            blends: view.blends().to_vec(),
            springs: carried,
            touches: view.all_touches().iter().map(|touch| touch.0).collect(),
        }
    }

    fn hash(&mut self) -> u64 {
        self.scene().as_ref().committed_hash()
    }

    /// All of the committed step, byte for byte.
    fn committed(&mut self) -> Committed {
        let scene = self.scene();
        let kept = scene.as_ref().committed();
        let bits = |c: &dem_core::detect::KeptContact| {
            let [x, y, z] = c.position;
            [x, y, z, c.area].map(f64::to_bits)
        };
        let pose = |p: &Pose| {
            let ([x, y, z], [a, b, c, d]) = (p.position, p.orientation);
            [x, y, z, a, b, c, d].map(f64::to_bits)
        };
        let contacts = kept.contacts().iter().map(bits).collect();
        let nodes = kept.nodes().iter().map(|n| (n.features, n.contact, n.force.to_bits())).collect();
        (kept.pairs().to_vec(), kept.features().to_vec(), contacts, kept.poses().iter().map(pose).collect(), nodes)
    }
}

/// Runs `test` with shapes of all sorts.
fn with_shapes(test: impl Fn(&[Shape<'_>])) {
    let stock = Stock::new();
    let surfaces = stock.surfaces();
    let parts = parts(&surfaces);
    test(&shapes(&surfaces, &parts));
}

/// Skins, periods and crowds: with both and with neither; all cases have each by itself, too.
fn crowds() -> Vec<(f64, [f64; 3], Crowd)> {
    let crowd = |periods, seed| Crowd { periods, ..Crowd::new(90, 3.0, seed) };
    let boxed = [6.0, 7.0, 0.0];
    let all = [(0.3, boxed, 4), (0.0, [0.0; 3], 1), (0.3, [0.0; 3], 2), (0.0, boxed, 3)];
    let some = all.into_iter().take(cases(2, 4));
    some.map(|(skin, periods, seed)| (skin, periods, crowd(periods, seed))).collect()
}

#[test]
fn a_hundred_trials_and_one_commit_are_one_step() {
    with_shapes(|shapes| {
        for (skin, periods, mut crowd) in crowds() {
            let (mut plain, mut tried) = (Lab::new(shapes, skin, periods), Lab::new(shapes, skin, periods));
            let mut random = Random::new(5);
            let mut springs = Vec::new();
            for step in 0..3 {
                let (hash, before) = (tried.hash(), tried.committed());
                for n in 0..if step == 1 { 100 } else { 3 } {
                    // Anywhere: far, near, as before; some fail.
                    let mut other = crowd.clone();
                    other.stir([0.0, 0.01, 0.5][n % 3], &mut random);
                    if n % 10 == 9 {
                        other.positions[3][1] = f64::NAN;
                        tried.look(&other, None).unwrap_err();
                    } else {
                        tried.look(&other, None).unwrap();
                    }
                    if n % 4 == 3 {
                        tried.scene().abandon();
                        assert!(tried.scene().as_ref().now().contacts().is_empty());
                    }
                    assert_eq!(tried.hash(), hash);
                }
                assert_eq!(tried.committed(), before, "skin {skin}, step {step}");
                let expected = plain.try_at(&crowd, &springs);
                let twice = [tried.try_at(&crowd, &springs), tried.try_at(&crowd, &springs)];
                assert_eq!(twice, [expected.clone(), expected.clone()], "skin {skin}, step {step}");
                assert!(step == 0 || expected.found.persisting > 20);
                plain.scene().commit();
                tried.scene().commit();
                assert_eq!(tried.committed(), plain.committed());
                assert_eq!((tried.hash() == plain.hash(), tried.hash() == hash), (true, false));
                springs = expected.springs;
                crowd.stir(0.05, &mut random);
            }
        }
    });
}

#[test]
fn a_step_that_fails_changes_nothing_and_can_go_on() {
    with_shapes(|shapes| {
        let (skin, periods, mut crowd) = crowds().swap_remove(0);
        let mut lab = Lab::new(shapes, skin, periods);
        let first = lab.try_at(&crowd, &[]);
        lab.scene().commit();
        crowd.stir(0.05, &mut Random::new(8));
        let second = lab.try_at(&crowd, &first.springs);
        let committed = lab.committed();
        let good = lab.settings;
        // Too little of everything, and bodies that make no sense.
        for settings in [
            Settings { pair_contacts: 1, ..good },
            Settings { room: dem_core::contact::Room { pairs: 1, ..good.room }, ..good },
            Settings { bound: f64::NAN, ..good },
            Settings { periods: [-1.0; 3], ..good },
        ] {
            lab.settings = settings;
            lab.look(&crowd, None).unwrap_err();
            lab.settings = good;
            // The trial is still to be seen, and the committed step is what it was.
            assert_eq!((lab.said(second.found, &first.springs), lab.committed()), (second.clone(), committed.clone()));
        }
        assert_eq!(lab.try_at(&crowd, &first.springs), second);
    });
}

#[test]
fn contacts_of_a_list_of_pairs_are_those_of_the_whole_step() {
    with_shapes(|shapes| {
        for (skin, periods, mut crowd) in crowds() {
            let mut lab = Lab::new(shapes, skin, periods);
            let mut random = Random::new(6);
            let mut springs = Vec::new();
            for step in 0..2 {
                let whole = lab.try_at(&crowd, &springs);
                // In any order, either body first, at the poses of the bodies or at the same poses given for each.
                let mut list: Vec<Candidate> = Vec::new();
                for pair in &whole.pairs {
                    list.insert(random.below(list.len() + 1), candidate(pair, random.below(2) == 0));
                }
                let poses: Vec<_> = list.iter().map(|pair| [pair.a, pair.b].map(|i| pose(&crowd, i))).collect();
                for poses in [None, Some(&poses[..])] {
                    let found = lab.look(&crowd, Some(&Pairs { list: &list, poses })).unwrap();
                    let mut said = lab.said(found, &springs);
                    assert_eq!(said.pairs.iter().all(|pair| pair.posed == u32::MAX), poses.is_none());
                    said.pairs.iter_mut().for_each(|pair| pair.posed = u32::MAX);
                    said.found.candidates = whole.found.candidates;
                    assert_eq!(said, whole, "skin {skin}, step {step}, {}", poses.is_some());
                }
                lab.scene().commit();
                springs = whole.springs;
                crowd.stir(0.05, &mut random);
            }
        }
    });
}

#[test]
fn a_step_is_its_phases_one_after_the_other() {
    with_shapes(|shapes| {
        for (skin, periods, mut crowd) in crowds() {
            let (mut whole, mut phases) = (Lab::new(shapes, skin, periods), Lab::new(shapes, skin, periods));
            let mut random = Random::new(11);
            let mut springs = Vec::new();
            for step in 0..3 {
                let expected = whole.try_at(&crowd, &springs);
                let before = (phases.hash(), phases.scene().as_ref().now().contacts().to_vec());
                let list = phases.candidates(&crowd, 6000).unwrap();
                assert_eq!(list.len(), expected.found.candidates, "skin {skin}, step {step}");
                assert_eq!(phases.candidates(&crowd, list.len()).unwrap(), list);
                let e = phases.candidates(&crowd, list.len() - 1).unwrap_err();
                assert_eq!(e, Error::capacity(What::Output, list.len() as u64, list.len() as u64 - 1));
                assert_eq!((phases.hash(), phases.scene().as_ref().now().contacts().to_vec()), before);
                assert!(list.is_sorted_by_key(|c| [c.a, c.b].map(|i| crowd.ids[i as usize])));
                let found = phases.look(&crowd, Some(&Pairs { list: &list, poses: None })).unwrap();
                let said = phases.said(found, &springs);
                // The list has pairs without contacts, too.
                assert_eq!((said.pairs.len(), said.found.pairs), (list.len(), expected.pairs.len()));
                assert!(said.found.pairs < list.len());
                let touching = |said: &Said| {
                    said.pairs.iter().filter(|p| p.first < p.end).map(ScenePair::name).collect::<Vec<_>>()
                };
                assert_eq!(touching(&said), touching(&expected));
                let bare = |said: &Said| {
                    said.contacts.iter().map(|c| Contact { key: [0, c.key[1]], ..*c }).collect::<Vec<_>>()
                };
                assert_eq!(
                    (bare(&said), said.links, said.springs),
                    (bare(&expected), expected.links, expected.springs.clone())
                );
                whole.scene().commit();
                phases.scene().commit();
                springs = expected.springs;
                crowd.stir(0.05, &mut random);
            }
        }
    });
}

#[test]
fn bounding_spheres_hold_bodies_with_their_halos() {
    with_shapes(|shapes| {
        let mut crowd = Crowd::new(90, 3.0, 12);
        let shapes = &[shapes, &[Shape::HalfSpace { halo: 0.0 }]].concat();
        crowd.kinds[5] = shapes.len() as u32 - 1;
        let (bodies, n) = (crowd.bodies(shapes, true), crowd.positions.len());
        let (mut centres, mut radii) = (vec![[f64::NAN; 3]; n], vec![f64::NAN; n]);
        bounding_spheres(&Serial, &bodies, &mut centres, &mut radii).unwrap();
        let mut endless = 0;
        for i in 0..n {
            let (shape, scale) = (&shapes[crowd.kinds[i] as usize], crowd.scales[i]);
            match shape {
                Shape::Sphere { radius, .. } => {
                    let wanted = radius * scale + crowd.halos[i];
                    assert!(radii[i] >= wanted && radii[i] <= wanted * (1.0 + 1e-12));
                    assert_eq!(centres[i], crowd.positions[i]);
                }
                Shape::HalfSpace { .. } => {
                    assert_eq!((centres[i], radii[i]), ([0.0; 3], f64::INFINITY));
                    endless += 1;
                }
                Shape::Mesh(surface) => {
                    let turn = pose(&crowd, i as u32).transform(What::Pose).unwrap();
                    let halo = surface.mesh.largest_halo() * scale;
                    for corner in (0..surface.mesh.len()).flat_map(|t| surface.mesh.triangle(t)) {
                        let at = turn.apply(corner.map(|x| x * scale));
                        let away = (0..3).map(|k| (at[k] - centres[i][k]).powi(2)).sum::<f64>().sqrt();
                        assert!(away + halo <= radii[i]);
                    }
                }
                _ => assert!(radii[i] > 0.0),
            }
        }
        assert_eq!(endless, 1);
        let e = bounding_spheres(&Serial, &bodies, &mut centres[1..], &mut radii).unwrap_err();
        assert_eq!(e, Error::capacity(What::Centres, n as u64, n as u64 - 1));
        let mut wrong = crowd.clone();
        wrong.positions[7][2] = f64::INFINITY;
        let e = bounding_spheres(&Serial, &wrong.bodies(shapes, true), &mut centres, &mut radii).unwrap_err();
        assert_eq!((e.kind, e.what, e.index, e.component), (Kind::NotFinite, What::Positions, 7, 2));
    });
}

fn pose(crowd: &Crowd, i: u32) -> Pose {
    Pose { position: crowd.positions[i as usize], orientation: crowd.orientations[i as usize] }
}

/// A pair as a host names it.
fn candidate(pair: &ScenePair, turned: bool) -> Candidate {
    let mut c = Candidate::default();
    (c.a, c.b, c.shift) = match turned {
        false => (pair.a, pair.b, pair.shift),
        true => (pair.b, pair.a, pair.shift.map(|s| -s)),
    };
    c
}

#[test]
fn pairs_at_other_times_are_committed_by_themselves() {
    // Clusters: half of the pairs goes ahead by a step, the rest follows; both then are where one step of all would be.
    with_shapes(|shapes| {
        for (skin, periods, crowd) in crowds() {
            let (mut plain, mut split) = (Lab::new(shapes, skin, periods), Lab::new(shapes, skin, periods));
            let first = plain.try_at(&crowd, &[]);
            plain.scene().commit();
            assert_eq!(split.try_at(&crowd, &[]), first);
            split.scene().commit();
            let mut later = crowd.clone();
            later.stir(0.03, &mut Random::new(9));
            let whole = plain.try_at(&later, &first.springs);
            plain.scene().commit();
            // All pairs of now and of before, so that what ends is known; half of them first.
            let bodies = later.bodies(shapes, true);
            let (mut centres, mut radii) = (vec![[0.0; 3]; bodies.len()], vec![0.0; bodies.len()]);
            bounding_spheres(&Serial, &bodies, &mut centres, &mut radii).unwrap();
            let mut list: Vec<Candidate> = whole.pairs.iter().map(|pair| candidate(pair, false)).collect();
            for old in &first.pairs {
                if !whole.pairs.iter().any(|pair| pair.name() == old.name()) {
                    list.push(candidate(&again(old, &centres, periods), true));
                }
            }
            let half = list.len() / 2;
            let mut springs = first.springs.clone();
            for list in [&list[..half], &list[half..]] {
                let poses: Vec<_> = list.iter().map(|pair| [pair.a, pair.b].map(|i| pose(&later, i))).collect();
                // Bodies are where they were; poses are those of later.
                let found = split.look(&crowd, Some(&Pairs { list, poses: Some(&poses) })).unwrap();
                let said = split.said(found, &springs);
                let mut origins = vec![0; 6000];
                let taken = vec![1; said.pairs.len()];
                let hash = split.hash();
                let e = split.scene().commit_pairs(&taken[1..], &mut origins).unwrap_err();
                assert_eq!((e.kind, e.what, split.hash()), (Kind::Mismatch, What::BodyPairs, hash));
                let e = split.scene().commit_pairs(&taken, &mut origins[..1]).unwrap_err();
                assert_eq!((e.kind, e.what, split.hash()), (Kind::Capacity, What::Links, hash));
                let count = split.scene().commit_pairs(&taken, &mut origins).unwrap();
                springs = origins[..count]
                    .iter()
                    .map(|origin| if origin & 1 == 1 { &said.springs } else { &springs }[(origin >> 1) as usize])
                    .collect();
            }
            let kept = |lab: &mut Lab<'_>| {
                let (pairs, features, contacts, _, nodes) = lab.committed();
                let touching = pairs.into_iter().filter(|pair| pair.first < pair.end);
                (
                    touching.map(|pair| (pair.name(), pair.first, pair.end)).collect::<Vec<_>>(),
                    features,
                    contacts,
                    nodes,
                )
            };
            assert_eq!(kept(&mut split), kept(&mut plain), "skin {skin}, periods {periods:?}");
            assert_eq!(springs, whole.springs);
            // And the next step goes on from there.
            let mut next = later.clone();
            next.stir(0.03, &mut Random::new(10));
            assert_eq!(split.try_at(&next, &springs), plain.try_at(&next, &whole.springs));
        }
    });
}

/// The same pair where bodies have been wrapped into the box since: images are counted from the nearest one.
fn again(old: &ScenePair, centres: &[[f64; 3]], periods: [f64; 3]) -> ScenePair {
    let ((_, image), mut pair) = (old.name(), *old);
    let [a, b] = [pair.a, pair.b].map(|i| centres[i as usize]);
    for k in (0..3).filter(|k| periods[*k] > 0.0) {
        pair.shift[k] = (f64::from(image[k]) + ((a[k] - b[k]) / periods[k]).round()) as i16;
    }
    pair
}

#[test]
fn pairs_that_are_not_taken_keep_what_they_had() {
    let shapes = [sphere(0.5, 0.05)];
    let kinds = [0; 4];
    let mut crowd = Crowd::default();
    for i in 0..4u32 {
        crowd.kinds.push(kinds[i as usize]);
        crowd.positions.push([f64::from(i), 0.0, 0.0]);
        crowd.orientations.push([0.0, 0.0, 0.0, 1.0]);
        crowd.scales.push(1.0);
        crowd.motions.push(0);
        crowd.groups.push(1);
        crowd.masks.push(1);
        crowd.halos.push(0.05);
        crowd.ids.push(u64::from(i) + 10);
    }
    let mut lab = Lab::new(&shapes, 0.0, [0.0; 3]);
    lab.try_at(&crowd, &[]);
    lab.scene().commit();
    let before = lab.committed();
    crowd.positions[0][1] = 0.01;
    crowd.positions[3][0] = 9.0;
    let found = lab.look(&crowd, None).unwrap();
    assert_eq!((found.contacts, found.persisting), (2, 2));
    let mut origins = [9; 8];
    // 0 1 is taken, 1 2 is not, and 2 3, which the trial has not, stays.
    assert_eq!(lab.scene().commit_pairs(&[1, 0], &mut origins), Ok(3));
    assert_eq!(&origins[..3], [1, 2, 4]);
    let after = lab.committed();
    assert!(after.2[0] != before.2[0] && after.2[1..] == before.2[1..]);
    let none: Vec<ScenePair> = lab.scene().as_ref().now().pairs().to_vec();
    assert!(none.is_empty());
    // Without a trial there is nothing to take.
    let e = lab.scene().commit_pairs(&[1], &mut origins).unwrap_err();
    assert_eq!((e.kind, e.what), (Kind::Mismatch, What::BodyPairs));
}

/// A body that touches another one on both sides passes half a period: pairs replace those that were at the same place, and others are kept under their new number.
#[test]
fn pairs_on_both_sides_replace_what_was_at_their_place() {
    let (shapes, period) = ([sphere(0.25, 0.01), sphere(0.24, 0.01)], 0.99);
    for (from, to, ids) in [(0.694, 0.696, [5, 7]), (0.696, 0.694, [5, 7]), (0.694, 0.696 - period, [7, 5])] {
        let crowd = |b: f64| Crowd {
            kinds: vec![0, 1],
            positions: vec![[0.2, 0.1, 0.1], [b, 0.1, 0.1]],
            orientations: vec![[0.0, 0.0, 0.0, 1.0]; 2],
            scales: vec![1.0; 2],
            motions: vec![0; 2],
            groups: vec![1; 2],
            masks: vec![1; 2],
            halos: vec![0.01; 2],
            ids: ids.to_vec(),
            ..Crowd::default()
        };
        for taken in [[1, 1], [1, 0], [0, 1], [0, 0]] {
            let mut lab = Lab::new(&shapes, 0.0, [period, 0.0, 0.0]);
            let place = |position: f64| (position / period - (position / period).floor()) * period;
            lab.try_at(&crowd(from), &[]);
            lab.scene().commit();
            let before = lab.committed();
            let trial = lab.try_at(&crowd(to), &[]);
            assert_eq!((before.0.len(), trial.pairs.len(), trial.found.persisting), (2, 2, 2));
            assert_ne!(before.0[0].image, trial.pairs[0].image);
            let mut origins = [9; 4];
            assert_eq!(lab.scene().commit_pairs(&taken, &mut origins), Ok(2), "{from} {to} {taken:?}");
            let after = lab.committed();
            for k in 0..2 {
                assert_eq!(after.0[k].name(), trial.pairs[k].name(), "{from} {to} {taken:?}");
                // Which one goes on there.
                let last = trial.links[k].origin;
                let from = if taken[k] == 1 { 2 * k as u32 + 1 } else { 2 * last };
                assert_eq!(origins[k], from, "{from} {to} {taken:?}");
                let [was, is] = [&before.2[last as usize], &after.2[k]].map(|contact| f64::from_bits(contact[0]));
                let apart = (place(is) - place(was)) / period;
                assert!((apart - apart.round()).abs() < 0.02, "{from} {to} {taken:?}: {is} was at {was}");
            }
            // The next step goes on from there.
            assert_eq!(lab.try_at(&crowd(to), &[]).found.persisting, 2);
        }
    }
}

#[test]
fn an_invalid_pair_is_named() {
    let shapes = [sphere(0.5, 0.05)];
    let positions = [[0.0; 3], [1.0, 0.0, 0.0]];
    let bodies = Bodies::new(&shapes, Words::from_slice(&[0; 2]), Array::from_f64(&positions));
    let sizes = SceneSizes { bodies: 2, candidates: 3, contacts: 3, nodes: 0, posed: 1, levels: 1, margin_contacts: 0 };
    let mut block = Memory::new(Scene::layout(&sizes).unwrap()).unwrap();
    let mut scene = Scene::init(&mut block, &sizes).unwrap();
    let settings = Settings { periods: [4.0, 0.0, 0.0], ..Settings::default() };
    let mut scratch = Memory::new(detect_scratch(&sizes, &bodies, &settings, 1).unwrap()).unwrap();
    let pair = |a, b, shift| {
        let mut c = Candidate::default();
        (c.a, c.b, c.shift) = (a, b, shift);
        c
    };
    let good = pair(0, 1, [0; 3]);
    let mut refuse = |list: &[Candidate], poses: Option<&[[Pose; 2]]>| {
        let pairs = Pairs { list, poses };
        scene.find_pairs(&Serial, Isa::best(), &bodies, &pairs, &settings, &mut scratch).unwrap_err()
    };
    let of = |kind, i, component| Error::new(kind, What::Candidates).at(i, component);
    assert_eq!(refuse(&[good, pair(1, 2, [0; 3])], None), of(Kind::BadIndex, 1, 1).amounts(2, 2));
    assert_eq!(refuse(&[good, pair(1, 1, [0; 3])], None), of(Kind::OutOfRange, 1, 2));
    assert_eq!(refuse(&[pair(1, 0, [0, 1, 0])], None), of(Kind::OutOfRange, 0, 2));
    assert_eq!(
        refuse(&[good, pair(1, 1, [1, 0, 0]), pair(1, 0, [0; 3])], None),
        of(Kind::Duplicate, 2, 0).amounts(0, 0)
    );
    let four = [good; 4];
    assert_eq!(refuse(&four, None), Error::capacity(What::Candidates, 4, 3));
    let poses = [[Pose::IDENTITY; 2]; 2];
    assert_eq!(refuse(&[good], Some(&poses)), Error::new(Kind::Mismatch, What::Poses).amounts(1, 2));
    assert_eq!(refuse(&[good, pair(0, 1, [1, 0, 0])], Some(&poses)), Error::capacity(What::Poses, 2, 1));
    let nan = [[Pose::IDENTITY, Pose { position: [f64::NAN; 3], ..Pose::IDENTITY }]];
    assert_eq!(refuse(&[good], Some(&nan)).kind, Kind::NotFinite);
}

#[test]
fn what_is_carried_is_the_hosts() {
    let shapes = [sphere(0.5, 0.05)];
    let mut crowd = Crowd::default();
    for x in [0.0, 1.0] {
        crowd.kinds.push(0);
        crowd.positions.push([x, 0.0, 0.0]);
        crowd.orientations.push([0.0, 0.0, 0.0, 1.0]);
        crowd.scales.push(1.0);
        crowd.motions.push(0);
        crowd.groups.push(1);
        crowd.masks.push(1);
        crowd.halos.push(0.05);
        crowd.ids.push(crowd.ids.len() as u64);
    }
    let mut lab = Lab::new(&shapes, 0.0, [0.0; 3]);
    lab.try_at(&crowd, &[]);
    lab.scene().commit();
    // Both turn by a right angle about z, as one body.
    let half = 0.5f64.sqrt();
    crowd.positions[1] = [0.0, 1.0, 0.0];
    crowd.orientations = vec![[0.0, 0.0, half, half]; 2];
    lab.look(&crowd, None).unwrap();
    let scene = lab.scene();
    let view = scene.as_ref();
    let (mut v, mut number) = ([[9.0; 3]], [9.0]);
    let near = |x: [f64; 3], y: [f64; 3]| (0..3).all(|k| (x[k] - y[k]).abs() < 1e-15);
    // The normal was -x, and is -y.
    view.carry(&Serial, Carry::Tangent, &[[0.0, 3.0, 4.0]], &mut v).unwrap();
    assert!(near(v[0], [-3.0, 0.0, 4.0]), "{v:?}");
    view.carry(&Serial, Carry::Normal, &[[2.0, 0.0, 0.0]], &mut v).unwrap();
    assert!(near(v[0], [0.0, 2.0, 0.0]), "{v:?}");
    view.carry_numbers(&[7.5], &mut number).unwrap();
    assert_eq!(number, [7.5]);
    // Nothing there before: everything begins at zero.
    view.carry(&Serial, Carry::Normal, &[], &mut v).unwrap();
    view.carry_numbers(&[], &mut number).unwrap();
    assert_eq!((v, number), ([[0.0; 3]], [0.0]));
    let e = view.carry_numbers(&[1.0, 2.0], &mut number).unwrap_err();
    assert_eq!((e.kind, e.what), (Kind::Mismatch, What::LastVectors));
}
