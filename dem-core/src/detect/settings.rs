//! The inputs of a step besides the bodies, and its results.

use crate::broad::Candidate;
use crate::contact::Room;
use crate::contact::regions::Grouping;
use crate::error::{Error, Kind, Result, What};
use crate::pose::Pose;

/// The inputs of a step besides the bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// The period along each axis, in units of length; 0 for an open axis.
    pub periods: [f64; 3],
    /// The largest distance that a contact may slide in a step and still be the same, in units of length: see
    /// [`match_contacts`](crate::contact::history::match_contacts). Contacts with equal keys are the same at any distance.
    pub bound: f64,
    /// The skin of the neighbour list. The list has all pairs of bodies whose bounds are up to this far apart. It is valid until the bound
    /// of a body moves or grows by more than half of it. The skin changes no result, only the time and the room that candidates need.
    ///
    /// 0, the default: from the second step on, the skin is a tenth of the smallest radius, if bodies move by little of that in a step and
    /// the list fits. Otherwise each step builds a new list. After [`Scene::forget_list`](super::Scene::forget_list), the next step builds
    /// a new one.
    ///
    /// There is seldom a need to tune it (`docs/grid.md` has figures).
    pub skin: f64,
    /// If it is larger than 0, there is a second list of contacts ([`SceneRef::margin`](super::SceneRef::margin)). It is for forces that
    /// reach beyond the halos, such as lubrication. It has the contacts for halos that are wider by half of this for each body. The first
    /// list has the same bits as without a margin. 0: there is no second list. In units of length.
    pub margin: f64,
    /// Whether contacts and pairs have energies ([`Contact::energy`](crate::contact::Contact::energy)); false by default. It changes no other
    /// number. It takes time, most for balls, which are then computed one at a time.
    pub energy: bool,
    /// Whether contacts have the moments of their pressure and area ([`Contact::spread`](crate::contact::Contact::spread),
    /// [`Contact::offset`](crate::contact::Contact::offset)); false by default. It changes no other number, and takes some time for meshes.
    /// Worlds set it if their laws need it ([`Law::spread`](crate::world::Law::spread)).
    pub spread: bool,
    /// Which nodes form one contact; by default, those of each place at which two bodies touch.
    pub grouping: Grouping,
    /// The room of each thread for any one pair of bodies.
    pub room: Room,
    /// The most contacts of a pair of bodies.
    pub pair_contacts: u32,
    /// Whether the host gives more room on request. [`Scene::find_after`](super::Scene::find_after) then estimates less. Also, if the neighbour
    /// list of balls of a [world](crate::world) does not fit with its whole skin, the world returns an error of too little room. Otherwise the
    /// world takes a thinner skin if that fits, and makes lists more often. False by default; it changes no result.
    pub grows: bool,
}

impl Default for Settings {
    /// Open axes, no limit for the sliding of contacts, and room for small meshes that do not penetrate.
    fn default() -> Self {
        Settings {
            periods: [0.0; 3],
            bound: f64::INFINITY,
            skin: 0.0,
            margin: 0.0,
            energy: false,
            spread: false,
            grouping: Grouping::default(),
            room: Room::FIRST,
            pair_contacts: 64,
            grows: false,
        }
    }
}

/// The results of a step in numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Detected {
    /// Pairs of bodies whose bounds meet: spheres, and boxes of bodies that are much larger than most.
    pub candidates: usize,
    /// Pairs of bodies that have contacts.
    pub pairs: usize,
    /// Contacts.
    pub contacts: usize,
    /// Contacts that continue one of the committed step.
    pub persisting: usize,
    /// Triangle pairs that touch or cross each other.
    pub crossing: usize,
    /// Pairs of bodies that have contacts in the list with wider halos.
    pub margin_pairs: usize,
    /// Contacts in that list.
    pub margin_contacts: usize,
    /// How the candidates were found, which affects no result.
    pub list: List,
}

/// The list of candidates of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct List {
    /// Pairs in the list: those whose bounds meet, and with a [skin](Settings::skin) also those that are near.
    pub candidates: usize,
    /// Steps since the list was made; 0 if this step made it.
    pub age: u32,
}

/// Pairs of bodies that a host names: its own candidates, or a part of all pairs.
///
/// B of a pair is moved by its shift of periods to meet A. Which body is A, and the order of the list, have no effect.
#[derive(Clone, Copy, Debug)]
pub struct Pairs<'a> {
    /// The pairs, each once.
    pub list: &'a [Candidate],
    /// Poses of A and B for each pair, not moved by periods, in place of the poses of the bodies.
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
