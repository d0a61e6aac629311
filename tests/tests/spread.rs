//! Where the pressure of a contact is: torsion, tilt and cohesion by second moments and centroids, and capsules by the law of Hertz.

use dem_core::body::Body;
use dem_core::contact::Contact;
use dem_core::contact::regions::Grouping;
use dem_core::contact::shape::{Placed, Request, Shape, shape_contacts, shape_scratch};
use dem_core::exec::{Serial, Work};
use dem_core::force::{Cohesion, Damping, Energies, Interaction, Laws, Normal, resting_gap};
use dem_core::pose::Pose;
use dem_core::simd::Isa;
use dem_core::world::{BodyDef, Handle, Setup};
use dem_std::{OwnedWorld, generate};
use dem_tests::Triangle;
use dem_tests::cases;
use dem_tests::contact::{self, at, cuboid, deep_bodies, ell, grown, near_bodies, soup};
use dem_tests::deep::turn;
use dem_tests::random::Random;
use dem_tests::shapes::{capsule, ground, grouped, placed, sphere, surface};
use dem_tests::vector::{add, dot, length, rotate, scale, sub};
use dem_tests::walls::{self, quartered};
use std::f64::consts::{FRAC_1_SQRT_2, FRAC_PI_2, PI, TAU};

const ABOUT: [f64; 4] = [0.3, -0.2, 0.5, 0.787_400_787_401_181];

fn world(gravity: [f64; 3], members: &[BodyDef]) -> (OwnedWorld, Vec<Handle>) {
    let mut world = OwnedWorld::with_executor(Box::new(Serial));
    world.set_up(&Setup { gravity, ..Setup::default() }).unwrap();
    let handles = members.iter().map(|member| world.add(member).unwrap()).collect();
    (world, handles)
}

fn body(world: &OwnedWorld, handle: Handle) -> Body {
    world.view().unwrap().body(handle).unwrap()
}

/// Contacts with second moments.
fn spreads(a: &Placed<'_>, b: &Placed<'_>, grouping: Grouping) -> Vec<Contact> {
    let find = |room, out: &mut [Contact], scratch: &mut [u8]| {
        let request = Request { grouping, spread: true, ..Request::new(7, room) };
        shape_contacts(Work::new(&Serial, Isa::best(), scratch), a, b, &request, out, None)
    };
    grown(|room| shape_scratch(a, b, room, 1), find).0
}

/// A prism about the z axis, .4 high: the walls of a polygon with holes in it, each ring of corners in its direction, with triangles of the face above.
fn prism(rings: &[Vec<[f64; 2]>], faces: &[[[f64; 2]; 3]]) -> Vec<Triangle> {
    let at = |[x, y]: [f64; 2], z: f64| [x, y, z];
    let mut all = Vec::new();
    for [a, b, c] in faces {
        all.push([at(*a, 0.2), at(*b, 0.2), at(*c, 0.2)]);
        all.push([at(*a, -0.2), at(*c, -0.2), at(*b, -0.2)]);
    }
    for ring in rings {
        for (i, p) in ring.iter().enumerate() {
            let q = ring[(i + 1) % ring.len()];
            all.push([at(*p, -0.2), at(q, -0.2), at(q, 0.2)]);
            all.push([at(*p, -0.2), at(q, 0.2), at(*p, 0.2)]);
        }
    }
    all
}

fn circle(radius: f64, n: u32) -> Vec<[f64; 2]> {
    (0..n).map(|i| f64::from(i) * TAU / f64::from(n)).map(|a| [radius * a.cos(), radius * a.sin()]).collect()
}

/// A tube with these radii.
fn tube(inner: f64, outer: f64, n: u32) -> Vec<Triangle> {
    let (small, large) = (circle(inner, n), circle(outer, n));
    let faces: Vec<_> = (0..n as usize)
        .flat_map(|i| {
            let k = (i + 1) % n as usize;
            [[small[i], large[i], large[k]], [small[i], large[k], small[k]]]
        })
        .collect();
    prism(&[large, small.into_iter().rev().collect()], &faces)
}

fn disc(radius: f64, n: u32) -> Vec<Triangle> {
    let ring = circle(radius, n);
    let faces: Vec<_> = (0..n as usize).map(|i| [[0.0; 2], ring[i], ring[(i + 1) % n as usize]]).collect();
    prism(&[ring], &faces)
}

fn moved(mesh: &[Triangle], by: [f64; 3]) -> Vec<Triangle> {
    mesh.iter().map(|t| t.map(|v| add(v, by))).collect()
}

/// Two feet of 1 by 1, whose middles are 6 apart.
fn feet() -> Vec<Triangle> {
    let foot = cuboid([1.0, 1.0, 0.4]);
    [moved(&foot, [-3.0, 0.0, 0.0]), moved(&foot, [3.0, 0.0, 0.0])].concat()
}

/// What a face is, with its area, mean square of the distance from its middle along x and y, and mean distance.
type Face = (&'static str, Vec<Triangle>, f64, [f64; 2], f64);

fn faces() -> Vec<Face> {
    let ring = |r: f64, s: f64| (s.powi(4) - r.powi(4)) / (s * s - r * r) / 4.0;
    let of_ring = |r: f64, s: f64| 2.0 / 3.0 * (s.powi(3) - r.powi(3)) / (s * s - r * r);
    vec![
        ("square", cuboid([1.0, 1.0, 0.4]), 1.0, [1.0 / 12.0; 2], 0.3826),
        ("disc", disc(0.5, 64), 0.25 * PI, [1.0 / 16.0; 2], 1.0 / 3.0),
        ("plank", cuboid([1.0, 0.05, 0.4]), 0.05, [1.0 / 12.0, 0.0025 / 12.0], 0.2507),
        ("ring", tube(0.45, 0.5, 64), PI * 0.0475, [ring(0.45, 0.5); 2], of_ring(0.45, 0.5)),
        ("feet", feet(), 2.0, [9.0 + 1.0 / 12.0, 1.0 / 12.0], 3.014),
    ]
}

#[test]
fn records_tell_second_moments() {
    let halo = 5e-4;
    for (name, mesh, area, [x, y], _) in faces() {
        for conservative in [false, true] {
            let made = |mesh: &[Triangle]| match conservative {
                true => contact::Body::conservative(mesh, halo),
                false => contact::Body::facing(mesh, halo),
            };
            // The mesh is off the origin of its frame, as one that is not about its centre of mass.
            let off = [13.0, -7.0, 5.0];
            let own = made(&moved(&mesh, off));
            let wall = made(&walls::irregular(300, 5.0, 3));
            let (own, wall) = (surface(&own, true), surface(&wall, false));
            for below in [ground(halo), Shape::Mesh(&wall)] {
                let at = add([0.3, 0.2, 0.2 + halo], scale(-1.0, off));
                let pose = Pose { position: rotate(ABOUT, at), orientation: ABOUT };
                let floor = Pose { orientation: ABOUT, ..Pose::IDENTITY };
                let list = spreads(&placed(Shape::Mesh(&own), &pose), &placed(below, &floor), Grouping::BODIES);
                let [c] = list[..] else { panic!("{name}: {list:?}") };
                let [xx, yy, zz, xy, xz, yz] = c.spread;
                let along = |v: [f64; 3]| {
                    let v = rotate(ABOUT, v);
                    let own = [
                        xx * v[0] + xy * v[1] + xz * v[2],
                        xy * v[0] + yy * v[1] + yz * v[2],
                        xz * v[0] + yz * v[1] + zz * v[2],
                    ];
                    dot(v, own)
                };
                let got = [along([1.0, 0.0, 0.0]), along([0.0, 1.0, 0.0]), along([0.0, 0.0, 1.0])];
                let close = |a: f64, b: f64| (a / b - 1.0).abs() < 0.08;
                assert!(
                    close(got[0], x) && close(got[1], y) && got[2].abs() < 1e-6,
                    "{name} {conservative}: {got:?} {x} {y}"
                );
                assert!((c.area / area - 1.0).abs() < 0.1 && length(c.offset) < 2e-3, "{name} {conservative}: {c:?}");
                assert!((c.wedging - 1.0).abs() < 1e-9, "{name}: {c:?}");
            }
        }
    }
}

/// Bodies that spin on a face, on a plane and on a wall of many bad triangles, turned in space: what torsion slows them down by.
#[test]
fn torsion_has_the_arm_of_its_face() {
    let halo = 1e-3;
    for (name, mesh, area, _, arm) in faces() {
        let own = contact::Body::conservative(&mesh, halo);
        let wall = contact::Body::conservative(&walls::irregular(300, 5.0, 3), halo);
        let (own, wall) = (surface(&own, true), surface(&wall, false));
        // On a wall one convex face, and one of several parts.
        let few = if matches!(name, "square" | "feet") { 2 } else { 1 };
        let grounds = [(ground(halo), 1e-4), (Shape::Mesh(&wall), 1e-4), (ground(halo), 5e-5)];
        for (below, dt) in grounds.into_iter().take(cases(few, 3)) {
            let shapes = [below, Shape::Mesh(&own)];
            let (mass, mu, about) = (400.0 * area, 0.4, 400.0 * area * 0.5);
            let laws = [Interaction::new(Normal::Pressure, 1e6).damped(Damping::Dashpot, 0.3).rough(mu, 0.8)];
            let laws = Laws::new(&laws).unwrap();
            let rest = resting_gap(10.0 * mass, area, 1e6, 2.0 * halo);
            let spinning = Body {
                mass,
                moments: [0.6 * about, 0.6 * about, about],
                orientation: ABOUT,
                angular_velocity: rotate(ABOUT, [0.0, 0.0, 10.0]),
                ..Body::ball(1.0, 1.0, rotate(ABOUT, [0.0, 0.0, 0.2 + rest])).unwrap()
            };
            let floor = Body { orientation: ABOUT, ..Body::fixed(Pose::IDENTITY) };
            let members = [BodyDef::new(floor, 0), BodyDef::new(spinning, 1)];
            let (mut world, handles) = world(rotate(ABOUT, [0.0, 0.0, -10.0]), &members);
            world.settings.grouping = Grouping::BODIES;
            world.advance(0.1, dt, &shapes, &laws).unwrap();
            let slowed = (10.0 - length(body(&world, handles[1]).angular_velocity)) / 0.1;
            let expected = mu * mass * 10.0 * arm / about;
            println!("{name} {dt}: {:.4}", slowed / expected);
            assert!((slowed / expected - 1.0).abs() < 0.04, "{name} {dt}: {slowed} {expected}");
        }
    }
}

/// A floor, and a body above it that turns and slides: so heavy that nothing changes how it moves.
fn turning(halo: f64) -> (OwnedWorld, Vec<Handle>) {
    let turning = Body {
        orientation: ABOUT,
        velocity: rotate(ABOUT, [0.02, 0.01, 0.0]),
        angular_velocity: rotate(ABOUT, [0.0, 0.0, 0.01]),
        ..Body::ball(1.0, 1e12, rotate(ABOUT, [0.0, 0.0, 0.2 + halo])).unwrap()
    };
    let floor = Body { orientation: ABOUT, ..Body::fixed(Pose::IDENTITY) };
    world([0.0; 3], &[BodyDef::new(floor, 0), BodyDef::new(turning, 1)])
}

/// Two feet that turn about the axis between them have springs in opposite directions. When both become one contact, the mean of these
/// springs is zero, and torsion has their moment. When the contact splits again, both feet have it as slip.
#[test]
fn feet_that_join_and_split_keep_the_moment_of_their_springs() {
    let halo = 1e-3;
    let own = contact::Body::conservative(&feet(), halo);
    let own = surface(&own, true);
    let shapes = [ground(halo), Shape::Mesh(&own)];
    for torsion in [1.0, 0.25] {
        let law =
            Interaction { torsion, lag: 0.0, ..Interaction::new(Normal::Pressure, 1e6).rough(f64::INFINITY, 0.8) };
        let table = [law];
        let laws = Laws::new(&table).unwrap();
        let (mut world, handles) = turning(halo);
        let up = rotate(ABOUT, [0.0, 0.0, 1.0]);
        // Force across the normal and torque about it, over the steps that the springs have grown for.
        let mut step = |grouping: Grouping, contacts: usize| {
            world.settings.grouping = grouping;
            world.advance(1e-4, 1e-4, &shapes, &laws).unwrap();
            let (report, view) = (world.report().unwrap(), world.view().unwrap());
            assert_eq!(report.contacts, contacts);
            let (wrench, grown) = (view.wrenches()[handles[1].slot as usize], view.steps() as f64);
            let across = length(add(wrench.force, scale(-dot(wrench.force, up), up)));
            let stored: f64 = view.springs().iter().map(|own| Energies::of(own).tangential).sum();
            [across / grown, dot(wrench.torque, up) / grown, stored / (grown * grown)]
        };
        let [force, torque, energy] = (0..40).map(|_| step(Grouping::default(), 2)).last().unwrap();
        for k in 0..40 {
            let [f, t, _] = step(Grouping::BODIES, 1);
            assert!((f / force - 1.0).abs() < 1e-6, "{torsion} {k}: {f} {force}");
            // By weaker torsion they keep what one contact of their size would have.
            let kept = torsion * (9.0 + 1.0 / 6.0) / (9.0 + torsion / 6.0);
            assert!((t / torque / kept - 1.0).abs() < 1e-4, "{torsion} {k}: {t} {torque}");
        }
        for k in 0..40 {
            let [f, t, e] = step(Grouping::default(), 2);
            assert!((f / force - 1.0).abs() < 1e-6, "{torsion} {k}: {f} {force}");
            // They have the torque of the contact, and what they turn by since.
            let kept = torsion * (9.0 + 1.0 / 6.0) / (9.0 + torsion / 6.0);
            let kept = (kept * 80.0 + f64::from(k + 1)) / f64::from(81 + k);
            assert!((t / torque / kept - 1.0).abs() < 1e-4, "{torsion} {k}: {t} {torque} {kept}");
            assert!(torsion != 1.0 || ((t / torque - 1.0).abs() < 1e-6 && (e / energy - 1.0).abs() < 1e-6), "{e}");
        }
    }
}

/// One foot is smaller, and farther from the ground: it has a fifth of the other one's force, and three fifths of its area. Springs are as stiff as
/// areas are large, so the contact of both has the force of both where its spring is their mean by area. (That area is the sum of both up to how much of each is rim.)
#[test]
fn feet_of_unequal_pressures_keep_the_force_of_their_springs_as_they_join_and_split() {
    let halo = 1e-3;
    let foot = |size, at| moved(&cuboid(size), at);
    let feet = [foot([1.0, 1.0, 0.4], [-3.0, 0.0, 0.0]), foot([0.5, 1.2, 0.4], [3.0, 0.0, 0.7 * halo])].concat();
    let own = contact::Body::conservative(&feet, halo);
    let own = surface(&own, true);
    let shapes = [ground(halo), Shape::Mesh(&own)];
    let table = [Interaction { lag: 0.0, ..Interaction::new(Normal::Pressure, 1e6).rough(f64::INFINITY, 0.8) }];
    let laws = Laws::new(&table).unwrap();
    let (mut world, handles) = turning(halo);
    let up = rotate(ABOUT, [0.0, 0.0, 1.0]);
    // Force across the normal, over the root of the sum of areas; energy of springs; and this sum. Where the stiffness changes, springs keep their energy.
    let mut step = |grouping: Grouping, contacts: usize, dt: f64| {
        world.settings.grouping = grouping;
        world.advance(dt, dt, &shapes, &laws).unwrap();
        let (report, view) = (world.report().unwrap(), world.view().unwrap());
        assert_eq!(report.contacts, contacts);
        let force = view.wrenches()[handles[1].slot as usize].force;
        let stored: f64 = view.springs().iter().map(|own| Energies::of(own).tangential).sum();
        let turning = view.body(handles[1]).unwrap();
        let (pose, floor) = (at(turning.position, turning.orientation), at([0.0; 3], ABOUT));
        let list = grouped(&placed(shapes[1], &pose), &placed(shapes[0], &floor), &grouping);
        let area: f64 = list.iter().map(|c| c.area).sum();
        (scale(1.0 / area.sqrt(), add(force, scale(-dot(force, up), up))), stored, area)
    };
    let (before, energy, feet) = (0..40).map(|_| step(Grouping::default(), 2, 1e-4)).last().unwrap();
    // So short that nothing moves.
    for (grouping, contacts) in [(Grouping::BODIES, 1), (Grouping::default(), 2), (Grouping::BODIES, 1)] {
        let (force, stored, area) = step(grouping, contacts, 1e-14);
        let lost = length(add(force, scale(-1.0, before))) / length(before);
        println!("{contacts}: {lost:e} of the force, {:e} of the energy", 1.0 - stored / energy);
        assert!(lost < 1e-6 && stored < energy * (1.0 + 1e-9), "{force:?} {before:?} {stored} {energy}");
        assert!((area / feet - 1.0).abs() < 1e-4, "{area} {feet}");
    }
}

/// A foot that is at the end of its halo comes and goes with no load, and all of its area. Friction of the other foot has the same force and energy as before, so a closed
/// path on which bodies slide with one foot and go back with the other too gives no work.
#[test]
fn a_foot_without_load_leaves_the_friction_of_another_one_as_it_is() {
    let halo = 0.02;
    let mut alone: Option<[f64; 2]> = None;
    for length in [0.1, 0.8, 3.0] {
        let foot = |size, at| moved(&cuboid(size), at);
        let feet = [
            foot([0.3, 0.4, 0.5], [0.15, 0.0, 0.25]),
            foot([length, 0.4, 0.4], [0.6 + 0.5 * length, 0.0, 0.2 + 0.8 * halo]),
        ];
        let own = contact::Body::conservative(&feet.concat(), halo);
        let own = surface(&own, true);
        let shapes = [ground(halo), Shape::Mesh(&own)];
        for (mu, torsion) in [(0.5, 0.0), (0.5, 0.8), (f64::INFINITY, 0.8)] {
            let table = [Interaction { torsion, lag: 0.0, ..Interaction::new(Normal::Pressure, 1e5).rough(mu, 0.8) }];
            let laws = Laws::new(&table).unwrap();
            let up = rotate(ABOUT, [0.0, 0.0, 1.0]);
            let body = Body { orientation: ABOUT, ..Body::ball(1.0, 1e15, scale(1.14 * halo, up)).unwrap() };
            let floor = Body { orientation: ABOUT, ..Body::fixed(Pose::IDENTITY) };
            let (mut world, handles) = world([0.0; 3], &[BodyDef::new(floor, 0), BodyDef::new(body, 1)]);
            let dt = 1e-3;
            // Force across the normal, energy of springs, contacts.
            let mut go = |velocity: [f64; 3]| {
                let velocity = rotate(ABOUT, velocity);
                let now = world.view().unwrap().body(handles[1]).unwrap();
                world.set_body(handles[1], &Body { velocity, ..now }).unwrap();
                world.advance(dt, dt, &shapes, &laws).unwrap();
                let (report, view) = (world.report().unwrap(), world.view().unwrap());
                let force = view.wrenches()[handles[1].slot as usize].force;
                let stored: f64 = view.springs().iter().map(|own| Energies::of(own).tangential).sum();
                (dot(force, rotate(ABOUT, [1.0, 0.0, 0.0])), stored, report.contacts)
            };
            let mut work = 0.0;
            for cycle in 0..3 {
                let slide = |x: f64| (50, [x, 0.0, 0.0]);
                let lift = |z: f64| (20, [0.0, 0.0, z * halo]);
                for (steps, velocity) in [slide(0.1), lift(4.0), slide(-0.1), lift(-4.0)] {
                    let mut last: Option<(f64, f64, usize)> = None;
                    for _ in 0..steps {
                        let now = go(velocity);
                        if velocity[2] > 0.0 && now.2 == 1 && last.is_some_and(|last| last.2 == 2) {
                            // The other foot has just left. This one has slid by as much in every case.
                            let [force, energy] = *alone.get_or_insert([now.0, now.1]);
                            assert!((now.0 / force - 1.0).abs() < 1e-2, "{length} {mu}: {now:?} {force}");
                            assert!((now.1 / energy - 1.0).abs() < 2e-2, "{length} {mu}: {now:?} {energy}");
                        }
                        work += dt * velocity[0] * now.0;
                        last = Some(now);
                    }
                    assert_eq!(
                        last.map(|last| last.2),
                        Some(if velocity[2] > 0.0 || velocity[0] < 0.0 { 1 } else { 2 })
                    );
                }
                println!("{length} {mu} {torsion}: work {work:.3} after cycle {cycle}, {alone:?}");
                assert!(work < 1e-6, "{length} {mu} {torsion} {cycle}: {work}");
            }
        }
    }
}

/// A table whose feet are of unequal lengths goes down while it is sheared, without limit of friction: a foot that comes has no spring, so nothing is made from nothing, and the force does
/// not jump. Springs of a neighbour would be energy that nobody put in.
#[test]
fn feet_that_come_down_while_a_table_is_sheared_make_no_energy() {
    let halo = 0.02;
    let foot = |x: f64, gap: f64| moved(&cuboid([0.3, 0.4, 0.5]), [x, 0.0, 0.25 + gap * halo]);
    let own = contact::Body::conservative(&[foot(0.0, 0.0), foot(0.8, 0.3), foot(1.6, 0.6)].concat(), halo);
    let own = surface(&own, true);
    let shapes = [ground(halo), Shape::Mesh(&own)];
    for (torsion, grouping) in [(0.0, None), (0.8, None), (0.8, Some(Grouping::PATCHES))] {
        let table = [Interaction { torsion, lag: 0.0, ..Interaction::new(Normal::Pressure, 1e5).rough(1e9, 0.8) }];
        let laws = Laws::new(&table).unwrap();
        let dt = 1e-3;
        let table = Body::ball(1.0, 1e15, [0.0, 0.0, 1.85 * halo]).unwrap();
        let (mut world, handles) =
            world([0.0; 3], &[BodyDef::new(Body::fixed(Pose::IDENTITY), 0), BodyDef::new(table, 1)]);
        world.settings.grouping = grouping.unwrap_or(world.settings.grouping);
        let (mut least, mut largest, mut most, mut jump) = (0.0f64, 0.0f64, 0, 0.0f64);
        let mut last: Option<([f64; 3], u64)> = None;
        // Sheared, lower, sheared, lower, and back; with all feet before the second round.
        let slide = |x: f64| (50, [0.05 * x * halo, 0.0, 0.0]);
        let lower = |z: f64| (40, [0.0, 0.0, -z * halo]);
        for _ in 0..2 {
            let path = [slide(2.0), lower(0.4), slide(2.0), lower(0.3), slide(-3.0), lower(-0.7), slide(-1.0)];
            for (steps, velocity) in path {
                let velocity = scale(1.0 / (f64::from(steps) * dt), velocity);
                for _ in 0..steps {
                    let now = world.view().unwrap().body(handles[1]).unwrap();
                    world.set_body(handles[1], &Body { velocity, ..now }).unwrap();
                    world.advance(dt, dt, &shapes, &laws).unwrap();
                    let (report, view) = (world.report().unwrap(), world.view().unwrap());
                    let force = view.wrenches()[handles[1].slot as usize].force;
                    let force = [force[0], force[1], 0.0];
                    least = least.min(report.rubbed);
                    largest = largest.max(report.stored_tangential);
                    let contacts = report.contacts as u64;
                    if let Some((before, _)) = last.filter(|(_, many)| *many < contacts) {
                        assert!(length(before) > 0.0);
                        jump = jump.max(length(sub(force, before)) / length(before));
                    }
                    (last, most) = (Some((force, contacts)), most.max(contacts));
                }
            }
        }
        println!("{torsion} {grouping:?}: {least:e} at least, {largest:e} stored, {most} contacts, {jump:.1e}");
        assert!(most >= 3 && largest > 0.1, "{most} {largest}");
        assert!(least >= -1e-9 * largest, "{torsion} {grouping:?}: {least:e} of {largest:e}");
        assert!(grouping.is_some() || jump < 0.01, "{torsion}: {jump}");
    }
}

/// By the law of Hertz a ball has the arm of Hertz's pressure; by others that of the record.
#[test]
fn torsion_of_a_ball_has_the_arm_of_its_pressure() {
    let (radius, halo, depth) = (0.5, 5e-4, 1e-4);
    let shapes = [ground(halo), sphere(radius - halo, halo)];
    for (normal, arm) in [
        (Normal::Hertz, 3.0 * PI / 16.0 * f64::sqrt(radius * depth)),
        (Normal::Pressure, 8.0 / 15.0 * f64::sqrt(2.0 * radius * depth)),
    ] {
        let laws = [Interaction::new(normal, 1e7).rough(0.3, 0.8)];
        let laws = Laws::new(&laws).unwrap();
        let led = Body {
            angular_velocity: [0.0, 0.0, 10.0],
            ..Body::ball(radius, 1e9, [0.0, 0.0, radius + halo - depth]).unwrap()
        };
        let (mut world, _) = world([0.0; 3], &[BodyDef::new(Body::fixed(Pose::IDENTITY), 0), BodyDef::new(led, 1)]);
        for _ in 0..50 {
            world.advance(1e-4, 1e-4, &shapes, &laws).unwrap();
        }
        let wrench = world.view().unwrap().wrenches()[1];
        let got = -wrench.torque[2] / (0.3 * wrench.force[2]);
        assert!((got / arm - 1.0).abs() < 0.01, "{normal:?}: {got} {arm}");
    }
}

/// Damping brakes no cylinder that rolls on its side, and still brakes one that rocks from end to end.
#[test]
fn damping_brakes_no_cylinder_that_rolls() {
    let (radius, half, halo, slope) = (0.5, 0.5, 0.02, 0.2f64);
    let points: Vec<_> = (0..48)
        .flat_map(|i| {
            let a = f64::from(i) * TAU / 48.0;
            [[radius * a.cos(), radius * a.sin(), -half], [radius * a.cos(), radius * a.sin(), half]]
        })
        .collect();
    let mesh = contact::Body::conservative(&soup(&generate::hull(&points).unwrap()), halo);
    let own = surface(&mesh, true);
    let mass = 1000.0 * PI * radius * radius * 2.0 * half;
    let (about, across) = (0.5 * mass * radius * radius, mass * (0.25 * radius * radius + half * half / 3.0));
    for (name, shape) in [("mesh", Shape::Mesh(&own)), ("capsule", capsule(half, radius, halo))] {
        let mut free = 0.0;
        for (zeta, dt) in [(0.0, 1e-3), (0.05, 1e-3), (0.5, 1e-3), (0.5, 5e-4)] {
            let law = [Interaction::new(Normal::Pressure, 1e5).damped(Damping::Dashpot, zeta).rough(0.6, 0.8)];
            let laws = Laws::new(&law).unwrap();
            let lying = Body {
                mass,
                moments: [across, across, about],
                orientation: [FRAC_1_SQRT_2, 0.0, 0.0, FRAC_1_SQRT_2],
                ..Body::ball(1.0, 1.0, [0.0, 0.0, radius + 1.14 * halo]).unwrap()
            };
            let gravity = [9.81 * slope.sin(), 0.0, -9.81 * slope.cos()];
            let members = [BodyDef::new(Body::fixed(Pose::IDENTITY), 0), BodyDef::new(lying, 1)];
            let (mut world, handles) = world(gravity, &members);
            world.advance(2.0, dt, &[ground(halo), shape], &laws).unwrap();
            let way = body(&world, handles[1]).position[0];
            // The contact is half-way into the gap, so it rolls on a radius that is a little larger.
            let expected = 0.5 * 9.81 * slope.sin() / 1.5 * 4.0;
            println!("{name} {zeta} {dt}: {:.4} {:.4}", way / expected, way / free);
            assert!((way / expected - 1.0).abs() < 0.03, "{name} {zeta}: {way} {expected}");
            if zeta == 0.0 {
                free = way;
            }
            assert!((way / free - 1.0).abs() < 0.01, "{name} {zeta}: {way} {free}");
        }
    }
}

/// A cube hangs from a ceiling by cohesion of its face, a little tilted at first: it comes level and stays so, which it would not if cohesion pulled where the pressure is.
#[test]
fn a_face_that_hangs_by_cohesion_stays_level() {
    let halo = 0.02;
    let cube = contact::Body::conservative(&cuboid([1.0, 1.0, 1.0]), halo);
    let wall = contact::Body::conservative(&walls::irregular(300, 3.0, 3), halo);
    let (cube, wall) = (surface(&cube, true), surface(&wall, false));
    let grounds = [(ground(halo), 2e-4), (Shape::Mesh(&wall), 2e-4), (ground(halo), 1e-4)];
    for (below, dt) in grounds.into_iter().take(cases(1, 3)) {
        let shapes = [below, Shape::Mesh(&cube)];
        let (mass, k) = (100.0, 1e5);
        // It is pressed by 500 less than it is pulled: by its weight.
        let law = Interaction::new(Normal::Pressure, k)
            .damped(Damping::Dashpot, 0.3)
            .rough(0.5, 0.8)
            .sticky(Cohesion::Area, 4e4);
        let laws = [law];
        let laws = Laws::new(&laws).unwrap();
        let tilt = 2e-3f64;
        let hung = Body {
            mass,
            moments: [mass / 6.0; 3],
            orientation: [(0.5 * tilt).sin(), 0.0, 0.0, (0.5 * tilt).cos()],
            ..Body::ball(1.0, 1.0, [0.0, 0.0, 0.5 + resting_gap(4e4 - 1e3, 1.0, k, 2.0 * halo)]).unwrap()
        };
        // The ceiling is a floor, and gravity points up.
        let (mut world, handles) =
            world([0.0, 0.0, 10.0], &[BodyDef::new(Body::fixed(Pose::IDENTITY), 0), BodyDef::new(hung, 1)]);
        world.advance(3.0, dt, &shapes, &laws).unwrap();
        let after = body(&world, handles[1]);
        let up = rotate(after.orientation, [0.0, 0.0, 1.0]);
        println!("{dt}: {up:?} {:?}", after.position);
        assert!(
            up[0].abs() < 1e-5 && up[1].abs() < 1e-5 && (after.position[2] - 0.5).abs() < 2.0 * halo,
            "{dt}: {after:?}"
        );
    }
}

/// Boxes on a slope that is slowly tilted, with twice the friction that they need: what sticks is held at a place of both bodies, not where its pressure is. Otherwise tilt and spin
/// would drive each other, a cube from a tangent of .35 on and a slab from .2 on, from rounding alone, and the box would walk down.
#[test]
fn a_box_on_a_slope_stays() {
    let (edge, halo, g, k) = (0.1, 0.002, 9.81, 1e5);
    let of = |size: [f64; 3]| contact::Body::conservative(&cuboid(size), halo);
    let bodies = [of([edge; 3]), of([edge, edge, 0.2 * edge]), of([0.5 * edge, 2.0 * edge, 0.5 * edge])];
    let sizes = [[edge; 3], [edge, edge, 0.2 * edge], [0.5 * edge, 2.0 * edge, 0.5 * edge]];
    let wall = contact::Body::conservative(&walls::irregular(300, 0.5, 3), halo);
    let wall = surface(&wall, false);
    let plane = ground(halo);
    let slopes = [
        (0.4, 0, plane, Normal::Pressure, 0.0),
        (0.6, 0, Shape::Mesh(&wall), Normal::Pressure, 0.0),
        (0.4, 1, plane, Normal::Pressure, 0.0),
        (0.3, 2, Shape::Mesh(&wall), Normal::Pressure, 0.0),
        // A part of the base has lifted off.
        (0.4, 2, plane, Normal::Pressure, 0.0),
        (2.0, 1, plane, Normal::Pressure, 0.0),
        (2.0, 1, plane, Normal::Pressure, 1e-3),
        (0.4, 1, plane, Normal::Linear, 0.0),
        (0.4, 1, plane, Normal::Hertz, 0.0),
        (0.75, 0, plane, Normal::Pressure, 0.0),
        // A part of the base has lifted off here, too.
        (0.5, 2, Shape::Mesh(&wall), Normal::Pressure, 0.0),
    ];
    for (tangent, which, below, normal, lag) in slopes.into_iter().take(cases(9, 11)) {
        let (own, [x, y, z]) = (surface(&bodies[which], true), sizes[which]);
        let shapes = [below, Shape::Mesh(&own)];
        let stiffness = match normal {
            Normal::Linear => k * x * y / (2.0 * halo),
            Normal::Hertz => 0.5 * k,
            _ => k,
        };
        let law = Interaction::new(normal, stiffness).damped(Damping::Dashpot, 0.3).rough(2.0 * tangent, 2.0 / 7.0);
        let laws = [Interaction { lag, ..law }];
        let laws = Laws::new(&laws).unwrap();
        let mass = 1000.0 * x * y * z;
        let moment = |a: f64, b: f64| mass / 12.0 * (a * a + b * b);
        let block = Body {
            mass,
            moments: [moment(y, z), moment(x, z), moment(x, y)],
            angular_velocity: [1e-6, 0.0, 1e-6],
            ..Body::ball(1.0, 1.0, [0.0, 0.0, 0.5 * z + resting_gap(mass * g, x * y, k, 2.0 * halo)]).unwrap()
        };
        let (mut world, handles) =
            world([0.0, 0.0, -g], &[BodyDef::new(Body::fixed(Pose::IDENTITY), 0), BodyDef::new(block, 1)]);
        let slope = f64::atan(tangent);
        for k in 1..=50 {
            let angle = slope * f64::from(k) / 50.0;
            let gravity = [g * angle.sin(), 0.0, -g * angle.cos()];
            world.set_up(&Setup { gravity, ..Setup::default() }).unwrap();
            world.advance(0.02, 1e-4, &shapes, &laws).unwrap();
        }
        let before = body(&world, handles[1]);
        // Without a lag the steepest slab swings about the axis across the slope, more and more, and starts to turn after 5 s.
        let time = if tangent == 2.0 && lag == 0.0 { 2.0 } else { cases(2.0, 10.0) };
        world.advance(time, 1e-4, &shapes, &laws).unwrap();
        let after = body(&world, handles[1]);
        let (way, [roll, pitch, yaw]) = (sub(after.position, before.position), after.angular_velocity);
        println!("{tangent} {which} {normal:?} {lag}: {way:?} {roll:.1e} {pitch:.1e} {yaw:.1e}");
        assert!(lag == 0.0 || pitch.abs() < 1e-9, "{tangent} {which} {normal:?}: {after:?}");
        assert!(way[0].abs() < 0.05 * halo && way[1].abs() < 1e-4 * halo, "{tangent} {which} {normal:?}: {way:?}");
        assert!(roll.abs() < 1e-5 && yaw.abs() < 1e-5, "{tangent} {which} {normal:?}: {after:?}");
    }
}

/// A face that comes down flat, turned so that its corners are not exactly level, to a step in which its gap is that where halos begin: no dashpot turns it.
#[test]
fn a_face_that_comes_exactly_to_the_halo_gets_no_spin() {
    let (halo, dt) = (0.01, 1e-4);
    let block = contact::Body::conservative(&cuboid([1.0, 0.6, 0.5]), halo);
    let block = surface(&block, true);
    let shapes = [ground(halo), Shape::Mesh(&block)];
    let laws = [Interaction::new(Normal::Pressure, 1e5).damped(Damping::Dashpot, 0.3)];
    let laws = Laws::new(&laws).unwrap();
    let mut ties = 0;
    for k in 0..cases(60, 400) {
        // By quarters about two axes, with rounding.
        let [a, b] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]].map(|axis| turn(axis, FRAC_PI_2 * f64::from(k % 4)));
        let orientation = if k % 8 < 4 { a } else { b };
        let [p, q, r, w] = orientation;
        let up = rotate([-p, -q, -r, w], [0.0, 0.0, 1.0]);
        let high = 0.5 * up[0].abs() + 0.3 * up[1].abs() + 0.25 * up[2].abs();
        let steps = 3 + k / 8;
        let falling = Body {
            orientation,
            velocity: [0.0, 0.0, -1.0],
            moments: [1.0; 3],
            ..Body::ball(1.0, 1.0, [0.0, 0.0, high + 2.0 * halo + f64::from(steps) * dt - 1e-16 * f64::from(k % 7)])
                .unwrap()
        };
        let (mut world, handles) =
            world([0.0; 3], &[BodyDef::new(Body::fixed(Pose::IDENTITY), 0), BodyDef::new(falling, 1)]);
        for _ in 0..steps + 4 {
            world.advance(dt, dt, &shapes, &laws).unwrap();
            let view = world.view().unwrap();
            let contacts = view.scene().now().contacts();
            ties += usize::from(contacts.iter().any(|c| (c.gap / c.halo - 1.0).abs() < 1e-12));
        }
        let spin = length(body(&world, handles[1]).angular_velocity);
        assert!(spin < 1e-9, "{k} {orientation:?}: {spin:e}");
    }
    assert!(ties > 5, "{ties}");
}

/// What slides is held where its pressure is: below its centre of mass, whatever the form of its face. An L whose area has its centroid beside that goes straight on.
#[test]
fn what_slides_down_a_slope_goes_straight() {
    let (halo, g, mu) = (0.01, 9.81, 0.3);
    for across in [0.0, 0.1, -0.2] {
        // Its centre of mass is off the centroid of its face, across the way.
        let foot = contact::Body::conservative(&moved(&ell(), [0.0, -across, 0.0]), halo);
        let foot = surface(&foot, true);
        let shapes = [ground(halo), Shape::Mesh(&foot)];
        let laws = [Interaction::new(Normal::Pressure, 1e5).damped(Damping::Dashpot, 0.3).rough(mu, 2.0 / 7.0)];
        let laws = Laws::new(&laws).unwrap();
        let slope = f64::atan(0.5);
        let gravity = [g * slope.sin(), 0.0, -g * slope.cos()];
        let (mass, moment) = (10.0, 5.0);
        let sliding = Body {
            mass,
            moments: [moment; 3],
            ..Body::ball(1.0, 1.0, [0.0, 0.0, 0.5 + resting_gap(mass * gravity[2].abs(), 3.0, 1e5, 2.0 * halo)])
                .unwrap()
        };
        let (mut world, handles) =
            world(gravity, &[BodyDef::new(Body::fixed(Pose::IDENTITY), 0), BodyDef::new(sliding, 1)]);
        world.advance(0.5, 1e-4, &shapes, &laws).unwrap();
        let before = body(&world, handles[1]);
        world.advance(0.5, 1e-4, &shapes, &laws).unwrap();
        let after = body(&world, handles[1]);
        let expected = 0.5 * g * (slope.sin() - mu * slope.cos());
        println!("{across}: {after:?} {expected}");
        assert!(((after.velocity[0] - before.velocity[0]) / expected - 1.0).abs() < 0.02, "{across}: {after:?}");
        assert!(after.angular_velocity[2].abs() < 0.02 && after.velocity[1].abs() < 0.02, "{across}: {after:?}");
    }
}

/// A capsule that is led to a depth, lying, leaning and upright: the force is that of a line and a ball, the same on a plane and on a flat mesh.
#[test]
fn capsules_have_the_force_of_a_line() {
    let (half, radius, halo, modulus) = (1.0, 0.3, 2e-3, 1e8);
    let wall = contact::Body::conservative(&walls::irregular(300, 5.0, 3), halo);
    let wall = surface(&wall, false);
    let all = radius + halo;
    for depth in [2e-4, 1e-3] {
        let mut last = f64::INFINITY;
        for lean in [0.0f64, 1e-5, 2e-4, 1e-3, 1e-2, 0.1, 0.5, 1.5] {
            // Along x, its left end lower.
            let angle = 0.25 * TAU - lean;
            let orientation = [0.0, (0.5 * angle).sin(), 0.0, (0.5 * angle).cos()];
            let position = [0.1, 0.0, half * lean.sin() + all + halo - depth];
            let rod = Body { orientation, ..Body::ball(1.0, 1.0, position).unwrap() };
            let law = [Interaction::new(Normal::Hertz, modulus)];
            let laws = Laws::new(&law).unwrap();
            let push = |below| {
                let (mut world, _) =
                    world([0.0; 3], &[BodyDef::new(Body::fixed(Pose::IDENTITY), 0), BodyDef::new(rod, 1)]);
                world.advance(1e-9, 1e-9, &[below, capsule(half, radius, halo)], &laws).unwrap();
                world.view().unwrap().wrenches()[1].force[2]
            };
            let (plane, mesh) = (push(ground(halo)), push(Shape::Mesh(&wall)));
            let reaches = 2.0 * half * lean.sin();
            let along =
                if reaches < depth { 2.0 * half * (depth - 0.5 * reaches) } else { 0.5 * depth * depth / lean.sin() };
            let expected = 4.0 / 3.0 * modulus * all.sqrt() * depth.powf(1.5) + 0.25 * PI * modulus * along;
            println!("{depth} {lean}: {:.4} {:.4}", plane / expected, mesh / plane);
            // Where it leans a little, one of its two half balls is a part of the line.
            let ball = 4.0 / 3.0 * modulus * all.sqrt() * depth.powf(1.5);
            let least = if (1e-4..0.3).contains(&lean) { expected - 0.5 * ball } else { expected };
            assert!(plane < 1.05 * expected && plane > 0.95 * least, "{depth} {lean}: {plane} {expected}");
            assert!((mesh / plane - 1.0).abs() < 1e-3, "{depth} {lean}: {plane} {mesh}");
            assert!(plane <= last * 1.001, "{depth} {lean}: {plane} {last}");
            last = plane;
        }
    }
}

#[test]
fn records_tell_effective_radii() {
    let pose = |z: f64| Pose { position: [0.0, 0.0, z], ..Pose::IDENTITY };
    let mesh = contact::Body::conservative(&walls::regular(2, 3.0), 0.01);
    let mesh = surface(&mesh, false);
    for (a, b, z, wanted) in [
        (sphere(0.4, 0.1), sphere(0.9, 0.1), 1.31, 1.0 / 3.0),
        (sphere(0.4, 0.1), ground(0.1), 0.41, 0.5),
        (capsule(0.7, 0.4, 0.1), ground(0.1), 1.11, 0.5),
        (capsule(0.7, 0.4, 0.1), sphere(0.9, 0.1), 2.01, 1.0 / 3.0),
        (sphere(0.4, 0.01), Shape::Mesh(&mesh), 0.41, 0.0),
    ] {
        for scaled in [1.0, 2.0] {
            let (at, home) = (pose(z * scaled), pose(0.0));
            let (a, b) = (Placed { scale: scaled, ..placed(a, &at) }, Placed { scale: scaled, ..placed(b, &home) });
            for found in [spreads(&a, &b, Grouping::default()), spreads(&b, &a, Grouping::default())] {
                assert!((found[0].radius - wanted * scaled).abs() < 1e-12, "{found:?} {wanted}");
            }
        }
    }
}

/// Pressure over a plane, and area, as sums over small squares: of a capsule that leans from lying to upright, beside walls of triangles, too.
#[test]
fn leaning_capsules_tell_the_second_moments_of_their_pressure() {
    let (half, radius, halo) = (0.5, 0.2, 0.02);
    let wall = contact::Body::conservative(&walls::regular(40, 2.0), halo);
    let wall = surface(&wall, false);
    for lean in [0.0, 1e-9, 0.02, 0.1, 0.2, 0.5, 1.0, 1.5, FRAC_PI_2 - 3e-8, FRAC_PI_2] {
        for gap in [0.03, 0.005, -0.01] {
            let (sine, cosine) = lean.sin_cos();
            let height = gap + radius + half * sine;
            let angle = 0.5 * (FRAC_PI_2 - lean);
            let pose = at([0.1, 0.2, height], [0.0, angle.sin(), 0.0, angle.cos()]);
            let reach = radius + 2.0 * halo;
            let (mut all, mut first, mut second, mut area, mut areas) = (0.0, 0.0, [0.0; 2], 0.0, 0.0);
            let n = 1000;
            for i in 0..4 * n {
                for k in 0..n {
                    // Half of the plane, since both are equal.
                    let x = 0.8 * (f64::from(i) + 0.5) / f64::from(2 * n) - 0.8;
                    let y = 0.3 * (f64::from(k) + 0.5) / f64::from(n);
                    let z = (x * cosine - height * sine).clamp(-half, half);
                    let apart = [x - z * cosine, y, height + z * sine];
                    let q = reach * reach - dot(apart, apart);
                    if q > 0.0 {
                        (all, first, area, areas) = (all + q, first + q * x, area + 1.0, areas + x);
                        second = [second[0] + q * x * x, second[1] + q * y * y];
                    }
                }
            }
            let mean = first / all;
            let right = [second[0] / all - mean * mean, second[1] / all];
            let plane = spreads(
                &placed(capsule(half, radius, halo), &pose),
                &placed(ground(halo), &Pose::IDENTITY),
                Grouping::default(),
            );
            let [c] = plane[..] else { panic!("{plane:?}") };
            let off = [c.spread[0] / right[0] - 1.0, c.spread[1] / right[1] - 1.0];
            assert!(off.iter().all(|x| x.abs() < 2e-3), "{lean} {gap}: {c:?} {right:?}");
            assert!((c.position[0] - 0.1 - mean).abs() < 1e-4 * reach, "{lean} {gap}: {c:?} {mean}");
            assert!(
                (c.offset[0] - (areas / area - mean)).abs() < 1e-3 * reach,
                "{lean} {gap}: {c:?} {}",
                areas / area - mean
            );
            let many = spreads(
                &placed(capsule(half, radius, halo), &pose),
                &placed(Shape::Mesh(&wall), &Pose::IDENTITY),
                Grouping::default(),
            );
            let [d] = many[..] else { panic!("{many:?}") };
            let size = c.spread[0] + c.spread[1];
            assert!((0..6).all(|k| (c.spread[k] - d.spread[k]).abs() < 1e-7 * size), "{lean} {gap}: {c:?} {d:?}");
            assert!(length(sub(c.offset, d.offset)) < 1e-6 * size.sqrt(), "{lean} {gap}: {c:?} {d:?}");
        }
    }
}

/// A capsule that lies across an edge or a corner of a face, however it is turned: sums over small squares, and other triangles of the same face.
#[test]
fn capsules_across_edges_tell_the_second_moments_of_their_pressure() {
    let (half, radius, halo) = (0.7, 0.3, 0.02);
    let coarse = cuboid([2.0, 3.0, 2.0]);
    let fine = quartered(&quartered(&quartered(&coarse)));
    let made = [coarse, fine].map(|mesh| contact::Body::conservative(&mesh, halo));
    let boxes = made.each_ref().map(|mesh| surface(mesh, true));
    let (mut random, mut met) = (Random::new(77), 0);
    for case in 0..60 {
        let about = |random: &mut Random, x: f64| x * (2.0 * random.unit() - 1.0);
        let (angle, lean) = (about(&mut random, 3.0), [0.0, 0.005, 0.05][case % 3] * about(&mut random, 1.0));
        let corner = [1.0 + about(&mut random, 0.3), if case % 2 == 0 { 0.3 } else { 1.5 + about(&mut random, 0.3) }];
        let axis = [lean.cos() * angle.cos(), lean.cos() * angle.sin(), lean.sin()];
        let height = radius + 0.02 + half * lean.sin().abs();
        let centre = [corner[0], corner[1], 1.0 + height];
        // From z to the axis.
        let turn = {
            let [x, y, z] = [-axis[1], axis[0], 1.0 + axis[2]];
            let size = (x * x + y * y + z * z).sqrt();
            [x / size, y / size, 0.0, z / size]
        };
        let pose = at(centre, turn);
        let told = boxes.each_ref().map(|mesh| {
            let (a, b) = (placed(capsule(half, radius, halo), &pose), placed(Shape::Mesh(mesh), &Pose::IDENTITY));
            spreads(&a, &b, Grouping::PATCHES).into_iter().find(|c| c.normal[2].abs() > 0.999)
        });
        let [Some(c), Some(d)] = told else {
            assert_eq!(told, [None; 2], "{case}");
            continue;
        };
        met += 1;
        // Of what is in reach, the part on the face.
        let (reach, n) = (radius + 2.0 * halo, 1500);
        let range = |k: usize, end: f64| [f64::max(centre[k] - 1.1, -end), f64::min(centre[k] + 1.1, end)];
        let ([x, y], part) = ([range(0, 1.0), range(1, 1.5)], |i: usize| (i as f64 + 0.5) / f64::from(n));
        let (mut all, mut first, mut second) = (0.0, [0.0; 2], [0.0; 3]);
        for (i, k) in (0..n as usize).flat_map(|i| (0..n as usize).map(move |k| (i, k))) {
            let [x, y] = [(x, i), (y, k)].map(|([from, to], i)| from + (to - from) * part(i));
            let apart = sub([x, y, 1.0], centre);
            let z = dot(apart, axis).clamp(-half, half);
            let away = sub(apart, scale(z, axis));
            let q = reach * reach - dot(away, away);
            if q > 0.0 {
                let [x, y, _] = apart;
                all += q;
                first = [first[0] + q * x, first[1] + q * y];
                second = [second[0] + q * x * x, second[1] + q * y * y, second[2] + q * x * y];
            }
        }
        let [x, y] = first.map(|sum| sum / all);
        let right = [second[0] / all - x * x, second[1] / all - y * y, second[2] / all - x * y];
        let size = right[0] + right[1];
        for c in [c, d] {
            let off = [c.spread[0] - right[0], c.spread[1] - right[1], c.spread[3] - right[2]];
            assert!(off.iter().all(|off| off.abs() < 1e-3 * size), "{case}: {c:?} {right:?}");
        }
        assert!((0..6).all(|k| (c.spread[k] - d.spread[k]).abs() < 1e-9 * size), "{case}: {c:?} {d:?}");
        assert!(length(sub(c.offset, d.offset)) < 1e-9, "{case}: {c:?} {d:?}");
    }
    assert!(met >= 50, "{met}");
}

/// Second moments have the same bits with each instruction set, and when bodies are exchanged; nothing else changes when they are asked for.
#[test]
fn second_moments_have_the_same_bits_in_any_way() {
    for seed in 0..20 {
        let ((a, pose_a, b, pose_b), deep) = (near_bodies(seed), deep_bodies(seed));
        for (a, pose_a, b, pose_b) in [(a, pose_a, b, pose_b), deep] {
            let (a, b) = (contact::Body::new(&a, contact::HALO), contact::Body::new(&b, contact::HALO));
            let (a, b) = (surface(&a, true), surface(&b, true));
            let (a, b) = (placed(Shape::Mesh(&a), &pose_a), placed(Shape::Mesh(&b), &pose_b));
            for grouping in [Grouping::PATCHES, Grouping::default()] {
                let list = spreads(&a, &b, grouping);
                let told = |c: &Contact| (c.wedging, c.offset, c.spread);
                for isa in Isa::list() {
                    let find = |room, out: &mut [Contact], scratch: &mut [u8]| {
                        let request = Request { grouping, spread: true, ..Request::new(7, room) };
                        shape_contacts(Work::new(&Serial, *isa, scratch), &a, &b, &request, out, None)
                    };
                    assert_eq!(grown(|room| shape_scratch(&a, &b, room, 1), find).0, list, "{seed} {isa:?}");
                }
                let mut back = spreads(&b, &a, grouping);
                back.sort_by_key(|c| c.key[1].rotate_left(32));
                assert!(list.iter().map(told).eq(back.iter().map(told)), "{seed}: {list:?} {back:?}");
                let silent = grouped(&a, &b, &grouping);
                let turned = back.iter().map(|c| c.curvature.map(|x| 0.0 - x));
                assert!(list.iter().map(|c| c.curvature).eq(turned), "{seed}: {list:?} {back:?}");
                let quiet = |c: &Contact| Contact { offset: [0.0; 3], spread: [0.0; 6], curvature: [0.0; 6], ..*c };
                assert!(silent.iter().copied().eq(list.iter().map(quiet)), "{seed}");
                let sound = |c: &Contact| c.spread[0] + c.spread[1] + c.spread[2] > 0.0 && c.wedging >= 1.0;
                assert!(list.iter().all(sound), "{seed}: {list:?}");
            }
        }
    }
}
