//! Group `rays`: the first point of a mesh that rays meet, from a sphere around it towards points in its box.

use crate::clock::{Answer, Table, in_turn};
use crate::parry::{double, single};
use crate::points::{anywhere, bounds};
use dem_core::pose::Pose;
use dem_core::rays::{Hit, Ray, cast_mesh};
use dem_core::surrogate::Options;
use dem_tests::hash::Hash;
use dem_tests::random::Random;
use dem_tests::{Triangle, data, query};

/// The whole group.
pub fn run(table: &mut Table) {
    let meshes = [("bunny", data::mesh("scenes/bunny.stl")), ("rock_20480", data::mesh("scenes/rock_a_20480.stl"))];
    for (name, soup) in meshes {
        compare(table, &format!("rays_{name}"), &soup);
    }
}

/// Rays of unit direction, from twice the mesh's longest side away.
fn rays(soup: &[Triangle]) -> Vec<Ray> {
    let mut random = Random::new(2);
    let [low, high] = bounds(soup);
    let away = 2.0 * (0..3).map(|k| high[k] - low[k]).fold(0.0, f64::max);
    let towards = |p: [f64; 3]| {
        let d = random.direction();
        Ray::new([0, 1, 2].map(|k| p[k] - away * d[k]), d)
    };
    anywhere(&mut Random::new(1), soup).into_iter().map(towards).collect()
}

fn compare(table: &mut Table, name: &str, soup: &[Triangle]) {
    let shape = query::shape(soup, 0.0, &Options::default());
    let operand = query::operand(&shape, &Pose::IDENTITY);
    let rays = rays(soup);
    let mut out = vec![Hit::NOTHING; rays.len()];
    let mut ours = || {
        for (ray, to) in rays.iter().zip(&mut out) {
            *to = cast_mesh(&operand, ray).unwrap_or_else(|e| panic!("{e}")).unwrap_or_default();
        }
    };
    let (mesh, mut theirs) = (double::oriented(soup), vec![0.0; rays.len()]);
    let times = in_turn(&mut ours, || double::cast(&mesh, &rays, &mut theirs));
    let (mesh, mut rough) = (single::oriented(soup), vec![0.0; rays.len()]);
    let rough = in_turn(&mut ours, || single::cast(&mesh, &rays, &mut rough));

    let agrees = |(got, theirs): (&Hit, &f64)| got.t == *theirs || (got.t - theirs).abs() <= 1e-9 * got.t;
    table.check(name, out.iter().zip(&theirs).filter(|x| agrees(*x)).count(), rays.len());
    let count = out.iter().filter(|hit| hit.is_some()).count();
    let answer = Answer { count, hash: Hash::of_numbers(out.iter().map(|hit| hit.t)) };
    let each = 1.0 / rays.len() as f64;
    table.ratio(name, times[0] * each, times[1] * each, answer);
    table.ratio(&format!("{name}_against_f32"), rough[0] * each, rough[1] * each, answer);
}
