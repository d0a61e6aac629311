//! The bounds of all bodies in a step: spheres, boxes and planes.

use super::bodies::Bodies;
use super::box_bodies::Huge;
use super::planes::Endless;
use super::sphere_bounds::Bounds;
use crate::array::{Array, Words};
use crate::broad::{self, Dimensions, Query, Space};

/// Marks bodies that the grid must not find.
const UNSEEN: u32 = 1 << 31;

/// The bounds of all bodies in a step.
#[derive(Clone, Copy)]
pub(super) struct AllBounds<'a> {
    pub bodies: &'a Bodies<'a>,
    pub periods: [f64; 3],
    pub centres: &'a [[f64; 3]],
    pub radii: &'a [f64],
    /// Groups of each body; 0 for bodies that are not found by their spheres.
    pub groups: &'a [u32],
    pub endless: Endless<'a>,
    pub huge: Huge<'a>,
    /// Length by which the halo of each body is enlarged.
    pub wider: f64,
}

impl<'a> AllBounds<'a> {
    pub fn new(bodies: &'a Bodies<'a>, bounds: &'a Bounds<'_>, huge: Huge<'a>, periods: [f64; 3]) -> Self {
        let endless = Endless::new(bodies, bounds);
        let Bounds { centres, radii, groups, .. } = bounds;
        AllBounds { bodies, periods, centres, radii, groups, endless, huge, wider: bounds.wider }
    }

    /// The bodies as the input of a broad phase.
    pub fn query(&self) -> Query<'a> {
        let (centres, radii) = (Array::from_f64(self.centres), Array::from_numbers(self.radii));
        let bodies = broad::Proxies { motions: self.bodies.motions, ..broad::Proxies::new(centres, radii) };
        Query { bodies, space: self.space(), margin: 0.0 }
    }

    pub fn space(&self) -> Space {
        Space::new(Dimensions::Three, self.periods)
    }

    /// The motion, group and mask of body `i`, and whether the grid contains it.
    pub fn words(&self, i: usize) -> [u32; 3] {
        let word = |words: Option<Words<'_>>, none| words.map_or(none, |words| words.get(i));
        let unseen = if self.groups.get(i) == Some(&0) { UNSEEN } else { 0 };
        let Bodies { groups, masks, motions, .. } = self.bodies;
        [word(*groups, u32::MAX), word(*masks, u32::MAX), word(*motions, 0) | unseen]
    }

    /// Whether the host allows all pairs, and the grid contains all bodies.
    pub fn is_plain(&self) -> bool {
        let Bodies { motions, groups, masks, .. } = self.bodies;
        let all_wanted = motions.is_none() && groups.is_none() && masks.is_none();
        all_wanted && self.endless.ids.is_empty() && self.huge.bodies.is_empty()
    }
}
