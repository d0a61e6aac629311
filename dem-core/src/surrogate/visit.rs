//! Reading a tree node by node: for dumps, checks and drawings.

use super::tree::{NONE, TreeRef, WIDTH};

/// A surrogate of a tree: the whole mesh's, or one in a cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Surrogate {
    /// The surrogate of the whole mesh.
    Root,
    /// A node of a cluster.
    Node {
        /// The cluster.
        cluster: u32,
        /// Its lane, 0 to 3.
        lane: u32,
    },
}

/// A child of a surrogate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Below {
    /// A finer surrogate.
    Surrogate(Surrogate),
    /// A triangle of the mesh.
    Triangle(u32),
}

impl TreeRef<'_> {
    /// Corners in the mesh's frame, and halo. Zeros if there is no such node.
    pub fn surrogate(&self, which: Surrogate) -> ([[f64; 3]; 3], f64) {
        match which {
            Surrogate::Root => self.root().map_or(([[0.0; 3]; 3], 0.0), |root| {
                (root.triangle.map(|v| [0, 1, 2].map(|c| v[c] + root.centre[c])), root.halo)
            }),
            Surrogate::Node { cluster, lane } => {
                let Some(cluster) = self.clusters.get(cluster as usize) else { return ([[0.0; 3]; 3], 0.0) };
                let centre = self.origins.get(cluster.origin()).map_or([0.0; 3], |o| o.centre);
                let corners = cluster.triangle(lane as usize);
                let halo = f64::from(cluster.halo(lane as usize));
                (corners.map(|v| [0, 1, 2].map(|c| f64::from(v[c]) + centre[c])), halo)
            }
        }
    }

    /// The children of a surrogate, in order.
    pub fn below(&self, which: Surrogate) -> impl Iterator<Item = Below> + '_ {
        let clusters = match which {
            Surrogate::Root => 0..self.sizes.roots as usize,
            Surrogate::Node { cluster, lane } => {
                self.clusters.get(cluster as usize).map_or(0..0, |c| c.children(lane as usize))
            }
        };
        clusters.flat_map(move |at| (0..WIDTH).filter_map(move |lane| self.item(at, lane)))
    }

    fn item(&self, at: usize, lane: usize) -> Option<Below> {
        let cluster = self.clusters.get(at).filter(|cluster| lane < cluster.count())?;
        let link = cluster.link.get(lane).copied().unwrap_or(NONE);
        Some(match cluster.is_fine() {
            true => Below::Triangle(link),
            false => Below::Surrogate(Surrogate::Node { cluster: at as u32, lane: lane as u32 }),
        })
    }
}
