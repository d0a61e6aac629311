//! The candidates: pairs of bodies that may be in contact, in the order of their contacts.
//!
//! The grid finds pairs of balls, and of bodies of about the same size. A tree of boxes finds pairs with huge bodies. Unbounded bodies are
//! compared with all others. While a list with a [skin](super::neighbour_list) is valid, it replaces all of these searches. Alternatively, a
//! host names the pairs.

use zerocopy::{FromBytes, Immutable, IntoBytes};

use super::all_bounds::AllBounds;
use super::bodies::Bodies;
use super::box_bodies::{self, Huge, counted};
use super::ids::Ranks;
use super::neighbour_list::{self, ListMemory, NeighbourList, head};
use super::planes::{self, Endless};
use super::scene::KeptRef;
use super::settings::Settings;
use super::sort_by_body::{self, SortMemory};
use super::sphere_bounds::Bounds;
use super::widened_bounds::Skins;
use crate::array::{Array, Words};
use crate::broad::{BoxTree, Candidate, Direction, GridReport, HGrid, Query, Space, brute, hgrid_scratch};
use crate::error::{Error, Kind, Result, What};
use crate::exec::Executor;
use crate::memory::{Layout, sections};
use crate::simd::Isa;

/// The most bodies for which all pairs are tested one by one, which is then faster than a grid.
const FEW: usize = 16;

/// Up to this many unbounded bodies, their pairs of spheres are removed after the search. With more, the search itself skips these bodies.
const PLANES: usize = 4;

/// Moves candidates without any of these bodies to the front, and gives their number.
fn without(bodies: &[u32], candidates: &mut [Candidate]) -> usize {
    if bodies.is_empty() {
        return candidates.len();
    }
    let mut count = 0;
    for i in 0..candidates.len() {
        let candidate = candidates[i];
        candidates[count] = candidate;
        count += usize::from(!bodies.contains(&candidate.a) && !bodies.contains(&candidate.b));
    }
    count
}

/// Moves candidates that are neither two balls nor a ball and a half-space to the front, and gives their number.
fn without_balls(bodies: &Bodies<'_>, candidates: &mut [Candidate]) -> usize {
    let mut count = 0;
    for i in 0..candidates.len() {
        let candidate = candidates[i];
        candidates[count] = candidate;
        count +=
            usize::from(![candidate.a, candidate.b].iter().all(|body| bodies.shape_of(*body as usize).0.is_round()));
    }
    count
}

/// Scratch for this many bodies and candidates.
pub(super) fn scratch(bodies: u32, candidates: u32) -> Result<Layout> {
    let of_candidates = SortMemory::<Candidate>::layout(candidates.into())?.or(NamedPairs::layout(candidates.into())?);
    let of_bodies = hgrid_scratch(bodies)?.or(box_bodies::scratch(bodies)?).or(planes::scratch(bodies)?);
    Ok(of_candidates.or(of_bodies).or(ListMemory::layout(bodies.into())?))
}

/// A pair that a host names, by ranks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
struct Named {
    pair: Candidate,
    /// Twice the index of the pair in the host's list, plus 1 if the host's A is B here.
    origin: u32,
}

sections! {
    /// Scratch of [`named`].
    struct NamedPairs<'s>(count: u64) {
        list: [Named; count],
    }
}

/// Writes a host's pairs as ordered candidates, with their origins, and gives their number.
///
/// Errors: [`Kind::BadIndex`], [`Kind::OutOfRange`] and [`Kind::Duplicate`] with the place of the pair, [`Kind::Capacity`], for
/// [`What::Candidates`].
pub(super) fn named(
    pairs: &[Candidate],
    (ranks, all_bounds): (Ranks<'_>, &AllBounds<'_>),
    out: &mut [Candidate],
    origins: &mut [u32],
    scratch: &mut [u8],
) -> Result<usize> {
    let (n, count) = (all_bounds.centres.len(), pairs.len());
    if count > out.len() {
        return Err(Error::capacity(What::Candidates, count as u64, out.len() as u64));
    }
    let NamedPairs { list } = NamedPairs::new(scratch, count as u64)?;
    for (i, (to, pair)) in list.iter_mut().zip(pairs).enumerate() {
        for (component, body) in [pair.a, pair.b].into_iter().enumerate() {
            if body as usize >= n {
                let error = Error::new(Kind::BadIndex, What::Candidates).at(i as u64, component as u32);
                return Err(error.amounts(n as u64, body.into()));
            }
        }
        let ranked = ranks.ranked(pair);
        let endless = [ranked.a, ranked.b].iter().any(|body| all_bounds.endless.ids.binary_search(body).is_ok());
        let no_image = |k: usize| pair.shift[k] != 0 && (endless || all_bounds.periods[k] == 0.0);
        if (pair.a == pair.b && pair.shift == [0; 3]) || (0..3).any(no_image) {
            return Err(Error::new(Kind::OutOfRange, What::Candidates).at(i as u64, 2));
        }
        let turned = (ranked.a, ranked.shift) != (ranks.rank(pair.a), pair.shift);
        *to = Named { pair: ranked, origin: 2 * i as u32 + u32::from(turned) };
    }
    list.sort_unstable();
    if let Some([first, second]) =
        list.windows(2).filter_map(<[Named]>::first_chunk::<2>).find(|[x, y]| x.pair == y.pair)
    {
        let [first, second] = [first, second].map(|named| u64::from(named.origin >> 1));
        return Err(Error::new(Kind::Duplicate, What::Candidates).at(second, 0).amounts(0, first));
    }
    for ((named, to), origin) in list.iter().zip(out).zip(origins) {
        (*to, *origin) = (named.pair, named.origin);
    }
    Ok(count)
}

/// The candidates of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct CandidateList {
    /// Number of candidates in the list.
    pub count: usize,
    /// Whether the list has a skin, so that it may have candidates whose bounds do not meet.
    pub wide: bool,
    /// Whether the list is from an earlier search. Bodies may have been wrapped since then.
    pub kept: bool,
    /// Steps since the list was made.
    pub age: u32,
}

/// How a step looks for candidates.
pub(super) struct Search<'a, 'm> {
    pub exec: &'a dyn Executor,
    pub isa: Isa,
    /// Whether pairs of balls and half-spaces are left out.
    pub without_balls: bool,
    pub grid: &'a mut HGrid<'m>,
    pub boxes: &'a mut BoxTree<'m>,
    /// The committed step, which tells how fast bodies move and so how long a list would last.
    pub last: KeptRef<'a>,
    pub ranks: Ranks<'a>,
}

/// The bounds with which pairs are searched.
struct Asked<'a> {
    bodies: &'a Bodies<'a>,
    space: Space,
    centres: &'a mut [[f64; 3]],
    radii: &'a mut [f64],
    groups: &'a [u32],
    huge: Huge<'a>,
    endless: Endless<'a>,
    /// Skins of planes; all other bounds here are already widened.
    skins: Option<Skins>,
}

impl Search<'_, '_> {
    /// Makes sure that the list has all candidates, ordered by (a, b, shift). It keeps an earlier list that has a skin and lacks no pair; otherwise
    /// it makes a new one. `shift` counts periods from the positions at which the list was made; `moved` receives the periods by which bodies have
    /// been wrapped since.
    ///
    /// Errors: those of the grid; [`Kind::Capacity`] for [`What::Candidates`].
    pub fn list(
        &mut self,
        neighbours: &mut NeighbourList<'_>,
        bounds: &mut Bounds<'_>,
        (bodies, huge, settings): (&Bodies<'_>, Huge<'_>, &Settings),
        moved: &mut [[i16; 4]],
        scratch: &mut [u8],
    ) -> Result<CandidateList> {
        let all_bounds = AllBounds::new(bodies, bounds, huge, settings.periods);
        let (n, space) = (bodies.len(), all_bounds.space());
        let (can_hold, own) = (neighbours.can_hold(&all_bounds), settings.skin == 0.0 && bodies.len() > FEW);
        let skin = if own { neighbours.skin() } else { settings.skin };
        if skin > 0.0
            && can_hold
            && let Some((count, age)) =
                neighbours.holds(self.exec, &all_bounds, (skin, self.without_balls), moved, scratch)?
        {
            return Ok(CandidateList { count, wide: true, kept: true, age });
        }
        let lasting = || super::skin_life::lasting(&all_bounds, self.last, self.ranks);
        let skin = if own { neighbours.own_skin(lasting) } else { skin };
        if let Some(skins) = Skins::new(skin).filter(|_| can_hold) {
            neighbours.widen(self.exec, &all_bounds, skins);
            let asked = Asked {
                bodies,
                space,
                centres: head(neighbours.centres, n),
                radii: head(neighbours.radii, n),
                groups: bounds.groups,
                huge: huge.with(neighbours.huge),
                endless: all_bounds.endless,
                skins: Some(skins),
            };
            match self.run(asked, neighbours.candidates, &mut neighbours.grid[0], scratch) {
                Ok(count) => {
                    neighbours.finish(&all_bounds, (skin, self.without_balls), count);
                    return Ok(CandidateList { count, wide: true, kept: false, age: 0 });
                }
                Err(e) if e.what == What::Candidates && !own => return Err(e),
                // Widened bounds may be too wide for a periodic box, or give too many candidates. Any other error comes up again in the search
                // without a skin.
                Err(_) => neighbours.pause(neighbour_list::WAIT),
            }
        }
        neighbours.forget();
        let endless = Endless::new(bodies, bounds);
        let Bounds { centres, radii, groups, .. } = bounds;
        let asked = Asked { bodies, space, centres, radii, groups, huge, endless, skins: None };
        let count = self.run(asked, neighbours.candidates, &mut neighbours.grid[0], scratch)?;
        Ok(CandidateList { count, wide: false, kept: false, age: 0 })
    }

    /// Searches for all candidates and writes them, and a report of the grid.
    fn run(
        &mut self,
        asked: Asked<'_>,
        out: &mut [Candidate],
        grid: &mut GridReport,
        scratch: &mut [u8],
    ) -> Result<usize> {
        *grid = GridReport::default();
        let Asked { bodies, space, centres, radii, groups, huge, endless, skins } = asked;
        // Unbounded bodies have no images, so they have a search of their own.
        let flat = endless.pairs(self.exec, centres, radii, skins, out, scratch)?;
        // The grid must not see the sizes of huge bodies or the positions of lost bodies.
        huge.hide(centres, radii);
        let others = {
            let (centres, radii) = (Array::from_f64(centres), Array::from_numbers(radii));
            let out = out.get_mut(flat..).unwrap_or_default();
            let query = |groups| Query { bodies: bodies.broad(centres, radii, groups), space, margin: 0.0 };
            let all = query(bodies.groups);
            let few = huge.bodies.is_empty() && endless.ids.len() <= PLANES && all.bodies.all_wanted();
            // If the host allows all pairs, the search needs no groups. The pairs of the few unbounded bodies, which are points there, are then
            // removed afterwards.
            match few.then(|| self.spheres_and_boxes(&all, &huge, out, grid, scratch)) {
                Some(Ok(count)) if count <= out.len() => Ok(without(endless.ids, head(out, count))),
                _ => self.spheres_and_boxes(&query(Some(Words::from_slice(groups))), &huge, out, grid, scratch),
            }
        };
        huge.show(centres, radii);
        let mut count = flat + others?;
        if count > out.len() {
            return Err(Error::capacity(What::Candidates, count as u64, out.len() as u64));
        }
        if self.without_balls {
            count = without_balls(bodies, head(out, count));
        }
        let memory = SortMemory::new(scratch, count as u64)?;
        sort_by_body::by_body(self.exec, bodies.len(), head(out, count), |c| c.a, memory);
        Ok(count)
    }

    /// Candidates of bounded bodies. Candidates that do not fit are only counted.
    fn spheres_and_boxes(
        &mut self,
        query: &Query<'_>,
        huge: &Huge<'_>,
        out: &mut [Candidate],
        report: &mut GridReport,
        scratch: &mut [u8],
    ) -> Result<usize> {
        let boxed = huge.pairs(self.isa, self.exec, query, self.boxes, out, scratch)?;
        let rest = out.get_mut(boxed..).unwrap_or_default();
        if query.bodies.len() <= FEW {
            return Ok(boxed + counted(brute(query, rest))?);
        }
        self.grid.rebuild(self.exec, query, &[], scratch)?;
        let grid = self.grid.as_ref();
        let near = grid.search(self.exec, self.isa, query, Direction::TopDown, rest, scratch);
        Ok(boxed
            + counted(near.map(|searched| {
                *report = grid.report(&searched);
                searched.pairs
            }))?)
    }
}
