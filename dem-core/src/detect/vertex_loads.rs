//! Loads on the vertices of a surface from forces at its contacts. Each force is spread over the area that its contact covers.

use glam::DVec3;

use super::bodies::Bodies;
use super::scene::{ScenePair, SceneRef};
use super::surfaces::MovingSurface;
use crate::array::Array;
use crate::contact::shape::{Coverage, Covered, Shape, pair_cover, shape_corners_scratch};
use crate::contact::{Bearing, Contact, Regions, closest, vertex_loads};
use crate::error::{Error, Kind, Result, What};
use crate::memory::{Layout, sections};
use crate::narrow::{Operand, points_scratch};
use crate::pose::{Pose, Transform};
use crate::simd::Isa;

sections! {
    /// Scratch of [`MovingSurface::spread_loads`].
    struct SpreadMemory<'s>(own: Layout, cover: Layout) {
        /// Scratch of the search for the closest point.
        own: { own },
        /// Scratch of the search for the area that contacts cover.
        cover: { cover },
    }
}

impl MovingSurface<'_> {
    /// Scratch for [`Self::spread_loads`] with room for this number of triangle pairs of any one contact pair of bodies.
    ///
    /// Errors: those of [`Self::spread_loads`] about the body and `bodies`; [`Kind::TooLarge`].
    pub fn spread_scratch(&self, scene: &SceneRef<'_>, bodies: &Bodies<'_>, pairs: usize) -> Result<Layout> {
        let (own, cover) = self.spread_parts(scene, bodies, pairs)?;
        SpreadMemory::layout(own, cover)
    }

    /// Scratch of the search for the closest point, and of the search for the area that contacts cover.
    fn spread_parts(&self, scene: &SceneRef<'_>, bodies: &Bodies<'_>, pairs: usize) -> Result<(Layout, Layout)> {
        let step = scene.now();
        self.check_body(scene)?;
        bodies.check_arrays()?;
        let (needed, given) = (step.poses().len() as u64, bodies.len() as u64);
        if needed != given {
            return Err(Error::new(Kind::Mismatch, What::Positions).amounts(needed, given));
        }
        let mut cover = Layout::EMPTY;
        for (pair, _) in sides(scene, self.body) {
            for (place, id) in [pair.a, pair.b].into_iter().zip(pair.ids) {
                if bodies.id(place) != id {
                    return Err(Error::new(Kind::Mismatch, What::Ids).at(u64::from(place), 0));
                }
            }
            let [pose_a, pose_b] = step.poses_of(pair);
            let (a, b) = (bodies.placed(pair.a as usize, &pose_a), bodies.placed(pair.b as usize, &pose_b));
            cover = cover.or(shape_corners_scratch(&a, &b, pairs)?);
        }
        Ok((points_scratch(&self.operand(&Pose::IDENTITY))?, cover))
    }

    /// The load on each vertex of the body's mesh from forces at contacts of the scene, in world axes. The load of a contact is spread over all
    /// triangles of the mesh that the contact covers: those below the overlap whose corners are the [corners](SceneRef::corners), each in
    /// proportion to its pressure.
    ///
    /// `forces` and `torques` are those on A, one for each contact of the last step, as for [`SceneRef::wrenches`]. The loads of a contact sum to
    /// its force. Their moment about any point is that of the force at its position and of its torque, up to rounding. (The only exception is a
    /// contact that covers a single triangle without area, which can bear no torque about its line.) If a contact pushes along its normal, no load
    /// pulls, unless its position is far from the middle of the area that it covers. Loads are continuous in the poses as long as the contact stays
    /// one contact.
    ///
    /// Some contacts load the triangle at the closest point instead, as in [`Self::loads`]. They are contacts that cover no triangle, as of a ball
    /// or a capsule; contacts of two meshes that are deeper than four halos; and contacts of another part of the body than this mesh.
    ///
    /// `bodies` are those of the step; positions come from the step. `pairs` is the number of triangle pairs of any two bodies for which `scratch`
    /// has room ([`Self::spread_scratch`]). `out` has a place for each vertex from which the mesh was built. Sums are formed in the order of
    /// contacts. [`SceneRef::margin`] has no such loads, because its contacts only cover the area within the halos.
    ///
    /// Errors: those of [`Self::loads`]; [`Kind::Mismatch`] and [`Kind::NotFinite`] for [`What::Torques`]; [`Kind::Mismatch`] for
    /// [`What::Surfaces`] if the shape of the body has no such mesh, for [`What::Positions`] and [`What::Ids`] as in [`SceneRef::corners`];
    /// [`Kind::Capacity`] for [`What::Pairs`]. After an error `out` has no meaning. Cost: some tenths of a microsecond for each pair of triangles,
    /// and the cost of finding these as for corners.
    pub fn spread_loads(
        &self,
        isa: Isa,
        scene: &SceneRef<'_>,
        (bodies, pairs): (&Bodies<'_>, usize),
        (forces, torques): (Array<'_>, Option<Array<'_>>),
        out: &mut [[f64; 3]],
        scratch: &mut [u8],
    ) -> Result<()> {
        let step = scene.now();
        let (own, cover) = self.spread_parts(scene, bodies, pairs)?;
        self.frame.check(What::Pose)?;
        scene.check_forces(forces, torques)?;
        let SpreadMemory { own, cover } = SpreadMemory::new(scratch, own, cover)?;
        let (shape, _) = bodies.shape_of(self.body as usize);
        let first = self.first_feature(&shape).ok_or(Error::new(Kind::Mismatch, What::Surfaces))?;
        // Without positions, this call checks all other inputs and writes zeros.
        let (none, home) = (Array::from_f64(&[]), self.pose(&step)?);
        vertex_loads(isa, &self.operand(&home), none, none, out, own)?;
        let mut short = 0;
        for (pair, side) in sides(scene, self.body) {
            let poses = step.poses_of(pair);
            let placed = [(pair.a, &poses[0]), (pair.b, &poses[1])].map(|(i, pose)| bodies.placed(i as usize, pose));
            let pose = self.placed_at(&poses[side & 1])?;
            let operand = self.operand(&pose);
            let mut to =
                Vertices { operand, turn: pose.transform(What::Pose)?, isa, first, out: &mut *out, scratch: &mut *own };
            let contacts = step.contacts().get(pair.contacts()).unwrap_or_default();
            let of = Regions { contacts, nodes: step.nodes_of(pair) };
            let sign = if side == 1 { -1.0 } else { 1.0 };
            let acting = |place: usize| {
                let of = |array: Array<'_>| DVec3::from_array(array.get(place)) * sign;
                (of(forces), torques.map_or(DVec3::ZERO, of))
            };
            let found = pair_cover(
                isa,
                [&placed[0], &placed[1]],
                (&of, pair.first, side),
                pairs,
                cover,
                &mut |place, pieces| {
                    let Some(contact) = step.contacts().get(place as usize) else { return Ok(()) };
                    to.bear(contact, acting(place as usize), pieces)
                },
            );
            match found {
                Err(e) if (e.kind, e.what) == (Kind::Capacity, What::Pairs) => short = short.max(e.needed),
                other => other?,
            }
        }
        match short {
            0 => Ok(()),
            _ => Err(Error::capacity(What::Pairs, short, pairs as u64)),
        }
    }

    /// The number of the mesh's first feature among the features of the body.
    fn first_feature(&self, shape: &Shape<'_>) -> Option<u32> {
        let is_own = |shape: &Shape<'_>| match shape {
            Shape::Mesh(surface) => core::ptr::eq(surface.mesh.vertex.as_ptr(), self.mesh.vertex.as_ptr()),
            _ => false,
        };
        let Shape::Compound(parts) = shape else { return is_own(shape).then_some(0) };
        let (mut first, mut found) = (0, None);
        for part in *parts {
            // The frame is in unscaled units of the mesh.
            let frame = Pose { position: part.pose.position.map(|x| x / part.scale), ..part.pose };
            if is_own(&part.shape) && (found.is_none() || frame == self.frame) {
                found = Some(first as u32);
            }
            first += part.shape.features();
        }
        found
    }
}

/// The pairs in which a body has contacts, each with the side of the body: 0 for A, 1 for B. Pairs with the body as A come first.
fn sides<'m>(scene: &SceneRef<'m>, body: u32) -> impl Iterator<Item = (&'m ScenePair, usize)> + use<'m> {
    let step = scene.now();
    let mut last = None;
    scene.touches(body as usize).iter().filter_map(move |touch| {
        let pair = step.pair_of(touch.contact())?;
        let this = (pair.first, touch.is_b());
        (last.replace(this) != Some(this)).then_some((pair, usize::from(touch.is_b())))
    })
}

/// The vertices of a surface that meets another body, and their loads.
struct Vertices<'v> {
    operand: Operand<'v>,
    turn: Transform,
    isa: Isa,
    /// The number of the first feature of the mesh.
    first: u32,
    out: &'v mut [[f64; 3]],
    scratch: &'v mut [u8],
}

impl Vertices<'_> {
    /// The corners of a triangle relative to a position.
    fn corners(&self, triangle: usize, position: [f64; 3]) -> [DVec3; 3] {
        let scale = self.operand.scale;
        let apart = DVec3::from_array(self.turn.translation) - DVec3::from_array(position);
        self.operand.mesh.triangle(triangle).map(|v| DVec3::from_array(self.turn.rotate(v.map(|x| x * scale))) + apart)
    }

    /// Adds the load of a contact that covers these pieces.
    fn bear(&mut self, contact: &Contact, (force, torque): (DVec3, DVec3), pieces: &Coverage<'_>) -> Result<()> {
        let (position, count) = (contact.position, self.operand.mesh.len());
        let mut bearing = Bearing::default();
        let own = |first: u32, feature: u32| feature.checked_sub(first).map(|i| i as usize).filter(|i| *i < count);
        pieces(&mut |Covered { feature, weights }| {
            if let Some(triangle) = own(self.first, feature) {
                bearing.add(&self.corners(triangle, position), &weights);
            }
        });
        let normal = DVec3::from_array(contact.normal);
        if bearing.is_some() {
            let shares = bearing.share(normal, force, torque);
            pieces(&mut |Covered { feature, weights }| {
                if let Some(triangle) = own(self.first, feature) {
                    let corners = self.corners(triangle, position);
                    self.put(triangle, shares.of(&corners, &weights));
                }
            });
            return Ok(());
        }
        let (mut found, at) = (None, [position]);
        let Vertices { isa, operand, scratch, .. } = self;
        closest(*isa, operand, Array::from_f64(&at), scratch, |_, triangle, [v, w], _| {
            found = Some((triangle, [1.0 - v - w, v, w]));
        })?;
        if let Some((triangle, weights)) = found {
            let corners = self.corners(triangle, position);
            bearing.add(&corners, &weights);
            self.put(triangle, bearing.share(normal, force, torque).of(&corners, &weights));
        }
        Ok(())
    }

    fn put(&mut self, triangle: usize, loads: [DVec3; 3]) {
        let corners = self.operand.mesh.vertex.get(triangle).copied().unwrap_or_default();
        for (corner, load) in corners.into_iter().zip(loads) {
            if let Some(to) = self.out.get_mut(corner as usize) {
                *to = (DVec3::from_array(*to) + load).to_array();
            }
        }
    }
}
