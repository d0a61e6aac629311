//! Costs are near-linear on meshes with many triangles in one place: each test takes some seconds, and minutes if the
//! cost is quadratic.

use dem_core::array::Scalar;
use dem_core::contact::history::{BodyPair, Link, match_contacts, match_scratch};
use dem_core::contact::{CONE, CellOptions, Contact, Law, PRISM, Room, contacts, contacts_scratch};
use dem_core::error::{Error, Result, What};
use dem_core::exec::{Serial, Work};
use dem_core::mesh::{Cylinder, Halo};
use dem_core::narrow::{self_intersections, self_intersections_scratch};
use dem_core::pose::Pose;
use dem_core::simd::Isa;
use dem_core::surrogate::{Options, Preset};
use dem_std::{Memory, OwnedCells, OwnedMesh, OwnedShape, Triangles, generate};
use dem_tests::cases;
use dem_tests::contact::{Body, soup};
use dem_tests::query::shape;
use dem_tests::random::Random;
use dem_tests::vector::{cross, dot, sub};
use dem_tests::{Triangle, data};

/// A cone over a regular base of radius 1, and another one below: a fan where that is plain. In order around the axis, or in none.
fn bipyramid(number: usize, [above, below]: [f64; 2], in_order: bool) -> Vec<Triangle> {
    let rim = |i: usize| {
        let turn = std::f64::consts::TAU * (i % number) as f64 / number as f64;
        [turn.cos(), turn.sin(), 0.0]
    };
    let upper = (0..number).map(|i| [rim(i), rim(i + 1), [0.0, 0.0, above]]);
    let lower = (0..number).map(|i| [rim(i + 1), rim(i), [0.0, 0.0, -below]]);
    let mut triangles: Vec<Triangle> = upper.chain(lower).collect();
    let mut random = Random::new(1);
    for i in (1..if in_order { 1 } else { triangles.len() }).rev() {
        triangles.swap(i, random.below(i + 1));
    }
    triangles
}

#[test]
fn a_vertex_of_many_edges_has_its_cells_in_no_time() {
    let number = cases(25_000, 100_000);
    let chosen = CellOptions::default();
    let facing = CellOptions { law: Law::Facing, ..chosen };
    for (ends, in_order, options) in [
        ([0.8, 0.5], false, facing),
        ([0.1, 0.0], false, facing),
        ([0.8, 0.5], true, chosen),
        // Nothing is flat.
        ([0.8, 0.5], false, CellOptions { flat: 0.0, ..chosen }),
    ] {
        let triangles = bipyramid(number, ends, in_order);
        let (vertices, indices) = data::indexed(&triangles);
        let mesh = OwnedMesh::new(&Triangles { vertices, indices }, Scalar::F64, Halo::Uniform(0.01)).unwrap();
        let cells = OwnedCells::new(&mesh.open().unwrap(), &options).unwrap();
        let cells = cells.open().unwrap();
        assert_eq!(cells.law(), if options.law == Law::Auto { Law::Volume } else { Law::Facing });
        let of = |kind: u32| cells.cell.iter().filter(move |cell| cell.kind == kind);
        assert_eq!(of(PRISM).count(), 2 * number);
        let normal = |i: usize| cells.prism(i).unwrap().normal;
        for (k, cone) in of(CONE).filter(|cone| cone.anchor[..2] == [0.0; 2]).enumerate() {
            assert!(cone.normal[2] * cone.anchor[2] > 0.0);
            // It belongs to the patch that it faces, as far as can be told.
            if k % 10_000 == 0 {
                let facing = |i: usize| dot(normal(i), cone.normal);
                let best = (0..2 * number).map(facing).fold(0.0, f64::max);
                assert!(facing(cone.patch as usize) > best - 1e-3, "{} {best}", facing(cone.patch as usize));
            }
        }
        let tops = of(CONE).filter(|cone| cone.anchor == [0.0, 0.0, ends[0]]).count();
        // By the law of volumes a ring has an arc for each edge that is not flat, so one for each patch, and no more than 7 cones for each.
        let most = match cells.law() {
            Law::Facing => number..20 * number,
            _ => {
                let mut patches: Vec<u32> =
                    of(PRISM).filter(|prism| prism.normal[2] > 0.0).map(|prism| prism.patch).collect();
                patches.sort_unstable();
                patches.dedup();
                patches.len()..7 * patches.len() + 1
            }
        };
        assert!(most.contains(&tops), "{tops} cones, {most:?}");
    }
}

fn crossings(shape: &OwnedShape, room: usize) -> Result<Vec<[u32; 2]>> {
    let (mesh, tree) = (shape.mesh()?, shape.tree()?);
    let mut scratch = Memory::new(self_intersections_scratch(&tree)?)?;
    let mut out = vec![[0; 2]; room];
    let number = self_intersections(Isa::best(), mesh, tree, &mut out, &mut scratch)?;
    out.truncate(number);
    Ok(out)
}

#[test]
fn copies_cross_what_they_are_copies_of_and_are_counted_at_once() {
    let copies = 200_000;
    let [t, u] = [[[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], [[0.1, 0.1, -1.0], [0.2, 0.1, 1.0], [0.1, 0.2, 1.0]]];
    let built = |triangles: &[Triangle]| shape(triangles, 0.01, &Options::preset(Preset::Fast));
    assert_eq!(crossings(&built(&vec![t; copies]), 0), Ok(vec![]));
    // A point and a segment, over and over.
    assert_eq!(crossings(&built(&vec![[t[0]; 3]; copies]), 0), Ok(vec![]));
    assert_eq!(crossings(&built(&[[t[0], t[1], t[1]], [t[1], t[0], t[1]]].repeat(copies / 2)), 0), Ok(vec![]));
    // Too many to be written, but not to be counted.
    let number = (copies / 2) as u64;
    let error = Error::capacity(What::Output, number * number, 9);
    assert_eq!(crossings(&built(&[t, [u[1], u[0], u[2]]].repeat(copies / 2)), 9), Err(error));
    // A ball of many layers crosses what its outer one does.
    let ball = soup(&generate::icosphere(3).unwrap());
    let mut layers = ball.repeat(200);
    layers.push([[0.0; 3], [2.0, 0.1, 0.0], [2.0, 0.0, 0.1]]);
    let once = crossings(&built(&[&ball[..], &layers[layers.len() - 1..]].concat()), 99).unwrap();
    let all = crossings(&built(&layers), 200 * once.len()).unwrap();
    assert!(!once.is_empty() && all.len() == 200 * once.len());
    assert!(
        all.is_sorted() && all.iter().all(|[i, j]| once.contains(&[i % 1280, 1280]) && *j as usize == layers.len() - 1)
    );
}

#[test]
fn a_vertex_of_many_triangles_crosses_nothing_and_soon() {
    // Two peaks, a peak and a fan, a shell, a sheet with two sides.
    for ends in [[0.8, 0.5], [0.1, 0.0], [0.3, -0.2], [0.3, -0.3]] {
        let fan = bipyramid(40_000, ends, false);
        assert_eq!(crossings(&shape(&fan, 0.01, &Options::preset(Preset::Fast)), 9), Ok(vec![]));
    }
}

/// Prisms whose caps are cones: so many slices, with tips at the origin and below.
fn spindle(number: usize) -> Vec<Triangle> {
    let rim = |i: usize, z: f64| {
        let turn = std::f64::consts::TAU * (i % number) as f64 / number as f64;
        [turn.cos(), turn.sin(), z]
    };
    let slice = |i: usize| {
        let [a, b, c, d] = [rim(i, -0.5), rim(i + 1, -0.5), rim(i + 1, -0.9), rim(i, -0.9)];
        [[a, b, [0.0; 3]], [c, d, [0.0, 0.0, -1.4]], [d, c, b], [d, b, a]]
    };
    (0..number).flat_map(slice).collect()
}

#[test]
fn tips_of_many_slices_that_touch_do_not_ask_all_slices_for_each_pair() {
    // Every slice of one tip touches every slice of the other one. Each pair would ask all slices of both tips where the tips go, some
    // twenty times: 5e9 steps in each of three steps.
    let number = 500;
    let body = Body::new(&spindle(number), 1e-6);
    let above = Pose { position: [0.0, 0.0, 1.4], ..Pose::IDENTITY };
    let (a, b) = (body.side(&above), body.side(&Pose::IDENTITY));
    let room = Room { pairs: 2 * number * number, terms: 8 * number * number, segments: number };
    let mut scratch = Memory::new(contacts_scratch(&a, &b, room, 1).unwrap()).unwrap();
    let mut out = vec![Contact::default(); number * number];
    for _ in 0..3 {
        let found = contacts(Work::new(&Serial, Isa::best(), &mut scratch), &a, &b, 0, room, &mut out).unwrap();
        assert!(found.crossing >= number * number, "{found:?}");
    }
}

/// The prisms that stand for cylinders lie on each other with their ends. If triangles of an end met in one vertex, all of one end would be near all of the other one.
#[test]
fn ends_of_cylinders_lie_on_each_other_at_a_cost_that_grows_with_their_facets() {
    for facets in [500, 2000] {
        let body = |_| {
            let cylinder = Cylinder { radius: 1.0, length: 1.0, facets };
            let sagitta = cylinder.sagitta();
            Body::conservative(&soup(&generate::cylinder(cylinder).unwrap()), 8.0 * sagitta)
        };
        let (own, other) = (body(0), body(1));
        let turned = Pose { position: [0.0, 0.0, 1.0], orientation: [0.0, 0.0, 0.6, 0.8] };
        let (a, b) = (own.side(&turned), other.side(&Pose::IDENTITY));
        let room = Room { pairs: 64 * facets as usize, terms: 64 * facets as usize, segments: 64 };
        let mut scratch = Memory::new(contacts_scratch(&a, &b, room, 1).unwrap()).unwrap();
        let mut out = vec![Contact::default(); 8 * facets as usize];
        let found = contacts(Work::new(&Serial, Isa::best(), &mut scratch), &a, &b, 0, room, &mut out).unwrap();
        let area = out[..found.contacts].iter().filter(|c| c.normal[2] > 0.99).map(|c| c.area).sum::<f64>();
        assert!((area - std::f64::consts::PI).abs() < 1e-3, "{facets} facets: {area}");
    }
}

#[test]
fn no_vertex_of_a_cylinder_has_many_triangles() {
    for facets in (3..100).chain([128, 1000, 4099]) {
        let cylinder = Cylinder { radius: 0.7, length: 1.9, facets };
        let Triangles { vertices, indices } = generate::cylinder(cylinder).unwrap();
        let mut count = vec![0u32; vertices.len()];
        indices.iter().flatten().for_each(|vertex| count[*vertex as usize] += 1);
        assert!(count.iter().all(|n| (3..=8 + 2 * facets.ilog2()).contains(n)), "{facets}: {:?}", count.iter().max());
        // Each edge has two sides, one in either direction, and no triangle of an end looks inward.
        let mut edges: Vec<[u32; 2]> = indices.iter().flat_map(|[a, b, c]| [[*a, *b], [*b, *c], [*c, *a]]).collect();
        let mut turned: Vec<[u32; 2]> = edges.iter().map(|[a, b]| [*b, *a]).collect();
        edges.sort_unstable();
        turned.sort_unstable();
        assert!(edges == turned && edges.windows(2).all(|pair| pair[0] != pair[1]), "{facets}");
        for [lower, _, _, upper] in indices.as_chunks::<4>().0 {
            for (triangle, side) in [(lower, -1.0), (upper, 1.0)] {
                let [a, b, c] = triangle.map(|v| vertices[v as usize]);
                assert!([a, b, c].iter().all(|p| p[2] == side * 0.95), "{facets}");
                assert!(cross(sub(b, a), sub(c, a))[2] * side > 0.0, "{facets}: {triangle:?}");
            }
        }
    }
}

#[test]
fn contacts_in_one_place_are_matched_in_no_time() {
    // All with new keys: a million million pairs are equally near.
    let number = cases(60_000, 400_000);
    for (apart, bound) in [(0.0, 0.1), (0.01, 0.1), (0.01, f64::INFINITY)] {
        let step = |side: u64, x: f64| -> Vec<Contact> {
            let key = |i: u64| [5, (2 * i + side) << 32 | (2 * i + side)];
            (0..number as u64).map(|i| Contact { key: key(i), position: [x; 3], ..Contact::default() }).collect()
        };
        let (before, after) = (step(0, 0.5), step(1, 0.5 + apart));
        let pairs = [BodyPair { tag: 5, pose_a: Pose::IDENTITY, pose_b: Pose::IDENTITY }];
        let steps = [(&before[..], &pairs[..]), (&after[..], &pairs[..])];
        let mut links = vec![Link::NEW; number];
        let mut scratch = Memory::new(match_scratch(number, number, 0).unwrap()).unwrap();
        match_contacts(&steps[0], &steps[1], bound, &mut links, None, None, &mut scratch).unwrap();
        // Ties go to the smaller keys.
        assert!(links.iter().enumerate().all(|(i, link)| link.origin as usize == i));
    }
}
