//! The integrals of a polygon over its part inside an infinite cylinder.
//!
//! In the polygon's plane, x runs along the projection of the cylinder's axis, and y across it. The distance from the axis is `sqrt(t^2 + y^2)`
//! with `t = start + slope x`, and the weight `q = w^2 - y^2` with `w^2 = reach^2 - t^2`. With potentials that are 0 beyond one border, `K(y) =
//! -int_y^w f dy`, an integral over the polygon is the sum of `-int K dx` over its sides. Along a side, K changes its form where the side enters
//! or leaves the cylinder:
//!
//! ```text
//! f            beyond y = w   inside                  beyond y = -w
//! 1            0              -(w - y)                -2 w
//! q            0              -(w - y)^2 (2w + y)/3   -4/3 w^3
//! q y          0              -(w^2 - y^2)^2 / 4      0
//! y            0              -(w^2 - y^2) / 2        0
//! q y^2        0              -(w - y)^2 p            -4/15 w^5
//! ```
//!
//! with `15 p = 2 w^3 + 4 w^2 y + 6 w y^2 + 3 y^3`.
//!
//! Each form is integrated by a rule of 8 nodes: along x where w is smooth, else along the angle phi with `t = reach sin(phi)` and `w = reach
//! cos(phi)`, of which K is a trigonometric polynomial. No formula divides by the slope, so the slope may be anything from 0 to 1. The sum over
//! sides cancels only for a small polygon.

use core::f64::consts::{FRAC_PI_2, PI};

use crate::real::{Real, atan2, cos, ln, max, min, sin};

/// Integrals over a part of a plane.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Strip {
    /// `int dA`
    pub area: f64,
    /// `int q dA`
    pub weight: f64,
    /// `int q x dA`
    pub along: f64,
    /// `int q y dA`
    pub across: f64,
    /// `int t (1/(t^2 + y^2) - 1/reach^2) dA`, if it is requested.
    pub pole: f64,
    /// `int x dA` and `int y dA`, if second moments are requested.
    pub even: [f64; 2],
    /// Second moments: `int q x^2 dA`, `int q x y dA` and `int q y^2 dA`, if they are requested.
    pub second: [f64; 3],
}

/// The cylinder relative to the plane.
#[derive(Clone, Copy)]
pub(super) struct Cylinder {
    /// `t = start + slope x`
    pub start: f64,
    pub slope: f64,
    pub reach: f64,
    /// Whether [`Strip::pole`] is requested.
    pub pole: bool,
    /// Whether [`Strip::even`] and [`Strip::second`] are requested.
    pub spread: bool,
}

/// Positive nodes of the Gauss-Legendre rule of degree fifteen on [-1, 1], and weights.
pub(super) const NODES: [(f64, f64); 4] = [
    (0.183_434_642_495_649_8, 0.362_683_783_378_362),
    (0.525_532_409_916_329, 0.313_706_645_877_887_3),
    (0.796_666_477_413_626_7, 0.222_381_034_453_374_5),
    (0.960_289_856_497_536_3, 0.101_228_536_290_376_3),
];

/// If the ends of the cylinder are at least this far from the middle of a stretch, in half lengths of the stretch, w is smooth: the error is
/// below 1e-14.
const SMOOTH: f64 = 4.0;

/// Largest step of the angle: the error of a trigonometric polynomial of degree 5 is then below 1e-13.
const STEP: f64 = 0.8;

/// The rule integrates the angles of stretches shorter than this, relative to their distance from the axis.
const SHORT: f64 = 0.3;

/// A side of the polygon, parametrised from 0 at its first corner to 1 at its second.
#[derive(Clone, Copy)]
struct Side {
    from: [f64; 2],
    way: [f64; 2],
    /// Value of t at the first corner, and its change.
    t: f64,
    turn: f64,
}

/// A place on a side.
struct Place {
    x: f64,
    y: f64,
    t: f64,
    w: f64,
}

/// The region that a stretch of a side passes through.
#[derive(Clone, Copy, PartialEq)]
enum Form {
    Inside,
    Below,
}

impl Cylinder {
    /// The integrals over a convex polygon; its corners `[x, y]` go around counter-clockwise.
    pub fn over(&self, corners: &[[f64; 2]]) -> Strip {
        // Uses the border on the side of the polygon, for precision where a polygon barely reaches into the cylinder.
        let upside = corners.iter().fold(0.0, |sum, c| sum + c[1]) >= 0.0;
        let mut strip = Strip::default();
        for k in 0..corners.len() {
            let next = if k + 1 < corners.len() { k + 1 } else { 0 };
            let (Some(from), Some(to)) = (corners.get(k), corners.get(next)) else { continue };
            let mirrored = |c: &[f64; 2]| [c[0], -c[1]];
            let (from, to) = if upside { (*from, *to) } else { (mirrored(to), mirrored(from)) };
            self.side(&Side::new(from, to, self), &mut strip);
        }
        if !upside {
            for odd in [&mut strip.across, &mut strip.even[1], &mut strip.second[1]] {
                *odd = -*odd;
            }
        }
        strip
    }

    fn side(&self, side: &Side, strip: &mut Strip) {
        if side.way[0] == 0.0 {
            return;
        }
        let [low, high] = side.beside(self.reach);
        if low >= high {
            return;
        }
        let [enters, leaves] = side.within(self.reach).map(|part| min(max(part, low), high));
        self.outside(side, [low, enters], strip);
        self.stretch(side, [enters, leaves], Form::Inside, strip);
        self.outside(side, [leaves, high], strip);
    }

    fn outside(&self, side: &Side, range: [f64; 2], strip: &mut Strip) {
        if side.at(0.5 * (range[0] + range[1]))[1] < 0.0 {
            self.stretch(side, range, Form::Below, strip);
        }
    }

    /// Adds the contribution of a stretch of a side.
    fn stretch(&self, side: &Side, range: [f64; 2], form: Form, strip: &mut Strip) {
        let length = (range[1] - range[0]) * side.way[0];
        if length == 0.0 {
            return;
        }
        self.mean(side, range, |at, share| {
            let part = share * length;
            let (one, q, qy) = match form {
                Form::Inside => {
                    let up = max(at.w - at.y, 0.0);
                    let all = up * (at.w + at.y);
                    (up, up * up * (2.0 * at.w + at.y) / 3.0, 0.25 * all * all)
                }
                Form::Below => (2.0 * at.w, 4.0 / 3.0 * at.w * at.w * at.w, 0.0),
            };
            strip.area += part * one;
            strip.weight += part * q;
            strip.along += part * q * at.x;
            strip.across += part * qy;
            if self.pole {
                strip.pole -= part * at.t * one / (self.reach * self.reach);
            }
            if self.spread {
                let (x, y, w) = (at.x, at.y, at.w);
                let (up, all) = (max(w - y, 0.0), max((w - y) * (w + y), 0.0));
                let (even, qyy) = match form {
                    Form::Inside => {
                        (0.5 * all, up * up * (w * w * (2.0 * w + 4.0 * y) + y * y * (6.0 * w + 3.0 * y)) / 15.0)
                    }
                    Form::Below => (0.0, 4.0 / 15.0 * w * w * w * w * w),
                };
                for (sum, more) in strip.even.iter_mut().zip([one * x, even]) {
                    *sum += part * more;
                }
                for (sum, more) in strip.second.iter_mut().zip([q * x * x, qy * x, qyy]) {
                    *sum += part * more;
                }
            }
        });
        if self.pole {
            // The angle jumps where the axis is above a point of the side that is below the axis.
            let split = if side.turn == 0.0 { range[0] } else { min(max(-side.t / side.turn, range[0]), range[1]) };
            self.angle(side, [range[0], split], form, strip);
            self.angle(side, [split, range[1]], form, strip);
        }
    }

    /// Adds the integral of the angle from the side to the upper border, as seen from the axis; t has one sign.
    fn angle(&self, side: &Side, range: [f64; 2], form: Form, strip: &mut Strip) {
        let length = (range[1] - range[0]) * side.way[0];
        if length == 0.0 {
            return;
        }
        let behind = side.t + 0.5 * (range[0] + range[1]) * side.turn < 0.0;
        let mut upper = 0.0;
        self.mean(side, range, |at, share| upper += share * (FRAC_PI_2 - atan2(at.t, at.w)));
        let back = if behind { PI } else { 0.0 };
        let lower = match form {
            Form::Inside => side.angle(range, behind) + back,
            // Symmetric to the upper border about the level of the axis.
            Form::Below => 2.0 * back - upper,
        };
        strip.pole += length * (upper - lower);
    }

    /// Calls `add` for places along a stretch with their weights, which sum to 1.
    fn mean(&self, side: &Side, [low, high]: [f64; 2], mut add: impl FnMut(&Place, f64)) {
        let bounded = |t: f64| min(max(t, -self.reach), self.reach);
        let [from, to] = [low, high].map(|part| bounded(side.t + part * side.turn));
        let (middle, half) = (0.5 * (from + to), 0.5 * (to - from));
        let width = |t: f64| Real::sqrt(max((self.reach - t) * (self.reach + t), 0.0));
        let place = |share: f64, t: f64, w: f64| {
            let [x, y] = side.at(low + share * (high - low));
            Place { x, y, t, w }
        };
        if self.reach - Real::abs(middle) >= SMOOTH * Real::abs(half) {
            each_node(|node, weight| {
                let t = middle + half * node;
                add(&place(0.5 * (1.0 + node), t, width(t)), 0.5 * weight);
            });
            return;
        }
        let [first, last] = [from, to].map(|t| atan2(t, width(t)));
        let steps = 1 + (Real::abs(last - first) / STEP) as u32;
        let step = (last - first) / f64::from(steps);
        for k in 0..steps {
            let centre = first + step * (f64::from(k) + 0.5);
            each_node(|node, weight| {
                let phi = centre + 0.5 * step * node;
                let (t, w) = (self.reach * sin(phi), self.reach * cos(phi));
                let share = min(max((t - from) / (to - from), 0.0), 1.0);
                add(&place(share, t, max(w, 0.0)), 0.5 * weight * step * w / (to - from));
            });
        }
    }
}

/// Calls `visit` with the nodes and weights of the rule on [-1, 1].
pub(super) fn each_node(mut visit: impl FnMut(f64, f64)) {
    for (node, weight) in NODES {
        visit(-node, weight);
        visit(node, weight);
    }
}

impl Side {
    fn new(from: [f64; 2], to: [f64; 2], cylinder: &Cylinder) -> Self {
        let way = [to[0] - from[0], to[1] - from[1]];
        Side { from, way, t: cylinder.start + cylinder.slope * from[0], turn: cylinder.slope * way[0] }
    }

    fn at(&self, part: f64) -> [f64; 2] {
        [0, 1].map(|k| self.from[k] + part * self.way[k])
    }

    /// The part of the side where `|t| < reach`: inside the cylinder, above it or below it.
    fn beside(&self, reach: f64) -> [f64; 2] {
        if self.turn == 0.0 {
            return if Real::abs(self.t) < reach { [0.0, 1.0] } else { [0.0, 0.0] };
        }
        let [x, y] = [-reach, reach].map(|t| (t - self.t) / self.turn);
        [max(min(x, y), 0.0), min(max(x, y), 1.0)]
    }

    /// The parameters where the side's line enters and leaves the cylinder; negative if it misses the cylinder.
    fn within(&self, reach: f64) -> [f64; 2] {
        let (t, y) = (self.t, self.from[1]);
        let square = self.turn * self.turn + self.way[1] * self.way[1];
        let product = t * self.way[1] - y * self.turn;
        let chord = square * reach * reach - product * product;
        if square > 0.0 {
            if chord <= 0.0 {
                return [-1.0; 2];
            }
            let (foot, half) = (-(t * self.turn + y * self.way[1]) / square, Real::sqrt(chord) / square);
            return [foot - half, foot + half];
        }
        if t * t + y * y < reach * reach { [0.0, 1.0] } else { [-1.0; 2] }
    }

    /// The mean of `atan(y/t)` over a stretch on which t does not change its sign.
    fn angle(&self, [low, high]: [f64; 2], behind: bool) -> f64 {
        let point = |part: f64| [self.t + part * self.turn, self.from[1] + part * self.way[1]];
        let seen = |[t, y]: [f64; 2]| if behind { atan2(-y, max(-t, 0.0)) } else { atan2(y, max(t, 0.0)) };
        let square = self.turn * self.turn + self.way[1] * self.way[1];
        let [t, y] = point(0.5 * (low + high));
        let part = high - low;
        // Both are 0 on the axis itself.
        if square * part * part <= SHORT * SHORT * (t * t + y * y) {
            let mut sum = 0.0;
            each_node(|node, weight| sum += 0.5 * weight * seen(point(low + 0.5 * (1.0 + node) * part)));
            return sum;
        }
        // Integration by parts, from the point of the line nearest to the axis.
        let foot = -(self.t * self.turn + self.from[1] * self.way[1]) / square;
        let product = self.t * self.way[1] - self.from[1] * self.turn;
        let [from, to] = [low, high].map(|part| {
            let [t, y] = point(part);
            let distance = t * t + y * y;
            let log = if product == 0.0 || distance == 0.0 { 0.0 } else { 0.5 * product / square * ln(distance) };
            (part - foot) * seen([t, y]) - log
        });
        (to - from) / part
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::shape::triangle_in_ball;
    use crate::triangle::tests::Random;
    use glam::DVec3;

    const REACH: f64 = 1.2;

    fn over(corners: &[[f64; 2]], start: f64, slope: f64) -> Strip {
        Cylinder { start, slope, reach: REACH, pole: true, spread: true }.over(corners)
    }

    /// A counter-clockwise triangle.
    fn triangle(random: &mut Random, spread: f64) -> [[f64; 2]; 3] {
        let mut t = [[0.0; 2]; 3].map(|c| c.map(|_| spread * (2.0 * random.next() - 1.0)));
        let [a, b, c] = t;
        if (b[0] - a[0]) * (c[1] - a[1]) < (c[0] - a[0]) * (b[1] - a[1]) {
            t.swap(1, 2);
        }
        t
    }

    /// All results except the pole: area, weight, and moments.
    fn numbers(strip: &Strip) -> [f64; 9] {
        let Strip { area, weight, along, across, even: [x, y], second: [xx, xy, yy], .. } = *strip;
        [area, weight, along, across, x, y, xx, xy, yy]
    }

    /// [`numbers`] of a sum over lines along x, on which the integrals are those of polynomials.
    fn slowly(t: &[[f64; 2]; 3], start: f64, slope: f64) -> [f64; 9] {
        let mut ys = t.map(|c| c[1]);
        ys.sort_by(f64::total_cmp);
        let mut sum = [0.0; 9];
        let line = |y: f64, sum: &mut [f64; 9], part: f64| {
            let mut ends = [f64::INFINITY, f64::NEG_INFINITY];
            for k in 0..3 {
                let (p, q) = (t[k], t[(k + 1) % 3]);
                if (p[1] - y) * (q[1] - y) <= 0.0 && p[1] != q[1] {
                    let x = p[0] + (q[0] - p[0]) * (y - p[1]) / (q[1] - p[1]);
                    ends = [min(ends[0], x), max(ends[1], x)];
                }
            }
            let square = REACH * REACH - y * y;
            if square <= 0.0 {
                return;
            }
            let half = Real::sqrt(square);
            let reach = if slope > 0.0 { [-half, half].map(|t| (t - start) / slope) } else { [-1e9, 1e9] };
            let [from, to] = [max(ends[0], reach[0]), min(ends[1], reach[1])];
            if from >= to || (slope == 0.0 && Real::abs(start) > half) {
                return;
            }
            let (middle, half) = (0.5 * (from + to), 0.5 * (to - from));
            each_node(|node, weight| {
                let x = middle + half * node;
                let level = start + slope * x;
                let (q, part) = (square - level * level, part * half * weight);
                let all = [1.0, q, q * x, q * y, x, y, q * x * x, q * x * y, q * y * y];
                sum.iter_mut().zip(all).for_each(|(sum, f)| *sum += part * f);
            });
        };
        for (low, high) in [(ys[0], ys[1]), (ys[1], ys[2])] {
            const PANELS: usize = 4000;
            let step = (high - low) / PANELS as f64;
            for k in 0..PANELS {
                line(low + step * (k as f64 + 0.5), &mut sum, step);
            }
        }
        sum
    }

    #[test]
    fn integrals_are_those_of_many_lines() {
        let mut random = Random(3);
        let mut met = 0;
        for case in 0..120 {
            let slope = [0.0, 1e-16, 1e-9, 1e-4, 0.1, 1.0][case % 6];
            let t = triangle(&mut random, [0.4, 1.5, 5.0][case / 6 % 3]);
            let start = REACH * (2.2 * random.next() - 1.1);
            let (found, sum) = (over(&t, start, slope), slowly(&t, start, slope));
            for (k, (x, y)) in numbers(&found).into_iter().zip(sum).enumerate() {
                // Areas have a step at the border, and lines lie on one of its sides.
                let off = if [0, 4, 5].contains(&k) { 1e-2 } else { 2e-5 };
                assert!((x - y).abs() < off * f64::max(1.0, y.abs()), "{case} {k}: {found:?} {sum:?}");
            }
            met += usize::from(sum[1] > 0.01);
        }
        assert!(met > 60, "{met}");
    }

    /// Projected along the axis, a part of a cylinder is a part of a disc.
    #[test]
    fn a_steep_plane_has_the_integrals_of_a_disc() {
        let mut random = Random(9);
        for case in 0..400 {
            let slope = [1.0, 0.3, 1e-2, 1e-3][case % 4];
            let start = REACH * (2.0 * random.next() - 1.0);
            let seen = triangle(&mut random, [0.6, 2.0][case / 4 % 2]);
            let t = seen.map(|[t, y]| [(t - start) / slope, y]);
            let flat = seen.map(|[t, y]| DVec3::new(t, y, 0.0));
            let disc = triangle_in_ball::piece(&flat, DVec3::Z, REACH, true).unwrap_or_default();
            let found = over(&t, start, slope);
            let along = (disc.first.x - start * disc.weight) / (slope * slope);
            let pairs = [
                (found.area, disc.area / slope, slope),
                (found.weight, disc.weight / slope, slope),
                (found.across, disc.first.y / slope, slope),
                (found.along, along, slope * slope),
                (found.even[1], disc.moments.even.y / slope, slope),
            ];
            for (x, y, by) in pairs {
                assert!((x - y).abs() * by < 1e-12, "{case} {slope}: {x} {y}");
            }
            // Integrals of higher degree have larger errors.
            let [_, yy, _, xy, ..] = disc.moments.second;
            let second = [
                (found.second[2], yy / slope, slope),
                (found.second[1], (xy - start * disc.first.y) / (slope * slope), slope * slope),
            ];
            for (x, y, by) in second {
                assert!((x - y).abs() * by < 1e-11, "{case} {slope}: {x} {y}");
            }
        }
    }

    /// A lying cylinder is the limit of leaning ones.
    #[test]
    fn integrals_are_continuous_in_the_slope() {
        let mut random = Random(5);
        for case in 0..300 {
            let t = triangle(&mut random, 2.0);
            // These include planes that barely reach into the cylinder.
            let start = [0.5, 0.999, 1.0 - 1e-7][case % 3] * REACH;
            let flat = over(&t, start, 0.0);
            for slope in [1e-16, 1e-12, 1e-9] {
                let found = over(&t, start, slope);
                let both = [found.weight - flat.weight, found.along - flat.along, found.across - flat.across];
                assert!(both.iter().all(|x| x.abs() < 1e-14 + 20.0 * slope), "{case} {slope}: {found:?} {flat:?}");
                assert!((found.pole - flat.pole).abs() < 1e-13 + 1e3 * slope, "{case} {slope}: {found:?} {flat:?}");
            }
        }
    }

    #[test]
    fn integrals_add_up_when_a_triangle_is_cut() {
        let mut random = Random(8);
        for case in 0..2_000 {
            let slope = [0.0, 1e-9, 1e-3, 0.4, 1.0][case % 5];
            let [a, b, c] = triangle(&mut random, 1.5);
            let part = random.next();
            let d = [0, 1].map(|k| a[k] + (b[k] - a[k]) * part);
            let start = REACH * (2.0 * random.next() - 1.0);
            let (whole, x, y) =
                (over(&[a, b, c], start, slope), over(&[a, d, c], start, slope), over(&[d, b, c], start, slope));
            let rest = [0, 1, 2, 3, 4, 5, 6, 7, 8].map(|k| numbers(&whole)[k] - numbers(&x)[k] - numbers(&y)[k]);
            let pole = whole.pole - x.pole - y.pole;
            // Integrals of higher degree have larger errors.
            let (low, high) = rest.split_at(6);
            assert!(low.iter().chain([&pole]).all(|x| x.abs() < 2e-12), "{case}: {rest:?} {pole}");
            assert!(high.iter().all(|x| x.abs() < 1e-11), "{case}: {rest:?}");
        }
    }
}
