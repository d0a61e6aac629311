//! The list of pairs that are near, and of which pairs each body is B.

use zerocopy::{FromBytes, Immutable, IntoBytes};

use super::walk::Walk;
use super::{Hot, plane};
use crate::body::Columns;
use crate::detect::Settings;
use crate::error::{Error, Kind, Result, What};
use crate::memory::sections;
use crate::real::min;
use crate::world::block::{World, WorldSizes};
use crate::world::slots::put;
use crate::world::step::{Drive, given, prefix};

/// What a list was made for. It is none where bodies have joined or left since.
#[derive(Clone, Copy, Debug, Default, PartialEq, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub(in crate::world) struct Listed {
    periods: [f64; 3],
    skin: f64,
    /// The skin that there was no room for, or the same.
    wanted: f64,
    bodies: u32,
    /// 1 where there is one.
    pub whole: u32,
}

impl Listed {
    /// How far bodies may be from where they were listed.
    pub fn limit(&self) -> f64 {
        0.499 * self.skin
    }
}

sections! {
    /// The pairs of each body, as places in the list.
    pub(super) struct Index<'s>(n: &WorldSizes; bodies = u64::from(n.bodies), candidates = u64::from(n.candidates)) {
        /// Where those begin and end of which it is A.
        pub as_a: [[u32; 2]; bodies],
        /// Where those end in `places_as_b` of which it is B.
        as_b: [u32; bodies],
        places_as_b: [u32; candidates],
    }
}

impl Index<'_> {
    /// Of a list in the order of ids: so are the pairs of a body, first those of which it is B.
    pub fn make(&mut self, pairs: &[[u32; 2]], bodies: usize) {
        let (as_a, as_b) = (self.as_a.get_mut(..bodies), self.as_b.get_mut(..bodies));
        let (Some(as_a), Some(as_b)) = (as_a, as_b) else { return };
        as_a.fill([0; 2]);
        as_b.fill(0);
        for (k, [a, b]) in (0..).zip(pairs) {
            if let Some(own) = as_a.get_mut(*a as usize) {
                *own = if own[1] == k { [own[0], k + 1] } else { [k, k + 1] };
            }
            if let Some(count) = as_b.get_mut(*b as usize) {
                *count += 1;
            }
        }
        // Where they begin, until they are all there.
        let mut start = 0;
        for count in as_b.iter_mut() {
            (*count, start) = (start, start + *count);
        }
        for (k, [_, b]) in (0..).zip(pairs) {
            if let Some(end) = as_b.get_mut(*b as usize) {
                put(self.places_as_b, *end as usize, k);
                *end += 1;
            }
        }
    }

    /// The places of pairs of which a body is B.
    pub fn places_as_b(&self, i: usize) -> &[u32] {
        let start = i.checked_sub(1).and_then(|before| self.as_b.get(before)).copied().unwrap_or(0);
        let end = self.as_b.get(i).copied().unwrap_or(0);
        self.places_as_b.get(start as usize..end as usize).unwrap_or_default()
    }
}

impl World<'_> {
    /// Sees to it that the list holds all pairs that touch. Gives whether it is a new one.
    ///
    /// `stays`: no body has left the place where it was listed.
    pub(super) fn listed<L>(
        &mut self,
        drive: &Drive<'_, L>,
        hot: &mut Hot<'_>,
        walk: &Walk<'_>,
        skin: &mut f64,
        stays: bool,
    ) -> Result<bool> {
        let n = walk.bodies;
        let was = self.ball_list[0];
        let now = Listed { periods: walk.periods, skin: was.skin, wanted: *skin, bodies: n as u32, whole: 1 };
        if was == now && stays {
            return Ok(false);
        }
        if was.wanted == *skin {
            *skin = min(*skin, was.skin);
        }
        let wanted = now.wanted;
        self.ball_list[0].whole = 0;
        for (body, place) in self.bodies.iter_mut().zip(&*hot.places).take(n) {
            let [x, y, z, _] = *place;
            body.position = [x, y, z];
        }
        let bodies = prefix(self.bodies, n);
        let columns = Columns::new(bodies)?;
        let words = [&*self.shapes, self.groups, self.masks].map(|words| prefix(words, n));
        let given = given(drive.shapes, &columns, prefix(self.scales, n), words, prefix(self.ids, n));
        let (exec, isa, pairs) = (drive.exec, drive.isa, &mut *self.ball_pairs);
        let found = loop {
            let settings = Settings { periods: walk.periods, margin: *skin, skin: 0.0, ..drive.settings };
            let mut count = 0;
            // The scene needs no list of its own beside this one.
            self.scene.forget_list();
            let listed = self.scene.candidates_to(exec, isa, &given, &settings, hot.rest, |_, c| {
                if [c.a, c.b].iter().all(|i| hot.places.get(*i as usize).is_some_and(|place| place[3] > 0.0)) {
                    put(pairs, count, [c.a, c.b]);
                    count += 1;
                }
            });
            match listed.map(|_| count) {
                // Where there is no room for a list with this skin, there may be for a thinner one.
                Err(error) if error.kind == Kind::Capacity && error.what == What::Candidates && *skin > 0.0 => {
                    *skin = if *skin > walk.thinnest { 0.5 * *skin } else { 0.0 };
                }
                found => break found?,
            }
        };
        if found > self.ball_pairs.len() {
            return Err(Error::capacity(What::Candidates, found as u64, self.ball_pairs.len() as u64));
        }
        self.ball_head[0].count = found as u32;
        for (i, listed) in self.ball_listed.iter_mut().enumerate().take(n) {
            *listed = plane(hot.places, hot.rates, i);
        }
        self.ball_list[0] = Listed { skin: *skin, wanted, ..now };
        Ok(true)
    }
}
