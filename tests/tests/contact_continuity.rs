//! Forces are Lipschitz in the pose where that is hardest: faces, edges and borders of cells that lie in each other exactly;
//! and a block that slides feels no edges of triangles.

use dem_core::pose::Pose;
use dem_core::simd::Isa;
use dem_std::generate;
use dem_tests::Triangle;
use dem_tests::contact::{Body, HALO, after, all_contacts, at, carried, cuboid, soup, wrench, wrench_of};
use dem_tests::random::Random;
use dem_tests::vector::{dot, length, rotate, scale, sub};
use dem_tests::walls;

/// The halo T of the pair.
const REACH: f64 = 2.0 * HALO;

/// A prism with this profile in x and z, from y = -1 to 1, closed by fans about `middle`. The profile runs anticlockwise as seen
/// from -y.
fn extruded(profile: &[[f64; 2]], middle: [f64; 2]) -> Vec<Triangle> {
    let place = |p: [f64; 2], y: f64| [p[0], y, p[1]];
    let mut all = Vec::new();
    for (i, p) in profile.iter().enumerate() {
        let q = profile[(i + 1) % profile.len()];
        let [a, b, c, d] = [place(*p, -1.0), place(q, -1.0), place(q, 1.0), place(*p, 1.0)];
        all.extend([[a, b, c], [a, c, d], [b, a, place(middle, -1.0)], [d, c, place(middle, 1.0)]]);
    }
    all.iter().map(|t| [t[0], t[2], t[1]]).collect()
}

/// Two bodies, and a pose of the first one in which features of both coincide exactly.
struct Place {
    name: &'static str,
    a: Vec<Triangle>,
    b: Vec<Triangle>,
    pose: Pose,
}

fn turn(axis: [f64; 3], angle: f64) -> [f64; 4] {
    let [x, y, z] = scale((0.5 * angle).sin(), axis);
    [x, y, z, (0.5 * angle).cos()]
}

fn places() -> Vec<Place> {
    let none = [0.0, 0.0, 0.0, 1.0];
    let eighth = turn([0.0, 1.0, 0.0], std::f64::consts::FRAC_PI_4);
    let half_sector = turn([0.0, 1.0, 0.0], std::f64::consts::FRAC_PI_8);
    let cube = cuboid([1.0; 3]);
    let low = 0.4 * REACH;
    let place = |name, a: &[Triangle], b: &[Triangle], position, orientation| Place {
        name,
        a: a.to_vec(),
        b: b.to_vec(),
        pose: at(position, orientation),
    };
    let diagonal = 0.5f64.sqrt();
    // A side of the turned cube lies in a plane through an edge of the other, at 22.5 degrees.
    let (sine, cosine) = std::f64::consts::FRAC_PI_8.sin_cos();
    let in_border = [0.5 + 0.5 * cosine + (0.5 + low) * sine, 0.1, 0.5 - 0.5 * sine + (0.5 + low) * cosine];
    let groove = extruded(
        &[[-1.0, -0.5], [1.0, -0.5], [1.0, 0.5], [0.5, 0.5], [0.0, 0.0], [-0.5, 0.5], [-1.0, 0.5]],
        [0.0, -0.25],
    );
    let slot = extruded(
        &[[-1.0, -0.5], [1.0, -0.5], [1.0, 0.5], [0.25, 0.5], [0.25, 0.0], [-0.25, 0.0], [-0.25, 0.5], [-1.0, 0.5]],
        [0.0, -0.25],
    );
    let peg = cuboid([0.5 - 2.0 * low, 1.0, 0.6]);
    let eight: Vec<[f64; 2]> =
        (0..8).map(|k| (22.5 + 45.0 * f64::from(k)).to_radians().sin_cos()).map(|(s, c)| [0.2 * c, 0.2 * s]).collect();
    let rod = extruded(&eight, [0.0; 2]);
    // Its sides are 0.2 cos 22.5 degrees from the middle, its edges 0.2.
    let flat = 0.2 * std::f64::consts::FRAC_PI_8.cos();
    let across = turn([0.0, 0.0, 1.0], std::f64::consts::FRAC_PI_2);
    let on_edge = after(turn([0.0, 0.0, 1.0], 1.0), half_sector);
    let shell: Vec<Triangle> = cuboid([1.0 + 2.0 * low; 3]).iter().map(|t| [t[0], t[2], t[1]]).collect();
    vec![
        place("cube on cube, sides in one plane", &cube, &cube, [0.0, 0.0, 1.0 + low], none),
        place("cube on cube, beside by the halo", &cube, &cube, [REACH, 0.0, 1.0 + low], none),
        place("cube on cube, edge above edge", &cube, &cube, [1.0, 0.0, 1.0 + low], none),
        place("cube on cube, corner above corner", &cube, &cube, [1.0, 1.0, 1.0 + low], none),
        place("cube beside cube at T", &cube, &cube, [1.0 + REACH, 0.2, 0.1], none),
        place("edge on face", &cube, &cube, [0.1, 0.0, 0.5 + diagonal + low], eighth),
        place("edge on edge, sides in one plane", &cube, &cube, [0.5 + diagonal + low, 0.0, 0.5], eighth),
        place("face in the border of sectors", &cube, &cube, in_border, half_sector),
        place("cube in a groove", &cube, &groove, [0.0, 0.1, diagonal + low / diagonal], eighth),
        place("peg in a slot", &peg, &slot, [0.0, 0.1, 0.3 + low], none),
        place("crossed rods, face on face", &rod, &rod, [0.1, 0.05, 2.0 * flat + low], across),
        place("crossed rods, edge on face", &rod, &rod, [0.1, 0.05, 0.2 + flat + low], on_edge),
        place("cube in a shell", &cube, &shell, [0.0; 3], none),
        place("ball on a corner", &soup(&generate::icosphere(3).unwrap()), &cube, [0.5, 0.5, 1.5 + low], none),
    ]
}

/// The theorem of section 3, about pressure along the normals of cells, and that of section 14.
#[test]
fn no_move_of_a_body_changes_the_force_by_more_than_a_constant_times_its_length() {
    // The area of a cube's side over T is 20; in a shell or a groove several sides are near. By the law of volumes sides at right angles to it count, too.
    steady(Body::facing, [30.0, 100.0]);
    steady(Body::conservative, [40.0, 100.0]);
}

fn steady(make: fn(&[Triangle], f64) -> Body, bounds: [f64; 2]) {
    let mut random = Random::new(7);
    for Place { name, a, b, pose } in places() {
        let (a, b) = (make(&a, HALO), make(&b, HALO));
        // In exact coordinates, and moved by a random pose.
        for world in [Pose::IDENTITY, at(random.in_cube(2.0), random.rotation())] {
            let wrench = |pose: &Pose| {
                let there = carried(&world, pose);
                wrench_of(&a, &there, &b, &world, there.position)
            };
            let start = wrench(&pose);
            let mut worst: f64 = 0.0;
            for direction in 0..12 {
                let (axis, sign) = (direction % 3, if direction % 2 == 0 { 1.0 } else { -1.0 });
                for exponent in [-15, -13, -12, -11, -9, -7, -6, -5, -3, -2] {
                    let step = sign * 10f64.powi(exponent);
                    let mut moved = pose;
                    if direction < 6 {
                        moved.position[axis] += step;
                    } else {
                        let mut unit = [0.0; 3];
                        unit[axis] = 1.0;
                        moved.orientation = after(turn(unit, step), pose.orientation);
                    }
                    let change = wrench(&moved).minus(&start);
                    // Rounding of coordinates moves surfaces by 1e-16 as well.
                    worst = worst.max((length(change.force).max(length(change.torque)) - 1e-13) / step.abs());
                }
            }
            let bound = bounds[usize::from(name.contains("in a"))];
            println!("{name}: {worst:.1}");
            assert!(worst > 0.0 && worst < bound, "{name}: {worst}, {start:?}");
        }
    }
}

/// A block in a groove touches both sides at any tilt: two contacts, and those of rims, which the normals of cells add to them.
#[test]
fn a_block_in_a_groove_has_two_contacts_at_any_tilt() {
    let Some(Place { a, b, pose, .. }) = places().into_iter().find(|p| p.name == "cube in a groove") else { panic!() };
    let (a, b) = (Body::facing(&a, HALO), Body::facing(&b, HALO));
    let mut random = Random::new(8);
    let diagonal = 0.5f64.sqrt();
    for tilt in [0.0, 1e-15, 1e-12, 1e-9, 1e-6, 1e-4, 1e-3, 1e-2] {
        let world = at(random.in_cube(2.0), random.rotation());
        let tilted = at(pose.position, after(turn([0.6, 0.0, 0.8], tilt), pose.orientation));
        let list = all_contacts(Isa::best(), &a.side(&carried(&world, &tilted)), &b.side(&world)).0;
        let main: Vec<_> = list.iter().filter(|c| c.share > 0.1).collect();
        assert_eq!(main.len(), 2, "tilt {tilt:e}: {list:?}");
        for (c, side) in main.iter().zip([-diagonal, diagonal]) {
            // A face leans no more than its rims make it.
            let across = rotate(world.orientation, [side, 0.0, diagonal]);
            assert!(c.share > 0.48 && dot(c.normal, across) > 1.0 - 1e-4, "tilt {tilt:e}: {c:?}");
        }
    }
}

/// The symptom that users call ghost collisions: forces that turn or jump at inner edges, and contacts that change their names, with
/// which friction begins anew.
#[test]
fn a_block_that_slides_over_a_wall_of_rounded_triangles_feels_no_edges_and_keeps_its_contact() {
    let block = Body::new(&cuboid([0.3, 0.2, 0.1]), HALO);
    let mut random = Random::new(3);
    for wall in [walls::regular(71, 1.0), walls::irregular(10_000, 1.0, 5)] {
        let world = at(random.in_cube(1.0), random.rotation());
        let wall = Body::new(&walls::rounded(&wall, world.orientation, world.position), HALO);
        let up = rotate(world.orientation, [0.0, 0.0, 1.0]);
        let mut first = None;
        for step in 0..400 {
            let along = step as f64 * 0.001;
            let pose =
                carried(&world, &at([-0.4 + along, 0.1 - 0.7 * along, 0.05 + 0.3 * REACH], [0.0, 0.0, 0.2, 1.0]));
            let (list, found) = all_contacts(Isa::best(), &block.side(&pose), &wall.side(&Pose::IDENTITY));
            let sum = wrench(&list, pose.position);
            let base = list.iter().max_by(|x, y| x.share.total_cmp(&y.share)).unwrap();
            let (pressure, key) = first.get_or_insert((dot(sum.force, up), base.key));
            let sideways = length(sub(sum.force, scale(*pressure, up)));
            assert!(sideways < 2e-5 * *pressure, "step {step}: {sideways} of {pressure}");
            assert!(length(sum.torque) < 2e-6 * *pressure, "step {step}: {sum:?}");
            assert!(base.share > 0.9 && base.key == *key && found.crossing == 0, "step {step}: {base:?}");
            assert!(length(sub(base.normal, up)) < 1e-6, "step {step}: {base:?}");
        }
    }
}
