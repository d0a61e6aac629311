//! Corners of contacts of any two bodies.

use glam::DVec3;

use super::{Placed, Shape, Surface};
use crate::contact::corners::{Work, in_order};
use crate::contact::{Contact, Corner, CornerLimits, corners, corners_scratch, unit};
use crate::error::{Result, What};
use crate::memory::{Carve, Layout, Plan};
use crate::narrow::{Near, around_scratch, below_plane};
use crate::pose::{Pose, Transform};
use crate::real::{Real, max};
use crate::simd::Isa;

/// Scratch for [`shape_corners`] with room for so many pairs of triangles, or triangles near a half-space.
///
/// Errors: [`Kind::TooLarge`](crate::error::Kind::TooLarge).
pub fn shape_corners_scratch(a: &Placed<'_>, b: &Placed<'_>, pairs: usize) -> Result<Layout> {
    let home = &Pose::IDENTITY;
    let mut plan = Plan::new();
    match (&a.shape, &b.shape) {
        (Shape::Mesh(x), Shape::Mesh(y)) => {
            return corners_scratch(&x.side(home, 1.0).operand, &y.side(home, 1.0).operand, pairs);
        }
        (Shape::HalfSpace { .. }, Shape::Mesh(surface)) | (Shape::Mesh(surface), Shape::HalfSpace { .. }) => {
            plan.add::<Near>(pairs as u64).part(around_scratch(&surface.operand())?);
        }
        _ => {}
    }
    Work::plan(&mut plan, pairs)?;
    plan.layout(What::Scratch)
}

/// Writes the corners of contacts of two bodies of any shapes, ordered by contact, and gives their number: see [`corners`].
///
/// A half-space and a mesh have them, too. A contact with a sphere has one, its position with its least gap, and so has one of a compound.
///
/// `contacts` are those that [`shape_contacts`](super::shape_contacts) gave for the same bodies; `scratch` is [`shape_corners_scratch`].
///
/// Errors: those of [`shape_contacts`](super::shape_contacts) about bodies and poses, and those of [`corners`].
pub fn shape_corners(
    isa: Isa,
    a: &Placed<'_>,
    b: &Placed<'_>,
    contacts: &[Contact],
    limits: CornerLimits,
    out: &mut [Corner],
    scratch: &mut [u8],
) -> Result<usize> {
    super::site::check(a, What::ShapeA, What::PoseA)?;
    super::site::check(b, What::ShapeB, What::PoseB)?;
    let ground = match (&a.shape, &b.shape) {
        (Shape::Mesh(x), Shape::Mesh(y)) => {
            let (a, b) = (x.side(a.pose, a.scale), y.side(b.pose, b.scale));
            return corners(isa, &a, &b, contacts, limits, out, scratch);
        }
        (Shape::HalfSpace { halo }, Shape::Mesh(surface)) => Some(Ground::new(surface, b, a, halo * a.scale, true)?),
        (Shape::Mesh(surface), Shape::HalfSpace { halo }) => Some(Ground::new(surface, a, b, halo * b.scale, false)?),
        _ => None,
    };
    in_order(contacts)?;
    let mut carve = Carve::new(scratch, shape_corners_scratch(a, b, limits.pairs)?, What::Scratch)?;
    let near = match &ground {
        Some(ground) => ground.near(limits.pairs, &mut carve)?,
        None => &mut [],
    };
    let mut work = Work::new(&mut carve, limits, out)?;
    for (i, contact) in contacts.iter().enumerate() {
        match &ground {
            Some(ground) => ground.contact(contact, i as u32, near, &mut work),
            None => work.contact(contact, i as u32, false, 0.0, core::iter::empty()),
        }
    }
    work.finish()
}

/// A mesh on a half-space.
struct Ground<'a> {
    surface: &'a Surface<'a>,
    body: Transform,
    scale: f64,
    plane: Transform,
    halo: f64,
    /// Whether the half-space is A.
    first: bool,
}

impl<'a> Ground<'a> {
    fn new(surface: &'a Surface<'a>, body: &Placed<'_>, plane: &Placed<'_>, halo: f64, first: bool) -> Result<Self> {
        let (turn, ground) = (body.pose.transform(What::Pose)?, plane.pose.transform(What::Pose)?);
        Ok(Ground { surface, body: turn, scale: body.scale, plane: ground, halo, first })
    }

    /// Out of the half-space.
    fn up(&self) -> DVec3 {
        DVec3::from_array(self.plane.rotate([0.0, 0.0, 1.0]))
    }

    /// Triangles in the halo or below it, by patch.
    fn near<'s>(&self, pairs: usize, carve: &mut Carve<'s>) -> Result<&'s mut [Near]> {
        let operand = self.surface.operand();
        let list = carve.take::<Near>(pairs as u64)?;
        let rest = carve.part(around_scratch(&operand)?)?;
        let apart = [0, 1, 2].map(|k| self.plane.translation[k] - self.body.translation[k]);
        let origin = DVec3::from_array(self.body.rotate_back(apart)) / self.scale;
        let up = self.body.rotate_back(self.up().to_array());
        let reach = self.halo / self.scale + self.surface.mesh.largest_halo();
        let near = below_plane(&operand, up, DVec3::from_array(up).dot(origin), reach, list, rest)?;
        near.iter_mut().for_each(|near| near.group = self.surface.patch(near.triangle));
        near.sort_unstable_by_key(|near| (near.group, near.triangle));
        Ok(near)
    }

    fn contact(&self, contact: &Contact, place: u32, near: &[Near], work: &mut Work<'_>) {
        let patch = if self.first { contact.key[1] as u32 } else { (contact.key[1] >> 32) as u32 };
        let from = near.partition_point(|near| near.group < patch);
        let group = near.get(from..).unwrap_or_default().iter().take_while(|near| near.group == patch);
        let origin = DVec3::from_array(contact.position);
        let faces = group.filter_map(|near| {
            let face = self.face(near.triangle, origin)?;
            Some([face, self.below(&face, origin)])
        });
        work.contact(contact, place, self.first, self.surface.mesh.radius() * self.scale, faces);
    }

    /// About a place.
    fn face(&self, triangle: u32, origin: DVec3) -> Option<[DVec3; 3]> {
        self.surface.cells.prism(triangle as usize)?;
        let apart = DVec3::from_array(self.body.translation) - origin;
        let corners = self.surface.mesh.triangle(triangle as usize);
        Some(corners.map(|v| DVec3::from_array(self.body.rotate(v.map(|x| x * self.scale))) + apart))
    }

    /// A triangle of the half-space's face that covers whatever is seen of a face from anywhere above.
    fn below(&self, face: &[DVec3; 3], origin: DVec3) -> [DVec3; 3] {
        let up = self.up();
        let height = |v: DVec3| up.dot(v + origin - DVec3::from_array(self.plane.translation));
        let middle = (face[0] + face[1] + face[2]) / 3.0;
        let far = |v: &DVec3| Real::sqrt((*v - middle).length_squared()) + height(*v).abs();
        let reach = 4.0 * face.iter().fold(0.0, |m, v| max(m, far(v)));
        let [x, y, z] = up.abs().to_array();
        let axis = if x <= y && x <= z {
            DVec3::X
        } else if y <= z {
            DVec3::Y
        } else {
            DVec3::Z
        };
        let along = unit(up.cross(axis)).map_or(DVec3::X, |(along, _)| along) * (2.0 * reach);
        let across = up.cross(along) * 0.5;
        let foot = middle - up * height(middle);
        [foot - along - across, foot + along - across, foot + across * 2.0]
    }
}
