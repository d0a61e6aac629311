//! Tests of records, growing scratch and refusals. The core tests contacts themselves.

use super::*;
use crate::body_contacts::DEM_CONTACT_SURFACE;
use crate::errors::*;
use crate::inputs::Input;
use crate::placed::{DEM_KIND_MESH, IDENTITY, POINT, dem_placed, dem_pose};
use crate::shapes::dem_shape;
use crate::testing::{Shape, cube, sheet};

/// Bytes of a record.
const RECORD: usize = size_of::<dem_contact>();
const NULL: *mut c_void = core::ptr::null_mut();

struct Body {
    shape: Shape,
}

fn body(triangles: &[[[f64; 3]; 3]], halo: f64) -> Body {
    Body { shape: Shape::new(triangles, halo) }
}

/// B stands on A, rotated.
fn query(a: &Body, b: &Body) -> dem_placed_query {
    let pose = dem_pose { position: [0.2, 0.1, 0.95], orientation: [0.02, 0.01, 0.38, 0.92] };
    let b = dem_placed { pose, ..mesh(b.shape.handle()) };
    dem_placed_query { a: mesh(a.shape.handle()), b, tag: 3 << 32 | 5, ..Input::DEFAULT }
}

fn mesh(shape: *const dem_shape) -> dem_placed {
    dem_placed { kind: DEM_KIND_MESH, shape, ..POINT }
}

/// The query with B at another pose.
fn moved(query: dem_placed_query, pose: dem_pose) -> dem_placed_query {
    dem_placed_query { b: dem_placed { pose, ..query.b }, ..query }
}

/// Calls the function: bytes of records, their number, the error.
fn find(query: &dem_placed_query, capacity: usize, stride: usize, scratch_size: usize) -> (Vec<u64>, usize, dem_error) {
    let step = if stride == 0 { RECORD } else { stride };
    let mut records = vec![0xabab_abab_abab_abab; (capacity * step).div_ceil(8) + 1];
    let (mut scratch, mut count, mut error) = (vec![0x55u8; scratch_size], 99, dem_error::default());
    let (to, scratch) = (records.as_mut_ptr().cast(), scratch.as_mut_ptr().cast());
    // SAFETY: all memory has the size that is passed.
    let status =
        unsafe { dem_placed_contacts(to, capacity, stride, &mut count, query, scratch, scratch_size, &mut error) };
    assert_eq!(status, error.code);
    (records, count, error)
}

fn needed(query: &dem_placed_query, pairs: usize, capacity: usize, stride: usize) -> usize {
    let mut size = 0;
    // SAFETY: all pointers are valid.
    assert_eq!(unsafe { dem_placed_contacts_scratch(&mut size, query, pairs, capacity, stride, NULL.cast()) }, DEM_OK);
    size
}

/// Finds contacts as a program does that begins without memory. Gives bytes, number of contacts, and number of calls.
fn grown(query: &dem_placed_query, stride: usize) -> (Vec<u64>, usize, usize) {
    let (mut capacity, mut size) = (0, 0);
    for calls in 1..9 {
        let (records, count, error) = find(query, capacity, stride, size);
        match error.code {
            DEM_OK => return (records, count, calls),
            DEM_ERROR_CAPACITY if count > capacity => capacity = count,
            DEM_ERROR_CAPACITY => {
                assert!(error.argument == What::Scratch as u32 && error.needed > size as u64, "{error:?}");
                size = error.needed as usize;
            }
            _ => panic!("{error:?}"),
        }
    }
    panic!("no end")
}

/// Reads the records.
fn records(bytes: &[u64], count: usize) -> Vec<dem_contact> {
    assert!(8 * bytes.len() >= count * RECORD);
    // SAFETY: inside, and any bytes are a record.
    (0..count).map(|i| unsafe { bytes.as_ptr().cast::<dem_contact>().add(i).read_unaligned() }).collect()
}

#[test]
fn two_cubes_push_each_other_with_the_area_they_share() {
    let (a, b) = (body(&cube(), 0.01), body(&cube(), 0.01));
    let pose_b = dem_pose { position: [0.25, 0.5, 1.005], ..IDENTITY };
    let query = moved(query(&a, &b), pose_b);
    let (bytes, count, calls) = grown(&query, 0);
    let found = records(&bytes, count);
    assert!((1..9).contains(&count) && calls > 1, "{count}");
    assert!(found.iter().all(|c| c.key[0] == 3 << 32 | 5 && c.halo == 0.02 && c.kind == DEM_CONTACT_SURFACE));
    assert!(found.is_sorted_by_key(|c| c.key));
    let largest = found.iter().max_by(|x, y| x.area.total_cmp(&y.area)).unwrap();
    // The area is 0.75 by 0.5, and strips as wide as the halo.
    assert!((largest.area - 0.375).abs() < 1.25 * 0.02 && (largest.gap - 0.005).abs() < 1e-3, "{largest:?}");
    assert!(largest.normal[2] < -0.9999 && largest.least_gap > 0.004_999);
    let share: f64 = found.iter().map(|c| c.share).sum();
    assert!((share - 1.0).abs() < 1e-12);
    // The patches are the top and the bottom of the cube.
    let patches = [largest.key[1] >> 32, largest.key[1] & 0xffff_ffff].map(|t| cube()[t as usize][0][2]);
    assert_eq!(patches, [1.0, 0.0]);
}

#[test]
fn exchanged_bodies_have_opposite_contacts() {
    let (a, b) = (body(&sheet(3), 0.03), body(&cube(), 0.05));
    let pose_b = dem_pose { position: [0.1, 0.2, 0.14], orientation: [0.01, 0.02, 0.3, 0.9] };
    let query = moved(query(&a, &b), pose_b);
    let (bytes, count, _) = grown(&query, 0);
    let mut one = records(&bytes, count);
    let exchanged = dem_placed_query { a: query.b, b: query.a, ..query };
    let (bytes, again, _) = grown(&exchanged, 0);
    let other = records(&bytes, again);
    assert!(count == again && count > 3);
    let negated = |v: [f64; 3]| v.map(|x| 0.0 - x);
    for c in &mut one {
        c.key[1] = c.key[1].rotate_left(32);
        (c.normal, c.moment) = (negated(c.normal), negated(c.moment));
    }
    one.sort_by_key(|c| c.key);
    for (x, y) in one.iter_mut().zip(&other) {
        // Shares are sums in another order.
        assert!((x.share - y.share).abs() < 1e-14);
        x.share = y.share;
    }
    assert_eq!(one, other);
}

#[test]
fn records_of_any_size_hold_the_same() {
    let (a, b) = (body(&sheet(3), 0.03), body(&cube(), 0.05));
    let pose_b = dem_pose { position: [0.1, 0.2, 0.14], orientation: [0.01, 0.02, 0.3, 0.9] };
    let query = moved(query(&a, &b), pose_b);
    let (packed, count, _) = grown(&query, RECORD);
    assert!(count > 1);
    let whole: Vec<u8> = packed.iter().flat_map(|w| w.to_ne_bytes()).collect();
    for stride in [16, RECORD - 8, RECORD + 1, 200] {
        let (records, again, _) = grown(&query, stride);
        let bytes: Vec<u8> = records.iter().flat_map(|w| w.to_ne_bytes()).collect();
        assert_eq!(again, count);
        let both = stride.min(RECORD);
        for i in 0..count {
            assert_eq!(bytes[i * stride..][..both], whole[i * RECORD..][..both]);
            assert!(bytes[i * stride + both..(i + 1) * stride].iter().all(|byte| *byte == 0xab));
        }
        assert!(bytes[count * stride..].iter().all(|byte| *byte == 0xab));
    }
}

#[test]
fn what_does_not_fit_together_is_refused() {
    let (a, b) = (body(&cube(), 0.1), body(&sheet(3), 0.1));
    let good = query(&a, &b);
    let (_, count, _) = grown(&good, 0);
    let size = needed(&good, 500, count, 0);
    let refused = |query: &dem_placed_query| {
        let (_, count, error) = find(query, 500, 0, size);
        assert!(error.code == DEM_OK || count == 0);
        (error.code, error.argument)
    };
    let of = |what: What| what as u32;
    assert_eq!(refused(&good).0, DEM_OK);
    let bare = Shape::bare(&cube(), 0.2);
    for (query, cells) in [
        (dem_placed_query { a: mesh(bare.handle()), ..good }, What::CellsA),
        (dem_placed_query { b: mesh(bare.handle()), ..good }, What::CellsB),
    ] {
        assert_eq!(refused(&query), (DEM_ERROR_UNSUPPORTED, of(cells)));
    }
    let null = core::ptr::null::<c_void>;
    assert_eq!(refused(&dem_placed_query { a: mesh(null().cast()), ..good }), (DEM_ERROR_NULL, of(What::ShapeA)));
    let mut pose = IDENTITY;
    pose.orientation[3] = f64::NAN;
    assert_eq!(refused(&moved(good, pose)), (DEM_ERROR_NOT_FINITE, of(What::BodyPoseB)));
    assert_eq!(refused(&dem_placed_query { isa: 77, ..good }).1, of(What::Isa));
    // SAFETY: the call refuses its arguments before it touches any memory.
    unsafe {
        let inside = a.shape.handle().cast_mut().cast();
        let (mut count, mut error) = (9, dem_error::default());
        let mut call = |to, capacity, scratch, size| {
            dem_placed_contacts(to, capacity, 0, &mut count, &good, scratch, size, &mut error);
            (error.code, error.argument, count)
        };
        assert_eq!(call(NULL.cast(), 0, inside, size), (DEM_ERROR_OVERLAP, of(What::Scratch), 0));
        let mut scratch = vec![0u8; size];
        let start: *mut c_void = scratch.as_mut_ptr().cast();
        assert_eq!(call(inside.cast(), 1, start, size), (DEM_ERROR_OVERLAP, of(What::Output), 0));
        assert_eq!(call(NULL.cast(), 1, start, size), (DEM_ERROR_NULL, of(What::Output), 0));
        assert_eq!(call(start.cast(), 1, start, size), (DEM_ERROR_OVERLAP, of(What::Scratch), 0));
        assert_eq!(
            dem_placed_contacts(NULL.cast(), 0, 0, NULL.cast(), NULL.cast(), start, size, NULL.cast()),
            DEM_ERROR_NULL
        );
    }
}
