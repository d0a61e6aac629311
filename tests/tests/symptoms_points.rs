//! Sides of points near bad meshes, against winding numbers by solid angles: no side is wrong without doubt.

use dem_core::array::Array;
use dem_core::narrow::{PointOnMesh, PointSide, doubt, points, points_scratch};
use dem_core::pose::Pose;
use dem_core::simd::Isa;
use dem_core::surrogate::Options;
use dem_std::{Memory, OwnedShape};
use dem_tests::random::Random;
use dem_tests::vector::{cross, dot, sub};
use dem_tests::{Triangle, data, query};

type Point = [f64; 3];

fn ask(shape: &OwnedShape, at: &[Point]) -> Vec<PointOnMesh> {
    let pose = Pose::IDENTITY;
    let operand = query::operand(shape, &pose);
    let mut scratch = points_scratch(&operand).and_then(Memory::new).unwrap();
    let mut out = vec![PointOnMesh::default(); at.len()];
    points(Isa::best(), &operand, Array::from_f64(at), f64::INFINITY, &mut out, &mut scratch).unwrap();
    for isa in Isa::list() {
        let mut same = vec![PointOnMesh::default(); at.len()];
        points(*isa, &operand, Array::from_f64(at), f64::INFINITY, &mut same, &mut scratch).unwrap();
        assert_eq!(same, out, "{}", isa.name());
    }
    out
}

/// The generalised winding number: solid angles of all triangles.
fn winding(soup: &[Triangle], p: Point) -> f64 {
    let half = |t: &Triangle| {
        let [a, b, c] = t.map(|v| sub(v, p));
        let [la, lb, lc] = [a, b, c].map(|v| dot(v, v).sqrt());
        let rest = la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb;
        dot(a, cross(b, c)).atan2(rest)
    };
    soup.iter().map(half).sum::<f64>() / (2.0 * std::f64::consts::PI)
}

/// The unit box, two triangles a face.
fn unit_box() -> Vec<Triangle> {
    let at = |i: usize| [0, 1, 2].map(|k| (i >> k & 1) as f64);
    let quads = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    quads.iter().flat_map(|q| [[q[0], q[1], q[2]], [q[0], q[2], q[3]]]).map(|t| t.map(at)).collect()
}

fn reversed([a, b, c]: Triangle) -> Triangle {
    [a, c, b]
}

/// Points near the triangles from `first` on, and in the box about all of them.
fn around(random: &mut Random, soup: &[Triangle], first: usize, number: usize) -> Vec<Point> {
    let corners = || soup.iter().flatten();
    let low = [0, 1, 2].map(|k| corners().map(|v| v[k]).fold(f64::INFINITY, f64::min));
    let high = [0, 1, 2].map(|k| corners().map(|v| v[k]).fold(-f64::INFINITY, f64::max));
    let size = (0..3).map(|k| high[k] - low[k]).fold(0.0, f64::max);
    let mut out = Vec::new();
    for i in 0..number {
        if i % 3 == 0 {
            out.push([0, 1, 2].map(|k| random.range(low[k] - 0.1 * size, high[k] + 0.1 * size)));
            continue;
        }
        let [a, b, c] = soup[first + random.below(soup.len() - first)];
        let (mut s, mut t) = (random.unit(), random.unit());
        if s + t > 1.0 {
            (s, t) = (1.0 - s, 1.0 - t);
        }
        let away = [1e-2, 1e-3, 1e-5][i % 7 % 3] * size;
        let d = random.direction();
        out.push([0, 1, 2].map(|k| a[k] + s * (b[k] - a[k]) + t * (c[k] - a[k]) + away * d[k]));
    }
    out
}

/// How many sides are certain and on the right one, how many are in doubt. None is wrong.
fn sides(soup: &[Triangle], at: &[Point]) -> [usize; 2] {
    let shape = query::shape(soup, 0.01, &Options::default());
    let mut number = [0; 2];
    for (p, got) in at.iter().zip(ask(&shape, at)) {
        let w = winding(soup, *p);
        if got.doubt != 0 || got.side == PointSide::Surface as u32 || (w - 0.5).abs() < 1e-6 {
            number[1] += 1;
            continue;
        }
        assert_eq!(got.side == PointSide::Inside as u32, w > 0.5, "{p:?} {got:?} {w}");
        assert_eq!(got.signed_distance < 0.0, w > 0.5);
        number[0] += 1;
    }
    number
}

#[test]
fn a_two_sided_fin_does_not_turn_points_inside_out() {
    let mut random = Random::new(1);
    let fins: [(&str, Triangle); 4] = [
        ("on a face", [[1.0, 0.2, 0.3], [1.0, 0.8, 0.3], [1.7, 0.5, 0.3]]),
        ("on an edge", [[1.0, 0.0, 1.0], [1.0, 1.0, 1.0], [1.5, 0.5, 1.5]]),
        ("free", [[2.0, 0.2, 0.3], [2.0, 0.8, 0.3], [2.7, 0.5, 0.4]]),
        ("through a face", [[0.5, 0.2, 0.3], [0.5, 0.8, 0.3], [1.7, 0.5, 0.4]]),
    ];
    for (name, fin) in fins {
        let mut soup = unit_box();
        soup.extend([fin, reversed(fin)]);
        let at = around(&mut random, &soup, 12, 900);
        let [right, doubtful] = sides(&soup, &at);
        assert_eq!((right, doubtful), (900, 0), "{name}");
    }
    // Above the free fin and below it.
    let mut soup = unit_box();
    soup.extend([fins[2].1, reversed(fins[2].1)]);
    let shape = query::shape(&soup, 0.01, &Options::default());
    let [above, below] = [[2.3, 0.5, 0.9], [2.3, 0.5, -0.2]].map(|p| ask(&shape, &[p])[0]);
    for got in [above, below] {
        assert_eq!((got.side, got.doubt, got.triangle), (PointSide::Outside as u32, 0, 12));
    }
    // The distance grows away from the fin on both sides.
    assert!(above.normal[2] > 0.9 && below.normal[2] < -0.9, "{above:?} {below:?}");
}

#[test]
fn boxes_with_copies_that_overlap_and_in_each_other_have_the_sides_of_their_winding_numbers() {
    let mut random = Random::new(2);
    // Every triangle three times, once reversed.
    let tripled: Vec<Triangle> = unit_box().into_iter().flat_map(|t| [t, t, reversed(t)]).collect();
    let moved = |by: f64, scale: f64| unit_box().into_iter().map(move |t| t.map(|v| v.map(|x| scale * x + by)));
    let overlapping: Vec<Triangle> = unit_box().into_iter().chain(moved(0.5, 1.0)).collect();
    let shared: Vec<Triangle> =
        unit_box().into_iter().chain(unit_box().into_iter().map(|t| t.map(|[x, y, z]| [x + 1.0, y, z]))).collect();
    let nested: Vec<Triangle> = unit_box().into_iter().chain(moved(0.25, 0.5)).collect();
    let hollow: Vec<Triangle> = unit_box().into_iter().chain(moved(0.25, 0.5).map(reversed)).collect();
    for (name, soup, certain) in [
        ("tripled", tripled, 600),
        ("overlapping", overlapping, 300),
        ("shared face", shared, 600),
        ("nested", nested, 200),
        ("hollow", hollow, 600),
    ] {
        let at = around(&mut random, &soup, 0, 600);
        let [right, doubtful] = sides(&soup, &at);
        assert!(right >= certain && right + doubtful == 600, "{name}: {right} {doubtful}");
    }
}

#[test]
fn scanned_models_with_random_bad_triangles_have_no_wrong_side_without_doubt() {
    let mut random = Random::new(3);
    for name in ["scenes/bunny.stl", "scenes/broken.stl", "scenes/teapot.stl"] {
        let clean = data::mesh(name);
        for bad in [0, 30] {
            let mut soup = clean.clone();
            for i in 0..bad {
                let t = clean[random.below(clean.len())];
                let d = random.in_cube(0.05 * (t[0][0].abs() + t[1][1].abs()));
                match i % 5 {
                    0 => soup.push(t),
                    1 => soup.push(reversed(t)),
                    2 => soup.extend([t, reversed(t)].map(|t| t.map(|v| [0, 1, 2].map(|k| v[k] + d[k])))),
                    3 => soup.push([t[0], t[1], [0, 1, 2].map(|k| t[2][k] + d[k])]),
                    _ => drop(soup.swap_remove(random.below(soup.len()))),
                }
            }
            let at = around(&mut random, &soup, 0, 400);
            let [right, doubtful] = sides(&soup, &at);
            assert!(right > 12 * doubtful && right > 300, "{name} {bad}: {right} {doubtful}");
        }
    }
}

#[test]
fn a_surface_that_looks_inward_has_its_sides_exchanged_and_no_doubt() {
    let mut random = Random::new(4);
    let soup: Vec<Triangle> = unit_box().into_iter().map(reversed).collect();
    let shape = query::shape(&soup, 0.01, &Options::default());
    let at = around(&mut random, &soup, 0, 300);
    for (p, got) in at.iter().zip(ask(&shape, &at)) {
        let solid = winding(&soup, *p) > -0.5;
        assert_eq!((got.side == PointSide::Inside as u32, got.doubt), (solid, 0), "{p:?} {got:?}");
    }
}

#[test]
fn more_open_sides_than_are_added_up_put_all_sides_in_doubt() {
    let mut random = Random::new(5);
    let soup: Vec<Triangle> = (0..1500)
        .map(|_| {
            let middle = random.in_cube(1.0);
            [0; 3].map(|_| [0, 1, 2].map(|k| middle[k] + random.range(-0.05, 0.05)))
        })
        .collect();
    let shape = query::shape(&soup, 0.0, &Options::default());
    let at = around(&mut random, &soup, 0, 60);
    assert!(ask(&shape, &at).iter().all(|got| got.doubt & doubt::OPEN != 0));
    assert_eq!(sides(&soup[..1000], &at)[0] + sides(&soup[..1000], &at)[1], 60);
}

#[test]
fn nearest_points_among_many_copies_of_a_triangle_do_not_look_at_all_of_them() {
    let t = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    let at: Vec<Point> = (0..2000).map(|i| [0.3, 0.2, 0.1 + 1e-3 * f64::from(i)]).collect();
    // 4e8 triangles if all were looked at: minutes.
    let shape = query::shape(&vec![t; 200_000], 0.0, &Options::default());
    let start = std::time::Instant::now();
    let pose = Pose::IDENTITY;
    let operand = query::operand(&shape, &pose);
    let mut scratch = points_scratch(&operand).and_then(Memory::new).unwrap();
    let mut out = vec![PointOnMesh::default(); at.len()];
    points(Isa::best(), &operand, Array::from_f64(&at), f64::INFINITY, &mut out, &mut scratch).unwrap();
    assert!(start.elapsed().as_secs() < 10, "{:?}", start.elapsed());
    assert!(out.iter().zip(&at).all(|(got, p)| got.triangle == 0 && got.distance == p[2]));
}
