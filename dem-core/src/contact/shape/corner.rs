//! Corners of contacts of any two bodies.

use glam::DVec3;

use super::site::{Site, Sites, check};
use super::two_parts::for_any_parts;
use super::{Placed, Shape, Surface};
use crate::contact::corners::{
    Face, Facing, Listed, Work, WorkMemory, Written, corners_of, in_order, lone, most_listed,
};
use crate::contact::{Contact, Corner, CornerLimits, Regions, any_across, corners_scratch};
use crate::error::{Error, Kind, Result, What};
use crate::memory::{Layout, sections};
use crate::mesh::NONE;
use crate::narrow::{Near, around_scratch, below_plane, if_below};
use crate::pose::{Pose, Transform};
use crate::real::{Real, max, min};
use crate::simd::Isa;

/// Scratch for [`shape_corners`] with room for this number of triangle pairs, or of triangles near a half-space, for any one pair of parts.
///
/// Errors: [`Kind::TooLarge`].
pub fn shape_corners_scratch(a: &Placed<'_>, b: &Placed<'_>, pairs: usize) -> Result<Layout> {
    for_any_parts(a, b, |x, y| scratch_of(x, y, pairs))
}

/// Scratch for two parts.
fn scratch_of(a: &Shape<'_>, b: &Shape<'_>, pairs: usize) -> Result<Layout> {
    let home = &Pose::IDENTITY;
    match (a, b) {
        (Shape::Mesh(x), Shape::Mesh(y)) => {
            corners_scratch(&x.side(home, 1.0).operand, &y.side(home, 1.0).operand, pairs)
        }
        (Shape::HalfSpace { .. }, Shape::Mesh(surface)) | (Shape::Mesh(surface), Shape::HalfSpace { .. }) => {
            GroundMemory::layout(surface, pairs)
        }
        _ => Ok(Layout::EMPTY),
    }
}

/// Writes the corners of contacts of two bodies of any shapes, ordered by contact, and returns their number: see
/// [`corners`](fn@crate::contact::corners).
///
/// Contacts of two meshes, and of a half-space and a mesh, have the corners of their overlap; so do contacts of parts of compounds that are such
/// shapes. A capsule on a half-space has a corner below each end of its segment that is within the halo. All other contacts with a sphere or a
/// capsule have one corner: their position, with their least gap.
///
/// A region is projected along its normal, as the overlap of the faces of all its patch pairs. A contact of several parts of a compound, which
/// only [`Mode::Bodies`](crate::contact::regions::Mode::Bodies) produces, has the corners of the parts in its key.
///
/// `of` is the output of [`shape_contacts`](super::shape_contacts) for the same bodies; `limits.pairs` is the largest number of triangle pairs of
/// any one pair of parts; `scratch` is [`shape_corners_scratch`] for the same number.
///
/// Errors: those of [`shape_contacts`](super::shape_contacts) about bodies and poses, and those of [`corners`](fn@crate::contact::corners). Cost:
/// that of [`corners`](fn@crate::contact::corners) for each pair of parts that has a contact; for compounds also a term proportional to contacts
/// times parts.
pub fn shape_corners(
    isa: Isa,
    a: &Placed<'_>,
    b: &Placed<'_>,
    of: &Regions<'_>,
    limits: CornerLimits,
    out: &mut [Corner],
    scratch: &mut [u8],
) -> Result<usize> {
    pair_corners(isa, [a, b], of, 0, limits, out, scratch)
}

/// [`shape_corners`] of contacts in a longer list, in which the first one has the index `first`; nodes and corners use indices in that list.
pub(crate) fn pair_corners(
    isa: Isa,
    [a, b]: [&Placed<'_>; 2],
    of: &Regions<'_>,
    first: u32,
    limits: CornerLimits,
    out: &mut [Corner],
    scratch: &mut [u8],
) -> Result<usize> {
    check(a, What::ShapeA, What::BodyPoseA)?;
    check(b, What::ShapeB, What::BodyPoseB)?;
    in_order(of.contacts)?;
    shape_corners_scratch(a, b, limits.pairs)?.check(scratch, What::Scratch)?;
    // Parts are placed relative to the midpoint of both bodies, as for their contacts; bodies without parts stay in
    // world coordinates.
    let compound = a.shape.is_compound() || b.shape.is_compound();
    let half = if compound { 0.5 } else { 0.0 };
    let middle = [0, 1, 2].map(|k| half * a.pose.position[k] + half * b.pose.position[k]);
    let seen = |p: [f64; 3], q: [f64; 3]| if compound { [0, 1, 2].map(|k| half * p[k] - half * q[k]) } else { p };
    let of_a = Sites::new(a, seen(a.pose.position, b.pose.position));
    let of_b = Sites::new(b, seen(b.pose.position, a.pose.position));
    let mut written = Written::new(out, middle);
    let mut short = 0;
    of_a.each(|x| {
        let of_x = Listed::of(of, first, x.features(), middle);
        if of_x.is_empty() {
            return Ok(());
        }
        of_b.each(|y| match pair(isa, x, y, &of_x.with(y.features()), limits, &mut written, scratch) {
            Err(e) if (e.kind, e.what) == (Kind::Capacity, What::Pairs) => {
                short = max(short, e.needed);
                Ok(())
            }
            other => other,
        })
    })?;
    match short {
        0 => written.finish(),
        _ => Err(Error::capacity(What::Pairs, short, limits.pairs as u64)),
    }
}

/// Writes the corners of the contacts of two parts.
fn pair(
    isa: Isa,
    a: &Site<'_>,
    b: &Site<'_>,
    contacts: &Listed<'_>,
    limits: CornerLimits,
    written: &mut Written<'_>,
    scratch: &mut [u8],
) -> Result<()> {
    if contacts.is_empty() {
        return Ok(());
    }
    let Some(ground) = Ground::of([a, b]) else {
        match (&a.shape, &b.shape) {
            (Shape::Mesh(x), Shape::Mesh(y)) => {
                let (a, b) = (x.side(&a.pose, a.scale), y.side(&b.pose, b.scale));
                return corners_of(isa, &a, &b, contacts, limits, written, scratch);
            }
            (Shape::Capsule { .. }, Shape::HalfSpace { .. }) | (Shape::HalfSpace { .. }, Shape::Capsule { .. }) => {
                contacts
                    .each()
                    .for_each(|(place, contact)| ends([a, b], &contact, place, limits.most_of_contact(), written));
            }
            _ => contacts.each().for_each(|(place, contact)| written.put(lone(&contact, place))),
        }
        return Ok(());
    };
    let GroundMemory { near, rest, work } = GroundMemory::new(scratch, ground.surface, limits.pairs)?;
    let near = ground.near(contacts, near, rest)?;
    let mut work = Work::new(work, limits, contacts);
    contacts.each().for_each(|(place, contact)| ground.contact(&contact, place, near, &mut work, written));
    Ok(())
}

/// Writes the corners of a capsule on a half-space: below its ends within the halo, the deeper one first.
fn ends(both: [&Site<'_>; 2], contact: &Contact, place: u32, most: usize, written: &mut Written<'_>) {
    let (rod, plane) =
        if both[0].shape.kind() < both[1].shape.kind() { (both[1], both[0]) } else { (both[0], both[1]) };
    let Shape::Capsule { half_length, radius, .. } = rod.shape else { return };
    let up = DVec3::from_array(plane.turn.rotate([0.0, 0.0, 1.0]));
    let (centre, level) = (DVec3::from_array(rod.turn.translation), DVec3::from_array(plane.turn.translation));
    let axis = DVec3::from_array(rod.turn.rotate([0.0, 0.0, half_length * rod.scale]));
    let mut list = [centre - axis, centre + axis].map(|end| (up.dot(end - level) - radius * rod.scale, end));
    if list[1].0 < list[0].0 {
        list.swap(0, 1);
    }
    for (order, (gap, end)) in (0..).zip(list).filter(|(_, (gap, _))| *gap < contact.halo).take(most) {
        // In the middle of the gap, as for a sphere.
        let position = end - up * (radius * rod.scale + 0.5 * gap);
        written.put(Corner { position: position.to_array(), gap, order, ..lone(contact, place) });
    }
}

sections! {
    /// Scratch for this number of triangles.
    pub(super) struct GroundMemory<'s>(surface: &Surface<'_>, pairs: usize) {
        pub near: [Near; pairs as u64],
        pub rest: { around_scratch(&surface.operand())? },
        work: WorkMemory(pairs),
    }
}

/// A mesh on a half-space.
pub(super) struct Ground<'a> {
    pub surface: &'a Surface<'a>,
    body: Transform,
    scale: f64,
    plane: Transform,
    halo: f64,
    /// Whether the half-space is A.
    pub first: bool,
}

impl<'a> Ground<'a> {
    /// The pair, if one part is a half-space and the other one a mesh.
    pub fn of([a, b]: [&Site<'a>; 2]) -> Option<Self> {
        let (surface, body, plane, halo, first) = match (a.shape, b.shape) {
            (Shape::HalfSpace { halo }, Shape::Mesh(surface)) => (surface, b, a, halo * a.scale, true),
            (Shape::Mesh(surface), Shape::HalfSpace { halo }) => (surface, a, b, halo * b.scale, false),
            _ => return None,
        };
        Some(Ground { surface, body: body.turn, scale: body.scale, plane: plane.turn, halo, first })
    }

    /// The outward normal of the half-space.
    fn up(&self) -> DVec3 {
        DVec3::from_array(self.plane.rotate([0.0, 0.0, 1.0]))
    }

    /// The triangles within or below the halo, sorted by the contact of their patch.
    pub fn near<'s>(&self, contacts: &Listed<'_>, list: &'s mut [Near], rest: &mut [u8]) -> Result<&'s mut [Near]> {
        let operand = self.surface.operand();
        let apart = [0, 1, 2].map(|k| self.plane.translation[k] - self.body.translation[k]);
        let origin = DVec3::from_array(self.body.rotate_back(apart)) / self.scale;
        let up = self.body.rotate_back(self.up().to_array());
        let reach = self.halo / self.scale + self.surface.mesh.largest_halo();
        let offset = DVec3::from_array(up).dot(origin);
        let listed = self.list(contacts, list, |triangle| if_below(&self.surface.mesh, up, offset, reach, triangle));
        let near = match listed {
            Some(count) if count <= list.len() => list.get_mut(..count).unwrap_or_default(),
            _ => {
                // The room for a list is also enough.
                let needed =
                    |e: Error| Error { needed: listed.map_or(e.needed, |count| min(count as u64, e.needed)), ..e };
                let near = below_plane(&operand, up, offset, reach, list, rest).map_err(needed)?;
                near.iter_mut().for_each(|near| {
                    let patch = self.surface.patch(near.triangle);
                    near.group = contacts.place(if self.first { [0, patch] } else { [patch, 0] }).unwrap_or(NONE);
                });
                near
            }
        };
        near.sort_unstable_by_key(|near| (near.group, near.triangle));
        Ok(near)
    }

    /// Lists the triangles of the contacts' patches for which `near` returns a record, as far as there is room, and returns their number; `None`
    /// if the patches have many more triangles.
    fn list(&self, contacts: &Listed<'_>, list: &mut [Near], near: impl Fn(u32) -> Option<Near>) -> Option<usize> {
        let (most, mut count, mut seen) = (most_listed(contacts.patches().count()), 0, 0);
        for (patches, group) in contacts.patches() {
            for triangle in self.surface.cells.triangles_of(patches[usize::from(self.first)]) {
                if let Some(near) = near(triangle) {
                    list.get_mut(count).into_iter().for_each(|to| *to = Near { group, ..near });
                    count += 1;
                }
                seen += 1;
                if seen > most {
                    return None;
                }
            }
        }
        Some(count)
    }

    fn contact(&self, contact: &Contact, place: u32, near: &[Near], work: &mut Work<'_>, written: &mut Written<'_>) {
        let origin = DVec3::from_array(contact.position);
        let faces = Self::group(near, place).filter_map(|near| Some(Facing::near(self.faces(near.triangle, origin)?)));
        work.contact((place, contact), self.first, self.surface.mesh.radius() * self.scale, faces, &|_| true, written);
    }

    /// The triangles of a contact.
    pub fn group(near: &[Near], place: u32) -> impl Iterator<Item = &Near> {
        let from = near.partition_point(|near| near.group < place);
        near.get(from..).unwrap_or_default().iter().take_while(move |near| near.group == place)
    }

    /// A face relative to `origin`, and a face of the half-space that covers its projection.
    pub fn faces(&self, triangle: u32, origin: DVec3) -> Option<[Face; 2]> {
        let face = self.face(triangle, origin)?;
        Some([
            face,
            Face { corners: self.below(&face.corners, origin), vertices: [NONE; 3], patch: NONE, inner: [false; 3] },
        ])
    }

    /// A face relative to `origin`.
    fn face(&self, triangle: u32, origin: DVec3) -> Option<Face> {
        let patch = self.surface.cells.prism(triangle as usize)?.patch;
        let apart = DVec3::from_array(self.body.translation) - origin;
        let corners = self.surface.mesh.triangle(triangle as usize);
        let corners = corners.map(|v| DVec3::from_array(self.body.rotate(v.map(|x| x * self.scale))) + apart);
        let (mesh, cells) = (&self.surface.mesh, &self.surface.cells);
        let inner = Face::inner(mesh, cells, triangle);
        Some(Face { corners, vertices: mesh.welded(triangle as usize), patch, inner })
    }

    /// A triangle in the plane of the half-space that covers the projection of a face.
    fn below(&self, face: &[DVec3; 3], origin: DVec3) -> [DVec3; 3] {
        let up = self.up();
        let height = |v: DVec3| up.dot(v + origin - DVec3::from_array(self.plane.translation));
        let middle = (face[0] + face[1] + face[2]) / 3.0;
        let far = |v: &DVec3| Real::sqrt((*v - middle).length_squared()) + height(*v).abs();
        let reach = 4.0 * face.iter().fold(0.0, |m, v| max(m, far(v)));
        let along = any_across(up) * (2.0 * reach);
        let across = up.cross(along) * 0.5;
        let foot = middle - up * height(middle);
        [foot - along - across, foot + along - across, foot + across * 2.0]
    }
}
