//! Slow reference of queries over two meshes in world coordinates: every pair within a threshold, and the least distance.
//!
//! A tree of AABBs skips only pairs whose AABBs are farther apart than the threshold, with an allowance far above
//! rounding; every other pair is computed. `every_pair` uses no tree, and a test compares the two.

use crate::Triangle;
use crate::distance::{Closest, triangle_triangle};
use crate::exact;
use std::cmp::Ordering;

/// A pair found: ids and distance by the f64 reference.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Found {
    /// Triangle of the first mesh.
    pub a: u32,
    /// Triangle of the second.
    pub b: u32,
    /// Distance.
    pub distance: f64,
}

/// Whether the distance is at most `threshold`: in f64 where that is clear, in integers where it is not.
pub fn within(a: &Triangle, b: &Triangle, threshold: f64) -> Option<f64> {
    let distance = triangle_triangle(a, b).distance;
    let clear = 1e-6 * crate::vector::largest(a, b);
    if (distance - threshold).abs() > clear {
        return (distance <= threshold).then_some(distance);
    }
    let exact = exact::triangle_triangle(a, b);
    (exact.compare(threshold) != Ordering::Greater).then(|| exact.distance())
}

/// All pairs within the threshold, ordered by (a, b), one after the other: n times m distances.
pub fn every_pair(a: &[Triangle], b: &[Triangle], threshold: f64) -> Vec<Found> {
    let mut found = Vec::new();
    for (i, s) in a.iter().enumerate() {
        for (j, t) in b.iter().enumerate() {
            if let Some(distance) = within(s, t, threshold) {
                found.push(Found { a: i as u32, b: j as u32, distance });
            }
        }
    }
    found
}

/// All pairs within the threshold, ordered by (a, b).
pub fn pairs(a: &[Triangle], b: &[Triangle], threshold: f64) -> Vec<Found> {
    pairs_by(a, b, threshold, |_, _| threshold)
}

/// All pairs within a threshold of their own, ordered by (a, b); `largest` is at least the threshold of every pair.
pub fn pairs_by(a: &[Triangle], b: &[Triangle], largest: f64, threshold: impl Fn(u32, u32) -> f64) -> Vec<Found> {
    let mut found = Vec::new();
    candidates(a, b, largest, |i, j| {
        if let Some(distance) = within(&a[i as usize], &b[j as usize], threshold(i, j)) {
            found.push(Found { a: i, b: j, distance });
        }
    });
    found.sort_by_key(|p| (p.a, p.b));
    found
}

/// Calls `visit(i, j)` once for every pair of triangles whose AABBs are within `reach`, in an unspecified order.
pub fn candidates(a: &[Triangle], b: &[Triangle], reach: f64, mut visit: impl FnMut(u32, u32)) {
    let (p, q) = (Boxes::new(a), Boxes::new(b));
    let mut stack = vec![(0, 0)];
    while let Some((i, j)) = stack.pop() {
        let (s, t) = (&p.nodes[i], &q.nodes[j]);
        if s.gap(t) > reach {
            continue;
        }
        match (s.children, t.children) {
            (None, None) => visit(s.triangle, t.triangle),
            (Some(c), None) => stack.extend(c.map(|c| (c, j))),
            (None, Some(d)) => stack.extend(d.map(|d| (i, d))),
            (Some(c), Some(_)) if s.extent() > t.extent() => stack.extend(c.map(|c| (c, j))),
            (Some(_), Some(d)) => stack.extend(d.map(|d| (i, d))),
        }
    }
}

/// The least distance, with the ids that attain it first in order of visit.
pub fn least(a: &[Triangle], b: &[Triangle]) -> (Closest, u32, u32) {
    Least::new(a, b).at([0.0; 3])
}

/// The smallest distances of two meshes for many translations of the second one.
pub struct Least<'m> {
    a: &'m [Triangle],
    b: &'m [Triangle],
    p: Boxes,
    q: Boxes,
}

impl<'m> Least<'m> {
    /// Neither mesh may be empty.
    pub fn new(a: &'m [Triangle], b: &'m [Triangle]) -> Self {
        Least { a, b, p: Boxes::new(a), q: Boxes::new(b) }
    }

    /// The least distance with `b` moved by `shift`.
    pub fn at(&self, shift: [f64; 3]) -> (Closest, u32, u32) {
        let mut best = (Closest { distance: f64::INFINITY, a: [0.0; 3], b: [0.0; 3] }, 0, 0);
        let gap = |i: usize, j: usize| self.p.nodes[i].gap(&self.q.nodes[j].moved(shift));
        let mut stack = vec![(gap(0, 0), 0, 0)];
        while let Some((lower, i, j)) = stack.pop() {
            if lower > best.0.distance {
                continue;
            }
            let (s, t) = (&self.p.nodes[i], &self.q.nodes[j]);
            let mut next: Vec<(f64, usize, usize)> = match (s.children, t.children) {
                (None, None) => {
                    let moved = crate::vector::moved(&self.b[t.triangle as usize], shift);
                    let closest = triangle_triangle(&self.a[s.triangle as usize], &moved);
                    if closest.distance < best.0.distance {
                        best = (closest, s.triangle, t.triangle);
                    }
                    continue;
                }
                (Some(c), d) if d.is_none() || s.extent() > t.extent() => c.map(|c| (gap(c, j), c, j)).into(),
                (_, Some(d)) => d.map(|d| (gap(i, d), i, d)).into(),
                (Some(_), None) => continue,
            };
            next.sort_by(|x, y| y.0.total_cmp(&x.0));
            stack.extend(next);
        }
        best
    }
}

/// A binary tree of boxes, split at the median of the longest axis.
struct Boxes {
    nodes: Vec<Node>,
}

#[derive(Clone, Copy)]
struct Node {
    low: [f64; 3],
    high: [f64; 3],
    children: Option<[usize; 2]>,
    triangle: u32,
}

impl Node {
    /// A lower bound of the distance, with an allowance for its own rounding error.
    fn gap(&self, other: &Node) -> f64 {
        let (mut square, mut size) = (0.0, 0.0);
        for k in 0..3 {
            let apart = (self.low[k] - other.high[k]).max(other.low[k] - self.high[k]).max(0.0);
            square += apart * apart;
            size += self.low[k].abs() + self.high[k].abs() + other.low[k].abs() + other.high[k].abs();
        }
        square.sqrt() * (1.0 - 1e-12) - 1e-12 * size
    }

    fn moved(&self, shift: [f64; 3]) -> Node {
        let add = |v| crate::vector::add(v, shift);
        Node { low: add(self.low), high: add(self.high), ..*self }
    }

    fn extent(&self) -> f64 {
        (0..3).map(|k| self.high[k] - self.low[k]).sum()
    }
}

impl Boxes {
    fn new(triangles: &[Triangle]) -> Self {
        let mut ids: Vec<u32> = (0..triangles.len() as u32).collect();
        let mut boxes = Boxes { nodes: Vec::with_capacity(2 * ids.len()) };
        boxes.build(triangles, &mut ids);
        boxes
    }

    fn build(&mut self, triangles: &[Triangle], ids: &mut [u32]) -> usize {
        let at = self.nodes.len();
        let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
        for v in ids.iter().flat_map(|&i| triangles[i as usize]) {
            for k in 0..3 {
                low[k] = low[k].min(v[k]);
                high[k] = high[k].max(v[k]);
            }
        }
        self.nodes.push(Node { low, high, children: None, triangle: *ids.first().unwrap_or(&0) });
        if ids.len() > 1 {
            let axis = (0..3).fold(0, |a, k| if high[k] - low[k] > high[a] - low[a] { k } else { a });
            let middle = |i: &u32| triangles[*i as usize].iter().map(|v| v[axis]).sum::<f64>();
            ids.sort_by(|i, j| middle(i).total_cmp(&middle(j)));
            let (left, right) = ids.split_at_mut(ids.len() / 2);
            let children = [self.build(triangles, left), self.build(triangles, right)];
            self.nodes[at].children = Some(children);
        }
        at
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pairs;
    use crate::random::Random;

    #[test]
    fn tree_finds_what_every_pair_finds() {
        let mut random = Random::new(11);
        for threshold in [0.0, 0.02, 0.3, 5.0] {
            let mut soup = |n| -> Vec<Triangle> { (0..n).map(|_| pairs::anywhere(&mut random)).collect() };
            let (a, b) = (soup(70), soup(90));
            let all = every_pair(&a, &b, threshold);
            assert!(!all.is_empty());
            assert_eq!(super::pairs(&a, &b, threshold), all);
            let least = super::least(&a, &b).0.distance;
            let brute = every_pair(&a, &b, f64::INFINITY).iter().fold(f64::INFINITY, |m: f64, p| m.min(p.distance));
            assert_eq!(least, brute);
        }
    }
}
