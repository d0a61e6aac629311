//! The list of pairs that are near, and of which pairs each body is B.

use zerocopy::{FromBytes, Immutable, IntoBytes};

use super::cells::{Cells, Looking, Sorted};
use super::points::Points;
use super::round::Rate;
use super::walk::Walk;
use super::{Hot, PAIRS, WORDS, plane_of, rates_of};
use crate::array::{Array, Layout as Columns, Scalar, Words};
use crate::body::Body;
use crate::broad::{Bodies, Candidate, Motion, Query, Space};
use crate::detect::Wrench;
use crate::error::{Error, Kind, Result, What};
use crate::memory::{Layout, Plan, sections};
use crate::real::{Real, max, min};
use crate::vector::dot;
use crate::world::block::{OF_BALLS, World, WorldSizes};
use crate::world::grid::Grid;
use crate::world::names::NOT_WHOLE;
use crate::world::slots::put;
use crate::world::step::{Drive, prefix};

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
    /// One that is of use to such a walk.
    fn for_now(&self, walk: &Walk<'_>, skin: f64) -> Listed {
        let bodies = walk.bodies as u32;
        Listed { periods: walk.images.periods, skin: self.skin, wanted: skin, bodies, whole: 1 }
    }

    /// How far bodies may be from where they were listed.
    pub fn limit(&self) -> f64 {
        0.499 * self.skin
    }
}

sections! {
    /// The pairs of each body, as places in the list.
    pub(super) struct Index<'s>(n: &WorldSizes; bodies = u64::from(n.bodies), pairs = u64::from(n.ball_pairs)) {
        /// Where those begin and end of which it is A.
        pub as_a: [[u32; 2]; bodies],
        /// Where those end in `places_as_b` of which it is B.
        as_b: [u32; bodies],
        places_as_b: [u32; pairs],
    }
}

impl Index<'_> {
    /// Of a list in the order of ids: so are the pairs of a body, first those of which it is B.
    pub fn make(&mut self, pairs: &[[u32; 2]], bodies: usize, points: &Points<'_>) {
        let (as_a, as_b) = (self.as_a.get_mut(..bodies), self.as_b.get_mut(..bodies));
        let (Some(as_a), Some(as_b)) = (as_a, as_b) else { return };
        as_a.fill([0; 2]);
        as_b.fill(0);
        for (k, pair) in (0..).zip(pairs) {
            let [a, b] = pair.map(|i| points.owner(i as usize));
            // Between those of one body there may be gaps.
            if let Some(own) = as_a.get_mut(a) {
                *own = if own[0] < own[1] { [own[0], k + 1] } else { [k, k + 1] };
            }
            if let Some(count) = as_b.get_mut(b) {
                *count += 1;
            }
        }
        // Where they begin, until they are all there.
        begins(as_b);
        for (k, [_, b]) in (0..).zip(pairs) {
            if let Some(end) = as_b.get_mut(points.owner(*b as usize)) {
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

/// Turns counts into where the items of each begin.
fn begins(counts: &mut [u32]) {
    let mut start = 0;
    for count in counts {
        (*count, start) = (start, start + *count);
    }
}

sections! {
    /// What the search for pairs needs of bodies.
    struct Near<'s>(n: &WorldSizes, search: &Grid; bodies = u64::from(n.bodies)) {
        grid: { search.block },
        /// Bounds with half of the skin; 0 and no group for those that have none.
        radii: [f64; bodies],
        groups: [u32; bodies],
    }
}

sections! {
    /// What puts pairs in order, behind the search.
    struct Order<'s>(n: &WorldSizes; bodies = u64::from(n.bodies)) {
        /// The place of each body in the order of ids, and the bodies in this order.
        ranks: [u32; bodies],
        order: [u32; bodies],
        /// Where the pairs begin of which it is A.
        starts: [u32; bodies],
    }
}

sections! {
    /// Scratch of the search, then of putting its pairs in order.
    struct Rest<'s>(n: &WorldSizes, search: &Grid) {
        rest: { search.rest, Order::layout(n)? },
    }
}

sections! {
    /// Pairs as they are found.
    struct Found<'s>(n: &WorldSizes) {
        pairs: [Candidate; u64::from(n.ball_pairs)],
    }
}

sections! {
    /// Pairs as they are found by cells, on several lanes.
    struct Slabs<'s>(n: &WorldSizes) {
        pairs: [[u32; 2]; u64::from(n.ball_pairs)] * 2,
    }
}

/// Memory of the search for pairs: it lies over what steps write anew behind it, as far as there is room, else in scratch.
struct Listing<'s>([&'s mut [u8]; 3]);

impl<'s> Listing<'s> {
    /// What each part of it takes, in a search by cells or by the grid.
    fn layouts(n: &WorldSizes, points: u64, search: &Grid) -> Result<[Layout; 3]> {
        let rows = with_points(n, points);
        Ok([
            Near::layout(n, search)?.or(Sorted::layout(&rows)?),
            Rest::layout(n, search)?.or(Cells::layout(&rows)?),
            Found::layout(n)?.or(Slabs::layout(n)?),
        ])
    }

    /// `over`: what it may lie over.
    fn new(
        (n, points): (&WorldSizes, u64),
        search: &Grid,
        over: [&'s mut [u8]; 3],
        scratch: &'s mut [u8],
    ) -> Result<Self> {
        let mut left = scratch;
        let mut parts = over;
        for (part, layout) in parts.iter_mut().zip(Listing::layouts(n, points, search)?) {
            if part.len() < layout.size {
                let short = Error::capacity(What::Scratch, layout.size as u64, left.len() as u64);
                (*part, left) = left.split_at_mut_checked(layout.size).ok_or(short)?;
            }
        }
        Ok(Listing(parts))
    }
}

/// Sizes for a search with so many places in place of bodies, where these are more.
fn with_points(n: &WorldSizes, points: u64) -> WorldSizes {
    WorldSizes { bodies: max(u64::from(n.bodies), points).min(u64::from(u32::MAX)) as u32, ..*n }
}

/// Scratch of the search for pairs: what does not fit over the sums of bodies, where they were listed, and springs that are not those of the accepted state.
pub(super) fn scratch(n: &WorldSizes, points: u64) -> Result<Layout> {
    let [bodies, contacts] = [n.bodies, n.ball_contacts].map(u64::from);
    let over = [
        bodies * size_of::<Wrench>() as u64,
        bodies * size_of::<[f64; 4]>() as u64,
        contacts * WORDS * size_of::<u64>() as u64,
    ];
    let layouts = Listing::layouts(n, points, &Grid::new(n)?)?.into_iter().zip(over);
    let outside = layouts.filter(|(layout, over)| layout.size as u64 > *over);
    let bytes = outside.fold(0u64, |sum, (layout, _)| sum.saturating_add(layout.size as u64));
    Plan::new().add::<u8>(bytes).layout(What::Scratch)
}

/// A place of the list without a pair.
pub(super) const GAP: [u32; 2] = [u32::MAX; 2];

/// So many bodies that are no balls may be left out of the pairs of balls when these are found.
const OTHERS: usize = 16;

/// A body that may be in a pair, and how it moves.
#[derive(Clone, Copy)]
pub(super) struct Wanted<'w> {
    points: Points<'w>,
    bodies: &'w [Body],
    groups: &'w [u32],
    masks: &'w [u32],
}

impl World<'_> {
    /// Whether there is a list for such a walk, while no body has left the place where it was listed.
    pub(super) fn is_listed(&self, walk: &Walk<'_>, skin: f64) -> bool {
        self.ball_list[0] == self.ball_list[0].for_now(walk, skin)
    }

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
        if stays && self.is_listed(walk, *skin) {
            return Ok(false);
        }
        let (n, was) = (walk.bodies, self.ball_list[0]);
        let now = was.for_now(walk, *skin);
        if was.wanted == *skin {
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
        let places = prefix(places, walk.rows);
        let listed = Bodied {
            grid,
            places,
            points,
            bodies: prefix(self.bodies, n),
            rates: rates_of(self.moved),
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
            if *skin == 0.0 {
                return Err(Error::capacity(What::Candidates, found as u64, room as u64).at(0, OF_BALLS));
            }
            // There may be room for a list with a thinner skin.
            *skin = if *skin > walk.thinnest { 0.5 * *skin } else { 0.0 };
        };
        self.ball_head[0].count = found as u32;
        let rates = rates_of(self.moved);
        let listed = if points.is_none() { &mut *self.ball_listed } else { &mut **point_listed };
        for (i, (listed, place)) in listed.iter_mut().zip(places).enumerate() {
            *listed = rates.get(points.owner(i)).map_or([0.0; 4], |rate| plane_of(place, rate));
        }
        self.ball_list[0] = Listed { skin: *skin, wanted, ..now };
        Ok(true)
    }
}

/// Bodies whose pairs are looked for.
pub(super) struct Bodied<'b> {
    grid: Grid,
    pub places: &'b [[f64; 4]],
    pub points: Points<'b>,
    bodies: &'b [Body],
    pub rates: &'b [Rate],
    pub groups: &'b [u32],
    masks: &'b [u32],
    pub ids: &'b [u64],
}

impl<'b> Bodied<'b> {
    /// Writes all pairs that may touch while no body goes farther than half of the skin in the order of ids, as far as there is room. Gives how many there are.
    fn pairs<L>(
        &self,
        drive: &Drive<'_, L>,
        listing: &mut Listing<'_>,
        walk: &Walk<'_>,
        (skin, sizes, to): (f64, &WorldSizes, &mut [[u32; 2]]),
    ) -> Result<usize> {
        let Listing([near, rest, found]) = listing;
        let looking = Looking {
            of: self,
            wanted: if self.are_all_wanted() { None } else { Some(self.wanted()) },
            periods: walk.images.periods,
            skin,
        };
        let rows = with_points(sizes, self.points.owners.len() as u64);
        let (sorted, cells) = (Sorted::new(near, &rows)?, Cells::new(rest, &rows)?);
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
            // General steps are for these.
            return Err(Error::new(Kind::Unsupported, What::Candidates));
        }
        let (near, found) = (Near::new(near, sizes, &self.grid)?, Found::new(found, sizes)?.pairs);
        let count =
            self.pairs_by_grid(drive, (near, Rest::new(rest, sizes, &self.grid)?.rest, &mut *found), walk, skin)?;
        if let Some(pairs) = found.get_mut(..count).filter(|pairs| pairs.len() <= to.len()) {
            self.put_in_order(pairs, Order::new(Rest::new(rest, sizes, &self.grid)?.rest, sizes)?, to);
        }
        Ok(count)
    }

    /// The plane of a half-space, or the place of a ball.
    pub fn plane(&self, i: usize) -> [f64; 4] {
        let (place, rate) = (self.places.get(i), self.rates.get(self.points.owner(i)));
        place.zip(rate).map_or([0.0; 4], |(place, rate)| plane_of(place, rate))
    }

    /// Puts pairs of balls in the order of their bodies, and those of two bodies one behind the other into one chunk of the list, with gaps before them. Gives how many places that takes.
    ///
    /// Errors: [`Kind::Unsupported`] where there are too many of two bodies.
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

    /// Whether all pairs of balls are wanted, so that nobody is asked.
    fn are_all_wanted(&self) -> bool {
        if !self.points.is_none() {
            return false;
        }
        let rows = self.groups.iter().zip(self.masks).zip(self.bodies).zip(self.places);
        let balls = rows.filter(|(_, place)| is_ball(place));
        let (groups, masks, move_all) = balls.fold((u32::MAX, u32::MAX, true), |all, (((group, mask), body), _)| {
            (all.0 & group, all.1 & mask, all.2 & body.is_dynamic())
        });
        move_all && groups & masks != 0
    }

    /// What tells which pairs are wanted.
    pub fn wanted(&self) -> Wanted<'b> {
        Wanted { points: self.points, bodies: self.bodies, groups: self.groups, masks: self.masks }
    }

    /// The same in any order, by the hierarchical grid.
    fn pairs_by_grid<L>(
        &self,
        drive: &Drive<'_, L>,
        (Near { grid, radii, groups }, rest, found): (Near<'_>, &mut [u8], &mut [Candidate]),
        walk: &Walk<'_>,
        skin: f64,
    ) -> Result<usize> {
        let n = walk.bodies;
        let mut others = 0;
        for (place, ((radius, to), group)) in
            self.places.iter().zip(radii.iter_mut().zip(&mut *groups).zip(self.groups))
        {
            let is_ball = is_ball(place);
            *radius = if is_ball { wide(place, skin) } else { 0.0 };
            *to = if is_ball { *group } else { 0 };
            others += usize::from(!is_ball);
        }
        let all_wanted = others <= OTHERS && self.are_all_wanted();
        let motions = crate::body::Columns::new(self.bodies)?.motions;
        let wanted = self.wanted();
        let flat = self.pairs_with_planes((wanted, skin), found);
        let columns = Columns { count: n, stride: 32, component_stride: 8, scalar: Scalar::F64 };
        let space = Space { periods: walk.images.periods, ..Space::OPEN };
        let centres = Array::new(self.places.as_bytes(), columns, What::Centres)?;
        let all = Bodies::new(centres, Array::from_numbers(prefix(radii, n)));
        let (groups, masks) = (Words::from_slice(prefix(groups, n)), Words::from_slice(self.masks));
        let some = Bodies { motions: Some(motions), groups: Some(groups), masks: Some(masks), ..all };
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
                // Others are points there.
                return Ok(flat + if others > 0 { of_balls(self.places, pairs) } else { count });
            }
        }
        Ok(flat + look(some, to)?)
    }

    /// The same of half-spaces and balls.
    fn pairs_with_planes(&self, (wanted, skin): (Wanted<'_>, f64), found: &mut [Candidate]) -> usize {
        let places = self.places;
        let mut count = 0;
        for (e, _) in places.iter().enumerate().filter(|(_, place)| place[3] == f64::INFINITY) {
            let [u, v, w, high] = self.plane(e);
            for (i, place) in places.iter().enumerate() {
                if !is_ball(place) || !wanted.both(e, i) {
                    continue;
                }
                let [x, y, z, _] = *place;
                let slack = 1e-8 * (Real::abs(high) + Real::abs(x) + Real::abs(y) + Real::abs(z));
                if dot([u, v, w], [x, y, z]) - high <= wide(place, 2.0 * skin) + slack {
                    put(found, count, Candidate { a: e as u32, b: i as u32, ..Candidate::default() });
                    count += 1;
                }
            }
        }
        count
    }

    /// Puts pairs in the order of ids, by those of A.
    fn put_in_order(&self, list: &mut [Candidate], order: Order<'_>, to: &mut [[u32; 2]]) {
        let (ids, n) = (self.ids, self.ids.len());
        let Order { ranks, order, starts } = order;
        let (Some(ranks), Some(order), Some(starts)) = (ranks.get_mut(..n), order.get_mut(..n), starts.get_mut(..n))
        else {
            return;
        };
        // Most often slots are in the order of ids: then each is its own place there.
        let is_sorted = ids.is_sorted();
        if !is_sorted {
            order.iter_mut().zip(0..).for_each(|(to, i)| *to = i);
            order.sort_unstable_by_key(|i| ids.get(*i as usize));
            for (i, rank) in order.iter().zip(0..) {
                put(ranks, *i as usize, rank);
            }
        }
        starts.fill(0);
        for pair in list.iter_mut() {
            if !is_sorted {
                [pair.a, pair.b] = [pair.a, pair.b].map(|i| ranks.get(i as usize).copied().unwrap_or_default());
            }
            (pair.a, pair.b) = (pair.a.min(pair.b), pair.a.max(pair.b));
            if let Some(count) = starts.get_mut(pair.a as usize) {
                *count += 1;
            }
        }
        begins(starts);
        for pair in list.iter() {
            if let Some(at) = starts.get_mut(pair.a as usize) {
                put(to, *at as usize, [pair.a, pair.b]);
                *at += 1;
            }
        }
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

/// Whether a body has a place as balls have them.
pub(super) fn is_ball(place: &[f64; 4]) -> bool {
    place[3] > 0.0 && place[3] < f64::INFINITY
}

/// Moves pairs of balls to the front; gives their number.
fn of_balls(places: &[[f64; 4]], pairs: &mut [Candidate]) -> usize {
    let is_ball = |i: u32| places.get(i as usize).is_some_and(is_ball);
    let mut count = 0;
    for i in 0..pairs.len() {
        let pair = pairs[i];
        pairs[count] = pair;
        count += usize::from(is_ball(pair.a) && is_ball(pair.b));
    }
    count
}

/// The reach of a ball with half of the skin, and what rounding may do.
pub(super) fn wide([x, y, z, reach]: &[f64; 4], skin: f64) -> f64 {
    let far = max(max(Real::abs(*x), Real::abs(*y)), Real::abs(*z));
    reach * (1.0 + 1e-8) + 0.5 * skin + 1e-14 * far
}
