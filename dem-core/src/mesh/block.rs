//! The sections of a mesh, and views of them.

use crate::array::Scalar;
use crate::error::{Error, Kind, Result, What};
use crate::memory::{Sizes, sections};
use crate::simd::prefetch;
use zerocopy::{FromBytes, Immutable, IntoBytes};

/// Stands for no triangle and no vertex.
pub const NONE: u32 = u32::MAX;

/// Rows are a multiple of this many numbers long: the widest vector of f32.
pub const STRIDE: usize = 16;

/// The largest number of triangles of a mesh, and of vertices: ids are 32 bits, and [`NONE`] is not an id.
pub const LIMIT: u32 = u32::MAX - STRIDE as u32;

/// The largest magnitude of a coordinate: 2^1000 in f64 and the largest finite number in f32, so that differences of coordinates do not overflow.
pub const LARGEST: [f64; 2] = [f32::MAX as f64, f64::from_bits((1023 + 1000) << 52)];

/// The numbers on which the layout of a mesh depends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub struct MeshSizes {
    /// Number of triangles, from 1.
    pub triangles: u32,
    /// Number of vertices of the input, used or not.
    pub vertices: u32,
    /// A [`Scalar`] as a number: 1 for coordinates in f32, 2 for f64.
    pub scalar: u32,
    /// 1 if each triangle has a halo of its own, 0 if all have the same.
    pub halos: u32,
}

impl MeshSizes {
    /// Sizes of a mesh.
    pub const fn new(triangles: u32, vertices: u32, scalar: Scalar, halos: bool) -> Self {
        MeshSizes { triangles, vertices, scalar: scalar as u32, halos: halos as u32 }
    }

    /// Length of one row of coordinates: the number of triangles, rounded up to an odd multiple of [`STRIDE`]. With a power of two of cache lines,
    /// rows would compete for the same sets of the caches.
    pub const fn stride(&self) -> usize {
        ((self.triangles as usize).div_ceil(STRIDE) | 1).saturating_mul(STRIDE)
    }

    /// The number type of stored coordinates.
    pub const fn stored(&self) -> Scalar {
        if self.scalar == Scalar::F32 as u32 { Scalar::F32 } else { Scalar::F64 }
    }

    fn numbers(&self, scalar: Scalar) -> u64 {
        if self.scalar == scalar as u32 { 9 * self.stride() as u64 } else { 0 }
    }

    fn own_halos(&self) -> u64 {
        if self.halos == 0 { 0 } else { u64::from(self.triangles) }
    }
}

impl Sizes for MeshSizes {
    const KIND: [u8; 4] = *b"mesh";
    const VERSION: u32 = 2;
    const WHAT: What = What::Mesh;

    fn check(&self) -> Result<()> {
        let limit = |what, n| Error::new(Kind::TooLarge, what).amounts(u64::from(LIMIT), u64::from(n));
        if self.triangles > LIMIT {
            return Err(limit(What::Triangles, self.triangles));
        }
        if self.vertices > LIMIT {
            return Err(limit(What::Vertices, self.vertices));
        }
        let scalar = self.scalar == Scalar::F32 as u32 || self.scalar == Scalar::F64 as u32;
        if self.triangles == 0 || self.vertices == 0 || !scalar || self.halos > 1 {
            return Err(Error::new(Kind::OutOfRange, What::Mesh));
        }
        Ok(())
    }
}

/// The bounding box, the bounding ball and the halo of a mesh.
#[derive(Clone, Copy, Debug, PartialEq, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub struct Bounds {
    /// Smallest coordinates of a corner of a triangle.
    pub low: [f64; 3],
    /// Largest coordinates.
    pub high: [f64; 3],
    /// The centre of the box.
    pub centre: [f64; 3],
    /// No corner is farther from the centre than this. It is too large by a few roundings at most. Halos are not included.
    pub radius: f64,
    /// The halo of every triangle, or the largest one if triangles have their own.
    pub halo: f64,
}

sections! {
    /// A triangle mesh: coordinates in rows, and the topology.
    pub struct Mesh / MeshRef (n: &MeshSizes) {
        /// One item.
        pub bounds: State [Bounds; 1],
        /// Coordinates if stored in f32, else empty: nine rows `x0 y0 z0 x1 y1 z1 x2 y2 z2`, each [`MeshSizes::stride`] long. The last triangle is
        /// repeated to the end of the rows.
        pub coordinates32: State [f32; n.numbers(Scalar::F32)],
        /// The same if stored in f64.
        pub coordinates64: State [f64; n.numbers(Scalar::F64)],
        /// The corners of each triangle: indices of input vertices.
        pub vertex: State [[u32; 3]; n.triangles as u64],
        /// For each input vertex, the first one with the same stored position.
        pub weld: State [u32; n.vertices as u64],
        /// For each triangle the neighbour across the edge from corner k to corner k + 1. [`NONE`] if there is none or more than one, and for
        /// triangles with two equal corners and copies of earlier ones.
        pub neighbour: State [[u32; 3]; n.triangles as u64],
        /// The halo of each triangle if they differ, else empty.
        pub halos: State [f64; n.own_halos()],
    }
}

impl<'m> MeshRef<'m> {
    /// Number of triangles.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.vertex.len()
    }

    /// Always false, since a mesh has a triangle.
    pub fn is_empty(&self) -> bool {
        self.vertex.is_empty()
    }

    /// The three corners of triangle `i`; zeros if there is no such triangle.
    #[inline]
    pub fn triangle(&self, i: usize) -> [[f64; 3]; 3] {
        if i >= self.len() {
            return [[0.0; 3]; 3];
        }
        let stride = self.sizes.stride();
        match self.coordinates64.is_empty() {
            true => corners(self.coordinates32, stride, i),
            false => corners(self.coordinates64, stride, i),
        }
    }

    /// Prefetches the corners of triangle `i`.
    #[inline(always)]
    pub(crate) fn prefetch(&self, i: usize) {
        let stride = self.sizes.stride();
        for row in 0..9 {
            match self.coordinates64.is_empty() {
                true => prefetch(self.coordinates32, row * stride + i),
                false => prefetch(self.coordinates64, row * stride + i),
            }
        }
    }

    /// The nine rows of coordinates; all empty if they are stored in f64.
    pub fn rows32(&self) -> [&'m [f32]; 9] {
        rows(self.coordinates32, self.sizes.stride())
    }

    /// The nine rows of coordinates; all empty if they are stored in f32.
    pub fn rows64(&self) -> [&'m [f64]; 9] {
        rows(self.coordinates64, self.sizes.stride())
    }

    /// The halo of triangle `i`.
    #[inline]
    pub fn halo(&self, i: usize) -> f64 {
        self.halos.get(i).copied().unwrap_or_else(|| self.largest_halo())
    }

    /// The largest halo of a triangle.
    #[inline]
    pub fn largest_halo(&self) -> f64 {
        self.bounds.first().map_or(0.0, |b| b.halo)
    }

    /// The middle of the bounding box.
    pub fn centre(&self) -> [f64; 3] {
        self.bounds.first().map_or([0.0; 3], |b| b.centre)
    }

    /// Radius of the ball around [`centre`](Self::centre) that contains all corners of triangles. Halos are not included.
    pub fn radius(&self) -> f64 {
        self.bounds.first().map_or(0.0, |b| b.radius)
    }

    /// The corners of triangle `i` as welded vertices: equal numbers are equal positions. [`NONE`] if there is no such triangle.
    #[inline]
    pub fn welded(&self, i: usize) -> [u32; 3] {
        let vertex = self.vertex.get(i).copied().unwrap_or([NONE; 3]);
        vertex.map(|v| self.weld.get(v as usize).copied().unwrap_or(NONE))
    }
}

/// A column of nine rows of this length; zeros if rows are shorter.
#[inline(always)]
fn corners<T: Copy + Into<f64>>(numbers: &[T], stride: usize, i: usize) -> [[f64; 3]; 3] {
    let coordinate = |row: usize| numbers.get(row * stride + i).map_or(0.0, |x| (*x).into());
    [0, 1, 2].map(|corner| [0, 1, 2].map(|axis| coordinate(3 * corner + axis)))
}

/// Nine rows of the same length. The code is written so that the compiler sees that, and checks an index into all of them once.
#[inline(always)]
pub(super) fn rows<T>(numbers: &[T], stride: usize) -> [&[T]; 9] {
    let cut = || {
        let (r0, rest) = numbers.split_at_checked(stride)?;
        let (r1, rest) = rest.split_at_checked(stride)?;
        let (r2, rest) = rest.split_at_checked(stride)?;
        let (r3, rest) = rest.split_at_checked(stride)?;
        let (r4, rest) = rest.split_at_checked(stride)?;
        let (r5, rest) = rest.split_at_checked(stride)?;
        let (r6, rest) = rest.split_at_checked(stride)?;
        let (r7, rest) = rest.split_at_checked(stride)?;
        let (r8, _) = rest.split_at_checked(stride)?;
        Some([r0, r1, r2, r3, r4, r5, r6, r7, r8])
    };
    cut().unwrap_or_default()
}
