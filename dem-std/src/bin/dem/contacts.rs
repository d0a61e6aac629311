//! `dem contacts`: the contacts of two meshes, their triangle pairs within a distance, and their smallest distance.

use crate::arguments::{number, numbers};
use crate::contact_list;
use crate::failure::Failure;
use crate::json::Json;
use crate::lacking;
use crate::query::{self, Answer};
use dem_std::dem_core::error::{Kind, What};
use dem_std::dem_core::mesh::Halo;
use dem_std::dem_core::narrow::TrianglePair;
use dem_std::dem_core::pose::Pose;
use dem_std::dem_core::surrogate::{LARGEST, Options as SurrogateOptions};
use dem_std::{OwnedShape, Triangles, files};
use lexopt::Arg;
use std::fmt::Write;
use std::path::{Path, PathBuf};

pub const HELP: &str = "\
dem contacts: the contacts of two meshes, their triangle pairs within a distance, and their distance

Usage: dem contacts A B --halo H [OPTIONS]

  --halo H      layer around each surface: pairs with distance <= 2 H + M are found. 0 finds what touches or crosses
  --margin M    extra distance, default 0
  --pose-a P    where A is: x,y,z or x,y,z,qx,qy,qz,qw (a quaternion of any length but 0). Default: as in the file
  --pose-b P    where B is
  --solid       what each mesh encloses belongs to it: a body that is inside of the other as a whole has to come out
  --pairs       list the pairs: triangle of A, triangle of B, distance, closest point on A, closest point on B
  --html FILE   write a picture to turn around in a browser: both meshes, their contacts, and a list of them
  --json        one JSON object: triangle_pairs, min_distance, seconds_per_query, closest, contacts, pairs with --pairs

All triangles count, degenerate and duplicate ones too. min_distance is that of the whole meshes, whatever H and M;
it is exactly 0 where they touch or cross, and only there. Points are in world coordinates, ids are file order from 0.

Contacts are few, and made for forces: for each pair of flat patches, which are named by their first triangle, the area
where the surfaces are within 2 H. The force on A is k (1 - gap / (2 H)) area along the normal, at the position. Where
the bodies penetrate, gaps are negative; without --solid a body that is inside of the other as a whole, and near none of
its triangles, is in no contact. With H = 0, or only M, there are pairs and no contacts.

Examples:
  dem contacts rock.stl ground.ply --halo 0.01 --pose-a 0,0,1.2
  dem contacts a.stl b.obj --halo 0.01 --pose-b 0.3,-0.2,0.1,0,0,1,1 --pairs --json
  dem contacts rock.stl rock.stl --halo 0.01 --pose-b 2.1,0,0 --html contacts.html
";

struct Options {
    halo: f64,
    margin: f64,
    pose_a: Pose,
    pose_b: Pose,
    pairs: bool,
    solid: bool,
    json: bool,
    html: Option<PathBuf>,
}

pub fn run(mut arguments: lexopt::Parser) -> Result<(), Failure> {
    let mut names: Vec<PathBuf> = Vec::new();
    let mut halo = None;
    let (pose_a, pose_b) = (Pose::IDENTITY, Pose::IDENTITY);
    let mut o = Options { halo: 0.0, margin: 0.0, pose_a, pose_b, pairs: false, solid: false, json: false, html: None };
    while let Some(argument) = arguments.next()? {
        match argument {
            Arg::Short('h') | Arg::Long("help") => return crate::print(HELP),
            Arg::Long("halo") => halo = Some(distance("--halo", arguments.value()?)?),
            Arg::Long("margin") => o.margin = distance("--margin", arguments.value()?)?,
            Arg::Long("pose-a") => o.pose_a = pose("--pose-a", arguments.value()?)?,
            Arg::Long("pose-b") => o.pose_b = pose("--pose-b", arguments.value()?)?,
            Arg::Long("pairs") => o.pairs = true,
            Arg::Long("solid") => o.solid = true,
            Arg::Long("json") => o.json = true,
            Arg::Long("html") => o.html = Some(arguments.value()?.into()),
            Arg::Value(name) if names.len() < 2 => names.push(name.into()),
            other => return Err(Failure::usage(format!("{}; see `dem contacts --help`", other.unexpected()))),
        }
    }
    let [a, b] = names.as_slice() else {
        return Err(Failure::usage("two mesh files are needed, A and B; see `dem contacts --help`"));
    };
    o.halo = halo.ok_or_else(|| {
        Failure::usage("--halo H is missing: pairs with distance <= 2 H are found; 0 finds what touches or crosses")
    })?;
    let threshold = 2.0 * o.halo + o.margin;
    if !threshold.is_finite() {
        return Err(Failure::usage("--halo and --margin: 2 H + M is too large for a number"));
    }
    let (mesh_a, mesh_b) = (files::read(a)?, files::read(b)?);
    // A halo that is too large for a shape becomes the margin: then there are pairs, but no contacts.
    let (halo, margin) = if o.halo < LARGEST { (o.halo, o.margin) } else { (0.0, threshold) };
    let (shape_a, shape_b) = (shape(&mesh_a, a, halo)?, shape(&mesh_b, b, halo)?);
    let answer = query::contacts(&shape_a, &shape_b, margin, [&o.pose_a, &o.pose_b], o.solid)?;
    if o.pairs && answer.count > answer.pairs.len() as u64 {
        return Err(Failure::Data(format!(
            "{} triangle pairs are within {threshold:?}, too many to list (the limit is {}); lower --halo or --margin",
            answer.count,
            query::LONGEST_LIST
        )));
    }
    if let Some(path) = &o.html {
        let Some(contacts) = &answer.contacts else {
            return Err(Failure::Data(
                "--html: contacts are not computed, too many triangle pairs; lower --halo".into(),
            ));
        };
        let page = contact_list::page([(a, &mesh_a, &o.pose_a), (b, &mesh_b, &o.pose_b)], contacts);
        std::fs::write(path, page.to_html()).map_err(|e| Failure::Data(format!("{}: {e}", path.display())))?;
    }
    if o.json {
        return crate::print(&json(&answer, &o));
    }
    let mut text = plain(&answer, threshold, [(a, &mesh_a), (b, &mesh_b)]);
    for (path, shape) in [(a, &shape_a), (b, &shape_b)] {
        if let Some(what) = lacking::of_shape(shape)? {
            let _ = writeln!(
                text,
                "note: contacts of {} are not those of a closed body that looks outward: {what}",
                path.display()
            );
        }
    }
    if o.pairs {
        text += &list(&answer);
    }
    crate::print(&text)
}

fn shape(mesh: &Triangles, path: &Path, halo: f64) -> Result<OwnedShape, Failure> {
    OwnedShape::new(mesh, mesh.scalar(), Halo::Uniform(halo), &SurrogateOptions::default()).map_err(|e| {
        let why = match (e.kind, e.what) {
            (Kind::OutOfRange, What::Mesh) => "the mesh is larger than 2^60; give it in another unit".into(),
            _ => e.to_string(),
        };
        Failure::Data(format!("{}: {why}", path.display()))
    })
}

/// A length that is not negative.
fn distance(option: &str, value: std::ffi::OsString) -> Result<f64, Failure> {
    let x = number(option, value)?;
    if x >= 0.0 {
        Ok(x)
    } else {
        Err(Failure::usage(format!("{option}: {x} is negative; it is a distance of at least 0")))
    }
}

fn pose(option: &str, value: std::ffi::OsString) -> Result<Pose, Failure> {
    let n = numbers(option, value, &[3, 7], "x,y,z or x,y,z,qx,qy,qz,qw")?;
    let at = |k: usize| n.get(k).copied().unwrap_or(if k == 6 { 1.0 } else { 0.0 });
    let pose = Pose { position: [at(0), at(1), at(2)], orientation: [at(3), at(4), at(5), at(6)] };
    if pose.orientation == [0.0; 4] {
        return Err(Failure::usage(format!("{option}: the quaternion is zero; no rotation is 0,0,0,1")));
    }
    Ok(pose)
}

fn json(answer: &Answer, o: &Options) -> String {
    let mut fields = vec![
        ("triangle_pairs", Json::Whole(answer.count)),
        ("min_distance", Json::Number(answer.closest.distance)),
        ("seconds_per_query", Json::Number(answer.seconds)),
        ("closest", pair_json(&answer.closest)),
        ("contacts", contact_list::json(answer.contacts.as_deref())),
    ];
    if o.pairs {
        fields.push(("pairs", Json::List(answer.pairs.iter().map(pair_json).collect())));
    }
    format!("{}\n", Json::Object(fields))
}

fn pair_json(p: &TrianglePair) -> Json {
    Json::Object(vec![
        ("a", Json::Whole(p.a.into())),
        ("b", Json::Whole(p.b.into())),
        ("distance", Json::Number(p.distance)),
        ("point_a", Json::numbers(p.point_a)),
        ("point_b", Json::numbers(p.point_b)),
    ])
}

fn plain(answer: &Answer, threshold: f64, meshes: [(&PathBuf, &Triangles); 2]) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    for (name, (path, mesh)) in ["A", "B"].into_iter().zip(meshes) {
        let _ = writeln!(text, "{name}: {} ({} triangles)", Path::new(path).display(), mesh.len());
    }
    let near = &answer.closest;
    let _ = writeln!(text, "triangle pairs within {threshold:?}: {}", answer.count);
    let _ = writeln!(text, "distance: {:?}, between triangle {} of A and {} of B", near.distance, near.a, near.b);
    let _ = writeln!(text, "time: {:.3e} s per query of pairs", answer.seconds);
    text + &contact_list::table(answer.contacts.as_deref())
}

/// The pairs, one on each line.
fn list(answer: &Answer) -> String {
    let mut text = String::from("# a b distance point_a point_b\n");
    for p in &answer.pairs {
        let [ax, ay, az] = p.point_a;
        let [bx, by, bz] = p.point_b;
        let (a, b, d) = (p.a, p.b, p.distance);
        let _ = writeln!(text, "{a} {b} {d:?} {ax:?} {ay:?} {az:?} {bx:?} {by:?} {bz:?}");
    }
    text
}
