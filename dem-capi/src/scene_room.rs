//! Room for the first step of a scene.
//!
//! A scene in memory of a fixed size needs numbers before there is a step: of contacts, nodes, and near triangles of two bodies. The defaults of
//! dem_scene_desc are good for balls, boxes, and meshes of some hundred triangles. For finer meshes, dem_scene_room estimates all of them from the
//! shapes. If a step needs more, the error tells it; the error of a step without scratch has these estimates, too.

use dem_core::contact::shape::Shape;
use dem_core::detect::{Estimate, Extent, SceneSizes, Settings, Shortage};
use dem_core::error::{Error, Kind, Result, What};
use dem_core::simd::Isa;

use crate::bodies::{Opener, samples, two};
use crate::detect::{OF_SCENE, Query, dem_scene_query};
use crate::edge;
use crate::errors::dem_error;
use crate::inputs::{self, Input};
use crate::placed::DEM_KIND_COMPOUND;
use crate::scenes::dem_scene_desc;
use crate::search::first_room;

/// Estimates the room that the first steps of a scene need, from the number of bodies and their shapes.
///
/// Outputs: `desc`: all fields; `posed` is 0, and `margin_contacts` is 0 without a margin. `pairs` (may be null): `pairs` of the query for any two of
/// these bodies, at least as many as the query has; it may be this field of the query.
/// Inputs: `struct_size`: `sizeof(dem_scene_desc)`. `query`: that of the step: bodies, shapes, `margin`. Positions and `halos` are not read:
/// halos are those of the shapes.
/// The estimates allow for a heap of bodies in which each body touches six others, and contacts are as deep as a tenth of a radius. Bodies that lie
/// deeper in each other, or large flat faces of many triangles on each other, need more: a step that lacks room tells how much is enough.
/// Errors: those of `dem_scene_find` about shapes, scales, `shape_of` and the lengths of arrays; `DEM_ERROR_NULL`; `DEM_ERROR_BAD_SIZE`;
/// `DEM_ERROR_UNSUPPORTED`: a shape without cells, or a compound in a compound; `DEM_ERROR_TOO_LARGE`.
/// Cost: some ten nanoseconds a body, and some tenths of a microsecond where the shape is another than that of the body before.
/// Determinism: the same numbers on every machine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_scene_room(
    desc: *mut dem_scene_desc,
    struct_size: usize,
    pairs: *mut usize,
    query: *const dem_scene_query,
    error: *mut dem_error,
) -> i32 {
    edge::call(error, || {
        // SAFETY: the caller guarantees the memory behind pointers that are not null, for the whole call.
        unsafe {
            let asked = Query::read(query)?;
            let (sizes, needed) = estimate(&asked)?;
            let SceneSizes { bodies, candidates, contacts, nodes, levels, margin_contacts, .. } = sizes;
            let told =
                dem_scene_desc { bodies, candidates, contacts, nodes, levels, margin_contacts, ..Input::DEFAULT };
            inputs::fill_with(desc, struct_size, told, What::Description)?;
            let needed = needed.max(first_room(asked.raw.pairs));
            edge::write_optional(pairs, usize::try_from(needed).unwrap_or(usize::MAX));
            Ok(())
        }
    })
}

/// The extent of a body with this shape: the largest of its parts.
///
/// # Safety
/// The shapes of the query can be read.
unsafe fn extent(query: &Query, shape: u32) -> Result<Extent> {
    let mut largest: Option<Extent> = None;
    let body = query.shape(shape as usize);
    // SAFETY: by this function's contract.
    for part in unsafe { samples(&body, &OF_SCENE) }? {
        let mut two = two();
        // SAFETY: likewise.
        let open: Shape<'_> = unsafe { Opener::small(&mut two).open(&part, &OF_SCENE) }?;
        // The scale of a row of the table has no effect, but the scale of a part has.
        let scale = if body.kind == DEM_KIND_COMPOUND { part.scale } else { 1.0 };
        let own = Extent::of(&open, scale);
        largest = Some(largest.map_or(own, |largest| largest.or(own)));
    }
    Ok(largest.unwrap_or_default())
}

/// Estimates the sizes of a scene, and the most pairs of triangles of two bodies, for the bodies of a query.
///
/// # Safety
/// As for [`Query::read`].
pub(crate) unsafe fn estimate(query: &Query) -> Result<(SceneSizes, u64)> {
    // SAFETY: by this function's contract.
    unsafe {
        let (settings, bodies) = (query.settings()?, query.bodies(&[])?);
        let count = u64::from(u32::MAX);
        if bodies.len() as u64 > count {
            return Err(Error::new(Kind::TooLarge, What::Bodies).amounts(count, bodies.len() as u64));
        }
        Isa::numbered(query.raw.isa)?;
        let lengths = [
            (bodies.orientations.map(|all| all.len()), What::Orientations),
            (bodies.scales.map(|all| all.len()), What::Scales),
            (bodies.halos.map(|all| all.len()), What::Halos),
            (bodies.motions.map(|all| all.len()), What::Motions),
            (bodies.groups.map(|all| all.len()), What::Groups),
            (bodies.masks.map(|all| all.len()), What::Masks),
            (bodies.ids.map(|all| all.len()), What::Ids),
            (Some(bodies.shape.len()), What::ShapeNumbers),
        ];
        for (length, what) in lengths {
            let (needed, given) = (bodies.len() as u64, length.unwrap_or(bodies.len()) as u64);
            if needed != given {
                return Err(Error::new(Kind::Mismatch, what).amounts(needed, given));
            }
        }
        let of = |i: usize| {
            let shape = bodies.shape.get(i);
            if shape as usize >= query.raw.shape_count {
                let error = Error::new(Kind::BadIndex, What::ShapeNumbers).at(i as u64, 0);
                return Err(error.amounts(query.raw.shape_count as u64, shape.into()));
            }
            let scale = bodies.scales.map_or(1.0, |scales| scales.number(i));
            let wrong = |kind| Err(Error::new(kind, What::Scales).at(i as u64, 0));
            match scale {
                _ if !scale.is_finite() => wrong(Kind::NotFinite),
                _ if scale <= 0.0 => wrong(Kind::OutOfRange),
                _ => Ok(Some((shape, scale))),
            }
        };
        estimate_of(query, &settings, bodies.len(), of)
    }
}

/// As [`estimate`], for `count` bodies. For each, `body` gives a shape of the table and a scale, or `None` if there is no body.
///
/// # Safety
/// The shapes of the query can be read.
pub(crate) unsafe fn estimate_of(
    query: &Query,
    settings: &Settings,
    count: usize,
    body: impl Fn(usize) -> Result<Option<(u32, f64)>>,
) -> Result<(SceneSizes, u64)> {
    let mut last: Option<(u32, Extent)> = None;
    let mut of = |i: usize| -> Result<Option<Extent>> {
        let Some((shape, scale)) = body(i)? else { return Ok(None) };
        let own = match last {
            Some((same, own)) if same == shape => own,
            // SAFETY: by this function's contract.
            _ => unsafe { extent(query, shape) }.map_err(|e| Error { index: shape.into(), ..e })?,
        };
        last = Some((shape, own));
        Ok(Some(own.scaled(scale)))
    };
    let mut estimate = Estimate::default();
    for i in 0..count {
        of(i)?.iter().for_each(|body| estimate.count(body));
    }
    for i in 0..count {
        of(i)?.iter().for_each(|body| estimate.add(body, settings.margin));
    }
    Ok(estimate.room(settings))
}

/// Estimates the room that a scene of these sizes lacks for a step that has not begun.
///
/// # Safety
/// As for [`Query::read`].
pub(crate) unsafe fn lacking(query: &Query, sizes: &SceneSizes) -> Result<Shortage> {
    // SAFETY: by this function's contract.
    Ok(beyond(query, sizes, &unsafe { estimate(query) }?))
}

/// The part of an estimate for which there is no room.
pub(crate) fn beyond(query: &Query, sizes: &SceneSizes, (needed, pairs): &(SceneSizes, u64)) -> Shortage {
    let lacks = |needed: u32, given: u32| if needed > given { u64::from(needed) } else { 0 };
    let has_meshes = needed.nodes > needed.contacts;
    // A world without room for contacts has no room for any record.
    let recorded = |needed: u32, given: u32| if has_meshes && sizes.contacts == 0 { lacks(needed, given) } else { 0 };
    Shortage {
        bodies: lacks(needed.bodies, sizes.bodies),
        candidates: recorded(needed.candidates, sizes.candidates),
        contacts: recorded(needed.contacts, sizes.contacts),
        nodes: if has_meshes { lacks(needed.nodes, sizes.nodes) } else { 0 },
        pairs: if *pairs > first_room(query.raw.pairs) { *pairs } else { 0 },
        ..Shortage::default()
    }
}

#[cfg(test)]
mod tests;
