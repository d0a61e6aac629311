//! Pairs of a live grid: pairs within the main grid, pairs within the small grid of loose bodies, and pairs across.

use super::super::candidate::{Candidate, Counts, gather};
use super::super::{Proxies, Query};
use super::cell_rows::View;
use super::direction::Direction;
use super::frame::Level;
use super::grid::{BODIES, Built, GONE, HGridRef, LEVELS};
use super::incremental::LiveGrid;
use super::live_pairs;
use super::page_table::{Memory, Pages};
use super::search::Finder;
use crate::array::Array;
use crate::error::{Error, Kind, Result, What};
use crate::exec::{Executor, within};
use crate::memory::{Layout, sections};
use crate::real::{max, min};
use crate::simd::Isa;

/// Loose bodies in a chunk of work.
const CHUNK: usize = 64;

sections! {
    /// Scratch of the search for a grid with this many bodies, of which `loose` are loose.
    pub(super) struct Searching<'s>(bodies: u32, loose: u32) {
        levels: [Level; u64::from(LEVELS)],
        counts: Counts(loose as usize, CHUNK),
        main: Memory(u64::from(bodies)),
        few: Memory(u64::from(loose)),
    }
}

sections! {
    /// Scratch for building the small grid of loose bodies.
    pub(super) struct Settling<'s>(loose: u32; n = u64::from(loose)) {
        centres: [[f64; 3]; n],
        radii: [f64; n],
        rest: { super::hgrid_scratch(loose)? },
    }
}

impl LiveGrid<'_> {
    /// Writes all candidates of the query of the last update, and gives their number.
    ///
    /// Every broad phase finds this set of candidates. Its order depends on the query of the last rebuild and on later
    /// updates, not on the executor. `scratch` is [`live_grid_scratch`].
    ///
    /// Errors: [`Kind::Mismatch`] where the grid is not built or [full](super::Updated::full), or for another number of
    /// bodies, space or margin; [`Kind::Capacity`] with the exact number where `out` is too small (the content of `out`
    /// is then unspecified), or `scratch`. The host must have announced every moved body by [`LiveGrid::update`]. This
    /// is not checked; pairs of bodies that moved unannounced may be missing or wrong.
    ///
    /// Cost: that of [`HGridRef::pairs`](super::HGridRef::pairs), and for each loose body a search of every level.
    pub fn pairs(
        &mut self,
        exec: &dyn Executor,
        isa: Isa,
        query: &Query<'_>,
        direction: Direction,
        out: &mut [Candidate],
        scratch: &mut [u8],
    ) -> Result<usize> {
        let phases = query.bodies.len() > BODIES;
        within(exec, phases, || self.search(exec, isa, query, direction, &mut *out, &mut *scratch))
    }

    fn search(
        &mut self,
        exec: &dyn Executor,
        isa: Isa,
        query: &Query<'_>,
        direction: Direction,
        out: &mut [Candidate],
        scratch: &mut [u8],
    ) -> Result<usize> {
        let live = self.check(query)?;
        if live.bodies as usize != query.bodies.len() {
            return Err(Error::new(Kind::Mismatch, What::Grid));
        }
        if live.settled == 0 && live.loose > 0 {
            self.settle(exec, query, scratch)?;
        }
        self.live[0].settled = 1;
        live_grid_scratch(self.sizes.bodies, self.sizes.loose)?.check(scratch, What::Scratch)?;
        let (main, list) = (self.main.as_ref(), self.list.get(..live.loose as usize).unwrap_or_default());
        let mut search = Search { exec, isa, direction, out, found: 0, tested: 0, given: 0 };
        search.given = search.out.len();
        let keys = main.keys.get(..main.built[0].bodies as usize).unwrap_or_default();
        let memory = Searching::new(scratch, keys.len() as u32, list.len() as u32)?;
        let (pages, spare) = Pages::new(exec, keys, memory.main);
        let view = View::new(main, &pages, query);
        search.within_grid(view, spare)?;
        if !list.is_empty() {
            let few = self.few.as_ref();
            let keys = few.keys.get(..list.len()).unwrap_or_default();
            let (pages, spare) = Pages::new(exec, keys, memory.few);
            search.within_grid(View::new(few, &pages, query), spare)?;
            let built = [Built { imaged: u32::from(!query.space.is_open()), ..main.built[0] }];
            let levels = widen_slack(main.levels(), query, list, memory.levels);
            let grid = HGridRef { built: &built, ..main };
            search.across(View { grid, levels, probes: list, ..view }, memory.counts.each)?;
        }
        self.live[0].tested = search.tested;
        search.finish()
    }

    /// Builds the small grid of the loose bodies.
    fn settle(&mut self, exec: &dyn Executor, query: &Query<'_>, scratch: &mut [u8]) -> Result<()> {
        let n = self.live[0].loose;
        let list = self.list.get(..n as usize).unwrap_or_default();
        let Settling { centres, radii, rest } = Settling::new(scratch, n)?;
        for ((centre, radius), id) in centres.iter_mut().zip(radii.iter_mut()).zip(list) {
            let sphere = query.sphere(*id as usize);
            (*centre, *radius) = (sphere.centre, sphere.radius);
        }
        let bodies = Proxies::new(Array::from_f64(centres), Array::from_numbers(radii));
        let error = |e: Error| Error { index: list.get(e.index as usize).map_or(0, |id| u64::from(*id)), ..e };
        self.few.rebuild(exec, &Query { bodies, ..*query }, &[], rest).map_err(error)?;
        for id in self.few.ids.iter_mut().take(n as usize) {
            *id = list.get(*id as usize).copied().unwrap_or(GONE);
        }
        Ok(())
    }
}

/// The levels with a larger `slack`: loose bodies may be larger and farther from the origin than the bodies for which
/// the levels were made, so rounding errors are larger.
fn widen_slack<'s>(levels: &[Level], query: &Query<'_>, list: &[u32], scratch: &'s mut [Level]) -> &'s [Level] {
    let mut far = [0.0; 3];
    for id in list {
        let sphere = query.sphere(*id as usize);
        for (far, x) in far.iter_mut().zip(sphere.centre).take(query.space.axes()) {
            *far = max(x.abs() + sphere.radius, *far);
        }
    }
    for (seen, level) in scratch.iter_mut().zip(levels) {
        *seen = *level;
        for (axis, slack) in seen.slack.iter_mut().enumerate() {
            *slack = max((far[axis] + 2.0 * level.edges[axis]) * (1.0 / (1u64 << 46) as f64), *slack);
        }
    }
    &scratch[..min(levels.len(), scratch.len())]
}

/// Appends the candidates of several searches to one output.
struct Search<'a, 'o> {
    exec: &'a dyn Executor,
    isa: Isa,
    direction: Direction,
    out: &'o mut [Candidate],
    found: u64,
    /// Pairs in neighbouring cells of the grids so far.
    tested: u64,
    given: usize,
}

impl Search<'_, '_> {
    /// The unused rest of the output; empty after it was too small.
    fn free(&mut self) -> &mut [Candidate] {
        usize::try_from(self.found).ok().and_then(|found| self.out.get_mut(found..)).unwrap_or_default()
    }

    fn add(&mut self, found: Result<usize>) -> Result<()> {
        self.found += match found {
            Ok(found) => found as u64,
            Err(Error { kind: Kind::Capacity, what: What::Output, needed, .. }) => needed,
            Err(error) => return Err(error),
        };
        Ok(())
    }

    /// Searches all pairs within a grid.
    fn within_grid(&mut self, view: View<'_>, spare: &mut [Candidate]) -> Result<()> {
        let (exec, finder) = (self.exec, Finder { view, isa: self.isa, direction: self.direction });
        let found = finder.all(exec, self.free(), spare);
        self.tested += found.as_ref().map_or(0, |searched| searched.tested);
        self.add(found.map(|searched| searched.pairs))
    }

    /// Searches all pairs of the view's probes with the bodies of its grid.
    fn across(&mut self, view: View<'_>, counts: &mut [u64]) -> Result<()> {
        let (exec, finder) = (self.exec, Finder { view, isa: self.isa, direction: self.direction });
        let n = view.probes.len();
        let found = gather(exec, counts, self.free(), |chunk, room| {
            finder.across(chunk * CHUNK..min((chunk + 1) * CHUNK, n), room);
            Ok(())
        });
        self.add(found)
    }

    fn finish(self) -> Result<usize> {
        match usize::try_from(self.found) {
            Ok(found) if found <= self.given => Ok(found),
            _ => Err(Error::capacity(What::Output, self.found, self.given as u64)),
        }
    }
}

/// Scratch of [`LiveGrid::rebuild`] and [`LiveGrid::pairs`]: about 28 bytes for each body and for each loose body (more
/// where most are loose).
///
/// Errors: [`Kind::TooLarge`].
pub fn live_grid_scratch(bodies: u32, loose: u32) -> Result<Layout> {
    let [search, settle] = [live_pairs::Searching::layout(bodies, loose)?, live_pairs::Settling::layout(loose)?];
    Ok(search.or(settle).or(super::hgrid_scratch(bodies)?))
}
