//! Wavefront OBJ: vertices and faces, line by line.

use super::lines::{finite, numbered, quoted, text};
use super::{Defect, FileError, Place, id, polygon};
use crate::Triangles;

/// Statements that carry no triangles: normals, texture, names, materials, points, lines, display.
const PASSED_OVER: &[&str] = &[
    "vn",
    "vt",
    "vp",
    "o",
    "g",
    "s",
    "mg",
    "usemtl",
    "mtllib",
    "usemap",
    "maplib",
    "l",
    "p",
    "bevel",
    "c_interp",
    "d_interp",
    "lod",
    "shadow_obj",
    "trace_obj",
];

/// Statements of other kinds of surfaces; ignoring them would lose parts of the body.
const OTHER_SURFACES: &[&str] = &[
    "cstype", "deg", "bmat", "step", "curv", "curv2", "surf", "parm", "trim", "hole", "scrv", "sp", "end", "con",
    "call", "csh", "cdc", "cdp", "bzp", "bsp", "res",
];

#[derive(Default)]
struct Reader {
    out: Triangles,
    /// Corners of faces whose vertices have not been read yet, with their lines.
    ahead: Vec<(u64, u32)>,
    /// Polygons with more than three corners, checked when all vertices are read.
    polygons: Vec<(u64, Vec<u32>)>,
}

pub(super) fn parse(bytes: &[u8]) -> Result<Triangles, FileError> {
    let mut reader = Reader::default();
    let mut joined = String::new();
    let mut lines = numbered(bytes, 1).peekable();
    while let Some((number, line)) = lines.next() {
        let part = text(line, number)?;
        // A backslash at the end continues a line.
        if let Some(head) = part.strip_suffix('\\')
            && lines.peek().is_some()
        {
            joined.push_str(head);
            joined.push(' ');
            continue;
        }
        if joined.is_empty() {
            reader.statement(part, number)?;
        } else {
            joined.push_str(part);
            reader.statement(&std::mem::take(&mut joined), number)?;
        }
    }
    reader.finish()
}

impl Reader {
    fn statement(&mut self, line: &str, number: u64) -> Result<(), FileError> {
        let line = line.split_once('#').map_or(line, |(before, _)| before);
        let mut words = line.split_whitespace();
        let Some(keyword) = words.next() else { return Ok(()) };
        let words: Vec<&str> = words.collect();
        match keyword {
            "v" => self.vertex(&words, number),
            "f" | "fo" => self.face(&words, number),
            k if PASSED_OVER.contains(&k) => Ok(()),
            k if OTHER_SURFACES.contains(&k) => Err(FileError::new(
                Defect::Unsupported,
                Place::Line(number),
                format!("{} belongs to a curve or a free-form surface; triangulate it when exporting", quoted(k)),
            )),
            k => Err(FileError::new(
                Defect::Syntax,
                Place::Line(number),
                format!("{} is no OBJ statement; repair or remove the line, or check the file's format", quoted(k)),
            )),
        }
    }

    fn vertex(&mut self, words: &[&str], number: u64) -> Result<(), FileError> {
        let place = Place::Line(number);
        let mut values = [0.0; 7];
        // Three coordinates; then nothing, a weight, a colour, or a colour with opacity.
        if !matches!(words.len(), 3 | 4 | 6 | 7) {
            let message = format!("a vertex has {} numbers; write x y z", words.len());
            return Err(FileError::new(Defect::Syntax, place, message));
        }
        for (value, word) in values.iter_mut().zip(words) {
            *value = finite(word, number)?;
        }
        let [x, y, z, weight, ..] = values;
        if words.len() == 4 && weight != 1.0 {
            let message = format!("a vertex with weight {weight} belongs to a rational curve; write x y z only");
            return Err(FileError::new(Defect::Unsupported, place, message));
        }
        id(self.out.vertices.len(), place)?;
        self.out.vertices.push([x, y, z]);
        Ok(())
    }

    fn face(&mut self, words: &[&str], number: u64) -> Result<(), FileError> {
        let place = Place::Line(number);
        if words.len() < 3 {
            let message = format!("a face has {} corners; it needs at least three", words.len());
            return Err(FileError::new(Defect::Polygon, place, message));
        }
        let corners: Vec<u32> = words.iter().map(|w| self.corner(w, number)).collect::<Result<_, _>>()?;
        for triangle in polygon::fan(&corners) {
            id(self.out.indices.len(), place)?;
            self.out.indices.push(triangle);
        }
        let read = self.out.vertices.len();
        self.ahead.extend(corners.iter().filter(|&&v| v as usize >= read).map(|&v| (number, v)));
        if corners.len() > 3 {
            self.polygons.push((number, corners));
        }
        Ok(())
    }

    /// Vertex id of `v`, `v/vt`, `v//vn` or `v/vt/vn`.
    fn corner(&self, word: &str, number: u64) -> Result<u32, FileError> {
        let syntax = || {
            let message = format!("{} is no corner of a face; write v, v/vt, v//vn or v/vt/vn", quoted(word));
            FileError::new(Defect::Syntax, Place::Line(number), message)
        };
        let mut parts = word.split('/');
        let index: i64 = parts.next().unwrap_or_default().parse().map_err(|_| syntax())?;
        let others: Vec<&str> = parts.collect();
        let is_index = |w: &str| w.parse::<i64>().is_ok_and(|i| i != 0);
        let others_fit = match others.as_slice() {
            [] => true,
            [vt] => is_index(vt),
            [vt, vn] => (vt.is_empty() || is_index(vt)) && is_index(vn),
            _ => false,
        };
        if !others_fit {
            return Err(syntax());
        }
        let read = self.out.vertices.len() as i64;
        let zero_based = if index > 0 { index - 1 } else { read.saturating_add(index) };
        if index == 0 || zero_based < 0 {
            let message = format!(
                "vertex {index} does not exist: ids begin at 1, and -1 is the last of the {read} vertices above this line; repair the face"
            );
            return Err(FileError::new(Defect::Index, Place::Line(number), message));
        }
        u32::try_from(zero_based).map_err(|_| missing(number, index, None))
    }

    fn finish(self) -> Result<Triangles, FileError> {
        let Reader { out, ahead, polygons } = self;
        if let Some(&(number, v)) = ahead.iter().find(|(_, v)| *v as usize >= out.vertices.len()) {
            return Err(missing(number, v as i64 + 1, Some(out.vertices.len())));
        }
        for (number, corners) in polygons {
            let at: Vec<[f64; 3]> = corners.iter().filter_map(|&v| out.vertices.get(v as usize).copied()).collect();
            if !polygon::fan_is_faithful(&at) {
                let message = format!("the face {}", polygon::NOT_CONVEX);
                return Err(FileError::new(Defect::Polygon, Place::Line(number), message));
            }
        }
        Ok(out)
    }
}

fn missing(number: u64, index: i64, vertices: Option<usize>) -> FileError {
    let count = vertices.map_or(String::new(), |n| format!(" (the file has {n})"));
    let message = format!("vertex {index} does not exist{count}; repair the face or export the file again");
    FileError::new(Defect::Index, Place::Line(number), message)
}
