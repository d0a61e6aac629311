//! Tests of reports, lists, sizes and refusals. The core tests which places are defects.

use super::*;
use crate::errors::*;
use crate::shapes::DEM_NO_ID;
use crate::shapes::dem_shape_desc;
use crate::testing::{Line, Shape, cube, scratch_of, vectors};

const _: () = assert!(DEM_NO_ID == mesh::NONE);

/// A cube with a hole (triangle 0 is missing), a copy of a triangle, a point, and a triangle the wrong way round.
fn broken() -> Shape {
    let mut triangles = cube().split_off(1);
    triangles[4].swap(1, 2);
    triangles.push(triangles[2]);
    triangles.push([[0.0; 3]; 3]);
    Shape::new(&triangles, 0.0)
}

fn needed(shape: *const dem_shape) -> usize {
    let (mut found, record, none) = (dem_report::default(), size_of::<dem_report>(), core::ptr::null());
    // SAFETY: all pointers are valid.
    scratch_of(|to, size, error| unsafe { dem_shape_inspect(&mut found, record, shape, none, to, size, error) })
}

fn report(shape: &Shape, options: *const dem_inspect_options, short: usize) -> (dem_report, dem_error) {
    let size = needed(shape.handle());
    let (mut scratch, mut found) = (vec![0x55u8; size], dem_report { triangles: 77, ..dem_report::default() });
    let (mut error, start) = (dem_error { code: 99, ..dem_error::default() }, scratch.as_mut_ptr().cast());
    let (record, handle) = (size_of::<dem_report>(), shape.handle());
    // SAFETY: all memory has the size that is passed.
    let status = unsafe { dem_shape_inspect(&mut found, record, handle, options, start, size - short, &mut error) };
    assert_eq!(status, error.code);
    (found, error)
}

/// Calls the function: records, their number, the error. The memory is one record longer than the capacity.
fn findings(shape: &Shape, defects: u32, capacity: usize) -> (Vec<dem_finding>, usize, dem_error) {
    let size = needed(shape.handle());
    let options = dem_inspect_options { defects, ..Input::DEFAULT };
    let untouched = dem_finding { defect: 99, ..dem_finding::default() };
    let (mut scratch, mut found, mut count) = (vec![0x55u8; size], vec![untouched; capacity + 1], 77);
    let (mut error, start) = (dem_error { code: 99, ..dem_error::default() }, scratch.as_mut_ptr().cast());
    let (to, handle) = (found.as_mut_ptr(), shape.handle());
    // SAFETY: all memory has the size that is passed.
    let status = unsafe { dem_shape_findings(to, capacity, 0, &mut count, handle, &options, start, size, &mut error) };
    assert_eq!(status, error.code);
    assert_eq!(found.pop(), Some(untouched));
    (found, count, error)
}

const DEFAULTS: *const dem_inspect_options = core::ptr::null();

#[test]
fn a_good_shape_has_nothing_but_works() {
    let shape = Shape::new(&cube(), 0.1);
    let (found, error) = report(&shape, DEFAULTS, 0);
    assert_eq!((error, found.triangles, found.vertices, found.positions), (dem_error::default(), 12, 36, 8));
    assert_eq!((found.edges, found.components, found.closed_components), (18, 1, 1));
    assert_eq!(found.works, DEM_WORKS_DISTANCES | DEM_WORKS_INSIDE | DEM_WORKS_MASS);
    let cube = cube();
    let [a, b] = found.thinnest.map(|i| cube[i as usize]);
    assert!((found.thickness - 1.0).abs() < 1e-12 && a != b, "{found:?}");
    // A sheet has no thickness.
    let (sheet, _) = report(&Shape::new(&cube[..1], 0.1), DEFAULTS, 0);
    assert_eq!((sheet.thickness, sheet.thinnest), (f64::INFINITY, [DEM_NO_ID; 2]));
    assert_eq!(findings(&shape, u32::MAX, 0), (vec![], 0, dem_error::default()));
}

#[test]
fn every_defect_is_counted_and_listed() {
    let shape = broken();
    let (found, _) = report(&shape, DEFAULTS, 0);
    assert_eq!((found.triangles, found.points, found.duplicates, found.reversed_triangles), (13, 1, 1, 1));
    assert_eq!((found.open_edges, found.open_loops, found.works), (3, 1, DEM_WORKS_DISTANCES));
    let (_, count, error) = findings(&shape, u32::MAX, 2);
    assert_eq!((error.code, error.argument), (DEM_ERROR_CAPACITY, What::Output as u32));
    assert_eq!((error.needed, error.given), (count as u64, 2));
    let (untouched, ..) = findings(&shape, u32::MAX, count - 1);
    assert!(untouched.iter().all(|f| f.defect == 99));
    let (all, again, error) = findings(&shape, u32::MAX, count);
    assert_eq!((again, error), (count, dem_error::default()));
    assert!(all.is_sorted_by_key(|f| (f.defect, f.item, f.side)));
    let some = |defect| all.iter().filter(move |f| f.defect == defect).copied().collect::<Vec<_>>();
    let finding = |defect, item, other| dem_finding { defect, item, side: DEM_NO_ID, other };
    assert_eq!(some(DEM_DEFECT_POINT), [finding(DEM_DEFECT_POINT, 12, DEM_NO_ID)]);
    assert_eq!(some(DEM_DEFECT_DUPLICATE), [finding(DEM_DEFECT_DUPLICATE, 11, 2)]);
    assert_eq!(some(DEM_DEFECT_REVERSED_TRIANGLE), [finding(DEM_DEFECT_REVERSED_TRIANGLE, 4, DEM_NO_ID)]);
    assert_eq!(some(DEM_DEFECT_OPEN_EDGE).len() as u64, found.open_edges);
    assert_eq!(some(DEM_DEFECT_INCONSISTENT_EDGE).len() as u64, 2 * found.inconsistent_edges);
    let bit = 1 << DEM_DEFECT_OPEN_EDGE;
    assert_eq!(findings(&shape, bit, 3), (some(DEM_DEFECT_OPEN_EDGE), 3, dem_error::default()));
}

#[test]
fn an_unused_vertex_and_an_older_programs_records() {
    let vertices = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [5.0; 3]];
    let list = [[0u32, 1, 2]];
    let triangles =
        crate::arrays::dem_indices { data: list.as_ptr().cast(), count: 1, ..dem_shape_desc::DEFAULT.triangles };
    let shape = Shape::described(&dem_shape_desc { vertices: vectors(&vertices), triangles, ..Input::DEFAULT });
    let (found, count, _) = findings(&shape, 1 << DEM_DEFECT_UNUSED_VERTEX, 1);
    assert_eq!((count, found[0].item, found[0].side), (1, 3, DEM_NO_ID));
    let (size, mut count) = (needed(shape.handle()), 0);
    let (mut scratch, mut records) = (vec![0x55u8; size], [[0xabu8; 11]; 5]);
    let (start, to, null) = (scratch.as_mut_ptr().cast(), records.as_mut_ptr().cast(), core::ptr::null_mut());
    // SAFETY: all memory has the size that is passed.
    unsafe {
        assert_eq!(dem_shape_findings(to, 5, 11, &mut count, shape.handle(), DEFAULTS, start, size, null), DEM_OK);
    }
    assert_eq!(count, 4);
    let whole = [DEM_DEFECT_OPEN_EDGE, 0, 0].map(u32::to_ne_bytes).concat();
    assert_eq!((&records[0][..], &records[4][..]), (&whole[..11], &[0xab; 11][..]));
}

#[test]
fn components_are_listed_by_their_first_triangle() {
    let mut triangles = cube();
    triangles.extend(cube().iter().map(|[a, b, c]| [*a, *c, *b].map(|p| p.map(|x| 2.0 * x + 7.0))));
    let shape = Shape::new(&triangles, 0.0);
    let (size, mut count) = (needed(shape.handle()), 0);
    let (mut scratch, mut found) = (vec![0x55u8; size], [dem_component::default(); 2]);
    let (start, to, null) = (scratch.as_mut_ptr().cast(), found.as_mut_ptr(), core::ptr::null_mut());
    let handle = shape.handle();
    // SAFETY: all memory has the size that is passed.
    unsafe {
        assert_eq!(dem_shape_components(to, 1, 0, &mut count, handle, DEFAULTS, start, size, null), DEM_ERROR_CAPACITY);
        assert_eq!((count, found), (2, [dem_component::default(); 2]));
        assert_eq!(dem_shape_components(to, 2, 0, &mut count, handle, DEFAULTS, start, size, null), DEM_OK);
    }
    let state = DEM_COMPONENT_CLOSED | DEM_COMPONENT_ORIENTABLE;
    let one = dem_component { volume: 1.0, area: 6.0, first: 0, triangles: 12, reversed: 0, state };
    assert_eq!(found[0], one);
    let inward = state | DEM_COMPONENT_INWARD;
    assert_eq!(found[1], dem_component { volume: -8.0, area: 24.0, first: 12, state: inward, ..one });
}

#[test]
fn mistakes_are_told_and_nothing_is_written() {
    let shape = Shape::new(&cube(), 0.0);
    let size = needed(shape.handle()) as u64;
    let good: dem_inspect_options = Input::DEFAULT;
    for (options, short, code, what, component) in [
        (dem_inspect_options { resolution: -1.0, ..good }, 0, DEM_ERROR_OUT_OF_RANGE, What::Resolution, 0),
        (dem_inspect_options { needle: f64::NAN, ..good }, 0, DEM_ERROR_OUT_OF_RANGE, What::Needle, 0),
        (dem_inspect_options { struct_size: 7, ..good }, 0, DEM_ERROR_BAD_SIZE, What::Options, 3),
        (good, 1, DEM_ERROR_CAPACITY, What::Scratch, 0),
    ] {
        let (found, error) = report(&shape, &options, short);
        assert_eq!((error.code, error.argument, error.component), (code, what as u32, component));
        assert_eq!(found.triangles, 77);
        assert!(short == 0 || (error.needed, error.given) == (size, size - 1));
    }
    let damaged = Shape(vec![Line([7; 64]); 4]);
    let null: *mut dem_error = core::ptr::null_mut();
    let mut memory = vec![0u64; 1 << 12];
    let start: *mut c_void = memory.as_mut_ptr().cast();
    let call = |to: *mut c_void, handle, scratch: *mut c_void| {
        // SAFETY: the pointers are valid, or refused before anything is written.
        unsafe { dem_shape_findings(to.cast(), 9, 0, null.cast(), handle, DEFAULTS, scratch, 1 << 14, null) }
    };
    let behind = start.wrapping_byte_add(9 * 16);
    let (handle, before) = (shape.handle(), shape.bytes().to_vec());
    assert_eq!(call(start, handle, behind), DEM_OK);
    assert_eq!(call(start.wrapping_byte_add(1), handle, behind), DEM_ERROR_OVERLAP);
    assert_eq!(call(null.cast(), handle, behind), DEM_ERROR_NULL);
    assert_eq!(call(start, null.cast(), behind), DEM_ERROR_NULL);
    assert_eq!(call(start, damaged.handle(), behind), DEM_ERROR_DAMAGED);
    assert_eq!(call(start, handle.wrapping_byte_add(4), behind), DEM_ERROR_MISALIGNED);
    assert_eq!(call(handle.cast_mut().cast(), handle, behind), DEM_ERROR_OVERLAP);
    assert_eq!(call(start, handle, handle.cast_mut().cast()), DEM_ERROR_OVERLAP);
    assert_eq!(shape.bytes(), before);
}
