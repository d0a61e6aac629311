//! The velocities of the surfaces of all bodies of a scene at their contacts.
//!
//! Friction, dashpots and lubrication need the relative velocity at each contact. [`velocities`] computes it for rigid bodies, for all
//! contacts of a scene in one call, and [`spins`] their relative angular velocity. If a flow bends a wall, [`MovingSurface::add`] adds the
//! velocities of its vertices, and [`MovingSurface::add_motion`] also the rotation of the wall there. In the other direction,
//! [`MovingSurface::loads`] distributes the forces at contacts to these vertices, and [`MovingSurface::spread_loads`] spreads each force over the
//! area that its contact covers.

use super::{ScenePair, SceneRef, StepRef, Touch};
use crate::array::Array;
use crate::contact::history::SurfaceMove;
use crate::contact::{
    SurfaceMotion, Vertices, add_loads, positions, relative_motions, relative_velocities, velocities_scratch,
    vertex_loads,
};
use crate::error::{Error, Kind, Result, What};
use crate::exec::{Cut, CutMut, Executor, each, each_with, pieces, threads_of};
use crate::memory::{Layout, sections};
use crate::mesh::MeshRef;
use crate::narrow::{Operand, points_scratch};
use crate::pose::Pose;
use crate::real::{max, min};
use crate::simd::Isa;
use crate::surrogate::TreeRef;
use crate::vector::{add, scale};

/// Contacts that a thread processes at a time.
const CHUNK: usize = 1024;

/// How the bodies of a scene move as a whole: body i is item i of every array.
#[derive(Clone, Copy, Default)]
pub struct Motions<'a> {
    /// Velocity of each body's centre, in world axes; without them, all are at rest.
    pub velocities: Option<Array<'a>>,
    /// Angular velocities, in world axes: radians over time; 0 without them.
    pub spins: Option<Array<'a>>,
    /// The points to which `velocities` refer, in world coordinates, usually centres of mass; without them, the origins of the bodies'
    /// frames.
    pub centres: Option<Array<'a>>,
}

impl Motions<'_> {
    /// Checks that there is a finite item for each body.
    pub(super) fn check(&self, bodies: usize) -> Result<()> {
        let arrays =
            [(self.velocities, What::BodyVelocities), (self.spins, What::Spins), (self.centres, What::Centres)];
        for (array, what) in arrays.into_iter().filter_map(|(array, what)| Some((array?, what))) {
            if array.len() != bodies {
                return Err(Error::new(Kind::Mismatch, what).amounts(bodies as u64, array.len() as u64));
            }
            array.check_finite(what)?;
        }
        Ok(())
    }
}

/// The motions of bodies, with fast access to packed arrays.
#[derive(Clone, Copy)]
pub(super) struct Moves<'a> {
    velocities: Items<'a>,
    spins: Items<'a>,
    centres: Items<'a>,
}

#[derive(Clone, Copy)]
enum Items<'a> {
    None,
    Packed(&'a [[f64; 3]]),
    Strided(Array<'a>),
}

impl Items<'_> {
    #[inline(always)]
    fn get(&self, i: usize) -> Option<[f64; 3]> {
        match self {
            Items::None => None,
            Items::Packed(items) => items.get(i).copied(),
            Items::Strided(array) => Some(array.get(i)),
        }
    }
}

impl<'a> Moves<'a> {
    pub fn new(motions: &Motions<'a>) -> Self {
        let items = |array: Option<Array<'a>>| match array {
            Some(array) => array.as_f64().map_or(Items::Strided(array), Items::Packed),
            None => Items::None,
        };
        let [velocities, spins, centres] = [motions.velocities, motions.spins, motions.centres].map(items);
        Moves { velocities, spins, centres }
    }

    /// The centre of body `i`.
    #[inline(always)]
    pub fn centre(&self, i: usize, pose: &Pose) -> [f64; 3] {
        self.centres.get(i).unwrap_or(pose.position)
    }

    /// The motion of body `i`, moved by `shift`.
    #[inline(always)]
    pub fn of(&self, i: usize, pose: &Pose, shift: [f64; 3]) -> SurfaceMotion<'static> {
        let centre = self.centre(i, pose);
        SurfaceMotion {
            velocity: self.velocities.get(i).unwrap_or_default(),
            spin: self.spins.get(i).unwrap_or_default(),
            centre: [0, 1, 2].map(|k| centre[k] + shift[k]),
            vertices: None,
        }
    }
}

/// The translation that moves B of a pair to where it meets A.
pub(super) fn shift(step: &StepRef<'_>, pair: &ScenePair) -> [f64; 3] {
    if pair.shift == [0; 3] {
        return [0.0; 3];
    }
    let ([_, to], [_, from]) = (step.poses_of(pair), step.kept.unmoved(pair));
    [0, 1, 2].map(|k| to.position[k] - from.position[k])
}

fn pose(step: &StepRef<'_>, i: usize) -> Pose {
    step.poses().get(i).copied().unwrap_or_default()
}

/// For each contact of the last step the velocity of A's surface there less that of B's, both as rigid bodies.
///
/// A periodic image has the velocity of its body, and rotates about the image of the body's centre. `out` has a place for each contact.
///
/// Errors: [`Kind::Mismatch`] and [`Kind::NotFinite`] for an array of `motions`; [`Kind::Capacity`] for `out`. Cost: some ten nanoseconds a
/// contact.
pub fn velocities(
    exec: &dyn Executor,
    scene: &SceneRef<'_>,
    motions: &Motions<'_>,
    out: &mut [[f64; 3]],
) -> Result<()> {
    let step = scene.now();
    motions.check(step.poses().len())?;
    let (needed, given) = (step.contacts().len(), out.len() as u64);
    let out = out.get_mut(..needed).ok_or(Error::capacity(What::Output, needed as u64, given))?;
    let moves = Moves::new(motions);
    each(exec, CutMut(out, CHUNK), |chunk, mut out| {
        let mut first = chunk * CHUNK;
        let begin = step.pairs().partition_point(|pair| pair.end as usize <= first);
        for pair in step.pairs().iter().skip(begin) {
            let count = (pair.end as usize).saturating_sub(first).min(out.len());
            let (own, rest) = core::mem::take(&mut out).split_at_mut(count);
            let at = step.contacts().get(first..first + count).unwrap_or_default();
            let [pose_a, pose_b] = step.kept.unmoved(pair);
            let a = moves.of(pair.a as usize, &pose_a, [0.0; 3]);
            let b = moves.of(pair.b as usize, &pose_b, shift(&step, pair));
            // All inputs have been checked, so there is no error.
            let _ = relative_velocities(Isa::best(), &a, &b, positions(at), own, &mut []);
            (out, first) = (rest, first + count);
            if out.is_empty() {
                break;
            }
        }
    });
    Ok(())
}

/// For each contact of the last step the angular velocity of A less that of B, in world axes: radians over time. [`MovingSurface::add_motion`] adds
/// the rotation by moving vertices. `out` has a place for each contact.
///
/// Errors: those of [`velocities`]. Cost: some nanoseconds a contact.
pub fn spins(exec: &dyn Executor, scene: &SceneRef<'_>, motions: &Motions<'_>, out: &mut [[f64; 3]]) -> Result<()> {
    let step = scene.now();
    motions.check(step.poses().len())?;
    let (needed, given) = (step.contacts().len(), out.len() as u64);
    let out = out.get_mut(..needed).ok_or(Error::capacity(What::Output, needed as u64, given))?;
    let moves = Moves::new(motions);
    each(exec, CutMut(out, CHUNK), |chunk, out| {
        let (first, count) = (chunk * CHUNK, out.len());
        let begin = step.pairs().partition_point(|pair| pair.end as usize <= first);
        for pair in step.pairs().iter().skip(begin).take_while(|pair| (pair.first as usize) < first + count) {
            let [a, b] = [pair.a, pair.b].map(|body| moves.spins.get(body as usize).unwrap_or_default());
            let own = max(pair.first as usize, first) - first..min(pair.end as usize - first, count);
            out.get_mut(own).unwrap_or_default().fill([0, 1, 2].map(|k| a[k] - b[k]));
        }
    });
    Ok(())
}

sections! {
    /// Scratch of [`MovingSurface::add_motion`].
    struct Memory<'s>(contacts: usize, thread: Layout, threads: usize; chunks = contacts.div_ceil(CHUNK) as u64) {
        /// Where the contacts of each chunk end; `failed`: whether it had an error.
        ends: [u32; chunks],
        failed: [u32; chunks],
        threads: { thread.times(threads, What::Scratch)? },
    }
}

sections! {
    /// Memory of a thread for this many contacts of a surface.
    struct OfThread<'s>(contacts: usize, motion: &SurfaceMotion<'_>) {
        at: [[f64; 3]; contacts as u64],
        found: [[f64; 3]; contacts as u64],
        spins: [[f64; 3]; contacts as u64],
        rest: { velocities_scratch(motion, &SurfaceMotion::default())? },
    }
}

/// The arrays to which [`MovingSurface::add_all`] adds, each with a place for each contact.
pub struct ContactMotions<'o> {
    /// As for [`MovingSurface::add_motion`].
    pub velocities: &'o mut [[f64; 3]],
    /// As for [`MovingSurface::add_motion`].
    pub spins: &'o mut [[f64; 3]],
    /// How far vertices carry each contact: [`LawInputs::carried`](super::laws::LawInputs::carried).
    pub carried: &'o mut [SurfaceMove],
}

/// A body whose vertices move relative to the body.
#[derive(Clone, Copy)]
pub struct MovingSurface<'a> {
    /// Index of the body in the scene.
    pub body: u32,
    /// The mesh of the body, as it was when contacts were found.
    pub mesh: MeshRef<'a>,
    /// The tree of the mesh.
    pub tree: TreeRef<'a>,
    /// The pose of the mesh in the frame of its body, in unscaled units; mostly the identity.
    pub frame: Pose,
    /// The scale of the body.
    pub scale: f64,
    /// For each vertex from which the mesh was built, in order: unscaled lengths over time, in the mesh's frame.
    pub velocities: Array<'a>,
}

impl MovingSurface<'_> {
    /// Scratch for [`Self::add`] in a scene with this number of contacts: some 80 kilobytes a thread. With scratch for more threads it is
    /// faster.
    ///
    /// Errors: [`Kind::TooLarge`].
    pub fn scratch(&self, contacts: usize, threads: usize) -> Result<Layout> {
        Memory::layout(contacts, self.thread()?, threads)
    }

    fn thread(&self) -> Result<Layout> {
        OfThread::layout(CHUNK, &self.motion(&Pose::IDENTITY))
    }

    /// The pose of the mesh in the world.
    pub(super) fn pose(&self, step: &StepRef<'_>) -> Result<Pose> {
        self.placed_at(&pose(step, self.body as usize))
    }

    /// The pose of the mesh for this pose of the body.
    pub(crate) fn placed_at(&self, body: &Pose) -> Result<Pose> {
        if self.frame == Pose::IDENTITY {
            return Ok(*body);
        }
        body.product(&Pose { position: self.frame.position.map(|x| self.scale * x), ..self.frame }, What::Pose)
    }

    pub(crate) fn operand<'p>(&'p self, pose: &'p Pose) -> Operand<'p> {
        Operand { mesh: self.mesh, tree: self.tree, pose, scale: self.scale }
    }

    fn motion<'p>(&'p self, pose: &'p Pose) -> SurfaceMotion<'p> {
        let operand = self.operand(pose);
        SurfaceMotion { vertices: Some(Vertices { operand, velocities: self.velocities }), ..SurfaceMotion::default() }
    }

    /// Checks that the body exists and that there is a finite velocity for each vertex. Cost: a pass over them.
    ///
    /// Errors: [`Kind::BadIndex`] for [`What::Surfaces`]; those of a pose for [`What::Pose`], the frame; those of [`relative_velocities`]
    /// about a motion; [`Kind::Capacity`] for scratch, which is as for [`Self::add`].
    pub fn check(&self, scene: &SceneRef<'_>, scratch: &mut [u8]) -> Result<()> {
        self.check_body(scene)?;
        self.frame.check(What::Pose)?;
        let (pose, none) = (Pose::IDENTITY, Array::from_f64(&[]));
        relative_velocities(Isa::best(), &self.motion(&pose), &SurfaceMotion::default(), none, &mut [], scratch)
    }

    pub(super) fn check_body(&self, scene: &SceneRef<'_>) -> Result<()> {
        let (bodies, body) = (scene.now().poses().len() as u64, u64::from(self.body));
        if body >= bodies {
            return Err(Error::new(Kind::BadIndex, What::Surfaces).amounts(bodies, body));
        }
        Ok(())
    }

    /// Adds the velocities of the body's vertices to the velocity of each of its contacts. They are interpolated over the triangle at the
    /// point of the mesh that is closest to the contact, as in [`relative_velocities`]. `out` is that of [`velocities`]. Laws that use spins need
    /// [`Self::add_motion`].
    ///
    /// Errors: those of [`Self::check`]; [`Kind::Capacity`] for `out` and for `scratch` ([`Self::scratch`]; with less than all threads
    /// need, fewer threads work). After an error nothing is written. Cost: some tenths of a microsecond for each contact of the body, and a
    /// pass over its vertices for each thousand of them.
    pub fn add(
        &self,
        exec: &dyn Executor,
        isa: Isa,
        scene: &SceneRef<'_>,
        out: &mut [[f64; 3]],
        scratch: &mut [u8],
    ) -> Result<()> {
        self.add_found(
            exec,
            isa,
            scene,
            (ContactMotions { velocities: out, spins: &mut [], carried: &mut [] }, 0.0),
            scratch,
        )
    }

    /// [`Self::add`], and adds to `spins` the angular velocity with which the vertices of that triangle rotate it, in world axes: radians
    /// over time, with the opposite sign where the body is B.
    ///
    /// Along the triangle's normal it is half the curl of the velocity, and across it the rate at which the normal turns. So a triangle that moves
    /// as a rigid body has its angular velocity, and one that stretches evenly has none. A triangle without area has none. The velocity is
    /// continuous across edges of triangles; the angular velocity is constant on each triangle. `spins` has a place for each contact. If it begins
    /// with zeros, it is [`LawInputs::spins`](super::laws::LawInputs::spins).
    ///
    /// The velocity is that of a body that rotates with the triangle, at the position of the contact. The velocity of [`Self::add`] is at the
    /// closest point, half a gap away. So vertices that move as a rigid body give the velocity of that body. If a wall bends, the velocity jumps
    /// between triangles by half a gap times the difference of their rotations. At contacts of other parts of a compound, the closest point may be
    /// far away, so that neither velocity says much.
    ///
    /// Errors and cost: those of [`Self::add`]; [`Kind::Capacity`] for `spins`, too.
    pub fn add_motion(
        &self,
        exec: &dyn Executor,
        isa: Isa,
        scene: &SceneRef<'_>,
        (velocities, spins): (&mut [[f64; 3]], &mut [[f64; 3]]),
        scratch: &mut [u8],
    ) -> Result<()> {
        let (needed, given) = (scene.now().contacts().len(), spins.len() as u64);
        let spins = spins.get_mut(..needed).ok_or(Error::capacity(What::Output, needed as u64, given))?;
        self.add_found(exec, isa, scene, (ContactMotions { velocities, spins, carried: &mut [] }, 0.0), scratch)
    }

    /// [`Self::add_motion`]; also adds how far the vertices carry each contact in a time step of length `dt`. That is half of their displacement
    /// and rotation, since contacts move with the mean of both bodies. Begin with zeros.
    ///
    /// Errors and cost: those of [`Self::add_motion`]; [`Kind::Capacity`] for `to`.
    pub fn add_all(
        &self,
        exec: &dyn Executor,
        isa: Isa,
        scene: &SceneRef<'_>,
        (to, dt): (ContactMotions<'_>, f64),
        scratch: &mut [u8],
    ) -> Result<()> {
        let ContactMotions { velocities, spins, carried } = to;
        let (needed, given) = (scene.now().contacts().len(), [spins.len(), carried.len()]);
        let short = |given: usize| Error::capacity(What::Output, needed as u64, given as u64);
        let spins = spins.get_mut(..needed).ok_or(short(given[0]))?;
        let carried = carried.get_mut(..needed).ok_or(short(given[1]))?;
        self.add_found(exec, isa, scene, (ContactMotions { velocities, spins, carried }, dt), scratch)
    }

    /// Adds velocities, and spins and carried distances if there are places for them.
    fn add_found(
        &self,
        exec: &dyn Executor,
        isa: Isa,
        scene: &SceneRef<'_>,
        (to, dt): (ContactMotions<'_>, f64),
        scratch: &mut [u8],
    ) -> Result<()> {
        let ContactMotions { velocities: out, spins, carried } = to;
        let step = scene.now();
        let (needed, given) = (step.contacts().len(), out.len() as u64);
        let out = out.get_mut(..needed).ok_or(Error::capacity(What::Output, needed as u64, given))?;
        let thread = self.thread()?;
        let count = threads_of(exec, scratch.len(), |threads| self.scratch(needed, threads));
        let Memory { ends, failed, threads } = Memory::new(scratch, needed, thread, count)?;
        self.check(scene, threads)?;
        let touches = scene.touches(self.body as usize);
        let (as_a, as_b) = touches.split_at(touches.partition_point(|touch| !touch.is_b()));
        for touches in [as_a, as_b] {
            let ends = ends.get_mut(..touches.len().div_ceil(CHUNK)).unwrap_or_default();
            for (end, touches) in ends.iter_mut().zip(touches.chunks(CHUNK)) {
                *end = touches.last().map_or(0, |touch| touch.contact() as u32 + 1);
            }
            let ends = &*ends;
            let failed = failed.get_mut(..ends.len()).unwrap_or_default();
            // Without places for spins or carried distances, their pieces are empty.
            let written = (pieces(&mut *out, ends), (pieces(&mut *spins, ends), pieces(&mut *carried, ends)));
            let parts = (written, (Cut(touches, CHUNK), CutMut(&mut *failed, 1)));
            each_with(exec, parts, CutMut(&mut *threads, thread.size), |chunk, (out, (touches, failed)), thread| {
                let first = chunk.checked_sub(1).and_then(|k| ends.get(k)).map_or(0, |end| *end as usize);
                let (velocities, (spins, carried)) = out;
                let to = ContactMotions { velocities, spins, carried };
                failed.fill(u32::from(self.add_some(isa, &step, touches, (first, to, dt), thread).is_err()));
            })?;
            if failed.iter().any(|failed| *failed != 0) {
                return Err(Error::new(Kind::OutOfRange, What::Surfaces));
            }
        }
        Ok(())
    }

    /// As [`Self::add_found`], for some contacts of the body, in order. The outputs begin with contact `first`.
    fn add_some(
        &self,
        isa: Isa,
        step: &StepRef<'_>,
        touches: &[Touch],
        (first, to, dt): (usize, ContactMotions<'_>, f64),
        thread: &mut [u8],
    ) -> Result<()> {
        let ContactMotions { velocities: out, spins: spun, carried } = to;
        let own = self.pose(step)?;
        let motion = self.motion(&own);
        let OfThread { at, found, spins, rest } = OfThread::new(thread, touches.len(), &motion)?;
        for (to, touch) in at.iter_mut().zip(touches) {
            let position = position(step, touch.contact());
            let moved = if touch.is_b() { shift_of(step, touch.contact()) } else { [0.0; 3] };
            *to = [0, 1, 2].map(|k| position[k] - moved[k]);
        }
        let still = SurfaceMotion::default();
        let wanted = if spun.is_empty() { 0 } else { touches.len() };
        let spins = spins.get_mut(..wanted).unwrap_or_default();
        relative_motions(isa, (&motion, &still), Array::from_f64(at), (&mut *found, &mut *spins), rest)?;
        for (to, from) in [(out, &*found), (spun, &*spins)] {
            for (touch, v) in touches.iter().zip(from) {
                let sign = if touch.is_b() { -1.0 } else { 1.0 };
                if let Some(to) = touch.contact().checked_sub(first).and_then(|i| to.get_mut(i)) {
                    *to = [0, 1, 2].map(|k| to[k] + sign * v[k]);
                }
            }
        }
        for ((touch, v), w) in touches.iter().zip(&*found).zip(&*spins) {
            if let Some(to) = touch.contact().checked_sub(first).and_then(|i| carried.get_mut(i)) {
                to.way = add(to.way, scale(*v, 0.5 * dt));
                to.turn = add(to.turn, scale(*w, 0.5 * dt));
            }
        }
        Ok(())
    }
}

/// Turns an error about one surface into an error about a list of surfaces: [`What::Surfaces`] with the index `place`. For a velocity that is NaN
/// or infinite, `given` is the vertex.
pub fn in_list(e: Error, place: u64) -> Error {
    let e = match (e.kind, e.what) {
        (Kind::NotFinite, What::Velocities) => Error { given: e.index, ..e },
        (_, What::Velocities | What::MotionA | What::Surfaces) => e,
        _ => return e,
    };
    Error { what: What::Surfaces, index: place, ..e }
}

/// Contacts whose forces are processed at a time.
const FEW: usize = 64;

impl MovingSurface<'_> {
    /// Scratch for [`Self::loads`]: a few kilobytes.
    ///
    /// Errors: [`Kind::TooLarge`].
    pub fn loads_scratch(&self) -> Result<Layout> {
        points_scratch(&self.operand(&Pose::IDENTITY))
    }

    /// The load on each vertex of the body's mesh from forces at contacts of the scene, in world axes. Solvers of a wall's deformation need
    /// it.
    ///
    /// `forces` are those on A, one for each contact of the last step, as for [`SceneRef::wrenches`]. The forces at the body's own contacts
    /// count, with the opposite sign if it is B. They are distributed as in [`vertex_loads`]: loads sum to the force of
    /// [`SceneRef::wrenches`] on the body. The power of the loads at the velocities of the vertices is that of the forces at the velocities
    /// which [`Self::add`] adds.
    /// `velocities` have no effect. `out` has a place for each vertex from which the mesh was built. Sums are formed in the order of
    /// [`SceneRef::touches`].
    ///
    /// Errors: [`Kind::BadIndex`] for [`What::Surfaces`]; those of a pose for [`What::Pose`], the frame; [`Kind::Mismatch`] and
    /// [`Kind::NotFinite`] for [`What::Forces`]; [`Kind::Capacity`] for `out` and `scratch` ([`Self::loads_scratch`]); [`Kind::Mismatch`]
    /// for a tree of another mesh; an invalid scale. After an error nothing is written, except for a damaged tree, and for contacts too far
    /// away to be distinguished from the mesh. Cost: some tenths of a microsecond for each contact of the body, and some nanoseconds a
    /// vertex.
    pub fn loads(
        &self,
        isa: Isa,
        scene: &SceneRef<'_>,
        forces: Array<'_>,
        out: &mut [[f64; 3]],
        scratch: &mut [u8],
    ) -> Result<()> {
        let step = scene.now();
        self.check_body(scene)?;
        self.frame.check(What::Pose)?;
        scene.check_forces(forces, None)?;
        let pose = self.pose(&step)?;
        let operand = self.operand(&pose);
        // Without positions, this call checks all other inputs and writes zeros.
        let none = Array::from_f64(&[]);
        vertex_loads(isa, &operand, none, none, out, scratch)?;
        for touches in scene.touches(self.body as usize).chunks(FEW) {
            let (mut at, mut acts) = ([[0.0; 3]; FEW], [[0.0; 3]; FEW]);
            for ((at, acts), touch) in at.iter_mut().zip(&mut acts).zip(touches) {
                let position = position(&step, touch.contact());
                let (moved, sign) =
                    if touch.is_b() { (shift_of(&step, touch.contact()), -1.0) } else { ([0.0; 3], 1.0) };
                *at = [0, 1, 2].map(|k| position[k] - moved[k]);
                *acts = forces.get(touch.contact()).map(|x| sign * x);
            }
            let few = |all| Array::from_f64(<[_]>::get(all, ..touches.len()).unwrap_or_default());
            add_loads(isa, &operand, few(&at), few(&acts), out, scratch)?;
        }
        Ok(())
    }
}

fn position(step: &StepRef<'_>, contact: usize) -> [f64; 3] {
    step.contacts().get(contact).map_or([0.0; 3], |contact| contact.position)
}

/// The translation that moves B of a contact to where it meets A.
fn shift_of(step: &StepRef<'_>, contact: usize) -> [f64; 3] {
    step.pair_of(contact).map_or([0.0; 3], |pair| shift(step, pair))
}
