//! Which patches touch: those that share a welded vertex.

use core::ops::Range;

use super::cell::ACROSS;
use super::faces::VertexFaces;
use super::patch::CROWD;
use crate::mesh::{MeshRef, NONE};
use crate::vector::{cross, dot, sub};

/// The triangles of each patch as a chain: from the first triangle, which names the patch, to the next one, in ascending order.
#[derive(Clone, Copy)]
pub(in crate::contact) struct Chains<'s> {
    next: &'s [u32],
}

impl<'s> Chains<'s> {
    /// `names` gives each triangle the first triangle of its patch. `next` has as many items.
    pub fn new(names: &[u32], next: &'s mut [u32]) -> Self {
        next.fill(NONE);
        // The loop starts with the last triangle, so each triangle is linked before the later ones.
        for (i, name) in names.iter().enumerate().rev().filter(|(i, name)| (**name as usize) < *i) {
            let later = next.get_mut(*name as usize).map_or(NONE, |to| core::mem::replace(to, i as u32));
            if let Some(to) = next.get_mut(i) {
                *to = later;
            }
        }
        Chains { next }
    }

    /// The triangles of a patch. Indices must ascend, so the iteration ends even with damaged names.
    pub fn of(self, patch: u32) -> impl Iterator<Item = u32> {
        let after = move |i: &u32| self.next.get(*i as usize).copied().filter(|j| j > i && *j != NONE);
        core::iter::successors(Some(patch), after)
    }
}

/// Finds the neighbours of patches.
pub(in crate::contact) struct Neighbours<'s> {
    /// The triangles with cells of each vertex.
    pub around: VertexFaces<'s>,
    /// The triangles of each patch.
    pub chains: Chains<'s>,
    /// For each patch the patch for which it was last found as a neighbour.
    pub seen: &'s mut [u32],
    /// Number of neighbours of each patch.
    pub degree: &'s mut [u32],
}

impl Neighbours<'_> {
    /// Counts the neighbours of all patches.
    pub fn count(&mut self, mesh: &MeshRef<'_>, normals: &[[f64; 3]], names: &[u32]) {
        self.degree.fill(0);
        self.seen.fill(NONE);
        for p in patches(names) {
            let mut count = 0;
            self.each(mesh, normals, names, p, |_| count += 1);
            if let Some(to) = self.degree.get_mut(p as usize) {
                *to = count;
            }
        }
    }

    /// The sum of all counts.
    pub fn total(&self) -> u64 {
        self.degree.iter().map(|n| u64::from(*n)).sum()
    }

    /// Writes the start of each row, and the rows, to zeroed memory. `count` was called, and the memory is large enough.
    pub fn write(
        &mut self,
        mesh: &MeshRef<'_>,
        normals: &[[f64; 3]],
        names: &[u32],
        first: &mut [u32],
        to: &mut [u32],
    ) {
        self.seen.fill(NONE);
        // The start of each row is stored one item later: filling moves it to the row's end, which is the start of the next row.
        let mut sum = 0u32;
        for (start, degree) in first.iter_mut().skip(1).zip(self.degree.iter()) {
            *start = sum;
            sum = sum.saturating_add(*degree);
        }
        // Neighbourhood is symmetric, so each patch is written to the rows of its neighbours, which are then in ascending order.
        for p in patches(names) {
            self.each(mesh, normals, names, p, |q| {
                if let Some(end) = first.get_mut(q as usize + 1) {
                    if let Some(to) = to.get_mut(*end as usize) {
                        *to = p;
                    }
                    *end = end.saturating_add(1);
                }
            });
        }
    }

    /// Calls `found` once for each neighbour of a patch.
    fn each(
        &mut self,
        mesh: &MeshRef<'_>,
        normals: &[[f64; 3]],
        names: &[u32],
        patch: u32,
        mut found: impl FnMut(u32),
    ) {
        let has_cells = |i: u32| normals.get(i as usize).is_some_and(|n| *n != [0.0; 3]);
        for i in self.chains.of(patch).filter(|i| has_cells(*i)) {
            let over_edges = mesh.neighbour.get(i as usize).copied().unwrap_or([NONE; 3]);
            let lists =
                mesh.welded(i as usize).map(|v| self.around.of(v)).map(|l| if l.len() > CROWD { &[] } else { l });
            let over_edges = over_edges.iter().filter(|j| has_cells(**j));
            for q in over_edges.chain(lists.into_iter().flatten()).filter_map(|j| names.get(*j as usize).copied()) {
                if let Some(seen) = self.seen.get_mut(q as usize).filter(|seen| q != patch && **seen != patch) {
                    *seen = patch;
                    found(q);
                }
            }
        }
    }
}

/// Sets the bit of each item of `neighbour` whose patch shares a concave edge with the patch of the row. Returns whether some two of these
/// patches are at right angles, or almost. `first` and `neighbour` are those that [`Neighbours::write`] wrote; `bits` is zero; `normals` has one
/// item for each triangle.
pub(in crate::contact) fn mark_concave(
    mesh: &MeshRef<'_>,
    normals: &[[f64; 3]],
    names: &[u32],
    first: &[u32],
    neighbour: &[u32],
    bits: &mut [u32],
) -> bool {
    let mut walls = false;
    let mut mark = |p: u32, q: u32| {
        let ends = [p as usize, p as usize + 1].map(|i| first.get(i).map_or(0, |end| *end as usize));
        let row = neighbour.get(ends[0]..ends[1]).unwrap_or_default();
        if let Ok(at) = row.binary_search(&q)
            && let Some(word) = bits.get_mut((ends[0] + at) / 32)
        {
            *word |= 1 << ((ends[0] + at) % 32);
        }
    };
    for (i, (across, p)) in mesh.neighbour.iter().zip(names).enumerate() {
        for (k, j) in across.iter().enumerate() {
            if let Some(q) = names.get(*j as usize).filter(|q| *q != p)
                && is_concave(mesh, i, k, *j as usize)
            {
                mark(*p, *q);
                mark(*q, *p);
                let normal = |patch: u32| normals.get(patch as usize).copied().unwrap_or_default();
                // Grouping computes the same cosine from rotated normals, hence the margin.
                walls |= dot(normal(*p), normal(*q)).abs() < ACROSS + ROUNDING;
            }
        }
    }
    walls
}

/// Rounding of a cosine.
const ROUNDING: f64 = 1.0 / (1u64 << 40) as f64;

/// Whether the third corner of triangle `j`, which is across side `k` of triangle `i`, is above the plane of `i`.
fn is_concave(mesh: &MeshRef<'_>, i: usize, k: usize, j: usize) -> bool {
    let (of_i, of_j) = (mesh.welded(i), mesh.welded(j));
    let ends = [of_i[k % 3], of_i[(k + 1) % 3]];
    let Some(third) = of_j.iter().position(|vertex| !ends.contains(vertex)) else { return false };
    let [a, b, c] = mesh.triangle(i);
    dot(sub(mesh.triangle(j)[third % 3], a), cross(sub(b, a), sub(c, a))) > 0.0
}

/// Whether some bit in a range of a list of words is set; words beyond the end count as 0.
#[inline]
pub(in crate::contact) fn any_bit(words: &[u32], range: Range<usize>) -> bool {
    let Some(last) = range.end.checked_sub(1).filter(|last| *last >= range.start) else { return false };
    let (first, end) = (range.start / 32, last / 32);
    let word = |at: usize| words.get(at).copied().unwrap_or_default();
    let (low, high) = (u32::MAX << (range.start % 32), u32::MAX >> (31 - last % 32));
    match first == end {
        true => word(first) & low & high != 0,
        false => word(first) & low != 0 || word(end) & high != 0 || (first + 1..end).any(|at| word(at) != 0),
    }
}

/// The patches, in ascending order.
pub(in crate::contact) fn patches(names: &[u32]) -> impl Iterator<Item = u32> {
    names.iter().enumerate().filter(|(i, name)| *i == **name as usize).map(|(_, name)| *name)
}
