//! Bodies in the order of their ids, so that no result depends on where a host keeps them.
//!
//! A step works on bodies by *rank*: the position of a body in the order of ids. If ids ascend, or there are none, ranks are indices, and nothing
//! is copied. Otherwise the step first gathers the host's arrays in the order of ids; outputs for the host have indices again. So a step reads the
//! same numbers in the same order, however a host sorts its arrays.

use zerocopy::{FromBytes, Immutable, IntoBytes};

use super::bodies::Bodies;
use super::sphere_bounds::CHUNK;
use crate::array::{Array, Words};
use crate::broad::Candidate;
use crate::error::{Error, Kind, Result, What};
use crate::exec::{CutMut, Executor, each};
use crate::memory::sections;

/// An id, and the index of the body that has it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
struct Named {
    id: u64,
    place: u64,
}

/// Ranks and places of bodies. Both arrays are empty if all ranks are places.
#[derive(Clone, Copy)]
pub(super) struct Ranks<'s> {
    /// The place (index in the host's arrays) of the body of each rank.
    places: &'s [u32],
    /// The rank of the body at each place.
    ranks: &'s [u32],
    ids: Option<Words<'s, u64>>,
}

sections! {
    /// Memory of [`Ranks::new`] if bodies have ids.
    pub(super) struct RankMemory<'s>(bodies: u64) {
        named: [Named; bodies],
        ranks: [u32; bodies],
    }
}

sections! {
    /// Memory of [`Ranks::gathered`] if bodies have ids.
    pub(super) struct Gathered<'s>(bodies: u64) {
        positions: [[f64; 3]; bodies],
        orientations: [[f64; 4]; bodies],
        scales: [f64; bodies],
        halos: [f64; bodies],
        shape: [u32; bodies],
        motions: [u32; bodies],
        groups: [u32; bodies],
        masks: [u32; bodies],
    }
}

impl<'s> Ranks<'s> {
    /// `places` are those of the last step. They are tried first, and are replaced by those of this step.
    ///
    /// Errors: [`Kind::Duplicate`] for [`What::Ids`], with both places.
    ///
    /// Cost: a nanosecond a body for ids in order, some more for the order of the step before; else a sort.
    pub fn new(bodies: &Bodies<'s>, places: &'s mut [u32], memory: Option<RankMemory<'s>>) -> Result<Self> {
        let n = bodies.len();
        let same = Ranks { places: &[], ranks: &[], ids: bodies.ids };
        let Some((ids, RankMemory { named, ranks })) = bodies.ids.zip(memory) else { return Ok(same) };
        if (1..n).all(|i| ids.get(i - 1) < ids.get(i)) {
            return Ok(same);
        }
        let short = Error::capacity(What::Bodies, n as u64, places.len() as u64);
        let places = places.get_mut(..n).ok_or(short)?;
        // If the ids ascend in this order, they all differ, so each body occurs once.
        let id = |place: &u32| ids.get(*place as usize);
        let in_order = places.iter().all(|place| (*place as usize) < n) && places.is_sorted_by(|x, y| id(x) < id(y));
        if !in_order {
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
        for (rank, place) in (0u32..).zip(&*places) {
            if let Some(to) = ranks.get_mut(*place as usize) {
                *to = rank;
            }
        }
        Ok(Ranks { places, ranks, ids: bodies.ids })
    }

    /// Whether all ranks are places.
    pub fn are_places(&self) -> bool {
        self.places.is_empty()
    }

    /// Whether ids are places as well.
    pub fn are_ids(&self) -> bool {
        self.are_places() && self.ids.is_none()
    }

    /// The place of the body of a rank.
    #[inline(always)]
    pub fn place(&self, rank: u32) -> u32 {
        self.places.get(rank as usize).copied().unwrap_or(rank)
    }

    /// The rank of the body at a place.
    #[inline(always)]
    pub fn rank(&self, place: u32) -> u32 {
        self.ranks.get(place as usize).copied().unwrap_or(place)
    }

    /// The id of the body at a place.
    #[inline(always)]
    pub fn id(&self, place: u32) -> u64 {
        self.ids.map_or(u64::from(place), |ids| ids.get(place as usize))
    }

    /// A pair of places as a pair of ranks.
    pub fn ranked(&self, pair: &Candidate) -> Candidate {
        Candidate::new(self.rank(pair.a), self.rank(pair.b), pair.shift)
    }

    /// The same error with the place of a body instead of its rank.
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

    /// The bodies ordered by rank. Copies all arrays, unless ranks are places.
    pub fn gathered(&self, exec: &dyn Executor, bodies: &Bodies<'s>, memory: Option<Gathered<'s>>) -> Bodies<'s> {
        let Some(to) = memory.filter(|_| !self.are_places()) else { return *bodies };
        let turns = bodies.orientations.map(|q| self.gather(exec, to.orientations, |i| q.quaternion(i)));
        let numbers = |x: Option<Array<'s>>, to| x.map(|x| self.gather(exec, to, |i| x.number(i)));
        let words = |w: Option<Words<'s>>, to| w.map(|w| Words::from_slice(self.gather(exec, to, |i| w.get(i))));
        Bodies {
            shapes: bodies.shapes,
            shape: Words::from_slice(self.gather(exec, to.shape, |i| bodies.shape.get(i))),
            positions: Array::from_f64(self.gather(exec, to.positions, |i| bodies.positions.get(i))),
            orientations: turns.map(Array::from_quaternions),
            scales: numbers(bodies.scales, to.scales).map(Array::from_numbers),
            halos: numbers(bodies.halos, to.halos).map(Array::from_numbers),
            motions: words(bodies.motions, to.motions),
            groups: words(bodies.groups, to.groups),
            masks: words(bodies.masks, to.masks),
            ids: None,
        }
    }

    fn gather<T: Send>(&self, exec: &dyn Executor, to: &'s mut [T], item: impl Fn(usize) -> T + Sync) -> &'s [T] {
        each(exec, CutMut(&mut *to, CHUNK), |chunk, to| {
            let places = self.places.iter().skip(chunk * CHUNK);
            to.iter_mut().zip(places).for_each(|(to, place)| *to = item(*place as usize));
        });
        to
    }
}
