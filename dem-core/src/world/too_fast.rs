//! The check whether a step is short enough: by their velocities, no two bodies may approach by more than half of the sum of their halos. Along
//! an arc, they may approach by up to the whole sum. Otherwise bodies might pass through each other before any force acts.
//!
//! Most steps need no search: if each body moves by less than half of its own halo, no pair can approach too fast. Otherwise the module
//! searches for pairs whose bounds meet within the step, and only for those with a faster body.
//!
//! Velocities are those at the start of the step, with what gravity and loads of the host add in the step ([`free_motion`](super::free_motion)).
//!
//! Moving vertices count as motion of their body. The first test uses the vertices of a whole wall together. If that is too fast for a pair, only
//! the vertices of those triangles count that the other body may meet.
//!
//! The approach is computed in the frame of either body. In a frame that rotates, straight paths are arcs. The smaller result counts. Whether
//! bounds overlap is decided in world space, where centres of bodies move along straight lines and bounding spheres do not rotate.

use super::block::{Setup, TooFast, WorldSizes};
use super::free_motion::pushed;
use super::grid::Grid;
use super::law_context::MovingSurfaces;
use super::vertex_motion::{Passing, VertexMotion, is_single, near, of_bodies};
use crate::array::{Array, Words};
use crate::body::Body;
use crate::broad::{self, Candidate, Motion, Query, Space};
use crate::contact::shape::Shape;
use crate::detect::{Bodies, Wrench, bounding_spheres};
use crate::error::{Error, Result, What};
use crate::exec::Executor;
use crate::memory::{Layout, sections};
use crate::pose::Pose;
use crate::real::{Real, max, min};
use crate::simd::Isa;
use crate::vector::{add, cross, dot, scale, sub};

sections! {
    /// Scratch of the check.
    struct Room<'s>(n: &WorldSizes, search: &Grid; bodies = u64::from(n.bodies)) {
        centres: [[f64; 3]; bodies],
        radii: [f64; bodies],
        /// Radii of bounds of a body's path; 0 and no group for unbounded bodies.
        reach: [f64; bodies],
        travels: [f64; bodies],
        halos: [f64; bodies],
        groups: [u32; bodies],
        vertices: [VertexMotion; bodies],
        candidates: [Candidate; u64::from(n.candidates)],
        grid: { search.block },
        rest: { search.rest },
    }
}

pub(super) fn scratch(n: &WorldSizes) -> Result<Layout> {
    Room::layout(n, &Grid::new(n)?)
}

/// The step to be checked.
pub(super) struct Check<'c> {
    pub exec: &'c dyn Executor,
    pub isa: Isa,
    pub bodies: &'c [Body],
    pub given: &'c Bodies<'c>,
    pub setup: &'c Setup,
    /// Loads of the host, for each body; empty if the host has not set them yet.
    pub loads: &'c [Wrench],
    pub surfaces: &'c dyn MovingSurfaces,
    pub dt: f64,
    /// Whether another step follows before the host moves ghosts: they stay in place until then, whatever their velocities.
    pub ghosts_stay: bool,
}

/// The data of a body for pairs.
#[derive(Clone, Copy)]
struct Mover {
    centre: [f64; 3],
    radius: f64,
    velocity: [f64; 3],
    spin: [f64; 3],
    position: [f64; 3],
    halo: f64,
    /// The velocity that its vertices add; 0 for most bodies.
    vertices: VertexMotion,
}

/// The path of a body in the step: an item of four sections of the scratch.
struct Sweep {
    reach: f64,
    travel: f64,
    halo: f64,
    group: u32,
}

/// The data of all bodies for pairs.
struct Movers<'r> {
    centres: &'r [[f64; 3]],
    radii: &'r [f64],
    travels: &'r [f64],
    halos: &'r [f64],
    /// Empty if no vertices move.
    vertices: &'r [VertexMotion],
}

impl Movers<'_> {
    /// Whether a body moves by more than half of its own halo.
    fn fast(&self, i: usize) -> bool {
        self.travels.get(i).zip(self.halos.get(i)).is_some_and(|(travel, halo)| *travel > 0.5 * halo)
    }
}

impl Check<'_> {
    /// The pair that exceeds the allowed approach most; a ratio of at most 1 if no pair does.
    ///
    /// Errors: those of the bodies; [`Kind::Capacity`](crate::error::Kind::Capacity) for candidates and scratch. Cost: a pass over the
    /// bodies; if some are fast, a search for pairs, too.
    pub fn pairs(&self, sizes: &WorldSizes, scratch: &mut [u8]) -> Result<TooFast> {
        let search = Grid::new(sizes)?;
        let Room { centres, radii, reach, travels, halos, groups, vertices, candidates, grid, rest } =
            Room::new(scratch, sizes, &search)?;
        let n = self.bodies.len();
        bounding_spheres(self.exec, self.given, centres, radii)?;
        let vertices = of_bodies(self.surfaces, self.bodies, self.given, vertices)?;
        let through = self.through_periods(vertices);
        if through.ratio > 1.0 {
            return Ok(through);
        }
        let (mut some_fast, mut some_halo) = (false, false);
        for (i, body) in self.bodies.iter().enumerate() {
            let (Some(centre), Some(radius)) = (centres.get(i), radii.get(i)) else { break };
            let own = self.sweep(i, body, (*centre, *radius), &vertices.get(i).copied().unwrap_or_default());
            some_fast |= own.travel > 0.5 * own.halo;
            some_halo |= own.halo > 0.0 && self.group(i) != 0;
            put(reach, i, own.reach);
            put(travels, i, own.travel);
            put(halos, i, own.halo);
            put(groups, i, own.group);
        }
        let mut worst = TooFast::default();
        if !(some_fast && some_halo) {
            return Ok(worst);
        }
        let movers = Movers { centres, radii, travels, halos, vertices };
        let mut look = |a: usize, b: usize, shift: [f64; 3]| self.look(&movers, [a, b], shift, &mut worst);
        // Unbounded bodies meet all others that are wanted.
        for e in 0..n {
            if movers.radii.get(e).is_some_and(|radius| !radius.is_finite()) {
                (0..n).filter(|i| *i != e && self.wanted(*i, e)).try_for_each(|i| look(i, e, [0.0; 3]))?;
            }
        }
        let query = Query {
            bodies: broad::Proxies {
                centres: Array::from_f64(movers.centres.get(..n).unwrap_or_default()),
                radii: Array::from_numbers(reach.get(..n).unwrap_or_default()),
                motions: self.given.motions,
                groups: Some(Words::from_slice(groups.get(..n).unwrap_or_default())),
                masks: self.given.masks,
            },
            space: Space { periods: self.setup.periods, ..Space::OPEN },
            margin: 0.0,
        };
        let found = search.pairs((self.exec, self.isa), &query, [grid, rest], candidates);
        let count = found.map_err(about_candidates)?;
        for c in candidates.get(..count).unwrap_or_default() {
            let shift = [0, 1, 2].map(|k| f64::from(c.shift[k]) * self.setup.periods[k]);
            look(c.a as usize, c.b as usize, shift)?;
        }
        // A little less than the limit.
        worst.dt = if worst.ratio > 0.0 { 0.99 * self.dt / max(worst.ratio, 1.0) } else { 0.0 };
        Ok(worst)
    }

    /// The path of a body with these bounds in the step.
    fn sweep(&self, i: usize, body: &Body, (centre, radius): ([f64; 3], f64), vertices: &VertexMotion) -> Sweep {
        let (shape, factor) = self.given.shape_of(i);
        // Rotation moves no point of the surface by more than the arm, and moves the centre of the bounds about the body's position only.
        let around = length(sub(centre, body.position));
        let arm = if matches!(shape, Shape::Sphere { .. }) { 0.0 } else { around + radius };
        let [velocity, spin] = self.velocities(i, body);
        let way = self.dt * vertices.most(velocity);
        let turn = self.dt * length(spin);
        // An arm may be infinite.
        let travel = if turn == 0.0 { way } else { way + turn * arm };
        let endless = !radius.is_finite();
        let group = self.group(i);
        Sweep {
            reach: if endless { 0.0 } else { radius + way + min(turn, 2.0) * around },
            travel: if group == 0 { 0.0 } else { travel },
            halo: factor * least_halo(&shape),
            group: if endless { 0 } else { group },
        }
    }

    /// 0 if no body meets this one.
    fn group(&self, i: usize) -> u32 {
        self.given.groups.map_or(u32::MAX, |groups| groups.get(i))
    }

    /// Keeps a pair, B moved by `shift`, if it exceeds the allowed approach more than `worst`.
    fn look(&self, movers: &Movers<'_>, [a, b]: [usize; 2], shift: [f64; 3], worst: &mut TooFast) -> Result<()> {
        if !(movers.fast(a) || movers.fast(b)) {
            return Ok(());
        }
        let told = [a as u32, b as u32];
        // Ids decide the order of sums and, for bodies of equal size, the roles; slots never do.
        let ([a, b], shift) = match self.given.ids {
            Some(ids) if ids.get(a) > ids.get(b) => ([b, a], scale(shift, -1.0)),
            _ => ([a, b], shift),
        };
        let (Some(own), Some(other)) = (self.mover(movers, a), self.mover(movers, b)) else { return Ok(()) };
        let other = Mover { centre: add(other.centre, shift), position: add(other.position, shift), ..other };
        let mut ratio = self.ratio(&own, &other, [a, b]);
        if ratio > max(worst.ratio, 1.0) && !movers.vertices.is_empty() {
            let vertices = [self.near(&own, &other, a)?, self.near(&other, &own, b)?];
            let [own, other] = [Mover { vertices: vertices[0], ..own }, Mover { vertices: vertices[1], ..other }];
            ratio = min(ratio, self.ratio(&own, &other, [a, b]));
        }
        if ratio > worst.ratio {
            *worst = TooFast { a: told[0], b: told[1], ratio, dt: 0.0 };
        }
        Ok(())
    }

    fn mover(&self, movers: &Movers<'_>, i: usize) -> Option<Mover> {
        let body = self.bodies.get(i)?;
        let [velocity, spin] = self.velocities(i, body);
        Some(Mover {
            centre: *movers.centres.get(i)?,
            radius: *movers.radii.get(i)?,
            velocity,
            spin,
            position: body.position,
            halo: *movers.halos.get(i)?,
            vertices: movers.vertices.get(i).copied().unwrap_or_default(),
        })
    }

    /// The velocity that vertices of a body add, of those triangles that another body may meet in the step.
    fn near(&self, wall: &Mover, other: &Mover, place: usize) -> Result<VertexMotion> {
        if wall.vertices.is_still() || !other.radius.is_finite() {
            return Ok(wall.vertices);
        }
        let at = |mover: &Mover| add(mover.velocity, cross(mover.spin, sub(other.centre, mover.position)));
        let relative = length(sub(at(other), at(wall)));
        let way = self.dt * (relative + wall.vertices.most([0.0; 3]) + other.vertices.most([0.0; 3]));
        let reach = other.radius + way + self.bend(other, wall);
        let pose = Pose { position: wall.position, orientation: orientation(self.bodies, place) };
        let single = is_single(&self.given.shape_of(place).0);
        near(self.surfaces, place, &pose, single, &Passing { centre: other.centre, reach })
    }

    /// The body that moves by the largest number of periods in the step: it may meet any other body, each of them more than once. A ratio of at
    /// most 1 if no body moves by a whole period.
    fn through_periods(&self, vertices: &[VertexMotion]) -> TooFast {
        let mut worst = TooFast::default();
        for (i, body) in self.bodies.iter().enumerate() {
            if self.group(i) == 0 {
                continue;
            }
            let by_vertices = vertices.get(i).copied().unwrap_or_default();
            let [velocity, _] = self.velocities(i, body);
            let speeds = by_vertices.beside(add(velocity, by_vertices.middle()));
            for (speed, period) in speeds.into_iter().zip(self.setup.periods) {
                let ratio = if period > 0.0 { self.dt * speed / period } else { 0.0 };
                if ratio > worst.ratio {
                    worst = TooFast { a: i as u32, b: i as u32, ratio, dt: 0.99 * self.dt / max(ratio, 1.0) };
                }
            }
        }
        worst
    }

    fn wanted(&self, a: usize, b: usize) -> bool {
        let words = |words: Option<Words<'_>>, i: usize| words.map_or(u32::MAX, |words| words.get(i));
        let (groups, masks) = (self.given.groups, self.given.masks);
        let [own, other] = [a, b].map(|i| self.given.motions.map_or(0, |motions| motions.get(i)));
        let meet = words(groups, a) & words(masks, b) != 0 && words(groups, b) & words(masks, a) != 0;
        meet && Motion::wanted(own, other)
    }

    /// Velocity and angular velocity of a body in the step, including what gravity and the load add.
    fn velocities(&self, i: usize, body: &Body) -> [[f64; 3]; 2] {
        if self.ghosts_stay && body.motion == Motion::Ghost as u32 {
            return [[0.0; 3]; 2];
        }
        pushed(body, self.loads.get(i), self.setup.gravity, self.dt)
    }

    /// The approach of two bodies over half of the sum of their halos; 0 if their bounds do not overlap. If half of the sum of approach and
    /// increase along an arc is more than the approach, it counts instead.
    fn ratio(&self, a: &Mover, b: &Mover, places: [usize; 2]) -> f64 {
        let allowed = 0.5 * (a.halo + b.halo);
        if allowed <= 0.0 || (a.radius.is_finite() && b.radius.is_finite() && self.bounds_miss(a, b)) {
            return 0.0;
        }
        // Both bodies may rotate together, as a drum and its content: the approach in either frame is an upper bound.
        let least = min(self.seen([a, b], places), self.seen([b, a], [places[1], places[0]]));
        if least < f64::INFINITY { least } else { 0.0 }
    }

    /// The same in the frame of the first body; infinite if the other body is a half-space.
    fn seen(&self, [from, other]: [&Mover; 2], places: [usize; 2]) -> f64 {
        if !other.radius.is_finite() {
            return f64::INFINITY;
        }
        let seen = self.seen_from(from, other, [places[1], places[0]]);
        let is_ball = matches!(self.given.shape_of(places[0]).0, Shape::Sphere { .. });
        if !is_ball || from.spin == [0.0; 3] {
            return seen;
        }
        // The spin of a ball does not move its surface, so a frame without rotation is also valid.
        min(seen, self.seen_from(&Mover { spin: [0.0; 3], ..*from }, other, [places[1], places[0]]))
    }

    /// The same in the frame of a body that may be a half-space; the index of the other body comes first.
    fn seen_from(&self, large: &Mover, small: &Mover, places: [usize; 2]) -> f64 {
        let allowed = 0.5 * (small.halo + large.halo);
        let turning = sub(small.spin, large.spin);
        let arm = self.arm(small, places[0]);
        let around = cross(large.spin, sub(small.centre, large.position));
        let own = cross(small.spin, sub(small.centre, small.position));
        let relative = sub(add(small.velocity, own), add(large.velocity, around));
        let relative = add(relative, sub(small.vertices.middle(), large.vertices.middle()));
        let half = add(small.vertices.half(), large.vertices.half());
        let bend = self.bend(small, large);
        // The approach and its increase along an arc may together be as much as both halos.
        let over = |approach, bend| max(approach, 0.5 * (approach + bend)) / allowed;
        if let Shape::HalfSpace { .. } = self.given.shape_of(places[1]).0 {
            let pose = Pose { position: large.position, orientation: orientation(self.bodies, places[1]) };
            let Ok(frame) = pose.transform(What::Pose) else { return 0.0 };
            let normal = frame.rotate([0.0, 0.0, 1.0]);
            let high = dot(normal, sub(small.centre, large.position)) - small.radius - large.halo;
            let towards = dot(normal.map(Real::abs), half) - dot(normal, relative);
            let approach = self.dt * (max(0.0, towards) + length(turning) * arm);
            // In the frame of the plane, velocities also rotate toward it.
            let turns =
                length(cross(large.spin, relative)) + length(large.spin) * (length(half) + bend / (1.5 * self.dt));
            let bend = bend + 0.5 * self.dt * self.dt * turns;
            return if high > approach + bend { 0.0 } else { over(approach, bend) };
        }
        over(self.dt * (length(add(relative.map(Real::abs), half)) + length(turning) * arm), bend)
    }

    /// Upper bound for the increase of a path in a rotating frame. In the frame of another body that rotates, the path of a body's centre may be
    /// longer than its velocity at the start says. The increase is at most half of the square of the step times the largest rate of change of
    /// this velocity.
    ///
    /// A centre at `o` from the body's position x has the velocity `v + w x o - w' x (x + o - x')` in that frame, with v relative to the other
    /// body, whose values have a mark. Its rate of change is `(w - w') x (w x o) - w' x v`. Velocities of vertices rotate with their bodies.
    fn bend(&self, seen: &Mover, from: &Mover) -> f64 {
        let [own, other] = [seen, from].map(|mover| length(mover.spin));
        let around = length(sub(seen.centre, seen.position));
        let rigid = length(cross(from.spin, sub(seen.velocity, from.velocity)))
            + length(sub(seen.spin, from.spin)) * own * around;
        let vertices = own * seen.vertices.most([0.0; 3]) + other * from.vertices.most([0.0; 3]);
        0.5 * self.dt * self.dt * (rigid + vertices)
    }

    /// Whether the bounding spheres of two bodies do not overlap in the step.
    fn bounds_miss(&self, a: &Mover, b: &Mover) -> bool {
        let [(own, own_slack), (other, other_slack)] = [a, b].map(|mover| self.way_of_bounds(mover));
        // The least distance of both centres.
        let (d, way) = (sub(a.centre, b.centre), sub(own, other));
        let length_squared = dot(way, way);
        let part = if length_squared > 0.0 { (-dot(d, way) / length_squared).clamp(0.0, 1.0) } else { 0.0 };
        let least = length(add(d, scale(way, part)));
        let all = a.radius + b.radius;
        least > all + own_slack + other_slack + 1e-9 * all
    }

    /// The straight displacement of the centre of a body's bounds, and the largest deviation from it: the centre rotates about the body's
    /// position, and vertices move.
    fn way_of_bounds(&self, mover: &Mover) -> ([f64; 3], f64) {
        let arm = sub(mover.centre, mover.position);
        let (turn, around) = (self.dt * length(mover.spin), length(arm));
        let (along, arc) = match turn < 2.0 {
            true => (cross(mover.spin, arm), 0.5 * turn * turn * around),
            false => ([0.0; 3], 2.0 * around),
        };
        let vertices = length(mover.vertices.half()) + min(turn, 2.0) * mover.vertices.most([0.0; 3]);
        let velocity = add(add(mover.velocity, along), mover.vertices.middle());
        (scale(velocity, self.dt), arc + self.dt * vertices)
    }

    /// The largest distance of a body's surface from the centre of its bounds, as far as rotation moves it.
    fn arm(&self, mover: &Mover, place: usize) -> f64 {
        if matches!(self.given.shape_of(place).0, Shape::Sphere { .. }) { 0.0 } else { mover.radius }
    }
}

fn orientation(bodies: &[Body], place: usize) -> [f64; 4] {
    bodies.get(place).map_or(Pose::IDENTITY.orientation, |body| body.orientation)
}

/// The thinnest halo of a shape.
fn least_halo(shape: &Shape<'_>) -> f64 {
    match shape {
        Shape::Sphere { halo, .. } | Shape::Capsule { halo, .. } | Shape::HalfSpace { halo } => *halo,
        Shape::Mesh(surface) => match surface.mesh.halos {
            [] => surface.mesh.largest_halo(),
            own => own.iter().fold(f64::INFINITY, |least, halo| if *halo < least { *halo } else { least }),
        },
        Shape::Compound(parts) => {
            let least = parts.iter().map(|part| part.scale * least_halo(&part.shape));
            let least = least.fold(f64::INFINITY, |least, halo| if halo < least { halo } else { least });
            if least.is_finite() { least } else { 0.0 }
        }
    }
}

/// The output of the search is the candidates of the world.
fn about_candidates(e: Error) -> Error {
    if e.what == What::Output { Error { what: What::Candidates, ..e } } else { e }
}

fn length(v: [f64; 3]) -> f64 {
    Real::sqrt(dot(v, v))
}

fn put<T>(items: &mut [T], i: usize, item: T) {
    super::checked_slice::put(items, i, item);
}
