//! What several targets need: aligned memory, numbers out of bytes, two meshes out of numbers, and their contacts.

use dem_core::array::{Array, Scalar};
use dem_core::contact::{self, CellOptions, Cells, CellsRef, Contact, Room, Side};
use dem_core::exec::{Serial, Work};
use dem_core::mesh::{self, Halo, Mesh, MeshInput, MeshRef};
use dem_core::narrow::Operand;
use dem_core::pose::Pose;
use dem_core::simd::Isa;
use dem_core::surrogate::{self, Options, Preset, Tree, TreeRef, TreeSizes};

/// Aligned memory.
pub struct Memory {
    bytes: Vec<u8>,
    size: usize,
}

impl Memory {
    pub fn new(size: usize) -> Self {
        Memory { bytes: vec![0xA5; size + 64], size }
    }

    pub fn get(&mut self) -> &mut [u8] {
        let start = self.start();
        &mut self.bytes[start..start + self.size]
    }

    fn read(&self) -> &[u8] {
        let start = self.start();
        &self.bytes[start..start + self.size]
    }

    fn start(&self) -> usize {
        self.bytes.as_ptr().align_offset(64)
    }
}

/// Numbers taken from the input: any bits, or small multiples of a half, which coincide often.
struct Numbers<'a>(&'a [u8]);

impl Numbers<'_> {
    fn next(&mut self) -> Option<f64> {
        let (kind, rest) = self.0.split_first()?;
        let (x, used) = match kind % 8 {
            0 => (f64::from_le_bytes(rest.get(..8)?.try_into().ok()?), 8),
            1 => (f64::from(f32::from_le_bytes(rest.get(..4)?.try_into().ok()?)), 4),
            _ => (f64::from(*kind as i8 / 8) * 0.5, 0),
        };
        self.0 = &rest[used..];
        Some(x)
    }

    fn array<const N: usize>(&mut self) -> Option<[f64; N]> {
        let mut out = [0.0; N];
        for x in &mut out {
            *x = self.next()?;
        }
        Some(out)
    }
}

/// Two meshes of any numbers under any poses.
pub struct Input {
    pub poses: [Pose; 2],
    pub halo: f64,
    pub margin: f64,
    pub corners: [Vec<[f64; 3]>; 2],
}

impl Input {
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let mut numbers = Numbers(bytes);
        let poses = [0, 1].map(|_| Some(Pose { position: numbers.array()?, orientation: numbers.array()? }));
        let poses = [poses[0]?, poses[1]?];
        let [halo, margin] = numbers.array()?.map(f64::abs);
        let mut corners = [vec![], vec![]];
        while let Some(triangle) = numbers.array::<9>() {
            let side = usize::from(corners[1].len() < corners[0].len());
            corners[side].extend_from_slice(triangle.as_chunks::<3>().0);
            if corners[1].len() >= 60 {
                break;
            }
        }
        Some(Input { poses, halo, margin, corners })
    }

    /// A in double precision, B in single.
    pub fn bodies(&self) -> Option<[Body; 2]> {
        let [a, b] = &self.corners;
        Some([Body::build(a, self.halo, Scalar::F64)?, Body::build(b, self.halo, Scalar::F32)?])
    }
}

/// A mesh, its tree and its cells.
pub struct Body {
    mesh: Memory,
    tree: Memory,
    cells: Option<Memory>,
}

impl Body {
    fn build(vertices: &[[f64; 3]], halo: f64, scalar: Scalar) -> Option<Body> {
        let input =
            MeshInput { vertices: Array::from_f64(vertices), triangles: None, scalar, halo: Halo::Uniform(halo) };
        let sizes = input.sizes().ok()?;
        let mut block = Memory::new(Mesh::layout(&sizes).ok()?.size);
        let mut scratch = Memory::new(mesh::build_scratch(&sizes).ok()?.size);
        let mesh = Mesh::from_arrays(block.get(), &input, scratch.get()).ok()?;
        let options = Options::preset(Preset::Fast);
        let mut tree = Memory::new(Tree::layout(&TreeSizes::new(mesh.len() as u32, &options).ok()?).ok()?.size);
        let mut scratch = Memory::new(surrogate::build_scratch(&mesh.sizes, &options).ok()?.size);
        Tree::from_mesh(tree.get(), &mesh, &options, scratch.get(), Isa::best()).ok()?;
        let cells = cells(&mesh);
        Some(Body { mesh: block, tree, cells })
    }

    pub fn operand<'a>(&'a self, pose: &'a Pose) -> Option<Operand<'a>> {
        let (mesh, tree) = (MeshRef::open(self.mesh.read()).ok()?, TreeRef::open(self.tree.read()).ok()?);
        Some(Operand { mesh, tree, pose, scale: 1.0 })
    }

    pub fn side<'a>(&'a self, pose: &'a Pose) -> Option<Side<'a>> {
        let cells = CellsRef::open(self.cells.as_ref()?.read()).ok()?;
        Some(Side { operand: self.operand(pose)?, cells, solid: true })
    }
}

fn cells(mesh: &MeshRef<'_>) -> Option<Memory> {
    let options = CellOptions::default();
    let mut scratch = Memory::new(contact::build_scratch(&mesh.sizes).ok()?.size);
    let sizes = contact::cell_sizes(mesh, &options, scratch.get()).ok()?;
    let mut block = Memory::new(Cells::layout(&sizes).ok()?.size);
    Cells::from_mesh(block.get(), &sizes, mesh, &options, scratch.get()).ok()?;
    Some(block)
}

pub fn contacts(isa: Isa, a: &Side<'_>, b: &Side<'_>) -> Option<Vec<Contact>> {
    let pairs = a.operand.mesh.len() * b.operand.mesh.len();
    let terms = a.cells.cell.len() * b.operand.mesh.len() + b.cells.cell.len() * a.operand.mesh.len();
    let room = Room { pairs, terms, segments: pairs };
    let mut out = vec![Contact::default(); pairs];
    let mut scratch = Memory::new(contact::contacts_scratch(a, b, room, 1).ok()?.size);
    let found = contact::contacts(Work::new(&Serial, isa, scratch.get()), a, b, 0, room, &mut out).ok()?;
    out.truncate(found.contacts);
    Some(out)
}
