//! Second moments of the pressure of balls and clumps on meshes, against sums over fine lines.

use dem_core::body::Body;
use dem_core::contact::Contact;
use dem_core::contact::regions::Grouping;
use dem_core::contact::shape::{Part, Placed, Request, Shape, Surface, shape_contacts, shape_scratch};
use dem_core::exec::{Serial, Work};
use dem_core::force::{Interaction, Laws, Normal};
use dem_core::pose::Pose;
use dem_core::simd::Isa;
use dem_core::world::{BodyDef, Setup};
use dem_std::OwnedWorld;
use dem_tests::contact::{self, at, cuboid, grown};
use dem_tests::deep::{ball, sized};
use dem_tests::random::Random;
use dem_tests::shapes::{ground, part, placed, sphere, surface};
use dem_tests::vector::{add, cross, dot, length, perpendicular, rotate, scale, sub};
use dem_tests::walls::{self, holed, quartered, ridge};
use dem_tests::{Triangle, cases};

/// Rows and columns of the numbers of a tensor.
const PLACES: [(usize, usize); 6] = [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)];

fn spreads(a: &Placed<'_>, b: &Placed<'_>, grouping: Grouping) -> Vec<Contact> {
    let find = |room, out: &mut [Contact], scratch: &mut [u8]| {
        let request = Request { grouping, spread: true, ..Request::new(7, room) };
        shape_contacts(Work::new(&Serial, Isa::best(), scratch), a, b, &request, out, None)
    };
    grown(|room| shape_scratch(a, b, room, 1), find).0
}

/// Sums over faces: of the area, of the pressure, of both times the way from an origin, and of the pressure times squares of that and times normals.
#[derive(Clone, Copy, Default, Debug)]
struct Sums {
    area: f64,
    weight: f64,
    first: [f64; 3],
    even: [f64; 3],
    second: [f64; 6],
    force: [f64; 3],
    /// Of the distance from an axis.
    away: f64,
}

fn outer(v: [f64; 3]) -> [f64; 6] {
    PLACES.map(|(i, k)| v[i] * v[k])
}

impl Sums {
    fn centre(&self) -> [f64; 3] {
        scale(1.0 / self.weight, self.first)
    }

    /// About the centre.
    fn spread(&self) -> [f64; 6] {
        let own = outer(self.centre());
        std::array::from_fn(|k| self.second[k] / self.weight - own[k])
    }

    /// Adds a triangle that a ball presses on, with the pressure `(reach^2 - d^2) / wide` on lines across it; the axis is a point and a direction.
    fn add(&mut self, t: &Triangle, [centre, origin]: [[f64; 3]; 2], [reach, wide]: [f64; 2], axis: [[f64; 3]; 2]) {
        let [a, b, c] = *t;
        let normal = cross(sub(b, a), sub(c, a));
        let normal = scale(1.0 / length(normal), normal);
        let height = dot(normal, sub(centre, a));
        let disc = reach * reach - height * height;
        if disc <= 0.0 {
            return;
        }
        let foot = sub(centre, scale(height, normal));
        let along = perpendicular(normal);
        let along = scale(1.0 / length(along), along);
        let across = cross(normal, along);
        let flat = t.map(|v| [dot(sub(v, foot), along), dot(sub(v, foot), across)]);
        let wide_of = |k: usize, pick: fn(f64, f64) -> f64| flat.iter().map(|v| v[k]).reduce(pick).unwrap();
        // Where a line at x is in the triangle and in the disc.
        let ends = |x: f64| {
            let mut ends = [f64::INFINITY, f64::NEG_INFINITY];
            for k in 0..3 {
                let (p, q) = (flat[k], flat[(k + 1) % 3]);
                if (p[0] - x) * (q[0] - x) <= 0.0 && p[0] != q[0] {
                    let y = p[1] + (q[1] - p[1]) * (x - p[0]) / (q[0] - p[0]);
                    ends = [ends[0].min(y), ends[1].max(y)];
                }
            }
            let half = (disc - x * x).max(0.0).sqrt();
            [ends[0].max(-half), ends[1].min(half)]
        };
        let (mut low, mut high) = (wide_of(0, f64::min).max(-disc.sqrt()), wide_of(0, f64::max).min(disc.sqrt()));
        let lines = 3000;
        // Narrowed to where there are any.
        for _ in 0..4 {
            let at = |i: u32| low + (high - low) * f64::from(i) / f64::from(lines);
            let meets = |i: &u32| ends(at(*i))[0] < ends(at(*i))[1];
            let (Some(first), Some(last)) = ((0..=lines).find(meets), (0..=lines).rev().find(meets)) else { return };
            (low, high) = (at(first.saturating_sub(1)), at(lines.min(last + 1)));
        }
        for i in 0..lines {
            let x = low + (high - low) * (f64::from(i) + 0.5) / f64::from(lines);
            let [from, to] = ends(x);
            if from >= to {
                continue;
            }
            // By the rule of Gauss of degree five.
            for (node, part) in [(-0.6f64.sqrt(), 5.0 / 18.0), (0.0, 8.0 / 18.0), (0.6f64.sqrt(), 5.0 / 18.0)] {
                let y = 0.5 * (from + to) + 0.5 * (to - from) * node;
                let area = part * (to - from) * (high - low) / f64::from(lines);
                let q = area * (disc - x * x - y * y) / wide;
                let at = add(foot, add(scale(x, along), scale(y, across)));
                let way = sub(at, origin);
                self.area += area;
                self.weight += q;
                self.first = add(self.first, scale(q, way));
                self.even = add(self.even, scale(area, way));
                self.force = add(self.force, scale(q, normal));
                self.away += q * length(cross(sub(at, axis[0]), axis[1]));
                let square = outer(way);
                self.second = std::array::from_fn(|k| self.second[k] + q * square[k]);
            }
        }
    }
}

/// A ball of a body, in the world.
#[derive(Clone, Copy)]
struct Ball {
    centre: [f64; 3],
    radius: f64,
    /// Sum of both halos.
    halo: f64,
}

/// What a mesh is at a pose, and what is on it.
struct Case<'a> {
    mesh: &'a [Triangle],
    surface: &'a Surface<'a>,
    pose: Pose,
    balls: Vec<Ball>,
    axis: [[f64; 3]; 2],
}

impl Case<'_> {
    /// Sums over the triangles of a patch, of all by this ball, or by all balls; about the first ball.
    fn sums(&self, ball: Option<usize>, patch: Option<u32>) -> Sums {
        let mut sums = Sums::default();
        let origin = self.balls[0].centre;
        for (_, own) in self.balls.iter().enumerate().filter(|(i, _)| ball.is_none_or(|ball| ball == *i)) {
            let (reach, wide) = (own.radius + own.halo, own.halo * (own.halo + 2.0 * own.radius));
            for (i, t) in self.mesh.iter().enumerate() {
                if patch.is_none_or(|patch| self.surface.cells.patch[i] == patch) {
                    let t = t.map(|v| add(rotate(self.pose.orientation, v), self.pose.position));
                    sums.add(&t, [own.centre, origin], [reach, wide], self.axis);
                }
            }
        }
        sums
    }

    /// That each contact of a ball and a patch tells the moments of its pressure: returns the moments about the joint position that all of them have together, with the points moved as positions are.
    fn check(&self, nodes: &[Contact], name: &str) -> Joint {
        let mut joint = Joint::default();
        let origin = self.balls[0].centre;
        for c in nodes.iter().filter(|c| c.area > 0.0) {
            let [ball, patch] = [(c.key[1] >> 32) as u32, c.key[1] as u32];
            let sums = self.sums(Some(ball as usize), Some(patch));
            let size = self.balls[ball as usize].halo * self.balls[ball as usize].radius;
            let (right, weight) = (sums.spread(), length(sums.force));
            let extent: f64 = right[0] + right[1] + right[2];
            // Of a face that is hardly reached, lines tell less.
            let off = 2e-5 * extent + 1e-7 * size;
            assert!((0..6).all(|k| (c.spread[k] - right[k]).abs() < off), "{name}: {off:e} {c:?} {right:?}");
            let load = (1.0 - c.gap / c.halo) * c.area;
            assert!((load / weight - 1.0).abs() < 1e-4, "{name}: {c:?} {weight}");
            // Along the normal it is between both surfaces.
            let position = sub(c.position, origin);
            let beside = sub(position, sums.centre());
            let moved = dot(beside, c.normal);
            let beside = length(sub(beside, scale(moved, c.normal)));
            assert!(beside < 1e-4 * size.sqrt(), "{name}: {beside:e} {size:e} {c:?} {sums:?}");
            let offset = sub(scale(1.0 / sums.area, sums.even), sums.centre());
            assert!(length(sub(c.offset, offset)) < 3e-4 * size.sqrt(), "{name}: {c:?} {offset:?}");
            joint.join(weight, position, right);
        }
        joint
    }
}

#[derive(Default)]
struct Joint {
    weight: f64,
    first: [f64; 3],
    second: [f64; 6],
}

impl Joint {
    fn join(&mut self, weight: f64, at: [f64; 3], spread: [f64; 6]) {
        let own = outer(at);
        self.weight += weight;
        self.first = add(self.first, scale(weight, at));
        self.second = std::array::from_fn(|k| self.second[k] + weight * (spread[k] + own[k]));
    }

    fn spread(&self) -> [f64; 6] {
        let own = outer(scale(1.0 / self.weight, self.first));
        std::array::from_fn(|k| self.second[k] / self.weight - own[k])
    }
}

/// A mesh, a point on it, and a direction in which it looks there.
type Spot = (&'static str, Vec<Triangle>, [f64; 3], [f64; 3]);

fn places() -> Vec<Spot> {
    let cube = || cuboid([8.0, 6.0, 8.0]);
    vec![
        ("face", cube(), [1.1, 0.7, 4.0], [0.0, 0.0, 1.0]),
        ("beside an edge", cube(), [3.9, 0.7, 4.0], [0.0, 0.0, 1.0]),
        ("edge", cube(), [4.0, 0.7, 4.0], [0.3, 0.0, 1.0]),
        ("corner", cube(), [4.0, 3.0, 4.0], [0.5, 0.3, 1.0]),
        ("middle of a corner", cube(), [4.0, 3.0, 4.0], [1.0, 1.0, 1.0]),
        ("sharp edge", ridge([1.2, 0.9]), [0.0, 0.3, 0.0], [-0.2, 0.0, 1.0]),
        ("groove", walls::groove(0.6, 3), [0.2, 0.0, 0.0], [0.0, 0.0, 1.0]),
    ]
}

fn close(a: [f64; 6], b: [f64; 6], off: f64) -> bool {
    let size = b[0] + b[1] + b[2];
    (0..6).all(|k| (a[k] - b[k]).abs() < off * size)
}

/// Balls of several radii on faces, edges and corners in any pose, with wide halos and with thin ones, pressed in, too.
#[test]
fn balls_tell_the_second_moments_of_their_pressure() {
    let (mut random, mut met, mut joined) = (Random::new(5), 0, 0);
    for (name, mesh, point, way) in places() {
        for k in 0..cases(6, 30) {
            let radius = [0.5, 0.1, 0.9][k % 3];
            let halo = radius * [0.3, 0.03, 0.001, 0.1][k % 4];
            let gap = halo * [0.7, 0.2, -0.3, 0.5, -0.05][k % 5];
            let pose = at(random.in_cube(0.3), random.rotation());
            let way = scale(1.0 / length(way), way);
            let mut centre = add(point, scale(radius + gap, way));
            if name == "groove" {
                centre = add(point, scale((radius + gap) / 0.6f64.cos(), way));
            }
            let aside = scale(0.2 * halo, random.direction());
            let centre = add(rotate(pose.orientation, add(centre, aside)), pose.position);
            let fine = quartered(&quartered(&mesh));
            let closed = name != "groove";
            let mut told: Vec<Vec<Contact>> = vec![];
            for (mesh, lawful) in [(&mesh, true), (&fine, true), (&mesh, false), (&fine, false)] {
                let body = match lawful {
                    true => contact::Body::conservative(mesh, 0.4 * halo),
                    false => contact::Body::facing(mesh, 0.4 * halo),
                };
                let own = surface(&body, closed);
                let balls = vec![Ball { centre, radius, halo }];
                let case = Case { mesh, surface: &own, pose, balls, axis: [[0.0; 3]; 2] };
                let (ball_pose, mesh_pose) = (at(centre, random.rotation()), pose);
                let (a, b) = (placed(sphere(radius, 0.6 * halo), &ball_pose), placed(Shape::Mesh(&own), &mesh_pose));
                let nodes = spreads(&a, &b, Grouping::PATCHES);
                let list = spreads(&a, &b, Grouping::BODIES);
                let name = format!("{name} {k} {lawful} {}", mesh.len());
                if lawful {
                    let joint = case.check(&nodes, &name);
                    let [c] = list[..] else { panic!("{name}: {list:?}") };
                    assert!(close(c.spread, joint.spread(), 1e-4), "{name}: {c:?} {:?}", joint.spread());
                    joined += usize::from(nodes.len() > 1);
                } else {
                    // Forces have other sizes then.
                    for c in nodes.iter().filter(|c| c.area > 0.0) {
                        let sums = case.sums(None, Some(c.key[1] as u32));
                        let off = 2e-5 + 1e-7 * halo * radius / (c.spread[0] + c.spread[1] + c.spread[2]);
                        assert!(close(c.spread, sums.spread(), off), "{name}: {c:?} {:?}", sums.spread());
                    }
                }
                // What is split has the same contacts.
                if let Some(coarse) = told.last().filter(|_| mesh.len() == fine.len()) {
                    assert_eq!(coarse.len(), list.len(), "{name}");
                    for (c, d) in coarse.iter().zip(&list) {
                        // Of a corner within a thin halo they are the difference of squares of the radius.
                        let off = 1e-9 + 2e-13 * radius * radius / (c.spread[0] + c.spread[1] + c.spread[2]);
                        assert!(close(c.spread, d.spread, off), "{name}: {c:?} {d:?}");
                        assert!(length(sub(c.offset, d.offset)) < 1e-9 * radius, "{name}: {c:?} {d:?}");
                    }
                }
                told.push(list);
                met += nodes.len();
            }
        }
    }
    assert!(met >= 150 && joined >= 20, "{met} {joined}");
}

/// On a flat wall of triangles a ball has the closed form of a half-space, which counts its `area` as the disc of the pressure.
#[test]
fn on_a_flat_wall_second_moments_are_those_of_a_half_space() {
    let (mut random, radius) = (Random::new(6), 0.4);
    for (k, halo) in [0.12, 0.02, 4e-4].into_iter().cycle().take(24).enumerate() {
        let mesh = walls::irregular(300, 5.0, 3);
        let body = match k % 2 {
            0 => contact::Body::conservative(&mesh, 0.5 * halo),
            _ => contact::Body::facing(&mesh, 0.5 * halo),
        };
        let own = surface(&body, false);
        let pose = at(random.in_cube(0.3), random.rotation());
        // By the law of facing a part of the disc stands for all of it.
        let gap = if k % 8 == 7 { -0.7 * radius } else { halo * random.range(-0.5, 0.95) };
        let beside = [random.range(-1.0, 1.0), random.range(-1.0, 1.0), radius + gap];
        let there = at(add(rotate(pose.orientation, beside), pose.position), random.rotation());
        let a = placed(sphere(radius, 0.5 * halo), &there);
        let found =
            [Shape::Mesh(&own), ground(0.5 * halo)].map(|wall| spreads(&a, &placed(wall, &pose), Grouping::default()));
        let [[c], [d]] = [&found[0][..], &found[1][..]] else { panic!("{found:?}") };
        let more = 1.0 + c.gap / (2.0 * radius + halo);
        assert!(close(c.spread.map(|x| x * more), d.spread, 1e-9), "{k} {halo}: {c:?} {d:?}");
        assert!(length(c.offset) < 1e-9 * radius, "{c:?}");
    }
}

/// Balls that are one body, of several sizes, on a ball of facets, on an edge and in the rim of a hole.
#[test]
fn clumps_tell_the_second_moments_of_their_pressure() {
    let mut random = Random::new(8);
    let round = sized(&ball(2), 3.0);
    let block: Vec<Triangle> = cuboid([6.0; 3]).iter().map(|t| t.map(|v| sub(v, [0.0, 0.0, 3.0]))).collect();
    let meshes = [("round", round), ("box", block), ("hole", holed(6, 0.3))];
    let (mut met, mut several) = (0, 0);
    for (k, (name, mesh)) in meshes.iter().cycle().take(cases(9, 36)).enumerate() {
        let halo = [0.05, 0.01, 0.002][k / 3 % 3];
        let body = contact::Body::conservative(mesh, 0.5 * halo);
        let own = surface(&body, true);
        let scaled = [1.0, 2.0, 0.5][k % 3];
        // Each of them is led to a depth of its own, in the frame of the mesh.
        let places: [([f64; 2], f64); 4] =
            [([0.0, 0.0], 0.4), ([0.5, 0.1], 0.2), ([-0.1, 0.5], 0.3), ([0.3, -0.4], 0.25)];
        let touching = |[x, y]: [f64; 2], radius: f64, gap: f64| {
            let away = |z: f64| mesh.iter().map(|t| distance([x, y, z], t)).fold(f64::INFINITY, f64::min);
            let (mut low, mut high) = (0.0, 6.0);
            for _ in 0..60 {
                let z = 0.5 * (low + high);
                // Below the surface the distance grows again; none of them goes that deep.
                if away(z) < radius + gap || (*name == "round" && z < 2.95) { low = z } else { high = z }
            }
            [x, y, low]
        };
        let centres = places.map(|(at, r)| touching(at, r, halo * random.range(-0.3, 0.7)));
        let pose = at(random.in_cube(0.3), random.rotation());
        let parts: Vec<Part<'_>> = (0..4)
            .map(|i| Part {
                scale: 0.5,
                ..part(sphere(2.0 * places[i].1 / scaled, halo / scaled), scale(1.0 / scaled, centres[i]))
            })
            .collect();
        let clump = Placed { scale: scaled, ..placed(Shape::Compound(&parts), &pose) };
        let balls = (0..4)
            .map(|i| Ball {
                centre: add(rotate(pose.orientation, centres[i]), pose.position),
                radius: places[i].1,
                halo,
            })
            .collect();
        let case = Case { mesh, surface: &own, pose, balls, axis: [[0.0; 3]; 2] };
        let b = placed(Shape::Mesh(&own), &pose);
        let nodes = spreads(&clump, &b, Grouping::PATCHES);
        let joint = case.check(&nodes, name);
        let list = spreads(&clump, &b, Grouping::BODIES);
        let [c] = list[..] else { panic!("{name}: {list:?}") };
        assert!(close(c.spread, joint.spread(), 1e-4), "{name} {k}: {c:?} {:?}", joint.spread());
        // Positions are moved by a part of the gap at most.
        let all = case.sums(None, None);
        let about = {
            let mut about = Joint::default();
            about.join(1.0, all.centre(), all.spread());
            about.spread()
        };
        assert!(close(c.spread, about, 4.0 * halo), "{name} {k}: {c:?} {about:?}");
        let parts: std::collections::HashSet<u64> = nodes.iter().map(|c| c.key[1] >> 32).collect();
        (met, several) = (met + 1, several + usize::from(parts.len() > 1));
    }
    assert!(several >= 6, "{met} {several}");
}

/// The distance of a point and a triangle.
fn distance(p: [f64; 3], t: &Triangle) -> f64 {
    let [a, b, c] = *t;
    let normal = cross(sub(b, a), sub(c, a));
    let inside = (0..3).all(|k| dot(cross(sub(t[(k + 1) % 3], t[k]), sub(p, t[k])), normal) >= 0.0);
    if inside {
        return dot(sub(p, a), normal).abs() / length(normal);
    }
    let side = |k: usize| {
        let (from, way) = (t[k], sub(t[(k + 1) % 3], t[k]));
        let part = (dot(sub(p, from), way) / dot(way, way)).clamp(0.0, 1.0);
        length(sub(p, add(from, scale(part, way))))
    };
    (0..3).map(side).fold(f64::INFINITY, f64::min)
}

/// A ball that spins on an edge of a cube, or in the rim of a hole about the hole's axis: friction has the mean distance of the pressure as its arm.
#[test]
fn friction_against_spin_has_the_arm_of_its_pressure() {
    let (radius, both, mu) = (0.5, 0.02, 0.3);
    let away = radius + 0.4 * both;
    let over = |inscribed: f64| [0.0, 0.0, (away * away - inscribed * inscribed).sqrt()];
    let cube = |way: [f64; 3]| {
        let moved = |t: &Triangle| t.map(|v| sub(v, way.map(|x| x.signum().max(0.0) * 2.0)));
        (cuboid([4.0; 3]).iter().map(moved).collect(), scale(away / length(way), way))
    };
    let mut cases: Vec<(Vec<Triangle>, [f64; 3])> = vec![cube([1.0, 0.0, 1.0]), cube([0.4, 0.0, 1.0])];
    cases.extend([(3, 0.1), (3, 0.25), (6, 0.15), (24, 0.2), (24, 0.3)].map(|(n, r)| (holed(n, r), over(r))));
    for (number, (mesh, centre)) in cases.iter().enumerate() {
        let body = contact::Body::conservative(mesh, 0.5 * both);
        let own = surface(&body, true);
        let ball_pose = at(*centre, [0.0, 0.0, 0.0, 1.0]);
        let (a, b) = (placed(sphere(radius, 0.5 * both), &ball_pose), placed(Shape::Mesh(&own), &Pose::IDENTITY));
        let [c] = spreads(&a, &b, Grouping::default())[..] else { panic!("{number}") };
        let balls = vec![Ball { centre: *centre, radius, halo: both }];
        let case = Case { mesh, surface: &own, pose: Pose::IDENTITY, balls, axis: [c.position, c.normal] };
        let sums = case.sums(None, None);
        let shapes = [Shape::Mesh(&own), sphere(radius, 0.5 * both)];
        let laws = [Interaction::new(Normal::Pressure, 1e7).rough(mu, 0.8)];
        let laws = Laws::new(&laws).unwrap();
        let led = Body { angular_velocity: scale(10.0, c.normal), ..Body::ball(radius, 1e9, *centre).unwrap() };
        let mut world = OwnedWorld::with_executor(Box::new(Serial));
        world.set_up(&Setup { gravity: [0.0; 3], ..Setup::default() }).unwrap();
        world.add(&BodyDef::new(Body::fixed(Pose::IDENTITY), 0)).unwrap();
        world.add(&BodyDef::new(led, 1)).unwrap();
        for _ in 0..400 {
            world.advance(1e-4, 1e-4, &shapes, &laws).unwrap();
        }
        let wrench = world.view().unwrap().wrenches()[1];
        let got = -dot(wrench.torque, c.normal) / (mu * c.wedging * dot(wrench.force, c.normal));
        let arm = sums.away / sums.weight;
        println!("{number}: {got:.4} of {arm:.4}: {:.4}", got / arm);
        // The mean distance is told by the second moments alone: on an edge, where pressure falls toward both ends, by that of an even one.
        let off = if number < 2 { 0.08 } else { 0.02 };
        assert!((got / arm - 1.0).abs() < off, "{number}: {got} {arm}");
    }
}
