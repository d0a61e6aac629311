//! Tests of building, opening and refitting.

use super::*;
use crate::error::{Error, Kind, What};

/// Neighbours, by comparing every side with every other side.
fn slow_neighbours(soup: &Soup) -> Vec<[u32; 3]> {
    let position = |v: u32| soup.vertices[v as usize];
    let corners: Vec<[[f64; 3]; 3]> = soup.triangles.iter().map(|t| t.map(position)).collect();
    let repeats = |t: &[[f64; 3]; 3]| t[0] == t[1] || t[1] == t[2] || t[2] == t[0];
    let same = |a: &[[f64; 3]; 3], b: &[[f64; 3]; 3]| a.iter().all(|p| b.contains(p));
    let along = |a: &[[f64; 3]; 3], b: &[[f64; 3]; 3]| (0..3).any(|k| *a == [b[k], b[(k + 1) % 3], b[(k + 2) % 3]]);
    // Of triangles with the same corners, the first one with the orientation of the majority stands for all. If both orientations are equally
    // frequent, it is the first triangle.
    let alike = |i: usize| -> Vec<usize> {
        (0..corners.len()).filter(|j| !repeats(&corners[*j]) && same(&corners[*j], &corners[i])).collect()
    };
    let votes = |i: usize| {
        let (for_i, all) = (alike(i).into_iter().filter(|j| along(&corners[*j], &corners[i])).count(), alike(i).len());
        (2 * for_i).cmp(&all)
    };
    let stands = |i: usize| {
        let earlier = |j: &usize| *j < i && (votes(i).is_eq() || along(&corners[*j], &corners[i]));
        !repeats(&corners[i]) && votes(i).is_ge() && !alike(i).iter().any(earlier)
    };
    let edge = |i: usize, k: usize| (corners[i][k], corners[i][(k + 1) % 3]);
    let mut all = std::vec![[NONE; 3]; corners.len()];
    for (i, neighbours) in all.iter_mut().enumerate() {
        for (k, neighbour) in neighbours.iter_mut().enumerate() {
            let (p, q) = edge(i, k);
            let at_edge = |j: &usize| (0..3).any(|l| edge(*j, l) == (p, q) || edge(*j, l) == (q, p));
            let standing: Vec<usize> = (0..corners.len()).filter(|j| stands(*j) && at_edge(j)).collect();
            let whole: Vec<usize> = standing.iter().copied().filter(|j| votes(*j).is_ne()).collect();
            let pair = if standing.len() == 2 { standing } else { whole };
            if let [a, b] = pair[..]
                && (a == i || b == i)
            {
                *neighbour = (if a == i { b } else { a }) as u32;
            }
        }
    }
    all
}

#[test]
fn neighbours_and_welds_equal_those_found_by_comparing_all_with_all() {
    for seed in 0..60 {
        let soup = crowd(seed, 6 + (seed % 30) as u32, 5 + (seed % 40) as u32);
        let mut built = soup.built();
        let mesh = built.mesh();
        for (i, p) in soup.vertices.iter().enumerate() {
            let first = soup.vertices.iter().position(|q| q == p).unwrap();
            assert_eq!(mesh.weld[i], first as u32);
        }
        assert_eq!(mesh.neighbour, slow_neighbours(&soup), "seed {seed}");
    }
}

#[test]
fn loose_triangles_and_indexed_ones_have_the_same_coordinates_and_neighbours() {
    let soup = cuboid([1.0, 2.0, 3.0]);
    let corners = soup.corners();
    let loose = MeshInput { vertices: Array::from_f64(&corners), triangles: None, ..soup.input(Scalar::F64) };
    let (mut a, mut b) = (soup.built(), build(&loose));
    let (a, b) = (a.mesh(), b.mesh());
    assert_eq!(a.coordinates64, b.coordinates64);
    assert_eq!(a.neighbour, b.neighbour);
    assert!(a.neighbour.iter().flatten().all(|n| *n != NONE), "a box is closed");
    assert_eq!((a.len(), b.vertex[11]), (12, [33, 34, 35]));
}

#[test]
fn rows_repeat_the_last_triangle_to_a_multiple_of_sixteen() {
    let soup = cuboid([1.0, 2.0, 3.0]);
    for scalar in [Scalar::F32, Scalar::F64] {
        let mut built = build(&soup.input(scalar));
        let mesh = built.mesh();
        let last = mesh.triangle(11).concat();
        for (row, x) in last.into_iter().enumerate() {
            if scalar == Scalar::F32 {
                assert_eq!(mesh.rows32()[row].len(), 16);
                assert!(mesh.rows32()[row][11..].iter().all(|y| f64::from(*y) == x));
                assert!(mesh.rows64()[row].is_empty());
            } else {
                assert_eq!(mesh.rows64()[row].len(), 16);
                assert!(mesh.rows64()[row][11..].iter().all(|y| *y == x));
                assert!(mesh.rows32()[row].is_empty());
            }
        }
        assert_eq!(mesh.triangle(12), [[0.0; 3]; 3]);
    }
}

#[test]
fn positions_weld_as_they_are_stored() {
    let near = 1.0 + 1e-12;
    let soup = Soup {
        vertices: std::vec![
            [0.0, -0.0, 1.0],
            [near, 0.0, 0.0],
            [0.0, 1.0, 0.0],
            [-0.0, 0.0, 1.0],
            [1.0, 0.0, -0.0],
            [0.0, -1.0, 0.0]
        ],
        triangles: std::vec![[0, 1, 2], [3, 5, 4]],
    };
    let mut wide = soup.built();
    assert_eq!(wide.mesh().weld, [0, 1, 2, 0, 4, 5]);
    assert_eq!(wide.mesh().triangle(0)[0].map(f64::to_bits), [0.0, 0.0, 1.0f64].map(f64::to_bits));
    let mut narrow = build(&soup.input(Scalar::F32));
    assert_eq!(narrow.mesh().weld, [0, 1, 2, 0, 1, 5]);
    assert_eq!(narrow.mesh().neighbour, [[1, NONE, NONE], [NONE, NONE, 0]]);
}

#[test]
fn the_ball_holds_every_corner_and_no_more_at_any_scale() {
    for scale in [1e-310, 1e-160, 1.0, 1e6, 1e290] {
        let soup = crowd(7, 20, 30).map(|p| p.map(|x| (x + 0.3) * scale));
        let mut built = soup.built();
        let mesh = built.mesh();
        let far = mesh.vertex.iter().flatten().map(|v| {
            let p = soup.vertices[*v as usize];
            let [x, y, z] = [0, 1, 2].map(|c| (p[c] - mesh.centre()[c]) / scale);
            (x * x + y * y + z * z).sqrt()
        });
        let far = far.fold(0.0, f64::max);
        let radius = mesh.radius() / scale;
        assert!(radius >= far * (1.0 - 1e-15) && radius <= far * (1.0 + 1e-13) + 1e-13, "{radius} {far}");
    }
    let point = Soup { vertices: std::vec![[5.0; 3]], triangles: std::vec![[0, 0, 0]] };
    let mut built = point.built();
    assert_eq!((built.mesh().radius(), built.mesh().centre()), (0.0, [5.0; 3]));
}

#[test]
fn vertices_that_no_triangle_uses_are_in_no_box_but_must_be_finite() {
    let mut soup = cuboid([1.0; 3]);
    soup.vertices.push([100.0; 3]);
    assert_eq!(soup.built().mesh().bounds[0].high, [1.0; 3]);
    soup.vertices.push([0.0, f64::NAN, 0.0]);
    let error = soup.input(Scalar::F64).check().unwrap_err();
    assert_eq!(error, Error::new(Kind::NotFinite, What::Vertices).at(9, 1));
}

#[test]
fn bad_input_is_named_and_nothing_is_written() {
    let good = cuboid([1.0; 3]);
    let mut index = good.clone();
    index.triangles[5][2] = 8;
    let mut large = good.clone();
    large.vertices[3][2] = 1e305;
    let halos = [0.0, -1.0];
    let one = [0.0, 1.0, f64::INFINITY, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
    let [good, index, large] = [&good, &index, &large].map(|soup| soup.input(Scalar::F64));
    let cases = [
        (index, Error::new(Kind::BadIndex, What::Indices).at(5, 2).amounts(8, 8)),
        (large, Error::new(Kind::OutOfRange, What::Vertices).at(3, 2)),
        (MeshInput { halo: Halo::Uniform(-1.0), ..good }, Error::new(Kind::OutOfRange, What::Halo)),
        (
            MeshInput { halo: Halo::Each(Array::from_numbers(&halos)), ..good },
            Error::new(Kind::Mismatch, What::Halos).amounts(12, 2),
        ),
        (
            MeshInput { halo: Halo::Each(Array::from_numbers(&one)), ..good },
            Error::new(Kind::NotFinite, What::Halos).at(2, 0),
        ),
    ];
    for (bad, error) in cases {
        let sizes = bad.sizes().unwrap();
        let mut block = Memory::new(Mesh::layout(&sizes).unwrap());
        let mut scratch = Memory::new(build_scratch(&sizes).unwrap());
        assert_eq!(Mesh::from_arrays(block.bytes(), &bad, scratch.bytes()).err(), Some(error));
        assert!(block.bytes().iter().all(|b| *b == 0xAB));
    }
    let narrow = MeshInput { vertices: Array::from_f64(&[[1e39; 3]; 3]), triangles: None, scalar: Scalar::F32, ..good };
    assert_eq!(narrow.check().unwrap_err().kind, Kind::OutOfRange);
    let torso = MeshInput { vertices: Array::from_f64(&[[0.0; 3]; 4]), triangles: None, ..good };
    let error = torso.sizes().unwrap_err();
    assert_eq!(error, Error::capacity(What::Vertices, 6, 4).at(0, 1));
    assert!(std::format!("{error}").contains("4 is not a multiple of three; pass the indices of triangles"));
    let empty = MeshInput { vertices: Array::from_f64(&[]), triangles: None, ..good };
    assert_eq!(empty.sizes().unwrap_err().kind, Kind::OutOfRange);
}

#[test]
fn exact_sizes_fit_and_one_byte_less_is_refused() {
    let soup = cuboid([1.0; 3]);
    let input = soup.input(Scalar::F32);
    let sizes = input.sizes().unwrap();
    let (layout, need) = (Mesh::layout(&sizes).unwrap(), build_scratch(&sizes).unwrap());
    let (mut block, mut scratch) = (Memory::new(layout), Memory::new(need));
    let short = &mut block.bytes()[..layout.size - 1];
    let error = Mesh::from_arrays(short, &input, scratch.bytes()).err().unwrap();
    assert_eq!(error, Error::capacity(What::Mesh, layout.size as u64, layout.size as u64 - 1));
    let error = Mesh::from_arrays(block.bytes(), &input, &mut scratch.bytes()[..need.size - 1]).err().unwrap();
    assert_eq!(error, Error::capacity(What::Scratch, need.size as u64, need.size as u64 - 1));
    assert!(block.bytes().iter().all(|b| *b == 0xAB));
    assert!(Mesh::from_arrays(block.bytes(), &input, scratch.bytes()).is_ok());
    let limit = MeshSizes::new(NONE, 3, Scalar::F64, false);
    assert_eq!(Mesh::layout(&limit).unwrap_err().kind, Kind::TooLarge);
    assert_eq!(Mesh::layout(&MeshSizes { scalar: 3, ..sizes }).unwrap_err().kind, Kind::OutOfRange);
}

#[test]
fn halos_of_each_triangle_or_of_all() {
    let soup = cuboid([1.0; 3]);
    let halos: Vec<f64> = (0..12).map(|i| f64::from(i % 5)).collect();
    let mut built = build(&MeshInput { halo: Halo::Each(Array::from_numbers(&halos)), ..soup.input(Scalar::F64) });
    let mesh = built.mesh();
    assert_eq!((mesh.halo(3), mesh.halo(7), mesh.largest_halo()), (3.0, 2.0, 4.0));
    let mut open = Mesh::open(built.0.bytes()).unwrap();
    assert_eq!(open.set_halo(Halo::Uniform(1.0)).unwrap_err().kind, Kind::Mismatch);
    open.set_halo(Halo::Each(Array::from_numbers(&[0.5; 12]))).unwrap();
    assert_eq!((open.as_ref().halo(7), open.as_ref().largest_halo()), (0.5, 0.5));
    let mut same = soup.built();
    assert_eq!(same.mesh().halo(11), 0.25);
}

#[test]
fn moved_vertices_give_the_block_that_would_be_built_from_them() {
    for scalar in [Scalar::F32, Scalar::F64] {
        let soup = cuboid([1.0, 2.0, 3.0]);
        let moved = soup.map(|[x, y, z]| [x + 0.1 * y, y - 0.3 * z * z, 7.0 + z]);
        let mut built = build(&soup.input(scalar));
        refit(built.0.bytes(), Array::from_f64(&moved.vertices)).unwrap();
        let mut fresh = build(&moved.input(scalar));
        assert_eq!(built.0.bytes(), fresh.0.bytes());
        let before = Vec::from(fresh.0.bytes());
        let mut bad = moved.vertices.clone();
        bad[6][1] = f64::INFINITY;
        let error = refit(fresh.0.bytes(), Array::from_f64(&bad)).unwrap_err();
        assert_eq!(error, Error::new(Kind::NotFinite, What::Vertices).at(6, 1));
        let error = refit(fresh.0.bytes(), Array::from_f64(&bad[1..])).unwrap_err();
        assert_eq!(error, Error::new(Kind::Mismatch, What::Vertices).amounts(8, 7));
        assert_eq!(before, fresh.0.bytes());
    }
}

#[test]
fn welded_vertices_move_together_or_not_at_all() {
    let soup = cuboid([1.0; 3]);
    let mut corners = soup.corners();
    let vertices = corners.clone();
    let loose = MeshInput { vertices: Array::from_f64(&vertices), triangles: None, ..soup.input(Scalar::F64) };
    let mut built = build(&loose);
    let second = built.mesh().weld.iter().enumerate().position(|(i, first)| *first != i as u32).unwrap();
    corners[second][0] += 0.5;
    let error = refit(built.0.bytes(), Array::from_f64(&corners)).unwrap_err();
    assert_eq!(error, Error::new(Kind::Mismatch, What::Vertices).at(second as u64, 0));
}

#[test]
fn a_ring_has_two_neighbours_each_and_a_strip_ends() {
    let mut ring = strip(6, true, false).built();
    assert!(ring.mesh().neighbour.iter().all(|n| n.iter().filter(|n| **n != NONE).count() == 2));
    let mut strip = strip(6, false, false).built();
    assert_eq!(strip.mesh().neighbour.iter().flatten().filter(|n| **n != NONE).count(), 2 * (6 + 5));
}
