//! Constants and structs of which triangles are in contact.

use dem_core::published::triangle::Iterative;

use crate::arrays::{NO_ARRAY, UNWANTED, dem_array, dem_output};
use crate::inputs::Input;
use crate::isa::DEM_ISA_BEST;
use crate::layouts::fixed;

/// Farther apart than the threshold.
pub const DEM_VERDICT_NONE: u32 = 0;
/// In contact: not farther apart than the threshold.
pub const DEM_VERDICT_CONTACT: u32 = 1;
/// Not decided; only without a fallback.
pub const DEM_VERDICT_UNRESOLVED: u32 = 2;

/// A sweep is a step on the distance, then one on the penalty, each by the diagonal of its Hessian: P0 (3.2) as printed.
pub const DEM_SCHEME_SPLITTING: u32 = 1;
/// One Newton step for distance and penalty together (P4 section 4.2).
pub const DEM_SCHEME_NEWTON: u32 = 2;
/// A step along the scaled gradient with the best length, then a projection back into the triangles.
pub const DEM_SCHEME_PROJECTED: u32 = 3;

/// The search ends if the functional changes by at most `c` * threshold / 2 * `unit` in the last sweep: P0 Algorithm 3.1. Results may be
/// wrong in both directions.
pub const DEM_CRITERION_FUNCTIONAL: u32 = 1;
/// The search ends if the contact point moves by at most `c` * threshold / 2: P0 section 6.3. Results may be wrong.
pub const DEM_CRITERION_CONTACT_POINT: u32 = 2;
/// Bounds of the distance prove each result.
pub const DEM_CRITERION_CERTIFIED: u32 = 3;

/// Pairs that are not decided stay unresolved.
pub const DEM_FALLBACK_NONE: u32 = 0;
/// The exact kernel decides these pairs.
pub const DEM_FALLBACK_PAIRS: u32 = 1;
/// The exact kernel decides these pairs and all other pairs of their batch of `batch` pairs, as P0 packs them.
pub const DEM_FALLBACK_BATCHES: u32 = 2;

/// How contacts are computed.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct dem_contact_options {
    /// `sizeof(dem_contact_options)`.
    pub struct_size: u32,
    /// One of `DEM_ISA_*`; `DEM_ISA_BEST` by default.
    pub isa: u32,
    /// Precision of the computation: `DEM_F32` or `DEM_F64`; 0, the default: `DEM_F32` if both arrays of triangles are, else `DEM_F64`.
    pub precision: u32,
    /// `DEM_SCHEME_*`; `DEM_SCHEME_NEWTON` by default.
    pub scheme: u32,
    /// `DEM_CRITERION_*`; `DEM_CRITERION_CERTIFIED` by default.
    pub criterion: u32,
    /// Sweeps of the search, up to 1000; 4 by default, as in the papers.
    pub sweeps: u32,
    /// `DEM_FALLBACK_*`; `DEM_FALLBACK_PAIRS` by default.
    pub fallback: u32,
    /// Pairs of a batch with `DEM_FALLBACK_BATCHES`: 1, 2, 4, 8 or 16; 8 by default.
    pub batch: u32,
    /// 1, the default: the exact kernel computes contacts, too, so that contacts, points and distances are its own. 0: the results of the
    /// search are used. Ignored with `DEM_FALLBACK_NONE`.
    pub exact_contacts: u32,
    /// 0.
    pub reserved: u32,
    /// Weight of the penalty, relative to the mean squared edge of the triangle, not negative; 10 by default.
    pub kappa: f64,
    /// Regularisation, relative to the diagonal of the Hessian, not negative; 0.003 by default.
    pub rho: f64,
    /// P0's C, not negative; 1 by default.
    pub c: f64,
    /// Unit of length of `DEM_CRITERION_FUNCTIONAL`, which compares an area with a length; 1 by default.
    pub unit: f64,
    /// The distance up to which all pairs are in contact, such as the sum of both halos (2 epsilon in the papers); finite and not negative,
    /// 0 by default.
    pub threshold: f64,
    /// A threshold for each pair: one number an item. Null data, the default: all have `threshold`.
    pub thresholds: dem_array,
}

fixed!(dem_contact_options {
    struct_size: u32,
    isa: u32,
    precision: u32,
    scheme: u32,
    criterion: u32,
    sweeps: u32,
    fallback: u32,
    batch: u32,
    exact_contacts: u32,
    reserved: u32,
    kappa: f64,
    rho: f64,
    c: f64,
    unit: f64,
    threshold: f64,
    thresholds: dem_array,
});

impl dem_contact_options {
    pub(super) const fn of(parameters: Iterative, exact_contacts: u32) -> Self {
        let Iterative { scheme, criterion, sweeps, kappa, rho, c, unit } = parameters;
        dem_contact_options {
            struct_size: size_of::<dem_contact_options>() as u32,
            isa: DEM_ISA_BEST,
            precision: 0,
            scheme: scheme as u32,
            criterion: criterion as u32,
            sweeps,
            fallback: DEM_FALLBACK_PAIRS,
            batch: 8,
            exact_contacts,
            reserved: 0,
            kappa,
            rho,
            c,
            unit,
            threshold: 0.0,
            thresholds: NO_ARRAY,
        }
    }
}

// SAFETY: `struct_size` is the first field, and all fields are plain numbers and pointers.
unsafe impl Input for dem_contact_options {
    const DEFAULT: Self = dem_contact_options::of(Iterative::CERTIFIED, 1);
}

/// Output arrays: item i belongs to pair i. Arrays that are not needed have null data; after `dem_contact_results_default` all have.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct dem_contact_results {
    /// `sizeof(dem_contact_results)`.
    pub struct_size: u32,
    /// 0.
    pub reserved: u32,
    /// `DEM_VERDICT_*`: one integer of type `DEM_I32` or `DEM_U32`.
    pub verdict: dem_output,
    /// 1 if the exact kernel decided, else 0: one integer.
    pub exact: dem_output,
    /// The distance of the two points below: one number. With `DEM_CRITERION_CERTIFIED`, the distance of the pair is at most this.
    pub distance: dem_output,
    /// With `DEM_CRITERION_CERTIFIED`: the distance of the pair is at least this; with the papers' criteria 0. If the exact kernel decided,
    /// the distance.
    pub lower: dem_output,
    /// A point on A: the closest one if the exact kernel decided, else the point where the search ended: three numbers. With the papers'
    /// criteria it may lie slightly beside the triangle.
    pub point_a: dem_output,
    /// The same on B.
    pub point_b: dem_output,
}

fixed!(dem_contact_results {
    struct_size: u32,
    reserved: u32,
    verdict: dem_output,
    exact: dem_output,
    distance: dem_output,
    lower: dem_output,
    point_a: dem_output,
    point_b: dem_output,
});

// SAFETY: `struct_size` is the first field, and all fields are plain numbers and pointers.
unsafe impl Input for dem_contact_results {
    const DEFAULT: Self = dem_contact_results {
        struct_size: size_of::<dem_contact_results>() as u32,
        reserved: 0,
        verdict: UNWANTED,
        exact: UNWANTED,
        distance: UNWANTED,
        lower: UNWANTED,
        point_a: UNWANTED,
        point_b: UNWANTED,
    };
}

/// How much of the work each kernel did.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct dem_contact_statistics {
    /// Pairs of the call.
    pub pairs: u64,
    /// Pairs in contact.
    pub contacts: u64,
    /// Pairs that the search did not decide: the papers' fallbacks.
    pub unresolved: u64,
    /// Pairs that the exact kernel computed: these, the others of their batches, and contacts if asked for.
    pub exact: u64,
    /// Batches; 0 without `DEM_FALLBACK_BATCHES`.
    pub batches: u64,
    /// Batches with an unresolved pair.
    pub exact_batches: u64,
}

fixed!(dem_contact_statistics {
    pairs: u64,
    contacts: u64,
    unresolved: u64,
    exact: u64,
    batches: u64,
    exact_batches: u64,
});
