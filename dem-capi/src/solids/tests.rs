//! Tests of boxes and cylinders in C: arrays and refusals.

use super::*;
use crate::errors::*;
use core::ptr::{null, null_mut};

const UNTOUCHED: (f64, u32) = (7.0, 7);

struct Arrays {
    vertices: Vec<f64>,
    triangles: Vec<u32>,
}

impl Arrays {
    fn of(vertices: usize, triangles: usize) -> Self {
        Arrays { vertices: vec![UNTOUCHED.0; 3 * vertices], triangles: vec![UNTOUCHED.1; 3 * triangles] }
    }

    fn are_untouched(&self) -> bool {
        self.vertices.iter().all(|&x| x == UNTOUCHED.0) && self.triangles.iter().all(|&i| i == UNTOUCHED.1)
    }

    fn cylinder(&mut self, radius: f64, length: f64, facets: usize) -> dem_error {
        let mut error = dem_error::default();
        let (v, t) = (self.vertices.len() / 3, self.triangles.len() / 3);
        let (vertices, triangles) = (self.vertices.as_mut_ptr(), self.triangles.as_mut_ptr());
        // SAFETY: all memory has the size that is passed.
        let status = unsafe { dem_cylinder_mesh(vertices, v, triangles, t, radius, length, facets, &mut error) };
        assert_eq!(status, error.code);
        error
    }
}

#[test]
fn boxes_and_cylinders_are_those_of_the_core() {
    let mut a = Arrays::of(8, 12);
    let mut error = dem_error::default();
    // SAFETY: the arrays have the size of a box.
    let status = unsafe {
        dem_box_mesh(a.vertices.as_mut_ptr(), a.triangles.as_mut_ptr(), [1.0, 2.0, 3.0].as_ptr(), &mut error)
    };
    assert_eq!(status, DEM_OK);
    let Cuboid { vertices, triangles } = Cuboid::new([1.0, 2.0, 3.0]).unwrap();
    assert_eq!((&*a.vertices, &*a.triangles), (vertices.as_flattened(), triangles.as_flattened()));

    let mut facets = 0;
    // SAFETY: likewise.
    assert_eq!(unsafe { dem_cylinder_facets(&mut facets, 0.5, 1e-3, &mut error) }, DEM_OK);
    let same = Cylinder::within(0.5, 2.0, 1e-3).unwrap();
    assert_eq!(facets, same.facets as usize);
    let mut b = Arrays::of(2 * facets + 3, 4 * facets + 1);
    assert_eq!(b.cylinder(0.5, 2.0, facets).code, DEM_OK);
    let (mut vertices, mut triangles) = (vec![[0.0; 3]; same.vertices()], vec![[0; 3]; same.triangles()]);
    same.write(&mut vertices, &mut triangles).unwrap();
    assert!(b.vertices.starts_with(vertices.as_flattened()) && b.triangles.starts_with(triangles.as_flattened()));
    let rest = (&b.vertices[6 * facets + 6..], &b.triangles[12 * facets..]);
    assert!(rest.0 == [UNTOUCHED.0; 3] && rest.1 == [UNTOUCHED.1; 3], "nothing behind them");
}

#[test]
fn bad_numbers_and_too_little_room_write_nothing() {
    let mut a = Arrays::of(8, 12);
    for (radius, length, facets, code) in [
        (f64::NAN, 1.0, 3, DEM_ERROR_NOT_FINITE),
        (-1.0, 1.0, 3, DEM_ERROR_OUT_OF_RANGE),
        (1.0, 0.0, 3, DEM_ERROR_OUT_OF_RANGE),
        (1.0, 1.0, 2, DEM_ERROR_OUT_OF_RANGE),
        (1.0, 1.0, usize::MAX, DEM_ERROR_OUT_OF_RANGE),
        (1.0, 1.0, 4, DEM_ERROR_CAPACITY),
    ] {
        let error = a.cylinder(radius, length, facets);
        assert_eq!(error.code, code, "{radius} {length} {facets}");
        assert!(a.are_untouched());
    }
    assert_eq!(a.cylinder(1.0, 1.0, 4).needed, 10);
    assert_eq!(a.cylinder(1.0, 1.0, 3).code, DEM_OK);

    let mut a = Arrays::of(8, 12);
    let mut error = dem_error::default();
    let (vertices, triangles) = (a.vertices.as_mut_ptr(), a.triangles.as_mut_ptr());
    let wrong = [1.0, -2.0, 1.0];
    // SAFETY: the arrays have the size of a box, and the call refuses nulls and overlaps.
    let status = unsafe {
        [
            dem_box_mesh(vertices, triangles, wrong.as_ptr(), &mut error),
            dem_box_mesh(vertices, triangles, null(), &mut error),
            dem_box_mesh(null_mut(), triangles, [1.0; 3].as_ptr(), &mut error),
            dem_box_mesh(vertices, null_mut(), [1.0; 3].as_ptr(), &mut error),
            dem_box_mesh(vertices, vertices.cast(), [1.0; 3].as_ptr(), &mut error),
            dem_cylinder_facets(null_mut(), 1.0, 0.1, &mut error),
            dem_cylinder_facets(&mut 0, 1.0, 1e-16, &mut error),
        ]
    };
    let null = DEM_ERROR_NULL;
    assert_eq!(status, [DEM_ERROR_OUT_OF_RANGE, null, null, null, DEM_ERROR_OVERLAP, null, DEM_ERROR_TOO_LARGE]);
    assert!(a.are_untouched());
}
