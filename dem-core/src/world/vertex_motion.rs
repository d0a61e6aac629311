//! Velocities of moving vertices relative to the rigid motion of their body, for the check whether a step is short enough.

use zerocopy::{FromBytes, Immutable, IntoBytes};

use super::law_context::MovingSurfaces;
use crate::body::{Body, is_bounded};
use crate::contact::shape::Shape;
use crate::detect::Bodies;
use crate::detect::surfaces::{MovingSurface, in_list};
use crate::error::{Error, Kind, Result, What};
use crate::narrow::with_boxes;
use crate::pose::{Pose, Transform};
use crate::real::{Real, max, min};
use crate::vector::{add, dot, length, scale, sub};

/// The box of the velocities of vertices, in world axes.
#[derive(Clone, Copy, Debug, Default, PartialEq, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub(super) struct VertexMotion {
    low: [f64; 3],
    high: [f64; 3],
}

impl VertexMotion {
    /// The box of no vertex.
    const NONE: Self = VertexMotion { low: [f64::INFINITY; 3], high: [f64::NEG_INFINITY; 3] };

    pub fn is_still(&self) -> bool {
        self.low == [0.0; 3] && self.high == [0.0; 3]
    }

    pub fn middle(&self) -> [f64; 3] {
        scale(add(self.low, self.high), 0.5)
    }

    /// The largest deviation of each component from that of the middle.
    pub fn half(&self) -> [f64; 3] {
        scale(sub(self.high, self.low), 0.5)
    }

    /// Upper bound of the speed of vertices of a body with this velocity.
    pub fn most(&self, velocity: [f64; 3]) -> f64 {
        length(self.beside(add(velocity, self.middle())))
    }

    /// Upper bound of each component, for a velocity relative to the middle.
    pub fn beside(&self, relative: [f64; 3]) -> [f64; 3] {
        add(relative.map(Real::abs), self.half())
    }

    fn include(&mut self, v: [f64; 3]) {
        self.low = [0, 1, 2].map(|k| min(self.low[k], v[k]));
        self.high = [0, 1, 2].map(|k| max(self.high[k], v[k]));
    }

    /// Zero if the box is empty.
    fn or_nothing(self) -> Self {
        if self.low[0] > self.high[0] { VertexMotion::default() } else { self }
    }

    /// Includes a part of the body without moving vertices.
    fn with_rest(mut self) -> Self {
        self.include([0.0; 3]);
        self
    }

    /// For a body with two surfaces: velocities of either one, or of both together.
    fn and(self, other: Self) -> Self {
        let (own, other) = (self.with_rest(), other.with_rest());
        VertexMotion { low: add(own.low, other.low), high: add(own.high, other.high) }
    }
}

/// A body that may meet vertices, as a ball in the frame of the wall. In this step, no point of the body leaves the ball, and only vertices in
/// the ball can reach the body.
pub(super) struct Passing {
    pub centre: [f64; 3],
    pub reach: f64,
}

impl Passing {
    /// Whether a box overlaps the ball. If not, no box inside it does, whatever the rounding.
    fn meets(&self, low: [f64; 3], high: [f64; 3]) -> bool {
        let away = [0, 1, 2].map(|k| max(max(low[k] - self.centre[k], self.centre[k] - high[k]), 0.0));
        dot(away, away) <= self.reach * self.reach
    }
}

/// The velocities that vertices add to each body; an empty list if no vertices move.
///
/// Surfaces that laws reject count as 0: the poll that applies the law reports the error.
///
/// Errors: those of [`MovingSurfaces::each`]; [`Kind::OutOfRange`] for [`What::Surfaces`] if a velocity is finite and too large. Cost: a pass
/// over the vertices of all surfaces.
pub(super) fn of_bodies<'v>(
    surfaces: &dyn MovingSurfaces,
    bodies: &[Body],
    given: &Bodies<'_>,
    out: &'v mut [VertexMotion],
) -> Result<&'v [VertexMotion]> {
    let (mut some, mut place) = (false, 0);
    surfaces.each(&mut |surface| {
        if !some {
            out.fill(VertexMotion::default());
            some = true;
        }
        let i = surface.body as usize;
        if let (Some(body), Some(to)) = (bodies.get(i), out.get_mut(i)) {
            let pose = Pose { position: body.position, orientation: body.orientation };
            let own = of_surface(surface, &pose).map_err(|e| in_list(e, place))?;
            let own = if is_single(&given.shape_of(i).0) { own } else { own.with_rest() };
            *to = if to.is_still() { own } else { to.and(own) };
        }
        place += 1;
        Ok(())
    })?;
    Ok(if some { out } else { &[] })
}

/// The same for the body with index `place` at a pose, restricted to triangles that another body may meet. `single`: the body has no other part.
///
/// Errors: as for [`of_bodies`]; [`Kind::Damaged`] for [`What::Tree`]. Cost: logarithmic in the number of triangles, plus some tens of
/// nanoseconds for each one that is near.
pub(super) fn near(
    surfaces: &dyn MovingSurfaces,
    place: usize,
    pose: &Pose,
    single: bool,
    passing: &Passing,
) -> Result<VertexMotion> {
    let mut sum = VertexMotion::default();
    surfaces.each(&mut |surface| {
        if surface.body as usize == place {
            let own = of_near_part(surface, pose, passing)?;
            let own = if single { own } else { own.with_rest() };
            sum = if sum.is_still() { own } else { sum.and(own) };
        }
        Ok(())
    })?;
    Ok(sum)
}

/// Whether a shape has no parts besides a mesh with moving vertices.
pub(super) fn is_single(shape: &Shape<'_>) -> bool {
    !matches!(shape, Shape::Compound(parts) if parts.len() > 1)
}

/// The transform of a surface's mesh; none for surfaces that laws reject.
fn frame(surface: &MovingSurface<'_>, pose: &Pose) -> Option<Transform> {
    let (mesh, factor) = (&surface.mesh, surface.scale);
    let complete = surface.velocities.len() == mesh.weld.len() && surface.tree.sizes.triangles as usize == mesh.len();
    let right = complete && factor > 0.0 && is_bounded(&[factor]);
    if right { surface.placed_at(pose).and_then(|pose| pose.transform(What::Pose)).ok() } else { None }
}

/// All vertices of one surface of a body at this pose.
fn of_surface(surface: &MovingSurface<'_>, pose: &Pose) -> Result<VertexMotion> {
    let Some(frame) = frame(surface, pose) else { return Ok(VertexMotion::default()) };
    let mut found = VertexMotion::NONE;
    for i in 0..surface.velocities.len() {
        let v = surface.velocities.get(i);
        if !v.iter().all(|x| x.is_finite()) {
            return Ok(VertexMotion::default());
        }
        let v = frame.rotate(scale(v, surface.scale));
        if !is_bounded(&v) {
            return Err(Error::new(Kind::OutOfRange, What::Surfaces));
        }
        found.include(v);
    }
    Ok(found.or_nothing())
}

/// The same for vertices of triangles that another body may meet: those whose boxes in the mesh's frame overlap its ball.
fn of_near_part(surface: &MovingSurface<'_>, pose: &Pose, passing: &Passing) -> Result<VertexMotion> {
    let Some(frame) = frame(surface, pose) else { return Ok(VertexMotion::default()) };
    let (mesh, factor) = (&surface.mesh, surface.scale);
    let ball = Passing {
        centre: scale(frame.apply_back(passing.centre), 1.0 / factor),
        reach: passing.reach / factor + mesh.largest_halo(),
    };
    let mut found = VertexMotion::NONE;
    with_boxes(
        &surface.operand(pose),
        |low, high| ball.meets(low, high),
        |triangle| {
            let vertices = mesh.vertex.get(triangle as usize).into_iter().flatten();
            vertices.for_each(|v| found.include(frame.rotate(scale(surface.velocities.get(*v as usize), factor))));
        },
    )?;
    Ok(found.or_nothing())
}

#[cfg(test)]
#[allow(clippy::expect_used)]
mod tests;
