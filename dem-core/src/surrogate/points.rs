//! The vertices of a part, each once: for the fit in single precision about their middle, for the halo exactly.

use glam::DVec3;
use zerocopy::{FromBytes, Immutable, IntoBytes};

use super::distance::Target;
use super::fit::Points;
use super::lanes::BATCH;
use crate::error::Result;
use crate::memory::{Carve, Plan};
use crate::mesh::{MeshRef, MeshSizes};
use crate::real::{Real, max};

/// A triangle, as it is moved about while parts are divided.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub(super) struct Item {
    /// Welded vertices.
    pub corner: [u32; 3],
    pub id: u32,
    /// Centroid relative to the middle of the mesh, scaled to a radius of about 1.
    pub centre: [f32; 3],
    /// The child it goes to.
    pub child: u32,
}

/// The vertices of one part at a time.
pub(super) struct Cloud<'s> {
    position: &'s mut [[f64; 3]],
    /// Where in the part a vertex is: `mark - base`, if that is not negative.
    mark: &'s mut [u32],
    base: u32,
    count: usize,
    ids: &'s mut [u32],
    x: &'s mut [f32],
    y: &'s mut [f32],
    z: &'s mut [f32],
    /// Halos of the vertices, empty where all triangles have the same.
    halos: &'s mut [f64],
    largest_halo: f64,
    low: DVec3,
    high: DVec3,
}

/// No part has more vertices.
fn capacity(n: &MeshSizes) -> u64 {
    u64::from(n.vertices).min(3 * u64::from(n.triangles))
}

impl<'s> Cloud<'s> {
    pub fn plan(n: &MeshSizes, plan: &mut Plan) {
        let padded = capacity(n).saturating_add(BATCH as u64);
        plan.add::<[f64; 3]>(u64::from(n.vertices)).add::<u32>(u64::from(n.vertices)).add::<u32>(capacity(n));
        plan.add::<f32>(padded).add::<f32>(padded).add::<f32>(padded);
        plan.add::<f64>(if n.halos == 0 { 0 } else { capacity(n) });
    }

    /// Takes what `plan` added.
    pub fn carve(n: &MeshSizes, mesh: &MeshRef<'_>, carve: &mut Carve<'s>) -> Result<Self> {
        let padded = capacity(n).saturating_add(BATCH as u64);
        let position: &mut [[f64; 3]] = carve.take(u64::from(n.vertices))?;
        let mark: &mut [u32] = carve.take(u64::from(n.vertices))?;
        let ids = carve.take(capacity(n))?;
        let [x, y, z] = [carve.take(padded)?, carve.take(padded)?, carve.take(padded)?];
        let halos = carve.take(if n.halos == 0 { 0 } else { capacity(n) })?;
        position.fill([0.0; 3]);
        mark.fill(0);
        for i in 0..mesh.len() {
            for (vertex, corner) in mesh.welded(i).into_iter().zip(mesh.triangle(i)) {
                if let Some(place) = position.get_mut(vertex as usize) {
                    *place = corner;
                }
            }
        }
        let largest_halo = mesh.largest_halo();
        let (low, high) = (DVec3::ZERO, DVec3::ZERO);
        Ok(Cloud { position, mark, base: 1, count: 0, ids, x, y, z, halos, largest_halo, low, high })
    }

    /// Makes the vertices of some triangles the current ones.
    pub fn gather(&mut self, items: &[Item], mesh: &MeshRef<'_>) {
        // Marks of earlier parts lie below the base; when numbers run out they are wiped.
        match self.base.checked_add(self.count as u32).filter(|base| base.checked_add(self.ids.len() as u32).is_some())
        {
            Some(base) => self.base = base,
            None => {
                self.mark.fill(0);
                self.base = 1;
            }
        }
        self.count = 0;
        let (mut low, mut high) = (DVec3::MAX, DVec3::MIN);
        for item in items {
            for vertex in item.corner {
                let at = self.place(vertex, &mut low, &mut high);
                if let (false, Some(halo)) = (self.halos.is_empty(), self.halos.get_mut(at)) {
                    *halo = max(*halo, mesh.halo(item.id as usize));
                }
            }
        }
        if self.count == 0 {
            (low, high) = (DVec3::ZERO, DVec3::ZERO);
        }
        (self.low, self.high) = (low, high);
    }

    /// Index of a vertex in the part, which takes it in if it is new.
    #[inline(always)]
    fn place(&mut self, vertex: u32, low: &mut DVec3, high: &mut DVec3) -> usize {
        let (Some(mark), Some(position)) = (self.mark.get_mut(vertex as usize), self.position.get(vertex as usize))
        else {
            return usize::MAX;
        };
        if *mark >= self.base {
            return (*mark - self.base) as usize;
        }
        let at = self.count;
        *mark = self.base + at as u32;
        if let Some(id) = self.ids.get_mut(at) {
            *id = vertex;
            self.count += 1;
        }
        if let Some(halo) = self.halos.get_mut(at) {
            *halo = 0.0;
        }
        let p = DVec3::from_array(*position);
        *low = low.min(p);
        *high = high.max(p);
        at
    }

    /// The middle of the current vertices.
    pub fn middle(&self) -> DVec3 {
        self.low * 0.5 + self.high * 0.5
    }

    /// The largest halo of the current triangles.
    pub fn halo(&self) -> f64 {
        if self.halos.is_empty() {
            return self.largest_halo;
        }
        self.halos.iter().take(self.count).fold(0.0, |m, &h| max(m, h))
    }

    /// The power of two that takes the current vertices about their middle to a radius in [1, 2).
    pub fn scale(&self) -> f64 {
        let half = self.high * 0.5 - self.low * 0.5;
        half.dot(half).sqrt().inverse_exponent()
    }

    /// The current vertices about their middle, scaled, with copies of the last up to a multiple of a batch.
    pub fn local(&mut self) -> (Points<'_>, usize) {
        let (middle, scale) = (self.middle(), self.scale());
        let padded = self.count.next_multiple_of(BATCH).min(self.x.len());
        let mut last = [0.0; 3];
        for i in 0..padded {
            if let Some(&id) = self.ids.get(..self.count).and_then(|ids| ids.get(i)) {
                let position = self.position.get(id as usize).copied().unwrap_or_default();
                let p = (DVec3::from_array(position) - middle) * scale;
                last = [p.x as f32, p.y as f32, p.z as f32];
            }
            (self.x[i], self.y[i], self.z[i]) = (last[0], last[1], last[2]);
        }
        (Points::new(self.x, self.y, self.z, padded), self.count)
    }

    /// The smallest halo with which a triangle, given relative to `origin`, covers the current vertices with theirs. Larger
    /// than that by no more than the rounding of this computation, and never smaller.
    pub fn cover(&self, triangle: [DVec3; 3], origin: DVec3) -> f64 {
        let target = Target::new(triangle);
        let vertices = self.ids.iter().take(self.count);
        let points =
            vertices.map(|&id| DVec3::from_array(self.position.get(id as usize).copied().unwrap_or_default()) - origin);
        let mut halo = 0.0;
        if self.halos.is_empty() {
            let farthest = points.fold(0.0, |m, p| max(m, target.distance2(p)));
            halo = farthest.sqrt() + self.largest_halo;
        } else {
            for (p, h) in points.zip(self.halos.iter()) {
                halo = max(halo, target.distance2(p).sqrt() + h);
            }
        }
        halo + slack(halo, self.size(triangle, origin))
    }

    /// No coordinate of the current vertices or of the triangle, relative to the origin, is larger.
    fn size(&self, triangle: [DVec3; 3], origin: DVec3) -> f64 {
        let reach = (self.low - origin).abs().max((self.high - origin).abs());
        let reach = triangle.iter().fold(reach, |m, corner| m.max(corner.abs()));
        max(max(reach.x, reach.y), reach.z)
    }
}

/// More than the rounding of a distance between points with coordinates of this size, plus a halo: a subtraction of the
/// origin, a point of the triangle, the difference, its length (each a few units of 2^-53 of the coordinates).
pub(super) fn slack(halo: f64, size: f64) -> f64 {
    64.0 * f64::UNIT_ROUNDOFF * size + 4.0 * f64::UNIT_ROUNDOFF * halo
}

/// Rounded up to single precision, and never a number that a host's mode might flush to zero.
pub(super) fn round_up(halo: f64) -> f32 {
    let rounded = halo as f32;
    let rounded = if f64::from(rounded) < halo { rounded.next_up() } else { rounded };
    if rounded < f32::MIN_POSITIVE { f32::MIN_POSITIVE } else { rounded }
}

/// Items in the order of the mesh.
pub(super) fn items(mesh: &MeshRef<'_>, items: &mut [Item]) {
    let middle = DVec3::from_array(mesh.centre());
    let scale = mesh.radius().inverse_exponent();
    for (i, item) in items.iter_mut().enumerate() {
        let [a, b, c] = mesh.triangle(i).map(|v| (DVec3::from_array(v) - middle) * scale);
        let centre = (a + b + c) * (1.0 / 3.0);
        let centre = [centre.x as f32, centre.y as f32, centre.z as f32];
        *item = Item { corner: mesh.welded(i), id: i as u32, centre, child: 0 };
    }
}
