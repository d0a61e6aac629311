//! Open containers, such as trays, corners and grooves, and rooms with seams: nothing is wrong with them. Spoiled ones give what the clean one gives, or are flagged.

use dem_core::contact::status;
use dem_core::error::What;
use dem_core::pose::Pose;
use dem_tests::Triangle;
use dem_tests::bad::{FLAGS, boxed, flap, told, turned};
use dem_tests::cases;
use dem_tests::contact::{Body, HALO, at, cuboid};
use dem_tests::deep::{ball, deep, find, moved, sized, turned_over};
use dem_tests::random::Random;
use dem_tests::scene::posed;
use dem_tests::vector::scale;

/// So thin that the gap measure adds nothing to speak of.
const THIN: f64 = 1e-9;

const NONE: [f64; 4] = [0.0, 0.0, 0.0, 1.0];

/// A quadrilateral in n by n pieces of two triangles.
fn quad(corner: [[f64; 3]; 4], n: usize) -> Vec<Triangle> {
    let point = |i: usize, j: usize| {
        let [u, v] = [i, j].map(|k| k as f64 / n as f64);
        let weight = [(1.0 - u) * (1.0 - v), u * (1.0 - v), u * v, (1.0 - u) * v];
        [0, 1, 2].map(|k| (0..4).map(|m| weight[m] * corner[m][k]).sum())
    };
    let pieces = (0..n * n).map(|k| (k / n, k % n));
    pieces
        .flat_map(|(i, j)| {
            let [a, b, c, d] = [point(i, j), point(i + 1, j), point(i + 1, j + 1), point(i, j + 1)];
            [[a, b, c], [a, c, d]]
        })
        .collect()
}

/// A floor of 10 by 10 about the origin.
fn floor(n: usize) -> Vec<Triangle> {
    quad([[-5.0, -5.0, 0.0], [5.0, -5.0, 0.0], [5.0, 5.0, 0.0], [-5.0, 5.0, 0.0]], n)
}

/// A wall at x = 5 that leans by so much at a height of 8.
fn wall(lean: f64, n: usize) -> Vec<Triangle> {
    quad([[5.0, -5.0, 0.0], [5.0 + lean, -5.0, 8.0], [5.0 + lean, 5.0, 8.0], [5.0, 5.0, 0.0]], n)
}

fn back(n: usize) -> Vec<Triangle> {
    quad([[-5.0, 5.0, 0.0], [5.0, 5.0, 0.0], [5.0, 5.0, 8.0], [-5.0, 5.0, 8.0]], n)
}

/// A room of 10 by 10 by 5 above the origin.
fn room() -> Vec<Triangle> {
    turned_over(&moved(&cuboid([10.0, 10.0, 5.0]), [0.0, 0.0, 2.5]))
}

fn tray() -> Vec<Triangle> {
    room().into_iter().filter(|t| t.iter().any(|v| v[2] < 4.0)).collect()
}

/// Half of a ball that looks inward, with the lowest point at the origin.
fn basin() -> Vec<Triangle> {
    let all = turned_over(&moved(&sized(&ball(3), 6.0), [0.0, 0.0, 6.0]));
    all.into_iter().filter(|t| t.iter().all(|v| v[2] < 6.1)).collect()
}

/// A floor with a pit: the body is at the bottom of it.
fn pit() -> Vec<Triangle> {
    let low = moved(&turned_over(&cuboid([4.0, 4.0, 3.0])), [0.0, 0.0, 1.5]);
    let open = low.into_iter().filter(|t| t.iter().any(|v| v[2] < 2.0));
    let around = |x: f64, y: f64| {
        let [p, q] = [[x, y], [-y, x]].map(|[x, y]| [[2.0 * x, 2.0 * y, 3.0], [9.0 * x, 9.0 * y, 3.0]]);
        quad([p[0], p[1], q[1], q[0]], 1)
    };
    let ring = [[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]].into_iter().flat_map(|[x, y]| around(x, y));
    open.chain(ring).collect()
}

/// A room with seams that roundings have opened, one with T-junctions, and one of six loose walls.
fn torn() -> [Vec<Triangle>; 3] {
    let seam = |v: [f64; 3]| if v[2] == 0.0 { v } else { [v[0], v[1], v[2] + 1e-15] };
    let cracked = room().iter().enumerate().map(|(i, t)| if i % 3 == 0 { t.map(seam) } else { *t }).collect();
    let walls = room().into_iter().filter(|t| t.iter().any(|v| v[2] > 1.0));
    let joints = floor(4).into_iter().chain(walls).collect();
    // Two triangles after each other are a side.
    let apart = |i: usize| 1.0 + 1e-15 * (i / 2) as f64;
    let loose = room().iter().enumerate().map(|(i, t)| t.map(|v| scale(apart(i), v))).collect();
    [cracked, joints, loose]
}

fn containers() -> Vec<(&'static str, Vec<Triangle>)> {
    let [cracked, joints, loose] = torn();
    // The second tray is beside the first one, and a block as well.
    let block = moved(&cuboid([2.0; 3]), [12.0, 0.0, 1.0]);
    vec![
        ("tray", tray()),
        ("floor and wall", [floor(1), wall(0.0, 1)].concat()),
        (
            "low wall",
            [floor(2), wall(0.0, 2)].concat().into_iter().map(|t| t.map(|[x, y, z]| [x, y, z / 8.0])).collect(),
        ),
        ("corner", [floor(2), wall(0.0, 2), back(2)].concat()),
        ("narrow groove", [floor(1), wall(-4.0, 1)].concat()),
        ("groove", [floor(1), wall(3.0, 1)].concat()),
        ("wide groove", [floor(1), wall(20.0, 1)].concat()),
        ("basin", basin()),
        ("funnel with a peak", peak()),
        ("floor with a pit", pit()),
        ("two trays", [tray(), moved(&tray(), [11.0, 0.0, 0.0])].concat()),
        ("tray and block", [tray(), block].concat()),
        ("cracked room", cracked.clone()),
        ("room with T-junctions", joints),
        ("loose walls", loose),
        ("hollow block", [moved(&cuboid([12.0, 12.0, 7.0]), [0.0, 0.0, 2.5]), cracked].concat()),
    ]
}

/// A funnel around a peak. The body stands on its tip, behind which nearly all directions are open.
fn peak() -> Vec<Triangle> {
    let way = |k: usize| (k as f64 * std::f64::consts::TAU / 8.0).sin_cos();
    let slice = |k: usize| {
        let at = |k: usize, r: f64, z: f64| [r * way(k).1, r * way(k).0, z];
        let [a, b, c, d] = [at(k, 2.0, -4.0), at(k, 6.0, 2.0), at(k + 1, 6.0, 2.0), at(k + 1, 2.0, -4.0)];
        [[a, d, [0.0; 3]], [a, b, c], [a, c, d]]
    };
    moved(&(0..8).flat_map(slice).collect::<Vec<_>>(), [0.3, 0.2, 0.0])
}

#[test]
fn sound_containers_tell_nothing() {
    let cube = cuboid([1.0; 3]);
    for (name, mesh) in containers() {
        for body in [Body::new(&mesh, HALO), Body::facing(&mesh, HALO)] {
            let thing = Body::new(&cube, HALO);
            for depth in [0.1, 0.4, 1.0, 3.0] {
                let down = depth * 2.0 * HALO;
                // At the bottom of a basin, the surface is beside the corners.
                let pose = at([0.3, 0.2, 0.5 - down], NONE);
                let (list, _) = find(&thing, &pose, &body, &Pose::IDENTITY, false);
                let bits = list.iter().fold(0, |all, c| all | c.status);
                assert!(bits & FLAGS == 0, "{name}, {depth} halos deep: {list:?}");
                assert!(name == "basin" || bits & status::PENETRATING != 0, "{name}, {depth}");
            }
        }
    }
}

/// Spoils a mesh: tells what is missing from it, if anything, and whether a triangle was added that is no copy.
fn spoil(mesh: &mut Vec<Triangle>, random: &mut Random) -> Option<Triangle> {
    let i = random.below(mesh.len());
    let t = mesh[i];
    let half = scale(0.5, [0, 1, 2].map(|k| t[0][k] + t[1][k]));
    let tip = [0, 1, 2].map(|k| half[k] + random.range(-1.0, 1.0));
    match random.below(9) {
        0 => mesh.extend(flap([t[0], t[1]], tip)),
        1 => mesh.push(t),
        2 => mesh.extend([turned(&t), t]),
        3 => {
            mesh[i] = turned(&t);
            return Some(t);
        }
        4 => {
            mesh.swap_remove(i);
            return Some(t);
        }
        // A copy that looks the other way cancels it.
        5 => {
            mesh.push(turned(&t));
            return Some(t);
        }
        // T-junctions, once with a crack.
        6 | 7 => {
            let end = half.map(|x| x * (1.0 + 1e-15));
            mesh[i] = [t[0], half, t[2]];
            mesh.push([end, t[1], t[2]]);
        }
        _ => mesh.push([t[0], t[1], tip]),
    }
    None
}

#[test]
fn spoiled_containers_give_what_clean_ones_give_or_are_flagged() {
    let things = [cuboid([1.0; 3]), cuboid([2.0, 0.3, 0.5]), sized(&ball(2), 0.6)];
    let all = containers();
    let mut seen = [0; 3];
    let cases = cases(200, 3000);
    // Two that were wrong, and not flagged.
    for case in (0..cases).chain([302, 2837].into_iter().filter(|case| *case >= cases)) {
        let mut random = Random::new(71 * case);
        let (name, clean) = &all[random.below(all.len())];
        let mut bad = clean.clone();
        let gone: Vec<_> = (0..random.below(4)).filter_map(|_| spoil(&mut bad, &mut random)).collect();
        let turn = at([0.0; 3], random.rotation());
        let [clean, bad, gone] = [clean, &bad, &gone].map(|mesh| posed(mesh, &turn));
        let clean_body = Body::facing(&clean, THIN);
        let (bad_body, gone) = (Body::facing(&bad, THIN), (!gone.is_empty()).then(|| Body::facing(&gone, THIN)));
        for _ in 0..8 {
            let thing = &things[random.below(things.len())];
            let body = Body::facing(thing, THIN);
            let rotation = if random.below(3) == 0 { NONE } else { random.rotation() };
            let low = boxed(&posed(thing, &at([0.0; 3], rotation)))[0][2];
            let place = [random.range(-4.8, 4.8), random.range(-4.8, 4.8), -low - random.range(0.001, 0.2)];
            let pose = turn.product(&at(place, rotation), What::Pose).unwrap_or_else(|e| panic!("{e}"));
            let [right, list] =
                [&clean_body, &bad_body].map(|other| find(&body, &pose, other, &Pose::IDENTITY, false).0);
            let [right, told_bad] = [&right, &list].map(|list| told(list));
            if told_bad.bits & FLAGS != 0 {
                seen[1] += 1;
                continue;
            }
            // What pokes through a hole, and crosses nothing there, has no contact there. So what is missing must not be touched.
            let pokes =
                gone.as_ref().is_some_and(|gone| !deep(&find(&body, &pose, gone, &Pose::IDENTITY, false).0).is_empty());
            if right.bits & FLAGS != 0 || pokes {
                seen[2] += 1;
                continue;
            }
            assert!(
                (told_bad.volume - right.volume).abs() <= 1e-3 * right.volume + 1e-12,
                "{case} {name}: {told_bad:?} {right:?}"
            );
            seen[0] += usize::from(right.volume > 0.0);
        }
    }
    assert!(seen[0] > 300 && seen[1] > 100 && seen[0] > 5 * seen[2], "{seen:?}");
}
