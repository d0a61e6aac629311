//! The defects of a mesh, their places, and the functions that still work.

use super::block::{MeshRef, MeshSizes, NONE};
use super::build::records;
use super::components::{Search, find};
use super::edges::{Side, copies, sorted_sides};
use super::moments::{Frame, Moments};
use super::report::{Component, Defect, Finding, NOT_TESTED, Report, is_copy, set, works};
use super::triangle_quality::{Limits, Thinness, thinness};
use super::union_find::Sets;
use super::weld::Record;
use crate::error::{Error, Kind, Result, What};
use crate::memory::{Layout, Sizes, sections};

/// Thresholds for the shape of triangles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InspectOptions {
    /// A triangle is nearly collinear if its height is at most this fraction of the mesh's radius. Default 2^-23, the height that a
    /// collinear triangle may get when a file stores it in f32.
    pub resolution: f64,
    /// Any other triangle is a needle if its height is at most this fraction of its longest side. Default 1e-4.
    pub needle: f64,
}

impl Default for InspectOptions {
    fn default() -> Self {
        InspectOptions { resolution: f64::from(f32::EPSILON), needle: 1e-4 }
    }
}

impl InspectOptions {
    fn check(&self) -> Result<()> {
        for (x, what) in [(self.resolution, What::Resolution), (self.needle, What::Needle)] {
            if !x.is_finite() || x < 0.0 {
                return Err(Error::new(Kind::OutOfRange, what));
            }
        }
        Ok(())
    }
}

/// The result, in the scratch with which it was computed.
#[derive(Clone, Copy)]
pub struct Inspection<'s> {
    /// The counts.
    pub report: Report,
    /// Flags of each triangle: bit [`Defect::bit`] for each of its defects; for defects of sides, three consecutive bits.
    pub flags: &'s [u32],
    /// The component of each triangle, as an index in `components`; [`NONE`] for triangles with two equal corners and for copies.
    pub component: &'s [u32],
    /// The connected components, ordered by their first triangle.
    pub components: &'s [Component],
    first: &'s [u32],
    used: &'s [u32],
    neighbour: &'s [[u32; 3]],
}

impl<'s> Inspection<'s> {
    /// The places of `defect` in the mesh: triangles, sides or vertices in ascending order. Gives their number.
    ///
    /// Errors: [`Kind::Capacity`] with that number if `out` is shorter; nothing is then written. Cost: linear.
    pub fn list(&self, defect: Defect, out: &mut [Finding]) -> Result<usize> {
        let count = self.findings(defect).count();
        let given = out.len();
        let Some(to) = out.get_mut(..count) else {
            return Err(Error::capacity(What::Output, count as u64, given as u64));
        };
        to.iter_mut().zip(self.findings(defect)).for_each(|(to, finding)| *to = finding);
        Ok(count)
    }

    /// As [`Inspection::list`], as an iterator.
    pub fn findings(&self, defect: Defect) -> impl Iterator<Item = Finding> + use<'s> {
        let Inspection { flags, first, used, neighbour, .. } = *self;
        let of_vertices = defect == Defect::UnusedVertex;
        let vertices = if of_vertices { used } else { &[] };
        let sides = if defect.is_of_sides() { 3 } else { 1 };
        let triangles = if of_vertices { &[] } else { flags };
        let unused = vertices.iter().enumerate().filter(|(_, used)| **used == 0);
        let unused = unused.map(|(i, _)| Finding { item: i as u32, side: NONE, other: NONE });
        let bad = triangles.iter().enumerate().flat_map(move |(i, flags)| {
            (0..sides).filter(move |k| flags >> (defect.bit() + k) & 1 != 0).map(move |k| (i, k))
        });
        let other = move |i: usize, k: u32| match defect {
            Defect::Duplicate | Defect::ReversedCopy => first.get(i).copied(),
            Defect::InconsistentEdge => neighbour.get(i).and_then(|n| n.get(k as usize)).copied(),
            _ => None,
        };
        bad.map(move |(i, k)| Finding {
            item: i as u32,
            side: if sides == 3 { k } else { NONE },
            other: other(i, k).unwrap_or(NONE),
        })
        .chain(unused)
    }
}

/// Scratch of [`inspect`]: about 100 bytes a triangle and 4 a vertex.
///
/// Errors: those of the sizes' own check; [`Kind::TooLarge`].
pub fn inspect_scratch(n: &MeshSizes) -> Result<Layout> {
    n.check()?;
    Memory::layout(n)
}

sections! {
    /// Memory of an inspection.
    struct Memory<'s>(n: &MeshSizes; triangles = u64::from(n.triangles)) {
        records: [Record; records(n)],
        flags: [u32; triangles],
        component: [u32; triangles],
        first: [u32; triangles],
        queue: [u32; triangles],
        marks: [u32; u64::from(n.vertices)],
        components: [Component; triangles],
    }
}

/// Inspects a mesh. It changes nothing. A mesh can be used in spite of all defects.
///
/// Errors: [`Kind::OutOfRange`] for options; [`Kind::Misaligned`] and [`Kind::Capacity`] for `scratch`, which has the size of
/// [`inspect_scratch`]. Cost: O(n log n), two sorts.
pub fn inspect<'s>(mesh: MeshRef<'s>, options: &InspectOptions, scratch: &'s mut [u8]) -> Result<Inspection<'s>> {
    options.check()?;
    let memory = Memory::new(scratch, &mesh.sizes)?;
    let Memory { records, flags, component, first, queue, marks, components } = memory;
    flags.fill(0);
    component.fill(NONE);
    first.fill(NONE);
    let mut report = Report { self_intersections: NOT_TESTED, ..Report::default() };
    mark_thin(mesh, options, flags);
    copies(mesh, records, |of| {
        set(flags, of.copy, if of.backward { Defect::ReversedCopy } else { Defect::Duplicate }, 0);
        if let Some(to) = first.get_mut(of.copy as usize) {
            *to = of.original;
        }
    });
    let sides = sorted_sides(mesh, records);
    mark_edges(sides, flags, marks, &mut report);
    let frame = Frame::of(mesh);
    let search = Search { flags: &mut *flags, component: &mut *component, queue };
    let found = find(mesh, frame, sides, search, components);
    let components = components.get(..found).unwrap_or_default();
    report.components = components.len() as u64;
    report.closed_components = components.iter().filter(|c| c.is(Component::CLOSED)).count() as u64;
    report.inward_components = components.iter().filter(|c| c.is(Component::INWARD)).count() as u64;
    report.non_orientable_components = components.iter().filter(|c| !c.is(Component::ORIENTABLE)).count() as u64;
    mark_used(mesh, marks, &mut report);
    count(flags, &mut report);
    report.works = what_works(mesh, frame, &report);
    let (flags, component, first, used) = (&*flags, &*component, &*first, &*marks);
    Ok(Inspection { report, flags, component, components, first, used, neighbour: mesh.neighbour })
}

fn mark_thin(mesh: MeshRef<'_>, options: &InspectOptions, flags: &mut [u32]) {
    let limits = Limits { height: options.resolution * mesh.radius(), needle: options.needle };
    for i in 0..mesh.len() {
        let defect = match thinness(mesh.welded(i), mesh.triangle(i), limits) {
            Thinness::None => continue,
            Thinness::Point => Defect::Point,
            Thinness::TwoEqual => Defect::TwoEqual,
            Thinness::Collinear => Defect::Collinear,
            Thinness::NearlyCollinear => Defect::NearlyCollinear,
            Thinness::Needle => Defect::Needle,
        };
        set(flags, i as u32, defect, 0);
    }
}

/// Marks sides on open, non-manifold and inconsistent edges; counts edges and sets of open edges.
fn mark_edges(sides: &[Record], flags: &mut [u32], parent: &mut [u32], report: &mut Report) {
    let mut sets = Sets::new(parent);
    for group in sides.chunk_by(|a, b| a[0] == b[0]) {
        let all = || group.iter().map(|record| Side::unpack(*record));
        let balance = all().fold(0i64, |sum, side| sum + if side.backward { -1 } else { 1 });
        report.unbalanced_edges += (balance != 0) as u64;
        let regular = || all().filter(|side| !is_copy(flags, side.triangle));
        report.edges += 1;
        let defect = match regular().count() {
            1 => {
                report.open_edges += 1;
                all().take(1).for_each(|side| sets.join(side.ends));
                Defect::OpenEdge
            }
            2 if regular().all(|side| side.backward) || regular().all(|side| !side.backward) => {
                report.inconsistent_edges += 1;
                Defect::InconsistentEdge
            }
            0 | 2 => continue,
            _ => {
                report.non_manifold_edges += 1;
                Defect::NonManifoldEdge
            }
        };
        for side in all() {
            if !is_copy(flags, side.triangle) {
                set(flags, side.triangle, defect, side.side);
            }
        }
    }
    report.open_loops = sets.count();
}

fn mark_used(mesh: MeshRef<'_>, used: &mut [u32], report: &mut Report) {
    used.fill(0);
    for vertex in mesh.vertex.iter().flatten() {
        if let Some(to) = used.get_mut(*vertex as usize) {
            *to = 1;
        }
    }
    report.unused_vertices = used.iter().filter(|used| **used == 0).count() as u64;
    report.positions = mesh.weld.iter().enumerate().filter(|(i, first)| *i == **first as usize).count() as u64;
    report.vertices = mesh.weld.len() as u64;
    report.triangles = mesh.len() as u64;
}

fn count(flags: &[u32], report: &mut Report) {
    let many = |defect: Defect| flags.iter().filter(|f| *f >> defect.bit() & 1 != 0).count() as u64;
    report.points = many(Defect::Point);
    report.two_equal = many(Defect::TwoEqual);
    report.collinear = many(Defect::Collinear);
    report.nearly_collinear = many(Defect::NearlyCollinear);
    report.needles = many(Defect::Needle);
    report.duplicates = many(Defect::Duplicate);
    report.reversed_copies = many(Defect::ReversedCopy);
    report.reversed_triangles = many(Defect::ReversedTriangle);
}

fn what_works(mesh: MeshRef<'_>, frame: Frame, report: &Report) -> u64 {
    if report.unbalanced_edges != 0 {
        return works::DISTANCES;
    }
    let mut moments = Moments::default();
    for i in 0..mesh.len() {
        moments.add(1.0, frame.triangle(mesh, i));
    }
    works::DISTANCES | works::INSIDE | if moments.is_flat() { 0 } else { works::MASS }
}
