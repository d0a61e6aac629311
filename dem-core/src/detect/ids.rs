//! Bodies in the order of their ids, so that no result depends on where a host keeps them.
//!
//! A step works on bodies by *rank*: the position of a body in the order of ids. If ids are ascending, or there are none, rank and index
//! are the same, and nothing is copied. Otherwise the host's arrays are gathered in the order of ids, once, before all else; outputs for
//! the host have indices again. So a step reads the same numbers in the same order, however a host sorts its arrays.

use zerocopy::{FromBytes, Immutable, IntoBytes};

use super::bodies::Bodies;
use super::sphere_bounds::CHUNK;
use crate::array::{Array, Words};
use crate::broad::Candidate;
use crate::error::{Error, Kind, Result, What};
use crate::exec::{CutMut, Executor, each};
use crate::memory::{Carve, Plain, Plan};

/// An id, and the place of the body that has it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
struct Named {
    id: u64,
    place: u64,
}

/// Ranks and places of bodies; both are empty where they are the same.
#[derive(Clone, Copy)]
pub(super) struct Ranks<'s> {
    /// The place of the body of each rank.
    places: &'s [u32],
    /// The rank of the body at each place.
    ranks: &'s [u32],
    ids: Option<Words<'s, u64>>,
}

/// Adds what [`Ranks::new`] and [`Ranks::gathered`] need where bodies have ids.
pub(super) fn plan(bodies: u64, plan: &mut Plan) {
    plan.add::<Named>(bodies).add::<u32>(bodies);
    plan.add::<[f64; 3]>(bodies).add::<[f64; 4]>(bodies).add::<f64>(bodies).add::<f64>(bodies);
    (0..4).for_each(|_| _ = plan.add::<u32>(bodies));
}

impl<'s> Ranks<'s> {
    /// `places` are those of the step before, which are tried first, and become those of this step.
    ///
    /// Errors: [`Kind::Duplicate`] for [`What::Ids`], with both places.
    ///
    /// Cost: a nanosecond a body for ids in order, some more for the order of the step before; else a sort.
    pub fn new(bodies: &Bodies<'s>, places: &'s mut [u32], carve: &mut Carve<'s>) -> Result<Self> {
        let n = bodies.len();
        let same = Ranks { places: &[], ranks: &[], ids: bodies.ids };
        let Some(ids) = bodies.ids else { return Ok(same) };
        if (1..n).all(|i| ids.get(i - 1) < ids.get(i)) {
            return Ok(same);
        }
        let short = Error::capacity(What::Bodies, n as u64, places.len() as u64);
        let places = places.get_mut(..n).ok_or(short)?;
        // All different if ascending, so each body is there once.
        let id = |place: &u32| ids.get(*place as usize);
        let in_order = places.iter().all(|place| (*place as usize) < n) && places.is_sorted_by(|x, y| id(x) < id(y));
        if !in_order {
            let named = carve.take::<Named>(n as u64)?;
            for (i, to) in named.iter_mut().enumerate() {
                *to = Named { id: ids.get(i), place: i as u64 };
            }
            named.sort_unstable();
            if let Some([first, second]) =
                named.windows(2).filter_map(<[Named]>::first_chunk::<2>).find(|[x, y]| x.id == y.id)
            {
                return Err(Error::new(Kind::Duplicate, What::Ids).at(second.place, 0).amounts(0, first.place));
            }
            places.iter_mut().zip(&*named).for_each(|(to, from)| *to = from.place as u32);
        }
        let ranks = carve.take::<u32>(n as u64)?;
        for (rank, place) in (0u32..).zip(&*places) {
            if let Some(to) = ranks.get_mut(*place as usize) {
                *to = rank;
            }
        }
        Ok(Ranks { places, ranks, ids: bodies.ids })
    }

    /// Whether ranks are places.
    pub fn are_places(&self) -> bool {
        self.places.is_empty()
    }

    /// Whether ids are places, too.
    pub fn are_ids(&self) -> bool {
        self.are_places() && self.ids.is_none()
    }

    /// Where the host keeps the body of a rank.
    #[inline(always)]
    pub fn place(&self, rank: u32) -> u32 {
        self.places.get(rank as usize).copied().unwrap_or(rank)
    }

    /// The rank of the body that the host keeps there.
    #[inline(always)]
    pub fn rank(&self, place: u32) -> u32 {
        self.ranks.get(place as usize).copied().unwrap_or(place)
    }

    /// The id of the body at a place.
    #[inline(always)]
    pub fn id(&self, place: u32) -> u64 {
        self.ids.map_or(u64::from(place), |ids| ids.get(place as usize))
    }

    /// A pair of places as one of ranks.
    pub fn ranked(&self, pair: &Candidate) -> Candidate {
        Candidate::new(self.rank(pair.a), self.rank(pair.b), pair.shift)
    }

    /// The same error, about the place of a body in place of its rank.
    pub fn in_places(&self, e: Error) -> Error {
        let of_body = matches!(
            e.what,
            What::Positions
                | What::Orientations
                | What::Scales
                | What::Halos
                | What::ShapeNumbers
                | What::Motions
                | What::Centres
                | What::Radii
        );
        match u32::try_from(e.index).ok().filter(|_| of_body && e.kind != Kind::Mismatch) {
            Some(rank) => Error { index: self.place(rank).into(), ..e },
            None => e,
        }
    }

    /// The bodies in the order of their ranks, with a copy of all arrays unless that is the order of places.
    pub fn gathered(&self, exec: &dyn Executor, bodies: &Bodies<'s>, carve: &mut Carve<'s>) -> Result<Bodies<'s>> {
        if self.are_places() {
            return Ok(*bodies);
        }
        let positions = self.gather(exec, carve, |i| bodies.positions.get(i))?;
        let turns = bodies.orientations.map(|q| self.gather(exec, carve, |i| q.quaternion(i))).transpose()?;
        let scales = bodies.scales.map(|x| self.gather(exec, carve, |i| x.number(i))).transpose()?;
        let halos = bodies.halos.map(|x| self.gather(exec, carve, |i| x.number(i))).transpose()?;
        let shape = self.gather(exec, carve, |i| bodies.shape.get(i))?;
        let mut words = |words: Option<Words<'s>>| {
            let gathered = words.map(|w| self.gather(exec, carve, |i| w.get(i))).transpose()?;
            Ok::<_, Error>(gathered.map(Words::from_slice))
        };
        Ok(Bodies {
            shapes: bodies.shapes,
            shape: Words::from_slice(shape),
            positions: Array::from_f64(positions),
            orientations: turns.map(Array::from_quaternions),
            scales: scales.map(Array::from_numbers),
            halos: halos.map(Array::from_numbers),
            motions: words(bodies.motions)?,
            groups: words(bodies.groups)?,
            masks: words(bodies.masks)?,
            ids: None,
        })
    }

    fn gather<T: Plain + Send>(
        &self,
        exec: &dyn Executor,
        carve: &mut Carve<'s>,
        item: impl Fn(usize) -> T + Sync,
    ) -> Result<&'s [T]> {
        let to = carve.take::<T>(self.places.len() as u64)?;
        each(exec, CutMut(&mut *to, CHUNK), |chunk, to| {
            let places = self.places.iter().skip(chunk * CHUNK);
            to.iter_mut().zip(places).for_each(|(to, place)| *to = item(*place as usize));
        });
        Ok(to)
    }
}
