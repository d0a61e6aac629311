//! The outward normals of the patches of nodes, found once for all rules that use them.

use glam::DVec3;

use super::body::Body;
use super::entry::{Entry, Spot};

/// The outward normals of two bodies, first of the body that is first in space.
pub struct Outward<'r, B> {
    bodies: [&'r B; 2],
    entry: &'r [Entry],
    /// Normals of the first body by node, and of the other one by column; none if a patch is round or bent, or before [`find`](Self::find).
    found: Option<[&'r [[f64; 3]]; 2]>,
}

impl<B> Clone for Outward<'_, B> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<B> Copy for Outward<'_, B> {}

impl<'r, B: Body> Outward<'r, B> {
    pub fn new(bodies: [&'r B; 2], entry: &'r [Entry]) -> Self {
        Outward { bodies, entry, found: None }
    }

    /// Finds all normals, if no patch is round or bent. The arrays for them have an item for each node.
    pub fn find(&mut self, columns: &[Spot], by_node: &'r mut [[f64; 3]], by_column: &'r mut [[f64; 3]]) {
        let mut last = None;
        for (to, entry) in by_node.iter_mut().zip(self.entry) {
            let row = (entry.features >> 32) as u32;
            let same = last.filter(|(of, _)| *of == row);
            let Some(normal) = same.map(|(_, normal)| normal).or_else(|| self.flat(0, row)) else { return };
            *to = normal.to_array();
            last = Some((row, normal));
        }
        for (to, column) in by_column.iter_mut().zip(columns) {
            let Some(normal) = self.flat(1, column.feature) else { return };
            *to = normal.to_array();
        }
        self.found = Some([by_node, by_column]);
    }

    fn flat(&self, side: usize, feature: u32) -> Option<DVec3> {
        let body = self.bodies[side % 2];
        body.normal(feature).filter(|_| body.is_flat(feature))
    }

    fn of(&self, i: u32, one: impl Fn(usize, u32) -> Option<DVec3>) -> [Option<DVec3>; 2] {
        let Some(entry) = self.entry.get(i as usize) else { return [None; 2] };
        match self.found {
            Some([first, second]) => {
                [first.get(i as usize), second.get(entry.column as usize)].map(|n| n.map(|n| DVec3::from_array(*n)))
            }
            None => [one(0, (entry.features >> 32) as u32), one(1, entry.features as u32)],
        }
    }

    /// The outward unit normals of both patches of a node; `None` for a round patch.
    pub fn all(&self, i: u32) -> [Option<DVec3>; 2] {
        self.of(i, |side, feature| self.bodies[side % 2].normal(feature))
    }

    /// The same; `None` for a round or bent patch.
    pub fn flats(&self, i: u32) -> [Option<DVec3>; 2] {
        self.of(i, |side, feature| self.flat(side, feature))
    }
}
