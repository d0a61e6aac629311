//! Properties of queries on meshes of every kind, degenerate ones included: exchanging the bodies changes only names,
//! units of length only powers of two, and moving everything only rounding.

use dem_core::array::{Array, Scalar};
use dem_core::mesh::Halo;
use dem_core::narrow::{
    Operand, PointOnMesh, TrianglePair, any_pair, distance_scratch, points, points_scratch, self_intersections,
    self_intersections_scratch,
};
use dem_core::pose::Pose;
use dem_core::simd::Isa;
use dem_core::surrogate::Options;
use dem_std::{Memory, OwnedShape, Triangles, generate};
use dem_tests::query::{all_pairs, nearest, operand};
use dem_tests::random::Random;
use dem_tests::vector::{add, length, rotate, scale, sub};
use proptest::prelude::*;

/// Sorts of meshes; those before [`OPEN`] are closed, clean, and look outward.
const SORTS: usize = 12;
const OPEN: usize = 5;

/// A mesh of about unit size.
fn mesh(sort: usize, seed: u64) -> Triangles {
    let mut random = Random::new(seed);
    let made = match sort {
        0 => generate::bumpy(generate::icosphere(1 + (seed % 2) as u32).unwrap(), 1.4, seed),
        1 => generate::uv_sphere(7, 5),
        2 => generate::hull_sphere(30, seed),
        3 => generate::cuboid([1.0, 0.5, 0.1]),
        4 => generate::elongated(1, 3.0),
        5 => generate::plate([4, 6], [1.0, 1.5]),
        _ => Ok(loose(sort, &mut random)),
    };
    made.unwrap()
}

/// Forty triangles that have nothing to do with each other.
fn loose(sort: usize, random: &mut Random) -> Triangles {
    let mut vertices = Vec::new();
    for _ in 0..40 {
        let centre = random.in_cube(0.7);
        let t = [0; 3].map(|_| add(centre, random.in_cube(0.4)));
        let thin = [1e-6, 1e-14][random.below(2)];
        let on = |s: f64| add(t[0], scale(s, sub(t[1], t[0])));
        vertices.extend(match sort {
            6 => t,                                                            // any
            7 => [0; 3].map(|_| [0; 3].map(|_| random.below(4) as f64 - 1.5)), // with every coincidence there is
            8 => [t[0]; 3],                                                    // points
            9 => [t[0], t[1], [t[0], t[1], on(0.5)][random.below(3)]],         // segments
            10 => [t[0], t[1], add(on(0.4), random.in_cube(1e-9))],            // caps
            _ => [t[0], t[1], add(t[1], random.in_cube(thin))],                // needles
        });
    }
    let corner = |k: usize| k as u32;
    let mut indices: Vec<_> = (0..40).map(|i| [corner(3 * i), corner(3 * i + 1), corner(3 * i + 2)]).collect();
    // And a copy, turned round.
    indices.push([indices[7][1], indices[7][0], indices[7][2]]);
    Triangles { vertices, indices }
}

/// The inputs of a query.
#[derive(Clone, Debug)]
struct Setting {
    meshes: [Triangles; 2],
    scalars: [Scalar; 2],
    halos: [Vec<f64>; 2],
    poses: [Pose; 2],
    margin: f64,
    points: Vec<[f64; 3]>,
}

/// A pair of meshes from through each other to apart, sizes up to 1:1e6, anywhere within 1000.
fn setting((seed, sorts, doublings): (u64, [usize; 2], u32)) -> Setting {
    let mut random = Random::new(seed);
    let small = 1.0 / f64::from(1u32 << doublings);
    let sizes = if random.below(2) == 0 { [1.0, small] } else { [small, 1.0] };
    let meshes = [0, 1].map(|k| {
        let mut mesh = mesh(sorts[k], random.bits());
        mesh.vertices.iter_mut().for_each(|v| *v = scale(sizes[k], *v));
        mesh
    });
    let halos = [0, 1].map(|k| {
        let one = sizes[k] * [0.0, 0.01, 0.3][random.below(3)];
        match random.below(3) {
            0 => meshes[k].indices.iter().map(|_| one * random.unit()).collect(),
            _ => vec![one],
        }
    });
    let far = [0.0, 1000.0][random.below(2)];
    let place = random.in_cube(far);
    let apart = scale(random.range(0.0, 4.0), random.direction());
    // Near a vertex of A, so that small bodies meet large ones.
    let vertices = &meshes[0].vertices;
    let orientation = random.rotation();
    let near = add(rotate(orientation, vertices[random.below(vertices.len())]), scale(small, apart));
    let poses = [
        Pose { position: place, orientation },
        Pose { position: add(place, near), orientation: random.rotation().map(|x| 3.0 * x) },
    ];
    let margin = small * [0.0, 0.02, 0.5][random.below(3)];
    let points = (0..12).map(|_| add(place, random.in_cube(1.5 * sizes[0]))).collect();
    let scalars = [0; 2].map(|_| [Scalar::F32, Scalar::F64][random.below(2)]);
    Setting { meshes, scalars, halos, poses, margin, points }
}

struct Answers {
    pairs: Vec<TrianglePair>,
    nearest: TrianglePair,
    any: bool,
    points: Vec<PointOnMesh>,
    crossings: Vec<[u32; 2]>,
}

impl Setting {
    /// Results with the bodies in this order; point queries always use the first body of the setting.
    fn answers(&self, order: [usize; 2]) -> Answers {
        let shapes = [0, 1].map(|k| {
            let own: Vec<_> = self.halos[k].clone();
            let halo = if own.len() == 1 { Halo::Uniform(own[0]) } else { Halo::Each(Array::from_numbers(&own)) };
            OwnedShape::new(&self.meshes[k], self.scalars[k], halo, &Options::default()).unwrap()
        });
        let [a, b] = order.map(|k| operand(&shapes[k], &self.poses[k]));
        let isa = Isa::best();
        let mut scratch = Memory::new(distance_scratch(&a, &b).unwrap()).unwrap();
        Answers {
            pairs: all_pairs(isa, &a, &b, self.margin),
            nearest: nearest(isa, &a, &b, f64::INFINITY).unwrap(),
            any: any_pair(isa, &a, &b, self.margin, &mut scratch).unwrap(),
            points: self.closest(&operand(&shapes[0], &self.poses[0])),
            crossings: crossings(&operand(&shapes[0], &self.poses[0])),
        }
    }

    fn closest(&self, operand: &Operand<'_>) -> Vec<PointOnMesh> {
        let mut out = vec![PointOnMesh::default(); self.points.len()];
        let mut scratch = Memory::new(points_scratch(operand).unwrap()).unwrap();
        points(Isa::best(), operand, Array::from_f64(&self.points), f64::INFINITY, &mut out, &mut scratch).unwrap();
        out
    }

    /// In other units.
    fn scaled(&self, by: f64) -> Setting {
        let mut other = self.clone();
        other.meshes.iter_mut().flat_map(|m| &mut m.vertices).for_each(|v| *v = scale(by, *v));
        other.halos.iter_mut().flatten().for_each(|h| *h *= by);
        other.poses.iter_mut().for_each(|p| p.position = scale(by, p.position));
        other.points.iter_mut().for_each(|p| *p = scale(by, *p));
        other.margin *= by;
        other
    }

    /// Everything turned about the origin and shifted.
    fn moved(&self, by: &Pose) -> Setting {
        let mut other = self.clone();
        let place = |p: [f64; 3]| add(rotate(by.orientation, p), by.position);
        for pose in &mut other.poses {
            *pose = Pose { position: place(pose.position), orientation: product(by.orientation, pose.orientation) };
        }
        other.points.iter_mut().for_each(|p| *p = place(*p));
        other
    }

    /// Threshold of the distance of a pair.
    fn threshold(&self, pair: (u32, u32)) -> f64 {
        let halo = |k: usize, i: u32| *self.halos[k].get(i as usize).unwrap_or(&self.halos[k][0]);
        halo(0, pair.0) + halo(1, pair.1) + self.margin
    }

    /// Far above the rounding of coordinates that are moved about, and of halos and distances.
    fn blur(&self) -> f64 {
        let positions = self.poses.iter().map(|p| p.position);
        let all = self.meshes.iter().flat_map(|m| m.vertices.iter().copied()).chain(positions);
        1e-13 * (all.fold(0.0, |m: f64, v| m.max(length(v))) + self.margin + self.halos[0][0] + self.halos[1][0])
    }
}

/// Where the mesh crosses itself.
fn crossings(operand: &Operand<'_>) -> Vec<[u32; 2]> {
    let mut out = vec![[0; 2]; operand.mesh.len() * operand.mesh.len() / 2];
    let mut scratch = Memory::new(self_intersections_scratch(&operand.tree).unwrap()).unwrap();
    let number = self_intersections(Isa::best(), operand.mesh, operand.tree, &mut out, &mut scratch).unwrap();
    out.truncate(number);
    out
}

/// The rotation `b`, then `a`.
fn product([ax, ay, az, aw]: [f64; 4], [bx, by, bz, bw]: [f64; 4]) -> [f64; 4] {
    [
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
        aw * bw - ax * bx - ay * by - az * bz,
    ]
}

fn exchanged(p: &TrianglePair) -> TrianglePair {
    let TrianglePair { a, b, feature_a, feature_b, distance, point_a, point_b } = *p;
    TrianglePair {
        a: b,
        b: a,
        feature_a: feature_b,
        feature_b: feature_a,
        distance,
        point_a: point_b,
        point_b: point_a,
    }
}

fn grown(p: &TrianglePair, by: f64) -> TrianglePair {
    TrianglePair { distance: by * p.distance, point_a: scale(by, p.point_a), point_b: scale(by, p.point_b), ..*p }
}

fn points_grown(p: &PointOnMesh, by: f64) -> PointOnMesh {
    let (distance, signed_distance) = (by * p.distance, by * p.signed_distance);
    PointOnMesh { distance, signed_distance, point: scale(by, p.point), ..*p }
}

/// Seed, sorts, and how often B is halved: what a failure prints.
fn settings() -> impl Strategy<Value = (u64, [usize; 2], u32)> {
    (any::<u64>(), prop::array::uniform2(0..SORTS), prop_oneof![Just(0u32), 0..20u32])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn exchanging_the_bodies_exchanges_the_answer(of in settings()) {
        let setting = setting(of);
        let (there, back) = (setting.answers([0, 1]), setting.answers([1, 0]));
        let mut pairs: Vec<_> = back.pairs.iter().map(exchanged).collect();
        pairs.sort_by_key(|p| (p.a, p.b));
        prop_assert_eq!(pairs, there.pairs);
        prop_assert_eq!(exchanged(&back.nearest), there.nearest);
        prop_assert_eq!(back.any, there.any);
    }

    #[test]
    fn powers_of_two_scale_the_answer(of in settings(), doublings in -90i32..50) {
        let setting = setting(of);
        let by = 2f64.powi(doublings);
        let (one, other) = (setting.answers([0, 1]), setting.scaled(by).answers([0, 1]));
        let pairs: Vec<_> = one.pairs.iter().map(|p| grown(p, by)).collect();
        prop_assert_eq!(&other.pairs, &pairs);
        prop_assert_eq!(other.nearest, grown(&one.nearest, by));
        prop_assert_eq!(other.any, one.any);
        let points: Vec<_> = one.points.iter().map(|p| points_grown(p, by)).collect();
        prop_assert_eq!(other.points, points);
        prop_assert_eq!(other.crossings, one.crossings);
    }

    #[test]
    fn moving_everything_changes_no_more_than_rounding(of in settings(), motion in any::<u64>()) {
        let setting = setting(of);
        let mut random = Random::new(motion);
        let other = setting.moved(&Pose { position: random.in_cube(10.0), orientation: random.rotation() });
        let blur = setting.blur().max(other.blur());
        let (one, two) = (setting.answers([0, 1]), other.answers([0, 1]));
        prop_assert!((one.nearest.distance - two.nearest.distance).abs() <= blur);
        for (list, others) in [(&one.pairs, &two.pairs), (&two.pairs, &one.pairs)] {
            for p in list {
                match others.binary_search_by_key(&(p.a, p.b), |q| (q.a, q.b)) {
                    Ok(at) => prop_assert!((p.distance - others[at].distance).abs() <= blur, "{p:?} {:?}", others[at]),
                    Err(_) => prop_assert!(p.distance >= setting.threshold((p.a, p.b)) - blur, "{p:?}"),
                }
            }
        }
        for answers in [&one, &two] {
            prop_assert_eq!(answers.any, !answers.pairs.is_empty());
            for p in &answers.pairs {
                prop_assert!(answers.nearest.distance <= p.distance, "{p:?}");
                // Of those that cross, the nearest one is that with the smallest point.
                prop_assert!(p.distance > 0.0 || answers.nearest.point_a[0] <= p.point_a[0], "{p:?}");
            }
        }
        for (p, q) in one.points.iter().zip(&two.points) {
            prop_assert!((p.distance - q.distance).abs() <= blur, "{p:?} {q:?}");
            let certain = of.1[0] < OPEN && p.doubt == 0 && q.doubt == 0 && p.distance > blur;
            prop_assert!(!certain || p.side == q.side, "{p:?} {q:?}");
        }
        // A mesh is looked at in its own frame.
        prop_assert_eq!(&one.crossings, &two.crossings);
        prop_assert!(of.1[0] >= OPEN || one.crossings.is_empty());
    }
}

#[test]
fn some_settings_have_pairs_and_some_have_none() {
    let counts: Vec<_> =
        (0..96).map(|k| setting((k, [k as usize % SORTS, 0], 0)).answers([0, 1]).pairs.len()).collect();
    assert!(
        counts.iter().filter(|n| **n == 0).count() > 10 && counts.iter().filter(|n| **n > 5).count() > 30,
        "{counts:?}"
    );
}
