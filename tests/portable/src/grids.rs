//! Pairs among bodies of many sizes by a hierarchical grid: open and periodic, in two and three dimensions, from both directions.

use crate::bodies::cut;
use crate::{Hash, Random};
use dem_core::array::Array;
use dem_core::broad::{
    Candidate, Dimensions, Direction, HGrid, HGridRef, HGridSizes, Proxies, Query, Space, hgrid_scratch,
};
use dem_core::error::{Result, What};
use dem_core::exec::Serial;
use dem_core::memory::{Carve, Plan};
use dem_core::real::exp;
use dem_core::simd::Isa;

const BODIES: usize = 500;
/// Room for pairs.
const MOST: usize = 6000;
/// The space is from minus this to this.
const HALF: f64 = 3.0;

pub(crate) fn run(isa: Isa, mut memory: &mut [u8]) -> Result<u64> {
    let mut hash = Hash::new();
    let n = BODIES as u64;
    let layout = Plan::new().add::<[f64; 3]>(n).add::<f64>(n).add::<Candidate>(MOST as u64).layout(What::Scratch)?;
    let mut carve = Carve::new(cut(&mut memory, layout.size), layout, What::Scratch)?;
    let (centres, radii) = (carve.take::<[f64; 3]>(n)?, carve.take::<f64>(n)?);
    let found: &mut [Candidate] = carve.take(MOST as u64)?;
    let mut random = Random::new(31);
    for (centre, radius) in centres.iter_mut().zip(&mut *radii) {
        *centre = random.point().map(|x| HALF * x);
        *radius = 0.1 * exp(1.5 * random.signed());
    }
    let sizes = HGridSizes { bodies: BODIES as u32, levels: 6 };
    let block = cut(&mut memory, HGrid::layout(&sizes)?.size);
    let scratch = cut(&mut memory, hgrid_scratch(sizes.bodies)?.size);
    HGrid::init(block, &sizes)?;
    let bodies = Proxies::new(Array::from_f64(centres), Array::from_numbers(radii));
    for (dimensions, periods, margin) in [
        (Dimensions::Three, [0.0; 3], 0.0),
        (Dimensions::Three, [2.0 * HALF, 0.0, 2.25 * HALF], 0.1),
        (Dimensions::Two, [2.0 * HALF, 2.0 * HALF, 0.0], 0.0),
    ] {
        let query = Query { bodies, space: Space::new(dimensions, periods), margin };
        for cells in [&[][..], &[0.2, 0.4, 1.1]] {
            HGrid::open(block)?.rebuild(&Serial, &query, cells, scratch)?;
            let grid = HGridRef::peek(block)?;
            hash.word(grid.levels().len() as u64);
            grid.order().iter().for_each(|id| hash.word(u64::from(*id)));
            for direction in [Direction::TopDown, Direction::BottomUp] {
                let count = grid.pairs(&Serial, isa, &query, direction, found, scratch)?;
                hash.word(count as u64);
                for pair in &found[..count] {
                    hash.word(u64::from(pair.a) << 32 | u64::from(pair.b));
                    pair.shift.iter().for_each(|s| hash.word(*s as u64));
                }
            }
        }
    }
    Ok(hash.value())
}
