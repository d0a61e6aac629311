//! Mass, centre, inertia and principal axes of the body that a mesh encloses.

use super::block::{MeshRef, MeshSizes};
use super::build::records;
use super::holes::{close, holes, rims};
use super::moments::{Frame, Moments};
use super::principal::principal;
use super::weld::Record;
use crate::error::{Error, Kind, Result, What};
use crate::memory::{Layout, Sizes, sections};
use crate::pose::Pose;
use crate::real::{Real, max, min};
use glam::{DMat3, DQuat, DVec3};
use zerocopy::{FromBytes, Immutable, IntoBytes};

/// Mass properties, in the mesh's own frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub struct MassProperties {
    /// Density times volume.
    pub mass: f64,
    /// Never negative.
    pub volume: f64,
    /// Area of all triangles, without the fans that close holes.
    pub area: f64,
    /// Centre of mass; if there is no volume, centre of the area.
    pub centre: [f64; 3],
    /// Inertia tensor about the centre of mass: off-diagonal numbers are minus the integrals of x y.
    pub inertia: [[f64; 3]; 3],
    /// Principal moments in ascending order.
    pub moments: [f64; 3],
    /// Principal axes as rows, right-handed: the component of largest magnitude of the first and of the second is
    /// positive.
    pub axes: [[f64; 3]; 3],
    /// Uncertainty of the volume if the mesh is open; 0 if it is closed.
    pub volume_error: f64,
    /// Uncertainty of each coordinate of the centre, to first order.
    pub centre_error: f64,
    /// Uncertainty of each number of the inertia tensor, to first order.
    pub inertia_error: f64,
    /// Number of holes that were closed.
    pub holes: u64,
    /// Bits: [`MassProperties::INWARD`], [`MassProperties::FLAT`].
    pub state: u64,
}

impl MassProperties {
    /// Most of the surface looks inward; all results are those of the reversed mesh.
    pub const INWARD: u64 = 1;
    /// There is no volume beyond rounding, as for a sheet or a point: mass and inertia are zero, and the axes are those of the frame.
    pub const FLAT: u64 = 2;

    /// Pose of the mesh relative to its centre of mass and its principal axes. A compound with the mesh as its only part, at this pose, is the same
    /// body in the frame in which equations of motion are simplest.
    pub fn part_pose(&self) -> Pose {
        let [x, y, z] = self.axes.map(DVec3::from_array);
        // The axes are the rows of the rotation from the mesh's frame.
        let turn = DQuat::from_mat3(&DMat3::from_cols(x, y, z).transpose());
        let centre = DVec3::from_array(self.centre);
        let position = [x, y, z].map(|axis| 0.0 - axis.dot(centre));
        Pose { position, orientation: turn.to_array() }
    }
}

/// Scratch of [`mass_properties`]: about 48 bytes a triangle and 4 a vertex.
///
/// Errors: those of the sizes' own check; [`Kind::TooLarge`].
pub fn mass_scratch(n: &MeshSizes) -> Result<Layout> {
    n.check()?;
    Memory::layout(n)
}

sections! {
    /// Memory of an integration.
    struct Memory<'s>(n: &MeshSizes) {
        records: [Record; records(n)],
        parent: [u32; u64::from(n.vertices)],
    }
}

/// Mass properties of the body that a mesh encloses, filled with `density`.
///
/// The integrals over the tetrahedra from the middle of the mesh to each triangle are exact for polyhedra. So if the mesh is closed, the only error
/// is rounding, even far from the origin. Surfaces inside others count by their orientation: the wall of a hollow looks into the hollow.
///
/// If the mesh is open, a fan closes each hole, from the centre of its edges. The results include the uncertainty that this causes. `volume_error`
/// is a sum over the holes: the change of the volume if the fan's apex moves by the radius of the hole, in the worst direction. A fan
/// corrects a duplicate or a reversed triangle, too: the first has the uncertainty of a hole of its size, the second that of two.
///
/// Errors: [`Kind::NotFinite`] and [`Kind::OutOfRange`] for the density, which must be positive; [`Kind::OutOfRange`] for the mesh if a
/// result is too large or too small for an f64 (sizes of 2^200, or of 2^-200); [`Kind::Misaligned`] and [`Kind::Capacity`] for `scratch`,
/// which has the size of [`mass_scratch`]. Cost: O(n log n), one sort.
pub fn mass_properties(mesh: MeshRef<'_>, density: f64, scratch: &mut [u8]) -> Result<MassProperties> {
    if !density.is_finite() {
        return Err(Error::new(Kind::NotFinite, What::Density));
    }
    if density <= 0.0 {
        return Err(Error::new(Kind::OutOfRange, What::Density));
    }
    let Memory { records, parent } = Memory::new(scratch, &mesh.sizes)?;
    let frame = Frame::of(mesh);
    let mut moments = Moments::default();
    for i in 0..mesh.len() {
        let corners = frame.triangle(mesh, i);
        moments.add(1.0, corners);
        moments.add_area(corners);
    }
    let rims = rims(mesh, records, parent);
    for hole in holes(rims) {
        close(mesh, frame, hole, |weight, corners| moments.add(weight, corners));
    }
    let mut scaled = in_frame(&moments);
    add_errors(&mut scaled, mesh, frame, rims);
    from_frame(scaled, frame, density)
}

/// All results except mass and errors, for density 1 and coordinates of the frame.
fn in_frame(moments: &Moments) -> MassProperties {
    let area = moments.area();
    if moments.is_flat() {
        let axes = DMat3::IDENTITY.to_cols_array_2d();
        let centre = moments.area_centre().to_array();
        return MassProperties { area, centre, axes, state: MassProperties::FLAT, ..MassProperties::default() };
    }
    let (sign, state) = if moments.volume() < 0.0 { (-1.0, MassProperties::INWARD) } else { (1.0, 0) };
    let inertia = (moments.inertia() * sign).to_cols_array_2d();
    let (principal, axes) = principal(inertia);
    MassProperties {
        area,
        volume: moments.volume() * sign,
        centre: moments.centre().to_array(),
        inertia,
        moments: principal,
        axes,
        state,
        ..MassProperties::default()
    }
}

/// Adds the uncertainties. A volume `e` of unknown existence, no farther than `d` from the centre of mass, changes the first moment by at most
/// `e d`, and the second by `e d^2`. A number of the inertia tensor is the sum of two second moments.
fn add_errors(of: &mut MassProperties, mesh: MeshRef<'_>, frame: Frame, rims: &[Record]) {
    let centre = DVec3::from_array(of.centre);
    let mut first = 0.0;
    for rims in holes(rims) {
        let hole = close(mesh, frame, rims, |_, _| {});
        let error = hole.volume_error();
        let away = hole.apex - centre;
        let distance = Real::sqrt(away.dot(away)) + hole.reach;
        of.holes += 1;
        of.volume_error += error;
        first += error * distance;
        of.inertia_error += 2.0 * error * distance * distance;
    }
    // If nothing is known, the centre may be anywhere in the ball.
    of.centre_error = if first == 0.0 { 0.0 } else { min(first / of.volume, 2.0) };
}

/// Transforms results to the mesh's own coordinates.
fn from_frame(p: MassProperties, frame: Frame, density: f64) -> Result<MassProperties> {
    let unit = 1.0 / frame.scale;
    let cube = |x: f64| x * unit * unit * unit;
    let fifth = |x: f64| cube(x * density) * unit * unit;
    let centre = (DVec3::from_array(p.centre) * unit + frame.centre).to_array();
    let result = MassProperties {
        mass: cube(p.volume) * density,
        volume: cube(p.volume),
        area: p.area * unit * unit,
        centre: centre.map(|x| x + 0.0),
        inertia: p.inertia.map(|row| row.map(|x| fifth(x) + 0.0)),
        // The moment of a rod about its own axis may be less than the rounding error of the others.
        moments: p.moments.map(|x| max(fifth(x), 0.0)),
        volume_error: cube(p.volume_error),
        centre_error: p.centre_error * unit,
        inertia_error: fifth(p.inertia_error),
        ..p
    };
    let too_small = |x: f64, scaled: f64| scaled > 0.0 && x < f64::MIN_POSITIVE;
    let [least, _, most] = result.moments;
    let sums = [result.mass, result.volume, result.area, most, result.volume_error, result.inertia_error];
    let small =
        too_small(result.volume, p.volume) || too_small(result.mass, p.volume) || too_small(least, p.moments[0]);
    if small || sums.into_iter().chain(result.inertia.into_iter().flatten()).any(|x| !x.is_finite()) {
        return Err(Error::new(Kind::OutOfRange, What::Mesh));
    }
    Ok(result)
}
