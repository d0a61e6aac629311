//! A pass over all bodies: checks them, and finds the AABB of centres and the largest radius.

use super::super::{FARTHEST, IMAGES, Query, WIDEST, canonical::Sphere};
use super::sort::Cuts;
use crate::array::Array;
use crate::error::Result;
use crate::exec::{CutMut, Executor, each};
use crate::real::{max, min};
use crate::simd::prefetch;
use core::ops::Range;

/// Access to spheres. There are two forms, so that packed arrays are read at the speed of memory.
pub(super) trait Source: Copy + Sync {
    fn sphere(&self, i: usize) -> Sphere;

    /// Prefetches the sphere of a body.
    fn prefetch(&self, _i: usize) {}
}

#[derive(Clone, Copy)]
pub(super) struct Packed<'a> {
    pub centres: &'a [[f64; 3]],
    pub radii: &'a [f64],
}

impl<'a> Packed<'a> {
    /// The spheres of a query, where they are packed.
    pub(super) fn of(query: &Query<'a>) -> Option<Self> {
        let bodies = &query.bodies;
        let (centres, radii) = bodies.centres.as_f64().zip(bodies.radii.as_f64_numbers())?;
        Some(Packed { centres, radii })
    }
}

impl Source for Packed<'_> {
    #[inline(always)]
    fn sphere(&self, i: usize) -> Sphere {
        match (self.centres.get(i), self.radii.get(i)) {
            (Some(&centre), Some(&radius)) => Sphere { centre, radius },
            _ => Sphere { centre: [0.0; 3], radius: 0.0 },
        }
    }

    #[inline(always)]
    fn prefetch(&self, i: usize) {
        prefetch(self.centres, i);
        prefetch(self.radii, i);
    }
}

#[derive(Clone, Copy)]
pub(super) struct Strided<'a>(pub Array<'a>, pub Array<'a>);

impl Source for Strided<'_> {
    #[inline(always)]
    fn sphere(&self, i: usize) -> Sphere {
        Sphere { centre: self.0.get(i), radius: self.1.number(i) }
    }
}

/// AABB of centres, and the largest radius.
#[derive(Clone, Copy, Debug)]
pub(super) struct Survey {
    pub low: [f64; 3],
    pub high: [f64; 3],
    pub largest: f64,
}

impl Survey {
    /// Surveys all bodies.
    ///
    /// Errors: those of [`Query::check`] about bodies, for the first wrong body.
    pub(super) fn new(exec: &dyn Executor, query: &Query<'_>, from: impl Source, cuts: &Cuts) -> Result<Survey> {
        let nothing = Survey { low: [0.0; 3], high: [0.0; 3], largest: 0.0 };
        let mut chunks = [Ok(nothing); Cuts::CHUNKS];
        let chunks = &mut chunks[..cuts.chunks];
        each(exec, CutMut(chunks, 1), |c, chunk| chunk[0] = Survey::chunk(query, from, cuts.bodies(c)));
        let mut all = chunks.first().copied().unwrap_or(Ok(nothing))?;
        for chunk in chunks {
            let chunk = (*chunk)?;
            for axis in 0..3 {
                all.low[axis] = min(chunk.low[axis], all.low[axis]);
                all.high[axis] = max(chunk.high[axis], all.high[axis]);
            }
            all.largest = max(chunk.largest, all.largest);
        }
        Ok(all)
    }

    fn chunk(query: &Query<'_>, from: impl Source, bodies: Range<usize>) -> Result<Survey> {
        let axes = query.space.axes();
        let first = from.sphere(bodies.start);
        let mut survey = Survey { low: first.centre, high: first.centre, largest: 0.0 };
        let mut doubt = query.bodies.motions.is_some();
        for i in bodies.clone() {
            let Sphere { centre, radius } = from.sphere(i);
            for (axis, x) in centre.into_iter().enumerate().take(axes) {
                survey.low[axis] = min(x, survey.low[axis]);
                survey.high[axis] = max(x, survey.high[axis]);
                doubt |= !x.is_finite();
            }
            survey.largest = max(radius, survey.largest);
            doubt |= !(0.0..=FARTHEST).contains(&radius);
        }
        for axis in 0..axes {
            let period = query.space.period(axis);
            let limit = period.map_or(FARTHEST, |p| min(IMAGES * p, FARTHEST));
            doubt |= survey.low[axis] < -limit || survey.high[axis] > limit;
            doubt |= period.is_some_and(|p| query.diameter(survey.largest) > WIDEST * p);
        }
        // A second pass finds the wrong body.
        if doubt {
            bodies.into_iter().try_for_each(|i| query.check_body(i))?;
        }
        Ok(survey)
    }
}
