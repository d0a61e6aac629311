//! The filter against pairs of triangles built to lie at the threshold.

extern crate std;

use glam::DVec3;

use super::super::frame::Frame;
use super::*;
use crate::error::What;
use crate::pose::{Pose, Transform};
use crate::simd::{Isa, Kernel, dispatch};
use crate::surrogate::{Origin, normal};
use crate::triangle::closest_points_one;
use crate::triangle::tests::Random;

type Triangle = [DVec3; 3];

/// Two clusters, for which the filter's inputs and results are recorded.
struct Probe<'t>(&'t Cluster, &'t Cluster, &'t Relative);

struct Seen {
    survivors: [u32; 2],
    /// What a gap must exceed, the largest gap, and the gap that is kept for later thresholds.
    rows: [[f32; 16]; 3],
}

impl Kernel for Probe<'_> {
    type Output = Seen;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> Seen {
        let Probe(a, b, relative) = self;
        let mut rows = [[0.0; 16]; 3];
        let plain = survivors(simd, a, b, relative);
        let ordered = survivors_by_gap(simd, a, b, relative, &mut rows[2]);
        let turned = turned::<S::F32>(simd, b, relative);
        let mut part = 0;
        while part * S::F32::LANES < 16 {
            let both = super::rows::<S::F32>(simd, a, &turned, part);
            let test = test::<S::F32>(simd, [a, b], &both, relative.threshold, part);
            let by_centres = test.by_centres.scaled / test.by_centres.length2.sqrt();
            let [of_a, of_b] = Across::new(simd, &both).0.map(|gap| gap.scaled / gap.length2.sqrt());
            test.threshold.store(&mut rows[0], part * S::F32::LANES);
            by_centres.max(test.by_normals).max(of_a.max(of_b)).store(&mut rows[1], part * S::F32::LANES);
            part += 1;
        }
        Seen { survivors: [plain, ordered], rows }
    }
}

fn unit(random: &mut Random) -> DVec3 {
    loop {
        let v = DVec3::from_array([0; 3].map(|_| 2.0 * random.next() - 1.0));
        if (0.01..1.0).contains(&v.length_squared()) {
            return v.normalize();
        }
    }
}

fn among<T: Copy>(random: &mut Random, choices: &[T]) -> T {
    choices[(random.next() * choices.len() as f64) as usize % choices.len()]
}

/// A triangle around one of its points, in the plane across `n`; if `flat` is 0 it is a segment.
fn face(random: &mut Random, middle: DVec3, n: DVec3, size: f64, flat: f64) -> Triangle {
    let e = n.any_orthonormal_vector();
    let f = n.cross(e) * flat;
    let turn = 6.3 * random.next();
    [0.0, 2.1, 4.2].map(|angle| {
        let (sin, cos) = (libm::sin(angle + turn), libm::cos(angle + turn));
        middle + (e * cos + f * sin) * (size * (0.2 + random.next()))
    })
}

/// A triangle with one corner at `corner`, and the others not behind it as seen along `n`.
fn tip(random: &mut Random, corner: DVec3, n: DVec3, size: f64) -> Triangle {
    let steep = among(random, &[0.0, 1e-3, 1.0]);
    let mut other = || corner + (unit(random).cross(n) + n * (steep * random.next())) * size;
    [corner, other(), other()]
}

/// Two triangles about this far apart along a normal or along the line of their centroids.
fn pair(random: &mut Random, sizes: [f64; 2], distance: f64) -> [Triangle; 2] {
    let n = unit(random);
    let p = unit(random) * (sizes[0] * random.next());
    let q = p + n * distance;
    let mut flat = || among(random, &[1.0, 1.0, 1e-2, 1e-5, 2e-7, 5e-8, 0.0]);
    let (fa, fb) = (flat(), flat());
    match (random.next() * 4.0) as usize {
        0 => [face(random, p, n, sizes[0], fa), tip(random, q, n, sizes[1])],
        1 => [tip(random, p, -n, sizes[0]), face(random, q, n, sizes[1], fb)],
        2 => [face(random, p, n, sizes[0], fa), face(random, q, n, sizes[1], fb)],
        _ => [[p; 3], face(random, q, n, sizes[1], 0.0)],
    }
}

fn cluster(corners: [[f32; 3]; 3], halo: f32) -> Cluster {
    let n = normal(exact(corners));
    let mut cluster = Cluster { rows: [[halo; 4]; 14], link: [0; 4], meta: [4, 0, 0, 0] };
    let [p, q, r] = corners;
    for (k, v) in [p, q, r, n.to_array().map(|x| x as f32)].iter().enumerate() {
        (0..3).for_each(|c| cluster.rows[Cluster::row(k, c)] = [v[c]; 4]);
    }
    cluster.rows[Cluster::OFFSET] = [n.dot(exact(corners)[0]) as f32; 4];
    cluster
}

fn exact(t: [[f32; 3]; 3]) -> Triangle {
    t.map(|v| DVec3::from_array(v.map(f64::from)))
}

fn single(t: Triangle) -> [[f32; 3]; 3] {
    t.map(|v| v.to_array().map(|x| x as f32))
}

fn transform(pose: &Pose) -> Transform {
    pose.transform(What::Pose).expect("a pose")
}

/// Two triangles in A's frame, two origins in the frames of their bodies, and the poses of the bodies.
#[derive(Clone, Copy)]
struct Plan {
    triangles: [Triangle; 2],
    centres: [DVec3; 2],
    halos: [f32; 2],
    extents: [f64; 2],
    poses: [Pose; 2],
}

impl Plan {
    /// Sizes differ by up to 1e6, and are 1 to 1e7 times the distance.
    fn new(random: &mut Random, scale: f64) -> Plan {
        let small = libm::exp2(-20.0 * random.next() * random.next());
        let sizes = among(random, &[[1.0, small], [small, 1.0]]).map(|s| s * scale);
        let distance = scale * libm::pow(10.0, -7.0 * random.next());
        let [ta, tb] = pair(random, sizes, distance);
        let away = among(random, &[0.0, 1e6]) * scale;
        let mut pose = || {
            let position = (unit(random) * away).to_array();
            Pose { position, orientation: [0; 4].map(|_| random.next() - 0.5) }
        };
        let (pa, mut pb) = (pose(), pose());
        let turned = |pose: &Pose, v: DVec3| DVec3::from_array(transform(pose).rotate(v.to_array()));
        let centres = sizes.map(|s| unit(random) * (3.0 * s * random.next()));
        // B's origin lies near its triangle; B's position follows from that.
        let near = tb[0] + unit(random) * (sizes[1] * random.next());
        let away = turned(&pa, near + centres[0]) - turned(&pb, centres[1]);
        pb.position = (DVec3::from_array(pa.position) + away).to_array();
        let halos = sizes.map(|s| (s * among(random, &[0.0, 0.0, 0.1, 3.0])) as f32).map(|h| h.max(f32::MIN_POSITIVE));
        let extents = sizes.map(|s| 8.0 * s);
        Plan { triangles: [ta, tb], centres, halos, extents, poses: [pa, pb] }
    }

    /// Nearly the same plan: a coordinate or an angle differs in its last digits.
    fn jittered(&self, random: &mut Random) -> Plan {
        let mut plan = *self;
        let (side, corner) = (among(random, &[0, 1]), among(random, &[0, 1, 2, 3]));
        let by = 1.0 + 1e-6 * (random.next() - 0.5) * random.next();
        match plan.triangles[side].get_mut(corner) {
            Some(v) => v[among(random, &[0, 1, 2])] *= by,
            None => plan.poses[side].orientation[among(random, &[0, 1, 2, 3])] *= by,
        }
        plan
    }

    /// None if rounding has made the triangles touch.
    fn case(&self) -> Option<Case> {
        let frame = Frame::between(self.poses.each_ref().map(transform), self.extents, [1.0; 2]);
        let rows = frame.turn.map(DVec3::from_array);
        let turned = |v: DVec3| DVec3::new(rows[0].dot(v), rows[1].dot(v), rows[2].dot(v));
        let turned_back = |v: DVec3| rows[0] * v.x + rows[1] * v.y + rows[2] * v.z;
        let t = turned(self.centres[1]) + DVec3::from_array(frame.offset) - self.centres[0];
        let stored = [single(self.triangles[0]), single(self.triangles[1].map(|v| turned_back(v - t)))];
        let (a, b) = (exact(stored[0]), exact(stored[1]).map(|v| turned(v) + t));
        let apart = closest_points_one(a.map(|v| v.to_array()), b.map(|v| v.to_array())).expect("finite").distance;
        if apart == 0.0 {
            return None;
        }
        let asked = (apart - f64::from(self.halos[0])) - f64::from(self.halos[1]);
        let origins = [0, 1].map(|k| {
            let corner = exact(stored[k]).into_iter().fold(0.0f64, |m, v| m.max(v.length()));
            Origin { centre: self.centres[k].to_array(), reach: corner + f64::from(self.halos[k]) }
        });
        let relative = frame.relative(&origins[0], &origins[1], asked, asked);
        let slack = f64::from(relative.threshold) - asked;
        let [a, b] = [0, 1].map(|k| cluster(stored[k], self.halos[k]));
        Some(Case { a, b, relative, slack })
    }
}

/// Two clusters whose nodes all form one pair at the threshold.
struct Case {
    a: Cluster,
    b: Cluster,
    relative: Relative,
    slack: f64,
}

impl Case {
    /// The error over the slack. At 1 the pair would be discarded.
    fn error(&self, isa: Isa) -> f64 {
        let Case { a, b, relative, slack } = self;
        let seen = dispatch(isa, Probe(a, b, relative));
        assert_eq!(seen.survivors, [0xffff; 2], "{}: {relative:?}", isa.name());
        let [threshold, gap, kept] = seen.rows.map(|row| row[0]);
        assert!(kept <= relative.asked && seen.rows[2] == [kept; 16], "{}: {relative:?}", isa.name());
        if gap.is_finite() { 1.0 - (f64::from(threshold) - f64::from(gap)) / slack } else { 0.0 }
    }
}

/// The largest error over the slack, by hill climbing from some of the plans.
fn largest_error(isa: Isa, scale: f64, number: usize) -> f64 {
    let mut random = Random(41);
    let mut largest = 0.0;
    for k in 0..number {
        let mut plan = Plan::new(&mut random, scale);
        let mut best = plan.case().map_or(0.0, |case| case.error(isa));
        for _ in 0..if k % 64 == 0 { 400 } else { 0 } {
            let next = plan.jittered(&mut random);
            let error = next.case().map_or(0.0, |case| case.error(isa));
            if error > best {
                (plan, best) = (next, error);
            }
        }
        largest = if best > largest { best } else { largest };
    }
    largest
}

#[test]
fn no_pair_at_the_threshold_is_discarded_by_rounding() {
    for isa in Isa::list() {
        let error = largest_error(*isa, 1.0, 20_000);
        std::println!("{}: the largest error is {error:.3} of the slack", isa.name());
        assert!(error > 0.05 && error < 1.0, "{}: {error}", isa.name());
    }
}

#[test]
fn sizes_near_the_ends_of_single_precision_are_filtered_as_well() {
    for isa in Isa::list() {
        for exponent in [-126, -120, -110, -100, -80, -60, 40, 60, 64, 80, 100, 120] {
            let error = largest_error(*isa, libm::ldexp(1.0, exponent), 1000);
            assert!(error < 1.0, "{} 2^{exponent}: {error}", isa.name());
        }
    }
}
