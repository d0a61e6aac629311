//! The contacts of each body, and the sums of forces and torques at contacts for each body.

use glam::DVec3;
use zerocopy::{FromBytes, Immutable, IntoBytes};

use super::body_contacts::Touch;
use super::ids::Ranks;
use super::scene::{ScenePair, SceneRef, StepRef, shifted};
use super::sort_by_body::{self, SortMemory};
use crate::array::{Array, Vectors, VectorsMut};
use crate::contact::Contact;
use crate::error::{Error, Kind, Result, What};
use crate::exec::{self, Cut, CutMut, Executor, each, pieces};
use crate::memory::{Layout, sections};
use crate::pose::Pose;

/// Bodies or pairs that a thread processes at a time.
const CHUNK: usize = 1024;

/// Up to this many pairs are not worth more than one thread.
const FEW: usize = 4096;

/// A force, and a torque about the origin of a body's frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub struct Wrench {
    /// The force.
    pub force: [f64; 3],
    /// The torque.
    pub torque: [f64; 3],
}

/// A pair, to be sorted by its body B.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
struct ByB {
    b: u32,
    pair: u32,
}

type SortByB<'s> = SortMemory<'s, ByB>;

sections! {
    /// Scratch of [`touches`].
    struct Memory<'s>(bodies: u64, pairs: u64) {
        by_b: [ByB; pairs],
        /// Where the pairs of each body begin: those of which it is A, then those of which it is B.
        rows: [u32; 2 * (bodies + 1)],
        chunk_ends: [u32; bodies.div_ceil(CHUNK as u64)],
        sort: SortByB(pairs),
    }
}

/// Scratch of [`touches`].
pub(super) fn scratch(bodies: u32, contacts: u32) -> Result<Layout> {
    Memory::layout(bodies.into(), contacts.into())
}

/// Writes the contacts of each body, one body after the other, and where those of each body end.
///
/// Errors: [`Kind::Capacity`] for scratch.
pub(super) fn touches(
    exec: &dyn Executor,
    pairs: &[ScenePair],
    ranks: Ranks<'_>,
    ends: &mut [u32],
    touches: &mut [Touch],
    scratch: &mut [u8],
) -> Result<()> {
    let bodies = ends.len();
    if exec.width() <= 1 || pairs.len() <= FEW {
        return touches_in_turn(pairs, ends, touches, scratch);
    }
    let Memory { by_b, rows, chunk_ends, sort } = Memory::new(scratch, bodies as u64, pairs.len() as u64)?;
    each(exec, (CutMut(&mut *by_b, CHUNK), Cut(pairs, CHUNK)), |chunk, (by_b, pairs)| {
        for (i, (to, pair)) in by_b.iter_mut().zip(pairs).enumerate() {
            *to = ByB { b: pair.b, pair: (chunk * CHUNK + i) as u32 };
        }
    });
    sort_by_body::by_body(exec, bodies, by_b, |x| x.b, sort);
    let (first_a, first_b) = rows.split_at_mut(bodies + 1);
    // Pairs are ordered by the rank of A.
    row_starts(exec, first_a, pairs, |pair| ranks.rank(pair.a));
    row_starts(exec, first_b, by_b, |x| x.b);
    let (first_a, first_b, by_b) = (&*first_a, &*first_b, &*by_b);
    let of = |i: usize| {
        let row = |first: &[u32], i: usize| {
            first.get(i).zip(first.get(i + 1)).map_or(0..0, |(from, to)| *from as usize..*to as usize)
        };
        let as_a = pairs.get(row(first_a, ranks.rank(i as u32) as usize)).unwrap_or_default();
        let as_b = by_b.get(row(first_b, i)).unwrap_or_default();
        let as_b = as_b.iter().filter_map(|x| Some((pairs.get(x.pair as usize)?, 1)));
        as_a.iter().map(|pair| (pair, 0)).chain(as_b)
    };
    // Sums within each chunk first; the sums of earlier chunks are added below.
    each(exec, (CutMut(&mut *ends, CHUNK), CutMut(&mut *chunk_ends, 1)), |chunk, (part, all)| {
        let mut sum = 0;
        for (k, end) in part.iter_mut().enumerate() {
            sum += of(chunk * CHUNK + k).map(|(pair, _)| pair.end - pair.first).sum::<u32>();
            *end = sum;
        }
        all[0] = sum;
    });
    exec::ends(chunk_ends);
    let chunk_ends = &*chunk_ends;
    each(exec, (pieces(touches, chunk_ends), CutMut(ends, CHUNK)), |chunk, (part, ends)| {
        let before = chunk.checked_sub(1).and_then(|before| chunk_ends.get(before)).copied().unwrap_or(0);
        let mut to = part.iter_mut();
        for (k, end) in ends.iter_mut().enumerate() {
            *end += before;
            for (pair, side) in of(chunk * CHUNK + k) {
                (pair.first..pair.end).zip(&mut to).for_each(|(contact, to)| *to = Touch(contact << 1 | side));
            }
        }
    });
    Ok(())
}

/// As [`touches`], on one thread. Counts contacts and puts them in their places; this needs no sorting, since pairs are in order.
fn touches_in_turn(pairs: &[ScenePair], ends: &mut [u32], touches: &mut [Touch], scratch: &mut [u8]) -> Result<()> {
    ends.fill(0);
    if pairs.is_empty() {
        return Ok(());
    }
    // Contacts in which a body is A come first.
    let Memory { rows, .. } = Memory::new(scratch, ends.len() as u64, 0)?;
    let (as_a, _) = rows.split_at_mut(ends.len());
    as_a.fill(0);
    for pair in pairs {
        let count = pair.end - pair.first;
        if let (Some(a), Some(b)) = (as_a.get_mut(pair.a as usize), ends.get_mut(pair.b as usize)) {
            *a += count;
            *b += count;
        }
    }
    let mut start = 0;
    for (a, b) in as_a.iter_mut().zip(&mut *ends) {
        let [own, all] = [*a, *a + *b];
        (*a, *b) = (start, start + own);
        start += all;
    }
    for pair in pairs {
        let (Some(a), Some(b)) = (as_a.get_mut(pair.a as usize), ends.get_mut(pair.b as usize)) else { continue };
        let (mut p, mut q) = (*a, *b);
        for contact in pair.first..pair.end {
            if let Some(to) = touches.get_mut(p as usize) {
                *to = Touch(contact << 1);
            }
            if let Some(to) = touches.get_mut(q as usize) {
                *to = Touch(contact << 1 | 1);
            }
            (p, q) = (p + 1, q + 1);
        }
        (*a, *b) = (p, q);
    }
    Ok(())
}

/// Writes where the row of each body begins in a list that is ordered by body, and the end of the list after the last one.
fn row_starts<T: Sync>(exec: &dyn Executor, starts: &mut [u32], list: &[T], body: impl Fn(&T) -> u32 + Sync) {
    each(exec, CutMut(starts, CHUNK), |chunk, starts| {
        let first = chunk * CHUNK;
        let mut at = list.partition_point(|item| (body(item) as usize) < first);
        for (k, start) in starts.iter_mut().enumerate() {
            while list.get(at).is_some_and(|item| (body(item) as usize) < first + k) {
                at += 1;
            }
            *start = at as u32;
        }
    });
}

impl SceneRef<'_> {
    /// Sums the forces and torques at contacts for each body.
    ///
    /// `forces` are those on A, one for each contact of [`SceneRef::now`], at its position; the force on B is the opposite. `torques`, if
    /// any, are additional, such as stiffness times [`moment`](crate::contact::Contact::moment). Torques of `out` are about `centres`, in
    /// world coordinates, one for each body; without them, about the origins of the bodies' frames.
    ///
    /// Sums are formed in the order of [`SceneRef::touches`], so the executor changes no bit.
    ///
    /// Errors: [`Kind::Mismatch`] for arrays of other lengths; [`Kind::NotFinite`], with contact or body and component, for numbers that
    /// are NaN or infinite; [`Kind::Capacity`] for [`What::Output`]. After an error nothing is written. Cost: some ten nanoseconds a
    /// contact and a body.
    pub fn wrenches(
        &self,
        exec: &dyn Executor,
        forces: Array<'_>,
        torques: Option<Array<'_>>,
        centres: Option<Array<'_>>,
        out: &mut [Wrench],
    ) -> Result<()> {
        let poses = self.now().poses();
        let centres = centres.as_ref().map(|centres| centres as &dyn Vectors);
        let acting = self.acting(forces, torques, centres)?;
        let given = out.len() as u64;
        let out = out.get_mut(..poses.len()).ok_or(Error::capacity(What::Output, poses.len() as u64, given))?;
        each(exec, (CutMut(out, CHUNK), Cut(poses, CHUNK)), |chunk, (out, poses)| {
            for (k, (wrench, pose)) in out.iter_mut().zip(poses).enumerate() {
                *wrench = acting.on(chunk * CHUNK + k, pose);
            }
        });
        Ok(())
    }

    /// As [`Self::wrenches`], with the same bits, into arrays of the host. `out` are the arrays of forces and of torques; either may be
    /// absent. `centres` may lie between them: a body's centre is read before its sums are written.
    ///
    /// Errors: as [`Self::wrenches`]. After an error nothing is written.
    pub fn wrenches_into(
        &self,
        exec: &dyn Executor,
        forces: Array<'_>,
        torques: Option<Array<'_>>,
        centres: Option<&dyn Vectors>,
        out: [Option<&dyn VectorsMut>; 2],
    ) -> Result<()> {
        let poses = self.now().poses();
        let acting = self.acting(forces, torques, centres)?;
        if let Some(short) = out.iter().flatten().find(|array| array.len() < poses.len()) {
            return Err(Error::capacity(What::Output, poses.len() as u64, short.len() as u64));
        }
        each(exec, Cut(poses, CHUNK), |chunk, poses| {
            for (k, pose) in poses.iter().enumerate() {
                let i = chunk * CHUNK + k;
                let Wrench { force, torque } = acting.on(i, pose);
                for (array, sum) in out.iter().zip([force, torque]) {
                    if let Some(array) = array {
                        array.set(i, sum);
                    }
                }
            }
        });
        Ok(())
    }

    /// The forces and torques at contacts. Checks that there is a force for each contact, and a centre for each body.
    fn acting<'a>(
        &'a self,
        forces: Array<'a>,
        torques: Option<Array<'a>>,
        centres: Option<&'a dyn Vectors>,
    ) -> Result<Acting<'a>> {
        self.check_forces(forces, torques)?;
        let bodies = self.now().poses().len();
        if let Some(centres) = centres.filter(|centres| centres.len() != bodies) {
            return Err(Error::new(Kind::Mismatch, What::Centres).amounts(bodies as u64, centres.len() as u64));
        }
        centres.map_or(Ok(()), |centres| centres.check_finite(What::Centres))?;
        Ok(Acting { sums: Sums::new(self), forces, torques, centres })
    }

    /// Checks that there is a force, and a torque if there are any, for each contact, and that all are finite.
    ///
    /// Errors: [`Kind::Mismatch`] and [`Kind::NotFinite`] for [`What::Forces`] and [`What::Torques`].
    pub(super) fn check_forces(&self, forces: Array<'_>, torques: Option<Array<'_>>) -> Result<()> {
        let count = self.now().contacts().len();
        for (length, what) in [(forces.len(), What::Forces), (torques.map_or(count, |t| t.len()), What::Torques)] {
            if length != count {
                return Err(Error::new(Kind::Mismatch, what).amounts(count as u64, length as u64));
            }
        }
        forces.check_finite(What::Forces)?;
        torques.map_or(Ok(()), |torques| torques.check_finite(What::Torques))
    }
}

/// The forces and torques that act at contacts.
struct Acting<'a> {
    sums: Sums<'a>,
    forces: Array<'a>,
    torques: Option<Array<'a>>,
    centres: Option<&'a dyn Vectors>,
}

impl Acting<'_> {
    /// The wrench on body `i`, which has this pose.
    fn on(&self, i: usize, pose: &Pose) -> Wrench {
        let centre = self.centres.map_or(pose.position, |centres| centres.get(i));
        self.sums.of(i, centre, |at| Wrench {
            force: self.forces.get(at),
            torque: self.torques.map_or([0.0; 3], |torques| torques.get(at)),
        })
    }
}

/// Sums over the contacts of a body.
pub(super) struct Sums<'a> {
    step: StepRef<'a>,
    contacts: &'a [Contact],
    ends: &'a [u32],
    touches: &'a [Touch],
    periods: &'a [f64; 3],
}

impl<'a> Sums<'a> {
    pub fn new(scene: &SceneRef<'a>) -> Self {
        let step = scene.now();
        let (ends, touches, periods) = (scene.touch_ends(), scene.all_touches(), &step.kept.counts[0].periods);
        Sums { step, contacts: step.contacts(), ends, touches, periods }
    }

    /// Force and torque on body `i` about its centre. `act` gives force and torque on A for a contact at its position.
    #[inline(always)]
    pub fn of(&self, i: usize, centre: [f64; 3], act: impl Fn(usize) -> Wrench) -> Wrench {
        let (mut force, mut torque) = (DVec3::ZERO, DVec3::ZERO);
        let end = self.ends.get(i).map_or(0, |end| *end as usize);
        let first = i.checked_sub(1).and_then(|before| self.ends.get(before)).map_or(0, |end| *end as usize);
        for touch in self.touches.get(first..end).unwrap_or_default() {
            let at = touch.contact();
            let Some(contact) = self.contacts.get(at) else { continue };
            let (side, own) = match touch.is_b() {
                true => (-1.0, self.moved(centre, at)),
                false => (1.0, centre),
            };
            let Wrench { force: f, torque: t } = act(at);
            let (f, t) = (DVec3::from_array(f) * side, DVec3::from_array(t) * side);
            force += f;
            torque += (DVec3::from_array(contact.position) - DVec3::from_array(own)).cross(f) + t;
        }
        Wrench { force: force.to_array(), torque: torque.to_array() }
    }

    /// The centre of B, moved to where B meets A in this contact.
    #[inline(always)]
    fn moved(&self, centre: [f64; 3], at: usize) -> [f64; 3] {
        if *self.periods == [0.0; 3] {
            return centre;
        }
        shifted(centre, self.step.pair_of(at).map_or([0; 3], |pair| pair.shift), self.periods)
    }
}
