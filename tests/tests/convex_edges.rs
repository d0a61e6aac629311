//! Edges and corners of two convex meshes: one contact along the common normal, whose friction bears on its force alone.

use dem_core::body::Body;
use dem_core::contact::Contact;
use dem_core::contact::regions::{Grouping, Mode};
use dem_core::contact::shape::{Shape, Surface};
use dem_core::exec::Serial;
use dem_core::force::{Interaction, Laws, Normal};
use dem_core::pose::Pose;
use dem_core::world::BodyDef;
use dem_std::OwnedWorld;
use dem_tests::Triangle;
use dem_tests::contact::{self, after};
use dem_tests::shapes::{grouped, placed, surface};
use dem_tests::vector::{add, length, scale, sub};
use dem_tests::walls::{self, holed, outward, ridge};
use std::f64::consts::{PI, TAU};

const HALO: f64 = 0.01;
/// Sum of both halos.
const BOTH: f64 = 2.0 * HALO;

/// A solid with a tip at the origin and so many faces that look up, turned by this angle.
fn tip(sides: usize, angle: f64) -> Vec<Triangle> {
    let at = |i: usize| {
        let turn = TAU * (i as f64 + 0.3) / sides as f64;
        let far = 2.0 * angle.cos();
        [far * turn.cos(), far * turn.sin(), -2.0 * (PI / sides as f64).cos() * angle.sin()]
    };
    let all = (0..sides).flat_map(|i| [[[0.0; 3], at(i), at(i + 1)], [[0.0, 0.0, -6.0], at(i + 1), at(i)]]).collect();
    outward(all)
}

fn force(c: &Contact) -> f64 {
    (1.0 - c.gap / c.halo) * c.area
}

/// The sum of forces, and what friction bears on over it, of all contacts.
fn load(contacts: &[Contact]) -> ([f64; 3], f64) {
    let sum = contacts.iter().fold([0.0; 3], |sum, c| add(sum, scale(force(c), c.normal)));
    (sum, contacts.iter().fold(0.0, |all, c| all + c.wedging * force(c)) / length(sum))
}

/// B turned over, then turned about the z axis, with its upper point at this place.
fn above(turn: f64, position: [f64; 3]) -> Pose {
    let about_z = [0.0, 0.0, (0.5 * turn).sin(), (0.5 * turn).cos()];
    Pose { position, orientation: after(about_z, [0.0, 1.0, 0.0, 0.0]) }
}

fn find(above: &Surface<'_>, pose: &Pose, below: &Surface<'_>) -> Vec<Contact> {
    found(above, pose, below, Mode::Regions)
}

fn found(above: &Surface<'_>, pose: &Pose, below: &Surface<'_>, mode: Mode) -> Vec<Contact> {
    let grouping = Grouping { mode, ..Grouping::default() };
    grouped(&placed(Shape::Mesh(above), pose), &placed(Shape::Mesh(below), &Pose::IDENTITY), &grouping)
}

fn made(mesh: &[Triangle], law: usize) -> contact::Body {
    match law {
        0 => contact::Body::conservative(mesh, HALO),
        _ => contact::Body::facing(mesh, HALO),
    }
}

/// Gaps between upper points over both halos: the last ones penetrate.
const GAPS: [f64; 7] = [0.95, 0.7, 0.4, 0.1, 0.0, -0.5, -2.0];

/// Angles of both faces of edges, from blunt to sharp.
const ANGLES: [[f64; 2]; 5] = [[45.0, 45.0], [20.0, 20.0], [60.0, 60.0], [75.0, 75.0], [30.0, 70.0]];

/// By the law of volumes (0) and that of facing.
const LAWS: [usize; 2] = [0, 1];

fn solid(mesh: &contact::Body) -> Surface<'_> {
    surface(mesh, true)
}

/// All contacts of two bodies, of which there is one without wedging. Nothing where halos do not meet.
fn one(name: &str, top: &Surface<'_>, pose: &Pose, below: &Surface<'_>) -> Option<Contact> {
    let found_in = |mode| found(top, pose, below, mode);
    let (all, of_bodies) = (found_in(Mode::Regions), found_in(Mode::Bodies));
    let Some(one) = all.first() else {
        assert!(of_bodies.is_empty());
        return None;
    };
    assert_eq!((all.len(), of_bodies.len()), (1, 1), "{name}: {all:?}");
    assert!(one.wedging < 1.0 + 1e-9 && of_bodies[0].wedging < 1.0 + 1e-9, "{name}: {all:?}");
    Some(*one)
}

/// The force of two edges that cross is along the product of their directions, since a motion along an edge changes nothing.
#[test]
fn edges_that_cross_have_one_contact_along_their_common_normal() {
    let mut furthest = (0.0_f64, 0.0_f64);
    for (below, top, law) in ANGLES
        .into_iter()
        .flat_map(|a| [[45.0; 2], [70.0; 2]].into_iter().flat_map(move |b| LAWS.map(|law| (a, b, law))))
    {
        let meshes = [top, below].map(|angles| made(&ridge(angles.map(f64::to_radians)), law));
        let [a, b] = meshes.each_ref().map(solid);
        for degrees in [90.0, 60.0, 30.0, 10.0, 3.0, 0.0_f64] {
            for gap in GAPS {
                let name = format!("{below:?} {top:?} law {law}, {degrees} degrees, gap {gap}");
                let at = [0.0, 0.3, gap * BOTH];
                let Some(one) = one(&name, &a, &above(degrees.to_radians(), at), &b) else {
                    assert!(law == 1 && degrees == 0.0, "{name}");
                    continue;
                };
                if law == 0 && degrees > 0.0 && one.position[1].abs() < 2.0 {
                    let lean = f64::hypot(one.normal[0], one.normal[1]);
                    furthest.0 = furthest.0.max(if degrees < 10.0 { 0.0 } else { lean });
                    assert!(lean < 1e-9 || degrees < 10.0, "{name}: {one:?}");
                }
                if degrees >= 30.0 {
                    let off = length(sub(one.position, [0.0, 0.3, 0.5 * gap * BOTH])) / BOTH;
                    let symmetric = below[0] == below[1];
                    furthest.1 = furthest.1.max(if symmetric { off } else { 0.0 });
                    assert!(off < 0.5 || !symmetric && off < 3.5, "{name}: {off} {one:?}");
                }
            }
        }
    }
    println!("leans by {:e}, {:.3} of the halos from the middle", furthest.0, furthest.1);
}

#[test]
fn corners_have_one_contact_with_edges_and_corners() {
    let mut count = 0;
    for (sides, angle, law) in [3, 4, 9]
        .into_iter()
        .flat_map(|n| [20.0, 45.0, 54.7, 70.0].into_iter().flat_map(move |a| LAWS.map(|law| (n, a, law))))
    {
        let a = made(&tip(sides, f64::to_radians(angle)), law);
        let a = solid(&a);
        for other in [30.0, 45.0, 60.0] {
            let other = f64::to_radians(other);
            for (kind, mesh) in [ridge([other; 2]), tip(4, other)].into_iter().enumerate() {
                let b = made(&mesh, law);
                let b = solid(&b);
                for (gap, aside) in GAPS.into_iter().flat_map(|gap| [0.0, 0.1, 0.4].map(|aside| (gap, aside))) {
                    let name =
                        format!("{sides} faces of {angle}, {kind} of {other}, law {law}, gap {gap}, {aside} aside");
                    let at = [aside * BOTH, 0.0, gap * BOTH];
                    let Some(one) = one(&name, &a, &above(0.3, at), &b) else { continue };
                    count += 1;
                    assert!(length(sub(one.position, [0.0; 3])) < 3.0 * BOTH, "{name}: {one:?}");
                }
            }
        }
    }
    println!("{count}");
    assert!(count > 2000, "{count}");
}

/// In grooves one body is concave, however near its bottom the other one is.
#[test]
fn an_edge_in_a_groove_wedges() {
    for (degrees, law) in [10.0, 20.0, 30.0].into_iter().flat_map(|angle| LAWS.map(|law| (angle, law))) {
        let angle = f64::to_radians(degrees);
        // Along y.
        let turned = |t: &Triangle| t.map(|[x, y, z]| [y, x, z]);
        let groove: Vec<Triangle> = walls::groove(angle, 1).iter().map(turned).map(|[a, b, c]| [a, c, b]).collect();
        let b = made(&groove, law);
        let b = surface(&b, false);
        for (steeper, gap) in
            [1.0, 10.0, 25.0].into_iter().flat_map(|by| [0.95, 0.7, 0.4, 0.1].map(|gap| (degrees + by, gap)))
        {
            let a = made(&ridge([f64::to_radians(steeper); 2]), law);
            let found = find(&solid(&a), &above(0.0, [0.0, 0.0, gap * BOTH]), &b);
            let (_, got) = load(&found);
            let name = format!("{degrees} {steeper}, law {law}, gap {gap}: {found:?}");
            assert_eq!(found.len(), 1, "{name}");
            assert!((got * angle.cos() - 1.0).abs() < 1e-9, "{name} {:e}", got * angle.cos() - 1.0);
        }
    }
}

/// The rim of a hole has convex edges all around, but they are not those of one convex body.
#[test]
fn a_cone_in_a_hole_wedges() {
    let angle = f64::to_radians(30.0);
    for (corners, times, law) in
        [3, 4, 24].into_iter().flat_map(|n| [2.0, 5.0, 10.0].into_iter().flat_map(move |r| LAWS.map(|law| (n, r, law))))
    {
        let radius = times * BOTH;
        let meshes = [tip(24, angle), holed(corners, radius)].map(|mesh| made(&mesh, law));
        let [a, b] = meshes.each_ref().map(solid);
        for gap in [0.7, 0.4, 0.1, 0.0] {
            let z = gap * BOTH / angle.cos() - radius * angle.tan();
            let found = find(&a, &above(0.0, [0.0, 0.0, z]), &b);
            let got = load(&found).1 * angle.cos();
            assert!((got - 1.0).abs() < 0.06, "{corners} corners {times} law {law} gap {gap}: {got} {found:?}");
        }
    }
}

/// In a world: friction is its coefficient times the force, and a law of the depth pushes with what belongs to that depth.
#[test]
fn friction_where_edges_cross_is_that_of_a_flat_contact() {
    for (degrees, half) in [90.0, 40.0].into_iter().flat_map(|turn| [45.0, 60.0, 70.0].map(|half| (turn, half))) {
        let mesh = contact::Body::new(&ridge([f64::to_radians(half); 2]), HALO);
        let mesh = surface(&mesh, true);
        let shapes = [Shape::Mesh(&mesh)];
        for (normal, stiffness, gap) in [Normal::Pressure, Normal::Linear]
            .into_iter()
            .flat_map(|law| [0.5, 0.0, -1.0].map(|gap| (law, [2e5, 1e3][usize::from(law == Normal::Linear)], gap)))
        {
            let table = [Interaction { torsion: 0.0, ..Interaction::new(normal, stiffness) }.rough(0.01, 1.0)];
            let laws = Laws::new(&table).unwrap();
            let pose = above(f64::to_radians(degrees), [0.0, 0.0, gap * BOTH]);
            let mut world = OwnedWorld::with_executor(Box::new(Serial));
            world.add(&BodyDef::new(Body::fixed(Pose::IDENTITY), 0)).unwrap();
            let ball = Body::ball(1.0, 1.0, pose.position).unwrap();
            let moving = Body { velocity: [6.0, 8.0, 0.0], orientation: pose.orientation, ..ball };
            let handle = world.add(&BodyDef::new(moving, 0)).unwrap();
            world.advance(1e-3, 1e-3, &shapes, &laws).unwrap();
            let view = world.view().unwrap();
            let contacts = view.scene().now().contacts().to_vec();
            let force = view.wrenches()[handle.slot as usize].force;
            let limit = f64::hypot(force[0], force[1]) / (0.01 * force[2]);
            let name = format!("{degrees} {half} {normal:?} {gap}: limit {limit:.6}, force {force:?}");
            println!("{name}");
            assert_eq!(contacts.len(), 1, "{name}");
            assert!((limit - 1.0).abs() < 1e-3, "{name}");
            if normal == Normal::Linear {
                let depth = contacts[0].halo - contacts[0].least_gap;
                assert!((force[2] / (stiffness * depth) - 1.0).abs() < 1e-3, "{name} {depth}");
            }
        }
    }
}
