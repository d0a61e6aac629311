//! Walls with moving vertices: their velocities for laws.

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

/// A law between surfaces with moving vertices: belts, screws with a moving thread, walls that a flow or a structure bends.
///
/// [`ContactInput::velocity`](crate::detect::laws::ContactInput::velocity) is then the relative velocity of the surfaces: that of the bodies,
/// plus that of [`MovingSurface::add_motion`](crate::detect::surfaces::MovingSurface::add_motion).
/// [`ContactInput::spin`](crate::detect::laws::ContactInput::spin) includes the rotation of these surfaces. So friction and damping of `law` act
/// against the motion of vertices, and torsion, rolling resistance and damping of tilt against their rotation. Springs of friction move with the
/// surfaces. In a step with a law of the host, [`HostLaw::meets`](super::HostLaw::meets) has the same velocities and spins.
///
/// The host moves the vertices: between steps it refits the mesh. [`MovingSurface::body`](crate::detect::surfaces::MovingSurface::body) is a
/// slot, and [`MovingSurface::scale`](crate::detect::surfaces::MovingSurface::scale) the scale of the body. Motions of several surfaces of one
/// body add up. The check for bodies that are too fast includes these velocities; [`Report::approach`](super::Report::approach) does not. The
/// first poll of a step reports velocities that are too large; the poll that applies the law reports all other errors of surfaces. The latter
/// needs more scratch: see [`surfaces_scratch`].
#[derive(Clone, Copy)]
pub struct WithSurfaces<'s, L> {
    /// The law.
    pub law: &'s L,
    /// Bodies with moving vertices.
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

/// Scratch of [`World::poll`](super::World::poll) and [`World::advance`](super::World::advance) for surfaces with moving vertices, for this
/// number of threads. Use the larger one of this and [`world_scratch`](super::world_scratch), by [`Layout::or`]. It has 96 bytes for each contact
/// in the room, and about 80 kilobytes a thread; nothing without surfaces.
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

/// Surfaces are processed one after the other in the same bytes.
fn scratch_of_one(contacts: usize, surfaces: &dyn MovingSurfaces, threads: usize) -> Result<Layout> {
    let mut most = Layout::EMPTY;
    surfaces.each(&mut |surface| {
        most = most.or(surface.scratch(contacts, threads)?);
        Ok(())
    })?;
    Ok(most)
}

/// The motion of surfaces at contacts with moving vertices.
pub(super) struct Moves<'s> {
    /// The velocity at each contact.
    velocities: &'s mut [[f64; 3]],
    /// The additional spin by vertices there.
    spins: &'s mut [[f64; 3]],
    /// The displacement of each contact in the step.
    carried: &'s [SurfaceMove],
}

impl Moves<'_> {
    /// The inputs of a law from these motions.
    pub fn told<'a, const N: usize>(this: Option<&'a Self>, motions: Motions<'a>) -> LawInputs<'a, N> {
        let velocities = this.map(|moves| &*moves.velocities);
        let (spins, carried) = (this.map(|moves| &*moves.spins), this.map(|moves| moves.carried));
        LawInputs { motions, velocities, spins, carried, springs: &[] }
    }

    /// The power of vertices at contacts, with these forces and torques on A: the part of the relative velocity by vertices works against both.
    /// Afterwards `velocities` are those of bodies.
    ///
    /// Errors: those of [`velocities`]. Cost: about ten nanoseconds a contact.
    pub fn power(
        self,
        exec: &dyn Executor,
        scene: &SceneRef<'_>,
        motions: &Motions<'_>,
        acts: &[Wrench],
    ) -> Result<f64> {
        let Moves { velocities: found, spins, .. } = self;
        for ((velocity, spin), act) in found.iter().zip(&mut *spins).zip(acts) {
            // Power of both motions; the part of bodies is subtracted below.
            *spin = [dot(act.force, *velocity), dot(act.torque, *spin), 0.0];
        }
        velocities(exec, scene, motions, found)?;
        let contacts = found.iter().zip(&*spins).zip(acts);
        Ok(contacts
            .fold(0.0, |sum, ((rigid, [all, turning, _]), act)| sum - ((all - dot(act.force, *rigid)) + turning)))
    }
}

/// The motion of surfaces at contacts in a step of this length; none if no vertices move.
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
