//! Lists of pairs that live for several steps: how far bodies have moved, and what is left of a list.
//!
//! # When a list is complete
//! A list holds all candidates of a query *then*, with a margin M. Asked for are those of a query *now*, with a margin
//! m of at most M; the difference is the *skin*. With the displacement u_i of body i, and g_i by how much its radius
//! has grown (0 where it has not), a pair within reach now, distance `|y| <= r_a + r_b + m`, was at a distance
//!
//! `|y + u_a - u_b| <= |y| + |u_a| + |u_b| <= (r_a - g_a) + (r_b - g_b) + m + (|u_a| + g_a) + (|u_b| + g_b)`
//!
//! then: it is in the list if `(|u_a| + g_a) + (|u_b| + g_b) <= M - m`. A body and its own image move together: there
//! it takes `2 g_a <= M - m`. So a list is complete while the largest sum for two bodies is at most the skin, where at
//! least one of the two is dynamic, since others are not paired. This cannot be improved by looking at displacements
//! alone: two bodies that have moved towards each other by more than the skin may be a pair that is missing.
//!
//! Along a periodic axis a host may wrap positions whenever it likes. The displacement then is what is left of the
//! difference of positions without the nearest multiple k of the period; y above is the distance of images, and a
//! pair's shift has become `shift + k_a - k_b`. The bound holds for any integers k.
//!
//! Rounding: each of the two decisions, and each displacement, is off by less than eight units of 2^-53 of the numbers
//! that it is computed from: radii, margins, and along periodic axes multiples of periods, which are at most twice the
//! largest coordinate and the reach. The sum is therefore widened by 2^-46 of these. Where nothing has moved at all,
//! both decisions are the same operations, and the margin of the first one is not smaller: then the sum is 0.

use super::candidate::{Counts, Room, gather};
use super::decide::{Limits, Spheres};
use super::{Candidate, Motion, Query};
use crate::error::{Error, Kind, Result, What};
use crate::exec::{CutMut, Executor, each};
use crate::memory::{Layout, sections};
use crate::real::{Real, SLACK, max, min};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

/// Bodies, and records of a list, in a chunk of work.
const CHUNK: usize = 4096;

/// How far bodies have moved since a list was made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moved {
    /// The largest sum for two bodies, one of them dynamic, of how far they have moved and how much their radii have
    /// grown, and what rounding may hide; 0 where nothing has moved.
    pub sum: f64,
    /// The same for any one body: what tells whether a list of bodies and [boxes](super::Boxes) lasts that have not
    /// moved.
    pub farthest: f64,
    /// By how much the list's margin is larger than the one that is asked for.
    pub skin: f64,
}

impl Moved {
    /// Whether the list still holds all candidates. Where not, make it anew.
    pub fn lasts(&self) -> bool {
        self.sum <= self.skin
    }
}

/// Scratch of [`moved`] for so many bodies, and of [`refresh`] for a list of so many pairs: a hundredth of a byte each.
///
/// Errors: [`Kind::TooLarge`].
pub fn skin_scratch(bodies: u32, pairs: usize) -> Result<Layout> {
    Ok(Parts::layout(bodies as usize)?.or(Counts::layout(pairs, CHUNK)?))
}

sections! {
    /// One for each chunk of so many bodies.
    struct Parts<'s>(bodies: usize) {
        each: [Part; bodies.div_ceil(CHUNK) as u64],
    }
}

/// The largest ones of a chunk of bodies.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
struct Part {
    /// Of dynamic bodies: the largest and the second largest; minus infinity where there are none.
    dynamic: [f64; 2],
    /// Of all others; minus infinity where there are none.
    other: f64,
    /// Growth of a dynamic body.
    growth: f64,
    radius: f64,
    /// Coordinate along a periodic axis.
    far: f64,
    /// 1 if a body is not as it should be.
    wrong: f64,
}

impl Part {
    /// Of no bodies.
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

    /// One more body.
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
                // Other numbers round otherwise, though it is the same place.
                least = if k != 0 { f64::MIN_POSITIVE } else { least };
                d -= k as f64 * period;
                self.far = max(self.far, max(new.centre[axis].abs(), old.centre[axis].abs()));
            }
            square += d * d;
        }
        let growth = max(new.radius - old.radius, 0.0);
        let way = Real::sqrt(square) + growth;
        self.radius = max(self.radius, max(old.radius, new.radius));
        // Not a number: then or now.
        if !way.is_finite() || !bodies.limits.hold(i, &new) {
            self.wrong = 1.0;
        }
        let way = max(way, least);
        // A ghost may meet what is kinematic, so it counts as dynamic.
        let other = |motion: u32| motion == Motion::Kinematic as u32 || motion == Motion::Static as u32;
        if bodies.query.bodies.motions.is_some_and(|m| other(m.get(i))) {
            self.other = max(self.other, way);
            return;
        }
        self.growth = max(self.growth, growth);
        // Rarely one of the largest so far.
        if way > self.dynamic[1] {
            let [first, _] = self.dynamic;
            self.dynamic = [max(first, way), min(first, way)];
        }
    }
}

/// Bodies then and now.
struct Both<'a> {
    then: Spheres<'a>,
    now: Spheres<'a>,
    /// Of now.
    query: &'a Query<'a>,
    limits: Limits<'a>,
    open: bool,
}

/// Periods by which a difference of positions is more than a displacement.
#[inline(always)]
pub(crate) fn wraps(d: f64, period: f64) -> i64 {
    let x = d / period + 0.5;
    let t = x as i64;
    t - i64::from(t as f64 > x)
}

/// How far bodies have moved since a list was made: `then` is the query that the list answers, with where bodies were
/// and the larger margin, `now` the one that is to be answered.
///
/// Kinds of motion, groups and masks must be those of then, or ones that want fewer pairs: that is not checked.
/// `scratch` is [`skin_scratch`].
///
/// Errors: those of [`Query::check`] for either query; [`Kind::Mismatch`] for different numbers of bodies
/// (`What::Centres`) or spaces (`What::Periods`); [`Kind::OutOfRange`] with `What::Margin` where that of now is larger;
/// [`Kind::Capacity`] for `scratch`. Cost: one pass over both; 4 ns a body.
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
    let widened = |x: f64| if x > 0.0 { x + SLACK * (numbers + x) } else { 0.0 };
    let sum = max(first + max(second, all.other), 2.0 * all.growth);
    let skin = then.margin - now.margin;
    Ok(Moved { sum: widened(sum), farthest: widened(max(first, all.other)), skin })
}

/// Errors: those of [`moved`] that are not about single bodies.
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

/// What is left of a list: exactly the candidates of `now`, if the list answers `then` and still [lasts](Moved::lasts),
/// in the order of the list. Gives their number.
///
/// The set is that of [`brute`](fn@super::brute), whenever the list was made; a list that is sorted stays sorted, since
/// shifts of a pair change alike, so that then the order does not tell either. `scratch` is [`skin_scratch`].
///
/// Errors: those of [`moved`] that are not about single bodies; [`Kind::BadIndex`] with the first record of the list
/// that names a body that there is not (`What::Pairs`); [`Kind::Capacity`] with the exact number where `out` is too
/// small (`out` then holds nothing of use), or `scratch`. Bodies are not checked: [`moved`] has done that. Cost: one
/// pass over the list; 6 to 25 ns for each record.
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

/// The shift of a pair now.
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
            // At most 4 times 4096 periods and what is within reach, for bodies that pass their check.
            *shift = shift.wrapping_add(moved as i16);
        }
    }
    shift
}
