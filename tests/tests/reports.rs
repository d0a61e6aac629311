//! Reports of users of other libraries about contacts: one test for each symptom, with the thread above it.

use dem_core::contact::Contact;
use dem_core::contact::regions::Grouping;
use dem_core::contact::shape::Shape;
use dem_core::pose::Pose;
use dem_core::simd::Isa;
use dem_std::generate;
use dem_tests::contact::{Body, HALO, Wrench, all_contacts, at, carried, cuboid, near_bodies, soup, wrench};
use dem_tests::random::Random;
use dem_tests::shapes::{grouped, placed, surface};
use dem_tests::vector::{cross, dot, length, rotate, scale, sub};
use dem_tests::{Triangle, walls};

const UP: [f64; 4] = [0.0, 0.0, 0.0, 1.0];

fn list(a: &Body, pose_a: &Pose, b: &Body, pose_b: &Pose) -> Vec<Contact> {
    all_contacts(Isa::best(), &a.side(pose_a), &b.side(pose_b)).0
}

/// The places where two bodies touch.
fn regions([(a, pose_a), (b, pose_b)]: [(&Body, &Pose); 2]) -> Vec<Contact> {
    let (a, b) = (surface(a, false), surface(b, false));
    grouped(&placed(Shape::Mesh(&a), pose_a), &placed(Shape::Mesh(&b), pose_b), &Grouping::default())
}

fn yaw(angle: f64) -> [f64; 4] {
    [0.0, 0.0, (0.5 * angle).sin(), (0.5 * angle).cos()]
}

/// The force and the torque about the body's own place.
fn on(a: &Body, pose_a: &Pose, b: &Body, pose_b: &Pose) -> Wrench {
    wrench(&list(a, pose_a, b, pose_b), pose_a.position)
}

fn random_pose(random: &mut Random) -> Pose {
    at(random.in_cube(3.0), random.rotation())
}

fn relative(change: &Wrench, to: &Wrench) -> f64 {
    change.size().into_iter().fold(0.0, f64::max) / to.size()[0]
}

/// fcl #106, coal #189: contact points lay at the corners of the other box, far outside of the faces that touch.
#[test]
fn no_contact_lies_outside_of_the_overlap() {
    let (small, large) = (Body::new(&cuboid([0.5, 0.4, 0.3]), HALO), Body::new(&cuboid([2.0, 2.0, 1.0]), HALO));
    let pose = at([0.6, -0.5, 0.67], yaw(0.7));
    let contacts = list(&small, &pose, &large, &Pose::IDENTITY);
    assert!(!contacts.is_empty());
    for c in contacts {
        let [x, y, z] = rotate(yaw(-0.7), sub(c.position, pose.position));
        assert!(
            x.abs() <= 0.25 + 2.0 * HALO && y.abs() <= 0.2 + 2.0 * HALO && (-0.17 - 1e-12..=0.15).contains(&z),
            "{c:?}"
        );
    }
}

/// bullet3 #92, rapier #95, ammo.js #383, godot #102544, avian #612: a body that slides over a flat mesh bumped into the edges
/// between its triangles.
#[test]
fn a_box_that_slides_over_a_flat_mesh_feels_no_edge() {
    let mut random = Random::new(1);
    let boxed = Body::new(&cuboid([0.5, 0.4, 0.3]), HALO);
    let (turn, by) = (random.rotation(), random.in_cube(2.0));
    let wall = Body::new(&walls::rounded(&walls::irregular(2000, 2.0, 3), turn, by), HALO);
    let up = rotate(turn, [0.0, 0.0, 1.0]);
    for step in 0..60 {
        let x = -1.2 + 0.04 * f64::from(step);
        let pose = carried(&at(by, turn), &at([x, 0.3 * x, 0.17], yaw(0.4)));
        let contacts = list(&boxed, &pose, &wall, &Pose::IDENTITY);
        let force = wrench(&contacts, pose.position).force;
        let along = sub(force, scale(dot(force, up), up));
        assert!(dot(force, up) > 0.01 && length(along) <= 2e-6 * length(force), "{step}: {force:?}");
        let places = regions([(&boxed, &pose), (&wall, &Pose::IDENTITY)]);
        assert!(places.len() == 1 && dot(places[0].normal, up) > 0.999_999, "{step}: {places:?}");
    }
}

/// JoltPhysics #630, godot-jolt #508: a box that slid from a plane on to a slope that leads down was caught by the edge between.
#[test]
fn an_edge_that_leads_down_does_not_hold_a_box_back() {
    let boxed = Body::new(&cuboid([1.0, 1.0, 1.0]), HALO);
    let quad = |[p, q, r, s]: [[f64; 3]; 4]| [[p, q, r], [p, r, s]];
    let flat = quad([[-2.0, -2.0, 0.0], [0.0, -2.0, 0.0], [0.0, 2.0, 0.0], [-2.0, 2.0, 0.0]]);
    let slope = quad([[0.0, -2.0, 0.0], [2.0, -2.0, -2.0], [2.0, 2.0, -2.0], [0.0, 2.0, 0.0]]);
    let floor = Body::new(&[flat, slope].concat(), HALO);
    for step in 0..50 {
        let force = on(&boxed, &at([-0.9 + 0.02 * f64::from(step), 0.1, 0.51], UP), &floor, &Pose::IDENTITY).force;
        assert!(force[2] > 0.1 && force[0] >= -1e-12 && force[1].abs() <= 1e-12, "{step}: {force:?}");
    }
}

/// mujoco #1665, siconos #106: the contacts of a box or a tetrahedron at rest came and went from step to step.
#[test]
fn contacts_of_bodies_at_rest_stay_under_perturbations() {
    let mut random = Random::new(4);
    let [p, q, r, s] = [[1.0, 0.0, 0.0], [-0.5, 0.8, 0.0], [-0.5, -0.8, 0.0], [0.0, 0.0, 1.2]];
    let tetrahedron = vec![[p, r, q], [p, q, s], [q, r, s], [r, p, s]];
    let wall = Body::new(&walls::regular(7, 3.0), HALO);
    for (mesh, height) in [(cuboid([1.0, 1.0, 1.0]), 0.52), (tetrahedron, 0.02)] {
        let body = Body::new(&mesh, HALO);
        let rest = at([0.1, 0.2, height], UP);
        let calm = list(&body, &rest, &wall, &Pose::IDENTITY);
        let before = wrench(&calm, rest.position);
        for _ in 0..40 {
            let (shift, [x, y, z]) = (random.in_cube(1e-9), random.in_cube(1e-9));
            let pose = at([0, 1, 2].map(|k| rest.position[k] + shift[k]), [x, y, z, 1.0]);
            let contacts = list(&body, &pose, &wall, &Pose::IDENTITY);
            let keys =
                |pose| regions([(&body, pose), (&wall, &Pose::IDENTITY)]).iter().map(|c| c.key).collect::<Vec<_>>();
            assert_eq!(keys(&pose), keys(&rest));
            let change = wrench(&contacts, rest.position).minus(&before).size();
            assert!(change.iter().all(|x| *x <= 200.0 * 1e-9), "{change:?}");
        }
    }
}

/// mujoco #3524: a prism with a triangular base, fanned about a vertex in its middle, slid away on a plane.
#[test]
fn a_vertex_in_the_middle_of_a_base_changes_nothing() {
    let corner = |k: usize, z: f64| {
        let angle = 2.0 * std::f64::consts::PI * k as f64 / 3.0;
        [angle.cos(), angle.sin(), z]
    };
    let sides = (0..3).flat_map(|k| {
        let (a, b, c, d) = (corner(k, 0.0), corner((k + 1) % 3, 0.0), corner((k + 1) % 3, 1.0), corner(k, 1.0));
        [[a, b, c], [a, c, d]]
    });
    let top = [[corner(0, 1.0), corner(1, 1.0), corner(2, 1.0)]];
    let shell: Vec<Triangle> = sides.chain(top).collect();
    let plain = [[corner(0, 0.0), corner(2, 0.0), corner(1, 0.0)]];
    let fan: Vec<Triangle> = (0..3).map(|k| [corner((k + 1) % 3, 0.0), corner(k, 0.0), [0.0, 0.0, 0.0]]).collect();
    let wall = Body::new(&walls::regular(3, 3.0), HALO);
    let pose = at([0.0, 0.0, 0.02], UP);
    let [one, other] =
        [&plain[..], &fan].map(|base| on(&Body::new(&[&shell, base].concat(), HALO), &pose, &wall, &Pose::IDENTITY));
    assert!(relative(&one.minus(&other), &one) < 1e-12, "{one:?} {other:?}");
    // The cones of its corners are not symmetric, which leaves a millionth; friction holds that.
    assert!(length(one.torque) <= 1e-6 && one.force[0].hypot(one.force[1]) <= 1e-6 * one.force[2], "{one:?}");
}

/// mujoco #2356: a peg that lies on a smaller cube, over both ends, jittered.
#[test]
fn a_peg_over_both_ends_of_a_cube_is_held_in_its_middle() {
    let (peg, cube) = (Body::new(&cuboid([1.0, 0.2, 0.2]), HALO), Body::new(&cuboid([0.5, 0.5, 0.5]), HALO));
    let held = on(&peg, &at([0.0, 0.0, 0.37], UP), &cube, &Pose::IDENTITY);
    assert!(held.force[2] > 0.03 && length(held.torque) <= 1e-12, "{held:?}");
    for exponent in 3..14 {
        let tilt = 0.1f64.powi(exponent);
        let tilted = on(&peg, &at([0.0, 0.0, 0.37], [0.0, 0.5 * tilt, 0.0, 1.0]), &cube, &Pose::IDENTITY);
        assert!(tilted.minus(&held).size().iter().all(|x| *x <= tilt + 1e-12), "{tilt:e}");
    }
}

/// nimblephysics #8: eight contact points were cut to the four deepest, which made the force jump when boxes turned.
#[test]
fn the_force_between_boxes_does_not_jump_when_one_turns() {
    let (upper, lower) = (Body::new(&cuboid([1.0, 0.9, 0.5]), HALO), Body::new(&cuboid([0.8, 1.1, 0.5]), HALO));
    let at_angle = |angle: f64| on(&upper, &at([0.05, 0.1, 0.52], yaw(angle)), &lower, &Pose::IDENTITY);
    let step = 1e-3;
    let mut last = at_angle(0.0);
    for k in 1..800 {
        let next = at_angle(step * f64::from(k));
        assert!(next.minus(&last).size().iter().all(|x| *x <= 1.5 * step), "{k}: {last:?} {next:?}");
        last = next;
    }
}

/// mujoco #2110: a mesh in the shape of a box gave other forces than the box.
#[test]
fn a_box_is_a_box_however_it_is_cut() {
    let half = 0.5f64.sqrt();
    let turns = [UP, [1.0, 0.0, 0.0, 0.0], [half, 0.0, 0.0, half], [-half, 0.0, 0.0, half], [0.0, half, 0.0, half]];
    let turns = turns.into_iter().chain([[0.0, -half, 0.0, half]]);
    let side =
        |turn: [f64; 4]| walls::regular(8, 0.5).into_iter().map(move |t| t.map(|[x, y, _]| rotate(turn, [x, y, 0.5])));
    let tidy = |x: f64| (x * 1024.0).round() / 1024.0;
    let fine: Vec<Triangle> = turns.flat_map(side).map(|t| t.map(|v| v.map(tidy))).collect();
    let (fine, coarse) = (Body::new(&fine, HALO), Body::new(&cuboid([1.0; 3]), HALO));
    let finger = Body::new(&cuboid([0.3, 0.3, 1.5]), HALO);
    for pose in [at([0.4, 0.45, 1.27], UP), at([0.62, 0.6, 0.3], yaw(0.8)), at([0.1, 0.2, 1.27], yaw(0.3))] {
        let [x, y] = [&coarse, &fine].map(|cube| on(&finger, &pose, cube, &Pose::IDENTITY));
        assert!(x.size()[0] > 1e-4 && relative(&x.minus(&y), &x) < 1e-9, "{x:?} {y:?}");
    }
}

/// mujoco_warp #389: the convex hull of a foot with a hollow touched what the foot itself did not.
#[test]
fn a_hollow_does_not_touch_what_is_in_it() {
    let moved =
        |mesh: Vec<Triangle>, by: [f64; 3]| mesh.into_iter().map(move |t| t.map(|v| [0, 1, 2].map(|k| v[k] + by[k])));
    let legs = [-0.8, 0.8].into_iter().flat_map(|x| moved(cuboid([0.4, 0.4, 1.0]), [x, 0.0, 0.0]));
    let arch: Vec<Triangle> = legs.chain(moved(cuboid([2.0, 0.4, 0.4]), [0.0, 0.0, 0.7])).collect();
    let (arch, stone) = (Body::new(&arch, HALO), Body::new(&cuboid([0.8, 0.4, 0.6]), HALO));
    assert!(list(&arch, &Pose::IDENTITY, &stone, &at([0.0, 0.0, -0.1], UP)).is_empty());
    let touching = list(&arch, &Pose::IDENTITY, &stone, &at([0.0, 0.0, 0.17], UP));
    assert!(!touching.is_empty() && touching.iter().all(|c| c.position[0].abs() <= 0.4 + 2.0 * HALO));
}

/// newton #2622, JoltPhysics #940, raisimLib #5: triangles that are apart were reported as deep in each other.
#[test]
fn separated_bodies_do_not_penetrate() {
    let mut random = Random::new(8);
    for seed in 0..60 {
        let (a, pose_a, b, pose_b) = near_bodies(seed);
        let (a, b) = (Body::new(&a, HALO), Body::new(&b, HALO));
        let world = random_pose(&mut random);
        for c in list(&a, &carried(&world, &pose_a), &b, &carried(&world, &pose_b)) {
            assert!(c.gap >= 0.0 && c.least_gap >= 0.0 && c.gap <= c.halo, "{c:?}");
        }
    }
}

/// avian #156: contacts of bodies whose meshes are far from their own origins were wrong.
#[test]
fn it_does_not_matter_where_a_mesh_has_its_origin() {
    let off = [8.0, -16.0, 4.0];
    let mesh = cuboid([1.0, 0.5, 0.5]);
    let far: Vec<Triangle> = mesh.iter().map(|t| t.map(|v| [0, 1, 2].map(|k| v[k] + off[k]))).collect();
    let (near, far) = (Body::new(&mesh, HALO), Body::new(&far, HALO));
    let wall = Body::new(&walls::regular(4, 3.0), HALO);
    let turn = yaw(0.6);
    let pose = at([0.1, 0.2, 0.27], turn);
    let back = rotate(turn, off);
    let pose_far = at(sub(pose.position, back), turn);
    let [x, y] = [(&near, &pose), (&far, &pose_far)]
        .map(|(body, p)| wrench(&list(body, p, &wall, &Pose::IDENTITY), pose.position));
    assert!(x.size()[0] > 0.1 && relative(&x.minus(&y), &x) < 1e-12, "{x:?} {y:?}");
}

/// fcl #8, #61, #422, moveit #163, coal #614: which body the normal points to was a matter of luck.
#[test]
fn normals_point_to_the_first_body() {
    let mut random = Random::new(12);
    let (ball, wall) =
        (Body::new(&soup(&generate::icosphere(3).unwrap()), HALO), Body::new(&walls::irregular(300, 3.0, 1), HALO));
    for _ in 0..40 {
        let world = random_pose(&mut random);
        let pose = carried(&world, &at([0.0, 0.0, 1.02], random.rotation()));
        let up = rotate(world.orientation, [0.0, 0.0, 1.0]);
        let (one, other) = (list(&ball, &pose, &wall, &world), list(&wall, &world, &ball, &pose));
        assert!(!one.is_empty() && one.iter().all(|c| dot(c.normal, up) > 0.9));
        assert!(other.iter().all(|c| dot(c.normal, up) < -0.9));
    }
}

/// fcl #375, pinocchio #638: the normal of bodies that just touch was zero, or not a number.
#[test]
fn bodies_that_just_touch_have_unit_normals() {
    let cylinder: Vec<Triangle> = (0..32)
        .flat_map(|k| {
            let at = |k: usize, z: f64| {
                let angle = std::f64::consts::PI * k as f64 / 16.0;
                [0.5 * angle.cos(), 0.5 * angle.sin(), z]
            };
            let (a, b, c, d) = (at(k, 0.0), at(k + 1, 0.0), at(k + 1, 0.25), at(k, 0.25));
            [[a, b, c], [a, c, d], [[0.0, 0.0, 0.0], b, a], [[0.0, 0.0, 0.25], d, c]]
        })
        .collect();
    let (cylinder, boxed) = (Body::new(&cylinder, HALO), Body::new(&cuboid([2.0, 2.0, 0.5]), HALO));
    let contacts = list(&cylinder, &at([0.3, 0.2, 0.25], UP), &boxed, &Pose::IDENTITY);
    assert!(contacts.iter().any(|c| c.normal[2] > 0.999_999 && c.gap.abs() <= 1e-15), "{contacts:?}");
    assert!(contacts.iter().all(|c| (length(c.normal) - 1.0).abs() <= 1e-14));
}

/// godot #50463: what spun on a mesh jumped at its edges.
#[test]
fn a_spinning_top_feels_the_same_force_at_every_angle() {
    let top: Vec<Triangle> = cuboid([0.6, 0.6, 0.3]);
    let (top, wall) = (Body::new(&top, HALO), Body::new(&walls::irregular(600, 1.0, 5), HALO));
    let still = on(&top, &at([0.0, 0.0, 0.17], UP), &wall, &Pose::IDENTITY);
    for k in 0..40 {
        let spun = on(&top, &at([0.0, 0.0, 0.17], yaw(0.157 * f64::from(k))), &wall, &Pose::IDENTITY);
        assert!(relative(&spun.minus(&still), &still) <= 1e-9, "{k}: {spun:?}");
    }
}

/// siconos #125: the same run took another way without anything random in it.
#[test]
fn repeated_calls_give_equal_contacts() {
    for seed in 0..20 {
        let (a, pose_a, b, pose_b) = near_bodies(seed);
        let ask = || list(&Body::new(&a, HALO), &pose_a, &Body::new(&b, HALO), &pose_b);
        let (one, other) = (ask(), ask());
        assert!(one.iter().zip(&other).all(|(x, y)| x == y) && one.len() == other.len());
    }
}

/// mujoco #1040: a cylinder that rolled over the border of two flush boxes bounced; here it is a plate that slides over it.
#[test]
fn a_plate_slides_over_the_seam_of_two_boxes() {
    let plate = Body::new(&cuboid([0.5, 0.5, 0.1]), HALO);
    let tile = Body::new(&cuboid([1.0, 1.0, 0.5]), HALO);
    let tiles = [at([-0.5, 0.0, 0.0], UP), at([0.5, 0.0, 0.0], UP)];
    let whole = on(&plate, &at([-0.5, 0.0, 0.32], UP), &tile, &tiles[0]);
    let mut last: Option<Wrench> = None;
    for step in 0..200 {
        let pose = at([-0.5 + 0.005 * f64::from(step), 0.0, 0.32], UP);
        let [x, y] = [0, 1].map(|k| on(&plate, &pose, &tile, &tiles[k]));
        let sum = Wrench {
            force: [0, 1, 2].map(|k| x.force[k] + y.force[k]),
            torque: [0, 1, 2].map(|k| x.torque[k] + y.torque[k]),
        };
        // The edges of both tiles push in opposite directions; what is left is the plate's weight on two supports.
        assert!(sum.force[2] >= 0.9 * whole.force[2] && sum.force[2] <= 1.2 * whole.force[2], "{step}: {sum:?}");
        if let Some(last) = last {
            assert!(sum.minus(&last).size()[0] <= 0.02 * whole.force[2], "{step}");
        }
        last = Some(sum);
    }
    assert!(cross(whole.force, [0.0, 0.0, 1.0]).iter().all(|x| x.abs() <= 1e-12));
}
