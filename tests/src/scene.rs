//! Posed meshes: the rock scenes of `tests/data/README.md`, and random poses at a given distance.

use crate::boxes::Least;
use crate::random::Random;
use crate::vector::{add, length, rotate, scale, sub};
use crate::{Triangle, data, walls};
use dem_core::pose::Pose;

/// Halo of each surface in the rock scenes.
pub const EPS: f64 = 0.01;
/// Threshold on the distance in the rock scenes.
pub const THRESHOLD: f64 = 2.0 * EPS;

/// Two meshes, each in its own frame.
#[derive(Clone, Debug)]
pub struct Scene {
    /// Name of the scene.
    pub name: String,
    /// First mesh.
    pub a: Vec<Triangle>,
    /// Second mesh.
    pub b: Vec<Triangle>,
    /// Pose of the first mesh.
    pub pose_a: Pose,
    /// Pose of the second mesh.
    pub pose_b: Pose,
}

impl Scene {
    /// Both meshes in world coordinates.
    pub fn world(&self) -> [Vec<Triangle>; 2] {
        [posed(&self.a, &self.pose_a), posed(&self.b, &self.pose_b)]
    }
}

/// Rotation by 1 rad about (1,2,3)/sqrt(14), then a shift by (0.3, -0.2, 0.1).
pub fn rock_pose() -> Pose {
    let (sine, cosine) = (0.479_425_538_604_203, 0.877_582_561_890_372_7); // of 1/2
    let [x, y, z] = scale(sine / 14f64.sqrt(), [1.0, 2.0, 3.0]);
    Pose { position: [0.3, -0.2, 0.1], orientation: [x, y, z, cosine] }
}

/// A rock scene, `case` one of touch, near5, shell5, far; `count` 1280 or 20480. B is posed by [`rock_pose`].
pub fn rocks(count: usize, case: &str) -> Scene {
    let file = if case == "far" { "touch" } else { case };
    let a = data::mesh(&format!("scenes/rock_a_{count}.stl"));
    let world = data::mesh(&format!("scenes/rock_b_{count}_{file}.stl"));
    let mut pose_b = rock_pose();
    let b = world.iter().map(|t| t.map(|v| unposed(v, &pose_b))).collect();
    if case == "far" {
        pose_b.position = add(pose_b.position, scale(2.0, line_of_centres(&a, &world)));
    }
    Scene { name: format!("{case}_{count}"), a, b, pose_a: Pose::IDENTITY, pose_b }
}

/// The number of pairs within [`THRESHOLD`] in a rock scene.
pub fn rock_count(count: usize, case: &str) -> usize {
    match (case, count) {
        ("touch", 1_280) => 68,
        ("touch", 20_480) => 1_837,
        _ => 0,
    }
}

/// Two boxes of some 10,000 triangles each, face to face, with half of the face overlapping.
pub fn boxes() -> Scene {
    let side =
        |turn: [f64; 4]| walls::regular(29, 0.5).into_iter().map(move |t| t.map(|[x, y, _]| rotate(turn, [x, y, 0.5])));
    let half = 0.5f64.sqrt();
    let turns = [
        [0.0, 0.0, 0.0, 1.0],
        [1.0, 0.0, 0.0, 0.0],
        [half, 0.0, 0.0, half],
        [-half, 0.0, 0.0, half],
        [0.0, half, 0.0, half],
        [0.0, -half, 0.0, half],
    ];
    // Removes rounding errors, so that vertices of different sides are equal.
    let tidy = |x: f64| (x * 29.0 * 1024.0).round() / (29.0 * 1024.0);
    let mesh: Vec<Triangle> = turns.into_iter().flat_map(side).map(|t| t.map(|v| v.map(tidy))).collect();
    let pose_b = Pose { position: [0.31, 0.22, 1.0 + EPS], orientation: [0.0, 0.0, 0.1, 1.0] };
    Scene { name: "flat".into(), a: mesh.clone(), b: mesh, pose_a: Pose::IDENTITY, pose_b }
}

/// Both meshes rotated about the middles of their boxes by random rotations from the seed. The second one is then moved along the line of centres,
/// away from the first one, until the distance is `distance`.
pub fn turned(scene: &Scene, seed: u64, distance: f64) -> Scene {
    let mut random = Random::new(seed);
    let world = scene.world();
    let along = line_of_centres(&world[0], &world[1]);
    let mut pose = |mesh: &[Triangle]| {
        let orientation = random.rotation();
        Pose { position: scale(-1.0, rotate(orientation, middle(mesh))), orientation }
    };
    let (pose_a, pose_b) = (pose(&scene.a), pose(&scene.b));
    let (a, b) = (posed(&scene.a, &pose_a), posed(&scene.b, &pose_b));
    let least = Least::new(&a, &b);
    let (mut inside, mut outside) = (0.0, 2.0 * (reach(&a) + reach(&b)) + distance);
    while outside - inside > 1e-13 * outside {
        let half = 0.5 * (inside + outside);
        if least.at(scale(half, along)).0.distance < distance { inside = half } else { outside = half }
    }
    let position = add(pose_b.position, scale(outside, along));
    Scene { name: format!("{}_pose{seed}", scene.name), pose_a, pose_b: Pose { position, ..pose_b }, ..scene.clone() }
}

/// A mesh in world coordinates.
pub fn posed(mesh: &[Triangle], pose: &Pose) -> Vec<Triangle> {
    mesh.iter().map(|t| t.map(|v| add(rotate(pose.orientation, v), pose.position))).collect()
}

fn unposed(v: [f64; 3], pose: &Pose) -> [f64; 3] {
    let [x, y, z, w] = pose.orientation;
    rotate([-x, -y, -z, w], sub(v, pose.position))
}

/// The middle of the bounding box.
pub fn middle(mesh: &[Triangle]) -> [f64; 3] {
    let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    for v in mesh.iter().flatten() {
        for k in 0..3 {
            (low[k], high[k]) = (low[k].min(v[k]), high[k].max(v[k]));
        }
    }
    scale(0.5, add(low, high))
}

fn reach(mesh: &[Triangle]) -> f64 {
    let centre = middle(mesh);
    mesh.iter().flatten().fold(0.0, |m: f64, &v| m.max(length(sub(v, centre))))
}

fn line_of_centres(a: &[Triangle], b: &[Triangle]) -> [f64; 3] {
    let d = sub(middle(b), middle(a));
    if length(d) > 1e-9 * (reach(a) + reach(b)) { scale(1.0 / length(d), d) } else { [1.0, 0.0, 0.0] }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::boxes;

    #[test]
    fn rock_scenes_have_the_pairs_that_the_readme_promises() {
        for count in [1_280, 20_480] {
            for case in ["touch", "near5", "shell5", "far"] {
                let [a, b] = rocks(count, case).world();
                assert_eq!(boxes::pairs(&a, &b, THRESHOLD).len(), rock_count(count, case), "{case} {count}");
                let least = boxes::least(&a, &b).0.distance / EPS;
                let promised = match case {
                    "touch" => 0.5..0.51,
                    "near5" => 5.0..5.01,
                    "shell5" => 5.0..6.5,
                    _ => 190.0..210.0,
                };
                assert!((promised.start - 1e-4..promised.end).contains(&least), "{case} {count}: {least} eps");
            }
        }
    }

    #[test]
    fn turned_scenes_are_at_their_distance() {
        let scene = rocks(1_280, "near5");
        for seed in 0..3 {
            let [a, b] = turned(&scene, seed, 5.0 * EPS).world();
            let least = boxes::least(&a, &b).0.distance;
            assert!((least / (5.0 * EPS) - 1.0).abs() < 1e-9, "{least}");
        }
    }
}
