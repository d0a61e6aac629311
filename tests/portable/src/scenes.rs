//! Two steps of a scene with bodies of all sorts in a box that is periodic along one axis: contacts, what they were, sums of forces.

use crate::bodies::{bumpy, cut, cut_vertices};
use crate::contacts::{HALO, hash_contact, rock, shape};
use crate::{Hash, Random};
use dem_core::array::{Array, Words};
use dem_core::contact::Room;
use dem_core::contact::regions::Grouping;
use dem_core::contact::shape::{Part, Shape, Surface};
use dem_core::detect::{Bodies, Scene, SceneSizes, Settings, Wrench, detect_scratch};
use dem_core::error::{Result, What};
use dem_core::exec::Serial;
use dem_core::memory::{Carve, Plan};
use dem_core::pose::Pose;
use dem_core::simd::Isa;

/// Room for pairs that hardly touch.
const SMALL: Room = Room { pairs: 300, terms: 600, segments: 100 };
const BODIES: usize = 60;
const MOST: u32 = 400;
/// Half the period.
const HALF: f64 = 3.5;

pub(crate) fn run(isa: Isa, mut memory: &mut [u8]) -> Result<u64> {
    let mut hash = Hash::new();
    let vertices = cut_vertices(&mut memory)?;
    bumpy(0.1, vertices);
    let (mesh, tree, cells) = shape(isa, &mut memory, &mut hash, &rock(vertices))?;
    let surface = Surface { mesh, tree, cells, solid: true };
    let ball = Shape::Sphere { radius: 0.4, halo: HALO };
    let at = |x: f64| Pose { position: [x, 0.1, 0.0], ..Pose::IDENTITY };
    let parts = [Part { shape: ball, pose: at(-0.3), scale: 1.0 }, Part { shape: ball, pose: at(0.3), scale: 0.75 }];
    let shapes = [ball, Shape::Mesh(&surface), Shape::Compound(&parts), Shape::HalfSpace { halo: HALO }];
    let (n, contacts) = (BODIES as u64, u64::from(MOST));
    let mut plan = Plan::new();
    plan.add::<[f64; 3]>(n).add::<[f64; 4]>(n).add::<f64>(n).add::<u32>(n).add::<u32>(n);
    let layout = plan.add::<[f64; 3]>(contacts).add::<Wrench>(n).layout(What::Output)?;
    let mut carve = Carve::new(cut(&mut memory, layout.size), layout, What::Output)?;
    let (positions, orientations) = (carve.take::<[f64; 3]>(n)?, carve.take::<[f64; 4]>(n)?);
    let (scales, kinds, motions) = (carve.take::<f64>(n)?, carve.take::<u32>(n)?, carve.take::<u32>(n)?);
    let (forces, sums) = (carve.take::<[f64; 3]>(contacts)?, carve.take::<Wrench>(n)?);
    let mut random = Random::new(41);
    for i in 0..BODIES {
        positions[i] = random.point().map(|x| HALF * x);
        let [a, b, c] = random.point();
        orientations[i] = [a, b, c, 0.5];
        scales[i] = 0.5 + 0.25 * random.signed();
        (kinds[i], motions[i]) = ([0, 1, 0, 2][i % 4], u32::from(i % 5 == 0));
    }
    // The ground stands along the axis that is periodic.
    (kinds[7], motions[7], positions[7], orientations[7]) = (3, 2, [0.0, 0.0, -HALF], [0.0, 0.0, 0.0, 1.0]);
    // The second step has the list of the first one, which changes no bit.
    let settings = Settings {
        periods: [2.0 * HALF, 0.0, 0.0],
        bound: 0.1,
        skin: 0.25,
        margin: 0.0,
        energy: false,
        spread: false,
        grouping: Grouping::PATCHES,
        room: SMALL,
        pair_contacts: 200,
        grows: false,
    };
    let sizes = SceneSizes {
        bodies: BODIES as u32,
        candidates: MOST,
        contacts: MOST,
        nodes: 0,
        posed: 0,
        levels: 3,
        margin_contacts: 0,
    };
    let block = cut(&mut memory, Scene::layout(&sizes)?.size);
    let mut scene = Scene::init(block, &sizes)?;
    for _ in 0..2 {
        let bodies = Bodies {
            orientations: Some(Array::from_quaternions(orientations)),
            scales: Some(Array::from_numbers(scales)),
            motions: Some(Words::from_slice(motions)),
            ..Bodies::new(&shapes, Words::from_slice(kinds), Array::from_f64(positions))
        };
        let scratch = lent(memory, detect_scratch(&sizes, &bodies, &settings, 1)?.size);
        let found = scene.detect(&Serial, isa, &bodies, &settings, scratch)?;
        let view = scene.as_ref();
        let list = view.now().contacts();
        [found.contacts, found.persisting, found.pairs].iter().for_each(|n| hash.word(*n as u64));
        for (i, (contact, link)) in list.iter().zip(view.links()).enumerate() {
            hash_contact(&mut hash, contact);
            hash.word(u64::from(link.origin) << 32 | u64::from(link.source));
            forces[i] = contact.normal.map(|x| x * contact.area);
        }
        view.all_touches().iter().for_each(|touch| hash.word(u64::from(touch.0)));
        view.wrenches(&Serial, Array::from_f64(&forces[..list.len()]), None, None, sums)?;
        sums.iter().for_each(|sum| {
            hash.numbers(&sum.force);
            hash.numbers(&sum.torque);
        });
        for (i, position) in positions.iter_mut().enumerate().filter(|(i, _)| motions[*i] == 0 && *i != 7) {
            let by = random.point();
            *position = [0, 1, 2].map(|k| position[k] + 0.0625 * by[k]);
            // As a host wraps bodies into its box.
            if i % 3 == 0 {
                position[0] += 2.0 * HALF;
            }
        }
    }
    Ok(hash.value())
}

/// The front of what is left, which is lent again and again.
fn lent(memory: &mut [u8], size: usize) -> &mut [u8] {
    let size = size.min(memory.len());
    &mut memory[..size]
}
