//! Defects of a shape.
//!
//! Bad meshes are accepted: no triangle is dropped, and distances and pairs are right for any mesh. The functions of this chapter tell the defects,
//! their places, and what still works. Vertices with equal stored positions count as one.
//!
//! Forces need more than distances do. Contacts are complete if three conditions hold. The report has `DEM_WORKS_INSIDE`. Its only
//! `inward_components` are hollows. It has no edges that are open, non-manifold or inconsistent. Otherwise some contacts lack a part of the
//! force.

use core::ffi::c_void;

use dem_core::error::{Result, What};
use dem_core::mesh::{self, Component, Defect, InspectOptions, Inspection, MeshRef, Report, works};
use dem_core::surrogate::{TreeRef, least_thickness};

use crate::edge;
use crate::errors::dem_error;
use crate::inputs::{self, Input};
use crate::layouts::fixed;
use crate::memory::{self as blocks, Scratch};
use crate::records::Records;
use crate::shapes::{self, DEM_NO_ID, dem_shape};

/// A triangle with three equal corners. It behaves as a point.
pub const DEM_DEFECT_POINT: u32 = 0;
/// A triangle with two equal corners. It behaves as a segment.
pub const DEM_DEFECT_TWO_EQUAL: u32 = 1;
/// A triangle with three different corners exactly on one line. It behaves as a segment.
pub const DEM_DEFECT_COLLINEAR: u32 = 2;
/// A triangle whose height is at most `resolution` of the mesh's radius.
pub const DEM_DEFECT_NEARLY_COLLINEAR: u32 = 3;
/// Any other triangle whose height is at most `needle` of its longest side.
pub const DEM_DEFECT_NEEDLE: u32 = 4;
/// A triangle with the corners of an earlier one and the same orientation; `other` is the first one like it.
pub const DEM_DEFECT_DUPLICATE: u32 = 5;
/// A triangle with the corners of an earlier one and the opposite orientation; `other` is the first one like it.
pub const DEM_DEFECT_REVERSED_COPY: u32 = 6;
/// A triangle oriented against most of its component. If all of these are reversed, the component is consistent.
pub const DEM_DEFECT_REVERSED_TRIANGLE: u32 = 7;
/// A side that no other triangle shares.
pub const DEM_DEFECT_OPEN_EDGE: u32 = 8;
/// A side that three or more triangles share; all of them are listed.
pub const DEM_DEFECT_NON_MANIFOLD_EDGE: u32 = 11;
/// A side with the same direction in both triangles; both are listed, and `other` is the neighbour.
pub const DEM_DEFECT_INCONSISTENT_EDGE: u32 = 14;
/// A vertex that no triangle uses.
pub const DEM_DEFECT_UNUSED_VERTEX: u32 = 17;

/// Distances, pairs within a distance, closest points: with every mesh.
pub const DEM_WORKS_DISTANCES: u64 = 1;
/// Inside and outside: the surface is closed and consistently oriented.
pub const DEM_WORKS_INSIDE: u64 = 2;
/// Mass properties without an error: as for inside, and there is a volume.
pub const DEM_WORKS_MASS: u64 = 4;

/// At every edge, as many triangles of the component have one direction as the other.
pub const DEM_COMPONENT_CLOSED: u32 = 1;
/// Its triangles can be oriented so that all neighbours agree.
pub const DEM_COMPONENT_ORIENTABLE: u32 = 2;
/// It is closed, and most of its triangles look inward: a hollow, or a body turned inside out.
pub const DEM_COMPONENT_INWARD: u32 = 4;

// The numbers of the core are passed to C unchanged, so the constants must be equal.
const _: () = {
    assert!(DEM_DEFECT_POINT == Defect::Point as u32 && DEM_DEFECT_TWO_EQUAL == Defect::TwoEqual as u32);
    assert!(DEM_DEFECT_COLLINEAR == Defect::Collinear as u32 && DEM_DEFECT_NEEDLE == Defect::Needle as u32);
    assert!(DEM_DEFECT_NEARLY_COLLINEAR == Defect::NearlyCollinear as u32);
    assert!(DEM_DEFECT_DUPLICATE == Defect::Duplicate as u32 && DEM_DEFECT_OPEN_EDGE == Defect::OpenEdge as u32);
    assert!(DEM_DEFECT_REVERSED_COPY == Defect::ReversedCopy as u32);
    assert!(DEM_DEFECT_REVERSED_TRIANGLE == Defect::ReversedTriangle as u32);
    assert!(DEM_DEFECT_NON_MANIFOLD_EDGE == Defect::NonManifoldEdge as u32);
    assert!(DEM_DEFECT_INCONSISTENT_EDGE == Defect::InconsistentEdge as u32);
    assert!(DEM_DEFECT_UNUSED_VERTEX == Defect::UnusedVertex as u32);
    assert!(DEM_WORKS_DISTANCES == works::DISTANCES && DEM_WORKS_INSIDE == works::INSIDE);
    assert!(DEM_WORKS_MASS == works::MASS && DEM_COMPONENT_CLOSED == Component::CLOSED);
    assert!(DEM_COMPONENT_ORIENTABLE == Component::ORIENTABLE && DEM_COMPONENT_INWARD == Component::INWARD);
};

/// Settings of an inspection: which defects, from which size on.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct dem_inspect_options {
    /// `sizeof(dem_inspect_options)`.
    pub struct_size: u32,
    /// Which defects `dem_shape_findings` lists: bit d for defect d, such as `1u << DEM_DEFECT_OPEN_EDGE`; all by default.
    pub defects: u32,
    /// A triangle is nearly collinear if its height is at most this fraction of the mesh's radius. 2^-23 by default, the height that a
    /// collinear triangle may get when a file stores it in single precision.
    pub resolution: f64,
    /// Any other triangle is a needle if its height is at most this fraction of its longest side; 1e-4 by default.
    pub needle: f64,
}

fixed!(dem_inspect_options { struct_size: u32, defects: u32, resolution: f64, needle: f64 });

// SAFETY: `struct_size` is the first field, and all fields are plain numbers.
unsafe impl Input for dem_inspect_options {
    const DEFAULT: Self = dem_inspect_options {
        struct_size: size_of::<dem_inspect_options>() as u32,
        defects: u32::MAX,
        resolution: f32::EPSILON as f64,
        needle: 1e-4,
    };
}

/// The result of an inspection: numbers of defects, and what works.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct dem_report {
    /// Triangles.
    pub triangles: u64,
    /// Vertices from which the shape was built.
    pub vertices: u64,
    /// Different positions among them.
    pub positions: u64,
    /// Triangles that are `DEM_DEFECT_POINT`.
    pub points: u64,
    /// Triangles that are `DEM_DEFECT_TWO_EQUAL`.
    pub two_equal: u64,
    /// Triangles that are `DEM_DEFECT_COLLINEAR`.
    pub collinear: u64,
    /// Triangles that are `DEM_DEFECT_NEARLY_COLLINEAR`.
    pub nearly_collinear: u64,
    /// Triangles that are `DEM_DEFECT_NEEDLE`.
    pub needles: u64,
    /// Triangles that are `DEM_DEFECT_DUPLICATE`.
    pub duplicates: u64,
    /// Triangles that are `DEM_DEFECT_REVERSED_COPY`.
    pub reversed_copies: u64,
    /// Triangles that are `DEM_DEFECT_REVERSED_TRIANGLE`.
    pub reversed_triangles: u64,
    /// Vertices that are `DEM_DEFECT_UNUSED_VERTEX`.
    pub unused_vertices: u64,
    /// Edges of triangles with three different corners.
    pub edges: u64,
    /// Edges of one triangle, without copies.
    pub open_edges: u64,
    /// Connected sets of open edges: holes and rims. Those that touch in a vertex count as one.
    pub open_loops: u64,
    /// Edges of three or more triangles, without copies.
    pub non_manifold_edges: u64,
    /// Edges with the same direction in both of their triangles.
    pub inconsistent_edges: u64,
    /// Edges that do not have as many triangles of one direction as of the other, including copies. If there are none, the surface is
    /// closed.
    pub unbalanced_edges: u64,
    /// Connected components: sets of triangles connected by neighbours.
    pub components: u64,
    /// Components that are `DEM_COMPONENT_CLOSED`.
    pub closed_components: u64,
    /// Components that are `DEM_COMPONENT_INWARD`.
    pub inward_components: u64,
    /// Components that cannot be oriented consistently, such as a Moebius strip.
    pub non_orientable_components: u64,
    /// Bits `DEM_WORKS_*`: the functions that work with this mesh.
    pub works: u64,
    /// The least thickness: the shortest line from the middle of a triangle, inwards and at a right angle to it, to a face that looks the
    /// opposite way (normals more than 120 degrees apart). Infinite where no line meets such a face, as in an open sheet. Halos of both
    /// bodies of a contact should be thinner.
    pub thickness: f64,
    /// The triangles where this line begins and ends. `DEM_NO_ID` where there is none.
    pub thinnest: [u32; 2],
}

fixed!(dem_report {
    triangles: u64,
    vertices: u64,
    positions: u64,
    points: u64,
    two_equal: u64,
    collinear: u64,
    nearly_collinear: u64,
    needles: u64,
    duplicates: u64,
    reversed_copies: u64,
    reversed_triangles: u64,
    unused_vertices: u64,
    edges: u64,
    open_edges: u64,
    open_loops: u64,
    non_manifold_edges: u64,
    inconsistent_edges: u64,
    unbalanced_edges: u64,
    components: u64,
    closed_components: u64,
    inward_components: u64,
    non_orientable_components: u64,
    works: u64,
    thickness: f64,
    thinnest: [u32; 2],
});

impl From<Report> for dem_report {
    fn from(r: Report) -> Self {
        dem_report {
            triangles: r.triangles,
            vertices: r.vertices,
            positions: r.positions,
            points: r.points,
            two_equal: r.two_equal,
            collinear: r.collinear,
            nearly_collinear: r.nearly_collinear,
            needles: r.needles,
            duplicates: r.duplicates,
            reversed_copies: r.reversed_copies,
            reversed_triangles: r.reversed_triangles,
            unused_vertices: r.unused_vertices,
            edges: r.edges,
            open_edges: r.open_edges,
            open_loops: r.open_loops,
            non_manifold_edges: r.non_manifold_edges,
            inconsistent_edges: r.inconsistent_edges,
            unbalanced_edges: r.unbalanced_edges,
            components: r.components,
            closed_components: r.closed_components,
            inward_components: r.inward_components,
            non_orientable_components: r.non_orientable_components,
            works: r.works,
            thickness: f64::INFINITY,
            thinnest: [DEM_NO_ID; 2],
        }
    }
}

/// One place of a defect.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct dem_finding {
    /// `DEM_DEFECT_*`.
    pub defect: u32,
    /// The triangle, or the vertex of `DEM_DEFECT_UNUSED_VERTEX`.
    pub item: u32,
    /// For a defect of a side: the side from corner `side` to corner `side` + 1. Else `DEM_NO_ID`.
    pub side: u32,
    /// The other triangle, if the defect has one. Else `DEM_NO_ID`.
    pub other: u32,
}

fixed!(dem_finding { defect: u32, item: u32, side: u32, other: u32 });

/// A set of triangles connected by neighbours.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct dem_component {
    /// Signed volume with all triangles oriented like the majority; 0 if the component is not orientable. If it is open, the volume after a
    /// cone to the middle of the mesh has closed it.
    pub volume: f64,
    /// Area.
    pub area: f64,
    /// Its first triangle.
    pub first: u32,
    /// Number of its triangles.
    pub triangles: u32,
    /// Number of its triangles that are `DEM_DEFECT_REVERSED_TRIANGLE`.
    pub reversed: u32,
    /// Bits `DEM_COMPONENT_*`.
    pub state: u32,
}

fixed!(dem_component { volume: f64, area: f64, first: u32, triangles: u32, reversed: u32, state: u32 });

impl From<Component> for dem_component {
    fn from(c: Component) -> Self {
        let Component { volume, area, first, triangles, reversed, state } = c;
        dem_component { volume, area, first, triangles, reversed, state }
    }
}

/// Inspects a shape: counts of every defect, and the functions that work.
///
/// Outputs: `report`: the function writes `report_size` bytes, at most `sizeof(dem_report)`.
/// Inputs: `report_size`: `sizeof(dem_report)`. `shape`. `options` (may be null: the defaults). `scratch`, `scratch_size`: at any
/// alignment.
/// Memory: scratch must not overlap the shape.
/// Errors: `DEM_ERROR_NULL`; `DEM_ERROR_MISALIGNED`, `DEM_ERROR_DAMAGED`, `DEM_ERROR_BUSY`, `DEM_ERROR_POISONED`: the shape;
/// `DEM_ERROR_CAPACITY`: scratch; `DEM_ERROR_OUT_OF_RANGE`: `resolution` or `needle` that is negative or not finite; `DEM_ERROR_BAD_SIZE`;
/// `DEM_ERROR_OVERLAP`.
/// Cost: some 8 microseconds a triangle of a sphere, most of it for the thickness; O(n log n). Many copies, pages on one edge, and triangles below a
/// billionth of the mesh's size cost O(n^2).
/// Threads: any number at a time, each with scratch of its own.
/// Determinism: the same bits on every machine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_shape_inspect(
    report: *mut dem_report,
    report_size: usize,
    shape: *const dem_shape,
    options: *const dem_inspect_options,
    scratch: *mut c_void,
    scratch_size: usize,
    error: *mut dem_error,
) -> i32 {
    edge::call(error, || {
        // SAFETY: the caller guarantees the memory behind pointers that are not null, for the whole call.
        unsafe {
            let found: dem_report =
                inspected(shape, options, Scratch::new(scratch, scratch_size), |inspection, (mesh, tree), _, _| {
                    let report = dem_report::from(inspection.report);
                    Ok(least_thickness(mesh, tree).map_or(report, |least| dem_report {
                        thickness: least.length,
                        thinnest: least.triangles,
                        ..report
                    }))
                })?;
            inputs::write_record(report, report_size, &found, What::Output)
        }
    })
}

/// Inspects a shape, and lists its defects with their places: ordered by defect, then by item, then by side.
///
/// Outputs: `findings` (may be null if `capacity` is 0): `capacity` records, each `stride` bytes after the one before (0: packed). The
/// function writes min(`stride`, `sizeof(dem_finding)`) bytes of each. `count` (may be null): how many there are, even if they are more
/// than `capacity`.
/// Inputs: `shape`. `options` (may be null: the defaults): among them the list of defects. `scratch`, `scratch_size`: at any alignment.
/// Memory: scratch and records must not overlap each other nor the shape.
/// Errors: `DEM_ERROR_CAPACITY` about `output`: `needed` records; then no record is written. Those of `dem_shape_inspect`.
/// Cost: as for `dem_shape_inspect`.
/// Threads: any number at a time, each with records and scratch of its own.
/// Determinism: the same bits on every machine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_shape_findings(
    findings: *mut dem_finding,
    capacity: usize,
    stride: usize,
    count: *mut usize,
    shape: *const dem_shape,
    options: *const dem_inspect_options,
    scratch: *mut c_void,
    scratch_size: usize,
    error: *mut dem_error,
) -> i32 {
    edge::call(error, || {
        let records = Records::new(findings, capacity, stride)?;
        let scratch = Scratch::new(scratch, scratch_size);
        scratch.apart_from(records.bytes())?;
        // SAFETY: the caller guarantees the memory behind pointers that are not null, for the whole call.
        unsafe {
            inspected(shape, options, scratch, |inspection, _, options, block| {
                blocks::apart(records.bytes(), block, What::Output)?;
                let wanted = |d: &Defect| options.defects >> *d as u32 & 1 != 0;
                let all = || Defect::ALL.into_iter().filter(wanted).flat_map(|defect| of(inspection, defect));
                records.write(count, all().count(), all())
            })
        }
    })
}

/// All findings of one defect.
fn of(inspection: &Inspection<'_>, defect: Defect) -> impl Iterator<Item = dem_finding> {
    let record =
        move |f: mesh::Finding| dem_finding { defect: defect as u32, item: f.item, side: f.side, other: f.other };
    inspection.findings(defect).map(record)
}

/// Inspects a shape, and lists its connected components, ordered by their first triangle.
///
/// Triangles with two equal corners and copies of earlier triangles belong to no component.
///
/// Outputs: `components`, `capacity`, `stride`, `count`: as the outputs of `dem_shape_findings`.
/// Inputs: `shape`. `options` (may be null: the defaults). `scratch`, `scratch_size`: at any alignment.
/// Memory: scratch and records must not overlap each other nor the shape.
/// Errors: those of `dem_shape_findings`.
/// Cost: as for `dem_shape_inspect`.
/// Threads: any number at a time, each with records and scratch of its own.
/// Determinism: the same bits on every machine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_shape_components(
    components: *mut dem_component,
    capacity: usize,
    stride: usize,
    count: *mut usize,
    shape: *const dem_shape,
    options: *const dem_inspect_options,
    scratch: *mut c_void,
    scratch_size: usize,
    error: *mut dem_error,
) -> i32 {
    edge::call(error, || {
        let records = Records::new(components, capacity, stride)?;
        let scratch = Scratch::new(scratch, scratch_size);
        scratch.apart_from(records.bytes())?;
        // SAFETY: the caller guarantees the memory behind pointers that are not null, for the whole call.
        unsafe {
            inspected(shape, options, scratch, |inspection, _, _, block| {
                blocks::apart(records.bytes(), block, What::Output)?;
                let all = inspection.components.iter().map(|c| dem_component::from(*c));
                records.write(count, inspection.components.len(), all)
            })
        }
    })
}

/// Runs `body` with an inspection, its options, and the bytes of the shape's block.
///
/// # Safety
/// Pointers that are not null point at a shape, options and scratch.
unsafe fn inspected<R>(
    shape: *const dem_shape,
    options: *const dem_inspect_options,
    scratch: Scratch,
    body: impl FnOnce(
        &Inspection<'_>,
        (&MeshRef<'_>, &TreeRef<'_>),
        &dem_inspect_options,
        (*const c_void, usize),
    ) -> Result<R>,
) -> Result<R> {
    // SAFETY: by this function's contract.
    let options = unsafe { inputs::read(options, What::Options) }?;
    let limits = InspectOptions { resolution: options.resolution, needle: options.needle };
    // SAFETY: by this function's contract.
    unsafe {
        shapes::opened(shape, What::Handle, |(mesh, tree, block)| {
            scratch.apart_from(block)?;
            let bytes = scratch.take(mesh::inspect_scratch(&mesh.sizes)?)?;
            body(&mesh::inspect(mesh, &limits, bytes)?, (&mesh, &tree), &options, block)
        })
    }
}

#[cfg(test)]
mod tests;
