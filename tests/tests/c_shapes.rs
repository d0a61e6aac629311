//! Shapes of the C interface: there is room for the cells of usual surfaces, by all laws, where `dem_shape_layout` was asked.

use dem::arrays::{DEM_F64, DEM_U32, dem_array, dem_indices};
use dem::defaults::{DEM_DEFAULT_SHAPE_DESC, dem_defaults};
use dem::errors::{DEM_OK, dem_error};
use dem::shapes::*;
use dem_std::generate;

/// Bytes of the block that was asked for, and of those that hold the shape.
fn built(vertices: &[[f64; 3]], triangles: &[[u32; 3]], law: u32) -> Result<(usize, dem_shape_info), Box<dem_error>> {
    let (mut size, mut error, mut shape) = (0, dem_error::default(), core::ptr::null_mut());
    let (mut desc, mut info) = (core::mem::MaybeUninit::<dem_shape_desc>::uninit(), dem_shape_info::default());
    // SAFETY: there is as much as is said.
    unsafe {
        let (to, which) = (desc.as_mut_ptr().cast(), DEM_DEFAULT_SHAPE_DESC);
        assert_eq!(dem_defaults(to, size_of::<dem_shape_desc>(), which, &mut error), DEM_OK);
        let mut desc = desc.assume_init();
        let (data, count) = (vertices.as_ptr().cast(), vertices.len());
        desc.vertices = dem_array { data, count, stride: 0, component_stride: 0, r#type: DEM_F64, reserved: 0 };
        let (data, count) = (triangles.as_ptr().cast(), triangles.len());
        desc.triangles = dem_indices { data, count, stride: 0, component_stride: 0, r#type: DEM_U32, base: 0 };
        (desc.halo, desc.law) = (0.01, law);
        assert_eq!(dem_shape_layout(&mut size, std::ptr::null_mut(), &desc, &mut error), DEM_OK);
        let layout = std::alloc::Layout::from_size_align(size, 64).unwrap();
        let block = std::alloc::alloc(layout);
        let status = dem_shape_init(block.cast(), size, &mut shape, &desc, &mut error);
        if status == DEM_OK {
            assert_eq!(dem_shape_describe(&mut info, size_of::<dem_shape_info>(), shape, &mut error), DEM_OK);
        }
        std::alloc::dealloc(block, layout);
        if status == DEM_OK { Ok((size, info)) } else { Err(Box::new(error)) }
    }
}

#[test]
fn there_is_room_for_the_cells_of_usual_surfaces() {
    let spiky = |level, eta| generate::bumpy(generate::icosphere(level).unwrap(), eta, 1);
    for (name, mesh) in [
        ("tetrahedron", generate::hull(&[[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])),
        ("box", generate::cuboid([1.0, 2.0, 3.0])),
        ("icosahedron", generate::icosphere(0)),
        ("ball of 320", generate::icosphere(2)),
        ("ball of 5120", generate::icosphere(4)),
        ("lens", generate::uv_sphere(40, 6)),
        ("needle", generate::uv_sphere(5, 60)),
        ("plate", generate::plate([30, 20], [1.0, 2.0])),
        ("rock of 1280", spiky(3, 1.2)),
        ("burr of 320", spiky(2, 3.0)),
        ("burr of 5120", spiky(4, 3.0)),
        ("hull", generate::hull_sphere(200, 3)),
        ("long", generate::elongated(3, 1.5)),
    ] {
        let mesh = mesh.unwrap();
        let (vertices, triangles) = (&mesh.vertices, &mesh.indices);
        for law in [DEM_LAW_FACING, DEM_LAW_VOLUME, DEM_LAW_AUTO] {
            let (size, info) = built(vertices, triangles, law).unwrap_or_else(|e| panic!("{name}, {law}: {e:?}"));
            let n = triangles.len();
            println!("{name:>14} {n:6} law {law}: asked {} a triangle, held {}", size / n, info.size as usize / n);
            assert!(info.cells > 0);
        }
    }
}
