//! What the pairs of balls see of their bodies, and the sums that they write.

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

/// Copies of the bodies of other threads, as they are found by slots.
#[derive(Clone, Copy, Default)]
pub(super) struct Copies<'c> {
    pub(super) needed: &'c [u64],
    pub(super) before: &'c [u32],
    pub rates: &'c [Rate],
    pub bodies: &'c [Body],
}

impl Copies<'_> {
    /// Where the copy of a body is.
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

/// Some contact is not of finite numbers.
pub(super) const WRONG: u64 = 1;

/// Forces of some pair are none, or larger than [`SMALL`](super::pair_kernel::SMALL).
pub(super) const LARGE: u64 = 2;

/// What a chunk of the list comes to.
#[derive(Clone, Copy, Debug, Default, PartialEq, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub(super) struct Share {
    /// Energy of springs, what damping has dissipated, and work done against friction.
    pub taken: [f64; 3],
    /// [`WRONG`] where some contact is not of finite numbers, and [`LARGE`]; else 0.
    pub is_wrong: u64,
}

impl Share {
    /// With that of the chunk behind.
    pub(super) fn and(self, next: &Share) -> Share {
        Share { taken: add(self.taken, next.taken), is_wrong: self.is_wrong | next.is_wrong }
    }
}

/// Bodies of a step, what they are made of and look like.
#[derive(Clone, Copy)]
pub(super) struct Seen<'s> {
    /// The slot of the first one whose state and rate are here.
    pub first: usize,
    /// Those of others.
    pub copies: Copies<'s>,
    /// Places of balls, where some bodies are compounds, and to which bodies they belong.
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

    /// Where it is.
    #[inline(always)]
    pub(super) fn position(&self, i: usize) -> Option<&'s [f64; 4]> {
        match self.bodies.get(i.wrapping_sub(self.first)) {
            Some(body) => Some(position(body)),
            None => self.copy(i).map(|ball| ball.position()),
        }
    }

    /// One of another thread.
    #[cold]
    fn copy(&self, i: usize) -> Option<Ball<'s>> {
        let k = self.copies.of(i);
        Some(Ball { body: self.copies.bodies.get(k)?, rate: self.copies.rates.get(k)? })
    }

    /// Where a ball is, and how its body turns.
    pub(super) fn row(&self, i: usize) -> Option<([f64; 4], &'s Rate)> {
        match self.points.is_none() {
            true => self.ball(i).map(|ball| (place(ball.body, ball.rate), ball.rate)),
            false => self.places.get(i).copied().zip(self.rates.get(self.points.owner(i))),
        }
    }

    /// Asks for what is read of a body.
    #[inline(always)]
    pub(super) fn fetch(&self, i: usize) {
        // The front of a row was read when the pair was found to be near.
        let rows = <[[u64; 6]]>::ref_from_bytes(self.bodies.as_bytes()).unwrap_or_default();
        let k = i.wrapping_sub(self.first);
        prefetch(rows, k.wrapping_mul(3).wrapping_add(1));
        prefetch(rows, k.wrapping_mul(3).wrapping_add(2));
        prefetch(self.rates, k);
    }

    /// What both bodies of a pair are made of.
    #[inline(always)]
    pub(super) fn materials_of(&self, slots: [u32; 2]) -> [u32; 2] {
        slots.map(|i| self.materials.get(i as usize).copied().unwrap_or_default())
    }

    /// The bodies of a pair of places.
    pub(super) fn slots_of(&self, pair: [u32; 2]) -> [u32; 2] {
        pair.map(|i| self.points.owner(i as usize) as u32)
    }

    /// By what pairs are ordered.
    pub(super) fn name(&self, slots: [u32; 2]) -> [u64; 2] {
        slots.map(|i| self.ids.get(i as usize).copied().unwrap_or_default())
    }

    /// The contact of two bodies at these positions, by the general way.
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

/// What waits for others like it.
pub(super) struct Queue<'s> {
    pub waiting: Waiting<'s>,
    /// Slots of A and B.
    pub(super) slots: [[u32; 2]; BLOCK],
    /// Whether the last one is a ball and a half-space.
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
    /// Whether those that wait are to act before the next pair comes.
    #[inline(always)]
    pub fn is_full(&self) -> bool {
        self.waiting.count >= BLOCK || self.ends_flat
    }

    /// Pairs of these materials are to wait from now on. None wait.
    #[inline(always)]
    pub fn begin(&mut self, materials: [u32; 2], law: Option<&'s Interaction>) {
        (self.materials, self.law) = (materials, law);
    }

    /// Puts a pair behind the others, with its springs.
    #[inline(always)]
    pub fn put(&mut self, slots: [u32; 2], [own, other]: [Ball<'s>; 2], springs: [&'s [f64; 4]; 2]) {
        self.slots[self.waiting.count & (BLOCK - 1)] = slots;
        self.waiting.put([own, other], springs);
        // A half-space is not for lanes.
        self.ends_flat = own.is_flat() | other.is_flat();
    }
}

/// Where springs of pairs that are near come from, in order, and where these and their forces go.
pub(super) struct Along<'h> {
    pub before: Touches<'h>,
    pub trial: Trial<'h>,
    pub sums: Sums<'h>,
}

/// Where springs are written, one behind the other.
pub(super) struct Trial<'h> {
    rows: core::slice::ChunksExactMut<'h, u64>,
    /// Those that are to be written elsewhere go nowhere: so many words each.
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

    /// Room for the next ones.
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

/// Forces on bodies from a slot on, each added up in the order of the list. Of a body all pairs of which it is B are before those of which it is A.
pub(super) struct Sums<'s> {
    pub first: usize,
    pub sums: &'s mut [Wrench],
}

impl Sums<'_> {
    /// Asks for what forces on a body are added to.
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

/// Calls `work` with the place of each bit that is set.
#[inline(always)]
pub(super) fn each_bit(mut bits: u64, mut work: impl FnMut(usize)) {
    while bits != 0 {
        work(bits.trailing_zeros() as usize);
        bits &= bits - 1;
    }
}

/// What is the same for all steps of a call.
pub(super) struct Walk<'l> {
    pub isa: Isa,
    pub laws: Laws<'l>,
    pub images: Images,
    pub gravity: [f64; 3],
    /// How many there are.
    pub bodies: usize,
    /// How many places there are of balls, where some bodies are compounds.
    pub points: usize,
    /// The sum of radius and halo that all balls have where there is nothing else.
    pub reach: Option<f64>,
    /// How many threads there is scratch for.
    pub threads: usize,
    /// How far contacts of parts may be from what they were ([`Settings::bound`](crate::detect::Settings::bound)).
    pub bound: f64,
    /// Whether contacts of parts tell second moments.
    pub spread: bool,
    /// Whether forces move all of them. Their rows are not asked: what tells it is far from what else is read of them.
    pub all_move: bool,
    /// Whether loads are so small that only forces can make sums too large.
    pub trusts_loads: bool,
    /// Whether there are any. They are not read else.
    pub has_loads: bool,
    /// No skin but none is thinner than half of this.
    pub thinnest: f64,
    pub dt: f64,
}
