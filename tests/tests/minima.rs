//! Where two bodies are nearest: places where the gap is smaller than at all contacts beside it, against brute force over all pairs of triangles.

use dem_core::contact::Contact;
use dem_core::pose::Pose;
use dem_core::simd::Isa;
use dem_std::generate;
use dem_tests::contact::{Body, all_contacts, at, soup};
use dem_tests::random::Random;
use dem_tests::scene::{Scene, posed, turned};
use dem_tests::vector::{length, scale, sub};
use dem_tests::{Triangle, boxes, distance};

/// A contact's gap is measured in flat sectors: that much more than the distance, at most.
const MORE: f64 = 1.09;

/// A pair of triangles, and how near they are.
#[derive(Clone, Copy, Debug)]
struct Near {
    a: usize,
    b: usize,
    gap: f64,
}

/// One of each place where the gap is smaller than at all pairs beside it, whose triangles share a vertex with its own on both bodies. Pairs beside
/// each other that are equally near are one place.
fn minima(pairs: &[Near], a: &[Triangle], b: &[Triangle]) -> Vec<Near> {
    let share = |s: &Triangle, t: &Triangle| s.iter().any(|v| t.contains(v));
    let beside = |k: usize| {
        let of = pairs[k];
        let near = move |p: &Near| share(&a[p.a], &a[of.a]) && share(&b[p.b], &b[of.b]);
        (0..pairs.len()).filter(move |i| near(&pairs[*i]))
    };
    let equal = |i: usize, j: usize| (pairs[i].gap - pairs[j].gap).abs() < 1e-13;
    let (mut seen, mut found) = (vec![false; pairs.len()], Vec::new());
    for i in 0..pairs.len() {
        let (mut open, mut lowest) = (vec![i], !seen[i]);
        while let Some(k) = open.pop() {
            if std::mem::replace(&mut seen[k], true) {
                continue;
            }
            for j in beside(k) {
                lowest &= equal(j, k) || pairs[j].gap > pairs[k].gap;
                open.extend((equal(j, k) && !seen[j]).then_some(j));
            }
        }
        found.extend(lowest.then_some(pairs[i]));
    }
    found
}

/// Where every triangle is a patch.
fn by_contacts(list: &[Contact]) -> Vec<Near> {
    list.iter().map(|c| Near { a: (c.key[1] >> 32) as usize, b: c.key[1] as u32 as usize, gap: c.least_gap }).collect()
}

/// Rocks with deep hollows that reach into each other: every place where all pairs beside are farther apart has a contact, there and with
/// that gap; and contacts have no such places but these.
#[test]
fn rocks_have_contacts_at_every_minimum_of_their_distance() {
    let mut random = Random::new(3);
    let (mut all, mut several, mut more) = (0, 0, 0);
    for seed in 0..40 {
        let mut rock = || soup(&generate::bumpy(generate::icosphere(3).unwrap(), 3.0, random.bits()).unwrap());
        let (pose_a, pose_b) = (Pose::IDENTITY, at([9.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0]));
        let scene = Scene { name: String::new(), a: rock(), b: rock(), pose_a, pose_b };
        let scene = turned(&scene, seed, 0.02);
        let (a, b) = (posed(&scene.a, &scene.pose_a), posed(&scene.b, &scene.pose_b));
        for halo in [0.05, 0.2] {
            let (body_a, body_b) = (Body::new(&scene.a, halo), Body::new(&scene.b, halo));
            let list = all_contacts(Isa::best(), &body_a.side(&scene.pose_a), &body_b.side(&scene.pose_b)).0;
            let pairs = boxes::pairs(&a, &b, 2.0 * halo);
            let pairs: Vec<_> =
                pairs.iter().map(|f| Near { a: f.a as usize, b: f.b as usize, gap: f.distance }).collect();
            let (right, found) = (minima(&pairs, &scene.a, &scene.b), by_contacts(&list));
            for place in &right {
                let beside = |i: &usize| {
                    let (s, t) = (&scene.a[found[*i].a], &scene.b[found[*i].b]);
                    s.iter().any(|v| scene.a[place.a].contains(v)) && t.iter().any(|v| scene.b[place.b].contains(v))
                };
                let best = (0..list.len()).filter(beside).min_by(|i, j| found[*i].gap.total_cmp(&found[*j].gap));
                let contact = list[best.unwrap_or_else(|| panic!("{seed} {halo}: no contact at {place:?}"))];
                let gaps = place.gap - 1e-12..=MORE * place.gap;
                assert!(gaps.contains(&contact.least_gap), "{seed} {halo}: {contact:?} at {place:?}");
                let closest = distance::triangle_triangle(&a[place.a], &b[place.b]);
                let middle = scale(0.5, [0, 1, 2].map(|k| closest.a[k] + closest.b[k]));
                let width = a[place.a].iter().chain(&b[place.b]).fold(0.0, |m: f64, v| m.max(length(sub(*v, middle))));
                assert!(length(sub(contact.position, middle)) < width, "{seed} {halo}: {contact:?} at {middle:?}");
            }
            let ours = minima(&found, &scene.a, &scene.b).len();
            assert!(ours >= right.len(), "{seed} {halo}: {ours} of {right:?}");
            all += right.len();
            several += usize::from(right.len() > 1);
            more += ours - right.len();
        }
    }
    // Where two pairs are equally near but for what sectors add, there may be two places in place of one.
    assert!(all > 80 && several > 15 && more <= 3, "{all} {several} {more}");
}

/// However fine the mesh and wide the halo, and however many contacts there are for all the facets.
#[test]
fn smooth_convex_bodies_have_one_minimum() {
    let mut random = Random::new(4);
    let axes = [[1.0; 3], [1.0, 0.8, 0.6], [1.5, 1.0, 0.7], [0.5, 1.2, 1.2]];
    let mut most = 0;
    for level in [2, 3, 4] {
        let stretched = |axes: [f64; 3]| -> Vec<Triangle> {
            soup(&generate::icosphere(level).unwrap())
                .iter()
                .map(|t| t.map(|v| [0, 1, 2].map(|k| axes[k] * v[k])))
                .collect()
        };
        for case in (0..16).step_by([1, 3, 7][level as usize - 2]) {
            let (a, b) = (stretched(axes[case % 4]), stretched(axes[case / 4]));
            let (pose_a, pose_b) = (Pose::IDENTITY, at([9.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0]));
            let scene = Scene { name: String::new(), a, b, pose_a, pose_b };
            let scene = turned(&scene, case as u64, random.range(0.001, 0.02));
            for halo in if level == 4 { [0.02, 0.05] } else { [0.02, 0.2] } {
                let (a, b) = (Body::new(&scene.a, halo), Body::new(&scene.b, halo));
                let list = all_contacts(Isa::best(), &a.side(&scene.pose_a), &b.side(&scene.pose_b)).0;
                let found = minima(&by_contacts(&list), &scene.a, &scene.b);
                assert_eq!(found.len(), 1, "level {level}, case {case}, halo {halo}: {found:?}");
                most = most.max(list.len());
            }
        }
    }
    assert!(most > 500, "{most}");
}
