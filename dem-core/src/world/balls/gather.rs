//! What acts on each body: the forces of its pairs, and loads.

use super::walk::{Seen, Walk};
use super::{BAD, BODIES, NEAR, PAIRS, Part, Walking};
use crate::body::is_bounded;
use crate::detect::Wrench;
use crate::exec::{Cut, CutMut, Executor, each};

/// Pairs of a body that are looked at together.
const AT_ONCE: usize = 16;

/// The numbers of a force on A, or on B.
type Act = [f64; 6];

impl Walk<'_> {
    /// Adds up forces of each body, and loads where there are some. Gives whether forces, places and velocities are numbers no larger than they may be ([`Body::check`](crate::body::Body::check)).
    pub(super) fn gather(
        &self,
        exec: &dyn Executor,
        seen: &Seen<'_>,
        loads: &[Wrench],
        walking: &Walking<'_>,
        (sums, parts): (&mut [Act], &mut [Part]),
    ) -> bool {
        let sums = sums.get_mut(..self.bodies).unwrap_or_default();
        let all = (CutMut(sums, BODIES), Cut(loads, BODIES), CutMut(&mut *parts, 1));
        each(exec, all, |chunk, (sums, loads, part)| {
            let (mut bounded, mut lost) = (true, [0.0; 2]);
            for (k, sum) in sums.iter_mut().enumerate() {
                let i = chunk * BODIES + k;
                *sum = walking.sum(i, &mut lost);
                if let Some(Wrench { force: [a, b, c], torque: [d, e, f] }) = loads.get(k) {
                    *sum = [sum[0] + a, sum[1] + b, sum[2] + c, sum[3] + d, sum[4] + e, sum[5] + f];
                }
                bounded &= is_bounded(sum);
                if let (Some([x, y, z, _]), Some(rate)) = (seen.places.get(i), seen.rates.get(i)) {
                    bounded &= is_bounded(&[*x, *y, *z]) & is_bounded(&rate.velocity) & is_bounded(&rate.spin);
                }
            }
            part.fill(Part { lost, what: if bounded { 0 } else { BAD }, ..Part::default() });
        });
        parts.iter().all(|part| part.what & BAD == 0)
    }
}

impl Walking<'_> {
    /// The forces on a body in the order of its partners: those of pairs of which it is B, then those of which it is A. What these have dissipated is added to `lost`.
    #[inline(always)]
    fn sum(&self, i: usize, lost: &mut [f64; 2]) -> Act {
        let mut sum = [0.0; 6];
        for places in self.index.places_as_b(i).chunks(AT_ONCE) {
            // First those that are near, without branches that nobody can foretell.
            let (mut near, mut count) = ([0; AT_ONCE], 0);
            for place in places {
                let (before, is_near) = self.before(*place);
                near[count & (AT_ONCE - 1)] = before;
                count += usize::from(is_near);
            }
            for act in near.iter().take(count) {
                if let Some([a, b, c, _, _, _, d, e, f, ..]) = self.acts.get(*act) {
                    sum = [sum[0] - a, sum[1] - b, sum[2] - c, sum[3] + d, sum[4] + e, sum[5] + f];
                }
            }
        }
        let [first, end] = self.index.as_a.get(i).copied().unwrap_or_default();
        if first < end {
            // Those of one body are one behind the other.
            let (last, is_near) = self.before(end - 1);
            let own = self.before(first).0..last + usize::from(is_near);
            for [a, b, c, d, e, f, _, _, _, damped, rubbed] in self.acts.get(own).unwrap_or_default() {
                sum = [sum[0] + a, sum[1] + b, sum[2] + c, sum[3] + d, sum[4] + e, sum[5] + f];
                *lost = [lost[0] + damped, lost[1] + rubbed];
            }
        }
        sum
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
