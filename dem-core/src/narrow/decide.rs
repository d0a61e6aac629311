//! The canonical decision: candidate pairs in blocks, in one frame and one order of operations that depend on neither the
//! instruction set nor on which body comes first.
//!
//! Coordinates are f64 in world axes about the midpoint of both positions, scaled by a power of two. The triangle whose
//! coordinates come first in lexicographic order is examined first, and the answer is turned back, so exchanging the
//! bodies exchanges the results bit for bit.

use super::Operand;
use super::frame::Frame;
use super::key::{Key, ids};
use crate::array::Scalar;
use crate::mesh::MeshRef;
use crate::real::min;
use crate::simd::{Kernel, Lane, Mask, Simd, Vec3};
use crate::triangle::kernel::{Aligned, Closest, Place, Vertices, closest, column, decide, number};
use crate::triangle::{BLOCK, Block, Coordinates};

/// Receives decided pairs: up to [`BLOCK`] keys, and for each key a column with the canonical distance and the closest points relative to the
/// midpoint, in world axes and units.
pub(super) trait Decided {
    fn put(&mut self, keys: &[Key], block: &Block<f64>);
}

pub(super) struct Decide<'t, 'd> {
    pub a: Operand<'t>,
    pub b: Operand<'t>,
    pub frame: &'t Frame,
    pub keys: &'t [Key],
    pub out: &'d mut dyn Decided,
}

impl Kernel for Decide<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let (corners_a, corners_b) = (Corners::new(&self.a.mesh), Corners::new(&self.b.mesh));
        let Aligned(input) = &mut Aligned::new();
        let mut block = Block::new();
        for keys in self.keys.chunks(BLOCK) {
            for (c, key) in keys.iter().enumerate() {
                let (i, j) = ids(*key);
                corners_a.gather(i as usize, c, &mut input[..9]);
                corners_b.gather(j as usize, c, &mut input[9..]);
            }
            let mut at = 0;
            while at < keys.len() {
                let fate = lanes::<S::F64>(simd, self.frame, input, at, &mut block);
                // Columns after the last pair hold old numbers.
                let open = fate.open & (u32::MAX >> (32 - min(keys.len() - at, 32)));
                if open != 0 {
                    settle(self.frame, input, at, Fate { open, ..fate }, &mut block);
                }
                at += S::F64::LANES;
            }
            self.out.put(keys, &block);
        }
    }
}

/// The coordinates of a mesh's corners, as they are stored.
pub(crate) enum Corners<'m> {
    F32([&'m [f32]; 9]),
    F64([&'m [f64]; 9]),
}

impl<'m> Corners<'m> {
    #[inline(always)]
    pub fn new(mesh: &MeshRef<'m>) -> Self {
        match mesh.sizes.stored() {
            Scalar::F32 => Corners::F32(mesh.rows32()),
            Scalar::F64 => Corners::F64(mesh.rows64()),
        }
    }

    /// Writes the nine coordinates of a triangle to a column of nine rows.
    #[inline(always)]
    pub fn gather<const COLUMNS: usize>(&self, triangle: usize, column: usize, to: &mut [[f64; COLUMNS]]) {
        let to = to.iter_mut();
        match self {
            Corners::F32(rows) if triangle < rows[0].len() => {
                to.zip(rows).for_each(|(to, row)| to[column] = f64::from(at(row, triangle)));
            }
            Corners::F64(rows) if triangle < rows[0].len() => {
                to.zip(rows).for_each(|(to, row)| to[column] = at(row, triangle));
            }
            // The index is that of a damaged tree: any triangle is good enough.
            _ => (),
        }
    }
}

#[inline(always)]
fn at<T: Copy + Default>(row: &[T], i: usize) -> T {
    row.get(i).copied().unwrap_or_default()
}

/// The outcome of each lane, one bit per lane.
#[derive(Clone, Copy)]
struct Fate {
    /// Lanes that must be decided one by one.
    open: u32,
    /// Lanes in which the triangle of B comes first.
    swapped: u32,
}

/// Decides columns `at ..` of a block. In lanes that stay open, the canonical coordinates, in the order of the examination, replace those of the
/// input.
#[inline(always)]
fn lanes<L: Lane<Scalar = f64>>(
    simd: L::Simd,
    frame: &Frame,
    input: &mut Coordinates<f64>,
    at: usize,
    block: &mut Block<f64>,
) -> Fate {
    let a: Vertices<L> = place(simd, frame, 0, input, 0, at);
    let b: Vertices<L> = place(simd, frame, 1, input, 9, at);
    let swap = comes_first(&b, &a);
    let mut first = a;
    let mut second = b;
    for v in 0..3 {
        first[v] = Vec3::select(swap, b[v], a[v]);
        second[v] = Vec3::select(swap, a[v], b[v]);
    }
    let result = closest(simd, first, second);
    let open = result.open();
    if open != 0 {
        for v in 0..3 {
            for c in 0..3 {
                first[v].0[c].store(&mut input[3 * v + c], at);
                second[v].0[c].store(&mut input[9 + 3 * v + c], at);
            }
        }
    }
    let result = turned_back(swap, result);
    let unscale = number::<L>(simd, 1.0 / frame.scale);
    block.store(at, result.distance2.sqrt() * unscale, unscale, &result);
    Fate { open, swapped: swap.bits() }
}

/// Canonical coordinates of body 0 or 1: `scale (R * its scale * v +- half)`.
#[inline(always)]
pub(super) fn place<L: Lane<Scalar = f64>, const COLUMNS: usize>(
    simd: L::Simd,
    frame: &Frame,
    body: usize,
    input: &[[f64; COLUMNS]; 18],
    first: usize,
    at: usize,
) -> Vertices<L> {
    let (transform, side) = if body == 0 { (&frame.a, 1.0) } else { (&frame.b, -1.0) };
    // The frame's scale is a power of two, so it commutes with rounding.
    let scale = frame.scales[body] * frame.scale;
    let rows = transform.rows.map(|row| row.map(|x| x * scale));
    let offset = frame.half.map(|x| x * (side * frame.scale));
    let mut out = [Vec3([number::<L>(simd, 0.0); 3]); 3];
    for (v, corner) in out.iter_mut().enumerate() {
        let row = first + 3 * v;
        let (x, y, z) =
            (L::load(simd, &input[row], at), L::load(simd, &input[row + 1], at), L::load(simd, &input[row + 2], at));
        for c in 0..3 {
            let r = rows[c];
            let turned = number::<L>(simd, r[0]) * x + number::<L>(simd, r[1]) * y + number::<L>(simd, r[2]) * z;
            corner.0[c] = turned + number(simd, offset[c]);
        }
    }
    out
}

/// Whether `x` comes before `y` in lexicographic order of coordinates.
#[inline(always)]
fn comes_first<L: Lane>(x: &Vertices<L>, y: &Vertices<L>) -> L::Mask {
    let (p, q) = (x[0].0[0], y[0].0[0]);
    // Mostly the first coordinates decide.
    if !p.eq(q).any() {
        return p.lt(q);
    }
    let mut before = x[2].0[2].lt(y[2].0[2]);
    for k in (0..8).rev() {
        let (p, q) = (x[k / 3].0[k % 3], y[k / 3].0[k % 3]);
        before = p.lt(q) | (p.eq(q) & before);
    }
    before
}

#[inline(always)]
fn turned_back<L: Lane>(swap: L::Mask, result: Closest<L>) -> Closest<L> {
    let mut out = result;
    out.point_a = Vec3::select(swap, result.point_b, result.point_a);
    out.point_b = Vec3::select(swap, result.point_a, result.point_b);
    out.place_a = Place::select(swap, result.place_b, result.place_a);
    out.place_b = Place::select(swap, result.place_a, result.place_b);
    out.turn_a = L::select(swap, result.turn_b, result.turn_a);
    out.turn_b = L::select(swap, result.turn_a, result.turn_b);
    out
}

/// Decides the lanes that are still open.
#[inline(never)]
fn settle(frame: &Frame, input: &Coordinates<f64>, at: usize, fate: Fate, block: &mut Block<f64>) {
    let mut open = fate.open;
    while open != 0 {
        let lane = open.trailing_zeros();
        open &= open - 1;
        let c = at + lane as usize;
        let [first, second] = column(input, c);
        let answer = decide(&first, &second);
        let answer = if fate.swapped >> lane & 1 != 0 { answer.swapped() } else { answer };
        block.set(c, &answer, 1.0 / frame.scale);
    }
}
