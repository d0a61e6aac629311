//! Distance of two triangles by a few sweeps of minimisation, in any number of lanes (P0 section 3, P4 section 4.2).
//!
//! Minimised over the coordinates x = (a1, b1, a2, b2) of one point on each triangle:
//!
//! ```text
//! J = 1/2 |t_A(a1, b1) - t_B(a2, b2)|^2 + sum over both triangles of alpha (max(0, -a)^2 + max(0, -b)^2 + max(0, a+b-1)^2)
//! ```
//!
//! # Readings
//! * P0 (3.1) prints a linear penalty, with two signs by which it rewards leaving the triangle. P4 (4) squares the
//!   penalty, and so does this code. The constraint `max(0, a-1)` of (3.1) follows from the other three and is left
//!   out, as in P4.
//! * `alpha_iterative` is `kappa` times the mean squared edge of the constrained triangle, and `alpha_regulariser` is
//!   `rho` times the diagonal of the Hessian of the distance term. Neither paper gives a number; absolute numbers would
//!   depend on the unit of length, and with one mean for both triangles a large triangle would dominate a small one.
//! * Exactly `sweeps` sweeps are run; Algorithm 3.1 as printed never increments its counter, and would run one more.

use crate::simd::{Lane, Vec3};
use crate::triangle::kernel::{Vertices, number};

/// The step of a sweep.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum Scheme {
    /// P0 (3.2) as printed: a step on the distance, then one on the penalty, each by the diagonal of its Hessian. Cheap,
    /// but its stagnation is no sign of a minimum.
    Splitting = 1,
    /// One Newton step for distance and penalty together (P4 section 4.2), by a 4 by 4 solve.
    Newton = 2,
    /// A step of steepest descent, scaled by the diagonal, with exact line search, then a projection into the
    /// triangles.
    Projected = 3,
}

/// The criterion by which sweeps have found a minimum.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum Criterion {
    /// P0 Algorithm 3.1: the functional changed by at most `c * eps * unit` in the last sweep.
    Functional = 1,
    /// P0 section 6.3: the contact point moved by at most `c * eps` in the last sweep.
    ContactPoint = 2,
    /// Guaranteed bounds of the distance decide. The search starts at the centres of the triangles, not at the first
    /// vertices.
    Certified = 3,
}

/// Parameters of the iterative kernel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Iterative {
    /// The step of a sweep.
    pub scheme: Scheme,
    /// The criterion that ends the search.
    pub criterion: Criterion,
    /// Number of sweeps; P0 uses 4.
    pub sweeps: u32,
    /// Weight of the penalty, relative to the mean squared edge of the triangle.
    pub kappa: f64,
    /// Regularisation, relative to the diagonal of the Hessian.
    pub rho: f64,
    /// P0's C; about 1.
    pub c: f64,
    /// Unit of length in [`Criterion::Functional`], which compares an area with a length.
    pub unit: f64,
}

impl Iterative {
    /// P0 Algorithm 3.1, with the parameters that come closest to its tables 6.2 and 6.3, since the paper does not give
    /// them. Use it to reproduce these tables only: it misses contacts.
    pub const PAPER: Iterative = Iterative {
        scheme: Scheme::Newton,
        criterion: Criterion::Functional,
        sweeps: 4,
        kappa: 0.5,
        rho: 0.5,
        c: 1.0,
        unit: 1.0,
    };

    /// Certified answers. The parameters leave the fewest pairs unresolved among triangles closer than a tenth of an
    /// edge.
    pub const CERTIFIED: Iterative =
        Iterative { criterion: Criterion::Certified, kappa: 10.0, rho: 3e-3, ..Iterative::PAPER };
}

impl Default for Iterative {
    fn default() -> Self {
        Iterative::CERTIFIED
    }
}

/// One pair per lane, relative to vertex 0 of B: point `r + e[0] a1 + e[1] b1` of A, point `f[0] a2 + f[1] b2` of B.
#[derive(Clone, Copy)]
pub(crate) struct Local<L> {
    pub r: Vec3<L>,
    pub e: [Vec3<L>; 2],
    pub f: [Vec3<L>; 2],
}

impl<L: Lane> Local<L> {
    #[inline(always)]
    pub fn new(a: Vertices<L>, b: Vertices<L>) -> Self {
        Local { r: a[0] - b[0], e: [a[1] - a[0], a[2] - a[0]], f: [b[1] - b[0], b[2] - b[0]] }
    }

    #[inline(always)]
    pub fn on_a(&self, x: [L; 4]) -> Vec3<L> {
        self.r + (self.e[0].scale(x[0]) + self.e[1].scale(x[1]))
    }

    #[inline(always)]
    pub fn on_b(&self, x: [L; 4]) -> Vec3<L> {
        self.f[0].scale(x[2]) + self.f[1].scale(x[3])
    }

    /// From the point on B to the point on A.
    #[inline(always)]
    pub fn gap(&self, x: [L; 4]) -> Vec3<L> {
        self.on_a(x) - self.on_b(x)
    }
}

/// Constants of the sweeps of one pair.
#[derive(Clone, Copy)]
pub(crate) struct Minimiser<L> {
    zero: L,
    one: L,
    local: Local<L>,
    /// Products of `e[0]`, `e[1]`, `f[0]`, `f[1]` with themselves (1 for a vector of length 0) and with each other.
    diagonal: [L; 4],
    inner: [L; 2],
    across: [[L; 2]; 2],
    /// `rho` times the diagonal.
    regulariser: [L; 4],
    /// 1 / (diagonal + regulariser), and 1 / diagonal.
    inverse_regularised: [L; 4],
    inverse: [L; 4],
    /// 2 alpha of A and of B.
    weight: [L; 2],
}

impl<L: Lane> Minimiser<L> {
    #[inline(always)]
    pub fn new(simd: L::Simd, local: Local<L>, kappa: f64, rho: f64) -> Self {
        let (zero, one) = (number::<L>(simd, 0.0), number::<L>(simd, 1.0));
        let (e, f) = (local.e, local.f);
        let mut diagonal = [e[0].dot(e[0]), e[1].dot(e[1]), f[0].dot(f[0]), f[1].dot(f[1])];
        // 2 alpha is 2 kappa times the mean of two squared edges.
        let weight = [diagonal[0] + diagonal[1], diagonal[2] + diagonal[3]];
        let weight = [weight[0] * number(simd, kappa), weight[1] * number(simd, kappa)];
        let rho = number::<L>(simd, rho);
        let (mut regulariser, mut inverse_regularised, mut inverse) = (diagonal, diagonal, diagonal);
        let mut k = 0;
        while k < 4 {
            diagonal[k] = L::select(zero.lt(diagonal[k]), diagonal[k], one);
            regulariser[k] = diagonal[k] * rho;
            inverse_regularised[k] = one / (diagonal[k] + regulariser[k]);
            inverse[k] = one / diagonal[k];
            k += 1;
        }
        let inner = [e[0].dot(e[1]), f[0].dot(f[1])];
        let across = [[e[0].dot(f[0]), e[0].dot(f[1])], [e[1].dot(f[0]), e[1].dot(f[1])]];
        Minimiser { zero, one, local, diagonal, inner, across, regulariser, inverse_regularised, inverse, weight }
    }

    /// The functional J.
    #[inline(always)]
    pub fn functional(&self, simd: L::Simd, x: [L; 4]) -> L {
        let d = self.local.gap(x);
        let p = Vec3(self.excess(x[0], x[1]));
        let q = Vec3(self.excess(x[2], x[3]));
        number::<L>(simd, 0.5) * (d.dot(d) + (self.weight[0] * p.dot(p) + self.weight[1] * q.dot(q)))
    }

    /// Violations of the three constraints of a triangle.
    #[inline(always)]
    fn excess(&self, a: L, b: L) -> [L; 3] {
        [(-a).max(self.zero), (-b).max(self.zero), (a + b - self.one).max(self.zero)]
    }

    /// Gradient of the distance term.
    #[inline(always)]
    fn gradient(&self, x: [L; 4]) -> [L; 4] {
        let d = self.local.gap(x);
        [d.dot(self.local.e[0]), d.dot(self.local.e[1]), -d.dot(self.local.f[0]), -d.dot(self.local.f[1])]
    }

    /// One sweep of a scheme.
    #[inline(always)]
    pub fn sweep(&self, scheme: Scheme, x: [L; 4]) -> [L; 4] {
        match scheme {
            Scheme::Splitting => self.splitting(x),
            Scheme::Newton => self.newton(x),
            Scheme::Projected => self.projected(x),
        }
    }

    /// P0 (3.2).
    #[inline(always)]
    fn splitting(&self, mut x: [L; 4]) -> [L; 4] {
        let g = self.gradient(x);
        let mut k = 0;
        while k < 4 {
            x[k] = x[k] - g[k] * self.inverse_regularised[k];
            k += 1;
        }
        let mut t = 0;
        while t < 2 {
            let (i, j, w) = (2 * t, 2 * t + 1, self.weight[t]);
            let c = self.excess(x[i], x[j]);
            let h = [self.active(c[0], w), self.active(c[1], w), self.active(c[2], w)];
            x[i] = x[i] - w * (c[2] - c[0]) / (h[0] + h[2] + self.regulariser[i]);
            x[j] = x[j] - w * (c[2] - c[1]) / (h[1] + h[2] + self.regulariser[j]);
            t += 1;
        }
        x
    }

    /// The curvature of a constraint: 0 where it is satisfied.
    #[inline(always)]
    fn active(&self, excess: L, weight: L) -> L {
        L::select(self.zero.lt(excess), weight, self.zero)
    }

    /// `x - (Hessian + regulariser)^-1 gradient`, both of distance and penalty together.
    #[inline(always)]
    fn newton(&self, x: [L; 4]) -> [L; 4] {
        let mut g = self.gradient(x);
        let mut d = self.diagonal;
        let mut inner = self.inner;
        let mut t = 0;
        while t < 2 {
            let (i, j, w) = (2 * t, 2 * t + 1, self.weight[t]);
            let c = self.excess(x[i], x[j]);
            let h = [self.active(c[0], w), self.active(c[1], w), self.active(c[2], w)];
            g[i] = g[i] + w * (c[2] - c[0]);
            g[j] = g[j] + w * (c[2] - c[1]);
            d[i] = d[i] + self.regulariser[i] + (h[0] + h[2]);
            d[j] = d[j] + self.regulariser[j] + (h[1] + h[2]);
            inner[t] = inner[t] + h[2];
            t += 1;
        }
        let [[c00, c01], [c10, c11]] = self.across;
        let step = solve(self.one, d, [inner[0], -c00, -c01, -c10, -c11, inner[1]], g);
        [x[0] - step[0], x[1] - step[1], x[2] - step[2], x[3] - step[3]]
    }

    /// Steepest descent with the diagonal as its scale, the best step along that line, then back into the triangles.
    #[inline(always)]
    fn projected(&self, x: [L; 4]) -> [L; 4] {
        let g = self.gradient(x);
        let mut p = g;
        let mut k = 0;
        while k < 4 {
            p[k] = g[k] * self.inverse[k];
            k += 1;
        }
        let slope = g[0] * p[0] + g[1] * p[1] + g[2] * p[2] + g[3] * p[3];
        let (e, f) = (self.local.e, self.local.f);
        let move_a = e[0].scale(p[0]) + e[1].scale(p[1]);
        let move_b = f[0].scale(p[2]) + f[1].scale(p[3]);
        let change = move_a - move_b;
        let curvature = change.dot(change);
        let some = self.zero.lt(curvature);
        let step = L::select(some, slope / L::select(some, curvature, self.one), self.zero);
        let (a, b) = feasible(self.zero, self.one, x[0] - step * p[0], x[1] - step * p[1]);
        let (c, d) = feasible(self.zero, self.one, x[2] - step * p[2], x[3] - step * p[3]);
        [a, b, c, d]
    }
}

/// Clamps coordinates into the triangle (nearest in coordinate space, not in distance); vertex 0 for NaN.
#[inline(always)]
pub(crate) fn feasible<L: Lane>(zero: L, one: L, a: L, b: L) -> (L, L) {
    let (a, b) = (a.max(zero).min(one), b.max(zero).min(one));
    // Beyond a + b = 1, both lose half of the excess. Both are in [0, 1] here, so neither becomes negative.
    let over = (a + b - one).max(zero);
    let half = over * (one / (one + one));
    let outside = zero.lt(over);
    let a = L::select(outside, a - half, a);
    (a, L::select(outside, one - a, b))
}

/// Solves a symmetric positive definite 4 by 4 system by L D L^T; `m` is the upper triangle without `d`, row by row.
#[inline(always)]
fn solve<L: Lane>(one: L, d: [L; 4], m: [L; 6], g: [L; 4]) -> [L; 4] {
    let [m01, m02, m03, m12, m13, m23] = m;
    let inverse0 = one / d[0];
    let (l1, l2, l3) = (m01 * inverse0, m02 * inverse0, m03 * inverse0);
    let inverse1 = one / (d[1] - l1 * m01);
    let (n12, n13) = (m12 - l1 * m02, m13 - l1 * m03);
    let (k2, k3) = (n12 * inverse1, n13 * inverse1);
    let inverse2 = one / (d[2] - l2 * m02 - k2 * n12);
    let n23 = m23 - l2 * m03 - k2 * n13;
    let j3 = n23 * inverse2;
    let inverse3 = one / (d[3] - l3 * m03 - k3 * n13 - j3 * n23);
    let y1 = g[1] - l1 * g[0];
    let y2 = g[2] - l2 * g[0] - k2 * y1;
    let y3 = g[3] - l3 * g[0] - k3 * y1 - j3 * y2;
    let x3 = y3 * inverse3;
    let x2 = y2 * inverse2 - j3 * x3;
    let x1 = y1 * inverse1 - k2 * x2 - k3 * x3;
    [g[0] * inverse0 - l1 * x1 - l2 * x2 - l3 * x3, x1, x2, x3]
}
