//! PLY through `ply-rs-bw`, element by element, so that every defect has its line or byte.

use super::lines::{finite, numbered, quoted, text};
use super::{Defect, FileError, Place, id, polygon};
use crate::Triangles;
use ply_rs_bw::parser::{ParseError, Parser, Reader as PlyReader};
use ply_rs_bw::ply::{ElementDef, Encoding, Header, Property, PropertyAccess, PropertyAccessResult, PropertyType};
use std::collections::BTreeSet;
use std::io::{Cursor, ErrorKind};

/// One vertex, one face, or one element of no interest.
#[derive(Default)]
struct Element {
    position: [Option<f64>; 3],
    corners: Option<Property>,
}

impl PropertyAccess for Element {
    fn new() -> Self {
        Element::default()
    }

    fn set_property(&mut self, name: &str, value: Property) -> PropertyAccessResult {
        match name {
            "x" => self.position[0] = number(&value),
            "y" => self.position[1] = number(&value),
            "z" => self.position[2] = number(&value),
            "vertex_indices" | "vertex_index" => self.corners = Some(value),
            _ => {}
        }
        PropertyAccessResult::Set
    }
}

fn number(value: &Property) -> Option<f64> {
    match *value {
        Property::Char(v) => Some(v.into()),
        Property::UChar(v) => Some(v.into()),
        Property::Short(v) => Some(v.into()),
        Property::UShort(v) => Some(v.into()),
        Property::Int(v) => Some(v.into()),
        Property::UInt(v) => Some(v.into()),
        Property::Float(v) => Some(v.into()),
        Property::Double(v) => Some(v),
        _ => None,
    }
}

pub(super) fn parse(bytes: &[u8]) -> Result<Triangles, FileError> {
    let mut reader = PlyReader::new(Cursor::new(bytes));
    let parser = Parser::<Element>::new();
    let header = parser.read_header(&mut reader).map_err(|e| header_error(&e, bytes))?;
    let line = reader.line() as u64;
    let start = reader.into_inner().position() as usize;
    check_header(bytes.get(..start).unwrap_or_default(), &header)?;
    let payload = bytes.get(start..).unwrap_or_default();
    let mut sink = Sink::new(&header);
    match header.encoding {
        Encoding::Ascii => ascii(&parser, &header, payload, line, &mut sink)?,
        _ => binary(&parser, &header, payload, start as u64, &mut sink)?,
    }
    sink.finish()
}

fn ascii(
    parser: &Parser<Element>,
    header: &Header,
    payload: &[u8],
    first: u64,
    sink: &mut Sink,
) -> Result<(), FileError> {
    let mut last = first;
    let mut lines = numbered(payload, first).filter(|(_, l)| !l.trim_ascii().is_empty());
    for element in header.elements.values() {
        for i in 0..element.count {
            let Some((number, line)) = lines.next() else {
                let message = format!(
                    "the file ends at {} {i} of {}; it is cut short, or its header is wrong: export it again",
                    element.name, element.count
                );
                return Err(FileError::new(Defect::Truncated, Place::Line(last), message));
            };
            last = number;
            let words = plain_numbers(text(line, number)?, number)?;
            check_word_count(element, &words, number)?;
            let value = parser
                .read_ascii_element(&words.join(" "), element)
                .map_err(|e| element_error(&e, element, i, Place::Line(number)))?;
            sink.element(element, i, value, Place::Line(number))?;
        }
    }
    match lines.next() {
        None => Ok(()),
        Some((number, _)) => Err(FileError::new(
            Defect::Count,
            Place::Line(number),
            "more lines follow than the header counts; the count is wrong or the file damaged: export it again",
        )),
    }
}

/// The words of a line, each a finite number, in a form that the reader accepts (with digits on both sides of the
/// point).
fn plain_numbers(line: &str, number: u64) -> Result<Vec<String>, FileError> {
    let plain = |word: &str| {
        finite(word, number)?;
        let (mantissa, exponent) = word.find(['e', 'E']).map_or((word, ""), |at| word.split_at(at));
        let (sign, digits) = mantissa.split_at(mantissa.len() - mantissa.trim_start_matches(['+', '-']).len());
        let lead = if digits.starts_with('.') { "0" } else { "" };
        let tail = if digits.ends_with('.') { "0" } else { "" };
        // A plus sign is dropped, since the reader refuses it for integers.
        Ok(format!("{}{lead}{digits}{tail}{exponent}", sign.trim_start_matches('+')))
    };
    line.split_whitespace().map(plain).collect()
}

/// Refuses surplus numbers in a line, which the reader ignores.
fn check_word_count(element: &ElementDef, words: &[String], number: u64) -> Result<(), FileError> {
    let mut rest = words;
    for property in element.properties.values() {
        let take = match property.data_type {
            PropertyType::Scalar(_) => 1,
            PropertyType::List(..) => rest.first().and_then(|w| w.parse::<usize>().ok()).unwrap_or(0).saturating_add(1),
        };
        match rest.get(take..) {
            Some(tail) => rest = tail,
            None => {
                let message = format!(
                    "{} has {} numbers, fewer than its {} needs; repair the line or export the file again",
                    element.name,
                    words.len(),
                    quoted(&property.name)
                );
                return Err(FileError::new(Defect::Syntax, Place::Line(number), message));
            }
        }
    }
    if rest.is_empty() {
        return Ok(());
    }
    let message = format!(
        "{} has {} numbers more than the header declares; repair the line or export the file again",
        element.name,
        rest.len()
    );
    Err(FileError::new(Defect::Syntax, Place::Line(number), message))
}

fn binary(
    parser: &Parser<Element>,
    header: &Header,
    payload: &[u8],
    start: u64,
    sink: &mut Sink,
) -> Result<(), FileError> {
    let mut cursor = Cursor::new(payload);
    for element in header.elements.values() {
        for i in 0..element.count {
            let place = Place::Byte(start + cursor.position());
            let value = if header.encoding == Encoding::BinaryBigEndian {
                parser.read_big_endian_element(&mut cursor, element)
            } else {
                parser.read_little_endian_element(&mut cursor, element)
            };
            let value = value.map_err(|e| element_error(&e, element, i, place))?;
            sink.element(element, i, value, place)?;
        }
    }
    let rest = payload.len() as u64 - cursor.position();
    if rest == 0 {
        return Ok(());
    }
    let message = format!(
        "{rest} bytes follow the last element; the counts in the header are wrong or the file damaged: export it again"
    );
    Err(FileError::new(Defect::Count, Place::Byte(start + cursor.position()), message))
}

/// Receives elements from the reader, and makes triangles of them.
struct Sink {
    out: Triangles,
    vertices: usize,
    /// Polygons with more than three corners, checked when all vertices are read.
    polygons: Vec<(Place, Vec<u32>)>,
}

impl Sink {
    fn new(header: &Header) -> Self {
        let vertices = header.elements.get("vertex").map_or(0, |e| e.count);
        Sink { out: Triangles::default(), vertices, polygons: Vec::new() }
    }

    fn element(&mut self, def: &ElementDef, i: usize, value: Element, place: Place) -> Result<(), FileError> {
        match def.name.as_str() {
            "vertex" => self.vertex(i, value, place),
            "face" => self.face(i, value, place),
            _ => Ok(()),
        }
    }

    fn vertex(&mut self, i: usize, value: Element, place: Place) -> Result<(), FileError> {
        let [Some(x), Some(y), Some(z)] = value.position else {
            return Err(FileError::new(
                Defect::Syntax,
                place,
                format!("vertex {i} has no x, y, z; export the file again"),
            ));
        };
        if let Some(c) = [x, y, z].iter().position(|x| !x.is_finite()) {
            let message =
                format!("vertex {i}: component {c} is NaN, infinite or too large for its type; repair the vertex");
            return Err(FileError::new(Defect::NotFinite, place, message));
        }
        id(self.out.vertices.len(), place)?;
        self.out.vertices.push([x, y, z]);
        Ok(())
    }

    fn face(&mut self, i: usize, value: Element, place: Place) -> Result<(), FileError> {
        let corners = value.corners.as_ref().and_then(Property::to_u32_list).ok_or_else(|| {
            let message =
                format!("face {i} has a negative or fractional vertex id; ids are integers from 0: repair the face");
            FileError::new(Defect::Index, place, message)
        })?;
        if corners.len() < 3 {
            let message = format!("face {i} has {} corners; it needs at least three", corners.len());
            return Err(FileError::new(Defect::Polygon, place, message));
        }
        if let Some(v) = corners.iter().find(|&&v| v as usize >= self.vertices) {
            let message = format!(
                "face {i}: vertex {v} does not exist, ids end at {}; repair the face",
                self.vertices as i64 - 1
            );
            return Err(FileError::new(Defect::Index, place, message));
        }
        for triangle in polygon::fan(&corners) {
            id(self.out.indices.len(), place)?;
            self.out.indices.push(triangle);
        }
        if corners.len() > 3 {
            self.polygons.push((place, corners));
        }
        Ok(())
    }

    fn finish(self) -> Result<Triangles, FileError> {
        let Sink { out, polygons, .. } = self;
        for (place, corners) in polygons {
            let at: Vec<[f64; 3]> = corners.iter().filter_map(|&v| out.vertices.get(v as usize).copied()).collect();
            if !polygon::fan_is_faithful(&at) {
                return Err(FileError::new(Defect::Polygon, place, format!("the face {}", polygon::NOT_CONVEX)));
            }
        }
        Ok(out)
    }
}

/// Refuses headers that the reader accepts: names declared twice (the second would replace the first), elements without
/// properties (they take no bytes, so any count would fit), vertices without x y z, faces without corners.
fn check_header(header_bytes: &[u8], header: &Header) -> Result<(), FileError> {
    let (mut elements, mut properties) = (BTreeSet::new(), BTreeSet::new());
    let mut lines = std::collections::BTreeMap::new();
    for (number, line) in numbered(header_bytes, 1) {
        let words: Vec<&str> = text(line, number)?.split_whitespace().collect();
        let fresh = match words.as_slice() {
            ["element", name, ..] => {
                properties.clear();
                lines.insert(*name, number);
                elements.insert(*name)
            }
            ["property", .., name] => properties.insert(*name),
            _ => true,
        };
        if !fresh {
            let message = format!("{} is declared twice; rename or remove one", quoted(words.last().unwrap_or(&"")));
            return Err(FileError::new(Defect::Syntax, Place::Line(number), message));
        }
    }
    for element in header.elements.values() {
        let place = lines.get(element.name.as_str()).map_or(Place::File, |&n| Place::Line(n));
        check_element(element, place)?;
    }
    Ok(())
}

fn check_element(element: &ElementDef, place: Place) -> Result<(), FileError> {
    let scalar = |name| matches!(element.properties.get(name).map(|p| &p.data_type), Some(PropertyType::Scalar(_)));
    let list = |name| matches!(element.properties.get(name).map(|p| &p.data_type), Some(PropertyType::List(..)));
    let fail = |defect, message: String| Err(FileError::new(defect, place, message));
    let name = element.name.as_str();
    if element.count == 0 {
        return Ok(());
    }
    if element.properties.is_empty() {
        return fail(Defect::Syntax, format!("element {} has no properties; remove it", quoted(name)));
    }
    if name == "vertex" && !["x", "y", "z"].into_iter().all(scalar) {
        return fail(Defect::Syntax, "vertices have no x, y, z; export the file with positions".into());
    }
    if name == "face" && list("vertex_indices") == list("vertex_index") {
        return fail(
            Defect::Syntax,
            "faces need exactly one list `vertex_indices` (or `vertex_index`); export the file again".into(),
        );
    }
    if name == "tristrips" {
        return fail(Defect::Unsupported, "triangle strips are not read; export the file with faces".into());
    }
    Ok(())
}

fn header_error(error: &ParseError, bytes: &[u8]) -> FileError {
    let line = error.line().map(|n| n as u64);
    let place = line.map_or(Place::File, Place::Line);
    if error.kind() == ErrorKind::UnexpectedEof {
        return FileError::new(Defect::Truncated, place, "the file ends within its header; export it again");
    }
    let words = line.and_then(|n| numbered(bytes, 1).find(|(number, _)| *number == n));
    match words {
        Some((number, line)) => match text(line, number) {
            Ok(words) => {
                let message = format!(
                    "{} is not what a PLY header has here (ply, format, comment, element, property, end_header); repair it or check the file's format",
                    quoted(words)
                );
                FileError::new(Defect::Syntax, place, message)
            }
            Err(e) => e,
        },
        None => FileError::new(Defect::Syntax, place, format!("no PLY header: {error}; check the file's format")),
    }
}

fn element_error(error: &ParseError, element: &ElementDef, i: usize, place: Place) -> FileError {
    let name = &element.name;
    if error.kind() == ErrorKind::UnexpectedEof {
        let message = format!(
            "the file ends within {name} {i} of {}; it is cut short, or its header is wrong: export it again",
            element.count
        );
        return FileError::new(Defect::Truncated, place, message);
    }
    let reason = error.to_string();
    let reason = reason.lines().last().unwrap_or_default().trim();
    let message =
        format!("{name} {i} does not fit what the header declares ({reason}); repair it or export the file again");
    FileError::new(Defect::Syntax, place, message)
}
