//! Spheres, half-spaces, meshes and compounds in the world, and all their contacts.

use crate::contact::{Body, Wrench, grown};
use crate::vector::{add, cross, scale, sub};
use dem_core::contact::regions::Grouping;
use dem_core::contact::shape::{Part, Placed, Request, Shape, Surface, shape_contacts, shape_scratch};
use dem_core::contact::{Contact, ContactCounts, least_gap};
use dem_core::error::Error;
use dem_core::exec::{Serial, Work};
use dem_core::pose::Pose;
use dem_core::simd::Isa;

/// A ball.
pub fn sphere(radius: f64, halo: f64) -> Shape<'static> {
    Shape::Sphere { radius, halo }
}

/// A capsule along its z axis.
pub fn capsule(half_length: f64, radius: f64, halo: f64) -> Shape<'static> {
    Shape::Capsule { half_length, radius, halo }
}

/// Everything below the plane z = 0.
pub fn ground(halo: f64) -> Shape<'static> {
    Shape::HalfSpace { halo }
}

/// A mesh; `solid`: its inside belongs to it.
pub fn surface(body: &Body, solid: bool) -> Surface<'_> {
    let view = || Ok(Surface { mesh: body.shape.mesh()?, tree: body.shape.tree()?, cells: body.cells(), solid });
    view().unwrap_or_else(|e: Error| panic!("{e}"))
}

/// A shape with scale 1.
pub fn placed<'a>(shape: Shape<'a>, pose: &'a Pose) -> Placed<'a> {
    Placed { shape, pose, scale: 1.0 }
}

/// A part with scale 1.
pub fn part<'a>(shape: Shape<'a>, position: [f64; 3]) -> Part<'a> {
    Part { shape, pose: Pose { position, ..Pose::IDENTITY }, scale: 1.0 }
}

/// The contacts of all patch pairs, with as much room as they take.
pub fn all(a: &Placed<'_>, b: &Placed<'_>) -> (Vec<Contact>, ContactCounts) {
    all_by(Isa::best(), a, b)
}

/// As [`all`], with one instruction set.
pub fn all_by(isa: Isa, a: &Placed<'_>, b: &Placed<'_>) -> (Vec<Contact>, ContactCounts) {
    grouped_by(isa, a, b, &Grouping::PATCHES)
}

/// Contacts grouped into regions, or by another grouping.
pub fn grouped(a: &Placed<'_>, b: &Placed<'_>, grouping: &Grouping) -> Vec<Contact> {
    grouped_by(Isa::best(), a, b, grouping).0
}

fn grouped_by(isa: Isa, a: &Placed<'_>, b: &Placed<'_>, grouping: &Grouping) -> (Vec<Contact>, ContactCounts) {
    grown(
        |room| shape_scratch(a, b, room, 1),
        |room, out, scratch| {
            let request = Request { grouping: *grouping, ..Request::new(7, room) };
            shape_contacts(Work::new(&Serial, isa, scratch), a, b, &request, out, None)
        },
    )
}

/// As [`grouped`], with energies.
pub fn stored(a: &Placed<'_>, b: &Placed<'_>, grouping: &Grouping) -> Vec<Contact> {
    let find = |room, out: &mut [Contact], scratch: &mut [u8]| {
        let request = Request { grouping: *grouping, energy: true, ..Request::new(7, room) };
        shape_contacts(Work::new(&Serial, Isa::best(), scratch), a, b, &request, out, None)
    };
    grown(|room| shape_scratch(a, b, room, 1), find).0
}

/// Force and torque on A about `point`, by the point law with stiffness 1.
pub fn point_wrench(contacts: &[Contact], point: [f64; 3]) -> Wrench {
    let least = least_gap(contacts);
    contacts.iter().fold(Wrench::default(), |sum, c| {
        let force = scale((1.0 - least / c.halo) * c.share, c.normal);
        let torque = cross(sub(c.position, point), force);
        Wrench { force: add(sum.force, force), torque: add(sum.torque, torque) }
    })
}

/// Asserts properties that every contact has.
pub fn assert_sound(c: &Contact) {
    let lengths = [c.gap, c.least_gap, c.area, c.share, c.halo];
    let numbers = c.position.iter().chain(&c.normal).chain(&c.moment).chain(&lengths);
    assert!(numbers.into_iter().all(|x| x.is_finite()), "{c:?}");
    let length = crate::vector::length(c.normal);
    assert!((length - 1.0).abs() < 1e-12 && c.area >= 0.0 && c.share >= 0.0, "{c:?}");
    let rounding = 1e-9 * (c.gap.abs() + c.halo);
    assert!(c.gap <= c.halo + rounding && c.least_gap <= c.halo && c.least_gap <= c.gap + rounding, "{c:?}");
}

/// Asserts that the contacts of exchanged bodies are opposite.
pub fn assert_opposite(list: &[Contact], mut other: Vec<Contact>, case: usize) {
    other.iter_mut().for_each(|c| {
        c.key[1] = c.key[1].rotate_left(32);
        c.normal = c.normal.map(|x| 0.0 - x);
        c.moment = c.moment.map(|x| 0.0 - x);
    });
    other.sort_by_key(|c| c.key);
    // Shares are sums in the order of keys, so they may differ by rounding.
    for (x, y) in list.iter().zip(&mut other) {
        assert!((x.share - y.share).abs() < 1e-14);
        y.share = x.share;
    }
    assert_eq!(list, other, "{case}");
}
