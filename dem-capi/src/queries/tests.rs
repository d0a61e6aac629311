//! Tests of records, scratch and refusals, and of results against the pair kernel. The core tests results.

use super::*;
use crate::errors::*;
use crate::testing::{Line, Shape, scratch_of, sheet};

/// Bytes of a record.
const RECORD: usize = size_of::<dem_triangle_pair>();

/// Two sheets above each other, rotated by an eighth of a turn.
fn query(a: &Shape, b: &Shape) -> dem_query {
    let pose_b = dem_pose { position: [0.3, -0.2, 0.11], orientation: [0.0, 0.0, 0.38, 0.92] };
    dem_query { a: a.handle(), b: b.handle(), pose_b, margin: 0.04, ..Input::DEFAULT }
}

fn needed(query: &dem_query, capacity: usize, stride: usize) -> usize {
    // Nothing is written through this pointer.
    let (to, null) = (core::ptr::dangling_mut(), core::ptr::null_mut());
    // SAFETY: all pointers that are used are valid.
    scratch_of(|start, size, error| unsafe { dem_pairs(to, capacity, stride, null, query, start, size, error) })
}

/// Calls the function: records of `stride` bytes, their number, the error. The memory is one word longer than needed.
fn find(query: &dem_query, capacity: usize, stride: usize, short: usize) -> (Vec<u64>, usize, dem_error) {
    let size = needed(query, capacity, stride);
    let real_stride = if stride == 0 { RECORD } else { stride };
    let mut records = vec![0xabab_abab_abab_abab; (capacity * real_stride).div_ceil(8) + 1];
    let (mut scratch, mut count, mut error) = (vec![0x55u8; size], 99, dem_error::default());
    let (to, scratch) = (records.as_mut_ptr().cast(), scratch.as_mut_ptr().cast());
    // SAFETY: all memory has the size that is passed.
    let status = unsafe { dem_pairs(to, capacity, stride, &mut count, query, scratch, size - short, &mut error) };
    assert_eq!(status, error.code);
    (records, count, error)
}

fn record(bytes: &[u64], at: usize) -> dem_triangle_pair {
    assert!(8 * bytes.len() >= at + RECORD);
    // SAFETY: the record is inside the memory, and all bit patterns are valid.
    unsafe { bytes.as_ptr().cast::<u8>().add(at).cast::<dem_triangle_pair>().read_unaligned() }
}

#[test]
fn all_pairs_come_out_and_no_others() {
    let (low, high) = (sheet(6), sheet(5));
    let (a, b) = (Shape::new(&low, 0.02), Shape::new(&high, 0.01));
    let query = query(&a, &b);
    let (_, count, error) = find(&query, 0, 0, 0);
    assert_eq!((error.code, error.argument), (DEM_ERROR_CAPACITY, What::Output as u32));
    assert_eq!((error.needed, error.given), (count as u64, 0));
    assert!((50..low.len() * high.len() / 4).contains(&count), "{count}");
    let (short, again, error) = find(&query, count - 1, 0, 0);
    assert_eq!((error.code, again, short.last()), (DEM_ERROR_CAPACITY, count, Some(&0xabab_abab_abab_abab)));
    let (records, again, error) = find(&query, count, 0, 0);
    assert_eq!((error, again), (dem_error::default(), count));
    let found: Vec<_> = (0..count).map(|i| record(&records, i * RECORD)).collect();
    assert!(found.is_sorted_by(|x, y| (x.a, x.b) < (y.a, y.b)));

    let pose = Pose { position: query.pose_b.position, orientation: query.pose_b.orientation };
    let moved = pose.transform(What::PoseB).unwrap();
    let mut expected = 0;
    for (i, x) in low.iter().enumerate() {
        for (j, y) in high.iter().enumerate() {
            let pair = dem_core::triangle::closest_points_one(*x, y.map(|v| moved.apply(v))).unwrap();
            expected += usize::from(pair.distance <= 0.07);
            if let Some(f) = found.iter().find(|f| (f.a, f.b) == (i as u32, j as u32)) {
                assert!((f.distance - pair.distance).abs() < 1e-12);
            }
        }
    }
    assert_eq!(count, expected);
}

#[test]
fn records_of_any_size_hold_the_same() {
    let (a, b) = (Shape::new(&sheet(4), 0.02), Shape::new(&sheet(5), 0.01));
    let query = query(&a, &b);
    let count = find(&query, 0, 0, 0).1;
    let packed = find(&query, count, RECORD, 0).0;
    for stride in [24, 71, 73, 200] {
        let (records, again, error) = find(&query, count, stride, 0);
        assert_eq!((error, again), (dem_error::default(), count));
        let bytes: Vec<u8> = records.iter().flat_map(|w| w.to_ne_bytes()).collect();
        let whole: Vec<u8> = packed.iter().flat_map(|w| w.to_ne_bytes()).collect();
        for i in 0..count {
            let both = stride.min(RECORD);
            assert_eq!(bytes[i * stride..][..both], whole[i * RECORD..][..both]);
            assert!(bytes[i * stride + both..(i + 1) * stride].iter().all(|b| *b == 0xab));
        }
        assert!(bytes[count * stride..].iter().all(|b| *b == 0xab));
    }
}

#[test]
fn scratch_of_one_byte_less_is_refused() {
    let (a, b) = (Shape::new(&sheet(4), 0.02), Shape::new(&sheet(5), 0.01));
    let query = query(&a, &b);
    for (capacity, stride) in [(0, 0), (500, 0), (500, 80)] {
        let (records, count, error) = find(&query, capacity, stride, 1);
        let size = needed(&query, capacity, stride) as u64;
        assert_eq!((error.code, error.argument), (DEM_ERROR_CAPACITY, What::Scratch as u32));
        assert_eq!((error.needed, error.given, count), (size, size - 1, 0));
        assert!(records.iter().all(|w| *w == 0xabab_abab_abab_abab));
    }
}

/// Calls both functions: the closest pair, whether there is any pair, and both statuses.
fn distance(query: &dem_query) -> (i32, dem_triangle_pair, i32, u32) {
    let (mut pair, mut any) = (dem_triangle_pair { distance: -1.0, ..Default::default() }, 9);
    let null = core::ptr::null_mut();
    // SAFETY: all memory has the size that is passed.
    unsafe {
        let size = scratch_of(|start, size, error| dem_any_pair(&mut any, query, start, size, error));
        let mut scratch = vec![0x55u8; size];
        let start: *mut c_void = scratch.as_mut_ptr().cast();
        let any_status = dem_any_pair(&mut any, query, start, size, null);
        assert_eq!(dem_any_pair(&mut 0, query, start, size - 1, null), DEM_ERROR_CAPACITY);
        assert_eq!(dem_min_distance(&mut pair, RECORD, query, start, size - 1, null), DEM_ERROR_CAPACITY);
        (dem_min_distance(&mut pair, RECORD, query, start, size, null), pair, any_status, any)
    }
}

#[test]
fn the_smallest_distance_is_that_of_the_nearest_pair() {
    let (a, b) = (Shape::new(&sheet(6), 0.02), Shape::new(&sheet(5), 0.01));
    let query = query(&a, &b);
    let (status, nearest, any_status, any) = distance(&query);
    assert_eq!((status, any_status, any), (DEM_OK, DEM_OK, 1));
    let count = find(&query, 0, 0, 0).1;
    let records = find(&query, count, 0, 0).0;
    let found = (0..count).map(|i| record(&records, i * RECORD)).min_by(|x, y| x.distance.total_cmp(&y.distance));
    assert_eq!(found.unwrap().distance, nearest.distance);
    assert!(nearest.distance > 0.0);

    // If nothing touches, both witnesses give the same pair.
    let any = dem_query { witness: DEM_WITNESS_ANY, ..query };
    assert_eq!(distance(&any).1, nearest);
    let through = dem_pose { position: [0.1, 0.5, -0.4], orientation: [0.6, 0.0, 0.0, 0.8] };
    let crossing = |witness| distance(&dem_query { pose_b: through, witness, ..query }).1;
    let (definite, any) = (crossing(DEM_WITNESS_DEFINITE), crossing(DEM_WITNESS_ANY));
    assert_eq!((definite.distance, any.distance, any.point_a), (0.0, 0.0, any.point_b));
    for (wrong, what) in
        [(dem_query { witness: 2, ..query }, What::Witness), (dem_query { reserved: 1, ..query }, What::Query)]
    {
        let mut error = dem_error::default();
        // SAFETY: nothing is written but the error.
        let status = unsafe { dem_any_pair(&mut 0, &wrong, core::ptr::null_mut(), 0, &mut error) };
        assert_eq!((status, error.argument), (DEM_ERROR_OUT_OF_RANGE, what as u32));
    }

    let up = dem_query { pose_b: dem_pose { position: [0.0, 0.0, 5.0], ..query.pose_b }, ..query };
    assert_eq!((distance(&up).0, distance(&up).3), (DEM_OK, 0));
    let (status, untouched, ..) = distance(&dem_query { bound: 1.0, ..up });
    assert_eq!((status, untouched.distance), (DEM_NONE, -1.0));
}

#[test]
fn bad_queries_are_refused_with_their_place() {
    let (a, b) = (Shape::new(&sheet(2), 0.0), Shape::new(&sheet(2), 0.0));
    let good = query(&a, &b);
    let pose = |position, orientation| dem_pose { position, orientation };
    let broken = Shape(vec![Line([7; 64]); 4]);
    let (nan, turned) = (f64::NAN, good.pose_b.orientation);
    for (query, code, what, component) in [
        (dem_query { a: core::ptr::null(), ..good }, DEM_ERROR_NULL, What::MeshA, 0),
        (dem_query { b: broken.handle(), ..good }, DEM_ERROR_DAMAGED, What::MeshB, 0),
        (dem_query { b: b.handle().wrapping_byte_add(8), ..good }, DEM_ERROR_MISALIGNED, What::MeshB, 0),
        (dem_query { struct_size: 6, ..good }, DEM_ERROR_BAD_SIZE, What::Query, 3),
        (dem_query { isa: 9, ..good }, DEM_ERROR_UNSUPPORTED, What::Isa, 0),
        (dem_query { margin: -1.0, ..good }, DEM_ERROR_OUT_OF_RANGE, What::Margin, 0),
        (dem_query { margin: nan, ..good }, DEM_ERROR_NOT_FINITE, What::Margin, 0),
        (dem_query { pose_a: pose([0.0, nan, 0.0], turned), ..good }, DEM_ERROR_NOT_FINITE, What::PoseA, 1),
        (dem_query { pose_b: pose([0.0; 3], [0.0; 4]), ..good }, DEM_ERROR_OUT_OF_RANGE, What::PoseB, 3),
    ] {
        let mut error = dem_error::default();
        let (mut records, mut scratch, mut count) = ([dem_triangle_pair::default(); 64], [0u8; 1 << 16], 77);
        let start = scratch.as_mut_ptr().cast();
        // SAFETY: all memory has the size that is passed.
        let status = unsafe { dem_pairs(records.as_mut_ptr(), 64, 0, &mut count, &query, start, 1 << 16, &mut error) };
        assert_eq!((status, error.argument, error.component), (code, what as u32, component), "{query:?}");
        assert_eq!(count, 0);
    }
}

#[test]
fn memory_that_overlaps_or_is_misaligned_is_refused() {
    let (a, b) = (Shape::new(&sheet(2), 0.0), Shape::new(&sheet(2), 0.0));
    let query = query(&a, &b);
    let mut memory = vec![0u64; 1 << 14];
    let start: *mut c_void = memory.as_mut_ptr().cast();
    let size = needed(&query, 64, 0);
    let call = |records: *mut c_void, scratch: *mut c_void| {
        // SAFETY: all memory has the size that is passed, or the call refuses it before it writes.
        unsafe { dem_pairs(records.cast(), 64, 0, core::ptr::null_mut(), &query, scratch, size, core::ptr::null_mut()) }
    };
    let behind = start.wrapping_byte_add(64 * RECORD);
    assert_eq!(call(start, behind), DEM_OK);
    assert_eq!(call(start, behind.wrapping_byte_sub(1)), DEM_ERROR_OVERLAP);
    assert_eq!(call(start.wrapping_byte_add(4), behind.wrapping_byte_add(64)), DEM_ERROR_MISALIGNED);
    assert_eq!(call(a.handle().cast_mut().cast(), behind), DEM_ERROR_OVERLAP);
    assert_eq!(call(start, b.handle().cast_mut().cast()), DEM_ERROR_OVERLAP);
    assert_eq!(call(core::ptr::null_mut(), behind), DEM_ERROR_NULL);
}
