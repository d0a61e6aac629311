//! Second moments of the pressure of a capsule on faces. Between its ends they are those of a cylinder on a polygon. In the plane of a face, an end is a
//! cylinder, too: the pressure is `w^2 - y^2` across, with `w^2 = disc^2 - x^2`.

use glam::DVec3;

use super::polygon_in_cylinder::{Cylinder, Strip};
use super::triangle_in_slab::{Corner, MOST};
use super::writer::Local;
use crate::contact::any_across;
use crate::contact::spread::{Tensor, Wants, add_product};
use crate::real::Real;

/// Of a part of a face; x is relative to the capsule's centre, q as of a [`Piece`](super::capsule::Piece).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Moments {
    /// `int x dA`
    even: DVec3,
    /// `int q x x' dA`
    second: Tensor,
}

impl Moments {
    /// Adds what is beyond an end: a polygon in a plane with this normal, in a ball about the end.
    pub fn end(&mut self, polygon: &[Corner], centre: DVec3, normal: DVec3, reach: f64) {
        let height = polygon.first().map_or(0.0, |corner| -normal.dot(corner.0 - centre));
        let square = (reach - height) * (reach + height);
        if polygon.len() < 3 || square.is_nan() || square <= 0.0 {
            return;
        }
        let along = any_across(normal);
        let axes = [along, normal.cross(along)];
        let mut flat = [[0.0; 2]; MOST];
        flat.iter_mut().zip(polygon).for_each(|(to, (at, _))| *to = axes.map(|axis| (*at - centre).dot(axis)));
        let ball = Cylinder { start: 0.0, slope: 1.0, reach: Real::sqrt(square), pole: false, spread: true };
        let strip = ball.over(flat.get(..polygon.len()).unwrap_or_default());
        self.add(&strip, axes, centre - normal * height);
    }

    /// Adds integrals over a part of a plane with these axes and this origin.
    pub fn add(&mut self, strip: &Strip, [along, across]: [DVec3; 2], origin: DVec3) {
        let Strip { area, weight, even, second, .. } = *strip;
        self.even += origin * area + along * even[0] + across * even[1];
        let first = along * strip.along + across * strip.across;
        let [along, across, first, origin] = [along, across, first, origin].map(|v| v.to_array());
        let products = [
            (weight, origin, origin),
            (2.0, origin, first),
            (second[0], along, along),
            (2.0 * second[1], along, across),
            (second[2], across, across),
        ];
        products.into_iter().for_each(|(part, u, v)| add_product(&mut self.second, part, u, v));
    }

    /// Adds those of a face, the second one times a factor.
    pub fn join(&mut self, face: &Moments, per: f64) {
        self.even += face.even;
        self.second.iter_mut().zip(face.second).for_each(|(sum, more)| *sum += per * more);
    }
}

impl Local {
    /// With these second moments, about the centre of pressure, of faces with these sums of a [`Sum`](super::capsule::Sum); where there are none, those of a ball.
    pub fn spread_over(self, moments: &Moments, [area, filled]: [f64; 2], first: DVec3) -> Self {
        if !(filled > 0.0 && area > 0.0) {
            return self.spread_as_ball(Wants { spread: true, ..Wants::default() });
        }
        let (centre, mut spread) = (first / filled, moments.second.map(|x| x / filled));
        add_product(&mut spread, -1.0, centre.to_array(), centre.to_array());
        Local { spread, offset: moments.even / area - centre, ..self }
    }
}
