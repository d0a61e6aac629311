//! How fast vertices that move by themselves are beside the rigid motion of their body, for the check whether a step is short enough.

use zerocopy::{FromBytes, Immutable, IntoBytes};

use super::law_context::MovingSurfaces;
use crate::body::{Body, is_bounded};
use crate::contact::shape::Shape;
use crate::detect::Bodies;
use crate::detect::surfaces::{MovingSurface, in_list};
use crate::error::{Error, Kind, Result, What};
use crate::pose::Pose;
use crate::real::{Real, max, min};
use crate::vector::{add, dot, length, scale, sub};

/// The least box around velocities of vertices, in world axes.
#[derive(Clone, Copy, Debug, Default, PartialEq, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub(super) struct VertexMotion {
    low: [f64; 3],
    high: [f64; 3],
}

impl VertexMotion {
    /// That of no vertex.
    const NONE: Self = VertexMotion { low: [f64::INFINITY; 3], high: [f64::NEG_INFINITY; 3] };

    pub fn is_still(&self) -> bool {
        self.low == [0.0; 3] && self.high == [0.0; 3]
    }

    pub fn middle(&self) -> [f64; 3] {
        scale(add(self.low, self.high), 0.5)
    }

    /// How far a component may be from that of the middle.
    pub fn half(&self) -> [f64; 3] {
        scale(sub(self.high, self.low), 0.5)
    }

    /// No vertex of a body with this velocity is faster.
    pub fn most(&self, velocity: [f64; 3]) -> f64 {
        length(self.beside(add(velocity, self.middle())))
    }

    /// For each component of a velocity relative to the middle the most that it may be.
    pub fn beside(&self, relative: [f64; 3]) -> [f64; 3] {
        add(relative.map(Real::abs), self.half())
    }

    fn include(&mut self, v: [f64; 3]) {
        self.low = [0, 1, 2].map(|k| min(self.low[k], v[k]));
        self.high = [0, 1, 2].map(|k| max(self.high[k], v[k]));
    }

    /// Nothing where no velocity is in it.
    fn or_nothing(self) -> Self {
        if self.low[0] > self.high[0] { VertexMotion::default() } else { self }
    }

    /// The same with a part of the body that has no moving vertices.
    fn with_rest(mut self) -> Self {
        self.include([0.0; 3]);
        self
    }

    /// Of a body with two surfaces: of one, the other, or both together.
    fn and(self, other: Self) -> Self {
        let (own, other) = (self.with_rest(), other.with_rest());
        VertexMotion { low: add(own.low, other.low), high: add(own.high, other.high) }
    }
}

/// A body that may meet vertices: none of it gets out of this ball in the step, seen from the wall, nor does a vertex reach it from farther away.
pub(super) struct Passing {
    pub centre: [f64; 3],
    pub reach: f64,
}

/// What vertices add to the velocity of each body; an empty list where no vertices move.
///
/// Surfaces that laws refuse count as nothing: the poll that applies the law tells what is wrong with them.
///
/// Errors: those of [`MovingSurfaces::each`]; [`Kind::OutOfRange`] for [`What::Surfaces`]: a velocity is finite and too large. Cost: a pass
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
            let own = of_surface(surface, &pose, None).map_err(|e| in_list(e, place))?;
            let own = if is_single(&given.shape_of(i).0) { own } else { own.with_rest() };
            *to = if to.is_still() { own } else { to.and(own) };
        }
        place += 1;
        Ok(())
    })?;
    Ok(if some { out } else { &[] })
}

/// The same of the body in a `place` and at a pose, of the triangles that another body may meet. `single`: it has no other part.
///
/// Errors: as for [`of_bodies`]. Cost: a pass over the triangles of its surfaces, some ten nanoseconds each.
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
            let own = of_surface(surface, pose, Some(passing))?;
            let own = if single { own } else { own.with_rest() };
            sum = if sum.is_still() { own } else { sum.and(own) };
        }
        Ok(())
    })?;
    Ok(sum)
}

/// Whether a shape has no parts beside a mesh with moving vertices.
pub(super) fn is_single(shape: &Shape<'_>) -> bool {
    !matches!(shape, Shape::Compound(parts) if parts.len() > 1)
}

/// One surface of a body at this pose: all vertices, or those of triangles that another body may meet.
fn of_surface(surface: &MovingSurface<'_>, pose: &Pose, passing: Option<&Passing>) -> Result<VertexMotion> {
    let (velocities, mesh, factor) = (&surface.velocities, &surface.mesh, surface.scale);
    let right = velocities.len() == mesh.weld.len() && factor > 0.0 && is_bounded(&[factor]);
    let placed = surface.placed_at(pose).and_then(|pose| pose.transform(What::Pose));
    let (true, Ok(frame)) = (right, placed) else { return Ok(VertexMotion::default()) };
    let mut found = VertexMotion::NONE;
    let in_world = |v| frame.rotate(scale(v, factor));
    let Some(Passing { centre, reach }) = passing else {
        for i in 0..velocities.len() {
            let v = velocities.get(i);
            if !v.iter().all(|x| x.is_finite()) {
                return Ok(VertexMotion::default());
            }
            let v = in_world(v);
            if !is_bounded(&v) {
                return Err(Error::new(Kind::OutOfRange, What::Surfaces));
            }
            found.include(v);
        }
        return Ok(found.or_nothing());
    };
    let centre = scale(frame.apply_back(*centre), 1.0 / factor);
    let reach = reach / factor + mesh.largest_halo();
    for (i, vertices) in mesh.vertex.iter().enumerate() {
        let [a, b, c] = mesh.triangle(i);
        let away = [0, 1, 2].map(|k| {
            let (low, high) = (min(a[k], min(b[k], c[k])), max(a[k], max(b[k], c[k])));
            max(max(low - centre[k], centre[k] - high), 0.0)
        });
        if dot(away, away) <= reach * reach {
            vertices.iter().for_each(|v| found.include(in_world(velocities.get(*v as usize))));
        }
    }
    Ok(found.or_nothing())
}
