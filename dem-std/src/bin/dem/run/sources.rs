//! When and where bodies of sources come, and their sizes.

use super::scene::{Sizes, SourceOf};
use super::shapes::LoadedMesh;
use crate::failure::Failure;
use dem_std::dem_core::pose::Pose;
use dem_std::random::SplitMix64;

/// Places that are tried for a body before it waits for the next frame.
const TRIES: u32 = 200;

/// Number of bodies of a source that should have come by this time.
pub fn due(of: &SourceOf, time: f64) -> u32 {
    match of.rate {
        _ if time < of.start => 0,
        None => of.count,
        Some(rate) => (((time - of.start) * rate) as u32).saturating_add(1).min(of.count),
    }
}

/// Objects that keep bodies of sources away.
pub struct Taken<'s> {
    pub balls: Vec<([f64; 3], f64)>,
    pub planes: Vec<(Pose, f64)>,
    pub meshes: Vec<(&'s LoadedMesh, Pose, f64)>,
}

pub fn free_place(
    of: &SourceOf,
    reach: f64,
    taken: &Taken<'_>,
    periods: [f64; 3],
    random: &mut SplitMix64,
) -> Result<Option<[f64; 3]>, Failure> {
    for _ in 0..TRIES {
        let mut p = [0.0; 3];
        for ((x, low), high) in p.iter_mut().zip(of.low).zip(of.high) {
            *x = low + (high - low) * random.unit();
        }
        let away = |(at, radius): &([f64; 3], f64)| {
            let mut square = 0.0;
            for ((x, y), period) in p.iter().zip(at).zip(periods) {
                let d = x - y;
                let d = if period > 0.0 { d - period * (d / period).round() } else { d };
                square += d * d;
            }
            square > (radius + reach) * (radius + reach)
        };
        let above = |(pose, halo): &(Pose, f64)| {
            let [x, y, z, w] = pose.orientation;
            let long = x * x + y * y + z * z + w * w;
            let up = [2.0 * (x * z + w * y), 2.0 * (y * z - w * x), w * w + z * z - x * x - y * y];
            let height: f64 = up.iter().zip(p.iter().zip(pose.position)).map(|(n, (x, at))| n / long * (x - at)).sum();
            height > reach + halo
        };
        if !taken.balls.iter().all(away) || !taken.planes.iter().all(above) {
            continue;
        }
        let mut clear = true;
        for (mesh, pose, scale) in &taken.meshes {
            clear = clear && mesh.is_clear(pose, *scale, p, reach)?;
        }
        if clear {
            return Ok(Some(p));
        }
    }
    Ok(None)
}

pub fn size(sizes: Sizes, seed: u64) -> f64 {
    let mut random = SplitMix64::new(SplitMix64::new(seed).next_u64());
    // The method of Box and Muller 1958, repeated until the number is within three deviations.
    let mut normal = || {
        loop {
            let (u, v) = (1.0 - random.unit(), random.unit());
            let x = libm::sqrt(-2.0 * libm::log(u)) * libm::cos(2.0 * core::f64::consts::PI * v);
            if x.abs() <= 3.0 {
                return x;
            }
        }
    };
    match sizes {
        Sizes::Uniform([low, high]) => low + (high - low) * SplitMix64::new(seed).unit(),
        Sizes::Normal([mean, deviation]) => mean + deviation * normal(),
        Sizes::Lognormal([median, spread]) => median * libm::exp(libm::log(spread) * normal()),
    }
}
