//! Whether parts of a mesh may lie in each other: whether their boxes do.

use glam::DVec3;

use super::cell::COUNTS;
use crate::mesh::{MeshRef, Record, Sets};
use crate::real::{max, min};

/// So many boxes are compared with each one. Where more are near, they are taken to overlap.
const LOOK: usize = 64;

/// Boxes that have less in common along an axis only touch, in radii of the mesh.
const TOUCH: f64 = 1.0 / (1 << 20) as f64;

/// Memory with an item for each triangle.
pub(in crate::contact) struct Memory<'s> {
    pub sets: &'s mut [u32],
    pub low: &'s mut [[f64; 3]],
    pub high: &'s mut [[f64; 3]],
    /// The volume of a part, and places of parts in their order.
    pub volume: &'s mut [Record],
}

/// Whether two parts of a mesh (triangles that count, connected across edges) enclose something, look outwards, and have boxes that
/// overlap. Cost: linear for one part; else a sort of the parts.
pub(in crate::contact) fn may_overlap(mesh: &MeshRef<'_>, part: &[u32], memory: Memory<'_>) -> bool {
    let Memory { sets, low, high, volume } = memory;
    let counts = |i: u32| part.get(i as usize) == Some(&COUNTS);
    let all = || (0..mesh.len() as u32).filter(|i| counts(*i));
    let mut sets = Sets::new(sets);
    for i in all() {
        sets.join([i, i]);
        let neighbours = mesh.neighbour.get(i as usize).copied().unwrap_or_default();
        neighbours.into_iter().filter(|j| counts(*j)).for_each(|j| sets.join([i, j]));
    }
    if sets.count() < 2 {
        return false;
    }
    let mut number = 0;
    for i in all() {
        let root = sets.root(i) as usize;
        let (Some(low), Some(high)) = (low.get_mut(root), high.get_mut(root)) else { continue };
        let corners = mesh.triangle(i as usize);
        if i as usize == root {
            (*low, *high) = (corners[0], corners[0]);
            volume.get_mut(root).into_iter().for_each(|to| to[0] = 0);
            volume.get_mut(number).into_iter().for_each(|to| to[1] = u64::from(i));
            number += 1;
        }
        for (k, x) in corners.iter().flat_map(|v| v.iter().copied().enumerate()) {
            (low[k], high[k]) = (min(low[k], x), max(high[k], x));
        }
        let centre = DVec3::from_array(mesh.centre());
        let [a, b, c] = corners.map(|v| DVec3::from_array(v) - centre);
        if let Some(to) = volume.get_mut(root) {
            to[0] = (f64::from_bits(to[0]) + a.dot(b.cross(c))).to_bits();
        }
    }
    // From here on the sets are not needed.
    let roots = sets.into_memory();
    let outwards = |root: u64| volume.get(root as usize).is_some_and(|to| f64::from_bits(to[0]) > 0.0);
    let mut count = 0;
    for k in 0..number {
        let Some(root) = volume.get(k).map(|to| to[1]).filter(|root| outwards(*root)) else { continue };
        if let Some(to) = roots.get_mut(count) {
            *to = root as u32;
            count += 1;
        }
    }
    let roots = roots.get_mut(..count).unwrap_or_default();
    let extent = |i: &u32| {
        let at = *i as usize;
        (low.get(at).copied().unwrap_or_default(), high.get(at).copied().unwrap_or_default())
    };
    roots.sort_unstable_by(|i, j| extent(i).0[0].total_cmp(&extent(j).0[0]).then(i.cmp(j)));
    let touch = TOUCH * mesh.radius();
    (1..).zip(roots.iter()).any(|(next, i)| {
        let (low, high) = extent(i);
        let near = roots.iter().skip(next).take_while(|j| extent(j).0[0] < high[0] - touch);
        near.enumerate().any(|(looked, j)| {
            let (floor, top) = extent(j);
            looked >= LOOK || (0..3).all(|c| low[c] < top[c] - touch && floor[c] < high[c] - touch)
        })
    })
}
