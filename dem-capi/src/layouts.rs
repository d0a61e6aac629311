//! Every struct that crosses the border: no padding, and a list of fields to compare with what a C compiler makes of it.

/// A struct of the header.
pub struct Layout {
    /// Its name.
    pub name: &'static str,
    /// Its size in bytes.
    pub size: usize,
    /// Its alignment in bytes.
    pub align: usize,
    /// Its fields in order.
    pub fields: &'static [Field],
}

/// A field of it.
pub struct Field {
    /// Its name.
    pub name: &'static str,
    /// Bytes before it.
    pub offset: usize,
    /// Its size in bytes.
    pub size: usize,
}

/// A struct that crosses the border.
pub(crate) trait Fixed: Copy {
    /// What it is made of.
    const LAYOUT: Layout;
}

/// Says that a struct has these fields in this order, no others, and no padding on any machine.
macro_rules! fixed {
    ($name:ident { $($field:ident: $type:ty),* $(,)? }) => {
        const _: () = {
            let mut at = 0;
            $(
                assert!(core::mem::offset_of!($name, $field) == at, "padding before a field");
                at += size_of::<$type>();
            )*
            assert!(size_of::<$name>() == at, "padding at the end");
        };

        impl $crate::layouts::Fixed for $name {
            const LAYOUT: $crate::layouts::Layout = {
                // Fails to compile where a field is missing in the list or has another type.
                const fn _complete(all: &$name) -> ($(&$type,)*) {
                    let $name { $($field,)* } = all;
                    ($($field,)*)
                }
                $crate::layouts::Layout {
                    name: stringify!($name),
                    size: size_of::<$name>(),
                    align: align_of::<$name>(),
                    fields: &[$($crate::layouts::Field {
                        name: stringify!($field),
                        offset: core::mem::offset_of!($name, $field),
                        size: size_of::<$type>(),
                    },)*],
                }
            };
        }
    };
}
pub(crate) use fixed;

/// All of them, in the order of the header.
pub fn all() -> &'static [Layout] {
    const ALL: &[Layout] = &[
        crate::errors::dem_error::LAYOUT,
        crate::arrays::dem_array::LAYOUT,
        crate::arrays::dem_output::LAYOUT,
        crate::arrays::dem_triangles::LAYOUT,
        crate::arrays::dem_segments::LAYOUT,
        crate::arrays::dem_indices::LAYOUT,
        crate::triangles::dem_closest_points::LAYOUT,
        crate::triangles::dem_triangle_options::LAYOUT,
        crate::contacts::dem_contact_options::LAYOUT,
        crate::contacts::dem_contact_results::LAYOUT,
        crate::contacts::dem_contact_statistics::LAYOUT,
        crate::shapes::dem_shape_desc::LAYOUT,
        crate::shapes::dem_shape_info::LAYOUT,
        crate::refit::dem_refit_desc::LAYOUT,
        crate::queries::dem_pose::LAYOUT,
        crate::queries::dem_query::LAYOUT,
        crate::queries::dem_triangle_pair::LAYOUT,
        crate::cells::dem_cells_desc::LAYOUT,
        crate::body_contacts::dem_contact_query::LAYOUT,
        crate::body_contacts::dem_contact::LAYOUT,
        crate::placed::dem_placed::LAYOUT,
        crate::placed::dem_compound::LAYOUT,
        crate::placed::dem_placed_query::LAYOUT,
        crate::history::dem_body_pair::LAYOUT,
        crate::history::dem_contact_list::LAYOUT,
        crate::history::dem_contact_link::LAYOUT,
        crate::history::dem_contact_event::LAYOUT,
        crate::scenes::dem_scene_desc::LAYOUT,
        crate::scenes::dem_scene_couple::LAYOUT,
        crate::scenes::dem_scene_contacts::LAYOUT,
        crate::tasks::dem_tasks::LAYOUT,
        crate::detect::dem_scene_query::LAYOUT,
        crate::detect::dem_scene_counts::LAYOUT,
        crate::near::dem_near_query::LAYOUT,
        crate::near::dem_near_pair::LAYOUT,
        crate::near::dem_near_motion::LAYOUT,
        crate::grids::dem_grid_desc::LAYOUT,
        crate::boxes::dem_near_boxes::LAYOUT,
        crate::boxes::dem_box_pair::LAYOUT,
        crate::corners::dem_contact_corner::LAYOUT,
        crate::motion::dem_motion::LAYOUT,
        crate::moving::dem_scene_surface::LAYOUT,
        crate::moving::dem_scene_motion::LAYOUT,
        crate::points::dem_point_query::LAYOUT,
        crate::points::dem_point_results::LAYOUT,
        crate::inspection::dem_inspect_options::LAYOUT,
        crate::inspection::dem_report::LAYOUT,
        crate::inspection::dem_finding::LAYOUT,
        crate::inspection::dem_component::LAYOUT,
        crate::mass::dem_mass::LAYOUT,
    ];
    ALL
}
