//! splitmix64 and distributions. Numbers are the same on every machine, because only `+ - * /` and square roots are used.

use crate::vector::{dot, scale};

/// Pseudo-random numbers from a seed.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The sequence of a seed.
    pub fn new(seed: u64) -> Self {
        Random(seed)
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number in [0, 1), with 53 bits.
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// A number in [low, high).
    pub fn range(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// A number in 0..n.
    pub fn below(&mut self, n: usize) -> usize {
        (self.unit() * n as f64) as usize
    }

    /// A point, uniform in the cube [-half, half)^3.
    pub fn in_cube(&mut self, half: f64) -> [f64; 3] {
        [0; 3].map(|_| self.range(-half, half))
    }

    /// A unit vector, uniform over directions.
    pub fn direction(&mut self) -> [f64; 3] {
        loop {
            let v = self.in_cube(1.0);
            let square = dot(v, v);
            if (1e-4..=1.0).contains(&square) {
                return scale(1.0 / square.sqrt(), v);
            }
        }
    }

    /// A uniform rotation as a unit quaternion `x y z w`.
    pub fn rotation(&mut self) -> [f64; 4] {
        loop {
            let q = [0; 4].map(|_| self.range(-1.0, 1.0));
            let square: f64 = q.iter().map(|x| x * x).sum();
            if (1e-4..=1.0).contains(&square) {
                return q.map(|x| x / square.sqrt());
            }
        }
    }

    /// Three weights that sum to 1, uniform over a triangle.
    pub fn barycentric(&mut self) -> [f64; 3] {
        let (mut v, mut w) = (self.unit(), self.unit());
        if v + w > 1.0 {
            (v, w) = (1.0 - v, 1.0 - w);
        }
        [1.0 - v - w, v, w]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sequence_of_seed_zero_is_the_published_one() {
        let mut random = Random::new(0);
        assert_eq!(random.bits(), 0xE220_A839_7B1D_CDAF);
        assert_eq!(random.bits(), 0x6E78_9E6A_A1B9_65F4);
    }

    #[test]
    fn directions_and_rotations_have_unit_length_and_no_preference() {
        let mut random = Random::new(7);
        let mut sum = [0.0; 3];
        for _ in 0..10_000 {
            let d = random.direction();
            assert!((dot(d, d) - 1.0).abs() < 1e-14);
            sum = crate::vector::add(sum, d);
            let q = random.rotation();
            assert!((q.iter().map(|x| x * x).sum::<f64>() - 1.0).abs() < 1e-14);
        }
        assert!(dot(sum, sum).sqrt() < 300.0, "{sum:?}");
    }
}
