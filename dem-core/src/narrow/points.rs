//! Closest points of a mesh to many points, with signed distances: what immersed boundary codes live on.

use zerocopy::{FromBytes, Immutable, IntoBytes};

use super::Operand;
use super::nearest::{Hit, Local, Rim, Search, stack_size};
use super::sign::{Side, decides, is_far, look};
use crate::array::Array;
use crate::error::{Error, Kind, Result, What};
use crate::memory::{Carve, Layout, Plan};
use crate::mesh::{LARGEST, MeshRef, NONE};
use crate::pose::Transform;
use crate::real::Real;
use crate::simd::{Isa, Kernel, Simd, dispatch};
use crate::vector::safe_length;
use crate::vector::sub;

/// Where a mesh is closest to a point, and on which side of it the point is.
#[derive(Clone, Copy, Debug, Default, PartialEq, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub struct PointOnMesh {
    /// The closest triangle, that with the smallest number where several are equally close; [`NONE`] where all are farther
    /// than the bound.
    pub triangle: u32,
    /// Part of it that `point` lies on: a [`Feature`](crate::triangle::Feature) as a number.
    pub feature: u32,
    /// A [`Side`] as a number.
    pub side: u32,
    /// 0 where the side is certain; else bits of [`doubt`](super::doubt): why it is a guess.
    pub doubt: u32,
    /// Distance from the surface, without halos; exactly 0 on it, and only there. Infinite where beyond the bound.
    pub distance: f64,
    /// The same, negative inside. Infinite where beyond the bound.
    pub signed_distance: f64,
    /// The closest point, in world coordinates. Zeros where beyond the bound.
    pub point: [f64; 3],
    /// The unit direction, in world axes, in which the signed distance grows. On the surface the normal of the feature: of
    /// the face, the sum of the two faces' for an edge, weighted by angles for a vertex. Zeros where there is none
    /// (beyond the bound; on the surface of a degenerate triangle).
    pub normal: [f64; 3],
}

impl PointOnMesh {
    const BEYOND: PointOnMesh = PointOnMesh {
        triangle: NONE,
        feature: 0,
        side: Side::Beyond as u32,
        doubt: 0,
        distance: f64::INFINITY,
        signed_distance: f64::INFINITY,
        point: [0.0; 3],
        normal: [0.0; 3],
    };
}

/// Scratch for [`points`]: a few kilobytes, and 48 bytes for each open side of the mesh, up to 4,096 of them. It does not
/// depend on the number of points.
///
/// Errors: [`Kind::TooLarge`].
pub fn points_scratch(operand: &Operand<'_>) -> Result<Layout> {
    let n = stack_size(&operand.tree);
    let mut plan = Plan::new();
    plan.add::<u32>(n).add::<f64>(n);
    Rim::plan(&operand.tree, &mut plan);
    plan.layout(What::Scratch)
}

/// For each of `points` (world coordinates) the closest point of the mesh, its distance, and the side that it is on.
/// `out` gets one record a point, in their order; points farther than `bound` (infinity is allowed) get a record that says
/// so, and cost less: give the width of the band that is of interest.
///
/// Distances are canonical: computed in f64 in the body's frame with one order of operations, so they do not depend on the
/// instruction set, on the other points, or on the tree; a triangle is closest if no other has a smaller one. Whether a
/// point is on the surface is decided by exact predicates on its coordinates in the body's frame (rounded to f64 by the
/// pose, so exact for the identity; to 2^-152 of the size of things).
///
/// The side is that of the generalised winding number ([`winding_numbers`](super::winding_numbers)): inside above 1/2. Where the
/// surface is closed, that is an integer, and found exactly; parts that cross or overlap, copies, flipped triangles and fins
/// do no harm. Where the surface is open and the number within 1/4 of 1/2, the closest feature tells (Baerentzen and Aanaes
/// 2005), and `doubt` says where the two differ. With more than 4,096 open sides the closest feature tells, always in doubt.
/// A side is open where no neighbour runs along it in the other direction. Inverted meshes, whose volume is negative, have the
/// sides exchanged; halos play no part.
///
/// Errors: those of the pose and the scale; [`Kind::NotFinite`] with point and component; [`Kind::OutOfRange`] with point and component
/// where it is 2^1000 or more away from the body's position, in the mesh's units, and for a bound that is negative ([`Kind::NotFinite`] for NaN); [`Kind::Mismatch`]
/// for a tree of another mesh; [`Kind::Capacity`] where `out` or `scratch` is too small. Nothing is then written.
///
/// Cost: logarithmic in the number of triangles for each point near the surface; for each open side some ten nanoseconds a call
/// and one a point; neighbouring points one after another are cheaper. Points do not depend on each other: cut them among
/// threads as you like.
pub fn points(
    isa: Isa,
    operand: &Operand<'_>,
    points: Array<'_>,
    bound: f64,
    out: &mut [PointOnMesh],
    scratch: &mut [u8],
) -> Result<()> {
    let transform = check(operand, points)?;
    super::check_bound(bound)?;
    let given = out.len();
    let Some(out) = out.get_mut(..points.len()) else {
        return Err(Error::capacity(What::Output, points.len() as u64, given as u64));
    };
    let mut carve = Carve::new(scratch, points_scratch(operand)?, What::Scratch)?;
    let stack = carve.take::<u32>(stack_size(&operand.tree))?;
    let gaps = carve.take::<f64>(stack_size(&operand.tree))?;
    let mut rim = Rim::carve(&operand.tree, &mut carve)?;
    let mut search = Search::new(operand, stack, gaps);
    search.fill_rim(&mut rim)?;
    dispatch(isa, Each { search, rim, transform, scale: operand.scale, points, bound: bound / operand.scale, out })
}

/// Whether [`points`] and [`winding_numbers`](super::winding_numbers) take all of them, for callers who hand them over in
/// pieces and want to know before the first.
///
/// Errors: those of [`points`] about the operand and the points.
pub fn check_points(operand: &Operand<'_>, points: Array<'_>) -> Result<()> {
    check(operand, points).map(|_| ())
}

/// Checks the pose, the tree and every point, and gives the body's transform.
pub(super) fn check(operand: &Operand<'_>, points: Array<'_>) -> Result<Transform> {
    if operand.tree.sizes.triangles as usize != operand.mesh.len() {
        return Err(Error::new(Kind::Mismatch, What::Tree));
    }
    super::check_scale(operand.scale, 0)?;
    let transform = operand.pose.transform(What::Pose)?;
    points.check_finite(What::Points)?;
    let limit = LARGEST[1];
    for i in 0..points.len() {
        let seen = sub(points.get(i), transform.translation).map(|x| x / operand.scale);
        let far = seen.into_iter().position(|x| Real::abs(x) >= limit);
        if let Some(component) = far {
            return Err(Error::new(Kind::OutOfRange, What::Points).at(i as u64, component as u32));
        }
    }
    Ok(transform)
}

struct Each<'t, 's> {
    search: Search<'t, 's>,
    rim: Rim<'s>,
    transform: Transform,
    scale: f64,
    points: Array<'t>,
    /// In the mesh's units, as all that the search does.
    bound: f64,
    out: &'s mut [PointOnMesh],
}

impl Kernel for Each<'_, '_> {
    type Output = Result<()>;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> Result<()> {
        let Each { mut search, rim, transform, scale, points, bound, out } = self;
        let mut last: Option<Last> = None;
        for (i, to) in out.iter_mut().enumerate() {
            let point = transform.apply_back(points.get(i)).map(|x| x / scale);
            let local = Local::new(point, search.extent);
            let limit = last.as_ref().map_or(f64::INFINITY, |last| last.limit(point));
            let hit = search.nearest(simd, &local, bound, limit)?;
            *to = match hit {
                None => PointOnMesh::BEYOND,
                Some(hit) => {
                    let winding = if hit.distance == 0.0 || is_far(&search.mesh, &local) {
                        None
                    } else if let Some(known) = last.as_ref().and_then(|last| last.winding(point, hit.distance)) {
                        Some(known)
                    } else {
                        search.winding(simd, &local, &hit, &rim)?
                    };
                    // Only a vertex asks how many triangles meet there.
                    let meeting = match hit.vertex(&search.mesh) {
                        Some(vertex) if !decides(winding) => search.meeting(&hit, vertex)?,
                        _ => 0,
                    };
                    let whole = winding.filter(|_| search.is_closed());
                    last = Some(Last { point, distance: hit.distance, winding: whole });
                    record(&search.mesh, (&transform, scale), &local, &hit, (winding, meeting))
                }
            };
        }
        Ok(())
    }
}

/// What is known of the point before. It makes the search shorter; what is found does not depend on it.
struct Last {
    point: [f64; 3],
    distance: f64,
    /// Where the surface is closed.
    winding: Option<f64>,
}

impl Last {
    /// More than rounding takes.
    const MORE: f64 = 1.0 + 1e-9;

    fn moved(&self, point: [f64; 3]) -> f64 {
        safe_length([0, 1, 2].map(|k| point[k] - self.point[k]))
    }

    /// The surface is no farther than this from another point.
    fn limit(&self, point: [f64; 3]) -> f64 {
        let size = safe_length(point) + safe_length(self.point);
        (self.distance + self.moved(point)) * Self::MORE + 1e-12 * size
    }

    /// The winding number at another point at this distance, if the open balls around both, which hold nothing of the
    /// surface, meet.
    fn winding(&self, point: [f64; 3], distance: f64) -> Option<f64> {
        let size = safe_length(point) + safe_length(self.point);
        let meet = self.moved(point) * Self::MORE + 1e-12 * size < self.distance + distance;
        self.winding.filter(|_| meet)
    }
}

/// A hit in world coordinates, without negative zeros.
#[inline(never)]
fn record(
    mesh: &MeshRef<'_>,
    (transform, scale): (&Transform, f64),
    local: &Local,
    hit: &Hit,
    (winding, meeting): (Option<f64>, usize),
) -> PointOnMesh {
    let seen = look(mesh, local, hit, winding, meeting);
    let distance = hit.distance * scale;
    PointOnMesh {
        triangle: hit.triangle,
        feature: hit.feature as u32,
        side: seen.side as u32,
        doubt: seen.doubt,
        distance,
        signed_distance: if seen.side == Side::Inside { -distance } else { distance },
        point: transform.apply(hit.point.map(|x| x / local.scale * scale)).map(|x| x + 0.0),
        normal: transform.rotate(seen.normal.to_array()).map(|x| x + 0.0),
    }
}
