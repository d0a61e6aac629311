//! The smallest distance of two meshes, with the pair that shows it, and whether they come within a threshold at all.

use super::decide::{Decide, Decided};
use super::frame::Frame;
use super::key::{Key, ids, key};
use super::pairs::record;
use super::traverse::{Goal, Part, Traversal, stack_size};
use super::{Operand, TrianglePair, check_operands};
use crate::error::{Result, What};
use crate::memory::{Layout, sections};
use crate::real::{max, min};
use crate::simd::{Isa, dispatch};
use crate::surrogate::{Cluster, TreeRef};
use crate::triangle::Block;
use crate::vector::dot;

/// Scratch for [`min_distance`] and [`any_pair`].
///
/// Errors: [`Kind::TooLarge`](crate::error::Kind::TooLarge).
pub fn distance_scratch(a: &Operand<'_>, b: &Operand<'_>) -> Result<Layout> {
    Memory::layout(a, b)
}

sections! {
    /// Memory of a descent.
    struct Memory<'s>(a: &Operand<'_>, b: &Operand<'_>; n = stack_size(&a.tree, &b.tree)) {
        stack: [u64; n],
        gaps: [f32; n],
    }
}

/// Which pair is reported if bodies touch or cross.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Witness {
    /// The definite pair that the rule for ties selects: see [`min_distance`].
    #[default]
    Definite,
    /// The first pair that the search finds. It is the same on every machine and with every instruction set, but changes with the trees, or
    /// if the bodies are exchanged.
    Any,
}

/// The closest pair of triangles, without halos; `None` if all are farther apart than `bound`.
///
/// If several pairs have the same distance, the result is the one with the smallest midpoint (x, then y, then z), then the one with the smallest
/// smaller id, then with the smallest larger id. So exchanging the bodies changes nothing. Bodies that cross have one definite crossing pair, but
/// to find it, the function must find all crossing pairs. If any crossing pair is good enough, call [`min_distance_with`] with [`Witness::Any`]. A
/// good `bound` saves time, such as the distance of the last step plus the distance that the bodies may have moved; infinity is allowed.
///
/// Errors: as [`pairs`](fn@super::pairs), and those of [`check_bound`](super::check_bound).
///
/// Cost: depends on how many triangles are about as near as the nearest. For meshes of 10,000 to 50,000 triangles that do not touch, it is
/// 25 to 100 us at most poses. If wide surfaces face each other, it is 1 or 2 ms.
pub fn min_distance(
    isa: Isa,
    a: &Operand<'_>,
    b: &Operand<'_>,
    bound: f64,
    scratch: &mut [u8],
) -> Result<Option<TrianglePair>> {
    min_distance_with(isa, a, b, bound, Witness::Definite, scratch)
}

/// [`min_distance`], with a choice of the pair for bodies that touch or cross (`witness`). For other bodies it has no effect.
///
/// Errors: those of [`min_distance`]. Cost: with [`Witness::Any`] .7 to 1.4 times that of [`any_pair`] if the bodies cross. It is up to
/// four times that if [`any_pair`] soon finds a pair within the halos that does not cross; for other bodies up to two thirds more than
/// without.
pub fn min_distance_with(
    isa: Isa,
    a: &Operand<'_>,
    b: &Operand<'_>,
    bound: f64,
    witness: Witness,
    scratch: &mut [u8],
) -> Result<Option<TrianglePair>> {
    check_operands(a, b)?;
    super::check_bound(bound)?;
    let Some(frame) = Frame::unless_far(a, b, bound)? else { return Ok(None) };
    let Memory { stack, gaps } = Memory::new(scratch, a, b)?;
    let mut guess = [0; 16];
    let number = near_by(&frame, &a.tree, &b.tree, &mut guess);
    if witness == Witness::Any {
        let mut goal = Crossing { isa, a: *a, b: *b, frame: &frame, taken: 0, last: None, found: None };
        goal.take(&guess[..number])?;
        if goal.found.is_none() {
            let (goal, stack) = (&mut goal, &mut *stack);
            dispatch(
                isa,
                Traversal { a: *a, b: *b, frame: &frame, stack, gaps: &mut [], goal, part: Part::All, plain: None },
            )?;
        }
        if goal.found.is_some() {
            return Ok(goal.found);
        }
    }
    let mut goal = Nearest { isa, a: *a, b: *b, frame: &frame, bound, best: None };
    goal.take(&guess[..number])?;
    dispatch(
        isa,
        Traversal { a: *a, b: *b, frame: &frame, stack, gaps, goal: &mut goal, part: Part::All, plain: None },
    )?;
    Ok(goal.best.map(|best| best.pair))
}

/// Whether any pair of triangles is within `halo of A's + halo of B's + margin`. Stops at the first.
///
/// Errors: as [`pairs`](fn@super::pairs).
pub fn any_pair(isa: Isa, a: &Operand<'_>, b: &Operand<'_>, margin: f64, scratch: &mut [u8]) -> Result<bool> {
    check_operands(a, b)?;
    super::check_length(margin, What::Margin)?;
    let Some(frame) = Frame::unless_far(a, b, margin)? else { return Ok(false) };
    let Memory { stack, gaps } = Memory::new(scratch, a, b)?;
    let mut goal = Any { isa, a: *a, b: *b, frame: &frame, margin, found: false };
    let mut guess = [0; 16];
    let number = near_by(&frame, &a.tree, &b.tree, &mut guess);
    if goal.take(&guess[..number])? {
        dispatch(
            isa,
            Traversal { a: *a, b: *b, frame: &frame, stack, gaps, goal: &mut goal, part: Part::All, plain: None },
        )?;
    }
    Ok(goal.found)
}

/// Work items that are taken at once if the first hit ends the search. With more, most of the work would be wasted.
const SOON: usize = 4;

/// Pairs of fine triangles that are probably close. Descends both trees, each time to the pair of nodes with the nearest centroids.
fn near_by(frame: &Frame, a: &TreeRef<'_>, b: &TreeRef<'_>, out: &mut [Key; 16]) -> usize {
    let (mut i, mut j) = (0, 0);
    for _ in 0..=a.sizes.depth.saturating_add(b.sizes.depth) {
        let (Some(ca), Some(cb)) = (a.clusters.get(i), b.clusters.get(j)) else { return 0 };
        if ca.is_fine() && cb.is_fine() {
            let mut number = 0;
            for x in 0..ca.count() {
                for y in 0..cb.count() {
                    out[number & 15] = key(ca.link[x & 3], cb.link[y & 3]);
                    number += 1;
                }
            }
            return min(number, 16);
        }
        let (x, y) = nearest_centroids(frame, (a, ca), (b, cb));
        if !ca.is_fine() {
            i = ca.children(x).start;
        }
        if !cb.is_fine() {
            j = cb.children(y).start;
        }
    }
    0
}

fn nearest_centroids(frame: &Frame, a: (&TreeRef<'_>, &Cluster), b: (&TreeRef<'_>, &Cluster)) -> (usize, usize) {
    let centroids = |(tree, cluster): (&TreeRef<'_>, &Cluster), body: usize| {
        let (transform, side) = if body == 0 { (&frame.a, 1.0) } else { (&frame.b, -1.0) };
        let origin = tree.origins.get(cluster.origin()).map_or([0.0; 3], |o| o.centre);
        [0, 1, 2, 3].map(|lane| {
            let t = cluster.triangle(lane);
            let local = [0, 1, 2].map(|k| f64::from(t[0][k] / 3.0 + t[1][k] / 3.0 + t[2][k] / 3.0) + origin[k]);
            let turned = transform.rotate(local);
            [0, 1, 2].map(|k| turned[k] * frame.scales[body] + side * frame.half[k])
        })
    };
    let (pa, pb) = (centroids(a, 0), centroids(b, 1));
    let mut best = (f64::INFINITY, 0, 0);
    for (x, p) in pa.iter().enumerate().take(a.1.count()) {
        for (y, q) in pb.iter().enumerate().take(b.1.count()) {
            let d = [0, 1, 2].map(|k| p[k] - q[k]);
            let distance2 = dot(d, d);
            if distance2 < best.0 {
                best = (distance2, x, y);
            }
        }
    }
    (best.1, best.2)
}

/// The best pair, and the order among pairs of equal distance.
#[derive(Clone, Copy)]
struct Best {
    pair: TrianglePair,
    order: ([f64; 3], u32, u32),
}

struct Nearest<'t> {
    isa: Isa,
    a: Operand<'t>,
    b: Operand<'t>,
    frame: &'t Frame,
    bound: f64,
    best: Option<Best>,
}

impl Nearest<'_> {
    fn limit(&self) -> f64 {
        self.best.map_or(self.bound, |best| best.pair.distance)
    }
}

/// The sum of the halos that all triangles of a body share. The halo of a node includes this halo, so the threshold for distances without halos is
/// reduced by it.
fn halos_reached(a: &Operand<'_>, b: &Operand<'_>) -> f64 {
    let shared = |o: &Operand<'_>| if o.mesh.sizes.halos == 0 { o.mesh.largest_halo() * o.scale } else { 0.0 };
    shared(a) + shared(b)
}

impl Goal for Nearest<'_> {
    fn threshold(&self) -> f64 {
        self.limit() - halos_reached(&self.a, &self.b)
    }

    fn take(&mut self, candidates: &[Key]) -> Result<bool> {
        let (isa, a, b, frame) = (self.isa, self.a, self.b, self.frame);
        dispatch(isa, Decide { a, b, frame, keys: candidates, out: self });
        Ok(true)
    }
}

impl Decided for Nearest<'_> {
    fn put(&mut self, keys: &[Key], block: &Block<f64>) {
        for (column, key) in keys.iter().enumerate() {
            if block.distance[column] <= self.limit() {
                self.offer(*key, block, column);
            }
        }
    }
}

impl Nearest<'_> {
    /// Compares a pair that is no farther apart than the best one.
    fn offer(&mut self, key: Key, block: &Block<f64>, column: usize) {
        let distance = block.distance[column];
        let (i, j) = ids(key);
        let middle = [0, 1, 2].map(|k| block.point_a[k][column] + block.point_b[k][column]);
        let order = (middle, min(i, j), max(i, j));
        let better = match self.best {
            None => true,
            Some(best) => distance < best.pair.distance || (distance == best.pair.distance && order < best.order),
        };
        if better {
            self.best = Some(Best { pair: record(self.frame, key, block, column), order });
        }
    }
}

/// Finds the first pair from the top of the stack that touches or crosses. Which pairs of clusters the filter discards depends on the instruction
/// set. But no discarded pair has a crossing pair below it, and the order of the others is that of the trees.
struct Crossing<'t> {
    isa: Isa,
    a: Operand<'t>,
    b: Operand<'t>,
    frame: &'t Frame,
    /// Number of candidates that have been decided.
    taken: usize,
    /// Index of the last candidate that touches. Candidates from the top of the stack come last.
    last: Option<usize>,
    found: Option<TrianglePair>,
}

impl Goal for Crossing<'_> {
    fn threshold(&self) -> f64 {
        -halos_reached(&self.a, &self.b)
    }

    fn take(&mut self, candidates: &[Key]) -> Result<bool> {
        let (isa, a, b, frame) = (self.isa, self.a, self.b, self.frame);
        (self.taken, self.last) = (0, None);
        dispatch(isa, Decide { a, b, frame, keys: candidates, out: self });
        Ok(true)
    }

    fn settled(&self) -> Option<usize> {
        self.last
    }

    fn at_once(&self) -> usize {
        SOON
    }
}

impl Decided for Crossing<'_> {
    fn put(&mut self, keys: &[Key], block: &Block<f64>) {
        for (column, key) in keys.iter().enumerate() {
            if block.distance[column] == 0.0 {
                self.last = Some(self.taken + column);
                self.found = Some(record(self.frame, *key, block, column));
            }
        }
        self.taken += keys.len();
    }
}

struct Any<'t> {
    isa: Isa,
    a: Operand<'t>,
    b: Operand<'t>,
    frame: &'t Frame,
    margin: f64,
    found: bool,
}

impl Goal for Any<'_> {
    fn threshold(&self) -> f64 {
        self.margin
    }

    fn take(&mut self, candidates: &[Key]) -> Result<bool> {
        let (isa, a, b, frame) = (self.isa, self.a, self.b, self.frame);
        dispatch(isa, Decide { a, b, frame, keys: candidates, out: self });
        Ok(!self.found)
    }

    fn at_once(&self) -> usize {
        SOON
    }
}

impl Decided for Any<'_> {
    fn put(&mut self, keys: &[Key], block: &Block<f64>) {
        for (key, distance) in keys.iter().zip(&block.distance) {
            let (i, j) = ids(*key);
            let threshold = (self.a.halo(i as usize) + self.b.halo(j as usize)) + self.margin;
            self.found |= *distance <= threshold;
        }
    }
}
