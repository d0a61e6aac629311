//! Common parts of the tests: arrays of a host, and shapes in its memory.

use core::ffi::c_void;

use crate::arrays::{NO_ARRAY, dem_array, dem_output};
use crate::body_contacts::dem_contact;
use crate::detect::{dem_scene_counts, dem_scene_detect, dem_scene_query};
use crate::errors::{DEM_ARGUMENT_SCRATCH, DEM_ERROR_CAPACITY, DEM_OK, dem_error};
use crate::inputs::Input;
use crate::pair_contacts::{dem_placed_contacts, dem_placed_query};
use crate::placed::{DEM_KIND_MESH, POINT, dem_placed};
use crate::scenes::{dem_scene_desc, dem_scene_init, dem_scene_layout};
use crate::shapes::{dem_shape, dem_shape_desc, dem_shape_describe, dem_shape_info, dem_shape_init, dem_shape_layout};

/// An input array of packed vectors.
pub fn vectors(data: &[[f64; 3]]) -> dem_array {
    dem_array { data: data.as_ptr().cast(), count: data.len(), ..NO_ARRAY }
}

/// An input array of packed numbers.
pub fn numbers(data: &[f64]) -> dem_array {
    dem_array { data: data.as_ptr().cast(), count: data.len(), ..NO_ARRAY }
}

/// An output array of packed items.
pub fn output<T>(data: &mut [T], r#type: u32) -> dem_output {
    let (data, count): (*mut c_void, _) = (data.as_mut_ptr().cast(), data.len());
    dem_output { data, count, stride: 0, component_stride: 0, r#type, reserved: 0 }
}

/// A wavy sheet of 2 n^2 triangles over the unit square.
pub fn sheet(n: usize) -> Vec<[[f64; 3]; 3]> {
    let at = |i: usize, j: usize| {
        let height = ((7 * i + 5 * j) % 11) as f64 / 100.0;
        [i as f64 / n as f64, j as f64 / n as f64, height]
    };
    let cells = (0..n * n).map(|c| (c / n, c % n));
    let two = |(i, j)| [[at(i, j), at(i + 1, j), at(i, j + 1)], [at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)]];
    cells.flat_map(two).collect()
}

/// The unit cube, looking outward.
pub fn cube() -> Vec<[[f64; 3]; 3]> {
    let corner = |i: usize| [0, 1, 2].map(|k| (i >> k & 1) as f64);
    let faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    faces.iter().flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *c, *d]]).map(|t| t.map(corner)).collect()
}

/// An L, extruded along z from -0.5 to 1.5: its inner corner is at x = y = 1, and both arms extend by 1 from there.
pub fn ell() -> Vec<[[f64; 3]; 3]> {
    let outline = [[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [1.0, 1.0], [1.0, 2.0], [0.0, 2.0]];
    let at = |i: usize, z: f64| [outline[i % 6][0], outline[i % 6][1], z];
    let ends = [[0, 1, 3], [1, 2, 3], [0, 3, 5], [3, 4, 5]].into_iter();
    let ends =
        ends.flat_map(|[i, j, k]| [[at(i, 1.5), at(j, 1.5), at(k, 1.5)], [at(k, -0.5), at(j, -0.5), at(i, -0.5)]]);
    let sides = (0..6)
        .flat_map(|i| [[at(i, -0.5), at(i + 1, -0.5), at(i + 1, 1.5)], [at(i, -0.5), at(i + 1, 1.5), at(i, 1.5)]]);
    ends.chain(sides).collect()
}

/// A cache line, the alignment of blocks.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub struct Line(pub [u8; 64]);

/// A shape of loose triangles.
pub struct Shape(pub Vec<Line>);

impl Shape {
    /// Builds a shape from copies of the corners, with one halo for all.
    pub fn new(triangles: &[[[f64; 3]; 3]], halo: f64) -> Shape {
        let vertices = vectors(triangles.as_flattened());
        Shape::described(&dem_shape_desc { vertices, halo, ..Input::DEFAULT })
    }

    /// As [`Shape::new`], without cells.
    pub fn bare(triangles: &[[[f64; 3]; 3]], halo: f64) -> Shape {
        let vertices = vectors(triangles.as_flattened());
        Shape::described(&dem_shape_desc { vertices, halo, cells: 0, ..Input::DEFAULT })
    }

    /// Builds a shape from a description.
    pub fn described(desc: &dem_shape_desc) -> Shape {
        let (mut size, mut shape) = (0, core::ptr::null_mut());
        let null: *mut c_void = core::ptr::null_mut();
        // SAFETY: all memory has the size that is passed.
        unsafe {
            assert_eq!(dem_shape_layout(&mut size, core::ptr::null_mut(), desc, null.cast()), DEM_OK);
            let mut block = vec![Line([0xab; 64]); size / 64];
            let start = block.as_mut_ptr().cast();
            assert_eq!(dem_shape_init(start, size, &mut shape, desc, null.cast()), DEM_OK);
            Shape(block)
        }
    }

    /// Its address.
    pub fn handle(&self) -> *const dem_shape {
        self.0.as_ptr().cast()
    }

    /// Its properties.
    pub fn info(&self) -> dem_shape_info {
        let mut info = dem_shape_info::default();
        // SAFETY: all memory has the size that is passed.
        let status =
            unsafe { dem_shape_describe(&mut info, size_of::<dem_shape_info>(), self.handle(), core::ptr::null_mut()) };
        assert_eq!(status, DEM_OK);
        info
    }

    /// The bytes of the shape, without the rest of its memory.
    pub fn bytes(&self) -> &[u8] {
        // SAFETY: lines follow each other without gaps, and contain the shape.
        unsafe { core::slice::from_raw_parts(self.0.as_ptr().cast(), self.info().size as usize) }
    }
}

/// Calls the function: records, their number, the error.
pub fn try_placed_contacts(
    query: &dem_placed_query,
    capacity: usize,
    scratch_size: usize,
) -> (Vec<dem_contact>, usize, dem_error) {
    let mut records = vec![dem_contact::default(); capacity];
    let (mut scratch, mut count, mut error) = (vec![0x55u8; scratch_size], 99, dem_error::default());
    let (to, scratch) = (records.as_mut_ptr(), scratch.as_mut_ptr().cast());
    // SAFETY: all memory has the size that is passed.
    let status = unsafe { dem_placed_contacts(to, capacity, 0, &mut count, query, scratch, scratch_size, &mut error) };
    assert_eq!(status, error.code);
    records.truncate(count);
    (records, count, error)
}

/// Finds contacts as a program that begins without memory.
pub fn placed_contacts(query: &dem_placed_query) -> Vec<dem_contact> {
    let (mut capacity, mut size) = (0, 0);
    for _ in 0..9 {
        let (records, count, error) = try_placed_contacts(query, capacity, size);
        match error.code {
            DEM_OK => return records,
            DEM_ERROR_CAPACITY if count > capacity => capacity = count,
            DEM_ERROR_CAPACITY => size = error.needed as usize,
            _ => panic!("{error:?}"),
        }
    }
    panic!("no end")
}

/// Two unit cubes beside each other along x, and a third that touches neither.
pub struct Cubes {
    /// The cube.
    pub mesh: Shape,
    /// The scene, after a step.
    pub scene: Vec<Line>,
    /// Its contacts.
    pub count: usize,
}

impl Cubes {
    /// The cubes in a scene, after a step.
    pub fn new() -> Cubes {
        let mesh = Shape::new(&cube(), 0.05);
        let shapes = [dem_placed { kind: DEM_KIND_MESH, shape: mesh.handle(), ..POINT }];
        let positions = [[0.0; 3], [1.05, 0.0, 0.0], [9.0, 0.0, 0.0]];
        let desc = dem_scene_desc { bodies: 3, ..Input::DEFAULT };
        let query = dem_scene_query {
            shapes: shapes.as_ptr(),
            shape_count: 1,
            positions: vectors(&positions),
            ..Input::DEFAULT
        };
        let (mut size, mut scene, mut counts) = (0, core::ptr::null_mut(), dem_scene_counts::default());
        let null = core::ptr::null_mut();
        // SAFETY: all memory has the size that is passed.
        unsafe {
            assert_eq!(dem_scene_layout(&mut size, null, &desc, null.cast()), DEM_OK);
            let mut block = vec![Line([0; 64]); size / 64];
            assert_eq!(dem_scene_init(block.as_mut_ptr().cast(), size, &mut scene, &desc, null.cast()), DEM_OK);
            let room = size_of_val(&counts);
            size = scratch_of(|to, size, error| dem_scene_detect(scene, null.cast(), 0, &query, to, size, error));
            let mut scratch = vec![0u8; size];
            let to = scratch.as_mut_ptr().cast();
            assert_eq!(dem_scene_detect(scene, &mut counts, room, &query, to, size, null.cast()), DEM_OK);
            let count = counts.contacts as usize;
            assert!(count > 0);
            Cubes { mesh, scene: block, count }
        }
    }
}

/// The scratch that a call without scratch asks for. If it needs any, it does nothing else.
pub(crate) fn scratch_of(call: impl FnOnce(*mut c_void, usize, *mut dem_error) -> i32) -> usize {
    let mut error = dem_error { code: 99, ..dem_error::default() };
    if call(core::ptr::null_mut(), 0, &mut error) == DEM_OK {
        return 0;
    }
    assert_eq!((error.code, error.argument), (DEM_ERROR_CAPACITY, DEM_ARGUMENT_SCRATCH), "{error:?}");
    error.needed as usize
}
