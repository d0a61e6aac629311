//! Pairs of items of two arrays, and the memory for the results of each pair.

use dem_core::error::{Error, Kind, Result, What};
use dem_core::real::Real;
use dem_core::triangle::Feature;

use crate::arrays::{DEM_F32, DEM_F64, DEM_I32, DEM_U32, dem_indices};
use crate::inputs;
use crate::outputs::Output;
use crate::strided::{Indices, Items};
use crate::triangles::dem_closest_points;

/// Which items form pairs: by a list, one to one, or one with all of the other side.
#[derive(Clone, Copy)]
pub(crate) struct Pairing {
    list: Option<Indices>,
    /// Number of items of A and of B.
    items: [usize; 2],
    len: usize,
}

impl Pairing {
    /// Errors: [`Kind::BadIndex`] for the list; [`Kind::Mismatch`] about `b` if there is no list and lengths differ.
    ///
    /// # Safety
    /// The memory behind a pointer that is not null can be read while the result is used.
    pub(crate) unsafe fn new(items: [usize; 2], list: *const dem_indices, b: What) -> Result<Pairing> {
        // SAFETY: by this function's contract.
        let list = unsafe { Indices::new(list, 2, What::Pairs) }?;
        let len = match (list, items) {
            (Some(list), [n, m]) => {
                list.check(0, n, What::Pairs)?;
                list.check(1, m, What::Pairs)?;
                list.len()
            }
            (None, [n, m]) if n == m => n,
            (None, [1, n] | [n, 1]) => n,
            (None, [n, m]) => return Err(Error::new(Kind::Mismatch, b).amounts(n as u64, m as u64)),
        };
        Ok(Pairing { list, items, len })
    }

    /// The number of pairs.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// The item of A (side 0) or of B (side 1) that belongs to a pair.
    #[inline(always)]
    pub(crate) fn index(&self, pair: usize, side: usize) -> usize {
        match self.list {
            Some(list) => list.get(pair, side),
            None if self.items[side] == 1 => 0,
            None => pair,
        }
    }

    /// Errors: [`Kind::NotFinite`] with the first number of an item that a pair names, which is not finite as a `T`.
    pub(crate) fn check_finite<T: Real, const A: usize, const B: usize>(
        &self,
        a: (&Items<A>, What),
        b: (&Items<B>, What),
    ) -> Result<()> {
        let pairs = |side: usize| if self.list.is_none() { self.len.min(self.items[side]) } else { self.len };
        (0..pairs(0)).try_for_each(|pair| a.0.check::<T>(self.index(pair, 0), a.1))?;
        (0..pairs(1)).try_for_each(|pair| b.0.check::<T>(self.index(pair, 1), b.1))
    }
}

/// The host's memory for the results of pairs.
pub(crate) struct Results {
    distance: Option<Output>,
    points: [Option<Output>; 2],
    weights: [Option<Output>; 2],
    features: Option<Output>,
}

impl Results {
    /// The outputs for `count` pairs; `corners` are the numbers of corners of an item of A and of B.
    ///
    /// # Safety
    /// The memory behind all pointers can be written while the result is used.
    pub(crate) unsafe fn new(from: *const dem_closest_points, count: usize, corners: [usize; 2]) -> Result<Results> {
        if from.is_null() {
            return Err(Error::new(Kind::Null, What::Output));
        }
        // SAFETY: by this function's contract.
        let wanted = unsafe { inputs::read(from, What::Output) }?;
        inputs::zero(wanted.reserved, What::Output)?;
        // SAFETY: by this function's contract.
        let numbers = |to, n, what| unsafe { Output::new(to, n, count, &[DEM_F32, DEM_F64], what) };
        Ok(Results {
            distance: numbers(wanted.distance, 1, What::Distances)?,
            points: [numbers(wanted.point_a, 3, What::PointsA)?, numbers(wanted.point_b, 3, What::PointsB)?],
            weights: [
                numbers(wanted.weights_a, corners[0], What::WeightsA)?,
                numbers(wanted.weights_b, corners[1], What::WeightsB)?,
            ],
            // SAFETY: by this function's contract.
            features: unsafe { Output::new(wanted.features, 2, count, &[DEM_I32, DEM_U32], What::Features) }?,
        })
    }

    /// Whether the host asks for weights or features.
    pub(crate) fn wants_places(&self) -> bool {
        self.weights.iter().any(Option::is_some) || self.features.is_some()
    }

    pub(crate) fn put_distance(&self, pair: usize, distance: f64) {
        if let Some(to) = &self.distance {
            to.not_zero(pair, 0, distance);
        }
    }

    pub(crate) fn put_point(&self, pair: usize, side: usize, point: impl FnOnce() -> [f64; 3]) {
        if let Some(to) = &self.points[side] {
            to.reals(pair, &point());
        }
    }

    /// Writes the weights of a pair: one for each corner of an item of that side.
    pub(crate) fn put_weights(&self, pair: usize, side: usize, weights: &[f64]) {
        if let Some(to) = &self.weights[side] {
            to.reals(pair, weights);
        }
    }

    pub(crate) fn put_features(&self, pair: usize, features: [Feature; 2]) {
        if let Some(to) = &self.features {
            to.integer(pair, 0, features[0] as u32);
            to.integer(pair, 1, features[1] as u32);
        }
    }
}
