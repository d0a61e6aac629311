//! Contacts of meshes in sizes of their own: an instance is the mesh that was built of scaled vertices.

use dem_core::contact::shape::{Part, Placed, Shape, Surface};
use dem_core::contact::{Contact, status};
use dem_core::pose::Pose;
use dem_core::simd::Isa;
use dem_tests::Triangle;
use dem_tests::contact::{Body, HALO, at, cuboid, deep_bodies, near_bodies, wrench};
use dem_tests::random::Random;
use dem_tests::shapes::{all, all_by, assert_opposite, assert_sound, part, placed, sphere, surface};
use dem_tests::vector::scale;

const NONE: [f64; 4] = [0.0, 0.0, 0.0, 1.0];

fn larger(soup: &[Triangle], s: f64) -> Vec<Triangle> {
    soup.iter().map(|t| t.map(|v| scale(s, v))).collect()
}

/// Two bodies, near each other or deep in each other, with one of them built smaller by `1 / s`, or as it is.
struct BodyPair {
    bodies: [Body; 2],
    poses: [Pose; 2],
    scales: [f64; 2],
}

impl BodyPair {
    fn new(case: u64, scales: [f64; 2], built: bool) -> Self {
        let (a, pose_a, b, pose_b) = if case.is_multiple_of(2) { near_bodies(case) } else { deep_bodies(case) };
        let body = |soup: &[Triangle], s: f64| Body::new(&larger(soup, 1.0 / s), HALO / s);
        match built {
            true => {
                // By the same numbers: those of the instance, scaled.
                let whole = |soup: &[Triangle], s: f64| Body::new(&larger(&larger(soup, 1.0 / s), s), HALO / s * s);
                let bodies = [whole(&a, scales[0]), whole(&b, scales[1])];
                BodyPair { bodies, poses: [pose_a, pose_b], scales: [1.0; 2] }
            }
            false => BodyPair { bodies: [body(&a, scales[0]), body(&b, scales[1])], poses: [pose_a, pose_b], scales },
        }
    }

    fn visit<T>(&self, solid: bool, with: impl Fn(&Placed<'_>, &Placed<'_>) -> T) -> T {
        let surfaces = [0, 1].map(|k| surface(&self.bodies[k], solid));
        let body = |k: usize| Placed { shape: Shape::Mesh(&surfaces[k]), pose: &self.poses[k], scale: self.scales[k] };
        with(&body(0), &body(1))
    }

    fn list(&self, solid: bool) -> Vec<Contact> {
        self.visit(solid, |a, b| all(a, b).0)
    }
}

#[test]
fn an_instance_by_a_power_of_two_is_the_mesh_of_scaled_vertices_bit_for_bit() {
    let mut met = [0, 0];
    for case in 0..60 {
        let scales = [[0.25, 1.0], [8.0, 0.5], [1.0, 1024.0], [2.0, 2.0]][case as usize % 4];
        let (instances, built) = (BodyPair::new(case, scales, false), BodyPair::new(case, scales, true));
        for solid in [false, true] {
            let list = instances.list(solid);
            assert_eq!(list, built.list(solid), "{case}");
            list.iter().for_each(|c| met[usize::from(c.status & status::PENETRATING != 0)] += 1);
        }
    }
    assert!(met[0] > 300 && met[1] > 50, "{met:?}");
}

#[test]
fn an_instance_is_the_mesh_of_scaled_vertices_but_for_rounding() {
    let mut met = 0;
    for case in 0..60 {
        let scales = [[0.3, 1.0], [7.1, 0.01], [3.3, 3.3], [1.0, 1234.5]][case as usize % 4];
        let (instances, built) = (BodyPair::new(case, scales, false), BodyPair::new(case, scales, true));
        let [list, wanted] = [instances.list(true), built.list(true)];
        let about = instances.poses[0].position;
        let (x, y) = (wrench(&list, about), wrench(&wanted, about));
        let most = wanted.iter().map(|c| (1.0 - c.gap / c.halo) * c.area).sum::<f64>();
        assert!(x.minus(&y).size().into_iter().all(|d| d <= 1e-12 * (1.0 + most)), "{case}: {x:?} {y:?}");
        met += wanted.len();
    }
    assert!(met > 300, "{met}");
}

#[test]
fn exchanged_instances_have_opposite_contacts_and_instruction_sets_do_not_matter() {
    for case in 0..60 {
        let pair = BodyPair::new(case, [[0.3, 1.0], [7.1, 0.01], [1.0, 1234.5]][case as usize % 3], false);
        pair.visit(case % 4 < 2, |a, b| {
            let list = all(a, b).0;
            list.iter().for_each(assert_sound);
            assert_opposite(&list, all(b, a).0, case as usize);
            for isa in Isa::list() {
                assert_eq!(all_by(*isa, a, b).0, list, "{case}: {}", isa.name());
            }
        });
    }
}

#[test]
fn parts_of_a_compound_are_instances_of_one_mesh() {
    let cube = Body::new(&cuboid([1.0; 3]), HALO);
    let cube = surface(&cube, true);
    let sizes = [1.0, 0.5, 2.0, 0.7];
    let parts: Vec<_> = (0..4)
        .map(|k| Part { scale: sizes[k], ..part(Shape::Mesh(&cube), [3.0 * k as f64, 0.0, 0.5 * sizes[k]]) })
        .collect();
    let floor = Body::new(&cuboid([30.0, 4.0, 1.0]), HALO);
    let (above, below) = (at([0.0, 0.0, 0.03], NONE), at([4.5, 0.0, -0.5], NONE));
    let floor = surface(&floor, true);
    let list = all(&placed(Shape::Compound(&parts), &above), &placed(Shape::Mesh(&floor), &below)).0;
    // Scales multiply halos, too: the larger the cube, the farther it feels.
    let bases: Vec<_> = list.iter().filter(|c| c.normal[2] > 0.999).collect();
    assert_eq!(bases.len(), 4, "{list:?}");
    for (k, c) in bases.iter().enumerate() {
        let (s, halo) = (sizes[k], HALO * (1.0 + sizes[k]));
        assert!((c.halo - halo).abs() < 1e-15 && (c.key[1] >> 32) / 12 == k as u64, "{c:?}");
        // The base, and the parts of the floor's halo that its edges' sectors reach.
        let area = c.area / (s * s);
        assert!((1.0..1.0 + 2.0 * halo / s).contains(&area) && (c.least_gap - 0.03).abs() < 1e-12, "{k}: {c:?}");
    }
}

#[test]
fn a_small_instance_in_a_large_one_has_to_come_out() {
    let ball = dem_tests::contact::soup(&dem_std::generate::icosphere(2).unwrap());
    let (unit, built) = (Body::new(&ball, HALO), Body::new(&larger(&ball, 0.125), 0.125 * HALO));
    let large = surface(&unit, true);
    let pose = at([0.5, 0.1, 0.2], Random::new(3).rotation());
    let outer = placed(Shape::Mesh(&large), &Pose::IDENTITY);
    let [small, same] = [(&unit, 0.125), (&built, 1.0)].map(|(body, scale)| {
        let inner = surface(body, false);
        all(&Placed { shape: Shape::Mesh(&inner), pose: &pose, scale }, &outer).0
    });
    assert_eq!(small, same);
    let [c] = small[..] else { panic!("{small:?}") };
    assert_eq!(c.status, status::PENETRATING | status::TOUCHING | status::CONTAINED);
    // In a body a hundred times as large, and far away, it is the same.
    let far = at([1e3, -2e3, 5e2], NONE);
    let there = at([1e3 + 50.0, -2e3 + 10.0, 5e2 + 20.0], pose.orientation);
    let inner = surface(&unit, false);
    let list = all(
        &Placed { shape: Shape::Mesh(&inner), pose: &there, scale: 12.5 },
        &Placed { shape: Shape::Mesh(&large), pose: &far, scale: 100.0 },
    )
    .0;
    assert!(list.len() == 1 && list[0].status == c.status, "{list:?}");
    assert!(
        (list[0].area / (1e4 * c.area) - 1.0).abs() < 1e-9 && (list[0].least_gap / c.least_gap - 100.0).abs() < 1e-9
    );
}

/// Any mixture of sizes gives sound contacts or none.
#[test]
fn sizes_without_measure_give_no_contact_that_is_not_sound() {
    let cube = Body::new(&cuboid([1.0; 3]), HALO);
    let cube: Surface<'_> = surface(&cube, true);
    let mut met = 0;
    for s in [1e-300_f64, 1e-160, 1e-30, 1e-8, 1.0, 1e8, 1e30, 1e160, 1e300] {
        for t in [1e-300, 1e-160, 1e-30, 1e-8, 1.0, 1e8, 1e30, 1e160, 1e300] {
            for depth in [0.01, -0.3] {
                let up = at([0.0, 0.0, (0.5 * s + 0.5 * t) + depth * s.min(t)], NONE);
                let a = Placed { shape: Shape::Mesh(&cube), pose: &up, scale: s };
                let b = Placed { shape: Shape::Mesh(&cube), pose: &Pose::IDENTITY, scale: t };
                let list = all(&a, &b).0;
                list.iter().for_each(assert_sound);
                assert!(!list.is_empty() || s / t > 1e7 || t / s > 1e7 || s.max(t) > 1e100, "{s} {t}");
                met += list.len();
            }
        }
    }
    assert!(
        met > 20
            && !all(&placed(sphere(1.0, HALO), &Pose::IDENTITY), &placed(Shape::Mesh(&cube), &Pose::IDENTITY))
                .0
                .is_empty()
    );
}
