//! Output of the contacts of two bodies, with keys, world coordinates and shares.

use glam::DVec3;

use super::site::Site;
use crate::contact::penetration::Ties;
use crate::contact::spread::{self, Tensor};
use crate::contact::{Contact, SURFACE, status};
use crate::narrow::key;
use crate::real::Real;

/// Output of contacts. Contacts without room are counted.
pub(super) struct Sink<'o, 't> {
    pub out: &'o mut [Contact],
    pub count: usize,
    pub tag: u64,
    /// The midpoint of both bodies.
    pub middle: [f64; 3],
    pub ties: &'o mut Ties<'t>,
}

/// A pair of parts, ordered by kind.
pub(super) struct PartPair<'s, 'a> {
    pub first: &'s Site<'a>,
    pub second: &'s Site<'a>,
    /// Whether the first part belongs to B.
    pub exchanged: bool,
}

/// A contact of two parts, relative to the midpoint of both bodies, in world axes.
#[derive(Clone, Copy, Default)]
pub(super) struct Local {
    pub features: [u32; 2],
    pub position: DVec3,
    /// From the second part to the first.
    pub normal: DVec3,
    pub moment: DVec3,
    pub gap: f64,
    pub least_gap: f64,
    pub area: f64,
    /// The sum of areas over which pressures were integrated, for mean gaps and positions of several contacts. 0 if it equals `area`, and
    /// negative if the contact subtracts from others.
    pub measured: f64,
    pub halo: f64,
    /// Status bits other than those that follow from the least gap.
    pub status: u32,
    /// Energy over the stiffness; 0 unless energies are requested.
    pub energy: f64,
    /// Effective radius; 0 if a body has none.
    pub radius: f64,
    /// From the position to the centroid of the area, and the second moment of the pressure about the position; 0 unless second moments are
    /// requested.
    pub offset: DVec3,
    pub spread: Tensor,
}

impl Local {
    /// The contact transformed from the frame and the units of a part.
    pub fn out_of(&self, site: &Site<'_>) -> Local {
        let s = site.scale;
        let turned = |v: DVec3| DVec3::from_array(site.turn.rotate(v.to_array()));
        Local {
            position: DVec3::from_array(site.turn.apply((self.position * s).to_array())),
            normal: turned(self.normal),
            moment: turned(self.moment) * s * s * s,
            gap: s * self.gap,
            least_gap: s * self.least_gap,
            area: s * s * self.area,
            measured: s * s * self.measured,
            halo: s * self.halo,
            energy: self.energy * s * s * s,
            radius: s * self.radius,
            offset: turned(self.offset) * s,
            spread: spread::turned(&self.spread, &site.turn.rows, s * s),
            ..*self
        }
    }

    /// The contact in world coordinates with its key, with the measured area in place of a share; `side` is -1 if the first part belongs to B.
    #[inline(always)]
    pub fn contact(&self, key: [u64; 2], side: f64, middle: [f64; 3]) -> Contact {
        let signed = |v: DVec3| v.to_array().map(|x| side * x + 0.0);
        let position = self.position.to_array();
        Contact {
            key,
            position: [0, 1, 2].map(|k| position[k] + middle[k] + 0.0),
            normal: signed(self.normal),
            moment: signed(self.moment),
            gap: self.gap + 0.0,
            least_gap: self.least_gap + 0.0,
            area: self.area,
            share: if self.measured == 0.0 { self.area } else { self.measured },
            halo: self.halo,
            kind: SURFACE,
            status: self.status | met(self.least_gap),
            energy: self.energy,
            wedging: 1.0,
            radius: self.radius,
            offset: self.offset.to_array().map(|x| x + 0.0),
            spread: self.spread,
            curvature: [0.0; 6],
        }
    }

    #[inline(always)]
    pub fn is_finite(&self) -> bool {
        let vectors = [self.position, self.normal, self.moment, self.offset].map(|v| v.to_array());
        let lengths = [self.gap, self.least_gap, self.area, self.measured, self.halo, self.energy];
        vectors.iter().flatten().chain(&lengths).chain(&self.spread).all(|x| Real::is_finite(*x))
    }
}

impl Sink<'_, '_> {
    /// Writes a contact, unless its numbers have overflowed.
    pub fn push(&mut self, parts: &PartPair<'_, '_>, local: &Local) {
        if !local.is_finite() {
            return;
        }
        let side = if parts.exchanged { -1.0 } else { 1.0 };
        let contact = local.contact([self.tag, parts.features(local.features)], side, self.middle);
        if let Some(to) = self.out.get_mut(self.count) {
            *to = contact;
        }
        self.count += 1;
    }

    /// The written contacts from index `from` on.
    pub fn since(&mut self, from: usize) -> &mut [Contact] {
        let count = self.count.min(self.out.len());
        self.out.get_mut(from..count).unwrap_or_default()
    }
}

impl PartPair<'_, '_> {
    /// The second half of a key.
    pub fn features(&self, [first, second]: [u32; 2]) -> u64 {
        let (x, y) = (self.first.first.wrapping_add(first), self.second.first.wrapping_add(second));
        // Features exceed 32 bits only in damaged blocks.
        if self.exchanged { key(y, x) } else { key(x, y) }
    }
}

fn met(least_gap: f64) -> u32 {
    match least_gap {
        x if x < 0.0 => status::TOUCHING | status::PENETRATING,
        0.0 => status::TOUCHING,
        _ => 0,
    }
}
