//! Small parts, which wait until sixteen with about the same number of points can be fitted together.

use zerocopy::{FromBytes, Immutable, IntoBytes};

use super::descent_fit::Descent;
use super::distance::CoverEach;
use super::lanes::{BATCH, Rows};
use super::objective::{Goal, Points};
use super::points::{Cloud, Extent, SMALL, Small};
use crate::memory::sections;
use crate::real::max;
use crate::simd::{Isa, dispatch};

/// Most points of a part, for each group: all lanes take as long as the part with the most points.
const MOST: [usize; 6] = [6, 8, 12, 20, 32, SMALL];
/// Number of groups.
pub(super) const GROUPS: usize = MOST.len();
/// Points of all groups together.
const POINTS: u64 = place(GROUPS).start as u64;
/// Numbers in the longest rows.
const LONGEST: u64 = (BATCH * SMALL) as u64;
/// Rows of points whose distances are computed at once.
const BLOCK: usize = 8;

/// Parts that wait, one in each lane.
#[derive(Clone, Copy, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub(super) struct Group {
    counts: [f32; BATCH],
    halos: [f32; BATCH],
    parts: [Part; BATCH],
    /// The first child cluster of each part.
    children: [u32; BATCH],
    exponent: u32,
    steps: u32,
    /// Number of parts; `most`: points of the largest one.
    number: u32,
    most: u32,
}

sections! {
    /// Memory of [`Together`]; `own` is 1 if each triangle has a halo of its own, else 0.
    pub(super) struct TogetherMemory<'s>(groups: u64, own: u64) {
        groups: [Group; groups],
        vertex: [u32; POINTS],
        halos: [f64; own * POINTS],
        x: [f32; LONGEST],
        y: [f32; LONGEST],
        z: [f32; LONGEST],
    }
}

/// All groups of waiting parts.
pub(super) struct Together<'s> {
    groups: &'s mut [Group],
    /// The vertices of each lane's part.
    vertex: &'s mut [u32],
    /// Their halos; empty if all are the same.
    halos: &'s mut [f64],
    /// Points of the group that is being fitted: each row has the next point of each lane's part.
    points: [&'s mut [f32]; 3],
}

/// A part that has been fitted.
#[derive(Clone, Copy)]
pub(super) struct Fitted {
    pub part: Part,
    pub extent: Extent,
    /// Its first child cluster.
    pub first: u32,
}

/// The places of a group's vertices.
const fn place(group: usize) -> core::ops::Range<usize> {
    let (mut start, mut g) = (0, 0);
    while g < group {
        start += BATCH * MOST[g];
        g += 1;
    }
    let most = if group < GROUPS { MOST[group] } else { 0 };
    start..start + BATCH * most
}

impl<'s> Together<'s> {
    pub fn new(memory: TogetherMemory<'s>) -> Self {
        let TogetherMemory { groups, vertex, halos, x, y, z } = memory;
        // Empty lanes take part in computations, so they need valid numbers.
        for group in groups.iter_mut() {
            (group.number, group.most) = (0, 0);
            (group.counts, group.halos) = ([1.0; BATCH], [0.0; BATCH]);
        }
        Together { groups, vertex, halos, points: [x, y, z] }
    }

    /// The group of a part with this number of points, if it is small enough.
    pub fn group(count: usize) -> Option<usize> {
        MOST.iter().position(|most| count <= *most)
    }

    /// Adds a part with its first child cluster. Gives whether the group is full.
    pub fn add(&mut self, group: usize, small: &Small, goal: &Goal, part: (Part, u32)) -> bool {
        let Some(to) = self.groups.get_mut(group) else { return false };
        let lane = to.number as usize & (BATCH - 1);
        to.counts[lane] = small.count as f32;
        to.halos[lane] = goal.halo;
        (to.parts[lane], to.children[lane]) = part;
        (to.exponent, to.steps) = (goal.exponent, goal.steps);
        to.most = to.most.max(small.count as u32);
        to.number += 1;
        let all = place(group).start + lane * MOST[group]..;
        let copy = |(to, from): (&mut u32, &u32)| *to = *from;
        let into = self.vertex.get_mut(all.clone()).unwrap_or_default();
        into.iter_mut().zip(&small.vertex).take(small.count).for_each(copy);
        let into = self.halos.get_mut(all).unwrap_or_default();
        into.iter_mut().zip(&small.halos).take(small.count).for_each(|(to, from)| *to = *from);
        to.number as usize == BATCH
    }

    /// The vertices of a lane's part, and their halos if they have their own.
    fn lane(&self, group: usize, lane: usize) -> (&[u32], &[f64]) {
        let count = self.groups.get(group).map_or(0, |of| of.counts[lane] as usize);
        let start = place(group).start + lane * MOST[group];
        let vertex = self.vertex.get(start..start + count).unwrap_or_default();
        (vertex, self.halos.get(start..start + count).unwrap_or_default())
    }

    /// Fits triangles to the parts of a group.
    pub fn improve(&mut self, group: usize, cloud: &Cloud<'_>, isa: Isa) -> Rows {
        let Some(&Group { counts, halos, exponent, steps, number, most, .. }) =
            self.groups.get(group).filter(|of| of.number > 0)
        else {
            return [[0.0; BATCH]; 9];
        };
        let numbers = BATCH * most as usize;
        for row in &mut self.points {
            row.get_mut(..numbers).unwrap_or_default().fill(0.0);
        }
        for (lane, count) in counts.iter().enumerate().take(number as usize) {
            let start = place(group).start + lane * MOST[group];
            let vertices = self.vertex.get(start..start + *count as usize).unwrap_or_default();
            let extent = cloud.extent_of(vertices);
            let (middle, scale) = (extent.middle().to_array(), extent.scale());
            let mut local = [0.0; 3];
            for row in 0..most as usize {
                // After the last point, rows repeat it.
                if let Some(vertex) = vertices.get(row) {
                    let p = cloud.position(*vertex);
                    local = [0, 1, 2].map(|c| ((p[c] - middle[c]) * scale) as f32);
                }
                for (to, x) in self.points.iter_mut().zip(local) {
                    if let Some(to) = to.get_mut(BATCH * row + lane) {
                        *to = x;
                    }
                }
            }
        }
        let [x, y, z] = &self.points;
        let points = Points::new(x, y, z, numbers);
        let (counts, halos) = (&counts, &halos);
        dispatch(isa, Descent { start: None, points, counts, halos, exponent, steps, one: false })
    }

    /// For each part, the largest distance (with halo) of its points from a triangle, both given as in [`CoverEach`]. A halo that all triangles
    /// share is not included.
    pub fn distances(
        &self,
        group: usize,
        triangles: &[[f64; BATCH]; 9],
        origins: &[[f64; BATCH]; 3],
        cloud: &Cloud<'_>,
        isa: Isa,
    ) -> [f64; BATCH] {
        let (number, most) = self.groups.get(group).map_or((0, 0), |of| (of.number as usize, of.most as usize));
        let mut largest = [0.0; BATCH];
        for block in (0..most).step_by(BLOCK) {
            let mut points = [[0.0; BATCH * BLOCK]; 3];
            let mut halos = [0.0; BATCH * BLOCK];
            let rows = (most - block).min(BLOCK);
            for lane in 0..number.min(BATCH) {
                let (vertex, own) = self.lane(group, lane);
                let last = vertex.len().saturating_sub(1);
                for row in 0..rows {
                    let (from, to) = ((block + row).min(last), BATCH * row + lane);
                    let p = cloud.position(vertex.get(from).copied().unwrap_or(0));
                    (points[0][to], points[1][to], points[2][to]) = (p[0], p[1], p[2]);
                    halos[to] = own.get(from).copied().unwrap_or(0.0);
                }
            }
            let n = BATCH * rows;
            let points = points.each_ref().map(|row| &row[..n]);
            let halos = if self.halos.is_empty() { &[][..] } else { &halos[..n] };
            let found = dispatch(isa, CoverEach { triangles, origins, points, halos });
            largest.iter_mut().zip(found).for_each(|(most, more)| *most = max(*most, more));
        }
        largest
    }

    /// The part in a lane.
    pub fn fitted(&self, group: usize, lane: usize, cloud: &Cloud<'_>) -> Option<Fitted> {
        let of = self.groups.get(group).filter(|of| lane < of.number as usize)?;
        let extent = cloud.extent_of(self.lane(group, lane).0);
        Some(Fitted { part: *of.parts.get(lane)?, extent, first: *of.children.get(lane)? })
    }

    pub fn clear(&mut self, group: usize) {
        if let Some(of) = self.groups.get_mut(group) {
            (of.number, of.most) = (0, 0);
        }
    }
}

/// A part that waits to be fitted.
#[derive(Clone, Copy, Debug, zerocopy::FromBytes, zerocopy::IntoBytes, zerocopy::Immutable)]
#[repr(C)]
pub(super) struct Part {
    pub(super) start: u32,
    pub(super) triangles: u32,
    pub(super) leaves: u32,
    pub(super) level: u32,
    /// The cluster of its node; [`NONE`](super::tree::NONE) for the whole mesh.
    pub(super) cluster: u32,
    pub(super) lane: u32,
    /// The origin of that cluster.
    pub(super) origin: u32,
    pub(super) spare: u32,
}
