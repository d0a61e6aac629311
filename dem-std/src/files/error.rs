//! Errors of mesh files: the defect, its place, and the remedy.

use std::fmt;
use std::path::{Path, PathBuf};

/// The kinds of defects that a file can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Defect {
    /// It cannot be opened or read: missing, no permission, a directory, a device.
    Unreadable,
    /// Neither the name nor the content identifies the format.
    UnknownFormat,
    /// It has no triangles.
    Empty,
    /// It is truncated.
    Truncated,
    /// A count in the file does not agree with the data that follows.
    Count,
    /// The text or data at this place is not valid in the format.
    Syntax,
    /// A coordinate is NaN, infinite, or too large for its type.
    NotFinite,
    /// A face names a vertex that does not exist.
    Index,
    /// A face has fewer than three corners, or is a polygon that is not convex.
    Polygon,
    /// The format allows it, but this reader does not: triangle strips, free-form surfaces.
    Unsupported,
    /// More vertices or triangles than 32-bit ids can name.
    TooLarge,
}

/// A place in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    /// The file as a whole.
    File,
    /// A line, counted from 1.
    Line(u64),
    /// A byte, counted from 0.
    Byte(u64),
}

/// A defect of a file. `Display` writes `FILE: line N: what is wrong; what to do`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileError {
    /// Name of the file; empty if bytes were given.
    pub path: PathBuf,
    /// The kind of the defect.
    pub defect: Defect,
    /// Its place.
    pub place: Place,
    /// What is wrong, and what to do about it.
    pub message: String,
}

impl FileError {
    pub(crate) fn new(defect: Defect, place: Place, message: impl Into<String>) -> Self {
        FileError { path: PathBuf::new(), defect, place, message: message.into() }
    }

    pub(crate) fn named(self, path: &Path) -> Self {
        FileError { path: path.to_path_buf(), ..self }
    }
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.path.as_os_str().is_empty() {
            write!(f, "{}: ", self.path.display())?;
        }
        match self.place {
            Place::File => {}
            Place::Line(n) => write!(f, "line {n}: ")?,
            Place::Byte(n) => write!(f, "byte {n}: ")?,
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for FileError {}
