//! Lists of near triangles of two bodies: a neighbour list of triangles with a skin (the margin), for contacts at
//! several poses. So iterations within a step search the trees only once.
//!
//! # Content of a list
//! A header: numbers of features, scales and poses of both bodies, and the margin. Then a run for each pair of meshes among the parts of both
//! bodies that has near triangles, in the order of parts. A run has the index of the pair among all pairs of meshes, a count, and that number of
//! cluster pairs. A cluster is a leaf of a tree, with up to four triangles. Other pairs of parts need no list.
//!
//! # Why nothing is missed
//! In the frame of body A, a point y of B moves from `R y + t` to `R' y + t'`. Let c and r be the centre and the radius of a ball around B's
//! meshes, and w the angle between both rotations. The displacement is at most `|(R' - R) c + t' - t| + 2 sin(w / 2) r`. Here `2 sin(w / 2)` is
//! the Frobenius norm of `R' - R` divided by the root of 2. Distances of triangles shrink by at most this length. Exchanging A and B gives a
//! second bound, and the smaller one is taken. So triangles within reach of the search now were, when the list was made, within its reach plus
//! the margin. The reach of a search includes an allowance for rounding: 2^-35 of the size of both bodies. The size is now at most four times
//! that when the list was made. The list was made with eight times this allowance, which also covers the rounding of the bound. Far from the
//! origin the allowance grows with the distance from it; the margin has to cover its growth since the list was made.

use glam::{DMat3, DVec3};

use super::site::{Sites, check};
use super::two_parts::{InUnit, for_any_parts};
use super::{Placed, Shape};
use crate::contact::penetration::reach_at;
use crate::error::{Error, Kind, Result, What};
use crate::memory::{ALIGN, Layout};
use crate::narrow::{Frame, check_length, list_clusters, list_clusters_scratch};
use crate::pose::{Pose, Transform};
use crate::real::{Real, max, min};
use crate::simd::Isa;

/// The first word of a list: letters, and the version of the format.
const MAGIC: u64 = u64::from_le_bytes(*b"pairs\0\0\x01");

/// Words before the first run: [`MAGIC`], the number of words, features and scales of both bodies, the margin, both
/// poses.
const HEADER: usize = 7 + 2 * 7;

/// Scratch for [`list_pairs`].
///
/// Errors: [`Kind::TooLarge`]. Cost: that of [`shape_scratch`](super::shape_scratch).
pub fn list_pairs_scratch(a: &Placed<'_>, b: &Placed<'_>) -> Result<Layout> {
    let home = &Pose::IDENTITY;
    for_any_parts(a, b, |x, y| match (x, y) {
        (Shape::Mesh(x), Shape::Mesh(y)) => {
            list_clusters_scratch(&x.side(home, 1.0).operand, &y.side(home, 1.0).operand)
        }
        _ => Ok(Layout { size: 0, align: ALIGN }),
    })
}

/// Lists the triangles of two bodies that may come within their halos while the bodies move relative to each other by at most `margin`. Returns
/// the number of words of the list. [`listed_contacts`](super::listed_contacts) computes contacts from the list at any poses within the margin.
///
/// `margin` is a length in world units, at least 0. It bounds the sum of two lengths: the approach of any two points of the bodies' meshes, and
/// the extension of halos ([`Request::margin`](super::Request::margin)). The list can be copied. It is valid for the same shapes and scales, as
/// long as no vertex moves. The clusters in it depend on the instruction set; the contacts do not.
///
/// `scratch` is [`list_pairs_scratch`].
///
/// Errors: those of [`shape_contacts`](super::shape_contacts) about bodies and poses; [`Kind::NotFinite`] and
/// [`Kind::OutOfRange`] for [`What::Margin`]; [`Kind::Capacity`] for [`What::Scratch`], and for [`What::PairList`] with
/// the exact number of words. Cost: a simultaneous traversal of both trees, on one thread. Memory: 21 words, and one for
/// each pair of near clusters.
pub fn list_pairs(
    isa: Isa,
    a: &Placed<'_>,
    b: &Placed<'_>,
    margin: f64,
    list: &mut [u64],
    scratch: &mut [u8],
) -> Result<usize> {
    check(a, What::ShapeA, What::BodyPoseA)?;
    check(b, What::ShapeB, What::BodyPoseB)?;
    check_length(margin, What::Margin)?;
    list_pairs_scratch(a, b)?.check(scratch, What::Scratch)?;
    let (pa, pb) = (a.pose.position, b.pose.position);
    let half = [0, 1, 2].map(|k| 0.5 * pa[k] - 0.5 * pb[k]);
    let (of_a, of_b) = (Sites::new(a, half), Sites::new(b, half.map(|x| -x)));
    let (mut end, mut place) = (HEADER, 0);
    of_a.each(|x| {
        of_b.each(|y| {
            let (Shape::Mesh(of_x), Shape::Mesh(of_y)) = (&x.shape, &y.shape) else { return Ok(()) };
            place += 1;
            let Some(InUnit { unit, scales, poses }) = InUnit::of(x, y) else { return Ok(()) };
            let (x, y) = (of_x.side(&poses[0], scales[0]).operand, of_y.side(&poses[1], scales[1]).operand);
            let size = 1.0 / Frame::new(&x, &y)?.scale;
            let reach = margin / unit + 8.0 * reach_at(farthest([a.pose, b.pose]) / unit, size);
            let run = list.get_mut(end + 2..).unwrap_or_default();
            let count = match list_clusters(isa, [&x, &y], reach, run, scratch) {
                Err(e) if e.what == What::PairList => e.needed,
                count => count? as u64,
            };
            if count > 0 {
                if let Some(head) = list.get_mut(end..).and_then(<[u64]>::first_chunk_mut) {
                    *head = [place - 1, count];
                }
                end = end.saturating_add(2).saturating_add(count as usize);
            }
            Ok(())
        })
    })?;
    let given = list.len();
    let header = Header::new(a, b, margin).words(end as u64);
    match list.get_mut(..end).and_then(<[u64]>::first_chunk_mut) {
        Some(to) => *to = header,
        None => return Err(Error::capacity(What::PairList, end as u64, given as u64)),
    }
    Ok(end)
}

/// The header of a list.
#[derive(Clone, Copy, PartialEq)]
struct Header {
    features: [u64; 2],
    scales: [f64; 2],
    margin: f64,
    poses: [Pose; 2],
}

impl Header {
    fn new(a: &Placed<'_>, b: &Placed<'_>, margin: f64) -> Self {
        let both = [a, b];
        Header {
            features: both.map(|body| body.shape.features()),
            scales: both.map(|body| body.scale),
            margin,
            poses: both.map(|body| *body.pose),
        }
    }

    fn words(&self, length: u64) -> [u64; HEADER] {
        let [a, b] = self.features;
        let numbers = self.scales.into_iter().chain([self.margin]);
        let poses = self.poses.iter().flat_map(|pose| pose.position.into_iter().chain(pose.orientation));
        let mut words = [MAGIC, length, a, b].into_iter().chain(numbers.chain(poses).map(f64::to_bits));
        core::array::from_fn(|_| words.next().unwrap_or_default())
    }

    fn of_words(words: &[u64; HEADER]) -> Self {
        let number = |i: usize| words.get(i).copied().map_or(0.0, f64::from_bits);
        let pose = |from: usize| Pose {
            position: core::array::from_fn(|k| number(from + k)),
            orientation: core::array::from_fn(|k| number(from + 3 + k)),
        };
        let [_, _, a, b, ..] = *words;
        Header { features: [a, b], scales: [number(4), number(5)], margin: number(6), poses: [pose(7), pose(14)] }
    }
}

/// Reads the runs of a list in order.
pub(super) struct Runs<'l> {
    rest: &'l [u64],
    /// Number of mesh pairs passed so far.
    place: u64,
}

impl<'l> Runs<'l> {
    /// Checks a list against two bodies. Errors: those of [`listed_contacts`](super::listed_contacts) about [`What::PairList`]. `wider`:
    /// length by which the sum of both halos is enlarged.
    pub fn open(list: &'l [u64], a: &Placed<'_>, b: &Placed<'_>, wider: f64) -> Result<Self> {
        let damaged = Error::new(Kind::Damaged, What::PairList);
        let words = list.first_chunk::<HEADER>().ok_or(damaged)?;
        let length = usize::try_from(words[1]).map_err(|_| damaged)?;
        let rest = list.get(HEADER..length).ok_or(damaged)?;
        if words[0] != MAGIC {
            return Err(damaged);
        }
        let was = Header::of_words(words);
        let now = Header { margin: was.margin, poses: was.poses, ..Header::new(a, b, 0.0) };
        if was != now {
            return Err(Error::new(Kind::Mismatch, What::PairList));
        }
        let [x, y] = was.poses.each_ref().map(|pose| pose.transform(What::PairList));
        let then = [x?, y?];
        let now = [a.pose.transform(What::BodyPoseA)?, b.pose.transform(What::BodyPoseB)?];
        let far = farthest([a.pose, b.pose]) - 8.0 * farthest(was.poses.each_ref());
        let more = if far > 0.0 { reach_at(far, 0.0) } else { 0.0 };
        if bodies_moved(a, b, &then, &now)? + wider + more <= was.margin {
            Ok(Runs { rest, place: 0 })
        } else {
            Err(Error::new(Kind::OutOfRange, What::PairList))
        }
    }

    /// The cluster pairs of the next pair of meshes.
    pub fn next(&mut self) -> &'l [u64] {
        let place = self.place;
        self.place += 1;
        match self.rest {
            [of, count, rest @ ..] if *of == place => {
                let (run, rest) = rest.split_at((*count).min(rest.len() as u64) as usize);
                self.rest = rest;
                run
            }
            _ => &[],
        }
    }
}

/// The largest distance of positions from the origin along an axis.
fn farthest(poses: [&Pose; 2]) -> f64 {
    poses.into_iter().flat_map(|pose| pose.position).fold(0.0, |most, x| max(most, x.abs()))
}

/// Upper bound for the approach of any two points of the meshes of two bodies.
fn bodies_moved(a: &Placed<'_>, b: &Placed<'_>, then: &[Transform; 2], now: &[Transform; 2]) -> Result<f64> {
    let from_a = moved(b, &Relative::between(&then[0], &then[1]), &Relative::between(&now[0], &now[1]))?;
    let from_b = moved(a, &Relative::between(&then[1], &then[0]), &Relative::between(&now[1], &now[0]))?;
    Ok(min(from_a, from_b))
}

/// The pose of a body relative to another one.
struct Relative {
    turn: DMat3,
    offset: DVec3,
}

impl Relative {
    fn between(from: &Transform, to: &Transform) -> Self {
        let back = DMat3::from_cols_array_2d(&from.rows);
        let turn = DMat3::from_cols_array_2d(&to.rows).transpose();
        let offset = DVec3::from_array(to.translation) - DVec3::from_array(from.translation);
        Relative { turn: back * turn, offset: back * offset }
    }
}

/// Upper bound for the displacement of the points of a body's meshes.
fn moved(body: &Placed<'_>, then: &Relative, now: &Relative) -> Result<f64> {
    let turn = now.turn - then.turn;
    let offset = now.offset - then.offset;
    let squares = [turn.x_axis, turn.y_axis, turn.z_axis].map(|v| v.dot(v));
    let angle = Real::sqrt(0.5 * (squares[0] + squares[1] + squares[2]));
    let mut most = 0.0;
    let home = Placed { pose: &Pose::IDENTITY, ..*body };
    Sites::new(&home, [0.0; 3]).each(|site| {
        if let (Shape::Mesh(_), Some((centre, radius))) = (&site.shape, site.ball()) {
            let way = turn * DVec3::from_array(centre) + offset;
            let length = Real::sqrt(way.dot(way)) + angle * radius;
            // An overflow counts as beyond every margin.
            most = if length.is_nan() { f64::INFINITY } else { max(most, length) };
        }
        Ok(())
    })?;
    Ok(most)
}
