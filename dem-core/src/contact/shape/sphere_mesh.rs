//! Contacts of a sphere and a mesh: integrals over the faces within the sphere's reach, patch by patch.

use glam::DVec3;

use super::defects::{beyond_wall, deepest_of_round, defects, tell};
use super::face_moments::Moments;
use super::sphere_pair::{Patch, Round};
use super::task::Task;
use super::writer::{Local, PartPair, Sink};
use super::{Shape, Surface, triangle_in_ball};
use crate::array::Array;
use crate::contact::spread::{Tensor, Wants, across};
use crate::contact::{ContactCounts, Law, status, unit};
use crate::error::Result;
use crate::memory::{Layout, sections};
use crate::narrow::{Near, Operand, PointOnMesh, PointSide, around_scratch, doubt, near_point, points, points_scratch};
use crate::pose::Pose;
use crate::real::{Real, max, min};

/// Scratch for a mesh and a sphere.
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

impl<'a> Surface<'a> {
    /// The mesh as an operand, in its own frame.
    pub(super) fn operand(&self) -> Operand<'a> {
        Operand { mesh: self.mesh, tree: self.tree, pose: &Pose::IDENTITY, scale: 1.0 }
    }

    /// The first triangle of a triangle's patch.
    pub(super) fn patch(&self, triangle: u32) -> u32 {
        self.cells.patch.get(triangle as usize).copied().unwrap_or(triangle)
    }
}

/// A sphere in the frame and the units of a mesh.
struct Ball<'a> {
    surface: &'a Surface<'a>,
    centre: [f64; 3],
    radius: f64,
    /// Halo of the sphere.
    halo: f64,
    /// Extension of the mesh's halo beyond that of its triangles.
    wider: f64,
    /// The optional fields of contacts.
    wants: Wants,
}

impl Ball<'_> {
    /// The law between the sphere and a triangle.
    fn round(&self, triangle: u32) -> Round {
        Round { radius: self.radius, halo: self.halo + (self.surface.mesh.halo(triangle as usize) + self.wider) }
    }

    fn largest_reach(&self) -> f64 {
        self.radius + (self.halo + (self.surface.mesh.largest_halo() + self.wider))
    }

    fn is_far(&self) -> bool {
        let mesh = &self.surface.mesh;
        let (middle, radius) = (DVec3::from_array(mesh.centre()), mesh.radius());
        let apart = unit(DVec3::from_array(self.centre) - middle).map_or(0.0, |(_, length)| length);
        let size = apart + unit(middle).map_or(0.0, |(_, length)| length);
        // Also true if numbers have overflowed.
        let near = apart <= radius + self.largest_reach() + 1e-12 * size;
        !near
    }

    fn sphere(&self, features: u32, normal: DVec3, law: (f64, f64), least_gap: f64, halo: f64) -> Local {
        let round = Round { radius: self.radius, halo };
        let position = DVec3::from_array(self.centre) - normal * round.arm(self.halo, least_gap);
        let features = [0, features];
        Local { features, position, normal, gap: law.0, least_gap, area: law.1, halo, ..Local::default() }
    }

    /// The contact with a patch, summed over its triangles within reach; `None` if they do not face the centre. `closest` is the distance of the
    /// whole mesh.
    fn patch(&self, near: &[Near], closest: f64) -> Option<Local> {
        // Scaled so that the reach is about 1.
        let scale = self.largest_reach().inverse_exponent();
        let centre = DVec3::from_array(self.centre);
        let mesh = &self.surface.mesh;
        let (mut area, mut filled, mut facing, mut halos, mut away) = (0.0, 0.0, 0.0, 0.0, DVec3::ZERO);
        let (mut least, mut seen, mut moments) = (f64::INFINITY, 0.0, Moments::default());
        for Near { distance, triangle, .. } in near {
            let round = self.round(*triangle);
            let (reach, grown) = round.around_foot(closest);
            if *distance >= reach {
                continue;
            }
            least = min(least, *distance);
            let Some(prism) = self.surface.cells.prism(*triangle as usize) else { continue };
            let corners = mesh.triangle(*triangle as usize).map(|c| (DVec3::from_array(c) - centre) * scale);
            let normal = DVec3::from_array(prism.normal);
            let spread = self.wants.spread;
            let Some(piece) = triangle_in_ball::piece(&corners, normal, reach * scale, spread) else { continue };
            let per = grown * grown / ((round.halo + 2.0 * round.radius) * scale);
            if spread {
                moments.join(&piece.moments, per);
            }
            seen += piece.area;
            area += grown * piece.area;
            halos += grown * piece.area * round.halo;
            filled += per * piece.weight;
            facing += per * piece.weight * piece.height;
            away -= piece.first * per;
        }
        let (normal, length) = unit(away)?;
        if !(area > 0.0 && filled > 0.0 && facing > 0.0) {
            return None;
        }
        let halo = if mesh.halos.is_empty() { self.round(0).halo } else { halos / area };
        let cosine = min(facing / length, 1.0);
        // Not the cosine itself: with it, a curved surface would push less the deeper the sphere is, because a larger part of the surface is seen
        // at an angle.
        let facing = cosine * (2.0 - cosine);
        let patch = Patch { area: area / (scale * scale), filled: filled / area / scale, facing };
        let law = Round { radius: self.radius, halo }.law(&patch);
        let group = near.first().map_or(0, |near| near.group);
        let local = self.sphere(group, normal, law, least - self.radius, halo);
        if !self.wants.spread {
            return Some(local);
        }
        // The integrated part of the surface represents a disc that is larger by this factor.
        let per = Real::sqrt(area / seen) / scale;
        Some(local.spread_over(&moments, [seen, filled], -away, per))
    }

    /// The contact with a patch under the law of volumes: minus the gradient of the integral of the pressure over the volume behind the patch. So
    /// all faces push along their own normals, through the sphere's centre.
    fn volume_patch(&self, near: &[Near]) -> Option<Local> {
        let scale = self.largest_reach().inverse_exponent();
        let (centre, mesh) = (DVec3::from_array(self.centre), &self.surface.mesh);
        let (mut area, mut filled, mut halos, mut force, mut first) = (0.0, 0.0, 0.0, DVec3::ZERO, DVec3::ZERO);
        let (mut least, mut energy, mut moments) = (f64::INFINITY, 0.0, Moments::default());
        for Near { distance, triangle, .. } in near {
            let round = self.round(*triangle);
            if *distance >= round.reach() {
                continue;
            }
            least = min(least, *distance);
            let Some(prism) = self.surface.cells.prism(*triangle as usize) else { continue };
            let corners = mesh.triangle(*triangle as usize).map(|c| (DVec3::from_array(c) - centre) * scale);
            let normal = DVec3::from_array(prism.normal);
            let (spread, reach) = (self.wants.spread, round.reach() * scale);
            let Some(piece) = triangle_in_ball::piece(&corners, normal, reach, spread) else { continue };
            let per = 1.0 / ((round.halo + 2.0 * round.radius) * scale);
            if spread {
                moments.join(&piece.moments, per);
            }
            area += piece.area;
            halos += piece.area * round.halo;
            filled += per * piece.weight;
            first += piece.first * per;
            force += normal * (per * piece.weight);
            if self.wants.energy {
                energy += round.behind(&corners, normal, &piece, scale);
            }
        }
        let (normal, length) = unit(force)?;
        if !(area > 0.0 && filled > 0.0) {
            return None;
        }
        let halo = if mesh.halos.is_empty() { self.round(0).halo } else { halos / area };
        let patch = Patch { area: area / (scale * scale), filled: filled / area / scale, facing: length / filled };
        let (round, measured) = (Round { radius: self.radius, halo }, area);
        let ((gap, area), least_gap) = (round.law(&patch), least - self.radius);
        let group = near.first().map_or(0, |near| near.group);
        // Along the force, the position is between both surfaces, as for other shapes: on a flat wall it is the same as on a half-space. Beside
        // an edge, the plane of a face may pass near the centre. The centre of pressure is then farther from the sphere's centre than that plane,
        // and only its part of the gap moves it.
        let out = first / (filled * scale);
        let height = max(-out.dot(normal), least);
        let position = centre + out + normal * (height - round.arm(self.halo, least_gap));
        // The force that a law computes from these, as if it acted through the centre.
        let size = round.strength(gap, area);
        let moment = (centre - position).cross(normal * size);
        let features = [0, group];
        // The sphere comes from behind, and the faces would pull it through. A room is handled as a whole ([`beyond_wall`]).
        let told = self.surface.solid || self.surface.cells.is_room_by_volume();
        let status = if !told && out.dot(normal) > 0.0 { status::OPEN } else { 0 };
        let local = Local {
            features,
            position,
            normal,
            moment,
            gap,
            least_gap,
            area,
            halo,
            energy,
            status,
            ..Local::default()
        };
        Some(match self.wants.spread {
            true => local.spread_over(&moments, [measured, filled], first, 1.0 / scale),
            false => local,
        })
    }

    /// The contact at the closest point, if no face of its patch within reach faces the centre: at edges of open meshes, degenerate triangles,
    /// and back sides. So the least gap of all contacts is that of the bodies. `known` gives the normal for a centre on the surface.
    fn nearest(&self, closest: &Near, known: impl FnOnce() -> Result<DVec3>) -> Result<Local> {
        let Near { distance, point, triangle, group } = *closest;
        let apart = unit(DVec3::from_array(self.centre) - DVec3::from_array(point));
        let normal = match apart {
            Some((normal, _)) => normal,
            None => known()?,
        };
        let (normal, status) = some(normal);
        let gap = distance - self.radius;
        let local = self.sphere(group, normal, (gap, 0.0), gap, self.round(triangle).halo);
        Ok(Local { status, ..local })
    }

    /// The contact of a sphere whose centre is inside a solid.
    fn inside(&self, at: &PointOnMesh) -> Local {
        let (normal, status) = some(DVec3::from_array(at.normal));
        let round = self.round(at.triangle);
        let contained = if at.distance >= self.radius { status::CONTAINED } else { 0 };
        let least_gap = -(at.distance + self.radius);
        let patch = self.surface.patch(at.triangle);
        let local = self.sphere(patch, normal, round.sunk(at.distance), least_gap, round.halo);
        Local { status: status | contained, spread: self.sunk_spread(&round, at.distance, normal), ..local }
    }

    /// Second moments for a centre at this depth inside, as if the surface were flat.
    fn sunk_spread(&self, round: &Round, depth: f64, normal: DVec3) -> Tensor {
        if self.wants.spread { across(normal.to_array(), round.sunk_square(depth)) } else { [0.0; 6] }
    }

    /// The same under the law of volumes. Faces continue to push as from outside. The contact with the closest feature has the rest of the force
    /// on a flat wall. This rest is a function of the depth, so both are gradients, and it is 0 at depth 0. `patch` is the contact with the patch
    /// of the closest feature, which is joined with it.
    fn volume_inside(&self, at: &PointOnMesh, patch: Option<Local>) -> Local {
        let whole = self.inside(at);
        let round = self.round(at.triangle);
        let own = whole.normal * max(round.strength(whole.gap, whole.area) - round.on_plane(at.distance), 0.0);
        let sum =
            own + patch.map_or(DVec3::ZERO, |p| p.normal * Round { halo: p.halo, ..round }.strength(p.gap, p.area));
        let (normal, size) = unit(sum).unwrap_or((whole.normal, 0.0));
        let per = round.strength(whole.gap, 1.0);
        let area = if per > 0.0 { size / per } else { 0.0 };
        let local = self.sphere(whole.features[1], normal, (whole.gap, area), whole.least_gap, round.halo);
        let energy = match self.wants.energy {
            true => round.centre_stored() + round.left_stored(at.distance) + patch.map_or(0.0, |patch| patch.energy),
            false => 0.0,
        };
        let spread = self.sunk_spread(&round, at.distance, normal);
        Local { status: whole.status, energy, spread, ..local }
    }
}

/// The unit vector of `normal`, or an arbitrary direction if its length is 0.
pub(super) fn some(normal: DVec3) -> (DVec3, u32) {
    if normal == DVec3::ZERO { (DVec3::Z, status::DEGENERATE) } else { (normal, 0) }
}

/// Whether the centre is inside a solid, from the closest feature.
pub(super) fn is_inside(at: &PointOnMesh) -> bool {
    let below = at.side == PointSide::Inside as u32 || at.side == PointSide::Surface as u32;
    below && at.doubt & (doubt::OPEN | doubt::INCONSISTENT) == 0
}

/// Writes the contacts of a sphere and a mesh.
pub(super) fn sphere_mesh(
    parts: &PartPair<'_, '_>,
    task: &mut Task<'_>,
    sink: &mut Sink<'_, '_>,
) -> Result<ContactCounts> {
    let (sphere, body) = (parts.first, parts.second);
    let (Shape::Sphere { radius, halo }, Shape::Mesh(surface)) = (sphere.shape, body.shape) else {
        return Ok(ContactCounts::default());
    };
    let per = |x: f64| x * sphere.scale / body.scale;
    let wider = 0.5 * task.margin / body.scale;
    let apart = [0, 1, 2].map(|k| sphere.turn.translation[k] - body.turn.translation[k]);
    let centre = body.turn.rotate_back(apart).map(|x| x / body.scale);
    let ball = Ball { surface, centre, radius: per(radius), halo: per(halo) + wider, wider, wants: task.wants };
    if ball.is_far() {
        return Ok(ContactCounts::default());
    }
    let operand = surface.operand();
    let Memory { list, rest } = Memory::new(task.work.scratch, surface, task.room.pairs)?;
    let near = near_point(task.work.isa, &operand, centre, ball.largest_reach(), list, rest)?;
    near.iter_mut().for_each(|near| near.group = surface.patch(near.triangle));
    near.sort_unstable_by_key(|near| (near.group, near.triangle));
    let isa = task.work.isa;
    let at_centre = |rest: &mut [u8]| {
        let mut at = [PointOnMesh::default()];
        points(isa, &operand, Array::from_f64(&[centre]), f64::INFINITY, &mut at, rest)?;
        Ok::<_, crate::error::Error>(at[0])
    };
    let at = if surface.solid { Some(at_centre(rest)?) } else { None };
    let is_lost = |at: &PointOnMesh| is_inside(at) && at.distance + ball.radius > ball.round(at.triangle).halo;
    let lost = beyond_wall(surface, near, |_| DVec3::from_array(centre), centre, (isa, &mut *rest))?;
    let defects = defects(surface, at.as_slice(), near, is_lost) | lost;
    let deep = at.filter(is_inside);
    let volume = surface.cells.law() == Law::Volume;
    let inside = |at, patch| if volume { ball.volume_inside(at, patch) } else { ball.inside(at) };
    let mut waiting = deep.as_ref().map(|at| (surface.patch(at.triangle), at));
    let from = sink.count;
    let within = near.iter().filter(|near| near.distance < ball.round(near.triangle).reach());
    let first = within.reduce(|best, next| if next.distance < best.distance { next } else { best });
    // A centre inside always has its contact with the closest feature.
    let mut first = first.copied().filter(|_| deep.is_none());
    let closest = near.iter().fold(f64::INFINITY, |least, near| min(least, near.distance));
    for group in near.chunk_by(|x, y| x.group == y.group) {
        let patch = group.first().map_or(0, |near| near.group);
        let local = || if volume { ball.volume_patch(group) } else { ball.patch(group, closest) };
        match waiting.take_if(|(own, _)| *own <= patch) {
            Some((own, at)) if own == patch => {
                sink.push(parts, &inside(at, if volume { local() } else { None }).out_of(body));
                continue;
            }
            Some((_, at)) => sink.push(parts, &inside(at, None).out_of(body)),
            None => {}
        }
        let nearest = first.take_if(|first| first.group == patch);
        let local = match (local(), nearest) {
            (Some(local), _) => local,
            (None, Some(closest)) => ball.nearest(&closest, || Ok(DVec3::from_array(at_centre(rest)?.normal)))?,
            (None, None) => continue,
        };
        sink.push(parts, &local.out_of(body));
    }
    if let Some((_, at)) = waiting {
        sink.push(parts, &inside(at, None).out_of(body));
    }
    let all = sink.since(from);
    tell(all, defects, deepest_of_round(surface, radius * sphere.scale));
    let crossing = near.iter().filter(|near| near.distance <= ball.radius).count();
    Ok(ContactCounts { contacts: sink.count - from, nodes: sink.count - from, crossing })
}
