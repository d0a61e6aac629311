//! The room that a step lacked, and how to enlarge it.

use zerocopy::{FromBytes, Immutable, IntoBytes};

use super::{SceneSizes, Settings};
use crate::contact::Room;
use crate::contact::regions::Mode;
use crate::error::{Error, Kind, Result, What};
use crate::real::{max, min};

/// All room that a call lacked, each with a number that is enough; 0 if there was enough.
///
/// Some needs are known only when other room is sufficient. If two bodies have too little room for triangles, their contacts and nodes are given as
/// lower bounds, and the next step counts them: an estimate that is too large would stay in memory. Counted numbers are exact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub struct Shortage {
    /// Bodies.
    pub bodies: u64,
    /// Candidates of the scene.
    pub candidates: u64,
    /// Contacts of the scene.
    pub contacts: u64,
    /// Its contacts within the margin.
    pub margin_contacts: u64,
    /// Its nodes.
    pub nodes: u64,
    /// Its pairs with their own poses.
    pub posed: u64,
    /// [`ball_pairs`](crate::world::WorldSizes::ball_pairs) of a world.
    pub ball_pairs: u64,
    /// [`ball_contacts`](crate::world::WorldSizes::ball_contacts) of a world.
    pub ball_contacts: u64,
    /// [`events`](crate::world::WorldSizes::events) of a world.
    pub events: u64,
    /// Pairs of triangles of two bodies ([`Room`]).
    pub pairs: u64,
    /// Terms of two bodies.
    pub terms: u64,
    /// Segments of two bodies.
    pub segments: u64,
    /// Contacts of two bodies.
    pub pair_contacts: u64,
}

/// The most contacts per body in estimates for hosts that cannot give more room during a step, as for cubes side by side.
const MOST_CONTACTS: u64 = 16;

/// The inputs of estimates.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Prospect {
    pub bodies: u64,
    /// Whether the host gives more room during a step. The error then asks only for what is known.
    pub sparing: bool,
    /// Whether any two bodies have at most one contact, without nodes: balls, capsules and half-spaces.
    pub simple: bool,
    pub margin: bool,
    pub mode: Mode,
}

impl Shortage {
    /// The room that an error asks for; nothing if the error is about something else.
    pub fn of(error: &Error) -> Self {
        let mut short = Shortage::default();
        if error.kind != Kind::Capacity {
            return short;
        }
        if let Some(number) = short.number(error.what) {
            *number = error.needed;
        }
        // The error about either list also has the need of the other one.
        match error.what {
            What::Contacts => short.margin_contacts = error.index,
            What::MarginContacts => short.contacts = error.index,
            _ => {}
        }
        short
    }

    /// Whether nothing was lacking.
    pub fn is_nothing(&self) -> bool {
        *self == Shortage::default()
    }

    fn number(&mut self, what: What) -> Option<&mut u64> {
        Some(match what {
            What::Bodies => &mut self.bodies,
            What::Candidates => &mut self.candidates,
            What::Poses => &mut self.posed,
            What::Pairs => &mut self.pairs,
            What::Terms => &mut self.terms,
            What::Segments => &mut self.segments,
            What::Output | What::PairContacts => &mut self.pair_contacts,
            What::Contacts => &mut self.contacts,
            What::MarginContacts => &mut self.margin_contacts,
            What::Nodes => &mut self.nodes,
            What::Events => &mut self.events,
            _ => return None,
        })
    }

    /// Raises the number for `what` to `needed` if that is larger.
    pub(super) fn add(&mut self, what: What, needed: u64) {
        if let Some(number) = self.number(what) {
            *number = max(needed, *number);
        }
    }

    /// Adds estimates of needs that become known only when there is room for these bodies and candidates.
    pub(crate) fn foresee(&mut self, what: &Prospect, settings: &Settings, sizes: &SceneSizes) {
        let room = |needed: u64, given: u32| if needed > u64::from(given) { needed } else { 0 };
        if self.bodies > 0 && self.candidates == 0 {
            let each = if what.simple { 4 } else { 8 };
            self.candidates = room(what.bodies.saturating_mul(each), sizes.candidates);
        }
        if !what.sparing {
            self.foresee_contacts(what, sizes);
        }
        if !what.simple {
            let usual = Settings::default();
            if settings.room.pairs < usual.room.pairs {
                self.add(What::Pairs, usual.room.pairs as u64);
            }
            self.foresee_pairs(settings);
            self.pair_contacts = max(self.pair_contacts, room(usual.pair_contacts.into(), settings.pair_contacts));
        }
    }

    /// Adds estimates of all contacts and nodes.
    fn foresee_contacts(&mut self, what: &Prospect, sizes: &SceneSizes) {
        let room = |needed: u64, given: u32| if needed > u64::from(given) { needed } else { 0 };
        // Long bodies side by side have many candidates but few contacts.
        let most = max(what.bodies.saturating_mul(MOST_CONTACTS), 1024);
        let candidates = min(max(self.candidates, sizes.candidates.into()), most);
        // Of bodies whose bounds meet, mostly less than half touch; a box in a corner has three contacts.
        let (contacts, nodes) = match (what.simple, what.mode) {
            (true, _) => (candidates, 0),
            (false, Mode::Patches) => (candidates.saturating_mul(8), 0),
            (false, _) => (candidates.saturating_add(candidates / 2), candidates.saturating_mul(8)),
        };
        self.contacts = max(self.contacts, room(contacts, sizes.contacts));
        self.nodes = max(self.nodes, room(nodes, sizes.nodes));
        if what.margin {
            self.margin_contacts = max(self.margin_contacts, room(contacts, sizes.margin_contacts));
        }
    }

    /// Adds estimates that follow from the triangle pairs for which there was no room.
    pub(super) fn foresee_pairs(&mut self, settings: &Settings) {
        let (pairs, room) = (self.pairs, settings.room);
        if pairs == 0 {
            return;
        }
        let unknown =
            [(What::Terms, pairs.saturating_mul(4), room.terms), (What::Segments, max(pairs / 4, 1), room.segments)];
        for (what, needed, given) in unknown {
            if needed > given as u64 {
                self.add(what, needed);
            }
        }
        let contacts = contacts_of(pairs, settings.grouping.mode);
        if contacts > settings.pair_contacts.into() {
            self.add(What::Output, contacts);
        }
    }

    /// The number of triangle pairs whose [`Room::for_pairs`] is enough for any two bodies, if some have less room than that of `given` pairs; 0 if
    /// none has.
    pub fn room_pairs(&self, given: u64) -> u64 {
        let each = [(What::Pairs, self.pairs), (What::Terms, self.terms), (What::Segments, self.segments)];
        let short = each.into_iter().filter(|(_, needed)| *needed > 0);
        let pairs = short.filter_map(|(what, needed)| Room::pairs_for(&Error::capacity(what, needed, 0)));
        pairs.max().map_or(0, |pairs| max(pairs, given.saturating_add(1)))
    }

    /// Makes room that was too small a quarter larger than needed, so that a slowly growing scene is not copied in every step. Gives whether the
    /// sizes of the block have changed. If so, call [`Scene::grow`](super::Scene::grow) and repeat the step.
    ///
    /// Errors: [`Kind::TooLarge`].
    pub fn make_room(&self, settings: &mut Settings, sizes: &mut SceneSizes) -> Result<bool> {
        let room = &mut settings.room;
        for (to, needed) in [&mut room.pairs, &mut room.terms, &mut room.segments].into_iter().zip([
            self.pairs,
            self.terms,
            self.segments,
        ]) {
            *to = if needed > *to as u64 { ample(needed) as usize } else { *to };
        }
        let before = *sizes;
        let whole = [
            (&mut settings.pair_contacts, self.pair_contacts, What::Output),
            (&mut sizes.bodies, self.bodies, What::Bodies),
            (&mut sizes.candidates, self.candidates, What::Candidates),
            (&mut sizes.contacts, self.contacts, What::Contacts),
            (&mut sizes.margin_contacts, self.margin_contacts, What::MarginContacts),
            (&mut sizes.nodes, self.nodes, What::Nodes),
            (&mut sizes.posed, self.posed, What::Poses),
        ];
        for (to, needed, what) in whole {
            raise(to, needed, what)?;
        }
        Ok(*sizes != before)
    }
}

/// The needed number plus a quarter.
fn ample(needed: u64) -> u64 {
    let most = u64::from(u32::MAX / 2 - 1);
    min(needed.saturating_add(needed / 4), max(most, needed))
}

/// Raises `to` to more than is needed, if it is too small.
///
/// Errors: [`Kind::TooLarge`].
pub(crate) fn raise(to: &mut u32, needed: u64, what: What) -> Result<()> {
    if needed > u64::from(*to) {
        let too_large = |_| Error::new(Kind::TooLarge, what).amounts(u64::from(u32::MAX), needed);
        *to = u32::try_from(ample(needed)).map_err(too_large)?;
    }
    Ok(())
}

/// An estimate, mostly an upper bound, of the contacts of two bodies with this many triangle pairs.
pub(super) fn contacts_of(pairs: u64, mode: Mode) -> u64 {
    match mode {
        Mode::Patches => nodes_of(pairs),
        Mode::Regions | Mode::Bodies => min(pairs, 8),
    }
}

/// An estimate of the nodes of two bodies with this many triangle pairs.
pub(super) fn nodes_of(pairs: u64) -> u64 {
    min(pairs, (pairs / 2).saturating_add(16))
}

/// A lower bound, which holds for all but few pairs of bodies, of the nodes from this many triangle pairs; fine meshes have that few. The next step
/// counts them. A larger estimate would keep the surplus in memory.
pub(super) fn least_nodes(pairs: u64) -> u64 {
    min(pairs, (pairs / 64).saturating_add(1))
}

/// The kinds of pairs for which scratch has room, besides the codes of candidates.
#[derive(Clone, Copy, Debug)]
pub(super) struct Kinds {
    /// Costly pairs, which are not two balls.
    pub costly: bool,
    /// Contacts of balls.
    pub balls: bool,
}

/// Room for the contacts and nodes of a step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Most {
    pub kinds: Kinds,
    pub contacts: u32,
    pub nodes: u32,
    /// Number of contacts with wider halos, if the settings have a margin.
    pub margin: Option<u32>,
}
