//! The triangle pairs of contacts.
//!
//! # Without a search
//! The corners need triangle pairs of the contacts' patch pairs. These must be no farther apart than their halos and the depth of the contacts.
//! If patches are small, such as those of rocks, the triangle pairs of all patch pairs are not many more than that. So all of them are listed,
//! near or far. Pairs without overlap have no points. The gap of a point is at least the distance of both triangles. So if a gap is below the
//! threshold by more than rounding, the pair counts; otherwise the test of a search decides. So the points are the same as after a search.

use zerocopy::{FromBytes, Immutable, IntoBytes};

use super::corner::is_deep;
use super::{Listed, Side};
use crate::contact::penetration::reach;
use crate::error::{Error, Kind, Result, What};
use crate::narrow::{Frame, ListedPairs, TrianglePair, pairs};
use crate::real::{max, min};
use crate::simd::Isa;

/// A pair of triangles, and the contact of their patches. The first body is chosen by position, not by the caller's order, so that exchanging A
/// and B changes no bit.
#[derive(Clone, Copy, Debug, Default, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub struct Near {
    pub contact: u32,
    pub first: u32,
    pub second: u32,
}

/// Triangle pairs of contacts, sorted by contact.
pub struct NearPairs<'n> {
    pub list: &'n [Near],
    /// Data of the distance test, if pairs were listed: some may be too far apart.
    given: Option<ListedPairs<'n>>,
    swapped: bool,
    rounding: f64,
}

impl NearPairs<'_> {
    /// A pair counts if its overlap has a gap of at most this.
    pub fn sure(&self, pair: &Near) -> f64 {
        let [a, b] = self.triangles(pair);
        self.given.as_ref().map_or(f64::INFINITY, |given| given.threshold(a, b) - self.rounding)
    }

    /// Whether a pair counts.
    pub fn is_near(&self, pair: &Near) -> bool {
        let [a, b] = self.triangles(pair);
        self.given.as_ref().is_none_or(|given| given.is_near(a, b))
    }

    fn triangles(&self, &Near { first, second, .. }: &Near) -> [u32; 2] {
        if self.swapped { [second, first] } else { [first, second] }
    }
}

/// The triangle pairs of contacts, listed or found by a search with this memory. The length of `near` limits their number.
///
/// Errors: those of [`pairs`](fn@pairs), with [`What::Pairs`] for pairs that do not fit.
pub fn near_pairs<'n>(
    isa: Isa,
    [a, b]: [&Side<'n>; 2],
    (frame, swapped): (&'n Frame, bool),
    contacts: &Listed<'_>,
    near: &'n mut [Near],
    (found, scratch): (&mut [TrianglePair], &mut [u8]),
) -> Result<NearPairs<'n>> {
    let depth = contacts.each().filter(|(_, c)| !is_deep(c)).fold(0.0, |m, (_, c)| max(m, -c.least_gap));
    let rounding = reach(frame) / frame.scale;
    let listed = list([a, b], swapped, contacts, near);
    let given = ListedPairs::new(isa, &a.operand, &b.operand, frame, depth)?;
    let (count, given) = match listed.filter(|count| *count <= near.len()) {
        Some(count) => (count, Some(given)),
        None => {
            let number =
                pairs(isa, &a.operand, &b.operand, depth, found, scratch).map_err(|e| match (e.kind, e.what) {
                    // The room for a list is also enough.
                    (Kind::Capacity, What::Output) => {
                        let needed = listed.map_or(e.needed, |count| min(count as u64, e.needed));
                        Error { what: What::Pairs, needed, ..e }
                    }
                    _ => e,
                })?;
            (assign(found.get(..number).unwrap_or_default(), [a, b], swapped, contacts, near), None)
        }
    };
    let list = near.get_mut(..count).unwrap_or_default();
    list.sort_unstable_by_key(|n| (n.contact, n.first, n.second));
    Ok(NearPairs { list, given, swapped, rounding })
}

/// The largest number of patches or triangle pairs that is listed, for this number of patch pairs; otherwise a search finds the pairs.
pub fn most_listed(patches: usize) -> usize {
    patches.saturating_mul(8).saturating_add(64)
}

/// Lists all triangle pairs of patch pairs, as far as there is room, and returns their number; `None` if they are many more than patch pairs.
fn list([a, b]: [&Side<'_>; 2], swapped: bool, contacts: &Listed<'_>, near: &mut [Near]) -> Option<usize> {
    let patches = || contacts.patches().filter(|(_, contact)| !contacts.get(*contact).is_some_and(is_deep));
    let most = most_listed(patches().count());
    let mut count = 0;
    for ([of_a, of_b], contact) in patches() {
        for i in a.cells.triangles_of(of_a) {
            for j in b.cells.triangles_of(of_b) {
                let (first, second) = if swapped { (j, i) } else { (i, j) };
                near.get_mut(count).into_iter().for_each(|to| *to = Near { contact, first, second });
                count += 1;
                if count > most {
                    return None;
                }
            }
        }
    }
    Some(count)
}

/// Keeps the pairs that belong to a contact, and returns their number.
fn assign(
    found: &[TrianglePair],
    [a, b]: [&Side<'_>; 2],
    swapped: bool,
    contacts: &Listed<'_>,
    near: &mut [Near],
) -> usize {
    let patch = |side: &Side<'_>, i: u32| side.cells.patch.get(i as usize).copied().unwrap_or(i);
    let mut count = 0;
    for pair in found {
        let Some(contact) = contacts.place([patch(a, pair.a), patch(b, pair.b)]) else { continue };
        let (first, second) = if swapped { (pair.b, pair.a) } else { (pair.a, pair.b) };
        if let Some(to) = near.get_mut(count) {
            *to = Near { contact, first, second };
            count += 1;
        }
    }
    count
}
