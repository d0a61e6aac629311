//! Mesh files: STL (binary and ASCII), OBJ and PLY (ASCII and both binaries), read strictly and written simply.
//!
//! Every defect is an error with its place; nothing is repaired, guessed or left out. Degenerate, duplicate and
//! reversed triangles are no defects of a *file*: they are kept, and triangle ids follow the order of the file. The
//! inspection of the mesh reports them. Memory stays within a small multiple of the file's size, whatever counts the
//! file claims.
//!
//! STL is read by `stl_io` and PLY by `ply-rs-bw`: both are strict, maintained and allocate no unbounded memory. This
//! module adds places to their errors, and checks for what they ignore (trailing bytes, a second solid, surplus
//! numbers, elements declared twice, a binary file that begins with `solid`). The OBJ reader is part of this module,
//! since `tobj` gives no line numbers, renumbers vertices and skips unknown statements; tests compare with `tobj`.

mod error;
mod lines;
mod obj;
mod ply;
mod polygon;
mod stl;
mod write;

use crate::Triangles;
pub use error::{Defect, FileError, Place};
use std::fs::File;
use std::io::Read;
use std::path::Path;
pub use write::{encode, write};

/// Formats of mesh files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// STL; the content decides between binary and ASCII. Coordinates are f32, in ASCII too; every triangle has its own
    /// three vertices. Normals and attribute bytes are not read.
    Stl,
    /// Wavefront OBJ; vertices and faces are read, f64. Lines and points are ignored.
    Obj,
    /// PLY; vertices and faces are read, in the types that the file declares.
    Ply,
}

impl Format {
    /// The format by the extension of a file's name: `.stl`, `.obj`, `.ply` in any case.
    pub fn from_name(path: &Path) -> Option<Format> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        match extension.as_str() {
            "stl" => Some(Format::Stl),
            "obj" => Some(Format::Obj),
            "ply" => Some(Format::Ply),
            _ => None,
        }
    }

    /// The format by a file's first bytes and size. OBJ has no such mark and is never recognised.
    pub fn from_content(bytes: &[u8]) -> Option<Format> {
        let bytes = without_mark(bytes);
        if bytes.starts_with(b"ply\n") || bytes.starts_with(b"ply\r\n") {
            Some(Format::Ply)
        } else if stl::is_binary_of_right_size(bytes) || stl::begins_with_solid(bytes) {
            Some(Format::Stl)
        } else {
            None
        }
    }
}

/// The bytes after a UTF-8 byte order mark.
fn without_mark(bytes: &[u8]) -> &[u8] {
    match bytes.strip_prefix(b"\xef\xbb\xbf") {
        Some(text) if !stl::is_binary_of_right_size(bytes) => text,
        _ => bytes,
    }
}

/// Reads a mesh file; the name gives the format, else the content.
///
/// Polygons with more than three corners become fans about their first corner (k corners: k - 2 triangles with consecutive
/// ids), if they are convex. Errors: the first defect of the file, with its place.
pub fn read(path: impl AsRef<Path>) -> Result<Triangles, FileError> {
    let path = path.as_ref();
    read_bytes(path)
        .and_then(|bytes| {
            let format = Format::from_name(path).or_else(|| Format::from_content(&bytes)).ok_or_else(|| {
                FileError::new(
                    Defect::UnknownFormat,
                    Place::File,
                    "neither the name nor the content tells the format; name it .stl, .obj or .ply",
                )
            })?;
            parse(&bytes, format)
        })
        .map_err(|e| e.named(path))
}

/// Reads the content of a mesh file; as [`read`].
pub fn parse(bytes: &[u8], format: Format) -> Result<Triangles, FileError> {
    let bytes = without_mark(bytes);
    if bytes.is_empty() {
        return Err(FileError::new(Defect::Empty, Place::File, "the file is empty; export it again"));
    }
    let triangles = match format {
        Format::Stl => stl::parse(bytes),
        Format::Obj => obj::parse(bytes),
        Format::Ply => ply::parse(bytes),
    }?;
    if triangles.is_empty() {
        return Err(FileError::new(Defect::Empty, Place::File, "the file has no triangles; a mesh needs at least one"));
    }
    Ok(triangles)
}

fn read_bytes(path: &Path) -> Result<Vec<u8>, FileError> {
    let unreadable = |what: String| FileError::new(Defect::Unreadable, Place::File, what);
    // Checked before opening: opening a pipe would wait for its writer, and reading a device may never end.
    let kind = std::fs::metadata(path).map_err(|e| unreadable(format!("cannot be opened: {e}; check the path")))?;
    if kind.is_dir() {
        return Err(unreadable("is a directory; name a mesh file in it".into()));
    }
    if !kind.is_file() {
        return Err(unreadable("is not a regular file; copy the data into one".into()));
    }
    let mut bytes = Vec::new();
    File::open(path)
        .and_then(|mut f| f.read_to_end(&mut bytes))
        .map_err(|e| unreadable(format!("cannot be read: {e}; check its permissions")))?;
    Ok(bytes)
}

/// Ids have 32 bits; `u32::MAX` stands for no item.
fn id(n: usize, place: Place) -> Result<u32, FileError> {
    u32::try_from(n).ok().filter(|&i| i != u32::MAX).ok_or_else(|| {
        FileError::new(Defect::TooLarge, place, "more vertices or triangles than 32-bit ids can name; split the mesh")
    })
}
