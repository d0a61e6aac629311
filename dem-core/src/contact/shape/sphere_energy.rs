//! The energy over the stiffness of a sphere's contacts: the integral of the pressure over the volume through which the force acts. Minus its
//! gradient is the force.

use core::f64::consts::PI;
use glam::DVec3;

use super::sphere_pair::Round;
use super::triangle_in_ball::{NODES, Piece, seen};
use crate::real::{ln, max, min};

impl Round {
    /// Twice `halo (halo + 2 radius)`: the pressure is `(reach^2 - d^2) / (reach^2 - radius^2)`.
    fn wide(&self) -> f64 {
        2.0 * self.halo * (self.halo + 2.0 * self.radius)
    }

    /// `int (reach^2 - z^2)^2 dz`, from 0 to z.
    fn below(&self, z: f64) -> f64 {
        let square = self.reach() * self.reach();
        z * (square * square - z * z * (2.0 / 3.0 * square - 0.2 * z * z))
    }

    /// The energy over a plane at this distance from the centre. If the centre is behind the plane by `-height`, the energy includes the disc
    /// that continues to press.
    pub fn on_plane_stored(&self, height: f64) -> f64 {
        let reach = self.reach();
        if self.halo <= 0.0 || height >= reach {
            return 0.0;
        }
        let above = self.below(reach) - self.below(max(height, 0.0));
        PI * above / self.wide() + self.sunk_stored(max(-height, 0.0))
    }

    /// The energy stored by the disc of a centre inside by `depth`, since the centre entered.
    fn sunk_stored(&self, depth: f64) -> f64 {
        let square = self.reach() * self.reach();
        PI * square * depth * (square / self.wide() + 0.5 * depth / self.halo)
    }

    /// The part of this energy that the nearest feature adds, while the faces continue to press as a plane would (`on_plane`).
    pub fn left_stored(&self, depth: f64) -> f64 {
        if self.halo <= 0.0 {
            return 0.0;
        }
        self.sunk_stored(depth) - PI * self.below(min(depth, self.reach())) / self.wide()
    }

    /// The energy behind a face that belongs to that face. Corners and the piece in reach are about the centre, in units of `1 / scale`.
    pub fn behind(&self, corners: &[DVec3; 3], normal: DVec3, piece: &Piece, scale: f64) -> f64 {
        let all = piece.flux(corners, normal, self.reach() * scale);
        let per = 0.5 * self.wide() * scale * scale;
        if per > 0.0 { all / per / (scale * scale * scale) } else { 0.0 }
    }

    /// The flux out of a centre inside a surface.
    pub fn centre_stored(&self) -> f64 {
        if self.halo > 0.0 { 2.0 * PI * self.below(self.reach()) / self.wide() } else { 0.0 }
    }

    /// As [`on_plane_stored`](Self::on_plane_stored), beside a sphere of radius `large` whose surface is at this height: the force has the factor
    /// `large / (large + height)`.
    pub fn on_sphere_stored(&self, height: f64, large: f64) -> f64 {
        let (reach, from) = (self.reach(), max(height, 0.0));
        if self.halo <= 0.0 || height >= reach {
            return 0.0;
        }
        let square = reach * reach;
        let sum = if large < 0.5 * reach {
            // (reach^2 - x^2)^2 over x + large, by polynomial division.
            let (rest, c) = (square - large * large, large);
            let even = |x: f64| {
                let cubic = x * x * x * (0.25 * x - c / 3.0) + (0.5 * c * c - square) * x * x;
                cubic + c * (2.0 * square - c * c) * x
            };
            even(reach) - even(from) + rest * rest * ln((reach + c) / (from + c))
        } else {
            let step = (reach - from) / STEPS as f64;
            let at = |x: f64| {
                let q = (reach - x) * (reach + x);
                q * q / (x + large)
            };
            let panel = |k: usize| {
                let (middle, half) = (from + step * (k as f64 + 0.5), 0.5 * step);
                NODES.iter().fold(0.0, |sum, (x, w)| sum + w * (at(middle - half * x) + at(middle + half * x))) * half
            };
            (0..STEPS).fold(0.0, |sum, k| sum + panel(k))
        };
        // A point has no surface.
        let sum = if large > 0.0 { large * sum } else { 0.0 };
        PI * sum / self.wide() + self.sunk_stored(max(-height, 0.0))
    }
}

impl Piece {
    /// The flux through a face of a field whose divergence is q: `x (R^2/3 - |x|^2/5 - 2 R^5 / (15 |x|^3))`, which is 0 where the reach R ends.
    pub fn flux(&self, corners: &[DVec3; 3], normal: DVec3, reach: f64) -> f64 {
        let square = reach * reach;
        let even = 2.0 / 15.0 * square * self.area + 0.2 * self.weight;
        2.0 / 15.0 * square * square * reach * seen(corners, normal, reach) - self.height * even
    }
}

/// Panels of the rule for spheres: with the pole of the integrand at least half a reach away, its error is below 1e-12.
const STEPS: usize = 4;
