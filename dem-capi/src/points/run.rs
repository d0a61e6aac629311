//! Reads points of the host block by block, and writes the results.

use core::ffi::c_void;

use dem_core::array::Array;
use dem_core::error::{Error, Kind, Result, What};
use dem_core::memory::sections;
use dem_core::narrow::{self, Operand, PointOnMesh};
use dem_core::pose::Pose;
use dem_core::simd::Isa;

use super::{dem_point_query, dem_point_results};
use crate::arrays::{DEM_F32, DEM_F64, DEM_I32, DEM_U32};
use crate::inputs;
use crate::memory as blocks;
use crate::outputs::Output;
use crate::shapes;
use crate::strided::Items;

/// Points that are gathered on the stack at once.
pub(super) const BLOCK: usize = 64;

/// Points that are gathered in scratch at once.
const MANY: u64 = 4096;

sections! {
    /// Scratch for many points.
    pub(super) struct Many<'s>(operand: &Operand<'_>, number: usize; count = MANY.min(number as u64)) {
        pub(super) points: [[f64; 3]; count],
        pub(super) found: [PointOnMesh; count],
        pub(super) rest: { narrow::many_points_scratch(operand)? },
    }
}

/// A query with its open shape.
pub(super) struct Query<'a> {
    pub(super) operand: Operand<'a>,
    pub(super) points: Items<1>,
    pub(super) isa: Isa,
    pub(super) bound: f64,
    /// The shape's block.
    pub(super) block: (*const c_void, usize),
}

/// Runs `body` with a query whose shape is open.
///
/// # Safety
/// Pointers that are not null point at a query, a shape and points.
pub(super) unsafe fn with<R>(query: *const dem_point_query, body: impl FnOnce(&Query<'_>) -> Result<R>) -> Result<R> {
    if query.is_null() {
        return Err(Error::new(Kind::Null, What::Query));
    }
    // SAFETY: by this function's contract.
    let q = unsafe { inputs::read(query, What::Query) }?;
    inputs::zero(q.reserved as u64, What::Query)?;
    let isa = Isa::numbered(q.isa)?;
    let pose: Pose = q.pose.into();
    // SAFETY: by this function's contract.
    let points = unsafe { Items::points(&q.points, What::Points) }?;
    // SAFETY: by this function's contract.
    unsafe {
        shapes::opened(q.shape, What::Shape, |(mesh, tree, block)| {
            let operand = Operand { mesh, tree, pose: &pose, scale: 1.0 };
            body(&Query { operand, points, isa, bound: q.bound, block })
        })
    }
}

impl Query<'_> {
    /// Errors: all those of the core's queries about a point, the pose and the bound.
    pub(super) fn check(&self) -> Result<()> {
        narrow::check_bound(self.bound)?;
        self.each_block(&mut [[0.0; 3]; BLOCK], |_, points| {
            narrow::check_points(&self.operand, Array::from_f64(points))
        })
    }

    /// Errors: [`Kind::Overlap`] if results share a byte with the shape.
    pub(super) fn is_apart(&self, to: &Output) -> Result<()> {
        blocks::apart(to.bytes(), self.block, What::Output)
    }

    /// Runs `body` for each block, with the index of its first point and with its points. It runs at least once, so that everything else
    /// is checked also without points.
    pub(super) fn each_block(
        &self,
        points: &mut [[f64; 3]],
        mut body: impl FnMut(usize, &[[f64; 3]]) -> Result<()>,
    ) -> Result<()> {
        let mut first = 0;
        loop {
            let count = points.len().min(self.points.len() - first);
            for (i, to) in points.iter_mut().take(count).enumerate() {
                [*to] = self.points.get(first + i);
            }
            body(first, &points[..count]).map_err(|e| match e.what {
                What::Points => e.at(first as u64 + e.index, e.component),
                _ => e,
            })?;
            first += count;
            if first >= self.points.len() {
                return Ok(());
            }
        }
    }
}

/// The host's memory for results.
pub(super) struct Results {
    integers: [Option<Output>; 4],
    lengths: [Option<Output>; 2],
    vectors: [Option<Output>; 2],
}

impl Results {
    /// # Safety
    /// The memory behind all pointers can be written while the result is used.
    pub(super) unsafe fn new(from: *const dem_point_results, count: usize) -> Result<Results> {
        if from.is_null() {
            return Err(Error::new(Kind::Null, What::Results));
        }
        // SAFETY: by this function's contract.
        let wanted = unsafe { inputs::read(from, What::Results) }?;
        inputs::zero(wanted.reserved, What::Results)?;
        // SAFETY: by this function's contract.
        let integers = |to, what| unsafe { Output::new(to, 1, count, &[DEM_I32, DEM_U32], what) };
        // SAFETY: by this function's contract.
        let numbers = |to, n, what| unsafe { Output::new(to, n, count, &[DEM_F32, DEM_F64], what) };
        Ok(Results {
            integers: [
                integers(wanted.triangle, What::Triangle)?,
                integers(wanted.feature, What::Feature)?,
                integers(wanted.side, What::Sides)?,
                integers(wanted.doubt, What::Doubts)?,
            ],
            lengths: [
                numbers(wanted.distance, 1, What::Distances)?,
                numbers(wanted.signed_distance, 1, What::SignedDistances)?,
            ],
            vectors: [numbers(wanted.point, 3, What::ClosestPoints)?, numbers(wanted.normal, 3, What::Normals)?],
        })
    }

    pub(super) fn outputs(&self) -> impl Iterator<Item = &Output> {
        self.integers.iter().chain(&self.lengths).chain(&self.vectors).flatten()
    }

    pub(super) fn put(&self, i: usize, found: &PointOnMesh) {
        for (to, value) in self.integers.iter().zip([found.triangle, found.feature, found.side, found.doubt]) {
            if let Some(to) = to {
                to.integer(i, 0, value);
            }
        }
        for (to, value) in self.lengths.iter().zip([found.distance, found.signed_distance]) {
            if let Some(to) = to {
                to.not_zero(i, 0, value);
            }
        }
        for (to, value) in self.vectors.iter().zip([found.point, found.normal]) {
            if let Some(to) = to {
                to.reals(i, &value);
            }
        }
    }
}
