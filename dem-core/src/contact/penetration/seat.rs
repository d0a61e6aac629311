//! How the surface inside an enclosed part turns: the parts of a shaft in its bore, of a thread in its nut, of an edge in its groove.
//!
//! An enclosed part has one force, but its faces need not have one normal. Its second moments come from the curve around it. If several patches of
//! both bodies are inside, sums over the inside faces of each body tell how normals turn, how far the surface bulges, and how much of the
//! magnitudes of forces their vector sum has lost. What counts is what both surfaces have in common: nothing if one of them is flat, or if they
//! bulge toward each other (two balls).

use glam::DVec3;
use zerocopy::{FromBytes, Immutable, IntoBytes};

use super::super::{status, unit};
use super::Enclosed;
use super::intersection_curve::{Facing, Surround};
use super::loops::centre;
use crate::contact::lean::{Rows, Symmetric, fit};
use crate::contact::spread::{Plane, add_product};
use crate::real::{Real, max, min};

/// Sums over the inside faces of one body, about the middle of the part, along its normal (N) and across it (t). The unit normal n of a face is
/// that of the surface from the second body to the first one, r is a place on the face.
#[derive(Clone, Copy, Debug, Default, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub(super) struct FaceSums {
    area: f64,
    /// Integrals of r_N and of its square over the area seen along the normal.
    height: f64,
    square: f64,
    /// Integral of r_t n_t^T.
    turns: [[f64; 2]; 2],
    /// Integral of r_N r_t n_t^T.
    aside: [[f64; 2]; 2],
}

/// What the enclosed surfaces of both bodies have in common, about the middle of their part.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Seat {
    /// Mean height of the surface above the middle of the curve, and its variance.
    pub height: f64,
    pub variance: f64,
    /// Mean of r_t n_t^T.
    pub turns: Symmetric,
    /// Sum of the magnitudes of forces over the magnitude of their vector sum, less 1.
    pub lost: f64,
}

impl FaceSums {
    /// Adds a triangle with this normal, or takes it away, if it is clockwise. Places and normal: across the part's normal, and along it.
    fn add(&mut self, corners: [[f64; 3]; 3], area: f64, n: [f64; 3]) {
        // The mean of r_i r_k is 1/12 of their sum over the corners and over the sum of all corners.
        let [a, b, c] = corners;
        let sum = [0, 1, 2].map(|k| a[k] + b[k] + c[k]);
        let part = area * (1.0 / 12.0);
        let second = |i: usize, k: usize| part * (a[i] * a[k] + b[i] * b[k] + c[i] * c[k] + sum[i] * sum[k]);
        let third = area * (1.0 / 3.0);
        self.area += area;
        self.height += third * sum[2] * n[2];
        self.square += second(2, 2) * n[2];
        for i in 0..2 {
            let along = second(i, 2);
            for k in 0..2 {
                self.turns[i][k] += third * (sum[i] * n[k]);
                self.aside[i][k] += along * n[k];
            }
        }
    }

    /// How normals turn for the surface of one body, about a place at this height; `own` is the integral of r_t r_t^T over the area seen along
    /// the normal.
    fn fit(&self, own: &Rows, height: f64) -> Option<Symmetric> {
        let mut squares = *own;
        for (i, row) in squares.iter_mut().enumerate() {
            for (k, to) in row.iter_mut().enumerate() {
                *to += height * self.turns[i][k] - self.aside[i][k];
            }
        }
        fit(&self.turns, &squares, own)
    }
}

impl Surround<'_, '_> {
    /// Finds the middle of each group of loops with one normal, and the second moments of its area about that middle.
    pub fn measure_shapes(&mut self, list: &[u32]) {
        for part in list.chunk_by(|i, j| self.whole.find(*i) == self.whole.find(*j)) {
            for group in part.chunk_by(|i, j| self.pieces.iter().all(|pieces| pieces.find(*i) == pieces.find(*j))) {
                let Some(first) = self.first_closed(group) else { continue };
                let sum = self.sum(group);
                let Some((way, area)) = unit(sum.area()) else { continue };
                let middle = centre(&sum, -way, area, 0.5 * sum.length).to_array();
                let of = self.loops.get_mut(first as usize);
                of.into_iter().for_each(|of| (of.flat, of.flat_area) = (middle, area));
            }
        }
        for i in 0..self.segments.len() {
            let root = self.curve.find(i as u32) as usize;
            let Some(name) = self.names.get(root) else { continue };
            let (group, normal) = (name.group, name.normal);
            let (Some(s), Some(of)) = (self.segments.get(i), self.loops.get_mut(group as usize)) else { continue };
            if of.opens > 0 {
                continue;
            }
            let plane = Plane::across(normal);
            let [[a, b], [c, d]] =
                s.ends().map(|x| plane.of((x - self.origin - DVec3::from_array(of.flat)).to_array()));
            // The normal of the part is opposite to the curve's area.
            let part = (b * c - a * d) * (1.0 / 24.0);
            let second = |x: f64, y: f64, z: f64, w: f64| part * (x * z + y * w + (x + y) * (z + w));
            let [uu, uv, vv] = of.second;
            of.second = [uu + second(a, c, a, c), uv + second(a, c, b, d), vv + second(b, d, b, d)];
        }
    }

    /// The first closed loop of a group.
    pub fn first_closed(&self, group: &[u32]) -> Option<u32> {
        group.iter().copied().find(|i| self.loops.get(*i as usize).is_some_and(|of| of.opens == 0))
    }

    /// Sums over the inside faces of one body, for all parts in which several patches of both bodies are inside. `order` has the segments sorted by
    /// the triangles of this body, `areas` the inside area of each triangle that is cut.
    pub fn sum_faces(&mut self, side: usize, order: &[u32], areas: &[f64]) {
        self.each_face(side, order, areas, |this, to, face| {
            if !to.iter().all(Facing::is_bent) {
                return;
            }
            let Some(name) = this.names.get(face.part as usize) else { return };
            let flat = this.loops.get(name.group as usize).map_or([0.0; 3], |of| of.flat);
            let (plane, along) = (Plane::across(name.normal), DVec3::from_array(name.normal));
            let middle = this.origin + DVec3::from_array(flat);
            let seen = |v: DVec3| {
                let [x, y] = plane.of(v.to_array());
                [x, y, v.dot(along)]
            };
            let (sums, n) = (&mut to[side].sums, seen(if side == 0 { -face.normal } else { face.normal }));
            this.inside_of(side, order, face.part, face.triangle, |a, b, c| {
                let area = 0.5 * (b - a).cross(c - a).dot(face.normal);
                sums.add([a, b, c].map(|v| seen(v - middle)), area, n);
            });
        });
    }

    /// Whether [`sum_faces`](Self::sum_faces) has anything to do.
    pub fn is_bent(&self) -> bool {
        let both = |of: &[Facing; 2]| of.iter().all(Facing::is_bent);
        (0..self.segments.len()).any(|i| self.is_part(i) && self.facings.get(i).is_some_and(both))
    }

    /// The seat of a part, and the second moments of its area about the middle, in the plane across its normal. `first` is the first one of the
    /// loops with this normal; if not `all` loops of the part have it, the part has no seat.
    pub fn seat(&self, first: u32, all: bool) -> (Seat, Option<Symmetric>) {
        let none = (Seat::default(), None);
        let (Some(of), Some(facing)) = (self.loops.get(first as usize), self.facings.get(self.root(first) as usize))
        else {
            return none;
        };
        let [uu, uv, vv] = of.second;
        let sound = uu > 0.0 && vv > 0.0 && uu * vv > uv * uv && uu < f64::INFINITY && vv < f64::INFINITY;
        let area = of.flat_area;
        if !sound {
            return none;
        }
        let second = of.second.map(|x| x / area);
        let seat = if all && facing.iter().all(Facing::is_bent) { seat(facing, &of.second, area) } else { None };
        (seat.unwrap_or_default(), Some(second))
    }
}

impl Surround<'_, '_> {
    /// With the second moments and the seat of a part whose first loop this is.
    pub fn seated(
        &self,
        part: Enclosed,
        first: u32,
        seat: &Seat,
        second: Option<Symmetric>,
        swapped: bool,
    ) -> Enclosed {
        let (Some(second), Some(name)) = (second, self.names.get(first as usize)) else { return part };
        if part.status & (status::DOUBTFUL | status::LEAST_TRANSLATION) != 0 {
            return part;
        }
        let (plane, unit) = (Plane::across(name.normal), self.bodies[0].unscale());
        let mut spread = plane.tensor(second);
        add_product(&mut spread, seat.variance, name.normal, name.normal);
        let sign = if swapped { -unit } else { unit };
        let spread = spread.map(|x| x * (unit * unit));
        Enclosed { spread, turns: plane.tensor(seat.turns).map(|x| x * sign + 0.0), lost: seat.lost, ..part }
    }
}

/// The seat of a part with this area, whose second moments are `own`.
fn seat(facing: &[Facing; 2], [uu, uv, vv]: &Symmetric, area: f64) -> Option<Seat> {
    let sums = facing.each_ref().map(|facing| &facing.sums);
    let own = [[*uu, *uv], [*uv, *vv]];
    let height = smaller(sums.map(|of| of.height / area));
    let variance = sums.map(|of| max(of.square / area - (of.height / area) * (of.height / area), 0.0));
    let turns = [sums[0].fit(&own, height)?, sums[1].fit(&own, height)?];
    let (mut fit, mut common, mut all) = ([0.0; 3], 0.0, 0.0);
    for [x, y] in principal_axes([0, 1, 2].map(|k| turns[0][k] + turns[1][k])) {
        let of_two = turns.each_ref().map(|[a, b, c]| x * x * a + 2.0 * (x * y) * b + y * y * c);
        let (both, square) = (smaller(of_two), x * x * uu + 2.0 * (x * y) * uv + y * y * vv);
        fit = [fit[0] + both * (x * x), fit[1] + both * (x * y), fit[2] + both * (y * y)];
        common += both * both * square;
        all += min(of_two[0] * of_two[0], of_two[1] * of_two[1]) * square;
    }
    let [huu, huv, hvv] = fit.map(|x| x / area);
    let turns = [uu * huu + uv * huv, 0.5 * (uu * huv + uv * hvv + uv * huu + vv * huv), uv * huv + vv * hvv];
    let lost = max(min(sums[0].area, sums[1].area) / area - 1.0, 0.0);
    let lost = if common > 0.0 { lost * (common / all) } else { 0.0 };
    let seat = Seat { height, variance: min(variance[0], variance[1]), turns, lost };
    let sound = turns.iter().chain(&[height, seat.variance, lost]).all(|x| Real::is_finite(*x));
    sound.then_some(seat)
}

/// What both surfaces have in common: the number closer to 0 if both have one sign, otherwise 0. The faces at the ends of a part, which only one
/// of the bodies has there, add to the larger number.
fn smaller([x, y]: [f64; 2]) -> f64 {
    if x > 0.0 && y > 0.0 {
        min(x, y)
    } else if x < 0.0 && y < 0.0 {
        max(x, y)
    } else {
        0.0
    }
}

/// Principal axes of a symmetric matrix; any axes if all directions are alike.
fn principal_axes([uu, uv, vv]: Symmetric) -> [[f64; 2]; 2] {
    let half = 0.5 * (uu - vv);
    let apart = Real::sqrt(half * half + uv * uv);
    // The longer one of two forms of the same vector.
    let [x, y] = if half > 0.0 { [apart + half, uv] } else { [uv, apart - half] };
    let length = Real::sqrt(x * x + y * y);
    let [x, y] = if length > 0.0 && length < f64::INFINITY { [x / length, y / length] } else { [1.0, 0.0] };
    [[x, y], [-y, x]]
}
