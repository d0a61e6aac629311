//! The order of two bodies in space, and the patches of a body.

use core::cmp::Ordering;
use glam::DVec3;

use super::body::{Body, Kinds, Part};
use crate::contact::cells::CellsRef;
use crate::contact::shape::{Placed, Shape, Surface};
use crate::error::What;
use crate::mesh::{MeshRef, NONE};
use crate::pose::{Pose, Transform};
use crate::real::{max, min};

/// Whether `b` comes before `a`: compares poses, scales, then shapes. Bodies with identical numbers keep the caller's order.
pub fn comes_first(b: &Placed<'_>, a: &Placed<'_>) -> bool {
    let scale = numbers([b.scale], [a.scale]);
    let order = poses(b.pose, a.pose).then(scale).then_with(|| shapes(&b.shape, &a.shape));
    order == Ordering::Less
}

fn numbers(x: impl IntoIterator<Item = f64>, y: impl IntoIterator<Item = f64>) -> Ordering {
    let differ = x.into_iter().zip(y).find(|(x, y)| x != y);
    differ.map_or(Ordering::Equal, |(x, y)| if x < y { Ordering::Less } else { Ordering::Greater })
}

fn poses(x: &Pose, y: &Pose) -> Ordering {
    numbers(x.position, y.position).then_with(|| numbers(x.orientation, y.orientation))
}

fn shapes(x: &Shape<'_>, y: &Shape<'_>) -> Ordering {
    match (x, y) {
        (Shape::Sphere { radius: r, halo: h }, Shape::Sphere { radius, halo }) => numbers([*r, *h], [*radius, *halo]),
        (Shape::Capsule { half_length: l, radius: r, halo: h }, Shape::Capsule { half_length, radius, halo }) => {
            numbers([*l, *r, *h], [*half_length, *radius, *halo])
        }
        (Shape::HalfSpace { halo: h }, Shape::HalfSpace { halo }) => numbers([*h], [*halo]),
        (Shape::Mesh(x), Shape::Mesh(y)) => {
            let same = core::ptr::eq(*x, *y);
            let corners = |mesh: &MeshRef<'_>, i: usize| mesh.triangle(i).into_iter().flatten();
            let corner = |i: usize| numbers(corners(&x.mesh, i), corners(&y.mesh, i));
            x.mesh.len().cmp(&y.mesh.len()).then_with(|| {
                let differ = (0..x.mesh.len()).filter(|_| !same).map(corner);
                differ.into_iter().find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
            })
        }
        (Shape::Compound(x), Shape::Compound(y)) => {
            let part = x.iter().zip(*y).map(|(x, y)| {
                poses(&x.pose, &y.pose).then(numbers([x.scale], [y.scale])).then_with(|| shapes(&x.shape, &y.shape))
            });
            x.len().cmp(&y.len()).then_with(|| {
                let mut part = part;
                part.find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
            })
        }
        _ => x.kind().cmp(&y.kind()),
    }
}

/// The patches of a body with one or more parts.
pub struct Parts<'a> {
    shape: Shape<'a>,
    pose: &'a Pose,
    /// The transform from its frame to the world; none for balls, which have no normals of their own.
    turn: Option<Transform>,
    scale: f64,
}

/// The transform from the frame of a body's part to the world.
struct Frame {
    own: Option<(Transform, f64)>,
    scale: f64,
    turn: Transform,
}

impl Frame {
    fn point(&self, v: [f64; 3]) -> DVec3 {
        let v = self.own.as_ref().map_or(v, |(own, scale)| own.apply(v.map(|x| x * scale)));
        DVec3::from_array(self.turn.apply(v.map(|x| x * self.scale)))
    }

    fn direction(&self, v: [f64; 3]) -> DVec3 {
        let v = self.own.as_ref().map_or(v, |(own, _)| own.rotate(v));
        DVec3::from_array(self.turn.rotate(v))
    }
}

impl<'a> Parts<'a> {
    pub fn new(body: &Placed<'a>) -> Self {
        let turn = if body.shape.is_of_balls() { None } else { body.pose.transform(What::BodyPoseA).ok() };
        Parts { shape: body.shape, pose: body.pose, turn, scale: body.scale }
    }

    fn shape(&self, part: u32) -> Option<Shape<'a>> {
        match self.shape {
            Shape::Compound(parts) => Some(parts.get(part as usize)?.shape),
            one => Some(one),
        }
    }

    fn cells(&self, part: u32) -> Option<CellsRef<'a>> {
        match self.shape(part)? {
            Shape::Mesh(surface) => Some(surface.cells),
            _ => None,
        }
    }

    fn frame(&self, part: u32, turn: Transform) -> Option<Frame> {
        let own = match self.shape {
            Shape::Compound(parts) => {
                let own = parts.get(part as usize)?;
                Some((own.pose.transform(What::BodyPoseA).ok()?, own.scale))
            }
            _ => None,
        };
        Some(Frame { own, scale: self.scale, turn })
    }
}

impl Body for Parts<'_> {
    fn part(&self, feature: u32, from: Part) -> Part {
        let Shape::Compound(parts) = self.shape else { return Part::default() };
        let mut part = from;
        for next in parts.get(from.index as usize..).unwrap_or_default() {
            let end = u64::from(part.first) + next.shape.features();
            if u64::from(feature) < end {
                break;
            }
            part = Part { index: part.index + 1, first: end as u32 };
        }
        part
    }

    fn neighbours(&self, part: u32, patch: u32) -> &[u32] {
        self.cells(part).map_or(&[], |cells| cells.patch_neighbours(patch))
    }

    fn chart(&self, part: u32, patch: u32) -> u32 {
        self.cells(part).map_or(0, |cells| cells.chart(patch))
    }

    fn normal(&self, feature: u32) -> Option<DVec3> {
        let part = self.part(feature, Part::default());
        let (shape, own) = match self.shape {
            Shape::Compound(parts) => {
                let own = parts.get(part.index as usize)?;
                (own.shape, Some(own.pose.transform(What::BodyPoseA).ok()?))
            }
            one => (one, None),
        };
        let normal = match shape {
            Shape::Mesh(surface) => surface.cells.prism(feature.wrapping_sub(part.first) as usize)?.normal,
            Shape::HalfSpace { .. } => [0.0, 0.0, 1.0],
            _ => return None,
        };
        let normal = own.map_or(normal, |own| own.rotate(normal));
        Some(DVec3::from_array(self.turn.as_ref()?.rotate(normal)))
    }

    fn is_flat(&self, feature: u32) -> bool {
        let part = self.part(feature, Part::default());
        match self.shape(part.index) {
            Some(Shape::Mesh(surface)) => surface.cells.has_flat_patches(),
            Some(Shape::HalfSpace { .. }) => true,
            _ => false,
        }
    }

    fn plane(&self, feature: u32) -> Option<[DVec3; 2]> {
        let part = self.part(feature, Part::default());
        let (at, normal) = match self.shape(part.index)? {
            Shape::Mesh(surface) => {
                let prism = surface.cells.prism(feature.wrapping_sub(part.first) as usize)?;
                (prism.anchor, prism.normal)
            }
            Shape::HalfSpace { .. } => ([0.0; 3], [0.0, 0.0, 1.0]),
            _ => return None,
        };
        let frame = self.frame(part.index, self.turn?)?;
        Some([frame.point(at), frame.direction(normal)])
    }

    fn kinds(&self) -> Kinds {
        let is_round = |shape: &Shape<'_>| matches!(shape, Shape::Sphere { .. } | Shape::Capsule { .. });
        match &self.shape {
            Shape::Compound(parts) => {
                let any = |round: bool| parts.iter().any(|part| is_round(&part.shape) == round);
                Kinds { round: any(true), flat: any(false) }
            }
            one => Kinds { round: is_round(one), flat: !is_round(one) },
        }
    }

    fn core(&self, feature: u32, from: DVec3) -> Option<(DVec3, f64)> {
        let part = self.part(feature, Part::default()).index;
        let (half, radius) = match self.shape(part)? {
            Shape::Sphere { radius, .. } => (0.0, radius),
            Shape::Capsule { half_length, radius, .. } => (half_length, radius),
            _ => return None,
        };
        let turn = match self.turn {
            Some(turn) => turn,
            None => self.pose.transform(What::BodyPoseA).ok()?,
        };
        let frame = self.frame(part, turn)?;
        let scale = self.scale * frame.own.as_ref().map_or(1.0, |(_, scale)| *scale);
        let (to_centre, axis) = (frame.point([0.0; 3]) - from, frame.direction([0.0, 0.0, 1.0]));
        let half = half * scale;
        Some((to_centre + axis * max(-half, min(half, -axis.dot(to_centre))), radius * scale))
    }

    fn has_walls(&self) -> bool {
        let walls = |shape: &Shape<'_>| matches!(shape, Shape::Mesh(surface) if surface.cells.has_walls());
        match self.shape {
            Shape::Compound(parts) => parts.iter().any(|part| walls(&part.shape)),
            one => walls(&one),
        }
    }

    fn has_concave_edge(&self, part: u32, patch: u32) -> bool {
        self.cells(part).is_some_and(|cells| cells.has_concave_edge(patch))
    }

    fn is_concave(&self, part: u32, [p, q]: [u32; 2]) -> bool {
        self.cells(part).is_some_and(|cells| cells.is_concave(p, q))
    }

    fn shared(&self, part: u32, [p, q]: [u32; 2], mut put: impl FnMut(DVec3) -> bool) -> bool {
        const MOST: usize = 4096;
        let frame = self.turn.and_then(|turn| self.frame(part, turn));
        let (Some(Shape::Mesh(Surface { mesh, cells, .. })), Some(frame)) = (self.shape(part), frame) else {
            return false;
        };
        // The search for an edge visits the smaller patch.
        let less = cells.triangles_of(p).zip(cells.triangles_of(q)).take(MOST + 1).count();
        if less > MOST {
            return false;
        }
        let (short, long) = if cells.triangles_of(p).nth(less).is_none() { (p, q) } else { (q, p) };
        for i in cells.triangles_of(short) {
            let across = mesh.neighbour.get(i as usize).copied().unwrap_or([NONE; 3]);
            for k in (0..3).filter(|k| cells.patch.get(across[*k] as usize) == Some(&long)) {
                let of_i = mesh.triangle(i as usize);
                if !put(frame.point(of_i[k])) || !put(frame.point(of_i[(k + 1) % 3])) {
                    return true;
                }
            }
        }
        true
    }
}
