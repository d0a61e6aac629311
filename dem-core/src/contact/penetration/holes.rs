//! Loops within one triangle: rims, and holes in the inside area of the triangle.

use core::f64::consts::PI;

use glam::DVec3;

use super::super::unit;
use super::crossing_segment::Segment;
use super::intersection_curve::Surround;
use super::loops::Loop;
use crate::mesh::NONE;
use crate::real::atan2;

impl Surround<'_, '_> {
    /// Joins loops that are holes in the inside area of one triangle to the loops around them.
    pub fn holes(&mut self, side: usize, order: &mut [u32]) {
        let Surround { bodies, segments, loops, curve, pieces, floods, .. } = self;
        let Some(order) = order.get_mut(..segments.len()) else { return };
        let triangle = |i: u32| segments.get(i as usize).map_or(NONE, |s| if side == 0 { s.x } else { s.y });
        // Usually every loop goes over several triangles; `order` marks these.
        order.fill(0);
        for i in 0..segments.len() as u32 {
            let root = curve.find(i);
            if triangle(i) != triangle(root) {
                order.get_mut(root as usize).into_iter().for_each(|several| *several = 1);
            }
        }
        if (0..).zip(order.iter()).all(|(i, several)| curve.find(i) != i || *several != 0) {
            return;
        }
        (0..).zip(order.iter_mut()).for_each(|(i, to)| *to = i);
        order.sort_unstable_by_key(|i| (triangle(*i), curve.find(*i), *i));
        for run in order.chunk_by(|i, j| triangle(*i) == triangle(*j)) {
            let at = run.first().map_or(NONE, |i| triangle(*i));
            let across = if side == 0 { bodies[0].normal(at) } else { -bodies[1].normal(at) };
            // A loop within this triangle has the inside around it if its area vector has the opposite direction.
            let own = || {
                run.chunk_by(|i, j| curve.find(*i) == curve.find(*j)).filter_map(|own| {
                    let root = curve.find(*own.first()?);
                    loops.get(root as usize).map(|of| (root, of, own, of.segments as usize == own.len()))
                })
            };
            let ends = |i: &u32| segments.get(*i as usize).map(Segment::ends);
            let is_hole = |of: &Loop| of.opens == 0 && of.area().dot(across) < 0.0;
            // A hole in the area of another loop in this triangle, such as the inner rim of a ring, belongs to the smallest loop around it. Cost:
            // holes times segments of larger loops.
            let around = |hole: &Loop, run: &[u32]| {
                // Uses the longest segment, because rims may touch at a corner.
                let longest = |[p, q]: &[DVec3; 2]| (*q - *p).length_squared();
                let [p, q] = run.iter().filter_map(ends).max_by(|x, y| longest(x).total_cmp(&longest(y)))?;
                let (at, least) = ((p + q) * 0.5, size(hole.area()));
                let rings = own().filter(|(_, of, _, alone)| *alone && of.opens == 0 && !is_hole(of));
                let rings = rings.map(|(ring, of, run, _)| (size(of.area()), ring, run));
                let rings = rings
                    .filter(|(area, _, run)| *area > least && goes_around(run.iter().filter_map(ends), at, across));
                rings.min_by(|x, y| x.0.total_cmp(&y.0)).map(|(_, ring, _)| ring)
            };
            let holes = || own().filter(|(_, of, _, alone)| *alone && is_hole(of));
            let mut first = None;
            for (hole, of, run, _) in holes() {
                match around(of, run) {
                    Some(ring) => pieces[side].join([hole, ring]),
                    None => pieces[side].join([*first.get_or_insert(hole), hole]),
                }
            }
            // For the other holes, the whole area around them is inside.
            let Some(hole) = first else { continue };
            own().filter(|(.., alone)| !alone).for_each(|(root, ..)| pieces[side].join([hole, root]));
            if !floods[side].has_crossed(at) {
                for vertex in bodies[side].mesh.welded(at as usize) {
                    floods[side].seed(vertex, at, hole, &mut pieces[side]);
                }
            }
        }
    }
}

/// Whether a closed polygon goes around a point, seen against a direction. It sums the angles of sides, so sides need not meet to the last bit.
fn goes_around(sides: impl Iterator<Item = [DVec3; 2]>, at: DVec3, across: DVec3) -> bool {
    let angle = |[p, q]: [DVec3; 2]| {
        let (p, q) = (p - at, q - at);
        let along = p.dot(q) - p.dot(across) * q.dot(across);
        atan2(p.cross(q).dot(across), along)
    };
    sides.map(angle).sum::<f64>().abs() > PI
}

fn size(area: DVec3) -> f64 {
    unit(area).map_or(0.0, |(_, size)| size)
}
