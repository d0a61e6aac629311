//! Tests of shapes of a table with a pose in the frame of their bodies.

use super::*;
use crate::placed::dem_pose;
use crate::testing::sheet;
use dem_core::pose::Pose;

/// A compound, and the memory to which it points.
struct Whole {
    parts: Vec<dem_placed>,
    list: Box<dem_compound>,
}

impl Whole {
    fn new(parts: Vec<dem_placed>) -> Whole {
        let (data, count) = (parts.as_ptr(), parts.len());
        Whole { parts, list: Box::new(dem_compound { parts: data, count, ..Input::DEFAULT }) }
    }

    fn body(&self) -> dem_placed {
        assert_eq!(self.parts.len(), self.list.count);
        dem_placed { kind: crate::placed::DEM_KIND_COMPOUND, shape: (&raw const *self.list).cast(), ..POINT }
    }
}

fn at(pose: dem_pose, shape: dem_placed) -> dem_placed {
    dem_placed { pose, ..shape }
}

/// All contacts of a pile of these shapes: a cube, a ball, two parts, a sheet, on the ground.
fn contacts(shapes: &[dem_placed]) -> Vec<crate::body_contacts::dem_contact> {
    let positions =
        [[0.0, 0.0, 0.0], [0.2, 0.0, 0.0], [1.3, 0.2, 0.4], [0.5, 1.0, 0.6], [0.1, 0.3, 1.2], [0.7, 0.7, 0.1]];
    let turns = [
        [0.0, 0.0, 0.0, 1.0],
        [0.1, 0.0, 0.3, 1.0],
        [0.0, 0.2, 0.0, 1.0],
        [0.3, 0.1, 0.0, 1.0],
        [0.0, 0.0, 0.5, 1.0],
        [0.2, 0.0, 0.0, 1.0],
    ];
    let (kinds, scales) = ([4, 0, 1, 2, 3, 0], [1.0, 1.0, 0.8, 1.1, 0.9, 1.2]);
    let query = dem_scene_query {
        shapes: shapes.as_ptr(),
        shape_count: shapes.len(),
        shape_of: words(&kinds),
        positions: vectors(&positions),
        orientations: dem_array { data: turns.as_ptr().cast(), count: 6, ..NO_ARRAY },
        scales: numbers(&scales),
        ..Input::DEFAULT
    };
    let mut own =
        Owned::new(dem_scene_desc { bodies: 6, contacts: 500, nodes: 2000, candidates: 100, ..Input::DEFAULT });
    own.step(&query, 0).unwrap();
    let view = own.view();
    // SAFETY: the view tells the number of items.
    unsafe { core::slice::from_raw_parts(view.contacts, view.count) }.to_vec()
}

#[test]
fn a_shape_with_a_pose_is_the_part_of_a_compound() {
    let (mesh, other) = (Mesh::new(&cube(), 0.05), Mesh::new(&sheet(3), 0.05));
    let block = dem_placed { kind: DEM_KIND_MESH, solid: 1, shape: mesh.handle(), ..POINT };
    let plate = dem_placed { kind: DEM_KIND_MESH, shape: other.handle(), ..POINT };
    let ball = dem_placed { radius: 0.4, halo: 0.05, ..POINT };
    let ground = dem_placed { kind: DEM_KIND_HALF_SPACE, halo: 0.05, ..POINT };
    let pose = |x: f64, turn: f64| dem_pose { position: [x, -0.2, 0.1 * x], orientation: [0.0, turn, 0.1, 1.0] };
    let frames = [pose(-0.5, 0.2), pose(0.1, 0.0), pose(-0.3, 0.4), pose(-0.4, 0.1), pose(0.2, 0.02)];
    let two = Whole::new(vec![at(pose(0.2, 0.3), block), dem_placed { scale: 0.7, ..at(pose(-0.4, 0.1), ball) }]);
    let simple = [block, ball, two.body(), plate, ground];
    let posed: Vec<_> = simple.iter().zip(frames).map(|(shape, frame)| at(frame, *shape)).collect();
    // The same poses computed by hand.
    let moved = |part: &dem_placed| Pose::from(frames[2]).product(&part.pose.into(), What::Pose).unwrap().into();
    let wholes: Vec<Whole> = (0..5)
        .map(|i| match i {
            2 => Whole::new(two.parts.iter().map(|part| at(moved(part), *part)).collect()),
            _ => Whole::new(vec![posed[i]]),
        })
        .collect();
    let by_hand: Vec<_> = wholes.iter().map(Whole::body).collect();
    let found = contacts(&posed);
    assert!(found.len() > 4, "{}", found.len());
    assert_eq!(found, contacts(&by_hand));
    assert_ne!(found, contacts(&simple));
    // Zeros mean the identity, and only the scale of bodies counts.
    let zeros = dem_pose { position: [0.0; 3], orientation: [0.0; 4] };
    let bare = simple.map(|shape| dem_placed { scale: 0.0, ..at(zeros, shape) });
    assert_eq!(contacts(&bare), contacts(&simple));
}

#[test]
fn a_pose_that_is_none_is_told_with_its_shape() {
    let ball = dem_placed { radius: 0.4, halo: 0.05, ..POINT };
    let mut wrong = ball;
    wrong.pose.position[1] = f64::NAN;
    let two = Whole::new(vec![ball, ball]);
    let wrong_two = dem_placed { pose: wrong.pose, ..two.body() };
    for shape in [wrong, wrong_two] {
        let shapes = [ball, shape];
        let positions = [[0.0; 3], [0.5, 0.0, 0.0]];
        let query = dem_scene_query {
            shapes: shapes.as_ptr(),
            shape_count: 2,
            shape_of: words(&[0, 1]),
            positions: vectors(&positions),
            ..Input::DEFAULT
        };
        let mut own = Owned::new(dem_scene_desc { bodies: 2, ..Input::DEFAULT });
        let error = own.step(&query, 0).unwrap_err();
        assert_eq!((error.code, error.argument, error.index), (DEM_ERROR_NOT_FINITE, What::Shapes as u32, 1));
    }
}
