//! What a world keeps of its balls from one step to the next.

use zerocopy::{FromBytes, Immutable, IntoBytes};

use super::images::{Images, nearest};
use crate::force::Value;
use crate::vector::dot;

/// Where a body was listed, and its reach; of a half-space its plane.
pub(in crate::world) type Place = [f32; 4];

/// How far bodies may be from where they were listed.
///
/// Where balls are so far from each other that single precision is too coarse (one that got lost is enough), a place is kept as it is seen
/// from the middle of the nearest cell of a lattice, and which cell that is as a mark in its reach.
#[derive(Clone, Copy, Default)]
pub(super) struct Leash {
    pub length: f64,
    pub(super) origin: [f64; 3],
    /// Edges of the cells of the lattice; 0 along axes without one.
    pub(super) pitch: [f64; 3],
}

impl Leash {
    /// A place as it is seen from where all were listed.
    #[inline(always)]
    pub fn seen<F: Value>(&self, proof: F::Proof, [x, y, z, reach]: [F; 4]) -> [F; 4] {
        let [a, b, c] = self.origin;
        [x - F::constant(proof, a), y - F::constant(proof, b), z - F::constant(proof, c), reach]
    }

    /// Whether places are kept by cells.
    pub fn has_cells(&self) -> bool {
        self.pitch.iter().any(|pitch| *pitch > 0.0)
    }

    /// A place as it is seen from the cell for which it is nearest to another one that is seen from its cell, and with the mark of that cell.
    #[inline(always)]
    fn in_cell(&self, place: [f64; 4], from: [f64; 3]) -> ([f64; 4], u32) {
        let [x, y, z, reach] = self.seen((), place);
        let cell = [x - from[0], y - from[1], z - from[2]];
        let cell = [0, 1, 2].map(|k| nearest(cell[k], self.pitch[k]));
        let [a, b, c] = [0, 1, 2].map(|k| cell[k] * self.pitch[k]);
        // Odd factors, so that places with equal marks are some thousand cells apart, and no mark means the middle cell.
        let [i, j, k] = cell.map(|k| k as i64 as u32);
        let mark = i.wrapping_add(j.wrapping_mul(0x9E37_79B1)).wrapping_add(k.wrapping_mul(0x85EB_CA77));
        ([x - a, y - b, z - c, reach], (reach as f32).to_bits() ^ mark)
    }

    /// What is kept of the place of a ball, or of the plane of a half-space.
    pub fn listed(&self, place: [f64; 4], is_flat: bool) -> Place {
        if is_flat {
            return place.map(|x| x as f32);
        }
        let ([x, y, z, _], mark) = self.in_cell(place, [0.0; 3]);
        [x as f32, y as f32, z as f32, f32::from_bits(mark)]
    }

    /// Whether a ball, or the plane of a half-space, is where it was listed.
    pub fn holds(&self, images: &Images, place: [f64; 4], is_flat: bool, before: Place) -> bool {
        if is_flat {
            return self.listed(place, is_flat) == before;
        }
        let [x, y, z, _] = before.map(f64::from);
        let (now, mark) = self.in_cell(place, [x, y, z]);
        let d = images.apart(&now, &[x, y, z, 0.0]);
        dot(d, d) <= self.length * self.length && mark == before[3].to_bits()
    }
}

/// What a list was made for. It is none where bodies have joined or left since.
#[derive(Clone, Copy, Debug, Default, PartialEq, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub(in crate::world) struct Listed {
    pub periods: [f64; 3],
    pub skin: f64,
    /// The skin that there was no room for, or the same.
    pub wanted: f64,
    pub bodies: u32,
    /// 1 where there is one.
    pub whole: u32,
    /// Places are kept in single precision as they are seen from here, and are in a box of this edge at most.
    pub origin: [f64; 3],
    pub edge: f64,
    /// As [`Leash`] has it.
    pub pitch: [f64; 3],
    /// How many lists there have been.
    pub made: u64,
}

impl Head {
    /// Whether springs of the accepted state are here.
    pub fn has_springs(&self) -> bool {
        matches!(self.holds, OWN | BESIDE)
    }

    /// What springs held that have left since the last step, once.
    pub fn take_left(&mut self) -> f64 {
        core::mem::take(&mut self.left)
    }

    /// Springs are those of a step with so many near pairs, which come to these energies. Gives what damping and friction have dissipated.
    pub(super) fn goes_on(&mut self, near: u32, [stored, damped, worked]: [f64; 3]) -> [f64; 2] {
        let rubbed = worked - (stored - self.stored) + self.take_left();
        (self.half, self.touching, self.words, self.stored) = (1 - self.half.min(1), near, self.trial_words, stored);
        [damped, rubbed]
    }
}

/// What there is of a list.
#[derive(Clone, Copy, Debug, Default, PartialEq, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub(in super::super) struct Head {
    /// Length of the last step.
    pub dt: f64,
    /// Pairs.
    pub count: u32,
    /// Whether springs are here: [`OWN`], [`BESIDE`] or [`TAKEN`]; 0 where they are in the scene.
    pub holds: u32,
    /// Which of both lists of pairs that touch holds: even (0) or odd (1). They are in the order of the list.
    pub half: u32,
    /// Its length.
    pub touching: u32,
    /// Words of each of its pairs.
    pub words: u32,
    /// The length of the other one, of a step that is not yet accepted, and words of each.
    pub trial: u32,
    pub trial_words: u32,
    /// What [`Head::holds`] was before springs were copied to the scene for a step that is not yet accepted; 0 where none were.
    pub copied: u32,
    /// Energy of its springs.
    pub stored: f64,
    /// That of springs of bodies that have left since the last step.
    pub left: f64,
}

/// Words of a pair that the room for pairs is counted in: slots, and the spring of sliding.
pub(in crate::world) const WORDS: u64 = 4;

/// Springs are here, of steps of balls alone.
pub(super) const OWN: u32 = 1;

/// Those of balls are here, and those of other contacts in the scene.
pub(super) const BESIDE: u32 = 2;

/// They were taken in a step that is not yet accepted: the scene has them, too.
pub(super) const TAKEN: u32 = 3;
