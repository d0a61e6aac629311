//! Sheets, to which another body may come from behind. A pose does not tell such a body from one that has sunk in from the front.

use super::super::unit;
use super::depth_limits::border_area;
use super::intersection_curve::Surround;
use super::loops::BEHIND;
use super::perturbed_mesh::Body;
use crate::contact::cells::ONE_WAY;

/// Whether the area vectors of a mesh add up to at least half of its area, as those of terrain do, and not those of a body with a hole.
fn looks_one_way(body: &Body<'_>) -> bool {
    let (length, [area, _]) = (body.unit_length(), body.cells.surface.first().copied().unwrap_or_default());
    unit(border_area(body)).is_some_and(|(_, open)| open >= ONE_WAY * (area * length * length))
}

impl Surround<'_, '_> {
    /// Marks the parts that are more than half of a closed body, if the other body is a sheet, which looks about one way. `may_be` tells which body
    /// may be one. Cost: none without open meshes; a pass over the sheet's border if there is such a part.
    pub fn doubt_behind(&mut self, list: &[u32], may_be: [bool; 2]) {
        for side in (0..2).filter(|side| may_be[1 - side]) {
            let body = self.bodies[side];
            if !body.cells.is_closed() || body.cells.looks_inward() {
                continue;
            }
            let (length, [_, volume]) = (body.unit_length(), body.cells.surface.first().copied().unwrap_or_default());
            let (half, mut one_way) = (0.5 * volume * length * length * length, None);
            for part in list.chunk_by(|i, j| self.whole.find(*i) == self.whole.find(*j)) {
                let Some(root) = part.first().map(|i| self.root(*i)).filter(|_| self.part(part).volume() > half) else {
                    continue;
                };
                if *one_way.get_or_insert_with(|| looks_one_way(&self.bodies[1 - side])) {
                    self.loops.get_mut(root as usize).into_iter().for_each(|whole| whole.unsure |= BEHIND);
                }
            }
        }
    }
}
