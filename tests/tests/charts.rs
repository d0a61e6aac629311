//! Which patches of a mesh touch, and which look about the same way.

use std::collections::BTreeSet;
use std::time::Instant;

use dem_core::contact::{CellOptions, CellsRef, PRISM, SECTOR};
use dem_core::surrogate::Options;
use dem_std::{OwnedCells, generate};
use dem_tests::Triangle;
use dem_tests::contact::{Body, cuboid, soup};
use dem_tests::query::shape;
use dem_tests::random::Random;
use dem_tests::vector::{dot, sub};

fn cells_of(mesh: &[Triangle], options: &CellOptions) -> OwnedCells {
    OwnedCells::new(&shape(mesh, 0.1, &Options::default()).mesh().unwrap(), options).unwrap()
}

fn patches(cells: &CellsRef<'_>) -> Vec<u32> {
    cells.patch.iter().copied().collect::<BTreeSet<_>>().into_iter().collect()
}

fn chart_names(cells: &CellsRef<'_>) -> BTreeSet<u32> {
    cells.chart.iter().copied().collect()
}

fn normal(cells: &CellsRef<'_>, patch: u32) -> [f64; 3] {
    cells.prism(patch as usize).unwrap().normal
}

/// What must be so of all cells.
fn check(cells: &CellsRef<'_>) {
    assert_eq!(*cells.first_neighbour.last().unwrap() as usize, cells.neighbour.len());
    for i in 0..cells.patch.len() as u32 {
        let (p, near) = (cells.patch[i as usize], cells.patch_neighbours(i));
        assert!(near.is_empty() || p == i);
        assert!(near.windows(2).all(|two| two[0] < two[1]) && !near.contains(&i));
        for q in near {
            assert!(cells.patch[*q as usize] == *q && cells.patch_neighbours(*q).contains(&i));
            assert!(cells.patches_meet(i, *q) && cells.patches_meet(*q, i));
        }
        let chart = cells.chart(i);
        assert!(
            chart <= p
                && cells.chart(chart) == chart
                && cells.chart(p) == chart
                && cells.patch[chart as usize] == chart
        );
    }
}

#[test]
fn a_face_of_a_box_touches_all_faces_but_the_opposite_one() {
    let body = Body::new(&cuboid([1.0, 0.6, 0.5]), 0.1);
    let cells = body.cells();
    check(&cells);
    let faces = patches(&cells);
    assert_eq!(faces.len(), 6);
    for p in &faces {
        assert_eq!(cells.patch_neighbours(*p).len(), 4);
        for q in &faces {
            let opposite = dot(normal(&cells, *p), normal(&cells, *q)) < -0.5;
            assert_eq!(cells.patches_meet(*p, *q), !opposite);
        }
    }
    assert_eq!(chart_names(&cells), faces.into_iter().collect());
    // Numbers of no triangle.
    assert!(cells.patches_meet(12, 12) && !cells.patches_meet(12, 0) && !cells.patches_meet(0, u32::MAX));
    assert!(cells.patch_neighbours(12).is_empty() && cells.patch_neighbours(u32::MAX).is_empty());
    assert_eq!([cells.chart(12), cells.chart(u32::MAX)], [12, u32::MAX]);
}

/// The feet of a U touch its web at most, and not each other.
#[test]
fn walls_of_a_profile_touch_the_walls_beside_them_and_both_ends() {
    let outline = [[0., 0.], [3., 0.], [3., 2.], [2., 2.], [2., 1.], [1., 1.], [1., 2.], [0., 2.]];
    let at = |i: usize, z: f64| [outline[i % 8][0], outline[i % 8][1], z];
    let walls = (0..8).flat_map(|i| {
        let [a, b, c, d] = [at(i, 0.0), at(i + 1, 0.0), at(i + 1, 1.0), at(i, 1.0)];
        [[a, b, c], [a, c, d]]
    });
    let quads = [[0, 1, 4, 5], [1, 2, 3, 4], [0, 5, 6, 7]];
    let top = quads.iter().flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *c, *d]]);
    let ends = top.flat_map(|t| [t.map(|i| at(i, 1.0)), [t[2], t[1], t[0]].map(|i| at(i, 0.0))]);
    let mesh: Vec<_> = walls.chain(ends).collect();
    let body = Body::new(&mesh, 0.1);
    let cells = body.cells();
    check(&cells);
    // Walls are named 0, 2, .. 14, then come both ends.
    assert_eq!(patches(&cells), [0, 2, 4, 6, 8, 10, 12, 14, 16, 17]);
    for wall in 0..8 {
        let beside = [(wall + 7) % 8 * 2, (wall + 1) % 8 * 2];
        let wanted: BTreeSet<u32> = beside.into_iter().chain([16, 17]).collect();
        assert_eq!(cells.patch_neighbours(2 * wall), wanted.into_iter().collect::<Vec<_>>());
    }
    assert_eq!(cells.patch_neighbours(16), [0, 2, 4, 6, 8, 10, 12, 14]);
    assert!(!cells.patches_meet(16, 17));
    assert_eq!(chart_names(&cells).len(), 10);
}

/// A cone of many triangles: at its tip only those touch that have an edge in common.
#[test]
fn many_triangles_around_a_vertex_cost_no_square() {
    let fan = |n: usize| -> Vec<Triangle> {
        let rim = |i: usize| {
            let turn = std::f64::consts::TAU * (i % n) as f64 / n as f64;
            [turn.cos(), turn.sin(), 0.0]
        };
        (0..n).map(|i| [rim(i), rim(i + 1), [0.0, 0.0, 1.0]]).collect()
    };
    let every = CellOptions { flat: 0.0, ..CellOptions::default() };
    for n in [10_000, 100_000] {
        let mesh = fan(n);
        let shape = shape(&mesh, 0.1, &Options::default());
        let start = Instant::now();
        let cells = OwnedCells::new(&shape.mesh().unwrap(), &every).unwrap();
        println!("info cells_of_a_fan_{n} {:.1} ms", 1e3 * start.elapsed().as_secs_f64());
        let cells = cells.open().unwrap();
        let names = patches(&cells);
        assert!(names.len() > n / 2, "{}", names.len());
        assert!(names.iter().all(|p| cells.patch_neighbours(*p).len() == 2));
        // Every chart spans 45 degrees at most, and all of them 360 along the cone.
        assert!((8..=40).contains(&chart_names(&cells).len()), "{}", chart_names(&cells).len());
    }
    // One patch of all but a few.
    let disc: Vec<_> = fan(100_000).iter().map(|t| t.map(|[x, y, _]| [x, y, 0.0])).collect();
    assert!(Body::new(&disc, 0.1).cells().neighbour.len() < 100);
    let copies = vec![disc[0]; 20_000];
    assert!(Body::new(&copies, 0.1).cells().neighbour.is_empty());
}

#[test]
fn the_order_of_triangles_changes_neither_neighbours_nor_charts() {
    let rock = soup(&generate::bumpy(generate::icosphere(2).unwrap(), 1.4, 4).unwrap());
    let first = Body::new(&rock, 0.1);
    let before = first.cells();
    check(&before);
    let mut random = Random::new(5);
    for _ in 0..3 {
        let mut order: Vec<usize> = (0..rock.len()).collect();
        (1..order.len()).for_each(|i| order.swap(i, random.below(i + 1)));
        let mixed: Vec<_> = order.iter().map(|i| rock[*i]).collect();
        let body = Body::new(&mixed, 0.1);
        let cells = body.cells();
        check(&cells);
        for (i, was_i) in order.iter().enumerate() {
            for (j, was_j) in order.iter().enumerate() {
                let meet =
                    |cells: &CellsRef<'_>, i: usize, j: usize| cells.patches_meet(cells.patch[i], cells.patch[j]);
                let same = |cells: &CellsRef<'_>, i: usize, j: usize| cells.chart[i] == cells.chart[j];
                assert_eq!(meet(&cells, i, j), meet(&before, *was_i, *was_j));
                assert_eq!(same(&cells, i, j), same(&before, *was_i, *was_j));
            }
        }
    }
}

#[test]
fn charts_look_about_one_way_and_the_angle_says_how_closely() {
    let mesh = soup(&generate::bumpy(generate::icosphere(3).unwrap(), 1.2, 9).unwrap());
    let mut numbers = Vec::new();
    for angle in [0.0, 0.3, std::f64::consts::FRAC_PI_4, 1.5, std::f64::consts::PI] {
        let owned = cells_of(&mesh, &CellOptions { angle, ..CellOptions::default() });
        let cells = owned.open().unwrap();
        check(&cells);
        let names = chart_names(&cells);
        for chart in &names {
            let members = || (0..mesh.len() as u32).filter(|i| cells.chart[*i as usize] == *chart);
            // Some member has all others within half of the angle.
            let within = |i: u32| {
                let cosine = members().fold(1.0, |m: f64, j| m.min(dot(normal(&cells, i), normal(&cells, j))));
                cosine >= (0.5 * angle).cos() - 1e-5
            };
            assert!(members().any(within), "{angle} {chart}");
        }
        numbers.push(names.len());
    }
    assert_eq!(numbers[0], patches(&cells_of(&mesh, &CellOptions::default()).open().unwrap()).len());
    assert!(numbers.windows(2).all(|two| two[0] > two[1]), "{numbers:?}");
}

/// Patches of random triangles touch where they have a corner in common, and nowhere else.
#[test]
fn neighbours_of_bad_meshes_are_those_with_a_corner_in_common() {
    let mut random = Random::new(11);
    for grid in [3, 4, 6, 1_000_000] {
        let corner = |random: &mut Random| [0; 3].map(|_| random.below(grid) as f64 * 1e-3);
        let mesh: Vec<Triangle> = (0..120).map(|_| [0; 3].map(|_| corner(&mut random))).collect();
        let body = Body::new(&mesh, 0.1);
        let cells = body.cells();
        check(&cells);
        let counts = |i: usize| cells.prism(i).is_some();
        let common = |i: usize, j: usize| mesh[i].iter().any(|a| mesh[j].iter().any(|b| sub(*a, *b) == [0.0; 3]));
        let mut wanted = BTreeSet::new();
        for i in (0..mesh.len()).filter(|i| counts(*i)) {
            for j in (0..mesh.len()).filter(|j| counts(*j) && common(i, *j)) {
                wanted.insert([cells.patch[i], cells.patch[j]]);
            }
        }
        for p in patches(&cells) {
            for q in patches(&cells).into_iter().filter(|q| *q != p) {
                assert_eq!(cells.patches_meet(p, q), wanted.contains(&[p, q]), "{grid}: {p} {q}");
            }
        }
    }
}

/// A face in a cell of an edge or a vertex belongs to the patch there that is most opposed to it.
#[test]
fn owners_are_the_patches_at_the_edge_or_the_vertex() {
    let mut random = Random::new(21);
    let rock = soup(&generate::bumpy(generate::icosphere(2).unwrap(), 1.4, 4).unwrap());
    for mesh in [rock, cuboid([1.0, 0.6, 0.5]), soup(&generate::hull_sphere(40, 5).unwrap())] {
        let body = Body::new(&mesh, 0.1);
        let cells = body.cells();
        for cell in cells.cell {
            let owners: BTreeSet<u32> = cells.owners(cell).map(|prism| prism.patch).collect();
            assert_eq!(owners.len(), cell.owners as usize);
            let wanted: BTreeSet<u32> = match cell.kind {
                PRISM => BTreeSet::new(),
                // The anchor is at the edge's start, so both owners have it as a corner.
                SECTOR => owners.iter().copied().filter(|p| has_corner(&mesh, &cells, *p, cell.anchor)).collect(),
                _ => patches(&cells).into_iter().filter(|p| has_corner(&mesh, &cells, *p, cell.anchor)).collect(),
            };
            assert_eq!(owners, wanted);
            assert!(cell.kind != SECTOR || owners.len() == 2);
            assert!(owners.is_empty() || owners.contains(&cell.patch));
            for _ in 0..10 {
                let face = random.direction();
                let facing = |p: u32| dot(normal(&cells, p), face);
                let best = owners.iter().copied().reduce(|p, q| if facing(q) < facing(p) { q } else { p });
                let owner = cells.owner(cell, face);
                assert!(best.is_none_or(|best| facing(owner) < facing(best) + 1e-5), "{cell:?}");
                assert!(best.is_some() || owner == cell.patch);
            }
        }
    }
}

fn has_corner(mesh: &[Triangle], cells: &CellsRef<'_>, patch: u32, x: [f64; 3]) -> bool {
    mesh.iter().zip(cells.patch).any(|(t, p)| *p == patch && t.contains(&x))
}

/// Where both faces at an edge are as far from the floor's normal, that with the larger triangle has the edge, in any order of triangles.
#[test]
fn a_tie_of_owners_goes_to_the_larger_one() {
    let mesh = cuboid([1.0, 0.6, 0.5]);
    let mut random = Random::new(3);
    for _ in 0..4 {
        let mut mixed = mesh.clone();
        (1..mixed.len()).for_each(|i| mixed.swap(i, random.below(i + 1)));
        let body = Body::new(&mixed, 0.1);
        let cells = body.cells();
        let half = std::f64::consts::FRAC_1_SQRT_2;
        for cell in cells.cell.iter().filter(|cell| cell.kind == SECTOR && cells.owners(cell).count() == 2) {
            let [p, q] = [0, 1].map(|i| cells.owners(cell).nth(i).unwrap());
            for tilt in [0.0, 1e-12, -1e-12] {
                let face = [0, 1, 2].map(|k| -half * ((1.0 + tilt) * p.normal[k] + q.normal[k]));
                let area = |n: [f64; 3]| [0.6 * 0.5, 0.5, 0.6][(0..3).find(|k| n[*k].abs() > 0.5).unwrap()];
                let larger = if area(p.normal) > area(q.normal) { p } else { q };
                assert_eq!(cells.owner(cell, face), larger.patch);
            }
        }
    }
}
