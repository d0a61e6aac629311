//! Distances of triangles.

use core::ffi::c_void;

use dem_core::array::Scalar;
use dem_core::error::{Error, Kind, Result, What};
use dem_core::real::Real;
use dem_core::simd::Isa;
use dem_core::triangle::{Accuracy, Block, ClosestPoints, Coordinates, Sink, Source, closest_points};

use crate::arrays::{
    DEM_F32, DEM_F64, DEM_I32, DEM_U32, Indices, Output, Triangles, dem_indices, dem_output, dem_triangles,
};
use crate::edge;
use crate::errors::dem_error;
use crate::inputs::{self, Input};
use crate::isa::DEM_ISA_BEST;
use crate::layouts::fixed;

/// The closest point is vertex 0 of its triangle.
pub const DEM_FEATURE_VERTEX_0: u32 = 0;
/// Vertex 1.
pub const DEM_FEATURE_VERTEX_1: u32 = 1;
/// Vertex 2.
pub const DEM_FEATURE_VERTEX_2: u32 = 2;
/// On the edge from vertex 0 to vertex 1.
pub const DEM_FEATURE_EDGE_0: u32 = 3;
/// On the edge from vertex 1 to vertex 2.
pub const DEM_FEATURE_EDGE_1: u32 = 4;
/// On the edge from vertex 2 to vertex 0.
pub const DEM_FEATURE_EDGE_2: u32 = 5;
/// Inside.
pub const DEM_FEATURE_FACE: u32 = 6;

/// Where the results of pairs go: item i belongs to pair i. What is not wanted has null data, as everything has after
/// `dem_closest_points_init`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct dem_closest_points {
    /// `sizeof(dem_closest_points)`.
    pub struct_size: u32,
    /// 0.
    pub reserved: u32,
    /// The distance: one number.
    pub distance: dem_output,
    /// The closest point on A: three numbers.
    pub point_a: dem_output,
    /// The closest point on B: three numbers.
    pub point_b: dem_output,
    /// Barycentric coordinates of the point on A: the weights of its three vertices, which sum to 1.
    pub weights_a: dem_output,
    /// The same on B.
    pub weights_b: dem_output,
    /// On what part of A and of B the points lie: two integers `DEM_FEATURE_*`, of type `DEM_I32` or `DEM_U32`.
    pub features: dem_output,
}

fixed!(dem_closest_points {
    struct_size: u32,
    reserved: u32,
    distance: dem_output,
    point_a: dem_output,
    point_b: dem_output,
    weights_a: dem_output,
    weights_b: dem_output,
    features: dem_output,
});

const UNWANTED: dem_output = dem_output {
    data: core::ptr::null_mut::<c_void>(),
    count: 0,
    stride: 0,
    component_stride: 0,
    r#type: 0,
    reserved: 0,
};

// SAFETY: the size is first, and all are plain numbers and pointers.
unsafe impl Input for dem_closest_points {
    const DEFAULT: Self = dem_closest_points {
        struct_size: size_of::<dem_closest_points>() as u32,
        reserved: 0,
        distance: UNWANTED,
        point_a: UNWANTED,
        point_b: UNWANTED,
        weights_a: UNWANTED,
        weights_b: UNWANTED,
        features: UNWANTED,
    };
}

/// How pairs of triangles are computed.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct dem_triangle_options {
    /// `sizeof(dem_triangle_options)`.
    pub struct_size: u32,
    /// One of `DEM_ISA_*`; `DEM_ISA_BEST` by default.
    pub isa: u32,
    /// `DEM_F32` or `DEM_F64`: what is computed in; 0, the default: `DEM_F32` where both arrays of triangles are, else
    /// `DEM_F64`.
    pub precision: u32,
    /// 0.
    pub reserved: u32,
}

fixed!(dem_triangle_options { struct_size: u32, isa: u32, precision: u32, reserved: u32 });

// SAFETY: the size is first, and all are plain numbers.
unsafe impl Input for dem_triangle_options {
    const DEFAULT: Self = dem_triangle_options {
        struct_size: size_of::<dem_triangle_options>() as u32,
        isa: DEM_ISA_BEST,
        precision: 0,
        reserved: 0,
    };
}

/// Fills `results` so that nothing is wanted yet.
///
/// Outputs: `results`.
/// Inputs: `struct_size`: `sizeof(dem_closest_points)`.
/// Errors: `DEM_ERROR_NULL`; `DEM_ERROR_BAD_SIZE`.
/// Cost: none.
/// Threads: any.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_closest_points_init(results: *mut dem_closest_points, struct_size: usize) -> i32 {
    // SAFETY: the caller vouches for `struct_size` bytes where the pointer is not null.
    edge::call(core::ptr::null_mut(), || unsafe { inputs::fill(results, struct_size, What::Output) })
}

/// Fills `options` with the defaults.
///
/// Outputs: `options`.
/// Inputs: `struct_size`: `sizeof(dem_triangle_options)`.
/// Errors: `DEM_ERROR_NULL`; `DEM_ERROR_BAD_SIZE`.
/// Cost: none.
/// Threads: any.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_triangle_options_init(options: *mut dem_triangle_options, struct_size: usize) -> i32 {
    // SAFETY: the caller vouches for `struct_size` bytes where the pointer is not null.
    edge::call(core::ptr::null_mut(), || unsafe { inputs::fill(options, struct_size, What::Options) })
}

/// Distances and closest points of pairs of triangles.
///
/// Pair i is triangle i of `a` with triangle i of `b`; where one of them holds a single triangle, that one is paired with
/// each of the other. With `pairs`, pair i is triangle `pairs[i][0]` of `a` with triangle `pairs[i][1]` of `b`.
/// The distance is exactly 0 where the triangles touch or cross, which exact predicates decide, and only there. Degenerate
/// triangles count as the segments and points that they are. Where closest points are not unique, they are some.
///
/// Outputs: `results`: as many items as there are pairs in each array that is wanted; numbers as `float` or `double`
/// whatever is computed in. The arrays may lie between the inputs (in the same structs) but must not overlap them.
/// Inputs: `a`, `b`: triangles, in the same frame. `pairs` (may be null): two indices an item. `options` (may be null: the
/// defaults).
/// Errors: `DEM_ERROR_NULL`; `DEM_ERROR_NOT_FINITE` names the triangle and its coordinate (vertex times 3 plus axis).
/// `DEM_ERROR_MISMATCH`: `a` and `b` differ in length, without `pairs`.
/// `DEM_ERROR_BAD_INDEX`: `pairs` points behind the end. `DEM_ERROR_CAPACITY`: a result has no room for all pairs.
/// `DEM_ERROR_OUT_OF_RANGE`: a type, or a `reserved` that is not 0. `DEM_ERROR_BAD_SIZE`: a stride smaller than a number,
/// or a `struct_size`. `DEM_ERROR_TOO_LARGE`: counts and strides that leave the address space. `DEM_ERROR_UNSUPPORTED`: an
/// instruction set that this machine has not.
/// Cost: in single precision about 40 ns a pair with AVX2, in double precision twice that; best in calls with 16 pairs or
/// more, where the arrays are read once, in order.
/// Threads: any.
/// Determinism: the same bits for every instruction set, and for a pair alone or among others. Right to about 1e-6 (in
/// single precision) or 1e-12 (double) of the pair's largest coordinate.
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
        // SAFETY: the caller vouches for what pointers that are not null point at, for as long as this call lasts.
        let (from, to, options) = unsafe {
            let options = inputs::read(options, What::Options)?;
            let from = Pairs::new(a, b, pairs)?;
            (from, Results::new(results, from.len())?, options)
        };
        if options.reserved != 0 {
            return Err(Error::new(Kind::OutOfRange, What::Options));
        }
        let isa = Isa::numbered(options.isa)?;
        let single = from.a.scalar == Scalar::F32 && from.b.scalar == Scalar::F32;
        match options.precision {
            DEM_F32 => run::<f32>(isa, from, to),
            0 if single => run::<f32>(isa, from, to),
            0 | DEM_F64 => run::<f64>(isa, from, to),
            _ => Err(Error::new(Kind::OutOfRange, What::Options)),
        }
    })
}

fn run<T: Accuracy>(isa: Isa, from: Pairs, mut to: Results) -> Result<()> {
    // Before anything is written. The kernel looks too, but finds things when earlier results are out.
    from.check_finite::<T>()?;
    closest_points::<T>(isa, &from, &mut to)
}

/// The pairs of the host.
#[derive(Clone, Copy)]
struct Pairs {
    a: Triangles,
    b: Triangles,
    list: Option<Indices>,
    len: usize,
}

impl Pairs {
    /// # Safety
    /// What pointers that are not null point at can be read as long as this is used.
    unsafe fn new(a: *const dem_triangles, b: *const dem_triangles, list: *const dem_indices) -> Result<Pairs> {
        // SAFETY: by this function's contract.
        let (a, b, list) = unsafe {
            let (a, b) = (Triangles::new(a, What::TrianglesA)?, Triangles::new(b, What::TrianglesB)?);
            (a, b, Indices::new(list, 2, What::Pairs)?)
        };
        let len = match (list, a.len(), b.len()) {
            (Some(list), ..) => {
                list.check(0, a.len(), What::Pairs)?;
                list.check(1, b.len(), What::Pairs)?;
                list.len()
            }
            (None, n, m) if n == m => n,
            (None, 1, n) | (None, n, 1) => n,
            (None, n, m) => return Err(Error::new(Kind::Mismatch, What::TrianglesB).amounts(n as u64, m as u64)),
        };
        Ok(Pairs { a, b, list, len })
    }

    /// Which triangle of A (side 0) or of B (side 1) belongs to a pair.
    #[inline(always)]
    fn index(&self, pair: usize, side: usize) -> usize {
        match self.list {
            Some(list) => list.get(pair, side),
            None if [self.a, self.b][side].len() == 1 => 0,
            None => pair,
        }
    }

    /// Errors: [`Kind::NotFinite`] with the first number of a triangle that a pair names.
    fn check_finite<T: Real>(&self) -> Result<()> {
        for (side, triangles, what) in [(0, self.a, What::TrianglesA), (1, self.b, What::TrianglesB)] {
            let checks = if self.list.is_none() && triangles.len() < self.len { triangles.len() } else { self.len };
            for pair in 0..checks {
                triangles.check::<T>(self.index(pair, side), what)?;
            }
        }
        Ok(())
    }

    fn len(&self) -> usize {
        self.len
    }
}

impl<T: Real> Source<T> for Pairs {
    fn len(&self) -> usize {
        self.len
    }

    fn fill(&self, at: usize, count: usize, block: &mut Coordinates<T>) {
        let (a, b) = block.split_at_mut(9);
        self.a.fill(|column| self.index(at + column, 0), count, a);
        self.b.fill(|column| self.index(at + column, 1), count, b);
    }
}

/// The host's memory for results.
struct Results {
    distance: Option<Output>,
    points: [Option<Output>; 2],
    weights: [Option<Output>; 2],
    features: Option<Output>,
}

impl Results {
    /// # Safety
    /// What the pointers point at can be written as long as this is used.
    unsafe fn new(from: *const dem_closest_points, count: usize) -> Result<Results> {
        if from.is_null() {
            return Err(Error::new(Kind::Null, What::Output));
        }
        // SAFETY: by this function's contract.
        let wanted = unsafe { inputs::read(from, What::Output) }?;
        if wanted.reserved != 0 {
            return Err(Error::new(Kind::OutOfRange, What::Output));
        }
        // SAFETY: by this function's contract.
        let numbers = |to, n, what| unsafe { Output::new(to, n, count, &[DEM_F32, DEM_F64], what) };
        Ok(Results {
            distance: numbers(wanted.distance, 1, What::Distances)?,
            points: [numbers(wanted.point_a, 3, What::PointsA)?, numbers(wanted.point_b, 3, What::PointsB)?],
            weights: [numbers(wanted.weights_a, 3, What::WeightsA)?, numbers(wanted.weights_b, 3, What::WeightsB)?],
            // SAFETY: by this function's contract.
            features: unsafe { Output::new(wanted.features, 2, count, &[DEM_I32, DEM_U32], What::Features) }?,
        })
    }

    fn places<T: Real>(&self, pair: usize, result: &ClosestPoints<T>) {
        for (to, weights) in self.weights.iter().zip([result.weights_a, result.weights_b]) {
            vector(to, pair, || weights.map(Real::to_f64));
        }
        if let Some(to) = &self.features {
            to.integer(pair, 0, result.feature_a as u32);
            to.integer(pair, 1, result.feature_b as u32);
        }
    }
}

fn vector(to: &Option<Output>, item: usize, value: impl Fn() -> [f64; 3]) {
    if let Some(to) = to {
        for (c, x) in value().into_iter().enumerate() {
            to.real(item, c, x);
        }
    }
}

impl<T: Real> Sink<T> for Results {
    fn put(&mut self, at: usize, count: usize, block: &Block<T>) {
        let places = self.weights.iter().any(Option::is_some) || self.features.is_some();
        for column in 0..count {
            let pair = at + column;
            if let Some(to) = &self.distance {
                to.positive(pair, 0, block.distance[column].to_f64());
            }
            for (to, point) in self.points.iter().zip([&block.point_a, &block.point_b]) {
                vector(to, pair, || point.map(|row| row[column].to_f64()));
            }
            if places {
                self.places(pair, &block.get(column));
            }
        }
    }
}

#[cfg(test)]
mod tests;
