//! The content of a shape's block: mesh and tree; if the shape has cells, also a line that says how they were built, and the cells.

use dem_core::contact::{CellOptions, CellSizes, CellsRef, Law};
use dem_core::error::{Error, Kind, Result, What};
use dem_core::memory::{self, Header, hash_items};
use dem_core::mesh::{MeshRef, MeshSizes};
use dem_core::surrogate::{TreeRef, TreeSizes};

use super::dem_shape;
use crate::memory::{self as blocks, Held, Loan, Marks, Stretch};

/// Bytes of the line before the cells.
pub(crate) const LINE: usize = 64;

/// The options by which cells were built, with their own checksum. A refit needs them.
pub(crate) struct Recipe(CellOptions);

impl Recipe {
    pub(crate) fn of(options: &CellOptions) -> Self {
        Recipe(*options)
    }

    pub(crate) fn options(&self) -> CellOptions {
        self.0
    }

    pub(crate) fn write(&self, line: &mut [u8]) {
        let law = match self.0.law {
            Law::Facing => super::DEM_LAW_FACING,
            Law::Volume => super::DEM_LAW_VOLUME,
            Law::Auto => super::DEM_LAW_AUTO,
        };
        let words = [u64::from(law), self.0.flat.to_bits(), self.0.angle.to_bits()];
        let all = words.into_iter().chain([hash_items(0, &words)]).flat_map(u64::to_ne_bytes);
        line.fill(0);
        line.iter_mut().zip(all).for_each(|(to, byte)| *to = byte);
    }

    pub(crate) fn read(line: &[u8]) -> Result<Recipe> {
        let word = |i: usize| line.get(8 * i..).and_then(<[u8]>::first_chunk).map(|bytes| u64::from_ne_bytes(*bytes));
        let damaged = Error::new(Kind::Damaged, What::Cells);
        let (Some(law), Some(flat), Some(angle), Some(check)) = (word(0), word(1), word(2), word(3)) else {
            return Err(damaged);
        };
        let rest_is_zero = line.iter().skip(32).all(|byte| *byte == 0);
        if hash_items(0, &[law, flat, angle]) != check || !rest_is_zero {
            return Err(damaged);
        }
        let law = match u32::try_from(law) {
            Ok(super::DEM_LAW_FACING) => Law::Facing,
            Ok(super::DEM_LAW_VOLUME) => Law::Volume,
            Ok(super::DEM_LAW_AUTO) => Law::Auto,
            _ => return Err(damaged),
        };
        Ok(Recipe(CellOptions { flat: f64::from_bits(flat), angle: f64::from_bits(angle), law }))
    }
}

/// Runs `body` with the bytes of a shape and its marks.
///
/// # Safety
/// A pointer that is not null points at a shape.
pub(super) unsafe fn with<R>(
    shape: *const dem_shape,
    what: What,
    body: impl FnOnce(&[u8], Marks) -> Result<R>,
) -> Result<R> {
    // SAFETY: by this function's contract.
    unsafe { blocks::shared(shape.cast(), Held::Shape, what, body) }
}

/// Mesh and tree of a shape, and the bytes of its block.
pub(crate) type Opened<'a> = (MeshRef<'a>, TreeRef<'a>, Stretch);

/// An open shape, valid while no other call changes its block.
#[derive(Clone, Copy)]
pub(crate) struct Lent<'a> {
    pub(crate) mesh: MeshRef<'a>,
    pub(crate) tree: TreeRef<'a>,
    /// The bytes after the tree.
    rest: &'a [u8],
    pub(crate) loan: Loan<'a>,
}

impl<'a> Lent<'a> {
    /// The cells.
    ///
    /// Errors: [`Kind::Unsupported`] if the shape was built without cells; those of opening cells.
    #[inline(always)]
    pub(crate) fn cells(&self, what: What) -> Result<CellsRef<'a>> {
        let cells =
            cells_part(self.rest).and_then(|part| part.map(|part| reopen_cells(part, self.loan.marks)).transpose());
        cells.map_err(|e| Error { what, ..e })?.ok_or(Error::new(Kind::Unsupported, what))
    }
}

/// Opens a shape.
///
/// # Safety
/// A pointer that is not null points at a shape, which nothing changes during `'a`.
#[inline(always)]
pub(crate) unsafe fn lend<'a>(shape: *const dem_shape, what: What) -> Result<Lent<'a>> {
    // SAFETY: by this function's contract.
    let loan = unsafe { blocks::lend(shape.cast(), Held::Shape, what) }?;
    let (mesh, tree, rest) = reopen(loan.content, loan.marks).map_err(|e| Error { what, ..e })?;
    Ok(Lent { mesh, tree, rest, loan })
}

/// The memory of a shape's block.
///
/// # Safety
/// A pointer that is not null points at a shape.
pub(crate) unsafe fn stretch(shape: *const dem_shape, what: What) -> Result<Stretch> {
    // SAFETY: by this function's contract.
    unsafe { blocks::stretch(shape.cast(), Held::Shape, what) }
}

/// Runs `body` with an open shape.
///
/// # Safety
/// A pointer that is not null points at a shape.
pub(crate) unsafe fn opened<R>(
    shape: *const dem_shape,
    what: What,
    body: impl FnOnce(Opened<'_>) -> Result<R>,
) -> Result<R> {
    // SAFETY: by this function's contract.
    let (lent, block) = unsafe { (lend(shape, what)?, stretch(shape, what)?) };
    let outcome = body((lent.mesh, lent.tree, block));
    lent.loan.unchanged()?;
    outcome
}

/// The bytes of the parts of a shape: mesh, tree, and the rest: line and cells, if any.
pub(crate) struct Divided<'a> {
    pub(crate) mesh: &'a [u8],
    pub(crate) tree: &'a [u8],
    pub(crate) rest: &'a [u8],
}

fn size_of_part(content: &[u8], what: What) -> Result<usize> {
    usize::try_from(Header::read(content, what)?.total).map_err(|_| Error::new(Kind::Damaged, what))
}

/// The offsets at which mesh and tree end.
pub(crate) fn ends(content: &[u8]) -> Result<(usize, usize)> {
    let mesh = size_of_part(content, What::Mesh)?;
    let behind = content.get(mesh..).ok_or(Error::new(Kind::Damaged, What::Mesh))?;
    Ok((mesh, mesh.saturating_add(size_of_part(behind, What::Tree)?)))
}

/// Divides the content of a block into the parts of a shape.
pub(crate) fn divide(content: &[u8]) -> Result<Divided<'_>> {
    let (mesh, tree) = ends(content)?;
    let (front, rest) = content.split_at_checked(tree).ok_or(Error::new(Kind::Damaged, What::Tree))?;
    let (mesh, tree) = front.split_at_checked(mesh).ok_or(Error::new(Kind::Damaged, What::Mesh))?;
    Ok(Divided { mesh, tree, rest })
}

/// The bytes of the cells after their line; `None` if there are no cells.
#[inline(always)]
fn cells_part(rest: &[u8]) -> Result<Option<&[u8]>> {
    if rest.is_empty() {
        return Ok(None);
    }
    rest.get(LINE..).map(Some).ok_or(Error::new(Kind::Damaged, What::Cells))
}

impl<'a> Divided<'a> {
    /// The marks, which [`reopen`] compares.
    pub(crate) fn marks(&self) -> Result<Marks> {
        let cells = cells_part(self.rest)?.map(memory::mark::<CellSizes>).transpose()?.unwrap_or_default();
        Ok([memory::mark::<MeshSizes>(self.mesh)?, memory::mark::<TreeSizes>(self.tree)?, cells, 0])
    }

    /// A hash of the content of the shape.
    pub(crate) fn identity(&self) -> Result<u64> {
        let of_both = hash_items(0, &[memory::identity(self.mesh)?, memory::identity(self.tree)?]);
        Ok(match cells_part(self.rest)? {
            Some(cells) => hash_items(0, &[of_both, memory::identity(cells)?]),
            None => of_both,
        })
    }

    /// The options by which the cells were built, and their bytes; `None` if there are no cells.
    pub(crate) fn cells(&self) -> Result<Option<(Recipe, &'a [u8])>> {
        let Some(part) = cells_part(self.rest)? else { return Ok(None) };
        let line = self.rest.get(..LINE).unwrap_or_default();
        Ok(Some((Recipe::read(line)?, part)))
    }
}

/// Opens mesh and tree of a shape, and gives the bytes after the tree. If the marks show that the shape was checked before, headers, sizes and
/// layouts are not checked again. Every call opens two shapes, and these checks would take longer than finding that two bodies are far apart.
#[inline]
fn reopen(content: &[u8], marks: Marks) -> Result<(MeshRef<'_>, TreeRef<'_>, &[u8])> {
    let known = MeshRef::reopen(content, marks[0]).and_then(|(mesh, behind)| {
        let (tree, rest) = TreeRef::reopen(behind, marks[1])?;
        Some((mesh, tree, rest))
    });
    known.map_or_else(|| open(content), Ok)
}

#[inline]
fn reopen_cells(part: &[u8], marks: Marks) -> Result<CellsRef<'_>> {
    CellsRef::reopen(part, marks[2]).map_or_else(|| CellsRef::open(part), |(cells, _)| Ok(cells))
}

fn open(content: &[u8]) -> Result<(MeshRef<'_>, TreeRef<'_>, &[u8])> {
    let Divided { mesh, tree, rest } = divide(content)?;
    Ok((MeshRef::open(mesh)?, TreeRef::open(tree)?, rest))
}

/// All parts of a shape.
pub(crate) struct Parts<'a> {
    pub(crate) mesh: MeshRef<'a>,
    pub(crate) tree: TreeRef<'a>,
    pub(crate) cells: Option<CellsRef<'a>>,
}

impl<'a> Parts<'a> {
    pub(crate) fn reopen(content: &'a [u8], marks: Marks) -> Result<Self> {
        let (mesh, tree, rest) = reopen(content, marks)?;
        let cells = cells_part(rest)?.map(|part| reopen_cells(part, marks)).transpose()?;
        Ok(Parts { mesh, tree, cells })
    }
}

/// Errors: [`Kind::Damaged`] and others, if this library has not written the content.
pub(super) fn verify(content: &[u8]) -> Result<()> {
    let parts = divide(content)?;
    let in_part = |what| move |e: Error| Error { what, ..e };
    memory::verify(parts.mesh).map_err(in_part(What::Mesh))?;
    memory::verify(parts.tree).map_err(in_part(What::Tree))?;
    let (mesh, tree, _) = open(content)?;
    tree.check()?;
    if tree.sizes.triangles != mesh.sizes.triangles {
        return Err(Error::new(Kind::Mismatch, What::Tree));
    }
    let Some((_, cells)) = parts.cells()? else { return Ok(()) };
    memory::verify(cells).map_err(in_part(What::Cells))?;
    let known = CellsRef::open(cells)?;
    if known.sizes.triangles != mesh.sizes.triangles {
        return Err(Error::new(Kind::Mismatch, What::Cells));
    }
    Ok(())
}
