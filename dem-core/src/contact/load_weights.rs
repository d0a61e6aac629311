//! Distribution of a contact's force over the vertices of the triangles below it.

use glam::{DMat3, DVec3};

use super::any_across;
use crate::real::{Real, max};

/// Sums over the corners of all triangles that a contact covers, about the contact's position.
///
/// Each corner has a weight: its part of the pressure. It also has an even weight: a third of the weights of its triangle. Even weights act on
/// all corners of a triangle of which only one corner is covered, so the triangle's heights bound the loads.
#[derive(Clone, Copy, Default)]
pub(crate) struct Bearing {
    weight: f64,
    first: DVec3,
    second: DMat3Sum,
    even_first: DVec3,
    even_second: DMat3Sum,
    /// Largest squared distance.
    reach: f64,
}

/// A sum of symmetric matrices. Its default is zero; the default of a matrix of glam is the identity.
#[derive(Clone, Copy)]
struct DMat3Sum(DMat3);

impl Default for DMat3Sum {
    fn default() -> Self {
        DMat3Sum(DMat3::ZERO)
    }
}

impl DMat3Sum {
    fn add(&mut self, r: DVec3, weight: f64) {
        let w = r * weight;
        self.0 = DMat3::from_cols(self.0.x_axis + w * r.x, self.0.y_axis + w * r.y, self.0.z_axis + w * r.z);
    }

    /// Divided by the sum of weights, about the mean.
    fn about(&self, mean: DVec3, per: f64) -> DMat3 {
        let DMat3 { x_axis: x, y_axis: y, z_axis: z } = self.0;
        DMat3::from_cols(x * per - mean * mean.x, y * per - mean * mean.y, z * per - mean * mean.z)
    }
}

impl Bearing {
    /// Adds a triangle with its corners relative to the position of the contact.
    pub fn add(&mut self, corners: &[DVec3; 3], weights: &[f64; 3]) {
        let third = (weights[0] + weights[1] + weights[2]) / 3.0;
        for (r, w) in corners.iter().zip(weights) {
            self.weight += w;
            self.first += *r * *w;
            self.second.add(*r, *w);
            self.even_first += *r * third;
            self.even_second.add(*r, third);
            self.reach = max(self.reach, r.length_squared());
        }
    }

    /// Whether any area is covered. False also where the sums are so small or so large that a division by them would not be finite.
    pub fn is_some(&self) -> bool {
        self.weight > 0.0 && Real::is_finite(self.weight) && Real::is_finite(1.0 / self.weight)
    }

    /// How the corners share a force and a torque about the position of the contact, which has this normal.
    ///
    /// Each corner takes its weight of the force. Weights change by at most a half, so that their mean lies below the position, seen along the
    /// normal; no weight changes its sign. The height of the position, and that limit, leave a part of the torque. Even weights bear this part,
    /// as forces of a rotation about their mean.
    pub fn share(&self, normal: DVec3, force: DVec3, torque: DVec3) -> Shares {
        /// Least width of a line of corners, over its length, both squared.
        const NARROW: f64 = 1e-9;
        let per = 1.0 / self.weight;
        let (mean, even_mean) = (self.first * per, self.even_first * per);
        let (own, even) = (self.second.about(mean, per), self.even_second.about(even_mean, per));
        let u = any_across(normal);
        let v = normal.cross(u);
        let (uu, vv, uv) = (u.dot(own * u), v.dot(own * v), u.dot(own * v));
        let least = NARROW * (uu + vv);
        let (uu, vv, way) = (uu + least, vv + least, [-u.dot(mean), -v.dot(mean)]);
        let square = uu * vv - uv * uv;
        let mut tilt = DVec3::ZERO;
        if square > 0.0 {
            tilt = u * ((vv * way[0] - uv * way[1]) / square) + v * ((uu * way[1] - uv * way[0]) / square);
            let most = Real::sqrt(tilt.length_squared()) * (Real::sqrt(self.reach) + Real::sqrt(mean.length_squared()));
            tilt *= if most > 0.5 { 0.5 / most } else { 1.0 };
        }
        let arm = mean + own * tilt;
        let left = torque - arm.cross(force);
        let spread = even.x_axis.x + even.y_axis.y + even.z_axis.z;
        let inertia = DMat3::from_diagonal(DVec3::splat(spread)) - even;
        let mut turn = DVec3::ZERO;
        // A triangle without area cannot bear a torque about its own line.
        if inertia.determinant() > NARROW * NARROW * spread * spread * spread {
            let inverse = inertia.inverse();
            turn = inverse * left;
            turn += inverse * (left - inertia * turn);
        }
        Shares { per, force, mean, tilt, turn, even_mean }
    }
}

/// The linear functions by which a force and a torque are distributed.
pub(crate) struct Shares {
    per: f64,
    force: DVec3,
    mean: DVec3,
    tilt: DVec3,
    turn: DVec3,
    even_mean: DVec3,
}

impl Shares {
    /// The loads on the corners of a triangle that was added with these weights.
    pub fn of(&self, corners: &[DVec3; 3], weights: &[f64; 3]) -> [DVec3; 3] {
        let third = (weights[0] + weights[1] + weights[2]) / 3.0;
        [0, 1, 2].map(|k| {
            let own = weights[k] * self.per * (1.0 + self.tilt.dot(corners[k] - self.mean));
            self.force * own + self.turn.cross(corners[k] - self.even_mean) * (third * self.per)
        })
    }
}
