//! Closest points of triangle pairs in blocks, from any source of pairs.
//!
//! The lanes compute a block of sixteen pairs. Pairs that they leave open (touching within rounding, caps) are decided one by one in f64 with exact
//! predicates. Both steps depend on the pair alone, so a result does not depend on the other pairs of a block, on the instruction set or on the
//! number of lanes.

use super::accuracy::{Accuracy, Vertices, number};
use super::block::{BLOCK, Block, ClosestPoints, Compiled, Coordinates, Places, Sink, Source};
use super::comparison::{closest, closest_of};
use super::elementary::distance_point_triangle;
use super::feature::Feature;
use super::prepared::Closest;
use super::{double_double, predicates};
use crate::error::{Error, Kind, Result, What};
use crate::real::{Real, max, min};
use crate::simd::{Isa, Kernel, Lane, Mask, Portable, Simd, Vec3, dispatch};

impl<T: Real> Places<T> {
    fn new() -> Self {
        let zero = [T::default(); BLOCK];
        Places { part: zero, s: zero, t: zero, turn: zero }
    }

    #[inline]
    fn feature(&self, column: usize) -> Feature {
        use Feature::{Edge0, Edge1, Edge2, Face, Vertex0, Vertex1, Vertex2};
        // Rows are parts; columns are inside, at the start, at the end. A table, because a branch could not be predicted.
        const FEATURES: [[Feature; 3]; 4] =
            [[Edge0, Vertex0, Vertex1], [Edge1, Vertex1, Vertex2], [Edge2, Vertex2, Vertex0], [Face; 3]];
        let (part, s) = (self.part[column].to_f64() as usize, self.s[column]);
        let end = usize::from(s == T::default()) + 2 * usize::from(s == T::from_f64(1.0));
        FEATURES[part & 3][end % 3]
    }

    fn weights(&self, column: usize) -> [T; 3] {
        let one = T::from_f64(1.0);
        let (part, s, t) = (self.part[column].to_f64() as usize, self.s[column], self.t[column]);
        let mut weights = [T::default(); 3];
        if part == 3 {
            let base = self.turn[column].to_f64() as usize % 3;
            weights[base] = (one - s) - t;
            weights[(base + 1) % 3] = s;
            weights[(base + 2) % 3] = t;
        } else {
            weights[part % 3] = one - s;
            weights[(part + 1) % 3] = s;
        }
        weights
    }
}

impl<T: Real> Block<T> {
    pub(crate) fn new() -> Self {
        let zero = [T::default(); BLOCK];
        let places = Places::new();
        Block { distance: zero, point_a: [zero; 3], point_b: [zero; 3], place_a: places, place_b: places }
    }

    /// The result for one pair.
    pub fn get(&self, column: usize) -> ClosestPoints<T> {
        let column = column % BLOCK;
        let [feature_a, feature_b] = self.features(column);
        ClosestPoints {
            distance: self.distance[column],
            point_a: self.point_a.map(|row| row[column]),
            point_b: self.point_b.map(|row| row[column]),
            weights_a: self.place_a.weights(column),
            weights_b: self.place_b.weights(column),
            feature_a,
            feature_b,
        }
    }

    /// The features of A and B that contain the closest points of one pair.
    #[inline]
    pub fn features(&self, column: usize) -> [Feature; 2] {
        [self.place_a.feature(column % BLOCK), self.place_b.feature(column % BLOCK)]
    }

    #[inline(always)]
    pub(crate) fn store<L: Lane<Scalar = T>>(&mut self, at: usize, distance: L, unscale: L, result: &Closest<L>) {
        distance.store(&mut self.distance, at);
        for k in 0..3 {
            (result.point_a.0[k] * unscale).store(&mut self.point_a[k], at);
            (result.point_b.0[k] * unscale).store(&mut self.point_b[k], at);
        }
        result.place_a.part.store(&mut self.place_a.part, at);
        result.place_a.s.store(&mut self.place_a.s, at);
        result.place_a.t.store(&mut self.place_a.t, at);
        result.turn_a.store(&mut self.place_a.turn, at);
        result.place_b.part.store(&mut self.place_b.part, at);
        result.place_b.s.store(&mut self.place_b.s, at);
        result.place_b.t.store(&mut self.place_b.t, at);
        result.turn_b.store(&mut self.place_b.turn, at);
    }

    /// The result in one column, in f64.
    fn answer(&self, column: usize) -> Answer {
        let [place_a, place_b] = [&self.place_a, &self.place_b]
            .map(|p| [p.part[column].to_f64(), p.s[column].to_f64(), p.t[column].to_f64(), p.turn[column].to_f64()]);
        Answer {
            distance: self.distance[column].to_f64(),
            point_a: self.point_a.map(|row| row[column].to_f64()),
            point_b: self.point_b.map(|row| row[column].to_f64()),
            place_a,
            place_b,
        }
    }

    /// Replaces one column by a result in f64.
    pub(crate) fn set(&mut self, column: usize, answer: &Answer, unscale: f64) {
        let smallest = T::default().next_up();
        let distance = T::from_f64(answer.distance * unscale);
        let vanished = distance == T::default() && answer.distance > 0.0;
        self.distance[column] = if vanished { smallest } else { distance };
        for k in 0..3 {
            self.point_a[k][column] = T::from_f64(answer.point_a[k] * unscale);
            self.point_b[k][column] = T::from_f64(answer.point_b[k] * unscale);
        }
        for (places, place) in [(&mut self.place_a, answer.place_a), (&mut self.place_b, answer.place_b)] {
            places.part[column] = T::from_f64(place[0]);
            places.s[column] = T::from_f64(place[1]);
            places.t[column] = T::from_f64(place[2]);
            places.turn[column] = T::from_f64(place[3]);
        }
    }
}

/// The result for a pair in f64; places are part, s, t, turn.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Answer {
    pub distance: f64,
    pub point_a: [f64; 3],
    pub point_b: [f64; 3],
    pub place_a: [f64; 4],
    pub place_b: [f64; 4],
}

impl Answer {
    fn of(lanes: &Closest<<Portable<1, 1> as Simd>::F64>) -> Answer {
        let get = |x: <Portable<1, 1> as Simd>::F64| {
            let mut out = [0.0];
            x.store(&mut out, 0);
            out[0]
        };
        Answer {
            distance: get(lanes.distance2.sqrt()),
            point_a: lanes.point_a.0.map(get),
            point_b: lanes.point_b.0.map(get),
            place_a: [get(lanes.place_a.part), get(lanes.place_a.s), get(lanes.place_a.t), get(lanes.turn_a)],
            place_b: [get(lanes.place_b.part), get(lanes.place_b.s), get(lanes.place_b.t), get(lanes.turn_b)],
        }
    }

    /// The result for the pair in the other order.
    pub fn swapped(self) -> Answer {
        Answer {
            distance: self.distance,
            point_a: self.point_b,
            point_b: self.point_a,
            place_a: self.place_b,
            place_b: self.place_a,
        }
    }
}

/// The result for one pair by all means: lanes, exact predicates, twice the digits. Coordinates should be scaled to about 1.
pub(crate) fn decide(a: &[[f64; 3]; 3], b: &[[f64; 3]; 3]) -> Answer {
    let simd = Portable::<1, 1>;
    let splat = |t: &[[f64; 3]; 3]| t.map(|v| Vec3::<<Portable<1, 1> as Simd>::F64>::splat(simd, v));
    let lanes = closest(simd, splat(a), splat(b));
    if lanes.touch.any() {
        return Answer::of(&lanes);
    }
    if lanes.unsure.any() && predicates::touch(&a.map(|v| v.map(predicates::snap)), &b.map(|v| v.map(predicates::snap)))
    {
        return common_point(a, b, Answer::of(&lanes));
    }
    let mut answer = Answer::of(&lanes);
    if lanes.hard.any() {
        // A wrong distance to the face of a cap may have hidden the right pair of edges.
        answer = Answer::of(&closest_of::<_, false>(simd, splat(a), splat(b)));
        look_at_caps(a, b, &mut answer);
    }
    // The triangles are apart by less than the coordinates resolve. The distance must not be 0, which would mean that they touch.
    if answer.distance == 0.0 {
        answer.distance = APART_BUT_ROUNDED;
    }
    answer
}

/// A common point of triangles that touch: where an edge passes through a face, with twice the digits; or their closest points if they lie in one
/// plane.
fn common_point(a: &[[f64; 3]; 3], b: &[[f64; 3]; 3], mut answer: Answer) -> Answer {
    answer.distance = 0.0;
    answer.point_b = answer.point_a;
    for (edges_of_a, from, through) in [(true, a, b), (false, b, a)] {
        for k in 0..3 {
            let (p, q) = (from[k], from[(k + 1) % 3]);
            let s = match predicates::sides(p, q, through) {
                (side_p, side_q) if side_p == side_q || !predicates::segment_triangle(p, q, through) => continue,
                (0, _) => 0.0,
                (_, 0) => 1.0,
                _ => {
                    let (side_p, side_q) = (double_double::side(p, through), double_double::side(q, through));
                    if side_p == side_q { 0.5 } else { min(max(side_p / (side_p - side_q), 0.0), 1.0) }
                }
            };
            let point = [0, 1, 2].map(|c| p[c] + s * (q[c] - p[c]));
            // The rounded point may lie beside a thin triangle, but the weights of the triangle's nearest point are valid.
            let weights = distance_point_triangle(point, *through).map_or([1.0, 0.0, 0.0], |found| found.weights);
            let (edge, face) = ([k as f64, s, 0.0, 0.0], [3.0, weights[1], weights[2], 0.0]);
            (answer.place_a, answer.place_b) = if edges_of_a { (edge, face) } else { (face, edge) };
            (answer.point_a, answer.point_b) = (point, point);
            return answer;
        }
    }
    answer
}

/// Computes all vertex-face distances with twice the digits.
fn look_at_caps(a: &[[f64; 3]; 3], b: &[[f64; 3]; 3], answer: &mut Answer) {
    for (on_a, triangle, other) in [(true, a, b), (false, b, a)] {
        for (k, corner) in other.iter().enumerate() {
            let Some(found) = double_double::vertex_face(*corner, triangle) else { continue };
            if found.distance2 < answer.distance * answer.distance {
                let (face, vertex) = ([3.0, found.s, found.t, 0.0], [k as f64, 0.0, 0.0, 0.0]);
                answer.distance = Real::sqrt(found.distance2);
                (answer.place_a, answer.place_b) = if on_a { (face, vertex) } else { (vertex, face) };
                (answer.point_a, answer.point_b) = if on_a { (found.point, other[k]) } else { (other[k], found.point) };
            }
        }
    }
}

/// The distance (times the scale) of triangles that are apart by exact predicates, but whose distance rounds to 0.
const APART_BUT_ROUNDED: f64 = 1.0 / (1u128 << 100) as f64;

/// The triangles of one column.
pub(crate) fn column(block: &Coordinates<f64>, column: usize) -> [[[f64; 3]; 3]; 2] {
    [0, 9].map(|first| [0, 3, 6].map(|v| [0, 1, 2].map(|k| block[first + v + k][column])))
}

/// Rows with the alignment of cache lines: loading a vector across two lines costs twice as much.
#[repr(align(64))]
pub(crate) struct Aligned<T, const COLUMNS: usize>(pub [[T; COLUMNS]; 18]);

impl<T: Real, const COLUMNS: usize> Aligned<T, COLUMNS> {
    #[inline(always)]
    pub fn new() -> Self {
        Aligned([[T::default(); COLUMNS]; 18])
    }
}

struct Batch<'a, T> {
    source: &'a dyn Source<T>,
    sink: &'a mut dyn Sink<T>,
}

/// Blocks that are kept until their open pairs are decided.
pub(super) const WINDOW: usize = 8;

impl<T: Accuracy> Kernel for Batch<'_, T> {
    type Output = Result<()>;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> Result<()> {
        let n = self.source.len();
        let Aligned(input) = &mut Aligned::new();
        let mut outputs = [Block::new(); WINDOW];
        let mut waiting = Waiting::new();
        let mut start = 0;
        while start < n {
            let mut blocks = 0;
            while blocks < WINDOW && start + blocks * BLOCK < n {
                let at = start + blocks * BLOCK;
                let count = min(n - at, BLOCK);
                self.source.fill(at, count, input);
                let mut column = 0;
                while column < count {
                    let fate = one_block::<T::Lane<S>>(simd, input, column, &mut outputs[blocks]);
                    if fate.suspect != 0 {
                        check_finite(input, at, count)?;
                    }
                    // Columns after the last pair hold old numbers.
                    let mut open = fate.open & (u32::MAX >> (32 - min(count - column, 32)));
                    while open != 0 {
                        let c = column + open.trailing_zeros() as usize;
                        open &= open - 1;
                        waiting.add(input, c, blocks);
                        if waiting.number == BLOCK || !T::NARROW {
                            waiting.settle::<S, T>(simd, &mut outputs);
                        }
                    }
                    column += T::Lane::<S>::LANES;
                }
                blocks += 1;
            }
            waiting.settle::<S, T>(simd, &mut outputs);
            for (k, output) in outputs[..blocks].iter().enumerate() {
                let at = start + k * BLOCK;
                self.sink.put(at, min(n - at, BLOCK), output);
            }
            start += blocks * BLOCK;
        }
        Ok(())
    }
}

/// Pairs that the lanes left open, scaled and in f64. They wait until there are enough for lanes of f64.
struct Waiting {
    pairs: Coordinates<f64>,
    /// Block, column, and the inverse of the scale.
    of: [(usize, usize, f64); BLOCK],
    number: usize,
}

impl Waiting {
    fn new() -> Self {
        Waiting { pairs: [[0.0; BLOCK]; 18], of: [(0, 0, 1.0); BLOCK], number: 0 }
    }

    fn add<T: Real>(&mut self, input: &Coordinates<T>, column: usize, block: usize) {
        let largest = input.iter().fold(0.0, |m, row| max(row[column].to_f64().abs(), m));
        let scale = largest.inverse_exponent();
        for (to, from) in self.pairs.iter_mut().zip(input) {
            to[self.number] = from[column].to_f64() * scale;
        }
        self.of[self.number] = (block, column, 1.0 / scale);
        self.number += 1;
    }

    /// Decides the waiting pairs: by lanes of f64, if these are more precise than the first lanes; the pairs that are still open one by one.
    #[inline(always)]
    fn settle<S: Simd, T: Accuracy>(&mut self, simd: S, outputs: &mut [Block<T>; WINDOW]) {
        if self.number > 0 {
            let open = if T::NARROW { self.lanes::<S, T>(simd, outputs) } else { u32::MAX };
            self.one_by_one(open & (u32::MAX >> (32 - self.number)), outputs);
            self.number = 0;
        }
    }

    #[inline(always)]
    fn lanes<S: Simd, T: Accuracy>(&self, simd: S, outputs: &mut [Block<T>; WINDOW]) -> u32 {
        let mut answers = Block::new();
        let mut open = 0;
        let mut at = 0;
        while at < self.number {
            let rows = load::<S::F64>(simd, &self.pairs, at);
            let [a, b] = vertices(&rows);
            let result = closest(simd, a, b);
            answers.store(at, result.distance2.sqrt(), number(simd, 1.0), &result);
            open |= result.open() << at;
            at += S::F64::LANES;
        }
        for (column, (block, to, unscale)) in self.of[..self.number].iter().enumerate() {
            outputs[*block].set(*to, &answers.answer(column), *unscale);
        }
        open
    }

    #[inline(never)]
    fn one_by_one<T: Real>(&self, mut open: u32, outputs: &mut [Block<T>; WINDOW]) {
        while open != 0 {
            let c = open.trailing_zeros() as usize;
            open &= open - 1;
            let [a, b] = column(&self.pairs, c);
            let (block, to, unscale) = self.of[c];
            outputs[block].set(to, &decide(&a, &b), unscale);
        }
    }
}

/// The work that the lanes leave, one bit per lane.
struct Fate {
    /// Lanes that may have NaN or infinite coordinates.
    suspect: u32,
    /// Lanes that must be decided with more digits.
    open: u32,
}

#[inline(always)]
fn load<L: Lane>(simd: L::Simd, input: &Coordinates<L::Scalar>, at: usize) -> [L; 18] {
    let mut rows = [number::<L>(simd, 0.0); 18];
    for (to, row) in rows.iter_mut().zip(input) {
        *to = L::load(simd, row, at);
    }
    rows
}

#[inline(always)]
fn vertices<L: Lane>(rows: &[L; 18]) -> [Vertices<L>; 2] {
    let mut out = [[Vec3([rows[0]; 3]); 3]; 2];
    for (k, row) in rows.iter().enumerate() {
        out[k / 9][k % 9 / 3].0[k % 3] = *row;
    }
    out
}

/// Computes columns `at .. at + LANES` of a block.
#[inline(always)]
fn one_block<L: Lane>(simd: L::Simd, input: &Coordinates<L::Scalar>, at: usize, output: &mut Block<L::Scalar>) -> Fate
where
    L::Scalar: Accuracy,
{
    let mut rows = load::<L>(simd, input, at);
    let mut largest = number::<L>(simd, 0.0);
    for row in &rows {
        largest = row.abs().max(largest);
    }
    let scale = largest.inverse_exponent();
    for row in &mut rows {
        *row = *row * scale;
    }
    let [a, b] = vertices(&rows);
    let result = closest(simd, a, b);
    let unscale = number::<L>(simd, 1.0) / scale;
    output.store(at, result.distance2.sqrt() * unscale, unscale, &result);
    Fate { suspect: result.not_finite.bits(), open: result.open() }
}

#[cold]
fn check_finite<T: Real>(input: &Coordinates<T>, at: usize, count: usize) -> Result<()> {
    for c in 0..count {
        for (k, row) in input.iter().enumerate() {
            if !row[c].is_finite() {
                let what = if k < 9 { What::TrianglesA } else { What::TrianglesB };
                return Err(Error::new(Kind::NotFinite, what).at((at + c) as u64, (k % 9) as u32));
            }
        }
    }
    Ok(())
}

/// Closest points of all pairs of a source (P0 section 3, "comparison-based").
///
/// Distances are correct to about 1e-6 (f32) and 1e-12 (f64) of the pair's largest coordinate, and exactly 0 if and only if the triangles touch or
/// cross. Degenerate triangles count as the segments and points that they are. The bits are the same for every instruction set.
///
/// Errors: [`Kind::NotFinite`] names the pair and the coordinate (vertex times 3 plus axis) of the first NaN or infinity
/// found; results of earlier blocks may have been put already.
///
/// Cost: about 1,300 lane operations for each block of as many pairs as there are lanes.
pub fn closest_points<T: Accuracy>(isa: Isa, source: &dyn Source<T>, sink: &mut dyn Sink<T>) -> Result<()> {
    T::closest_points(isa, source, sink)
}

/// See [`closest_points`].
fn run<T: Accuracy>(isa: Isa, source: &dyn Source<T>, sink: &mut dyn Sink<T>) -> Result<()> {
    dispatch(isa, Batch { source, sink })
}

impl Compiled for f32 {
    #[inline(never)]
    fn closest_points(isa: Isa, source: &dyn Source<Self>, sink: &mut dyn Sink<Self>) -> Result<()> {
        run(isa, source, sink)
    }
}

impl Compiled for f64 {
    #[inline(never)]
    fn closest_points(isa: Isa, source: &dyn Source<Self>, sink: &mut dyn Sink<Self>) -> Result<()> {
        run(isa, source, sink)
    }
}
