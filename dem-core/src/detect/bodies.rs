//! A host's bodies: shapes that they share, and arrays with poses and other data of each body.

use super::bounding_sphere::Ball;
use crate::array::{Array, Words};
use crate::broad;
use crate::contact::shape::{Placed, Shape, check_shape};
use crate::error::fields::TREE_OR_CELLS;
use crate::error::{Error, Kind, Result, What};
use crate::pose::Pose;

/// All bodies of a scene. Body i is item i of every array: i is its place.
#[derive(Clone, Copy)]
pub struct Bodies<'a> {
    /// The shapes; any number of bodies may share one.
    pub shapes: &'a [Shape<'a>],
    /// The shape of each body: its index in `shapes`.
    pub shape: Words<'a>,
    /// The origins of the bodies' frames in world coordinates, in units of length.
    pub positions: Array<'a>,
    /// Orientations: quaternions `x y z w` ([`Array::from_quaternions`]); without them, no body is rotated.
    pub orientations: Option<Array<'a>>,
    /// Factors of all lengths of the bodies' shapes, including halos; 1 without them.
    pub scales: Option<Array<'a>>,
    /// Halos of spheres, capsules and half-spaces, in place of those of their shapes and not scaled. Meshes and compounds keep their own.
    pub halos: Option<Array<'a>>,
    /// A [`Motion`](broad::Motion) for each body, which also tells ghosts of other processes; without them, all bodies are dynamic.
    pub motions: Option<Words<'a>>,
    /// Bits of the groups to which a body belongs; all groups without them.
    pub groups: Option<Words<'a>>,
    /// Bits of the groups with which a body has contacts; all groups without them.
    pub masks: Option<Words<'a>>,
    /// A different id for each body; without them, the index in the arrays. Contacts are ordered, matched and summed by ids, so results do
    /// not depend on where a host keeps a body. A host should not use an id again after its body is gone.
    pub ids: Option<Words<'a, u64>>,
}

impl<'a> Bodies<'a> {
    /// Dynamic bodies without rotation and scale.
    pub fn new(shapes: &'a [Shape<'a>], shape: Words<'a>, positions: Array<'a>) -> Self {
        Bodies {
            shapes,
            shape,
            positions,
            orientations: None,
            scales: None,
            halos: None,
            motions: None,
            groups: None,
            masks: None,
            ids: None,
        }
    }

    /// Number of bodies.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// The id of the body at a place.
    #[inline(always)]
    pub(crate) fn id(&self, place: u32) -> u64 {
        self.ids.map_or(u64::from(place), |ids| ids.get(place as usize))
    }

    /// Whether there are no bodies.
    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    /// Centre and radius of a sphere around body `i` and its halo, slightly larger than necessary. The radius is infinite for an unbounded body.
    /// Cost: proportional to the parts of a compound.
    pub fn sphere(&self, i: usize) -> ([f64; 3], f64) {
        let (shape, scale) = self.shape_of(i);
        let ball = Ball::of(&shape).placed(&self.pose(i), scale);
        (ball.centre, ball.radius)
    }

    /// The pose of body `i`.
    #[inline(always)]
    pub fn pose(&self, i: usize) -> Pose {
        let orientation = self.orientations.map_or(Pose::IDENTITY.orientation, |q| q.quaternion(i));
        Pose { position: self.positions.get(i), orientation }
    }

    /// Writes the poses of the bodies from number `first` on.
    pub(super) fn poses(&self, first: usize, to: &mut [Pose]) {
        match self.positions.as_f64().and_then(|positions| positions.get(first..)) {
            Some(positions) if self.orientations.is_none() => {
                to.iter_mut().zip(positions).for_each(|(to, x)| *to = Pose { position: *x, ..Pose::IDENTITY });
            }
            _ => to.iter_mut().enumerate().for_each(|(k, to)| *to = self.pose(first + k)),
        }
    }

    /// Shape and scale of body `i`, with the halo that the body has of its own.
    #[inline(always)]
    pub(crate) fn shape_of(&self, i: usize) -> (Shape<'a>, f64) {
        let nothing = Shape::Compound(&[]);
        let shape = self.shapes.get(self.shape.get(i) as usize).copied().unwrap_or(nothing);
        let scale = self.scales.map_or(1.0, |s| s.number(i));
        match (self.halos, shape) {
            (Some(halos), Shape::Sphere { radius, .. }) => {
                (Shape::Sphere { radius: radius * scale, halo: halos.number(i) }, 1.0)
            }
            (Some(halos), Shape::Capsule { half_length, radius, .. }) => {
                let [half_length, radius] = [half_length, radius].map(|x| x * scale);
                (Shape::Capsule { half_length, radius, halo: halos.number(i) }, 1.0)
            }
            (Some(halos), Shape::HalfSpace { .. }) => (Shape::HalfSpace { halo: halos.number(i) }, 1.0),
            (_, shape) => (shape, scale),
        }
    }

    /// Body `i` at `pose`.
    pub(crate) fn placed<'p>(&self, i: usize, pose: &'p Pose) -> Placed<'p>
    where
        'a: 'p,
    {
        let (shape, scale) = self.shape_of(i);
        Placed { shape, pose, scale }
    }

    /// Whether motions, groups and masks allow contacts of two bodies.
    pub(super) fn wanted(&self, a: usize, b: usize) -> bool {
        self.broad(self.positions, self.positions, self.groups).wanted(a, b)
    }

    /// The bodies as the input of a broad phase.
    pub(super) fn broad<'s>(
        &self,
        centres: Array<'s>,
        radii: Array<'s>,
        groups: Option<Words<'s>>,
    ) -> broad::Proxies<'s>
    where
        'a: 's,
    {
        broad::Proxies { centres, radii, motions: self.motions, groups, masks: self.masks }
    }

    /// Checks arrays and shapes: all checks that need no pass over the bodies.
    ///
    /// Errors: [`Kind::Mismatch`] for arrays of different lengths; for a shape, its place as `index`:
    /// [`Kind::NotFinite`] and [`Kind::OutOfRange`] with component 0 for a radius, 1 for a halo, 2 for a scale and 3 to 9 for
    /// the pose of a part; [`Kind::Mismatch`] where a tree or cells are of another mesh; [`Kind::Unsupported`] for a compound
    /// in a compound.
    pub(super) fn check_arrays(&self) -> Result<()> {
        let n = self.len();
        let array = |array: Option<Array<'_>>| array.map_or(n, |x| x.len());
        let words = |words: Option<Words<'_>>| words.map_or(n, |x| x.len());
        for (length, what) in [
            (self.shape.len(), What::ShapeNumbers),
            (array(self.orientations), What::Orientations),
            (array(self.scales), What::Scales),
            (array(self.halos), What::Halos),
            (words(self.motions), What::Motions),
            (words(self.groups), What::Groups),
            (words(self.masks), What::Masks),
            (self.ids.map_or(n, |ids| ids.len()), What::Ids),
        ] {
            if length != n {
                return Err(Error::new(Kind::Mismatch, what).amounts(n as u64, length as u64));
            }
        }
        check_shapes(self.shapes)
    }

    /// Checks the data of one body.
    ///
    /// Errors: [`Kind::NotFinite`], [`Kind::OutOfRange`] or [`Kind::BadIndex`] with array, index and component.
    pub(super) fn check_body(&self, i: usize) -> Result<()> {
        let wrong = |kind, what, component| Err(Error::new(kind, what).at(i as u64, component));
        if let Some(c) = self.positions.get(i).iter().position(|x| !x.is_finite()) {
            return wrong(Kind::NotFinite, What::Positions, c as u32);
        }
        if let Some(q) = self.orientations.map(|q| q.quaternion(i)) {
            if let Some(c) = q.iter().position(|x| !x.is_finite()) {
                return wrong(Kind::NotFinite, What::Orientations, c as u32);
            }
            if q == [0.0; 4] {
                return wrong(Kind::OutOfRange, What::Orientations, 3);
            }
        }
        let scale = self.scales.map_or(1.0, |s| s.number(i));
        if !scale.is_finite() {
            return wrong(Kind::NotFinite, What::Scales, 0);
        }
        if scale <= 0.0 {
            return wrong(Kind::OutOfRange, What::Scales, 0);
        }
        if let Some(halo) = self.halos.map(|h| h.number(i)) {
            if !halo.is_finite() {
                return wrong(Kind::NotFinite, What::Halos, 0);
            }
            if halo < 0.0 {
                return wrong(Kind::OutOfRange, What::Halos, 0);
            }
        }
        check_number(i, self.shape.get(i), self.shapes.len())?;
        let scaled = match self.shape_of(i) {
            (Shape::Sphere { radius, halo }, scale) => radius * scale + halo * scale,
            (Shape::Capsule { half_length, radius, halo }, scale) => (half_length + radius) * scale + halo * scale,
            (Shape::HalfSpace { halo }, scale) => halo * scale,
            _ => 0.0,
        };
        if !scaled.is_finite() {
            return wrong(Kind::NotFinite, What::Scales, 0);
        }
        if self.motions.is_some_and(|m| m.get(i) > broad::Motion::LAST) {
            return wrong(Kind::OutOfRange, What::Motions, 0);
        }
        Ok(())
    }
}

/// Checks a table of shapes.
///
/// Errors: those of shapes in [`Bodies::check_arrays`].
pub(crate) fn check_shapes(shapes: &[Shape<'_>]) -> Result<()> {
    let mut shapes = shapes.iter().enumerate();
    shapes.try_for_each(|(i, shape)| check_shape(shape).map_err(|e| named(e, i)))
}

/// Whether the shape of body `i` is in a table of this length.
///
/// Errors: [`Kind::BadIndex`] for [`What::ShapeNumbers`].
pub(crate) fn check_number(i: usize, shape: u32, shapes: usize) -> Result<()> {
    if (shape as usize) < shapes {
        return Ok(());
    }
    Err(Error::new(Kind::BadIndex, What::ShapeNumbers).at(i as u64, 0).amounts(shapes as u64, u64::from(shape)))
}

/// The same error about a shape of the table; `given` becomes the index of the part.
fn named(error: Error, shape: usize) -> Error {
    let part = error.index;
    let component = if error.kind == Kind::Mismatch { TREE_OR_CELLS } else { error.component };
    Error { what: What::Shapes, index: shape as u64, component, needed: 0, given: part, ..error }
}
