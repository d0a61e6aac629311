//! The parts of surfaces that contacts of any two bodies cover.

use super::corner::{Ground, GroundMemory};
use super::site::{Site, Sites, check};
use super::{Placed, Shape};
use crate::contact::corners::{CornerLimits, Facing, Listed, Over, Pieces, Visit, cover_of, in_order};
use crate::contact::{Regions, shape::shape_corners_scratch};
use crate::error::{Error, Kind, Result, What};
use crate::real::max;
use crate::simd::Isa;
use glam::DVec3;

/// A piece of one body's surface that a contact covers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Covered {
    /// The triangle as a feature of the body: the first feature of its part plus its index in the part.
    pub feature: u32,
    /// For each of its corners, the integral of its barycentric weight times the pressure.
    pub weights: [f64; 3],
}

/// Enumerates the pieces that a contact covers; it may be called several times.
pub(crate) type Coverage<'c> = dyn Fn(&mut dyn FnMut(Covered)) + 'c;

/// Called for each contact with its index in the list and its coverage.
pub(crate) type Each<'e> = dyn FnMut(u32, &Coverage<'_>) -> Result<()> + 'e;

/// Calls `each` once for every contact of two bodies, with the pieces that it covers of A, or of B if `side` is 1. Contacts of balls and capsules
/// cover nothing, nor do contacts of two meshes deeper than four halos. The first contact has the index `first`.
///
/// Errors and scratch: those of [`shape_corners`](super::shape_corners).
pub(crate) fn pair_cover(
    isa: Isa,
    [a, b]: [&Placed<'_>; 2],
    (of, first, side): (&Regions<'_>, u32, usize),
    pairs: usize,
    scratch: &mut [u8],
    each: &mut Each<'_>,
) -> Result<()> {
    check(a, What::ShapeA, What::BodyPoseA)?;
    check(b, What::ShapeB, What::BodyPoseB)?;
    in_order(of.contacts)?;
    shape_corners_scratch(a, b, pairs)?.check(scratch, What::Scratch)?;
    let limits = CornerLimits { pairs, most: 1 };
    let middle = [0, 1, 2].map(|k| 0.5 * a.pose.position[k] + 0.5 * b.pose.position[k]);
    let seen = |p: [f64; 3]| [0, 1, 2].map(|k| p[k] - middle[k]);
    let (of_a, of_b) = (Sites::new(a, seen(a.pose.position)), Sites::new(b, seen(b.pose.position)));
    let mut short = 0;
    of_a.each(|x| {
        let of_x = Listed::of(of, first, x.features(), middle);
        if of_x.is_empty() {
            return Ok(());
        }
        of_b.each(|y| {
            let Site { first: own, shape, .. } = [x, y][side & 1];
            let is_mesh = matches!(shape, Shape::Mesh(_));
            let mut visit = |place: u32, pieces: &Pieces<'_>| {
                each(place, &|put| {
                    // Pieces of a half-space have no triangles.
                    if !is_mesh {
                        return;
                    }
                    pieces(&mut |piece| {
                        let feature = own.wrapping_add(piece.triangles[side & 1]);
                        put(Covered { feature, weights: piece.weights[side & 1] });
                    });
                })
            };
            match parts(isa, [x, y], &of_x.with(y.features()), limits, scratch, &mut visit) {
                Err(e) if (e.kind, e.what) == (Kind::Capacity, What::Pairs) => {
                    short = max(short, e.needed);
                    Ok(())
                }
                other => other,
            }
        })
    })?;
    match short {
        0 => Ok(()),
        _ => Err(Error::capacity(What::Pairs, short, pairs as u64)),
    }
}

/// Enumerates the pieces that the contacts of two parts cover.
fn parts(
    isa: Isa,
    [a, b]: [&Site<'_>; 2],
    contacts: &Listed<'_>,
    limits: CornerLimits,
    scratch: &mut [u8],
    visit: &mut Visit<'_>,
) -> Result<()> {
    if contacts.is_empty() {
        return Ok(());
    }
    if let (Shape::Mesh(x), Shape::Mesh(y)) = (&a.shape, &b.shape) {
        let (a, b) = (x.side(&a.pose, a.scale), y.side(&b.pose, b.scale));
        return cover_of(isa, &a, &b, contacts, limits, scratch, visit);
    }
    let Some(ground) = Ground::of([a, b]) else {
        return contacts.each().try_for_each(|(place, _)| visit(place, &|_| {}));
    };
    let GroundMemory { near, rest, .. } = GroundMemory::new(scratch, ground.surface, limits.pairs)?;
    let near = ground.near(contacts, near, rest)?;
    contacts.each().try_for_each(|(place, contact)| {
        let over = Over::new(&contact, ground.first, (f64::INFINITY, 0.0));
        let origin = DVec3::from_array(contact.position);
        visit(place, &|put| {
            for near in Ground::group(near, place) {
                let Some(faces) = ground.faces(near.triangle, origin) else { continue };
                let mut facing = Facing::near(faces);
                (facing.pair.first, facing.pair.second) = (near.triangle, near.triangle);
                over.piece(&facing, &|_| true, put);
            }
        })
    })
}
