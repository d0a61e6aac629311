//! Springs that move with a body to another world: one call writes the data of its contacts, another call reads it.
//!
//! If a space is divided among processes, each process has a world of its own. It owns some of the bodies, and has nearby bodies of others
//! as ghosts. Each world finds the contacts of its own bodies, with their springs. If a body moves to another process, that process has no
//! springs for its contacts with bodies that were ghosts to both. So the host sends them ([`World::pack_springs`],
//! [`World::unpack_springs`]).
//!
//! Records name bodies by ids, and contain all data that matching with the contacts of the next step needs: keys and positions of contacts, their
//! nodes, the poses of both bodies, and springs. So the next step continues as if this world had found these contacts. Each pair of bodies has
//! its own record. Records may be concatenated in any order, from several processes, and a pair may occur twice.
//!
//! Between steps, springs are in the scene, or beside the pairs of balls (`balls`). Records are the same from either.

use zerocopy::{FromBytes, IntoBytes};

use super::balls::OwnTouch;
use super::block::{OF_BALLS, State, World, WorldRef};
use super::checked_slice::{prefix, put};
use super::id_table::{self, Names};
use super::law_context::{SPRINGS, Springs};
use super::slots::Handle;
use crate::contact::Node;
use crate::detect::{Arrival, Joined, KeptContact, Places, ScenePair, Shortage, Wrench};
use crate::error::{Error, Kind, Result, What};
use crate::pose::Pose;

/// Words of a record: the head with ids and poses, each contact, each node.
const HEAD: usize = 23;
const CONTACT: usize = 5 + 3 * SPRINGS;
const NODE: usize = 2;

/// The word of a record with the numbers of contacts and nodes.
const COUNTS: usize = 6;

/// Bit in the third image word: springs were kept beside the pair, of two balls or of a ball and a half-space.
const BESIDE: u64 = 4;

/// Marker at the start of each record; the lower half is the length in words.
const MARK: u64 = 0x6465_6D73 << 32;

impl World<'_> {
    /// Writes the data that contacts of these bodies keep for the next step, as records for [`World::unpack_springs`] of another world, at any
    /// alignment. Returns the number of bytes; if there is too little room, the error has this number. The world itself does not change.
    ///
    /// Errors: [`Kind::Capacity`] for [`What::Output`]; [`Kind::BadIndex`] for [`What::Handle`]; [`Kind::Unsupported`] for [`What::Phase`]
    /// within a step. After an error the output has no meaning. Cost: a pass over all pairs of bodies in contact, so call it for many
    /// bodies at once. 344 bytes for each pair of balls.
    pub fn pack_springs(
        &mut self,
        handles: impl IntoIterator<Item = Handle, IntoIter: Clone>,
        out: &mut [u8],
    ) -> Result<usize> {
        self.idle()?;
        let handles = handles.into_iter();
        for handle in handles.clone() {
            self.as_ref().slot(handle)?;
        }
        // Sums of forces are not needed between steps, so their memory is used for marks.
        self.totals.fill(Wrench::default());
        for handle in handles {
            put(self.totals, handle.slot as usize, Wrench { force: [1.0; 3], torque: [1.0; 3] });
        }
        let given = out.len() as u64;
        let mut writer = Writer { out, count: 0 };
        self.as_ref().write_marked(&mut writer);
        let needed = writer.count as u64;
        if needed > given { Err(Error::capacity(What::Output, needed, given)) } else { Ok(writer.count) }
    }

    /// Reads records that [`World::pack_springs`] has written in other worlds: contacts of these pairs continue in the next step as if this world
    /// had found them. Returns the number of pairs with both bodies in this world; other pairs are ignored. So call it when all bodies of the
    /// next step are in the world, including ghosts. The records replace this world's own data of the same pairs.
    ///
    /// Springs of removed bodies are discarded. Until the next step there are no contacts to read.
    ///
    /// A world without room for records of contacts accepts springs that were kept beside pairs of balls. For all other springs it needs this
    /// room, also for balls whose springs were in records, as after a step that the host polled.
    ///
    /// Errors: [`Kind::Damaged`] for [`What::Springs`], with the byte of the record as `index`; [`Kind::Capacity`] for [`What::Contacts`],
    /// [`What::Nodes`] and [`What::Candidates`], also if there are more records than pairs may be ([`WorldRef::shortage`] tells);
    /// [`Kind::Unsupported`] for [`What::Phase`] within a step. After an error nothing changes. Cost: a copy of the world's data of
    /// contacts, and a sort of the records.
    pub fn unpack_springs(&mut self, records: &[u8]) -> Result<usize> {
        self.idle()?;
        check(records)?;
        self.know_names();
        self.shortage[0] = Shortage::default();
        let done = self.give_springs_of_parts().and_then(|()| match self.sizes.has_records() {
            true => self.unpack_to_scene(records),
            false => self.has_only_balls(records).and_then(|()| self.unpack_to_list(records)),
        });
        if let Err(error) = &done {
            self.tell_shortage(error);
        }
        done
    }

    /// Errors: [`Kind::Capacity`] for [`What::Contacts`], with the number of contacts of all records, if some records of bodies in this world are
    /// not of balls only.
    fn has_only_balls(&mut self, records: &[u8]) -> Result<()> {
        let known = self.as_ref().names();
        let (mut at, mut contacts, mut only_balls) = (0, 0, true);
        while at < records.len() {
            let record = Record::at(records, at as u64);
            if record.is_here(&known) {
                contacts += record.counts()[0] as u64;
                only_balls &= record.is_of_balls();
            }
            at += record.len().max(8);
        }
        if only_balls { Ok(()) } else { Err(Error::capacity(What::Contacts, contacts, 0)) }
    }

    fn unpack_to_scene(&mut self, records: &[u8]) -> Result<usize> {
        self.give_springs()?;
        self.leave_springs();
        let State { half, slots, setup, .. } = self.state[0];
        let n = slots as usize;
        let known = Names { ids: prefix(self.ids, n), groups: self.groups, table: id_table::table(self.ball_listed) };
        // Relative velocities at contacts are not needed between steps, so their memory holds the index.
        let room = self.meets.len() as u64;
        let index = <[u64]>::mut_from_bytes(self.meets.as_mut_bytes()).unwrap_or_default();
        let sorted =
            in_order(records, &known, index).map_err(|needed| Error::capacity(What::Contacts, needed, room))?;
        let (last, next) = match half {
            0 => (&*self.even, &mut *self.odd),
            _ => (&*self.odd, &mut *self.even),
        };
        let bodies = &*self.bodies;
        let pose = |i: usize| bodies.get(i).map_or(Pose::IDENTITY, crate::body::Body::pose);
        let places = Places { count: n, place: |id, was| known.now(id, was), pose };
        let arrivals = sorted.iter().map(|at| Record::at(records, *at));
        let contacts = self.scene.join_pairs(setup.periods, &places, arrivals, |at, from| {
            let springs = match from {
                Joined::Was(k) => last.get(k).copied().unwrap_or_default(),
                Joined::New((record, k)) => record.springs(k),
            };
            put(next, at, springs);
        })?;
        let taken = sorted.len();
        (self.state[0].half, self.state[0].springs) = (1 - half.min(1), contacts as u32);
        Ok(taken)
    }

    /// The same in a world of balls without room for records of contacts.
    fn unpack_to_list(&mut self, records: &[u8]) -> Result<usize> {
        let n = self.state[0].slots as usize;
        self.forget_list();
        let known = Names { ids: prefix(self.ids, n), groups: self.groups, table: id_table::table(self.ball_listed) };
        let room = self.ball_pairs.len() as u64;
        let index = <[u64]>::mut_from_bytes(self.ball_pairs.as_mut_bytes()).unwrap_or_default();
        let short = |needed| Error::capacity(What::Candidates, needed, room).at(0, OF_BALLS);
        let sorted = in_order(records, &known, index).map_err(short)?;
        let taken = sorted.len();
        let own = |at: &u64| Record::at(records, *at).touch(&known);
        // The index uses the memory of the list's pairs.
        super::balls::join(
            &mut self.ball_head[0],
            [&mut *self.ball_even, &mut *self.ball_odd],
            (known.ids, self.state[0].setup.periods),
            sorted.iter().filter_map(own),
        )?;
        for touch in sorted.iter().filter_map(own) {
            super::balls::turn(self.moved, self.bodies, &touch);
        }
        self.state[0].springs = 0;
        Ok(taken)
    }
}

impl WorldRef<'_> {
    /// Writes the contacts of bodies marked in `totals`.
    fn write_marked(&self, writer: &mut Writer<'_>) {
        let names = self.names();
        let is_marked = |id: u64, was: u32| {
            let slot = names.now(id, was);
            slot.and_then(|slot| self.totals.get(slot as usize)).is_some_and(|mark| mark.force[0] != 0.0)
        };
        let wanted = |pair: &ScenePair| is_marked(pair.ids[0], pair.a) || is_marked(pair.ids[1], pair.b);
        if !self.has_list_alone() {
            let (kept, springs) = (self.scene.committed(), self.springs());
            for pair in kept.pairs().iter().filter(|pair| wanted(pair) && !pair.contacts().is_empty()) {
                let nodes = kept.nodes_of(pair);
                writer.head(pair, 0, kept.unmoved(pair), [pair.contacts().len(), nodes.len()]);
                for k in pair.contacts() {
                    let feature = kept.features().get(k).copied().unwrap_or_default();
                    let contact = kept.contacts().get(k).copied().unwrap_or_default();
                    writer.contact(feature, &contact, &springs.get(k).copied().unwrap_or_default());
                }
                for node in nodes {
                    writer.put(node.features);
                    let contact = node.contact.wrapping_sub(pair.first);
                    writer.put(u64::from(contact) | u64::from(node.force.to_bits()) << 32);
                }
            }
        }
        // The body that is a half-space: A (1), B (2).
        let beside = |side: f64| BESIDE | u64::from(side < 0.0) | u64::from(side > 0.0) << 1;
        if self.has_parts_alone() {
            self.each_pair_of_parts(wanted, |pair, side, poses, contacts| {
                let start = writer.count;
                writer.head(pair, side.map_or(0, beside), poses, [0, 0]);
                let mut count = 0;
                for (feature, contact, springs) in contacts {
                    writer.contact(feature, &contact, &springs);
                    count += 1;
                }
                writer.count_contacts(start, count);
            });
            return;
        }
        self.each_touch(wanted, |pair, side, poses, springs| {
            writer.head(pair, beside(side), poses, [1, 0]);
            writer.contact(0, &KeptContact::default(), &springs);
        });
    }
}

/// Writes words consecutively. Words without room are counted.
struct Writer<'o> {
    out: &'o mut [u8],
    count: usize,
}

impl Writer<'_> {
    fn put(&mut self, word: u64) {
        if let Some(to) = self.out.get_mut(self.count..self.count + 8) {
            to.iter_mut().zip(word.to_le_bytes()).for_each(|(to, byte)| *to = byte);
        }
        self.count += 8;
    }

    fn numbers(&mut self, numbers: &[f64]) {
        numbers.iter().for_each(|x| self.put(x.to_bits()));
    }

    /// `round`: for a pair of balls, [`BESIDE`] and the body that is a half-space; 0 for contacts of a scene.
    fn head(&mut self, pair: &ScenePair, round: u64, poses: [Pose; 2], [contacts, nodes]: [usize; 2]) {
        self.put(MARK | (HEAD + CONTACT * contacts + NODE * nodes) as u64);
        pair.ids.iter().for_each(|id| self.put(*id));
        for (k, what) in [(0, 0), (1, 0), (2, round)] {
            let (image, shift) = (pair.image[k] as u32, pair.shift[k] as u16);
            self.put(u64::from(image) | u64::from(shift) << 32 | what << 48);
        }
        self.put(contacts as u64 | (nodes as u64) << 32);
        for pose in poses {
            self.numbers(&pose.position);
            self.numbers(&pose.orientation);
        }
        self.numbers(&[pair.least_gap, pair.energy]);
    }

    /// Writes the number of contacts to the head of the record that begins at `start`.
    fn count_contacts(&mut self, start: usize, contacts: usize) {
        let end = self.count;
        self.count = start;
        self.put(MARK | (HEAD + CONTACT * contacts) as u64);
        self.count = start + 8 * COUNTS;
        self.put(contacts as u64);
        self.count = end;
    }

    fn contact(&mut self, feature: u64, contact: &KeptContact, springs: &Springs) {
        self.put(feature);
        self.numbers(&contact.position);
        self.numbers(&[contact.area]);
        self.numbers(springs.as_flattened());
    }
}

/// The record of one pair of bodies.
#[derive(Clone, Copy)]
struct Record<'r>(&'r [u8]);

impl<'r> Record<'r> {
    /// The record that begins at a byte.
    fn at(records: &'r [u8], at: u64) -> Self {
        let rest = usize::try_from(at).ok().and_then(|at| records.get(at..)).unwrap_or_default();
        Record(rest.get(..Record(rest).len()).unwrap_or_default())
    }

    /// Its length in bytes, from its head.
    fn len(&self) -> usize {
        (self.word(0) as u32 as usize).saturating_mul(8)
    }

    fn word(&self, i: usize) -> u64 {
        self.0.get(8 * i..).and_then(<[u8]>::first_chunk).map_or(0, |bytes| u64::from_le_bytes(*bytes))
    }

    fn number(&self, i: usize) -> f64 {
        f64::from_bits(self.word(i))
    }

    fn vector(&self, i: usize) -> [f64; 3] {
        [0, 1, 2].map(|k| self.number(i + k))
    }

    fn ids(&self) -> [u64; 2] {
        [self.word(1), self.word(2)]
    }

    fn springs(&self, contact: usize) -> Springs {
        let first = HEAD + CONTACT * contact + 5;
        core::array::from_fn(|k| self.vector(first + 3 * k))
    }

    /// Whether it is complete, and all of its numbers are valid.
    fn is_sound(&self) -> bool {
        let [contacts, nodes] = self.counts();
        let whole = HEAD as u64 + CONTACT as u64 * contacts as u64 + NODE as u64 * nodes as u64;
        let [a, b] = self.ids();
        let is_finite = |range: core::ops::Range<usize>| range.into_iter().all(|i| self.number(i).is_finite());
        let contact = |k: usize| HEAD + CONTACT * k;
        self.word(0) == MARK | whole
            && self.0.len() as u64 == 8 * whole
            && a <= b
            && contacts > 0
            && self.poses().iter().all(|pose| pose.check(What::Pose).is_ok())
            && (0..contacts).all(|k| is_finite(contact(k) + 1..contact(k + 1)))
            && (0..nodes).all(|k| (self.node(k).contact as usize) < contacts && self.node(k).force.is_finite())
            // Matching goes through the nodes of both steps in this order.
            && (1..nodes).all(|k| self.node(k - 1).features <= self.node(k).features)
    }

    /// Whether it belongs to a pair of balls, or of a ball and a half-space, whose springs were kept beside the pair. Only such a record tells
    /// which body is a half-space: contacts of balls in a scene may look the same.
    fn is_of_balls(&self) -> bool {
        self.word(5) >> 48 & BESIDE != 0 && self.counts() == [1, 0] && self.contact(0) == (0, KeptContact::default())
    }

    /// Whether both bodies are in the world.
    fn is_here(&self, names: &Names<'_>) -> bool {
        self.ids().iter().all(|id| names.slot_of(*id).is_some())
    }

    /// The pair in the form of balls.
    fn touch(&self, names: &Names<'_>) -> Option<OwnTouch> {
        let [a, b] = self.ids();
        let side = match self.word(5) >> 48 & !BESIDE {
            1 => -1.0,
            2 => 1.0,
            _ => 0.0,
        };
        let slots = [names.slot_of(a)?, names.slot_of(b)?];
        Some(OwnTouch { slots, side, poses: self.poses(), springs: self.springs(0) })
    }
}

impl Arrival for Record<'_> {
    fn pair(&self) -> ScenePair {
        let image = [3, 4, 5].map(|i| self.word(i) as u32 as i32);
        let shift = [3, 4, 5].map(|i| (self.word(i) >> 32) as u16 as i16);
        let (none, posed) = (u32::MAX, crate::mesh::NONE);
        let [least_gap, energy] = [21, 22].map(|i| self.number(i));
        ScenePair { ids: self.ids(), a: none, b: none, image, shift, posed, least_gap, energy, ..ScenePair::default() }
    }

    fn poses(&self) -> [Pose; 2] {
        [7, 14]
            .map(|i| Pose { position: self.vector(i), orientation: core::array::from_fn(|k| self.number(i + 3 + k)) })
    }

    fn counts(&self) -> [usize; 2] {
        let counts = self.word(COUNTS);
        [counts as u32 as usize, (counts >> 32) as usize]
    }

    fn contact(&self, k: usize) -> (u64, KeptContact) {
        let first = HEAD + CONTACT * k;
        (self.word(first), KeptContact { position: self.vector(first + 1), area: self.number(first + 4) })
    }

    fn node(&self, k: usize) -> Node {
        let first = HEAD + CONTACT * self.counts()[0] + NODE * k;
        let (features, rest) = (self.word(first), self.word(first + 1));
        Node { features, contact: rest as u32, force: f32::from_bits((rest >> 32) as u32) }
    }
}

/// Errors: [`Kind::Damaged`] for [`What::Springs`], with the byte of the first invalid record.
fn check(records: &[u8]) -> Result<()> {
    let mut at = 0;
    while at < records.len() {
        let record = Record::at(records, at as u64);
        if !record.is_sound() {
            return Err(Error::new(Kind::Damaged, What::Springs).at(at as u64, 0));
        }
        at += record.len();
    }
    Ok(())
}

/// The start bytes of records of bodies in this world, sorted by ids; for equal ids the last record.
///
/// Errors: the number of records, if there is too little room.
fn in_order<'i>(records: &[u8], names: &Names<'_>, index: &'i mut [u64]) -> core::result::Result<&'i [u64], u64> {
    let (mut at, mut count) = (0, 0);
    while at < records.len() {
        let record = Record::at(records, at as u64);
        if record.is_here(names) {
            put(index, count, at as u64);
            count += 1;
        }
        at += record.len().max(8);
    }
    let index = index.get_mut(..count).ok_or(count as u64)?;
    let name = |at: u64| {
        let pair = Record::at(records, at).pair();
        (pair.ids, pair.image)
    };
    index.sort_unstable_by_key(|at| (name(*at), *at));
    let mut kept = 0;
    for k in 0..count {
        let last = index.get(k + 1).is_none_or(|next| name(*next) != name(index[k]));
        if last {
            index[kept] = index[k];
            kept += 1;
        }
    }
    Ok(index.get(..kept).unwrap_or_default())
}
