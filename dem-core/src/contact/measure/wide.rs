//! The second moments of the pressure of a face in a cell, and the first moment of its area, if they are requested.

use zerocopy::{FromBytes, Immutable, IntoBytes};

use super::clip::{Corners, Integrals};
use super::energy::{fan, within};
use super::face::{Moments, Waiting};
use crate::contact::spread::{Gathered, Tensor, add_product};
use crate::real::max;

/// What the second moments of the pressure of a face in a cell are.
#[derive(Clone, Copy, Debug, Default, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub(in crate::contact) struct Wide {
    /// About the centre of pressure, over the pressure.
    second: Tensor,
    /// `int x dA`, with the factor that the area has.
    even: [f64; 3],
}

impl Wide {
    /// The moments of a face with these integrals and this weight.
    pub fn of(&self, moments: &Moments, facing: f64) -> (Gathered, [f64; 3]) {
        let (weight, per) = (moments.pressure * facing, 1.0 / moments.pressure);
        let gathered =
            Gathered { weight, centre: moments.first.map(|x| x * per), second: self.second.map(|x| x * weight) };
        (gathered, self.even.map(|x| x * facing))
    }
}

impl Waiting {
    /// Second moments of what is left, whose corners these are; `gap` is that over the halo at the corners of the face.
    #[inline(never)]
    pub fn wide(&self, of: &Integrals, gap: [f64; 3], (corners, column, count): (&Corners, usize, usize)) -> Wide {
        let mean = of.first.map(|x| x / of.pressure);
        let (mut sums, mut even) = ([0.0; 3], [0.0; 2]);
        fan(corners, column, count, |area, at| {
            let p = at.map(|at| max(1.0 - max(within(gap, at), 0.0), 0.0));
            let own = [0, 1].map(|k| at.map(|at| at[k] - mean[k]));
            for (to, (i, k)) in sums.iter_mut().zip([(0, 0), (0, 1), (1, 1)]) {
                *to += area / 60.0 * product_of_three(&p, &own[i], &own[k]);
            }
            for (to, k) in even.iter_mut().zip(0..) {
                *to += area / 3.0 * at.iter().fold(0.0, |sum: f64, at| sum + at[k as usize]);
            }
            0.0
        });
        let [e, f] = self.sides;
        let [aa, ab, bb] = sums.map(|x| x / of.pressure);
        let mut second = [0.0; 6];
        add_product(&mut second, aa, e, e);
        add_product(&mut second, 2.0 * ab, e, f);
        add_product(&mut second, bb, f, f);
        let at = |k: usize| self.corner[k] * of.area + (e[k] * even[0] + f[k] * even[1]);
        Wide { second, even: [0, 1, 2].map(|k| self.weight * at(k)) }
    }
}

/// 60 times the mean of the product of three linear functions over a triangle.
fn product_of_three(f: &[f64; 3], g: &[f64; 3], h: &[f64; 3]) -> f64 {
    let [of_f, of_g, of_h] = [f, g, h].map(|x| x[0] + x[1] + x[2]);
    (0..3).fold(of_f * of_g * of_h, |sum, k| {
        sum + of_f * g[k] * h[k] + of_g * f[k] * h[k] + of_h * f[k] * g[k] + 2.0 * f[k] * g[k] * h[k]
    })
}
