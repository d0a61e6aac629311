//! Tests of the memory of shapes: exact sizes, copies, damage, refusals. The core tests meshes and trees.

use super::*;
use crate::arrays::{DEM_I32, DEM_U32, NO_ARRAY, dem_array, dem_indices};
use crate::errors::*;
use crate::inputs::Input;
use crate::inspection::dem_shape_inspect;

const VERTICES: [[f64; 3]; 5] = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [2.0, 2.0, 2.0]];
const TRIANGLES: [[u32; 3]; 5] = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3], [4, 4, 4]];

/// Bytes that start at a multiple of 64, and their number.
struct Memory(Vec<[u64; 8]>, usize);

impl Memory {
    fn new(size: usize) -> Memory {
        let mut lines = vec![[0xabab_abab_abab_abab; 8]; size / 64 + 2];
        let skip = (lines.as_ptr() as usize).wrapping_neg() % 64 / 8;
        // At least half a line follows the end.
        assert!(lines.len() * 64 > size + skip * 8);
        lines[0][0] = 0xabab_abab_abab_abab;
        Memory(lines, skip * 8)
    }

    fn start(&mut self) -> *mut c_void {
        self.0.as_mut_ptr().cast::<u8>().wrapping_add(self.1).cast()
    }

    fn bytes(&mut self, size: usize) -> &mut [u8] {
        let skip = self.1;
        // SAFETY: `new` has allocated that many bytes.
        unsafe { &mut core::slice::from_raw_parts_mut(self.0.as_mut_ptr().cast::<u8>(), skip + size)[skip..] }
    }
}

fn description() -> dem_shape_desc {
    let vertices = dem_array { data: VERTICES.as_ptr().cast(), count: 5, ..NO_ARRAY };
    let data = TRIANGLES.as_ptr().cast();
    let triangles = dem_indices { data, count: 5, stride: 0, component_stride: 0, r#type: DEM_U32, base: 0 };
    dem_shape_desc { vertices, triangles, halo: 0.25, ..Input::DEFAULT }
}

fn layout(desc: &dem_shape_desc) -> usize {
    let (mut size, mut error) = (0, dem_error::default());
    // SAFETY: all pointers are valid.
    let status = unsafe { dem_shape_layout(&mut size, core::ptr::null_mut(), desc, &mut error) };
    assert_eq!(status, DEM_OK, "{error:?}");
    size
}

/// Builds a shape. `size` may be smaller than the memory, to detect writes beyond it.
fn init(desc: &dem_shape_desc, memory: &mut Memory, size: usize, shape: &mut *mut dem_shape) -> dem_error {
    let mut error = dem_error::default();
    // SAFETY: all memory has the size that is passed.
    let status = unsafe { dem_shape_init(memory.start(), size, shape, desc, &mut error) };
    assert_eq!(status, error.code);
    error
}

/// A shape's memory, and how many bytes the shape has.
fn built(desc: &dem_shape_desc) -> (Memory, usize) {
    let size = layout(desc);
    let mut memory = Memory::new(size);
    let mut shape = core::ptr::null_mut();
    assert_eq!(init(desc, &mut memory, size, &mut shape), dem_error::default());
    assert_eq!(shape.cast(), memory.start());
    let holds = information(&mut memory).1.size as usize;
    assert!(holds < size && holds.is_multiple_of(64));
    (memory, holds)
}

fn information(memory: &mut Memory) -> (i32, dem_shape_info) {
    let mut info = dem_shape_info::default();
    let size = size_of::<dem_shape_info>();
    // SAFETY: the memory is aligned, with or without a shape in it.
    let status = unsafe { dem_shape_describe(&mut info, size, memory.start().cast(), core::ptr::null_mut()) };
    (status, info)
}

fn reopened(memory: &mut Memory, size: usize) -> i32 {
    let mut shape = core::ptr::null_mut();
    // SAFETY: all memory has the size that is passed.
    unsafe { dem_shape_open(memory.start(), size, &mut shape, core::ptr::null_mut()) }
}

#[test]
fn a_shape_is_what_it_was_built_from() {
    let (mut memory, size) = built(&description());
    let (status, info) = information(&mut memory);
    assert_eq!((status, info.triangles, info.vertices, info.stored), (DEM_OK, 5, 5, DEM_F64));
    assert_eq!((info.centre, info.halo, info.size), ([1.0; 3], 0.25, size as u64));
    assert!((3f64.sqrt()..1.7321).contains(&info.radius));
    // The tetrahedron: 4 prisms, 6 edges, 4 corners. The last triangle is a point.
    assert!(info.cells >= 14 && info.law == DEM_LAW_FACING);
    let (mut memory, less) = built(&dem_shape_desc { cells: 0, ..description() });
    let bare = information(&mut memory).1;
    assert!(bare.cells == 0 && bare.law == 0 && less < size && bare.identity != info.identity);
    assert_eq!((bare.centre, bare.radius), (info.centre, info.radius));
}

#[test]
fn the_law_is_told() {
    let cube = crate::testing::cube();
    for (halo, law, told) in [
        (0.01, DEM_LAW_FACING, DEM_LAW_FACING),
        (0.01, DEM_LAW_VOLUME, DEM_LAW_VOLUME),
        (0.01, DEM_LAW_AUTO, DEM_LAW_VOLUME),
        (0.4, DEM_LAW_VOLUME, DEM_LAW_VOLUME),
        (0.4, DEM_LAW_AUTO, DEM_LAW_FACING),
    ] {
        let vertices = crate::testing::vectors(cube.as_flattened());
        let (mut memory, _) = built(&dem_shape_desc { vertices, halo, law, ..Input::DEFAULT });
        assert_eq!(information(&mut memory).1.law, told, "{law}");
    }
}

#[test]
fn what_is_needed_does_and_one_line_less_is_refused() {
    for cells in [0, 1] {
        let desc = dem_shape_desc { cells, ..description() };
        let size = layout(&desc);
        let (mut memory, mut shape) = (Memory::new(size), core::ptr::null_mut());
        let refused = init(&desc, &mut memory, 64, &mut shape);
        assert_eq!((refused.code, refused.argument), (DEM_ERROR_CAPACITY, What::Block as u32));
        assert_eq!((refused.needed, refused.given), (size as u64, 64));
        assert!(memory.bytes(size + 40).iter().all(|b| *b == 0xab) && shape.is_null(), "nothing is written");
        assert_eq!(init(&desc, &mut memory, size, &mut shape).code, DEM_OK);
        assert!(memory.bytes(size + 40)[size..].iter().all(|b| *b == 0xab), "nothing behind the block is written");
        let holds = information(&mut memory).1.size as usize;
        let bytes = memory.bytes(holds).to_vec();
        // The smallest size that is enough, which the error about too many cells tells, gives the same bytes.
        let mut least = size;
        while least > 0 && init(&desc, &mut Memory::new(size), least - 64, &mut shape).code == DEM_OK {
            least -= 64;
        }
        assert!(least >= holds);
        let (mut small, mut shape) = (Memory::new(least), core::ptr::null_mut());
        let refused = init(&desc, &mut small, least - 1, &mut shape);
        let needed = if cells == 1 { least } else { size };
        assert_eq!(
            (refused.code, refused.needed, refused.given),
            (DEM_ERROR_CAPACITY, needed as u64, least as u64 - 1)
        );
        assert!(shape.is_null());
        assert_eq!(init(&desc, &mut small, least, &mut shape).code, DEM_OK);
        assert!(small.bytes(holds) == bytes);
    }
}

#[test]
fn all_ways_to_describe_a_mesh_give_the_same_bytes() {
    let (mut memory, size) = built(&description());
    let fortran = TRIANGLES.map(|t| [t[0] as i32 + 1, 77, t[1] as i32 + 1, t[2] as i32 + 1].map(|x| x));
    let rows: Vec<[i32; 5]> = [0, 2, 3].map(|k| fortran.map(|t| t[k])).to_vec();
    let columns: Vec<[f64; 5]> = [0, 1, 2].map(|k| VERTICES.map(|v| v[k])).to_vec();
    let vertices = dem_array { data: columns.as_ptr().cast(), count: 5, stride: 8, component_stride: 40, ..NO_ARRAY };
    let data = rows.as_ptr().cast();
    let triangles = dem_indices { data, count: 5, stride: 4, component_stride: 20, r#type: DEM_I32, base: 1 };
    let (mut other, _) = built(&dem_shape_desc { vertices, triangles, ..description() });
    assert_eq!(memory.bytes(size), other.bytes(size));

    let loose: Vec<[f64; 3]> = TRIANGLES.as_flattened().iter().map(|v| VERTICES[*v as usize]).collect();
    let vertices = dem_array { data: loose.as_ptr().cast(), count: 15, ..NO_ARRAY };
    let (mut other, _) =
        built(&dem_shape_desc { vertices, triangles: dem_shape_desc::DEFAULT.triangles, ..description() });
    assert_eq!(information(&mut other).1.vertices, 15);
    let halos = [0.25; 5];
    let halos = dem_array { data: halos.as_ptr().cast(), count: 5, ..NO_ARRAY };
    assert_eq!(information(&mut built(&dem_shape_desc { halos, halo: -1.0, ..description() }).0).1.halo, 0.25);
}

#[test]
fn a_copy_is_a_shape_and_damage_is_found() {
    let (mut memory, size) = built(&description());
    let mut copy = Memory::new(size);
    copy.bytes(size).copy_from_slice(memory.bytes(size));
    assert_eq!(information(&mut copy).1.identity, information(&mut memory).1.identity);
    assert_eq!(reopened(&mut copy, size), DEM_OK);
    assert_eq!(reopened(&mut copy, size - 1), DEM_ERROR_CAPACITY);
    // After the first line, every byte is checked, except unused bytes at the end of the parts' headers.
    for at in (64..size).step_by(37).chain(64..256) {
        copy.bytes(size)[at] ^= 0x10;
        assert_ne!(reopened(&mut copy, size), DEM_OK, "byte {at} of {size}");
        copy.bytes(size)[at] ^= 0x10;
    }
    assert_eq!(reopened(&mut copy, size), DEM_OK);
}

/// The marks in the first line save time and change no result. This holds if they are missing (as in a block of an older library),
/// damaged, or those of another shape, and if the content that they describe is damaged.
#[test]
fn marks_change_no_answer() {
    const MARKS: core::ops::Range<usize> = 32..64;
    let (mut memory, size) = built(&description());
    let mut without = Memory::new(size);
    without.bytes(size).copy_from_slice(memory.bytes(size));
    without.bytes(size)[MARKS].fill(0);
    let expected = |memory: &mut Memory| {
        let mut found = [0xcdu8; size_of::<dem_shape_info>()];
        // SAFETY: the memory is aligned and contains a shape, perhaps a damaged one; the record has room.
        let status = unsafe {
            let (shape, to) = (memory.start().cast(), found.as_mut_ptr().cast());
            dem_shape_describe(to, size_of::<dem_shape_info>(), shape, core::ptr::null_mut())
        };
        let (mut error, mut report) = (dem_error::default(), crate::inspection::dem_report::default());
        // SAFETY: as above.
        let other = unsafe {
            let (shape, null, size) = (memory.start().cast(), core::ptr::null_mut::<u64>(), size_of_val(&report));
            dem_shape_inspect(&mut report, size, shape, null.cast(), null.cast(), 0, &mut error)
        };
        (status, found, other, error.needed)
    };
    let good = expected(&mut memory);
    assert_eq!((good.0, good.2), (DEM_OK, DEM_ERROR_CAPACITY));
    assert!(memory.bytes(size)[MARKS].iter().any(|b| *b != 0), "there are marks");
    assert_eq!(expected(&mut without), good);
    let (tree, cells) =
        block::ends(&memory.bytes(size)[64..]).map(|(mesh, tree)| (64 + mesh, 64 + tree + LINE)).unwrap();
    let mut refused = 0;
    for at in MARKS.chain(64..256).chain(tree..tree + 192).chain(cells..cells + 128) {
        for memory in [&mut memory, &mut without] {
            memory.bytes(size)[at] ^= 0x20;
        }
        let found = expected(&mut memory);
        if MARKS.contains(&at) {
            assert_eq!(found, good, "byte {at}");
        } else {
            assert_eq!(found, expected(&mut without), "byte {at}");
            refused += u32::from(found.2 != DEM_OK);
        }
        for memory in [&mut memory, &mut without] {
            memory.bytes(size)[at] ^= 0x20;
        }
    }
    assert!(refused >= 80 + 96, "every byte of headers and sizes counts: {refused}");
    let (mut larger, _) = built(&dem_shape_desc { fan_out: 2, leaf: 1, ..description() });
    let foreign = larger.bytes(64)[MARKS].to_vec();
    memory.bytes(size)[MARKS].copy_from_slice(&foreign);
    assert_eq!(expected(&mut memory), good);
    assert_eq!(reopened(&mut memory, size), DEM_OK);
    assert!(memory.bytes(size)[MARKS] != foreign, "opening renews them");
}

#[test]
fn bytes_that_were_copied_during_a_call_are_busy_until_they_are_opened() {
    let (mut memory, size) = built(&description());
    memory.bytes(size)[24] = 1;
    assert_eq!(information(&mut memory).0, DEM_ERROR_BUSY);
    assert_eq!(reopened(&mut memory, size), DEM_OK);
    assert_eq!(information(&mut memory).0, DEM_OK);
}

#[test]
fn overlaps_are_refused() {
    let desc = description();
    let size = layout(&desc);
    let mut memory = Memory::new(size);
    let (start, mut shape, mut error) = (memory.start(), core::ptr::null_mut(), dem_error::default());
    let vertices = dem_array { data: start.wrapping_byte_add(size - 101), ..desc.vertices };
    let desc = dem_shape_desc { vertices, ..desc };
    // SAFETY: all memory has the size that is passed.
    let status = unsafe { dem_shape_init(start, size, &mut shape, &desc, &mut error) };
    assert_eq!((status, error.argument), (DEM_ERROR_OVERLAP, What::Block as u32));
    assert!(memory.bytes(size).iter().all(|b| *b == 0xab));
}

#[test]
fn bad_descriptions_are_refused_with_their_place() {
    let good = description();
    // This is enough for larger descriptions, too.
    let size = 2 * layout(&good);
    let mut memory = Memory::new(size);
    let (mut nan, mut behind) = (VERTICES, TRIANGLES);
    nan[3][1] = f64::INFINITY;
    behind[2][1] = 5;
    let at = |data: *const c_void| dem_array { data, ..good.vertices };
    let indices = |data: *const c_void| dem_indices { data, ..good.triangles };
    let halos = [0.0, 0.0, -1.0, 0.0, 0.0];
    let halos = |count| dem_array { data: halos.as_ptr().cast(), count, ..NO_ARRAY };
    let null = core::ptr::null();
    for (desc, code, what, index, component) in [
        (dem_shape_desc { vertices: at(null), ..good }, DEM_ERROR_NULL, What::Vertices, 0, 255),
        (dem_shape_desc { vertices: at(nan.as_ptr().cast()), ..good }, DEM_ERROR_NOT_FINITE, What::Vertices, 3, 1),
        (
            dem_shape_desc { triangles: indices(behind.as_ptr().cast()), ..good },
            DEM_ERROR_BAD_INDEX,
            What::Indices,
            2,
            1,
        ),
        (dem_shape_desc { triangles: indices(null), ..good }, DEM_ERROR_NULL, What::Indices, 0, 255),
        (dem_shape_desc { halo: f64::NAN, ..good }, DEM_ERROR_NOT_FINITE, What::Halo, 0, 0),
        (dem_shape_desc { halos: halos(5), ..good }, DEM_ERROR_OUT_OF_RANGE, What::Halos, 2, 0),
        (dem_shape_desc { halos: halos(4), ..good }, DEM_ERROR_MISMATCH, What::Halos, 0, 0),
        (dem_shape_desc { stored: 9, ..good }, DEM_ERROR_OUT_OF_RANGE, What::Stored, 0, 0),
        (dem_shape_desc { preset: 0, ..good }, DEM_ERROR_OUT_OF_RANGE, What::Preset, 0, 0),
        (dem_shape_desc { fan_out: 1, ..good }, DEM_ERROR_OUT_OF_RANGE, What::FanOut, 0, 0),
        (dem_shape_desc { leaf: 65, ..good }, DEM_ERROR_OUT_OF_RANGE, What::Leaf, 0, 0),
        (dem_shape_desc { cells: 2, ..good }, DEM_ERROR_OUT_OF_RANGE, What::Cells, 0, 0),
        (dem_shape_desc { law: 3, ..good }, DEM_ERROR_OUT_OF_RANGE, What::Law, 0, 0),
        (dem_shape_desc { flat: f64::NAN, ..good }, DEM_ERROR_NOT_FINITE, What::Flat, 0, 0),
        (dem_shape_desc { flat: -1.0, ..good }, DEM_ERROR_OUT_OF_RANGE, What::Flat, 0, 0),
        (dem_shape_desc { angle: 4.0, ..good }, DEM_ERROR_OUT_OF_RANGE, What::Angle, 0, 0),
        (dem_shape_desc { isa: 50, ..good }, DEM_ERROR_UNSUPPORTED, What::Isa, 0, 0),
        (dem_shape_desc { struct_size: 5, ..good }, DEM_ERROR_BAD_SIZE, What::Description, 0, 3),
    ] {
        let mut shape = core::ptr::null_mut();
        let error = init(&desc, &mut memory, size, &mut shape);
        let found = (error.code, error.argument, error.index, error.component);
        assert_eq!(found, (code, what as u32, index, component), "{desc:?}");
        assert_eq!(shape.is_null(), code != 0);
    }
}

#[test]
fn handles_that_are_none_are_refused() {
    let (mut memory, size) = built(&description());
    let start = memory.start();
    let mut info = dem_shape_info::default();
    let mut describe = |at: *const c_void| {
        // SAFETY: the pointer is null, misaligned, or points at valid memory.
        unsafe { dem_shape_describe(&mut info, size_of::<dem_shape_info>(), at.cast(), core::ptr::null_mut()) }
    };
    assert_eq!(describe(core::ptr::null()), DEM_ERROR_NULL);
    assert_eq!(describe(start.wrapping_byte_add(8)), DEM_ERROR_MISALIGNED);
    assert_eq!(describe(start.wrapping_byte_add(64)), DEM_ERROR_DAMAGED);
    // SAFETY: as above.
    unsafe {
        assert_eq!(dem_shape_describe(core::ptr::null_mut(), 8, start.cast(), core::ptr::null_mut()), DEM_ERROR_NULL);
        assert_eq!(dem_shape_open(start, size, core::ptr::null_mut(), core::ptr::null_mut()), DEM_ERROR_NULL);
    }
}

#[test]
fn an_older_program_gets_the_part_of_the_record_that_it_has() {
    let (mut memory, _) = built(&description());
    let mut bytes = [0xabu8; size_of::<dem_shape_info>()];
    // SAFETY: the record has 12 bytes.
    let status =
        unsafe { dem_shape_describe(bytes.as_mut_ptr().cast(), 12, memory.start().cast(), core::ptr::null_mut()) };
    assert_eq!((status, &bytes[..8]), (DEM_OK, &[5u32, 5].map(u32::to_ne_bytes).concat()[..]));
    assert!(bytes[12..].iter().all(|b| *b == 0xab));
}

#[test]
fn sentences_name_the_field_as_the_header_spells_it_and_what_it_must_be() {
    let good = description();
    let says = |desc: &dem_shape_desc| {
        let (mut error, mut text) = (dem_error::default(), [0u8; DEM_ERROR_TEXT]);
        let null = core::ptr::null_mut::<usize>();
        // SAFETY: all memory has the size that is passed.
        unsafe {
            dem_shape_layout(null, core::ptr::null_mut(), desc, &mut error);
            assert_eq!(dem_error_format(text.as_mut_ptr().cast(), text.len(), null, &error), DEM_OK);
        }
        let end = text.iter().position(|byte| *byte == 0).unwrap();
        String::from_utf8(text[..end].to_vec()).unwrap()
    };
    let vertices = dem_array { r#type: 3, ..good.vertices };
    for (desc, sentence) in [
        (dem_shape_desc { preset: 9, ..good }, "preset: must be DEM_PRESET_FAST (1), _DEFAULT (2) or _BEST (3)"),
        (dem_shape_desc { stored: 0, ..good }, "stored: must be DEM_F32 (1) or DEM_F64 (2)"),
        (dem_shape_desc { fan_out: 65, ..good }, "fan_out: must be 2 to 64"),
        (dem_shape_desc { leaf: 0, ..good }, "leaf: must be 1 to 64"),
        (dem_shape_desc { cells: 7, ..good }, "cells: must be 0 or 1"),
        (dem_shape_desc { law: 7, ..good }, "law: must be DEM_LAW_FACING (0), DEM_LAW_VOLUME (1) or DEM_LAW_AUTO (2)"),
        (
            dem_shape_desc { vertices, ..good },
            "vertices: the numbers are int32_t and must be float or double; set the array's type",
        ),
    ] {
        assert_eq!(says(&desc), sentence);
    }
}
