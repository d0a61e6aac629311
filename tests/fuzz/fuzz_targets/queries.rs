//! Two meshes of any numbers under any poses: an error, or the same answers with every instruction set, exchanged bodies, and
//! from all pairs one by one; contacts that are finite.
#![no_main]

use dem_core::array::Array;
use dem_core::contact::shape::{Placed, Request, Shape, Surface, shape_contacts, shape_scratch};
use dem_core::contact::{Contact, Room, Side};
use dem_core::exec::{Serial, Work};
use dem_core::narrow::{self, Operand, PointOnMesh, TrianglePair};
use dem_core::pose::Pose;
use dem_core::simd::Isa;
use dem_fuzz::{Input, Memory, contacts};
use libfuzzer_sys::fuzz_target;

fn pairs(isa: Isa, a: &Operand<'_>, b: &Operand<'_>, margin: f64) -> Option<Vec<TrianglePair>> {
    let mut out = vec![TrianglePair::default(); a.mesh.len() * b.mesh.len()];
    let mut scratch = Memory::new(narrow::pairs_scratch(a, b, out.len()).ok()?.size);
    let count = narrow::pairs(isa, a, b, margin, &mut out, scratch.get()).ok()?;
    out.truncate(count);
    Some(out)
}

fn check_contacts(a: &Side<'_>, b: &Side<'_>) -> Option<()> {
    let list = contacts(Isa::SCALAR, a, b);
    for isa in Isa::list() {
        assert_eq!(contacts(*isa, a, b), list, "{}", isa.name());
    }
    let list = list?;
    let swapped = |c: &Contact| Contact {
        key: [0, c.key[1].rotate_left(32)],
        normal: c.normal.map(|x| -x + 0.0),
        moment: c.moment.map(|x| -x + 0.0),
        share: 0.0,
        ..*c
    };
    let mut back: Vec<Contact> = contacts(Isa::best(), b, a)?.iter().map(swapped).collect();
    back.sort_by_key(|c| c.key);
    let plain: Vec<Contact> = list.iter().map(|c| Contact { share: 0.0, ..*c }).collect();
    // Which of two bodies that are the same in every number comes first is for the caller to say.
    let (x, y) = (a.operand, b.operand);
    let same = |i: usize| x.mesh.triangle(i) == y.mesh.triangle(i);
    assert!(back == plain || (x.pose == y.pose && x.mesh.len() == y.mesh.len() && (0..x.mesh.len()).all(same)));
    for c in &list {
        let numbers = c.position.iter().chain(&c.moment).chain([&c.gap, &c.least_gap, &c.area, &c.share]);
        assert!(numbers.chain(&c.normal).all(|x| x.is_finite()), "{c:?}");
        let length = c.normal.iter().map(|x| x * x).sum::<f64>();
        assert!((length - 1.0).abs() < 1e-12 && c.area >= 0.0 && c.gap <= c.halo && c.least_gap <= c.halo, "{c:?}");
    }
    Some(())
}

/// One mesh and points, and itself.
fn alone(a: &Operand<'_>, places: &[[f64; 3]]) -> Option<()> {
    let mut scratch = Memory::new(narrow::points_scratch(a).ok()?.size);
    let mut near = |isa: Isa| {
        let mut out = vec![PointOnMesh::default(); places.len()];
        narrow::points(isa, a, Array::from_f64(places), f64::INFINITY, &mut out, scratch.get()).ok().map(|()| out)
    };
    let first = near(Isa::SCALAR);
    let mut scratch = Memory::new(narrow::self_intersections_scratch(&a.tree).ok()?.size);
    let mut crossing = |isa: Isa| {
        let mut out = vec![[0; 2]; a.mesh.len() * a.mesh.len()];
        narrow::self_intersections(isa, a.mesh, a.tree, &mut out, scratch.get()).ok().map(|n| out[..n].to_vec())
    };
    let crossings = crossing(Isa::SCALAR);
    for isa in Isa::list() {
        assert_eq!((near(*isa), crossing(*isa)), (first.clone(), crossings.clone()), "{}", isa.name());
    }
    Some(())
}

/// The mesh, and a sphere, a capsule and a half-space in the place of the other one.
fn check_shapes(a: &Side<'_>, pose: &Pose, [radius, halo]: [f64; 2]) -> Option<()> {
    let (mesh, tree, cells) = (a.operand.mesh, a.operand.tree, a.cells);
    let n = mesh.len();
    let room = Room { pairs: n, terms: 3 * n + cells.cell.len(), segments: 0 };
    for solid in [false, true] {
        let surface = Surface { mesh, tree, cells, solid };
        let body = Placed { shape: Shape::Mesh(&surface), pose: a.operand.pose, scale: 1.0 };
        let capsule = Shape::Capsule { half_length: 2.0 * halo + 0.5 * radius, radius, halo };
        for shape in [Shape::Sphere { radius, halo }, capsule, Shape::HalfSpace { halo }] {
            let other = Placed { shape, pose, scale: 1.0 };
            let mut scratch = Memory::new(shape_scratch(&body, &other, room, 1).ok()?.size);
            let mut find = |isa: Isa, a: &Placed<'_>, b: &Placed<'_>| {
                let mut out = vec![Contact::default(); 2 * n + 1];
                let found = shape_contacts(Work::new(&Serial, isa, scratch.get()), a, b, &Request::new(0, room), &mut out, None).ok()?;
                out.truncate(found.contacts);
                Some(out)
            };
            let list = find(Isa::SCALAR, &body, &other)?;
            for c in &list {
                let square: f64 = c.normal.iter().map(|x| x * x).sum();
                let lengths = [c.gap, c.least_gap, c.area, c.share];
                assert!((square - 1.0).abs() < 1e-9 && c.area >= 0.0, "{c:?}");
                assert!(c.position.iter().chain(&c.moment).chain(&lengths).all(|x| x.is_finite()), "{c:?}");
            }
            for isa in Isa::list() {
                assert_eq!(find(*isa, &body, &other)?, list, "{}", isa.name());
            }
            let exchanged = find(Isa::best(), &other, &body)?;
            assert!(exchanged.iter().zip(&list).all(|(x, y)| x.area == y.area && x.position == y.position));
            assert_eq!(exchanged.len(), list.len());
        }
    }
    Some(())
}

fn query(bytes: &[u8]) -> Option<()> {
    let input = Input::read(bytes)?;
    let bodies = input.bodies()?;
    let (pose_a, pose_b, margin) = (&input.poses[0], &input.poses[1], input.margin);
    let (a, b) = (bodies[0].operand(pose_a)?, bodies[1].operand(pose_b)?);
    let found = pairs(Isa::SCALAR, &a, &b, margin);
    for isa in Isa::list() {
        assert_eq!(pairs(*isa, &a, &b, margin), found, "{}", isa.name());
    }
    let mut swapped: Vec<[u32; 2]> = pairs(Isa::best(), &b, &a, margin)?.iter().map(|p| [p.b, p.a]).collect();
    swapped.sort_unstable();
    let ids: Vec<[u32; 2]> = found?.iter().map(|p| [p.a, p.b]).collect();
    assert_eq!(ids, swapped);
    // Beyond any distance there is nothing to filter: every pair, with its distance.
    let all = pairs(Isa::best(), &a, &b, f64::MAX)?;
    let within = all.iter().filter(|p| p.distance <= (a.mesh.halo(p.a as usize) + b.mesh.halo(p.b as usize)) + margin);
    assert_eq!(ids, within.map(|p| [p.a, p.b]).collect::<Vec<_>>());
    let mut scratch = Memory::new(narrow::distance_scratch(&a, &b).ok()?.size);
    let any = narrow::any_pair(Isa::best(), &a, &b, margin, scratch.get()).ok()?;
    assert_eq!(any, !ids.is_empty());
    let least = all.iter().map(|p| p.distance).fold(f64::INFINITY, f64::min);
    for isa in Isa::list() {
        let nearest = narrow::min_distance(*isa, &a, &b, f64::INFINITY, scratch.get()).ok()?;
        assert_eq!(nearest.map(|p| p.distance), Some(least), "{}", isa.name());
    }
    alone(&a, &input.corners[1])?;
    let (a, b) = (bodies[0].side(pose_a)?, bodies[1].side(pose_b)?);
    check_contacts(&a, &b)?;
    check_shapes(&a, pose_b, [margin, input.halo])
}

fuzz_target!(|bytes: &[u8]| {
    let _ = query(bytes);
});
