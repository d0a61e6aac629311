//! `Measured`: distributions of given radii or histograms, as a table of cumulative moments in memory of the caller.

use zerocopy::{FromBytes, Immutable, IntoBytes};

use super::radii::cubes;
use super::{Moments, Radii};
use crate::array::Array;
use crate::error::{Error, Kind, Result, What};
use crate::real::{max, min};

/// A radius, and the moments of all bodies up to this radius.
#[derive(Clone, Copy, Debug, Default, PartialEq, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub struct Entry {
    radius: f64,
    moments: Moments,
}

/// A distribution of given radii.
#[derive(Clone, Copy, Debug)]
pub struct Measured<'m> {
    /// By radius, ascending.
    entries: &'m [Entry],
    smallest: f64,
    /// Whether radii are uniformly distributed between two entries; else all bodies have the radius of an entry.
    spread: bool,
}

/// Radii below this part of the largest radius are raised to it: they fit into any useful cell.
const RANGE: f64 = 1.0 / (1u64 << 40) as f64;

impl<'m> Measured<'m> {
    /// The distribution of radii in any order, each increased by `margin`, as a histogram with one bin per entry.
    /// Moments are exact; cell sizes are chosen by the largest radius of each bin. With 4,096 entries the chosen sizes
    /// are within 1e-4 of the optimal time.
    ///
    /// Radii of 0 count as tiny ones. Errors: [`Kind::NotFinite`], [`Kind::OutOfRange`] with the index of a radius that
    /// is negative, NaN or out of the range of cubes; [`Kind::OutOfRange`] where there is no body or all radii are 0;
    /// [`Kind::Capacity`] for fewer than 64 entries. Cost: two passes over the radii.
    pub fn counted(radii: Array<'_>, margin: f64, entries: &'m mut [Entry]) -> Result<Self> {
        if entries.len() < 64 {
            return Err(Error::capacity(What::Scratch, 64, entries.len() as u64));
        }
        let [smallest, largest] = bounds(radii, margin)?;
        let classes = Classes::new(smallest, largest, entries.len());
        entries.fill(Entry::default());
        for i in 0..radii.len() {
            let radius = max(radii.number(i) + margin, smallest);
            if let Some(entry) = entries.get_mut(classes.of(radius)) {
                entry.radius = max(entry.radius, radius);
                add(&mut entry.moments, 1.0, radius);
            }
        }
        Ok(Measured { entries: finish(entries, radii.len() as f64), smallest, spread: false })
    }

    /// The exact distribution of ascending radii. Needs an entry for each different radius.
    ///
    /// Errors: as [`Measured::counted`]; [`Kind::OutOfRange`] with the index of a radius that is less than the one
    /// before; [`Kind::Capacity`] with the number of entries that suffices.
    pub fn sorted(radii: &[f64], entries: &'m mut [Entry]) -> Result<Self> {
        let [smallest, _] = bounds(Array::from_numbers(radii), 0.0)?;
        let (mut last, mut needed) = (0.0, 0);
        let given = entries.len() as u64;
        for (i, radius) in radii.iter().enumerate() {
            let radius = max(*radius, smallest);
            if radius < last {
                return Err(Error::new(Kind::OutOfRange, What::Radii).at(i as u64, 0));
            }
            if radius > last {
                needed += 1;
                if let Some(entry) = entries.get_mut(needed - 1) {
                    *entry = Entry { radius, ..Entry::default() };
                }
            }
            if let Some(entry) = entries.get_mut(needed - 1) {
                add(&mut entry.moments, 1.0, radius);
            }
            last = radius;
        }
        let entries = entries.get_mut(..needed).ok_or(Error::capacity(What::Scratch, needed as u64, given))?;
        Ok(Measured { entries: finish(entries, radii.len() as f64), smallest, spread: false })
    }

    /// The distribution of a histogram: `weights[i]` bodies (or any multiple) have radii uniformly distributed between
    /// `edges[i]` and `edges[i + 1]`. Needs an entry for each edge.
    ///
    /// Errors: [`Kind::Mismatch`] unless there is one edge more than weights; [`Kind::OutOfRange`] with the index of an
    /// edge that is negative, NaN, out of the range of cubes or not larger than the one before, of a weight
    /// (`What::Count`) that is negative, NaN or infinite, or where all weights are 0; [`Kind::Capacity`] with the
    /// number of entries that suffices.
    pub fn histogram(edges: &[f64], weights: &[f64], entries: &'m mut [Entry]) -> Result<Self> {
        if weights.is_empty() || edges.len() != weights.len() + 1 {
            return Err(Error::new(Kind::Mismatch, What::Radii).amounts(weights.len() as u64 + 1, edges.len() as u64));
        }
        let given = entries.len() as u64;
        let short = Error::capacity(What::Scratch, edges.len() as u64, given);
        let entries = entries.get_mut(..edges.len()).ok_or(short)?;
        let wrong = |what, i: usize| Error::new(Kind::OutOfRange, what).at(i as u64, 0);
        let (mut last, mut sum) = (-1.0, 0.0);
        for (i, (edge, entry)) in edges.iter().zip(&mut *entries).enumerate() {
            if !(*edge >= 0.0 && *edge > last && cubes(*edge)) {
                return Err(wrong(What::Radii, i));
            }
            let weight = i.checked_sub(1).and_then(|i| weights.get(i)).copied().unwrap_or(0.0);
            if !(weight >= 0.0 && weight.is_finite()) {
                return Err(wrong(What::Count, i.saturating_sub(1)));
            }
            *entry = Entry { radius: *edge, moments: even(max(last, 0.0), *edge).map(|m| m * weight) };
            sum += weight;
            last = *edge;
        }
        if !(sum > 0.0 && sum.is_finite()) {
            return Err(wrong(What::Count, 0));
        }
        let smallest = max(edges.first().copied().unwrap_or(0.0), last * RANGE);
        let mut below = [0.0; 4];
        for entry in &mut *entries {
            below = accumulate(below, entry.moments);
            entry.moments = below.map(|m| m / sum);
        }
        Ok(Measured { entries, smallest, spread: true })
    }

    /// The last entry with at most this radius, and the next one.
    fn around(&self, radius: f64) -> [Option<&Entry>; 2] {
        let behind = self.entries.partition_point(|e| e.radius <= radius);
        [behind.checked_sub(1).and_then(|i| self.entries.get(i)), self.entries.get(behind)]
    }
}

/// Means of 1, r, r^2, r^3 between two radii.
fn even(a: f64, b: f64) -> Moments {
    [1.0, 0.5 * (a + b), (a * a + a * b + b * b) / 3.0, 0.25 * (a + b) * (a * a + b * b)]
}

fn add(sum: &mut Moments, weight: f64, radius: f64) {
    let square = radius * radius;
    *sum = accumulate(*sum, [weight, weight * radius, weight * square, weight * square * radius]);
}

fn accumulate(a: Moments, b: Moments) -> Moments {
    [0, 1, 2, 3].map(|k| a[k] + b[k])
}

/// Prefix sum: turns moments of bins into cumulative moments. Empty bins are left out.
fn finish(entries: &mut [Entry], bodies: f64) -> &[Entry] {
    let (mut kept, mut below) = (0, [0.0; 4]);
    for i in 0..entries.len() {
        let Some(entry) = entries.get(i).copied().filter(|e| e.moments[0] > 0.0) else { continue };
        below = accumulate(below, entry.moments);
        if let Some(to) = entries.get_mut(kept) {
            *to = Entry { radius: entry.radius, moments: below.map(|m| m / bodies) };
        }
        kept += 1;
    }
    entries.get(..kept).unwrap_or_default()
}

/// The smallest and the largest radius, the former at least [`RANGE`] times the latter.
fn bounds(radii: Array<'_>, margin: f64) -> Result<[f64; 2]> {
    let wrong = |kind, i: usize| Error::new(kind, What::Radii).at(i as u64, 0);
    if !(margin >= 0.0 && margin.is_finite()) {
        return Err(Error::new(Kind::OutOfRange, What::Margin));
    }
    let (mut smallest, mut largest) = (f64::INFINITY, 0.0);
    for i in 0..radii.len() {
        let radius = radii.number(i);
        if !radius.is_finite() {
            return Err(wrong(Kind::NotFinite, i));
        }
        if radius < 0.0 || !(radius + margin).is_finite() {
            return Err(wrong(Kind::OutOfRange, i));
        }
        largest = max(largest, radius + margin);
        smallest = min(smallest, radius + margin);
    }
    smallest = max(smallest, largest * RANGE);
    let sound = largest > 0.0 && cubes(largest) && cubes(smallest);
    if sound { Ok([smallest, largest]) } else { Err(wrong(Kind::OutOfRange, 0)) }
}

/// Bins by the leading bits of radii: equal steps within each power of two, since positive floats are ordered as their
/// bits.
struct Classes {
    first: u64,
    shift: u32,
}

impl Classes {
    fn new(smallest: f64, largest: f64, count: usize) -> Self {
        let (low, high) = (smallest.to_bits(), largest.to_bits());
        // Coarser bins, until `count` bins suffice.
        let mut shift = 0;
        while (high >> shift) - (low >> shift) >= count as u64 {
            shift += 1;
        }
        Classes { first: low >> shift, shift }
    }

    fn of(&self, radius: f64) -> usize {
        ((radius.to_bits() >> self.shift).saturating_sub(self.first)) as usize
    }
}

impl Radii for Measured<'_> {
    fn smallest(&self) -> f64 {
        self.smallest
    }

    fn largest(&self) -> f64 {
        self.entries.last().map_or(0.0, |e| e.radius)
    }

    fn up_to(&self, radius: f64) -> Moments {
        match self.around(radius) {
            [Some(below), Some(above)] if self.spread => {
                // The share of the bin below the radius.
                let share =
                    (radius - below.radius) / (above.radius - below.radius) * (above.moments[0] - below.moments[0]);
                accumulate(below.moments, even(below.radius, radius).map(|m| m * share))
            }
            [Some(below), _] => below.moments,
            _ => [0.0; 4],
        }
    }

    fn snap(&self, radius: f64) -> f64 {
        match self.around(radius) {
            [Some(below), _] if !self.spread => below.radius,
            _ => radius,
        }
    }
}
