//! Bodies of any moments through some time steps: sines, cosines, square roots and sums over pieces of the list.

use crate::{Hash, Random};
use dem_core::body::{Body, Order, Rotation, Step, advance, totals};
use dem_core::broad::Motion;
use dem_core::detect::Wrench;
use dem_core::error::Result;
use dem_core::exec::Serial;
use dem_core::pose::Pose;
use dem_core::simd::Isa;

const BODIES: usize = 40;

pub(crate) fn run(_isa: Isa, _memory: &mut [u8]) -> Result<u64> {
    let mut hash = Hash::new();
    let mut random = Random::new(51);
    let bodies = &mut [Body::fixed(Pose::IDENTITY); BODIES];
    let wrenches = &mut [Wrench::default(); BODIES];
    for rotation in [Rotation::Splitting, Rotation::Gyroscopic] {
        for order in [Order::SemiImplicit, Order::Explicit] {
            for (i, body) in bodies.iter_mut().enumerate() {
                let [a, b, c] = random.point().map(|x| 1.1 + x);
                let pose = Pose { position: random.point(), orientation: [0; 4].map(|_| random.signed()) };
                let moments = if i % 5 == 0 { [a; 3] } else { [b + c, c + a, a + b] };
                let motion = if i % 7 == 0 { Motion::Kinematic } else { Motion::Dynamic } as u32;
                let (velocity, angular_velocity) = (random.point(), random.point().map(|x| 9.0 * x));
                *body = Body { mass: a, moments, velocity, angular_velocity, motion, ..Body::fixed(pose) };
            }
            for wrench in &mut *wrenches {
                *wrench = Wrench { force: random.point(), torque: random.point() };
            }
            let step = Step { gravity: [0.0, 0.5, -10.0], order, rotation, ..Step::new(0.05) };
            for _ in 0..20 {
                let works = advance(&Serial, bodies, wrenches, &step)?;
                hash.numbers(&[works.wrenches, works.gravity]);
            }
            for body in &*bodies {
                hash.numbers(&body.position);
                hash.numbers(&body.orientation);
                hash.numbers(&body.velocity);
                hash.numbers(&body.angular_velocity);
            }
            let totals = totals(&Serial, bodies, [1.0, 0.0, -2.0])?;
            hash.numbers(&totals.momentum);
            hash.numbers(&totals.angular_momentum);
            hash.numbers(&[totals.kinetic(), totals.potential(step.gravity)]);
        }
    }
    Ok(hash.value())
}
