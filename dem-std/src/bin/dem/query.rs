//! The query behind `dem contacts`: two shapes, their pairs and their distance, and how long the pairs take.

use dem_std::dem_core::error::{Kind, Result, What};
use dem_std::dem_core::mesh::Halo;
use dem_std::dem_core::narrow::{Operand, TrianglePair, distance_scratch, min_distance, pairs, pairs_scratch};
use dem_std::dem_core::pose::Pose;
use dem_std::dem_core::simd::Isa;
use dem_std::dem_core::surrogate::Options;
use dem_std::{Memory, OwnedShape, Triangles};
use std::time::{Duration, Instant};

/// Timing stops after so many samples or so much time, whatever comes first.
const SAMPLES: usize = 101;
const PATIENCE: Duration = Duration::from_millis(500);

pub struct Answer {
    /// Ordered by (a, b).
    pub pairs: Vec<TrianglePair>,
    /// The closest pair of all; see [`min_distance`] for which one where several are equally close.
    pub closest: TrianglePair,
    /// What a query for the pairs takes, shapes built and memory at hand: median of repeated queries.
    pub seconds: f64,
}

/// A shape for queries: halos of the same size all over.
pub fn shape(triangles: &Triangles, halo: f64) -> Result<OwnedShape> {
    OwnedShape::new(triangles, triangles.scalar(), Halo::Uniform(halo), &Options::default())
}

/// All pairs within both halos and `margin`, and the closest pair.
pub fn contacts(a: &OwnedShape, b: &OwnedShape, margin: f64, poses: [&Pose; 2]) -> Result<Answer> {
    let isa = Isa::best();
    let a = Operand { mesh: a.mesh()?, tree: a.tree()?, pose: poses[0] };
    let b = Operand { mesh: b.mesh()?, tree: b.tree()?, pose: poses[1] };
    let mut scratch = Memory::new(distance_scratch(&a, &b)?)?;
    let closest = min_distance(isa, &a, &b, f64::INFINITY, &mut scratch)?.unwrap_or_default();
    let mut out = Vec::new();
    let mut scratch = Memory::new(pairs_scratch(&a, &b, 0)?)?;
    let found = loop {
        match pairs(isa, &a, &b, margin, &mut out, &mut scratch) {
            Ok(found) => break found,
            // What is too small says how much would do.
            Err(e) if (e.kind, e.what) == (Kind::Capacity, What::Output) => {
                out.resize(e.needed as usize, TrianglePair::default());
                scratch = Memory::new(pairs_scratch(&a, &b, out.len())?)?;
            }
            Err(e) => return Err(e),
        }
    };
    let mut samples = Vec::with_capacity(SAMPLES);
    let begin = Instant::now();
    while samples.is_empty() || (samples.len() < SAMPLES && begin.elapsed() < PATIENCE) {
        let start = Instant::now();
        pairs(isa, &a, &b, margin, &mut out, &mut scratch)?;
        samples.push(start.elapsed());
    }
    samples.sort();
    let seconds = samples.get(samples.len() / 2).map_or(0.0, Duration::as_secs_f64);
    out.truncate(found);
    Ok(Answer { pairs: out, closest, seconds })
}
