//! Refits trees to meshes whose vertices have moved: the division into parts stays.

use super::build::How;
use super::options::Options;
use super::tree::{NONE, Tree, TreeRef};
use crate::error::{Error, Kind, Result, What};
use crate::memory;
use crate::mesh::MeshRef;
use crate::simd::Isa;

/// Which parts of a tree are updated after vertices have moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Refit {
    /// Fine triangles and halos. Surrogates keep their places, so halos grow with the distance that vertices moved.
    Halos = 1,
    /// Surrogates, too. Only the division into parts stays.
    Surrogates = 2,
}

impl TreeRef<'_> {
    /// The options that the tree was built with.
    ///
    /// Errors: [`Kind::Damaged`] if the root holds no valid options.
    pub fn options(&self) -> Result<Options> {
        let damaged = Error::new(Kind::Damaged, What::Tree).at(self.clusters.len() as u64, 0);
        let root = self.root().ok_or(damaged)?;
        let options = Options::of_root(root, &self.sizes).ok_or(damaged)?;
        options.check().map_err(|_| damaged)?;
        Ok(options)
    }

    /// Triangles of the fine clusters, in order, which is their order in the parts.
    pub(super) fn fine(&self) -> impl Iterator<Item = u32> + '_ {
        let fine = self.clusters.iter().filter(|cluster| cluster.is_fine());
        fine.flat_map(|cluster| cluster.link.iter().copied().filter(|&id| id != NONE))
    }
}

impl Tree<'_> {
    /// Makes the tree cover a mesh with the same triangles as that from which it was built, but other vertices or halos. The tree covers it as
    /// exactly as a new one, with the same division into parts.
    ///
    /// `scratch` is [`build_scratch`](super::build_scratch) for the mesh and [`TreeRef::options`].
    ///
    /// Errors: [`Kind::Mismatch`] if the mesh has another number of triangles; [`Kind::Damaged`]; those of
    /// [`Tree::fill`]. Cost: a quarter of a new tree's with the fast preset for [`Refit::Halos`].
    pub fn refit(&mut self, mesh: &MeshRef<'_>, what: Refit, scratch: &mut [u8], isa: Isa) -> Result<()> {
        if mesh.sizes.triangles != self.sizes.triangles {
            return Err(Error::new(Kind::Mismatch, What::Mesh));
        }
        let options = self.as_ref().options()?;
        let how = match what {
            Refit::Halos => How::Halos,
            Refit::Surrogates => How::Surrogates,
        };
        self.build_by(mesh, &options, scratch, isa, how)
    }
}

/// [`Tree::refit`] for a block, which is sealed again.
///
/// Errors: those of `refit` and of `open`.
pub fn refit(block: &mut [u8], mesh: &MeshRef<'_>, what: Refit, scratch: &mut [u8], isa: Isa) -> Result<()> {
    Tree::open(&mut *block)?.refit(mesh, what, scratch, isa)?;
    memory::seal(block).map(|_| ())
}
