//! Tests of refusals, memory, threads and views, and of contacts against those of two bodies alone. The core tests contacts themselves.

#![allow(clippy::result_large_err)] // Errors are those of C.

use dem_core::exec::Executor;

use super::*;
use crate::arrays::{DEM_F32, DEM_F64, DEM_I32, DEM_U32, DEM_U64, NO_ARRAY, NO_WORDS};
use crate::body_contacts::*;
use crate::errors::*;
use crate::follow::{DEM_CARRY_TANGENT, dem_scene_carry, dem_scene_events};
use crate::inputs::Input;
use crate::phases::{dem_scene_bounds, dem_scene_candidates};
use crate::placed::{DEM_KIND_HALF_SPACE, DEM_KIND_MESH, POINT, dem_compound, dem_placed};
use crate::scenes::*;
use crate::tasks::ALONE;
use crate::testing::{Line, Shape as Mesh, cube, numbers, output, scratch_of, vectors};

mod frames;
mod grouping;
mod margin;
mod phases;
mod room;

const NULL: *mut c_void = core::ptr::null_mut();

fn words(data: &[u32]) -> dem_array {
    dem_array { data: data.as_ptr().cast(), count: data.len(), ..NO_WORDS }
}

/// A scene, and scratch of the size that the library tells.
struct Owned {
    block: Vec<Line>,
    desc: dem_scene_desc,
}

impl Owned {
    fn new(desc: dem_scene_desc) -> Owned {
        let (mut size, mut scene) = (0, core::ptr::null_mut());
        // SAFETY: all memory has the size that is passed.
        unsafe {
            assert_eq!(dem_scene_layout(&mut size, NULL.cast(), &desc, NULL.cast()), DEM_OK);
            let mut block = vec![Line([0xCD; 64]); size / 64];
            assert_eq!(dem_scene_init(block.as_mut_ptr().cast(), size, &mut scene, &desc, NULL.cast()), DEM_OK);
            assert_eq!(scene.cast_const().cast(), block.as_ptr());
            Owned { block, desc }
        }
    }

    fn handle(&mut self) -> *mut dem_scene {
        self.block.as_mut_ptr().cast()
    }

    /// Makes a step with `less` bytes of scratch fewer than the library tells.
    fn step(&mut self, query: &dem_scene_query, less: usize) -> core::result::Result<dem_scene_counts, dem_error> {
        self.call(query, less, dem_scene_detect)
    }

    /// Makes a trial.
    fn find(&mut self, query: &dem_scene_query) -> core::result::Result<dem_scene_counts, dem_error> {
        self.call(query, 0, dem_scene_find)
    }

    fn hash(&mut self) -> u64 {
        let mut hash = 0;
        // SAFETY: the pointer is valid.
        assert_eq!(unsafe { dem_scene_hash(&mut hash, self.handle(), NULL.cast()) }, DEM_OK);
        hash
    }

    fn call(
        &mut self,
        query: &dem_scene_query,
        less: usize,
        search: unsafe extern "C" fn(
            *mut dem_scene,
            *mut dem_scene_counts,
            usize,
            *const dem_scene_query,
            *mut c_void,
            usize,
            *mut dem_error,
        ) -> i32,
    ) -> core::result::Result<dem_scene_counts, dem_error> {
        let (mut error, mut counts) = (dem_error::default(), dem_scene_counts::default());
        // SAFETY: all memory has the size that is passed.
        unsafe {
            let none = NULL.cast();
            search(self.handle(), none, 0, query, NULL, 0, &mut error);
            if (error.code, error.argument) != (DEM_ERROR_CAPACITY, DEM_ARGUMENT_SCRATCH) {
                return Err(error);
            }
            let mut scratch = vec![0xABu8; error.needed as usize - less];
            let (start, size) = (scratch.as_mut_ptr().cast(), scratch.len());
            match search(self.handle(), &mut counts, size_of_val(&counts), query, start, size, &mut error) {
                DEM_OK => Ok(counts),
                _ => Err(error),
            }
        }
    }

    fn view(&mut self) -> dem_scene_contacts {
        let mut view = core::mem::MaybeUninit::<dem_scene_contacts>::uninit();
        // SAFETY: the struct exists, and all of it is written.
        unsafe {
            let size = size_of::<dem_scene_contacts>();
            assert_eq!(dem_scene_view(view.as_mut_ptr(), size, self.handle(), NULL.cast()), DEM_OK);
            view.assume_init()
        }
    }
}

/// A ball, a cube, a compound of both and the ground.
struct Table {
    _mesh: Mesh,
    _parts: Vec<dem_placed>,
    _compound: Box<dem_compound>,
    shapes: Vec<dem_placed>,
}

impl Table {
    fn new() -> Table {
        let mesh = Mesh::new(&cube(), 0.05);
        let ball = dem_placed { radius: 0.5, halo: 0.05, ..POINT };
        let cube = dem_placed { kind: DEM_KIND_MESH, solid: 1, shape: mesh.handle(), ..POINT };
        let mut parts = vec![ball, cube];
        parts[0].pose.position = [0.5, 0.5, 1.2];
        let (data, count) = (parts.as_ptr(), parts.len());
        let compound = Box::new(dem_compound { parts: data, count, ..Input::DEFAULT });
        let (kind, shape) = (crate::placed::DEM_KIND_COMPOUND, (&raw const *compound).cast());
        let both = dem_placed { kind, shape, ..POINT };
        let ground = dem_placed { kind: DEM_KIND_HALF_SPACE, halo: 0.05, ..POINT };
        Table { _mesh: mesh, _parts: parts, _compound: compound, shapes: vec![ball, cube, both, ground] }
    }
}

struct Case {
    table: Table,
    positions: Vec<[f64; 3]>,
    kinds: Vec<u32>,
}

impl Case {
    /// The ground, and on it a row of bodies that touch each other.
    fn new() -> Case {
        let positions = vec![[0.0; 3], [0.0, 0.5, 0.52], [0.54, 0.0, 0.03], [1.57, 0.0, 0.02], [3.1, 0.5, 0.51]];
        Case { table: Table::new(), positions, kinds: vec![3, 0, 1, 2, 0] }
    }

    fn query(&self) -> dem_scene_query {
        dem_scene_query {
            shapes: self.table.shapes.as_ptr(),
            shape_count: self.table.shapes.len(),
            positions: vectors(&self.positions),
            shape_of: words(&self.kinds),
            ..Input::DEFAULT
        }
    }
}

fn desc(bodies: u32) -> dem_scene_desc {
    dem_scene_desc { bodies, ..Input::DEFAULT }
}

#[test]
fn every_kind_meets_the_others_and_goes_on() {
    let case = Case::new();
    let mut scene = Owned::new(desc(5));
    let first = scene.step(&case.query(), 0).unwrap();
    assert_eq!((first.persisting, first.pairs), (0, 7), "{first:?}");
    let second = scene.step(&case.query(), 0).unwrap();
    assert_eq!(second, dem_scene_counts { persisting: first.contacts, ..first });
    let view = scene.view();
    assert_eq!((view.count as u64, view.last_count as u64, view.body_count), (first.contacts, first.contacts, 5));
    // SAFETY: the view tells the numbers of items.
    let (links, ends) = unsafe {
        (core::slice::from_raw_parts(view.links, view.count), core::slice::from_raw_parts(view.touch_ends, 5))
    };
    assert!(links.iter().enumerate().all(|(i, link)| link.origin == i as u32));
    assert_eq!(ends[4] as usize, 2 * view.count);
}

#[test]
fn sums_are_zero_over_all_bodies_wherever_they_are_written() {
    let case = Case::new();
    let mut scene = Owned::new(desc(5));
    scene.step(&case.query(), 0).unwrap();
    let view = scene.view();
    let forces: Vec<[f64; 3]> = (0..view.count).map(|i| [1.0 + i as f64, -2.0, 0.5 * i as f64]).collect();
    // Outputs are fields of the program's own structs, between the centres, which are inputs.
    let mut bodies: Vec<[f64; 9]> =
        case.positions.iter().map(|p| [p[0], p[1], p[2], 9.0, 9.0, 9.0, 9.0, 9.0, 9.0]).collect();
    let start: *mut f64 = bodies.as_mut_ptr().cast();
    let at = |k: usize| dem_output {
        data: start.wrapping_add(k).cast(),
        count: 5,
        stride: 72,
        ..output::<f64>(&mut [], crate::arrays::DEM_F64)
    };
    let centres = dem_array { data: start.cast_const().cast(), count: 5, stride: 72, ..NO_ARRAY };
    let wrenches = |forces: &dem_array, force: &dem_output, torque: &dem_output| {
        // SAFETY: all memory has the size that is passed.
        unsafe {
            dem_scene_wrenches(
                force,
                torque,
                scene.block.as_ptr().cast(),
                forces,
                NULL.cast(),
                &centres,
                NULL.cast(),
                0,
                NULL.cast(),
            )
        }
    };
    assert_eq!(wrenches(&vectors(&forces), &at(3), &at(6)), DEM_OK);
    for k in 3..6 {
        assert!(bodies.iter().map(|b| b[k]).sum::<f64>().abs() < 1e-12);
    }
    let moment: f64 = bodies.iter().map(|b| b[8] + b[0] * b[4] - b[1] * b[3]).sum();
    assert!(moment.abs() < 1e-9, "{moment}");
    assert_eq!(wrenches(&vectors(&forces[1..]), &at(3), &at(6)), DEM_ERROR_MISMATCH);
    let short = dem_output { count: 4, ..at(3) };
    assert_eq!(wrenches(&vectors(&forces), &short, &at(6)), DEM_ERROR_CAPACITY);
    let over = dem_output { data: forces.as_ptr().cast_mut().cast(), count: 5, stride: 0, ..at(3) };
    assert_eq!(wrenches(&vectors(&forces), &over, &at(6)), DEM_ERROR_OVERLAP);
}

#[test]
fn forces_torques_and_centres_that_are_no_numbers_are_refused_before_anything_is_written() {
    let case = Case::new();
    let mut scene = Owned::new(desc(5));
    scene.step(&case.query(), 0).unwrap();
    let forces = vec![[1.0; 3]; scene.view().count];
    for wrong in [f64::NAN, f64::INFINITY] {
        for (bad, what) in [(0, What::Forces), (1, What::Torques), (2, What::Centres)] {
            let (mut inputs, mut sums) = ([forces.clone(), forces.clone(), case.positions.clone()], [[9.0; 3]; 5]);
            inputs[bad][1][2] = wrong;
            let [forces, torques, centres] = [0, 1, 2].map(|k| vectors(&inputs[k]));
            let to = output(sums.as_flattened_mut(), crate::arrays::DEM_F64);
            let to = dem_output { count: 5, ..to };
            let mut error = dem_error::default();
            let block = scene.block.as_ptr().cast();
            // SAFETY: all memory has the size that is passed.
            let status = unsafe {
                dem_scene_wrenches(&to, NULL.cast(), block, &forces, &torques, &centres, NULL.cast(), 0, &mut error)
            };
            assert_eq!((status, error.argument), (DEM_ERROR_NOT_FINITE, what as u32));
            assert_eq!((error.index, error.component, sums), (1, 2, [[9.0; 3]; 5]));
        }
    }
}

#[test]
fn springs_follow_and_events_tell_who_has_gone() {
    let mut case = Case::new();
    let mut scene = Owned::new(desc(5));
    scene.step(&case.query(), 0).unwrap();
    let before = scene.view().count;
    let of_last = vec![[1.0, 2.0, 3.0]; before];
    // The last ball leaves. No other ball rotates, so springs do not change.
    case.positions[4] = [9.0, 9.0, 9.0];
    let found = scene.step(&case.query(), 0).unwrap();
    let view = scene.view();
    assert!(view.last_count == before && view.count < before && found.persisting == view.count as u64, "{found:?}");
    let mut vectors = vec![[f64::NAN; 3]; view.count];
    let (handle, none) = (scene.handle(), NULL.cast());
    let carry = |to: *mut [f64; 3], from: *const [f64; 3]| {
        // SAFETY: all memory has the size that is passed.
        unsafe { dem_scene_carry(to.cast(), handle, from.cast(), none, DEM_CARRY_TANGENT, NULL.cast()) }
    };
    assert_eq!(carry(vectors.as_mut_ptr(), of_last.as_ptr()), DEM_OK);
    // SAFETY: the view tells the numbers of items.
    let (contacts, successors) = unsafe {
        (core::slice::from_raw_parts(view.contacts, view.count), core::slice::from_raw_parts(view.successors, before))
    };
    for (contact, v) in contacts.iter().zip(&vectors) {
        let across: f64 = (0..3).map(|k| v[k] * contact.normal[k]).sum();
        let length: f64 = v.iter().map(|x| x * x).sum();
        assert!(across.abs() < 1e-12 && (length - 14.0).abs() < 1e-12, "{v:?}");
    }
    let gone = successors.iter().filter(|next| **next == crate::shapes::DEM_NO_ID).count();
    assert_eq!(gone, before - view.count);
    let mut events = vec![dem_contact_event::default(); before];
    let mut count = 0;
    let tell = |to: *mut dem_contact_event, capacity: usize, count: &mut usize| {
        // SAFETY: all memory has the size that is passed.
        unsafe { dem_scene_events(to, capacity, count, handle, NULL.cast()) }
    };
    assert_eq!((tell(events.as_mut_ptr(), before, &mut count), count), (DEM_OK, before));
    let of = |kind| events.iter().filter(|e| e.contact == kind).count();
    assert_eq!((of(DEM_EVENT_BEGIN), of(DEM_EVENT_PERSIST), of(DEM_EVENT_END)), (0, view.count, gone));
    assert!(events.iter().filter(|e| e.contact == DEM_EVENT_END).all(|e| successors[e.last as usize] == u32::MAX));
    assert_eq!((tell(events.as_mut_ptr(), 1, &mut count), count), (DEM_ERROR_CAPACITY, before));
    assert_eq!(tell(NULL.cast(), 1, &mut count), DEM_ERROR_NULL);
    assert_eq!(tell(handle.cast(), 1, &mut count), DEM_ERROR_OVERLAP);
    assert_eq!(carry(NULL.cast(), of_last.as_ptr()), DEM_ERROR_NULL);
    assert_eq!(carry(vectors.as_mut_ptr(), NULL.cast()), DEM_OK);
    assert!(vectors.iter().all(|v| *v == [0.0; 3]));
    assert_eq!(carry(vectors.as_mut_ptr(), vectors.as_ptr()), DEM_ERROR_OVERLAP);
    assert_eq!(carry(vectors.as_mut_ptr().wrapping_byte_add(1), of_last.as_ptr()), DEM_ERROR_MISALIGNED);
}

#[test]
fn senseless_queries_are_refused_with_what_and_where() {
    let case = Case::new();
    let mut scene = Owned::new(desc(5));
    let four = [1.0; 4];
    let zero = [1.0, 1.0, 0.0, 1.0, 1.0];
    let motions = [0, 0, 0, 4, 0];
    let kinds = [3, 0, 1, 2, 4];
    let mut far = case.positions.clone();
    far[2][1] = f64::NAN;
    let nested = Table::new();
    let bad = [nested.shapes[2]];
    let outer = dem_compound { parts: bad.as_ptr(), count: 1, ..Input::DEFAULT };
    let nest = [dem_placed { shape: (&raw const outer).cast(), ..nested.shapes[2] }];
    let unknown = [dem_placed { kind: 77, ..POINT }];
    let negative = [POINT, dem_placed { radius: -1.0, ..POINT }];
    let query = || case.query();
    let kinds_zero = [0; 5];
    let shapes = |list: &[dem_placed]| dem_scene_query {
        shapes: list.as_ptr(),
        shape_count: list.len(),
        shape_of: words(&kinds_zero),
        ..case.query()
    };
    for (name, query, code, what, index) in [
        ("a scale too few", dem_scene_query { scales: numbers(&four), ..query() }, DEM_ERROR_MISMATCH, What::Scales, 0),
        ("no size", dem_scene_query { scales: numbers(&zero), ..query() }, DEM_ERROR_OUT_OF_RANGE, What::Scales, 2),
        ("a motion", dem_scene_query { motions: words(&motions), ..query() }, DEM_ERROR_OUT_OF_RANGE, What::Motions, 3),
        ("a shape", dem_scene_query { shape_of: words(&kinds), ..query() }, DEM_ERROR_BAD_INDEX, What::ShapeNumbers, 4),
        ("NaN", dem_scene_query { positions: vectors(&far), ..query() }, DEM_ERROR_NOT_FINITE, What::Positions, 2),
        ("periods", dem_scene_query { periods: [0.0, -1.0, 0.0], ..query() }, DEM_ERROR_OUT_OF_RANGE, What::Periods, 0),
        ("a bound", dem_scene_query { bound: f64::NAN, ..query() }, DEM_ERROR_NOT_FINITE, What::Bound, 0),
        ("an instruction set", dem_scene_query { isa: 99, ..query() }, DEM_ERROR_UNSUPPORTED, What::Isa, 0),
        (
            "floats as words",
            dem_scene_query { motions: numbers(&zero), ..query() },
            DEM_ERROR_OUT_OF_RANGE,
            What::Motions,
            0,
        ),
        ("a grouping", dem_scene_query { grouping: 3, ..query() }, DEM_ERROR_OUT_OF_RANGE, What::Grouping, 0),
        ("an angle", dem_scene_query { angle: 3.2, ..query() }, DEM_ERROR_OUT_OF_RANGE, What::Angle, 0),
        ("no angle", dem_scene_query { angle: f64::NAN, ..query() }, DEM_ERROR_NOT_FINITE, What::Angle, 0),
        ("no table", dem_scene_query { shapes: core::ptr::null(), ..query() }, DEM_ERROR_NULL, What::Shapes, 0),
        ("nested", shapes(&nest), DEM_ERROR_UNSUPPORTED, What::Shapes, 0),
        ("a kind", shapes(&unknown), DEM_ERROR_OUT_OF_RANGE, What::Shapes, 0),
        ("a radius", shapes(&negative), DEM_ERROR_OUT_OF_RANGE, What::Shapes, 1),
    ] {
        let e = scene.step(&query, 0).unwrap_err();
        assert_eq!((e.code, e.argument, e.index), (code, what as u32, index), "{name}: {e:?}");
    }
    // SAFETY: nulls are tested; all other pointers are valid.
    unsafe {
        let query = case.query();
        let null = dem_scene_detect(core::ptr::null_mut(), NULL.cast(), 0, &query, NULL, 0, NULL.cast());
        assert_eq!(null, DEM_ERROR_NULL);
        let none = dem_scene_detect(scene.handle(), NULL.cast(), 0, core::ptr::null(), NULL, 0, NULL.cast());
        assert_eq!(none, DEM_ERROR_NULL);
        let inside = scene.handle();
        assert_eq!(
            dem_scene_detect(inside, NULL.cast(), 0, &query, inside.cast(), 4096, NULL.cast()),
            DEM_ERROR_OVERLAP
        );
        let mut other = core::ptr::null_mut();
        assert_eq!(
            dem_scene_open(case.table._mesh.handle().cast_mut().cast(), 1 << 20, &mut other, NULL.cast()),
            DEM_ERROR_DAMAGED
        );
    }
    assert!(scene.step(&case.query(), 0).is_ok());
}

#[test]
fn a_body_meets_its_images_however_far() {
    let case = Case::new();
    let (positions, zero) = (vectors(&case.positions[..1]), [0u32]);
    let alone = dem_scene_query { positions, shape_of: words(&zero), ..case.query() };
    let mut scene = Owned::new(desc(5));
    // A ball with its halo is 1.1 wide, so with a period of 0.3 it meets three of its images on either side.
    let found = scene.step(&dem_scene_query { periods: [0.3, 0.0, 0.0], ..alone }, 0).unwrap();
    assert_eq!((found.pairs, found.contacts), (3, 3));
    let view = scene.view();
    // SAFETY: the view tells the numbers of items.
    let pairs = unsafe { core::slice::from_raw_parts(view.pairs, 3) };
    assert_eq!([0, 1, 2].map(|i| pairs[i].image), [[1, 0, 0], [2, 0, 0], [3, 0, 0]]);
}

#[test]
fn a_skin_keeps_the_list_of_candidates_and_nothing_else_changes() {
    let mut case = Case::new();
    let [mut kept, mut anew] = [0; 2].map(|_| Owned::new(desc(5)));
    for step in 0..4 {
        case.positions[1][1] += 0.01;
        let without = anew.step(&case.query(), 0).unwrap();
        assert_eq!((without.listed, without.age), (without.candidates, 0));
        let found = kept.step(&dem_scene_query { skin: 0.05, ..case.query() }, 0).unwrap();
        // Bodies move by a hundredth a step, and may move by half of the skin.
        assert_eq!((found.age, found.listed >= found.candidates), (step % 3, true), "step {step}");
        assert_eq!(dem_scene_counts { listed: without.listed, age: 0, ..found }, without);
        let contacts = |view: dem_scene_contacts| {
            // SAFETY: the view tells the numbers of items.
            unsafe { core::slice::from_raw_parts(view.contacts, view.count) }
                .iter()
                .map(|c| (c.key, c.position))
                .collect::<Vec<_>>()
        };
        assert_eq!(contacts(kept.view()), contacts(anew.view()));
    }
    let e = kept.step(&dem_scene_query { skin: -1.0, ..case.query() }, 0).unwrap_err();
    assert_eq!((e.code, e.argument), (DEM_ERROR_OUT_OF_RANGE, What::Skin as u32));
}

#[test]
fn a_scene_without_bodies_or_shapes_finds_nothing() {
    let mut scene = Owned::new(desc(0));
    assert_eq!(scene.step(&Input::DEFAULT, 0), Ok(dem_scene_counts::default()));
    let view = scene.view();
    assert_eq!((view.count, view.pair_count, view.body_count, view.last_count), (0, 0, 0, 0));
}

#[test]
fn a_panic_in_a_lane_does_not_go_through_the_program_and_comes_back_to_the_caller() {
    unsafe extern "C" fn all(_: *mut c_void, lanes: usize, lane: crate::tasks::dem_lane, arg: *mut c_void) {
        for i in 0..lanes {
            // SAFETY: the library passes these arguments.
            unsafe { lane.unwrap()(i, arg) };
        }
    }
    // SAFETY: the callback calls every lane.
    let host = unsafe { Host::new(dem_tasks { run: Some(all), lanes: 4, ..ALONE }) };
    let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        host.run(4, &|lane| assert!(lane != 2, "lane 2"));
    }));
    assert!(caught.is_err() && host.width() == 4);
}

#[test]
fn ids_name_bodies_and_each_is_there_once() {
    let mut case = Case::new();
    let mut scene = Owned::new(desc(5));
    let mut ids = [10u64, 11, 12, 13, 14];
    let named = |case: &Case, ids: &[u64]| dem_scene_query {
        ids: dem_array { data: ids.as_ptr().cast(), count: ids.len(), r#type: DEM_U64, ..NO_ARRAY },
        ..case.query()
    };
    let first = scene.step(&named(&case, &ids), 0).unwrap();
    // The program sorts its bodies: all contacts continue.
    for order in [[1, 3], [0, 4], [2, 3]] {
        let [i, j] = order;
        case.positions.swap(i, j);
        case.kinds.swap(i, j);
        ids.swap(i, j);
    }
    let second = scene.step(&named(&case, &ids), 0).unwrap();
    assert_eq!(second, dem_scene_counts { persisting: first.contacts, ..first });
    ids[3] = ids[1];
    let e = scene.step(&named(&case, &ids), 0).unwrap_err();
    assert_eq!((e.code, e.argument, e.index, e.given), (DEM_ERROR_DUPLICATE, What::Ids as u32, 3, 1));
    let floats = dem_scene_query { ids: numbers(&[0.0; 5]), ..case.query() };
    let e = scene.step(&floats, 0).unwrap_err();
    assert_eq!((e.code, e.argument), (DEM_ERROR_OUT_OF_RANGE, What::Ids as u32));
    // The error tells the right type, whatever type was given.
    for (given, wanted) in [(77, DEM_U64), (DEM_F32, DEM_U64), (DEM_U32, DEM_U64)] {
        let ids = dem_array { r#type: given, ..named(&case, &ids).ids };
        let e = scene.step(&dem_scene_query { ids, ..case.query() }, 0).unwrap_err();
        assert_eq!((e.code, e.needed, e.given), (DEM_ERROR_OUT_OF_RANGE, wanted.into(), given.into()));
    }
    let shape_of = dem_array { r#type: 77, ..words(&case.kinds) };
    let e = scene.step(&dem_scene_query { shape_of, ..case.query() }, 0).unwrap_err();
    assert_eq!((e.code, e.needed, e.given), (DEM_ERROR_OUT_OF_RANGE, DEM_I32.into(), 77));
}

#[test]
fn integers_with_a_sign_are_taken_and_negative_ones_are_behind_the_end() {
    let case = Case::new();
    let signed = |data: &[u32]| dem_array { r#type: DEM_I32, ..words(data) };
    let steps = [words(&case.kinds), signed(&case.kinds)].map(|shape_of| {
        let mut scene = Owned::new(desc(5));
        (scene.step(&dem_scene_query { shape_of, ..case.query() }, 0), scene.hash())
    });
    assert!(steps[0].0.is_ok_and(|counts| counts.contacts > 0) && steps[0] == steps[1], "{steps:?}");
    let wrong = [0, 0, -1i32 as u32, 0, 0];
    let e = Owned::new(desc(5)).step(&dem_scene_query { shape_of: signed(&wrong), ..case.query() }, 0).unwrap_err();
    assert_eq!((e.code, e.argument, e.index), (DEM_ERROR_BAD_INDEX, What::ShapeNumbers as u32, 2));
}
