//! Second moments of the pressure of a capsule on a surface, along the axis and across it. They are those on a plane through the contact,
//! over the part of the axis that is above faces.

use glam::DVec3;

use super::capsule::{Capsule, Sum};
use super::polygon_in_cylinder::each_node;
use super::sphere_pair::Round;
use super::writer::Local;
use crate::contact::spread::{Tensor, add_product};
use crate::contact::unit;
use crate::real::{Real, max, min};

use core::f64::consts::PI;

/// Moments of a weight along a line: of the order 0, 1 and 2, and of the order 2 across it.
#[derive(Clone, Copy, Default)]
struct Moments {
    sums: [f64; 3],
    across: f64,
}

impl Moments {
    fn add(&mut self, at: f64, [weight, first, second, across]: [f64; 4]) {
        let [a, b, c] = &mut self.sums;
        *a += weight;
        *b += weight * at + first;
        *c += weight * at * at + 2.0 * at * first + second;
        self.across += across;
    }
}

impl Local {
    /// With second moments of a capsule; positions are relative to its centre.
    pub fn spread_as_capsule(self, capsule: &Capsule, sum: &Sum, round: &Round) -> Self {
        if !capsule.wants.spread {
            return self;
        }
        let normal = self.normal;
        let rise = capsule.axis.dot(normal);
        let flat = unit(capsule.axis - normal * rise).filter(|(_, cosine)| *cosine > 1e-9);
        let Some((along, cosine)) = flat else { return self.spread_as_ball(capsule.wants) };
        // The height of the axis above the plane, and half of the width of what is in reach there.
        let low = self.least_gap + round.radius + capsule.half * Real::abs(rise);
        let reach = round.reach();
        let width = |z: f64| {
            let t = min(max(low + rise * z, 0.0), reach);
            Real::sqrt((reach - t) * (reach + t))
        };
        let (mut pressure, mut area) = (Moments::default(), Moments::default());
        let [from, to] = sum.range;
        if from < to {
            let (middle, half) = (0.5 * (from + to), 0.5 * (to - from));
            each_node(|node, weight| {
                let z = middle + half * node;
                let (w, part) = (width(z), half * weight * cosine);
                let cube = w * w * w;
                pressure.add(z * cosine, [4.0 / 3.0 * cube * part, 0.0, 0.0, 4.0 / 15.0 * cube * w * w * part]);
                area.add(z * cosine, [2.0 * w * part, 0.0, 0.0, 0.0]);
            });
        }
        for (beyond, side) in sum.beyond.into_iter().zip([-1.0, 1.0]) {
            if beyond {
                let (at, w) = (side * capsule.half, width(side * capsule.half));
                let square = w * w;
                let second = PI / 24.0 * square * square * square;
                let first = side * 4.0 / 15.0 * square * square * w;
                pressure.add(at * cosine, [PI / 4.0 * square * square, first, second, second]);
                area.add(at * cosine, [PI / 2.0 * square, side * 2.0 / 3.0 * square * w, 0.0, 0.0]);
            }
        }
        let [weight, ..] = pressure.sums;
        if !(weight > 0.0 && area.sums[0] > 0.0) {
            return self.spread_as_ball(capsule.wants);
        }
        // About the centre of pressure: where the contact is.
        let mean = pressure.sums[1] / weight;
        let second = max(pressure.sums[2] / weight - mean * mean, 0.0);
        let (mut spread, other): (Tensor, DVec3) = ([0.0; 6], normal.cross(along));
        add_product(&mut spread, second, along.to_array(), along.to_array());
        add_product(&mut spread, pressure.across / weight, other.to_array(), other.to_array());
        Local { spread, offset: along * (area.sums[1] / area.sums[0] - mean), ..self }
    }
}
