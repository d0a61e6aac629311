//! Arguments, growth and records of corners and clamps; what they are is tested over the core.

use super::*;
use crate::body_contacts::DEM_CONTACT_SURFACE;
use crate::errors::*;
use crate::inputs::Input;
use crate::placed::{DEM_KIND_MESH, DEM_KIND_SPHERE, dem_placed, dem_placed_contacts};
use crate::testing::{CellsOf, Shape, cube, sheet};

const NULL: *mut c_void = core::ptr::null_mut();

struct Scene {
    shapes: [Shape; 2],
    cells: [CellsOf; 2],
}

impl Scene {
    /// A cube with its base 0.05 above a flat sheet.
    fn new() -> Scene {
        let flat: Vec<_> = sheet(4).iter().map(|t| t.map(|[x, y, _]| [4.0 * x - 1.5, 4.0 * y - 1.5, -0.05])).collect();
        let shapes = [Shape::new(&cube(), 0.05), Shape::new(&flat, 0.05)];
        let cells = [CellsOf::new(&shapes[0]), CellsOf::new(&shapes[1])];
        Scene { shapes, cells }
    }

    fn query(&self) -> dem_placed_query {
        let placed = |i: usize| dem_placed {
            kind: DEM_KIND_MESH,
            shape: self.shapes[i].handle(),
            cells: self.cells[i].handle(),
            ..<dem_placed_query as Input>::DEFAULT.a
        };
        dem_placed_query { a: placed(0), b: placed(1), ..Input::DEFAULT }
    }
}

fn contacts(query: &dem_placed_query) -> Vec<dem_contact> {
    let (mut found, mut count) = (vec![dem_contact::default(); 64], 0);
    let mut scratch = vec![0u8; 1 << 21];
    // SAFETY: there is as much as is said.
    let status = unsafe {
        let start = scratch.as_mut_ptr().cast();
        dem_placed_contacts(found.as_mut_ptr(), 64, 0, &mut count, query, start, scratch.len(), NULL.cast())
    };
    assert_eq!(status, DEM_OK);
    found.truncate(count);
    found
}

fn corners(
    query: &dem_placed_query,
    list: &[dem_contact],
    (capacity, most): (usize, usize),
    scratch: &mut [u8],
) -> (dem_error, Vec<dem_contact_corner>, usize) {
    let (mut found, mut count, mut error) = (vec![dem_contact_corner::default(); capacity], 99, dem_error::default());
    // SAFETY: there is as much as is said.
    unsafe {
        let (to, start) = (found.as_mut_ptr(), scratch.as_mut_ptr().cast());
        let (from, length) = (list.as_ptr(), list.len());
        dem_contact_corners(to, capacity, 0, &mut count, from, length, most, query, start, scratch.len(), &mut error);
    }
    (error, found, count)
}

#[test]
fn memory_grows_to_what_is_needed_and_most_is_kept_to() {
    let scene = Scene::new();
    let query = scene.query();
    let list = contacts(&query);
    let (mut scratch, mut capacity, mut rounds) = (Vec::new(), 0, 0);
    let found = loop {
        rounds += 1;
        let (error, found, count) = corners(&query, &list, (capacity, 0), &mut scratch);
        match (error.code, error.argument) {
            (DEM_OK, _) => break found,
            (DEM_ERROR_CAPACITY, what) if what == What::Output as u32 => {
                assert_eq!(count as u64, error.needed);
                capacity = count;
            }
            (code, what) => {
                assert_eq!((code, what, count), (DEM_ERROR_CAPACITY, What::Scratch as u32, 0));
                scratch = vec![0x55; error.needed as usize];
            }
        }
        assert!(rounds < 6);
    };
    assert!(list.iter().all(|c| c.kind == DEM_CONTACT_SURFACE));
    let base = (0..list.len()).max_by(|i, j| list[*i].share.total_cmp(&list[*j].share)).unwrap();
    let own: Vec<_> = found.iter().filter(|c| c.contact as usize == base).collect();
    assert!(own.len() == 4 && own.iter().all(|c| (c.gap - 0.05).abs() < 1e-12));
    let mut needed = 0;
    // SAFETY: both are there.
    assert_eq!(unsafe { dem_contact_corners_scratch(&mut needed, &query, 0, NULL.cast()) }, DEM_OK);
    let mut scratch = vec![0u8; needed];
    let (error, few, count) = corners(&query, &list, (found.len(), 1), &mut scratch);
    assert_eq!((error.code, count), (DEM_OK, list.len()));
    assert!(few[..count].iter().all(|c| c.order == 0));
    // Records of another size.
    let (mut wide, mut count, stride) = (vec![[0u64; 7]; found.len()], 0, 56);
    // SAFETY: there is as much as is said.
    let status = unsafe {
        let (to, from, start) = (wide.as_mut_ptr().cast(), list.as_ptr(), scratch.as_mut_ptr().cast());
        let room = scratch.len();
        dem_contact_corners(to, found.len(), stride, &mut count, from, list.len(), 0, &query, start, room, NULL.cast())
    };
    assert_eq!((status, count), (DEM_OK, found.len()));
    for (w, c) in wide.iter().zip(&found) {
        assert!(w[3] == c.gap.to_bits() && w[4] as u32 == c.contact && (w[4] >> 32) as u32 == c.order && w[5] == 0);
    }
}

#[test]
fn what_is_wrong_is_named() {
    let scene = Scene::new();
    let query = scene.query();
    let mut list = contacts(&query);
    let mut scratch = vec![0u8; 1 << 20];
    list.push(list[0]);
    let (error, ..) = corners(&query, &list, (99, 0), &mut scratch);
    let expected = (DEM_ERROR_OUT_OF_RANGE, What::Contacts as u32, list.len() as u64 - 1);
    assert_eq!((error.code, error.argument, error.index), expected);
    let of_ball = dem_placed { kind: DEM_KIND_SPHERE, radius: 0.5, halo: 0.1, ..query.a };
    let ball = dem_placed_query { a: of_ball, ..query };
    let (error, found, count) = corners(&ball, &contacts(&ball), (9, 0), &mut scratch);
    assert_eq!((error.code, count, found[0].order), (DEM_OK, contacts(&ball).len(), 0));
    let (error, ..) = corners(&dem_placed_query { isa: 77, ..query }, &[], (9, 0), &mut scratch);
    assert!(error.code == DEM_ERROR_UNSUPPORTED || error.code == DEM_ERROR_OUT_OF_RANGE);
}
