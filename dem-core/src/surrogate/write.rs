//! Writing clusters, origins and the root of a tree.

use glam::DVec3;

use super::flags::Marker;
use super::options::Options;
use super::points::{Cloud, Item, round_up, slack};
use super::tree::{Cluster, FINE, NONE, Origin, Root, Tree, UNUSED, WIDTH};
use crate::mesh::MeshRef;
use crate::real::{Real, max};
use crate::vector::{cross, dot, sub};

/// A tree that is being written. Clusters come in the order of the parts that they divide.
pub(super) struct Writer<'b, 't> {
    pub tree: &'b mut Tree<'t>,
    pub mesh: &'b MeshRef<'b>,
    /// Whether existing clusters and origins are kept.
    pub keep: bool,
    /// Clusters written so far.
    pub clusters: u32,
    /// Origins written so far.
    pub origins: u32,
    /// Marks fine triangles.
    pub marker: Marker,
}

/// The nearest vector in single precision.
pub(super) fn rounded(v: DVec3) -> DVec3 {
    DVec3::new(f64::from(v.x as f32), f64::from(v.y as f32), f64::from(v.z as f32))
}

impl Writer<'_, '_> {
    /// The position of an origin in the mesh's frame.
    pub fn origin(&self, i: u32) -> DVec3 {
        self.tree.origins.get(i as usize).map_or(DVec3::ZERO, |o| DVec3::from_array(o.centre))
    }

    /// Adds an origin.
    pub fn new_origin(&mut self, centre: DVec3) -> u32 {
        let at = self.origins;
        if let Some(origin) = self.tree.origins.get_mut(at as usize) {
            let centre = if self.keep { origin.centre } else { centre.to_array() };
            *origin = Origin { centre, reach: 0.0 };
        }
        self.origins += 1;
        at
    }

    /// Adds a cluster, whose nodes are written later.
    pub fn new_cluster(&mut self, nodes: u32, origin: u32, level: u32) -> usize {
        let at = self.clusters as usize;
        if let Some(cluster) = self.tree.clusters.get_mut(at) {
            let kept = if self.keep { cluster.rows } else { Cluster::EMPTY.rows };
            *cluster = Cluster { rows: kept, meta: [nodes, origin, 0, level], ..Cluster::EMPTY };
        }
        self.clusters += 1;
        at
    }

    /// Writes clusters of fine triangles.
    pub fn leaf(&mut self, items: &[Item], cloud: &Cloud<'_>, origin: u32, level: u32) {
        for items in items.chunks(WIDTH) {
            let at = self.new_cluster(items.len() as u32 | FINE, origin, level);
            // Unused lanes repeat lane 0.
            let ids = [0, 1, 2, 3].map(|lane| items.get(lane).or(items.first()).map_or(NONE, |item| item.id));
            self.fine(at, items.len(), ids, cloud);
            if let Some(cluster) = self.tree.clusters.get_mut(at) {
                self.marker.mark(cluster, self.mesh, |id| cloud.corners(id));
            }
        }
    }

    /// Writes fine triangles, rounded. Their halos cover the exact triangles with their halos. All lanes are computed at once.
    fn fine(&mut self, at: usize, count: usize, ids: [u32; WIDTH], cloud: &Cloud<'_>) {
        let Some(cluster) = self.tree.clusters.get_mut(at) else { return };
        let Some(origin) = self.tree.origins.get_mut(cluster.origin()) else { return };
        let triangles = ids.map(|id| cloud.corners(id).map(|vertex| cloud.position(vertex)));
        let mut corners = [[0.0; WIDTH]; 9];
        let (mut moved, mut size, mut long) = ([0.0; WIDTH], [0.0; WIDTH], [0.0; WIDTH]);
        for k in 0..3 {
            let (mut by, mut squared) = ([0.0; WIDTH], [0.0; WIDTH]);
            for c in 0..3 {
                let centre = origin.centre[c];
                let exact = [0, 1, 2, 3].map(|lane| triangles[lane][k][c] - centre);
                let single = exact.map(|x| x as f32);
                cluster.rows[Cluster::row(k, c)] = single;
                for lane in 0..WIDTH {
                    let x = f64::from(single[lane]);
                    let away = exact[lane] - x;
                    by[lane] += away * away;
                    squared[lane] += x * x;
                    size[lane] = max(size[lane], Real::abs(x));
                    corners[3 * k + c][lane] = x;
                }
            }
            for lane in 0..WIDTH {
                (moved[lane], long[lane]) = (max(moved[lane], by[lane]), max(long[lane], squared[lane]));
            }
        }
        let normals = normals(&corners);
        let mut reach = origin.reach;
        for lane in 0..WIDTH {
            (0..3).for_each(|c| cluster.rows[Cluster::row(3, c)][lane] = normals[c][lane]);
            cluster.rows[Cluster::OFFSET][lane] = offset(&normals, &corners, lane);
            let halo = Real::sqrt(moved[lane]) + self.mesh.halo(ids[lane] as usize);
            let halo = round_up(halo + slack(halo, size[lane]));
            cluster.rows[Cluster::HALO][lane] = if lane < count { halo } else { UNUSED };
            cluster.link[lane] = if lane < count { ids[lane] } else { NONE };
            let far = Real::sqrt(long[lane]) + f64::from(halo);
            reach = max(reach, far + slack(far, far));
        }
        origin.reach = reach;
    }

    /// Writes a node, relative to the origin of its cluster.
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

    /// Enlarges the reach of an origin to include a node.
    pub fn reach(&mut self, origin: usize, triangle: [DVec3; 3], halo: f64) {
        if let Some(origin) = self.tree.origins.get_mut(origin) {
            let reach = Real::sqrt(triangle.iter().fold(0.0, |m, v| max(m, v.length_squared()))) + halo;
            origin.reach = max(origin.reach, reach + slack(reach, reach));
        }
    }

    /// Writes the number of child clusters of a node. With the last node of a cluster, fills its unused lanes.
    pub fn children(&mut self, at: usize, lane: usize, number: u32) {
        let Some(cluster) = self.tree.clusters.get_mut(at) else { return };
        cluster.meta[2] |= number << (8 * (lane as u32 & 3));
        if lane + 1 == cluster.count() {
            self.pad(at);
        }
    }

    /// Fills unused lanes with copies of lane 0 that are out of reach.
    pub fn pad(&mut self, at: usize) {
        let Some(cluster) = self.tree.clusters.get_mut(at) else { return };
        let count = cluster.count();
        for row in &mut cluster.rows {
            let first = row[0];
            row.get_mut(count..).unwrap_or_default().fill(first);
        }
        cluster.rows[Cluster::HALO].get_mut(count..).unwrap_or_default().fill(UNUSED);
    }

    /// Writes the surrogate of the whole mesh, relative to origin 0.
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

/// Unit normals of triangles, as from [`normal`]; corner k, component c is in row `3 k + c`.
fn normals(corners: &[[f64; WIDTH]; 9]) -> [[f32; WIDTH]; 3] {
    let mut normals = [[0.0; WIDTH]; 3];
    for lane in 0..WIDTH {
        let corner = |k: usize| [corners[3 * k][lane], corners[3 * k + 1][lane], corners[3 * k + 2][lane]];
        let (e0, e1) = (sub(corner(1), corner(0)), sub(corner(2), corner(0)));
        let normal = cross(e0, e1);
        let squared = dot(normal, normal);
        let length = Real::sqrt(squared);
        let long = squared > 1e-14 * dot(e0, e0) * dot(e1, e1);
        (0..3).for_each(|c| normals[c][lane] = if long { (normal[c] / length) as f32 } else { 0.0 });
    }
    normals
}

/// Normal times corner 0.
fn offset(normals: &[[f32; WIDTH]; 3], corners: &[[f64; WIDTH]; 9], lane: usize) -> f32 {
    let normal = [0, 1, 2].map(|c| f64::from(normals[c][lane]));
    dot(normal, [corners[0][lane], corners[1][lane], corners[2][lane]]) as f32
}

/// Unit normal in single precision; zero if the rounding of the edges could turn it, which is so below a sine of 1e-7.
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
