//! Contacts of balls with balls and with half-spaces by closed forms, several at a time.
//!
//! These are the contacts of [`shape_contacts`](crate::contact::shape::shape_contacts), with the same bits, but without poses and parts.
//! [`shape_contacts`](crate::contact::shape::shape_contacts) itself computes the unusual cases: balls whose centre is inside the other body, and
//! numbers near the ends of their range.

use core::f64::consts::PI;
use core::ops::Range;

use zerocopy::{FromBytes, Immutable, IntoBytes};

use super::sphere_bounds::Spot;
use crate::contact::shape::Balls;
use crate::contact::{Contact, SURFACE, of_ball, status};
use crate::simd::{Isa, Kernel, Lane, Mask, Simd, Vec3, dispatch};

/// Pairs that are computed together.
pub(super) const BLOCK: usize = 8;

/// The range of squared lengths for which no intermediate result overflows or vanishes.
const COMMON: Range<f64> = 1e-60..1e60;

/// A ball and a half-space.
#[derive(Clone, Copy)]
pub(super) struct Ground<'a> {
    pub ball: &'a Spot,
    /// A point of the half-space, and its halo.
    pub flat: &'a Spot,
    /// The outward normal of the half-space.
    pub normal: [f64; 3],
    /// Length by which the halo of each is enlarged.
    pub wider: f64,
}

impl Ground<'_> {
    /// Whether there is a contact; none in the unusual cases.
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

/// Pairs of one kind that wait to be computed together, as rows of numbers.
pub(super) struct Block<const N: usize> {
    rows: [[f64; BLOCK]; N],
    count: usize,
}

/// Pairs of balls: the centres of both, their radii and their halos.
pub(super) type TwoBalls = Block<10>;

/// Balls and half-spaces: the centre, the point and the normal; the radius and both halos; -1 where the half-space is body A, else 1.
pub(super) type Grounds = Block<13>;

impl<const N: usize> Block<N> {
    pub const EMPTY: Self = Block { rows: [[0.0; BLOCK]; N], count: 0 };

    /// Number of pairs that wait.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Adds a pair and gives the number of pairs that wait. The caller must settle a full block.
    #[inline(always)]
    pub fn push(&mut self, numbers: [f64; N]) -> usize {
        let at = self.count & (BLOCK - 1);
        for (row, number) in self.rows.iter_mut().zip(numbers) {
            row[at] = number;
        }
        self.count = at + 1;
        self.count
    }
}

impl TwoBalls {
    /// Computes the contacts of all pairs that wait, writes them, and empties the block. The bits of the result tell which pairs have a contact.
    pub fn settle<'r>(&mut self, isa: Isa, to: impl FnOnce() -> Option<&'r mut Rows>) -> u32 {
        let Some(to) = (if self.count > 0 { to() } else { None }) else { return 0 };
        let all = (1 << self.count) - 1;
        let [touching, apart] = dispatch(isa, OfBalls { rows: &self.rows, count: self.count, to });
        (to.touching, to.unusual) = (touching & all, 0);
        if (touching | apart) & all != all {
            self.look_at_unusual(!(touching | apart) & all, to);
        }
        self.count = 0;
        to.touching
    }

    /// Tests the unusual pairs among those of the bits `which`, and marks those that have a contact.
    #[inline(never)]
    fn look_at_unusual(&self, which: u32, to: &mut Rows) {
        for i in (0..self.count).filter(|i| which >> i & 1 != 0) {
            let [x, y, z, u, v, w, ra, rb, ha, hb] = self.rows.map(|row| row[i]);
            if Balls::new([[x, y, z], [u, v, w]], [ra, rb], [ha, hb]).touch() {
                (to.touching, to.unusual) = (to.touching | 1 << i, to.unusual | 1 << i);
            }
        }
    }
}

impl Grounds {
    /// Computes the contacts of all pairs that wait, writes them, and empties the block.
    pub fn settle<'r>(&mut self, isa: Isa, to: impl FnOnce() -> Option<&'r mut Rows>) {
        if let Some(to) = if self.count > 0 { to() } else { None } {
            dispatch(isa, OfGrounds { rows: &self.rows, count: self.count, to: &mut *to });
            (to.touching, to.unusual) = ((1 << self.count) - 1, 0);
        }
        self.count = 0;
    }
}

/// The contacts of a block, as rows: position, normal, gap, least gap, area, halo and effective radius.
#[derive(Clone, Copy, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub(super) struct Rows {
    rows: [[f64; BLOCK]; 11],
    /// Bits of the pairs that have a contact.
    touching: u32,
    /// Bits of the pairs with a contact that the closed forms here do not cover.
    unusual: u32,
}

impl Rows {
    /// Whether a pair has a contact.
    #[inline(always)]
    pub fn touches(&self, i: usize) -> bool {
        self.touching >> (i & (BLOCK - 1)) & 1 != 0
    }

    /// Whether [`shape_contacts`](crate::contact::shape::shape_contacts) must compute the contact of pair `i`.
    #[inline(always)]
    pub fn is_unusual(&self, i: usize) -> bool {
        self.unusual >> (i & (BLOCK - 1)) & 1 != 0
    }

    /// The contact of pair `i`, with `tag` as the first half of its key.
    #[inline(always)]
    pub fn contact(&self, i: usize, tag: u64, spread: bool) -> Contact {
        let row = |k: usize| self.rows[k][i & (BLOCK - 1)];
        let least_gap = row(7);
        Contact {
            key: [tag, 0],
            position: [row(0), row(1), row(2)],
            normal: [row(3), row(4), row(5)],
            moment: [0.0; 3],
            gap: row(6),
            least_gap,
            area: row(8),
            share: 1.0,
            halo: row(9),
            kind: SURFACE,
            // Without a branch, because the processor could not predict it.
            status: (u32::from(least_gap <= 0.0) * status::TOUCHING)
                | (u32::from(least_gap < 0.0) * status::PENETRATING),
            energy: 0.0,
            wedging: 1.0,
            radius: row(10),
            offset: [0.0; 3],
            spread: if spread { of_ball([row(3), row(4), row(5)], row(8)) } else { [0.0; 6] },
            curvature: [0.0; 6],
        }
    }

    /// Stores the numbers of contacts. Adding 0 turns a negative zero into a positive one.
    #[inline(always)]
    fn store<L: Lane<Scalar = f64>>(&mut self, simd: L::Simd, at: usize, signed: [L; 8], [area, halo, radius]: [L; 3]) {
        let mut k = 0;
        while k < 8 {
            (signed[k] + L::splat(simd, 0.0)).store(&mut self.rows[k], at);
            k += 1;
        }
        area.store(&mut self.rows[8], at);
        halo.store(&mut self.rows[9], at);
        radius.store(&mut self.rows[10], at);
    }
}

/// The vector in the three rows from row `k` on.
#[inline(always)]
fn vector<L: Lane<Scalar = f64>>(simd: L::Simd, rows: &[[f64; BLOCK]], k: usize, at: usize) -> Vec3<L> {
    Vec3([L::load(simd, &rows[k], at), L::load(simd, &rows[k + 1], at), L::load(simd, &rows[k + 2], at)])
}

/// Mean gap and area for a ball of this radius whose centre is at `height` above a surface. `curved` is the factor by which a curved surface makes
/// the area smaller than a flat one.
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

/// The share of one halo in the sum of both; 1/2 if both are zero.
#[inline(always)]
fn part<L: Lane<Scalar = f64>>(simd: L::Simd, own: L, both: L) -> L {
    L::select(L::splat(simd, 0.0).lt(both), own / both, L::splat(simd, 0.5))
}

/// Computes contacts of two balls. Gives the bits of the usual pairs that have a contact, and of those that have none.
struct OfBalls<'b> {
    rows: &'b [[f64; BLOCK]; 10],
    count: usize,
    to: &'b mut Rows,
}

impl Kernel for OfBalls<'_> {
    type Output = [u32; 2];

    #[inline(always)]
    fn run<S: Simd>(mut self, simd: S) -> [u32; 2] {
        let (mut touching, mut apart, mut at) = (0, 0, 0);
        while at < self.count {
            let [some, none] = self.lanes(simd, at);
            (touching, apart) = (touching | some << at, apart | none << at);
            at += S::F64::LANES;
        }
        [touching, apart]
    }
}

impl OfBalls<'_> {
    #[inline(always)]
    fn lanes<S: Simd>(&mut self, simd: S, at: usize) -> [u32; 2] {
        let rows = self.rows;
        let (zero, half) = (S::F64::splat(simd, 0.0), S::F64::splat(simd, 0.5));
        let (a, b) = (vector::<S::F64>(simd, rows, 0, at).scale(half), vector::<S::F64>(simd, rows, 3, at).scale(half));
        let radii = [S::F64::load(simd, &rows[6], at), S::F64::load(simd, &rows[7], at)];
        let halos = [S::F64::load(simd, &rows[8], at), S::F64::load(simd, &rows[9], at)];
        let (middle, from_b) = (a + b, a - b);
        let round = Round::of(simd, from_b + from_b, radii, halos);
        let position = Vec3([zero, zero, zero]) + round.normal.scale(round.way);
        let ([px, py, pz], [nx, ny, nz]) = ((position + middle).0, round.normal.0);
        let ends = [radii[0] + halos[0], radii[1] + halos[1]];
        let radius = ends[0] * ends[1] / (ends[0] + ends[1]);
        let signed = [px, py, pz, nx, ny, nz, round.gap, round.least];
        self.to.store(simd, at, signed, [round.area, round.halo, radius]);
        [round.ordinary.bits(), round.apart.bits()]
    }
}

/// The contact of two balls in every lane.
struct Round<L: Lane> {
    pub normal: Vec3<L>,
    /// Distance along the normal from the midpoint of the centres to the position of the contact.
    pub way: L,
    pub gap: L,
    pub least: L,
    pub area: L,
    pub halo: L,
    /// Pairs with a contact that the closed forms cover.
    pub ordinary: L::Mask,
    /// Pairs without a contact whose distance is in the usual range.
    pub apart: L::Mask,
}

impl<L: Lane<Scalar = f64>> Round<L> {
    /// The contact of balls with these radii and halos. `apart` is the centre of A less that of B.
    #[inline(always)]
    fn of(simd: L::Simd, apart: Vec3<L>, [ra, rb]: [L; 2], [ha, hb]: [L; 2]) -> Self {
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
        let apart = halo.le(least) & zero.lt(length) & largest.lt(high);
        Round { normal, way, gap, least, area, halo, ordinary, apart }
    }
}

/// Computes contacts of balls and half-spaces.
struct OfGrounds<'b> {
    rows: &'b [[f64; BLOCK]; 13],
    count: usize,
    to: &'b mut Rows,
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
        self.to.store(simd, at, [px, py, pz, nx, ny, nz, gap, least], [area, halo, radius + own]);
    }
}
