//! A fast first test of candidates. Two balls, or a ball and a half-space, have at most one contact; these contacts are computed at once, several
//! at a time.

use super::ball_pairs::{BLOCK, Ground, Grounds, Rows, TwoBalls};
use super::bounds_overlap::Overlap;
use super::candidates::Candidates;
use super::scene::shifted;
use super::sphere_bounds::Spot;
use crate::broad::Candidate;
use crate::contact::shape::Balls;
use crate::contact::{Contact, of_ball};

/// The result of the first test for a candidate.
pub(super) mod code {
    /// There is no contact.
    pub const NONE: u32 = 0;
    /// Its contacts are those of the next outcome of the full computation.
    pub const DEAR: u32 = 1;
    /// It is the next pair in the blocks of two balls, which tell whether there is a contact.
    pub const BALLS: u32 = 2;
    /// Its contact is the next one in the blocks of balls and half-spaces.
    pub const GROUND: u32 = 3;
}

/// The results of a chunk of candidates.
#[derive(Default)]
pub(super) struct Looked {
    /// Candidates whose bounds meet.
    pub near: u32,
    /// Pairs of balls that have a contact.
    pub touching: u32,
    /// Candidates that need the full computation.
    pub costly: u32,
}

impl Looked {
    /// Counts a block of pairs of balls; the bits `touching` mark those with a contact. The bounds of touching balls meet.
    #[inline(always)]
    fn count_balls(&mut self, touching: u32, block: &[usize], is_near: impl Fn(usize) -> bool) {
        let apart = block.iter().enumerate().filter(|(i, _)| touching >> i & 1 == 0);
        self.near += touching.count_ones() + apart.filter(|(_, k)| is_near(**k)).count() as u32;
        self.touching += touching.count_ones();
    }
}

impl Candidates<'_> {
    /// Tests a chunk of candidates, from number `first` on: writes the result of each, and the contacts of balls.
    pub fn look(&self, first: usize, candidates: &[Candidate], codes: &mut [u32], rows: &mut [Rows]) -> Looked {
        let (mut balls, mut grounds, mut rows) = (TwoBalls::EMPTY, Grounds::EMPTY, rows.iter_mut());
        let (mut looked, mut waiting) = (Looked::default(), [0; BLOCK]);
        for (k, (c, code)) in candidates.iter().zip(codes).enumerate() {
            // The contacts that are computed several at a time have no energies.
            let spots = self.spots(c).filter(|_| !self.energy);
            if let Some([a, b]) = spots.filter(|[a, b]| a.is_ball() && b.is_ball()) {
                *code = code::BALLS;
                let count = balls.push(self.two_balls(first + k, c, [a, b]));
                waiting[(count - 1) % BLOCK] = k;
                if count == BLOCK {
                    looked.count_balls(balls.settle(self.isa, || rows.next()), &waiting, |k| {
                        self.is_near(&candidates[k])
                    });
                }
                continue;
            }
            *code = code::NONE;
            if !self.is_near(c) {
                continue;
            }
            looked.near += 1;
            if let Some((ground, touch)) = spots.and_then(|spots| self.on_ground(c, spots)) {
                if touch {
                    (*code, looked.touching) = (code::GROUND, looked.touching + 1);
                    if grounds.push(ground) == BLOCK {
                        grounds.settle(self.isa, || rows.next_back());
                    }
                }
            } else {
                (*code, looked.costly) = (code::DEAR, looked.costly + 1);
            }
        }
        let last = waiting.get(..balls.len()).unwrap_or_default();
        looked.count_balls(balls.settle(self.isa, || rows.next()), last, |k| self.is_near(&candidates[k]));
        grounds.settle(self.isa, || rows.next_back());
        looked
    }

    /// Whether the bounds of a candidate meet.
    #[inline(always)]
    fn is_near(&self, c: &Candidate) -> bool {
        self.overlap.as_ref().is_none_or(|overlap| self.meet(overlap, c))
    }

    /// The contact of two balls, by the computation for unusual cases.
    #[inline(never)]
    pub fn unusual(&self, which: usize, c: &Candidate, tag: u64) -> Contact {
        let Some(spots) = self.spots(c) else { return Contact::default() };
        let [x, y, z, u, v, w, ra, rb, ha, hb] = self.two_balls(which, c, spots);
        let found = Balls::new([[x, y, z], [u, v, w]], [ra, rb], [ha, hb]).contact(tag).unwrap_or_default();
        if self.spread { Contact { spread: of_ball(found.normal, found.area), ..found } } else { found }
    }

    /// Two balls as numbers: the centres (B moved to where it meets A), the radii and the halos.
    #[inline(always)]
    fn two_balls(&self, which: usize, c: &Candidate, [a, b]: [&Spot; 2]) -> [f64; 10] {
        let [[x, y, z], [u, v, w]] = self.centres(which, c, [a, b]);
        let [ha, hb] = [a, b].map(|spot| spot.halo + self.wider());
        [x, y, z, u, v, w, a.radius, b.radius, ha, hb]
    }

    /// A ball and a half-space as numbers, and whether there is a contact; none if that takes the full computation.
    #[inline(always)]
    fn on_ground(&self, c: &Candidate, [a, b]: [&Spot; 2]) -> Option<([f64; 13], bool)> {
        let ground = self.ground(c, [a, b])?;
        let Ground { ball, flat, normal: [l, m, n], wider } = ground;
        let ([x, y, z], [u, v, w]) = (ball.centre, flat.centre);
        let side = if a.is_ball() { 1.0 } else { -1.0 };
        let numbers = [x, y, z, u, v, w, l, m, n, ball.radius, ball.halo + wider, flat.halo + wider, side];
        Some((numbers, ground.touch()?))
    }

    /// The centres of two balls, with B moved to where it meets A.
    #[inline(always)]
    fn centres(&self, which: usize, c: &Candidate, [a, b]: [&Spot; 2]) -> [[f64; 3]; 2] {
        let [from, to] = match self.posed(which) {
            Some(poses) => poses.map(|pose| pose.position),
            None => [a.centre, b.centre],
        };
        [from, if self.images.is_open() { to } else { shifted(to, self.images.shift(c), &self.periods) }]
    }

    /// A ball and a half-space at the poses of their bodies.
    #[inline(always)]
    fn ground<'s>(&self, c: &Candidate, [a, b]: [&'s Spot; 2]) -> Option<Ground<'s>> {
        let (ball, flat, body) = if a.is_ball() { (a, b, c.b) } else { (b, a, c.a) };
        if !ball.is_ball() || !flat.is_half_space() || self.named.is_some() {
            return None;
        }
        Some(Ground { ball, flat, normal: self.endless.normal(body)?, wider: self.wider() })
    }

    /// Whether the bounds of two bodies meet.
    #[inline(always)]
    pub fn meet(&self, overlap: &Overlap<'_>, c: &Candidate) -> bool {
        let shift = self.images.shift(c);
        match self.spots(c) {
            Some([a, b]) if a.is_ball() && b.is_ball() => overlap.balls_meet([a, b], shift),
            _ => overlap.meet(c, shift),
        }
    }
}
