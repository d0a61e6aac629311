//! The integrals of a triangle over its part in the reach of a capsule, and a capsule's contact from these.
//!
//! A capsule is cut across its axis at both ends of its segment. Beyond the cuts it is a ball, between them a cylinder. The same holds for the
//! pressure, which depends on the distance from the segment, and for the field whose flux is the energy. The axial component of that field is 0
//! at both cuts.

use core::f64::consts::PI;
use glam::DVec3;

use super::face_moments::Moments;
use super::polygon_in_cylinder::{Cylinder, Strip};
use super::sphere_pair::Round;
use super::triangle_in_ball;
use super::triangle_in_slab::{Corner, MOST, cut};
use super::writer::Local;
use crate::contact::spread::Wants;
use crate::contact::{across_both, any_across, status, unit};
use crate::real::{Real, atan2, max, min};

/// The data of a capsule for its integrals, in units in which it is about 1 long.
#[derive(Clone, Copy)]
pub(super) struct Capsule {
    /// Unit vector from its centre to the end with a positive height.
    pub axis: DVec3,
    /// Half of the length of the segment.
    pub half: f64,
    /// The optional fields of contacts.
    pub wants: Wants,
}

/// Integrals over a part of a triangle; x is relative to the capsule's centre, `q = reach^2 - d^2` with the distance d from the segment.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Piece {
    /// `int dA`
    pub area: f64,
    /// `int q dA`
    pub weight: f64,
    /// `int q x dA`
    pub first: DVec3,
    /// `int q z dA`, z the height of the nearest point of the segment along the axis.
    pub along: f64,
    /// The flux through the triangle of a field whose divergence is q, if energies are requested.
    pub flux: f64,
    /// Second moments, if they are requested.
    pub moments: Moments,
}

type Polygon = ([Corner; MOST], usize);

/// A point closer to a plane than this, relative to the size of the triangle, is in the plane: several rounding errors.
const ROUNDING: f64 = 16.0 * f64::EPSILON;

impl Capsule {
    /// The integrals over a triangle with this unit normal; corners are relative to the centre.
    pub fn piece(&self, corners: &[DVec3; 3], normal: DVec3, reach: f64) -> Option<Piece> {
        let mut whole = [(DVec3::ZERO, 0.0); MOST];
        // Corners within rounding of an end plane are moved into it: a thinner part beyond the plane would have no defined orientation.
        let rounding = ROUNDING * corners.iter().fold(self.half, |most, c| max(most, c.abs().max_element()));
        let height = |c: &DVec3| {
            let height = self.axis.dot(*c);
            let end = if height < 0.0 { -self.half } else { self.half };
            if Real::abs(height - end) <= rounding { end } else { height }
        };
        whole.iter_mut().zip(corners).for_each(|(to, c)| *to = (*c, height(c)));
        let mut piece = Piece::default();
        for side in [-1.0, 1.0] {
            let beyond = cut(&whole, 3, side * self.half, -side);
            self.end(&beyond, side * self.half, normal, reach, &mut piece);
        }
        // A triangle in one of the end planes is on the common border of both parts, where both have the same integrals. It belongs to the end.
        let on_border = |end: f64| whole.iter().take(3).all(|corner| corner.1 == end);
        if on_border(-self.half) || on_border(self.half) {
            return (piece.area > 0.0 && piece.weight > 0.0).then_some(piece);
        }
        let (below, count) = cut(&whole, 3, self.half, 1.0);
        self.middle(&cut(&below, count, -self.half, -1.0), normal, reach, &mut piece);
        (piece.area > 0.0 && piece.weight > 0.0).then_some(piece)
    }

    /// Adds the part beyond an end: inside a ball about that end.
    fn end(&self, (polygon, count): &Polygon, end: f64, normal: DVec3, reach: f64, sum: &mut Piece) {
        let centre = self.axis * end;
        let point = |k: usize| polygon.get(k).map_or(DVec3::ZERO, |corner| corner.0 - centre);
        for k in 2..*count {
            let corners = [point(0), point(k - 1), point(k)];
            let spread = self.wants.spread;
            let Some(piece) = triangle_in_ball::piece(&corners, normal, reach, spread) else { continue };
            if spread {
                sum.moments.add(&piece.moments, [piece.area, piece.weight], piece.first, centre);
            }
            sum.area += piece.area;
            sum.weight += piece.weight;
            sum.first += piece.first + centre * piece.weight;
            sum.along += end * piece.weight;
            if self.wants.energy {
                sum.flux += piece.flux(&corners, normal, reach);
            }
        }
    }

    /// Adds the part between the ends: inside a cylinder.
    fn middle(&self, (polygon, count): &Polygon, normal: DVec3, reach: f64, sum: &mut Piece) {
        let (Some(polygon), true) = (polygon.get(..*count), *count > 2 && self.half > 0.0) else { return };
        let height = polygon.first().map_or(0.0, |corner| -normal.dot(corner.0));
        // The direction in the plane across the axis.
        let across = across_both(normal, self.axis);
        let along = across.cross(normal);
        let (cosine, sine) = (self.axis.dot(along), self.axis.dot(normal));
        let Wants { energy, spread } = self.wants;
        let cylinder = Cylinder { start: -cosine * height, slope: -sine, reach, pole: energy, spread };
        let mut flat = [[0.0; 2]; MOST];
        flat.iter_mut().zip(polygon).for_each(|(to, (at, _))| *to = [at.dot(along), at.dot(across)]);
        let strip = cylinder.over(flat.get(..*count).unwrap_or_default());
        let (area, weight) = (strip.area, strip.weight);
        let first = along * strip.along + across * strip.across;
        if spread {
            sum.moments.add(&strip.moments([along, across]), [area, weight], first, normal * -height);
        }
        sum.area += area;
        sum.weight += weight;
        sum.first += first - normal * (height * weight);
        sum.along += cosine * strip.along - sine * height * strip.weight;
        sum.flux += cosine * cylinder.flux(&strip);
    }

    /// The sign of the triangle's crossing of the axis between the ends, times the height of the crossing; 0 if there is none. A crossing at a
    /// side or a corner belongs to exactly one of the triangles there. An end on the surface counts as inside, so a crossing at an end counts if
    /// the rest of the axis is outside.
    pub fn crossing(&self, corners: &[DVec3; 3]) -> f64 {
        let x = any_across(self.axis);
        let y = self.axis.cross(x);
        let seen = corners.map(|c| [c.dot(x), c.dot(y)]);
        let product = |a: usize, b: usize| seen[a][0] * seen[b][1] - seen[b][0] * seen[a][1];
        let sides = [product(1, 2), product(2, 0), product(0, 1)];
        let mut around = 0.0;
        for (k, side) in sides.into_iter().enumerate() {
            let (from, to) = ((k + 1) % 3, (k + 2) % 3);
            let up = seen[to][1] > 0.0;
            if (seen[from][1] > 0.0) != up {
                around += match (up, side) {
                    (true, side) if side > 0.0 => 1.0,
                    (false, side) if side < 0.0 => -1.0,
                    _ => 0.0,
                };
            }
        }
        let whole = sides[0] + sides[1] + sides[2];
        if around == 0.0 || whole == 0.0 {
            return 0.0;
        }
        let heights = corners.map(|c| c.dot(self.axis));
        let height = if heights[1] == heights[0] && heights[2] == heights[0] {
            heights[0]
        } else {
            (0..3).fold(0.0, |sum, k| sum + sides[k] / whole * heights[k])
        };
        let far = Real::abs(height);
        if far < self.half || (far == self.half && around * height < 0.0) { around * height } else { 0.0 }
    }
}

impl Cylinder {
    /// The flux of a field whose divergence is q, over the cosine between plane and axis: `r (reach^2/2 - r^2/4 - reach^4/(4 r^2))`.
    fn flux(&self, strip: &Strip) -> f64 {
        let square = self.reach * self.reach;
        0.25 * (self.start * strip.weight + self.slope * strip.along - square * square * strip.pole)
    }
}

impl Round {
    /// The energy of the axis inside a surface, for each unit of length: the flux out of the axis.
    pub fn axis_stored(&self) -> f64 {
        let square = self.reach() * self.reach();
        if self.halo > 0.0 { 0.5 * PI * square * square / (self.halo * (self.halo + 2.0 * self.radius)) } else { 0.0 }
    }

    /// The force left for the nearest feature of a solid in which an end of a capsule is `depth` deep, while faces continue to press. It is half
    /// of a ball's force, plus that of half of the cylinder as on a flat wall.
    pub fn end_left(&self, depth: f64, half: f64) -> f64 {
        let (gap, area) = self.sunk(depth);
        let ball = max(self.strength(gap, area) - self.on_plane(depth), 0.0);
        let (reach, wide) = (self.reach(), self.halo + 2.0 * self.radius);
        let chord = Real::sqrt(max((reach - depth) * (reach + depth), 0.0));
        let flat = 4.0 / 3.0 * (reach * reach * reach - chord * chord * chord) / wide;
        let unit = if self.halo > 0.0 { self.halo } else { 1.0 };
        0.5 * ball + half * (flat + 2.0 * reach * depth) / unit
    }

    /// The energy of this force.
    pub fn end_left_stored(&self, depth: f64, half: f64) -> f64 {
        if self.halo <= 0.0 {
            return 0.0;
        }
        let (reach, wide) = (self.reach(), self.halo + 2.0 * self.radius);
        let square = reach * reach;
        let x = min(depth, reach);
        let chord = Real::sqrt((reach - x) * (reach + x));
        // int (reach^2 - x^2)^(3/2) dx
        let under = x * (5.0 * square - 2.0 * x * x) * chord / 8.0 + 0.375 * square * square * atan2(x, chord);
        let flat = 4.0 / 3.0 * (square * reach * depth - under) / wide;
        0.5 * self.left_stored(depth) + half * (flat + reach * depth * depth) / self.halo
    }
}

/// An end of a capsule inside a solid.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sunk {
    /// The end's height along the axis.
    pub end: f64,
    pub depth: f64,
    /// Direction out of the nearest feature.
    pub normal: DVec3,
    /// The law with that feature.
    pub round: Round,
}

/// Sums over faces and ends for a contact.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sum {
    pub area: f64,
    /// `int q dA` over `halo + 2 radius`.
    pub filled: f64,
    pub halos: f64,
    /// The same integrals along the normals of faces (law of volumes) or toward the axis.
    pub force: DVec3,
    /// Moment of these forces about the centre; the forces act at the axis.
    pub torque: DVec3,
    pub first: DVec3,
    pub along: f64,
    /// How directly faces look at the axis: `int q` times the height of the axis above them.
    pub facing: f64,
    pub least: f64,
    pub energy: f64,
    /// Second moments over `halo + 2 radius`.
    pub moments: Moments,
}

impl Sum {
    pub fn new() -> Self {
        Sum { least: f64::INFINITY, ..Sum::default() }
    }

    /// Adds a face. Under the law of volumes it pushes along its own normal.
    pub fn add(&mut self, capsule: &Capsule, round: &Round, piece: &Piece, normal: DVec3, volume: bool) {
        let per = 1.0 / (round.halo + 2.0 * round.radius);
        let to_axis = capsule.axis * piece.along - piece.first;
        if capsule.wants.spread {
            self.moments.join(&piece.moments, per);
        }
        self.area += piece.area;
        self.halos += piece.area * round.halo;
        self.filled += per * piece.weight;
        self.first += piece.first * per;
        self.along += piece.along * per;
        self.facing += per * normal.dot(to_axis);
        if volume {
            self.force += normal * (per * piece.weight);
            self.torque += capsule.axis.cross(normal) * (per * piece.along);
        } else {
            self.force += to_axis * per;
        }
        if capsule.wants.energy && volume && round.halo > 0.0 {
            self.energy += per / round.halo * piece.flux;
        }
    }

    /// The contact of these faces and of ends inside the same solid. Positions are relative to the capsule's centre. `own` is the capsule's halo.
    pub fn contact(&self, capsule: &Capsule, radius: f64, own: f64, volume: bool, ends: &[Sunk]) -> Option<Local> {
        let halo = if self.area > 0.0 { self.halos / self.area } else { ends.first()?.round.halo };
        let round = Round { radius, halo };
        let mut all = Total::default();
        if let Some(faces) = self.faces(&round, volume) {
            all.faces(capsule, self, &round, faces, volume);
        } else if ends.is_empty() {
            return None;
        }
        let mut least = self.least - radius;
        let mut energy = self.energy;
        for sunk in ends {
            all.end(capsule, sunk);
            least = min(least, -(sunk.depth + radius));
            if capsule.wants.energy && volume {
                let Sunk { depth, round, .. } = sunk;
                energy += round.end_left_stored(*depth, capsule.half);
                energy += 0.5 * round.centre_stored() + capsule.half * round.axis_stored();
            }
        }
        let (normal, size) = unit(all.force).or_else(|| ends.first().map(|sunk| (sunk.normal, 0.0)))?;
        let share = if all.size > 0.0 { 1.0 / all.size } else { 0.0 };
        let gap = if all.size > 0.0 { all.gap * share } else { least };
        let per = round.strength(gap, 1.0);
        let area = if ends.is_empty() {
            all.area
        } else if per > 0.0 {
            size / per
        } else {
            0.0
        };
        let (foot, out) = (capsule.axis * (all.along * share), all.first * share);
        let beside = out - foot;
        // Beside an edge the plane of a face may pass near the axis: see `Ball::volume_patch`.
        let above = -beside.dot(normal);
        let height = if volume { max(above, least + radius) } else { above };
        let position = foot + beside + normal * (height - round.arm(own, least));
        // The torque about the centre that a force at `position` does not have.
        let moment = all.torque - position.cross(all.force);
        let status = if ends.is_empty() && !volume && self.cancels(&round) { status::DEGENERATE } else { 0 };
        let least_gap = least;
        let local = Local { position, normal, moment, gap, least_gap, area, halo, energy, status, ..Local::default() };
        Some(match capsule.wants.spread {
            true => local.spread_over(&self.moments, [self.area, self.filled], self.first, 1.0),
            false => local,
        })
    }

    /// Under the law of facing, faces around the axis push to all sides, and their sum may have any direction if it consists of rounding errors.
    /// Its length over the pressure is a mean distance from the axis. The factor is 1 down to half of the reach, and falls to 0 with the distance
    /// from there.
    fn one_sided(&self, round: &Round, length: f64) -> f64 {
        let whole = 0.5 * round.reach() * self.filled;
        if length < whole { length / whole } else { 1.0 }
    }

    /// Whether the remaining force toward the axis is too small to have a direction.
    fn cancels(&self, round: &Round) -> bool {
        const ROUNDING: f64 = 1.0 / (1u64 << 30) as f64;
        unit(self.force).is_none_or(|(_, length)| self.one_sided(round, length) < ROUNDING)
    }

    /// Direction, mean gap and area of the contact of faces.
    fn faces(&self, round: &Round, volume: bool) -> Option<(DVec3, f64, f64)> {
        let (normal, length) = unit(self.force)?;
        if !(self.area > 0.0 && self.filled > 0.0) {
            return None;
        }
        let facing = if volume {
            length / self.filled
        } else {
            let cosine = min(self.facing / length, 1.0);
            if cosine <= 0.0 {
                return None;
            }
            cosine * (2.0 - cosine) * self.one_sided(round, length)
        };
        let patch = super::sphere_pair::Patch { area: self.area, filled: self.filled / self.area, facing };
        let (gap, area) = round.law(&patch);
        Some((normal, gap, area))
    }
}

/// The sum of forces on a capsule.
#[derive(Default)]
struct Total {
    force: DVec3,
    torque: DVec3,
    /// Sum of the magnitudes of all forces; the means below are multiplied by it.
    size: f64,
    gap: f64,
    along: f64,
    first: DVec3,
    /// Area of the contact of faces.
    area: f64,
}

impl Total {
    fn faces(&mut self, capsule: &Capsule, sum: &Sum, round: &Round, faces: (DVec3, f64, f64), volume: bool) {
        let (normal, gap, area) = faces;
        let size = round.strength(gap, area);
        let foot = sum.along / sum.filled;
        let out = if volume { sum.first / sum.filled } else { capsule.axis * foot };
        let unit = if round.halo > 0.0 { round.halo } else { 1.0 };
        self.force += normal * size;
        self.torque += if volume { sum.torque / unit } else { capsule.axis.cross(normal) * (foot * size) };
        self.take(size, gap, foot, out);
        self.area = area;
    }

    fn end(&mut self, capsule: &Capsule, sunk: &Sunk) {
        let size = sunk.round.end_left(sunk.depth, capsule.half);
        let out = capsule.axis * sunk.end;
        self.force += sunk.normal * size;
        self.torque += out.cross(sunk.normal) * size;
        self.take(size, sunk.round.sunk(sunk.depth).0, sunk.end, out);
    }

    fn take(&mut self, size: f64, gap: f64, along: f64, out: DVec3) {
        self.size += size;
        self.gap += size * gap;
        self.along += size * along;
        self.first += out * size;
    }
}

impl Local {
    /// The same with both parts exchanged.
    pub fn turned(&self) -> Local {
        let [x, y] = self.features;
        Local { features: [y, x], normal: -self.normal, moment: -self.moment, ..*self }
    }

    /// Marks a contact as completely inside.
    pub fn contained(self) -> Local {
        Local { status: self.status | status::CONTAINED, ..self }
    }

    /// The contact with all lengths divided by `scale`, about a centre in the resulting units.
    pub fn unscaled(&self, scale: f64, centre: DVec3) -> Local {
        let per = 1.0 / scale;
        Local {
            position: centre + self.position * per,
            moment: self.moment * per * per * per,
            gap: self.gap * per,
            least_gap: self.least_gap * per,
            area: self.area * per * per,
            halo: self.halo * per,
            energy: self.energy * per * per * per,
            radius: self.radius * per,
            offset: self.offset * per,
            spread: self.spread.map(|x| x * per * per),
            ..*self
        }
    }
}
