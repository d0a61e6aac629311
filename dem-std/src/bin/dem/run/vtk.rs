//! VTK XML files: points and polygons with data, and series of them over time.
//!
//! Data is base64 of little-endian bytes, preceded by the number of bytes as u64, as specified in "The VTK User's Guide" for `format="binary"` with
//! `header_type="UInt64"`.

use base64::{Engine, engine::general_purpose::STANDARD};
use std::fmt::Write;

/// A file of points and their data.
#[derive(Default)]
pub struct PolyData {
    points: usize,
    coordinates: String,
    polygons: Option<[String; 2]>,
    triangles: usize,
    data: String,
}

impl PolyData {
    /// A file with these points. Without triangles, each point is a vertex.
    pub fn new(points: &[[f64; 3]]) -> Self {
        let mut made = PolyData { points: points.len(), ..PolyData::default() };
        array(&mut made.coordinates, "Points", "Float64", 3, points.iter().flatten().map(|x| x.to_le_bytes()));
        made
    }

    /// Adds triangles of the points.
    pub fn triangles(mut self, triangles: &[[u32; 3]]) -> Self {
        let (mut corners, mut ends) = (String::new(), String::new());
        let whole = |v: &u32| i64::from(*v).to_le_bytes();
        array(&mut corners, "connectivity", "Int64", 1, triangles.iter().flatten().map(whole));
        array(&mut ends, "offsets", "Int64", 1, (1..=triangles.len()).map(|k| (3 * k as i64).to_le_bytes()));
        self.triangles = triangles.len();
        self.polygons = Some([corners, ends]);
        self
    }

    /// Adds data of the points, `N` numbers for each.
    pub fn numbers<const N: usize>(mut self, name: &str, values: impl Iterator<Item = [f64; N]>) -> Self {
        array(&mut self.data, name, "Float64", N, values.flatten().map(f64::to_le_bytes));
        self
    }

    /// Adds a whole number for each point.
    pub fn whole(mut self, name: &str, values: impl Iterator<Item = u64>) -> Self {
        array(&mut self.data, name, "UInt64", 1, values.map(u64::to_le_bytes));
        self
    }

    /// The text of the file.
    pub fn to_xml(&self) -> String {
        let mut xml = String::from("<?xml version=\"1.0\"?>\n");
        xml += "<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n<PolyData>\n";
        let (points, polys) = (self.points, self.triangles);
        let vertices = if self.polygons.is_some() { 0 } else { points };
        _ = writeln!(xml, "<Piece NumberOfPoints=\"{points}\" NumberOfVerts=\"{vertices}\" NumberOfPolys=\"{polys}\">");
        _ = writeln!(xml, "<Points>\n{}</Points>\n<PointData>\n{}</PointData>", self.coordinates, self.data);
        if let Some([corners, ends]) = &self.polygons {
            _ = writeln!(xml, "<Polys>\n{corners}{ends}</Polys>");
        } else {
            let (mut own, mut ends) = (String::new(), String::new());
            array(&mut own, "connectivity", "Int64", 1, (0..points as i64).map(i64::to_le_bytes));
            array(&mut ends, "offsets", "Int64", 1, (1..=points as i64).map(i64::to_le_bytes));
            _ = writeln!(xml, "<Verts>\n{own}{ends}</Verts>");
        }
        xml + "</Piece>\n</PolyData>\n</VTKFile>\n"
    }
}

fn array(to: &mut String, name: &str, kind: &str, width: usize, values: impl Iterator<Item = [u8; 8]>) {
    let mut bytes = vec![0; 8];
    values.for_each(|value| bytes.extend(value));
    let length = (bytes.len() - 8) as u64;
    if let Some(head) = bytes.first_chunk_mut() {
        *head = length.to_le_bytes();
    }
    _ = writeln!(
        to,
        "<DataArray type=\"{kind}\" Name=\"{name}\" NumberOfComponents=\"{width}\" format=\"binary\">{}</DataArray>",
        STANDARD.encode(&bytes)
    );
}

/// A series of files over time, which ParaView opens as one.
pub fn series(frames: &[(f64, String)]) -> String {
    let mut xml =
        String::from("<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\">\n<Collection>\n");
    for (time, file) in frames {
        _ = writeln!(xml, "<DataSet timestep=\"{time:?}\" part=\"0\" file=\"{file}\"/>");
    }
    xml + "</Collection>\n</VTKFile>\n"
}
