//! Tests of kinds of bodies, growing scratch and refusals, and of contacts against those of the core.

use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use super::*;
use crate::errors::*;
use crate::inputs::Input;
use crate::placed::*;
use crate::tasks::{ALONE, dem_lane, dem_tasks};
use crate::testing::{Shape as Mesh, cube, placed_contacts, scratch_of, sheet, try_placed_contacts};

const NULL: *mut c_void = core::ptr::null_mut();

struct Owned {
    shape: Mesh,
}

fn owned(triangles: &[[[f64; 3]; 3]], halo: f64) -> Owned {
    Owned { shape: Mesh::new(triangles, halo) }
}

fn mesh(of: &Owned) -> dem_placed {
    dem_placed { kind: DEM_KIND_MESH, solid: 1, shape: of.shape.handle(), ..POINT }
}

fn sphere(radius: f64, halo: f64) -> dem_placed {
    dem_placed { radius, halo, ..POINT }
}

fn ground(halo: f64) -> dem_placed {
    dem_placed { kind: DEM_KIND_HALF_SPACE, halo, ..POINT }
}

fn at(position: [f64; 3], body: dem_placed) -> dem_placed {
    dem_placed { pose: dem_pose { position, ..IDENTITY }, ..body }
}

fn query(a: dem_placed, b: dem_placed) -> dem_placed_query {
    dem_placed_query { a, b, tag: 3, ..Input::DEFAULT }
}

/// Threads of a program: runs lanes from the last to the first, then lane 0 again, and counts lanes.
unsafe extern "C" fn backwards(user: *mut c_void, lanes: usize, lane: dem_lane, arg: *mut c_void) {
    // SAFETY: the test passes a counter.
    unsafe { &*user.cast::<AtomicUsize>() }.fetch_add(lanes, Relaxed);
    for i in (0..lanes).rev().chain([0]) {
        // SAFETY: the library passes these arguments.
        unsafe { lane.unwrap()(i, arg) };
    }
}

#[test]
fn threads_of_the_program_change_no_bit() {
    let [below, above] = [sheet(14), sheet(14)].map(|triangles| owned(&triangles, 0.05));
    let alone = query(at([0.01, 0.02, 0.04], mesh(&above)), mesh(&below));
    let expected = placed_contacts(&alone);
    assert!(expected.len() > 20, "{}", expected.len());
    let size = |query: &dem_placed_query| {
        let mut size = 0;
        // SAFETY: the query exists.
        assert_eq!(unsafe { dem_placed_contacts_scratch(&mut size, query, 0, 0, 0, NULL.cast()) }, DEM_OK);
        size
    };
    for lanes in [0, 1, 2, 1000] {
        let calls = AtomicUsize::new(0);
        let tasks = dem_tasks { run: Some(backwards), user: (&raw const calls).cast_mut().cast(), lanes, ..ALONE };
        let shared = dem_placed_query { tasks, ..alone };
        assert_eq!(size(&shared) > size(&alone), lanes > 1);
        assert_eq!(placed_contacts(&shared), expected, "{lanes}");
        assert_eq!(calls.into_inner() >= 2, lanes > 1, "they share the work");
        // A program with an older header, without tasks.
        let older = core::mem::offset_of!(dem_placed_query, tasks) as u32;
        let tasks = dem_tasks { reserved: 1, ..ALONE };
        assert_eq!(placed_contacts(&dem_placed_query { struct_size: older, tasks, ..alone }), expected);
        let (.., error) = try_placed_contacts(&dem_placed_query { tasks, ..alone }, 0, 0);
        assert_eq!((error.code, error.argument), (DEM_ERROR_OUT_OF_RANGE, What::Executor as u32));
    }
}

#[test]
fn every_kind_lies_on_every_other() {
    let (box_body, wall) = (owned(&cube(), 0.01), owned(&sheet(3), 0.01));
    // The cube's top is at z = 1, the sheet's highest point at 0.1, the other bodies are centred.
    let above = |height: f64, body| at([0.4, 0.45, height + 0.005], body);
    for (name, a, b) in [
        ("sphere on sphere", above(1.5, sphere(0.5, 0.01)), at([0.4, 0.45, 0.0], sphere(1.0, 0.01))),
        ("sphere on half-space", above(0.5, sphere(0.5, 0.01)), ground(0.01)),
        ("sphere on mesh", above(1.5, sphere(0.5, 0.01)), mesh(&box_body)),
        ("mesh on half-space", above(0.0, mesh(&box_body)), ground(0.01)),
        ("mesh on mesh", above(0.1, mesh(&box_body)), mesh(&wall)),
    ] {
        let found = placed_contacts(&query(a, b));
        let up: f64 = found.iter().map(|c| c.share * c.normal[2]).sum();
        assert!(!found.is_empty() && up > 0.9 && found.iter().all(|c| c.key[0] == 3), "{name}: {found:?}");
        let down: f64 = placed_contacts(&query(b, a)).iter().map(|c| c.share * c.normal[2]).sum();
        assert!((up + down).abs() < 1e-12, "{name}");
    }
    assert!(placed_contacts(&query(ground(1.0), ground(1.0))).is_empty());
    assert!(placed_contacts(&Input::DEFAULT).is_empty());
}

#[test]
fn a_scale_makes_a_body_larger() {
    let box_body = owned(&cube(), 0.01);
    let twice = |body| dem_placed { scale: 2.0, ..body };
    let small = placed_contacts(&query(at([0.5, 0.5, 1.5], sphere(0.49, 0.01)), mesh(&box_body)));
    let large = placed_contacts(&query(at([1.0, 1.0, 3.0], twice(sphere(0.49, 0.01))), twice(mesh(&box_body))));
    assert_eq!((small.len(), large.len()), (1, 1));
    assert_eq!((4.0 * small[0].area, 2.0 * small[0].gap, small[0].key), (large[0].area, large[0].gap, large[0].key));
    // Two meshes, each with its own scale.
    let vertices: Vec<_> = cube().into_iter().map(|t| t.map(|v| v.map(|x| 2.0 * x))).collect();
    let double = owned(&vertices, 0.02);
    let above = |body| at([0.25, 0.5, 2.005], body);
    let instance = placed_contacts(&query(above(mesh(&box_body)), twice(mesh(&box_body))));
    assert!(!instance.is_empty());
    assert_eq!(instance, placed_contacts(&query(above(mesh(&box_body)), mesh(&double))));
}

#[test]
fn what_is_no_body_is_refused() {
    let body = owned(&cube(), 0.1);
    let good = query(at([0.5, 0.5, 1.2], sphere(0.15, 0.1)), mesh(&body));
    let mut size = 0;
    // SAFETY: all pointers are valid.
    assert_eq!(unsafe { dem_placed_contacts_scratch(&mut size, &good, 0, 9, 0, NULL.cast()) }, DEM_OK);
    let refused = |query: &dem_placed_query| {
        let (_, count, error) = try_placed_contacts(query, 9, size);
        assert!(error.code == DEM_OK || count == 0);
        (error.code, error.argument, error.component)
    };
    assert_eq!(refused(&good).0, DEM_OK);
    let of = |what: What| what as u32;
    for (a, wanted) in [
        (dem_placed { kind: 6, ..good.a }, (DEM_ERROR_OUT_OF_RANGE, of(What::ShapeA), 10)),
        (dem_placed { reserved: 1, ..good.a }, (DEM_ERROR_OUT_OF_RANGE, of(What::ShapeA), 12)),
        (dem_placed { solid: 2, ..good.a }, (DEM_ERROR_OUT_OF_RANGE, of(What::ShapeA), 11)),
        (dem_placed { radius: -1.0, ..good.a }, (DEM_ERROR_OUT_OF_RANGE, of(What::ShapeA), 0)),
        (dem_placed { halo: f64::NAN, ..good.a }, (DEM_ERROR_NOT_FINITE, of(What::ShapeA), 1)),
        (dem_placed { scale: 0.0, ..good.a }, (DEM_ERROR_OUT_OF_RANGE, of(What::ShapeA), 2)),
        (dem_placed { kind: DEM_KIND_MESH, ..good.a }, (DEM_ERROR_NULL, of(What::ShapeA), 16)),
    ] {
        assert_eq!(refused(&dem_placed_query { a, ..good }), wanted);
    }
    let bare = Mesh::bare(&sheet(2), 0.1);
    let b = dem_placed { shape: bare.handle(), ..good.b };
    assert_eq!(refused(&dem_placed_query { b, ..good }), (DEM_ERROR_UNSUPPORTED, of(What::CellsB), 0));
    assert_eq!(refused(&dem_placed_query { isa: 77, ..good }).1, of(What::Isa));
    // SAFETY: the call refuses its arguments before it touches any memory.
    unsafe {
        let inside = body.shape.handle().cast_mut().cast();
        let mut error = dem_error::default();
        dem_placed_contacts(NULL.cast(), 0, 0, NULL.cast(), &good, inside, size, &mut error);
        assert_eq!((error.code, error.argument), (DEM_ERROR_OVERLAP, of(What::Scratch)));
        dem_placed_contacts(NULL.cast(), 0, 0, NULL.cast(), core::ptr::null(), NULL, 0, &mut error);
        assert_eq!(error.code, DEM_ERROR_NULL);
    }
}

/// Calls the function: words of the list, their number, the error.
fn try_list(query: &dem_placed_query, margin: f64, capacity: usize, size: usize) -> (Vec<u64>, usize, dem_error) {
    let (mut list, mut scratch) = (vec![u64::MAX; capacity], vec![0x55u8; size]);
    let (mut count, mut error, to) = (99, dem_error::default(), scratch.as_mut_ptr().cast());
    // SAFETY: all memory has the size that is passed.
    let status =
        unsafe { dem_placed_list(list.as_mut_ptr(), capacity, &mut count, query, margin, to, size, &mut error) };
    assert_eq!(status, error.code);
    (list, count, error)
}

/// Makes a list as a program that begins without memory.
fn listed(query: &dem_placed_query, margin: f64) -> Vec<u64> {
    // SAFETY: all pointers are valid.
    let size = scratch_of(|to, size, error| unsafe {
        dem_placed_list(NULL.cast(), 0, NULL.cast(), query, margin, to, size, error)
    });
    let (_, count, error) = try_list(query, margin, 0, size);
    assert_eq!((error.code, error.argument), (DEM_ERROR_CAPACITY, DEM_ARGUMENT_LIST));
    assert_eq!((error.needed, error.given), (count as u64, 0));
    assert_eq!(try_list(query, margin, count - 1, size).2.code, DEM_ERROR_CAPACITY);
    let short = try_list(query, margin, count, size - 1).2;
    assert_eq!((short.code, short.argument, short.needed), (DEM_ERROR_CAPACITY, DEM_ARGUMENT_SCRATCH, size as u64));
    let (list, again, error) = try_list(query, margin, count, size);
    assert_eq!((again, error.code), (count, DEM_OK));
    list
}

fn with(list: &[u64], query: dem_placed_query) -> dem_placed_query {
    dem_placed_query { list: list.as_ptr(), list_count: list.len(), ..query }
}

#[test]
fn contacts_from_a_list_are_those_of_a_search_until_a_body_leaves_the_margin() {
    let (above, below) = (owned(&cube(), 0.02), owned(&sheet(6), 0.02));
    let parts = [mesh(&above), at([0.5, 0.5, 0.0], sphere(0.1, 0.02))];
    let compound = dem_compound { parts: parts.as_ptr(), count: 2, ..Input::DEFAULT };
    let compound = dem_placed { kind: DEM_KIND_COMPOUND, shape: (&raw const compound).cast(), ..POINT };
    for body in [mesh(&above), compound] {
        let here = |height: f64| query(at([0.01, 0.02, height], body), mesh(&below));
        let list = listed(&here(0.12), 0.05);
        let mut met = 0;
        for height in [0.071, 0.09, 0.12, 0.16] {
            let anew = placed_contacts(&here(height));
            assert_eq!(placed_contacts(&with(&list, here(height))), anew, "{height}");
            met += anew.len();
        }
        assert!(met > 20, "{met}");
        let (_, count, error) = try_placed_contacts(&with(&list, here(0.069)), 99, 1 << 22);
        assert_eq!((error.code, error.argument, count), (DEM_ERROR_OUT_OF_RANGE, DEM_ARGUMENT_LIST, 0));
        // A program with an older header, without lists, has other bytes at this place.
        let older = core::mem::offset_of!(dem_placed_query, list) as u32;
        let older = dem_placed_query { struct_size: older, ..with(&list[..3], here(0.069)) };
        assert_eq!(placed_contacts(&older), placed_contacts(&here(0.069)));
    }
}

#[test]
fn what_is_no_list_of_these_bodies_is_refused() {
    let (a, b) = (owned(&cube(), 0.05), owned(&sheet(3), 0.05));
    let good = query(at([0.1, 0.1, 0.12], mesh(&a)), mesh(&b));
    let list = listed(&good, 0.1);
    let size = 1 << 22;
    let refused = |query: &dem_placed_query| {
        let (_, _, error) = try_placed_contacts(query, 99, size);
        (error.code, error.argument)
    };
    let is = |code| (code, DEM_ARGUMENT_LIST);
    assert_eq!(refused(&with(&list, good)).0, DEM_OK);
    assert_eq!(refused(&with(&list, query(good.b, good.a))), is(DEM_ERROR_MISMATCH));
    assert_eq!(refused(&with(&list[..list.len() - 1], good)), is(DEM_ERROR_DAMAGED));
    assert_eq!(refused(&with(&list[..0], good)), is(DEM_ERROR_DAMAGED));
    assert_eq!(refused(&dem_placed_query { list: core::ptr::null(), ..with(&list, good) }), is(DEM_ERROR_NULL));
    let odd = list.as_ptr().wrapping_byte_add(4);
    assert_eq!(refused(&dem_placed_query { list: odd, ..with(&list[1..], good) }), is(DEM_ERROR_MISALIGNED));
    for margin in [-1.0, f64::NAN] {
        assert_eq!(try_list(&good, margin, list.len(), size).2.argument, What::Margin as u32);
    }
    let query = with(&list, good);
    let mut error = dem_error::default();
    // SAFETY: the call refuses its arguments before it touches any memory.
    unsafe {
        let inside = list.as_ptr().cast_mut();
        let mut call = |to: *mut dem_contact, scratch: *mut c_void, size| {
            dem_placed_contacts(to, usize::from(!to.is_null()), 0, NULL.cast(), &query, scratch, size, &mut error);
            (error.code, error.argument)
        };
        assert_eq!(call(NULL.cast(), inside.cast(), 64), (DEM_ERROR_OVERLAP, DEM_ARGUMENT_SCRATCH));
        assert_eq!(call(inside.cast(), NULL, 0), (DEM_ERROR_OVERLAP, DEM_ARGUMENT_OUTPUT));
        let on_shape = a.shape.handle().cast_mut().cast();
        dem_placed_list(on_shape, 9, NULL.cast(), &good, 0.1, NULL, 0, &mut error);
        assert_eq!((error.code, error.argument), (DEM_ERROR_OVERLAP, DEM_ARGUMENT_LIST));
        dem_placed_list(NULL.cast(), 9, NULL.cast(), &good, 0.1, NULL, 0, &mut error);
        assert_eq!((error.code, error.argument), (DEM_ERROR_NULL, DEM_ARGUMENT_LIST));
    }
}
