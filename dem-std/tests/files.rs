//! Mesh files: what is read, what is refused and where, and that no damage makes the readers panic.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use dem_std::Triangles;
use dem_std::files::{Defect, FileError, Format, Place, encode, parse, read, write};
use std::path::PathBuf;

type Corners = [[f32; 3]; 3];

const A: Corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
const B: Corners = [[0.5, 0.25, 0.1], [0.5, 0.25, 0.1], [-3.0, 1e-20, 7e20]];

fn stl(header: &[u8], triangles: &[Corners]) -> Vec<u8> {
    let mut bytes = vec![0; 80];
    bytes[..header.len()].copy_from_slice(header);
    bytes.extend((triangles.len() as u32).to_le_bytes());
    for t in triangles {
        bytes.extend([0; 12]);
        t.as_flattened().iter().for_each(|x| bytes.extend(x.to_le_bytes()));
        bytes.extend([0; 2]);
    }
    bytes
}

fn soup(triangles: &[Corners]) -> Triangles {
    Triangles {
        vertices: triangles.as_flattened().iter().map(|v| v.map(f64::from)).collect(),
        indices: (0..triangles.len() as u32).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect(),
    }
}

const ASCII: &str = "solid two triangles
facet normal 0 0 1
 outer loop
  vertex 0 0 0
  vertex 1 0 0
  vertex 0 1 0
 endloop
endfacet
facet normal nan nan nan
 outer loop
  vertex 0.5 0.25 0.1
  vertex 0.5 0.25 0.1
  vertex -3 1e-20 7E20
 endloop
endfacet
endsolid two triangles
";

const OBJ: &str = "# a square and a triangle
mtllib none.mtl
o body
v 0 0 0
v 1 0 0 1.0
v 1 1 0 0.1 0.2 0.3
v 0 1 0
vn 0 0 1
usemtl grey
f 1//1 2//1 3//1 4//1
f -4 -3 \\
  -2
l 1 2
";

const PLY: &str = "ply
format ascii 1.0
comment a square and a triangle
element vertex 4
property float x
property double y
property float z
property uchar red
element face 2
property list uchar int vertex_indices
end_header
0 0 0 255
1. 0 0 255
+1 1 0 0
0 1e0 .0 0
4 0 1 2 3
3 0 1 2
";

fn square() -> Triangles {
    Triangles {
        vertices: vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]],
        indices: vec![[0, 1, 2], [0, 2, 3], [0, 1, 2]],
    }
}

/// The square and the triangle as binary PLY, with an element of no interest before the faces.
fn binary_ply(big_endian: bool) -> Vec<u8> {
    let name = if big_endian { "binary_big_endian" } else { "binary_little_endian" };
    let mut bytes = format!(
        "ply\r\nformat {name} 1.0\r\nelement vertex 4\r\nproperty float x\r\nproperty double y\r\nproperty short z\r\n\
         element tag 1\r\nproperty list uchar float data\r\nelement face 2\r\nproperty list ushort uint vertex_index\r\nend_header\r\n"
    )
    .into_bytes();
    macro_rules! put {
        ($x:expr) => {
            bytes.extend(if big_endian { $x.to_be_bytes().to_vec() } else { $x.to_le_bytes().to_vec() })
        };
    }
    for [x, y, z] in square().vertices {
        put!(x as f32);
        put!(y);
        put!(z as i16);
    }
    put!(2u8);
    put!(1.5f32);
    put!(f32::NAN);
    for face in [&[0u32, 1, 2, 3][..], &[0, 1, 2]] {
        put!(face.len() as u16);
        face.iter().for_each(|v| put!(*v));
    }
    bytes
}

#[track_caller]
fn refused(bytes: &[u8], format: Format, defect: Defect, place: Place) -> FileError {
    let error = parse(bytes, format).expect_err("a defect must be an error");
    assert_eq!((error.defect, error.place), (defect, place), "{error}");
    assert!(error.message.contains(';'), "a message says what to do: {error}");
    error
}

#[test]
fn golden_files_are_read_exactly_and_in_order() {
    assert_eq!(parse(&stl(b"", &[A, B]), Format::Stl).unwrap(), soup(&[A, B]));
    assert_eq!(parse(ASCII.as_bytes(), Format::Stl).unwrap(), soup(&[A, B]));
    assert_eq!(parse(OBJ.as_bytes(), Format::Obj).unwrap(), square());
    assert_eq!(parse(PLY.as_bytes(), Format::Ply).unwrap(), square());
    assert_eq!(parse(&binary_ply(false), Format::Ply).unwrap(), square());
    assert_eq!(parse(&binary_ply(true), Format::Ply).unwrap(), square());
}

#[test]
fn a_binary_stl_may_begin_with_solid() {
    let bytes = stl(b"solid made by a CAD program\nfacet", &[A, B]);
    assert_eq!(parse(&bytes, Format::Stl).unwrap(), soup(&[A, B]));
    let cut = &bytes[..bytes.len() - 1];
    refused(cut, Format::Stl, Defect::Truncated, Place::Byte(183));
}

#[test]
fn ascii_stl_in_capitals_without_name_with_several_solids_and_crlf() {
    let first: String = ASCII
        .lines()
        .take(8)
        .fold("SOLID\r\n".into(), |s, l| if l.starts_with("solid") { s } else { s + &l.to_uppercase() + "\r\n" });
    let twice = format!("{first}ENDSOLID\r\n\r\n{ASCII}");
    assert_eq!(parse(twice.as_bytes(), Format::Stl).unwrap(), soup(&[A, A, B]));
}

#[test]
fn the_mark_of_utf_8_before_a_text_is_no_part_of_it() {
    for (text, format) in
        [(ASCII, Format::Stl), (PLY, Format::Ply), ("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", Format::Obj)]
    {
        let marked = ["\u{feff}", text].concat();
        assert_eq!(parse(marked.as_bytes(), format).unwrap(), parse(text.as_bytes(), format).unwrap());
    }
    let binary = stl(b"\xef\xbb\xbfsolid", &[A, B]);
    assert_eq!(parse(&binary, Format::Stl).unwrap(), soup(&[A, B]));
}

#[test]
fn defects_of_binary_stl() {
    let good = stl(b"x", &[A, B]);
    refused(&good[..40], Format::Stl, Defect::Truncated, Place::Byte(40));
    let e = refused(&good[..140], Format::Stl, Defect::Truncated, Place::Byte(140));
    assert!(e.to_string().contains("counts 2 triangles (184 bytes), but the file ends within triangle 1"), "{e}");
    let longer = [&good[..], &[1, 2, 3]].concat();
    refused(&longer, Format::Stl, Defect::Count, Place::Byte(184));
    let mut huge = good.clone();
    huge[80..84].copy_from_slice(&u32::MAX.to_le_bytes());
    refused(&huge, Format::Stl, Defect::Truncated, Place::Byte(184));
    let mut few = good.clone();
    few[80] = 1;
    refused(&few, Format::Stl, Defect::Count, Place::Byte(134));
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        let mut t = B;
        t[1][2] = bad;
        let e = refused(&stl(b"", &[A, t]), Format::Stl, Defect::NotFinite, Place::Byte(84 + 50 + 12 + 20));
        assert!(e.to_string().contains("triangle 1, corner 1: component 2"), "{e}");
    }
    refused(&stl(b"", &[]), Format::Stl, Defect::Empty, Place::File);
    refused(&[], Format::Stl, Defect::Empty, Place::File);
    refused(b"PNG garbage that is longer than a header of eighty-four bytes, \x01\x02\x03 by quite a margin of bytes \xff\xff\xff",
        Format::Stl, Defect::Truncated, Place::Byte(97));
}

#[test]
fn defects_of_ascii_stl() {
    let with = |from: &str, to: &str| ASCII.replacen(from, to, 1).into_bytes();
    let r = |bytes: &[u8], defect, line| refused(bytes, Format::Stl, defect, Place::Line(line));
    r(&with("1 0 0\n", "1 nan 0\n"), Defect::NotFinite, 5);
    r(&with("1 0 0\n", "1 1e39 0\n"), Defect::NotFinite, 5);
    r(&with("1 0 0\n", "1 0\n"), Defect::Syntax, 5);
    r(&with("1 0 0\n", "1 0 0 0\n"), Defect::Syntax, 5);
    r(&with("1 0 0\n", "1 0 x\n"), Defect::Syntax, 5);
    r(&with(" endloop\n", "  vertex 1 1 1\n endloop\n"), Defect::Syntax, 7);
    r(&with("endfacet\n", ""), Defect::Syntax, 8);
    r(&with("endsolid two triangles\n", ""), Defect::Truncated, 15);
    r(&with("endsolid two triangles\n", "endsolid\nfacet normal 0 0 1\n"), Defect::Syntax, 17);
    r(&ASCII.as_bytes()[..150], Defect::Truncated, 10);
    refused(b"solid x\nendsolid x\n", Format::Stl, Defect::Empty, Place::File);
    let mut binary_inside = ASCII.as_bytes().to_vec();
    binary_inside[60] = 0xff;
    let e = parse(&binary_inside, Format::Stl).unwrap_err();
    assert_eq!(e.place, Place::Line(4), "{e}");
}

#[test]
fn defects_of_obj() {
    let vertices = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\n";
    let r = |line: &str, defect| refused(format!("{vertices}{line}\n").as_bytes(), Format::Obj, defect, Place::Line(5));
    r("f 1 2 5", Defect::Index);
    r("f 0 1 2", Defect::Index);
    r("f -5 1 2", Defect::Index);
    r("f 1 2 99999999999", Defect::Index);
    r("f 1 2 99999999999999999999999", Defect::Syntax);
    r("f -9223372036854775808 1 2", Defect::Index);
    r("f 1 2", Defect::Polygon);
    r("f", Defect::Polygon);
    r("f 1 2 x", Defect::Syntax);
    r("f 1/ 2/ 3/", Defect::Syntax);
    r("f 1/2/3/4 2 3", Defect::Syntax);
    r("f 1//0 2//1 3//1", Defect::Syntax);
    r("f 1.5 2 3", Defect::Syntax);
    r("v 0 0", Defect::Syntax);
    r("v 0 0 nan", Defect::NotFinite);
    r("v 0 inf 0", Defect::NotFinite);
    r("v 0 1e999 0", Defect::NotFinite);
    r("v 0 0 zero", Defect::Syntax);
    r("v 0 0 0 2", Defect::Unsupported);
    r("v 0 0 0 1 1", Defect::Syntax);
    r("surf 0 1 0 1 1 2 3 4", Defect::Unsupported);
    r("solid", Defect::Syntax);
    r("\u{0}\u{1}", Defect::Syntax);
    // A bow tie: its fan would cover something else.
    r("f 1 2 3 4", Defect::Polygon);
    refused(vertices.as_bytes(), Format::Obj, Defect::Empty, Place::File);
    refused(b"v 1 2 \xff\n", Format::Obj, Defect::Syntax, Place::Line(1));
    let e = refused(b"v 0 0 0\nf 1 2 3\n", Format::Obj, Defect::Index, Place::Line(2));
    assert_eq!(
        e.to_string(),
        "line 2: vertex 2 does not exist (the file has 1); repair the face or export the file again"
    );
}

#[test]
fn obj_faces_may_come_before_their_vertices_and_degenerate_faces_stay() {
    let t = parse(b"f 1 2 3\nf 2 2 2\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 9 9 9\n", Format::Obj).unwrap();
    assert_eq!(t.indices, [[0, 1, 2], [1, 1, 1]]);
    assert_eq!(t.vertices.len(), 4, "vertices that no face uses keep their ids");
    // Of several that come later, one that never comes.
    for corners in ["2 9 3", "9 2 3", "2 3 9", "1 1 2 9"] {
        let file = format!("v 0 0 0\nf {corners}\nv 1 0 0\nv 0 1 0\n");
        assert!(refused(file.as_bytes(), Format::Obj, Defect::Index, Place::Line(2)).to_string().contains("vertex 9 "));
    }
}

#[test]
fn defects_of_ply() {
    let r = |from: &str, to: &str, defect, line| {
        assert!(PLY.contains(from));
        refused(PLY.replacen(from, to, 1).as_bytes(), Format::Ply, defect, Place::Line(line))
    };
    r("ply\n", "PLY\n", Defect::Syntax, 1);
    r("format ascii 1.0", "format ebcdic 1.0", Defect::Syntax, 2);
    r("element vertex 4", "element vertex -4", Defect::Syntax, 4);
    r("element vertex 4", "element vertex 99999999999999999999", Defect::Syntax, 4);
    r("property double y", "property double x", Defect::Syntax, 6);
    r("property double y", "property double u", Defect::Syntax, 4);
    r("property double y", "property list uchar double y", Defect::Syntax, 4);
    r("element face 2", "element vertex 2", Defect::Syntax, 9);
    r("vertex_indices", "corners", Defect::Syntax, 9);
    r("list uchar int", "list uchar float", Defect::Index, 16);
    r("element face", "element tristrips", Defect::Unsupported, 9);
    r("1. 0 0", "1. nan 0", Defect::NotFinite, 13);
    r("1. 0 0", "1e39 0 0", Defect::NotFinite, 13);
    r("1. 0 0", "one 0 0", Defect::Syntax, 13);
    r("1. 0 0", "1. 0", Defect::Syntax, 13);
    r("1. 0 0", "1. 0 0 0", Defect::Syntax, 13);
    r("1. 0 0 255", "1. 0 0 256", Defect::Syntax, 13);
    r("3 0 1 2\n", "3 0 1 4\n", Defect::Index, 17);
    r("3 0 1 2\n", "3 0 1 -1\n", Defect::Index, 17);
    r("3 0 1 2\n", "2 0 1\n", Defect::Polygon, 17);
    r("3 0 1 2\n", "4 0 1 2\n", Defect::Syntax, 17);
    r("3 0 1 2\n", "3 0 1 2 0\n", Defect::Syntax, 17);
    r("3 0 1 2\n", "3 0 1 2\n3 1 2 3\n", Defect::Count, 18);
    r("3 0 1 2\n", "", Defect::Truncated, 16);
    r("4 0 1 2 3", "4 0 2 1 3", Defect::Polygon, 16);
    r("end_header", "", Defect::Syntax, 11);
    r("vertex 4\n", "vertex 1000000000000\n", Defect::Syntax, 16);
    r("element face 2\nproperty list uchar int vertex_indices\n", "element face 1000000000000\n", Defect::Syntax, 9);
}

#[test]
fn defects_of_binary_ply() {
    let good = binary_ply(false);
    let header = good.windows(12).position(|w| w == b"end_header\r\n").unwrap() as u64 + 12;
    let (tag, faces) = (header + 4 * 14, header + 4 * 14 + 9);
    let place = Place::Byte;
    refused(&good[..header as usize + 20], Format::Ply, Defect::Truncated, place(header + 14));
    refused(&good[..good.len() - 1], Format::Ply, Defect::Truncated, place(faces + 18));
    refused(&[&good[..], b"\n"].concat(), Format::Ply, Defect::Count, place(good.len() as u64));
    let changed = |at: u64, to: &[u8]| {
        let mut bytes = good.clone();
        bytes[at as usize..at as usize + to.len()].copy_from_slice(to);
        bytes
    };
    refused(&changed(faces, &[255, 255]), Format::Ply, Defect::Truncated, place(faces));
    refused(&changed(faces + 2, &[4, 0, 0, 0]), Format::Ply, Defect::Index, place(faces));
    refused(&changed(header + 14, &f32::NAN.to_le_bytes()), Format::Ply, Defect::NotFinite, place(header + 14));
    refused(&changed(tag, &[255]), Format::Ply, Defect::Truncated, place(tag));
    let text = String::from_utf8_lossy(&good[..header as usize]).replace("vertex 4", "vertex 4000000000");
    refused(&[text.as_bytes(), &good[header as usize..]].concat(), Format::Ply, Defect::Truncated, {
        let start = text.len() as u64;
        place(start + (good.len() as u64 - header) / 14 * 14)
    });
}

#[test]
fn a_list_that_claims_four_billion_entries_costs_nothing() {
    let header =
        "ply\nformat binary_little_endian 1.0\nelement face 1\nproperty list uint double vertex_indices\nend_header\n";
    let bytes = [header.as_bytes(), &u32::MAX.to_le_bytes(), &[0; 40]].concat();
    refused(&bytes, Format::Ply, Defect::Truncated, Place::Byte(header.len() as u64));
}

#[test]
fn truncation_and_damage_at_every_byte_never_panics() {
    let files = [
        (stl(b"solid", &[A, B]), Format::Stl),
        (ASCII.as_bytes().to_vec(), Format::Stl),
        (OBJ.as_bytes().to_vec(), Format::Obj),
        (PLY.as_bytes().to_vec(), Format::Ply),
        (binary_ply(true), Format::Ply),
    ];
    let formats = [Format::Stl, Format::Obj, Format::Ply];
    let check = |bytes: &[u8], format| match parse(bytes, format) {
        Ok(t) => {
            assert!(t.vertices.iter().flatten().all(|x| x.is_finite()));
            assert!(t.indices.iter().flatten().all(|&v| (v as usize) < t.vertices.len()));
        }
        Err(e) => assert!(!e.message.is_empty()),
    };
    for (bytes, own) in &files {
        for end in 0..bytes.len() {
            formats.iter().for_each(|&f| check(&bytes[..end], f));
        }
        for at in 0..bytes.len() {
            for value in [0, b'\n', b' ', b'-', b'9', 0x7f, 0xff] {
                let mut damaged = bytes.clone();
                damaged[at] = value;
                check(&damaged, *own);
            }
        }
    }
    let mut random = dem_std::random::SplitMix64::new(1);
    for round in 0..2_000 {
        let noise: Vec<u8> = (0..random.next_u64() % 300).map(|_| random.next_u64() as u8).collect();
        let bytes = match round % 4 {
            0 => noise,
            1 => [b"solid ".as_slice(), &noise].concat(),
            2 => [b"ply\n".as_slice(), &noise].concat(),
            _ => [b"f 1 2 3\nv ".as_slice(), &noise].concat(),
        };
        formats.iter().for_each(|&f| check(&bytes, f));
    }
}

fn scratch(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name)
}

#[test]
fn what_is_no_file_is_an_error_that_names_it() {
    let missing = scratch("does/not/exist.stl");
    let e = read(&missing).unwrap_err();
    assert_eq!(e.defect, Defect::Unreadable);
    assert!(e.to_string().starts_with(&format!("{}: cannot be opened", missing.display())), "{e}");
    let e = read(env!("CARGO_TARGET_TMPDIR")).unwrap_err();
    assert_eq!(e.defect, Defect::Unreadable);
    assert!(e.to_string().contains("is a directory"), "{e}");
    #[cfg(unix)]
    assert!(read("/dev/zero").unwrap_err().to_string().contains("not a regular file"));
    let nameless = scratch("nameless");
    std::fs::write(&nameless, "v 0 0 0\n").unwrap();
    assert_eq!(read(&nameless).unwrap_err().defect, Defect::UnknownFormat);
    std::fs::write(&nameless, ASCII).unwrap();
    assert_eq!(read(&nameless).unwrap(), soup(&[A, B]), "the content tells what the name does not");
}

#[test]
fn written_files_read_back_bit_for_bit() {
    let third = 1.0 / 3.0;
    let t = Triangles {
        vertices: vec![[third, -0.0, 1e300], [5e-324, 1e-7, -third], [0.1, 0.2, 0.3], [9.0, 9.0, 9.0]],
        indices: vec![[0, 1, 2], [2, 2, 2], [2, 1, 0]],
    };
    let bits = |t: &Triangles| t.vertices.as_flattened().iter().map(|x| x.to_bits()).collect::<Vec<_>>();
    for name in ["round.obj", "round.ply"] {
        write(scratch(name), &t).unwrap();
        let back = read(scratch(name)).unwrap();
        assert_eq!((bits(&back), &back.indices), (bits(&t), &t.indices), "{name}");
    }
    assert_eq!(encode(&t, Format::Stl).unwrap_err().defect, Defect::NotFinite, "1e300 is no f32");
    write(scratch("round.STL"), &soup(&[A, B])).unwrap();
    assert_eq!(read(scratch("round.STL")).unwrap(), soup(&[A, B]));
    let beyond = Triangles { vertices: vec![[0.0; 3]], indices: vec![[0, 0, 1]] };
    assert_eq!(encode(&beyond, Format::Obj).unwrap_err().defect, Defect::Index);
}

#[test]
fn obj_agrees_with_tobj() {
    let mut random = dem_std::random::SplitMix64::new(3);
    for _ in 0..50 {
        let n = 3 + random.next_u64() % 20;
        let mut text = String::new();
        for _ in 0..n {
            // Multiples of 1/64, so that tobj's f32 is exact.
            let [x, y, z] = [(); 3].map(|()| (random.signed() * 64.0) as i64 as f64 / 64.0);
            text += &format!("v {x} {y} {z}\nvt 0 0\n");
        }
        for _ in 0..30 {
            let [a, b, c] = [(); 3].map(|()| random.next_u64() % n);
            text += &match random.next_u64() % 4 {
                0 => format!("f {} {} {}\n", a + 1, b + 1, c + 1),
                1 => format!("f {}/1 {}/1 {}/1\n", a + 1, b + 1, c + 1),
                2 => format!("g part\nf -{} -{} -{}\n", n - a, n - b, n - c),
                _ => format!("usemtl x\nf {}/1 {}/1 {}/1\n", a + 1, b + 1, c + 1),
            };
        }
        let ours = parse(text.as_bytes(), Format::Obj).unwrap();
        let options = tobj::LoadOptions { triangulate: true, ..Default::default() };
        let (models, _) =
            tobj::load_obj_buf(&mut text.as_bytes(), &options, |_| Err(tobj::LoadError::OpenFileFailed)).unwrap();
        let theirs: Vec<[f64; 3]> = models
            .iter()
            .flat_map(|m| {
                m.mesh.indices.iter().map(|&i| [0, 1, 2].map(|c| m.mesh.positions[3 * i as usize + c] as f64))
            })
            .collect();
        let ours: Vec<[f64; 3]> = (0..ours.len()).flat_map(|i| ours.triangle(i)).collect();
        assert_eq!(ours, theirs);
    }
}
