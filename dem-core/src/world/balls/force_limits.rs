//! Whether the wrenches on bodies, of pairs and loads, are finite and within the limits.

use super::pieces::{BAD, BODIES, Part};
use super::view::Walk;
use crate::body::{LARGEST, is_bounded};
use crate::detect::Wrench;
use crate::exec::{Cut, CutMut, Executor, each};
use crate::real::Real;
use crate::vector::add;

/// Whether loads are so small that only forces of pairs can make sums too large.
pub(super) fn are_trusted(loads: &[Wrench]) -> bool {
    let is_small = |x: &f64| Real::abs(*x) <= 0.5 * LARGEST;
    loads.iter().fold(true, |all, load| {
        all & load.force.iter().fold(true, |all, x| all & is_small(x))
            & load.torque.iter().fold(true, |all, x| all & is_small(x))
    })
}

impl Walk<'_> {
    /// Whether the forces on each body, with loads if there are any, are within the limits ([`Body::check`](crate::body::Body::check)).
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

    /// Whether sums, with loads if there are any, are within the limits.
    pub(super) fn are_bounded(&self, sums: &[Wrench], loads: &[Wrench]) -> bool {
        if loads.is_empty() {
            return sums.iter().fold(true, |all, sum| all & is_bounded(&sum.force) & is_bounded(&sum.torque));
        }
        sums.iter().zip(loads).fold(true, |all, (sum, load)| {
            all & is_bounded(&add(sum.force, load.force)) & is_bounded(&add(sum.torque, load.torque))
        })
    }
}
