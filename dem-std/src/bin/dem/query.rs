//! The queries of `dem contacts`: pairs, distance and contacts of two shapes, and the time that the pairs take.

use crate::contact_list;
use dem_std::dem_core::contact::Contact;
use dem_std::dem_core::error::{Kind, Result, What};
use dem_std::dem_core::narrow::{Operand, TrianglePair, distance_scratch, min_distance, pairs, pairs_scratch};
use dem_std::dem_core::pose::Pose;
use dem_std::dem_core::simd::Isa;
use dem_std::{Memory, OwnedShape};
use std::time::{Duration, Instant};

/// Timing stops after this many samples, or after this much time (`SECONDS`), whichever comes first.
const SAMPLES: usize = 101;
const PATIENCE: Duration = Duration::from_millis(500);

/// If there are more pairs than this, they are only counted: their list would take more than a gigabyte.
pub const LONGEST_LIST: u64 = 1 << 24;

pub struct Answer {
    /// Number of pairs.
    pub count: u64,
    /// The pairs, ordered by (a, b); empty if there are more than [`LONGEST_LIST`].
    pub pairs: Vec<TrianglePair>,
    /// The closest pair; [`min_distance`] defines which one, if several are equally close.
    pub closest: TrianglePair,
    /// Time of a query for the pairs, without building shapes and allocating memory: median of repeated queries.
    pub seconds: f64,
    /// See [`contact_list::find`].
    pub contacts: Option<Vec<Contact>>,
}

/// Number of pairs within the halos and `margin`.
pub fn count(a: &OwnedShape, b: &OwnedShape, margin: f64, poses: [&Pose; 2]) -> Result<u64> {
    let (a, b) = (operand(a, poses[0])?, operand(b, poses[1])?);
    let mut scratch = Memory::new(pairs_scratch(&a, &b, 0)?)?;
    number(pairs(Isa::best(), &a, &b, margin, &mut [], &mut scratch))
}

/// The number of results, also from a capacity error.
fn number(found: Result<usize>) -> Result<u64> {
    match found {
        Err(e) if (e.kind, e.what) == (Kind::Capacity, What::Output) => Ok(e.needed),
        found => found.map(|count| count as u64),
    }
}

fn operand<'s>(shape: &'s OwnedShape, pose: &'s Pose) -> Result<Operand<'s>> {
    Ok(Operand { mesh: shape.mesh()?, tree: shape.tree()?, pose, scale: 1.0 })
}

/// All pairs within the halos and `margin`, the closest pair, and the contacts, of solids or surfaces.
pub fn contacts(a: &OwnedShape, b: &OwnedShape, margin: f64, poses: [&Pose; 2], solid: bool) -> Result<Answer> {
    let isa = Isa::best();
    let contacts = contact_list::find(a, b, poses, solid)?;
    let (a, b) = (operand(a, poses[0])?, operand(b, poses[1])?);
    let mut scratch = Memory::new(distance_scratch(&a, &b)?)?;
    let closest = min_distance(isa, &a, &b, f64::INFINITY, &mut scratch)?.unwrap_or_default();
    let mut out = Vec::new();
    let mut scratch = Memory::new(pairs_scratch(&a, &b, 0)?)?;
    let query = |out: &mut [TrianglePair], scratch: &mut Memory| {
        let start = Instant::now();
        Ok((number(pairs(isa, &a, &b, margin, out, scratch))?, start.elapsed()))
    };
    let (count, once) = query(&mut out, &mut scratch)?;
    if count > LONGEST_LIST {
        return Ok(Answer { count, pairs: out, closest, seconds: once.as_secs_f64(), contacts });
    }
    out.resize(count as usize, TrianglePair::default());
    let mut scratch = Memory::new(pairs_scratch(&a, &b, out.len())?)?;
    let mut samples = Vec::with_capacity(SAMPLES);
    let begin = Instant::now();
    while samples.is_empty() || (samples.len() < SAMPLES && begin.elapsed() < PATIENCE) {
        samples.push(query(&mut out, &mut scratch)?.1);
    }
    samples.sort();
    let seconds = samples.get(samples.len() / 2).map_or(0.0, Duration::as_secs_f64);
    Ok(Answer { count, pairs: out, closest, seconds, contacts })
}
