//! The bodies of a scene: those that are there at first, and those of its sources.

use super::scene::{BodyOf, MotionName, Scene, Sizes, SourceOf, Text};
use super::shapes::Loaded;
use crate::failure::Failure;
use dem_std::OwnedWorld;
use dem_std::dem_core::body::Body;
use dem_std::dem_core::broad::Motion;
use dem_std::dem_core::mesh::MassProperties;
use dem_std::dem_core::pose::Pose;
use dem_std::dem_core::world::Member;
use dem_std::random::SplitMix64;
use toml::Spanned;

/// Bodies of a source have the ids from this times one more than its place on.
const SOURCE_IDS: u64 = 1 << 32;
/// Places that are tried for a body before it waits for the next frame.
const TRIES: u32 = 200;

/// Names of a scene, found.
pub struct Bodies<'s> {
    scene: &'s Scene,
    loaded: &'s [Loaded],
    /// Of each shape, the radius that holds it.
    reaches: Vec<Option<f64>>,
    sources: Vec<Found>,
}

struct Found {
    shapes: Vec<usize>,
    material: usize,
}

impl<'s> Bodies<'s> {
    /// Errors: a name that there is not.
    pub fn new(text: &Text<'_>, scene: &'s Scene, loaded: &'s [Loaded]) -> Result<Self, Failure> {
        let mut sources = Vec::new();
        for source in &scene.sources {
            let of = source.get_ref();
            let wrong = |message: &str| Err(text.at(source.span(), message));
            let shapes = of.shapes.iter().map(|name| text.find(name, "shape", shape_names(scene)));
            let shapes = shapes.collect::<Result<Vec<_>, _>>()?;
            if shapes.is_empty() {
                return wrong("a source has at least one shape");
            }
            for (place, name) in shapes.iter().zip(&of.shapes) {
                if let Some(message) = loaded.get(*place).and_then(no_mass) {
                    return Err(text.at(name.span(), message));
                }
            }
            if of.rate.is_some_and(|rate| !(rate > 0.0 && rate.is_finite())) {
                return wrong("the rate must be larger than 0");
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
                    "sizes are positive: uniform = [low, high], normal = [mean, less than a third of it], lognormal = [median, at least 1]",
                );
            }
            let material = text.find(&of.material, "material", material_names(scene))?;
            sources.push(Found { shapes, material });
        }
        let reaches = loaded.iter().map(Loaded::reach).collect();
        Ok(Bodies { scene, loaded, reaches, sources })
    }

    /// Adds the bodies that are there at first.
    pub fn place(&self, text: &Text<'_>, world: &mut OwnedWorld) -> Result<(), Failure> {
        for (id, given) in self.scene.bodies.iter().enumerate() {
            let of = given.get_ref();
            let wrong = |message: &str| text.at(given.span(), message);
            let shape = text.find(&of.shape, "shape", shape_names(self.scene))?;
            let material = text.find(&of.material, "material", material_names(self.scene))?;
            let orientation = turn(of).ok_or_else(|| wrong("a turn needs an `axis` and an `angle` in degrees"))?;
            let pose = Pose { position: of.position, orientation };
            if of.motion == MotionName::Static && (of.velocity != [0.0; 3] || of.spin != [0.0; 3]) {
                return Err(wrong("a static body has no velocity: motion = \"kinematic\" has"));
            }
            if of.swing.is_some() && of.motion != MotionName::Kinematic {
                return Err(wrong("only kinematic bodies swing"));
            }
            let body = match of.motion {
                MotionName::Dynamic => {
                    if let Some(message) = self.loaded.get(shape).and_then(no_mass) {
                        return Err(text.at(of.shape.span(), message));
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

    fn member(&self, body: Body, shape: usize, material: usize, scale: f64, id: u64) -> Member {
        Member { material: material as u32, scale, id: Some(id), ..Member::new(body, shape as u32) }
    }

    fn dynamic(
        &self,
        shape: usize,
        material: usize,
        scale: f64,
        pose: &Pose,
    ) -> dem_std::dem_core::error::Result<Body> {
        let density = self.scene.materials.values().nth(material).map_or(0.0, |m| m.get_ref().density);
        match self.loaded.get(shape) {
            Some(Loaded::Mesh(mesh)) => {
                let volume = density * scale * scale * scale;
                let properties = MassProperties {
                    mass: mesh.mass.mass * volume,
                    moments: mesh.mass.moments.map(|moment| moment * volume * scale * scale),
                    centre: mesh.mass.centre.map(|x| x * scale),
                    ..mesh.mass
                };
                Body::new(&properties, pose)
            }
            Some(Loaded::Ball { radius, .. }) => {
                let body = Body::ball(radius * scale, density, pose.position)?;
                Ok(Body { orientation: pose.orientation, ..body })
            }
            _ => Ok(Body::fixed(*pose)),
        }
    }

    /// Adds what sources are due at this time, as far as there is room; how many have come. A body that finds no room comes in a later frame. What it finds depends on the
    /// seed, its number and the frame alone.
    ///
    /// Room is looked for by balls around bodies that forces move, and by planes; meshes that are fixed are not looked at.
    pub fn insert(&self, frame: u64, time: f64, world: &mut OwnedWorld) -> Result<u32, Failure> {
        let mut taken = None;
        let mut come = 0;
        for (k, (source, found)) in self.scene.sources.iter().zip(&self.sources).enumerate() {
            let of = source.get_ref();
            let first = SOURCE_IDS * (k as u64 + 1);
            let last = first + u64::from(of.count);
            let there = world_ids(world).filter(|id| (first..last).contains(id)).count() as u32;
            let due = match of.rate {
                _ if time < of.start => 0,
                None => of.count,
                Some(rate) => ((time - of.start) * rate) as u32 + 1,
            };
            for number in there..due.min(of.count) {
                let taken = taken.get_or_insert_with(|| self.taken(world));
                let seed = of.seed ^ (k as u64) << 56 ^ u64::from(number) << 24 ^ frame << 1;
                let mut random = SplitMix64::new(SplitMix64::new(seed).next_u64());
                let scale = of.sizes.map_or(1.0, |sizes| size(sizes, of.seed ^ first ^ u64::from(number)));
                let which = SplitMix64::new(of.seed ^ first ^ u64::from(number) << 16).next_u64();
                let shape = found.shapes.get((which % found.shapes.len() as u64) as usize).copied().unwrap_or_default();
                let reach = scale * self.reaches.get(shape).copied().flatten().unwrap_or_default();
                let Some(position) = free_place(of, reach, taken, self.scene.periods, &mut random) else { break };
                let orientation = [random.signed(), random.signed(), random.signed(), random.unit() + 1e-3];
                let pose = Pose { position, orientation };
                let body = self.dynamic(shape, found.material, scale, &pose)?;
                // The place is that of its centre of mass.
                let body = Body { position, velocity: of.velocity, ..body };
                let id = first + u64::from(number);
                world.add(&self.member(body, 2 * shape + 1, found.material, scale, id))?;
                taken.balls.push((position, reach));
                come += 1;
            }
        }
        Ok(come)
    }

    /// Whether a source still has bodies to come.
    pub fn all_come(&self, world: &OwnedWorld) -> bool {
        let wanted = self.scene.sources.iter().map(|s| s.get_ref().count as usize).sum::<usize>();
        world_ids(world).filter(|id| *id >= SOURCE_IDS).count() >= wanted
    }

    /// What a body is called in errors.
    pub fn name(&self, id: u64) -> String {
        match id.checked_div(SOURCE_IDS) {
            Some(source @ 1..) => format!("body {} of source {source}", id % SOURCE_IDS + 1),
            _ => {
                let of = self.scene.bodies.get(id as usize);
                let shape = of.map_or("", |body| body.get_ref().shape.get_ref().as_str());
                format!("body {} (`{shape}`)", id + 1)
            }
        }
    }

    fn taken(&self, world: &OwnedWorld) -> Taken {
        let mut taken = Taken { balls: Vec::new(), planes: Vec::new() };
        let Ok(view) = world.view() else { return taken };
        for ((body, shape), scale) in view.bodies().iter().zip(view.shapes()).zip(view.scales()) {
            let shape = *shape as usize / 2;
            match (self.loaded.get(shape), self.reaches.get(shape)) {
                (Some(Loaded::Plane { halo }), _) => taken.planes.push((body.pose(), halo * scale)),
                (Some(Loaded::Mesh(_)), _) if !body.is_dynamic() => {}
                (Some(_), Some(Some(reach))) => taken.balls.push((body.position, reach * scale)),
                _ => {}
            }
        }
        taken
    }
}

/// What keeps bodies of sources away.
struct Taken {
    balls: Vec<([f64; 3], f64)>,
    planes: Vec<(Pose, f64)>,
}

fn free_place(
    of: &SourceOf,
    reach: f64,
    taken: &Taken,
    periods: [f64; 3],
    random: &mut SplitMix64,
) -> Option<[f64; 3]> {
    (0..TRIES).find_map(|_| {
        let mut p = [0.0; 3];
        for ((x, low), high) in p.iter_mut().zip(of.low).zip(of.high) {
            *x = low + (high - low) * random.unit();
        }
        let away = |(at, radius): &([f64; 3], f64)| {
            let mut square = 0.0;
            for ((x, y), period) in p.iter().zip(at).zip(periods) {
                let d = x - y;
                let d = if period > 0.0 { d - period * (d / period).round() } else { d };
                square += d * d;
            }
            square > (radius + reach) * (radius + reach)
        };
        let above = |(pose, halo): &(Pose, f64)| {
            let [x, y, z, w] = pose.orientation;
            let long = x * x + y * y + z * z + w * w;
            let up = [2.0 * (x * z + w * y), 2.0 * (y * z - w * x), w * w + z * z - x * x - y * y];
            let height: f64 = up.iter().zip(p.iter().zip(pose.position)).map(|(n, (x, at))| n / long * (x - at)).sum();
            height > reach + halo
        };
        (taken.balls.iter().all(away) && taken.planes.iter().all(above)).then_some(p)
    })
}

fn size(sizes: Sizes, seed: u64) -> f64 {
    let mut random = SplitMix64::new(SplitMix64::new(seed).next_u64());
    // Box and Muller 1958, again and again until it is within three deviations.
    let mut normal = || {
        loop {
            let (u, v) = (1.0 - random.unit(), random.unit());
            let x = libm::sqrt(-2.0 * libm::log(u)) * libm::cos(2.0 * core::f64::consts::PI * v);
            if x.abs() <= 3.0 {
                return x;
            }
        }
    };
    match sizes {
        Sizes::Uniform([low, high]) => low + (high - low) * SplitMix64::new(seed).unit(),
        Sizes::Normal([mean, deviation]) => mean + deviation * normal(),
        Sizes::Lognormal([median, spread]) => median * libm::exp(libm::log(spread) * normal()),
    }
}

fn turn(of: &BodyOf) -> Option<[f64; 4]> {
    let Some(axis) = of.axis else { return (of.angle == 0.0).then_some([0.0, 0.0, 0.0, 1.0]) };
    let length = axis.iter().map(|x| x * x).sum::<f64>().sqrt();
    if !(length > 0.0 && length.is_finite()) {
        return None;
    }
    let half = of.angle.to_radians() / 2.0;
    let [x, y, z] = axis.map(|x| x / length * libm::sin(half));
    Some([x, y, z, libm::cos(half)])
}

/// Why forces cannot move a body of this shape; nothing where they can.
fn no_mass(shape: &Loaded) -> Option<&'static str> {
    match shape {
        Loaded::Plane { .. } => Some("a plane has no mass: set motion = \"static\" or \"kinematic\""),
        Loaded::Mesh(mesh) if mesh.open || mesh.mass.mass <= 0.0 => {
            Some("a sheet has no mass: set motion = \"static\" or \"kinematic\"")
        }
        Loaded::Mesh(_) | Loaded::Ball { .. } => None,
    }
}

fn world_ids(world: &OwnedWorld) -> impl Iterator<Item = u64> + '_ {
    world.view().map(|view| view.ids()).unwrap_or_default().iter().copied()
}

fn shape_names(scene: &Scene) -> impl Iterator<Item = &String> + Clone {
    scene.shapes.keys().map(Spanned::get_ref)
}

fn material_names(scene: &Scene) -> impl Iterator<Item = &String> + Clone {
    scene.materials.keys().map(Spanned::get_ref)
}
