//! The data of balls that a world keeps from one step to the next.

use zerocopy::{FromBytes, Immutable, IntoBytes};

use super::images::{Images, nearest};
use crate::force::Value;
use crate::vector::dot;

/// The listed position of a body, and its reach; for a half-space its plane.
pub(in crate::world) type Place = [f32; 4];

/// The largest distance of bodies from their listed positions.
///
/// If balls are so far apart that single precision is too coarse (one lost ball is enough), a position is stored relative to the centre of the
/// nearest cell of a lattice. A mark in its reach identifies the cell.
#[derive(Clone, Copy, Default)]
pub(super) struct Leash {
    pub length: f64,
    pub(super) origin: [f64; 3],
    /// Edges of the lattice cells; 0 along axes without a lattice.
    pub(super) pitch: [f64; 3],
}

impl Leash {
    /// A position relative to the origin of listed positions.
    #[inline(always)]
    pub fn seen<F: Value>(&self, proof: F::Proof, [x, y, z, reach]: [F; 4]) -> [F; 4] {
        let [a, b, c] = self.origin;
        [x - F::constant(proof, a), y - F::constant(proof, b), z - F::constant(proof, c), reach]
    }

    /// Whether positions are stored by cells.
    pub fn has_cells(&self) -> bool {
        self.pitch.iter().any(|pitch| *pitch > 0.0)
    }

    /// A position relative to the cell for which it is nearest to another position, which is relative to its own cell; and with the mark of that
    /// cell.
    #[inline(always)]
    fn in_cell(&self, place: [f64; 4], from: [f64; 3]) -> ([f64; 4], u32) {
        let [x, y, z, reach] = self.seen((), place);
        let cell = [x - from[0], y - from[1], z - from[2]];
        let cell = [0, 1, 2].map(|k| nearest(cell[k], self.pitch[k]));
        let [a, b, c] = [0, 1, 2].map(|k| cell[k] * self.pitch[k]);
        // Odd factors, so that positions with equal marks are some thousand cells apart, and mark 0 means the middle cell.
        let [i, j, k] = cell.map(|k| k as i64 as u32);
        let mark = i.wrapping_add(j.wrapping_mul(0x9E37_79B1)).wrapping_add(k.wrapping_mul(0x85EB_CA77));
        ([x - a, y - b, z - c, reach], (reach as f32).to_bits() ^ mark)
    }

    /// The stored form of a ball's position, or of a half-space's plane.
    pub fn listed(&self, place: [f64; 4], is_flat: bool) -> Place {
        if is_flat {
            return place.map(|x| x as f32);
        }
        let ([x, y, z, _], mark) = self.in_cell(place, [0.0; 3]);
        [x as f32, y as f32, z as f32, f32::from_bits(mark)]
    }

    /// Whether a ball, or the plane of a half-space, is still at its listed position.
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

/// The parameters of a list. A list is invalid once bodies were added or removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub(in crate::world) struct Listed {
    pub periods: [f64; 3],
    pub skin: f64,
    /// The requested skin, which may be larger if there was no room for it.
    pub wanted: f64,
    pub bodies: u32,
    /// 1 if there is a valid list.
    pub whole: u32,
    /// Positions are stored in single precision relative to this point, and are in a box with at most this edge.
    pub origin: [f64; 3],
    pub edge: f64,
    /// As in [`Leash`].
    pub pitch: [f64; 3],
    /// Number of lists made so far.
    pub made: u64,
}

impl Head {
    /// Whether springs of the accepted state are here.
    pub fn has_springs(&self) -> bool {
        matches!(self.holds, OWN | BESIDE)
    }

    /// The energy of springs that were removed since the last step; resets it to 0.
    pub fn take_left(&mut self) -> f64 {
        core::mem::take(&mut self.left)
    }

    /// Makes the springs those of a step with this number of near pairs and these energies. Returns the energies dissipated by damping and
    /// friction.
    pub(super) fn goes_on(&mut self, near: u32, [stored, damped, worked]: [f64; 3]) -> [f64; 2] {
        let rubbed = worked - (stored - self.stored) + self.take_left();
        (self.half, self.touching, self.words, self.stored) = (1 - self.half.min(1), near, self.trial_words, stored);
        [damped, rubbed]
    }
}

/// The state of the list.
#[derive(Clone, Copy, Debug, Default, PartialEq, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub(in super::super) struct Head {
    /// Length of the last step.
    pub dt: f64,
    /// Number of pairs.
    pub count: u32,
    /// Whether springs are here: [`OWN`], [`BESIDE`] or [`TAKEN`]; 0 if they are in the scene.
    pub holds: u32,
    /// The valid list of touching pairs: even (0) or odd (1). They are in the order of the neighbour list.
    pub half: u32,
    /// Its length.
    pub touching: u32,
    /// Words of each of its pairs.
    pub words: u32,
    /// Length of the other list, of a step that is not yet accepted, and words of each of its pairs.
    pub trial: u32,
    pub trial_words: u32,
    /// [`Head::holds`] before springs were copied to the scene for a step that is not yet accepted; 0 if none were copied.
    pub copied: u32,
    /// Energy of its springs.
    pub stored: f64,
    /// Energy of springs of bodies that were removed since the last step.
    pub left: f64,
}

/// Words of a pair in which room for pairs is counted: slots, and the spring of sliding.
pub(in crate::world) const WORDS: u64 = 4;

/// All springs are here, from steps of balls only.
pub(super) const OWN: u32 = 1;

/// Springs of balls are here, and those of other contacts are in the scene.
pub(super) const BESIDE: u32 = 2;

/// Springs were taken in a step that is not yet accepted: the scene has them, too.
pub(super) const TAKEN: u32 = 3;
