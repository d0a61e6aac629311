//! Warnings about bodies that begin behind the triangles of a fixed or driven mesh: most often a container whose triangles look outward.

use super::bodies::Bodies;
use super::scene::{Scene, Text};
use super::shapes::LoadedMesh;
use crate::failure::Failure;
use dem_std::OwnedWorld;
use dem_std::dem_core::pose::Pose;

/// Points along each edge of a source's box.
const LATTICE: u32 = 3;
/// The most points times meshes that are tested. If there are more, only every second, third, ... point is tested.
const MOST: usize = 50_000_000;

/// Positions at which bodies begin.
struct Start {
    points: Vec<[f64; 3]>,
    /// The source of the bodies; none for bodies of the file, whose names are then given.
    source: Option<usize>,
    names: Vec<u64>,
}

/// Warnings about meshes behind whose triangles bodies begin. Errors: a solid that contains the whole box of a source.
pub fn outward(
    text: &Text<'_>,
    scene: &Scene,
    bodies: &Bodies<'_>,
    world: &OwnedWorld,
) -> Result<Vec<String>, Failure> {
    let meshes = bodies.fixed_meshes(world)?;
    let starts = starts(scene, world, meshes.len())?;
    let (mut said, mut told) = (Vec::new(), Vec::new());
    for (mesh, pose, scale) in &meshes {
        let Some((name, given)) = scene.shapes.iter().nth(mesh.place).filter(|_| !told.contains(&mesh.place)) else {
            continue;
        };
        let name = name.get_ref();
        let turn = format!("for a container, `inward = true` of `{name}` turns them");
        if !mesh.looks_outward() {
            if let Some(closed) = closed_sheet(mesh, name, scene, holds_all(mesh, pose, *scale, &starts)?) {
                told.push(mesh.place);
                said.push(closed);
            }
            if mesh.mass.holes > 0 && behind_all(mesh, pose, *scale, &starts)? {
                told.push(mesh.place);
                said.push(format!(
                    "all bodies begin behind the nearest triangles of `{name}`, which holds what is in front of them: {turn}"
                ));
            }
            continue;
        }
        for start in &starts {
            let inside = mesh.holds_of(pose, *scale, &start.points)?;
            let count = inside.iter().filter(|inside| **inside).count();
            let who = match (start.source, inside.iter().position(|inside| *inside)) {
                (_, None) => continue,
                (Some(source), _) if !mesh.open => {
                    // Part of a box may have no room, and a driven mesh may be elsewhere later.
                    let at_first = scene.sources.get(source).is_some_and(|given| given.get_ref().start <= 0.0);
                    if at_first && count == inside.len() {
                        let message = format!(
                            "`{name}` is solid, since its triangles look outward, and the box of source {} is inside of it: {turn}",
                            source + 1
                        );
                        return Err(text.at(given.span(), &message));
                    }
                    continue;
                }
                (Some(source), _) => format!("bodies of source {}", source + 1),
                (None, Some(first)) => {
                    let name = start.names.get(first).map_or(String::new(), |id| bodies.name(*id));
                    if count > 1 { format!("{name} and other bodies") } else { name }
                }
            };
            told.push(mesh.place);
            let verb = if start.source.is_none() && count == 1 { "begins" } else { "begin" };
            said.push(format!("{who} {verb} inside of `{name}`, whose triangles look outward: {turn}"));
            break;
        }
        if let (false, Some(closed)) = (told.contains(&mesh.place), closed_sheet(mesh, name, scene, false)) {
            told.push(mesh.place);
            said.push(closed);
        }
    }
    Ok(said)
}

/// The warning about a closed mesh that is called open, unless it contains all bodies.
fn closed_sheet(mesh: &LoadedMesh, name: &str, scene: &Scene, holds_all: bool) -> Option<String> {
    if !mesh.open || mesh.mass.holes > 0 || holds_all {
        return None;
    }
    let turned = scene.shapes.values().nth(mesh.place)?.get_ref().make.as_deref() == Some("turned");
    let end = if turned { ": the outline comes back to its first point" } else { "" };
    Some(format!(
        "`{name}` has `open = true`, but its mesh is closed (0 open edges){end}; `open` is for sheets: without it, what the triangles look away from is solid"
    ))
}

fn starts(scene: &Scene, world: &OwnedWorld, meshes: usize) -> Result<Vec<Start>, Failure> {
    let view = world.view()?;
    let all = view.bodies().iter().zip(view.ids()).enumerate();
    let moved = all.filter(|(slot, (body, _))| view.handle(*slot).is_some() && body.is_dynamic());
    let stride = 1 + view.bodies().len().saturating_mul(meshes) / MOST;
    let (points, names): (Vec<_>, Vec<_>) = moved.step_by(stride).map(|(_, (body, id))| (body.position, *id)).unzip();
    let mut starts = Vec::new();
    if !points.is_empty() {
        starts.push(Start { points, source: None, names });
    }
    for (source, given) in scene.sources.iter().enumerate() {
        let of = given.get_ref();
        let points = (0..LATTICE.pow(3)).map(|k| {
            let parts = [k % LATTICE, k / LATTICE % LATTICE, k / LATTICE / LATTICE];
            let mut point = of.low;
            for ((x, high), part) in point.iter_mut().zip(of.high).zip(parts) {
                *x += (high - *x) * f64::from(part) / f64::from(LATTICE - 1);
            }
            point
        });
        starts.push(Start { points: points.collect(), source: Some(source), names: Vec::new() });
    }
    Ok(starts)
}

/// Whether all bodies begin inside a closed mesh that looks inward, as in a room.
fn holds_all(mesh: &LoadedMesh, pose: &Pose, scale: f64, starts: &[Start]) -> Result<bool, Failure> {
    if mesh.looks_outward() {
        return Ok(false);
    }
    for start in starts {
        if !mesh.room_for(pose, scale, &start.points)?.iter().all(|enclosed| *enclosed) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether all bodies begin behind the triangles of an open mesh that are nearest to them.
fn behind_all(mesh: &LoadedMesh, pose: &Pose, scale: f64, starts: &[Start]) -> Result<bool, Failure> {
    for start in starts {
        if !mesh.has_all_behind(pose, scale, &start.points)? {
            return Ok(false);
        }
    }
    Ok(!starts.is_empty())
}
