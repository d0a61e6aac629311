//! Sizes, refusals, copies and damage; what cells are is tested in the core.

use super::*;
use crate::errors::*;
use crate::testing::{CellsOf, Line, Shape, cube, sheet};

const NULL: *mut c_void = core::ptr::null_mut();

fn desc(shape: &Shape) -> dem_cells_desc {
    dem_cells_desc { shape: shape.handle(), ..Input::DEFAULT }
}

/// Status of the layout, bytes of scratch and of the block.
fn layout(desc: &dem_cells_desc, short: usize) -> (dem_error, usize, usize) {
    let (mut scratch_size, mut size, mut error) = (0, 7, dem_error::default());
    // SAFETY: there is as much as is said.
    unsafe {
        assert_eq!(dem_cells_scratch(desc, &mut scratch_size, NULL.cast()), DEM_OK);
        let mut scratch = vec![0x55u8; scratch_size];
        let start = scratch.as_mut_ptr().cast();
        dem_cells_layout(desc, &mut size, NULL.cast(), start, scratch_size - short, &mut error);
    }
    (error, scratch_size, size)
}

#[test]
fn the_exact_size_fits_and_one_byte_less_is_refused() {
    let shape = Shape::new(&cube(), 0.1);
    let desc = desc(&shape);
    let (error, scratch_size, size) = layout(&desc, 0);
    assert_eq!(error, dem_error::default());
    let (error, _, untouched) = layout(&desc, 1);
    assert_eq!((error.code, error.argument, untouched), (DEM_ERROR_CAPACITY, What::Scratch as u32, 7));
    let mut block = vec![Line([0xab; 64]); size.div_ceil(64) + 1];
    let (mut scratch, mut cells, mut error) = (vec![0u8; scratch_size], core::ptr::null_mut(), dem_error::default());
    let (start, room) = (block.as_mut_ptr().cast::<c_void>(), scratch.as_mut_ptr().cast());
    // SAFETY: there is as much as is said.
    unsafe {
        assert_eq!(
            dem_cells_init(start, size - 1, room, scratch_size, &desc, &mut cells, &mut error),
            DEM_ERROR_CAPACITY
        );
        assert_eq!((error.argument, error.needed), (What::Block as u32, size as u64));
        assert!(block.iter().all(|line| line.0 == [0xab; 64]), "nothing is written");
        assert_eq!(dem_cells_init(start, size, room, scratch_size, &desc, &mut cells, &mut error), DEM_OK);
    }
    assert!(cells.cast() == start && block.last().unwrap().0 == [0xab; 64]);
    // A box has 12 prisms, 12 edges of 4 sectors and 8 vertices.
    // SAFETY: these are cells.
    let number = unsafe { lend(cells, What::Cells) }.unwrap().cells.cell.len();
    assert!(number > 12 + 12 * 4, "{number}");
}

#[test]
fn what_cannot_be_built_is_refused() {
    let shape = Shape::new(&sheet(2), 0.1);
    let good = desc(&shape);
    let refused = |desc: &dem_cells_desc| {
        let (mut size, mut scratch, mut error) = (0, vec![0u8; 1 << 16], dem_error::default());
        let (start, length) = (scratch.as_mut_ptr().cast(), scratch.len());
        // SAFETY: there is as much as is said.
        let status = unsafe { dem_cells_layout(desc, &mut size, NULL.cast(), start, length, &mut error) };
        assert_eq!(status, error.code);
        (error.code, error.argument, error.component)
    };
    assert_eq!(refused(&good).0, DEM_OK);
    let (flat, description) = (What::Flat as u32, What::Description as u32);
    assert_eq!(refused(&dem_cells_desc { flat: f64::NAN, ..good }), (DEM_ERROR_NOT_FINITE, flat, 0));
    assert_eq!(refused(&dem_cells_desc { flat: -1.0, ..good }), (DEM_ERROR_OUT_OF_RANGE, flat, 0));
    assert_eq!(refused(&dem_cells_desc { law: 3, ..good }), (DEM_ERROR_OUT_OF_RANGE, What::Law as u32, 0));
    assert_eq!(refused(&dem_cells_desc { reserved_2: 1, ..good }), (DEM_ERROR_OUT_OF_RANGE, description, 0));
    let null = core::ptr::null();
    assert_eq!(refused(&dem_cells_desc { shape: null, ..good }), (DEM_ERROR_NULL, What::Mesh as u32, 0));
    assert_eq!(refused(&dem_cells_desc { struct_size: 3, ..good }).0, DEM_ERROR_BAD_SIZE);
    // SAFETY: null is refused, and the scratch is not touched.
    unsafe {
        let mut size = 0;
        assert_eq!(dem_cells_scratch(null.cast(), &mut size, NULL.cast()), DEM_ERROR_NULL);
        assert_eq!(dem_cells_scratch(&good, NULL.cast(), NULL.cast()), DEM_ERROR_NULL);
        let inside = shape.handle().cast_mut().cast();
        let status = dem_cells_layout(&good, &mut size, NULL.cast(), inside, 1 << 16, NULL.cast());
        assert_eq!(status, DEM_ERROR_OVERLAP);
    }
}

#[test]
fn copies_open_and_damage_does_not() {
    let shape = Shape::new(&cube(), 0.1);
    let CellsOf(block) = CellsOf::new(&shape);
    let size = 64 * block.len();
    let open = |mut copy: Vec<Line>, size: usize| {
        let (mut cells, mut error) = (core::ptr::null_mut(), dem_error::default());
        // SAFETY: there is as much as is said.
        unsafe { dem_cells_open(copy.as_mut_ptr().cast(), size, &mut cells, &mut error) };
        error.code
    };
    assert_eq!(open(block.clone(), size), DEM_OK);
    assert_eq!(open(block.clone(), size - 64), DEM_ERROR_CAPACITY);
    // The latch's magic, the owner, a header, the first cells, the last sides.
    for (line, byte) in [(0, 0), (1, 3), (1, 9), (2, 0), (5, 1), (block.len() - 2, 8)] {
        let mut damaged = block.clone();
        damaged[line].0[byte] ^= 4;
        assert_eq!(open(damaged, size), DEM_ERROR_DAMAGED, "{line} {byte}");
    }
    let shape: Vec<Line> = shape.0.clone();
    let size = 64 * shape.len();
    assert_eq!(open(shape, size), DEM_ERROR_DAMAGED, "a shape is no cells");
}

/// The sheet bulges: cells in their block under old names, byte for byte what is built anew but for those.
#[test]
fn cells_are_refitted_where_there_is_room() {
    let flat: Vec<_> = sheet(4).iter().map(|t| t.map(|[x, y, _]| [x, y, 0.0])).collect();
    let bulging: Vec<_> = flat.iter().map(|t| t.map(|[x, y, _]| [x, y, x * (1.0 - x) * y])).collect();
    let (shape, other) = (Shape::new(&flat, 0.1), Shape::new(&bulging, 0.1));
    let old = CellsOf::new(&shape);
    let (desc, mut needed) = (desc(&other), 0);
    let refit = |block: &mut [Line], size: usize, desc: &dem_cells_desc, short: usize| {
        let (mut error, mut scratch_size, null) = (dem_error::default(), 0, NULL.cast());
        // SAFETY: there is as much as is said.
        unsafe {
            assert_eq!(dem_cells_refit_scratch(desc, &mut scratch_size, null), DEM_OK);
            let mut scratch = vec![0x55u8; scratch_size];
            let (cells, start) = (block.as_mut_ptr().cast(), scratch.as_mut_ptr().cast());
            assert_eq!(dem_cells_refit(cells, size, start, scratch_size - short, desc, &mut error), error.code);
        }
        error
    };
    let mut block = old.0.clone();
    let room = 64 * block.len();
    for (size, short, code, argument) in [
        (room, 1, DEM_ERROR_CAPACITY, What::Scratch),
        (room - 64, 0, DEM_ERROR_CAPACITY, What::Block),
        (room, 0, DEM_ERROR_CAPACITY, What::Block),
    ] {
        let error = refit(&mut block, size, &desc, short);
        assert_eq!((error.code, error.argument), (code, argument as u32));
        needed = error.needed as usize;
    }
    assert!(needed > room && needed % 64 == 0);
    assert!(block.iter().zip(&old.0).all(|(x, y)| x.0 == y.0), "the cells are as they were");
    block.resize(needed / 64 + 3, Line([0xcd; 64]));
    assert_eq!(refit(&mut block, needed, &desc, 0), dem_error::default());
    assert!(block[needed / 64..].iter().all(|line| line.0 == [0xcd; 64]));
    let (mut seen, new) = (Vec::new(), CellsOf::new(&other));
    for block in [&block[..], &new.0[..]] {
        let handle = block.as_ptr().cast();
        // SAFETY: these are cells.
        let all = unsafe { lend(handle, What::Cells) }.unwrap();
        seen.push((all.cells.cell.to_vec(), all.cells.side.to_vec(), all.owner));
    }
    assert!(seen[0].0.iter().all(|cell| cell.patch == 0) && seen[1].0.iter().any(|cell| cell.patch > 0));
    seen[1].0.iter_mut().for_each(|cell| cell.patch = 0);
    assert!(seen[0] == seen[1], "geometry and owner");
    // And back again, in what is then too much room.
    assert_eq!(refit(&mut block, needed + 64, &self::desc(&shape), 0), dem_error::default());
    // SAFETY: these are cells.
    let number = unsafe { lend(block.as_ptr().cast(), What::Cells) }.unwrap().cells.cell.len();
    assert_eq!(number, 32);
    let error = refit(&mut block, needed, &self::desc(&Shape::new(&sheet(3), 0.1)), 0);
    assert_eq!((error.code, error.argument), (DEM_ERROR_MISMATCH, What::Cells as u32));
    // SAFETY: there are that many bytes.
    let status = unsafe { dem_cells_open(block.as_mut_ptr().cast(), needed, &mut core::ptr::null_mut(), NULL.cast()) };
    assert_eq!(status, DEM_OK);
}

#[test]
fn the_law_is_told() {
    let (thick, thin) = (Shape::new(&cube(), 0.01), Shape::new(&cube(), 0.4));
    for (shape, law, told) in [
        (&thick, DEM_LAW_FACING, DEM_LAW_FACING),
        (&thick, DEM_LAW_VOLUME, DEM_LAW_VOLUME),
        (&thick, DEM_LAW_AUTO, DEM_LAW_VOLUME),
        (&thin, DEM_LAW_VOLUME, DEM_LAW_VOLUME),
        (&thin, DEM_LAW_AUTO, DEM_LAW_FACING),
    ] {
        let desc = dem_cells_desc { law, ..desc(shape) };
        let (error, scratch_size, size) = layout(&desc, 0);
        assert_eq!(error, dem_error::default());
        let mut block = vec![Line([0xab; 64]); size.div_ceil(64)];
        let (mut scratch, mut cells, mut is) = (vec![0u8; scratch_size], core::ptr::null_mut(), 7);
        let (start, room) = (block.as_mut_ptr().cast::<c_void>(), scratch.as_mut_ptr().cast());
        // SAFETY: there is as much as is said.
        unsafe {
            assert_eq!(dem_cells_init(start, size, room, scratch_size, &desc, &mut cells, NULL.cast()), DEM_OK);
            assert_eq!(dem_cells_law(cells, &mut is, NULL.cast()), DEM_OK);
            assert_eq!(dem_cells_law(core::ptr::null(), &mut is, NULL.cast()), DEM_ERROR_NULL);
            assert_eq!(dem_cells_law(cells, core::ptr::null_mut(), NULL.cast()), DEM_ERROR_NULL);
        }
        assert_eq!(is, told, "{law}");
    }
}
