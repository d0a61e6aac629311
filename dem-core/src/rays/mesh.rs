//! Casts one ray at a mesh, front to back through its tree.
//!
//! Everything below a node is in the box around its corners, enlarged by its halo. Boxes are computed in f64 from corners in f32.
//!
//! # Rounding
//! Corners are displaced by 2 u of the reach of their origin, with u = 2^-24; the slack is 16 u of it. The ray's origin relative to the
//! cluster's origin errs by 2^-53 of both; the slack includes 64 times that, too.
//!
//! # Bound of the stack
//! An item is a run of sibling clusters. A step takes the first cluster of a run, pushes the rest again, and pushes one run for each node but the
//! nearest: at most four items for a level. There are no more than 32 levels with two nodes each, 21 with three, and 17 with four.

use super::triangle::Sheared;
use super::{All, Closest, Goal, Hit, Ray, largest};
use crate::error::{Error, Kind, Result, What};
use crate::mesh::{LARGEST, MeshRef};
use crate::narrow::{Operand, PointSide};
use crate::pose::Transform;
use crate::real::{Real, max, min};
use crate::surrogate::{Cluster, Origin, TreeRef, WIDTH};
use crate::vector::{cross, safe_length, scale, sub};

/// The first point of a mesh that a ray meets. Of equal ones, that of the triangle with the smallest number. `None` if there is none.
///
/// A ray exactly through an edge or a corner meets one of the triangles there. It meets a closed surface as often from outside as from
/// inside; it may miss an open rim. Of triangles that exist twice, both are met. Coordinates are rounded once to f64, by the pose and by a
/// shear. Triangles that are exactly edge-on are not met.
///
/// Errors: those of [`Ray::check`], of the pose and the scale; [`Kind::OutOfRange`] if the origin is 2^1000 or more away, in the mesh's
/// units; [`Kind::Mismatch`] for a tree of another mesh; [`Kind::Damaged`] for a damaged tree. Cost: logarithmic in the number of triangles
/// for rays that meet a surface at an angle. No scratch.
pub fn cast_mesh(operand: &Operand<'_>, ray: &Ray) -> Result<Option<Hit>> {
    ray.check()?;
    let mut goal = Closest::within(ray.most);
    one(operand, ray, &mut goal)?;
    Ok(goal.best)
}

/// All points of a mesh that a ray meets, in order, and their number. Of equal ones, that of the triangle with the smallest number comes first.
///
/// Errors: those of [`cast_mesh`]; [`Kind::Capacity`] with their number if `out` is too small, whose content is then arbitrary.
/// Cost: as for [`cast_mesh`], and the hits sorted.
pub fn cast_mesh_all(operand: &Operand<'_>, ray: &Ray, out: &mut [Hit]) -> Result<usize> {
    ray.check()?;
    let mut goal = All::within(ray.most, out);
    one(operand, ray, &mut goal)?;
    goal.finish()
}

fn one(operand: &Operand<'_>, ray: &Ray, goal: &mut impl Goal) -> Result<()> {
    let Operand { mesh, tree, pose, scale } = *operand;
    let turn = pose.transform(What::Pose)?;
    let turn = Transform { translation: sub(turn.translation, ray.origin), ..turn };
    Target { mesh, tree, turn, scale, part: 0 }.cast(ray, goal)
}

/// A mesh as seen from a ray's origin.
pub(super) struct Target<'t> {
    pub mesh: MeshRef<'t>,
    pub tree: TreeRef<'t>,
    /// The transform from the mesh to a frame about the ray's origin.
    pub turn: Transform,
    pub scale: f64,
    pub part: u32,
}

impl Target<'_> {
    pub fn cast(&self, ray: &Ray, goal: &mut impl Goal) -> Result<()> {
        if self.tree.sizes.triangles as usize != self.mesh.len() {
            return Err(Error::new(Kind::Mismatch, What::Tree));
        }
        crate::narrow::check_scale(self.scale, 0)?;
        let origin = self.turn.apply_back([0.0; 3]).map(|x| x / self.scale);
        if let Some(component) = origin.iter().position(|x| x.is_nan() || Real::abs(*x) >= LARGEST[1]) {
            return Err(Error::new(Kind::OutOfRange, What::Rays).at(0, component as u32));
        }
        let by = largest(ray.direction).inverse_exponent();
        let direction = self.turn.rotate_back(scale(ray.direction, by));
        let extent = safe_length(self.mesh.centre()) + self.mesh.radius();
        let sheared = Sheared::new(origin, direction, extent);
        // `by` and `scale` turn the parameter at which the mesh is met into `t`.
        Walk { target: self, ray, sheared, per: self.scale * by, inverse: direction.map(|x| 1.0 / x) }.down(goal)
    }
}

/// A run of sibling clusters that wait.
#[derive(Clone, Copy)]
struct Run {
    first: u32,
    number: u32,
    /// A lower bound for the parameter at which the ray meets anything below, in the mesh's units.
    near: f64,
}

const ITEMS: usize = 160;

struct Stack {
    items: [Run; ITEMS],
    len: usize,
}

impl Stack {
    fn push(&mut self, run: Run) -> Result<()> {
        *self.items.get_mut(self.len).ok_or_else(damaged)? = run;
        self.len += 1;
        Ok(())
    }

    fn pop(&mut self) -> Option<Run> {
        self.len = self.len.checked_sub(1)?;
        self.items.get(self.len).copied()
    }
}

struct Walk<'t> {
    target: &'t Target<'t>,
    ray: &'t Ray,
    sheared: Sheared,
    per: f64,
    inverse: [f64; 3],
}

/// Covers the rounding of four divisions and products.
const MORE: f64 = 1.0 + 16.0 * f64::UNIT_ROUNDOFF;

impl Walk<'_> {
    fn down(&self, goal: &mut impl Goal) -> Result<()> {
        let Target { mesh, tree, .. } = self.target;
        let shared = if mesh.sizes.halos == 0 { mesh.largest_halo() } else { 0.0 };
        let none = Run { first: 0, number: 0, near: 0.0 };
        let mut stack = Stack { items: [none; ITEMS], len: 0 };
        stack.push(Run { number: tree.sizes.roots, ..none })?;
        while let Some(Run { first, number, near }) = stack.pop() {
            let limit = goal.limit() / self.per * MORE;
            if near > limit || number == 0 {
                continue;
            }
            if number > 1 {
                stack.push(Run { first: first.saturating_add(1), number: number - 1, near })?;
            }
            let cluster = tree.clusters.get(first as usize).ok_or_else(damaged)?;
            let origin = tree.origins.get(cluster.origin()).ok_or_else(damaged)?;
            let (mut met, nears) = self.boxes(cluster, origin, shared, limit);
            while met != 0 {
                // The farthest node is pushed first, so that the nearest ends on top of the stack.
                let lane =
                    (0..WIDTH).filter(|lane| met >> lane & 1 == 1).fold(WIDTH, |far, lane| match nears.get(far) {
                        Some(x) if *x >= nears[lane] => far,
                        _ => lane,
                    });
                met &= !(1 << lane);
                if cluster.is_fine() {
                    self.triangle(cluster.link[lane & 3], goal);
                } else {
                    let children = cluster.children(lane);
                    let number = children.len() as u32;
                    stack.push(Run { first: children.start as u32, number, near: nears[lane & 3] })?;
                }
            }
        }
        Ok(())
    }

    /// Bits of the nodes that the ray may meet within a limit, and lower bounds of where it meets them.
    #[inline(always)]
    fn boxes(&self, cluster: &Cluster, origin: &Origin, shared: f64, limit: f64) -> (u32, [f64; WIDTH]) {
        let seen = sub(self.sheared.origin, origin.centre);
        let size = largest(self.sheared.origin) + largest(origin.centre);
        let slack = 16.0 * f64::from(f32::UNIT_ROUNDOFF) * origin.reach + 64.0 * f64::UNIT_ROUNDOFF * size;
        let wide = cluster.rows[Cluster::HALO].map(|halo| f64::from(halo) - shared + slack);
        let (mut near, mut far) = ([0.0; WIDTH], [limit; WIDTH]);
        for (k, seen) in seen.into_iter().enumerate() {
            let row = |corner: usize| &cluster.rows[Cluster::row(corner, k)];
            let [a, b, c] = [row(0), row(1), row(2)];
            let (direction, inverse) = (self.sheared.direction[k], self.inverse[k]);
            for lane in 0..WIDTH {
                let low = f64::from(min(min(a[lane], b[lane]), c[lane])) - wide[lane] - seen;
                let high = f64::from(max(max(a[lane], b[lane]), c[lane])) + wide[lane] - seen;
                if direction == 0.0 {
                    far[lane] = if low > 0.0 || high < 0.0 { -1.0 } else { far[lane] };
                } else if inverse.is_finite() {
                    let (x, y) = (low * inverse, high * inverse);
                    near[lane] = max(near[lane], min(x, y));
                    far[lane] = min(far[lane], max(x, y));
                }
            }
        }
        let mut met = 0;
        for lane in 0..WIDTH {
            near[lane] /= MORE;
            met |= u32::from(near[lane] <= far[lane] * MORE) << lane;
        }
        (met & ((1 << cluster.count()) - 1), near)
    }

    #[inline(always)]
    fn triangle(&self, triangle: u32, goal: &mut impl Goal) {
        let corners = self.target.mesh.triangle(triangle as usize);
        let Some(met) = self.sheared.meet(&corners) else { return };
        let side = if met.outside { PointSide::Outside } else { PointSide::Inside } as u32;
        let hit = Hit { t: met.along * self.per, body: 0, part: self.target.part, triangle, side, ..Hit::NOTHING };
        goal.take(hit, |hit| {
            hit.point = self.ray.at(hit.t);
            hit.normal = self.target.turn.rotate(normal(corners.map(|x| scale(x, self.sheared.unit)))).map(|x| x + 0.0);
        });
    }
}

/// The unit normal of a triangle with a size of about 1 or less; zeros if it has none.
fn normal([a, b, c]: [[f64; 3]; 3]) -> [f64; 3] {
    let edges = [sub(b, a), sub(c, a)].map(|edge| scale(edge, largest(edge).inverse_exponent()));
    let normal = cross(edges[0], edges[1]);
    let length = safe_length(normal);
    if length > 0.0 { normal.map(|x| x / length) } else { [0.0; 3] }
}

#[cold]
fn damaged() -> Error {
    Error::new(Kind::Damaged, What::Tree)
}
