//! All triangle pairs of two meshes within a threshold.

use zerocopy::{FromBytes, Immutable, IntoBytes};

use super::decide::{Decide, Decided};
use super::frame::{Frame, far_apart};
use super::traverse::{Goal, Key, Traversal, ids, stack_size};
use super::{Operand, check_operands};
use crate::error::{Error, Result, What};
use crate::memory::{Carve, Layout, Plan};
use crate::simd::{Isa, dispatch};
use crate::triangle::Block;

/// Two triangles within the threshold, and where they are closest.
#[derive(Clone, Copy, Debug, Default, PartialEq, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub struct TrianglePair {
    /// Triangle of A.
    pub a: u32,
    /// Triangle of B.
    pub b: u32,
    /// Part of A's triangle that `point_a` lies on: a [`Feature`](crate::triangle::Feature) as a number.
    pub feature_a: u32,
    /// The same of B's triangle.
    pub feature_b: u32,
    /// Distance of the two triangles, without halos; exactly 0 where they touch or cross, and only there.
    pub distance: f64,
    /// Closest point on A's triangle, in world coordinates.
    pub point_a: [f64; 3],
    /// Closest point on B's triangle; equal to `point_a` where the distance is 0.
    pub point_b: [f64; 3],
}

/// Scratch for [`pairs`] with room for `capacity` results.
///
/// Errors: [`Kind::TooLarge`](crate::error::Kind::TooLarge).
pub fn pairs_scratch(a: &Operand<'_>, b: &Operand<'_>, capacity: usize) -> Result<Layout> {
    let mut plan = Plan::new();
    plan.add::<u64>(stack_size(&a.tree, &b.tree)).add::<Key>(keys_size(capacity)).layout(What::Scratch)
}

/// The filter lets through about a third more than there are results; more than that only costs time.
fn keys_size(capacity: usize) -> u64 {
    let capacity = capacity as u64;
    capacity.saturating_add(capacity / 2).saturating_add(1024)
}

/// Writes all pairs of triangles whose distance is at most `halo of A's + halo of B's + margin`, ordered by triangle of A,
/// then of B, and gives their number.
///
/// Complete and exact: a pair is in the list if and only if its canonical distance is within the threshold, whatever the
/// instruction set; ties count. Exchanging A and B exchanges ids and points, bit for bit. Degenerate triangles count as the
/// segments and points that they are.
///
/// Errors: those of the poses; [`Kind::NotFinite`] and [`Kind::OutOfRange`] for a margin that is not a number or
/// negative, and for scales, with 0 for A's and 1 for B's as index; [`Kind::Mismatch`] for a tree of another mesh; [`Kind::Capacity`] with the exact number where `out` or
/// `scratch` is too small (`out` then holds nothing of use).
///
/// Cost: time proportional to the pairs found and to the surface that comes close; bodies that are far apart cost a few
/// nanoseconds.
///
/// [`Kind::NotFinite`]: crate::error::Kind::NotFinite
/// [`Kind::OutOfRange`]: crate::error::Kind::OutOfRange
/// [`Kind::Mismatch`]: crate::error::Kind::Mismatch
/// [`Kind::Capacity`]: crate::error::Kind::Capacity
pub fn pairs(
    isa: Isa,
    a: &Operand<'_>,
    b: &Operand<'_>,
    margin: f64,
    out: &mut [TrianglePair],
    scratch: &mut [u8],
) -> Result<usize> {
    check_operands(a, b)?;
    super::check_length(margin, What::Margin)?;
    if far_apart(a, b, margin)? {
        return Ok(0);
    }
    let frame = Frame::new(a, b)?;
    let mut carve = Carve::new(scratch, pairs_scratch(a, b, out.len())?, What::Scratch)?;
    let stack = carve.take::<u64>(stack_size(&a.tree, &b.tree))?;
    let keys = carve.take::<Key>(keys_size(out.len()))?;
    let capacity = out.len();
    let mut goal = Gather { isa, a: *a, b: *b, frame: &frame, margin, keys, decided: 0, len: 0, capacity, over: 0 };
    dispatch(isa, Traversal { a: *a, b: *b, frame: &frame, stack, gaps: &mut [], goal: &mut goal })?;
    goal.finish(out)
}

/// Gathers candidates. As long as there is room they only wait, to be sorted and decided once, in order. Where there is
/// not, they are decided at once: hits stay (as keys), the others go. Once there are more hits than the caller has room
/// for, they are only counted.
struct Gather<'t> {
    isa: Isa,
    a: Operand<'t>,
    b: Operand<'t>,
    frame: &'t Frame,
    margin: f64,
    keys: &'t mut [Key],
    /// The first so many keys are hits.
    decided: usize,
    len: usize,
    capacity: usize,
    /// Hits beyond the capacity.
    over: u64,
}

impl Goal for Gather<'_> {
    fn threshold(&self) -> f64 {
        self.margin
    }

    fn take(&mut self, candidates: &[Key]) -> Result<bool> {
        let mut rest = candidates;
        while !rest.is_empty() {
            let room = crate::real::min(self.keys.len() - self.len, rest.len());
            let (now, later) = rest.split_at(room);
            self.keys[self.len..self.len + room].copy_from_slice(now);
            self.len += room;
            rest = later;
            if !rest.is_empty() {
                self.decide_now()?;
            }
        }
        Ok(true)
    }
}

impl Gather<'_> {
    /// Keeps of the undecided keys those that are hits.
    fn decide_now(&mut self) -> Result<()> {
        let mut block = [0; 1024];
        let mut from = self.decided;
        while from < self.len {
            let number = crate::real::min(self.len - from, block.len());
            block[..number].copy_from_slice(&self.keys[from..from + number]);
            from += number;
            let mut keep = Keep { hits: Hits::new(&self.a, &self.b, self.margin), goal: self.keys, len: self.decided };
            let keys = &block[..number];
            let decide = Decide { a: self.a, b: self.b, frame: self.frame, keys, out: &mut keep };
            dispatch(self.isa, decide);
            self.decided = keep.len;
            if self.decided > self.capacity {
                self.over += (self.decided - self.capacity) as u64;
                self.decided = self.capacity;
            }
        }
        self.len = self.decided;
        Ok(())
    }

    fn finish(mut self, out: &mut [TrianglePair]) -> Result<usize> {
        if self.over > 0 {
            self.decide_now()?;
            return Err(Error::capacity(What::Output, self.capacity as u64 + self.over, self.capacity as u64));
        }
        let keys = &mut self.keys[..self.len];
        keys.sort_unstable();
        let mut write = Write { hits: Hits::new(&self.a, &self.b, self.margin), frame: self.frame, out, number: 0 };
        dispatch(self.isa, Decide { a: self.a, b: self.b, frame: self.frame, keys, out: &mut write });
        let number = write.number;
        if number > self.capacity {
            return Err(Error::capacity(What::Output, number as u64, self.capacity as u64));
        }
        Ok(number)
    }
}

/// The comparison, in its one form.
struct Hits<'t> {
    /// Halos of single triangles, where there are any, the halo of all others, and the scale: of A, of B.
    halos: [(&'t [f64], f64, f64); 2],
    margin: f64,
}

impl<'t> Hits<'t> {
    fn new(a: &Operand<'t>, b: &Operand<'t>, margin: f64) -> Self {
        Hits { halos: [a, b].map(|body| (body.mesh.halos, body.mesh.largest_halo(), body.scale)), margin }
    }

    #[inline(always)]
    fn is_hit(&self, key: Key, distance: f64) -> bool {
        let (i, j) = ids(key);
        let [a, b] = &self.halos;
        let halo =
            |(own, all, scale): &(&[f64], f64, f64), i: u32| own.get(i as usize).copied().unwrap_or(*all) * scale;
        distance <= (halo(a, i) + halo(b, j)) + self.margin
    }
}

struct Keep<'t, 'k> {
    hits: Hits<'t>,
    goal: &'k mut [Key],
    len: usize,
}

impl Decided for Keep<'_, '_> {
    fn put(&mut self, keys: &[Key], block: &Block<f64>) {
        for (key, distance) in keys.iter().zip(&block.distance) {
            if self.hits.is_hit(*key, *distance) {
                if let Some(to) = self.goal.get_mut(self.len) {
                    *to = *key;
                }
                self.len += 1;
            }
        }
    }
}

struct Write<'t, 'o> {
    hits: Hits<'t>,
    frame: &'t Frame,
    out: &'o mut [TrianglePair],
    number: usize,
}

impl Decided for Write<'_, '_> {
    fn put(&mut self, keys: &[Key], block: &Block<f64>) {
        for (column, key) in keys.iter().enumerate() {
            if self.hits.is_hit(*key, block.distance[column]) {
                if let Some(to) = self.out.get_mut(self.number) {
                    *to = record(self.frame, *key, block, column);
                }
                self.number += 1;
            }
        }
    }
}

/// A pair in world coordinates, without negative zeros.
#[inline]
pub(super) fn record(frame: &Frame, key: Key, block: &Block<f64>, column: usize) -> TrianglePair {
    let (a, b) = ids(key);
    let world = |rows: &[[f64; crate::triangle::BLOCK]; 3]| [0, 1, 2].map(|k| rows[k][column] + frame.middle[k] + 0.0);
    let [feature_a, feature_b] = block.features(column).map(|f| f as u32);
    TrianglePair {
        a,
        b,
        feature_a,
        feature_b,
        distance: block.distance[column],
        point_a: world(&block.point_a),
        point_b: world(&block.point_b),
    }
}
