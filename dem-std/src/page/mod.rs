//! One HTML file that shows bodies, contacts and plots: a 3D view that can be rotated, a player if there are several frames, a table of contacts.
//!
//! The file is self-contained: it loads nothing from a network, and any browser with WebGL 2 shows it.
//!
//! ```
//! use dem_std::dem_core::pose::Pose;
//! use dem_std::page::{Body, Curve, Mark, Page};
//!
//! let mut page = Page::new("A ball falls on a box");
//! let (bx, ball) = (page.mesh(&dem_std::generate::cuboid([1.0; 3])?), page.ball());
//! page.body(Body { drawing: bx, scale: 1.0 });
//! page.body(Body { drawing: ball, scale: 0.25 });
//! for (time, height) in [(0.0, 1.25), (0.1, 0.9), (0.2, 0.75)] {
//!     let above = Pose { position: [0.0, 0.0, height], ..Pose::IDENTITY };
//!     let mark = Mark { position: [0.0, 0.0, 0.5], normal: [0.0, 0.0, 1.0], area: 0.01, value: 20.0 };
//!     page.frame(time, [Pose::IDENTITY, above], (height == 0.75).then_some(mark));
//! }
//! page.plot("Height", "m", [Curve { name: "ball", points: &[[0.0, 1.25], [0.1, 0.9], [0.2, 0.75]] }]);
//! let html = page.to_html();
//! assert!(html.starts_with("<!doctype html>") && html.contains("A ball falls on a box"));
//! # Ok::<(), dem_std::dem_core::error::Error>(())
//! ```

use base64::{Engine, engine::general_purpose::STANDARD};
use dem_core::pose::Pose;
use serde_json::{Value, json};

use crate::Triangles;

/// The longest needle of a contact, relative to the size of the scene.
const NEEDLE: f64 = 0.25;

/// A picture of bodies at one or several times.
#[derive(Clone, Debug)]
pub struct Page {
    title: String,
    notes: Vec<String>,
    /// The meaning of the values of marks, as the head of a column.
    measure: String,
    drawings: Vec<Drawn>,
    bodies: Vec<Body>,
    frames: Vec<Frame>,
    plots: Vec<Value>,
}

/// The appearance of any number of bodies: a number from [`Page::mesh`], [`Page::ball`] or [`Page::plane`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Drawing(u32);

/// A body of the picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Body {
    /// Its appearance.
    pub drawing: Drawing,
    /// The factor of its drawing: for a ball, the radius.
    pub scale: f64,
}

/// A contact in the picture: a disc with its area, and a needle along its normal.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Mark {
    /// Its position.
    pub position: [f64; 3],
    /// Unit normal; the needle points in its direction.
    pub normal: [f64; 3],
    /// Area of the disc.
    pub area: f64,
    /// Its force, or another number, shown by the length of the needle.
    pub value: f64,
}

/// A curve of a plot.
#[derive(Clone, Copy, Debug)]
pub struct Curve<'c> {
    /// Its name.
    pub name: &'c str,
    /// Time and value; values that are not finite are left out.
    pub points: &'c [[f64; 2]],
}

/// A drawing, and its extent from the origin of its frame.
#[derive(Clone, Debug)]
struct Drawn {
    json: Value,
    reach: f64,
}

#[derive(Clone, Debug)]
struct Frame {
    time: f64,
    poses: Vec<Pose>,
    marks: Vec<Mark>,
}

impl Page {
    /// An empty page.
    pub fn new(title: &str) -> Self {
        Page {
            title: title.into(),
            notes: Vec::new(),
            measure: "force".into(),
            drawings: Vec::new(),
            bodies: Vec::new(),
            frames: Vec::new(),
            plots: Vec::new(),
        }
    }

    /// Adds a mesh as an appearance of bodies. Each triangle is visible from both sides; triangles that are not finite are invisible.
    pub fn mesh(&mut self, triangles: &Triangles) -> Drawing {
        let vertices: Vec<f32> = triangles.vertices.iter().flatten().map(|&x| x as f32).collect();
        let there = |&&v: &&u32| triangles.vertices.get(v as usize).is_some_and(|p| p.iter().all(|x| x.is_finite()));
        let whole = triangles.indices.iter().filter(|t| t.iter().filter(there).count() == 3);
        let indices: Vec<u8> = whole.flatten().flat_map(|v| v.to_le_bytes()).collect();
        let lengths = triangles.vertices.iter().map(|p| p.iter().map(|x| x * x).sum::<f64>().sqrt());
        let reach = lengths.filter(|x| x.is_finite()).fold(0.0, f64::max);
        self.draw(json!({ "kind": "mesh", "vertices": numbers(vertices), "indices": STANDARD.encode(indices) }), reach)
    }

    /// Adds a ball of radius 1 as an appearance of bodies.
    pub fn ball(&mut self) -> Drawing {
        self.draw(json!({ "kind": "ball" }), 1.0)
    }

    /// Adds a plane: the boundary of the half-space z > 0 of its frame. It is only visible from there.
    pub fn plane(&mut self) -> Drawing {
        self.draw(json!({ "kind": "plane" }), 0.0)
    }

    /// Makes a drawing transparent: for drums, hoppers, vessels.
    pub fn glass(&mut self, drawing: Drawing) {
        if let Some(drawn) = self.drawings.get_mut(drawing.0 as usize) {
            drawn.json["glass"] = Value::Bool(true);
        }
    }

    fn draw(&mut self, json: Value, reach: f64) -> Drawing {
        self.drawings.push(Drawn { json, reach });
        Drawing(self.drawings.len() as u32 - 1)
    }

    /// Adds a body. Earlier frames do not show it.
    pub fn body(&mut self, body: Body) {
        self.bodies.push(body);
    }

    /// Adds a frame: the time, a pose for each body so far, and its contacts. A body whose position is not finite is not shown, and neither are
    /// bodies at the end without a pose; surplus poses are ignored.
    pub fn frame(&mut self, time: f64, poses: impl IntoIterator<Item = Pose>, marks: impl IntoIterator<Item = Mark>) {
        let poses = poses.into_iter().take(self.bodies.len()).collect();
        self.frames.push(Frame { time, poses, marks: marks.into_iter().collect() });
    }

    /// Adds a plot over time.
    pub fn plot<'c>(&mut self, title: &str, unit: &str, curves: impl IntoIterator<Item = Curve<'c>>) {
        let bytes = |points: &[[f64; 2]]| points.iter().flatten().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>();
        let curves = curves.into_iter().map(|c| json!({ "name": c.name, "points": STANDARD.encode(bytes(c.points)) }));
        self.plots.push(json!({ "title": title, "unit": unit, "curves": curves.collect::<Vec<_>>() }));
    }

    /// Adds a short text below the title.
    pub fn note(&mut self, text: &str) {
        self.notes.push(text.into());
    }

    /// Sets the meaning of the values of marks; the default is forces.
    pub fn measure(&mut self, name: &str) {
        self.measure = name.into();
    }

    /// The page as HTML. Time and memory grow with its content: about 40 bytes for each body and contact of each frame.
    pub fn to_html(&self) -> String {
        let title = escaped(&self.title);
        // No text of the scene may end the script that contains it.
        let scene = self.scene().to_string().replace('<', "\\u003c");
        let mut html = String::new();
        for part in include_str!("page.html").split_inclusive('@') {
            match part {
                "TITLE@" => html += &title,
                "STYLE@" => html += include_str!("page.css"),
                "SCENE@" => html += &scene,
                "SCRIPT@" => html += include_str!("page.js"),
                text => html += text.trim_end_matches('@'),
            }
        }
        html
    }

    fn scene(&self) -> Value {
        // Positions are relative to the middle of the first frame, so that 32 bits are enough for scenes at any place.
        let still = Frame { time: 0.0, poses: Vec::new(), marks: Vec::new() };
        let frames = if self.frames.is_empty() { std::slice::from_ref(&still) } else { &self.frames };
        let (origin, size) = self.extent(frames);
        let most =
            frames.iter().flat_map(|f| &f.marks).map(|m| m.value.abs()).filter(|x| x.is_finite()).fold(0.0, f64::max);
        let needle = if most > 0.0 { NEEDLE * size / most } else { 1.0 };
        let from = |p: [f64; 3]| [0, 1, 2].map(|i| (p[i] - origin[i]) as f32);
        let pose = |p: &Pose| {
            let ([x, y, z], [a, b, c, d]) = (from(p.position), unit(p.orientation).map(|x| x as f32));
            [x, y, z, a, b, c, d]
        };
        let mark = |m: &Mark| {
            let [x, y, z] = from(m.position);
            let [u, v, w] = m.normal.map(|n| n as f32);
            let radius = (m.area.max(0.0) / core::f64::consts::PI).sqrt();
            [x, y, z, radius as f32, u, v, w, (needle * m.value) as f32]
        };
        let frame = |f: &Frame| {
            json!({
                "time": f.time,
                "poses": numbers(f.poses.iter().flat_map(pose)),
                "marks": numbers(f.marks.iter().flat_map(mark)),
            })
        };
        let kinds: Vec<u8> = self.bodies.iter().flat_map(|b| b.drawing.0.to_le_bytes()).collect();
        json!({
            "origin": origin,
            "needle": needle,
            "measure": self.measure,
            "notes": self.notes,
            "shapes": self.drawings.iter().map(|d| &d.json).collect::<Vec<_>>(),
            "kinds": STANDARD.encode(kinds),
            "scales": numbers(self.bodies.iter().map(|b| b.scale as f32)),
            "frames": frames.iter().map(frame).collect::<Vec<_>>(),
            "plots": self.plots,
        })
    }

    /// The middle of all bodies except planes in the first and the last frame, and their extent from it.
    fn extent(&self, frames: &[Frame]) -> ([f64; 3], f64) {
        let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
        for frame in [frames.first(), frames.last()].into_iter().flatten() {
            for (pose, body) in frame.poses.iter().zip(&self.bodies) {
                let reach = self.drawings.get(body.drawing.0 as usize).map_or(0.0, |d| d.reach * body.scale);
                if reach > 0.0 && pose.position.iter().all(|x| x.is_finite()) {
                    low = [0, 1, 2].map(|i| low[i].min(pose.position[i] - reach));
                    high = [0, 1, 2].map(|i| high[i].max(pose.position[i] + reach));
                }
            }
        }
        if low[0] > high[0] {
            return ([0.0; 3], 1.0);
        }
        let half = [0, 1, 2].map(|i| 0.5 * (high[i] - low[i]));
        ([0, 1, 2].map(|i| low[i] + half[i]), half.iter().map(|x| x * x).sum::<f64>().sqrt())
    }
}

/// 32-bit numbers as text.
fn numbers(all: impl IntoIterator<Item = f32>) -> String {
    STANDARD.encode(all.into_iter().flat_map(f32::to_le_bytes).collect::<Vec<u8>>())
}

/// The quaternion scaled to length 1; for length 0, that of no rotation.
fn unit(q: [f64; 4]) -> [f64; 4] {
    let most = q.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    if !(most > 0.0 && most.is_finite()) {
        return Pose::IDENTITY.orientation;
    }
    let length = most * q.iter().map(|x| (x / most) * (x / most)).sum::<f64>().sqrt();
    q.map(|x| x / length)
}

/// Escapes text for HTML.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_leaves_its_place() {
        let mut page = Page::new("</title><script>alert(1)</script> @SCENE@");
        page.note("</script><script>alert(2)</script>");
        page.plot("<b>", "", [Curve { name: "</script>", points: &[[0.0, f64::NAN]] }]);
        let html = page.to_html();
        assert_eq!(html.matches("<script").count(), 2);
        assert!(!html.contains("alert(1)</script>") && !html.contains("alert(2)</script>"));
        assert!(html.contains("&lt;/title&gt;"));
    }

    #[test]
    fn what_is_not_finite_or_not_there_is_left_out() {
        let mut page = Page::new("bad");
        let bad = Triangles {
            vertices: vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [f64::NAN, 0.0, 0.0]],
            indices: vec![[0, 1, 2], [0, 1, 3], [0, 1, 9]],
        };
        let drawing = page.mesh(&bad);
        page.body(Body { drawing, scale: 2.0 });
        let far = Pose { position: [1e7, 0.0, 0.0], orientation: [0.0; 4] };
        page.frame(0.0, [far, far], [Mark::default()]);
        let scene = page.scene();
        assert_eq!(scene["origin"], json!([1e7, 0.0, 0.0]));
        let count = |text: &Value| STANDARD.decode(text.as_str().unwrap()).unwrap().len() / 4;
        assert_eq!(count(&scene["shapes"][0]["indices"]), 3);
        assert_eq!(count(&scene["frames"][0]["poses"]), 7);
        assert_eq!(count(&scene["frames"][0]["marks"]), 8);
    }

    #[test]
    fn an_empty_page_has_one_frame() {
        let scene = Page::new("nothing").scene();
        assert_eq!(scene["frames"].as_array().unwrap().len(), 1);
    }
}
