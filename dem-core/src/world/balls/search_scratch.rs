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
    /// What the search for pairs needs of bodies.
    pub(super) struct Bounds<'s>(n: &WorldSizes; bodies = u64::from(n.bodies)) {
        /// Bounds with half of the skin; 0 and no group for those that have none.
        pub radii: [f64; bodies],
        pub groups: [u32; bodies],
    }
}

sections! {
    /// What puts pairs in order, behind the search.
    pub(super) struct Order<'s>(n: &WorldSizes; bodies = u64::from(n.bodies)) {
        /// The place of each body in the order of ids, and the bodies in this order.
        pub ranks: [u32; bodies],
        pub order: [u32; bodies],
        /// Where the pairs begin of which it is A.
        pub starts: [u32; bodies],
    }
}

sections! {
    /// The grid, and scratch of the search, then of putting its pairs in order.
    pub(super) struct Search<'s>(n: &WorldSizes, search: &Grid) {
        pub grid: { search.block },
        pub rest: { search.rest, Order::layout(n)? },
    }
}

sections! {
    /// Pairs as they are found.
    pub(super) struct FoundPairs<'s>(n: &WorldSizes) {
        pub pairs: [Candidate; u64::from(n.ball_pairs)],
    }
}

sections! {
    /// Pairs as they are found by cells, on several threads.
    pub(super) struct Slabs<'s>(n: &WorldSizes) {
        pub pairs: [[u32; 2]; u64::from(n.ball_pairs)] * 2,
    }
}

/// Memory of the search for pairs: it lies over what steps write anew behind it, as far as there is room, else in scratch.
pub(super) struct Listing<'s>(pub [&'s mut [u8]; 3]);

impl<'s> Listing<'s> {
    /// What each part of it takes, in a search by cells or by the grid.
    fn layouts(n: &WorldSizes, points: u64, search: &Grid) -> Result<[Layout; 3]> {
        let rows = with_points(n, points);
        Ok([
            FoundPairs::layout(n)?.or(Slabs::layout(n)?),
            Bounds::layout(n)?.or(Cells::layout(&rows)?),
            Search::layout(n, search)?.or(Sorted::layout(&rows)?),
        ])
    }

    /// Where each part of it lies, so that least of it is in scratch, and how much that is.
    fn best(layouts: &[Layout; 3], over: [u64; 3]) -> ([usize; 3], u64) {
        let outside = |order: [usize; 3]| {
            let parts = layouts.iter().zip(order).map(|(layout, place)| (layout.size as u64, over[place]));
            parts.fold(0u64, |sum, (size, room)| sum.saturating_add(if size > room { size } else { 0 }))
        };
        let ([straight, swapped], both) = ([[0, 1, 2], [2, 1, 0]], [outside([0, 1, 2]), outside([2, 1, 0])]);
        if both[1] < both[0] { (swapped, both[1]) } else { (straight, both[0]) }
    }

    /// `over`: what it may lie over.
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

/// Bytes that the search may lie over: the sums of bodies, where they were listed, and springs that are not those of the accepted state.
fn room_over(n: &WorldSizes) -> [u64; 3] {
    let [bodies, contacts] = [n.bodies, n.ball_contacts].map(u64::from);
    [
        bodies * size_of::<Wrench>() as u64,
        bodies * size_of::<Place>() as u64,
        contacts * WORDS * size_of::<u64>() as u64,
    ]
}

/// Sizes for a search with so many places in place of bodies, where these are more.
pub(super) fn with_points(n: &WorldSizes, points: u64) -> WorldSizes {
    WorldSizes { bodies: max(u64::from(n.bodies), points).min(u64::from(u32::MAX)) as u32, ..*n }
}

/// Scratch of the search for pairs: what does not fit over what steps write anew behind it.
pub(super) fn scratch(n: &WorldSizes, points: u64) -> Result<Layout> {
    let (_, bytes) = Listing::best(&Listing::layouts(n, points, &Grid::new(n)?)?, room_over(n));
    Plan::new().add::<u8>(bytes).layout(What::Scratch)
}
