//! What acts on each body: the forces of its pairs, and loads.

use super::walk::{Seen, Walk};
use super::{BAD, BODIES, PAIRS, Part, Walking};
use crate::body::is_bounded;
use crate::detect::Wrench;
use crate::exec::{Cut, CutMut, Executor, each};
use crate::mesh::NONE;

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
        for place in self.index.places_as_b(i) {
            if let Some([a, b, c, _, _, _, d, e, f, ..]) = self.act(*place) {
                sum = [sum[0] - a, sum[1] - b, sum[2] - c, sum[3] + d, sum[4] + e, sum[5] + f];
            }
        }
        let [first, end] = self.index.as_a.get(i).copied().unwrap_or_default();
        for place in first..end {
            if let Some([a, b, c, d, e, f, _, _, _, damped, rubbed]) = self.act(place) {
                sum = [sum[0] + a, sum[1] + b, sum[2] + c, sum[3] + d, sum[4] + e, sum[5] + f];
                *lost = [lost[0] + damped, lost[1] + rubbed];
            }
        }
        sum
    }

    /// The forces of a pair of the list; none where it is not near.
    #[inline(always)]
    fn act(&self, place: u32) -> Option<&[f64; super::walk::ACTS]> {
        let near = *self.near.get(place as usize)?;
        if near == NONE {
            return None;
        }
        let chunk = place as usize / PAIRS;
        let first = if chunk > 0 { *self.ends.get(chunk - 1)? } else { 0 };
        self.acts.get((first + u64::from(near)) as usize)
    }
}
