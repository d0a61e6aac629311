//! Cell sizes of a hierarchical grid by every rule, of a power law and of radii at hand, and what they cost.

use crate::{Hash, Random};
use dem_core::array::Array;
use dem_core::broad::Dimensions;
use dem_core::broad::levels::{
    Direction, Entry, Measured, Model, PowerLaw, Radii, constant_ratio, expected, exponential, linear, optimal,
    optimal_exactly,
};
use dem_core::error::Result;
use dem_core::real::exp;
use dem_core::simd::Isa;

pub(crate) fn run(_isa: Isa, memory: &mut [u8]) -> Result<u64> {
    let mut hash = Hash::new();
    let law = PowerLaw::new(0.1, 30.0, -2.7)?;
    let mut random = Random::new(12);
    let radii: [f64; 300] = core::array::from_fn(|_| exp(random.signed()));
    let mut entries = [Entry::default(); 256];
    let measured = Measured::counted(Array::from_numbers(&radii), 0.01, &mut entries)?;
    for (dimensions, direction) in [(Dimensions::Three, Direction::TopDown), (Dimensions::Two, Direction::BottomUp)] {
        sizes(&mut hash, &law, &Model::packed(&law, dimensions, direction, 0.6, 0.2)?, memory)?;
        sizes(&mut hash, &measured, &Model::packed(&measured, dimensions, direction, 0.3, 0.5)?, memory)?;
    }
    Ok(hash.value())
}

fn sizes(hash: &mut Hash, radii: &impl Radii, model: &Model, scratch: &mut [u8]) -> Result<()> {
    let mut sizes = [0.0; 6];
    for rule in 0..5 {
        let mut levels = sizes.len();
        match rule {
            0 => linear(radii, &mut sizes)?,
            1 => exponential(radii, &mut sizes)?,
            2 => constant_ratio(radii, model, 1.5, &mut sizes)?,
            3 => _ = optimal_exactly(radii, model, &mut sizes, scratch)?,
            _ => levels = optimal(radii, model, &mut sizes, scratch)?.levels,
        }
        hash.numbers(&sizes[..levels]);
        let expected = expected(radii, model, &sizes[..levels])?;
        hash.numbers(&[expected.time, expected.candidates, expected.accesses]);
    }
    Ok(())
}
