//! Tests of arguments, growth and limits. The core tests the corners.

use super::*;
use crate::arrays::{DEM_U32, dem_array};
use crate::body_contacts::dem_contact;
use crate::detect::{dem_scene_counts, dem_scene_detect};
use crate::errors::*;
use crate::inputs::Input;
use crate::placed::{DEM_KIND_HALF_SPACE, DEM_KIND_MESH, POINT, dem_placed};
use crate::scenes::*;
use crate::testing::{Line, Shape, cube, scratch_of, vectors};

const KINDS: [u32; 3] = [1, 0, 0];
const POSITIONS: [[f64; 3]; 3] = [[0.0; 3], [0.0, 0.0, 0.03], [1.04, 0.0, 0.02]];

/// Two cubes side by side on a half-space.
struct Floor {
    _mesh: Shape,
    shapes: Vec<dem_placed>,
    scene: Vec<Line>,
}

impl Floor {
    fn new() -> Floor {
        let mesh = Shape::new(&cube(), 0.05);
        let body = dem_placed { kind: DEM_KIND_MESH, solid: 1, shape: mesh.handle(), ..POINT };
        let ground = dem_placed { kind: DEM_KIND_HALF_SPACE, halo: 0.05, ..POINT };
        let mut floor = Floor { _mesh: mesh, shapes: vec![body, ground], scene: Vec::new() };
        let desc = dem_scene_desc { bodies: 3, ..Input::DEFAULT };
        let query = floor.query();
        let (mut size, mut scene, mut counts) = (0, core::ptr::null_mut(), dem_scene_counts::default());
        let null = core::ptr::null_mut();
        // SAFETY: all memory has the size that is passed.
        unsafe {
            assert_eq!(dem_scene_layout(&mut size, null, &desc, null.cast()), DEM_OK);
            floor.scene = vec![Line([0; 64]); size / 64];
            let start = floor.scene.as_mut_ptr().cast();
            assert_eq!(dem_scene_init(start, size, &mut scene, &desc, null.cast()), DEM_OK);
            size = scratch_of(|to, size, error| dem_scene_detect(scene, null.cast(), 0, &query, to, size, error));
            let mut scratch = vec![0u8; size];
            let (to, room) = (scratch.as_mut_ptr().cast(), size_of_val(&counts));
            assert_eq!(dem_scene_detect(scene, &mut counts, room, &query, to, size, null.cast()), DEM_OK);
        }
        assert_eq!(counts.pairs, 3);
        floor
    }

    fn query(&self) -> dem_scene_query {
        let (data, count) = (KINDS.as_ptr().cast(), KINDS.len());
        dem_scene_query {
            shapes: self.shapes.as_ptr(),
            shape_count: self.shapes.len(),
            positions: vectors(&POSITIONS),
            shape_of: dem_array { data, count, r#type: DEM_U32, ..crate::arrays::NO_ARRAY },
            ..Input::DEFAULT
        }
    }

    fn contacts(&mut self) -> &[dem_contact] {
        let mut view = core::mem::MaybeUninit::<dem_scene_contacts>::uninit();
        let size = size_of::<dem_scene_contacts>();
        // SAFETY: the struct exists, and all of it is written; the view tells the numbers of items.
        unsafe {
            let block = self.scene.as_mut_ptr().cast();
            assert_eq!(dem_scene_view(view.as_mut_ptr(), size, block, core::ptr::null_mut()), DEM_OK);
            let view = view.assume_init();
            core::slice::from_raw_parts(view.contacts, view.count)
        }
    }

    fn call(
        &mut self,
        query: &dem_scene_query,
        (capacity, most): (usize, usize),
        scratch: &mut [u8],
    ) -> (dem_error, Vec<dem_contact_corner>, usize) {
        let untouched = dem_contact_corner { gap: 77.0, ..Default::default() };
        let (mut found, mut count, mut error) = (vec![untouched; capacity], 99, dem_error::default());
        let (scene, to) = (self.scene.as_mut_ptr().cast(), found.as_mut_ptr());
        let (start, size) = (scratch.as_mut_ptr().cast(), scratch.len());
        // SAFETY: all memory has the size that is passed.
        unsafe { dem_scene_corners(scene, to, capacity, &mut count, query, most, start, size, &mut error) };
        assert!(error.code == DEM_OK || found.iter().all(|corner| *corner == untouched));
        (error, found, count)
    }

    /// Finds corners as a program that begins without memory, and counts its calls.
    fn corners(&mut self, most: usize) -> (Vec<dem_contact_corner>, usize, usize) {
        let (mut capacity, mut scratch) = (0, Vec::new());
        for rounds in 1.. {
            let query = self.query();
            let (error, found, count) = self.call(&query, (capacity, most), &mut scratch);
            match (error.code, error.argument) {
                (DEM_OK, _) => return (found, scratch.len(), rounds),
                (DEM_ERROR_CAPACITY, what) if what == What::Output as u32 => {
                    assert_eq!(count as u64, error.needed);
                    capacity = count;
                }
                (code, what) => {
                    assert_eq!((code, what, count), (DEM_ERROR_CAPACITY, What::Scratch as u32, 0));
                    assert!(error.needed as usize > scratch.len());
                    scratch = vec![0x55; error.needed as usize];
                }
            }
            assert!(rounds < 6);
        }
        unreachable!()
    }
}

#[test]
fn a_cube_on_a_floor_has_four_corners_unless_others_are_asked_for() {
    let mut floor = Floor::new();
    let contacts = floor.contacts().to_vec();
    let (found, _, rounds) = floor.corners(0);
    assert!(rounds <= 5, "{rounds}");
    for (i, contact) in contacts.iter().enumerate() {
        let own: Vec<_> = found.iter().filter(|c| c.contact as usize == i).collect();
        assert!((1..=4).contains(&own.len()) && own.iter().enumerate().all(|(k, c)| c.order as usize == k));
        if contact.normal[2].abs() > 0.999 {
            let least = contact.least_gap;
            assert!(own.len() == 4 && own.iter().all(|c| (c.gap - least).abs() < 1e-12), "{own:?} {contact:?}");
        }
    }
    assert_eq!(contacts.iter().filter(|contact| contact.normal[2].abs() > 0.999).count(), 2);
    assert!(found.is_sorted_by_key(|c| (c.contact, c.order)));
    assert_eq!(floor.corners(4).0, found);
    // `gap_error` depends on the number of corners, so it is not compared.
    let first = |list: &[dem_contact_corner], most: u32| -> Vec<dem_contact_corner> {
        let few = list.iter().filter(|c| c.order < most);
        few.map(|c| dem_contact_corner { gap_error: 0.0, ..*c }).collect()
    };
    let one = floor.corners(1).0;
    assert_eq!((one.len(), first(&one, 1)), (contacts.len(), first(&found, 1)));
    assert_eq!(first(&floor.corners(usize::MAX).0, 4), first(&found, 4));
}

#[test]
fn what_is_wrong_is_named_and_writes_nothing() {
    let mut floor = Floor::new();
    let (found, size, _) = floor.corners(0);
    let (query, room) = (floor.query(), (found.len(), 0));
    let mut scratch = vec![0x55; size];
    let (error, again, count) = floor.call(&query, room, &mut scratch);
    assert_eq!((error.code, again == found, count), (DEM_OK, true, found.len()));
    let code = |(error, _, count): (dem_error, Vec<dem_contact_corner>, usize)| (error.code, error.argument, count);
    // A step needs more scratch than corners. With less than corners need, the error tells how much is enough.
    let mut too_little = |n: &usize| floor.call(&query, room, &mut scratch[..size >> n]).0.code != DEM_OK;
    let n = (1..size.ilog2() as usize).find(&mut too_little).unwrap();
    let (error, ..) = floor.call(&query, room, &mut scratch[..size >> n]);
    let needed = error.needed as usize;
    assert!((error.code, error.argument) == (DEM_ERROR_CAPACITY, What::Scratch as u32) && needed < size);
    assert_eq!(floor.call(&query, room, &mut scratch[..needed]).1, found);
    let short = code(floor.call(&query, room, &mut scratch[..needed - 1]));
    assert_eq!(short, (DEM_ERROR_CAPACITY, What::Scratch as u32, 0));
    let short = code(floor.call(&query, (found.len() - 1, 0), &mut scratch));
    assert_eq!(short, (DEM_ERROR_CAPACITY, What::Output as u32, found.len()));
    // Room for one pair of triangles; then for as many as the error tells.
    let few = dem_scene_query { pairs: 1, ..query };
    let (error, ..) = floor.call(&few, room, &mut scratch);
    assert_eq!((error.code, error.argument), (DEM_ERROR_CAPACITY, What::Pairs as u32));
    let enough = dem_scene_query { pairs: error.needed as usize, ..query };
    assert_eq!(floor.call(&enough, room, &mut scratch).1, found);
    let fewer = dem_scene_query {
        positions: vectors(&POSITIONS[..2]),
        shape_of: dem_array { count: 2, ..query.shape_of },
        ..query
    };
    let (error, ..) = floor.call(&fewer, room, &mut scratch);
    assert_eq!((error.code, error.argument), (DEM_ERROR_MISMATCH, What::Positions as u32));
    let (scene, start) = (floor.scene.as_mut_ptr().cast(), scratch.as_mut_ptr());
    let null = core::ptr::null_mut();
    let refused = |to: *mut c_void, capacity, query: *const dem_scene_query| {
        let mut error = dem_error::default();
        // SAFETY: all memory has the size that is passed.
        unsafe { dem_scene_corners(scene, to.cast(), capacity, null, query, 0, start.cast(), size, &mut error) };
        (error.code, error.argument)
    };
    assert_eq!(refused(null.cast(), 1, &query), (DEM_ERROR_NULL, What::Output as u32));
    assert_eq!(refused(null.cast(), 0, core::ptr::null()).0, DEM_ERROR_NULL);
    assert_eq!(refused(scene.cast(), 1, &query), (DEM_ERROR_OVERLAP, What::Output as u32));
    let aligned = start.wrapping_add(start.align_offset(8));
    assert_eq!(refused(aligned.cast(), 1, &query), (DEM_ERROR_OVERLAP, What::Output as u32));
    // Nothing changed.
    assert_eq!(floor.call(&query, room, &mut scratch).1, found);
    // After a trial is abandoned, there are no corners.
    // SAFETY: the handle is that of a scene.
    assert_eq!(unsafe { dem_scene_abandon(floor.scene.as_mut_ptr().cast(), core::ptr::null_mut()) }, DEM_OK);
    assert_eq!(floor.call(&query, room, &mut scratch).2, found.len());
}
