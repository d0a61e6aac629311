//! Packed soft balls with friction history, against LAMMPS where `lmp` is installed.
//!
//! `cargo bench -p dem-tests --bench balls [-- BALLS STEPS]`: 20,000 balls of radius 0.5 in a periodic cube at a packing of 0.62, overlaps of about 1 % of the radius, velocities of 0.01 radii a
//! step, linear springs with dashpots, restitution 0.5, friction 0.5; 200 steps after 50. CPU time of one core, each with its own best skin. The same
//! positions and velocities go to LAMMPS (`gran/hooke/history`, `nve/sphere`), whose better run with newton off and on counts. Prints
//! `ratio spheres_soft VALUE ours_ns peer_ns count hash`, times of a particle in a step; larger is better.
//!
//! `info memory` is what a million of them take, with 1.8 contacts and 3 candidates a ball: the block and scratch of a world.
//!
//! `info beside a mesh`: a step where the world has a mesh, too, and one with records for all contacts.
//!
//! Then the same on two threads, as a share of what two runs side by side get done: `ratio balls_two_lanes VALUE lanes_ns apart_ns`, by wall clock, the best of several each.

use std::f64::consts::PI;
use std::fmt::Write as _;
use std::process::Command;
use std::time::Instant;

use dem_core::body::Body;
use dem_core::contact::shape::Shape;
use dem_core::exec::Serial;
use dem_core::force::{Damping, Interaction, Laws, Normal, Pair, dashpot};
use dem_core::pose::Pose;
use dem_core::simd::Isa;
use dem_core::world::{BodyDef, Law, LawContext, Setup, World, WorldSizes, world_scratch};
use dem_std::{OwnedWorld, Threads};
use dem_tests::contact::{self, cuboid};
use dem_tests::random::Random;
use dem_tests::shapes::surface;

const RADIUS: f64 = 0.5;
/// What of the radius is halo: contacts begin where these touch.
const HALO: f64 = 0.05;
const PACKING: f64 = 0.62;
const STIFFNESS: f64 = 1e4;
const BEFORE: usize = 50;

/// Positions of balls in a periodic cube of this edge.
struct Packing {
    edge: f64,
    positions: Vec<[f64; 3]>,
}

impl Packing {
    /// A random gas, pushed apart until overlaps are 1 % of the radius in the mean.
    fn new(count: usize) -> Packing {
        let edge = (count as f64 * PI / 6.0 / PACKING).cbrt();
        let mut random = Random::new(1);
        let mut packing =
            Packing { edge, positions: (0..count).map(|_| [0; 3].map(|_| random.range(0.0, edge))).collect() };
        for _ in 0..5000 {
            if packing.relax() <= 0.01 * RADIUS {
                break;
            }
        }
        packing.sort();
        packing
    }

    fn cells(&self) -> usize {
        (self.edge / (2.0 * RADIUS)) as usize
    }

    fn cell(&self, x: [f64; 3]) -> [usize; 3] {
        x.map(|x| ((x / self.edge * self.cells() as f64) as usize).min(self.cells() - 1))
    }

    /// Pushes overlapping balls apart; gives the mean overlap that there was.
    fn relax(&mut self) -> f64 {
        let n = self.cells();
        let place = |c: [usize; 3]| (c[0] * n + c[1]) * n + c[2];
        let mut cells = vec![Vec::new(); n * n * n];
        self.positions.iter().enumerate().for_each(|(i, x)| cells[place(self.cell(*x))].push(i));
        let mut ways = vec![[0.0; 3]; self.positions.len()];
        let (mut sum, mut count) = (0.0, 0);
        for (i, x) in self.positions.iter().enumerate() {
            let own = self.cell(*x);
            for k in 0..27 {
                let near = [k / 9, k / 3 % 3, k % 3];
                let other = [0, 1, 2].map(|axis| (own[axis] + n + near[axis] - 1) % n);
                for j in cells[place(other)].iter().filter(|j| **j > i) {
                    let d = [0, 1, 2].map(|k| {
                        let d = self.positions[*j][k] - x[k];
                        d - self.edge * (d / self.edge).round()
                    });
                    let far = d.iter().map(|d| d * d).sum::<f64>().sqrt();
                    let overlap = 2.0 * RADIUS - far;
                    if overlap > 0.0 {
                        (sum, count) = (sum + overlap, count + 1);
                        for k in 0..3 {
                            ways[i][k] -= 0.3 * overlap * d[k] / far;
                            ways[*j][k] += 0.3 * overlap * d[k] / far;
                        }
                    }
                }
            }
        }
        for (x, way) in self.positions.iter_mut().zip(ways) {
            (0..3).for_each(|k| x[k] = (x[k] + way[k]).rem_euclid(self.edge));
        }
        if count > 0 { sum / count as f64 } else { 0.0 }
    }

    /// Neighbours in memory are neighbours in space, by cells.
    fn sort(&mut self) {
        let cells: Vec<_> = self.positions.iter().map(|x| self.cell(*x)).collect();
        let mut order: Vec<usize> = (0..cells.len()).collect();
        order.sort_by_key(|i| cells[*i]);
        self.positions = order.iter().map(|i| self.positions[*i]).collect();
    }
}

/// Laws that worlds know the formulas of, or not.
struct Hidden<'l> {
    laws: Laws<'l>,
    known: bool,
}

impl<'l> Law for Hidden<'l> {
    type Of<'b>
        = Pair<'b>
    where
        'l: 'b;

    fn of<'b>(&'b self, around: LawContext<'b>) -> Pair<'b> {
        self.laws.of(around)
    }

    fn known(&self) -> Option<Laws<'_>> {
        self.known.then_some(self.laws)
    }
}

/// What all runs begin with.
struct Start<'s> {
    packing: &'s Packing,
    velocities: &'s [[f64; 3]],
    body: Body,
    dt: f64,
}

impl Start<'_> {
    /// The world after the first steps.
    fn world(&self, mut world: OwnedWorld, skin: f64, shapes: &[Shape<'_>], laws: &Laws<'_>) -> OwnedWorld {
        world.settings.skin = skin;
        world.set_up(&Setup { periods: [self.packing.edge; 3], ..Setup::default() }).expect("a setup");
        for (position, velocity) in self.packing.positions.iter().zip(self.velocities) {
            world
                .add(&BodyDef::new(Body { position: *position, velocity: *velocity, ..self.body }, 0))
                .expect("a body");
        }
        world.advance(BEFORE as f64 * self.dt, self.dt, shapes, laws).expect("steps");
        world
    }

    /// Times a step with a mesh in the world that touches nothing, and with records for all contacts.
    fn beside_a_mesh(&self, laws: &Laws<'_>, steps: usize) {
        let mesh = contact::Body::conservative(&cuboid([0.1; 3]), HALO);
        let surface = surface(&mesh, true);
        let shapes = [Shape::Sphere { radius: RADIUS - HALO, halo: HALO }, Shape::Mesh(&surface)];
        let mut world = OwnedWorld::with_executor(Box::new(Serial));
        world.add(&BodyDef { masks: 0, ..BodyDef::new(Body::fixed(Pose::IDENTITY), 1) }).expect("a body");
        let mut world = self.world(world, 0.15, &shapes, laws);
        let mut time = |known| {
            let before = cpu();
            let law = Hidden { laws: *laws, known };
            world.advance(steps as f64 * self.dt, self.dt, &shapes, &law).expect("steps");
            (cpu() - before) / (steps * self.packing.positions.len()) as f64
        };
        println!("info beside a mesh {:.1} ns a body and step, with records {:.1}", time(true), time(false));
    }

    /// Compares one run on two threads with two runs of one thread at the same time.
    fn on_two_lanes(&self, shapes: &[Shape<'_>], laws: &Laws<'_>, steps: usize) {
        let serial = || self.world(OwnedWorld::with_executor(Box::new(Serial)), 0.15, shapes, laws);
        let threads = OwnedWorld::new(Threads::new(2).expect("two threads"));
        let (mut threads, mut apart) = (self.world(threads, 0.15, shapes, laws), [serial(), serial()]);
        let advance =
            |world: &mut OwnedWorld| world.advance(steps as f64 * self.dt, self.dt, shapes, laws).expect("steps");
        let [mut together, mut alone] = [f64::INFINITY; 2];
        for _ in 0..12 {
            let start = Instant::now();
            advance(&mut threads);
            together = together.min(start.elapsed().as_secs_f64());
            let start = Instant::now();
            std::thread::scope(|scope| apart.iter_mut().for_each(|world| _ = scope.spawn(|| advance(world))));
            alone = alone.min(start.elapsed().as_secs_f64());
        }
        let of = |seconds: f64, runs: usize| seconds * 1e9 / (steps * self.packing.positions.len() * runs) as f64;
        let (together, alone) = (of(together, 1), of(alone, 2));
        println!("ratio balls_two_lanes {:.3} {together:.1} {alone:.1}", alone / together);
    }
}

/// Nanoseconds that this thread was on a core.
fn cpu() -> f64 {
    let all = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    all.split(' ').next().and_then(|ns| ns.parse().ok()).unwrap_or(0.0)
}

fn main() {
    let numbers: Vec<usize> = std::env::args().skip(1).filter_map(|word| word.parse().ok()).collect();
    let (count, steps) = (numbers.first().copied().unwrap_or(20_000), numbers.get(1).copied().unwrap_or(200));
    let packing = Packing::new(count);
    let body = Body::ball(RADIUS, 1.0, [0.0; 3]).expect("a ball");
    let dt = 0.2 / (STIFFNESS / (0.5 * body.mass)).sqrt();
    let speed = 0.01 * RADIUS / dt;
    let mut random = Random::new(2);
    let velocities: Vec<_> = (0..count).map(|_| [0; 3].map(|_| random.range(-speed, speed))).collect();
    let start = Start { packing: &packing, velocities: &velocities, body, dt };
    println!("isa {}", Isa::best().name());
    memory();
    let zeta = dashpot(0.5);
    let law = Interaction::new(Normal::Linear, STIFFNESS).damped(Damping::Dashpot, zeta).rough(0.5, 2.0 / 7.0);
    // That of LAMMPS has no torsion.
    let table = [Interaction { torsion: 0.0, ..law }];
    let laws = Laws::new(&table).expect("a law");
    let shapes = [Shape::Sphere { radius: RADIUS - HALO, halo: HALO }];
    let (mut best, mut contacts, mut hash) = (f64::INFINITY, 0, 0);
    let skins = if count < 1000 { vec![0.1] } else { vec![0.1, 0.15, 0.2] };
    for skin in skins {
        let mut world = start.world(OwnedWorld::with_executor(Box::new(Serial)), skin, &shapes, &laws);
        let before = cpu();
        world.advance(steps as f64 * dt, dt, &shapes, &laws).expect("steps");
        let own = (cpu() - before) / (steps * count) as f64;
        let report = world.report().expect("a report");
        println!(
            "info skin {skin}: {own:.1} ns a body and step, {} contacts, kinetic energy {:.6e}",
            report.contacts,
            report.totals.kinetic()
        );
        contacts = report.contacts;
        hash = world.view().expect("a view").state_hash();
        best = best.min(own);
    }
    println!("info ours {:.3} M particle-steps/s", 1e3 / best);
    start.on_two_lanes(&shapes, &laws, steps / 5 + 1);
    start.beside_a_mesh(&laws, steps / 5 + 1);
    let peer = lammps(&packing, &velocities, dt, zeta, steps);
    match peer {
        Some(peer) => println!("ratio spheres_soft {:.3} {best:.1} {peer:.1} {contacts} {hash:016x}", peer / best),
        None => println!("info spheres_soft {best:.1} {contacts} {hash:016x}; lmp is not installed"),
    }
}

/// Prints what a million balls take.
fn memory() {
    let (bodies, ball_pairs, ball_contacts) = (1_000_000, 3_000_000, 1_800_000);
    let sizes =
        WorldSizes { bodies, candidates: 0, contacts: 0, nodes: 0, levels: 8, ball_pairs, ball_contacts, events: 0 };
    let shapes = [Shape::Sphere { radius: RADIUS - HALO, halo: HALO }];
    let settings = OwnedWorld::with_executor(Box::new(Serial)).settings;
    let block = World::layout(&sizes).expect("a layout").size;
    let [one, two] =
        [1, 2].map(|threads| world_scratch(&sizes, &shapes, &settings, threads).expect("a layout").size / 1_000_000);
    println!("info memory {} MB of block, {one} MB of scratch of one thread, {two} MB of two", block / 1_000_000);
}

/// CPU nanoseconds of LAMMPS for a particle in a step: the better one of newton off and on, with the best of three skins.
fn lammps(packing: &Packing, velocities: &[[f64; 3]], dt: f64, zeta: f64, steps: usize) -> Option<f64> {
    Command::new("lmp").arg("-h").output().ok()?;
    let folder = std::env::temp_dir().join(format!("dem-balls-{}", std::process::id()));
    std::fs::create_dir_all(&folder).ok()?;
    let mut data = format!("balls\n\n{} atoms\n1 atom types\n\n", packing.positions.len());
    for axis in ["x", "y", "z"] {
        let _ = writeln!(data, "0 {} {axis}lo {axis}hi", packing.edge);
    }
    data.push_str("\nAtoms # sphere\n\n");
    for (i, [x, y, z]) in packing.positions.iter().enumerate() {
        let _ = writeln!(data, "{} 1 {} 1 {x} {y} {z}", i + 1, 2.0 * RADIUS);
    }
    data.push_str("\nVelocities\n\n");
    for (i, [x, y, z]) in velocities.iter().enumerate() {
        let _ = writeln!(data, "{} {x} {y} {z} 0 0 0", i + 1);
    }
    std::fs::write(folder.join("balls.data"), data).ok()?;
    // LAMMPS multiplies gamma by the reduced mass.
    let reduced = 0.5 * PI / 6.0;
    let gamma = 2.0 * zeta * (STIFFNESS / reduced).sqrt();
    let mut best: Option<f64> = None;
    for (newton, skin) in ["off", "on"].into_iter().flat_map(|newton| [0.1, 0.15, 0.2].map(|skin| (newton, skin))) {
        let input = format!(
            "units lj\natom_style sphere\nnewton {newton}\nboundary p p p\ncomm_modify vel yes\nread_data balls.data\n\
             pair_style gran/hooke/history {STIFFNESS} {} {gamma} 0.0 0.5 0\npair_coeff * *\nneighbor {skin} bin\n\
             neigh_modify delay 0 every 1 check yes\nfix 1 all nve/sphere\ntimestep {dt}\nthermo 1000\nrun {BEFORE}\nrun {steps}\n",
            STIFFNESS * 2.0 / 7.0
        );
        std::fs::write(folder.join("in.balls"), input).ok()?;
        let out = Command::new("lmp")
            .args(["-in", "in.balls", "-log", "none"])
            .env("OMP_NUM_THREADS", "1")
            .current_dir(&folder)
            .output()
            .ok()?;
        let text = String::from_utf8_lossy(&out.stdout).into_owned();
        let number =
            |line: &str, place: usize| line.split_whitespace().nth(place)?.trim_end_matches('%').parse::<f64>().ok();
        let seconds = text.lines().rfind(|line| line.starts_with("Loop time")).and_then(|line| number(line, 3));
        let part = text.lines().rfind(|line| line.contains("CPU use")).and_then(|line| number(line, 0));
        if let Some((seconds, part)) = seconds.zip(part) {
            let own = seconds * part / 100.0 * 1e9 / (steps * packing.positions.len()) as f64;
            println!("info lammps newton {newton}, skin {skin}: {own:.1} ns a particle and step");
            best = Some(best.map_or(own, |best| best.min(own)));
        } else {
            println!("info lammps newton {newton}, skin {skin}: failed\n{text}");
        }
    }
    let _ = std::fs::remove_dir_all(folder);
    best
}
