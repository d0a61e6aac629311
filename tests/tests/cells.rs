//! Cells of meshes: every point in the halo lies in a cell, gaps are distances to within a few percent, and bad
//! triangles do not affect others.

use dem_core::contact::{
    CONE, Cell, CellOptions, CellSizes, Cells, CellsRef, Law, PRISM, SECTOR, build_scratch, cell_sizes,
};
use dem_core::error::{Kind, Result};
use dem_core::memory::Layout;
use dem_std::{Memory, generate};
use dem_tests::contact::{Body, cuboid, soup};
use dem_tests::deep::{moved, turned_over};
use dem_tests::random::Random;
use dem_tests::vector::{add, dot, length, sub};
use dem_tests::{Triangle, data, distance, walls};

/// 1 / cos of the largest angle between a cell's normal and a direction in it, which is 23.1 degrees.
const STRETCH: f64 = 1.088;

fn counts(cells: CellsRef<'_>) -> [usize; 3] {
    [PRISM, SECTOR, CONE].map(|kind| cells.cell.iter().filter(|c| c.kind == kind).count())
}

/// How deep `x` is inside of the cell's sides; negative outside.
fn depth(cells: &CellsRef<'_>, cell: &Cell, x: [f64; 3]) -> f64 {
    let y = sub(x, cell.anchor);
    cells.sides(cell).iter().fold(f64::INFINITY, |m, [a, b, c, d]| m.min(dot([*a, *b, *c], y) + d))
}

fn gap(cell: &Cell, x: [f64; 3]) -> f64 {
    cell.slope * dot(cell.normal, sub(x, cell.anchor))
}

/// Distance of a point from a mesh.
fn far(mesh: &[Triangle], x: [f64; 3]) -> f64 {
    mesh.iter().fold(f64::INFINITY, |m, t| m.min(distance::point_triangle(x, t).distance))
}

#[test]
fn a_box_has_prisms_four_sectors_an_edge_and_fans_at_its_corners_only() {
    let cells = |mesh: &dem_std::Triangles| counts(Body::facing(&soup(mesh), 0.1).cells());
    let [prisms, sectors, cones] = cells(&generate::cuboid([1.0, 0.6, 0.5]).unwrap());
    assert_eq!((prisms, sectors, cones % 8), (12, 4 * 12, 0));
    assert!((8..=24).contains(&(cones / 8)), "{cones} cones");
    // A fine mesh has a cell for each edge and each vertex.
    assert_eq!(cells(&generate::icosphere(3).unwrap()), [1280, 1920, 642]);
    // For the law of volumes a vertex has two cones fewer than edges.
    let ball = Body::conservative(&soup(&generate::icosphere(3).unwrap()), 0.1);
    assert_eq!(counts(ball.cells()), [1280, 1920, 2 * 1920 - 2 * 642]);
    assert_eq!(cells(&generate::plate([7, 5], [1.0, 1.0]).unwrap()), [70, 0, 0]);
    // Bad triangles of a flat wall have no area or count once; nothing of it is convex.
    let wall = walls::irregular(300, 1.0, 3);
    assert_eq!(counts(Body::new(&wall, 0.1).cells()), [wall.len(), 0, 0]);
}

#[test]
fn walls_are_one_patch_however_they_are_cut_and_rounded() {
    let mut random = Random::new(1);
    for seed in 0..6 {
        let wall = if seed < 5 { walls::irregular(2_000, 1.0, seed) } else { walls::regular(71, 1.0) };
        let body = Body::new(&wall, 0.1);
        assert!(body.cells().patch.iter().all(|p| *p == 0));
        let rounded = Body::new(&walls::rounded(&wall, random.rotation(), random.in_cube(1.0)), 0.1);
        let cells = rounded.cells();
        assert_eq!(counts(cells)[1..], [0, 0]);
        // A needle whose rounded normal points down is a patch by itself.
        let strays = cells.patch.iter().filter(|p| **p != 0).count();
        assert!(strays * 50 <= wall.len(), "{strays} of {}", wall.len());
    }
}

/// The two sides of a sheet that is folded flat lie in one plane and face opposite ways, so they are two patches.
#[test]
fn a_sheet_that_is_folded_onto_itself_is_two_patches() {
    let [a, b, c, d] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.2, 0.2, 0.0]];
    for fold in [[a, b, c], [c, b, d]].repeat(2).windows(2) {
        let body = Body::new(fold, 0.1);
        assert_eq!(body.cells().patch, [0, 1]);
        assert!(body.cells().cell.iter().filter(|cell| cell.kind == PRISM).count() == 2);
    }
    let flat = Body::new(&[[a, b, c], [c, b, [0.8, 0.8, 0.0]]], 0.1);
    assert_eq!(flat.cells().patch, [0, 0]);
}

/// A point near a convex body lies in one cell, a point near any closed body in at least one; gaps are as documented.
#[test]
fn the_halo_is_filled_and_gaps_are_distances_to_nine_percent() {
    let rock = generate::bumpy(generate::icosphere(2).unwrap(), 1.4, 4).unwrap();
    let bodies = [
        ("box", generate::cuboid([1.0, 0.6, 0.5]).unwrap(), true),
        ("sphere", generate::icosphere(2).unwrap(), true),
        ("hull", generate::hull_sphere(40, 5).unwrap(), true),
        ("long", generate::elongated(2, 4.0).unwrap(), true),
        ("rock", rock, false),
    ];
    for (name, mesh, convex) in bodies {
        let mesh = soup(&mesh);
        let body = Body::new(&mesh, 0.1);
        let cells = body.cells();
        let mut random = Random::new(9);
        for _ in 0..3_000 {
            let t = mesh[random.below(mesh.len())];
            let x = add(t[random.below(3)], random.in_cube(0.4));
            let operand = dem_tests::query::operand(&body.shape, &dem_core::pose::Pose::IDENTITY);
            let true_distance = far(&mesh, x);
            if inside(&operand, x) || true_distance < 1e-6 {
                continue;
            }
            let holds =
                |slack: f64| cells.cell.iter().filter(move |c| depth(&cells, c, x) >= slack && gap(c, x) >= 0.0);
            assert!(holds(-1e-9).count() >= 1, "{name}: {x:?} is in no cell");
            if convex {
                assert!(holds(1e-9).count() <= 1, "{name}: {x:?} is in {} cells", holds(1e-9).count());
            }
            let least = holds(-1e-9).fold(f64::INFINITY, |m, c| m.min(gap(c, x)));
            let range = true_distance * (1.0 - 1e-9) - 1e-9..=true_distance * STRETCH + 1e-9;
            assert!(range.contains(&least), "{name}: gap {least}, distance {true_distance}");
        }
    }
}

fn inside(operand: &dem_core::narrow::Operand<'_>, x: [f64; 3]) -> bool {
    let mut winding = [0.0];
    let points = [x];
    let points = dem_core::array::Array::from_f64(&points);
    dem_core::narrow::winding_numbers(operand, points, &mut winding).unwrap();
    winding[0] > 0.5
}

#[test]
fn copies_count_once_and_triangles_without_area_have_no_cells() {
    let [a, b, c, d] = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0]];
    let line = [a, b, [0.25, 0.0, 0.0]];
    let mesh = [[a, b, c], [b, c, a], [a, c, b], [c, b, a], [a, a, b], [a, a, a], line, [b, d, c]];
    let cells = Body::new(&mesh, 0.1);
    let cells = cells.cells();
    let prisms: Vec<_> = (0..mesh.len()).map(|i| cells.prism(i).is_some()).collect();
    assert_eq!(prisms, [true, false, true, false, false, false, false, true]);
    assert_eq!(counts(cells), [3, 0, 0]);
}

#[test]
fn bad_meshes_have_finite_cells() {
    let mut random = Random::new(11);
    let mut meshes =
        vec![data::mesh("scenes/broken.stl"), data::mesh("scenes/teapot.stl"), data::mesh("scenes/bunny.stl")];
    for grid in [2, 3, 5, 1_000_000] {
        let corner = |random: &mut Random| [0; 3].map(|_| random.below(grid) as f64 * 1e-3);
        meshes.push((0..400).map(|_| [0; 3].map(|_| corner(&mut random))).collect());
    }
    for (mesh, law) in meshes.iter().flat_map(|mesh| [Law::Facing, Law::Volume].map(|law| (mesh, law))) {
        let body = Body::with(mesh, 0.1, &CellOptions { law, ..CellOptions::default() });
        let cells = body.cells();
        // Cones of the law of volumes are as wide as arcs between normals of neighbours may be.
        let most = if law == Law::Facing { STRETCH } else { f64::INFINITY };
        for cell in cells.cell {
            let sides = cells.sides(cell);
            assert_eq!(sides.len(), cell.sides as usize);
            let numbers = cell.anchor.iter().chain(&cell.normal).chain([&cell.slope, &cell.dead]);
            assert!(numbers.chain(sides.iter().flatten()).all(|x| x.is_finite()), "{cell:?}");
            assert!((length(cell.normal) - 1.0).abs() < 1e-12 && (1.0..most).contains(&(cell.slope * 1.0000001)));
            // A sine; cones of the law of volumes may lean as far as they are wide.
            let lean = if law == Law::Facing { 0.4 } else { 1.0 };
            assert!((0.0..lean).contains(&cell.dead), "{cell:?}");
            assert!(sides.iter().all(|[x, y, z, _]| (length([*x, *y, *z]) - 1.0).abs() < 1e-12));
            assert!((cell.patch as usize) < mesh.len());
        }
    }
}

#[test]
fn memory_of_the_exact_size_fits_and_less_is_refused() {
    let body = Body::new(&soup(&generate::cuboid([1.0; 3]).unwrap()), 0.1);
    let mesh = body.shape.mesh().unwrap();
    let options = CellOptions::default();
    let layout = build_scratch(&mesh.sizes).unwrap();
    let mut scratch = Memory::new(layout).unwrap();
    let sizes = cell_sizes(&mesh, &options, &mut scratch).unwrap();
    let wanted = Cells::layout(&sizes).unwrap();
    let kind = |r: Result<CellsRef<'_>>| r.map(|_| ()).map_err(|e| e.kind);
    let try_with = |size: usize, spare: usize, sizes: &CellSizes, options: &CellOptions| {
        let mut block = Memory::new(Layout { size, ..wanted }).unwrap();
        let mut scratch = Memory::new(Layout { size: layout.size - spare, ..layout }).unwrap();
        kind(Cells::from_mesh(&mut block, sizes, &mesh, options, &mut scratch))
    };
    assert_eq!(try_with(wanted.size, 0, &sizes, &options), Ok(()));
    assert_eq!(try_with(wanted.size - 1, 0, &sizes, &options), Err(Kind::Capacity));
    assert_eq!(try_with(wanted.size, 1, &sizes, &options), Err(Kind::Capacity));
    let fewer = CellSizes { cells: sizes.cells - 1, ..sizes };
    assert_eq!(try_with(wanted.size, 0, &fewer, &options), Err(Kind::Mismatch));
    assert_eq!(try_with(wanted.size, 0, &sizes, &CellOptions { flat: f64::NAN, ..options }), Err(Kind::NotFinite));
    assert_eq!(try_with(wanted.size, 0, &sizes, &CellOptions { flat: -1.0, ..options }), Err(Kind::OutOfRange));
    for (angle, wrong) in [(f64::NAN, Kind::NotFinite), (-1e-9, Kind::OutOfRange), (3.2, Kind::OutOfRange)] {
        assert_eq!(try_with(wanted.size, 0, &sizes, &CellOptions { angle, ..options }), Err(wrong));
    }
    let fewer = CellSizes { neighbours: sizes.neighbours - 1, ..sizes };
    assert_eq!(try_with(wanted.size, 0, &fewer, &options), Err(Kind::Mismatch));
}

/// Closed bodies that are not thin, rooms, and terrain; not plates, sheets with two sides, or what is bad.
#[test]
fn a_law_is_chosen_by_the_mesh() {
    assert_eq!(CellOptions::default().law, Law::Auto);
    let chosen = |soup: &[Triangle], halo: f64| Body::new(soup, halo).cells().law();
    let cube = cuboid([1.0; 3]);
    let rock = soup(&generate::bumpy(generate::icosphere(3).unwrap(), 1.4, 7).unwrap());
    let terrain = soup(&generate::plate([5, 5], [4.0, 4.0]).unwrap());
    for (name, mesh, halo) in [
        ("cube", cube.clone(), 0.08),
        ("rock", rock.clone(), 0.05),
        ("terrain", terrain.clone(), 0.5),
        ("irregular wall without copies", walls::regular(9, 1.0), 0.1),
        ("bunny", data::mesh("scenes/bunny.stl"), 0.0),
        ("room", turned_over(&cube), 0.05),
        ("two cubes apart", [cube.clone(), moved(&cube, [3.0, 0.0, 0.0])].concat(), 0.05),
    ] {
        assert_eq!(chosen(&mesh, halo), Law::Volume, "{name}");
    }
    let fin = [[[-0.5, -0.5, 0.5], [0.5, -0.5, 0.5], [0.0, -0.5, 1.5]]];
    for (name, mesh, halo) in [
        ("cube in a wide halo", cube.clone(), 0.09),
        ("room of a wide halo", turned_over(&cube), 0.09),
        ("plate", cuboid([1.0, 1.0, 0.1]), 0.03),
        ("two sides", [terrain.clone(), turned_over(&terrain)].concat(), 0.05),
        ("open box", cube[2..].to_vec(), 0.05),
        ("a face twice", [cube.clone(), cube[..1].to_vec()].concat(), 0.05),
        ("a face turned", [turned_over(&cube[..1]), cube[1..].to_vec()].concat(), 0.05),
        ("a fin on an edge", [&cube[..], &fin].concat(), 0.05),
        ("cubes in each other", [cube.clone(), moved(&cube, [0.3, 0.2, 0.1])].concat(), 0.01),
        ("broken", data::mesh("scenes/broken.stl"), 0.0),
    ] {
        assert_eq!(chosen(&mesh, halo), Law::Facing, "{name}");
    }
}

/// Rows and lattices of many parts, whatever axis they lie along.
#[test]
fn many_parts_have_the_law_of_one() {
    let cube = cuboid([1.0; 3]);
    let chosen = |counts: [i32; 3], more: &[Triangle]| {
        let each = |x: i32, y: i32, z: i32| moved(&cube, [x, y, z].map(|k| 2.0 * f64::from(k)));
        let all = (0..counts[0]).flat_map(|x| (0..counts[1]).flat_map(move |y| (0..counts[2]).map(move |z| [x, y, z])));
        let mut mesh: Vec<Triangle> = all.flat_map(|[x, y, z]| each(x, y, z)).collect();
        mesh.extend(more);
        Body::new(&mesh, 0.01).cells().law()
    };
    let last = |x: f64, y: f64, z: f64| moved(&cube, [x + 0.3, y + 0.2, z + 0.1]);
    for (counts, end) in
        [([100, 1, 1], [198.0, 0.0, 0.0]), ([1, 100, 1], [0.0, 198.0, 0.0]), ([1, 1, 100], [0.0, 0.0, 198.0])]
    {
        assert_eq!(chosen(counts, &[]), Law::Volume, "{counts:?}");
        let [x, y, z] = end;
        assert_eq!(chosen(counts, &last(x, y, z)), Law::Facing, "{counts:?}");
    }
    // Layers have many parts beside each other along one axis, or along two.
    for counts in [[9, 9, 9], [2, 40, 40], [40, 40, 2], [40, 2, 40], [1, 1200, 1]] {
        assert_eq!(chosen(counts, &[]), Law::Volume, "{counts:?}");
    }
    assert_eq!(chosen([9, 9, 9], &last(16.0, 16.0, 16.0)), Law::Facing);
}
