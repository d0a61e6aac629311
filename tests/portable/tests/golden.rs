//! The hashes on this machine against the committed ones.

use dem_portable::{CASES, GOLDEN, MEMORY, Run, is_golden};
use std::fmt::Write;

/// Runs a case in memory as a host would lend it, filled anew so that no case lives on what another one left.
fn hash(run: Run, fill: u8) -> u64 {
    let mut bytes = vec![fill; MEMORY + 64];
    let start = bytes.as_ptr().align_offset(64);
    run(&mut bytes[start..start + MEMORY])
}

#[test]
fn hashes_are_those_of_every_other_machine() {
    let mut text = String::new();
    for (name, run) in CASES {
        writeln!(text, "{name} {:016x}", hash(*run, 0)).unwrap();
    }
    assert_eq!(
        text, GOLDEN,
        "if results were meant to change, this is the new golden.txt (say so in CHANGELOG.md):\n{text}"
    );
}

#[test]
fn hashes_do_not_depend_on_what_was_in_memory() {
    for (name, run) in CASES {
        assert!(is_golden(name, hash(*run, 0xff)), "{name}");
    }
}

#[test]
fn a_wrong_hash_or_name_is_not_golden() {
    assert!(!is_golden(CASES[0].0, 1));
    assert!(!is_golden("none", hash(CASES[0].1, 0)));
}
