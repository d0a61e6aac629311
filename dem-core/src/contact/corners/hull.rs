//! The convex hull of points in a plane, and the choice of its most important corners.

use super::super::outranks;
use super::projected_overlap::Point;
use crate::mesh::NONE;
use crate::real::{Real, max};

/// Scratch of a convex hull.
pub(super) struct Hull<'s> {
    /// Indices of the hull's points, anticlockwise.
    border: &'s mut [u32],
    /// For each point of `border`, its rank among the chosen corners; NONE if it is not chosen.
    rank: &'s mut [u32],
    /// A corner closer than this to the line between its neighbours counts as lying on that line.
    rounding: f64,
}

/// Tolerances of a hull.
#[derive(Clone, Copy)]
pub(super) struct Tolerance {
    /// Rounding error of points.
    pub rounding: f64,
    /// Corners at most this far from the polygon of the chosen corners are left out.
    pub far: f64,
}

impl<'s> Hull<'s> {
    /// Both slices need two more items than there are points.
    pub fn new(border: &'s mut [u32], rank: &'s mut [u32]) -> Self {
        Hull { border, rank, rounding: 0.0 }
    }

    /// Chooses corners of the hull of the corners of pieces; `points` are sorted in place. The deepest corner comes first, then always the corner farthest from
    /// the polygon of the chosen ones. The choice ends when no corner is farther than `tolerance`, or when `most` corners are chosen.
    /// Points at the end of the halo are never chosen. The deepest point is added if it is deeper than all corners by more than the tolerance.
    ///
    /// Also returns an upper bound for how much smaller the gap of a point is than the gap of the polygon of chosen corners there (or at the
    /// nearest place). The bound holds for `points` only. On the way from a point to the end of the halo, outside the polygon, the gap grows
    /// linearly, but the gap of the polygon does not.
    pub fn corners<'p>(
        &'p mut self,
        points: &'p mut [Point],
        Tolerance { rounding, far: tolerance }: Tolerance,
        most: usize,
    ) -> (impl Iterator<Item = &'p Point>, f64) {
        self.rounding = rounding;
        let count = self.corners_of_pieces(points);
        let points: &'p [Point] = points;
        let inside = self.deepest_inside(points, count, tolerance);
        let number = self.choose(points, count, tolerance, most - usize::from(inside.is_some()));
        let error = self.gap_error(points, count, inside);
        let Hull { border, rank, .. } = self;
        let place = move |order: usize| {
            let k = rank.iter().take(count).position(|r| *r as usize == order)?;
            points.get(*border.get(k)? as usize)
        };
        (inside.into_iter().chain((0..number).filter_map(place)), error)
    }

    /// Upper bound for how much smaller gaps of points are than the gaps interpolated between the chosen corners. The polygon of these corners is
    /// triangulated around the point inside, or around its first corner. Changes the order of unused items in `border`.
    fn gap_error(&mut self, points: &[Point], count: usize, inside: Option<&Point>) -> f64 {
        // The chosen corners keep their order around the polygon, and their ranks move with them.
        let mut chosen = 0;
        for k in 0..count {
            if self.rank.get(k).is_some_and(|rank| *rank != NONE) {
                for list in [&mut *self.border, &mut *self.rank] {
                    if k < list.len() {
                        list.swap(chosen, k);
                    }
                }
                chosen += 1;
            }
        }
        let Some(first) = self.point(points, 0).filter(|_| chosen > 0) else { return 0.0 };
        let (centre, from) = match inside {
            Some(inside) => (inside, 0),
            None => (first, 1),
        };
        // The first corner follows the last one; without corners, every point is the centre.
        let around = |k: usize| match k.checked_rem(chosen - from) {
            Some(k) => self.point(points, from + k).unwrap_or(centre),
            None => centre,
        };
        let sides = match (chosen - from, inside) {
            (0 | 1, _) => 1,
            (n, Some(_)) => n,
            (n, None) => n - 1,
        };
        let left = |k: usize, p: &Point| area([centre.at, around(k).at, p.at]) >= 0.0;
        let start = around(0);
        points.iter().filter(|p| p.cut == 0).fold(0.0, |most, p| {
            // Finds the last ray from the centre, counted from the first, that has the point on its left. A bisection, because the polygon is
            // convex.
            let behind = inside.is_some() && !left(0, p);
            let (mut low, mut high) = (0, sides);
            while high - low > 1 {
                let middle = (low + high) / 2;
                let beyond = area([centre.at, start.at, around(middle).at]) < 0.0;
                let passed = match (behind, beyond) {
                    (false, true) => false,
                    (true, false) => true,
                    _ => left(middle, p),
                };
                (low, high) = if passed { (middle, high) } else { (low, middle) };
            }
            max(most, between([centre, around(low), around(low + 1)], p.at) - p.gap)
        })
    }

    /// Writes the corners of the hull of all points that are corners of a piece, and returns their number. Sorts the points.
    ///
    /// A piece is where two flat patches overlap. If the gap does not close at the corners of its hull, it closes nowhere in it; those at the end of the halo have room.
    /// The hull of all pieces alone would not do: on the base of a body that widens above, the halo ends beyond the base's corners all around.
    fn corners_of_pieces(&mut self, points: &mut [Point]) -> usize {
        let place = |p: &Point, q: &Point| {
            let place = p.at[0].total_cmp(&q.at[0]).then(p.at[1].total_cmp(&q.at[1]));
            place.then(q.gap.total_cmp(&p.gap)).then(p.features.cmp(&q.features))
        };
        points.sort_unstable_by(place);
        let all = self.around(points, |_| true);
        let is_end = |i: &u32| points.get(*i as usize).is_none_or(|p| p.cut != 0);
        if !self.border.iter().take(all).any(is_end) {
            return all;
        }
        points.sort_unstable_by(|p, q| p.piece.cmp(&q.piece).then(place(p, q)));
        for piece in points.chunk_by_mut(|p, q| p.piece == q.piece) {
            let found = self.around(piece, |_| true);
            for i in self.border.iter().take(found) {
                piece.get_mut(*i as usize).into_iter().for_each(|p| p.is_corner = 1);
            }
        }
        points.sort_unstable_by(place);
        self.around(points, |p| p.is_corner != 0 && p.cut == 0)
    }

    /// Writes the hull (Andrew 1979) of some points without corners that are within rounding of its sides, and returns the number of its corners.
    ///
    /// Such corners are removed at the end. If a side is almost across the sweep direction, its points come in any order along the side. Removing
    /// points during the sweep could then remove an end of the side, because it lies on the line through the others.
    fn around(&mut self, points: &[Point], is_one: impl Fn(&Point) -> bool) -> usize {
        let some = |range: core::ops::Range<usize>| {
            let one = |i: &usize| points.get(*i).is_some_and(&is_one);
            range.filter(one)
        };
        let n = some(0..points.len()).count();
        if n < 3 {
            some(0..points.len()).zip(self.border.iter_mut()).for_each(|(i, to)| *to = i as u32);
            return n;
        }
        let turns = |[o, p, q]: [[f64; 2]; 3]| area([o, p, q]) > 0.0;
        let there = some(0..points.len()).fold(0, |count, i| self.step(points, count, 2, i, turns));
        let last = some(0..points.len()).next_back().unwrap_or_default();
        // The backward sweep must not remove corners of the forward sweep.
        let back = some(0..last).rev().fold(there, |count, i| self.step(points, count, there + 1, i, turns));
        self.without_straight(points, back - 1)
    }

    /// Removes corners within rounding of the segment between their neighbours. Collinear points keep both ends, which are not between their
    /// neighbours.
    fn without_straight(&mut self, points: &[Point], found: usize) -> usize {
        // The point farthest from any given point is a corner.
        let first = self.point(points, 0).map_or([0.0; 2], |p| p.at);
        let from_first = |k: usize| self.point(points, k).map_or(0.0, |p| distance(p.at, [first; 2]));
        let start = (1..found).fold((0, 0.0), |best, k| {
            let far = from_first(k);
            if far > best.1 { (k, far) } else { best }
        });
        if let Some(border) = self.border.get_mut(..found) {
            border.rotate_left(start.0);
        }
        let rounding = self.rounding;
        let stands_out = |[o, p, q]: [[f64; 2]; 3]| distance(p, [o, q]) > rounding;
        let at = |border: &[u32], k: usize| border.get(k).map_or(0, |i| *i as usize);
        let mut count = (0..found).fold(0, |count, k| {
            let i = at(self.border, k);
            self.step(points, count, 2, i, stands_out)
        });
        let start = at(self.border, 0);
        while count >= 3 && !stands_out(self.last(points, count, start)) {
            count -= 1;
        }
        count
    }

    /// Appends point `i`, after removing last corners for which `keep` is false (given the corner before, the corner and this point). At least
    /// `least` corners stay.
    fn step(
        &mut self,
        points: &[Point],
        mut count: usize,
        least: usize,
        i: usize,
        keep: impl Fn([[f64; 2]; 3]) -> bool,
    ) -> usize {
        while count >= least && !keep(self.last(points, count, i)) {
            count -= 1;
        }
        if let Some(to) = self.border.get_mut(count) {
            *to = i as u32;
            count += 1;
        }
        count
    }

    /// The last two of `count` corners, and point `i`.
    fn last(&self, points: &[Point], count: usize, i: usize) -> [[f64; 2]; 3] {
        let at = |k: usize| self.border.get(k).and_then(|i| points.get(*i as usize)).map_or([0.0; 2], |p| p.at);
        [at(count - 2), at(count - 1), points.get(i).map_or([0.0; 2], |p| p.at)]
    }

    fn point<'p>(&self, points: &'p [Point], k: usize) -> Option<&'p Point> {
        points.get(*self.border.get(k)? as usize)
    }

    /// The deepest point, if it is deeper than all corners; it exists only where patches are not flat.
    fn deepest_inside<'p>(&self, points: &'p [Point], count: usize, tolerance: f64) -> Option<&'p Point> {
        let least = (0..count)
            .filter_map(|k| self.point(points, k))
            .fold(f64::INFINITY, |m, p| if p.gap < m { p.gap } else { m });
        let deepest = points.iter().filter(|p| p.cut == 0).reduce(|best, p| if p.gap < best.gap { p } else { best })?;
        (deepest.gap < least - tolerance).then_some(deepest)
    }

    /// Ranks the chosen corners, and returns their number.
    fn choose(&mut self, points: &[Point], count: usize, tolerance: f64, most: usize) -> usize {
        let size = (0..count)
            .filter_map(|k| self.point(points, k))
            .fold(f64::MIN_POSITIVE, |m, p| max(m, max(p.gap.abs(), max(p.at[0].abs(), p.at[1].abs()))));
        self.rank.iter_mut().take(count).for_each(|r| *r = NONE);
        let mut number = 0;
        while number < most {
            let next = if number == 0 {
                self.deepest(points, count, size)
            } else {
                self.farthest(points, count, size, tolerance)
            };
            let Some(to) = next.and_then(|k| self.rank.get_mut(k)) else { break };
            *to = number as u32;
            number += 1;
        }
        number
    }

    fn deepest(&self, points: &[Point], count: usize, size: f64) -> Option<usize> {
        let grade = |k: usize| {
            let p = self.point(points, k)?;
            // Among equally deep points, the one farthest out is certainly a corner of the hull.
            let [x, y] = p.at.map(|x| x / size);
            Some(([-p.gap / size, x * x + y * y, x, y], k))
        };
        let all = (0..count).filter_map(grade);
        all.reduce(|best, next| if outranks(&next.0, &best.0) { next } else { best }).map(|(_, k)| k)
    }

    /// The corner that is farthest from the segment between the chosen corners before and after it.
    fn farthest(&self, points: &[Point], count: usize, size: f64, tolerance: f64) -> Option<usize> {
        let is_chosen = |k: usize| self.rank.get(k % count).is_some_and(|r| *r != NONE);
        let start = (0..count).find(|k| is_chosen(*k))?;
        let (mut from, mut best): (usize, Option<([f64; 4], usize)>) = (start, None);
        for to in (start + 1..=start + count).filter(|k| is_chosen(*k)) {
            let ends = [self.point(points, from % count)?.at, self.point(points, to % count)?.at];
            for k in from + 1..to {
                let p = self.point(points, k % count)?;
                let far = distance(p.at, ends);
                let grade = [far / size, -p.gap / size, p.at[0] / size, p.at[1] / size];
                if far > tolerance && best.as_ref().is_none_or(|(other, _)| outranks(&grade, other)) {
                    best = Some((grade, k % count));
                }
            }
            from = to;
        }
        best.map(|(_, k)| k)
    }
}

/// The parameter from 0 to 1 of the nearest place on a segment to a point.
fn along(p: [f64; 2], [a, b]: [[f64; 2]; 2]) -> f64 {
    let (e, d) = ([b[0] - a[0], b[1] - a[1]], [p[0] - a[0], p[1] - a[1]]);
    let length = e[0] * e[0] + e[1] * e[1];
    let along = if length > 0.0 { (e[0] * d[0] + e[1] * d[1]) / length } else { 0.0 };
    if along > 1.0 { 1.0 } else { max(along, 0.0) }
}

/// Distance of a point from a segment.
fn distance(p: [f64; 2], [a, b]: [[f64; 2]; 2]) -> f64 {
    let (e, d) = ([b[0] - a[0], b[1] - a[1]], [p[0] - a[0], p[1] - a[1]]);
    let t = along(p, [a, b]);
    let [x, y] = [d[0] - e[0] * t, d[1] - e[1] * t];
    Real::sqrt(x * x + y * y)
}

/// Twice the area of a triangle, positive if its corners are anticlockwise.
fn area([a, b, c]: [[f64; 2]; 3]) -> f64 {
    (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
}

/// The gap at a place in a triangle, linear between its corners; outside it, the gap at the nearest place on its boundary.
fn between([centre, a, b]: [&Point; 3], at: [f64; 2]) -> f64 {
    let whole = area([centre.at, a.at, b.at]);
    let [u, v, w] =
        [area([at, a.at, b.at]), area([centre.at, at, b.at]), area([centre.at, a.at, at])].map(|x| x / whole);
    if whole > 0.0 && u >= 0.0 && v >= 0.0 && w >= 0.0 {
        return u * centre.gap + v * a.gap + w * b.gap;
    }
    [[a, b], [centre, a], [centre, b]]
        .map(|ends| (distance(at, ends.map(|p| p.at)), ends))
        .into_iter()
        .reduce(|best, next| if next.0 < best.0 { next } else { best })
        .map_or(centre.gap, |(_, [p, q])| {
            let t = along(at, [p.at, q.at]);
            p.gap + (q.gap - p.gap) * t
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Faces that are edge-on have points on one line. Rounding puts some of them on the hull; both ends of the line must stay on it.
    #[test]
    fn points_on_one_line_keep_both_ends() {
        let mut last = 0;
        for angle in 0..50 {
            for noise in 0..8 {
                let (x, y) = (0.1 * f64::from(angle) - 2.5, 0.7);
                let at = |k: u32, way: f64| {
                    let off = if noise >> (k % 3) & 1 == 1 { 1e-16 } else { -1e-16 };
                    [x * way - y * off, y * way + x * off]
                };
                let mut points =
                    [0.0, 0.4, 1.0].map(|way| Point { at: at((10.0 * way) as u32, way), gap: way, ..Point::default() });
                let (mut border, mut rank) = ([0; 5], [0; 5]);
                let mut hull = Hull::new(&mut border, &mut rank);
                let (corners, _) = hull.corners(&mut points, Tolerance { rounding: 1e-12, far: 1e-6 }, usize::MAX);
                let mut ends = [false; 2];
                for p in corners {
                    ends = [ends[0] || p.gap == 0.0, ends[1] || p.gap == 1.0];
                    last += 1;
                }
                assert_eq!(ends, [true; 2], "{angle} {noise}");
            }
        }
        assert_eq!(last, 2 * 50 * 8);
    }
}
