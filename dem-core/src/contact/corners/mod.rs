//! Corners of contacts, each with its gap: a contact manifold of points, for impulse solvers that do not use areas.
//!
//! | file | what is in it |
//! | --- | --- |
//! | `corner` | the record of a corner |
//! | `part_contacts` | the contacts of two parts among the contacts of two bodies; the output of corners |
//! | `triangle_pairs` | the triangle pairs of contacts |
//! | `projected_overlap` | the overlap of two triangles, projected along a normal |
//! | `pressure_weights` | the parts of triangles that a contact covers, for loads of vertices |
//! | `hull` | the convex hull of points in a plane, and a choice of its most important corners |

mod corner;
mod hull;
mod part_contacts;
mod pressure_weights;
mod projected_overlap;
mod triangle_pairs;

use glam::DVec3;

use super::penetration::comes_first;
use super::{Contact, Node, Side, any_across, unit};
use crate::error::{Error, Kind, Result, What};
use crate::memory::{Layout, sections};
use crate::narrow::{Frame, Operand, TrianglePair, pairs_scratch};
use crate::pose::Transform;
use crate::real::{max, min};
use crate::simd::Isa;
use corner::is_deep;
pub use corner::{Corner, FACE};
use hull::{Hull, Tolerance};
pub use part_contacts::Regions;
pub(super) use part_contacts::{Listed, Written, in_order, lone};
pub(super) use pressure_weights::{Over, Pieces, Visit, cover_of};
pub(super) use projected_overlap::Face;
use projected_overlap::{MOST, Point, overlap};
pub(super) use triangle_pairs::most_listed;
use triangle_pairs::{Near, near_pairs};

/// Limits of a search for corners.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CornerLimits {
    /// Number of triangle pairs that scratch has room for.
    pub pairs: usize,
    /// Largest number of corners of a contact; 0 for [`CornerLimits::MANIFOLD`], [`CornerLimits::ALL`] for all.
    pub most: usize,
}

impl CornerLimits {
    /// Number of corners of a contact that impulse solvers usually need: four support a flat contact.
    pub const MANIFOLD: usize = 4;

    /// All corners of a contact.
    pub const ALL: usize = usize::MAX;

    /// [`CornerLimits::most`], with the default value for 0.
    pub(crate) fn most_of_contact(&self) -> usize {
        if self.most == 0 { CornerLimits::MANIFOLD } else { self.most }
    }
}

impl Default for CornerLimits {
    /// Room for 256 pairs of triangles, and [`CornerLimits::MANIFOLD`] corners.
    fn default() -> Self {
        CornerLimits { pairs: 256, most: CornerLimits::MANIFOLD }
    }
}

/// Scratch for [`corners`] with room for this number of triangle pairs: about 600 bytes for each.
///
/// Errors: [`Kind::TooLarge`].
pub fn corners_scratch(a: &Operand<'_>, b: &Operand<'_>, pairs: usize) -> Result<Layout> {
    Memory::layout(a, b, pairs)
}

sections! {
    /// Scratch for this number of pairs.
    struct Memory<'s>(a: &Operand<'_>, b: &Operand<'_>, pairs: usize; n = pairs as u64) {
        found: [TrianglePair; n],
        near: [Near; n],
        rest: { pairs_scratch(a, b, pairs)? },
        work: WorkMemory(pairs),
    }
}

/// The number of points of this number of pairs, and two more that a hull needs.
fn points(pairs: u64) -> Result<u64> {
    let too_large = Error::new(Kind::TooLarge, What::Pairs).amounts(u64::from(u32::MAX), pairs);
    pairs.checked_mul(MOST as u64).and_then(|n| n.checked_add(2)).filter(|n| *n <= u64::from(u32::MAX)).ok_or(too_large)
}

/// Writes the corners of contacts of two surfaces, ordered by contact, and returns their number: at least one for each contact, at most
/// [`CornerLimits::most`].
///
/// Projected along its normal, two patches of a contact have a region where their faces overlap with gaps of at most the halo. Over flat
/// patches the gap is linear in this region. A contact of several patch pairs has the corners of the hull of all their corners. If surfaces stay apart at the corners of the region's convex hull, they stay apart everywhere (if no
/// gap closes by more than the halo). A corner is a vertex of A above a face of B, a vertex of B above a face of A, or a crossing of two edges.
/// Its gap is the halo when it begins and when it ends. Points where the region ends only because the gap reaches the halo are not corners.
/// Points outside the polygon of the other corners by at most 1/64 of the halo, or 2^-20 of the sizes, are left out. So a box on a wall has as
/// many corners as it has vertices within the halo, whatever the mesh of the wall.
///
/// If the corners of a region are less than half as deep as the region, its first corner is the contact's position with the least gap. No corner
/// is deeper than twice the deepest contact of both surfaces: faces that are farther behind each other do not face each other. Some contacts have
/// only one corner, their position with their least gap: contacts without overlapping faces (a body within another; edges beside each other), and
/// contacts deeper than four halos.
///
/// `contacts` is the output of [`contacts`](super::contacts) for the same bodies. Exchanging A and B gives the same corners, to the last
/// bit. `scratch` is [`corners_scratch`] for `limits.pairs`.
///
/// Errors: those of [`pairs`](crate::narrow::pairs); [`Kind::OutOfRange`] for [`What::Contacts`] that are not in order, with the first one;
/// [`Kind::Mismatch`] if cells are of another mesh; [`Kind::Capacity`] with the exact number for [`What::Pairs`] or [`What::Output`] (the
/// content of `out` is then unspecified). Cost: proportional to the triangle pairs, and for each contact to the number of corners times the
/// number of points of the hull. Pairs are searched to a depth of four halos.
pub fn corners(
    isa: Isa,
    a: &Side<'_>,
    b: &Side<'_>,
    contacts: &[Contact],
    limits: CornerLimits,
    out: &mut [Corner],
    scratch: &mut [u8],
) -> Result<usize> {
    for (side, what) in [(a, What::CellsA), (b, What::CellsB)] {
        if side.cells.sizes.triangles as usize != side.operand.mesh.len() {
            return Err(Error::new(Kind::Mismatch, what));
        }
    }
    in_order(contacts)?;
    let mut written = Written::new(out, [0.0; 3]);
    corners_of(isa, a, b, &Listed::all(contacts), limits, &mut written, scratch)?;
    written.finish()
}

/// Writes the corners of the contacts in `listed`.
pub(super) fn corners_of(
    isa: Isa,
    a: &Side<'_>,
    b: &Side<'_>,
    contacts: &Listed<'_>,
    limits: CornerLimits,
    written: &mut Written<'_>,
    scratch: &mut [u8],
) -> Result<()> {
    let Memory { found, near, rest, work } = Memory::new(scratch, &a.operand, &b.operand, limits.pairs)?;
    let mut work = Work { depth: contacts.depth(), ..Work::new(work, limits, contacts) };
    let frame = Frame::new(&a.operand, &b.operand)?;
    let swapped = comes_first(b, a, &frame);
    let near = near_pairs(isa, [a, b], (&frame, swapped), contacts, near, (found, rest))?;
    let (of_a, of_b) = (Body { side: a, turn: frame.a }, Body { side: b, turn: frame.b });
    let bodies = if swapped { [of_b, of_a] } else { [of_a, of_b] };
    let size = bodies[0].size() + bodies[1].size();
    let mut groups = near.list.chunk_by(|x, y| x.contact == y.contact).peekable();
    for (place, contact) in contacts.each() {
        let group = groups.next_if(|group| group.first().is_some_and(|near| near.contact == place));
        let origin = DVec3::from_array(contact.position);
        let faces = group.filter(|_| !is_deep(&contact)).unwrap_or_default().iter().filter_map(|pair| {
            let faces = [bodies[0].face(pair.first, origin)?, bodies[1].face(pair.second, origin)?];
            Some(Facing { faces, sure: near.sure(pair), pair: *pair })
        });
        work.contact((place, &contact), swapped, size, faces, &|pair| near.is_near(pair), written);
    }
    Ok(())
}

/// A body at its pose.
struct Body<'a> {
    side: &'a Side<'a>,
    turn: Transform,
}

impl Body<'_> {
    /// A face relative to `origin`; `None` for a triangle that has no prism.
    fn face(&self, i: u32, origin: DVec3) -> Option<Face> {
        let patch = self.side.cells.prism(i as usize)?.patch;
        let apart = DVec3::from_array(self.turn.translation) - origin;
        let (mesh, scale) = (self.side.operand.mesh, self.side.operand.scale);
        let corners = mesh.triangle(i as usize);
        let corners = corners.map(|v| DVec3::from_array(self.turn.rotate(v.map(|x| x * scale))) + apart);
        let inner = Face::inner(&mesh, &self.side.cells, i);
        Some(Face { corners, vertices: mesh.welded(i as usize), patch, inner })
    }

    fn size(&self) -> f64 {
        self.side.operand.mesh.radius() * self.side.operand.scale
    }
}

/// A face of each body, in one contact.
pub(super) struct Facing {
    pub faces: [Face; 2],
    /// The pair counts if its overlap has a gap of at most this; infinity if it counts in any case.
    pub sure: f64,
    pub pair: Near,
}

impl Facing {
    /// A pair that counts.
    pub fn near(faces: [Face; 2]) -> Self {
        Facing { faces, sure: f64::INFINITY, pair: Near::default() }
    }
}

/// The axes of a contact: two tangents, and the normal from the second body to the first.
struct View {
    origin: DVec3,
    axes: [DVec3; 3],
}

impl View {
    fn new(contact: &Contact, sign: f64) -> Self {
        let normal = DVec3::from_array(contact.normal) * sign;
        let along = any_across(normal);
        View { origin: DVec3::from_array(contact.position), axes: [along, normal.cross(along), normal] }
    }

    fn seen(&self, v: DVec3) -> DVec3 {
        DVec3::from_array(self.axes.map(|axis| axis.dot(v)))
    }

    fn world(&self, p: &Point) -> [f64; 3] {
        let [x, y, z] = self.axes;
        (self.origin + (x * p.at[0] + y * p.at[1] + z * p.height)).to_array().map(|x| x + 0.0)
    }
}

/// Working memory for the corners of one contact.
pub(super) struct Work<'s> {
    points: &'s mut [Point],
    hull: Hull<'s>,
    most: usize,
    /// Faces with a smaller projected part of their area along the normal are left out.
    facing: f64,
    /// The penetration depth of both bodies.
    depth: f64,
}

sections! {
    /// Scratch of [`Work`] for this number of pairs.
    pub(super) struct WorkMemory<'s>(pairs: usize; points = points(pairs as u64)?) {
        points: [Point; points],
        border: [u32; points],
        rank: [u32; points],
    }
}

impl<'s> Work<'s> {
    pub fn new(memory: WorkMemory<'s>, limits: CornerLimits, contacts: &Listed<'_>) -> Self {
        let WorkMemory { points, border, rank } = memory;
        Work {
            points,
            hull: Hull::new(border, rank),
            most: limits.most_of_contact(),
            facing: contacts.facing(),
            depth: f64::INFINITY,
        }
    }

    /// Writes the corners of one contact; `place` is its index in the list. `faces` are pairs of triangles relative to its position: one of the
    /// first body, one of the second body; the second body is A if `swapped`. `size` is the size of both bodies. `is_near` decides whether a pair
    /// counts where its gap does not.
    pub fn contact(
        &mut self,
        (place, contact): (u32, &Contact),
        swapped: bool,
        size: f64,
        faces: impl Iterator<Item = Facing>,
        is_near: &dyn Fn(&Near) -> bool,
        written: &mut Written<'_>,
    ) {
        let view = View::new(contact, if swapped { -1.0 } else { 1.0 });
        let mut count = 0;
        let (facing, across, tolerance) = (self.facing, view.axes[2], tolerance(contact.halo, size));
        let least = -BESIDE * self.depth - tolerance.far;
        let faces_it = |Face { corners: t, .. }: &Face| {
            facing == 0.0 || unit((t[1] - t[0]).cross(t[2] - t[0])).is_some_and(|(n, _)| n.dot(across).abs() >= facing)
        };
        for Facing { faces, sure, pair } in faces.filter(|of| of.faces.iter().all(faces_it)) {
            let [x, y] = faces.map(|face| Face { corners: face.corners.map(|v| view.seen(v)), ..face });
            let (before, mut closest) = (count, f64::INFINITY);
            overlap(&x, &y, [least, contact.halo], tolerance.rounding, |point| {
                closest = min(closest, point.gap.abs());
                if let Some(to) = self.points.get_mut(count) {
                    *to = point;
                    count += 1;
                }
            });
            if count > before && closest > sure && !is_near(&pair) {
                count = before;
            }
        }
        let points = self.points.get_mut(..count).unwrap_or_default();
        let (most, mut order) = (self.most, 0);
        let largest = points.iter().filter(|p| p.cut == 0).fold(contact.least_gap, |most, p| max(most, p.gap));
        let (corners, mut gap_error) = self.hull.corners(points, tolerance, self.most);
        let mut corners = corners.peekable();
        // Faces below the surface are only in part listed by nodes.
        let is_shallow = |p: &&Point| p.gap > 0.5 * contact.least_gap;
        if facing > 0.0 && contact.least_gap < 0.0 && corners.peek().is_none_or(is_shallow) {
            // No triangle interpolates between this corner and the others: the least gap may be anywhere.
            gap_error = if corners.peek().is_none() { 0.0 } else { largest - contact.least_gap };
            written.put(Corner { gap_error, ..lone(contact, place) });
            order = 1;
        }
        for point in corners.take(most - order as usize) {
            let [first, second] = point.features;
            let features = if swapped { [second, first] } else { [first, second] };
            let (position, gap) = (view.world(point), point.gap);
            written.put(Corner { position, gap, contact: place, order, features, gap_error });
            order += 1;
        }
        if order == 0 {
            written.put(lone(contact, place));
        }
    }
}

/// Two faces farther behind each other along a normal than this multiple of the depth do not face each other. A line through the intersection of
/// both bodies is longer than the depth if it leans from the shortest way out: twice as long at 60 degrees.
const BESIDE: f64 = 2.0;

/// The distance at which a corner is left out: far less than the halo, and less than the flatness tolerance of patches.
fn tolerance(halo: f64, size: f64) -> Tolerance {
    const FLAT: f64 = 1.0 / (1 << 20) as f64;
    const OF_HALO: f64 = 1.0 / 64.0;
    const ROUNDING: f64 = 1.0 / (1u64 << 40) as f64;
    let rounding = ROUNDING * size;
    Tolerance { rounding, far: max(min(FLAT * size, OF_HALO * halo), rounding) }
}
