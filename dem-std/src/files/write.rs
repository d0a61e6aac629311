//! Writing mesh files: binary STL, OBJ, binary PLY.

use super::{Defect, FileError, Format, Place};
use crate::Triangles;
use dem_core::real::Real;
use std::fmt::Write as _;
use std::path::Path;

/// Writes `triangles` to a file; the name gives the format.
///
/// OBJ and PLY keep every bit of the vertices, their order and sharing; STL rounds coordinates to f32 and replicates
/// vertices. Errors: as [`encode`], an unknown extension, or an error of the operating system.
pub fn write(path: impl AsRef<Path>, triangles: &Triangles) -> Result<(), FileError> {
    let path = path.as_ref();
    let format = Format::from_name(path).ok_or_else(|| {
        let message = "the name does not tell the format; name it .stl, .obj or .ply";
        FileError::new(Defect::UnknownFormat, Place::File, message).named(path)
    })?;
    let bytes = encode(triangles, format).map_err(|e| e.named(path))?;
    std::fs::write(path, bytes).map_err(|e| {
        let message = format!("cannot be written: {e}; check the path and its permissions");
        FileError::new(Defect::Unreadable, Place::File, message).named(path)
    })
}

/// The bytes of a mesh file: binary STL, OBJ, or binary little-endian PLY.
///
/// Errors: [`Defect::Index`] where an index is out of range, [`Defect::NotFinite`] where a coordinate is not finite or
/// does not fit STL's f32.
pub fn encode(triangles: &Triangles, format: Format) -> Result<Vec<u8>, FileError> {
    check(triangles, format)?;
    match format {
        Format::Stl => stl(triangles),
        Format::Obj => Ok(obj(triangles)),
        Format::Ply => Ok(ply(triangles)),
    }
}

fn check(triangles: &Triangles, format: Format) -> Result<(), FileError> {
    let n = triangles.vertices.len();
    let fits = |x: f64| x.is_finite() && (format != Format::Stl || (x as f32).is_finite());
    if let Some(i) = triangles.vertices.iter().position(|v| !v.iter().all(|&x| fits(x))) {
        let message =
            format!("vertex {i} is not finite, or too large for the 32 bits of STL; repair it or write OBJ or PLY");
        return Err(FileError::new(Defect::NotFinite, Place::File, message));
    }
    if let Some(i) = triangles.indices.iter().position(|t| t.iter().any(|&v| v as usize >= n)) {
        let message = format!("triangle {i} names a vertex beyond the {n} there are; repair it");
        return Err(FileError::new(Defect::Index, Place::File, message));
    }
    Ok(())
}

fn stl(triangles: &Triangles) -> Result<Vec<u8>, FileError> {
    let records = (0..triangles.len()).map(|i| {
        let corners = triangles.triangle(i);
        stl_io::Triangle {
            normal: stl_io::Normal::new(unit_normal(corners).map(|x| x as f32)),
            vertices: corners.map(|v| stl_io::Vertex::new(v.map(|x| x as f32))),
        }
    });
    let mut bytes = Vec::with_capacity(84 + 50 * triangles.len());
    stl_io::write_stl(&mut bytes, records)
        .map_err(|e| FileError::new(Defect::TooLarge, Place::File, format!("cannot be written as STL: {e}")))?;
    Ok(bytes)
}

/// Unit normal by the right-hand rule; zero for degenerate triangles.
fn unit_normal([a, b, c]: [[f64; 3]; 3]) -> [f64; 3] {
    let (u, v) = ([0, 1, 2].map(|k| b[k] - a[k]), [0, 1, 2].map(|k| c[k] - a[k]));
    let n = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
    let length = Real::sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    if length > 0.0 && length.is_finite() { n.map(|x| x / length) } else { [0.0; 3] }
}

fn obj(triangles: &Triangles) -> Vec<u8> {
    let mut text = String::new();
    // Writing to a string cannot fail; the shortest decimal form reads back to the same bits.
    for [x, y, z] in &triangles.vertices {
        let _ = writeln!(text, "v {x:?} {y:?} {z:?}");
    }
    for t in &triangles.indices {
        let [a, b, c] = t.map(|v| v as u64 + 1);
        let _ = writeln!(text, "f {a} {b} {c}");
    }
    text.into_bytes()
}

fn ply(triangles: &Triangles) -> Vec<u8> {
    let mut bytes = format!(
        "ply\nformat binary_little_endian 1.0\nelement vertex {}\nproperty double x\nproperty double y\nproperty double z\n\
         element face {}\nproperty list uchar uint vertex_indices\nend_header\n",
        triangles.vertices.len(),
        triangles.len()
    )
    .into_bytes();
    triangles.vertices.iter().flatten().for_each(|x| bytes.extend(x.to_le_bytes()));
    for t in &triangles.indices {
        bytes.push(3);
        t.iter().for_each(|v| bytes.extend(v.to_le_bytes()));
    }
    bytes
}
