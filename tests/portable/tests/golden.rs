//! The hashes on this machine against the committed ones.

use dem_core::simd::Isa;
use dem_portable::{CASES, GOLDEN, MEMORY, Run, is_golden};

/// Runs a case in memory as a host would lend it, filled anew so that no case lives on what another one left.
fn hash(run: Run, isa: Isa, fill: u8) -> u64 {
    let mut bytes = vec![fill; MEMORY + 64];
    let start = bytes.as_ptr().align_offset(64);
    run(isa, &mut bytes[start..start + MEMORY]).unwrap()
}

fn hashes(isa: Isa, fill: u8) -> String {
    CASES.iter().map(|(name, run)| format!("{name} {:016x}\n", hash(*run, isa, fill))).collect()
}

#[test]
fn hashes_are_those_of_every_other_machine() {
    let text = hashes(Isa::SCALAR, 0);
    assert_eq!(
        text, GOLDEN,
        "if results were meant to change, this is the new golden.txt (say so in CHANGELOG.md):\n{text}"
    );
}

#[test]
fn hashes_are_those_of_every_instruction_set() {
    for isa in &Isa::list()[1..] {
        assert_eq!(hashes(*isa, 0), GOLDEN, "{}", isa.name());
    }
}

#[test]
fn hashes_do_not_depend_on_what_was_in_memory() {
    assert_eq!(hashes(Isa::best(), 0xff), GOLDEN);
}

#[test]
fn a_wrong_hash_or_name_is_not_golden() {
    let (name, run) = CASES[0];
    let right = hash(run, Isa::SCALAR, 0);
    assert!(is_golden(name, right));
    assert!(!is_golden(name, right ^ 1));
    assert!(!is_golden("none", right));
}
