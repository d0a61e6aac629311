//! Two parts: scratch for any pair of parts of two bodies, and two meshes in one unit.

use super::site::Site;
use super::{Placed, Shape};
use crate::error::Result;
use crate::memory::Layout;
use crate::narrow::SCALES;
use crate::pose::Pose;
use crate::real::{Real, max};

/// Scratch that is enough for any pair of parts of both bodies.
pub(super) fn for_any_parts(
    a: &Placed<'_>,
    b: &Placed<'_>,
    scratch_of: impl Fn(&Shape<'_>, &Shape<'_>) -> Result<Layout>,
) -> Result<Layout> {
    if !a.shape.is_compound() && !b.shape.is_compound() {
        return scratch_of(&a.shape, &b.shape);
    }
    let mut layout = Layout::EMPTY;
    for x in a.shape.samples() {
        for y in b.shape.samples() {
            layout = layout.or(scratch_of(&x, &y)?);
        }
    }
    Ok(layout)
}

/// The poses of two meshes, in a unit near the larger one's scale.
pub(super) struct InUnit {
    pub unit: f64,
    pub scales: [f64; 2],
    pub poses: [Pose; 2],
}

impl InUnit {
    /// `None` if one mesh is 2^500 times smaller than the other and has no area.
    pub fn of(a: &Site<'_>, b: &Site<'_>) -> Option<Self> {
        // A power of two, so digits do not change; and the same for both orders.
        let unit = 1.0 / max(a.scale, b.scale).inverse_exponent();
        let scales = [a.scale / unit, b.scale / unit];
        let seen = |pose: &Pose| Pose { position: pose.position.map(|p| p / unit), ..*pose };
        scales.iter().all(|x| SCALES.contains(x)).then(|| InUnit {
            unit,
            scales,
            poses: [seen(&a.pose), seen(&b.pose)],
        })
    }
}
