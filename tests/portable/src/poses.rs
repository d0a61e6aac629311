//! Quaternions of any length to rotations, and points through them.

use crate::{Hash, Random};
use dem_core::error::{Result, What};
use dem_core::pose::Pose;
use dem_core::simd::Isa;

pub(crate) fn run(_isa: Isa, _memory: &mut [u8]) -> Result<u64> {
    let mut hash = Hash::new();
    let mut random = Random::new(2);
    for _ in 0..200 {
        let pose = random_pose(&mut random);
        let transform = pose.transform(What::PoseA)?;
        let p = random.point();
        hash.numbers(&transform.apply(p));
        hash.numbers(&transform.rotate_back(p));
        transform.rows.iter().for_each(|row| hash.numbers(row));
    }
    Ok(hash.value())
}

/// Somewhere within a unit or so, turned anyhow, the quaternion far from normalised.
pub(crate) fn random_pose(random: &mut Random) -> Pose {
    let position = random.point();
    let scale = random.scale(500);
    let orientation = [0; 4].map(|_| random.signed() * scale);
    Pose { position, orientation }
}
