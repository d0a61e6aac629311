//! Principal moments and axes of a symmetric 3 x 3 matrix, with the same bits everywhere.

use crate::real::{Real, max};
use crate::vector::cross;

/// Off-diagonal numbers below this fraction of the trace are rounding errors of earlier sums. So aligned axes stay aligned, and those of a cube are
/// not rotated by chance.
const ROUNDING: f64 = 64.0 * f64::EPSILON;

/// More sweeps than any matrix needs: convergence is quadratic, and six are enough in practice.
const SWEEPS: usize = 16;

/// Moments in ascending order, and the axis of each as a row, by cyclic Jacobi rotations.
///
/// Signs: for the first two axes, the component of largest magnitude (the first such) is positive; the third axis is their cross product, so the
/// three are right-handed. Axes of equal moments have the order and direction of the coordinate axes, as far as the rotations did not change them.
pub(crate) fn principal(matrix: [[f64; 3]; 3]) -> ([f64; 3], [[f64; 3]; 3]) {
    let mut a = matrix;
    // The columns of the product of all rotations, stored as rows.
    let mut axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let small = ROUNDING * (0..3).fold(0.0, |sum, k| sum + Real::abs(a[k][k]));
    for _ in 0..SWEEPS {
        let largest = max(Real::abs(a[0][1]), max(Real::abs(a[1][2]), Real::abs(a[0][2])));
        if largest <= small {
            break;
        }
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            if a[p][q] != 0.0 {
                rotate(&mut a, &mut axes, p, q);
            }
        }
    }
    let mut order = [0, 1, 2];
    // A stable sort of three by comparison.
    for (i, j) in [(0, 1), (1, 2), (0, 1)] {
        if a[order[j]][order[j]] < a[order[i]][order[i]] {
            order.swap(i, j);
        }
    }
    let [x, y, _] = order.map(|k| positive(axes[k]));
    (order.map(|k| a[k][k]), [x, y, cross(x, y).map(|x| x + 0.0)])
}

/// The Jacobi rotation in the plane of p and q that makes their off-diagonal number zero.
fn rotate(a: &mut [[f64; 3]; 3], axes: &mut [[f64; 3]; 3], p: usize, q: usize) {
    let theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
    let root = Real::sqrt(theta * theta + 1.0);
    // The smaller of the two solutions of t^2 + 2 t theta = 1; zero if theta overflows.
    let t = if theta < 0.0 { -1.0 / (root - theta) } else { 1.0 / (root + theta) };
    let c = 1.0 / Real::sqrt(t * t + 1.0);
    let s = t * c;
    let r = 3 - p - q;
    let apq = a[p][q];
    a[p][p] -= t * apq;
    a[q][q] += t * apq;
    (a[p][q], a[q][p]) = (0.0, 0.0);
    let (arp, arq) = (a[r][p], a[r][q]);
    (a[r][p], a[r][q]) = (c * arp - s * arq, s * arp + c * arq);
    (a[p][r], a[q][r]) = (a[r][p], a[r][q]);
    let (x, y) = (axes[p], axes[q]);
    for k in 0..3 {
        (axes[p][k], axes[q][k]) = (c * x[k] - s * y[k], s * x[k] + c * y[k]);
    }
}

/// The direction or its opposite, without negative zeros.
fn positive(v: [f64; 3]) -> [f64; 3] {
    let largest = v.into_iter().fold(0.0, |m, x| if Real::abs(x) > Real::abs(m) { x } else { m });
    v.map(|x| if largest < 0.0 { 0.0 - x } else { x + 0.0 })
}
