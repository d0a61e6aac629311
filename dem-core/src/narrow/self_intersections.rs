//! Where a mesh touches or crosses itself.

use super::duplicates::{Alike, AlikeMemory};
use super::frame::Frame;
use super::high_valence::{HubMemory, Hubs};
use super::key::{Key, ids};
use super::traverse::{Goal, Part, Traversal, stack_size};
use super::{Operand, check_operands};
use crate::error::{Error, Kind, Result, What};
use crate::memory::{Layout, sections};
use crate::mesh::MeshRef;
use crate::pose::Pose;
use crate::simd::{Isa, dispatch};
use crate::surrogate::TreeRef;
use crate::triangle::kernel::{snap, touch_beyond_shared};

sections! {
    /// Scratch of [`self_intersections`].
    struct Memory<'s>(tree: &TreeRef<'_>) {
        stack: [u64; stack_size(tree, tree)],
        alike: AlikeMemory(tree),
        hubs: HubMemory(tree),
    }
}

/// Scratch for [`self_intersections`]: about 90 bytes a triangle. It does not depend on the number of intersections.
///
/// Errors: [`Kind::TooLarge`].
pub fn self_intersections_scratch(tree: &TreeRef<'_>) -> Result<Layout> {
    Memory::layout(tree)
}

/// Writes all pairs of triangles of one mesh that intersect each other, with the smaller id first, in ascending order, and gives their
/// number.
///
/// Two triangles may share a corner or an edge, that is, have corners at the same positions. They are in the list if they have any other
/// point in common. Without a shared corner, this means any touch. With one shared corner, it means that they meet elsewhere, too. With
/// two, it means that they lie in one plane on the same side of the edge. Copies, which share all three, are not listed;
/// [`inspect`](crate::mesh::inspect) finds them. A triangle that crosses one of them is listed with each. A corner on the inside of another
/// triangle's edge counts. Halos have no effect.
///
/// The decisions are exact, by the signs of determinants for the stored coordinates (differences below 2^-152 of the mesh's size count as
/// none). Degenerate triangles count as the segments and points that they are.
///
/// Errors: [`Kind::Mismatch`] for a tree of another mesh; [`Kind::Capacity`] with the exact number if `out` is too short (it then has no
/// meaning) or `scratch` is. Cost: that of a query for the pairs that touch; every triangle has about a dozen neighbours. Copies cost no
/// more than the pairs that are written. Many triangles that share a vertex cost no more than others. Triangles that share an edge are all
/// compared with each other.
pub fn self_intersections(
    isa: Isa,
    mesh: MeshRef<'_>,
    tree: TreeRef<'_>,
    out: &mut [[u32; 2]],
    scratch: &mut [u8],
) -> Result<usize> {
    let operand = Operand { mesh, tree, pose: &Pose::IDENTITY, scale: 1.0 };
    check_operands(&operand, &operand).map_err(|_| Error::new(Kind::Mismatch, What::Tree))?;
    let frame = Frame::new(&operand, &operand)?;
    let Memory { stack, alike, hubs } = Memory::new(scratch, &tree)?;
    let (alike, hubs) = (Alike::new(&mesh, &tree, alike), Hubs::new(&mesh, &tree, frame.scale, hubs));
    let mut goal = Crossings { mesh, scale: frame.scale, alike, hubs, out, written: 0, found: 0 };
    dispatch(
        isa,
        Traversal {
            a: operand,
            b: operand,
            frame: &frame,
            stack,
            gaps: &mut [],
            goal: &mut goal,
            part: Part::All,
            plain: None,
        },
    )?;
    let Crossings { alike, written, found, .. } = goal;
    let given = out.len();
    let Some(list) = usize::try_from(found).ok().and_then(|n| out.get_mut(..n)) else {
        return Err(Error::capacity(What::Output, found, given as u64));
    };
    spread(list, written, &alike);
    list.sort_unstable();
    Ok(list.len())
}

/// Turns the pairs of first triangles, which are at the front, into the pairs of all triangles of their classes.
fn spread(list: &mut [[u32; 2]], written: usize, alike: &Alike<'_>) {
    // Works from the back. Each pair becomes at least one pair, so none is overwritten before it is read.
    let mut to = list.len();
    for k in (0..written).rev().filter(|_| alike.any()) {
        let [i, j] = list.get(k).copied().unwrap_or_default();
        for pair in alike.class(i).flat_map(|i| alike.class(j).map(move |j| if i < j { [i, j] } else { [j, i] })) {
            to = to.saturating_sub(1);
            if let Some(to) = list.get_mut(to) {
                *to = pair;
            }
        }
    }
}

struct Crossings<'t, 's, 'o> {
    mesh: MeshRef<'t>,
    /// Scales coordinates to a magnitude of at most 1.
    scale: f64,
    alike: Alike<'s>,
    hubs: Hubs<'s>,
    out: &'o mut [[u32; 2]],
    /// Number of hits among first triangles that there was room for.
    written: usize,
    /// Number of all hits, including those beyond the capacity.
    found: u64,
}

impl Goal for Crossings<'_, '_, '_> {
    /// The halo of a node includes the halo that all triangles share, so the threshold without halos is reduced by it.
    fn threshold(&self) -> f64 {
        if self.mesh.sizes.halos == 0 { -2.0 * self.mesh.largest_halo() } else { 0.0 }
    }

    fn take(&mut self, candidates: &[Key]) -> Result<bool> {
        // Both trees are the same, so each pair occurs twice.
        for (i, j) in candidates.iter().map(|key| ids(*key)).filter(|(i, j)| i < j) {
            let [a, b] = [i, j].map(|t| self.mesh.triangle(t as usize).map(|v| v.map(|x| snap(x * self.scale))));
            if boxes_meet(&a, &b) && touch_beyond_shared(&a, &b) {
                if let Some(to) = self.out.get_mut(self.written) {
                    *to = [i, j];
                    self.written += 1;
                }
                self.found += self.alike.number(i) * self.alike.number(j);
            }
        }
        Ok(true)
    }

    fn chooses(&self) -> bool {
        self.alike.any() || self.hubs.any()
    }

    fn choose(&self, clusters: [u32; 2], nodes: u32) -> u32 {
        self.hubs.choose(clusters, if self.alike.any() { self.alike.choose(clusters, nodes) } else { nodes })
    }
}

/// Whether the boxes of two triangles meet. Most pairs end here.
fn boxes_meet(a: &[[f64; 3]; 3], b: &[[f64; 3]; 3]) -> bool {
    // They do not meet if along some axis all corners of one triangle are beyond those of the other one.
    let beyond = |a: &[[f64; 3]; 3], b: &[[f64; 3]; 3], k: usize| a.iter().all(|p| b.iter().all(|q| p[k] < q[k]));
    !(0..3).any(|k| beyond(a, b, k) || beyond(b, a, k))
}
