//! The width of a skin with which a list lasts, from the speed of bodies.

use super::all_bounds::AllBounds;
use super::ids::Ranks;
use super::scene::KeptRef;
use crate::broad::wraps;
use crate::real::{Real, max, min};

/// The most bodies whose speed is measured.
pub(super) const SAMPLES: usize = 4096;

/// A list with a skin pays off if it is likely to last for this many steps.
pub(super) const LIFE: f64 = 8.0;

/// The skin of a list that lasts: a tenth of the smallest radius. Gives 0 if bodies have moved too far for that since the last step, and none if
/// there was no such step. A sample of the bodies is measured.
pub(super) fn lasting(all_bounds: &AllBounds<'_>, last: KeptRef<'_>, ranks: Ranks<'_>) -> Option<f64> {
    let (n, periods, poses) = (all_bounds.centres.len(), all_bounds.periods, last.poses());
    if poses.len() != n {
        return None;
    }
    let (mut way, mut smallest) = (0.0, f64::INFINITY);
    for rank in (0..n).step_by(n.div_ceil(SAMPLES).max(1)) {
        let (at, radius) = (all_bounds.bodies.positions.get(rank), all_bounds.radii[rank]);
        let was = poses.get(ranks.place(rank as u32) as usize).map_or(at, |pose| pose.position);
        for k in 0..3 {
            let d = at[k] - was[k];
            let d = if periods[k] > 0.0 { d - wraps(d, periods[k]) as f64 * periods[k] } else { d };
            way = max(way, Real::abs(d));
        }
        smallest = if radius > 0.0 { min(smallest, radius) } else { smallest };
    }
    let skin = 0.1 * smallest;
    // A list holds until a body moves by more than half of the skin.
    Some(if 2.0 * LIFE * way <= skin && skin < f64::INFINITY { skin } else { 0.0 })
}
