//! The contacts that `dem contacts` prints: found with as much memory as they take, as JSON and as a table.

use crate::json::Json;
use dem_std::dem_core::contact::{CellOptions, Contact, Room, Side, contacts, contacts_scratch};
use dem_std::dem_core::error::{Error, Kind, Result, What};
use dem_std::dem_core::narrow::Operand;
use dem_std::dem_core::pose::Pose;
use dem_std::dem_core::simd::Isa;
use dem_std::{Memory, OwnedCells, OwnedShape};
use std::fmt::Write;

/// Contacts of more triangle pairs than this are not computed: they would take gigabytes.
const MOST_PAIRS: usize = 1 << 21;

/// A table of more lines than this is cut short.
const LINES: usize = 30;

/// All contacts; `None` where there are too many pairs.
pub fn find(a: &OwnedShape, b: &OwnedShape, poses: [&Pose; 2]) -> Result<Option<Vec<Contact>>> {
    let cells = |shape: &OwnedShape| OwnedCells::new(&shape.mesh()?, &CellOptions::default());
    let (cells_a, cells_b) = (cells(a)?, cells(b)?);
    let (a, b) = (side(a, &cells_a, poses[0])?, side(b, &cells_b, poses[1])?);
    let mut room = Room { pairs: 1 << 12, terms: 1 << 14, segments: 0 };
    let mut list = Vec::new();
    while room.pairs <= MOST_PAIRS {
        let mut scratch = Memory::new(contacts_scratch(&a, &b, room)?)?;
        match contacts(Isa::best(), &a, &b, 0, room, &mut list, &mut scratch) {
            Ok(found) => {
                list.truncate(found.contacts);
                return Ok(Some(list));
            }
            Err(Error { kind: Kind::Capacity, what: What::Pairs, needed, .. }) => room.pairs = needed as usize,
            Err(Error { kind: Kind::Capacity, what: What::Terms, needed, .. }) => room.terms = needed as usize,
            Err(Error { kind: Kind::Capacity, what: What::Segments, needed, .. }) => room.segments = needed as usize,
            Err(Error { kind: Kind::Capacity, what: What::Output, needed, .. }) => {
                list.resize(needed as usize, Contact::default());
            }
            Err(e) => return Err(e),
        }
    }
    Ok(None)
}

fn side<'s>(shape: &'s OwnedShape, cells: &'s OwnedCells, pose: &'s Pose) -> Result<Side<'s>> {
    Ok(Side {
        operand: Operand { mesh: shape.mesh()?, tree: shape.tree()?, pose, scale: 1.0 },
        cells: cells.open()?,
        solid: false,
    })
}

fn patches(c: &Contact) -> [u64; 2] {
    [c.key[1] >> 32, c.key[1] & u64::from(u32::MAX)]
}

pub fn json(contacts: Option<&[Contact]>) -> Json {
    let one = |c: &Contact| {
        let [a, b] = patches(c);
        Json::Object(vec![
            ("patch_a", Json::Whole(a)),
            ("patch_b", Json::Whole(b)),
            ("position", Json::numbers(c.position)),
            ("normal", Json::numbers(c.normal)),
            ("couple", Json::numbers(c.couple)),
            ("gap", Json::Number(c.gap)),
            ("least_gap", Json::Number(c.least_gap)),
            ("area", Json::Number(c.area)),
            ("share", Json::Number(c.share)),
            ("halo", Json::Number(c.halo)),
            ("kind", Json::Whole(c.kind.into())),
            ("status", Json::Whole(c.status.into())),
        ])
    };
    // What cannot be told is null.
    contacts.map_or(Json::Number(f64::NAN), |all| Json::List(all.iter().map(one).collect()))
}

pub fn table(contacts: Option<&[Contact]>) -> String {
    let Some(all) = contacts else { return "contacts: not computed, too many triangle pairs; lower --halo\n".into() };
    let mut text = format!("contacts: {}\n", all.len());
    // Writing to a string cannot fail.
    if !all.is_empty() {
        let _ = writeln!(
            text,
            "{:>8} {:>8} {:>11} {:>11} {:>6}  {:^35}  {:^23}",
            "patch A", "patch B", "gap", "area", "share", "position", "normal, from B to A"
        );
    }
    for c in all.iter().take(LINES) {
        let ([a, b], [x, y, z], [u, v, w]) = (patches(c), c.position, c.normal);
        let _ = write!(text, "{a:>8} {b:>8} {:>11.4e} {:>11.4e} {:>6.4} ", c.gap, c.area, c.share);
        let _ = writeln!(text, " {x:>11.4e} {y:>11.4e} {z:>11.4e}  {u:>7.4} {v:>7.4} {w:>7.4}");
    }
    if all.len() > LINES {
        let _ = writeln!(text, "({} more: --json has all of them, in full)", all.len() - LINES);
    }
    text
}
