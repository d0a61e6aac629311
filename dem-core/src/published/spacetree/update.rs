//! Assigns bodies to vertices; refines and coarsens the tree.

use super::frame::{DEEPEST, cells, each, is_there, key, level_of, parent, place_of, wrapped};
use super::{Held, Refinement, Root, SpaceTree, SpaceTreeRef};
use crate::broad::Query;
use crate::error::{Error, Kind, Result, What};
use crate::memory::{Layout, sections};
use crate::real::{max, min};

/// The result of an update.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Number of vertices of all levels.
    pub vertices: u64,
    /// Number of refined cells.
    pub refined: u64,
    /// Number of bodies that moved to a coarser level.
    pub lifted: u32,
    /// Number of bodies that moved to a finer level.
    pub dropped: u32,
    /// Number of bodies stored at no vertex.
    pub loose: u32,
    /// Whether cells were refined or coarsened.
    pub changed: bool,
}

/// Keys per body: of cells around it to be refined, and of cells that contain it.
const KEYS: u64 = 16;

/// Scratch for [`SpaceTree::update`]: 256 bytes for each body, 16 for each cell.
///
/// Errors: [`Kind::TooLarge`].
pub fn spacetree_scratch(bodies: u32, cells: u32) -> Result<Layout> {
    Memory::layout(bodies, cells)
}

sections! {
    /// Scratch of an update.
    struct Memory<'s>(bodies: u32, cells: u32) {
        keys: [u64; 2 * (KEYS * u64::from(bodies) + u64::from(cells))],
    }
}

/// A sorted set of keys of cells.
struct Keys<'s> {
    keys: &'s mut [u64],
    count: usize,
    /// Number of keys that had no room; the tree then needs more refined cells than it has room for.
    lost: usize,
}

impl Keys<'_> {
    fn push(&mut self, cell: u64) {
        if self.count == self.keys.len() {
            self.settle();
        }
        if let Some(place) = self.keys.get_mut(self.count) {
            *place = cell;
            self.count += 1;
        } else {
            self.lost += 1;
        }
    }

    fn settle(&mut self) {
        let keys = self.keys.get_mut(..self.count).unwrap_or_default();
        keys.sort_unstable();
        let mut kept = 0;
        for i in 0..keys.len() {
            if i == 0 || keys[i] != keys[kept - 1] {
                keys[kept] = keys[i];
                kept += 1;
            }
        }
        self.count = kept;
    }
}

impl SpaceTree<'_> {
    /// Updates the tree for the bodies of a query: lifts and drops bodies, and refines and coarsens cells. The number
    /// and order of bodies may change between updates. To reach the finest levels at once, repeat the call until no
    /// body is dropped and no cell changes.
    ///
    /// `scratch` is [`spacetree_scratch`]. Errors: those of [`Query::check`]; [`Kind::OutOfRange`] before
    /// [`SpaceTree::begin`]; [`Kind::Capacity`] for bodies, for refined cells (`What::Cells`, with a sufficient number)
    /// or scratch; after an error the tree has to be updated before the next search. Cost: proportional to bodies times
    /// levels.
    pub fn update(&mut self, query: &Query<'_>, refinement: Refinement, scratch: &mut [u8]) -> Result<Report> {
        query.check()?;
        let (n, given) = (query.bodies.len(), self.level.len());
        let mut root = self.root[0];
        if n > given {
            return Err(Error::capacity(What::Bodies, n as u64, given as u64));
        }
        if root.width <= 0.0 {
            return Err(Error::new(Kind::OutOfRange, What::Description));
        }
        let memory = Memory::new(scratch, n as u32, self.refined.len() as u32)?;
        let mut keys = Keys { keys: memory.keys, count: 0, lost: 0 };
        (root.periods, root.margin) = (query.space.periods, query.margin);
        (root.bodies, root.axes, root.ready) = (n as u32, query.space.axes() as u32, 1);
        root.widest = widest(&root, query);
        root.regular = match refinement {
            Refinement::Regular => (1..=DEEPEST).find(|l| !root.fits(root.widest, *l)).unwrap_or(DEEPEST + 1),
            _ => 0,
        };
        self.root[0].ready = 0;
        let mut report = Report::default();
        root.loose = self.hold(&root, query, &mut report);
        report.loose = root.loose;
        let held = self.held.get(..n).unwrap_or_default();
        let old = self.refined.get(..root.cells as usize).unwrap_or_default();
        if root.regular == 0 {
            let tree = SpaceTreeRef { sizes: self.sizes, root: &[root], level: self.level, held, refined: old };
            tree.wanted(query, refinement, &mut keys);
        }
        keys.settle();
        let wanted = keys.keys.get(..keys.count).unwrap_or_default();
        let needed = (wanted.len() + keys.lost) as u64;
        let short = Error::capacity(What::Cells, needed, self.refined.len() as u64);
        report.changed = old != wanted;
        self.refined.get_mut(..wanted.len()).ok_or(short)?.copy_from_slice(wanted);
        root.cells = wanted.len() as u32;
        self.root[0] = root;
        report.refined = if root.regular > 0 {
            (0..root.regular - 1).map(|l| power(&root, cells(l))).sum()
        } else {
            wanted.len() as u64
        };
        report.vertices = self.as_ref().vertices();
        Ok(report)
    }

    /// Assigns each body a level and a vertex, and sorts the bodies. Gives the number of bodies stored at no vertex.
    fn hold(&mut self, root: &Root, query: &Query<'_>, report: &mut Report) -> u32 {
        let refined = self.refined.get(..root.cells as usize).unwrap_or_default();
        let n = query.bodies.len();
        let mut loose = 0;
        for (i, (held, level)) in self.held.iter_mut().zip(&mut *self.level).enumerate().take(n) {
            let sphere = query.sphere(i);
            let (at, _) = wrapped(query, sphere.centre);
            let diameter = 2.0 * sphere.radius + query.margin;
            if !root.holds(at) || !root.fits(diameter, 0) {
                (*held, *level) = (Held { key: 0, body: i as u32 }, 0);
                loose += 1;
                continue;
            }
            let there = |level: u32| {
                root.fits(diameter, level) && vertex_is_there(root, refined, level, root.vertex(at, level))
            };
            let before = *level;
            let mut now = if root.regular > 0 { root.regular - 1 } else { min(before, DEEPEST) };
            while now > 0 && !there(now) {
                now -= 1;
            }
            if root.regular == 0 && now >= before && now < DEEPEST && there(now + 1) {
                now += 1;
            }
            report.lifted += u32::from(now < before);
            report.dropped += u32::from(now > before);
            *level = now;
            *held = Held { key: key(now, root.vertex(at, now)), body: i as u32 };
        }
        if let Some(held) = self.held.get_mut(..n) {
            held.sort_unstable();
        }
        loose
    }
}

/// The largest diameter, margin included, of bodies that fit into the root.
fn widest(root: &Root, query: &Query<'_>) -> f64 {
    (0..query.bodies.len()).fold(0.0, |widest, i| {
        let diameter = 2.0 * query.sphere(i).radius + query.margin;
        if root.fits(diameter, 0) { max(widest, diameter) } else { widest }
    })
}

fn power(root: &Root, n: i64) -> u64 {
    (0..root.axes).fold(1u64, |p, _| p.saturating_mul(n as u64))
}

fn vertex_is_there(root: &Root, refined: &[u64], level: u32, vertex: [i64; 3]) -> bool {
    let [low, high] = root.around(level, vertex);
    let mut found = false;
    each(low, high, |cell| found = found || is_there(root, refined, level, cell));
    found
}

impl SpaceTreeRef<'_> {
    /// Collects the cells to be refined: cells with bodies on finer levels, cells around small bodies, and the
    /// ancestors of both.
    fn wanted(&self, query: &Query<'_>, refinement: Refinement, keys: &mut Keys<'_>) {
        let root = &self.root[0];
        for held in self.held.iter().skip(root.loose as usize) {
            let (vertex, level) = (held.key, level_of(held.key));
            let [low, high] = root.around(level, place_of(vertex));
            each(low, high, |cell| {
                if is_there(root, self.refined, level, cell) {
                    parent(key(level, cell)).into_iter().for_each(|parent| keys.push(parent));
                }
            });
            if refinement == Refinement::Adaptive {
                self.refine(query, held, keys);
            }
        }
        if refinement == Refinement::Reluctant {
            self.meetings(query, |p, q, _| {
                for held in [p, q] {
                    self.refine(query, held, keys);
                }
            });
        }
        for level in (1..=DEEPEST).rev() {
            keys.settle();
            // Parents have smaller keys: where inserting one makes room, unprocessed keys move towards the end.
            let mut i = 0;
            while i < keys.count {
                let cell = keys.keys.get(i).copied().unwrap_or(0);
                if level_of(cell) == level {
                    parent(cell).into_iter().for_each(|parent| keys.push(parent));
                }
                i += 1;
            }
        }
    }

    /// Collects the cells around the vertex of a body, if the body fits into their children.
    fn refine(&self, query: &Query<'_>, held: &Held, keys: &mut Keys<'_>) {
        let (root, level) = (&self.root[0], level_of(held.key));
        let diameter = 2.0 * query.sphere(held.body as usize).radius + query.margin;
        if held.key == 0 || !root.fits(diameter, level + 1) {
            return;
        }
        let [low, high] = root.around(level, place_of(held.key));
        each(low, high, |cell| {
            if is_there(root, self.refined, level, cell) {
                keys.push(key(level, cell));
            }
        });
    }

    /// Number of vertices of all levels, each counted once.
    pub fn vertices(&self) -> u64 {
        let root = &self.root[0];
        if root.regular > 0 {
            return (0..root.regular).map(|l| power(root, cells(l) + 1)).sum();
        }
        let refined = self.refined.get(..root.cells as usize).unwrap_or_default();
        let corners = power(root, 2);
        corners + refined.iter().map(|cell| self.own_vertices(refined, *cell)).sum::<u64>()
    }

    /// Number of vertices of a refined cell that no refined cell with a smaller key shares.
    fn own_vertices(&self, refined: &[u64], cell: u64) -> u64 {
        let (root, level, place) = (&self.root[0], level_of(cell), place_of(cell));
        let (mut high, mut count) = ([0; 3], 0);
        high.iter_mut().take(root.axes as usize).for_each(|h| *h = 3);
        each([0; 3], high, |step| {
            // Cells share a vertex that lies on their sides.
            let (mut from, mut to) = (place, place);
            for axis in 0..root.axes as usize {
                from[axis] -= i64::from(step[axis] == 0 && place[axis] > 0);
                to[axis] += i64::from(step[axis] == 3 && place[axis] + 1 < cells(level));
            }
            let mut first = true;
            each(from, to, |other| {
                let other = key(level, other);
                first = first && (other >= cell || refined.binary_search(&other).is_err());
            });
            count += u64::from(first);
        });
        count
    }
}
