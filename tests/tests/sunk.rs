//! Meshes below a half-space as a whole, by the law of volumes: they are pushed out, and the energy goes on.

use dem_core::array::Array;
use dem_core::contact::regions::Grouping;
use dem_core::contact::shape::{Shape, Surface};
use dem_core::contact::{CellOptions, Contact, Law, status};
use dem_core::mesh::Halo;
use dem_core::pose::Pose;
use dem_core::surrogate::Options;
use dem_std::{OwnedCells, OwnedShape, Triangles, generate};
use dem_tests::bad::{boxed, volume};
use dem_tests::contact::{Body, after, at, cuboid, ell, soup, wrench};
use dem_tests::data::indexed;
use dem_tests::deep::{moved, sized, turn, turned_over};
use dem_tests::random::Random;
use dem_tests::scene::posed;
use dem_tests::shapes::{ground, placed, stored, surface};
use dem_tests::vector::{add, cross, dot, length, scale, sub};
use dem_tests::{Triangle, cases};

const HALO: f64 = 0.02;
const T: f64 = 2.0 * HALO;

fn models() -> [(&'static str, Vec<Triangle>); 4] {
    let rock = soup(&generate::bumpy(generate::icosphere(1).unwrap(), 1.4, 7).unwrap());
    let hollow = [cuboid([1.0; 3]), turned_over(&moved(&cuboid([0.4; 3]), [0.1, 0.0, 0.05]))].concat();
    [("cube", cuboid([1.0; 3])), ("L", ell()), ("rock", sized(&rock, 0.5)), ("hollow", hollow)]
}

fn list(of: &Surface<'_>, pose: &Pose) -> Vec<Contact> {
    stored(&placed(Shape::Mesh(of), pose), &placed(ground(HALO), &Pose::IDENTITY), &Grouping::PATCHES)
}

fn energy(list: &[Contact]) -> f64 {
    list.iter().map(|c| c.energy).sum()
}

/// The pose at which the top of a mesh is at this height.
fn with_top(mesh: &[Triangle], orientation: [f64; 4], height: f64) -> Pose {
    at([0.1, 0.2, height - boxed(&posed(mesh, &at([0.0; 3], orientation)))[1][2]], orientation)
}

#[test]
fn what_is_below_as_a_whole_is_pushed_out() {
    let mut random = Random::new(3);
    for (name, mesh) in models() {
        let body = Body::conservative(&mesh, HALO);
        let of = surface(&body, false);
        for k in 0..6 {
            let orientation = if k == 0 { [0.0, 0.0, 0.0, 1.0] } else { random.rotation() };
            let mut last = [0.0; 2];
            for depth in [1.01 * T, 2.0 * T, 0.1, 0.5, 1.5, 10.0, 1e3] {
                let pose = with_top(&mesh, orientation, -depth);
                let contacts = list(&of, &pose);
                let (sum, stored) = (wrench(&contacts, pose.position), energy(&contacts));
                // That of a body inside of a solid, and more.
                let least = volume(&mesh) / T;
                assert!(
                    sum.force[2] > least && sum.force[2] > last[0] && stored > last[1],
                    "{name} {k} {depth}: {sum:?}"
                );
                assert!(sum.force[0].hypot(sum.force[1]) < 1e-9 * sum.force[2], "{name} {k} {depth}: {sum:?}");
                let bits = contacts.iter().fold(0, |bits, c| bits | c.status);
                assert!(bits & status::CONTAINED != 0 && bits & status::DOUBTFUL == 0, "{name} {k} {depth}: {bits}");
                last = [sum.force[2], stored];
            }
        }
    }
}

/// From where a rest of the volume is above, through the surface, to below: force and torque are minus the gradient, so no work is won by turning below.
#[test]
fn the_energy_goes_on_below() {
    let mut random = Random::new(4);
    let mut worst = 0.0f64;
    for (name, mesh) in models() {
        let body = Body::conservative(&mesh, HALO);
        let of = surface(&body, false);
        for k in 0..24 {
            let pose = with_top(&mesh, random.rotation(), [0.13, 0.05, 0.01, -0.01, -0.033, -0.3][k % 6]);
            let sum = wrench(&list(&of, &pose), pose.position);
            let size = length(sum.force);
            for way in [[0.6, 0.0, 0.8], [-0.48, 0.8, 0.36], [-0.64, -0.6, 0.48]] {
                for turns in [false, true] {
                    let there = |x: f64| {
                        let (by, angle) = if turns { (0.0, x) } else { (x, 0.0) };
                        let moved = at(add(pose.position, scale(by, way)), after(turn(way, angle), pose.orientation));
                        energy(&list(&of, &moved))
                    };
                    let h = 1e-5;
                    let slope = (8.0 * (there(h) - there(-h)) - (there(2.0 * h) - there(-2.0 * h))) / (12.0 * h);
                    let off = (dot(way, if turns { sum.torque } else { sum.force }) + slope).abs() / size;
                    worst = worst.max(off);
                    assert!(off < 1e-6, "{name} {k} {turns}: {off:e} of {size}");
                }
            }
        }
    }
    println!("{worst:.1e}");
}

/// A body that leans goes in without a jump of its force.
#[test]
fn nothing_jumps_as_the_last_corner_sinks_in() {
    for (name, mesh) in models() {
        let body = Body::conservative(&mesh, HALO);
        let of = surface(&body, false);
        let orientation = turn([0.36, 0.48, 0.8], 0.7);
        let force = |top: f64| {
            let pose = with_top(&mesh, orientation, top);
            wrench(&list(&of, &pose), pose.position)
        };
        let most = (0..400).fold(0.0f64, |most, k| most.max(force(0.3 - 1e-3 * f64::from(k)).force[2]));
        // Down to below the surface, in steps: it changes by no more than all of it over the halo.
        let places = cases(1_000, 4_000);
        for k in 0..places {
            let top = 0.2 - 0.4 * f64::from(k) / f64::from(places);
            let [off, twist] = force(top).minus(&force(top - 1e-6)).size();
            assert!(off < 4.0 * most * 1e-6 / T && twist < 4.0 * most * 1e-6 / T, "{name} {top}: {off} {twist} {most}");
        }
        let least = (0..400).fold(f64::INFINITY, |least, k| least.min(force(0.2 - 1e-3 * f64::from(k)).force[2]));
        assert!(least > 0.1 * volume(&mesh) / T, "{name}: {least} {most}");
    }
}

/// A mesh with a halo for each triangle.
fn of_each(mesh: &[Triangle], halos: &[f64]) -> Body {
    let (vertices, indices) = indexed(mesh);
    let mesh = Triangles { vertices, indices };
    let halos = Halo::Each(Array::from_numbers(halos));
    let shape = OwnedShape::new(&mesh, mesh.scalar(), halos, &Options::default()).unwrap();
    let options = CellOptions { law: Law::Volume, ..CellOptions::default() };
    let cells = OwnedCells::new(&shape.mesh().unwrap(), &options).unwrap();
    Body { shape, cells }
}

/// Below, the thickest halo decides, wherever it is: it is the force that grows with depth. So nothing jumps as triangles with other halos go under.
#[test]
fn of_different_halos_the_thickest_one_decides_below() {
    for (name, mesh) in models() {
        let area: f64 = mesh.iter().map(|[a, b, c]| 0.5 * length(cross(sub(*b, *a), sub(*c, *a)))).sum();
        for thick in (0..mesh.len()).step_by(mesh.len() / 12) {
            let mut halos = vec![HALO; mesh.len()];
            halos[thick] = 3.0 * HALO;
            let body = of_each(&mesh, &halos);
            let of = surface(&body, false);
            let orientation = turn([0.36, 0.48, 0.8], 0.7);
            let told = |top: f64| {
                let pose = with_top(&mesh, orientation, top);
                let contacts = list(&of, &pose);
                (wrench(&contacts, pose.position), energy(&contacts))
            };
            let [upper, middle, lower] = [1.0, 2.0, 3.0].map(|depth| told(-depth));
            let (growth, whole) = (0.25 * area / (HALO + 3.0 * HALO), middle.0.force[2]);
            assert!((middle.0.force[2] - upper.0.force[2] - growth).abs() < 1e-9 * whole, "{name} {thick}");
            assert!((upper.1 + lower.1 - 2.0 * middle.1 - growth).abs() < 1e-9 * middle.1, "{name} {thick}");
            let most = told(-0.1).0.force[2];
            for k in 0..200 {
                let top = 0.1 - 1e-3 * f64::from(k);
                let ((sum, stored), (next, more)) = (told(top), told(top - 1e-6));
                let [off, twist] = sum.minus(&next).size();
                let place = format!("{name} {thick} {top}: {off} {twist} {most}");
                assert!(off < 4.0 * most * 1e-6 / T && twist < 4.0 * most * 1e-6 / T, "{place}");
                assert!((more - stored).abs() < 4.0 * most * 1e-6, "{place}, {stored} {more}");
            }
        }
    }
}

/// A flat bottom, and beside it two faces that look down, too, and do not meet each other.
fn keel() -> Vec<Triangle> {
    let outline = [[-0.6, 0.0], [0.6, 0.0], [1.0, 0.4], [1.0, 1.0], [-1.0, 1.0], [-1.0, 0.4]];
    let at = |i: usize, y: f64| [outline[i % 6][0], y, outline[i % 6][1]];
    let sides = (0..6)
        .flat_map(|i| [[at(i + 1, -0.5), at(i, -0.5), at(i, 0.5)], [at(i + 1, -0.5), at(i, 0.5), at(i + 1, 0.5)]]);
    let ends =
        (1..5).flat_map(|i| [[at(0, -0.5), at(i, -0.5), at(i + 1, -0.5)], [at(0, 0.5), at(i + 1, 0.5), at(i, 0.5)]]);
    sides.chain(ends).collect()
}

/// What pushes a mesh out that has sunk in belongs to the patch that faces down most, which connects the faces beside it, as above: one contact pushes the mesh up, also where it is tilted. (Another one, of the top, pushes it down.)
#[test]
fn a_keel_that_has_sunk_in_stays_one_place() {
    let mesh = keel();
    let body = Body::conservative(&mesh, HALO);
    let of = surface(&body, false);
    for axis in [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.6, 0.8, 0.0]] {
        for tilt in [0.0, 1e-3, 0.1, 0.3] {
            let orientation = turn(axis, tilt);
            for depth in [0.05, 0.3, 1.0, 10.0] {
                let pose = with_top(&mesh, orientation, -depth);
                let (of, other) = (placed(Shape::Mesh(&of), &pose), placed(ground(HALO), &Pose::IDENTITY));
                let [regions, patches] = [Grouping::default(), Grouping::PATCHES].map(|by| stored(&of, &other, &by));
                let up = regions.iter().filter(|c| c.normal[2] > 0.0).count();
                assert!(patches.len() > 4 && up == 1, "{axis:?} {tilt} {depth}: {up} of {}", patches.len());
            }
        }
    }
}
