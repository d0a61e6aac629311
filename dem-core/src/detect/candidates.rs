//! Which pairs of bodies may be in contact, in the order of their contacts.
//!
//! Balls, and bodies of about the same size, go through the grid; huge ones through a tree of boxes; those without end are held
//! against all others.

use glam::DVec3;
use zerocopy::{FromBytes, Immutable, IntoBytes};

use super::bodies::Bodies;
use super::bounds::{Bounds, CHUNK};
use super::huge::{self, Huge, counted};
use super::order;
use crate::array::{Array, Words};
use crate::broad::{BoxTree, Candidate, Dimensions, Direction, HGrid, Query, Space, hgrid_scratch};
use crate::contact::shape::Shape;
use crate::error::{Error, Result, What};
use crate::exec::{Cut, CutMut, Executor, each, pieces};
use crate::memory::{Carve, Layout, Plan};
use crate::real::{Real, max};
use crate::simd::Isa;

/// Candidates whose images a lane numbers at a time.
const PAIRS: usize = 4096;

/// Scratch for so many bodies and candidates.
pub(super) fn scratch(bodies: u32, shapes: u64, candidates: u32) -> Result<Layout> {
    let mut ordered = Plan::new();
    order::plan::<Candidate>(u64::from(candidates), &mut ordered);
    let mut flat = Plan::new();
    flat.add::<Plane>(u64::from(bodies)).add::<u32>(u64::from(bodies).div_ceil(CHUNK as u64));
    let all =
        [hgrid_scratch(bodies)?, huge::scratch(bodies)?, ordered.layout(What::Scratch)?, flat.layout(What::Scratch)?];
    let most = all.into_iter().fold(0, |m, layout| max(m, layout.size));
    Plan::new().part(huge_layout(bodies, shapes)?).part(Layout { size: most, ..Layout::EMPTY }).layout(What::Scratch)
}

fn huge_layout(bodies: u32, shapes: u64) -> Result<Layout> {
    let mut plan = Plan::new();
    huge::plan(bodies, shapes, &mut plan);
    plan.layout(What::Scratch)
}

/// What a step looks for.
pub(super) struct Search<'a> {
    pub exec: &'a dyn Executor,
    pub isa: Isa,
    pub bodies: &'a Bodies<'a>,
    pub periods: [f64; 3],
}

impl Search<'_> {
    /// Writes all candidates, ordered by (a, b, image): `shift` is the image, counted from the one that is nearest by the
    /// centres of both bodies' spheres. Gives their number.
    ///
    /// Errors: those of the grid; [`Kind::Capacity`](crate::error::Kind::Capacity) for [`What::Candidates`].
    pub fn run(
        &self,
        bounds: &mut Bounds<'_>,
        grid: &mut HGrid<'_>,
        boxes: &mut BoxTree<'_>,
        out: &mut [Candidate],
        scratch: &mut [u8],
    ) -> Result<usize> {
        let n = grid.sizes.bodies;
        let (own, scratch) =
            scratch.split_at_mut_checked(huge_layout(n, self.bodies.shapes.len() as u64)?.size).unwrap_or_default();
        let mut carve = Carve::new(own, huge_layout(n, self.bodies.shapes.len() as u64)?, What::Scratch)?;
        // Bodies without end have no images, so they are first.
        let flat = self.endless(bounds, out, scratch)?;
        let huge = Huge::new(self.bodies, bounds, n, &mut carve)?;
        let groups = Words::from_slice(bounds.groups);
        let some = self.bodies.groups.is_some() || !bounds.endless.is_empty() || !huge.bodies.is_empty();
        let spheres = self.bodies.broad(
            Array::from_f64(bounds.centres),
            Array::from_numbers(bounds.radii),
            some.then_some(groups),
        );
        let query = Query { bodies: spheres, space: Space::new(Dimensions::Three, self.periods), margin: 0.0 };
        let rest = out.get_mut(flat..).unwrap_or_default();
        let boxed = huge.pairs(self.isa, self.exec, &query, boxes, rest, scratch)?;
        let rest = out.get_mut(flat + boxed..).unwrap_or_default();
        grid.rebuild(self.exec, &query, &[], scratch)?;
        let near = counted(grid.as_ref().pairs(self.exec, self.isa, &query, Direction::TopDown, rest, scratch))?;
        let count = flat + boxed + near;
        if count > out.len() {
            return Err(Error::capacity(What::Candidates, count as u64, out.len() as u64));
        }
        let out = out.get_mut(..count).unwrap_or_default();
        let images = Images::new(bounds.centres, bounds.endless, self.periods);
        if !images.is_open() {
            let repeated = out.get_mut(flat..).unwrap_or_default();
            each(self.exec, CutMut(repeated, PAIRS), |_, part| {
                part.iter_mut().for_each(|c| c.shift = images.number(c))
            });
        }
        let layout = {
            let mut plan = Plan::new();
            order::plan::<Candidate>(count as u64, &mut plan);
            plan.layout(What::Scratch)?
        };
        let mut carve = Carve::new(scratch, layout, What::Scratch)?;
        order::by_body(self.exec, self.bodies.len(), out, |c| c.a, &mut carve)?;
        Ok(count)
    }

    /// Bodies without end against all others. What does not fit is counted only.
    fn endless(&self, bounds: &Bounds<'_>, out: &mut [Candidate], scratch: &mut [u8]) -> Result<usize> {
        let (endless, n) = (bounds.endless, self.bodies.len());
        if endless.is_empty() {
            return Ok(0);
        }
        let chunks = n.div_ceil(CHUNK) as u64;
        let layout = Plan::new().add::<Plane>(endless.len() as u64).add::<u32>(chunks).layout(What::Scratch)?;
        let mut carve = Carve::new(scratch, layout, What::Scratch)?;
        let planes = carve.take::<Plane>(endless.len() as u64)?;
        planes.iter_mut().zip(endless).for_each(|(plane, i)| *plane = Plane::new(self.bodies, *i));
        let (planes, ends) = (&*planes, carve.take::<u32>(chunks)?);
        let (centres, radii) = (&*bounds.centres, &*bounds.radii);
        each(self.exec, (Cut(centres, CHUNK), Cut(radii, CHUNK), CutMut(&mut *ends, 1)), |chunk, (x, r, count)| {
            count[0] = 0;
            self.meet(endless, planes, chunk * CHUNK, x, r, &mut |_| count[0] = count[0].saturating_add(1));
        });
        let mut total = 0u64;
        for end in ends.iter_mut() {
            total += u64::from(*end);
            *end = total.min(u64::from(u32::MAX)) as u32;
        }
        let among = |put: &mut dyn FnMut(Candidate)| {
            for (i, p) in planes.iter().enumerate() {
                for q in planes.iter().skip(i + 1) {
                    // Two half-spaces have no contacts.
                    if (p.is_compound != 0 || q.is_compound != 0)
                        && self.bodies.wanted(p.body as usize, q.body as usize)
                    {
                        put(Candidate::new(p.body, q.body, [0; 3]));
                    }
                }
            }
        };
        let mut others = 0;
        among(&mut |_| others += 1);
        if total + others > out.len() as u64 {
            return Ok((total + others) as usize);
        }
        let (flat, rest) = out.split_at_mut(total as usize);
        let parts = (Cut(centres, CHUNK), Cut(radii, CHUNK), pieces(flat, ends));
        each(self.exec, parts, |chunk, (x, r, out)| {
            let mut to = out.iter_mut();
            self.meet(endless, planes, chunk * CHUNK, x, r, &mut |candidate| {
                if let Some(to) = to.next() {
                    *to = candidate;
                }
            });
        });
        let mut to = rest.iter_mut();
        among(&mut |candidate| {
            if let Some(to) = to.next() {
                *to = candidate;
            }
        });
        Ok((total + others) as usize)
    }

    /// Tells of all bodies of a chunk, from number `first` on, that reach a body without end.
    fn meet(
        &self,
        endless: &[u32],
        planes: &[Plane],
        first: usize,
        x: &[[f64; 3]],
        r: &[f64],
        put: &mut dyn FnMut(Candidate),
    ) {
        for (k, (x, r)) in x.iter().zip(r).enumerate() {
            let i = first + k;
            for plane in planes.iter().filter(|plane| plane.is_reached(x, *r)) {
                if self.bodies.wanted(i, plane.body as usize) && endless.binary_search(&(i as u32)).is_err() {
                    put(Candidate::new(i as u32, plane.body, [0; 3]));
                }
            }
        }
    }
}

/// Periodic images as keys number them: from the one of B that is nearest to A, by the centres of their spheres. So a body that leaves a box on one side and comes
/// back on the other keeps its contacts.
#[derive(Clone, Copy)]
pub(super) struct Images<'a> {
    centres: &'a [[f64; 3]],
    endless: &'a [u32],
    periods: [f64; 3],
}

impl<'a> Images<'a> {
    pub fn new(centres: &'a [[f64; 3]], endless: &'a [u32], periods: [f64; 3]) -> Self {
        Images { centres, endless, periods }
    }

    pub fn is_open(&self) -> bool {
        self.periods == [0.0; 3]
    }

    /// The number of a candidate whose `shift` is in periods.
    #[inline(always)]
    pub fn number(&self, c: &Candidate) -> [i16; 3] {
        let nearest = self.nearest(c);
        [0, 1, 2].map(|k| c.shift[k].saturating_sub(nearest[k]))
    }

    /// The shift in periods of a candidate whose `shift` is a number.
    #[inline(always)]
    pub fn shift(&self, c: &Candidate) -> [i16; 3] {
        let nearest = self.nearest(c);
        [0, 1, 2].map(|k| c.shift[k].saturating_add(nearest[k]))
    }

    /// The shift that moves B to where it is nearest to A. Bodies without end have no images.
    #[inline(always)]
    fn nearest(&self, c: &Candidate) -> [i16; 3] {
        let endless = |i: &u32| self.endless.binary_search(i).is_ok();
        if self.is_open() || c.a == c.b || endless(&c.a) || endless(&c.b) {
            return [0; 3];
        }
        let centre = |i: u32| self.centres.get(i as usize).copied().unwrap_or_default();
        let (a, b) = (centre(c.a), centre(c.b));
        [0, 1, 2].map(|k| match self.periods[k] {
            0.0 => 0,
            period => {
                let away = (a[k] - b[k]) / period;
                // Casts round towards zero and saturate.
                (if away < 0.0 { away - 0.5 } else { away + 0.5 }) as i16
            }
        })
    }
}

/// A body without end.
#[derive(Clone, Copy, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
struct Plane {
    normal: [f64; 3],
    point: [f64; 3],
    /// How high above the plane a contact may begin; infinite for compounds, which are held against everything.
    height: f64,
    body: u32,
    is_compound: u32,
}

impl Plane {
    fn new(bodies: &Bodies<'_>, body: u32) -> Plane {
        let (pose, (shape, scale)) = (bodies.pose(body as usize), bodies.shape_of(body as usize));
        let normal = pose.transform(What::Pose).map_or([0.0; 3], |turn| turn.rotate([0.0, 0.0, 1.0]));
        let far = pose.position.iter().fold(0.0, |sum, x| sum + Real::abs(*x));
        let (height, is_compound) = match shape {
            Shape::HalfSpace { halo } => (halo * scale, 0),
            _ => (f64::INFINITY, 1),
        };
        // Rounding, relative to the coordinates that go in; a sphere has its own share in its radius.
        const SLACK: f64 = 1.0 / (1u64 << 46) as f64;
        Plane { normal, point: pose.position, height: height + (far + height) * SLACK, body, is_compound }
    }

    #[inline(always)]
    fn is_reached(&self, centre: &[f64; 3], radius: f64) -> bool {
        let [n, c, p] = [self.normal, *centre, self.point].map(DVec3::from_array);
        // Where products overflow, the pair is looked at.
        let height = n.dot(c - p);
        height.is_nan() || height <= radius + self.height
    }
}
