//! A world of balls of two sizes on a plane in a periodic box, through some steps: the look for fast bodies, contacts, a law with springs, loads and motion.

use crate::{Hash, Random};
use dem_core::body::Body;
use dem_core::contact::shape::Shape;
use dem_core::detect::Settings;
use dem_core::detect::laws::{ContactInput, ContactResponse, slip};
use dem_core::error::Result;
use dem_core::exec::Serial;
use dem_core::force::{Cohesion, Damping, Interaction, Laws, Normal, dashpot, hunt_crossley};
use dem_core::memory::{Carve, Layout};
use dem_core::pose::Pose;
use dem_core::simd::Isa;
use dem_core::world::{BodyDef, Law, PollResult, Setup, StepInputs, StepOptions, World, WorldSizes, world_scratch};

const DT: f64 = 0.01;

fn rough(at: &ContactInput<'_, 5>) -> ContactResponse<5> {
    let c = at.contact;
    let away: f64 = (0..3).map(|i| at.velocity[i] * c.normal[i]).sum();
    let push = (30.0 * (1.0 - c.gap / c.halo) * c.area * (1.0 - away)).max(0.0);
    let (slide, drag) = slip(at.springs[0], at.velocity, c.normal, DT, 20.0 * c.area, 0.4 * push);
    let twist = [0, 1, 2].map(|i| at.springs[1][i] + DT * at.spin[i] * c.normal[i] * c.normal[i]);
    ContactResponse {
        force: [0, 1, 2].map(|i| push * c.normal[i] + drag[i]),
        torque: twist.map(|x| -0.1 * c.area * x),
        springs: [slide, twist, at.springs[2], [0.0; 3], [0.0; 3]],
    }
}

pub(crate) fn run(isa: Isa, memory: &mut [u8]) -> Result<u64> {
    let mut hash = Hash::new();
    steps(isa, memory, &mut hash, &rough)?;
    let plain = |normal, stiffness| Interaction::new(normal, stiffness).rough(0.4, 0.8);
    let table = [
        Interaction { rolling: 0.1, ..plain(Normal::Hertz, 40.0).damped(Damping::Dashpot, dashpot(0.7)) },
        plain(Normal::Spring, 3.0).damped(Damping::HuntCrossley, hunt_crossley(0.6, 2.0)),
        plain(Normal::Pressure, 30.0).sticky(Cohesion::Area, 0.1),
    ];
    steps(isa, memory, &mut hash, &Laws::new(&table)?)?;
    Ok(hash.value())
}

fn steps(isa: Isa, memory: &mut [u8], hash: &mut Hash, law: &impl Law) -> Result<()> {
    let mut random = Random::new(71);
    let shapes = [Shape::HalfSpace { halo: 0.1 }, Shape::Sphere { radius: 0.5, halo: 0.1 }];
    let sizes = WorldSizes {
        bodies: 24,
        candidates: 200,
        contacts: 120,
        nodes: 0,
        levels: 3,
        ball_pairs: 0,
        ball_contacts: 0,
        events: 0,
    };
    let (layout, settings) = (World::layout(&sizes)?, Settings::default());
    let scratch = world_scratch(&sizes, &shapes, &settings, 1)?;
    let all = Layout { size: layout.size + scratch.size + 128, align: 64 };
    let mut carve = Carve::new(memory, all, dem_core::error::What::Block)?;
    let (block, scratch) = (carve.part(layout)?, carve.part(scratch)?);
    let mut world = World::init(block, &sizes)?;
    world.set_up(&Setup { gravity: [0.0, 0.5, -10.0], periods: [3.0, 4.0, 0.0], ..Setup::default() })?;
    world.add(&BodyDef::new(Body::fixed(Pose::IDENTITY), 0))?;
    for i in 0..20_u64 {
        let [x, y, z] = random.point();
        let place = [3.0 * x, 4.0 * y, 0.6 + 2.0 * z.abs()];
        let mut body = Body::ball(0.5, 1.0, place)?;
        (body.velocity, body.angular_velocity) = (random.point(), random.point());
        let scale = if i % 3 == 0 { 0.5 } else { 1.0 };
        world.add(&BodyDef { id: Some(7 * i % 20), scale, material: (i % 2) as u32, ..BodyDef::new(body, 1) })?;
    }
    let drive = StepInputs { shapes: &shapes, exec: &Serial, isa, settings, law };
    for step in 0..12 {
        world.begin(&StepOptions { loads: true, ..StepOptions::new(DT) })?;
        loop {
            match world.poll(&drive, scratch)? {
                PollResult::More => {}
                PollResult::Loads => world.loads_mut()?[3].force[0] = f64::from(step),
                PollResult::Done | PollResult::Stuck | PollResult::Law => break,
            }
        }
        let fast = world.as_ref().too_fast();
        hash.numbers(&[fast.ratio, fast.dt]);
        if world.accept().is_err() {
            world.abandon()?;
            world.advance(DT, DT, &drive, scratch)?;
        }
        for body in world.as_ref().bodies() {
            hash.numbers(&body.position);
        }
    }
    world.advance(0.1, 0.02, &drive, scratch)?;
    let view = world.as_ref();
    for body in view.bodies() {
        hash.numbers(&body.position);
        hash.numbers(&body.velocity);
    }
    for mean in view.mean_wrenches() {
        hash.numbers(&mean.force);
    }
    let report = view.report(&Serial)?;
    hash.numbers(&[report.work, report.gravity_work, report.least_gap, report.approach]);
    Ok(())
}
