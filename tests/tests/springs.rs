//! Springs of regions against those of patch pairs: a ball of facets that rolls, a rock that slides over hills, feet that join and part.
//!
//! Bodies are led along a path; the law is a tangential spring for each contact, `F = -(1 - gap/T) area s`, whose elongation grows by the slip of the step
//! and is at most a given length (Coulomb's law with this pressure). The resultants of both should be the same.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use dem_core::array::{Array, Words};
use dem_core::body::Body as Rigid;
use dem_core::broad::Motion;
use dem_core::contact::Contact;
use dem_core::contact::history::{BodyPair, carried};
use dem_core::contact::regions::Grouping;
use dem_core::contact::shape::Shape;
use dem_core::detect::laws::{ContactInput, ContactResponse, TakenOver};
use dem_core::detect::{Bodies, Carry, JoinedSprings, SplitSprings};
use dem_core::error::What;
use dem_core::exec::Serial;
use dem_core::force::{Interaction, Laws, Normal, take_over};
use dem_core::pose::Pose;
use dem_core::world::{BodyDef, PollResult, SPRINGS, Setup, Springs, StepOptions};
use dem_std::{OwnedScene, OwnedWorld, Threads, generate};
use dem_tests::Triangle;
use dem_tests::contact::{Body, after, at, cuboid, soup};
use dem_tests::shapes::surface;
use dem_tests::vector::{add, dot, length, rotate, scale, sub};
use std::f64::consts::FRAC_PI_2;

/// Of each body.
const HALO: f64 = 0.05;

/// A body on another one, which lies still, in a scene.
struct Run<'s> {
    scene: OwnedScene,
    shapes: [Shape<'s>; 2],
    pose: Pose,
    springs: Vec<[f64; 3]>,
    /// The longest elongation.
    most: f64,
    /// How far surfaces slip in each step, if that is the same everywhere.
    slip: Option<[f64; 3]>,
}

/// What a step came to.
#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    /// Of all springs.
    tangential: [f64; 3],
    normal: [f64; 3],
    /// Sum of the sizes of all forces, along the normals of contacts.
    load: f64,
    /// What springs that are not at their limit leave of friction.
    spare: f64,
    contacts: usize,
    blends: usize,
}

impl<'s> Run<'s> {
    fn new(shapes: [Shape<'s>; 2], grouping: Grouping, most: f64) -> Self {
        let mut scene = OwnedScene::with_executor(Box::new(Serial));
        scene.settings.grouping = grouping;
        scene.settings.bound = 2.0 * HALO;
        Run { scene, shapes, pose: Pose::IDENTITY, springs: Vec::new(), most, slip: None }
    }

    /// The body is here now.
    fn step(&mut self, pose: Pose) -> Sum {
        let (positions, orientations) = ([pose.position, [0.0; 3]], [pose.orientation, [0.0, 0.0, 0.0, 1.0]]);
        let kinds = [0, 1];
        let bodies = Bodies {
            orientations: Some(Array::from_quaternions(&orientations)),
            ..Bodies::new(&self.shapes, Words::from_slice(&kinds), Array::from_f64(&positions))
        };
        let found = self.scene.detect(&bodies).unwrap();
        let view = self.scene.view().unwrap();
        let mut springs = vec![[0.0; 3]; found.contacts];
        view.carry(&Serial, Carry::Tangent, &self.springs, &mut springs).unwrap();
        let (is, was) = (pose.transform(What::Pose).unwrap(), self.pose.transform(What::Pose).unwrap());
        let mut sum = Sum { contacts: found.contacts, blends: view.blends().len(), ..Sum::default() };
        for (c, s) in view.now().contacts().iter().zip(&mut springs) {
            // How far the body's surface went here.
            let own = || sub(c.position, was.apply(is.apply_back(c.position)));
            let slip = if found.persisting > 0 { self.slip.unwrap_or_else(own) } else { [0.0; 3] };
            *s = add(*s, sub(slip, scale(dot(slip, c.normal), c.normal)));
            let size = length(*s);
            *s = if size > self.most { scale(self.most / size, *s) } else { *s };
            let pressure = (1.0 - c.gap / c.halo) * c.area;
            sum.tangential = sub(sum.tangential, scale(pressure, *s));
            sum.normal = add(sum.normal, scale(pressure, c.normal));
            sum.load += pressure;
            sum.spare += pressure * (self.most - length(*s));
        }
        (self.springs, self.pose) = (springs, pose);
        sum
    }
}

/// Both ways of telling contacts, side by side.
struct Both<'s> {
    patches: Run<'s>,
    regions: Run<'s>,
    /// The largest difference of the resultants, over the size of that of patch pairs where this is at least half of what friction can be; over what
    /// friction can be; and the sum of these.
    worst: f64,
    of_limit: f64,
    mean: f64,
    /// The largest difference of the resultants, over what friction can be, beyond what lengths of forces tell: patch pairs have more where they lean from each
    /// other, as their forces together are longer than their sum, and less where springs are not at their limit.
    beyond: f64,
    steps: usize,
    contacts: [usize; 2],
    mixed: usize,
}

impl<'s> Both<'s> {
    fn new(shapes: [Shape<'s>; 2], most: f64) -> Self {
        let run = |grouping| Run::new(shapes, grouping, most);
        let (patches, regions) = (run(Grouping::PATCHES), run(Grouping::default()));
        Both {
            patches,
            regions,
            worst: 0.0,
            of_limit: 0.0,
            mean: 0.0,
            beyond: 0.0,
            steps: 0,
            contacts: [0; 2],
            mixed: 0,
        }
    }

    /// From now on surfaces slip by as much everywhere.
    fn slip(&mut self, by: [f64; 3]) {
        [&mut self.patches, &mut self.regions].into_iter().for_each(|run| run.slip = Some(by));
    }

    fn step(&mut self, pose: Pose) -> [Sum; 2] {
        let sums = [self.patches.step(pose), self.regions.step(pose)];
        let [a, b] = sums.map(|sum| sum.tangential);
        let (off, limit) = (length(sub(a, b)), self.patches.most * length(sums[0].normal));
        if length(a) >= 0.3 * limit && limit > 0.0 {
            self.worst = self.worst.max(off / length(a));
        }
        if limit > 0.0 {
            self.of_limit = self.of_limit.max(off / limit);
            self.mean += off / limit;
            let longer = sums[0].load - length(sums[0].normal);
            self.beyond = self.beyond.max((off - sums[0].spare - self.patches.most * longer) / limit);
        }
        self.steps += 1;
        self.mixed += usize::from(sums[1].blends > 0);
        self.contacts.iter_mut().zip(&sums).for_each(|(all, sum)| *all += sum.contacts);
        sums
    }

    fn tell(&self, name: &str) {
        let mean = self.contacts.map(|n| n as f64 / self.steps as f64);
        println!(
            "info {name}: largest deviation {:.3} % of friction, {:.3} % of what it can be ({:.4} % in the mean) in {} steps, {:.1} patch pairs, {:.2} regions, {} steps with blends",
            100.0 * self.worst,
            100.0 * self.of_limit,
            100.0 * self.mean / self.steps as f64,
            self.steps,
            mean[0],
            mean[1],
            self.mixed
        );
    }
}

/// Height of the lowest corner.
fn lowest(soup: &[Triangle], turn: [f64; 4]) -> f64 {
    soup.iter().flatten().map(|v| rotate(turn, *v)[2]).fold(f64::INFINITY, f64::min)
}

/// The elongation of one contact between both bodies.
struct Truth {
    elongation: [f64; 3],
    most: f64,
    /// Pose and normal of the last step, if the bodies touched.
    last: Option<Pose>,
}

impl Truth {
    fn new(most: f64) -> Self {
        Truth { elongation: [0.0; 3], most, last: None }
    }

    /// Gives the friction at a pose, for the resultant of all pressures and the slip of the step.
    fn step(&mut self, pose: Pose, normal: [f64; 3], slip: [f64; 3]) -> [f64; 3] {
        let force = length(normal);
        if force == 0.0 {
            *self = Truth::new(self.most);
            return [0.0; 3];
        }
        let along = scale(1.0 / force, normal);
        if let Some(pose_a) = self.last {
            let [last, next] = [pose_a, pose].map(|pose_a| BodyPair { pose_a, ..BodyPair::default() });
            let slip = sub(slip, scale(dot(slip, along), along));
            let sum = add(carried(self.elongation, along, &last, &next).unwrap(), slip);
            self.elongation = if length(sum) > self.most { scale(self.most / length(sum), sum) } else { sum };
        }
        self.last = Some(pose);
        scale(-force, self.elongation)
    }
}

#[test]
fn a_ball_of_facets_that_rolls_keeps_its_spring_for_ten_turns() {
    let ball = soup(&generate::icosphere(1).unwrap());
    let plane = soup(&generate::plate([20, 1], [160.0, 8.0]).unwrap());
    let (body, wall) = (Body::new(&ball, HALO), Body::new(&plane, HALO));
    let (a, b) = (surface(&body, true), surface(&wall, false));
    let mut both = Both::new([Shape::Mesh(&a), Shape::Mesh(&b)], 0.01);
    // Not along its symmetries.
    let tilt = [0.1, 0.2, -0.3, 0.927_361_849_549_570_4];
    let place = |phi: f64| {
        let turn = after([0.0, (0.5 * phi).sin(), 0.0, (0.5 * phi).cos()], tilt);
        at([0.95 * phi - 70.0, 0.0, HALO - lowest(&ball, turn)], turn)
    };
    const STEPS: u32 = 10_000;
    let (mut truth, mut worst) = (Truth::new(0.01), 0.0f64);
    for k in 0..=STEPS {
        let phi = 20.0 * std::f64::consts::PI * f64::from(k) / f64::from(STEPS);
        // It comes under load in the first steps, and slips to and fro then.
        let slip = match k {
            0..=20 => [1e-4, 2e-4, 0.0],
            _ => [1e-5 * (7.3 * phi).cos(), 1e-5 * (5.1 * phi).sin(), 0.0],
        };
        both.slip(slip);
        let [_, now] = both.step(place(phi));
        // The plane's normal is that of the contact.
        let expected = truth.step(place(phi), [0.0, 0.0, length(now.normal)], slip);
        if k > 0 {
            worst = worst.max(length(sub(now.tangential, expected)) / length(expected));
        }
    }
    both.tell("a ball of 80 facets rolls ten turns");
    println!("info its friction differs from that of one contact with the plane by at most {:.3} %", 100.0 * worst);
    assert_eq!(both.contacts[1], both.steps, "one place");
    assert!(worst < 0.01, "{worst}");
}

/// Hills of triangles.
fn hills() -> Vec<Triangle> {
    let mesh = generate::plate([100, 20], [50.0, 10.0]).unwrap();
    let height = |v: [f64; 3]| 0.12 * (1.3 * v[0]).sin() * (1.1 * v[1]).cos() + 0.05 * (2.9 * v[0] + 1.7 * v[1]).sin();
    soup(&mesh).into_iter().map(|t| t.map(|v| [v[0], v[1], height(v)])).collect()
}

/// How a rock goes over hills.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Way {
    /// It slides, and its surface slips as it goes.
    Slides,
    /// It slides, and slips by as much in each step.
    Creeps,
    /// It turns, slips in the first steps of touching, and to and fro by a little then.
    Turns,
}

#[test]
fn a_rock_goes_ten_diameters_over_hills_with_the_friction_of_one_contact() {
    let rock = soup(&generate::bumpy(generate::icosphere(2).unwrap(), 1.2, 5).unwrap());
    let ground = hills();
    let (body, wall) = (Body::new(&rock, HALO), Body::new(&ground, HALO));
    let (a, b) = (surface(&body, true), surface(&wall, false));
    for (way, most) in [Way::Slides, Way::Creeps, Way::Turns].into_iter().flat_map(|way| [(way, 0.005), (way, 0.05)]) {
        let mut both = Both::new([Shape::Mesh(&a), Shape::Mesh(&b)], most);
        let (mut truth, mut worst, mut compared) = (Truth::new(most), 0.0f64, 0);
        let mut before = Pose::IDENTITY;
        let (mut z, mut touching) = (1.4, 0);
        // As much force as a foot of the rock has, about.
        const FORCE: f64 = 0.02;
        for k in 0..4000 {
            let x = f64::from(k) * 0.005;
            let spin = if way == Way::Turns { 0.25 * x } else { 0.0 };
            let turn = after([0.0, spin.sin(), 0.0, spin.cos()], [0.0, 0.0, 0.2, 0.96_f64.sqrt()]);
            let pose = at([x - 10.0, 0.3 * (0.4 * x).sin(), z], turn);
            let slip = match way {
                Way::Slides => sub(pose.position, before.position),
                Way::Creeps => [2e-4, 1e-4, 0.0],
                Way::Turns if touching < 10 => [2e-4, 4e-4, 0.0],
                Way::Turns => [1e-5 * (14.6 * x).cos(), 1e-5 * (10.2 * x).sin(), 0.0],
            };
            both.slip(slip);
            let [patches, regions] = both.step(pose);
            let expected = truth.step(pose, regions.normal, slip);
            touching += usize::from(patches.contacts > 0);
            if length(expected) > 0.0 {
                worst = worst.max(length(sub(regions.tangential, expected)) / length(expected));
                compared += 1;
            }
            before = pose;
            z += (0.2 * HALO * (patches.normal[2] / FORCE - 1.0)).clamp(-0.1 * HALO, 0.1 * HALO);
        }
        both.tell(&format!("a rock on hills: {way:?}, at most {most} of elongation"));
        println!("info its friction differs from that of one contact by at most {:.3} %", 100.0 * worst);
        assert!(compared > 3900, "{compared}");
        assert!(worst < 0.01, "{way:?} {most}: {worst}");
        // What slips all the way is at the limit, in whatever parts; forces that lean from each other are longer than their sum.
        if way == Way::Slides {
            println!("info beyond what lengths of forces tell: {:.3} %", 100.0 * both.beyond);
            assert!(both.beyond < 0.01 && both.worst < 0.05, "{} {}", both.beyond, both.worst);
        }
    }
}

/// A block with a notch below, as wide as both feet are apart.
fn feet(depth: f64) -> Vec<Triangle> {
    let outline = [
        [-1.0, 0.0],
        [-0.5, 0.0],
        [-0.4, depth],
        [0.4, depth],
        [0.5, 0.0],
        [1.0, 0.0],
        [1.0, 1.0],
        [0.4, 1.0],
        [-0.4, 1.0],
        [-1.0, 1.0],
    ];
    let side = [[9, 0, 1], [9, 1, 2], [9, 2, 8], [2, 3, 7], [2, 7, 8], [3, 4, 5], [3, 5, 6], [3, 6, 7]];
    let corner = |i: usize, y: f64| [outline[i][0], y, outline[i][1]];
    let mut all = Vec::new();
    for [i, j, k] in side {
        all.push([corner(i, -0.5), corner(j, -0.5), corner(k, -0.5)]);
        all.push([corner(i, 0.5), corner(k, 0.5), corner(j, 0.5)]);
    }
    for i in 0..10 {
        let j = (i + 1) % 10;
        all.push([corner(i, -0.5), corner(i, 0.5), corner(j, 0.5)]);
        all.push([corner(i, -0.5), corner(j, 0.5), corner(j, -0.5)]);
    }
    all
}

#[test]
fn feet_that_join_and_part_keep_their_friction() {
    let shape = feet(0.4 * HALO);
    let plane = soup(&generate::plate([1, 1], [20.0, 20.0]).unwrap());
    let (body, wall) = (Body::new(&shape, HALO), Body::new(&plane, HALO));
    let (a, b) = (surface(&body, true), surface(&wall, false));
    let mut both = Both::new([Shape::Mesh(&a), Shape::Mesh(&b)], 0.012);
    let place = |along: f64, yaw: f64, gap: f64| {
        at([along, 0.5 * along, gap], [0.0, 0.0, (0.5 * yaw).sin(), (0.5 * yaw).cos()])
    };
    // Both feet slide, each another way.
    let mut before = Sum::default();
    for k in 0..=50 {
        let way = 1e-4 * f64::from(k);
        [_, before] = both.step(place(way, way, 1.8 * HALO));
    }
    assert_eq!((before.contacts, before.blends), (2, 0), "two feet");
    let (mut joined, mut parted) = (0, 0);
    for k in 0..=400 {
        // Down and up again.
        let depth = 1.0 - (f64::from(k) / 200.0 - 1.0).abs();
        let [_, now] = both.step(place(5e-3, 5e-3, (1.8 - 1.2 * depth) * HALO));
        let [was, is] = [before, now].map(|sum| length(sum.tangential) / length(sum.normal));
        assert!((is / was - 1.0).abs() < 0.01, "step {k}: {was} {is}");
        joined += usize::from(before.contacts == 2 && now.contacts == 1);
        parted += usize::from(before.contacts == 1 && now.contacts == 2);
        before = now;
    }
    both.tell("feet that join and part");
    assert_eq!((joined, parted), (1, 1));
}

/// The springs at the end of a step of this contact, from those that follow it and what it takes over.
fn wound(
    c: &Contact,
    springs: &Springs,
    taken: (&JoinedSprings, &SplitSprings),
    [velocity, spin]: [[f64; 3]; 2],
) -> Springs {
    let reach = (c.area / 6.0).sqrt();
    let [slide, twist] = take_over([springs[0], springs[1]], c.normal, taken, reach, 1.0);
    let across = sub(velocity, scale(dot(velocity, c.normal), c.normal));
    let turned = scale(dot(spin, c.normal) * reach, c.normal);
    [add(slide, scale(1e-3, across)), add(twist, scale(1e-3, turned)), [0.0; 3], [0.0; 3], [0.0; 3]]
}

/// As a law of Rust has them, by which contacts join and split.
#[test]
fn a_law_of_the_host_has_the_springs_of_contacts_that_join_and_split() {
    let plane = soup(&generate::plate([1, 1], [20.0, 20.0]).unwrap());
    let feet = feet(0.4 * HALO);
    let (body, wall) = (Body::new(&feet, HALO), Body::new(&plane, HALO));
    let (a, b) = (surface(&body, true), surface(&wall, false));
    let shapes = [Shape::Mesh(&a), Shape::Mesh(&b)];
    let law = |at: &ContactInput<'_, SPRINGS>| {
        let springs = wound(at.contact, &at.springs, (&at.joined, &at.split), [at.velocity, at.spin]);
        ContactResponse { force: [0.0; 3], torque: [0.0; 3], springs }
    };
    let mut worlds = [0; 2].map(|_| OwnedWorld::with_executor(Box::new(Serial)));
    let led = |along: f64, yaw: f64, gap: f64| Rigid {
        position: [along, 0.5 * along, gap],
        orientation: [0.0, 0.0, (0.5 * yaw).sin(), (0.5 * yaw).cos()],
        velocity: [0.1, 0.05, 0.0],
        angular_velocity: [0.0, 0.0, 0.1],
        mass: 1.0,
        moments: [1.0; 3],
        motion: 0,
        reserved: 0,
    };
    let handles = worlds.each_mut().map(|world| {
        world.add(&BodyDef::new(Rigid::fixed(Pose::IDENTITY), 1)).unwrap();
        world.add(&BodyDef::new(led(0.0, 0.0, 2.0), 0)).unwrap()
    });
    let (mut joined, mut split, mut begun) = (0, 0, 0);
    for k in 0..300 {
        // Both feet slide and turn, then go down and up again.
        let way = 1e-4 * f64::from(k.min(60));
        let depth = 1.0 - (f64::from((k - 60).max(0)) / 120.0 - 1.0).abs();
        for (world, handle) in worlds.iter_mut().zip(handles) {
            world.set_body(handle, &led(way, way, (1.8 - 1.2 * depth) * HALO)).unwrap();
        }
        let [ours, own] = &mut worlds;
        ours.begin(&StepOptions::new(1e-6)).unwrap();
        while ours.poll(&shapes, &law).unwrap() != PollResult::Done {}
        own.begin(&StepOptions { law: true, ..StepOptions::new(1e-6) }).unwrap();
        assert_eq!(own.view().unwrap().taken_over(&Serial, &mut []).unwrap_err().what, What::Phase);
        while own.poll(&shapes, &law).unwrap() != PollResult::Law {}
        let count = own.view().unwrap().scene().now().contacts().len();
        let mut taken = vec![TakenOver::default(); count];
        own.view().unwrap().taken_over(&Threads::new(2).unwrap(), &mut taken).unwrap();
        own.with_law(|host| {
            for (i, contact) in host.scene.now().contacts().iter().enumerate() {
                let (meets, own) = (host.meets[i], (&taken[i].joined(), &taken[i].split()));
                host.springs[i] = wound(contact, &host.springs[i], own, [meets.force, meets.torque]);
            }
        })
        .unwrap();
        while own.poll(&shapes, &law).unwrap() != PollResult::Done {}
        joined += taken.iter().filter(|taken| taken.has_joined == 1 && taken.joined_square > 0.0).count();
        split += taken.iter().filter(|taken| taken.split_square > 0.0).count();
        begun += taken.iter().filter(|taken| taken.begins == 1).count();
        for world in &mut worlds {
            world.accept().unwrap();
        }
        let [ours, own] = worlds.each_ref().map(|world| world.view().unwrap().springs());
        assert!(!ours.is_empty(), "step {k}");
        assert_eq!(ours, own, "step {k}");
    }
    assert!(joined == 1 && split == 2 && begun >= 2, "{joined} {split} {begun}");
}

/// A table, .2 wide, whose legs stand at its corners, or `inset` blocks from its outer faces.
fn table(inset: i32) -> Vec<Triangle> {
    let n = 5 + 2 * inset;
    let filled = |[i, j, k]: [i32; 3]| {
        let inside = (0..n).contains(&i) && (0..n).contains(&j) && (0..2).contains(&k);
        inside && (k == 1 || [i, j].iter().all(|x| *x == inset || *x == n - 1 - inset))
    };
    let at = |[i, j, k]: [i32; 3]| {
        let [x, y] = [i, j].map(|i| 0.2 * (f64::from(i) / f64::from(n) - 0.5));
        [x, y, 0.025 * f64::from(k)]
    };
    let mut all = Vec::new();
    for block in (0..n * n * 2).map(|i| [i % n, i / n % n, i / (n * n)]).filter(|block| filled(*block)) {
        for (axis, upper) in (0..3).flat_map(|axis| [(axis, 0), (axis, 1)]) {
            let mut beside = block;
            beside[axis] += 2 * upper - 1;
            if filled(beside) {
                continue;
            }
            let corner = |a: i32, b: i32| {
                let mut corner = block;
                corner[axis] += upper;
                corner[(axis + 1) % 3] += a;
                corner[(axis + 2) % 3] += b;
                at(corner)
            };
            let [a, b, c, d] = [corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)];
            all.extend(if upper == 1 { [[a, b, c], [a, c, d]] } else { [[a, c, b], [a, d, c]] });
        }
    }
    all
}

/// Two feet of a table at its corners share the patch of an outer face, and so a node. While the table rocks, this node passes from foot to foot. Nothing
/// slips, so the torque at the same yaw stays.
#[test]
fn a_table_that_rocks_keeps_its_grip() {
    let (halo, dt, quarter, yaw, tilt) = (0.002, 1e-3, 50, 1e-3, 1e-4);
    for inset in [0, 1] {
        let table = Body::conservative(&table(inset), halo);
        let table = surface(&table, true);
        let floor = Body::conservative(&cuboid([1.0, 1.0, 0.2]), halo);
        let floor = surface(&floor, true);
        let shapes = [Shape::Mesh(&floor), Shape::Mesh(&table)];
        let law = [Interaction { friction: f64::INFINITY, ..Interaction::new(Normal::Pressure, 1e4) }];
        let laws = Laws::new(&law).unwrap();
        let mut world = OwnedWorld::with_executor(Box::new(Serial));
        world.set_up(&Setup::default()).unwrap();
        // Two bodies that no force moves would be no pair.
        let heavy = Rigid { mass: 1e30, moments: [1e30; 3], ..Rigid::ball(1.0, 1.0, [0.0, 0.0, -0.1]).unwrap() };
        world.add(&BodyDef::new(heavy, 0)).unwrap();
        let pose = Pose { position: [0.0, 0.0, halo], ..Pose::IDENTITY };
        let body = Rigid { motion: Motion::Kinematic as u32, ..Rigid::fixed(pose) };
        let handle = world.add(&BodyDef::new(body, 1)).unwrap();
        let mut torques = Vec::new();
        let pace = FRAC_PI_2 / f64::from(quarter);
        for i in 0..80 * quarter {
            if i % (4 * quarter) == quarter {
                torques.push(world.view().unwrap().wrenches()[1].torque[2]);
            }
            let (at, fast) = (pace * f64::from(i), pace / dt);
            let spin = [1.7 * tilt * (1.7 * at).cos(), 2.3 * tilt * (2.3 * at).cos(), yaw * (at + 0.5 * pace).cos()];
            let now = world.view().unwrap().body(handle).unwrap();
            world.set_body(handle, &Rigid { angular_velocity: scale(fast, spin), ..now }).unwrap();
            world.advance(dt, dt, &shapes, &laws).unwrap();
        }
        let kept: Vec<f64> = torques.iter().map(|torque| torque / torques[0]).collect();
        assert!(torques[0].abs() > 0.0 && kept.iter().all(|kept| (kept - 1.0).abs() < 0.01), "{inset}: {kept:?}");
    }
}
