//! Arguments of cones and clamps; what they are is tested over the core.

use super::*;
use crate::errors::*;
use crate::inputs::Input;
use crate::placed::IDENTITY;
use crate::placed::{DEM_KIND_COMPOUND, DEM_KIND_MESH, POINT, dem_compound};
use crate::testing::{Shape, cube, sheet};

#[test]
fn cones_are_for_the_shape_and_clamped_contacts_are_in_them() {
    let flat: Vec<_> = sheet(4).iter().map(|t| t.map(|[x, y, _]| [x, y, 0.0])).collect();
    let shapes = [Shape::new(&cube(), 0.05), Shape::new(&flat, 0.05)];
    let bare = Shape::bare(&cube(), 0.05);
    let mesh = |shape: &Shape| dem_placed { kind: DEM_KIND_MESH, shape: shape.handle(), ..POINT };
    let mut cones = vec![[7.0; 4]; 32];
    let ask = |cones: &mut [[f64; 4]], body: &dem_placed| {
        let mut error = dem_error::default();
        let to = cones.as_mut_ptr().cast();
        // SAFETY: there is as much as is said.
        unsafe { dem_patch_cones(to, cones.len(), body, 1e-6, &mut error) };
        (error.code, error.argument)
    };
    assert_eq!(ask(&mut cones[..31], &mesh(&shapes[1])), (DEM_ERROR_CAPACITY, What::Output as u32));
    assert_eq!(ask(&mut cones, &mesh(&bare)), (DEM_ERROR_UNSUPPORTED, What::CellsA as u32));
    assert_eq!(ask(&mut cones, &mesh(&shapes[1])), (DEM_OK, 0));
    assert_eq!(cones[0], [0.0, 0.0, 1.0, 1.0]);
    assert!(cones[1..].iter().all(|c| *c == [0.0; 4]));
    // The same as the second part of a compound, on its side.
    let root = f64::sqrt(0.5);
    let pose = dem_pose { orientation: [0.0, root, 0.0, root], ..IDENTITY };
    let parts = [dem_placed { radius: 1.0, ..POINT }, dem_placed { pose, scale: 3.0, ..mesh(&shapes[1]) }];
    let compound = dem_compound { parts: parts.as_ptr(), count: 2, ..Input::DEFAULT };
    let body = dem_placed { kind: DEM_KIND_COMPOUND, shape: (&raw const compound).cast(), ..POINT };
    let mut of_compound = vec![[7.0; 4]; 34];
    assert_eq!(ask(&mut of_compound[..32], &body), (DEM_ERROR_CAPACITY, What::Output as u32));
    assert_eq!(ask(&mut of_compound, &body), (DEM_OK, 0));
    let [x, y, z, cosine] = of_compound[1];
    assert!((x - 1.0).abs() < 1e-15 && y.abs() < 1e-15 && z.abs() < 1e-15 && cosine == 1.0);
    assert!(of_compound[0] == [0.0; 4] && of_compound[2..33].iter().all(|c| *c == [0.0; 4]));
    assert_eq!(of_compound[33], [7.0; 4]);
    let wrong = [parts[0], mesh(&bare)];
    let compound = dem_compound { parts: wrong.as_ptr(), count: 2, ..Input::DEFAULT };
    let body = dem_placed { shape: (&raw const compound).cast(), ..body };
    assert_eq!(ask(&mut of_compound, &body), (DEM_ERROR_UNSUPPORTED, What::CellsA as u32));
    // SAFETY: refused before anything is written.
    let over = unsafe {
        let to = (&raw const compound).cast_mut().cast();
        dem_patch_cones(to, 1, &body, 1e-6, core::ptr::null_mut())
    };
    assert_eq!(over, DEM_ERROR_OVERLAP);
    let leaning = dem_contact { normal: [0.6, 0.0, 0.8], area: 2.0, share: 0.75, ..dem_contact::default() };
    let mut list = [leaning, dem_contact { key: [0, 5 << 32], share: 0.25, area: 1.0, ..leaning }];
    let areas: Vec<_> = list.iter().map(|c| c.area).collect();
    let clamp = |list: &mut [dem_contact], which: u32| {
        let (to, count, from) = (list.as_mut_ptr(), list.len(), cones.as_ptr().cast());
        // SAFETY: there is as much as is said.
        unsafe { dem_contact_clamp(to, count, 0, from, 32, &IDENTITY, which, core::ptr::null_mut()) }
    };
    assert_eq!(clamp(&mut list, 2), DEM_ERROR_OUT_OF_RANGE);
    assert_eq!(clamp(&mut list, DEM_BODY_B), DEM_OK);
    for (c, area) in list.iter().zip(areas) {
        assert!(c.normal == [0.0, 0.0, 1.0] && (c.area - 0.8 * area).abs() < 1e-15);
    }
    assert!((list.iter().map(|c| c.share).sum::<f64>() - 1.0).abs() < 1e-12);
}
