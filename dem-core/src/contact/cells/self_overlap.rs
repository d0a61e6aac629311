//! Whether parts of a mesh may overlap, and whether one of them looks inward, from their boxes and volumes.

use glam::DVec3;

use super::cell::{FIRST, NEXT, counts};
use crate::mesh::{MeshRef, Record, Sets};
use crate::real::{max, min};

/// Average number of boxes compared with each box in the search for hollows.
const LOOK: usize = 64;

/// Largest average number of boxes compared with each box in the search for overlaps, in the order along one axis. Where more are needed along
/// all three axes, boxes are taken to overlap: in a cubic lattice from about 33,000 boxes on.
const BESIDE: usize = 512;

/// Boxes whose overlap along an axis is smaller only touch. In radii of the mesh.
const TOUCH: f64 = 1.0 / (1 << 20) as f64;

/// A smaller volume counts as zero, in cubes of the mesh's radius.
pub(super) const NOTHING: f64 = 1e-12;

/// How the parts of a mesh are arranged.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::contact) struct Lie {
    /// Two of them look outward and have boxes that overlap.
    pub overlap: bool,
    /// A part looks inward, and its box is not inside that of a part that looks outward: so it is no hollow of a body. Meaningful only if the
    /// parts are closed.
    pub inward: bool,
    /// One of them looks outward.
    pub outward: bool,
    /// There are two or more.
    pub several: bool,
}

/// Memory with an item for each triangle.
pub(in crate::contact) struct Memory<'s> {
    pub sets: &'s mut [u32],
    pub low: &'s mut [[f64; 3]],
    pub high: &'s mut [[f64; 3]],
    /// The volume of each part, and the order of parts.
    pub volume: &'s mut [Record],
}

/// Finds how the parts of a mesh (triangles that count, connected across edges) are arranged. Marks the [`FIRST`] triangle of each part if there
/// are several. Cost: linear for one part; else a sort of the parts along up to three axes, and along each axis comparisons with up to 512 boxes
/// for each, on average.
pub(in crate::contact) fn how_parts_lie(mesh: &MeshRef<'_>, part: &mut [u32], memory: Memory<'_>) -> Lie {
    let Memory { sets, low, high, volume } = memory;
    let is_in = |i: u32| counts(part.get(i as usize));
    let all = || (0..mesh.len() as u32).filter(|i| is_in(*i));
    let centre = DVec3::from_array(mesh.centre());
    let six_volumes = |i: u32| {
        let [a, b, c] = mesh.triangle(i as usize).map(|v| DVec3::from_array(v) - centre);
        a.dot(b.cross(c))
    };
    let nothing = NOTHING * (mesh.radius() * mesh.radius() * mesh.radius());
    let mut sets = Sets::new(sets);
    for i in all() {
        sets.join([i, i]);
        let neighbours = mesh.neighbour.get(i as usize).copied().unwrap_or_default();
        neighbours.into_iter().filter(|j| is_in(*j)).for_each(|j| sets.join([i, j]));
    }
    if sets.count() < 2 {
        let volume = all().fold(0.0, |sum, i| sum + six_volumes(i));
        return Lie { inward: volume < -nothing, outward: volume > nothing, ..Lie::default() };
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
        if let Some(to) = volume.get_mut(root) {
            to[0] = (f64::from_bits(to[0]) + six_volumes(i)).to_bits();
        }
    }
    for k in 0..number {
        let root = |k: usize| volume.get(k).filter(|_| k < number).map(|to| to[1] as u32);
        // If an index does not fit into these bits, the chain of parts ends.
        let next = root(k + 1).map_or(0, |next| next + 1);
        let next = if next < 1 << (u32::BITS - NEXT) { next << NEXT } else { 0 };
        root(k).and_then(|root| part.get_mut(root as usize)).into_iter().for_each(|part| *part |= FIRST | next);
    }
    // The sets are no longer needed: their memory is reused.
    let roots = sets.into_memory();
    let volume_of = |root: u64| volume.get(root as usize).map_or(0.0, |to| f64::from_bits(to[0]));
    let of = |k: usize| volume.get(k).map_or(0, |to| to[1]);
    // If no part looks outward, the parts are rooms beside each other, or inside each other.
    let are_bodies = (0..number).map(of).any(|root| volume_of(root) > 0.0);
    let outward = (0..number).map(of).any(|root| volume_of(root) > nothing);
    let sign = if are_bodies { 1.0 } else { -1.0 };
    let mut count = 0;
    for k in 0..number {
        let Some(root) = volume.get(k).map(|to| to[1]).filter(|root| sign * volume_of(*root) > 0.0) else { continue };
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
    let touch = TOUCH * mesh.radius();
    let sort = |roots: &mut [u32], axis: usize| {
        roots.sort_unstable_by(|i, j| extent(i).0[axis].total_cmp(&extent(j).0[axis]).then(i.cmp(j)));
    };
    let mut overlap = None;
    for axis in [2, 1] {
        if overlap.is_none() {
            sort(roots, axis);
            overlap = any_overlap(roots, extent, axis, touch);
        }
    }
    // The search for hollows needs this order.
    sort(roots, 0);
    let overlap = overlap.or_else(|| any_overlap(roots, extent, 0, touch)).unwrap_or(true);
    // The part around a hollow is mostly the last of those that start before it. Once all searches together exceed their budget, remaining parts
    // count as hollows.
    let mut left = number.saturating_mul(LOOK);
    let mut is_hollow = |root: u32| {
        let (low, high) = extent(&root);
        let before = roots.partition_point(|j| extent(j).0[0] <= low[0] + touch);
        roots.get(..before).unwrap_or_default().iter().rev().any(|j| {
            let (floor, top) = extent(j);
            left = left.saturating_sub(1);
            left == 0 || (0..3).all(|c| floor[c] <= low[c] + touch && high[c] <= top[c] + touch)
        })
    };
    let mut is_inward = |root: u64| volume_of(root) < -nothing && !(are_bodies && is_hollow(root as u32));
    let inward = (0..number).map(of).any(&mut is_inward);
    Lie { overlap, inward, outward, several: true }
}

/// Whether two of these boxes overlap. The boxes are in the order of their low ends along the axis. `None` where too many are beside each other.
fn any_overlap(boxes: &[u32], extent: impl Fn(&u32) -> ([f64; 3], [f64; 3]), axis: usize, touch: f64) -> Option<bool> {
    let mut left = boxes.len().saturating_mul(BESIDE);
    for (next, i) in (1..).zip(boxes) {
        let (low, high) = extent(i);
        for j in boxes.iter().skip(next).take_while(|j| extent(j).0[axis] < high[axis] - touch) {
            left = left.checked_sub(1)?;
            let (floor, top) = extent(j);
            if (0..3).all(|c| low[c] < top[c] - touch && floor[c] < high[c] - touch) {
                return Some(true);
            }
        }
    }
    Some(false)
}
