//! Bounding spheres in a host's arrays, and the filter of pairs by kind of motion, group and mask.

use crate::array::{Array, Words};

/// How a body moves, which decides the pairs that a broad phase reports:
///
/// | | dynamic | kinematic | static | ghost |
/// | --- | --- | --- | --- | --- |
/// | dynamic | yes | yes | yes | yes |
/// | kinematic | yes | no | no | yes |
/// | static | yes | no | no | no |
/// | ghost | yes | yes | no | no |
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Motion {
    /// Moved by forces.
    Dynamic = 0,
    /// Moved by the host. Declare a kinematic body dynamic if you want its pairs with static and kinematic bodies.
    Kinematic = 1,
    /// Never moves.
    Static = 2,
    /// A copy of a body that another process owns. Pairs of two ghosts are found by their owners. A static body should
    /// be static in every process, not a ghost.
    Ghost = 3,
}

impl Motion {
    /// The largest value of the enum.
    pub(crate) const LAST: u32 = Motion::Ghost as u32;

    /// Whether two bodies with these kinds of motion may be a pair.
    #[inline(always)]
    pub(crate) fn wanted(a: u32, b: u32) -> bool {
        const KINEMATIC: u32 = Motion::Kinematic as u32;
        const GHOST: u32 = Motion::Ghost as u32;
        a == 0 || b == 0 || matches!((a, b), (KINEMATIC, GHOST) | (GHOST, KINEMATIC))
    }
}

/// Bounding spheres of bodies in a host's arrays, and filters of pairs. Body i is item i of every array.
#[derive(Clone, Copy, Debug)]
pub struct Proxies<'a> {
    /// Centres of the spheres, in units of length.
    pub centres: Array<'a>,
    /// Radii of the spheres, halo included. An array with stride 0 gives all bodies the same radius.
    pub radii: Array<'a>,
    /// A [`Motion`] for each body; without this array all bodies are dynamic.
    pub motions: Option<Words<'a>>,
    /// Bits of the groups that a body belongs to; without this array each body belongs to all groups.
    pub groups: Option<Words<'a>>,
    /// Bits of the groups with which a body is paired; without this array all groups. A pair is allowed if the mask of each body has a
    /// group of the other body.
    pub masks: Option<Words<'a>>,
}

impl<'a> Proxies<'a> {
    /// Dynamic bodies; all pairs are allowed.
    pub fn new(centres: Array<'a>, radii: Array<'a>) -> Self {
        Proxies { centres, radii, motions: None, groups: None, masks: None }
    }

    /// Number of bodies.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.centres.len()
    }

    /// Whether there are no bodies.
    pub fn is_empty(&self) -> bool {
        self.centres.is_empty()
    }

    /// Whether no pair is filtered out.
    #[inline(always)]
    pub fn all_wanted(&self) -> bool {
        self.motions.is_none() && self.groups.is_none() && self.masks.is_none()
    }

    /// Whether the host allows this pair, in either order.
    #[inline]
    pub fn wanted(&self, a: usize, b: usize) -> bool {
        if !self.motions.is_none_or(|motions| Motion::wanted(motions.get(a), motions.get(b))) {
            return false;
        }
        let bits = |words: Option<Words<'_>>, i: usize| words.map_or(u32::MAX, |w| w.get(i));
        bits(self.groups, a) & bits(self.masks, b) != 0 && bits(self.groups, b) & bits(self.masks, a) != 0
    }
}
