//! The entry point: the contacts of two bodies, part by part, by a table of rules.

use super::site::{Site, Sites, check};
use super::task::Task;
use super::triangle_list::Runs;
use super::two_parts::{InUnit, for_any_parts};
use super::writer::{PartPair, Sink};
use super::{
    CAPSULE, HALF_SPACE, MESH, Placed, SPHERE, Shape, Surface, ball_parts, capsule_mesh, capsule_pair, half_space_mesh,
    sphere_mesh, sphere_pair,
};
use crate::contact::measure::mesh_contacts::{Ask, FacingBits, contacts_from};
use crate::contact::penetration::{Tie, Ties};
use crate::contact::regions::{Grouping, Mode, Parts, comes_first, group, group_scratch};
use crate::contact::spread::Wants;
use crate::contact::{Contact, ContactCounts, Node, Room, Side, contacts_scratch};
use crate::error::{Error, Kind, Result, What};
use crate::exec::Work;
use crate::memory::{Layout, Plan, sections};
use crate::narrow::{From, Operand, check_length, ids};
use crate::pose::Pose;
use crate::real::max;

/// Writes the contacts of two parts, and returns their numbers.
type Rule = fn(&PartPair<'_, '_>, &mut Task<'_>, &mut Sink<'_, '_>) -> Result<ContactCounts>;

/// The kinds of shapes for each rule; the first kind is not larger than the second.
const RULES: [(u32, u32, Rule); 10] = [
    (SPHERE, SPHERE, |parts, task, sink| Ok(alone(sphere_pair::sphere_sphere, parts, task, sink))),
    (SPHERE, HALF_SPACE, |parts, task, sink| Ok(alone(sphere_pair::sphere_half_space, parts, task, sink))),
    (SPHERE, MESH, sphere_mesh::sphere_mesh),
    // Neither can move away from the other, and their intersection is infinite.
    (HALF_SPACE, HALF_SPACE, |_, _, _| Ok(ContactCounts::default())),
    (HALF_SPACE, MESH, half_space_mesh::half_space_mesh),
    (MESH, MESH, mesh_mesh),
    (SPHERE, CAPSULE, |parts, task, sink| Ok(alone(capsule_pair::with_capsule, parts, task, sink))),
    (HALF_SPACE, CAPSULE, |parts, task, sink| Ok(alone(capsule_pair::half_space_capsule, parts, task, sink))),
    (MESH, CAPSULE, capsule_mesh::mesh_capsule),
    (CAPSULE, CAPSULE, |parts, task, sink| Ok(alone(capsule_pair::with_capsule, parts, task, sink))),
];

/// Calls a rule that needs no scratch and gives at most one contact.
fn alone(
    rule: fn(&PartPair<'_, '_>, (f64, Wants), &mut Sink<'_, '_>),
    parts: &PartPair<'_, '_>,
    task: &Task<'_>,
    sink: &mut Sink<'_, '_>,
) -> ContactCounts {
    let from = sink.count;
    rule(parts, (task.margin, task.wants), sink);
    let contacts = sink.count - from;
    ContactCounts { contacts, nodes: contacts, ..ContactCounts::default() }
}

/// Settings of a search for the contacts of two bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Request {
    /// The first half of every key.
    pub tag: u64,
    /// The room of scratch.
    pub room: Room,
    /// Which nodes form one contact; by default all nodes of a place where the bodies touch.
    pub grouping: Grouping,
    /// A length in world units, at least 0, usually 0: each body's halo is larger by half of it, whatever the body's scale. So contacts begin
    /// while the bodies are farther apart by `margin`, and have T + `margin` in place of the sum T of both halos.
    pub margin: f64,
    /// Whether to compute [`Contact::energy`]. It changes nothing else.
    pub energy: bool,
    /// Whether to compute [`Contact::spread`] and [`Contact::offset`], which some laws need. It changes nothing else.
    pub spread: bool,
}

impl Request {
    /// Contacts of places where the bodies touch.
    pub fn new(tag: u64, room: Room) -> Self {
        Request { tag, room, grouping: Grouping::default(), margin: 0.0, energy: false, spread: false }
    }

    /// Scratch for the contacts of two bodies: [`shape_scratch`], and less if each patch pair is a contact.
    ///
    /// Errors: [`Kind::TooLarge`]. Cost: that of [`shape_scratch`].
    pub fn scratch(&self, a: &Placed<'_>, b: &Placed<'_>, threads: usize) -> Result<Layout> {
        match self.grouping.mode {
            Mode::Patches => part_scratch(a, b, self.room, threads),
            _ => shape_scratch(a, b, self.room, threads),
        }
    }
}

/// Scratch for [`shape_contacts`] with this room, for up to this number of threads: several threads work only on two large meshes.
///
/// Errors: [`Kind::TooLarge`]. Cost: a few nanoseconds for each part, and about ten for each pair of meshes.
pub fn shape_scratch(a: &Placed<'_>, b: &Placed<'_>, room: Room, threads: usize) -> Result<Layout> {
    let ties = ties_of(&a.shape, &b.shape, room);
    with_nodes(nodes_of(&a.shape, &b.shape, room), ties, part_scratch(a, b, room, threads)?)
}

/// Scratch for the contacts of parts.
pub(crate) fn part_scratch(a: &Placed<'_>, b: &Placed<'_>, room: Room, threads: usize) -> Result<Layout> {
    if a.shape.is_of_balls() && b.shape.is_of_balls() {
        return Ok(Layout::EMPTY);
    }
    for_any_parts(a, b, |x, y| scratch_of(x, y, room, threads))
}

/// Scratch for this number of nodes and ties, found with the scratch `parts`.
pub(crate) fn with_nodes(nodes: usize, ties: usize, parts: Layout) -> Result<Layout> {
    Plan::new().part(NodeMemory::layout(nodes, ties)?).part(parts.or(group_scratch(nodes, ties)?)).layout(What::Scratch)
}

sections! {
    /// Nodes and ties, which come before all other scratch.
    struct NodeMemory<'s>(nodes: usize, ties: usize) {
        list: [Contact; nodes as u64],
        ties: [Tie; ties as u64],
    }
}

/// Room for nodes of compounds beyond the numbers of a room, because parts that are no meshes have nodes without any room.
const PARTS: usize = 64;

/// Room for nodes of any two shapes. If compounds have more nodes, the error tells how many terms are enough.
pub(crate) fn most_nodes(room: Room) -> usize {
    [room.terms, room.pairs, room.segments].into_iter().fold(PARTS, usize::saturating_add)
}

/// Upper bound of the number of nodes: terms, enclosed parts, triangles in reach, and one more. 0 if each node is a contact. There is no bound
/// for compounds.
fn nodes_of(a: &Shape<'_>, b: &Shape<'_>, room: Room) -> usize {
    match (a, b) {
        (Shape::Compound(_), _) | (_, Shape::Compound(_)) => most_nodes(room),
        (Shape::Mesh(_), Shape::Mesh(_)) => room.terms.saturating_add(room.segments).saturating_add(1),
        // Both ends may be inside, beyond the reach of any triangle.
        (Shape::Mesh(_), Shape::Capsule { .. }) | (Shape::Capsule { .. }, Shape::Mesh(_)) => {
            room.pairs.saturating_add(2)
        }
        (Shape::Mesh(_), _) | (_, Shape::Mesh(_)) => room.pairs.saturating_add(1),
        _ => 0,
    }
}

/// Upper bound of the number of patch pairs that cross at borders of enclosed parts.
fn ties_of(a: &Shape<'_>, b: &Shape<'_>, room: Room) -> usize {
    let may_cross = |shape: &Shape<'_>| matches!(shape, Shape::Mesh(_) | Shape::Compound(_));
    if may_cross(a) && may_cross(b) { room.segments } else { 0 }
}

/// Scratch for two parts.
fn scratch_of(a: &Shape<'_>, b: &Shape<'_>, room: Room, threads: usize) -> Result<Layout> {
    let home = &Pose::IDENTITY;
    match (a, b) {
        (Shape::Mesh(x), Shape::Mesh(y)) => contacts_scratch(&x.side(home, 1.0), &y.side(home, 1.0), room, threads),
        (Shape::Mesh(surface), Shape::Sphere { .. }) | (Shape::Sphere { .. }, Shape::Mesh(surface)) => {
            sphere_mesh::scratch(surface, room.pairs)
        }
        (Shape::Mesh(surface), Shape::Capsule { .. }) | (Shape::Capsule { .. }, Shape::Mesh(surface)) => {
            capsule_mesh::scratch(surface, room.pairs)
        }
        (Shape::Mesh(surface), Shape::HalfSpace { .. }) | (Shape::HalfSpace { .. }, Shape::Mesh(surface)) => {
            half_space_mesh::scratch(surface, room.pairs, room.terms)
        }
        _ => Ok(Layout::EMPTY),
    }
}

/// Writes the contacts of two bodies of any shapes, ordered by [`Contact::key`], and returns their number. [`Request::tag`] becomes the first
/// half of every key. The second half consists of two features: those of the patch pair with the largest force.
///
/// A contact is a place where the bodies touch, unless [`Request::grouping`] sets another rule. `nodes`, if given, receives the patch pairs of
/// contacts, ordered by features; [`Node::contact`] is an index in `out`. [`ContactCounts::nodes`] is their number.
///
/// Two meshes have the nodes of [`contacts`](crate::contact::contacts), as if they were made of scaled vertices. (If one is 2^500 times smaller
/// than the other, they have no contacts.) The pressure of a sphere on any other shape is an integral over the other's surface in the sphere's
/// reach (`docs/contacts.md`, section "Shapes"). It has one node with a sphere, a half-space, or a patch of a mesh. Shares sum to 1 over all
/// parts of both bodies. Exchanging A and B exchanges the features and negates normals and moments, bit for bit; the instruction set changes
/// nothing. Two half-spaces have no contacts.
///
/// `room.pairs` are triangle pairs of two meshes, or triangles in reach of a sphere or a half-space, of any one pair of parts. For compounds,
/// `room.segments` also counts the patch pairs along the intersection curves of all parts. If compounds have more nodes than the sum of
/// `room.terms`, `pairs` and `segments`, and a fixed number for parts, then `room.terms` must be larger. All threads of `work.exec` for which
/// `work.scratch` has room share the work on two meshes. Neither the threads nor the scratch change a bit. Scratch is [`shape_scratch`] with the
/// same room, for any number of threads.
///
/// Errors: those of the poses; [`Kind::NotFinite`] and [`Kind::OutOfRange`] for [`What::ShapeA`] or [`What::ShapeB`] with the part as index and
/// 0, 1, 2 or 13 for radius, halo, scale or half length (3 to 9 for a part's pose) as component, and for [`What::Angle`]; [`Kind::Unsupported`]
/// for a compound in a compound; [`Kind::Mismatch`] if a tree or cells are of another mesh; [`Kind::NotFinite`] and [`Kind::OutOfRange`] for
/// [`What::Margin`]; [`Kind::TooLarge`] if features cannot be numbered; [`Kind::Capacity`] with the exact number for [`What::Pairs`],
/// [`What::Terms`], [`What::Segments`], [`What::Output`] or [`What::Nodes`], in this order (`out` and `nodes` then have no meaning).
/// Cost: less than a tenth of a microsecond for spheres and half-spaces. With a mesh it is logarithmic in its triangles, plus some hundred
/// nanoseconds for each one in reach. All pairs of parts are tested, some tens of nanoseconds each.
pub fn shape_contacts(
    work: Work<'_>,
    a: &Placed<'_>,
    b: &Placed<'_>,
    request: &Request,
    out: &mut [Contact],
    nodes: Option<&mut [Node]>,
) -> Result<ContactCounts> {
    find((None, false), work, a, b, request, out, nodes)
}

/// The contacts of [`shape_contacts`], bit for bit, without a search for near triangles: the list that [`list_pairs`](super::list_pairs) made
/// before the bodies moved contains them.
///
/// Errors: those of [`shape_contacts`]; about [`What::PairList`]: [`Kind::OutOfRange`] if the bodies have moved relative to each other by more
/// than the margin of the list less that of the request, [`Kind::Mismatch`] for a list of other bodies or scales, [`Kind::Damaged`] for data that
/// is no list. After an error nothing is written. Cost: that of [`shape_contacts`] without the search of both trees, which is most of it if
/// little touches.
pub fn listed_contacts(
    work: Work<'_>,
    a: &Placed<'_>,
    b: &Placed<'_>,
    list: &[u64],
    request: &Request,
    out: &mut [Contact],
    nodes: Option<&mut [Node]>,
) -> Result<ContactCounts> {
    find((Some(list), false), work, a, b, request, out, nodes)
}

/// The same without a check of the size of scratch: the caller has made it large enough for any two of its shapes. The check would take longer
/// than finding that two bodies are apart.
pub(crate) fn known_contacts(
    work: Work<'_>,
    a: &Placed<'_>,
    b: &Placed<'_>,
    request: &Request,
    out: &mut [Contact],
    nodes: Option<&mut [Node]>,
) -> Result<ContactCounts> {
    find((None, true), work, a, b, request, out, nodes)
}

/// With an optional list, and a flag that scratch is certainly large enough.
fn find(
    (list, enough): (Option<&[u64]>, bool),
    work: Work<'_>,
    a: &Placed<'_>,
    b: &Placed<'_>,
    request: &Request,
    out: &mut [Contact],
    nodes: Option<&mut [Node]>,
) -> Result<ContactCounts> {
    let Request { room, grouping, .. } = *request;
    check(a, What::ShapeA, What::BodyPoseA)?;
    check(b, What::ShapeB, What::BodyPoseB)?;
    grouping.check()?;
    check_length(request.margin, What::Margin)?;
    let listed = list.map(|list| Runs::open(list, a, b, request.margin)).transpose()?;
    if !enough {
        request.scratch(a, b, 1)?.check(work.scratch, What::Scratch)?;
    }
    let most = if grouping.mode == Mode::Patches { 0 } else { nodes_of(&a.shape, &b.shape, room) };
    let ties = if most == 0 { 0 } else { ties_of(&a.shape, &b.shape, room) };
    let (NodeMemory { list, ties }, rest) = NodeMemory::at_front(work.scratch, most, ties)?;
    let mut nodes = nodes;
    let run = |list: &mut [Contact], mut ties: Ties<'_>| {
        let found = parts(listed, Work::new(work.exec, work.isa, &mut *rest), (a, b), request, list, &mut ties)?;
        if found.contacts == 0 {
            return Ok(found);
        }
        let list = list.get_mut(..found.contacts).unwrap_or_default();
        let put = |i: usize, node: Node| {
            nodes.as_deref_mut().and_then(|nodes| nodes.get_mut(i)).into_iter().for_each(|to| *to = node);
        };
        let bodies = [&Parts::new(a), &Parts::new(b)];
        let contacts = group(list, bodies, comes_first(b, a), ties.since(0), &grouping, rest, put)?;
        Ok(ContactCounts { contacts, ..found })
    };
    let found = if most == 0 {
        run(out, Ties::none())?
    } else {
        let found = run(&mut *list, Ties::new(ties)).map_err(|e| match (e.kind, e.what) {
            // More room for terms also gives more room for nodes.
            (Kind::Capacity, What::Output) => {
                let more = (e.needed - e.given).saturating_add(room.terms as u64);
                Error::capacity(What::Terms, more, room.terms as u64)
            }
            _ => e,
        })?;
        let short = Error::capacity(What::Output, found.contacts as u64, out.len() as u64);
        let to = out.get_mut(..found.contacts).ok_or(short)?;
        to.copy_from_slice(list.get(..found.contacts).unwrap_or_default());
        found
    };
    match nodes.map(|nodes| nodes.len()).filter(|room| *room < found.nodes) {
        Some(room) => Err(Error::capacity(What::Nodes, found.nodes as u64, room as u64)),
        None => Ok(found),
    }
}

/// Writes one contact for each patch pair.
fn parts(
    mut listed: Option<Runs<'_>>,
    work: Work<'_>,
    (a, b): (&Placed<'_>, &Placed<'_>),
    &Request { tag, room, margin, energy, spread, .. }: &Request,
    out: &mut [Contact],
    ties: &mut Ties<'_>,
) -> Result<ContactCounts> {
    let wants = Wants { energy, spread };
    if let (Shape::Mesh(x), Shape::Mesh(y)) = (&a.shape, &b.shape)
        && a.scale == 1.0
        && b.scale == 1.0
    {
        let from = listed.as_mut().map_or(From::Roots, |listed| From::Clusters(listed.next()));
        let mut bits = FacingBits::default();
        let (mut a, mut b) = (x.side(a.pose, 1.0), y.side(b.pose, 1.0));
        let ask = Ask { tag, room, margin, far: 0.0, wants };
        return contacts_from(from, work, [&mut a, &mut b], &mut bits, ask, out, ties);
    }
    let (pa, pb) = (a.pose.position, b.pose.position);
    let half = [0, 1, 2].map(|k| 0.5 * pa[k] - 0.5 * pb[k]);
    let middle = [0, 1, 2].map(|k| 0.5 * pa[k] + 0.5 * pb[k]);
    let capacity = out.len();
    let mut sink = Sink { out, count: 0, tag, middle, ties };
    let far = pa.into_iter().chain(pb).fold(0.0, |most, x: f64| max(most, x.abs()));
    let mut task = Task { work, room, margin, far, wants, listed, from: From::Roots };
    let (mut found, mut short) = (ContactCounts::default(), Short::default());
    let mut visit = |x: &Site<'_>, y: &Site<'_>| match pair(x, y, &mut task, &mut sink) {
        Ok(more) => {
            found.contacts += more.contacts;
            found.crossing += more.crossing;
            Ok(())
        }
        Err(error) => short.take(error, &mut sink),
    };
    if a.shape.is_of_balls() && b.shape.is_of_balls() {
        ball_parts::each_near((a, b), half, margin, &mut visit)?;
    } else {
        let (of_a, of_b) = (Sites::new(a, half), Sites::new(b, half.map(|x| -x)));
        of_a.each(|x| of_b.each(|y| visit(x, y)))?;
    }
    short.check(room)?;
    if sink.ties.is_short() {
        return Err(Error::capacity(What::Segments, sink.ties.count as u64, room.segments as u64));
    }
    if sink.count > capacity {
        return Err(Error::capacity(What::Output, sink.count as u64, capacity as u64));
    }
    if a.shape.is_compound() || b.shape.is_compound() {
        let all = sink.since(0);
        all.sort_unstable_by_key(|c| (c.key, c.kind, c.position.map(f64::to_bits)));
    }
    Ok(ContactCounts { contacts: sink.count, nodes: sink.count, ..found })
}

impl<'a> Surface<'a> {
    /// As a side of a query of two meshes.
    pub(super) fn side<'s>(&self, pose: &'s Pose, scale: f64) -> Side<'s>
    where
        'a: 's,
    {
        let operand = Operand { mesh: self.mesh, tree: self.tree, pose, scale };
        Side { operand, cells: self.cells, solid: self.solid }
    }
}

/// Calls the rule for the kinds of two parts.
fn pair(a: &Site<'_>, b: &Site<'_>, task: &mut Task<'_>, sink: &mut Sink<'_, '_>) -> Result<ContactCounts> {
    // The list has a run for each pair of meshes, near or far.
    if let (Shape::Mesh(_), Shape::Mesh(_), Some(listed)) = (&a.shape, &b.shape, &mut task.listed) {
        task.from = From::Clusters(listed.next());
    }
    if a.is_far_from(b, task.margin) {
        return Ok(ContactCounts::default());
    }
    let exchanged = a.shape.kind() > b.shape.kind();
    let (first, second) = if exchanged { (b, a) } else { (a, b) };
    let kinds = (first.shape.kind(), second.shape.kind());
    match RULES.iter().find(|rule| (rule.0, rule.1) == kinds) {
        Some((_, _, rule)) => rule(&PartPair { first, second, exchanged }, task, sink),
        None => Err(Error::new(Kind::Unsupported, What::ShapeB)),
    }
}

/// Two meshes, in a unit near the larger one's scale, so that areas and volumes neither overflow nor underflow.
fn mesh_mesh(parts: &PartPair<'_, '_>, task: &mut Task<'_>, sink: &mut Sink<'_, '_>) -> Result<ContactCounts> {
    let (a, b) = (parts.first, parts.second);
    let (Shape::Mesh(x), Shape::Mesh(y)) = (a.shape, b.shape) else { return Ok(ContactCounts::default()) };
    let Some(InUnit { unit: s, scales, poses: [pose_a, pose_b] }) = InUnit::of(a, b) else {
        return Ok(ContactCounts::default());
    };
    let from = sink.count.min(sink.out.len());
    let out = sink.out.get_mut(from..).unwrap_or_default();
    let mut bits = FacingBits::default();
    let (mut first, mut second) = (x.side(&pose_a, scales[0]), y.side(&pose_b, scales[1]));
    let work = Work::new(task.work.exec, task.work.isa, task.work.scratch);
    let ask = Ask { tag: sink.tag, room: task.room, margin: task.margin / s, far: task.far / s, wants: task.wants };
    let from_tie = sink.ties.count;
    let found = contacts_from(task.from, work, [&mut first, &mut second], &mut bits, ask, out, sink.ties)?;
    for tie in sink.ties.since(from_tie) {
        (tie.node, tie.at) = (parts.features(ids(tie.node).into()), parts.features(ids(tie.at).into()));
    }
    sink.count += found.contacts;
    let middle = sink.middle;
    let scaled = |c: Contact| Contact {
        key: [c.key[0], parts.features(ids(c.key[1]).into())],
        position: [0, 1, 2].map(|k| s * c.position[k] + middle[k] + 0.0),
        moment: c.moment.map(|x| x * s * s * s),
        gap: s * c.gap,
        least_gap: s * c.least_gap,
        area: c.area * s * s,
        share: c.share * s * s,
        halo: s * c.halo,
        energy: c.energy * s * s * s,
        offset: c.offset.map(|x| x * s),
        spread: c.spread.map(|x| x * s * s),
        ..c
    };
    // As for single contacts: contacts whose products of lengths have overflowed are left out.
    let list = sink.since(from);
    let mut kept = 0;
    for i in 0..list.len() {
        let c = scaled(list[i]);
        let lengths = [c.gap, c.least_gap, c.area, c.share, c.halo, c.energy];
        if c.position.iter().chain(&c.moment).chain(&lengths).chain(&c.spread).all(|x| x.is_finite()) {
            list[kept] = c;
            kept += 1;
        }
    }
    sink.count -= found.contacts - kept;
    Ok(found)
}

/// The largest needed rooms over all pairs of parts.
#[derive(Default)]
struct Short {
    pairs: u64,
    terms: u64,
    segments: u64,
}

impl Short {
    /// Records an error about room, to which all pairs of parts contribute; returns any other error.
    fn take(&mut self, error: Error, sink: &mut Sink<'_, '_>) -> Result<()> {
        match (error.kind, error.what) {
            (Kind::Capacity, What::Pairs) => self.pairs = max(self.pairs, error.needed),
            (Kind::Capacity, What::Terms) => self.terms = max(self.terms, error.needed),
            (Kind::Capacity, What::Segments) => self.segments = max(self.segments, error.needed),
            (Kind::Capacity, What::Output) => sink.count += error.needed as usize,
            _ => return Err(error),
        }
        Ok(())
    }

    fn check(&self, room: Room) -> Result<()> {
        for (what, needed, given) in [
            (What::Pairs, self.pairs, room.pairs),
            (What::Terms, self.terms, room.terms),
            (What::Segments, self.segments, room.segments),
        ] {
            if needed > 0 {
                return Err(Error::capacity(what, needed, given as u64));
            }
        }
        Ok(())
    }
}
