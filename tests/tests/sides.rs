//! Bodies that penetrate floor and wall of one mesh have a contact with each.

use dem_core::contact::Contact;
use dem_core::contact::regions::Grouping;
use dem_core::contact::shape::{Placed, Shape};
use dem_core::pose::Pose;
use dem_tests::Triangle;
use dem_tests::contact::{Body, after, at, cuboid};
use dem_tests::deep::moved;
use dem_tests::random::Random;
use dem_tests::shapes::{assert_opposite, grouped, placed, surface};
use dem_tests::vector::{add, length, rotate, sub};
use dem_tests::walls::corner;

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
        mesh.extend([[at(a, -5.0), at(c, -5.0), at(b, -5.0)], [at(a, 5.0), at(b, 5.0), at(c, 5.0)]]);
    }
    mesh
}

/// A closed room that looks inward.
fn closed() -> Vec<Triangle> {
    moved(&cuboid([10.0, 10.0, 6.0]), [5.0, 0.0, 3.0]).into_iter().map(|[a, b, c]| [a, c, b]).collect()
}

fn make(soup: &[Triangle]) -> Body {
    Body::conservative(soup, HALO)
}

fn conjugate([x, y, z, w]: [f64; 4]) -> [f64; 4] {
    [-x, -y, -z, w]
}

fn force(c: &Contact) -> f64 {
    (1.0 - c.gap / c.halo) * c.area
}

fn yawed(yaw: f64) -> [f64; 4] {
    let half = 0.5 * yaw.to_radians();
    [0.0, 0.0, half.sin(), half.cos()]
}

/// Half of the width of a cube that is turned.
fn reach(yaw: f64) -> f64 {
    0.5 * (yaw.to_radians().cos() + yaw.to_radians().sin())
}

#[test]
fn a_cube_in_floor_and_wall_of_one_mesh_has_the_contacts_that_it_has_with_two_solids() {
    let cube = make(&cuboid([1.0; 3]));
    let cube = surface(&cube, true);
    let both =
        [moved(&cuboid([10.0, 10.0, 1.0]), [5.0, 0.0, -0.5]), moved(&cuboid([1.0, 10.0, 7.0]), [-0.5, 0.0, 2.5])];
    let both = both.map(|mesh| make(&mesh));
    let both = both.each_ref().map(|body| surface(body, true));
    for (name, mesh) in [("solid", solid()), ("open", open()), ("closed", closed())] {
        let mesh = make(&mesh);
        let mesh = surface(&mesh, name == "solid");
        let mesh = placed(Shape::Mesh(&mesh), &Pose::IDENTITY);
        for yaw in [0.0, 1.0, 10.0, 30.0, 30.5, 45.0] {
            for [d, e] in [[0.1, 0.1], [1.0, 1.0], [0.1, 0.5], [1e-6, 1.0], [0.3, 1e-6], [3.0, 0.2], [0.2, 3.0]] {
                let pose = at([reach(yaw) - e * T, 0.3, 0.5 - d * T], yawed(yaw));
                let body = placed(Shape::Mesh(&cube), &pose);
                let told = format!("{name} {yaw} {d} {e}");
                let list = regions(&body, &mesh);
                let [x, y] = &list[..] else { panic!("{told}: {list:#?}") };
                let (wall, floor) = if x.normal[0] > y.normal[0] { (x, y) } else { (y, x) };
                let told = format!("{told}: {floor:#?} {wall:#?}");
                assert!((floor.least_gap / (d * T) + 1.0).abs() < 1e-5, "{told}");
                assert!((wall.least_gap / (e * T) + 1.0).abs() < 1e-5, "{told}");
                assert!(floor.normal[2] > 0.9999 && floor.normal[1].abs() < 1e-3, "{told}");
                for (k, own) in [floor, wall].into_iter().enumerate() {
                    let list = regions(&body, &placed(Shape::Mesh(&both[k]), &Pose::IDENTITY));
                    let [alone] = &list[..] else { panic!("{told}: {list:#?}") };
                    assert!(own.normal[[2, 0][k]] > 0.9999, "{told}");
                    // Pressures of both grow with the volume of all. Of little volume they are those of two solids.
                    if yaw > 5.0 && d < 0.6 && e < 0.6 {
                        assert!((force(own) / force(alone) - 1.0).abs() < 0.1, "{told}");
                        assert!(length(sub(own.position, alone.position)) < 1.5 * T, "{told}");
                    }
                }
            }
        }
    }
}

/// Where the floor ends, a strip of its end is inside, too. It has no side of its own.
#[test]
fn a_cube_at_the_end_of_floor_and_wall_has_a_contact_with_each() {
    let (mesh, cube) = (make(&solid()), make(&cuboid([1.0; 3])));
    let (mesh, cube) = (surface(&mesh, true), surface(&cube, true));
    let mesh = placed(Shape::Mesh(&mesh), &Pose::IDENTITY);
    for along in [4.0, 4.4, 4.6, 5.0] {
        let pose = at([0.5 - 0.3 * T, along, 0.5 - 0.1 * T], yawed(0.0));
        let list = regions(&placed(Shape::Mesh(&cube), &pose), &mesh);
        let told = format!("{along} {list:#?}");
        assert_eq!(list.len(), 2, "{told}");
        for (c, depth) in list.iter().zip([0.3, 0.1]) {
            assert!((c.least_gap / (depth * T) + 1.0).abs() < 1e-6, "{told}");
            assert!(f64::max(c.normal[0], c.normal[2]) > 0.995, "{told}");
        }
    }
}

/// The contacts are the same however the pair is turned and triangles are numbered, and whichever body comes first.
#[test]
fn floor_and_wall_are_the_same_in_any_pose_and_order() {
    let mut random = Random::new(3);
    let cube = make(&cuboid([1.0; 3]));
    let cube = surface(&cube, true);
    for (name, soup) in [("solid", solid()), ("open", open()), ("closed", closed()), ("corner", corner())] {
        for yaw in [0.0, 17.0] {
            let pose = at([reach(yaw) - 0.3 * T, reach(yaw) - 0.2 * T, 0.5 - 0.1 * T], yawed(yaw));
            let mut first: Option<Vec<Contact>> = None;
            for turn in 0..6 {
                let rig = if turn == 0 { Pose::IDENTITY } else { at(random.in_cube(1.0), random.rotation()) };
                let mut own = soup.clone();
                if turn > 2 {
                    own.rotate_left(turn % 3);
                    own.iter_mut().for_each(|t| t.rotate_left(turn % 3));
                }
                let mesh = make(&own);
                let mesh = surface(&mesh, name != "open");
                let there = at(
                    add(rig.position, rotate(rig.orientation, pose.position)),
                    after(rig.orientation, pose.orientation),
                );
                let (a, b) = (placed(Shape::Mesh(&cube), &there), placed(Shape::Mesh(&mesh), &rig));
                let list = regions(&a, &b);
                assert_opposite(&list, regions(&b, &a), 0);
                let back = |v: [f64; 3]| rotate(conjugate(rig.orientation), v);
                let mut list: Vec<Contact> = list
                    .into_iter()
                    .map(|c| Contact { normal: back(c.normal), position: back(sub(c.position, rig.position)), ..c })
                    .collect();
                list.sort_by(|x, y| x.normal[0].total_cmp(&y.normal[0]));
                let contacts = if name == "corner" { 3 } else { 2 };
                assert_eq!(list.len(), contacts, "{name} {yaw} {turn} {list:#?}");
                let wanted = first.get_or_insert(list.clone());
                for (x, y) in list.iter().zip(wanted) {
                    let told = format!("{name} {yaw} {turn} {x:#?} {y:#?}");
                    assert!(length(sub(x.normal, y.normal)) < 1e-8, "{told}");
                    assert!(length(sub(x.position, y.position)) < 1e-8, "{told}");
                    assert!((force(x) - force(y)).abs() < 1e-8 && (x.least_gap - y.least_gap).abs() < 1e-9, "{told}");
                }
            }
        }
    }
}
