//! Spoiled models that fall into a bowl: flaps, duplicates, reversed triangles, holes, edges of three triangles.

use dem_core::body::Body;
use dem_core::contact::Law as Cells;
use dem_core::contact::shape::Shape;
use dem_core::detect::laws::{ContactInput, ContactResponse, ForceLaw, slip};
use dem_core::detect::{Carry, ScenePair};
use dem_core::exec::Serial;
use dem_core::force::{Damping, Interaction, Laws, Normal};
use dem_core::pose::Pose;
use dem_core::world::{BodyDef, Law, LawContext, Setup};
use dem_std::{OwnedWorld, generate};
use dem_tests::Triangle;
use dem_tests::bad::{FLAGS, bowl, boxed, spoil, volume};
use dem_tests::cases;
use dem_tests::contact::{self, soup};
use dem_tests::data;
use dem_tests::deep::turned_over;
use dem_tests::random::Random;
use dem_tests::shapes::{capsule, ground, sphere, surface};
use dem_tests::vector::{length, scale, sub};

const HALO: f64 = 0.01;
const G: f64 = 9.81;
const DT: f64 = 5e-4;
/// Half the longest edge of the box around a model.
const SIZE: f64 = 0.25;
const STIFFNESS: f64 = 3e6;
/// The part of their energy that models may gain.
const MOST: f64 = 0.01;

/// A law of a host that reads gap, area and moment of a record, and no status: pressure, a dashpot and friction.
struct Plain;
struct PlainPair<'b>(LawContext<'b>);

impl Law for Plain {
    type Of<'b> = PlainPair<'b>;

    fn of<'b>(&'b self, around: LawContext<'b>) -> PlainPair<'b> {
        PlainPair(around)
    }
}

impl ForceLaw<5> for PlainPair<'_> {
    type Pair = f64;

    fn carry(&self) -> [Carry; 5] {
        [Carry::Tangent; 5]
    }

    fn pair(&self, pair: &ScenePair, _: &[dem_core::contact::Contact]) -> f64 {
        let inverse = |i: u32| 1.0 / self.0.bodies[i as usize].inertia();
        1.0 / (inverse(pair.a) + inverse(pair.b))
    }

    fn act(&self, at: &ContactInput<'_, 5>, mass: &f64) -> ContactResponse<5> {
        let c = at.contact;
        let along: f64 = (0..3).map(|k| at.velocity[k] * c.normal[k]).sum();
        let push = STIFFNESS * (1.0 - c.gap / c.halo) * c.area;
        let stiffness = STIFFNESS * c.area / c.halo;
        let push = (push - 0.6 * (mass * stiffness).sqrt() * along).max(0.0);
        let (spring, drag) = slip(at.springs[0], at.velocity, c.normal, self.0.dt, 0.8 * stiffness, 0.4 * push);
        let mut springs = [[0.0; 3]; 5];
        springs[0] = spring;
        let force = [0, 1, 2].map(|k| push * c.normal[k] + drag[k]);
        ContactResponse { force, torque: scale(STIFFNESS, c.moment), springs }
    }
}

/// About the origin, with this half of its longest edge.
fn sized(mesh: &[Triangle]) -> Vec<Triangle> {
    let [low, high] = boxed(mesh);
    let longest = sub(high, low).into_iter().fold(0.0, f64::max);
    let middle = [0, 1, 2].map(|k| 0.5 * (low[k] + high[k]));
    mesh.iter().map(|t| t.map(|v| scale(2.0 * SIZE / longest, sub(v, middle)))).collect()
}

/// What is turned inside out falls through whatever it falls on: it has a test of its own.
fn upright(mesh: Vec<Triangle>) -> Vec<Triangle> {
    if volume(&mesh) < 0.0 { turned_over(&mesh) } else { mesh }
}

/// Models of some kinds, each spoiled in up to six places, or sound.
fn models(count: usize, spoiled: bool, random: &mut Random) -> Vec<Vec<Triangle>> {
    let rock = |seed| soup(&generate::bumpy(generate::icosphere(1).unwrap(), 1.2, seed).unwrap());
    let scanned = data::mesh("scenes/rock_b_1280_near5.stl");
    (0..count)
        .map(|i| {
            let mut mesh = match i % 4 {
                0 => rock(i as u64),
                1 => contact::cuboid([1.0, 0.7, 0.5]),
                2 => contact::ell(),
                _ if i % 8 == 3 => scanned.clone(),
                _ => soup(&generate::torus(1.0, 0.4, 12, 8).unwrap()),
            };
            mesh = sized(&mesh);
            if spoiled {
                (0..1 + random.below(6)).for_each(|_| spoil(&mut mesh, random));
            }
            upright(mesh)
        })
        .collect()
}

/// Where models fall to.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Onto {
    /// A bowl of this inner radius.
    Bowl(f64),
    /// A half-space below z = -1.5.
    Ground,
    /// A bowl of this inner radius that is spoiled in forty places.
    BadBowl(f64),
}

/// A fall.
#[derive(Clone, Copy, Debug)]
struct Fall {
    count: usize,
    /// Every so many of them is a ball or a capsule; none for 0.
    round: usize,
    steps: usize,
    dt: f64,
    seed: u64,
    spoiled: bool,
    /// Every so many of them is turned inside out; none for 0.
    inside_out: usize,
    cells: Cells,
    onto: Onto,
    /// It ends where more than this part of the energy has been gained.
    gain: f64,
}

/// What came of it: parts of the energy above the bottom.
#[derive(Debug)]
struct Came {
    /// The highest above that of the start.
    highest: f64,
    /// All that is left, and what moves.
    left: f64,
    kinetic: f64,
    contacts: usize,
    /// All bits of contacts up to the end, or until energy is gained.
    bits: u32,
    least_gap: f64,
    /// How many do not stay in the bowl, or above the ground.
    lost: usize,
}

fn pressure() -> Interaction {
    let law = Interaction::new(Normal::Pressure, STIFFNESS).damped(Damping::Dashpot, 0.3).rough(0.4, 0.8);
    Interaction { lag: 1e-3, ..law }
}

impl Fall {
    /// Spoiled models that fall into a bowl for three quarters of a unit of time.
    fn new(count: usize, seed: u64) -> Self {
        let onto = Onto::Bowl(1.5);
        let cells = Cells::Auto;
        Fall { count, round: 0, steps: 1500, dt: DT, seed, spoiled: true, inside_out: 0, cells, onto, gain: MOST }
    }

    fn by(&self, law: Interaction) -> Came {
        self.with(&Laws::new(&[law]).unwrap(), &["pressure", "linear", "spring", "Hertz"].get(law.normal as usize))
    }

    fn make(&self, mesh: &[Triangle]) -> contact::Body {
        match self.cells {
            Cells::Auto => contact::Body::new(mesh, HALO),
            Cells::Volume => contact::Body::conservative(mesh, HALO),
            Cells::Facing => contact::Body::facing(mesh, HALO),
        }
    }

    /// In layers above the bottom, apart from each other.
    fn place(&self, i: usize) -> [f64; 3] {
        match self.onto {
            Onto::Bowl(inner) if inner > 1.5 => {
                let [x, y] = [i % 3, i / 3 % 3].map(|k| 0.65 * (k as f64 - 1.0));
                [x, y, 0.9 - inner + 0.7 * (i / 9) as f64]
            }
            _ => {
                let [x, y] = [i % 2, i / 2 % 2].map(|k| 0.65 * (k as f64 - 0.5));
                [x, y, -0.9 + 0.7 * (i / 4) as f64]
            }
        }
    }

    fn is_lost(&self, [x, y, z]: [f64; 3]) -> bool {
        match self.onto {
            Onto::Ground => z < -1.5,
            Onto::Bowl(inner) | Onto::BadBowl(inner) => x.hypot(y) > inner || (z < 0.0 && length([x, y, z]) > inner),
        }
    }

    fn with<L: Law>(&self, law: &L, name: &impl std::fmt::Debug) -> Came {
        let Fall { count, round, steps, dt, seed, spoiled, inside_out: every, onto, gain, .. } = *self;
        let mut random = Random::new(seed);
        let (bottom, mut mesh) = match onto {
            Onto::Ground => (-1.5, bowl(4, 2, 2.0, 1.0)),
            Onto::Bowl(inner) | Onto::BadBowl(inner) => (-inner, bowl(24, 8, inner + 0.2, inner)),
        };
        let mut models = models(count, spoiled, &mut random);
        models.iter_mut().step_by(every.max(1)).take(every * count).for_each(|mesh| *mesh = turned_over(mesh));
        if matches!(onto, Onto::BadBowl(_)) {
            (0..40).for_each(|_| spoil(&mut mesh, &mut random));
            mesh = upright(mesh);
        }
        let (shell, models) = (self.make(&mesh), models.iter().map(|mesh| self.make(mesh)).collect::<Vec<_>>());
        let shell = surface(&shell, true);
        let own: Vec<_> = models.iter().map(|model| surface(model, true)).collect();
        let own = own.iter().enumerate().map(|(i, model)| match (round, i / round.max(1) % 2) {
            (1.., 0) if i % round == 0 => sphere(0.8 * SIZE, HALO),
            (1.., _) if i % round == 0 => capsule(0.5 * SIZE, 0.5 * SIZE, HALO),
            _ => Shape::Mesh(model),
        });
        let below = if onto == Onto::Ground { ground(HALO) } else { Shape::Mesh(&shell) };
        let shapes: Vec<_> = std::iter::once(below).chain(own).collect();
        let mut world = OwnedWorld::with_executor(Box::new(Serial));
        world.set_up(&Setup { gravity: [0.0, 0.0, -G], ..Setup::default() }).unwrap();
        world.watch(true).unwrap();
        let fixed = if onto == Onto::Ground { [0.0, 0.0, bottom] } else { [0.0; 3] };
        world.add(&BodyDef::new(Body::fixed(Pose { position: fixed, ..Pose::IDENTITY }), 0)).unwrap();
        let handles: Vec<_> = (0..count)
            .map(|i| {
                let ball = Body::ball(0.8 * SIZE, 1000.0, self.place(i)).unwrap();
                world.add(&BodyDef::new(Body { orientation: random.rotation(), ..ball }, 1 + i as u32)).unwrap()
            })
            .collect();
        let mass: f64 = handles.iter().map(|handle| world.view().unwrap().body(*handle).unwrap().mass).sum();
        let energy = |world: &OwnedWorld| {
            let report = world.report().unwrap();
            report.totals.kinetic() + report.potential - mass * G * bottom
        };
        let start = energy(&world);
        let (least_gap, mut lost) = (f64::INFINITY, vec![false; count]);
        let mut came = Came { highest: 0.0, left: 1.0, kinetic: 0.0, contacts: 0, bits: 0, least_gap, lost: 0 };
        for _ in 0..steps / 10 {
            world.advance(10.0 * dt, dt, &shapes, law).unwrap();
            let report = world.report().unwrap();
            came.left = energy(&world) / start;
            came.highest = came.highest.max(came.left - 1.0);
            (came.kinetic, came.contacts) = (report.totals.kinetic() / start, report.contacts);
            (came.bits, came.least_gap) = (came.bits | report.window_status, came.least_gap.min(report.window_gap));
            for (handle, lost) in handles.iter().zip(&mut lost) {
                *lost |= self.is_lost(world.view().unwrap().body(*handle).unwrap().position);
            }
            came.lost = lost.iter().filter(|lost| **lost).count();
            if came.highest > gain {
                break;
            }
        }
        println!("{name:?} {self:?}: {came:?}");
        came
    }
}

/// Sound models lose energy until they lie in the bowl, and nothing is told but that some touch.
#[test]
fn sound_models_in_a_bowl_come_to_rest() {
    let came = Fall { spoiled: false, ..Fall::new(12, 21) }.by(pressure());
    assert!(came.lost == 0 && came.highest == 0.0 && came.bits & FLAGS == 0, "{came:?}");
    assert!(came.left < 0.7 && came.kinetic < 0.05 && came.contacts > 12, "{came:?}");
}

/// So do spoiled ones, whatever their contacts tell of holes and sheets.
#[test]
fn spoiled_models_in_a_bowl_come_to_rest() {
    // After 1.5 s some still roll about in the bowl.
    let (seeds, steps, kinetic) = cases((vec![21], 1500, 0.06), ((0..24).collect(), 7000, 0.001));
    for seed in seeds {
        let came = Fall { steps, ..Fall::new(12, seed) }.by(pressure());
        assert!(came.lost == 0 && came.highest < MOST && came.bits & FLAGS != 0, "{seed}: {came:?}");
        assert!(came.left < 0.6 && came.kinetic < kinetic, "{seed}: {came:?}");
    }
}

/// At any time step at which sound ones do. How far one fall has died away after 0.75 s is by chance: of 16 at one time step, 3 have more than 0.06 of kinetic energy left, and the mean is 0.045.
#[test]
fn no_time_step_throws_spoiled_models_out_of_a_bowl() {
    let standard = vec![(1e-3, 1), (4e-3, 5)];
    let falls = cases(standard, vec![(2.5e-4, 1), (1e-3, 2), (1e-3, 6), (1e-3, 3), (2e-3, 3), (4e-3, 5)]);
    let mut kinetic = 0.0;
    for (dt, seed) in &falls {
        let came = Fall { dt: *dt, steps: (0.75 / dt) as usize, ..Fall::new(12, *seed) }.by(pressure());
        assert!(came.lost == 0 && came.highest < MOST && came.left < 0.6 && came.kinetic < 0.12, "{came:?}");
        kinetic += came.kinetic / falls.len() as f64;
    }
    assert!(kinetic < 0.06, "{kinetic}");
}

/// Fifty of them, for two thousand steps.
#[test]
fn fifty_spoiled_models_in_a_bowl_come_to_rest() {
    for seed in cases(vec![], vec![1, 2, 3]) {
        let fall = Fall { dt: 1e-3, steps: 2000, onto: Onto::Bowl(2.0), ..Fall::new(50, seed) };
        let came = fall.by(pressure());
        assert!(came.lost == 0 && came.highest < MOST && came.bits & FLAGS != 0, "{seed}: {came:?}");
        assert!(came.left < 0.4 && came.kinetic < 0.005 && came.contacts > 50, "{seed}: {came:?}");
    }
}

/// By the laws of the field, too, which take the depth from the least gap.
#[test]
fn other_laws_gain_nothing_of_spoiled_models() {
    for (normal, stiffness) in [(Normal::Linear, 3e6), (Normal::Spring, 2e3), (Normal::Hertz, 3e7)] {
        for seed in cases(vec![21], vec![21, 1, 2, 3, 4, 5]) {
            let came = Fall::new(12, seed).by(Interaction { normal: normal as u32, stiffness, ..pressure() });
            assert!(came.lost == 0 && came.highest < MOST && came.left < 0.7, "{seed}: {came:?}");
        }
    }
}

/// A law of a host that reads no status: what the record tells is bounded by itself, and most bowls gain nothing. But no record has a memory, so that a few do.
#[test]
fn a_law_that_reads_no_status_gains_nothing_of_most_spoiled_models() {
    let (seeds, most) = cases((vec![5], 0), ((0..24).collect(), 3));
    let gains = |seed: &u64| Fall::new(12, *seed).with(&Plain, &"plain").highest > MOST;
    let gained: Vec<_> = seeds.into_iter().filter(gains).collect();
    assert!(gained.len() <= most, "{gained:?}");
}

/// Both laws of cells, as hosts may choose them.
#[test]
fn cells_of_either_law_gain_nothing_of_spoiled_models() {
    for seed in cases(vec![1], vec![21, 1, 2, 3, 4, 5]) {
        for cells in [Cells::Volume, Cells::Facing] {
            let came = Fall { cells, ..Fall::new(12, seed) }.by(pressure());
            assert!(came.lost == 0 && came.highest < MOST && came.left < 0.7, "{seed}: {came:?}");
        }
    }
}

/// Balls and capsules among them, a bowl that is spoiled itself, and a half-space.
#[test]
fn balls_capsules_and_half_spaces_gain_nothing_of_spoiled_models() {
    for seed in cases(vec![3], (0..12).collect()) {
        for (round, onto) in [(2, Onto::Bowl(1.5)), (1, Onto::BadBowl(1.5)), (3, Onto::BadBowl(1.5)), (3, Onto::Ground)]
        {
            let came = Fall { round, onto, ..Fall::new(12, seed) }.by(pressure());
            assert!(came.highest < MOST && came.left < 0.8, "{seed}: {came:?}");
            // A hole of the bowl lets some out.
            assert!(came.lost == 0 || matches!(onto, Onto::BadBowl(_)), "{seed}: {came:?}");
        }
    }
}

/// What is turned inside out is held by nothing, and says so. (One that holds most of another model is a room to it, and energy may be gained as it takes it in: on a half-space it is.)
#[test]
fn models_in_a_bowl_some_of_which_are_turned_inside_out_say_so() {
    // Most of the time goes into the second half of a second, in which they lie in each other.
    let steps = cases(500, 1500);
    let came = Fall { inside_out: 3, spoiled: false, steps, ..Fall::new(12, 3) }.by(pressure());
    assert!(came.highest < MOST && came.bits & FLAGS != 0, "{came:?}");
}
