//! The queries behind `dem contacts`: two shapes, their pairs, distance and contacts, and how long the pairs take.

use crate::contact_list;
use dem_std::dem_core::contact::Contact;
use dem_std::dem_core::error::{Kind, Result, What};
use dem_std::dem_core::narrow::{Operand, TrianglePair, distance_scratch, min_distance, pairs, pairs_scratch};
use dem_std::dem_core::pose::Pose;
use dem_std::dem_core::simd::Isa;
use dem_std::{Memory, OwnedShape};
use std::time::{Duration, Instant};

/// Timing stops after so many samples or so much time, whatever comes first.
const SAMPLES: usize = 101;
const PATIENCE: Duration = Duration::from_millis(500);

/// More pairs than this are counted only: their list would take more than a gigabyte.
pub const LONGEST_LIST: u64 = 1 << 24;

pub struct Answer {
    /// How many there are.
    pub count: u64,
    /// The pairs, ordered by (a, b); nothing where there are more than [`LONGEST_LIST`].
    pub pairs: Vec<TrianglePair>,
    /// The closest pair of all; see [`min_distance`] for which one where several are equally close.
    pub closest: TrianglePair,
    /// What a query for the pairs takes, shapes built and memory at hand: median of repeated queries.
    pub seconds: f64,
    /// See [`contact_list::find`].
    pub contacts: Option<Vec<Contact>>,
}

/// All pairs within the halos and `margin`, the closest pair, and the contacts.
pub fn contacts(a: &OwnedShape, b: &OwnedShape, margin: f64, poses: [&Pose; 2]) -> Result<Answer> {
    let isa = Isa::best();
    let contacts = contact_list::find(a, b, poses)?;
    let a = Operand { mesh: a.mesh()?, tree: a.tree()?, pose: poses[0], scale: 1.0 };
    let b = Operand { mesh: b.mesh()?, tree: b.tree()?, pose: poses[1], scale: 1.0 };
    let mut scratch = Memory::new(distance_scratch(&a, &b)?)?;
    let closest = min_distance(isa, &a, &b, f64::INFINITY, &mut scratch)?.unwrap_or_default();
    let mut out = Vec::new();
    let mut scratch = Memory::new(pairs_scratch(&a, &b, 0)?)?;
    let query = |out: &mut [TrianglePair], scratch: &mut Memory| {
        let start = Instant::now();
        let count = match pairs(isa, &a, &b, margin, out, scratch) {
            Ok(count) => count as u64,
            // What is too small says how much would do.
            Err(e) if (e.kind, e.what) == (Kind::Capacity, What::Output) => e.needed,
            Err(e) => return Err(e),
        };
        Ok((count, start.elapsed()))
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
