//! Patches: triangles in one plane, grown from the largest triangle over shared vertices.

use glam::DVec3;

use super::faces::VertexFaces;
use crate::contact::unit;
use crate::mesh::{MeshRef, NONE, Record, sort};
use crate::real::Real;

/// At a vertex with more triangles than this, patches neighbour each other over edges only, and cones at an edge belong to the triangles of that
/// edge. So the hub of a large fan causes no quadratic cost.
pub(in crate::contact) const CROWD: usize = 64;

/// Scratch for growing patches.
pub(in crate::contact) struct Growing<'s> {
    /// The triangles of each vertex.
    pub around: VertexFaces<'s>,
    /// Scratch with an item for each triangle.
    pub records: &'s mut [Record],
    /// Scratch with an item for each triangle.
    pub queue: &'s mut [u32],
}

/// Gives each triangle the first triangle of its patch. Triangles with zero `normals` form patches of their own. Another triangle joins a patch
/// if its corners are no farther than `tolerance` from the plane of the patch grown so far.
pub(in crate::contact) fn patches(
    mesh: MeshRef<'_>,
    normals: &[[f64; 3]],
    tolerance: f64,
    scratch: Growing<'_>,
    patch: &mut [u32],
) {
    let Growing { around, records, queue } = scratch;
    patch.fill(NONE);
    for (i, to) in records.iter_mut().enumerate().take(mesh.len()) {
        // The bits of positive numbers have the order of the numbers.
        *to = [!size(&mesh, i).to_bits(), i as u64];
    }
    let seeds = records.get_mut(..mesh.len()).unwrap_or_default();
    sort(seeds);
    for [_, seed] in seeds.iter() {
        let seed = *seed as u32;
        if patch.get(seed as usize) == Some(&NONE) {
            grow(Plane::new(mesh, normals, tolerance), around, seed, queue, patch);
        }
    }
}

/// The plane of a patch grown so far: through the mean of its triangles, across the sum of their area vectors. A plane through one small triangle
/// with rounded corners would miss the far end of its wall by much more than the rounding.
struct Plane<'t> {
    mesh: MeshRef<'t>,
    normals: &'t [[f64; 3]],
    tolerance: f64,
    middle: DVec3,
    scale: f64,
    /// Sums of areas, and of areas times centroids.
    area: f64,
    moment: DVec3,
    /// Sum of area vectors.
    across: DVec3,
    /// Unit length, or zero.
    normal: DVec3,
    origin: DVec3,
}

impl<'t> Plane<'t> {
    fn new(mesh: MeshRef<'t>, normals: &'t [[f64; 3]], tolerance: f64) -> Self {
        let (zero, scale) = (DVec3::ZERO, mesh.radius().inverse_exponent());
        let (middle, tolerance) = (DVec3::from_array(mesh.centre()), tolerance * scale);
        Plane {
            mesh,
            normals,
            tolerance,
            middle,
            scale,
            area: 0.0,
            moment: zero,
            across: zero,
            normal: zero,
            origin: zero,
        }
    }

    /// In units of the mesh's radius, about its centre.
    fn corners(&self, i: u32) -> [DVec3; 3] {
        self.mesh.triangle(i as usize).map(|c| (DVec3::from_array(c) - self.middle) * self.scale)
    }

    fn normal_of(&self, i: u32) -> DVec3 {
        self.normals.get(i as usize).map_or(DVec3::ZERO, |n| DVec3::from_array(*n))
    }

    fn holds(&self, i: u32) -> bool {
        let near = |c: DVec3| (c - self.origin).dot(self.normal).abs() <= self.tolerance;
        self.normal_of(i).dot(self.normal) > 0.0 && self.corners(i).into_iter().all(near)
    }

    fn add(&mut self, i: u32) {
        let [a, b, c] = self.corners(i);
        let across = (b - a).cross(c - a);
        let area = across.dot(self.normal_of(i));
        self.area += area;
        self.moment += (a + b + c) * (area * (1.0 / 3.0));
        self.across += across;
        if let Some((normal, _)) = unit(self.across)
            && self.area > 0.0
        {
            (self.normal, self.origin) = (normal, self.moment / self.area);
        }
    }
}

fn grow(mut plane: Plane<'_>, around: VertexFaces<'_>, seed: u32, queue: &mut [u32], patch: &mut [u32]) {
    let mesh = plane.mesh;
    let (mut taken, mut count, mut name) = (0, 0, seed);
    let mut take = |i: u32, plane: &mut Plane<'_>, queue: &mut [u32], patch: &mut [u32], count: &mut usize| {
        if let (Some(to), Some(entry)) = (patch.get_mut(i as usize), queue.get_mut(*count)) {
            (*to, *entry) = (seed, i);
            *count += 1;
            name = name.min(i);
            plane.add(i);
        }
    };
    take(seed, &mut plane, queue, patch, &mut count);
    while taken < count {
        let at = queue.get(taken).copied().unwrap_or(seed);
        taken += 1;
        let over_edges = mesh.neighbour.get(at as usize).copied().unwrap_or([NONE; 3]);
        let lists = mesh.welded(at as usize).map(|v| around.of(v)).map(|l| if l.len() > CROWD { &[] } else { l });
        for next in over_edges.iter().chain(lists.into_iter().flatten()) {
            if patch.get(*next as usize) == Some(&NONE) && plane.holds(*next) {
                take(*next, &mut plane, queue, patch, &mut count);
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
