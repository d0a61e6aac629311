//! Bodies that penetrate floor and wall of one mesh have a contact with each.

use dem_core::contact::Contact;
use dem_core::contact::regions::Grouping;
use dem_core::contact::shape::{Placed, Shape};
use dem_core::pose::Pose;
use dem_tests::Triangle;
use dem_tests::contact::{Body, at, cuboid};
use dem_tests::deep::moved;
use dem_tests::shapes::{grouped, placed, surface};

const HALO: f64 = 0.01;
const T: f64 = 2.0 * HALO;

fn regions(a: &Placed<'_>, b: &Placed<'_>) -> Vec<Contact> {
    grouped(a, b, &Grouping::default())
}

fn quad(a: [f64; 3], b: [f64; 3], c: [f64; 3], d: [f64; 3]) -> [Triangle; 2] {
    [[a, b, c], [a, c, d]]
}

/// Floor and wall without anything behind them.
fn open() -> Vec<Triangle> {
    let floor = quad([0.0, -5.0, 0.0], [10.0, -5.0, 0.0], [10.0, 5.0, 0.0], [0.0, 5.0, 0.0]);
    let wall = quad([0.0, -5.0, 0.0], [0.0, 5.0, 0.0], [0.0, 5.0, 6.0], [0.0, -5.0, 6.0]);
    [floor, wall].concat()
}

/// A solid.
fn solid() -> Vec<Triangle> {
    let outline = [[0.0, 0.0], [10.0, 0.0], [10.0, -1.0], [-1.0, -1.0], [-1.0, 6.0], [0.0, 6.0]];
    let at = |k: usize, y: f64| [outline[k][0], y, outline[k][1]];
    let mut mesh: Vec<Triangle> = vec![];
    for k in 0..6 {
        let l = (k + 1) % 6;
        let [a, b, c, d] = [at(k, -5.0), at(k, 5.0), at(l, 5.0), at(l, -5.0)];
        mesh.extend([[a, c, b], [a, d, c]]);
    }
    for [a, b, c] in [[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5]] {
        mesh.extend([[at(a, -5.0), at(b, -5.0), at(c, -5.0)], [at(a, 5.0), at(c, 5.0), at(b, 5.0)]]);
    }
    mesh
}

/// A closed room that looks inward.
fn closed() -> Vec<Triangle> {
    moved(&cuboid([10.0, 10.0, 6.0]), [5.0, 0.0, 3.0]).into_iter().map(|[a, b, c]| [a, c, b]).collect()
}

#[test]
fn explore() {
    for law in 0..2 {
        let make = |soup: &[Triangle]| if law == 0 { Body::conservative(soup, HALO) } else { Body::facing(soup, HALO) };
        let cube = make(&cuboid([1.0; 3]));
        let cube = surface(&cube, true);
        let both = [moved(&cuboid([10.0, 10.0, 1.0]), [5.0, 0.0, -0.5]), moved(&cuboid([1.0, 10.0, 7.0]), [-0.5, 0.0, 2.5])];
        let both = both.map(|mesh| make(&mesh));
        let both = both.each_ref().map(|body| surface(body, true));
        for (name, mesh) in [("solid", solid()), ("open", open()), ("closed", closed())] {
            let mesh = make(&mesh);
            let mesh = surface(&mesh, name == "solid");
            for yaw in [0.0, 10.0, 30.5, 45.0_f64] {
                for [d, e] in [[0.1, 0.1], [0.1, 0.5], [1e-6, 1.0], [-0.5, 0.2], [0.1, -0.5], [3.0, 0.2]] {
                    let a = yaw.to_radians();
                    let half = 0.5 * (a.cos() + a.sin());
                    let pose = at([half - e * T, 0.3, 0.5 - d * T], [0.0, 0.0, (0.5 * a).sin(), (0.5 * a).cos()]);
                    let body = placed(Shape::Mesh(&cube), &pose);
                    println!("law {law} {name} yaw {yaw} floor {d} wall {e}");
                    let show = |c: &Contact, what: &str| {
                        println!("   {what} n {:.5?} f {:.6} gap/T {:.4} least/T {:.4} area {:.5} pos {:.4?} mom {:.6?} st {} wedg {:.4}", c.normal, (1.0 - c.gap / c.halo) * c.area, c.gap / T, c.least_gap / T, c.area, c.position, c.moment, c.status, c.wedging);
                    };
                    regions(&body, &placed(Shape::Mesh(&mesh), &Pose::IDENTITY)).iter().for_each(|c| show(c, "one"));
                    for other in &both {
                        regions(&body, &placed(Shape::Mesh(other), &Pose::IDENTITY)).iter().for_each(|c| show(c, "two"));
                    }
                }
            }
        }
    }
}
