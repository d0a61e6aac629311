//! The layouts of all structs of the headers. Tests compare them with those of a C compiler; no other file uses them.

use crate::first::FIRST;
use crate::layouts::{Fixed, Layout};

/// Whether later releases may add fields at the end of a struct: it contains its own size, or a stride or a size is passed with it everywhere.
pub fn grows(layout: &Layout) -> bool {
    let sized = layout.fields.first().is_some_and(|field| field.name == "struct_size");
    sized || FIRST.iter().any(|first| first.name == layout.name && first.grows)
}

/// All structs, in the order of the headers.
pub fn all() -> &'static [Layout] {
    const ALL: &[Layout] = &[
        crate::errors::dem_shortage::LAYOUT,
        crate::errors::dem_error::LAYOUT,
        crate::memory::dem_block::LAYOUT,
        crate::arrays::dem_array::LAYOUT,
        crate::arrays::dem_output::LAYOUT,
        crate::triangles::dem_triangles::LAYOUT,
        crate::elementary::dem_segments::LAYOUT,
        crate::arrays::dem_indices::LAYOUT,
        crate::triangles::dem_closest_points::LAYOUT,
        crate::triangles::dem_triangle_options::LAYOUT,
        crate::contacts::dem_contact_options::LAYOUT,
        crate::contacts::dem_contact_results::LAYOUT,
        crate::contacts::dem_contact_statistics::LAYOUT,
        crate::shapes::dem_shape_desc::LAYOUT,
        crate::shapes::dem_shape_info::LAYOUT,
        crate::refit::dem_refit_desc::LAYOUT,
        crate::placed::dem_pose::LAYOUT,
        crate::queries::dem_query::LAYOUT,
        crate::queries::dem_triangle_pair::LAYOUT,
        crate::body_contacts::dem_contact::LAYOUT,
        crate::placed::dem_placed::LAYOUT,
        crate::placed::dem_compound::LAYOUT,
        crate::pair_contacts::dem_placed_query::LAYOUT,
        crate::history::dem_body_pair::LAYOUT,
        crate::body_contacts::dem_contact_node::LAYOUT,
        crate::history::dem_contact_list::LAYOUT,
        crate::body_contacts::dem_contact_link::LAYOUT,
        crate::body_contacts::dem_contact_blend::LAYOUT,
        crate::body_contacts::dem_contact_event::LAYOUT,
        crate::scenes::dem_scene_desc::LAYOUT,
        crate::scenes::dem_scene_pair::LAYOUT,
        crate::scenes::dem_scene_kept::LAYOUT,
        crate::scenes::dem_scene_contacts::LAYOUT,
        crate::tasks::dem_tasks::LAYOUT,
        crate::detect::dem_scene_query::LAYOUT,
        crate::detect::dem_grid_report::LAYOUT,
        crate::detect::dem_scene_counts::LAYOUT,
        crate::near::dem_near_query::LAYOUT,
        crate::scenes::dem_near_pair::LAYOUT,
        crate::near::dem_near_motion::LAYOUT,
        crate::grids::dem_grid_desc::LAYOUT,
        crate::boxes::dem_near_boxes::LAYOUT,
        crate::boxes::dem_box_pair::LAYOUT,
        crate::body_contacts::dem_contact_corner::LAYOUT,
        crate::motion::dem_motion::LAYOUT,
        crate::moving::dem_scene_surface::LAYOUT,
        crate::moving::dem_scene_motion::LAYOUT,
        crate::points::dem_point_query::LAYOUT,
        crate::points::dem_point_results::LAYOUT,
        crate::rays::dem_ray::LAYOUT,
        crate::rays::dem_ray_hit::LAYOUT,
        crate::inspection::dem_inspect_options::LAYOUT,
        crate::inspection::dem_report::LAYOUT,
        crate::inspection::dem_finding::LAYOUT,
        crate::inspection::dem_component::LAYOUT,
        crate::mass::dem_mass::LAYOUT,
        crate::laws::dem_interaction::LAYOUT,
        crate::laws::dem_material::LAYOUT,
        crate::worlds::dem_world_desc::LAYOUT,
        crate::worlds::dem_world_setup::LAYOUT,
        crate::world_bodies::dem_body::LAYOUT,
        crate::world_bodies::dem_wrench::LAYOUT,
        crate::world_bodies::dem_member::LAYOUT,
        crate::world_steps::dem_world_query::LAYOUT,
        crate::world_steps::dem_too_fast::LAYOUT,
        crate::world_steps::dem_meeting::LAYOUT,
        crate::world_steps::dem_springs::LAYOUT,
        crate::world_springs::dem_taken_over::LAYOUT,
        crate::world_views::dem_pair_event::LAYOUT,
        crate::world_views::dem_world_slots::LAYOUT,
        crate::world_steps::dem_host_law::LAYOUT,
        crate::world_views::dem_world_report::LAYOUT,
    ];
    ALL
}
