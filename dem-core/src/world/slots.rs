//! Adding and removing bodies: slots, their generations, and settings of the host between steps.

use super::block::{Phase, Records, Setup, World, WorldRef};
use super::checked_slice::put;
use crate::body::Body;
use crate::broad::Motion;
use crate::detect::Wrench;
use crate::error::{Error, Kind, Result, What};
use crate::pose::Pose;

/// Identifies a body of a world by its slot and the number of earlier bodies in this slot. Handles of removed bodies are rejected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(C)]
pub struct Handle {
    /// Index in all arrays of the world.
    pub slot: u32,
    /// The generation of the slot.
    pub generation: u32,
}

/// The smallest id that the world itself gives.
pub const OWN_IDS: u64 = 1 << 63;

/// The definition of a body to be added.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyDef {
    /// Mass, pose and velocity.
    pub body: Body,
    /// Its shape: an index in the table that the host passes to each poll.
    pub shape: u32,
    /// Its material, for laws.
    pub material: u32,
    /// Scale of all lengths of its shape, including halos. Mass and moments are not scaled.
    pub scale: f64,
    /// Bits of the groups to which it belongs, at least one.
    pub groups: u32,
    /// Bits of the groups with which it has contacts.
    pub masks: u32,
    /// Its id, below [`OWN_IDS`] and different from all others. Without an id, the world makes one from slot and generation. Results depend on
    /// the order of ids, not on that of slots: bodies that are added in another order with the same ids have the same motion, bit for bit.
    pub id: Option<u64>,
}

impl BodyDef {
    /// A body of this shape, of material 0, not scaled, in contact with all groups.
    pub fn new(body: Body, shape: u32) -> Self {
        BodyDef { body, shape, material: 0, scale: 1.0, groups: 1, masks: u32::MAX, id: None }
    }
}

impl BodyDef {
    /// Checks everything except the id.
    fn check(&self, slot: u64) -> Result<()> {
        self.body.check(slot)?;
        let wrong = |kind, what| Err(Error::new(kind, what).at(slot, 0));
        match self {
            BodyDef { scale, .. } if !scale.is_finite() => wrong(Kind::NotFinite, What::Scales),
            BodyDef { scale, .. } if *scale <= 0.0 => wrong(Kind::OutOfRange, What::Scales),
            BodyDef { groups: 0, .. } => wrong(Kind::OutOfRange, What::Groups),
            _ => Ok(()),
        }
    }
}

impl World<'_> {
    /// Errors if a step or a window is under way: [`Kind::Unsupported`] for [`What::Phase`] or [`What::Window`].
    pub(super) fn idle(&self) -> Result<()> {
        self.outside()?;
        self.expect(&[Phase::Idle])
    }

    /// Errors if a window of [`World::advance`] is under way: [`Kind::Unsupported`] for [`What::Window`].
    pub(super) fn outside(&self) -> Result<()> {
        let parts = self.state[0].window.parts;
        if parts == 0 { Ok(()) } else { Err(Error::new(Kind::Unsupported, What::Window)) }
    }

    /// Errors unless the step is in one of these phases.
    pub(super) fn expect(&self, phases: &[Phase]) -> Result<()> {
        let phase = self.state[0].phase();
        if phases.contains(&phase) {
            return Ok(());
        }
        let expected = phases.first().map_or(0, |phase| *phase as u64);
        Err(Error::new(Kind::Unsupported, What::Phase).at(phase as u64, 0).amounts(expected, phase as u64))
    }

    /// Changes the settings for all steps from now on.
    ///
    /// Errors: [`Kind::NotFinite`] and [`Kind::OutOfRange`] for [`What::Gravity`], [`What::Periods`], [`What::Order`] and
    /// [`What::Rotation`]; [`Kind::Unsupported`] for [`What::Phase`] within a step and [`What::Window`] within a window. After an error
    /// nothing changes.
    pub fn set_up(&mut self, setup: &Setup) -> Result<()> {
        self.idle()?;
        setup.check()?;
        if setup.periods != self.state[0].setup.periods {
            self.state[0].balance.forget();
        }
        self.state[0].setup = *setup;
        Ok(())
    }

    /// Sets which steps of a window have records of all contacts, from now on; the default is the last step of each window.
    ///
    /// With [`Records::None`], a world of balls and half-spaces under a [known](super::Law::known) law computes all steps of its windows
    /// without records. After a window, [`WorldRef::scene`], [`WorldRef::acts`] and [`WorldRef::springs`] are empty, and
    /// [`Report`](super::Report) has no numbers of contacts. Such a world needs almost no room for
    /// [candidates](super::WorldSizes::candidates) and [contacts](super::WorldSizes::contacts).
    /// A step that a host begins by [`World::begin`] has records of all contacts. So do steps that need them, such as steps in which bodies
    /// are fast. If there is no room for these, the error tells the number that is enough.
    ///
    /// Errors: [`Kind::Unsupported`] for [`What::Phase`] within a step and [`What::Window`] within a window. After an error nothing
    /// changes. Cost: none.
    pub fn keep_records(&mut self, records: Records) -> Result<()> {
        self.idle()?;
        self.state[0].records = records as u32;
        Ok(())
    }

    /// Adds a body. It takes the slot that was freed last, or a new one.
    ///
    /// Errors: those of [`Body::check`]; [`Kind::OutOfRange`] and [`Kind::NotFinite`] for [`What::Scales`], [`What::Groups`] (none),
    /// [`What::Ids`]; [`Kind::Duplicate`] for [`What::Ids`] with both slots; [`Kind::Capacity`] for [`What::Bodies`]; [`Kind::Unsupported`] for
    /// [`What::Phase`] within a step. After an error nothing changes. Cost: some nanoseconds; for the first body with an id after a growth of the
    /// block, a pass over all ids.
    pub fn add(&mut self, member: &BodyDef) -> Result<Handle> {
        self.idle()?;
        let state = self.state[0];
        let slot = if state.free > 0 { state.free - 1 } else { state.slots };
        let place = u64::from(slot);
        member.check(place)?;
        let room = self.bodies.len() as u64;
        let short = Error::capacity(What::Bodies, place + 1, room);
        if place >= room {
            return Err(short);
        }
        if let Some(id) = member.id {
            if id >= OWN_IDS {
                return Err(Error::new(Kind::OutOfRange, What::Ids).at(place, 0));
            }
            self.know_names();
            if let Some(other) = self.as_ref().slot_of(id) {
                return Err(Error::new(Kind::Duplicate, What::Ids).at(other as u64, 0).amounts(0, place));
            }
        }
        let i = slot as usize;
        let next = self.materials.get(i).copied().unwrap_or_default();
        let generation = self.generations.get(i).copied().unwrap_or_default();
        let id = member.id.unwrap_or(own_id(slot, generation));
        put(self.bodies, i, member.body);
        self.never_turned(i);
        put(self.ids, i, id);
        put(self.shapes, i, member.shape);
        put(self.materials, i, member.material);
        put(self.scales, i, member.scale);
        put(self.groups, i, member.groups);
        put(self.masks, i, member.masks);
        for wrenches in [&mut *self.loads, self.wrenches, self.means] {
            put(wrenches, i, Wrench::default());
        }
        if member.id.is_some() {
            self.name(slot);
        }
        self.forget_list();
        let state = &mut self.state[0];
        state.balance.forget();
        if state.free > 0 {
            state.free = next;
        } else {
            state.slots += 1;
        }
        Ok(Handle { slot, generation })
    }

    /// Removes a body. Its contacts are gone in the next step. Its slot is used again, with another generation.
    ///
    /// Errors: [`Kind::BadIndex`] for [`What::Handle`], [`Kind::Unsupported`] for [`What::Phase`] within a step. After an error nothing
    /// changes. Cost: none; with [`Records::None`] a pass over all pairs of balls that touch.
    pub fn remove(&mut self, handle: Handle) -> Result<()> {
        self.idle()?;
        let i = self.as_ref().slot(handle)?;
        let generation = handle.generation.wrapping_add(1);
        // The removed body stays in place, so that free slots do not crowd one place.
        let pose = self.bodies.get(i).map_or(Pose::IDENTITY, Body::pose);
        let body = Body::fixed(pose);
        put(self.bodies, i, body);
        self.never_turned(i);
        self.unname(handle.slot);
        put(self.generations, i, generation);
        put(self.ids, i, own_id(handle.slot, generation));
        // The host may remove its shape from now on.
        put(self.shapes, i, 0);
        put(self.materials, i, self.state[0].free);
        put(self.groups, i, 0);
        put(self.masks, i, 0);
        for wrenches in [&mut *self.loads, self.wrenches, self.means] {
            put(wrenches, i, Wrench::default());
        }
        self.drop_springs(handle.slot);
        self.forget_list();
        self.state[0].balance.forget();
        self.state[0].free = handle.slot + 1;
        Ok(())
    }

    /// Moves a body, or changes its velocities or its mass: this is how the host moves kinematic bodies.
    ///
    /// Errors: [`Kind::BadIndex`] for [`What::Handle`]; those of [`Body::check`]; [`Kind::Unsupported`] for [`What::Phase`] within a step. After
    /// an error nothing changes.
    pub fn set_body(&mut self, handle: Handle, body: &Body) -> Result<()> {
        self.idle()?;
        let i = self.as_ref().slot(handle)?;
        body.check(i as u64)?;
        let before = *self.bodies.get(i).unwrap_or(body);
        if before.motion != body.motion {
            self.forget_list();
            self.state[0].balance.forget();
        }
        // A body that moves by its velocity is expected at another place, so this is no change of stored energy.
        let is_led = [Motion::Kinematic as u32, Motion::Ghost as u32].contains(&body.motion);
        if before.pose() != body.pose() && !(is_led && before.motion == body.motion) {
            self.state[0].balance.forget();
        }
        self.has_turned(i, body.orientation);
        put(self.bodies, i, *body);
        Ok(())
    }

    /// Changes all properties of a body: shape, scale, groups and masks, material, and those of [`World::set_body`]. Its handle and its id stay.
    /// Springs of its contacts stay if the next step finds these contacts again. With another scale it does; with another mesh it depends on
    /// their distance.
    ///
    /// Errors: those of [`World::set_body`]; [`Kind::OutOfRange`] and [`Kind::NotFinite`] for [`What::Scales`], [`What::Groups`];
    /// [`Kind::Mismatch`] for [`What::Ids`] if a given id is not its own. After an error nothing changes.
    pub fn set_member(&mut self, handle: Handle, member: &BodyDef) -> Result<()> {
        self.idle()?;
        let i = self.as_ref().slot(handle)?;
        member.check(i as u64)?;
        if member.id.is_some_and(|id| self.ids.get(i) != Some(&id)) {
            return Err(Error::new(Kind::Mismatch, What::Ids).at(i as u64, 0));
        }
        self.set_body(handle, &member.body)?;
        put(self.shapes, i, member.shape);
        put(self.materials, i, member.material);
        put(self.scales, i, member.scale);
        put(self.groups, i, member.groups);
        put(self.masks, i, member.masks);
        self.forget_list();
        self.state[0].balance.forget();
        Ok(())
    }

    /// Gives a body another material, for laws. Springs of its contacts stay.
    ///
    /// Errors: [`Kind::BadIndex`] for [`What::Handle`]; [`Kind::Unsupported`] for [`What::Phase`] within a step. After an error nothing changes.
    pub fn set_material(&mut self, handle: Handle, material: u32) -> Result<()> {
        self.idle()?;
        let i = self.as_ref().slot(handle)?;
        put(self.materials, i, material);
        self.state[0].balance.forget();
        Ok(())
    }

    /// Discards lists of pairs, because bodies have changed. A slot that is freed or taken has no springs.
    pub(super) fn forget_list(&mut self) {
        self.scene.forget_list();
        self.ball_list[0].whole = 0;
    }

    /// The wrenches of the host on all slots, about their centres of mass, in world axes: between steps and at
    /// [`PollResult::Loads`](super::PollResult::Loads). They stay until they are changed.
    ///
    /// Errors: [`Kind::Unsupported`] for [`What::Phase`] elsewhere within a step, and for [`What::Window`] between steps of
    /// [`World::advance_step`].
    pub fn loads_mut(&mut self) -> Result<&mut [Wrench]> {
        self.outside()?;
        self.expect(&[Phase::Idle, Phase::Loads])?;
        let slots = self.state[0].slots as usize;
        Ok(self.loads.get_mut(..slots).unwrap_or_default())
    }
}

impl WorldRef<'_> {
    /// The index of a body in all arrays.
    ///
    /// Errors: [`Kind::BadIndex`] for [`What::Handle`] if the body was removed: `given` is its slot, `needed` the number of slots.
    pub fn slot(&self, handle: Handle) -> Result<usize> {
        let i = handle.slot as usize;
        let there = self.generations.get(i) == Some(&handle.generation) && self.groups.get(i).is_some_and(|g| *g != 0);
        if there && i < self.len() {
            return Ok(i);
        }
        Err(Error::new(Kind::BadIndex, What::Handle).amounts(self.len() as u64, u64::from(handle.slot)))
    }

    /// The handle of the body in a slot; none for a free one.
    pub fn handle(&self, slot: usize) -> Option<Handle> {
        let generation = *self.generations.get(slot)?;
        let handle = Handle { slot: u32::try_from(slot).ok()?, generation };
        self.slot(handle).is_ok().then_some(handle)
    }

    /// Number of bodies.
    pub fn count(&self) -> usize {
        self.groups.get(..self.len()).unwrap_or_default().iter().filter(|groups| **groups != 0).count()
    }

    /// A body in its accepted state.
    ///
    /// Errors: those of [`WorldRef::slot`].
    pub fn body(&self, handle: Handle) -> Result<Body> {
        let i = self.slot(handle)?;
        self.bodies.get(i).copied().ok_or(Error::new(Kind::BadIndex, What::Handle))
    }

    /// All properties of a body in its accepted state: for [`World::set_member`], or to add it to another world. It has no id if the world gave
    /// the id.
    ///
    /// Errors: those of [`WorldRef::slot`].
    pub fn member(&self, handle: Handle) -> Result<BodyDef> {
        let i = self.slot(handle)?;
        let none = Error::new(Kind::BadIndex, What::Handle);
        let word = |words: &[u32]| words.get(i).copied().ok_or(none);
        Ok(BodyDef {
            body: self.body(handle)?,
            shape: word(self.shapes)?,
            material: word(self.materials)?,
            scale: *self.scales.get(i).ok_or(none)?,
            groups: word(self.groups)?,
            masks: word(self.masks)?,
            id: self.ids.get(i).copied().filter(|id| *id < OWN_IDS),
        })
    }

    /// Whether forces move the body in a slot.
    pub fn is_dynamic(&self, slot: usize) -> bool {
        self.bodies.get(slot).is_some_and(|body| body.motion == Motion::Dynamic as u32)
    }
}

/// Ascends with slots, so that bodies without ids of the host need no sorting.
fn own_id(slot: u32, generation: u32) -> u64 {
    OWN_IDS | u64::from(slot) << 32 | u64::from(generation)
}
