//! Forces of pairs of balls: the whole computation of a pair, compiled for each instruction set.

use super::clump_springs::word;
use super::near_pairs::{CHUNK, Near};
use super::pair_kernel::{BLOCK, Settle};
use super::touching_pairs::{NO_SPRINGS, Touch, Touches, side, springs_in};
use super::view::{Along, LARGE, Queue, Seen, Share, WRONG, Walk, each_bit};
use crate::real::min;
use crate::simd::{Kernel, Simd, dispatch};
use crate::vector::add;

/// Pairs of the list; the near ones act on their bodies.
pub(super) struct PairForces<'k, 'l, 's> {
    pub walk: &'k Walk<'l>,
    pub seen: &'k Seen<'s>,
    pub pairs: &'k [[u32; 2]],
    /// A bit for each wanted pair; none if all are wanted.
    pub marks: Option<&'k [u64]>,
    pub along: &'k mut Along<'s>,
    /// Sums of earlier pairs in the same chunk.
    pub before: Share,
}

/// The wanted pairs of the k-th word.
pub(super) fn wanted(marks: Option<&[u64]>, k: usize) -> u64 {
    marks.map_or(u64::MAX, |marks| marks.get(k).copied().unwrap_or_default())
}

impl<'l: 's, 's> Kernel for PairForces<'_, 'l, 's> {
    /// Sums of the pairs, and the number of near pairs.
    type Output = (Share, usize);

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> (Share, usize) {
        let PairForces { walk, seen, pairs, marks, along, before } = self;
        // Slices of one length need one bounds check.
        let all = min(seen.bodies.len(), seen.rates.len());
        let seen = &Seen {
            bodies: seen.bodies.get(..all).unwrap_or_default(),
            rates: seen.rates.get(..all).unwrap_or_default(),
            ..*seen
        };
        let has_one_material = walk.laws.materials() == 1;
        let mut queue = Queue { share: before, ..Queue::EMPTY };
        queue.waiting.held = !walk.all_move;
        let (mut chunk, mut left, mut found): (&[[u32; 2]], u64, usize) = (&[], 0, 0);
        let mut chunks = pairs.chunks(CHUNK).enumerate();
        loop {
            // Until a block is full, or the next pair has another law.
            while !queue.is_full() {
                if left == 0 {
                    let Some((k, some)) = chunks.next() else { break };
                    let wanted = wanted(marks, k);
                    if wanted != 0 {
                        let [near, flat] =
                            Near { images: &walk.images, seen, reach: walk.reach, pairs: some }.run(simd);
                        let near = if flat == 0 { near } else { walk.with_planes(seen, some, [near, flat]) };
                        (chunk, left) = (some, near & wanted);
                        found += left.count_ones() as usize;
                        // First bodies of pairs are consecutive in memory; second bodies are prefetched.
                        each_bit(left, |k| {
                            if let Some([_, other]) = chunk.get(k) {
                                seen.fetch(*other as usize);
                                along.sums.fetch(*other as usize);
                            }
                        });
                    }
                    continue;
                }
                let slots = chunk.get(left.trailing_zeros() as usize).copied().unwrap_or_default();
                let materials = if has_one_material { [0; 2] } else { seen.materials_of(slots) };
                if materials != queue.materials {
                    if queue.waiting.count > 0 {
                        break;
                    }
                    queue.begin(materials, walk.laws.between(materials[0], materials[1]));
                }
                left &= left - 1;
                if let (Some(own), Some(other)) = (seen.ball(slots[0] as usize), seen.ball(slots[1] as usize)) {
                    queue.put(slots, [own, other], springs_of(seen, slots, &mut along.before));
                }
            }
            if queue.waiting.count == 0 {
                return (queue.share, found);
            }
            walk.settle_by(simd, &mut queue, seen, along);
        }
    }
}

/// A queue whose pairs are to be computed.
struct Settling<'k, 'l, 's, 'h> {
    walk: &'k Walk<'l>,
    queue: &'k mut Queue<'s>,
    seen: &'k Seen<'s>,
    along: &'k mut Along<'h>,
}

impl Kernel for Settling<'_, '_, '_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        self.walk.settle_by(simd, self.queue, self.seen, self.along);
    }
}

impl Walk<'_> {
    /// Computes the forces of all queued pairs, in their order.
    pub(super) fn settle<'s>(&self, queue: &mut Queue<'s>, seen: &Seen<'s>, along: &mut Along<'_>) {
        if queue.waiting.count > 0 {
            dispatch(self.isa, Settling { walk: self, queue, seen, along });
        }
    }

    #[inline(always)]
    fn settle_by<S: Simd>(&self, simd: S, queue: &mut Queue<'_>, seen: &Seen<'_>, along: &mut Along<'_>) {
        let Queue { waiting, slots, ends_flat, out, share, law, .. } = queue;
        let count = waiting.count;
        let Some(law) = *law else {
            (waiting.count, *ends_flat) = (0, false);
            return;
        };
        let words = along.before.each;
        let [ordinary, large] = Settle { waiting, images: &self.images, law, words, dt: self.dt, out }.run(simd);
        share.is_wrong |= if ordinary & large & ((1 << count) - 1) != 0 { LARGE } else { 0 };
        for at in 0..count.min(BLOCK) {
            let slots = slots[at];
            let Some(touch) = along.trial.next() else { break };
            let mut flat = [false; 2];
            if ordinary >> at & 1 == 0 || (*ends_flat && at + 1 == count) {
                flat = [0, 1].map(|k| waiting.balls[k][at].rate.radius < 0.0);
                let acting = self.alone(waiting, at, slots, (seen, words), law);
                share.is_wrong |= if acting.is_err() { WRONG } else { 0 };
                let Ok(Some(acting)) = acting else {
                    Touch::none(slots).write(touch);
                    along.sums.put(slots, [&[0.0; 4]; 3]);
                    continue;
                };
                share.is_wrong |= if acting.is_small() { 0 } else { LARGE };
                out.put(at, &acting);
            }
            let [on_a, on_b, torques, slide, others] = [0, 1, 2, 3, 4].map(|k| &out.rows[k][at]);
            match touch {
                // Most laws have springs of sliding only.
                [first, x, y, z] if flat == [false; 2] => {
                    *first = word(slots);
                    [*x, *y, *z] = [slide[1], slide[2], slide[3]].map(f64::to_bits);
                }
                _ => Touch::new(slots, side(flat), springs_in(8, [slide, others])).write(touch),
            }
            share.taken = add(share.taken, [0, 1, 2].map(|k| out.taken[k][at]));
            along.sums.put(slots, [on_a, on_b, torques]);
        }
        *ends_flat = false;
        waiting.count = 0;
    }
}

/// The springs of a pair, from the remaining ones in order; none if the pair did not touch.
#[inline(always)]
fn springs_of<'s>(seen: &Seen<'_>, slots: [u32; 2], left: &mut Touches<'s>) -> [&'s [f64; 4]; 2] {
    while let Some(first) = left.first() {
        if first == slots {
            return left.next();
        }
        // Usually the next springs belong to a later pair.
        if seen.name(first) > seen.name(slots) {
            break;
        }
        left.next();
    }
    NO_SPRINGS
}
