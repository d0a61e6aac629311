//! Sizes of records in the first release. A stride of 0 from the host means this size, in all later releases.
//!
//! Structs that begin with `struct_size` are not listed: each contains its own size.

/// A record in the first release.
pub(crate) struct First {
    pub(crate) name: &'static str,
    /// Bytes of its numbers; `words` is the number of its pointers and sizes.
    bytes: usize,
    words: usize,
    /// Whether later releases may add fields at its end. They may if a stride or a size is passed with it everywhere, and it is no field of another
    /// struct.
    pub(crate) grows: bool,
}

impl First {
    pub(crate) const fn size(&self) -> usize {
        self.bytes + self.words * size_of::<usize>()
    }
}

const fn grows(name: &'static str, bytes: usize, words: usize) -> First {
    First { name, bytes, words, grows: true }
}

const fn stays(name: &'static str, bytes: usize, words: usize) -> First {
    First { name, bytes, words, grows: false }
}

/// All records of the headers.
pub(crate) const FIRST: &[First] = &[
    stays("dem_shortage", 88, 0),
    stays("dem_error", 128, 0),
    stays("dem_block", 0, 4),
    stays("dem_array", 8, 4),
    stays("dem_output", 8, 4),
    stays("dem_triangles", 8, 5),
    stays("dem_segments", 8, 5),
    stays("dem_indices", 8, 4),
    stays("dem_pose", 56, 0),
    stays("dem_placed", 112, 2),
    stays("dem_tasks", 0, 4),
    stays("dem_contact_node", 16, 0),
    stays("dem_contact_list", 0, 8),
    stays("dem_contact_link", 8, 0),
    stays("dem_contact_blend", 16, 0),
    stays("dem_contact_event", 16, 0),
    stays("dem_contact_corner", 64, 0),
    stays("dem_near_pair", 16, 0),
    stays("dem_ray", 64, 0),
    stays("dem_ray_hit", 80, 0),
    stays("dem_interaction", 80, 0),
    stays("dem_material", 48, 0),
    stays("dem_body", 144, 0),
    stays("dem_wrench", 48, 0),
    stays("dem_too_fast", 24, 0),
    stays("dem_meeting", 48, 0),
    stays("dem_springs", 120, 0),
    stays("dem_taken_over", 104, 0),
    grows("dem_contact", 280, 0),
    grows("dem_contact_statistics", 48, 0),
    grows("dem_shape_info", 80, 0),
    grows("dem_triangle_pair", 72, 0),
    grows("dem_body_pair", 120, 0),
    grows("dem_scene_pair", 72, 0),
    grows("dem_scene_kept", 32, 0),
    grows("dem_scene_contacts", 0, 32),
    stays("dem_grid_report", 280, 0),
    grows("dem_scene_counts", 72, 0),
    grows("dem_scene_surface", 80, 6),
    grows("dem_near_motion", 24, 0),
    grows("dem_box_pair", 16, 0),
    grows("dem_report", 184, 0),
    grows("dem_finding", 16, 0),
    grows("dem_component", 32, 0),
    grows("dem_mass", 312, 0),
    grows("dem_world_slots", 48, 20),
    grows("dem_host_law", 0, 7),
    grows("dem_world_report", 368, 0),
    grows("dem_pair_event", 40, 0),
    // Not a struct: arrays of single numbers.
    stays("uint64_t", 8, 0),
    #[cfg(test)]
    grows("test_record", 16, 0),
];

/// The size of a record in the first release.
pub(crate) const fn size(name: &str) -> usize {
    let mut at = 0;
    while at < FIRST.len() {
        if same(FIRST[at].name.as_bytes(), name.as_bytes()) {
            return FIRST[at].size();
        }
        at += 1;
    }
    panic!("a record that is not in the table of dem-capi/src/first.rs");
}

const fn same(a: &[u8], b: &[u8]) -> bool {
    let mut at = 0;
    while at < a.len() && at < b.len() && a[at] == b[at] {
        at += 1;
    }
    at == a.len() && at == b.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::structs;

    #[test]
    fn every_record_is_in_the_table_and_none_has_shrunk() {
        for layout in structs::all() {
            let own = FIRST.iter().find(|first| first.name == layout.name);
            if layout.fields[0].name == "struct_size" {
                assert!(own.is_none(), "{} says itself how large it is", layout.name);
                continue;
            }
            let first = own.unwrap_or_else(|| panic!("{} of {} bytes is missing", layout.name, layout.size));
            let fits = if first.grows { layout.size >= first.size() } else { layout.size == first.size() };
            assert!(fits, "{} has {} bytes, first {}", layout.name, layout.size, first.size());
        }
    }
}
