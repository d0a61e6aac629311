//! The neighbour list (Verlet): candidates for several steps, the bounds with which they were found, and the test that none is missing now.
//!
//! # When a list is complete
//! A list with a skin is built from wide bounds: spheres with larger radii, boxes enlarged on all sides, planes that are raised. Each body has its
//! own skin. The list has all pairs of wide bounds that meet. It is complete while the bound of every body lies within its wide bound, up to
//! periods. Proof: if two bounds meet, the wide bounds that contain them meet, too. So their pair is in the list; the difference of their periods
//! is added to its shift.
//! The paths, rotations and growth of bodies have no effect. But pairs that the host did not allow are not in the list, so its filters must stay
//! the same.
//!
//! - A sphere lies in a sphere if `|c - c'| + r <= r'`, with c less the whole periods by which it has moved.
//! - A box lies in a box if it does on each axis, with the periods of the body's sphere. Boxes rotate with their bodies, so no bound on the
//!   rotation is needed.
//! - A plane: everything that reaches it, `n (c - p) <= r + h`, must reach the wide plane, `n' (c' - p') <= r' + h'`. Here c' is within
//!   `r' - r` of c up to periods k. This holds if `n' (p - p') + |n - n'| |c - p| + |n' k| + h <= h'`, with the largest of these for any
//!   body.
//!
//! Rounding: each side of each decision is off by less than 16 units of 2^-53 of its inputs: coordinates, radii and multiples of periods
//! that are no larger. Wide bounds are enlarged by 4 times 2^-46 of these, and must contain the others with a margin of 2^-46. So the test
//! holds for a body that has not moved at all. Squares of tiny numbers lose digits; a length of 2^-450, added to all others, covers this.

use zerocopy::{FromBytes, FromZeros, Immutable, IntoBytes};

use super::all_bounds::AllBounds;
use super::box_body::HugeBox;
use super::plane::Plane;
use super::sphere_bounds::CHUNK;
use super::widened_bounds::{Skins, in_sphere, size, widened};
use crate::broad::{Candidate, GridReport, Limits, Sphere, wraps};
use crate::error::{Result, What};
use crate::exec::{Cut, CutMut, Executor, each};
use crate::memory::{self, Sizes};
use crate::real::{Real, max};

/// The sizes for which the list is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub struct NeighbourListSizes {
    /// Bodies, at most.
    pub bodies: u32,
    /// Candidates, at most.
    pub candidates: u32,
}

impl Sizes for NeighbourListSizes {
    const KIND: [u8; 4] = *b"list";
    const VERSION: u32 = 2;
    const WHAT: What = What::Scene;
}

/// The state of a list.
#[derive(Clone, Copy, Debug, Default, PartialEq, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub(super) struct Head {
    periods: [f64; 3],
    skin: f64,
    bodies: u32,
    huge: u32,
    endless: u32,
    candidates: u32,
    /// Steps since the list was made. It starts one below zero, and stays there until a step that uses the list completes.
    age: u32,
    /// 1 if the list has a skin and is complete.
    whole: u32,
    /// 1 if the host allows all pairs, and all bodies are found by their spheres.
    plain: u32,
    /// 1 if pairs of balls are left out.
    without_balls: u16,
    /// The number of steps for which the scene builds no list with a skin that it chooses itself.
    wait: u16,
}

memory::sections! {
    /// A list of candidates, and the wide bounds from which it was made.
    pub struct NeighbourList / NeighbourListRef (n: &NeighbourListSizes) {
        pub(super) head: Cache [Head; 1],
        /// Report of the grid of the search that made the list.
        pub(super) grid: Cache [GridReport; 1],
        pub(super) centres: Cache [[f64; 3]; u64::from(n.bodies)],
        pub(super) radii: Cache [f64; u64::from(n.bodies)],
        /// See [`AllBounds::words`].
        pub(super) words: Cache [[u32; 3]; u64::from(n.bodies)],
        pub(super) huge: Cache [HugeBox; u64::from(super::box_body::most(n.bodies))],
        pub(super) planes: Cache [Plane; u64::from(super::box_body::most(n.bodies))],
        pub(super) candidates: Cache [Candidate; u64::from(n.candidates)],
    }
}

/// A list with a skin that the scene chooses must last longer than this many steps.
const SHORT: u32 = 4;
/// After a list that did not or would not last, none is tried for this many steps.
pub(super) const WAIT: u16 = 16;

/// The result of the test for a chunk of bodies.
#[derive(Clone, Copy, Debug, Default, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
struct Ways {
    /// The largest coordinate that any sphere reaches.
    far: f64,
    /// The most periods by which a body has moved along each axis.
    wraps: [f64; 3],
    /// 1 if a body has left its wide bound.
    left: f64,
}

memory::sections! {
    /// Memory of [`NeighbourList::holds`].
    pub(super) struct ListMemory<'s>(bodies: u64) {
        found: [Ways; bodies.div_ceil(CHUNK as u64)],
    }
}

impl Head {
    /// The head of a list, except for the numbers that change while it is made and used.
    fn of(all_bounds: &AllBounds<'_>, (skin, without_balls): (f64, bool)) -> Head {
        Head {
            periods: all_bounds.periods,
            skin,
            bodies: all_bounds.centres.len() as u32,
            huge: all_bounds.huge.bodies.len() as u32,
            endless: all_bounds.endless.ids.len() as u32,
            plain: u32::from(all_bounds.is_plain()),
            without_balls: u16::from(without_balls),
            ..Head::default()
        }
    }
}

impl NeighbourList<'_> {
    /// Forgets the list and all counts of steps.
    pub fn clear(&mut self) {
        self.head[0] = Head::new_zeroed();
    }

    /// The step that used the list had an error or was short of room, so it does not count.
    pub fn do_not_count(&mut self) {
        self.head[0].age = self.head[0].age.wrapping_sub(1);
    }

    /// Makes the list invalid.
    pub fn forget(&mut self) {
        self.head[0].whole = 0;
    }

    /// The skin of the list; 0 if there is no list.
    pub fn skin(&self) -> f64 {
        if self.head[0].whole == 1 { self.head[0].skin } else { 0.0 }
    }

    /// The skin of a new list if the host gives none, as `lasting` computes it. Gives 0 for a while after a list that did not last, or if none
    /// would last.
    pub fn own_skin(&mut self, lasting: impl FnOnce() -> Option<f64>) -> f64 {
        let Head { whole, age, wait, .. } = self.head[0];
        if whole == 1 && age.wrapping_add(1) <= SHORT {
            self.pause(WAIT);
            return 0.0;
        }
        if wait > 0 {
            self.head[0].wait -= 1;
            return 0.0;
        }
        match lasting() {
            Some(skin) if skin > 0.0 => return skin,
            Some(_) => self.pause(WAIT),
            None => {}
        }
        0.0
    }

    /// For this number of steps, builds no list with a skin that the scene chooses itself.
    pub fn pause(&mut self, steps: u16) {
        self.head[0].wait = max(self.head[0].wait, steps);
    }

    /// Whether a list with a skin is possible: there must be room for all unbounded and all huge bodies, to test whether the list is still
    /// complete.
    pub fn can_hold(&self, all_bounds: &AllBounds<'_>) -> bool {
        all_bounds.endless.ids.len() <= self.planes.len() && all_bounds.huge.bodies.len() <= self.huge.len()
    }

    /// Stores the wide bounds. The list of their pairs does not exist yet.
    pub fn widen(&mut self, exec: &dyn Executor, all_bounds: &AllBounds<'_>, skins: Skins) {
        self.forget();
        let (n, plain) = (all_bounds.centres.len(), all_bounds.is_plain());
        let parts = (
            CutMut(head(self.centres, n), CHUNK),
            CutMut(head(self.radii, n), CHUNK),
            CutMut(head(self.words, if plain { 0 } else { n }), CHUNK),
        );
        each(exec, parts, |chunk, (centres, radii, words)| {
            let first = chunk * CHUNK;
            for (k, (centre, radius)) in centres.iter_mut().zip(radii).enumerate() {
                let i = first + k;
                *centre = all_bounds.centres[i];
                *radius = widened(centre, all_bounds.radii[i], skins.of(all_bounds.bodies, i));
            }
            words.iter_mut().enumerate().for_each(|(k, words)| *words = all_bounds.words(first + k));
        });
        for (to, wide) in self.huge.iter_mut().zip(all_bounds.huge.huge_boxes) {
            *to = wide.widened(skins.of(all_bounds.bodies, wide.body as usize));
        }
        for (k, (to, i)) in self.planes.iter_mut().zip(all_bounds.endless.ids).enumerate() {
            *to = all_bounds.endless.plane(k).widened(skins.of(all_bounds.bodies, *i as usize));
        }
    }

    /// Declares the list complete for the stored wide bounds.
    pub fn finish(&mut self, all_bounds: &AllBounds<'_>, kind: (f64, bool), candidates: usize) {
        let wait = self.head[0].wait;
        self.head[0] = Head { candidates: candidates as u32, whole: 1, wait, ..Head::of(all_bounds, kind) };
    }

    /// If the list is complete now, gives its number of candidates, and its age in steps. `moved` gets the periods by which bodies have been
    /// wrapped since the list was built; in an open space it is not written.
    ///
    /// Also gives none if the bodies are invalid: the search for a new list then gives the error.
    pub fn holds(
        &mut self,
        exec: &dyn Executor,
        all_bounds: &AllBounds<'_>,
        kind: (f64, bool),
        moved: &mut [[i16; 4]],
        scratch: &mut [u8],
    ) -> Result<Option<(usize, u32)>> {
        let was = self.head[0];
        let Head { candidates, age, wait, .. } = was;
        let now = Head { candidates, age, wait, whole: 1, ..Head::of(all_bounds, kind) };
        if was != now || !all_bounds.huge.is_in_order(&all_bounds.query()) {
            return Ok(None);
        }
        let Some(ways) = self.ways(exec, all_bounds, moved, scratch)? else { return Ok(None) };
        let wrapped = [0, 1, 2].map(|k| ways.wraps[k] * all_bounds.periods[k]);
        let planes = (0..all_bounds.endless.ids.len()).map(|k| all_bounds.endless.plane(k));
        // In an open space, `moved` has not been written.
        let moved = if all_bounds.periods == [0.0; 3] { &[][..] } else { &*moved };
        let stays = |(wide, now): (&HugeBox, &HugeBox)| {
            let k = moved.get(now.body as usize).copied().unwrap_or_default();
            wide.holds(now, [0, 1, 2].map(|axis| f64::from(k[axis]) * all_bounds.periods[axis]))
        };
        if !self.planes.iter().zip(planes).all(|(wide, now)| wide.holds(&now, ways.far, wrapped))
            || !self.huge.iter().zip(all_bounds.huge.huge_boxes).all(stays)
        {
            return Ok(None);
        }
        self.head[0].age = was.age.wrapping_add(1);
        Ok(Some((was.candidates as usize, self.head[0].age)))
    }

    /// How far bodies have moved since they were listed. None if a body has left its wide bound, or is invalid.
    fn ways(
        &self,
        exec: &dyn Executor,
        all_bounds: &AllBounds<'_>,
        moved: &mut [[i16; 4]],
        scratch: &mut [u8],
    ) -> Result<Option<Ways>> {
        let n = all_bounds.centres.len();
        let ListMemory { found } = ListMemory::new(scratch, n as u64)?;
        let query = all_bounds.query();
        if query.check_frame().is_err() {
            return Ok(None);
        }
        let (limits, open, plain) = (Limits::new(&query), all_bounds.periods == [0.0; 3], self.head[0].plain != 0);
        let (listed, wide) = (self.centres.get(..n).unwrap_or_default(), self.radii.get(..n).unwrap_or_default());
        let parts = (
            Cut(all_bounds.centres, CHUNK),
            Cut(listed, CHUNK),
            Cut(wide, CHUNK),
            CutMut(if open { &mut [] } else { moved }, CHUNK),
            CutMut(&mut *found, 1),
        );
        each(exec, parts, |chunk, (centres, listed, wide, moved, ways)| {
            let (mut all, first) = (Ways::default(), chunk * CHUNK);
            for (k, ((centre, listed), wide)) in centres.iter().zip(listed).zip(wide).enumerate() {
                let i = first + k;
                let unseen = all_bounds.groups[i] == 0;
                let is_huge = unseen && all_bounds.huge.place(i as u32).is_some();
                let radius = if is_huge { 0.0 } else { all_bounds.radii[i] };
                let mut d = [0, 1, 2].map(|axis| centre[axis] - listed[axis]);
                if !open {
                    let mut periods = [0i16; 4];
                    for axis in 0..3 {
                        if all_bounds.periods[axis] > 0.0 {
                            let k = wraps(d[axis], all_bounds.periods[axis]);
                            d[axis] -= k as f64 * all_bounds.periods[axis];
                            periods[axis] = k as i16;
                            all.wraps[axis] = max(all.wraps[axis], Real::abs(k as f64));
                        }
                    }
                    if let Some(to) = moved.get_mut(k) {
                        *to = periods;
                    }
                }
                let stays = unseen || in_sphere(listed, *wide, centre, radius, d);
                let same = plain || self.words.get(i).is_some_and(|words| *words == all_bounds.words(i));
                let fits = limits.hold(i, &Sphere { centre: *centre, radius });
                all.far = max(all.far, size(centre) + all_bounds.radii[i]);
                if !(stays && same && fits) {
                    all.left = 1.0;
                    break;
                }
            }
            ways[0] = all;
        });
        let mut all = Ways::default();
        for ways in found.iter() {
            all.far = max(all.far, ways.far);
            all.wraps = [0, 1, 2].map(|k| max(all.wraps[k], ways.wraps[k]));
            all.left = max(all.left, ways.left);
        }
        Ok((all.left == 0.0).then_some(all))
    }
}

/// The first `count` items, or all if there are fewer.
pub(super) fn head<T>(items: &mut [T], count: usize) -> &mut [T] {
    let count = count.min(items.len());
    items.get_mut(..count).unwrap_or_default()
}
