//! P0's contact points: one for each pair, or merged, against clusters found by looking at all points.

use dem_core::contact::{Contact, POINT, pair_contacts, pair_contacts_scratch, status};
use dem_core::error::{Kind, What};
use dem_core::narrow::TrianglePair;
use dem_core::pose::Pose;
use dem_core::simd::Isa;
use dem_std::Memory;
use dem_tests::Triangle;
use dem_tests::contact::{Body, HALO, at, cuboid, near_bodies};
use dem_tests::vector::{add, dot, length, scale, sub};

fn near(a: &Body, pose_a: &Pose, b: &Body, pose_b: &Pose) -> Vec<TrianglePair> {
    let (a, b) = (a.side(pose_a).operand, b.side(pose_b).operand);
    let mut out = vec![TrianglePair::default(); 20_000];
    let mut scratch = Memory::new(dem_core::narrow::pairs_scratch(&a, &b, out.len()).unwrap()).unwrap();
    let number = dem_core::narrow::pairs(Isa::best(), &a, &b, 0.0, &mut out, &mut scratch).unwrap();
    out.truncate(number);
    out
}

fn points(a: &Body, pose_a: &Pose, b: &Body, pose_b: &Pose, radius: f64) -> Vec<Contact> {
    let pairs = near(a, pose_a, b, pose_b);
    let mut out = vec![Contact::default(); pairs.len()];
    let mut scratch = Memory::new(pair_contacts_scratch(pairs.len()).unwrap()).unwrap();
    let (a, b) = (a.side(pose_a).operand, b.side(pose_b).operand);
    let number = pair_contacts(&a, &b, &pairs, 5, radius, &mut out, &mut scratch).unwrap();
    out.truncate(number);
    out
}

/// Which points hang together, by flooding over all of them.
fn clusters(points: &[Contact], radius: f64) -> Vec<Vec<usize>> {
    let mut seen = vec![false; points.len()];
    let mut all = Vec::new();
    for start in 0..points.len() {
        let mut cluster = Vec::new();
        let mut waiting = vec![start];
        while let Some(i) = waiting.pop() {
            if std::mem::replace(&mut seen[i], true) {
                continue;
            }
            cluster.push(i);
            let close = |j: &usize| length(sub(points[*j].position, points[i].position)) < radius;
            waiting.extend((0..points.len()).filter(|j| !seen[*j]).filter(close));
        }
        if !cluster.is_empty() {
            all.push(cluster);
        }
    }
    all
}

#[test]
fn every_pair_is_a_contact_and_merged_ones_are_clusters() {
    let mut merged_some = 0;
    for seed in 0..30 {
        let (a, pose_a, b, pose_b) = near_bodies(seed);
        let (a, b) = (Body::new(&a, HALO), Body::new(&b, HALO));
        let every = points(&a, &pose_a, &b, &pose_b, 0.0);
        let pairs = near(&a, &pose_a, &b, &pose_b);
        assert_eq!(every.len(), pairs.len());
        for (c, pair) in every.iter().zip(&pairs) {
            assert_eq!(c.key, [5, u64::from(pair.a) << 32 | u64::from(pair.b)]);
            assert_eq!((c.kind, c.share, c.area, c.gap, c.halo), (POINT, 1.0, 0.0, pair.distance, 2.0 * HALO));
            let middle = scale(0.5, add(pair.point_a, pair.point_b));
            assert!(length(sub(c.position, middle)) <= 1e-15 * length(middle));
            assert!((length(c.normal) - 1.0).abs() < 1e-15);
            assert!(dot(c.normal, sub(pair.point_a, pair.point_b)) >= 0.999_999 * pair.distance);
        }
        for radius in [0.005, 0.05, 0.3, 10.0] {
            let mut want = clusters(&every, radius);
            want.sort_by_key(|cluster| cluster.iter().map(|i| every[*i].key).min());
            let merged = points(&a, &pose_a, &b, &pose_b, radius);
            assert_eq!(merged.len(), want.len(), "seed {seed}, radius {radius}");
            for (c, cluster) in merged.iter().zip(&want) {
                let sum =
                    |of: fn(&Contact) -> [f64; 3]| cluster.iter().fold([0.0; 3], |sum, i| add(sum, of(&every[*i])));
                let mean = scale(1.0 / cluster.len() as f64, sum(|c| c.position));
                assert!(length(sub(c.position, mean)) <= 1e-13 * length(mean));
                let normal = sum(|c| c.normal);
                assert!(length(sub(c.normal, scale(1.0 / length(normal), normal))) <= 1e-12);
                assert_eq!(c.gap, cluster.iter().map(|i| every[*i].gap).fold(f64::INFINITY, f64::min));
                assert_eq!(Some(c.key), cluster.iter().map(|i| every[*i].key).min());
                merged_some += usize::from(cluster.len() > 1);
            }
        }
    }
    assert!(merged_some > 60);
}

#[test]
fn neither_the_order_of_bodies_nor_that_of_triangles_matters() {
    for seed in 0..20 {
        let (a, pose_a, b, pose_b) = near_bodies(seed);
        let backwards: Vec<Triangle> = a.iter().rev().copied().collect();
        let [a, backwards, b] = [a, backwards, b].map(|mesh| Body::new(&mesh, HALO));
        for radius in [0.0, 0.03] {
            let one = points(&a, &pose_a, &b, &pose_b, radius);
            let sorted = |mut list: Vec<Contact>| {
                list.sort_by(|x, y| (x.position, x.gap, x.normal).partial_cmp(&(y.position, y.gap, y.normal)).unwrap());
                list.into_iter().map(|c| Contact { key: [0; 2], ..c }).collect::<Vec<_>>()
            };
            let other = points(&b, &pose_b, &a, &pose_a, radius);
            let negated = |c: Contact| Contact { normal: c.normal.map(|x| 0.0 - x), ..c };
            let other = sorted(other.into_iter().map(negated).collect());
            for (x, y) in sorted(one.clone()).iter().zip(&other) {
                assert!(length(sub(x.normal, y.normal)) <= 1e-15 && x.gap == y.gap);
                assert!(length(sub(x.position, y.position)) <= 1e-15);
            }
            assert_eq!(one.len(), other.len());
            assert_eq!(points(&backwards, &pose_a, &b, &pose_b, radius).len(), one.len());
        }
    }
}

#[test]
fn faces_say_where_to_go_where_there_is_no_gap() {
    let (lower, upper) = (Body::new(&cuboid([2.0, 2.0, 1.0]), HALO), Body::new(&cuboid([1.0, 1.0, 1.0]), HALO));
    let up = at([0.1, 0.2, 1.0], [0.0, 0.0, 0.0, 1.0]);
    let touching = points(&upper, &up, &lower, &Pose::IDENTITY, 0.0);
    let flat = touching.iter().filter(|c| c.normal[2] > 0.999_999).count();
    assert!(flat > 0 && touching.iter().all(|c| (length(c.normal) - 1.0).abs() < 1e-15 && c.normal[2] >= 0.0));
    assert!(touching.iter().all(|c| (c.status & status::TOUCHING != 0) == (c.gap == 0.0)));
    let same = points(&upper, &up, &upper, &up, 0.0);
    assert!(same.iter().all(|c| (length(c.normal) - 1.0).abs() < 1e-15));
    assert!(same.iter().any(|c| c.status & status::DEGENERATE != 0), "a triangle on itself has no direction");
    let all = points(&upper, &up, &upper, &up, 10.0);
    assert!(all.len() == 1 && (length(all[0].normal) - 1.0).abs() < 1e-15);
}

#[test]
fn errors_say_what_is_wrong() {
    let body = Body::new(&cuboid([1.0; 3]), HALO);
    let (side, other) = (at([0.0; 3], [0.0, 0.0, 0.0, 1.0]), at([1.01, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0]));
    let (a, b) = (body.side(&side).operand, body.side(&other).operand);
    let pairs = near(&body, &side, &body, &other);
    let mut scratch = Memory::new(pair_contacts_scratch(pairs.len()).unwrap()).unwrap();
    let mut out = vec![Contact::default(); 1];
    let mut ask = |pairs: &[TrianglePair], radius: f64, out: &mut [Contact]| {
        pair_contacts(&a, &b, pairs, 0, radius, out, &mut scratch).map_err(|e| (e.kind, e.what, e.needed))
    };
    assert_eq!(ask(&pairs, f64::NAN, &mut out), Err((Kind::NotFinite, What::Bound, 0)));
    assert_eq!(ask(&pairs, -1.0, &mut out), Err((Kind::OutOfRange, What::Bound, 0)));
    assert_eq!(ask(&pairs, 0.0, &mut out), Err((Kind::Capacity, What::Output, pairs.len() as u64)));
    assert_eq!(ask(&pairs, 100.0, &mut out), Ok(1));
    assert_eq!(ask(&[], 0.0, &mut []), Ok(0));
    let wrong = [TrianglePair { b: 12, ..pairs[0] }];
    assert_eq!(ask(&wrong, 0.0, &mut out).map_err(|e| e.0), Err(Kind::BadIndex));
    let mut none = Memory::new(pair_contacts_scratch(0).unwrap()).unwrap();
    let short = pair_contacts(&a, &b, &pairs, 0, 0.0, &mut out, &mut none);
    assert_eq!(short.map_err(|e| (e.kind, e.what)), Err((Kind::Capacity, What::Scratch)));
}
