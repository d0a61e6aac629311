//! A closed bumpy body without a file: a cube's grid pushed onto a wavy sphere, as loose triangles.

use dem_core::array::{Array, Scalar};
use dem_core::error::{Result, What};
use dem_core::memory::{Carve, Plan};
use dem_core::mesh::{Halo, Mesh, MeshInput, MeshRef};
use dem_core::real::Real;
use dem_core::simd::Isa;
use dem_core::surrogate::{Options, Tree, TreeRef, TreeSizes};

/// Squares along an edge of the cube.
const GRID: i32 = 5;

/// Triangles of a body.
pub(crate) const TRIANGLES: usize = (6 * 2 * GRID * GRID) as usize;

/// Three vertices for each triangle. Corners that meet come from the same integers, so they have the same bits, and welding
/// finds a closed surface.
pub(crate) type Vertices = [[f64; 3]; 3 * TRIANGLES];

/// Fills in a body of about unit radius; `wave` is the height of its bumps.
pub(crate) fn bumpy(wave: f64, vertices: &mut Vertices) {
    let mut to = vertices.iter_mut();
    for (axis, sign) in [(0, -1), (0, 1), (1, -1), (1, 1), (2, -1), (2, 1)] {
        for square in 0..GRID * GRID {
            let (i, j) = (square % GRID, square / GRID);
            let corner = |di: i32, dj: i32| on_body(axis, sign, [i + di, j + dj], wave);
            let [a, b, c, d] = [corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)];
            // Outwards for either sign.
            let corners = if sign > 0 { [a, b, c, a, c, d] } else { [a, c, b, a, d, c] };
            corners.into_iter().zip(&mut to).for_each(|(corner, to)| *to = corner);
        }
    }
}

/// The vertex of a body that a place of the grid on one side of the cube goes to.
fn on_body(axis: usize, sign: i32, place: [i32; 2], wave: f64) -> [f64; 3] {
    let mut p = [0.0; 3];
    p[axis] = f64::from(sign * GRID);
    p[(axis + 1) % 3] = f64::from(2 * place[0] - GRID);
    p[(axis + 2) % 3] = f64::from(2 * place[1] - GRID);
    let length = Real::sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
    let [x, y, z] = p.map(|x| x / length);
    let height = (3.0 * x - y * y) * (2.0 * z * y + x) + (y - 4.0 * z * z) * x;
    [x, y, z].map(|x| x * (1.0 + wave * height))
}

/// Cuts this many bytes off the front of `memory`.
pub(crate) fn cut<'m>(memory: &mut &'m mut [u8], bytes: usize) -> &'m mut [u8] {
    let (first, rest) = core::mem::take(memory).split_at_mut(bytes);
    *memory = rest;
    first
}

/// Cuts off memory for vertices.
pub(crate) fn cut_vertices<'m>(memory: &mut &'m mut [u8]) -> Result<&'m mut Vertices> {
    let layout = Plan::new().add::<Vertices>(1).layout(What::Scratch)?;
    let mut carve = Carve::new(cut(memory, layout.size), layout, What::Scratch)?;
    Ok(&mut carve.take::<Vertices>(1)?[0])
}

/// The loose triangles as input of a mesh.
pub(crate) fn input(vertices: &Vertices, scalar: Scalar, halo: f64) -> MeshInput<'_> {
    MeshInput { vertices: Array::from_f64(vertices), triangles: None, scalar, halo: Halo::Uniform(halo) }
}

/// Cuts off a mesh of these triangles; what is behind it serves as scratch.
pub(crate) fn cut_mesh<'m>(memory: &mut &'m mut [u8], input: &MeshInput<'_>) -> Result<MeshRef<'m>> {
    let block = cut(memory, Mesh::layout(&input.sizes()?)?.size);
    Mesh::from_arrays(block, input, memory)
}

/// Cuts off the tree of a mesh; what is behind it serves as scratch.
pub(crate) fn cut_tree<'m>(
    isa: Isa,
    memory: &mut &'m mut [u8],
    mesh: &MeshRef<'_>,
    options: &Options,
) -> Result<TreeRef<'m>> {
    let block = cut(memory, Tree::layout(&TreeSizes::new(mesh.sizes.triangles, options)?)?.size);
    Tree::from_mesh(block, mesh, options, memory, isa)
}
