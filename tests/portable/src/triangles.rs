//! Closest points of triangle pairs of every sort, of segments and points, in both precisions.

use crate::{Hash, Random};
use dem_core::error::{Result, What};
use dem_core::real::Real;
use dem_core::simd::Isa;
use dem_core::triangle::{
    Accuracy, Block, ClosestPoints, Feature, Sink, Soup, Zip, closest_points, distance_point_segment,
    distance_point_triangle, distance_segment_segment,
};

/// Not a multiple of any number of lanes.
pub(crate) const COUNT: usize = 203;

pub(crate) type Rows<T> = [[T; COUNT]; 9];

pub(crate) fn run(isa: Isa, _memory: &mut [u8]) -> Result<u64> {
    let mut hash = Hash::new();
    let mut random = Random::new(5);
    let [a, b] = rows(&mut random);
    batch(isa, &mut hash, &a, &b)?;
    batch(isa, &mut hash, &single(&a), &single(&b))?;
    for _ in 0..50 {
        let points = [0; 7].map(|_| random.point());
        elementary(&mut hash, points)?;
        elementary(&mut hash, points.map(|p| p.map(|x| x as f32)))?;
    }
    Ok(hash.value())
}

/// Pairs of every sort in columns.
pub(crate) fn rows(random: &mut Random) -> [Rows<f64>; 2] {
    let (mut a, mut b) = ([[0.0; COUNT]; 9], [[0.0; COUNT]; 9]);
    for i in 0..COUNT {
        let pair = pair(random, i);
        for k in 0..9 {
            (a[k][i], b[k][i]) = (pair[0].as_flattened()[k], pair[1].as_flattened()[k]);
        }
    }
    [a, b]
}

/// Two triangles about a unit apart or less: by turns unrelated, near, with common corners, flat, crossing, tiny, far out.
fn pair(random: &mut Random, i: usize) -> [[[f64; 3]; 3]; 2] {
    let mut triangle = |size: f64| {
        let centre = random.point();
        [0; 3].map(|_| add(centre, random.point().map(|x| x * size)))
    };
    let (a, mut b) = (triangle(0.5), triangle(0.5));
    match i % 10 {
        0 => b[1] = a[2],
        1 => (b[0], b[1]) = (a[0], a[1]),
        2 => b[2] = add(b[0], b[1]).map(|x| 0.5 * x), // a cap, or flat
        3 => b = a.map(|[x, y, z]| [x, y, z + 1e-3]),
        4 => b = [b[0], b[0], b[1]],
        5 => b[0] = add(a[0], add(a[1], a[2])).map(|x| x / 3.0),
        6 => b = a.map(|p| add(p, [1e-9, 0.0, 0.0])),
        7 => return [a, b].map(|t| t.map(|p| p.map(|x| x * 1e-12))),
        8 => return [a, b].map(|t| t.map(|p| add(p, [1e6, -3e5, 2e4]))),
        _ => {}
    }
    [a, b]
}

fn add(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

pub(crate) fn single(rows: &Rows<f64>) -> Rows<f32> {
    rows.map(|row| row.map(|x| x as f32))
}

fn batch<T: Accuracy>(isa: Isa, hash: &mut Hash, a: &Rows<T>, b: &Rows<T>) -> Result<()> {
    closest_points(isa, &Zip(soup(a)?, soup(b)?), &mut Hashing(hash))
}

pub(crate) fn soup<T: Accuracy>(rows: &Rows<T>) -> Result<Soup<'_, T>> {
    Soup::from_rows(rows.each_ref().map(|row| &row[..]), What::Triangles)
}

/// Takes results into a hash as they come, which is in their order.
struct Hashing<'a>(&'a mut Hash);

impl<T: Real> Sink<T> for Hashing<'_> {
    fn put(&mut self, _: usize, count: usize, block: &Block<T>) {
        for column in 0..count {
            let ClosestPoints { distance, point_a, point_b, weights_a, weights_b, feature_a, feature_b } =
                block.get(column);
            vector(self.0, [distance]);
            [point_a, point_b, weights_a, weights_b].into_iter().for_each(|v| vector(self.0, v));
            features(self.0, [feature_a, feature_b]);
        }
    }
}

fn elementary<T: Accuracy>(hash: &mut Hash, p: [[T; 3]; 7]) -> Result<()> {
    let near = distance_point_segment(p[0], [p[1], p[2]])?;
    vector(hash, [near.distance, near.parameter]);
    vector(hash, near.point);
    let near = distance_segment_segment([p[0], p[1]], [p[2], p[3]])?;
    vector(hash, [near.distance, near.parameter_a, near.parameter_b]);
    vector(hash, near.point_a);
    vector(hash, near.point_b);
    let near = distance_point_triangle(p[0], [p[4], p[5], p[6]])?;
    vector(hash, [near.distance]);
    vector(hash, near.point);
    vector(hash, near.weights);
    features(hash, [near.feature, near.feature]);
    Ok(())
}

fn vector<T: Real, const N: usize>(hash: &mut Hash, v: [T; N]) {
    hash.numbers(&v.map(T::to_f64));
}

fn features(hash: &mut Hash, [a, b]: [Feature; 2]) {
    hash.word((a as u64) << 8 | b as u64);
}
