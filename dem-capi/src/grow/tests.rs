//! Tests of blocks that grow, with a host that counts its memory, has none, or gives wrong memory.

use super::*;
use crate::arrays::{DEM_U32, NO_ARRAY, dem_array};
use crate::detect::{DEM_GROUPING_PATCHES, DEM_GROUPING_REGIONS, dem_scene_detect};
use crate::errors::*;
use crate::errors::{dem_error_format, dem_shortage};
use crate::placed::{DEM_KIND_CAPSULE, DEM_KIND_HALF_SPACE, DEM_KIND_MESH, DEM_KIND_SPHERE, POINT, dem_placed};
use crate::scene_corners::dem_scene_corners;
use crate::scenes::{dem_scene_contacts, dem_scene_hash, dem_scene_init, dem_scene_layout, dem_scene_view};
use crate::shapes::{dem_shape_init, dem_shape_layout};
use crate::testing::{Line, cube, scratch_of, vectors};
use core::ptr::null_mut;

/// A host's memory: the pieces in use, and how many requests it will still grant.
pub(crate) struct Heap {
    pub(crate) used: Vec<Vec<Line>>,
    pub(crate) left: usize,
    pub(crate) off: usize,
}

unsafe extern "C" fn resize(context: *mut c_void, old: *mut c_void, old_size: usize, size: usize) -> *mut c_void {
    // SAFETY: the tests pass a heap as context.
    let heap = unsafe { &mut *context.cast::<Heap>() };
    if size == 0 {
        let place = heap.used.iter().position(|lines| lines.as_ptr().cast::<u8>().wrapping_add(heap.off) == old.cast());
        let lines = heap.used.swap_remove(place.expect("memory of this heap"));
        assert!(old_size <= 64 * lines.len());
        return null_mut();
    }
    assert!(old.is_null() && old_size == 0);
    if heap.left == 0 {
        return null_mut();
    }
    heap.left -= 1;
    heap.used.push(vec![Line([0xE7; 64]); size.div_ceil(64) + 1]);
    let start = heap.used.last_mut().map_or(null_mut(), |lines| lines.as_mut_ptr());
    start.cast::<u8>().wrapping_add(heap.off).cast()
}

impl Heap {
    pub(crate) fn new() -> Box<Heap> {
        Box::new(Heap { used: Vec::new(), left: usize::MAX, off: 0 })
    }

    /// Memory of this heap with these lines in it.
    pub(crate) fn used_lines(&mut self, lines: &[Line]) -> *mut c_void {
        self.used.push(lines.to_vec());
        self.used.last_mut().map_or(null_mut(), |lines| lines.as_mut_ptr().cast())
    }

    pub(crate) fn block(&mut self) -> dem_block {
        dem_block { start: null_mut(), size: 0, resize: Some(resize), context: (&raw mut *self).cast() }
    }
}

pub(crate) fn build(block: &mut dem_block, triangles: &[[[f64; 3]; 3]]) -> dem_error {
    let desc = dem_shape_desc { vertices: vectors(triangles.as_flattened()), halo: 0.05, ..Input::DEFAULT };
    let mut error = dem_error::default();
    // SAFETY: all memory has the size that is passed.
    let status = unsafe { dem_shape_build(block, &desc, &mut error) };
    assert_eq!(status, error.code);
    error
}

/// The shape's bytes.
fn content(block: &dem_block) -> Vec<u8> {
    // SAFETY: the block contains a shape.
    let (start, size) = unsafe { blocks::stretch(block.start, Held::Shape, What::Block) }.expect("a shape");
    // SAFETY: likewise.
    unsafe { core::slice::from_raw_parts(start.cast::<u8>(), size) }.to_vec()
}

#[test]
fn shapes_are_those_of_blocks_of_the_right_size() {
    let mesh = cube();
    let desc = dem_shape_desc { vertices: vectors(mesh.as_flattened()), halo: 0.05, ..Input::DEFAULT };
    let (mut size, mut shape, mut heap) = (0, null_mut(), Heap::new());
    let mut block = heap.block();
    assert_eq!(build(&mut block, &mesh).code, DEM_OK);
    // SAFETY: all memory has the size that is passed.
    unsafe {
        assert_eq!(dem_shape_layout(&mut size, null_mut(), &desc, null_mut()), DEM_OK);
        let mut lines = vec![Line([0; 64]); size / 64];
        assert_eq!(dem_shape_init(lines.as_mut_ptr().cast(), size, &mut shape, &desc, null_mut()), DEM_OK);
        let other = dem_block { start: lines.as_mut_ptr().cast(), size, resize: None, context: null_mut() };
        assert!(content(&block) == content(&other));
    }
    // A smaller mesh uses the same memory. A larger one gets new memory, and the old memory is given back.
    let (start, used) = (block.start, heap.used.len());
    assert_eq!(build(&mut block, &mesh[..4]).code, DEM_OK);
    assert_eq!((block.start, heap.used.len()), (start, used));
    assert_eq!(build(&mut block, &crate::testing::sheet(20)).code, DEM_OK);
    assert_eq!((block.start == start, heap.used.len()), (false, used));
}

#[test]
fn shapes_without_memory_say_how_much_it_takes() {
    let mesh = cube();
    for mut heap in [None, Some(Heap::new())] {
        let mut block = match &mut heap {
            Some(heap) => heap.block(),
            None => dem_block { start: null_mut(), size: 0, resize: None, context: null_mut() },
        };
        if let Some(heap) = &mut heap {
            heap.left = 0;
        }
        let error = build(&mut block, &mesh);
        assert_eq!((error.code, error.argument, block.start), (DEM_ERROR_CAPACITY, What::Block as u32, null_mut()));
        let size = error.needed as usize;
        let mut lines = vec![Line([0; 64]); size / 64];
        (block.start, block.size, block.resize) = (lines.as_mut_ptr().cast(), size, None);
        assert_eq!(build(&mut block, &mesh).code, DEM_OK);
    }
    // Misaligned memory is given back.
    let mut heap = Heap::new();
    heap.off = 8;
    let mut block = heap.block();
    assert_eq!(build(&mut block, &mesh).code, DEM_ERROR_MISALIGNED);
    assert!(block.start.is_null() && heap.used.is_empty());
    // A wrong mesh gets no memory.
    heap.off = 0;
    let mut block = heap.block();
    assert_eq!(build(&mut block, &[[[f64::NAN; 3]; 3]]).code, DEM_ERROR_NOT_FINITE);
    assert!(heap.used.is_empty());
    // SAFETY: nothing is read from null.
    assert_eq!(unsafe { dem_shape_build(null_mut(), core::ptr::null(), null_mut()) }, DEM_ERROR_NULL);
}

/// Inputs in memory that the call would give back or write are refused before that.
#[test]
fn nothing_is_made_of_the_memory_that_it_is_to_live_in() {
    let mut heap = Heap::new();
    let mut block = heap.block();
    assert_eq!(build(&mut block, &cube()).code, DEM_OK);
    let (used, start, kept) = (heap.used.len(), block.start, content(&block));
    // Vertices inside the block, of a mesh that needs more memory and of one that needs less.
    for count in [9, block.size / size_of::<[f64; 3]>() / 9 * 9] {
        let vertices = dem_array { data: block.start.cast_const(), count, ..vectors(&[[0.0; 3]]) };
        let desc = dem_shape_desc { vertices, halo: 0.05, ..Input::DEFAULT };
        let mut error = dem_error::default();
        // SAFETY: all memory has the size that is passed.
        let status = unsafe { dem_shape_build(&mut block, &desc, &mut error) };
        assert_eq!((status, error.argument), (DEM_ERROR_OVERLAP, What::Block as u32));
        assert!(heap.used.len() == used && block.start == start && content(&block) == kept);
    }
    // Positions in the scratch after a scene.
    let crowd = Crowd::new(2);
    let mut heap = Heap::new();
    let mut scene = heap.block();
    assert_eq!(step(&mut scene, &crowd.query()).1.code, DEM_OK);
    let (start, before) = (scene.start, hash(scene.start.cast()));
    let data = scene.start.wrapping_byte_add(scene.size - 8192).cast_const();
    for count in [9, 300] {
        let positions = dem_array { data, count, ..crowd.query().positions };
        let (_, error) = step(&mut scene, &dem_scene_query { positions, ..crowd.query() });
        assert_eq!((error.code, error.argument), (DEM_ERROR_OVERLAP, What::Block as u32));
        assert!(heap.used.len() == 1 && scene.start == start && hash(start.cast()) == before);
    }
}

/// Cubes on the ground, which are nearer to each other in later steps.
struct Crowd {
    shapes: [dem_placed; 2],
    kinds: Vec<u32>,
    positions: Vec<[f64; 3]>,
    _heap: Box<Heap>,
}

impl Crowd {
    fn new(side: usize) -> Crowd {
        let mut heap = Heap::new();
        let mut block = heap.block();
        assert_eq!(build(&mut block, &cube()).code, DEM_OK);
        let cube = dem_placed { kind: DEM_KIND_MESH, solid: 1, shape: block.start.cast_const().cast(), ..POINT };
        let ground = dem_placed { kind: DEM_KIND_HALF_SPACE, halo: 0.05, ..POINT };
        let mut crowd = Crowd { shapes: [cube, ground], kinds: vec![1], positions: Vec::new(), _heap: heap };
        crowd.kinds.resize(side * side * side + 1, 0);
        crowd.apart(side, 3.0);
        crowd
    }

    fn apart(&mut self, side: usize, spacing: f64) {
        let at = |k: usize| [k % side, k / side % side, k / side / side].map(|i| i as f64 * spacing + 0.02);
        self.positions = core::iter::once([0.0; 3]).chain((0..side * side * side).map(at)).collect();
    }

    fn query(&self) -> dem_scene_query {
        let count = self.positions.len();
        let kinds = dem_array { data: self.kinds.as_ptr().cast(), count, r#type: DEM_U32, ..NO_ARRAY };
        dem_scene_query {
            shapes: self.shapes.as_ptr(),
            shape_count: self.shapes.len(),
            shape_of: kinds,
            positions: vectors(&self.positions),
            ..Input::DEFAULT
        }
    }
}

fn step(scene: &mut dem_block, query: &dem_scene_query) -> (dem_scene_counts, dem_error) {
    let (mut counts, mut error) = (dem_scene_counts::default(), dem_error::default());
    // SAFETY: all memory has the size that is passed.
    let status = unsafe { dem_scene_step(scene, &mut counts, size_of_val(&counts), query, &mut error) };
    assert_eq!(status, error.code);
    (counts, error)
}

fn hash(scene: *const dem_scene) -> u64 {
    let mut hash = 0;
    // SAFETY: the pointer is valid.
    assert_eq!(unsafe { dem_scene_hash(&mut hash, scene, null_mut()) }, DEM_OK);
    hash
}

/// The same steps in a scene with enough room.
fn ample_steps(crowd: &mut Crowd, side: usize, spacings: &[f64]) -> Vec<(u64, u64)> {
    let bodies = crowd.positions.len() as u32;
    let desc = dem_scene_desc { bodies, candidates: 40_000, contacts: 20_000, nodes: 60_000, ..Input::DEFAULT };
    let (mut size, mut scene) = (0, null_mut());
    // SAFETY: all memory has the size that is passed.
    unsafe {
        assert_eq!(dem_scene_layout(&mut size, null_mut(), &desc, null_mut()), DEM_OK);
        let mut lines = vec![Line([0; 64]); size / 64];
        assert_eq!(dem_scene_init(lines.as_mut_ptr().cast(), size, &mut scene, &desc, null_mut()), DEM_OK);
        let mut holds = 0;
        assert_eq!((dem_scene_size(&mut holds, scene, null_mut()), holds), (DEM_OK, size));
        let each = |spacing: &f64| {
            crowd.apart(side, *spacing);
            let query = dem_scene_query { pairs: 4096, pair_contacts: 256, ..crowd.query() };
            let mut counts = dem_scene_counts::default();
            let size = scratch_of(|to, size, error| dem_scene_detect(scene, null_mut(), 0, &query, to, size, error));
            let mut scratch = vec![0u8; size];
            let to = scratch.as_mut_ptr().cast();
            let status = dem_scene_detect(scene, &mut counts, size_of_val(&counts), &query, to, size, null_mut());
            assert_eq!(status, DEM_OK);
            (counts.contacts, hash(scene))
        };
        spacings.iter().map(each).collect()
    }
}

#[test]
fn scenes_grow_as_bodies_come_together() {
    let (side, spacings) = (7, [3.0, 3.0, 1.05, 1.02, 1.02, 3.0]);
    let mut crowd = Crowd::new(side);
    let expected = ample_steps(&mut crowd, side, &spacings);
    let mut heap = Heap::new();
    let mut scene = heap.block();
    let (mut moved, mut asked) = (Vec::new(), Vec::new());
    for (spacing, (contacts, hashed)) in spacings.iter().zip(&expected) {
        crowd.apart(side, *spacing);
        let (before, left) = (scene.start, heap.left);
        let (counts, error) = step(&mut scene, &crowd.query());
        assert_eq!((error.code, counts.contacts), (DEM_OK, *contacts), "{error:?}");
        assert_eq!(heap.used.len(), 1);
        asked.push(left - heap.left);
        moved.push(before != scene.start);
        // The amount of room is not a part of the state.
        assert_eq!(hash(scene.start.cast()), *hashed);
    }
    assert!(moved[2] && !moved[1] && !moved[4] && !moved[5], "{moved:?}");
    // At most three requests: for candidates, for the needs of two bodies, and for those of all bodies.
    assert!(asked.iter().skip(1).all(|times| *times <= 3), "{asked:?}");
    assert!(expected[2].0 > 1000);
    // A copy of its first bytes continues as the scene does.
    let mut size = 0;
    // SAFETY: the scene exists, and the copy has room for its bytes.
    unsafe {
        assert_eq!(dem_scene_size(&mut size, scene.start.cast(), null_mut()), DEM_OK);
        let mut copy = vec![Line([0; 64]); size.div_ceil(64)];
        core::ptr::copy_nonoverlapping(scene.start.cast::<u8>(), copy.as_mut_ptr().cast(), size);
        let mut other = Heap::new();
        let mut block = other.block();
        (block.start, block.size, block.resize) = (copy.as_mut_ptr().cast(), size, None);
        crowd.apart(side, 1.02);
        let (_, short) = step(&mut block, &crowd.query());
        assert_eq!(short.code, DEM_ERROR_CAPACITY);
        let mut larger = vec![Line([0; 64]); (size + short.needed as usize) / 64 + 1];
        core::ptr::copy_nonoverlapping(scene.start.cast::<u8>(), larger.as_mut_ptr().cast(), size);
        (block.start, block.size) = (larger.as_mut_ptr().cast(), 64 * larger.len());
        let (counts, error) = step(&mut block, &crowd.query());
        assert_eq!((error.code, counts.contacts), (DEM_OK, expected[3].0), "{error:?}");
        step(&mut scene, &crowd.query());
        assert_eq!(hash(block.start.cast()), hash(scene.start.cast()));
    }
}

#[test]
fn bodies_may_become_more() {
    let (mut few, mut many) = (Crowd::new(2), Crowd::new(5));
    few.apart(2, 1.05);
    many.apart(5, 1.05);
    let mut heap = Heap::new();
    let mut scene = heap.block();
    let (counts, error) = step(&mut scene, &few.query());
    assert!(error.code == DEM_OK && counts.contacts > 0);
    let (counts, error) = step(&mut scene, &many.query());
    assert!(error.code == DEM_OK && counts.contacts > 100, "{error:?}");
    let (again, _) = step(&mut scene, &few.query());
    assert!(again.contacts > 0 && again.contacts < counts.contacts);
    let none = Crowd { positions: Vec::new(), kinds: Vec::new(), ..Crowd::new(1) };
    assert_eq!(step(&mut scene, &none.query()).1.code, DEM_OK);
    assert_eq!(heap.used.len(), 1);
}

#[test]
fn a_host_that_runs_out_of_memory_loses_nothing() {
    let (side, mut crowd) = (5, Crowd::new(5));
    crowd.apart(side, 3.0);
    let mut heap = Heap::new();
    let mut scene = heap.block();
    assert_eq!(step(&mut scene, &crowd.query()).1.code, DEM_OK);
    let before = hash(scene.start.cast());
    crowd.apart(side, 1.02);
    let mut failures = 0;
    for left in 0..40 {
        heap.left = left;
        let (_, error) = step(&mut scene, &crowd.query());
        assert_eq!(heap.used.len(), 1);
        if error.code == DEM_OK {
            break;
        }
        failures += 1;
        assert_eq!((error.code, error.argument), (DEM_ERROR_CAPACITY, What::Block as u32), "{error:?}");
        assert!(error.needed > error.given);
        assert_eq!(hash(scene.start.cast()), before);
    }
    assert!(failures > 0 && hash(scene.start.cast()) != before);
}

#[test]
fn a_query_that_is_wrong_gets_no_memory() {
    let crowd = Crowd::new(2);
    let mut heap = Heap::new();
    let mut scene = heap.block();
    let wrong = dem_scene_query { pair_contacts: usize::MAX, ..crowd.query() };
    assert_ne!(step(&mut scene, &wrong).1.code, DEM_OK);
    assert!(heap.used.is_empty() && scene.start.is_null());
    let kinds = vec![7u32; crowd.positions.len()];
    let shape_of = dem_array { data: kinds.as_ptr().cast(), ..crowd.query().shape_of };
    assert_eq!(step(&mut scene, &dem_scene_query { shape_of, ..crowd.query() }).1.code, DEM_ERROR_BAD_INDEX);
    assert_eq!(step(&mut scene, &crowd.query()).1.code, DEM_OK);
    // A block with another kind of object is refused.
    let mut shape = heap.block();
    assert_eq!(build(&mut shape, &cube()).code, DEM_OK);
    let bytes = content(&shape);
    assert_ne!(step(&mut shape, &crowd.query()).1.code, DEM_OK);
    assert!(content(&shape) == bytes);
    // SAFETY: nothing is read from null.
    unsafe {
        let null = core::ptr::null();
        assert_eq!(dem_scene_step(null_mut(), null_mut(), 0, &crowd.query(), null_mut()), DEM_ERROR_NULL);
        assert_eq!(dem_scene_step(&mut scene, null_mut(), 0, null, null_mut()), DEM_ERROR_NULL);
        assert_eq!(dem_scene_step(&mut scene, null_mut(), 0, &crowd.query(), null_mut()), DEM_OK);
        assert_eq!(dem_scene_size(null_mut(), scene.start.cast(), null_mut()), DEM_ERROR_NULL);
    }
}

fn manifolds(scene: &mut dem_block, corners: &mut dem_block, query: &dem_scene_query) -> (usize, dem_error) {
    let (mut count, mut error) = (99, dem_error::default());
    // SAFETY: all memory has the size that is passed.
    let status = unsafe { dem_scene_manifolds(scene, corners, &mut count, query, 0, &mut error) };
    assert_eq!(status, error.code);
    (count, error)
}

fn corner_bytes(corners: &dem_block, count: usize) -> Vec<u8> {
    // SAFETY: the block contains `count` corners.
    unsafe { core::slice::from_raw_parts(corners.start.cast::<u8>(), count * size_of::<dem_contact_corner>()) }.to_vec()
}

#[test]
fn manifolds_are_the_corners_in_memory_that_grows() {
    let (side, mut crowd) = (4, Crowd::new(4));
    crowd.apart(side, 1.02);
    let (mut heap, mut other) = (Heap::new(), Heap::new());
    let (mut scene, mut corners) = (heap.block(), other.block());
    // No step was made yet.
    assert_eq!(manifolds(&mut scene, &mut corners, &crowd.query()).1.code, DEM_ERROR_NULL);
    let (counts, error) = step(&mut scene, &crowd.query());
    assert!(error.code == DEM_OK && counts.contacts > 100);
    let before = hash(scene.start.cast());
    // If the host has no memory, nothing is lost.
    other.left = 0;
    let (count, error) = manifolds(&mut scene, &mut corners, &crowd.query());
    assert_eq!((count, error.code, error.argument), (0, DEM_ERROR_CAPACITY, What::Block as u32));
    other.left = usize::MAX;
    let (count, error) = manifolds(&mut scene, &mut corners, &crowd.query());
    assert_eq!((error.code, hash(scene.start.cast())), (DEM_OK, before), "{error:?}");
    // The corners are the same as in memory of the right size.
    let mut expected = vec![Line([0; 64]); count * size_of::<dem_contact_corner>() / 64 + 1];
    let mut scratch = vec![0u8; 1 << 24];
    let query = dem_scene_query { pairs: 4096, ..crowd.query() };
    let mut told = 0;
    // SAFETY: all memory has the size that is passed.
    unsafe {
        let (to, size) = (scratch.as_mut_ptr().cast(), scratch.len());
        let list = expected.as_mut_ptr().cast();
        let status = dem_scene_corners(scene.start.cast(), list, count, &mut told, &query, 0, to, size, null_mut());
        assert_eq!((status, told), (DEM_OK, count));
    }
    let expected = dem_block { start: expected.as_mut_ptr().cast(), ..corners };
    assert!(count as u64 > counts.contacts && corner_bytes(&corners, count) == corner_bytes(&expected, count));
    // The memory is used again, and is enough for fewer corners.
    let (start, used) = (corners.start, other.used.len());
    crowd.apart(side, 1.05);
    step(&mut scene, &crowd.query());
    let (fewer, error) = manifolds(&mut scene, &mut corners, &crowd.query());
    assert!(error.code == DEM_OK && fewer <= count && (corners.start, other.used.len()) == (start, used));
    // Without a function that gets memory, the error tells the bytes that are enough.
    let mut fixed = dem_block { resize: None, size: 128, ..corners };
    let (_, error) = manifolds(&mut scene, &mut fixed, &crowd.query());
    assert_eq!((error.code, error.argument), (DEM_ERROR_CAPACITY, What::Block as u32));
    assert_eq!(error.needed as usize, fewer * size_of::<dem_contact_corner>());
    fixed.size = error.needed as usize;
    assert_eq!(manifolds(&mut scene, &mut fixed, &crowd.query()).0, fewer);
    // Corners must not overlap the scene or the scratch after it.
    for at in [0, scene.size - 4096] {
        let mut inside = dem_block { start: scene.start.wrapping_byte_add(at / 64 * 64), size: 4096, ..fixed };
        let (_, error) = manifolds(&mut scene, &mut inside, &crowd.query());
        assert_eq!(error.code, DEM_ERROR_OVERLAP);
    }
    // SAFETY: nothing is read from null.
    unsafe {
        let mut count = 0;
        let null = null_mut();
        assert_eq!(dem_scene_manifolds(null, &mut corners, &mut count, &query, 0, null_mut()), DEM_ERROR_NULL);
        assert_eq!(dem_scene_manifolds(&mut scene, null, &mut count, &query, 0, null_mut()), DEM_ERROR_NULL);
        assert_eq!(dem_scene_manifolds(&mut scene, &mut corners, null_mut(), &query, 0, null_mut()), DEM_ERROR_NULL);
    }
    assert_eq!(heap.used.len(), 1);
}

/// Makes a step in a scene with exactly this room.
fn step_within(desc: &dem_scene_desc, query: &dem_scene_query) -> (dem_scene_counts, dem_error) {
    let (mut size, mut scene, mut counts, mut error) =
        (0, null_mut(), dem_scene_counts::default(), dem_error::default());
    // SAFETY: all memory has the size that is passed.
    unsafe {
        assert_eq!(dem_scene_layout(&mut size, null_mut(), desc, null_mut()), DEM_OK);
        let mut lines = vec![Line([0; 64]); size / 64];
        assert_eq!(dem_scene_init(lines.as_mut_ptr().cast(), size, &mut scene, desc, null_mut()), DEM_OK);
        size = scratch_of(|to, size, error| dem_scene_detect(scene, null_mut(), 0, query, to, size, error));
        let mut scratch = vec![0u8; size];
        let to = scratch.as_mut_ptr().cast();
        dem_scene_detect(scene, &mut counts, size_of_val(&counts), query, to, size, &mut error);
    }
    (counts, error)
}

#[test]
fn all_that_is_short_is_told_at_once() {
    let mut crowd = Crowd::new(4);
    crowd.apart(4, 1.02);
    let mut query = dem_scene_query { pairs: 4096, pair_contacts: 256, margin: 0.01, ..crowd.query() };
    let ample = dem_scene_desc {
        bodies: 65,
        candidates: 4000,
        contacts: 4000,
        margin_contacts: 4000,
        nodes: 9000,
        ..Input::DEFAULT
    };
    let (expected, error) = step_within(&ample, &query);
    assert!(error == dem_error::default() && expected.contacts > 100, "{error:?}");
    // Too little room in several lists of the scene: the error tells each need exactly.
    let mut desc = dem_scene_desc { contacts: 7, margin_contacts: 8, nodes: 9, ..ample };
    let (told, error) = step_within(&desc, &query);
    assert_eq!((error.code, error.argument), (DEM_ERROR_CAPACITY, What::Contacts as u32));
    let short = error.short_of;
    let exact = dem_shortage {
        contacts: expected.contacts,
        margin_contacts: expected.margin_contacts,
        nodes: short.nodes,
        scratch: short.scratch,
        ..dem_shortage::default()
    };
    assert!(short == exact && short.nodes > 9 && short.scratch > 9 && told == dem_scene_counts::default(), "{short:?}");
    let [contacts, margin_contacts, nodes] = [short.contacts, short.margin_contacts, short.nodes].map(|n| n as u32);
    desc = dem_scene_desc { contacts, margin_contacts, nodes, ..ample };
    assert_eq!(step_within(&desc, &query).0, expected);
    // Too little room for contacts of two bodies (rocks have several if each patch pair is one), and in a list of the scene.
    let patches = dem_scene_query { grouping: DEM_GROUPING_PATCHES as _, pair_contacts: 1, ..query };
    let (_, error) = step_within(&dem_scene_desc { contacts: 7, ..desc }, &patches);
    assert_eq!((error.code, error.argument), (DEM_ERROR_CAPACITY, DEM_ARGUMENT_PAIR_CONTACTS));
    assert!(error.short_of.pair_contacts > 1 && error.short_of.pairs == 0, "{error:?}");
    assert!(error.short_of.contacts > expected.contacts, "{error:?}");
    // Too little room for the triangles of two bodies, and in a list of the scene.
    (query.pairs, desc.contacts) = (1, 7);
    let (_, error) = step_within(&desc, &query);
    assert_eq!((error.code, error.argument), (DEM_ERROR_CAPACITY, What::Pairs as u32));
    assert!(error.short_of.pairs > 1 && error.short_of.pairs == error.needed, "{error:?}");
    assert!(error.short_of.contacts >= expected.contacts, "{error:?}");
}

/// All capacities of an empty scene are 1: one error names them all, and one growth is enough.
#[test]
fn one_growth_is_enough_where_everything_is_too_small() {
    let mut crowd = Crowd::new(4);
    crowd.apart(4, 1.02);
    for (margin, grouping) in [(0.0, DEM_GROUPING_REGIONS), (0.01, DEM_GROUPING_REGIONS), (0.0, DEM_GROUPING_PATCHES)] {
        let usual = dem_scene_query { margin, grouping: grouping as _, ..crowd.query() };
        let ample = dem_scene_desc {
            bodies: 65,
            candidates: 4000,
            contacts: 4000,
            margin_contacts: 4000,
            nodes: 9000,
            ..Input::DEFAULT
        };
        let (expected, _) = step_within(&ample, &dem_scene_query { pairs: 4096, pair_contacts: 256, ..usual });
        assert!(expected.contacts > 100);
        let small =
            dem_scene_desc { bodies: 1, candidates: 1, contacts: 1, margin_contacts: 1, nodes: 1, ..Input::DEFAULT };
        let (_, error) = step_within(&small, &dem_scene_query { pairs: 1, pair_contacts: 1, ..usual });
        let short = error.short_of;
        assert_eq!((error.code, error.argument, short.bodies), (DEM_ERROR_CAPACITY, DEM_ARGUMENT_BODIES, 65));
        let sizes = [short.candidates, short.contacts, short.pairs, short.pair_contacts, short.scratch];
        assert!(sizes.iter().all(|n| *n > 1) && (short.margin_contacts > 1) == (margin > 0.0), "{short:?}");
        let n = |n: u64| n.max(1) as u32;
        let desc = dem_scene_desc {
            bodies: n(short.bodies),
            candidates: n(short.candidates),
            contacts: n(short.contacts),
            margin_contacts: n(short.margin_contacts),
            nodes: n(short.nodes),
            ..Input::DEFAULT
        };
        let query = dem_scene_query { pairs: short.pairs as _, pair_contacts: short.pair_contacts as _, ..usual };
        let (found, error) = step_within(&desc, &query);
        assert_eq!((found, error), (expected, dem_error::default()));
        let mut text = [0u8; DEM_ERROR_TEXT];
        let told = dem_error {
            short_of: short,
            ..dem_error { code: DEM_ERROR_CAPACITY, argument: DEM_ARGUMENT_BODIES, ..error }
        };
        // SAFETY: the pointers are valid, and the text has the size that is passed.
        let status = unsafe { dem_error_format(text.as_mut_ptr().cast(), text.len(), null_mut(), &told) };
        let text = core::ffi::CStr::from_bytes_until_nul(&text).unwrap().to_str().unwrap();
        let named = format!(
            "too little room; enough would be: bodies 65, candidates {}, contacts {}",
            short.candidates, short.contacts
        );
        assert!(status == DEM_OK && text.starts_with(&named) && text.ends_with("nothing was changed"), "{text}");
    }
}

/// Makes the first step of a scene: its bytes, its counts, its number of nodes, and the number of requests for memory.
fn first_step(shape: dem_placed, positions: &[[f64; 3]]) -> (usize, dem_scene_counts, usize, usize) {
    let mut heap = Heap::new();
    let mut scene = heap.block();
    let query = dem_scene_query { shapes: &shape, shape_count: 1, positions: vectors(positions), ..Input::DEFAULT };
    let (counts, error) = step(&mut scene, &query);
    assert_eq!(error.code, DEM_OK, "{error:?}");
    let mut view = core::mem::MaybeUninit::<dem_scene_contacts>::uninit();
    // SAFETY: the scene exists, and all of the view is written.
    let nodes = unsafe {
        let status = dem_scene_view(view.as_mut_ptr(), size_of_val(&view), scene.start.cast(), null_mut());
        assert_eq!(status, DEM_OK);
        view.assume_init().node_count
    };
    (scene.size, counts, nodes, usize::MAX - heap.left)
}

/// Balls in rows; only balls of the same row touch.
#[test]
fn scenes_of_balls_take_memory_for_contacts_that_they_have() {
    let positions: Vec<_> = (0..27_000).map(|i| [i % 30, i / 30 % 30, i / 900].map(f64::from)).collect();
    let positions: Vec<_> = positions.iter().map(|[x, y, z]| [1.99 * x, 2.5 * y, 2.5 * z]).collect();
    let ball = dem_placed { kind: DEM_KIND_SPHERE, radius: 1.0, ..POINT };
    let (size, counts, _, asked) = first_step(ball, &positions);
    assert_eq!(counts.contacts, 29 * 900);
    let most = 900 * positions.len() + 900 * counts.contacts as usize;
    assert!(size < most && asked <= 3, "{size} bytes, {most}; {asked} times");
}

/// Fibres side by side: their bounding spheres meet, but few of them touch.
#[test]
fn scenes_of_fibres_take_little_memory_for_candidates() {
    let positions: Vec<_> = (0..900).map(|i| [2.005 * f64::from(i % 30), 2.005 * f64::from(i / 30), 0.0]).collect();
    let fibre = dem_placed { kind: DEM_KIND_CAPSULE, half_length: 100.0, radius: 1.0, halo: 0.01, ..POINT };
    let (size, counts, _, asked) = first_step(fibre, &positions);
    assert!(counts.candidates > 400_000 && counts.contacts == 2 * 29 * 30, "{counts:?}");
    let most = 70 * counts.candidates as usize + 4000 * counts.contacts as usize;
    assert!(size < most && asked <= 3, "{size} bytes, {most}; {asked} times");
}

/// A ball of radius 1 with triangles of about equal size: a cube with `squares` by `squares` squares a side, an even number, projected to the ball.
pub(crate) fn fine_ball(squares: usize) -> Vec<[[f64; 3]; 3]> {
    let half = squares as f64 / 2.0;
    let at = |side: usize, i: usize, k: usize| {
        let [u, v] = [i, k].map(|x| (x as f64 - half) / half);
        let (mut corner, sign) = ([0.0; 3], if side < 3 { 1.0 } else { -1.0 });
        (corner[side % 3], corner[(side + 1) % 3], corner[(side + 2) % 3]) = (sign, u, sign * v);
        // The same result for each side that has this corner, so that the ball is closed.
        let length = corner.iter().fold(0.0, |sum, x| sum + x * x).sqrt();
        corner.map(|x| x / length)
    };
    let places = (0..6).flat_map(|side| (0..squares * squares).map(move |n| (side, n % squares, n / squares)));
    let square = |(side, i, k)| {
        let [a, b, c, d] = [at(side, i, k), at(side, i + 1, k), at(side, i + 1, k + 1), at(side, i, k + 1)];
        [[a, b, c], [a, c, d]]
    };
    places.flat_map(square).collect()
}

/// Meshes of many triangles: each two of them have one contact of many nodes.
#[test]
fn scenes_of_fine_meshes_take_memory_for_nodes_that_they_have() {
    let mut heap = Heap::new();
    let mut block = heap.block();
    assert_eq!(build(&mut block, &fine_ball(26)).code, DEM_OK);
    let positions: Vec<_> = (0..27).map(|i| [i % 3, i / 3 % 3, i / 9].map(|x| 1.98 * f64::from(x))).collect();
    let rock = dem_placed { kind: DEM_KIND_MESH, solid: 1, shape: block.start.cast_const().cast(), ..POINT };
    let (size, counts, nodes, asked) = first_step(rock, &positions);
    assert!(counts.contacts == 54 && nodes > 10_000, "{counts:?}, {nodes}");
    // Of these, scratch has the record of a contact for each node.
    let most = 355 * nodes;
    assert!(size < most && asked <= 3, "{size} bytes, {most}; {asked} times; {nodes} nodes");
}

/// The first scratch has no room for a ball whose centre is below the plane.
#[test]
fn scenes_of_balls_get_scratch_for_one_that_is_below_the_ground() {
    let mut positions: Vec<_> = (0..4000).map(|i| [2.1 * f64::from(i % 60), 2.1 * f64::from(i / 60), 0.99]).collect();
    let mut kinds = vec![0u32; 4000];
    kinds[0] = 1;
    positions[0][2] = 0.0;
    let shapes = [
        dem_placed { kind: DEM_KIND_SPHERE, radius: 1.0, halo: 0.01, ..POINT },
        dem_placed { kind: DEM_KIND_HALF_SPACE, halo: 0.01, ..POINT },
    ];
    let mut heap = Heap::new();
    let mut scene = heap.block();
    let mut sizes = Vec::new();
    for height in [0.99, -0.5, 0.99] {
        positions[77][2] = height;
        let count = kinds.len();
        let kinds = dem_array { data: kinds.as_ptr().cast(), count, r#type: DEM_U32, ..NO_ARRAY };
        let query = dem_scene_query {
            shapes: shapes.as_ptr(),
            shape_count: 2,
            shape_of: kinds,
            positions: vectors(&positions),
            ..Input::DEFAULT
        };
        let (counts, error) = step(&mut scene, &query);
        assert_eq!((error.code, counts.contacts), (DEM_OK, 3999), "{error:?}");
        sizes.push(scene.size);
    }
    assert!(sizes[0] < sizes[1] && sizes[1] == sizes[2], "{sizes:?}");
}
