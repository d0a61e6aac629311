//! Contacts from step to step.
//!
//! Friction springs, start values of impulses and sounds of impacts need to know which contact of the last step a contact continues. The
//! library keeps no state here. A program keeps two lists. Each has the contacts of all pairs of bodies, ordered by key, and the poses for
//! which they were computed, ordered by tag. One step is
//!
//! - for each pair of bodies, in the order of tags: fill a query; call dem_placed_contacts, which writes after the contacts found so far; write tag
//!   and poses as a dem_body_pair;
//! - dem_contact_match: which contact continues which, and which contacts begin, persist and end;
//! - dem_contact_carry: the spring of each contact, rotated with its bodies, or zero;
//! - the program's own law: springs grow with the slip in this step, and are limited to the force that friction can hold;
//! - exchange both lists.
//!
//! Let a spring be an elongation, with a stiffness in proportion to the area or the share of its contact. An example is F = k_t (1 - gap /
//! halo) area s. Contacts begin and end with force 0. So a contact that begins beside another one can take the same elongation, and no
//! force jumps. A spring then survives when bodies slide or roll from one patch to the next. Impulses are themselves in proportion to the
//! area: take them from `origin` only.
//!
//! A contact may consist of several pairs of patches, its nodes. With the nodes of both lists, contacts with common nodes are matched. A
//! contact that has common nodes with several contacts takes a mean of their springs: its blends.

mod lists;
mod structs;

use core::ffi::c_void;

use dem_core::contact::history::{self, Blend, Event, Link, Matched, StepContacts, match_contacts, match_scratch};
use dem_core::error::{Kind, What};

use crate::body_contacts::{dem_contact_blend, dem_contact_event, dem_contact_link};
use crate::edge;
use crate::errors::dem_error;
use crate::memory::{self as blocks, Scratch};
use crate::records::Records;
use crate::records::{about, shared};
use lists::List;
pub use structs::*;

/// Tells which contact of this step continues which contact of the last step, and which contacts begin, persist and end.
///
/// Contacts with equal keys are the same. If contacts have nodes, those with the most force in common are the same instead. The force in common is a
/// sum over common nodes: for each node the smaller of its forces in both steps. Then, for each pair of bodies, the two nearest remaining contacts
/// are the same if they are within `bound`, and so on.
/// The distance of two contacts is how far the place moved on both bodies, as the root mean square of both. So a common motion of both
/// bodies does not count.
/// A contact that begins without common nodes has no origin, but takes a source. The source is the nearest contact of its pair with the
/// same patch of A or of B. If there is none, it is the nearest contact of its pair. The distance must be within `bound` plus the square
/// roots of both areas.
///
/// Outputs: `links`: one record for each contact of this step. `blends` (may be null): `blend_capacity` records; as many as this step has
/// nodes are always enough. `blend_count` (may be null): how many there are, even if there is no room for them. `events` (may be null):
/// `event_capacity` records, ordered by key; as many as both lists have contacts are always enough. `event_count` (may be null): how many
/// there are, even if they are more than `event_capacity`, or if `events` is null.
/// Inputs: `last`, `now`: both steps. `bound`: not negative; a good value is the larger of the halo and the distance that surfaces slide in
/// a step. `scratch`, `scratch_size`: at any alignment.
/// Memory: links, blends, events and scratch must not overlap each other nor the lists.
/// Errors: `DEM_ERROR_CAPACITY`: scratch, blends or events (`needed` of them; links are still right); `DEM_ERROR_OUT_OF_RANGE`: the bound,
/// or contacts, pairs or nodes that are out of order, with the first that is; `DEM_ERROR_BAD_INDEX` about `now.pairs` and `last.pairs`: no pair has
/// the tag of contact `index`; about `nodes`: the contact of a node does not exist; `DEM_ERROR_NULL`; `DEM_ERROR_MISALIGNED`; `DEM_ERROR_BAD_SIZE`:
/// a stride; `DEM_ERROR_NOT_FINITE`: a pose, or a bound that is NaN (infinity means no bound); `DEM_ERROR_OUT_OF_RANGE`: a pose;
/// `DEM_ERROR_TOO_LARGE`; `DEM_ERROR_OVERLAP`. After any error but those for blends and events, links, blends and events have no meaning.
/// Cost: some ten nanoseconds for a contact with an equal key, about a microsecond for any other, however many have a patch in common or are at one
/// place.
/// Threads: any number at a time, each with records and scratch of its own.
/// Determinism: the same on every machine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_contact_match(
    links: *mut dem_contact_link,
    blends: *mut dem_contact_blend,
    blend_capacity: usize,
    blend_count: *mut usize,
    events: *mut dem_contact_event,
    event_capacity: usize,
    event_count: *mut usize,
    last: *const dem_contact_list,
    now: *const dem_contact_list,
    bound: f64,
    scratch: *mut c_void,
    scratch_size: usize,
    error: *mut dem_error,
) -> i32 {
    edge::call(error, || {
        // SAFETY: the caller guarantees the memory behind pointers that are not null, for the whole call.
        let found = unsafe {
            let (last, now) = (List::last(last)?, List::now(now)?);
            let links = Records::<Link>::packed(links.cast(), now.contacts.count).map_err(about(What::Links))?;
            let capacity = if events.is_null() { 0 } else { event_capacity };
            let records = Records::<Event>::packed(events.cast(), capacity).map_err(about(What::Events))?;
            let room = if blends.is_null() { 0 } else { blend_capacity };
            let mixed = Records::<Blend>::packed(blends.cast(), room).map_err(about(What::Blends))?;
            let scratch = Scratch::new(scratch, scratch_size);
            let written =
                [(links.bytes(), What::Links), (mixed.bytes(), What::Blends), (records.bytes(), What::Events)];
            for (memory, what) in written {
                last.apart_from(memory, what)?;
                now.apart_from(memory, what)?;
                scratch.apart_from(memory)?;
            }
            blocks::apart(links.bytes(), records.bytes(), What::Links)?;
            blocks::apart(links.bytes(), mixed.bytes(), What::Links)?;
            blocks::apart(mixed.bytes(), records.bytes(), What::Blends)?;
            last.apart_from((scratch.start(), scratch_size), What::Scratch)?;
            now.apart_from((scratch.start(), scratch_size), What::Scratch)?;
            let links = links.slice().map_err(about(What::Links))?;
            let records = if events.is_null() { None } else { Some(records.slice().map_err(about(What::Events))?) };
            let mixed = if blends.is_null() { None } else { Some(mixed.slice().map_err(about(What::Blends))?) };
            let scratch =
                scratch.take(match_scratch(last.len(), now.len(), last.nodes().len() + now.nodes().len())?)?;
            match_contacts(&last, &now, bound, links, mixed, records, scratch)
        };
        let Matched { blends, events } = match found {
            Ok(found) => found,
            Err(e) if e.kind == Kind::Capacity && e.what == What::Events => {
                Matched { events: e.needed as usize, blends: 0 }
            }
            Err(e) if e.kind == Kind::Capacity && e.what == What::Blends => {
                Matched { blends: e.needed as usize, events: 0 }
            }
            Err(_) => Matched::default(),
        };
        // SAFETY: as above.
        unsafe {
            edge::write_optional(blend_count, blends);
            edge::write_optional(event_count, events);
        }
        found.map(|_| ())
    })
}

/// Carries a vector of each contact from the last step to this one: the elongation of its tangential spring.
///
/// The vector of contact i is that of its source in the last step. It is rotated by the mean rotation of both bodies, projected into the
/// plane across the normal, and scaled to its old length: s' = |s| (t - n (n.t)) / |t - n (n.t)|, with t = (R_A s + R_B s) / 2. The length
/// stays the same up to rounding over any number of steps. A contact with blends gets the mean of such vectors. Contacts without a source
/// get zero.
///
/// Outputs: `vectors`: three numbers, in world axes, for each contact of this step.
/// Inputs: `of_last`: three for each contact of the last step. `links`, `blends`, `blend_count` (null and 0 if lists have no nodes): the
/// results of `dem_contact_match` for the same lists. `last`, `now`: both steps.
/// Memory: vectors must not overlap anything else.
/// Errors: `DEM_ERROR_NULL`; `DEM_ERROR_MISALIGNED`; `DEM_ERROR_BAD_INDEX` about `links`: the source of link `index` is not a contact of
/// the same pair, and likewise about `blends`; `DEM_ERROR_BAD_SIZE`: a stride; `DEM_ERROR_NOT_FINITE`, `DEM_ERROR_OUT_OF_RANGE`: a pose;
/// `DEM_ERROR_TOO_LARGE`; `DEM_ERROR_OVERLAP`.
/// Cost: some tens of nanoseconds a contact.
/// Threads: any number at a time, each with vectors of its own.
/// Determinism: the same bits on every machine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_contact_carry(
    vectors: *mut f64,
    of_last: *const f64,
    links: *const dem_contact_link,
    blends: *const dem_contact_blend,
    blend_count: usize,
    last: *const dem_contact_list,
    now: *const dem_contact_list,
    error: *mut dem_error,
) -> i32 {
    edge::call(error, || {
        // SAFETY: the caller guarantees the memory behind pointers that are not null, for the whole call.
        unsafe {
            let (last, now) = (List::last(last)?, List::now(now)?);
            let in_vectors = about(What::Vectors);
            let to = Records::<[f64; 3]>::packed(vectors.cast(), now.len()).map_err(in_vectors)?;
            let from = shared(of_last.cast::<[f64; 3]>(), last.len(), What::LastVectors)?;
            let links = shared(links.cast::<Link>(), now.len(), What::Links)?;
            let blends = shared(blends.cast::<Blend>(), blend_count, What::Blends)?;
            last.apart_from(to.bytes(), What::Vectors)?;
            now.apart_from(to.bytes(), What::Vectors)?;
            let read = [
                (from.as_ptr().cast(), size_of_val(from)),
                (links.as_ptr().cast(), size_of_val(links)),
                (blends.as_ptr().cast(), size_of_val(blends)),
            ];
            for read in read {
                blocks::apart(to.bytes(), read, What::Vectors)?;
            }
            history::carry(&last, &now, links, blends, from, to.slice().map_err(about(What::Vectors))?)
        }
    })
}

#[cfg(test)]
mod tests;
