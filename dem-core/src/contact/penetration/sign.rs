//! Exact signs of volumes, with the first body moved by an infinitesimal step that removes all ties (Edelsbrunner and Muecke, "Simulation
//! of simplicity", 1990; here a translation is enough).
//!
//! The step is (e, e^2, e^3) for an infinitesimal e, so a tie goes to the first component of the derivative that is not zero. The
//! derivative of a corner in the plane of a triangle is that triangle's normal. The derivative of two edges in one plane is the cross
//! product of their directions. It is zero only for parallel edges, and an edge that passes through a triangle's plane is not parallel to
//! its edges.
//! So for triangles with an area, all signs exist, and they are those of one configuration without ties: curves of intersection of closed
//! meshes close.

use robust::{Coord, Coord3D, orient2d, orient3d};

use crate::vector::sub;

type Point = [f64; 3];

/// Six times the volume of a tetrahedron: positive where `d` is on the side to which the normal of (a, b, c) points. Its sign is
/// exact.
#[inline]
pub(super) fn volume(a: Point, b: Point, c: Point, d: Point) -> f64 {
    // The first filter of `orient3d`, in the same order, inlined: usually it is enough. If its error bound, which is larger than that of
    // `orient3d`, does not decide, `orient3d` does.
    const DOUBT: f64 = 8.0 * f64::EPSILON;
    let ([ax, ay, az], [bx, by, bz], [cx, cy, cz]) = (sub(a, d), sub(b, d), sub(c, d));
    let (bc, cb, ca, ac, ab, ba) = (bx * cy, cx * by, cx * ay, ax * cy, ax * by, bx * ay);
    let det = az * (bc - cb) + bz * (ca - ac) + cz * (ab - ba);
    let most = (bc.abs() + cb.abs()) * az.abs() + (ca.abs() + ac.abs()) * bz.abs() + (ab.abs() + ba.abs()) * cz.abs();
    0.0 - if det.abs() > DOUBT * most { det } else { exactly(a, b, c, d) }
}

#[cold]
#[inline(never)]
fn exactly(a: Point, b: Point, c: Point, d: Point) -> f64 {
    let [a, b, c, d] = [a, b, c, d].map(|[x, y, z]| Coord3D { x, y, z });
    orient3d(a, b, c, d)
}

pub(super) fn sign(x: f64) -> i32 {
    (x > 0.0) as i32 - (x < 0.0) as i32
}

const AXES: [(usize, usize); 3] = [(1, 2), (2, 0), (0, 1)];

/// The sign of the first non-zero component of a triangle's normal; 0 if it has no area.
pub(super) fn normal(t: &[Point; 3]) -> i32 {
    let component = |(x, y): (usize, usize)| {
        let [a, b, c] = t.map(|p| Coord { x: p[x], y: p[y] });
        sign(orient2d(a, b, c))
    };
    AXES.into_iter().map(component).find(|s| *s != 0).unwrap_or(0)
}

/// The same for the cross product of the directions from p to q and from r to s.
pub(super) fn cross([p, q]: [Point; 2], [r, s]: [Point; 2]) -> i32 {
    let component = |(x, y): (usize, usize)| {
        // The volume of a tetrahedron with two edges in parallel planes is proportional to the cross product of these edges.
        let flat = |p: Point, height: f64| [p[x], p[y], height];
        -sign(volume(flat(p, 0.0), flat(q, 0.0), flat(r, 1.0), flat(s, 1.0)))
    };
    AXES.into_iter().map(component).find(|s| *s != 0).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_are_those_of_the_right_handed_volume_and_cross_product() {
        let (o, x, y, z) = ([0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]);
        assert_eq!(volume(o, x, y, z), 1.0);
        assert_eq!((normal(&[o, x, y]), normal(&[o, y, x]), normal(&[o, x, x])), (1, -1, 0));
        assert_eq!((normal(&[o, y, z]), normal(&[o, z, x])), (1, 1));
        assert_eq!((cross([o, x], [z, [0.0, 1.0, 1.0]]), cross([o, y], [o, x]), cross([o, z], [o, x])), (1, -1, 1));
        assert_eq!(cross([o, y], [o, z]), 1);
        assert_eq!(cross([o, x], [y, [1e-300, 1.0, 0.0]]), 0);
    }
}
