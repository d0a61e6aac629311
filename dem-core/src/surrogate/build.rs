//! Building a tree: parts are fitted, written and divided, from the whole mesh down (P0 Algorithm B.1).

use glam::DVec3;

use super::batches::{Fitted, GROUPS, Part, Together, TogetherMemory};
use super::descent_fit::MOST_STEPS;
use super::fit::{FitKernel, LARGE, of_few, to_sample};
use super::flags::Marker;
use super::lanes::BATCH;
use super::objective::Goal;
use super::options::{Cover, Fit, Functional, Options, Preset, Split};
use super::points::{Cloud, CloudMemory, Extent, Item, Small, round_up};
use super::split::{Sorter, SorterMemory};
use super::tree::{NONE, Tree, TreeRef, TreeSizes, WIDTH};
use super::tree_shape::{Cut, Fill, share};
use super::write::{Writer, rounded};
use super::{descent_fit, functional, kmeans};
use crate::error::{Error, Kind, Result, What};
use crate::memory::{Layout, sections};
use crate::mesh::{MeshRef, MeshSizes};
use crate::real::{Real, max};
use crate::simd::{Isa, dispatch};

/// The largest radius of a mesh for which a tree can be built, 2^60: squares of its single-precision numbers do not overflow.
pub const LARGEST: f64 = (1u64 << 60) as f64;

/// Scratch of [`Tree::fill`], exactly.
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
        together: TogetherMemory(GROUPS as u64, u64::from(mesh.halos)),
    }
}

/// The most parts that wait at once: the children of one part on every level.
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
    /// `scratch` is [`build_scratch`]. The bytes are the same for every instruction set.
    ///
    /// Errors: [`Kind::OutOfRange`] for options or a mesh larger than [`LARGEST`]; [`Kind::Mismatch`] if the view has other sizes;
    /// [`Kind::Capacity`] and [`Kind::Misaligned`] for the scratch. Cost: proportional to n log n; about 0.6 us a triangle with the default
    /// preset.
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
        let Memory { items, sorter, waiting, cloud, together } = Memory::new(scratch, &mesh.sizes, &sizes)?;
        let (mut sorter, mut cloud) = (Sorter::new(sorter, options), Cloud::new(cloud, mesh));
        cloud.read(mesh, items);
        if how != How::New {
            sorter.restore(items, self.as_ref().fine());
        }
        let (fill, together) = (Fill::new(options), Together::new(together));
        let keep = how == How::Halos;
        let writer = Writer { tree: self, mesh, keep, clusters: 0, origins: 0, marker: Marker::new() };
        let build = Build { mesh, options, fill, isa, how, writer, items, sorter, waiting, cloud, together, waits: 0 };
        let marker = build.all();
        if options.cover == Cover::Monotone {
            self.grow_halos(isa);
        }
        self.mark(mesh, &marker);
        Ok(())
    }
}

/// What a build keeps of an existing tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum How {
    /// Nothing.
    New,
    /// The division into parts.
    Surrogates,
    /// The division into parts, and the surrogates.
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
    together: Together<'s>,
    waits: usize,
}

/// Steps of the descent after the search with the best preset.
const STEPS_OF_BEST: u32 = MOST_STEPS as u32;
/// The fewest triangles of a part that is divided through a corner.
const CORNERED: u32 = 100;
/// The largest halo of such a part, relative to the longest edge of its surrogate.
const FLATNESS: f64 = 0.6;

impl Build<'_, '_, '_> {
    /// Builds the tree. Gives the marks of fine triangles.
    fn all(mut self) -> Marker {
        let triangles = self.mesh.sizes.triangles;
        let origin = self.writer.new_origin(DVec3::from_array(self.mesh.centre()));
        let leaves = self.fill.leaves(triangles);
        self.push(Part { start: 0, triangles, leaves, level: 0, cluster: NONE, lane: 0, origin, spare: 0 });
        while let Some(part) = self.pop() {
            self.part(&part);
        }
        (0..GROUPS).for_each(|group| self.finish(group));
        self.writer.marker
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
        if let Some(items) = self.items.get_mut(range.clone()).filter(|_| self.how == How::Surrogates) {
            self.sorter.by_id(items, part.start as usize);
        }
        let Some(items) = self.items.get(range.clone()).filter(|items| !items.is_empty()) else { return };
        if self.may_wait(part) {
            let mut small = Small::new();
            if self.cloud.gather_small(items, self.mesh, &mut small) && small.count > 3 {
                self.wait(part, &small);
                return;
            }
        }
        self.cloud.gather(items, self.mesh);
        let triangle = match self.how {
            How::Halos => self.kept(part),
            _ if self.options.fit == Fit::Functional => self.minimised(part, self.items.get(range).unwrap_or_default()),
            _ => self.fitted(part),
        };
        let whole = part.cluster == NONE;
        let exact = self.cloud.cover(triangle, self.writer.origin(part.origin), self.isa);
        let halo = if whole { exact } else { f64::from(round_up(exact)) };
        let (first, number) = self.divide(part, Some((triangle, halo)));
        if whole {
            self.writer.root(triangle, halo, self.options);
        } else {
            let (at, lane) = (part.cluster as usize, part.lane as usize);
            self.writer.node(at, lane, triangle, halo as f32, first);
            self.writer.children(at, lane, number);
        }
    }

    /// Whether a part with few vertices may be fitted together with others. Only small parts may, because their triangle does not decide how they
    /// are divided.
    fn may_wait(&self, part: &Part) -> bool {
        self.how != How::Halos
            && part.cluster != NONE
            && part.triangles < CORNERED
            && self.options.fit == Fit::Volume
            && self.goal(false, 0.0).steps > 0
    }

    /// Divides a part, and adds it to the parts that wait to be fitted.
    fn wait(&mut self, part: &Part, small: &Small) {
        let (extent, first) = (self.cloud.extent(), self.writer.clusters);
        let (_, number) = self.divide(part, None);
        self.writer.children(part.cluster as usize, part.lane as usize, number);
        let goal = self.goal(false, small.halo * extent.scale());
        let Some(group) = Together::group(small.count) else { return };
        if self.together.add(group, small, &goal, (*part, first)) {
            self.finish(group);
        }
    }

    /// Fits and writes the parts of a group.
    fn finish(&mut self, group: usize) {
        let rows = self.together.improve(group, &self.cloud, self.isa);
        let (mut triangles, mut origins) = ([[0.0; BATCH]; 9], [[0.0; BATCH]; 3]);
        let mut all = [None; BATCH];
        for (lane, to) in all.iter_mut().enumerate() {
            let Some(fitted) = self.together.fitted(group, lane, &self.cloud) else { break };
            let Fitted { part, extent, .. } = fitted;
            let origin = self.writer.origin(part.origin);
            let local = [0, 1, 2].map(|k| [0, 1, 2].map(|c| rows[3 * k + c][lane]));
            let triangle = placed(&part, local, extent, origin).map(|v| v.to_array());
            (0..9).for_each(|k| triangles[k][lane] = triangle[k / 3][k % 3]);
            (0..3).for_each(|c| origins[c][lane] = origin[c]);
            *to = Some(fitted);
        }
        let distances = self.together.distances(group, &triangles, &origins, &self.cloud, self.isa);
        let uniform = self.cloud.uniform_halo();
        for (lane, Fitted { part, extent, first }) in all.into_iter().flatten().enumerate() {
            let triangle = [0, 1, 2].map(|k| DVec3::from_array([0, 1, 2].map(|c| triangles[3 * k + c][lane])));
            let halo = round_up(extent.covered(distances[lane] + uniform, triangle, self.writer.origin(part.origin)));
            self.writer.node(part.cluster as usize, part.lane as usize, triangle, halo, first);
            self.writer.pad(part.cluster as usize);
        }
        self.together.clear(group);
    }

    /// The existing surrogate, relative to the origin of its cluster.
    fn kept(&self, part: &Part) -> [DVec3; 3] {
        if part.cluster == NONE {
            return self.writer.tree.root.first().map_or([DVec3::ZERO; 3], |root| root.triangle.map(DVec3::from_array));
        }
        let cluster = self.writer.tree.clusters.get(part.cluster as usize);
        cluster.map_or([[0.0; 3]; 3], |c| c.triangle(part.lane as usize)).map(|v| DVec3::from_array(v.map(f64::from)))
    }

    /// A triangle of small volume for the current vertices, rounded as it is stored.
    fn fitted(&mut self, part: &Part) -> [DVec3; 3] {
        let (extent, origin) = (self.cloud.extent(), self.writer.origin(part.origin));
        let goal = self.goal(part.cluster == NONE, self.cloud.halo() * extent.scale());
        let fast = self.options.preset == Preset::Fast && goal.steps > 0;
        let (cloud, count) = self.cloud.local();
        let local = match count {
            0..=3 => of_few(cloud),
            _ if fast && count > LARGE => to_sample(self.isa, cloud, count, &goal, goal.steps * 3 / 2),
            _ => {
                let found = dispatch(self.isa, FitKernel { cloud, count, goal });
                let steps = if goal.wander > 0 { STEPS_OF_BEST } else { goal.steps * 3 / 2 };
                match steps {
                    0 => found.triangle,
                    _ => descent_fit::one(self.isa, cloud, count, &found, &Goal { steps, ..goal }),
                }
            }
        };
        placed(part, local, extent, origin)
    }

    /// A minimum of the functional, rounded as it is stored.
    fn minimised(&self, part: &Part, items: &[Item]) -> [DVec3; 3] {
        let weights = match part.cluster {
            NONE => Functional { inside: 0.0, ..self.options.functional },
            _ => self.options.functional,
        };
        let (extent, origin) = (self.cloud.extent(), self.writer.origin(part.origin));
        let middle = extent.middle();
        let local = functional::minimise(items, self.mesh, middle, 1.0 / extent.scale(), &weights);
        stored(part, local.map(|v| v + (middle - origin)))
    }

    fn goal(&self, whole: bool, halo: f64) -> Goal {
        let (steps, halvings, batches, wander) = match (self.options.fit, self.options.preset) {
            (Fit::Enclosing, _) => (0, 0, 0, 0),
            (_, Preset::Fast) => (8, 0, 0, 0),
            (_, Preset::Default) => (16, 0, 0, 0),
            (_, Preset::Best) => (0, 10, 1000, if whole { 2000 } else { 60 }),
        };
        let exponent = if whole { 0 } else { self.options.exponent };
        Goal { halo: halo as f32, exponent, steps, halvings, batches, wander }
    }

    /// Sorts the triangles of a part into its children, which then wait; for a leaf, writes the triangles. Gives the child clusters. For large
    /// parts, the surrogate and its halo decide how to divide.
    fn divide(&mut self, part: &Part, surrogate: Option<([DVec3; 3], f64)>) -> (u32, u32) {
        let origin = self.frame(part);
        let first = self.writer.clusters;
        let range = part.start as usize..(part.start + part.triangles) as usize;
        let Some(items) = self.items.get_mut(range) else { return (first, 0) };
        if part.leaves < 2 {
            self.writer.leaf(items, &self.cloud, origin, part.level);
            return (first, self.writer.clusters - first);
        }
        let cut = Cut { leaves: part.leaves, ways: self.fill.ways(part.leaves) };
        if self.how == How::New {
            let flat = |halo: f64, t: &[DVec3; 3]| halo - self.cloud.halo() < FLATNESS * longest_edge(t);
            let large = self.options.split == Split::Triangle && part.triangles >= CORNERED;
            let cornered = surrogate.filter(|(triangle, halo)| large && flat(*halo, triangle));
            let shift = self.writer.origin(part.origin) - DVec3::from_array(self.mesh.centre());
            let scale = self.mesh.radius().inverse_exponent();
            match self.options.split {
                Split::KMeans => kmeans::divide(&mut self.sorter, items, cut, self.options.seed),
                _ => {
                    self.sorter.divide(items, cut, cornered.map(|(triangle, _)| triangle.map(|v| (v + shift) * scale)))
                }
            }
        }
        self.children(part, cut, origin);
        (first, cut.ways.div_ceil(WIDTH as u32))
    }

    /// The origin for a part's children: a new one if the part is the first small one on the path from the root, else that of the part.
    fn frame(&mut self, part: &Part) -> u32 {
        let whole = self.fill.starts_subtree(self.fill.leaves(self.mesh.sizes.triangles));
        match part.origin != 0 || whole || !self.fill.starts_subtree(part.leaves) {
            true => part.origin,
            false => self.writer.new_origin(self.cloud.extent().middle()),
        }
    }

    fn children(&mut self, part: &Part, cut: Cut, origin: u32) {
        let first = self.writer.clusters;
        for k in 0..cut.ways.div_ceil(WIDTH as u32) {
            let nodes = (cut.ways - k * WIDTH as u32).min(WIDTH as u32);
            self.writer.new_cluster(nodes, origin, part.level);
        }
        // The last child is pushed first, so that the first child is taken next.
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

/// A triangle relative to an origin, rounded as it is stored, from a fit to vertices in this box.
fn placed(part: &Part, local: [[f32; 3]; 3], extent: Extent, origin: DVec3) -> [DVec3; 3] {
    let (inverse, shift) = (1.0 / extent.scale(), extent.middle() - origin);
    stored(part, local.map(|v| DVec3::from_array(v.map(f64::from)) * inverse + shift))
}

/// Rounded to the precision of a cluster; the root is not rounded.
fn stored(part: &Part, triangle: [DVec3; 3]) -> [DVec3; 3] {
    if part.cluster == NONE { triangle } else { triangle.map(rounded) }
}

fn longest_edge(t: &[DVec3; 3]) -> f64 {
    let squares = [t[1] - t[0], t[2] - t[1], t[0] - t[2]].map(|e| e.length_squared());
    squares.into_iter().fold(0.0, max).sqrt()
}
