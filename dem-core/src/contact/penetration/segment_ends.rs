//! The ends of segments, sorted by the edges on which they lie: which segments meet, which part of an edge is inside, and which ends are open.

use zerocopy::{FromBytes, Immutable, IntoBytes};

use super::crossing_segment::{Segment, flag};
use crate::mesh::Sets;
use crate::real::Real;

/// Crossings of an edge closer than this, in parts of the edge, may be in the wrong order.
const SAME: f64 = 1.0 / (1u64 << 40) as f64;

/// Number of following open ends in sorted order that are compared with each open end.
const LOOK: usize = 8;

/// The end of a segment on an edge.
#[derive(Clone, Copy, Debug, Default, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub(super) struct Knot {
    /// The body of the edge, in the upper half, and the edge's smaller vertex.
    edge: u64,
    /// Its larger vertex.
    far: u32,
    /// The other body's triangle.
    other: u32,
    t: f64,
    segment: u32,
    /// 0 where the segment begins here, 1 where it ends; [`OPEN`].
    flags: u32,
}

/// No other segment continues here.
const OPEN: u32 = 2;

impl Knot {
    fn new(segment: &Segment, number: usize, end: usize) -> Self {
        let tip = &segment.tips[end];
        let second = tip.is(flag::SECOND);
        Knot {
            edge: u64::from(second) << 32 | u64::from(tip.edge[0]),
            far: tip.edge[1],
            other: if second { segment.x } else { segment.y },
            t: tip.t,
            segment: number as u32,
            flags: end as u32,
        }
    }

    fn of_second(&self) -> bool {
        self.edge >> 32 != 0
    }

    /// The end of its segment: 0 or 1.
    pub fn end(&self) -> usize {
        (self.flags & 1) as usize
    }

    pub fn is_open(&self) -> bool {
        self.flags & OPEN != 0
    }

    pub fn segment(&self) -> u32 {
        self.segment
    }

    /// Whether the segment begins here.
    pub fn begins(&self) -> bool {
        self.flags & 1 == 0
    }

    fn same_edge(&self, other: &Knot) -> bool {
        (self.edge, self.far) == (other.edge, other.far)
    }
}

/// A vertex of an edge, and the segment that shows whether it is inside the other body.
pub(super) struct Seed {
    pub second: bool,
    pub vertex: u32,
    pub triangle: u32,
    pub segment: u32,
}

/// What the crossings of an edge show.
pub(super) enum Told {
    /// This vertex is inside.
    Inside(Seed),
    /// This one is outside.
    Outside(Seed),
    /// The edge enters or leaves twice in succession: the surface that it crosses there, with this segment, overlaps itself or has a hole.
    Twice(u32),
    /// Both segments border one surface piece inside, connected along the edge: of the second body (true) or of the first.
    Along(bool, [u32; 2]),
    /// An edge that crosses the other surface: of the second body (true) or of the first, its triangle, and the edge's number.
    Crossed(bool, u32, usize),
}

/// Writes and sorts all knots, and joins the segments that meet.
pub(super) fn tie(segments: &[Segment], knots: &mut [Knot], loops: &mut Sets<'_>) {
    for (i, pair) in knots.chunks_exact_mut(2).enumerate() {
        if let (Some(segment), [begin, end]) = (segments.get(i), pair) {
            (*begin, *end) = (Knot::new(segment, i, 0), Knot::new(segment, i, 1));
        }
    }
    // The bits of positive numbers have the order of the numbers.
    knots.sort_unstable_by_key(|k| (k.edge, k.far, k.t.to_bits(), k.other, k.segment, k.flags));
    let meets = |a: &Knot, b: &Knot| a.same_edge(b) && a.t == b.t && a.other == b.other;
    for group in knots.chunk_by_mut(meets) {
        let begins = group.iter().filter(|k| k.begins()).count();
        let open = 2 * begins != group.len();
        for k in group.iter_mut() {
            k.flags |= if open { OPEN } else { 0 };
        }
        group.windows(2).for_each(|pair| loops.join([pair[0].segment, pair[1].segment]));
    }
}

/// Joins ends that met no other end to ends at the same place, as at T-junctions, across coincident edges, up to the distance `near` in canonical
/// units. `order` has an item for each knot.
pub(super) fn stitch(segments: &[Segment], knots: &mut [Knot], order: &mut [u32], near: f64, loops: &mut Sets<'_>) {
    let mut count = 0;
    for (i, _) in knots.iter().enumerate().filter(|(_, k)| k.is_open()) {
        if let Some(to) = order.get_mut(count) {
            *to = i as u32;
            count += 1;
        }
    }
    let order = order.get_mut(..count).unwrap_or_default();
    let place = |k: &Knot| segments.get(k.segment as usize).map_or([0.0; 3], |s| s.tips[k.end()].at);
    let knot = |knots: &[Knot], i: u32| knots.get(i as usize).copied().unwrap_or_default();
    // Maps numbers of both signs to integers in the same order.
    let rank = |x: f64| {
        let bits = (x + 0.0).to_bits();
        if bits >> 63 != 0 { !bits } else { bits | 1 << 63 }
    };
    order.sort_unstable_by_key(|i| {
        let k = knot(knots, *i);
        (k.of_second(), k.other, rank(place(&k)[0]), k.segment, k.flags)
    });
    for at in 0..order.len() {
        let Some(i) = order.get(at).copied() else { continue };
        let one = knot(knots, i);
        for j in order.iter().skip(at + 1).take(LOOK).copied() {
            let two = knot(knots, j);
            let (p, q) = (place(&one), place(&two));
            let is_near = (0..3).all(|c| Real::abs(p[c] - q[c]) <= near);
            let fits = (one.of_second(), one.other) == (two.of_second(), two.other) && one.begins() != two.begins();
            if is_near && fits && knot(knots, i).is_open() && two.is_open() {
                loops.join([one.segment, two.segment]);
                for k in [i, j] {
                    if let Some(to) = knots.get_mut(k as usize) {
                        to.flags &= !OPEN;
                    }
                }
            }
        }
    }
}

/// Finds the inside part of every edge, from its crossings in their order.
pub(super) fn along(segments: &[Segment], knots: &[Knot], mut tell: impl FnMut(Told)) {
    for edge in knots.chunk_by(Knot::same_edge) {
        let mut before: Option<(bool, u32)> = None;
        let mut rest = edge;
        while let Some(first) = rest.first() {
            let same = |k: &Knot| k.t - first.t <= SAME;
            let (cluster, behind) = rest.split_at(rest.iter().position(|k| !same(k)).unwrap_or(rest.len()));
            rest = behind;
            let Some((leaves, segment)) = passes(segments, cluster) else { continue };
            let (second, triangle) = (first.of_second(), own(segments, first));
            let seed = Seed { second, vertex: first.edge as u32, triangle, segment };
            match (before, leaves) {
                (None, true) => tell(Told::Inside(seed)),
                (None, false) => tell(Told::Outside(seed)),
                (Some((false, other)), true) => tell(Told::Along(second, [other, segment])),
                (Some((true, _)), false) => (),
                (Some(_), _) => tell(Told::Twice(segment)),
            }
            before = Some((leaves, segment));
        }
        let (Some((leaves, segment)), Some(first)) = (before, edge.first()) else { continue };
        let triangle = own(segments, first);
        let seed = Seed { second: first.of_second(), vertex: first.far, triangle, segment };
        tell(if leaves { Told::Outside(seed) } else { Told::Inside(seed) });
        for k in edge {
            let side = segments.get(k.segment as usize).map_or(0, |s| s.tips[k.end()].side());
            tell(Told::Crossed(k.of_second(), own(segments, k), side));
        }
    }
}

/// The triangle of the edge's own body.
fn own(segments: &[Segment], k: &Knot) -> u32 {
    segments.get(k.segment as usize).map_or(0, |s| if k.of_second() { s.y } else { s.x })
}

/// Whether the edge leaves or enters in a cluster of close crossings, and a segment there; `None` if it does neither.
fn passes(segments: &[Segment], cluster: &[Knot]) -> Option<(bool, u32)> {
    let leaves = |k: &Knot| segments.get(k.segment as usize).is_some_and(|s| s.tips[k.end()].is(flag::LEAVES));
    // Knots of one crossing are consecutive and count once.
    let once = |a: &Knot, b: &Knot| a.other == b.other && a.t == b.t;
    let net = cluster.chunk_by(once).filter_map(<[Knot]>::first).fold(0, |n, k| if leaves(k) { n + 1 } else { n - 1 });
    let way = net > 0;
    cluster.iter().find(|k| net != 0 && leaves(k) == way).map(|k| (way, k.segment))
}
