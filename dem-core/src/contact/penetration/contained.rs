//! A body completely inside a solid: no surfaces cross, but the body must be pushed out.

use glam::DVec3;

use super::super::{Side, status, unit};
use super::Enclosed;
use super::corner_inside::is_corner_inside;
use super::depth_limits::Bounds;
use super::hole_caps::{Poke, poke, poke_scratch};
use super::parts_near::PartsNear;
use super::perturbed_mesh::{Body, in_order, reach};
use crate::array::Array;
use crate::error::Result;
use crate::memory::Layout;
use crate::narrow::{
    Frame, Operand, PointOnMesh, PointSide as Where, distance_scratch, min_distance, points, points_scratch,
    winding_numbers,
};
use crate::pose::Transform;
use crate::real::{max, min};
use crate::simd::Isa;

/// Number of corners that are tested where bodies touch.
const TRIES: usize = 16;

/// Number of parts that are tested after the closest features say that they may be inside: for each, up to three passes over the other body. (Up to
/// three searches for closest features come before, for each part in the box around the other body.)
const PARTS: usize = 64;

/// Scratch for [`contained`]; none if neither body is solid.
///
/// Errors: [`Kind::TooLarge`](crate::error::Kind::TooLarge).
pub(in super::super) fn contained_scratch(a: &Side<'_>, b: &Side<'_>) -> Result<Layout> {
    if !a.solid && !b.solid {
        return Ok(Layout::EMPTY);
    }
    let (near, of_a) = (distance_scratch(&a.operand, &b.operand)?, points_scratch(&a.operand)?);
    let of_b = points_scratch(&b.operand)?;
    Ok(near.or(of_a).or(of_b).or(poke_scratch(a, b)?))
}

/// The way out for a body inside a solid, if their surfaces do not cross; they may touch. `scratch` is [`contained_scratch`].
///
/// Errors: those of [`points`] and [`min_distance`].
#[inline(never)]
pub(in super::super) fn contained(
    isa: Isa,
    a: &Side<'_>,
    b: &Side<'_>,
    frame: &Frame,
    touching: bool,
    scratch: &mut [u8],
) -> Result<Option<Enclosed>> {
    if !a.solid && !b.solid {
        return Ok(None);
    }
    let (bodies, swapped) = in_order(a, b, frame);
    let (sides, turns) = if swapped { ([b, a], [&frame.b, &frame.a]) } else { ([a, b], [&frame.a, &frame.b]) };
    let touch = touching.then_some(reach(frame) / frame.scale);
    // First looks for a body that is completely inside, then for a body with some parts inside. Parts that are not tested count if nothing is found.
    let mut unknown = None;
    for some in [false, true] {
        for inner in 0..2 {
            let (small, large) = (sides[inner], sides[1 - inner]);
            let mut search = Search {
                isa,
                small: &small.operand,
                large: &large.operand,
                turns: [turns[inner], turns[1 - inner]],
                bodies: [&bodies[inner], &bodies[1 - inner]],
                is_first: inner == 0,
                touch,
                scratch: &mut *scratch,
            };
            if !large.solid {
                continue;
            }
            let found = if some { search.part_inside()? } else { Found::or_none(search.is_inside()?) };
            if let Found::Unknown(first) = found {
                unknown = unknown.or(Some((inner, first)));
            }
            if let Found::Inside = found {
                let whole = !some && search.are_all_parts_inside(small)?;
                let pair = [bodies[inner], bodies[1 - inner]];
                let sides = ([small, large], touch.unwrap_or(0.0));
                let found = way_out(isa, pair, sides, (inner == usize::from(swapped), whole), scratch)?;
                return Ok(found.map(|part| if whole { part } else { part.doubted() }));
            }
        }
    }
    if !bodies.iter().all(|body| body.cells.is_closed())
        && let (Some(found), _) = poke(&bodies, sides.map(|side| side.solid), scratch, |_, _| false)?
    {
        return Ok(Some(through_hole(&bodies, swapped, &found)));
    }
    Ok(unknown.map(|(inner, first)| untested(&bodies, swapped, inner, first)))
}

/// A body that passes through a hole of a solid without crossing its surface. The body with the hole is pushed inward.
fn through_hole(bodies: &[Body<'_>; 2], swapped: bool, at: &Poke) -> Enclosed {
    let normal = if (at.side == 0) == swapped { at.normal } else { -at.normal };
    warning(bodies, swapped, at.triangles, (at.at, normal))
}

/// A body of which so many parts may be inside the other one that not all of them were tested. It is pushed away from the middle of that one.
fn untested(bodies: &[Body<'_>; 2], swapped: bool, inner: usize, first: u32) -> Enclosed {
    let (at, outer) = (bodies[inner].corners(first)[0], &bodies[1 - inner]);
    let away = unit(at - outer.place(outer.mesh.centre())).map_or(DVec3::X, |(way, _)| way);
    let (triangles, inner_is_a) = (if inner == 0 { [first, 0] } else { [0, first] }, inner == usize::from(swapped));
    warning(bodies, swapped, triangles, (at, if inner_is_a { away } else { -away }))
}

/// A contact of almost no area, which only warns: something is inside, at an unknown depth. `triangles` are one of each body, in their order.
fn warning(bodies: &[Body<'_>; 2], swapped: bool, [i, j]: [u32; 2], (at, normal): (DVec3, DVec3)) -> Enclosed {
    /// In canonical units. A contact without area would not be reported.
    const AREA: f64 = 1.0 / (1u64 << 60) as f64;
    let unit = bodies[0].unscale();
    let [x, y] = [bodies[0].patch(i), bodies[1].patch(j)].map(u64::from);
    let (area, centre) = (AREA * unit * unit, at * unit);
    Enclosed {
        patches: if swapped { y << 32 | x } else { x << 32 | y },
        status: status::PENETRATING | status::UNSURE,
        normal: normal.to_array(),
        area,
        halo: (bodies[0].halo(i) + bodies[1].halo(j)) * unit,
        centre: centre.to_array(),
        torque: (centre.cross(normal) * area).to_array(),
        bare: area,
        ..Enclosed::default()
    }
}

/// What a search found.
enum Found {
    Inside,
    Nothing,
    /// Nothing so far, and this part is not tested.
    Unknown(u32),
}

impl Found {
    fn or_none(inside: bool) -> Self {
        if inside { Found::Inside } else { Found::Nothing }
    }
}

/// A body that may be inside another one, whose surface it does not cross.
struct Search<'f, 'b> {
    isa: Isa,
    small: &'f Operand<'b>,
    large: &'f Operand<'b>,
    turns: [&'f Transform; 2],
    bodies: [&'f Body<'b>; 2],
    /// Whether the small body comes first.
    is_first: bool,
    /// If the bodies touch: the distance below which a point is on a surface, in the world's units.
    touch: Option<f64>,
    scratch: &'f mut [u8],
}

impl Search<'_, '_> {
    /// Whether the body is inside. Any corner decides, unless the bodies touch. If they touch, all tested corners have to be inside or on the
    /// surface, and one of them has to be inside after both bodies have moved inward.
    fn is_inside(&mut self) -> Result<bool> {
        let number = self.small.mesh.len();
        let tries = if self.touch.is_some() { min(number, TRIES) } else { 1 };
        for k in 0..tries {
            let corner = self.corner(k * number / tries, k % 3);
            if !self.may_be_inside(corner)? {
                return Ok(false);
            }
            // The closest feature suffices to show that a corner is outside. It does not show that the surface around an inside corner closes.
            if self.touch.is_none() {
                return is_around(self.large, corner);
            }
        }
        // For a surface that does not close, neither test is certain, so either is enough.
        let middle = || self.turns[0].apply(self.small.mesh.centre().map(|x| x * self.small.scale));
        Ok(self.is_moved_inside(0) || !self.bodies[1].cells.is_closed() && is_around(self.large, middle())?)
    }

    /// Whether some part of a body with several parts is inside.
    fn part_inside(&mut self) -> Result<Found> {
        let (mut near, mut tested) = (PartsNear::new(*self.bodies[0], *self.bodies[1]), 0);
        while let Some(first) = near.next(|_| false) {
            if !self.may_part_be_inside(first)? {
                continue;
            }
            tested += 1;
            if tested > PARTS {
                return Ok(Found::Unknown(first));
            }
            if self.is_part_inside(first)? {
                return Ok(Found::Inside);
            }
        }
        Ok(Found::Nothing)
    }

    /// Whether all parts of a body with several parts are inside, as far as known.
    fn are_all_parts_inside(&mut self, small: &Side<'_>) -> Result<bool> {
        for first in small.cells.parts().take(PARTS) {
            if !self.may_part_be_inside(first)? || !self.is_part_inside(first)? {
                return Ok(false);
            }
        }
        Ok(small.cells.parts().nth(PARTS).is_none())
    }

    /// False if the closest feature shows that a corner of a part's first triangle is outside.
    fn may_part_be_inside(&mut self, first: u32) -> Result<bool> {
        for k in 0..3 {
            if !self.may_be_inside(self.corner(first as usize, k))? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether all corners of the first triangle of a part are inside, if no closest feature shows that they are outside.
    fn is_part_inside(&mut self, first: u32) -> Result<bool> {
        if self.touch.is_some() && self.bodies[1].cells.is_closed() {
            return Ok(self.is_moved_inside(first));
        }
        for k in 0..3 {
            if !is_around(self.large, self.corner(first as usize, k))? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether a triangle is inside after both bodies have moved inward, the small one farther: a triangle that coincides with the other surface
    /// is then inside.
    fn is_moved_inside(&self, triangle: u32) -> bool {
        let [small, large] = Body::inner_and_outer(self.bodies.map(|body| *body));
        is_corner_inside(&large, &small, (triangle, 0), self.is_first)
    }

    /// A corner of a triangle, relative to the midpoint of both bodies.
    fn corner(&self, triangle: usize, k: usize) -> [f64; 3] {
        self.turns[0].apply(self.small.mesh.triangle(triangle)[k].map(|x| x * self.small.scale))
    }

    /// False if the closest feature shows that a point is outside.
    fn may_be_inside(&mut self, corner: [f64; 3]) -> Result<bool> {
        let large = self.large;
        let seen = self.turns[1].apply_back(corner);
        let apart = DVec3::from_array(seen) - DVec3::from_array(large.mesh.centre()) * large.scale;
        let radius = large.mesh.radius() * large.scale;
        if unit(apart).is_some_and(|(_, far)| far > radius + self.touch.unwrap_or(0.0)) {
            return Ok(false);
        }
        let (point, mut found) = ([corner], [PointOnMesh::default()]);
        points(self.isa, large, Array::from_f64(&point), f64::INFINITY, &mut found, self.scratch)?;
        let [PointOnMesh { side, doubt, distance, .. }] = found;
        // Points outside by a rounding error are on the surface.
        let on = self.touch.is_some_and(|touch| distance <= touch);
        Ok(doubt != 0 || side != Where::Outside as u32 || on)
    }
}

/// Whether the surface goes around a point.
fn is_around(large: &Operand<'_>, point: [f64; 3]) -> Result<bool> {
    let mut number = [0.0];
    winding_numbers(large, Array::from_f64(&[point]), &mut number)?;
    Ok(number[0] > 0.5)
}

/// The way out through the nearest part of the surface, until the whole body has passed the plane there.
fn way_out(
    isa: Isa,
    [inner, outer]: [Body<'_>; 2],
    ([small, large], touch): ([&Side<'_>; 2], f64),
    (inner_is_a, whole): (bool, bool),
    scratch: &mut [u8],
) -> Result<Option<Enclosed>> {
    let Some(pair) = min_distance(isa, &small.operand, &large.operand, f64::INFINITY, scratch)? else {
        return Ok(None);
    };
    let between = unit(DVec3::from_array(pair.point_b) - DVec3::from_array(pair.point_a));
    // If the bodies touch, this direction consists of rounding errors.
    let between = between.filter(|(_, far)| *far > touch);
    let normal = match between {
        // The nearest point may belong to a part outside: then the direction from the surface to that point is the way out.
        Some((way, _)) if !whole && !is_around(&large.operand, pair.point_a)? => -way,
        Some((way, _)) => way,
        // The bodies touch, or the distance underflows.
        None => Some(outer.normal(pair.b)).filter(|n| *n != DVec3::ZERO).unwrap_or(DVec3::X),
    };
    let apart = between.map_or(0.0, |(_, far)| far) / inner.unscale();
    let origin = inner.corners(pair.a)[0];
    let (mut volume, mut moment, mut shadow) = (0.0, DVec3::ZERO, 0.0);
    let (mut low, mut high) = (0.0, 0.0);
    for i in (0..inner.mesh.len() as u32).filter(|i| !inner.is_copy(*i)) {
        let [a, b, c] = inner.corners(i).map(|v| v - origin);
        let part = a.dot(b.cross(c)) * (1.0 / 6.0);
        volume += part;
        moment += (a + b + c) * (0.25 * part);
        shadow += (b - a).cross(c - a).dot(normal).abs() * 0.25;
        for x in [a, b, c].map(|v| v.dot(normal)) {
            (low, high) = (min(low, x), max(high, x));
        }
    }
    let halo = inner.halo(pair.a) + outer.halo(pair.b);
    let depth = apart + (high - low);
    // The area of a loop that has closed above the body; an open surface counts with the area of its shadow.
    let (area, centre) = match volume > 0.0 && halo + depth > 0.0 {
        true => (volume / (halo + depth), moment / volume),
        false => (shadow, DVec3::ZERO),
    };
    if depth <= 0.0 || area <= 0.0 {
        return Ok(None);
    }
    let sign = if inner_is_a { 1.0 } else { -1.0 };
    let force = if halo > 0.0 { area * (1.0 + depth / halo) } else { area };
    let (centre, unit) = (origin + centre, inner.unscale());
    let [x, y] = [inner.patch(pair.a), outer.patch(pair.b)].map(u64::from);
    let mut part = [Enclosed {
        patches: if inner_is_a { x << 32 | y } else { y << 32 | x },
        status: status::PENETRATING | status::CONTAINED,
        order: 0,
        normal: (normal * sign).to_array(),
        area: area * unit * unit,
        depth: depth * unit,
        most: depth * unit,
        halo: halo * unit,
        centre: (centre * unit).to_array(),
        torque: (centre.cross(normal) * (sign * force * unit * unit * unit)).to_array(),
        energy: 0.0,
        bare: shadow * unit * unit,
        ..Enclosed::default()
    }];
    let inward = inner.cells.looks_inward();
    if !inner.cells.is_sound() || inward {
        Bounds::new(&[inner, outer]).hold(&mut part);
    }
    for part in &mut part {
        // A body with holes or reversed triangles may have no inside; a body that looks inward encloses the space around it.
        part.status |=
            if outer.cells.is_closed() && !inward && !inner.cells.passes_through_itself() { 0 } else { status::UNSURE };
        part.restrain();
    }
    Ok(part.first().copied())
}
