//! How the surface inside an enclosed part turns: the parts of a shaft in its bore, of a thread in its nut, of an edge in its groove.
//!
//! An enclosed part has one force, but its faces need not have one normal. Its second moments come from the curve around it. If several patches of
//! both bodies are inside, sums over the inside faces of each body tell how normals turn, how far the surface bulges, and how much of the
//! magnitudes of forces their vector sum has lost. What counts is what both surfaces have in common: nothing if one of them is flat, or if they
//! bulge toward each other (two balls).

use glam::DVec3;

use super::super::{status, unit};
use super::Enclosed;
use super::face_sums::FaceSums;
use super::intersection_curve::{Facing, Surround};
use super::loops::centre;
use crate::contact::lean::Symmetric;
use crate::contact::spread::{Plane, add_product};
use crate::real::{Real, max, min};

/// What the enclosed surfaces of both bodies have in common.
#[derive(Clone, Copy, Debug, Default)]
struct Seat {
    /// Variance of the height.
    variance: f64,
    /// [`Enclosed::turns`] and [`Enclosed::lost`].
    turns: Symmetric,
    lost: f64,
}

impl Facing {
    /// Once widths are known, the memory of normals and weights holds the sums over faces.
    fn sums(&self) -> FaceSums {
        let ([area, height, square], [[a, b, c], [d, e, f], [g, h, _]]) = (self.weight, self.normal);
        FaceSums { area, height, square, turns: [[a, b], [c, d]], aside: [[e, f], [g, h]] }
    }

    fn set_sums(&mut self, sums: &FaceSums) {
        let FaceSums { area, height, square, turns: [[a, b], [c, d]], aside: [[e, f], [g, h]] } = *sums;
        (self.weight, self.normal) = ([area, height, square], [[a, b, c], [d, e, f], [g, h, 0.0]]);
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
        self.each_part(|of| of[side].set_sums(&FaceSums::default()));
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
            let (mut sums, n) = (to[side].sums(), seen(if side == 0 { -face.normal } else { face.normal }));
            this.inside_of(side, order, face.part, face.triangle, |a, b, c| {
                let area = 0.5 * (b - a).cross(c - a).dot(face.normal);
                sums.add([a, b, c].map(|v| seen(v - middle)), area, n);
            });
            to[side].set_sums(&sums);
        });
    }

    /// Whether [`sum_faces`](Self::sum_faces) has anything to do.
    pub fn is_bent(&self) -> bool {
        let both = |of: &[Facing; 2]| of.iter().all(Facing::is_bent);
        (0..self.segments.len()).any(|i| self.is_part(i) && self.facings.get(i).is_some_and(both))
    }

    /// Sums over the faces of both bodies in a part, if several patches of both are inside. `first` is the first one of the loops with one normal;
    /// `all`: all loops of the part have it.
    fn both_sums(&self, first: u32, all: bool) -> Option<[FaceSums; 2]> {
        let facing = self.facings.get(self.root(first) as usize)?;
        (all && facing.iter().all(Facing::is_bent)).then(|| facing.each_ref().map(Facing::sums))
    }

    /// Mean height of the surface that both bodies share in a part, above the middle of its curve.
    pub fn height(&self, first: u32, all: bool) -> f64 {
        let area = self.loops.get(first as usize).map_or(0.0, |of| of.flat_area);
        let height = self.both_sums(first, all).map_or(0.0, |sums| smaller(sums.map(|of| of.height / area)));
        if Real::is_finite(height) { height } else { 0.0 }
    }

    /// With the second moments of a part, and its seat. `centre` is that of its load.
    pub fn seated(&self, part: Enclosed, (first, all): (u32, bool), centre: DVec3, swapped: bool) -> Enclosed {
        let (Some(of), Some(name)) = (self.loops.get(first as usize), self.names.get(first as usize)) else {
            return part;
        };
        let (own, area) = (&of.second, of.flat_area);
        let [uu, uv, vv] = *own;
        let sound = uu > 0.0 && vv > 0.0 && uu * vv > uv * uv && Real::is_finite(uu) && Real::is_finite(vv);
        if !sound || part.status & (status::DOUBTFUL | status::LEAST_TRANSLATION) != 0 {
            return part;
        }
        let (plane, unit) = (Plane::across(name.normal), self.bodies[0].unscale());
        let height = (centre - DVec3::from_array(of.flat)).dot(DVec3::from_array(name.normal));
        let seat = self.both_sums(first, all).and_then(|sums| seat(sums, own, area, height)).unwrap_or_default();
        let mut spread = plane.tensor(own.map(|x| x / area));
        add_product(&mut spread, seat.variance, name.normal, name.normal);
        let sign = if swapped { -unit } else { unit };
        let spread = spread.map(|x| x * (unit * unit));
        Enclosed { spread, turns: plane.tensor(seat.turns).map(|x| x * sign + 0.0), lost: seat.lost, ..part }
    }
}

/// The seat about a place at this height, for a part with this area, whose second moments are `own`.
fn seat(sums: [FaceSums; 2], own: &Symmetric, area: f64, height: f64) -> Option<Seat> {
    let [uu, uv, vv] = *own;
    let rows = [[uu, uv], [uv, vv]];
    let variance = sums.each_ref().map(|of| max(of.square / area - (of.height / area) * (of.height / area), 0.0));
    let turns = [sums[0].fit(&rows, height)?, sums[1].fit(&rows, height)?];
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
    let seat = Seat { variance: min(variance[0], variance[1]), turns, lost };
    let sound = turns.iter().chain(&[seat.variance, lost]).all(|x| Real::is_finite(*x));
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
