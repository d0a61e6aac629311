//! Tests of refitted shapes against built ones, damage, latch and refusals. The core tests trees.

use super::*;
use crate::errors::*;
use crate::queries::{dem_min_distance, dem_pairs, dem_query, dem_triangle_pair};
use crate::shapes::{dem_shape_desc, dem_shape_open};
use crate::testing::{Line, Shape, numbers, scratch_of, sheet, vectors};

type Triangles = Vec<[[f64; 3]; 3]>;

fn moved(triangles: &[[[f64; 3]; 3]]) -> Triangles {
    let wave = |[x, y, z]: [f64; 3]| [x * 1.25 - y * 0.5, y + 0.0625 * x, z + 0.5 * x * y];
    triangles.iter().map(|t| t.map(wave)).collect()
}

/// Refits a shape with `size` bytes of its memory.
fn refit_in(shape: &mut Shape, size: usize, desc: &dem_refit_desc) -> dem_error {
    assert!(size <= 64 * shape.0.len());
    let (mut error, handle) = (dem_error { code: 99, ..dem_error::default() }, shape.0.as_mut_ptr().cast());
    // SAFETY: all memory has the size that is passed.
    assert_eq!(unsafe { dem_shape_refit(handle, size, desc, &mut error) }, error.code);
    error
}

fn refit(shape: &mut Shape, desc: &dem_refit_desc) -> dem_error {
    refit_in(shape, 64 * shape.0.len(), desc)
}

fn to(triangles: &Triangles) -> dem_refit_desc {
    dem_refit_desc { vertices: vectors(triangles.as_flattened()), ..Input::DEFAULT }
}

/// All pairs of a shape with a fixed one.
fn pairs(shape: &Shape) -> Vec<dem_triangle_pair> {
    let other = Shape::new(&sheet(5), 0.01);
    let mut query = dem_query { a: shape.handle(), b: other.handle(), margin: 0.05, ..Input::DEFAULT };
    query.pose_b.position = [0.25, 0.125, 0.1];
    let (capacity, mut count) = (20_000, 0);
    let mut found = vec![dem_triangle_pair::default(); capacity];
    // SAFETY: all memory has the size that is passed.
    unsafe {
        let to = found.as_mut_ptr();
        let mut ask = |start, size, error| dem_pairs(to, capacity, 0, &mut count, &query, start, size, error);
        let mut scratch = vec![0u8; scratch_of(&mut ask)];
        assert_eq!(ask(scratch.as_mut_ptr().cast(), scratch.len(), core::ptr::null_mut()), DEM_OK);
    }
    found.truncate(count);
    found
}

fn reopened(shape: &mut Shape) -> i32 {
    let (size, start) = (shape.bytes().len(), shape.0.as_mut_ptr().cast());
    // SAFETY: there are that many bytes.
    unsafe { dem_shape_open(start, size, &mut core::ptr::null_mut(), core::ptr::null_mut()) }
}

#[test]
fn a_refitted_shape_answers_as_a_new_one() {
    let (before, after) = (sheet(8), moved(&sheet(8)));
    let expected = pairs(&Shape::new(&after, 0.02));
    assert!(expected.len() > 100 && expected != pairs(&Shape::new(&before, 0.02)));
    for how in [DEM_REFIT_HALOS, DEM_REFIT_SURROGATES] {
        let mut shape = Shape::new(&before, 0.01);
        let desc = dem_refit_desc { how, halo: 0.02, ..to(&after) };
        assert_eq!(refit(&mut shape, &desc), dem_error::default());
        assert_eq!(pairs(&shape), expected);
        assert_eq!(reopened(&mut shape), DEM_OK);
        assert_eq!(pairs(&shape), expected);
    }
}

#[test]
fn there_and_back_gives_the_same_bytes() {
    let (before, after) = (sheet(8), moved(&sheet(8)));
    let mut shape = Shape::new(&before, 0.01);
    let bytes = shape.bytes().to_vec();
    assert_eq!(refit(&mut shape, &Input::DEFAULT), dem_error::default());
    assert!(shape.bytes() == bytes, "nothing was to change");
    assert_eq!(refit(&mut shape, &to(&after)), dem_error::default());
    assert!(shape.bytes() != bytes);
    assert_eq!(refit(&mut shape, &to(&before)), dem_error::default());
    assert!(shape.bytes() == bytes);
}

#[test]
fn halos_of_single_triangles_change() {
    let triangles = sheet(4);
    let (few, many) = (vec![0.01; 32], (0..32).map(|i| f64::from(i) / 300.0).collect::<Vec<_>>());
    let shape = |halos: &[f64]| {
        let vertices = vectors(triangles.as_flattened());
        Shape::described(&dem_shape_desc { vertices, halos: numbers(halos), ..Input::DEFAULT })
    };
    let (mut changed, expected) = (shape(&few), pairs(&shape(&many)));
    let desc = dem_refit_desc { halos: numbers(&many), how: DEM_REFIT_HALOS, ..Input::DEFAULT };
    assert_eq!(refit(&mut changed, &desc), dem_error::default());
    assert_eq!(pairs(&changed), expected);
}

#[test]
fn mistakes_are_told_with_their_place_and_nothing_is_changed() {
    let triangles = sheet(4);
    let mut shape = Shape::new(&triangles, 0.01);
    let bytes = shape.bytes().to_vec();
    let good = to(&triangles);
    let mut nan = triangles.clone();
    nan[5][1][2] = f64::INFINITY;
    let mut torn = triangles.clone();
    // Corner 1 of triangle 0 has the position of corner 0 of triangle 1.
    torn[1][0][2] += 1.0;
    let huge: Triangles = triangles.iter().map(|t| t.map(|p| p.map(|x| x * 1e20))).collect();
    let (halos, no_data) = (vec![0.1; 32], dem_array { data: core::ptr::null(), ..good.vertices });
    for (desc, code, what, index, component) in [
        (to(&nan), DEM_ERROR_NOT_FINITE, What::Vertices, 16, 2),
        (to(&torn), DEM_ERROR_MISMATCH, What::Vertices, 3, 0),
        (to(&huge), DEM_ERROR_OUT_OF_RANGE, What::Mesh, 0, 0),
        (to(&triangles[1..].to_vec()), DEM_ERROR_MISMATCH, What::Vertices, 0, 0),
        (dem_refit_desc { vertices: no_data, ..good }, DEM_ERROR_NULL, What::Vertices, 0, 255),
        (dem_refit_desc { halo: f64::NAN, ..good }, DEM_ERROR_NOT_FINITE, What::Halo, 0, 0),
        (dem_refit_desc { halo: -0.5, ..good }, DEM_ERROR_OUT_OF_RANGE, What::Halo, 0, 0),
        (dem_refit_desc { halos: numbers(&halos), ..good }, DEM_ERROR_MISMATCH, What::Halos, 0, 0),
        (dem_refit_desc { how: 3, ..good }, DEM_ERROR_OUT_OF_RANGE, What::How, 0, 0),
        (dem_refit_desc { reserved: 1, ..good }, DEM_ERROR_OUT_OF_RANGE, What::Description, 0, 0),
        (dem_refit_desc { isa: 99, ..good }, DEM_ERROR_UNSUPPORTED, What::Isa, 0, 0),
        (dem_refit_desc { struct_size: 3, ..good }, DEM_ERROR_BAD_SIZE, What::Description, 0, 3),
    ] {
        let error = refit(&mut shape, &desc);
        let found = (error.code, error.argument, error.index, error.component);
        assert_eq!(found, (code, what as u32, index, component), "{desc:?}");
        assert!(shape.bytes() == bytes, "{desc:?}");
    }
    let null: *mut dem_error = core::ptr::null_mut();
    let (size, handle) = (64 * shape.0.len(), shape.0.as_mut_ptr().cast::<dem_shape>());
    let mut nothing = vec![Line([7; 64]); 4];
    let inside = dem_refit_desc { vertices: dem_array { data: handle.cast_const().cast(), ..good.vertices }, ..good };
    // SAFETY: the call refuses its arguments before it changes anything.
    unsafe {
        let refit = |handle, desc| dem_shape_refit(handle, size, desc, null);
        assert_eq!(refit(null.cast(), &good), DEM_ERROR_NULL);
        assert_eq!(refit(handle, null.cast()), DEM_ERROR_NULL);
        assert_eq!(refit(handle.wrapping_byte_add(8), &good), DEM_ERROR_MISALIGNED);
        assert_eq!(refit(nothing.as_mut_ptr().cast(), &good), DEM_ERROR_DAMAGED);
        assert_eq!(refit(handle, &inside), DEM_ERROR_OVERLAP);
    }
    assert!(shape.bytes() == bytes);
}

/// Whichever byte is wrong, a refit gives a shape or an error, and a query of the result ends.
#[test]
fn damage_is_no_panic() {
    let (before, after) = (sheet(4), moved(&sheet(4)));
    let (good, desc, mut scratch) = (Shape::new(&before, 0.01), to(&after), vec![0u8; 1 << 17]);
    let (start, size, null) = (scratch.as_mut_ptr().cast(), scratch.len(), core::ptr::null_mut());
    let mut refused = 0;
    for byte in (64..good.bytes().len()).step_by(7) {
        let mut shape = Shape(good.0.clone());
        shape.0[byte / 64].0[byte % 64] ^= 1 << (byte % 8);
        let handle: *mut dem_shape = shape.0.as_mut_ptr().cast();
        // SAFETY: all memory has the size that is passed.
        unsafe {
            let status = dem_shape_refit(handle, 64 * shape.0.len(), &desc, null);
            assert_ne!(status, DEM_ERROR_PANIC, "byte {byte}");
            refused += u32::from(status != DEM_OK);
            let query = dem_query { a: handle, b: good.handle(), ..Input::DEFAULT };
            let status = dem_min_distance(&mut dem_triangle_pair::default(), 0, &query, start, size, null);
            assert_ne!(status, DEM_ERROR_PANIC, "byte {byte}");
        }
    }
    assert!(refused > 0);
}

/// The sheet bulges: except for the old names of patches, its cells equal those of a new shape, byte for byte.
#[test]
fn cells_are_refitted_where_there_is_room() {
    use crate::shapes::lend;
    let flat: Triangles = sheet(4).iter().map(|t| t.map(|[x, y, _]| [x, y, 0.0])).collect();
    let bulging: Triangles = flat.iter().map(|t| t.map(|[x, y, _]| [x, y, x * (1.0 - x) * y])).collect();
    let (mut shape, new) = (Shape::new(&flat, 0.1), Shape::new(&bulging, 0.1));
    let (old, desc) = (shape.bytes().to_vec(), to(&bulging));
    let mut needed = old.len();
    for told in [true, true, false] {
        let error = refit_in(&mut shape, needed, &desc);
        if !told {
            assert_eq!(error, dem_error::default());
            break;
        }
        assert_eq!((error.code, error.argument), (DEM_ERROR_CAPACITY, What::Block as u32));
        assert!(shape.bytes() == old, "the shape is as it was");
        assert!(error.given == needed as u64 && error.needed > error.given && error.needed.is_multiple_of(64));
        needed = error.needed as usize;
    }
    let mut seen = Vec::new();
    for shape in [&shape, &new] {
        // SAFETY: the handle is that of a shape.
        let lent = unsafe { lend(shape.handle(), What::Mesh) }.unwrap();
        let cells = lent.cells(What::Cells).unwrap();
        seen.push((cells.cell.to_vec(), cells.side.to_vec()));
    }
    assert!(seen[0].0.iter().all(|cell| cell.patch == 0) && seen[1].0.iter().any(|cell| cell.patch > 0));
    seen[1].0.iter_mut().for_each(|cell| cell.patch = 0);
    assert!(seen[0] == seen[1], "geometry");
    assert_eq!(reopened(&mut shape), DEM_OK);
    // And back again.
    assert_eq!(refit(&mut shape, &to(&flat)), dem_error::default());
    assert!(shape.bytes() == old);
}

/// A cube that was thin for its halo when it was built keeps the law that was chosen then.
#[test]
fn a_refit_keeps_the_law_that_was_chosen() {
    use crate::shapes::{DEM_LAW_AUTO, DEM_LAW_VOLUME};
    let cube = crate::testing::cube();
    let thin: Triangles = cube.iter().map(|t| t.map(|[x, y, z]| [x, y, 0.01 * z])).collect();
    let vertices = vectors(cube.as_flattened());
    let mut shape = Shape::described(&dem_shape_desc { vertices, halo: 0.02, law: DEM_LAW_AUTO, ..Input::DEFAULT });
    assert_eq!(shape.info().law, DEM_LAW_VOLUME);
    assert_eq!(refit(&mut shape, &to(&thin)), dem_error::default());
    assert_eq!(shape.info().law, DEM_LAW_VOLUME);
}
