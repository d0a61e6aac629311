//! Updates a live grid with changed bodies: they stay in their cells, become loose, or leave.

use super::super::Query;
use super::frame::{PAGE_CELLS, level_of};
use super::grid::GONE;
use super::incremental::{LOOSE, LiveGrid};
use crate::error::{Error, Kind, Result, What};
use crate::real::max;

/// The result of an update.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Updated {
    /// Number of loose bodies now; each makes the search longer.
    pub loose: u32,
    /// Whether the grid has to be rebuilt before its next search: there are more loose bodies than it has room for, or
    /// a body has moved or left while sort keys are hashes (bodies very far apart).
    pub full: bool,
}

impl LiveGrid<'_> {
    /// Applies changes. `changed` lists the indices of bodies whose centre or radius has changed, in any order; an
    /// index may occur twice. If the query has more bodies than in the previous update, the bodies at the end have
    /// joined; if it has fewer, the bodies at the end have left. To remove a body in the middle, the host moves the
    /// last body to its index and lists this index in `changed`.
    ///
    /// Errors: those of [`Query::check`] about bodies that changed or joined; [`Kind::BadIndex`] with the first item of
    /// `changed` (`What::Bodies`) that is no body; [`Kind::Mismatch`] where the grid is not built, or was built for
    /// another space or margin; [`Kind::Capacity`] for bodies. After an error the grid is unchanged.
    ///
    /// Cost: proportional to the number of changes, whatever the number of bodies.
    pub fn update(&mut self, query: &Query<'_>, changed: &[u32]) -> Result<Updated> {
        let (last, n) = (self.check(query)?.bodies as usize, query.bodies.len());
        if n > self.places.len() {
            return Err(Error::capacity(What::Grid, n as u64, self.places.len() as u64));
        }
        for (i, &id) in changed.iter().enumerate() {
            if id as usize >= n {
                return Err(Error::new(Kind::BadIndex, What::Bodies).at(i as u64, 0).amounts(n as u64, u64::from(id)));
            }
            query.check_body(id as usize)?;
        }
        (last..n).try_for_each(|id| query.check_body(id))?;
        let mut room = true;
        // Leaving bodies first, since they make room on the list.
        (n..last).for_each(|id| room &= self.leave(id));
        let old = changed.iter().map(|id| *id as usize).filter(|id| *id < last);
        old.for_each(|id| room &= self.is_loose(id) || self.stay(query, id) || (self.leave(id) && self.join(id)));
        (last..n).for_each(|id| room &= self.join(id));
        let live = &mut self.live[0];
        (live.bodies, live.settled, live.ready) = (n as u32, 0, u32::from(room));
        Ok(Updated { loose: live.loose, full: !room })
    }

    fn is_loose(&self, id: usize) -> bool {
        self.places.get(id).is_some_and(|place| place & LOOSE != 0)
    }

    /// Updates the coordinates of a body that is still in its cell. False where it is in another cell.
    fn stay(&mut self, query: &Query<'_>, id: usize) -> bool {
        let (built, at, sphere) = (&mut self.main.built[0], self.places[id] as usize, query.sphere(id));
        let levels = self.main.level.get_mut(..built.levels as usize).unwrap_or_default();
        let (Some(&key), false) = (self.main.keys.get(at), built.keys.hashed() || levels.is_empty()) else {
            return false;
        };
        let diameter = query.diameter(sphere.radius);
        let number = level_of(levels, diameter);
        let (level, axes) = (&mut levels[number], query.space.axes());
        let cell = level.cell(number, &sphere.centre, axes);
        let inside = |k: usize| (level.low[k]..=level.high[k]).contains(&cell.at[k]);
        if diameter > level.size || !(0..axes).all(inside) || built.keys.cell(level, &cell) != key {
            return false;
        }
        level.widest = max(diameter, level.widest);
        built.imaged |= u32::from(cell.image != [0; 3]);
        // By the same operations as in a rebuild.
        let before = [(key & (PAGE_CELLS as u64 - 1)) as i64, 0, 0];
        let rows = [&mut *self.main.x, &mut *self.main.y, &mut *self.main.z];
        for (axis, row) in rows.into_iter().enumerate().take(axes) {
            let page = level.index(sphere.centre[axis], axis) - before[axis];
            row[at] = ((sphere.centre[axis] - page as f64 * level.edges[axis]) * level.scale) as f32;
        }
        self.main.r[at] = (sphere.radius * level.scale) as f32;
        true
    }

    /// Removes a body from its place. False where that is impossible.
    fn leave(&mut self, id: usize) -> bool {
        let place = self.places.get(id).copied().unwrap_or(GONE);
        let at = (place & !LOOSE) as usize;
        if place & LOOSE == 0 {
            // With hashed keys, a page is identified by the bodies in it, so none of them may leave.
            if let (Some(id), Some(x), false) =
                (self.main.ids.get_mut(at), self.main.x.get_mut(at), self.main.built[0].keys.hashed())
            {
                (*id, *x) = (GONE, f32::INFINITY);
                return true;
            }
            return false;
        }
        let last = self.live[0].loose.saturating_sub(1);
        let other = self.list.get(last as usize).copied().unwrap_or(GONE);
        if let (Some(here), Some(place)) = (self.list.get_mut(at), self.places.get_mut(other as usize)) {
            (*here, *place) = (other, at as u32 | LOOSE);
            self.live[0].loose = last;
        }
        true
    }

    /// Appends a body to the list of loose bodies. False where the list is full.
    fn join(&mut self, id: usize) -> bool {
        let at = self.live[0].loose;
        match (self.list.get_mut(at as usize), self.places.get_mut(id)) {
            (Some(here), Some(place)) => {
                (*here, *place) = (id as u32, at | LOOSE);
                self.live[0].loose += 1;
                true
            }
            _ => false,
        }
    }
}
