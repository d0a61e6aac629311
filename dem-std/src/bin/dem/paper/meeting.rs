//! Which pairs of triangles are in contact, by the exact kernel or by a hybrid.

use dem_std::dem_core::error::Result;
use dem_std::dem_core::published::triangle::{AnswerSink, Answered, Hybrid, Thresholds, contacts_hybrid};
use dem_std::dem_core::simd::Isa;
use dem_std::dem_core::triangle::{Block, Sink, Source, closest_points};

/// Thresholds of pairs.
#[derive(Clone, Copy)]
pub enum Each<'a> {
    Same(f32),
    Own(&'a [f32]),
}

impl Each<'_> {
    fn at(&self, pair: usize) -> f32 {
        match self {
            Each::Same(x) => *x,
            Each::Own(x) => x[pair],
        }
    }
}

/// The pairs of a source that are within their thresholds.
pub struct Meeting {
    /// Their indices in the source, in order.
    pub pairs: Vec<usize>,
    /// Number of pairs that the exact kernel computed.
    pub exact: u64,
}

/// Finds the pairs that are within their thresholds; without a hybrid, the exact kernel compares all of them.
pub fn meeting(isa: Isa, hybrid: Option<&Hybrid>, source: &dyn Source<f32>, each: Each<'_>) -> Result<Meeting> {
    let mut met = Met { each, pairs: Vec::new() };
    let exact = match hybrid {
        None => {
            closest_points(isa, source, &mut met)?;
            source.len() as u64
        }
        Some(hybrid) => {
            let thresholds = match each {
                Each::Same(x) => Thresholds::Same(x),
                Each::Own(x) => Thresholds::Each(x),
            };
            let exact = contacts_hybrid(isa, hybrid, source, thresholds, &mut met)?.exact;
            // Pairs of the exact kernel come out later than their neighbours.
            met.pairs.sort_unstable();
            exact
        }
    };
    Ok(Meeting { pairs: met.pairs, exact })
}

struct Met<'a> {
    each: Each<'a>,
    pairs: Vec<usize>,
}

impl Sink<f32> for Met<'_> {
    fn put(&mut self, at: usize, count: usize, block: &Block<f32>) {
        let near = (0..count).filter(|c| block.distance[*c] <= self.each.at(at + c));
        self.pairs.extend(near.map(|c| at + c));
    }
}

impl AnswerSink<f32> for Met<'_> {
    fn put(&mut self, answered: &Answered<'_, f32>) {
        let near = (0..answered.pairs.len()).filter(|c| answered.contact >> c & 1 != 0);
        self.pairs.extend(near.map(|c| answered.pairs[c]));
    }
}
