//! Many rays at all bodies of a host.

use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use super::shapes::closest;
use super::{Hit, Ray};
use crate::detect::{Bodies, bounding_spheres};
use crate::error::{Error, Result, What};
use crate::exec::{Cut, CutMut, Executor, each};
use crate::memory::{Layout, sections};
use crate::real::{Real, SLACK, max};
use crate::vector::{dot, safe_length, scale, sub};

/// Rays that a lane takes at a time.
const CHUNK: usize = 16;

sections! {
    /// Spheres around so many bodies.
    struct Memory<'s>(bodies: usize) {
        centres: [[f64; 3]; bodies as u64],
        radii: [f64; bodies as u64],
    }
}

/// Scratch for [`cast_bodies`].
///
/// Errors: [`Kind::TooLarge`](crate::error::Kind::TooLarge).
pub fn cast_bodies_scratch(bodies: &Bodies<'_>) -> Result<Layout> {
    Memory::layout(bodies.len())
}

/// For each ray the first body that it meets, and where: `hits` gets one record a ray, in their order; [`Hit::NOTHING`] for those that
/// meet none. Of equal ones the body with the smallest id is told.
///
/// A ray meets the bodies one of whose groups is in its mask. Ghosts and static bodies are bodies as all others are. Bodies are where
/// `bodies` says; periodic images are not met: a host that wants these casts the ray again, moved by a period.
///
/// Errors: those of [`Ray::check`], with the ray's place; those of the bodies, as for [`bounding_spheres`]; those of [`cast`](super::cast) about meshes,
/// with [`What::Shapes`] or what else is wrong; [`Kind::Capacity`](crate::error::Kind::Capacity) for [`What::Output`] or scratch. `hits` is then arbitrary, but for errors of
/// arguments, which leave it as it was.
/// Cost: spheres around all bodies once a call, some nanoseconds a body; then for each ray one or two nanoseconds a body, and a
/// [`cast`](super::cast) at each body whose sphere it meets before the first hit. So it is linear in the bodies: hand over many rays at once.
/// Determinism: the same bits on every machine and any number of threads.
pub fn cast_bodies(
    exec: &dyn Executor,
    bodies: &Bodies<'_>,
    rays: &[Ray],
    hits: &mut [Hit],
    scratch: &mut [u8],
) -> Result<()> {
    for (i, ray) in rays.iter().enumerate() {
        ray.check().map_err(|error| error.at(i as u64, error.component))?;
    }
    let given = hits.len();
    let Some(hits) = hits.get_mut(..rays.len()) else {
        return Err(Error::capacity(What::Output, rays.len() as u64, given as u64));
    };
    let Memory { centres, radii } = Memory::new(scratch, bodies.len())?;
    bounding_spheres(exec, bodies, centres, radii)?;
    let all = Spheres { bodies, centres, radii };
    // The first ray that goes wrong is told, whichever lane is first.
    let bad = AtomicUsize::new(usize::MAX);
    each(exec, (Cut(rays, CHUNK), CutMut(&mut *hits, CHUNK)), |chunk, (rays, hits)| {
        for (k, (ray, hit)) in rays.iter().zip(hits).enumerate() {
            match all.first(ray) {
                Ok(first) => *hit = first,
                Err(_) => _ = bad.fetch_min(chunk * CHUNK + k, Relaxed),
            }
        }
    });
    match rays.get(bad.into_inner()) {
        Some(ray) => all.first(ray).map(|_| ()),
        None => Ok(()),
    }
}

struct Spheres<'a> {
    bodies: &'a Bodies<'a>,
    centres: &'a [[f64; 3]],
    radii: &'a [f64],
}

impl Spheres<'_> {
    fn first(&self, ray: &Ray) -> Result<Hit> {
        let length = safe_length(ray.direction);
        let unit = ray.direction.map(|x| x / length);
        let mut best = Hit { t: ray.most, ..Hit::NOTHING };
        let size = |v: [f64; 3]| v.into_iter().fold(0.0, |sum, x| sum + Real::abs(x));
        let far = size(ray.origin);
        for (i, (centre, radius)) in self.centres.iter().zip(self.radii).enumerate() {
            let to = sub(*centre, ray.origin);
            // With more than rounding takes.
            let reach = radius + (far + size(to) + radius) * (16.0 * SLACK);
            let along = dot(to, unit);
            let off = sub(to, scale(unit, max(along, 0.0)));
            // Written so that what has overflowed is met.
            let misses = dot(off, off) > reach * reach || along - reach > best.t * length;
            let wanted = self.bodies.groups.map_or(u32::MAX, |groups| groups.get(i)) & ray.mask != 0;
            if misses || !wanted {
                continue;
            }
            self.body(i, ray, &mut best)?;
        }
        Ok(if best.is_some() { best } else { Hit::NOTHING })
    }

    #[inline(never)]
    fn body(&self, i: usize, ray: &Ray, best: &mut Hit) -> Result<()> {
        let pose = self.bodies.pose(i);
        if let Some(hit) = closest(&self.bodies.placed(i, &pose), ray, best.t)? {
            let id = self.bodies.ids.map_or(i as u64, |ids| ids.get(i));
            if hit.t < best.t || !best.is_some() || id < best.id {
                *best = Hit { id, body: i as u32, ..hit };
            }
        }
        Ok(())
    }
}
