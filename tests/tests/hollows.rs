//! Bodies with hollows that cross hollows of the other body: what they have in common is around the hollows of both.

use dem_core::contact::regions::Grouping;
use dem_core::contact::shape::Shape;
use dem_core::pose::Pose;
use dem_tests::Triangle;
use dem_tests::bad::{FLAGS, told};
use dem_tests::contact::{Body, at, cuboid, wrench};
use dem_tests::deep::{find, moved, turned_over};
use dem_tests::shapes::{placed, stored, surface};

const NONE: [f64; 4] = [0.0, 0.0, 0.0, 1.0];

/// Edges of boxes, of their hollows, and where those are in both bodies.
struct Case {
    edge: [f64; 2],
    hollow: f64,
    places: [Vec<[f64; 3]>; 2],
}

impl Case {
    fn mesh(&self, side: usize) -> Vec<Triangle> {
        let hollow = |at: &[f64; 3]| turned_over(&moved(&cuboid([self.hollow; 3]), *at));
        [cuboid([self.edge[side]; 3])]
            .into_iter()
            .chain(self.places[side].iter().map(hollow))
            .collect::<Vec<_>>()
            .concat()
    }

    /// What both have in common, B shifted by `d`: hollows lie in the other body as a whole, or not at all.
    fn common(&self, d: [f64; 3]) -> f64 {
        let overlap = |p: [f64; 3], q: [f64; 3], a: f64, b: f64| {
            (0..3)
                .map(|k| ((p[k] + 0.5 * a).min(q[k] + 0.5 * b) - (p[k] - 0.5 * a).max(q[k] - 0.5 * b)).max(0.0))
                .product::<f64>()
        };
        let (h, [a, b]) = (self.hollow, self.edge);
        let shifted = |p: &[f64; 3]| [0, 1, 2].map(|k| p[k] + d[k]);
        let mut volume = overlap([0.0; 3], d, a, b);
        volume -= self.places[0].iter().map(|p| overlap(*p, d, h, b)).sum::<f64>();
        volume -= self.places[1].iter().map(|q| overlap([0.0; 3], shifted(q), a, h)).sum::<f64>();
        self.places[0]
            .iter()
            .for_each(|p| volume += self.places[1].iter().map(|q| overlap(*p, shifted(q), h, h)).sum::<f64>());
        volume
    }
}

fn cases() -> [Case; 3] {
    let corners: Vec<[f64; 3]> =
        (0..8).map(|k| [0, 1, 2].map(|bit| if k >> bit & 1 == 1 { 0.41 } else { -0.41 })).collect();
    [
        Case { edge: [2.0, 2.0], hollow: 0.6, places: [vec![[0.0; 3]], vec![[0.0; 3]]] },
        Case { edge: [2.0, 2.0], hollow: 0.5, places: [corners.clone(), corners] },
        // The outer surface of B crosses nothing.
        Case { edge: [3.0, 1.5], hollow: 0.6, places: [vec![[0.0; 3]], vec![[0.0; 3]]] },
    ]
}

const SHIFTS: [[f64; 3]; 5] =
    [[0.68, 0.2, 0.1], [0.3, 0.2, 0.1], [0.1, 0.25, 0.2], [0.4, -0.3, 0.15], [0.25, 0.2, -0.35]];

#[test]
fn hollows_that_cross_hollows_are_taken_off() {
    let mut crossed = 0;
    for (k, case) in cases().iter().enumerate() {
        for d in SHIFTS {
            let truth = case.common(d);
            // By the law of facing area and depth multiply to the volume.
            let bodies = [0, 1].map(|side| Body::facing(&case.mesh(side), 1e-9));
            let list = find(&bodies[1], &at(d, NONE), &bodies[0], &Pose::IDENTITY, false).0;
            assert!(!list.is_empty(), "{k} {d:?}");
            let of_facing = told(&list);
            assert!(of_facing.bits & FLAGS == 0, "{k} {d:?}: {of_facing:?}");
            // What limits the depth limits the product.
            assert!(of_facing.volume < truth * (1.0 + 1e-6), "{k} {d:?}: {of_facing:?} {truth}");
            // By the law of volumes the energy tells it, but for that of the layers around.
            let halo = 1e-5;
            let bodies = [0, 1].map(|side| Body::conservative(&case.mesh(side), halo));
            let list = stored(
                &placed(Shape::Mesh(&surface(&bodies[1], false)), &at(d, NONE)),
                &placed(Shape::Mesh(&surface(&bodies[0], false)), &Pose::IDENTITY),
                &Grouping::PATCHES,
            );
            let area = |side: usize| {
                0.25 * 6.0 * (case.edge[side].powi(2) + case.hollow.powi(2) * case.places[side].len() as f64)
            };
            let unit = 2.0 * halo * area(0).min(area(1));
            let energy: f64 = list.iter().map(|c| c.energy).sum();
            let volume = unit * ((1.0 + 2.0 * energy / unit).sqrt() - 1.0);
            assert!((volume / truth - 1.0).abs() < 1e-3, "{k} {d:?}: {volume} {truth}");
            crossed += usize::from((0..3).all(|k| d[k].abs() < case.hollow));
        }
    }
    assert!(crossed > 8, "{crossed}");
}

/// Force and energy as hollows come to cross, and after.
#[test]
fn the_force_is_that_of_the_volume_that_there_is() {
    let case = &cases()[0];
    let halo = 0.01;
    let bodies = [0, 1].map(|side| Body::conservative(&case.mesh(side), halo));
    let of = bodies.each_ref().map(|body| surface(body, false));
    let list = |x: f64| {
        let pose = at([x, 0.2, 0.1], NONE);
        stored(&placed(Shape::Mesh(&of[1]), &pose), &placed(Shape::Mesh(&of[0]), &Pose::IDENTITY), &Grouping::PATCHES)
    };
    let energy = |x: f64| list(x).iter().map(|c| c.energy).sum::<f64>();
    for x in [0.69, 0.61, 0.6 + 1e-6, 0.6 - 1e-6, 0.59, 0.5, 0.3] {
        let force = wrench(&list(x), [0.0; 3]).force[0];
        let slope = -(energy(x + 1e-7) - energy(x - 1e-7)) / 2e-7;
        let volume = case.common([x, 0.2, 0.1]);
        let factor = 1.0 + volume / (2.0 * halo * 0.25 * (24.0 + 6.0 * 0.36));
        // What both hollows have in common is taken off once.
        let cut = 1.8 * 1.9 + if x < 0.6 { 0.4 * 0.5 } else { 0.0 };
        // The layers of faces add 1 in 100 to the force.
        assert!((force / (factor * cut) - 1.0).abs() < 0.02, "{x}: {force} {}", factor * cut);
        assert!((slope / force - 1.0).abs() < 1e-3, "{x}: {force} {slope}");
    }
}
