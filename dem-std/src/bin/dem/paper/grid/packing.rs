//! Bodies that do not overlap: a disordered packing of hard bodies in a periodic box or between walls.
//!
//! In P1 section 5.4.1, elastic spheres collide, first with soft forces, then event by event. Here, bodies are put at random places with enough
//! room, the largest first. The others are pushed apart, pair by pair. Then all bodies make random moves where there is room (Metropolis). This
//! leads to the same distribution of positions as collisions of hard bodies.

use super::count::Bodies;
use super::place::place;
use super::rule::Scene;
use crate::failure::Failure;
use dem_std::dem_core::broad::Candidate;
use dem_std::random::SplitMix64;

/// Relative excess by which bodies are pushed apart, so that the last overlaps vanish after a finite number of sweeps.
const SLACK: f64 = 1e-3;
/// Over-relaxation: the factor of the overlap by which a pair is pushed apart. In dense packings, 1 takes several times as many sweeps, and 1.7
/// does not converge.
const OVER: f64 = 1.5;
/// Pairs are listed up to this gap, in units of the smallest radius. A list is valid until a body has moved by half of it.
const SKIN: f64 = 0.3;
/// Sweeps over all pairs before the box counts as too small; `WIDER`: the factor by which it then grows.
const SWEEPS: u32 = 500;
const WIDER: f64 = 1.002;
/// Number of lists during the random motion; `MOVES`: moves of each body with one list.
const LISTS: u32 = 8;
const MOVES: u32 = 5;

/// Bodies that are moved in a box.
struct Packing<'s> {
    bodies: Bodies,
    scene: &'s Scene,
    periodic: bool,
    random: SplitMix64,
    /// Positions of the bodies when their pairs were listed.
    listed: Vec<[f64; 3]>,
    pairs: Vec<Candidate>,
}

/// Moves bodies until no two overlap, in a periodic box or between walls. The box grows if it has no room for them.
pub fn packed(mut bodies: Bodies, scene: &Scene, periodic: bool, seed: u64) -> Result<Bodies, Failure> {
    let widest = bodies.radii.iter().copied().fold(0.0, f64::max);
    // Also apart from their own images.
    let wider = 2.0 * (1.0 + SLACK) * widest / bodies.edge;
    bodies.grow(wider.max(1.0));
    let mut random = SplitMix64::new(!seed);
    place(&mut bodies, scene.model.dimensions as usize, periodic, &mut random);
    let bodies = bodies.ordered();
    let mut packing = Packing { bodies, scene, periodic, random, listed: Vec::new(), pairs: Vec::new() };
    while !packing.relax()? {
        packing.bodies.grow(WIDER);
    }
    packing.stir()?;
    if periodic {
        packing.wrap();
    }
    Ok(packing.bodies)
}

impl Packing<'_> {
    fn axes(&self) -> usize {
        self.scene.model.dimensions as usize
    }

    /// Brings all centres into the periodic box.
    fn wrap(&mut self) {
        let edge = self.bodies.edge;
        self.bodies.centres.iter_mut().flatten().for_each(|x| *x = x.rem_euclid(edge).min(edge.next_down()));
    }

    /// Lists the pairs of bodies that are near each other.
    fn list(&mut self) -> Result<(), Failure> {
        if self.periodic {
            self.wrap();
        } else {
            self.hold();
        }
        self.pairs = self.bodies.near(self.scene, self.periodic, SKIN)?;
        self.pairs.retain(|pair| pair.a != pair.b);
        self.listed.clone_from(&self.bodies.centres);
        Ok(())
    }

    /// Moves bodies that reach through a wall back in front of it. Gives whether there were any.
    fn hold(&mut self) -> bool {
        let (axes, edge) = (self.axes(), self.bodies.edge);
        let mut any = false;
        for (centre, r) in self.bodies.centres.iter_mut().zip(&self.bodies.radii) {
            for x in centre.iter_mut().take(axes) {
                let inside = x.clamp(*r, edge - r);
                any |= inside != *x;
                *x = inside;
            }
        }
        any
    }

    /// The vector from the first body of a pair to the nearby image of the second one.
    fn apart(&self, pair: &Candidate) -> [f64; 3] {
        let Bodies { centres, edge, .. } = &self.bodies;
        let [a, b] = [centres[pair.a as usize], centres[pair.b as usize]];
        [0, 1, 2].map(|k| b[k] + f64::from(pair.shift[k]) * edge - a[k])
    }

    /// Pushes overlapping bodies apart until none overlap; heavier bodies move less. Gives up after many sweeps.
    fn relax(&mut self) -> Result<bool, Failure> {
        self.list()?;
        for _ in 0..SWEEPS {
            if !self.sweep() {
                return Ok(true);
            }
            let far = |(x, from): (&[f64; 3], &[f64; 3])| {
                square(&[0, 1, 2].map(|k| x[k] - from[k])) > square(&[0.5 * SKIN, 0.0, 0.0])
            };
            if self.bodies.centres.iter().zip(&self.listed).any(far) {
                self.list()?;
            }
        }
        Ok(false)
    }

    /// Pushes apart the bodies of each pair that overlaps. Gives whether there were any.
    fn sweep(&mut self) -> bool {
        let axes = self.axes();
        let mut any = false;
        for at in 0..self.pairs.len() {
            let pair = self.pairs[at];
            let (a, b) = (pair.a as usize, pair.b as usize);
            let [r, s] = [self.bodies.radii[a], self.bodies.radii[b]];
            let apart = self.apart(&pair);
            let distance = square(&apart).sqrt();
            if distance > (r + s) * (1.0 + 1e-9) {
                continue;
            }
            any = true;
            let normal = if distance > 0.0 { apart.map(|x| x / distance) } else { self.random.direction() };
            let push = OVER * ((r + s) * (1.0 + SLACK) - distance);
            let [m, n] = [r, s].map(|r| r.powi(axes as i32));
            for (k, along) in normal.iter().enumerate().take(axes) {
                self.bodies.centres[a][k] -= push * n / (m + n) * along;
                self.bodies.centres[b][k] += push * m / (m + n) * along;
            }
        }
        any | (!self.periodic && self.hold())
    }

    /// Makes random moves of bodies that lead to no overlap.
    fn stir(&mut self) -> Result<(), Failure> {
        let mut step = 0.5 * SKIN;
        for _ in 0..LISTS {
            self.list()?;
            let (ends, near) = self.around();
            let mut moved = 0;
            for _ in 0..MOVES {
                let mut start = 0;
                for (i, end) in ends.iter().enumerate() {
                    moved += u32::from(self.try_move(i, &near[start..*end], step));
                    start = *end;
                }
            }
            // Adapts the step so that about a third of the moves are possible.
            let share = f64::from(moved) / (f64::from(MOVES) * ends.len() as f64);
            step = (step * if share > 0.33 { 1.2 } else { 0.8 }).min(0.5 * SKIN);
        }
        Ok(())
    }

    /// The neighbours of all bodies, with the periods by which their images are translated; and where those of each body end.
    fn around(&self) -> (Vec<usize>, Vec<(u32, [i16; 3])>) {
        let mut ends = vec![0; self.bodies.radii.len()];
        let both = || {
            let there = self.pairs.iter().map(|c| (c.a, (c.b, c.shift)));
            there.chain(self.pairs.iter().map(|c| (c.b, (c.a, c.shift.map(|n| -n)))))
        };
        both().for_each(|(body, _)| ends[body as usize] += 1);
        let mut sum = 0;
        for end in &mut ends {
            (sum, *end) = (sum + *end, sum);
        }
        let mut near = vec![(0, [0; 3]); sum];
        for (body, other) in both() {
            let end = &mut ends[body as usize];
            near[*end] = other;
            *end += 1;
        }
        (ends, near)
    }

    /// Moves a body by up to `step` along each axis, if it then overlaps no other body and the list is still valid.
    fn try_move(&mut self, i: usize, near: &[(u32, [i16; 3])], step: f64) -> bool {
        let (axes, Bodies { centres, radii, edge }) = (self.axes(), &self.bodies);
        let (mut to, r) = (centres[i], radii[i]);
        to.iter_mut().take(axes).for_each(|x| *x += step * self.random.signed());
        let from = self.listed[i];
        if square(&[0, 1, 2].map(|k| to[k] - from[k])) > square(&[0.5 * SKIN, 0.0, 0.0])
            || (!self.periodic && to.iter().take(axes).any(|x| *x < r || *x > edge - r))
        {
            return false;
        }
        let free = near.iter().all(|(j, shift)| {
            let j = *j as usize;
            let touching = (r + radii[j]) * (1.0 + 1e-9);
            square(&[0, 1, 2].map(|k| centres[j][k] + f64::from(shift[k]) * edge - to[k])) > touching * touching
        });
        if free {
            self.bodies.centres[i] = to;
        }
        free
    }
}

fn square(x: &[f64; 3]) -> f64 {
    x.iter().map(|x| x * x).sum()
}
