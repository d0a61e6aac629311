//! Tests that rigid motion and the order of triangles do not change results.

use super::*;
use crate::error::What;
use crate::pose::Pose;
use proptest::prelude::*;

/// A bumpy star-shaped body without symmetry, made from a sphere.
fn bumpy(seed: u64) -> Soup {
    let mut random = Random(seed);
    let mut bumps = Vec::new();
    bumps.resize_with(42, || 0.7 + f64::from(random.below(1000)) / 2000.0);
    let mut soup = icosphere(1.0, 1);
    for (p, bump) in soup.vertices.iter_mut().zip(bumps) {
        *p = [p[0] * bump, p[1] * bump * 1.3, p[2] * bump * 0.7];
    }
    soup
}

fn near(a: f64, b: f64, scale: f64) -> bool {
    (a - b).abs() <= 1e-12 * scale
}

/// R I R^T.
fn turned(inertia: [[f64; 3]; 3], pose: &Pose) -> [[f64; 3]; 3] {
    let r = pose.transform(What::PoseA).unwrap().rows;
    [0, 1, 2].map(|i| {
        [0, 1, 2].map(|j| {
            (0..3).flat_map(|k| (0..3).map(move |l| (k, l))).map(|(k, l)| r[i][k] * inertia[k][l] * r[j][l]).sum()
        })
    })
}

fn shuffled(soup: &Soup, seed: u64) -> (Soup, Vec<usize>) {
    let mut random = Random(seed);
    let mut order: Vec<usize> = (0..soup.triangles.len()).collect();
    for i in (1..order.len()).rev() {
        order.swap(i, random.below(i as u32 + 1) as usize);
    }
    let triangles = order.iter().map(|i| soup.triangles[*i]).collect();
    (Soup { vertices: soup.vertices.clone(), triangles }, order)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn rigid_motion_moves_the_centre_and_turns_the_inertia(
        seed in any::<u64>(),
        position in prop::array::uniform3(-3.0f64..3.0),
        orientation in prop::array::uniform4(-1.0f64..1.0),
    ) {
        prop_assume!(orientation.iter().map(|x| x * x).sum::<f64>() > 1e-3);
        let pose = Pose { position, orientation };
        let motion = pose.transform(What::PoseA).unwrap();
        let soup = bumpy(seed);
        let (p, q) = (soup.mass(2.5), soup.map(|v| motion.apply(v)).mass(2.5));
        prop_assert!(near(p.volume, q.volume, p.volume) && near(p.area, q.area, p.area));
        let centre = motion.apply(p.centre);
        prop_assert!((0..3).all(|k| near(q.centre[k], centre[k], 5.0)));
        let inertia = turned(p.inertia, &pose);
        let scale = p.moments[2];
        prop_assert!((0..3).all(|i| (0..3).all(|j| near(q.inertia[i][j], inertia[i][j], scale))));
        prop_assert!((0..3).all(|k| near(q.moments[k], p.moments[k], scale)));
        // The axes are eigenvectors, I a = m a, orthonormal and right-handed.
        for (axis, moment) in q.axes.into_iter().zip(q.moments) {
            for i in 0..3 {
                let product: f64 = (0..3).map(|j| q.inertia[i][j] * axis[j]).sum();
                prop_assert!(near(product, moment * axis[i], scale));
            }
        }
        prop_assert!(near(determinant(q.axes[0], q.axes[1], q.axes[2]), 1.0, 1.0));
        for axis in &q.axes[..2] {
            let largest = axis.iter().copied().fold(0.0, |m: f64, x| if x.abs() > m.abs() { x } else { m });
            prop_assert!(largest > 0.0);
        }
    }

    #[test]
    fn another_order_of_triangles_changes_no_count_and_only_rounding_of_sums(
        seed in any::<u64>(),
        removed in prop::collection::vec(0usize..80, 0..6),
        flipped in prop::collection::vec(0usize..60, 0..6),
    ) {
        let mut soup = bumpy(seed).without(&removed);
        flipped.iter().for_each(|i| soup.triangles[*i].swap(0, 1));
        let (other, _) = shuffled(&soup, seed);
        prop_assert_eq!(soup.inspected().0, other.inspected().0);
        let (p, q) = (soup.mass(1.0), other.mass(1.0));
        prop_assert!(near(p.volume, q.volume, p.volume) && near(p.volume_error, q.volume_error, p.volume));
        prop_assert!((0..3).all(|k| near(p.moments[k], q.moments[k], p.moments[2])));
        prop_assert_eq!(p.holes, q.holes);
    }

    #[test]
    fn crowds_of_bad_triangles_are_counted_alike_in_any_order(seed in any::<u64>(), n in 1u32..40) {
        let soup = crowd(seed, 12, n);
        let (other, order) = shuffled(&soup, seed);
        let (a, b) = (soup.inspected().0, other.inspected().0);
        // The original of copies is the first in order, so the orientation of copies depends on the order, and so do the results after them.
        let same = |r: &Report| {
            (r.points, r.two_equal, r.collinear, r.nearly_collinear, r.needles, r.edges, r.unbalanced_edges,
             r.duplicates + r.reversed_copies, r.open_edges, r.non_manifold_edges, r.open_loops, r.works)
        };
        prop_assert_eq!(same(&a), same(&b));
        let (mut first, mut second) = (soup.built(), other.built());
        for (to, from) in order.into_iter().enumerate() {
            prop_assert_eq!(first.mesh().triangle(from), second.mesh().triangle(to));
        }
        let mass = soup.mass(1.0);
        let numbers = [mass.volume, mass.area, mass.volume_error, mass.centre_error, mass.inertia_error];
        prop_assert!(numbers.iter().chain(&mass.moments).all(|x| x.is_finite() && *x >= 0.0));
    }
}
