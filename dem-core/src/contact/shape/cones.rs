//! The cones of a body's patches, in the order of its features.

use super::site::check;
use super::{Placed, Shape};
use crate::contact::{CellOptions, PatchCone, patch_cones};
use crate::error::{Error, Result, What};
use crate::pose::Pose;

/// Writes the cone of each patch of a body at the index of its feature, in the body's frame, for
/// [`clamp_normals`](crate::contact::clamp_normals). `out` has as many items as the body has [features](Shape::features). The cones of spheres
/// and half-spaces are zero, since their normals need no clamp. Call it once per shape, with the options of its cells.
///
/// Errors: those of [`shape_contacts`](super::shape_contacts) about body A; those of [`CellOptions::check`];
/// [`Kind::Capacity`](crate::error::Kind::Capacity) for `out`. Cost: proportional to the cells.
pub fn shape_cones(shape: &Shape<'_>, options: &CellOptions, out: &mut [PatchCone]) -> Result<()> {
    check(&Placed { shape: *shape, pose: &Pose::IDENTITY, scale: 1.0 }, What::ShapeA, What::BodyPoseA)?;
    options.check()?;
    let given = out.len() as u64;
    let out = out.get_mut(..shape.features() as usize).ok_or(Error::capacity(What::Output, shape.features(), given))?;
    let Shape::Compound(parts) = *shape else { return simple(shape, options, out) };
    let mut rest = out;
    for part in parts {
        let Some((own, others)) = rest.split_at_mut_checked(part.shape.features() as usize) else { break };
        rest = others;
        simple(&part.shape, options, own)?;
        let turn = part.pose.transform(What::ShapeA)?;
        own.iter_mut().for_each(|cone| cone.axis = turn.rotate(cone.axis).map(|x| x + 0.0));
    }
    Ok(())
}

fn simple(shape: &Shape<'_>, options: &CellOptions, out: &mut [PatchCone]) -> Result<()> {
    match shape {
        Shape::Mesh(surface) => patch_cones(&surface.mesh, &surface.cells, options, out),
        _ => {
            out.fill(PatchCone::default());
            Ok(())
        }
    }
}
