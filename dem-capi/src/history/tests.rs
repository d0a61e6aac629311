//! Tests of strides, nulls and refusals. The core tests the matching.

use super::*;
use crate::body_contacts::*;
use crate::errors::*;
use crate::placed::{IDENTITY, dem_pose};
use crate::shapes::DEM_NO_ID;

const NULL: *mut c_void = core::ptr::null_mut();

fn contact(tag: u64, patches: u64, x: f64) -> dem_contact {
    let (position, normal) = ([x, 0.0, 0.0], [0.0, 0.0, 1.0]);
    dem_contact { key: [tag, patches], position, normal, area: 1e-6, ..dem_contact::default() }
}

fn still(tag: u64) -> dem_body_pair {
    dem_body_pair { tag, pose_a: IDENTITY, pose_b: IDENTITY }
}

fn list(contacts: &[dem_contact], pairs: &[dem_body_pair]) -> dem_contact_list {
    dem_contact_list {
        contacts: contacts.as_ptr(),
        count: contacts.len(),
        stride: 0,
        pairs: pairs.as_ptr(),
        pair_count: pairs.len(),
        pair_stride: 0,
        nodes: core::ptr::null(),
        node_count: 0,
    }
}

/// Calls the function: links, events, number of events, the error.
fn matched(
    last: &dem_contact_list,
    now: &dem_contact_list,
    room: usize,
) -> (Vec<dem_contact_link>, Vec<dem_contact_event>, usize, dem_error) {
    let (mut count, mut error) = (77, dem_error::default());
    let mut links = vec![dem_contact_link { origin: 9, source: 9 }; now.count];
    let mut events = vec![dem_contact_event::default(); room];
    // SAFETY: all memory has the size that is passed.
    unsafe {
        let (to, list, null) = (links.as_mut_ptr(), events.as_mut_ptr(), NULL);
        let mut ask = |start, size, error| {
            let none = null.cast();
            dem_contact_match(to, null.cast(), 0, none, list, room, &mut count, last, now, 0.1, start, size, error)
        };
        // A wrong argument is reported instead of the size.
        if ask(null, 0, &mut error) == DEM_ERROR_CAPACITY && error.argument == DEM_ARGUMENT_SCRATCH {
            let mut scratch = vec![0u8; error.needed as usize];
            ask(scratch.as_mut_ptr().cast(), scratch.len(), &mut error);
        }
    }
    (links, events, count, error)
}

#[test]
fn links_and_events_of_two_steps() {
    let pairs = [still(1), still(2)];
    let last = [contact(1, 5, 0.0), contact(1, 6, 1.0), contact(2, 5, 0.0)];
    let now = [contact(1, 5, 0.2), contact(1, 7, 1.05)];
    let (last, now) = (list(&last, &pairs), list(&now, &pairs[..1]));
    let (links, events, count, error) = matched(&last, &now, 5);
    assert_eq!((error, count), (dem_error::default(), 3));
    assert_eq!(links, [0, 1].map(|origin| dem_contact_link { origin, source: origin }));
    let told: Vec<_> = events[..3].iter().map(|e| [e.contact, e.pair, e.now, e.last]).collect();
    let (persist, end) = (DEM_EVENT_PERSIST, DEM_EVENT_END);
    assert_eq!(told, [[persist, persist, 0, 0], [persist, 0, 1, 1], [end, end, DEM_NO_ID, 2]]);
    let (links, _, count, error) = matched(&last, &now, 2);
    assert_eq!((error.code, error.argument, count), (DEM_ERROR_CAPACITY, What::Events as u32, 3));
    assert_eq!((error.needed, links[1].origin), (3, 1));
    // Events may be null.
    let none = list(&[], &[]);
    assert_eq!((matched(&none, &none, 0).3.code, matched(&none, &none, 0).2), (DEM_OK, 0));
}

#[test]
fn records_of_any_size_are_read_in_place() {
    #[repr(C)]
    struct Larger {
        contact: dem_contact,
        mine: [u32; 3],
    }
    let larger = |x| Larger { contact: contact(1, 5, x), mine: [7; 3] };
    let (mine, pairs) = ([larger(0.0), Larger { contact: contact(1, 6, 1.0), mine: [7; 3] }], [still(1)]);
    let now = [contact(1, 6, 1.0), contact(1, 7, 0.05)];
    let now = list(&now, &pairs);
    let long = dem_contact_list { contacts: mine.as_ptr().cast(), count: 2, stride: size_of::<Larger>(), ..now };
    assert_eq!(matched(&long, &now, 4).0.iter().map(|l| l.origin).collect::<Vec<_>>(), [1, 0]);
    // Records of an older program, which end with the area.
    let short: Vec<u8> = mine.iter().flat_map(|m| cut(&m.contact, 112)).collect();
    let short = dem_contact_list { contacts: short.as_ptr().cast(), stride: 112, ..long };
    assert_eq!(matched(&short, &now, 4).0, matched(&long, &now, 4).0);
    let error = matched(&dem_contact_list { stride: 111, ..long }, &now, 4).3;
    assert_eq!((error.code, error.argument, error.needed), (DEM_ERROR_BAD_SIZE, What::LastContacts as u32, 112));
}

/// The first `length` bytes of a contact.
fn cut(contact: &dem_contact, length: usize) -> Vec<u8> {
    // SAFETY: a contact is plain numbers without padding, and has at least so many bytes.
    unsafe { core::slice::from_raw_parts((&raw const *contact).cast(), length.min(size_of::<dem_contact>())) }.to_vec()
}

#[test]
fn springs_are_carried() {
    let (last, now) = ([contact(1, 5, 0.0)], [contact(1, 4, 5.0), contact(1, 5, 0.0)]);
    // Both bodies rotate by a quarter turn.
    let quarter = dem_pose { position: [0.0; 3], orientation: [0.0, 0.0, 1.0, 1.0] };
    let (before, after) = ([still(1)], [dem_body_pair { tag: 1, pose_a: quarter, pose_b: quarter }]);
    let (last, now) = (list(&last, &before), list(&now, &after));
    let links = [dem_contact_link { origin: DEM_NO_ID, source: DEM_NO_ID }, dem_contact_link { origin: 0, source: 0 }];
    let (mut springs, old, mut error) = ([[9.0; 3]; 2], [[0.5, 0.0, 0.0]], dem_error::default());
    let mut call = |to: *mut f64, from: *const f64, links: *const dem_contact_link| {
        // SAFETY: all memory has the size that is passed, or the pointer is null.
        unsafe { dem_contact_carry(to, from, links, core::ptr::null(), 0, &last, &now, &mut error) };
        (error.code, error.argument)
    };
    let (to, from, of) = (springs.as_mut_ptr().cast(), old.as_ptr().cast(), links.as_ptr());
    assert_eq!(call(to, from, of), (DEM_OK, 0));
    assert_eq!(springs[0], [0.0; 3]);
    assert!(springs[1].iter().zip([0.0, 0.5, 0.0]).all(|(x, y): (&f64, f64)| (x - y).abs() < 1e-15), "{springs:?}");
    assert_eq!(call(to, core::ptr::null(), of), (DEM_ERROR_NULL, What::LastVectors as u32));
    assert_eq!(call(to, from, core::ptr::null()), (DEM_ERROR_NULL, What::Links as u32));
    assert_eq!(call(NULL.cast(), from, of), (DEM_ERROR_NULL, What::Vectors as u32));
    assert_eq!(call(to, to, of), (DEM_ERROR_OVERLAP, What::Vectors as u32));
    let bad = [links[0], dem_contact_link { origin: 0, source: 1 }];
    assert_eq!(call(to, from, bad.as_ptr()), (DEM_ERROR_BAD_INDEX, What::Links as u32));
}

#[test]
fn what_does_not_fit_together_is_refused() {
    let (contacts, pairs) = ([contact(1, 5, 0.0)], [still(1)]);
    let good = list(&contacts, &pairs);
    let refused = |last: &dem_contact_list, now: &dem_contact_list| {
        let error = matched(last, now, 2).3;
        (error.code, error.argument)
    };
    let of = |what: What| what as u32;
    let missing = dem_contact_list { pair_count: 0, ..good };
    assert_eq!(refused(&good, &missing), (DEM_ERROR_BAD_INDEX, of(What::BodyPairs)));
    let null = dem_contact_list { contacts: core::ptr::null(), ..good };
    assert_eq!(refused(&null, &good), (DEM_ERROR_NULL, of(What::LastContacts)));
    let small = dem_contact_list { pair_stride: 8, ..good };
    assert_eq!(refused(&good, &small), (DEM_ERROR_BAD_SIZE, of(What::BodyPairs)));
    let (mut link, mut scratch, mut error) = (dem_contact_link::default(), [0u8; 999], dem_error::default());
    let room = scratch.as_mut_ptr().cast::<c_void>();
    let mut call = |links: *mut dem_contact_link, last: *const dem_contact_list, room: *mut c_void, size: usize| {
        let (events, count) = (NULL.cast(), NULL.cast());
        // SAFETY: all memory has the size that is passed, or the call refuses it first.
        unsafe {
            dem_contact_match(
                links,
                NULL.cast(),
                0,
                NULL.cast(),
                events,
                0,
                count,
                last,
                &good,
                0.0,
                room,
                size,
                &mut error,
            )
        };
        (error.code, error.argument)
    };
    assert_eq!(call(&mut link, &good, room, 999), (DEM_OK, 0));
    assert_eq!(call(&mut link, &good, room, 99), (DEM_ERROR_CAPACITY, of(What::Scratch)));
    assert_eq!(call(&mut link, core::ptr::null(), room, 999), (DEM_ERROR_NULL, of(What::LastContacts)));
    assert_eq!(call(NULL.cast(), &good, room, 999), (DEM_ERROR_NULL, of(What::Links)));
    assert_eq!(call(room.cast(), &good, room, 999), (DEM_ERROR_OVERLAP, of(What::Scratch)));
    let inside = contacts.as_ptr().cast_mut().cast();
    assert_eq!(call(inside, &good, room, 999), (DEM_ERROR_OVERLAP, of(What::Links)));
}

#[test]
fn what_joins_takes_the_mean_of_springs() {
    let (contacts, pairs) = ([contact(1, 5, 0.0), contact(1, 6, 1.0)], [still(1)]);
    let node = |features, contact, force| dem_contact_node { features, contact, force };
    let (two, one) = ([node(5, 0, 1.0), node(6, 1, 3.0)], [node(5, 0, 2.0), node(6, 0, 3.0)]);
    let with = |contacts: &[dem_contact], nodes: &[dem_contact_node]| dem_contact_list {
        nodes: nodes.as_ptr(),
        node_count: nodes.len(),
        ..list(contacts, &pairs)
    };
    let (last, now) = (with(&contacts, &two), with(&contacts[..1], &one));
    let (mut links, mut blends, mut error) =
        ([dem_contact_link::default()], [dem_contact_blend::default(); 2], dem_error::default());
    let mut call = |room: usize| {
        let (mut scratch, mut count) = ([0u8; 1999], 9);
        let (to, start) = (links.as_mut_ptr(), scratch.as_mut_ptr().cast());
        // SAFETY: all memory has the size that is passed.
        unsafe {
            dem_contact_match(
                to,
                blends.as_mut_ptr(),
                room,
                &mut count,
                NULL.cast(),
                0,
                NULL.cast(),
                &last,
                &now,
                0.0,
                start,
                1999,
                &mut error,
            );
        }
        (error.code, error.argument, count)
    };
    assert_eq!(call(1), (DEM_ERROR_CAPACITY, DEM_ARGUMENT_BLENDS, 2));
    assert_eq!(call(2), (DEM_OK, 0, 2));
    assert_eq!(links, [dem_contact_link { origin: 1, source: 1 }]);
    assert_eq!(blends, [(1, 0.75), (0, 0.25)].map(|(last, weight)| dem_contact_blend { now: 0, last, weight }));
    let (mut spring, old) = ([9.0; 3], [[1.0, 0.0, 0.0], [0.0, 4.0, 0.0]]);
    let mut carry = |blends: &[dem_contact_blend]| {
        let (to, from, list, many) = (spring.as_mut_ptr(), old.as_ptr().cast(), blends.as_ptr(), blends.len());
        // SAFETY: all memory has the size that is passed.
        unsafe { dem_contact_carry(to, from, links.as_ptr(), list, many, &last, &now, &mut error) };
        (error.code, error.argument, spring)
    };
    assert_eq!(carry(&blends), (DEM_OK, 0, [0.25, 3.0, 0.0]));
    assert_eq!(carry(&[dem_contact_blend { last: 2, ..blends[0] }]).0, DEM_ERROR_BAD_INDEX);
    // Without blends, the contact gets all of one spring.
    assert_eq!(carry(&[]).2, [0.0, 4.0, 0.0]);
}
