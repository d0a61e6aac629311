//! Windows of worlds of balls alone and of balls beside a bumpy body, without records, through growing lists.

use crate::bodies::{bumpy, cut, cut_vertices};
use crate::contacts::{HALO, rock, shape};
use crate::{Hash, Random};
use dem_core::body::Body;
use dem_core::contact::Room;
use dem_core::contact::shape::{Shape, Surface};
use dem_core::detect::Settings;
use dem_core::error::{Error, Result, What};
use dem_core::exec::Serial;
use dem_core::force::{Cohesion, Damping, Interaction, Laws, Normal, dashpot};
use dem_core::pose::Pose;
use dem_core::simd::Isa;
use dem_core::world::{BodyDef, Setup, StepInputs, World, WorldSizes, world_scratch};

const DT: f64 = 0.004;
const BALLS: u64 = 60;

pub(crate) fn run(isa: Isa, mut memory: &mut [u8]) -> Result<u64> {
    let mut hash = Hash::new();
    let vertices = cut_vertices(&mut memory)?;
    bumpy(0.1, vertices);
    let (mesh, tree, cells) = shape(isa, &mut memory, &mut hash, &rock(vertices))?;
    let surface = Surface { mesh, tree, cells, solid: true };
    let shapes =
        [Shape::HalfSpace { halo: HALO }, Shape::Sphere { radius: 0.5 - HALO, halo: HALO }, Shape::Mesh(&surface)];
    for is_alone in [true, false] {
        windows(isa, memory, &mut hash, &shapes, is_alone)?;
    }
    Ok(hash.value())
}

fn windows(isa: Isa, mut memory: &mut [u8], hash: &mut Hash, shapes: &[Shape<'_>], is_alone: bool) -> Result<()> {
    let plain = |normal, stiffness| Interaction::new(normal, stiffness).rough(0.4, 0.8);
    let table = [
        Interaction {
            rolling: 0.1,
            torsion: 0.1,
            ..plain(Normal::Hertz, 300.0).damped(Damping::Dashpot, dashpot(0.7))
        },
        plain(Normal::Linear, 200.0).sticky(Cohesion::Dmt, 0.1),
        plain(Normal::Pressure, 400.0).damped(Damping::HuntCrossley, 0.2),
    ];
    let law = Laws::new(&table)?;
    let sizes = WorldSizes {
        bodies: 64,
        candidates: 1200,
        contacts: 300,
        nodes: 400,
        levels: 3,
        ball_pairs: 1200,
        ball_contacts: 300,
        events: 0,
    };
    let room = Room { pairs: 300, terms: 450, segments: 100 };
    let settings = Settings { skin: 0.1, room, ..Settings::default() };
    let scratch = world_scratch(&sizes, shapes, &settings, 1)?;
    let block = cut(&mut memory, World::layout(&sizes)?.size);
    let short = Error::capacity(What::Scratch, scratch.size as u64, memory.len() as u64);
    let scratch = memory.get_mut(..scratch.size).ok_or(short)?;
    let mut world = World::init(block, &sizes)?;
    world.set_up(&Setup { gravity: [0.0, 0.5, -10.0], periods: [4.0, 4.5, 0.0], ..Setup::default() })?;
    world.add(&BodyDef::new(Body::fixed(Pose::IDENTITY), 0))?;
    if !is_alone {
        let rock = Body { moments: [1.0, 1.5, 2.0], mass: 4.0, ..Body::ball(0.5, 1.0, [2.0, 2.0, 1.2])? };
        world.add(&BodyDef { scale: 0.75, ..BodyDef::new(rock, 2) })?;
    }
    let mut random = Random::new(83);
    for i in 0..BALLS {
        let [x, y, z] = random.point();
        let [column, row, layer] = [i % 4, i / 4 % 4, i / 16].map(|k| k as f64);
        let high = if is_alone { 0.55 } else { 2.4 };
        let position = [column + 0.5 + 0.04 * x, 1.1 * row + 0.5 + 0.04 * y, high + layer + 0.04 * z];
        let mut body = Body::ball(0.5, 1.0, position)?;
        (body.velocity, body.angular_velocity) = (random.point(), random.point());
        let scale = if i % 3 == 0 { 0.875 } else { 1.0 };
        world.add(&BodyDef { id: Some(7 * i % 60), scale, material: (i % 2) as u32, ..BodyDef::new(body, 1) })?;
    }
    let drive = StepInputs { shapes, exec: &Serial, isa, settings, law: &law };
    for steps in [30.0, 7.0] {
        world.advance(steps * DT, DT, &drive, scratch)?;
        let view = world.as_ref();
        for body in view.bodies() {
            hash.numbers(&body.position);
            hash.numbers(&body.velocity);
            hash.numbers(&body.angular_velocity);
            hash.numbers(&body.orientation);
        }
        view.springs().iter().for_each(|springs| hash.numbers(springs.as_flattened()));
        let report = view.report(&Serial)?;
        hash.word(report.contacts as u64);
        hash.numbers(&[report.work, report.damped, report.rubbed, report.least_gap]);
    }
    Ok(())
}
