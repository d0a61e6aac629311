//! Tests of blocks of worlds: copies, files, growth. Also the common parts of other tests of worlds.

#![allow(clippy::result_large_err)] // Errors are those of C.

use core::ffi::c_void;

use super::*;
use crate::errors::*;
use crate::laws::dem_interaction;
use crate::placed::{DEM_KIND_COMPOUND, DEM_KIND_HALF_SPACE, POINT, dem_compound, dem_placed};
use crate::testing::Line;
use crate::world_bodies::*;
use crate::world_steps::*;
use crate::world_views::*;

pub(crate) const NULL: *mut c_void = core::ptr::null_mut();
pub(crate) const DT: f64 = 1e-3;

/// Half-space, ball, and a compound of two balls, whose memory is leaked.
pub(crate) fn table() -> Vec<dem_placed> {
    let ball = dem_placed { radius: 0.25, halo: 0.02, ..POINT };
    let mut parts = [dem_placed { radius: 0.15, ..ball }; 2];
    parts[0].pose.position = [0.1, 0.0, 0.0];
    parts[1].pose.position = [-0.1, 0.0, 0.0];
    let parts = Box::leak(Box::new(parts));
    let compound = dem_compound { parts: parts.as_ptr(), count: 2, ..Input::DEFAULT };
    let shape = (&raw const *Box::leak(Box::new(compound))).cast();
    let ground = dem_placed { kind: DEM_KIND_HALF_SPACE, halo: 0.02, ..POINT };
    vec![ground, ball, dem_placed { kind: DEM_KIND_COMPOUND, shape, ..POINT }]
}

/// Pressure with damping and friction.
pub(crate) fn rough() -> dem_interaction {
    dem_interaction {
        stiffness: 2e5,
        damped: crate::laws::DEM_DAMPING_DASHPOT,
        damping: 0.2,
        friction: 0.4,
        shear: 0.5,
        torsion: 1.0,
        ..Default::default()
    }
}

pub(crate) fn query(shapes: &[dem_placed], laws: &[dem_interaction]) -> dem_world_query {
    dem_world_query {
        shapes: shapes.as_ptr(),
        shape_count: shapes.len(),
        interactions: laws.as_ptr(),
        interaction_count: laws.len(),
        ..Input::DEFAULT
    }
}

/// Ground, balls and pairs of balls above each other.
pub(crate) fn heap() -> Vec<dem_member> {
    let mut members = vec![dem_member { id: 1000, ..Input::DEFAULT }];
    for i in 0..12_u64 {
        let place = [0.62 * (i % 2) as f64, 0.6 * (i / 2 % 2) as f64, 0.27 + 0.55 * (i / 4) as f64];
        let mut member = dem_member { shape: 1 + (i % 3 == 1) as u32, id: 5 * i % 13, ..Input::DEFAULT };
        // SAFETY: three numbers.
        unsafe { assert_eq!(dem_body_ball(&mut member.body, place.as_ptr(), 0.25, 800.0, NULL.cast()), DEM_OK) };
        member.body.velocity = [0.1 * (i % 5) as f64, -0.2, -0.5];
        member.body.angular_velocity = [0.0, 1.0, 0.3 * i as f64];
        members.push(member);
    }
    members
}

/// A world with its memory.
#[derive(Clone)]
pub(crate) struct Owned {
    pub block: Vec<Line>,
    pub scratch: Vec<u8>,
}

impl Owned {
    /// An empty world.
    pub fn new(desc: &dem_world_desc) -> Owned {
        let (mut size, mut world) = (0, core::ptr::null_mut());
        // SAFETY: all memory has the size that is passed.
        unsafe {
            assert_eq!(dem_world_layout(&mut size, core::ptr::null_mut(), desc, NULL.cast()), DEM_OK);
            let mut block = vec![Line([0x55; 64]); size / 64];
            assert_eq!(dem_world_init(block.as_mut_ptr().cast(), size, &mut world, desc, NULL.cast()), DEM_OK);
            assert_eq!(world.cast(), block.as_mut_ptr());
            Owned { block, scratch: vec![0; 1 << 21] }
        }
    }

    /// A world with the bodies of [`heap`], under gravity.
    pub fn filled(desc: &dem_world_desc) -> (Owned, Vec<u64>) {
        let mut own = Owned::new(desc);
        let setup = dem_world_setup { gravity: [0.0, 0.0, -10.0], ..Input::DEFAULT };
        // SAFETY: there is a world.
        unsafe { assert_eq!(dem_world_set_up(own.world(), &setup, NULL.cast()), DEM_OK) };
        let handles = heap().iter().map(|member| own.add(member)).collect();
        (own, handles)
    }

    pub fn add(&mut self, member: &dem_member) -> u64 {
        let (mut handle, mut error) = (0, dem_error::default());
        // SAFETY: there is a world.
        let status = unsafe { dem_world_add(self.world(), &mut handle, member, &mut error) };
        assert_eq!(status, DEM_OK, "{error:?}");
        handle
    }

    pub fn world(&mut self) -> *mut dem_world {
        self.block.as_mut_ptr().cast()
    }

    pub fn bytes(&self) -> Vec<u8> {
        self.block.iter().flat_map(|line| line.0).collect()
    }

    pub fn hash(&self) -> u64 {
        let mut hash = 0;
        // SAFETY: there is a world.
        unsafe { assert_eq!(dem_world_hash(&mut hash, self.block.as_ptr().cast(), NULL.cast()), DEM_OK) };
        hash
    }

    pub fn begin(&mut self, asks: u32) {
        // SAFETY: there is a world.
        unsafe { assert_eq!(dem_world_begin(self.world(), DT, asks, NULL.cast()), DEM_OK) };
    }

    pub fn poll(&mut self, query: &dem_world_query) -> core::result::Result<u32, dem_error> {
        let (mut want, mut error) = (99, dem_error::default());
        let (scratch, size) = (self.scratch.as_mut_ptr().cast(), self.scratch.len());
        // SAFETY: there is a world, and the scratch has the size that is passed.
        let status = unsafe { dem_world_poll(self.world(), &mut want, query, scratch, size, &mut error) };
        assert_eq!(status, error.code);
        if status == DEM_OK { Ok(want) } else { Err(error) }
    }

    /// Completes and accepts the step.
    pub fn finish(&mut self, query: &dem_world_query) {
        loop {
            match self.poll(query).unwrap() {
                DEM_WANT_DONE => break,
                DEM_WANT_STUCK => panic!("stuck"),
                _ => {}
            }
        }
        // SAFETY: there is a world.
        unsafe { assert_eq!(dem_world_accept(self.world(), NULL.cast()), DEM_OK) };
    }

    pub fn step(&mut self, query: &dem_world_query) {
        self.begin(0);
        self.finish(query);
    }

    pub fn advance(&mut self, length: f64, query: &dem_world_query) -> core::result::Result<(), dem_error> {
        let mut error = dem_error::default();
        let (scratch, size) = (self.scratch.as_mut_ptr().cast(), self.scratch.len());
        // SAFETY: there is a world, and the scratch has the size that is passed.
        let status = unsafe { dem_world_advance(self.world(), query, length, DT, scratch, size, &mut error) };
        if status == DEM_OK { Ok(()) } else { Err(error) }
    }

    pub fn view(&self) -> dem_world_slots {
        let mut view = core::mem::MaybeUninit::uninit();
        let size = size_of::<dem_world_slots>();
        // SAFETY: there is a world, and the struct is written as a whole.
        unsafe {
            assert_eq!(dem_world_view(view.as_mut_ptr(), size, self.block.as_ptr().cast(), NULL.cast()), DEM_OK);
            view.assume_init()
        }
    }

    pub fn report(&self) -> dem_world_report {
        let mut report = dem_world_report::default();
        let (size, world) = (size_of_val(&report), self.block.as_ptr().cast());
        // SAFETY: there is a world.
        unsafe { assert_eq!(dem_world_measure(&mut report, size, world, core::ptr::null(), NULL.cast()), DEM_OK) };
        report
    }
}

pub(crate) const ROOM: dem_world_desc = dem_world_desc { bodies: 16, ..Input::DEFAULT };

#[test]
fn a_copy_in_the_midst_of_a_step_goes_on_with_the_same_bits() {
    let (shapes, laws) = (table(), [rough()]);
    let query = query(&shapes, &laws);
    let (mut own, _) = Owned::filled(&ROOM);
    let mut contacts = 0;
    for step in 0..240 {
        let before = own.hash();
        own.begin(0);
        for _ in 0..step % 3 {
            own.poll(&query).unwrap();
        }
        // The copy is at another address. The first world abandons its step and makes it anew.
        let mut copy = own.clone();
        copy.finish(&query);
        // SAFETY: there is a world.
        unsafe { assert_eq!(dem_world_abandon(own.world(), NULL.cast()), DEM_OK) };
        assert_eq!(own.hash(), before);
        own.step(&query);
        assert_eq!(own.hash(), copy.hash(), "step {step}");
        assert_ne!(own.hash(), before);
        contacts += own.view().act_count;
    }
    assert!(contacts > 500, "{contacts}");
}

#[test]
fn rolling_back_and_going_on_comes_to_the_same_hash() {
    let (shapes, laws) = (table(), [rough()]);
    let query = query(&shapes, &laws);
    let (mut own, handles) = Owned::filled(&ROOM);
    let mut ring = Vec::new();
    let mut hashes = Vec::new();
    for frame in 0..24 {
        ring.push(own.clone());
        hashes.push(own.hash());
        own.advance(8.0 * DT, &query).unwrap();
        if frame % 8 == 7 {
            let end = own.hash();
            // The prediction was wrong: other forces.
            own = ring[frame - 7].clone();
            let load = dem_wrench { force: [50.0, 0.0, 0.0], torque: [0.0; 3] };
            // SAFETY: there is a world.
            unsafe { assert_eq!(dem_world_set_load(own.world(), handles[1], &load, NULL.cast()), DEM_OK) };
            own.advance(64.0 * DT, &query).unwrap();
            assert_ne!(own.hash(), end);
            // The prediction was right: the same again, frame by frame.
            own = ring[frame - 7].clone();
            for (again, hash) in hashes.iter().enumerate().skip(frame - 7) {
                assert_eq!(own.hash(), *hash, "frame {again}");
                own.advance(8.0 * DT, &query).unwrap();
            }
            assert_eq!(own.hash(), end);
        }
    }
}

#[test]
fn a_file_is_whole_or_refused_at_any_address() {
    let (shapes, laws) = (table(), [rough()]);
    let query = query(&shapes, &laws);
    let (mut own, _) = Owned::filled(&ROOM);
    own.advance(0.1, &query).unwrap();
    own.begin(0);
    own.poll(&query).unwrap();
    let (world, before, mut count) = (own.world(), own.bytes(), 0);
    // SAFETY: all memory has the size that is passed.
    unsafe {
        assert_eq!(dem_world_save(core::ptr::null_mut(), 0, &mut count, world, NULL.cast()), DEM_ERROR_CAPACITY);
        assert_eq!(count, 64 * own.block.len() - DEM_ALIGN);
        let mut saved = vec![0u8; count + 1];
        let bytes = &mut saved[1..];
        assert_eq!(dem_world_save(bytes.as_mut_ptr(), count, &mut count, world, NULL.cast()), DEM_OK);
        assert_eq!(own.bytes(), before);

        let mut block = vec![Line([0x55; 64]); own.block.len()];
        let (memory, size) = (block.as_mut_ptr().cast(), 64 * block.len());
        let mut opened = core::ptr::null_mut();
        let mut load =
            |bytes: &[u8], size| dem_world_load(memory, size, &mut opened, bytes.as_ptr(), bytes.len(), NULL.cast());
        for place in [0, 9, 40, 70, 200, count / 2, count - 1] {
            bytes[place] ^= 4;
            assert_eq!(load(bytes, size), DEM_ERROR_DAMAGED, "{place}");
            bytes[place] ^= 4;
        }
        for cut in [0, 10, 63, 64, count / 2, count - 1] {
            assert_eq!(load(&bytes[..cut], size), DEM_ERROR_DAMAGED, "{cut}");
        }
        let longer: Vec<u8> = bytes.iter().chain(&[0; 64]).copied().collect();
        assert_eq!(load(&longer, size), DEM_ERROR_CAPACITY);
        assert_eq!(load(bytes, size - 1), DEM_ERROR_CAPACITY);
        assert_eq!(load(bytes, size), DEM_OK);
        assert_eq!(opened.cast(), memory);
        let mut loaded = Owned { block, scratch: vec![0; 1 << 21] };
        assert_eq!(loaded.hash(), own.hash());
        loaded.finish(&query);
        own.finish(&query);
        loaded.advance(0.05, &query).unwrap();
        own.advance(0.05, &query).unwrap();
        assert_eq!(loaded.hash(), own.hash());
        // A world that has continued is saved with another checksum.
        let mut again = vec![0u8; count];
        assert_eq!(dem_world_save(again.as_mut_ptr(), count, &mut count, loaded.world(), NULL.cast()), DEM_OK);
        let mut third = Owned { block: vec![Line([0; 64]); loaded.block.len()], scratch: Vec::new() };
        let to = third.world().cast();
        assert_eq!(dem_world_load(to, size, &mut opened, again.as_ptr(), count, NULL.cast()), DEM_OK);
        assert_eq!(third.hash(), own.hash());
    }
}

#[test]
fn a_world_that_is_too_small_grows_in_the_midst_of_a_step_and_a_window() {
    let (shapes, laws) = (table(), [rough()]);
    let query = query(&shapes, &laws);
    let (mut roomy, _) = Owned::filled(&ROOM);
    roomy.advance(0.4, &query).unwrap();
    let (mut own, handles) =
        Owned::filled(&dem_world_desc { bodies: 13, candidates: 1, contacts: 1, ..Input::DEFAULT });
    let (mut grown, mut asked) = (0, std::collections::BTreeSet::new());
    while let Err(error) = own.advance(0.4, &query) {
        assert_eq!(error.code, DEM_ERROR_CAPACITY);
        let mut desc: dem_world_desc = Input::DEFAULT;
        let size_of_desc = size_of_val(&desc);
        // SAFETY: all memory has the size that is passed.
        unsafe {
            assert_eq!(dem_world_room(&mut desc, size_of_desc, own.world(), NULL.cast()), DEM_OK);
            let needed = error.needed as u32;
            match error.argument {
                DEM_ARGUMENT_CANDIDATES => desc.candidates = needed,
                DEM_ARGUMENT_CONTACTS => desc.contacts = needed,
                DEM_ARGUMENT_NODES => desc.nodes = needed,
                _ => panic!("{error:?}"),
            }
            asked.insert(error.argument);
            let mut size = 0;
            assert_eq!(dem_world_layout(&mut size, core::ptr::null_mut(), &desc, NULL.cast()), DEM_OK);
            let mut block = vec![Line([0x55; 64]); size / 64];
            let (memory, mut world) = (block.as_mut_ptr().cast(), core::ptr::null_mut());
            assert_eq!(dem_world_grow(memory, size, &mut world, own.world(), &desc, NULL.cast()), DEM_OK);
            own.block = block;
        }
        grown += 1;
        assert!(grown < 100);
    }
    assert_eq!(own.hash(), roomy.hash());
    assert!(asked.len() > 1, "{asked:?}");
    let mut error = dem_error::default();
    // SAFETY: there is a world.
    unsafe { dem_world_add(own.world(), core::ptr::null_mut(), &Input::DEFAULT, &mut error) };
    assert_eq!((error.code, error.argument, error.needed), (DEM_ERROR_CAPACITY, DEM_ARGUMENT_BODIES, 14));
    assert_eq!(error.short_of, dem_shortage { bodies: 14, ..dem_shortage::default() });
    assert_eq!(handles.len(), 13);
}

#[test]
fn blocks_are_refused_that_are_none() {
    let mut own = Owned::new(&ROOM);
    let (memory, size) = (own.world().cast::<c_void>(), 64 * own.block.len());
    let mut world = core::ptr::null_mut();
    let none = core::ptr::null_mut();
    let bad = dem_world_desc { levels: 0, ..ROOM };
    // SAFETY: all memory has the size that is passed.
    unsafe {
        assert_eq!(dem_world_init(NULL, size, &mut world, &ROOM, NULL.cast()), DEM_ERROR_NULL);
        assert_eq!(dem_world_init(memory, size, &mut world, core::ptr::null(), NULL.cast()), DEM_ERROR_NULL);
        assert_eq!(dem_world_init(memory, size, core::ptr::null_mut(), &ROOM, NULL.cast()), DEM_ERROR_NULL);
        assert_eq!(
            dem_world_init(memory.wrapping_byte_add(8), size, &mut world, &ROOM, NULL.cast()),
            DEM_ERROR_MISALIGNED
        );
        assert_eq!(dem_world_init(memory, size - 1, &mut world, &ROOM, NULL.cast()), DEM_ERROR_CAPACITY);
        assert_eq!(dem_world_layout(none, none, &bad, NULL.cast()), DEM_ERROR_OUT_OF_RANGE);
        let small = dem_world_desc { struct_size: 3, ..ROOM };
        assert_eq!(dem_world_layout(none, none, &small, NULL.cast()), DEM_ERROR_BAD_SIZE);
        // The refused calls have changed nothing.
        assert_eq!(dem_world_open(memory, size, &mut world, NULL.cast()), DEM_OK);
        assert_eq!(dem_world_open(memory, size - 64, &mut world, NULL.cast()), DEM_ERROR_CAPACITY);
        assert_eq!(dem_world_grow(memory, size, &mut world, own.world(), &ROOM, NULL.cast()), DEM_ERROR_OVERLAP);
        let mut other = vec![Line([0; 64]); own.block.len()];
        let less = dem_world_desc { bodies: 15, ..ROOM };
        let to = other.as_mut_ptr().cast();
        assert_eq!(dem_world_grow(to, size, &mut world, own.world(), &less, NULL.cast()), DEM_ERROR_CAPACITY);
        let mut hash = 0;
        assert_eq!(dem_world_hash(&mut hash, other.as_ptr().cast(), NULL.cast()), DEM_ERROR_DAMAGED);
        assert_eq!(dem_world_hash(&mut hash, core::ptr::null(), NULL.cast()), DEM_ERROR_NULL);
        // A copy that was made during a call of another thread must be opened.
        own.block[0].0[24] = 1;
        assert_eq!(dem_world_hash(&mut hash, own.world(), NULL.cast()), DEM_ERROR_BUSY);
        assert_eq!(dem_world_begin(own.world(), 1.0, 0, NULL.cast()), DEM_ERROR_BUSY);
        assert_eq!(dem_world_open(memory, size, &mut world, NULL.cast()), DEM_OK);
        assert_eq!(dem_world_hash(&mut hash, own.world(), NULL.cast()), DEM_OK);
    }
    // Functions of scenes refuse a world.
    // SAFETY: the block exists.
    unsafe {
        let mut hash = 0;
        assert_eq!(crate::scenes::dem_scene_hash(&mut hash, own.world().cast(), NULL.cast()), DEM_ERROR_UNSUPPORTED);
    }
}
