//! Mesh files of any content: an error or triangles whose indices are good, and what is written of these reads back the same.
#![no_main]

use dem_std::files::{Format, encode, parse};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    for format in [Format::Stl, Format::Obj, Format::Ply] {
        let Ok(triangles) = parse(bytes, format) else { continue };
        let vertices = triangles.vertices.len();
        assert!(triangles.indices.iter().flatten().all(|&v| (v as usize) < vertices));
        assert!(triangles.vertices.iter().flatten().all(|x| x.is_finite()));
        if let Ok(bytes) = encode(&triangles, format) {
            let again = parse(&bytes, format).expect("what was written can be read");
            assert_eq!(again.indices.len(), triangles.indices.len());
        }
    }
});
