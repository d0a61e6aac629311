//! Terms to contacts: grouped by the pair of patches, added up, and told in world coordinates.

use zerocopy::{FromBytes, Immutable, IntoBytes};

use super::halves::Found;
use super::penetration::Enclosed;
use super::term::Term;
use super::totals::{Common, Seen, Totals};
use crate::mesh::Record;
use crate::narrow::sort;
use crate::real::min;
use crate::simd::{Kernel, Simd};

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

/// The patches of a term, and its number (upper half) and place.
pub(super) type Place = Record;

/// The terms of both halves in the order of patches, then terms. Terms come in an order that does not depend on
/// which body comes first, so neither do sums.
pub(super) struct Sorted<'t> {
    terms: &'t [Term],
    /// The number of the second half's first one.
    split: usize,
    places: &'t [Place],
}

impl<'t> Sorted<'t> {
    /// Of those in the cells of A, then those in the cells of B. There is to be a place for each, to write to, and a spare one; a
    /// `table` makes sorting faster.
    pub fn new(found: &Found<'t>, [places, spare]: [&'t mut [Place]; 2], table: &mut [u32]) -> Self {
        let (mut count, mut number) = (0, 0);
        for run in &found.runs {
            let own = found.terms.get(run.first..).unwrap_or_default();
            for (at, term) in (run.first..).zip(own.iter().take(run.count)) {
                if let Some(next) = places.get_mut(count) {
                    *next = [term.patches, number << 32 | at as u64];
                    // What has no area is written over by the next one: a branch could not foresee which that is.
                    count += usize::from(term.area > 0.0);
                }
                number += 1;
            }
        }
        let [places, spare] = [places, spare].map(|all| all.get_mut(..count).unwrap_or_default());
        let [places, _] = sort(places, spare, table, u64::MAX);
        Sorted { terms: found.terms, split: found.count()[1], places }
    }
}

/// Adds up both halves, tells `put` of each contact, in order, and gives their number. Contacts do not
/// have shares yet.
pub(super) struct Reduce<'r, P> {
    pub common: Common,
    pub seen: [Seen; 2],
    pub sorted: Sorted<'r>,
    pub deep: &'r [Enclosed],
    pub put: P,
}

impl<P: FnMut(usize, Contact)> Kernel for Reduce<'_, P> {
    type Output = usize;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> usize {
        let Reduce { common, seen, sorted, mut deep, mut put } = self;
        let (mut number, mut places, mut totals) = (0, sorted.places.iter().peekable(), Totals::new());
        loop {
            let firsts = [places.peek().map(|place| place[0]), deep.first().map(|part| part.patches)];
            let next = firsts.into_iter().flatten().reduce(min);
            if totals.is_full() || next.is_none() {
                totals.finish::<S::F64>(simd, &common, &seen, |contact| {
                    put(number, contact);
                    number += 1;
                });
            }
            let Some(patches) = next else { return number };
            totals.begin(patches);
            // The half in the cells of A comes first in the list of terms, that in the cells of B in sums.
            while let Some([_, i]) = places.next_if(|[of, _]| *of == patches) {
                let half = usize::from(((*i >> 32) as usize) < sorted.split);
                sorted.terms.get(*i as u32 as usize).into_iter().for_each(|term| totals.add(half, term));
            }
            while let Some((part, rest)) = deep.split_first().filter(|(part, _)| part.patches == patches) {
                totals.enclose(part);
                deep = rest;
            }
        }
    }
}

/// Gives each contact its part of the force; without halos there is no pressure to compare.
pub(super) fn share(contacts: &mut [Contact]) {
    let force = |c: &Contact| if c.halo > 0.0 { (1.0 - c.gap / c.halo) * c.area } else { c.area };
    let sum = contacts.iter().fold(0.0, |sum, c| sum + force(c));
    let (some, equal) = (sum > 0.0 && sum.is_finite(), 1.0 / contacts.len() as f64);
    contacts.iter_mut().for_each(|c| c.share = if some { force(c) / sum } else { equal });
}
