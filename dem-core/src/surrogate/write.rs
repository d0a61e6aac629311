//! Writing clusters, origins and the root of a tree.

use glam::DVec3;

use super::options::Options;
use super::points::{round_up, slack};
use super::tree::{Cluster, FINE, Origin, Root, Tree, UNUSED, WIDTH};
use crate::mesh::MeshRef;
use crate::real::{Real, max};

/// A tree that is being written, clusters in the order of the parts that they divide.
pub(super) struct Writer<'b, 't> {
    pub tree: &'b mut Tree<'t>,
    pub mesh: &'b MeshRef<'b>,
    /// Whether clusters and origins hold what is to be kept.
    pub keep: bool,
    /// Clusters written so far.
    pub clusters: u32,
    /// Origins written so far.
    pub origins: u32,
}

/// The nearest vector in single precision.
pub(super) fn rounded(v: DVec3) -> DVec3 {
    DVec3::new(f64::from(v.x as f32), f64::from(v.y as f32), f64::from(v.z as f32))
}

impl Writer<'_, '_> {
    /// Where an origin is in the mesh's frame.
    pub fn origin(&self, i: u32) -> DVec3 {
        self.tree.origins.get(i as usize).map_or(DVec3::ZERO, |o| DVec3::from_array(o.centre))
    }

    /// The next origin.
    pub fn new_origin(&mut self, centre: DVec3) -> u32 {
        let at = self.origins;
        if let Some(origin) = self.tree.origins.get_mut(at as usize) {
            let centre = if self.keep { origin.centre } else { centre.to_array() };
            *origin = Origin { centre, reach: 0.0 };
        }
        self.origins += 1;
        at
    }

    /// The next cluster, its nodes still to be written.
    pub fn new_cluster(&mut self, nodes: u32, origin: u32, level: u32) -> usize {
        let at = self.clusters as usize;
        if let Some(cluster) = self.tree.clusters.get_mut(at) {
            let kept = if self.keep { cluster.rows } else { Cluster::EMPTY.rows };
            *cluster = Cluster { rows: kept, meta: [nodes, origin, 0, level], ..Cluster::EMPTY };
        }
        self.clusters += 1;
        at
    }

    /// Clusters of fine triangles.
    pub fn leaf(&mut self, ids: impl Iterator<Item = u32> + Clone, origin: u32, level: u32) {
        let mut rest = ids;
        loop {
            let ids = rest.clone().take(WIDTH);
            let count = ids.clone().count();
            if count == 0 {
                return;
            }
            let at = self.new_cluster(count as u32 | FINE, origin, level);
            ids.enumerate().for_each(|(lane, id)| self.fine(at, lane, id, origin));
            self.pad(at);
            rest.by_ref().take(count).for_each(drop);
        }
    }

    /// A fine triangle, rounded; its halo covers it with its own.
    fn fine(&mut self, at: usize, lane: usize, id: u32, origin: u32) {
        let centre = self.origin(origin);
        let exact = self.mesh.triangle(id as usize).map(|v| DVec3::from_array(v) - centre);
        let triangle = exact.map(rounded);
        let moved = exact.iter().zip(&triangle).fold(0.0, |m, (a, b)| max(m, (*a - *b).length_squared()));
        let size = triangle.iter().fold(DVec3::ZERO, |m, v| m.max(v.abs())).max_element();
        let halo = Real::sqrt(moved) + self.mesh.halo(id as usize);
        let halo = round_up(halo + slack(halo, size));
        self.node(at, lane, triangle, halo, id);
    }

    /// A node, relative to the origin of its cluster.
    pub fn node(&mut self, at: usize, lane: usize, triangle: [DVec3; 3], halo: f32, link: u32) {
        let Some(cluster) = self.tree.clusters.get_mut(at) else { return };
        let lane = lane & 3;
        let normal = normal(triangle);
        for (k, v) in [triangle[0], triangle[1], triangle[2], normal].iter().enumerate() {
            (0..3).for_each(|c| cluster.rows[Cluster::row(k, c)][lane] = v[c] as f32);
        }
        cluster.rows[Cluster::HALO][lane] = halo;
        cluster.rows[Cluster::OFFSET][lane] = normal.dot(triangle[0]) as f32;
        cluster.link[lane] = link;
        let origin = cluster.origin();
        self.reach(origin, triangle, f64::from(halo));
    }

    /// Widens an origin's reach by a node.
    pub fn reach(&mut self, origin: usize, triangle: [DVec3; 3], halo: f64) {
        if let Some(origin) = self.tree.origins.get_mut(origin) {
            let reach = Real::sqrt(triangle.iter().fold(0.0, |m, v| max(m, v.length_squared()))) + halo;
            origin.reach = max(origin.reach, reach + slack(reach, reach));
        }
    }

    /// Says where the children of a node are; the last node of a cluster fills up its unused lanes.
    pub fn children(&mut self, at: usize, lane: usize, number: u32) {
        let Some(cluster) = self.tree.clusters.get_mut(at) else { return };
        cluster.meta[2] |= number << (8 * (lane as u32 & 3));
        if lane + 1 == cluster.count() {
            self.pad(at);
        }
    }

    /// Unused lanes repeat lane 0, out of reach.
    pub fn pad(&mut self, at: usize) {
        let Some(cluster) = self.tree.clusters.get_mut(at) else { return };
        let count = cluster.count();
        for row in &mut cluster.rows {
            let first = row[0];
            row.get_mut(count..).unwrap_or_default().fill(first);
        }
        cluster.rows[Cluster::HALO].get_mut(count..).unwrap_or_default().fill(UNUSED);
    }

    /// The surrogate of the whole mesh, relative to origin 0.
    pub fn root(&mut self, triangle: [DVec3; 3], halo: f64, options: &Options) {
        let (mesh, centre) = (self.mesh, self.origin(0));
        let moved = Real::sqrt((DVec3::from_array(mesh.centre()) - centre).length_squared());
        let radius = mesh.radius() + mesh.largest_halo() + moved;
        let radius = radius + slack(radius, radius);
        let triangle = triangle.map(|v| v.to_array());
        let root = options.root();
        let root = Root { triangle, halo, centre: centre.to_array(), radius, mesh: mesh.hash(), ..root };
        if let Some(slot) = self.tree.root.first_mut() {
            *slot = root;
        }
    }
}

/// Unit normal in single precision; zero where the rounding of the edges could turn it, below a sine of 1e-7.
pub(crate) fn normal([a, b, c]: [DVec3; 3]) -> DVec3 {
    let (e0, e1) = (b - a, c - a);
    let normal = e0.cross(e1);
    let squared = normal.length_squared();
    if squared > 1e-14 * e0.length_squared() * e1.length_squared() {
        rounded(normal / Real::sqrt(squared))
    } else {
        DVec3::ZERO
    }
}
