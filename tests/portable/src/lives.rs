//! What lives for several steps among many bodies: a grid that takes changes, a spacetree, a list with a skin, boxes around huge
//! bodies, and bounds over a time span.

use crate::bodies::cut;
use crate::{Hash, Random};
use dem_core::array::Array;
use dem_core::broad::{
    BoxCandidate, BoxTree, BoxTreeRef, BoxTreeSizes, Boxes, Candidate, Dimensions, Direction, LiveGrid, LiveGridSizes,
    Proxies, Query, Space, Sweep, box_tree_scratch, live_grid_scratch, moved, refresh, swept_pairs,
};
use dem_core::error::{Result, What};
use dem_core::exec::Serial;
use dem_core::memory::{Carve, Plan};
use dem_core::published::spacetree::{Refinement, SpaceTree, SpaceTreeRef, SpaceTreeSizes, spacetree_scratch};
use dem_core::real::exp;
use dem_core::simd::Isa;

const BODIES: usize = 300;
/// Room for pairs.
const MOST: usize = 5000;
/// The space is from 0 to this.
const WIDE: f64 = 5.0;

pub(crate) fn run(isa: Isa, mut memory: &mut [u8]) -> Result<u64> {
    let mut hash = Hash::new();
    let n = BODIES as u64;
    let mut plan = Plan::new();
    plan.add::<[f64; 3]>(n)
        .add::<[f64; 3]>(n)
        .add::<f64>(n)
        .add::<Candidate>(MOST as u64)
        .add::<Candidate>(MOST as u64);
    let layout = plan.add::<BoxCandidate>(MOST as u64).layout(What::Scratch)?;
    let mut carve = Carve::new(cut(&mut memory, layout.size), layout, What::Scratch)?;
    let (then, now, radii) = (carve.take::<[f64; 3]>(n)?, carve.take::<[f64; 3]>(n)?, carve.take::<f64>(n)?);
    let (list, left): (&mut [Candidate], &mut [Candidate]) = (carve.take(MOST as u64)?, carve.take(MOST as u64)?);
    let near: &mut [BoxCandidate] = carve.take(MOST as u64)?;
    let mut random = Random::new(32);
    for (centre, radius) in then.iter_mut().zip(&mut *radii) {
        *centre = random.point().map(|x| 0.5 * WIDE * (x + 1.0));
        *radius = 0.1 * exp(1.2 * random.signed());
    }
    for (now, then) in now.iter_mut().zip(&*then) {
        let way = random.point();
        *now = [0, 1, 2].map(|k| then[k] + 0.02 * way[k]);
    }
    let all = |centres| Proxies::new(Array::from_f64(centres), Array::from_numbers(radii));
    for periods in [[0.0; 3], [WIDE, 0.0, WIDE]] {
        let space = Space::new(Dimensions::Three, periods);
        let then = Query { bodies: all(then), space, margin: 0.1 };
        let count = live(&mut hash, isa, &then, now, list, memory)?;
        let now = Query { bodies: all(now), space, margin: 0.0 };
        let far = moved(&Serial, &then, &now, memory)?;
        hash.numbers(&[far.sum, far.farthest]);
        let kept = refresh(&Serial, &list[..count], &then, &now, left, memory)?;
        pairs(&mut hash, &left[..kept]);
        spacetree(&mut hash, &now, left, memory)?;
        sweeps(&mut hash, &then, &now, &list[..count], left, memory)?;
        boxes(&mut hash, isa, &now, near, memory)?;
    }
    Ok(hash.value())
}

fn pairs(hash: &mut Hash, found: &[Candidate]) {
    hash.word(found.len() as u64);
    for pair in found {
        hash.word(u64::from(pair.a) << 32 | u64::from(pair.b));
        pair.shift.iter().for_each(|s| hash.word(*s as u64));
    }
}

/// The pairs of then by a grid that is built for other places, then told; these stay in `list`.
fn live(
    hash: &mut Hash,
    isa: Isa,
    query: &Query<'_>,
    other: &[[f64; 3]],
    list: &mut [Candidate],
    mut memory: &mut [u8],
) -> Result<usize> {
    let sizes = LiveGridSizes { bodies: BODIES as u32, levels: 6, loose: BODIES as u32 };
    let block = cut(&mut memory, LiveGrid::layout(&sizes)?.size);
    let scratch = cut(&mut memory, live_grid_scratch(sizes.bodies, sizes.loose)?.size);
    let mut grid = LiveGrid::init(block, &sizes)?;
    let before =
        Query { bodies: Proxies { centres: Array::from_f64(&other[..BODIES - 20]), ..query.bodies }, ..*query };
    let mut radii = [0.0; BODIES - 20];
    radii.iter_mut().enumerate().for_each(|(i, r)| *r = query.bodies.radii.number(i));
    let before = Query { bodies: Proxies { radii: Array::from_numbers(&radii), ..before.bodies }, ..before };
    grid.rebuild(&Serial, &before, &[], scratch)?;
    let changed: [u32; BODIES - 20] = core::array::from_fn(|i| i as u32);
    hash.word(u64::from(grid.update(query, &changed)?.loose));
    let count = grid.pairs(&Serial, isa, query, Direction::TopDown, list, scratch)?;
    pairs(hash, &list[..count]);
    Ok(count)
}

fn spacetree(hash: &mut Hash, query: &Query<'_>, out: &mut [Candidate], mut memory: &mut [u8]) -> Result<()> {
    let sizes = SpaceTreeSizes { bodies: BODIES as u32, cells: 4000 };
    let block = cut(&mut memory, SpaceTree::layout(&sizes)?.size);
    let scratch = cut(&mut memory, spacetree_scratch(sizes.bodies, sizes.cells)?.size);
    for refinement in [Refinement::Regular, Refinement::Adaptive, Refinement::Reluctant] {
        let mut tree = SpaceTree::init(block, &sizes)?;
        tree.begin([0.0; 3], WIDE)?;
        for _ in 0..4 {
            let report = tree.update(query, refinement, scratch)?;
            hash.word(report.vertices << 32 | report.refined);
        }
        let count = SpaceTreeRef::peek(block)?.pairs(query, out)?;
        pairs(hash, &out[..count]);
    }
    Ok(())
}

fn sweeps(
    hash: &mut Hash,
    then: &Query<'_>,
    now: &Query<'_>,
    list: &[Candidate],
    out: &mut [Candidate],
    memory: &mut [u8],
) -> Result<()> {
    let sweeps: [Sweep; BODIES] = core::array::from_fn(|i| {
        let (start, middle) = (then.bodies.centres.get(i), now.bodies.centres.get(i));
        let end = [middle[1], middle[2], middle[0]];
        Sweep { start, middle, end, radius: 0.5 * then.bodies.radii.number(i), turn: 1.0 / (i % 5 + 1) as f64 }
    });
    for pair in list.iter().step_by(7) {
        let (a, b) = (&sweeps[pair.a as usize], &sweeps[pair.b as usize]);
        let approach = a.approach(b, &now.space, pair.shift);
        let (centre, radius) = a.sphere(&now.space);
        hash.numbers(&[approach.distance, approach.time, centre[0], centre[1], centre[2], radius]);
        b.sides().iter().for_each(|side| hash.numbers(side));
    }
    let count = swept_pairs(&Serial, list, &sweeps, &now.space, 0.0, out, memory)?;
    pairs(hash, &out[..count]);
    Ok(())
}

fn boxes(hash: &mut Hash, isa: Isa, query: &Query<'_>, out: &mut [BoxCandidate], mut memory: &mut [u8]) -> Result<()> {
    let mut random = Random::new(33);
    let low: [[f64; 3]; 60] = core::array::from_fn(|_| random.point().map(|x| 0.5 * WIDE * (x + 1.0)));
    let mut high = low.map(|low| {
        let side = random.point();
        [0, 1, 2].map(|k| low[k] + side[k] * side[k])
    });
    let mut low = low;
    (low[0][1], high[0][1]) = (f64::NEG_INFINITY, f64::INFINITY);
    let boxes = Boxes::new(Array::from_f64(&low), Array::from_f64(&high));
    let sizes = BoxTreeSizes { boxes: 60 };
    let block = cut(&mut memory, BoxTree::layout(&sizes)?.size);
    let scratch = cut(&mut memory, box_tree_scratch(60, BODIES as u32)?.size);
    BoxTree::init(block, &sizes)?.rebuild(&query.space, &boxes, scratch)?;
    let count = BoxTreeRef::peek(block)?.pairs(isa, &Serial, query, &boxes, out, scratch)?;
    hash.word(count as u64);
    for near in &out[..count] {
        hash.word(u64::from(near.body) << 32 | u64::from(near.huge));
        near.shift.iter().for_each(|s| hash.word(*s as u64));
    }
    Ok(())
}
