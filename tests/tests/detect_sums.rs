//! Sums per body and carried vectors of a scene: touches, wrenches, springs.

use dem_core::array::{Array, VectorsMut, Words};
use dem_core::contact::history::Event;
use dem_core::detect::{Bodies, Carry};
use dem_core::error::{Kind, What};
use dem_core::exec::Serial;
use dem_std::{OwnedScene, Threads};
use dem_tests::crowd::{Crowd, Stock, parts, shapes};
use dem_tests::random::Random;
use dem_tests::shapes::sphere;
use dem_tests::vector::{add, cross, scale, sub};
use std::sync::Mutex;

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
            for pair in view.now().pairs() {
                let body = if is_b { pair.b } else { pair.a };
                expected[body as usize].extend((pair.first..pair.end).map(|contact| (contact as usize, is_b)));
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
    let torques: Vec<_> = contacts.iter().map(|c| c.moment).collect();
    let mut out = vec![Default::default(); crowd.kinds.len()];
    let (f, t) = (Array::from_f64(&forces), Array::from_f64(&torques));
    view.wrenches(&Threads::new(3).unwrap(), f, Some(t), None, &mut out).unwrap();
    let mut expected = vec![([0.0; 3], [0.0; 3]); out.len()];
    for pair in view.now().pairs() {
        for i in pair.first as usize..pair.end as usize {
            let (p, shift) = (contacts[i].position, pair.shift.map(f64::from));
            let b = crowd.positions[pair.b as usize];
            let b = [0, 1, 2].map(|k| b[k] + shift[k] * crowd.periods[k]);
            for (body, own, side) in [(pair.a, crowd.positions[pair.a as usize], 1.0), (pair.b, b, -1.0)] {
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

    // Into a host's arrays, of which it may want one: the same bits; nothing where one of them is too short.
    let centres = Array::from_f64(&crowd.positions);
    let lent = [0, 1].map(|_| Lent(vec![[7.0; 3]; out.len()].into_iter().map(Mutex::new).collect()));
    let short = Lent(lent[1].0.iter().skip(1).map(|_| Mutex::new([0.0; 3])).collect());
    let into = |f, out| view.wrenches_into(&Threads::new(3).unwrap(), f, Some(t), Some(&centres), out);
    let error = into(f, [Some(&lent[0]), Some(&short)]).unwrap_err();
    assert_eq!((error.kind, error.what, error.needed, error.given), (Kind::Capacity, What::Output, 200, 199));
    let error = into(Array::from_f64(&forces[1..]), [Some(&lent[0]), None]).unwrap_err();
    assert_eq!((error.kind, error.what), (Kind::Mismatch, What::Forces));
    assert!(lent.iter().all(|array| array.items().iter().all(|v| *v == [7.0; 3])));
    into(f, [None, Some(&lent[1])]).unwrap();
    assert!(lent[0].items().iter().all(|v| *v == [7.0; 3]));
    into(f, [Some(&lent[0]), None]).unwrap();
    view.wrenches(&Serial, f, Some(t), Some(centres), &mut out).unwrap();
    let (sums, moments): (Vec<_>, Vec<_>) = out.iter().map(|w| (w.force, w.torque)).unzip();
    assert!(lent[0].items() == sums && lent[1].items() == moments);
}

/// An array of which threads write items.
struct Lent(Vec<Mutex<[f64; 3]>>);

impl Lent {
    fn items(&self) -> Vec<[f64; 3]> {
        self.0.iter().map(|item| *item.lock().unwrap()).collect()
    }
}

impl VectorsMut for Lent {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn set(&self, i: usize, value: [f64; 3]) {
        *self.0[i].lock().unwrap() = value;
    }
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
        let e = view.carry(&Serial, Carry::Tangent, &[[1.0; 3]; 2][..of_last], &mut vectors[..now]).unwrap_err();
        assert_eq!((e.kind, e.what, vectors), (Kind::Mismatch, what, [[7.0; 3]; 2]));
    }
    view.carry(&Serial, Carry::Tangent, &[[1.0, 2.0, 0.0]; 2], &mut vectors[..1]).unwrap();
    let length = 5.0f64.sqrt();
    assert!((vectors[0][1] - length).abs() < 1e-15 && vectors[0][0] == 0.0, "{:?}", vectors[0]);
    // A step that fails changes nothing.
    let nowhere = [[f64::NAN; 3]; 2];
    scene.detect(&Bodies::new(&shapes, Words::from_slice(&[0; 2]), Array::from_f64(&nowhere))).unwrap_err();
    let (view, mut events) = (scene.view().unwrap(), [Event::default(); 2]);
    assert_eq!((view.now().contacts().len(), view.last().len(), view.successors().len()), (1, 2, 2));
    assert_eq!(view.events(&mut events), Ok(2));
    view.carry(&Serial, Carry::Tangent, &[[1.0, 2.0, 0.0]; 2], &mut vectors[1..]).unwrap();
    assert_eq!(vectors[0], vectors[1]);
}
