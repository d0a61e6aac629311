//! The vertices of a part, each once: in single precision about their middle for the fit, exactly for the halo.

use glam::DVec3;
use zerocopy::{FromBytes, Immutable, IntoBytes};

use super::distance::{Cover, Target};
use super::lanes::BATCH;
use super::objective::Points;
use crate::memory::sections;
use crate::mesh::{MeshRef, MeshSizes, NONE, extent};
use crate::real::{Real, max, min};
use crate::simd::{Isa, dispatch};

/// A triangle, in the form in which parts are sorted and divided.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub(super) struct Item {
    /// Centroid relative to the middle of the mesh, scaled to a radius of about 1.
    pub centre: [f32; 3],
    pub id: u32,
}

impl Item {
    pub const NONE: Item = Item { centre: [0.0; 3], id: NONE };
}

/// The box of the vertices of a part.
#[derive(Clone, Copy, Debug)]
pub(super) struct Extent {
    low: [f64; 3],
    high: [f64; 3],
}

impl Extent {
    const NONE: Extent = Extent { low: [0.0; 3], high: [0.0; 3] };

    pub fn middle(&self) -> DVec3 {
        DVec3::from_array(self.low) * 0.5 + DVec3::from_array(self.high) * 0.5
    }

    /// The power of two that scales the vertices about their middle to a radius in [1, 2).
    pub fn scale(&self) -> f64 {
        let half = DVec3::from_array(self.high) * 0.5 - DVec3::from_array(self.low) * 0.5;
        half.dot(half).sqrt().inverse_exponent()
    }

    /// The halo of a triangle, given relative to `origin`, from the computed largest distance plus halo of the vertices. It is never smaller than
    /// the true one.
    pub fn covered(&self, halo: f64, triangle: [DVec3; 3], origin: DVec3) -> f64 {
        // No coordinate of the vertices or of the triangle, relative to the origin, is larger than this.
        let [low, high] = [self.low, self.high].map(|end| (DVec3::from_array(end) - origin).abs().to_array());
        let ends = low.into_iter().chain(high).fold(0.0, max);
        let size = triangle.iter().flat_map(|corner| corner.abs().to_array()).fold(ends, max);
        // Squares of tiny lengths underflow, so no halo is smaller than the smallest normal number of single precision.
        max(halo + slack(halo, size), f64::from(f32::MIN_POSITIVE))
    }
}

/// The most vertices of a small part.
pub(super) const SMALL: usize = 64;

/// The vertices of a small part, each once.
pub(super) struct Small {
    pub count: usize,
    /// With room for the extra vertices of the last triangle.
    pub vertex: [u32; SMALL + 3],
    /// Their halos, which have no meaning if all triangles have the same halo; `halo`: the largest.
    pub halos: [f64; SMALL + 3],
    pub halo: f64,
}

impl Small {
    pub fn new() -> Self {
        Small { count: 0, vertex: [0; SMALL + 3], halos: [0.0; SMALL + 3], halo: 0.0 }
    }
}

/// The vertices of one part at a time, by components, padded to a multiple of [`BATCH`] with copies of the last one.
pub(super) struct Cloud<'s> {
    /// The welded vertices of each triangle.
    corner: &'s mut [[u32; 3]],
    position: &'s mut [[f64; 3]],
    /// The index of a vertex in the part is `mark - base`, if that is not negative.
    mark: &'s mut [u32],
    base: u32,
    /// Number of marks given since the base was set.
    used: u32,
    count: usize,
    exact: [&'s mut [f64]; 3],
    local: [&'s mut [f32]; 3],
    /// Halos of the vertices; empty if all triangles have the same halo.
    halos: &'s mut [f64],
    largest_halo: f64,
    extent: Extent,
}

/// Marks the vertices that a part has had so far.
struct Marks<'a> {
    corner: &'a [[u32; 3]],
    mark: &'a mut [u32],
    base: u32,
}

impl Marks<'_> {
    /// Lists the vertices of some triangles, each once, and their halos if there is memory for them. Gives their number. Stops after a triangle
    /// with which there are more than `most`.
    #[inline(always)]
    fn list(self, items: &[Item], list: &mut [u32], halos: &mut [f64], mesh: &MeshRef<'_>, most: usize) -> usize {
        let mut count = 0;
        for item in items {
            let corners = self.corner.get(item.id as usize).copied().unwrap_or([NONE; 3]);
            for vertex in corners {
                let Some(mark) = self.mark.get_mut(vertex as usize) else { continue };
                // Without a branch, which could not be predicted. A vertex that is not new is overwritten by the next one.
                let new = *mark < self.base;
                *mark = if new { self.base + count as u32 } else { *mark };
                if let Some(to) = list.get_mut(count) {
                    *to = vertex;
                }
                if let Some(halo) = halos.get_mut((*mark - self.base) as usize) {
                    *halo = max(if new { 0.0 } else { *halo }, mesh.halo(item.id as usize));
                }
                count += usize::from(new);
            }
            if count > most {
                break;
            }
        }
        count
    }
}

/// The most vertices of a part, padded.
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
        corner: [[u32; 3]; u64::from(n.triangles)],
        position: [[f64; 3]; vertices],
        mark: [u32; vertices],
        x: Coordinate(capacity),
        y: Coordinate(capacity),
        z: Coordinate(capacity),
        halos: [f64; own_halos(n)],
    }
}

impl<'s> Cloud<'s> {
    /// The points are the vertices of a mesh.
    pub fn new(memory: CloudMemory<'s>, mesh: &MeshRef<'_>) -> Self {
        let CloudMemory { corner, position, mark, x, y, z, halos } = memory;
        mark.fill(0);
        let largest_halo = mesh.largest_halo();
        let (exact, local) = ([x.exact, y.exact, z.exact], [x.local, y.local, z.local]);
        Cloud {
            corner,
            position,
            mark,
            base: 1,
            used: 0,
            count: 0,
            exact,
            local,
            halos,
            largest_halo,
            extent: Extent::NONE,
        }
    }

    /// Reads the vertices of the mesh, and lists its triangles in order.
    pub fn read(&mut self, mesh: &MeshRef<'_>, items: &mut [Item]) {
        match mesh.coordinates64.is_empty() {
            true => self.read_rows(mesh, mesh.rows32(), items),
            false => self.read_rows(mesh, mesh.rows64(), items),
        }
    }

    fn read_rows<T: Real>(&mut self, mesh: &MeshRef<'_>, rows: [&[T]; 9], items: &mut [Item]) {
        let middle = DVec3::from_array(mesh.centre());
        let scale = mesh.radius().inverse_exponent();
        for (i, (item, welded)) in items.iter_mut().zip(self.corner.iter_mut()).enumerate() {
            let corner = mesh.welded(i);
            let number = |row: usize| rows[row].get(i).map_or(0.0, |x| x.to_f64());
            let triangle = [0, 3, 6].map(|k| [number(k), number(k + 1), number(k + 2)]);
            for (vertex, position) in corner.into_iter().zip(triangle) {
                if let Some(place) = self.position.get_mut(vertex as usize) {
                    *place = position;
                }
            }
            let [a, b, c] = triangle.map(|v| (DVec3::from_array(v) - middle) * scale);
            let centre = (a + b + c) * (1.0 / 3.0);
            let centre = [centre.x as f32, centre.y as f32, centre.z as f32];
            (*item, *welded) = (Item { centre, id: i as u32 }, corner);
        }
    }

    /// Makes the vertices of some triangles the current ones.
    pub fn gather(&mut self, items: &[Item], mesh: &MeshRef<'_>) {
        self.next_base();
        // First collects vertex numbers, in memory that is unused until [`Cloud::local`].
        let [list, ..] = &mut self.local;
        let Ok(list) = <[u32]>::mut_from_bytes(list.as_mut_bytes()) else { return };
        let marks = Marks { corner: self.corner, mark: self.mark, base: self.base };
        self.count = marks.list(items, list, self.halos, mesh, usize::MAX);
        self.used = self.count as u32;
        let [x, y, z] = &mut self.exact;
        for (((x, y), z), vertex) in x.iter_mut().zip(y.iter_mut()).zip(z.iter_mut()).zip(list.iter().take(self.count))
        {
            [*x, *y, *z] = self.position.get(*vertex as usize).copied().unwrap_or_default();
        }
        self.fill_up();
        let padded = self.padded();
        let ends = self.exact.each_ref().map(|row| extent([row.get(..padded).unwrap_or_default()]));
        self.extent = Extent { low: ends.map(|e| e[0]), high: ends.map(|e| e[1]) };
    }

    /// If the vertices of some triangles are few, gathers them into `small`. Otherwise gives false, and the current vertices have no meaning until
    /// the next gathering. The current box becomes that of these vertices.
    pub fn gather_small(&mut self, items: &[Item], mesh: &MeshRef<'_>, small: &mut Small) -> bool {
        self.next_base();
        let own = !self.halos.is_empty();
        let marks = Marks { corner: self.corner, mark: self.mark, base: self.base };
        let halos = if own { &mut small.halos[..] } else { &mut [] };
        small.count = marks.list(items, &mut small.vertex, halos, mesh, SMALL);
        self.used = small.count as u32;
        if small.count > SMALL {
            return false;
        }
        let vertices = small.vertex.get(..small.count).unwrap_or_default();
        small.halo = match own {
            true => small.halos.iter().take(small.count).fold(0.0, |m, &h| max(m, h)),
            false => self.largest_halo,
        };
        self.extent = self.extent_of(vertices);
        true
    }

    /// The box of some vertices.
    #[inline(always)]
    pub fn extent_of(&self, vertices: &[u32]) -> Extent {
        let first = vertices.first().map_or([0.0; 3], |v| self.position(*v));
        let (mut low, mut high) = (first, first);
        for vertex in vertices {
            let p = self.position(*vertex);
            low = [min(low[0], p[0]), min(low[1], p[1]), min(low[2], p[2])];
            high = [max(high[0], p[0]), max(high[1], p[1]), max(high[2], p[2])];
        }
        Extent { low, high }
    }

    /// Starts new marks. Marks of earlier parts are below the new base; if numbers run out, all are cleared.
    fn next_base(&mut self) {
        let most = (self.exact[0].len() as u32).max(SMALL as u32 + 3);
        match self.base.checked_add(self.used).filter(|base| base.checked_add(most).is_some()) {
            Some(base) => self.base = base,
            None => {
                self.mark.fill(0);
                self.base = 1;
            }
        }
        self.used = 0;
    }

    /// The welded vertices of a triangle.
    #[inline(always)]
    pub fn corners(&self, triangle: u32) -> [u32; 3] {
        self.corner.get(triangle as usize).copied().unwrap_or([NONE; 3])
    }

    /// The position of a vertex.
    #[inline(always)]
    pub fn position(&self, vertex: u32) -> [f64; 3] {
        self.position.get(vertex as usize).copied().unwrap_or_default()
    }

    /// The halo that all triangles share, or 0 if each has its own.
    pub fn uniform_halo(&self) -> f64 {
        if self.halos.is_empty() { self.largest_halo } else { 0.0 }
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

    /// The box of the current vertices.
    pub fn extent(&self) -> Extent {
        self.extent
    }

    /// The largest halo of the current triangles.
    pub fn halo(&self) -> f64 {
        if self.halos.is_empty() {
            return self.largest_halo;
        }
        self.halos.iter().take(self.count).fold(0.0, |m, &h| max(m, h))
    }

    /// The current vertices about their middle, scaled and padded, and their number.
    pub fn local(&mut self) -> (Points<'_>, usize) {
        let (middle, scale, padded) = (self.extent.middle().to_array(), self.extent.scale(), self.padded());
        for ((to, from), middle) in self.local.iter_mut().zip(&self.exact).zip(middle) {
            for (to, from) in to.iter_mut().zip(from.iter()).take(padded) {
                *to = ((from - middle) * scale) as f32;
            }
        }
        let [x, y, z] = &self.local;
        (Points::new(x, y, z, padded), self.count)
    }

    /// The smallest halo with which a triangle, given relative to `origin`, covers the current vertices with their halos. It is never too small,
    /// and too large only by the rounding of this computation.
    pub fn cover(&self, triangle: [DVec3; 3], origin: DVec3, isa: Isa) -> f64 {
        let target = Target::new(triangle);
        let padded = self.padded();
        let row = |row: &'_ [f64]| -> usize { padded.min(row.len()) };
        let [x, y, z] = &self.exact;
        let points = [&x[..row(x)], &y[..row(y)], &z[..row(z)]];
        let halos = &self.halos[..row(self.halos)];
        let halo = dispatch(isa, Cover { target: &target, origin, points, halos }) + self.uniform_halo();
        self.extent.covered(halo, triangle, origin)
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
