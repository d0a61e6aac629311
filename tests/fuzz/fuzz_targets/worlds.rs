//! Sequences of calls of a world with any numbers in them. Beside it goes another world, with trials, copies, a list of neighbours and a file in between: both say the
//! same, to the bit, and an error changes nothing.
#![no_main]

use dem_std::OwnedWorld;
use dem_std::dem_core::body::Body;
use dem_std::dem_core::contact::shape::{Part, Shape};
use dem_std::dem_core::detect::Wrench;
use dem_std::dem_core::exec::Serial;
use dem_std::dem_core::force::{Cohesion, Damping, Interaction, Laws, Normal};
use dem_std::dem_core::pose::Pose;
use dem_std::dem_core::world::{BodyDef, Handle, PollResult, Setup, StepOptions};
use libfuzzer_sys::fuzz_target;

/// Numbers out of bytes: small ones for the most part, and any at all.
struct Numbers<'a>(&'a [u8]);

impl Numbers<'_> {
    fn byte(&mut self) -> u8 {
        let (first, rest) = self.0.split_first().unwrap_or((&0, &[]));
        self.0 = rest;
        *first
    }

    fn number(&mut self) -> f64 {
        match self.byte() {
            kind @ 0..240 => (f64::from(kind) - 120.0) / 16.0,
            _ => f64::from_le_bytes(core::array::from_fn(|_| self.byte())),
        }
    }

    fn vector(&mut self) -> [f64; 3] {
        [(); 3].map(|()| self.number())
    }
}

const BALL: Shape<'_> = Shape::Sphere { radius: 1.0, halo: 0.0625 };

fn law(numbers: &mut Numbers<'_>) -> Interaction {
    let normal = [Normal::Pressure, Normal::Linear, Normal::Spring, Normal::Hertz][usize::from(numbers.byte() % 4)];
    let damped = [Damping::None, Damping::HuntCrossley, Damping::Dashpot, Damping::DashpotWithTension];
    let damped = damped[usize::from(numbers.byte() % 4)];
    let cohesive = [Cohesion::None, Cohesion::Area, Cohesion::Dmt][usize::from(numbers.byte() % 3)];
    let plain = Interaction::new(normal, numbers.number()).damped(damped, numbers.number().abs());
    Interaction { rolling: numbers.number(), lag: numbers.number().abs(), ..plain.rough(numbers.number().abs(), 0.8) }
        .sticky(cohesive, numbers.number().abs())
}

fn member(numbers: &mut Numbers<'_>) -> BodyDef {
    let kind = numbers.byte();
    let fixed = Body::fixed(Pose { position: numbers.vector(), orientation: [0.0, 0.0, numbers.number(), 1.0] });
    let moving = Body {
        velocity: numbers.vector(),
        angular_velocity: numbers.vector(),
        mass: numbers.number().abs(),
        moments: [numbers.number().abs(); 3],
        motion: u32::from(kind % 8 == 7),
        ..fixed
    };
    let body = if kind < 64 { fixed } else { moving };
    let id = (numbers.byte() < 128).then(|| u64::from(numbers.byte()));
    BodyDef { id, scale: numbers.number().abs(), ..BodyDef::new(body, u32::from(numbers.byte() % 17) / 4) }
}

/// In a box of a small period large bodies meet thousands of images of each other one, which is right and takes long.
fn period(number: f64) -> f64 {
    if (0.0..16.0).contains(&number) { number + 16.0 } else { number }
}

/// One step, polled to its end and accepted, or taken back where it cannot be.
fn step(world: &mut OwnedWorld, dt: f64, shapes: &[Shape<'_>], laws: &Laws<'_>, trials: u8) -> String {
    for polls in 0..trials {
        if world.begin(&StepOptions::new(dt)).is_ok() {
            for _ in 0..polls {
                _ = world.poll(shapes, laws);
            }
            world.abandon().unwrap();
        }
    }
    if let Err(e) = world.begin(&StepOptions::new(dt)) {
        return format!("{e:?}");
    }
    loop {
        let told = match world.poll(shapes, laws) {
            Ok(PollResult::Done) => {
                world.accept().unwrap();
                return "done".into();
            }
            Ok(PollResult::Stuck) => "stuck".into(),
            Ok(_) => continue,
            Err(e) => format!("{e:?}"),
        };
        world.abandon().unwrap();
        return told;
    }
}

fuzz_target!(|data: &[u8]| {
    let mut numbers = Numbers(data);
    let parts = [-0.5, 0.5].map(|x| {
        let pose = Pose { position: [x, 0.0, 0.0], ..Pose::IDENTITY };
        Part { shape: BALL, pose, scale: 0.75 }
    });
    let capsule = Shape::Capsule { half_length: 0.5, radius: 0.25, halo: 0.0625 };
    let shapes = [BALL, Shape::Compound(&parts), Shape::HalfSpace { halo: 0.25 }, capsule];
    let table = [law(&mut numbers)];
    let Ok(laws) = Laws::new(&table) else { return };
    let new = || OwnedWorld::with_executor(Box::new(Serial));
    let (mut plain, mut other) = (new(), new());
    other.settings.skin = 0.25;
    let setup = Setup {
        gravity: numbers.vector(),
        periods: [(); 3].map(|()| if numbers.byte() < 64 { period(numbers.number()) } else { 0.0 }),
        ..Setup::default()
    };
    assert_eq!(plain.set_up(&setup), other.set_up(&setup));
    let mut handles: Vec<Handle> = Vec::new();
    for _ in 0..48 {
        match numbers.byte() {
            0..80 => {
                let member = member(&mut numbers);
                let added = plain.add(&member);
                assert_eq!(added, other.add(&member));
                handles.extend(added);
            }
            80..100 => {
                let handle = handles.get(usize::from(numbers.byte())).copied().unwrap_or_default();
                assert_eq!(plain.remove(handle), other.remove(handle));
            }
            100..120 => {
                let handle = handles.get(usize::from(numbers.byte())).copied().unwrap_or_default();
                let body = member(&mut numbers).body;
                assert_eq!(plain.set_body(handle, &body), other.set_body(handle, &body));
            }
            120..130 => {
                let (i, load) = (numbers.byte(), Wrench { force: numbers.vector(), torque: numbers.vector() });
                let set = |loads: &mut [Wrench]| loads.get_mut(usize::from(i)).map(|to| *to = load);
                assert_eq!(plain.with_loads(set), other.with_loads(set));
            }
            130..140 => {
                let saved = other.save().unwrap().to_vec();
                other = OwnedWorld::load(&saved, Box::new(Serial)).unwrap();
                other.settings.skin = 0.125;
            }
            _ => {
                let (dt, trials) = (numbers.number() / 64.0, numbers.byte() % 4);
                let before = plain.view().map(|view| view.state_hash()).ok();
                let told = step(&mut plain, dt, &shapes, &laws, 0);
                assert_eq!(told, step(&mut other, dt, &shapes, &laws, trials));
                if told != "done" {
                    assert_eq!(before, plain.view().map(|view| view.state_hash()).ok());
                }
            }
        }
        let hash = |world: &OwnedWorld| world.view().map(|view| view.state_hash()).ok();
        assert_eq!(hash(&plain), hash(&other));
    }
});
