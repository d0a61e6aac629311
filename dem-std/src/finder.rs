//! Contacts of two bodies, appended to a list, with scratch that grows as needed.

use crate::Memory;
use dem_core::contact::regions::Grouping;
use dem_core::contact::shape::{Placed, Request, shape_contacts, shape_scratch};
use dem_core::contact::{Contact, ContactCounts, Room};
use dem_core::error::{Kind, Result, What};
use dem_core::exec::{Executor, Serial, Work};
use dem_core::simd::Isa;

/// Finds contacts of two bodies, with memory that grows and is kept for the next call. Use one finder per thread.
/// Results do not depend on earlier calls.
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
/// [`history`](dem_core::contact::history) links this list to that of the previous step.
#[derive(Clone, Debug)]
pub struct ContactFinder {
    /// Instruction set of the kernels; all give the same bits.
    pub isa: Isa,
    /// Which nodes form one contact; by default, those of each place at which two bodies touch.
    pub grouping: Grouping,
    /// Length by which the sum of both halos is enlarged: see [`Request::margin`].
    pub margin: f64,
    room: Room,
    /// Largest number of contacts of a body pair so far.
    most: usize,
    scratch: Memory,
}

impl Default for ContactFinder {
    fn default() -> Self {
        ContactFinder {
            isa: Isa::best(),
            grouping: Grouping::default(),
            margin: 0.0,
            room: Room::FIRST,
            most: 1,
            scratch: Memory::default(),
        }
    }
}

impl ContactFinder {
    /// Appends the contacts of two bodies to `list`, ordered by key, and gives their counts. `tag` is the first half of
    /// their keys: a list of several body pairs is sorted if the calls come in the order of their tags.
    ///
    /// Errors: those of [`shape_contacts`], except for memory that is too small; [`Kind::TooLarge`] where the machine
    /// has not enough memory. After an error the list is unchanged.
    pub fn find(&mut self, a: &Placed<'_>, b: &Placed<'_>, tag: u64, list: &mut Vec<Contact>) -> Result<ContactCounts> {
        self.find_on(&Serial, a, b, tag, list)
    }

    /// As [`find`](Self::find), on all threads of an executor: for two large meshes. For many body pairs, a finder on
    /// each thread is faster. Results have the same bits. Each thread needs scratch for all terms of the body pair, about
    /// 100 bytes per term.
    ///
    /// Within [`Executor::enter`] no thread has to be woken:
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
    ) -> Result<ContactCounts> {
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
    ) -> Result<ContactCounts> {
        let layout = shape_scratch(a, b, self.room, exec.width())?;
        if self.scratch.len() < layout.size {
            self.scratch = Memory::new(layout)?;
        }
        let request = Request { grouping: self.grouping, margin: self.margin, ..Request::new(tag, self.room) };
        shape_contacts(Work::new(exec, self.isa, &mut self.scratch), a, b, &request, out, None)
    }
}

#[cfg(all(test, feature = "rayon"))]
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
        // Deep enough to need more pairs, terms and segments than the initial room of the finder.
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
