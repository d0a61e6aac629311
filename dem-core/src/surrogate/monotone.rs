//! Halos that also cover the surrogates below (P0 Definition 4.6, item 3), computed from the leaves up.

use glam::DVec3;

use super::distance::{Cover, Target};
use super::lanes::BATCH;
use super::points::{round_up, slack};
use super::tree::{Cluster, Tree, WIDTH};
use crate::real::{Real, max};
use crate::simd::{Isa, dispatch};

impl Tree<'_> {
    /// Enlarges halos, which cover the fine triangles, until they also cover the surrogates in between.
    ///
    /// Children have larger numbers than parents, so a backward pass meets only finished children. Cost: a distance for each corner of each
    /// surrogate.
    pub(super) fn grow_halos(&mut self, isa: Isa) {
        for at in (0..self.clusters.len()).rev() {
            for lane in 0..WIDTH {
                self.grow_halo(at, lane, isa);
            }
        }
        let roots = 0..self.sizes.roots as usize;
        let triangle = self.root.first().map_or([DVec3::ZERO; 3], |root| root.triangle.map(DVec3::from_array));
        let needed = roots.map(|child| self.needed(triangle, 0, child, isa)).fold(0.0, max);
        if let Some(root) = self.root.first_mut() {
            root.halo = max(root.halo, needed);
        }
    }

    fn grow_halo(&mut self, at: usize, lane: usize, isa: Isa) {
        let Some(cluster) = self.clusters.get(at).filter(|c| !c.is_fine() && lane < c.count()) else { return };
        let (children, origin) = (cluster.children(lane), cluster.origin());
        let triangle = cluster.triangle(lane).map(|v| DVec3::from_array(v.map(f64::from)));
        let needed = children.map(|child| self.needed(triangle, origin, child, isa)).fold(0.0, max);
        let Some(cluster) = self.clusters.get_mut(at) else { return };
        let halo = max(cluster.rows[Cluster::HALO][lane], round_up(needed));
        cluster.rows[Cluster::HALO][lane] = halo;
        let corner = Real::sqrt(triangle.iter().fold(0.0, |m, v| max(m, v.length_squared())));
        let reach = corner + f64::from(halo);
        if let Some(origin) = self.origins.get_mut(origin) {
            origin.reach = max(origin.reach, reach + slack(reach, reach));
        }
    }

    /// The halo that covers the nodes of a cluster with their halos; 0 for fine triangles, which are covered already.
    fn needed(&self, triangle: [DVec3; 3], origin: usize, child: usize, isa: Isa) -> f64 {
        let Some(cluster) = self.clusters.get(child).filter(|c| !c.is_fine()) else { return 0.0 };
        let centre = |i: usize| self.origins.get(i).map_or(DVec3::ZERO, |o| DVec3::from_array(o.centre));
        let shift = centre(cluster.origin()) - centre(origin);
        let mut points = [[0.0; BATCH]; 3];
        let mut halos = [0.0; BATCH];
        let mut size = triangle.iter().fold(shift.abs(), |m, v| m.max(v.abs()));
        for slot in 0..BATCH {
            // Slots after the last corner repeat the last corner.
            let slot_of = slot.min(3 * cluster.count() - 1);
            let (lane, corner) = (slot_of / 3, slot_of % 3);
            let p = DVec3::from_array(cluster.triangle(lane)[corner].map(f64::from)) + shift;
            [points[0][slot], points[1][slot], points[2][slot]] = p.to_array();
            halos[slot] = f64::from(cluster.halo(lane));
            size = size.max(p.abs());
        }
        let target = Target::new(triangle);
        let [x, y, z] = &points;
        let halo = dispatch(isa, Cover { target: &target, origin: DVec3::ZERO, points: [x, y, z], halos: &halos });
        halo + slack(halo, size.max_element())
    }
}
