//! Converts bodies of the host (`dem_placed`) to shapes of the core: opens their meshes, and puts the parts of a compound into a slice.
//!
//! Each body is read twice. A [`Census`] checks it and counts its parts and meshes. An [`Opener`] then opens these in scratch of the
//! host. A table of shapes that many bodies share is read in the same way.

use core::mem::{MaybeUninit, take};

use dem_core::contact::shape::{Part, Shape, Surface};
use dem_core::error::fields::{PLACED, place};
use dem_core::error::{Error, Kind, Result, What};
use dem_core::memory::{Layout, Plan};
use dem_core::pose::Pose;

use crate::inputs;
use crate::layouts::Fixed;
use crate::memory::{Loan, Stretch, apart};
use crate::placed::dem_pose;
use crate::placed::{
    DEM_KIND_CAPSULE, DEM_KIND_COMPOUND, DEM_KIND_HALF_SPACE, DEM_KIND_MESH, DEM_KIND_SPHERE, POINT, dem_compound,
    dem_placed,
};
use crate::records;
use crate::shapes::{self, dem_shape};

/// Components of errors for fields that the core does not check. The core checks radius, halo, scale and the pose of a part.
const OF_KIND: u32 = place(&PLACED, "kind");
const OF_SOLID: u32 = place(&PLACED, "solid");
const OF_RESERVED: u32 = place(&PLACED, "reserved");
const OF_HALF_LENGTH: u32 = place(&PLACED, "half_length");
const OF_LENGTHS: u32 = place(&PLACED, "reserved_lengths[0]");
pub(crate) const OF_SHAPE: u32 = place(&PLACED, "shape");
const OF_PARTS: u32 = place(&PLACED, "parts");

/// The arguments that errors about a body name.
#[derive(Clone, Copy)]
pub(crate) struct Names {
    pub(crate) body: What,
    pub(crate) mesh: What,
    pub(crate) cells: What,
}

pub(crate) const OF_A: Names = Names { body: What::ShapeA, mesh: What::BodyMeshA, cells: What::CellsA };
pub(crate) const OF_B: Names = Names { body: What::ShapeB, mesh: What::BodyMeshB, cells: What::CellsB };

/// The parts of a compound, in the host's memory.
#[derive(Clone)]
struct Parts {
    data: *const dem_placed,
    count: usize,
    stride: usize,
    bytes: usize,
}

impl Parts {
    /// The parts of a compound; `None` for other kinds of bodies.
    ///
    /// # Safety
    /// If the body is a compound and its `shape` is not null, it points at a `dem_compound`, whose parts exist while the result is used.
    unsafe fn of(body: &dem_placed, names: &Names) -> Result<Option<Parts>> {
        if body.kind != DEM_KIND_COMPOUND {
            return Ok(None);
        }
        let error = |kind| Error::new(kind, names.body);
        if body.shape.is_null() {
            return Err(error(Kind::Null).at(0, OF_SHAPE));
        }
        // SAFETY: by this function's contract.
        let raw = unsafe { inputs::read(body.shape.cast::<dem_compound>(), names.body) }?;
        if raw.reserved != 0 {
            return Err(error(Kind::OutOfRange).at(0, OF_RESERVED));
        }
        if raw.parts.is_null() && raw.count > 0 {
            return Err(error(Kind::Null).at(0, OF_PARTS));
        }
        const SIZE: usize = dem_placed::FIRST;
        let stride = if raw.stride == 0 { SIZE } else { raw.stride };
        if stride < SIZE {
            return Err(error(Kind::BadSize).amounts(SIZE as u64, stride as u64));
        }
        let bytes = raw.count.checked_mul(stride).filter(|n| *n <= isize::MAX as usize);
        let too_large = error(Kind::TooLarge).amounts(isize::MAX as u64 / stride as u64, raw.count as u64);
        Ok(Some(Parts { data: raw.parts, count: raw.count, stride, bytes: bytes.ok_or(too_large)? }))
    }

    fn each(&self) -> impl Iterator<Item = dem_placed> + Clone + use<> {
        let (data, stride) = (self.data.cast::<u8>(), self.stride);
        // SAFETY: the host guarantees the parts, at any alignment; every bit pattern is valid.
        (0..self.count).map(move |i| unsafe { records::read(data.wrapping_add(i * stride), stride) })
    }
}

/// The pose of a shape of a table in the frame of its bodies; `None` if both frames are equal: the identity, or all zeros.
pub(crate) fn frame(pose: &dem_pose) -> Option<Pose> {
    let pose: Pose = (*pose).into();
    let zeros = pose.position == [0.0; 3] && pose.orientation == [0.0; 4];
    (pose != Pose::IDENTITY && !zeros).then_some(pose)
}

/// Identifies a mesh: two bodies with equal keys share one open mesh.
#[derive(Clone, Copy, PartialEq)]
struct Key {
    shape: *const dem_shape,
    solid: u32,
}

impl Key {
    /// The key of a mesh; `None` for a sphere, a capsule or a half-space.
    ///
    /// Errors: [`Kind::OutOfRange`], and [`Kind::Unsupported`] for a compound.
    fn of(body: &dem_placed, names: &Names) -> Result<Option<Key>> {
        let refused = |component| Err(Error::new(Kind::OutOfRange, names.body).at(0, component));
        if body.reserved != 0 {
            return refused(OF_RESERVED);
        }
        if let Some(k) = (0..).zip(&body.reserved_lengths).find_map(|(k, x)| (*x != 0.0).then_some(k)) {
            return refused(OF_LENGTHS + k);
        }
        // Headers without capsules call this field reserved, so it must be 0 for other kinds.
        if body.kind != DEM_KIND_CAPSULE && body.half_length != 0.0 {
            return refused(OF_HALF_LENGTH);
        }
        if body.solid > 1 {
            return refused(OF_SOLID);
        }
        match body.kind {
            DEM_KIND_SPHERE | DEM_KIND_CAPSULE | DEM_KIND_HALF_SPACE => Ok(None),
            DEM_KIND_MESH if body.shape.is_null() => Err(Error::new(Kind::Null, names.body).at(0, OF_SHAPE)),
            DEM_KIND_MESH => Ok(Some(Key { shape: body.shape, solid: body.solid })),
            DEM_KIND_COMPOUND => Err(Error::new(Kind::Unsupported, names.body)),
            _ => refused(OF_KIND),
        }
    }
}

/// Counts the parts and the meshes of bodies that an [`Opener`] keeps. A mesh that consecutive parts share counts once.
pub(crate) struct Census<'w> {
    /// Memory that the call writes, and the arguments that errors about it name.
    written: &'w [(Stretch, What)],
    /// Whether the census counts a compound or a table of shapes.
    many: bool,
    /// Whether the census is of a table of shapes, each with a pose in the frame of its bodies.
    list: bool,
    parts: usize,
    meshes: usize,
    last: Option<Key>,
}

impl<'w> Census<'w> {
    /// A census of no bodies yet.
    pub(crate) fn new(written: &'w [(Stretch, What)]) -> Self {
        Census { written, many: false, list: false, parts: 0, meshes: 0, last: None }
    }

    /// A census of no shapes yet, for a table of shapes that bodies share.
    pub(crate) fn list(written: &'w [(Stretch, What)]) -> Self {
        Census { many: true, list: true, ..Census::new(written) }
    }

    /// Checks and counts a body.
    ///
    /// Errors: those about handles, kinds and arrays; [`Kind::Overlap`] if memory that the call writes shares a byte with the mesh or
    /// the parts of the body.
    ///
    /// # Safety
    /// Pointers of the body that are not null point at what its kind says.
    pub(crate) unsafe fn add(&mut self, body: &dem_placed, names: &Names) -> Result<()> {
        // SAFETY: by this function's contract.
        let Some(parts) = (unsafe { Parts::of(body, names) })? else {
            self.parts += usize::from(self.list && frame(&body.pose).is_some());
            // SAFETY: likewise.
            return unsafe { self.add_simple(body, names) };
        };
        self.is_apart((body.shape.cast(), size_of::<dem_compound>()))?;
        self.is_apart((parts.data.cast(), parts.bytes))?;
        self.many = true;
        self.parts = self.parts.saturating_add(parts.count);
        for (i, part) in parts.each().enumerate() {
            // SAFETY: likewise.
            unsafe { self.add_simple(&part, names) }.map_err(|e| e.at(i as u64, e.component))?;
        }
        Ok(())
    }

    /// # Safety
    /// As for `add`.
    unsafe fn add_simple(&mut self, body: &dem_placed, names: &Names) -> Result<()> {
        let Some(key) = Key::of(body, names)?.filter(|key| self.last != Some(*key)) else { return Ok(()) };
        // SAFETY: by this function's contract.
        self.is_apart(unsafe { shapes::stretch(key.shape, names.mesh) }?)?;
        self.meshes += 1;
        self.last = Some(key);
        Ok(())
    }

    fn is_apart(&self, read: Stretch) -> Result<()> {
        self.written.iter().try_for_each(|(memory, what)| apart(*memory, read, *what))
    }

    /// The scratch that an [`Opener`] needs; none for two bodies without a compound.
    pub(crate) fn layout(&self) -> Result<Layout> {
        if !self.many {
            return Ok(Layout::EMPTY);
        }
        let mut plan = Plan::new();
        plan.part(room::<Part<'_>>(self.parts)?).part(room::<Mesh<'_>>(self.meshes)?);
        plan.layout(What::Scratch)
    }
}

/// Room for `count` items, rounded up to a multiple of 64 bytes.
pub(crate) fn room<T>(count: usize) -> Result<Layout> {
    let too_large =
        Error::new(Kind::TooLarge, What::Scratch).amounts((isize::MAX as usize / size_of::<T>()) as u64, count as u64);
    const { assert!(align_of::<T>() <= crate::memory::DEM_ALIGN) };
    let bytes = count.checked_mul(size_of::<T>()).and_then(|n| n.checked_next_multiple_of(crate::memory::DEM_ALIGN));
    let size = bytes.filter(|n| *n <= isize::MAX as usize).ok_or(too_large)?;
    Ok(Layout { size, align: crate::memory::DEM_ALIGN })
}

/// An open mesh.
pub(crate) struct Mesh<'a> {
    key: Key,
    surface: Surface<'a>,
    loan: Loan<'a>,
    /// The index of the first part that has this mesh.
    part: u64,
    /// The mesh that was opened before this one.
    before: Option<&'a Mesh<'a>>,
}

/// Memory for two meshes.
pub(crate) type Two<'a> = [MaybeUninit<Mesh<'a>>; 2];

/// Memory for two meshes, not initialised.
pub(crate) const fn two<'a>() -> Two<'a> {
    [const { MaybeUninit::uninit() }; 2]
}

/// Opens bodies. It keeps their parts and open meshes in the memory that it is given.
pub(crate) struct Opener<'a> {
    parts: &'a mut [MaybeUninit<Part<'a>>],
    meshes: &'a mut [MaybeUninit<Mesh<'a>>],
    list: bool,
    last: Option<&'a Mesh<'a>>,
}

impl<'a> Opener<'a> {
    /// An opener for the bodies of a census. It uses `memory`, which has the census' layout, or `two` if that layout is empty.
    pub(crate) fn new(census: &Census<'_>, memory: &'a mut [u8], two: &'a mut Two<'a>) -> Result<Self> {
        if !census.many {
            return Ok(Opener::small(two));
        }
        let short = Error::capacity(What::Scratch, census.layout()?.size as u64, memory.len() as u64);
        let (parts, meshes) = memory.split_at_mut_checked(room::<Part<'_>>(census.parts)?.size).ok_or(short)?;
        Ok(Opener { parts: places(parts), meshes: places(meshes), list: census.list, last: None })
    }

    /// An opener for two bodies without parts.
    pub(crate) fn small(two: &'a mut Two<'a>) -> Self {
        Opener { parts: &mut [], meshes: two, list: false, last: None }
    }

    /// Opens a body: its shape as the core sees it.
    ///
    /// Errors: those of shapes; [`Kind::Unsupported`] for a shape without cells; [`Kind::Busy`] if there are more parts than the census
    /// counted.
    ///
    /// # Safety
    /// As for [`Census::add`], during `'a`.
    pub(crate) unsafe fn open(&mut self, body: &dem_placed, names: &Names) -> Result<Shape<'a>> {
        let frame = if self.list { frame(&body.pose) } else { None };
        // SAFETY: by this function's contract.
        let Some(list) = (unsafe { Parts::of(body, names) })? else {
            // SAFETY: likewise.
            let shape = unsafe { self.open_simple(body, names, 0) }?;
            return match frame {
                None => Ok(shape),
                Some(pose) => self.compound(1, names, |_, _| Ok(Part { shape, pose, scale: 1.0 })),
            };
        };
        let mut parts = list.each();
        self.compound(list.count, names, |opener, i| {
            let part = parts.next().unwrap_or(POINT);
            // SAFETY: by this function's contract.
            let shape = unsafe { opener.open_simple(&part, names, i) }?;
            let own: Pose = part.pose.into();
            let pose = frame.map_or(Ok(own), |frame| frame.product(&own, names.body))?;
            Ok(Part { shape, pose, scale: part.scale })
        })
    }

    /// A compound of `count` parts; `part` gives each of them.
    fn compound(
        &mut self,
        count: usize,
        names: &Names,
        mut part: impl FnMut(&mut Self, u64) -> Result<Part<'a>>,
    ) -> Result<Shape<'a>> {
        let busy = Error::new(Kind::Busy, names.body);
        let (places, rest) = take(&mut self.parts).split_at_mut_checked(count).ok_or(busy)?;
        self.parts = rest;
        for (i, place) in (0..).zip(places.iter_mut()) {
            place.write(part(self, i).map_err(|e| e.at(i, e.component))?);
        }
        // SAFETY: each place was written.
        Ok(Shape::Compound(unsafe { &*(&raw const *places as *const [Part<'a>]) }))
    }

    /// # Safety
    /// As for `open`.
    unsafe fn open_simple(&mut self, body: &dem_placed, names: &Names, part: u64) -> Result<Shape<'a>> {
        let Some(key) = Key::of(body, names)? else {
            return Ok(match body.kind {
                DEM_KIND_SPHERE => Shape::Sphere { radius: body.radius, halo: body.halo },
                DEM_KIND_CAPSULE => {
                    let dem_placed { half_length, radius, halo, .. } = *body;
                    Shape::Capsule { half_length, radius, halo }
                }
                _ => Shape::HalfSpace { halo: body.halo },
            });
        };
        if let Some(last) = self.last.filter(|last| last.key == key) {
            return Ok(Shape::Mesh(&last.surface));
        }
        let busy = Error::new(Kind::Busy, names.body);
        let (place, rest) = take(&mut self.meshes).split_first_mut().ok_or(busy)?;
        self.meshes = rest;
        // SAFETY: by this function's contract.
        let mesh: &'a Mesh<'a> = place.write(unsafe { Mesh::open(key, names, part, self.last) }?);
        self.last = Some(mesh);
        Ok(Shape::Mesh(&mesh.surface))
    }

    /// Errors: [`Kind::Busy`] and [`Kind::Poisoned`] if another call changes an open mesh: results that depend on it must not be used.
    pub(crate) fn unchanged(&self) -> Result<()> {
        core::iter::successors(self.last, |mesh| mesh.before)
            .try_for_each(|mesh| mesh.loan.unchanged().map_err(|e| e.at(mesh.part, 0)))
    }
}

/// Calls `visit` with the open shape of a body without parts, or with each part of a compound, as a compound of this part alone.
///
/// Errors: as for [`Opener::open`].
///
/// # Safety
/// As for [`Census::add`].
pub(crate) unsafe fn each_part(
    body: &dem_placed,
    names: &Names,
    mut visit: impl FnMut(Shape<'_>) -> Result<()>,
) -> Result<()> {
    // SAFETY: by this function's contract.
    let Some(list) = (unsafe { Parts::of(body, names) })? else {
        // SAFETY: likewise.
        return unsafe { alone(body, names, visit) };
    };
    list.each().enumerate().try_for_each(|(i, part)| {
        let as_part = |shape: Shape<'_>| {
            let part = Part { shape, pose: part.pose.into(), scale: part.scale };
            visit(Shape::Compound(core::slice::from_ref(&part)))
        };
        // SAFETY: likewise.
        unsafe { alone(&part, names, as_part) }.map_err(|e| e.at(i as u64, e.component))
    })
}

/// # Safety
/// As for [`each_part`].
unsafe fn alone(body: &dem_placed, names: &Names, visit: impl FnOnce(Shape<'_>) -> Result<()>) -> Result<()> {
    let mut two = two();
    let mut opener = Opener::small(&mut two);
    // SAFETY: by this function's contract.
    visit(unsafe { opener.open_simple(body, names, 0) }?)?;
    opener.unchanged()
}

/// Divides memory into as many uninitialised items as it has room for; none if it is not aligned.
pub(crate) fn places<T>(memory: &mut [u8]) -> &mut [MaybeUninit<T>] {
    let (start, count) = (memory.as_mut_ptr().cast::<MaybeUninit<T>>(), memory.len() / size_of::<T>());
    match start.is_aligned() {
        // SAFETY: the slice is aligned and inside of `memory`, and `MaybeUninit` allows any content.
        true => unsafe { core::slice::from_raw_parts_mut(start, count) },
        false => &mut [],
    }
}

impl<'a> Mesh<'a> {
    /// Opens a mesh. Inlined, so that the large result is written directly to its final place.
    ///
    /// # Safety
    /// As for [`Opener::open`].
    #[inline(always)]
    unsafe fn open(key: Key, names: &Names, part: u64, before: Option<&'a Mesh<'a>>) -> Result<Mesh<'a>> {
        // SAFETY: by this function's contract.
        let shape = unsafe { shapes::lend(key.shape, names.mesh) }?;
        let cells = shape.cells(names.cells)?;
        let surface = Surface { mesh: shape.mesh, tree: shape.tree, cells, solid: key.solid == 1 };
        Ok(Mesh { key, surface, loan: shape.loan, part, before })
    }
}

/// The bodies that determine how much scratch `body` needs: the body itself if it has no parts. For a compound, a point, and those parts that may
/// need scratch of another size than the parts before them.
///
/// # Safety
/// As for [`Census::add`], as long as the parts are used.
pub(crate) unsafe fn samples(body: &dem_placed, names: &Names) -> Result<impl Iterator<Item = dem_placed> + use<>> {
    // SAFETY: by this function's contract.
    let parts = unsafe { Parts::of(body, names) }?;
    let one = if parts.is_none() { Some(*body) } else { Some(POINT) };
    let (mut seen, mut last) = ([false; 3], None);
    let differs = move |part: &dem_placed| match part.kind {
        DEM_KIND_MESH => {
            let key = Some(part.shape);
            core::mem::replace(&mut last, key) != key
        }
        DEM_KIND_SPHERE => !core::mem::replace(&mut seen[0], true),
        DEM_KIND_CAPSULE => !core::mem::replace(&mut seen[1], true),
        _ => !core::mem::replace(&mut seen[2], true),
    };
    Ok(one.into_iter().chain(parts.into_iter().flat_map(|parts| parts.each()).filter(differs)))
}

#[cfg(test)]
mod tests;
