//! Room for what a step was short of.

use super::{SceneSizes, Settings};
use crate::error::{Error, Kind, Result, What};

/// Makes what an error of a step names as too small a quarter larger than needed, so that a slowly growing scene is not copied in every step. Gives whether the
/// sizes of the block have changed: then [`Scene::grow`](super::Scene::grow) is next, and the step once more.
///
/// Errors: the same error where more room is no answer; [`Kind::TooLarge`].
pub fn make_room(error: Error, settings: &mut Settings, sizes: &mut SceneSizes) -> Result<bool> {
    let most = u64::from(u32::MAX / 2 - 1);
    let count = error.needed.saturating_add(error.needed / 4).min(most.max(error.needed));
    let (room, size) = (&mut settings.room, count as usize);
    let whole =
        u32::try_from(count).map_err(|_| Error::new(Kind::TooLarge, error.what).amounts(u64::from(u32::MAX), count));
    match error.what {
        What::Pairs => room.pairs = size,
        What::Terms => room.terms = size,
        What::Segments => room.segments = size,
        What::Output => settings.pair_contacts = whole?,
        What::Candidates => sizes.candidates = whole?,
        What::Nodes => sizes.nodes = whole?,
        // Either list tells what the other one needs, too.
        What::MarginContacts => sizes.margin_contacts = whole?,
        What::Contacts => {
            sizes.contacts = whole?;
            sizes.margin_contacts = u32::try_from(error.index).unwrap_or(0).max(sizes.margin_contacts);
        }
        _ => return Err(error),
    }
    Ok(matches!(error.what, What::Candidates | What::Nodes | What::MarginContacts | What::Contacts))
}
