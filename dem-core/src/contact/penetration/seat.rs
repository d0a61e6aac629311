//! How the surface inside an enclosed part turns: the parts of a shaft in its bore, of a thread in its nut, of an edge in its groove.
//!
//! An enclosed part has one force, but its faces need not have one normal. Its second moments come from the curve around it. It may lie in a seat
//! if several patches of both bodies are inside, and some of a concave edge of one of them. Then sums over the inside faces of each body tell how
//! normals turn, how far the surface bulges, and how much of the magnitudes of forces their vector sum has lost. What counts is what both surfaces
//! have in common: nothing if one of them is flat, or if they bulge toward each other (two balls).

use glam::DVec3;

use super::super::{status, unit};
use super::Enclosed;
use super::depth::Cut;
use super::face_sums::FaceSums;
use super::intersection_curve::{Facing, Surround, seen};
use super::loops::{Loop, Shape, centre};
use super::shell::Corners;
use crate::contact::lean::Symmetric;
use crate::contact::spread::Plane;
use crate::real::{Real, max, min};

/// What the enclosed surfaces of both bodies have in common.
#[derive(Clone, Copy, Debug, Default)]
struct Seat {
    /// Variance of the height.
    variance: f64,
    /// [`Enclosed::turns`] and [`Enclosed::lost`].
    turns: Symmetric,
    lost: f64,
    /// See [`Surround::alike`].
    alike: f64,
}

/// Above this value of [`Seat::alike`], a part is not THIN.
const FITS: f64 = 0.5;

/// Memory is reused: after widths are known, `weight` and `normal` hold the sums over faces, and `towards` and `away` what corners tell.
impl Facing {
    pub fn corners(&self) -> Corners {
        Corners { number: self.towards, farthest: self.away }
    }

    pub fn set_corners(&mut self, corners: Corners) {
        (self.towards, self.away) = (corners.number, corners.farthest);
    }

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
    /// Measures the shape of the parts that need one, and how the surfaces inside turn.
    pub fn measure_seats(&mut self, list: &[u32], cut: &Cut<'_>) {
        let has_seats = (0..self.segments.len()).any(|i| self.is_part(i) && self.is_seat(i as u32));
        if has_seats || self.wants.spread {
            self.measure_shapes(list);
        }
        if has_seats {
            for side in 0..2 {
                self.sum_faces(side, cut.order[side], cut.areas[side]);
            }
            self.measure_shells(list);
        }
    }

    /// Whether a part may be a seat.
    pub fn is_seat(&self, part: u32) -> bool {
        self.facings.get(part as usize).is_some_and(turn_alike)
    }

    /// Finds the middle of each group of loops with one normal, and the second moments of its area about that middle.
    fn measure_shapes(&mut self, list: &[u32]) {
        for part in list.chunk_by(|i, j| self.whole.find(*i) == self.whole.find(*j)) {
            if !self.wants.spread && !part.first().is_some_and(|i| self.is_seat(self.root(*i))) {
                continue;
            }
            for group in part.chunk_by(|i, j| self.pieces.iter().all(|pieces| pieces.find(*i) == pieces.find(*j))) {
                let Some(first) = self.first_closed(group) else { continue };
                let sum = self.sum(group);
                let Some((way, area)) = unit(sum.area()).filter(|_| !sum.is_nothing()) else { continue };
                let middle = centre(&sum, -way, area, 0.5 * sum.length).to_array();
                let of = self.loops.get_mut(first as usize);
                of.into_iter().for_each(|of| of.set_shape(&Shape { middle, second: [0.0; 3] }));
            }
        }
        for i in 0..self.segments.len() {
            let root = self.curve.find(i as u32) as usize;
            let Some(name) = self.names.get(root) else { continue };
            let (group, normal) = (name.group, name.normal);
            if !self.wants.spread && !self.is_seat(self.root(i as u32)) {
                continue;
            }
            let (Some(s), Some(of)) = (self.segments.get(i), self.loops.get_mut(group as usize)) else { continue };
            if !of.may_have_shape() {
                continue;
            }
            let (plane, Shape { middle, second: [uu, uv, vv] }) = (Plane::across(normal), of.shape());
            let [[a, b], [c, d]] = s.ends().map(|x| plane.of((x - self.origin - DVec3::from_array(middle)).to_array()));
            // The normal of the part is opposite to the curve's area.
            let part = (b * c - a * d) * (1.0 / 24.0);
            let second = |x: f64, y: f64, z: f64, w: f64| part * (x * z + y * w + (x + y) * (z + w));
            let second = [uu + second(a, c, a, c), uv + second(a, c, b, d), vv + second(b, d, b, d)];
            of.set_shape(&Shape { middle, second });
        }
    }

    /// The first closed loop of a group.
    pub fn first_closed(&self, group: &[u32]) -> Option<u32> {
        group.iter().copied().find(|i| self.loops.get(*i as usize).is_some_and(|of| of.opens == 0))
    }

    /// Sums over the inside faces of one body, for all seats. `order` has the segments sorted by the triangles of this body, `areas` the inside
    /// area of each triangle that is cut.
    fn sum_faces(&mut self, side: usize, order: &[u32], areas: &[f64]) {
        self.each_part(|of| of[side].set_sums(&FaceSums::default()));
        self.each_face(side, order, areas, |this, to, face| {
            if !turn_alike(to) {
                return;
            }
            let Some(name) = this.names.get(face.part as usize) else { return };
            let Some(of) = this.loops.get(name.group as usize).filter(|of| of.may_have_shape()) else { return };
            let (plane, along) = (Plane::across(name.normal), DVec3::from_array(name.normal));
            let middle = this.origin + DVec3::from_array(of.shape().middle);
            let in_plane = |v: DVec3| {
                let [x, y] = plane.of(v.to_array());
                [x, y, v.dot(along)]
            };
            let (mut sums, n) = (to[side].sums(), in_plane(if side == 0 { -face.normal } else { face.normal }));
            this.inside_of(side, order, face.part, face.triangle, |a, b, c| {
                let area = 0.5 * (b - a).cross(c - a).dot(face.normal);
                sums.add([a, b, c].map(|v| in_plane(v - middle)), area, n);
            });
            to[side].set_sums(&sums);
        });
    }

    /// Sums over the faces of both bodies in a seat. Of a group of loops with one normal: the first closed one, and whether the part has no others.
    fn both_sums(&self, first: u32, all: bool) -> Option<[FaceSums; 2]> {
        let root = self.root(first);
        // Sums are about the group of the part's first loop, which may be an open one.
        let own = self.names.get(root as usize).is_some_and(|name| name.group == first);
        let known = all && own && self.is_seat(root) && self.loops.get(first as usize)?.may_have_shape();
        self.facings.get(root as usize).filter(|_| known).map(|facing| facing.each_ref().map(Facing::sums))
    }

    /// Mean height of the surface that both bodies share in a part, above the middle of its curve. `sum` is that over the loops of the group. The
    /// height is that of a place within the part, also where most of its area cancels.
    pub fn height(&self, (first, all, sum): (u32, bool, &Loop)) -> f64 {
        let area = size(sum);
        let most = self.loops.get(self.root(first) as usize).map_or(0.0, Loop::width);
        let height = self.both_sums(first, all).map_or(0.0, |sums| smaller(sums.map(|of| of.height / area)));
        if Real::is_finite(height) { max(-most, min(height, most)) } else { 0.0 }
    }

    /// To what degree both surfaces in a part bend to the same side, from 0 to 1 (h in `docs/contacts.md`, section 10). It is 0 for a part with loops
    /// of several normals.
    pub fn alike(&self, part: &[u32]) -> f64 {
        let seat = || {
            let first = self.first_closed(part).filter(|_| self.groups(part).count() == 1)?;
            let sum = self.sum(part);
            let place = (first, true, &sum);
            self.seat(place, self.both_sums(first, true)?, self.height(place))
        };
        seat().map_or(0.0, |seat| seat.alike)
    }

    /// The seat of a part about a place at this height.
    fn seat(&self, (first, _, sum): (u32, bool, &Loop), sums: [FaceSums; 2], height: f64) -> Option<Seat> {
        let own = self.loops.get(first as usize)?.shape().second;
        if is_sound(&own) { seat(sums, &own, size(sum), height) } else { None }
    }

    /// With the second moments of a part, and its seat. `centre` is that of its load.
    pub fn seated(
        &self,
        part: Enclosed,
        (first, all, sum): (u32, bool, &Loop),
        centre: DVec3,
        swapped: bool,
    ) -> Enclosed {
        let sums = self.both_sums(first, all);
        if part.status & (status::DOUBTFUL | status::LEAST_TRANSLATION) != 0 || sums.is_none() && !self.wants.spread {
            return part;
        }
        let (Some(of), Some(name)) = (self.loops.get(first as usize), self.names.get(first as usize)) else {
            return part;
        };
        let (Shape { middle, second: own }, area) = (of.shape(), size(sum));
        if !is_sound(&own) {
            return part;
        }
        let height = (centre - DVec3::from_array(middle)).dot(DVec3::from_array(name.normal));
        let seat = sums.and_then(|sums| self.seat((first, all, sum), sums, height)).unwrap_or_default();
        // The opposite normal has the opposite first axis, and the same second one.
        let (length, sign) = (self.bodies[0].unscale(), if swapped { -1.0 } else { 1.0 });
        let in_world = |[uu, uv, vv]: Symmetric, by: f64| [uu * by, uv * (by * sign), vv * by];
        Enclosed {
            spread: in_world(own, length * length / area),
            variance: seat.variance * (length * length),
            turns: in_world(seat.turns, length * sign).map(|x| x + 0.0),
            lost: seat.lost,
            // Where both surfaces bend to the same side, opposite faces are those of two bodies, not of one thin body.
            status: if seat.alike > FITS { part.status & !status::THIN } else { part.status },
            ..part
        }
    }
}

/// Whether the surfaces of both bodies may turn alike in a part: there are several patches of each, and one of the surfaces is concave. (Where two
/// surfaces fit, one of them is.) A side without a neighbour may be concave: nothing is known about it.
fn turn_alike([x, y]: &[Facing; 2]) -> bool {
    x.seen & y.seen & seen::SEVERAL != 0 && (x.seen | y.seen) & seen::CONCAVE != 0
}

/// The area that loops enclose.
fn size(of: &Loop) -> f64 {
    unit(of.area()).map_or(0.0, |(_, area)| area)
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
    let alike = if common > 0.0 { common / all } else { 0.0 };
    let lost = alike * max(min(sums[0].area, sums[1].area) / area - 1.0, 0.0);
    let variance = if common > 0.0 { min(variance[0], variance[1]) } else { 0.0 };
    let seat = Seat { variance, turns, lost, alike };
    let sound = turns.iter().chain(&[seat.variance, lost]).all(|x| Real::is_finite(*x));
    sound.then_some(seat)
}

/// Whether second moments are those of an area.
fn is_sound([uu, uv, vv]: &Symmetric) -> bool {
    *uu > 0.0 && *vv > 0.0 && uu * vv > uv * uv && Real::is_finite(*uu) && Real::is_finite(*vv)
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
