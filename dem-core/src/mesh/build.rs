//! Building a block from a host's arrays; new vertex positions; new halos.

use super::block::{Bounds, LIMIT, Mesh, MeshRef, MeshSizes};
use super::bounds::{self, positive_zero};
use super::edges::neighbours;
use super::positions::Positions;
use super::weld::{Record, weld};
use crate::array::{Array, Indices, Scalar};
use crate::error::{Error, Kind, Result, What};
use crate::memory::{self, Layout, Sizes, sections};
use crate::real::{Real, max};

/// The halos of a mesh.
#[derive(Clone, Copy, Debug)]
pub enum Halo<'a> {
    /// The same for all triangles.
    Uniform(f64),
    /// One for each triangle, in their order.
    Each(Array<'a>),
}

/// The input for building a mesh.
#[derive(Clone, Copy, Debug)]
pub struct MeshInput<'a> {
    /// Positions, in the frame of the body. All must be finite, also those that no triangle uses, and no larger than
    /// [`LARGEST`](crate::mesh::LARGEST) for the number type they are stored in.
    pub vertices: Array<'a>,
    /// The corners a, b, c of each triangle, counter-clockwise seen from the side on which it acts: its normal (b - a) x (c - a) points there. For a body
    /// this side is outside. `None` if vertices 3 i, 3 i + 1 and 3 i + 2 are the corners of triangle i.
    pub triangles: Option<Indices<'a>>,
    /// The number type of stored coordinates. If it is f32, coordinates are rounded to nearest, and the rounded mesh is used everywhere.
    pub scalar: Scalar,
    /// Finite and not negative.
    pub halo: Halo<'a>,
}

impl MeshInput<'_> {
    /// The sizes of the mesh.
    ///
    /// Errors: [`Kind::TooLarge`] above [`LIMIT`]; [`Kind::Capacity`] if loose triangles lack a vertex; [`Kind::OutOfRange`] if there is no
    /// triangle.
    pub fn sizes(&self) -> Result<MeshSizes> {
        let vertices = self.vertices.len();
        if self.triangles.is_none() && !vertices.is_multiple_of(3) {
            let needed = (vertices as u64).next_multiple_of(3);
            // The component tells that they are inputs: outputs that are too small have none.
            return Err(Error::capacity(What::Vertices, needed, vertices as u64).at(0, 1));
        }
        let triangles = self.triangles.map_or(vertices / 3, |t| t.len());
        let (triangles, what) = (id(triangles, What::Triangles)?, What::Triangles);
        let sizes =
            MeshSizes::new(triangles, id(vertices, What::Vertices)?, self.scalar, matches!(self.halo, Halo::Each(_)));
        if triangles == 0 {
            return Err(Error::new(Kind::OutOfRange, what));
        }
        sizes.check()?;
        Ok(sizes)
    }

    /// Checks every number.
    ///
    /// Errors: those of [`MeshInput::sizes`]; [`Kind::NotFinite`] and [`Kind::OutOfRange`] with vertex (or triangle, for
    /// halos) and component; [`Kind::BadIndex`] with triangle and corner; [`Kind::Mismatch`] for the number of halos.
    pub fn check(&self) -> Result<()> {
        let sizes = self.sizes()?;
        self.positions().check()?;
        if let Some(triangles) = self.triangles {
            triangles.check(sizes.vertices as usize)?;
        }
        check_halo(self.halo, sizes.triangles)
    }

    fn positions(&self) -> Positions<'_> {
        Positions::new(self.vertices, self.scalar)
    }

    fn corners(&self, i: usize) -> [u32; 3] {
        let loose = (3 * i) as u32;
        self.triangles.map_or([loose, loose.wrapping_add(1), loose.wrapping_add(2)], |t| t.get(i))
    }
}

fn id(n: usize, what: What) -> Result<u32> {
    match u32::try_from(n) {
        Ok(n) if n <= LIMIT => Ok(n),
        _ => Err(Error::new(Kind::TooLarge, what).amounts(u64::from(LIMIT), n as u64)),
    }
}

fn check_halo(halo: Halo<'_>, triangles: u32) -> Result<()> {
    let check = |i: usize, h: f64, what| match h {
        h if !h.is_finite() => Err(Error::new(Kind::NotFinite, what).at(i as u64, 0)),
        h if h < 0.0 => Err(Error::new(Kind::OutOfRange, what).at(i as u64, 0)),
        _ => Ok(()),
    };
    match halo {
        Halo::Uniform(h) => check(0, h, What::Halo),
        Halo::Each(halos) if halos.len() != triangles as usize => {
            Err(Error::new(Kind::Mismatch, What::Halos).amounts(u64::from(triangles), halos.len() as u64))
        }
        Halo::Each(halos) => (0..halos.len()).try_for_each(|i| check(i, halos.number(i), What::Halos)),
    }
}

/// Scratch for building a mesh of these sizes: 16 bytes a vertex, or 48 a triangle if that is more.
///
/// Errors: those of the sizes' own check; [`Kind::TooLarge`].
pub fn build_scratch(n: &MeshSizes) -> Result<Layout> {
    n.check()?;
    Memory::layout(n)
}

sections! {
    /// Memory of a build.
    struct Memory<'s>(n: &MeshSizes) {
        records: [Record; records(n)],
    }
}

/// Number of records for a sort of the vertices, and for a sort of the sides of all triangles.
pub(super) fn records(n: &MeshSizes) -> u64 {
    u64::from(n.vertices).max(3 * u64::from(n.triangles))
}

impl<'m> Mesh<'m> {
    /// Builds a mesh from a host's arrays in `block`, sealed. Triangles keep their order and none is dropped, however bad. Vertices are
    /// welded if their stored positions are equal (-0 and +0 are).
    ///
    /// `block` has the size of [`Mesh::layout`] for [`MeshInput::sizes`], `scratch` that of [`build_scratch`].
    ///
    /// Errors: those of [`MeshInput::check`]; [`Kind::Misaligned`] and [`Kind::Capacity`] for the two buffers. After an error nothing is
    /// written to `block`. Cost: linear for most meshes, O(n log n) for any.
    pub fn from_arrays(block: &'m mut [u8], input: &MeshInput<'_>, scratch: &mut [u8]) -> Result<MeshRef<'m>> {
        let sizes = input.sizes()?;
        Mesh::layout(&sizes)?.check(block, What::Mesh)?;
        build_scratch(&sizes)?.check(scratch, What::Scratch)?;
        input.check()?;
        Mesh::build(block, &sizes, |mesh| mesh.fill_with(input, scratch))
    }

    /// Fills a mesh that is part of a larger block, laid out for [`MeshInput::sizes`].
    ///
    /// Errors: as [`Mesh::from_arrays`]; [`Kind::Mismatch`] if the sizes differ. After an error nothing has changed.
    pub fn fill(&mut self, input: &MeshInput<'_>, scratch: &mut [u8]) -> Result<()> {
        input.check()?;
        if input.sizes()? != self.sizes {
            return Err(Error::new(Kind::Mismatch, What::Mesh));
        }
        self.fill_with(input, scratch)
    }

    /// As [`Mesh::fill`], for an input that has been checked.
    fn fill_with(&mut self, input: &MeshInput<'_>, scratch: &mut [u8]) -> Result<()> {
        let records = Memory::new(scratch, &self.sizes)?.records;
        match input.triangles.and_then(|triangles| triangles.as_slice()) {
            Some(corners) if corners.len() == self.vertex.len() => self.vertex.copy_from_slice(corners),
            _ => self.vertex.iter_mut().enumerate().for_each(|(i, to)| *to = input.corners(i)),
        }
        weld(input.positions(), records, self.weld);
        self.write_coordinates(input.positions());
        self.write_halos(input.halo);
        neighbours(self, records);
        Ok(())
    }

    /// Sets new vertex positions, in the order of the input from which the mesh was built. Neighbours stay the same, so welded vertices
    /// must move together.
    ///
    /// Errors: [`Kind::Mismatch`] for their number; [`Kind::NotFinite`] and [`Kind::OutOfRange`] with vertex and component;
    /// [`Kind::Mismatch`] with the first vertex that no longer coincides with the one to which it was welded (build the mesh again for
    /// that). After an error nothing changes. Cost: linear. The block is unsealed: see [`refit`].
    pub fn move_vertices(&mut self, vertices: Array<'_>) -> Result<()> {
        check_moved(self.as_ref(), vertices)?;
        self.write_coordinates(Positions::new(vertices, self.sizes.stored()));
        Ok(())
    }

    /// Sets new halos of the same kind as before: one for all triangles, or one for each.
    ///
    /// Errors: as [`MeshInput::check`]; [`Kind::Mismatch`] for the other kind. After an error nothing has changed. The block is unsealed.
    pub fn set_halo(&mut self, halo: Halo<'_>) -> Result<()> {
        check_new_halo(halo, &self.sizes)?;
        self.write_halos(halo);
        Ok(())
    }

    fn write_halos(&mut self, halo: Halo<'_>) {
        if let Halo::Each(halos) = halo {
            self.halos.iter_mut().enumerate().for_each(|(i, to)| *to = halos.number(i) + 0.0);
        }
        if let Some(bounds) = self.bounds.first_mut() {
            bounds.halo = largest_of(halo);
        }
    }

    fn write_coordinates(&mut self, positions: Positions<'_>) {
        let stride = self.sizes.stride();
        // One of these two is empty.
        write_rows(self.coordinates32, stride, self.vertex, |v| positions.get(v).map(|x| x as f32));
        write_rows(self.coordinates64, stride, self.vertex, |v| positions.get(v));
        if let Some(to) = self.bounds.first_mut() {
            let found = match self.sizes.stored() {
                Scalar::F32 => bounds::of_rows(self.coordinates32, stride),
                Scalar::F64 => bounds::of_rows(self.coordinates64, stride),
            };
            *to = Bounds { halo: to.halo, ..found };
        }
    }
}

/// Writes the corners of all triangles to nine rows of this length. The last triangle is repeated to the end of the rows.
#[inline(always)]
fn write_rows<T: Real>(numbers: &mut [T], stride: usize, vertex: &[[u32; 3]], at: impl Fn(usize) -> [T; 3]) {
    let mut rows = numbers.chunks_exact_mut(stride);
    for corner in 0..3 {
        let (Some(x), Some(y), Some(z)) = (rows.next(), rows.next(), rows.next()) else { return };
        for (((x, y), z), v) in x.iter_mut().zip(y.iter_mut()).zip(z.iter_mut()).zip(vertex) {
            [*x, *y, *z] = at(v[corner] as usize);
        }
        for row in [x, y, z] {
            let (written, rest) = row.split_at_mut(vertex.len().min(stride));
            rest.fill(written.last().copied().unwrap_or_default());
        }
    }
}

impl MeshRef<'_> {
    /// The bounds of the mesh after a change of its vertices, its halo, or both; inputs that are `None` do not change. This is for callers that
    /// change several blocks, and must know before the first change whether all changes are possible.
    ///
    /// Errors: those of [`Mesh::move_vertices`] and [`Mesh::set_halo`]. Cost: linear.
    pub fn bounds_with(&self, vertices: Option<Array<'_>>, halo: Option<Halo<'_>>) -> Result<Bounds> {
        let damaged = Error::new(Kind::Damaged, What::Mesh);
        let mut found = *self.bounds.first().ok_or(damaged)?;
        if let Some(vertices) = vertices {
            check_moved(*self, vertices)?;
            let positions = Positions::new(vertices, self.sizes.stored());
            let corners = self.vertex.iter().flatten().map(|v| positions.get(*v as usize));
            found = Bounds { halo: found.halo, ..bounds::of_points(corners) };
        }
        if let Some(halo) = halo {
            check_new_halo(halo, &self.sizes)?;
            found.halo = largest_of(halo);
        }
        Ok(found)
    }
}

fn check_new_halo(halo: Halo<'_>, sizes: &MeshSizes) -> Result<()> {
    if matches!(halo, Halo::Each(_)) == (sizes.halos == 0) {
        return Err(Error::new(Kind::Mismatch, What::Halos));
    }
    check_halo(halo, sizes.triangles)
}

/// The largest halo, without a negative zero.
fn largest_of(halo: Halo<'_>) -> f64 {
    match halo {
        Halo::Uniform(h) => positive_zero(h),
        Halo::Each(halos) => (0..halos.len()).map(|i| halos.number(i)).fold(0.0, max),
    }
}

/// Sets new vertex positions of a mesh in a block of its own, and seals the block again: see [`Mesh::move_vertices`].
///
/// Errors: those of opening a block and of [`Mesh::move_vertices`]. After an error nothing changes.
pub fn refit(block: &mut [u8], vertices: Array<'_>) -> Result<()> {
    check_moved(MeshRef::open(block)?, vertices)?;
    Mesh::open(block)?.move_vertices(vertices)?;
    memory::seal(block)?;
    Ok(())
}

fn check_moved(mesh: MeshRef<'_>, vertices: Array<'_>) -> Result<()> {
    let needed = mesh.weld.len();
    if vertices.len() != needed {
        return Err(Error::new(Kind::Mismatch, What::Vertices).amounts(needed as u64, vertices.len() as u64));
    }
    let positions = Positions::new(vertices, mesh.sizes.stored());
    positions.check()?;
    for (i, first) in mesh.weld.iter().enumerate() {
        if positions.bits(i) != positions.bits(*first as usize) {
            return Err(Error::new(Kind::Mismatch, What::Vertices).at(i as u64, 0));
        }
    }
    Ok(())
}
