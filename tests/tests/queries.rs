//! Queries over two meshes against brute force, as sorted lists, and their symmetries: instruction sets, exchanged
//! bodies, units, positions.

use dem_core::memory::Layout;
use dem_core::narrow::{TrianglePair, any_pair, distance_scratch, pairs, pairs_scratch};
use dem_core::pose::Pose;
use dem_core::simd::Isa;
use dem_core::surrogate::{Options, Preset};
use dem_std::Memory;
use dem_tests::contact::cuboid;
use dem_tests::query::{Shapes, all_pairs, nearest, operand, shape};
use dem_tests::random::Random;
use dem_tests::scene::{self, EPS, Scene, THRESHOLD};
use dem_tests::vector::{add, length, moved, scale, sub};
use dem_tests::{Triangle, adversarial, boxes, cases, data, distance, exact, walls};

/// How near to the threshold the posed coordinates' own rounding may decide, relative to coordinates and distances.
const ROUNDING: f64 = 1e-13;

fn ids(found: &[TrianglePair]) -> Vec<(u32, u32)> {
    found.iter().map(|p| (p.a, p.b)).collect()
}

/// The coordinates that a scene works with: the largest of the vertices and of the positions.
fn size(scene: &Scene) -> f64 {
    let positions = [scene.pose_a.position, scene.pose_b.position];
    let all = scene.a.iter().chain(&scene.b).flatten().chain(&positions).flatten();
    all.fold(0.0, |m: f64, x| m.max(x.abs()))
}

/// Holds a query against brute force on the posed meshes: what is missing or too much must be a tie to within rounding.
fn judge(context: &str, scene: &Scene, halo: f64, margin: f64) -> usize {
    let shapes = Shapes::new(scene, halo, &Options::default());
    least(context, scene, &shapes, ROUNDING * (size(scene) + halo + margin));
    judge_pairs(context, scene, &shapes, halo, margin)
}

fn judge_pairs(context: &str, scene: &Scene, shapes: &Shapes, halo: f64, margin: f64) -> usize {
    let [a, b] = shapes.operands(&scene.pose_a, &scene.pose_b);
    let found = all_pairs(Isa::best(), &a, &b, margin);
    let [world_a, world_b] = scene.world();
    let (threshold, blur) = (2.0 * halo + margin, ROUNDING * (size(scene) + halo + margin));
    let truth = boxes::pairs(&world_a, &world_b, threshold + blur);
    let listed = ids(&found);
    assert!(listed.is_sorted() && listed.windows(2).all(|w| w[0] != w[1]), "{context}: order");
    for p in &truth {
        let there = listed.binary_search(&(p.a, p.b)).is_ok();
        assert!(there || p.distance >= threshold - blur, "{context}: {p:?} is missing");
    }
    let known: Vec<_> = truth.iter().map(|p| (p.a, p.b)).collect();
    for p in &found {
        let at = known.binary_search(&(p.a, p.b));
        let mut right = truth[at.unwrap_or_else(|_| panic!("{context}: {p:?} is not within {threshold}"))].distance;
        if (p.distance - right).abs() > 20.0 * blur {
            // The slow reference loses digits on caps.
            right = exact::triangle_triangle(&world_a[p.a as usize], &world_b[p.b as usize]).distance();
        }
        assert!((p.distance - right).abs() <= 20.0 * blur, "{context}: {p:?} {right:e}");
        let apart = length(sub(p.point_a, p.point_b));
        assert!((p.distance - apart).abs() <= 20.0 * blur, "{context}: points {apart} apart, {p:?}");
        for (point, triangle) in [(p.point_a, world_a[p.a as usize]), (p.point_b, world_b[p.b as usize])] {
            let beside = distance::point_triangle(point, &triangle).distance;
            assert!(
                beside <= 20.0 * blur.max(1e-9 * size(scene)),
                "{context}: point {beside:e} beside its triangle, {p:?}"
            );
        }
    }
    listed.len()
}

/// The smallest distance, and whether any pair is within it.
fn least(context: &str, scene: &Scene, shapes: &Shapes, blur: f64) {
    let [a, b] = shapes.operands(&scene.pose_a, &scene.pose_b);
    let [world_a, world_b] = scene.world();
    let truth = boxes::least(&world_a, &world_b).0.distance;
    let found = nearest(Isa::best(), &a, &b, f64::INFINITY).unwrap();
    assert!((found.distance - truth).abs() <= 20.0 * blur, "{context}: least {} not {truth}", found.distance);
    assert_eq!(nearest(Isa::best(), &a, &b, found.distance), Some(found), "{context}: bound at the distance itself");
    if found.distance > 0.0 {
        assert_eq!(
            nearest(Isa::best(), &a, &b, found.distance.next_down()),
            None,
            "{context}: bound under the distance"
        );
    }
    let mut scratch = Memory::new(distance_scratch(&a, &b).unwrap()).unwrap();
    let halos = a.mesh.largest_halo() + b.mesh.largest_halo();
    let margin = (truth - halos).max(0.0);
    let any = any_pair(Isa::best(), &a, &b, margin + 100.0 * blur, &mut scratch).unwrap();
    assert!(any, "{context}: a pair is within {margin}");
    if truth > halos + 200.0 * blur {
        assert!(!any_pair(Isa::best(), &a, &b, margin - 100.0 * blur, &mut scratch).unwrap(), "{context}");
    }
}

#[test]
fn rock_scenes() {
    let all = ["touch", "near5", "shell5", "far"];
    // By brute force large rocks take seconds each.
    for (count, names) in [(1_280, &all[..]), (20_480, &all[..cases(1, 4)])] {
        for case in names {
            let scene = scene::rocks(count, case);
            assert_eq!(judge(&scene.name, &scene, EPS, 0.0), scene::rock_count(count, case), "{}", scene.name);
            assert_eq!(judge(&scene.name, &scene, 0.0, THRESHOLD), scene::rock_count(count, case), "{}", scene.name);
        }
    }
}

/// Every preset and fan-out finds the same.
#[test]
fn pairs_do_not_depend_on_the_tree() {
    let scene = scene::rocks(1_280, "touch");
    let found = |options: &Options| {
        let shapes = Shapes::new(&scene, EPS, options);
        let [a, b] = shapes.operands(&scene.pose_a, &scene.pose_b);
        all_pairs(Isa::best(), &a, &b, 0.01)
    };
    let first = found(&Options::default());
    assert!(first.len() > 68);
    for options in [Options::preset(Preset::Fast), Options::preset(Preset::Best), Options::published()] {
        assert_eq!(found(&options), first, "{options:?}");
    }
    for (fan_out, leaf) in [(2, 1), (3, 2), (2, 64), (8, 8), (16, 16)] {
        assert_eq!(found(&Options { fan_out, leaf, ..Options::default() }), first, "{fan_out} {leaf}");
    }
}

/// The meshes of `tests/data` against each other, near and through each other, with halos from 0 to larger than the body.
#[test]
fn open_and_broken_meshes() {
    let load = |name: &str| {
        let mesh = data::mesh(&format!("scenes/{name}.stl"));
        let centre = scene::middle(&mesh);
        let extent = mesh.iter().flatten().fold(0.0, |m: f64, &v| m.max(length(sub(v, centre))));
        mesh.iter().map(|t| t.map(|v| scale(1.0 / extent, sub(v, centre)))).collect::<Vec<Triangle>>()
    };
    let meshes = [load("bunny"), load("teapot"), load("broken")];
    let mut random = Random::new(21);
    let mut total = 0;
    for i in 0..3 {
        for j in i..3 {
            for (apart, halo, margin) in [(0.9, 0.0, 0.0), (1.3, 0.005, 0.0), (1.8, 0.0, 0.05), (2.5, 0.02, 0.01)] {
                let pose = |position| Pose { position, ..Pose::IDENTITY };
                let turned = |random: &mut Random, position| Pose { orientation: random.rotation(), ..pose(position) };
                let (pose_a, there) = (turned(&mut random, random_place(&mut Random::new(3))), random.direction());
                let position = add(pose_a.position, scale(apart, there));
                let pose_b = turned(&mut random, position);
                let scene = Scene { name: String::new(), a: meshes[i].clone(), b: meshes[j].clone(), pose_a, pose_b };
                total += judge(&format!("{i} {j} {apart}"), &scene, halo, margin);
            }
        }
    }
    assert!(total > 1_000, "{total}");
}

fn random_place(random: &mut Random) -> [f64; 3] {
    random.in_cube(10.0)
}

/// A mesh on itself: everything is shared, coplanar, equal; and halos that reach beyond the whole body.
#[test]
fn coinciding_meshes_and_large_halos() {
    let rock = data::mesh("scenes/rock_a_1280.stl");
    let teapot = data::mesh("scenes/teapot.stl");
    for (name, mesh, halo) in [("rock", &rock, 0.0), ("teapot", &teapot, 0.0), ("rock", &rock, 0.001)] {
        let scene = Scene {
            name: name.into(),
            a: mesh.clone(),
            b: mesh.clone(),
            pose_a: Pose::IDENTITY,
            pose_b: Pose::IDENTITY,
        };
        assert!(judge(name, &scene, halo, 0.0) >= 3 * mesh.len(), "{name}");
    }
    let scene = everything();
    let shapes = Shapes::new(&scene, 3.0, &Options::default());
    assert_eq!(judge_pairs("all", &scene, &shapes, 3.0, 0.0), scene.a.len() * scene.b.len());
}

/// Two small meshes that cross.
fn everything() -> Scene {
    let few: Vec<_> = data::mesh("scenes/rock_a_1280.stl").into_iter().step_by(9).collect();
    Scene { name: "all".into(), b: few.clone(), a: few, pose_a: Pose::IDENTITY, pose_b: scene::rock_pose() }
}

#[test]
fn smallest_distance_under_large_halos() {
    let scene = everything();
    for halo in [0.1, 0.4, 0.6, 3.0] {
        least("all", &scene, &Shapes::new(&scene, halo, &Options::default()), 1e-12);
    }
}

/// A pebble a million times smaller than what it lies on, and the same scene a million units from the origin.
#[test]
fn sizes_and_places() {
    let rock = data::mesh("scenes/rock_a_1280.stl");
    let mut random = Random::new(8);
    for ratio in [1e-2, 1e-4, 1e-6] {
        let pebble: Vec<Triangle> = rock.iter().map(|t| t.map(|v| scale(ratio, v))).collect();
        for far in [0.0, 1e6] {
            let corner = rock[random.below(rock.len())];
            let on = dem_tests::vector::weighted(&corner, random.barycentric());
            let place = [far, -far, 0.5 * far];
            let pose_a = Pose { position: place, ..Pose::IDENTITY };
            let pose_b = Pose {
                position: add(add(on, scale(0.45 * ratio, random.direction())), place),
                orientation: random.rotation(),
            };
            let scene = Scene { name: String::new(), a: rock.clone(), b: pebble.clone(), pose_a, pose_b };
            assert!(judge(&format!("1:{ratio:e} at {far:e}"), &scene, 0.01 * ratio, 0.0) > 0);
        }
    }
}

/// Thousands of pairs whose distance is within 1e-12 of the threshold, far from each other, in two meshes.
#[test]
fn pairs_at_the_threshold() {
    let mut random = Random::new(4);
    let mut seen = [0; 2];
    for (k, digits) in [0, 2, 4, 7].into_iter().enumerate() {
        let threshold = 10f64.powi(-digits) * 0.7;
        let (mut a, mut b): (Vec<Triangle>, Vec<Triangle>) = (Vec::new(), Vec::new());
        for ([s, t], given) in adversarial::at_threshold(400, 40 + k as u64) {
            // Scaled so that all have the same threshold, each in a cell of its own.
            let grow = threshold / given;
            if !(1e-3..=1e3).contains(&grow) {
                continue;
            }
            let cell = [0, 1, 2].map(|_| (random.below(9) as f64 - 4.0) * 16.0);
            let place = |t: Triangle| moved(&t.map(|v| scale(grow.min(1.0), v)), cell);
            a.push(place(s));
            b.push(place(t));
        }
        let scene = Scene { name: String::new(), a, b, pose_a: Pose::IDENTITY, pose_b: Pose::IDENTITY };
        let shapes = Shapes::new(&scene, 0.0, &Options::default());
        let [p, q] = shapes.operands(&scene.pose_a, &scene.pose_b);
        for &isa in Isa::list() {
            let listed = ids(&all_pairs(isa, &p, &q, threshold));
            boxes::candidates(&scene.a, &scene.b, 2.0 * threshold, |i, j| {
                let truth = exact::triangle_triangle(&scene.a[i as usize], &scene.b[j as usize]);
                let within = truth.compare(threshold).is_le();
                let clear = (truth.distance() - threshold).abs() > 1e-15 * 64.0;
                seen[usize::from(within)] += 1;
                let found = listed.binary_search(&(i, j)).is_ok();
                assert!(found == within || !clear, "{}: {i} {j} {} {threshold}", isa.name(), truth.distance());
            });
        }
    }
    assert!(seen.iter().all(|&n| n > 100), "{seen:?}");
}

/// Single triangles of every hard kind, as meshes of one triangle and as soups.
#[test]
fn hard_pairs_as_meshes() {
    for kind in adversarial::kinds() {
        let made = adversarial::pairs(kind, 60, 9, 1.0);
        let soup = |side: usize| made.iter().map(|p| p[side]).collect::<Vec<_>>();
        let scene = Scene { name: kind.into(), a: soup(0), b: soup(1), pose_a: Pose::IDENTITY, pose_b: Pose::IDENTITY };
        let (mut a, mut b) = (scene.a.clone(), scene.b.clone());
        if kind == "far from the origin" {
            (a, b) = (a[..1].to_vec(), b[..1].to_vec());
        }
        let scene = Scene { a, b, ..scene };
        for halo in [0.0, 1e-3] {
            judge(kind, &scene, halo, 0.0);
        }
        for [s, t] in made {
            let (a, b) = (shape(&[s], 0.0, &Options::default()), shape(&[t], 0.0, &Options::default()));
            let found = all_pairs(Isa::best(), &operand(&a, &Pose::IDENTITY), &operand(&b, &Pose::IDENTITY), 0.0);
            assert_eq!(found.len(), usize::from(exact::triangle_triangle(&s, &t).touches()), "{kind}\n{s:?}\n{t:?}");
        }
    }
}

/// The same bits on every instruction set; with exchanged bodies; in units smaller by a power of two.
#[test]
fn same_bits() {
    let base = scene::rocks(1_280, "touch");
    for seed in 0..6 {
        let mut scene = scene::turned(&base, seed, 1e-3);
        scene.pose_b.position = scale(1.0 - 0.004 * seed as f64, scene.pose_b.position);
        let shapes = Shapes::new(&scene, EPS, &Options::default());
        let [a, b] = shapes.operands(&scene.pose_a, &scene.pose_b);
        let first = all_pairs(Isa::SCALAR, &a, &b, 0.005);
        assert!(!first.is_empty());
        for &isa in Isa::list() {
            assert_eq!(all_pairs(isa, &a, &b, 0.005), first, "{}", isa.name());
            assert_eq!(nearest(isa, &a, &b, 1.0), nearest(Isa::SCALAR, &a, &b, 1.0), "{}", isa.name());
        }
        let mut swapped: Vec<_> = all_pairs(Isa::best(), &b, &a, 0.005).into_iter().map(exchanged).collect();
        swapped.sort_by_key(|p| (p.a, p.b));
        assert_eq!(swapped, first, "exchanged");
        assert_eq!(nearest(Isa::best(), &b, &a, 1.0).map(exchanged), nearest(Isa::best(), &a, &b, 1.0));

        let factor = 1.0 / 1024.0;
        let small = |mesh: &[Triangle]| mesh.iter().map(|t| t.map(|v| scale(factor, v))).collect::<Vec<_>>();
        let pose = |p: &Pose| Pose { position: scale(factor, p.position), ..*p };
        let (pose_a, pose_b) = (pose(&scene.pose_a), pose(&scene.pose_b));
        let scaled = Scene { name: String::new(), a: small(&scene.a), b: small(&scene.b), pose_a, pose_b };
        let shapes = Shapes::new(&scaled, EPS * factor, &Options::default());
        let [a, b] = shapes.operands(&scaled.pose_a, &scaled.pose_b);
        let larger: Vec<_> =
            all_pairs(Isa::best(), &a, &b, 0.005 * factor).into_iter().map(|p| grown(p, 1.0 / factor)).collect();
        assert_eq!(larger, first, "scaled");
    }
}

fn exchanged(p: TrianglePair) -> TrianglePair {
    TrianglePair {
        a: p.b,
        b: p.a,
        feature_a: p.feature_b,
        feature_b: p.feature_a,
        point_a: p.point_b,
        point_b: p.point_a,
        ..p
    }
}

fn grown(p: TrianglePair, by: f64) -> TrianglePair {
    TrianglePair { distance: by * p.distance, point_a: scale(by, p.point_a), point_b: scale(by, p.point_b), ..p }
}

/// The exact number of results and bytes suffices; one less is refused with the exact number.
#[test]
fn exact_capacities_suffice_and_one_less_is_refused() {
    let scene = scene::rocks(1_280, "touch");
    let shapes = Shapes::new(&scene, EPS, &Options::default());
    let [a, b] = shapes.operands(&scene.pose_a, &scene.pose_b);
    for given in [0, 1, 67, 68, 100] {
        let mut out = vec![TrianglePair::default(); given];
        let layout = pairs_scratch(&a, &b, given).unwrap();
        let mut scratch = Memory::new(layout).unwrap();
        match pairs(Isa::best(), &a, &b, 0.0, &mut out, &mut scratch) {
            Ok(number) => assert!(number == 68 && given >= 68),
            Err(e) => assert!(e.needed == 68 && given < 68, "{e}"),
        }
        let mut short = Memory::new(Layout { size: layout.size - 1, align: layout.align }).unwrap();
        assert!(pairs(Isa::best(), &a, &b, 0.0, &mut out, &mut short[..layout.size - 1]).is_err());
    }
}

/// Of pairs at the same distance, the smallest midpoint decides, then the smaller one of both ids, then the larger one: whichever body comes first.
#[test]
fn of_equal_pairs_the_definite_one_is_found() {
    let options = Options::default();
    let soups = [cuboid([2.0; 3]), walls::regular(4, 2.0), cuboid([2.0, 2.0, 0.5])];
    let shapes = soups.each_ref().map(|soup| shape(soup, 0.0, &options));
    let mut random = Random::new(17);
    let mut ties = 0;
    for i in 0..400 {
        // Quarters, of which all midpoints are exact.
        let pose = Pose { position: random.in_cube(3.0).map(|x| (4.0 * x).round() / 4.0), ..Pose::IDENTITY };
        let (a, b) = (operand(&shapes[i % 3], &Pose::IDENTITY), operand(&shapes[random.below(3)], &pose));
        let found = nearest(Isa::best(), &a, &b, f64::INFINITY).unwrap();
        let middle = |p: &TrianglePair| [0, 1, 2].map(|k| p.point_a[k] + p.point_b[k]);
        let order = |p: &TrianglePair| (middle(p), p.a.min(p.b), p.a.max(p.b));
        let all = all_pairs(Isa::best(), &a, &b, found.distance);
        let equal: Vec<_> = all.iter().filter(|p| p.distance == found.distance).collect();
        assert!(equal.iter().all(|p| order(&found) <= order(p)), "{i}: {found:?}");
        assert_eq!(order(&nearest(Isa::best(), &b, &a, f64::INFINITY).unwrap()), order(&found), "{i}");
        ties += usize::from(equal.iter().filter(|p| middle(p) == middle(&found)).count() > 1);
    }
    assert!(ties > 100, "{ties}");
}
