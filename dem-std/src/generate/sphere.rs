//! Spheres of radius 1 about the origin: subdivided icosahedra, and meridians with parallels.

use super::{angle, check_count, normalised, wrong};
use crate::Triangles;
use dem_core::error::{Result, What};
use dem_core::real::Real;
use std::collections::BTreeMap;

/// Corners of an icosahedron (cyclic permutations of (0, +-1, +-golden ratio)) and its faces, outwards.
fn icosahedron() -> Triangles {
    let g = (1.0 + Real::sqrt(5.0)) / 2.0;
    let corners = [
        [-1.0, g, 0.0],
        [1.0, g, 0.0],
        [-1.0, -g, 0.0],
        [1.0, -g, 0.0],
        [0.0, -1.0, g],
        [0.0, 1.0, g],
        [0.0, -1.0, -g],
        [0.0, 1.0, -g],
        [g, 0.0, -1.0],
        [g, 0.0, 1.0],
        [-g, 0.0, -1.0],
        [-g, 0.0, 1.0],
    ];
    #[rustfmt::skip]
    let indices = vec![
        [0, 11, 5], [0, 5, 1], [0, 1, 7], [0, 7, 10], [0, 10, 11],
        [1, 5, 9], [5, 11, 4], [11, 10, 2], [10, 7, 6], [7, 1, 8],
        [3, 9, 4], [3, 4, 2], [3, 2, 6], [3, 6, 8], [3, 8, 9],
        [4, 9, 5], [2, 4, 11], [6, 2, 10], [8, 6, 7], [9, 8, 1],
    ];
    Triangles { vertices: corners.map(normalised).to_vec(), indices }
}

/// An icosahedron whose triangles are cut into four, `level` times, new vertices pushed out to the sphere: 20 4^level
/// triangles (20, 80, 320, 1,280, 5,120, 20,480), 10 4^level + 2 vertices. Children of a triangle have consecutive ids.
///
/// Errors: [`Kind::TooLarge`](dem_core::error::Kind::TooLarge) for more triangles than 32-bit ids can name (level 14).
pub fn icosphere(level: u32) -> Result<Triangles> {
    check_count(20 << (2 * level.min(20)))?;
    Ok((0..level).fold(icosahedron(), |sphere, _| subdivided(sphere)))
}

fn subdivided(Triangles { mut vertices, indices }: Triangles) -> Triangles {
    let mut middles = BTreeMap::new();
    let mut middle = |a: u32, b: u32| {
        *middles.entry((a.min(b), a.max(b))).or_insert_with(|| {
            // The smaller id first, so that the sum is equal for both triangles of the edge.
            let (p, q) = (vertices[a.min(b) as usize], vertices[a.max(b) as usize]);
            vertices.push(normalised([p[0] + q[0], p[1] + q[1], p[2] + q[2]]));
            (vertices.len() - 1) as u32
        })
    };
    let quarter = |[a, b, c]: [u32; 3]| {
        let (ab, bc, ca) = (middle(a, b), middle(b, c), middle(c, a));
        [[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]
    };
    let indices = indices.into_iter().flat_map(quarter).collect();
    Triangles { vertices, indices }
}

/// A sphere with `meridians` around the z axis and `bands` from pole to pole: 2 meridians (bands - 1) triangles.
///
/// P0 Table 6.2 has 12, 36, 140 and 1,224 triangles: (3, 3), (6, 4), (10, 8), (36, 18); 64 are (8, 5). Errors:
/// [`Kind::OutOfRange`](dem_core::error::Kind::OutOfRange) for fewer than 3 meridians or 2 bands,
/// [`Kind::TooLarge`](dem_core::error::Kind::TooLarge) beyond 32-bit ids.
pub fn uv_sphere(meridians: u32, bands: u32) -> Result<Triangles> {
    if meridians < 3 {
        return Err(wrong(What::Meridians, 0));
    }
    if bands < 2 {
        return Err(wrong(What::Bands, 0));
    }
    let (n, rings) = (meridians, bands - 1);
    check_count((2 * n as u64).saturating_mul(rings as u64))?;
    let mut vertices = vec![[0.0, 0.0, 1.0]];
    for ring in 1..=rings {
        let (z, radius) = angle::of_turn(ring, 2 * bands);
        vertices.extend((0..n).map(|k| {
            let (x, y) = angle::of_turn(k, n);
            [radius * x, radius * y, z]
        }));
    }
    vertices.push([0.0, 0.0, -1.0]);
    let at = |ring: u32, k: u32| 1 + ring * n + k % n;
    let south = 1 + rings * n;
    let mut indices: Vec<[u32; 3]> = (0..n).map(|k| [0, at(0, k), at(0, k + 1)]).collect();
    for ring in 1..rings {
        for k in 0..n {
            let (a, b, c, d) = (at(ring - 1, k), at(ring, k), at(ring, k + 1), at(ring - 1, k + 1));
            indices.extend([[a, b, c], [a, c, d]]);
        }
    }
    indices.extend((0..n).map(|k| [south, at(rings - 1, k + 1), at(rings - 1, k)]));
    Ok(Triangles { vertices, indices })
}
