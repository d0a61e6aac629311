//! The message of an error: what is wrong, where, and what the caller does about it.

use core::fmt;

use super::fields::{CHOICES, DATA, MOTION, NOTHING_YET, PLACED, POSE, RESERVED, SIZES, TREE_OR_CELLS};
use super::{Error, Kind, What};

/// The range of lengths, times, forces and the like.
const POSITIVE: &str = "must be larger than 0";

/// Worlds give ids from here on to bodies that the host gives none.
const OWN_IDS: u64 = 1 << 63;

/// Messages of kinds that need different sentences for different arguments.
impl Error {
    /// A message of [`Kind::NotFinite`].
    fn not_finite(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Error { what, index, component, needed, given, .. } = *self;
        let name = Name(self);
        match what {
            What::Bound => {
                write!(f, "{name}: is NaN, or infinite where an end is needed; pass a number")
            }
            What::Acts => {
                let part = if component < 3 { "force" } else { "torque" };
                match component {
                    0..6 => write!(f, "{name}: the law's {part}")?,
                    _ => write!(f, "springs: component {} of vector {} of the law", component % 3, component / 3 - 2)?,
                }
                write!(
                    f,
                    " at contact {index} of bodies {} and {} is NaN or infinite; mend the law or the step",
                    Body(needed),
                    Body(given)
                )
            }
            What::Surfaces | What::Surface if component != 9 => {
                write!(f, "{name}: component {component} of item {given} of `vertices` is NaN or infinite")
            }
            _ if single_field(what, component).is_some() => {
                let field = single_field(what, component).unwrap_or_default();
                write!(f, "{name}: `{field}` is NaN or infinite; nothing was changed")
            }
            What::Halo | What::Scale | What::BodyMass | What::Mass | What::TimeStep | What::Window => {
                write!(f, "{name}: is NaN or infinite; nothing was changed")
            }
            _ if is_number(what) => {
                write!(f, "{name}: is NaN or infinite; nothing was changed")
            }
            What::MaterialA | What::MaterialB => {
                let (field, _) = field_of(what, component).unwrap_or_default();
                write!(f, "{name}: `{field}` is NaN or infinite")
            }
            _ if field_of(what, component).is_some() => {
                let (field, _) = field_of(what, component).unwrap_or_default();
                write!(f, "{name}: `{field}` of item {index} is NaN or infinite")
            }
            _ => {
                write!(f, "{name}: component {component} of item {index} is NaN or infinite; nothing was changed")
            }
        }
    }

    /// A message of [`Kind::Unsupported`].
    fn unsupported(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Error { what, index, component, .. } = *self;
        let name = Name(self);
        match what {
            What::CellsA | What::CellsB | What::Cells => {
                write!(f, "{name}: the shape was built without them; set `cells` to 1 in its description")
            }
            What::Body | What::ShapeA | What::Shapes if component == 14 => {
                write!(f, "{name}: a half-space has no end, so it has no mass; leave it out")
            }
            What::Body | What::ShapeA | What::ShapeB | What::Shapes => {
                write!(f, "{name}: a compound has no compounds as parts")
            }
            What::Phase => {
                const PHASES: [&str; 8] = [
                    "between steps: begin one first",
                    "at the search for contacts: poll, or abandon it",
                    "at the law: poll, or abandon it",
                    "at the law of the host: fill it and poll, or abandon it",
                    "at the loads: poll, or abandon it",
                    "at the moving of bodies: poll, or abandon it",
                    "complete: accept or abandon it first",
                    "stuck, since bodies are too fast for it: abandon it and begin a shorter one",
                ];
                let stands = PHASES.get(index as usize).unwrap_or(&"at no phase that there is");
                write!(f, "the call does not fit to where the step stands, which is {stands}; nothing was changed")
            }
            What::Window => {
                write!(
                    f,
                    "{name}: one is under way; finish it by the function that began it, or abandon it; nothing was changed"
                )
            }
            What::Scene => {
                write!(f, "{name}: it is that of a world, which is only read this way; take the function for worlds")
            }
            _ => {
                write!(f, "{name}: not available on this machine or in this build; see what the library lists")
            }
        }
    }

    /// The valid range for a [`Kind::OutOfRange`], if it is the same in all functions.
    fn range(&self) -> Option<&'static str> {
        match (self.what, self.component) {
            (What::PoseA | What::PoseB | What::Pose | What::BodyPoseA | What::BodyPoseB | What::BodyPose, _) => {
                Some("`orientation` is zero; no rotation is 0 0 0 1")
            }
            (What::Orientations, 3) | (What::BodyOrientation, _) => {
                Some("the quaternion is zero; no rotation is 0 0 0 1")
            }
            (What::Bound, _) => Some("must not be negative; infinity is none at all"),
            (What::Order | What::Rotation, _) => Some("must be 0 or 1"),
            (What::Normal, _) => Some("must be one of DEM_NORMAL_*, 0 to 3"),
            (What::Restitution, _) => Some("must be larger than 0 and at most 1"),
            (What::Gap, _) => Some("must be less than `halo`"),
            (What::Zeta | What::HalfLength, _) => Some("must not be negative"),
            (What::Blocks, _) => Some("must be at least 1"),
            // These arguments belong to estimates, not to shapes and bodies.
            (What::Halo | What::Mass, 1) => Some(POSITIVE),
            (What::Velocity | What::Area | What::Pressure | What::Time | What::Stiffness, _)
            | (What::Tilt | What::Height | What::Load | What::Radius, _) => Some(POSITIVE),
            (What::Halo | What::Margin | What::Skin, _) => Some("must not be negative"),
            (What::Sagitta, _) => Some("must be larger than 0; dem_heap_cylinder takes an eighth of `halo`"),
            (What::Length | What::MostDt, _) => Some("must be larger than 0, from 2^-100 to 2^100"),
            (What::Asks, _) => Some("must be 0, or the sum of what is asked for: DEM_ASK_LOADS (1), DEM_ASK_LAW (2)"),
            (What::Damped, _) => Some("must be one of DEM_DAMPING_*, 0 to 3"),
            (What::Levels, _) => Some("must be 1 to 64; take 8, the default, which is good for most ratios of sizes"),
            (What::Size, _) => Some("must be larger than 0 for this law, which multiplies moduli by it"),
            (What::Window, _) => Some("must be larger than 0, from 2^-100 to 2^100"),
            (What::List, _) => Some("must be 0 (contacts) or 1 (contacts within the margin)"),
            (What::PairList, _) => Some("the bodies have moved by more than its margin; make it anew"),
            // Densities of bodies have an upper bound too, because masses and moments of inertia have one.
            (What::Density, 1) => Some("must be larger than 0, from 2^-100 to 2^100; take other units"),
            (What::Density, _) => Some("must be larger than 0"),
            (What::Mass | What::BodyMass, _) => Some(
                "of a dynamic body must be from 2^-100 to 2^100; take other units, or make a body that has none static or kinematic",
            ),
            (What::Moments | What::BodyMoments, _) => Some(
                "of a dynamic body must be from 2^-100 to 2^100, and none larger than the sum of the other two; take other units where they are too small or too large",
            ),
            (What::TimeStep, _) => Some("must be larger than 0, from 2^-100 to 2^100"),
            (
                What::Gravity | What::Wrenches | What::Position | What::Positions | What::BodyVelocities | What::Spins,
                _,
            )
            | (What::BodyPosition | What::BodyVelocity | What::BodySpin, _) => {
                Some("is larger than 2^100; take other units, or look where it came from")
            }
            (What::Centres, _) => {
                Some("is farther than 2^400 from the origin, or more than 4096 periods; wrap it into the box")
            }
            (What::Radii, _) => Some("must not be negative, at most 2^400, and the diameter at most 64 periods"),
            (What::Scales, _) => Some("must be larger than 0"),
            (What::Halos, _) => Some("must not be negative"),
            (What::Id, _) => Some("must be below 2^63, where ids begin that the world gives"),
            (What::Groups, _) => Some("must not be 0: a body without a group meets no other"),
            (What::Motions | What::BodyMotion, _) => {
                Some("must be 0 (dynamic), 1 (kinematic), 2 (static) or 3 (ghost)")
            }
            (What::Periods, _) => Some("must be lengths, or 0 where an axis is open"),
            (What::Lows, _) => Some("is too far from the origin, or more than 4096 periods"),
            (What::Highs, _) => {
                Some("is below the low side, too far from the origin, or more than 64 periods from the low side")
            }
            (What::CellSizes, _) => Some("must be lengths in increasing order, the last one that of the largest body"),
            (What::Mesh, _) => {
                Some("has no vertex, or is too large or too small for its numbers; take another unit of length")
            }
            (What::Body | What::ShapeA | What::ShapeB | What::Shapes, component) => match component {
                0 => Some("`radius` must not be negative"),
                1 => Some("`halo` must not be negative"),
                2 => Some("`scale` must be larger than 0"),
                3..=9 => Some("`pose.orientation` is zero; no rotation is 0 0 0 1"),
                10 => Some("`kind` is none of DEM_KIND_*"),
                11 => Some("`solid` must be 0 or 1"),
                12 => Some("`reserved` must be 0"),
                13 => Some("`half_length` must not be negative, and is 0 for all but capsules"),
                14..=15 => Some("`reserved_lengths` must be 0"),
                _ => None,
            },
            (What::Stored, _) => Some("must be DEM_F32 (1) or DEM_F64 (2)"),
            (What::Precision, _) => Some("must be DEM_F32 (1), DEM_F64 (2), or 0 for that of the arrays"),
            (What::Preset, _) => Some("must be DEM_PRESET_FAST (1), _DEFAULT (2) or _BEST (3)"),
            (What::FanOut, _) => Some("must be 2 to 64"),
            (What::Leaf, _) => Some("must be 1 to 64"),
            (What::How, _) => Some("must be DEM_REFIT_HALOS (1) or DEM_REFIT_SURROGATES (2)"),
            (What::Scheme, _) => Some("must be DEM_SCHEME_SPLITTING (1), _NEWTON (2) or _PROJECTED (3)"),
            (What::Criterion, _) => Some("must be DEM_CRITERION_FUNCTIONAL (1), _CONTACT_POINT (2) or _CERTIFIED (3)"),
            (What::SweepLimit, _) => Some("must be at most 1000"),
            (What::Fallback, _) => Some("must be DEM_FALLBACK_NONE (0), _PAIRS (1) or _BATCHES (2)"),
            (What::Batch, _) => Some("must be 1, 2, 4, 8 or 16"),
            (What::ExactContacts, _) => Some("must be 0 or 1"),
            (What::Threshold | What::Thresholds | What::Reach | What::Torsion, _) => Some("must not be negative"),
            (What::Kappa | What::Rho | What::C | What::Unit | What::Resolution | What::Needle | What::Flat, _) => {
                Some("must be finite and not negative")
            }
            (What::Witness, _) => Some("must be DEM_WITNESS_DEFINITE (0) or DEM_WITNESS_ANY (1)"),
            (What::Dimensions, _) => Some("must be 2 or 3"),
            (What::Carried, _) => Some("must be one of DEM_CARRY_*"),
            (What::Which, _) => Some("must be DEM_BODY_A (0) or DEM_BODY_B (1)"),
            (What::Angle, _) => Some("must be between 0 and pi"),
            (What::Cells, 0) => Some("must be 0 or 1"),
            // These arguments belong to generators of meshes.
            (What::Cells | What::Eta, 1) => Some("must be at least 1"),
            (What::Eta, _) => Some(POSITIVE),
            (What::Edges, _) => Some("must be finite and not negative"),
            (What::Meridians, _) => Some("must be at least 3"),
            (What::Bands, 0) => Some("must be at least 2"),
            (What::Bands, _) => Some("must be at least 3"),
            (What::Outline, 0) => Some("must have a finite distance from the axis that is not negative"),
            (What::Outline, 1) => Some("must have a finite height"),
            (What::Outline, 2) => Some("must have at least 2 points"),
            (What::Outline, 3) => Some("must have at least 3 points"),
            (What::Outline, 4) => Some("encloses nothing"),
            (What::Outline, _) => Some("must have a point beside the axis"),
            (What::Small, _) => Some("must be larger than 0 and less than `large`"),
            (What::Thread, 0) => {
                Some("`radius` and `pitch` must be larger than 0, and the pitch less than twice the radius")
            }
            (What::Thread, 1) => Some("`sides` must be a multiple of 6"),
            (What::Thread, 2) => Some("`turns` must be at least 1"),
            (What::Thread, _) => Some(
                "a head, or a nut less its clearance, must be wider than the radius, and of a height larger than 0",
            ),
            (What::Clearance, _) => Some("must not be negative, and at most 0.18 of the pitch"),
            (What::Grouping, _) => Some("must be one of DEM_GROUPING_*"),
            (What::Law, _) => Some("must be DEM_LAW_FACING (0), DEM_LAW_VOLUME (1) or DEM_LAW_AUTO (2)"),
            (What::Scale, _) => Some("must be between 2^-500 and 2^500"),
            (What::MotionA | What::MotionB | What::Surfaces | What::Surface, 9) => {
                Some("`scale` must be between 2^-500 and 2^500")
            }
            (What::MotionA | What::MotionB | What::Surfaces | What::Surface, 10) => Some("`reserved` must be 0"),
            (What::MotionA | What::MotionB | What::Surfaces | What::Surface, 11) => Some("`reserved_2` must be 0"),
            (What::Surfaces | What::Surface, 12) => Some("`reserved_3` must be 0"),
            _ => None,
        }
    }

    fn out_of_range(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Error { what, index, component, needed, given, .. } = *self;
        let name = Name(self);
        if let (
            What::Order | What::Rotation | What::Asks | What::Damped | What::Levels | What::List | What::Normal,
            Some(range),
        ) = (what, self.range())
        {
            return write!(f, "{name}: is {given}, {range}");
        }
        if what == What::Acts {
            let [part, far] = match component {
                0..3 => ["force", "moves a body by more than 2^20 halos"],
                _ => ["torque", "turns a body by more than 2^20 radians"],
            };
            return write!(
                f,
                "{name}: the law's {part} at contact {index} of bodies {} and {} is larger than 2^100, or {far} in this step; look at the law and its units, or take a shorter step",
                Body(needed),
                Body(given)
            );
        }
        if what == What::Executor {
            return write!(
                f,
                "{name}: `reserved` is {given} and must be 0; set all fields of dem_tasks, such as {{run, user, lanes, 0}}"
            );
        }
        if let (What::Query | What::Setup | What::Description, 1, Some(field)) =
            (what, needed, CHOICES.get(component as usize))
        {
            return write!(f, "{name}: `{field}` is {given} and must be 0 or 1");
        }
        if let (What::MaterialA | What::MaterialB, Some((field, range))) = (what, field_of(what, component)) {
            return write!(f, "{name}: `{field}` {range}");
        }
        if let Some((field, range)) = field_of(what, component) {
            return write!(f, "{name}: `{field}` of item {index} {range}");
        }
        if let (Some(taken), 0, 0) = (types_from(needed), index, component) {
            let names = ["float", "double", "int32_t", "uint32_t", "uint64_t"];
            let found = names.get(given.wrapping_sub(1) as usize).unwrap_or(&"of an unknown type");
            let vertices = if matches!(what, What::Surfaces | What::Surface) { "`vertices`: " } else { "" };
            return write!(f, "{name}: {vertices}the numbers are {found} and must be {taken}; set the array's type");
        }
        if let (0, 0, true, Some(field)) = (index, needed, given != 0, RESERVED.get(component as usize)) {
            return write!(f, "{name}: `{field}` is {given} and must be 0; begin with the defaults of the struct");
        }
        // Item 0, component 0 is also the place of an error about the whole array.
        let whole = if index == 0 && component == 0 {
            "; or the array's type, or a reserved field of it, is wrong"
        } else {
            ""
        };
        match (what, self.range()) {
            (What::Centres | What::Radii | What::Motions | What::Lows | What::Highs, Some(range)) => {
                write!(f, "{name}: item {index}, component {component}, {range}{whole}")
            }
            (What::Scales | What::Halos, Some(range)) => write!(f, "{name}: item {index} {range}{whole}"),
            (What::Orientations, Some(range)) => write!(f, "{name}: item {index}, {range}"),
            (What::Outline, Some(range)) if component < 2 => write!(f, "{name}: item {index} {range}"),
            (_, Some(range)) => write!(f, "{name}: {range}"),
            (What::Triangles, None) => write!(f, "{name}: there must be at least one{whole}"),
            (_, None) if index == 0 && component == 0 => write!(
                f,
                "{name}: the type, a reserved field, or the first number is outside its range; see the function's comment"
            ),
            (_, None) => {
                write!(
                    f,
                    "{name}: item {index}, component {component}, is outside its range; see the function's comment"
                )
            }
        }
    }

    fn mismatch(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Error { what, index, component, needed, given, .. } = *self;
        let name = Name(self);
        match what {
            What::Surfaces | What::Surface if needed != given => write!(
                f,
                "{name}: `vertices` has {given} items where {needed} would match the shape; nothing was changed"
            ),
            What::Shapes if component == TREE_OR_CELLS => {
                write!(f, "{name}: its tree or cells are those of another mesh; pass what was built from this one")
            }
            What::Interactions => write!(
                f,
                "{name}: {given} items; n materials have n (n + 1) / 2 pairs (1, 3, 6, 10, ...), at least {needed} items here; nothing was changed"
            ),
            _ if needed != given => {
                write!(f, "{name}: {given} items where {needed} would match the other arguments; nothing was changed")
            }
            What::Vertices if index > 0 => write!(
                f,
                "{name}: item {index} does not stay with those it is joined to; move them together or build anew"
            ),
            What::Id => write!(f, "{name}: is not that of the body in slot {index}, which keeps its own"),
            What::Ids => write!(f, "{name}: item {index} is another body than the contacts are of; find them anew"),
            What::Shapes => write!(
                f,
                "{name}: not those that the contacts of this step were found with; pass those, or abandon the step"
            ),
            What::Window => write!(f, "{name}: another one is under way: call with its length and step, or abandon it"),
            _ => write!(f, "{name}: does not belong to the other arguments; pass what it was built from"),
        }
    }
}

/// Whether an argument is a number by itself.
fn is_number(what: What) -> bool {
    matches!(
        what,
        What::Reach
            | What::Torsion
            | What::Restitution
            | What::Velocity
            | What::Area
            | What::Gap
            | What::Pressure
            | What::Time
            | What::Stiffness
            | What::Zeta
            | What::Tilt
            | What::Height
            | What::Blocks
            | What::MostDt
            | What::Length
            | What::Radius
            | What::HalfLength
            | What::Density
            | What::Size
    )
}

/// The field of an argument that is a struct and not a list.
fn single_field(what: What, component: u32) -> Option<&'static str> {
    let fields: &[&str] = match what {
        What::Body | What::ShapeA | What::ShapeB | What::Shapes => &PLACED,
        What::PoseA | What::PoseB | What::Pose | What::BodyPoseA | What::BodyPoseB | What::BodyPose => &POSE,
        What::MotionA | What::MotionB => &MOTION,
        // The other fields of surfaces are arguments of their own.
        What::Surfaces | What::Surface if component == 9 => &MOTION,
        What::Load => &["force[0]", "force[1]", "force[2]", "torque[0]", "torque[1]", "torque[2]"],
        _ => &[],
    };
    fields.get(component as usize).copied()
}

/// The field of an interaction, a material or a ray, and its range.
fn field_of(what: What, component: u32) -> Option<(&'static str, &'static str)> {
    const OPTIONAL: &str = "must not be negative, and at most 2^100; take other units, or look where it came from";
    const ANY: &str = "must not be negative";
    const INTERACTION: [(&str, &str); 12] = [
        ("normal", "must be 0 to 3"),
        ("damped", "must be 0 to 3"),
        ("cohesive", "must be 0 to 2"),
        ("reserved", "must be 0"),
        ("stiffness", OPTIONAL),
        ("damping", OPTIONAL),
        ("friction", "must not be negative, and at most 2^100 or infinite"),
        ("shear", OPTIONAL),
        ("lag", OPTIONAL),
        ("torsion", OPTIONAL),
        ("rolling", OPTIONAL),
        ("cohesion", OPTIONAL),
    ];
    const MATERIAL: [(&str, &str); 6] = [
        ("young", "must be larger than 0"),
        ("poisson", "must be 0 to 0.5"),
        ("restitution", "must be larger than 0 and at most 1"),
        ("friction", ANY),
        ("rolling", ANY),
        ("cohesion", ANY),
    ];
    const FAR: &str = "is more than 2^400 from the origin, or too far for the units of the mesh";
    const LONG: &str = "must be from 2^-200 to 2^200 long, and not zero";
    const RAY: [(&str, &str); 9] = [
        ("origin[0]", FAR),
        ("origin[1]", FAR),
        ("origin[2]", FAR),
        ("direction[0]", LONG),
        ("direction[1]", LONG),
        ("direction[2]", LONG),
        ("most", "must not be negative; infinity is none at all"),
        ("reserved", "must be 0"),
        ("mask", "must not be 0: the ray would meet nothing; set all bits (UINT32_MAX) for all groups"),
    ];
    match what {
        What::Interactions => INTERACTION.get(component as usize).copied(),
        What::Materials | What::MaterialA | What::MaterialB => MATERIAL.get(component as usize).copied(),
        What::Rays => RAY.get(component as usize).copied(),
        _ => None,
    }
}

/// A body by its id. A body without an id of its own is named by slot and generation.
struct Body(u64);

impl fmt::Display for Body {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 < OWN_IDS {
            return write!(f, "{}", self.0);
        }
        write!(f, "in slot {}", (self.0 - OWN_IDS) >> 32)
    }
}

/// The number types that are allowed, given the first of them: see [`Error::number_type`].
fn types_from(first: u64) -> Option<&'static str> {
    match first {
        1 => Some("float or double"),
        3 => Some("int32_t or uint32_t"),
        5 => Some("uint64_t"),
        _ => None,
    }
}

/// The name of an argument, with the part of the compound or the item of the list that is wrong.
struct Name<'e>(&'e Error);

impl fmt::Display for Name<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.what.name())?;
        match (self.0.what, self.0.index) {
            // For shapes, the kind tells whether the error is about one item or about the whole list.
            (What::Shapes, item) if matches!(self.0.kind, Kind::OutOfRange | Kind::NotFinite | Kind::Unsupported) => {
                write!(f, ", item {item}")
            }
            (What::Shapes, item) if self.0.kind == Kind::Mismatch && self.0.component == TREE_OR_CELLS => {
                write!(f, ", item {item}")
            }
            (What::Shapes | What::Surfaces, item) if self.0.kind == Kind::Null && self.0.component > 0 => {
                write!(f, ", item {item}")
            }
            (What::Surfaces, item) if matches!(self.0.kind, Kind::OutOfRange | Kind::BadIndex | Kind::Mismatch) => {
                write!(f, ", item {item}")
            }
            (What::Surfaces, item) if self.0.kind == Kind::NotFinite => write!(f, ", item {item}"),
            (What::Cells, item) if self.0.kind == Kind::Unsupported => write!(f, " of shape {item}"),
            (_, 0) => Ok(()),
            (
                What::Body
                | What::ShapeA
                | What::MeshA
                | What::BodyMeshA
                | What::CellsA
                | What::ShapeB
                | What::MeshB
                | What::BodyMeshB
                | What::CellsB,
                part,
            ) => {
                write!(f, ", part {part}")
            }
            _ => Ok(()),
        }
    }
}

/// Rust prints an error from `main` or `unwrap` with `Debug`, so the message comes first.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Error { kind, what, index, component, needed, given } = *self;
        write!(
            f,
            "{self} ({kind:?} about {what:?}: index {index}, component {component}, needed {needed}, given {given})"
        )
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Error { what, index, component, needed, given, .. } = *self;
        let name = Name(self);
        match self.kind {
            Kind::Null if component == NOTHING_YET => {
                let advice =
                    if what == What::World { "it has no bodies yet; add some" } else { "it has no step yet; take one" };
                write!(f, "{name}: {advice} first")
            }
            Kind::Null if what == What::World => write!(
                f,
                "{name}: there is none; make it first, by dem_world_build in memory that grows, else by dem_world_init"
            ),
            Kind::Null if what == What::Interactions => write!(
                f,
                "{name}: there is no law; set `interactions` and `interaction_count`, or begin steps with DEM_ASK_LAW"
            ),
            Kind::Null if component == DATA => write!(f, "{name}: `data` is null; pass valid memory"),
            Kind::Null if component > 0 && single_field(what, component).is_some() => {
                let field = single_field(what, component).unwrap_or_default();
                write!(f, "{name}: `{field}` is null; pass valid memory")
            }
            Kind::Null if matches!(what, What::Surfaces | What::Surface) && component > 0 => {
                write!(f, "{name}: `shape` is null; pass valid memory")
            }
            Kind::Null if what == What::Handle => {
                write!(f, "the pointer to the shape, scene, world or grid is null; pass valid memory")
            }
            Kind::Null => write!(f, "{name}: the pointer is null; pass valid memory"),
            Kind::Misaligned => {
                write!(f, "{name}: address or stride is not a multiple of {needed} bytes; align it")
            }
            Kind::Capacity if what == What::Vertices && component == 1 => write!(
                f,
                "{name}: {given} is not a multiple of three; pass the indices of triangles, or three vertices for each triangle"
            ),
            Kind::Capacity => {
                write!(f, "{name}: {needed} needed, {given} given; call again with at least {needed}, nothing is lost")
            }
            Kind::NotFinite => self.not_finite(f),
            Kind::OutOfRange => self.out_of_range(f),
            Kind::BadIndex if matches!(what, What::BodyPairs | What::LastBodyPairs) => {
                write!(
                    f,
                    "{name}: contact {index} has the tag {given}, but none of the {needed} has it; add its bodies"
                )
            }
            Kind::BadIndex if what == What::Handle => {
                write!(f, "{name}: there is no such body, or it has left slot {given}; nothing was changed")
            }
            Kind::BadIndex if what == What::Material => write!(
                f,
                "{name}: that of the body in slot {index} is {given}, and the law knows {needed}; give it another, or the law more"
            ),
            Kind::BadIndex if what == What::Materials => write!(
                f,
                "{name}: `material` of the body in slot {index} is {given}, and the law knows {needed}; give it another, or the law more"
            ),
            Kind::BadIndex if what == What::Shape => write!(
                f,
                "{name}: that of the body in slot {index} is {given}, and `shapes` of the query has {needed}; give it another, or the query more"
            ),
            Kind::BadIndex if matches!(what, What::Surfaces | What::Surface) => {
                write!(
                    f,
                    "{name}: `body` is {given}, which is none of the {needed} that there are; nothing was changed"
                )
            }
            Kind::BadIndex if matches!(what, What::Indices | What::Pairs) => write!(
                f,
                "{name}: item {index}, component {component}, is {given}, but there are only {needed}, numbered from the array's `base`; nothing was changed"
            ),
            Kind::BadIndex if what == What::ShapeNumbers => write!(
                f,
                "{name}: item {index} is {given}, but there are only {needed}, numbered from 0; nothing was changed"
            ),
            Kind::BadIndex => write!(
                f,
                "{name}: item {index}, component {component}, is {given}, but there are only {needed}, numbered from 0; nothing was changed"
            ),
            Kind::BadSize => {
                let field = match (what, component) {
                    (What::Surfaces | What::Surface, 0) => "vertices.stride",
                    (What::Surfaces | What::Surface, 1) => "vertices.component_stride",
                    _ => SIZES.get(component as usize).copied().unwrap_or("stride"),
                };
                let advice = match field {
                    "struct_size" => "begin with the defaults of the struct (dem_defaults), which set it",
                    _ => "strides are in bytes",
                };
                write!(f, "{name}: `{field}` is {given} bytes where {needed} are expected; {advice}")
            }
            Kind::TooLarge if what == What::TimeStep && needed > 0 => write!(
                f,
                "{name}: bodies in slots {index} and {component} are so fast that a step would be divided into more than {needed}; look at their velocities, and at forces on them in the step before"
            ),
            Kind::TooLarge if what == What::Window => write!(
                f,
                "{name}: it has {given} steps of this length, more than {needed}; take a longer step, or a shorter window"
            ),
            Kind::TooLarge => write!(f, "{name}: {given} is more than the limit of {needed}"),
            Kind::Damaged if what == What::Springs => write!(
                f,
                "{name}: from byte {index} on there is no record of this library, or it is cut off, or has a number that is none; nothing was changed"
            ),
            Kind::Damaged => write!(
                f,
                "{name}: not a block of this kind and version, or damaged (place {index}); build it again or restore a copy"
            ),
            Kind::Busy => write!(f, "{name}: in use by another thread; wait for that call, or use a copy"),
            Kind::Poisoned => {
                write!(f, "{name}: an earlier call on it was cut short by a panic; restore a copy or build it again")
            }
            Kind::Unsupported => self.unsupported(f),
            Kind::Panic => write!(f, "{name}: the library met a defect of its own; please report it"),
            Kind::Mismatch => self.mismatch(f),
            Kind::Duplicate => write!(
                f,
                "{name}: items {index} and {given} are the same, and each must be different; nothing was changed"
            ),
            Kind::Overlap => write!(f, "{name}: overlaps another argument's memory; keep them apart"),
        }
    }
}

impl core::error::Error for Error {}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares a message piece by piece, since there is no `String` without a heap.
    struct Rest<'a>(&'a str);

    impl fmt::Write for Rest<'_> {
        fn write_str(&mut self, piece: &str) -> fmt::Result {
            self.0 = self.0.strip_prefix(piece).ok_or(fmt::Error)?;
            Ok(())
        }
    }

    fn says(error: Error, sentence: &str) {
        let mut rest = Rest(sentence);
        assert!(fmt::write(&mut rest, format_args!("{error}")).is_ok() && rest.0.is_empty(), "{}", rest.0);
    }

    fn range(what: What, component: u32) -> Error {
        Error::new(Kind::OutOfRange, what).at(0, component)
    }

    fn unsupported(what: What, component: u32) -> Error {
        Error::new(Kind::Unsupported, what).at(0, component)
    }

    #[test]
    fn programs_that_end_with_an_error_tell_its_message() {
        let error = range(What::Halo, 0).at(3, 0);
        let mut rest =
            Rest("halo: must not be negative (OutOfRange about Halo: index 3, component 0, needed 0, given 0)");
        assert!(fmt::write(&mut rest, format_args!("{error:?}")).is_ok() && rest.0.is_empty(), "{}", rest.0);
    }

    #[test]
    fn sentences_tell_what_range_numbers_have() {
        says(range(What::PoseA, 3), "pose_a: `orientation` is zero; no rotation is 0 0 0 1");
        says(range(What::Halo, 0), "halo: must not be negative");
        says(range(What::Sagitta, 0), "sagitta: must be larger than 0; dem_heap_cylinder takes an eighth of `halo`");
        says(
            range(What::Orientations, 3).at(5, 3),
            "orientations: item 5, the quaternion is zero; no rotation is 0 0 0 1",
        );
        says(range(What::Query, 1).amounts(1, 2), "query: `spreads` is 2 and must be 0 or 1");
        says(
            range(What::Vertices, 0),
            "vertices: the type, a reserved field, or the first number is outside its range; see the function's comment",
        );
        says(
            range(What::Motions, 0).at(3, 0),
            "motions: item 3, component 0, must be 0 (dynamic), 1 (kinematic), 2 (static) or 3 (ghost)",
        );
        says(range(What::ShapeB, 2), "b: `scale` must be larger than 0");
        says(range(What::ShapeB, 2).at(7, 2), "b, part 7: `scale` must be larger than 0");
        says(range(What::Shapes, 0), "shapes, item 0: `radius` must not be negative");
        says(
            Error::new(Kind::NotFinite, What::Shapes).at(2, 3),
            "shapes, item 2: `pose.position[0]` is NaN or infinite; nothing was changed",
        );
        says(
            Error::new(Kind::NotFinite, What::ShapeA).at(0, 13),
            "a: `half_length` is NaN or infinite; nothing was changed",
        );
        says(range(What::Scales, 0).at(5, 0), "scales: item 5 must be larger than 0");
        says(
            range(What::Halos, 0),
            "halos: item 0 must not be negative; or the array's type, or a reserved field of it, is wrong",
        );
        says(
            range(What::Triangles, 0),
            "triangles: there must be at least one; or the array's type, or a reserved field of it, is wrong",
        );
        says(
            Error::number_type(What::ShapeNumbers, 3, 2),
            "shape_of: the numbers are double and must be int32_t or uint32_t; set the array's type",
        );
        says(
            Error::number_type(What::Positions, 1, 77),
            "positions: the numbers are of an unknown type and must be float or double; set the array's type",
        );
        says(
            Error::new(Kind::OutOfRange, What::Scales).amounts(0, 7),
            "scales: `reserved` is 7 and must be 0; begin with the defaults of the struct",
        );
        says(
            Error::new(Kind::OutOfRange, What::Executor).amounts(0, 7),
            "tasks: `reserved` is 7 and must be 0; set all fields of dem_tasks, such as {run, user, lanes, 0}",
        );
        says(
            Error::new(Kind::OutOfRange, What::Levels).amounts(64, 0),
            "levels: is 0, must be 1 to 64; take 8, the default, which is good for most ratios of sizes",
        );
        says(
            range(What::Interactions, 4),
            "interactions: `stiffness` of item 0 must not be negative, and at most 2^100; take other units, or look where it came from",
        );
        says(range(What::Materials, 3), "materials: `friction` of item 0 must not be negative");
        says(
            Error::new(Kind::TooLarge, What::Window).amounts(1 << 40, 10_000_000_000_000_000),
            "window: it has 10000000000000000 steps of this length, more than 1099511627776; take a longer step, or a shorter window",
        );
        says(
            range(What::Moments, 0),
            "moments: of a dynamic body must be from 2^-100 to 2^100, and none larger than the sum of the other two; take other units where they are too small or too large",
        );
        says(range(What::Preset, 0), "preset: must be DEM_PRESET_FAST (1), _DEFAULT (2) or _BEST (3)");
        says(range(What::Periods, 0), "periods: must be lengths, or 0 where an axis is open");
        says(
            Error::new(Kind::NotFinite, What::Bound),
            "bound: is NaN, or infinite where an end is needed; pass a number",
        );
        says(
            Error::new(Kind::NotFinite, What::Acts).at(4, 5).amounts(7, 9),
            "acts: the law's torque at contact 4 of bodies 7 and 9 is NaN or infinite; mend the law or the step",
        );
        says(
            Error::new(Kind::NotFinite, What::Acts).at(4, 10).amounts(7, 9),
            "springs: component 1 of vector 1 of the law at contact 4 of bodies 7 and 9 is NaN or infinite; mend the law or the step",
        );
        says(
            Error::new(Kind::OutOfRange, What::Acts).at(4, 1).amounts(7, 9),
            "acts: the law's force at contact 4 of bodies 7 and 9 is larger than 2^100, or moves a body by more than 2^20 halos in this step; look at the law and its units, or take a shorter step",
        );
        says(
            Error::new(Kind::TooLarge, What::TimeStep).at(3, 5).amounts(1 << 20, u64::MAX),
            "dt: bodies in slots 3 and 5 are so fast that a step would be divided into more than 1048576; look at their velocities, and at forces on them in the step before",
        );
    }

    #[test]
    fn sentences_tell_what_belongs_together() {
        says(
            Error::new(Kind::Null, What::World),
            "world: there is none; make it first, by dem_world_build in memory that grows, else by dem_world_init",
        );
        says(
            Error::new(Kind::Mismatch, What::Ids).at(7, 0),
            "ids: item 7 is another body than the contacts are of; find them anew",
        );
        says(
            Error::new(Kind::Mismatch, What::Shapes),
            "shapes: not those that the contacts of this step were found with; pass those, or abandon the step",
        );
        says(
            Error::new(Kind::Mismatch, What::Shapes).at(3, TREE_OR_CELLS).amounts(0, 2),
            "shapes, item 3: its tree or cells are those of another mesh; pass what was built from this one",
        );
        says(Error::new(Kind::Null, What::World).at(0, NOTHING_YET), "world: it has no bodies yet; add some first");
        says(Error::new(Kind::Null, What::Scene).at(0, NOTHING_YET), "scene: it has no step yet; take one first");
        says(
            Error::new(Kind::Duplicate, What::Ids).at(7, 0).amounts(0, 3),
            "ids: items 7 and 3 are the same, and each must be different; nothing was changed",
        );
        says(
            Error::new(Kind::Mismatch, What::CellsA).at(2, 0),
            "cells of a, part 2: does not belong to the other arguments; pass what it was built from",
        );
        says(
            Error::new(Kind::BadIndex, What::Indices).at(7, 1).amounts(441, 0),
            "triangles: item 7, component 1, is 0, but there are only 441, numbered from the array's `base`; nothing was changed",
        );
        says(
            Error::new(Kind::BadIndex, What::ShapeNumbers).at(1, 0).amounts(2, 2),
            "shape_of: item 1 is 2, but there are only 2, numbered from 0; nothing was changed",
        );
        says(
            Error::new(Kind::BadIndex, What::BodyPairs).at(2, 0).amounts(1, 77),
            "now.pairs: contact 2 has the tag 77, but none of the 1 has it; add its bodies",
        );
    }

    #[test]
    fn sentences_tell_what_there_is_not() {
        says(unsupported(What::Shapes, 14), "shapes, item 0: a half-space has no end, so it has no mass; leave it out");
        says(
            unsupported(What::Scene, 0),
            "scene: it is that of a world, which is only read this way; take the function for worlds",
        );
        says(Error::new(Kind::Unsupported, What::ShapeB), "b: a compound has no compounds as parts");
        says(
            Error::new(Kind::Unsupported, What::Cells).at(2, 0),
            "cells of shape 2: the shape was built without them; set `cells` to 1 in its description",
        );
        says(
            Error::new(Kind::Unsupported, What::CellsB),
            "cells of b: the shape was built without them; set `cells` to 1 in its description",
        );
        says(
            Error::new(Kind::Unsupported, What::Shapes).at(2, 0),
            "shapes, item 2: a compound has no compounds as parts",
        );
    }
}
