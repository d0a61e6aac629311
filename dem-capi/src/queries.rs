//! Queries of two shapes.
//!
//! One struct, `dem_query`, contains the shapes, their poses and the question. A program fills it once and changes it from step to step.
//! Distances are between surfaces, in world coordinates. For any shapes, the answer contains every pair of triangles that the definition
//! names, and no other.

use core::ffi::c_void;

use dem_core::error::{Error, Kind, Result, What};
use dem_core::narrow::{self, Operand, TrianglePair, Witness};
use dem_core::pose::Pose;
use dem_core::simd::Isa;

use crate::edge::{self, Status};
use crate::errors::{DEM_NONE, DEM_OK, dem_error};
use crate::inputs::{self, Input};
use crate::isa::DEM_ISA_BEST;
use crate::layouts::fixed;
use crate::memory::{self as blocks, Scratch, Stretch};
use crate::near::fill;
use crate::placed::{IDENTITY, dem_pose};
use crate::records::{Records, mirrored, tell};
use crate::shapes::{self, Opened, dem_shape};

/// Two shapes and their poses.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct dem_query {
    /// `sizeof(dem_query)`.
    pub struct_size: u32,
    /// One of `DEM_ISA_*`; `DEM_ISA_BEST` by default.
    pub isa: u32,
    /// The first shape.
    pub a: *const dem_shape,
    /// The second shape; may be the same.
    pub b: *const dem_shape,
    /// Pose of A; the identity by default.
    pub pose_a: dem_pose,
    /// Pose of B; the identity by default.
    pub pose_b: dem_pose,
    /// The distance beyond the halos within which pairs are reported, finite and not negative; 0 by default.
    pub margin: f64,
    /// The largest distance for which `dem_min_distance` searches, not negative; infinite by default.
    pub bound: f64,
    /// The pair that `dem_min_distance` gives if bodies touch or cross: `DEM_WITNESS_*`; `DEM_WITNESS_DEFINITE` by default.
    pub witness: u32,
    /// Zero.
    pub reserved: u32,
}

/// The pair with the smallest midpoint and ids, which requires finding all such pairs.
pub const DEM_WITNESS_DEFINITE: u32 = 0;
/// The first pair that the search finds. It is the same on every machine, but changes with the trees, or if the bodies are exchanged.
pub const DEM_WITNESS_ANY: u32 = 1;

fixed!(dem_query {
    struct_size: u32,
    isa: u32,
    a: *const dem_shape,
    b: *const dem_shape,
    pose_a: dem_pose,
    pose_b: dem_pose,
    margin: f64,
    bound: f64,
    witness: u32,
    reserved: u32,
});

// SAFETY: `struct_size` is the first field, and all fields are plain numbers and pointers.
unsafe impl Input for dem_query {
    const DEFAULT: Self = dem_query {
        struct_size: size_of::<dem_query>() as u32,
        isa: DEM_ISA_BEST,
        a: core::ptr::null(),
        b: core::ptr::null(),
        pose_a: IDENTITY,
        pose_b: IDENTITY,
        margin: 0.0,
        bound: f64::INFINITY,
        witness: DEM_WITNESS_DEFINITE,
        reserved: 0,
    };
}

/// Two triangles, and their closest points.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct dem_triangle_pair {
    /// Triangle of A.
    pub a: u32,
    /// Triangle of B.
    pub b: u32,
    /// The feature of A's triangle on which `point_a` lies: `DEM_FEATURE_*`.
    pub feature_a: u32,
    /// The same for B's triangle.
    pub feature_b: u32,
    /// Distance of the two triangles, without halos; exactly 0 if they touch or cross, and only then.
    pub distance: f64,
    /// Closest point on A's triangle, in world coordinates.
    pub point_a: [f64; 3],
    /// Closest point on B's triangle; equal to `point_a` if the distance is 0.
    pub point_b: [f64; 3],
}

fixed!(dem_triangle_pair {
    a: u32,
    b: u32,
    feature_a: u32,
    feature_b: u32,
    distance: f64,
    point_a: [f64; 3],
    point_b: [f64; 3],
});

mirrored!(dem_triangle_pair, TrianglePair: a, b, feature_a, feature_b, distance, point_a, point_b);

/// Finds all pairs of triangles whose distance is at most the halo of A's triangle plus that of B's plus `margin`.
///
/// The list is complete and exact. It contains a pair if and only if its distance, computed in double precision by one fixed sequence of
/// operations, is at most the threshold; ties count. Degenerate and duplicate triangles count as the segments and points that they are.
/// Pairs are ordered by triangle of A, then of B. Exchanging A and B exchanges ids and points, bit for bit.
///
/// Outputs: `pairs` (may be null if `capacity` is 0): `capacity` records, each `stride` bytes after the one before. The function writes
/// min(`stride`, `sizeof(dem_triangle_pair)`) bytes of each. With a stride of 0 or `sizeof(dem_triangle_pair)`, the array must be aligned
/// as `double`. `count` (may be null): how many pairs there are, even if they are more than `capacity`.
/// Inputs: `query`: shapes, poses and margin. `scratch`, `scratch_size`: at any alignment.
/// Memory: scratch and records must not overlap each other nor the shapes.
/// Errors: `DEM_ERROR_CAPACITY` about `output`: `needed` records; written records then have no meaning. `DEM_ERROR_CAPACITY` about
/// `scratch`: bytes. `DEM_ERROR_NULL`; `DEM_ERROR_MISALIGNED`; `DEM_ERROR_DAMAGED`, `DEM_ERROR_BUSY`, `DEM_ERROR_POISONED`: a shape;
/// `DEM_ERROR_NOT_FINITE`, `DEM_ERROR_OUT_OF_RANGE`: a pose (`component` 0 to 2: position, 3 to 6: orientation) or the margin;
/// `DEM_ERROR_BAD_SIZE`: `struct_size`; `DEM_ERROR_OVERLAP`; `DEM_ERROR_UNSUPPORTED`: the instruction set.
/// Cost: proportional to the number of pairs and to the area of the surfaces that are close; about 0.25 microseconds for bodies far apart.
/// Threads: any number at a time, on the same shapes, each with records and scratch of its own.
/// Determinism: the same bits on every machine and with every instruction set.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_pairs(
    pairs: *mut dem_triangle_pair,
    capacity: usize,
    stride: usize,
    count: *mut usize,
    query: *const dem_query,
    scratch: *mut c_void,
    scratch_size: usize,
    error: *mut dem_error,
) -> i32 {
    // SAFETY: the caller guarantees the memory behind pointers that are not null, for the whole call.
    edge::call(error, || unsafe {
        let found = with(query, |q| {
            let records = Records::new(pairs, capacity, stride)?;
            let scratch = Scratch::new(scratch, scratch_size);
            q.apart_from(scratch.bytes(), What::Scratch)?;
            q.apart_from(records.bytes(), What::Output)?;
            scratch.apart_from(records.bytes())?;
            q.pairs(&records, scratch)
        });
        tell(count, found, What::Output)
    })
}

/// Finds the closest pair of triangles of two shapes, without halos.
///
/// If several pairs have the same distance, the smallest midpoint (x, then y, then z) decides, then the smaller id of both triangles, then the
/// larger one (of either body, so that exchanging the bodies changes nothing). So bodies that cross
/// have one definite pair, but the function must find all crossing pairs. If any touching pair is good enough, `DEM_WITNESS_ANY` in `query`
/// is faster. If yes or no is enough, use `dem_any_pair`. A good bound saves time, such as the distance of the last step plus the distance
/// that the bodies may have moved.
///
/// Outputs: `pair`: the function writes `pair_size` bytes, at most `sizeof(dem_triangle_pair)`.
/// Inputs: `pair_size`: `sizeof(dem_triangle_pair)`. `query`: shapes, poses and bound. `scratch`, `scratch_size`: at any alignment.
/// Memory: scratch must not overlap the shapes.
/// Errors: `DEM_NONE`, which is not an error: all triangles are farther apart than the bound, and `pair` does not change. Otherwise those
/// of `dem_pairs`, with the bound in place of the margin.
/// Cost: depends on how many triangles are about as near as the nearest. For meshes of 10,000 to 50,000 triangles that do not touch, it is
/// 25 to 100 microseconds at most poses. If wide surfaces face each other, it is a millisecond or two. Bodies that cross take up to some
/// milliseconds, with `DEM_WITNESS_ANY` about as long as `dem_any_pair`.
/// Threads: as for `dem_pairs`.
/// Determinism: the same bits on every machine and with every instruction set.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_min_distance(
    pair: *mut dem_triangle_pair,
    pair_size: usize,
    query: *const dem_query,
    scratch: *mut c_void,
    scratch_size: usize,
    error: *mut dem_error,
) -> i32 {
    edge::call(error, || {
        // SAFETY: the caller guarantees the memory behind pointers that are not null, for the whole call.
        unsafe {
            let closest = with(query, |q| {
                let scratch = q.scratch(scratch, scratch_size)?;
                narrow::min_distance_with(q.isa, &q.a, &q.b, q.bound, q.witness, scratch)
            })?;
            let Some(closest) = closest else { return Ok(Status(DEM_NONE)) };
            inputs::write_record(pair, pair_size, &closest.into(), What::Output)?;
            Ok(Status(DEM_OK))
        }
    })
}

/// Tells whether any pair of triangles is within the threshold of `dem_pairs`. Stops at the first such pair.
///
/// Outputs: `any`: 1 if there is one, else 0.
/// Inputs: `query`: shapes, poses and margin. `scratch`, `scratch_size`: at any alignment.
/// Memory: scratch must not overlap the shapes.
/// Errors: those of `dem_pairs`.
/// Cost: at most that of `dem_pairs`; 3 to 25 microseconds if meshes of up to 50,000 triangles cross.
/// Threads: as for `dem_pairs`.
/// Determinism: the same answer on every machine and with every instruction set.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_any_pair(
    any: *mut u32,
    query: *const dem_query,
    scratch: *mut c_void,
    scratch_size: usize,
    error: *mut dem_error,
) -> i32 {
    edge::call(error, || {
        // SAFETY: the caller guarantees the memory behind pointers that are not null, for the whole call.
        unsafe {
            let found =
                with(query, |q| narrow::any_pair(q.isa, &q.a, &q.b, q.margin, q.scratch(scratch, scratch_size)?))?;
            edge::write(any, u32::from(found), What::Output)
        }
    })
}

/// A query with open shapes.
struct Query<'a> {
    a: Operand<'a>,
    b: Operand<'a>,
    isa: Isa,
    margin: f64,
    bound: f64,
    witness: Witness,
    /// The blocks of A and B.
    shapes: [Stretch; 2],
}

/// Runs `body` with a query whose shapes are open.
///
/// # Safety
/// Pointers that are not null point at a query and at shapes.
unsafe fn with<R>(query: *const dem_query, body: impl FnOnce(&Query<'_>) -> Result<R>) -> Result<R> {
    if query.is_null() {
        return Err(Error::new(Kind::Null, What::Query));
    }
    // SAFETY: by this function's contract.
    let q = unsafe { inputs::read(query, What::Query) }?;
    let isa = Isa::numbered(q.isa)?;
    inputs::zero(q.reserved, What::Query)?;
    let witness = match q.witness {
        DEM_WITNESS_DEFINITE => Witness::Definite,
        DEM_WITNESS_ANY => Witness::Any,
        _ => return Err(Error::new(Kind::OutOfRange, What::Witness)),
    };
    let (pose_a, pose_b): (Pose, Pose) = (q.pose_a.into(), q.pose_b.into());
    let with_both = |a: Opened<'_>, b: Opened<'_>| {
        let shapes = [a.2, b.2];
        let a = Operand { mesh: a.0, tree: a.1, pose: &pose_a, scale: 1.0 };
        let b = Operand { mesh: b.0, tree: b.1, pose: &pose_b, scale: 1.0 };
        body(&Query { a, b, isa, margin: q.margin, bound: q.bound, witness, shapes })
    };
    // SAFETY: by this function's contract.
    unsafe {
        shapes::opened(q.a, What::MeshA, |a| match q.a == q.b {
            true => with_both(a, a),
            false => shapes::opened(q.b, What::MeshB, |b| with_both(a, b)),
        })
    }
}

impl Query<'_> {
    /// Errors: [`Kind::Overlap`] if output memory shares a byte with a shape.
    fn apart_from(&self, memory: Stretch, what: What) -> Result<()> {
        self.shapes.iter().try_for_each(|shape| blocks::apart(memory, *shape, what))
    }

    /// The scratch for a distance, checked for overlaps.
    ///
    /// # Safety
    /// As for [`Scratch::take`].
    unsafe fn scratch<'s>(&self, start: *mut c_void, size: usize) -> Result<&'s mut [u8]> {
        self.apart_from((start, size), What::Scratch)?;
        // SAFETY: by this function's contract.
        unsafe { Scratch::new(start, size).take(narrow::distance_scratch(&self.a, &self.b)?) }
    }

    /// Finds all pairs and writes them.
    ///
    /// # Safety
    /// The memory of the records exists, and overlaps neither the scratch nor the shapes.
    unsafe fn pairs(&self, records: &Records<dem_triangle_pair>, scratch: Scratch) -> Result<usize> {
        let needs = narrow::pairs_scratch(&self.a, &self.b, records.capacity())?;
        let pairs = |out: &mut [_], rest: &mut [u8]| narrow::pairs(self.isa, &self.a, &self.b, self.margin, out, rest);
        // SAFETY: by this function's contract.
        unsafe { fill(records, scratch, needs, pairs) }
    }
}

#[cfg(test)]
mod tests;
