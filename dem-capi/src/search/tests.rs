//! Tests that the scratch that the library tells is enough, and that errors lead to enough scratch.

use super::*;
use crate::inputs::Input;
use crate::pair_contacts::Contacts;
use crate::placed::{DEM_KIND_COMPOUND, DEM_KIND_MESH, POINT, dem_compound, dem_placed};
use crate::tasks::{ALONE, dem_lane, dem_tasks};
use crate::testing::{Shape as Mesh, cube, sheet};

/// A cube, and a compound of a sheet, a point and the cube, which needs more memory than its parts.
struct Scene {
    meshes: [Mesh; 2],
}

impl Scene {
    fn new() -> Scene {
        Scene { meshes: [Mesh::new(&cube(), 0.1), Mesh::new(&sheet(3), 0.1)] }
    }

    fn mesh(&self, i: usize) -> dem_placed {
        dem_placed { kind: DEM_KIND_MESH, shape: self.meshes[i].handle(), ..POINT }
    }

    fn parts(&self) -> [dem_placed; 3] {
        [self.mesh(1), POINT, self.mesh(0)]
    }
}

fn compound(parts: &[dem_placed]) -> dem_compound {
    dem_compound { parts: parts.as_ptr(), count: parts.len(), ..Input::DEFAULT }
}

fn body(of: &dem_compound) -> dem_placed {
    dem_placed { kind: DEM_KIND_COMPOUND, shape: core::ptr::from_ref(of).cast(), ..POINT }
}

/// Threads that run no lane.
unsafe extern "C" fn nobody(_: *mut c_void, _: usize, _: dem_lane, _: *mut c_void) {}

#[test]
fn scratch_has_the_room_that_was_asked_for() {
    let scene = Scene::new();
    let parts = scene.parts();
    let both = compound(&parts);
    for (a, b) in
        [(scene.mesh(0), scene.mesh(1)), (body(&both), scene.mesh(0)), (body(&both), body(&both)), (POINT, body(&both))]
    {
        let query =
            dem_placed_query { a, b, tasks: dem_tasks { run: Some(nobody), lanes: 3, ..ALONE }, ..Input::DEFAULT };
        // SAFETY: the callback is valid for these tasks.
        let contacts = unsafe { Contacts::of(&query) }.unwrap();
        let mut census = Census::new(&[]);
        // SAFETY: all pointers are valid.
        unsafe {
            census.add(&a, &OF_A).unwrap();
            census.add(&b, &OF_B).unwrap();
        }
        let (head, mut two) = (census.layout().unwrap(), two());
        let mut memory = vec![crate::testing::Line([0; 64]); head.size / 64];
        // SAFETY: lines follow each other without gaps.
        let memory = unsafe { core::slice::from_raw_parts_mut(memory.as_mut_ptr().cast(), head.size) };
        let mut opener = Opener::new(&census, memory, &mut two).unwrap();
        // SAFETY: all pointers are valid.
        let [x, y] = unsafe { [opener.open(&a, &OF_A).unwrap(), opener.open(&b, &OF_B).unwrap()] };
        let [x, y] = [x, y].map(|shape| Placed { shape, pose: &Pose::IDENTITY, scale: 1.0 });
        let open = Query { isa: Isa::best(), tag: 0, a: x, b: y };
        for records in [0, 100] {
            let need = Need { head, records };
            for pairs in [0, 1, 255, 256, 100_001] {
                let mut plan = Plan::new();
                plan.part(head).part(contacts.scratch(&x, &y, pairs).unwrap()).add::<Core<Contacts>>(records);
                let exact = blocks::scratch_size(plan.layout(What::Scratch).unwrap()).unwrap();
                // SAFETY: all pointers are valid.
                let before = unsafe { need.unopened(&contacts, &query, pairs).unwrap() };
                assert_eq!((need.opened(&contacts, &open, pairs).unwrap(), before), (exact, exact));
                // The largest number that fits.
                let room = need.room(&contacts, &open, exact).unwrap();
                assert!(room >= pairs && need.opened(&contacts, &open, room).unwrap() <= exact);
                let more = need.opened(&contacts, &open, room + 1).unwrap();
                assert!(more > exact || room == exact as u64, "{pairs} {room} {more} {exact}");
            }
            let least = need.opened(&contacts, &open, 0).unwrap();
            assert!(need.room(&contacts, &open, least.saturating_sub(1)).is_err() || least == 0);
        }
    }
}

#[test]
fn a_start_that_is_too_small_tells_one_that_is_not() {
    let scene = Scene::new();
    let parts = scene.parts();
    let both = compound(&parts);
    let query = dem_placed_query { a: body(&both), b: body(&both), ..Input::DEFAULT };
    // SAFETY: the query has no tasks and no list.
    let contacts = unsafe { Contacts::of(&query) }.unwrap();
    // SAFETY: all pointers are valid.
    let enough = unsafe { needs(&contacts, &query, FIRST_ROOM, (0, 0)) }.unwrap();
    for size in [0, 1, 64, 700, enough / 8] {
        let mut scratch = vec![0x55u8; size];
        let room = (scratch.as_mut_ptr().cast(), size);
        // SAFETY: all memory has the size that is passed.
        let error = unsafe { find(&contacts, &query, (core::ptr::null_mut(), 0, 0), room) }.unwrap_err();
        assert_eq!((error.kind, error.what, error.given), (Kind::Capacity, What::Scratch, size as u64));
        assert!(error.needed >= enough as u64 || size > 700, "{error:?}");
    }
    // SAFETY: the call refuses its arguments before it touches any memory.
    let error = unsafe { find(&contacts, &query, (core::ptr::null_mut(), 0, 0), (core::ptr::null_mut(), enough)) };
    assert_eq!(error, Err(Error::new(Kind::Null, What::Scratch)));
}
