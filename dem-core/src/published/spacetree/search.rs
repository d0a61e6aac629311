//! Pairs of bodies stored at vertices of a common cell.

use super::frame::{Place, key, level_of, wrapped};
use super::{Held, Root, SpaceTreeRef};
use crate::broad::{Candidate, Query, Room, images};
use crate::error::{Error, Kind, Result, What};
use crate::real::{max, min};

impl SpaceTreeRef<'_> {
    /// Writes all candidates of the query that the tree was last updated for, and gives their number. Their order depends on the
    /// query and on the tree.
    ///
    /// Errors: those of [`Query::check`]; [`Kind::Mismatch`] where the tree was updated for another number of bodies,
    /// other periods or another margin (that centres are the same is not checked: pairs would be missing);
    /// [`Kind::Capacity`] with the exact number where `out` is too small. Cost: proportional to the
    /// [comparisons](Self::comparisons).
    pub fn pairs(&self, query: &Query<'_>, out: &mut [Candidate]) -> Result<usize> {
        self.check(query)?;
        let mut room = Room::new(out);
        self.meetings(query, |p, q, shift| {
            let candidate = Candidate::new(p.body, q.body, shift);
            let (a, b) = (candidate.a as usize, candidate.b as usize);
            if query.bodies.wanted(a, b) && query.reaches(a, b, candidate.shift) {
                room.put(candidate);
            }
        });
        self.loose(|a, b| {
            if query.bodies.wanted(a, b) {
                images(query, a, b, &mut room);
            }
        });
        room.finish()
    }

    /// The number of pairs that the search compares: those stored at vertices of a common cell; periodic images count
    /// separately.
    ///
    /// Errors and cost: as [`SpaceTreeRef::pairs`].
    pub fn comparisons(&self, query: &Query<'_>) -> Result<u64> {
        self.check(query)?;
        let mut count = 0;
        self.meetings(query, |_, _, _| count += 1);
        self.loose(|_, _| count += 1);
        Ok(count)
    }

    fn check(&self, query: &Query<'_>) -> Result<()> {
        query.check()?;
        let Root { periods, margin, bodies, axes, ready, .. } = self.root[0];
        let same = periods == query.space.periods && margin == query.margin && axes as usize == query.space.axes();
        if ready == 0 || !same || bodies as usize != query.bodies.len() {
            let error = Error::new(Kind::Mismatch, What::Grid);
            return Err(error.amounts(u64::from(bodies), query.bodies.len() as u64));
        }
        Ok(())
    }

    fn all(&self) -> &[Held] {
        self.held.get(..self.root[0].bodies as usize).unwrap_or_default()
    }

    /// Pairs each body that is stored at no vertex with every other body, once, and with itself.
    fn loose(&self, mut meet: impl FnMut(usize, usize)) {
        let all = self.all();
        for (i, p) in all.iter().enumerate().take(self.root[0].loose as usize) {
            for q in all.iter().skip(i) {
                meet(min(p.body, q.body) as usize, max(p.body, q.body) as usize);
            }
        }
    }

    /// Calls `meet` with all pairs of bodies stored at vertices of a common cell on the level of the coarser body: the
    /// finer body first, with the periods by which the second is translated.
    pub(super) fn meetings(&self, query: &Query<'_>, mut meet: impl FnMut(&Held, &Held, [i16; 3])) {
        let (root, all) = (&self.root[0], self.all());
        let held = all.get(root.loose as usize..).unwrap_or_default();
        let (mut end, mut level) = (0, 0);
        // Sorted by level, so that bodies of coarser levels come first.
        while end < held.len() {
            let from = end;
            let of = held.get(from).map_or(0, |h| level_of(h.key));
            end = from + held.get(from..).unwrap_or_default().partition_point(|h| level_of(h.key) == of);
            level = max(level, of);
            for p in held.get(from..end).unwrap_or_default() {
                for coarse in 0..=level {
                    self.level_meetings(query, p, coarse, held, &mut meet);
                }
            }
        }
    }

    /// Pairs a body with the bodies of its own or a coarser level.
    fn level_meetings(
        &self,
        query: &Query<'_>,
        p: &Held,
        level: u32,
        held: &[Held],
        meet: &mut impl FnMut(&Held, &Held, [i16; 3]),
    ) {
        let root = &self.root[0];
        let start = held.partition_point(|h| level_of(h.key) < level);
        let end = held.partition_point(|h| level_of(h.key) <= level);
        let there = held.get(start..end).unwrap_or_default();
        if there.is_empty() {
            return;
        }
        let sphere = query.sphere(p.body as usize);
        let reach = sphere.radius + 0.5 * (root.margin + root.widest);
        let (at, own) = wrapped(query, sphere.centre);
        // The translations of the body, in periods, with which it may touch others, which are all in the first period.
        let (mut low, mut high) = ([0; 3], [0; 3]);
        for axis in 0..root.axes as usize {
            if let Some(period) = query.space.period(axis) {
                low[axis] = ((-reach - at[axis]) / period) as i64 - 1;
                high[axis] = ((period + reach - at[axis]) / period) as i64 + 1;
            }
        }
        let fine = level_of(p.key) > level;
        super::frame::each(low, high, |turns| {
            let mut moved = at;
            for axis in 0..root.axes as usize {
                moved[axis] += turns[axis] as f64 * query.space.period(axis).unwrap_or(0.0);
            }
            self.around(there, level, root.vertex(moved, level), |q| {
                let image = wrapped(query, query.sphere(q.body as usize).centre).1;
                let mut shift = [0i16; 3];
                for axis in 0..3 {
                    // The first body was translated by `turns`, so the shift of the second is the opposite.
                    shift[axis] = (own[axis] - image[axis] - turns[axis]) as i16;
                }
                let again = !fine && (q.body > p.body || (q.body == p.body && shift <= [0; 3]));
                if !again {
                    meet(p, q, shift);
                }
            });
        });
    }

    /// Calls `visit` with all bodies stored at a vertex or an adjacent one.
    fn around(&self, there: &[Held], level: u32, vertex: Place, mut visit: impl FnMut(&Held)) {
        let (mut low, mut high) = (vertex, vertex);
        for axis in 0..self.root[0].axes as usize {
            low[axis] = max(vertex[axis] - 1, 0);
            high[axis] = min(vertex[axis] + 1, super::frame::cells(level));
        }
        if low[0] > high[0] {
            return;
        }
        super::frame::each([0, low[1], low[2]], [0, high[1], high[2]], |[_, y, z]| {
            let (first, last) = (key(level, [low[0], y, z]), key(level, [high[0], y, z]));
            let start = there.partition_point(|h| h.key < first);
            let run = there.get(start..).unwrap_or_default();
            run.iter().take_while(|h| h.key <= last).for_each(&mut visit);
        });
    }
}
