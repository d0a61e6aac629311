//! The energy of a face in a cell: the flux through it of a field whose divergence is `1 - g/T`.
//!
//! `docs/contacts.md`, section 14, "How much energy there is", gives the field of each kind of cell, and the proof. Half of the flux through the
//! faces of a body, in all cells of the other one, is half of the integral of `1 - g/T` over that body.

use zerocopy::{FromBytes, Immutable, IntoBytes};

use super::clip::Corners;
use crate::contact::cells::{CONE, Cell, PRISM, SECTOR};
use crate::real::{Real, ln, max};
use crate::vector::{cross, dot, sub};

/// A cell's field at the corners of a face.
#[derive(Clone, Copy, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub(in crate::contact) struct Field {
    /// Kind of the cell; 0: none.
    kind: u64,
    /// The cell's sign, times the part of the face that belongs to this cell.
    part: f64,
    /// For a prism the cosine between both normals; for a cone the height of the face above the vertex; for a sector 1 / slope.
    flux: f64,
    /// Sum of both halos.
    halo: f64,
    /// Twice the area of the face.
    twice: f64,
    /// The gap over the halo at the corners.
    gap: [f64; 3],
    /// For a cone: the coordinates of the corners about the vertex. For a sector: the height of the face above the edge, measured at a right
    /// angle to the edge, and the coordinates of the corners across the sector and along the edge.
    rows: [[f64; 3]; 3],
}

impl Field {
    pub const NONE: Field =
        Field { kind: 0, part: 0.0, flux: 0.0, halo: 0.0, twice: 0.0, gap: [0.0; 3], rows: [[0.0; 3]; 3] };

    /// `share`: the part of the face that belongs to this cell; `halo`: the sum of both; `twice`: twice the area of the face.
    pub fn new(
        cell: &Cell,
        sides: &[[f64; 4]],
        (corners, normal): (&[[f64; 3]; 3], [f64; 3]),
        [share, halo, twice]: [f64; 3],
    ) -> Self {
        let from = corners.map(|corner| sub(corner, cell.anchor));
        let gap = from.map(|r| cell.slope * dot(r, cell.normal) / halo);
        let field = Field { kind: u64::from(cell.kind), part: cell.sign * share, halo, twice, gap, ..Field::NONE };
        match (cell.kind, sides) {
            (PRISM, _) => Field { flux: dot(normal, cell.normal), ..field },
            (CONE, _) => {
                let rows = [0, 1, 2].map(|k| from.map(|r| r[k]));
                Field { flux: dot(normal, from[0]), rows, ..field }
            }
            (SECTOR, [_, _, [x, y, z, _], _]) => {
                let along = [*x, *y, *z];
                let across = cross(cell.normal, along);
                let height = |r| dot(r, normal) - dot(r, along) * dot(along, normal);
                let rows = [from.map(height), from.map(|r| dot(r, across)), from.map(|r| dot(r, along))];
                Field { flux: 1.0 / cell.slope, rows, ..field }
            }
            _ => Field::NONE,
        }
    }

    /// The flux through the part of the face in the cell, for the field with the divergence `1 - g/T`.
    pub fn energy(&self, corners: &Corners, column: usize, count: usize) -> f64 {
        let value = match self.kind as u32 {
            PRISM => self.in_prism(corners, column, count),
            SECTOR => self.in_sector(corners, column, count),
            CONE => self.in_cone(corners, column, count),
            _ => 0.0,
        };
        // For a face that almost passes through an edge or a vertex, products may overflow; the result is then dropped.
        if Real::is_finite(value) { self.part * value } else { 0.0 }
    }

    /// `-(n.u) T/2 int (1 - g/T)^2 dA`
    fn in_prism(&self, corners: &Corners, column: usize, count: usize) -> f64 {
        let gap = |at| 1.0 - within(self.gap, at);
        let sum = fan(corners, column, count, |area, of| area / 12.0 * product(of.map(gap), of.map(gap)));
        -0.5 * self.flux * self.halo * self.twice * sum
    }

    /// `int n.r (1/2 - g/(3T) - T^2/(6 g^2)) dA`. The last term is the area of the face projected from the edge, `int d(h/g) dz`.
    fn in_sector(&self, corners: &Corners, column: usize, count: usize) -> f64 {
        let [height, across, along] = self.rows;
        let law = |at| 0.5 - within(self.gap, at) / 3.0;
        let even =
            fan(corners, column, count, |area, of| area / 12.0 * product(of.map(|at| within(height, at)), of.map(law)));
        let at = |k: usize| {
            let at = corners.at(k, column);
            let h = within(across, at);
            // Gaps are at least the distances from the edge.
            let g = max(max(within(self.gap, at), Real::abs(h) / self.halo), LEAST);
            (h, g, within(along, at))
        };
        let mut seen = 0.0;
        for k in 0..count {
            let (from, to) = (at(k), at(if k + 1 < count { k + 1 } else { 0 }));
            seen += (to.2 - from.2) * mean_quotient([from.0, to.0], [from.1, to.1]);
        }
        self.twice * even + self.halo * self.flux / 6.0 * seen
    }

    /// `n.r int (1/3 - g/(4T) - T^3/(12 g^3)) dA`. The last term is the volume below the face as projected from the vertex to a distance equal to
    /// its gap in halos.
    fn in_cone(&self, corners: &Corners, column: usize, count: usize) -> f64 {
        let law = |at| 1.0 / 3.0 - 0.25 * within(self.gap, at);
        let even = fan(corners, column, count, |area, [a, b, c]| area / 3.0 * (law(a) + law(b) + law(c)));
        let seen = |at| {
            let r = self.rows.map(|row| within(row, at));
            let g = max(max(within(self.gap, at), Real::sqrt(dot(r, r)) / self.halo), LEAST);
            r.map(|x| x / g)
        };
        let volume = fan(corners, column, count, |area, [a, b, c]| {
            let volume = 0.5 * dot(seen(a), cross(seen(b), seen(c)));
            // Repeated corners add no volume.
            if area > 0.0 { volume } else { 0.0 }
        });
        self.flux * self.twice * even - volume / 12.0
    }
}

/// Lower bound of gaps, in halos.
const LEAST: f64 = 1e-60;

/// Evaluates the linear function with these values at the corners of a triangle.
pub(in crate::contact) fn within([a, b, c]: [f64; 3], [alpha, beta]: [f64; 2]) -> f64 {
    a + (b - a) * alpha + (c - a) * beta
}

/// Sum over the triangles of the fan about the first corner, with their areas in units in which the face has the area 1/2.
pub(in crate::contact) fn fan(
    corners: &Corners,
    column: usize,
    count: usize,
    mut of: impl FnMut(f64, [[f64; 2]; 3]) -> f64,
) -> f64 {
    let at = |k| corners.at(k, column);
    let mut sum = 0.0;
    for k in 2..count {
        let [p, q, r] = [at(0), at(k - 1), at(k)];
        let twice = (q[0] - p[0]) * (r[1] - p[1]) - (r[0] - p[0]) * (q[1] - p[1]);
        sum += of(0.5 * twice, [p, q, r]);
    }
    sum
}

/// 12 times the mean of the product of two linear functions over a triangle.
fn product(f: [f64; 3], h: [f64; 3]) -> f64 {
    (f[0] + f[1] + f[2]) * (h[0] + h[1] + h[2]) + (f[0] * h[0] + f[1] * h[1] + f[2] * h[2])
}

/// The mean of h/g for linear h and g; h may have any sign, g is positive.
fn mean_quotient(h: [f64; 2], g: [f64; 2]) -> f64 {
    let x = (g[1] - g[0]) / (g[1] + g[0]);
    let square = x * x;
    let (even, odd) = if square < 0.04 {
        // atanh(x)/x = 1 + x^2 rest, by its series.
        let rest = (0..12).rev().fold(0.0, |sum, k| sum * square + 1.0 / f64::from(2 * k + 3));
        (1.0 + square * rest, -x * rest)
    } else {
        let even = ln(g[1] / g[0]) / (2.0 * x);
        (even, (1.0 - even) / x)
    };
    ((h[0] + h[1]) * even + (h[1] - h[0]) * odd) / (g[0] + g[1])
}
