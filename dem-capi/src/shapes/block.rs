//! What lies in the block of a shape: mesh, then tree.

use dem_core::error::{Error, Kind, Result, What};
use dem_core::memory::{self, Header};
use dem_core::mesh::{MeshRef, MeshSizes};
use dem_core::surrogate::{TreeRef, TreeSizes};

use super::dem_shape;
use crate::memory::{self as blocks, Held, Loan, Marks, Stretch};

/// Runs `body` with the bytes of a shape and its marks.
///
/// # Safety
/// Where the pointer is not null, it is a shape's.
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

/// An open shape, as long as nobody changes its block.
#[derive(Clone, Copy)]
pub(crate) struct Lent<'a> {
    pub(crate) mesh: MeshRef<'a>,
    pub(crate) tree: TreeRef<'a>,
    pub(crate) loan: Loan<'a>,
}

impl Lent<'_> {
    /// A number that tells meshes of different content apart.
    pub(crate) fn identity(&self) -> Result<u64> {
        memory::identity(self.loan.content)
    }
}

/// Opens a shape.
///
/// # Safety
/// Where the pointer is not null, it is a shape's, and nothing changes it during `'a`.
#[inline(always)]
pub(crate) unsafe fn lend<'a>(shape: *const dem_shape, what: What) -> Result<Lent<'a>> {
    // SAFETY: by this function's contract.
    let loan = unsafe { blocks::lend(shape.cast(), Held::Shape, what) }?;
    let (mesh, tree) = reopen(loan.content, loan.marks).map_err(|e| Error { what, ..e })?;
    Ok(Lent { mesh, tree, loan })
}

/// Where the block of a shape lies.
///
/// # Safety
/// Where the pointer is not null, it is a shape's.
pub(crate) unsafe fn stretch(shape: *const dem_shape, what: What) -> Result<Stretch> {
    // SAFETY: by this function's contract.
    unsafe { blocks::stretch(shape.cast(), Held::Shape, what) }
}

/// Runs `body` with an open shape.
///
/// # Safety
/// Where the pointer is not null, it is a shape's.
pub(crate) unsafe fn opened<R>(
    shape: *const dem_shape,
    what: What,
    body: impl FnOnce(Opened<'_>) -> Result<R>,
) -> Result<R> {
    // SAFETY: by this function's contract.
    unsafe { identified(shape, what, |opened, _| body(opened)) }
}

/// The same, with a number that tells meshes of different content apart.
///
/// # Safety
/// As for [`opened`].
pub(crate) unsafe fn identified<R>(
    shape: *const dem_shape,
    what: What,
    body: impl FnOnce(Opened<'_>, u64) -> Result<R>,
) -> Result<R> {
    // SAFETY: by this function's contract.
    let (lent, block) = unsafe { (lend(shape, what)?, stretch(shape, what)?) };
    let identity = lent.identity().map_err(|e| Error { what, ..e })?;
    let outcome = body((lent.mesh, lent.tree, block), identity);
    lent.loan.unchanged()?;
    outcome
}

/// The bytes of mesh and tree.
pub(super) fn mesh_part(content: &[u8]) -> Result<(&[u8], &[u8])> {
    content.split_at_checked(mesh_size(content)?).ok_or(Error::new(Kind::Damaged, What::Mesh))
}

/// The same, to change them.
pub(crate) fn parts_mut(content: &mut [u8]) -> Result<(&mut [u8], &mut [u8])> {
    let mesh = mesh_size(content)?;
    content.split_at_mut_checked(mesh).ok_or(Error::new(Kind::Damaged, What::Mesh))
}

pub(super) fn mesh_size(content: &[u8]) -> Result<usize> {
    let total = Header::read(content, What::Mesh)?.total;
    usize::try_from(total).map_err(|_| Error::new(Kind::Damaged, What::Mesh))
}

/// What [`reopen`] compares.
pub(crate) fn marks(content: &[u8]) -> Result<Marks> {
    let (mesh, tree) = mesh_part(content)?;
    Ok([memory::mark::<MeshSizes>(mesh)?, memory::mark::<TreeSizes>(tree)?, 0, 0])
}

/// Mesh and tree of a shape that most probably was opened before, as its marks tell: every call opens two, and proving the
/// headers, sizes and layouts again would take longer than to find that bodies are far apart.
#[inline]
pub(super) fn reopen(content: &[u8], marks: Marks) -> Result<(MeshRef<'_>, TreeRef<'_>)> {
    let known =
        MeshRef::reopen(content, marks[0]).and_then(|(mesh, rest)| Some((mesh, TreeRef::reopen(rest, marks[1])?.0)));
    known.map_or_else(|| open(content), Ok)
}

/// Mesh and tree.
pub(crate) fn open(content: &[u8]) -> Result<(MeshRef<'_>, TreeRef<'_>)> {
    let (mesh, tree) = mesh_part(content)?;
    Ok((MeshRef::open(mesh)?, TreeRef::open(tree)?))
}

pub(super) fn verify(content: &[u8]) -> Result<()> {
    let (mesh_bytes, tree_bytes) = mesh_part(content)?;
    let in_part = |what| move |e: Error| Error { what, ..e };
    memory::verify(mesh_bytes).map_err(in_part(What::Mesh))?;
    memory::verify(tree_bytes).map_err(in_part(What::Tree))?;
    let (mesh, tree) = open(content)?;
    tree.check()?;
    if tree.sizes.triangles != mesh.sizes.triangles {
        return Err(Error::new(Kind::Mismatch, What::Tree));
    }
    Ok(())
}
