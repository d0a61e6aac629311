//! The parts of two surfaces that a contact covers, and the share of its pressure at each corner of each triangle there.
//!
//! Projected along the contact's normal, the triangles of its patch pairs overlap in polygons, the same as for its corners. The pressure there is
//! `1 - gap / halo`, a linear function, so its integrals with the weights of the corners are exact.

use super::part_contacts::Listed;
use super::projected_overlap::{MOST, Point, overlap};
use super::triangle_pairs::near_pairs;
use super::{BESIDE, Body, CornerLimits, Face, Facing, Memory, Side, View, tolerance, unit};
use crate::contact::Contact;
use crate::contact::penetration::comes_first;
use crate::error::Result;
use crate::narrow::Frame;
use crate::real::{max, min};
use crate::simd::Isa;
use glam::DVec3;

/// The covered part of a pair of near triangles, one of A and one of B.
#[derive(Clone, Copy, Debug)]
pub(in crate::contact) struct Piece {
    /// The triangles, numbered in their parts.
    pub triangles: [u32; 2],
    /// For each corner of each triangle, the integral of its barycentric weight times the pressure: an area.
    pub weights: [[f64; 3]; 2],
}

/// Calls `visit` for each contact of two meshes with its index in the whole list, and with a function that enumerates its pieces in order.
/// `visit` may enumerate them several times. A contact too deep for corners has no pieces.
///
/// Errors and scratch: those of [`corners`](fn@super::corners).
pub(in crate::contact) fn cover_of(
    isa: Isa,
    a: &Side<'_>,
    b: &Side<'_>,
    contacts: &Listed<'_>,
    limits: CornerLimits,
    scratch: &mut [u8],
    visit: &mut Visit<'_>,
) -> Result<()> {
    let Memory { found, near, rest, .. } = Memory::new(scratch, &a.operand, &b.operand, limits.pairs)?;
    let frame = Frame::new(&a.operand, &b.operand)?;
    let swapped = comes_first(b, a, &frame);
    let near = near_pairs(isa, [a, b], (&frame, swapped), contacts, near, (found, rest))?;
    let (of_a, of_b) = (Body { side: a, turn: frame.a }, Body { side: b, turn: frame.b });
    let bodies = if swapped { [of_b, of_a] } else { [of_a, of_b] };
    let size = bodies[0].size() + bodies[1].size();
    let depth = contacts.depth();
    let mut groups = near.list.chunk_by(|x, y| x.contact == y.contact).peekable();
    for (place, contact) in contacts.each() {
        let group = groups.next_if(|group| group.first().is_some_and(|near| near.contact == place));
        let group = group.filter(|_| !super::is_deep(&contact)).unwrap_or_default();
        let origin = DVec3::from_array(contact.position);
        let over = Over::new(&contact, swapped, (depth, size));
        visit(place, &|put| {
            for pair in group {
                let [Some(x), Some(y)] = [bodies[0].face(pair.first, origin), bodies[1].face(pair.second, origin)]
                else {
                    continue;
                };
                let facing = Facing { faces: [x, y], sure: near.sure(pair), pair: *pair };
                over.piece(&facing, &|pair| near.is_near(pair), put);
            }
        })?;
    }
    Ok(())
}

/// Enumerates the pieces of a contact.
pub(in crate::contact) type Pieces<'p> = dyn Fn(&mut dyn FnMut(Piece)) + 'p;

/// Called for each contact.
pub(in crate::contact) type Visit<'v> = dyn FnMut(u32, &Pieces<'_>) -> Result<()> + 'v;

/// The view along the normal of a contact.
pub(in crate::contact) struct Over {
    view: View,
    swapped: bool,
    /// The range of gaps.
    range: [f64; 2],
}

impl Over {
    /// `depth`: penetration depth of both bodies; `size`: their size.
    pub fn new(contact: &Contact, swapped: bool, (depth, size): (f64, f64)) -> Self {
        let least = -BESIDE * depth - tolerance(contact.halo, size).far;
        let view = View::new(contact, if swapped { -1.0 } else { 1.0 });
        Over { view, swapped, range: [least, contact.halo] }
    }

    /// Passes the covered part of two faces to `put`, if the pair counts.
    pub fn piece(
        &self,
        Facing { faces, sure, pair }: &Facing,
        is_near: &dyn Fn(&super::triangle_pairs::Near) -> bool,
        put: &mut dyn FnMut(Piece),
    ) {
        let across = self.view.axes[2];
        let turned = |face: &Face| {
            let [a, b, c] = face.corners;
            unit((b - a).cross(c - a)).map_or(0.0, |(n, _)| turned(n.dot(across).abs()))
        };
        let facing = turned(&faces[0]) * turned(&faces[1]);
        if facing <= 0.0 {
            return;
        }
        let [x, y] = faces.each_ref().map(|face| face.corners.map(|v| self.view.seen(v)));
        let [upper, lower] = [(x, &faces[0]), (y, &faces[1])].map(|(corners, face)| Face { corners, ..*face });
        let (mut points, mut count, mut closest) = ([Point::default(); MOST], 0, f64::INFINITY);
        // Names are of no interest.
        overlap(&upper, &lower, self.range, 0.0, |point| {
            closest = min(closest, point.gap.abs());
            if let Some(to) = points.get_mut(count) {
                *to = point;
                count += 1;
            }
        });
        let points = points.get(..count).unwrap_or_default();
        if count < 3 || (closest > *sure && !is_near(pair)) {
            return;
        }
        let weights = [&x, &y].map(|corners| integrals(points, corners, self.range[1]).map(|w| w * facing));
        let (mut triangles, mut weights) = ([pair.first, pair.second], weights);
        if self.swapped {
            triangles.swap(0, 1);
            weights.swap(0, 1);
        }
        put(Piece { triangles, weights });
    }
}

/// Weight of a face with this projected part of its area: 0 at an eighth, the limit of faces for corners, and 1 from a quarter on.
fn turned(seen: f64) -> f64 {
    min(max(8.0 * seen - 1.0, 0.0), 1.0)
}

/// The integrals of the weights of a triangle's corners and the pressure over a polygon. For linear f and h over a triangle,
/// `int f h = area / 12 (sum f sum h + sum f h)`.
fn integrals(polygon: &[Point], [a, b, c]: &[DVec3; 3], halo: f64) -> [f64; 3] {
    let (e, f) = ((*b - *a).truncate(), (*c - *a).truncate());
    let twice = e.perp_dot(f);
    let weights = |at: [f64; 2]| {
        let d = glam::DVec2::from_array(at) - a.truncate();
        let (v, w) = (max(d.perp_dot(f) / twice, 0.0), max(e.perp_dot(d) / twice, 0.0));
        [max(1.0 - v - w, 0.0), v, w]
    };
    let pressure = |gap: f64| if halo > 0.0 { max(1.0 - gap / halo, 0.0) } else { 1.0 };
    let mut sums = [0.0; 3];
    let Some(first) = polygon.first() else { return sums };
    for two in polygon.get(1..).unwrap_or_default().windows(2) {
        let [p, q] = two else { continue };
        let corners = [first, p, q];
        let [u, v] = [p, q].map(|p| glam::DVec2::from_array(p.at) - glam::DVec2::from_array(first.at));
        let area = 0.5 * u.perp_dot(v).abs();
        let (pressures, weights) = (corners.map(|p| pressure(p.gap)), corners.map(|p| weights(p.at)));
        let sum: f64 = pressures.iter().sum();
        for (k, to) in sums.iter_mut().enumerate() {
            let own = weights.map(|w| w[k]);
            let product: f64 = own.iter().zip(pressures).map(|(w, p)| w * p).sum();
            *to += area / 12.0 * (sum * own.iter().sum::<f64>() + product);
        }
    }
    sums
}
