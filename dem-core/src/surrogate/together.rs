//! Small parts that wait until sixteen of about the same number of points can be fitted together.

use zerocopy::{FromBytes, Immutable, IntoBytes};

use super::build::Part;
use super::descend::Descent;
use super::fit::{Goal, Points};
use super::lanes::{BATCH, Rows};
use crate::memory::sections;
use crate::simd::{Isa, dispatch};

/// Groups of parts with up to 8, 16, 32 and 64 points.
pub(super) const GROUPS: usize = 4;
/// Rows of points of the first group; each has twice as many as the one before.
const ROWS: usize = 8;
/// Numbers of all rows of all groups.
const POINTS: u64 = (BATCH * ROWS * ((1 << GROUPS) - 1)) as u64;

/// Parts that wait, one in each lane.
#[derive(Clone, Copy, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub(super) struct Group {
    counts: [f32; BATCH],
    halos: [f32; BATCH],
    parts: [Part; BATCH],
    /// Their first child clusters.
    children: [u32; BATCH],
    exponent: u32,
    steps: u32,
    /// Parts that are there, and points of the largest one.
    number: u32,
    most: u32,
}

sections! {
    /// Memory of [`Together`].
    pub(super) struct TogetherMemory<'s>(groups: u64) {
        groups: [Group; groups],
        x: [f32; POINTS],
        y: [f32; POINTS],
        z: [f32; POINTS],
    }
}

/// The groups.
pub(super) struct Together<'s> {
    groups: &'s mut [Group],
    points: [&'s mut [f32]; 3],
}

/// Where the points of a group are.
fn place(group: usize) -> core::ops::Range<usize> {
    let rows = ROWS << group;
    BATCH * (rows - ROWS)..BATCH * (2 * rows - ROWS)
}

impl<'s> Together<'s> {
    pub fn new(memory: TogetherMemory<'s>) -> Self {
        let TogetherMemory { groups, x, y, z } = memory;
        // Lanes that stay empty are computed with, too.
        for group in groups.iter_mut() {
            (group.number, group.most) = (0, 0);
            (group.counts, group.halos) = ([1.0; BATCH], [0.0; BATCH]);
        }
        let mut points = [x, y, z];
        points.iter_mut().for_each(|row| row.fill(0.0));
        Together { groups, points }
    }

    /// The group of a part with so many points, if it is small enough.
    pub fn group(count: usize) -> Option<usize> {
        (0..GROUPS).find(|group| count <= ROWS << group)
    }

    /// Takes in a part with its first child cluster; `cloud` has its points. Says whether the group is full.
    pub fn add(&mut self, group: usize, cloud: Points<'_>, count: usize, goal: &Goal, part: (Part, u32)) -> bool {
        let Some(to) = self.groups.get_mut(group) else { return false };
        let lane = to.number as usize & (BATCH - 1);
        to.counts[lane] = count as f32;
        to.halos[lane] = goal.halo;
        (to.parts[lane], to.children[lane]) = part;
        (to.exponent, to.steps) = (goal.exponent, goal.steps);
        to.most = to.most.max(count as u32);
        to.number += 1;
        for (row, from) in self.points.iter_mut().zip([cloud.x, cloud.y, cloud.z]) {
            let Some(to) = row.get_mut(place(group)) else { continue };
            let last = from.last().copied().unwrap_or(0.0);
            for (to, from) in to.iter_mut().skip(lane).step_by(BATCH).zip(from.iter().chain(core::iter::repeat(&last)))
            {
                *to = *from;
            }
        }
        to.number as usize == BATCH
    }

    /// Improves the triangles of a group.
    pub fn improve(&self, group: usize, isa: Isa) -> Rows {
        let Some(of) = self.groups.get(group).filter(|of| of.number > 0) else { return [[0.0; BATCH]; 9] };
        let [x, y, z] = self.points.each_ref().map(|row| row.get(place(group)).unwrap_or_default());
        let points = Points::new(x, y, z, BATCH * of.most as usize);
        let Group { counts, halos, exponent, steps, .. } = of;
        let (exponent, steps) = (*exponent, *steps);
        dispatch(isa, Descent { start: None, points, counts, halos, exponent, steps, one: false })
    }

    /// The part in a lane, and its first child cluster.
    pub fn part(&self, group: usize, lane: usize) -> Option<(Part, u32)> {
        let of = self.groups.get(group).filter(|of| lane < of.number as usize)?;
        Some((*of.parts.get(lane)?, *of.children.get(lane)?))
    }

    pub fn clear(&mut self, group: usize) {
        if let Some(of) = self.groups.get_mut(group) {
            (of.number, of.most) = (0, 0);
        }
    }
}
