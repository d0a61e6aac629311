//! What a step is told beside the bodies, and what it tells.

use crate::broad::Candidate;
use crate::contact::Room;
use crate::contact::regions::Grouping;
use crate::error::{Error, Kind, Result, What};
use crate::pose::Pose;

/// What a step is told beside the bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// The period along each axis, in units of length; 0 where an axis is open.
    pub periods: [f64; 3],
    /// How far a contact may slide in a step and still be the same, in units of length: see
    /// [`match_contacts`](crate::contact::history::match_contacts). Contacts with equal keys are the same however far.
    pub bound: f64,
    /// Pairs of bodies whose bounds are up to this far apart are kept in a list, which serves for as many steps as no body's bound
    /// moves or grows by more than half of it. It changes no result, only the time and the room that candidates take.
    ///
    /// 0, the default: from the second step on a tenth of the smallest radius, as long as bodies move by little of that in a step and the list fits; else
    /// there is a new list in every step. [`Scene::forget_list`](super::Scene::forget_list) before a step has it make a new one.
    ///
    /// It need not be tuned: for balls of radii 1 to 10, a skin of 0.2 took at most 7 % more time than the best one, where they
    /// moved up to 0.001, 0.01, 0.03 or 0.1 in a step: the best took 0.70, 0.75, 0.80 and 0.91 of the time without one. One too small for
    /// the speed took up to 5 % more than none.
    pub skin: f64,
    /// Where it is larger than 0, there is a second list of contacts ([`SceneRef::margin`](super::SceneRef::margin)) for forces that reach farther
    /// than contact, as those of lubrication do: what would have been found if the halo of each body were wider by half of this. The other
    /// list does not change by a bit. 0: there is none. In units of length.
    pub margin: f64,
    /// Whether contacts and pairs tell their energies ([`Contact::energy`](crate::contact::Contact::energy)); mostly not. It changes no other number, and takes
    /// time: most for balls, which are not worked on many at a time then.
    pub energy: bool,
    /// Whether contacts tell where their pressure and area are ([`Contact::spread`](crate::contact::Contact::spread), [`Contact::offset`](crate::contact::Contact::offset)); mostly not. It changes no other number,
    /// and takes some time for meshes. Worlds ask for it where their laws need it ([`Law::spread`](crate::world::Law::spread)).
    pub spread: bool,
    /// What becomes one contact: each place where two bodies touch, by default.
    pub grouping: Grouping,
    /// What each lane has room for, in any one pair of bodies.
    pub room: Room,
    /// The most contacts of a pair of bodies.
    pub pair_contacts: u32,
}

impl Default for Settings {
    /// Open, without a bound for sliding; room for small meshes that do not penetrate.
    fn default() -> Self {
        let room = Room { pairs: 256, terms: 1024, segments: 0 };
        Settings {
            periods: [0.0; 3],
            bound: f64::INFINITY,
            skin: 0.0,
            margin: 0.0,
            energy: false,
            spread: false,
            grouping: Grouping::default(),
            room,
            pair_contacts: 64,
        }
    }
}

/// What a step found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Detected {
    /// Pairs of bodies whose bounds meet: spheres, and boxes of those that are much larger than most.
    pub candidates: usize,
    /// Those that have contacts.
    pub pairs: usize,
    /// Contacts.
    pub contacts: usize,
    /// Contacts that were there in the committed step.
    pub persisting: usize,
    /// Triangle pairs that touch or cross each other.
    pub crossing: usize,
    /// Pairs of bodies that have contacts in the list with wider halos.
    pub margin_pairs: usize,
    /// Contacts in that list.
    pub margin_contacts: usize,
    /// How the candidates were found, which changes nothing else.
    pub list: List,
}

/// The list of candidates of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct List {
    /// Pairs in it: those whose bounds meet, and with a [skin](Settings::skin) those that are near.
    pub candidates: usize,
    /// Steps since it was made; 0 where it was made in this one.
    pub age: u32,
}

/// Pairs of bodies whose contacts a host wants: its own candidates, or a part of all pairs.
///
/// B of a pair is moved by its shift of periods to where it meets A. Which body is A, and the order of the list, are of no matter.
#[derive(Clone, Copy, Debug)]
pub struct Pairs<'a> {
    /// Each of them once.
    pub list: &'a [Candidate],
    /// Where A and B of each pair are, not moved by periods, in place of the poses of the bodies.
    pub poses: Option<&'a [[Pose; 2]]>,
}

impl Pairs<'_> {
    /// Errors: those of [`Scene::find_pairs`](super::Scene::find_pairs) about poses.
    pub(super) fn check(&self, room: u32) -> Result<()> {
        let Some(poses) = self.poses else { return Ok(()) };
        let (needed, given) = (self.list.len() as u64, poses.len() as u64);
        if needed != given {
            return Err(Error::new(Kind::Mismatch, What::Poses).amounts(needed, given));
        }
        if needed > u64::from(room) {
            return Err(Error::capacity(What::Poses, needed, room.into()));
        }
        for (i, pose) in poses.as_flattened().iter().enumerate() {
            pose.check(What::Poses).map_err(|e| Error { index: i as u64 / 2, ..e })?;
        }
        Ok(())
    }
}
