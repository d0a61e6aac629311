//! What a grid chose, what it expected, and what came.

use super::grid::HGridRef;
use zerocopy::{FromBytes, Immutable, IntoBytes};

/// The most levels that a grid chooses by itself, and that a report tells.
pub(super) const LEVELS: usize = 16;

/// A level of a grid.
#[derive(Clone, Copy, Debug, Default, PartialEq, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub struct GridLevel {
    /// Cell size, in units of length.
    pub size: f64,
    /// Bodies on this level.
    pub bodies: u64,
}

/// How a grid was built, and what the search of its pairs came to.
///
/// Bodies of neighbouring cells are tested, so few such pairs and few cells make a search fast. A grid that chooses its cell sizes expects
/// pairs by the cost model of P1 (section 3), for bodies that are everywhere as dense as around most bodies. Where many more came, bodies
/// are denser in some places: sizes by [`levels::choose`](crate::broad::levels::choose), or of your own, may be better.
#[derive(Clone, Copy, Debug, Default, PartialEq, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub struct GridReport {
    /// Number of levels; 0 where no grid was built, as for few bodies. If there are more than 16, the first 16 are told.
    pub count: u64,
    /// The levels, smallest cells first, and zeros.
    pub levels: [GridLevel; LEVELS],
    /// Pairs of bodies in the same cell or in neighbouring ones that were expected, for each body; 0 where the host gave the sizes.
    pub expected: f64,
    /// Those that came, for each body; 0 before a search.
    pub tested: f64,
}

/// What a search came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Searched {
    /// Pairs that were found.
    pub pairs: usize,
    /// Pairs of bodies in the same cell or in neighbouring ones.
    pub tested: u64,
}

impl HGridRef<'_> {
    /// What the grid chose and expected, and the pairs that a search came to.
    pub fn report(&self, searched: &Searched) -> GridReport {
        let (levels, built) = (self.levels(), &self.built[0]);
        let mut report = GridReport { count: levels.len() as u64, expected: built.expected, ..GridReport::default() };
        for (to, level) in report.levels.iter_mut().zip(levels) {
            *to = GridLevel { size: level.size, bodies: level.bodies() as u64 };
        }
        if built.bodies > 0 {
            report.tested = searched.tested as f64 / f64::from(built.bodies);
        }
        report
    }
}
