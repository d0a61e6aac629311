//! Boxes, cylinders and plates.

use super::{check_count, wrong};
use crate::Triangles;
use dem_core::error::{Result, What};
use dem_core::mesh::{Cuboid, Cylinder};

/// A box about the origin with the given edge lengths: [`Cuboid`], with its errors.
pub fn cuboid(edges: [f64; 3]) -> Result<Triangles> {
    let Cuboid { vertices, triangles } = Cuboid::new(edges)?;
    Ok(Triangles { vertices: vertices.into(), indices: triangles.into() })
}

/// A room: the inside of a box about the origin with the given edge lengths. Its triangles look inward, so its walls push bodies inside away from
/// them.
///
/// Errors: those of [`Cuboid`].
pub fn room(edges: [f64; 3]) -> Result<Triangles> {
    Ok(cuboid(edges)?.reversed())
}

/// A prism in place of a cylinder about the z axis, with the same volume: [`Cylinder`], with its errors.
pub fn cylinder(cylinder: Cylinder) -> Result<Triangles> {
    cylinder.check()?;
    let (mut vertices, mut indices) = (vec![[0.0; 3]; cylinder.vertices()], vec![[0; 3]; cylinder.triangles()]);
    cylinder.write(&mut vertices, &mut indices)?;
    Ok(Triangles { vertices, indices })
}

/// A flat plate about the origin in the plane z = 0, facing up: `cells[0]` by `cells[1]` cells of two triangles.
///
/// Errors: [`Kind::OutOfRange`](dem_core::error::Kind::OutOfRange) for zero cells or an edge that is negative or not finite,
/// [`Kind::TooLarge`](dem_core::error::Kind::TooLarge) beyond 32-bit ids.
pub fn plate(cells: [u32; 2], edges: [f64; 2]) -> Result<Triangles> {
    if cells.contains(&0) {
        return Err(wrong(What::Cells, 1));
    }
    if let Some(axis) = edges.iter().position(|edge| !(*edge >= 0.0 && edge.is_finite())) {
        return Err(wrong(What::Edges, axis as u32));
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
