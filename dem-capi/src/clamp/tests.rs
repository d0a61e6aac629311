//! Tests of the arguments of cones and clamps. The core tests their results.

use super::*;
use crate::detect::{DEM_GROUPING_PATCHES, dem_scene_query};
use crate::errors::*;
use crate::grow::dem_scene_step;
use crate::grow::tests::Heap;
use crate::inputs::Input;
use crate::pair_contacts::dem_placed_query;
use crate::placed::IDENTITY;
use crate::placed::{DEM_KIND_COMPOUND, DEM_KIND_MESH, POINT, dem_compound};
use crate::scenes::{dem_scene_contacts, dem_scene_view};
use crate::testing::{Shape, cube, placed_contacts, sheet, vectors};

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
        // SAFETY: all memory has the size that is passed.
        unsafe { dem_patch_cones(to, cones.len(), body, 1e-6, &mut error) };
        (error.code, error.argument)
    };
    assert_eq!(ask(&mut cones[..31], &mesh(&shapes[1])), (DEM_ERROR_CAPACITY, What::Output as u32));
    assert_eq!(ask(&mut cones, &mesh(&bare)), (DEM_ERROR_UNSUPPORTED, What::Cells as u32));
    assert_eq!(ask(&mut cones, &mesh(&shapes[1])), (DEM_OK, 0));
    assert_eq!(cones[0], [0.0, 0.0, 1.0, 1.0]);
    assert!(cones[1..].iter().all(|c| *c == [0.0; 4]));
    // The same mesh as the second part of a compound, lying on its side.
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
    assert_eq!(ask(&mut of_compound, &body), (DEM_ERROR_UNSUPPORTED, What::Cells as u32));
    // SAFETY: the call refuses its arguments before it writes.
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
        // SAFETY: all memory has the size that is passed.
        unsafe { dem_contact_clamp(to, count, 0, from, 32, &IDENTITY, which, core::ptr::null_mut()) }
    };
    assert_eq!(clamp(&mut list, 2), DEM_ERROR_OUT_OF_RANGE);
    assert_eq!(clamp(&mut list, DEM_BODY_B), DEM_OK);
    for (c, area) in list.iter().zip(areas) {
        assert!(c.normal == [0.0, 0.0, 1.0] && (c.area - 0.8 * area).abs() < 1e-15);
    }
    assert!((list.iter().map(|c| c.share).sum::<f64>() - 1.0).abs() < 1e-12);
}

#[test]
fn contacts_of_a_scene_by_patches_are_clamped_as_those_of_two_bodies() {
    let shapes = [Shape::new(&cube(), 0.05), Shape::new(&sheet(6), 0.05)];
    let [box_, ground] = [0, 1].map(|i| dem_placed { kind: DEM_KIND_MESH, shape: shapes[i].handle(), ..POINT });
    let positions = [[0.1, 0.2, 0.1], [0.0; 3]];
    let (table, which) = ([box_, ground], [0u32, 1]);
    let query = dem_scene_query {
        shapes: table.as_ptr(),
        shape_count: 2,
        grouping: DEM_GROUPING_PATCHES as usize,
        positions: vectors(&positions),
        shape_of: crate::arrays::dem_array {
            data: which.as_ptr().cast(),
            count: 2,
            r#type: crate::arrays::DEM_U32,
            ..crate::arrays::NO_ARRAY
        },
        ..Input::DEFAULT
    };
    let mut heap = Heap::new();
    let mut block = heap.block();
    let mut view = core::mem::MaybeUninit::<dem_scene_contacts>::uninit();
    // SAFETY: all memory has the size that is passed.
    let of_scene = unsafe {
        let none = core::ptr::null_mut::<dem_error>();
        assert_eq!(dem_scene_step(&mut block, none.cast(), 0, &query, none), DEM_OK);
        let size = size_of::<dem_scene_contacts>();
        assert_eq!(dem_scene_view(view.as_mut_ptr(), size, block.start.cast(), none), DEM_OK);
        let view = view.assume_init();
        core::slice::from_raw_parts(view.contacts, view.count).to_vec()
    };
    let at = |body: dem_placed, position| dem_placed { pose: dem_pose { position, ..IDENTITY }, ..body };
    let pair = dem_placed_query { a: at(box_, positions[0]), b: at(ground, positions[1]), ..Input::DEFAULT };
    let of_pair = placed_contacts(&pair);
    assert!(of_pair.len() > 3 && of_pair == of_scene, "{} {}", of_pair.len(), of_scene.len());
    let mut cones = [[0.0f64; 4]; 72];
    // SAFETY: all memory has the size that is passed.
    let clamped = unsafe {
        assert_eq!(dem_patch_cones(cones.as_mut_ptr().cast(), 72, &ground, 1e-6, core::ptr::null_mut()), DEM_OK);
        [of_pair.clone(), of_scene].map(|mut list| {
            let (to, count, from) = (list.as_mut_ptr(), list.len(), cones.as_ptr().cast());
            assert_eq!(dem_contact_clamp(to, count, 0, from, 72, &IDENTITY, DEM_BODY_B, core::ptr::null_mut()), DEM_OK);
            list
        })
    };
    assert!(clamped[0] == clamped[1] && clamped[0] != of_pair);
}
