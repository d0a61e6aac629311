//! Rotation of a tangent vector (such as a tangential spring) from one step to the next.

use super::common_nodes::blends_of;
use super::records::{Blend, BodyPair, Link, StepContacts};
use crate::contact::unit;
use crate::error::{Error, Kind, Result, What};
use crate::mesh::NONE;
use crate::pose::{Pose, Transform};
use crate::vector::{add, cross, scale, sub};
use glam::DVec3;
use zerocopy::{FromBytes, Immutable, IntoBytes};

/// The rotations of both bodies from one step to the next.
pub(crate) struct Turns {
    from: [Transform; 2],
    to: [Transform; 2],
    /// Additional motion of both surfaces by moving vertices.
    pub surfaces: Option<SurfaceMove>,
}

/// The motion of both surfaces by moving vertices from one step to the next, in addition to that of the bodies: the mean of A's and B's.
#[derive(Clone, Copy, Debug, Default, PartialEq, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub struct SurfaceMove {
    /// Displacement: a length, in world axes.
    pub way: [f64; 3],
    /// Rotation: radians about its axis, in world axes. It is small, so its square is neglected.
    pub turn: [f64; 3],
}

impl Turns {
    /// Errors: those of [`Pose::check`](crate::pose::Pose::check).
    pub fn new(last: [Pose; 2], now: [Pose; 2]) -> Result<Self> {
        let both = |[a, b]: [Pose; 2]| Ok([a.transform(What::PoseA)?, b.transform(What::PoseB)?]);
        Ok(Turns::between(both(last)?, both(now)?))
    }

    /// From the previous to the present transforms of A and B.
    #[inline(always)]
    pub fn between(from: [Transform; 2], to: [Transform; 2]) -> Self {
        Turns { from, to, surfaces: None }
    }

    /// See [`carried`].
    pub fn carried(&self, vector: [f64; 3], normal: [f64; 3]) -> [f64; 3] {
        let Some((_, length)) = unit(DVec3::from_array(vector)) else { return [0.0; 3] };
        let (mean, n) = (self.mean(vector), DVec3::from_array(normal));
        let tangent = mean - n * n.dot(mean);
        unit(tangent).map_or([0.0; 3], |(t, _)| (t * length).to_array().map(|x| x + 0.0))
    }

    /// The vector, rotated with the bodies, then turned parallel to the normal.
    pub fn along(&self, vector: [f64; 3], normal: [f64; 3]) -> [f64; 3] {
        let Some((_, length)) = unit(DVec3::from_array(vector)) else { return [0.0; 3] };
        let n = DVec3::from_array(normal);
        let side = n.dot(self.mean(vector));
        let length = if side < 0.0 { -length } else { length };
        if side == 0.0 { [0.0; 3] } else { (n * length).to_array().map(|x| x + 0.0) }
    }

    /// The mean of the images of a point that moves with A and with B. `shifts` is the displacement of B's periodic image that meets A, in the
    /// last step and in this one.
    pub fn carried_point(&self, point: [f64; 3], [was, is]: [[f64; 3]; 2]) -> [f64; 3] {
        let with = |k: usize, point: [f64; 3]| self.to[k].apply(self.from[k].apply_back(point));
        let (a, b) = (with(0, point), add(with(1, sub(point, was)), is));
        let mean = scale(add(a, b), 0.5);
        self.surfaces.map_or(mean, |own| add(mean, own.way))
    }

    /// The mean of the vectors that are rotated with A and with B.
    pub fn mean(&self, vector: [f64; 3]) -> DVec3 {
        let turned = |k: usize| DVec3::from_array(self.to[k].rotate(self.from[k].rotate_back(vector)));
        let mean = (turned(0) + turned(1)) * 0.5;
        self.surfaces.map_or(mean, |own| mean + DVec3::from_array(cross(own.turn, vector)))
    }
}

/// A vector in the tangent plane of a contact (world axes), carried to the present poses of the bodies. It is rotated by the mean rotation
/// of both bodies, projected into the plane across `normal`, and scaled to its old length.
///
///   t = (R_A s + R_B s) / 2,   s' = |s| (t - n (n.t)) / |t - n (n.t)|
///
/// R is the rotation of a body from one step to the next. A motion that both bodies make rotates the vector with them. If one body rolls on the
/// other, the direction stays. If one body spins about the normal against the other, the vector rotates by half of that angle. The projection is
/// that of Luding (Granular Matter 10, 2008, 235). Unlike there, the length is kept, and the vector rotates with both bodies instead of the
/// normal alone, so there is no drift beyond rounding. Zero if the mean has no component in the plane.
///
/// Errors: those of [`Pose::check`](crate::pose::Pose::check).
pub fn carried(vector: [f64; 3], normal: [f64; 3], last: &BodyPair, now: &BodyPair) -> Result<[f64; 3]> {
    Ok(Turns::new(last.poses(), now.poses())?.carried(vector, normal))
}

/// [`carried`] for all contacts: `vectors[i]` is the mean of the vectors of its blends in `of_last`, or that of its source if it has no
/// blends; zero without a source.
///
/// Vectors should be intensive, such as the elongation of a spring whose stiffness is proportional to area or share. Then a new contact may
/// take the elongation of its neighbour, and contacts may split and join. Areas that begin and end at zero cause no jump of the force.
/// Impulses and forces are proportional to the area; carry them from [`Link::origin`] only.
///
/// `blends` are those of [`match_contacts`](super::match_contacts); none if steps have no nodes.
///
/// Errors: [`Kind::Mismatch`] if the number of links, vectors or vectors of the last step is not that of the contacts; [`Kind::BadIndex`] if a
/// source is not a contact or has another tag, likewise for blends, and for the first blend that is out of order; those of [`carried`]. Cost:
/// some tens of nanoseconds a contact and a blend.
pub fn carry(
    last: &impl StepContacts,
    now: &impl StepContacts,
    links: &[Link],
    blends: &[Blend],
    of_last: &[[f64; 3]],
    vectors: &mut [[f64; 3]],
) -> Result<()> {
    for (what, given, needed) in [
        (What::Links, links.len(), now.len()),
        (What::Vectors, vectors.len(), now.len()),
        (What::LastVectors, of_last.len(), last.len()),
    ] {
        if given != needed {
            return Err(Error::new(Kind::Mismatch, what).amounts(needed as u64, given as u64));
        }
    }
    // All checks come before the first write.
    each(last, now, (links, blends), |_, _, _| ())?;
    vectors.fill([0.0; 3]);
    each(last, now, (links, blends), |from, turns, normal| {
        if let (Some(to), Some(vector)) = (vectors.get_mut(from.now as usize), of_last.get(from.last as usize)) {
            let part = turns.carried(*vector, normal);
            *to = [0, 1, 2].map(|k| to[k] + from.weight * part[k]);
        }
    })
}

/// Calls `put` for each contact and each contact of the last step from which it takes a vector, with the rotations of the bodies and the normal.
fn each(
    last: &impl StepContacts,
    now: &impl StepContacts,
    (links, mut blends): (&[Link], &[Blend]),
    mut put: impl FnMut(&Blend, &Turns, [f64; 3]),
) -> Result<()> {
    let (mut old, mut new) = (0, 0);
    let mut turns: Option<(u64, Turns)> = None;
    let all = blends.len();
    for (i, link) in links.iter().enumerate() {
        let (place, own) = (all - blends.len(), blends_of(&mut blends, i));
        if own.is_empty() && link.source == NONE {
            continue;
        }
        let whole = [Blend { now: i as u32, last: link.source, weight: 1.0 }];
        let (from, what, place) =
            if own.is_empty() { (&whole[..], What::Links, i) } else { (own, What::Blends, place) };
        let contact = now.contact(i);
        let tag = contact.key[0];
        let bad = |k: usize, source: u32| {
            Error::new(Kind::BadIndex, what).at((place + k) as u64, 1).amounts(last.len() as u64, source.into())
        };
        for (k, Blend { last: source, .. }) in from.iter().enumerate() {
            if *source as usize >= last.len() || last.key(*source as usize)[0] != tag {
                return Err(bad(k, *source));
            }
        }
        if turns.as_ref().is_none_or(|(of, _)| *of != tag) {
            let bad = bad(0, from.first().map_or(NONE, |blend| blend.last));
            let (before, after) = (find(last, &mut old, tag).ok_or(bad)?, find(now, &mut new, tag).ok_or(bad)?);
            turns = Some((tag, Turns::new(before.poses(), after.poses())?));
        }
        if let Some((_, turns)) = &turns {
            from.iter().for_each(|blend| put(blend, turns, contact.normal));
        }
    }
    match blends.first() {
        Some(blend) => {
            let at = Error::new(Kind::BadIndex, What::Blends).at((all - blends.len()) as u64, 0);
            Err(at.amounts(now.len() as u64, blend.now.into()))
        }
        None => Ok(()),
    }
}

/// The body pair with this tag, at `from` or behind it.
fn find(step: &impl StepContacts, from: &mut usize, tag: u64) -> Option<BodyPair> {
    while *from < step.pairs() {
        let pair = step.pair(*from);
        if pair.tag >= tag {
            return (pair.tag == tag).then_some(pair);
        }
        *from += 1;
    }
    None
}
