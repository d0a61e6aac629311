//! Cells of a bumpy body and of a cube, byte by byte, and contacts of two bodies at random poses.

use crate::bodies::{Vertices, bumpy, cut, cut_mesh, cut_tree, cut_vertices, input};
use crate::poses::random_pose;
use crate::{Hash, Random};
use dem_core::array::{Array, Indices, Scalar};
use dem_core::contact::{CellOptions, Cells, CellsRef, Contact, Room, Side, build_scratch, cell_sizes, contacts};
use dem_core::error::{Result, What};
use dem_core::exec::{Serial, Work};
use dem_core::memory::{Carve, Plan};
use dem_core::mesh::{Halo, MeshInput, MeshRef};
use dem_core::narrow::Operand;
use dem_core::pose::Pose;
use dem_core::simd::Isa;
use dem_core::surrogate::Options;

/// Room for results.
const MOST: usize = 400;
pub(crate) const ROOM: Room = Room { pairs: 700, terms: 1200, segments: 150 };
pub(crate) const HALO: f64 = 0.03;

pub(crate) fn run(isa: Isa, mut memory: &mut [u8]) -> Result<u64> {
    let mut hash = Hash::new();
    let vertices = cut_vertices(&mut memory)?;
    bumpy(0.1, vertices);
    let rock = shape(isa, &mut memory, &mut hash, &rock(vertices))?;
    let corner = |i: usize| [0, 1, 2].map(|c| if i >> c & 1 == 1 { 0.5 } else { -0.5 });
    let corners: [[f64; 3]; 8] = core::array::from_fn(corner);
    #[rustfmt::skip]
    let triangles = [
        [0, 4, 6], [0, 6, 2],  [1, 3, 7], [1, 7, 5],  [0, 1, 5], [0, 5, 4],
        [2, 6, 7], [2, 7, 3],  [0, 2, 3], [0, 3, 1],  [4, 5, 7], [4, 7, 6],
    ];
    let cube = MeshInput {
        vertices: Array::from_f64(&corners),
        triangles: Some(Indices::from_slice(&triangles)),
        scalar: Scalar::F64,
        halo: Halo::Uniform(HALO),
    };
    let cube = shape(isa, &mut memory, &mut hash, &cube)?;

    let found = cut_contacts(&mut memory)?;
    let mut random = Random::new(8);
    for i in 0..12 {
        let (pose_a, mut pose_b) = (random_pose(&mut random), random_pose(&mut random));
        // From bodies that go through each other to some that are apart.
        let apart = 1.3 + 0.05 * f64::from(i);
        pose_b.position = [0, 1, 2].map(|k| pose_a.position[k] + apart * [0.6, 0.48, -0.64][k]);
        for second in [&rock, &cube] {
            let (a, b) = (side(&cube, &pose_a), side(second, &pose_b));
            let count = contacts(Work::new(&Serial, isa, memory), &a, &b, 3, ROOM, found)?.contacts;
            hash.word(count as u64);
            found[..count].iter().for_each(|c| hash_contact(&mut hash, c));
        }
    }
    Ok(hash.value())
}

pub(crate) type Shape<'m> = (MeshRef<'m>, dem_core::surrogate::TreeRef<'m>, CellsRef<'m>);

pub(crate) fn rock(vertices: &Vertices) -> MeshInput<'_> {
    input(vertices, Scalar::F32, HALO)
}

fn side<'m>((mesh, tree, cells): &Shape<'m>, pose: &'m Pose) -> Side<'m> {
    Side { operand: Operand { mesh: *mesh, tree: *tree, pose, scale: 1.0 }, cells: *cells, solid: false }
}

/// Cuts off room for results.
pub(crate) fn cut_contacts<'m>(memory: &mut &'m mut [u8]) -> Result<&'m mut [Contact]> {
    let layout = Plan::new().add::<Contact>(MOST as u64).layout(What::Output)?;
    Carve::new(cut(memory, layout.size), layout, What::Output)?.take::<Contact>(MOST as u64)
}

/// Cuts off a mesh, its tree and its cells; hashes the cells.
pub(crate) fn shape<'m>(
    isa: Isa,
    memory: &mut &'m mut [u8],
    hash: &mut Hash,
    input: &MeshInput<'_>,
) -> Result<Shape<'m>> {
    let mesh = cut_mesh(memory, input)?;
    let tree = cut_tree(isa, memory, &mesh, &Options::default())?;
    let options = CellOptions::default();
    build_scratch(&mesh.sizes)?.check(memory, What::Scratch)?;
    let sizes = cell_sizes(&mesh, &options, memory)?;
    let block = cut(memory, Cells::layout(&sizes)?.size);
    Cells::from_mesh(block, &sizes, &mesh, &options, memory)?;
    hash.bytes(block);
    Ok((mesh, tree, CellsRef::open(block)?))
}

pub(crate) fn hash_contact(hash: &mut Hash, c: &Contact) {
    c.key.into_iter().for_each(|k| hash.word(k));
    hash.word(u64::from(c.kind) << 32 | u64::from(c.status));
    hash.numbers(&c.position);
    hash.numbers(&c.normal);
    hash.numbers(&c.moment);
    [c.gap, c.least_gap, c.area, c.share, c.halo].into_iter().for_each(|x| hash.number(x));
}
