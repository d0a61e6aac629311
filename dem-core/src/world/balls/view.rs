//! The data of bodies that pairs of balls read, and the sums that they write.

use zerocopy::{FromBytes, Immutable, IntoBytes};

use super::ball_rows::{Points, place};
use super::images::Images;
use super::pair_kernel::{BLOCK, Ball, Rate, Settled, Waiting, position};
use super::pieces::MARKS;
use super::touching_pairs::{OF_PARTS, Places, Touches};
use crate::body::Body;
use crate::contact::shape::{Placed, Request, Shape, shape_contacts};
use crate::contact::{Contact, Room};
use crate::detect::Wrench;
use crate::error::Result;
use crate::exec::{Serial, Work};
use crate::force::{Interaction, Laws};
use crate::pose::Pose;
use crate::simd::{Isa, prefetch};
use crate::vector::add;

/// Copies of the bodies of other threads, found by slots.
#[derive(Clone, Copy, Default)]
pub(super) struct Copies<'c> {
    pub(super) needed: &'c [u64],
    pub(super) before: &'c [u32],
    pub rates: &'c [Rate],
    pub bodies: &'c [Body],
}

impl Copies<'_> {
    /// The index of the copy of a body.
    #[inline(always)]
    pub fn of(&self, slot: usize) -> usize {
        let (word, bit) = (slot / MARKS, slot % MARKS);
        match (self.needed.get(word), self.before.get(word)) {
            (Some(needed), Some(before)) if needed >> bit & 1 != 0 => {
                *before as usize + (needed & ((1 << bit) - 1)).count_ones() as usize
            }
            _ => usize::MAX,
        }
    }
}

/// Some contact has non-finite numbers.
pub(super) const WRONG: u64 = 1;

/// Forces of some pair are NaN, or larger than [`SMALL`](super::pair_kernel::SMALL).
pub(super) const LARGE: u64 = 2;

/// The results of a chunk of the list.
#[derive(Clone, Copy, Debug, Default, PartialEq, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub(super) struct Share {
    /// Energy of springs, energy dissipated by damping, and work done against friction.
    pub taken: [f64; 3],
    /// Bits [`WRONG`] and [`LARGE`].
    pub is_wrong: u64,
}

impl Share {
    /// The sum with the next chunk.
    pub(super) fn and(self, next: &Share) -> Share {
        Share { taken: add(self.taken, next.taken), is_wrong: self.is_wrong | next.is_wrong }
    }
}

/// Bodies of a step, with their properties.
#[derive(Clone, Copy)]
pub(super) struct Seen<'s> {
    /// The slot of the first body whose state and rate are here.
    pub first: usize,
    /// Copies of other bodies.
    pub copies: Copies<'s>,
    /// Positions of balls, if some bodies are compounds, and the bodies of these balls.
    pub places: &'s [[f64; 4]],
    pub points: Points<'s>,
    pub rates: &'s [Rate],
    pub bodies: &'s [Body],
    pub materials: &'s [u32],
    pub ids: &'s [u64],
    pub shapes: &'s [Shape<'s>],
    pub shape_of: &'s [u32],
    pub scales: &'s [f64],
}

impl<'s> Seen<'s> {
    /// A body.
    #[inline(always)]
    pub(super) fn ball(&self, i: usize) -> Option<Ball<'s>> {
        let k = i.wrapping_sub(self.first);
        match (self.bodies.get(k), self.rates.get(k)) {
            (Some(body), Some(rate)) => Some(Ball { body, rate }),
            _ => self.copy(i),
        }
    }

    /// Its position.
    #[inline(always)]
    pub(super) fn position(&self, i: usize) -> Option<&'s [f64; 4]> {
        match self.bodies.get(i.wrapping_sub(self.first)) {
            Some(body) => Some(position(body)),
            None => self.copy(i).map(|ball| ball.position()),
        }
    }

    /// A body of another thread.
    #[cold]
    fn copy(&self, i: usize) -> Option<Ball<'s>> {
        let k = self.copies.of(i);
        Some(Ball { body: self.copies.bodies.get(k)?, rate: self.copies.rates.get(k)? })
    }

    /// Position of a ball, and the rate of its body.
    pub(super) fn row(&self, i: usize) -> Option<([f64; 4], &'s Rate)> {
        match self.points.is_none() {
            true => self.ball(i).map(|ball| (place(ball.body, ball.rate), ball.rate)),
            false => self.places.get(i).copied().zip(self.rates.get(self.points.owner(i))),
        }
    }

    /// Prefetches the data of a body.
    #[inline(always)]
    pub(super) fn fetch(&self, i: usize) {
        // The front of a row was read when the pair was found to be near.
        let rows = <[[u64; 6]]>::ref_from_bytes(self.bodies.as_bytes()).unwrap_or_default();
        let k = i.wrapping_sub(self.first);
        prefetch(rows, k.wrapping_mul(3).wrapping_add(1));
        prefetch(rows, k.wrapping_mul(3).wrapping_add(2));
        prefetch(self.rates, k);
    }

    /// The materials of both bodies of a pair.
    #[inline(always)]
    pub(super) fn materials_of(&self, slots: [u32; 2]) -> [u32; 2] {
        slots.map(|i| self.materials.get(i as usize).copied().unwrap_or_default())
    }

    /// The bodies of a pair of rows.
    pub(super) fn slots_of(&self, pair: [u32; 2]) -> [u32; 2] {
        pair.map(|i| self.points.owner(i as usize) as u32)
    }

    /// The sort key of a pair.
    pub(super) fn name(&self, slots: [u32; 2]) -> [u64; 2] {
        slots.map(|i| self.ids.get(i as usize).copied().unwrap_or_default())
    }

    /// The contact of two bodies at these positions, by the general rules.
    pub(super) fn contact(
        &self,
        isa: Isa,
        slots: [usize; 2],
        positions: [[f64; 3]; 2],
        flat: [Option<[f64; 4]>; 2],
    ) -> Result<Option<Contact>> {
        let poses =
            [0, 1].map(|k| Pose { position: positions[k], orientation: flat[k].unwrap_or(Pose::IDENTITY.orientation) });
        let [a, b] = [0, 1].map(|k| {
            let shape = *self.shapes.get(*self.shape_of.get(slots[k])? as usize)?;
            Some(Placed { shape, pose: &poses[k], scale: self.scales.get(slots[k]).copied().unwrap_or(1.0) })
        });
        let Some((a, b)) = a.zip(b) else { return Ok(None) };
        let request = Request::new(0, Room { pairs: 0, terms: 0, segments: 0 });
        let mut found = [Contact::default()];
        let made = shape_contacts(Work::new(&Serial, isa, &mut []), &a, &b, &request, &mut found, None)?;
        Ok((made.contacts > 0).then_some(found[0]))
    }
}

/// A queue of pairs with the same law.
pub(super) struct Queue<'s> {
    pub waiting: Waiting<'s>,
    /// Slots of A and B.
    pub(super) slots: [[u32; 2]; BLOCK],
    /// Whether the last pair has a half-space.
    pub(super) ends_flat: bool,
    pub(super) materials: [u32; 2],
    pub(super) law: Option<&'s Interaction>,
    pub(super) out: Settled,
    pub share: Share,
}

impl Queue<'_> {
    pub const EMPTY: Self = Queue {
        waiting: Waiting::EMPTY,
        slots: [[0; 2]; BLOCK],
        ends_flat: false,
        materials: [u32::MAX; 2],
        law: None,
        out: Settled::NONE,
        share: Share { taken: [0.0; 3], is_wrong: 0 },
    };
}

impl<'s> Queue<'s> {
    /// Whether the queued pairs must be computed before the next one is added.
    #[inline(always)]
    pub fn is_full(&self) -> bool {
        self.waiting.count >= BLOCK || self.ends_flat
    }

    /// Starts a queue for pairs of these materials. The queue must be empty.
    #[inline(always)]
    pub fn begin(&mut self, materials: [u32; 2], law: Option<&'s Interaction>) {
        (self.materials, self.law) = (materials, law);
    }

    /// Appends a pair with its springs.
    #[inline(always)]
    pub fn put(&mut self, slots: [u32; 2], [own, other]: [Ball<'s>; 2], springs: [&'s [f64; 4]; 2]) {
        self.slots[self.waiting.count & (BLOCK - 1)] = slots;
        self.waiting.put([own, other], springs);
        // A pair with a half-space is not computed in lanes.
        self.ends_flat = own.is_flat() | other.is_flat();
    }
}

/// The springs of near pairs before the step, in order, and the output of springs and forces.
pub(super) struct Along<'h> {
    pub before: Touches<'h>,
    pub trial: Trial<'h>,
    pub sums: Sums<'h>,
}

/// The output of springs, one after the other.
pub(super) struct Trial<'h> {
    rows: core::slice::ChunksExactMut<'h, u64>,
    /// Words of each pair, if the springs are not kept because another thread writes them.
    nowhere: Option<usize>,
    spare: [u64; OF_PARTS as usize],
}

impl<'h> Trial<'h> {
    pub fn to(places: &'h mut Places<'_>) -> Self {
        Trial { rows: places.iter(), nowhere: None, spare: [0; OF_PARTS as usize] }
    }

    pub fn none(each: usize) -> Self {
        Trial { rows: [].chunks_exact_mut(1), nowhere: Some(each), spare: [0; OF_PARTS as usize] }
    }

    /// Memory for the next pair.
    #[inline(always)]
    pub fn next(&mut self) -> Option<&mut [u64]> {
        match (self.rows.next(), self.nowhere) {
            (Some(row), _) => Some(row),
            (None, Some(each)) => self.spare.get_mut(..each),
            (None, None) => None,
        }
    }
}

/// Force and torque on A along x, the same on B, and other torques on A and on B.
pub(super) type Act<'a> = [&'a [f64; 4]; 3];

/// Forces on bodies from slot `first` on, each summed in the order of the list. For each body, pairs with the body as B come before those with it
/// as A.
pub(super) struct Sums<'s> {
    pub first: usize,
    pub sums: &'s mut [Wrench],
}

impl Sums<'_> {
    /// Prefetches the sum of a body.
    #[inline(always)]
    pub(super) fn fetch(&self, i: usize) {
        prefetch(self.sums, i.wrapping_sub(self.first));
    }

    #[inline(always)]
    pub fn put(&mut self, [a, b]: [u32; 2], [on_a, on_b, [c, d, e, f]]: Act) {
        if let Some(sum) = self.sums.get_mut((a as usize).wrapping_sub(self.first)) {
            add_row(sum, on_a, [*c, *d]);
        }
        if let Some(sum) = self.sums.get_mut((b as usize).wrapping_sub(self.first)) {
            add_row(sum, on_b, [*e, *f]);
        }
    }
}

#[inline(always)]
pub(super) fn add_row(sum: &mut Wrench, [x, y, z, a]: &[f64; 4], [b, c]: [f64; 2]) {
    (sum.force, sum.torque) = (add(sum.force, [*x, *y, *z]), add(sum.torque, [*a, b, c]));
}

/// Calls `work` with the index of each set bit.
#[inline(always)]
pub(super) fn each_bit(mut bits: u64, mut work: impl FnMut(usize)) {
    while bits != 0 {
        work(bits.trailing_zeros() as usize);
        bits &= bits - 1;
    }
}

/// The data common to all steps of a call.
pub(super) struct Walk<'l> {
    pub isa: Isa,
    pub laws: Laws<'l>,
    pub images: Images,
    pub gravity: [f64; 3],
    /// Number of bodies.
    pub bodies: usize,
    /// Number of balls, if some bodies are compounds.
    pub points: usize,
    /// The sum of radius and halo, if all bodies are balls of one size.
    pub reach: Option<f64>,
    /// Number of threads for which there is scratch.
    pub threads: usize,
    /// Largest distance at which contacts of parts match ([`Settings::bound`](crate::detect::Settings::bound)).
    pub bound: f64,
    /// Whether contacts of parts have second moments.
    pub spread: bool,
    /// Whether forces move all bodies. Then the walk does not read each body's motion, which is far in memory from the other data that it reads.
    pub all_move: bool,
    /// Whether loads are so small that only forces of pairs can make sums too large.
    pub trusts_loads: bool,
    /// Whether there are any loads; otherwise they are not read.
    pub has_loads: bool,
    /// If there is no room for the list, a skin above this is halved, and a thinner one becomes 0.
    pub thinnest: f64,
    pub dt: f64,
}
