//! Tests of arguments, growth and records of corners and clamps. The core tests their results.

use super::*;
use crate::body_contacts::DEM_CONTACT_SURFACE;
use crate::errors::*;
use crate::inputs::Input;
use crate::pair_contacts::dem_placed_contacts;
use crate::placed::{DEM_KIND_COMPOUND, DEM_KIND_MESH, DEM_KIND_SPHERE, dem_compound, dem_placed};
use crate::testing::{Shape, cube, sheet};

const NULL: *mut c_void = core::ptr::null_mut();

struct Scene {
    shapes: [Shape; 2],
}

impl Scene {
    /// A cube with its base 0.05 above a flat sheet.
    fn new() -> Scene {
        let flat: Vec<_> = sheet(4).iter().map(|t| t.map(|[x, y, _]| [4.0 * x - 1.5, 4.0 * y - 1.5, -0.05])).collect();
        let shapes = [Shape::new(&cube(), 0.05), Shape::new(&flat, 0.05)];
        Scene { shapes }
    }

    fn query(&self) -> dem_placed_query {
        let placed = |i: usize| dem_placed {
            kind: DEM_KIND_MESH,
            shape: self.shapes[i].handle(),
            ..<dem_placed_query as Input>::DEFAULT.a
        };
        dem_placed_query { a: placed(0), b: placed(1), ..Input::DEFAULT }
    }
}

fn contacts(query: &dem_placed_query) -> Vec<dem_contact> {
    let (mut found, mut count) = (vec![dem_contact::default(); 64], 0);
    let mut scratch = vec![0u8; 1 << 21];
    // SAFETY: all memory has the size that is passed.
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
    // SAFETY: all memory has the size that is passed.
    unsafe {
        let (to, start) = (found.as_mut_ptr(), scratch.as_mut_ptr().cast());
        let (from, length) = (list.as_ptr(), list.len());
        dem_contact_corners(
            to,
            capacity,
            0,
            &mut count,
            from,
            length,
            0,
            query,
            most,
            start,
            scratch.len(),
            &mut error,
        );
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
        let (error, found, count) = corners(&query, &list, (capacity, usize::MAX), &mut scratch);
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
    // SAFETY: both pointers are valid.
    assert_eq!(unsafe { dem_contact_corners_scratch(&mut needed, &query, 0, NULL.cast()) }, DEM_OK);
    let mut scratch = vec![0u8; needed];
    let (error, few, count) = corners(&query, &list, (found.len(), 1), &mut scratch);
    assert_eq!((error.code, count), (DEM_OK, list.len()));
    assert!(few[..count].iter().all(|c| c.order == 0));
    // Records of another size.
    let (mut wide, mut count, stride) = (vec![[0u64; 9]; found.len()], 0, 72);
    // SAFETY: all memory has the size that is passed.
    let status = unsafe {
        let (to, from, start) = (wide.as_mut_ptr().cast(), list.as_ptr(), scratch.as_mut_ptr().cast());
        let room = scratch.len();
        dem_contact_corners(
            to,
            found.len(),
            stride,
            &mut count,
            from,
            list.len(),
            0,
            &query,
            0,
            start,
            room,
            NULL.cast(),
        )
    };
    assert_eq!((status, count), (DEM_OK, found.len()));
    for (w, c) in wide.iter().zip(&found) {
        assert!(w[3] == c.gap.to_bits() && w[4] as u32 == c.contact && (w[4] >> 32) as u32 == c.order);
        assert!([w[5], w[6]] == c.features && w[7] == c.gap_error.to_bits() && w[8] == 0);
    }
}

/// Two cubes side by side on two sheets, as one body each.
#[test]
fn parts_of_compounds_have_the_corners_that_they_have_by_themselves() {
    let scene = Scene::new();
    let query = scene.query();
    let beside = |body: dem_placed, x: f64| {
        let mut moved = body;
        moved.pose.position[0] += x;
        moved
    };
    let point = <dem_placed_query as Input>::DEFAULT.a;
    let cubes = [beside(query.a, -10.0), dem_placed { radius: 0.1, ..beside(point, 50.0) }, beside(query.a, 10.0)];
    let sheets = [beside(query.b, -10.0), beside(query.b, 10.0)];
    let compounds = [&cubes[..], &sheets[..]].map(|parts| dem_compound {
        parts: parts.as_ptr(),
        count: parts.len(),
        ..Input::DEFAULT
    });
    let [a, b] =
        compounds.each_ref().map(|c| dem_placed { kind: DEM_KIND_COMPOUND, shape: (&raw const *c).cast(), ..point });
    let whole = dem_placed_query { a, b, ..query };
    let (list, own) = (contacts(&whole), contacts(&query));
    assert_eq!(list.len(), 2 * own.len());
    let mut needed = 0;
    // SAFETY: both pointers are valid.
    assert_eq!(unsafe { dem_contact_corners_scratch(&mut needed, &whole, 0, NULL.cast()) }, DEM_OK);
    let mut scratch = vec![0x55u8; needed];
    let (error, found, count) = corners(&whole, &list, (64, usize::MAX), &mut scratch);
    assert_eq!(error.code, DEM_OK);
    let (_, expected, once) = corners(&query, &own, (64, usize::MAX), &mut scratch);
    assert_eq!(count, 2 * once);
    for (k, x) in [-10.0, 10.0].into_iter().enumerate() {
        for (c, e) in found[k * once..][..once].iter().zip(&expected) {
            assert_eq!((c.contact as usize, c.order), (e.contact as usize + k * own.len(), e.order));
            let [p, q] = [c.position, e.position];
            let apart = (p[0] - q[0] - x).abs() + (p[1] - q[1]).abs() + (p[2] - q[2]).abs();
            assert!(apart < 1e-12 && (c.gap - e.gap).abs() < 1e-12, "{c:?} {e:?}");
        }
    }
    // Scratch that grows from nothing.
    let (mut scratch, mut rounds) = (Vec::new(), 0);
    while corners(&whole, &list, (64, usize::MAX), &mut scratch).0.code == DEM_ERROR_CAPACITY {
        let (error, ..) = corners(&whole, &list, (64, usize::MAX), &mut scratch);
        scratch = vec![0x55u8; error.needed as usize];
        rounds += 1;
        assert!(rounds < 4);
    }
    assert_eq!(corners(&whole, &list, (64, usize::MAX), &mut scratch).2, count);
}

#[test]
fn what_is_wrong_is_named() {
    let scene = Scene::new();
    let query = scene.query();
    let mut list = contacts(&query);
    let mut scratch = vec![0u8; 1 << 20];
    list.push(list[0]);
    let (error, ..) = corners(&query, &list, (99, usize::MAX), &mut scratch);
    let expected = (DEM_ERROR_OUT_OF_RANGE, What::Contacts as u32, list.len() as u64 - 1);
    assert_eq!((error.code, error.argument, error.index), expected);
    let of_ball = dem_placed { kind: DEM_KIND_SPHERE, radius: 0.5, halo: 0.1, ..query.a };
    let ball = dem_placed_query { a: of_ball, ..query };
    let (error, found, count) = corners(&ball, &contacts(&ball), (9, usize::MAX), &mut scratch);
    assert_eq!((error.code, count, found[0].order), (DEM_OK, contacts(&ball).len(), 0));
    let (error, ..) = corners(&dem_placed_query { isa: 77, ..query }, &[], (9, usize::MAX), &mut scratch);
    assert!(error.code == DEM_ERROR_UNSUPPORTED || error.code == DEM_ERROR_OUT_OF_RANGE);
}
