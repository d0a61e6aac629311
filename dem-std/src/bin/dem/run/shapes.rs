//! The shapes and materials of a scene.

use super::scene::{Between, LawName, MaterialOf, Scene, ShapeOf, Text};
use crate::failure::Failure;
use crate::generate;
use dem_std::dem_core::array::Array;
use dem_std::dem_core::contact::shape::{Part, Shape, Surface};
use dem_std::dem_core::contact::{CellOptions, Law};
use dem_std::dem_core::error::Error;
use dem_std::dem_core::force::{Cohesion, Damping, Interaction, Material, Normal, dashpot};
use dem_std::dem_core::mesh::{Halo, MassProperties, mass_properties, mass_scratch};
use dem_std::dem_core::narrow::{Operand, PointOnMesh, points, points_scratch};
use dem_std::dem_core::pose::Pose;
use dem_std::dem_core::simd::Isa;
use dem_std::dem_core::surrogate::Options;
use dem_std::{Memory, OwnedCells, OwnedShape, Triangles, files};
use toml::Spanned;

/// A shape, with the memory that it needs.
pub enum Loaded {
    Ball { radius: f64, halo: f64 },
    Plane { halo: f64 },
    Mesh(Box<LoadedMesh>),
}

pub struct LoadedMesh {
    pub triangles: Triangles,
    /// At a density of 1.
    pub mass: MassProperties,
    pub open: bool,
    shape: OwnedShape,
    cells: OwnedCells,
}

impl LoadedMesh {
    /// Whether the mesh, with its halo, is farther than `reach` from a point, and the point is outside. The mesh lies in the frame of its file.
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
}

impl Loaded {
    fn new(text: &Text<'_>, scene: &Scene, given: &Spanned<ShapeOf>) -> Result<Self, Failure> {
        let (of, span) = (given.get_ref(), given.span());
        let wrong = |message: &str| text.at(span.clone(), message);
        let halo = of.halo.or(scene.halo).ok_or_else(|| wrong("there is no halo, here or for all shapes"))?;
        if !(halo > 0.0 && halo.is_finite()) {
            return Err(wrong("the halo must be larger than 0"));
        }
        let scale = of.scale.unwrap_or(1.0);
        if !(scale > 0.0 && scale.is_finite()) {
            return Err(wrong("the scale must be larger than 0"));
        }
        match (of.make.as_deref(), &of.file) {
            (Some(_), Some(_)) | (None, None) => Err(wrong("a shape has either `file` or `make`")),
            (Some("ball"), None) => {
                let radius = of.radius.ok_or_else(|| wrong("a ball has a `radius`"))? * scale;
                if !(radius > 0.0 && radius.is_finite()) {
                    return Err(wrong("the radius must be larger than 0"));
                }
                Ok(Loaded::Ball { radius, halo })
            }
            (Some("plane"), None) => Ok(Loaded::Plane { halo }),
            (Some(name), None) => {
                let plain = generate::Options::default();
                let options = generate::Options {
                    level: of.level.unwrap_or(plain.level),
                    eta: of.eta,
                    seed: of.seed.unwrap_or(plain.seed),
                    meridians: of.meridians.unwrap_or(plain.meridians),
                    bands: of.bands.unwrap_or(plain.bands),
                    points: of.points.unwrap_or(plain.points),
                    cells: of.cells.unwrap_or(plain.cells),
                    edges: of.edges.clone(),
                    radii: of.radii,
                    outline: of.outline.clone(),
                    radius: of.radius.unwrap_or(plain.radius),
                    length: of.length.unwrap_or(plain.length),
                    // Facets are not felt.
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
                Loaded::mesh(made.scaled([scale; 3]), halo, of.open, &wrong)
            }
            (None, Some(file)) => {
                let folder = text.path.parent().unwrap_or(std::path::Path::new(""));
                let read = files::read(folder.join(file)).map_err(|e| wrong(&e.to_string()))?;
                Loaded::mesh(read.scaled([scale; 3]), halo, of.open, &wrong)
            }
        }
    }

    fn mesh(triangles: Triangles, halo: f64, open: bool, wrong: &dyn Fn(&str) -> Failure) -> Result<Self, Failure> {
        let told = |e: Error| wrong(&e.to_string());
        let halos = Halo::Uniform(halo);
        let shape = OwnedShape::new(&triangles, triangles.scalar(), halos, &Options::default()).map_err(told)?;
        let mesh = shape.mesh().map_err(told)?;
        let options = CellOptions { law: if open { Law::Facing } else { Law::Auto }, ..CellOptions::default() };
        let cells = OwnedCells::new(&mesh, &options).map_err(told)?;
        let mut scratch = Memory::new(mass_scratch(&mesh.sizes)?)?;
        let mass = mass_properties(mesh, 1.0, &mut scratch).map_err(told)?;
        Ok(Loaded::Mesh(Box::new(LoadedMesh { triangles, mass, open, shape, cells })))
    }

    /// The radius of a ball about the origin of the body's frame that holds the shape with its halo; none for planes.
    pub fn reach(&self) -> Option<f64> {
        match self {
            Loaded::Plane { .. } => None,
            Loaded::Ball { radius, halo } => Some(radius + halo),
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
            Loaded::Plane { halo } | Loaded::Ball { halo, .. } => *halo,
            Loaded::Mesh(mesh) => mesh.shape.mesh().map_or(0.0, |mesh| mesh.largest_halo()),
        }
    }

    /// What the shape is, for a restart: the bytes of its mesh, or its numbers.
    pub fn print(&self) -> Vec<u8> {
        match self {
            Loaded::Plane { halo } => halo.to_le_bytes().to_vec(),
            Loaded::Ball { radius, halo } => [radius.to_le_bytes(), halo.to_le_bytes()].concat(),
            Loaded::Mesh(mesh) => mesh.shape.blocks().concat(),
        }
    }
}

/// All shapes of a scene, in the order of their names.
pub fn load(text: &Text<'_>, scene: &Scene) -> Result<Vec<Loaded>, Failure> {
    scene.shapes.values().map(|given| Loaded::new(text, scene, given)).collect()
}

/// What meshes are made of, for [`parts`] and [`table`] to borrow.
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

/// Meshes in the frames of bodies that forces move: about their centres of mass, along principal axes.
pub fn parts<'s>(loaded: &[Loaded], surfaces: &'s [Option<Surface<'s>>]) -> Vec<Option<[Part<'s>; 1]>> {
    let each = loaded.iter().zip(surfaces);
    each.map(|(shape, surface)| match (shape, surface) {
        (Loaded::Mesh(mesh), Some(surface)) => {
            Some([Part { shape: Shape::Mesh(surface), pose: mesh.mass.part_pose(), scale: 1.0 }])
        }
        _ => None,
    })
    .collect()
}

/// The table of shapes that worlds are handed: of each shape that of bodies which forces do not move, in the frame of the file, and that of others.
pub fn table<'s>(
    loaded: &[Loaded],
    surfaces: &'s [Option<Surface<'s>>],
    parts: &'s [Option<[Part<'s>; 1]>],
) -> Vec<Shape<'s>> {
    let mut made = Vec::with_capacity(2 * loaded.len());
    for (shape, (surface, part)) in loaded.iter().zip(surfaces.iter().zip(parts)) {
        match (shape, surface, part) {
            (Loaded::Mesh(_), Some(surface), Some(part)) => {
                made.extend([Shape::Mesh(surface), Shape::Compound(part)]);
            }
            (Loaded::Ball { radius, halo }, ..) => made.extend([Shape::Sphere { radius: *radius, halo: *halo }; 2]),
            (Loaded::Plane { halo }, ..) => made.extend([Shape::HalfSpace { halo: *halo }; 2]),
            // A mesh always has both.
            (Loaded::Mesh(_), ..) => made.extend([Shape::HalfSpace { halo: 0.0 }; 2]),
        }
    }
    made
}

/// The table of laws between all materials, in the order of their names.
pub fn laws(text: &Text<'_>, scene: &Scene) -> Result<Vec<Interaction>, Failure> {
    let normal = match scene.law {
        LawName::Pressure => Normal::Pressure,
        LawName::Linear => Normal::Linear,
        LawName::Spring => Normal::Spring,
        LawName::Hertz => Normal::Hertz,
    };
    if matches!(normal, Normal::Linear | Normal::Spring) && scene.size.is_none() {
        return Err(text.at(0..0, "the laws `linear` and `spring` multiply moduli by a length: `size` is missing"));
    }
    let solid = |m: &MaterialOf| Material {
        young: m.young,
        poisson: m.poisson,
        restitution: m.restitution,
        friction: m.friction,
        rolling: m.rolling,
        cohesion: m.cohesion,
    };
    let materials: Vec<_> = scene.materials.values().collect();
    let mut table = Vec::new();
    for (j, high) in materials.iter().enumerate() {
        let density = high.get_ref().density;
        if !(density > 0.0 && density.is_finite()) {
            return Err(text.at(high.span(), "the density must be larger than 0"));
        }
        for low in materials.iter().take(j + 1) {
            let of = solid(low.get_ref()).with(&solid(high.get_ref()), normal, scene.size.unwrap_or(1.0));
            table.push(of.map_err(|e| text.at(high.span(), &e.to_string()))?);
        }
    }
    let names = || scene.materials.keys().map(Spanned::get_ref);
    for between in &scene.interactions {
        let [a, b] = &between.get_ref().materials;
        let (a, b) = (text.find(a, "material", names())?, text.find(b, "material", names())?);
        let (low, high) = (a.min(b), a.max(b));
        if let Some(law) = table.get_mut(high * (high + 1) / 2 + low) {
            *law = changed(*law, between.get_ref());
            law.check(0).map_err(|e| text.at(between.span(), &e.to_string()))?;
        }
    }
    Ok(table)
}

fn changed(law: Interaction, by: &Between) -> Interaction {
    let law = match by.restitution {
        Some(e) if e >= 1.0 => law.damped(Damping::None, 0.0),
        Some(e) => law.damped(Damping::Dashpot, dashpot(e)),
        None => law,
    };
    let law = by.cohesion.map_or(law, |cohesion| law.sticky(Cohesion::Area, cohesion));
    Interaction {
        stiffness: by.stiffness.unwrap_or(law.stiffness),
        friction: by.friction.unwrap_or(law.friction),
        shear: by.shear.unwrap_or(law.shear),
        lag: by.lag.unwrap_or(law.lag),
        rolling: by.rolling.unwrap_or(law.rolling),
        ..law
    }
}
