//! Estimates of the room for a first step, from the shapes of bodies alone.
//!
//! If two bodies of radius R touch, their surfaces are closer than the sum T of their halos in a ring around the deepest point. With a depth of d,
//! the area of the ring is 2 pi R T. Its length, for triangles that reach into it, is 2 pi sqrt(R d) on either side. Each of these triangles is
//! near the triangles of the other body within T and its own size. Nodes are pairs of patches: some for each of these triangles.

use super::{SceneSizes, Settings};
use crate::contact::shape::{Part, Shape};
use crate::real::{Real, max, min};

/// The depth of contacts that estimates allow for, as a fraction of the radius.
const DEPTH: f64 = 0.1;

/// The largest estimate of any number. A larger number is requested when it is known.
const MOST: f64 = 1e9;

/// Contacts of a body with other bodies, as between balls in a random heap.
const TOUCHING: f64 = 3.0;

/// Levels of the grid that suit most size ratios.
const USUAL_LEVELS: u32 = 8;

/// The data of one body that estimates need.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Extent {
    triangles: f64,
    radius: f64,
    halo: f64,
    simple: bool,
}

impl Extent {
    /// The extent of a shape with this scale; for a compound, that of the part with the most triangles. Cost: some nanoseconds for each part.
    pub fn of(shape: &Shape<'_>, scale: f64) -> Self {
        let own = match shape {
            Shape::Mesh(surface) => Extent {
                triangles: f64::from(surface.mesh.sizes.triangles),
                radius: surface.mesh.radius(),
                halo: surface.mesh.largest_halo(),
                simple: false,
            },
            Shape::Compound(parts) => {
                let of = |part: &Part<'_>| Extent::of(&part.shape, part.scale);
                Extent { simple: false, ..parts.iter().map(of).fold(Extent::default(), Extent::or) }
            }
            Shape::Sphere { radius, halo } => Extent { triangles: 0.0, radius: *radius, halo: *halo, simple: true },
            Shape::Capsule { radius, halo, .. } => {
                Extent { triangles: 0.0, radius: *radius, halo: *halo, simple: true }
            }
            Shape::HalfSpace { halo } => Extent { triangles: 0.0, radius: 0.0, halo: *halo, simple: true },
        };
        own.scaled(scale)
    }

    /// The extent of a body with two parts.
    pub fn or(self, other: Extent) -> Self {
        let own = if other.triangles > self.triangles || self.radius == 0.0 { other } else { self };
        Extent { simple: false, ..own }
    }

    /// The extent of a body that is larger by this factor.
    pub fn scaled(self, scale: f64) -> Self {
        Extent { radius: self.radius * scale, halo: self.halo * scale, ..self }
    }

    /// Triangle pairs and nodes of two such bodies. `radius` is that of the rounder one.
    fn near(&self, radius: f64, margin: f64) -> [f64; 2] {
        let Extent { triangles, radius: own, halo, .. } = *self;
        if !(triangles > 0.0 && own > 0.0) {
            return [0.0; 2];
        }
        let (pi, reach) = (core::f64::consts::PI, 2.0 * halo + margin);
        let area = 4.0 * pi * own * own / triangles;
        let (edge, radius) = (Real::sqrt(area), min(own, radius));
        let zone = 2.0 * pi * radius * (reach + 2.0 * edge * Real::sqrt(DEPTH));
        let zone = min(zone / area, triangles);
        let around = min(pi * (reach + 1.2 * edge) * (reach + 1.2 * edge) / area, triangles);
        [1.25 * zone * around, zone * (2.5 + 0.625 * reach / edge)]
    }
}

/// Sums over bodies for an estimate.
#[derive(Clone, Copy, Debug, Default)]
pub struct Estimate {
    bodies: f64,
    /// The number of bounded bodies; `radii` is the sum of their radii.
    round: f64,
    radii: f64,
    others: bool,
    pairs: f64,
    nodes: f64,
}

impl Estimate {
    /// The first of two passes over all bodies.
    pub fn count(&mut self, body: &Extent) {
        self.bodies += 1.0;
        self.others |= !body.simple;
        if body.radius > 0.0 {
            self.round += 1.0;
            self.radii += body.radius;
        }
    }

    /// The second pass.
    pub fn add(&mut self, body: &Extent, margin: f64) {
        let usual = self.radii / max(self.round, 1.0);
        let [pairs, nodes] = body.near(usual, margin);
        self.pairs = max(self.pairs, pairs);
        self.nodes += TOUCHING * nodes;
    }

    /// Sizes of a scene, and the triangle pairs of two bodies.
    pub fn room(&self, settings: &Settings) -> (SceneSizes, u64) {
        let whole = |x: f64| if x < MOST { x as u32 } else { MOST as u32 };
        let each = if self.others { 8.0 } else { 4.0 };
        let (bodies, all) = (whole(self.bodies), whole(each * self.bodies + 1024.0));
        let nodes = if self.others { whole(self.nodes + f64::from(all)) } else { all };
        let margin_contacts = if settings.margin > 0.0 { all } else { 0 };
        let sizes = SceneSizes {
            bodies,
            candidates: all,
            contacts: all,
            nodes,
            posed: 0,
            levels: USUAL_LEVELS,
            margin_contacts,
        };
        (sizes, u64::from(whole(self.pairs)))
    }
}
