//! Bolts and nuts with a thread.

use super::{angle, check_count, wrong};
use crate::Triangles;
use dem_core::error::{Result, What};

/// A right-handed, single-start thread about the z axis, with the trapezoidal profile of DIN 103: half a pitch deep, flanks at 15 degrees to the
/// plane across the axis, crests as wide as roots.
///
/// Its surface is an exact helicoid at the vertices. A bolt that rotates by one `sides`-th of a turn and moves by the same fraction of the pitch
/// has the same vertices on its thread. Between vertices, chords of flanks deviate from the helicoid: if `sides pitch` is less than about
/// `5 radius`, bolt and nut lock without friction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Thread {
    /// Radius of the crests.
    pub radius: f64,
    /// Distance by which one turn moves it.
    pub pitch: f64,
    /// Number of turns from one end to the other.
    pub turns: u32,
    /// Number of corners around the axis, and along it for each turn: a multiple of 6, because heads have six sides.
    pub sides: u32,
}

impl Thread {
    /// A bolt: the thread from z = 0 upwards, and a head with six sides above it. `head[0]` is the distance from the axis to a side, and `head[1]`
    /// the height.
    ///
    /// Errors: [`Kind::OutOfRange`](dem_core::error::Kind::OutOfRange) if a number is not positive, if `sides` is no multiple of 6, if the pitch is
    /// so large that the thread reaches the axis, or if the head is not wider than the thread; [`Kind::TooLarge`](dem_core::error::Kind::TooLarge)
    /// beyond 32-bit ids.
    pub fn bolt(&self, head: [f64; 2]) -> Result<Triangles> {
        self.check(head)?;
        let top = self.pitch * f64::from(self.turns);
        let mut rings = self.rings(0.0);
        rings.push(self.hexagon(head[0], top));
        rings.push(self.hexagon(head[0], top + head[1]));
        Ok(joined(&rings, Some([0.0, top + head[1]])))
    }

    /// A nut for the bolt: as long as the thread, from z = 0 upwards. Its thread is wider by `clearance` in radius and at each flank, and `width`
    /// is the distance from the axis to each of its six sides.
    ///
    /// Errors: as [`Thread::bolt`]; [`Kind::OutOfRange`](dem_core::error::Kind::OutOfRange) if the clearance is negative or more than 0.18 pitches,
    /// or if the nut is not wider than its thread.
    pub fn nut(&self, clearance: f64, width: f64) -> Result<Triangles> {
        // The base of the nut's thread is half a pitch wide, less the play of its flanks.
        if !(clearance >= 0.0 && clearance <= 0.18 * self.pitch) {
            return Err(wrong(What::Clearance, 0));
        }
        self.check([width - clearance, 1.0])?;
        let mut rings = self.rings(clearance);
        rings.push(self.hexagon(width, self.pitch * f64::from(self.turns)));
        rings.push(self.hexagon(width, 0.0));
        Ok(joined(&rings, None))
    }

    fn check(&self, head: [f64; 2]) -> Result<()> {
        let good = |x: f64| x > 0.0 && x.is_finite();
        let ranges = [
            good(self.radius) && good(self.pitch) && self.radius > self.depth(),
            self.sides > 0 && self.sides.is_multiple_of(6),
            self.turns > 0,
            head[0] > self.radius && head.iter().all(|x| good(*x)),
        ];
        if let Some(range) = ranges.iter().position(|kept| !kept) {
            return Err(wrong(What::Thread, range as u32));
        }
        let rows = u64::from(self.turns).saturating_mul(u64::from(self.sides)).saturating_add(4);
        check_count(rows.saturating_mul(2 * u64::from(self.sides)).saturating_add(2 * u64::from(self.sides)))
    }

    fn depth(&self) -> f64 {
        0.5 * self.pitch
    }

    /// Depth of the thread below its crest at this fraction of a pitch, if each flank is moved by `wider`.
    fn below(&self, part: f64, wider: f64) -> f64 {
        // Measured from the middle of the crest: a flank takes tan(15 degrees) / 2 of the pitch, and half of the crest takes half of the rest.
        const FLANK: f64 = 0.133_974_596_215_561_36;
        let away = (part - part.round()).abs() - wider / self.pitch;
        self.depth() * ((away - 0.25 + 0.5 * FLANK) / FLANK).clamp(0.0, 1.0)
    }

    fn rings(&self, more: f64) -> Vec<Vec<[f64; 3]>> {
        let n = self.sides;
        let corner = |k: u32, j: u32| {
            let (cos, sin) = angle::of_turn(j, n);
            let part = f64::from((k % n + n - j) % n) / f64::from(n);
            let r = self.radius + more - self.below(part, more);
            [r * cos, r * sin, self.pitch * (f64::from(k) / f64::from(n))]
        };
        (0..=self.turns * n).map(|k| (0..n).map(|j| corner(k, j)).collect()).collect()
    }

    fn hexagon(&self, width: f64, z: f64) -> Vec<[f64; 3]> {
        let corner = |j: u32| {
            let (cos, sin) = angle::of_turn(j, self.sides);
            // The angle is measured from the middle of the nearest side.
            let sixth = self.sides / 6;
            let (within, across) = angle::of_turn(j % sixth, self.sides);
            // cos(a - 30 degrees)
            let r = width / (0.75_f64.sqrt() * within + 0.5 * across);
            [r * cos, r * sin, z]
        };
        (0..self.sides).map(corner).collect()
    }
}

/// Joins rings one to the next. Then joins the last to the first, or both end rings to points of the axis at these heights. Diagonals follow a
/// right-handed thread.
fn joined(rings: &[Vec<[f64; 3]>], ends: Option<[f64; 2]>) -> Triangles {
    let n = rings.first().map_or(0, Vec::len) as u32;
    let mut made = Triangles { vertices: rings.concat(), indices: Vec::new() };
    let count = rings.len() as u32;
    let corner = |k: u32, j: u32| (k % count) * n + j % n;
    for k in 0..if ends.is_some() { count - 1 } else { count } {
        for j in 0..n {
            let [a, b, c, d] = [corner(k, j), corner(k, j + 1), corner(k + 1, j + 1), corner(k + 1, j)];
            made.indices.extend([[a, b, c], [a, c, d]]);
        }
    }
    if let Some([low, high]) = ends {
        let middle = made.vertices.len() as u32;
        made.vertices.extend([[0.0, 0.0, low], [0.0, 0.0, high]]);
        for j in 0..n {
            made.indices.push([middle, corner(0, j + 1), corner(0, j)]);
            made.indices.push([middle + 1, corner(count - 1, j), corner(count - 1, j + 1)]);
        }
    } else {
        // The inner side comes first, and its triangles must look towards the axis.
        made.indices.iter_mut().for_each(|t| t.swap(1, 2));
    }
    made
}
