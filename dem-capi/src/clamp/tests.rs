//! Arguments of cones and clamps; what they are is tested over the core.

use super::*;
use crate::errors::*;
use crate::inputs::Input;
use crate::queries::IDENTITY;
use crate::testing::{CellsOf, Shape, cube, sheet};

#[test]
fn cones_are_for_the_shape_and_clamped_contacts_are_in_them() {
    let flat: Vec<_> = sheet(4).iter().map(|t| t.map(|[x, y, _]| [x, y, 0.0])).collect();
    let shapes = [Shape::new(&cube(), 0.05), Shape::new(&flat, 0.05)];
    let of = [CellsOf::new(&shapes[0]), CellsOf::new(&shapes[1])];
    let desc = dem_cells_desc { shape: shapes[1].handle(), ..Input::DEFAULT };
    let mut cones = vec![[7.0; 4]; 32];
    let ask = |cones: &mut [[f64; 4]], cells: usize| {
        let mut error = dem_error::default();
        let (to, cells) = (cones.as_mut_ptr().cast(), of[cells].handle());
        // SAFETY: there is as much as is said.
        unsafe { dem_patch_cones(to, cones.len(), cells, &desc, &mut error) };
        (error.code, error.argument)
    };
    assert_eq!(ask(&mut cones[..31], 1), (DEM_ERROR_CAPACITY, What::Output as u32));
    assert_eq!(ask(&mut cones, 0), (DEM_ERROR_MISMATCH, What::Cells as u32));
    assert_eq!(ask(&mut cones, 1), (DEM_OK, 0));
    assert_eq!(cones[0], [0.0, 0.0, 1.0, 1.0]);
    assert!(cones[1..].iter().all(|c| *c == [0.0; 4]));
    let leaning = dem_contact { normal: [0.6, 0.0, 0.8], area: 2.0, share: 0.75, ..dem_contact::default() };
    let mut list = [leaning, dem_contact { key: [0, 5 << 32], share: 0.25, area: 1.0, ..leaning }];
    let areas: Vec<_> = list.iter().map(|c| c.area).collect();
    let clamp = |list: &mut [dem_contact], which: u32| {
        let (to, count, from) = (list.as_mut_ptr(), list.len(), cones.as_ptr().cast());
        // SAFETY: there is as much as is said.
        unsafe { dem_contact_clamp(to, count, which, from, 32, &IDENTITY, core::ptr::null_mut()) }
    };
    assert_eq!(clamp(&mut list, 2), DEM_ERROR_OUT_OF_RANGE);
    assert_eq!(clamp(&mut list, DEM_BODY_B), DEM_OK);
    for (c, area) in list.iter().zip(areas) {
        assert!(c.normal == [0.0, 0.0, 1.0] && (c.area - 0.8 * area).abs() < 1e-15);
    }
    assert!((list.iter().map(|c| c.share).sum::<f64>() - 1.0).abs() < 1e-12);
}
