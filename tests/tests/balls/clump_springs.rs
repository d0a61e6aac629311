//! Friction springs of compounds of balls, as load goes from one ball to another far below the cone of friction.

use std::f64::consts::FRAC_PI_4;
use std::sync::atomic::AtomicUsize;

use dem_core::body::Body;
use dem_core::contact::shape::{Part, Shape};
use dem_core::exec::Serial;
use dem_core::force::{Interaction, Laws, Normal};
use dem_core::pose::Pose;
use dem_core::world::{BodyDef, Handle, Records, Setup};
use dem_std::OwnedWorld;
use dem_tests::vector::{add, cross, dot, length, sub};

use super::{Counted, HALO, difference};

/// Radius and halo of a ball of a compound: as far as it reaches.
const REACH: f64 = 0.45 + HALO;
/// How far two of its balls are apart.
const APART: f64 = 1.2;

/// A compound above a floor or above a compound that lies still, led by hand.
struct Led<'l> {
    world: OwnedWorld,
    law: Counted<'l>,
    shapes: &'l [Shape<'l>],
    led: Handle,
    /// The height of its contacts.
    height: f64,
    /// What friction has dissipated, the least of it in a step, and the energy of springs.
    rubbed: f64,
    least: f64,
    stored: f64,
    largest: f64,
}

const DT: f64 = 1e-3;

impl Led<'_> {
    /// Steps of sliding with this velocity, and of tilting about the axis y at the height of its contacts.
    fn go(&mut self, steps: usize, slide: [f64; 3], tilt: f64) {
        for _ in 0..steps {
            self.step(slide, tilt);
        }
    }

    /// A step. Gives the force across the normal on the led body, and how many contacts there are.
    fn step(&mut self, slide: [f64; 3], tilt: f64) -> ([f64; 3], usize) {
        let now = self.world.view().unwrap().body(self.led).unwrap();
        let angular_velocity = [0.0, tilt, 0.0];
        // The body turns about a point at the height of its contacts, so these do not slip.
        let arm = [0.0, 0.0, now.position[2] - self.height];
        let velocity = add(slide, cross(angular_velocity, arm));
        let velocity = [velocity[0], velocity[1], slide[2]];
        self.world.set_body(self.led, &Body { velocity, angular_velocity, ..now }).unwrap();
        self.world.advance(DT, DT, self.shapes, &self.law).unwrap();
        let report = self.world.report().unwrap();
        self.rubbed += report.rubbed;
        self.least = self.least.min(report.rubbed);
        self.stored = report.stored_tangential;
        self.largest = self.largest.max(report.stored_tangential);
        let force =
            self.world.view().unwrap().wrenches().get(self.led.slot as usize).map_or([0.0; 3], |wrench| wrench.force);
        ([force[0], force[1], 0.0], report.contacts)
    }
}

/// Balls in a row, or at the corners of a square, level.
fn level(count: usize) -> Vec<Part<'static>> {
    let radius = if count == 4 { APART / f64::sqrt(2.0) } else { APART / 2.0 };
    let at = |k: usize| match count {
        2 | 3 => [APART * (k as f64 - 0.5 * (count as f64 - 1.0)), 0.0, 0.0],
        _ => {
            let angle = FRAC_PI_4 * (2 * k + 1) as f64;
            [radius * angle.cos(), radius * angle.sin(), 0.0]
        }
    };
    (0..count)
        .map(|k| Part {
            shape: Shape::Sphere { radius: 0.45, halo: HALO },
            pose: Pose { position: at(k), ..Pose::IDENTITY },
            scale: 1.0,
        })
        .collect()
}

/// Calls a test with a compound of so many balls, all of which are pressed.
fn lead(count: usize, on_floor: bool, law: Interaction, ways: (bool, Records), test: impl FnOnce(&mut Led<'_>)) {
    let parts = level(count);
    let shapes =
        [if on_floor { Shape::HalfSpace { halo: HALO } } else { Shape::Compound(&parts) }, Shape::Compound(&parts)];
    let table = [law];
    let (known, records) = ways;
    let law = Counted { laws: Laws::new(&table).unwrap(), known, steps: AtomicUsize::new(0) };
    let mut world = OwnedWorld::with_executor(Box::new(Serial));
    world.keep_records(records).unwrap();
    world.set_up(&Setup { gravity: [0.0; 3], ..Setup::default() }).unwrap();
    world.add(&BodyDef::new(Body::fixed(Pose::IDENTITY), 0)).unwrap();
    let between = if on_floor { REACH + HALO } else { 2.0 * REACH };
    let body = Body::ball(1.0, 1e15, [0.0, 0.0, between - 0.5 * HALO]).unwrap();
    let led = world.add(&BodyDef::new(body, 1)).unwrap();
    let height = if on_floor { HALO } else { REACH };
    let mut led = Led { world, law, shapes: &shapes, led, height, rubbed: 0.0, least: 0.0, stored: 0.0, largest: 0.0 };
    test(&mut led);
}

fn laws() -> [Interaction; 3] {
    [(Normal::Pressure, 1e5), (Normal::Linear, 1e4), (Normal::Hertz, 1e5)].map(|(normal, stiffness)| Interaction {
        torsion: 0.5,
        lag: 0.0,
        ..Interaction::new(normal, stiffness).rough(100.0, 0.8)
    })
}

/// The tilt at which the load of a ball at an end of a row changes by this part of a halo.
const TILT: f64 = 0.4 * HALO / (0.5 * APART);

/// One end bears more, and the body slides; then the other end bears more, and it slides back. Springs of both ends differ from the
/// beginning. The path is closed, in either direction: friction takes work in every step, as steps have it that keep records or none.
#[test]
fn load_that_goes_to_and_fro_between_balls_gets_no_work_out_of_friction() {
    for (count, on_floor) in [(2, true), (3, true), (4, true), (2, false), (3, false), (4, false)] {
        for law in laws() {
            for way in [1.0, -1.0] {
                let mut first: Option<(f64, f64, OwnedWorld)> = None;
                for ways in [(false, Records::Last), (true, Records::None)] {
                    lead(count, on_floor, law, ways, |led| {
                        // One end alone has slid before the other one comes.
                        led.go(50, [0.0; 3], 1.6 * TILT / (50.0 * DT));
                        led.go(50, [0.1 * HALO / (50.0 * DT), 0.0, 0.0], 0.0);
                        led.go(50, [0.0; 3], -1.6 * TILT / (50.0 * DT));
                        led.go(25, [0.0; 3], TILT / (25.0 * DT));
                        let begin = led.stored;
                        for _ in 0..4 {
                            for side in [-way, way] {
                                led.go(20, [side * 0.02 * HALO / (20.0 * DT), 0.0, 0.0], 0.0);
                                led.go(50, [0.0; 3], side * way * 2.0 * TILT / (50.0 * DT));
                            }
                        }
                        let end = led.stored;
                        let what = format!("{count} {on_floor} {:?} {way} {ways:?}", law.normal);
                        println!(
                            "{what}: {:.3e} dissipated, {:.3e} at least in a step; springs had {begin:.3e}, have {end:.3e}, had {:.3e}",
                            led.rubbed, led.least, led.largest
                        );
                        assert!(led.least >= -1e-12 * led.largest, "{what}: {:e} of {:e}", led.least, led.largest);
                        assert!(begin > 0.1 * led.largest && end >= 0.0, "{what}: {begin} {end}");
                        let general = led.law.steps.load(std::sync::atomic::Ordering::Relaxed);
                        assert_eq!(general == 0, ways.0, "{what}: {general}");
                        let world = std::mem::replace(&mut led.world, OwnedWorld::with_executor(Box::new(Serial)));
                        match &first {
                            None => first = Some((led.rubbed, led.stored, world)),
                            Some((rubbed, stored, general)) => {
                                let close = |a: f64, b: f64| (a - b).abs() <= 1e-9 * led.largest;
                                assert!(close(led.rubbed, *rubbed) && close(led.stored, *stored), "{what}");
                                assert!(difference(&world, general, [0.0; 3]) < 1e-12, "{what}");
                            }
                        }
                    });
                }
            }
        }
    }
}

/// The balls at one end come and go with no load, while those at the other end stay as deep as they are. Friction does not jump; by pressure, whose stiffness goes with the area,
/// it stays as if they were not there, up to what these slip by themselves as they come.
#[test]
fn a_ball_that_comes_and_goes_leaves_the_friction_of_another_one_as_it_is() {
    for (count, on_floor) in [(2, true), (4, true), (2, false), (4, false)] {
        for law in laws() {
            lead(count, on_floor, law, (false, Records::Last), |led| {
                led.go(50, [0.0; 3], 1.6 * TILT / (50.0 * DT));
                led.go(50, [0.1 * HALO / (50.0 * DT), 0.0, 0.0], 0.0);
                // So deep the contacts of one end stay.
                led.height = led.world.view().unwrap().scene().now().contacts()[0].position[2];
                let first = led.step([0.0; 3], 0.0);
                let (mut last, mut changes, mut jump, mut change) = (first, 0, 0.0f64, 0.0f64);
                for side in [-1.0, 1.0] {
                    for _ in 0..400 {
                        let tilt = side * 1.6 * TILT / (400.0 * DT);
                        let now = led.step([0.0, 0.0, tilt * 0.5 * APART], tilt);
                        jump = jump.max(length(sub(now.0, last.0)) / length(first.0));
                        change = change.max(length(sub(now.0, first.0)) / length(first.0));
                        changes += usize::from(now.1 != last.1);
                        last = now;
                    }
                }
                println!("{count} {on_floor} {:?}: {jump:.1e}, {change:.1e} of {:.1e}", law.normal, length(first.0));
                assert!(changes == 2 && dot(first.0, [1.0, 0.0, 0.0]) < -1.0, "{changes} {first:?}");
                assert!(jump < 0.02, "{count} {on_floor} {:?}: {jump}", law.normal);
                // Above a floor the lever is short, so that those that come slip little.
                let stays = on_floor && law.normal == Normal::Pressure as u32;
                assert!(!stays || change < 0.1, "{count} {on_floor}: {change}");
            });
        }
    }
}
