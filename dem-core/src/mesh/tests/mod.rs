//! Meshes for the tests of this folder.

extern crate std;

mod block;
mod edges;
mod inspect;
mod mass;
mod properties;
mod solids;

use super::*;
use crate::array::{Array, Indices, Scalar};
use crate::memory::Layout;
use std::vec::Vec;
use zerocopy::{FromBytes, Immutable, IntoBytes};

#[derive(Clone, Copy, FromBytes, IntoBytes, Immutable)]
#[repr(C, align(64))]
struct Line([u8; 64]);

/// Aligned memory with arbitrary content.
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

    /// The corners of all triangles, each with its own vertices.
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

/// A block that contains a mesh.
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

/// A strip of `n` quads in the plane; with `closed`, a ring; with `twisted`, twisted once.
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

/// Small pseudo-random numbers, for meshes without a pattern.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u32) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % u64::from(n)) as u32
    }
}

/// Triangles between few vertices of a small lattice: equal positions, degenerate triangles, copies, non-manifold edges.
fn crowd(seed: u64, vertices: u32, triangles: u32) -> Soup {
    let mut random = Random(seed);
    Soup {
        vertices: (0..vertices).map(|_| [0; 3].map(|_| f64::from(random.below(3)) - 1.0)).collect(),
        triangles: (0..triangles).map(|_| [0; 3].map(|_| random.below(vertices))).collect(),
    }
}

impl Soup {
    fn and(mut self, other: Soup) -> Soup {
        let base = self.vertices.len() as u32;
        self.vertices.extend(other.vertices);
        self.triangles.extend(other.triangles.into_iter().map(|t| t.map(|v| v + base)));
        self
    }

    fn turned(mut self) -> Soup {
        self.triangles.iter_mut().for_each(|t| t.swap(1, 2));
        self
    }

    fn without(mut self, triangles: &[usize]) -> Soup {
        let mut i = 0;
        self.triangles.retain(|_| {
            i += 1;
            !triangles.contains(&(i - 1))
        });
        self
    }

    fn mass(&self, density: f64) -> MassProperties {
        let mut built = self.built();
        let mesh = built.mesh();
        let mut scratch = Memory::new(mass_scratch(&mesh.sizes).unwrap());
        mass_properties(mesh, density, scratch.bytes()).unwrap()
    }

    /// The report, and the places of each defect.
    fn inspected(&self) -> (Report, [Vec<Finding>; 12], Vec<Component>) {
        let mut built = self.built();
        let mesh = built.mesh();
        let mut scratch = Memory::new(inspect_scratch(&mesh.sizes).unwrap());
        let found = inspect(mesh, &InspectOptions::default(), scratch.bytes()).unwrap();
        (found.report, Defect::ALL.map(|d| found.findings(d).collect()), found.components.to_vec())
    }
}

/// The icosahedron, each triangle split in four `levels` times, on a sphere about the origin.
fn icosphere(radius: f64, levels: u32) -> Soup {
    let golden = (1.0 + 5f64.sqrt()) / 2.0;
    let mut soup = Soup::default();
    for [a, b] in [[1.0, golden], [-1.0, golden], [1.0, -golden], [-1.0, -golden]] {
        soup.vertices.extend([[0.0, a, b], [a, b, 0.0], [b, 0.0, a]]);
    }
    let near = |p: [f64; 3], q: [f64; 3]| (0..3).map(|c| (p[c] - q[c]) * (p[c] - q[c])).sum::<f64>() < 4.1;
    for (a, b, c) in (0..12).flat_map(|a| (a..12).flat_map(move |b| (b..12).map(move |c| (a, b, c)))) {
        let [p, q, r] = [a, b, c].map(|v| soup.vertices[v]);
        if a != b && b != c && near(p, q) && near(q, r) && near(r, p) {
            let outward = determinant(p, q, r) > 0.0;
            soup.triangles.push(if outward { [a, b, c] } else { [a, c, b] }.map(|v| v as u32));
        }
    }
    for _ in 0..levels {
        soup = split(&soup);
    }
    soup.map(|p| {
        let length = p.iter().map(|x| x * x).sum::<f64>().sqrt();
        p.map(|x| x / length * radius)
    })
}

fn determinant(a: [f64; 3], b: [f64; 3], c: [f64; 3]) -> f64 {
    a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0])
}

fn split(soup: &Soup) -> Soup {
    let mut middles = std::collections::BTreeMap::new();
    let mut vertices: Vec<[f64; 3]> = soup
        .vertices
        .iter()
        .map(|p| {
            let length = p.iter().map(|x| x * x).sum::<f64>().sqrt();
            p.map(|x| x / length)
        })
        .collect();
    let mut triangles = Vec::new();
    for [a, b, c] in soup.triangles.iter().copied() {
        let [ab, bc, ca] = [[a, b], [b, c], [c, a]].map(|[i, j]| {
            *middles.entry([i.min(j), i.max(j)]).or_insert_with(|| {
                let (p, q) = (vertices[i as usize], vertices[j as usize]);
                vertices.push([0, 1, 2].map(|k| p[k] + q[k]));
                let last = vertices.len() - 1;
                let length = vertices[last].iter().map(|x| x * x).sum::<f64>().sqrt();
                vertices[last] = vertices[last].map(|x| x / length);
                last as u32
            })
        });
        triangles.extend([[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]);
    }
    Soup { vertices, triangles }
}

/// A torus about the z axis, `around` by `across` quads.
fn torus(large: f64, small: f64, around: u32, across: u32) -> Soup {
    let turn = |i: u32, n: u32| f64::from(i) / f64::from(n) * std::f64::consts::TAU;
    let vertices = (0..around * across).map(|k| {
        let (u, v) = (turn(k / across, around), turn(k % across, across));
        let r = large + small * v.cos();
        [r * u.cos(), r * u.sin(), small * v.sin()]
    });
    let triangles = (0..around * across).flat_map(|k| {
        let (i, j) = (k / across, k % across);
        let at = |i: u32, j: u32| i % around * across + j % across;
        let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
        [[a, b, c], [a, c, d]]
    });
    Soup { vertices: vertices.collect(), triangles: triangles.collect() }
}
