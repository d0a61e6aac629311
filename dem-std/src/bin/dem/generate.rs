//! `dem generate`: mesh files from the generators.

use crate::arguments::{near, number, numbers, vector, whole};
use crate::failure::Failure;
use dem_std::dem_core::mesh::Cylinder;
use dem_std::{Triangles, files, generate as make};
use lexopt::Arg;
use std::path::PathBuf;

pub const HELP: &str = "\
dem generate: make a mesh file

Usage: dem generate SHAPE [OPTIONS] -o FILE        (FILE: .stl, .obj or .ply)

  icosphere   --level L                  sphere of radius 1; 20, 80, 320, 1280, ... triangles for L = 0, 1, 2, 3, ...
  uv-sphere   --meridians N --bands M    sphere of radius 1; 2 N (M - 1) triangles
  hull        --points N --seed S        convex hull of N random points on the unit sphere; 2 N - 4 triangles
  bumpy       --level L --eta E --seed S smooth random bumps on an icosphere, radii from 1 to E (default 1.2)
  elongated   --level L --eta E          sphere of diameter 1, E times as long along x
  box         --edges X,Y,Z              12 triangles; every edge 1 if not given
  cylinder    --radius R --length L --meridians N or --sagitta S   along z; as many facets as keep its sides within S
                                         of the circle through their edges; the volume is that of the cylinder
  plate       --cells N,M --edges X,Y    flat, 2 N M triangles, which look up (along z)
  torus       --radii R,r --meridians N --bands M   a ring about z; 2 N M triangles
  turned      --outline R,Z,R,Z,... --meridians N   an outline of points (distance from z, height) that turns about z.
                                         Its last point is joined to its first: a ring, a tube, a bowl with a thickness.
              --open                     its ends stay apart: a funnel or a tray without thickness; an outline that
                                         goes up looks away from z. In scene files: outline = [[R, Z], [R, Z], ...]
  bolt        --radius R --pitch P --turns T --meridians N --head W,H   a thread from z = 0 up, with a head of six sides
  nut         the same, --clearance C wider all about; W from the axis to a side; N is a multiple of 6

Scenes of `dem run` have `ball`, `capsule` and `plane`, too, which are no meshes.

  --scale S or X,Y,Z, --move X,Y,Z       applied to any shape, in this order
  -o, --output FILE

All but the last three are about the origin. Levels are 3 (1280 triangles) and seeds 0 where they are not given. The
same arguments give the same file everywhere.

Examples:
  dem generate bumpy --level 5 --seed 7 --scale 0.5 -o rock.stl
  dem generate plate --cells 100,100 --edges 50,50 -o ground.ply
";

/// Options of all generators; a shape ignores those that it does not use.
pub struct Options {
    pub level: u32,
    pub eta: Option<f64>,
    pub seed: u64,
    pub meridians: u32,
    pub bands: u32,
    pub points: u32,
    pub cells: [u32; 2],
    pub edges: Option<Vec<f64>>,
    pub radii: Option<[f64; 2]>,
    pub outline: Option<Vec<[f64; 2]>>,
    /// Whether the ends of the outline are not joined.
    pub open: bool,
    pub radius: f64,
    pub length: f64,
    /// Determines the number of meridians of a cylinder, instead of `meridians`.
    pub sagitta: Option<f64>,
    pub pitch: f64,
    pub turns: u32,
    pub clearance: f64,
    pub head: [f64; 2],
}

impl Default for Options {
    fn default() -> Self {
        Options {
            level: 3,
            eta: None,
            seed: 0,
            meridians: 36,
            bands: 18,
            points: 72,
            cells: [1, 1],
            edges: None,
            radii: None,
            outline: None,
            open: false,
            radius: 1.0,
            length: 2.0,
            sagitta: None,
            pitch: 0.5,
            turns: 4,
            clearance: 0.1,
            head: [1.8, 1.0],
        }
    }
}

pub fn run(mut arguments: lexopt::Parser) -> Result<(), Failure> {
    let mut shape = None;
    let mut o = Options::default();
    let (mut factors, mut offset, mut output) = ([1.0; 3], [0.0; 3], None);
    while let Some(argument) = arguments.next()? {
        match argument {
            Arg::Short('h') | Arg::Long("help") => return crate::print(HELP),
            Arg::Long("level") => o.level = whole("--level", arguments.value()?)?,
            Arg::Long("eta") => o.eta = Some(number("--eta", arguments.value()?)?),
            Arg::Long("seed") => o.seed = whole("--seed", arguments.value()?)?,
            Arg::Long("meridians") => o.meridians = whole("--meridians", arguments.value()?)?,
            Arg::Long("bands") => o.bands = whole("--bands", arguments.value()?)?,
            Arg::Long("points") => o.points = whole("--points", arguments.value()?)?,
            Arg::Long("cells") => o.cells = cells(vector("--cells", arguments.value()?, "N,M")?)?,
            Arg::Long("edges") => o.edges = Some(numbers("--edges", arguments.value()?, &[2, 3], "X,Y or X,Y,Z")?),
            Arg::Long("radii") => o.radii = Some(vector("--radii", arguments.value()?, "R,r")?),
            Arg::Long("outline") => {
                let even: Vec<usize> = (4..=2000).step_by(2).collect();
                let all = numbers("--outline", arguments.value()?, &even, "R,Z,R,Z,...")?;
                o.outline = Some(all.chunks_exact(2).filter_map(|p| p.first_chunk().copied()).collect());
            }
            Arg::Long("open") => o.open = true,
            Arg::Long("radius") => o.radius = number("--radius", arguments.value()?)?,
            Arg::Long("length") => o.length = number("--length", arguments.value()?)?,
            Arg::Long("sagitta") => o.sagitta = Some(number("--sagitta", arguments.value()?)?),
            Arg::Long("pitch") => o.pitch = number("--pitch", arguments.value()?)?,
            Arg::Long("turns") => o.turns = whole("--turns", arguments.value()?)?,
            Arg::Long("clearance") => o.clearance = number("--clearance", arguments.value()?)?,
            Arg::Long("head") => o.head = vector("--head", arguments.value()?, "W,H")?,
            Arg::Long("scale") => {
                let s = numbers("--scale", arguments.value()?, &[1, 3], "S or X,Y,Z")?;
                factors = std::array::from_fn(|c| s.get(c).or(s.first()).copied().unwrap_or(1.0));
            }
            Arg::Long("move") => offset = vector("--move", arguments.value()?, "X,Y,Z")?,
            Arg::Short('o') | Arg::Long("output") => output = Some(PathBuf::from(arguments.value()?)),
            Arg::Value(name) if shape.is_none() => shape = Some(name),
            other => return Err(Failure::usage(format!("{}; see `dem generate --help`", other.unexpected()))),
        }
    }
    let shape = shape.ok_or_else(|| Failure::usage("a shape is missing; see `dem generate --help`"))?;
    let output = output.as_deref().ok_or_else(|| Failure::usage("-o FILE is missing: where the mesh shall go"))?;
    let mesh = made(&shape.to_string_lossy(), &o)?.scaled(factors).moved(offset);
    files::write(output, &mesh)?;
    crate::print(&format!("{}: {} triangles, {} vertices\n", output.display(), mesh.len(), mesh.vertices.len()))
}

/// The names of all generators.
pub const SHAPES: [&str; 12] = [
    "icosphere",
    "uv-sphere",
    "hull",
    "bumpy",
    "elongated",
    "box",
    "cylinder",
    "plate",
    "torus",
    "turned",
    "bolt",
    "nut",
];

/// Names that other programs use for shapes, and the shapes that they mean.
const USUAL: [(&[&str], &[&str]); 9] = [
    (&["sphere", "round"], &["ball", "icosphere"]),
    (&["halfspace", "half-space", "half_space", "ground", "floor", "wall"], &["plane", "plate"]),
    (&["cube", "cuboid", "brick", "block"], &["box"]),
    (&["rod", "pill", "spherocylinder"], &["capsule", "cylinder"]),
    (&["disc", "disk", "drum"], &["cylinder"]),
    (&["funnel", "hopper", "cone", "tube", "pipe", "revolution"], &["turned"]),
    (&["ring", "donut", "doughnut"], &["torus"]),
    (&["rock", "stone"], &["bumpy"]),
    (&["sheet", "grid", "rectangle"], &["plate"]),
];

/// The message that there is no such shape, with the names that may be meant.
pub fn no_shape(name: &str, names: &[&str]) -> String {
    let usual = USUAL.iter().filter(|(words, _)| words.contains(&name)).flat_map(|(_, meant)| *meant);
    let meant = usual.copied().find(|meant| names.contains(meant)).or_else(|| near(name, names.iter().copied()));
    let hint = meant.map_or("; there".into(), |meant| format!("; did you mean `{meant}`? There"));
    format!("`{name}` is no shape{hint} are {}; see `dem generate --help`", names.join(", "))
}

/// The mesh from the generator with this name.
pub fn made(shape: &str, o: &Options) -> Result<Triangles, Failure> {
    let edges = |n: usize| match &o.edges {
        None => Ok([1.0; 3]),
        Some(e) if e.len() == n => Ok(std::array::from_fn(|c| e.get(c).copied().unwrap_or(1.0))),
        Some(e) => Err(Failure::usage(format!("--edges: {shape} takes {n} numbers, {} are given", e.len()))),
    };
    check_triangles(shape, o)?;
    let mesh = match shape {
        "icosphere" => make::icosphere(o.level),
        "uv-sphere" => make::uv_sphere(o.meridians, o.bands),
        "hull" => make::hull_sphere(o.points, o.seed),
        "bumpy" => make::icosphere(o.level).and_then(|s| make::bumpy(s, o.eta.unwrap_or(1.2), o.seed)),
        "elongated" => make::elongated(o.level, o.eta.unwrap_or(1.8)),
        "box" => make::cuboid(edges(3)?),
        "cylinder" => {
            let Options { radius, length, meridians: facets, .. } = *o;
            let of = |sagitta| Cylinder::within(radius, length, sagitta);
            o.sagitta.map_or(Ok(Cylinder { radius, length, facets }), of).and_then(make::cylinder)
        }
        "plate" => edges(2).map(|[x, y, _]| make::plate(o.cells, [x, y]))?,
        "torus" => {
            let [large, small] = o.radii.unwrap_or([1.0, 0.25]);
            make::torus(large, small, o.meridians, o.bands)
        }
        "turned" => match &o.outline {
            // An outline whose last point is its first has no ends.
            Some(outline) => match outline.as_slice() {
                [first, rest @ .., last] if first == last && !rest.is_empty() => {
                    make::turned(&outline[..outline.len() - 1], o.meridians)
                }
                _ if o.open => make::turned_sheet(outline, o.meridians),
                _ => make::turned(outline, o.meridians),
            },
            None => return Err(Failure::usage("turned: an outline is missing; see `dem generate --help`")),
        },
        "bolt" | "nut" => {
            let Options { radius, pitch, turns, meridians: sides, .. } = *o;
            let thread = make::Thread { radius, pitch, turns, sides };
            if shape == "bolt" { thread.bolt(o.head) } else { thread.nut(o.clearance, o.head[0]) }
        }
        other => return Err(Failure::usage(no_shape(other, &SHAPES))),
    };
    mesh.map_err(|e| {
        let why = match e.kind {
            dem_std::dem_core::error::Kind::TooLarge if shape == "cylinder" => "the sagitta asks for more than 2^20 meridians",
            dem_std::dem_core::error::Kind::TooLarge => "more triangles than 32-bit ids can name",
            _ => match shape {
                "bumpy" => "--eta is outside its range; it is at least 1",
                "elongated" => "--eta is outside its range; it is larger than 0",
                "hull" => "--points is outside its range; four make the smallest hull",
                "uv-sphere" => "a number is outside its range; it takes 3 meridians and 2 bands at least",
                "torus" => "a number is outside its range; the second radius is smaller, and there are 3 meridians and bands at least",
                "cylinder" => "a number is outside its range; radius, length and sagitta are larger than 0, and there are 3 to 2^20 meridians",
                "turned" if o.open => "the outline has 2 points at least, none left of the axis, and one beside it",
                "turned" => {
                    "the outline has 3 points at least, none left of the axis, and encloses something; if its ends shall stay apart, it is open"
                }
                "bolt" | "nut" => {
                    "a number is outside its range; meridians are a multiple of 6, the head is wider than the thread, and that is not cut to its axis"
                }
                "plate" => "a number is outside its range; there is one cell at least, and no edge is negative",
                _ => "--edges is outside its range; no edge is negative",
            },
        };
        Failure::usage(format!("{shape}: {why}; see `dem generate --help`"))
    })
}

/// The most triangles that the program generates, some gigabytes. Generators of the library make more.
const MOST_TRIANGLES: u64 = 1 << 25;

/// Refuses a mesh that does not fit in memory, before any of it is generated.
fn check_triangles(shape: &str, o: &Options) -> Result<(), Failure> {
    let of = |a: u32, b: u64| 2_u64.saturating_mul(a.into()).saturating_mul(b);
    let (count, what) = match shape {
        "icosphere" | "bumpy" | "elongated" => {
            let at = |level: u32| 20_u64.saturating_mul(4_u64.saturating_pow(level));
            let most = (0..).take_while(|level| at(*level) <= MOST_TRIANGLES).last().unwrap_or_default();
            (at(o.level), format!("level = {most} is the most that there is"))
        }
        "uv-sphere" => (of(o.meridians, o.bands.saturating_sub(1).into()), "take fewer meridians or bands".into()),
        "torus" => (of(o.meridians, o.bands.into()), "take fewer meridians or bands".into()),
        "plate" => (of(o.cells[0], o.cells[1].into()), "take fewer cells".into()),
        "hull" => (2 * u64::from(o.points), "take fewer points".into()),
        "turned" => (of(o.meridians, o.outline.as_ref().map_or(0, Vec::len) as u64), "take fewer meridians".into()),
        "bolt" | "nut" => (
            of(o.meridians, u64::from(o.meridians).saturating_mul(o.turns.into())),
            "take fewer turns or meridians".into(),
        ),
        // Cylinders have their own limit, and boxes always have 12 triangles.
        _ => return Ok(()),
    };
    if count <= MOST_TRIANGLES {
        return Ok(());
    }
    Err(Failure::usage(format!(
        "{shape}: {count} triangles are more than the {MOST_TRIANGLES} that this program makes; {what}"
    )))
}

fn cells(numbers: [f64; 2]) -> Result<[u32; 2], Failure> {
    if numbers.iter().all(|&n| n >= 1.0 && n <= u32::MAX as f64 && n as u32 as f64 == n) {
        return Ok(numbers.map(|n| n as u32));
    }
    Err(Failure::usage("--cells: two whole numbers of at least 1, N,M"))
}
