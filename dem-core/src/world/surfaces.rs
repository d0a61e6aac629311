//! Walls whose vertices move by themselves: how laws see their velocities.

use super::block::WorldSizes;
use super::law::Law;
use super::law_context::{LawContext, MovingSurfaces};
use crate::contact::history::SurfaceMove;
use crate::detect::laws::LawInputs;
use crate::detect::surfaces::{ContactMotions, Motions, in_list, velocities};
use crate::detect::{SceneRef, Wrench};
use crate::error::Result;
use crate::exec::{Executor, threads_of};
use crate::force::Laws;
use crate::memory::{Layout, sections};
use crate::simd::Isa;
use crate::vector::dot;

/// A law between surfaces whose vertices move: belts, screws with a moving thread, walls that a flow or a structure bends.
///
/// [`ContactInput::velocity`](crate::detect::laws::ContactInput::velocity) is then the relative velocity of the surfaces: that of the bodies, with what [`MovingSurface::add_motion`](crate::detect::surfaces::MovingSurface::add_motion) adds, and [`ContactInput::spin`](crate::detect::laws::ContactInput::spin) has the rotation that it adds. So friction and damping of `law`
/// act against the motion of vertices, and torsion, rolling resistance and damping of tilt against their rotation. Springs of friction go with the surfaces. In a step with a law of the host, [`HostLaw::meets`](super::HostLaw::meets) has the same velocities and spins.
///
/// The host moves the vertices: between steps it refits the mesh. [`MovingSurface::body`](crate::detect::surfaces::MovingSurface::body) is a slot, and [`MovingSurface::scale`](crate::detect::surfaces::MovingSurface::scale) the scale of the body.
/// Several surfaces of one body add up. The check for bodies that are too fast counts these velocities; [`Report::approach`](super::Report::approach) does not.
/// The first poll of a step tells of velocities that are too large, the poll that applies the law of all other errors about surfaces. The latter needs more scratch: see [`surfaces_scratch`].
#[derive(Clone, Copy)]
pub struct WithSurfaces<'s, L> {
    /// The law.
    pub law: &'s L,
    /// Bodies whose vertices move.
    pub surfaces: &'s dyn MovingSurfaces,
}

impl<L: Law> Law for WithSurfaces<'_, L> {
    type Of<'b>
        = L::Of<'b>
    where
        Self: 'b;

    fn of<'b>(&'b self, around: LawContext<'b>) -> L::Of<'b> {
        self.law.of(around)
    }

    fn known(&self) -> Option<Laws<'_>> {
        self.law.known()
    }

    fn spread(&self) -> bool {
        self.law.spread()
    }

    fn surfaces(&self) -> &dyn MovingSurfaces {
        self.surfaces
    }
}

/// Scratch of [`World::poll`](super::World::poll) and [`World::advance`](super::World::advance) for surfaces whose vertices move, on up to so many threads: take the larger one of this and
/// [`world_scratch`](super::world_scratch), by [`Layout::or`]. 96 bytes for each contact that there is room for, and some 80 kilobytes a thread; nothing without surfaces.
///
/// Errors: [`Kind::TooLarge`](crate::error::Kind::TooLarge); those of [`MovingSurfaces::each`].
pub fn surfaces_scratch(sizes: &WorldSizes, surfaces: &dyn MovingSurfaces, threads: usize) -> Result<Layout> {
    scratch(sizes.contacts as usize, surfaces, threads)
}

fn scratch(contacts: usize, surfaces: &dyn MovingSurfaces, threads: usize) -> Result<Layout> {
    match scratch_of_one(contacts, surfaces, threads)? {
        Layout::EMPTY => Ok(Layout::EMPTY),
        one => Memory::layout(contacts, one),
    }
}

sections! {
    struct Memory<'s>(contacts: usize, one: Layout) {
        found: [[f64; 3]; contacts as u64],
        spins: [[f64; 3]; contacts as u64],
        carried: [SurfaceMove; contacts as u64],
        one: { one },
    }
}

/// One surface after the other takes the same bytes.
fn scratch_of_one(contacts: usize, surfaces: &dyn MovingSurfaces, threads: usize) -> Result<Layout> {
    let mut most = Layout::EMPTY;
    surfaces.each(&mut |surface| {
        most = most.or(surface.scratch(contacts, threads)?);
        Ok(())
    })?;
    Ok(most)
}

/// How surfaces move at contacts whose vertices move.
pub(super) struct Moves<'s> {
    /// The velocity at each contact.
    velocities: &'s mut [[f64; 3]],
    /// What vertices add to spins there.
    spins: &'s mut [[f64; 3]],
    /// How far they carry each contact in the step.
    carried: &'s [SurfaceMove],
}

impl Moves<'_> {
    /// What a law is given of it.
    pub fn told<'a, const N: usize>(this: Option<&'a Self>, motions: Motions<'a>) -> LawInputs<'a, N> {
        let velocities = this.map(|moves| &*moves.velocities);
        let (spins, carried) = (this.map(|moves| &*moves.spins), this.map(|moves| moves.carried));
        LawInputs { motions, velocities, spins, carried, springs: &[] }
    }

    /// The power that vertices have at contacts where these forces and torques act on A: what they add to the velocity of A less that of B works against both. Velocities are those of bodies afterwards.
    ///
    /// Errors: those of [`velocities`]. Cost: some ten nanoseconds a contact.
    pub fn power(
        self,
        exec: &dyn Executor,
        scene: &SceneRef<'_>,
        motions: &Motions<'_>,
        acts: &[Wrench],
    ) -> Result<f64> {
        let Moves { velocities: found, spins, .. } = self;
        for ((velocity, spin), act) in found.iter().zip(&mut *spins).zip(acts) {
            // Of both motions; that of bodies is subtracted below.
            *spin = [dot(act.force, *velocity), dot(act.torque, *spin), 0.0];
        }
        velocities(exec, scene, motions, found)?;
        let contacts = found.iter().zip(&*spins).zip(acts);
        Ok(contacts
            .fold(0.0, |sum, ((rigid, [all, turning, _]), act)| sum - ((all - dot(act.force, *rigid)) + turning)))
    }
}

/// How surfaces move at contacts in a step of this length; none if no vertices move, since bodies then tell all there is.
pub(super) fn at_contacts<'s>(
    (exec, isa): (&dyn Executor, Isa),
    scene: &SceneRef<'_>,
    motions: &Motions<'_>,
    (surfaces, dt): (&dyn MovingSurfaces, f64),
    memory: &'s mut [u8],
) -> Result<Option<Moves<'s>>> {
    let contacts = scene.now().contacts().len();
    let threads = threads_of(exec, memory.len(), |threads| scratch(contacts, surfaces, threads));
    let one = scratch_of_one(contacts, surfaces, threads)?;
    if one == Layout::EMPTY {
        return Ok(None);
    }
    let Memory { found, spins, carried, one } = Memory::new(memory, contacts, one)?;
    velocities(exec, scene, motions, found)?;
    spins.fill([0.0; 3]);
    carried.fill(SurfaceMove::default());
    let mut place = 0;
    surfaces.each(&mut |surface| {
        let to = ContactMotions { velocities: &mut *found, spins: &mut *spins, carried: &mut *carried };
        let added = surface.add_all(exec, isa, scene, (to, dt), one);
        added.map_err(|e| in_list(e, place))?;
        place += 1;
        Ok(())
    })?;
    Ok(Some(Moves { velocities: found, spins, carried }))
}
