//! Two bodies compared from coarse to fine (P0 Algorithm 5.1): all pairs, or pairs of surrogates of their trees, level by level.

use super::meeting::{Each, meeting};
use super::product::{Listed, Product, Rows};
use crate::failure::Failure;
use dem_std::Triangles;
use dem_std::dem_core::pose::Transform;
use dem_std::dem_core::published::triangle::Hybrid;
use dem_std::dem_core::simd::Isa;
use dem_std::dem_core::surrogate::{Below, Surrogate, TreeRef, WIDTH};
use dem_std::dem_core::triangle::Source;
use std::ops::Range;
use std::time::Instant;

/// Added to the halos of surrogates in comparisons, for bodies of diameter 1: more than coordinates lose by translation and by rounding to f32.
const ROUNDED: f32 = 2e-6;

/// A surrogate or a triangle of the mesh.
struct Item {
    corners: [[f64; 3]; 3],
    halo: f32,
    /// The children, as a range of items; empty for a triangle of the mesh.
    below: Range<u32>,
    /// The number of a triangle of the mesh.
    triangle: u32,
}

/// A mesh and its tree as one list, parents before children, in the frame of the body.
pub struct Levels {
    items: Vec<Item>,
    /// For each triangle of the mesh, its index in the list.
    fine: Vec<u32>,
    halo: f32,
}

impl Levels {
    /// `place` is the rigid motion from the mesh's frame to that of the body.
    pub fn new(mesh: &Triangles, halo: f64, tree: &TreeRef<'_>, place: &Transform) -> Self {
        let (mut items, mut fine) = (Vec::new(), vec![0; mesh.len()]);
        let mut sources = vec![Below::Surrogate(Surrogate::Root)];
        while let Some(source) = sources.get(items.len()).copied() {
            let from = sources.len() as u32;
            let (corners, halo, triangle) = match source {
                Below::Triangle(i) => {
                    fine[i as usize] = items.len() as u32;
                    (mesh.triangle(i as usize), halo, i)
                }
                Below::Surrogate(which) => {
                    sources.extend(tree.below(which));
                    let (corners, halo) = tree.surrogate(which);
                    (corners, halo, 0)
                }
            };
            let corners = corners.map(|v| place.apply(v));
            items.push(Item { corners, halo: halo as f32, below: from..sources.len() as u32, triangle });
        }
        Levels { items, fine, halo: halo as f32 }
    }

    /// All corners under a pose.
    pub fn placed(&self, pose: &Transform) -> Placed<'_> {
        let rows =
            |items: &mut dyn Iterator<Item = &Item>| Rows::of(items.map(|item| item.corners.map(|v| pose.apply(v))));
        let all = rows(&mut self.items.iter());
        let fine = rows(&mut self.fine.iter().map(|i| &self.items[*i as usize]));
        Placed { levels: self, all, fine }
    }
}

/// A mesh and its tree under a pose.
pub struct Placed<'a> {
    levels: &'a Levels,
    all: Rows,
    fine: Rows,
}

impl Placed<'_> {
    /// The corners of a triangle of the mesh.
    pub fn triangle(&self, i: u32) -> [[f64; 3]; 3] {
        self.fine.triangle(i as usize)
    }
}

/// Which pairs are compared.
#[derive(Clone, Copy, PartialEq)]
pub enum Method {
    /// Each triangle of one mesh with each of the other.
    Flat,
    /// Pairs of surrogates, level by level. If two meet, the children of both are compared with each other, as printed.
    Both,
    /// The same, but only the surrogate with the larger halo is replaced by its children.
    Larger,
}

/// The work of a comparison, and its result.
#[derive(Clone, Default)]
pub struct Counted {
    /// Pairs that were compared.
    pub pairs: u64,
    /// The compared pairs that the exact kernel computed.
    pub exact: u64,
    pub seconds: f64,
    /// Triangles of both meshes in contact, in order.
    pub contacts: Vec<(u32, u32)>,
}

impl Counted {
    fn compare(
        &mut self,
        hybrid: Option<&Hybrid>,
        source: &dyn Source<f32>,
        each: Each<'_>,
    ) -> Result<Vec<usize>, Failure> {
        let met = meeting(Isa::best(), hybrid, source, each)?;
        self.pairs += source.len() as u64;
        self.exact += met.exact;
        Ok(met.pairs)
    }
}

/// Finds the triangles in contact; without a hybrid, the exact kernel compares.
pub fn compare(method: Method, hybrid: Option<&Hybrid>, a: &Placed<'_>, b: &Placed<'_>) -> Result<Counted, Failure> {
    let mut counted = Counted::default();
    let start = Instant::now();
    if method == Method::Flat {
        let product = Product(&a.fine, &b.fine);
        let met = counted.compare(hybrid, &product, Each::Same(a.levels.halo + b.levels.halo))?;
        let n = b.levels.fine.len();
        counted.contacts = met.into_iter().map(|at| ((at / n) as u32, (at % n) as u32)).collect();
    } else {
        over_levels(method, hybrid, a, b, &mut counted)?;
    }
    counted.seconds = start.elapsed().as_secs_f64();
    counted.contacts.sort_unstable();
    Ok(counted)
}

fn over_levels(
    method: Method,
    hybrid: Option<&Hybrid>,
    a: &Placed<'_>,
    b: &Placed<'_>,
    counted: &mut Counted,
) -> Result<(), Failure> {
    let mut open = vec![(0, 0)];
    while !open.is_empty() {
        let threshold = |&(i, j): &(u32, u32)| {
            let (x, y) = (&a.levels.items[i as usize], &b.levels.items[j as usize]);
            let rounded = if x.below.is_empty() && y.below.is_empty() { 0.0 } else { ROUNDED };
            x.halo + y.halo + rounded
        };
        let thresholds: Vec<f32> = open.iter().map(threshold).collect();
        let source = Listed { a: &a.all, b: &b.all, pairs: &open };
        let met = counted.compare(hybrid, &source, Each::Own(&thresholds))?;
        let mut next = Vec::with_capacity(met.len() * WIDTH);
        for (i, j) in met.into_iter().map(|at| open[at]) {
            let (x, y) = (&a.levels.items[i as usize], &b.levels.items[j as usize]);
            let (of_x, of_y) = match (x.below.is_empty(), y.below.is_empty()) {
                (true, true) => {
                    counted.contacts.push((x.triangle, y.triangle));
                    continue;
                }
                (true, false) => (false, true),
                (false, true) => (true, false),
                (false, false) if method == Method::Both => (true, true),
                (false, false) => (x.halo >= y.halo, x.halo < y.halo),
            };
            let of_x = if of_x { x.below.clone() } else { i..i + 1 };
            let of_y = if of_y { y.below.clone() } else { j..j + 1 };
            next.extend(of_x.flat_map(|i| of_y.clone().map(move |j| (i, j))));
        }
        open = next;
    }
    Ok(())
}
