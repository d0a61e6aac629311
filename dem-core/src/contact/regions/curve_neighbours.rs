//! The neighbours of an enclosed part's node along the curve around that part.

use super::super::{Contact, status};
use crate::contact::penetration::Tie;
use crate::contact::record::force;

/// [`Tie::faces`] of a link between two neighbouring nodes: `node` and `at`.
pub const LINK: u64 = 2;

/// Exchanges the bodies of ties if `swapped`. Among ties with the same patches, it keeps the tie of the node with the largest force, separately
/// for patches that face each other and for others. Other nodes whose patches face each other there become a [`LINK`] with that node. Leaning or
/// missing nodes have no ties.
///
/// So a comb that is pressed into a plate has at most one tie of its front, however many teeth it has.
pub fn settle<'t>(ties: &'t mut [Tie], list: &[Contact], swapped: bool) -> &'t [Tie] {
    let turned = |features: u64| if swapped { features.rotate_left(32) } else { features };
    let strength = |tie: &Tie| {
        let at = list.binary_search_by_key(&turned(tie.node), |c| c.key[1]).ok()?;
        let own = list.get(at).filter(|c| c.status & status::LEANS == 0).map(force)?;
        (own > 0.0).then_some(own)
    };
    for tie in &mut *ties {
        (tie.node, tie.at) = (turned(tie.node), turned(tie.at));
    }
    ties.sort_unstable_by(|x, y| {
        let stronger = || strength(y).unwrap_or(0.0).total_cmp(&strength(x).unwrap_or(0.0));
        (x.at, x.faces).cmp(&(y.at, y.faces)).then_with(stronger).then(x.node.cmp(&y.node))
    });
    let (mut count, mut first): (usize, Option<Tie>) = (0, None);
    for i in 0..ties.len() {
        let Some(tie) = ties.get(i).copied() else { break };
        let known = first.filter(|first| (first.at, first.faces) == (tie.at, tie.faces));
        if strength(&tie).is_none() || known.is_some() && tie.faces == 0 {
            continue;
        }
        let told = match known {
            Some(first) => Tie { at: first.node, faces: LINK, ..tie },
            None => tie,
        };
        first = known.or(Some(tie));
        if let Some(to) = ties.get_mut(count) {
            *to = told;
            count += 1;
        }
    }
    ties.get(..count).unwrap_or_default()
}
