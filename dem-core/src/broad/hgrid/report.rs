//! The choice of a grid, its expectation, and what its search found.

use super::grid::HGridRef;
use zerocopy::{FromBytes, Immutable, IntoBytes};

/// The most levels that a grid chooses by itself, and that a report lists.
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

/// How a grid was built, and how many pairs its search tested.
///
/// The search tests bodies of neighbouring cells, so it is fast with few such pairs and few cells. A grid that chooses its cell sizes computes the
/// expected number of pairs by the cost model of P1 (section 3), with the density around most bodies everywhere. If many more were tested, bodies
/// are denser in some places. Then sizes by [`levels::choose`](crate::broad::levels::choose), or of your own, may be better.
#[derive(Clone, Copy, Debug, Default, PartialEq, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub struct GridReport {
    /// Number of levels; 0 if no grid was built, as for few bodies. If there are more than 16, only the first 16 are listed.
    pub count: u64,
    /// The levels, smallest cells first, and zeros.
    pub levels: [GridLevel; LEVELS],
    /// Expected pairs of bodies in the same cell or in neighbouring cells, for each body; 0 if the host gave the sizes.
    pub expected: f64,
    /// Actual number of such pairs, for each body; 0 before a search.
    pub tested: f64,
}

/// The result of a search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Searched {
    /// Pairs that were found.
    pub pairs: usize,
    /// Pairs of bodies in the same cell or in neighbouring ones.
    pub tested: u64,
}

impl HGridRef<'_> {
    /// The choice and the expectation of the grid, and the number of pairs that a search tested.
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
