//! Walls whose vertices move: cells under the old names, velocities of surfaces in contact, friction that follows.

use dem_core::array::Array;
use dem_core::contact::history::{BodyPair, Link, carry, match_contacts, match_scratch};
use dem_core::contact::regions::Grouping;
use dem_core::contact::shape::Shape;
use dem_core::contact::{
    CellOptions, Contact, SurfaceMotion, Vertices, positions, relative_velocities, velocities_scratch,
};
use dem_core::error::{Error, Kind, What};
use dem_core::mesh::Halo;
use dem_core::narrow::Operand;
use dem_core::pose::Pose;
use dem_core::simd::Isa;
use dem_core::surrogate::{Options, Refit};
use dem_std::{Memory, OwnedCells, OwnedShape, Triangles, generate};
use dem_tests::contact::{Body, all_contacts, at, cuboid, soup, wrench};
use dem_tests::deep::turn;
use dem_tests::query::operand;
use dem_tests::random::Random;
use dem_tests::shapes::{grouped, part, placed, surface};
use dem_tests::vector::{add, cross, length, scale, sub};

const HALO: f64 = 0.02;

/// A body whose vertices move.
struct Moving {
    mesh: Triangles,
    body: Body,
    velocities: Vec<[f64; 3]>,
}

impl Moving {
    fn new(mesh: Triangles) -> Moving {
        let shape = OwnedShape::new(&mesh, mesh.scalar(), Halo::Uniform(HALO), &Options::default()).unwrap();
        let cells = OwnedCells::new(&shape.mesh().unwrap(), &CellOptions::default()).unwrap();
        let velocities = vec![[0.0; 3]; mesh.vertices.len()];
        Moving { mesh, body: Body { shape, cells }, velocities }
    }

    /// Vertices go to where `to` says, with the velocities that `velocity` says there.
    fn refit(&mut self, to: impl Fn([f64; 3]) -> [f64; 3], velocity: impl Fn([f64; 3]) -> [f64; 3]) {
        let now: Vec<_> = self.mesh.vertices.iter().map(|v| to(*v)).collect();
        self.velocities = now.iter().map(|v| velocity(*v)).collect();
        self.body.shape.refit(Array::from_f64(&now), Refit::Surrogates).unwrap();
        self.body.cells.refit(&self.body.shape.mesh().unwrap(), &CellOptions::default()).unwrap();
    }

    fn motion<'s>(&'s self, pose: &'s Pose) -> SurfaceMotion<'s> {
        let operand = operand(&self.body.shape, pose);
        let velocities = Array::from_f64(&self.velocities);
        SurfaceMotion { vertices: Some(Vertices { operand, velocities }), ..SurfaceMotion::default() }
    }
}

fn relative(a: &SurfaceMotion<'_>, b: &SurfaceMotion<'_>, contacts: &[Contact]) -> Vec<[f64; 3]> {
    let mut scratch = Memory::new(velocities_scratch(a, b).unwrap()).unwrap();
    let mut out = vec![[f64::NAN; 3]; contacts.len()];
    relative_velocities(Isa::best(), a, b, positions(contacts), &mut out, &mut scratch).unwrap();
    out
}

fn close(x: [f64; 3], y: [f64; 3], tolerance: f64) -> bool {
    length(sub(x, y)) <= tolerance
}

/// A plate of 2 by 2 in the plane z = 0.
fn plate(cells: u32) -> Triangles {
    generate::plate([cells, cells], [2.0, 2.0]).unwrap()
}

#[test]
fn refitted_cells_are_those_of_a_new_mesh_under_the_old_names() {
    let mut wall = Moving::new(plate(9));
    let bulge = |h: f64| move |[x, y, z]: [f64; 3]| [x, y, z + h * (1.0 - x * x) * (1.0 - y * y)];
    for h in [0.3, 1e-9, -0.2, 0.7, 0.0] {
        wall.refit(bulge(h), |_| [0.0; 3]);
        let moved: Vec<_> = soup(&wall.mesh).iter().map(|t| t.map(bulge(h))).collect();
        let new = Body::new(&moved, HALO);
        let (cells, expected) = (wall.body.cells(), new.cells());
        assert!(cells.patch.iter().all(|p| *p == 0), "one patch for ever");
        assert!(cells.cell.iter().all(|c| c.patch == 0));
        assert_eq!(cells.first, expected.first, "{h}");
        assert_eq!(cells.side, expected.side, "{h}");
        for (c, e) in cells.cell.iter().zip(expected.cell) {
            assert_eq!(*c, dem_core::contact::Cell { patch: 0, ..*e });
        }
        // A body that lies on it feels the same, under one key.
        let ball = Body::new(&soup(&generate::icosphere(3).unwrap()), HALO);
        let pose = at([0.1, 0.2, 1.0 + h * 0.99 * 0.96 + HALO], [0.1, 0.2, 0.3, 0.9]);
        let on = |wall: &Body| all_contacts(Isa::best(), &ball.side(&pose), &wall.side(&Pose::IDENTITY)).0;
        let (found, other) = (on(&wall.body), on(&new));
        assert!(!found.is_empty() && found.iter().all(|c| c.key[1] as u32 == 0) && found.len() <= other.len());
        let differ = wrench(&found, pose.position).minus(&wrench(&other, pose.position)).size();
        assert!(differ.iter().all(|x| *x < 1e-12 * wrench(&other, pose.position).size()[0]), "{h}: {differ:?}");
    }
}

#[test]
fn a_block_of_cells_that_is_too_small_stays_as_it_was() {
    let wall = Moving::new(plate(4));
    let mut shape = wall.body.shape.clone();
    let mut block = Memory::new(dem_core::memory::Layout { size: wall.body.cells.block().len(), align: 64 }).unwrap();
    block.copy_from_slice(wall.body.cells.block());
    let bulge: Vec<_> = wall.mesh.vertices.iter().map(|[x, y, _]| [*x, *y, (1.0 - x * x) * (1.0 - y * y)]).collect();
    shape.refit(Array::from_f64(&bulge), Refit::Halos).unwrap();
    let mesh = shape.mesh().unwrap();
    let mut scratch = Memory::new(dem_core::contact::refit_cells_scratch(&mesh.sizes).unwrap()).unwrap();
    let mut refit = |block: &mut [u8], mesh| {
        dem_core::contact::refit_cells(block, mesh, &CellOptions::default(), &mut scratch).map_err(|e| (e.kind, e.what))
    };
    assert_eq!(refit(&mut block, &mesh), Err((Kind::Capacity, What::Cells)));
    assert_eq!(&block[..], wall.body.cells.block());
    let other = Moving::new(plate(3));
    assert_eq!(refit(&mut block, &other.body.shape.mesh().unwrap()), Err((Kind::Mismatch, What::Cells)));
    assert_eq!(&block[..], wall.body.cells.block());
}

#[test]
fn a_wall_whose_vertices_move_together_is_a_rigid_body_that_moves() {
    let block = Body::new(&cuboid([0.8, 0.6, 0.4]), HALO);
    let mut random = Random::new(5);
    let mut moved = Moving::new(plate(7));
    let rigid = Moving::new(plate(7));
    for _ in 0..20 {
        let (velocity, by) = (random.in_cube(1.0), random.in_cube(0.1));
        moved.refit(|v| add(v, by), |_| velocity);
        let turn = random.rotation();
        let pose = |p: [f64; 3]| at(dem_tests::vector::rotate(turn, p), turn);
        let (still, carried) = (pose([0.0; 3]), pose(by));
        // Posed by the same turn, so that vertices' velocities are in the body's frame.
        let turned = dem_tests::vector::rotate(turn, velocity);
        let tilt = [0.015, 0.005, 0.0, 1.0];
        let on = pose(add(by, [0.1, 0.05, 0.2 + 0.5 * HALO]));
        let on = Pose { orientation: dem_tests::contact::after(turn, tilt), ..on };
        let found = all_contacts(Isa::best(), &block.side(&on), &moved.body.side(&still)).0;
        let expected = all_contacts(Isa::best(), &block.side(&on), &rigid.body.side(&carried)).0;
        assert!(!found.is_empty() && found.len() == expected.len());
        let own =
            SurfaceMotion { velocity: [0.3, -0.2, 0.1], spin: [1.0, 2.0, -1.0], centre: on.position, vertices: None };
        let as_body = SurfaceMotion { velocity: turned, ..SurfaceMotion::default() };
        let (v, w) = (relative(&own, &moved.motion(&still), &found), relative(&own, &as_body, &expected));
        for (((c, e), v), w) in found.iter().zip(&expected).zip(&v).zip(&w) {
            assert_eq!(c.key, e.key);
            assert!(close(c.position, e.position, 1e-11) && close(c.normal, e.normal, 1e-11), "{c:?} {e:?}");
            assert!((c.area - e.area).abs() < 1e-11 && (c.gap - e.gap).abs() < 1e-11);
            assert!(close(*v, *w, 1e-11), "{v:?} {w:?}");
            let exact = sub(add(own.velocity, cross(own.spin, sub(c.position, on.position))), turned);
            assert!(close(*v, exact, 1e-13));
        }
    }
}

#[test]
fn a_wall_that_stretches_and_shears_has_the_velocity_of_its_place() {
    let mut wall = Moving::new(plate(6));
    let gradient = |[x, y, z]: [f64; 3]| [0.7 * x - 0.2 * y, 0.4 * x + 0.1 * y, 0.3 * x - 0.5 * y + 0.2 * z];
    wall.refit(|v| v, gradient);
    let block = Body::new(&cuboid([0.2, 0.3, 0.4]), HALO);
    let mut random = Random::new(8);
    for _ in 0..50 {
        let place = random.in_cube(0.7);
        let pose = at([place[0], place[1], 0.2 + HALO], [0.0, 0.0, place[2], 1.0]);
        let found = all_contacts(Isa::best(), &block.side(&pose), &wall.body.side(&Pose::IDENTITY)).0;
        let v = relative(&SurfaceMotion::default(), &wall.motion(&Pose::IDENTITY), &found);
        assert!(!found.is_empty());
        for (c, v) in found.iter().zip(v) {
            let below = [c.position[0], c.position[1], 0.0];
            assert!(close(scale(-1.0, v), gradient(below), 1e-13), "{c:?} {v:?}");
        }
        // In another frame, at another scale: velocities are those of the frame.
        let spin = SurfaceMotion { spin: [0.0, 0.0, 2.0], centre: [0.5, 0.0, 0.0], ..wall.motion(&Pose::IDENTITY) };
        for (c, v) in found.iter().zip(relative(&spin, &SurfaceMotion::default(), &found)) {
            let exact =
                add(cross(spin.spin, sub(c.position, spin.centre)), gradient([c.position[0], c.position[1], 0.0]));
            assert!(close(v, exact, 1e-13));
        }
    }
}

#[test]
fn velocities_go_with_scale_and_turn_of_their_body() {
    let mut wall = Moving::new(plate(5));
    wall.refit(|v| v, |[x, y, _]| [x, 2.0 * y, 0.5]);
    let mut random = Random::new(3);
    for _ in 0..50 {
        let pose = at(random.in_cube(3.0), random.rotation());
        let size = 2.5;
        let [x, y, z] = [random.range(-1.0, 1.0), random.range(-1.0, 1.0), random.range(-0.1, 0.1)];
        let world = |v: [f64; 3]| dem_tests::vector::rotate(pose.orientation, scale(size, v));
        let point = add(world([x, y, z]), pose.position);
        let contacts = [Contact { position: point, ..Contact::default() }];
        let mut motion = wall.motion(&pose);
        motion.vertices = motion.vertices.map(|v| Vertices { operand: Operand { scale: size, ..v.operand }, ..v });
        let found = relative(&motion, &SurfaceMotion::default(), &contacts)[0];
        assert!(close(found, world([x, 2.0 * y, 0.5]), 1e-12), "{found:?}");
    }
}

/// A membrane that was flat is one patch for ever, but not a flat one: a block on its edge in a trough of it lies on both sides, as on a trough that was built as one.
#[test]
fn a_patch_that_was_bent_is_not_one_flat_place() {
    let mut wall = Moving::new(plate(8));
    let block = Body::new(&cuboid([0.4, 0.6, 0.4]), HALO);
    let block = surface(&block, true);
    let on_edge = turn([0.0, 1.0, 0.0], core::f64::consts::FRAC_PI_4);
    let count = |wall: &Body, pose: &Pose| {
        let wall = surface(wall, false);
        let parts = [part(Shape::Mesh(&wall), [0.0; 3])];
        let [alone, of_compound] = [Shape::Mesh(&wall), Shape::Compound(&parts)].map(|wall| {
            let (block, wall) = (placed(Shape::Mesh(&block), pose), placed(wall, &Pose::IDENTITY));
            grouped(&block, &wall, &Grouping::default()).len()
        });
        assert_eq!(alone, of_compound);
        alone
    };
    // Where it lies on the plate; and in the trough, 0.01 from one side and 0.02 from the other one.
    let (above, between) = (at([0.0, 0.0, 0.293], on_edge), at([0.00707, 0.0, 0.30406], on_edge));
    let trough = |[x, y, _]: [f64; 3]| [x, y, x.abs()];
    let built = Body::new(&soup(&wall.mesh).iter().map(|t| t.map(trough)).collect::<Vec<_>>(), HALO);
    assert_eq!(count(&wall.body, &above), 1);
    wall.refit(trough, |_| [0.0; 3]);
    assert!(wall.body.cells().patch.iter().all(|p| *p == 0), "one patch for ever");
    assert_eq!([&wall.body, &built].map(|wall| count(wall, &between)), [2, 2]);
    // Flat again.
    wall.refit(|v| v, |_| [0.0; 3]);
    assert_eq!(count(&wall.body, &above), 1);
}

/// A block is drawn along by friction on a wall that moves sideways, once as a body and once by its vertices: the same springs, the
/// same path.
#[test]
fn friction_follows_vertices_as_it_follows_a_body() {
    let mut wall = Moving::new(plate(8));
    let rigid = Moving::new(plate(8));
    let block = Body::new(&cuboid([0.4, 0.3, 0.2]), HALO);
    let (speed, dt, stiffness, drag) = ([0.5, 0.2, 0.0], 1e-3, 40.0, 2.0);
    let mut runs = [Run::default(), Run::default()];
    for step in 0..300 {
        let by = scale(dt * f64::from(step), speed);
        wall.refit(|v| add(v, by), |_| speed);
        for (as_body, run) in [true, false].into_iter().zip(&mut runs) {
            let on = at(add(run.position, [0.0, 0.0, 0.1 + HALO]), [0.0, 0.0, 0.0, 1.0]);
            let (body, pose) =
                if as_body { (&rigid.body, at(by, [0.0, 0.0, 0.0, 1.0])) } else { (&wall.body, Pose::IDENTITY) };
            let contacts = all_contacts(Isa::best(), &block.side(&on), &body.side(&pose)).0;
            let own = SurfaceMotion { velocity: run.velocity, ..SurfaceMotion::default() };
            let other = if as_body {
                SurfaceMotion { velocity: speed, ..SurfaceMotion::default() }
            } else {
                wall.motion(&pose)
            };
            let slip = relative(&own, &other, &contacts);
            run.step(contacts, BodyPair { tag: 7, pose_a: on, pose_b: pose }, &slip, [dt, stiffness, drag]);
        }
    }
    let [x, y] = runs;
    assert!(
        close(x.position, y.position, 1e-9) && close(x.velocity, y.velocity, 1e-9),
        "{:?} {:?}",
        x.position,
        y.position
    );
    // It is drawn along, and swings about the speed of the wall.
    assert!(length(x.position) > 0.05 && x.springs.iter().any(|s| length(*s) > 1e-4));
}

#[derive(Default)]
struct Run {
    position: [f64; 3],
    velocity: [f64; 3],
    last: Vec<Contact>,
    pair: BodyPair,
    springs: Vec<[f64; 3]>,
}

impl Run {
    fn step(&mut self, now: Vec<Contact>, pair: BodyPair, slip: &[[f64; 3]], [dt, stiffness, drag]: [f64; 3]) {
        let mut links = vec![Link::NEW; now.len()];
        let mut scratch = Memory::new(match_scratch(self.last.len(), now.len(), 0).unwrap()).unwrap();
        let (pairs_before, pairs_now) = ([self.pair], [pair]);
        let before = (&self.last[..], &pairs_before[..self.last.len().min(1)]);
        let after = (&now[..], &pairs_now[..]);
        match_contacts(&before, &after, 2.0 * HALO, &mut links, None, None, &mut scratch).unwrap();
        let mut springs = vec![[0.0; 3]; now.len()];
        carry(&before, &after, &links, &[], &self.springs, &mut springs).unwrap();
        for ((c, spring), slip) in now.iter().zip(&mut springs).zip(slip) {
            let normal = dem_tests::vector::dot(*slip, c.normal);
            let slip = sub(*slip, scale(normal, c.normal));
            *spring = add(*spring, scale(dt, slip));
            let force = add(scale(-stiffness * c.share, *spring), scale(-drag * c.share, slip));
            self.velocity = add(self.velocity, scale(dt, [force[0], force[1], 0.0]));
        }
        self.position = add(self.position, scale(dt, self.velocity));
        (self.last, self.pair, self.springs) = (now, pair, springs);
    }
}

#[test]
fn a_motion_with_a_wrong_number_is_refused() {
    let wall = Moving::new(plate(2));
    let (pose, contacts) = (Pose::IDENTITY, [Contact::default()]);
    let refused = |a: &SurfaceMotion<'_>, b: &SurfaceMotion<'_>| {
        let mut scratch = Memory::new(velocities_scratch(a, b).unwrap()).unwrap();
        let mut out = [[7.0; 3]];
        let error = relative_velocities(Isa::best(), a, b, positions(&contacts), &mut out, &mut scratch).unwrap_err();
        assert_eq!(out, [[7.0; 3]], "nothing is written");
        error
    };
    let (still, good) = (SurfaceMotion::default(), wall.motion(&pose));
    let error = refused(&still, &SurfaceMotion { spin: [0.0, f64::NAN, 0.0], ..still });
    assert_eq!(error, Error::new(Kind::NotFinite, What::MotionB).at(0, 4));
    let with = |change: fn(&mut Vertices<'_>)| {
        let mut motion = good;
        if let Some(v) = &mut motion.vertices {
            change(v);
        }
        motion
    };
    assert_eq!(refused(&with(|v| v.operand.scale = 0.0), &still), Error::new(Kind::OutOfRange, What::MotionA).at(0, 9));
    let error = refused(&with(|v| v.velocities = Array::from_f64(&[[0.0; 3]])), &still);
    assert_eq!(error, Error::new(Kind::Mismatch, What::Velocities).amounts(9, 1));
    let error = refused(
        &still,
        &with(|v| {
            v.velocities = Array::from_f64(&[
                [0.0; 3],
                [0.0, 0.0, f64::INFINITY],
                [0.0; 3],
                [0.0; 3],
                [0.0; 3],
                [0.0; 3],
                [0.0; 3],
                [0.0; 3],
                [0.0; 3],
            ])
        }),
    );
    assert_eq!(error, Error::new(Kind::NotFinite, What::Velocities).at(1, 2));
}
