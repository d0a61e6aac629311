//! A closed bumpy body without a file: a cube's grid pushed onto a wavy sphere, as loose triangles.

use crate::MEMORY;
use dem_core::error::{Result, What};
use dem_core::memory::{Carve, Plan};
use dem_core::real::Real;

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

/// Memory for vertices, and the rest of it.
pub(crate) fn carve(memory: &mut [u8]) -> Result<(&mut Vertices, &mut [u8])> {
    let (first, rest) = memory.split_at_mut(MEMORY / 16);
    let layout = Plan::new().add::<Vertices>(1).layout(What::Scratch)?;
    Ok((&mut Carve::new(first, layout, What::Scratch)?.take::<Vertices>(1)?[0], rest))
}
