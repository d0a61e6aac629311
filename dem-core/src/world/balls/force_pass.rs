//! Forces of all pairs of the list, by walks over it.

use super::ball_rows::{place, plane_of};
use super::list_state::{Leash, Place};
use super::near_pairs::{CHUNK, Near};
use super::pair_forces::PairForces;
use super::pair_kernel::Rate;
use super::pieces::{BAD, FAST, HALO, LEFT, PAIRS};
use super::thread_pass::{Before, Job, Still};
use super::thread_split::{Across, Division, Marks, Segments};
use super::touching_pairs::Places;
use super::view::{Along, Seen, Share, Sums, Walk};
use crate::body::{Body, is_bounded};
use crate::detect::Wrench;
use crate::exec::{Cut, CutMut, Executor, each, ends, pieces};
use crate::real::Real;
use crate::simd::dispatch;
use crate::vector::{dot, sub};
use crate::world::checked_slice::prefix;
use crate::world::free_motion::pushed;

impl<'l> Walk<'l> {
    /// Bits of a [`Part`](crate::world::balls::pieces::Part). They tell whether bodies have moved too far from their listed positions, have
    /// halos, will move by more than half of their own halo in the next step, or have numbers that are NaN or too large. `loads` is empty if all
    /// are 0.
    pub(super) fn look_at_bodies(
        &self,
        (bodies, rates, loads): (&[Body], &[Rate], &[Wrench]),
        listed: &[Place],
        leash: Leash,
    ) -> u64 {
        let (mut fast, mut has_halo, mut left, mut bounded) = (false, false, false, true);
        for (i, ((body, rate), before)) in bodies.iter().zip(rates).zip(listed).enumerate() {
            let place = place(body, rate);
            let (Body { velocity, angular_velocity: spin, .. }, Rate { halo, .. }) = (body, rate);
            let [x, y, z, _] = place;
            bounded &= is_bounded(&[x, y, z]) & is_bounded(velocity) & is_bounded(spin);
            let [v, _] = pushed(body, loads.get(i), self.gravity, self.dt);
            fast |= dot(v, v) * (self.dt * self.dt) > 0.25 * halo * halo;
            has_halo |= *halo > 0.0;
            left |= !leash.holds(&self.images, plane_of(&place, rate), place[3] == f64::INFINITY, *before);
        }
        [(fast, FAST), (has_halo, HALO), (left, LEFT), (!bounded, BAD)]
            .iter()
            .fold(0, |all, (is, bit)| if *is { all | bit } else { all })
    }

    /// Counts the near pairs of each chunk, and returns where they end.
    pub(super) fn look(&self, exec: &dyn Executor, seen: &Seen<'_>, pairs: &[[u32; 2]], counts: &mut [u64]) -> u64 {
        each(exec, (Cut(pairs, PAIRS), CutMut(&mut *counts, 1)), |_, (pairs, count)| {
            let some = pairs.chunks(CHUNK).map(|pairs| u64::from(self.which_are_near(seen, pairs).count_ones()));
            count.fill(some.sum());
        });
        ends(counts)
    }

    /// The pairs, among these, that may touch.
    #[inline(always)]
    pub(super) fn which_are_near(&self, seen: &Seen<'_>, pairs: &[[u32; 2]]) -> u64 {
        let [near, flat] = dispatch(self.isa, Near { images: &self.images, seen, reach: self.reach, pairs });
        if flat == 0 { near } else { self.with_planes(seen, pairs, [near, flat]) }
    }

    /// The same if some pairs have half-spaces.
    #[cold]
    pub(super) fn with_planes(&self, seen: &Seen<'_>, pairs: &[[u32; 2]], [near, flat]: [u64; 2]) -> u64 {
        pairs.iter().enumerate().fold(near, |near, (k, pair)| {
            let is_apart = flat >> k & 1 != 0 && !self.is_near_plane(seen, *pair);
            near & !(u64::from(is_apart) << k)
        })
    }

    /// Whether a ball may touch a half-space.
    fn is_near_plane(&self, seen: &Seen<'_>, pair: [u32; 2]) -> bool {
        let [Some(own), Some(other)] = pair.map(|i| seen.row(i as usize)) else { return false };
        let ((p, flat), (q, _)) = if own.1.radius < 0.0 { (own, other) } else { (other, own) };
        // Radius with halo.
        let reach = q[3] + flat.halo;
        let (p, q, [x, y, z, _]) = ([p[0], p[1], p[2]], [q[0], q[1], q[2]], flat.turn);
        // Other sums decide on the contact, hence the margin.
        let slack = 1e-9 * (reach + Real::sqrt(dot(p, p)) + Real::sqrt(dot(q, q)));
        dot([x, y, z], sub(q, p)) <= reach + slack
    }

    /// Forces of all pairs, summed for each body, and their springs after the step, in the order of the list, on one thread. Also returns the
    /// number of near pairs; if they do not fit, the rest of the result is invalid.
    pub(super) fn act_alone(
        &self,
        seen: Seen<'_>,
        pairs: &[[u32; 2]],
        (before, trial): (Before<'_>, Places<'_>),
        sums: &mut [Wrench],
    ) -> (u64, Share) {
        sums.fill(Wrench::default());
        let job = Job { walk: self, pairs, division: &Division::ONE, thread: 0, marks: &[], before };
        let mut all = Share::default();
        let near = job.run(&mut Still { seen, sums: Sums { first: 0, sums } }, trial, |share| all = all.and(&share));
        (near, all)
    }

    /// The same on several threads, if the ends of near pairs of each chunk are known.
    pub(super) fn act(
        &self,
        exec: &dyn Executor,
        seen: Seen<'_>,
        pairs: &[[u32; 2]],
        (before, trial): (Before<'_>, Places<'_>),
        (across, division, sums): (&mut Across<'_>, &Division, &mut [Wrench]),
    ) -> (Segments, Share) {
        let chunks = pairs.len().div_ceil(PAIRS);
        let segments = Segments::of_threads(division, prefix(across.near, chunks));
        let (rooms, many) = (segments.rooms(segments.all()), trial.each);
        let Across { marks, shares, .. } = across;
        let shares = shares.get_mut(..chunks).unwrap_or_default();
        let marks = Marks { words: marks, threads: division.threads() };
        let all = (
            pieces(sums, division.bodies()),
            pieces(trial.words, rooms.get(..division.threads()).unwrap_or_default()).of(many),
            pieces(&mut *shares, division.chunks()),
        );
        each(exec, all, |thread, (sums, words, shares)| {
            sums.fill(Wrench::default());
            let first = Division::range(division.bodies(), thread).start;
            let job = Job { walk: self, pairs, division, thread, marks: marks.of(thread), before };
            let (mut rows, mut shares) = (Still { seen, sums: Sums { first, sums } }, shares.iter_mut());
            let trial = Places { words, each: many };
            job.run(&mut rows, trial, |share| shares.next().into_iter().for_each(|to| *to = share));
        });
        (segments, shares.iter().fold(Share::default(), Share::and))
    }

    /// Forces of pairs of a chunk, added to the sums `before`: of pairs with a bit in `marks`, or of all pairs. Returns the new sums, and the
    /// number of near pairs.
    #[inline(always)]
    pub(super) fn act_in_chunk<'s>(
        &self,
        seen: &Seen<'s>,
        pairs: &[[u32; 2]],
        (along, before): (&mut Along<'s>, Share),
        marks: Option<&[u64]>,
    ) -> (Share, usize)
    where
        'l: 's,
    {
        if !seen.points.is_none() {
            let (share, near) = self.act_in_chunk_of_parts(seen, pairs, along, marks);
            return (before.and(&share), near);
        }
        dispatch(self.isa, PairForces { walk: self, seen, pairs, marks, along, before })
    }
}
