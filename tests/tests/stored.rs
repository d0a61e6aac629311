//! The energy that contacts tell: force and torque are minus its gradient.

use dem_core::array::{Array, Words};
use dem_core::contact::regions::Grouping;
use dem_core::contact::shape::{Placed, Shape};
use dem_core::contact::{Contact, Room, least_gap};
use dem_core::detect::{Bodies, Scene, ScenePair, SceneSizes, Settings, detect_scratch};
use dem_core::exec::Serial;
use dem_core::pose::Pose;
use dem_core::simd::Isa;
use dem_std::{Memory, generate};
use dem_tests::Triangle;
use dem_tests::contact::{Body, after, at, cuboid, ell, soup, wrench};
use dem_tests::data;
use dem_tests::deep::{moved, sized, turn};
use dem_tests::random::Random;
use dem_tests::shapes::{all, ground, part, placed, sphere, stored, surface};
use dem_tests::vector::{add, dot, length, scale};

/// Halo of each body.
const HALO: f64 = 0.05;

fn rock(level: u32, seed: u64) -> Vec<Triangle> {
    soup(&generate::bumpy(generate::icosphere(level).unwrap(), 1.4, seed).unwrap())
}

/// Terrain.
fn wall(n: u32) -> Vec<Triangle> {
    soup(&generate::plate([n, n], [8.0, 8.0]).unwrap())
}

fn bunny() -> Vec<Triangle> {
    let bunny = data::mesh("scenes/bunny.stl");
    let [low, high] = bunny.iter().flatten().fold([[f64::MAX; 3], [f64::MIN; 3]], |[l, h], v| {
        [[0, 1, 2].map(|k| l[k].min(v[k])), [0, 1, 2].map(|k| h[k].max(v[k]))]
    });
    let size = (0..3).map(|k| high[k] - low[k]).fold(0.0, f64::max);
    sized(&moved(&bunny, [0, 1, 2].map(|k| -0.5 * (low[k] + high[k]))), 2.0 / size)
}

fn energy(list: &[Contact]) -> f64 {
    list.iter().map(|c| c.energy).sum()
}

/// A pose moved along a way, and turned about it.
fn displaced(pose: &Pose, way: [f64; 3], by: [f64; 2]) -> Pose {
    at(add(pose.position, scale(by[0], way)), after(turn(way, by[1]), pose.orientation))
}

/// How far force and torque are from minus the gradient of the energy, over the force's size; and the least gap.
fn error(a: Shape<'_>, b: &Placed<'_>, pose: &Pose, step: f64) -> Option<[f64; 2]> {
    let of = |pose: &Pose| stored(&placed(a, pose), b, &Grouping::PATCHES);
    let list = of(pose);
    let w = wrench(&list, pose.position);
    let size = length(w.force);
    let least = least_gap(&list);
    if size == 0.0 {
        return None;
    }
    let mut worst = 0.0f64;
    for way in [[0.6, 0.0, 0.8], [-0.48, 0.8, 0.36], [-0.64, -0.6, 0.48]] {
        for turns in [false, true] {
            let at = |x: f64| energy(&of(&displaced(pose, way, if turns { [0.0, x] } else { [x, 0.0] })));
            let [h, x] = [step, 2.0 * step];
            let slope = (8.0 * (at(h) - at(-h)) - (at(x) - at(-x))) / (12.0 * step);
            let told = dot(way, if turns { w.torque } else { w.force });
            worst = worst.max((told + slope).abs() / size);
        }
    }
    Some([worst, least])
}

/// Poses at which A, turned at random, has its least gap to B within this range, from random sides or from above.
fn poses(a: Shape<'_>, b: &Placed<'_>, range: [f64; 2], count: usize, above: bool) -> Vec<Pose> {
    let mut random = Random::new(5);
    let mut poses = Vec::new();
    for _ in 0..100 * count {
        if poses.len() == count {
            break;
        }
        let side = random.in_cube(1.0);
        // From above where there is no other side.
        let flat = matches!(b.shape, Shape::HalfSpace { .. });
        let way = match length(side) > 0.1 {
            true if above || flat => [0.0, 0.0, 1.0],
            true => scale(1.0 / length(side), side),
            false => continue,
        };
        let (orientation, wanted) = (random.rotation(), random.range(range[0], range[1]));
        let least = |far: f64| least_gap(&all(&placed(a, &at(scale(far, way), orientation)), b).0);
        let (mut low, mut high) = (if flat { -1.0 } else { 0.0 }, 7.0);
        for _ in 0..40 {
            let middle = 0.5 * (low + high);
            if least(middle) < wanted { low = middle } else { high = middle }
        }
        let pose = at(scale(high, way), orientation);
        let list = all(&placed(a, &pose), b).0;
        if (range[0]..=range[1]).contains(&least_gap(&list)) {
            poses.push(pose);
        }
    }
    assert_eq!(poses.len(), count);
    poses
}

struct Worst(f64);

impl Worst {
    fn check(&mut self, name: &str, a: Shape<'_>, b: &Placed<'_>, range: [f64; 2], bound: f64) {
        let mut worst = 0.0f64;
        for (i, pose) in poses(a, b, range, 4, name.ends_with("hills")).iter().enumerate() {
            let Some([error, least]) = error(a, b, pose, 1e-5) else { continue };
            worst = worst.max(error);
            assert!(error < bound, "{name} {i}: {error:e} at a least gap of {least}");
        }
        println!("{name}: {worst:.1e}");
        self.0 = self.0.max(worst);
    }
}

#[test]
fn force_and_torque_are_minus_the_gradient_of_the_energy() {
    let of = |soup: Vec<Triangle>| Body::conservative(&soup, HALO);
    let bunny = Body::conservative(&bunny(), HALO);
    let (cube, ell) = (of(cuboid([1.0; 3])), of(ell()));
    let (small, fine) = (of(rock(1, 7)), of(rock(2, 9)));
    let hills: Vec<Triangle> =
        wall(12).iter().map(|t| t.map(|[x, y, _]| [x, y, 0.2 * (3.0 * x).sin() * (2.0 * y).cos()])).collect();
    let hills = Body::conservative(&hills, HALO);
    let bodies = [("cube", &cube), ("L", &ell), ("rock 80", &small), ("rock 320", &fine), ("bunny", &bunny)];
    let surfaces = bodies.map(|(name, body)| (name, surface(body, false)));
    let land = surface(&hills, false);
    let mut worst = Worst(0.0);
    let apart = [0.05 * HALO, 1.6 * HALO];
    for (i, (name, a)) in surfaces.iter().enumerate() {
        let a = Shape::Mesh(a);
        for (other, b) in surfaces.iter().skip(i).step_by(2) {
            worst.check(&format!("{name}, {other}"), a, &placed(Shape::Mesh(b), &Pose::IDENTITY), apart, 1e-7);
        }
        worst.check(&format!("{name}, plane"), a, &placed(ground(HALO), &Pose::IDENTITY), apart, 1e-7);
        worst.check(&format!("{name}, hills"), a, &placed(Shape::Mesh(&land), &Pose::IDENTITY), apart, 1e-7);
        let ball = placed(sphere(0.3, HALO), &Pose::IDENTITY);
        worst.check(&format!("{name}, ball"), a, &ball, apart, 1e-7);
        worst.check(&format!("{name}, ball within"), a, &ball, [-2.0 * HALO, 0.0], 1e-7);
    }
    println!("worst {:.1e}", worst.0);
}

/// What is inside is counted, too: energies go on where surfaces cross.
#[test]
fn the_energy_goes_on_below_the_surface() {
    let of = |soup: Vec<Triangle>| Body::conservative(&soup, HALO);
    let (cube, ell, rocky) = (of(cuboid([1.0; 3])), of(ell()), of(rock(1, 7)));
    let surfaces = [&cube, &ell, &rocky].map(|body| surface(body, true));
    let deep = [-1.5 * HALO, -0.05 * HALO];
    let mut worst = Worst(0.0);
    for (name, a) in ["cube", "L", "rock"].iter().zip(&surfaces) {
        let a = Shape::Mesh(a);
        worst.check(&format!("{name}, plane"), a, &placed(ground(HALO), &Pose::IDENTITY), deep, 1e-7);
        for (other, b) in ["cube", "L", "rock"].iter().zip(&surfaces) {
            worst.check(&format!("{name}, {other}"), a, &placed(Shape::Mesh(b), &Pose::IDENTITY), deep, 1e-7);
        }
        let ball = placed(sphere(0.2, HALO), &Pose::IDENTITY);
        worst.check(&format!("{name}, centre within"), a, &ball, [-0.25, -0.21], 1e-7);
    }
    println!("worst {:.1e}", worst.0);
}

#[test]
fn balls_have_the_energy_of_their_law() {
    let mut worst = Worst(0.0);
    let balls = [(0.3, 0.05), (0.02, 0.4), (3.0, 0.01), (0.05, 0.1)].map(|(radius, halo)| sphere(radius, halo));
    for (i, a) in balls.iter().enumerate() {
        for range in [[0.001, 0.012], [-0.03, -0.001]] {
            worst.check(&format!("ball {i}, plane"), *a, &placed(ground(HALO), &Pose::IDENTITY), range, 1e-7);
            for (j, b) in balls.iter().enumerate().skip(i).filter(|(j, _)| *j < 3) {
                worst.check(&format!("ball {i}, ball {j}"), *a, &placed(*b, &Pose::IDENTITY), range, 1e-7);
            }
        }
    }
    println!("worst {:.1e}", worst.0);
}

/// Energies of regions, of patches and of parts add up, whoever is A, whatever the scale; asking for them changes no other number.
#[test]
fn energies_add_up() {
    let [small, fine] = [(1, 7), (2, 9)].map(|(level, seed)| Body::conservative(&rock(level, seed), HALO));
    let (small, fine) = (surface(&small, true), surface(&fine, true));
    let parts = [part(Shape::Mesh(&small), [0.0; 3]), part(sphere(0.3, HALO), [1.2, 0.0, 0.0])];
    let shape = Shape::Compound(&parts);
    let b = placed(Shape::Mesh(&fine), &Pose::IDENTITY);
    let mut told = 0;
    for pose in poses(shape, &b, [-HALO, HALO], 6, false) {
        let a = placed(shape, &pose);
        let nodes = stored(&a, &b, &Grouping::PATCHES);
        let sum = energy(&nodes);
        assert!(sum > 0.0);
        let same = |x: f64| assert!((x - sum).abs() < 1e-12 * sum, "{x:e} {sum:e}");
        same(energy(&stored(&a, &b, &Grouping::default())));
        same(energy(&stored(&a, &b, &Grouping::BODIES)));
        same(energy(&stored(&b, &a, &Grouping::default())));
        let position = scale(2.0, pose.position);
        let (twice, other) = (Pose { position, ..pose }, Placed { scale: 2.0, ..b });
        same(energy(&stored(&Placed { shape, pose: &twice, scale: 2.0 }, &other, &Grouping::default())) / 8.0);
        let silent: Vec<Contact> = nodes.iter().map(|c| Contact { energy: 0.0, ..*c }).collect();
        assert_eq!(silent, all(&a, &b).0);
        told += nodes.iter().filter(|c| c.energy != 0.0).count();
    }
    assert!(told > 10, "{told}");
    // By the law of facing there is none.
    let facing = Body::facing(&cuboid([1.0; 3]), HALO);
    let pose = at([0.1, 0.2, 1.03], [0.0, 0.0, 0.0, 1.0]);
    let of_facing = surface(&facing, true);
    let list = stored(
        &placed(Shape::Mesh(&of_facing), &pose),
        &placed(Shape::Mesh(&of_facing), &Pose::IDENTITY),
        &Grouping::default(),
    );
    assert!(!list.is_empty() && energy(&list) == 0.0);
}

/// A scene tells the energies of each pair by itself, and finds the same contacts as without.
#[test]
fn a_scene_tells_the_energies_of_its_pairs() {
    let rock = Body::conservative(&rock(1, 7), HALO);
    let rock = surface(&rock, true);
    let shapes = [ground(HALO), sphere(0.7, HALO), Shape::Mesh(&rock)];
    let (mut positions, mut turns, mut kinds) = (vec![[0.0; 3]], vec![[0.0, 0.0, 0.0, 1.0]], vec![0]);
    for i in 0..36u32 {
        let [x, y, z] = [i % 4, i / 4 % 3, i / 12].map(f64::from);
        positions.push([1.5 * x, 1.45 * y, 0.75 + 1.4 * z]);
        turns.push(turn([0.6, 0.0, 0.8], 0.37 * f64::from(i)));
        kinds.push(1 + u32::from(i % 3 > 0));
    }
    let bodies = Bodies {
        orientations: Some(Array::from_quaternions(&turns)),
        ..Bodies::new(&shapes, Words::from_slice(&kinds), Array::from_f64(&positions))
    };
    let sizes = SceneSizes {
        bodies: 37,
        candidates: 400,
        contacts: 1000,
        nodes: 8000,
        posed: 0,
        levels: 2,
        margin_contacts: 0,
    };
    let lists = [false, true].map(|energy| {
        let room = Room { pairs: 2000, terms: 4000, segments: 500 };
        let settings = Settings { room, energy, ..Settings::default() };
        let mut block = Memory::new(Scene::layout(&sizes).unwrap()).unwrap();
        let mut scratch = Memory::new(detect_scratch(&sizes, &bodies, &settings, 1).unwrap()).unwrap();
        let mut scene = Scene::init(&mut block, &sizes).unwrap();
        scene.detect(&Serial, Isa::best(), &bodies, &settings, &mut scratch).unwrap();
        let step = scene.as_ref().now();
        (step.pairs().to_vec(), step.contacts().to_vec())
    });
    let [(pairs, contacts), (energetic, told)] = lists;
    assert_eq!(contacts, told.iter().map(|c| Contact { energy: 0.0, ..*c }).collect::<Vec<_>>());
    assert_eq!(pairs, energetic.iter().map(|p| ScenePair { energy: 0.0, ..*p }).collect::<Vec<_>>());
    let mut seen = [0; 3];
    for pair in &energetic {
        let [a, b] = [pair.a, pair.b].map(|i| i as usize);
        let pose = |i: usize| at(positions[i], turns[i]);
        let shape = |i: usize| shapes[kinds[i] as usize];
        let alone = stored(&placed(shape(a), &pose(a)), &placed(shape(b), &pose(b)), &Grouping::default());
        assert!(pair.energy > 0.0 && (energy(&alone) - pair.energy).abs() < 1e-14, "{pair:?}");
        assert_eq!(pair.energy, energy(&told[pair.contacts()]));
        seen[a.min(b).min(1) + usize::from(kinds[a] == kinds[b])] += 1;
    }
    assert!(seen.into_iter().all(|n| n > 3), "{seen:?}");
}
