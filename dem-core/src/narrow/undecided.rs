//! Candidates that wait, so that they are decided together and in order.

use super::Operand;
use super::decide::{Decide, Decided};
use super::frame::Frame;
use super::key::{Key, ids};
use crate::simd::{Isa, dispatch};
use crate::triangle::Block;

/// The inputs of the decision about candidates.
#[derive(Clone, Copy)]
pub(super) struct Query<'t> {
    pub isa: Isa,
    pub a: Operand<'t>,
    pub b: Operand<'t>,
    pub frame: &'t Frame,
}

impl Query<'_> {
    pub fn decide(&self, keys: &[Key], out: &mut dyn Decided) {
        dispatch(self.isa, Decide { a: self.a, b: self.b, frame: self.frame, keys, out });
    }
}

/// The comparison of a distance with its threshold, in its only form.
#[derive(Clone, Copy)]
pub(super) struct Hits<'t> {
    /// For A and for B: halos of single triangles, if there are any; the halo of all others; and the scale.
    halos: [(&'t [f64], f64, f64); 2],
    margin: f64,
}

impl<'t> Hits<'t> {
    /// Hits are pairs within both halos and the margin.
    pub fn new(a: &Operand<'t>, b: &Operand<'t>, margin: f64) -> Self {
        Hits { halos: [a, b].map(|body| (body.mesh.halos, body.mesh.largest_halo(), body.scale)), margin }
    }

    /// Hits are pairs within a distance, regardless of halos.
    pub fn within(distance: f64) -> Self {
        Hits { halos: [(&[], 0.0, 1.0); 2], margin: distance }
    }

    #[inline(always)]
    pub fn is_hit(&self, key: Key, distance: f64) -> bool {
        distance <= self.reach(key)
    }

    /// The largest distance of a hit.
    #[inline(always)]
    pub fn reach(&self, key: Key) -> f64 {
        let (i, j) = ids(key);
        let [a, b] = &self.halos;
        halo(a, i) + halo(b, j) + self.margin
    }
}

#[inline(always)]
fn halo((own, all, scale): &(&[f64], f64, f64), i: u32) -> f64 {
    own.get(i as usize).copied().unwrap_or(*all) * scale
}

/// The filter lets about a third more pairs through than there are results. More room than this would only cost time.
pub(super) fn keys_size(capacity: usize) -> u64 {
    let capacity = capacity as u64;
    capacity.saturating_add(capacity / 2).saturating_add(1024)
}

/// Candidates. As long as there is room, they only wait. If the room is used up, all are decided: hits stay, the others are dropped. Hits beyond
/// the capacity are only counted.
pub(super) struct Waiting<'t, 'k> {
    pub query: Query<'t>,
    pub hits: Hits<'t>,
    keys: &'k mut [Key],
    /// The first `decided` keys are hits.
    decided: usize,
    len: usize,
    capacity: usize,
    /// Hits beyond the capacity.
    over: u64,
}

impl<'t, 'k> Waiting<'t, 'k> {
    /// The number of keys must exceed the capacity.
    pub fn new(query: Query<'t>, hits: Hits<'t>, keys: &'k mut [Key], capacity: usize) -> Self {
        Waiting { query, hits, keys, decided: 0, len: 0, capacity, over: 0 }
    }

    pub fn add(&mut self, candidates: &[Key]) {
        let mut rest = candidates;
        while !rest.is_empty() {
            let room = crate::real::min(self.keys.len() - self.len, rest.len());
            let (now, later) = rest.split_at(room);
            self.keys[self.len..self.len + room].copy_from_slice(now);
            self.len += room;
            rest = later;
            if !rest.is_empty() {
                self.decide();
            }
        }
    }

    /// Keeps only the hits among the undecided keys.
    fn decide(&mut self) {
        // This array is on the stack, so it is small.
        let mut block = [0; 256];
        let mut from = self.decided;
        while from < self.len {
            let number = crate::real::min(self.len - from, block.len());
            block[..number].copy_from_slice(&self.keys[from..from + number]);
            from += number;
            let mut keep = Keep { hits: self.hits, to: self.keys, len: self.decided, zeros: 0 };
            self.query.decide(&block[..number], &mut keep);
            self.decided = keep.len;
            if self.decided > self.capacity {
                self.over += (self.decided - self.capacity) as u64;
                self.decided = self.capacity;
            }
        }
        self.len = self.decided;
    }

    /// Number of candidates that wait or have been kept.
    pub fn len(&self) -> usize {
        self.len
    }

    /// As [`finish`](Self::finish), but only the number of hits decides whether there is room.
    pub fn finish_exactly(mut self) -> core::result::Result<&'k mut [Key], u64> {
        if self.len > self.capacity {
            self.decide();
        }
        self.finish()
    }

    /// All candidates that may be hits, in no order. If there are more hits than the capacity, gives their exact number instead.
    pub fn finish(mut self) -> core::result::Result<&'k mut [Key], u64> {
        if self.over > 0 {
            self.decide();
            return Err(self.capacity as u64 + self.over);
        }
        Ok(&mut self.keys[..self.len])
    }
}

/// The keys that are hits, in the same order and memory, and the number of hits with distance 0.
pub(super) fn keep_hits<'k>(query: &Query<'_>, hits: Hits<'_>, keys: &'k mut [Key]) -> (&'k mut [Key], usize) {
    // This array is on the stack, so it is small.
    const FEW: usize = 64;
    if keys.is_empty() {
        return (keys, 0);
    }
    if keys.len() <= FEW { keep::<FEW>(query, hits, keys) } else { keep::<128>(query, hits, keys) }
}

/// As [`keep_hits`], with this many keys at a time.
fn keep<'k, const AT_ONCE: usize>(query: &Query<'_>, hits: Hits<'_>, keys: &'k mut [Key]) -> (&'k mut [Key], usize) {
    let mut block = [0; AT_ONCE];
    let (mut len, mut zeros, mut from) = (0, 0, 0);
    while from < keys.len() {
        let number = crate::real::min(keys.len() - from, block.len());
        block[..number].copy_from_slice(&keys[from..from + number]);
        from += number;
        let mut keep = Keep { hits, to: keys, len, zeros };
        query.decide(&block[..number], &mut keep);
        (len, zeros) = (keep.len, keep.zeros);
    }
    (&mut keys[..len], zeros)
}

struct Keep<'t, 'k> {
    hits: Hits<'t>,
    to: &'k mut [Key],
    len: usize,
    zeros: usize,
}

impl Decided for Keep<'_, '_> {
    fn put(&mut self, keys: &[Key], block: &Block<f64>) {
        for (key, distance) in keys.iter().zip(&block.distance) {
            if self.hits.is_hit(*key, *distance) {
                if let Some(to) = self.to.get_mut(self.len) {
                    *to = *key;
                }
                self.len += 1;
                self.zeros += usize::from(*distance == 0.0);
            }
        }
    }
}
