//! Scenes that keep a neighbour list for several steps find the same contacts as scenes that rebuild it, whatever
//! happens between steps.

use dem_core::array::{Array, Words};
use dem_core::contact::shape::Shape;
use dem_core::detect::Bodies;
use dem_tests::cases;
use dem_tests::crowd::{Crowd, Stock, parts, shapes};
use dem_tests::kept::Both;
use dem_tests::random::Random;
use dem_tests::shapes::sphere;
use dem_tests::vector::{add, scale};

fn turn(q: [f64; 4], by: f64, random: &mut Random) -> [f64; 4] {
    let mut q = q;
    q.iter_mut().for_each(|x| *x += by * (random.unit() - 0.5));
    q
}

/// Applies change number `what` to a crowd between two steps.
fn happen(crowd: &mut Crowd, what: usize, random: &mut Random) {
    let n = crowd.kinds.len();
    let i = random.below(n);
    match what {
        0 => crowd.positions[i] = random.in_cube(4.0),
        1 => crowd.scales[i] = crowd.scales[i].min(1.0) * random.range(0.5, 1.5),
        // Huge, or no longer.
        2 => {
            for i in (0..n).filter(|i| crowd.kinds[*i] == 4) {
                crowd.scales[i] = if crowd.scales[i] > 1.0 { 0.3 } else { 1.7 };
            }
        }
        3 => crowd.kinds[i] = random.below(5) as u32,
        4 => crowd.groups[i] = [0, 1, 2, 3, u32::MAX][random.below(5)],
        5 => crowd.masks[i] = [0, 1, 2, 3, u32::MAX][random.below(5)],
        6 => crowd.motions[i] = random.below(4) as u32,
        7 => crowd.halos[i] = random.range(0.0, 0.5),
        8 => crowd.ids[i] += 60 << 8,
        9 => crowd.orientations[i] = random.rotation(),
        // The last one goes, or another one comes.
        10 => {
            let one = Crowd::new(60, 4.0, random.below(1000) as u64);
            let k = random.below(60);
            let more = random.below(2) == 0;
            macro_rules! change {
                ($($field:ident),*) => { $( if more { crowd.$field.push(one.$field[k]) } else { _ = crowd.$field.pop() } )* };
            }
            change!(kinds, positions, orientations, scales, motions, groups, masks, ids, halos);
        }
        // All that have no end, or are huge, move and turn a little.
        11 => {
            for i in (0..n).filter(|i| crowd.kinds[*i] >= 3) {
                crowd.positions[i] = add(crowd.positions[i], scale(0.02, random.direction()));
                crowd.orientations[i] = turn(crowd.orientations[i], 1e-3, random);
            }
        }
        12 => {
            for i in (0..n).filter(|i| i % 3 == 0 && crowd.kinds[*i] != 3) {
                crowd.positions[i] =
                    [0, 1, 2].map(|k| crowd.positions[i][k] + crowd.periods[k] * (random.below(5) as f64 - 2.0));
            }
        }
        13 => {
            for i in (0..n).filter(|i| crowd.kinds[*i] == 3) {
                crowd.orientations[i] = turn(crowd.orientations[i], 1e-16, random);
            }
        }
        _ => {}
    }
}

#[test]
fn a_kept_list_changes_nothing_whatever_happens() {
    let (stock, other) = (Stock::new(), Stock::bumpier());
    let (surfaces, others) = (stock.surfaces(), other.surfaces());
    let (own, own_others) = (parts(&surfaces), parts(&others));
    // Where surfaces are refitted between two steps.
    let tables = [shapes(&surfaces, &own), shapes(&others, &own_others)];
    let spaces = [[0.0; 3], [8.0, 0.0, 9.5], [9.0, 0.0, 0.0], [8.0, 7.0, 9.0]];
    for (round, periods) in spaces.into_iter().enumerate().take(cases(2, 4)) {
        let mut random = Random::new(50 + round as u64);
        let mut crowd = Crowd { periods, ..Crowd::new(cases(48, 80), 3.5, 40 + round as u64) };
        let mut both = Both::new(&[0.02, 0.3, 3.0, 1e300, 0.0]);
        let mut table = 0;
        let mut away = None;
        for step in 0..70 {
            let case = format!("periods {periods:?}, step {step}");
            if step % 3 == 2 {
                happen(&mut crowd, random.below(14), &mut random);
            }
            match step % 40 {
                // Somewhere else, and back.
                10 => {
                    away = Some(crowd.positions.clone());
                    crowd.positions.iter_mut().for_each(|x| *x = random.in_cube(4.0));
                }
                11 => {
                    crowd.positions = away
                        .take()
                        .unwrap_or_default()
                        .into_iter()
                        .chain(crowd.positions.clone())
                        .take(crowd.kinds.len())
                        .collect()
                }
                20 => {
                    let mut bad = crowd.clone();
                    bad.positions[step % 40][1] = f64::NAN;
                    both.step(&bad.bodies(&tables[table], round % 2 == 1), periods, &case);
                    bad.positions[step % 40][1] = 1e300;
                    both.step(&bad.bodies(&tables[table], round % 2 == 1), periods, &case);
                }
                25 => table = 1 - table,
                30 => both.kept.iter_mut().for_each(|scene| scene.settings.skin *= 0.75),
                // Another box for a step.
                35 => both.step(&crowd.bodies(&tables[table], false), periods.map(|p| 1.25 * p), &case),
                _ => {}
            }
            both.step(&crowd.bodies(&tables[table], round % 2 == 1), periods, &case);
            crowd.stir([1e-3, 1e-9, 0.01][step / 10 % 3], &mut random);
        }
        let (kept, all) = (both.kept(), both.lists.len());
        assert!(kept > all / 4 && kept < all * 4 / 5, "{periods:?}: {kept} of {all}");
        assert_eq!(both.errors, 4, "{periods:?}");
    }
}

/// Grains among walls of all sorts: half-spaces, one of them across a periodic axis, a compound with one, and plates, which are huge.
struct Walls {
    kinds: Vec<u32>,
    positions: Vec<[f64; 3]>,
    orientations: Vec<[f64; 4]>,
    motions: Vec<u32>,
}

impl Walls {
    const GRAINS: usize = 250;

    fn new(random: &mut Random) -> Self {
        let mut walls = Walls {
            kinds: vec![0; Walls::GRAINS],
            positions: (0..Walls::GRAINS).map(|_| random.in_cube(2.0)).collect(),
            orientations: vec![[0.0, 0.0, 0.0, 1.0]; Walls::GRAINS],
            motions: vec![0; Walls::GRAINS],
        };
        let root = 0.5f64.sqrt();
        for (kind, position, orientation, motion) in [
            (1, [0.0, 0.0, -1.9], [0.0, 0.0, 0.0, 1.0], 1),
            (1, [-1.0, 0.0, 0.0], [0.0, root, 0.0, root], 1),
            (2, [0.0, 0.0, -3.0], [0.0, 0.0, 0.0, 1.0], 1),
            (3, [0.3, -0.2, 0.0], [0.0, 0.0, 0.0, 1.0], 0),
            (3, [0.0, 0.5, 0.5], [0.3, 0.0, 0.0, 1.0], 1),
        ] {
            walls.kinds.push(kind);
            walls.positions.push(position);
            walls.orientations.push(orientation);
            walls.motions.push(motion);
        }
        walls
    }

    /// Moves grains, half-spaces or plates, or nobody, and bodies by whole periods where that is what happens.
    fn stir(&mut self, mode: usize, periods: [f64; 3], random: &mut Random) {
        let (grains, endless, plates) =
            (0..Walls::GRAINS, Walls::GRAINS..Walls::GRAINS + 3, Walls::GRAINS + 3..self.kinds.len());
        let mut shift = |i: usize, way: f64, random: &mut Random| {
            self.positions[i] = add(self.positions[i], scale(way * random.unit(), random.direction()));
        };
        match mode {
            5 => grains.for_each(|i| shift(i, 0.02, random)),
            1 => endless.for_each(|i| shift(i, 0.15, random)),
            2 => endless.for_each(|i| self.orientations[i] = turn(self.orientations[i], 0.02, random)),
            3 => plates.for_each(|i| shift(i, 0.1, random)),
            4 => plates.for_each(|i| self.orientations[i] = turn(self.orientations[i], 0.04, random)),
            _ => {
                for i in grains.chain(plates).filter(|i| i % 4 == 0) {
                    self.positions[i] =
                        [0, 1, 2].map(|k| self.positions[i][k] + periods[k] * (random.below(7) as f64 - 3.0));
                }
            }
        }
    }

    fn bodies<'a>(&'a self, shapes: &'a [Shape<'a>]) -> Bodies<'a> {
        Bodies {
            orientations: Some(Array::from_quaternions(&self.orientations)),
            motions: Some(Words::from_slice(&self.motions)),
            ..Bodies::new(shapes, Words::from_slice(&self.kinds), Array::from_f64(&self.positions))
        }
    }
}

#[test]
fn walls_that_sink_tilt_and_turn_and_bodies_that_are_wrapped_lose_no_pair() {
    let soup: Vec<_> = {
        let plate = dem_std::generate::plate([2, 2], [3.0, 3.0]).unwrap();
        (0..plate.len()).map(|i| plate.triangle(i)).collect()
    };
    let plate = dem_tests::contact::Body::new(&soup, 0.01);
    let surface = dem_tests::shapes::surface(&plate, false);
    let parts = [dem_tests::shapes::part(dem_tests::shapes::ground(0.01), [0.0; 3])];
    let grain = sphere(0.1, 0.01);
    let shapes = [grain, dem_tests::shapes::ground(0.01), Shape::Compound(&parts), Shape::Mesh(&surface)];
    for (round, periods) in [[0.0; 3], [0.0, 6.0, 0.0], [5.0, 6.0, 0.0]].into_iter().enumerate() {
        let mut random = Random::new(60 + round as u64);
        let mut walls = Walls::new(&mut random);
        let mut both = Both::new(&[0.1, 0.4, 0.0]);
        for step in 0..120 {
            let case = format!("periods {periods:?}, step {step}");
            if step % 60 == 8 && periods[1] > 0.0 {
                // Beyond what there is room for, by so many periods that nothing else has changed; a plate with its edge only.
                for (i, way) in [(5, 5000.0 * 6.0), (Walls::GRAINS + 3, 4096.0 * 6.0)] {
                    both.step(&walls.bodies(&shapes), periods, &case);
                    let before = walls.positions[i];
                    walls.positions[i][1] += way;
                    both.step(&walls.bodies(&shapes), periods, &case);
                    walls.positions[i] = before;
                }
            }
            both.step(&walls.bodies(&shapes), periods, &case);
            walls.stir(step / 10 % 6, periods, &mut random);
        }
        let (kept, all) = (both.kept(), both.lists.len());
        assert!(kept > all / 4, "{periods:?}: {kept} of {all}");
        assert_eq!(both.errors, if periods[1] > 0.0 { 4 } else { 0 });
    }
}
