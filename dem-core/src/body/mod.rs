//! Rigid bodies, and their motion in one time step.
//!
//! | | |
//! | --- | --- |
//! | [`Body`] | mass, pose and velocity of one body |
//! | [`Columns`] | its fields as arrays that scenes can read |
//! | [`advance`] | all bodies over one time step, under wrenches and gravity |
//! | [`compound_mass`] | mass properties of a compound, whose parts may overlap |
//! | [`totals`] | energies and momenta of all bodies |
//!
//! A body's frame has its origin in the centre of mass and its axes along the principal axes of inertia. So the equations of motion need only
//! three moments. In this frame, a mesh is a compound with one part, at the pose [`MassProperties::part_pose`]. A scene reads positions,
//! orientations and velocities in place, from the slice of bodies ([`Columns`]). [`advance`] takes wrenches about the origins of the frames, as
//! [`SceneRef::wrenches`](crate::detect::SceneRef::wrenches) and [`SceneRef::apply`](crate::detect::SceneRef::apply) return them.

mod checks;
mod compound;
mod rotation;
mod step;
mod sums;

use core::mem::offset_of;

use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

pub use self::compound::{compound_mass, compound_mass_scratch};
pub(crate) use self::rotation::{turn, turned};
pub use self::step::{Order, Rotation, Step, Works, advance};
pub(crate) use self::step::{advance_one, power, spun};
pub use self::sums::{Totals, totals};
use crate::array::{Array, Scalar, Strides, Words};
use crate::broad::Motion;
use crate::error::{Error, Kind, Result, What};
use crate::mesh::MassProperties;
use crate::pose::{Pose, scaled_product};
use crate::vector::dot;
pub(crate) use checks::{LARGEST, bounded, is_bounded, positive};
use checks::{SMALLEST, check_density};
pub(crate) use rotation::unit;

/// A rigid body, in any consistent units.
#[derive(Clone, Copy, Debug, PartialEq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub struct Body {
    /// Centre of mass, in world coordinates.
    pub position: [f64; 3],
    /// From the principal axes to world axes: a quaternion `x y z w`. Any finite quaternion except zero is normalised on use.
    pub orientation: [f64; 4],
    /// Velocity of the centre of mass.
    pub velocity: [f64; 3],
    /// Angular velocity, in world axes.
    pub angular_velocity: [f64; 3],
    /// Mass of a dynamic body.
    pub mass: f64,
    /// Principal moments of inertia of a dynamic body, about its centre of mass.
    pub moments: [f64; 3],
    /// A [`Motion`]: dynamic (0), kinematic (1), static (2) or ghost (3).
    pub motion: u32,
    /// Zero.
    pub reserved: u32,
}

impl Body {
    /// A dynamic body at rest, with the mesh at the pose `mesh`.
    ///
    /// Errors: those of [`Pose::check`] of `mesh`; [`Kind::OutOfRange`] for [`What::Mass`] if the mesh has no volume.
    pub fn new(properties: &MassProperties, mesh: &Pose) -> Result<Body> {
        let position = mesh.transform(What::Pose)?.apply(properties.centre);
        let [x, y, z, w] = properties.part_pose().orientation;
        let orientation = unit(scaled_product(mesh.orientation, [-x, -y, -z, w]));
        let body =
            Body { position, orientation, mass: properties.mass, moments: properties.moments, ..Body::fixed(*mesh) };
        let body = Body { motion: Motion::Dynamic as u32, ..body };
        body.check(0)?;
        Ok(body)
    }

    /// A dynamic ball at rest.
    ///
    /// Errors: [`Kind::NotFinite`] and [`Kind::OutOfRange`] for [`What::Positions`], [`What::Radius`] and [`What::Density`].
    pub fn ball(radius: f64, density: f64, position: [f64; 3]) -> Result<Body> {
        positive(radius, What::Radius)?;
        check_density(density)?;
        let mass = 4.0 / 3.0 * core::f64::consts::PI * density * radius * radius * radius;
        let pose = Pose { position, ..Pose::IDENTITY };
        let moments = [0.4 * mass * radius * radius; 3];
        let body = Body { mass, moments, motion: Motion::Dynamic as u32, ..Body::fixed(pose) };
        body.check(0)?;
        Ok(body)
    }

    /// A dynamic capsule at rest, along the z axis of `pose`: all points within `radius` of a segment of `2 half_length`.
    ///
    /// Errors: [`Kind::NotFinite`] and [`Kind::OutOfRange`] for [`What::Pose`], [`What::Radius`], [`What::HalfLength`] (which may be 0) and [`What::Density`].
    pub fn capsule(half_length: f64, radius: f64, density: f64, pose: &Pose) -> Result<Body> {
        positive(radius, What::Radius)?;
        check_density(density)?;
        bounded(&[half_length], What::HalfLength, 0)?;
        if half_length < 0.0 {
            return Err(Error::new(Kind::OutOfRange, What::HalfLength));
        }
        pose.check(What::Pose)?;
        let own = compound::capsule(half_length, radius);
        let moments = [0, 1, 2].map(|k| density * own.inertia[k][k]);
        let body = Body { mass: density * own.mass, moments, motion: Motion::Dynamic as u32, ..Body::fixed(*pose) };
        body.check(0)?;
        Ok(body)
    }

    /// A body that never moves. With another [`Motion`], it is a body that the host moves by its velocities.
    pub fn fixed(pose: Pose) -> Body {
        Body {
            position: pose.position,
            orientation: pose.orientation,
            velocity: [0.0; 3],
            angular_velocity: [0.0; 3],
            mass: 0.0,
            moments: [0.0; 3],
            motion: Motion::Static as u32,
            reserved: 0,
        }
    }

    /// The pose of the body's frame.
    pub fn pose(&self) -> Pose {
        Pose { position: self.position, orientation: self.orientation }
    }

    /// Whether forces move it.
    #[inline(always)]
    pub fn is_dynamic(&self) -> bool {
        self.motion == Motion::Dynamic as u32
    }

    /// Its effective mass in contacts: infinite if forces do not move it. A ghost has its own mass, because forces move it in the process that
    /// owns it.
    #[inline(always)]
    pub fn inertia(&self) -> f64 {
        let moves = self.is_dynamic() || self.motion == Motion::Ghost as u32 && self.mass > 0.0;
        if moves { self.mass } else { f64::INFINITY }
    }

    /// Angular momentum about the centre of mass, in world axes.
    pub fn angular_momentum(&self) -> [f64; 3] {
        rotation::Frame::of(self.orientation).along_axes(self.angular_velocity, self.moments)
    }

    /// Kinetic energy of its rotation.
    fn spin_energy(&self) -> f64 {
        0.5 * dot(self.angular_momentum(), self.angular_velocity)
    }

    /// Errors, with `place` as index: [`Kind::NotFinite`] and [`Kind::OutOfRange`] for [`What::Positions`], [`What::Orientations`],
    /// [`What::BodyVelocities`], [`What::Spins`], [`What::Motions`], and for dynamic bodies [`What::Mass`] and [`What::Moments`]. Each number
    /// except those of the quaternion may be as large as 2^100. Masses and moments are no smaller than 2^-100. No moment is larger than the sum
    /// of the other two, with a tolerance of 1e-6 for measured or rounded moments.
    pub fn check(&self, place: u64) -> Result<()> {
        let vectors = [
            (self.position, What::Positions),
            (self.velocity, What::BodyVelocities),
            (self.angular_velocity, What::Spins),
        ];
        for (v, what) in vectors {
            bounded(&v, what, place)?;
        }
        if let Some(k) = self.orientation.iter().position(|x| !x.is_finite()) {
            return Err(Error::new(Kind::NotFinite, What::Orientations).at(place, k as u32));
        }
        if self.orientation == [0.0; 4] {
            return Err(Error::new(Kind::OutOfRange, What::Orientations).at(place, 3));
        }
        if self.motion > Motion::LAST {
            return Err(Error::new(Kind::OutOfRange, What::Motions).at(place, 0));
        }
        if !self.is_dynamic() {
            return Ok(());
        }
        bounded(&[self.mass], What::Mass, place)?;
        bounded(&self.moments, What::Moments, place)?;
        if self.mass < SMALLEST {
            return Err(Error::new(Kind::OutOfRange, What::Mass).at(place, 0));
        }
        let [a, b, c] = self.moments;
        let most = (a + b + c) * (0.5 + 0.5e-6);
        let wrong = self.moments.iter().position(|moment| !(SMALLEST..=most).contains(moment));
        wrong.map_or(Ok(()), |k| Err(Error::new(Kind::OutOfRange, What::Moments).at(place, k as u32)))
    }
}

/// The fields of many bodies as arrays that scenes read in place.
#[derive(Clone, Copy)]
pub struct Columns<'b> {
    /// Positions: [`Bodies::positions`](crate::detect::Bodies::positions).
    pub positions: Array<'b>,
    /// Orientations.
    pub orientations: Array<'b>,
    /// Velocities of their centres of mass: [`Motions::velocities`](crate::detect::surfaces::Motions::velocities).
    pub velocities: Array<'b>,
    /// Angular velocities.
    pub angular_velocities: Array<'b>,
    /// Kinds of motion.
    pub motions: Words<'b>,
}

impl<'b> Columns<'b> {
    /// A view of these bodies. Errors: none that bodies of this library can have.
    pub fn new(bodies: &'b [Body]) -> Result<Self> {
        let (count, stride) = (bodies.len(), size_of::<Body>());
        let layout = Strides { count, stride, component_stride: size_of::<f64>(), scalar: Scalar::F64 };
        let from = |offset: usize| bodies.as_bytes().get(offset..).unwrap_or_default();
        let vectors = |offset, what| Array::new(from(offset), layout, what);
        Ok(Columns {
            positions: vectors(offset_of!(Body, position), What::Positions)?,
            orientations: Array::quaternions(from(offset_of!(Body, orientation)), layout, What::Orientations)?,
            velocities: vectors(offset_of!(Body, velocity), What::BodyVelocities)?,
            angular_velocities: vectors(offset_of!(Body, angular_velocity), What::Spins)?,
            motions: Words::new(from(offset_of!(Body, motion)), count, stride, What::Motions)?,
        })
    }
}
