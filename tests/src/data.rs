//! The files of `tests/data`. These functions panic: a missing or malformed file is a defect of the repository.

use crate::Triangle;
use std::path::PathBuf;

/// The path of a file.
pub fn path(name: &str) -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/data")).join(name)
}

/// The bytes of a file.
pub fn bytes(name: &str) -> Vec<u8> {
    std::fs::read(path(name)).unwrap_or_else(|e| panic!("tests/data/{name}: {e}"))
}

/// The little-endian f64 numbers of a file.
pub fn numbers(name: &str) -> Vec<f64> {
    bytes(name).chunks_exact(8).map(|b| f64::from_le_bytes(b.try_into().unwrap())).collect()
}

/// A JSON file.
pub fn json(name: &str) -> serde_json::Value {
    serde_json::from_slice(&bytes(name)).unwrap_or_else(|e| panic!("tests/data/{name}: {e}"))
}

/// The triangles of a binary STL file, as they are stored.
pub fn stl(name: &str) -> Vec<[[f32; 3]; 3]> {
    let bytes = bytes(name);
    let count = u32::from_le_bytes(bytes[80..84].try_into().unwrap()) as usize;
    assert_eq!(bytes.len(), 84 + 50 * count, "tests/data/{name}");
    let float = |at: usize| f32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
    (0..count).map(|i| [0, 1, 2].map(|v| [0, 1, 2].map(|c| float(84 + 50 * i + 12 + 12 * v + 4 * c)))).collect()
}

/// The triangles of a binary STL file in f64.
pub fn mesh(name: &str) -> Vec<Triangle> {
    stl(name).iter().map(|t| t.map(|v| v.map(f64::from))).collect()
}

/// The 2,700 reference pairs and their exact distances.
pub fn reference_pairs() -> Vec<(Triangle, Triangle, f64)> {
    let coordinates = numbers("triangle/general_pairs.f64le");
    let distances = numbers("triangle/general_pairs_dist.f64le");
    let triangle = |c: &[f64]| [0, 1, 2].map(|v| [0, 1, 2].map(|k| c[3 * v + k]));
    coordinates.chunks_exact(18).zip(distances).map(|(c, d)| (triangle(&c[..9]), triangle(&c[9..]), d)).collect()
}

/// Vertices without exact duplicates (-0 counts as 0), and three indices a triangle.
pub fn indexed(soup: &[Triangle]) -> (Vec<[f64; 3]>, Vec<[u32; 3]>) {
    let mut vertices = Vec::new();
    let mut seen = std::collections::BTreeMap::new();
    let mut index = |v: [f64; 3]| {
        *seen.entry(v.map(|x| (x + 0.0).to_bits())).or_insert_with(|| {
            vertices.push(v);
            vertices.len() as u32 - 1
        })
    };
    let triangles = soup.iter().map(|t| t.map(&mut index)).collect();
    (vertices, triangles)
}
