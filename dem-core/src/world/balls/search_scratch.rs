//! Memory of the search for pairs.

use super::WORDS;
use super::cell_list::{Cells, Sorted};
use super::list_state::Place;
use crate::broad::Candidate;
use crate::detect::Wrench;
use crate::error::{Error, Result, What};
use crate::memory::{Layout, Plan, sections};
use crate::real::max;
use crate::world::block::WorldSizes;
use crate::world::grid::Grid;

sections! {
    /// Data of bodies for the search for pairs.
    pub(super) struct Bounds<'s>(n: &WorldSizes; bodies = u64::from(n.bodies)) {
        /// Bounds with half of the skin; 0 and no group for bodies without bounds.
        pub radii: [f64; bodies],
        pub groups: [u32; bodies],
    }
}

sections! {
    /// Memory for sorting pairs after the search.
    pub(super) struct Order<'s>(n: &WorldSizes; bodies = u64::from(n.bodies)) {
        /// The index of each body in the order of ids, and the bodies in this order.
        pub ranks: [u32; bodies],
        pub order: [u32; bodies],
        /// The first pair of each body as A.
        pub starts: [u32; bodies],
    }
}

sections! {
    /// The grid, and scratch of the search, then of sorting its pairs.
    pub(super) struct Search<'s>(n: &WorldSizes, search: &Grid) {
        pub grid: { search.block },
        pub rest: { search.rest, Order::layout(n)? },
    }
}

sections! {
    /// Pairs in the order in which they are found.
    pub(super) struct FoundPairs<'s>(n: &WorldSizes) {
        pub pairs: [Candidate; u64::from(n.ball_pairs)],
    }
}

sections! {
    /// Pairs found by cells, on several threads.
    pub(super) struct Slabs<'s>(n: &WorldSizes) {
        pub pairs: [[u32; 2]; u64::from(n.ball_pairs)] * 2,
    }
}

/// Memory of the search for pairs. As far as possible, it reuses memory that the step overwrites afterwards; the rest is in scratch.
pub(super) struct Listing<'s>(pub [&'s mut [u8]; 3]);

impl<'s> Listing<'s> {
    /// The size of each part, for a search by cells or by the grid.
    fn layouts(n: &WorldSizes, points: u64, search: &Grid) -> Result<[Layout; 3]> {
        let rows = with_points(n, points);
        Ok([
            FoundPairs::layout(n)?.or(Slabs::layout(n)?),
            Bounds::layout(n)?.or(Cells::layout(&rows)?),
            Search::layout(n, search)?.or(Sorted::layout(&rows)?),
        ])
    }

    /// The assignment of parts to reusable memory that needs the least scratch, and the size of that scratch.
    fn best(layouts: &[Layout; 3], over: [u64; 3]) -> ([usize; 3], u64) {
        let outside = |order: [usize; 3]| {
            let parts = layouts.iter().zip(order).map(|(layout, place)| (layout.size as u64, over[place]));
            parts.fold(0u64, |sum, (size, room)| sum.saturating_add(if size > room { size } else { 0 }))
        };
        let ([straight, swapped], both) = ([[0, 1, 2], [2, 1, 0]], [outside([0, 1, 2]), outside([2, 1, 0])]);
        if both[1] < both[0] { (swapped, both[1]) } else { (straight, both[0]) }
    }

    /// `over`: the memory that may be reused.
    pub fn new(
        (n, points): (&WorldSizes, u64),
        search: &Grid,
        over: [&'s mut [u8]; 3],
        scratch: &'s mut [u8],
    ) -> Result<Self> {
        let layouts = Listing::layouts(n, points, search)?;
        let (order, _) = Listing::best(&layouts, room_over(n));
        let (mut left, mut over) = (scratch, over.map(Some));
        let mut parts = order.map(|place| over[place].take().unwrap_or_default());
        for (part, layout) in parts.iter_mut().zip(layouts) {
            if part.len() < layout.size {
                let short = Error::capacity(What::Scratch, layout.size as u64, left.len() as u64);
                (*part, left) = left.split_at_mut_checked(layout.size).ok_or(short)?;
            }
        }
        Ok(Listing(parts))
    }
}

/// Bytes of reusable memory: the sums of bodies, listed positions, and springs that are not those of the accepted state.
fn room_over(n: &WorldSizes) -> [u64; 3] {
    let [bodies, contacts] = [n.bodies, n.ball_contacts].map(u64::from);
    [
        bodies * size_of::<Wrench>() as u64,
        bodies * size_of::<Place>() as u64,
        contacts * WORDS * size_of::<u64>() as u64,
    ]
}

/// Sizes for a search with this number of rows in place of bodies, if that is larger.
pub(super) fn with_points(n: &WorldSizes, points: u64) -> WorldSizes {
    WorldSizes { bodies: max(u64::from(n.bodies), points).min(u64::from(u32::MAX)) as u32, ..*n }
}

/// Scratch of the search for pairs: the parts that do not fit into reusable memory.
pub(super) fn scratch(n: &WorldSizes, points: u64) -> Result<Layout> {
    let (_, bytes) = Listing::best(&Listing::layouts(n, points, &Grid::new(n)?)?, room_over(n));
    Plan::new().add::<u8>(bytes).layout(What::Scratch)
}
