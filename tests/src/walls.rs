//! Flat walls in few and many triangles, with needles and T-junctions; walls whose vertices move.

use dem_core::array::Array;
use dem_core::detect::surfaces::MovingSurface;
use dem_core::pose::Pose;

use crate::Triangle;
use crate::contact::Body;
use crate::random::Random;
use crate::vector::{add, cross, dot, length, rotate, scale, sub};

/// A wall in the plane z = 0, facing up, with x and y from -`half` to `half`, in `cells` by `cells` squares of two triangles.
pub fn regular(cells: usize, half: f64) -> Vec<Triangle> {
    let at = |k: usize| 2.0 * half * (k as f64 / cells as f64) - half;
    let square = |k: usize| {
        let (i, j) = (k % cells, k / cells);
        let v = |di: usize, dj: usize| [at(i + di), at(j + dj), 0.0];
        [[v(0, 0), v(1, 0), v(1, 1)], [v(0, 0), v(1, 1), v(0, 1)]]
    };
    (0..cells * cells).flat_map(square).collect()
}

/// The same wall with at least `count` triangles, cut at random. Some triangles are halved at a point that their neighbour lacks (a T-junction).
/// Some are cut in three by a point almost on a side (needles, which are not cut again).
pub fn irregular(count: usize, half: f64, seed: u64) -> Vec<Triangle> {
    let mut random = Random::new(seed);
    let mut all = regular(1, half);
    while all.len() < count {
        // Cuts one of the larger half of the triangles, so that sizes stay similar, except for the needles.
        let t = all.remove(random.below(all.len().div_ceil(2)));
        let k = random.below(3);
        let [a, b, c] = [t[k], t[(k + 1) % 3], t[(k + 2) % 3]];
        if is_needle(&t) {
            all.push(t);
            continue;
        }
        let between = |p: [f64; 3], q: [f64; 3], w: f64| [p[0] + (q[0] - p[0]) * w, p[1] + (q[1] - p[1]) * w, 0.0];
        let middle = between(a, b, random.range(0.3, 0.7));
        if random.below(3) > 0 {
            all.extend([[a, middle, c], [middle, b, c]]);
        } else {
            let inside = between(middle, c, random.range(1e-6, 1e-3));
            all.extend([[a, b, inside], [b, c, inside], [c, a, inside]]);
        }
    }
    all
}

fn is_needle([a, b, c]: &Triangle) -> bool {
    let sides = [sub(*b, *a), sub(*c, *b), sub(*a, *c)];
    let longest = sides.iter().fold(0.0, |m: f64, s| m.max(dot(*s, *s)));
    length(cross(sides[0], sides[1])) < 0.01 * longest
}

/// The wall rotated, translated and rounded to f32.
pub fn rounded(wall: &[Triangle], turn: [f64; 4], by: [f64; 3]) -> Vec<Triangle> {
    wall.iter().map(|t| t.map(|v| add(rotate(turn, v), by).map(|x| f64::from(x as f32)))).collect()
}

/// The wall with each triangle slightly smaller, so that no two share a vertex.
pub fn unwelded(wall: &[Triangle]) -> Vec<Triangle> {
    let shrink = |t: &Triangle| {
        let middle = scale(1.0 / 3.0, add(t[0], add(t[1], t[2])));
        t.map(|v| add(middle, scale(1.0 - 1e-6, sub(v, middle))))
    };
    wall.iter().map(shrink).collect()
}

/// A groove along x. Its sides rise from the bottom at this angle, with this many strips each.
pub fn groove(angle: f64, strips: usize) -> Vec<Triangle> {
    let at = |side: f64, x: f64, k: usize| {
        let far = 2.0 * k as f64 / strips as f64;
        [x, side * far * angle.cos(), far * angle.sin()]
    };
    let strip = |side: f64, k: usize| {
        let [a, b, c, d] = [at(side, -3.0, k), at(side, 3.0, k), at(side, 3.0, k + 1), at(side, -3.0, k + 1)];
        if side > 0.0 { [[a, b, c], [a, c, d]] } else { [[b, a, d], [b, d, c]] }
    };
    [1.0, -1.0].into_iter().flat_map(|side| (0..strips).flat_map(move |k| strip(side, k))).collect()
}

/// Triangles in the plane z = 0, with edges that a ball crosses.
pub fn oblong() -> Vec<Triangle> {
    let at = |i: i32, j: i32| [0.37 * f64::from(i), 0.31 * f64::from(j), 0.0];
    let cells = (-6..12).flat_map(|i| (-6..6).map(move |j| (i, j)));
    cells
        .flat_map(|(i, j)| {
            let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
            [[a, b, c], [a, c, d]]
        })
        .collect()
}

/// Velocities of the vertices of a wall, as a function of their positions.
pub fn vertex_velocities(wall: &Body, of: impl Fn([f64; 3]) -> [f64; 3]) -> Vec<[f64; 3]> {
    let mesh = wall.shape.mesh().unwrap_or_else(|e| panic!("{e}"));
    let mut all = vec![[0.0; 3]; mesh.weld.len()];
    for (i, vertices) in mesh.vertex.iter().enumerate() {
        for (corner, vertex) in mesh.triangle(i).into_iter().zip(vertices) {
            all[*vertex as usize] = of(corner);
        }
    }
    all
}

/// The moving surface of body 0, whose mesh has the pose of the body and scale 1.
pub fn moving<'a>(wall: &'a Body, velocities: &'a [[f64; 3]]) -> MovingSurface<'a> {
    MovingSurface {
        body: 0,
        mesh: wall.shape.mesh().unwrap_or_else(|e| panic!("{e}")),
        tree: wall.shape.tree().unwrap_or_else(|e| panic!("{e}")),
        frame: Pose::IDENTITY,
        scale: 1.0,
        velocities: Array::from_f64(velocities),
    }
}

/// A solid corner at which three walls meet: seven of the eight cubes around the origin. The space with all coordinates positive is free.
pub fn corner() -> Vec<Triangle> {
    let mut mesh = Vec::new();
    let solid = |c: [i32; 3]| c.iter().all(|x| (-1..=0).contains(x)) && c != [0; 3];
    for here in (0..8).map(|k| [-(k & 1), -(k >> 1 & 1), -(k >> 2 & 1)]) {
        for (axis, way) in (0..3).flat_map(|axis| [(axis, -1), (axis, 1)]) {
            let mut next = here;
            next[axis] += way;
            if !solid(here) || solid(next) {
                continue;
            }
            let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
            let at = |i: i32, j: i32| {
                let mut p = here;
                p[axis] += i32::from(way > 0);
                p[u] += i;
                p[v] += j;
                p.map(|x| 4.0 * f64::from(x))
            };
            let [a, b, c, d] = [at(0, 0), at(1, 0), at(1, 1), at(0, 1)];
            mesh.extend(if way > 0 { [[a, b, c], [a, c, d]] } else { [[a, c, b], [a, d, c]] });
        }
    }
    mesh
}

/// Each triangle divided into four, on the same surface.
pub fn quartered(mesh: &[Triangle]) -> Vec<Triangle> {
    let middle = |p, q| scale(0.5, add(p, q));
    let cut = |[a, b, c]: &Triangle| {
        let [x, y, z] = [middle(*a, *b), middle(*b, *c), middle(*c, *a)];
        [[*a, x, z], [*b, y, x], [*c, z, y], [x, y, z]]
    };
    mesh.iter().flat_map(cut).collect()
}

/// The triangles of a solid, oriented outwards.
pub fn outward(mut all: Vec<Triangle>) -> Vec<Triangle> {
    let volume: f64 = all.iter().map(|[a, b, c]| dot(*a, cross(*b, *c))).sum();
    if volume < 0.0 {
        all.iter_mut().for_each(|t| t.swap(1, 2));
    }
    all
}

/// A solid whose upper edge is the y axis. Its faces there look up, tilted by these angles to the left and to the right.
pub fn ridge([left, right]: [f64; 2]) -> Vec<Triangle> {
    let outline = [
        [0.0, 0.0],
        [-2.0 * left.cos(), -2.0 * left.sin()],
        [-2.0 * left.cos(), -6.0],
        [2.0 * right.cos(), -6.0],
        [2.0 * right.cos(), -2.0 * right.sin()],
    ];
    let at = |i: usize, y: f64| [outline[i % 5][0], y, outline[i % 5][1]];
    let mut all = vec![];
    for i in 0..5 {
        all.push([at(i, -3.0), at(i + 1, 3.0), at(i + 1, -3.0)]);
        all.push([at(i, -3.0), at(i, 3.0), at(i + 1, 3.0)]);
    }
    for i in 1..4 {
        all.push([at(0, -3.0), at(i, -3.0), at(i + 1, -3.0)]);
        all.push([at(0, 3.0), at(i + 1, 3.0), at(i, 3.0)]);
    }
    outward(all)
}

/// A plate below z = 0 with a hole of this inscribed radius.
pub fn holed(corners: usize, inscribed: f64) -> Vec<Triangle> {
    let turn = std::f64::consts::TAU / corners as f64;
    let ring = |i: usize, radius: f64, z: f64| {
        let angle = turn * (i % corners) as f64;
        [radius * angle.cos(), radius * angle.sin(), z]
    };
    let (inner, outer, low) = (inscribed / (0.5 * turn).cos(), 4.0, -0.5);
    let mut all = vec![];
    for i in 0..corners {
        let mut quad = |a: [f64; 3], b: [f64; 3], c: [f64; 3], d: [f64; 3]| all.extend([[a, b, c], [a, c, d]]);
        quad(ring(i, inner, 0.0), ring(i, outer, 0.0), ring(i + 1, outer, 0.0), ring(i + 1, inner, 0.0));
        quad(ring(i, inner, low), ring(i + 1, inner, low), ring(i + 1, outer, low), ring(i, outer, low));
        quad(ring(i, inner, low), ring(i, inner, 0.0), ring(i + 1, inner, 0.0), ring(i + 1, inner, low));
        quad(ring(i, outer, 0.0), ring(i, outer, low), ring(i + 1, outer, low), ring(i + 1, outer, 0.0));
    }
    all
}
