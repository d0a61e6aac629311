//! The spurious energy of steps: it is all that other energies and works do not tell, it vanishes with the step, and what a host does is no part of it.

use dem_core::body::Body;
use dem_core::broad::Motion;
use dem_core::contact::shape::Shape;
use dem_core::detect::Wrench;
use dem_core::exec::Serial;
use dem_core::force::{Damping, Interaction, Laws, Normal, dashpot};
use dem_core::pose::Pose;
use dem_core::world::{BodyDef, Handle, Report, Setup};
use dem_std::{OwnedWorld, generate};
use dem_tests::contact::{self, cuboid, soup};
use dem_tests::random::Random;
use dem_tests::shapes::{capsule, ground, sphere, surface};
use dem_tests::vector::scale;

const RADIUS: f64 = 0.1;
const HALO: f64 = 5e-3;

/// Adds up energies and works of a world, step by step.
struct Ledger {
    world: OwnedWorld,
    handles: Vec<Handle>,
    /// Kinetic energy, that of springs, and all that was dissipated, less all works from outside, as the next step begins.
    behind: f64,
    /// The same and what normal forces stored, as the first step began.
    first: Option<f64>,
    spurious: f64,
    /// The largest difference between all of this and the spurious energies so far, and the largest of these.
    off: f64,
    most: f64,
    outside: f64,
    taken: f64,
    driven: f64,
}

impl Ledger {
    fn new(gravity: [f64; 3], members: &[BodyDef]) -> Ledger {
        let mut world = OwnedWorld::with_executor(Box::new(Serial));
        world.settings.energy = true;
        world.set_up(&Setup { gravity, ..Setup::default() }).unwrap();
        let handles = members.iter().map(|member| world.add(member).unwrap()).collect();
        let behind = world.report().unwrap().totals.kinetic();
        let zero = 0.0;
        Ledger {
            world,
            handles,
            behind,
            first: None,
            spurious: zero,
            off: zero,
            most: zero,
            outside: zero,
            taken: zero,
            driven: zero,
        }
    }

    fn step(&mut self, dt: f64, shapes: &[Shape<'_>], laws: &Laws<'_>) -> Report {
        self.world.advance(dt, dt, shapes, laws).unwrap();
        let report = self.world.report().unwrap();
        // Contacts are those with which the step began.
        let began = self.behind + report.stored_normal;
        self.spurious += report.spurious;
        self.off = self.off.max((began - *self.first.get_or_insert(began) - self.spurious).abs());
        self.most = self.most.max(self.spurious.abs());
        self.taken += report.damped + report.rubbed;
        self.driven += report.driven_work;
        self.outside += report.gravity_work + report.load_work + report.driven_work;
        self.behind = report.totals.kinetic() + report.stored_tangential + self.taken - self.outside;
        report
    }
}

fn fixed(shape: u32) -> BodyDef {
    BodyDef::new(Body::fixed(Pose::IDENTITY), shape)
}

fn ball(height: f64) -> Body {
    Body::ball(RADIUS, 1000.0, [0.0, 0.0, RADIUS + HALO + height]).unwrap()
}

/// Shape 1 of a plane and this mesh, thrown with spin at the plane.
fn thrown() -> Body {
    let moments = [1.0, 2.0, 2.5].map(|x| 0.1 * x);
    let orientation = [0.3, -0.2, 0.1, 0.9];
    Body {
        mass: 1.0,
        moments,
        orientation,
        velocity: [0.5, 0.0, -1.0],
        angular_velocity: [1.0, 2.0, -1.5],
        ..Body::ball(1.0, 1.0, [0.0, 0.0, 0.95]).unwrap()
    }
}

#[test]
fn all_that_nothing_else_tells_is_spurious_and_vanishes_with_the_step() {
    let cube = contact::Body::conservative(&cuboid([1.0; 3]), 0.02);
    let cube = surface(&cube, true);
    let shapes = [ground(HALO), sphere(RADIUS - HALO, HALO), Shape::Mesh(&cube)];
    let falling = Body { velocity: [0.0, 0.0, -1.0], ..ball(1e-9) };
    let spinning = Body { velocity: [0.6, 0.0, -1.0], angular_velocity: [1.0, 4.0, 3.0], ..falling };
    let elastic = Interaction::new(Normal::Linear, 1e6);
    let rough = Interaction { lag: 1e-6, rolling: 0.01, ..Interaction::new(Normal::Hertz, 1e8) };
    let rough = rough.damped(Damping::Dashpot, 0.1).rough(0.2, 0.8);
    let pressed = Interaction::new(Normal::Pressure, 3e4).rough(0.3, 0.8);
    let down = [0.0, 0.0, -10.0];
    for (name, law, gravity, body, shape, longest, steps) in [
        ("bounce", elastic, [0.0; 3], falling, 1, 2e-5, 1000),
        ("oblique", rough, down, spinning, 1, 2e-6, 5000),
        ("cube", pressed, down, thrown(), 2, 1e-4, 4000),
    ] {
        let laws = [law];
        let laws = Laws::new(&laws).unwrap();
        let mut last = f64::INFINITY;
        for finer in [1, 2, 4] {
            let mut ledger = Ledger::new(gravity, &[fixed(0), BodyDef::new(body, shape)]);
            let start = ledger.behind;
            let met = (0..steps * finer).filter(|_| ledger.step(longest / finer as f64, &shapes, &laws).contacts > 0);
            let met = met.count();
            println!("{name}, {met} steps in contact: {:.2e} spurious, off by {:.1e}", ledger.most, ledger.off);
            assert!(met > 100 && ledger.off < 1e-11 * start, "{name}: {:e}", ledger.off);
            assert!(ledger.most > 1e-9 * start && ledger.most < 0.7 * last && ledger.most < 0.01 * start);
            last = ledger.most;
        }
    }
}

#[test]
fn bodies_at_rest_make_no_energy() {
    let shapes = [ground(HALO), sphere(RADIUS - HALO, HALO)];
    let law = Interaction { lag: 1e-3, ..Interaction::new(Normal::Linear, 1e6) };
    let laws = [law.damped(Damping::Dashpot, dashpot(0.3)).rough(0.5, 0.8)];
    let laws = Laws::new(&laws).unwrap();
    let members = [fixed(0), BodyDef::new(ball(1e-3), 1), BodyDef::new(ball(2.0 * (RADIUS + HALO)), 1)];
    let mut ledger = Ledger::new([0.0, 0.0, -10.0], &members);
    ledger.world.advance(1.5, 5e-5, &shapes, &laws).unwrap();
    ledger.world.advance(0.1, 5e-5, &shapes, &laws).unwrap();
    let report = ledger.world.report().unwrap();
    println!(
        "{:e} spurious, {:e} stored, kinetic {:e}",
        report.spurious,
        report.stored_normal,
        report.totals.kinetic()
    );
    assert!(report.contacts == 2 && report.stored_normal > 1e-4);
    // Velocities so small that positions stay what they are do work.
    assert!(report.spurious.abs() < 1e-9 * report.stored_normal, "{:e}", report.spurious);
}

/// A load in place of gravity, and one that turns the body: their work is no part of what is spurious.
#[test]
fn works_of_loads_are_accounted_for() {
    let shapes = [ground(HALO), sphere(RADIUS - HALO, HALO)];
    let laws = [Interaction::new(Normal::Hertz, 1e8).rough(0.01, 0.8)];
    let laws = Laws::new(&laws).unwrap();
    let run = |gravity: f64, torque: f64, dt: f64| {
        let mut ledger = Ledger::new([0.0, 0.0, gravity], &[fixed(0), BodyDef::new(ball(1e-3), 1)]);
        let mass = ball(0.0).mass;
        let load = Wrench { force: [0.0, 0.0, (-10.0 - gravity) * mass], torque: [0.0, torque, 0.0] };
        ledger.world.with_loads(|loads| loads[1] = load).unwrap();
        let work = (0..(0.05 / dt).round() as usize).map(|_| ledger.step(dt, &shapes, &laws).load_work).sum::<f64>();
        (ledger, work)
    };
    let (fallen, none) = run(-10.0, 0.0, 1e-5);
    let (loaded, work) = run(0.0, 0.0, 1e-5);
    assert!(none == 0.0 && work.abs() > 1e-5, "{work}");
    let size = fallen.outside.abs();
    println!("{:e} by gravity, {:e} by loads, of {size:e}", fallen.spurious, loaded.spurious);
    assert!((fallen.spurious - loaded.spurious).abs() < 1e-9 * size && fallen.most > 1e-8 * size);
    let (turned, work) = run(0.0, 0.5, 1e-5);
    let (finer, _) = run(0.0, 0.5, 5e-6);
    println!("turned: work {work:e}, {:e} and {:e} spurious", turned.most, finer.most);
    assert!(work > 1e-3 && turned.taken > 1e-5 && turned.off < 1e-12, "{work} {} {:e}", turned.taken, turned.off);
    assert!(turned.most < 0.01 * work && finer.most < 0.7 * turned.most);
}

/// A plane that rises throws a ball, and a belt carries one along: the energy is that of the driven body.
#[test]
fn works_of_driven_bodies_are_accounted_for() {
    let shapes = [ground(HALO), sphere(RADIUS - HALO, HALO)];
    let elastic = [Interaction::new(Normal::Linear, 1e6)];
    let rubbing = [elastic[0].damped(Damping::Dashpot, dashpot(0.3)).rough(0.3, 0.8)];
    let plane = |motion: Motion, velocity| {
        BodyDef::new(Body { motion: motion as u32, velocity, ..Body::fixed(Pose::IDENTITY) }, 0)
    };
    let still = BodyDef::new(ball(1e-3), 1);
    for (name, law, gravity, plane, time) in [
        ("racket", &elastic, 0.0, plane(Motion::Kinematic, [0.0, 0.0, 1.0]), 0.02),
        ("belt", &rubbing, -10.0, plane(Motion::Static, [1.0, 0.0, 0.0]), 0.5),
    ] {
        let laws = Laws::new(law).unwrap();
        let mut last = f64::INFINITY;
        for dt in [2e-5, 1e-5] {
            let mut ledger = Ledger::new([0.0, 0.0, gravity], &[plane, still]);
            (0..(time / dt) as usize).for_each(|_| _ = ledger.step(dt, &shapes, &laws));
            let report = ledger.world.report().unwrap();
            let (kinetic, driven) = (report.totals.kinetic(), ledger.driven);
            println!("{name}: driven {driven:e}, kinetic {kinetic:e}, taken {:e}, {:e}", ledger.taken, ledger.most);
            // Twice the velocity of the racket; on the belt the energy of falling is lost, too.
            let expected = if gravity == 0.0 { 2.0 * ball(0.0).mass } else { kinetic + ledger.taken };
            assert!((driven / expected - 1.0).abs() < 0.05, "{name}: {driven} {expected}");
            assert!(ledger.off < 1e-11 * driven && ledger.most < 0.01 * driven, "{name}: {:e}", ledger.most);
            assert!(ledger.most < 0.7 * last, "{name}");
            last = ledger.most;
        }
    }
}

/// What the host changes is its own energy: the step in which it shows tells nothing.
#[test]
fn what_the_host_changes_is_not_spurious() {
    let shapes = [ground(HALO), sphere(RADIUS - HALO, HALO)];
    let laws = [Interaction::new(Normal::Linear, 1e6), Interaction::new(Normal::Linear, 5e6)];
    let laws = [laws[0], laws[1], laws[1]];
    let laws = Laws::new(&laws).unwrap();
    let dt = 1e-5;
    // Pressed into the plane, so that steps leave something over.
    let pressed = BodyDef::new(ball(-2e-3), 1);
    let begun = || {
        let mut ledger = Ledger::new([0.0; 3], &[fixed(0), pressed]);
        let told = [0; 3].map(|_| ledger.step(dt, &shapes, &laws).spurious);
        assert!(told[0] == 0.0 && told[1] != 0.0 && told[2] != 0.0, "{told:?}");
        ledger
    };
    type Change = fn(&mut Ledger);
    let changes: [(&str, Change); 8] = [
        ("moved", |ledger| {
            let ball = ledger.handles[1];
            let body = ledger.world.view().unwrap().body(ball).unwrap();
            ledger.world.set_body(ball, &Body { position: [0.0, 0.0, RADIUS + HALO - 3e-3], ..body }).unwrap();
        }),
        ("frozen", |ledger| {
            // Bodies that forces do not move have no contact with each other.
            let ball = ledger.handles[1];
            let body = ledger.world.view().unwrap().body(ball).unwrap();
            ledger.world.set_body(ball, &Body { motion: Motion::Static as u32, ..body }).unwrap();
        }),
        ("another material", |ledger| ledger.world.open().unwrap().set_material(ledger.handles[1], 1).unwrap()),
        ("another scale", |ledger| {
            let ball = ledger.handles[1];
            let member = ledger.world.view().unwrap().member(ball).unwrap();
            ledger.world.set_member(ball, &BodyDef { scale: 1.01, ..member }).unwrap();
        }),
        ("added", |ledger| {
            let near = Body { position: [0.3, 0.0, RADIUS + HALO - 1e-3], ..ball(0.0) };
            ledger.world.add(&BodyDef::new(near, 1)).unwrap();
        }),
        ("removed", |ledger| ledger.world.remove(ledger.handles[1]).unwrap()),
        ("periods", |ledger| {
            ledger.world.set_up(&Setup { periods: [0.0, 2.0, 0.0], ..Setup::default() }).unwrap();
        }),
        ("thrown", |ledger| {
            // Velocities are no energy of contacts: this one goes on.
            let ball = ledger.handles[1];
            let body = ledger.world.view().unwrap().body(ball).unwrap();
            ledger.world.set_body(ball, &Body { velocity: [0.0, 0.0, -0.5], ..body }).unwrap();
        }),
    ];
    let plain = begun().step(dt, &shapes, &laws).spurious;
    for (name, change) in changes {
        let mut ledger = begun();
        change(&mut ledger);
        let [first, next] = [0; 2].map(|_| ledger.step(dt, &shapes, &laws).spurious);
        println!("{name}: {first:e}, then {next:e}");
        assert!(if name == "thrown" { first == plain } else { first == 0.0 }, "{name}: {first:e}");
        assert!(next != 0.0 || ["frozen", "removed"].contains(&name), "{name}");
    }
}

/// A step that was tried is no step, and windows have the sums of their steps.
#[test]
fn windows_have_the_sums_of_their_steps_and_trials_none() {
    let shapes = [ground(HALO), sphere(RADIUS - HALO, HALO)];
    let laws = [Interaction::new(Normal::Linear, 1e6).damped(Damping::Dashpot, 0.2).rough(0.2, 0.8)];
    let laws = Laws::new(&laws).unwrap();
    let body = Body { velocity: [0.6, 0.0, -1.0], ..ball(1e-9) };
    let begun = || {
        let mut ledger = Ledger::new([0.0, 0.0, -10.0], &[fixed(0), BodyDef::new(body, 1)]);
        ledger.step(1e-5, &shapes, &laws);
        ledger
    };
    let (mut steps, mut tried) = (begun(), begun());
    for _ in 0..100 {
        steps.step(1e-5, &shapes, &laws);
        tried.world.overlaps(&shapes, &laws).unwrap();
        tried.step(1e-5, &shapes, &laws);
    }
    assert_eq!(steps.spurious.to_bits(), tried.spurious.to_bits());
    // Those of balls alone have records in the last step of a window.
    let mut window = begun();
    window.world.advance(1e-3, 1e-5, &shapes, &laws).unwrap();
    let told = window.world.report().unwrap().spurious;
    assert!(steps.spurious.abs() > 1e-6 && (told - steps.spurious).abs() < 1e-9 * steps.spurious.abs(), "{told}");
}

#[test]
fn what_a_region_tells_counts_whatever_its_sign() {
    // Where a ball or a rod is deep in a ring, only the sum of the energies of its regions means something.
    let ring = contact::Body::conservative(&soup(&generate::torus(0.5, 0.18, 12, 8).unwrap()), 0.02);
    let ring = surface(&ring, true);
    let shapes = [Shape::Mesh(&ring), sphere(0.3, 0.02), capsule(0.4, 0.1, 0.02)];
    let stiffness = 1e6;
    let table = [Interaction::new(Normal::Pressure, stiffness)];
    let laws = Laws::new(&table).unwrap();
    let mut random = Random::new(8);
    let (mut below, mut nothing, mut left) = (0, 0, 0);
    for case in 0..60 {
        let shape = 1 + case % 2;
        let pose = Pose {
            position: scale([0.62, 0.4][case % 2] * random.range(0.9, 1.0), random.direction()),
            orientation: random.rotation(),
        };
        let body = match shape {
            1 => Body { orientation: pose.orientation, ..Body::ball(0.3, 1e3, pose.position).unwrap() },
            _ => Body::capsule(0.4, 0.1, 1e3, &pose).unwrap(),
        };
        let mut world = OwnedWorld::with_executor(Box::new(Serial));
        world.settings.energy = true;
        world.add(&BodyDef::new(Body::fixed(Pose::IDENTITY), 0)).unwrap();
        world.add(&BodyDef::new(body, shape as u32)).unwrap();
        let (dt, mut first, mut spurious) = (2e-5, None, 0.0);
        let steps = if case < 12 { 4000 } else { 1 };
        for _ in 0..steps {
            world.advance(dt, dt, &shapes, &laws).unwrap();
            let (report, view) = (world.report().unwrap(), world.view().unwrap());
            let contacts = view.scene().now().contacts();
            let told = stiffness * contacts.iter().map(|c| c.energy).sum::<f64>();
            // Of a contact that ends, rounding may leave less than nothing.
            assert!(
                (report.stored_normal - told).abs() <= 1e-12 * told.abs(),
                "{case}: {} {told}",
                report.stored_normal
            );
            assert!(told >= -1e-12 * first.unwrap_or(0.0), "{case}: {told}");
            below += contacts.iter().filter(|c| c.energy < 0.0).count();
            nothing += contacts.iter().filter(|c| c.energy == 0.0).count();
            let all = first.get_or_insert(told);
            if *all == 0.0 {
                break;
            }
            spurious += report.spurious;
            if contacts.is_empty() {
                // All that was stored is motion.
                let kinetic = report.totals.kinetic();
                assert!((kinetic - *all).abs() < 1e-3 * *all, "{case}: {kinetic} {all}");
                assert!(spurious.abs() < 1e-3 * *all, "{case}: {spurious} {all}");
                left += 1;
                break;
            }
        }
    }
    assert!(below > 10 && nothing == 0 && left > 3, "{below} {nothing} {left}");
}
