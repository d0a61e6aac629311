//! Access to a tree node by node: for dumps, checks and drawings, and for searches in one mesh.

use super::tree::{NONE, TreeRef, WIDTH};

/// A surrogate of a tree: that of the whole mesh, or one in a cluster.
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

/// A search from the root down.
pub(crate) trait Visit {
    /// Whether to descend below a surrogate with these corners, in the mesh's frame, and this halo.
    fn enter(&mut self, corners: &[[f64; 3]; 3], halo: f64) -> bool;
    /// Takes a triangle of a leaf that was entered.
    fn take(&mut self, triangle: u32);
}

/// The most levels below the root; a sound tree has far fewer.
const DEEPEST: u32 = 64;

impl TreeRef<'_> {
    /// Visits the triangles below all surrogates that are entered.
    pub(crate) fn visit(&self, visitor: &mut impl Visit) {
        self.descend(Surrogate::Root, visitor, 0);
    }

    fn descend(&self, at: Surrogate, visitor: &mut impl Visit, level: u32) {
        let (corners, halo) = self.surrogate(at);
        if level > DEEPEST || !visitor.enter(&corners, halo) {
            return;
        }
        for below in self.below(at) {
            match below {
                // Children come after their parents; in a damaged tree they may not.
                Below::Surrogate(next) if next > at => self.descend(next, visitor, level + 1),
                Below::Surrogate(_) => {}
                Below::Triangle(triangle) => visitor.take(triangle),
            }
        }
    }

    /// Corners in the mesh's frame, and halo; zeros if there is no such node.
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
