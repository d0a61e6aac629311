//! Distances of triangles.

mod structs;

use dem_core::array::Scalar;
use dem_core::error::{Error, Kind, Result, What};
use dem_core::real::Real;
use dem_core::simd::Isa;
use dem_core::triangle::{Accuracy, Block, Coordinates, Sink, Source, closest_points};

use crate::arrays::{DEM_F32, DEM_F64, dem_indices};
use crate::edge;
use crate::errors::dem_error;
use crate::inputs::{self};
use crate::pairing::{Pairing, Results};
use crate::strided::Triangles;
pub use structs::*;

/// Computes distances and closest points of pairs of triangles.
///
/// Pair i is triangle i of `a` with triangle i of `b`. If one of the arrays has a single triangle, it is paired with each triangle of the
/// other. With `pairs`, pair i is triangle `pairs[i][0]` of `a` with triangle `pairs[i][1]` of `b`.
/// The distance is exactly 0 if the triangles touch or cross, and only then; exact predicates decide this. Degenerate triangles count as
/// the segments and points that they are. If closest points are not unique, the function gives one possible pair.
///
/// Outputs: `results`: in each array that is not null, as many items as there are pairs; numbers as `float` or `double`, whatever the
/// precision of the computation. The arrays may lie between the inputs (in the same structs) but must not overlap them.
/// Inputs: `a`, `b`: triangles, in the same frame. `pairs` (may be null): two indices an item. `options` (may be null: the defaults).
/// Errors: `DEM_ERROR_NULL`; `DEM_ERROR_NOT_FINITE` names the triangle and its coordinate (vertex times 3 plus axis). `DEM_ERROR_MISMATCH`:
/// `a` and `b` differ in length, without `pairs`. `DEM_ERROR_BAD_INDEX`: `pairs` has an index beyond the end. `DEM_ERROR_CAPACITY`: a
/// result has no room for all pairs. `DEM_ERROR_OUT_OF_RANGE`: a type, or a `reserved` that is not 0. `DEM_ERROR_BAD_SIZE`: a stride
/// smaller than a number, or a `struct_size`. `DEM_ERROR_TOO_LARGE`: counts and strides that leave the address space.
/// `DEM_ERROR_UNSUPPORTED`: an instruction set that this machine does not have.
/// Cost: in single precision about 60 ns a pair with AVX2, in double precision about 95. Calls with 16 pairs or more are fastest, if the
/// arrays are read once, in order.
/// Determinism: the same bits for every instruction set, and for a pair alone or among others. The error is about 1e-6 (in single
/// precision) or 1e-12 (double) of the pair's largest coordinate.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_triangle_distance(
    results: *const dem_closest_points,
    a: *const dem_triangles,
    b: *const dem_triangles,
    pairs: *const dem_indices,
    options: *const dem_triangle_options,
    error: *mut dem_error,
) -> i32 {
    edge::call(error, || {
        // SAFETY: the caller guarantees the memory behind pointers that are not null, for the whole call.
        let (from, to, options) = unsafe {
            let options = inputs::read(options, What::Options)?;
            let from = Pairs::new(a, b, pairs)?;
            (from, Results::new(results, from.len(), [3, 3])?, options)
        };
        inputs::zero(options.reserved, What::Options)?;
        let isa = Isa::numbered(options.isa)?;
        if from.is_single(options.precision)? { run::<f32>(isa, from, to) } else { run::<f64>(isa, from, to) }
    })
}

fn run<T: Accuracy>(isa: Isa, from: Pairs, mut to: Results) -> Result<()> {
    // All checks come before the first write. The kernel checks, too, but only after it has written earlier results.
    from.check_finite::<T>()?;
    closest_points::<T>(isa, &from, &mut to)
}

/// Pairs of triangles of the host.
#[derive(Clone, Copy)]
pub(crate) struct Pairs {
    a: Triangles,
    b: Triangles,
    pairing: Pairing,
}

impl Pairs {
    /// # Safety
    /// The memory behind pointers that are not null can be read while the result is used.
    pub(crate) unsafe fn new(
        a: *const dem_triangles,
        b: *const dem_triangles,
        list: *const dem_indices,
    ) -> Result<Pairs> {
        // SAFETY: by this function's contract.
        unsafe {
            let (a, b) = (Triangles::triangles(a, What::TrianglesA)?, Triangles::triangles(b, What::TrianglesB)?);
            Ok(Pairs { a, b, pairing: Pairing::new([a.len(), b.len()], list, What::TrianglesB)? })
        }
    }

    /// Errors: [`Kind::NotFinite`] with the first number of a triangle that a pair names.
    pub(crate) fn check_finite<T: Real>(&self) -> Result<()> {
        self.pairing.check_finite::<T, 3, 3>((&self.a, What::TrianglesA), (&self.b, What::TrianglesB))
    }

    /// Whether `precision` asks for single precision.
    pub(crate) fn is_single(&self, precision: u32) -> Result<bool> {
        is_single(precision, [self.a.scalar, self.b.scalar])
    }

    /// Number of pairs.
    pub(crate) fn len(&self) -> usize {
        self.pairing.len()
    }

    /// Writes the pairs `at .. at + count` into columns.
    pub(crate) fn fill_block<T: Real>(&self, at: usize, count: usize, block: &mut Coordinates<T>) {
        let (a, b) = block.split_at_mut(9);
        self.a.fill(|column| self.pairing.index(at + column, 0), count, a);
        self.b.fill(|column| self.pairing.index(at + column, 1), count, b);
    }
}

impl<T: Real> Source<T> for Pairs {
    fn len(&self) -> usize {
        Pairs::len(self)
    }

    fn fill(&self, at: usize, count: usize, block: &mut Coordinates<T>) {
        self.fill_block(at, count, block);
    }
}

/// Whether `precision` asks for single precision, if items of A and B are stored as `stored` tells.
pub(crate) fn is_single(precision: u32, stored: [Scalar; 2]) -> Result<bool> {
    match precision {
        0 => Ok(stored == [Scalar::F32; 2]),
        DEM_F32 => Ok(true),
        DEM_F64 => Ok(false),
        _ => Err(Error::new(Kind::OutOfRange, What::Precision)),
    }
}

impl<T: Real> Sink<T> for Results {
    fn put(&mut self, at: usize, count: usize, block: &Block<T>) {
        let places = self.wants_places();
        for column in 0..count {
            let pair = at + column;
            self.put_distance(pair, block.distance[column].to_f64());
            for (side, point) in [&block.point_a, &block.point_b].into_iter().enumerate() {
                self.put_point(pair, side, || point.map(|row| row[column].to_f64()));
            }
            if places {
                let place = block.get(column);
                self.put_weights(pair, 0, &place.weights_a.map(Real::to_f64));
                self.put_weights(pair, 1, &place.weights_b.map(Real::to_f64));
                self.put_features(pair, [place.feature_a, place.feature_b]);
            }
        }
    }
}

#[cfg(test)]
mod tests;
