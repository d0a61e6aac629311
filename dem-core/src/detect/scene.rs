//! The block of a scene: contacts of this step and of the last one, and how to read them.

use super::huge;
use super::listed::{Listed, ListedRef, ListedSizes};
use super::wrench::Touch;
use crate::broad::{BoxTree, BoxTreeRef, HGrid, HGridRef, HGridSizes, LEVELS};
use crate::contact::Contact;
use crate::contact::history::Link;
use crate::error::{Error, Kind, Result, What};
use crate::memory::{self, Sizes};
use crate::mesh::NONE;
use crate::pose::Pose;
use zerocopy::{FromBytes, Immutable, IntoBytes};

/// What a scene's block is laid out for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub struct SceneSizes {
    /// Bodies, at most.
    pub bodies: u32,
    /// Pairs of bodies whose bounds meet, at most.
    pub candidates: u32,
    /// Contacts, at most.
    pub contacts: u32,
    /// Levels of the grid, 1 to 64; 8 is good for most size ratios.
    pub levels: u32,
}

impl SceneSizes {
    fn grid(&self) -> HGridSizes {
        HGridSizes { bodies: self.bodies, levels: self.levels }
    }

    fn listed(&self) -> ListedSizes {
        ListedSizes { bodies: self.bodies, candidates: self.candidates }
    }

    fn step(&self) -> StepSizes {
        StepSizes { bodies: self.bodies, contacts: self.contacts }
    }
}

impl Sizes for SceneSizes {
    const KIND: [u8; 4] = *b"scen";
    const VERSION: u32 = 2;
    const WHAT: What = What::Scene;

    fn check(&self) -> Result<()> {
        if self.levels == 0 || self.levels > LEVELS {
            return Err(Error::new(Kind::OutOfRange, What::Scene).amounts(u64::from(LEVELS), u64::from(self.levels)));
        }
        for size in [self.bodies, self.contacts, self.candidates] {
            // Links and touches number contacts and their sides.
            if size >= NONE / 2 {
                return Err(Error::new(Kind::TooLarge, What::Scene).amounts(u64::from(NONE / 2), u64::from(size)));
            }
        }
        Ok(())
    }
}

/// What a step is laid out for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub struct StepSizes {
    /// Bodies, at most.
    pub bodies: u32,
    /// Contacts, at most.
    pub contacts: u32,
}

impl Sizes for StepSizes {
    const KIND: [u8; 4] = *b"step";
    const VERSION: u32 = 1;
    const WHAT: What = What::Scene;
}

/// Two bodies in contact, and where their contacts are in the list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub struct Couple {
    /// First half of the keys of its contacts.
    pub tag: u64,
    /// The body with the smaller number.
    pub a: u32,
    /// The other one; `a` itself where a body meets its own image.
    pub b: u32,
    /// Its first contact.
    pub first: u32,
    /// The one behind its last.
    pub end: u32,
    /// How many periods B is moved along each axis to where it meets A.
    pub shift: [i16; 3],
    /// 0.
    pub spare: u16,
}

/// How much of a step is in use.
#[derive(Clone, Copy, Debug, Default, PartialEq, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub(super) struct Counts {
    pub periods: [f64; 3],
    pub bodies: u32,
    pub couples: u32,
    pub contacts: u32,
    pub spare: u32,
}

memory::regions! {
    /// What a step found.
    pub struct Step / StepRef (n: &StepSizes) {
        pub(super) counts: State [Counts; 1],
        pub(super) poses: State [Pose; u64::from(n.bodies)],
        pub(super) couples: State [Couple; u64::from(n.contacts)],
        pub(super) contacts: State [Contact; u64::from(n.contacts)],
    }
}

impl<'m> StepRef<'m> {
    /// The contacts, ordered by key. Positions are where A is: B is moved by `shift` periods to there.
    pub fn contacts(&self) -> &'m [Contact] {
        self.contacts.get(..self.counts[0].contacts as usize).unwrap_or_default()
    }

    /// The bodies that have contacts, ordered by tag.
    pub fn couples(&self) -> &'m [Couple] {
        self.couples.get(..self.counts[0].couples as usize).unwrap_or_default()
    }

    /// Where the bodies were.
    pub fn poses(&self) -> &'m [Pose] {
        self.poses.get(..self.counts[0].bodies as usize).unwrap_or_default()
    }

    /// Where the bodies of a couple were, B moved to where it met A.
    pub(super) fn poses_of(&self, couple: &Couple) -> [Pose; 2] {
        let pose = |i: u32| self.poses().get(i as usize).copied().unwrap_or_default();
        let (a, mut b) = (pose(couple.a), pose(couple.b));
        b.position = shifted(b.position, couple.shift, &self.counts[0].periods);
        [a, b]
    }
}

/// A position moved by so many periods.
#[inline(always)]
pub(super) fn shifted(position: [f64; 3], shift: [i16; 3], periods: &[f64; 3]) -> [f64; 3] {
    if shift == [0; 3] {
        return position;
    }
    [0, 1, 2].map(|k| position[k] + f64::from(shift[k]) * periods[k])
}

memory::regions! {
    /// A scene: all that is kept from one step to the next.
    ///
    /// [`Scene::detect`] is one step. Of a block that is copied, moved or grown, the next step finds what it would have found.
    pub struct Scene / SceneRef (n: &SceneSizes) {
        /// 1 where `odd` is the newest step, 0 where `even` is.
        pub(super) newest: State [u32; 1],
        pub(super) links: State [Link; u64::from(n.contacts)],
        pub(super) successors: State [u32; u64::from(n.contacts)],
        pub(super) touch_ends: State [u32; u64::from(n.bodies)],
        pub(super) touches: State [Touch; 2 * u64::from(n.contacts)],
        ; parts {
            pub(super) even: Step / StepRef = &n.step(),
            pub(super) odd: Step / StepRef = &n.step(),
            pub(super) listed: Listed / ListedRef = &n.listed(),
            pub(super) grid: HGrid / HGridRef = &n.grid(),
            pub(super) boxes: BoxTree / BoxTreeRef = &huge::sizes(n.bodies),
        }
    }
}

impl<'m> SceneRef<'m> {
    /// What the last successful step found.
    pub fn now(&self) -> StepRef<'m> {
        if self.newest[0] == 0 { self.even } else { self.odd }
    }

    /// What the one before found; nothing once a step has failed.
    pub fn last(&self) -> StepRef<'m> {
        if self.newest[0] == 0 { self.odd } else { self.even }
    }

    /// For each contact, which one of the last step it goes on with: places in [`SceneRef::last`], as long as that is there.
    pub fn links(&self) -> &'m [Link] {
        self.links.get(..self.now().contacts().len()).unwrap_or_default()
    }

    /// For each contact of [`SceneRef::last`], which one of this step goes on with it; [`NONE`] where it has ended.
    pub fn successors(&self) -> &'m [u32] {
        self.successors.get(..self.last().contacts().len()).unwrap_or_default()
    }

    /// The contacts that touch body `i`: those in which it is A, then those in which it is B, each in their order.
    pub fn touches(&self, i: usize) -> &'m [Touch] {
        let ends = self.touch_ends();
        let Some(end) = ends.get(i) else { return &[] };
        let first = i.checked_sub(1).and_then(|before| ends.get(before)).copied().unwrap_or(0);
        self.touches.get(first as usize..*end as usize).unwrap_or_default()
    }

    /// Where the contacts of each body end in [`SceneRef::all_touches`]; they begin where those of the body before end.
    pub fn touch_ends(&self) -> &'m [u32] {
        self.touch_ends.get(..self.now().poses().len()).unwrap_or_default()
    }

    /// The contacts of all bodies, one body after the other.
    pub fn all_touches(&self) -> &'m [Touch] {
        self.touches.get(..2 * self.now().contacts().len()).unwrap_or_default()
    }
}
