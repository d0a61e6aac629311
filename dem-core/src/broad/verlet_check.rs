//! Neighbour lists with a Verlet skin: how far bodies have moved, and the pairs of a list that are candidates now.
//!
//! # When a list is complete
//! A neighbour list holds all candidates of an earlier query (*then*) with a margin M. The candidates of the current
//! query (*now*) have a margin m of at most M; the difference M - m is the *skin*. Let u_i be the displacement of body
//! i, and g_i the growth of its radius (0 where it shrinks). A pair within reach now, with distance
//! `|y| <= r_a + r_b + m`, had then the distance
//!
//! `|y + u_a - u_b| <= |y| + |u_a| + |u_b| <= (r_a - g_a) + (r_b - g_b) + m + (|u_a| + g_a) + (|u_b| + g_b)`
//!
//! so it is in the list if `(|u_a| + g_a) + (|u_b| + g_b) <= M - m`. For a body and its own image, which move together,
//! `2 g_a <= M - m` suffices. So a list is complete while the largest sum over two bodies, at least one of them
//! dynamic, is at most the skin. From displacements alone there is no better criterion: two bodies that approached each
//! other by more than the skin may be a missing pair.
//!
//! Along a periodic axis a host may wrap positions whenever it likes. The displacement is then the difference of
//! positions minus the nearest multiple k of the period, y above is the distance of images, and a pair's shift has
//! become `shift + k_a - k_b`. The bound holds for any integers k.
//!
//! Rounding: the relative error of each of the two decisions and of each displacement is below eight units of 2^-53 of
//! its operands: radii, margins, and, along periodic axes, multiples of periods, which are at most twice the largest
//! coordinate plus the reach. The sum is therefore increased by 2^-46 of these numbers. Where nothing has moved at all,
//! both decisions are the same operations with M >= m, so the sum is 0.

use super::candidate::{Counts, Room, gather};
use super::canonical::{Limits, Spheres};
use super::{Candidate, Motion, Query};
use crate::error::{Error, Kind, Result, What};
use crate::exec::{CutMut, Executor, each};
use crate::memory::{Layout, sections};
use crate::real::{Real, SUM_ERROR, max, min};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

/// Bodies, or pairs of a list, in a chunk of work.
const CHUNK: usize = 4096;

/// How far bodies have moved since a neighbour list was made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moved {
    /// The largest sum, over two bodies of which one is dynamic, of displacements and growths of radii, plus a bound
    /// for rounding errors; 0 where nothing has moved.
    pub sum: f64,
    /// The largest displacement plus growth of any one body. A list of pairs of a body and a [box](super::Boxes) that
    /// does not move is complete while this is at most the skin.
    pub farthest: f64,
    /// The margin of the list minus the margin of the current query.
    pub skin: f64,
}

impl Moved {
    /// Whether the list still holds all candidates. If not, build a new list.
    pub fn lasts(&self) -> bool {
        self.sum <= self.skin
    }
}

/// Scratch of [`moved`] for this number of bodies, and of [`refresh`] for a list of this number of pairs; about a hundredth of a byte per
/// body or pair.
///
/// Errors: [`Kind::TooLarge`].
pub fn skin_scratch(bodies: u32, pairs: usize) -> Result<Layout> {
    Ok(Parts::layout(bodies as usize)?.or(Counts::layout(pairs, CHUNK)?))
}

sections! {
    /// One item for each chunk of bodies.
    struct Parts<'s>(bodies: usize) {
        each: [Part; bodies.div_ceil(CHUNK) as u64],
    }
}

/// Maxima over a chunk of bodies.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
struct Part {
    /// The largest and second largest displacement plus growth of dynamic bodies; minus infinity where there are none.
    dynamic: [f64; 2],
    /// The largest displacement plus growth of other bodies; minus infinity where there are none.
    other: f64,
    /// The largest growth of a dynamic body.
    growth: f64,
    radius: f64,
    /// The largest coordinate along a periodic axis.
    far: f64,
    /// 1 if a body fails its check.
    wrong: f64,
}

impl Part {
    /// Maxima over no bodies.
    const NONE: Part = Part {
        dynamic: [f64::NEG_INFINITY; 2],
        other: f64::NEG_INFINITY,
        growth: 0.0,
        radius: 0.0,
        far: 0.0,
        wrong: 0.0,
    };

    fn join(&mut self, other: &Part) {
        let [a, b] = self.dynamic;
        let [c, d] = other.dynamic;
        self.dynamic = [max(a, c), max(min(a, c), max(b, d))];
        self.other = max(self.other, other.other);
        self.growth = max(self.growth, other.growth);
        self.radius = max(self.radius, other.radius);
        self.far = max(self.far, other.far);
        self.wrong = max(self.wrong, other.wrong);
    }

    /// Adds a body.
    #[inline(always)]
    fn add(&mut self, bodies: &Both<'_>, i: usize) {
        let (old, new, space) = (bodies.then.get(i), bodies.now.get(i), &bodies.query.space);
        let (mut square, mut least) = (0.0, 0.0);
        for axis in 0..space.axes() {
            let mut d = new.centre[axis] - old.centre[axis];
            if !bodies.open
                && let Some(period) = space.period(axis)
            {
                let k = wraps(d, period);
                // A wrapped position rounds differently, even if the body has not moved.
                least = if k != 0 { f64::MIN_POSITIVE } else { least };
                d -= k as f64 * period;
                self.far = max(self.far, max(new.centre[axis].abs(), old.centre[axis].abs()));
            }
            square += d * d;
        }
        let growth = max(new.radius - old.radius, 0.0);
        let way = Real::sqrt(square) + growth;
        self.radius = max(self.radius, max(old.radius, new.radius));
        // A number is NaN or out of range, then or now.
        if !way.is_finite() || !bodies.limits.hold(i, &new) {
            self.wrong = 1.0;
        }
        let way = max(way, least);
        // Ghosts may be paired with kinematic bodies, so they count as dynamic.
        let other = |motion: u32| motion == Motion::Kinematic as u32 || motion == Motion::Static as u32;
        if bodies.query.bodies.motions.is_some_and(|m| other(m.get(i))) {
            self.other = max(self.other, way);
            return;
        }
        self.growth = max(self.growth, growth);
        // A branch that is rarely taken.
        if way > self.dynamic[1] {
            let [first, _] = self.dynamic;
            self.dynamic = [max(first, way), min(first, way)];
        }
    }
}

/// Bodies of both queries.
struct Both<'a> {
    then: Spheres<'a>,
    now: Spheres<'a>,
    /// The current query.
    query: &'a Query<'a>,
    limits: Limits<'a>,
    open: bool,
}

/// The multiple k of the period that is nearest to a difference of positions.
#[inline(always)]
pub(crate) fn wraps(d: f64, period: f64) -> i64 {
    let x = d / period + 0.5;
    let t = x as i64;
    t - i64::from(t as f64 > x)
}

/// Computes how far bodies have moved since a neighbour list was made. `then` is the query of the list, with the positions at that time and
/// the larger margin; `now` is the current query.
///
/// Kinds of motion, groups and masks of `now` must not allow pairs that `then` did not allow; this is not checked. `scratch` is
/// [`skin_scratch`].
///
/// Errors: those of [`Query::check`] for either query; [`Kind::Mismatch`] for different numbers of bodies (`What::Centres`) or spaces
/// (`What::Periods`); [`Kind::OutOfRange`] with `What::Margin` if the margin of `now` is larger; [`Kind::Capacity`] for `scratch`. Cost:
/// one pass over the bodies of both.
pub fn moved(exec: &dyn Executor, then: &Query<'_>, now: &Query<'_>, scratch: &mut [u8]) -> Result<Moved> {
    check_same(then, now)?;
    let n = now.bodies.len();
    let parts = Parts::new(scratch, n)?.each;
    let bodies = Both {
        then: Spheres::new(then),
        now: Spheres::new(now),
        query: now,
        limits: Limits::new(now),
        open: now.space.is_open(),
    };
    each(exec, CutMut(parts, 1), |chunk, part| {
        let mut all = Part::NONE;
        for i in chunk * CHUNK..min((chunk + 1) * CHUNK, n) {
            all.add(&bodies, i);
        }
        part.fill(all);
    });
    let mut all = Part::NONE;
    parts.iter().for_each(|part| all.join(part));
    if all.wrong != 0.0 {
        now.check()?;
        then.check()?;
    }
    let [first, second] = all.dynamic;
    let numbers = 2.0 * all.radius + then.margin + 4.0 * all.far;
    let widened = |x: f64| if x > 0.0 { x + SUM_ERROR * (numbers + x) } else { 0.0 };
    let sum = max(first + max(second, all.other), 2.0 * all.growth);
    let skin = then.margin - now.margin;
    Ok(Moved { sum: widened(sum), farthest: widened(max(first, all.other)), skin })
}

/// Checks that two queries have the same space and number of bodies. Errors: those of [`moved`] that are not about
/// single bodies.
fn check_same(then: &Query<'_>, now: &Query<'_>) -> Result<()> {
    then.check_frame()?;
    now.check_frame()?;
    if then.bodies.len() != now.bodies.len() {
        let lengths = (then.bodies.len() as u64, now.bodies.len() as u64);
        return Err(Error::new(Kind::Mismatch, What::Centres).amounts(lengths.0, lengths.1));
    }
    if then.space.dimensions != now.space.dimensions || then.space.periods != now.space.periods {
        return Err(Error::new(Kind::Mismatch, What::Periods));
    }
    if now.margin > then.margin {
        return Err(Error::new(Kind::OutOfRange, What::Margin));
    }
    Ok(())
}

/// Writes the pairs of a neighbour list that are candidates of `now`, in the order of the list, and gives their number.
/// These are all candidates of `now`, if the list holds those of `then` and still [lasts](Moved::lasts).
///
/// The set is that of [`brute`](fn@super::brute) and does not depend on when the list was made. A sorted list stays
/// sorted. `scratch` is [`skin_scratch`].
///
/// Errors: those of [`moved`] that are not about single bodies; [`Kind::BadIndex`] with the first pair of the list that
/// names a missing body (`What::Pairs`); [`Kind::Capacity`] with the exact number where `out` is too small (the content
/// of `out` is then unspecified), or `scratch`. Bodies are not checked, since [`moved`] checks them. Cost: one pass
/// over the list.
pub fn refresh(
    exec: &dyn Executor,
    list: &[Candidate],
    then: &Query<'_>,
    now: &Query<'_>,
    out: &mut [Candidate],
    scratch: &mut [u8],
) -> Result<usize> {
    check_same(then, now)?;
    let counts = Counts::new(scratch, list.len(), CHUNK)?.each;
    let (n, wanted, open) = (now.bodies.len(), now.bodies.all_wanted(), now.space.is_open());
    let spheres = Spheres::new(now);
    gather(exec, counts, out, |chunk, room: &mut Room<'_>| {
        let start = chunk * CHUNK;
        for (i, pair) in list.iter().enumerate().take(start + CHUNK).skip(start) {
            let (a, b) = (pair.a as usize, pair.b as usize);
            if max(a, b) >= n {
                return Err(pair.bad(i, n));
            }
            let shift = if open { [0; 3] } else { shift(then, now, pair) };
            let near = now.decide(&spheres.get(a), &spheres.get(b), shift);
            if near && (wanted || now.bodies.wanted(a, b)) {
                room.put(Candidate { shift, ..*pair });
            }
        }
        Ok(())
    })
}

/// The shift of a pair in the current query.
fn shift(then: &Query<'_>, now: &Query<'_>, pair: &Candidate) -> [i16; 3] {
    let mut shift = pair.shift;
    if pair.a == pair.b {
        return shift;
    }
    let position = |query: &Query<'_>, i: u32| query.bodies.centres.get(i as usize);
    let ([a, b], [c, d]) = ([then, now].map(|q| position(q, pair.a)), [then, now].map(|q| position(q, pair.b)));
    for (axis, shift) in shift.iter_mut().enumerate() {
        if let Some(period) = now.space.period(axis) {
            let moved = wraps(b[axis] - a[axis], period).wrapping_sub(wraps(d[axis] - c[axis], period));
            // For bodies that pass their check, at most 4 times 4096 periods plus the reach.
            *shift = shift.wrapping_add(moved as i16);
        }
    }
    shift
}
