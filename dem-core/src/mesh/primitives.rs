//! Boxes and cylinders as meshes, in arrays of the caller.

use core::f64::consts::{PI, TAU};

use crate::error::{Error, Kind, Result, What};
use crate::real::{Real, cos, sin};

/// A box about the origin, with edges along the axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cuboid {
    /// Its corners: bit c of a corner's number tells the side on axis c.
    pub vertices: [[f64; 3]; 8],
    /// The triangles look outward; two for each side in the order -x +x -y +y -z +z.
    pub triangles: [[u32; 3]; 12],
}

impl Cuboid {
    /// The box with these lengths of edges.
    ///
    /// Errors about [`What::Edges`], with the axis as component: [`Kind::NotFinite`]; [`Kind::OutOfRange`] if an edge is negative. Zero gives a
    /// flat box.
    /// Cost: none.
    pub fn new(edges: [f64; 3]) -> Result<Self> {
        for (axis, &edge) in (0..).zip(&edges) {
            length(edge, edge >= 0.0, What::Edges).map_err(|e| e.at(0, axis))?;
        }
        let vertex =
            |i: usize| [0, 1, 2].map(|c: usize| if i >> c & 1 == 1 { 0.5 * edges[c] } else { -0.5 * edges[c] });
        #[rustfmt::skip]
        let triangles = [
            [0, 4, 6], [0, 6, 2],  [1, 3, 7], [1, 7, 5],
            [0, 1, 5], [0, 5, 4],  [2, 6, 7], [2, 7, 3],
            [0, 2, 3], [0, 3, 1],  [4, 5, 7], [4, 7, 6],
        ];
        Ok(Cuboid { vertices: core::array::from_fn(vertex), triangles })
    }
}

/// A right prism in place of a cylinder around the z axis, from -length / 2 to length / 2, with the same volume. The middle of each flat facet is
/// inside the cylinder, and the edges are outside.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cylinder {
    /// Radius of the cylinder. Edges of the prism are slightly farther from the axis: [`Cylinder::edge_radius`].
    pub radius: f64,
    /// Length along the axis.
    pub length: f64,
    /// Number of facets around the axis: 3 to [`Cylinder::MOST`].
    pub facets: u32,
}

impl Cylinder {
    /// The most facets.
    pub const MOST: u32 = 1 << 20;

    /// The prism with the fewest facets, such that no facet is farther than `sagitta` from the circle through its edges. A good `sagitta` is a
    /// sixteenth of the sum of the halos of the cylinder and of the body on which it rolls: the facets then have no noticeable effect.
    ///
    /// Errors: [`Kind::NotFinite`] and [`Kind::OutOfRange`] about [`What::Radius`], [`What::Length`] (positive) and [`What::Sagitta`]
    /// (positive); [`Kind::TooLarge`] about [`What::Facets`] if it needs more than [`Cylinder::MOST`].
    pub fn within(radius: f64, length: f64, sagitta: f64) -> Result<Self> {
        self::length(sagitta, sagitta > 0.0, What::Sagitta)?;
        let with = |facets| Cylinder { radius, length, facets };
        with(3).check()?;
        // The sagitta decreases with the number of facets, so bisection finds the smallest number.
        let (mut least, mut enough) = (3, Self::MOST);
        if with(enough).sagitta() > sagitta {
            return Err(Error::new(Kind::TooLarge, What::Facets));
        }
        while least < enough {
            let facets = least.midpoint(enough);
            if with(facets).sagitta() <= sagitta { enough = facets } else { least = facets + 1 }
        }
        Ok(with(enough))
    }

    /// Checks all numbers.
    ///
    /// Errors: as for [`Cylinder::within`]; [`Kind::OutOfRange`] about [`What::Facets`], and about [`What::Radius`] if the radius of the edges
    /// overflows.
    pub fn check(&self) -> Result<()> {
        length(self.radius, self.radius > 0.0, What::Radius)?;
        length(self.length, self.length > 0.0, What::Length)?;
        if !(3..=Self::MOST).contains(&self.facets) {
            return Err(Error::new(Kind::OutOfRange, What::Facets));
        }
        // Edges are farther from the axis than the radius.
        length(self.radius, self.edge_radius().is_finite(), What::Radius)
    }

    /// Distance of edges from the axis: a prism with this radius has the volume of the cylinder.
    pub fn edge_radius(&self) -> f64 {
        let n = f64::from(self.facets);
        self.radius * Real::sqrt(TAU / (n * sin(TAU / n)))
    }

    /// Distance of the middle of a facet from the circle through its edges.
    pub fn sagitta(&self) -> f64 {
        // 1 - cos x, without cancellation.
        let half = sin(0.5 * PI / f64::from(self.facets));
        self.edge_radius() * (2.0 * half * half)
    }

    /// Number of vertices of the mesh: 2 [`facets`](Self::facets) + 2.
    pub fn vertices(&self) -> usize {
        2 * self.facets as usize + 2
    }

    /// Number of triangles of the mesh: 4 [`facets`](Self::facets).
    pub fn triangles(&self) -> usize {
        4 * self.facets as usize
    }

    /// Writes the mesh. The vertices are the centres of both ends, the lower one first, then the two ends of each edge, the lower one first. Each
    /// facet has four triangles: one of the lower end, two of the side, one of the upper end. They look outward.
    ///
    /// The triangles of an end cut off every second corner of its polygon, then every second corner of the rest, and so on; those of the last few
    /// corners meet in the centre. So each vertex has only a few triangles for each doubling of the facets, and if two ends lie on each other, few
    /// of their triangles are near each other.
    ///
    /// Errors: those of [`Cylinder::check`]; [`Kind::Capacity`] about [`What::Vertices`] and [`What::Triangles`]. After an error nothing is
    /// written. Cost: about 0.1 microseconds a facet.
    pub fn write(&self, vertices: &mut [[f64; 3]], triangles: &mut [[u32; 3]]) -> Result<()> {
        self.check()?;
        let (room, wanted) = ((vertices.len(), triangles.len()), (self.vertices(), self.triangles()));
        let short = |what, wanted: usize, room: usize| Err(Error::capacity(what, wanted as u64, room as u64));
        let Some(vertices) = vertices.get_mut(..wanted.0) else { return short(What::Vertices, wanted.0, room.0) };
        let Some(triangles) = triangles.get_mut(..wanted.1) else { return short(What::Triangles, wanted.1, room.1) };
        let (n, radius, top) = (self.facets, self.edge_radius(), 0.5 * self.length);
        let (centres, edges) = vertices.split_at_mut(2);
        centres.copy_from_slice(&[[0.0, 0.0, -top], [0.0, 0.0, top]]);
        for (k, edge) in (0..n).zip(edges.as_chunks_mut::<2>().0) {
            let angle = TAU * (f64::from(k) / f64::from(n));
            let (x, y) = (radius * cos(angle), radius * sin(angle));
            *edge = [[x, y, -top], [x, y, top]];
        }
        for (k, (facet, end)) in (0..n).zip(triangles.as_chunks_mut::<4>().0.iter_mut().zip(end_triangles(n))) {
            let (this, next) = (2 + 2 * k, 2 + 2 * ((k + 1) % n));
            // Vertices of the lower and of the upper end: its centre, or the end of an edge.
            let [[a, b, c], above] = [0, 1].map(|upper| end.map(|v| v.map_or(upper, |edge| 2 + 2 * edge + upper)));
            *facet = [[a, c, b], [this, next, next + 1], [this, next + 1, this + 1], above];
        }
        Ok(())
    }
}

/// The triangles of an end with this many corners, as many triangles as corners, with the orientation of the polygon. A corner that is `None` is
/// the centre.
fn end_triangles(corners: u32) -> impl Iterator<Item = [Option<u32>; 3]> {
    /// With at most this many corners left, triangles meet in the centre.
    const FEW: u32 = 8;
    // Every `step`-th corner is left; the next one to process is the one at index `at` of these.
    let (mut step, mut at) = (1, 0);
    core::iter::from_fn(move || {
        let left = |step: u32| corners.div_ceil(step);
        if left(step) > FEW && 2 * at + 2 > left(step) {
            (step, at) = (2 * step, 0);
        }
        let corner = |place: u32| Some(if place == left(step) { 0 } else { place * step });
        at += 1;
        match left(step) > FEW {
            true => Some([corner(2 * at - 2), corner(2 * at - 1), corner(2 * at)]),
            false if at <= left(step) => Some([None, corner(at - 1), corner(at)]),
            false => None,
        }
    })
}

fn length(x: f64, in_range: bool, what: What) -> Result<()> {
    match (x.is_finite(), in_range) {
        (true, true) => Ok(()),
        (finite, _) => Err(Error::new(if finite { Kind::OutOfRange } else { Kind::NotFinite }, what)),
    }
}
