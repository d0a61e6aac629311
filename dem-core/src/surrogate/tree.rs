//! The sections of a surrogate tree, and views of them.

use zerocopy::{FromBytes, FromZeros, Immutable, IntoBytes};

use super::options::{Cover, Fit, Functional, Options, Preset, Split};
use super::tree_shape::Fill;
use crate::error::{Error, Kind, Result, What};
use crate::memory::{Sizes, sections};

/// Stands for no triangle and no cluster: the link of an unused lane.
pub const NONE: u32 = u32::MAX;

/// Nodes of a cluster.
pub const WIDTH: usize = 4;

/// Set in [`Cluster::meta`]`[0]` if the nodes are fine triangles.
pub const FINE: u32 = 1 << 8;

/// The halo of an unused lane, which makes it separated from everything.
pub const UNUSED: f32 = -1e30;

/// The numbers on which the layout of a tree depends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub struct TreeSizes {
    /// Triangles of the mesh.
    pub triangles: u32,
    /// [`Options::fan_out`].
    pub fan_out: u32,
    /// [`Options::leaf`].
    pub leaf: u32,
    /// [`Options::subtree`].
    pub subtree: u32,
    /// Clusters of all levels.
    pub clusters: u32,
    /// Frames in which clusters are stored.
    pub origins: u32,
    /// Number of root clusters: clusters 0 to this (exclusive) hold the children of the whole mesh's surrogate.
    pub roots: u32,
    /// Levels of clusters.
    pub depth: u32,
}

impl TreeSizes {
    /// Sizes of the tree of this number of triangles. They are exact, and depend on nothing else.
    ///
    /// Errors: those of [`Options::check`]; [`Kind::TooLarge`] with the largest possible and the requested number of clusters. Cost:
    /// proportional to the depth.
    pub fn new(triangles: u32, options: &Options) -> Result<Self> {
        options.check()?;
        let counts = Fill::new(options).counts(triangles);
        let limit = u64::from(NONE - 1);
        if counts.clusters > limit {
            return Err(Error::new(Kind::TooLarge, What::Tree).amounts(limit, counts.clusters));
        }
        Ok(TreeSizes {
            triangles,
            fan_out: options.fan_out,
            leaf: options.leaf,
            subtree: options.subtree,
            clusters: counts.clusters as u32,
            origins: counts.origins as u32,
            roots: counts.roots as u32,
            depth: counts.depth,
        })
    }
}

impl Sizes for TreeSizes {
    const KIND: [u8; 4] = *b"tree";
    const VERSION: u32 = 3;
    const WHAT: What = What::Tree;

    fn check(&self) -> Result<()> {
        let &TreeSizes { fan_out, leaf, subtree, .. } = self;
        let options = Options { fan_out, leaf, subtree, ..Options::default() };
        match TreeSizes::new(self.triangles, &options)? == *self {
            true => Ok(()),
            false => Err(Error::new(Kind::OutOfRange, What::Tree)),
        }
    }
}

/// The surrogate of the whole mesh, and the mesh and options from which the tree was built.
#[derive(Clone, Copy, Debug, PartialEq, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub struct Root {
    /// The coarsest surrogate, relative to the centre.
    pub triangle: [[f64; 3]; 3],
    /// Its halo.
    pub halo: f64,
    /// The middle of the mesh's bounding box: origin 0.
    pub centre: [f64; 3],
    /// Radius of the ball around the centre that contains the mesh with its halos.
    pub radius: f64,
    /// [`MeshRef::hash`](crate::mesh::MeshRef::hash) of the mesh.
    pub mesh: u64,
    /// [`Options::seed`].
    pub seed: u64,
    /// Weights of the functional, area and inside.
    pub weights: [f64; 2],
    /// Preset, split, fit, cover, exponent, exponents of the functional (size, normal), marks of the whole mesh.
    pub choices: [u32; 8],
}

/// Up to four nodes, one in each lane.
#[derive(Clone, Copy, Debug, PartialEq, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub struct Cluster {
    /// Corners relative to the cluster's origin, and unit normal, right-handed, zero if the triangle is degenerate. The order is
    /// `x0 x1 x2 nx y0 y1 y2 ny z0 z1 z2 nz` (see [`Cluster::row`]), so that one operation rotates all vectors. Then follow [`Cluster::HALO`] and
    /// [`Cluster::OFFSET`].
    pub rows: [[f32; WIDTH]; 14],
    /// First child cluster of each node, or its triangle in a fine cluster; [`NONE`] in unused lanes, whose halo is
    /// [`UNUSED`].
    pub link: [u32; WIDTH],
    /// Number of nodes, plus [`FINE`], plus marks of each node; origin; consecutive child clusters of each node in 8 bits (0 if fine); level.
    pub meta: [u32; 4],
}

/// A frame in which clusters are stored: its axes are those of the mesh.
#[derive(Clone, Copy, Debug, PartialEq, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub struct Origin {
    /// The position of the origin in the mesh's frame.
    pub centre: [f64; 3],
    /// At least |corner| + halo of every node in this frame.
    pub reach: f64,
}

impl Options {
    /// A root that stores these options.
    pub(super) fn root(&self) -> Root {
        let Functional { size_exponent, area, inside, normal_exponent } = self.functional;
        let choices = [self.preset as u32, self.split as u32, self.fit as u32, self.cover as u32];
        let [preset, split, fit, cover] = choices;
        let choices = [preset, split, fit, cover, self.exponent, size_exponent, normal_exponent, 0];
        Root { seed: self.seed, weights: [area, inside], choices, ..Root::new_zeroed() }
    }

    /// The options that a root stores.
    pub(super) fn of_root(root: &Root, sizes: &TreeSizes) -> Option<Self> {
        let [preset, split, fit, cover, exponent, size_exponent, normal_exponent, _] = root.choices;
        let [area, inside] = root.weights;
        Some(Options {
            preset: Preset::numbered(preset)?,
            split: Split::numbered(split)?,
            fit: Fit::numbered(fit)?,
            cover: Cover::numbered(cover)?,
            fan_out: sizes.fan_out,
            leaf: sizes.leaf,
            subtree: sizes.subtree,
            exponent,
            seed: root.seed,
            functional: Functional { size_exponent, area, inside, normal_exponent },
        })
    }
}

sections! {
    /// A surrogate tree.
    pub struct Tree / TreeRef (n: &TreeSizes) {
        /// One item.
        pub root: State [Root; 1],
        /// Children have larger numbers than parents.
        pub clusters: State [Cluster; n.clusters as u64],
        /// The first origin is the middle of the mesh.
        pub origins: State [Origin; n.origins as u64],
    }
}

impl Cluster {
    /// The row of the halos.
    pub const HALO: usize = 12;
    /// The row of the planes' offsets: normal times corner 0.
    pub const OFFSET: usize = 13;

    /// The row of coordinate `c` of a corner, or of the unit normal, which counts as corner 3.
    #[inline(always)]
    pub const fn row(corner: usize, c: usize) -> usize {
        4 * c + corner
    }

    pub(crate) const EMPTY: Cluster = Cluster { rows: [[0.0; WIDTH]; 14], link: [NONE; WIDTH], meta: [0; 4] };

    /// Number of nodes, 1 to 4.
    #[inline(always)]
    pub fn count(&self) -> usize {
        (self.meta[0] & 7).min(WIDTH as u32) as usize
    }

    /// Whether the nodes are fine triangles.
    #[inline(always)]
    pub fn is_fine(&self) -> bool {
        self.meta[0] & FINE != 0
    }

    /// The origin of the cluster's coordinates.
    #[inline(always)]
    pub fn origin(&self) -> usize {
        self.meta[1] as usize
    }

    /// The level; root clusters have level 0.
    pub fn level(&self) -> u32 {
        self.meta[3]
    }

    /// The child clusters of a node; none in a fine cluster.
    #[inline(always)]
    pub fn children(&self, lane: usize) -> core::ops::Range<usize> {
        let first = self.link.get(lane).map_or(0, |&link| link as usize);
        let number = (self.meta[2] >> (8 * (lane as u32 & 3))) & 0xff;
        if self.is_fine() || lane >= self.count() { 0..0 } else { first..first.saturating_add(number as usize) }
    }

    /// The corners of a node.
    pub fn triangle(&self, lane: usize) -> [[f32; 3]; 3] {
        [0, 1, 2].map(|k| [0, 1, 2].map(|c| self.rows[Cluster::row(k, c)][lane & 3]))
    }

    /// The halo of a node.
    pub fn halo(&self, lane: usize) -> f32 {
        self.rows[Cluster::HALO][lane & 3]
    }

    /// A copy with all lengths multiplied by a factor: corners, halos, offsets.
    pub(crate) fn scaled(&self, by: f64) -> Cluster {
        let mut out = *self;
        for (i, row) in out.rows.iter_mut().enumerate() {
            let is_normal = i < Cluster::HALO && i % 4 == 3;
            if !is_normal {
                *row = row.map(|x| (f64::from(x) * by) as f32);
            }
        }
        out
    }
}

impl<'m> TreeRef<'m> {
    /// The surrogate of the whole mesh.
    pub fn root(&self) -> Option<&'m Root> {
        self.root.first()
    }

    /// Proves that a traversal can neither leave the tree nor run forever: for bytes from outside.
    ///
    /// Every link points forward and inside, every triangle and origin exists, every halo and reach is a number, and the root clusters exist.
    ///
    /// Errors: [`Kind::Damaged`] with the number of the cluster, or the number after the last cluster for origins and root.
    /// Cost: one pass over the clusters.
    pub fn check(&self) -> Result<()> {
        let damaged = |at: usize| Error::new(Kind::Damaged, What::Tree).at(at as u64, 0);
        let n = self.clusters.len();
        for (i, cluster) in self.clusters.iter().enumerate() {
            if !self.is_sound(i, cluster) {
                return Err(damaged(i));
            }
        }
        let sound = self
            .origins
            .iter()
            .all(|o| o.reach >= 0.0 && o.reach.is_finite() && o.centre.iter().all(|x| x.is_finite()));
        let root = self.root().is_some_and(|root| {
            let finite = root.triangle.iter().flatten().chain(&root.centre).all(|x| x.is_finite());
            finite && root.halo >= 0.0 && root.halo.is_finite() && root.radius >= 0.0 && root.radius.is_finite()
        });
        if sound && root && self.sizes.roots as usize <= n { Ok(()) } else { Err(damaged(n)) }
    }

    fn is_sound(&self, at: usize, cluster: &Cluster) -> bool {
        let fine = cluster.is_fine();
        let count = cluster.count();
        let head = (1..=WIDTH).contains(&count)
            && cluster.meta[0] & !(FINE | MARKS) == count as u32
            && cluster.origin() < self.origins.len()
            && cluster.level() < self.sizes.depth
            && cluster.rows.iter().flatten().all(|x| x.is_finite());
        let links = (0..WIDTH).all(|lane| {
            let (link, halo) = (cluster.link[lane], cluster.halo(lane));
            if lane >= count {
                return link == NONE && halo == UNUSED && (cluster.meta[2] >> (8 * lane)) & 0xff == 0;
            }
            let children = cluster.children(lane);
            let target = match fine {
                true => link < self.sizes.triangles && (cluster.meta[2] >> (8 * lane)) & 0xff == 0,
                false => children.start > at && !children.is_empty() && children.end <= self.clusters.len(),
            };
            target && halo >= 0.0
        });
        head && links
    }
}

/// Bit of lane 0 in [`Cluster::meta`]`[0]`: a triangle below has a side without a partner, see [`is_open`](crate::surrogate::is_open).
pub(super) const OPEN: u32 = 1 << 16;

/// Bit of lane 0: each triangle below has the same corners as a triangle with a smaller number.
pub(super) const COPIES: u32 = 1 << 24;

/// The bits of all marks.
pub(super) const MARKS: u32 = 15 * (OPEN | COPIES);
