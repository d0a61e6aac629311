//! Tests of grouping: its modes, and the angle.

use super::*;
use crate::testing::ell;

#[test]
fn a_host_says_what_is_one_contact() {
    let case = Case::new();
    let contacts = |grouping: u32| {
        let counts = Owned::new(desc(5)).step(&dem_scene_query { grouping: grouping as usize, ..case.query() }, 0);
        counts.map(|counts| (counts.pairs, counts.contacts)).unwrap()
    };
    let [regions, patches, bodies] = [DEM_GROUPING_REGIONS, DEM_GROUPING_PATCHES, DEM_GROUPING_BODIES].map(contacts);
    assert!(regions.0 == patches.0 && regions.0 == bodies.0, "{regions:?} {patches:?} {bodies:?}");
    assert!(patches.1 > regions.1 && regions.1 >= bodies.1, "{regions:?} {patches:?} {bodies:?}");
    // A cube that stands on its edge: the forces of both adjacent faces differ in direction, but a place on a flat patch is one contact at any angle.
    let mut on_edge = Case::new();
    on_edge.positions[2] = [0.54, -3.0, 0.5f64.sqrt() + 0.03];
    let (sine, cosine) = (std::f64::consts::PI / 8.0).sin_cos();
    let mut turns = [[0.0, 0.0, 0.0, 1.0]; 5];
    turns[2] = [0.0, sine, 0.0, cosine];
    let orientations = dem_array { data: turns.as_ptr().cast(), count: 5, ..NO_ARRAY };
    let [wide, narrow] = [case.query().angle, 0.0].map(|angle| {
        let query = dem_scene_query { angle, orientations, ..on_edge.query() };
        Owned::new(desc(5)).step(&query, 0).unwrap()
    });
    assert!(narrow.contacts == wide.contacts && wide.contacts > 0, "{narrow:?} {wide:?}");
}

/// A cube in the inner corner of an L, nearer to one arm than to the other: the weaker force makes an angle of 0.95 with the sum of both. So a
/// smaller angle gives two contacts, and a larger one joins them.
#[test]
fn forces_within_the_angle_are_one_contact() {
    let meshes = [Mesh::new(&ell(), 0.05), Mesh::new(&cube(), 0.05)];
    let shapes =
        meshes.each_ref().map(|mesh| dem_placed { kind: DEM_KIND_MESH, solid: 1, shape: mesh.handle(), ..POINT });
    let positions = [[0.0; 3], [1.04, 1.02, 0.0]];
    let contacts = |angle: f64| {
        let query = dem_scene_query {
            shapes: shapes.as_ptr(),
            shape_count: 2,
            positions: vectors(&positions),
            angle,
            ..Input::DEFAULT
        };
        Owned::new(desc(2)).step(&query, 0).unwrap().contacts
    };
    let found = [0.0, core::f64::consts::FRAC_PI_4, 0.9, 1.0, core::f64::consts::FRAC_PI_2].map(contacts);
    assert_eq!(found, [2, 2, 2, 1, 1]);
}
