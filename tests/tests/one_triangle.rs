//! What touches within one triangle of the other body, or along a line of it, is like what touches many: rings, vertical sides, flush faces.

use std::f64::consts::TAU;

use dem_core::contact::regions::Grouping;
use dem_core::contact::shape::{Placed, Shape};
use dem_core::contact::{Contact, status};
use dem_core::pose::Pose;
use dem_std::generate;
use dem_tests::Triangle;
use dem_tests::bad::{FLAGS, told};
use dem_tests::contact::{Body, HALO, Wrench, after, at, cuboid, soup, wrench};
use dem_tests::deep::{ball, find, moved, sized, turn, turned_over};
use dem_tests::random::Random;
use dem_tests::shapes::{ground, grouped, placed, surface};
use dem_tests::vector::length;

const NONE: [f64; 4] = [0.0, 0.0, 0.0, 1.0];
const MAKES: [fn(&[Triangle], f64) -> Body; 3] = [Body::new, Body::facing, Body::conservative];

/// A body of revolution about z: rings of corners, each connected with the next one, the last one with the first.
fn ring(profile: &[[f64; 2]], sides: usize) -> Vec<Triangle> {
    let point = |k: usize, side: usize| {
        let ([radius, z], angle) = (profile[k % profile.len()], (side % sides) as f64 / sides as f64 * TAU);
        [radius * angle.cos(), radius * angle.sin(), z]
    };
    let quad = |k: usize, side: usize| {
        let [a, b, c, d] = [point(k, side), point(k, side + 1), point(k + 1, side + 1), point(k + 1, side)];
        [[a, b, c], [a, c, d]]
    };
    (0..profile.len()).flat_map(|k| (0..sides).flat_map(move |side| quad(k, side))).collect()
}

/// A pipe on end, a torus, a bell and two pipes in each other, upright on z = 0.
fn rings() -> Vec<Vec<Triangle>> {
    let pipe = |inner: f64, outer: f64, sides| ring(&[[outer, 0.0], [outer, 1.0], [inner, 1.0], [inner, 0.0]], sides);
    let torus = soup(&generate::torus(0.3, 0.08, 24, 12).unwrap());
    let low = torus.iter().flatten().map(|v| v[2]).fold(f64::MAX, f64::min);
    let bell = ring(&[[0.4, 0.0], [0.4, 0.6], [1e-3, 0.6], [1e-3, 0.5], [0.3, 0.4], [0.3, 0.0]], 7);
    vec![pipe(0.3, 0.4, 4), moved(&torus, [0.0, 0.0, -low]), bell, [pipe(0.35, 0.4, 5), pipe(0.2, 0.25, 6)].concat()]
}

/// A ring in one triangle of a block pushes as one over several triangles does, and no harder than the block's part above it is large.
#[test]
fn rings_in_one_triangle_push_as_in_many() {
    let block = cuboid([5.0, 5.0, 1.0]);
    for (which, mesh) in rings().iter().enumerate() {
        assert!(dem_tests::bad::volume(mesh) > 0.0, "{which}");
        for (of, make) in MAKES.iter().enumerate() {
            let (body, wall) = (make(mesh, HALO), make(&block, HALO));
            for depth in [-0.002, 0.0001, 0.002, 0.02] {
                let push = |x: f64, y: f64, exchanged: bool| {
                    let pose = at([x, y, 0.5 - depth], turn([0.0, 0.0, 1.0], 0.2));
                    let list = if exchanged {
                        find(&wall, &Pose::IDENTITY, &body, &pose, true).0
                    } else {
                        find(&body, &pose, &wall, &Pose::IDENTITY, true).0
                    };
                    // Of parts that lie in each other the body may have something twice: that is in doubt.
                    let doubt = which == 3 || told(&list).bits & FLAGS == 0;
                    assert!(doubt, "{which} {of} {depth}: {list:?}");
                    let sum = wrench(&list, pose.position);
                    if exchanged { -sum.force[2] } else { sum.force[2] }
                };
                // Over the diagonal of the upper face, and on either side of it.
                let wanted = push(0.0, 0.0, false);
                assert!(wanted > 0.0 && wanted < 2.0, "{which} {of} {depth}: {wanted}");
                for [x, y] in [[1.3, -1.3], [-1.3, 1.3], [1.3, 1.3], [-1.3, -1.3]] {
                    for exchanged in [false, true] {
                        let force = push(x, y, exchanged);
                        assert!((force / wanted - 1.0).abs() < 1e-9, "{which} {of} {depth}: {force} {wanted}");
                    }
                }
            }
        }
    }
}

/// A pipe through a plate, and a box with a dent in its base: the volume that both have in common.
#[test]
fn rims_in_one_triangle_have_their_volume() {
    const THIN: f64 = 1e-9;
    let plate = Body::facing(&cuboid([5.0, 5.0, 0.2]), THIN);
    let pipe = ring(&[[0.4, -1.0], [0.4, 1.0], [0.3, 1.0], [0.3, -1.0]], 4);
    let area = 2.0 * (0.4 * 0.4 - 0.3 * 0.3);
    // At a depth of .05 of a dent of .1: a block less a frustum.
    let dent = ring(&[[0.4, 0.0], [0.4, 0.5], [1e-6, 0.5], [1e-6, 0.1], [0.2, 0.0]], 4);
    let left = 2.0 * 0.4 * 0.4 * 0.05 - 2.0 / 3.0 * 0.05 * (0.04 + 0.02 + 0.01);
    for (mesh, height, truth) in [(&pipe, 0.0, 0.2 * area), (&dent, 0.05, left)] {
        for [x, y] in [[0.0, 0.0], [1.3, -1.3], [-1.3, 1.3]] {
            let list = find(&Body::facing(mesh, THIN), &at([x, y, height], NONE), &plate, &Pose::IDENTITY, true).0;
            let told = told(&list);
            assert!(told.bits & FLAGS == 0 && (told.volume / truth - 1.0).abs() < 1e-3, "{x} {y}: {told:?} {truth}");
        }
    }
}

fn on_plane(body: &Body, pose: &Pose) -> (Vec<Contact>, Wrench) {
    let mesh = surface(body, true);
    let plane: Placed<'_> = placed(ground(HALO), &Pose::IDENTITY);
    let list = grouped(&placed(Shape::Mesh(&mesh), pose), &plane, &Grouping::default());
    let sum = wrench(&list, pose.position);
    (list, sum)
}

/// The strip of a half-space beside a vertical side of a body counts at any tilt, none included, and at any height.
#[test]
fn vertical_sides_in_a_half_space_are_the_limit_of_those_that_lean() {
    for width in [1.0, 0.3, 0.1] {
        for make in [Body::new, Body::conservative] {
            let body = make(&cuboid([width, 1.4 * width, width]), HALO);
            for gap in [2e-6, 1e-7, 0.0, -1e-9, -1e-7, -2e-6, -0.1 * HALO, -0.7 * HALO] {
                let of = |angle: f64| {
                    let orientation = turn([0.6, 0.8, 0.0], angle);
                    on_plane(&body, &at([0.0, 0.0, 0.5 * width + gap], orientation)).1
                };
                // At this tilt no face lies in a border any more, and its own effect is small.
                let wanted = of(2e-5);
                for angle in [0.0, 1e-13, 1e-11, 1e-9, 1e-8, 1e-7, 1e-6] {
                    let got = of(angle);
                    let [force, torque] = got.minus(&wanted).size();
                    let size = length(wanted.force);
                    let allowed = 1e-4 * size + 5e-3 * HALO * width;
                    assert!(force < allowed, "{width} {gap:e} {angle:e}: {got:?} {wanted:?}");
                    assert!(torque < 3.0 * allowed * width, "{width} {gap:e} {angle:e}: {got:?} {wanted:?}");
                }
            }
        }
    }
}

/// A frictionless plane pushes along its normal only, so a body on an edge or a corner has one contact with it.
#[test]
fn whatever_is_in_one_place_on_a_flat_patch_has_one_contact() {
    let floor = Body::conservative(&cuboid([8.0, 8.0, 2.0]), HALO);
    let wall = surface(&floor, true);
    let mut random = Random::new(3);
    let mut seen = 0;
    for mesh in [cuboid([1.0; 3]), cuboid([0.3, 1.0, 1.2]), sized(&ball(1), 0.6)] {
        let body = Body::conservative(&mesh, HALO);
        let own = surface(&body, true);
        for case in 0..120 {
            // On a corner, on an edge, and on edges that all but lie.
            let orientation = match case % 3 {
                0 => random.rotation(),
                1 => {
                    after(turn([0.0, 0.0, 1.0], random.range(0.0, 6.0)), turn([1.0, 0.0, 0.0], random.range(0.0, 1.5)))
                }
                _ => turn([1.0, 0.0, 0.0], random.range(0.0, 0.1)),
            };
            let low =
                mesh.iter().flatten().map(|v| dem_tests::vector::rotate(orientation, *v)[2]).fold(f64::MAX, f64::min);
            let lift = random.range(-2.0, 1.9) * HALO - low;
            let planes = on_plane(&body, &at([0.0, 0.0, lift], orientation)).0;
            let walls = grouped(
                &placed(Shape::Mesh(&own), &at([0.3, 0.2, 1.0 + lift], orientation)),
                &placed(Shape::Mesh(&wall), &Pose::IDENTITY),
                &Grouping::default(),
            );
            for list in [planes, walls] {
                let [contact] = list.as_slice() else { panic!("{case}: {list:?}") };
                let [x, y, _] = contact.normal;
                assert!(x.hypot(y) < 1e-9 && contact.status & status::UNSURE == 0, "{case}: {contact:?}");
                seen += 1;
            }
        }
    }
    assert_eq!(seen, 720);
}

/// Energies change as forces say, also where faces are flush.
#[test]
fn energies_of_flush_faces_are_those_of_their_forces() {
    let body = Body::conservative(&cuboid([1.0; 3]), HALO);
    let small = Body::conservative(&cuboid([0.6, 0.7, 1.0]), HALO);
    let own = surface(&body, true);
    // Not flush at their sides, too: of edges that lie in each other below the surface, rounding decides what is inside.
    for (mesh, beside) in [(&body, 0.1), (&small, 0.0)] {
        let other = surface(mesh, true);
        let on_mesh = |gap: f64| {
            let pose = at([beside, beside, 1.0 + gap], NONE);
            let request = placed(Shape::Mesh(&other), &pose);
            stored(&request, &placed(Shape::Mesh(&own), &Pose::IDENTITY))
        };
        let on_plane = |gap: f64| {
            let pose = at([0.0, 0.0, 0.5 + gap], NONE);
            stored(&placed(Shape::Mesh(&other), &pose), &placed(ground(HALO), &Pose::IDENTITY))
        };
        for of in [&on_mesh as &dyn Fn(f64) -> [f64; 2], &on_plane] {
            let gaps = [1e-4, 1e-5, 3e-6, 1e-6, 1e-7, 1e-9, -1e-9, -1e-7, -1e-6, -3e-6, -1e-5, -1e-4];
            for pair in gaps.windows(2) {
                let [[above, f], [below, g]] = [pair[0], pair[1]].map(of);
                let work = 0.5 * (f + g) * (pair[0] - pair[1]);
                assert!((below - above - work).abs() < 1e-3 * work + 1e-7 * above, "{pair:?}: {above} {below} {work}");
            }
        }
    }
}

/// Energy, and force along z.
fn stored(a: &Placed<'_>, b: &Placed<'_>) -> [f64; 2] {
    let list = dem_tests::shapes::stored(a, b, &Grouping::default());
    [list.iter().map(|c| c.energy).sum(), wrench(&list, [0.0; 3]).force[2]]
}

/// A hollow that pokes out through the wall around it.
#[test]
fn a_hollow_that_crosses_its_wall_is_in_doubt() {
    let hollow = moved(&cuboid([0.4; 3]), [0.0, 0.0, 0.35]);
    let bad = [cuboid([1.0; 3]), turned_over(&hollow)].concat();
    for make in MAKES {
        for depth in [0.01, 0.02, 0.1, 0.4] {
            let pose = at([0.1, 0.0, 1.0 - depth], NONE);
            let list = find(&make(&cuboid([1.0; 3]), HALO), &pose, &make(&bad, HALO), &Pose::IDENTITY, true).0;
            assert!(told(&list).bits & FLAGS != 0, "{depth}: {list:?}");
        }
    }
}
