//! Links from contacts to those of the committed step, computed for groups of body pairs on several threads.

use core::cmp::Ordering;
use core::ops::Range;

use super::scene::{KeptRef, ScenePair, nodes_of};
use crate::contact::Node;
use crate::contact::history::{Blend, Blends, Both, Contacts, Group, Link, Room};
use crate::error::Result;
use crate::exec::{CutMut, Executor, each, pieces};
use crate::memory::{ALIGN, Layout, sections};
use crate::mesh::NONE;
use crate::pose::Pose;
use crate::real::min;

/// The number of stretches into which the pairs of this many contacts are divided.
fn stretches(contacts: u32) -> usize {
    min(contacts as usize / 512 + 1, 256)
}

/// A range of body pairs, with their contacts, in one step.
#[derive(Clone, Copy)]
struct Stretch<'s> {
    step: KeptRef<'s>,
    pairs: &'s [ScenePair],
    /// The number of its first contact in the step; `len` is the number of contacts.
    first: u32,
    len: usize,
    /// The nodes of its contacts. They refer to contacts by numbers in the step.
    nodes: &'s [Node],
}

impl<'s> Stretch<'s> {
    /// The pairs from `from` up to `to`, by ids, so that all images of two bodies are in one stretch.
    fn new(step: KeptRef<'s>, [from, to]: [Option<&ScenePair>; 2]) -> Self {
        let all = step.pairs();
        let place =
            |end: Option<&ScenePair>, none| end.map_or(none, |end| all.partition_point(|pair| pair.ids < end.ids));
        let pairs = all.get(place(from, 0)..place(to, all.len())).unwrap_or_default();
        let first = pairs.first().map_or(0, |pair| pair.first);
        let end = pairs.last().map_or(first, |pair| pair.end);
        let nodes = nodes_of(step.nodes(), [first, end]);
        Stretch { step, pairs, first, len: end.saturating_sub(first) as usize, nodes }
    }

    fn features(&self) -> &'s [u64] {
        self.step.features().get(self.first as usize..self.first as usize + self.len).unwrap_or_default()
    }

    /// A pair and its contacts, counted from the first contact of the stretch. Its nodes are taken from the front of `rest`, after skipping those
    /// of earlier pairs.
    fn group(&self, place: usize, rest: &mut &'s [Node]) -> Group<'s> {
        let pair = self.pairs.get(place).copied().unwrap_or_default();
        let until = |nodes: &[Node], end: u32| nodes.iter().take_while(|node| node.contact < end).count();
        let (_, from) = rest.split_at(until(rest, pair.first));
        let (nodes, others) = from.split_at(until(from, pair.end));
        *rest = others;
        Group { range: self.range(&pair), pair: place, nodes, first: self.first }
    }

    /// The contacts of a pair, counted from the first contact of the stretch.
    fn range(&self, pair: &ScenePair) -> Range<usize> {
        let inside = |i: u32| (i.saturating_sub(self.first) as usize).min(self.len);
        inside(pair.first)..inside(pair.end).max(inside(pair.first))
    }
}

impl Contacts for Stretch<'_> {
    #[inline]
    fn position(&self, i: usize) -> [f64; 3] {
        self.step.contacts().get(self.first as usize + i).map_or([0.0; 3], |contact| contact.position)
    }

    #[inline]
    fn area(&self, i: usize) -> f64 {
        self.step.contacts().get(self.first as usize + i).map_or(0.0, |contact| contact.area)
    }

    fn poses(&self, pair: usize) -> [Pose; 2] {
        self.pairs.get(pair).map_or([Pose::IDENTITY; 2], |pair| self.step.poses_of(pair))
    }
}

/// Scratch for this many contacts and nodes in each of the two steps.
pub(super) fn scratch(contacts: u32, nodes: u32) -> Result<Layout> {
    Memory::layout(contacts, nodes)
}

sections! {
    struct Memory<'s>(contacts: u32, nodes: u32) {
        numbers: [[u32; NUMBERS]; stretches(contacts) as u64],
        lines: [[u8; ALIGN]; lines(contacts, nodes)?],
    }
}

/// Numbers that are stored for each stretch.
const NUMBERS: usize = 6;

/// Lines of scratch for all stretches. In each stretch, every region of [`Room`] may be rounded up to a whole line.
fn lines(contacts: u32, nodes: u32) -> Result<u64> {
    const REGIONS: u64 = 5;
    let whole = Room::layout(u64::from(contacts), u64::from(contacts), 2 * u64::from(nodes))?.size.div_ceil(ALIGN);
    Ok(whole as u64 + stretches(contacts) as u64 * REGIONS)
}

/// The links of contacts to the last step, and of contacts of the last step to this one.
pub(super) struct Written<'o> {
    pub links: &'o mut [Link],
    pub successors: &'o mut [u32],
    /// Room for one blend for each node of this step.
    pub blends: &'o mut [Blend],
}

/// The numbers of links.
pub(super) struct Linked {
    /// Contacts that persist.
    pub persisting: usize,
    pub blends: usize,
}

/// Writes the links of each contact of `now` to `last`, and the successor in `now` of each contact of `last`.
///
/// Errors: [`Kind::Capacity`](crate::error::Kind::Capacity) for scratch.
pub(super) fn link(
    exec: &dyn Executor,
    last: KeptRef<'_>,
    now: KeptRef<'_>,
    bound: f64,
    Written { links, successors, blends }: Written<'_>,
    scratch: &mut [u8],
) -> Result<Linked> {
    let most = (last.len().max(now.len())) as u32;
    let nodes = (last.nodes().len().max(now.nodes().len())) as u32;
    let Memory { numbers, lines } = Memory::new(scratch, most, nodes)?;
    let stretches = numbers.len();
    let (ends, counts) = numbers.as_flattened_mut().split_at_mut(4 * stretches);
    let (going, mixed) = counts.split_at_mut(stretches);
    let (link_ends, ends) = ends.split_at_mut(stretches);
    let (successor_ends, ends) = ends.split_at_mut(stretches);
    let (line_ends, blend_ends) = ends.split_at_mut(stretches);
    // Both steps are cut at the same pairs, which divide the longer list evenly.
    let many = if now.pairs().len() < last.pairs().len() { last.pairs() } else { now.pairs() };
    let cut = |k: usize| if k == 0 { None } else { many.get(many.len() * k / stretches) };
    let end = |k: usize| if k + 1 == stretches { None } else { cut(k + 1) };
    let both = |k: usize| [last, now].map(|step| Stretch::new(step, [cut(k), end(k)]));
    let (mut link_end, mut successor_end, mut line_end, mut blend_end) = (0, 0, 0, 0);
    let all = link_ends.iter_mut().zip(successor_ends.iter_mut()).zip(line_ends.iter_mut().zip(blend_ends.iter_mut()));
    for (k, ((links, successors), (lines, blends))) in all.enumerate() {
        let [before, after] = both(k);
        link_end += after.len as u32;
        successor_end += before.len as u32;
        line_end += room(&before, &after)?.size.div_ceil(ALIGN) as u32;
        blend_end += after.nodes.len() as u32;
        (*links, *successors, *lines, *blends) = (link_end, successor_end, line_end, blend_end);
    }
    let parts = (pieces(links, link_ends), pieces(successors, successor_ends), pieces(&mut *blends, &*blend_ends));
    let counts = (CutMut(&mut *going, 1), CutMut(&mut *mixed, 1));
    let parts = (parts, pieces(lines, line_ends), counts);
    each(exec, parts, |k, ((links, successors, blends), lines, (going, mixed))| {
        let [before, after] = both(k);
        let mut list = Blends::new(Some(&mut *blends));
        // Poses were checked when they were passed in, so an error is only possible if the block is damaged.
        let settled = settle([&before, &after], bound, (links, successors, &mut list), lines.as_flattened_mut());
        going[0] = settled.unwrap_or_else(|_| {
            list.count = 0;
            links.fill(Link::NEW);
            successors.fill(NONE);
            0
        });
        mixed[0] = list.count as u32;
        for blend in blends.iter_mut().take(mixed[0] as usize) {
            (blend.now, blend.last) = (blend.now + after.first, blend.last + before.first);
        }
    });
    // Each stretch has written its blends at the start of the room for its largest possible number. Close the gaps.
    let (mut first, mut count) = (0, 0);
    for (end, mixed) in blend_ends.iter().zip(&*mixed) {
        let own = first..first + (*mixed as usize).min((*end as usize).saturating_sub(first));
        first = *end as usize;
        if own.end <= blends.len() && count <= own.start {
            let many = own.len();
            blends.copy_within(own, count);
            count += many;
        }
    }
    Ok(Linked { persisting: going.iter().map(|n| *n as usize).sum(), blends: count })
}

/// Scratch for a stretch.
fn room(last: &Stretch<'_>, now: &Stretch<'_>) -> Result<Layout> {
    Room::layout(last.len as u64, now.len as u64, last.nodes.len() as u64 + now.nodes.len() as u64)
}

/// Links the contacts of all pairs, by their numbers in the steps. Gives the number of contacts that persist.
fn settle(
    [last, now]: [&Stretch<'_>; 2],
    bound: f64,
    (links, successors, blends): (&mut [Link], &mut [u32], &mut Blends<'_>),
    scratch: &mut [u8],
) -> Result<u32> {
    let nodes = last.nodes.len() as u64 + now.nodes.len() as u64;
    let (mut scratch, mut room) = (Some(scratch), None);
    let keys = [last.features(), now.features()];
    let steps = SideBySide::new([&last.step, &now.step], [last.pairs, now.pairs]);
    let (mut i, mut j, mut old, mut new, mut going) = (0, 0, last.nodes, now.nodes, 0);
    loop {
        let Some(order) = steps.order([i, j]) else { return Ok(going) };
        let (x, y) = match (last.pairs.get(i), now.pairs.get(j)) {
            (Some(x), Some(y)) => {
                // Fast path: mostly the pair has the same single contact as before.
                if order == Ordering::Equal && link_one([last, now], [x, y], keys, links, successors) {
                    (i, j, going) = (i + 1, j + 1, going + 1);
                    continue;
                }
                (x, y)
            }
            (Some(x), None) => (x, x),
            (None, Some(y)) => (y, y),
            (None, None) => return Ok(going),
        };
        if order != Ordering::Greater {
            part(successors, &last.range(x)).fill(NONE);
        }
        if order != Ordering::Less {
            part(links, &now.range(y)).fill(Link::NEW);
        }
        if order == Ordering::Equal {
            let (before, after) = (&last.group(i, &mut old), &now.group(j, &mut new));
            let both = Both { last, now, keys, before, after, links: &mut *links, successors: &mut *successors };
            // The scratch is only laid out when the first pair needs it, because mostly none does.
            if let Some(scratch) = scratch.take() {
                room = Some(Room::new(scratch, last.len as u64, now.len as u64, nodes)?);
            }
            if let Some(room) = &mut room {
                { both }.settle(bound, room, blends)?;
            }
            going += in_steps([last, now], part(links, &after.range), part(successors, &before.range));
        }
        i += usize::from(order != Ordering::Greater);
        j += usize::from(order != Ordering::Less);
    }
}

/// Walks over the pairs of two steps side by side, in order.
#[derive(Clone, Copy)]
pub(super) struct SideBySide<'k, 's> {
    steps: [&'k KeptRef<'s>; 2],
    /// All pairs of the bodies concerned; the pairs of any two bodies are all here or all missing.
    pairs: [&'s [ScenePair]; 2],
    /// Whether neither step has periods, so that images keep their numbers.
    open: bool,
}

impl<'k, 's> SideBySide<'k, 's> {
    pub fn new(steps: [&'k KeptRef<'s>; 2], pairs: [&'s [ScenePair]; 2]) -> Self {
        SideBySide { steps, pairs, open: steps.iter().all(|step| step.periods() == [0.0; 3]) }
    }

    /// Compares the pair at index `i` of the last step with the pair at index `j` of this step: whether it comes before (less), is the same, or
    /// comes after. None at the end of both lists.
    #[inline(always)]
    pub fn order(&self, [i, j]: [usize; 2]) -> Option<Ordering> {
        let (x, y) = match (self.pairs[0].get(i), self.pairs[1].get(j)) {
            (Some(x), Some(y)) => (x, y),
            (Some(_), None) => return Some(Ordering::Less),
            (None, Some(_)) => return Some(Ordering::Greater),
            (None, None) => return None,
        };
        Some(match x.ids == y.ids {
            true if x.image == y.image && self.keep_their_numbers([i, j]) => Ordering::Equal,
            true => renamed(self.steps, [x, y]).cmp(&y.image),
            false => x.ids.cmp(&y.ids),
        })
    }

    /// The difference of the image numbers of a pair in this step and in the last step, if the pairs at the two indices are of the same bodies;
    /// else 0.
    pub fn recounted(&self, [i, j]: [usize; 2]) -> [i32; 3] {
        match (self.pairs[0].get(i), self.pairs[1].get(j), self.order([i, j])) {
            (Some(x), Some(y), Some(order)) if x.ids == y.ids => {
                let is_one = order == Ordering::Equal && self.keep_their_numbers([i, j]);
                let image = if is_one { y.image } else { renamed(self.steps, [x, y]) };
                [0, 1, 2].map(|k| image[k].wrapping_sub(x.image[k]))
            }
            _ => [0; 3],
        }
    }

    /// Whether the pairs of these two bodies have the same image numbers in both steps, or are the only ones of the bodies.
    #[inline(always)]
    fn keep_their_numbers(&self, [i, j]: [usize; 2]) -> bool {
        self.open || is_alone(self.pairs[0], i) && is_alone(self.pairs[1], j)
    }
}

/// Whether the pair at an index is the only one of its two bodies. Unbounded bodies have no images, so each of their pairs is.
#[inline(always)]
fn is_alone(pairs: &[ScenePair], place: usize) -> bool {
    let ids = |place: Option<usize>| place.and_then(|place| pairs.get(place)).map(|pair| pair.ids);
    let own = ids(Some(place));
    ids(place.checked_sub(1)) != own && ids(place.checked_add(1)) != own
}

/// The image number in this step of a pair of the last step, derived from a pair of the same bodies in this step. The number changes if B has
/// passed the middle between A and the next image of A, or if a body has been wrapped.
fn renamed([last, now]: [&KeptRef<'_>; 2], [x, y]: [&ScenePair; 2]) -> [i32; 3] {
    let ([a, b], [to_a, to_b]) = (last.unmoved(x), now.unmoved(y));
    [0, 1, 2].map(|k| match now.periods()[k] {
        0.0 => x.image[k],
        period => {
            // Bodies move by less than half a period in a step; everything beyond that is wrapping by whole periods. Casts saturate.
            let moved = |from: [f64; 3], to: [f64; 3]| {
                let periods = (to[k] - from[k]) / period;
                (if periods < 0.0 { periods - 0.5 } else { periods + 0.5 }) as i32
            };
            let moved = moved(a.position, to_a.position).wrapping_sub(moved(b.position, to_b.position));
            // The shift of that image in this step.
            let shift = i32::from(x.shift[k]).wrapping_add(moved);
            shift.wrapping_sub(i32::from(y.shift[k]).wrapping_sub(y.image[k]))
        }
    })
}

/// The items of a range.
fn part<'a, T>(items: &'a mut [T], range: &Range<usize>) -> &'a mut [T] {
    items.get_mut(range.clone()).unwrap_or_default()
}

/// Turns numbers within stretches into numbers within the steps. Gives the number of contacts that persist.
fn in_steps([last, now]: [&Stretch<'_>; 2], links: &mut [Link], successors: &mut [u32]) -> u32 {
    for link in &mut *links {
        for place in [&mut link.origin, &mut link.source] {
            *place = if *place == NONE { NONE } else { *place + last.first };
        }
    }
    successors.iter_mut().filter(|next| **next != NONE).for_each(|next| *next += now.first);
    links.iter().filter(|link| link.origin != NONE).count() as u32
}

/// Links the contacts of a pair that has exactly one in both steps, with the same features, so that the contacts have a node in common. Gives
/// whether that is so.
#[inline(always)]
fn link_one(
    [last, now]: [&Stretch<'_>; 2],
    [x, y]: [&ScenePair; 2],
    keys: [&[u64]; 2],
    links: &mut [Link],
    successors: &mut [u32],
) -> bool {
    let [i, j] = [x.first.wrapping_sub(last.first), y.first.wrapping_sub(now.first)];
    let one = x.end.wrapping_sub(x.first) == 1 && y.end.wrapping_sub(y.first) == 1;
    match (keys[0].get(i as usize), keys[1].get(j as usize), links.get_mut(j as usize), successors.get_mut(i as usize))
    {
        (Some(old), Some(new), Some(link), Some(successor)) if one && old == new => {
            (*link, *successor) = (Link { origin: x.first, source: x.first }, y.first);
            true
        }
        _ => false,
    }
}
