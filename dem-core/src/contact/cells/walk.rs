//! The triangles around a vertex, found from one of them across shared edges.

use crate::mesh::MeshRef;

/// Visits the triangles around corner `corner` of a triangle while the visitor returns true. The visitor gets each triangle, its corner at that
/// vertex, and whether it lies behind the first triangle. Returns whether the triangles go all around.
pub(in crate::contact) fn walk(
    mesh: &MeshRef<'_>,
    triangle: u32,
    corner: usize,
    mut visit: impl FnMut(u32, usize, bool) -> bool,
) -> bool {
    if !visit(triangle, corner, false) {
        return false;
    }
    for backward in [false, true] {
        let edge = if backward { (corner + 2) % 3 } else { corner };
        let mut at = Some((triangle, corner, edge));
        // Bounds the walk in a damaged mesh.
        for _ in 0..mesh.len() {
            at = at.and_then(|(t, c, edge)| across(mesh, t, c, edge));
            let Some((t, c, _)) = at else { break };
            if t == triangle {
                return true;
            }
            if !visit(t, c, backward) {
                return false;
            }
        }
    }
    false
}

/// The triangle across an edge at a corner, the corner at which it has the same vertex, and its other edge there.
fn across(mesh: &MeshRef<'_>, triangle: u32, corner: usize, edge: usize) -> Option<(u32, usize, usize)> {
    let ours = mesh.welded(triangle as usize);
    let next = *mesh.neighbour.get(triangle as usize)?.get(edge)?;
    let theirs = mesh.welded(next as usize);
    let far = if edge == corner { ours[(corner + 1) % 3] } else { ours[(corner + 2) % 3] };
    let c = theirs.iter().position(|v| *v == ours[corner])?;
    let other = if theirs[(c + 1) % 3] == far { (c + 2) % 3 } else { c };
    Some((next, c, other))
}
