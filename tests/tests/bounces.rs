//! Bodies that bounce without damping and friction under the law of volumes keep their energy: what a bounce costs is the time step's, and vanishes with its square.

use dem_core::contact::shape::Shape;
use dem_core::contact::{Contact, Law, least_gap};
use dem_core::mesh::{mass_properties, mass_scratch};
use dem_core::pose::Pose;
use dem_core::simd::Isa;
use dem_std::{Memory, generate};
use dem_tests::contact::{Body, after, all_contacts, at, cuboid, ell, soup, wrench};
use dem_tests::deep::turn;
use dem_tests::random::Random;
use dem_tests::shapes::{all, ground, placed, surface};
use dem_tests::vector::{add, dot, rotate, scale, sub};
use dem_tests::{Triangle, cases, data};

/// Halo of each body.
const HALO: f64 = 0.05;
/// Of both.
const T: f64 = 2.0 * HALO;
const GRAVITY: f64 = 0.5;

/// A rigid body of mass 1 about its centre of mass, in its principal axes.
#[derive(Clone, Copy)]
struct Rigid {
    pose: Pose,
    velocity: [f64; 3],
    /// Angular momentum in the frame of the body.
    momentum: [f64; 3],
    moments: [f64; 3],
    /// Whether it moves.
    free: bool,
}

impl Rigid {
    fn energy(&self) -> f64 {
        let spin: f64 = self.momentum.iter().zip(self.moments).map(|(l, i)| 0.5 * l * l / i).sum();
        if self.free { 0.5 * dot(self.velocity, self.velocity) + spin + GRAVITY * self.pose.position[2] } else { 0.0 }
    }

    fn kick(&mut self, force: [f64; 3], torque: [f64; 3], dt: f64) {
        let [x, y, z, w] = self.pose.orientation;
        let torque = rotate([-x, -y, -z, w], torque);
        if self.free {
            self.velocity = add(self.velocity, scale(dt, sub(force, [0.0, 0.0, GRAVITY])));
            self.momentum = add(self.momentum, scale(dt, torque));
        }
    }

    /// Turns about the principal axes one after the other and back: second order, and a canonical map.
    fn drift(&mut self, dt: f64) {
        self.pose.position = add(self.pose.position, scale(dt, self.velocity));
        for (k, part) in [(0, 0.5), (1, 0.5), (2, 1.0), (1, 0.5), (0, 0.5)] {
            let axis = [0, 1, 2].map(|i| f64::from(u8::from(i == k)));
            let angle = part * dt * self.momentum[k] / self.moments[k];
            self.pose.orientation = after(self.pose.orientation, turn(axis, angle));
            self.momentum = rotate(turn(axis, -angle), self.momentum);
        }
        let size = self.pose.orientation.iter().map(|x| x * x).sum::<f64>().sqrt();
        self.pose.orientation = self.pose.orientation.map(|x| x / size);
    }
}

/// A body about its centre of mass, in its principal axes, and its moments of inertia for mass 1. Its mesh decides on the law of volumes.
fn body(soup: &[Triangle]) -> (Body, [f64; 3]) {
    let first = Body::new(soup, HALO);
    let mesh = first.shape.mesh().unwrap();
    let mass = mass_properties(mesh, 1.0, &mut Memory::new(mass_scratch(&mesh.sizes).unwrap()).unwrap()).unwrap();
    let turned = |v: [f64; 3]| mass.axes.map(|axis| dot(axis, sub(v, mass.centre)));
    let soup: Vec<Triangle> = soup.iter().map(|t| t.map(turned)).collect();
    let body = Body::new(&soup, HALO);
    assert_eq!(body.cells().law(), Law::Volume);
    (body, mass.moments.map(|i| i / mass.mass))
}

/// One bounce: the relative change of the energy, and the least gap. A must come near B, and leave it.
fn bounce(mut pair: [Rigid; 2], k: f64, dt: f64, contacts: impl Fn(&Pose, &Pose) -> Vec<Contact>) -> [f64; 2] {
    let energy = |pair: &[Rigid; 2]| pair[0].energy() + pair[1].energy();
    let start = energy(&pair);
    let (mut met, mut least) = (false, f64::INFINITY);
    let mut kick = |pair: &mut [Rigid; 2]| {
        let list = contacts(&pair[0].pose, &pair[1].pose);
        least = least.min(least_gap(&list));
        for (body, sign) in pair.iter_mut().zip([k, -k]) {
            let w = wrench(&list, body.pose.position);
            body.kick(scale(sign, w.force), scale(sign, w.torque), 0.5 * dt);
        }
        !list.is_empty()
    };
    kick(&mut pair);
    for _ in 0..(8.0 / dt) as usize {
        pair.iter_mut().for_each(|body| body.drift(dt));
        let before = pair;
        let now = kick(&mut pair);
        if met && !now {
            return [energy(&pair) / start - 1.0, least];
        }
        met |= now;
        for (body, before) in pair.iter_mut().zip(before) {
            // The second half at the same pose is as the first one.
            let half = (sub(body.velocity, before.velocity), sub(body.momentum, before.momentum));
            (body.velocity, body.momentum) = (add(body.velocity, half.0), add(body.momentum, half.1));
        }
    }
    panic!("no bounce: {met} {least} {:?} {:?}", pair[0].pose, pair[0].velocity)
}

/// What a body bounces on.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Other {
    Plane,
    Wall,
    Same,
}

/// The lowest point of a body that is turned.
fn low(body: &Body, q: [f64; 4]) -> f64 {
    let mesh = body.shape.mesh().unwrap();
    (0..mesh.len()).flat_map(|i| mesh.triangle(i)).map(|v| rotate(q, v)[2]).fold(f64::INFINITY, f64::min)
}

/// At random orientations and spins, as deep as 0.3 and -1.5 T: at least 40 steps for each T of the way.
#[test]
fn a_bounce_keeps_the_energy() {
    let rock = |level, size| {
        let rock = soup(&generate::bumpy(generate::icosphere(level).unwrap(), 1.4, 7).unwrap());
        rock.iter().map(|t| t.map(|v| scale(size, v))).collect::<Vec<_>>()
    };
    let wall = Body::new(&soup(&generate::plate([3, 3], [8.0, 8.0]).unwrap()), HALO);
    let fixed = Rigid { pose: Pose::IDENTITY, velocity: [0.0; 3], momentum: [0.0; 3], moments: [1.0; 3], free: false };
    let mut random = Random::new(5);
    // Sums of squares.
    let (mut coarse, mut fine) = (0.0, 0.0);
    for (name, soup, count) in
        [("cube", cuboid([1.0; 3]), 4), ("box", cuboid([1.0, 0.6, 0.8]), 2), ("rock", rock(1, 0.5), 3), ("L", ell(), 2)]
    {
        let (a, moments) = body(&soup);
        for (other, case) in
            (0..count).flat_map(|case| [Other::Plane, Other::Wall, Other::Same].map(|other| (other, case)))
        {
            let (q, p) = (random.rotation(), random.rotation());
            let spin = scale(1.5, random.in_cube(1.0));
            let momentum = [0, 1, 2].map(|i| moments[i] * spin[i]);
            let upper = Rigid {
                pose: at([0.1, 0.2, 1.2 * T - low(&a, q)], q),
                velocity: [0.3, 0.1, -1.0],
                momentum,
                moments,
                free: true,
            };
            let lower = Rigid {
                pose: at([0.05, -0.02, 0.2 - 2.0 * a.shape.mesh().unwrap().radius()], p),
                velocity: [0.0, 0.1, 1.0],
                ..upper
            };
            let pair = match other {
                Other::Same => [Rigid { pose: at([0.0, 0.1, 0.3], q), ..upper }, lower],
                _ => [upper, fixed],
            };
            let contacts = |x: &Pose, y: &Pose| match other {
                Other::Plane => all(&placed(Shape::Mesh(&surface(&a, false)), x), &placed(ground(HALO), y)).0,
                Other::Wall => all_contacts(Isa::best(), &a.side(x), &wall.side(y)).0,
                Other::Same => all_contacts(Isa::best(), &a.side(x), &a.side(y)).0,
            };
            for aim in [0.3, -1.5] {
                // The stiffness at which it comes about so far.
                let step = |k: f64| 5e-3 * (1e3 / k).sqrt().min(1.0);
                let (mut from, mut to) = (1.0f64, 1e5f64);
                for _ in 0..7 {
                    let middle = (from * to).sqrt();
                    let [_, least] = bounce(pair, middle, step(middle), contacts);
                    if least < aim * T { from = middle } else { to = middle }
                }
                let k = (from * to).sqrt();
                let [[x, _], [y, least]] = [0.5, 0.125].map(|part| bounce(pair, k, part * step(k), contacts));
                println!("{name} {other:?} {case}: k {k:.0}, least {:.2} T: {x:.1e} {y:.1e}", least / T);
                assert!(x.abs() < 1e-4 && y.abs() < 1e-6 && least < 0.7 * T, "{name} {other:?} {case}: {x:e} {y:e}");
                (coarse, fine) = (coarse + x * x, fine + y * y);
            }
        }
    }
    println!("{:.1e} {:.1e}", coarse.sqrt(), fine.sqrt());
    // A quarter of the step.
    assert!(fine.sqrt() < coarse.sqrt() / 10.0, "{coarse:e} {fine:e}");
}

/// A scanned body with folds, ears and a base, of 3,674 triangles: on its ears, its side and turned at random, on a half-space and on a wall.
#[test]
fn a_bunny_bounces_for_ever() {
    let bunny: Vec<Triangle> = data::mesh("scenes/bunny.stl").iter().map(|t| t.map(|v| scale(0.15, v))).collect();
    let (a, moments) = body(&bunny);
    let wall = Body::new(&soup(&generate::plate([3, 3], [8.0, 8.0]).unwrap()), HALO);
    let fixed = Rigid { pose: Pose::IDENTITY, velocity: [0.0; 3], momentum: [0.0; 3], moments: [1.0; 3], free: false };
    let mut random = Random::new(11);
    for case in 0..3 {
        let q = random.rotation();
        let spin = scale(1.5, random.in_cube(1.0));
        let upper = Rigid {
            pose: at([0.1, 0.2, 1.2 * T - low(&a, q)], q),
            velocity: [0.3, 0.1, -1.0],
            momentum: [0, 1, 2].map(|i| moments[i] * spin[i]),
            moments,
            free: true,
        };
        for on_wall in [false, true] {
            let contacts = |x: &Pose, y: &Pose| match on_wall {
                false => all(&placed(Shape::Mesh(&surface(&a, false)), x), &placed(ground(HALO), y)).0,
                true => all_contacts(Isa::best(), &a.side(x), &wall.side(y)).0,
            };
            let k = 1e3;
            let [[x, _], [y, least]] = [2e-3, 5e-4].map(|dt| bounce([upper, fixed], k, dt, contacts));
            println!("bunny {case} {on_wall}: least {:.2} T: {x:.1e} {y:.1e}", least / T);
            assert!(x.abs() < 1e-4 && y.abs() < 1e-5 && least < 0.7 * T, "{case} {on_wall}: {x:e} {y:e} {least}");
        }
    }
}

/// The same, pressed into a half-space by up to 1.8 T: what a bounce changes vanishes with the square of the step.
#[test]
fn a_bunny_that_is_pressed_in_bounces_for_ever() {
    let bunny: Vec<Triangle> = data::mesh("scenes/bunny.stl").iter().map(|t| t.map(|v| scale(0.15, v))).collect();
    let (a, moments) = body(&bunny);
    let fixed = Rigid { pose: Pose::IDENTITY, velocity: [0.0; 3], momentum: [0.0; 3], moments: [1.0; 3], free: false };
    let (mut random, mut deepest, steps) = (Random::new(11), 0.0f64, &[4e-3, 1e-3, 2.5e-4][..cases(2, 3)]);
    let mut errors = vec![0.0; steps.len()];
    for case in 0..3 {
        let q = random.rotation();
        let spin = scale(1.5, random.in_cube(1.0));
        let upper = Rigid {
            pose: at([0.1, 0.2, 1.2 * T - low(&a, q)], q),
            velocity: [0.3, 0.1, -1.0],
            momentum: [0, 1, 2].map(|i| moments[i] * spin[i]),
            moments,
            free: true,
        };
        let contacts =
            |x: &Pose, y: &Pose| all(&placed(Shape::Mesh(&surface(&a, false)), x), &placed(ground(HALO), y)).0;
        for (dt, sum) in steps.iter().zip(&mut errors) {
            let [error, least] = bounce([upper, fixed], 50.0, *dt, contacts);
            println!("bunny {case} {dt}: least {:.2} T: {error:.1e}", least / T);
            (*sum, deepest) = (*sum + error * error, deepest.min(least));
        }
    }
    let errors: Vec<f64> = errors.into_iter().map(f64::sqrt).collect();
    assert!(deepest < -1.5 * T && errors[1] < 1e-7, "{deepest} {errors:?}");
    // A quarter of the step each time.
    assert!(errors.windows(2).all(|x| x[1] < x[0] / 8.0), "{errors:?}");
}
