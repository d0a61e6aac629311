//! Matching against a slow search through all pairs; events; no effect of a common motion of both bodies; errors.

extern crate std;

mod overlap;

use super::kd_tree::Point;
use super::*;
use crate::pose::Pose;
use crate::triangle::tests::Random;
use std::vec;
use std::vec::Vec;
use zerocopy::IntoBytes;

fn contact(tag: u64, patches: u64, position: [f64; 3]) -> Contact {
    Contact { key: [tag, patches], position, normal: [0.0, 0.0, 1.0], area: 1e-6, ..Contact::default() }
}

fn still(tag: u64) -> BodyPair {
    BodyPair { tag, pose_a: Pose::IDENTITY, pose_b: Pose::IDENTITY }
}

type Lists<'a> = (&'a [Contact], &'a [BodyPair]);

/// All links and events.
fn matched(last: Lists<'_>, now: Lists<'_>, bound: f64) -> Result<(Vec<Link>, Vec<Event>)> {
    let layout = match_scratch(last.0.len(), now.0.len(), 0).unwrap();
    let mut memory = vec![0u128; layout.size / 16 + 8];
    let bytes = memory.as_mut_bytes();
    let skip = bytes.as_ptr().align_offset(layout.align);
    let scratch = &mut bytes[skip..skip + layout.size];
    let mut links = vec![Link::NEW; now.0.len()];
    let mut events = vec![Event::default(); last.0.len() + now.0.len()];
    let found = match_contacts(&last, &now, bound, &mut links, None, Some(&mut events), scratch)?;
    events.truncate(found.events);
    Ok((links, events))
}

fn origins(links: &[Link]) -> Vec<Option<u32>> {
    links.iter().map(|link| (link.origin != NONE).then_some(link.origin)).collect()
}

/// The definition: among all remaining pairs the one with the smallest distance, then the smallest ids.
fn slowly(old: &[Point], new: &[Point], bound: f64) -> Vec<(u32, u32)> {
    let mut pairs: Vec<(f64, u32, u32)> = Vec::new();
    for (i, x) in old.iter().enumerate() {
        for (j, y) in new.iter().enumerate() {
            let d = |k: usize| (x[k] - y[k]) * (x[k] - y[k]);
            pairs.push((((d(0) + d(1)) + (d(2) + d(3))) + (d(4) + d(5)), i as u32, j as u32));
        }
    }
    pairs.sort_by(|x, y| x.partial_cmp(y).unwrap());
    let (mut taken_old, mut taken_new) = (vec![false; old.len()], vec![false; new.len()]);
    let mut found = Vec::new();
    for (d, i, j) in pairs {
        if d <= bound && !taken_old[i as usize] && !taken_new[j as usize] {
            (taken_old[i as usize], taken_new[j as usize]) = (true, true);
            found.push((i, j));
        }
    }
    found.sort_unstable();
    found
}

#[test]
fn the_nearest_two_come_first_as_by_all_pairs_one_by_one() {
    let (mut numbers, mut ways) = (Random(1), [0; 2]);
    for case in 0..300 {
        let (n, m) = (case % 23, (7 * case) % 31);
        let mut point = |_| match case % 3 {
            0 => core::array::from_fn(|_| numbers.next()),
            1 => core::array::from_fn(|_| (numbers.next() * 6.0).floor()),
            // On a line, chains get long.
            _ => [numbers.next().powi(4), 0.0, 0.0, 0.0, 0.0, 0.0],
        };
        let old: Vec<Point> = (0..n).map(&mut point).collect();
        let new: Vec<Point> = (0..m).map(&mut point).collect();
        for bound in [0.0, 0.01, 1.0, 9.0, f64::INFINITY] {
            let nodes = |points: &[Point]| -> Vec<kd_tree::Node> {
                points.iter().enumerate().map(|(i, p)| kd_tree::Node::new(*p, i)).collect()
            };
            let expected = slowly(&old, &new, bound);
            let (mut a, mut b, mut chain) = (nodes(&old), nodes(&new), vec![0; n + m]);
            let few = nearest::near_pairs(&mut a, &mut b, bound, &mut chain).is_some();
            ways[usize::from(few)] += usize::from(!expected.is_empty());
            // By `pair_up`, which chooses a method, and by chains.
            for way in [nearest::pair_up, nearest::by_chains] {
                let (mut a, mut b, mut found) = (nodes(&old), nodes(&new), Vec::new());
                way(&mut a, &mut b, bound, &mut chain, &mut |i, j| found.push((i, j)));
                found.sort_unstable();
                assert_eq!(found, expected, "{case} {bound}");
            }
        }
    }
    assert!(ways.iter().all(|n| *n > 50), "{ways:?}");
}

#[test]
fn equal_keys_are_the_same_contact_however_far() {
    let pairs = [still(1)];
    let last = [contact(1, 5, [0.0; 3]), contact(1, 9, [1.0, 0.0, 0.0])];
    // Contact 9 is now at the earlier position of contact 5.
    let now = [contact(1, 5, [9.0, 0.0, 0.0]), contact(1, 9, [0.0; 3])];
    let (links, events) = matched((&last, &pairs), (&now, &pairs), 0.1).unwrap();
    assert_eq!(origins(&links), [Some(0), Some(1)]);
    assert!(events.iter().all(|e| e.contact == PERSIST));
}

#[test]
fn the_nearest_of_the_same_bodies_goes_on_under_another_key() {
    let pairs = [still(1), still(2)];
    let last = [contact(1, 5, [0.0; 3]), contact(1, 6, [1.0, 0.0, 0.0]), contact(2, 5, [0.3, 0.0, 0.0])];
    let now = [contact(1, 7, [0.9, 0.0, 0.0]), contact(1, 8, [0.2, 0.0, 0.0]), contact(2, 9, [0.31, 5.0, 0.0])];
    let (links, events) = matched((&last, &pairs), (&now, &pairs), 0.25).unwrap();
    assert_eq!(origins(&links), [Some(1), Some(0), None]);
    let told: Vec<_> = events.iter().map(|e| (e.contact, e.pair, e.now, e.last)).collect();
    let expected =
        [(PERSIST, PERSIST, 0, 1), (PERSIST, UNCHANGED, 1, 0), (END, PERSIST, NONE, 2), (BEGIN, UNCHANGED, 2, NONE)];
    assert_eq!(told, expected);
    // Just beyond the bound, the second contact is a new one.
    let (links, _) = matched((&last, &pairs), (&now, &pairs), 0.19).unwrap();
    assert_eq!(origins(&links), [Some(1), None, None]);
}

#[test]
fn a_motion_that_both_bodies_make_is_none() {
    let mut numbers = Random(4);
    let mut position = || core::array::from_fn(|_| numbers.next());
    let last: Vec<Contact> = (0..40).map(|i| contact(1, i, position())).collect();
    let now: Vec<Contact> = (0..40).map(|i| contact(1, 100 + i, position())).collect();
    let (expected, _) = matched((&last, &[still(1)]), (&now, &[still(1)]), 0.3).unwrap();
    // Both bodies rotated and moved far, and the contacts with them.
    let pose = Pose { position: [50.0, -20.0, 7.0], orientation: [0.3, -0.4, 0.5, 0.7] };
    let motion = pose.transform(What::Pose).unwrap();
    let moved: Vec<Contact> = now.iter().map(|c| Contact { position: motion.apply(c.position), ..*c }).collect();
    let carried = BodyPair { tag: 1, pose_a: pose, pose_b: pose };
    let (links, _) = matched((&last, &[still(1)]), (&moved, &[carried]), 0.3).unwrap();
    assert_eq!(links, expected);
    assert!(origins(&links).iter().flatten().count() > 20);
    // Without the poses nothing would be near.
    let (lost, _) = matched((&last, &[still(1)]), (&moved, &[still(1)]), 0.3).unwrap();
    assert!(origins(&lost).iter().all(Option::is_none));
}

#[test]
fn a_new_contact_beside_an_old_one_takes_its_spring_and_has_no_origin() {
    let pairs = [still(1)];
    let wide = |c: Contact| Contact { area: 0.04, ..c };
    let last = [wide(contact(1, 5, [0.0; 3]))];
    let now = [wide(contact(1, 5, [0.0; 3])), contact(1, 6, [0.2, 0.0, 0.0]), contact(1, 7, [0.9, 0.0, 0.0])];
    let (links, events) = matched((&last, &pairs), (&now, &pairs), 0.01).unwrap();
    assert_eq!(links, [Link { origin: 0, source: 0 }, Link { origin: NONE, source: 0 }, Link::NEW]);
    assert_eq!(events.iter().map(|e| e.contact).collect::<Vec<_>>(), [PERSIST, BEGIN, BEGIN]);
    // One common patch is enough, on either body; the nearest of several counts. Without a common patch it is the nearest of all, and the first
    // of equally near ones.
    let key = |a: u64, b: u64| a << 32 | b;
    let at = |a, b, x| wide(contact(1, key(a, b), [x, 0.0, 0.0]));
    let last = [at(3, 7, 0.1), at(3, 9, 0.0), at(5, 7, 0.01)];
    let now = [at(2, 7, 0.0), at(3, 7, 0.1), at(3, 8, 0.02), at(3, 9, 0.0), at(4, 8, 0.0), at(5, 7, 0.01)];
    let (links, _) = matched((&last, &pairs), (&now, &pairs), 0.01).unwrap();
    let sources: Vec<u32> = links.iter().map(|link| link.source).collect();
    assert_eq!(sources, [2, 0, 1, 1, 1, 2]);
}

/// The definition: the nearest contact with a common patch, if both areas may be adjacent; else the nearest of all.
fn source_slowly(last: &[Contact], now: &Contact, bound: f64) -> u32 {
    let patches = |c: &Contact| [c.key[1] >> 32, c.key[1] & 0xffff_ffff];
    let apart = |c: &Contact| {
        let d = [0, 1, 2].map(|k| (c.position[k] - now.position[k]) * (c.position[k] - now.position[k]));
        (d[0] + d[1]) + (d[2] + d[0]) + (d[1] + d[2])
    };
    let in_common = |c: &Contact| patches(c)[0] == patches(now)[0] || patches(c)[1] == patches(now)[1];
    let nearest = |all: bool| {
        let near = (0u32..).zip(last).filter(|(_, c)| all || in_common(c)).map(|(i, c)| (apart(c), i));
        let (by, i) = near.reduce(|x, y| if y < x { y } else { x })?;
        let reach = bound + last[i as usize].area.sqrt() + now.area.sqrt();
        (by <= 2.0 * reach * reach).then_some(i)
    };
    nearest(false).or_else(|| nearest(true)).unwrap_or(NONE)
}

#[test]
fn sources_of_new_contacts_are_those_of_all_pairs() {
    let mut numbers = Random(9);
    let mut sourced = 0;
    for case in 0..60 {
        let (n, m) = ([9, 70, 400][case % 3], [3, 50, 300][case / 3 % 3]);
        // One common patch for all, few, or almost none.
        let patches = [1.0, 3.0, 40.0, 4e9][case % 4];
        let flat = if case % 5 == 0 { 0.0 } else { 1.0 };
        let mut list = |count: usize, width: f64| {
            let mut all: Vec<Contact> = (0..count)
                .map(|_| {
                    let [a, b] = [0; 2].map(|_| (numbers.next() * patches) as u64);
                    // Some at the same position, distinguished by their index.
                    let at = |x: f64| if case % 2 == 0 { (x * 12.0).floor() } else { x * 12.0 };
                    let position = [at(numbers.next() * width), at(numbers.next()), flat * at(numbers.next())];
                    let area = [1e-6, 0.04, 1.0][(numbers.next() * 2.9) as usize];
                    Contact { area, ..contact(1, a << 32 | b, position) }
                })
                .collect();
            all.sort_by_key(|c| c.key);
            all
        };
        let (last, now) = (list(n, 1.0), list(m, 2.0));
        for bound in [0.0, 0.5, 20.0, f64::INFINITY] {
            let (links, _) = matched((&last, &[still(1)]), (&now, &[still(1)]), bound).unwrap();
            for (j, link) in links.iter().enumerate().filter(|(_, link)| link.origin == NONE) {
                assert_eq!(link.source, source_slowly(&last, &now[j], bound), "{case} {bound} {j}");
                sourced += usize::from(link.source != NONE);
            }
        }
    }
    assert!(sourced > 1_000, "{sourced}");
}

#[test]
fn a_pair_with_another_tag_inherits_nothing() {
    let (last, now) = ([contact(6, 5, [0.0; 3])], [contact(7, 5, [0.0; 3])]);
    let (links, events) = matched((&last, &[still(6)]), (&now, &[still(7)]), 9.0).unwrap();
    assert_eq!(links, [Link::NEW]);
    assert_eq!(events.iter().map(|e| (e.contact, e.pair)).collect::<Vec<_>>(), [(END, END), (BEGIN, BEGIN)]);
}

#[test]
fn what_is_out_of_order_is_refused() {
    let pairs = [still(1), still(2)];
    let sorted = [contact(1, 5, [0.0; 3]), contact(1, 6, [0.0; 3])];
    let wrong = [sorted[1], sorted[0]];
    let none: Lists<'_> = (&[], &[]);
    let at = |kind, what, i| Error::new(kind, what).at(i, 0);
    fn refused(last: Lists<'_>, now: Lists<'_>) -> Error {
        matched(last, now, 1.0).unwrap_err()
    }
    assert_eq!(refused(none, (&wrong, &pairs)), at(Kind::OutOfRange, What::Contacts, 1));
    assert_eq!(refused((&wrong, &pairs), none), at(Kind::OutOfRange, What::LastContacts, 1));
    assert_eq!(refused(none, (&sorted, &[still(2), still(1)])), at(Kind::OutOfRange, What::BodyPairs, 1));
    assert_eq!(refused(none, (&sorted, &[still(1), still(1)])), at(Kind::OutOfRange, What::BodyPairs, 1));
    assert_eq!(refused((&sorted, &[still(2)]), none), at(Kind::BadIndex, What::LastBodyPairs, 0).amounts(1, 1));
    for (bound, kind) in [(-1.0, Kind::OutOfRange), (f64::NAN, Kind::NotFinite)] {
        assert_eq!(matched(none, none, bound).unwrap_err(), Error::new(kind, What::Bound));
    }
    assert_eq!(matched(none, none, 0.0).unwrap(), (vec![], vec![]));
}

#[test]
fn too_little_room_is_told() {
    let (pairs, list) = ([still(1)], [contact(1, 5, [0.0; 3]), contact(1, 6, [0.0; 3])]);
    let step: Lists<'_> = (&list, &pairs);
    let mut memory = vec![0u128; 400];
    let (mut links, mut events) = ([Link::NEW; 2], [Event::default(); 2]);
    let mut call = |links: &mut [Link], events: &mut [Event], short: usize| {
        let bytes = memory.as_mut_bytes();
        let skip = bytes.as_ptr().align_offset(64);
        let size = match_scratch(2, 2, 0).unwrap().size - short;
        match_contacts(&step, &step, 0.0, links, None, Some(events), &mut bytes[skip..skip + size])
    };
    assert_eq!(call(&mut links, &mut events, 0), Ok(Matched { blends: 0, events: 2 }));
    assert_eq!(call(&mut links[..1], &mut events, 0), Err(Error::capacity(What::Links, 2, 1)));
    assert_eq!(call(&mut links, &mut events[..1], 0), Err(Error::capacity(What::Events, 2, 1)));
    assert_eq!(links.map(|link| link.origin), [0, 1]);
    assert_eq!(call(&mut links, &mut events, 1).unwrap_err().kind, Kind::Capacity);
}

fn length(v: [f64; 3]) -> f64 {
    (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]).sqrt()
}

#[test]
fn a_spring_turns_with_its_bodies_and_keeps_its_length_for_ever() {
    // Both bodies rotate about a skew axis by a tenth of a radian a step, for a hundred thousand steps.
    let axis = [0.6, 0.0, 0.8];
    let pose = |step: u32| {
        let half = 0.05 * f64::from(step % 1257);
        let [x, y, z] = axis.map(|c| c * half.sin());
        Pose { position: [0.1 * f64::from(step), 0.0, 2.0], orientation: [x, y, z, half.cos()] }
    };
    let bodies = |step| BodyPair { tag: 1, pose_a: pose(step), pose_b: pose(step) };
    let (spring, normal) = ([0.0, 3e-4, 0.0], [1.0, 0.0, 0.0]);
    let mut s = spring;
    for step in 1..=100_000 {
        let turned = pose(step).transform(What::Pose).unwrap().rotate(normal);
        s = carried(s, turned, &bodies(step - 1), &bodies(step)).unwrap();
    }
    let expected = pose(100_000).transform(What::Pose).unwrap().rotate(spring);
    let off = length([0, 1, 2].map(|k| s[k] - expected[k]));
    assert!(off < 1e-9 * 3e-4, "{off}");
}

#[test]
fn a_spring_under_a_rolling_body_keeps_its_direction() {
    let bodies = |half: f64| BodyPair {
        tag: 1,
        pose_a: Pose { position: [0.0; 3], orientation: [half.sin(), 0.0, 0.0, half.cos()] },
        pose_b: Pose::IDENTITY,
    };
    // A rolls along y over the plane z = 0.
    let s = carried([0.3, 0.4, 0.0], [0.0, 0.0, 1.0], &bodies(0.0), &bodies(0.05)).unwrap();
    assert!(length([s[0] - 0.3, s[1] - 0.4, s[2]]) < 0.5 * 0.05 * 0.05, "{s:?}");
    assert!((length(s) - 0.5).abs() < 1e-15);
    // A vector across the new plane has no direction left.
    assert_eq!(carried([0.0, 0.0, 1.0], [0.0, 0.0, 1.0], &bodies(0.0), &bodies(0.0)).unwrap(), [0.0; 3]);
}

#[test]
fn springs_follow_their_contacts_and_begin_at_zero() {
    let pairs = [still(1), still(2)];
    let last = [contact(1, 5, [0.0; 3]), contact(2, 5, [0.0; 3])];
    let now = [contact(1, 4, [0.5, 0.0, 0.0]), contact(1, 5, [0.0; 3]), contact(2, 6, [0.01, 0.0, 0.0])];
    let (last, now): (Lists<'_>, Lists<'_>) = ((&last, &pairs), (&now, &pairs));
    let (links, _) = matched(last, now, 0.1).unwrap();
    let mut springs = [[9.0; 3]; 3];
    carry(&last, &now, &links, &[], &[[1.0, 0.0, 0.0], [0.0, 2.0, 0.0]], &mut springs).unwrap();
    assert_eq!(springs, [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 2.0, 0.0]]);
    let refused = |links: &[Link], old: &[[f64; 3]], springs: &mut [[f64; 3]]| {
        carry(&last, &now, links, &[], old, springs).map_err(|e| (e.kind, e.what)).unwrap_err()
    };
    let old = [[0.0; 3]; 2];
    assert_eq!(refused(&links[1..], &old, &mut springs), (Kind::Mismatch, What::Links));
    assert_eq!(refused(&links, &old[1..], &mut springs), (Kind::Mismatch, What::LastVectors));
    assert_eq!(refused(&links, &old, &mut [[0.0; 3]]), (Kind::Mismatch, What::Vectors));
    for source in [1, 2] {
        let mut bad = links.clone();
        bad[1].source = source;
        assert_eq!(refused(&bad, &old, &mut springs), (Kind::BadIndex, What::Links), "of other bodies, or none");
    }
}

#[test]
fn any_numbers_give_some_answer() {
    let mut numbers = Random(9);
    let strange = [f64::NAN, f64::INFINITY, -f64::INFINITY, 1e300, -1e300, 0.0, 5e-324, 1.0];
    for case in 0..400 {
        let mut list = |n: usize| -> Vec<Contact> {
            let mut any = || match numbers.next() {
                x if x < 0.3 => strange[(x * 26.0) as usize % 8],
                x => x,
            };
            let mut contacts: Vec<Contact> = (0..n)
                .map(|_| Contact {
                    area: any(),
                    ..contact((any() * 3.0) as u64 % 3, (any() * 30.0) as u64, [any(), any(), any()])
                })
                .collect();
            contacts.sort_by_key(|c| c.key);
            contacts
        };
        let (last, now) = (list(case % 17), list(case % 23));
        let far = Pose { position: [1e300, -1e300, 0.0], orientation: [1e-300, 0.0, 1e300, 0.0] };
        let pairs = [0, 1, 2].map(|tag| BodyPair { pose_a: if tag == 1 { far } else { Pose::IDENTITY }, ..still(tag) });
        for bound in [0.0, 0.3, 1e300, f64::INFINITY] {
            let (links, events) = matched((&last, &pairs), (&now, &pairs), bound).unwrap();
            let mut seen: Vec<u32> = origins(&links).into_iter().flatten().collect();
            let persist = events.iter().filter(|e| e.contact == PERSIST).count();
            assert!(seen.len() == persist && seen.iter().all(|i| (*i as usize) < last.len()));
            assert_eq!(events.len(), last.len() + now.len() - persist);
            seen.sort_unstable();
            seen.dedup();
            assert_eq!(seen.len(), persist, "no two go on with the same");
            let old = vec![[f64::NAN, 1e300, -0.0]; last.len()];
            carry(&(&last[..], &pairs[..]), &(&now[..], &pairs[..]), &links, &[], &old, &mut vec![[0.0; 3]; now.len()])
                .unwrap();
        }
    }
}
