//! Sizes of the pieces into which a step of balls is divided, and results of a piece.

use zerocopy::{FromBytes, Immutable, IntoBytes};

use crate::body::{Body, power};
use crate::detect::Wrench;

/// Number of pairs of the list in a thread's task.
pub(super) const PAIRS: usize = 4096;

/// Number of pairs that are computed once the last of their bodies has moved.
pub(super) const ACTING: usize = 512;

/// Number of bodies in a thread's task.
pub(super) const BODIES: usize = 1024;

/// The results of a chunk of bodies.
#[derive(Clone, Copy, Debug, Default, PartialEq, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub(super) struct Part {
    /// Works of contacts and loads, and of gravity.
    pub(super) works: [f64; 2],
    /// Power of loads after the step.
    pub(super) power: f64,
    /// Work of bodies that no force moves.
    pub(super) driven: f64,
    /// Change of the kinetic energy by free rotation.
    pub(super) rotation: f64,
    /// Bits, defined below.
    pub(super) what: u64,
}

impl Part {
    /// The sum of several chunks, in their order.
    pub(super) fn of_all(parts: &[Part]) -> Part {
        parts.iter().fold(Part::default(), |all, part| Part {
            works: [all.works[0] + part.works[0], all.works[1] + part.works[1]],
            power: all.power + part.power,
            driven: all.driven + part.driven,
            rotation: all.rotation + part.rotation,
            what: all.what | part.what,
        })
    }

    /// Adds the power of loads on some of its bodies.
    pub(super) fn add_loads(&mut self, bodies: &[Body], loads: &[Wrench]) {
        for (body, load) in bodies.iter().zip(loads).filter(|(body, _)| body.is_dynamic()) {
            self.power += power(load, body);
        }
    }

    /// Adds the work of a body that no force moves, under the wrench of others.
    #[inline(always)]
    pub(super) fn add_driven(&mut self, body: &Body, sum: &Wrench, dt: f64) {
        self.driven -= dt * power(sum, body);
    }
}

/// Numbers of a body are NaN or too large.
pub(super) const BAD: u64 = 1;

/// A body has left its listed position. [`FAST`]: it would be too fast. [`HALO`]: it has a halo.
pub(super) const LEFT: u64 = 2;

pub(super) const FAST: u64 = 4;

pub(super) const HALO: u64 = 8;

/// Number of pairs in one word of marks.
pub(super) const MARKS: usize = 64;
