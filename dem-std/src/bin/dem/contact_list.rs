//! The contacts that `dem contacts` prints, as JSON and as a table, and draws.

use crate::json::Json;
use crate::query;
use dem_std::dem_core::contact::shape::{Placed, Shape, Surface};
use dem_std::dem_core::contact::{CellOptions, Contact};
use dem_std::dem_core::error::Result;
use dem_std::dem_core::pose::Pose;
use dem_std::page::{Body, Mark, Page};
use dem_std::{ContactFinder, OwnedCells, OwnedShape, Triangles};
use std::fmt::Write;
use std::path::PathBuf;

/// With more triangle pairs than this, contacts are not computed, because they would take gigabytes.
const MOST_PAIRS: u64 = 1 << 21;

/// A table with more lines than this is truncated.
const LINES: usize = 30;

/// All contacts; `None` if there are too many pairs. `solid`: the space that each mesh encloses belongs to it.
pub fn find(a: &OwnedShape, b: &OwnedShape, poses: [&Pose; 2], solid: bool) -> Result<Option<Vec<Contact>>> {
    let cells = |shape: &OwnedShape| OwnedCells::new(&shape.mesh()?, &CellOptions::default());
    let (cells_a, cells_b) = (cells(a)?, cells(b)?);
    let (surface_a, surface_b) = (surface(a, &cells_a, solid)?, surface(b, &cells_b, solid)?);
    let placed = |surface, pose| Placed { shape: Shape::Mesh(surface), pose, scale: 1.0 };
    let mut list = Vec::new();
    if query::count(a, b, 0.0, poses)? > MOST_PAIRS {
        return Ok(None);
    }
    ContactFinder::default().find(&placed(&surface_a, poses[0]), &placed(&surface_b, poses[1]), 0, &mut list)?;
    Ok(Some(list))
}

fn surface<'s>(shape: &'s OwnedShape, cells: &'s OwnedCells, solid: bool) -> Result<Surface<'s>> {
    Ok(Surface { mesh: shape.mesh()?, tree: shape.tree()?, cells: cells.open()?, solid })
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
            ("moment", Json::numbers(c.moment)),
            ("gap", Json::Number(c.gap)),
            ("least_gap", Json::Number(c.least_gap)),
            ("area", Json::Number(c.area)),
            ("share", Json::Number(c.share)),
            ("halo", Json::Number(c.halo)),
            ("kind", Json::Whole(c.kind.into())),
            ("status", Json::Whole(c.status.into())),
        ])
    };
    // Contacts that were not computed are null.
    contacts.map_or(Json::Number(f64::NAN), |all| Json::List(all.iter().map(one).collect()))
}

pub fn table(contacts: Option<&[Contact]>) -> String {
    let Some(all) = contacts else { return "contacts: not computed, too many triangle pairs; lower --halo\n".into() };
    let mut text = format!("contacts: {}\n", all.len());
    // Writing to a string cannot fail.
    if !all.is_empty() {
        let _ = writeln!(
            text,
            "{:>8} {:>8} {:>11} {:>11} {:>11} {:>6}  {:^35}  {:^23}",
            "patch A", "patch B", "gap", "least gap", "area", "share", "position", "normal, from B to A"
        );
    }
    for c in all.iter().take(LINES) {
        let ([a, b], [x, y, z], [u, v, w]) = (patches(c), c.position, c.normal);
        let Contact { gap, least_gap, area, share, .. } = c;
        let _ = write!(text, "{a:>8} {b:>8} {gap:>11.4e} {least_gap:>11.4e} {area:>11.4e} {share:>6.4} ");
        let _ = writeln!(text, " {x:>11.4e} {y:>11.4e} {z:>11.4e}  {u:>7.4} {v:>7.4} {w:>7.4}");
    }
    if all.len() > LINES {
        let _ = writeln!(text, "({} more: --json has all of them, in full)", all.len() - LINES);
    }
    text
}

/// A page with two meshes, each with its file and its pose, and their contacts. The length of a needle shows the force on A.
pub fn page(meshes: [(&PathBuf, &Triangles, &Pose); 2], contacts: &[Contact]) -> Page {
    let names =
        meshes.map(|(path, ..)| path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into()));
    let mut page = Page::new(&format!("Contacts of {} and {}", names[0], names[1]));
    for (_, mesh, _) in meshes {
        let drawing = page.mesh(mesh);
        page.body(Body { drawing, scale: 1.0 });
    }
    page.note(&format!("{} and {} triangles", meshes[0].1.len(), meshes[1].1.len()));
    page.note("needles: the force on the first mesh, over stiffness");
    page.measure("force / k");
    let mark = |c: &Contact| Mark {
        position: c.position,
        normal: c.normal,
        area: c.area,
        value: (1.0 - c.gap / c.halo) * c.area,
    };
    page.frame(0.0, meshes.map(|(.., pose)| *pose), contacts.iter().map(mark));
    page
}
