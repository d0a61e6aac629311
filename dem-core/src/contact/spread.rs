//! Second moments of the pressure in a contact: symmetric tensors, as the numbers xx, yy, zz, xy, xz, yz.
//!
//! They are kept about their own centre, and the parallel axis theorem joins two of them. So a mesh far from the origin of its frame loses no
//! precision.

use core::f64::consts::PI;

use crate::contact::Contact;
use crate::real::{Real, max, min};
use crate::vector::{cross, dot, scale, sub};

/// Optional results, which take more time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(in crate::contact) struct Wants {
    /// [`Contact::energy`].
    pub energy: bool,
    /// [`Contact::spread`] and [`Contact::offset`].
    pub spread: bool,
}

/// A symmetric tensor.
pub(crate) type Tensor = [f64; 6];

/// Rows and columns of the components.
const PLACES: [(usize, usize); 6] = [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)];

/// `sum + part (u v + v u) / 2`.
#[inline(always)]
pub(in crate::contact) fn add_product(sum: &mut Tensor, part: f64, u: [f64; 3], v: [f64; 3]) {
    for (to, (i, k)) in sum.iter_mut().zip(PLACES) {
        *to += 0.5 * part * (u[i] * v[k] + u[k] * v[i]);
    }
}

/// The product with a vector.
#[inline(always)]
pub(crate) fn times([xx, yy, zz, xy, xz, yz]: &Tensor, [x, y, z]: [f64; 3]) -> [f64; 3] {
    [xx * x + xy * y + xz * z, xy * x + yy * y + yz * z, xz * x + yz * y + zz * z]
}

/// `R t R'` times a factor.
pub(in crate::contact) fn turned(tensor: &Tensor, rows: &[[f64; 3]; 3], factor: f64) -> Tensor {
    let half = rows.map(|row| times(tensor, row));
    PLACES.map(|(i, k)| factor * dot(rows[i], half[k]))
}

/// The plane across a normal, with an orthonormal basis.
pub(crate) struct Plane {
    pub axes: [[f64; 3]; 2],
}

impl Plane {
    /// The first axis is across the smallest component of the normal.
    pub fn across(normal: [f64; 3]) -> Self {
        let [x, y, z] = normal.map(Real::abs);
        let aside = if x <= y && x <= z {
            [1.0, 0.0, 0.0]
        } else if y <= z {
            [0.0, 1.0, 0.0]
        } else {
            [0.0, 0.0, 1.0]
        };
        let u = cross(normal, aside);
        let u = scale(u, 1.0 / Real::sqrt(dot(u, u)));
        Plane { axes: [u, cross(normal, u)] }
    }

    /// The components of a vector in this plane.
    #[inline(always)]
    pub fn of(&self, v: [f64; 3]) -> [f64; 2] {
        self.axes.map(|axis| dot(axis, v))
    }

    /// The tensor with these components uu, uv and vv in this plane, and 0 along the normal.
    pub fn tensor(&self, [uu, uv, vv]: [f64; 3]) -> Tensor {
        let [u, v] = self.axes;
        let mut tensor = [0.0; 6];
        add_product(&mut tensor, uu, u, u);
        add_product(&mut tensor, 2.0 * uv, u, v);
        add_product(&mut tensor, vv, v, v);
        tensor.map(|x| x + 0.0)
    }
}

/// The tensor that is isotropic across this normal and zero along it.
pub(in crate::contact) fn across(normal: [f64; 3], size: f64) -> Tensor {
    PLACES.map(|(i, k)| size * (if i == k { 1.0 } else { 0.0 } - normal[i] * normal[k]))
}

/// The tensor of a ball's pressure, which falls with the square of the radius to 0 at the border of this area.
pub(crate) fn of_ball(normal: [f64; 3], area: f64) -> Tensor {
    across(normal, area / (6.0 * PI))
}

/// The tensor of a uniform pressure on a disc.
pub(in crate::contact) fn of_disc(normal: [f64; 3], area: f64) -> Tensor {
    across(normal, area / (4.0 * PI))
}

/// The pressure of several pieces, joined one by one.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::contact) struct Gathered {
    pub weight: f64,
    pub centre: [f64; 3],
    /// About the centre, times the weight.
    pub second: Tensor,
}

impl Gathered {
    pub const NONE: Gathered = Gathered { weight: 0.0, centre: [0.0; 3], second: [0.0; 6] };

    /// Joins another one.
    pub fn join(&mut self, other: &Gathered) {
        if !(self.weight > 0.0 && other.weight > 0.0) {
            if other.weight > 0.0 {
                *self = *other;
            }
            return;
        }
        let weight = self.weight + other.weight;
        let way = sub(other.centre, self.centre);
        for (to, x) in self.second.iter_mut().zip(other.second) {
            *to += x;
        }
        add_product(&mut self.second, self.weight * other.weight / weight, way, way);
        // Exchanging the two gives the same bits.
        self.centre = [0, 1, 2].map(|k| (self.weight * self.centre[k] + other.weight * other.centre[k]) / weight);
        self.weight = weight;
    }

    /// About another point, over the weight.
    pub fn about(&self, point: [f64; 3]) -> Tensor {
        let mut mean = [0.0; 6];
        if self.weight > 0.0 {
            mean = self.second.map(|x| x / self.weight);
            let way = sub(self.centre, point);
            add_product(&mut mean, 1.0, way, way);
        }
        mean
    }
}

/// Extent of the pressure about the normal, for torsion.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reach {
    /// Mean square of the distance from the axis.
    pub square: f64,
    /// Mean distance: the arm at which friction of the whole area acts.
    pub arm: f64,
    /// The smaller one of the two principal mean squares across the normal.
    pub least: f64,
}

impl Contact {
    /// The extent from the tensor `spread`; `None` where `spread` was not requested.
    ///
    /// The ratio of the mean distance to the root of the mean square is 1 for a ring, .943 for a disc, .937 for a square, and half the root of 3
    /// for a plank. Between these it is interpolated by the ratio of both axes, and by the part of the rectangle with these axes that the area
    /// fills. The error is within 2 % for all of them, and for a ball, whose ratio is .924.
    pub(crate) fn reach(&self) -> Option<Reach> {
        let [u, v] = Plane::across(self.normal).axes;
        let (of_u, of_v) = (times(&self.spread, u), times(&self.spread, v));
        let (uu, vv, uv) = (dot(u, of_u), dot(v, of_v), dot(u, of_v));
        let square = uu + vv;
        if square.is_nan() || square <= 0.0 {
            return None;
        }
        // Computed from differences: the root would turn a rounding error into a large difference where the axes are equal.
        let half = 0.5 * (uu - vv);
        let apart = Real::sqrt(half * half + uv * uv);
        let (most, least) = (0.5 * square + apart, max(0.5 * square - apart, 0.0));
        let slender = 1.0 - Real::sqrt(min(least / most, 1.0));
        let solid = 0.5 * Real::sqrt(3.0) + 0.072 * (1.0 - slender * slender);
        let box_of = 12.0 * Real::sqrt(most * least);
        let filled = if self.area < box_of { max(self.area, 0.0) / box_of } else { 1.0 };
        Some(Reach { square, arm: Real::sqrt(square) * (1.0 - filled * (1.0 - solid)), least })
    }
}
