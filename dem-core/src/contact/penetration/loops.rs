//! Sums over the segments of a loop and over the part that it encloses.

use glam::DVec3;
use zerocopy::{FromBytes, Immutable, IntoBytes};

use super::super::unit;
use super::depth_limits::closes;
use super::least_translation::Ways;
use crate::real::{Real, max, min};

/// Sums of one loop of the curve of intersection, or of several, about the origin of all loops, in canonical units.
#[derive(Clone, Copy, Debug, Default, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub(super) struct Loop {
    /// `1/2 int x cross dx`: the area vector V of what it encloses of the first body's surface.
    area: [f64; 3],
    /// `1/2 int x^2 dx`: the torque on the first body of the force -V.
    torque: [f64; 3],
    /// `int x ds`.
    mean: [f64; 3],
    /// Its length.
    pub length: f64,
    /// `int T ds`.
    halo: f64,
    /// Of the surfaces that are enclosed with it, seen as cones from the origin: volume, `int x dV`, area vector.
    volume: f64,
    moment: [f64; 3],
    closing: [f64; 3],
    /// Sum of the places where it does not go on, and how many there are.
    open_at: [f64; 3],
    pub opens: u32,
    /// Number of segments.
    pub segments: u32,
    /// Where it does not close: how far its triangles have to go.
    pub ways: Ways,
    /// For an enclosed part: the direction in which its width is measured, and its ends along this direction.
    pub across: [f64; 3],
    pub low: f64,
    pub high: f64,
    /// For an enclosed part: its width across the patches that face the other body.
    pub across_patches: f64,
    /// For an enclosed part: the sum of the magnitudes of its loops' areas.
    pub faces: f64,
    /// Sum of the magnitudes of the areas that are enclosed with it, in pieces that may overlap; 0 between sound meshes, where nobody asks for it.
    skin: f64,
    /// Area of the surfaces that are enclosed with it.
    wall: f64,
    /// The flux out of the halos of its enclosed edges and vertices, over the second and the third power of the halo.
    pub edges: f64,
    pub vertices: f64,
    /// Not 0 if tests of the inside contradict each other.
    pub unsure: u32,
    /// Whether only sheets with two sides cross, which enclose nothing: not 0.
    sheet: u32,
    /// The square of how far corners of its surfaces are from the origin, at most.
    farthest: f64,
    /// For an enclosed part: on either body the corner inside that is farthest from the curve, as its number plus 1, and its distance.
    pub far: [f64; 2],
    pub corner: [u64; 2],
}

fn add(to: &mut [f64; 3], v: DVec3) {
    *to = (DVec3::from_array(*to) + v).to_array();
}

impl Loop {
    /// Nothing yet.
    pub fn new(sheet: bool) -> Self {
        Loop { sheet: u32::from(sheet), ..Loop::default() }
    }

    /// A piece of the curve from `p` to `q`.
    pub fn curve(&mut self, p: DVec3, q: DVec3) {
        let d = q - p;
        add(&mut self.area, p.cross(q) * 0.5);
        add(&mut self.torque, d * ((p.dot(p) + p.dot(q) + q.dot(q)) * (1.0 / 6.0)));
    }

    /// Adds the other sums of a segment.
    pub fn weigh(&mut self, p: DVec3, q: DVec3, halo: f64) {
        let length = unit(q - p).map_or(0.0, |(_, length)| length);
        add(&mut self.mean, (p + q) * (0.5 * length));
        self.length += length;
        self.halo += halo * length;
    }

    /// Adds a piece of an enclosed surface with this outward normal: anticlockwise as seen from outside, or clockwise if it subtracts from
    /// another piece.
    pub fn surface(&mut self, outward: DVec3, [a, b, c]: [DVec3; 3]) {
        let volume = a.dot(b.cross(c)) * (1.0 / 6.0);
        self.volume += volume;
        add(&mut self.moment, (a + b + c) * (0.25 * volume));
        let area = (b - a).cross(c - a) * 0.5;
        add(&mut self.closing, area);
        self.wall += area.dot(outward);
        self.farthest = max(self.farthest, max(a.dot(a), max(b.dot(b), c.dot(c))));
    }

    /// Counts the same piece as skin, which [`closes`](Self::closes) asks for.
    pub fn cover(&mut self, [a, b, c]: [DVec3; 3]) {
        let area = (b - a).cross(c - a) * 0.5;
        self.skin += unit(area).map_or(0.0, |(_, area)| area);
    }

    /// The sum of what is [covered](Self::cover).
    pub fn skin(&self) -> f64 {
        self.skin
    }

    /// The curve does not go on here.
    pub fn open(&mut self, at: DVec3) {
        add(&mut self.open_at, at);
        self.opens += 1;
    }

    /// The place to which open ends are joined: the middle of them, so that two ends are joined by a straight line.
    pub fn middle_of_ends(&self) -> DVec3 {
        DVec3::from_array(self.open_at) / f64::from(self.opens.max(1))
    }

    /// Whether its area is only rounding, or that of a sheet. (Where a curve crosses edges of a sheet, it runs along both sides and
    /// cancels. Between its edges each side has a curve of its own.)
    pub fn is_nothing(&self) -> bool {
        const NOTHING: f64 = 1.0 / (1u64 << 36) as f64;
        self.sheet != 0 || unit(self.area()).is_none_or(|(_, area)| area <= NOTHING * self.length * self.length)
    }

    pub fn area(&self) -> DVec3 {
        DVec3::from_array(self.area)
    }

    /// `1/2 int x^2 dx`.
    pub fn torque(&self) -> DVec3 {
        DVec3::from_array(self.torque)
    }

    /// A side of an enclosed part: area vector, torque and first moment of the area, the area itself, how far the part reaches behind it, and its share of the volume.
    pub fn side([force, torque, moment]: [DVec3; 3], area: f64, [reach, share]: [f64; 2]) -> Self {
        let [force, torque, mean] = [force, torque, moment].map(|v| v.to_array());
        Loop { area: force, torque, mean, length: area, across_patches: reach, volume: share, ..Loop::default() }
    }

    /// Of a side: how far the part reaches behind it, times its area.
    pub fn behind(&self) -> f64 {
        unit(self.area()).map_or(0.0, |(_, area)| self.across_patches * area)
    }

    /// Of a side: how far the part reaches behind it, and its share of the volume.
    pub fn reach_and_share(&self) -> [f64; 2] {
        [self.across_patches, self.volume]
    }

    /// Adds the sums over the curve.
    pub fn join_curve(&mut self, other: &Loop) {
        add(&mut self.area, other.area());
        add(&mut self.torque, DVec3::from_array(other.torque));
        add(&mut self.mean, DVec3::from_array(other.mean));
        self.length += other.length;
        self.halo += other.halo;
        self.sheet |= other.sheet;
        if other.ways.least().is_some_and(|(_, far)| self.ways.least().is_none_or(|(_, least)| far < least)) {
            self.ways = other.ways;
        }
    }

    /// Adds the sums over the surfaces.
    pub fn join_surface(&mut self, other: &Loop) {
        self.volume += other.volume;
        add(&mut self.moment, DVec3::from_array(other.moment));
        add(&mut self.closing, DVec3::from_array(other.closing));
        self.skin += other.skin;
        self.wall += other.wall;
        self.farthest = max(self.farthest, other.farthest);
        self.edges += other.edges;
        self.vertices += other.vertices;
        self.unsure |= other.unsure;
    }

    /// For an enclosed part: whether its surfaces close, up to rounding.
    pub fn closes(&self) -> bool {
        closes(DVec3::from_array(self.closing), self.skin, self.length)
    }

    /// For an enclosed part: whether one body sticks in the other by more than its thickness there, and is thinner than `than`. Most of the
    /// surface then looks in opposite directions, at a distance that is twice the volume over half of the surface.
    pub fn is_thin(&self, than: f64) -> bool {
        let net = unit(self.area()).map_or(0.0, |(_, area)| area);
        let (volume, _) = self.enclosed(self.middle());
        4.0 * net < self.wall && volume > 0.0 && 4.0 * volume < than * self.wall
    }

    /// Middle of the curve.
    pub fn middle(&self) -> DVec3 {
        if self.length > 0.0 { DVec3::from_array(self.mean) / self.length } else { DVec3::ZERO }
    }

    /// Mean halo.
    pub fn halo(&self) -> f64 {
        if self.length > 0.0 { self.halo / self.length } else { 0.0 }
    }

    /// The volume enclosed, and its centre. Surfaces that do not close are closed by a cone from the middle of the curve.
    fn enclosed(&self, middle: DVec3) -> (f64, DVec3) {
        let volume = self.volume - middle.dot(DVec3::from_array(self.closing)) * (1.0 / 3.0);
        if volume > 0.0 { (volume, DVec3::from_array(self.moment) / volume) } else { (0.0, middle) }
    }

    /// The volume of hollows of both bodies that cross each other: their surfaces close, and look inward.
    pub fn hollow(&self) -> Option<f64> {
        const NOTHING: f64 = 1.0 / (1u64 << 36) as f64;
        let open = unit(DVec3::from_array(self.closing)).map_or(0.0, |(_, area)| area);
        let volume = self.middle().dot(DVec3::from_array(self.closing)) * (1.0 / 3.0) - self.volume;
        (volume > NOTHING * self.wall * self.length && open <= NOTHING * self.wall).then_some(volume)
    }

    /// With this share of the volume, about the same centre.
    pub fn shrunk(mut self, left: f64) -> Self {
        if self.hollow().is_none() {
            self.volume *= left;
            self.moment = self.moment.map(|x| x * left);
        }
        self
    }

    /// The volume of the whole.
    pub fn volume(&self) -> f64 {
        self.enclosed(self.middle()).0
    }

    /// For an enclosed part: its energy over the stiffness by the law of volumes, without the energy of faces outside. Minus its gradient
    /// is the force of [`gradient`], less the force that faces outside lose. `more` is that of [`gradient`].
    pub fn energy(&self, more: f64) -> f64 {
        let halo = self.halo();
        if halo <= 0.0 {
            return 0.0;
        }
        let layer = halo * (0.5 * self.wall + halo * (self.edges + halo * self.vertices));
        self.volume() * (1.0 + more / (2.0 * halo)) + 0.5 * layer
    }

    /// How deep the whole is.
    pub fn extent(&self) -> f64 {
        min(max(self.high - self.low, 0.0), self.across_patches)
    }

    /// Adds a point of the enclosed part.
    pub fn reach(&mut self, at: DVec3) {
        let x = at.dot(DVec3::from_array(self.across));
        (self.low, self.high) = (min(self.low, x), max(self.high, x));
    }
}

/// What a force law needs of an enclosed part, in the units and about the origin of its loop.
#[derive(Clone, Copy, Debug)]
pub(super) struct Load {
    /// From the second body to the first.
    pub normal: DVec3,
    pub area: f64,
    /// That of the curve, whatever the depth is.
    pub bare: f64,
    /// Mean depth.
    pub depth: f64,
    /// Largest depth.
    pub most: f64,
    pub halo: f64,
    pub centre: DVec3,
    /// Torque of the force `area (1 + depth / halo) normal`, or `area normal` if there is no halo; about the origin.
    pub torque: DVec3,
    /// Whether it is the smallest translation.
    pub least: bool,
}

/// `v` shortened to this length.
fn within(v: DVec3, radius: f64) -> DVec3 {
    match unit(v) {
        Some((direction, length)) if length > radius => direction * radius,
        _ => v,
    }
}

/// The load of a loop that closes; `whole` is what it belongs to.
pub(super) fn closed(of: &Loop, whole: &Loop) -> Option<Load> {
    let (way, area) = unit(of.area()).unwrap_or((DVec3::ZERO, 0.0));
    if of.is_nothing() {
        return least(of);
    }
    let (normal, halo, extent) = (-way, of.halo(), whole.extent());
    let volume = whole.volume();
    let deep = deep(of, whole, extent);
    let extent = if volume > 0.0 { extent } else { 0.0 };
    let volume = volume * (area / whole.faces);
    let flat = centre(of, normal, area, 0.5 * of.length);
    let mean = volume / area;
    let torque = DVec3::from_array(of.torque);
    let bare = area;
    let (area, depth) = match mean > extent && halo + extent > 0.0 {
        true => ((area * halo + volume) / (halo + extent), extent),
        false => (area, mean),
    };
    if halo <= 0.0 {
        return Some(Load { normal, area, bare, depth, most: extent, halo, centre: flat, torque, least: false });
    }
    let more = volume / halo;
    let force = area * (1.0 + depth / halo);
    let centre = (flat * (force - more) + deep * more) / force;
    let torque = torque + deep.cross(normal * more);
    Some(Load { normal, area, bare, depth, most: extent, halo, centre, torque, least: false })
}

/// The load of a loop that closes, for the law of volumes: minus the gradient of `Vol + Vol^2 / (2 T A)`, with Vol all that the bodies have in
/// common and A an area that is the same at all poses; `more` is `Vol / A`.
pub(super) fn gradient(of: &Loop, whole: &Loop, more: f64) -> Option<Load> {
    let (way, area) = unit(of.area()).unwrap_or((DVec3::ZERO, 0.0));
    let halo = of.halo();
    if of.is_nothing() || halo <= 0.0 {
        return closed(of, whole);
    }
    let (normal, extent) = (-way, whole.extent());
    let depth = min(whole.volume() / whole.faces, extent);
    let factor = 1.0 + more / halo;
    let torque = DVec3::from_array(of.torque) * factor;
    let flat = centre(of, normal, area, 0.5 * of.length);
    let deep = deep(of, whole, extent);
    // Of the pressure `1 + depth / halo`, the part that grows with the depth is in the middle of the volume.
    let centre = (flat + deep * (depth / halo)) / (1.0 + depth / halo);
    // Told with the depth that there is: force and depth give the area.
    let (bare, area) = (area, area * factor / (1.0 + depth / halo));
    Some(Load { normal, area, bare, depth, most: extent, halo, centre, torque, least: false })
}

/// What a side has of the [`gradient`] of a loop; `volume` is that of the whole, and `sides` the sum, over all sides, of how far the part reaches behind each times its area.
///
/// All sides are pushed by the same pressure, so their forces and torques add up to those of the loop.
pub(super) fn of_side(side: &Loop, of: &Loop, load: &Load, [volume, sides]: [f64; 2]) -> Option<Load> {
    let ((way, size), (_, all)) = (unit(side.area())?, unit(of.area())?);
    let normal = -way;
    let factor = load.area * (1.0 + load.depth / load.halo) / all;
    let [reach, _] = side.reach_and_share();
    let most = min(reach, load.most);
    let depth = min(most, reach * min(volume / sides, 1.0));
    let area = size * factor / (1.0 + depth / load.halo);
    let (centre, torque) = (centre(side, normal, size, Real::sqrt(side.length)), side.torque() * factor);
    Some(Load { normal, area, bare: size, depth, most, centre, torque, ..*load })
}

/// Where the force `-V` acts: on its line of action, beside the middle of the curve.
fn centre(of: &Loop, normal: DVec3, area: f64, radius: f64) -> DVec3 {
    let middle = of.middle();
    let line = normal.cross(DVec3::from_array(of.torque)) / area;
    let there = line + normal * normal.dot(middle);
    middle + within(there - middle, radius)
}

/// The middle of the volume that a loop encloses, `extent` deep, within reach of the middle of the curve. As far as rounding may have moved it by
/// more than a quarter of the curve's reach, it is the middle of the curve instead.
fn deep(of: &Loop, whole: &Loop, extent: f64) -> DVec3 {
    let (volume, middle) = whole.enclosed(whole.middle());
    let radius = 0.5 * of.length;
    // Each piece of its surface is summed as a cone from the origin: of sums of products of four lengths.
    let rounding = f64::EPSILON * whole.farthest * whole.farthest;
    let known = min(max(2.0 - 4.0 * rounding / (volume * radius), 0.0), 1.0);
    let extent = if volume > 0.0 { extent } else { 0.0 };
    of.middle() + within(middle - of.middle(), radius + extent) * if known > 0.0 { known } else { 0.0 }
}

/// The load of a loop that does not close, but for the lines that close it.
pub(super) fn open(of: &Loop) -> Option<Load> {
    let (way, area) = unit(of.area()).unwrap_or((DVec3::ZERO, 0.0));
    let depth = of.ways.least().map_or(0.0, |(_, far)| far);
    if area <= depth * of.length {
        return least(of);
    }
    let (normal, halo) = (-way, of.halo());
    let flat = centre(of, normal, area, 0.5 * of.length);
    let more = if halo > 0.0 { area * depth / halo } else { 0.0 };
    let torque = DVec3::from_array(of.torque) + flat.cross(normal * more);
    Some(Load { normal, area, bare: area, depth, most: depth, halo, centre: flat, torque, least: false })
}

/// The load along the smallest translation: as wide as that, and as long as the curve.
fn least(of: &Loop) -> Option<Load> {
    let (normal, depth) = of.ways.least()?;
    let (halo, centre) = (of.halo(), of.middle());
    let area = depth * of.length;
    let force = if halo > 0.0 { area * (1.0 + depth / halo) } else { area };
    let (bare, torque) = (min(depth, halo) * of.length, centre.cross(normal * force));
    let load = Load { normal, area, bare, depth, most: depth, halo, centre, torque, least: true };
    (area > 0.0).then_some(load)
}
