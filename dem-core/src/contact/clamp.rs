//! Rotates normals of contacts into the cone of their patch, for impulse solvers on badly welded meshes.

use glam::DVec3;
use zerocopy::{FromBytes, Immutable, IntoBytes};

use super::cells::{CellsRef, PRISM};
use super::{CellOptions, Contact, unit};
use crate::error::{Error, Kind, Result, What};
use crate::mesh::{MeshRef, NONE};
use crate::pose::Pose;
use crate::real::{Real, max, min};

/// The directions in which a patch can push: those no farther from its normal than the normal of the farthest face across a convex edge.
#[derive(Clone, Copy, Debug, Default, PartialEq, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub struct PatchCone {
    /// The mean normal of its faces, in the frame of the mesh or the body; zero for numbers that are not the first triangle of a patch.
    pub axis: [f64; 3],
    /// Cosine of the half-angle: 1 for a flat patch with no convex edge. Neighbours that are not welded to the patch have no effect.
    pub cosine: f64,
}

/// The body of a contact whose cones apply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clamped {
    /// The first body.
    A,
    /// The second body.
    B,
}

/// Writes the cone of each patch at the index of its first triangle. `out` has as many items as triangles. Call it once, with the options that
/// the cells were built with.
///
/// Errors: [`Kind::Mismatch`] if the cells belong to another mesh; [`Kind::Capacity`] for `out`. Cost: some nanoseconds a cell.
pub fn patch_cones(
    mesh: &MeshRef<'_>,
    cells: &CellsRef<'_>,
    options: &CellOptions,
    out: &mut [PatchCone],
) -> Result<()> {
    if cells.sizes.triangles as usize != mesh.len() {
        return Err(Error::new(Kind::Mismatch, What::Cells));
    }
    let given = out.len() as u64;
    let short = Error::capacity(What::Output, mesh.len() as u64, given);
    let out = out.get_mut(..mesh.len()).ok_or(short)?;
    out.fill(PatchCone::default());
    // First the sums of area vectors, in units of the mesh radius, so that nothing overflows.
    let scale = mesh.radius().inverse_exponent();
    for i in (0..mesh.len()).filter(|i| cells.prism(*i).is_some()) {
        let [a, b, c] = mesh.triangle(i).map(|v| DVec3::from_array(v) * scale);
        let across = (b - a).cross(c - a);
        if let Some(to) = cells.patch.get(i).and_then(|p| out.get_mut(*p as usize)) {
            to.axis = (DVec3::from_array(to.axis) + across).to_array();
        }
    }
    for to in out.iter_mut() {
        let axis = unit(DVec3::from_array(to.axis)).map(|(axis, _)| axis.to_array());
        *to = axis.map_or(PatchCone::default(), |axis| PatchCone { axis, cosine: 1.0 });
    }
    let flat = max(options.flat, 0.0) * mesh.radius() * scale;
    for i in 0..mesh.len() {
        for cell in cells.cell.get(cells.of(i)).unwrap_or_default() {
            // A patch that is flat within the tolerance has the axis as its only face normal. In a patch that was bent by moved vertices, each
            // face normal widens the cone.
            let bent =
                |axis: DVec3| sine(axis.dot(DVec3::from_array(cell.normal))) > 4.0 * flat / height(mesh, i, scale);
            let counts = |to: &PatchCone| cell.kind != PRISM || bent(DVec3::from_array(to.axis));
            let only = (cell.owners == 0).then_some(cell.patch);
            for patch in cells.owners(cell).map(|prism| prism.patch).chain(only) {
                if let Some(to) = out.get_mut(patch as usize).filter(|to| counts(to)) {
                    to.widen(cell.normal);
                }
            }
        }
        for k in 0..3 {
            edge(mesh, cells, i, k, out);
        }
    }
    Ok(())
}

impl PatchCone {
    fn widen(&mut self, to: [f64; 3]) {
        self.cosine = min(self.cosine, DVec3::from_array(self.axis).dot(DVec3::from_array(to)));
    }
}

/// Widens the cones beside a convex edge: a body there may be pushed in all directions between both face normals.
fn edge(mesh: &MeshRef<'_>, cells: &CellsRef<'_>, i: usize, k: usize, out: &mut [PatchCone]) {
    let Some(j) = mesh.neighbour.get(i).map(|n| n[k]).filter(|j| *j != NONE) else { return };
    let patch = |i: usize| cells.patch.get(i).copied().unwrap_or(NONE);
    let (Some(own), Some(other)) = (cells.prism(i), cells.prism(j as usize)) else { return };
    let corner = mesh.triangle(i).map(DVec3::from_array);
    let along = corner[(k + 1) % 3] - corner[k];
    let [m, n] = [own.normal, other.normal].map(DVec3::from_array);
    if patch(i) != patch(j as usize)
        && along.dot(m.cross(n)) > 0.0
        && let Some(to) = out.get_mut(patch(i) as usize)
    {
        to.widen(other.normal);
    }
}

fn sine(cosine: f64) -> f64 {
    Real::sqrt(max(1.0 - cosine * cosine, 0.0))
}

/// The smallest height of a triangle.
fn height(mesh: &MeshRef<'_>, i: usize, scale: f64) -> f64 {
    let [a, b, c] = mesh.triangle(i).map(|v| DVec3::from_array(v) * scale);
    let longest = [b - a, c - b, a - c].into_iter().fold(0.0, |m, side| max(m, side.length_squared()));
    let double = (b - a).cross(c - a).length_squared();
    if longest > 0.0 { Real::sqrt(double / longest) } else { 0.0 }
}

/// Rotates the normals of contacts with a mesh into the cones of its patches: no contact then pushes in a direction that its patch cannot have.
///
/// For a welded mesh this changes little: it removes only the effect of the other body's corners. In other meshes, triangles lie beside each
/// other without common vertices (a soup, T-junctions, tiles of a terrain), and each triangle is a patch. A body near a border also has a contact
/// with the neighbour, whose normal leans. An impulse solver treats that contact as an obstacle: bodies stumble over edges that do not exist.
/// This function leaves only forces along the normal of the face. A real convex edge has cells, its patches have wide cones, and contacts there
/// lean as before.
///
/// The force becomes the nearest force in the cone. Its direction is rotated as far as needed, and its magnitude, area and share are reduced to
/// the component along the new direction. (Shares of each tag then sum to 1 again.) So the new force is continuous in the contact. A contact
/// without such a component (it would pull) gets area 0. Positions, gaps and moments do not change. The resultant is not preserved: this is an
/// option for impulse solvers, not for force laws.
///
/// `cones` are those of [`patch_cones`], or for any body those of [`shape_cones`](super::shape::shape_cones), including parts of compounds.
/// `contacts` are ordered by tag; `pose` is that of the body. Patches without a cone do not change.
///
/// Errors: those of the pose. Cost: some ten nanoseconds a contact.
pub fn clamp_normals(cones: &[PatchCone], pose: &Pose, of: Clamped, contacts: &mut [Contact]) -> Result<()> {
    let turn = pose.transform(What::Pose)?;
    for contact in contacts.iter_mut() {
        let (patch, sign) = match of {
            Clamped::A => ((contact.key[1] >> 32) as u32, -1.0),
            Clamped::B => (contact.key[1] as u32, 1.0),
        };
        let Some(cone) = cones.get(patch as usize).filter(|cone| cone.axis != [0.0; 3]) else { continue };
        let axis = DVec3::from_array(turn.rotate(cone.axis)) * sign;
        let (normal, part) = nearest(DVec3::from_array(contact.normal), axis, cone.cosine);
        contact.normal = normal.to_array().map(|x| x + 0.0);
        contact.area *= part;
        contact.share *= part;
    }
    for run in contacts.chunk_by_mut(|x, y| x.key[0] == y.key[0]) {
        let sum = run.iter().fold(0.0, |sum, c| sum + c.share);
        if sum > 0.0 && sum.is_finite() {
            run.iter_mut().for_each(|c| c.share /= sum);
        }
    }
    Ok(())
}

/// The direction of the vector in a circular cone that is nearest to `normal`, and its length.
fn nearest(normal: DVec3, axis: DVec3, cosine: f64) -> (DVec3, f64) {
    // Directions that are in the cone except for rounding stay as they are.
    const ROUNDING: f64 = 1e-12;
    let along = normal.dot(axis);
    if along >= cosine - ROUNDING {
        return (normal, 1.0);
    }
    let Some((side, across)) = unit(normal - axis * along) else { return (axis, 0.0) };
    let sine = sine(cosine);
    let border = axis * cosine + side * sine;
    (unit(border).map_or(axis, |(border, _)| border), max(along * cosine + across * sine, 0.0))
}
