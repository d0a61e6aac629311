//! A half-space and a face of a mesh by the law of volumes: minus the gradient of an energy. The energy is half the integral of `1 - g/T` over
//! the part of each body in the halo of the other one, plus the volume of the part below.

use glam::DVec3;
use zerocopy::FromZeros;

use super::half_space_mesh::{BELOW, Ground, List, Term};
use super::triangle_in_slab::{Piece, slab};
use crate::contact::cells::{CONE, SECTOR};
use crate::contact::measure::face::{LITTLE, border};
use crate::contact::penetration::FLOOR;
use crate::contact::spread::add_product;
use crate::contact::{Cell, Law};
use crate::real::{Real, max, min};

/// A number of halos that counts as far away.
const FAR: f64 = 1e6;

/// If the cosine between a face's normal and the half-space's normal is smaller, the half-space's face has no part in the prism beyond rounding.
const STEEP: f64 = 1e-12;

impl Ground<'_> {
    /// Whether the law of volumes holds, with this sum of halos. It does not hold for a room, which would attract the half-space.
    pub fn is_conservative(&self, halo: f64) -> bool {
        let cells = &self.surface.cells;
        cells.law() == Law::Volume && halo > 0.0 && !cells.is_room_by_volume()
    }

    /// The rounding error of distances.
    pub fn rounding(&self) -> f64 {
        FLOOR * (self.surface.mesh.radius() + self.offset.abs())
    }

    /// Writes the terms of a face. First, its part within the half-space's halo. Second, the half-space's face in the triangle's prism, computed
    /// as the same face with gaps `h / t`, with t the cosine between both. Third, the part of the face below the plane. All use the same heights.
    pub fn volume_face(
        &self,
        triangle: u32,
        prism: &Cell,
        corners: &[DVec3; 3],
        heights: [f64; 3],
        list: &mut List<'_>,
    ) {
        let normal = DVec3::from_array(prism.normal);
        let (facing, halo) = (-normal.dot(self.up), self.halo(triangle));
        // The weight of areas and centres: how directly the face looks down.
        let looks = max(facing, 0.0) + LITTLE;
        let spread = self.wants.spread;
        let part = |range: [f64; 2], unit: f64, halo: f64, moved: DVec3| {
            slab(corners, heights, normal, range, [unit, halo], spread.then_some(moved))
        };
        let term = |of: u64| {
            let key = [u64::from(prism.patch) << 32 | u64::from(triangle), of];
            Term { key, halo, ..Term::new_zeroed() }
        };
        // `T/2 int (1 - g/T)^2 dA`, by the divergence theorem.
        let stored =
            |piece: &Piece, halo: f64| if self.wants.energy { 0.5 * (halo * piece.pressure - piece.lift) } else { 0.0 };
        if let Some(piece) = part([0.0, halo], halo, halo, DVec3::ZERO) {
            let (load, at, weight) = (0.5 * piece.pressure, piece.first * 0.5, 0.5 * looks);
            list.push(Term {
                area: weight * piece.area,
                pressure: weight * piece.pressure,
                first: (piece.first * weight).to_array(),
                normal: normal.to_array(),
                load,
                at: at.to_array(),
                least_gap: piece.least,
                energy: 0.5 * facing * stored(&piece, halo),
                even: (piece.shifted * weight).to_array(),
                second: piece.second,
                ..term(0)
            });
        }
        // The prism is above the plane for a face that looks down, and below it for one that looks up.
        let (way, steep) = if facing < 0.0 { (-1.0, -facing) } else { (1.0, facing) };
        let narrow = steep * halo;
        let border = border(self.rounding(), halo);
        if steep <= STEEP || steep * size(corners, halo) < border {
            if let Some(strip) = self.strip(corners, heights, normal, halo, border) {
                list.push(Term {
                    key: term(1).key,
                    area: looks * strip.area,
                    pressure: looks * strip.pressure,
                    first: strip.first.map(|x| looks * x),
                    even: strip.even.map(|x| looks * x),
                    ..strip
                });
            }
        } else if let Some(piece) = slab(
            corners,
            heights.map(|h| way * h),
            normal,
            [0.0, narrow],
            [narrow; 2],
            spread.then_some(normal / steep),
        ) {
            // The half-space's face in the prism is the triangle's area over t.
            let (half, first) = (0.5 / steep, piece.first + normal * (piece.lift / steep));
            let weight = half * looks;
            list.push(Term {
                area: weight * piece.area,
                pressure: weight * piece.pressure,
                first: (first * weight).to_array(),
                normal: (-self.up).to_array(),
                load: half * piece.pressure,
                at: (first * half).to_array(),
                least_gap: piece.least / steep,
                energy: 0.5 * way * stored(&piece, narrow) / steep,
                even: (piece.shifted * weight).to_array(),
                second: piece.second,
                ..term(1)
            });
        }
        if let Some(piece) =
            part([f64::NEG_INFINITY, 0.0], halo, halo, self.up * -0.5).filter(|piece| piece.least < 0.0)
        {
            // Half of the force is along the face's own normal; the other half is that of the face's projection on the plane. Areas and centres
            // are those of a pressure that grows with depth. As between two meshes, the constant part acts at the level of the intersection
            // curve, and the growing part halfway between both surfaces.
            let first = piece.first - self.up * (0.5 * (piece.lift + halo * (piece.area - piece.pressure)));
            // A face that looks up subtracts from the part below other faces.
            let looks = if facing < 0.0 { facing - LITTLE } else { looks };
            list.push(Term {
                area: looks * piece.area,
                pressure: looks * piece.pressure,
                first: (first * looks).to_array(),
                normal: ((normal - self.up * facing) * 0.5).to_array(),
                load: piece.area,
                at: piece.even.to_array(),
                least_gap: piece.least,
                even: (piece.shifted * looks).to_array(),
                second: piece.second,
                energy: if self.wants.energy { self.below(triangle, facing, &piece, halo) } else { 0.0 },
                ..term(BELOW)
            });
        }
    }

    /// The half-space's face beside a triangle that is vertical within rounding: in the limit a strip, as wide as the halo, beside the line where
    /// the plane cuts the triangle. The strip is a mean over lines within the border of this plane, as the cells of edges below share a
    /// half-space in their border.
    fn strip(&self, corners: &[DVec3; 3], heights: [f64; 3], normal: DVec3, halo: f64, border: f64) -> Option<Term> {
        let moved = self.wants.spread.then_some(DVec3::ZERO);
        let line = slab(corners, heights, normal, [-border, border], [FAR * halo; 2], moved)?;
        let (length, along) = (line.area / (2.0 * border), line.even / (2.0 * border));
        let (pressure, first) = (0.5 * halo * length, along * (0.5 * halo) + normal * (length * halo * halo / 6.0));
        let mut second = line.second;
        if self.wants.spread {
            add_product(&mut second, halo * halo / 18.0, normal.to_array(), normal.to_array());
        }
        Some(Term {
            area: 0.5 * halo * length,
            pressure: 0.5 * pressure,
            first: (first * 0.5).to_array(),
            normal: (-self.up).to_array(),
            load: 0.5 * pressure,
            at: (first * 0.5).to_array(),
            least_gap: max(line.least, 0.0),
            halo,
            even: ((along * halo + normal * (0.5 * length * halo * halo)) * 0.5).to_array(),
            second,
            ..Term::new_zeroed()
        })
    }

    /// Energy of a face below, without the part that grows with the square of the volume. It is the volume above the face, plus half of the flux
    /// out of both halos there. The flux is that of the half-space's face, of the triangle, and of the edges and vertices whose cells belong to
    /// the triangle.
    fn below(&self, triangle: u32, facing: f64, piece: &Piece, halo: f64) -> f64 {
        let cells = &self.surface.cells;
        let height = |x: [f64; 3]| self.up.dot(DVec3::from_array(x)) - self.offset;
        let own = cells.cell.get(cells.of(triangle as usize)).unwrap_or_default();
        let around = own.iter().fold(0.0, |sum, cell| {
            let low = height(cell.anchor);
            let flux = match (cell.kind, cells.sides(cell)) {
                (CONE, _) if low < 0.0 => 0.25 * halo * cells.cone(cell),
                (SECTOR, [_, _, [x, y, z, _], [.., length]]) => {
                    let rise = self.up.dot(DVec3::new(*x, *y, *z)) * length;
                    cell.dead / (3.0 * cell.slope) * length * part_below(low, low + rise)
                }
                _ => 0.0,
            };
            sum + cell.sign * flux
        });
        let volume = -facing * (self.up.dot(piece.even) - self.offset * piece.area);
        volume + 0.5 * halo * (0.5 * piece.area * (1.0 + facing) + halo * around)
    }

    /// Adds to the part below the force that grows with its volume: that of the energy `Vol^2 / (2 T A)`, with A a quarter of the mesh's surface.
    /// Returns the volume.
    pub fn deepen(&self, terms: &mut [Term]) -> f64 {
        let shadow = self.surface.cells.surface.first().map_or(0.0, |[area, _]| 0.25 * area);
        let below = |term: &&mut Term| term.key[1] == BELOW && self.is_conservative(term.halo);
        let up = self.up;
        // By the divergence theorem, with the height as field, which is zero on the plane.
        let volume = terms.iter_mut().filter(below).fold(0.0, |sum, term| {
            let looks_up = DVec3::from_array(term.normal).dot(up);
            sum + looks_up * (up.dot(DVec3::from_array(term.at)) - self.offset * term.load)
        });
        if shadow > 0.0 && volume > 0.0 {
            let all = terms.iter_mut().filter(below).fold(0.0, |sum, term| sum + term.area.abs());
            terms.iter_mut().filter(below).for_each(|term| {
                if self.wants.energy {
                    term.energy += term.area.abs() / all * (0.5 * volume * volume / (shadow * term.halo));
                }
                let factor = 1.0 + volume / (shadow * term.halo);
                term.load *= factor;
                term.at = term.at.map(|x| factor * x);
            });
        }
        volume
    }
}

/// Size of the half-space's face that is tested against the cells of a triangle.
fn size(corners: &[DVec3; 3], halo: f64) -> f64 {
    let middle = (corners[0] + corners[1] + corners[2]) / 3.0;
    let radius = corners.iter().fold(0.0, |m, c| max(m, (*c - middle).length_squared()));
    4.0 * (Real::sqrt(radius) + halo)
}

/// The part of an edge between these heights that is below 0.
fn part_below(from: f64, to: f64) -> f64 {
    match (from < 0.0, to < 0.0) {
        (true, true) => 1.0,
        (false, false) => 0.0,
        _ => min(from, to) / (min(from, to) - max(from, to)),
    }
}
