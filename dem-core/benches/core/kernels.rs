//! Kernels: closest points of triangle pairs, exactly and by the published hybrid, and of a point and a triangle.

use crate::rocks::Random;
use criterion::{Criterion, Throughput};
use dem_core::error::What;
use dem_core::published::triangle::{Answers, Hybrid, HybridAnswer, Thresholds, contacts_hybrid};
use dem_core::real::Real;
use dem_core::simd::Isa;
use dem_core::triangle::{Accuracy, Soup, Zip, closest_points, distance_point_triangle};

const PAIRS: usize = 4096;

/// Rows of triangles of about unit size, `apart` from the origin along x on average.
fn rows<T: Real>(random: &mut Random, apart: f64) -> Vec<T> {
    let number = |row: usize, random: &mut Random| random.signed() + if row.is_multiple_of(3) { apart } else { 0.0 };
    (0..9).flat_map(|row| [row; PAIRS]).map(|row| T::from_f64(number(row, random))).collect()
}

fn exact<T: Accuracy>(criterion: &mut Criterion, name: &str, apart: f64) {
    let mut random = Random(1);
    let (a, b) = (rows::<T>(&mut random, 0.0), rows::<T>(&mut random, apart));
    let [a, b] = [&a, &b].map(|rows| Soup::new(rows, PAIRS, PAIRS, What::TrianglesA).unwrap());
    let mut distances = [T::from_f64(0.0); PAIRS];
    let mut group = criterion.benchmark_group("kernels");
    group.throughput(Throughput::Elements(PAIRS as u64)).bench_function(name, |bench| {
        bench.iter(|| closest_points(Isa::best(), &Zip(a, b), &mut &mut distances[..]).unwrap());
    });
}

fn hybrid(criterion: &mut Criterion) {
    let mut random = Random(1);
    let (a, b) = (rows::<f32>(&mut random, 0.0), rows::<f32>(&mut random, 2.0));
    let [a, b] = [&a, &b].map(|rows| Soup::new(rows, PAIRS, PAIRS, What::TrianglesA).unwrap());
    let mut answers = vec![HybridAnswer::default(); PAIRS];
    let mut group = criterion.benchmark_group("kernels");
    group.throughput(Throughput::Elements(PAIRS as u64)).bench_function("hybrid, f32, near", |bench| {
        let mut run = || {
            let (source, sink) = (Zip(a, b), &mut Answers(&mut answers));
            contacts_hybrid(Isa::best(), &Hybrid::PAPER, &source, Thresholds::Same(0.1), sink).unwrap()
        };
        bench.iter(&mut run);
    });
}

fn points(criterion: &mut Criterion) {
    let mut random = Random(2);
    let input: Vec<_> = (0..PAIRS).map(|_| (random.point(), [(); 3].map(|()| random.point()))).collect();
    let mut group = criterion.benchmark_group("kernels");
    group.throughput(Throughput::Elements(PAIRS as u64)).bench_function("a point and a triangle, f64", |bench| {
        bench.iter(|| input.iter().map(|(p, t)| distance_point_triangle(*p, *t).unwrap().distance).sum::<f64>());
    });
}

pub fn run(criterion: &mut Criterion) {
    exact::<f32>(criterion, "triangle pairs, f32, near", 2.0);
    exact::<f32>(criterion, "triangle pairs, f32, crossing", 0.0);
    exact::<f64>(criterion, "triangle pairs, f64, near", 2.0);
    hybrid(criterion);
    points(criterion);
}
