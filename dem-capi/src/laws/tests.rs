//! Tests of interactions, and of functions that compute their numbers. The core tests the laws.

use super::*;
use crate::errors::*;

const SIZE: usize = size_of::<dem_interaction>();

fn code(call: impl FnOnce(*mut dem_error) -> i32) -> (i32, u32, u64, u32) {
    let mut error = dem_error::default();
    let status = call(&mut error);
    assert_eq!(status, error.code);
    (status, error.argument, error.index, error.component)
}

fn number(call: impl FnOnce(*mut f64, *mut dem_error) -> i32) -> core::result::Result<f64, (i32, u32, u64, u32)> {
    let mut found = 77.0;
    match code(|error| call(&mut found, error)) {
        (DEM_OK, ..) => Ok(found),
        wrong => {
            assert_eq!(found, 77.0, "nothing is written");
            Err(wrong)
        }
    }
}

#[test]
fn interactions_are_those_of_the_core() {
    let steel =
        dem_material { young: 2e11, poisson: 0.3, restitution: 0.6, friction: 0.3, rolling: 0.01, cohesion: 0.0 };
    let rubber =
        dem_material { young: 1e7, poisson: 0.5, restitution: 0.9, friction: 0.8, rolling: 0.05, cohesion: 2.0 };
    let null = core::ptr::null_mut();
    for (number, normal) in [Normal::Pressure, Normal::Linear, Normal::Spring, Normal::Hertz].into_iter().enumerate() {
        let mut made = dem_interaction::default();
        let number = number as u32;
        // SAFETY: all memory has the size that is passed.
        unsafe {
            assert_eq!(dem_interaction_of_materials(&mut made, SIZE, &steel, &rubber, number, 0.5, null), DEM_OK);
        }
        assert_eq!(made, Material::from(steel).with(&rubber.into(), normal, 0.5).unwrap().into());
        assert!(made.damping > 0.0 && made.friction > 0.4);
    }
}

#[test]
fn numbers_for_what_is_wanted_go_back_to_it() {
    // SAFETY: the output is a valid number.
    unsafe {
        let pressure = number(|to, e| dem_pressure_for(to, 30.0, 2.0, 0.01, 0.04, e)).unwrap();
        assert!((pressure - 20.0).abs() < 1e-12);
        assert!((number(|to, e| dem_resting_gap(to, 30.0, 2.0, pressure, 0.04, e)).unwrap() - 0.01).abs() < 1e-15);
        let dt = number(|to, e| dem_stable_step(to, 100.0, 4.0, 0.0, e)).unwrap();
        assert!((dt - 2.0 * (4.0_f64 / 100.0).sqrt()).abs() < 1e-15);
        assert!(number(|to, e| dem_stable_step(to, 100.0, 4.0, 0.5, e)).unwrap() < dt);
        // A contact without loss lasts for half a period.
        let stiffness = number(|to, e| dem_linear_stiffness(to, 4.0, 0.1, 1.0, e)).unwrap();
        assert!((core::f64::consts::PI * (4.0 / stiffness).sqrt() - 0.1).abs() < 1e-12);
        for damped in [DEM_DAMPING_DASHPOT, DEM_DAMPING_DASHPOT_WITH_TENSION] {
            let zeta = number(|to, e| dem_damping_for(to, damped, 0.7, 0.0, e)).unwrap();
            let back = match damped {
                DEM_DAMPING_DASHPOT => force::restitution(zeta),
                _ => force::restitution_with_tension(zeta),
            };
            assert!((back - 0.7).abs() < 1e-9);
        }
        let (slow, fast) = [1.0, 2.0].map(|v| number(|to, e| dem_damping_for(to, 1, 0.7, v, e)).unwrap()).into();
        assert!((slow / fast - 2.0).abs() < 1e-9);
        assert_eq!(number(|to, e| dem_damping_for(to, 0, 0.7, 0.0, e)), Ok(0.0));
        // Two blocks bear nearly a quarter of the load of one; many blocks bear a load proportional to 1 / n^2.
        let load = |n| number(|to, e| dem_buckling_load(to, 3.0, 0.5, n, e)).unwrap();
        assert!((load(1) - 4.0 * 3.0 / 0.5 * 0.5).abs() < 1e-12);
        assert!((load(100) / load(50) - 0.25).abs() < 1e-4);
    }
}

#[test]
fn senseless_numbers_are_refused_with_which() {
    let wrong = |kind: i32, what: What| Err((kind, what as u32, 0, 0));
    let (nan, infinite) = (f64::NAN, f64::INFINITY);
    let (not_finite, out) = (DEM_ERROR_NOT_FINITE, DEM_ERROR_OUT_OF_RANGE);
    // SAFETY: the output is a valid number.
    unsafe {
        assert_eq!(number(|to, e| dem_pressure_for(to, nan, 1.0, 0.0, 1.0, e)), wrong(not_finite, What::Load));
        assert_eq!(number(|to, e| dem_pressure_for(to, 1.0, 0.0, 0.0, 1.0, e)), wrong(out, What::Area));
        assert_eq!(number(|to, e| dem_pressure_for(to, 1.0, 1.0, 1.0, 1.0, e)), wrong(out, What::Gap));
        assert_eq!(number(|to, e| dem_pressure_for(to, 1.0, 1.0, infinite, 1.0, e)), wrong(not_finite, What::Gap));
        assert_eq!(number(|to, e| dem_resting_gap(to, 1.0, 1.0, -1.0, 1.0, e)), wrong(out, What::Pressure));
        assert_eq!(number(|to, e| dem_linear_stiffness(to, 1.0, 1.0, 1.1, e)), wrong(out, What::Restitution));
        assert_eq!(number(|to, e| dem_linear_stiffness(to, 1.0, infinite, 1.0, e)), wrong(not_finite, What::Time));
        assert_eq!(number(|to, e| dem_stable_step(to, 1.0, 1.0, -0.1, e)), wrong(out, What::Zeta));
        assert_eq!(number(|to, e| dem_buckling_load(to, 1.0, 1.0, 0, e)), wrong(out, What::Blocks));
        assert_eq!(number(|to, e| dem_damping_for(to, 4, 0.5, 1.0, e)), Err((out, What::Damped as u32, 0, 0)));
        assert_eq!(number(|to, e| dem_damping_for(to, 1, 0.0, 1.0, e)), wrong(out, What::Restitution));
        assert_eq!(number(|to, e| dem_damping_for(to, 1, 1.5, 1.0, e)), wrong(out, What::Restitution));
        assert_eq!(number(|to, e| dem_damping_for(to, 1, 0.5, 0.0, e)), wrong(out, What::Velocity));
        let null = core::ptr::null_mut();
        assert_eq!(dem_resting_gap(null, 1.0, 1.0, 1.0, 1.0, null.cast()), DEM_ERROR_NULL);

        let mut made = dem_interaction::default();
        let material = dem_material { young: 1.0, restitution: 1.0, ..Default::default() };
        let bad = dem_material { restitution: nan, ..material };
        let of = |a: *const dem_material, b: *const dem_material, normal, made: *mut dem_interaction| {
            code(|e| dem_interaction_of_materials(made, SIZE, a, b, normal, 1.0, e))
        };
        let interactions = What::Interactions as u32;
        assert_eq!(of(null.cast(), &material, 0, &mut made).0, DEM_ERROR_NULL);
        assert_eq!(of(&material, &bad, 0, &mut made), (not_finite, What::MaterialB as u32, 0, 2));
        assert_eq!(of(&bad, &material, 0, &mut made), (not_finite, What::MaterialA as u32, 0, 2));
        assert_eq!(of(&material, &material, 4, &mut made), (out, What::Normal as u32, 0, 0));
        assert_eq!(of(&material, &material, 3, &mut made).0, DEM_OK);

        let mut table = [made; 4];
        let mut n = 0;
        for (count, most) in [(1, 1), (3, 2)] {
            assert_eq!(dem_interactions_check(&mut n, table.as_ptr(), count, null.cast()), DEM_OK);
            assert_eq!(n, most);
        }
        for count in [0, 2, 4] {
            let found = code(|e| dem_interactions_check(null.cast(), table.as_ptr(), count, e));
            assert_eq!(found.0, DEM_ERROR_MISMATCH, "{count}");
        }
        table[2].shear = -1.0;
        let found = code(|e| dem_interactions_check(null.cast(), table.as_ptr(), 3, e));
        assert_eq!(found, (out, interactions, 2, 7));
    }
}
