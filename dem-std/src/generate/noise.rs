//! Smooth hierarchical noise: gradient noise (Perlin 2002) on a cubic lattice, in octaves.

use crate::random::mix;
use dem_core::real::{max, min};

/// Octaves, the frequency of the first (in units of 1 / radius) and the share of height that each passes to the next, of
/// half its wavelength: the largest bumps span about the body's radius, and slopes shrink from octave to octave.
const OCTAVES: u32 = 3;
const FREQUENCY: f64 = 1.25;
const PERSISTENCE: f64 = 0.35;

/// Gradient noise on one unit lattice is at most this in absolute value (unit gradients, three dimensions): sqrt(3) / 2.
const PEAK: f64 = 0.866_025_403_784_438_6;

/// A smooth function of position with values in [0, 1], chosen by a seed.
#[derive(Clone, Copy, Debug)]
pub struct Noise {
    seed: u64,
}

impl Noise {
    /// The noise of `seed`.
    pub fn new(seed: u64) -> Self {
        Noise { seed }
    }

    /// The value at `p`. It is continuously differentiable.
    pub fn at(&self, p: [f64; 3]) -> f64 {
        let (mut sum, mut total) = (0.0, 0.0);
        let (mut frequency, mut weight) = (FREQUENCY, 1.0);
        for octave in 0..OCTAVES {
            sum += weight * self.gradient_noise(p.map(|x| x * frequency), octave);
            total += weight * PEAK;
            frequency *= 2.0;
            weight *= PERSISTENCE;
        }
        // A sum of octaves seldom comes near its bound. It is doubled, clamped and mapped by a cubic to use the whole
        // range; the cubic is flat at the ends, so the result stays smooth.
        let t = max(0.0, min(1.0, 0.5 + sum / total));
        t * t * (3.0 - 2.0 * t)
    }

    fn gradient_noise(&self, p: [f64; 3], octave: u32) -> f64 {
        let cell = p.map(floor);
        let f = [p[0] - cell[0], p[1] - cell[1], p[2] - cell[2]];
        let fade = f.map(|t| t * t * t * (t * (t * 6.0 - 15.0) + 10.0));
        let corner = |dx: u32, dy: u32, dz: u32| {
            let d = [dx as f64, dy as f64, dz as f64];
            let g = self.gradient([0, 1, 2].map(|c| (cell[c] + d[c]) as i64), octave);
            g[0] * (f[0] - d[0]) + g[1] * (f[1] - d[1]) + g[2] * (f[2] - d[2])
        };
        let mixed = |a: f64, b: f64, t: f64| a + t * (b - a);
        let along_x = |dy, dz| mixed(corner(0, dy, dz), corner(1, dy, dz), fade[0]);
        let along_y = |dz| mixed(along_x(0, dz), along_x(1, dz), fade[1]);
        mixed(along_y(0), along_y(1), fade[2])
    }

    /// One of the twelve directions to the edges of a cube, at unit length, by a hash of the lattice point.
    fn gradient(&self, lattice: [i64; 3], octave: u32) -> [f64; 3] {
        let hash = lattice.iter().fold(mix(self.seed ^ mix(octave as u64 + 1)), |h, &x| mix(h ^ mix(x as u64)));
        let r = core::f64::consts::FRAC_1_SQRT_2;
        // Multiply and shift: 0 to 11, evenly.
        let k = ((hash >> 32) * 12) >> 32;
        let (a, b) = (if k & 1 == 0 { r } else { -r }, if k & 2 == 0 { r } else { -r });
        match k >> 2 {
            0 => [a, b, 0.0],
            1 => [0.0, a, b],
            _ => [b, 0.0, a],
        }
    }
}

/// The integer below, by conversion: `as` rounds towards zero.
fn floor(x: f64) -> f64 {
    let t = x as i64 as f64;
    if t > x { t - 1.0 } else { t }
}
