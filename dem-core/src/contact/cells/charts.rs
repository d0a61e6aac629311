//! Charts: connected patches that face about the same direction, grown from the largest patch over shared edges.

use glam::DVec3;

use super::neighbours::{Chains, patches};
use crate::contact::unit;
use crate::mesh::{MeshRef, NONE, Record, sort};
use crate::real::Real;

/// Scratch for growing charts, with an item for each triangle.
pub(in crate::contact) struct Growing<'s> {
    /// The triangles of each patch.
    pub chains: Chains<'s>,
    /// Normals of patches.
    pub across: &'s mut [[f64; 3]],
    /// For sorting patches.
    pub records: &'s mut [Record],
    /// Patches whose neighbours are still to be visited.
    pub queue: &'s mut [u32],
}

/// Gives each triangle the first triangle of its patch's chart. A chart grows from the largest patch that is in no chart yet (the first in order
/// of those with the same area). Patches join it over edges where the cosine between their normal and that of the chart's first patch is not less
/// than `cosine`. `normals` are zero for triangles that have no cells: a patch of these triangles is a chart of its own.
pub(in crate::contact) fn charts(
    mesh: &MeshRef<'_>,
    normals: &[[f64; 3]],
    names: &[u32],
    cosine: f64,
    memory: Growing<'_>,
    chart: &mut [u32],
) {
    let Growing { chains, across, records, queue } = memory;
    let scale = mesh.radius().inverse_exponent();
    let has_cells = |i: u32| normals.get(i as usize).is_some_and(|n| *n != [0.0; 3]);
    let mut count = 0;
    for (p, to) in patches(names).zip(records.iter_mut()) {
        let (mut sum, mut area) = (DVec3::ZERO, 0.0);
        for i in chains.of(p).filter(|i| has_cells(*i)) {
            let [a, b, c] = mesh.triangle(i as usize).map(DVec3::from_array);
            let double = ((b - a) * scale).cross((c - a) * scale);
            sum += double;
            area += Real::sqrt(double.length_squared());
        }
        if let Some(to) = across.get_mut(p as usize) {
            *to = unit(sum).map_or([0.0; 3], |(normal, _)| normal.to_array());
        }
        // The bits of positive numbers have the order of the numbers.
        *to = [!(area + 0.0).to_bits(), u64::from(p)];
        count += 1;
    }
    let seeds = records.get_mut(..count).unwrap_or_default();
    sort(seeds);
    // First filled for patches only, at their first triangles; the loop below fills the other triangles.
    chart.fill(NONE);
    let normal = |p: u32| across.get(p as usize).map_or(DVec3::ZERO, |n| DVec3::from_array(*n));
    for [_, seed] in seeds.iter() {
        let seed = *seed as u32;
        if chart.get(seed as usize) != Some(&NONE) {
            continue;
        }
        let axis = normal(seed);
        let (mut taken, mut count, mut name) = (0, 0, seed);
        let mut take = |p: u32, queue: &mut [u32], chart: &mut [u32], count: &mut usize| {
            if let (Some(to), Some(entry)) = (chart.get_mut(p as usize), queue.get_mut(*count)) {
                (*to, *entry) = (seed, p);
                *count += 1;
                name = name.min(p);
            }
        };
        take(seed, queue, chart, &mut count);
        while taken < count {
            let at = queue.get(taken).copied().unwrap_or(seed);
            taken += 1;
            for i in chains.of(at).filter(|i| has_cells(*i)) {
                let over_edges = mesh.neighbour.get(i as usize).copied().unwrap_or([NONE; 3]);
                for j in over_edges.into_iter().filter(|j| has_cells(*j)) {
                    let next = names.get(j as usize).copied().unwrap_or(NONE);
                    if chart.get(next as usize) == Some(&NONE) && axis.dot(normal(next)) >= cosine {
                        take(next, queue, chart, &mut count);
                    }
                }
            }
        }
        for member in queue.iter().take(count) {
            if let Some(to) = chart.get_mut(*member as usize) {
                *to = name;
            }
        }
    }
    // A patch's first triangle comes before its other triangles, so its item is final.
    for (i, p) in names.iter().enumerate() {
        let of_patch = chart.get(*p as usize).copied().filter(|c| *c != NONE).unwrap_or(*p);
        if let Some(to) = chart.get_mut(i) {
            *to = of_patch;
        }
    }
}
