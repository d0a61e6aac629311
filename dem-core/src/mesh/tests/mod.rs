//! Meshes made for the tests of this room.

extern crate std;

mod block;

use super::*;
use crate::array::{Array, Indices, Scalar};
use crate::memory::Layout;
use std::vec::Vec;
use zerocopy::{FromBytes, Immutable, IntoBytes};

#[derive(Clone, Copy, FromBytes, IntoBytes, Immutable)]
#[repr(C, align(64))]
struct Line([u8; 64]);

/// Aligned memory, dirty.
struct Memory(Vec<Line>);

impl Memory {
    fn new(layout: Layout) -> Memory {
        Memory(std::vec![Line([0xAB; 64]); layout.size.div_ceil(64)])
    }

    fn bytes(&mut self) -> &mut [u8] {
        self.0.as_mut_bytes()
    }
}

/// Indexed triangles.
#[derive(Clone, Debug, Default)]
struct Soup {
    vertices: Vec<[f64; 3]>,
    triangles: Vec<[u32; 3]>,
}

impl Soup {
    fn input(&self, scalar: Scalar) -> MeshInput<'_> {
        MeshInput {
            vertices: Array::from_f64(&self.vertices),
            triangles: Some(Indices::from_slice(&self.triangles)),
            scalar,
            halo: Halo::Uniform(0.25),
        }
    }

    /// Every triangle with vertices of its own.
    fn corners(&self) -> Vec<[f64; 3]> {
        self.triangles.iter().flatten().map(|v| self.vertices[*v as usize]).collect()
    }

    fn built(&self) -> Built {
        build(&self.input(Scalar::F64))
    }

    fn map(&self, f: impl Fn([f64; 3]) -> [f64; 3]) -> Soup {
        Soup { vertices: self.vertices.iter().copied().map(f).collect(), triangles: self.triangles.clone() }
    }
}

/// A block with a mesh in it.
struct Built(Memory);

impl Built {
    fn mesh(&mut self) -> MeshRef<'_> {
        MeshRef::open(self.0.bytes()).unwrap()
    }
}

fn build(input: &MeshInput<'_>) -> Built {
    let sizes = input.sizes().unwrap();
    let mut block = Memory::new(Mesh::layout(&sizes).unwrap());
    let mut scratch = Memory::new(build_scratch(&sizes).unwrap());
    Mesh::from_arrays(block.bytes(), input, scratch.bytes()).unwrap();
    Built(block)
}

/// The box from the origin to `size`, faces outward, welded.
fn cuboid(size: [f64; 3]) -> Soup {
    let vertices =
        (0..8).map(|i: u32| [i & 1, i >> 1 & 1, i >> 2].map(f64::from)).map(|v| [0, 1, 2].map(|c| v[c] * size[c]));
    let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = quads.into_iter().flat_map(|[a, b, c, d]| [[a, b, c], [a, c, d]]);
    Soup { vertices: vertices.collect(), triangles: triangles.collect() }
}

/// A strip of `n` quads in the plane, closed into a ring where `closed`, twisted once where `twisted`.
fn strip(n: u32, closed: bool, twisted: bool) -> Soup {
    let vertices = (0..=n).flat_map(|i| {
        let (x, y) = (f64::from(i), f64::from(i * i));
        [[x, y, 0.0], [x, y, 1.0]]
    });
    let pair = |i: u32| {
        let (a, b) = (2 * i, 2 * i + 1);
        let (c, d) = if closed && i + 1 == n { (0, 1) } else { (2 * i + 2, 2 * i + 3) };
        let (c, d) = if closed && twisted && i + 1 == n { (d, c) } else { (c, d) };
        [[a, c, d], [a, d, b]]
    };
    Soup { vertices: vertices.collect(), triangles: (0..n).flat_map(pair).collect() }
}

/// Small numbers out of a counter, for meshes without a pattern.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u32) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % u64::from(n)) as u32
    }
}

/// Triangles between few vertices of a small lattice: equal positions, degenerate triangles, copies, crowded edges.
fn crowd(seed: u64, vertices: u32, triangles: u32) -> Soup {
    let mut random = Random(seed);
    Soup {
        vertices: (0..vertices).map(|_| [0; 3].map(|_| f64::from(random.below(3)) - 1.0)).collect(),
        triangles: (0..triangles).map(|_| [0; 3].map(|_| random.below(vertices))).collect(),
    }
}
