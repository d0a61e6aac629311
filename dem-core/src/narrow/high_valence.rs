//! Vertices of many triangles. All triangles at such a vertex touch each other there, so without this module the search for further common points
//! would be quadratic.
//!
//! Seen from a common vertex, triangles are arcs of directions. If two arcs have no direction in common, their triangles have no other
//! point in common. A node of the tree whose triangles all share one vertex has a box around their arcs.

use glam::DVec3;

use crate::memory::sections;
use crate::mesh::{MeshRef, NONE};
use crate::real::{Real, max, min};
use crate::surrogate::{TreeRef, WIDTH};
use crate::triangle::kernel::snap;

/// A vertex of more triangles than this is a hub.
const MANY: usize = 64;

/// The smallest and the largest x, y and z of directions.
type Span = [[f32; 3]; 2];

const NOTHING: Span = [[f32::INFINITY; 3], [f32::NEG_INFINITY; 3]];

/// For each node of each cluster: the hub that all triangles below share, or [`NONE`], and the box around their arcs.
pub(super) struct Hubs<'s> {
    hub: &'s [[u32; WIDTH]],
    span: &'s [[Span; WIDTH]],
}

sections! {
    /// Memory of [`Hubs::new`].
    pub(super) struct HubMemory<'s>(tree: &TreeRef<'_>; clusters = u64::from(tree.sizes.clusters)) {
        corners: [u32; 3 * u64::from(tree.sizes.triangles)],
        hub: [[u32; WIDTH]; clusters],
        span: [[Span; WIDTH]; clusters],
    }
}

impl<'s> Hubs<'s> {
    /// Finds the hubs. Cost: a sort.
    pub fn new(mesh: &MeshRef<'_>, tree: &TreeRef<'_>, scale: f64, memory: HubMemory<'s>) -> Hubs<'s> {
        let HubMemory { corners, hub, span } = memory;
        for (i, to) in corners.chunks_exact_mut(3).enumerate() {
            to.copy_from_slice(&mesh.welded(i));
        }
        corners.sort_unstable();
        let hubs = crowded(corners);
        if hubs.is_empty() {
            return Hubs { hub: &[], span: &[] };
        }
        // Children have larger numbers than their parents, so they are done first.
        for (i, cluster) in tree.clusters.iter().enumerate().rev() {
            let (mut of, mut around) = ([NONE; WIDTH], [NOTHING; WIDTH]);
            for lane in 0..cluster.count() {
                let below = cluster.children(lane);
                (of[lane], around[lane]) = match cluster.is_fine() {
                    true => arc(mesh, cluster.link[lane], scale, hubs),
                    false => {
                        both(below.filter_map(|c| Some((tree.clusters.get(c)?, hub.get(c)?, span.get(c)?))).flat_map(
                            |(child, hub, span)| hub.iter().copied().zip(span.iter().copied()).take(child.count()),
                        ))
                    }
                };
            }
            if let (Some(hub), Some(span)) = (hub.get_mut(i), span.get_mut(i)) {
                (*hub, *span) = (of, around);
            }
        }
        Hubs { hub, span }
    }

    /// Whether there are hubs.
    pub fn any(&self) -> bool {
        !self.hub.is_empty()
    }

    /// Of the pairs of nodes of two clusters, those whose triangles may have more points in common than a hub.
    pub fn choose(&self, clusters: [u32; 2], nodes: u32) -> u32 {
        let of = |c: u32| Some((self.hub.get(c as usize)?, self.span.get(c as usize)?));
        let (Some((hub_a, span_a)), Some((hub_b, span_b))) = (of(clusters[0]), of(clusters[1])) else { return nodes };
        let (mut chosen, mut left) = (nodes, nodes);
        while left != 0 {
            let bit = left.trailing_zeros() as usize;
            left &= left - 1;
            let (a, b) = (bit >> 2 & 3, bit & 3);
            if hub_a[a] == hub_b[b] && hub_a[a] != NONE && apart(&span_a[a], &span_b[b]) {
                chosen &= !(1 << bit);
            }
        }
        chosen
    }
}

/// The vertices that occur more than [`MANY`] times among the sorted corners, each once, in ascending order.
fn crowded(corners: &mut [u32]) -> &[u32] {
    let (mut read, mut written) = (0, 0);
    while let Some(vertex) = corners.get(read).copied() {
        let times = corners.get(read..).unwrap_or_default().iter().take_while(|v| **v == vertex).count();
        read += times;
        if times > MANY
            && let Some(to) = corners.get_mut(written)
        {
            *to = vertex;
            written += 1;
        }
    }
    corners.get(..written).unwrap_or_default()
}

/// The hub of a triangle, and the box around the directions from the hub to its points.
fn arc(mesh: &MeshRef<'_>, triangle: u32, scale: f64, hubs: &[u32]) -> (u32, Span) {
    let welded = mesh.welded(triangle as usize);
    let Some(hub) = welded.into_iter().filter(|v| hubs.binary_search(v).is_ok()).min() else { return (NONE, NOTHING) };
    let corners = mesh.triangle(triangle as usize).map(|v| DVec3::from_array(v.map(|x| snap(x * scale))));
    let Some(at) = (0..3).find(|k| welded[*k] == hub) else { return (NONE, NOTHING) };
    let ways = [1, 2].map(|k| direction(corners[(at + k) % 3] - corners[at]));
    let (Some(first), second) = (ways[0].or(ways[1]), ways[1]) else { return (hub, NOTHING) };
    let second = second.unwrap_or(first);
    // An arc is no farther from its chord than a quarter of the chord's square; the second term covers rounding.
    let beside = 0.25 * (first - second).length_squared() + 1e-12;
    let (low, high) = (first.min(second) - beside, first.max(second) + beside);
    (hub, [low.to_array().map(|x| (x as f32).next_down()), high.to_array().map(|x| (x as f32).next_up())])
}

/// A vector of length 1; `None` for zero.
fn direction(v: DVec3) -> Option<DVec3> {
    let largest = max(max(v.x.abs(), v.y.abs()), v.z.abs());
    let scaled = v * largest.inverse_exponent();
    (largest > 0.0).then(|| scaled / Real::sqrt(scaled.length_squared()))
}

/// The common hub of some nodes, and the box around all their arcs.
fn both(nodes: impl Iterator<Item = (u32, Span)>) -> (u32, Span) {
    let join = |(hub, [low, high]): (u32, Span), (other, [l, h]): (u32, Span)| {
        let span = [0, 1, 2].map(|k| (min(low[k], l[k]), max(high[k], h[k])));
        (if hub == other { hub } else { NONE }, [span.map(|(low, _)| low), span.map(|(_, high)| high)])
    };
    nodes.reduce(join).unwrap_or((NONE, NOTHING))
}

fn apart([low, high]: &Span, [l, h]: &Span) -> bool {
    (0..3).any(|k| high[k] < l[k] || h[k] < low[k])
}
