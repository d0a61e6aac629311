//! More bodies than any chunk holds: balls on half-spaces, step by step, against closed forms over all pairs. The
//! expected results use no code of the library.

use dem_core::array::{Array, Words};
use dem_core::contact::history::{BEGIN, END, Event, PERSIST};
use dem_core::detect::surfaces::{Motions, velocities};
use dem_core::detect::{Bodies, Carry, SceneRef};
use dem_core::exec::Executor;
use dem_std::{OwnedScene, Threads};
use dem_tests::random::Random;
use dem_tests::shapes::{ground, sphere};
use dem_tests::vector::{add, cross, dot, length, rotate, scale, sub};
use std::collections::{HashMap, HashSet};

/// Half the width of the box, which is periodic along x or open.
const HALF: f64 = 9.5;
/// The ground is below all balls but some.
const FLOOR: f64 = -9.0;

/// Balls, and three half-spaces among them, far from each other in the arrays.
struct Balls {
    kinds: Vec<u32>,
    positions: Vec<[f64; 3]>,
    orientations: Vec<[f64; 4]>,
    radii: Vec<f64>,
    halos: Vec<f64>,
    motions: Vec<u32>,
    groups: Vec<u32>,
    masks: Vec<u32>,
    ids: Vec<u64>,
    period: f64,
}

/// Two bodies in touch, and how.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Touch {
    a: usize,
    b: usize,
    /// From B to A.
    normal: [f64; 3],
    gap: f64,
    shift: f64,
}

/// Identity of a body: an index that is reused is another body.
type Who = [u64; 2];

impl Balls {
    fn new(n: usize, period: f64, random: &mut Random) -> Balls {
        let plates = [n / 20, n / 2 + 7, n - 3];
        let each = |random: &mut Random, choices: &[u32]| choices[random.below(choices.len())];
        let is_plate = |i: usize| plates.contains(&i);
        let place = |i: usize, random: &mut Random| {
            let at = random.in_cube(HALF);
            if is_plate(i) { [at[0], at[1], FLOOR - 0.1 * i as f64 / n as f64] } else { at }
        };
        Balls {
            kinds: (0..n).map(|i| u32::from(is_plate(i))).collect(),
            positions: (0..n).map(|i| place(i, random)).collect(),
            orientations: (0..n).map(|i| if is_plate(i) { [0.0, 0.0, 0.0, 1.0] } else { random.rotation() }).collect(),
            radii: (0..n).map(|_| random.range(0.2, 0.6)).collect(),
            halos: (0..n).map(|_| random.range(0.0, 0.05)).collect(),
            motions: (0..n).map(|i| if is_plate(i) { 2 } else { each(random, &[0, 0, 0, 1, 2]) }).collect(),
            groups: (0..n).map(|_| each(random, &[u32::MAX, 1, 2, 3])).collect(),
            masks: (0..n).map(|_| each(random, &[u32::MAX, u32::MAX, 1, 2])).collect(),
            ids: (0..n).map(|i| (i as u64) << 32 | random.below(4) as u64).collect(),
            period,
        }
    }

    fn bodies<'a>(&'a self, shapes: &'a [dem_core::contact::shape::Shape<'a>]) -> Bodies<'a> {
        Bodies {
            orientations: Some(Array::from_quaternions(&self.orientations)),
            scales: Some(Array::from_numbers(&self.radii)),
            halos: Some(Array::from_numbers(&self.halos)),
            motions: Some(Words::from_slice(&self.motions)),
            groups: Some(Words::from_slice(&self.groups)),
            masks: Some(Words::from_slice(&self.masks)),
            ids: Some(Words::from_slice(&self.ids)),
            ..Bodies::new(shapes, Words::from_slice(&self.kinds), Array::from_f64(&self.positions))
        }
    }

    /// All that move go on, some leave the box and come back on the other side, some places are given to others. Where it is not `calm` some
    /// change what they meet, or their size.
    fn stir(&mut self, way: f64, calm: bool, random: &mut Random) {
        for i in (0..self.kinds.len()).filter(|i| self.motions[*i] != 2) {
            self.positions[i] = add(self.positions[i], scale(way * random.unit(), random.direction()));
            self.orientations[i] = random.rotation();
            if self.period > 0.0 && random.below(3) == 0 {
                self.positions[i][0] -= self.period * (self.positions[i][0] / self.period).round();
            }
            match random.below(200) {
                0 => self.ids[i] += 4,
                1 if !calm => self.masks[i] = u32::MAX,
                2 if !calm => self.radii[i] = random.range(0.2, 0.6),
                _ => {}
            }
        }
    }

    fn touch(&self, a: usize, b: usize) -> Option<Touch> {
        if self.motions[a] != 0 && self.motions[b] != 0
            || self.groups[a] & self.masks[b] == 0
            || self.groups[b] & self.masks[a] == 0
        {
            return None;
        }
        let both = self.halos[a] + self.halos[b];
        let (gap, normal, shift) = match [self.kinds[a], self.kinds[b]] {
            [0, 0] => {
                let mut d = sub(self.positions[a], self.positions[b]);
                let shift = if self.period > 0.0 { (d[0] / self.period).round() } else { 0.0 };
                d[0] -= shift * self.period;
                (length(d) - self.radii[a] - self.radii[b], scale(1.0 / length(d), d), shift)
            }
            [0, 1] => (self.positions[a][2] - self.positions[b][2] - self.radii[a], [0.0, 0.0, 1.0], 0.0),
            [1, 0] => (self.positions[b][2] - self.positions[a][2] - self.radii[b], [0.0, 0.0, -1.0], 0.0),
            _ => return None,
        };
        // Nobody is so near that rounding tells.
        assert!((gap - both).abs() > 1e-13, "{a} {b}");
        (gap < both).then_some(Touch { a, b, normal, gap, shift })
    }

    fn touches(&self) -> Vec<Touch> {
        let n = self.kinds.len();
        (0..n).flat_map(|a| (a + 1..n).filter_map(move |b| self.touch(a, b))).collect()
    }

    fn who(&self, touch: &Touch) -> Who {
        [touch.a, touch.b].map(|i| self.ids[i])
    }

    /// Where B is where it meets A.
    fn met(&self, touch: &Touch) -> [f64; 3] {
        add(self.positions[touch.b], [touch.shift * self.period, 0.0, 0.0])
    }
}

/// A vector of a body, where it was turned from one orientation to another.
fn turned([x, y, z, w]: [f64; 4], to: [f64; 4], v: [f64; 3]) -> [f64; 3] {
    rotate(to, rotate([-x, -y, -z, w], v))
}

fn assert_near(found: [f64; 3], expected: [f64; 3], size: f64, what: &str) {
    assert!(length(sub(found, expected)) < 1e-11 * size, "{what}: {found:?} {expected:?}");
}

/// Contacts are those of all pairs, in their order; gives their places.
fn assert_contacts(view: &SceneRef<'_>, balls: &Balls, touches: &[Touch], case: &str) {
    let now = view.now();
    assert_eq!((now.contacts().len(), now.pairs().len()), (touches.len(), touches.len()), "{case}");
    for (i, (touch, pair)) in touches.iter().zip(now.pairs()).enumerate() {
        let (c, case) = (&now.contacts()[i], format!("{case}, contact {i} of {}", touches.len()));
        assert_eq!((pair.a as usize, pair.b as usize), (touch.a, touch.b), "{case}");
        assert_eq!((pair.first as usize, pair.end as usize, c.share), (i, i + 1, 1.0), "{case}");
        assert_eq!(f64::from(pair.shift[0]), touch.shift, "{case}");
        assert!((c.least_gap - touch.gap).abs() < 1e-12, "{case}: {c:?} {touch:?}");
        assert_near(c.normal, touch.normal, 1.0, &case);
    }
    let mut expected = vec![[Vec::new(), Vec::new()]; balls.kinds.len()];
    for (i, touch) in touches.iter().enumerate() {
        expected[touch.a][0].push((i, false));
        expected[touch.b][1].push((i, true));
    }
    for (i, expected) in expected.iter().enumerate() {
        let found: Vec<_> = view.touches(i).iter().map(|t| (t.contact(), t.is_b())).collect();
        assert_eq!(found, expected.concat(), "{case}, body {i}");
    }
}

/// Begin, persist and end events.
fn assert_events(view: &SceneRef<'_>, now: &[Who], last: &[Who], case: &str) {
    let mut events = vec![Event::default(); now.len() + last.len()];
    let count = view.events(&mut events).unwrap();
    let (was, is): (HashSet<_>, HashSet<_>) = (last.iter().collect(), now.iter().collect());
    let of = |kind| {
        let here = events[..count].iter().filter(move |e| e.contact == kind);
        here.map(|e| if kind == END { last[e.last as usize] } else { now[e.now as usize] }).collect::<Vec<_>>()
    };
    assert_eq!(of(BEGIN), now.iter().filter(|who| !was.contains(who)).copied().collect::<Vec<_>>(), "{case}");
    assert_eq!(of(PERSIST), now.iter().filter(|who| was.contains(who)).copied().collect::<Vec<_>>(), "{case}");
    assert_eq!(of(END), last.iter().filter(|who| !is.contains(who)).copied().collect::<Vec<_>>(), "{case}");
}

/// Forces and torques of all bodies, and how fast surfaces move.
fn assert_sums(view: &SceneRef<'_>, exec: &dyn Executor, balls: &Balls, touches: &[Touch], random: &mut Random) {
    let n = balls.kinds.len();
    let forces: Vec<_> = touches.iter().map(|_| random.in_cube(1.0)).collect();
    let mut wrenches = vec![Default::default(); n];
    view.wrenches(exec, Array::from_f64(&forces), None, None, &mut wrenches).unwrap();
    let (linear, angular): (Vec<_>, Vec<_>) = (0..n).map(|_| (random.in_cube(1.0), random.in_cube(1.0))).unzip();
    let motions = Motions {
        velocities: Some(Array::from_f64(&linear)),
        spins: Some(Array::from_f64(&angular)),
        ..Motions::default()
    };
    let mut fast = vec![[f64::NAN; 3]; touches.len()];
    velocities(exec, view, &motions, &mut fast).unwrap();
    let mut expected = vec![([0.0; 3], [0.0; 3]); n];
    for (i, touch) in touches.iter().enumerate() {
        let p = view.now().contacts()[i].position;
        let ends = [(touch.a, balls.positions[touch.a], 1.0), (touch.b, balls.met(touch), -1.0)];
        let mut difference = [0.0; 3];
        for (body, centre, side) in ends {
            let (force, torque) = &mut expected[body];
            (*force, *torque) =
                (add(*force, scale(side, forces[i])), add(*torque, cross(sub(p, centre), scale(side, forces[i]))));
            let own = add(linear[body], cross(angular[body], sub(p, centre)));
            difference = add(difference, scale(side, own));
        }
        assert_near(fast[i], difference, 100.0, "velocity");
    }
    for (i, (found, (force, torque))) in wrenches.iter().zip(&expected).enumerate() {
        assert_near(found.force, *force, 1e3, &format!("force on {i}"));
        assert_near(found.torque, *torque, 1e5, &format!("torque on {i}"));
    }
}

#[test]
fn thousands_of_bodies_have_the_contacts_events_springs_and_sums_of_all_pairs() {
    let shapes = [sphere(1.0, 0.5), ground(0.5)];
    let mut random = Random::new(77);
    for (n, period, skin) in [(5_000, 0.0, 0.0), (5_000, 2.0 * HALF, 0.0), (5_000, 2.0 * HALF, 0.3)] {
        let mut balls = Balls::new(n, period, &mut random);
        let mut scene = OwnedScene::new(Threads::new(2).unwrap());
        (scene.settings.periods, scene.settings.skin) = ([period, 0.0, 0.0], skin);
        let threads = Threads::new(2).unwrap();
        let (mut last, mut springs) = (HashMap::<Who, usize>::new(), Vec::<[f64; 3]>::new());
        let (mut last_who, mut before) = (Vec::new(), balls.orientations.clone());
        for step in 0..if skin > 0.0 { 4 } else { 2 } {
            let case = format!("period {period}, skin {skin}, step {step}");
            let found = scene.detect(&balls.bodies(&shapes)).unwrap();
            // A list lives until somebody is not what it was made of.
            assert_eq!(found.list.age, if skin > 0.0 { [0, 1, 2, 0][step] } else { 0 }, "{case}");
            let grid = *scene.view().unwrap().list_grid();
            assert_eq!(grid.levels.iter().map(|level| level.bodies).sum::<u64>(), n as u64, "{case}: {grid:?}");
            assert!(grid.count > 0 && grid.expected > 0.0 && grid.tested > 0.0, "{case}: {grid:?}");
            let (touches, view) = (balls.touches(), scene.view().unwrap());
            assert!(touches.len() > 2048, "{case}: {}", touches.len());
            assert_contacts(&view, &balls, &touches, &case);
            let who: Vec<_> = touches.iter().map(|touch| balls.who(touch)).collect();
            assert_events(&view, &who, &last_who, &case);
            // Springs turn as both bodies do on average, in the plane across the normal, and keep their lengths.
            let mut carried = vec![[f64::NAN; 3]; touches.len()];
            view.carry(&threads, Carry::Tangent, &springs, &mut carried).unwrap();
            for (i, touch) in touches.iter().enumerate() {
                let expected = last.get(&who[i]).map_or([0.0; 3], |from| {
                    let s = springs[*from];
                    let mean = [touch.a, touch.b].map(|k| turned(before[k], balls.orientations[k], s));
                    let t = add(mean[0], mean[1]);
                    let t = sub(t, scale(dot(t, touch.normal), touch.normal));
                    scale(length(s) / length(t), t)
                });
                assert_near(carried[i], expected, 1e2, &format!("{case}, spring {i}"));
            }
            assert!(step == 0 || who.iter().filter(|who| last.contains_key(*who)).count() > 1024, "{case}");
            assert_sums(&view, &threads, &balls, &touches, &mut random);
            springs = carried.iter().map(|s| add(*s, random.in_cube(1.0))).collect();
            last = who.iter().copied().zip(0..).collect();
            (last_who, before) = (who, balls.orientations.clone());
            balls.stir(0.05, step < 2, &mut random);
        }
    }
}
