//! Sliding in a curved seat: the slip of a contact whose normal turns from place to place.
//!
//! Reads: the contact's curvature and second moments. Writes: nothing of its own; it gives [`Grip`](super::friction::Grip) a slip to resist, and
//! turns its friction into force and torque.
//!
//! In a contact that covers an arc of radius R, friction acts along the arc, everywhere in another direction. Let d be the distance of the
//! contact's position from the axis, and `q = R / d`. When the body turns with the spin w, the surfaces slip by `R w` everywhere: friction `mu P`,
//! summed over the arc, has the torque `mu P R` and the resultant `mu P / q`. At the position alone the slip would be `d w`, the torque `mu P d`
//! and the resultant `mu P`. So the slip along the arc is `(v + (q^2 - 1) d (n x w)) / q`, which is `R w`. Friction that resists it with F' has
//! the force `F' / q` and the torque that does the rest of the work. A slip along the axis is v, as on a flat face.
//!
//! With the curvature H (`-1/d` along the arc) and the second moment S about the position, `q^2 = 1 + H^2 (S_t + S_n)` exactly, since R^2 is the
//! mean square of the distance from the axis. As matrices across the normal: `M = 1 + H Q H`, `Q = S + S_n`, and the slip is
//! `M^(-1/2) (v - H Q (n x w))`.

use super::value::Value;
use crate::contact::{Contact, Plane, times};
use crate::real::{Real, max};
use crate::vector::{add, cross, dot, scale};

/// The slip of a contact with curvature.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Curved<F> {
    normal: [F; 3],
    axes: [[F; 3]; 2],
    /// `M^(-1/2)`, symmetric: uu, uv, vv.
    root: [F; 3],
    /// `H Q`: rows.
    turn: [[F; 2]; 2],
    /// The largest principal value of M, or a little more: how much stiffer friction is against rotation about the axis of the arc.
    pub most: F,
}

impl Curved<f64> {
    /// `None` for a contact without curvature, and for numbers that are not finite.
    #[inline(always)]
    pub fn of(c: &Contact) -> Option<Self> {
        if c.curvature == [0.0; 6] { None } else { Self::turning(c) }
    }

    /// Out of line, because most contacts have none.
    #[inline(never)]
    fn turning(c: &Contact) -> Option<Self> {
        let plane = Plane::across(c.normal);
        let matrix = |tensor| {
            let [[uu, uv], [_, vv]] = plane.axes.map(|axis| plane.of(times(tensor, axis)));
            [uu, uv, vv]
        };
        let ([huu, huv, hvv], [suu, suv, svv]) = (matrix(&c.curvature), matrix(&c.spread));
        let along = dot(c.normal, times(&c.spread, c.normal));
        let (quu, qvv) = (suu + along, svv + along);
        let turn = [[huu * quu + huv * suv, huu * suv + huv * qvv], [huv * quu + hvv * suv, huv * suv + hvv * qvv]];
        let [[a, b], [d, e]] = turn;
        let m = [1.0 + (a * huu + b * huv), a * huv + b * hvv, 1.0 + (d * huv + e * hvv)];
        // The root of a matrix of two rows, and its inverse.
        let size = Real::sqrt(max(m[0] * m[2] - m[1] * m[1], 1.0));
        let per = 1.0 / (size * Real::sqrt(m[0] + m[2] + 2.0 * size));
        let root = [per * (m[2] + size), -per * m[1], per * (m[0] + size)];
        let sound = turn.as_flattened().iter().chain(&root).all(|x| Real::is_finite(*x));
        sound.then_some(Curved { normal: c.normal, axes: plane.axes, root, turn, most: m[0] + m[2] - 1.0 })
    }
}

impl<F: Value> Curved<F> {
    #[inline(always)]
    fn rooted(&self, [x, y]: [F; 2]) -> [F; 2] {
        let [a, b, d] = self.root;
        [a * x + b * y, b * x + d * y]
    }

    #[inline(always)]
    fn place(&self, [x, y]: [F; 2]) -> [F; 3] {
        add(scale(self.axes[0], x), scale(self.axes[1], y))
    }

    /// The velocity of slip, across the normal, for this relative velocity and spin of the surfaces.
    #[inline(always)]
    pub fn slip(&self, velocity: [F; 3], spin: [F; 3]) -> [F; 3] {
        let turning = cross(self.normal, spin);
        let [x, y] = self.axes.map(|axis| dot(axis, turning));
        let [[a, b], [d, e]] = self.turn;
        let [u, v] = self.axes.map(|axis| dot(axis, velocity));
        self.place(self.rooted([u - (a * x + b * y), v - (d * x + e * y)]))
    }

    /// Force and torque of a friction that resists this slip: they do the same work.
    #[inline(always)]
    pub fn wrench(&self, friction: [F; 3]) -> [[F; 3]; 2] {
        let [u, v] = self.rooted(self.axes.map(|axis| dot(axis, friction)));
        let [[a, b], [d, e]] = self.turn;
        let aside = self.place([a * u + d * v, b * u + e * v]);
        [self.place([u, v]), cross(self.normal, aside)]
    }
}
