//! The functional P0 (A.1), minimised by a pattern search that starts from a copy of one fine triangle, as in P0 appendix B.
//!
//! Over the corners x of the surrogate and the triangles t of the part,
//!
//! ```text
//! 1/b_size  sum |x - t|^b_size  +  a_area/2  |(x2 - x1) x (x3 - x1)|^-2
//!   +  a_inside/b_normal  sum over vertices v of t  max(0, (x - v) . N)^b_normal
//! ```
//!
//! in the units of the mesh, as printed; N is the unit normal of the surrogate. The first term alone pulls all corners to one point, so long bodies
//! get no long surrogates. That is why it is not the default.

use glam::DVec3;

use super::distance::{Target, distance2};
use super::options::Functional;
use super::points::Item;
use crate::mesh::MeshRef;
use crate::real::{Real, max};

/// The first and the last step, relative to the part.
const STEPS: [f64; 2] = [0.25, 1.0 / 1024.0];
/// The most sweeps over the nine coordinates.
const SWEEPS: usize = 60;

struct Problem<'a> {
    items: &'a [Item],
    mesh: &'a MeshRef<'a>,
    middle: DVec3,
    weights: &'a Functional,
}

/// A minimum for the triangles of a part, relative to `middle`, found with steps relative to `size`.
pub(super) fn minimise(
    items: &[Item],
    mesh: &MeshRef<'_>,
    middle: DVec3,
    size: f64,
    weights: &Functional,
) -> [DVec3; 3] {
    let problem = Problem { items, mesh, middle, weights };
    let mut x = items.first().map_or([DVec3::ZERO; 3], |item| problem.triangle(item));
    let mut sums = x.map(|corner| problem.size(corner));
    let mut value = problem.value(&x, &sums);
    let mut step = STEPS[0] * size;
    for _ in 0..SWEEPS {
        let mut gained = false;
        for k in 0..3 {
            for direction in [DVec3::X, DVec3::NEG_X, DVec3::Y, DVec3::NEG_Y, DVec3::Z, DVec3::NEG_Z] {
                let (mut moved, mut new) = (x, sums);
                moved[k] += direction * step;
                new[k] = problem.size(moved[k]);
                let trial = problem.value(&moved, &new);
                if trial < value {
                    (x, sums, value, gained) = (moved, new, trial, true);
                }
            }
        }
        if !gained {
            step *= 0.5;
        }
        if step < STEPS[1] * size {
            break;
        }
    }
    x
}

impl Problem<'_> {
    fn triangle(&self, item: &Item) -> [DVec3; 3] {
        self.mesh.triangle(item.id as usize).map(|v| DVec3::from_array(v) - self.middle)
    }

    /// Sum of the powers of distances of one corner.
    fn size(&self, corner: DVec3) -> f64 {
        let mut sum = 0.0;
        for item in self.items {
            let distance2 = distance2(&Target::new(self.triangle(item)), corner);
            sum += power_of_square(distance2, self.weights.size_exponent);
        }
        sum
    }

    fn value(&self, x: &[DVec3; 3], sizes: &[f64; 3]) -> f64 {
        let Functional { size_exponent, area, inside, normal_exponent } = *self.weights;
        let normal = (x[1] - x[0]).cross(x[2] - x[0]);
        let squared = normal.length_squared();
        let mut value = (sizes[0] + sizes[1] + sizes[2]) / f64::from(size_exponent);
        if area > 0.0 {
            value += 0.5 * area / squared;
        }
        if inside > 0.0 && squared > 0.0 {
            value +=
                inside / f64::from(normal_exponent) * self.outside(x, normal / Real::sqrt(squared), normal_exponent);
        }
        value
    }

    fn outside(&self, x: &[DVec3; 3], normal: DVec3, exponent: u32) -> f64 {
        let mut sum = 0.0;
        for item in self.items {
            for v in self.triangle(item) {
                for corner in x {
                    let height = max((*corner - v).dot(normal), 0.0);
                    sum += power_of_square(height * height, exponent);
                }
            }
        }
        sum
    }
}

/// `x` to the power of `exponent`, given `x * x`.
fn power_of_square(square: f64, exponent: u32) -> f64 {
    let mut power = if exponent % 2 == 1 { Real::sqrt(square) } else { 1.0 };
    for _ in 0..exponent / 2 {
        power *= square;
    }
    power
}
