//! Spheres around bodies in a host's arrays, and which pairs a host does not want.

use crate::array::{Array, Words};

/// How a body moves, as far as a broad phase cares: which pairs are wanted.
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
    /// By forces.
    Dynamic = 0,
    /// As the host says. Call a kinematic body dynamic where its pairs with static and kinematic ones are wanted.
    Kinematic = 1,
    /// Not at all.
    Static = 2,
    /// As another process says that owns the body; this one has a copy, so that its own bodies meet it. Pairs of two ghosts are
    /// for their owners to find. What is static is best static in each process: there its own bodies meet it.
    Ghost = 3,
}

impl Motion {
    /// The largest number of a kind of motion.
    pub(crate) const LAST: u32 = Motion::Ghost as u32;

    /// Whether two bodies with these kinds of motion are a pair that is wanted.
    #[inline(always)]
    pub(crate) fn wanted(a: u32, b: u32) -> bool {
        const KINEMATIC: u32 = Motion::Kinematic as u32;
        const GHOST: u32 = Motion::Ghost as u32;
        a == 0 || b == 0 || matches!((a, b), (KINEMATIC, GHOST) | (GHOST, KINEMATIC))
    }
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
        if !self.motions.is_none_or(|motions| Motion::wanted(motions.get(a), motions.get(b))) {
            return false;
        }
        let bits = |words: Option<Words<'_>>, i: usize| words.map_or(u32::MAX, |w| w.get(i));
        bits(self.groups, a) & bits(self.masks, b) != 0 && bits(self.groups, b) & bits(self.masks, a) != 0
    }
}
