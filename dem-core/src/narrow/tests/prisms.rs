//! Tests of candidates that are left out, against the parts of faces in prisms.

use super::*;
use crate::contact::{CellOptions, Cells, Face, build_scratch, cell_sizes, measure};
use crate::exec::Serial;
use crate::pose::Transform;
use glam::DVec3;
use std::println;

/// Triangles that share no edges; each is half of a square of a grid; some are needles.
fn grid(random: &mut Random, n: usize, size: f64) -> Vec<[f64; 3]> {
    let step = size / n as f64;
    let mut corners = vec![];
    for i in 0..n * n {
        let [x, y] = [(i % n) as f64, (i / n) as f64].map(|x| (x - 0.5 * n as f64) * step);
        let thin = if random.next() < 0.2 { 10f64.powf(-5.0 * random.next()) } else { 1.0 };
        corners.extend([[x, y, 0.0], [x + step, y, 0.0], [x + step, y + step * thin, 0.0]]);
        corners.extend([[x + step, y + step, 0.0], [x, y + step, 0.0], [x, y + step * (1.0 - thin), 0.0]]);
    }
    corners
}

fn unit(v: [f64; 3]) -> [f64; 3] {
    let l = (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]).sqrt();
    v.map(|x| x / l)
}

/// The quaternion of a rotation by an axis and an angle.
fn about(axis: [f64; 3], angle: f64) -> [f64; 4] {
    let [x, y, z] = unit(axis).map(|x| x * (0.5 * angle).sin());
    [x, y, z, (0.5 * angle).cos()]
}

fn product([ax, ay, az, aw]: [f64; 4], [bx, by, bz, bw]: [f64; 4]) -> [f64; 4] {
    [
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
        aw * bw - ax * bx - ay * by - az * bz,
    ]
}

/// Two grids, most of whose triangles face each other. Sides of prisms coincide except for a shift and a tilt of any order of magnitude.
struct Facing {
    bodies: [Body; 2],
    scales: [f64; 2],
    poses: [Pose; 2],
    halo: f64,
}

impl Facing {
    fn new(random: &mut Random) -> Facing {
        let n = 6;
        let size = if random.next() < 0.7 {
            10f64.powf(8.0 * random.next() - 4.0)
        } else {
            10f64.powf(30.0 * random.next() - 15.0)
        };
        let scales = [0; 2].map(|_| [1.0, 1.0, 0.3, 7.0][(4.0 * random.next()) as usize % 4]);
        let step = size / n as f64;
        let halo = step * 10f64.powf(3.0 * random.next() - 2.0);
        let bodies =
            scales.map(|scale| Body::new(&grid(random, n, size / scale), Halo::Uniform(halo / scale), Scalar::F64));
        let mut tiny = |most: f64| (random.next() - 0.5) * most * 10f64.powf(-9.0 * random.next());
        let tilt = about([tiny(1.0), tiny(1.0), 1e-12], tiny(0.5));
        let turn = about([0.0, 0.0, 1.0], core::f64::consts::FRAC_PI_2 * (4.0 * random.next()).floor());
        let over = if random.next() < 0.9 { core::f64::consts::PI } else { 0.0 };
        let over = about([1.0, 0.0, 0.0], over);
        let orientation = [0; 4].map(|_| random.next() - 0.5);
        let away = [0; 3].map(|_| (random.next() - 0.5) * 10.0 * size);
        let a = Pose { position: away, orientation };
        let world = a.transform(What::PoseA).expect("a pose");
        let mut tiny = |most: f64| (random.next() - 0.5) * most * 10f64.powf(-9.0 * random.next());
        let shift = [step + tiny(step), tiny(step), halo * (0.1 + tiny(0.1))];
        let norm = orientation.iter().map(|x| x * x).sum::<f64>().sqrt();
        let position = core::array::from_fn(|k| world.rotate(shift)[k] + away[k]);
        let turned = product(product(product(orientation.map(|x| x / norm), tilt), turn), over);
        Facing { bodies, scales, poses: [a, Pose { position, orientation: turned }], halo }
    }

    fn operands(&self) -> [Operand<'_>; 2] {
        [0, 1].map(|k| Operand { scale: self.scales[k], ..self.bodies[k].at(&self.poses[k]) })
    }

    fn frames(&self) -> [Transform; 2] {
        self.poses.each_ref().map(|pose| pose.transform(What::Pose).expect("a pose"))
    }
}

pub(crate) type AllCells = crate::contact::CellsRef<'static>;

pub(crate) fn cells_of(body: &Body) -> AllCells {
    let scratch = memory(build_scratch(&body.mesh.sizes).expect("scratch").size);
    let sizes = cell_sizes(&body.mesh, &CellOptions::default(), scratch).expect("sizes");
    let block = memory(Cells::layout(&sizes).expect("layout").size);
    Cells::from_mesh(block, &sizes, &body.mesh, &CellOptions::default(), scratch).expect("cells")
}

/// Whether triangles that look away count, if candidates are left out.
type LeftOut = Option<bool>;
/// The law of facing triangles.
const FACING: LeftOut = Some(false);

/// Candidates, with or without leaving some out.
fn candidates(
    facing: &Facing,
    cells: &[AllCells; 2],
    isa: Isa,
    lanes: usize,
    room: usize,
    left_out: LeftOut,
) -> Result<Vec<Key>> {
    let [a, b] = facing.operands();
    let scratch = memory(near_pairs_scratch(&a, &b, room, lanes)?.size);
    let plain = left_out.map(|all| Plain { first: [cells[0].first, cells[1].first], all });
    let Some(frame) = near_frame(&a, &b, (0.0, 0.0))? else { return Ok(Vec::new()) };
    let (lanes, search) = (Threads { exec: &Serial, isa, count: lanes }, (From::Roots, plain));
    let near = near_pairs(lanes, [&a, &b], &frame, search, 0.0, room, scratch)?;
    let mut keys = near.candidates.to_vec();
    keys.sort();
    Ok(keys)
}

/// Whether one of two triangles has a part that counts in the prism of the other one: one that faces it, or any.
fn meet(facing: &Facing, cells: &[AllCells; 2], key: Key, all: bool) -> bool {
    let (i, j) = ids(key);
    let frames = facing.frames();
    let one = |own: usize, other: usize, i: u32, j: u32| {
        let (Some(cell), Some(face)) = (cells[own].prism(i as usize), cells[other].prism(j as usize)) else {
            return false;
        };
        let apart: [f64; 3] = core::array::from_fn(|k| frames[other].translation[k] - frames[own].translation[k]);
        let place = |x: [f64; 3]| {
            let x = frames[other].rotate(x.map(|x| x * facing.scales[other]));
            frames[own].rotate_back(core::array::from_fn(|k| x[k] + apart[k])).map(|x| x / facing.scales[own])
        };
        let corners = facing.bodies[other].mesh.triangle(j as usize).map(place);
        let normal = frames[own].rotate_back(frames[other].rotate(face.normal));
        let [x, y, z] = corners;
        let turned = Face { corners: [x, z, y], normal: normal.map(|x| -x) };
        let halo = 2.0 * facing.halo / facing.scales[own];
        let counts = |face: &Face| measure(face, cell, cells[own].sides(cell), halo).is_some();
        counts(&Face { corners, normal }) || all && counts(&turned)
    };
    one(0, 1, i, j) || one(1, 0, j, i)
}

#[test]
fn pairs_whose_prisms_meet_are_not_left_out_and_most_others_are() {
    for (isa, all_count) in Isa::list().iter().flat_map(|isa| [(isa, false), (isa, true)]) {
        let mut random = Random(7);
        let (mut out, mut apart, mut away) = (0, 0, 0);
        for _ in 0..300 {
            let facing = Facing::new(&mut random);
            let cells = facing.bodies.each_ref().map(cells_of);
            let all = candidates(&facing, &cells, *isa, 1, 6_000, None).expect("room");
            let kept = candidates(&facing, &cells, *isa, 1, 6_000, Some(all_count)).expect("room");
            assert_eq!(kept, candidates(&facing, &cells, *isa, 2, 6_000, Some(all_count)).expect("room"), "lanes");
            for key in &all {
                let (meets, is_kept) = (meet(&facing, &cells, *key, all_count), kept.binary_search(key).is_ok());
                assert!(is_kept || !meets, "{} {:?}", isa.name(), ids(*key));
                apart += usize::from(!meets);
                out += usize::from(!is_kept);
                away += usize::from(meets && !meet(&facing, &cells, *key, false));
            }
        }
        assert_eq!(away > 0, all_count, "some that look away are above each other");
        println!("{}: {out} left out of {apart} that have nothing above each other", isa.name());
        assert!(out * 10 > apart * 3, "{}: {out} of {apart}", isa.name());
    }
}

#[test]
fn the_same_room_is_enough_whatever_is_left_out() {
    let mut random = Random(11);
    let facing = core::iter::repeat_with(|| Facing::new(&mut random)).find(|facing| {
        let [a, b] = facing.operands();
        brute(&a, &b).iter().filter(|(_, distance)| *distance <= 2.0 * facing.halo).count() > 1_500
    });
    let facing = facing.expect("wide halos");
    let cells = facing.bodies.each_ref().map(cells_of);
    let [a, b] = facing.operands();
    let hits = brute(&a, &b).iter().filter(|(_, distance)| *distance <= 2.0 * facing.halo).count();
    // The room is enlarged by half, plus 512.
    let enough = (hits - 512).div_ceil(3) * 2;
    let mut outcomes = [0; 2];
    // All rooms near the limit, and every third one beside it.
    for room in (enough - 400..enough + 400).filter(|room| room % 3 == 0 || room.abs_diff(enough) < 30) {
        let fits = hits <= room + room / 2 + 512;
        for (isa, lanes, left_out) in
            Isa::list().iter().flat_map(|isa| [(*isa, 1, FACING), (*isa, 2, FACING), (*isa, 1, None)])
        {
            match candidates(&facing, &cells, isa, lanes, room, left_out) {
                Ok(_) => assert!(fits, "{} {lanes} {left_out:?} {room}", isa.name()),
                Err(error) => {
                    assert_eq!(
                        (error.needed, fits),
                        (hits as u64, false),
                        "{} {lanes} {left_out:?} {room}",
                        isa.name()
                    );
                }
            }
        }
        outcomes[usize::from(fits)] += 1;
    }
    assert!(outcomes.iter().all(|n| *n > 100), "{outcomes:?}");
}

/// A needle whose corners, rounded to f32, have another normal; and a triangle above the needle that faces against that normal.
fn above_a_needle(random: &mut Random, size: f64) -> Facing {
    let mut direction = || DVec3::from_array([0; 3].map(|_| random.next() - 0.5)).normalize();
    let x = direction();
    let y = x.cross(direction()).normalize();
    let z = x.cross(y);
    let (height, halo) = (1.1 / (1 << 23) as f64, 1.0 / (1 << 9) as f64);
    let needle = [x * -0.5, x * 0.5, x * (0.2 + 0.1 * random.next()) + y * height];
    let (low, high) = (needle[0].min(needle[1]).min(needle[2]), needle[0].max(needle[1]).max(needle[2]));
    let stored = needle.map(|v| (v - (low + high) * 0.5).as_vec3().as_dvec3());
    let n = (stored[1] - stored[0]).cross(stored[2] - stored[0]).normalize();
    let along = (x - n * n.dot(x)).normalize();
    let across = n.cross(along);
    let way = if z.dot(across) > 0.0 { 1.0 } else { -1.0 };
    let over = [[-0.6, -0.05], [0.0, 0.95], [0.6, -0.05]].map(|[u, v]| (along * u + across * v) * (way * 0.09 * halo));
    let position = (x * 0.2 + y * (0.3 * height) + z * (0.7 * halo)) * size;
    let body = |corners: [DVec3; 3]| {
        let corners = corners.map(|v| (v * size).to_array());
        Body::new(&corners, Halo::Uniform(0.5 * halo * size), Scalar::F64)
    };
    let poses = [Pose::IDENTITY, Pose { position: position.to_array(), ..Pose::IDENTITY }];
    Facing { bodies: [body(needle), body(over)], scales: [1.0; 2], poses, halo: 0.5 * halo * size }
}

#[test]
fn needles_are_kept_at_any_size() {
    let mut random = Random(13);
    for exponent in [0, 20, 28, 34, 42, 50] {
        let mut number = 0;
        for _ in 0..200 {
            let facing = above_a_needle(&mut random, libm::exp2(f64::from(exponent)));
            let cells = facing.bodies.each_ref().map(cells_of);
            if meet(&facing, &cells, key(0, 0), false) {
                number += 1;
                for isa in Isa::list() {
                    let kept = candidates(&facing, &cells, *isa, 1, 64, FACING).expect("room");
                    assert_eq!(kept, [key(0, 0)], "{} 2^{exponent}", isa.name());
                }
            }
        }
        assert!(number > 100, "{number} at 2^{exponent}");
    }
}
