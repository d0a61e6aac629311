//! Spheres around bodies in a host's arrays, and which pairs a host does not want.

use crate::array::{Array, Words};

/// How a body moves, as far as a broad phase cares: a pair is wanted only if one of the two is dynamic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Motion {
    /// By forces.
    Dynamic = 0,
    /// As the host says. Call a kinematic body dynamic where its pairs with static and kinematic ones are wanted.
    Kinematic = 1,
    /// Not at all.
    Static = 2,
}

/// A sphere around each body, in a host's own arrays, and what it does not want to be paired with. Body i is item i of every
/// array.
#[derive(Clone, Copy, Debug)]
pub struct Bodies<'a> {
    /// Centres of the spheres, in units of length.
    pub centres: Array<'a>,
    /// Radii of the spheres, halo included. An array with stride 0 is one radius for all.
    pub radii: Array<'a>,
    /// A [`Motion`] each; all are dynamic where there are none.
    pub motions: Option<Words<'a>>,
    /// Bits of the groups that a body belongs to; all where there are none.
    pub groups: Option<Words<'a>>,
    /// Bits of the groups that a body is paired with; all where there are none. A pair is wanted if each has a group that
    /// the other is paired with.
    pub masks: Option<Words<'a>>,
}

impl<'a> Bodies<'a> {
    /// Dynamic bodies that are all paired with each other.
    pub fn new(centres: Array<'a>, radii: Array<'a>) -> Self {
        Bodies { centres, radii, motions: None, groups: None, masks: None }
    }

    /// Number of bodies.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.centres.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.centres.is_empty()
    }

    /// Whether all pairs are wanted, so that nobody need ask.
    #[inline(always)]
    pub fn all_wanted(&self) -> bool {
        self.motions.is_none() && self.groups.is_none() && self.masks.is_none()
    }

    /// Whether the host wants this pair, in either order.
    #[inline]
    pub fn wanted(&self, a: usize, b: usize) -> bool {
        let moves = |motions: Words<'_>| motions.get(a) == 0 || motions.get(b) == 0;
        if !self.motions.is_none_or(moves) {
            return false;
        }
        let bits = |words: Option<Words<'_>>, i: usize| words.map_or(u32::MAX, |w| w.get(i));
        bits(self.groups, a) & bits(self.masks, b) != 0 && bits(self.groups, b) & bits(self.masks, a) != 0
    }
}
