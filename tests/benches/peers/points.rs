//! Group `points`: closest points of a mesh with signed distances, for points in random order.

use crate::clock::{Answer, Table, in_turn};
use crate::parry::{double, single};
use dem_core::array::Array;
use dem_core::narrow::{PointOnMesh, PointSide, many_points, many_points_scratch};
use dem_core::pose::Pose;
use dem_core::surrogate::Options;
use dem_std::Memory;
use dem_tests::hash::Hash;
use dem_tests::random::Random;
use dem_tests::{Triangle, data, query};

/// Points of a call.
const POINTS: usize = 20_000;
/// How far from the surface points of the narrow band are at most, relative to the mesh's longest side.
const BAND: f64 = 1e-3;

/// The whole group.
pub fn run(table: &mut Table) {
    let meshes = [("bunny", data::mesh("scenes/bunny.stl")), ("rock_20480", data::mesh("scenes/rock_a_20480.stl"))];
    for (name, soup) in meshes {
        let mut random = Random::new(1);
        let [near, box_] = [band(&mut random, &soup), anywhere(&mut random, &soup)];
        compare(table, &format!("points_band_{name}"), &soup, &near);
        compare(table, &format!("points_box_{name}"), &soup, &box_);
    }
}

/// The lowest corner of the box around a mesh, and its highest.
pub fn bounds(soup: &[Triangle]) -> [[f64; 3]; 2] {
    let corners = || soup.iter().flatten();
    let low = [0, 1, 2].map(|k| corners().map(|v| v[k]).fold(f64::INFINITY, f64::min));
    let high = [0, 1, 2].map(|k| corners().map(|v| v[k]).fold(f64::NEG_INFINITY, f64::max));
    [low, high]
}

/// Points off random places of random triangles.
fn band(random: &mut Random, soup: &[Triangle]) -> Vec<[f64; 3]> {
    let [low, high] = bounds(soup);
    let width = BAND * (0..3).map(|k| high[k] - low[k]).fold(0.0, f64::max);
    let near = |_| {
        let [a, b, c] = soup[random.below(soup.len())];
        let (mut s, mut t) = (random.unit(), random.unit());
        if s + t > 1.0 {
            (s, t) = (1.0 - s, 1.0 - t);
        }
        let (away, d) = (width * random.unit(), random.direction());
        [0, 1, 2].map(|k| a[k] + s * (b[k] - a[k]) + t * (c[k] - a[k]) + away * d[k])
    };
    (0..POINTS).map(near).collect()
}

/// Points in the box around a mesh.
pub fn anywhere(random: &mut Random, soup: &[Triangle]) -> Vec<[f64; 3]> {
    let [low, high] = bounds(soup);
    (0..POINTS).map(|_| [0, 1, 2].map(|k| random.range(low[k], high[k]))).collect()
}

/// Signed distances by a call for all points, against parry in both number types, point by point.
fn compare(table: &mut Table, name: &str, soup: &[Triangle], at: &[[f64; 3]]) {
    let shape = query::shape(soup, 0.0, &Options::default());
    let operand = query::operand(&shape, &Pose::IDENTITY);
    let mut scratch = many_points_scratch(&operand).and_then(Memory::new).unwrap_or_else(|e| panic!("{e}"));
    let mut out = vec![PointOnMesh::default(); at.len()];
    let mut ours = || {
        let found = many_points(crate::isa(), &operand, Array::from_f64(at), f64::INFINITY, &mut out, &mut scratch);
        found.unwrap_or_else(|e| panic!("{e}"));
    };
    let (mesh, mut theirs) = (double::oriented(soup), vec![0.0; at.len()]);
    let times = in_turn(&mut ours, || double::project(&mesh, at, &mut theirs));
    let (mesh, mut rough) = (single::oriented(soup), vec![0.0; at.len()]);
    let rough = in_turn(&mut ours, || single::project(&mesh, at, &mut rough));

    let [low, high] = bounds(soup);
    let size = (0..3).map(|k| high[k] - low[k]).fold(0.0, f64::max);
    let agrees = |(got, theirs): (&PointOnMesh, &f64)| (got.signed_distance - theirs).abs() <= 1e-9 * size;
    table.check(name, out.iter().zip(&theirs).filter(|x| agrees(*x)).count(), at.len());
    let inside = out.iter().filter(|got| got.side == PointSide::Inside as u32).count();
    let answer = Answer { count: inside, hash: Hash::of_numbers(out.iter().map(|got| got.signed_distance)) };
    let each = 1.0 / at.len() as f64;
    table.ratio(name, times[0] * each, times[1] * each, answer);
    table.ratio(&format!("{name}_against_f32"), rough[0] * each, rough[1] * each, answer);
}
