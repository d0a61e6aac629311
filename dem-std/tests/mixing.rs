//! How two materials make an interaction: the table in `docs/forces.md`.

#![allow(clippy::unwrap_used)]

use dem_std::dem_core::force::{Cohesion, Damping, Interaction, Material, Normal, dashpot};

const GLASS: Material =
    Material { young: 6e10, poisson: 0.2, restitution: 0.9, friction: 0.4, rolling: 0.01, cohesion: 4.0 };
const RUBBER: Material =
    Material { young: 2e6, poisson: 0.49, restitution: 0.4, friction: 0.9, rolling: 0.04, cohesion: 9.0 };

fn close(a: f64, b: f64) {
    assert!((a - b).abs() < 1e-14 * b.abs(), "{a} {b}");
}

#[test]
fn the_formulas_of_the_document_hold() {
    let layers = 2.0 / (1.0 / 6e10 + 1.0 / 2e6);
    let plane = |m: &Material| (1.0 - m.poisson * m.poisson) / m.young;
    let solid = 1.0 / (plane(&GLASS) + plane(&RUBBER));
    let s = |m: &Material| 2.0 * (2.0 - m.poisson) * (1.0 + m.poisson) / m.young;
    let size = 0.01;
    for (normal, stiffness) in [
        (Normal::Pressure, layers),
        (Normal::Linear, layers * size),
        (Normal::Spring, layers * size),
        (Normal::Hertz, solid),
    ] {
        let made = GLASS.with(&RUBBER, normal, size).unwrap();
        close(made.stiffness, stiffness);
        close(made.shear, 4.0 / (solid * (s(&GLASS) + s(&RUBBER))));
        close(made.damping, dashpot((0.9_f64 * 0.4).sqrt()));
        close(made.friction, 0.6);
        close(made.rolling, 0.02);
        close(made.cohesion, 6.0);
        let Interaction { damped, cohesive, lag, torsion, .. } = made;
        assert_eq!((damped, cohesive), (Damping::Dashpot as u32, Cohesion::Area as u32));
        assert_eq!((lag, torsion), (0.0, 1.0));
        // Poisson's ratio: none of the stiffness of a layer, all of that of Hertz.
        let same = Material { poisson: 0.0, ..GLASS }.with(&Material { poisson: 0.0, ..RUBBER }, normal, size).unwrap();
        assert_eq!(same.stiffness == made.stiffness, normal != Normal::Hertz);
    }
    // Of one material.
    for nu in [0.0, 0.3, 0.5] {
        let own = Material { poisson: nu, restitution: 1.0, cohesion: 0.0, ..GLASS };
        let made = own.with(&own, Normal::Hertz, 0.0).unwrap();
        close(made.stiffness, 6e10 / (2.0 * (1.0 - nu * nu)));
        close(made.shear, 2.0 * (1.0 - nu) / (2.0 - nu));
        assert_eq!((made.damped, made.cohesive), (Damping::None as u32, Cohesion::None as u32));
    }
}
