//! Symmetries of contacts: exchanged bodies, instruction sets, other frames, units and orders of triangles.

use dem_core::contact::Contact;
use dem_core::pose::Pose;
use dem_core::simd::Isa;
use dem_tests::Triangle;
use dem_tests::contact::{Body, HALO, all_contacts, at, carried, deep_bodies, near_bodies};
use dem_tests::random::Random;
use dem_tests::scene::{self, EPS};
use dem_tests::vector::{add, length, rotate, scale, sub};

/// Two meshes, posed.
type Two = (Vec<Triangle>, Pose, Vec<Triangle>, Pose);

/// Pairs of bodies that are near each other or penetrate.
fn bodies(count: u64) -> impl Iterator<Item = (u64, Two)> {
    (0..count).flat_map(|seed| [(seed, near_bodies(seed)), (seed, deep_bodies(seed))])
}

fn swapped(c: &Contact) -> Contact {
    let [tag, patches] = c.key;
    let back = |v: [f64; 3]| v.map(|x| -x + 0.0);
    Contact { key: [tag, patches.rotate_left(32)], normal: back(c.normal), moment: back(c.moment), ..*c }
}

#[test]
fn exchanged_bodies_and_other_instruction_sets_give_the_same_bits() {
    for (seed, (a, pose_a, b, pose_b)) in bodies(40) {
        let (a, b) = (Body::new(&a, HALO), Body::new(&b, HALO));
        let (list, found) = all_contacts(Isa::SCALAR, &a.side(&pose_a), &b.side(&pose_b));
        for isa in Isa::list() {
            assert_eq!(all_contacts(*isa, &a.side(&pose_a), &b.side(&pose_b)), (list.clone(), found), "{isa:?}");
        }
        let (back, _) = all_contacts(Isa::best(), &b.side(&pose_b), &a.side(&pose_a));
        assert_exchanged(&list, &back, &seed.to_string());
    }
}

fn assert_exchanged(list: &[Contact], back: &[Contact], case: &str) {
    let mut back: Vec<_> = back.iter().map(swapped).collect();
    back.sort_by_key(|c| c.key);
    let by_share = |list: &[Contact]| list.iter().map(|c| Contact { share: 0.0, ..*c }).collect::<Vec<_>>();
    assert_eq!(by_share(&back), by_share(list), "{case}");
    // Shares are divided by a sum in the order of keys.
    assert!(back.iter().zip(list).all(|(x, y)| (x.share - y.share).abs() < 1e-14), "{case}");
}

#[test]
fn faces_beyond_the_halo_that_pass_the_filter_change_no_bit() {
    // The filter passes some faces that are slightly too far, and which ones depends on the order of the bodies. Here
    // thousands of faces are near the end of the halo and contacts are few, so that each is a long sum.
    for (name, scene) in [("walls", scene::boxes()), ("rocks", scene::rocks(20_480, "touch"))] {
        for seed in 0..8 {
            let mut random = Random::new(seed);
            let mut shuffled = |mesh: &[Triangle]| {
                let mut mesh = mesh.to_vec();
                (1..mesh.len()).rev().for_each(|i| mesh.swap(i, random.below(i + 1)));
                mesh
            };
            let (a, b) = (Body::new(&shuffled(&scene.a), EPS), Body::new(&shuffled(&scene.b), EPS));
            let (a, b) = (a.side(&scene.pose_a), b.side(&scene.pose_b));
            let ([list, back], case) = ([(&a, &b), (&b, &a)], format!("{name} {seed}"));
            let [list, back] = [list, back].map(|(a, b)| all_contacts(Isa::best(), a, b).0);
            assert_exchanged(&list, &back, &case);
        }
    }
}

#[test]
fn contacts_move_with_the_bodies_and_scale_with_them() {
    for (seed, (mesh_a, pose_a, mesh_b, pose_b)) in bodies(20) {
        let (a, b) = (Body::new(&mesh_a, HALO), Body::new(&mesh_b, HALO));
        let (list, _) = all_contacts(Isa::best(), &a.side(&pose_a), &b.side(&pose_b));
        let mut random = Random::new(seed);
        let by = at(random.in_cube(10.0), random.rotation());
        let (moved_a, moved_b) = (carried(&by, &pose_a), carried(&by, &pose_b));
        let (moved, _) = all_contacts(Isa::best(), &a.side(&moved_a), &b.side(&moved_b));
        let big = |list: &[Contact]| list.iter().filter(|c| c.area > 1e-10).copied().collect::<Vec<_>>();
        assert_eq!(big(&list).len(), big(&moved).len());
        for (x, y) in big(&list).iter().zip(&big(&moved)) {
            assert_eq!(x.key, y.key);
            let position = add(rotate(by.orientation, x.position), by.position);
            assert!(
                length(sub(position, y.position)) < 1e-6
                    && length(sub(rotate(by.orientation, x.normal), y.normal)) < 1e-4
            );
            assert!((x.area - y.area).abs() < 1e-10 && (x.gap - y.gap).abs() < 1e-6);
        }

        let s = 0.125;
        let smaller =
            |mesh: &[Triangle]| Body::new(&mesh.iter().map(|t| t.map(|v| scale(s, v))).collect::<Vec<_>>(), s * HALO);
        let shrunk = |p: &Pose| at(scale(s, p.position), p.orientation);
        let (sa, sb) = (smaller(&mesh_a), smaller(&mesh_b));
        let (small, _) = all_contacts(Isa::best(), &sa.side(&shrunk(&pose_a)), &sb.side(&shrunk(&pose_b)));
        let wanted: Vec<_> = list
            .iter()
            .map(|c| Contact {
                position: scale(s, c.position),
                moment: scale(s * s * s, c.moment),
                gap: s * c.gap,
                least_gap: s * c.least_gap,
                area: s * s * c.area,
                halo: s * c.halo,
                ..*c
            })
            .collect();
        assert_eq!(small, wanted);
    }
}

#[test]
fn the_order_of_triangles_and_corners_does_not_matter() {
    for (seed, (mesh_a, pose_a, mesh_b, pose_b)) in bodies(20) {
        let mut random = Random::new(seed);
        let mut shuffled = |mesh: &[Triangle]| {
            let mut mesh = mesh.to_vec();
            (1..mesh.len()).rev().for_each(|i| mesh.swap(i, random.below(i + 1)));
            mesh.iter_mut().for_each(|t| t.rotate_left(random.below(3)));
            mesh
        };
        let other = [Body::new(&shuffled(&mesh_a), HALO), Body::new(&shuffled(&mesh_b), HALO)];
        let first = [Body::new(&mesh_a, HALO), Body::new(&mesh_b, HALO)];
        let list = |[a, b]: &[Body; 2]| {
            let mut list = all_contacts(Isa::best(), &a.side(&pose_a), &b.side(&pose_b)).0;
            list.retain(|c| c.area > 1e-10);
            list
        };
        let (x, mut y) = (list(&first), list(&other));
        assert_eq!(x.len(), y.len());
        for c in &x {
            let near = |d: &Contact| length(sub(c.position, d.position)) < 1e-6 && (c.area - d.area).abs() < 1e-10;
            let found = y.iter().position(near).unwrap_or_else(|| panic!("{seed}: {c:?}"));
            y.swap_remove(found);
        }
    }
}
