//! Scratch for steps of balls.

use super::ball_rows::Points;
use super::list_state::Place;
use super::pieces::{BODIES, Part};
use super::search_scratch;
use super::thread_split::Across;
use crate::error::Result;
use crate::exec::{Executor, threads_of};
use crate::memory::{Layout, sections};
use crate::world::block::WorldSizes;

sections! {
    /// Bodies in the form that the walk over pairs reads.
    pub(in crate::world) struct Hot<'s>(
        n: &WorldSizes, points: u64, listing: Layout, across: Layout;
        bodies = u64::from(n.bodies), some = u64::from(points > 0),
    ) {
        /// If some bodies are compounds: centre of each ball, and radius with halo, which is infinite for a half-space, and 0 for bodies that are
        /// not used.
        pub places: [[f64; 4]; points],
        /// Listed positions of balls, and the other data of [`Points`].
        pub listed: [Place; points],
        pub owners: [u32; points],
        pub firsts: [u32; some * (bodies + 1)],
        pub radii: [[f64; 2]; points],
        pub arms: [[f64; 3]; points],
        /// Ends of the balls of chunks of bodies.
        pub point_ends: [u32; some * bodies.div_ceil(BODIES as u64)],
        /// Results of chunks of bodies.
        pub parts: [Part; bodies.div_ceil(BODIES as u64)],
        /// Scratch of the search for pairs, then of walks over them on several threads.
        pub rest: { listing, across },
    }
}

/// Scratch of the steps of worlds with balls.
///
/// `clumps`: some bodies may be compounds of balls.
pub(in super::super) fn scratch(n: &WorldSizes, clumps: bool, threads: usize) -> Result<Layout> {
    let points = if clumps { most_points(n) } else { 0 };
    Hot::layout(n, points, search_scratch::scratch(n, points)?, across(n, threads)?)
}

/// The additional scratch of this number of threads.
pub(super) fn across(n: &WorldSizes, threads: usize) -> Result<Layout> {
    if threads > 1 { Across::layout(n, threads as u64) } else { Ok(Layout::EMPTY) }
}

/// Largest number of balls if some bodies are compounds.
pub(super) fn most_points(n: &WorldSizes) -> u64 {
    u64::from(n.bodies) + u64::from(n.ball_pairs)
}

impl<'s> Hot<'s> {
    /// Divides the scratch. Returns the number of threads for which it is enough.
    pub(super) fn take(
        exec: &dyn Executor,
        scratch: &'s mut [u8],
        n: &WorldSizes,
        points: usize,
    ) -> Result<(Self, usize)> {
        let points = points as u64;
        let listing = search_scratch::scratch(n, points)?;
        let layout = |threads: usize| Hot::layout(n, points, listing, across(n, threads)?);
        let threads = threads_of(exec, scratch.len(), layout);
        Ok((Hot::new(scratch, n, points, listing, across(n, threads)?)?, threads))
    }

    /// The balls of each body, if some are compounds.
    pub(super) fn points(&self) -> Points<'_> {
        Points { owners: self.owners, firsts: self.firsts, radii: self.radii, arms: self.arms }
    }
}
