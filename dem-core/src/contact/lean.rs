//! How normals turn across an area: a least-squares fit, and what a node keeps of it.

use crate::contact::Contact;
use crate::contact::spread::{Plane, Tensor, times};
use crate::real::{Real, max, min};

/// Rows of a matrix across a normal.
pub(super) type Rows = [[f64; 2]; 2];

/// Components uu, uv and vv of a symmetric matrix across a normal.
pub(super) type Symmetric = [f64; 3];

/// Part of the mean square of distances that is added to both principal values: rounding decides on the direction across a line of nodes.
const RIDGE: f64 = 1.0 / (1u64 << 40) as f64;

/// Beyond this, normals lean so far that distances along the normal hide those across it.
const LEAST: f64 = 0.25;

/// Upper bound of [`Contact::wedging`] without enclosed parts. Forces that cancel further do not share a contact.
pub(super) const MOST_WEDGING: f64 = 2.0;

/// Upper bound for an enclosed part that is one contact. In a socket around most of a ball the true ratio is larger. But one contact has one friction
/// force. With the true ratio, friction on a ball that spins would push it aside with several times the load, while the true friction forces nearly
/// cancel.
pub(super) const MOST_ENCLOSED: f64 = 4.0;

/// The symmetric part of `G^-1 T`, for `G` = `squares` and `T` = `turns`, as `regions::curvature` defines them. `own` is the sum of P r_t r_t^T: it
/// takes the place of G where normals lean too far. `None` where nothing turns.
pub(super) fn fit(turns: &Rows, squares: &Rows, own: &Rows) -> Option<Symmetric> {
    let ridge = RIDGE * (own[0][0] + own[1][1]);
    if *turns == [[0.0; 2]; 2] || ridge.is_nan() || ridge <= 0.0 {
        return None;
    }
    let squares = if is_above(squares, own) { squares } else { own };
    let ([[a, b], [c, d]], [[e, f], [g, h]]) = (squares, turns);
    let (a, d) = (a + ridge, d + ridge);
    let per = 1.0 / (a * d - b * c);
    let fit = [d * e - b * g, 0.5 * ((d * f - b * h) + (a * g - c * e)), a * h - c * f].map(|x| per * x);
    fit.iter().all(|x| Real::is_finite(*x)).then_some(fit)
}

/// Whether the symmetric part of one matrix is above [`LEAST`] of the other one in each direction.
fn is_above([[a, b], [c, d]]: &Rows, own: &Rows) -> bool {
    let (a, d, b) = (a - LEAST * own[0][0], d - LEAST * own[1][1], 0.5 * (b + c) - LEAST * own[0][1]);
    a >= 0.0 && d >= 0.0 && a * d >= b * b
}

/// What the enclosed part of a node adds to curvature and wedge friction. Until nodes are joined, [`Contact::curvature`] holds it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct NodeLean {
    /// Sum of P r_t n_t^T about the node's position over the sum of P, for the unit normal n at the place r. Components across the node's normal,
    /// in the plane of [`Plane::across`].
    pub turns: Symmetric,
    /// Sum of the magnitudes of forces over the magnitude of their vector sum, less 1.
    pub lost: f64,
}

impl NodeLean {
    pub fn of(node: &Contact) -> Self {
        let [uu, uv, vv, lost, ..] = node.curvature;
        NodeLean { turns: [uu, uv, vv], lost }
    }

    pub fn put(&self, node: &mut Contact) {
        let [uu, uv, vv] = self.turns;
        node.curvature = [uu, uv, vv, self.lost, 0.0, 0.0];
    }
}

/// Turns the record of a single node into that of a contact: its own curvature and wedging in place of what is kept for joining.
pub(super) fn settle(node: &mut Contact) {
    node.wedging = 1.0;
    if node.curvature != [0.0; 6] {
        let NodeLean { turns: [uu, uv, vv], lost } = NodeLean::of(node);
        let plane = Plane::across(node.normal);
        let own = plane.axes.map(|axis| plane.of(times(&node.spread, axis)));
        let fit = fit(&[[uu, uv], [uv, vv]], &own, &own);
        node.curvature = fit.map_or([0.0; 6], |fit| plane.tensor(fit));
        node.wedging = max(1.0, min(1.0 + lost, MOST_ENCLOSED));
    }
}

/// The tensor of a node's [`NodeLean::turns`].
pub(super) fn turns_of(node: &Contact) -> Tensor {
    Plane::across(node.normal).tensor(NodeLean::of(node).turns)
}
