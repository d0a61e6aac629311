//! The triangles of a mesh near a point or a segment, or below a plane, for contacts of spheres, capsules and half-spaces; and the triangles whose
//! boxes meet a given object.

use super::Operand;
use super::nearest::{Local, Near, Search, Stack, damaged};
use crate::error::{Error, Result, What};
use crate::memory::Layout;
use crate::mesh::MeshRef;
use crate::real::{Real, max, min};
use crate::simd::{Isa, Kernel, Simd, dispatch};
use crate::surrogate::{Cluster, Origin};
use crate::triangle::kernel::decide;
use crate::vector::{add, cross, dot, safe_length, scale, sub};

/// Scratch for [`near_point`] and [`below_plane`], a few kilobytes.
pub(crate) fn around_scratch(operand: &Operand<'_>) -> Result<Layout> {
    Stack::layout(&operand.tree)
}

/// Writes the triangles whose distance from `point` (in the body's frame) is less than `bound`, by number, with canonical distances. Halos and the
/// pose have no effect.
///
/// Errors: [`Kind::Capacity`](crate::error::Kind::Capacity) for [`What::Pairs`]. Cost: logarithmic in the number of triangles,
/// plus some tens of nanoseconds for each one found.
pub(crate) fn near_point<'o>(
    isa: Isa,
    operand: &Operand<'_>,
    point: [f64; 3],
    bound: f64,
    out: &'o mut [Near],
    scratch: &mut [u8],
) -> Result<&'o mut [Near]> {
    let Stack { nodes, gaps } = Stack::new(scratch, &operand.tree)?;
    let search = Search::new(operand, nodes, gaps);
    let number = dispatch(isa, Ball { search, point, bound, out: &mut *out })?;
    let near = filled(out, number)?;
    near.sort_unstable_by_key(|near| near.triangle);
    Ok(near)
}

fn filled<T>(out: &mut [T], number: usize) -> Result<&mut [T]> {
    let given = out.len() as u64;
    out.get_mut(..number).ok_or(Error::capacity(What::Pairs, number as u64, given))
}

struct Ball<'t, 's, 'o> {
    search: Search<'t, 's>,
    point: [f64; 3],
    bound: f64,
    out: &'o mut [Near],
}

impl Kernel for Ball<'_, '_, '_> {
    type Output = Result<usize>;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> Result<usize> {
        let Ball { mut search, point, bound, out } = self;
        let local = Local::new(point, search.extent);
        search.within(simd, &local, bound, out)
    }
}

/// The smallest `normal.x` of three corners.
fn lowest(normal: [f64; 3], corners: [[f64; 3]; 3]) -> f64 {
    let [a, b, c] = corners.map(|corner| dot(normal, corner));
    min(a, min(b, c))
}

/// The record of a triangle as [`below_plane`] gives it, if it is below the plane.
pub(crate) fn if_below(mesh: &MeshRef<'_>, normal: [f64; 3], offset: f64, reach: f64, triangle: u32) -> Option<Near> {
    let distance = lowest(normal, mesh.triangle(triangle as usize)) - offset;
    (distance < reach).then_some(Near { distance, triangle, ..Near::default() })
}

/// Writes the triangles whose distance from the segment between two points (in the body's frame) is less than `bound`, by number, with canonical
/// distances. Halos and the pose have no effect.
///
/// Errors: [`Kind::Capacity`](crate::error::Kind::Capacity) for [`What::Pairs`] and [`Kind::Damaged`](crate::error::Kind::Damaged). Cost: as
/// [`near_point`], and a few hundred nanoseconds for each triangle whose bounds are near.
pub(crate) fn near_segment<'o>(
    operand: &Operand<'_>,
    ends: [[f64; 3]; 2],
    bound: f64,
    out: &'o mut [Near],
    scratch: &mut [u8],
) -> Result<&'o mut [Near]> {
    let stack = Stack::new(scratch, &operand.tree)?.nodes;
    let mesh = operand.mesh;
    let size = safe_length(mesh.centre()) + mesh.radius();
    let size = ends.iter().flatten().fold(size, |m, x| max(m, Real::abs(*x)));
    let segment = Segment::new(ends);
    // The rounding error in f64 is far below the slack.
    let slack = 1e-12 * (size + bound);
    let scale = size.inverse_exponent();
    let scaled = |v: [f64; 3]| v.map(|x| x * scale);
    let rod = [ends[0], ends[1], ends[0]].map(scaled);
    let mut number = 0;
    descend(
        operand,
        stack,
        |cluster, origin, shared| {
            lanes_of(cluster, |lane| {
                let corners = cluster.triangle(lane).map(|v| add(v.map(f64::from), origin.centre));
                segment.is_near(&corners, bound + (f64::from(cluster.halo(lane)) - shared) + slack)
            })
        },
        |triangle| {
            let corners = mesh.triangle(triangle as usize);
            if !segment.is_near(&corners, bound + slack) {
                return;
            }
            let found = decide(&rod, &corners.map(scaled));
            let distance = found.distance / scale;
            if distance < bound {
                if let Some(to) = out.get_mut(number) {
                    *to = Near { distance, point: found.point_b.map(|x| x / scale), triangle, ..Near::default() };
                }
                number += 1;
            }
        },
    )?;
    let near = filled(out, number)?;
    near.sort_unstable_by_key(|near| near.triangle);
    Ok(near)
}

/// A segment, for quick lower bounds.
struct Segment {
    from: [f64; 3],
    way: [f64; 3],
    square: f64,
}

impl Segment {
    fn new([from, to]: [[f64; 3]; 2]) -> Self {
        let way = sub(to, from);
        Segment { from, way, square: dot(way, way) }
    }

    /// Whether both the ball around a triangle and the triangle's plane come within this distance.
    fn is_near(&self, corners: &[[f64; 3]; 3], limit: f64) -> bool {
        let [a, b, c] = *corners;
        let middle = scale(add(add(a, b), c), 1.0 / 3.0);
        let radius = corners.iter().fold(0.0, |m, corner| max(m, safe_length(sub(*corner, middle))));
        let to = sub(middle, self.from);
        let part = if self.square > 0.0 { min(max(dot(to, self.way) / self.square, 0.0), 1.0) } else { 0.0 };
        let apart = safe_length(sub(to, scale(self.way, part)));
        if apart - radius > limit {
            return false;
        }
        let normal = cross(sub(b, a), sub(c, a));
        let length = safe_length(normal);
        if length <= 0.0 {
            return true;
        }
        let height = dot(normal, sub(self.from, a));
        let other = height + dot(normal, self.way);
        let lowest = if (height > 0.0) == (other > 0.0) { min(Real::abs(height), Real::abs(other)) } else { 0.0 };
        // Products of lengths have larger rounding errors.
        lowest <= (limit + 1e-12 * (apart + radius)) * length
    }
}

/// The bits of the nodes of a cluster for which `is_near` holds.
#[inline(always)]
fn lanes_of(cluster: &Cluster, is_near: impl Fn(usize) -> bool) -> u32 {
    (0..cluster.count()).fold(0, |bits, lane| bits | u32::from(is_near(lane)) << lane)
}

/// Descends a tree and passes triangles to `take`. `opens` gives the bits of the nodes of a cluster to descend into. It gets the origin of the
/// cluster's coordinates, and the halo that all triangles share.
#[inline(always)]
fn descend(
    operand: &Operand<'_>,
    stack: &mut [u32],
    opens: impl Fn(&Cluster, &Origin, f64) -> u32,
    mut take: impl FnMut(u32),
) -> Result<()> {
    let (mesh, tree) = (operand.mesh, operand.tree);
    // The halos of nodes include the halo that all triangles share.
    let shared = if mesh.sizes.halos == 0 { mesh.largest_halo() } else { 0.0 };
    let mut len = 0;
    let push = |len: &mut usize, cluster: u32, stack: &mut [u32]| {
        *stack.get_mut(*len).ok_or_else(damaged)? = cluster;
        *len += 1;
        Ok(())
    };
    for root in 0..tree.sizes.roots {
        push(&mut len, root, stack)?;
    }
    while len > 0 {
        len -= 1;
        let cluster = stack.get(len).and_then(|at| tree.clusters.get(*at as usize)).ok_or_else(damaged)?;
        let origin = tree.origins.get(cluster.origin()).ok_or_else(damaged)?;
        let near = opens(cluster, origin, shared);
        for lane in (0..cluster.count()).filter(|lane| near >> lane & 1 == 1) {
            if cluster.is_fine() {
                take(cluster.link[lane & 3]);
                continue;
            }
            for child in cluster.children(lane) {
                push(&mut len, child as u32, stack)?;
            }
        }
    }
    Ok(())
}

/// Writes the triangles that have a corner `x` with `normal.x - offset < reach`, by number; `normal` has unit length. Halos and the pose have no
/// effect.
///
/// The corners of a node less its halo bound everything below it; the rounding error in f64 is far below the slack.
///
/// Errors: [`Kind::Capacity`](crate::error::Kind::Capacity) and [`Kind::Damaged`](crate::error::Kind::Damaged). Cost: as [`near_point`].
pub(crate) fn below_plane<'o>(
    operand: &Operand<'_>,
    normal: [f64; 3],
    offset: f64,
    reach: f64,
    out: &'o mut [Near],
    scratch: &mut [u8],
) -> Result<&'o mut [Near]> {
    let stack = Stack::new(scratch, &operand.tree)?.nodes;
    let mesh = operand.mesh;
    let mut number = 0;
    descend(
        operand,
        stack,
        |cluster, origin, shared| {
            let base = dot(normal, origin.centre) - offset;
            let sizes = origin.centre.into_iter().fold(offset.abs() + origin.reach, |sum, x| sum + Real::abs(x));
            let limit = (reach - base) + (1e-12 * sizes - shared);
            lanes_of(cluster, |lane| {
                let corners = cluster.triangle(lane).map(|v| v.map(f64::from));
                // NaN counts as near.
                let far = lowest(normal, corners) - f64::from(cluster.halo(lane)) > limit;
                !far
            })
        },
        |triangle| {
            if let Some(near) = if_below(&mesh, normal, offset, reach, triangle) {
                out.get_mut(number).into_iter().for_each(|to| *to = near);
                number += 1;
            }
        },
    )?;
    let near = filled(out, number)?;
    near.sort_unstable_by_key(|near| near.triangle);
    Ok(near)
}

/// The most clusters that wait in the descent of any tree, for searches without scratch.
const MOST_WAITING: usize = 1024;

/// Calls `take` with each triangle for whose box (least and largest coordinates in the mesh's frame) `meets` holds. If `meets` holds for a box, it
/// must hold for all boxes that contain this box. Halos and the pose have no effect.
///
/// Errors: [`Kind::Damaged`](crate::error::Kind::Damaged). Cost: as [`near_point`] for the boxes that are near, and 4 KB of the stack.
pub(crate) fn with_boxes(
    operand: &Operand<'_>,
    meets: impl Fn([f64; 3], [f64; 3]) -> bool,
    mut take: impl FnMut(u32),
) -> Result<()> {
    let mut stack = [0; MOST_WAITING];
    let mesh = operand.mesh;
    descend(
        operand,
        &mut stack,
        |cluster, origin, shared| {
            let size = origin.centre.into_iter().fold(origin.reach, |sum, x| sum + Real::abs(x));
            lanes_of(cluster, |lane| {
                let corners = cluster.triangle(lane).map(|v| add(v.map(f64::from), origin.centre));
                // The halo is around all corners below; the rounding error in f64 is far below the slack.
                let wider = (f64::from(cluster.halo(lane)) - shared) + 1e-12 * size;
                let [low, high] = box_of(&corners);
                meets(low.map(|x| x - wider), high.map(|x| x + wider))
            })
        },
        |triangle| {
            let [low, high] = box_of(&mesh.triangle(triangle as usize));
            if meets(low, high) {
                take(triangle);
            }
        },
    )
}

fn box_of([a, b, c]: &[[f64; 3]; 3]) -> [[f64; 3]; 2] {
    [[0, 1, 2].map(|k| min(a[k], min(b[k], c[k]))), [0, 1, 2].map(|k| max(a[k], max(b[k], c[k])))]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::LIMIT;
    use crate::surrogate::{Options, TreeSizes};

    #[test]
    fn no_tree_has_more_clusters_that_wait() {
        for fan_out in 2..=64 {
            for leaf in [1, 4, 5, 16, 64] {
                let sizes = TreeSizes::new(LIMIT, &Options { fan_out, leaf, ..Options::default() });
                // One cluster of each level is being processed while its siblings wait; a leaf has clusters of its own.
                let most = sizes.map(|n| n.depth * 4 * fan_out.div_ceil(4) + 4 * leaf.div_ceil(4) + n.roots);
                assert!(most.is_ok_and(|most| most as usize <= MOST_WAITING) || sizes.is_err(), "{fan_out} {leaf}");
            }
        }
    }
}
