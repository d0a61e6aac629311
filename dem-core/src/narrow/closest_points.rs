//! Closest points of a mesh to many points, with signed distances, as immersed boundary codes need them.

use super::Operand;
use super::nearest::{Hit, Local, Rim, RimMemory, Search, stack_size};
use super::point_record::{Each, Last, PointOnMesh};
use super::point_side::{PointSide, decides, is_far, look};
use super::points_many::Many;
use crate::array::Array;
use crate::error::{Error, Kind, Result, What};
use crate::memory::{Layout, sections};
use crate::mesh::{LARGEST, MeshRef};
use crate::pose::Transform;
use crate::real::Real;
use crate::simd::{Isa, Kernel, Lane, Simd, dispatch};
use crate::surrogate::TreeRef;
use crate::vector::sub;

sections! {
    /// Scratch of [`points`].
    struct Memory<'s>(tree: &TreeRef<'_>) {
        stack: [u32; stack_size(tree)],
        gaps: [f64; stack_size(tree)],
        rim: RimMemory(tree),
    }
}

sections! {
    /// Scratch of [`many_points`].
    struct ManyMemory<'s>(tree: &TreeRef<'_>) {
        each: Memory(tree),
        many: Many(tree),
    }
}

/// Scratch for [`points`]: a few kilobytes, and 48 bytes for each open side of the mesh, up to 4,096 of them. It does not
/// depend on the number of points.
///
/// Errors: [`Kind::TooLarge`].
pub fn points_scratch(operand: &Operand<'_>) -> Result<Layout> {
    Memory::layout(&operand.tree)
}

/// Scratch for [`many_points`]: some 130 kilobytes more than for [`points`].
///
/// Errors: [`Kind::TooLarge`].
pub fn many_points_scratch(operand: &Operand<'_>) -> Result<Layout> {
    ManyMemory::layout(&operand.tree)
}

/// For each of `points` (world coordinates) the closest point of the mesh, its distance, and its side. `out` gets one record for each
/// point, in their order. Points farther than `bound` (infinity is allowed) get a record that tells so, and cost less: set it to the width
/// of the band of interest.
///
/// Distances are canonical: computed in f64 in the body's frame with one order of operations. So they do not depend on the instruction set, on the
/// other points, or on the tree. A triangle is closest if no other has a smaller distance. Exact predicates on the coordinates of a point in the
/// body's frame decide whether it is on the surface. (The pose rounds these coordinates to f64, so the decision is exact for the identity; to
/// 2^-152 of the size.)
///
/// The side follows from the generalised winding number ([`winding_numbers`](super::winding_numbers)): inside above 1/2. On a closed
/// surface this number is an integer, and computed exactly; parts that cross or overlap, copies, flipped triangles and fins do no harm. If
/// the surface is open and the number is within 1/4 of 1/2, the closest feature decides (Baerentzen and Aanaes 2005), and `doubt` tells if
/// the two differ. If there are more than 4,096 open sides, the closest feature decides, always with doubt.
/// A side is open if no neighbour runs along it in the other direction. Inverted meshes, whose volume is negative, have their sides
/// exchanged. Halos have no effect.
///
/// Errors: those of the pose and the scale; [`Kind::NotFinite`] with point and component; [`Kind::OutOfRange`] with point and component if
/// it is 2^1000 or more away from the body's position, in the mesh's units, and for a bound that is negative ([`Kind::NotFinite`] for NaN);
/// [`Kind::Mismatch`] for a tree of another mesh; [`Kind::Capacity`] if `out` or `scratch` is too small. After an error nothing is written.
///
/// Cost: logarithmic in the number of triangles for each point near the surface. For each open side it is some ten nanoseconds a call and
/// one a point. Consecutive points that are near each other are cheaper; for dense points use [`many_points`]. Points do not depend on each
/// other: divide them among threads in any way.
pub fn points(
    isa: Isa,
    operand: &Operand<'_>,
    points: Array<'_>,
    bound: f64,
    out: &mut [PointOnMesh],
    scratch: &mut [u8],
) -> Result<()> {
    let ready = Ready::new(operand, points, bound, out)?;
    dispatch(isa, ready.each(operand, Memory::new(scratch, &operand.tree)?)?)
}

/// The same as [`points`], to the last bit, for many points in any order: points near each other search the tree together, sixteen at a
/// time.
///
/// Errors: as [`points`]. Cost: with a point for each triangle or more, a third of that of [`points`]; with far fewer, as much.
pub fn many_points(
    isa: Isa,
    operand: &Operand<'_>,
    points: Array<'_>,
    bound: f64,
    out: &mut [PointOnMesh],
    scratch: &mut [u8],
) -> Result<()> {
    let ready = Ready::new(operand, points, bound, out)?;
    let ManyMemory { each, many } = ManyMemory::new(scratch, &operand.tree)?;
    dispatch(isa, Packets { each: ready.each(operand, each)?, many })
}

/// The inputs of a query after all checks.
struct Ready<'t, 's> {
    transform: Transform,
    points: Array<'t>,
    bound: f64,
    out: &'s mut [PointOnMesh],
}

impl<'t, 's> Ready<'t, 's> {
    fn new(operand: &Operand<'t>, points: Array<'t>, bound: f64, out: &'s mut [PointOnMesh]) -> Result<Self> {
        let transform = check(operand, points)?;
        super::check_bound(bound)?;
        let given = out.len();
        match out.get_mut(..points.len()) {
            Some(out) => Ok(Ready { transform, points, bound, out }),
            None => Err(Error::capacity(What::Output, points.len() as u64, given as u64)),
        }
    }

    fn each(self, operand: &Operand<'t>, memory: Memory<'s>) -> Result<Each<'t, 's>> {
        let Ready { transform, points, bound, out } = self;
        let Memory { stack, gaps, rim } = memory;
        let mut rim = Rim::new(rim);
        let mut search = Search::new(operand, stack, gaps);
        search.fill_rim(&mut rim)?;
        Ok(Each { search, rim, transform, scale: operand.scale, points, bound: bound / operand.scale, out })
    }
}

/// Checks that [`points`] and [`winding_numbers`](super::winding_numbers) accept all points, for callers that pass them in pieces and must
/// know before the first.
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

impl Kernel for Each<'_, '_> {
    type Output = Result<()>;

    #[inline(always)]
    fn run<S: Simd>(mut self, simd: S) -> Result<()> {
        let mut last = None;
        for i in 0..self.out.len() {
            let local = self.local(i);
            self.one(simd, &local, i, &mut last)?;
        }
        Ok(())
    }
}

struct Packets<'t, 's> {
    each: Each<'t, 's>,
    many: Many<'s>,
}

/// Fewer points are computed one by one, because most lanes would be empty.
const FEW: usize = 8;

impl Kernel for Packets<'_, '_> {
    type Output = Result<()>;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> Result<()> {
        let Packets { mut each, many } = self;
        match each.out.len() < FEW || S::F32::LANES == 1 {
            true => each.run(simd),
            false => each.run_many(simd, many),
        }
    }
}

impl Each<'_, '_> {
    /// Point `place` in the body's frame.
    #[inline(always)]
    pub fn local(&self, place: usize) -> Local {
        let point = self.transform.apply_back(self.points.get(place)).map(|x| x / self.scale);
        Local::new(point, self.search.extent)
    }

    /// Finds the closest triangle of one point and writes its record.
    #[inline(always)]
    pub fn one<S: Simd>(&mut self, simd: S, local: &Local, place: usize, last: &mut Option<Last>) -> Result<()> {
        let limit = last.as_ref().map_or(f64::INFINITY, |last| last.limit(local.point));
        let hit = self.search.nearest(simd, local, self.bound, limit)?;
        let winding = match &hit {
            None => None,
            Some(hit) if hit.distance == 0.0 || is_far(&self.search.mesh, local) => None,
            Some(hit) => match last.as_ref().and_then(|last| last.winding(local.point, hit.distance)) {
                Some(known) => Some(known),
                None => self.search.winding(simd, local, hit, &self.rim)?,
            },
        };
        self.put(local, hit, winding, place, last)
    }

    /// Writes the record of a point. The point becomes the last one, unless it is beyond the bound.
    #[inline(always)]
    pub fn put(
        &mut self,
        local: &Local,
        hit: Option<Hit>,
        winding: Option<f64>,
        place: usize,
        last: &mut Option<Last>,
    ) -> Result<()> {
        let found = match hit {
            None => PointOnMesh::BEYOND,
            Some(hit) => {
                // Only the test at a vertex needs the number of triangles that meet there.
                let meeting = match hit.vertex(&self.search.mesh) {
                    Some(vertex) if !decides(winding) => self.search.meeting(&hit, vertex)?,
                    _ => 0,
                };
                let whole = winding.filter(|_| self.search.is_closed());
                *last = Some(Last { point: local.point, distance: hit.distance, winding: whole });
                record(&self.search.mesh, (&self.transform, self.scale), local, &hit, (winding, meeting))
            }
        };
        if let Some(to) = self.out.get_mut(place) {
            *to = found;
        }
        Ok(())
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
        signed_distance: if seen.side == PointSide::Inside { -distance } else { distance },
        point: transform.apply(hit.point.map(|x| x / local.scale * scale)).map(|x| x + 0.0),
        normal: transform.rotate(seen.normal.to_array()).map(|x| x + 0.0),
    }
}
