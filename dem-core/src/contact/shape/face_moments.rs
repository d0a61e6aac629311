//! Second moments of the pressure of a ball or a capsule on faces, and the spread of a contact from them.

use glam::DVec3;

use super::polygon_in_cylinder::Strip;
use super::writer::Local;
use crate::contact::spread::{Tensor, Wants, add_product};

/// Moments of a part of a face; x is relative to an origin, q as in [`Piece`](super::capsule::Piece).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Moments {
    /// `int x dA`
    pub even: DVec3,
    /// `int q x x' dA`
    pub second: Tensor,
}

impl Strip {
    /// Converts to world axes; the arguments are the axes of the plane.
    pub fn moments(&self, [along, across]: [DVec3; 2]) -> Moments {
        let even = along * self.even[0] + across * self.even[1];
        let ([xx, xy, yy], [along, across]) = (self.second, [along, across].map(|v| v.to_array()));
        let mut second = [0.0; 6];
        let products = [(xx, along, along), (2.0 * xy, along, across), (yy, across, across)];
        products.into_iter().for_each(|(part, u, v)| add_product(&mut second, part, u, v));
        Moments { even, second }
    }
}

impl Moments {
    /// Adds the moments of a part with the integrals `int dA`, `int q dA` and `int q x dA` about `origin`, which is relative to this origin.
    pub fn add(&mut self, part: &Moments, [area, weight]: [f64; 2], first: DVec3, origin: DVec3) {
        self.even += origin * area + part.even;
        self.second.iter_mut().zip(part.second).for_each(|(sum, more)| *sum += more);
        let [first, origin] = [first, origin].map(|v| v.to_array());
        add_product(&mut self.second, weight, origin, origin);
        add_product(&mut self.second, 2.0, origin, first);
    }

    /// Adds the moments of a face, with a factor on the second moments.
    pub fn join(&mut self, face: &Moments, per: f64) {
        self.even += face.even;
        self.second.iter_mut().zip(face.second).for_each(|(sum, more)| *sum += per * more);
    }
}

impl Local {
    /// Sets the spread from these second moments, about the centre of pressure, of faces with the sums `int dA`, `int q dA` and `int q x dA`.
    /// Without faces, the spread is that of a ball on a plane. `per`: factor of lengths.
    pub fn spread_over(self, moments: &Moments, [area, filled]: [f64; 2], first: DVec3, per: f64) -> Self {
        if !(filled > 0.0 && area > 0.0) {
            return self.spread_as_ball(Wants { spread: true, ..Wants::default() });
        }
        let (centre, mut spread) = (first / filled, moments.second.map(|x| x / filled));
        add_product(&mut spread, -1.0, centre.to_array(), centre.to_array());
        Local { spread: spread.map(|x| x * per * per), offset: (moments.even / area - centre) * per, ..self }
    }
}
