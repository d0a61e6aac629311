//! Curvature of the surface that both bodies share in a contact: how the normals of patch pairs turn from one place to the next.
//!
//! A body that turns in a round seat approaches it nowhere. With the normal of the whole contact alone, one side of the body would approach and
//! the other one would separate. The curvature tells these two motions apart.

use glam::DVec3;

use super::inward::Member;
use super::wedging::parts;
use crate::contact::Contact;
use crate::contact::lean::{fit, turns_of};
use crate::contact::record::pressure;
use crate::contact::spread::{Plane, Tensor, times};
use crate::real::{Real, max};
use crate::vector::dot;

/// [`Contact::curvature`] of a contact of several nodes. `outward` gives the outward normals of the patches of a node, of A and of B; `None` for a
/// round patch.
///
/// At a place r from `position` with the unit normal n, two surfaces with the relative velocity v and spin w separate at the rate
/// `n.(v + w x r)`. The index N stands for components along the contact's normal, the index t for those across it, and T for a transposed vector.
/// With the pressure P as weight, let `G = sum P r_t (n_N r_t - r_N n_t)^T` and `H = G^-1 sum P r_t n_t^T`. Then the gradient of the rate across
/// the normal is proportional to `G (N x w + H v)`, in the sense of least squares. It is exactly 0 for a body that turns about the axis of a
/// cylinder, or about the centre of a ball, in which it lies, however long the arc is.
///
/// The normal of a node leans as far as the normals of both patches have in common: a body with bevels on a flat one has curvature 0. So have
/// contacts of balls and capsules. Within the enclosed part of a node, the normal turns as [`NodeLean`](crate::contact::lean::NodeLean) tells.
pub fn curvature<'c>(
    nodes: impl Iterator<Item = Member<'c>>,
    contact: &Contact,
    outward: impl Fn(u32) -> [Option<DVec3>; 2],
) -> Tensor {
    let (normal, centre) = (DVec3::from_array(contact.normal), DVec3::from_array(contact.position));
    let plane = Plane::across(contact.normal);
    // `turns` is the sum of P r_t n_t^T, `squares` is G, and `own` is the sum of P r_t r_t^T.
    let (mut turns, mut squares, mut own) = ([[0.0; 2]; 2], [[0.0; 2]; 2], [[0.0; 2]; 2]);
    for Member { node, contact: c, .. } in nodes {
        let Some(lean) = common_lean(c, outward(node), normal) else { return [0.0; 6] };
        let weight = pressure(c);
        let arm = (DVec3::from_array(c.position) - centre).to_array();
        let (r, r_n, n) = (plane.of(arm), dot(arm, contact.normal), plane.of(lean.to_array()));
        let n_n = Real::sqrt(max(0.0, 1.0 - lean.dot(lean)));
        let second = plane.axes.map(|axis| times(&c.spread, axis));
        for i in 0..2 {
            let along = dot(second[i], contact.normal) + r[i] * r_n;
            let across = plane.of(second[i]);
            for k in 0..2 {
                let square = across[k] + r[i] * r[k];
                turns[i][k] += weight * (r[i] * n[k]);
                squares[i][k] += weight * (n_n * square - along * n[k]);
                own[i][k] += weight * square;
            }
        }
        if c.curvature != [0.0; 6] {
            let own = turns_of(c);
            for (to, axis) in turns.iter_mut().zip(plane.axes) {
                let [u, v] = plane.of(times(&own, axis));
                *to = [to[0] + weight * u, to[1] + weight * v];
            }
        }
    }
    fit(&turns, &squares, &own).map_or([0.0; 6], |fit| plane.tensor(fit))
}

/// How far the normals of both patches of a node lean from a direction, as far as they have it in common: their mean if they agree, and 0 if one
/// of them does not lean, or if they lean to opposite sides. `None` for a round patch. An enclosed
/// part in a seat has its own normal.
fn common_lean(c: &Contact, outward: [Option<DVec3>; 2], direction: DVec3) -> Option<DVec3> {
    let [Some(of_a), Some(of_b)] = outward else { return None };
    let lean = |n: DVec3| n - direction * n.dot(direction);
    if c.curvature != [0.0; 6] {
        return Some(lean(DVec3::from_array(c.normal)));
    }
    let of_a = -of_a;
    // In the cells of edges and vertices, the normal of a patch is one of several.
    let [in_b, in_a] = parts(c.wedging);
    let (x, y) = (lean(of_b * in_b + of_a * (1.0 - in_b)), lean(of_a * in_a + of_b * (1.0 - in_a)));
    let (product, squares) = (x.dot(y), x.dot(x) + y.dot(y));
    Some(if product > 0.0 && squares > 0.0 { (x + y) * (product / squares) } else { DVec3::ZERO })
}
