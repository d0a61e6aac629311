//! Bodies with cells, their contacts, and the sums of contact forces.

use crate::Triangle;
use crate::query::{operand, shape};
use crate::random::Random;
use crate::scene::{Scene, posed, turned};
use crate::vector::{add, cross, dot, length, rotate, scale, sub};
use dem_core::contact::{CellOptions, CellsRef, Contact, ContactCounts, Law, Room, Side, contacts, contacts_scratch};
use dem_core::error::{Error, Kind, Result, What};
use dem_core::exec::{Serial, Work};
use dem_core::memory::Layout;
use dem_core::pose::Pose;
use dem_core::simd::Isa;
use dem_core::surrogate::Options;
use dem_std::{Memory, OwnedCells, OwnedShape, Triangles, generate};

/// Halo of each body of [`near_bodies`].
pub const HALO: f64 = 0.025;

/// A shape with its cells.
pub struct Body {
    /// Mesh and tree.
    pub shape: OwnedShape,
    /// Cells.
    pub cells: OwnedCells,
}

impl Body {
    /// A body from a soup with a uniform halo; the mesh determines the law. Like all functions here it panics on errors, because the inputs of
    /// tests are valid.
    pub fn new(soup: &[Triangle], halo: f64) -> Self {
        Body::with(soup, halo, &CellOptions::default())
    }

    /// A body that pushes along the normals of its cells, whatever its mesh: [`Law::Facing`].
    pub fn facing(soup: &[Triangle], halo: f64) -> Self {
        Body::with(soup, halo, &CellOptions { law: Law::Facing, ..CellOptions::default() })
    }

    /// A body whose force on others like it is the gradient of an energy.
    pub fn conservative(soup: &[Triangle], halo: f64) -> Self {
        Body::with(soup, halo, &CellOptions { law: Law::Volume, ..CellOptions::default() })
    }

    /// A body with cells built with these options.
    pub fn with(soup: &[Triangle], halo: f64, options: &CellOptions) -> Self {
        let shape = shape(soup, halo, &Options::default());
        let cells = shape.mesh().and_then(|mesh| OwnedCells::new(&mesh, options));
        Body { cells: cells.unwrap_or_else(|e| panic!("{e}")), shape }
    }

    /// The body at a pose, as a surface.
    pub fn side<'s>(&'s self, pose: &'s Pose) -> Side<'s> {
        Side { operand: operand(&self.shape, pose), cells: self.cells(), solid: false }
    }

    /// The body at a pose, as a solid.
    pub fn solid<'s>(&'s self, pose: &'s Pose) -> Side<'s> {
        Side { solid: true, ..self.side(pose) }
    }

    /// The cells.
    pub fn cells(&self) -> CellsRef<'_> {
        self.cells.open().unwrap_or_else(|e| panic!("{e}"))
    }
}

/// The triangles one by one.
pub fn soup(mesh: &Triangles) -> Vec<Triangle> {
    (0..mesh.len()).map(|i| mesh.triangle(i)).collect()
}

/// All contacts, with as much room as they take.
pub fn all_contacts(isa: Isa, a: &Side<'_>, b: &Side<'_>) -> (Vec<Contact>, ContactCounts) {
    grown(
        |room| contacts_scratch(a, b, room, 1),
        |room, out, scratch| contacts(Work::new(&Serial, isa, scratch), a, b, 7, room, out),
    )
}

/// Calls `find` with growing memory, as its capacity errors ask for.
pub fn grown(
    layout: impl Fn(Room) -> Result<Layout>,
    find: impl Fn(Room, &mut [Contact], &mut [u8]) -> Result<ContactCounts>,
) -> (Vec<Contact>, ContactCounts) {
    let mut room = Room { pairs: 64, terms: 64, segments: 0 };
    let mut out = vec![Contact::default(); 4];
    loop {
        let mut scratch = layout(room).and_then(Memory::new).unwrap_or_else(|e| panic!("{e}"));
        let grow = |now: usize, e: Error| {
            assert!(e.needed as usize > now, "{e}");
            e.needed as usize
        };
        match find(room, &mut out, &mut scratch) {
            Ok(found) => {
                out.truncate(found.contacts);
                return (out, found);
            }
            Err(e @ Error { kind: Kind::Capacity, what: What::Pairs, .. }) => room.pairs = grow(room.pairs, e),
            Err(e @ Error { kind: Kind::Capacity, what: What::Terms, .. }) => room.terms = grow(room.terms, e),
            Err(e @ Error { kind: Kind::Capacity, what: What::Segments, .. }) => room.segments = grow(room.segments, e),
            Err(e @ Error { kind: Kind::Capacity, what: What::Output, .. }) => {
                out.resize(grow(out.len(), e), Contact::default());
            }
            Err(e) => panic!("{e}"),
        }
    }
}

/// Force and torque on A.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Wrench {
    /// Sum of the forces.
    pub force: [f64; 3],
    /// Sum of the moments about a point.
    pub torque: [f64; 3],
}

impl Wrench {
    /// The difference, component by component.
    pub fn minus(&self, other: &Wrench) -> Wrench {
        Wrench { force: sub(self.force, other.force), torque: sub(self.torque, other.torque) }
    }

    /// Length of the force, and of the torque.
    pub fn size(&self) -> [f64; 2] {
        [length(self.force), length(self.torque)]
    }
}

/// The pressure law with stiffness 1, about `point`.
pub fn wrench(contacts: &[Contact], point: [f64; 3]) -> Wrench {
    contacts.iter().fold(Wrench::default(), |sum, c| {
        let force = scale((1.0 - c.gap / c.halo) * c.area, c.normal);
        let torque = add(cross(sub(c.position, point), force), c.moment);
        Wrench { force: add(sum.force, force), torque: add(sum.torque, torque) }
    })
}

/// [`wrench`] of the contacts of two bodies.
pub fn wrench_of(a: &Body, pose_a: &Pose, b: &Body, pose_b: &Pose, point: [f64; 3]) -> Wrench {
    wrench(&all_contacts(Isa::best(), &a.side(pose_a), &b.side(pose_b)).0, point)
}

/// A box about the origin.
pub fn cuboid(edges: [f64; 3]) -> Vec<Triangle> {
    generate::cuboid(edges).map(|mesh| soup(&mesh)).unwrap_or_else(|e| panic!("{e}"))
}

/// An L, extruded along z.
pub fn ell() -> Vec<Triangle> {
    let outline = [[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [1.0, 1.0], [1.0, 2.0], [0.0, 2.0]];
    let at = |i: usize, z: f64| [outline[i % 6][0] - 0.8, outline[i % 6][1] - 0.8, z];
    let mut all = Vec::new();
    for [i, j, k] in [[0, 1, 3], [1, 2, 3], [0, 3, 5], [3, 4, 5]] {
        all.push([at(i, 0.5), at(j, 0.5), at(k, 0.5)]);
        all.push([at(k, -0.5), at(j, -0.5), at(i, -0.5)]);
    }
    for i in 0..6 {
        all.push([at(i, -0.5), at(i + 1, -0.5), at(i + 1, 0.5)]);
        all.push([at(i, -0.5), at(i + 1, 0.5), at(i, 0.5)]);
    }
    all
}

/// A pose.
pub fn at(position: [f64; 3], orientation: [f64; 4]) -> Pose {
    Pose { position, orientation }
}

/// The quaternion of rotating by `q`, then by `p`.
pub fn after(p: [f64; 4], q: [f64; 4]) -> [f64; 4] {
    let (u, v) = ([p[0], p[1], p[2]], [q[0], q[1], q[2]]);
    let [x, y, z] = add(add(scale(p[3], v), scale(q[3], u)), cross(u, v));
    [x, y, z, p[3] * q[3] - dot(u, v)]
}

/// A pose moved by a rigid motion.
pub fn carried(by: &Pose, pose: &Pose) -> Pose {
    at(add(rotate(by.orientation, pose.position), by.position), after(by.orientation, pose.orientation))
}

/// A random pair of bodies near each other.
pub fn near_bodies(seed: u64) -> (Vec<Triangle>, Pose, Vec<Triangle>, Pose) {
    let mut random = Random::new(seed);
    let mesh = |random: &mut Random| match random.below(4) {
        0 => cuboid([1.0, 0.8, 1.3]),
        1 => soup(
            &generate::bumpy(generate::icosphere(2).unwrap_or_else(|e| panic!("{e}")), 1.5, random.bits())
                .unwrap_or_else(|e| panic!("{e}")),
        ),
        2 => soup(&generate::hull_sphere(30, random.bits()).unwrap_or_else(|e| panic!("{e}"))),
        _ => soup(&generate::elongated(2, 2.0).unwrap_or_else(|e| panic!("{e}"))),
    };
    let (a, b) = (mesh(&mut random), mesh(&mut random));
    let scene =
        Scene { name: String::new(), a, b, pose_a: Pose::IDENTITY, pose_b: at([5.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0]) };
    let gap = random.range(0.0, 1.5 * HALO);
    let scene = turned(&scene, seed, gap);
    (scene.a, scene.pose_a, scene.b, scene.pose_b)
}

/// As [`near_bodies`], with the bodies moved into each other along the line of centres by up to the smaller body's
/// size.
pub fn deep_bodies(seed: u64) -> (Vec<Triangle>, Pose, Vec<Triangle>, Pose) {
    let (a, pose_a, b, mut pose_b) = near_bodies(seed);
    let mut random = Random::new(seed ^ 0x5555);
    let middle = |mesh: &[Triangle], pose: &Pose| {
        let all = posed(mesh, pose);
        let sum = all.iter().flatten().fold([0.0; 3], |sum, v| add(sum, *v));
        scale(1.0 / (3 * all.len()) as f64, sum)
    };
    let apart = sub(middle(&a, &pose_a), middle(&b, &pose_b));
    pose_b.position = add(pose_b.position, scale(random.range(0.0, 0.7), apart));
    (a, pose_a, b, pose_b)
}
