//! Unbounded bodies: half-spaces, and compounds with one. They are tested against all other bodies.

use super::bodies::Bodies;
use super::plane::Plane;
use super::sphere_bounds::{Bounds, CHUNK};
use super::widened_bounds::Skins;
use crate::broad::Candidate;
use crate::error::Result;
use crate::exec::{self, Cut, CutMut, Executor, each, pieces};
use crate::memory::{Layout, sections};

sections! {
    struct Memory<'s>(endless: u64, bodies: u64) {
        planes: [Plane; endless],
        ends: [u32; bodies.div_ceil(CHUNK as u64)],
    }
}

/// Scratch of the search for pairs with unbounded bodies.
pub(super) fn scratch(bodies: u32) -> Result<Layout> {
    Memory::layout(bodies.into(), bodies.into())
}

/// The unbounded bodies of a step.
#[derive(Clone, Copy)]
pub(super) struct Endless<'a> {
    pub bodies: &'a Bodies<'a>,
    /// Their indices, ascending.
    pub ids: &'a [u32],
    /// Their planes, as many as there was room for.
    pub planes: &'a [Plane],
    /// Length by which the halo of each body is enlarged.
    wider: f64,
}

impl<'a> Endless<'a> {
    pub fn new(bodies: &'a Bodies<'a>, bounds: &Bounds<'a>) -> Self {
        Endless { bodies, ids: bounds.endless, planes: bounds.planes, wider: bounds.wider }
    }
}

impl Endless<'_> {
    /// The plane of unbounded body number `k`.
    pub fn plane(&self, k: usize) -> Plane {
        let of = |i: &u32| Plane::new(self.bodies, *i, self.wider);
        self.planes.get(k).copied().unwrap_or_else(|| self.ids.get(k).map(of).unwrap_or_default())
    }

    /// The outward normal of an unbounded body, if it is a half-space and its plane is stored.
    #[inline(always)]
    pub fn normal(&self, body: u32) -> Option<[f64; 3]> {
        let place = if self.ids.first() == Some(&body) { 0 } else { self.ids.binary_search(&body).ok()? };
        self.planes.get(place).map(|plane| plane.normal)
    }

    /// Writes the candidates of unbounded bodies with all others, whose spheres are given, and with each other. Candidates beyond the end of the
    /// output are only counted.
    pub fn pairs(
        &self,
        exec: &dyn Executor,
        centres: &[[f64; 3]],
        radii: &[f64],
        skins: Option<Skins>,
        out: &mut [Candidate],
        scratch: &mut [u8],
    ) -> Result<usize> {
        if self.ids.is_empty() {
            return Ok(0);
        }
        let Memory { planes, ends } = Memory::new(scratch, self.ids.len() as u64, centres.len() as u64)?;
        for (k, (plane, i)) in planes.iter_mut().zip(self.ids).enumerate() {
            *plane = self.plane(k);
            if let Some(skins) = skins {
                *plane = plane.widened(skins.of(self.bodies, *i as usize));
            }
        }
        let planes = &*planes;
        each(exec, (Cut(centres, CHUNK), Cut(radii, CHUNK), CutMut(&mut *ends, 1)), |chunk, (x, r, count)| {
            count[0] = 0;
            self.meet(planes, chunk * CHUNK, x, r, &mut |_| count[0] = count[0].saturating_add(1));
        });
        let total = exec::ends(ends);
        let mut others = 0;
        self.among(planes, &mut |_| others += 1);
        if total + others > out.len() as u64 {
            return Ok((total + others) as usize);
        }
        let (flat, rest) = out.split_at_mut(total as usize);
        let parts = (Cut(centres, CHUNK), Cut(radii, CHUNK), pieces(flat, ends));
        each(exec, parts, |chunk, (x, r, out)| {
            let mut to = out.iter_mut();
            self.meet(planes, chunk * CHUNK, x, r, &mut |candidate| {
                if let Some(to) = to.next() {
                    *to = candidate;
                }
            });
        });
        let mut to = rest.iter_mut();
        self.among(planes, &mut |candidate| {
            if let Some(to) = to.next() {
                *to = candidate;
            }
        });
        Ok((total + others) as usize)
    }

    /// Calls `put` for each two unbounded bodies that may be in contact.
    fn among(&self, planes: &[Plane], put: &mut dyn FnMut(Candidate)) {
        for (i, p) in planes.iter().enumerate() {
            for q in planes.iter().skip(i + 1) {
                // Two half-spaces have no contacts.
                if (p.is_compound != 0 || q.is_compound != 0) && self.bodies.wanted(p.body as usize, q.body as usize) {
                    put(Candidate::new(p.body, q.body, [0; 3]));
                }
            }
        }
    }

    /// Calls `put` for each body of a chunk, from number `first` on, and each plane that it reaches.
    fn meet(&self, planes: &[Plane], first: usize, x: &[[f64; 3]], r: &[f64], put: &mut dyn FnMut(Candidate)) {
        for (k, (x, r)) in x.iter().zip(r).enumerate() {
            let i = first + k;
            for plane in planes.iter().filter(|plane| plane.is_reached(x, *r)) {
                if self.bodies.wanted(i, plane.body as usize) && self.ids.binary_search(&(i as u32)).is_err() {
                    put(Candidate::new(i as u32, plane.body, [0; 3]));
                }
            }
        }
    }
}
