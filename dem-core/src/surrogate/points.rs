//! The vertices of a part, each once: for the fit in single precision about their middle, for the halo exactly.

use glam::DVec3;
use zerocopy::{FromBytes, Immutable, IntoBytes};

use super::distance::{Cover, Target};
use super::fit::Points;
use super::lanes::BATCH;
use crate::memory::sections;
use crate::mesh::{MeshRef, MeshSizes};
use crate::real::{Real, max};
use crate::simd::{Isa, dispatch};

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

/// The vertices of one part at a time, by components, filled up to a multiple of [`BATCH`] with copies of the last.
pub(super) struct Cloud<'s> {
    position: &'s mut [[f64; 3]],
    /// Where in the part a vertex is: `mark - base`, if that is not negative.
    mark: &'s mut [u32],
    base: u32,
    count: usize,
    exact: [&'s mut [f64]; 3],
    local: [&'s mut [f32]; 3],
    /// Halos of the vertices, empty where all triangles have the same.
    halos: &'s mut [f64],
    largest_halo: f64,
    low: DVec3,
    high: DVec3,
}

/// No part has more vertices, filled up.
fn capacity(n: &MeshSizes) -> u64 {
    u64::from(n.vertices).min(3 * u64::from(n.triangles)).next_multiple_of(BATCH as u64)
}

fn own_halos(n: &MeshSizes) -> u64 {
    if n.halos == 0 { 0 } else { capacity(n) }
}

sections! {
    /// A coordinate of the vertices of a part.
    struct Coordinate<'s>(capacity: u64) {
        exact: [f64; capacity],
        local: [f32; capacity],
    }
}

sections! {
    /// Memory of a [`Cloud`].
    pub(super) struct CloudMemory<'s>(n: &MeshSizes; vertices = u64::from(n.vertices), capacity = capacity(n)) {
        position: [[f64; 3]; vertices],
        mark: [u32; vertices],
        x: Coordinate(capacity),
        y: Coordinate(capacity),
        z: Coordinate(capacity),
        halos: [f64; own_halos(n)],
    }
}

impl<'s> Cloud<'s> {
    /// Of the vertices of a mesh.
    pub fn new(memory: CloudMemory<'s>, mesh: &MeshRef<'_>) -> Self {
        let CloudMemory { position, mark, x, y, z, halos } = memory;
        mark.fill(0);
        let largest_halo = mesh.largest_halo();
        let (low, high) = (DVec3::ZERO, DVec3::ZERO);
        let (exact, local) = ([x.exact, y.exact, z.exact], [x.local, y.local, z.local]);
        Cloud { position, mark, base: 1, count: 0, exact, local, halos, largest_halo, low, high }
    }

    /// The triangles of the mesh, in its order; takes in its vertices.
    pub fn read(&mut self, mesh: &MeshRef<'_>, items: &mut [Item]) {
        let middle = DVec3::from_array(mesh.centre());
        let scale = mesh.radius().inverse_exponent();
        for (i, item) in items.iter_mut().enumerate() {
            let (corner, triangle) = (mesh.welded(i), mesh.triangle(i));
            for (vertex, position) in corner.into_iter().zip(triangle) {
                if let Some(place) = self.position.get_mut(vertex as usize) {
                    *place = position;
                }
            }
            let [a, b, c] = triangle.map(|v| (DVec3::from_array(v) - middle) * scale);
            let centre = (a + b + c) * (1.0 / 3.0);
            let centre = [centre.x as f32, centre.y as f32, centre.z as f32];
            *item = Item { corner, id: i as u32, centre, child: 0 };
        }
    }

    /// Makes the vertices of some triangles the current ones.
    pub fn gather(&mut self, items: &[Item], mesh: &MeshRef<'_>) {
        // Marks of earlier parts lie below the base; when numbers run out they are wiped.
        let most = self.exact[0].len() as u32;
        match self.base.checked_add(self.count as u32).filter(|base| base.checked_add(most).is_some()) {
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
                if let Some(halo) = self.halos.get_mut(at) {
                    *halo = max(*halo, mesh.halo(item.id as usize));
                }
            }
        }
        if self.count == 0 {
            (low, high) = (DVec3::ZERO, DVec3::ZERO);
        }
        (self.low, self.high) = (low, high);
        self.fill_up();
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
        let [x, y, z] = &mut self.exact;
        if let (Some(x), Some(y), Some(z)) = (x.get_mut(at), y.get_mut(at), z.get_mut(at)) {
            [*x, *y, *z] = *position;
            *mark = self.base + at as u32;
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

    fn padded(&self) -> usize {
        self.count.next_multiple_of(BATCH)
    }

    fn fill_up(&mut self) {
        let (count, padded) = (self.count, self.padded());
        let fill = |row: &mut [f64]| {
            let last = count.checked_sub(1).and_then(|i| row.get(i)).copied().unwrap_or(0.0);
            row.get_mut(count..padded).unwrap_or_default().fill(last);
        };
        self.exact.iter_mut().for_each(|row| fill(row));
        if !self.halos.is_empty() {
            fill(self.halos);
        }
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

    /// The current vertices about their middle, scaled, filled up, and how many there are.
    pub fn local(&mut self) -> (Points<'_>, usize) {
        let (middle, scale, padded) = (self.middle().to_array(), self.scale(), self.padded());
        for ((to, from), middle) in self.local.iter_mut().zip(&self.exact).zip(middle) {
            for (to, from) in to.iter_mut().zip(from.iter()).take(padded) {
                *to = ((from - middle) * scale) as f32;
            }
        }
        let [x, y, z] = &self.local;
        (Points::new(x, y, z, padded), self.count)
    }

    /// The smallest halo with which a triangle, given relative to `origin`, covers the current vertices with theirs. Larger
    /// than that by no more than the rounding of this computation, and never smaller.
    pub fn cover(&self, triangle: [DVec3; 3], origin: DVec3, isa: Isa) -> f64 {
        let target = Target::new(triangle);
        let padded = self.padded();
        let row = |row: &'_ [f64]| -> usize { padded.min(row.len()) };
        let [x, y, z] = &self.exact;
        let points = [&x[..row(x)], &y[..row(y)], &z[..row(z)]];
        let uniform = if self.halos.is_empty() { self.largest_halo } else { 0.0 };
        let halos = &self.halos[..row(self.halos)];
        let halo = dispatch(isa, Cover { target: &target, origin, points, halos }) + uniform;
        // Squares of tiny lengths vanish; no halo is smaller than the smallest normal number of single precision.
        max(halo + slack(halo, self.size(triangle, origin)), f64::from(f32::MIN_POSITIVE))
    }

    /// No coordinate of the current vertices or of the triangle, relative to the origin, is larger.
    fn size(&self, triangle: [DVec3; 3], origin: DVec3) -> f64 {
        let reach = (self.low - origin).abs().max((self.high - origin).abs());
        triangle.iter().fold(reach, |m, corner| m.max(corner.abs())).max_element()
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
