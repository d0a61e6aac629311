//! Surrogate trees: built from loose triangles, dumped as JSON for `data/surrogate/verify_tree.py`, and checked in the same way.

use crate::distance::point_triangle;
use crate::vector::{cross, length, sub};
use crate::{Triangle, data};
use dem_core::array::{Array, Indices, Scalar};
use dem_core::error::Result;
use dem_core::mesh::{self, Halo, Mesh, MeshInput, MeshRef};
use dem_core::simd::Isa;
use dem_core::surrogate::{self, Below, Cover, Options, Surrogate, Tree, TreeRef, TreeSizes};
use dem_std::{Memory, Triangles};
use serde_json::{Value, json};

/// The loose triangles of an indexed mesh.
pub fn loose(t: &Triangles) -> Vec<Triangle> {
    (0..t.len()).map(|i| t.triangle(i)).collect()
}

/// A mesh block of loose triangles, welded.
pub fn mesh_block(soup: &[Triangle], halo: Halo<'_>) -> Result<Memory> {
    let (vertices, triangles) = data::indexed(soup);
    let input = MeshInput {
        vertices: Array::from_f64(&vertices),
        triangles: Some(Indices::from_slice(&triangles)),
        scalar: Scalar::F64,
        halo,
    };
    let sizes = input.sizes()?;
    let mut block = Memory::new(Mesh::layout(&sizes)?)?;
    Mesh::from_arrays(&mut block, &input, &mut Memory::new(mesh::build_scratch(&sizes)?)?)?;
    Ok(block)
}

/// A tree block.
pub fn tree_block(mesh: &MeshRef<'_>, options: &Options, isa: Isa) -> Result<Memory> {
    let mut block = Memory::new(Tree::layout(&TreeSizes::new(mesh.sizes.triangles, options)?)?)?;
    let mut scratch = Memory::new(surrogate::build_scratch(&mesh.sizes, options)?)?;
    Tree::from_mesh(&mut block, mesh, options, &mut scratch, isa)?;
    Ok(block)
}

/// All surrogates with their levels, parents first.
pub fn surrogates(tree: &TreeRef<'_>) -> Vec<(Surrogate, usize)> {
    let mut found = vec![(Surrogate::Root, 0)];
    let mut next = 0;
    while let Some(&(parent, level)) = found.get(next) {
        found.extend(tree.below(parent).filter_map(|below| match below {
            Below::Surrogate(child) => Some((child, level + 1)),
            Below::Triangle(_) => None,
        }));
        next += 1;
    }
    found
}

/// The JSON input of `verify_tree.py`. The mesh must have one halo for all triangles.
pub fn dump(mesh: &MeshRef<'_>, tree: &TreeRef<'_>) -> Value {
    let soup: Vec<Triangle> = (0..mesh.len()).map(|i| mesh.triangle(i)).collect();
    let (vertices, faces) = data::indexed(&soup);
    let all = surrogates(tree);
    let number: std::collections::BTreeMap<Surrogate, usize> =
        all.iter().enumerate().map(|(i, &(which, _))| (which, i)).collect();
    let node = |&(which, _): &(Surrogate, usize)| {
        let (triangle, halo) = tree.surrogate(which);
        let (mut children, mut fine) = (vec![], vec![]);
        for below in tree.below(which) {
            match below {
                Below::Surrogate(child) => children.push(number[&child]),
                Below::Triangle(id) => fine.push(id),
            }
        }
        json!({ "tri": triangle, "eps": halo, "children": children, "faces": fine })
    };
    let nodes: Vec<Value> = all.iter().map(node).collect();
    json!({ "vertices": vertices, "faces": faces, "eps0": mesh.largest_halo(), "nodes": nodes, "root": 0 })
}

/// The result of [`check`].
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// For each triangle of the mesh, the number of leaves that contain it.
    pub times: Vec<u32>,
    /// Smallest of halo - needed over all surrogates: the needed halo covers the fine triangles below with their halos.
    pub fine_slack: f64,
    /// Largest of halo - needed, relative to the needed halo plus the size of the body plus 1e-8 of its coordinates (which
    /// covers the rounding of this check).
    pub waste: f64,
    /// As `fine_slack`, if surrogates below must be covered as well.
    pub monotone_slack: f64,
    /// Mean halo on each level.
    pub halos: Vec<f64>,
    /// Volume of all surrogates on each level.
    pub volumes: Vec<f64>,
}

impl Report {
    /// Whether the leaves are a partition of the mesh.
    pub fn partition(&self) -> bool {
        self.times.iter().all(|&times| times == 1)
    }
}

/// Checks every surrogate against everything below it.
pub fn check(mesh: &MeshRef<'_>, tree: &TreeRef<'_>) -> Report {
    let mut report = Report {
        times: vec![0; mesh.len()],
        fine_slack: f64::INFINITY,
        monotone_slack: f64::INFINITY,
        ..Report::default()
    };
    let mut counts = vec![];
    walk(mesh, tree, Surrogate::Root, 0, &mut report, &mut counts);
    for (halo, count) in report.halos.iter_mut().zip(counts) {
        *halo /= f64::from(count);
    }
    report
}

/// Calls [`check`], and panics if the tree does not cover its mesh, if halos are larger than rounding requires, or if the tree is damaged.
pub fn sound(mesh: &MeshRef<'_>, tree: &TreeRef<'_>) -> Report {
    tree.check().unwrap();
    let report = check(mesh, tree);
    assert!(report.partition(), "every triangle is a leaf once");
    // Error bound of the reference, and of its sum of centre and corner.
    let coordinate = (0..3).fold(0.0f64, |m, c| m.max(mesh.centre()[c].abs()));
    let rounding = 1e-15 * (mesh.radius() + mesh.largest_halo() + coordinate);
    assert!(report.fine_slack >= -rounding, "halo too small by {:e}", -report.fine_slack);
    if mesh.radius() > 1e-30 && tree.options().unwrap().cover == Cover::Fine {
        assert!(report.waste < 2e-7, "halo too large by {:e}", report.waste);
    }
    report
}

/// Triangles below a surrogate.
fn walk(
    mesh: &MeshRef<'_>,
    tree: &TreeRef<'_>,
    which: Surrogate,
    level: usize,
    report: &mut Report,
    counts: &mut Vec<u32>,
) -> Vec<u32> {
    let (triangle, halo) = tree.surrogate(which);
    let distance =
        |points: &Triangle| points.iter().fold(0.0, |m: f64, &p| m.max(point_triangle(p, &triangle).distance));
    if counts.len() <= level {
        counts.push(0);
        report.halos.push(0.0);
        report.volumes.push(0.0);
    }
    counts[level] += 1;
    report.halos[level] += halo;
    report.volumes[level] += volume(&triangle, halo);
    let (mut triangles, mut monotone) = (vec![], 0.0f64);
    for below in tree.below(which) {
        match below {
            Below::Triangle(id) => {
                report.times[id as usize] += 1;
                let corners = mesh.triangle(id as usize);
                monotone = monotone.max(distance(&corners) + mesh.halo(id as usize));
                triangles.push(id);
            }
            Below::Surrogate(child) => {
                let (corners, below) = tree.surrogate(child);
                monotone = monotone.max(distance(&corners) + below);
                triangles.extend(walk(mesh, tree, child, level + 1, report, counts));
            }
        }
    }
    let needed =
        triangles.iter().fold(0.0f64, |m, &id| m.max(distance(&mesh.triangle(id as usize)) + mesh.halo(id as usize)));
    report.fine_slack = report.fine_slack.min(halo - needed);
    let far = mesh.centre().iter().fold(0.0f64, |m, x| m.max(x.abs()));
    report.waste = report.waste.max((halo - needed) / (needed + mesh.radius() + 1e-8 * far));
    report.monotone_slack = report.monotone_slack.min(halo - monotone);
    triangles
}

/// Steiner volume of a triangle and its halo (P0 section 4).
pub fn volume(t: &Triangle, halo: f64) -> f64 {
    let area = 0.5 * length(cross(sub(t[1], t[0]), sub(t[2], t[0])));
    let rim: f64 = (0..3).map(|k| length(sub(t[(k + 1) % 3], t[k]))).sum();
    let pi = std::f64::consts::PI;
    halo * (2.0 * area + halo * (0.5 * pi * rim + halo * 4.0 / 3.0 * pi))
}
