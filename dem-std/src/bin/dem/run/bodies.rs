//! The bodies of a scene: those that are there at the start, and those of its sources.

use super::progress::Progress;
use super::scene::{BodyOf, Copies, Keep, MotionName, NO_TURN, Scene, Sizes, SourceOf, Text, turn};
use super::shapes::{Loaded, LoadedMesh};
use super::sources::{Taken, due, free_place, size};
use crate::failure::Failure;
use dem_std::OwnedWorld;
use dem_std::dem_core::body::Body;
use dem_std::dem_core::broad::Motion;
use dem_std::dem_core::error::What;
use dem_std::dem_core::mesh::MassProperties;
use dem_std::dem_core::pose::Pose;
use dem_std::dem_core::world::BodyDef;
use dem_std::random::SplitMix64;
use std::collections::BTreeSet;
use toml::Spanned;

/// The bodies of source number k have ids from (k + 1) times this on.
const SOURCE_IDS: u64 = 1 << 32;
/// The least number of balls that are not few.
const FEW: usize = 32;

/// The bodies of a scene, with all names resolved.
pub struct Bodies<'s> {
    scene: &'s Scene,
    loaded: &'s [Loaded],
    /// For each shape, the radius of a ball that contains it.
    reaches: Vec<Option<f64>>,
    sources: Vec<Found>,
    /// For each body that is there at the start, whose id is its index here: its entry in the file, and its offset from the position there.
    placed: Vec<(usize, [f64; 3])>,
}

struct Found {
    shapes: Vec<usize>,
    material: usize,
}

impl<'s> Bodies<'s> {
    /// Errors: an unknown name.
    pub fn new(text: &Text<'_>, scene: &'s Scene, loaded: &'s [Loaded]) -> Result<Self, Failure> {
        let mut sources = Vec::new();
        for source in &scene.sources {
            let of = source.get_ref();
            let wrong = |message: &str| Err(text.at_named(source.span(), message));
            let shapes = of.shapes.iter().map(|name| text.find(name, "shape", shape_names(scene)));
            let shapes = shapes.collect::<Result<Vec<_>, _>>()?;
            if shapes.is_empty() {
                return wrong("a source has at least one shape");
            }
            for (place, name) in shapes.iter().zip(&of.shapes) {
                if let Some(message) = loaded.get(*place).and_then(no_mass) {
                    return Err(text.at(name.span(), &message));
                }
            }
            if of.rate.is_some_and(|rate| !(rate > 0.0 && rate.is_finite())) {
                return Err(text.at_key(source.span(), "rate", "the rate must be larger than 0"));
            }
            if !of.low.iter().zip(of.high).all(|(low, high)| *low <= high && low.is_finite() && high.is_finite()) {
                return wrong("`low` and `high` are the corners of a box");
            }
            let good = match of.sizes {
                None => true,
                Some(Sizes::Uniform([low, high])) => low > 0.0 && high >= low && high.is_finite(),
                Some(Sizes::Normal([mean, deviation])) => deviation >= 0.0 && mean > 3.0 * deviation,
                Some(Sizes::Lognormal([median, spread])) => median > 0.0 && spread >= 1.0 && spread.is_finite(),
            };
            if !good {
                return wrong(
                    "`sizes` are positive: uniform = [low, high], normal = [mean, less than a third of it], lognormal = [median, at least 1]",
                );
            }
            let material = text.find(&of.material, "material", material_names(scene))?;
            sources.push(Found { shapes, material });
        }
        let reaches = loaded.iter().map(Loaded::reach).collect();
        if let Some(keep) = &scene.keep {
            let of = keep.get_ref();
            if !of.low.iter().zip(of.high).all(|(low, high)| *low < high) {
                return Err(text.at_named(keep.span(), "`low` and `high` are the corners of a box"));
            }
        }
        let bodies = Bodies { scene, loaded, reaches, sources, placed: placed(text, scene)? };
        bodies.fit(text)?;
        Ok(bodies)
    }

    /// Messages about dynamic bodies whose meshes look inward, or have an uncertain mass because of holes.
    pub fn doubts(&self) -> Vec<String> {
        let dynamic = self.at_first().filter(|(_, of)| of.motion == MotionName::Dynamic);
        let names: BTreeSet<_> = dynamic.map(|(_, of)| of.shape.get_ref()).collect();
        let listed = shape_names(self.scene).enumerate().filter(|(_, name)| names.contains(name)).map(|(k, _)| k);
        let mut moved: BTreeSet<_> = listed.chain(self.sources.iter().flat_map(|found| found.shapes.clone())).collect();
        for shape in moved.clone() {
            if let Some(Loaded::Compound(compound)) = self.loaded.get(shape) {
                moved.extend(compound.parts.iter().map(|part| part.shape));
            }
        }
        let mut said = Vec::new();
        for (name, shape) in
            shape_names(self.scene).zip(self.loaded).enumerate().filter(|(k, _)| moved.contains(k)).map(|(_, of)| of)
        {
            let Loaded::Mesh(mesh) = shape else { continue };
            let MassProperties { holes, volume, volume_error, centre_error, state, .. } = mesh.mass;
            if state & MassProperties::INWARD != 0 {
                said.push(format!(
                    "the triangles of `{name}` look inward, so its bodies sink into others: `inward = false` turns them"
                ));
            }
            if holes == 0 {
                continue;
            }
            let part = 100.0 * volume_error / volume;
            let open = mesh.open_edges;
            let (what, better) = match open {
                0 => ("double or turned triangles".to_string(), "repair it (`dem inspect` lists them)"),
                _ => (
                    format!("holes ({open} open edges)"),
                    "close the holes in the mesh (`dem inspect` lists the edges), or close cracks by `weld`, a small length",
                ),
            };
            said.push(format!(
                "the mesh of `{name}` has {what}, so its mass, centre and moments are not known well: volume {volume:.3e} +- {volume_error:.1e} ({part:.0} %), centre +- {centre_error:.1e}; {better}"
            ));
        }
        said
    }

    /// Ids of the bodies that are there at the start, and their entries in the file.
    pub fn at_first(&self) -> impl Iterator<Item = (u64, &'s BodyOf)> + '_ {
        let entry = |(place, _): &(usize, _)| self.scene.bodies.get(*place).map(Spanned::get_ref);
        self.placed.iter().enumerate().filter_map(move |(id, placed)| Some((id as u64, entry(placed)?)))
    }

    /// For each shape except planes: the radius without the halo, and the halo.
    pub fn sizes(&self) -> impl Iterator<Item = Option<[f64; 2]>> + '_ {
        let halo = self.loaded.iter().map(Loaded::halo);
        self.reaches.iter().zip(halo).map(|(reach, halo)| reach.map(|reach| [reach - halo, halo]))
    }

    /// Whether there are so few balls and compounds of balls that records of all their contacts cost nothing noticeable.
    pub fn few_balls(&self, world: &OwnedWorld) -> Result<bool, Failure> {
        let is_ball = |of: &Loaded| match of {
            Loaded::Ball { .. } => true,
            Loaded::Compound(compound) => {
                let mut parts = compound.parts.iter().map(|part| self.loaded.get(part.shape));
                parts.all(|part| matches!(part, Some(Loaded::Ball { .. })))
            }
            _ => false,
        };
        let view = world.view()?;
        let shapes = view.shapes().iter().enumerate().filter(|(slot, _)| view.handle(*slot).is_some());
        let balls = shapes.filter(|(_, shape)| self.loaded.get(**shape as usize / 2).is_some_and(is_ball));
        Ok(balls.count() < FEW)
    }

    /// The work that dynamic bodies cause, in the units of [`super::workers::FEW`]: about the microseconds of a step on one thread, if each body
    /// has a contact.
    pub fn moving(&self, world: &OwnedWorld) -> Result<f64, Failure> {
        let own = |of: &Loaded| match of {
            Loaded::Plane { .. } | Loaded::Compound(_) => 0.0,
            Loaded::Ball { .. } | Loaded::Capsule { .. } => 1.0,
            Loaded::Mesh(mesh) => 10.0 + mesh.triangles.len() as f64 / 200.0,
        };
        let counts = self.loaded.iter().map(|of| match of {
            Loaded::Compound(compound) => {
                compound.parts.iter().filter_map(|part| self.loaded.get(part.shape)).map(own).sum()
            }
            of => own(of),
        });
        let counts: Vec<f64> = counts.collect();
        let view = world.view()?;
        let slots = view.bodies().iter().zip(view.shapes()).enumerate();
        let moving = slots.filter(|(slot, (body, _))| view.handle(*slot).is_some() && body.is_dynamic());
        Ok(moving.filter_map(|(_, (_, shape))| counts.get(*shape as usize / 2)).sum())
    }

    /// Adds the bodies that are there at the start.
    pub fn place(&self, text: &Text<'_>, world: &mut OwnedWorld) -> Result<(), Failure> {
        for (id, (entry, offset)) in self.placed.iter().enumerate() {
            let Some(given) = self.scene.bodies.get(*entry) else { continue };
            let of = given.get_ref();
            let wrong = |message: &str| text.at_named(given.span(), message);
            let shape = text.find(&of.shape, "shape", shape_names(self.scene))?;
            let material = text.find(&of.material, "material", material_names(self.scene))?;
            if !(of.scale > 0.0 && of.scale.is_finite()) {
                return Err(text.at_key(given.span(), "scale", "the scale must be larger than 0"));
            }
            if of
                .swing
                .is_some_and(|swing| !swing.frequency.is_finite() || !swing.amplitude.iter().all(|x| x.is_finite()))
            {
                return Err(text.at_key(
                    given.span(),
                    "swing",
                    "the swing is NaN or infinite: its `amplitude` is three lengths, its `frequency` full swings in a unit of time",
                ));
            }
            for (key, numbers) in [("position", of.position), ("velocity", of.velocity), ("spin", of.spin)] {
                if !numbers.iter().all(|x| x.is_finite()) {
                    return Err(wrong(&format!("`{key}` is NaN or infinite")));
                }
            }
            let orientation = turn(of.axis, of.angle).ok_or_else(|| wrong(NO_TURN))?;
            let [x, y, z] = of.position;
            let position = [x + offset[0], y + offset[1], z + offset[2]];
            let pose = Pose { position, orientation };
            if of.motion == MotionName::Static && (of.velocity != [0.0; 3] || of.spin != [0.0; 3]) {
                return Err(wrong("a static body has no velocity: use motion = \"kinematic\" for one that moves"));
            }
            if of.swing.is_some() && of.motion != MotionName::Kinematic {
                return Err(wrong("only kinematic bodies swing"));
            }
            let body = match of.motion {
                MotionName::Dynamic => {
                    if let Some(message) = self.loaded.get(shape).and_then(no_mass) {
                        return Err(text.at(of.shape.span(), &message));
                    }
                    self.dynamic(shape, material, of.scale, &pose).map_err(|e| wrong(&e.to_string()))?
                }
                MotionName::Kinematic => Body { motion: Motion::Kinematic as u32, ..Body::fixed(pose) },
                MotionName::Static => Body::fixed(pose),
            };
            let body = Body { velocity: of.velocity, angular_velocity: of.spin, ..body };
            let framed = usize::from(of.motion == MotionName::Dynamic);
            let member = self.member(body, 2 * shape + framed, material, of.scale, id as u64);
            world.add(&member).map_err(|e| wrong(&e.to_string()))?;
        }
        Ok(())
    }

    fn member(&self, body: Body, shape: usize, material: usize, scale: f64, id: u64) -> BodyDef {
        BodyDef { material: material as u32, scale, id: Some(id), ..BodyDef::new(body, shape as u32) }
    }

    fn dynamic(
        &self,
        shape: usize,
        material: usize,
        scale: f64,
        pose: &Pose,
    ) -> dem_std::dem_core::error::Result<Body> {
        let density = self.scene.materials.values().nth(material).map_or(0.0, |m| m.get_ref().density);
        if let Some(Loaded::Ball { radius, .. }) = self.loaded.get(shape) {
            let body = Body::ball(radius * scale, density, pose.position)?;
            return Ok(Body { orientation: pose.orientation, ..body });
        }
        if let Some(Loaded::Capsule { half_length, radius, .. }) = self.loaded.get(shape) {
            return Body::capsule(half_length * scale, radius * scale, density, pose);
        }
        let Some(mass) = self.loaded.get(shape).and_then(Loaded::mass) else { return Ok(Body::fixed(*pose)) };
        let volume = density * scale * scale * scale;
        let properties = MassProperties {
            mass: mass.mass * volume,
            moments: mass.moments.map(|moment| moment * volume * scale * scale),
            centre: mass.centre.map(|x| x * scale),
            ..*mass
        };
        Body::new(&properties, pose)
    }

    /// Removes bodies that have left the box of `keep`, and adds those that sources should have added by this time, if there is room. A body that
    /// finds no room comes in a later frame. Its position, orientation and size depend only on the seed, its number and the frame.
    ///
    /// The search for room uses balls around dynamic bodies, planes, and the surfaces of meshes that are fixed or driven.
    pub fn insert(&self, progress: &mut Progress, time: f64, world: &mut OwnedWorld) -> Result<(), Failure> {
        self.leave(progress, world)?;
        let mut taken = None;
        for (k, (source, found)) in self.scene.sources.iter().zip(&self.sources).enumerate() {
            let of = source.get_ref();
            let first = SOURCE_IDS * (k as u64 + 1);
            let there = progress.come.get(k).copied().unwrap_or_default();
            let due = due(of, time);
            for number in there..due {
                let taken = taken.get_or_insert_with(|| self.taken(world));
                let seed = of.seed ^ (k as u64) << 56 ^ u64::from(number) << 24 ^ progress.frame << 1;
                let mut random = SplitMix64::new(SplitMix64::new(seed).next_u64());
                let (shape, scale, reach) = self.drawn(k, of, found, number);
                let Some(position) = free_place(of, reach, taken, self.scene.periods, &mut random)? else { break };
                let orientation = [random.signed(), random.signed(), random.signed(), random.unit() + 1e-3];
                let pose = Pose { position, orientation };
                let body = self.dynamic(shape, found.material, scale, &pose)?;
                // The drawn position is that of the centre of mass.
                let body = Body { position, velocity: of.velocity, ..body };
                let id = first + u64::from(number);
                world.add(&self.member(body, 2 * shape + 1, found.material, scale, id))?;
                taken.balls.push((position, reach));
                progress.brought += kinetic(&body);
                if let Some(come) = progress.come.get_mut(k) {
                    *come = number + 1;
                }
            }
        }
        Ok(())
    }

    /// Shape, scale and radius of a body of a source. Its position and orientation also depend on the frame.
    fn drawn(&self, source: usize, of: &SourceOf, found: &Found, number: u32) -> (usize, f64, f64) {
        let first = SOURCE_IDS * (source as u64 + 1);
        let scale = of.sizes.map_or(1.0, |sizes| size(sizes, of.seed ^ first ^ u64::from(number)));
        let which = SplitMix64::new(of.seed ^ first ^ u64::from(number) << 16).next_u64();
        let shape = found.shapes.get((which % found.shapes.len() as u64) as usize).copied().unwrap_or_default();
        (shape, scale, scale * self.reaches.get(shape).copied().flatten().unwrap_or_default())
    }

    /// Errors: a body of a source that would touch its own periodic image.
    fn fit(&self, text: &Text<'_>) -> Result<(), Failure> {
        let least = self.scene.periods.iter().copied().filter(|period| *period > 0.0).fold(f64::INFINITY, f64::min);
        for (k, (source, found)) in self.scene.sources.iter().zip(&self.sources).enumerate() {
            let of = source.get_ref();
            if least.is_infinite() {
                continue;
            }
            let sizes = (0..of.count).map(|number| self.drawn(k, of, found, number));
            if let Some((shape, _, reach)) =
                sizes.max_by(|(.., a), (.., b)| a.total_cmp(b)).filter(|(.., reach)| 2.0 * reach > least)
            {
                let name = shape_names(self.scene).nth(shape).map_or("", String::as_str);
                let wide = 2.0 * reach;
                let message = format!(
                    "a `{name}` of this source is {wide:.3} wide with its halo, and a period of the scene is {least}: it would meet its own image; take smaller bodies or longer periods"
                );
                return Err(text.at(source.span(), &message));
            }
        }
        Ok(())
    }

    fn leave(&self, progress: &mut Progress, world: &mut OwnedWorld) -> Result<(), Failure> {
        let Some(Keep { low, high }) = self.scene.keep.as_ref().map(|keep| *keep.get_ref()) else { return Ok(()) };
        let view = world.view()?;
        let outside = |body: &&Body| {
            let mut sides = body.position.iter().zip(low.iter().zip(high));
            body.is_dynamic() && sides.any(|(x, (low, high))| x < low || *x > high)
        };
        let gone = view.bodies().iter().enumerate().filter(|(_, body)| outside(body));
        let gone: Vec<_> = gone.filter_map(|(slot, body)| Some((view.handle(slot)?, kinetic(body)))).collect();
        for (handle, energy) in gone {
            world.remove(handle)?;
            progress.left += 1;
            progress.brought -= energy;
        }
        Ok(())
    }

    /// For each source: the number of bodies that were due up to a time, the number that have come, and the total.
    pub fn counts(&self, progress: &Progress, time: f64) -> impl Iterator<Item = [u32; 3]> {
        let sources = self.scene.sources.iter().map(Spanned::get_ref).zip(&progress.come);
        sources.map(move |(of, come)| [due(of, time).max(*come), *come, of.count])
    }

    /// The place of a body in the file.
    pub fn span(&self, id: u64) -> Option<std::ops::Range<usize>> {
        let (entry, _) = self.placed.get(id as usize)?;
        self.scene.bodies.get(*entry).map(Spanned::span)
    }

    /// The name of a body in messages.
    pub fn name(&self, id: u64) -> String {
        match id.checked_div(SOURCE_IDS) {
            Some(source @ 1..) => format!("body {} of source {source}", id % SOURCE_IDS + 1),
            _ => {
                let entry = self.placed.get(id as usize).map_or(0, |(entry, _)| *entry);
                let shape = self.scene.bodies.get(entry).map_or("", |body| body.get_ref().shape.get_ref().as_str());
                let before = self.placed.iter().take(id as usize).filter(|(other, _)| *other == entry).count();
                let copies = self.placed.iter().filter(|(other, _)| *other == entry).count();
                let copy = if copies > 1 { format!(", copy {}", before + 1) } else { String::new() };
                format!("body {} (`{shape}`){copy}", entry + 1)
            }
        }
    }

    /// Adds the room of a body that is not dynamic and has the frame of its file.
    fn fixed(&self, of: &'s Loaded, pose: &Pose, scale: f64, taken: &mut Taken<'s>) {
        match of {
            Loaded::Plane { halo } => taken.planes.push((*pose, halo * scale)),
            Loaded::Ball { radius, halo } => taken.balls.push((pose.position, (radius + halo) * scale)),
            Loaded::Capsule { half_length, radius, halo } => {
                taken.balls.push((pose.position, (half_length + radius + halo) * scale));
            }
            Loaded::Mesh(mesh) => taken.meshes.push((mesh, *pose, scale)),
            Loaded::Compound(compound) => {
                for part in &compound.parts {
                    let own = Pose { position: part.pose.position.map(|x| x * scale), ..part.pose };
                    // The poses of a compound have been checked.
                    if let (Some(of), Ok(at)) = (self.loaded.get(part.shape), pose.product(&own, What::Pose)) {
                        self.fixed(of, &at, scale * part.scale, taken);
                    }
                }
            }
        }
    }

    /// Meshes of bodies that are not dynamic, including parts of compounds, with their poses and scales.
    pub fn fixed_meshes(&self, world: &OwnedWorld) -> Result<Vec<(&'s LoadedMesh, Pose, f64)>, Failure> {
        let mut taken = Taken { balls: Vec::new(), planes: Vec::new(), meshes: Vec::new() };
        let view = world.view()?;
        let slots = view.bodies().iter().zip(view.shapes()).zip(view.scales()).enumerate();
        for (_, ((body, shape), scale)) in slots.filter(|(slot, _)| view.handle(*slot).is_some()) {
            if let (false, Some(of)) = (body.is_dynamic(), self.loaded.get(*shape as usize / 2)) {
                self.fixed(of, &body.pose(), *scale, &mut taken);
            }
        }
        Ok(taken.meshes)
    }

    fn taken(&self, world: &OwnedWorld) -> Taken<'s> {
        let mut taken = Taken { balls: Vec::new(), planes: Vec::new(), meshes: Vec::new() };
        let Ok(view) = world.view() else { return taken };
        let slots = view.bodies().iter().zip(view.shapes()).zip(view.scales()).enumerate();
        for (_, ((body, shape), scale)) in slots.filter(|(slot, _)| view.handle(*slot).is_some()) {
            let shape = *shape as usize / 2;
            match (self.loaded.get(shape), self.reaches.get(shape)) {
                (Some(of), Some(Some(reach))) if body.is_dynamic() || matches!(of, Loaded::Ball { .. }) => {
                    taken.balls.push((body.position, reach * scale));
                }
                (Some(of), _) => self.fixed(of, &body.pose(), *scale, &mut taken),
                _ => {}
            }
        }
        taken
    }
}

/// The bodies of the file, including copies.
fn placed(text: &Text<'_>, scene: &Scene) -> Result<Vec<(usize, [f64; 3])>, Failure> {
    let mut placed = Vec::new();
    for (entry, given) in scene.bodies.iter().enumerate() {
        let Some(Copies { count, apart }) = given.get_ref().copies else {
            placed.push((entry, [0.0; 3]));
            continue;
        };
        let all = count.iter().fold(1_u64, |all, n| all.saturating_mul(u64::from(*n)));
        if !(1..=1_000_000).contains(&all) {
            return Err(text.at_key(given.span(), "copies", "there are 1 to 1,000,000 copies"));
        }
        let [nx, ny, nz] = count;
        for (k, j, i) in (0..nz).flat_map(|k| (0..ny).flat_map(move |j| (0..nx).map(move |i| (k, j, i)))) {
            let [x, y, z] = apart;
            placed.push((entry, [f64::from(i) * x, f64::from(j) * y, f64::from(k) * z]));
        }
    }
    Ok(placed)
}

fn kinetic(body: &Body) -> f64 {
    let [x, y, z] = body.velocity;
    let moved = body.mass * (x * x + y * y + z * z);
    let turned: f64 = body.angular_momentum().iter().zip(body.angular_velocity).map(|(l, w)| l * w).sum();
    0.5 * (moved + turned)
}

/// The reason why a body of this shape cannot be dynamic; none if it can.
fn no_mass(shape: &Loaded) -> Option<String> {
    match shape {
        Loaded::Plane { .. } => Some("a plane has no mass: set motion = \"static\" or \"kinematic\"".to_string()),
        Loaded::Mesh(mesh) if mesh.open || mesh.mass.mass <= 0.0 => {
            let cracks = match mesh.open_edges {
                0 => String::new(),
                open => format!("; or close its {open} open edges, those of cracks by `weld`, a small length"),
            };
            Some(format!("a sheet has no mass: set motion = \"static\" or \"kinematic\"{cracks}"))
        }
        Loaded::Mesh(_) | Loaded::Ball { .. } | Loaded::Capsule { .. } | Loaded::Compound(_) => None,
    }
}

fn shape_names(scene: &Scene) -> impl Iterator<Item = &String> + Clone {
    scene.shapes.keys().map(Spanned::get_ref)
}

fn material_names(scene: &Scene) -> impl Iterator<Item = &String> + Clone {
    scene.materials.keys().map(Spanned::get_ref)
}
