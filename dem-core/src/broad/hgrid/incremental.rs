//! `LiveGrid`, a hierarchical grid that accepts changes between two rebuilds: bodies that join, leave and move.
//!
//! A body that moves within its cell only gets new coordinates. A body that moves to another cell cannot stay in the
//! sorted main grid: its place there is marked as empty, and the body becomes *loose*, which means that it is kept in a
//! list beside the grid. A body that joins is loose, too. A body that leaves is removed from its place. So the cost of
//! a change does not depend on the number of bodies. Before a search, the loose bodies are put into a small grid of
//! their own. The candidates are then the pairs within the main grid, the pairs within the small grid, and the pairs of
//! a loose body with bodies of the main grid. With few loose bodies this is cheaper than sorting all bodies again.

use super::super::Query;
use super::grid::{HGrid, HGridRef, HGridSizes};
use super::report::{GridReport, Searched};
use crate::error::{Error, Kind, Result, What};
use crate::exec::Executor;
use crate::memory::{self, Sizes};
use zerocopy::{FromBytes, Immutable, IntoBytes};

/// Bit of a place that tells the list of loose bodies from the main grid.
pub(super) const LOOSE: u32 = 1 << 31;

/// Capacity of a live grid's block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub struct LiveGridSizes {
    /// Largest number of bodies, below 2^31.
    pub bodies: u32,
    /// Largest number of levels, at most [`LEVELS`](super::LEVELS).
    pub levels: u32,
    /// Largest number of loose bodies. If more than a few percent of all bodies are loose, a rebuild is cheaper.
    pub loose: u32,
}

impl LiveGridSizes {
    fn main(&self) -> HGridSizes {
        HGridSizes { bodies: self.bodies, levels: self.levels }
    }

    fn few(&self) -> HGridSizes {
        HGridSizes { bodies: self.loose, levels: self.levels }
    }
}

impl Sizes for LiveGridSizes {
    const KIND: [u8; 4] = *b"hglv";
    const VERSION: u32 = 2;
    const WHAT: What = What::Grid;

    fn check(&self) -> Result<()> {
        for (size, what) in [(self.bodies, What::Bodies), (self.loose, What::Loose)] {
            if size >= LOOSE {
                return Err(Error::new(Kind::TooLarge, what).amounts(u64::from(LOOSE) - 1, u64::from(size)));
            }
        }
        self.main().check()
    }
}

/// Counts and state of a live grid.
#[derive(Clone, Copy, Debug, Default, PartialEq, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub(super) struct Live {
    pub bodies: u32,
    pub loose: u32,
    /// 1 if `pairs` may be called.
    pub ready: u32,
    /// 1 if the small grid is up to date.
    pub settled: u32,
    /// Pairs of bodies in neighbouring cells in the last search.
    pub tested: u64,
}

memory::sections! {
    /// A hierarchical grid that accepts changes: 32 bytes per body, and 32 per loose body.
    ///
    /// Order of calls: [`LiveGrid::rebuild`]; then, in each step, [`LiveGrid::update`] with the changed bodies and
    /// [`LiveGrid::pairs`]. When the list of loose bodies is full, rebuild.
    pub struct LiveGrid / LiveGridRef (n: &LiveGridSizes) {
        pub(super) live: Cache [Live; 1],
        /// Place of each body in the grid's order, or, with the bit `LOOSE`, in the list of loose bodies.
        pub(super) places: Cache [u32; u64::from(n.bodies)],
        /// Loose bodies.
        pub(super) list: Cache [u32; u64::from(n.loose)];
        parts {
            pub(super) main: HGrid / HGridRef = &n.main(),
            pub(super) few: HGrid / HGridRef = &n.few(),
        }
    }
}

impl LiveGrid<'_> {
    /// Rebuilds the main grid from all bodies of a query, as [`HGrid::rebuild`] does. Then no body is loose. `scratch`
    /// is [`live_grid_scratch`](crate::broad::live_grid_scratch).
    ///
    /// Errors: those of [`HGrid::rebuild`]. Cost: that of [`HGrid::rebuild`] and a pass over the bodies.
    pub fn rebuild(
        &mut self,
        exec: &dyn Executor,
        query: &Query<'_>,
        cell_sizes: &[f64],
        scratch: &mut [u8],
    ) -> Result<()> {
        self.live[0] = Live::default();
        self.main.rebuild(exec, query, cell_sizes, scratch)?;
        let n = query.bodies.len();
        for (slot, id) in self.main.ids.iter().take(n).enumerate() {
            if let Some(place) = self.places.get_mut(*id as usize) {
                *place = slot as u32;
            }
        }
        self.live[0] = Live { bodies: n as u32, loose: 0, ready: 1, settled: 1, tested: 0 };
        Ok(())
    }

    /// Checks that the grid was built for the space and the margin of the query. Errors: [`Kind::Mismatch`].
    pub(super) fn check(&self, query: &Query<'_>) -> Result<Live> {
        query.check_frame()?;
        let (live, built) = (self.live[0], &self.main.built[0]);
        let same = live.ready == 1
            && built.periods == query.space.periods
            && built.margin == query.margin
            && built.axes as usize == query.space.axes();
        if same { Ok(live) } else { Err(Error::new(Kind::Mismatch, What::Grid)) }
    }
}

impl LiveGridRef<'_> {
    /// The choice and the expectation of the main grid, and the number of pairs in the last search. Pairs of a loose body with bodies of the main
    /// grid do not count.
    pub fn report(&self) -> GridReport {
        self.main.report(&Searched { pairs: 0, tested: self.live[0].tested })
    }
}
