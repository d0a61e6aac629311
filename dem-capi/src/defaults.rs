//! Defaults of structs.
//!
//! Structs of inputs that may grow begin with `struct_size` and have defaults: `dem_scene_query query = dem_scene_query_default();`. These functions are `static
//! inline` and call `dem_defaults`, which programs in other languages call themselves.

use core::ffi::c_void;

use dem_core::error::{Error, Kind, Result, What};

use crate::boxes::dem_near_boxes;
use crate::contacts::{dem_contact_options, dem_contact_results};
use crate::detect::dem_scene_query;
use crate::edge;
use crate::errors::dem_error;
use crate::grids::dem_grid_desc;
use crate::inputs::fill;
use crate::inspection::dem_inspect_options;
use crate::motion::dem_motion;
use crate::moving::dem_scene_motion;
use crate::near::dem_near_query;
use crate::pair_contacts::dem_placed_query;
use crate::placed::dem_compound;
use crate::points::{dem_point_query, dem_point_results};
use crate::queries::dem_query;
use crate::refit::dem_refit_desc;
use crate::scenes::dem_scene_desc;
use crate::shapes::dem_shape_desc;
use crate::triangles::{dem_closest_points, dem_triangle_options};
use crate::world_bodies::dem_member;
use crate::world_steps::dem_world_query;
use crate::worlds::{dem_world_desc, dem_world_setup};

/// `which` of `dem_defaults`: `dem_shape_desc`.
pub const DEM_DEFAULT_SHAPE_DESC: u32 = 1;
/// `which` of `dem_defaults`: `dem_compound`.
pub const DEM_DEFAULT_COMPOUND: u32 = 2;
/// `which` of `dem_defaults`: `dem_scene_desc`.
pub const DEM_DEFAULT_SCENE_DESC: u32 = 3;
/// `which` of `dem_defaults`: `dem_scene_query`.
pub const DEM_DEFAULT_SCENE_QUERY: u32 = 4;
/// `which` of `dem_defaults`: `dem_scene_motion`.
pub const DEM_DEFAULT_SCENE_MOTION: u32 = 5;
/// `which` of `dem_defaults`: `dem_world_desc`.
pub const DEM_DEFAULT_WORLD_DESC: u32 = 6;
/// `which` of `dem_defaults`: `dem_world_setup`.
pub const DEM_DEFAULT_WORLD_SETUP: u32 = 7;
/// `which` of `dem_defaults`: `dem_member`.
pub const DEM_DEFAULT_MEMBER: u32 = 8;
/// `which` of `dem_defaults`: `dem_world_query`.
pub const DEM_DEFAULT_WORLD_QUERY: u32 = 9;
/// `which` of `dem_defaults`: `dem_placed_query`.
pub const DEM_DEFAULT_PLACED_QUERY: u32 = 10;
/// `which` of `dem_defaults`: `dem_motion`.
pub const DEM_DEFAULT_MOTION: u32 = 11;
/// `which` of `dem_defaults`: `dem_inspect_options`.
pub const DEM_DEFAULT_INSPECT_OPTIONS: u32 = 12;
/// `which` of `dem_defaults`: `dem_refit_desc`.
pub const DEM_DEFAULT_REFIT_DESC: u32 = 13;
/// `which` of `dem_defaults`: `dem_query`.
pub const DEM_DEFAULT_QUERY: u32 = 14;
/// `which` of `dem_defaults`: `dem_point_query`.
pub const DEM_DEFAULT_POINT_QUERY: u32 = 15;
/// `which` of `dem_defaults`: `dem_point_results`.
pub const DEM_DEFAULT_POINT_RESULTS: u32 = 16;
/// `which` of `dem_defaults`: `dem_near_query`.
pub const DEM_DEFAULT_NEAR_QUERY: u32 = 17;
/// `which` of `dem_defaults`: `dem_grid_desc`.
pub const DEM_DEFAULT_GRID_DESC: u32 = 18;
/// `which` of `dem_defaults`: `dem_near_boxes`.
pub const DEM_DEFAULT_NEAR_BOXES: u32 = 19;
/// `which` of `dem_defaults`: `dem_closest_points`.
pub const DEM_DEFAULT_CLOSEST_POINTS: u32 = 20;
/// `which` of `dem_defaults`: `dem_triangle_options`.
pub const DEM_DEFAULT_TRIANGLE_OPTIONS: u32 = 21;
/// `which` of `dem_defaults`: `dem_contact_options`.
pub const DEM_DEFAULT_CONTACT_OPTIONS: u32 = 22;
/// `which` of `dem_defaults`: `dem_contact_results`.
pub const DEM_DEFAULT_CONTACT_RESULTS: u32 = 23;

/// Fills a struct with its defaults.
///
/// Outputs: `record`: its first `struct_size` bytes.
/// Inputs: `struct_size`: `sizeof` the struct, as the program was compiled with it. `which`: one of `DEM_DEFAULT_*`, the type of the
/// struct.
/// Errors: `DEM_ERROR_NULL`; `DEM_ERROR_BAD_SIZE`: no version of the struct has this size; `DEM_ERROR_OUT_OF_RANGE` about `which`.
/// Cost: none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_defaults(
    record: *mut c_void,
    struct_size: usize,
    which: u32,
    error: *mut dem_error,
) -> i32 {
    // SAFETY: the caller guarantees `struct_size` bytes where the pointer is not null.
    edge::call(error, || unsafe { defaults(record, struct_size, which) })
}

/// Fills the bytes of a struct with its defaults, for tools that generate bindings of other languages. Returns whether such a struct of this size
/// exists.
pub fn fill_bytes(record: &mut [u8], which: u32) -> bool {
    // SAFETY: the length that is passed is that of the slice.
    unsafe { defaults(record.as_mut_ptr().cast(), record.len(), which) }.is_ok()
}

/// # Safety
/// As for [`dem_defaults`].
unsafe fn defaults(record: *mut c_void, size: usize, which: u32) -> Result<()> {
    // SAFETY: by this function's contract.
    unsafe {
        match which {
            DEM_DEFAULT_SHAPE_DESC => fill::<dem_shape_desc>(record.cast(), size, What::Description),
            DEM_DEFAULT_COMPOUND => fill::<dem_compound>(record.cast(), size, What::Body),
            DEM_DEFAULT_SCENE_DESC => fill::<dem_scene_desc>(record.cast(), size, What::Description),
            DEM_DEFAULT_SCENE_QUERY => fill::<dem_scene_query>(record.cast(), size, What::Query),
            DEM_DEFAULT_SCENE_MOTION => fill::<dem_scene_motion>(record.cast(), size, What::Motion),
            DEM_DEFAULT_WORLD_DESC => fill::<dem_world_desc>(record.cast(), size, What::Description),
            DEM_DEFAULT_WORLD_SETUP => fill::<dem_world_setup>(record.cast(), size, What::Setup),
            DEM_DEFAULT_MEMBER => fill::<dem_member>(record.cast(), size, What::Member),
            DEM_DEFAULT_WORLD_QUERY => fill::<dem_world_query>(record.cast(), size, What::Query),
            DEM_DEFAULT_PLACED_QUERY => fill::<dem_placed_query>(record.cast(), size, What::Query),
            DEM_DEFAULT_MOTION => fill::<dem_motion>(record.cast(), size, What::Motion),
            DEM_DEFAULT_INSPECT_OPTIONS => fill::<dem_inspect_options>(record.cast(), size, What::Options),
            DEM_DEFAULT_REFIT_DESC => fill::<dem_refit_desc>(record.cast(), size, What::Description),
            DEM_DEFAULT_QUERY => fill::<dem_query>(record.cast(), size, What::Query),
            DEM_DEFAULT_POINT_QUERY => fill::<dem_point_query>(record.cast(), size, What::Query),
            DEM_DEFAULT_POINT_RESULTS => fill::<dem_point_results>(record.cast(), size, What::Output),
            DEM_DEFAULT_NEAR_QUERY => fill::<dem_near_query>(record.cast(), size, What::Query),
            DEM_DEFAULT_GRID_DESC => fill::<dem_grid_desc>(record.cast(), size, What::Description),
            DEM_DEFAULT_NEAR_BOXES => fill::<dem_near_boxes>(record.cast(), size, What::Boxes),
            DEM_DEFAULT_CLOSEST_POINTS => fill::<dem_closest_points>(record.cast(), size, What::Output),
            DEM_DEFAULT_TRIANGLE_OPTIONS => fill::<dem_triangle_options>(record.cast(), size, What::Options),
            DEM_DEFAULT_CONTACT_OPTIONS => fill::<dem_contact_options>(record.cast(), size, What::Options),
            DEM_DEFAULT_CONTACT_RESULTS => fill::<dem_contact_results>(record.cast(), size, What::Output),
            _ => {
                Err(Error::new(Kind::OutOfRange, What::Which).amounts(DEM_DEFAULT_CONTACT_RESULTS.into(), which.into()))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::errors::{DEM_ERROR_BAD_SIZE, DEM_ERROR_NULL, DEM_ERROR_OUT_OF_RANGE, DEM_OK};
    use crate::inputs::Input;
    use core::ptr::null_mut;

    #[test]
    fn every_struct_with_a_size_has_defaults() {
        let mut record = [0u64; 128];
        for layout in crate::structs::all().iter().filter(|layout| layout.fields[0].name == "struct_size") {
            let size = layout.size;
            // SAFETY: the record is larger than every struct.
            let fits = |which| unsafe { dem_defaults(record.as_mut_ptr().cast(), size, which, null_mut()) } == DEM_OK;
            assert!(
                size <= size_of_val(&[0u64; 128]) && (1..=DEM_DEFAULT_CONTACT_RESULTS).any(fits),
                "{}",
                layout.name
            );
            assert_eq!(record[0] as u32 as usize, size, "{}", layout.name);
        }
    }

    #[test]
    fn what_is_no_struct_is_refused() {
        let mut query = dem_scene_query { isa: 7, ..Input::DEFAULT };
        let (to, size) = ((&raw mut query).cast(), size_of::<dem_scene_query>());
        let mut error = dem_error::default();
        // SAFETY: the pointers are null or point at memory of the size that is passed.
        unsafe {
            assert_eq!(dem_defaults(to, size, DEM_DEFAULT_SCENE_QUERY, &mut error), DEM_OK);
            assert_eq!((query.isa, query.bound), (0, f64::INFINITY));
            assert_eq!(dem_defaults(null_mut(), size, DEM_DEFAULT_SCENE_QUERY, &mut error), DEM_ERROR_NULL);
            assert_eq!(dem_defaults(to, 8, DEM_DEFAULT_SCENE_QUERY, &mut error), DEM_ERROR_BAD_SIZE);
            assert_eq!((error.needed, error.given), (size as u64, 8));
            assert_eq!(dem_defaults(to, size, 0, &mut error), DEM_ERROR_OUT_OF_RANGE);
            assert_eq!(dem_defaults(to, size, 99, &mut error), DEM_ERROR_OUT_OF_RANGE);
        }
    }
}
