//! The integrals of a face in a cell: against an independent computation, and across the border of two cells.

use dem_core::contact::{Cell, Face, SECTOR, measure};
use dem_std::generate;
use dem_tests::contact::{Body, soup};
use dem_tests::random::Random;
use dem_tests::vector::{add, cross, dot, length, scale, sub};

fn gap(cell: &Cell, x: [f64; 3]) -> f64 {
    cell.slope * dot(cell.normal, sub(x, cell.anchor))
}

/// Moments by corners found two lines at a time, sorted around their middle, and a fan about that.
fn by_pairs_of_lines(face: &Face, cell: &Cell, sides: &[[f64; 4]], halo: f64) -> [f64; 5] {
    let [a, b, c] = face.corners;
    let e = scale(1.0 / length(sub(b, a)), sub(b, a));
    let f = cross(face.normal, e);
    let flat = |x: [f64; 3]| [dot(sub(x, a), e), dot(sub(x, a), f)];
    // Half-planes p.x + q >= 0 in the plane of the face.
    let line = |nu: [f64; 3], at: [f64; 3], offset: f64| [dot(nu, e), dot(nu, f), dot(nu, sub(a, at)) + offset];
    let mut lines: Vec<[f64; 3]> =
        sides.iter().map(|[x, y, z, offset]| line([*x, *y, *z], cell.anchor, *offset)).collect();
    let up = scale(cell.slope, cell.normal);
    lines.push(line(up, cell.anchor, 0.0));
    lines.push(line(scale(-1.0, up), cell.anchor, halo));
    let corners = [flat(a), flat(b), flat(c)];
    for k in 0..3 {
        let (p, q) = (corners[k], corners[(k + 1) % 3]);
        let inward = [-(q[1] - p[1]), q[0] - p[0]];
        lines.push([inward[0], inward[1], -(inward[0] * p[0] + inward[1] * p[1])]);
    }
    let mut found: Vec<[f64; 2]> = Vec::new();
    for (i, l) in lines.iter().enumerate() {
        for m in &lines[..i] {
            let det = l[0] * m[1] - l[1] * m[0];
            let x = [(l[1] * m[2] - m[1] * l[2]) / det, (m[0] * l[2] - l[0] * m[2]) / det];
            if det != 0.0 && lines.iter().all(|n| n[0] * x[0] + n[1] * x[1] + n[2] >= -1e-12) {
                found.push(x);
            }
        }
    }
    if found.len() < 3 {
        return [0.0; 5];
    }
    let middle = [0, 1].map(|k| found.iter().map(|x| x[k]).sum::<f64>() / found.len() as f64);
    let angle = |x: &[f64; 2]| (x[1] - middle[1]).atan2(x[0] - middle[0]);
    found.sort_by(|x, y| angle(x).total_cmp(&angle(y)));
    let t = -dot(face.normal, cell.normal);
    let weight = t.min(2.0 * (t - cell.dead).max(0.0)).max(0.0);
    let space = |x: [f64; 2]| add(a, add(scale(x[0], e), scale(x[1], f)));
    let mut sums = [0.0; 5];
    for i in 0..found.len() {
        let (x, y) = (found[i], found[(i + 1) % found.len()]);
        let area = 0.5 * ((x[0] - middle[0]) * (y[1] - middle[1]) - (x[1] - middle[1]) * (y[0] - middle[0]));
        // The middles of the sides integrate polynomials of degree two exactly.
        for (u, v) in [(x, y), (y, middle), (middle, x)] {
            let at = space([0.5 * (u[0] + v[0]), 0.5 * (u[1] + v[1])]);
            let pressure = 1.0 - gap(cell, at) / halo;
            let part = weight * area / 3.0;
            sums[0] += part;
            sums[1] += part * pressure;
            (0..3).for_each(|k| sums[2 + k] += part * pressure * at[k]);
        }
    }
    sums
}

#[test]
fn a_face_in_a_cell_has_the_integrals_of_an_independent_computation() {
    let body = Body::new(&soup(&generate::cuboid([1.0, 0.6, 0.5]).unwrap()), 0.1);
    let fine = Body::new(&soup(&generate::icosphere(1).unwrap()), 0.1);
    let mut random = Random::new(4);
    let mut met = [0; 4];
    for i in 0..20_000 {
        let cells = if i % 2 == 0 { body.cells() } else { fine.cells() };
        let cell = &cells.cell[random.below(cells.cell.len())];
        let halo = random.range(0.05, 0.4);
        let middle = add(cell.anchor, scale(random.range(0.0, halo), cell.normal));
        let corners = [(); 3].map(|_| add(middle, random.in_cube(0.5)));
        let normal = cross(sub(corners[1], corners[0]), sub(corners[2], corners[0]));
        let face = Face { corners, normal: scale(1.0 / length(normal), normal) };
        let sides = cells.sides(cell);
        let right = by_pairs_of_lines(&face, cell, sides, halo);
        let ours = measure(&face, cell, sides, halo);
        let ours = ours.map_or([0.0; 5], |m| [m.area, m.pressure, m.first[0], m.first[1], m.first[2]]);
        let close = ours.iter().zip(&right).all(|(x, y)| (x - y).abs() <= 1e-9 * halo * halo);
        assert!(close, "{ours:?} for {right:?}: {face:?} {cell:?}");
        met[if ours[1] > 0.0 { cell.kind as usize } else { 0 }] += 1;
    }
    assert!(met.iter().all(|n| *n > 300), "{met:?}");
}

/// Why the weight has a dead zone: without one, the pressure jumps where a face goes through the border of two sectors.
#[test]
fn a_face_that_passes_through_the_border_of_two_sectors_does_not_feel_it() {
    let body = Body::new(&soup(&generate::cuboid([1.0; 3]).unwrap()), 0.1);
    let cells = body.cells();
    let sectors: Vec<Cell> = cells.cell.iter().filter(|c| c.kind == SECTOR).copied().collect();
    let (first, second) = (sectors[0], sectors[1]);
    let [x, y, z, _] = cells.sides(&first)[1];
    // The face lies in the border and looks back into the first sector.
    let (nu, along) = ([x, y, z], cross([x, y, z], add(first.normal, second.normal)));
    let out = add(first.normal, second.normal);
    let at = add(first.anchor, scale(0.4 / length(along), along));
    let force = |by: f64, dead: f64| {
        let base =
            [add(at, scale(0.02, out)), add(at, scale(0.05, out)), add(at, add(scale(0.03, out), scale(0.2, along)))];
        let corners = base.map(|v| add(v, scale(by, nu)));
        let turn = cross(sub(corners[1], corners[0]), sub(corners[2], corners[0]));
        let corners = if dot(turn, first.normal) < 0.0 { corners } else { [corners[0], corners[2], corners[1]] };
        let turn = cross(sub(corners[1], corners[0]), sub(corners[2], corners[0]));
        let face = Face { corners, normal: scale(1.0 / length(turn), turn) };
        [first, second].iter().fold([0.0; 3], |sum, cell| {
            let cell = Cell { dead, ..*cell };
            let p = measure(&face, &cell, cells.sides(&cell), 0.2).map_or(0.0, |m| m.pressure);
            add(sum, scale(p, cell.normal))
        })
    };
    let jump = |dead: f64| length(sub(force(1e-12, dead), force(-1e-12, dead)));
    assert!(jump(0.0) > 1e-4, "{}", jump(0.0));
    assert!(jump(first.dead.max(second.dead)) < 1e-12, "{}", jump(first.dead));
}
