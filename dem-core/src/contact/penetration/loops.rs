//! Sums over the segments of a loop and over the part that it encloses.

use glam::DVec3;
use zerocopy::{FromBytes, Immutable, IntoBytes};

use super::super::unit;
use super::depth_limits::closes;
use super::least_translation::Ways;
use crate::real::{Real, max, min};

/// A bit of [`Loop::unsure`]: the other body may have come to a sheet from behind.
pub(super) const BEHIND: u32 = 2;

/// Sums over one or several loops of the intersection curve, about the origin of all loops, in canonical units.
#[derive(Clone, Copy, Debug, Default, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub(super) struct Loop {
    /// `1/2 int x cross dx`: the area vector V of the first body's surface that it encloses.
    area: [f64; 3],
    /// `1/2 int x^2 dx`: the torque on the first body of the force -V.
    torque: [f64; 3],
    /// `int x ds`.
    mean: [f64; 3],
    /// Its length.
    pub length: f64,
    /// `int T ds`.
    halo: f64,
    /// For the enclosed surfaces, as cones from the origin: volume, `int x dV`, area vector.
    volume: f64,
    moment: [f64; 3],
    closing: [f64; 3],
    /// Number of places where the loop is open.
    pub opens: u32,
    /// Number of segments.
    pub segments: u32,
    /// If the loop does not close, or encloses no area: separating translations of its triangles. Once depths are known, the first one of the
    /// loops that close and have one normal has their [`Shape`] there, if together they enclose an area.
    pub ways: Ways,
    /// While the curve is followed: sum of the places where the loop is open. Then, for an enclosed part: the direction in which its width is
    /// measured, and its ends along this direction.
    pub across: [f64; 3],
    pub low: f64,
    pub high: f64,
    /// For an enclosed part: its width across the patches that face the other body.
    pub across_patches: f64,
    /// For an enclosed part: the sum of the magnitudes of its loops' areas.
    pub faces: f64,
    /// Sum of the magnitudes of the enclosed areas, in pieces that may overlap; 0 between sound meshes, which do not need it.
    skin: f64,
    /// Area of the enclosed surfaces.
    wall: f64,
    /// The flux out of the halos of its enclosed edges and vertices, over the second and the third power of the halo.
    pub edges: f64,
    pub vertices: f64,
    /// 1 if tests of the inside contradict each other; [`BEHIND`].
    pub unsure: u32,
    /// Not 0 if only two-sided sheets cross, which enclose nothing.
    sheet: u32,
    /// The largest squared distance of its surfaces' corners from the origin.
    farthest: f64,
    /// For an enclosed part: on each body, the corner inside that is farthest from the curve, as its number plus 1, and its squared distance.
    pub far: [f64; 2],
    pub corner: [u64; 2],
}

fn add(to: &mut [f64; 3], v: DVec3) {
    *to = (DVec3::from_array(*to) + v).to_array();
}

/// The shape of the area that loops with one normal enclose.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Shape {
    /// The middle of the area.
    pub middle: [f64; 3],
    /// Its second moments about the middle across the normal.
    pub second: [f64; 3],
}

impl Loop {
    /// Whether the loop closes, so that it can have a [`shape`](Self::shape) in place of separating translations.
    pub fn may_have_shape(&self) -> bool {
        self.opens == 0 && self.ways.is_empty()
    }

    /// The shape of the area of all loops with this one's normal, once it was set.
    pub fn shape(&self) -> Shape {
        let [middle, second] = self.ways.kept();
        Shape { middle, second }
    }

    /// Sets the shape. Loops that enclose an area need no separating translations.
    pub fn set_shape(&mut self, shape: &Shape) {
        self.ways.keep([shape.middle, shape.second]);
    }

    /// Empty sums.
    pub fn new(sheet: bool) -> Self {
        Loop { sheet: u32::from(sheet), ..Loop::default() }
    }

    /// Adds a piece of the curve from `p` to `q`.
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

    /// Adds the area of the same piece to the skin, which [`closes`](Self::closes) needs.
    pub fn cover(&mut self, [a, b, c]: [DVec3; 3]) {
        let area = (b - a).cross(c - a) * 0.5;
        self.skin += unit(area).map_or(0.0, |(_, area)| area);
    }

    /// The sum of all [covered](Self::cover) areas.
    pub fn skin(&self) -> f64 {
        self.skin
    }

    /// Adds a place where the curve is open.
    pub fn open(&mut self, at: DVec3) {
        add(&mut self.across, at);
        self.opens += 1;
    }

    /// The place to which open ends are connected: their mean, so that two ends are connected by a straight line.
    pub fn middle_of_ends(&self) -> DVec3 {
        DVec3::from_array(self.across) / f64::from(self.opens.max(1))
    }

    /// Whether its area is rounding only, or that of a sheet. (A curve across edges of a sheet runs along both sides of the sheet and cancels.
    /// Between the sheet's edges each side has its own curve.)
    pub fn is_nothing(&self) -> bool {
        const NOTHING: f64 = 1.0 / (1u64 << 36) as f64;
        self.is_sheet() || unit(self.area()).is_none_or(|(_, area)| area <= NOTHING * self.length * self.length)
    }

    /// Whether only two-sided sheets cross.
    pub fn is_sheet(&self) -> bool {
        self.sheet != 0
    }

    pub fn area(&self) -> DVec3 {
        DVec3::from_array(self.area)
    }

    /// For an enclosed part: whether the magnitude of its area vector is less than this fraction of the mean area inside both bodies.
    pub fn cancels(&self, part: f64) -> bool {
        unit(self.area()).map_or(0.0, |(_, net)| net) < part * self.mean_area()
    }

    /// `1/2 int x^2 dx`.
    pub fn torque(&self) -> DVec3 {
        DVec3::from_array(self.torque)
    }

    /// A side of an enclosed part: area vector, torque, first moment of the area, the area itself, the reach of the part behind it, and its share
    /// of the volume.
    pub fn side([force, torque, moment]: [DVec3; 3], area: f64, [reach, share]: [f64; 2]) -> Self {
        let [force, torque, mean] = [force, torque, moment].map(|v| v.to_array());
        Loop { area: force, torque, mean, length: area, across_patches: reach, volume: share, ..Loop::default() }
    }

    /// For a side: the reach of the part behind it times its area.
    pub fn behind(&self) -> f64 {
        unit(self.area()).map_or(0.0, |(_, area)| self.across_patches * area)
    }

    /// For a side: the reach of the part behind it, and its share of the volume.
    pub fn reach_and_share(&self) -> [f64; 2] {
        [self.across_patches, self.volume]
    }

    /// Adds another loop's sums over the curve.
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

    /// Adds another loop's sums over surfaces.
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

    /// For an enclosed part: whether its penetration is deeper than the local thickness of one body, and that thickness is less than `than`. Most
    /// of the surface then looks in opposite directions, at a distance of twice the volume over half of the surface.
    pub fn is_thin(&self, than: f64) -> bool {
        let net = unit(self.area()).map_or(0.0, |(_, area)| area);
        let apart = 2.0 * self.thickness();
        4.0 * net < self.wall && apart > 0.0 && apart < than
    }

    /// For an enclosed part: the mean of both bodies' areas inside.
    pub fn mean_area(&self) -> f64 {
        0.5 * self.wall
    }

    /// For an enclosed part: the volume over half of the surface. It is the mean thickness of a shell.
    pub fn thickness(&self) -> f64 {
        let (volume, _) = self.enclosed(self.middle());
        if self.wall > 0.0 { 2.0 * volume / self.wall } else { 0.0 }
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

    /// The volume of crossing hollows of both bodies, whose surfaces close and look inward.
    pub fn hollow(&self) -> Option<f64> {
        const NOTHING: f64 = 1.0 / (1u64 << 36) as f64;
        let open = unit(DVec3::from_array(self.closing)).map_or(0.0, |(_, area)| area);
        let volume = self.middle().dot(DVec3::from_array(self.closing)) * (1.0 / 3.0) - self.volume;
        (volume > NOTHING * self.wall * self.length && open <= NOTHING * self.wall).then_some(volume)
    }

    /// With this factor on the volume, about the same centre; hollows do not change.
    pub fn shrunk(mut self, left: f64) -> Self {
        if self.hollow().is_none() {
            self.volume *= left;
            self.moment = self.moment.map(|x| x * left);
        }
        self
    }

    /// The enclosed volume.
    pub fn volume(&self) -> f64 {
        self.enclosed(self.middle()).0
    }

    /// For an enclosed part: its energy over the stiffness under the law of volumes, without the energy of faces outside. Minus its gradient is
    /// the force of [`gradient`], less the force that faces outside lose. `more` is that of [`gradient`].
    pub fn energy(&self, more: f64) -> f64 {
        let halo = self.halo();
        if halo <= 0.0 {
            return 0.0;
        }
        let layer = halo * (0.5 * self.wall + halo * (self.edges + halo * self.vertices));
        self.volume() * (1.0 + more / (2.0 * halo)) + 0.5 * layer
    }

    /// The depth of the whole part.
    pub fn extent(&self) -> f64 {
        min(self.width(), self.across_patches)
    }

    /// The width of the whole part along its normal. Without bound if its forces cancel: there is no normal then, so only widths across patches
    /// count.
    pub fn width(&self) -> f64 {
        if self.across == [0.0; 3] { f64::INFINITY } else { max(self.high - self.low, 0.0) }
    }

    /// Adds a point of the enclosed part.
    pub fn reach(&mut self, at: DVec3) {
        let x = at.dot(DVec3::from_array(self.across));
        (self.low, self.high) = (min(self.low, x), max(self.high, x));
    }
}

/// The input of a force law for an enclosed part, in the units and about the origin of its loop.
#[derive(Clone, Copy, Debug)]
pub(super) struct Load {
    /// From the second body to the first.
    pub normal: DVec3,
    pub area: f64,
    /// Area of the curve alone, independent of the depth.
    pub bare: f64,
    /// Mean depth.
    pub depth: f64,
    /// Largest depth.
    pub most: f64,
    pub halo: f64,
    pub centre: DVec3,
    /// Torque of the force `area (1 + depth / halo) normal`, or `area normal` if there is no halo; about the origin.
    pub torque: DVec3,
    /// Whether the load is along the smallest separating translation.
    pub least: bool,
}

/// `v` shortened to at most this length.
fn within(v: DVec3, radius: f64) -> DVec3 {
    match unit(v) {
        Some((direction, length)) if length > radius => direction * radius,
        _ => v,
    }
}

/// The load of a closed loop; `whole` is its enclosed part, and `height` that of the surface inside above the middle of the curve.
pub(super) fn closed(of: &Loop, whole: &Loop, height: f64) -> Option<Load> {
    let (way, area) = unit(of.area()).unwrap_or((DVec3::ZERO, 0.0));
    if of.is_nothing() {
        return least(of);
    }
    let (normal, halo, extent) = (-way, of.halo(), whole.extent());
    let volume = whole.volume();
    let deep = deep(of, whole, extent);
    let extent = if volume > 0.0 { extent } else { 0.0 };
    let volume = volume * (area / whole.faces);
    let flat = centre(of, normal, area, 0.5 * of.length) + normal * height;
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

/// The load of a closed loop under the law of volumes: minus the gradient of `Vol + Vol^2 / (2 T A)`. Vol is the whole intersection volume of the
/// bodies, and A an area that is the same at all poses; `more` is `Vol / A`.
pub(super) fn gradient(of: &Loop, whole: &Loop, more: f64, height: f64) -> Option<Load> {
    let (way, area) = unit(of.area()).unwrap_or((DVec3::ZERO, 0.0));
    let halo = of.halo();
    if of.is_nothing() || halo <= 0.0 {
        return closed(of, whole, height);
    }
    let (normal, extent) = (-way, whole.extent());
    let depth = min(whole.volume() / whole.faces, extent);
    let factor = 1.0 + more / halo;
    let torque = DVec3::from_array(of.torque) * factor;
    let flat = centre(of, normal, area, 0.5 * of.length) + normal * height;
    let deep = deep(of, whole, extent);
    // The part of the pressure `1 + depth / halo` that grows with the depth acts at the centroid of the volume.
    let centre = (flat + deep * (depth / halo)) / (1.0 + depth / halo);
    // Reported with the actual depth: the force and the depth determine the area.
    let (bare, area) = (area, area * factor / (1.0 + depth / halo));
    Some(Load { normal, area, bare, depth, most: extent, halo, centre, torque, least: false })
}

/// The load of a side of an enclosed part under the law of volumes; `more` is that of [`gradient`]. `sides` is the sum over all sides of the reach of
/// the part behind the side times the side's area.
///
/// The same pressure pushes all sides, so their forces and torques add up to those of the part.
pub(super) fn of_side(side: &Loop, whole: &Loop, more: f64, sides: f64) -> Option<Load> {
    let (way, size) = unit(side.area())?;
    let (normal, halo) = (-way, whole.halo());
    let factor = 1.0 + more / halo;
    let [reach, _] = side.reach_and_share();
    let most = min(reach, whole.extent());
    let depth = min(most, reach * min(whole.volume() / sides, 1.0));
    let area = size * factor / (1.0 + depth / halo);
    let (centre, torque) = (centre(side, normal, size, Real::sqrt(side.length)), side.torque() * factor);
    Some(Load { normal, area, bare: size, depth, most, halo, centre, torque, least: false })
}

/// The point of application of the force `-V`: on its line of action, beside the middle of the curve.
pub(super) fn centre(of: &Loop, normal: DVec3, area: f64, radius: f64) -> DVec3 {
    let middle = of.middle();
    let line = normal.cross(DVec3::from_array(of.torque)) / area;
    let there = line + normal * normal.dot(middle);
    middle + within(there - middle, radius)
}

/// The centroid of the volume that a loop encloses, `extent` deep, within reach of the middle of the curve. If rounding may have moved the
/// centroid by more than a quarter of the curve's reach, the result moves toward the middle of the curve.
fn deep(of: &Loop, whole: &Loop, extent: f64) -> DVec3 {
    let (volume, middle) = whole.enclosed(whole.middle());
    let radius = 0.5 * of.length;
    // Each surface piece is summed as a cone from the origin, with products of four lengths.
    let rounding = f64::EPSILON * whole.farthest * whole.farthest;
    let known = min(max(2.0 - 4.0 * rounding / (volume * radius), 0.0), 1.0);
    let extent = if volume > 0.0 { extent } else { 0.0 };
    of.middle() + within(middle - of.middle(), radius + extent) * if known > 0.0 { known } else { 0.0 }
}

/// The load of an open loop, closed by straight lines.
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

/// The load along the smallest separating translation: its area is that translation times the length of the curve.
fn least(of: &Loop) -> Option<Load> {
    let (normal, depth) = of.ways.least()?;
    let (halo, centre) = (of.halo(), of.middle());
    let area = depth * of.length;
    let force = if halo > 0.0 { area * (1.0 + depth / halo) } else { area };
    let (bare, torque) = (min(depth, halo) * of.length, centre.cross(normal * force));
    let load = Load { normal, area, bare, depth, most: depth, halo, centre, torque, least: true };
    (area > 0.0).then_some(load)
}
