//! The neighbour list: pairs that are near.

use zerocopy::IntoBytes;

use super::ball_rows::{Placed, Points, plane_of};
use super::cell_list::{Cells, Looking, Sorted};
use super::list_filter::{Bodied, GAP, PLANE, Wanted, bounds_of, is_ball, wide};
use super::list_state::{Leash, Listed};
use super::pieces::PAIRS;
use super::rates_of;
use super::scratch::Hot;
use super::search_scratch::{Bounds, FoundPairs, Listing, Order, Search, Slabs, with_points};
use super::view::Walk;
use crate::array::{Array, Scalar, Strides as Columns, Words};
use crate::body::Body;
use crate::broad::{Candidate, Motion, Proxies, Query, Space};
use crate::detect::Shortage;
use crate::error::{Error, Kind, Result, What};
use crate::exec::by_number;
use crate::real::{Real, max, min};
use crate::vector::dot;
use crate::world::block::{OF_BALLS, World, WorldSizes};
use crate::world::checked_slice::{prefix, put};
use crate::world::grid::Grid;
use crate::world::id_table::NOT_WHOLE;
use crate::world::step_inputs::StepInputs;

impl Listed {
    /// The parameters that a list must have for this walk.
    fn for_now(&self, walk: &Walk<'_>, skin: f64) -> Listed {
        let bodies = walk.bodies as u32;
        Listed { periods: walk.images.periods, wanted: skin, bodies, whole: 1, ..*self }
    }

    /// Largest distance of bodies from their listed positions: half of the skin, less a margin for rounding.
    pub(super) fn leash(&self) -> Leash {
        Leash { length: max(0.499 * self.skin - 6e-8 * self.edge, 0.0), origin: self.origin, pitch: self.pitch }
    }

    /// Chooses how positions of balls in this box are stored.
    fn frame(&mut self, balls: &Placed<'_>, [low, high]: [[f64; 3]; 2]) {
        self.origin = [0, 1, 2].map(|k| if low[k] < high[k] { 0.5 * (low[k] + high[k]) } else { 0.0 });
        let edges = [0, 1, 2].map(|k| max(high[k] - low[k], 0.0));
        (self.pitch, self.edge) = ([0.0; 3], edges.iter().fold(0.0, |edge, k| max(edge, *k)));
        let is_open = self.periods.map(|period| period == 0.0);
        if self.skin == 0.0 || !(0..3).any(|k| is_open[k] && edges[k] > COARSE * self.skin) {
            return;
        }
        // No ball moves by a quarter of its reach in a step.
        let reach = balls.iter().filter(is_ball).fold(0.0, |most, place| max(most, place[3]));
        let pitch = CELL / max(self.skin, reach / 8192.0).inverse_exponent();
        // Most balls should be in the middle cell.
        let (mut some, each) = ([[0.0; SOME]; 3], balls.len().div_ceil(SOME).max(1));
        let mut count = 0;
        for place in balls.iter().filter(is_ball).step_by(each).take(SOME) {
            (0..3).for_each(|k| some[k][count] = place[k]);
            count += 1;
        }
        self.edge = 0.0;
        for k in 0..3 {
            if is_open[k] {
                let some = &mut some[k][..count];
                if count > 0 {
                    self.origin[k] = *some.select_nth_unstable_by(count / 2, f64::total_cmp).1;
                }
                self.pitch[k] = pitch;
            }
            self.edge = max(self.edge, if is_open[k] { pitch } else { edges[k] });
        }
    }
}

/// If balls are farther apart than this number of skins, positions are stored by cells of at most 2 [`CELL`] skins.
const COARSE: f64 = (1u64 << 20) as f64;
const CELL: f64 = (1u64 << 17) as f64;

/// Number of balls whose median gives the middle cell.
const SOME: usize = 64;

/// Up to this number of bodies that are no balls may be left out of the search for pairs of balls.
const OTHERS: usize = 16;

impl World<'_> {
    /// Whether there is a valid list for this walk, as long as no body has left its listed position.
    pub(super) fn is_listed(&self, walk: &Walk<'_>, skin: f64) -> bool {
        self.ball_list[0] == self.ball_list[0].for_now(walk, skin)
    }

    /// Ensures that the list holds all pairs that touch. Returns whether the list is new.
    ///
    /// `stays`: no body has left its listed position.
    pub(super) fn listed<L>(
        &mut self,
        drive: &StepInputs<'_, L>,
        hot: &mut Hot<'_>,
        walk: &Walk<'_>,
        skin: &mut f64,
        stays: bool,
    ) -> Result<bool> {
        if stays && self.is_listed(walk, *skin) {
            return Ok(false);
        }
        let (n, was) = (walk.bodies, self.ball_list[0]);
        let now = was.for_now(walk, *skin);
        if was.wanted == *skin && !drive.settings.grows {
            *skin = min(*skin, was.skin);
        }
        let wanted = now.wanted;
        self.ball_list[0].whole = 0;
        self.id_count[0] = NOT_WHOLE;
        // The scene needs no list of its own beside this one.
        self.scene.forget_list();
        let free = if self.ball_head[0].half == 0 { &mut *self.ball_odd } else { &mut *self.ball_even };
        let over = [self.totals.as_mut_bytes(), self.ball_listed.as_mut_bytes(), free.as_mut_bytes()];
        let grid = Grid::new(&self.sizes)?;
        let Hot { places, listed: point_listed, owners, firsts, radii, arms, rest, .. } = hot;
        let points = Points { owners, firsts, radii, arms };
        let mut listing = Listing::new((&self.sizes, points.owners.len() as u64), &grid, over, rest)?;
        let (bodies, rates) = (prefix(self.bodies, n), prefix(rates_of(self.moved), n));
        let balls = Placed { places: prefix(places, points.owners.len()), points, bodies, rates };
        let listed = Bodied {
            grid,
            balls,
            points,
            bodies,
            groups: prefix(self.groups, n),
            masks: prefix(self.masks, n),
            ids: prefix(self.ids, n),
        };
        let room = self.ball_pairs.len();
        let found = loop {
            let found = listed.pairs(drive, &mut listing, walk, (*skin, &self.sizes, &mut *self.ball_pairs))?;
            if found <= room {
                break found;
            }
            let short = Error::capacity(What::Candidates, found as u64, room as u64).at(0, OF_BALLS);
            if drive.settings.grows && *skin > 0.0 {
                // Fewer pairs touch than are listed.
                let touching = listed.pairs(drive, &mut listing, walk, (0.0, &self.sizes, &mut *self.ball_pairs))?;
                self.shortage[0] = short_of_list(found as u64, touching as u64, &self.sizes);
                return Err(short);
            }
            if *skin == 0.0 {
                return Err(short);
            }
            // A list with a thinner skin may fit.
            *skin = if *skin > walk.thinnest { 0.5 * *skin } else { 0.0 };
        };
        self.ball_head[0].count = found as u32;
        let listed = if points.is_none() { &mut *self.ball_listed } else { &mut **point_listed };
        let rates = rates_of(self.moved);
        let balls =
            Placed { places: prefix(places, points.owners.len()), points, bodies: prefix(self.bodies, n), rates };
        let mut list = Listed { skin: *skin, wanted, made: was.made.wrapping_add(1), ..now };
        list.frame(&balls, bounds_of(&balls));
        self.ball_list[0] = list;
        let leash = self.ball_list[0].leash();
        for (i, (listed, place)) in listed.iter_mut().zip(balls.iter()).enumerate() {
            let plane = rates.get(points.owner(i)).map_or([0.0; 4], |rate| plane_of(&place, rate));
            *listed = leash.listed(plane, place[3] == f64::INFINITY);
        }
        Ok(true)
    }
}

impl<'b> Bodied<'b> {
    /// Writes all pairs that may touch while no body moves by more than half of the skin, in the order of ids, as far as there is room. Returns
    /// their number.
    fn pairs<L>(
        &self,
        drive: &StepInputs<'_, L>,
        listing: &mut Listing<'_>,
        walk: &Walk<'_>,
        (skin, sizes, to): (f64, &WorldSizes, &mut [[u32; 2]]),
    ) -> Result<usize> {
        let Listing([found, bounds, search]) = listing;
        let looking = Looking {
            of: self,
            wanted: if self.are_all_wanted() { None } else { Some(self.wanted()) },
            periods: walk.images.periods,
            skin,
        };
        let rows = with_points(sizes, self.points.owners.len() as u64);
        let (sorted, cells) = (Sorted::new(search, &rows)?, Cells::new(bounds, &rows)?);
        let slabs = Slabs::new(found, sizes)?.pairs;
        if let Some(found) = looking.pairs((drive.exec, drive.isa), (sorted, cells), &mut *slabs, &mut *to) {
            let found = found as usize;
            return if self.points.is_none() || found > to.len() {
                Ok(found)
            } else {
                self.put_by_bodies(found, slabs, to)
            };
        }
        if !self.points.is_none() {
            // General steps are used for these.
            return Err(Error::new(Kind::Unsupported, What::Candidates));
        }
        let (bounds, found) = (Bounds::new(bounds, sizes)?, FoundPairs::new(found, sizes)?.pairs);
        let Search { grid, rest } = Search::new(search, sizes, &self.grid)?;
        let count = self.pairs_by_grid(drive, (bounds, [grid, &mut *rest], &mut *found), walk, skin)?;
        if let Some(pairs) = found.get_mut(..count).filter(|pairs| pairs.len() <= to.len()) {
            self.put_in_order(pairs, Order::new(rest, sizes)?, to);
        }
        Ok(count)
    }

    /// The plane of a half-space, or the position of a ball.
    pub fn plane(&self, i: usize) -> [f64; 4] {
        let (place, rate) = (self.balls.get(i), self.balls.rates.get(self.points.owner(i)));
        place.zip(rate).map_or([0.0; 4], |(place, rate)| plane_of(&place, rate))
    }

    /// Sorts pairs of balls by their bodies. Pairs of the same two bodies are consecutive and in one chunk of the list, with gaps before them.
    /// Returns the number of items, including gaps.
    ///
    /// Errors: [`Kind::Unsupported`] if two bodies have too many pairs.
    fn put_by_bodies(&self, found: usize, spare: &mut [[u32; 2]], to: &mut [[u32; 2]]) -> Result<usize> {
        let owner = |i: u32| self.points.owner(i as usize);
        let slots = |pair: &[u32; 2]| pair.map(owner);
        let all = to.get_mut(..found).unwrap_or_default();
        for own in all.chunk_by_mut(|x, y| owner(x[0]) == owner(y[0])) {
            own.sort_unstable_by_key(|[p, q]| (self.ids.get(owner(*q)), *p, *q));
        }
        let spare = spare.get_mut(..found).unwrap_or_default();
        spare.copy_from_slice(all);
        let mut at = 0;
        for group in spare.chunk_by(|x, y| slots(x) == slots(y)) {
            let left = PAIRS - at % PAIRS;
            if group.len() > PAIRS {
                return Err(Error::new(Kind::Unsupported, What::Candidates));
            }
            if group.len() > left {
                to.iter_mut().skip(at).take(left).for_each(|gap| *gap = GAP);
                at += left;
            }
            to.iter_mut().skip(at).zip(group).for_each(|(to, pair)| *to = *pair);
            at += group.len();
        }
        Ok(at)
    }

    /// Whether all pairs of balls are wanted, so that no test is needed.
    fn are_all_wanted(&self) -> bool {
        if !self.points.is_none() {
            return false;
        }
        let rows = self.groups.iter().zip(self.masks).zip(self.bodies).zip(self.balls.iter());
        let balls = rows.filter(|(_, place)| is_ball(place));
        let (groups, masks, move_all) = balls.fold((u32::MAX, u32::MAX, true), |all, (((group, mask), body), _)| {
            (all.0 & group, all.1 & mask, all.2 & body.is_dynamic())
        });
        move_all && groups & masks != 0
    }

    /// The data that decide which pairs are wanted.
    pub fn wanted(&self) -> Wanted<'b> {
        Wanted { points: self.points, bodies: self.bodies, groups: self.groups, masks: self.masks }
    }

    /// The same in any order, by the hierarchical grid.
    fn pairs_by_grid<L>(
        &self,
        drive: &StepInputs<'_, L>,
        (Bounds { radii, groups }, [grid, rest], found): (Bounds<'_>, [&mut [u8]; 2], &mut [Candidate]),
        walk: &Walk<'_>,
        skin: f64,
    ) -> Result<usize> {
        let n = walk.bodies;
        let mut others = 0;
        for (place, ((radius, to), group)) in self.balls.iter().zip(radii.iter_mut().zip(&mut *groups).zip(self.groups))
        {
            let is_ball = is_ball(&place);
            *radius = if is_ball { wide(&place, skin) } else { 0.0 };
            *to = if is_ball { *group } else { 0 };
            others += usize::from(!is_ball);
        }
        let all_wanted = others <= OTHERS && self.are_all_wanted();
        let motions = crate::body::Columns::new(self.bodies)?.motions;
        let wanted = self.wanted();
        let flat = self.pairs_with_planes((wanted, skin), found);
        let columns = Columns { count: n, stride: size_of::<Body>(), component_stride: 8, scalar: Scalar::F64 };
        let space = Space { periods: walk.images.periods, ..Space::OPEN };
        let centres = Array::new(self.bodies.as_bytes(), columns, What::Centres)?;
        let all = Proxies::new(centres, Array::from_numbers(prefix(radii, n)));
        let (groups, masks) = (Words::from_slice(prefix(groups, n)), Words::from_slice(self.masks));
        let some = Proxies { motions: Some(motions), groups: Some(groups), masks: Some(masks), ..all };
        let to = found.get_mut(flat..).unwrap_or_default();
        let mut look = |bodies, to: &mut [Candidate]| -> Result<usize> {
            let query = Query { bodies, space, margin: 0.0 };
            match self.grid.pairs((drive.exec, drive.isa), &query, [&mut *grid, &mut *rest], to) {
                Err(error) if error.kind == Kind::Capacity && error.what == What::Output => Ok(error.needed as usize),
                others => others,
            }
        };
        if all_wanted {
            let count = look(all, &mut *to)?;
            if let Some(pairs) = to.get_mut(..count) {
                // Other bodies are points in that search.
                return Ok(flat + if others > 0 { of_balls(&self.balls, pairs) } else { count });
            }
        }
        Ok(flat + look(some, to)?)
    }

    /// The same for half-spaces and balls.
    fn pairs_with_planes(&self, (wanted, skin): (Wanted<'_>, f64), found: &mut [Candidate]) -> usize {
        let places = self.balls;
        let mut count = 0;
        for (e, _) in places.iter().enumerate().filter(|(_, place)| place[3] == f64::INFINITY) {
            let [u, v, w, high] = self.plane(e);
            for (i, place) in places.iter().enumerate() {
                if !is_ball(&place) || !wanted.both(e, i) {
                    continue;
                }
                let [x, y, z, _] = place;
                let slack = PLANE * (Real::abs(high) + Real::abs(x) + Real::abs(y) + Real::abs(z));
                if dot([u, v, w], [x, y, z]) - high <= wide(&place, 2.0 * skin) + slack {
                    put(found, count, Candidate { a: e as u32, b: i as u32, ..Candidate::default() });
                    count += 1;
                }
            }
        }
        count
    }

    /// Sorts pairs by the id of A, and keeps the order of B.
    fn put_in_order(&self, list: &mut [Candidate], order: Order<'_>, to: &mut [[u32; 2]]) {
        let (ids, n) = (self.ids, self.ids.len());
        let Order { ranks, order, starts } = order;
        let (Some(ranks), Some(order), Some(starts)) = (ranks.get_mut(..n), order.get_mut(..n), starts.get_mut(..n))
        else {
            return;
        };
        // Usually slots are in the order of ids: then a slot is its own rank.
        let is_sorted = ids.is_sorted();
        if !is_sorted {
            order.iter_mut().zip(0..).for_each(|(to, i)| *to = i);
            order.sort_unstable_by_key(|i| ids.get(*i as usize));
            for (i, rank) in order.iter().zip(0..) {
                put(ranks, *i as usize, rank);
            }
        }
        for pair in list.iter_mut() {
            if !is_sorted {
                [pair.a, pair.b] = [pair.a, pair.b].map(|i| ranks.get(i as usize).copied().unwrap_or_default());
            }
            (pair.a, pair.b) = (pair.a.min(pair.b), pair.a.max(pair.b));
        }
        by_number(list.iter(), starts, |pair| pair.a as usize, |at, pair| put(to, at, [pair.a, pair.b]));
        let pairs = to.get_mut(..list.len()).unwrap_or_default();
        pairs.chunk_by_mut(|one, other| one[0] == other[0]).for_each(<[[u32; 2]]>::sort_unstable);
        if !is_sorted {
            for pair in pairs {
                *pair = pair.map(|rank| order.get(rank as usize).copied().unwrap_or_default());
            }
        }
    }
}

impl Wanted<'_> {
    /// Whether two bodies may be a pair.
    pub fn both(&self, a: usize, b: usize) -> bool {
        let [a, b] = [a, b].map(|i| self.points.owner(i));
        if a == b {
            return false;
        }
        let motion = |i: usize| self.bodies.get(i).map_or(Motion::Ghost as u32, |body| body.motion);
        let of = |words: &[u32], i: usize| words.get(i).copied().unwrap_or_default();
        Motion::wanted(motion(a), motion(b))
            && of(self.groups, a) & of(self.masks, b) != 0
            && of(self.groups, b) & of(self.masks, a) != 0
    }
}

/// The missing room for a list of `pairs`, of which `touching` touch: a quarter more for contacts, for springs of torsion.
pub(in crate::world) fn short_of_list(pairs: u64, touching: u64, sizes: &WorldSizes) -> Shortage {
    let contacts = touching.saturating_add(touching / 4);
    let ball_contacts = if contacts > sizes.ball_contacts.into() { contacts } else { 0 };
    Shortage { ball_pairs: pairs, ball_contacts, ..Shortage::default() }
}

/// Moves pairs of balls to the front, and returns their number.
fn of_balls(places: &Placed<'_>, pairs: &mut [Candidate]) -> usize {
    let is_ball = |i: u32| places.get(i as usize).is_some_and(|place| is_ball(&place));
    let mut count = 0;
    for i in 0..pairs.len() {
        let pair = pairs[i];
        pairs[count] = pair;
        count += usize::from(is_ball(pair.a) && is_ball(pair.b));
    }
    count
}
