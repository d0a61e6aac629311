//! Matching by common nodes: the contacts of both steps that share patch pairs, and how much force they share.

use super::match_pair::{Blends, Both, Contacts};
use super::records::{Blend, Link};
use crate::mesh::NONE;
use crate::real::min;

/// A piece is small if the force that it has in common is below this fraction of the force that goes on.
const SMALL: f64 = 0.5;

/// A node for matching: features, contact, force.
struct Part(u64, u32, f64);

impl<L: Contacts, N: Contacts> Both<'_, L, N> {
    /// Whether some contact of the body pair has nodes.
    pub fn has_nodes(&self) -> bool {
        !(self.before.nodes.is_empty() && self.after.nodes.is_empty())
    }

    /// Links contacts with common nodes, those with the most force in common first, and finds the sources and the blends of all with common
    /// nodes. Returns the numbers of unlinked contacts in both steps. `room` has an item for each node of both steps.
    pub fn common_nodes(&mut self, room: &mut [Blend], blends: &mut Blends<'_>) -> (usize, usize) {
        let common = self.list_common(room);
        let common = added_up(common);
        common.sort_unstable_by(|x, y| y.weight.total_cmp(&x.weight).then((x.last, x.now).cmp(&(y.last, y.now))));
        let mut linked = 0;
        for &Blend { now, last, .. } in &*common {
            let (link, successor) = (self.links.get_mut(now as usize), self.successors.get_mut(last as usize));
            if let (Some(link @ Link { origin: NONE, .. }), Some(successor @ &mut NONE)) = (link, successor) {
                (link.origin, *successor) = (last, now);
                linked += 1;
            }
        }
        common.sort_unstable_by(|x, y| x.now.cmp(&y.now).then(y.weight.total_cmp(&x.weight)).then(x.last.cmp(&y.last)));
        common.chunk_by(|x, y| x.now == y.now).for_each(|of_one| self.blend(of_one, blends));
        (self.before.range.len() - linked, self.after.range.len() - linked)
    }

    /// Writes the contacts of each common node, with the smaller one of its forces.
    fn list_common<'r>(&self, room: &'r mut [Blend]) -> &'r mut [Blend] {
        let (mut i, mut j, mut count) = (0, 0, 0);
        while let (Some(Part(was, last, before)), Some(Part(is, now, after))) = (self.part(0, i), self.part(1, j)) {
            i += usize::from(was <= is);
            j += usize::from(is <= was);
            let ranges = [&self.before.range, &self.after.range];
            let valid = ranges[0].contains(&(last as usize)) && ranges[1].contains(&(now as usize));
            if was == is
                && valid
                && let Some(to) = room.get_mut(count)
            {
                let force = min(before, after);
                // Negative and NaN forces count as 0.
                let weight = if force > 0.0 { min(force, f64::MAX / 4e9) } else { 0.0 };
                *to = Blend { now, last, weight };
                count += 1;
            }
        }
        room.get_mut(..count).unwrap_or_default()
    }

    /// Node `k` of the body pair in the last step (0) or in this one (1). A contact without nodes counts as one node.
    fn part(&self, step: usize, k: usize) -> Option<Part> {
        let group = if step == 0 { self.before } else { self.after };
        if !group.nodes.is_empty() {
            let node = group.nodes.get(k)?;
            return Some(Part(node.features, node.contact.wrapping_sub(group.first), node.force.into()));
        }
        let i = group.range.start + k;
        let area = |i| if step == 0 { self.last.area(i) } else { self.now.area(i) };
        (i < group.range.end).then(|| Part(self.key(step, i), i as u32, area(i)))
    }

    /// Sets the source of a contact, and its blends if it takes several springs. The heaviest come first. Contacts are linked.
    ///
    /// A contact that goes on as itself takes no spring with a small piece ([`SMALL`]) of another contact that goes on, too. Two feet of a table whose
    /// outer faces are one patch have a node in common, which passes from foot to foot as the table rocks. If a spring passed with it each time,
    /// the springs of both feet would become their mean, and act in the middle between them.
    fn blend(&mut self, of_one: &[Blend], blends: &mut Blends<'_>) {
        let Some(heaviest) = of_one.first() else { return };
        let mut origin = NONE;
        if let Some(link) = self.links.get_mut(heaviest.now as usize) {
            (link.source, origin) = (heaviest.last, link.origin);
        }
        let passes = |blend: &Blend| {
            let goes_on = self.successors.get(blend.last as usize).is_some_and(|next| *next != NONE);
            let is_small = blend.weight < SMALL * heaviest.weight;
            heaviest.last == origin && blend.last != origin && goes_on && is_small
        };
        let with_force = || of_one.iter().filter(|blend| blend.weight > 0.0 && !passes(blend));
        if with_force().nth(1).is_some() {
            let sum = with_force().fold(0.0, |sum, blend| sum + blend.weight);
            with_force().for_each(|blend| blends.push(Blend { weight: blend.weight / sum, ..*blend }));
        }
    }
}

/// Sums all weights of the same two contacts; the list is ordered by both. The sums depend on the weights only, not on their order.
fn added_up(common: &mut [Blend]) -> &mut [Blend] {
    let names = |x: &Blend| (x.now, x.last);
    common.sort_unstable_by(|x, y| names(x).cmp(&names(y)).then(x.weight.total_cmp(&y.weight)));
    let mut count: usize = 0;
    for k in 0..common.len() {
        let next = common[k];
        match count.checked_sub(1).and_then(|k| common.get_mut(k)).filter(|last| names(last) == names(&next)) {
            Some(last) => last.weight += next.weight,
            None => {
                common[count] = next;
                count += 1;
            }
        }
    }
    common.get_mut(..count).unwrap_or_default()
}

/// The blends of contact `i`, removed from the front of the list of blends of contacts from `i` on.
pub(crate) fn blends_of<'b>(rest: &mut &'b [Blend], i: usize) -> &'b [Blend] {
    let count = rest.iter().take_while(|blend| blend.now as usize == i).count();
    let (own, others) = rest.split_at(count);
    *rest = others;
    own
}
