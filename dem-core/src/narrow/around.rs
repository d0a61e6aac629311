//! Which triangles of a mesh are near a point, and which are below a plane: what spheres and half-spaces ask.

use super::Operand;
use super::nearest::{Local, Near, Search, Stack, damaged};
use crate::error::{Error, Result, What};
use crate::memory::Layout;
use crate::mesh::MeshRef;
use crate::real::{Real, min};
use crate::simd::{Isa, Kernel, Simd, dispatch};
use crate::vector::dot;

/// Scratch for [`near_point`] and [`below_plane`], a few kilobytes.
pub(crate) fn around_scratch(operand: &Operand<'_>) -> Result<Layout> {
    Stack::layout(&operand.tree)
}

/// Writes the triangles whose distance from `point` (in the body's frame) is less than `bound`, by number, with canonical
/// distances. Halos play no part, nor does the pose.
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

/// The least `normal.x` of three corners.
fn lowest(normal: [f64; 3], corners: [[f64; 3]; 3]) -> f64 {
    let [a, b, c] = corners.map(|corner| dot(normal, corner));
    min(a, min(b, c))
}

/// The triangle as [`below_plane`] gives it, if it does.
pub(crate) fn if_below(mesh: &MeshRef<'_>, normal: [f64; 3], offset: f64, reach: f64, triangle: u32) -> Option<Near> {
    let distance = lowest(normal, mesh.triangle(triangle as usize)) - offset;
    (distance < reach).then_some(Near { distance, triangle, ..Near::default() })
}

/// Writes the triangles of which a corner `x` has `normal.x - offset < reach`, by number; `normal` has unit length. Halos
/// play no part, nor does the pose.
///
/// A node's corners less its halo bound everything below it; what rounding adds to that in f64 is far below the slack.
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
    let (mesh, tree) = (operand.mesh, operand.tree);
    let lowest = |corners| lowest(normal, corners);
    // All triangles' own halo is in that of nodes.
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
    let mut number = 0;
    while len > 0 {
        len -= 1;
        let cluster = stack.get(len).and_then(|at| tree.clusters.get(*at as usize)).ok_or_else(damaged)?;
        let origin = tree.origins.get(cluster.origin()).ok_or_else(damaged)?;
        let base = dot(normal, origin.centre) - offset;
        let sizes = origin.centre.into_iter().fold(offset.abs() + origin.reach, |sum, x| sum + Real::abs(x));
        let limit = (reach - base) + (1e-12 * sizes - shared);
        for lane in 0..cluster.count() {
            let corners = cluster.triangle(lane).map(|v| v.map(f64::from));
            if lowest(corners) - f64::from(cluster.halo(lane)) > limit {
                continue;
            }
            if !cluster.is_fine() {
                for child in cluster.children(lane) {
                    push(&mut len, child as u32, stack)?;
                }
                continue;
            }
            let triangle = cluster.link[lane & 3];
            if let Some(near) = if_below(&mesh, normal, offset, reach, triangle) {
                out.get_mut(number).into_iter().for_each(|to| *to = near);
                number += 1;
            }
        }
    }
    let near = filled(out, number)?;
    near.sort_unstable_by_key(|near| near.triangle);
    Ok(near)
}
