//! Terms to contacts: grouped by the pair of patches, added up, and told in world coordinates.

use glam::DVec3;
use zerocopy::{FromBytes, Immutable, IntoBytes};

use super::penetration::Enclosed;
use super::terms::Term;
use crate::mesh::Record;
use crate::narrow::sort;
use crate::pose::Transform;
use crate::real::{Real, max, min};

/// A piece of the area over which two surfaces are within their halos.
#[derive(Clone, Copy, Debug, Default, PartialEq, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub struct Contact {
    /// Names it, from one pose to the next: what the caller gave, then the first triangle of A's patch (upper half) and of
    /// B's.
    pub key: [u64; 2],
    /// Centre of pressure, in world coordinates.
    pub position: [f64; 3],
    /// Unit vector from B to A: the direction of the force on A.
    pub normal: [f64; 3],
    /// Moment about `position` that the force alone leaves out, on A, over the stiffness; zero where all cells have one normal.
    pub couple: [f64; 3],
    /// Mean gap: `halo * (1 - sum P / sum S)`, at most `halo`; negative where the bodies penetrate.
    pub gap: f64,
    /// The smallest gap (down to 2^-38 of the size below zero for bodies that only touch); less than 0 by the largest depth where the bodies penetrate.
    pub least_gap: f64,
    /// Pressure law: the force on A is `k * (1 - gap / halo) * area * normal`.
    pub area: f64,
    /// Point law: the force on A is `K * (1 - least_gap / halo) * share * normal`. Sums to 1 over the list.
    pub share: f64,
    /// Sum of both halos; their mean where triangles have halos of their own.
    pub halo: f64,
    /// What it is made of: [`SURFACE`].
    pub kind: u32,
    /// Bits of [`status`]: facts about it that do not depend on how it was computed.
    pub status: u32,
}

/// [`Contact::kind`] of two surfaces within their halos.
pub const SURFACE: u32 = 0;
/// [`Contact::kind`] of closest points of triangles: see [`pair_contacts`](super::pair_contacts).
pub const POINT: u32 = 1;

/// Bits of [`Contact::status`].
pub mod status {
    /// The smallest gap is not positive.
    pub const TOUCHING: u32 = 1;
    /// A part of one body is inside the other one.
    pub const PENETRATING: u32 = 2;
    /// The curve in which the surfaces cross does not close: a surface is open there, or its triangles do not agree on what is
    /// outside.
    pub const OPEN: u32 = 4;
    /// Normal and depth are the smallest translation, along the mean normals of the triangles that cross, that separates them.
    pub const LEAST_TRANSLATION: u32 = 8;
    /// One of the bodies is inside the other one as a whole.
    pub const CONTAINED: u32 = 16;
    /// No direction is better than another, as for spheres with the same centre: the normal is one of them.
    pub const DEGENERATE: u32 = 32;
}

/// The patches of a term and its place in the list.
pub(super) type Place = Record;

/// The terms of both halves in the order of patches, then terms. Terms come in an order that does not depend on
/// which body comes first, so neither do sums.
pub(super) struct Sorted<'t> {
    terms: &'t [Term],
    /// Where the second half begins.
    split: usize,
    places: &'t [Place],
}

impl<'t> Sorted<'t> {
    /// There is to be a place for each term, to write to, and a spare one; a `table` makes sorting faster.
    pub fn new(terms: &'t [Term], split: usize, [places, spare]: [&'t mut [Place]; 2], table: &mut [u32]) -> Self {
        let mut count = 0;
        for (i, term) in terms.iter().enumerate() {
            if let Some(next) = places.get_mut(count) {
                *next = [term.patches, i as u64];
                // What has no area is written over by the next one: a branch could not foresee which that is.
                count += usize::from(term.area > 0.0);
            }
        }
        let places = places.get_mut(..count).unwrap_or_default();
        sort(places, spare.get_mut(..count).unwrap_or_default(), table, u64::MAX);
        Sorted { terms, split, places }
    }
}

/// Where the cells of one half are, seen from the midpoint of both positions.
#[derive(Clone, Copy)]
pub(super) struct Seen {
    pub turn: Transform,
    /// Of the cells' mesh, whose units terms have.
    pub scale: f64,
    pub half: [f64; 3],
    /// 1 where the cells are B's, -1 where they are A's: forces are those on A.
    pub sign: f64,
}

/// Sums of one half: of terms as they are, and then about the midpoint, in world axes and units.
#[derive(Clone, Copy)]
struct Sums {
    area: f64,
    pressure: f64,
    /// `sum S T`.
    halo: f64,
    first: DVec3,
    force: DVec3,
    torque: DVec3,
    /// Sum of areas times depths.
    deep: f64,
    least_gap: f64,
}

impl Seen {
    /// From the cells' frame and units.
    fn sums(&self, of: &Sums) -> Sums {
        let mut sums = *of;
        sums.scale(self.scale);
        let turned = |v: DVec3| DVec3::from_array(self.turn.rotate(v.to_array()));
        let (half, force) = (DVec3::from_array(self.half), turned(sums.force) * self.sign);
        sums.torque = turned(sums.torque) * self.sign + half.cross(force);
        sums.first = turned(sums.first) + half * sums.pressure;
        sums.force = force;
        sums
    }
}

/// What all contacts of a list have in common.
#[derive(Clone, Copy)]
pub(super) struct Common {
    /// The caller's half of the key.
    pub tag: u64,
    /// The midpoint of both positions.
    pub middle: [f64; 3],
    /// The sum of both halos, where it is the same everywhere.
    pub halo: Option<f64>,
}

/// Adds up both halves, tells `put` of each contact, in order, and gives their number. Contacts do not
/// have shares yet.
pub(super) fn reduce(
    common: &Common,
    seen: [Seen; 2],
    sorted: &Sorted<'_>,
    mut deep: &[Enclosed],
    mut put: impl FnMut(usize, Contact),
) -> usize {
    let (mut number, mut places) = (0, sorted.places.iter().peekable());
    loop {
        let firsts = [places.peek().map(|place| place[0]), deep.first().map(|part| part.patches)];
        let Some(patches) = firsts.into_iter().flatten().reduce(min) else { return number };
        // The half in the cells of A comes first in the list of terms, that in the cells of B in sums.
        let mut halves = [Sums::NONE; 2];
        while let Some([_, i]) = places.next_if(|[of, _]| *of == patches) {
            let half = &mut halves[usize::from((*i as usize) < sorted.split)];
            sorted.terms.get(*i as usize).into_iter().for_each(|term| half.term(term));
        }
        let end = deep.iter().position(|part| part.patches != patches).unwrap_or(deep.len());
        let (parts, rest) = deep.split_at(end);
        deep = rest;
        let mut sums = both(&seen[0].sums(&halves[0]), &seen[1].sums(&halves[1]));
        parts.iter().for_each(|part| sums.add(part));
        if let Some(contact) = contact(common, &sums) {
            let touching = if sums.least_gap <= 0.0 { status::TOUCHING } else { 0 };
            let status = parts.iter().fold(touching, |status, part| status | part.status);
            put(number, Contact { key: [common.tag, patches], status, ..contact });
            number += 1;
        }
    }
}

/// Half of each.
fn both(x: &Sums, y: &Sums) -> Sums {
    Sums {
        area: 0.5 * (x.area + y.area),
        pressure: 0.5 * (x.pressure + y.pressure),
        halo: 0.5 * (x.halo + y.halo),
        first: (x.first + y.first) * 0.5,
        force: (x.force + y.force) * 0.5,
        torque: (x.torque + y.torque) * 0.5,
        deep: 0.0,
        least_gap: min(x.least_gap, y.least_gap),
    }
}

impl Sums {
    const NONE: Sums = Sums {
        area: 0.0,
        pressure: 0.0,
        halo: 0.0,
        first: DVec3::ZERO,
        force: DVec3::ZERO,
        torque: DVec3::ZERO,
        deep: 0.0,
        least_gap: f64::INFINITY,
    };

    #[inline(always)]
    fn term(&mut self, term: &Term) {
        self.area += term.area;
        self.pressure += term.pressure;
        self.halo += term.halo;
        self.first += DVec3::from_array(term.first);
        self.force += DVec3::from_array(term.force);
        self.torque += DVec3::from_array(term.torque);
        self.least_gap = min(self.least_gap, term.least_gap);
    }

    /// From units of this length.
    fn scale(&mut self, unit: f64) {
        self.least_gap *= unit;
        let [area, volume] = [unit * unit, unit * unit * unit];
        self.area *= area;
        self.pressure *= area;
        self.force *= area;
        self.halo *= volume;
        self.first *= volume;
        self.torque *= volume;
    }

    /// A part of one body in the other one: its pressure is that of a negative gap.
    fn add(&mut self, part: &Enclosed) {
        let force = part.force();
        self.area += part.area;
        self.pressure += force;
        self.halo += part.area * part.halo;
        self.first += DVec3::from_array(part.centre) * force;
        self.force += DVec3::from_array(part.normal) * force;
        self.torque += DVec3::from_array(part.torque);
        self.deep += part.area * part.depth;
        self.least_gap = min(self.least_gap, -part.most);
    }
}

/// `None` where pressures of opposite directions cancel to nothing.
fn contact(common: &Common, sums: &Sums) -> Option<Contact> {
    let (normal, force) = super::unit(sums.force)?;
    let centre = sums.first / sums.pressure;
    let halo = common.halo.unwrap_or(sums.halo / sums.area);
    let filled = sums.pressure / sums.area;
    let filled = if sums.deep > 0.0 { filled } else { min(filled, 1.0) };
    // Without a halo there is no pressure to tell the depth from.
    let gap = if halo > 0.0 { halo * (1.0 - filled) } else { -sums.deep / sums.area };
    let zero = |v: DVec3| v.to_array().map(|x| x + 0.0);
    let position = [0, 1, 2].map(|k| centre.to_array()[k] + common.middle[k] + 0.0);
    let contact = Contact {
        position,
        normal: zero(normal),
        couple: zero(sums.torque - centre.cross(sums.force)),
        gap: if sums.deep > 0.0 { gap } else { max(gap, 0.0) },
        least_gap: sums.least_gap,
        area: force / filled,
        halo,
        ..Contact::default()
    };
    // Of a few subnormal numbers a quotient may be anything.
    let sound = contact
        .position
        .iter()
        .chain(&contact.couple)
        .chain([&contact.area, &contact.gap])
        .all(|x| Real::is_finite(*x));
    sound.then_some(contact)
}

/// Gives each contact its part of the force; without halos there is no pressure to compare.
pub(super) fn share(contacts: &mut [Contact]) {
    let force = |c: &Contact| if c.halo > 0.0 { (1.0 - c.gap / c.halo) * c.area } else { c.area };
    let sum = contacts.iter().fold(0.0, |sum, c| sum + force(c));
    let (some, equal) = (sum > 0.0 && sum.is_finite(), 1.0 / contacts.len() as f64);
    contacts.iter_mut().for_each(|c| c.share = if some { force(c) / sum } else { equal });
}
