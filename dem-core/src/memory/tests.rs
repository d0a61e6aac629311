//! Tests of blocks: exact fits, damage, copies, growth, on a component with every kind of section and a nested part.

use super::*;
use crate::error::{Error, Kind, Result, What};

#[derive(Clone, Copy, Debug, PartialEq, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
struct TwigSizes {
    leaves: u64,
}

impl Sizes for TwigSizes {
    const KIND: [u8; 4] = *b"twig";
    const VERSION: u32 = 3;
    const WHAT: What = What::Tree;
}

sections! {
    /// A part.
    struct Twig / TwigRef (n: &TwigSizes) {
        leaf: State [[f32; 3]; n.leaves],
        shade: Cache [u8; n.leaves],
    }
}

#[derive(Clone, Copy, Debug, PartialEq, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
struct PlantSizes {
    roots: u64,
    seeds: u32,
    spare: u32,
    twig: TwigSizes,
}

impl Sizes for PlantSizes {
    const KIND: [u8; 4] = *b"plnt";
    const VERSION: u32 = 1;
    const WHAT: What = What::Mesh;

    fn check(&self) -> Result<()> {
        let spare = Error::new(Kind::OutOfRange, What::Options);
        if self.spare == 0 { Ok(()) } else { Err(spare) }
    }
}

sections! {
    /// A component with a part.
    struct Plant / PlantRef (n: &PlantSizes) {
        root: State [f64; n.roots],
        seed: State [[u32; 2]; n.seeds as u64],
        sap: Cache [u64; n.roots.saturating_mul(2)],
        none: State [u16; 0];
        parts { twig: Twig / TwigRef = &n.twig, };
        live (plant) { seed = plant.root.first().map_or(0, |&r| r as u64), }
    }
}

/// Aligned memory of any length.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Memory([u8; 2048]);

const SMALL: PlantSizes = sizes(3, 5, 7);
const LARGE: PlantSizes = sizes(13, 6, 40);

const fn sizes(roots: u64, seeds: u32, leaves: u64) -> PlantSizes {
    PlantSizes { roots, seeds, spare: 0, twig: TwigSizes { leaves } }
}

fn fill(plant: &mut Plant<'_>) -> Result<()> {
    plant.root.iter_mut().zip(1..).for_each(|(r, i)| *r = 1.0 / i as f64);
    plant.seed.iter_mut().zip(1..).for_each(|(s, i)| *s = [i, i * i]);
    plant.sap.fill(99);
    plant.twig.leaf.iter_mut().zip(1..).for_each(|(l, i)| *l = [i as f32; 3]);
    plant.twig.shade.fill(1);
    Ok(())
}

fn built(memory: &mut Memory, n: &PlantSizes) -> usize {
    Plant::build(&mut memory.0, n, fill).unwrap();
    Plant::layout(n).unwrap().size
}

#[test]
fn layout_is_the_sum_of_padded_sections() {
    // Header, sizes, 24, 40, 48, 0 bytes, then 84 and 7 of the part.
    assert_eq!(Plant::layout(&SMALL).unwrap(), Layout { size: 64 * (1 + 1 + 1 + 1 + 1 + 2 + 1), align: 64 });
    let mut names = [""; 8];
    let (mut k, mut end) = (0, 0);
    let mut visit = |r: Section| {
        assert!(r.start.is_multiple_of(64) && r.start >= end, "{r:?}");
        (names[k], k, end) = (r.name, k + 1, r.start + r.bytes);
    };
    walk(&SMALL, &mut visit);
    assert_eq!(&names[..k], &["header", "sizes", "root", "seed", "sap", "none", "leaf", "shade"]);
    assert_eq!(end, 64 * 7 + 7);
}

#[test]
fn exact_size_fits_and_one_byte_less_is_refused_and_writes_nothing() {
    let size = Plant::layout(&SMALL).unwrap().size;
    let mut memory = Memory([0xAB; 2048]);
    assert_eq!(
        Plant::init(&mut memory.0[..size - 1], &SMALL).err(),
        Some(Error::capacity(What::Mesh, size as u64, size as u64 - 1))
    );
    assert!(memory.0.iter().all(|&b| b == 0xAB));
    assert!(Plant::init(&mut memory.0[..size], &SMALL).is_ok());
    assert!(memory.0[size..].iter().all(|&b| b == 0xAB), "bytes behind the block are the caller's");
}

#[test]
fn a_misaligned_block_is_refused_and_nothing_is_written() {
    let mut memory = Memory([0xAB; 2048]);
    for off in [1, 8, 32, 63] {
        let error = Error::new(Kind::Misaligned, What::Mesh).amounts(64, off as u64);
        assert_eq!(Plant::init(&mut memory.0[off..], &SMALL).err(), Some(error));
        assert_eq!(PlantRef::open(&memory.0[off..]).err(), Some(error));
        assert_eq!(Plant::open(&mut memory.0[off..]).err(), Some(error));
    }
    assert!(memory.0.iter().all(|&b| b == 0xAB));
}

#[test]
fn bytes_do_not_depend_on_what_was_in_the_memory() {
    let (mut a, mut b) = (Memory([0; 2048]), Memory([0xAB; 2048]));
    let size = built(&mut a, &SMALL);
    built(&mut b, &SMALL);
    assert_eq!(a.0[..size], b.0[..size]);
}

#[test]
fn a_copy_elsewhere_opens_the_same() {
    let mut memory = Memory([0; 2048]);
    let size = built(&mut memory, &SMALL);
    let (identity, hash) = (identity(&memory.0).unwrap(), PlantRef::open(&memory.0).unwrap().hash());
    let mut copy = [Memory([0xAB; 2048]); 2];
    copy[1].0[..size].copy_from_slice(&memory.0[..size]);
    memory.0.fill(0);
    let plant = PlantRef::open(&copy[1].0[..size]).unwrap();
    assert_eq!(plant.sizes, SMALL);
    assert_eq!((plant.root[2], plant.seed[4], plant.sap[5], plant.twig.leaf[6]), (1.0 / 3.0, [5, 25], 99, [7.0; 3]));
    assert_eq!((super::identity(&copy[1].0).unwrap(), plant.hash()), (identity, hash));
    assert_eq!(verify(&copy[1].0).unwrap().kind, *b"plnt");
}

#[test]
fn a_block_cut_short_tells_how_long_it_was() {
    let mut memory = Memory([0; 2048]);
    let size = built(&mut memory, &SMALL) as u64;
    for cut in [size - 1, 200] {
        let error = Error::capacity(What::Mesh, size, cut);
        assert_eq!(PlantRef::open(&memory.0[..cut as usize]).err(), Some(error));
    }
    assert_eq!(PlantRef::open(&memory.0[..63]).err(), Some(Error::capacity(What::Mesh, 64, 63)));
    assert!(PlantRef::open(&[]).is_err());
}

#[test]
fn every_bit_of_header_and_sizes_matters_to_open_and_every_other_bit_to_verify() {
    let mut memory = Memory([0; 2048]);
    let size = built(&mut memory, &SMALL);
    let step = if cfg!(miri) { 37 } else { 1 };
    for bit in (0..8 * size).step_by(step) {
        memory.0[bit / 8] ^= 1 << (bit % 8);
        if bit < 8 * (64 + size_of::<PlantSizes>()) {
            let error = PlantRef::open(&memory.0).err().expect("a damaged header opens");
            assert_eq!(error.kind, Kind::Damaged);
            let before = memory;
            assert_eq!(Plant::open(&mut memory.0).err(), Some(error));
            assert!(before.0 == memory.0, "a refused block was written to");
        }
        let error = verify(&memory.0).expect_err("damage goes unseen");
        assert_eq!(error.kind, Kind::Damaged, "bit {bit}");
        memory.0[bit / 8] ^= 1 << (bit % 8);
    }
    assert!(verify(&memory.0).is_ok());
}

#[test]
fn a_mark_opens_the_same_header_and_sizes_and_no_others() {
    let mut memory = Memory([0; 2048]);
    let size = built(&mut memory, &SMALL);
    let known = mark::<PlantSizes>(&memory.0).unwrap();
    let mut copy = memory;
    let (plant, rest) = PlantRef::reopen(&copy.0, known).expect("a copy is the same");
    let opened = PlantRef::open(&memory.0).unwrap();
    assert_eq!((plant.sizes, plant.hash(), rest.len()), (opened.sizes, opened.hash(), 2048 - size));
    assert_eq!((plant.root[2], plant.twig.leaf[6], plant.twig.shade.len()), (1.0 / 3.0, [7.0; 3], 7));
    assert!(PlantRef::reopen(&copy.0, known ^ 1).is_none() && PlantRef::reopen(&copy.0, 0).is_none());
    for cut in [0, 63, 64, 100, size - 1] {
        assert!(PlantRef::reopen(&copy.0[..cut], known).is_none(), "{cut}");
    }
    assert!(PlantRef::reopen(&copy.0[64..], known).is_none());
    for bit in 0..8 * (64 + size_of::<PlantSizes>()) {
        copy.0[bit / 8] ^= 1 << (bit % 8);
        assert!(PlantRef::reopen(&copy.0, known).is_none(), "bit {bit}");
        copy.0[bit / 8] ^= 1 << (bit % 8);
    }
    // `reopen` also makes the checks of `open` beyond header and sizes.
    memory.0[128..136].copy_from_slice(&6.0f64.to_ne_bytes());
    assert!(PlantRef::reopen(&memory.0, known).is_none() && PlantRef::open(&memory.0).is_err());
    Plant::open(&mut copy.0).unwrap();
    assert!(PlantRef::reopen(&copy.0, known).is_none(), "open for writing");
    assert!(mark::<PlantSizes>(&copy.0).is_err());
    let mut shifted = [0; 2048];
    shifted[8..8 + size].copy_from_slice(&memory.0[..size]);
    assert!(PlantRef::reopen(&shifted[8..], known).is_none());
}

/// Writes a self-consistent header, as an attacker could.
fn forge(memory: &mut Memory, n: &PlantSizes, total: u64) {
    memory.0[64..][..size_of::<PlantSizes>()].copy_from_slice(n.as_bytes());
    block::forge(&mut memory.0, n, total);
}

#[test]
fn forged_sizes_are_refused_and_reach_nothing() {
    let mut memory = Memory([0; 2048]);
    let size = built(&mut memory, &SMALL) as u64;
    let huge = [u64::MAX, u64::MAX / 2, u64::MAX / 8, 1 << 61, 1 << 32, (1 << 32) - 1, 1 << 31, 1000, 200];
    for n in huge {
        for sizes in [sizes(n, 0, 0), sizes(0, n as u32, 1), sizes(0, 0, n), sizes(n, 1, n)] {
            if layout(&sizes).is_ok_and(|l| l.size as u64 == size) {
                continue;
            }
            for total in [size, 0, 64, 2048] {
                forge(&mut memory, &sizes, total);
                assert_eq!(PlantRef::peek(&memory.0).err().unwrap().kind, Kind::Damaged, "{sizes:?} {total}");
                assert_eq!(Plant::open(&mut memory.0).err().unwrap().kind, Kind::Damaged);
            }
            forge(&mut memory, &sizes, u64::MAX);
            assert_eq!(PlantRef::peek(&memory.0).err().unwrap().kind, Kind::Capacity);
        }
    }
    forge(&mut memory, &PlantSizes { spare: 1, ..SMALL }, size);
    assert_eq!(PlantRef::peek(&memory.0).err().unwrap().index, Place::Sizes as u64);
}

#[test]
fn sizes_beyond_any_machine_are_too_large_and_not_an_overflow() {
    for n in [u64::MAX, u64::MAX / 8, u64::MAX / 8 + 1, 1 << 60, (1 << 60) - 1] {
        let error = Plant::layout(&sizes(n, 1, 1)).unwrap_err();
        assert_eq!((error.kind, error.needed), (Kind::TooLarge, isize::MAX as u64));
        assert!(error.given > error.needed);
        assert_eq!(Plant::init(&mut Memory([0; 2048]).0, &sizes(1, 1, n)).err().unwrap().kind, Kind::TooLarge);
    }
    let layout = Layout { size: usize::MAX / 64 * 64, align: 64 };
    assert_eq!(layout.times(2, What::Scratch).unwrap_err().kind, Kind::TooLarge);
    assert_eq!(Layout { size: 128, align: 64 }.times(3, What::Scratch).unwrap().size, 384);
}

#[test]
fn another_kind_or_version_is_named() {
    let mut memory = Memory([0; 2048]);
    built(&mut memory, &SMALL);
    let error = TwigRef::open(&memory.0).err().unwrap();
    assert_eq!((error.kind, error.what, error.index), (Kind::Damaged, What::Tree, Place::Kind as u64));
}

#[test]
fn only_a_sealed_block_opens_shared_and_writing_breaks_the_seal() {
    let mut memory = Memory([0; 2048]);
    let unsealed = damaged(Place::Seal);
    Plant::init(&mut memory.0, &SMALL).unwrap();
    assert_eq!(PlantRef::open(&memory.0).err(), Some(unsealed));
    assert!(PlantRef::peek(&memory.0).is_ok());
    assert_eq!(verify(&memory.0).unwrap_err().index, Place::Seal as u64);
    let first = seal(&mut memory.0).unwrap();
    assert!(PlantRef::open(&memory.0).is_ok());
    Plant::open(&mut memory.0).unwrap().root[0] = 5.0;
    assert_eq!(PlantRef::open(&memory.0).err(), Some(unsealed));
    assert_ne!(seal(&mut memory.0).unwrap(), first);
    Plant::open(&mut memory.0).unwrap().root[0] = 0.0;
    assert_eq!(seal(&mut memory.0).unwrap(), first, "the seal is of the content alone");
    let half = Plant::build(&mut memory.0, &SMALL, |_| Err(Error::new(Kind::NotFinite, What::Vertices)));
    assert_eq!(half.err().unwrap().kind, Kind::NotFinite);
    assert_eq!(PlantRef::open(&memory.0).err(), Some(unsealed), "a half-built block must not open");
}

#[test]
fn a_live_count_beyond_its_section_is_refused_even_under_a_right_seal() {
    let mut memory = Memory([0; 2048]);
    for (live, fits) in [(5.0, true), (6.0, false), (1e300, false)] {
        Plant::init(&mut memory.0, &SMALL).unwrap().root[0] = live;
        seal(&mut memory.0).unwrap();
        let before = memory;
        let error = damaged(Place::Live).amounts(5, live as u64);
        assert_eq!(PlantRef::open(&memory.0).err(), (!fits).then_some(error));
        assert_eq!(PlantRef::peek(&memory.0).err(), (!fits).then_some(error));
        assert_eq!(Plant::open(&mut memory.0).err(), (!fits).then_some(error));
        assert!(fits || before.0 == memory.0, "a refused block was written to");
    }
}

fn damaged(place: Place) -> Error {
    Error::new(Kind::Damaged, What::Mesh).at(place as u64, 0)
}

#[test]
fn growing_keeps_state_and_zeroes_cache() {
    let (mut a, mut b, mut c) = (Memory([0; 2048]), Memory([0xAB; 2048]), Memory([0; 2048]));
    built(&mut a, &SMALL);
    let hash = PlantRef::open(&a.0).unwrap().hash();
    let large = Plant::grow(&a.0, &mut b.0, &LARGE).unwrap();
    assert_eq!(large.sizes, LARGE);
    assert_eq!(large.root[..3], [1.0, 0.5, 1.0 / 3.0]);
    assert!(large.root[3..].iter().all(|&r| r == 0.0));
    assert_eq!((large.seed[4], large.seed[5]), ([5, 25], [0, 0]));
    assert_eq!((large.twig.leaf[6], large.twig.leaf[7]), ([7.0; 3], [0.0; 3]));
    assert!(large.sap.iter().all(|&s| s == 0) && large.twig.shade.iter().all(|&s| s == 0));
    assert_ne!(large.as_ref().hash(), hash);
    // With equal sizes the state is equal, and its hash ignores caches.
    let same = Plant::grow(&a.0, &mut c.0, &SMALL).unwrap().into_ref();
    assert_eq!(same.hash(), hash);
    assert_eq!(same.sap, [0; 6]);
    assert_eq!(PlantRef::open(&a.0).unwrap().sap, [99; 6]);
}

#[test]
fn shrinking_below_the_state_is_refused_and_writes_nothing() {
    let (mut a, mut b) = (Memory([0; 2048]), Memory([0xAB; 2048]));
    built(&mut a, &SMALL);
    for (n, needed) in [(sizes(2, 5, 7), 3), (sizes(3, 4, 7), 5), (sizes(3, 5, 6), 7)] {
        let error = Plant::grow(&a.0, &mut b.0, &n).err().unwrap();
        assert_eq!((error.kind, error.needed, error.given), (Kind::Capacity, needed, needed - 1));
    }
    let size = Plant::layout(&LARGE).unwrap().size;
    let error = Plant::grow(&a.0, &mut b.0[..size - 1], &LARGE).err().unwrap();
    assert_eq!((error.needed, error.given), (size as u64, size as u64 - 1));
    assert!(b.0.iter().all(|&x| x == 0xAB));
}

#[test]
fn scratch_is_carved_as_planned_and_not_a_byte_more() {
    let mut plan = Plan::new();
    let layout = plan.add::<f64>(9).add::<u8>(1).add::<[u32; 3]>(0).layout(What::Scratch).unwrap();
    assert_eq!(layout.size, 128 + 64);
    let mut memory = Memory([0xAB; 2048]);
    let short = Carve::new(&mut memory.0[..191], layout, What::Scratch).err();
    assert_eq!(short, Some(Error::capacity(What::Scratch, 192, 191)));
    let mut carve = Carve::new(&mut memory.0, layout, What::Scratch).unwrap();
    let (a, b, c) = (carve.take::<f64>(9), carve.take::<u8>(1), carve.take::<[u32; 3]>(0));
    assert_eq!((a.unwrap().len(), b.unwrap().as_ptr().addr() % 64, c.unwrap().len()), (9, 0, 0));
    assert_eq!(carve.take::<u8>(1), Err(Error::capacity(What::Scratch, 256, 192)));
    assert_eq!(carve.take::<u8>(u64::MAX).unwrap_err().kind, Kind::Capacity);
    assert_eq!(carve.take::<f64>(u64::MAX / 2).unwrap_err().kind, Kind::Capacity);
    assert!(carve.take::<f64>(0).is_ok(), "a refusal takes nothing");
    let mut none = Carve::new(&mut [], Layout::EMPTY, What::Scratch).unwrap();
    assert_eq!(none.take::<f64>(0), Ok(&mut [][..]));
}

#[test]
fn a_part_of_scratch_is_carved_by_its_own_plan() {
    let inner = Plan::new().add::<u64>(9).add::<u8>(3).layout(What::Scratch).unwrap();
    let outer = Plan::new().add::<u32>(1).part(inner).add::<u32>(1).layout(What::Scratch).unwrap();
    let mut memory = Memory([0; 2048]);
    let mut carve = Carve::new(&mut memory.0[..outer.size], outer, What::Scratch).unwrap();
    let first = carve.take::<u32>(1).unwrap();
    let part = carve.part(inner).unwrap();
    let last = carve.take::<u32>(1).unwrap();
    (first[0], last[0]) = (7, 8);
    let mut carve = Carve::new(part, inner, What::Scratch).unwrap();
    carve.take::<u64>(9).unwrap().fill(u64::MAX);
    carve.take::<u8>(3).unwrap().fill(255);
    assert_eq!((first[0], last[0]), (7, 8));
}

sections! {
    /// A list within another one.
    struct Inner<'s>(n: u64) {
        long: [u64; n],
        short: [u8; 3],
    }
}

sections! {
    /// Every kind of section.
    struct Outer<'s>(n: u64, lanes: usize; twice = n.checked_mul(2).ok_or(Error::new(Kind::TooLarge, What::Scratch))?) {
        first: [u32; 1],
        stacks: [u16; twice] * lanes,
        inner: Inner(n),
        phases: { Inner::layout(n)?, Inner::layout(2)?, Layout::EMPTY },
        last: [u32; 1],
    }
}

#[test]
fn a_list_for_scratch_is_carved_as_it_is_planned() {
    let size = |n, lanes| Outer::layout(n, lanes).unwrap().size;
    assert_eq!([size(9, 3), size(9, 4), size(1, 1)], [64 + 128 + 192 + 192 + 64, 64 + 192 + 192 + 192 + 64, 7 * 64]);
    assert_eq!(Inner::layout(0).unwrap().size, 64);
    let mut memory = Memory([0xAB; 2048]);
    for (n, lanes) in [(0, 1), (1, 1), (9, 3), (9, 4)] {
        let size = size(n, lanes);
        let short = Outer::new(&mut memory.0[..size - 1], n, lanes).err();
        assert_eq!(short, Some(Error::capacity(What::Scratch, size as u64, size as u64 - 1)));
        let Outer { first, stacks, inner, phases, last } = Outer::new(&mut memory.0[..size], n, lanes).unwrap();
        assert_eq!((stacks.len(), inner.long.len(), inner.short.len()), (2 * n as usize * lanes, n as usize, 3));
        (first[0], last[0]) = (7, 8);
        stacks.fill(u16::MAX);
        inner.long.fill(u64::MAX);
        for n in [n, 2] {
            let inner = Inner::new(&mut *phases, n).unwrap();
            inner.long.fill(u64::MAX);
            inner.short.fill(255);
        }
        assert_eq!((first[0], last[0]), (7, 8));
    }
    assert!(memory.0[size(9, 4)..].iter().all(|&byte| byte == 0xAB), "bytes behind the scratch are the caller's");
}

sections! {
    /// Items of any type.
    struct Many<'s, T>(n: u64) {
        items: [T; n],
    }
}

type Numbers<'s> = Many<'s, u64>;

sections! {
    /// Lists that are optional.
    struct Perhaps<'s>(n: u64, more: bool) {
        numbers: Numbers(n) if more,
        inner: Inner(n) if more && n > 1,
        last: [u32; 1],
    }
}

#[test]
fn lists_that_are_left_out_take_nothing_and_what_lies_behind_is_the_rest() {
    let size = |n, more| Perhaps::layout(n, more).unwrap().size;
    assert_eq!([size(9, false), size(1, true), size(9, true)], [64, 64 + 64, 128 + 128 + 64 + 64]);
    let mut memory = Memory([0xAB; 2048]);
    for (n, more) in [(9, false), (1, true), (9, true)] {
        let size = size(n, more);
        let short = Perhaps::at_front(&mut memory.0[..size - 1], n, more).err();
        assert_eq!(short, Some(Error::capacity(What::Scratch, size as u64, size as u64 - 1)));
        let (Perhaps { numbers, inner, last }, rest) = Perhaps::at_front(&mut memory.0, n, more).unwrap();
        assert_eq!((numbers.is_some(), inner.is_some(), rest.len()), (more, more && n > 1, 2048 - size));
        last[0] = 7;
        numbers.into_iter().for_each(|numbers| numbers.items.fill(u64::MAX));
        inner.into_iter().for_each(|inner| inner.short.fill(255));
        assert!(last[0] == 7 && rest.iter().all(|&byte| byte == 0xAB));
    }
}

#[test]
fn lengths_beyond_any_machine_are_too_large_and_not_an_overflow() {
    for (n, lanes) in [(u64::MAX, 1), (u64::MAX / 2, 1), (u64::MAX / 4, usize::MAX), (1 << 60, 64)] {
        assert_eq!(Outer::layout(n, lanes).unwrap_err().kind, Kind::TooLarge);
        assert_eq!(Outer::new(&mut [], n, lanes).err().map(|e| e.kind), Some(Kind::TooLarge));
    }
}

#[test]
fn zeroed_memory_is_zero() {
    let mut memory = [const { MaybeUninit::<u8>::uninit() }; 100];
    assert_eq!(zeroed(&mut memory), [0; 100]);
    assert!(zeroed(&mut []).is_empty());
}

#[test]
fn hash_sees_length_order_and_seed() {
    let bytes = [0u8; 100];
    for n in 0..100 {
        assert_ne!(hash(0, &bytes[..n]), hash(0, &bytes[..n + 1]), "{n}");
    }
    assert_ne!(hash(0, &[1; 8]), hash(1, &[1; 8]));
    let mut swapped = [0u8; 64];
    let mut plain = [0u8; 64];
    (plain[0], swapped[32]) = (1, 1);
    assert_ne!(hash(0, &plain), hash(0, &swapped));
}

/// The value is part of the format: blocks written by one version are verified by the next.
#[test]
fn hash_keeps_its_values() {
    let bytes: [u8; 77] = core::array::from_fn(|i| i as u8);
    assert_eq!(
        [hash(0, &[]), hash(0, &bytes), hash(7, &bytes)],
        [17358514410088351572, 14665195259932600890, 5280381900056512010]
    );
}
