//! The winding number of an open surface: the part that open sides add to the crossings of a ray.
//!
//! From a point, the surface is a part of the sphere of directions, counted with multiplicity: as often as a ray in this direction crosses
//! it. Across the image of an open side this number jumps by 1. So the mean of the number over all directions is the generalised winding
//! number. It is the number of one direction plus the areas of the spherical triangles that each open side spans with the opposite
//! direction.
//!
//! Areas are arguments of complex numbers (Van Oosterom and Strackee 1983, equation 8). Their sum is the argument of the product, computed
//! in sixteen columns for any number of lanes, with a count of how often the product passes the negative real axis.

use super::bound::load;
use super::crossings::Ray;
use super::records::{Hit, Local};
use super::{Search, damaged};
use crate::error::Result;
use crate::memory::sections;
use crate::real::{Real, atan2, max};
use crate::simd::{Lane, Mask, Simd};
use crate::surrogate::{TreeRef, is_open};
use crate::triangle::BLOCK;

/// With more open sides, their sum is not computed.
const MOST: u32 = 4096;

/// The open sides, from start to end, by coordinates in the mesh's frame; NaN after the last.
pub(in crate::narrow) struct Rim<'s> {
    rows: [&'s mut [f64]; 6],
}

/// Numbers in a row; none if there are too many sides.
fn rim_size(tree: &TreeRef<'_>) -> u64 {
    match tree.open_sides() {
        too_many if too_many > MOST => 0,
        sides => u64::from(sides).next_multiple_of(BLOCK as u64),
    }
}

sections! {
    /// Memory of a [`Rim`].
    pub(in crate::narrow) struct RimMemory<'s>(tree: &TreeRef<'_>; n = rim_size(tree)) {
        start_x: [f64; n],
        start_y: [f64; n],
        start_z: [f64; n],
        end_x: [f64; n],
        end_y: [f64; n],
        end_z: [f64; n],
    }
}

impl<'s> Rim<'s> {
    pub fn new(memory: RimMemory<'s>) -> Self {
        let RimMemory { start_x, start_y, start_z, end_x, end_y, end_z } = memory;
        Rim { rows: [start_x, start_y, start_z, end_x, end_y, end_z] }
    }

    fn add(&mut self, at: usize, ends: [[f64; 3]; 2]) -> Result<()> {
        for (row, x) in self.rows.iter_mut().zip(ends.as_flattened()) {
            *row.get_mut(at).ok_or_else(damaged)? = *x;
        }
        Ok(())
    }
}

impl Search<'_, '_> {
    /// Finds the open sides.
    pub fn fill_rim(&mut self, rim: &mut Rim<'_>) -> Result<()> {
        rim.rows.iter_mut().for_each(|row| row.fill(f64::NAN));
        let (mut number, mut len) = (0, 0);
        for root in 0..self.tree.sizes.roots {
            self.push(&mut len, root, 0.0)?;
        }
        while len > 0 && rim_size(&self.tree) > 0 {
            len -= 1;
            let at = self.stack.get(len).ok_or_else(damaged)?;
            let cluster = self.tree.clusters.get(*at as usize).ok_or_else(damaged)?;
            for lane in (0..cluster.count()).filter(|lane| cluster.has_open(*lane)) {
                for child in cluster.children(lane) {
                    self.push(&mut len, child as u32, 0.0)?;
                }
                let triangle = cluster.link[lane & 3];
                let corners = self.mesh.triangle(triangle as usize);
                for k in (0..3).filter(|k| cluster.is_fine() && is_open(&self.mesh, triangle, *k)) {
                    rim.add(number, [corners[k], corners[(k + 1) % 3]])?;
                    number += 1;
                }
            }
        }
        Ok(())
    }

    /// The winding number at a point that is not on the surface, plus 1 for a surface that looks inward: 1 is inside, 0 outside. Exact if no side
    /// is open. `hit` only serves to choose a short ray. None if there are too many open sides, or if some open side is too close to each ray.
    #[inline(always)]
    pub fn winding<S: Simd>(&mut self, simd: S, local: &Local, hit: &Hit, rim: &Rim<'_>) -> Result<Option<f64>> {
        let inward = f64::from(self.inward());
        let first = Ray::along(self.normal(hit.triangle));
        let mut chosen = None;
        if self.tree.open_sides() == 0 {
            chosen = Some((first, 0.0));
        } else {
            for ray in first.all() {
                if let Some(turns) = turns(simd, rim, local, ray) {
                    chosen = Some((ray, turns));
                    break;
                }
            }
        }
        let Some((ray, turns)) = chosen else { return Ok(None) };
        Ok(Some(self.crossings(local, ray)? as f64 + turns + inward))
    }

    /// 1 for a surface that looks inward.
    pub(super) fn inward(&self) -> i32 {
        i32::from(self.tree.looks_inward())
    }

    /// An approximate normal of a triangle: it only needs to point away from the surface.
    pub(super) fn normal(&self, triangle: u32) -> [f64; 3] {
        let [a, b, c] = self.mesh.triangle(triangle as usize);
        let [e, f] = [b, c].map(|v| [0, 1, 2].map(|k| v[k] - a[k]));
        [e[1] * f[2] - e[2] * f[1], e[2] * f[0] - e[0] * f[2], e[0] * f[1] - e[1] * f[0]]
    }
}

/// A product of complex numbers, with a count of full turns of its argument.
#[derive(Clone, Copy)]
struct Product<L> {
    re: L,
    im: L,
    turns: L,
}

impl<L: Lane<Scalar = f64>> Product<L> {
    /// Multiplies by a number whose argument is between -pi and pi.
    #[inline(always)]
    fn times(self, simd: L::Simd, re: L, im: L) -> Self {
        let (zero, one) = (L::splat(simd, 0.0), L::splat(simd, 1.0));
        let next = self.re * im + self.im * re + zero;
        let up = zero.le(self.im) & zero.le(im) & next.lt(zero);
        let down = self.im.lt(zero) & im.lt(zero) & zero.le(next);
        let turns = L::select(up, self.turns + one, L::select(down, self.turns - one, self.turns));
        Product { re: self.re * re - self.im * im, im: next, turns }
    }
}

/// The sum of the areas over 4 pi. None if an open side is so near the ray that rounding could move it to the other side, or if there are too many
/// open sides.
#[inline(always)]
fn turns<S: Simd>(simd: S, rim: &Rim<'_>, local: &Local, ray: Ray) -> Option<f64> {
    if rim.rows[0].is_empty() {
        return None;
    }
    let mut columns = [[1.0; BLOCK], [0.0; BLOCK], [0.0; BLOCK]];
    let mut first = 0;
    while first < rim.rows[0].len() {
        let mut at = 0;
        while at < BLOCK {
            if add::<S::F64>(simd, rim, local, ray, first, at, &mut columns) {
                return None;
            }
            at += S::F64::LANES;
        }
        first += BLOCK;
    }
    Some(total(&columns))
}

/// Multiplies some columns by their next sides. Gives whether a side is too close to the ray.
#[inline(always)]
fn add<L: Lane<Scalar = f64>>(
    simd: L::Simd,
    rim: &Rim<'_>,
    local: &Local,
    ray: Ray,
    first: usize,
    at: usize,
    columns: &mut [[f64; BLOCK]; 3],
) -> bool {
    let number = |x: f64| L::splat(simd, x);
    let scale = number(local.scale);
    let p = crate::simd::Vec3::splat(simd, local.scaled());
    let a = load::<L, _>(simd, &rim.rows, 0, first + at).scale(scale) - p;
    let b = load::<L, _>(simd, &rim.rows, 3, first + at).scale(scale) - p;
    let (la, lb) = (a.dot(a).sqrt(), b.dot(b).sqrt());
    // Component along the direction opposite to the ray.
    let away = |x: L| if ray.up { -x } else { x };
    let size = la * lb;
    let re = size + a.dot(b) + away(a.0[ray.axis]) * lb + away(b.0[ray.axis]) * la;
    let im = away(a.cross(b).0[ray.axis]);
    let noise = size * number(1e-12);
    let blocked = re.le(noise) & im.abs().le(noise);
    // Scales to a size of about 1; NaN counts as 1.
    let largest = re.abs().max(im.abs());
    let some = number(0.0).lt(largest);
    let unit = L::select(some, largest, number(1.0)).inverse_exponent();
    let (re, im) = (L::select(some, re * unit, number(1.0)), L::select(some, im * unit, number(0.0)));
    let [z, i, t] = &*columns;
    let product = Product { re: L::load(simd, z, at), im: L::load(simd, i, at), turns: L::load(simd, t, at) };
    let product = product.times(simd, re, im);
    product.re.store(&mut columns[0], at);
    product.im.store(&mut columns[1], at);
    product.turns.store(&mut columns[2], at);
    blocked.any()
}

/// The argument of the product of all columns, in full turns.
fn total(columns: &[[f64; BLOCK]; 3]) -> f64 {
    type One = crate::simd::PortableLane<f64, 1, 1, 1>;
    const ONE: crate::simd::Portable<1, 1> = crate::simd::Portable::<1, 1>;
    let number = |x: f64| One::splat(ONE, x);
    let mut product = Product { re: number(1.0), im: number(0.0), turns: number(0.0) };
    let [re, im, turns] = columns;
    for ((re, im), turns) in re.iter().zip(im).zip(turns) {
        let unit = max(re.abs(), im.abs()).inverse_exponent();
        let turns = product.turns + number(*turns);
        product = Product { turns, ..product }.times(ONE, number(re * unit), number(im * unit));
    }
    let mut out = [0.0; 3];
    product.re.store(&mut out[..1], 0);
    product.im.store(&mut out[1..2], 0);
    product.turns.store(&mut out[2..], 0);
    atan2(out[1], out[0]) / (2.0 * core::f64::consts::PI) + out[2]
}
