//! The block of a scene: the results of the last trial, the data of the committed step, and their views.

use core::ops::Range;

use super::body_contacts::Touch;
use super::box_bodies;
use super::neighbour_list::{NeighbourList, NeighbourListRef, NeighbourListSizes};
use crate::broad::{BoxTree, BoxTreeRef, GridReport, HGrid, HGridRef, HGridSizes, LEVELS};
use crate::contact::history::{Blend, Link, blends_of};
use crate::contact::{Contact, Node};
use crate::error::{Error, Kind, Result, What};
use crate::memory::{self, Sizes, hash_items};
use crate::mesh::NONE;
use crate::pose::Pose;
use zerocopy::{FromBytes, Immutable, IntoBytes};

/// The sizes for which a scene's block is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub struct SceneSizes {
    /// Bodies, at most.
    pub bodies: u32,
    /// Pairs of bodies whose bounds meet, at most.
    pub candidates: u32,
    /// Contacts, at most; also pairs of bodies with contacts, at most.
    pub contacts: u32,
    /// [Nodes](Node) of contacts, at most.
    pub nodes: u32,
    /// The most pairs of bodies with their own poses ([`Scene::find_pairs`]); 0 if bodies have one pose each.
    pub posed: u32,
    /// Levels of the grid, 1 to 64; 8 is good for most size ratios.
    pub levels: u32,
    /// Contacts in the list with wider halos, at most; also pairs of bodies with contacts in that list, at most
    /// ([`Settings::margin`](super::Settings::margin)). 0 if there is no such list.
    pub margin_contacts: u32,
}

impl SceneSizes {
    fn grid(&self) -> HGridSizes {
        HGridSizes { bodies: self.bodies, levels: self.levels }
    }

    /// The number of bodies for which the list with wider halos has data.
    fn margin_bodies(&self) -> u64 {
        if self.margin_contacts == 0 { 0 } else { u64::from(self.bodies) }
    }

    fn neighbours(&self) -> NeighbourListSizes {
        NeighbourListSizes { bodies: self.bodies, candidates: self.candidates }
    }

    fn kept(&self) -> KeptSizes {
        KeptSizes { bodies: self.bodies, contacts: self.contacts, nodes: self.nodes, posed: self.posed }
    }
}

impl Sizes for SceneSizes {
    const KIND: [u8; 4] = *b"scen";
    const VERSION: u32 = 10;
    const WHAT: What = What::Scene;

    fn check(&self) -> Result<()> {
        if self.levels == 0 || self.levels > LEVELS {
            return Err(Error::new(Kind::OutOfRange, What::Levels).amounts(u64::from(LEVELS), u64::from(self.levels)));
        }
        for (size, what) in [
            (self.bodies, What::Bodies),
            (self.contacts, What::Contacts),
            (self.nodes, What::Nodes),
            (self.candidates, What::Candidates),
            (self.posed, What::Posed),
            (self.margin_contacts, What::MarginContacts),
        ] {
            // Links and touches store twice the number of a contact, plus one bit for its side.
            if size >= NONE / 2 {
                return Err(Error::new(Kind::TooLarge, what).amounts(u64::from(NONE / 2), u64::from(size)));
            }
        }
        Ok(())
    }
}

/// The sizes for which the data of a committed step is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub struct KeptSizes {
    /// Bodies, at most.
    pub bodies: u32,
    /// Contacts, at most.
    pub contacts: u32,
    /// Nodes, at most.
    pub nodes: u32,
    /// The most pairs of bodies with their own poses.
    pub posed: u32,
}

impl Sizes for KeptSizes {
    const KIND: [u8; 4] = *b"kept";
    const VERSION: u32 = 3;
    const WHAT: What = What::Scene;
}

/// Two bodies in contact, and the range of their contacts in the list.
///
/// Its name is the two ids and the image, in every step; pairs are ordered by name.
#[derive(Clone, Copy, Debug, Default, PartialEq, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub struct ScenePair {
    /// Ids of A and B. That of A is smaller, or the same if a body meets its own image.
    pub ids: [u64; 2],
    /// Index of A in the host's arrays.
    pub a: u32,
    /// Index of B in the host's arrays.
    pub b: u32,
    /// Index of its first contact.
    pub first: u32,
    /// Index after its last contact.
    pub end: u32,
    /// The periodic image of B, counted from the image nearest to A, by the centres of the spheres around both bodies. If another image has become
    /// the nearest since the last step, contacts continue under another number. For a body and its own image, the first component that is not zero
    /// is positive.
    pub image: [i32; 3],
    /// How many periods B is moved along each axis to meet A.
    pub shift: [i16; 3],
    /// 0.
    pub spare: u16,
    /// Index of the pair's own poses in the kept data; [`NONE`] if the poses are those of the bodies.
    pub posed: u32,
    /// The smallest gap of all its contacts, as the point law defines it; infinite if there are none.
    pub least_gap: f64,
    /// The sum of the energies of its contacts over the stiffness, if [`Settings::energy`](super::Settings::energy) is set; else 0.
    pub energy: f64,
}

impl ScenePair {
    /// The name of the pair. No other pair has the same name, and pairs are ordered by name.
    #[inline(always)]
    pub fn name(&self) -> ([u64; 2], [i32; 3]) {
        (self.ids, self.image)
    }

    /// The indices of its contacts.
    #[inline(always)]
    pub fn contacts(&self) -> Range<usize> {
        self.first as usize..self.end as usize
    }
}

/// The position and the area of a contact in an earlier step.
#[derive(Clone, Copy, Debug, Default, PartialEq, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub struct KeptContact {
    /// The point at which the force acted.
    pub position: [f64; 3],
    /// Its area.
    pub area: f64,
}

/// The numbers of items of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub(super) struct Counts {
    pub periods: [f64; 3],
    pub bodies: u32,
    pub pairs: u32,
    pub contacts: u32,
    pub nodes: u32,
    pub posed: u32,
    /// 0.
    pub spare: u32,
}

memory::sections! {
    /// The data of a step to which the contacts of the next step are linked.
    pub struct Kept / KeptRef (n: &KeptSizes) {
        pub(super) counts: State [Counts; 1],
        pub(super) poses: State [Pose; u64::from(n.bodies)],
        pub(super) posed: State [[Pose; 2]; u64::from(n.posed)],
        pub(super) pairs: State [ScenePair; u64::from(n.contacts)],
        pub(super) features: State [u64; u64::from(n.contacts)],
        pub(super) contacts: State [KeptContact; u64::from(n.contacts)],
        /// Each node has the index of its contact in the step.
        pub(super) nodes: State [Node; u64::from(n.nodes)],
    }
}

impl<'m> KeptRef<'m> {
    /// A step without anything.
    pub(super) const NONE: KeptRef<'static> = KeptRef {
        sizes: KeptSizes { bodies: 0, contacts: 0, nodes: 0, posed: 0 },
        counts: &[Counts { periods: [0.0; 3], bodies: 0, pairs: 0, contacts: 0, nodes: 0, posed: 0, spare: 0 }],
        poses: &[],
        posed: &[],
        pairs: &[],
        features: &[],
        contacts: &[],
        nodes: &[],
    };

    /// Number of contacts.
    pub fn len(&self) -> usize {
        let count = self.counts[0].contacts;
        if count <= self.sizes.contacts { count as usize } else { 0 }
    }

    /// Whether there are no contacts.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The pairs of bodies that had contacts, ordered by ids and images.
    pub fn pairs(&self) -> &'m [ScenePair] {
        self.pairs.get(..self.counts[0].pairs as usize).unwrap_or_default()
    }

    /// The second half of the key of each contact: the features of both bodies.
    pub fn features(&self) -> &'m [u64] {
        self.features.get(..self.counts[0].contacts as usize).unwrap_or_default()
    }

    /// Positions and areas of the contacts.
    pub fn contacts(&self) -> &'m [KeptContact] {
        self.contacts.get(..self.counts[0].contacts as usize).unwrap_or_default()
    }

    /// The nodes of contacts, ordered by pair and features. Each has the index of its contact in the list of the step. A pair has the nodes of all
    /// its contacts, or none: then each contact counts as one node.
    pub fn nodes(&self) -> &'m [Node] {
        self.nodes.get(..self.counts[0].nodes as usize).unwrap_or_default()
    }

    /// The nodes of a pair's contacts. Cost: a search.
    pub fn nodes_of(&self, pair: &ScenePair) -> &'m [Node] {
        nodes_of(self.nodes(), [pair.first, pair.end])
    }

    /// The poses of the bodies.
    pub fn poses(&self) -> &'m [Pose] {
        self.poses.get(..self.counts[0].bodies as usize).unwrap_or_default()
    }

    /// The poses of both bodies of a pair, not moved by periods.
    pub(crate) fn unmoved(&self, pair: &ScenePair) -> [Pose; 2] {
        if let Some(poses) = self.posed.get(pair.posed as usize) {
            return *poses;
        }
        [pair.a, pair.b].map(|i| self.poses().get(i as usize).copied().unwrap_or_default())
    }

    /// The poses of both bodies of a pair, with B moved to where it met A.
    pub fn poses_of(&self, pair: &ScenePair) -> [Pose; 2] {
        let [a, mut b] = self.unmoved(pair);
        b.position = shifted(b.position, pair.shift, &self.counts[0].periods);
        [a, b]
    }

    /// The periods of the step.
    pub(super) fn periods(&self) -> [f64; 3] {
        self.counts[0].periods
    }

    /// A hash of all kept data.
    fn hash_live(&self) -> u64 {
        let Counts { bodies, pairs, contacts, .. } = self.counts[0];
        let own = self.posed.get(..self.counts[0].posed as usize).unwrap_or_default();
        let seed = hash_items(u64::from(bodies) << 32 | u64::from(pairs), self.counts);
        let seed = hash_items(hash_items(seed, self.poses()), own);
        let seed = hash_items(hash_items(seed ^ u64::from(contacts), self.pairs()), self.features());
        hash_items(hash_items(seed, self.contacts()), self.nodes())
    }
}

/// The results of a step: the data of [`KeptRef`], and contacts with all data that laws need.
#[derive(Clone, Copy)]
pub struct StepRef<'m> {
    pub(super) kept: KeptRef<'m>,
    contacts: &'m [Contact],
}

impl<'m> StepRef<'m> {
    /// The contacts, ordered by key: the index of their pair in [`StepRef::pairs`], then features. Positions are those at A: B is moved by `shift`
    /// periods to there.
    pub fn contacts(&self) -> &'m [Contact] {
        self.contacts
    }

    /// The pairs of bodies that have contacts, ordered by ids and images.
    pub fn pairs(&self) -> &'m [ScenePair] {
        self.kept.pairs()
    }

    /// The nodes of contacts: see [`KeptRef::nodes`].
    pub fn nodes(&self) -> &'m [Node] {
        self.kept.nodes()
    }

    /// The nodes of a pair's contacts. Cost: a search.
    pub fn nodes_of(&self, pair: &ScenePair) -> &'m [Node] {
        self.kept.nodes_of(pair)
    }

    /// The poses of the bodies.
    pub fn poses(&self) -> &'m [Pose] {
        self.kept.poses()
    }

    /// The poses of both bodies of a pair, with B moved to where it meets A.
    pub fn poses_of(&self, pair: &ScenePair) -> [Pose; 2] {
        self.kept.poses_of(pair)
    }

    /// The pair of a contact.
    pub fn pair_of(&self, contact: usize) -> Option<&'m ScenePair> {
        self.pairs().get(self.contacts.get(contact)?.key[0] as usize)
    }
}

/// A position moved by whole periods.
#[inline(always)]
pub(super) fn shifted(position: [f64; 3], shift: [i16; 3], periods: &[f64; 3]) -> [f64; 3] {
    if shift == [0; 3] {
        return position;
    }
    [0, 1, 2].map(|k| position[k] + f64::from(shift[k]) * periods[k])
}

/// Which halves of the block hold which step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub(super) struct Progress {
    /// The committed step: 0 for `even`, 1 for `odd`.
    pub committed: u32,
    /// The state of the last results: [`Progress::NOTHING`], [`Progress::TRIAL`] or [`Progress::COMMITTED`].
    pub found: u32,
    /// Number of blends of the last results.
    pub blends: u32,
}

impl Progress {
    pub const NOTHING: u32 = 0;
    /// The results are a trial, in the half that is not committed.
    pub const TRIAL: u32 = 1;
    /// The results are the committed step.
    pub const COMMITTED: u32 = 2;
}

memory::sections! {
    /// A scene: the committed step, to which contacts are linked, and the last trial.
    ///
    /// [`Scene::detect`] is one step. If the block is copied, moved or grown, the next step has the same result.
    pub struct Scene / SceneRef (n: &SceneSizes) {
        pub(super) progress: State [Progress; 1],
        pub(super) contacts: State [Contact; u64::from(n.contacts)],
        pub(super) links: State [Link; u64::from(n.contacts)],
        pub(super) successors: State [u32; u64::from(n.contacts)],
        pub(super) blends: State [Blend; u64::from(n.nodes)],
        pub(super) touch_ends: State [u32; u64::from(n.bodies)],
        pub(super) touches: State [Touch; 2 * u64::from(n.contacts)],
        pub(super) margin_counts: State [Counts; 1],
        pub(super) margin_pairs: State [ScenePair; u64::from(n.margin_contacts)],
        pub(super) margin_contacts: State [Contact; u64::from(n.margin_contacts)],
        pub(super) margin_touch_ends: State [u32; n.margin_bodies()],
        pub(super) margin_touches: State [Touch; 2 * u64::from(n.margin_contacts)],
        /// The places of bodies, ordered by id.
        pub(super) places: Cache [u32; u64::from(n.bodies)],
        ; parts {
            pub(super) even: Kept / KeptRef = &n.kept(),
            pub(super) odd: Kept / KeptRef = &n.kept(),
            pub(super) neighbours: NeighbourList / NeighbourListRef = &n.neighbours(),
            pub(super) grid: HGrid / HGridRef = &n.grid(),
            pub(super) boxes: BoxTree / BoxTreeRef = &box_bodies::sizes(n.bodies),
        }
    }
}

impl Scene<'_> {
    /// Makes the last trial the committed step, to which the next one is linked. Without a trial since the last commit, nothing changes.
    ///
    /// Cost: none.
    pub fn commit(&mut self) {
        let Progress { committed, found, blends } = self.progress[0];
        if found == Progress::TRIAL {
            self.progress[0] = Progress { committed: 1 - committed.min(1), found: Progress::COMMITTED, blends };
        }
    }

    /// Forgets the results since the last commit. The committed step does not change, but its contacts can no longer be read.
    ///
    /// Cost: none. There is no need to call it before a new trial.
    pub fn abandon(&mut self) {
        if self.progress[0].found == Progress::TRIAL {
            self.progress[0].found = Progress::NOTHING;
        }
    }

    /// Forgets the neighbour list ([`Settings::skin`](super::Settings::skin)). The next step builds a new one, with the same result, and
    /// without a skin unless the settings have one. It is useful when many bodies change.
    ///
    /// Cost: none.
    pub fn forget_list(&mut self) {
        self.neighbours.forget();
        self.neighbours.pause(1);
    }

    /// Forgets all results and the committed step, as if the scene were new.
    pub fn clear(&mut self) {
        self.progress[0] = Progress::default();
        self.even.counts[0] = Counts::default();
        self.margin_counts[0] = Counts::default();
        self.odd.counts[0] = Counts::default();
        self.neighbours.clear();
    }
}

impl<'m> SceneRef<'m> {
    fn steps(&self) -> [KeptRef<'m>; 2] {
        if self.progress[0].committed == 0 { [self.even, self.odd] } else { [self.odd, self.even] }
    }

    /// The grid of the search that made the list of candidates, which may be some steps old ([`List::age`](super::List::age)). It has no levels if
    /// the search used no grid, as for few bodies, or if the host named the pairs.
    pub fn list_grid(&self) -> &'m GridReport {
        &self.neighbours.grid[0]
    }

    /// The data of the committed step.
    pub fn committed(&self) -> KeptRef<'m> {
        self.steps()[0]
    }

    /// A hash of the committed step, which is all that later steps depend on. Trials do not change it.
    ///
    /// Cost: a pass over this data.
    pub fn committed_hash(&self) -> u64 {
        self.committed().hash_live()
    }

    /// The results of the last trial, committed or not; empty after [`Scene::abandon`].
    pub fn now(&self) -> StepRef<'m> {
        let [committed, other] = self.steps();
        let kept = match self.progress[0].found {
            Progress::TRIAL => other,
            Progress::COMMITTED => committed,
            _ => KeptRef::NONE,
        };
        StepRef { kept, contacts: self.contacts.get(..kept.len()).unwrap_or_default() }
    }

    /// The scene with the second list of contacts in place of that in [`SceneRef::now`]: the contacts of the last trial with halos enlarged
    /// by the [margin](super::Settings::margin). All functions about the contacts of now then work on this list. It is empty if there was
    /// no margin.
    ///
    /// Its body pairs are those with contacts in this list (or all of them, if a host names them): the pairs of the first list and others,
    /// with the same names in the same order. So a host may walk over both lists side by side. Bodies that penetrate have contacts in both.
    /// Contacts of this list are not matched with an earlier step: there are no links, nodes and springs.
    pub fn margin(&self) -> SceneRef<'m> {
        const SHOWN: &[Progress; 1] = &[Progress { committed: 0, found: Progress::COMMITTED, blends: 0 }];
        let now = self.now().kept;
        let found = self.progress[0].found != Progress::NOTHING;
        let sizes = KeptSizes { contacts: self.sizes.margin_contacts, nodes: 0, ..now.sizes };
        let list = KeptRef { sizes, counts: self.margin_counts, pairs: self.margin_pairs, ..now };
        let even = if found { KeptRef { features: &[], contacts: &[], nodes: &[], ..list } } else { KeptRef::NONE };
        SceneRef {
            progress: SHOWN,
            contacts: self.margin_contacts,
            touch_ends: self.margin_touch_ends,
            touches: self.margin_touches,
            links: &[],
            successors: &[],
            blends: &[],
            even,
            odd: KeptRef::NONE,
            ..*self
        }
    }

    /// The data of the step to which [`SceneRef::links`] refer: the committed step before the last trial.
    pub fn last(&self) -> KeptRef<'m> {
        let [committed, other] = self.steps();
        if self.progress[0].found == Progress::COMMITTED { other } else { committed }
    }

    /// For each contact of [`SceneRef::now`], the contact of the last step that it continues: indices in [`SceneRef::last`].
    pub fn links(&self) -> &'m [Link] {
        self.links.get(..self.now().contacts().len()).unwrap_or_default()
    }

    /// The shares of springs for contacts that take springs from several sources. Every other contact takes those of its [`Link::source`]. Ordered
    /// by contact of this step; those of one contact by weight, the heaviest first.
    pub fn blends(&self) -> &'m [Blend] {
        let Progress { found, blends, .. } = self.progress[0];
        let count = if found == Progress::NOTHING { 0 } else { blends };
        self.blends.get(..count as usize).unwrap_or_default()
    }

    /// The blends of a contact; empty if it has at most one source. Cost: a search.
    pub fn blends_of(&self, contact: usize) -> &'m [Blend] {
        blends_of(&mut self.blends_from(contact), contact)
    }

    /// The blends of the contacts from number `contact` on.
    pub(super) fn blends_from(&self, contact: usize) -> &'m [Blend] {
        let all = self.blends();
        all.get(all.partition_point(|blend| (blend.now as usize) < contact)..).unwrap_or_default()
    }

    /// For each contact of [`SceneRef::last`], the contact that continues it; [`NONE`] if it has ended.
    pub fn successors(&self) -> &'m [u32] {
        let count = if self.progress[0].found == Progress::NOTHING { 0 } else { self.last().len() };
        self.successors.get(..count).unwrap_or_default()
    }

    /// The contacts that touch body `i`: those in which it is A, then those in which it is B, each in their order.
    pub fn touches(&self, i: usize) -> &'m [Touch] {
        let ends = self.touch_ends();
        let Some(end) = ends.get(i) else { return &[] };
        let first = i.checked_sub(1).and_then(|before| ends.get(before)).copied().unwrap_or(0);
        self.touches.get(first as usize..*end as usize).unwrap_or_default()
    }

    /// Where the contacts of each body end in [`SceneRef::all_touches`]; they begin where those of the previous body end.
    pub fn touch_ends(&self) -> &'m [u32] {
        self.touch_ends.get(..self.now().poses().len()).unwrap_or_default()
    }

    /// The contacts of all bodies, one body after the other.
    pub fn all_touches(&self) -> &'m [Touch] {
        self.touches.get(..2 * self.now().contacts().len()).unwrap_or_default()
    }
}

/// The nodes of a range of contacts of a step.
pub(super) fn nodes_of(all: &[Node], [first, end]: [u32; 2]) -> &[Node] {
    let place = |contact| all.partition_point(|node| node.contact < contact);
    all.get(place(first)..place(end)).unwrap_or_default()
}
