//! Tests of rays at the bodies of a world, in any phase of a step.

use super::*;
use crate::errors::*;
use crate::rays::tests::{DOWN, NOTHING};
use crate::worlds::tests::{NULL, Owned, ROOM, query, rough, table};
use core::ptr::null_mut;

#[test]
fn rays_meet_bodies_of_a_world_wherever_its_step_stands() {
    let (shapes, laws) = (table(), [rough()]);
    let query = dem_world_query { interactions: core::ptr::null(), interaction_count: 0, ..query(&shapes, &laws) };
    let (mut own, _) = Owned::filled(&ROOM);
    let (hash, world) = (own.hash(), own.world());
    let (to, size) = (own.scratch.as_mut_ptr().cast(), own.scratch.len());
    let (mut hits, mut met, mut ends) = ([NOTHING; 2], [NOTHING; 64], [0u64; 2]);
    let rays = [DOWN, dem_ray { direction: [0.0, 0.0, 2.0], ..DOWN }];
    // SAFETY: all memory has the size that is passed.
    unsafe {
        let view = own.view();
        let bodies = core::slice::from_raw_parts(view.bodies, view.count);
        let first = bodies[1].position;
        let at = |rays: &[dem_ray; 2]| rays.map(|ray| dem_ray { origin: [first[0], first[1], 9.0], ..ray });
        let rays = at(&rays);
        let out = hits.as_mut_ptr();
        let cast = |size, error: *mut dem_error| dem_world_cast(world, out, &query, rays.as_ptr(), 2, to, size, error);
        let mut before = None;
        for phase in 0..3 {
            assert_eq!(cast(size, null_mut()), DEM_OK);
            assert_eq!(*before.get_or_insert(hits), hits);
            assert_eq!((hits[0].side, hits[0].body != u32::MAX, hits[1]), (0, true, NOTHING));
            let (to_met, to_ends) = (met.as_mut_ptr(), ends.as_mut_ptr());
            let all = |capacity, ends: *mut u64, error: *mut dem_error| {
                dem_world_cast_all(world, to_met, capacity, ends, &query, rays.as_ptr(), 2, to, size, error)
            };
            let mut error = dem_error::default();
            assert_eq!(all(0, to_ends, &mut error), DEM_ERROR_CAPACITY);
            let needed = error.needed as usize;
            assert_eq!((all(needed, to_ends, null_mut()), needed), (DEM_OK, ends[1] as usize));
            assert_eq!((met[0], ends[0]), (hits[0], ends[1]));
            // The ray hits the ball and the ground below it.
            assert!(needed >= 3 && met[..needed].iter().any(|hit| hit.body == 1));
            assert_eq!(met[needed - 1].triangle, 0);
            assert_eq!(all(64, world.cast(), null_mut()), DEM_ERROR_OVERLAP);
            if phase == 0 {
                own.begin(0);
            } else {
                let law = dem_world_query { interactions: laws.as_ptr(), interaction_count: 1, ..query };
                own.poll(&law).unwrap();
            }
        }
        let mut error = dem_error::default();
        assert_eq!(cast(0, &mut error), DEM_ERROR_CAPACITY);
        assert_eq!((error.argument, error.needed as usize <= size), (What::Scratch as u32, true));
        assert_eq!(dem_world_cast(null_mut(), out, &query, rays.as_ptr(), 2, to, size, null_mut()), DEM_ERROR_NULL);
        assert_eq!(crate::world_steps::dem_world_abandon(world, NULL.cast()), DEM_OK);
    }
    assert_eq!(own.hash(), hash);
}
