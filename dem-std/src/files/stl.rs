//! STL, binary and ASCII, through `stl_io`.
//!
//! This module adds: the decision between binary and ASCII (by size, since many binary files begin with the word
//! `solid`), places of errors, several solids in one file, and checks of trailing bytes and of the count in a binary
//! file.

use super::lines::{numbered, quoted, text};
use super::{Defect, FileError, Place, id};
use crate::Triangles;
use std::cell::Cell;
use std::io::{ErrorKind, Read, Seek, SeekFrom};

const HEADER: usize = 84;
const RECORD: usize = 50;
/// Bytes of a record before its first vertex: the normal.
const NORMAL: usize = 12;

/// The count in a binary file's header.
fn count(bytes: &[u8]) -> Option<u64> {
    let field = bytes.get(80..HEADER)?.try_into().ok()?;
    Some(u32::from_le_bytes(field) as u64)
}

/// Whether the size is exactly that of a binary file with the count in its header.
pub(super) fn is_binary_of_right_size(bytes: &[u8]) -> bool {
    count(bytes).is_some_and(|n| bytes.len() as u64 == HEADER as u64 + RECORD as u64 * n)
}

/// Whether the first word is `solid`.
pub(super) fn begins_with_solid(bytes: &[u8]) -> bool {
    let word = bytes.trim_ascii_start();
    word.get(..5).is_some_and(|w| w.eq_ignore_ascii_case(b"solid"))
        && word.get(5).is_none_or(|b| b.is_ascii_whitespace())
}

pub(super) fn parse(bytes: &[u8]) -> Result<Triangles, FileError> {
    // Numbers in binary files have many zero bytes, text has none.
    let is_text = begins_with_solid(bytes) && !bytes.contains(&0);
    if !is_binary_of_right_size(bytes) && is_text { ascii(bytes) } else { binary(bytes) }
}

fn binary(bytes: &[u8]) -> Result<Triangles, FileError> {
    check_size(bytes)?;
    let mut source = Blanked { bytes, at: 0 };
    let reader = stl_io::create_stl_reader(&mut source).map_err(|e| unexpected(&e, Place::File))?;
    let mut out = Soup::default();
    for (i, triangle) in reader.enumerate() {
        let start = HEADER + RECORD * i;
        let triangle = triangle.map_err(|e| unexpected(&e, Place::Byte(start as u64)))?;
        let corners = triangle.vertices.map(|v| v.0);
        if let Some(k) = corners.as_flattened().iter().position(|x| !x.is_finite()) {
            let message = format!(
                "triangle {i}, corner {}: component {} is NaN or infinite; remove or repair the triangle",
                k / 3,
                k % 3
            );
            let place = Place::Byte((start + NORMAL + 4 * k) as u64);
            return Err(FileError::new(Defect::NotFinite, place, message));
        }
        out.push(corners, Place::Byte(start as u64))?;
    }
    Ok(out.0)
}

fn check_size(bytes: &[u8]) -> Result<(), FileError> {
    let size = bytes.len() as u64;
    let Some(n) = count(bytes) else {
        let message = format!(
            "the file ends after {size} bytes, and is neither ASCII STL (which begins with `solid`) nor binary STL (at least 84 bytes); export it again"
        );
        return Err(FileError::new(Defect::Truncated, Place::Byte(size), message));
    };
    let needed = HEADER as u64 + RECORD as u64 * n;
    if size < needed {
        let whole = (size - HEADER as u64) / RECORD as u64;
        let message = format!(
            "the header counts {n} triangles ({needed} bytes), but the file ends within triangle {whole}; it is cut short, or no STL: export it again"
        );
        return Err(FileError::new(Defect::Truncated, Place::Byte(size), message));
    }
    if size > needed {
        let message = format!(
            "the header counts {n} triangles, but {} bytes follow the last one; the count is wrong or the file damaged: export it again",
            size - needed
        );
        return Err(FileError::new(Defect::Count, Place::Byte(needed), message));
    }
    Ok(())
}

fn ascii(bytes: &[u8]) -> Result<Triangles, FileError> {
    let lines: Vec<(u64, &[u8])> = numbered(bytes, 1).collect();
    let next = Cell::new(0);
    let mut out = Soup::default();
    // One iteration for each solid, since the reader stops at `endsolid`.
    while let Some(&(number, line)) = lines.get(next.get()) {
        if line.trim_ascii().is_empty() {
            next.set(next.get() + 1);
            continue;
        }
        if !begins_with_solid(line) {
            let message = format!("{} stands outside of `solid ... endsolid`; remove it", quoted(text(line, number)?));
            return Err(FileError::new(Defect::Syntax, Place::Line(number), message));
        }
        let mut source = Lines { lines: &lines, start: next.get(), next: &next, pending: Vec::new(), at: 0 };
        let reader = stl_io::create_stl_reader(&mut source).map_err(|e| unexpected(&e, Place::Line(number)))?;
        for triangle in reader {
            let at = lines.get(next.get().wrapping_sub(1)).copied().unwrap_or((1, b""));
            let triangle = triangle.map_err(|e| ascii_error(&e, at))?;
            out.push(triangle.vertices.map(|v| v.0), Place::Line(at.0))?;
        }
    }
    Ok(out.0)
}

/// Gives the reader's error its kind and place: `at` is the last line that it has seen.
fn ascii_error(error: &std::io::Error, (number, line): (u64, &[u8])) -> FileError {
    let place = Place::Line(number);
    if error.kind() == ErrorKind::UnexpectedEof {
        let message = "the file ends without `endsolid`; it is cut short: export it again";
        return FileError::new(Defect::Truncated, place, message);
    }
    let words = match text(line, number) {
        Ok(words) => words,
        Err(e) => return e,
    };
    let is_vertex = words.split_whitespace().next().is_some_and(|w| w.eq_ignore_ascii_case("vertex"));
    if is_vertex && words.split_whitespace().any(|w| w.parse::<f32>().is_ok_and(|x| !x.is_finite())) {
        let message = format!(
            "{} has a coordinate that is not finite or too large for 32 bits; remove or repair the triangle",
            quoted(words)
        );
        return FileError::new(Defect::NotFinite, place, message);
    }
    let message = format!(
        "{} is not what ASCII STL has here (facet normal, outer loop, three vertex lines, endloop, endfacet); repair or export it again ({error})",
        quoted(words)
    );
    FileError::new(Defect::Syntax, place, message)
}

fn unexpected(error: &std::io::Error, place: Place) -> FileError {
    FileError::new(Defect::Syntax, place, format!("cannot be read as STL: {error}; export it again"))
}

/// Triangles with vertices of their own.
#[derive(Default)]
struct Soup(Triangles);

impl Soup {
    fn push(&mut self, corners: [[f32; 3]; 3], place: Place) -> Result<(), FileError> {
        let first = self.0.vertices.len();
        id(first + 2, place)?;
        self.0.vertices.extend(corners.map(|v| v.map(f64::from)));
        self.0.indices.push([0, 1, 2].map(|k| (first + k) as u32));
        Ok(())
    }
}

/// A binary file whose 80 free header bytes read as zeros, so that no text in them can pass for an ASCII file.
struct Blanked<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Read for Blanked<'_> {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let n = rest.len().min(out.len());
        for (k, (to, from)) in out.iter_mut().zip(rest).enumerate() {
            *to = if self.at + k < 80 { 0 } else { *from };
        }
        self.at += n;
        Ok(n)
    }
}

impl Seek for Blanked<'_> {
    fn seek(&mut self, to: SeekFrom) -> std::io::Result<u64> {
        match to {
            SeekFrom::Start(n) => self.at = n as usize,
            _ => return Err(ErrorKind::Unsupported.into()),
        }
        Ok(self.at as u64)
    }
}

/// Gives one line for each `read`, so that a buffered reader never reads ahead, and `next` is the index after the
/// current line.
struct Lines<'a> {
    lines: &'a [(u64, &'a [u8])],
    start: usize,
    next: &'a Cell<usize>,
    pending: Vec<u8>,
    at: usize,
}

impl Lines<'_> {
    /// The line in the form that the reader accepts: keywords in small letters, a name after `solid`, zeros for the
    /// normal (which is not used, and which exporters write as NaN for degenerate triangles).
    fn plain(&self, line: &[u8]) -> Vec<u8> {
        if self.next.get() == self.start {
            return b"solid x\n".to_vec();
        }
        let mut plain = line.to_ascii_lowercase();
        if let Ok(words) = std::str::from_utf8(&plain) {
            let words: Vec<&str> = words.split_whitespace().collect();
            if let ["facet", "normal", numbers @ ..] = words.as_slice()
                && numbers.len() == 3
                && numbers.iter().all(|w| w.parse::<f32>().is_ok())
            {
                plain = b"facet normal 0 0 0".to_vec();
            }
        }
        plain.push(b'\n');
        plain
    }
}

impl Read for Lines<'_> {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        if self.at >= self.pending.len() {
            let Some(&(_, line)) = self.lines.get(self.next.get()) else { return Ok(0) };
            self.pending = self.plain(line);
            self.at = 0;
            self.next.set(self.next.get() + 1);
        }
        let rest = self.pending.get(self.at..).unwrap_or_default();
        let n = rest.len().min(out.len());
        out.iter_mut().zip(rest).for_each(|(to, from)| *to = *from);
        self.at += n;
        Ok(n)
    }
}

impl Seek for Lines<'_> {
    /// Seeks to the beginning of this solid, the only seek of the reader (after it has read the first line).
    fn seek(&mut self, to: SeekFrom) -> std::io::Result<u64> {
        if to != SeekFrom::Start(0) {
            return Err(ErrorKind::Unsupported.into());
        }
        self.next.set(self.start);
        self.pending.clear();
        self.at = 0;
        Ok(0)
    }
}
