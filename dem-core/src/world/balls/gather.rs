//! The sum of forces and torques on each body: those of its pairs, and loads.

use core::ops::Range;

use super::walk::{ACTS, Walk};
use super::{BAD, BODIES, NEAR, PAIRS, Part, Walking};
use crate::body::{LARGEST, is_bounded};
use crate::detect::Wrench;
use crate::exec::{Cut, CutMut, Executor, each};
use crate::real::Real;
use crate::vector::{add, sub};

/// Pairs of a body that are looked at together.
const AT_ONCE: usize = 16;

/// Adds what a pair exerts on its body A.
#[inline(always)]
pub(super) fn add_to_a(sum: &mut Wrench, [a, b, c, d, e, f, ..]: &[f64; ACTS]) {
    (sum.force, sum.torque) = (add(sum.force, [*a, *b, *c]), add(sum.torque, [*d, *e, *f]));
}

/// Adds what a pair exerts on its body B.
#[inline(always)]
pub(super) fn add_to_b(sum: &mut Wrench, [a, b, c, _, _, _, d, e, f]: &[f64; ACTS]) {
    (sum.force, sum.torque) = (sub(sum.force, [*a, *b, *c]), add(sum.torque, [*d, *e, *f]));
}

/// Numbers of a pair's forces whose sum of magnitudes is no larger are never too large in the sum of a body, of however many pairs and with loads that are no larger than half of what it may be.
pub(super) const SMALL: f64 = (1u64 << 60) as f64;

/// Whether loads are so small that only forces can make sums too large.
pub(super) fn are_trusted(loads: &[Wrench]) -> bool {
    let is_small = |x: &f64| Real::abs(*x) <= 0.5 * LARGEST;
    loads.iter().fold(true, |all, load| {
        all & load.force.iter().fold(true, |all, x| all & is_small(x))
            & load.torque.iter().fold(true, |all, x| all & is_small(x))
    })
}

/// Pairs whose forces are added up together.
pub(super) struct Batch {
    /// Their places in the list.
    pub places: Range<u32>,
    /// How many before them are near.
    pub before: usize,
}

/// Adds forces of a batch to those of each body before.
pub(super) fn gather(exec: &dyn Executor, walking: &Walking<'_>, batch: &Batch, sums: &mut [Wrench]) {
    each(exec, CutMut(sums, BODIES), |chunk, sums| {
        for (i, sum) in (chunk * BODIES..).zip(sums) {
            walking.add(i, batch, sum);
        }
    });
}

impl Walk<'_> {
    /// Whether forces on each body, with loads where there are some, are numbers no larger than they may be ([`Body::check`](crate::body::Body::check)).
    pub(super) fn are_all_bounded(
        &self,
        exec: &dyn Executor,
        loads: &[Wrench],
        (sums, parts): (&[Wrench], &mut [Part]),
    ) -> bool {
        let all = (Cut(sums, BODIES), Cut(loads, BODIES), CutMut(&mut *parts, 1));
        each(exec, all, |_, (sums, loads, part)| {
            part.fill(Part { what: if self.are_bounded(sums, loads) { 0 } else { BAD }, ..Part::default() });
        });
        parts.iter().all(|part| part.what & BAD == 0)
    }

    /// Whether sums, with loads where there are some, are numbers no larger than they may be.
    pub(super) fn are_bounded(&self, sums: &[Wrench], loads: &[Wrench]) -> bool {
        if loads.is_empty() {
            return sums.iter().fold(true, |all, sum| all & is_bounded(&sum.force) & is_bounded(&sum.torque));
        }
        sums.iter().zip(loads).fold(true, |all, (sum, load)| {
            all & is_bounded(&add(sum.force, load.force)) & is_bounded(&add(sum.torque, load.torque))
        })
    }
}

impl Walking<'_> {
    /// Adds the forces on a body in the order of its partners: those of pairs of which it is B, then those of which it is A.
    #[inline(always)]
    fn add(&self, i: usize, batch: &Batch, sum: &mut Wrench) {
        let Range { start, end: stop } = batch.places;
        for places in self.index.places_as_b(i).chunks(AT_ONCE) {
            // First those that are near, without branches that nobody can foretell.
            let (mut near, mut count) = ([0; AT_ONCE], 0);
            for place in places {
                let (before, is_near) = self.before(*place);
                near[count & (AT_ONCE - 1)] = before.wrapping_sub(batch.before);
                count += usize::from(is_near & batch.places.contains(place));
            }
            near.iter().take(count).filter_map(|act| self.acts.get(*act)).for_each(|act| add_to_b(sum, act));
        }
        let [first, end] = self.index.as_a.get(i).copied().unwrap_or_default();
        let (first, end) = (first.max(start), end.min(stop));
        if first < end {
            // Those of one body are one behind the other.
            let (last, is_near) = self.before(end - 1);
            let own = [self.before(first).0, last + usize::from(is_near)].map(|act| act.wrapping_sub(batch.before));
            self.acts.get(own[0]..own[1]).unwrap_or_default().iter().for_each(|act| add_to_a(sum, act));
        }
    }

    /// How many pairs before this one in the list are near, and whether it is.
    #[inline(always)]
    fn before(&self, place: u32) -> (usize, bool) {
        let near = self.near.get(place as usize).copied().unwrap_or_default();
        let chunk = place as usize / PAIRS;
        let first = chunk.checked_sub(1).and_then(|before| self.ends.get(before)).copied().unwrap_or_default();
        (first as usize + (near & !NEAR) as usize, near & NEAR != 0)
    }
}
