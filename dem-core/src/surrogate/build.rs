//! Building a tree: parts from the whole mesh down, each fitted, written and divided (P0 Algorithm B.1).

use glam::DVec3;

use super::fill::{Cut, Fill, bisect};
use super::fit::{FitKernel, Goal, of_few};
use super::options::{Fit, Options, Preset, Split};
use super::points::{Cloud, Item, round_up, slack};
use super::split::Sorter;
use super::tree::{Cluster, FINE, NONE, Origin, Root, Tree, TreeRef, TreeSizes, UNUSED, WIDTH};
use crate::error::{Error, Kind, Result, What};
use crate::memory::{Carve, Layout, Plan};
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
    let sizes = TreeSizes::new(mesh.triangles, options)?;
    let n = u64::from(mesh.triangles);
    let mut plan = Plan::new();
    plan.add::<Item>(n).add::<Item>(n).add::<u64>(n).add::<u64>(n).add::<Part>(stack(&sizes));
    Cloud::plan(mesh, &mut plan);
    plan.layout(What::Scratch)
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
        let sizes = TreeSizes::new(mesh.sizes.triangles, options)?;
        if self.sizes != sizes {
            return Err(Error::new(Kind::Mismatch, What::Tree));
        }
        if mesh.radius() + mesh.largest_halo() > LARGEST {
            return Err(Error::new(Kind::OutOfRange, What::Mesh));
        }
        let mut carve = Carve::new(scratch, build_scratch(&mesh.sizes, options)?, What::Scratch)?;
        let n = u64::from(mesh.sizes.triangles);
        let items: &mut [Item] = carve.take(n)?;
        let sorter = Sorter { spare: carve.take(n)?, keys: carve.take(n)?, sorted: carve.take(n)?, leaf: options.leaf };
        let waiting: &mut [Part] = carve.take(stack(&sizes))?;
        let mut cloud = Cloud::carve(&mesh.sizes, mesh, &mut carve)?;
        cloud.read(mesh, items);
        let fill = Fill::new(options);
        let mut build = Build {
            mesh,
            options,
            fill,
            isa,
            tree: self,
            items,
            sorter,
            waiting,
            cloud,
            waits: 0,
            clusters: 0,
            origins: 1,
        };
        build.all();
        Ok(())
    }
}

struct Build<'b, 't, 's> {
    mesh: &'b MeshRef<'b>,
    options: &'b Options,
    fill: Fill,
    isa: Isa,
    tree: &'b mut Tree<'t>,
    items: &'s mut [Item],
    sorter: Sorter<'s>,
    waiting: &'s mut [Part],
    cloud: Cloud<'s>,
    waits: usize,
    clusters: u32,
    origins: u32,
}

/// A surrogate relative to an origin.
struct Node {
    triangle: [DVec3; 3],
    halo: f64,
    /// In the frame of the items' centres, where the part is flat and large enough to be divided by it.
    flat: Option<[DVec3; 3]>,
}

/// Fewest triangles of a part that is divided through a corner.
const CORNERED: u32 = 100;
/// Largest halo of such a part, relative to the longest edge of its surrogate.
const FLATNESS: f64 = 0.4;

impl Build<'_, '_, '_> {
    fn all(&mut self) {
        let triangles = self.mesh.sizes.triangles;
        let centre = DVec3::from_array(self.mesh.centre());
        self.write_origin(0, centre, 0.0);
        let whole = Part {
            start: 0,
            triangles,
            leaves: self.fill.leaves(triangles),
            level: 0,
            cluster: NONE,
            lane: 0,
            origin: 0,
            spare: 0,
        };
        self.push(whole);
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
        let Some(items) = self.items.get(range.clone()) else { return };
        if items.is_empty() {
            return;
        }
        self.cloud.gather(items, self.mesh);
        let node = self.fit(part);
        let origin = self.frame(part);
        let first = self.clusters;
        if part.leaves < 2 {
            self.leaf(part, origin);
        } else {
            let cut = Cut { leaves: part.leaves, ways: self.fill.ways(part.leaves) };
            if let Some(items) = self.items.get_mut(range) {
                self.sorter.divide(items, cut, node.flat);
            }
            self.children(part, cut, origin);
        }
        let number = match part.leaves {
            0 | 1 => part.triangles.div_ceil(WIDTH as u32),
            leaves => self.fill.ways(leaves).div_ceil(WIDTH as u32),
        };
        self.write(part, &node, first, number);
    }

    /// The surrogate of the current vertices, relative to the origin of the part's node.
    fn fit(&mut self, part: &Part) -> Node {
        let whole = part.cluster == NONE;
        let origin = self.origin(part.origin);
        let (middle, scale) = (self.cloud.middle(), self.cloud.scale());
        let goal = self.goal(whole, self.cloud.halo() * scale);
        let (cloud, count) = self.cloud.local();
        let local = match count {
            0..=3 => of_few(cloud),
            _ => dispatch(self.isa, FitKernel { cloud, count, goal }).triangle,
        };
        let absolute = local.map(|v| DVec3::from_array(v.map(f64::from)) * (1.0 / scale) + (middle - origin));
        let triangle = if whole { absolute } else { absolute.map(rounded) };
        let halo = {
            let exact = self.cloud.cover(triangle, origin, self.isa);
            if whole { exact } else { f64::from(round_up(exact)) }
        };
        let is_flat = halo - self.cloud.halo() < FLATNESS * longest_edge(&triangle);
        let cornered = self.options.split == Split::Triangle && part.triangles >= CORNERED && is_flat;
        let flat = cornered.then(|| {
            let (centre, size) = (DVec3::from_array(self.mesh.centre()), self.mesh.radius().inverse_exponent());
            triangle.map(|v| (v + (origin - centre)) * size)
        });
        Node { triangle, halo, flat }
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

    fn origin(&self, i: u32) -> DVec3 {
        self.tree.origins.get(i as usize).map_or(DVec3::ZERO, |o| DVec3::from_array(o.centre))
    }

    fn write_origin(&mut self, i: u32, centre: DVec3, reach: f64) {
        if let Some(origin) = self.tree.origins.get_mut(i as usize) {
            *origin = Origin { centre: centre.to_array(), reach };
        }
    }

    /// The frame of a part's children: the part's own, where it is the first small one on its way down.
    fn frame(&mut self, part: &Part) -> u32 {
        let whole = self.fill.starts_subtree(self.fill.leaves(self.mesh.sizes.triangles));
        if part.origin != 0 || whole || !self.fill.starts_subtree(part.leaves) {
            return part.origin;
        }
        let origin = self.origins;
        self.origins += 1;
        self.write_origin(origin, self.cloud.middle(), 0.0);
        origin
    }

    fn children(&mut self, part: &Part, cut: Cut, origin: u32) {
        let first = self.clusters;
        for k in 0..cut.ways.div_ceil(WIDTH as u32) {
            let count = (cut.ways - k * WIDTH as u32).min(WIDTH as u32);
            self.write_empty(count, origin, part.level);
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

    /// A new cluster without nodes.
    fn write_empty(&mut self, count: u32, origin: u32, level: u32) {
        if let Some(cluster) = self.tree.clusters.get_mut(self.clusters as usize) {
            *cluster = Cluster::EMPTY;
            cluster.meta = [count, origin, 0, level];
        }
        self.clusters += 1;
    }

    /// The fine clusters of a leaf.
    fn leaf(&mut self, part: &Part, origin: u32) {
        let (mut start, end) = (part.start as usize, (part.start + part.triangles) as usize);
        while start < end {
            let count = (end - start).min(WIDTH);
            let at = self.clusters as usize;
            self.write_empty(count as u32 | FINE, origin, part.level);
            for lane in 0..count {
                let Some(item) = self.items.get(start + lane) else { return };
                let id = item.id;
                self.write_fine(at, lane, id, origin);
            }
            self.pad(at, count);
            start += count;
        }
    }

    fn write_fine(&mut self, at: usize, lane: usize, id: u32, origin: u32) {
        let centre = self.origin(origin);
        let exact = self.mesh.triangle(id as usize).map(|v| DVec3::from_array(v) - centre);
        let triangle = exact.map(rounded);
        let moved = exact.iter().zip(&triangle).fold(0.0, |m, (a, b)| max(m, (*a - *b).length_squared())).sqrt();
        let size = triangle.iter().fold(DVec3::ZERO, |m, v| m.max(v.abs())).max_element();
        let halo = moved + self.mesh.halo(id as usize);
        let halo = round_up(halo + slack(halo, size));
        self.write_node(at, lane, triangle, halo, id, origin);
    }

    /// Writes what was fitted where it belongs.
    fn write(&mut self, part: &Part, node: &Node, first: u32, number: u32) {
        if part.cluster == NONE {
            self.write_root(node);
            return;
        }
        let (at, lane) = (part.cluster as usize, part.lane as usize);
        self.write_node(at, lane, node.triangle, node.halo as f32, first, part.origin);
        if let Some(cluster) = self.tree.clusters.get_mut(at) {
            cluster.meta[2] |= number << (8 * lane);
            let count = cluster.count();
            if lane + 1 == count {
                self.pad(at, count);
            }
        }
    }

    fn write_node(&mut self, at: usize, lane: usize, triangle: [DVec3; 3], halo: f32, link: u32, origin: u32) {
        let [a, b, c] = triangle;
        let (e0, e1) = (b - a, c - a);
        let normal = e0.cross(e1);
        // A sine below 1e-7 of two rounded edges is noise.
        let face = normal.length_squared() > 1e-14 * e0.length_squared() * e1.length_squared();
        let normal = if face { normal / normal.length_squared().sqrt() } else { DVec3::ZERO };
        let normal = rounded(normal);
        if let Some(cluster) = self.tree.clusters.get_mut(at) {
            for (k, v) in triangle.iter().enumerate() {
                for c in 0..3 {
                    cluster.rows[3 * k + c][lane] = v[c] as f32;
                }
            }
            cluster.rows[9][lane] = halo;
            for c in 0..3 {
                cluster.rows[10 + c][lane] = normal[c] as f32;
            }
            cluster.rows[13][lane] = normal.dot(a) as f32;
            cluster.link[lane] = link;
        }
        if let Some(origin) = self.tree.origins.get_mut(origin as usize) {
            let corner = triangle.iter().fold(0.0, |m, v| max(m, v.length_squared()));
            let reach = corner.sqrt() + f64::from(halo);
            origin.reach = max(origin.reach, reach + slack(reach, reach));
        }
    }

    /// Unused lanes repeat lane 0, out of reach.
    fn pad(&mut self, at: usize, count: usize) {
        if let Some(cluster) = self.tree.clusters.get_mut(at) {
            for lane in count..WIDTH {
                for row in &mut cluster.rows {
                    row[lane] = row[0];
                }
                cluster.rows[9][lane] = UNUSED;
            }
        }
    }

    fn write_root(&mut self, node: &Node) {
        let Options { preset, split, fit, cover, exponent, seed, functional, .. } = *self.options;
        let radius = self.mesh.radius() + self.mesh.largest_halo();
        let root = Root {
            triangle: node.triangle.map(|v| v.to_array()),
            halo: node.halo,
            centre: self.mesh.centre(),
            radius: radius + slack(radius, radius),
            mesh: self.mesh.hash(),
            seed,
            weights: [functional.area, functional.inside],
            choices: [
                preset as u32,
                split as u32,
                fit as u32,
                cover as u32,
                exponent,
                functional.size_exponent,
                functional.normal_exponent,
                0,
            ],
        };
        if let Some(slot) = self.tree.root.first_mut() {
            *slot = root;
        }
    }
}

/// Leaves of one child of a cut.
fn share(mut cut: Cut, mut child: u32) -> u32 {
    while cut.ways > 1 {
        let first = bisect(cut.leaves, cut.ways);
        if child < first.ways {
            cut = first;
        } else {
            child -= first.ways;
            cut = Cut { leaves: cut.leaves - first.leaves, ways: cut.ways - first.ways };
        }
    }
    cut.leaves
}

/// The nearest vector in single precision.
fn rounded(v: DVec3) -> DVec3 {
    DVec3::new(f64::from(v.x as f32), f64::from(v.y as f32), f64::from(v.z as f32))
}

fn longest_edge(t: &[DVec3; 3]) -> f64 {
    let squares = [t[1] - t[0], t[2] - t[1], t[0] - t[2]].map(|e| e.length_squared());
    squares.into_iter().fold(0.0, max).sqrt()
}
