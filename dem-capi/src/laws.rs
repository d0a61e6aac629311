//! Force laws.
//!
//! A dem_interaction is the force law between two materials: an elastic force, damping, friction, torsion, rolling resistance and cohesion, each with
//! its numbers. Worlds take a table of interactions. The item for materials i and j, with i at most j, is item j (j + 1) / 2 + i (for two materials
//! 00, 01, 11). dem_interaction_default has only an elastic force, and dem_interaction_of_materials makes an interaction from moduli. Other functions
//! compute numbers for a given restitution, a load that rests at a given gap, or a stable step.
//!
//! T is the sum of both halos, and "gap" is the mean distance of surfaces. The depth D is T less the smallest gap of a pair of bodies.

use dem_core::error::fields::{SIZES, place};
use dem_core::error::{Error, Kind, Result, What};
use dem_core::force::{self, Cohesion, Damping, Interaction, Laws, Material, Normal};

use crate::edge;
use crate::errors::dem_error;
use crate::inputs;
use crate::layouts::fixed;
use crate::records::{mirrored, shared};

/// A pressure where surfaces touch that falls to 0 where halos end: `stiffness (1 - gap / T) area`. Stiffness: force over area.
pub const DEM_NORMAL_PRESSURE: u32 = 0;
/// A linear spring for two bodies: `stiffness D`. Force over length.
pub const DEM_NORMAL_LINEAR: u32 = 1;
/// `stiffness sqrt(m) D / T`, with the reduced mass m. Force over the root of a mass.
pub const DEM_NORMAL_SPRING: u32 = 2;
/// Hertz: for balls `4/3 stiffness sqrt(R) D^1.5`; for other bodies from the area and the mean depth of their contact. Stiffness: the
/// modulus E*, force over area.
pub const DEM_NORMAL_HERTZ: u32 = 3;

/// No damping.
pub const DEM_DAMPING_NONE: u32 = 0;
/// Hunt and Crossley: the elastic force times `1 + damping u`, with the velocity u of approach. Time over length.
pub const DEM_DAMPING_HUNT_CROSSLEY: u32 = 1;
/// A dashpot of `damping` times the critical one; the force never pulls.
pub const DEM_DAMPING_DASHPOT: u32 = 2;
/// A dashpot of `damping` times the critical one; the force may pull at the end of a contact.
pub const DEM_DAMPING_DASHPOT_WITH_TENSION: u32 = 3;

/// No cohesion.
pub const DEM_COHESION_NONE: u32 = 0;
/// `cohesion` times the area of the contact. Force over area.
pub const DEM_COHESION_AREA: u32 = 1;
/// Derjaguin, Muller and Toporov, for balls and capsules, also on meshes, which count as flat: `2 pi cohesion R`, with the work of
/// adhesion, energy over area.
pub const DEM_COHESION_DMT: u32 = 2;

const _: () = assert!(
    DEM_NORMAL_PRESSURE == Normal::Pressure as u32
        && DEM_NORMAL_LINEAR == Normal::Linear as u32
        && DEM_NORMAL_SPRING == Normal::Spring as u32
        && DEM_NORMAL_HERTZ == Normal::Hertz as u32
        && DEM_DAMPING_NONE == Damping::None as u32
        && DEM_DAMPING_HUNT_CROSSLEY == Damping::HuntCrossley as u32
        && DEM_DAMPING_DASHPOT == Damping::Dashpot as u32
        && DEM_DAMPING_DASHPOT_WITH_TENSION == Damping::DashpotWithTension as u32
        && DEM_COHESION_NONE == Cohesion::None as u32
        && DEM_COHESION_AREA == Cohesion::Area as u32
        && DEM_COHESION_DMT == Cohesion::Dmt as u32
);

/// The force law between two materials. No number may be negative.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct dem_interaction {
    /// The elastic force: one of `DEM_NORMAL_*`.
    pub normal: u32,
    /// The damping: one of `DEM_DAMPING_*`.
    pub damped: u32,
    /// The cohesion: one of `DEM_COHESION_*`.
    pub cohesive: u32,
    /// 0.
    pub reserved: u32,
    /// Stiffness of the elastic force; `normal` tells its unit.
    pub stiffness: f64,
    /// Coefficient of the damping; `dem_damping_for` computes it for a restitution.
    pub damping: f64,
    /// Coefficient of friction, for sliding and torsion; 0 by default. It may be infinite.
    pub friction: f64,
    /// Tangential stiffness over normal stiffness; 2/7 by default.
    pub shear: f64,
    /// Time constant of a dashpot parallel to the friction spring: its coefficient over the spring's stiffness; 0 by default. At most about 1/w, with w
    /// the `frequency` of the report: a step is stable if `(w dt)^2 + 2 lag w^2 dt` is below 4. Beyond that, bodies are thrown off.
    pub lag: f64,
    /// 1, the default: contacts with an area resist rotation about their normal; 0: they do not.
    pub torsion: f64,
    /// Coefficient of rolling resistance for balls and capsules, also on meshes, which count as flat; compounds of several parts have none. 0 by
    /// default.
    pub rolling: f64,
    /// Coefficient of the cohesion; `cohesive` tells its unit.
    pub cohesion: f64,
}

fixed!(dem_interaction {
    normal: u32,
    damped: u32,
    cohesive: u32,
    reserved: u32,
    stiffness: f64,
    damping: f64,
    friction: f64,
    shear: f64,
    lag: f64,
    torsion: f64,
    rolling: f64,
    cohesion: f64,
});
mirrored!(dem_interaction, Interaction: normal, damped, cohesive, reserved, stiffness, damping, friction, shear, lag, torsion, rolling, cohesion);

/// An elastic, rough solid.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct dem_material {
    /// Young's modulus: force over area.
    pub young: f64,
    /// Poisson's ratio, from 0 to 0.5.
    pub poisson: f64,
    /// Restitution, above 0 and at most 1.
    pub restitution: f64,
    /// Coefficient of friction.
    pub friction: f64,
    /// Coefficient of rolling resistance.
    pub rolling: f64,
    /// Cohesion by area: force over area.
    pub cohesion: f64,
}

fixed!(dem_material { young: f64, poisson: f64, restitution: f64, friction: f64, rolling: f64, cohesion: f64 });

impl From<dem_material> for Material {
    fn from(m: dem_material) -> Material {
        let dem_material { young, poisson, restitution, friction, rolling, cohesion } = m;
        Material { young, poisson, restitution, friction, rolling, cohesion }
    }
}

/// Computes the force law between two materials from their moduli. The modulus is that of two layers in series (`DEM_NORMAL_PRESSURE`,
/// halos equally thick) or of two half-spaces (`DEM_NORMAL_HERTZ`). Tangential over normal stiffness is Mindlin's. Restitution, friction,
/// rolling and cohesion are geometric means. Damping is a dashpot that never pulls.
///
/// Outputs: `interaction`.
/// Inputs: `struct_size`: `sizeof(dem_interaction)`. `a`, `b`: the materials; they may be the same. `normal`: one of `DEM_NORMAL_*`.
/// `size`: the function multiplies the modulus by it. For `DEM_NORMAL_LINEAR` it is a length (a radius, say), for `DEM_NORMAL_SPRING` this
/// length over the root of the reduced mass; other laws ignore it.
/// Errors: `DEM_ERROR_NULL`; `DEM_ERROR_BAD_SIZE`; `DEM_ERROR_NOT_FINITE` and `DEM_ERROR_OUT_OF_RANGE` about `a` and `b`, with the
/// field as `component`; `DEM_ERROR_OUT_OF_RANGE` about `normal` and `size`.
/// Cost: about ten microseconds, most of it for the damping.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_interaction_of_materials(
    interaction: *mut dem_interaction,
    struct_size: usize,
    a: *const dem_material,
    b: *const dem_material,
    normal: u32,
    size: f64,
    error: *mut dem_error,
) -> i32 {
    edge::call(error, || {
        // SAFETY: the caller guarantees the memory behind pointers that are not null.
        let (a, b): (Material, Material) =
            unsafe { (edge::read(a, What::MaterialA)?.into(), edge::read(b, What::MaterialB)?.into()) };
        let laws = [Normal::Pressure, Normal::Linear, Normal::Spring, Normal::Hertz];
        let law = laws.into_iter().find(|law| *law as u32 == normal);
        let law = law.ok_or(Error::new(Kind::OutOfRange, What::Normal).amounts(3, normal.into()))?;
        // SAFETY: likewise.
        unsafe { put(interaction, struct_size, a.with(&b, law, size).map_err(of_one)?) }
    })
}

/// # Safety
/// A pointer that is not null points at `struct_size` bytes.
unsafe fn put(to: *mut dem_interaction, struct_size: usize, made: Interaction) -> Result<()> {
    const SIZE: usize = size_of::<dem_interaction>();
    if to.is_null() {
        return Err(Error::new(Kind::Null, What::Output));
    }
    if struct_size != SIZE {
        let wrong = Error::new(Kind::BadSize, What::Output).at(0, place(&SIZES, "struct_size"));
        return Err(wrong.amounts(SIZE as u64, struct_size as u64));
    }
    // SAFETY: by this function's contract.
    unsafe { inputs::write_record(to, SIZE, &made.into(), What::Output) }
}

/// Checks a table of interactions: each number is in its range, and the number of items belongs to some number of materials.
///
/// Outputs: `materials` (may be null): the number of materials of the table.
/// Inputs: `table`, `count`.
/// Errors: about `interactions`: `DEM_ERROR_NULL`; `DEM_ERROR_MISALIGNED`; `DEM_ERROR_NOT_FINITE` and `DEM_ERROR_OUT_OF_RANGE` with item
/// and field (`normal` is 0); `DEM_ERROR_MISMATCH` if no number of materials has so many items.
/// Cost: some nanoseconds for each item.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_interactions_check(
    materials: *mut usize,
    table: *const dem_interaction,
    count: usize,
    error: *mut dem_error,
) -> i32 {
    edge::call(error, || {
        // SAFETY: the caller guarantees the memory behind pointers that are not null.
        unsafe {
            let table = shared(table.cast::<Interaction>(), count, What::Interactions)?;
            edge::write_optional(materials, Laws::new(table)?.materials());
        }
        Ok(())
    })
}

/// The number `damping` for a restitution: the velocity at which bodies part over that at which they met. It holds for central impact with any
/// elastic force.
///
/// Outputs: `damping`.
/// Inputs: `damped`: one of `DEM_DAMPING_*`. `restitution`: above 0 and at most 1. `velocity`: the velocity of impact, for
/// `DEM_DAMPING_HUNT_CROSSLEY`, whose restitution depends on it; other kinds ignore it.
/// Errors: `DEM_ERROR_NULL`; `DEM_ERROR_OUT_OF_RANGE` about `damped`; about `restitution` and `velocity`:
/// `DEM_ERROR_NOT_FINITE`, `DEM_ERROR_OUT_OF_RANGE`.
/// Cost: some microseconds.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_damping_for(
    damping: *mut f64,
    damped: u32,
    restitution: f64,
    velocity: f64,
    error: *mut dem_error,
) -> i32 {
    edge::call(error, || {
        positive(restitution, What::Restitution)?;
        if restitution > 1.0 {
            return Err(Error::new(Kind::OutOfRange, What::Restitution));
        }
        let found = match damped {
            DEM_DAMPING_NONE => 0.0,
            DEM_DAMPING_HUNT_CROSSLEY => {
                positive(velocity, What::Velocity)?;
                force::hunt_crossley(restitution, velocity)
            }
            DEM_DAMPING_DASHPOT => force::dashpot(restitution),
            DEM_DAMPING_DASHPOT_WITH_TENSION => force::dashpot_with_tension(restitution),
            given => return Err(Error::new(Kind::OutOfRange, What::Damped).amounts(3, given.into())),
        };
        // SAFETY: the caller guarantees that a pointer that is not null points at a number.
        unsafe { edge::write(damping, found, What::Output) }
    })
}

/// The `stiffness` of `DEM_NORMAL_PRESSURE` with which a load on an area rests at a gap: `load / (area (1 - gap / halo))`.
///
/// Outputs: `pressure`.
/// Inputs: `load`, `area`: positive. `gap`: less than `halo`, which is the sum of the halos of both bodies.
/// Errors: `DEM_ERROR_NULL`; about the argument: `DEM_ERROR_NOT_FINITE`, `DEM_ERROR_OUT_OF_RANGE`.
/// Cost: none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_pressure_for(
    pressure: *mut f64,
    load: f64,
    area: f64,
    gap: f64,
    halo: f64,
    error: *mut dem_error,
) -> i32 {
    edge::call(error, || {
        positive(load, What::Load)?;
        positive(area, What::Area)?;
        positive(halo, What::Halo)?;
        if !gap.is_finite() {
            return Err(Error::new(Kind::NotFinite, What::Gap));
        }
        if gap >= halo {
            return Err(Error::new(Kind::OutOfRange, What::Gap));
        }
        // SAFETY: the caller guarantees that a pointer that is not null points at a number.
        unsafe { edge::write(pressure, force::pressure_for(load, area, gap, halo), What::Output) }
    })
}

/// The gap at which a load on an area rests: `halo (1 - load / (pressure area))`. If it is below 0, the surfaces penetrate. Bodies placed
/// at this gap do not jump.
///
/// Outputs: `gap`.
/// Inputs: `load`, `area`, `pressure` (the `stiffness` of `DEM_NORMAL_PRESSURE`), `halo` (the sum of the halos of both bodies): positive.
/// Errors: `DEM_ERROR_NULL`; about the argument: `DEM_ERROR_NOT_FINITE`, `DEM_ERROR_OUT_OF_RANGE`.
/// Cost: none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_resting_gap(
    gap: *mut f64,
    load: f64,
    area: f64,
    pressure: f64,
    halo: f64,
    error: *mut dem_error,
) -> i32 {
    edge::call(error, || {
        positive(load, What::Load)?;
        positive(area, What::Area)?;
        positive(pressure, What::Pressure)?;
        positive(halo, What::Halo)?;
        // SAFETY: the caller guarantees that a pointer that is not null points at a number.
        unsafe { edge::write(gap, force::resting_gap(load, area, pressure, halo), What::Output) }
    })
}

/// The `stiffness` of `DEM_NORMAL_LINEAR` for which contacts last the given time, with a dashpot of this restitution whose force may pull.
///
/// Outputs: `stiffness`: force over length.
/// Inputs: `mass`: the reduced mass of both bodies. `time`: the duration of a contact. `restitution`: above 0 and at most 1.
/// Errors: `DEM_ERROR_NULL`; about the argument: `DEM_ERROR_NOT_FINITE`, `DEM_ERROR_OUT_OF_RANGE`.
/// Cost: none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_linear_stiffness(
    stiffness: *mut f64,
    mass: f64,
    time: f64,
    restitution: f64,
    error: *mut dem_error,
) -> i32 {
    edge::call(error, || {
        positive(mass, What::Mass)?;
        positive(time, What::Time)?;
        positive(restitution, What::Restitution)?;
        if restitution > 1.0 {
            return Err(Error::new(Kind::OutOfRange, What::Restitution));
        }
        // SAFETY: the caller guarantees that a pointer that is not null points at a number.
        unsafe { edge::write(stiffness, force::linear_stiffness(mass, time, restitution), What::Output) }
    })
}

/// The longest time step for which one contact is stable. A fifth of it is an accurate step. `dem_world_measure` gives the frequency of all contacts
/// of a world.
///
/// Outputs: `dt`.
/// Inputs: `stiffness`: force over length; for `DEM_NORMAL_PRESSURE` it is `stiffness area / T`. `mass`: the reduced mass of both bodies.
/// `zeta`: the dashpot over the critical one; 0 without damping.
/// Errors: `DEM_ERROR_NULL`; about the argument: `DEM_ERROR_NOT_FINITE`, `DEM_ERROR_OUT_OF_RANGE`.
/// Cost: none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_stable_step(
    dt: *mut f64,
    stiffness: f64,
    mass: f64,
    zeta: f64,
    error: *mut dem_error,
) -> i32 {
    edge::call(error, || {
        positive(stiffness, What::Stiffness)?;
        positive(mass, What::Mass)?;
        if !zeta.is_finite() {
            return Err(Error::new(Kind::NotFinite, What::Zeta));
        }
        if zeta < 0.0 {
            return Err(Error::new(Kind::OutOfRange, What::Zeta));
        }
        // SAFETY: the caller guarantees that a pointer that is not null points at a number.
        unsafe { edge::write(dt, force::stable_step(stiffness, mass, zeta), What::Output) }
    })
}

/// The load at which a column of equal blocks buckles sideways: `4 tilt / height sin^2(pi / (4 blocks))`. A column with a larger load
/// falls, whatever the step.
///
/// Outputs: `load`: a force.
/// Inputs: `tilt`: the stiffness of a joint against tilt, torque over angle; for a square face with area A it is `A / 12` times its normal
/// stiffness (`stiffness A / T` of `DEM_NORMAL_PRESSURE`). `height`: of a block. `blocks`: at least 1.
/// Errors: `DEM_ERROR_NULL`; about the argument: `DEM_ERROR_NOT_FINITE`, `DEM_ERROR_OUT_OF_RANGE`.
/// Cost: none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_buckling_load(
    load: *mut f64,
    tilt: f64,
    height: f64,
    blocks: u32,
    error: *mut dem_error,
) -> i32 {
    edge::call(error, || {
        positive(tilt, What::Tilt)?;
        positive(height, What::Height)?;
        positive(blocks.into(), What::Blocks)?;
        // SAFETY: the caller guarantees that a pointer that is not null points at a number.
        unsafe { edge::write(load, force::buckling_load(tilt, height, blocks), What::Output) }
    })
}

/// Errors: [`Kind::NotFinite`], [`Kind::OutOfRange`].
fn positive(number: f64, what: What) -> Result<()> {
    // Component 1 means that the number must be positive. With component 0, errors about halos and masses of bodies tell other ranges.
    let component = u32::from(matches!(what, What::Halo | What::Mass));
    match number {
        x if !x.is_finite() => Err(Error::new(Kind::NotFinite, what)),
        x if x <= 0.0 => Err(Error::new(Kind::OutOfRange, what).at(0, component)),
        _ => Ok(()),
    }
}

/// Renames an error about an item of `materials`: in this call the items are `a` and `b`.
fn of_one(e: Error) -> Error {
    match (e.what, e.index) {
        (What::Materials, 0) => Error { what: What::MaterialA, ..e },
        (What::Materials, _) => Error { what: What::MaterialB, index: 0, ..e },
        _ => e,
    }
}

#[cfg(test)]
mod tests;
