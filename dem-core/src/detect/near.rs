//! What candidates are now: by how many periods B is moved, and whether their bounds meet, where the list was made of wider ones.

use super::bounds::Spot;
use super::bulk::Bulk;
use super::planes::Plane;
use super::present::Present;
use crate::broad::{Boxes, Candidate, Query, Sphere};
use crate::error::Result;

/// The bounds of now.
#[derive(Clone, Copy)]
pub(super) struct Near<'a> {
    present: Present<'a>,
    query: Query<'a>,
    boxes: Boxes<'a>,
}

impl<'a> Near<'a> {
    pub fn new(present: Present<'a>) -> Result<Self> {
        Ok(Near { present, query: present.query(), boxes: Bulk::boxes(present.huge.bulks)? })
    }

    /// Whether the spheres of two balls meet.
    #[inline(always)]
    pub fn balls_meet(&self, [a, b]: [&Spot; 2], shift: [i16; 3]) -> bool {
        let sphere = |spot: &Spot| Sphere { centre: spot.centre, radius: spot.bound() };
        self.query.decide(&sphere(a), &sphere(b), shift)
    }

    /// Whether the spheres of two bodies meet.
    fn spheres_meet(&self, c: &Candidate, shift: [i16; 3]) -> bool {
        let sphere = |i: u32| match (self.present.centres.get(i as usize), self.present.radii.get(i as usize)) {
            (Some(centre), Some(radius)) => Some(Sphere { centre: *centre, radius: *radius }),
            _ => None,
        };
        // Numbers of bodies come from a block that may be damaged.
        matches!((sphere(c.a), sphere(c.b)), (Some(a), Some(b)) if self.query.decide(&a, &b, shift))
    }

    /// Whether the bounds of two bodies meet by which they would be found now.
    pub fn meet(&self, c: &Candidate, shift: [i16; 3]) -> bool {
        let n = self.present.centres.len();
        let (a, b) = (c.a as usize, c.b as usize);
        if a >= n || b >= n {
            return false;
        }
        let endless = self.present.endless;
        // There is a list only where all planes are known.
        let plane = |i: u32| endless.ids.binary_search(&i).ok().and_then(|k| endless.planes.get(k));
        let reached = |plane: &Plane, i: usize| plane.is_reached(&self.present.centres[i], self.present.radii[i]);
        match (plane(c.a), plane(c.b)) {
            (Some(_), Some(_)) => return true,
            (Some(plane), None) => return reached(plane, b),
            (None, Some(plane)) => return reached(plane, a),
            (None, None) => {}
        }
        let huge = self.present.huge;
        match (huge.place(c.a), huge.place(c.b)) {
            // It is the box that is moved, to where it meets the body.
            (Some(k), None) => self.boxes.reached(&self.query, b, k, shift.map(|s| s.wrapping_neg())),
            (None, Some(k)) => self.boxes.reached(&self.query, a, k, shift),
            _ => self.spheres_meet(c, shift),
        }
    }
}
