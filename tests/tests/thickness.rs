//! The least thickness of a mesh, against closed forms.

use dem_core::surrogate::least_thickness;
use dem_tests::Triangle;
use dem_tests::contact::{at, cuboid};
use dem_tests::deep::{ball, moved, sized, turned_over};
use dem_tests::query::shape;
use dem_tests::random::Random;
use dem_tests::scene::posed;
use dem_tests::vector::{cross, dot, length, sub};
use dem_tests::walls;

fn thickness(mesh: &[Triangle]) -> Option<(f64, [u32; 2])> {
    let shape = shape(mesh, 0.01, &Default::default());
    let least = least_thickness(&shape.mesh().unwrap(), &shape.tree().unwrap())?;
    Some((least.length, least.triangles))
}

#[test]
fn boxes_and_plates_are_as_thick_as_their_shortest_side() {
    let mut random = Random::new(1);
    for edges in [[1.0, 2.0, 0.3], [0.5; 3], [1.0, 1.0, 1e-4], [1e-3, 4.0, 2.0]] {
        let placed = posed(&cuboid(edges), &at(random.in_cube(1.0), random.rotation()));
        let (found, [a, b]) = thickness(&placed).unwrap();
        let least = edges.into_iter().fold(f64::MAX, f64::min);
        assert!((found / least - 1.0).abs() < 1e-9 && a != b, "{edges:?} {found}");
    }
}

#[test]
fn a_shell_is_as_thick_as_the_distance_of_its_flattest_facets() {
    // Facets of both balls are parallel, so lines between them are a tenth of their distance from the middle.
    let outer = ball(3);
    let far = |t: &Triangle| {
        let n = cross(sub(t[1], t[0]), sub(t[2], t[0]));
        dot(t[0], n) / length(n)
    };
    let nearest = outer.iter().map(far).fold(f64::MAX, f64::min);
    let shell = [outer.clone(), turned_over(&sized(&outer, 0.9))].concat();
    let (found, _) = thickness(&shell).unwrap();
    assert!((found / (0.1 * nearest) - 1.0).abs() < 1e-9, "{found} {nearest}");
    // A ball by itself is as thick as its facets are apart.
    let (found, _) = thickness(&outer).unwrap();
    assert!((found / (2.0 * nearest) - 1.0).abs() < 1e-9, "{found} {nearest}");
}

#[test]
fn what_has_no_opposite_faces_has_no_thickness() {
    assert_eq!(thickness(&walls::regular(4, 1.0)), None);
    // What looks inwards is thick where its outside is: between two rooms.
    let room = turned_over(&cuboid([1.0; 3]));
    assert_eq!(thickness(&room), None);
    let (found, _) = thickness(&[room.clone(), moved(&room, [1.25, 0.0, 0.0])].concat()).unwrap();
    assert!((found - 0.25).abs() < 1e-9, "{found}");
}

#[test]
fn many_triangles_are_asked_in_no_time() {
    let mesh = ball(5);
    assert!(mesh.len() > 20_000);
    let shell = [mesh.clone(), turned_over(&sized(&mesh, 0.999))].concat();
    assert!((thickness(&shell).unwrap().0 / 0.001 - 1.0).abs() < 1e-3);
}

/// Two fans of slender triangles, whose boxes are large. A line from the middle of one runs along the other cone until it is behind the axis.
#[test]
fn boxes_of_slender_triangles_that_lean_are_not_searched() {
    const SLICES: usize = 30_000;
    let rim = |i: usize| {
        let angle = core::f64::consts::TAU * (i % SLICES) as f64 / SLICES as f64;
        [angle.cos(), angle.sin(), 0.0]
    };
    let fan = |tip: f64| {
        (0..SLICES).map(move |i| {
            if tip > 0.0 { [[0.0, 0.0, tip], rim(i), rim(i + 1)] } else { [[0.0, 0.0, tip], rim(i + 1), rim(i)] }
        })
    };
    let (found, _) = thickness(&fan(1.0).chain(fan(-1.0)).collect::<Vec<_>>()).unwrap();
    assert!((found - 2.0_f64.sqrt()).abs() < 1e-6, "{found}");
}
