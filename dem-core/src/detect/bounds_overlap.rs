//! Whether the current bounds of listed candidates overlap. Candidates are listed with wider bounds.

use super::all_bounds::AllBounds;
use super::box_body::HugeBox;
use super::plane::Plane;
use super::sphere_bounds::Spot;
use crate::broad::{Boxes, Candidate, Query, Sphere};
use crate::error::Result;

/// The current bounds of all bodies.
#[derive(Clone, Copy)]
pub(super) struct Overlap<'a> {
    all_bounds: AllBounds<'a>,
    query: Query<'a>,
    boxes: Boxes<'a>,
}

impl<'a> Overlap<'a> {
    pub fn new(all_bounds: AllBounds<'a>) -> Result<Self> {
        Ok(Overlap { all_bounds, query: all_bounds.query(), boxes: HugeBox::boxes(all_bounds.huge.huge_boxes)? })
    }

    /// Whether the spheres of two balls meet.
    #[inline(always)]
    pub fn balls_meet(&self, [a, b]: [&Spot; 2], shift: [i16; 3]) -> bool {
        let sphere = |spot: &Spot| Sphere { centre: spot.centre, radius: spot.bound(self.all_bounds.wider) };
        self.query.decide(&sphere(a), &sphere(b), shift)
    }

    /// Whether the spheres of two bodies meet.
    fn spheres_meet(&self, c: &Candidate, shift: [i16; 3]) -> bool {
        let sphere = |i: u32| match (self.all_bounds.centres.get(i as usize), self.all_bounds.radii.get(i as usize)) {
            (Some(centre), Some(radius)) => Some(Sphere { centre: *centre, radius: *radius }),
            _ => None,
        };
        // Indices of bodies come from a block, which may be damaged.
        matches!((sphere(c.a), sphere(c.b)), (Some(a), Some(b)) if self.query.decide(&a, &b, shift))
    }

    /// Whether the bounds of two bodies meet, of the kind with which a search would find the pair now.
    pub fn meet(&self, c: &Candidate, shift: [i16; 3]) -> bool {
        let n = self.all_bounds.centres.len();
        let (a, b) = (c.a as usize, c.b as usize);
        if a >= n || b >= n {
            return false;
        }
        let endless = self.all_bounds.endless;
        // A list is only used if the planes of all unbounded bodies are known.
        let plane = |i: u32| endless.ids.binary_search(&i).ok().and_then(|k| endless.planes.get(k));
        let reached = |plane: &Plane, i: usize| plane.is_reached(&self.all_bounds.centres[i], self.all_bounds.radii[i]);
        match (plane(c.a), plane(c.b)) {
            (Some(_), Some(_)) => return true,
            (Some(plane), None) => return reached(plane, b),
            (None, Some(plane)) => return reached(plane, a),
            (None, None) => {}
        }
        let huge = self.all_bounds.huge;
        match (huge.place(c.a), huge.place(c.b)) {
            // The shift moves the box to where it meets the body.
            (Some(k), None) => self.boxes.reached(&self.query, b, k, shift.map(|s| s.wrapping_neg())),
            (None, Some(k)) => self.boxes.reached(&self.query, a, k, shift),
            _ => self.spheres_meet(c, shift),
        }
    }
}
