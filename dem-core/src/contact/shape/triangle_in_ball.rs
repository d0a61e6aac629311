//! The integrals of a triangle over its part inside a ball.
//!
//! The weight is `q = reach^2 - |x|^2`: in the triangle's plane `m - rho^2`, with the foot of the centre as origin, rho the distance
//! from it and m the square of the disc's radius. By Green's theorem, with potentials that vanish on the disc's border,
//!
//! ```text
//! int dA    = phi m / 2   - 1/2 sum int q   d(theta)
//! int q dA  = phi m^2 / 4 - 1/4 sum int q^2 d(theta)
//! int q x dA = -1/4 sum nu int q^2 ds
//! int x dA  = -1/2 sum nu int q ds
//! int q x x' dA = (I int q^2 dA - sum nu int q^2 x' ds) / 4
//! int q^2 dA = phi m^3 / 6 - 1/6 sum int q^3 d(theta)
//! ```
//!
//! over the parts of the triangle's sides inside the disc; theta is the angle about the foot, nu the side's normal. `phi` is 2 pi if the foot is
//! in the triangle, and the angle of a corner if the foot is exactly there. So the terms of a side that two triangles share cancel within
//! rounding. No arc of the circle is needed. A corner that barely reaches into the disc causes no cancellation.

use core::f64::consts::PI;
use glam::DVec3;

use super::face_moments::Moments;
use crate::contact::spread::{across, add_product};
use crate::contact::unit;
use crate::real::{Real, atan2, max};

/// Integrals over a part of a plane; x is relative to the centre.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Piece {
    /// `int dA`
    pub area: f64,
    /// `int q dA`
    pub weight: f64,
    /// `int q x dA`
    pub first: DVec3,
    /// Height of the centre above the plane.
    pub height: f64,
    /// Second moments, if they are requested.
    pub moments: Moments,
}

/// Integrals over a part of a plane; x is relative to the foot.
#[derive(Default)]
struct Flat {
    area: f64,
    weight: f64,
    first: DVec3,
    moments: Moments,
}

/// The integrals of a triangle; `corners` are relative to the centre, `normal` is its unit normal. `None` if its plane is out of reach. `spread`:
/// whether second moments are requested.
pub(super) fn piece(corners: &[DVec3; 3], normal: DVec3, reach: f64, spread: bool) -> Option<Piece> {
    let height = -normal.dot(corners[0]);
    let disc = (reach - height) * (reach + height);
    (disc > 0.0).then_some(())?;
    let flat = corners.map(|c| over(c, normal, height));
    let inside = flat.iter().all(|c| c.length_squared() < disc);
    let flat = if inside { whole(&flat, normal, disc, spread) } else { cut(&flat, normal, disc, spread) };
    let Flat { area, weight, first, .. } = flat;
    let mut moments = Moments::default();
    if spread {
        moments.add(&flat.moments, [area, weight], first, -normal * height);
    }
    Some(Piece { area, weight, first: first - normal * (height * weight), height, moments })
}

/// `int h / |x|^3 dA` over the part of a triangle inside the ball, with h the height of the centre above it: the solid angle of that part.
pub(super) fn seen(corners: &[DVec3; 3], normal: DVec3, reach: f64) -> f64 {
    let height = -normal.dot(corners[0]);
    let disc = (reach - height) * (reach + height);
    if disc <= 0.0 || height == 0.0 {
        return 0.0;
    }
    let flat = corners.map(|c| over(c, normal, height));
    let (mut sum, mut around) = (0.0, true);
    for k in 0..3 {
        let (from, to) = (flat[k], flat[(k + 1) % 3]);
        let Some((along, _)) = unit(to - from) else { continue };
        let outwards = along.cross(normal);
        let side = Side::new([from, to].map(|c| [c.dot(along), c.dot(outwards)]), disc);
        let (sine, cosine) = side.angle();
        around &= sine >= 0.0;
        if side.meets {
            let angle = atan2(sine, cosine);
            sum += side.seen(height, angle) - height / reach * angle;
        }
    }
    // The potential h/|x| - h/reach vanishes on the border of the disc.
    about_foot(&flat, normal, around) * ((if height > 0.0 { 1.0 } else { -1.0 }) - height / reach) - sum
}

/// A corner relative to the foot. Close to the foot, the rounding error of the height would change the corner's direction, and differently for
/// each side. A corner closer than rounding is the foot.
fn over(corner: DVec3, normal: DVec3, height: f64) -> DVec3 {
    const NEAR: f64 = 1.0 / (1u64 << 20) as f64;
    const NOTHING: f64 = 1.0 / (1u64 << 48) as f64;
    let (flat, size) = (corner + normal * height, corner.abs().max_element());
    if flat.abs().max_element() > NEAR * size {
        return flat;
    }
    let flat = flat - normal * normal.dot(flat);
    if flat.abs().max_element() > NOTHING * size { flat } else { DVec3::ZERO }
}

/// The angle about the foot that the triangle fills next to it. `around`: whether no side turns the other way. A foot on a side counts as inside,
/// since the side's term subtracts half of the angle.
fn about_foot(corners: &[DVec3; 3], normal: DVec3, around: bool) -> f64 {
    // At a corner, sides to it have no angle. The third side gives the sign: the normal of an almost degenerate triangle may have either sign.
    let apart = |i: usize, k: usize| unit(corners[i % 3]).zip(unit(corners[k % 3])).map(|((a, _), (b, _))| (a, b));
    if let Some(k) = corners.iter().position(|c| *c == DVec3::ZERO) {
        return apart(k + 1, k + 2).map_or(0.0, |(a, b)| atan2(normal.dot(a.cross(b)), a.dot(b)));
    }
    // One of the angles about a foot inside is 120 degrees or more. If the triangle is seen as a line, all angles are 0, with arbitrary signs.
    let inside = around && (0..3).any(|k| apart(k, k + 1).is_some_and(|(a, b)| a.dot(b) < 0.0));
    if inside { 2.0 * PI } else { 0.0 }
}

/// Integrals over the whole triangle, by a quadrature rule of degree three: corners, midpoints of sides, centroid.
fn whole(corners: &[DVec3; 3], normal: DVec3, disc: f64, spread: bool) -> Flat {
    let [a, b, c] = *corners;
    let area = 0.5 * normal.dot((b - a).cross(c - a));
    let (mut weight, mut first) = (0.0, DVec3::ZERO);
    let mut add = |x: DVec3, part: f64| {
        let q = part * (disc - x.length_squared());
        weight += q;
        first += x * q;
    };
    [a, b, c].into_iter().for_each(|x| add(x, 1.0 / 20.0));
    [a + b, b + c, c + a].into_iter().for_each(|x| add(x * 0.5, 2.0 / 15.0));
    add((a + b + c) * (1.0 / 3.0), 9.0 / 20.0);
    let moments = if spread { whole_moments(corners, area, disc) } else { Moments::default() };
    Flat { area, weight: area * weight, first: first * area, moments }
}

/// Moments of the whole triangle, by Radon's quadrature rule of degree five: the centroid, and two points on each median.
fn whole_moments(corners: &[DVec3; 3], area: f64, disc: f64) -> Moments {
    const ROOT: f64 = 3.872_983_346_207_417;
    let middle = (corners[0] + corners[1] + corners[2]) * (1.0 / 3.0);
    let mut second = [0.0; 6];
    let mut add = |x: DVec3, part: f64| {
        let q = part * area * (disc - x.length_squared());
        add_product(&mut second, q, x.to_array(), x.to_array());
    };
    add(middle, 9.0 / 40.0);
    for sign in [-1.0, 1.0] {
        // Fraction of the way from the centroid to a corner.
        let (way, part) = ((1.0 - sign * ROOT) / 7.0, (155.0 + sign * ROOT) / 1200.0);
        corners.iter().for_each(|corner| add(middle + (*corner - middle) * way, part));
    }
    Moments { even: middle * area, second }
}

/// Integrals as sums over the sides; `corners` are relative to the foot.
fn cut(corners: &[DVec3; 3], normal: DVec3, disc: f64, spread: bool) -> Flat {
    let (mut seen, mut seen2, mut seen3, mut first, mut around) = (0.0, 0.0, 0.0, DVec3::ZERO, true);
    let mut moments = Moments::default();
    for k in 0..3 {
        let (from, to) = (corners[k], corners[(k + 1) % 3]);
        let Some((along, _)) = unit(to - from) else { continue };
        let outwards = along.cross(normal);
        let side = Side::new([from, to].map(|c| [c.dot(along), c.dot(outwards)]), disc);
        let (sine, cosine) = side.angle();
        around &= sine >= 0.0;
        if side.meets {
            let angle = atan2(sine, cosine);
            let (by_angle, by_angle2) = side.by_angle(angle, disc);
            seen += by_angle;
            seen2 += by_angle2;
            let square = side.sum(|_, q| q * q);
            first -= outwards * (0.25 * square);
            if spread {
                seen3 += side.by_angle3(angle, disc);
                moments.even -= outwards * (0.5 * side.sum(|_, q| q));
                let of_x = along * side.sum(|s, q| s * q * q) + outwards * (side.away * square);
                add_product(&mut moments.second, -0.25, outwards.to_array(), of_x.to_array());
            }
        }
    }
    let whole = 0.5 * about_foot(corners, normal, around);
    if spread {
        let square = whole * disc * disc * disc / 3.0 - seen3 / 6.0;
        let even = across(normal.to_array(), 0.25 * square);
        moments.second.iter_mut().zip(even).for_each(|(sum, more)| *sum += more);
    }
    Flat { area: whole * disc - 0.5 * seen, weight: 0.5 * whole * disc * disc - 0.25 * seen2, first, moments }
}

/// A side of the triangle, or its part in the disc.
struct Side {
    /// Both ends relative to the foot: coordinates along the side, and outward from the triangle. Both sides of a corner compute the same
    /// position, so that angles add up where the foot is next to the corner.
    ends: [[f64; 2]; 2],
    /// Signed distance of the side's line from the foot.
    away: f64,
    /// Half of the chord of the side's line in the disc.
    half: f64,
    /// Whether a part of the side is in the disc.
    meets: bool,
}

/// Nodes and weights of the Gauss-Legendre rule of degree eleven on [-1, 1].
pub(super) const NODES: [(f64, f64); 3] = [
    (0.238_619_186_083_196_9, 0.467_913_934_572_691_04),
    (0.661_209_386_466_264_5, 0.360_761_573_048_138_6),
    (0.932_469_514_203_152, 0.171_324_492_379_170_36),
];

/// Sides shorter than this, relative to their distance from the foot, are integrated by the rule: its error is then
/// below 1e-13, where the closed form loses digits.
const SHORT: f64 = 0.3;

impl Side {
    fn new(corners: [[f64; 2]; 2], disc: f64) -> Self {
        let [from, to] = corners;
        let away = from[1];
        let chord2 = disc - away * away;
        let half = if chord2 > 0.0 { Real::sqrt(chord2) } else { 0.0 };
        let low = if from[0] > -half { from } else { [-half, away] };
        let high = if to[0] < half { to } else { [half, away] };
        let meets = low[0] < high[0];
        Side { ends: if meets { [low, high] } else { corners }, away, half, meets }
    }

    /// Sine and cosine, up to a common factor, of the angle that the side subtends at the foot.
    fn angle(&self) -> (f64, f64) {
        // Scaled, so that no product overflows.
        let scale = self.ends.iter().flatten().fold(0.0, |m, x| max(m, Real::abs(*x))).inverse_exponent();
        let [[s, g], [t, h]] = self.ends.map(|end| end.map(|x| x * scale));
        // Adding 0 removes -0. For a foot on the line itself, each of both triangles gets half of the disc, and a side from the foot has no
        // angle.
        ((g * t - s * h) + 0.0, (s * t + g * h) + 0.0)
    }

    /// `int h/|x| d(theta)` of a side with this angle. It is computed as the angle less a correction, so that the rounding error of a foot on a
    /// side or at a corner is the same in both.
    fn seen(&self, height: f64, angle: f64) -> f64 {
        let ([[s, _], [t, _]], away, up) = (self.ends, Real::abs(self.away), Real::abs(height));
        // From the side's nearest point to the point at s: the angle, less the weighted angle.
        let less = |s: f64| {
            let square = away * away + s * s;
            let distance = Real::sqrt(up * up + square);
            atan2(s * away * (square / (distance + up)), away * away * distance + up * s * s)
        };
        let less = less(t) - less(s);
        let part = if self.away < 0.0 { angle + less } else { angle - less };
        if height < 0.0 { -part } else { part }
    }

    /// `int f(s, q) ds`
    fn sum(&self, f: impl Fn(f64, f64) -> f64) -> f64 {
        let [[low, _], [high, _]] = self.ends;
        let (middle, radius) = (0.5 * (low + high), 0.5 * (high - low));
        let at = |s: f64| f(s, max((self.half - s) * (self.half + s), 0.0));
        NODES.iter().fold(0.0, |sum, (x, w)| sum + w * (at(middle - x * radius) + at(middle + x * radius))) * radius
    }

    fn is_short(&self) -> bool {
        let ([[s, _], [t, _]], away) = (self.ends, self.away);
        let middle = 0.5 * (s + t);
        (t - s) * (t - s) < SHORT * SHORT * (away * away + middle * middle)
    }

    /// `int q^3 d(theta)`.
    fn by_angle3(&self, angle: f64, disc: f64) -> f64 {
        let ([[s, _], [t, _]], away) = (self.ends, self.away);
        let foot = away * away;
        if self.is_short() {
            return self.sum(|s, q| q * q * q * (away / (foot + s * s)));
        }
        // Mean second and fourth powers of the distance from the foot along the side.
        let (two, three) = (s * s + t * t, s * s + s * t + t * t);
        let squares = foot + three / 3.0;
        let fourths = foot * (foot + 2.0 / 3.0 * three) + 0.2 * (two * three - s * s * t * t);
        disc * disc * disc * angle - away * (t - s) * (3.0 * disc * (disc - squares) + fourths)
    }

    /// `int q d(theta)` and `int q^2 d(theta)`.
    fn by_angle(&self, angle: f64, disc: f64) -> (f64, f64) {
        let ([[s, _], [t, _]], away) = (self.ends, self.away);
        if self.is_short() {
            let per = |s: f64| away / (away * away + s * s);
            return (self.sum(|s, q| q * per(s)), self.sum(|s, q| q * q * per(s)));
        }
        let turned = away * (t - s);
        let squares = away * away + (s * s + s * t + t * t) / 3.0;
        (disc * angle - turned, disc * disc * angle - turned * (2.0 * disc - squares))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::real::{cos, sin};
    use crate::triangle::tests::Random;

    /// Integrates by recursive halving. Triangles that the disc's border cuts are evaluated at their centroid.
    fn slowly(t: [DVec3; 3], normal: DVec3, reach: f64, depth: u32, sum: &mut Piece) {
        let inside = t.iter().filter(|c| c.length_squared() < reach * reach).count();
        let [ab, bc, ca] = [t[0] + t[1], t[1] + t[2], t[2] + t[0]].map(|v| v * 0.5);
        if depth == 0 || (inside == 3 && depth < 6) {
            let middle = (t[0] + t[1] + t[2]) / 3.0;
            if middle.length_squared() < reach * reach {
                let part = 0.5 / 3.0 * normal.dot((t[1] - t[0]).cross(t[2] - t[0]));
                for x in [ab, bc, ca] {
                    let q = part * (reach * reach - x.length_squared());
                    (sum.area, sum.weight, sum.first) = (sum.area + part, sum.weight + q, sum.first + x * q);
                    sum.moments.even += x * part;
                    add_product(&mut sum.moments.second, q, x.to_array(), x.to_array());
                }
            }
            return;
        }
        for part in [[t[0], ab, ca], [ab, t[1], bc], [ca, bc, t[2]], [ab, bc, ca]] {
            slowly(part, normal, reach, depth - 1, sum);
        }
    }

    /// The difference between the moments of a piece and the sum of those of other pieces.
    fn apart(piece: &Piece, others: &[Piece]) -> (f64, f64) {
        let (mut even, mut second) = (piece.moments.even, piece.moments.second);
        for other in others {
            even -= other.moments.even;
            second.iter_mut().zip(other.moments.second).for_each(|(rest, x)| *rest -= x);
        }
        (even.length(), second.iter().fold(0.0, |most, x| max(most, x.abs())))
    }

    #[test]
    fn integrals_are_those_of_many_small_triangles() {
        let mut random = Random(5);
        let mut met = 0;
        for case in 0..60 {
            let spread = [0.3, 1.5, 6.0][case % 3];
            let mut point = || DVec3::from_array([0; 3].map(|_| spread * (2.0 * random.next() - 1.0)));
            let t = [point(), point(), point()];
            let Some((normal, _)) = unit((t[1] - t[0]).cross(t[2] - t[0])) else { continue };
            let mut sum = Piece::default();
            slowly(t, normal, 1.2, 9, &mut sum);
            let found = piece(&t, normal, 1.2, true).unwrap_or_default();
            let tolerance = 3e-3 * spread;
            assert!((found.area - sum.area).abs() < tolerance, "{case}: {found:?} {sum:?}");
            assert!((found.weight - sum.weight).abs() < tolerance, "{case}: {found:?} {sum:?}");
            assert!((found.first - sum.first).length() < tolerance, "{case}: {found:?} {sum:?}");
            let (even, second) = apart(&found, &[sum]);
            assert!(even < 2.0 * tolerance && second < tolerance, "{case}: {found:?} {sum:?}");
            met += usize::from(sum.area > 0.01);
        }
        assert!(met > 20, "{met}");
    }

    /// Fans about the foot of the centre, in any plane. Their common corner is at the foot, or beside it by up to about 1e-9. They fill the disc,
    /// or are inside it.
    #[test]
    fn a_disc_has_its_area_whatever_corner_is_below_its_centre() {
        let mut random = Random(21);
        let reach = 0.9;
        for case in 0..600 {
            let mut point = || DVec3::from_array([0; 3].map(|_| 2.0 * random.next() - 1.0));
            let (normal, along) = if case % 2 == 0 { (DVec3::Z, DVec3::X) } else { (point().normalize(), point()) };
            let x = (along - normal * along.dot(normal)).normalize();
            let y = normal.cross(x);
            let height = 0.8 * random.next() * if case % 3 == 0 { -1.0 } else { 1.0 };
            let number = 3 + case % 7;
            let far = if case % 5 == 0 { 0.2 } else { 4.0 };
            let rim: [DVec3; 10] = core::array::from_fn(|k| {
                let turn = 2.0 * PI * (k % number) as f64 / number as f64 + 0.3 * (case % 4) as f64;
                (x * cos(turn) + y * sin(turn)) * far - normal * height
            });
            let aside = [0.0, 1e-300, 1e-18, 4e-15, 1e-13, 1e-9][case % 6 * usize::from(case % 11 > 4)];
            let middle = x * aside + y * (0.7 * aside) - normal * height;
            let (mut sum, mut angle) = (Piece::default(), 0.0);
            for k in 0..number {
                let corners = [middle, rim[k], rim[(k + 1) % number]];
                let found = piece(&corners, normal, reach, true).unwrap_or_default();
                sum.area += found.area;
                sum.weight += found.weight;
                sum.first += found.first;
                sum.moments.join(&found.moments, 1.0);
                angle += seen(&corners, normal, reach);
            }
            let disc = (reach - height) * (reach + height);
            // Small fans are inside the disc: their area is that of a polygon.
            if far > 1.0 {
                assert!((sum.area - PI * disc).abs() < 1e-13, "{case}: {sum:?}");
                assert!((sum.weight - 0.5 * PI * disc * disc).abs() < 1e-13, "{case}: {sum:?}");
                assert!((sum.first + normal * (height * sum.weight)).length() < 1e-13, "{case}: {sum:?}");
                let mut whole = Piece::default();
                whole.moments.even = -normal * (height * PI * disc);
                whole.moments.second = across(normal.to_array(), PI * disc * disc * disc / 12.0);
                let up = normal.to_array();
                add_product(&mut whole.moments.second, 0.5 * PI * (height * disc) * (height * disc), up, up);
                let (even, second) = apart(&sum, &[whole]);
                assert!(even < 1e-13 && second < 1e-13, "{case}: {sum:?} {whole:?}");
                let cap = 2.0 * PI * (1.0 - height.abs() / reach) * height.signum();
                assert!((angle - cap).abs() < 1e-12, "{case}: {angle} {cap}");
            } else if disc > far * far {
                let polygon = 0.5 * number as f64 * far * far * sin(2.0 * PI / number as f64);
                assert!((sum.area - polygon).abs() < 1e-14, "{case}: {sum:?}");
            }
        }
    }

    /// Two triangles of any shape that tile a third one.
    #[test]
    fn integrals_add_up_when_a_triangle_is_cut() {
        let mut random = Random(8);
        for _ in 0..2_000 {
            let mut point = || DVec3::from_array([0; 3].map(|_| 2.0 * random.next() - 1.0));
            let (a, b, c) = (point(), point(), point());
            let d = a + (b - a) * random.next();
            let Some((normal, _)) = unit((b - a).cross(c - a)) else { continue };
            let all = |t: [DVec3; 3]| piece(&t, normal, 0.8, true).unwrap_or_default();
            let (whole, x, y) = (all([a, b, c]), all([a, d, c]), all([d, b, c]));
            assert!((whole.area - x.area - y.area).abs() < 1e-14);
            assert!((whole.weight - x.weight - y.weight).abs() < 1e-14);
            assert!((whole.first - x.first - y.first).length() < 1e-14);
            let (even, second) = apart(&whole, &[x, y]);
            assert!(even < 1e-14 && second < 1e-14, "{even} {second}");
        }
    }
    /// Triangles inside the disc have a rule of their own. It gives the same result as the formulas for triangles that the disc's border cuts.
    #[test]
    fn moments_of_whole_triangles_are_those_of_cut_ones() {
        let mut random = Random(31);
        for case in 0..500 {
            let size = [1.0, 0.1, 1e-3][case % 3];
            let middle = [0.0, 0.3][case % 2];
            let mut point = || [0; 2].map(|_| middle + size * (random.next() - 0.5));
            let t = [point(), point(), point()].map(|[x, y]| DVec3::new(x, y, 0.0));
            let Some((normal, _)) = unit((t[1] - t[0]).cross(t[2] - t[0])) else { continue };
            let piece = |flat: Flat| Piece { area: flat.area, moments: flat.moments, ..Piece::default() };
            let (x, y) = (piece(whole(&t, normal, 1.4, true)), piece(cut(&t, normal, 1.4, true)));
            let (even, second) = apart(&x, &[y]);
            assert!((x.area - y.area).abs() < 1e-14 && even < 1e-14 && second < 1e-14, "{case}: {x:?} {y:?}");
        }
    }
}
