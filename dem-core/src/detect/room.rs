//! Room for what a step was short of.

use super::{SceneSizes, Settings};
use crate::error::{Error, Kind, Result, What};

/// All that a step was short of, each with a number that will do, and 0 where there was enough.
///
/// What a pair of bodies needs in a list of contacts is not known before the pair has room of its own: it counts there as far as it is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shortage {
    /// Candidates of the scene. Where there is no room for these, no more is known.
    pub candidates: u64,
    /// Pairs of triangles of two bodies ([`Room`](crate::contact::Room)).
    pub pairs: u64,
    /// Terms of two bodies.
    pub terms: u64,
    /// Segments of two bodies.
    pub segments: u64,
    /// Contacts of two bodies.
    pub pair_contacts: u64,
    /// Contacts of the scene.
    pub contacts: u64,
    /// Its contacts within the margin.
    pub margin_contacts: u64,
    /// Its nodes.
    pub nodes: u64,
}

impl Shortage {
    /// What an error tells; nothing, if it tells of something else.
    pub fn of(error: &Error) -> Self {
        let mut short = Shortage::default();
        if error.kind != Kind::Capacity {
            return short;
        }
        if let Some(number) = short.number(error.what) {
            *number = error.needed;
        }
        // Either list tells what the other one needs, too.
        match error.what {
            What::Contacts => short.margin_contacts = error.index,
            What::MarginContacts => short.contacts = error.index,
            _ => {}
        }
        short
    }

    fn number(&mut self, what: What) -> Option<&mut u64> {
        Some(match what {
            What::Candidates => &mut self.candidates,
            What::Pairs => &mut self.pairs,
            What::Terms => &mut self.terms,
            What::Segments => &mut self.segments,
            What::Output => &mut self.pair_contacts,
            What::Contacts => &mut self.contacts,
            What::MarginContacts => &mut self.margin_contacts,
            What::Nodes => &mut self.nodes,
            _ => return None,
        })
    }

    /// Takes the larger number of both.
    pub(super) fn add(&mut self, what: What, needed: u64) {
        if let Some(number) = self.number(what) {
            *number = needed.max(*number);
        }
    }

    /// Makes what was too small a quarter larger than needed, so that a slowly growing scene is not copied in every step. Gives whether the
    /// sizes of the block have changed: then [`Scene::grow`](super::Scene::grow) is next, and the step once more.
    ///
    /// Errors: [`Kind::TooLarge`].
    pub fn make_room(&self, settings: &mut Settings, sizes: &mut SceneSizes) -> Result<bool> {
        let most = u64::from(u32::MAX / 2 - 1);
        let ample = |needed: u64| needed.saturating_add(needed / 4).min(most.max(needed));
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
            (&mut sizes.candidates, self.candidates, What::Candidates),
            (&mut sizes.contacts, self.contacts, What::Contacts),
            (&mut sizes.margin_contacts, self.margin_contacts, What::MarginContacts),
            (&mut sizes.nodes, self.nodes, What::Nodes),
        ];
        for (to, needed, what) in whole {
            if needed > u64::from(*to) {
                let too_large = |_| Error::new(Kind::TooLarge, what).amounts(u64::from(u32::MAX), needed);
                *to = u32::try_from(ample(needed)).map_err(too_large)?;
            }
        }
        Ok(*sizes != before)
    }
}

/// [`Shortage::make_room`] for what an error of a step names as too small.
///
/// Errors: the same error where more room is no answer, also where there is as much already as it asks for: else a host would try for ever; [`Kind::TooLarge`].
pub fn make_room(error: Error, settings: &mut Settings, sizes: &mut SceneSizes) -> Result<bool> {
    let before = (*settings, *sizes);
    let grown = Shortage::of(&error).make_room(settings, sizes)?;
    if before == (*settings, *sizes) { Err(error) } else { Ok(grown) }
}
