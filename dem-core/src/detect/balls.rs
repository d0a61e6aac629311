//! Contacts of balls with balls and with half-spaces by closed forms, several at a time.
//!
//! These are the contacts that [`shape_contacts`](crate::contact::shape::shape_contacts) finds, with the same bits, but without poses and parts. What
//! is out of the ordinary is left to that: balls whose centre is inside of the other body, and numbers near the ends of their range.

use core::f64::consts::PI;
use core::ops::Range;

use super::bounds::Spot;
use crate::contact::{Contact, SURFACE, status};
use crate::simd::{Isa, Kernel, Lane, Mask, Simd, Vec3, dispatch};

/// Pairs that are worked on together.
pub(super) const BLOCK: usize = 8;

/// Squares of lengths with which nothing that is computed here overflows or vanishes.
const COMMON: Range<f64> = 1e-60..1e60;

/// A ball and a half-space.
#[derive(Clone, Copy)]
pub(super) struct Ground<'a> {
    pub ball: &'a Spot,
    /// A point of the half-space, and its halo.
    pub flat: &'a Spot,
    /// The outward normal of the half-space.
    pub normal: [f64; 3],
    /// What the halo of each is wider.
    pub wider: f64,
}

impl Ground<'_> {
    /// Whether there is a contact; nothing where this is out of the ordinary.
    #[inline(always)]
    pub fn touch(&self) -> Option<bool> {
        let Ground { ball, flat, normal, wider } = self;
        let [x, y, z] = [0, 1, 2].map(|k| {
            let half = 0.5 * ball.centre[k] - 0.5 * flat.centre[k];
            normal[k] * (half + half)
        });
        let (height, halo) = ((x + y) + z, (ball.halo + wider) + (flat.halo + wider));
        let reach = ball.radius + halo;
        let ordinary = COMMON.contains(&(reach * reach)) && height >= 0.0 && *normal != [0.0; 3];
        ordinary.then_some(height - ball.radius < halo)
    }
}

/// Pairs of one kind that wait, as rows of numbers.
pub(super) struct Block<const N: usize> {
    rows: [[f64; BLOCK]; N],
    /// The places of contact and pair that each writes to.
    places: [[u32; 2]; BLOCK],
    count: usize,
}

/// Pairs of balls: the centres of both, their radii and their halos.
pub(super) type TwoBalls = Block<10>;

/// Balls and half-spaces: the centre, the point and the normal; the radius and both halos; -1 where the half-space is body A, else 1.
pub(super) type Grounds = Block<13>;

impl<const N: usize> Block<N> {
    pub const EMPTY: Self = Block { rows: [[0.0; BLOCK]; N], places: [[0; 2]; BLOCK], count: 0 };

    /// Gives whether the block is full then.
    #[inline(always)]
    pub fn push(&mut self, numbers: [f64; N], places: [u32; 2]) -> bool {
        let at = self.count & (BLOCK - 1);
        for (row, number) in self.rows.iter_mut().zip(numbers) {
            row[at] = number;
        }
        self.places[at] = places;
        self.count = at + 1;
        self.count == BLOCK
    }

    /// The places of those that wait, which wait no more.
    fn take(&mut self) -> (&[[u32; 2]], &[[f64; BLOCK]; N]) {
        let count = core::mem::take(&mut self.count);
        (self.places.get(..count).unwrap_or_default(), &self.rows)
    }
}

impl TwoBalls {
    /// The contacts of those that wait. `unusual` gives those of two balls with these centres, radii and halos that are out of the ordinary.
    #[inline(never)]
    pub fn settle(
        &mut self,
        isa: Isa,
        unusual: impl Fn([[f64; 3]; 2], [f64; 2], [f64; 2]) -> Option<Contact>,
        mut put: impl FnMut([u32; 2], &Contact),
    ) {
        let mut found = Found::NONE;
        let ordinary = dispatch(isa, OfBalls { rows: &self.rows, count: self.count, found: &mut found });
        let ordinary = ordinary & ((1 << self.count) - 1);
        let (places, rows) = self.take();
        for (i, places) in places.iter().enumerate().filter(|(i, _)| ordinary >> i & 1 != 0) {
            put(*places, &found.contact(i));
        }
        if ordinary.count_ones() as usize == places.len() {
            return;
        }
        for (i, places) in places.iter().enumerate().filter(|(i, _)| ordinary >> i & 1 == 0) {
            let [x, y, z, u, v, w, ra, rb, ha, hb] = rows.map(|row| row[i]);
            if let Some(contact) = unusual([[x, y, z], [u, v, w]], [ra, rb], [ha, hb]) {
                put(*places, &contact);
            }
        }
    }
}

impl Grounds {
    /// The contacts of those that wait.
    #[inline(never)]
    pub fn settle(&mut self, isa: Isa, mut put: impl FnMut([u32; 2], &Contact)) {
        let mut found = Found::NONE;
        dispatch(isa, OfGrounds { rows: &self.rows, count: self.count, found: &mut found });
        for (i, places) in self.take().0.iter().enumerate() {
            put(*places, &found.contact(i));
        }
    }
}

/// The contacts of a block, as rows: position, normal, gap, least gap, area and halo.
struct Found([[f64; BLOCK]; 10]);

impl Found {
    const NONE: Self = Found([[0.0; BLOCK]; 10]);

    /// All of a contact but the first half of its key.
    #[inline(always)]
    fn contact(&self, i: usize) -> Contact {
        let row = |k: usize| self.0[k][i];
        let least_gap = row(7);
        Contact {
            key: [0; 2],
            position: [row(0), row(1), row(2)],
            normal: [row(3), row(4), row(5)],
            moment: [0.0; 3],
            gap: row(6),
            least_gap,
            area: row(8),
            share: 1.0,
            halo: row(9),
            kind: SURFACE,
            status: match least_gap {
                x if x < 0.0 => status::TOUCHING | status::PENETRATING,
                0.0 => status::TOUCHING,
                _ => 0,
            },
        }
    }

    /// Adding 0 leaves no negative zero.
    #[inline(always)]
    fn store<L: Lane<Scalar = f64>>(&mut self, simd: L::Simd, at: usize, signed: [L; 8], [area, halo]: [L; 2]) {
        let mut k = 0;
        while k < 8 {
            (signed[k] + L::splat(simd, 0.0)).store(&mut self.0[k], at);
            k += 1;
        }
        area.store(&mut self.0[8], at);
        halo.store(&mut self.0[9], at);
    }
}

/// Three rows from row `k` on.
#[inline(always)]
fn vector<L: Lane<Scalar = f64>>(simd: L::Simd, rows: &[[f64; BLOCK]], k: usize, at: usize) -> Vec3<L> {
    Vec3([L::load(simd, &rows[k], at), L::load(simd, &rows[k + 1], at), L::load(simd, &rows[k + 2], at)])
}

/// Mean gap and area of a ball of this radius whose centre is so high above a surface; `curved` is how much smaller that is than a flat one.
#[inline(always)]
fn law<L: Lane<Scalar = f64>>(simd: L::Simd, radius: L, halo: L, height: L, curved: L) -> (L, L) {
    let (zero, half) = (L::splat(simd, 0.0), L::splat(simd, 0.5));
    let reach = radius + halo;
    let square = (reach - height) * (reach + height);
    let wide = halo + L::splat(simd, 2.0) * radius;
    let left = (halo - half * square / wide) * wide;
    let distance = (radius * radius + left).max(zero).sqrt();
    let area = L::splat(simd, PI) * square * curved;
    (left / (distance + radius), area * ((radius + halo + distance) / wide))
}

/// What of the gap of two halos is that of the first one.
#[inline(always)]
fn part<L: Lane<Scalar = f64>>(simd: L::Simd, own: L, both: L) -> L {
    L::select(L::splat(simd, 0.0).lt(both), own / both, L::splat(simd, 0.5))
}

/// Contacts of two balls. Gives which of them are ordinary.
struct OfBalls<'b> {
    rows: &'b [[f64; BLOCK]; 10],
    count: usize,
    found: &'b mut Found,
}

impl Kernel for OfBalls<'_> {
    type Output = u32;

    #[inline(always)]
    fn run<S: Simd>(mut self, simd: S) -> u32 {
        let (mut ordinary, mut at) = (0, 0);
        while at < self.count {
            ordinary |= self.lanes(simd, at) << at;
            at += S::F64::LANES;
        }
        ordinary
    }
}

impl OfBalls<'_> {
    #[inline(always)]
    fn lanes<S: Simd>(&mut self, simd: S, at: usize) -> u32 {
        let rows = self.rows;
        let (zero, half) = (S::F64::splat(simd, 0.0), S::F64::splat(simd, 0.5));
        let (a, b) = (vector::<S::F64>(simd, rows, 0, at).scale(half), vector::<S::F64>(simd, rows, 3, at).scale(half));
        let radii = [S::F64::load(simd, &rows[6], at), S::F64::load(simd, &rows[7], at)];
        let halos = [S::F64::load(simd, &rows[8], at), S::F64::load(simd, &rows[9], at)];
        let (middle, from_b) = (a + b, a - b);
        let round = Round::of(simd, from_b + from_b, radii, halos);
        let position = Vec3([zero, zero, zero]) + round.normal.scale(round.way);
        let ([px, py, pz], [nx, ny, nz]) = ((position + middle).0, round.normal.0);
        self.found.store(simd, at, [px, py, pz, nx, ny, nz, round.gap, round.least], [round.area, round.halo]);
        round.ordinary.bits()
    }
}

/// The contact of two balls in every lane.
pub(crate) struct Round<L: Lane> {
    pub normal: Vec3<L>,
    /// How far both centres are apart.
    pub distance: L,
    /// How far along the normal the position is from the middle of the centres.
    pub way: L,
    pub gap: L,
    pub least: L,
    pub area: L,
    pub halo: L,
    /// Where there is one, and nothing is out of the ordinary.
    pub ordinary: L::Mask,
}

impl<L: Lane<Scalar = f64>> Round<L> {
    /// Of balls of these radii and halos; `apart`: the centre of A less that of B.
    #[inline(always)]
    pub fn of(simd: L::Simd, apart: Vec3<L>, [ra, rb]: [L; 2], [ha, hb]: [L; 2]) -> Self {
        let (zero, half) = (L::splat(simd, 0.0), L::splat(simd, 0.5));
        let [x, y, z] = apart.0;
        let largest = zero.max(x.abs()).max(y.abs()).max(z.abs());
        let unit = largest.inverse_exponent();
        let scaled = apart.scale(unit);
        let length = scaled.dot(scaled).sqrt();
        let normal = Vec3([scaled.0[0] / length, scaled.0[1] / length, scaled.0[2] / length]);
        let distance = length / unit;
        let (small, large) = (ra.min(rb), L::select(ra.lt(rb), rb, ra));
        let halo = ha + hb;
        let least = distance - (ra + rb);
        let height = distance - large;
        let (gap, area) = law(simd, small, halo, height, large / distance);
        let parts = part(simd, hb, halo) - part(simd, ha, halo);
        let way = half * (rb - ra) + least * (half * parts);
        let reach = small + halo;
        let square = reach * reach;
        let (low, high) = (L::splat(simd, COMMON.start), L::splat(simd, COMMON.end));
        let ordinary = zero.lt(length) & low.le(square) & square.lt(high) & zero.le(height) & least.lt(halo);
        let ordinary = ordinary & largest.lt(high) & zero.lt(distance);
        Round { normal, distance, way, gap, least, area, halo, ordinary }
    }
}

/// Contacts of balls and half-spaces.
struct OfGrounds<'b> {
    rows: &'b [[f64; BLOCK]; 13],
    count: usize,
    found: &'b mut Found,
}

impl Kernel for OfGrounds<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(mut self, simd: S) {
        let mut at = 0;
        while at < self.count {
            self.lanes(simd, at);
            at += S::F64::LANES;
        }
    }
}

impl OfGrounds<'_> {
    #[inline(always)]
    fn lanes<S: Simd>(&mut self, simd: S, at: usize) {
        let rows = self.rows;
        let (half, one) = (S::F64::splat(simd, 0.5), S::F64::splat(simd, 1.0));
        let (ball, flat) =
            (vector::<S::F64>(simd, rows, 0, at).scale(half), vector::<S::F64>(simd, rows, 3, at).scale(half));
        let normal = vector::<S::F64>(simd, rows, 6, at);
        let (radius, side) = (S::F64::load(simd, &rows[9], at), S::F64::load(simd, &rows[12], at));
        let (own, other) = (S::F64::load(simd, &rows[10], at), S::F64::load(simd, &rows[11], at));
        let (middle, centre) = (ball + flat, ball - flat);
        let height = normal.dot(centre + centre);
        let (least, halo) = (height - radius, own + other);
        let (gap, area) = law(simd, radius, halo, height, one);
        let position = centre - normal.scale(radius + least * part(simd, own, halo));
        let ([px, py, pz], [nx, ny, nz]) = ((position + middle).0, normal.scale(side).0);
        self.found.store(simd, at, [px, py, pz, nx, ny, nz, gap, least], [area, halo]);
    }
}
