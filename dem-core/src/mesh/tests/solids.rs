//! Tests of boxes and cylinders against closed forms.

use super::*;
use crate::error::{Kind, What};

fn prism(radius: f64, length: f64, facets: u32) -> Soup {
    let prism = Cylinder { radius, length, facets };
    let mut soup =
        Soup { vertices: std::vec![[0.0; 3]; prism.vertices()], triangles: std::vec![[0; 3]; prism.triangles()] };
    prism.write(&mut soup.vertices, &mut soup.triangles).unwrap();
    soup
}

#[test]
fn a_box_is_closed_and_looks_outward() {
    let Cuboid { vertices, triangles } = Cuboid::new([2.0, 3.0, 4.0]).unwrap();
    let p = Soup { vertices: vertices.into(), triangles: triangles.into() }.mass(1.0);
    assert_eq!((p.volume, p.area, p.centre, p.state, p.holes), (24.0, 52.0, [0.0; 3], 0, 0));
    let sides = triangles.as_chunks::<2>().0.iter().flat_map(|[p, q]| [p, q]).enumerate();
    for (i, triangle) in sides {
        let (axis, side) = (i / 4, if i / 2 % 2 == 0 { -1.0 } else { 1.0 });
        let [a, b, c] = triangle.map(|v| vertices[v as usize]);
        assert!([a, b, c].iter().all(|p| p[axis] == side * (1.0 + 0.5 * axis as f64)), "triangle {i}");
        let normal = crate::vector::cross(crate::vector::sub(b, a), crate::vector::sub(c, a));
        assert!(normal[axis] * side > 0.0, "triangle {i}");
    }
}

#[test]
fn prisms_have_the_volume_of_their_cylinder_and_converge_to_its_inertia() {
    let (radius, length) = (0.7, 1.9);
    let volume = std::f64::consts::PI * radius * radius * length;
    let (along, across) = (0.5 * radius * radius, (3.0 * radius * radius + length * length) / 12.0);
    let mut errors = Vec::new();
    for facets in [3, 4, 7, 32, 64, 1000] {
        let p = prism(radius, length, facets).mass(1.0);
        assert!((p.volume - volume).abs() < 1e-13 * volume, "{facets} facets: {}", p.volume);
        assert!(p.centre.iter().all(|x| x.abs() < 1e-14) && (p.state, p.holes) == (0, 0));
        assert!((p.inertia[0][0] / p.inertia[1][1] - 1.0).abs() < 1e-12);
        errors.push([p.inertia[2][2] / volume - along, p.inertia[0][0] / volume - across]);
    }
    for (coarse, fine) in errors[3].into_iter().zip(errors[4]) {
        // The volume is exact, so the remaining error is of fourth order.
        let rate = coarse / fine;
        assert!((15.5..16.5).contains(&rate), "{rate}");
    }
    assert!(errors[5].iter().all(|e| e.abs() < 1e-10));
}

#[test]
fn a_prism_has_as_few_facets_as_the_sagitta_allows() {
    for (radius, sagitta) in [(1.0, 0.1), (1.0, 1e-3), (0.02, 1e-6), (5.0, 100.0), (1.0, 1e-11)] {
        let made = Cylinder::within(radius, 1.0, sagitta).unwrap();
        let off = |facets| Cylinder { facets, ..made }.sagitta();
        assert!(off(made.facets) <= sagitta, "{made:?}");
        assert!(made.facets == 3 || off(made.facets - 1) > sagitta, "{made:?}");
        // Measured on the mesh.
        let soup = prism(radius, 1.0, made.facets);
        let [a, b] = [soup.vertices[2], soup.vertices[4]];
        let middle = (a[0] + b[0]).hypot(a[1] + b[1]) / 2.0;
        assert!((made.edge_radius() - middle - made.sagitta()).abs() < 1e-15 * radius);
        assert!(middle < radius && radius < made.edge_radius());
    }
    assert_eq!(Cylinder::within(1.0, 1.0, 1e-3).unwrap().facets, 71);
}

#[test]
fn bad_numbers_are_named() {
    let of = |kind, what| move |e: crate::error::Error| (e.kind, e.what) == (kind, what);
    let within = |radius, length, sagitta| Cylinder::within(radius, length, sagitta).unwrap_err();
    assert!(of(Kind::NotFinite, What::Radius)(within(f64::NAN, 1.0, 0.1)));
    assert!(of(Kind::OutOfRange, What::Radius)(within(0.0, 1.0, 0.1)));
    assert!(of(Kind::OutOfRange, What::Radius)(within(f64::MAX, 1.0, 0.1)));
    assert!(of(Kind::OutOfRange, What::Length)(within(1.0, -1.0, 0.1)));
    assert!(of(Kind::NotFinite, What::Length)(within(1.0, f64::INFINITY, 0.1)));
    assert!(of(Kind::OutOfRange, What::Sagitta)(within(1.0, 1.0, 0.0)));
    assert!(of(Kind::TooLarge, What::Facets)(within(1.0, 1.0, 1e-15)));
    let plain = Cylinder { radius: 1.0, length: 1.0, facets: 3 };
    for facets in [0, 2, Cylinder::MOST + 1] {
        assert!(of(Kind::OutOfRange, What::Facets)(Cylinder { facets, ..plain }.check().unwrap_err()));
    }
    let (mut vertices, mut triangles) = ([[7.0; 3]; 8], [[7; 3]; 12]);
    let e = plain.write(&mut vertices[1..], &mut triangles).unwrap_err();
    assert!(of(Kind::Capacity, What::Vertices)(e) && (e.needed, e.given) == (8, 7));
    let e = plain.write(&mut vertices, &mut triangles[1..]).unwrap_err();
    assert!(of(Kind::Capacity, What::Triangles)(e) && (e.needed, e.given) == (12, 11));
    assert!(vertices == [[7.0; 3]; 8] && triangles == [[7; 3]; 12], "nothing is written");
    let e = Cuboid::new([1.0, -1.0, 1.0]).unwrap_err();
    assert!(of(Kind::OutOfRange, What::Edges)(e) && e.component == 1);
    assert!(of(Kind::NotFinite, What::Edges)(Cuboid::new([1.0, 1.0, f64::NAN]).unwrap_err()));
}
