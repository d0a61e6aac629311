//! Boxes and plates.

use super::check_count;
use crate::Triangles;
use dem_core::error::{Error, Kind, Result, What};

/// A box about the origin with the given edge lengths: 8 vertices, 12 triangles, two for each side in the order -x +x -y +y
/// -z +z.
///
/// Errors: [`Kind::OutOfRange`] where an edge is negative or not finite; zero gives a flat box.
pub fn cuboid(edges: [f64; 3]) -> Result<Triangles> {
    if let Some(c) = edges.iter().position(|&e| !(e >= 0.0 && e.is_finite())) {
        return Err(Error::new(Kind::OutOfRange, What::Options).at(0, c as u32));
    }
    // Bit c of a vertex id tells the side on axis c.
    let vertex = |i: u32| [0, 1, 2].map(|c| if i >> c & 1 == 1 { 0.5 * edges[c] } else { -0.5 * edges[c] });
    #[rustfmt::skip]
    let indices = vec![
        [0, 4, 6], [0, 6, 2],  [1, 3, 7], [1, 7, 5],
        [0, 1, 5], [0, 5, 4],  [2, 6, 7], [2, 7, 3],
        [0, 2, 3], [0, 3, 1],  [4, 5, 7], [4, 7, 6],
    ];
    Ok(Triangles { vertices: (0..8).map(vertex).collect(), indices })
}

/// A flat plate about the origin in the plane z = 0, facing up: `cells[0]` by `cells[1]` cells of two triangles.
///
/// Errors: [`Kind::OutOfRange`] for zero cells or an edge that is negative or not finite, [`Kind::TooLarge`] beyond 32-bit ids.
pub fn plate(cells: [u32; 2], edges: [f64; 2]) -> Result<Triangles> {
    if let Some(c) = (0..2).find(|&c| cells[c] == 0 || !(edges[c] >= 0.0 && edges[c].is_finite())) {
        return Err(Error::new(Kind::OutOfRange, What::Options).at(0, c as u32));
    }
    let [nx, ny] = cells;
    check_count((2 * nx as u64).saturating_mul(ny as u64))?;
    check_count((nx as u64 + 1).saturating_mul(ny as u64 + 1))?;
    let along = |k: u32, c: usize| edges[c] * (k as f64 / cells[c] as f64 - 0.5);
    let vertices = (0..=ny).flat_map(|j| (0..=nx).map(move |i| [along(i, 0), along(j, 1), 0.0])).collect();
    let at = |i: u32, j: u32| j * (nx + 1) + i;
    let cell = |i: u32, j: u32| {
        let (a, b, c, d) = (at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1));
        [[a, b, c], [a, c, d]]
    };
    let indices = (0..ny).flat_map(|j| (0..nx).flat_map(move |i| cell(i, j))).collect();
    Ok(Triangles { vertices, indices })
}
