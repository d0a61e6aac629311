//! The slots of ids that the host gave: an open-addressing hash table, so that bodies can be added in any order of ids.
//!
//! It uses the memory in which steps of balls keep the positions of listed bodies. While such a list is valid, there is no table, and building
//! either discards the other. A list ends anyway when bodies are added or removed.

use zerocopy::{FromBytes, IntoBytes};

use super::balls::Place;
use super::block::{World, WorldRef};
use super::checked_slice::put;
use super::slots::OWN_IDS;

/// The count of a table that is incomplete: no world has that many ids.
pub(super) const NOT_WHOLE: u64 = u64::MAX;

/// The table: four entries for each body.
pub(super) fn table(listed: &[Place]) -> &[u32] {
    <[u32]>::ref_from_bytes(listed.as_bytes()).unwrap_or_default()
}

fn table_mut(listed: &mut [Place]) -> &mut [u32] {
    <[u32]>::mut_from_bytes(listed.as_mut_bytes()).unwrap_or_default()
}

/// Ids and slots.
#[derive(Clone, Copy)]
pub(super) struct Names<'n> {
    /// The id of each slot.
    pub ids: &'n [u64],
    /// 0 for a free slot.
    pub groups: &'n [u32],
    /// Slots with ids of the host, plus 1; empty if the table is incomplete.
    pub table: &'n [u32],
}

impl Names<'_> {
    /// The slot of the body with this id. Cost: some nanoseconds; a pass over all ids if the table is incomplete.
    pub fn slot_of(&self, id: u64) -> Option<u32> {
        if id >= OWN_IDS {
            let slot = ((id ^ OWN_IDS) >> 32) as u32;
            return self.has(slot, id).then_some(slot);
        }
        if self.table.is_empty() {
            return (0..self.ids.len() as u32).find(|slot| self.has(*slot, id));
        }
        self.table.get(place_of(self.table, self.ids, id)?)?.checked_sub(1).filter(|slot| self.has(*slot, id))
    }

    /// The same for a body that was in this slot, and usually still is.
    pub fn now(&self, id: u64, was: u32) -> Option<u32> {
        if self.has(was, id) { Some(was) } else { self.slot_of(id) }
    }

    fn has(&self, slot: u32, id: u64) -> bool {
        let i = slot as usize;
        self.ids.get(i) == Some(&id) && self.groups.get(i).is_some_and(|groups| *groups != 0)
    }
}

/// The index of an id in the table, or of the free entry for it.
fn place_of(table: &[u32], ids: &[u64], id: u64) -> Option<usize> {
    let is_it = |slot: u32| slot == 0 || ids.get(slot as usize - 1) == Some(&id);
    let first = first(id, table.len());
    (first..table.len()).chain(0..first).find(|place| table.get(*place).is_some_and(|slot| is_it(*slot)))
}

/// The preferred index of an id.
fn first(id: u64, places: usize) -> usize {
    // Scatters consecutive ids and ids with a stride (the finalizer of splitmix64).
    let mut x = id;
    x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^= x >> 31;
    ((u128::from(x) * places as u128) >> 64) as usize
}

impl World<'_> {
    /// Rebuilds an incomplete table, as in a block that has grown; this discards a list of pairs of balls.
    pub(super) fn know_names(&mut self) {
        let named = self.state[0].named;
        if self.id_count[0] == named {
            return;
        }
        self.ball_list[0].whole = 0;
        table_mut(self.ball_listed).fill(0);
        for slot in 0..self.state[0].slots {
            let i = slot as usize;
            if self.groups.get(i).is_some_and(|groups| *groups != 0) && self.ids.get(i).is_some_and(|id| *id < OWN_IDS)
            {
                self.enter(slot);
            }
        }
        self.id_count[0] = named;
    }

    /// Adds the id of the host for the body in a slot.
    pub(super) fn name(&mut self, slot: u32) {
        self.enter(slot);
        self.id_count[0] += 1;
        self.state[0].named += 1;
    }

    fn enter(&mut self, slot: u32) {
        let Some(id) = self.ids.get(slot as usize) else { return };
        let table = table_mut(self.ball_listed);
        if let Some(place) = place_of(table, self.ids, *id) {
            put(table, place, slot + 1);
        }
    }

    /// Removes the id of the body in a slot, if it is an id of the host.
    pub(super) fn unname(&mut self, slot: u32) {
        let Some(id) = self.ids.get(slot as usize).copied().filter(|id| *id < OWN_IDS) else { return };
        self.know_names();
        let table = table_mut(self.ball_listed);
        let Some(mut hole) = place_of(table, self.ids, id) else { return };
        let many = table.len();
        // Later entries whose preferred index is at the hole or before it move up, so that no search ends too early.
        let mut next = hole;
        for _ in 0..many {
            next = if next + 1 < many { next + 1 } else { 0 };
            let Some(slot) = table.get(next).copied().filter(|slot| *slot != 0) else { break };
            let wish = self.ids.get(slot as usize - 1).map_or(next, |id| first(*id, many));
            let behind = if hole < next { hole < wish && wish <= next } else { hole < wish || wish <= next };
            if !behind {
                put(table, hole, slot);
                hole = next;
            }
        }
        put(table, hole, 0);
        self.id_count[0] = self.id_count[0].saturating_sub(1);
        self.state[0].named = self.state[0].named.saturating_sub(1);
    }
}

impl<'m> WorldRef<'m> {
    /// The slot of the body with this id; none if there is no such body.
    ///
    /// Cost: some nanoseconds. It is a pass over all ids if the block has grown, or has built a list of pairs of balls, since the host last added
    /// or removed a body with an id of its own.
    pub fn slot_of(&self, id: u64) -> Option<usize> {
        self.names().slot_of(id).map(|slot| slot as usize)
    }

    pub(super) fn names(&self) -> Names<'m> {
        let whole = self.id_count[0] == self.state[0].named;
        Names { ids: self.ids(), groups: self.groups, table: if whole { table(self.ball_listed) } else { &[] } }
    }
}
