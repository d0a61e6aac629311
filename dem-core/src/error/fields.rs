//! Names of fields. `component` of an error is an index into one of these lists.

/// Fields of options that are 0 or 1.
pub const CHOICES: [&str; 4] = ["energies", "spreads", "watch", "records"];

/// Fields of a placed shape.
pub const PLACED: [&str; 18] = [
    "radius",
    "halo",
    "scale",
    "pose.position[0]",
    "pose.position[1]",
    "pose.position[2]",
    "pose.orientation[0]",
    "pose.orientation[1]",
    "pose.orientation[2]",
    "pose.orientation[3]",
    "kind",
    "solid",
    "reserved",
    "half_length",
    "reserved_lengths[0]",
    "reserved_lengths[1]",
    "shape",
    "parts",
];

/// Fields of a pose.
pub const POSE: [&str; 7] = [
    "position[0]",
    "position[1]",
    "position[2]",
    "orientation[0]",
    "orientation[1]",
    "orientation[2]",
    "orientation[3]",
];

/// Fields of the motion of a body or a surface.
pub const MOTION: [&str; 12] = [
    "velocity[0]",
    "velocity[1]",
    "velocity[2]",
    "spin[0]",
    "spin[1]",
    "spin[2]",
    "centre[0]",
    "centre[1]",
    "centre[2]",
    "scale",
    "reserved",
    "reserved_2",
];

/// Sizes in bytes.
pub const SIZES: [&str; 7] =
    ["stride", "component_stride", "vertex_stride", "struct_size", "shape_stride", "surface_stride", "pair_stride"];

/// Fields called `reserved`.
pub const RESERVED: [&str; 4] = ["reserved", "body.reserved", "reserved_2", "reserved_3"];

/// `component` of an error about an array whose data pointer is null.
pub const DATA: u32 = 255;

/// `component` of an error about a world or a scene that is empty: nothing was added yet, or no step found contacts.
pub const NOTHING_YET: u32 = 254;

/// `component` of a [`Kind::Mismatch`](super::Kind::Mismatch) of a shape: tree or cells of another mesh. It also marks the item of a table.
pub const TREE_OR_CELLS: u32 = 253;

/// The index of a name in the list; the length of the list if it is not there.
pub const fn place(names: &[&str], name: &str) -> u32 {
    let mut at = 0;
    while at < names.len() {
        if is_same(names[at].as_bytes(), name.as_bytes()) {
            break;
        }
        at += 1;
    }
    at as u32
}

const fn is_same(x: &[u8], y: &[u8]) -> bool {
    let mut at = 0;
    while at < x.len() && at < y.len() && x[at] == y[at] {
        at += 1;
    }
    at == x.len() && at == y.len()
}
