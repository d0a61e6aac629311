//! Tests of compounds: they give the same contacts as in the core, and bad ones are refused with the number of the part.

use super::*;
use dem_core::contact::regions::Grouping;
use dem_core::contact::shape::{Placed, Request, shape_contacts, shape_scratch};
use dem_core::contact::{Contact, Room};
use dem_core::exec::{Serial, Work};
use dem_core::simd::Isa;

use crate::body_contacts::dem_contact;
use crate::errors::*;
use crate::inputs::Input;
use crate::pair_contacts::{dem_placed_contacts, dem_placed_contacts_scratch, dem_placed_query};
use crate::placed::{IDENTITY, dem_pose};
use crate::testing::{Line, Shape as Block, cube, placed_contacts, sheet, try_placed_contacts};

const NULL: *mut core::ffi::c_void = core::ptr::null_mut();

struct Owned {
    shape: Block,
}

impl Owned {
    fn new(triangles: &[[[f64; 3]; 3]]) -> Owned {
        Owned { shape: Block::new(triangles, 0.02) }
    }

    fn body(&self) -> dem_placed {
        dem_placed { kind: DEM_KIND_MESH, solid: 1, shape: self.shape.handle(), ..POINT }
    }

    /// The mesh as a surface of the core.
    fn surface(&self) -> Surface<'_> {
        // SAFETY: the pointer is valid.
        let shape = unsafe { shapes::lend(self.shape.handle(), What::Mesh) }.unwrap();
        Surface { mesh: shape.mesh, tree: shape.tree, cells: shape.cells(What::Cells).unwrap(), solid: true }
    }
}

/// The parts of a particle: two overlapping spheres, a point, and three meshes, of which the first two have the same shape.
fn parts(rock: &Owned, other: &Owned) -> [dem_placed; 6] {
    let at = |position, body| dem_placed { pose: dem_pose { position, orientation: [0.1, 0.0, 0.2, 1.0] }, ..body };
    let sphere = |radius, halo| dem_placed { radius, halo, ..POINT };
    [
        at([0.5, 0.5, -0.2], sphere(0.25, 0.02)),
        at([0.7, 0.4, -0.3], sphere(0.3, 0.01)),
        at([0.5, 0.5, -0.7], sphere(0.0, 0.03)),
        at([0.0, 0.0, 0.0], rock.body()),
        dem_placed { scale: 0.5, ..at([0.9, 0.0, 0.3], rock.body()) },
        dem_placed { solid: 0, ..at([-0.4, 0.1, 0.1], other.body()) },
    ]
}

fn compound(parts: &[dem_placed]) -> dem_compound {
    dem_compound { parts: parts.as_ptr(), count: parts.len(), ..Input::DEFAULT }
}

fn body(of: &dem_compound, position: [f64; 3]) -> dem_placed {
    let pose = dem_pose { position, ..IDENTITY };
    dem_placed { kind: DEM_KIND_COMPOUND, shape: core::ptr::from_ref(of).cast(), pose, ..POINT }
}

fn grown(a: dem_placed, b: dem_placed) -> Vec<dem_contact> {
    placed_contacts(&dem_placed_query { a, b, tag: 3, ..Input::DEFAULT })
}

/// The contacts that the core finds for the same two bodies.
fn of_core(a: &Placed<'_>, b: &Placed<'_>) -> Vec<dem_contact> {
    let room = Room { pairs: 5000, terms: 20000, segments: 2000 };
    let mut out = vec![Contact::default(); 500];
    let mut scratch = vec![crate::testing::Line([0; 64]); shape_scratch(a, b, room, 1).unwrap().size / 64];
    // SAFETY: lines follow each other without gaps.
    let scratch = unsafe { core::slice::from_raw_parts_mut(scratch.as_mut_ptr().cast(), 64 * scratch.len()) };
    let request = Request { grouping: Grouping::PATCHES, ..Request::new(3, room) };
    let found = shape_contacts(Work::new(&Serial, Isa::best(), scratch), a, b, &request, &mut out, None).unwrap();
    out.truncate(found.contacts);
    out.into_iter().map(dem_contact::from).collect()
}

#[test]
fn compounds_are_those_of_the_core_in_every_combination() {
    let (rock, other) = (Owned::new(&cube()), Owned::new(&sheet(4)));
    let surfaces = [rock.surface(), Surface { solid: false, ..other.surface() }];
    let list = parts(&rock, &other);
    let core_parts: Vec<Part<'_>> = list
        .iter()
        .map(|p| {
            let shape = match p.kind {
                DEM_KIND_SPHERE => Shape::Sphere { radius: p.radius, halo: p.halo },
                _ => Shape::Mesh(&surfaces[usize::from(p.solid == 0)]),
            };
            Part { shape, pose: p.pose.into(), scale: p.scale }
        })
        .collect();
    // Each part in a larger struct of the host, at an odd address.
    let stride = size_of::<dem_placed>() + 13;
    let mut bytes = vec![0xa5u8; 1 + stride * list.len()];
    for (i, part) in list.iter().enumerate() {
        // SAFETY: the place is inside the buffer.
        unsafe { bytes.as_mut_ptr().add(1 + i * stride).cast::<dem_placed>().write_unaligned(*part) };
    }
    let spread = dem_compound { parts: bytes[1..].as_ptr().cast(), count: list.len(), stride, ..Input::DEFAULT };
    let packed = compound(&list);
    let up = [0.1, -0.1, 0.9];
    let placed = |pose, body| dem_placed { pose, ..body };
    let pose = |position| dem_pose { position, orientation: [0.02, 0.01, 0.1, 1.0] };
    let sphere = dem_placed { radius: 0.4, halo: 0.02, ..POINT };
    let ground = dem_placed { kind: DEM_KIND_HALF_SPACE, halo: 0.02, ..POINT };
    let rod = dem_placed { kind: DEM_KIND_CAPSULE, half_length: 0.3, ..sphere };
    let mut total = 0;
    for (name, b, core_b) in [
        ("sphere", sphere, Shape::Sphere { radius: 0.4, halo: 0.02 }),
        ("half-space", ground, Shape::HalfSpace { halo: 0.02 }),
        ("capsule", rod, Shape::Capsule { half_length: 0.3, radius: 0.4, halo: 0.02 }),
        ("mesh", rock.body(), Shape::Mesh(&surfaces[0])),
        ("compound", body(&packed, [0.0; 3]), Shape::Compound(&core_parts)),
    ] {
        for a in [body(&packed, [0.0; 3]), body(&spread, [0.0; 3])] {
            let (a, b) = (placed(pose([0.0; 3]), dem_placed { scale: 1.25, ..a }), placed(pose(up), b));
            let poses = [a.pose.into(), b.pose.into()];
            let expected = of_core(
                &Placed { shape: Shape::Compound(&core_parts), pose: &poses[0], scale: 1.25 },
                &Placed { shape: core_b, pose: &poses[1], scale: 1.0 },
            );
            assert_eq!(grown(a, b), expected, "{name}");
            assert_eq!(grown(b, a).len(), expected.len(), "{name}");
            total += expected.len();
        }
    }
    assert!(total > 40, "{total}");
}

#[test]
fn a_body_of_one_part_is_that_part() {
    let rock = Owned::new(&cube());
    let above = dem_pose { position: [0.2, 0.3, 1.01], orientation: [0.0, 0.0, 0.3, 1.0] };
    let one = [rock.body()];
    let of_one = compound(&one);
    let upper = dem_placed { pose: above, ..rock.body() };
    let (plain, found) = (grown(upper, rock.body()), grown(upper, body(&of_one, [0.0; 3])));
    assert!(!plain.is_empty() && plain.len() == found.len());
    for (x, y) in plain.iter().zip(&found) {
        let close = |x: f64, y: f64| (x - y).abs() <= 1e-12;
        assert!(x.key == y.key && close(x.gap, y.gap) && close(x.area, y.area) && close(x.share, y.share));
    }
}

#[test]
fn without_parts_nothing_is_in_contact() {
    let nothing: dem_compound = Input::DEFAULT;
    let rock = Owned::new(&cube());
    for b in [POINT, rock.body(), body(&nothing, [0.0; 3])] {
        assert!(grown(body(&nothing, [0.0; 3]), b).is_empty());
        assert!(grown(b, body(&nothing, [0.0; 3])).is_empty());
    }
}

#[test]
fn a_million_parts_are_found() {
    // A slab of points, one unit apart. A ball is near one of them.
    let at = |i: usize| [(i % 1000) as f64, (i / 1000) as f64, 0.0];
    let list: Vec<_> = (0..1_000_000)
        .map(|i| dem_placed { halo: 0.1, pose: dem_pose { position: at(i), ..IDENTITY }, ..POINT })
        .collect();
    let slab = compound(&list);
    let ball =
        dem_placed { radius: 0.3, halo: 0.1, pose: dem_pose { position: [321.0, 654.0, 0.35], ..IDENTITY }, ..POINT };
    let found = grown(body(&slab, [0.0; 3]), ball);
    assert_eq!(found.iter().map(|c| (c.key[1], c.normal)).collect::<Vec<_>>(), [(654_321 << 32, [0.0, 0.0, -1.0])]);
    assert!((found[0].least_gap - 0.05).abs() < 1e-12 && found[0].share == 1.0);
}

#[test]
fn what_is_no_compound_is_refused_with_the_part() {
    let (rock, bare, none) = (Owned::new(&cube()), Block::bare(&sheet(2), 0.02), [Line([0; 64]); 2]);
    let good = [POINT, POINT, rock.body(), POINT];
    let refused = |raw: &dem_compound| {
        let (a, b) = (dem_placed { radius: 1.0, ..POINT }, body(raw, [0.0; 3]));
        let query = dem_placed_query { a, b, ..Input::DEFAULT };
        let (_, count, error) = try_placed_contacts(&query, 9, 100_000);
        assert!(error.code == DEM_OK || count == 0);
        let mut size = 0;
        // SAFETY: all pointers are valid.
        let status = unsafe { dem_placed_contacts_scratch(&mut size, &query, 0, 9, 0, NULL.cast()) };
        (error.code, error.argument, error.index, error.component, status)
    };
    let with = |part: dem_placed| {
        let mut list = good;
        list[2] = part;
        let (code, argument, index, component, _) = refused(&compound(&list));
        (code, argument, index, component)
    };
    let of = |what: What| what as u32;
    assert_eq!(with(good[2]).0, DEM_OK);
    let (shape, mesh, cells) = (of(What::ShapeB), of(What::BodyMeshB), of(What::CellsB));
    let turned = dem_pose { orientation: [0.0; 4], ..IDENTITY };
    let lost = dem_pose { position: [0.0, f64::NAN, 0.0], ..IDENTITY };
    for (part, wanted) in [
        (dem_placed { kind: 0, ..POINT }, (DEM_ERROR_OUT_OF_RANGE, shape, 2, OF_KIND)),
        (dem_placed { kind: 6, ..POINT }, (DEM_ERROR_OUT_OF_RANGE, shape, 2, OF_KIND)),
        (dem_placed { kind: DEM_KIND_CAPSULE, half_length: -1.0, ..POINT }, (DEM_ERROR_OUT_OF_RANGE, shape, 2, 13)),
        (dem_placed { kind: DEM_KIND_CAPSULE, radius: f64::NAN, ..POINT }, (DEM_ERROR_NOT_FINITE, shape, 2, 0)),
        (dem_placed { half_length: 1.0, ..POINT }, (DEM_ERROR_OUT_OF_RANGE, shape, 2, OF_HALF_LENGTH)),
        (dem_placed { reserved_lengths: [0.0, 1.0], ..POINT }, (DEM_ERROR_OUT_OF_RANGE, shape, 2, OF_LENGTHS + 1)),
        (dem_placed { solid: 2, ..POINT }, (DEM_ERROR_OUT_OF_RANGE, shape, 2, OF_SOLID)),
        (dem_placed { radius: -1.0, ..POINT }, (DEM_ERROR_OUT_OF_RANGE, shape, 2, 0)),
        (dem_placed { halo: f64::NAN, ..POINT }, (DEM_ERROR_NOT_FINITE, shape, 2, 1)),
        (dem_placed { scale: 0.0, ..POINT }, (DEM_ERROR_OUT_OF_RANGE, shape, 2, 2)),
        (dem_placed { pose: lost, ..POINT }, (DEM_ERROR_NOT_FINITE, shape, 2, 4)),
        (dem_placed { pose: turned, ..POINT }, (DEM_ERROR_OUT_OF_RANGE, shape, 2, 6)),
        (dem_placed { kind: DEM_KIND_COMPOUND, ..POINT }, (DEM_ERROR_UNSUPPORTED, shape, 2, 0)),
        (dem_placed { shape: core::ptr::null(), ..rock.body() }, (DEM_ERROR_NULL, shape, 2, OF_SHAPE)),
        (dem_placed { reserved: 1, ..POINT }, (DEM_ERROR_OUT_OF_RANGE, shape, 2, OF_RESERVED)),
        (dem_placed { shape: bare.handle(), ..rock.body() }, (DEM_ERROR_UNSUPPORTED, cells, 2, 0)),
        (dem_placed { shape: none.as_ptr().cast(), ..rock.body() }, (DEM_ERROR_DAMAGED, mesh, 2, 0)),
    ] {
        assert_eq!(with(part), wanted, "{part:?}");
    }
    let raw = compound(&good);
    for (raw, code, component) in [
        (dem_compound { parts: core::ptr::null(), ..raw }, DEM_ERROR_NULL, OF_PARTS),
        (dem_compound { stride: size_of::<dem_placed>() - 1, ..raw }, DEM_ERROR_BAD_SIZE, 0),
        (dem_compound { count: usize::MAX / 8, ..raw }, DEM_ERROR_TOO_LARGE, 0),
        (dem_compound { reserved: 1, ..raw }, DEM_ERROR_OUT_OF_RANGE, OF_RESERVED),
        (dem_compound { struct_size: 3, ..raw }, DEM_ERROR_BAD_SIZE, inputs::STRUCT_SIZE),
    ] {
        assert_eq!(refused(&raw), (code, shape, 0, component, code), "{raw:?}");
    }
    let nowhere = dem_placed { kind: DEM_KIND_COMPOUND, ..POINT };
    let query = dem_placed_query { a: nowhere, b: POINT, ..Input::DEFAULT };
    let error = try_placed_contacts(&query, 0, 0).2;
    assert_eq!((error.code, error.argument), (DEM_ERROR_NULL, of(What::ShapeA)));
}

#[test]
fn what_is_written_is_apart_from_parts_and_their_meshes() {
    let rock = Owned::new(&cube());
    let mut list = [POINT, rock.body()];
    let raw = compound(&list);
    let query = dem_placed_query { a: body(&raw, [0.0; 3]), b: POINT, ..Input::DEFAULT };
    let mut records = [dem_contact::default(); 4];
    let mut refused = |scratch: *const core::ffi::c_void| {
        let (mut error, mut count) = (dem_error::default(), 0);
        let (to, scratch) = (records.as_mut_ptr(), scratch.cast_mut());
        // SAFETY: the call refuses its arguments before it touches any memory.
        unsafe { dem_placed_contacts(to, 4, 0, &mut count, &query, scratch, 100_000, &mut error) };
        (error.code, error.argument)
    };
    let inside = list.as_mut_ptr().cast::<u8>();
    for start in [inside.wrapping_add(5).cast(), (&raw const raw).cast(), rock.shape.handle().cast()] {
        assert_eq!(refused(start), (DEM_ERROR_OVERLAP, What::Scratch as u32));
    }
    assert_eq!(list[1].kind, DEM_KIND_MESH);
}

#[test]
fn a_mesh_that_changes_meanwhile_is_noticed() {
    let rock = Owned::new(&cube());
    let mut two = two();
    let mut opener = Opener::small(&mut two);
    // SAFETY: all pointers are valid.
    unsafe { opener.open(&rock.body(), &OF_A) }.unwrap();
    assert_eq!(opener.unchanged(), Ok(()));
    // The state of the block's latch, set as by a call that changes the block.
    let state = rock.shape.0.as_ptr().cast::<u8>().wrapping_add(24).cast_mut().cast::<u32>();
    // SAFETY: the place is inside the first line, and nothing else is touched.
    unsafe { core::sync::atomic::AtomicU32::from_ptr(state) }.store(1, core::sync::atomic::Ordering::Relaxed);
    assert_eq!(opener.unchanged(), Err(Error::new(Kind::Busy, What::BodyMeshA)));
}
