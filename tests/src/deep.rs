//! Bodies that penetrate each other: their contacts, and meshes for tests of penetration.

use crate::Triangle;
use crate::contact::{Body, Wrench, all_contacts, soup, wrench};
use crate::vector::{add, scale};
use dem_core::contact::{Contact, status};
use dem_core::pose::Pose;
use dem_core::simd::Isa;
use dem_std::generate;

/// The penetrating contacts.
pub fn deep(list: &[Contact]) -> Vec<&Contact> {
    list.iter().filter(|c| c.status & status::PENETRATING != 0).collect()
}

/// The rotation about a unit axis.
pub fn turn(axis: [f64; 3], angle: f64) -> [f64; 4] {
    let [x, y, z] = scale((0.5 * angle).sin(), axis);
    [x, y, z, (0.5 * angle).cos()]
}

/// A translated mesh.
pub fn moved(mesh: &[Triangle], by: [f64; 3]) -> Vec<Triangle> {
    mesh.iter().map(|t| t.map(|v| add(v, by))).collect()
}

/// A mesh with reversed orientation.
pub fn turned_over(mesh: &[Triangle]) -> Vec<Triangle> {
    mesh.iter().map(|t| [t[0], t[2], t[1]]).collect()
}

/// All contacts, and the pressure law's sum about the origin.
pub fn find(a: &Body, pose_a: &Pose, b: &Body, pose_b: &Pose, solid: bool) -> (Vec<Contact>, Wrench) {
    let (a, b) = if solid { (a.solid(pose_a), b.solid(pose_b)) } else { (a.side(pose_a), b.side(pose_b)) };
    let list = all_contacts(Isa::best(), &a, &b).0;
    let sum = wrench(&list, [0.0; 3]);
    (list, sum)
}

/// A scaled mesh.
pub fn sized(mesh: &[Triangle], by: f64) -> Vec<Triangle> {
    mesh.iter().map(|t| t.map(|v| scale(by, v))).collect()
}

/// A sphere of triangles with radius 1.
pub fn ball(level: u32) -> Vec<Triangle> {
    soup(&generate::icosphere(level).unwrap_or_else(|e| panic!("{e}")))
}
