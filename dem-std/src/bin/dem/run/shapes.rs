//! The shapes of a scene.

use super::scene::{NO_TURN, PartOf, Scene, ShapeOf, Text, turn};
use crate::failure::Failure;
use crate::generate;
use dem_std::dem_core::array::Array;
use dem_std::dem_core::contact::shape::{Part, Shape, Surface};
use dem_std::dem_core::contact::{CellOptions, Law};
use dem_std::dem_core::error::{Error, What};
use dem_std::dem_core::mesh::{
    Halo, InspectOptions, MassProperties, inspect, inspect_scratch, mass_properties, mass_scratch,
};
use dem_std::dem_core::narrow::{Operand, PointOnMesh, PointSide, points, points_scratch};
use dem_std::dem_core::pose::Pose;
use dem_std::dem_core::simd::Isa;
use dem_std::dem_core::surrogate::Options;
use dem_std::{Memory, OwnedCells, OwnedShape, Triangles, compound_mass, files};
use toml::Spanned;

/// A shape, with the memory that it needs.
pub enum Loaded {
    Ball {
        radius: f64,
        halo: f64,
    },
    /// A capsule along the z axis.
    Capsule {
        half_length: f64,
        radius: f64,
        halo: f64,
    },
    Plane {
        halo: f64,
    },
    Mesh(Box<LoadedMesh>),
    Compound(Box<LoadedCompound>),
}

/// A compound: other shapes that move together.
pub struct LoadedCompound {
    pub parts: Vec<LoadedPart>,
    /// For density 1.
    pub mass: MassProperties,
    reach: f64,
    halo: f64,
}

/// A shape, by its index, in the frame of a compound.
#[derive(Clone, Copy)]
pub struct LoadedPart {
    pub shape: usize,
    pub pose: Pose,
    pub scale: f64,
}

pub struct LoadedMesh {
    /// Its index among the shapes of the scene.
    pub place: usize,
    pub triangles: Triangles,
    /// For density 1.
    pub mass: MassProperties,
    pub open: bool,
    /// Edges with only one triangle, if there are holes.
    pub open_edges: u64,
    shape: OwnedShape,
    cells: OwnedCells,
}

impl LoadedMesh {
    /// Whether a point is outside the mesh and farther than `reach` from it and its halo. The mesh is in the frame of its file.
    pub fn is_clear(&self, pose: &Pose, scale: f64, point: [f64; 3], reach: f64) -> Result<bool, Error> {
        let mesh = self.shape.mesh()?;
        let reach = reach + scale * mesh.largest_halo();
        let operand = Operand { mesh, tree: self.shape.tree()?, pose, scale };
        let (at, mut out) = ([point], [PointOnMesh::default()]);
        let mut scratch = Memory::new(points_scratch(&operand)?)?;
        let bound = if self.open { reach } else { f64::INFINITY };
        points(Isa::best(), &operand, Array::from_f64(&at), bound, &mut out, &mut scratch)?;
        let [PointOnMesh { distance, signed_distance, .. }] = out;
        Ok(if self.open { distance } else { signed_distance } > reach)
    }

    /// Whether the surface is closed, and its triangles look away from the enclosed space.
    pub fn looks_outward(&self) -> bool {
        self.mass.holes == 0 && self.mass.state & (MassProperties::INWARD | MassProperties::FLAT) == 0
    }

    /// Which points are certainly inside a closed mesh.
    pub fn holds_of(&self, pose: &Pose, scale: f64, at: &[[f64; 3]]) -> Result<Vec<bool>, Error> {
        self.on_side(PointSide::Inside, pose, scale, at)
    }

    /// Which points are certainly in the space that a closed mesh with inward triangles encloses.
    pub fn room_for(&self, pose: &Pose, scale: f64, at: &[[f64; 3]]) -> Result<Vec<bool>, Error> {
        self.on_side(PointSide::Outside, pose, scale, at)
    }

    /// Whether all points are behind the triangles that are nearest to them.
    pub fn has_all_behind(&self, pose: &Pose, scale: f64, at: &[[f64; 3]]) -> Result<bool, Error> {
        let operand = Operand { mesh: self.shape.mesh()?, tree: self.shape.tree()?, pose, scale };
        let mut out = vec![PointOnMesh::default(); at.len()];
        let mut scratch = Memory::new(points_scratch(&operand)?)?;
        points(Isa::best(), &operand, Array::from_f64(at), f64::INFINITY, &mut out, &mut scratch)?;
        let frame = pose.transform(What::Pose)?;
        let is_behind = |(p, found): (&[f64; 3], &PointOnMesh)| {
            let corners = self.triangles.indices.get(found.triangle as usize).copied().unwrap_or_default();
            let vertex = |v: u32| self.triangles.vertices.get(v as usize).copied().unwrap_or_default();
            let [a, b, c] = corners.map(|v| frame.apply(vertex(v).map(|x| x * scale)));
            let [u, v, way] = [less(b, a), less(c, a), less(*p, found.point)];
            let normal = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
            way.iter().zip(normal).map(|(x, n)| x * n).sum::<f64>() < 0.0
        };
        Ok(at.iter().zip(&out).all(is_behind))
    }

    /// Which points in the box around the mesh are on this side of it.
    fn on_side(&self, side: PointSide, pose: &Pose, scale: f64, at: &[[f64; 3]]) -> Result<Vec<bool>, Error> {
        let mut there = vec![false; at.len()];
        // Most points are far away, and this test saves their search.
        let frame = pose.transform(What::Pose)?;
        let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
        for vertex in &self.triangles.vertices {
            let p = frame.apply(vertex.map(|x| x * scale));
            low.iter_mut().zip(p).for_each(|(low, x)| *low = low.min(x));
            high.iter_mut().zip(p).for_each(|(high, x)| *high = high.max(x));
        }
        let near = |p: &[f64; 3]| p.iter().zip(low.iter().zip(&high)).all(|(x, (low, high))| low <= x && x <= high);
        let (places, at): (Vec<_>, Vec<_>) = at.iter().copied().enumerate().filter(|(_, p)| near(p)).unzip();
        if at.is_empty() {
            return Ok(there);
        }
        let operand = Operand { mesh: self.shape.mesh()?, tree: self.shape.tree()?, pose, scale };
        let mut out = vec![PointOnMesh::default(); at.len()];
        let mut scratch = Memory::new(points_scratch(&operand)?)?;
        points(Isa::best(), &operand, Array::from_f64(&at), f64::INFINITY, &mut out, &mut scratch)?;
        for (place, found) in places.into_iter().zip(&out) {
            if let Some(there) = there.get_mut::<usize>(place) {
                *there = found.side == side as u32 && found.doubt == 0;
            }
        }
        Ok(there)
    }
}

fn less(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// The data of a mesh of a scene besides its triangles.
struct MeshOf {
    place: usize,
    halo: f64,
    open: bool,
    inward: Option<bool>,
}

/// The default level of `icosphere`, `bumpy` and `elongated`: 320 triangles. Each further level takes about three times as long.
const LEVEL: u32 = 2;

impl Loaded {
    fn new(text: &Text<'_>, scene: &Scene, place: usize, given: &Spanned<ShapeOf>) -> Result<Self, Failure> {
        let (of, span) = (given.get_ref(), given.span());
        let wrong = |message: &str| text.at_named(span.clone(), message);
        let about = |key: &str, message: &str| text.at_key(span.clone(), key, message);
        let general = scene.halo.as_ref().map(|halo| *halo.get_ref());
        let halo = of.halo.or(general).ok_or_else(|| wrong("there is no halo, here or for all shapes"))?;
        if !(halo > 0.0 && halo.is_finite()) {
            let message = "the halo must be larger than 0";
            return Err(match scene.halo.as_ref().filter(|_| of.halo.is_none()) {
                Some(general) => text.at(general.span(), message),
                None => about("halo", message),
            });
        }
        let scale = of.scale.unwrap_or(1.0);
        if !(scale > 0.0 && scale.is_finite()) {
            return Err(about("scale", "the scale must be larger than 0"));
        }
        if of.inward.is_some() && matches!(of.make.as_deref(), Some("ball" | "capsule" | "plane")) {
            return Err(wrong("`inward` turns the triangles of a mesh, and this shape has none"));
        }
        if of.weld.is_some() && of.file.is_none() {
            return Err(about("weld", "`weld` is a key of shapes with a `file`"));
        }
        let as_told = MeshOf { place, halo, open: of.open, inward: of.inward };
        match (of.make.as_deref(), &of.file) {
            (Some(_), Some(_)) | (None, None) => Err(wrong("a shape has one of `file`, `make` and `parts`")),
            (Some("ball"), None) => {
                let radius = of.radius.ok_or_else(|| wrong("a ball has a `radius`"))? * scale;
                if !(radius > 0.0 && radius.is_finite()) {
                    return Err(about("radius", "the radius must be larger than 0"));
                }
                Ok(Loaded::Ball { radius, halo })
            }
            (Some("capsule"), None) => {
                let (Some(radius), Some(length)) = (of.radius, of.length) else {
                    return Err(wrong("a capsule has a `radius`, and a `length` without the half balls at its ends"));
                };
                let [radius, half_length] = [radius * scale, 0.5 * length * scale];
                if !(radius > 0.0 && radius.is_finite()) {
                    return Err(about("radius", "the radius must be larger than 0"));
                }
                if !(half_length >= 0.0 && half_length.is_finite()) {
                    return Err(about("length", "the length must not be less than 0"));
                }
                Ok(Loaded::Capsule { half_length, radius, halo })
            }
            (Some("plane"), None) => Ok(Loaded::Plane { halo }),
            (Some(name), None) if !generate::SHAPES.contains(&name) => {
                let names = [&["ball", "capsule", "plane"], &generate::SHAPES[..]].concat();
                Err(about("make", &generate::no_shape(name, &names)))
            }
            (Some(name), None) => {
                let plain = generate::Options::default();
                let options = generate::Options {
                    level: of.level.unwrap_or(LEVEL),
                    eta: of.eta,
                    seed: of.seed.unwrap_or(plain.seed),
                    meridians: of.meridians.unwrap_or(plain.meridians),
                    bands: of.bands.unwrap_or(plain.bands),
                    points: of.points.unwrap_or(plain.points),
                    cells: of.cells.unwrap_or(plain.cells),
                    edges: of.edges.clone(),
                    radii: of.radii,
                    outline: of.outline.clone(),
                    open: of.open,
                    radius: of.radius.unwrap_or(plain.radius),
                    length: of.length.unwrap_or(plain.length),
                    // The default is so small that facets have no noticeable effect.
                    sagitta: of.sagitta.or(if of.meridians.is_none() { Some(halo / (8.0 * scale)) } else { None }),
                    pitch: of.pitch.unwrap_or(plain.pitch),
                    turns: of.turns.unwrap_or(plain.turns),
                    clearance: of.clearance.unwrap_or(plain.clearance),
                    head: of.head.unwrap_or(plain.head),
                };
                let made = generate::made(name, &options).map_err(|failure| match failure {
                    Failure::Usage(message) | Failure::Data(message) => wrong(&message),
                    Failure::Closed | Failure::Stopped(_) => failure,
                })?;
                Loaded::mesh(made.scaled([scale; 3]), &as_told, &wrong)
            }
            (None, Some(file)) => {
                let folder = text.path.parent().unwrap_or(std::path::Path::new(""));
                let read = files::read(folder.join(file)).map_err(|e| about("file", &e.to_string()))?;
                let read = match of.weld {
                    None => read,
                    Some(apart) if apart > 0.0 && apart.is_finite() => read.welded(apart),
                    Some(_) => {
                        return Err(about("weld", "`weld` is a length in the unit of the file, larger than 0"));
                    }
                };
                Loaded::mesh(read.scaled([scale; 3]), &as_told, &wrong)
            }
        }
    }

    fn mesh(triangles: Triangles, of: &MeshOf, wrong: &dyn Fn(&str) -> Failure) -> Result<Self, Failure> {
        let told = |e: Error| wrong(&e.to_string());
        let MeshOf { place, halo, open, inward } = *of;
        let halos = Halo::Uniform(halo);
        let shape = OwnedShape::new(&triangles, triangles.scalar(), halos, &Options::default()).map_err(told)?;
        let mesh = shape.mesh().map_err(told)?;
        let mut scratch = Memory::new(mass_scratch(&mesh.sizes)?)?;
        let mass = mass_properties(mesh, 1.0, &mut scratch).map_err(told)?;
        if inward.is_some() && mass.state & MassProperties::FLAT != 0 {
            return Err(wrong(
                "`inward` turns triangles to what they enclose or away from it, and these enclose nothing",
            ));
        }
        if inward.is_some_and(|inward| inward != (mass.state & MassProperties::INWARD != 0)) {
            return Loaded::mesh(triangles.reversed(), &MeshOf { inward: None, ..*of }, wrong);
        }
        let options = CellOptions { law: if open { Law::Facing } else { Law::Auto }, ..CellOptions::default() };
        let cells = OwnedCells::new(&mesh, &options).map_err(told)?;
        let open_edges = match mass.holes > 0 {
            true => {
                let mut scratch = Memory::new(inspect_scratch(&mesh.sizes)?)?;
                inspect(mesh, &InspectOptions::default(), &mut scratch).map_err(told)?.report.open_edges
            }
            false => 0,
        };
        Ok(Loaded::Mesh(Box::new(LoadedMesh { place, triangles, mass, open, open_edges, shape, cells })))
    }

    /// A compound of loaded shapes; its parts keep their halos.
    fn compound(text: &Text<'_>, scene: &Scene, loaded: &[Loaded], given: &Spanned<ShapeOf>) -> Result<Self, Failure> {
        let of = given.get_ref();
        let wrong = |message: &str| text.at(given.span(), message);
        if of.file.is_some() || of.make.is_some() {
            return Err(wrong("a shape has one of `file`, `make` and `parts`"));
        }
        if of.inward.is_some() {
            return Err(wrong("`inward` is a key of the meshes among the parts"));
        }
        if of.halo.is_some() {
            return Err(wrong("parts have halos of their own"));
        }
        let scale = of.scale.unwrap_or(1.0);
        if !(scale > 0.0 && scale.is_finite()) {
            return Err(wrong("the scale must be larger than 0"));
        }
        let mut parts = Vec::new();
        for given in of.parts.iter().flatten() {
            let PartOf { shape, position, axis, angle, scale: own } = given.get_ref();
            let wrong = |message: &str| text.at(given.span(), message);
            let place = text.find(shape, "shape", scene.shapes.keys().map(Spanned::get_ref))?;
            if !matches!(loaded.get(place), Some(Loaded::Ball { .. } | Loaded::Capsule { .. } | Loaded::Mesh(_))) {
                return Err(wrong("a part is a ball, a capsule or a mesh"));
            }
            if !(*own > 0.0 && own.is_finite()) {
                return Err(wrong("the scale must be larger than 0"));
            }
            let orientation = turn(*axis, *angle).ok_or_else(|| wrong(NO_TURN))?;
            let pose = Pose { position: position.map(|x| x * scale), orientation };
            parts.push(LoadedPart { shape: place, pose, scale: own * scale });
        }
        let surfaces = surfaces(loaded)?;
        let own = of_compound(loaded, &surfaces, &parts, &Pose::IDENTITY)?;
        let mass = compound_mass(&own, 1.0).map_err(|e| wrong(&e.to_string()))?;
        let (mut reach, mut halo) = (0.0, 0.0_f64);
        for part in &parts {
            let Some(of) = loaded.get(part.shape) else { continue };
            // The ball that contains a mesh is around its centre of mass.
            let middle = of.mass().map_or([0.0; 3], |mass| mass.centre.map(|x| x * part.scale));
            let at = part.pose.transform(What::Pose)?.apply(middle);
            let away = at.iter().zip(mass.centre).map(|(x, c)| (x - c) * (x - c)).sum::<f64>().sqrt();
            reach = f64::max(reach, away + part.scale * of.reach().unwrap_or_default());
            halo = halo.max(part.scale * of.halo());
        }
        Ok(Loaded::Compound(Box::new(LoadedCompound { parts, mass, reach, halo })))
    }

    /// Mass properties of a mesh or a compound, for density 1.
    pub fn mass(&self) -> Option<&MassProperties> {
        match self {
            Loaded::Mesh(mesh) => Some(&mesh.mass),
            Loaded::Compound(compound) => Some(&compound.mass),
            Loaded::Ball { .. } | Loaded::Capsule { .. } | Loaded::Plane { .. } => None,
        }
    }

    /// The radius of a ball around the origin of the body's frame that contains the shape with its halo; none for planes.
    pub fn reach(&self) -> Option<f64> {
        match self {
            Loaded::Plane { .. } => None,
            Loaded::Compound(compound) => Some(compound.reach),
            Loaded::Ball { radius, halo } => Some(radius + halo),
            Loaded::Capsule { half_length, radius, halo } => Some(half_length + radius + halo),
            Loaded::Mesh(mesh) => {
                let centre = mesh.mass.centre;
                let far = |v: &[f64; 3]| v.iter().zip(centre).map(|(x, c)| (x - c) * (x - c)).sum::<f64>().sqrt();
                let halo = mesh.shape.mesh().map_or(0.0, |mesh| mesh.largest_halo());
                Some(mesh.triangles.vertices.iter().map(far).fold(0.0, f64::max) + halo)
            }
        }
    }

    pub fn halo(&self) -> f64 {
        match self {
            Loaded::Plane { halo } | Loaded::Ball { halo, .. } | Loaded::Capsule { halo, .. } => *halo,
            Loaded::Mesh(mesh) => mesh.shape.mesh().map_or(0.0, |mesh| mesh.largest_halo()),
            Loaded::Compound(compound) => compound.halo,
        }
    }

    /// Bytes that identify the shape, for a restart: those of its mesh, or its numbers.
    pub fn print(&self) -> Vec<u8> {
        match self {
            Loaded::Plane { halo } => halo.to_le_bytes().to_vec(),
            Loaded::Ball { radius, halo } => [radius.to_le_bytes(), halo.to_le_bytes()].concat(),
            Loaded::Capsule { half_length, radius, halo } => {
                [half_length, radius, halo].map(|x| x.to_le_bytes()).concat()
            }
            Loaded::Mesh(mesh) => mesh.shape.blocks().concat(),
            // The rest follows from the text of the scene.
            Loaded::Compound(compound) => compound.mass.mass.to_le_bytes().to_vec(),
        }
    }
}

/// All shapes of a scene, in the order of their names.
pub fn load(text: &Text<'_>, scene: &Scene) -> Result<Vec<Loaded>, Failure> {
    let mut loaded = Vec::new();
    for (place, given) in scene.shapes.values().enumerate() {
        loaded.push(match given.get_ref().parts {
            None => Loaded::new(text, scene, place, given)?,
            // A placeholder, until all other shapes are loaded.
            Some(_) => Loaded::Plane { halo: 0.0 },
        });
    }
    let compounds = scene.shapes.values().enumerate().filter(|(_, given)| given.get_ref().parts.is_some());
    let mut made = Vec::new();
    for (place, given) in compounds {
        made.push((place, Loaded::compound(text, scene, &loaded, given)?));
    }
    for (place, compound) in made {
        loaded[place] = compound;
    }
    Ok(loaded)
}

/// The surfaces of meshes, from which [`parts`] and [`table`] borrow.
pub fn surfaces(loaded: &[Loaded]) -> Result<Vec<Option<Surface<'_>>>, Failure> {
    let mut made = Vec::with_capacity(loaded.len());
    for shape in loaded {
        made.push(match shape {
            Loaded::Mesh(mesh) => Some(Surface {
                mesh: mesh.shape.mesh()?,
                tree: mesh.shape.tree()?,
                cells: mesh.cells.open()?,
                solid: !mesh.open,
            }),
            _ => None,
        });
    }
    Ok(made)
}

/// Parts of a shape in the frame of its file, and in the frame of dynamic bodies: about the centre of mass, along principal axes.
pub type Parts<'s> = [Vec<Part<'s>>; 2];

/// Parts of compounds. A mesh is a part, too, because its frame differs from that of the body.
pub fn parts<'s>(loaded: &[Loaded], surfaces: &'s [Option<Surface<'s>>]) -> Result<Vec<Parts<'s>>, Failure> {
    let mut made = Vec::with_capacity(loaded.len());
    for (shape, surface) in loaded.iter().zip(surfaces) {
        made.push(match (shape, surface) {
            (Loaded::Mesh(mesh), Some(surface)) => {
                let pose = mesh.mass.part_pose();
                [Vec::new(), vec![Part { shape: Shape::Mesh(surface), pose, scale: 1.0 }]]
            }
            (Loaded::Compound(compound), _) => {
                let frames = [Pose::IDENTITY, compound.mass.part_pose()];
                let [file, own] = frames.map(|frame| of_compound(loaded, surfaces, &compound.parts, &frame));
                [file?, own?]
            }
            _ => [Vec::new(), Vec::new()],
        });
    }
    Ok(made)
}

/// The parts of a compound whose frame is at `frame`.
fn of_compound<'s>(
    loaded: &[Loaded],
    surfaces: &'s [Option<Surface<'s>>],
    parts: &[LoadedPart],
    frame: &Pose,
) -> Result<Vec<Part<'s>>, Failure> {
    let mut made = Vec::with_capacity(parts.len());
    for part in parts {
        let shape = match (loaded.get(part.shape), surfaces.get(part.shape)) {
            (Some(Loaded::Ball { radius, halo }), _) => Shape::Sphere { radius: *radius, halo: *halo },
            (Some(Loaded::Capsule { half_length, radius, halo }), _) => {
                Shape::Capsule { half_length: *half_length, radius: *radius, halo: *halo }
            }
            (_, Some(Some(surface))) => Shape::Mesh(surface),
            _ => continue,
        };
        made.push(Part { shape, pose: frame.product(&part.pose, What::Pose)?, scale: part.scale });
    }
    Ok(made)
}

/// The table of shapes for worlds. Each shape has two entries: for bodies that are not dynamic, in the frame of the file, and for dynamic bodies.
pub fn table<'s>(loaded: &[Loaded], surfaces: &'s [Option<Surface<'s>>], parts: &'s [Parts<'s>]) -> Vec<Shape<'s>> {
    let mut made = Vec::with_capacity(2 * loaded.len());
    for (shape, (surface, [file, own])) in loaded.iter().zip(surfaces.iter().zip(parts)) {
        match (shape, surface) {
            (Loaded::Mesh(_), Some(surface)) => made.extend([Shape::Mesh(surface), Shape::Compound(own)]),
            (Loaded::Ball { radius, halo }, _) => made.extend([Shape::Sphere { radius: *radius, halo: *halo }; 2]),
            (Loaded::Capsule { half_length, radius, halo }, _) => {
                let capsule = Shape::Capsule { half_length: *half_length, radius: *radius, halo: *halo };
                made.extend([capsule; 2]);
            }
            (Loaded::Plane { halo }, _) => made.extend([Shape::HalfSpace { halo: *halo }; 2]),
            // Every mesh has a surface.
            (Loaded::Compound(_) | Loaded::Mesh(_), _) => made.extend([Shape::Compound(file), Shape::Compound(own)]),
        }
    }
    made
}
