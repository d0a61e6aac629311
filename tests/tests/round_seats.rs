//! Bodies in round seats: the curvature of their contacts, and damping that does not brake what only turns in its seat.

use dem_core::body::Body;
use dem_core::broad::Motion;
use dem_core::contact::regions::Grouping;
use dem_core::contact::shape::{Part, Placed, Request, Shape, shape_contacts, shape_scratch};
use dem_core::contact::{Contact, status};
use dem_core::exec::{Serial, Work};
use dem_core::force::{Damping, Interaction, Laws, Normal};
use dem_core::mesh::{MassProperties, mass_properties, mass_scratch};
use dem_core::pose::Pose;
use dem_core::simd::Isa;
use dem_core::world::{BodyDef, Setup};
use dem_std::{Memory, OwnedWorld, generate};
use dem_tests::Triangle;
use dem_tests::contact::{self, at, grown, soup};
use dem_tests::shapes::{ground, grouped, placed, sphere, surface};
use dem_tests::vector::{cross, dot, length, rotate, scale, sub};
use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, FRAC_PI_6, TAU};

const HALO: f64 = 0.01;

/// A part of a tube about the z axis, between two radii, two angles and `-half..half`. From 0 to a full turn it is the whole tube.
fn arc([inner, outer]: [f64; 2], [from, to]: [f64; 2], pieces: u32, half: f64) -> Vec<Triangle> {
    let corners = |i: u32| {
        let angle = from + (to - from) * f64::from(i) / f64::from(pieces);
        let angle = if to - from == TAU && i == pieces { from } else { angle };
        let on = |r: f64, z: f64| [r * angle.cos(), r * angle.sin(), z];
        [on(inner, -half), on(outer, -half), on(outer, half), on(inner, half)]
    };
    let quad = |all: &mut Vec<Triangle>, [a, b, c, d]: [[f64; 3]; 4]| all.extend([[a, b, c], [a, c, d]]);
    let mut all = Vec::new();
    for i in 0..pieces {
        let (p, q) = (corners(i), corners(i + 1));
        for k in 0..4 {
            let l = (k + 1) % 4;
            quad(&mut all, [p[k], q[k], q[l], p[l]]);
        }
    }
    if to - from < TAU {
        quad(&mut all, corners(0));
        let [a, b, c, d] = corners(pieces);
        quad(&mut all, [d, c, b, a]);
    }
    all
}

/// A shoe that covers this angle of a drum with radius 1, with a gap of `HALO` to it.
fn shoe(angle: f64) -> Vec<Triangle> {
    shoe_of(0.99, angle)
}

/// A shoe with this outer radius.
fn shoe_of(radius: f64, angle: f64) -> Vec<Triangle> {
    arc([0.8, radius], [-FRAC_PI_2 - 0.5 * angle, -FRAC_PI_2 + 0.5 * angle], 24, 0.15)
}

fn drum() -> Vec<Triangle> {
    arc([1.0, 1.2], [0.0, TAU], 96, 0.3)
}

fn contacts(a: &Placed<'_>, b: &Placed<'_>) -> Vec<Contact> {
    let find = |room, out: &mut [Contact], scratch: &mut [u8]| {
        let request = Request { grouping: Grouping::default(), spread: true, ..Request::new(7, room) };
        shape_contacts(Work::new(&Serial, Isa::best(), scratch), a, b, &request, out, None)
    };
    grown(|room| shape_scratch(a, b, room, 1), find).0
}

fn times([xx, yy, zz, xy, xz, yz]: [f64; 6], [x, y, z]: [f64; 3]) -> [f64; 3] {
    [xx * x + xy * y + xz * z, xy * x + yy * y + yz * z, xz * x + yz * y + zz * z]
}

#[test]
fn the_normal_turns_as_the_seat_does() {
    let turn = at([0.4, -0.3, 0.2], [0.3, -0.2, 0.5, 0.787_400_787_401_181]);
    let drum = contact::Body::conservative(&drum(), HALO);
    let drum = surface(&drum, true);
    for degrees in [10.0f64, 30.0, 60.0, 80.0] {
        let shoe = contact::Body::conservative(&shoe(degrees.to_radians()), HALO);
        let shoe = surface(&shoe, true);
        let (a, b) = (placed(Shape::Mesh(&shoe), &turn), placed(Shape::Mesh(&drum), &turn));
        let list = contacts(&a, &b);
        let [c] = &list[..] else { panic!("{degrees}: {list:?}") };
        let axis = rotate(turn.orientation, [0.0, 0.0, 1.0]);
        let along = cross(axis, c.normal);
        // The contact is at the centre of its pressure, inside the arc. A body that turns about the axis of the drum approaches it nowhere.
        let from_axis = length(sub(c.position, turn.position));
        let (arc, straight) = (dot(along, times(c.curvature, along)), times(c.curvature, axis));
        println!("{degrees}: {} {straight:?}", arc * from_axis);
        assert!((arc * from_axis + 1.0).abs() < 0.01, "{degrees}: {}", arc * from_axis);
        assert!(length(straight) < 0.01 && length(times(c.curvature, c.normal)) < 1e-12, "{degrees}: {straight:?}");
        // For the drum, the other body is outside.
        let other = contacts(&b, &a);
        let [d] = &other[..] else { panic!("{degrees}: {other:?}") };
        assert_eq!(d.curvature.map(|x| -x + 0.0), c.curvature, "{degrees}");
        let scaled = [1e-3, 1e3].map(|scale| {
            let pose = Pose { position: turn.position.map(|x| x * scale), ..turn };
            let at = |shape| Placed { shape, pose: &pose, scale };
            contacts(&at(Shape::Mesh(&shoe)), &at(Shape::Mesh(&drum)))[0].curvature.map(|x| x * scale)
        });
        for (x, y) in scaled.as_flattened().iter().zip(c.curvature.iter().cycle()) {
            assert!((x - y).abs() < 1e-6, "{degrees}: {scaled:?} {c:?}");
        }
    }
}

/// Where the surfaces penetrate, the enclosed part turns as the seat does, and its forces are still divided along the arc.
#[test]
fn a_seat_does_not_change_below_the_surface() {
    let turn = at([0.4, -0.3, 0.2], [0.3, -0.2, 0.5, 0.787_400_787_401_181]);
    let drum = contact::Body::conservative(&drum(), HALO);
    let drum = surface(&drum, true);
    for degrees in [10.0f64, 30.0, 60.0, 80.0] {
        let half = 0.5 * degrees.to_radians();
        for radius in [0.99, 0.9985, 1.0, 1.0005, 1.002, 1.01] {
            let body = contact::Body::conservative(&shoe_of(radius, 2.0 * half), HALO);
            let body = surface(&body, true);
            let (a, b) = (placed(Shape::Mesh(&body), &turn), placed(Shape::Mesh(&drum), &turn));
            let list = contacts(&a, &b);
            let [c] = &list[..] else { panic!("{degrees} {radius}: {list:?}") };
            let axis = rotate(turn.orientation, [0.0, 0.0, 1.0]);
            let along = cross(axis, c.normal);
            let from_axis = length(sub(c.position, turn.position));
            let arc = dot(along, times(c.curvature, along)) * from_axis;
            let straight = length(times(c.curvature, axis));
            let spread = |e: [f64; 3]| dot(e, times(c.spread, e));
            // Over the radius: its mean square about the axis, from the position and the second moments.
            let square = from_axis * from_axis + spread(along) + spread(c.normal);
            // Wedging and position of a uniform pressure.
            let told = [c.wedging * half.sin() / half, from_axis * half / half.sin()];
            println!("{degrees} {radius} {}: {arc} {straight} {square} {told:?}", c.least_gap / c.halo);
            assert_eq!(c.least_gap < 0.0, radius > 0.999, "{radius} {c:?}");
            // Ten degrees are less than three facets of the drum.
            let facets = if degrees > 10.0 { 0.02 } else { 0.06 };
            assert!((arc + 1.0).abs() < facets && straight < 1e-9, "{degrees} {radius}: {arc} {straight}");
            assert!((square - 1.0).abs() < 0.011, "{degrees} {radius}: {square}");
            assert!(told.iter().all(|x| (x - 1.0).abs() < 0.007), "{degrees} {radius}: {told:?}");
        }
    }
}

/// A bowl: the part of a sphere below 40 degrees from its lowest point, seen from inside.
fn bowl() -> Vec<Triangle> {
    let steps = 12;
    let on = |k: i32| {
        let angle = 40f64.to_radians() * f64::from(k) / f64::from(steps);
        [angle.sin(), -angle.cos()]
    };
    let outline: Vec<_> = (0..=steps).rev().map(on).collect();
    soup(&generate::turned_sheet(&outline, 40).unwrap())
}

#[test]
fn the_facets_of_a_ball_have_the_curvature_of_their_bowl() {
    let facets = soup(&generate::icosphere(4).unwrap()).iter().map(|t| t.map(|v| scale(0.99, v))).collect::<Vec<_>>();
    let [bowl, facets] = [bowl(), facets].map(|mesh| contact::Body::conservative(&mesh, HALO));
    let (bowl, facets) = (surface(&bowl, false), surface(&facets, true));
    let [a, b] = [Shape::Mesh(&facets), Shape::Mesh(&bowl)].map(|shape| placed(shape, &Pose::IDENTITY));
    let list = contacts(&a, &b);
    let [c] = &list[..] else { panic!("{list:?}") };
    for e in [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.6, 0.8, 0.0]] {
        let e = sub(e, scale(dot(e, c.normal), c.normal));
        let arc = dot(e, times(c.curvature, e)) / dot(e, e) * length(c.position);
        assert!((arc + 1.0).abs() < 0.01, "{arc} {c:?}");
    }
}

/// Nothing but friction turns a ball, however closely its bowl fits.
#[test]
fn a_smooth_ball_spins_on_in_a_bowl_that_fits() {
    let bowl = contact::Body::conservative(&bowl(), HALO);
    let bowl = surface(&bowl, false);
    let ball = Body::ball(0.99, 1000.0, [0.01, 0.0, 0.0]).unwrap();
    let spin = [1.0, 2.0, 3.0];
    let mut world = OwnedWorld::with_executor(Box::new(Serial));
    world.set_up(&Setup { gravity: [0.0, 0.0, -9.81], ..Setup::default() }).unwrap();
    world.add(&BodyDef::new(Body::fixed(Pose::IDENTITY), 0)).unwrap();
    let handle = world.add(&BodyDef::new(Body { angular_velocity: spin, ..ball }, 1)).unwrap();
    let table = [Interaction::new(Normal::Pressure, 1e5).damped(Damping::Dashpot, 0.3)];
    let shapes = [Shape::Mesh(&bowl), sphere(0.99, HALO)];
    world.advance(0.2, 2e-4, &shapes, &Laws::new(&table).unwrap()).unwrap();
    let after = world.view().unwrap().body(handle).unwrap();
    // The bowl bears it, and has damped it.
    let report = world.report().unwrap();
    assert!(report.contacts > 0 && report.damped > 0.0 && length(after.position) < 0.02, "{after:?} {report:?}");
    assert!(length(sub(after.angular_velocity, spin)) < 1e-9, "{after:?}");
}

/// A plate of this many squares along each side, between two surfaces over the square from -1 to 1.
fn plate(squares: u32, surfaces: impl Fn(f64, f64) -> [[f64; 3]; 2]) -> Vec<Triangle> {
    let at = |i: u32, k: u32| {
        let [x, y] = [i, k].map(|i| 2.0 * f64::from(i) / f64::from(squares) - 1.0);
        surfaces(x, y)
    };
    let mut all = Vec::new();
    let mut quad = |[a, b, c, d]: [[f64; 3]; 4]| all.extend([[a, b, c], [a, c, d]]);
    for i in 0..squares {
        for k in 0..squares {
            let [a, b, c, d] = [at(i, k), at(i + 1, k), at(i + 1, k + 1), at(i, k + 1)];
            quad([a[1], b[1], c[1], d[1]]);
            quad([d[0], c[0], b[0], a[0]]);
        }
        let (j, n) = (i + 1, squares);
        for [p, q] in [[at(i, 0), at(j, 0)], [at(n, i), at(n, j)], [at(j, n), at(i, n)], [at(0, j), at(0, i)]] {
            quad([p[0], q[0], q[1], p[1]]);
        }
    }
    all
}

/// Where fine surfaces fit into each other and penetrate, the least gap is that between them, not the size of the bodies, and nothing is thin.
#[test]
fn a_shell_is_as_deep_as_it_is_thick() {
    // A place on a ball or a saddle, and its normal upward.
    let ball = |x: f64, y: f64| {
        let (p, size) = ([0.6 * x, 0.6 * y, -1.0], (0.36 * (x * x + y * y) + 1.0).sqrt());
        (p.map(|p| 0.5 * p / size), p.map(|p| -p / size))
    };
    let saddle = |x: f64, y: f64| {
        let (x, y) = (0.25 * x, 0.25 * y);
        let n: [f64; 3] = [-1.8 * x, 1.4 * y, 1.0];
        ([x, y, 0.9 * x * x - 0.7 * y * y], scale(1.0 / length(n), n))
    };
    for name in ["ball", "saddle"] {
        let place = |x: f64, y: f64| if name == "ball" { ball(x, y) } else { saddle(x, y) };
        let above = plate(14, |x, y| {
            let p = place(x, y).0;
            [p, [p[0], p[1], p[2] + 0.25]]
        });
        for depth in [0.005, 0.02, 0.05, 0.2, 0.4] {
            let below = plate(23, |x, y| {
                let (p, n) = place(1.45 * x, 1.45 * y);
                let top = [0, 1, 2].map(|k| p[k] + 2.0 * HALO * depth * n[k]);
                [[top[0], top[1], top[2] - 0.25], top]
            });
            for conservative in [true, false] {
                let made = |mesh: &[Triangle]| match conservative {
                    true => contact::Body::conservative(mesh, HALO),
                    false => contact::Body::facing(mesh, HALO),
                };
                let (above, below) = (made(&above), made(&below));
                let [above, below] = [&above, &below].map(|body| surface(body, true));
                let (a, b) =
                    (placed(Shape::Mesh(&above), &Pose::IDENTITY), placed(Shape::Mesh(&below), &Pose::IDENTITY));
                let found = grouped(&a, &b, &Grouping::default());
                let least = found.iter().fold(f64::INFINITY, |least, c| least.min(c.least_gap)) / (-2.0 * HALO);
                let known = format!("{name} {depth} {conservative}: {least} {found:?}");
                // Facets are flat: they are nearer to each other than the surfaces, by up to a tenth of the halos.
                assert!(least > 0.95 * depth && least < depth + 0.1, "{known}");
                assert!(found.iter().all(|c| c.status & status::THIN == 0), "{known}");
            }
        }
    }
}

/// Where one of both surfaces is flat, a body that slides approaches it nowhere, whatever normals its own faces have.
#[test]
fn on_a_flat_face_the_normal_does_not_turn() {
    // The base of a body with bevels of 10 degrees, within the halo.
    let bevel = 0.05 * 10f64.to_radians().tan();
    let outline = [[0.0, 0.0], [0.3, 0.0], [0.35, bevel], [0.35, 0.4], [0.0, 0.4]];
    let body = contact::Body::conservative(&soup(&generate::turned(&outline, 12).unwrap()), HALO);
    let body = surface(&body, true);
    let wall = contact::Body::conservative(&dem_tests::walls::regular(6, 1.0), HALO);
    let wall = surface(&wall, false);
    for lean in [0.0, 0.003, 0.01] {
        let pose = at([0.0, 0.0, 0.008], [(0.5f64 * lean).sin(), 0.0, 0.0, (0.5f64 * lean).cos()]);
        for below in [ground(HALO), Shape::Mesh(&wall)] {
            let (a, b) = (placed(Shape::Mesh(&body), &pose), placed(below, &Pose::IDENTITY));
            // The base and some bevels, joined in one contact.
            let parts = grouped(&a, &b, &Grouping::PATCHES).len();
            let list = contacts(&a, &b);
            assert!(parts > 3 && list.len() == 1, "{lean}: {parts} {list:?}");
            assert!(list[0].curvature.iter().all(|x| x.abs() < 1e-9), "{lean}: {list:?}");
        }
    }
}

/// A world of a fixed or turning body and one in it, without friction.
struct Seated {
    world: OwnedWorld,
    seat: contact::Body,
    body: contact::Body,
    part: Pose,
    law: Interaction,
    handle: dem_core::world::Handle,
}

impl Seated {
    /// Both bodies in the same pose; the seat and the body have these spins about their axis z.
    fn new(
        seat: &[Triangle],
        body: &[Triangle],
        pose: Pose,
        spins: [f64; 2],
        (k, damping): (f64, (Damping, f64)),
    ) -> Self {
        let (seat, body) = (contact::Body::conservative(seat, HALO), contact::Body::conservative(body, HALO));
        let properties = properties(&body);
        let mut world = OwnedWorld::with_executor(Box::new(Serial));
        world.settings.energy = true;
        world.set_up(&Setup { gravity: [0.0, 0.0, -9.81], ..Setup::default() }).unwrap();
        let axis = rotate(pose.orientation, [0.0, 0.0, 1.0]);
        let fixed =
            Body { motion: Motion::Kinematic as u32, angular_velocity: scale(spins[0], axis), ..Body::fixed(pose) };
        world.add(&BodyDef::new(fixed, 0)).unwrap();
        let own = Body::new(&properties, &pose).unwrap();
        let velocity = cross(scale(spins[1], axis), sub(own.position, pose.position));
        let own = Body { velocity, angular_velocity: scale(spins[1], axis), ..own };
        let handle = world.add(&BodyDef::new(own, 1)).unwrap();
        let weight = 9.81 * properties.mass;
        let law = Interaction::new(Normal::Pressure, k * weight).damped(damping.0, damping.1);
        Seated { world, seat, body, part: properties.part_pose(), law, handle }
    }

    fn run(&mut self, time: f64, dt: f64) -> Body {
        let (seat, body) = (surface(&self.seat, false), surface(&self.body, true));
        let part = [Part { shape: Shape::Mesh(&body), pose: self.part, scale: 1.0 }];
        let shapes = [Shape::Mesh(&seat), Shape::Compound(&part)];
        let table = [self.law];
        self.world.advance(time, dt, &shapes, &Laws::new(&table).unwrap()).unwrap();
        self.world.view().unwrap().body(self.handle).unwrap()
    }
}

fn properties(body: &contact::Body) -> MassProperties {
    let mesh = body.shape.mesh().unwrap();
    mass_properties(mesh, 1000.0, &mut Memory::new(mass_scratch(&mesh.sizes).unwrap()).unwrap()).unwrap()
}

/// The axis z of the bodies along y, and their own -y downwards.
fn lying() -> Pose {
    Pose { orientation: [FRAC_PI_4.sin(), 0.0, 0.0, FRAC_PI_4.cos()], ..Pose::IDENTITY }
}

/// The angle by which a body that lies in a drum is ahead of its lowest point, with the sense of the drum's spin.
fn ahead(body: &Body) -> f64 {
    body.position[0].atan2(-body.position[2])
}

#[test]
fn a_turning_drum_does_not_carry_a_shoe_without_friction() {
    let dampings = [(Damping::Dashpot, 0.3), (Damping::HuntCrossley, 1.0)];
    // Within the halo, and pressed through it into the drum, by a fifth of it.
    for (damping, k) in dampings.into_iter().flat_map(|damping| [6.0, 2.65].map(|k| (damping, k))) {
        let mut seated = Seated::new(&drum(), &shoe(2.0 * FRAC_PI_6), lying(), [2.0, 0.0], (k, damping));
        let [mut mean, mut lost] = [0.0; 2];
        for _ in 0..60 {
            mean += ahead(&seated.run(0.01, 5e-4)) / 60.0;
            lost += seated.world.report().unwrap().damped;
        }
        println!("{damping:?} {k}: {mean} {lost}");
        // The deeper one falls into its place first.
        let most = if k > 3.0 { 1e-5 } else { 1e-4 };
        assert!(mean.abs() < most, "{damping:?} {k}: {mean}");
    }
}

/// Its energy is kept, too: the force of damping belongs to its torque.
#[test]
fn damping_takes_almost_nothing_of_a_shoe_that_swings_in_a_drum() {
    let about_axis = [0.0, 0.0, 0.15f64.sin(), 0.15f64.cos()];
    let pose = Pose { orientation: contact::after(lying().orientation, about_axis), ..Pose::IDENTITY };
    let mut seated = Seated::new(&drum(), &shoe(2.0 * FRAC_PI_6), pose, [0.0; 2], (6.0, (Damping::Dashpot, 0.3)));
    let (mut lost, mut fastest, mut balance) = (0.0, 0.0f64, Vec::new());
    for _ in 0..30 {
        seated.run(0.02, 2e-4);
        let report = seated.world.report().unwrap();
        lost += report.damped;
        fastest = fastest.max(report.totals.kinetic());
        balance.push(report.totals.kinetic() + report.potential + report.stored_normal + lost);
    }
    let off = balance.iter().map(|e| (e - balance[0]).abs()).fold(0.0, f64::max);
    println!("{lost} and {off} of {fastest}");
    assert!(lost < 3e-3 * fastest && off < 1e-3 * fastest, "{lost} and {off} of {fastest}");
}

#[test]
fn a_cone_spins_on_in_its_seat() {
    let outline = [[0.0, 0.2], [0.2, 0.2], [1.0, 1.0], [0.0, 1.0]];
    let below = HALO * std::f64::consts::SQRT_2;
    let seat = [[0.1, 0.1], [1.1, 1.1], [1.4, 1.1], [0.1, -0.2]].map(|[r, z]| [r, z - below]);
    let made = |outline: &[[f64; 2]]| soup(&generate::turned(outline, 32).unwrap());
    let mut seated =
        Seated::new(&made(&seat), &made(&outline), Pose::IDENTITY, [0.0, 2.0], (0.66, (Damping::Dashpot, 0.1)));
    let end = seated.run(0.2, 2e-4);
    println!("{:?}", end.angular_velocity);
    assert!((end.angular_velocity[2] / 2.0 - 1.0).abs() < 5e-3, "{:?}", end.angular_velocity);
}

/// Friction of a uniform pressure in a drum, before the body has moved: everywhere along the arc where the drum turns, everywhere along the axis where
/// it moves along that.
#[test]
fn friction_acts_along_the_arc_or_along_the_axis() {
    let (friction, speed, dt) = (0.3, 20.0, 2e-4);
    // Within the halo, and a tenth of it below the surface.
    for (degrees, radius) in [10.0f64, 36.0, 60.0, 72.0, 85.0].into_iter().flat_map(|x| [(x, 0.99), (x, 1.002)]) {
        let angle = degrees.to_radians();
        let [along_arc, along_axis] = [true, false].map(|turns| {
            let spin = if turns { speed } else { 0.0 };
            let mut seated = Seated::new(
                &drum(),
                &shoe_of(radius, angle),
                lying(),
                [spin, 0.0],
                (6.0, (Damping::HuntCrossley, 0.0)),
            );
            seated.law = seated.law.rough(friction, 0.8);
            if !turns {
                let drum = seated.world.view().unwrap().handle(0).unwrap();
                let moving = seated.world.view().unwrap().body(drum).unwrap();
                seated.world.set_body(drum, &Body { velocity: [0.0, -speed, 0.0], ..moving }).unwrap();
            }
            let before = seated.run(3.0 * dt, dt);
            let after = seated.run(dt, dt);
            let report = seated.world.report().unwrap();
            let force = scale(after.mass / dt, sub(after.velocity, before.velocity));
            let normal = force[2] + 9.81 * after.mass;
            // Sum of the pressures: their resultant over the mean cosine.
            let pressure = normal * 0.5 * angle / (0.5 * angle).sin();
            let aside = if turns { force[0] } else { -force[1] };
            [report.driven_work / (speed * dt) / (friction * pressure), aside / (friction * normal)]
        });
        let longer = 0.5 * angle / (0.5 * angle).sin();
        println!("{degrees} {radius}: {along_arc:?} {along_axis:?} {longer}");
        let middle = 0.5 * (1.0 + radius);
        // Along the arc: the torque of all pressure at the radius, which is between those of both bodies, and the resultant along the chord.
        assert!((along_arc[0] / middle - 1.0).abs() < 0.005, "{degrees}: {along_arc:?}");
        assert!((along_arc[1] - 1.0).abs() < if radius < 1.0 { 0.005 } else { 0.01 }, "{degrees}: {along_arc:?}");
        assert!((along_axis[0] - 1.0).abs() < 0.005 && (along_axis[1] / longer - 1.0).abs() < 0.005, "{along_axis:?}");
    }
}
