//! One face in one cell: the sides that cut it, and the integrals over the rest.

use core::array;

use zerocopy::{FromBytes, Immutable, IntoBytes};

use super::clip::{Batch, COLUMNS, CUTS, Integrals, Row, load3};
use super::energy::Field;
use crate::contact::Law;
use crate::contact::cells::{Cell, PRISM, SECTOR, SIDES};
use crate::real::{max, min};
use crate::simd::{Lane, Mask, Simd};
use crate::vector::{cross, dot, sub};

/// Weight of a face that looks away, in the mean gap of a contact: mean gaps have to exist where no face looks at the other body.
pub(in crate::contact) const LITTLE: f64 = 1.0 / (1 << 30) as f64;

/// A face of the other body, in the frame of the cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Face {
    /// Its corners.
    pub corners: [[f64; 3]; 3],
    /// Its unit normal, outwards.
    pub normal: [f64; 3],
}

/// The integrals of a face in a cell, with `s = min(t, 2 max(0, t - tau))`, `t = -dot(face normal, cell normal)`, tau the
/// cell's [`dead`](Cell::dead), T the halo and g the gap.
#[derive(Clone, Copy, Debug, PartialEq, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub struct Moments {
    /// `s int dA`: a length squared.
    pub area: f64,
    /// `s int (1 - g/T) dA`: a length squared.
    pub pressure: f64,
    /// `s int (1 - g/T) x dA`, in the frame of the cell: a length to the third power.
    pub first: [f64; 3],
    /// The smallest gap there.
    pub least_gap: f64,
}

/// Faces in the frame of the cells, in columns of a batch.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub(in crate::contact) struct Faces {
    /// Coordinate k of corner v is row 3 v + k.
    pub corners: [Row; 9],
    pub normal: [Row; 3],
    /// Twice the area.
    pub twice: Row,
    /// Sum of both halos.
    pub halo: Row,
    /// Triangles of the faces.
    pub id: [u32; COLUMNS],
    /// Patches of the faces.
    pub patch: [u32; COLUMNS],
    pub count: u64,
}

impl Faces {
    pub const NONE: Faces = Faces {
        corners: [[0.0; COLUMNS]; 9],
        normal: [[0.0; COLUMNS]; 3],
        twice: [0.0; COLUMNS],
        halo: [0.0; COLUMNS],
        id: [0; COLUMNS],
        patch: [0; COLUMNS],
        count: 0,
    };

    pub(super) fn one(face: &Face, halo: f64) -> Self {
        let mut one = Faces { count: 1, ..Faces::NONE };
        let [a, b, c] = face.corners;
        one.corners.iter_mut().zip(face.corners.as_flattened()).for_each(|(row, x)| row[0] = *x);
        one.normal.iter_mut().zip(face.normal).for_each(|(row, x)| row[0] = x);
        one.twice[0] = dot(face.normal, cross(sub(b, a), sub(c, a)));
        one.halo[0] = halo;
        one
    }

    /// The unit normal of a face.
    #[inline(always)]
    pub fn normal_of(&self, column: usize) -> [f64; 3] {
        [0, 1, 2].map(|k| self.normal[k][column & (COLUMNS - 1)])
    }

    fn corner(&self, v: usize, column: usize) -> [f64; 3] {
        [0, 1, 2].map(|k| self.corners[3 * v + k][column & (COLUMNS - 1)])
    }
}

/// A face in a cell, queued for its integrals.
#[derive(Clone, Copy, Default, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub(in crate::contact) struct Waiting {
    pub(super) corner: [f64; 3],
    pub(super) sides: [[f64; 3]; 2],
    /// s times twice the face's area; without s for [`Law::Volume`].
    pub(super) weight: f64,
    /// Sum of both halos.
    pub halo: f64,
}

/// The cuts of several faces in one cell: the end of the halo, the surface, and the sides of the cell.
#[derive(Clone, Copy, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub(in crate::contact) struct Cuts {
    /// s times twice the area; without s for [`Law::Volume`].
    weight: Row,
    /// Weight of areas and pressures: 1; for [`Law::Volume`] s, plus [`LITTLE`].
    facing: Row,
    /// Weight of energies: 1, but 0 where the face lies in a side, on the other cell's half of that border.
    own: Row,
    /// The gap over the halo at the corners.
    gap: [Row; 3],
    /// Heights above the boundaries at the corners.
    heights: [[Row; 3]; CUTS],
    /// A byte for each boundary, with a bit for each face that it cuts.
    cut: u64,
    sides: u64,
}

/// A bit in each byte, for each of which there is a boundary.
const EACH: u64 = u64::MAX / 255;
const _: () = assert!(CUTS * COLUMNS == u64::BITS as usize);

impl Cuts {
    #[inline(always)]
    pub fn new() -> Self {
        let row = [0.0; COLUMNS];
        Cuts {
            weight: row,
            facing: [1.0; COLUMNS],
            own: [1.0; COLUMNS],
            gap: [row; 3],
            heights: [[row; 3]; CUTS],
            cut: 0,
            sides: 0,
        }
    }

    /// Number of half-planes that cut a face.
    #[inline(always)]
    pub fn number(&self, face: usize) -> usize {
        // The product has the sum of all bytes in its highest byte.
        (self.cut_by(face).wrapping_mul(EACH) >> (u64::BITS - u8::BITS)) as usize
    }

    /// A byte for each boundary: 1 if it cuts the face.
    #[inline(always)]
    fn cut_by(&self, face: usize) -> u64 {
        self.cut >> (face & (COLUMNS - 1)) & EACH
    }

    /// Computes the cuts, and returns a bit for each face that may have a part in the cell. Gaps count from `floor` on, slightly below zero;
    /// deeper parts are enclosed (see `penetration`).
    #[inline(always)]
    pub fn prepare<S: Simd>(
        &mut self,
        simd: S,
        faces: &Faces,
        cell: &Cell,
        sides: &[[f64; 4]],
        floor: f64,
        law: Law,
    ) -> u32 {
        if law == Law::Volume {
            self.queried::<S, true>(simd, faces, cell, sides, floor)
        } else {
            self.queried::<S, false>(simd, faces, cell, sides, floor)
        }
    }

    #[inline(always)]
    fn queried<S: Simd, const ALL: bool>(
        &mut self,
        simd: S,
        faces: &Faces,
        cell: &Cell,
        sides: &[[f64; 4]],
        floor: f64,
    ) -> u32 {
        self.sides = min(sides.len(), SIDES) as u64;
        self.cut = 0;
        let count = min(faces.count as usize, COLUMNS);
        let (mut bits, mut at) = (0, 0);
        let query = Query { faces, cell, floor };
        while at < count {
            // Most triangles have about three faces near them.
            if S::Few::LANES < S::F64::LANES && count - at <= S::Few::LANES {
                bits |= self.by_sides::<S::Few, ALL>(simd.few(), query, sides, at) << at;
                break;
            }
            bits |= self.by_sides::<S::F64, ALL>(simd, query, sides, at) << at;
            at += S::F64::LANES;
        }
        bits & (u32::MAX >> (32 - max(count, 1)))
    }

    /// One instance for each number of sides, so that heights stay in registers.
    #[inline(always)]
    fn by_sides<L: Lane<Scalar = f64>, const ALL: bool>(
        &mut self,
        simd: L::Simd,
        query: Query<'_>,
        sides: &[[f64; 4]],
        at: usize,
    ) -> u32 {
        match (query.cell.kind, sides) {
            (PRISM, [a, b, c]) => {
                let section = Section::bounded(Feature::Face, [0, 1, 2]);
                self.lanes::<L, _, ALL>(simd, query, [a, b, c], section, at)
            }
            // Two sides of a sector pass through its edge, two through its ends.
            (SECTOR, [a, b, c, d]) => {
                let section = Section::bounded(Feature::Edge, [0, 2, 1, 3]);
                self.lanes::<L, _, ALL>(simd, query, [a, b, c, d], section, at)
            }
            (_, [a, b, c]) => self.lanes::<L, _, ALL>(simd, query, [a, b, c], Section::of_cone(), at),
            (_, [a, b, c, d]) => self.lanes::<L, _, ALL>(simd, query, [a, b, c, d], Section::of_cone(), at),
            (_, [a, b, c, d, e]) => self.lanes::<L, _, ALL>(simd, query, [a, b, c, d, e], Section::of_cone(), at),
            (_, [a, b, c, d, e, f, ..]) => {
                self.lanes::<L, _, ALL>(simd, query, [a, b, c, d, e, f], Section::of_cone(), at)
            }
            _ => 0,
        }
    }

    /// Cuts of the faces in some lanes. Tests by sides come first, because they reject most faces.
    #[inline(always)]
    fn lanes<L: Lane<Scalar = f64>, const N: usize, const ALL: bool>(
        &mut self,
        simd: L::Simd,
        Query { faces, cell, floor }: Query<'_>,
        sides: [&[f64; 4]; N],
        section: Section<N>,
        at: usize,
    ) -> u32 {
        let (zero, one, two) = (L::splat(simd, 0.0), L::splat(simd, 1.0), L::splat(simd, 2.0));
        let halo = L::load(simd, &faces.halo, at);
        let normal: [L; 3] = load3(simd, &faces.normal, at);
        let t = -along(simd, normal, cell.normal);
        let weight = t.min(two * zero.max(t - L::splat(simd, cell.dead)));
        let twice = L::load(simd, &faces.twice, at);
        // A lane is alive while all of these minima are positive.
        let mut left = if ALL { twice.min(halo) } else { weight.min(halo) };
        if !zero.lt(left).any() {
            return 0;
        }
        let mut from = [[zero; 3]; 3];
        from[0] = from_anchor(simd, faces, cell, 0, at);
        let far = section.feature.is_far(simd, (normal, from[0]), &sides, [halo, L::splat(simd, floor)]);
        left = L::select(far, zero, left);
        if !zero.lt(left).any() {
            return 0;
        }
        from[1] = from_anchor(simd, faces, cell, 1, at);
        from[2] = from_anchor(simd, faces, cell, 2, at);
        let infinity = L::splat(simd, f64::INFINITY);
        let (mut heights, mut share, mut own) = ([[zero; 3]; N], one, one);
        // Distance inside all sides, distance from the plane of the nearest side, and from that of each side.
        let (mut inside, mut nearest, mut far) = (infinity, infinity, [zero; N]);
        for ((height, far), [x, y, z, offset]) in heights.iter_mut().zip(&mut far).zip(sides) {
            for (height, from) in height.iter_mut().zip(&from) {
                *height = along(simd, *from, [*x, *y, *z]) + L::splat(simd, *offset);
            }
            let (top, bottom) = (most(height), least(height));
            if ALL {
                *far = top.max(-bottom);
                nearest = nearest.min(*far);
            }
            inside = inside.min(top);
        }
        let rounding = L::splat(simd, floor * BORDER).min(halo * L::splat(simd, THIN));
        if ALL && nearest.lt(rounding).any() {
            inside = infinity;
            for (height, far) in heights.iter_mut().zip(&mut far) {
                share_border(simd, height, [&mut share, &mut own], rounding);
                let top = most(height);
                (inside, *far) = (inside.min(top), top.max(-least(height)));
            }
        }
        left = left.min(inside);
        if !zero.lt(left).any() {
            return 0;
        }
        let inverse = one / halo;
        let (per_halo, below) = (L::splat(simd, cell.slope) * inverse, L::splat(simd, floor) * inverse);
        let (mut high, mut low) = ([zero; 3], [zero; 3]);
        for v in 0..3 {
            let gap = along(simd, from[v], cell.normal) * per_halo;
            (high[v], low[v]) = (one - gap, gap + below);
            gap.store(&mut self.gap[v], at);
        }
        // A face that lies on the surface counts.
        left = left.min(most(&high));
        // The section test needs heights above both sides; `share_border` has replaced the heights above a side that does not cut.
        let apart = apart::<L, N, ALL>(simd, (&heights, &far), [&high, &low], section);
        let apart = if ALL { apart & one.le(share) } else { apart };
        let alive = zero.lt(left) & zero.le(most(&low)) & !apart;
        if !alive.any() {
            return 0;
        }
        let mut all = 0;
        for (border, height) in [high, low].iter().chain(&heights).enumerate() {
            for (to, height) in self.heights[border].iter_mut().zip(height) {
                height.store(to, at);
            }
            all |= u64::from(least(height).lt(zero).bits()) << (COLUMNS * border);
        }
        self.cut |= all << at;
        if ALL {
            (twice * share).store(&mut self.weight, at);
            own.store(&mut self.own, at);
            let little = L::splat(simd, LITTLE);
            let facing = if cell.sign < 0.0 { little } else { zero.max(weight) + little };
            facing.store(&mut self.facing, at);
        } else {
            (weight * twice).store(&mut self.weight, at);
            one.store(&mut self.facing, at);
        }
        alive.bits()
    }

    /// The weight of a face's areas and pressures.
    #[inline(always)]
    pub fn facing(&self, face: usize) -> f64 {
        self.facing[face & (COLUMNS - 1)]
    }

    /// The field of the cell at one face.
    pub fn field(&self, faces: &Faces, face: usize, cell: &Cell, sides: &[[f64; 4]]) -> Field {
        let face = face & (COLUMNS - 1);
        let corners = [0, 1, 2].map(|v| faces.corner(v, face));
        let (twice, halo) = (faces.twice[face], faces.halo[face]);
        Field::new(cell, sides, (&corners, faces.normal_of(face)), [self.own[face], halo, twice])
    }

    /// Writes the cuts of one face to a column of a batch. All cuts are written, each to the next free place; a cut that removes nothing is
    /// overwritten by the next one. A branch on their number could not be predicted.
    #[inline(always)]
    pub fn put(&self, faces: &Faces, face: usize, batch: &mut Batch, column: usize) -> Waiting {
        let (face, column) = (face & (COLUMNS - 1), column & (COLUMNS - 1));
        for v in 0..3 {
            batch.gap[v][column] = self.gap[v][face];
        }
        let (mut to, mut cut) = (0, self.cut_by(face));
        for height in self.heights.iter().take(2 + self.sides as usize) {
            let place = &mut batch.height[to & (CUTS - 1)];
            for v in 0..3 {
                place[v][column] = height[v][face];
            }
            to += (cut & 1) as usize;
            cut >>= COLUMNS;
        }
        let [a, b, c] = [faces.corner(0, face), faces.corner(1, face), faces.corner(2, face)];
        Waiting { corner: a, sides: [sub(b, a), sub(c, a)], weight: self.weight[face], halo: faces.halo[face] }
    }
}

/// A face closer to a side than this multiple of the rounding lies in the side: about 2^-20 of the size. Parts that two cells compute with
/// different roundings then add up to 1 within 1e-10.
const BORDER: f64 = (1u64 << 19) as f64;

/// Part of the border in which energies are shared: a face in the middle of the border, within a few roundings.
const NARROW: f64 = 8.0 / BORDER;

/// Upper bound of the border, as a part of the halo, for bodies that are small beside the other one. Faces just inside and just outside the
/// border must have nearly the same result.
const THIN: f64 = 1.0 / 1024.0;

/// Half-width of a side's border, from the floor of gaps.
pub(in crate::contact) fn border(floor: f64, halo: f64) -> f64 {
    min(floor * BORDER, halo * THIN)
}

/// A face that lies in a side of the cell, within rounding, also lies in the neighbouring cell's side. It counts in both cells, with parts that
/// add up to 1, and this side does not cut it. Fields of energies differ between both cells: the field of an edge begins at the side. So an
/// energy belongs to the cell that contains the face, however close the side is.
#[inline(always)]
fn share_border<L: Lane<Scalar = f64>>(simd: L::Simd, height: &mut [L; 3], [share, own]: [&mut L; 2], rounding: L) {
    let [a, b, c] = *height;
    let within = a.abs().max(b.abs()).max(c.abs()).lt(rounding);
    let (zero, one) = (L::splat(simd, 0.0), L::splat(simd, 1.0));
    let part = L::splat(simd, 0.5) + (a + b + c) * (one / (L::splat(simd, 6.0) * rounding));
    // Below 1 by a rounding: a share below 1 marks that this side does not cut.
    let most = L::splat(simd, 1.0 - f64::EPSILON);
    *share = L::select(within, *share * part.max(zero).min(most), *share);
    let half = L::splat(simd, 0.5) + (a + b + c) * (one / (L::splat(simd, 6.0 * NARROW) * rounding));
    *own = L::select(within, *own * half.max(zero).min(one), *own);
    height.iter_mut().for_each(|height| *height = L::select(within, one, *height));
}

/// The input common to several faces.
#[derive(Clone, Copy)]
struct Query<'q> {
    faces: &'q Faces,
    cell: &'q Cell,
    floor: f64,
}

/// The feature of a cell.
#[derive(Clone, Copy)]
enum Feature {
    Face,
    Edge,
    Vertex,
}

/// Margins of the distance test, over the halo and over the floor of gaps: larger than borders and rounding.
const FARTHER: [f64; 2] = [1.0 + 1.0 / 16.0, 1024.0];

impl Feature {
    /// Whether the plane of a face is farther from the whole edge, or from the vertex, than the halo, on one side. Gaps are at least the distance
    /// from the feature, so the face has no part in the cell. `first` is the face's first corner from the anchor. Most faces near a triangle are
    /// near its prism only.
    #[inline(always)]
    fn is_far<L: Lane<Scalar = f64>, const N: usize>(
        self,
        simd: L::Simd,
        (normal, first): ([L; 3], [L; 3]),
        sides: &[&[f64; 4]; N],
        [halo, floor]: [L; 2],
    ) -> L::Mask {
        let zero = L::splat(simd, 0.0);
        let reach = halo * L::splat(simd, FARTHER[0]) + floor * L::splat(simd, FARTHER[1]);
        let height = dot(normal, first);
        match (self, sides.get(2), sides.get(3)) {
            (Feature::Face, ..) => zero.lt(zero),
            // The sides at both ends of an edge: one along the edge's direction, one against it from its other end.
            (Feature::Edge, Some([x, y, z, _]), Some([.., length])) => {
                let other = height - along(simd, normal, [*x, *y, *z]) * L::splat(simd, *length);
                let (low, high) = (height.min(other), height.max(other));
                reach.lt(low) | high.lt(-reach)
            }
            _ => reach.lt(height.abs()),
        }
    }
}

/// How the planes of faces intersect a cell: the order of its sides.
#[derive(Clone, Copy)]
struct Section<const N: usize> {
    feature: Feature,
    /// The sides in order around the cell's normal.
    around: [usize; N],
    /// Whether the section is bounded: every face with a weight has a normal opposed to all directions of the cell.
    bounded: bool,
}

impl<const N: usize> Section<N> {
    fn bounded(feature: Feature, around: [usize; N]) -> Self {
        Section { feature, around, bounded: true }
    }

    /// The sides of a cone are stored in order.
    fn of_cone() -> Self {
        Section { feature: Feature::Vertex, around: array::from_fn(|i| i), bounded: false }
    }
}

/// Whether all corners of the cell's section by the face's plane are beyond one side of the face, or beyond the end of the halo. More than half
/// of the faces with some corner inside each boundary have no part in the cell, and clipping would find this late. A line between a side of the
/// face and the end of the halo may also separate them. For a prism, the section may also be below the surface. For a cone it is below if the
/// plane passes behind the vertex, where it meets the lines of the cone's sides beyond their end.
///
/// Neighbouring sides, with heights h and k, meet at the barycentric coordinates `h(v) k(w) - h(w) k(v)`, (u, v, w) cyclic, over their sum. The
/// sum is negative where the face is opposed to the direction of the line of both sides. `far`: the largest magnitude of the heights above each
/// side, only for `ALL`.
#[inline(always)]
fn apart<L: Lane<Scalar = f64>, const N: usize, const ALL: bool>(
    simd: L::Simd,
    (heights, far): (&[[L; 3]; N], &[L; N]),
    [high, low]: [&[L; 3]; 2],
    section: Section<N>,
) -> L::Mask {
    let Section { around, bounded, .. } = section;
    if ALL {
        return apart_either_way(simd, (heights, far), [high, low], section);
    }
    // For each, the minimum over all corners.
    let (mut beyond, mut known) = (Beyond::new(simd, section.feature), L::splat(simd, f64::INFINITY));
    for (i, side) in around.iter().enumerate() {
        let (h, k) = (&heights[*side], &heights[around[(i + 1) % N]]);
        let at = cross(*h, *k);
        beyond.corner(simd, at, [high, low], section.feature);
        if !bounded {
            known = known.min(-(at[0] + at[1] + at[2]));
        }
    }
    L::splat(simd, 0.0).lt(beyond.most().min(known))
}

/// The same for faces of either orientation: the section is bounded where all sums have one sign.
#[inline(always)]
fn apart_either_way<L: Lane<Scalar = f64>, const N: usize>(
    simd: L::Simd,
    (heights, far): (&[[L; 3]; N], &[L; N]),
    ends: [&[L; 3]; 2],
    Section { around, feature, .. }: Section<N>,
) -> L::Mask {
    let (zero, infinity) = (L::splat(simd, 0.0), L::splat(simd, f64::INFINITY));
    // If the first sum is positive, all sums have to be, and all signs are reversed.
    let (mut beyond, mut clear) = (Beyond::new(simd, feature), infinity);
    let mut turn = zero;
    for (i, side) in around.iter().enumerate() {
        let next = around[(i + 1) % N];
        let mut at = cross(heights[*side], heights[next]);
        if i == 0 {
            let one = L::splat(simd, 1.0);
            turn = L::select(zero.lt(at[0] + at[1] + at[2]), -one, one);
        }
        at = at.map(|at| at * turn);
        beyond.corner(simd, at, ends, feature);
        // Each coordinate is less than twice this product.
        let noise = (far[*side] * far[next]) * L::splat(simd, 6.0 * NOISE);
        clear = clear.min(-(at[0] + at[1] + at[2]) - noise);
    }
    zero.lt(beyond.most().min(clear))
}

/// The least distance of a section's corners beyond each line.
struct Beyond<L> {
    sides: [L; 3],
    /// Beyond lines between each side of the face and the end of the halo.
    between: [L; 3],
    end: L,
    surface: L,
}

impl<L: Lane<Scalar = f64>> Beyond<L> {
    #[inline(always)]
    fn new(simd: L::Simd, feature: Feature) -> Self {
        let infinity = L::splat(simd, f64::INFINITY);
        // The section of a sector is rarely below the surface as a whole.
        let surface = if let Feature::Edge = feature { -infinity } else { infinity };
        Beyond { sides: [infinity; 3], between: [infinity; 3], end: infinity, surface }
    }

    /// Adds a corner. `at` are barycentric coordinates with reversed sign: positive beyond a side.
    #[inline(always)]
    fn corner(&mut self, simd: L::Simd, at: [L; 3], [high, low]: [&[L; 3]; 2], feature: Feature) {
        let end = dot(at, *high);
        let part = end * L::splat(simd, BETWEEN);
        for ((sides, between), at) in self.sides.iter_mut().zip(&mut self.between).zip(at) {
            *sides = sides.min(at);
            *between = between.min(at + part);
        }
        self.end = self.end.min(end);
        if let Feature::Face | Feature::Vertex = feature {
            self.surface = self.surface.min(dot(at, *low));
        }
    }

    #[inline(always)]
    fn most(&self) -> L {
        most(&self.sides).max(most(&self.between)).max(self.end).max(self.surface)
    }
}

/// Weight of the gap over the halo, beside a barycentric coordinate, in a line between a side of the face and the end of the halo.
const BETWEEN: f64 = 1.0 / 8.0;

/// Sums of determinants below this part of their terms may have either sign.
const NOISE: f64 = 1.0 / (1u64 << 30) as f64;

/// A corner of faces, relative to the anchor of a cell.
#[inline(always)]
fn from_anchor<L: Lane<Scalar = f64>>(simd: L::Simd, faces: &Faces, cell: &Cell, v: usize, at: usize) -> [L; 3] {
    let mut from = load3(simd, &faces.corners[3 * v..], at);
    for (from, anchor) in from.iter_mut().zip(cell.anchor) {
        *from = *from - L::splat(simd, anchor);
    }
    from
}

/// `put` uses `CUTS - 1` as a mask.
const _: () = assert!(CUTS.is_power_of_two());

#[inline(always)]
fn most<L: Lane>(height: &[L; 3]) -> L {
    height[0].max(height[1]).max(height[2])
}

#[inline(always)]
fn least<L: Lane>(height: &[L; 3]) -> L {
    height[0].min(height[1]).min(height[2])
}

/// Dot products with a direction.
#[inline(always)]
fn along<L: Lane<Scalar = f64>>(simd: L::Simd, from: [L; 3], [x, y, z]: [f64; 3]) -> L {
    dot(from, [L::splat(simd, x), L::splat(simd, y), L::splat(simd, z)])
}

impl Waiting {
    /// The integrals in the cell's frame and units; `None` where the rest of the face is empty.
    #[inline(always)]
    pub fn moments(&self, of: &Integrals) -> Option<Moments> {
        let [e, f] = self.sides;
        let at = |k: usize| self.corner[k] * of.pressure + (e[k] * of.first[0] + f[k] * of.first[1]);
        let (area, pressure) = (self.weight * of.area, self.weight * of.pressure);
        let first = [0, 1, 2].map(|k| self.weight * at(k));
        let least_gap = of.least * self.halo;
        (area > 0.0 && pressure > 0.0).then_some(Moments { area, pressure, first, least_gap })
    }
}
