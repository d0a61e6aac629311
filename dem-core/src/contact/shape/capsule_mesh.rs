//! Contacts of a capsule and a mesh: integrals over the faces within the capsule's reach, patch by patch.

use core::cell::Cell;

use glam::DVec3;

use super::capsule::{Capsule, Sum, Sunk};
use super::defects::{beyond_wall, deepest_of_round, defects, tell};
use super::sphere_mesh::{is_inside, some};
use super::sphere_pair::Round;
use super::task::Task;
use super::writer::{Local, PartPair, Sink};
use super::{Shape, Surface};
use crate::array::Array;
use crate::contact::{ContactCounts, Law, status, unit};
use crate::error::Result;
use crate::memory::{Layout, sections};
use crate::narrow::{Near, PointOnMesh, around_scratch, near_segment, points, points_scratch};
use crate::real::{Real, max, min};

/// Scratch for a mesh and a capsule.
pub(super) fn scratch(surface: &Surface<'_>, pairs: usize) -> Result<Layout> {
    Memory::layout(surface, pairs)
}

sections! {
    /// Scratch for this number of triangles.
    struct Memory<'s>(surface: &Surface<'_>, pairs: usize) {
        list: [Near; pairs as u64],
        /// Scratch shared by both searches.
        rest: { around_scratch(&surface.operand())?, points_scratch(&surface.operand())? },
    }
}

/// A capsule in the frame of a mesh, in the mesh's units times `scale`.
struct Rod<'a> {
    surface: &'a Surface<'a>,
    capsule: Capsule,
    /// In the mesh's units.
    centre: DVec3,
    radius: f64,
    /// Halo of the capsule.
    halo: f64,
    /// Extension of the mesh's halo beyond that of its triangles.
    wider: f64,
    /// Factor that makes lengths about 1.
    scale: f64,
    volume: bool,
    /// Sums over all patches: of how directly they look at the axis, and of the magnitudes.
    facing: Cell<[f64; 2]>,
}

impl Rod<'_> {
    /// The law between the capsule and a triangle.
    fn round(&self, triangle: u32) -> Round {
        let other = self.surface.mesh.halo(triangle as usize) * self.scale + self.wider;
        Round { radius: self.radius, halo: self.halo + other }
    }

    /// The largest reach, in the mesh's units.
    fn largest_reach(&self) -> f64 {
        (self.radius + (self.halo + self.wider)) / self.scale + self.surface.mesh.largest_halo()
    }

    /// Both ends of the segment, in the mesh's units.
    fn ends(&self) -> [[f64; 3]; 2] {
        let to_end = self.capsule.axis * (self.capsule.half / self.scale);
        [self.centre - to_end, self.centre + to_end].map(|end| end.to_array())
    }

    /// The point of the segment nearest to a point, in the mesh's units.
    fn foot(&self, point: DVec3) -> DVec3 {
        let Capsule { axis, half, .. } = self.capsule;
        let half = half / self.scale;
        self.centre + axis * max(-half, min(half, axis.dot(point - self.centre)))
    }

    fn is_far(&self) -> bool {
        let mesh = &self.surface.mesh;
        let middle = DVec3::from_array(mesh.centre());
        let apart = unit(self.centre - middle).map_or(0.0, |(_, length)| length);
        let size = apart + unit(middle).map_or(0.0, |(_, length)| length);
        let reach = self.largest_reach() + self.capsule.half / self.scale;
        // Also true if numbers have overflowed.
        let near = apart <= mesh.radius() + reach + 1e-12 * size;
        !near
    }

    /// The sum over a patch's triangles within reach.
    fn faces(&self, near: &[Near]) -> Sum {
        let mut sum = Sum::new();
        for Near { distance, triangle, .. } in near {
            let (round, distance) = (self.round(*triangle), distance * self.scale);
            if distance >= round.reach() {
                continue;
            }
            sum.least = min(sum.least, distance);
            let Some(prism) = self.surface.cells.prism(*triangle as usize) else { continue };
            let corners = self.surface.mesh.triangle(*triangle as usize);
            let corners = corners.map(|c| (DVec3::from_array(c) - self.centre) * self.scale);
            let normal = DVec3::from_array(prism.normal);
            if let Some(piece) = self.capsule.piece(&corners, normal, round.reach()) {
                sum.add(&self.capsule, &round, &piece, normal, self.volume);
            }
            if self.capsule.wants.energy && self.volume && distance == 0.0 {
                sum.energy += self.capsule.crossing(&corners) * round.axis_stored();
            }
        }
        sum
    }

    /// The contact with a patch, which includes the ends inside the solid nearest to this patch.
    fn patch(&self, near: &[Near], ends: &[Sunk], group: u32) -> Option<Local> {
        let sum = self.faces(near);
        let [seen, all] = self.facing.get();
        self.facing.set([seen + sum.facing, all + sum.facing.abs()]);
        let local = sum.contact(&self.capsule, self.radius, self.halo, self.volume, ends)?;
        Some(Local { features: [0, group], ..local })
    }

    /// The contact at the closest point, if no face within reach gives one.
    fn nearest(&self, near: &[Near], known: impl FnOnce() -> Result<DVec3>) -> Result<Option<Local>> {
        let within = near.iter().filter(|near| near.distance * self.scale < self.round(near.triangle).reach());
        let closest = within.reduce(|best, next| if next.distance < best.distance { next } else { best });
        let Some(Near { distance, point, triangle, group }) = closest else { return Ok(None) };
        let Capsule { axis, half, .. } = self.capsule;
        let point = (DVec3::from_array(*point) - self.centre) * self.scale;
        let foot = axis * max(-half, min(half, axis.dot(point)));
        let normal = match unit(foot - point) {
            Some((normal, length)) if length > 1e-12 * (half + self.radius) => normal,
            _ => known()?,
        };
        let (normal, status) = some(normal);
        let (gap, round) = (distance * self.scale - self.radius, self.round(*triangle));
        let position = foot - normal * round.arm(self.halo, gap);
        let halo = round.halo;
        let features = [0, *group];
        Ok(Some(Local { features, position, normal, gap, least_gap: gap, halo, status, ..Local::default() }))
    }

    /// Whether the axis is behind the faces as a whole, so that the law of volumes would pull the capsule through them. A room is handled apart
    /// ([`beyond_wall`]).
    fn is_behind(&self) -> bool {
        const ROUNDING: f64 = 1.0 / (1u64 << 30) as f64;
        let [seen, all] = self.facing.get();
        let told = !self.volume || self.surface.solid || self.surface.cells.is_room_by_volume();
        !told && seen < -ROUNDING * all
    }

    /// The ends inside the solid.
    fn sunk(&self, at: &[PointOnMesh; 2]) -> Ends {
        let mut ends = Ends::default();
        for (at, side) in at.iter().zip([-1.0, 1.0]).filter(|(at, _)| is_inside(at)) {
            let (normal, _) = some(DVec3::from_array(at.normal));
            let (end, depth) = (side * self.capsule.half, at.distance * self.scale);
            ends.patches[ends.count] = self.surface.patch(at.triangle);
            ends.sunk[ends.count] = Sunk { end, depth, normal, round: self.round(at.triangle) };
            ends.count += 1;
        }
        ends
    }
}

/// The ends inside the solid, and the first triangles of the patches there.
#[derive(Default)]
struct Ends {
    sunk: [Sunk; 2],
    patches: [u32; 2],
    count: usize,
}

impl Ends {
    /// The ends at a patch.
    fn of(&self, patch: u32) -> ([Sunk; 2], usize) {
        let (mut list, mut count) = ([Sunk::default(); 2], 0);
        for (sunk, own) in self.sunk.iter().zip(self.patches).take(self.count) {
            if own == patch {
                list[count] = *sunk;
                count += 1;
            }
        }
        (list, count)
    }

    /// Whether the whole capsule is inside; `closest` is the distance of the surface from its segment.
    fn is_contained(&self, radius: f64, closest: f64) -> bool {
        self.count == 2 && closest >= radius && self.sunk.iter().all(|sunk| sunk.depth >= radius)
    }
}

/// Writes the contacts of a mesh and a capsule.
pub(super) fn mesh_capsule(
    parts: &PartPair<'_, '_>,
    task: &mut Task<'_>,
    sink: &mut Sink<'_, '_>,
) -> Result<ContactCounts> {
    let (body, rod) = (parts.first, parts.second);
    let (Shape::Mesh(surface), Shape::Capsule { half_length, radius, halo }) = (body.shape, rod.shape) else {
        return Ok(ContactCounts::default());
    };
    let per = rod.scale / body.scale;
    let scale = max(half_length * per, radius * per).inverse_exponent();
    let apart = [0, 1, 2].map(|k| rod.turn.translation[k] - body.turn.translation[k]);
    let axis = DVec3::from_array(body.turn.rotate_back(rod.turn.rotate([0.0, 0.0, 1.0])));
    let wider = 0.5 * task.margin / body.scale * scale;
    let capsule = Capsule { axis, half: half_length * per * scale, wants: task.wants };
    let rod = Rod {
        surface,
        capsule,
        centre: DVec3::from_array(body.turn.rotate_back(apart)) / body.scale,
        radius: radius * per * scale,
        halo: halo * per * scale + wider,
        wider,
        scale,
        volume: surface.cells.law() == Law::Volume,
        facing: Cell::new([0.0; 2]),
    };
    if rod.is_far() {
        return Ok(ContactCounts::default());
    }
    contacts(&rod, parts, task, sink)
}

fn contacts(
    rod: &Rod<'_>,
    parts: &PartPair<'_, '_>,
    task: &mut Task<'_>,
    sink: &mut Sink<'_, '_>,
) -> Result<ContactCounts> {
    let (surface, operand) = (rod.surface, rod.surface.operand());
    let Memory { list, rest } = Memory::new(task.work.scratch, surface, task.room.pairs)?;
    let near = near_segment(&operand, rod.ends(), rod.largest_reach(), list, rest)?;
    near.iter_mut().for_each(|near| near.group = surface.patch(near.triangle));
    near.sort_unstable_by_key(|near| (near.group, near.triangle));
    let isa = task.work.isa;
    let at_ends = |rest: &mut [u8]| {
        let mut at = [PointOnMesh::default(); 2];
        points(isa, &operand, Array::from_f64(&rod.ends()), f64::INFINITY, &mut at, rest)?;
        Ok::<_, crate::error::Error>(at)
    };
    let ends = if surface.solid { Some(at_ends(rest)?) } else { None };
    let is_lost =
        |at: &PointOnMesh| is_inside(at) && at.distance * rod.scale + rod.radius > rod.round(at.triangle).halo;
    let lost = beyond_wall(surface, near, |point| rod.foot(point), rod.ends()[0], (isa, &mut *rest))?;
    let defects = defects(surface, ends.as_ref().map_or(&[], |ends| ends), near, is_lost) | lost;
    let sunk = ends.as_ref().map_or(Ends::default(), |ends| rod.sunk(ends));
    let from = sink.count;
    let mut push = |local: Local| {
        let in_mesh = local.unscaled(rod.scale, rod.centre).out_of(parts.first);
        sink.push(parts, &in_mesh.turned());
    };
    let closest = near.iter().fold(f64::INFINITY, |least, near| min(least, near.distance));
    let contained = sunk.is_contained(rod.radius, closest * rod.scale);
    let patch = |near: &[Near], group: u32| {
        let (ends, count) = sunk.of(group);
        let local = rod.patch(near, ends.get(..count).unwrap_or_default(), group)?;
        Some(if contained && count > 0 { local.contained() } else { local })
    };
    for group in near.chunk_by(|x, y| x.group == y.group) {
        group.first().and_then(|near| patch(group, near.group)).into_iter().for_each(&mut push);
    }
    // Ends deeper than the reach of faces.
    for (i, group) in sunk.patches.into_iter().enumerate().take(sunk.count) {
        let known = near.iter().any(|near| near.group == group) || (i > 0 && sunk.patches[0] == group);
        if !known {
            patch(&[], group).into_iter().for_each(&mut push);
        }
    }
    if sink.count == from
        && let Some(local) = rod.nearest(near, || Ok(DVec3::from_array(at_ends(rest)?[0].normal)))?
    {
        let in_mesh = local.unscaled(rod.scale, rod.centre).out_of(parts.first);
        sink.push(parts, &in_mesh.turned());
    }
    let behind = if rod.is_behind() { status::OPEN } else { 0 };
    let all = sink.since(from);
    tell(all, defects | behind, deepest_of_round(surface, rod.radius / rod.scale * parts.first.scale));
    all.sort_unstable_by_key(|contact| contact.key);
    let crossing = near.iter().filter(|near| near.distance * rod.scale <= rod.radius).count();
    Ok(ContactCounts { contacts: sink.count - from, nodes: sink.count - from, crossing })
}
