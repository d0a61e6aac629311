//! A block and a ball on an incline, against closed forms: they stay, slide, stop and roll as on a plane, however it is cut into
//! triangles.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use dem_core::contact::regions::{Grouping, Mode};
use dem_core::contact::shape::{Shape, Surface};
use dem_core::pose::Pose;
use dem_std::generate;
use dem_tests::cases;
use dem_tests::contact::{Body, at, carried, cuboid, soup};
use dem_tests::data;
use dem_tests::motion::{Law, Motion};
use dem_tests::shapes::{ground, sphere, surface};
use dem_tests::vector::{dot, length, rotate, scale, sub};
use dem_tests::{Triangle, walls};

/// Of each body.
const HALO: f64 = 1e-4;
const GRAVITY: f64 = 9.81;
/// A flat block, so that it does not tip over.
const EDGES: [f64; 3] = [1.0, 0.8, 0.2];
/// Somewhere, turned somehow.
const PLACE: Pose = Pose { position: [3.0, -2.0, 5.0], orientation: [0.3, -0.2, 0.5, 0.787_400_787_401_181_1] };

/// A case of the reference.
struct Incline {
    /// In the wall's frame: x is down the slope, z away from it.
    gravity: [f64; 3],
    mu: f64,
    reference: serde_json::Value,
}

fn incline(case: usize) -> Incline {
    let reference = data::json("physics/physics.json")["incline"]["cases"][case].clone();
    let theta = reference["theta_deg"].as_f64().unwrap().to_radians();
    let (down, across) = (GRAVITY * theta.sin(), -GRAVITY * theta.cos());
    Incline { gravity: [down, 0.0, across], mu: reference["mu"].as_f64().unwrap(), reference }
}

/// A block in equilibrium across the wall, at rest along it; mass 1.
fn block<'m>(body: &'m Surface<'m>, wall: Shape<'m>, incline: &Incline, dt: f64) -> Motion<'m> {
    let (area, halo) = (EDGES[0] * EDGES[1], 2.0 * HALO);
    let weight = -incline.gravity[2];
    // Half of the halo is pressed in.
    let k = 2.0 * weight / area;
    let across = (k * area / halo).sqrt();
    // The tangential spring is stiffer, as far as the time step lets it be.
    let along = 0.3 / dt;
    let k_t = along * along / (0.5 * area);
    let law = Law { k, k_t, c: 0.5 * across / (0.5 * area), c_t: 0.5 * along / (0.5 * area), mu: incline.mu };
    let height = EDGES[2] / 2.0 + 0.5 * halo;
    let local = at([-1.0, 0.1, height], [0.0, 0.0, 0.1, 0.99]);
    let pose = carried(&PLACE, &local);
    let mut motion = Motion::new(Shape::Mesh(body), pose, wall, PLACE, law);
    let square = |k: usize| EDGES[k] * EDGES[k] / 12.0;
    motion.inertia = [square(1) + square(2), square(0) + square(2), square(0) + square(1)];
    motion.gravity = rotate(PLACE.orientation, incline.gravity);
    motion
}

/// Down the slope, in the wall's frame.
fn down(motion: &Motion<'_>) -> f64 {
    dot(sub(motion.pose.position, PLACE.position), rotate(PLACE.orientation, [1.0, 0.0, 0.0]))
}

/// A number of the reference.
fn known(incline: &Incline, name: &str) -> f64 {
    incline.reference[name].as_f64().unwrap()
}

fn the_block() -> Body {
    Body::new(&cuboid(EDGES), HALO)
}

/// Walls of the same plane.
fn same_walls() -> Vec<(&'static str, Vec<Triangle>)> {
    vec![
        ("2 triangles", walls::regular(1, 3.0)),
        ("200", walls::regular(10, 3.0)),
        ("10,082", walls::regular(71, 3.0)),
        ("200, T-junctions and needles", walls::irregular(200, 3.0, 1)),
        ("10,000, T-junctions and needles", walls::irregular(10_000, 3.0, 1)),
    ]
}

#[test]
fn a_block_slides_the_same_on_every_wall() {
    let (body, incline, dt) = (the_block(), incline(2), 1e-3);
    let mut first: Option<(Pose, [f64; 3])> = None;
    let solid = surface(&body, true);
    let walls: Vec<_> = same_walls().into_iter().map(|(name, soup)| (name, Body::new(&soup, HALO))).collect();
    let planes: Vec<_> = walls.iter().map(|(name, wall)| (*name, surface(wall, false))).collect();
    let all = planes.iter().map(|(name, plane)| (*name, Shape::Mesh(plane)));
    for (name, wall) in all.chain([("half-space", ground(HALO))]) {
        let mut m = block(&solid, wall, &incline, dt);
        let start = down(&m);
        for i in 0..1000 {
            let step = m.step(dt);
            assert!(i < 50 || (step.begun == 0 && step.mobilised > 0.999_999), "{name}, step {i}: {step:?}");
        }
        assert!(down(&m) - start > 0.5, "{name}");
        let (pose, velocity) = *first.get_or_insert((m.pose, m.velocity));
        let off = |x: &[f64], y: &[f64]| x.iter().zip(y).fold(0.0, |m: f64, (x, y)| m.max((x - y).abs()));
        assert!(off(&m.pose.position, &pose.position) < 1e-10, "{name}");
        assert!(off(&m.pose.orientation, &pose.orientation) < 1e-10, "{name}");
        assert!(off(&m.velocity, &velocity) < 1e-10, "{name}");
    }
}

/// Where the wall was turned, moved and rounded to f32: there are thousands of edges that stand out by a rounding, and nothing is felt of them.
#[test]
fn a_block_slides_over_rounded_triangles_as_on_a_plane() {
    let (body, incline, dt) = (the_block(), incline(2), 1e-3);
    let solid = surface(&body, true);
    for soup in [walls::regular(1, 3.0), walls::regular(71, 3.0), walls::irregular(10_000, 3.0, 1)] {
        let rounded = walls::rounded(&soup, PLACE.orientation, PLACE.position);
        let (wall, exact) = (Body::new(&rounded, HALO), Body::new(&soup, HALO));
        let (plane, exact) = (surface(&wall, false), surface(&exact, false));
        let mut m = block(&solid, Shape::Mesh(&plane), &incline, dt);
        m.wall_pose = Pose::IDENTITY;
        let mut on = block(&solid, Shape::Mesh(&exact), &incline, dt);
        for i in 0..1000 {
            let step = m.step(dt);
            assert!(i < 50 || (step.begun == 0 && step.mobilised > 0.999_999), "{} triangles, step {i}", soup.len());
            on.step(dt);
        }
        // Roundings of 2e-7 tilt a wall of two triangles as a whole; springs, lengths and times are of the order of 1.
        assert!(length(sub(m.pose.position, on.pose.position)) < 2e-5, "{} triangles", soup.len());
        assert!(length(sub(m.velocity, on.velocity)) < 2e-5, "{} triangles", soup.len());
        assert!(m.pose.orientation.iter().zip(on.pose.orientation).all(|(x, y)| (x - y).abs() < 1e-6));
    }
}

#[test]
fn a_block_that_friction_holds_stays_on_every_wall() {
    let (body, incline, dt) = (the_block(), incline(1), 1e-3);
    let solid = surface(&body, true);
    let walls: Vec<_> = same_walls().into_iter().map(|(name, soup)| (name, Body::new(&soup, HALO))).collect();
    let planes: Vec<_> = walls.iter().map(|(name, wall)| (*name, surface(wall, false))).collect();
    let all = planes.iter().map(|(name, plane)| (*name, Shape::Mesh(plane)));
    for (name, wall) in all.chain([("half-space", ground(HALO))]) {
        let mut m = block(&solid, wall, &incline, dt);
        (0..1500).for_each(|_| _ = m.step(dt));
        let rest = m.pose;
        let mut step = m.step(dt);
        (1..500).for_each(|_| step = m.step(dt));
        let moved = length(sub(m.pose.position, rest.position));
        let held = -dot(step.force, rotate(PLACE.orientation, [1.0, 0.0, 0.0]));
        let expected = known(&incline, "friction_force_per_mass");
        assert!(moved < 1e-12, "{name}: {moved:e}");
        assert!((held - expected).abs() < 1e-9 * expected, "{name}: {held}");
        // On the edge of sliding.
        assert!(step.mobilised > 0.98 && step.begun == 0, "{name}: {step:?}");
    }
}

#[test]
fn a_block_slides_as_friction_lets_it() {
    let (body, wall, incline, dt) = (the_block(), Body::new(&walls::regular(10, 3.0), HALO), incline(2), 1e-3);
    let (solid, plane) = (surface(&body, true), surface(&wall, false));
    let mut m = block(&solid, Shape::Mesh(&plane), &incline, dt);
    // Until springs are stretched.
    (0..100).for_each(|_| _ = m.step(dt));
    let (x, v) = (down(&m), down_speed(&m));
    (0..1000).for_each(|_| _ = m.step(dt));
    let expected = v + 0.5 * known(&incline, "block_accel_while_sliding_down");
    let went = down(&m) - x;
    assert!((went - expected).abs() < 2e-3 * expected, "{went} {expected}");
}

/// Velocity down the slope.
fn down_speed(motion: &Motion<'_>) -> f64 {
    dot(motion.velocity, rotate(PLACE.orientation, [1.0, 0.0, 0.0]))
}

#[test]
fn a_block_that_friction_holds_does_not_creep() {
    let body = the_block();
    // By far, and on the edge of sliding.
    for (case, soup) in [(0, walls::regular(1, 3.0)), (1, walls::irregular(60, 3.0, 1))] {
        let (wall, incline, dt) = (Body::new(&soup, HALO), incline(case), 1e-3);
        let (solid, plane) = (surface(&body, true), surface(&wall, false));
        let mut m = block(&solid, Shape::Mesh(&plane), &incline, dt);
        let start = down(&m);
        (0..2000).for_each(|_| _ = m.step(dt));
        assert!(down(&m) - start < 2e-3);
        let rest = m.pose;
        let mut step = m.step(dt);
        let steps = cases(20_000, 100_000);
        (1..steps).for_each(|_| step = m.step(dt));
        let moved = sub(m.pose.position, rest.position).iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        assert!(moved < 1e-12, "case {case}: {moved:e} in {steps} steps");
        let held = -dot(step.force, rotate(PLACE.orientation, [1.0, 0.0, 0.0]));
        let expected = known(&incline, "friction_force_per_mass");
        assert!((held - expected).abs() < 1e-9 * expected, "case {case}: {held}");
    }
}

#[test]
fn a_block_that_slides_stops_where_friction_stops_it() {
    let (body, wall, incline, dt) = (the_block(), Body::new(&walls::irregular(200, 3.0, 2), HALO), incline(0), 1e-5);
    let (solid, plane) = (surface(&body, true), surface(&wall, false));
    let mut m = block(&solid, Shape::Mesh(&plane), &incline, dt);
    // Springs stretched already, as if it had slid before.
    m.step(dt);
    let slope = rotate(PLACE.orientation, [1.0, 0.0, 0.0]);
    let longest = m.law.mu * m.law.k / m.law.k_t;
    m.springs.iter_mut().for_each(|spring| *spring = scale(longest, slope));
    m.velocity = scale(0.1, slope);
    let start = down(&m);
    let mut steps = 0;
    while down_speed(&m) > 1e-4 {
        m.step(dt);
        steps += 1;
        assert!(steps < 10_000);
    }
    let (time, way) = (known(&incline, "stop_time_from_0p1"), known(&incline, "stop_dist_from_0p1"));
    assert!((f64::from(steps) * dt - time).abs() < 0.01 * time, "{}", f64::from(steps) * dt);
    assert!((down(&m) - start - way).abs() < 0.01 * way, "{}", down(&m) - start);
}

/// Faces of a hill of this radius (a hollow where it is negative), in strips of 0.25: every strip is a patch.
fn hill(radius: f64) -> Vec<Triangle> {
    let at = |i: i32, y: f64| [0.25 * f64::from(i), y, -(0.25 * f64::from(i)).powi(2) / (2.0 * radius)];
    let strip = |i: i32| {
        let [a, b, c, d] = [at(i, -3.0), at(i + 1, -3.0), at(i + 1, 3.0), at(i, 3.0)];
        [[a, b, c], [a, c, d]]
    };
    (-12..12).flat_map(strip).collect()
}

#[test]
fn friction_is_whole_where_a_block_slides_across_the_borders_of_patches() {
    let (body, incline, dt) = (the_block(), incline(2), 1e-3);
    for radius in [10_000.0, -10_000.0] {
        let wall = Body::new(&hill(radius), HALO);
        let (solid, plane) = (surface(&body, true), surface(&wall, false));
        let mut m = block(&solid, Shape::Mesh(&plane), &incline, dt);
        // The hollow is as much higher where the block ends.
        let up = if radius < 0.0 { 3e-5 } else { 0.0 };
        m.pose.position = carried(&PLACE, &at([-0.6, 0.1, 0.1 + HALO + up], [0.0, 0.0, 0.1, 0.99])).position;
        (0..100).for_each(|_| _ = m.step(dt));
        let (x, v, mut begun) = (down(&m), down_speed(&m), 0);
        for i in 0..1000 {
            let step = m.step(dt);
            begun += step.begun;
            assert!(step.mobilised > 0.999_9, "{radius}, step {i}: {step:?}");
        }
        assert!(begun >= 2, "the block crosses no border: {begun}");
        let (expected, went) = (v + 0.5 * known(&incline, "block_accel_while_sliding_down"), down(&m) - x);
        // The slope changes by 1e-4 on the way.
        assert!((went - expected).abs() < 0.01 * expected, "{radius}: {went} {expected}");
    }
}

/// A ball on the incline, pressed in by half of the halo. `along` is the frequency of its tangential springs.
fn ball<'m>(shape: Shape<'m>, wall: Shape<'m>, (radius, halo): (f64, f64), along: f64) -> Motion<'m> {
    let incline = incline(0);
    let weight = -incline.gravity[2];
    // k w carries the weight, with w = pi radius 2 halo / 4.
    let w = std::f64::consts::PI * radius * 2.0 * halo / 4.0;
    let law = Law { k: weight / w, k_t: along * along / w, c: 0.0, c_t: 0.2 * along / w, mu: incline.mu };
    let local = at([-2.0, 0.1, radius + halo], [0.1, 0.2, 0.3, 0.927_361_849_549_570_3]);
    let mut m = Motion::new(shape, carried(&PLACE, &local), wall, PLACE, law);
    m.inertia = [0.4 * radius * radius; 3];
    m.gravity = rotate(PLACE.orientation, incline.gravity);
    m
}

/// How far a ball of 1,280 triangles rolls in half a second, over what it should. Springs may be soft: slower than the time that
/// a facet takes.
fn rolled(along: f64, beside: bool, grouping: Grouping) -> f64 {
    let (halo, radius, dt) = (0.01, 0.5, 2e-4);
    let facets: Vec<Triangle> =
        soup(&generate::icosphere(3).unwrap()).iter().map(|t| t.map(|v| scale(radius, v))).collect();
    let (body, wall) = (Body::new(&facets, halo), Body::new(&walls::regular(1, 3.0), halo));
    let (solid, plane) = (surface(&body, true), surface(&wall, false));
    let mut m = ball(Shape::Mesh(&solid), Shape::Mesh(&plane), (radius, halo), along);
    m.beside = beside;
    m.grouping = grouping;
    // Less what the facets cut off.
    m.inertia = m.inertia.map(|x| 0.98 * x);
    let start = down(&m);
    let mut begun = 0;
    for _ in 0..2500 {
        begun += m.step(dt).begun;
    }
    match grouping.mode {
        Mode::Patches => assert!(begun > 50, "every facet is a patch: {begun}"),
        _ => assert_eq!(begun, 1, "facet after facet touches the wall in one place"),
    }
    (down(&m) - start) / (0.125 * known(&incline(0), "sphere_accel"))
}

#[test]
fn a_round_ball_rolls_the_same_on_every_wall_with_one_contact() {
    let (radius, dt) = (0.5, 2e-4);
    let walls: Vec<_> = same_walls().into_iter().map(|(name, soup)| (name, Body::new(&soup, HALO))).collect();
    let planes: Vec<_> = walls.iter().map(|(name, wall)| (*name, surface(wall, false))).collect();
    let all = planes.iter().map(|(name, plane)| (*name, Shape::Mesh(plane)));
    let mut first: Option<(Pose, [f64; 3])> = None;
    for (name, wall) in all.chain([("half-space", ground(HALO))]) {
        let mut m = ball(sphere(radius, HALO), wall, (radius, HALO), 500.0);
        let start = down(&m);
        for i in 0..2500 {
            let step = m.step(dt);
            assert!(m.contacts.len() == 1 && (i == 0 || step.begun == 0), "{name}, step {i}: {step:?}");
        }
        let rolled = (down(&m) - start) / (0.125 * known(&incline(0), "sphere_accel"));
        assert!((rolled - 1.0).abs() < 2e-3, "{name}: {rolled}");
        let (pose, velocity) = *first.get_or_insert((m.pose, m.velocity));
        let off = |x: [f64; 3], y: [f64; 3]| length(sub(x, y));
        assert!(off(m.pose.position, pose.position) < 1e-9, "{name}");
        assert!(off(m.velocity, velocity) < 1e-9, "{name}");
    }
}

#[test]
fn a_ball_with_facets_rolls_like_a_ball() {
    for grouping in [Grouping::PATCHES, Grouping::default()] {
        assert!((rolled(500.0, true, grouping) - 1.0).abs() < 0.01);
    }
}

#[test]
fn soft_springs_follow_a_ball_from_facet_to_facet() {
    // Without those of the contacts beside, friction sags wherever a facet comes down.
    let soft = |beside: bool, grouping: Grouping| rolled(8.0, beside, grouping) - 1.0;
    let (with, without) = (soft(true, Grouping::PATCHES), soft(false, Grouping::PATCHES));
    let region = soft(false, Grouping::default());
    assert!(0.0 < with && with < 0.5 * without && region < 0.5 * without, "{with} {without} {region}");
}
