//! Contacts of two bodies in a list that grows, found with scratch that grows.

use crate::Memory;
use dem_core::contact::shape::{Placed, shape_contacts, shape_scratch};
use dem_core::contact::{Contact, Found, Room};
use dem_core::error::{Kind, Result, What};
use dem_core::exec::{Executor, Serial, Work};
use dem_core::simd::Isa;

/// Finds contacts, and keeps the memory that it took for the next time: one for each thread. What it finds does not depend on what
/// it found before.
///
/// A rock that touches the ground, and a ball that does not touch the rock:
///
/// ```
/// use dem_std::dem_core::contact::shape::{Placed, Shape, Surface};
/// use dem_std::dem_core::contact::CellOptions;
/// use dem_std::dem_core::{mesh::Halo, pose::Pose, surrogate::Options};
/// use dem_std::{ContactFinder, OwnedCells, OwnedShape, generate};
///
/// // Once.
/// let halo = 0.01;
/// let rock = generate::icosphere(3)?;
/// let shape = OwnedShape::new(&rock, rock.scalar(), Halo::Uniform(halo), &Options::default())?;
/// let cells = OwnedCells::new(&shape.mesh()?, &CellOptions::default())?;
/// let mut finder = ContactFinder::default();
/// let mut contacts = Vec::new();
///
/// // In every step.
/// let surface = Surface { mesh: shape.mesh()?, tree: shape.tree()?, cells: cells.open()?, solid: true };
/// let (above, beside) = (Pose { position: [0.0, 0.0, 1.01], ..Pose::IDENTITY }, Pose { position: [3.0; 3], ..Pose::IDENTITY });
/// let rock = Placed { shape: Shape::Mesh(&surface), pose: &above, scale: 1.0 };
/// let ground = Placed { shape: Shape::HalfSpace { halo }, pose: &Pose::IDENTITY, scale: 1.0 };
/// let ball = Placed { shape: Shape::Sphere { radius: 0.5, halo }, pose: &beside, scale: 1.0 };
/// contacts.clear();
/// finder.find(&rock, &ground, 1, &mut contacts)?;
/// finder.find(&rock, &ball, 2, &mut contacts)?;
///
/// let stiffness = 1e6; // a pressure
/// let lift: f64 = contacts.iter().map(|c| stiffness * (1.0 - c.gap / c.halo) * c.area * c.normal[2]).sum();
/// assert!(lift > 0.0 && contacts.iter().all(|c| c.key[0] == 1));
/// # Ok::<(), dem_std::dem_core::error::Error>(())
/// ```
///
/// [`history`](dem_core::contact::history) tells what of this list was in that of the step before.
#[derive(Clone, Debug)]
pub struct ContactFinder {
    /// Whose kernels are used; all give the same bits.
    pub isa: Isa,
    room: Room,
    /// The most contacts of two bodies so far.
    most: usize,
    scratch: Memory,
}

impl Default for ContactFinder {
    fn default() -> Self {
        let room = Room { pairs: 256, terms: 1024, segments: 0 };
        ContactFinder { isa: Isa::best(), room, most: 1, scratch: Memory::default() }
    }
}

impl ContactFinder {
    /// Appends the contacts of two bodies to `list`, ordered by key, and says what was found. `tag` is the first half of their keys:
    /// a list of several pairs of bodies is in order if they are asked for in the order of their tags.
    ///
    /// Errors: those of [`shape_contacts`] but for memory that is too small; [`Kind::TooLarge`] where the machine has not
    /// enough. The list is then as it was.
    pub fn find(&mut self, a: &Placed<'_>, b: &Placed<'_>, tag: u64, list: &mut Vec<Contact>) -> Result<Found> {
        self.find_on(&Serial, a, b, tag, list)
    }

    /// The same on all lanes of an executor: for two large meshes. Where there are many pairs of bodies, a finder on each thread is
    /// faster. The bits are the same. Each lane needs scratch for all terms of two bodies, some 100 bytes each.
    ///
    /// Within [`Executor::enter`] all threads are awake from the beginning:
    ///
    /// ```
    /// use dem_std::dem_core::contact::shape::{Placed, Shape};
    /// use dem_std::dem_core::{exec::Executor, pose::Pose};
    /// use dem_std::{ContactFinder, Threads};
    ///
    /// let (threads, mut finder, mut contacts) = (Threads::global(), ContactFinder::default(), Vec::new());
    /// let ball = Placed { shape: Shape::Sphere { radius: 1.0, halo: 0.1 }, pose: &Pose::IDENTITY, scale: 1.0 };
    /// let above = Pose { position: [0.0, 0.0, 2.1], ..Pose::IDENTITY };
    /// let other = Placed { pose: &above, ..ball };
    /// threads.enter(&mut || {
    ///     // In every step.
    ///     finder.find_on(&threads, &ball, &other, 1, &mut contacts).unwrap();
    /// });
    /// assert_eq!(contacts.len(), 1);
    /// ```
    ///
    /// Errors: those of [`find`](Self::find).
    pub fn find_on(
        &mut self,
        exec: &dyn Executor,
        a: &Placed<'_>,
        b: &Placed<'_>,
        tag: u64,
        list: &mut Vec<Contact>,
    ) -> Result<Found> {
        let from = list.len();
        let found = loop {
            list.resize(from + self.most, Contact::default());
            match self.attempt(exec, a, b, tag, list.get_mut(from..).unwrap_or_default()) {
                Err(e) if e.kind == Kind::Capacity && e.needed > e.given => {
                    let needed = e.needed as usize;
                    match e.what {
                        What::Pairs => self.room.pairs = needed,
                        What::Terms => self.room.terms = needed,
                        What::Segments => self.room.segments = needed,
                        What::Output => self.most = needed,
                        _ => break Err(e),
                    }
                }
                done => break done,
            }
        };
        list.truncate(from + found.as_ref().map_or(0, |found| found.contacts));
        found
    }

    fn attempt(
        &mut self,
        exec: &dyn Executor,
        a: &Placed<'_>,
        b: &Placed<'_>,
        tag: u64,
        out: &mut [Contact],
    ) -> Result<Found> {
        let layout = shape_scratch(a, b, self.room, exec.width())?;
        if self.scratch.len() < layout.size {
            self.scratch = Memory::new(layout)?;
        }
        shape_contacts(Work::new(exec, self.isa, &mut self.scratch), a, b, tag, self.room, out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{OwnedCells, OwnedShape, Threads, generate};
    use dem_core::contact::CellOptions;
    use dem_core::contact::shape::{Shape, Surface};
    use dem_core::mesh::Halo;
    use dem_core::pose::Pose;
    use dem_core::surrogate::Options;

    #[test]
    fn grows_until_everything_is_found_and_appends() {
        let rock = generate::bumpy(generate::icosphere(3).unwrap(), 1.2, 1).unwrap();
        let shape = OwnedShape::new(&rock, rock.scalar(), Halo::Uniform(0.05), &Options::default()).unwrap();
        let mesh = shape.mesh().unwrap();
        let cells = OwnedCells::new(&mesh, &CellOptions::default()).unwrap();
        let surface = Surface { mesh, tree: shape.tree().unwrap(), cells: cells.open().unwrap(), solid: true };
        // Deep enough for more pairs, terms and segments than there is room for in the beginning.
        let aside = Pose { position: [1.5, 0.0, 0.0], ..Pose::IDENTITY };
        let a = Placed { shape: Shape::Mesh(&surface), pose: &Pose::IDENTITY, scale: 1.0 };
        let b = Placed { pose: &aside, ..a };
        let ball = Placed { shape: Shape::Sphere { radius: 1.0, halo: 0.05 }, ..b };
        let (mut finder, mut list) = (ContactFinder::default(), Vec::new());
        let first = finder.find(&a, &b, 1, &mut list).unwrap();
        assert!(first.crossing > 0 && finder.room.segments > 0);
        let second = finder.find(&a, &ball, 2, &mut list).unwrap();
        assert_eq!((list.len(), second.contacts > 0), (first.contacts + second.contacts, true));
        assert!(list.is_sorted_by_key(|c| c.key));
        let mut again = Vec::new();
        assert_eq!(finder.find(&a, &b, 1, &mut again), Ok(first));
        assert_eq!(again.as_slice(), list.get(..first.contacts).unwrap());
        for threads in [Threads::new(2).unwrap(), Threads::new(5).unwrap()] {
            let (mut finder, mut on_lanes) = (ContactFinder::default(), Vec::new());
            assert_eq!(finder.find_on(&threads, &a, &b, 1, &mut on_lanes), Ok(first));
            threads.enter(&mut || assert_eq!(finder.find_on(&threads, &a, &ball, 2, &mut on_lanes), Ok(second)));
            assert_eq!(on_lanes, list);
        }
        let bad = Placed { scale: -1.0, ..a };
        assert_eq!(finder.find(&bad, &b, 3, &mut again).unwrap_err().kind, Kind::OutOfRange);
        assert_eq!(again.len(), first.contacts, "the list is as it was");
    }
}
