//! A convex polygon cut by many half-planes in the order of their angles: the section of the cone of a vertex with many edges.
//!
//! Each cut removes a run of corners around the corner that is farthest along the half-plane's normal. In the order of angles, that corner is
//! always the first in the queue. So each corner is visited once when it is added and once when it is removed. The total cost is that of a sort.

use crate::mesh::{Record, sort};

/// A corner: x, y, and the side that starts there: the index of its half-plane, or a negative number for a side of the square.
type Corner = [f64; 3];

/// The corners of the square, each with the side that starts there. Minus that number is the angle of the side's normal.
const SQUARE: [Corner; 4] = [[1.0, 1.0, -1.0], [-1.0, 1.0, -2.0], [-1.0, -1.0, -3.0], [1.0, -1.0, -4.0]];

/// Cuts the square from `-half` to `half` by half-planes `a x + b y + c <= 0`, given as `[a, b, c]` by index. Returns the number of remaining
/// corners. They are the first items of `corners`, anticlockwise, each with the side that leads to it.
///
/// There is a record for each half-plane, and room for four more corners than half-planes.
pub(in crate::contact) fn cut_square(
    half: f64,
    plane: impl Fn(usize) -> [f64; 3],
    records: &mut [Record],
    corners: &mut [Corner],
) -> usize {
    for (i, record) in records.iter_mut().enumerate() {
        let [a, b, _] = plane(i);
        *record = [angle(a, b).to_bits(), i as u64];
    }
    sort(records);
    let mut queue = Queue { corners, first: 0, count: 0 };
    SQUARE.iter().for_each(|[x, y, side]| queue.push_back([x * half, y * half, *side]));
    for [angle, i] in records.iter() {
        queue.pass(f64::from_bits(*angle));
        queue.cut(plane(*i as usize), *i as f64);
    }
    queue.finish()
}

/// A monotonic function of the angle of a direction, from 0 to 4: one per quarter turn.
fn angle(x: f64, y: f64) -> f64 {
    let sum = x.abs() + y.abs();
    let (quarter, along) = match (x > 0.0, y > 0.0) {
        _ if sum == 0.0 => return 0.0,
        (true, _) if y >= 0.0 => (0.0, y),
        (false, true) => (1.0, -x),
        (false, false) if x < 0.0 => (2.0, -y),
        _ => (3.0, x),
    };
    quarter + along / sum
}

/// The polygon's corners. Sides that start from the first corner on have larger angles than the last cut, up to the side where the order starts
/// again.
struct Queue<'c> {
    corners: &'c mut [Corner],
    first: usize,
    count: usize,
}

impl Queue<'_> {
    fn place(&self, i: usize) -> usize {
        let at = self.first + i;
        if at < self.corners.len() { at } else { at - self.corners.len() }
    }

    fn at(&self, i: usize) -> Option<Corner> {
        if i < self.count { self.corners.get(self.place(i)).copied() } else { None }
    }

    fn front(&self) -> Option<Corner> {
        self.at(0)
    }

    fn back(&self) -> Option<Corner> {
        self.at(self.count.wrapping_sub(1))
    }

    fn push_back(&mut self, corner: Corner) {
        let place = self.place(self.count);
        if self.count < self.corners.len()
            && let Some(to) = self.corners.get_mut(place)
        {
            *to = corner;
            self.count += 1;
        }
    }

    fn push_front(&mut self, corner: Corner) {
        if self.count < self.corners.len() {
            self.first = if self.first == 0 { self.corners.len() - 1 } else { self.first - 1 };
            self.corners[self.first] = corner;
            self.count += 1;
        }
    }

    fn pop_front(&mut self) {
        self.first = self.place(1);
        self.count -= 1;
    }

    /// Moves corners to the end of the queue while the side of the square after them has no larger angle.
    fn pass(&mut self, angle: f64) {
        for _ in 1..SQUARE.len() {
            let passed = |[_, _, side]: &Corner| (-3.0..0.0).contains(side) && -side <= angle;
            let Some(corner) = self.front().filter(passed) else { return };
            self.pop_front();
            self.push_back(corner);
        }
    }

    fn cut(&mut self, [a, b, c]: [f64; 3], side: f64) {
        let above = |corner: &Corner| a * corner[0] + b * corner[1] + c;
        let goes = |corner: &Corner| above(corner) > 0.0;
        // The run of corners to remove. It is empty, up to rounding, if the first corner stays.
        let Some(mut first) = self.front().filter(goes) else { return };
        let mut last = first;
        while let Some(corner) = self.front().filter(goes) {
            last = corner;
            self.pop_front();
        }
        while let Some(corner) = self.back().filter(goes) {
            first = corner;
            self.count -= 1;
        }
        let (Some(before), Some(after)) = (self.back(), self.front()) else { return };
        let crossing = |stays: &Corner, goes: &Corner| {
            let (p, q) = (-above(stays), above(goes));
            let t = q / (p + q);
            [0, 1].map(|k| goes[k] + (stays[k] - goes[k]) * t)
        };
        let ([x, y], [u, v]) = (crossing(&before, &first), crossing(&after, &last));
        self.push_back([x, y, side]);
        self.push_front([u, v, last[2]]);
    }

    /// Moves the first corner to the front, and gives each corner the side that leads to it.
    fn finish(self) -> usize {
        let Queue { corners, first, count } = self;
        corners.rotate_left(first.min(corners.len()));
        let corners = corners.get_mut(..count).unwrap_or_default();
        let mut side = corners.last().map_or(-1.0, |corner| corner[2]);
        corners.iter_mut().for_each(|corner| core::mem::swap(&mut corner[2], &mut side));
        count
    }
}
