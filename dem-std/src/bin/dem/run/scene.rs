//! The scene file: its keys, and errors with the line and the nearest name.

use crate::arguments::near;
use crate::failure::Failure;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// The content of a scene file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scene {
    pub title: Option<String>,
    #[serde(default)]
    pub gravity: [f64; 3],
    #[serde(default)]
    pub periods: [f64; 3],
    /// The halo of shapes without a halo of their own.
    pub halo: Option<Spanned<f64>>,
    pub law: Option<Spanned<LawName>>,
    /// The length by which moduli are multiplied in `linear` and `spring`.
    pub size: Option<f64>,
    pub time: Times,
    #[serde(default)]
    pub output: Outputs,
    pub shapes: BTreeMap<Spanned<String>, Spanned<ShapeOf>>,
    pub materials: BTreeMap<Spanned<String>, Spanned<MaterialOf>>,
    #[serde(default)]
    pub interactions: Vec<Spanned<Between>>,
    #[serde(default)]
    pub bodies: Vec<Spanned<BodyOf>>,
    #[serde(default)]
    pub sources: Vec<Spanned<SourceOf>>,
    /// Bodies whose centre leaves this box are removed.
    pub keep: Option<Spanned<Keep>>,
}

/// A box.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Keep {
    pub low: [f64; 3],
    pub high: [f64; 3],
}

#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum LawName {
    #[default]
    Pressure,
    Linear,
    Spring,
    Hertz,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Times {
    pub end: Spanned<f64>,
    pub step: Spanned<f64>,
    /// Time between outputs.
    pub frame: Spanned<f64>,
}

impl Scene {
    pub fn law(&self) -> LawName {
        self.law.as_ref().map_or_else(LawName::default, |law| *law.get_ref())
    }

    pub fn step(&self) -> f64 {
        *self.time.step.get_ref()
    }

    /// The time between outputs.
    pub fn frame(&self) -> f64 {
        *self.time.frame.get_ref()
    }
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Outputs {
    pub csv: bool,
    pub html: bool,
    pub vtk: bool,
    /// Whether surfaces are written at their poses, in addition to bodies that are drawn as copies of their shapes.
    pub surfaces: bool,
}

impl Default for Outputs {
    fn default() -> Self {
        Outputs { csv: true, html: true, vtk: true, surfaces: false }
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ShapeOf {
    pub file: Option<PathBuf>,
    pub make: Option<String>,
    pub halo: Option<f64>,
    pub scale: Option<f64>,
    pub radius: Option<f64>,
    pub length: Option<f64>,
    pub sagitta: Option<f64>,
    /// A sheet: the enclosed space does not belong to the body.
    #[serde(default)]
    pub open: bool,
    /// The way that triangles are to look: those of a container inward, those of a body outward. They are reversed if they do not.
    pub inward: Option<bool>,
    /// Vertices of the file that are no farther apart than this become one.
    pub weld: Option<f64>,
    pub level: Option<u32>,
    pub eta: Option<f64>,
    pub seed: Option<u64>,
    pub meridians: Option<u32>,
    pub bands: Option<u32>,
    pub points: Option<u32>,
    pub cells: Option<[u32; 2]>,
    pub edges: Option<Vec<f64>>,
    pub radii: Option<[f64; 2]>,
    pub outline: Option<Vec<[f64; 2]>>,
    pub pitch: Option<f64>,
    pub turns: Option<u32>,
    pub clearance: Option<f64>,
    pub head: Option<[f64; 2]>,
    /// Other shapes that move together.
    pub parts: Option<Vec<Spanned<PartOf>>>,
    /// The page draws the shape transparently.
    #[serde(default)]
    pub glass: bool,
}

/// A shape in the frame of a compound.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PartOf {
    pub shape: Spanned<String>,
    #[serde(default)]
    pub position: [f64; 3],
    /// Rotation by `angle` degrees about this axis.
    pub axis: Option<[f64; 3]>,
    #[serde(default)]
    pub angle: f64,
    #[serde(default = "one")]
    pub scale: f64,
}

/// The quaternion of a rotation by `angle` degrees about `axis`; none if there is an angle but no axis.
pub fn turn(axis: Option<[f64; 3]>, angle: f64) -> Option<[f64; 4]> {
    let Some(axis) = axis else { return (angle == 0.0).then_some([0.0, 0.0, 0.0, 1.0]) };
    let length = axis.iter().map(|x| x * x).sum::<f64>().sqrt();
    if !(length > 0.0 && length.is_finite()) {
        return None;
    }
    let half = angle.to_radians() / 2.0;
    let [x, y, z] = axis.map(|x| x / length * libm::sin(half));
    Some([x, y, z, libm::cos(half)])
}

pub const NO_TURN: &str = "a turn needs an `axis` and an `angle` in degrees";

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MaterialOf {
    pub density: f64,
    pub young: f64,
    #[serde(default = "poisson")]
    pub poisson: f64,
    #[serde(default = "restitution")]
    pub restitution: f64,
    #[serde(default)]
    pub friction: f64,
    #[serde(default)]
    pub rolling: f64,
    #[serde(default)]
    pub cohesion: f64,
}

fn poisson() -> f64 {
    0.25
}

fn restitution() -> f64 {
    0.5
}

/// Values measured for two materials, which replace those that follow from each.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Between {
    pub materials: [Spanned<String>; 2],
    /// Another elastic law than that of the scene; a stiffness then has the units of this law.
    pub law: Option<LawName>,
    pub stiffness: Option<f64>,
    /// The form of damping that gives the restitution.
    pub damping: Option<DampingName>,
    pub restitution: Option<f64>,
    /// Impact speed at which `hunt-crossley` gives this restitution.
    pub speed: Option<f64>,
    pub friction: Option<f64>,
    pub shear: Option<f64>,
    pub lag: Option<f64>,
    /// Whether contacts resist rotation about their normal.
    pub torsion: Option<bool>,
    pub rolling: Option<f64>,
    pub adhesion: Option<AdhesionName>,
    pub cohesion: Option<f64>,
}

#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum DampingName {
    Dashpot,
    DashpotWithTension,
    HuntCrossley,
}

#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum AdhesionName {
    Area,
    Dmt,
}

#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum MotionName {
    #[default]
    Dynamic,
    Kinematic,
    Static,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BodyOf {
    pub shape: Spanned<String>,
    pub material: Spanned<String>,
    #[serde(default)]
    pub motion: MotionName,
    #[serde(default)]
    pub position: [f64; 3],
    /// Rotation by `angle` degrees about this axis.
    pub axis: Option<[f64; 3]>,
    #[serde(default)]
    pub angle: f64,
    #[serde(default = "one")]
    pub scale: f64,
    #[serde(default)]
    pub velocity: [f64; 3],
    #[serde(default)]
    pub spin: [f64; 3],
    /// A kinematic body swings about its position.
    pub swing: Option<Swing>,
    /// Repeats the body on a grid.
    pub copies: Option<Copies>,
}

/// A grid of bodies: the number along each axis, and the distance.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Copies {
    pub count: [u32; 3],
    pub apart: [f64; 3],
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Swing {
    pub amplitude: [f64; 3],
    /// Full periods per unit of time.
    pub frequency: f64,
}

fn one() -> f64 {
    1.0
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SourceOf {
    pub shapes: Vec<Spanned<String>>,
    pub material: Spanned<String>,
    pub count: u32,
    pub low: [f64; 3],
    pub high: [f64; 3],
    #[serde(default)]
    pub start: f64,
    /// Bodies per unit of time; without it, all come as soon as there is room.
    pub rate: Option<f64>,
    pub sizes: Option<Sizes>,
    #[serde(default)]
    pub velocity: [f64; 3],
    #[serde(default)]
    pub seed: u64,
}

/// The distribution of scale factors.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Sizes {
    /// Between two values.
    Uniform([f64; 2]),
    /// Mean and standard deviation, truncated at three deviations.
    Normal([f64; 2]),
    /// Median and the factor of one standard deviation, truncated at three.
    Lognormal([f64; 2]),
}

/// The most names that a message lists.
const MOST_NAMES: usize = 12;

/// The text of a scene, for errors.
pub struct Text<'t> {
    pub path: &'t Path,
    pub text: &'t str,
}

impl Text<'_> {
    /// The parsed content, or an error with its line.
    pub fn parse(&self) -> Result<Scene, Failure> {
        toml::from_str(self.text).map_err(|e| {
            let message = e.message();
            self.at(e.span().unwrap_or_default(), &format!("{message}{}", nearest(message)))
        })
    }

    /// The line of a position in the text, from 0.
    pub fn line(&self, span: Range<usize>) -> usize {
        let start = span.start.min(self.text.len());
        self.text.get(..start).unwrap_or_default().matches('\n').count()
    }

    /// An error at a place of the text. If the place is not at the start of its line, a mark below the line shows it.
    pub fn at(&self, span: Range<usize>, message: &str) -> Failure {
        let start = span.start.min(self.text.len());
        let line = self.line(span);
        let said = self.text.lines().nth(line).unwrap_or_default();
        let before = self.text.get(..start).and_then(|text| text.rsplit('\n').next()).unwrap_or_default();
        let column = before.trim_start().chars().count();
        let mark = if column > 0 { format!("\n  {:column$}^", "") } else { String::new() };
        Failure::Data(format!("{}:{}: {message}\n  {}{mark}", self.path.display(), line + 1, said.trim()))
    }

    /// An error about the value of a key in the table at this place of the text, or about the table if it has no such key.
    pub fn at_key(&self, table: Range<usize>, key: &str, message: &str) -> Failure {
        let whole = DeTable::parse(self.text).ok();
        let value = whole.and_then(|whole| whole.get_ref().values().find_map(|of| value_of(of, &table, key)));
        self.at(value.unwrap_or(table), message)
    }

    /// An error about the first key between backticks in the message that the table at this place has.
    pub fn at_named(&self, table: Range<usize>, message: &str) -> Failure {
        let names = message.split('`').skip(1).step_by(2);
        let whole = DeTable::parse(self.text).ok();
        let value = whole.and_then(|whole| {
            names.into_iter().find_map(|key| whole.get_ref().values().find_map(|of| value_of(of, &table, key)))
        });
        self.at(value.unwrap_or(table), message)
    }

    /// The index of a name among the existing names.
    pub fn find<'n>(
        &self,
        name: &Spanned<String>,
        what: &str,
        mut names: impl Iterator<Item = &'n String> + Clone,
    ) -> Result<usize, Failure> {
        let given = name.get_ref();
        if let Some(place) = names.clone().position(|n| n == given) {
            return Ok(place);
        }
        let hint = match near(given, names.clone().map(String::as_str)) {
            Some(near) => format!("; the nearest is `{near}`"),
            None if names.clone().next().is_none() => "; there are none".to_string(),
            None => {
                let all: Vec<_> = names.by_ref().take(MOST_NAMES).map(|name| format!("`{name}`")).collect();
                format!("; there are {}{}", all.join(", "), if names.next().is_some() { ", ..." } else { "" })
            }
        };
        Err(self.at(name.span(), &format!("there is no {what} `{given}`{hint}")))
    }
}

/// The place of the value of a key, in the table at this place or in a table inside it.
fn value_of(of: &Spanned<DeValue<'_>>, table: &Range<usize>, key: &str) -> Option<Range<usize>> {
    match of.get_ref() {
        DeValue::Table(own) if of.span() == *table => own.get(key).map(Spanned::span),
        DeValue::Table(own) => own.values().find_map(|of| value_of(of, table, key)),
        DeValue::Array(items) => items.iter().find_map(|of| value_of(of, table, key)),
        _ => None,
    }
}

/// For an unknown name, given a message with the expected names between backticks: the key that other programs call so, the nearest key, or the
/// table that has the key.
fn nearest(message: &str) -> String {
    if !message.starts_with("unknown") {
        return String::new();
    }
    let mut names = message.split('`').skip(1).step_by(2);
    let Some(given) = names.next() else { return String::new() };
    let names: Vec<_> = names.collect();
    if !message.starts_with("unknown field") {
        return near(given, names.into_iter()).map_or(String::new(), |name| format!("; did you mean `{name}`?"));
    }
    if let Some(meant) = usual(given, &names) {
        return format!("; {meant}");
    }
    let tables = tables_with(given);
    let near = near(given, names.into_iter());
    let near = near.filter(|name| tables.is_empty() || strsim::damerau_levenshtein(name, given) < 2);
    let near = near.map_or(String::new(), |name| format!("; did you mean `{name}`?"));
    match tables.is_empty() {
        true => near,
        false => format!("{near}; it is a key of {}", tables.join(" and of ")),
    }
}

/// Names of keys in other programs, the key with that meaning, and a remark.
const USUAL: [(&[&str], &str, &str); 21] = [
    (&["dt", "timestep", "time_step", "delta_t", "h"], "step", ""),
    (&["duration", "t_end", "end_time", "stop"], "end", ""),
    (&["interval", "output_step", "save", "dt_out"], "frame", ", the time between outputs"),
    (
        &["size", "sizes", "dimensions", "extents", "width", "height", "lengths"],
        "edges",
        ", the whole lengths of a `box` along x, y, z; round shapes have a `radius`, some a `length`",
    ),
    (&["diameter", "r", "rad"], "radius", ", half of the diameter"),
    (&["mesh", "path", "filename", "stl"], "file", ""),
    (&["type", "kind", "shape", "geometry"], "make", ""),
    (&["points", "profile"], "outline", ""),
    (&["mass", "weight", "rho"], "density", ", which gives the mass of each body"),
    (&["E", "modulus", "stiffness", "youngs_modulus", "young_modulus"], "young", ""),
    (&["nu", "poisson_ratio", "poissons_ratio"], "poisson", ""),
    (&["e", "cor", "bounce", "bounciness"], "restitution", ""),
    (&["mu", "mu_s", "friction_coefficient"], "friction", ""),
    (&["mu_r", "rolling_friction"], "rolling", ""),
    (&["orientation", "rotation", "quaternion", "euler", "rotate"], "axis", " with `angle` in degrees"),
    (&["pos", "location", "centre", "center", "origin", "translate"], "position", ""),
    (&["vel", "speed"], "velocity", ""),
    (&["angular_velocity", "omega"], "spin", ", in radians in a unit of time"),
    (&["fixed", "static", "kinematic", "dynamic"], "motion", " (`dynamic`, `kinematic`, `static`)"),
    (&["size"], "sizes", ", factors of lengths such as { uniform = [0.8, 1.2] }"),
    (&["number", "n", "amount"], "count", ""),
];

/// A sentence about a word from other programs, if it means one of these keys.
fn usual(given: &str, keys: &[&str]) -> Option<String> {
    if matches!(given, "drag" | "force" | "forces" | "torque" | "load") {
        return Some("a scene has no forces of a program; `OwnedWorld` of the library has".into());
    }
    let told = |(words, key, more): &(&[&str], &str, &str)| {
        (words.contains(&given) && keys.contains(key)).then(|| format!("did you mean `{key}`{more}?"))
    };
    // Mass follows from the density of the material, so tables without a density have no key for it.
    if matches!(given, "mass" | "weight") && !keys.contains(&"density") {
        return Some("mass is that of the volume, by the `density` of `[materials.NAME]`".into());
    }
    USUAL.iter().find_map(told)
}

/// The tables of a scene that have this key.
fn tables_with(key: &str) -> Vec<&'static str> {
    // The error about an unknown key lists all keys of a table.
    fn has<T: serde::de::DeserializeOwned>(key: &str) -> bool {
        let told = toml::from_str::<T>("\"\" = 0").err().map_or(String::new(), |e| e.message().to_string());
        told.split('`').skip(1).step_by(2).any(|own| own == key)
    }
    let tables = [
        ("the whole scene (above the first table)", has::<Scene>(key)),
        ("`[time]`", has::<Times>(key)),
        ("`[output]`", has::<Outputs>(key)),
        ("`keep`", has::<Keep>(key)),
        ("`[shapes.NAME]`", has::<ShapeOf>(key)),
        ("`parts` of shapes", has::<PartOf>(key)),
        ("`[materials.NAME]`", has::<MaterialOf>(key)),
        ("`[[interactions]]`", has::<Between>(key)),
        ("`[[bodies]]`", has::<BodyOf>(key)),
        ("`copies` of bodies", has::<Copies>(key)),
        ("`swing` of bodies", has::<Swing>(key)),
        ("`[[sources]]`", has::<SourceOf>(key)),
    ];
    tables.into_iter().filter(|(_, has)| *has).map(|(name, _)| name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failure(text: &str) -> String {
        match (Text { path: Path::new("s.toml"), text }).parse() {
            Err(Failure::Data(message)) => message,
            _ => String::from("no error"),
        }
    }

    const PLAIN: &str = "time = { end = 1, step = 1e-3, frame = 0.1 }\nshapes.a.make = 'ball'\nmaterials.m = { density = 1, young = 1 }\n";

    #[test]
    fn a_wrong_key_is_told_with_its_line_and_the_nearest_name() {
        assert_eq!(failure(PLAIN), "no error");
        let message = failure(&format!("{PLAIN}[[bodies]]\nshape = 'a'\nmaterial = 'm'\nvelocty = [0, 0, 1]\n"));
        assert!(message.starts_with("s.toml:7: unknown field `velocty`"), "{message}");
        assert!(message.contains("did you mean `velocity`?\n  velocty = [0, 0, 1]"), "{message}");
        let message = failure(&format!("law = 'herz'\n{PLAIN}"));
        assert!(message.starts_with("s.toml:1:") && message.contains("did you mean `hertz`?"), "{message}");
        assert!(failure("gravity = [0, 0]\n").starts_with("s.toml:1:"));
        assert!(failure("gravity = [0, 0, 1\nhalo = 1").starts_with("s.toml:2:"), "a bracket is missing");
        assert!(failure("halo = 1\n").contains("missing field `time`"));
        let message = failure(&format!("end = 2\n{PLAIN}"));
        assert!(message.starts_with("s.toml:1:") && message.contains("; it is a key of `[time]`\n"), "{message}");
        let message = failure(&format!("{PLAIN}[output]\ngravity = [0, 0, 1]\n"));
        assert!(message.contains("it is a key of the whole scene"), "{message}");
    }

    #[test]
    fn usual_words_lead_to_the_key_and_far_names_are_not_told() {
        let shape = |key: &str| {
            failure(&PLAIN.replace("shapes.a.make = 'ball'", &format!("shapes.a = {{ make = 'box', {key} = 1 }}")))
        };
        let message = shape("size");
        assert!(message.contains("; did you mean `edges`, the whole lengths of a `box`"), "{message}");
        assert!(!message.contains("whole scene"), "{message}");
        assert!(shape("diameter").contains("did you mean `radius`, half"), "{}", shape("diameter"));
        let time = failure(&PLAIN.replace("step = 1e-3", "dt = 1e-3"));
        assert!(time.contains("did you mean `step`?"), "{time}");
        let material = failure(&PLAIN.replace("density = 1", "mass = 1"));
        assert!(material.contains("did you mean `density`"), "{material}");
        let body = |key: &str| failure(&format!("{PLAIN}[[bodies]]\nshape = 'a'\nmaterial = 'm'\n{key} = 1\n"));
        assert!(body("mass").contains("by the `density` of `[materials.NAME]`"), "{}", body("mass"));
        assert!(
            body("orientation").contains("did you mean `axis` with `angle` in degrees?"),
            "{}",
            body("orientation")
        );
        assert!(body("radius").contains("it is a key of `[shapes.NAME]`\n"), "{}", body("radius"));
        assert!(
            body("colour").contains("unknown field") && !body("colour").contains("did you mean"),
            "{}",
            body("colour")
        );
        let scene = failure(&format!("drag = 1\n{PLAIN}"));
        assert!(scene.contains("a scene has no forces of a program"), "{scene}");
        // All keys in the list of usual words exist in some table.
        for (_, key, _) in USUAL {
            assert!(!tables_with(key).is_empty(), "{key}");
        }
    }
}
