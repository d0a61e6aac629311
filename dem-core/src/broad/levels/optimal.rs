//! The optimal number of levels and their cell sizes (P1 section 5.2.4), for any distribution of radii.
//!
//! The cost of P1 (27) is a sum over levels, and each term depends only on a level's size and the size below
//! (`Model::part`). So the best choice from a list of candidate sizes is a shortest path, which is found exactly and
//! has no local minima. The search starts with few candidates and refines the list around the best path.

use super::model::{Cut, expected};
use super::radii::geometric;
use super::shortest_path::{Field, Room, WIDTH};
use super::{Expected, Model, Radii, Search, check_count};
use crate::error::{Error, Kind, Result, What};
use crate::memory::{Layout, sections};
use crate::real::{exp, ln, min};

/// Number of candidate sizes, in equal ratios; for distributions of given radii each is moved to the next radius below.
const FINE: usize = 4096;

/// Number of evenly spaced candidates of the first search, and of steps in the number and in the volume of bodies.
const COARSE: usize = 128;

/// Largest number of levels that are searched for.
pub const MOST_OPTIMAL: usize = 128;

/// Candidates on either side of a size in a refined list.
const AROUND: usize = 3;

/// Number of candidates that are larger than all bodies.
const LARGER: usize = 128;

/// Upper bound of candidates beyond the largest diameter: the factor by which the number of bodies per cell may grow,
/// or that number itself where bodies are sparse.
const FULLEST: f64 = 32.0;

/// Largest number of searches with the same spacing of candidates.
const ROUNDS: usize = 32;

/// A level is left out where it saves less than this part of the time.
const NEGLIGIBLE: f64 = 2e-6;

/// Optimal cell sizes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Optimum {
    /// Number of sizes that were written, ascending; the last one is the largest diameter, or larger with
    /// [`Search::Rows`].
    pub levels: usize,
    /// Expected cost of these sizes.
    pub expected: Expected,
}

/// Scratch for [`optimal`] and [`optimal_exactly`] with this many levels: 310 kB, and 2 kB for each level.
///
/// Errors: `OutOfRange` for none, `TooLarge` for more than [`MOST`](super::MOST).
pub fn optimal_scratch(levels: usize) -> Result<Layout> {
    check_count(levels)?;
    Memory::layout(min(levels, MOST_OPTIMAL) as u64)
}

sections! {
    /// Scratch of a search.
    struct Memory<'s>(levels: u64; width = WIDTH as u64) {
        cuts: [Cut; FINE as u64],
        room: Room(levels, width),
        nodes: [u32; width],
        path: [u32; levels],
    }
}

/// Writes the cheapest sizes: as many as pay, at most `sizes.len()`. Their time is at most 1e-4 above the minimum over
/// all sizes whose last one is the largest diameter (P1 section 5.2.4). A level that saves less than 2e-6 of the time
/// is left out.
///
/// `scratch` is [`optimal_scratch`]. Errors: as [`expected`]; [`Kind::Capacity`] for the scratch. Cost: 4,000 look-ups
/// of moments, and some milliseconds; with fewer sizes than would pay, as [`optimal_exactly`].
pub fn optimal(radii: &impl Radii, model: &Model, sizes: &mut [f64], scratch: &mut [u8]) -> Result<Optimum> {
    let mut search = Descent::new(radii, model, sizes.len(), scratch)?;
    let count = search.settle(None);
    search.write(radii, count, sizes)
}

/// Writes the cheapest sizes, exactly `sizes.len()`. Some are equal where fewer would be better.
///
/// Errors: as [`optimal`]; [`Kind::TooLarge`] for more than [`MOST_OPTIMAL`]. Cost: as [`optimal`], and a shortest path
/// for each level.
pub fn optimal_exactly(radii: &impl Radii, model: &Model, sizes: &mut [f64], scratch: &mut [u8]) -> Result<Optimum> {
    let levels = sizes.len();
    if levels > MOST_OPTIMAL {
        return Err(Error::new(Kind::TooLarge, What::CellSizes).amounts(MOST_OPTIMAL as u64, levels as u64));
    }
    let mut search = Descent::new(radii, model, levels, scratch)?;
    search.settle(Some(levels));
    search.write(radii, levels, sizes)
}

struct Descent<'a> {
    field: Field<'a>,
    room: Room<'a>,
    nodes: &'a mut [u32],
    path: &'a mut [u32],
}

impl<'a> Descent<'a> {
    fn new(radii: &impl Radii, model: &'a Model, levels: usize, scratch: &'a mut [u8]) -> Result<Self> {
        model.check()?;
        check_count(levels)?;
        let Memory { cuts, room, nodes, path } = Memory::new(scratch, min(levels, MOST_OPTIMAL) as u64)?;
        let cuts = candidates(radii, model, cuts);
        Ok(Descent { field: Field { model, cuts, toll: 0.0 }, room, nodes, path })
    }

    /// Finds the best path with this number of levels, or with any number. Gives the number of levels.
    fn settle(&mut self, exactly: Option<usize>) -> usize {
        let mut stride = self.field.cuts.len().div_ceil(COARSE);
        let nodes = coarse(self.field.cuts, stride, self.nodes);
        let mut exactly = exactly;
        let (mut count, mut cost) = self.shortest(nodes, &mut exactly, 0);
        if exactly.is_none() {
            self.field.toll = NEGLIGIBLE * cost;
            (count, cost) = self.shortest(nodes, &mut exactly, count);
        }
        while stride > 1 {
            stride = stride.div_ceil(2);
            for _ in 0..ROUNDS {
                let nodes = self.finer(count, stride);
                let last = cost;
                (count, cost) = self.shortest(nodes, &mut exactly, count);
                if cost >= last || cost.is_nan() {
                    break;
                }
            }
        }
        count
    }

    /// The shortest path through the first nodes: its number of levels, and its cost. Where the best path has more
    /// levels than there is room for, sets `exactly` to the number that there is room for.
    fn shortest(&mut self, nodes: usize, exactly: &mut Option<usize>, before: usize) -> (usize, f64) {
        let nodes = self.nodes.get(..nodes).unwrap_or_default();
        if exactly.is_none() {
            if let Some(found) = self.field.free(nodes, &mut self.room, self.path) {
                return found;
            }
            *exactly = Some(self.path.len());
        }
        let levels = exactly.unwrap_or(before);
        let path = self.path.get_mut(..levels).unwrap_or_default();
        (levels, self.field.exactly(nodes, &mut self.room, path).unwrap_or(f64::INFINITY))
    }

    /// Writes the candidates around the nodes of the path to the list of nodes. Gives their number.
    fn finer(&mut self, levels: usize, stride: usize) -> usize {
        let around = min(AROUND, (WIDTH / levels.max(1)).saturating_sub(1) / 2);
        let last = self.field.cuts.len().saturating_sub(1);
        let mut count = 0;
        for at in self.path.iter().take(levels) {
            let first = (*at as usize).saturating_sub(around * stride);
            for step in 0..=2 * around {
                let candidate = min(first + step * stride, last) as u32;
                for node in [candidate, *at] {
                    count = insert(self.nodes, count, node);
                }
            }
        }
        count
    }

    fn write(&self, radii: &impl Radii, levels: usize, sizes: &mut [f64]) -> Result<Optimum> {
        for (size, at) in sizes.iter_mut().zip(self.path.iter().take(levels)) {
            *size = self.field.cuts.get(*at as usize).map_or(0.0, |cut| cut.size);
        }
        let expected = expected(radii, self.field.model, sizes.get(..levels).unwrap_or_default())?;
        Ok(Optimum { levels, expected })
    }
}

/// Inserts a node into an ascending list without duplicates.
fn insert(nodes: &mut [u32], count: usize, node: u32) -> usize {
    let Some(at) = nodes.get(..count).map(|n| n.partition_point(|x| *x < node)) else { return count };
    if count == nodes.len() || nodes.get(..count).and_then(|n| n.get(at)) == Some(&node) {
        return count;
    }
    nodes.copy_within(at..count, at + 1);
    if let Some(place) = nodes.get_mut(at) {
        *place = node;
    }
    count + 1
}

/// Candidate sizes, ascending: up to the largest diameter, and beyond for [`Search::Rows`].
fn candidates<'s>(radii: &impl Radii, model: &Model, cuts: &'s mut [Cut]) -> &'s [Cut] {
    let (mut count, mut last, mut place) = (0, 0.0, 0.0);
    let steps = cuts.len() - LARGER;
    for i in 0..steps {
        let next = geometric(radii, i, steps);
        // The largest body in this step, or `next` itself where no body is in the step.
        let body = radii.snap(next);
        let radius = if body > place { body } else { next };
        place = next;
        if radius > last
            && let Some(cut) = cuts.get_mut(count)
        {
            *cut = Cut::new(radii, 2.0 * radius);
            (count, last) = (count + 1, radius);
        }
    }
    if model.search == Search::Rows {
        // Cells larger than all bodies, which hold several bodies.
        let step = exp(ln(FULLEST) / (model.axes() * LARGER as f64));
        let mut size = 2.0 * last;
        let sparse = model.size(1.0);
        if size < sparse {
            size = sparse / step;
        }
        for _ in 0..LARGER {
            size *= step;
            if let Some(cut) = cuts.get_mut(count) {
                *cut = Cut::new(radii, size);
                count += 1;
            }
        }
    }
    cuts.get(..count).unwrap_or_default()
}

/// The first list of nodes: every `stride`-th candidate, and candidates at which the number or the volume of smaller
/// bodies grows past another step. Gives their number.
fn coarse(cuts: &[Cut], stride: usize, nodes: &mut [u32]) -> usize {
    let all = cuts.last().map_or([1.0; 4], |cut| cut.below);
    let (mut count, mut last) = (0, [0; 2]);
    for (i, cut) in cuts.iter().enumerate() {
        let steps = [0, 3].map(|k| (cut.below[k] / all[k] * COARSE as f64) as u32);
        let taken = i % stride == 0 || i + 1 == cuts.len() || steps != last;
        last = steps;
        if taken && let Some(node) = nodes.get_mut(count) {
            *node = i as u32;
            count += 1;
        }
    }
    count
}
