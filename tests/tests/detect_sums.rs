//! What a scene adds up and takes along for each body and contact: touches, wrenches, vectors.

use dem_core::array::{Array, Words};
use dem_core::contact::history::Event;
use dem_core::detect::Bodies;
use dem_core::error::{Kind, What};
use dem_core::exec::Serial;
use dem_std::{OwnedScene, Threads};
use dem_tests::crowd::{Crowd, Stock, parts, shapes};
use dem_tests::random::Random;
use dem_tests::shapes::sphere;
use dem_tests::vector::{add, cross, scale, sub};

#[test]
fn touches_of_many_bodies_are_those_of_the_list() {
    let mut random = Random::new(31);
    let shapes = [sphere(0.5, 0.01)];
    // The last ones touch nothing.
    let mut positions: Vec<_> = (0..5000).map(|_| random.in_cube(6.0)).collect();
    positions.extend((0..3000).map(|i| [100.0 + 2.0 * f64::from(i), 0.0, 0.0]));
    let kinds = vec![0; positions.len()];
    for threads in [1, 3] {
        let mut scene = OwnedScene::new(Threads::new(threads).unwrap());
        let bodies = Bodies::new(&shapes, Words::from_slice(&kinds), Array::from_f64(&positions));
        assert!(scene.detect(&bodies).unwrap().contacts > 5000);
        let view = scene.view().unwrap();
        let mut expected = vec![Vec::new(); positions.len()];
        for is_b in [false, true] {
            for couple in view.now().couples() {
                let body = if is_b { couple.b } else { couple.a };
                expected[body as usize].extend((couple.first..couple.end).map(|contact| (contact as usize, is_b)));
            }
        }
        for (i, expected) in expected.iter().enumerate() {
            let found: Vec<_> = view.touches(i).iter().map(|t| (t.contact(), t.is_b())).collect();
            assert_eq!(found, *expected, "body {i}, {threads} threads");
        }
    }
}

#[test]
fn wrenches_are_sums_over_contacts() {
    let stock = Stock::new();
    let surfaces = stock.surfaces();
    let parts = parts(&surfaces);
    let shapes = shapes(&surfaces, &parts);
    let crowd = Crowd { periods: [9.0, 0.0, 0.0], ..Crowd::new(200, 4.5, 11) };
    let mut scene = OwnedScene::new(Threads::new(2).unwrap());
    scene.settings.periods = crowd.periods;
    scene.detect(&crowd.bodies(&shapes, false)).unwrap();
    let view = scene.view().unwrap();
    let contacts = view.now().contacts();
    let forces: Vec<_> = contacts.iter().map(|c| scale((1.0 - c.gap / c.halo) * c.area, c.normal)).collect();
    let torques: Vec<_> = contacts.iter().map(|c| c.couple).collect();
    let mut out = vec![Default::default(); crowd.kinds.len()];
    let (f, t) = (Array::from_f64(&forces), Array::from_f64(&torques));
    view.wrenches(&Threads::new(3).unwrap(), f, Some(t), None, &mut out).unwrap();
    let mut expected = vec![([0.0; 3], [0.0; 3]); out.len()];
    for couple in view.now().couples() {
        for i in couple.first as usize..couple.end as usize {
            let (p, shift) = (contacts[i].position, couple.shift.map(f64::from));
            let b = crowd.positions[couple.b as usize];
            let b = [0, 1, 2].map(|k| b[k] + shift[k] * crowd.periods[k]);
            for (body, own, side) in [(couple.a, crowd.positions[couple.a as usize], 1.0), (couple.b, b, -1.0)] {
                let (force, torque) = &mut expected[body as usize];
                let f = scale(side, forces[i]);
                *force = add(*force, f);
                *torque = add(*torque, add(cross(sub(p, own), f), scale(side, torques[i])));
            }
        }
    }
    let size = forces.iter().flatten().fold(0.0f64, |m, x| m.max(x.abs()));
    for (found, (force, torque)) in out.iter().zip(&expected) {
        for k in 0..3 {
            assert!(
                (found.force[k] - force[k]).abs() < 1e-12 * size && (found.torque[k] - torque[k]).abs() < 1e-11 * size
            );
        }
    }
    let short = view.wrenches(&Serial, f, None, None, &mut out[1..]).unwrap_err();
    assert_eq!((short.kind, short.what, short.needed), (Kind::Capacity, What::Output, 200));
    let short = view.wrenches(&Serial, Array::from_f64(&forces[1..]), None, None, &mut out).unwrap_err();
    assert_eq!((short.kind, short.what), (Kind::Mismatch, What::Forces));
}

#[test]
fn vectors_need_one_for_each_contact_of_both_steps() {
    let shapes = [sphere(0.5, 0.05)];
    let positions = [[0.0; 3], [1.02, 0.0, 0.0], [2.04, 0.0, 0.0]];
    let mut scene = OwnedScene::new(Threads::new(1).unwrap());
    for n in [3, 2] {
        scene.detect(&Bodies::new(&shapes, Words::from_slice(&[0; 3][..n]), Array::from_f64(&positions[..n]))).unwrap();
    }
    let view = scene.view().unwrap();
    let mut vectors = [[7.0; 3]; 2];
    for (of_last, now, what) in [(1, 1, What::LastVectors), (2, 2, What::Vectors)] {
        let e = view.carry(&Serial, &[[1.0; 3]; 2][..of_last], &mut vectors[..now]).unwrap_err();
        assert_eq!((e.kind, e.what, vectors), (Kind::Mismatch, what, [[7.0; 3]; 2]));
    }
    view.carry(&Serial, &[[1.0, 2.0, 0.0]; 2], &mut vectors[..1]).unwrap();
    let length = 5.0f64.sqrt();
    assert!((vectors[0][1] - length).abs() < 1e-15 && vectors[0][0] == 0.0, "{:?}", vectors[0]);
    // A step that fails takes the one before the last with it.
    let nowhere = [[f64::NAN; 3]; 2];
    scene.detect(&Bodies::new(&shapes, Words::from_slice(&[0; 2]), Array::from_f64(&nowhere))).unwrap_err();
    let (view, mut events) = (scene.view().unwrap(), [Event::default(); 2]);
    assert_eq!((view.now().contacts().len(), view.last().contacts().len(), view.successors().len()), (1, 0, 0));
    assert_eq!(view.events(&mut events), Ok(1));
    view.carry(&Serial, &[], &mut vectors[..1]).unwrap();
    assert_eq!(vectors[0], [0.0; 3]);
}
