//! Velocities of surfaces at contacts, for rigid motions and moving vertices; and the loads on vertices.

use glam::DVec3;

use super::Contact;
use crate::array::{Array, Scalar, Strides as ArrayLayout};
use crate::error::{Error, Kind, Result, What};
use crate::memory::Layout;
use crate::mesh::MeshRef;
use crate::narrow::{Operand, PointOnMesh, SCALES, check_points, points, points_scratch};
use crate::real::{max, min};
use crate::simd::Isa;
use crate::vector::{add, cross, sub};
use zerocopy::IntoBytes;

/// The velocities of a mesh's vertices in its own frame: the velocities between one refit and the next.
#[derive(Clone, Copy)]
pub struct Vertices<'a> {
    /// Mesh, tree, pose and scale.
    pub operand: Operand<'a>,
    /// One item for each vertex that the mesh was built from, in their order: unscaled lengths over time, in the mesh's frame.
    pub velocities: Array<'a>,
}

/// The motion of a body: `v(x) = velocity + spin x (x - centre)`, plus the velocities of vertices on its surface.
#[derive(Clone, Copy, Default)]
pub struct SurfaceMotion<'a> {
    /// Velocity of the body at `centre`, in world axes.
    pub velocity: [f64; 3],
    /// Angular velocity, in world axes: radians over time.
    pub spin: [f64; 3],
    /// Usually the centre of mass, in world coordinates.
    pub centre: [f64; 3],
    /// Velocities of vertices in the body's frame, if vertices move.
    pub vertices: Option<Vertices<'a>>,
}

/// Scratch for [`relative_velocities`]: a few kilobytes if vertices move, else none.
///
/// Errors: [`Kind::TooLarge`].
pub fn velocities_scratch(a: &SurfaceMotion<'_>, b: &SurfaceMotion<'_>) -> Result<Layout> {
    let mut largest = Layout::EMPTY;
    for moving in [a, b].into_iter().filter_map(|motion| motion.vertices) {
        largest = largest.or(points_scratch(&moving.operand)?);
    }
    Ok(largest)
}

/// The positions of contacts, as a view without a copy.
pub fn positions(contacts: &[Contact]) -> Array<'_> {
    let stride = size_of::<Contact>();
    let layout = ArrayLayout { count: contacts.len(), stride, component_stride: 8, scalar: Scalar::F64 };
    let bytes = contacts.as_bytes().get(core::mem::offset_of!(Contact, position)..).unwrap_or_default();
    // The last item ends inside its record.
    Array::new(bytes, layout, What::Contacts).unwrap_or(Array::from_f64(&[]))
}

/// For each contact position (world coordinates), the velocity of A's surface there less that of B's.
///
/// The rigid part is evaluated at the position. If vertices move, their velocities are interpolated linearly and rotated with the body. The
/// triangle is that at the mesh point closest to the position (of equally close triangles the first). Velocities of welded vertices agree, so
/// they form one continuous field on the surface. The result is continuous in the position and in the vertices wherever the closest point is.
/// Between the two sides of a fold that are equally near, the result jumps by at most the largest velocity gradient times twice their distance.
/// (This distance is at most a gap, if bodies do not penetrate.)
///
/// If all vertices have the same velocity, the mesh moves as a rigid body with that velocity. A uniform gradient of velocity (stretch,
/// shear) gives an exact result.
///
/// `out` has an item for each position; `scratch` is [`velocities_scratch`].
///
/// Errors: [`Kind::Capacity`] for `out` and scratch; [`Kind::Mismatch`] for [`What::Velocities`] if their number is not that of the vertices;
/// [`Kind::NotFinite`] for velocities, with vertex and component, and for a motion ([`What::MotionA`], [`What::MotionB`]; component 0 to 2:
/// velocity, 3 to 5: spin, 6 to 8: centre, 9: scale), and [`Kind::OutOfRange`] for an invalid scale; those of [`points`]. After an error nothing
/// is written, except for errors of [`points`]. Cost: some nanoseconds for each position, some hundred if vertices move, and one pass over their
/// velocities.
pub fn relative_velocities(
    isa: Isa,
    a: &SurfaceMotion<'_>,
    b: &SurfaceMotion<'_>,
    positions: Array<'_>,
    out: &mut [[f64; 3]],
    scratch: &mut [u8],
) -> Result<()> {
    relative_motions(isa, (a, b), positions, (out, &mut []), scratch)
}

/// [`relative_velocities`], and the spin of A's surface at each position less that of B's. These spins come from vertices alone, without the
/// spins of the bodies. There are as many `spins` as positions, or none.
///
/// The triangle is the one over which velocities are interpolated: see [`Vertices::spin`]. All points of a triangle have the same spin, and the
/// spin may jump from one triangle to the next. With `spins`, velocities are those of a body that rotates with the triangle. They are taken at
/// the position, not at the closest point, which is half a gap away. So vertices that move rigidly give the same result as a rigid body. Errors
/// and cost: those of [`relative_velocities`].
pub(crate) fn relative_motions(
    isa: Isa,
    (a, b): (&SurfaceMotion<'_>, &SurfaceMotion<'_>),
    positions: Array<'_>,
    (out, spins): (&mut [[f64; 3]], &mut [[f64; 3]]),
    scratch: &mut [u8],
) -> Result<()> {
    let given = out.len() as u64;
    let short = Error::capacity(What::Output, positions.len() as u64, given);
    let out = out.get_mut(..positions.len()).ok_or(short)?;
    velocities_scratch(a, b)?.check(scratch, What::Scratch)?;
    for (motion, what) in [(a, What::MotionA), (b, What::MotionB)] {
        motion.check(what)?;
    }
    positions.check_finite(What::Points)?;
    for vertices in [a, b].into_iter().filter_map(|motion| motion.vertices.as_ref()) {
        check_points(&vertices.operand, positions)?;
    }
    out.fill([0.0; 3]);
    spins.fill([0.0; 3]);
    for (motion, sign) in [(a, 1.0), (b, -1.0)] {
        motion.rigid(sign, positions, out);
        if let Some(vertices) = &motion.vertices {
            vertices.add(isa, sign, positions, (&mut *out, &mut *spins), scratch)?;
        }
    }
    out.iter_mut().flatten().for_each(|x| *x += 0.0);
    Ok(())
}

impl SurfaceMotion<'_> {
    fn check(&self, what: What) -> Result<()> {
        let numbers = self.velocity.iter().chain(&self.spin).chain(&self.centre);
        if let Some((i, _)) = numbers.enumerate().find(|(_, x)| !x.is_finite()) {
            return Err(Error::new(Kind::NotFinite, what).at(0, i as u32));
        }
        let Some(vertices) = &self.vertices else { return Ok(()) };
        const SCALE: u32 = 9;
        let scale = vertices.operand.scale;
        if !scale.is_finite() {
            return Err(Error::new(Kind::NotFinite, what).at(0, SCALE));
        }
        if !SCALES.contains(&scale) {
            return Err(Error::new(Kind::OutOfRange, what).at(0, SCALE));
        }
        let (needed, given) = (vertices.operand.mesh.weld.len(), vertices.velocities.len());
        if needed != given {
            return Err(Error::new(Kind::Mismatch, What::Velocities).amounts(needed as u64, given as u64));
        }
        vertices.velocities.check_finite(What::Velocities)
    }

    fn rigid(&self, sign: f64, positions: Array<'_>, out: &mut [[f64; 3]]) {
        for (i, to) in out.iter_mut().enumerate() {
            *to = (DVec3::from_array(*to) + self.rigid_at(positions.get(i)) * sign).to_array();
        }
    }

    /// The velocity at a position, without the part of moving vertices.
    #[inline(always)]
    pub(crate) fn rigid_at(&self, position: [f64; 3]) -> DVec3 {
        let [velocity, spin, centre] = [self.velocity, self.spin, self.centre].map(DVec3::from_array);
        velocity + spin.cross(DVec3::from_array(position) - centre)
    }
}

/// Number of points in one query.
const CHUNK: usize = 16;

impl Vertices<'_> {
    fn add(
        &self,
        isa: Isa,
        sign: f64,
        positions: Array<'_>,
        (out, spins): (&mut [[f64; 3]], &mut [[f64; 3]]),
        scratch: &mut [u8],
    ) -> Result<()> {
        let Operand { pose, scale, .. } = self.operand;
        let turn = pose.transform(What::Pose)?;
        closest(isa, &self.operand, positions, scratch, |i, triangle, weights, above| {
            let own = turn.rotate(self.interpolated(triangle, weights).map(|v| v * (sign * scale)));
            if let Some(to) = out.get_mut(i) {
                *to = add(*to, own);
            }
            if let (Some(to), Some(out)) = (spins.get_mut(i), out.get_mut(i)) {
                let own = turn.rotate(self.spin(triangle).map(|w| w * sign));
                (*to, *out) = (add(*to, own), add(*out, cross(own, above)));
            }
        })
    }

    /// Spin of a triangle in the frame of the mesh: radians over time.
    ///
    /// Along the triangle's normal n the spin is half of the curl of the velocity, so stretch gives none. Across n it is `n x dn/dt`: the
    /// rotation of the normal. If the corners move rigidly, the spin is their angular velocity. A triangle whose height is below 1e-10 of its
    /// length gives 0, because rounding would dominate its spin.
    fn spin(&self, triangle: usize) -> [f64; 3] {
        let corners = self.operand.mesh.vertex.get(triangle).copied().unwrap_or_default();
        let velocity = corners.map(|v| DVec3::from_array(self.velocities.get(v as usize)));
        let [a, b, c] = self.operand.mesh.triangle(triangle).map(DVec3::from_array);
        let (e, f) = (b - a, c - a);
        let size = max(e.abs().max_element(), f.abs().max_element());
        if size == 0.0 {
            return [0.0; 3];
        }
        // Scaled by the size of the triangle, squares neither overflow nor underflow.
        let [e, f, e_rate, f_rate] =
            [e, f, velocity[1] - velocity[0], velocity[2] - velocity[0]].map(|side| side / size);
        let normal = e.cross(f);
        let square = normal.dot(normal);
        const FLAT: f64 = 1e-20;
        if square <= FLAT {
            return [0.0; 3];
        }
        let along = 0.5 * (e_rate.dot(f) - f_rate.dot(e));
        let turned = normal * along + e * normal.dot(f_rate) - f * normal.dot(e_rate);
        let spin = turned / square;
        if spin.is_finite() { spin.to_array() } else { [0.0; 3] }
    }

    /// The velocity at a point of a triangle, in the frame of the mesh.
    fn interpolated(&self, triangle: usize, weights: [f64; 2]) -> [f64; 3] {
        let corners = self.operand.mesh.vertex.get(triangle).copied().unwrap_or_default();
        let all = corners.map(|v| DVec3::from_array(self.velocities.get(v as usize)));
        // Differences keep a velocity that is common to all corners exact to the last bit.
        (all[0] + (all[1] - all[0]) * weights[0] + (all[2] - all[0]) * weights[1]).to_array()
    }
}

/// The load on each vertex of a mesh from forces at these positions (world coordinates), in world axes.
///
/// The function finds the mesh point that is closest to a force's position. The corners of the triangle at this point share the force, each by
/// its weight at that point. This is the transpose of the interpolation in [`relative_velocities`]. So the loads sum to the forces, and the power
/// of the forces at interpolated velocities is that of the loads at the velocities of the vertices. The torque of moving a force to the closest
/// point is lost. `out` has an item for each vertex from which the mesh was built; a vertex without a load has zeros. Sums are formed in the
/// order of positions.
///
/// `scratch` is that of [`points`]. Errors: [`Kind::Capacity`] for `out` and scratch; [`Kind::Mismatch`] for [`What::Forces`] if their number is
/// not that of the positions; [`Kind::NotFinite`] for forces; those of [`points`]. After an error nothing is written, except for a damaged tree.
/// Cost: some tenths of a microsecond for each position.
pub fn vertex_loads(
    isa: Isa,
    operand: &Operand<'_>,
    positions: Array<'_>,
    forces: Array<'_>,
    out: &mut [[f64; 3]],
    scratch: &mut [u8],
) -> Result<()> {
    let (needed, given) = (operand.mesh.weld.len(), out.len() as u64);
    let out = out.get_mut(..needed).ok_or(Error::capacity(What::Output, needed as u64, given))?;
    if forces.len() != positions.len() {
        return Err(Error::new(Kind::Mismatch, What::Forces).amounts(positions.len() as u64, forces.len() as u64));
    }
    points_scratch(operand)?.check(scratch, What::Scratch)?;
    check_points(operand, positions)?;
    forces.check_finite(What::Forces)?;
    out.fill([0.0; 3]);
    add_loads(isa, operand, positions, forces, out, scratch)
}

/// Adds these loads to `out`, for positions that passed [`check_points`].
pub(crate) fn add_loads(
    isa: Isa,
    operand: &Operand<'_>,
    positions: Array<'_>,
    forces: Array<'_>,
    out: &mut [[f64; 3]],
    scratch: &mut [u8],
) -> Result<()> {
    closest(isa, operand, positions, scratch, |i, triangle, weights, _| {
        let force = DVec3::from_array(forces.get(i));
        let corners = operand.mesh.vertex.get(triangle).copied().unwrap_or_default();
        let [v, w] = weights;
        for (corner, weight) in corners.into_iter().zip([1.0 - v - w, v, w]) {
            if let Some(to) = out.get_mut(corner as usize) {
                *to = (DVec3::from_array(*to) + force * weight).to_array();
            }
        }
    })
}

/// Calls `each` for each position with its index, the closest triangle, the weights of corners 1 and 2 at the closest point, and the vector from
/// that point to the position, in world axes.
pub(crate) fn closest(
    isa: Isa,
    operand: &Operand<'_>,
    positions: Array<'_>,
    scratch: &mut [u8],
    mut each: impl FnMut(usize, usize, [f64; 2], [f64; 3]),
) -> Result<()> {
    let turn = operand.pose.transform(What::Pose)?;
    let mut found = [PointOnMesh::default(); CHUNK];
    for first in (0..positions.len()).step_by(CHUNK) {
        let count = positions.len().saturating_sub(first).min(CHUNK);
        let mut at = [[0.0; 3]; CHUNK];
        at.iter_mut().take(count).enumerate().for_each(|(i, to)| *to = positions.get(first + i));
        let at = Array::from_f64(at.get(..count).unwrap_or_default());
        points(isa, operand, at, f64::INFINITY, &mut found, scratch)?;
        for (i, found) in found.iter().take(count).enumerate() {
            let apart = [0, 1, 2].map(|c| found.point[c] - operand.pose.position[c]);
            let at = turn.rotate_back(apart).map(|x| x / operand.scale);
            let triangle = found.triangle as usize;
            let above = sub(positions.get(first + i), found.point);
            each(first + i, triangle, weights(&operand.mesh, triangle, DVec3::from_array(at)), above);
        }
    }
    Ok(())
}

/// The weights of corners 1 and 2 at a point of a triangle; for a triangle without area, at a point of its longest side.
fn weights(mesh: &MeshRef<'_>, triangle: usize, at: DVec3) -> [f64; 2] {
    let [a, b, c] = mesh.triangle(triangle).map(DVec3::from_array);
    let (e, f, p) = (b - a, c - a, at - a);
    let normal = e.cross(f);
    let square = normal.dot(normal);
    let within = |x: f64, most: f64| min(max(x, 0.0), most);
    if square > 0.0 && square < f64::INFINITY {
        let v = within(normal.dot(p.cross(f)) / square, 1.0);
        return [v, within(normal.dot(e.cross(p)) / square, 1.0 - v)];
    }
    let along = |from: DVec3, side: DVec3| {
        let length = side.dot(side);
        if length > 0.0 { within((at - from).dot(side) / length, 1.0) } else { 0.0 }
    };
    let [le, lf, lg] = [e, f, c - b].map(|side| side.dot(side));
    if lg > le && lg > lf {
        let w = along(b, c - b);
        [1.0 - w, w]
    } else if lf > le {
        [0.0, along(a, f)]
    } else {
        [along(a, e), 0.0]
    }
}
