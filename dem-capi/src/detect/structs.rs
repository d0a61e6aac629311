//! Constants and structs of a step of a scene.

use dem_core::broad::GridReport;

use crate::arrays::{DEM_U64, NO_ARRAY, NO_WORDS, dem_array};
use crate::inputs::Input;
use crate::isa::DEM_ISA_BEST;
use crate::layouts::fixed;
use crate::placed::dem_placed;
use crate::tasks::{ALONE, dem_tasks};

/// One contact for each place where two bodies touch; several contacts if the place faces several directions, such as a box in a corner.
pub const DEM_GROUPING_REGIONS: u32 = 0;
/// One contact for each pair of flat parts, one of each body, that push on each other. `dem_contact_clamp` in dem_pair.h clamps the normals of such
/// contacts.
pub const DEM_GROUPING_PATCHES: u32 = 1;
/// One contact for each pair of bodies. If the sum of its forces is smaller than half of their magnitudes, as in a narrow groove: the contacts of
/// `DEM_GROUPING_REGIONS`.
pub const DEM_GROUPING_BODIES: u32 = 2;

/// Moved by forces.
pub const DEM_MOTION_DYNAMIC: u32 = 0;
/// Moved by the program, in a world by velocities that the program sets. Also walls whose vertices move.
pub const DEM_MOTION_KINEMATIC: u32 = 1;
/// Never moves.
pub const DEM_MOTION_STATIC: u32 = 2;
/// A ghost: a copy of a body that another process moves. It stays where the program puts it. It forms pairs with dynamic and kinematic bodies. Two
/// ghosts form no pair: the processes that own them find it.
pub const DEM_MOTION_GHOST: u32 = 3;

/// The bodies of a scene, and the settings of a step.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct dem_scene_query {
    /// `sizeof(dem_scene_query)`.
    pub struct_size: u32,
    /// One of `DEM_ISA_*`; `DEM_ISA_BEST` by default.
    pub isa: u32,
    /// The table of shapes: spheres, capsules, half-spaces, meshes, compounds. Any number of bodies may use a shape. `pose` is the pose of a shape in
    /// the frame of its bodies; with `part_pose` of dem_mass, this frame has its origin in the centre of mass of a mesh. The identity, or all zeros:
    /// both frames are equal. `scale` is ignored, because each body has its own.
    pub shapes: *const dem_placed,
    /// Number of shapes.
    pub shape_count: usize,
    /// Bytes from one to the next; 0: `sizeof(dem_placed)` of version 0.1.
    pub shape_stride: usize,
    /// The most near pairs of triangles of any two bodies: room in the scratch of each thread; 0: 256.
    pub pairs: usize,
    /// The most contacts of two bodies; 0: 64.
    pub pair_contacts: usize,
    /// Which forces are summed to one contact: one of `DEM_GROUPING_*`; `DEM_GROUPING_REGIONS`, 0, by default.
    pub grouping: usize,
    /// Threads of the program; none by default.
    pub tasks: dem_tasks,
    /// Lengths of the box along axes that are periodic, 0 along others; 0, 0, 0 by default.
    pub periods: [f64; 3],
    /// The largest distance that a contact may slide in a step and still be matched, in units of length. Contacts with the same features or nodes are
    /// matched at any distance. A good value is the larger of T and the distance that surfaces slide in a step. Infinity by default: a new contact
    /// then takes over the spring of another contact of its pair, at any distance.
    pub bound: f64,
    /// The skin of the neighbour list. The list holds pairs of bodies whose bounds are up to this far apart. It is used until some body moves, turns
    /// or grows by more than half of the skin. The skin changes no result, only time and the room for candidates (`candidates` in `dem_scene_desc`).
    /// A good value is a few times the distance that bodies move in a step: some hundredths of a radius. 0, the default: from the second step on, the
    /// skin is a tenth of the smallest radius, if bodies move much less than that in a step and the list fits. Otherwise every step makes a new list.
    pub skin: f64,
    /// A length. If it is larger than 0, there is a second list of contacts (`margin_contacts` of `dem_scene_contacts`) for forces that act
    /// beyond the halos. It has the contacts for T + `margin` in place of the sum T of both halos: each halo is wider by half of the
    /// margin. The margin changes no bit of the first list. Contacts of the second list are not matched. `margin_contacts` in
    /// `dem_scene_desc` is the room of the second list. 0, the default: there is no second list.
    pub margin: f64,
    /// Positions of the origins of the bodies' frames: three numbers each. The length of this array is the number of bodies.
    pub positions: dem_array,
    /// Orientations: quaternions x y z w; the identity by default.
    pub orientations: dem_array,
    /// All lengths of a body are multiplied by this; 1 by default.
    pub scales: dem_array,
    /// Halos of spheres, capsules and half-spaces; they replace the halos of the shapes and are not scaled. By default, bodies have the halos of
    /// their shapes.
    pub halos: dem_array,
    /// The shape of each body, counted from 0; integers of 32 bits; 0 by default.
    pub shape_of: dem_array,
    /// `DEM_MOTION_*`. Two bodies that are both not dynamic have no contacts, except a kinematic body and a ghost. With a `skin`, the
    /// neighbour list assumes that static bodies do not move; if one moves, a new list is made. Integers of 32 bits; 0 by default.
    pub motions: dem_array,
    /// Bits of the groups that a body belongs to; integers of 32 bits; all by default.
    pub groups: dem_array,
    /// Bits of the groups with which a body has contacts; two bodies meet only if the masks of both allow it. Integers of 32 bits; all by default.
    pub masks: dem_array,
    /// Ids of the bodies, all different: `DEM_U64`; by default the indices in these arrays. Do not use the id of a removed body again.
    pub ids: dem_array,
    /// For `DEM_GROUPING_REGIONS`, in radians, 0 to pi: forces at a larger angle from their sum do not form one contact. A quarter of pi by default.
    /// Wider angles mostly give fewer contacts, each with a larger `moment`. But forces that cancel are not joined, so a ball in a socket may have
    /// thousands of contacts at pi. The force and the torque of a pair of bodies stay the same. Two sides of one mesh at a right angle that are
    /// equally near are two contacts at a quarter of pi. A place on one flat patch of either body is one contact
    /// at any angle.
    pub angle: f64,
    /// 1: contacts and pairs have their `energy`, which takes some more time, most for balls; 0, the default: they do not. No other number depends on
    /// this field.
    pub energies: u64,
    /// 1: contacts have their `offset`, `spread` and `curvature`, which takes some more time for meshes; 0, the default: they do not. No other number depends on
    /// this field. Worlds set it if their laws need it.
    pub spreads: u64,
}

fixed!(dem_scene_query {
    struct_size: u32,
    isa: u32,
    shapes: *const dem_placed,
    shape_count: usize,
    shape_stride: usize,
    pairs: usize,
    pair_contacts: usize,
    grouping: usize,
    tasks: dem_tasks,
    periods: [f64; 3],
    bound: f64,
    skin: f64,
    margin: f64,
    positions: dem_array,
    orientations: dem_array,
    scales: dem_array,
    halos: dem_array,
    shape_of: dem_array,
    motions: dem_array,
    groups: dem_array,
    masks: dem_array,
    ids: dem_array,
    angle: f64,
    energies: u64,
    spreads: u64,
});

// SAFETY: `struct_size` is the first field, and all fields are plain numbers and pointers; a callback may be null.
unsafe impl Input for dem_scene_query {
    const DEFAULT: Self = dem_scene_query {
        struct_size: size_of::<dem_scene_query>() as u32,
        isa: DEM_ISA_BEST,
        shapes: core::ptr::null(),
        shape_count: 0,
        shape_stride: 0,
        pairs: 0,
        pair_contacts: 0,
        grouping: DEM_GROUPING_REGIONS as usize,
        tasks: ALONE,
        periods: [0.0; 3],
        bound: f64::INFINITY,
        skin: 0.0,
        margin: 0.0,
        positions: NO_ARRAY,
        orientations: NO_ARRAY,
        scales: NO_ARRAY,
        halos: NO_ARRAY,
        shape_of: NO_WORDS,
        motions: NO_WORDS,
        groups: NO_WORDS,
        masks: NO_WORDS,
        ids: dem_array { r#type: DEM_U64, ..NO_ARRAY },
        angle: core::f64::consts::FRAC_PI_4,
        energies: 0,
        spreads: 0,
    };
}

/// What a hierarchical grid chose and expected, and what its search found.
///
/// The grid tests all pairs of bodies in the same cell or in neighbouring ones. Far more tests than expected: bodies are much denser in some places
/// than in others.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct dem_grid_report {
    /// Number of levels; 0 if no grid was needed, as for few bodies, or if the program named the pairs.
    pub levels: u64,
    /// Cell size of each level in units of length, smallest first, then zeros.
    pub sizes: [f64; 16],
    /// Bodies on each level.
    pub bodies: [u64; 16],
    /// Pairs in neighbouring cells that the choice of sizes expected, for each body.
    pub expected: f64,
    /// Pairs that were tested, for each body.
    pub tested: f64,
}

fixed!(dem_grid_report { levels: u64, sizes: [f64; 16], bodies: [u64; 16], expected: f64, tested: f64 });

impl dem_grid_report {
    pub(crate) fn of(report: &GridReport) -> Self {
        let GridReport { count, levels, expected, tested } = *report;
        let (sizes, bodies) = (levels.map(|level| level.size), levels.map(|level| level.bodies));
        dem_grid_report { levels: count, sizes, bodies, expected, tested }
    }
}

/// Counts of a step.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct dem_scene_counts {
    /// Pairs of bodies whose bounds meet. Bounds are spheres; for bodies much larger than most others, and for a few that are lost far away, they are
    /// boxes.
    pub candidates: u64,
    /// Pairs of bodies that have contacts.
    pub pairs: u64,
    /// Contacts.
    pub contacts: u64,
    /// Contacts that continue a contact of the last step.
    pub persisting: u64,
    /// Pairs of triangles that touch or cross each other.
    pub crossing: u64,
    /// Pairs of bodies in the neighbour list. They are more than the candidates if the list has a `skin`, also one that the library chose.
    pub listed: u64,
    /// Steps since the neighbour list was made; 0 if it was made in this step.
    pub age: u64,
    /// Pairs of bodies that have contacts within the margin.
    pub margin_pairs: u64,
    /// Contacts within the margin.
    pub margin_contacts: u64,
    /// The grid by which the neighbour list was found.
    pub grid: dem_grid_report,
}

fixed!(dem_scene_counts {
    candidates: u64,
    pairs: u64,
    contacts: u64,
    persisting: u64,
    crossing: u64,
    listed: u64,
    age: u64,
    margin_pairs: u64,
    margin_contacts: u64,
    grid: dem_grid_report,
});
