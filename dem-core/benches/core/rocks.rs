//! Inputs: aligned memory, random numbers, and a bumpy closed body of as many triangles as wanted.

use dem_core::array::{Array, Scalar};
use dem_core::contact::shape::Surface;
use dem_core::contact::{self, CellOptions, Cells, CellsRef, Side};
use dem_core::memory::Layout;
use dem_core::mesh::{self, Halo, Mesh, MeshInput, MeshRef};
use dem_core::narrow::Operand;
use dem_core::pose::Pose;
use dem_core::simd::Isa;
use dem_core::surrogate::{self, Options, Tree, TreeRef, TreeSizes};

/// Halo of all meshes, of about unit radius.
pub const HALO: f64 = 0.01;

/// Zeroed bytes, aligned to 64.
pub struct Memory {
    bytes: Vec<u8>,
    size: usize,
}

impl Memory {
    pub fn new(layout: Layout) -> Self {
        Memory { bytes: vec![0; layout.size + 64], size: layout.size }
    }

    pub fn read(&self) -> &[u8] {
        let start = self.bytes.as_ptr().align_offset(64);
        &self.bytes[start..start + self.size]
    }

    pub fn write(&mut self) -> &mut [u8] {
        let start = self.bytes.as_ptr().align_offset(64);
        &mut self.bytes[start..start + self.size]
    }
}

/// A seeded sequence of numbers in [-1, 1), by SplitMix64.
pub struct Random(pub u64);

impl Random {
    pub fn signed(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let x = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((x ^ x >> 31) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    pub fn point(&mut self) -> [f64; 3] {
        [(); 3].map(|()| self.signed())
    }
}

/// Three vertices for each of 12 * `grid`^2 triangles: the grid on a cube, pushed onto a wavy sphere of about unit radius.
pub fn bumpy(grid: i32) -> Vec<[f64; 3]> {
    let on_body = |axis: usize, sign: i32, [i, j]: [i32; 2]| {
        let mut p = [0.0; 3];
        p[axis] = f64::from(sign * grid);
        p[(axis + 1) % 3] = f64::from(2 * i - grid);
        p[(axis + 2) % 3] = f64::from(2 * j - grid);
        let length = p.iter().map(|x: &f64| x * x).sum::<f64>().sqrt();
        let [x, y, z] = p.map(|x| x / length);
        let wave = (3.0 * x - y * y) * (2.0 * z * y + x) + (y - 4.0 * z * z) * x;
        [x, y, z].map(|x| x * (1.0 + 0.03 * wave))
    };
    let mut vertices = vec![];
    for (axis, sign) in [(0, -1), (0, 1), (1, -1), (1, 1), (2, -1), (2, 1)] {
        for (i, j) in (0..grid).flat_map(|i| (0..grid).map(move |j| (i, j))) {
            let [a, b, c, d] = [[i, j], [i + 1, j], [i + 1, j + 1], [i, j + 1]].map(|at| on_body(axis, sign, at));
            vertices.extend(if sign > 0 { [a, b, c, a, c, d] } else { [a, c, b, a, d, c] });
        }
    }
    vertices
}

pub fn input(vertices: &[[f64; 3]]) -> MeshInput<'_> {
    MeshInput { vertices: Array::from_f64(vertices), triangles: None, scalar: Scalar::F64, halo: Halo::Uniform(HALO) }
}

/// A mesh, its tree and its cells, each in a block of its own.
pub struct Rock {
    mesh: Memory,
    tree: Memory,
    cells: Memory,
}

impl Rock {
    pub fn new(grid: i32) -> Self {
        let (vertices, options) = (bumpy(grid), Options::default());
        let input = input(&vertices);
        let sizes = input.sizes().unwrap();
        let mut block = Memory::new(Mesh::layout(&sizes).unwrap());
        let mut scratch = Memory::new(mesh::build_scratch(&sizes).unwrap());
        let mesh = Mesh::from_arrays(block.write(), &input, scratch.write()).unwrap();
        let mut tree = Memory::new(Tree::layout(&TreeSizes::new(sizes.triangles, &options).unwrap()).unwrap());
        let mut scratch = Memory::new(surrogate::build_scratch(&sizes, &options).unwrap());
        Tree::from_mesh(tree.write(), &mesh, &options, scratch.write(), Isa::best()).unwrap();
        let (mut scratch, options) = (Memory::new(contact::build_scratch(&sizes).unwrap()), CellOptions::default());
        let sizes = contact::cell_sizes(&mesh, &options, scratch.write()).unwrap();
        let mut cells = Memory::new(Cells::layout(&sizes).unwrap());
        Cells::from_mesh(cells.write(), &sizes, &mesh, &options, scratch.write()).unwrap();
        Rock { mesh: block, tree, cells }
    }

    pub fn operand<'a>(&'a self, pose: &'a Pose) -> Operand<'a> {
        let Surface { mesh, tree, .. } = self.surface();
        Operand { mesh, tree, pose, scale: 1.0 }
    }

    pub fn side<'a>(&'a self, pose: &'a Pose) -> Side<'a> {
        Side { operand: self.operand(pose), cells: self.surface().cells, solid: true }
    }

    pub fn surface(&self) -> Surface<'_> {
        let mesh = MeshRef::open(self.mesh.read()).unwrap();
        let (tree, cells) = (TreeRef::open(self.tree.read()).unwrap(), CellsRef::open(self.cells.read()).unwrap());
        Surface { mesh, tree, cells, solid: true }
    }
}

/// Along a direction that no edge of the grid has.
pub fn beside(distance: f64) -> Pose {
    Pose { position: [0.6, 0.48, -0.64].map(|x| distance * x), orientation: [0.1, -0.2, 0.3, 0.9] }
}
