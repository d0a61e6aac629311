//! Distances of corners inside a part from the faces of the other body that are opposed to them.

use glam::DVec3;

use super::intersection_curve::Surround;
use super::perturbed_mesh::Body;
use crate::real::min;
use crate::surrogate::Visit;
use crate::triangle::distance_point_triangle;

/// A face is opposed to a corner if the cosine of the angle between its normal and the corner's outward direction is below this.
const OPPOSED: f64 = -0.5;

/// A number of items, as far as it fits.
pub(super) fn small(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

impl Surround<'_, '_> {
    /// The distance of a corner of a body from the nearest face of the other body that is opposed to it; `most` if none is nearer. Distances up to
    /// `known` need not be exact. The search looks within `guess` first, then within 4 times as much, and so on: its cost is that of what is near.
    pub fn nearest_opposed(&self, side: usize, of: [u32; 2], [known, guess, most]: [f64; 3], left: &mut u32) -> f64 {
        let mut within = if guess > 0.0 && guess < most { guess } else { most };
        loop {
            let mut nearest = f64::INFINITY;
            self.visit_opposed(side, of, within, left, |_, distance| {
                nearest = min(nearest, distance);
                if nearest > known { nearest } else { 0.0 }
            });
            if nearest < f64::INFINITY {
                return nearest;
            }
            if within < most && *left > 0 {
                within = min(4.0 * within, most);
            } else {
                return most;
            }
        }
    }

    /// Visits the faces of the other body that are opposed to a corner of a body, and nearer than `within`. `tell` gets the triangle and its
    /// distance, and returns the distance within which others are of interest. `left` is the number of triangles that searches may still visit.
    pub fn visit_opposed(
        &self,
        side: usize,
        [triangle, corner]: [u32; 2],
        within: f64,
        left: &mut u32,
        mut tell: impl FnMut(u32, f64) -> f64,
    ) {
        let [body, other] = [&self.bodies[side], &self.bodies[1 - side]];
        let Some((outwards, _)) = crate::contact::unit(body.outwards(triangle, corner as usize)) else { return };
        let unit = other.unit_length();
        let mut search = Search {
            body: other,
            at: other.place_back(body.corners(triangle)[corner as usize % 3]),
            outwards: other.own_axes(outwards),
            within: within / unit,
            left,
            tell: |triangle, distance: f64| tell(triangle, distance * unit) / unit,
        };
        other.tree.visit(&mut search);
    }
}

/// A search for the faces of a body that are opposed to a direction and near a point, in the frame of its mesh.
struct Search<'l, 'b, F> {
    body: &'l Body<'b>,
    at: [f64; 3],
    outwards: DVec3,
    within: f64,
    left: &'l mut u32,
    tell: F,
}

impl<F: FnMut(u32, f64) -> f64> Visit for Search<'_, '_, F> {
    fn enter(&mut self, corners: &[[f64; 3]; 3], halo: f64) -> bool {
        const ROUNDING: f64 = 1.0 + 1e-6;
        let [a, b, c] = corners.map(DVec3::from_array);
        let at = DVec3::from_array(self.at);
        let (apart, room) = (at.clamp(a.min(b).min(c), a.max(b).max(c)) - at, (self.within + halo) * ROUNDING);
        self.within > 0.0 && *self.left > 0 && apart.dot(apart) <= room * room
    }

    fn take(&mut self, triangle: u32) {
        *self.left = self.left.saturating_sub(1);
        let Some(prism) = self.body.cells.prism(triangle as usize).filter(|_| self.body.encloses(triangle)) else {
            return;
        };
        if DVec3::from_array(prism.normal).dot(self.outwards) < OPPOSED
            && let Ok(found) = distance_point_triangle(self.at, self.body.mesh.triangle(triangle as usize))
            && found.distance < self.within
        {
            self.within = (self.tell)(triangle, found.distance);
        }
    }
}
