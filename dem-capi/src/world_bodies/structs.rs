//! Constants and structs of bodies of a world.

use dem_core::body::Body;
use dem_core::detect::Wrench;

use crate::detect::DEM_MOTION_STATIC;
use crate::inputs::Input;
use crate::layouts::fixed;
use crate::records::mirrored;

/// `id` of a body to which the program gives no id.
pub const DEM_WORLD_NO_ID: u64 = 9_223_372_036_854_775_807;

/// A rigid body.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct dem_body {
    /// Centre of mass, in world coordinates.
    pub position: [f64; 3],
    /// From the principal axes to world axes: a quaternion x y z w.
    pub orientation: [f64; 4],
    /// Velocity of the centre of mass.
    pub velocity: [f64; 3],
    /// Angular velocity, in world axes.
    pub angular_velocity: [f64; 3],
    /// Mass of a dynamic body.
    pub mass: f64,
    /// Principal moments of inertia of a dynamic body, about its centre of mass.
    pub moments: [f64; 3],
    /// One of `DEM_MOTION_*`.
    pub motion: u32,
    /// 0.
    pub reserved: u32,
}

fixed!(dem_body {
    position: [f64; 3],
    orientation: [f64; 4],
    velocity: [f64; 3],
    angular_velocity: [f64; 3],
    mass: f64,
    moments: [f64; 3],
    motion: u32,
    reserved: u32,
});
mirrored!(dem_body, Body: position, orientation, velocity, angular_velocity, mass, moments, motion, reserved);

impl From<dem_body> for Body {
    fn from(b: dem_body) -> Body {
        let dem_body { position, orientation, velocity, angular_velocity, mass, moments, motion, reserved } = b;
        Body { position, orientation, velocity, angular_velocity, mass, moments, motion, reserved }
    }
}

/// A body at the origin that never moves.
pub(super) const AT_ORIGIN: dem_body = dem_body {
    position: [0.0; 3],
    orientation: [0.0, 0.0, 0.0, 1.0],
    velocity: [0.0; 3],
    angular_velocity: [0.0; 3],
    mass: 0.0,
    moments: [0.0; 3],
    motion: DEM_MOTION_STATIC,
    reserved: 0,
};

/// A force, and a torque.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct dem_wrench {
    /// The force.
    pub force: [f64; 3],
    /// The torque.
    pub torque: [f64; 3],
}

fixed!(dem_wrench { force: [f64; 3], torque: [f64; 3] });
mirrored!(dem_wrench, Wrench: force, torque);

/// A body to add to a world.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct dem_member {
    /// `sizeof(dem_member)`.
    pub struct_size: u32,
    /// Its shape: the place in the table of `dem_world_query`; 0 by default.
    pub shape: u32,
    /// The number of its material, from 0, which is the default. The law between materials i and j, with i at most j, is item `j (j + 1) / 2 + i` of
    /// the interactions. Whether they have this item is checked when the body touches another one.
    pub material: u32,
    /// Bits of the groups to which the body belongs, at least one; the first by default.
    pub groups: u32,
    /// Bits of the groups with which the body has contacts; two bodies meet only if the masks of both allow it. All by default.
    pub masks: u32,
    /// 0.
    pub reserved: u32,
    /// Mass, pose and velocity; at the origin and static by default.
    pub body: dem_body,
    /// All lengths of its shape, including halos, are multiplied by this; 1 by default. Mass and moments are not scaled.
    pub scale: f64,
    /// Its id, below `DEM_WORLD_NO_ID` (2^63 - 1) and different from all others. `DEM_WORLD_NO_ID`, the default: the world makes an id from slot and
    /// generation. Results depend on the order of ids, not on that of slots. So if the same bodies are added in another order with the same ids, the
    /// motion has the same bits.
    pub id: u64,
}

fixed!(dem_member {
    struct_size: u32,
    shape: u32,
    material: u32,
    groups: u32,
    masks: u32,
    reserved: u32,
    body: dem_body,
    scale: f64,
    id: u64,
});

// SAFETY: `struct_size` is the first field, and all fields are plain numbers.
unsafe impl Input for dem_member {
    const DEFAULT: Self = dem_member {
        struct_size: size_of::<dem_member>() as u32,
        shape: 0,
        material: 0,
        groups: 1,
        masks: u32::MAX,
        reserved: 0,
        body: AT_ORIGIN,
        scale: 1.0,
        id: DEM_WORLD_NO_ID,
    };
}
