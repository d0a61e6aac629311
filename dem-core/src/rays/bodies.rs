//! Casts many rays at all bodies of a host.

use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use super::shapes::{closest, each_part};
use super::tree::{Tree, TreeMemory, pays};
use super::{All, Hit, Ray};
use crate::detect::{Bodies, bounding_spheres};
use crate::error::{Error, Result, What};
use crate::exec::{self, Cut, CutMut, Executor, each, pieces};
use crate::memory::{Layout, sections};
use crate::real::{Real, SUM_ERROR, max};
use crate::vector::{dot, safe_length, scale, sub};

/// Rays that a thread processes at a time.
const CHUNK: usize = 16;

sections! {
    /// Spheres around this many bodies.
    struct Memory<'s>(bodies: usize) {
        centres: [[f64; 3]; bodies as u64],
        radii: [f64; bodies as u64],
    }
}

sections! {
    /// Spheres around this many bodies, and a tree of them.
    struct WithTree<'s>(bodies: usize) {
        spheres: Memory(bodies),
        tree: TreeMemory(bodies),
    }
}

/// Scratch for [`cast_bodies`] and [`cast_bodies_all`], some 40 bytes a body. With only 32 bytes a body there is no tree, and every ray tests all
/// bodies.
///
/// Errors: [`Kind::TooLarge`](crate::error::Kind::TooLarge).
pub fn cast_bodies_scratch(bodies: &Bodies<'_>) -> Result<Layout> {
    WithTree::layout(bodies.len())
}

/// For each ray the first body that it meets, and the point: `hits` gets one record for each ray, in their order; [`Hit::NOTHING`] for rays
/// that meet none. Of hits at the same distance, the result is the body with the smallest id.
///
/// A ray meets each body with a group in the ray's mask, including ghosts and static bodies. Bodies are at the positions of `bodies`. Rays do not
/// meet periodic images: to meet these, a host casts the ray again, moved by a period.
///
/// Errors: those of [`Ray::check`], with the ray's index; [`Kind::OutOfRange`](crate::error::Kind::OutOfRange) about [`What::Rays`] with component
/// 8 for a `mask` of 0; those of the bodies, as for [`bounding_spheres`]; those of [`cast`](super::cast) about meshes, with the body's index;
/// [`Kind::Capacity`](crate::error::Kind::Capacity) for [`What::Output`] or scratch. After an error the content of `hits` is undefined, but errors
/// of arguments do not change it.
/// Cost: spheres around all bodies once a call, some nanoseconds a body. For 256 rays or more, a tree of them, too, some hundred nanoseconds a
/// body; then a ray costs the logarithm of their number. With fewer rays, or scratch without room for the tree, a ray costs one or two nanoseconds
/// a body. Besides, a ray costs a [`cast`](super::cast) at each body whose sphere it meets before the first hit. So pass many rays in one call.
/// Determinism: the same bits on every machine and any number of threads.
pub fn cast_bodies(
    exec: &dyn Executor,
    bodies: &Bodies<'_>,
    rays: &[Ray],
    hits: &mut [Hit],
    scratch: &mut [u8],
) -> Result<()> {
    let given = hits.len();
    let Some(hits) = hits.get_mut(..rays.len()) else {
        return Err(Error::capacity(What::Output, rays.len() as u64, given as u64));
    };
    let all = Spheres::new(exec, bodies, rays, scratch)?;
    all.each_ray(exec, rays, CutMut(hits, CHUNK), |ray, hit| {
        *hit = all.first(ray)?;
        Ok(())
    })
}

/// All points where rays meet bodies, and their number: the hits of the first ray, in the order along the ray, then those of the next one.
/// `ends` gets one number for each ray: the end of its hits in `hits`, where those of the next ray begin. Of hits at the same distance,
/// that of the body with the smallest id comes first.
///
/// For the bodies that a ray meets, see [`cast_bodies`].
///
/// Errors: those of [`cast_bodies`], and [`Kind::Capacity`](crate::error::Kind::Capacity) for [`What::Output`] with the number of all hits,
/// if there is no room for them: `ends` is then complete, and `hits` does not change.
/// Cost: twice that of [`cast_all`](super::cast_all) at each body whose sphere a ray meets, since hits are counted first; the rest as for
/// [`cast_bodies`].
/// Determinism: the same bits on every machine and any number of threads.
pub fn cast_bodies_all(
    exec: &dyn Executor,
    bodies: &Bodies<'_>,
    rays: &[Ray],
    hits: &mut [Hit],
    ends: &mut [u64],
    scratch: &mut [u8],
) -> Result<usize> {
    let given = ends.len();
    let Some(ends) = ends.get_mut(..rays.len()) else {
        return Err(Error::capacity(What::Output, rays.len() as u64, given as u64));
    };
    let all = Spheres::new(exec, bodies, rays, scratch)?;
    all.each_ray(exec, rays, CutMut(&mut *ends, CHUNK), |ray, count| {
        *count = all.all(ray, &mut [])?.count as u64;
        Ok(())
    })?;
    let (count, given) = (exec::ends(ends), hits.len());
    let found = usize::try_from(count).ok().and_then(|count| hits.get_mut(..count));
    let Some(hits) = found else { return Err(Error::capacity(What::Output, count, given as u64)) };
    each(exec, (Cut(rays, 1), pieces(&mut *hits, &*ends)), |_, (ray, own)| {
        if let [ray] = ray {
            _ = all.all(ray, own).and_then(All::finish);
        }
    });
    Ok(hits.len())
}

struct Spheres<'a> {
    bodies: &'a Bodies<'a>,
    centres: &'a [[f64; 3]],
    radii: &'a [f64],
    tree: Option<Tree<'a>>,
}

impl<'a> Spheres<'a> {
    /// Checks rays and bodies, and computes the spheres.
    fn new(exec: &dyn Executor, bodies: &'a Bodies<'a>, rays: &[Ray], scratch: &'a mut [u8]) -> Result<Self> {
        for (i, ray) in rays.iter().enumerate() {
            ray.check_for_bodies().map_err(|error| error.at(i as u64, error.component))?;
        }
        let has_room = WithTree::layout(bodies.len())?.size <= scratch.len();
        let (Memory { centres, radii }, tree) = match pays(bodies.len(), rays.len()) && has_room {
            true => WithTree::new(scratch, bodies.len()).map(|all| (all.spheres, Some(all.tree)))?,
            false => (Memory::new(scratch, bodies.len())?, None),
        };
        bounding_spheres(exec, bodies, centres, radii)?;
        let tree = tree.map(|memory| Tree::new(memory, centres, radii));
        Ok(Spheres { bodies, centres, radii, tree })
    }

    /// Runs the work for each ray and its output, on all threads. Gives the error of the first wrong ray, whichever thread fails first.
    fn each_ray<T: Send>(
        &self,
        exec: &dyn Executor,
        rays: &[Ray],
        out: CutMut<'_, T>,
        work: impl Fn(&Ray, &mut T) -> Result<()> + Sync,
    ) -> Result<()> {
        let bad = AtomicUsize::new(usize::MAX);
        each(exec, (Cut(rays, CHUNK), out), |chunk, (rays, out)| {
            for (k, (ray, to)) in rays.iter().zip(out).enumerate() {
                if work(ray, to).is_err() {
                    bad.fetch_min(chunk * CHUNK + k, Relaxed);
                }
            }
        });
        // The error is computed again, because threads only report the index of the ray.
        match rays.get(bad.into_inner()) {
            Some(ray) => self.all(ray, &mut []).map(|_| ()),
            None => Ok(()),
        }
    }

    fn first(&self, ray: &Ray) -> Result<Hit> {
        let mut best = Hit { t: ray.most, ..Hit::NOTHING };
        self.near(ray, |i, most| {
            let (pose, id) = (self.bodies.pose(i), self.id(i));
            if let Some(hit) = closest(&self.bodies.placed(i, &pose), ray, *most)?
                && (hit.t < best.t || !best.is_some() || id < best.id)
            {
                best = Hit { id, body: i as u32, ..hit };
                *most = hit.t;
            }
            Ok(())
        })?;
        Ok(if best.is_some() { best } else { Hit::NOTHING })
    }

    fn all<'o>(&self, ray: &Ray, out: &'o mut [Hit]) -> Result<All<'o>> {
        let mut goal = All::within(ray.most, out);
        self.near(ray, |i, _| {
            let pose = self.bodies.pose(i);
            (goal.id, goal.body) = (self.id(i), i as u32);
            each_part(&self.bodies.placed(i, &pose), ray, &mut goal)
        })?;
        Ok(goal)
    }

    fn id(&self, i: usize) -> u64 {
        self.bodies.ids.map_or(i as u64, |ids| ids.get(i))
    }

    /// Calls `visit` for the bodies whose sphere a ray meets, with the largest `t` of interest, which may shrink.
    fn near(&self, ray: &Ray, mut visit: impl FnMut(usize, &mut f64) -> Result<()>) -> Result<()> {
        let length = safe_length(ray.direction);
        let unit = ray.direction.map(|x| x / length);
        let size = |v: [f64; 3]| v.into_iter().fold(0.0, |sum, x| sum + Real::abs(x));
        let far = size(ray.origin);
        let mut meet = |i: usize, most: &mut f64| {
            let (Some(centre), Some(radius)) = (self.centres.get(i), self.radii.get(i)) else { return Ok(()) };
            let to = sub(*centre, ray.origin);
            // Widened by more than the rounding error.
            let reach = radius + (far + size(to) + radius) * (16.0 * SUM_ERROR);
            let along = dot(to, unit);
            let off = sub(to, scale(unit, max(along, 0.0)));
            // If something has overflowed, the sphere counts as met.
            let misses = dot(off, off) > reach * reach || along - reach > *most * length;
            let wanted = self.bodies.groups.map_or(u32::MAX, |groups| groups.get(i)) & ray.mask != 0;
            if misses || !wanted {
                return Ok(());
            }
            visit(i, most).map_err(|error| error.at(i as u64, error.component))
        };
        if let Some(tree) = &self.tree {
            return tree.along(ray, meet);
        }
        let mut most = ray.most;
        (0..self.centres.len()).try_for_each(|i| meet(i, &mut most))
    }
}
