//! Which triangles lie in one plane: patches, grown from the largest triangle over shared vertices.

use glam::DVec3;

use super::faces::Around;
use crate::mesh::{MeshRef, NONE, Record, sort};
use crate::real::Real;

/// Triangles of a vertex beyond this number only neighbour each other over edges: the hub of a large fan costs no square.
const CROWD: usize = 64;

/// What growing patches needs beside the result.
pub(super) struct Growing<'s> {
    /// The triangles of each vertex.
    pub around: Around<'s>,
    /// As many items as there are triangles.
    pub records: &'s mut [Record],
    /// As many items as there are triangles.
    pub queue: &'s mut [u32],
}

/// Gives each triangle the first triangle of its patch. `normals` are zero for triangles that are in no patch but their own;
/// no corner of a patch is farther than `tolerance` from the plane of its largest triangle.
pub(super) fn patches(
    mesh: MeshRef<'_>,
    normals: &[[f64; 3]],
    tolerance: f64,
    scratch: Growing<'_>,
    patch: &mut [u32],
) {
    let Growing { around, records, queue } = scratch;
    patch.fill(NONE);
    for (i, to) in records.iter_mut().enumerate().take(mesh.len()) {
        // Positive numbers are ordered as their bits are.
        *to = [!size(&mesh, i).to_bits(), i as u64];
    }
    let seeds = records.get_mut(..mesh.len()).unwrap_or_default();
    sort(seeds);
    for [_, seed] in seeds.iter() {
        let seed = *seed as u32;
        if patch.get(seed as usize) == Some(&NONE) {
            grow(&Plane::new(mesh, normals, tolerance, seed), around, seed, queue, patch);
        }
    }
}

/// The plane of the largest triangle of a patch.
struct Plane<'t> {
    mesh: MeshRef<'t>,
    normals: &'t [[f64; 3]],
    normal: DVec3,
    origin: DVec3,
    tolerance: f64,
}

impl<'t> Plane<'t> {
    fn new(mesh: MeshRef<'t>, normals: &'t [[f64; 3]], tolerance: f64, seed: u32) -> Self {
        let normal = DVec3::from_array(normals.get(seed as usize).copied().unwrap_or_default());
        let origin = DVec3::from_array(mesh.triangle(seed as usize)[0]);
        Plane { mesh, normals, normal, origin, tolerance }
    }

    fn holds(&self, i: u32) -> bool {
        let normal = DVec3::from_array(self.normals.get(i as usize).copied().unwrap_or_default());
        let near = |c: [f64; 3]| (DVec3::from_array(c) - self.origin).dot(self.normal).abs() <= self.tolerance;
        normal.dot(self.normal) > 0.0 && self.mesh.triangle(i as usize).into_iter().all(near)
    }
}

fn grow(plane: &Plane<'_>, around: Around<'_>, seed: u32, queue: &mut [u32], patch: &mut [u32]) {
    let mesh = plane.mesh;
    let (mut taken, mut count, mut name) = (0, 0, seed);
    let mut take = |i: u32, queue: &mut [u32], patch: &mut [u32], count: &mut usize| {
        if let (Some(to), Some(entry)) = (patch.get_mut(i as usize), queue.get_mut(*count)) {
            (*to, *entry) = (seed, i);
            *count += 1;
            name = name.min(i);
        }
    };
    take(seed, queue, patch, &mut count);
    while taken < count {
        let at = queue.get(taken).copied().unwrap_or(seed);
        taken += 1;
        let over_edges = mesh.neighbour.get(at as usize).copied().unwrap_or([NONE; 3]);
        let lists = mesh.welded(at as usize).map(|v| around.of(v)).map(|l| if l.len() > CROWD { &[] } else { l });
        for next in over_edges.iter().chain(lists.into_iter().flatten()) {
            if patch.get(*next as usize) == Some(&NONE) && plane.holds(*next) {
                take(*next, queue, patch, &mut count);
            }
        }
    }
    for member in queue.iter().take(count) {
        if let Some(to) = patch.get_mut(*member as usize) {
            *to = name;
        }
    }
}

/// Four times the square of the area, in units of the mesh's radius.
fn size(mesh: &MeshRef<'_>, i: usize) -> f64 {
    let scale = mesh.radius().inverse_exponent();
    let [a, b, c] = mesh.triangle(i).map(DVec3::from_array);
    let cross = ((b - a) * scale).cross((c - a) * scale);
    cross.length_squared() + 0.0
}
