//! Warnings of `dem inspect` and `dem contacts` about meshes whose defects affect contacts.

use dem_std::dem_core::error::Result;
use dem_std::dem_core::mesh::{InspectOptions, MeshRef, Report, inspect, inspect_scratch};
use dem_std::{Memory, OwnedShape};

/// A warning; None if the whole surface has contacts from outside.
pub fn lacking(r: &Report) -> Option<String> {
    let edges = r.open_edges + r.non_manifold_edges + r.inconsistent_edges;
    let said = [
        (
            r.inward_components,
            "of its components look inward (like a room, which holds what is inside and draws in what goes through)",
        ),
        (r.reversed_triangles, "triangles look the other way (nothing is felt of them)"),
        (edges, "edges have not two triangles that agree (of them only the faces are felt)"),
    ];
    let said: Vec<String> = said.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {what}")).collect();
    (!said.is_empty()).then(|| said.join(", "))
}

/// As [`lacking`], for a shape that has not been inspected.
pub fn of_shape(shape: &OwnedShape) -> Result<Option<String>> {
    let mesh: MeshRef<'_> = shape.mesh()?;
    let mut scratch = Memory::new(inspect_scratch(&mesh.sizes)?)?;
    Ok(lacking(&inspect(mesh, &InspectOptions::default(), &mut scratch)?.report))
}
