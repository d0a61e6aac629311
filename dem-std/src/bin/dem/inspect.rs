//! `dem inspect`: sizes of a mesh, its defects and their consequences, and its mass properties.

use crate::failure::Failure;
use crate::json::Json;
use crate::lacking::lacking;
use crate::query::LONGEST_LIST;
use dem_std::dem_core::error::{Kind, What};
use dem_std::dem_core::mesh::{
    Component, Defect, Finding, Halo, InspectOptions, Inspection, MassProperties, MeshRef, NONE, inspect,
    inspect_scratch, mass_properties, mass_scratch, works,
};
use dem_std::dem_core::narrow::{self_intersections, self_intersections_scratch};
use dem_std::dem_core::simd::Isa;
use dem_std::dem_core::surrogate::{Options, Thickness, least_thickness};
use dem_std::{Memory, OwnedMesh, OwnedShape, files};
use lexopt::Arg;
use std::fmt::Write;
use std::path::PathBuf;

pub const HELP: &str = "\
dem inspect: what a mesh is, every defect it has, and what still works with it

Usage: dem inspect FILE [--json] [--all] [--self-intersections]

  --json   one JSON object, with the ids of every defect
  --all    in the plain report too, all ids instead of the first ten
  --self-intersections
           also the pairs of triangles that meet elsewhere than in the corner or edge that they share

Triangle and vertex ids are file order, from 0; side k of a triangle runs from corner k to the next. Nothing in the file
is repaired, and no defect keeps a mesh from queries: distances and triangle pairs are right whatever is wrong; contacts
lack what has no outside. Mass properties are for density 1. The least thickness is the length of the shortest line from
the middle of a triangle, inwards and at a right angle to it, to a face that looks the opposite way: two halos that are
together thicker than this tell contacts of thin bodies on both of their sides.

Example:
  dem inspect rock.stl
";

/// The name of a defect in JSON, and the words for it in the report.
fn words(defect: Defect) -> (&'static str, &'static str) {
    match defect {
        Defect::Point => ("points", "triangles with three equal corners; each behaves as a point"),
        Defect::TwoEqual => ("two_equal", "triangles with two equal corners; each behaves as a segment"),
        Defect::Collinear => ("collinear", "triangles with corners on one line; each behaves as a segment"),
        Defect::NearlyCollinear => ("nearly_collinear", "triangles with corners almost on one line"),
        Defect::Needle => ("needles", "needles: triangles much longer than high"),
        Defect::Duplicate => ("duplicates", "copies of an earlier triangle"),
        Defect::ReversedCopy => ("reversed_copies", "copies of an earlier triangle, the other way round"),
        Defect::ReversedTriangle => ("reversed_triangles", "triangles that look against the rest of their component"),
        Defect::OpenEdge => ("open_edges", "open sides, which no other triangle shares"),
        Defect::NonManifoldEdge => ("non_manifold_edges", "sides that three or more triangles share"),
        Defect::InconsistentEdge => ("inconsistent_edges", "sides that run the same way as the neighbour's"),
        Defect::UnusedVertex => ("unused_vertices", "vertices that no triangle uses"),
    }
}

/// The report on a mesh.
struct Told<'a> {
    path: String,
    mesh: MeshRef<'a>,
    inspection: Inspection<'a>,
    mass: MassProperties,
    /// None if no line inwards ends on a face.
    thickness: Option<Thickness>,
    /// Self-intersections, if requested.
    crossings: Option<Crossings>,
}

/// The self-intersections of a mesh.
struct Crossings {
    count: u64,
    /// The crossing pairs; empty if there are more than [`LONGEST_LIST`].
    pairs: Vec<[u32; 2]>,
}

pub fn run(mut arguments: lexopt::Parser) -> Result<(), Failure> {
    let (mut path, mut json, mut all, mut cross) = (None, false, false, false);
    while let Some(argument) = arguments.next()? {
        match argument {
            Arg::Short('h') | Arg::Long("help") => return crate::print(HELP),
            Arg::Long("json") => json = true,
            Arg::Long("all") => all = true,
            Arg::Long("self-intersections") => cross = true,
            Arg::Value(name) if path.is_none() => path = Some(PathBuf::from(name)),
            other => return Err(Failure::usage(format!("{}; see `dem inspect --help`", other.unexpected()))),
        }
    }
    let path = path.ok_or_else(|| Failure::usage("a mesh file is needed; see `dem inspect --help`"))?;
    let triangles = files::read(&path)?;
    let owned = OwnedMesh::new(&triangles, triangles.scalar(), Halo::Uniform(0.0))?;
    let mesh = owned.open()?;
    let mut scratch = Memory::new(inspect_scratch(&mesh.sizes)?)?;
    let mut mass = Memory::new(mass_scratch(&mesh.sizes)?)?;
    let of_file = |e| Failure::Data(format!("{}: {e}", path.display()));
    let mass = mass_properties(mesh, 1.0, &mut mass).map_err(of_file)?;
    let shape = OwnedShape::new(&triangles, triangles.scalar(), Halo::Uniform(0.0), &Options::default())?;
    let crossings = if cross { Some(crossings(&shape)?) } else { None };
    let mut told = Told {
        path: path.display().to_string(),
        mesh,
        mass,
        inspection: inspect(mesh, &InspectOptions::default(), &mut scratch)?,
        thickness: least_thickness(&shape.mesh()?, &shape.tree()?),
        crossings,
    };
    if let Some(crossings) = &told.crossings {
        told.inspection.report.self_intersections = crossings.count;
    }
    crate::print(&if json { told.json() } else { told.plain(all) })
}

/// Counts and lists the self-intersections.
fn crossings(shape: &OwnedShape) -> Result<Crossings, Failure> {
    let (mesh, tree) = (shape.mesh()?, shape.tree()?);
    let mut scratch = Memory::new(self_intersections_scratch(&tree)?)?;
    let mut query = |out: &mut [[u32; 2]]| match self_intersections(Isa::best(), mesh, tree, out, &mut scratch) {
        Ok(count) => Ok(count as u64),
        Err(e) if (e.kind, e.what) == (Kind::Capacity, What::Output) => Ok(e.needed),
        Err(e) => Err(e),
    };
    // Room that is enough for most meshes, so that one query suffices.
    let mut pairs = vec![[0; 2]; 1 << 16];
    let count = query(&mut pairs)?;
    if count > LONGEST_LIST {
        return Ok(Crossings { count, pairs: Vec::new() });
    }
    let listed = pairs.len() as u64 >= count;
    pairs.resize(count as usize, [0; 2]);
    if !listed {
        query(&mut pairs)?;
    }
    Ok(Crossings { count, pairs })
}

impl Told<'_> {
    fn plain(&self, all: bool) -> String {
        let r = &self.inspection.report;
        let mut text = String::new();
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "{}: {} triangles, {} vertices at {} positions",
            self.path, r.triangles, r.vertices, r.positions
        );
        if let Some(b) = self.mesh.bounds.first() {
            let _ = writeln!(text, "box: {:?} to {:?}", b.low, b.high);
        }
        let _ = match self.thickness {
            Some(Thickness { length, triangles: [a, b] }) => {
                writeln!(text, "least thickness: {length:?}, from the middle of triangle {a} to triangle {b}")
            }
            None => writeln!(text, "least thickness: none, no faces look opposite ways"),
        };
        self.plain_surface(&mut text);
        let most = if all { usize::MAX } else { 10 };
        self.plain_defects(&mut text, most);
        self.plain_crossings(&mut text, most);
        self.plain_works(&mut text);
        self.plain_mass(&mut text);
        text
    }

    fn plain_surface(&self, text: &mut String) {
        let r = &self.inspection.report;
        let _ = writeln!(
            text,
            "surface: {} edges ({} open in {} loops, {} shared by three or more, {} inconsistent)",
            r.edges, r.open_edges, r.open_loops, r.non_manifold_edges, r.inconsistent_edges
        );
        let _ = writeln!(
            text,
            "components: {} ({} closed, {} looking inward, {} that cannot be oriented)",
            r.components, r.closed_components, r.inward_components, r.non_orientable_components
        );
    }

    fn plain_defects(&self, text: &mut String, most: usize) {
        let mut none = true;
        for defect in Defect::ALL {
            let findings: Vec<Finding> = self.inspection.findings(defect).collect();
            if findings.is_empty() {
                continue;
            }
            if std::mem::take(&mut none) {
                let _ = writeln!(text, "defects:");
            }
            let _ = write!(text, "  {} {}:", findings.len(), words(defect).1);
            for f in findings.iter().take(most) {
                let _ = write!(text, " {}", f.item);
                if f.side != NONE {
                    let _ = write!(text, ".{}", f.side);
                }
                if f.other != NONE {
                    let _ = write!(text, " (of {})", f.other);
                }
            }
            if findings.len() > most {
                let _ = write!(text, " and {} more (--all lists them)", findings.len() - most);
            }
            let _ = writeln!(text);
        }
        if none {
            let _ = writeln!(text, "defects: none");
        }
    }

    fn plain_crossings(&self, text: &mut String, most: usize) {
        let Some(Crossings { count, pairs }) = &self.crossings else { return };
        if *count == 0 {
            let _ = writeln!(text, "self-intersections: none");
            return;
        }
        let _ = write!(text, "self-intersections: {count} pairs of triangles:");
        for [a, b] in pairs.iter().take(most) {
            let _ = write!(text, " {a}-{b}");
        }
        if pairs.is_empty() {
            let _ = write!(text, " too many for a list");
        } else if pairs.len() > most {
            let _ = write!(text, " and {} more (--all lists them)", pairs.len() - most);
        }
        let _ = writeln!(text);
    }

    fn plain_works(&self, text: &mut String) {
        let r = &self.inspection.report;
        let _ = writeln!(text, "works: distances, pairs, closest points: yes");
        let why = if r.unbalanced_edges > 0 {
            format!("no, the surface is not closed or not consistent ({} edges)", r.unbalanced_edges)
        } else {
            "yes".into()
        };
        let _ = writeln!(text, "works: inside and outside: {why}");
        let felt = lacking(r).map_or("yes".into(), |what| format!("in part, {what}"));
        let _ = writeln!(text, "works: contacts that forces act on: {felt}");
        let exact = r.works & works::MASS != 0;
        let _ = writeln!(text, "works: mass properties: {}", if exact { "yes" } else { "approximately, see errors" });
    }

    fn plain_mass(&self, text: &mut String) {
        let m = &self.mass;
        let error = |e: f64| if e > 0.0 { format!(" +- {e:?}") } else { String::new() };
        let _ = writeln!(text, "area: {:?}", m.area);
        let _ = writeln!(text, "volume: {:?}{}", m.volume, error(m.volume_error));
        let _ = writeln!(text, "centre of mass: {:?}{}", m.centre, error(m.centre_error));
        let _ = writeln!(text, "principal moments (density 1): {:?}{}", m.moments, error(m.inertia_error));
        let _ = writeln!(text, "principal axes: {:?}", m.axes);
        if m.holes > 0 {
            let _ = writeln!(text, "note: {} holes were closed for volume, centre and moments", m.holes);
        }
        if m.state & MassProperties::INWARD != 0 {
            let _ =
                writeln!(text, "note: the triangles look inward; volume and moments are given as if they were turned");
        }
        if m.state & MassProperties::FLAT != 0 {
            let _ = writeln!(text, "note: there is no volume; the centre is that of the area");
        }
    }

    fn json(&self) -> String {
        let r = &self.inspection.report;
        let bounds = self.mesh.bounds.first();
        let whole = |n: u64| Json::Whole(n);
        let defects = Defect::ALL.map(|d| (words(d).0, Json::List(self.inspection.findings(d).map(finding).collect())));
        let works = vec![
            ("distances", Json::Flag(r.works & works::DISTANCES != 0)),
            ("inside", Json::Flag(r.works & works::INSIDE != 0)),
            ("contacts", Json::Flag(lacking(r).is_none())),
            ("mass", Json::Flag(r.works & works::MASS != 0)),
        ];
        let mut fields = vec![
            ("file", Json::Text(self.path.clone())),
            ("triangles", whole(r.triangles)),
            ("vertices", whole(r.vertices)),
            ("positions", whole(r.positions)),
            ("low", Json::numbers(bounds.map_or([0.0; 3], |b| b.low))),
            ("high", Json::numbers(bounds.map_or([0.0; 3], |b| b.high))),
            ("edges", whole(r.edges)),
            ("open_loops", whole(r.open_loops)),
            ("unbalanced_edges", whole(r.unbalanced_edges)),
            ("defects", Json::Object(defects.into())),
            ("components", Json::List(self.inspection.components.iter().map(component).collect())),
            ("works", Json::Object(works)),
            ("least_thickness", self.thickness.map_or(Json::Number(f64::NAN), thickness)),
            ("mass_properties", mass(&self.mass)),
        ];
        if let Some(Crossings { count, pairs }) = &self.crossings {
            let pair = |[a, b]: &[u32; 2]| Json::List(vec![whole((*a).into()), whole((*b).into())]);
            fields.push(("self_intersections", whole(*count)));
            fields.push(("self_intersecting_pairs", Json::List(pairs.iter().map(pair).collect())));
        }
        format!("{}\n", Json::Object(fields))
    }
}

/// The plain id of a finding, or an object if the finding has more data.
fn finding(f: Finding) -> Json {
    let id = |n: u32| Json::Whole(n.into());
    let mut fields = vec![("triangle", id(f.item))];
    if f.side != NONE {
        fields.push(("side", id(f.side)));
    }
    if f.other != NONE {
        fields.push(("other", id(f.other)));
    }
    if fields.len() == 1 { id(f.item) } else { Json::Object(fields) }
}

fn thickness(t: Thickness) -> Json {
    let triangles = t.triangles.map(|i| Json::Whole(i.into()));
    Json::Object(vec![("length", Json::Number(t.length)), ("triangles", Json::List(triangles.into()))])
}

fn component(c: &Component) -> Json {
    Json::Object(vec![
        ("first", Json::Whole(c.first.into())),
        ("triangles", Json::Whole(c.triangles.into())),
        ("reversed", Json::Whole(c.reversed.into())),
        ("area", Json::Number(c.area)),
        ("volume", Json::Number(c.volume)),
        ("closed", Json::Flag(c.is(Component::CLOSED))),
        ("orientable", Json::Flag(c.is(Component::ORIENTABLE))),
        ("inward", Json::Flag(c.is(Component::INWARD))),
    ])
}

fn mass(m: &MassProperties) -> Json {
    let rows = |matrix: [[f64; 3]; 3]| Json::List(matrix.into_iter().map(Json::numbers).collect());
    Json::Object(vec![
        ("density", Json::Number(1.0)),
        ("volume", Json::Number(m.volume)),
        ("volume_error", Json::Number(m.volume_error)),
        ("area", Json::Number(m.area)),
        ("centre", Json::numbers(m.centre)),
        ("centre_error", Json::Number(m.centre_error)),
        ("inertia", rows(m.inertia)),
        ("inertia_error", Json::Number(m.inertia_error)),
        ("moments", Json::numbers(m.moments)),
        ("axes", rows(m.axes)),
        ("holes_closed", Json::Whole(m.holes)),
        ("looks_inward", Json::Flag(m.state & MassProperties::INWARD != 0)),
        ("no_volume", Json::Flag(m.state & MassProperties::FLAT != 0)),
    ])
}
