//! A grid that takes changes, in its block: bodies that join, leave and move between two rebuilds.
//!
//! A body that is still in its cell gets new coordinates, and that is all. But a grid keeps its bodies sorted by cells,
//! and a sorted list takes no change. So a body that has gone to another cell leaves its place in the grid, which the
//! filter then always finds out of reach, and is *loose*: on a list beside the grid. So are bodies that have joined
//! since. A body that leaves only leaves its place, on the list or in the grid. That is all that a change costs,
//! however many bodies there are. Before pairs are asked for, the loose bodies are put into a small grid of their own;
//! pairs of the grid, pairs of the small grid, and pairs of a loose body with those of the grid in the cells around it
//! are then all that there are. While few bodies are loose, that is cheaper than to sort all of them again.

use super::super::Query;
use super::both;
use super::grid::{HGrid, HGridRef, HGridSizes};
use crate::error::{Error, Kind, Result, What};
use crate::exec::Executor;
use crate::memory::{self, Layout, Sizes};
use crate::real::max;
use zerocopy::{FromBytes, Immutable, IntoBytes};

/// The id of a place whose body is gone.
pub(super) const GONE: u32 = u32::MAX;

/// Marks a place on the list.
pub(super) const LOOSE: u32 = 1 << 31;

/// What a live grid's block is laid out for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub struct LiveGridSizes {
    /// Bodies, at most; fewer than 2^31.
    pub bodies: u32,
    /// Levels, at most [`LEVELS`](super::LEVELS).
    pub levels: u32,
    /// Loose bodies, at most. With more than some hundredths of the bodies a rebuild is cheaper.
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
    const VERSION: u32 = 1;
    const WHAT: What = What::Grid;

    fn check(&self) -> Result<()> {
        if max(self.bodies, self.loose) >= LOOSE {
            return Err(Error::new(Kind::TooLarge, What::Grid).amounts(u64::from(LOOSE) - 1, u64::from(LOOSE)));
        }
        self.main().check()
    }
}

/// What a live grid holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub(super) struct Live {
    pub bodies: u32,
    pub loose: u32,
    /// 1 if pairs can be asked for.
    pub ready: u32,
    /// 1 if the small grid is that of the loose bodies as they are.
    pub settled: u32,
}

memory::sections! {
    /// A hierarchical grid that takes changes: 32 bytes for each body, and 32 for each loose one.
    ///
    /// Rebuilt as an [`HGrid`] is ([`LiveGrid::rebuild`]), then told what has changed ([`LiveGrid::update`]) and asked
    /// for its pairs ([`LiveGrid::pairs`]), until so many bodies are loose that it has to be rebuilt.
    pub struct LiveGrid / LiveGridRef (n: &LiveGridSizes) {
        pub(super) live: Cache [Live; 1],
        /// Place of each body: in the grid's order, or on the list.
        pub(super) places: Cache [u32; u64::from(n.bodies)],
        /// Loose bodies.
        pub(super) list: Cache [u32; u64::from(n.loose)];
        parts {
            pub(super) main: HGrid / HGridRef = &n.main(),
            pub(super) few: HGrid / HGridRef = &n.few(),
        }
    }
}

/// Scratch of [`LiveGrid::rebuild`] and [`LiveGrid::pairs`]: about 28 bytes for each body, and as many for each loose
/// one (more where most are loose).
///
/// Errors: [`Kind::TooLarge`].
pub fn live_grid_scratch(bodies: u32, loose: u32) -> Result<Layout> {
    let [search, settle] = [both::Searching::layout(bodies, loose)?, both::Settling::layout(loose)?];
    Ok(search.or(settle).or(super::hgrid_scratch(bodies)?))
}

impl LiveGrid<'_> {
    /// Puts all bodies of a query into cells: [`HGrid::rebuild`]. No body is loose then. `scratch` is
    /// [`live_grid_scratch`].
    ///
    /// Errors and cost: those of [`HGrid::rebuild`], and 2 ns more for each body.
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
        self.live[0] = Live { bodies: n as u32, loose: 0, ready: 1, settled: 1 };
        Ok(())
    }

    /// Errors: [`Kind::Mismatch`].
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
