//! Second moments of the pressure of a capsule on a surface, along the axis and across it. They are those on a plane through the contact,
//! over the part of the axis that is above faces.
//!
//! In the plane, x runs along the axis as seen from above, from the foot of the centre. At each x the pressure is `w^2 - y^2` across, with
//! w from a cylinder between the ends and from a ball beyond them.

use glam::DVec3;

use super::capsule::{Capsule, Sum};
use super::polygon_in_cylinder::Cylinder;
use super::sphere_pair::Round;
use super::writer::Local;
use crate::contact::spread::{Tensor, add_product};
use crate::contact::{any_across, unit};
use crate::real::{Real, max};

/// Moments along x, and of the second order across it.
#[derive(Clone, Copy, Default)]
struct Moments {
    /// Of the order 0, 1 and 2.
    pressure: [f64; 3],
    across: f64,
    /// Of the order 0 and 1.
    area: [f64; 2],
}

impl Moments {
    /// Adds what is between these x, where `w^2 = reach^2 - (start + slope x)^2`.
    fn add(&mut self, cylinder: &Cylinder, range: [f64; 2]) {
        cylinder.across(range, |x, w, part| {
            let pressure = 4.0 / 3.0 * w * w * w * part;
            for (sum, power) in self.pressure.iter_mut().zip([1.0, x, x * x]) {
                *sum += pressure * power;
            }
            self.across += 0.2 * w * w * pressure;
            self.area[0] += 2.0 * w * part;
            self.area[1] += 2.0 * w * part * x;
        });
    }
}

impl Local {
    /// With second moments of a capsule; positions are relative to its centre.
    pub fn spread_as_capsule(self, capsule: &Capsule, sum: &Sum, round: &Round) -> Self {
        if !capsule.wants.spread {
            return self;
        }
        let (normal, half, reach) = (self.normal, capsule.half, round.reach());
        let rise = capsule.axis.dot(normal);
        let flat = unit(capsule.axis - normal * rise).filter(|(_, cosine)| *cosine > 1e-9);
        let (along, cosine) = flat.unwrap_or_else(|| (any_across(normal), 0.0));
        let height = self.least_gap + round.radius + half * Real::abs(rise);
        // Where the plane is below this height along the axis; far away where it is nowhere.
        let far = 4.0 * (half + reach + Real::abs(height));
        let below = |z: f64| {
            let x = z + height * rise;
            if Real::abs(x) < far * cosine {
                x / cosine
            } else if x < 0.0 {
                -far
            } else {
                far
            }
        };
        let mut moments = Moments::default();
        let [from, to] = sum.range;
        if from <= to {
            let range = if cosine > 0.0 { [below(from), below(to)] } else { [-far, far] };
            moments.add(&Cylinder { start: cosine * height, slope: rise, reach, pole: false }, range);
        }
        let ends = [(-half, [-far, below(-half)]), (half, [below(half), far])];
        for (beyond, (end, range)) in sum.beyond.into_iter().zip(ends) {
            let up = height + rise * end;
            let square = (reach - up) * (reach + up);
            if beyond && square > 0.0 {
                let ball = Cylinder { start: -end * cosine, slope: 1.0, reach: Real::sqrt(square), pole: false };
                moments.add(&ball, range);
            }
        }
        let [weight, first, second] = moments.pressure;
        if !(weight > 0.0 && moments.area[0] > 0.0) {
            return self.spread_as_ball(capsule.wants);
        }
        // About the centre of pressure: where the contact is.
        let mean = first / weight;
        let (mut spread, other): (Tensor, DVec3) = ([0.0; 6], normal.cross(along));
        add_product(&mut spread, max(second / weight - mean * mean, 0.0), along.to_array(), along.to_array());
        add_product(&mut spread, moments.across / weight, other.to_array(), other.to_array());
        Local { spread, offset: along * (moments.area[1] / moments.area[0] - mean), ..self }
    }
}
