//! Compares the library with its peers in one run: `cargo bench -p dem-tests --features peers --bench peers -- GROUP`.
//!
//! Inputs and protocol: one core, CPU time, ours and the peer's in turn, medians of at least nine samples. A line
//! `ratio NAME VALUE ours_ns peer_ns count hash` for each comparison: how many times longer the peer takes for the same
//! question, per pair of triangles or per query, and what our answer was. `info` lines are not comparisons.
//! The program fails where a count differs from brute force. `GROUP --isa NAME` makes ours use another instruction set than
//! the best one; the peer is compiled for the one that it has. `workers` is what `broad` and `contacts` say about two workers, alone.

mod broad;
mod clock;
mod contacts;
mod huge;
mod life;
mod matching;
mod narrow;
mod parry;
mod points;
mod rays;
mod scene;
mod small;
mod world;

use std::sync::LazyLock;

use clock::Table;
use dem_core::simd::Isa;

/// Prints its lines into the table.
type Group = fn(&mut Table);

/// The instruction set that is asked for, or the best one.
fn isa() -> Isa {
    static ISA: LazyLock<Isa> = LazyLock::new(|| {
        let name = std::env::args().skip_while(|a| a != "--isa").nth(1);
        name.map_or(Isa::best(), |name| Isa::named(&name).unwrap_or_else(|e| panic!("--isa {name}: {e}")))
    });
    *ISA
}

/// What other groups say about two workers, without the rest of these.
fn workers(table: &mut Table) {
    broad::workers(table);
    contacts::workers(table);
}

fn main() {
    LazyLock::force(&broad::WORKERS);
    clock::pin();
    // Cargo itself passes `--bench`.
    let group = std::env::args().skip(1).find(|a| !a.starts_with('-'));
    println!("isa {}", isa().name());
    println!(
        "info peers: parry3d 0.31 and parry3d-f64 0.31, features default and simd8 (8 lanes in f32, 4 in f64); rapier3d 0.36 with simd8; rstar 0.13; opt-level 3"
    );
    let mut table = Table::default();
    let groups: [(&str, Group); 11] = [
        ("narrow", narrow::run),
        ("points", points::run),
        ("rays", rays::run),
        ("contacts", contacts::run),
        ("broad", broad::run),
        ("huge", huge::run),
        ("life", life::run),
        ("scene", scene::run),
        ("small", small::run),
        ("world", world::run),
        ("workers", workers),
    ];
    let all = &groups[..10];
    let chosen: Vec<_> = match &group {
        Some(name) => groups.iter().filter(|g| name == g.0).collect(),
        None => all.iter().collect(),
    };
    if chosen.is_empty() {
        eprintln!("no group {group:?}; there are {}", groups.map(|g| g.0).join(", "));
        std::process::exit(2);
    }
    for (_, run) in chosen {
        run(&mut table);
    }
    if table.wrong > 0 {
        eprintln!("{} wrong answers", table.wrong);
        std::process::exit(1);
    }
}
