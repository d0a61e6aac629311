//! Events of a window, and the data that a world keeps for them.

use zerocopy::{FromBytes, Immutable, IntoBytes};

use crate::contact::Contact;
use crate::real::{max, min};
use crate::vector::dot;

/// Two bodies begin or end to touch: to have contacts. All periodic images of both are one pair: it begins with the first contact and ends with
/// the last one.
#[derive(Clone, Copy, Debug, Default, PartialEq, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub struct PairEvent {
    /// Ids of A and B; that of A is smaller.
    pub ids: [u64; 2],
    /// Their slots.
    pub bodies: [u32; 2],
    /// [`BEGIN`](crate::contact::history::BEGIN) or [`END`](crate::contact::history::END).
    pub what: u32,
    /// 0.
    pub spare: u32,
    /// The time of the step's start at which the change was found.
    pub time: f64,
}

/// Extremes and sums over steps.
#[derive(Clone, Copy, Debug, PartialEq, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub(super) struct Watched {
    pub least_gap: f64,
    pub approach: f64,
    pub approaching: [u32; 2],
    pub status: u32,
    /// Number of events.
    pub events: u32,
}

/// How far the surface of A approaches that of B during `dt` with this velocity, over the halo; 0 without a halo.
pub(super) fn approach(contact: &Contact, velocity: [f64; 3], dt: f64) -> f64 {
    let way = max(0.0, -dot(velocity, contact.normal)) * dt;
    if contact.halo > 0.0 { way / contact.halo } else { 0.0 }
}

impl Watched {
    pub const NONE: Self =
        Watched { least_gap: f64::INFINITY, approach: 0.0, approaching: [0; 2], status: 0, events: 0 };

    /// Adds a contact of two bodies, at which A's surface has this velocity relative to B's during `dt`.
    pub fn add(&mut self, contact: &Contact, velocity: [f64; 3], dt: f64, bodies: [u32; 2]) {
        let approach = approach(contact, velocity, dt);
        if approach > self.approach {
            (self.approach, self.approaching) = (approach, bodies);
        }
        self.least_gap = min(self.least_gap, contact.least_gap);
        self.status |= contact.status;
    }
}
