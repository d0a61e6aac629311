//! Building a tree: parts from the whole mesh down, each fitted, written and divided (P0 Algorithm B.1).

use glam::DVec3;

use super::fill::{Cut, Fill, share};
use super::fit::{FitKernel, Goal, of_few};
use super::options::{Cover, Fit, Functional, Options, Preset, Split};
use super::points::{Cloud, CloudMemory, Item, round_up};
use super::split::{Sorter, SorterMemory};
use super::tree::{NONE, Tree, TreeRef, TreeSizes, WIDTH};
use super::write::{Writer, rounded};
use super::{functional, kmeans};
use crate::error::{Error, Kind, Result, What};
use crate::memory::{Layout, sections};
use crate::mesh::{MeshRef, MeshSizes};
use crate::real::{Real, max};
use crate::simd::{Isa, dispatch};

/// The largest radius of a mesh that a tree is built for, 2^60: squares of what it stores in single precision do not
/// overflow.
pub const LARGEST: f64 = (1u64 << 60) as f64;

/// A part that waits to be fitted.
#[derive(Clone, Copy, Debug, zerocopy::FromBytes, zerocopy::IntoBytes, zerocopy::Immutable)]
#[repr(C)]
struct Part {
    start: u32,
    triangles: u32,
    leaves: u32,
    level: u32,
    /// Where its node is written; no cluster for the whole mesh.
    cluster: u32,
    lane: u32,
    /// Frame of that cluster.
    origin: u32,
    spare: u32,
}

/// Scratch of [`Tree::fill`]: exact.
///
/// Errors: those of [`TreeSizes::new`]; [`Kind::TooLarge`].
pub fn build_scratch(mesh: &MeshSizes, options: &Options) -> Result<Layout> {
    Memory::layout(mesh, &TreeSizes::new(mesh.triangles, options)?)
}

sections! {
    /// Memory of a build.
    struct Memory<'s>(mesh: &MeshSizes, sizes: &TreeSizes; n = u64::from(mesh.triangles)) {
        items: [Item; n],
        sorter: SorterMemory(n),
        waiting: [Part; stack(sizes)],
        cloud: CloudMemory(mesh),
    }
}

/// Parts that wait at once: the children of one part on every level.
fn stack(sizes: &TreeSizes) -> u64 {
    u64::from(sizes.depth) * u64::from(sizes.fan_out) + 1
}

impl<'m> Tree<'m> {
    /// A tree in a block of its own, sealed.
    ///
    /// Errors: those of [`Tree::fill`]; those of `init`. Cost: see `fill`.
    pub fn from_mesh(
        block: &'m mut [u8],
        mesh: &MeshRef<'_>,
        options: &Options,
        scratch: &mut [u8],
        isa: Isa,
    ) -> Result<TreeRef<'m>> {
        let sizes = TreeSizes::new(mesh.sizes.triangles, options)?;
        Tree::build(block, &sizes, |tree| tree.fill(mesh, options, scratch, isa))
    }

    /// Builds the tree of a mesh into a view with [`TreeSizes`] for its triangles and these options.
    ///
    /// `scratch` is [`build_scratch`]. The same bytes come out for every instruction set.
    ///
    /// Errors: [`Kind::OutOfRange`] for options or a mesh larger than [`LARGEST`]; [`Kind::Mismatch`] where the view has
    /// other sizes; [`Kind::Capacity`] and [`Kind::Misaligned`] for the scratch. Cost: proportional to n log n; 1 to 2 us a
    /// triangle with the default preset.
    pub fn fill(&mut self, mesh: &MeshRef<'_>, options: &Options, scratch: &mut [u8], isa: Isa) -> Result<()> {
        self.build_by(mesh, options, scratch, isa, How::New)
    }

    pub(super) fn build_by(
        &mut self,
        mesh: &MeshRef<'_>,
        options: &Options,
        scratch: &mut [u8],
        isa: Isa,
        how: How,
    ) -> Result<()> {
        let sizes = TreeSizes::new(mesh.sizes.triangles, options)?;
        if self.sizes != sizes {
            return Err(Error::new(Kind::Mismatch, What::Tree));
        }
        if mesh.radius() + mesh.largest_halo() > LARGEST {
            return Err(Error::new(Kind::OutOfRange, What::Mesh));
        }
        let Memory { items, sorter, waiting, cloud } = Memory::new(scratch, &mesh.sizes, &sizes)?;
        let (mut sorter, mut cloud) = (Sorter::new(sorter, options), Cloud::new(cloud, mesh));
        cloud.read(mesh, items);
        if how != How::New {
            sorter.restore(items, self.as_ref().fine());
        }
        let fill = Fill::new(options);
        let keep = how == How::Halos;
        let writer = Writer { tree: self, mesh, keep, clusters: 0, origins: 0 };
        Build { mesh, options, fill, isa, how, writer, items, sorter, waiting, cloud, waits: 0 }.all();
        if options.cover == Cover::Monotone {
            self.grow_halos(isa);
        }
        self.mark(mesh);
        Ok(())
    }
}

/// What a build starts from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum How {
    /// Nothing.
    New,
    /// The division of a tree.
    Surrogates,
    /// The division and the surrogates of a tree.
    Halos,
}

struct Build<'b, 't, 's> {
    mesh: &'b MeshRef<'b>,
    options: &'b Options,
    fill: Fill,
    isa: Isa,
    how: How,
    writer: Writer<'b, 't>,
    items: &'s mut [Item],
    sorter: Sorter<'s>,
    waiting: &'s mut [Part],
    cloud: Cloud<'s>,
    waits: usize,
}

/// Fewest triangles of a part that is divided through a corner.
const CORNERED: u32 = 100;
/// Largest halo of such a part, relative to the longest edge of its surrogate.
const FLATNESS: f64 = 0.6;

impl Build<'_, '_, '_> {
    fn all(mut self) {
        let triangles = self.mesh.sizes.triangles;
        let origin = self.writer.new_origin(DVec3::from_array(self.mesh.centre()));
        let leaves = self.fill.leaves(triangles);
        self.push(Part { start: 0, triangles, leaves, level: 0, cluster: NONE, lane: 0, origin, spare: 0 });
        while let Some(part) = self.pop() {
            self.part(&part);
        }
    }

    fn push(&mut self, part: Part) {
        if let Some(slot) = self.waiting.get_mut(self.waits) {
            *slot = part;
            self.waits += 1;
        }
    }

    fn pop(&mut self) -> Option<Part> {
        self.waits = self.waits.checked_sub(1)?;
        self.waiting.get(self.waits).copied()
    }

    fn part(&mut self, part: &Part) {
        let range = part.start as usize..(part.start + part.triangles) as usize;
        let Some(items) = self.items.get(range.clone()).filter(|items| !items.is_empty()) else { return };
        self.cloud.gather(items, self.mesh);
        let triangle = match self.how {
            How::Halos => self.kept(part),
            _ if self.options.fit == Fit::Functional => self.minimised(part, self.items.get(range).unwrap_or_default()),
            _ => self.fitted(part),
        };
        let whole = part.cluster == NONE;
        let exact = self.cloud.cover(triangle, self.writer.origin(part.origin), self.isa);
        let halo = if whole { exact } else { f64::from(round_up(exact)) };
        let (first, number) = self.divide(part, triangle, halo);
        if whole {
            self.writer.root(triangle, halo, self.options);
        } else {
            let (at, lane) = (part.cluster as usize, part.lane as usize);
            self.writer.node(at, lane, triangle, halo as f32, first);
            self.writer.children(at, lane, number);
        }
    }

    /// The surrogate that is there, relative to the origin of its cluster.
    fn kept(&self, part: &Part) -> [DVec3; 3] {
        if part.cluster == NONE {
            return self.writer.tree.root.first().map_or([DVec3::ZERO; 3], |root| root.triangle.map(DVec3::from_array));
        }
        let cluster = self.writer.tree.clusters.get(part.cluster as usize);
        cluster.map_or([[0.0; 3]; 3], |c| c.triangle(part.lane as usize)).map(|v| DVec3::from_array(v.map(f64::from)))
    }

    /// A triangle of small volume for the current vertices, as it is stored.
    fn fitted(&mut self, part: &Part) -> [DVec3; 3] {
        let goal = self.goal(part.cluster == NONE, self.cloud.halo() * self.cloud.scale());
        let (middle, scale) = (self.cloud.middle(), self.cloud.scale());
        let (cloud, count) = self.cloud.local();
        let local = match count {
            0..=3 => of_few(cloud),
            _ => dispatch(self.isa, FitKernel { cloud, count, goal }).triangle,
        };
        let shift = middle - self.writer.origin(part.origin);
        stored(part, local.map(|v| DVec3::from_array(v.map(f64::from)) * (1.0 / scale) + shift))
    }

    /// A minimum of the functional, as it is stored.
    fn minimised(&self, part: &Part, items: &[Item]) -> [DVec3; 3] {
        let weights = match part.cluster {
            NONE => Functional { inside: 0.0, ..self.options.functional },
            _ => self.options.functional,
        };
        let (middle, origin) = (self.cloud.middle(), self.writer.origin(part.origin));
        let local = functional::minimise(items, self.mesh, middle, 1.0 / self.cloud.scale(), &weights);
        stored(part, local.map(|v| v + (middle - origin)))
    }

    fn goal(&self, whole: bool, halo: f64) -> Goal {
        let (halvings, batches, wander) = match (self.options.fit, self.options.preset) {
            (Fit::Enclosing, _) | (_, Preset::Fast) => (0, 0, 0),
            (_, Preset::Default) => (5, 64, 0),
            (_, Preset::Best) => (10, 1000, if whole { 2000 } else { 60 }),
        };
        let exponent = if whole { 0 } else { self.options.exponent };
        Goal { halo: halo as f32, exponent, halvings, batches, wander }
    }

    /// Sorts the triangles of a part into its children, which then wait, or writes them; gives its child clusters.
    fn divide(&mut self, part: &Part, triangle: [DVec3; 3], halo: f64) -> (u32, u32) {
        let origin = self.frame(part);
        let first = self.writer.clusters;
        let range = part.start as usize..(part.start + part.triangles) as usize;
        let Some(items) = self.items.get_mut(range) else { return (first, 0) };
        if part.leaves < 2 {
            self.writer.leaf(items.iter().map(|item| item.id), origin, part.level);
            return (first, self.writer.clusters - first);
        }
        let cut = Cut { leaves: part.leaves, ways: self.fill.ways(part.leaves) };
        if self.how == How::New {
            let flat = halo - self.cloud.halo() < FLATNESS * longest_edge(&triangle);
            let cornered = self.options.split == Split::Triangle && part.triangles >= CORNERED && flat;
            let shift = self.writer.origin(part.origin) - DVec3::from_array(self.mesh.centre());
            let scale = self.mesh.radius().inverse_exponent();
            match self.options.split {
                Split::KMeans => kmeans::divide(&mut self.sorter, items, cut, self.options.seed),
                _ => self.sorter.divide(items, cut, cornered.then(|| triangle.map(|v| (v + shift) * scale))),
            }
        }
        self.children(part, cut, origin);
        (first, cut.ways.div_ceil(WIDTH as u32))
    }

    /// The frame of a part's children: the part's own, where it is the first small one on its way down.
    fn frame(&mut self, part: &Part) -> u32 {
        let whole = self.fill.starts_subtree(self.fill.leaves(self.mesh.sizes.triangles));
        match part.origin != 0 || whole || !self.fill.starts_subtree(part.leaves) {
            true => part.origin,
            false => self.writer.new_origin(self.cloud.middle()),
        }
    }

    fn children(&mut self, part: &Part, cut: Cut, origin: u32) {
        let first = self.writer.clusters;
        for k in 0..cut.ways.div_ceil(WIDTH as u32) {
            let nodes = (cut.ways - k * WIDTH as u32).min(WIDTH as u32);
            self.writer.new_cluster(nodes, origin, part.level);
        }
        // The last child first, so that the first is taken next.
        let mut end = part.triangles;
        let mut leaves = part.leaves;
        for child in (0..cut.ways).rev() {
            let share = share(cut, child);
            leaves -= share;
            let start = (leaves * self.fill.leaf).min(end);
            self.push(Part {
                start: part.start + start,
                triangles: end - start,
                leaves: share,
                level: part.level + 1,
                cluster: first + child / WIDTH as u32,
                lane: child % WIDTH as u32,
                origin,
                spare: 0,
            });
            end = start;
        }
    }
}

/// Rounded to what a cluster holds; the root is not.
fn stored(part: &Part, triangle: [DVec3; 3]) -> [DVec3; 3] {
    if part.cluster == NONE { triangle } else { triangle.map(rounded) }
}

fn longest_edge(t: &[DVec3; 3]) -> f64 {
    let squares = [t[1] - t[0], t[2] - t[1], t[0] - t[2]].map(|e| e.length_squared());
    squares.into_iter().fold(0.0, max).sqrt()
}
