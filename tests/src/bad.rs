//! Bad meshes, the reports about their penetration, and their common volume with others, by columns.

use crate::deep::{moved, sized};
use crate::random::Random;
use crate::vector::{cross, dot, scale, sub};
use crate::{Triangle, data};
use dem_core::contact::{Contact, status};

/// Status bits that a volume may be wrong.
pub const FLAGS: u32 = status::OPEN | status::LEAST_TRANSLATION | status::UNSURE;

/// Sum of the volumes, largest area, and all status bits.
#[derive(Debug)]
pub struct Told {
    /// Sum of the volumes.
    pub volume: f64,
    /// The largest area.
    pub area: f64,
    /// The status bits of all contacts.
    pub bits: u32,
}

/// The report of the penetrating contacts. Asserts that all numbers are finite.
pub fn told(list: &[Contact]) -> Told {
    let deep = || list.iter().filter(|c| c.status & status::PENETRATING != 0);
    for c in list {
        let numbers = [c.position, c.normal, c.moment, [c.gap, c.least_gap, c.area], [c.share, c.halo, 0.0]];
        assert!(numbers.iter().flatten().all(|x| x.is_finite()), "{c:?}");
    }
    let area = deep().map(|c| c.area).fold(0.0, f64::max);
    let volume: f64 = deep().map(|c| -c.gap * c.area).sum();
    Told { volume, area, bits: list.iter().fold(0, |bits, c| bits | c.status) }
}

/// Smallest and largest coordinates.
pub fn boxed(mesh: &[Triangle]) -> [[f64; 3]; 2] {
    mesh.iter().flatten().fold([[f64::MAX; 3], [f64::MIN; 3]], |[low, high], v| {
        [[0, 1, 2].map(|k| low[k].min(v[k])), [0, 1, 2].map(|k| high[k].max(v[k]))]
    })
}

/// The volume of a closed mesh.
pub fn volume(mesh: &[Triangle]) -> f64 {
    mesh.iter().map(|[a, b, c]| dot(*a, cross(*b, *c)) / 6.0).sum()
}

/// Asserts that the volume is at most that of the common box and of the smaller body, and the area at most half the surface of that box.
pub fn assert_bounded(told: &Told, a: &[Triangle], b: &[Triangle], smaller: f64) {
    let [p, q] = [boxed(a), boxed(b)];
    let [x, y, z] = [0, 1, 2].map(|k| (p[1][k].min(q[1][k]) - p[0][k].max(q[0][k])).max(0.0) + 1e-9);
    let most = (x * y * z).min(smaller) * (1.0 + 1e-6);
    assert!(told.volume <= most && told.area <= (x * y + y * z + z * x) * (1.0 + 1e-6), "{told:?} {most}");
}

/// The volume of the points around which each of two meshes goes at least once: by columns, exact along each column.
pub fn columns(a: &[Triangle], b: &[Triangle], n: usize) -> f64 {
    let [p, q] = [boxed(a), boxed(b)];
    let range = [0, 1].map(|k| (p[0][k].max(q[0][k]), p[1][k].min(q[1][k])));
    if range.iter().any(|(low, high)| low >= high) {
        return 0.0;
    }
    let step = range.map(|(low, high)| (high - low) / n as f64);
    let mut all: Vec<Vec<(f64, i32, usize)>> = vec![Vec::new(); n * n];
    for (which, t) in a.iter().map(|t| (0, t)).chain(b.iter().map(|t| (1, t))) {
        let span = |k: usize| {
            let places = t.map(|v| ((v[k] - range[k].0) / step[k]).clamp(0.0, n as f64));
            let (low, high) = places.iter().fold((f64::MAX, 0.0f64), |(low, high), x| (low.min(*x), high.max(*x)));
            low as usize..high.ceil() as usize
        };
        for (i, j) in span(0).flat_map(|i| span(1).map(move |j| (i, j))) {
            // The columns avoid all coordinates of the test meshes.
            let x = range[0].0 + (i as f64 + 0.5030717) * step[0];
            let y = range[1].0 + (j as f64 + 0.4970593) * step[1];
            let side = |p: [f64; 3], q: [f64; 3]| (q[0] - p[0]) * (y - p[1]) - (q[1] - p[1]) * (x - p[0]);
            let w = [side(t[1], t[2]), side(t[2], t[0]), side(t[0], t[1])];
            if w.iter().all(|w| *w > 0.0) || w.iter().all(|w| *w < 0.0) {
                let z = (0..3).map(|k| w[k] * t[k][2]).sum::<f64>() / (w[0] + w[1] + w[2]);
                all[i * n + j].push((z, if w[0] > 0.0 { -1 } else { 1 }, which));
            }
        }
    }
    let mut sum = 0.0;
    for column in &mut all {
        column.sort_by(|p, q| p.0.total_cmp(&q.0));
        let (mut w, mut before) = ([0, 0], 0.0);
        for (z, way, which) in column.iter() {
            sum += if w[0] > 0 && w[1] > 0 { z - before } else { 0.0 };
            w[*which] += way;
            before = *z;
        }
    }
    sum * step[0] * step[1]
}

/// A triangle with reversed orientation.
pub fn turned(t: &Triangle) -> Triangle {
    [t[0], t[2], t[1]]
}

/// A triangle on an edge and its reversed copy.
pub fn flap(edge: [[f64; 3]; 2], tip: [f64; 3]) -> [Triangle; 2] {
    let t = [edge[0], edge[1], tip];
    [t, turned(&t)]
}

/// Adds a defect to a closed mesh.
pub fn spoil(mesh: &mut Vec<Triangle>, random: &mut Random) {
    let i = random.below(mesh.len());
    let t = mesh[i];
    let middle = scale(1.0 / 3.0, [0, 1, 2].map(|k| t[0][k] + t[1][k] + t[2][k]));
    match random.below(9) {
        0 => mesh.extend(flap([t[0], t[1]], scale(random.range(0.2, 1.8), middle))),
        1 => mesh.push(t),
        2 => mesh.push(turned(&t)),
        3 => mesh.extend([turned(&t), t]),
        4 => _ = mesh.swap_remove(i),
        // A T-junction.
        5 => {
            let half = scale(0.5, [0, 1, 2].map(|k| t[0][k] + t[1][k]));
            mesh[i] = [t[0], half, t[2]];
            mesh.push([half, t[1], t[2]]);
        }
        6 => mesh[i] = turned(&t),
        // Inverts the whole mesh.
        7 => mesh.iter_mut().for_each(|t| *t = turned(t)),
        // An edge of three triangles.
        _ => mesh.push([t[0], t[1], scale(random.range(0.2, 1.8), middle)]),
    }
}

/// Pushes one vertex, with the triangles around it, through the body, so that they come out on the other side.
pub fn pierce(mesh: &mut [Triangle], random: &mut Random) {
    let tip = mesh[random.below(mesh.len())][random.below(3)];
    let to = scale(-random.range(1.1, 2.0), tip);
    mesh.iter_mut().flatten().filter(|v| **v == tip).for_each(|v| *v = to);
}

/// A closed tube with this radius along a limaçon, which goes around the origin twice and passes through itself there. `n`: steps along the tube
/// and around it.
pub fn limacon([n, m]: [usize; 2], radius: f64) -> Vec<Triangle> {
    let turn = |k: usize, n: usize| std::f64::consts::TAU * (k % n) as f64 / n as f64;
    let point = |i: usize, j: usize| {
        let (u, v) = (turn(i, n), turn(j, m));
        let (r, slope) = (0.5 + u.cos(), -u.sin());
        let [x, y] = [slope * u.cos() - r * u.sin(), slope * u.sin() + r * u.cos()];
        let speed = x.hypot(y);
        let out = radius * v.cos();
        [r * u.cos() + out * y / speed, r * u.sin() - out * x / speed, radius * v.sin()]
    };
    let sides = (0..n).flat_map(|i| (0..m).map(move |j| (i, j)));
    sides
        .flat_map(|(i, j)| {
            let [a, b, c, d] = [point(i, j), point(i + 1, j), point(i + 1, j + 1), point(i, j + 1)];
            [[a, b, c], [a, c, d]]
        })
        .collect()
}

/// A clean closed bowl with this many slices: half of a thick shell.
pub fn bowl(n: usize, rings: usize, outer: f64, inner: f64) -> Vec<Triangle> {
    let point = |r: f64, i: usize, j: usize| {
        // From the pole at the bottom to the rim.
        let u = std::f64::consts::FRAC_PI_2 * i as f64 / rings as f64;
        let v = std::f64::consts::TAU * (j % n) as f64 / n as f64;
        match i {
            0 => [0.0, 0.0, -r],
            _ if i == rings => [r * v.cos(), r * v.sin(), 0.0],
            _ => [r * u.sin() * v.cos(), r * u.sin() * v.sin(), -r * u.cos()],
        }
    };
    let mut out = Vec::new();
    for j in 0..n {
        for i in 0..rings {
            for (r, inside) in [(outer, false), (inner, true)] {
                let [a, b, c, d] = [point(r, i, j), point(r, i, j + 1), point(r, i + 1, j + 1), point(r, i + 1, j)];
                let both = [[a, c, d], [a, b, c]];
                let some = &both[..if i == 0 { 1 } else { 2 }];
                out.extend(some.iter().map(|t| if inside { turned(t) } else { *t }));
            }
        }
        let [p, q] = [point(outer, rings, j), point(outer, rings, j + 1)];
        let [r, s] = [point(inner, rings, j + 1), point(inner, rings, j)];
        out.extend([[p, q, r], [p, r, s]]);
    }
    out
}

/// A model of `tests/data`, scaled to this longest side, about the origin.
pub fn scanned(name: &str, size: f64) -> Vec<Triangle> {
    let mesh = data::mesh(name);
    let [low, high] = boxed(&mesh);
    let longest = sub(high, low).into_iter().fold(0.0, f64::max);
    sized(&moved(&mesh, [0, 1, 2].map(|k| -0.5 * (low[k] + high[k]))), size / longest)
}
