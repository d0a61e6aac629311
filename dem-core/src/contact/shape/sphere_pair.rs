//! Contacts of a sphere with a sphere or a half-space by closed forms, and the law that these share with contacts of spheres and meshes.

use core::f64::consts::PI;
use glam::DVec3;

use super::Shape;
use super::writer::{Local, PartPair, Sink};
use crate::contact::spread::{Wants, of_ball};
use crate::contact::{Contact, status, unit};
use crate::real::{Real, max, min};

/// The law between a sphere and a surface: radius, and the sum of both halos.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Round {
    pub radius: f64,
    pub halo: f64,
}

/// Surfaces are integrated up to this multiple of the distance of the nearest point: for a flat surface, within 48 degrees of the direction to
/// that point.
const WIDE: f64 = 1.5;

/// The part of a surface in the reach of a sphere.
#[derive(Clone, Copy)]
pub(super) struct Patch {
    /// Area, `sum int dA`.
    pub area: f64,
    /// The mean of `(reach^2 - d^2) / (halo + 2 radius)` over the patch, where d is the distance from the centre.
    pub filled: f64,
    /// How directly the patch faces the centre: 1 where its normal is the mean direction to the centre.
    pub facing: f64,
}

impl Round {
    /// Radius plus halo.
    pub fn reach(&self) -> f64 {
        self.radius + self.halo
    }

    /// Mean gap and area of the contact with a patch.
    pub fn law(&self, patch: &Patch) -> (f64, f64) {
        let Round { radius, halo } = *self;
        let wide = halo + 2.0 * radius;
        if wide <= 0.0 {
            return (0.0, 0.0);
        }
        // Root mean square of the distance from the centre.
        let distance = Real::sqrt(max(radius * radius + (halo - patch.filled) * wide, 0.0));
        let both = distance + radius;
        let gap = if both > 0.0 { (halo - patch.filled) * wide / both } else { 0.0 };
        (gap, patch.facing * patch.area * ((radius + halo + distance) / wide))
    }

    /// The force of a contact of this mean gap and area, over the stiffness.
    pub fn strength(&self, gap: f64, area: f64) -> f64 {
        if self.halo > 0.0 { (1.0 - gap / self.halo) * area } else { -gap * area }
    }

    /// The integral of the pressure over a plane at this distance from the centre.
    pub fn on_plane(&self, distance: f64) -> f64 {
        if distance >= self.reach() {
            return 0.0;
        }
        let (gap, area) = self.law(&self.flat(distance));
        self.strength(gap, area)
    }

    /// The patch of an infinite plane at the distance `height` from the centre.
    pub fn flat(&self, height: f64) -> Patch {
        let reach = self.reach();
        let square = (reach - height) * (reach + height);
        let wide = self.halo + 2.0 * self.radius;
        let filled = if wide > 0.0 { 0.5 * square / wide } else { 0.0 };
        Patch { area: PI * square, filled, facing: 1.0 }
    }

    /// The radius of integration for a surface at this distance, and a factor for areas and mean pressures. With this factor, a plane gives the
    /// result of the whole reach. An integral over the whole reach would be wrong for a near centre: the surface would push from all sides, and
    /// forces would cancel.
    pub fn around_foot(&self, closest: f64) -> (f64, f64) {
        let whole = self.reach();
        let reach = min(whole, WIDE * closest);
        let square = |reach: f64| (reach - closest) * (reach + closest);
        if reach < whole { (reach, square(whole) / square(reach)) } else { (whole, 1.0) }
    }

    /// Mean gap and area if the centre is below a plane; the pressure keeps growing with depth.
    pub fn sunk(&self, depth: f64) -> (f64, f64) {
        let (gap, area) = self.law(&self.flat(0.0));
        let below = self.halo - gap;
        let disc = PI * self.reach() * self.reach();
        let all = below + depth;
        (gap - depth, if all > 0.0 { (area * below + disc * depth) / all } else { 0.0 })
    }

    /// Mean square, along each axis across the normal, of the pressure if the centre is below a plane. The part that [`sunk`](Self::sunk) adds is
    /// uniform over the disc.
    pub fn sunk_square(&self, depth: f64) -> f64 {
        let (gap, area) = self.law(&self.flat(0.0));
        let square = self.reach() * self.reach();
        let (own, more) = ((self.halo - gap) * area, PI * square * depth);
        if own + more > 0.0 { square * (own / 6.0 + more / 4.0) / (own + more) } else { 0.0 }
    }

    /// The distance from the centre to a contact with this gap. The contact divides the gap in the ratio of both halos.
    pub fn arm(&self, own_halo: f64, gap: f64) -> f64 {
        self.radius + gap * part(own_halo, self.halo)
    }
}

/// The share of a gap that belongs to the halo `own`; 1/2 without halos.
fn part(own: f64, both: f64) -> f64 {
    if both > 0.0 { own / both } else { 0.5 }
}

/// The effective radius of two spheres; 0 if one is a point.
pub(super) fn effective([a, b]: [f64; 2]) -> f64 {
    if a > 0.0 && b > 0.0 { a * b / (a + b) } else { 0.0 }
}

impl Local {
    /// Sets the second moments of a ball.
    pub fn spread_as_ball(self, wants: Wants) -> Self {
        let spread = if wants.spread { of_ball(self.normal.to_array(), self.area) } else { self.spread };
        Local { spread, ..self }
    }
}

/// Two spheres at their poses.
#[derive(Clone, Copy)]
pub(crate) struct Balls {
    /// B's position relative to the midpoint of both centres, then A's.
    pub(super) from: DVec3,
    pub(super) to: DVec3,
    pub(super) middle: [f64; 3],
    pub(super) radii: [f64; 2],
    pub(super) halos: [f64; 2],
}

impl Balls {
    /// Values of A and of B.
    #[inline(always)]
    pub fn new([a, b]: [[f64; 3]; 2], radii: [f64; 2], halos: [f64; 2]) -> Self {
        let half = DVec3::from_array([0, 1, 2].map(|k| 0.5 * a[k] - 0.5 * b[k]));
        let middle = [0, 1, 2].map(|k| 0.5 * a[k] + 0.5 * b[k]);
        Balls { from: -half, to: half, middle, radii, halos }
    }

    /// Whether there is a contact. Fast unless the gap is close to the halo.
    #[inline(always)]
    pub fn touch(&self) -> bool {
        let Balls { to, radii: [ra, rb], halos: [ha, hb], .. } = *self;
        // Products of numbers in this range are finite, and relative rounding errors are far below the tolerance.
        const COMMON: core::ops::Range<f64> = 1e-60..1e60;
        const DOUBT: f64 = 1e-9;
        let (square, reach) = (4.0 * to.length_squared(), (ra + rb) + (ha + hb));
        let beyond = square - reach * reach;
        if COMMON.contains(&(reach * reach)) && COMMON.contains(&square) && Real::abs(beyond) > DOUBT * square {
            return beyond < 0.0;
        }
        self.contact(0).is_some()
    }

    /// The energy over the stiffness.
    pub fn stored(&self) -> f64 {
        let Balls { from, to, radii: [ra, rb], halos: [ha, hb], .. } = *self;
        let (small, large) = if ra < rb { (ra, rb) } else { (rb, ra) };
        let distance = unit(to - from).map_or(0.0, |(_, length)| length);
        Round { radius: small, halo: ha + hb }.on_sphere_stored(distance - large, large)
    }

    /// The contact that [`shape_contacts`](super::shape_contacts) finds for these two spheres.
    #[inline(always)]
    pub fn contact(&self, tag: u64) -> Option<Contact> {
        let local = self.local().filter(Local::is_finite)?;
        Some(Contact { share: 1.0, ..local.contact([tag, 0], 1.0, self.middle) })
    }

    /// The contact: an integral over the surface of the larger sphere within reach of the smaller one.
    #[inline(always)]
    pub(super) fn local(&self) -> Option<Local> {
        let Balls { from, to, radii: [ra, rb], halos: [ha, hb], .. } = *self;
        let apart = unit(to - from);
        let distance = apart.map_or(0.0, |(_, length)| length);
        let (small, large) = if ra < rb { (ra, rb) } else { (rb, ra) };
        let round = Round { radius: small, halo: ha + hb };
        let least_gap = distance - (ra + rb);
        if least_gap >= round.halo {
            return None;
        }
        // Where centres coincide, any normal is valid; exchanging two different spheres negates it.
        let concentric = if (ra, ha) < (rb, hb) { -DVec3::Z } else { DVec3::Z };
        let normal = apart.map_or(concentric, |(normal, _)| normal);
        let height = distance - large;
        let (gap, area) = if height < 0.0 {
            round.sunk(-height)
        } else {
            let flat = round.flat(height);
            // The ratio of the area on a sphere to that on a plane; 0 where both are points.
            let curved = if distance > 0.0 { large / distance } else { 0.0 };
            round.law(&Patch { area: flat.area * curved, ..flat })
        };
        // Relative to the midpoint of the centres, so that exchanging the spheres changes signs only.
        let [wa, wb] = [ha, hb].map(|own| part(own, round.halo));
        let position = (from + to) * 0.5 + normal * (0.5 * (rb - ra) + least_gap * (0.5 * (wb - wa)));
        let status = if apart.is_none() { status::DEGENERATE } else { 0 };
        let radius = effective([ra + ha, rb + hb]);
        Some(Local { position, normal, gap, least_gap, area, halo: round.halo, status, radius, ..Local::default() })
    }
}

/// Writes the contact of two spheres.
pub(super) fn sphere_sphere(parts: &PartPair<'_, '_>, (margin, wants): (f64, Wants), sink: &mut Sink<'_, '_>) {
    let (a, b) = (parts.first, parts.second);
    let (Shape::Sphere { radius: ra, halo: ha }, Shape::Sphere { radius: rb, halo: hb }) = (a.shape, b.shape) else {
        return;
    };
    let (from, to) = (DVec3::from_array(b.turn.translation), DVec3::from_array(a.turn.translation));
    let balls = Balls {
        from,
        to,
        middle: sink.middle,
        radii: [ra * a.scale, rb * b.scale],
        halos: [ha * a.scale, hb * b.scale].map(|halo| halo + 0.5 * margin),
    };
    if let Some(local) = balls.local() {
        let energy = if wants.energy { balls.stored() } else { 0.0 };
        sink.push(parts, &Local { energy, ..local.spread_as_ball(wants) });
    }
}

/// Writes the contact of a sphere and a half-space.
pub(super) fn sphere_half_space(parts: &PartPair<'_, '_>, (margin, wants): (f64, Wants), sink: &mut Sink<'_, '_>) {
    let (ball, ground) = (parts.first, parts.second);
    let (Shape::Sphere { radius, halo: own }, Shape::HalfSpace { halo: other }) = (ball.shape, ground.shape) else {
        return;
    };
    let [own, other] = [own * ball.scale, other * ground.scale].map(|halo| halo + 0.5 * margin);
    let round = Round { radius: radius * ball.scale, halo: own + other };
    let centre = DVec3::from_array(ball.turn.translation);
    let normal = DVec3::from_array(ground.turn.rotate([0.0, 0.0, 1.0]));
    let height = normal.dot(centre - DVec3::from_array(ground.turn.translation));
    let least_gap = height - round.radius;
    if least_gap >= round.halo {
        return;
    }
    let (gap, area) = if height < 0.0 { round.sunk(-height) } else { round.law(&round.flat(height)) };
    let position = centre - normal * round.arm(own, least_gap);
    let energy = if wants.energy { round.on_plane_stored(height) } else { 0.0 };
    let (halo, radius) = (round.halo, round.radius + own);
    let local = Local { position, normal, gap, least_gap, area, halo, energy, radius, ..Local::default() };
    sink.push(parts, &local.spread_as_ball(wants));
}
