//! The files of `tests/data` are what `SHA256SUMS` says, all of them are listed, and they hold what the README says.

use dem_tests::data;
use sha2::{Digest, Sha256};
use std::path::Path;

fn files(folder: &Path, root: &Path, found: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, root, found);
        } else {
            found.push(path.strip_prefix(root).unwrap().to_str().unwrap().replace('\\', "/"));
        }
    }
}

#[test]
fn every_file_has_its_checksum() {
    let sums = String::from_utf8(data::bytes("SHA256SUMS")).unwrap();
    let mut listed: Vec<String> = vec!["README.md".into(), "SHA256SUMS".into()];
    let mut size = 0;
    for line in sums.lines() {
        let (sum, name) = line.split_once("  ").unwrap();
        let bytes = data::bytes(name);
        size += bytes.len();
        let digest: String = Sha256::digest(&bytes).iter().map(|b| format!("{b:02x}")).collect();
        assert_eq!(digest, sum, "{name}");
        listed.push(name.into());
    }
    let mut found = Vec::new();
    files(&data::path(""), &data::path(""), &mut found);
    found.sort();
    listed.sort();
    assert_eq!(found, listed);
    assert!(size < 8 << 20, "{size} bytes");
}

#[test]
fn meshes_have_the_triangles_that_the_readme_promises() {
    for (name, count) in [("bunny", 3_674), ("teapot", 992), ("broken", 3_724), ("rock_a_1280", 1_280)] {
        assert_eq!(data::stl(&format!("scenes/{name}.stl")).len(), count, "{name}");
    }
    let (vertices, triangles) = data::indexed(&data::mesh("scenes/rock_a_1280.stl"));
    assert_eq!((vertices.len(), triangles.len()), (642, 1_280)); // closed: V - E + F = 2
    assert_eq!(data::reference_pairs().iter().filter(|p| p.2 == 0.0).count(), 670);
}
