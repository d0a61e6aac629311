//! Contacts of several nodes: splits, joins, swaps and ties; random lists against sums over all nodes; errors.

use super::*;
use zerocopy::IntoBytes;

/// A contact's key, and features and forces of its nodes.
type Named<'a> = (u64, &'a [(u64, f32)]);

/// Contacts of one body pair with these nodes: features, force. The heaviest node names the contact.
fn step(of_each: &[&[(u64, f32)]]) -> (Vec<Contact>, Vec<Node>) {
    let mut named: Vec<Named<'_>> =
        of_each.iter().map(|own| (own.iter().fold((0, -1.0), |m, n| if n.1 > m.1 { *n } else { m }).0, *own)).collect();
    named.sort_by_key(|(name, _)| *name);
    let contacts = named.iter().map(|(name, _)| contact(1, *name, [0.0; 3])).collect();
    let of_one = |(i, (_, own)): (usize, &Named<'_>)| {
        own.iter()
            .map(|(features, force)| crate::contact::Node { features: *features, contact: i as u32, force: *force })
            .collect::<Vec<_>>()
    };
    let mut nodes: Vec<_> = named.iter().enumerate().flat_map(of_one).collect();
    nodes.sort_by_key(|node| node.features);
    (contacts, nodes)
}

use crate::contact::Node;

type Step3<'a> = (&'a [Contact], &'a [BodyPair], &'a [Node]);

fn all(last: &Step3<'_>, now: &Step3<'_>, bound: f64, room: usize) -> Result<(Vec<Link>, Vec<Blend>, Vec<Event>)> {
    let layout = match_scratch(last.0.len(), now.0.len(), last.2.len() + now.2.len())?;
    let mut memory = vec![0xA5A5u128; layout.size / 16 + 8];
    let bytes = memory.as_mut_bytes();
    let skip = bytes.as_ptr().align_offset(layout.align);
    let scratch = &mut bytes[skip..skip + layout.size];
    let mut links = vec![Link::NEW; now.0.len()];
    let mut blends = vec![Blend::default(); room];
    let mut events = vec![Event::default(); last.0.len() + now.0.len()];
    let found = match_contacts(last, now, bound, &mut links, Some(&mut blends), Some(&mut events), scratch)?;
    blends.truncate(found.blends);
    events.truncate(found.events);
    Ok((links, blends, events))
}

type Owned = (Vec<Contact>, Vec<Node>);

/// Links and blends of one body pair at rest.
fn found(last: &Owned, now: &Owned) -> (Vec<Link>, Vec<Blend>) {
    let pairs = [still(1)];
    let (links, blends, _) = all(&(&last.0, &pairs, &last.1), &(&now.0, &pairs, &now.1), 0.0, now.1.len()).unwrap();
    (links, blends)
}

fn link(origin: u32, source: u32) -> Link {
    Link { origin, source }
}

#[test]
fn parts_of_a_contact_take_its_spring_and_the_heaviest_its_name() {
    let last = step(&[&[(1, 1.0), (2, 2.0), (3, 4.0)]]);
    let now = step(&[&[(1, 9.0), (2, 1.0)], &[(3, 4.0)]]);
    let (links, blends) = found(&last, &now);
    // Common force: 1 + 1 and 4.
    assert_eq!((links, blends), (vec![link(NONE, 0), link(0, 0)], vec![]));
    // New nodes have no effect, so in the reverse direction the whole spring is carried.
    let (links, blends) = found(&now, &last);
    assert_eq!(links, [link(1, 1)]);
    assert_eq!(blends, [Blend { now: 0, last: 1, weight: 4.0 / 6.0 }, Blend { now: 0, last: 0, weight: 2.0 / 6.0 }]);
}

#[test]
fn the_place_that_goes_on_keeps_its_name_where_keys_are_exchanged() {
    // Each contact's heaviest node is in the other contact now.
    let last = step(&[&[(1, 3.0), (2, 2.0), (3, 2.0)], &[(5, 3.0), (6, 2.0), (7, 2.0)]]);
    let now = step(&[&[(1, 3.0), (6, 2.0), (7, 2.0)], &[(5, 3.0), (2, 2.0), (3, 2.0)]]);
    let (links, blends) = found(&last, &now);
    assert_eq!(links, [link(1, 1), link(0, 0)]);
    let weights: Vec<_> = blends.iter().map(|b| (b.now, b.last, b.weight)).collect();
    assert_eq!(weights, [(0, 1, 4.0 / 7.0), (0, 0, 3.0 / 7.0), (1, 0, 4.0 / 7.0), (1, 1, 3.0 / 7.0)]);
}

#[test]
fn ties_go_to_the_smaller_keys() {
    let last = step(&[&[(1, 1.0), (2, 1.0)], &[(3, 1.0), (4, 1.0)]]);
    let now = step(&[&[(1, 1.0), (3, 1.0)], &[(2, 1.0), (4, 1.0)]]);
    let (links, blends) = found(&last, &now);
    assert_eq!(links, [link(0, 0), link(1, 0)]);
    assert_eq!(
        blends.iter().map(|b| (b.now, b.last, b.weight)).collect::<Vec<_>>(),
        [(0, 0, 0.5), (0, 1, 0.5), (1, 0, 0.5), (1, 1, 0.5)]
    );
}

#[test]
fn what_has_no_force_in_common_goes_by_distance() {
    let pairs = [still(1)];
    let (mut last, mut now) =
        (step(&[&[(1, 1.0)], &[(2, 1.0)], &[(9, 0.0)]]), step(&[&[(1, 1.0)], &[(3, 1.0), (9, f32::NAN)]]));
    last.0[1].position = [0.3, 0.0, 0.0];
    now.0[1].position = [0.31, 0.0, 0.0];
    // Common nodes without force still link contacts.
    let (links, blends) = found(&last, &now);
    assert_eq!((links, blends), (vec![link(0, 0), link(2, 2)], vec![]));
    // Without common nodes, the nearest contacts are linked.
    let now = (now.0, step(&[&[(1, 1.0)], &[(3, 1.0)]]).1);
    let (links, blends, events) = all(&(&last.0, &pairs, &last.1), &(&now.0, &pairs, &now.1), 0.1, 9).unwrap();
    assert_eq!((links, blends), (vec![link(0, 0), link(1, 1)], vec![]));
    assert_eq!(events.iter().map(|e| e.contact).collect::<Vec<_>>(), [PERSIST, PERSIST, END]);
    // A part with a new key continues a neighbour that ends, and keeps its own spring.
    let last = step(&[&[(1, 1.0), (2, 3.0)], &[(8, 1.0)]]);
    let now = step(&[&[(1, 1.0)], &[(2, 3.0)]]);
    let (links, _) = found(&last, &now);
    assert_eq!(links, [link(1, 0), link(0, 0)]);
}

#[test]
fn contacts_without_nodes_are_one_each() {
    let mut numbers = Random(17);
    let pairs = [still(1), still(2), still(3)];
    for case in 0..100 {
        let mut list = || {
            let mut contacts = Vec::new();
            for tag in 1..4 {
                let mut features = 0;
                for _ in 0..(numbers.next() * 9.0) as usize {
                    features += 1 + (numbers.next() * 2.0) as u64;
                    let position = core::array::from_fn(|_| numbers.next());
                    // Some have no area.
                    let area = (numbers.next() - 0.2).max(0.0);
                    contacts.push(Contact { area, ..contact(tag, (features << 32) | (features % 3), position) });
                }
            }
            let node = |(i, c): (usize, &Contact)| Node { features: c.key[1], contact: i as u32, force: c.area as f32 };
            let nodes: Vec<Node> = contacts.iter().enumerate().map(node).collect();
            (contacts, nodes)
        };
        let (last, now) = (list(), list());
        let (links, events) = matched((&last.0, &pairs), (&now.0, &pairs), 0.3).unwrap();
        for (of_last, of_now) in [(true, true), (true, false), (false, true)] {
            let some = |nodes: &Vec<Node>, with: bool| if with { nodes.clone() } else { vec![] };
            let nodes = [some(&last.1, of_last), some(&now.1, of_now)];
            let both = [(&last.0[..], &pairs[..], &nodes[0][..]), (&now.0[..], &pairs[..], &nodes[1][..])];
            let same = all(&both[0], &both[1], 0.3, 0).unwrap();
            assert_eq!(same, (links.clone(), vec![], events.clone()), "{case}");
        }
    }
}

/// A random grouping of some of 40 nodes.
fn random_step(numbers: &mut Random) -> Owned {
    let many = 1 + (numbers.next() * 6.0) as usize;
    let mut groups = vec![Vec::new(); many];
    for features in 1..40 {
        if numbers.next() < 0.7 {
            // Some forces are equal, and some are 0.
            let force = (numbers.next() * 8.0).floor() as f32 * if numbers.next() < 0.5 { 1.0 } else { 0.37 };
            groups[(numbers.next() * many as f64) as usize].push(((features << 32) | (features * 7 % 11), force));
        }
    }
    groups.retain(|own| !own.is_empty());
    let groups: Vec<&[(u64, f32)]> = groups.iter().map(|own| &own[..]).collect();
    step(&groups)
}

/// Common force, by all pairs of nodes.
fn in_common(last: &Owned, now: &Owned, i: usize, j: usize) -> Option<f64> {
    let (mut any, mut sum) = (false, 0.0);
    for x in last.1.iter().filter(|x| x.contact as usize == i) {
        for y in now.1.iter().filter(|y| y.contact as usize == j && y.features == x.features) {
            any = true;
            sum += f64::from(x.force.min(y.force));
        }
    }
    any.then_some(sum)
}

#[test]
fn random_contacts_are_linked_as_by_sums_over_all_nodes() {
    let mut numbers = Random(23);
    let (mut mixed, mut begun, mut passed) = (0, 0, 0);
    for case in 0..800 {
        let (last, now) = (random_step(&mut numbers), random_step(&mut numbers));
        let (links, blends) = found(&last, &now);
        let of_one = |j: usize| -> Vec<(f64, usize)> {
            let mut all: Vec<_> = (0..last.0.len()).filter_map(|i| Some((in_common(&last, &now, i, j)?, i))).collect();
            all.sort_by(|x, y| y.0.total_cmp(&x.0).then(x.1.cmp(&y.1)));
            all
        };
        // The definition of links: the heaviest first.
        let mut pairs: Vec<_> =
            (0..now.0.len()).flat_map(|j| of_one(j).into_iter().map(move |(w, i)| (w, i, j))).collect();
        pairs.sort_by(|x, y| y.0.total_cmp(&x.0).then((x.1, x.2).cmp(&(y.1, y.2))));
        let (mut origin, mut taken) = (vec![NONE; now.0.len()], vec![false; last.0.len()]);
        for (_, i, j) in pairs {
            if origin[j] == NONE && !taken[i] {
                (origin[j], taken[i]) = (i as u32, true);
            }
        }
        for (j, link) in links.iter().enumerate() {
            // The rest is linked by distance, and all contacts are at one position.
            assert!(origin[j] == NONE || origin[j] == link.origin, "{case} {j}");
            begun += usize::from(origin[j] == NONE);
            let mut of_one = of_one(j);
            let first = of_one.first().copied();
            if let Some((_, i)) = first {
                assert_eq!(link.source as usize, i, "{case} {j}");
            }
            of_one.retain(|(w, _)| *w > 0.0);
            if let Some((most, first)) = first.filter(|(_, i)| origin[j] == *i as u32) {
                // Small pieces of contacts that go on.
                let before = of_one.len();
                of_one.retain(|(w, i)| *i == first || !taken[*i] || *w >= 0.5 * most);
                passed += before - of_one.len();
            }
            let own: Vec<&Blend> = blends.iter().filter(|b| b.now as usize == j).collect();
            if of_one.len() < 2 {
                assert!(own.is_empty());
                continue;
            }
            mixed += 1;
            let sum: f64 = of_one.iter().map(|(w, _)| w).sum();
            assert_eq!(own.len(), of_one.len());
            assert!((own.iter().map(|b| b.weight).sum::<f64>() - 1.0).abs() < 1e-15);
            for (blend, (w, _)) in own.iter().zip(&of_one) {
                let expected = of_one.iter().find(|(_, i)| *i == blend.last as usize).unwrap().0;
                assert!((blend.weight - expected / sum).abs() < 1e-15 && (expected - w).abs() < 1e-12 * sum);
            }
        }
        assert!(blends.is_sorted_by_key(|b| b.now));
    }
    assert!(mixed > 500 && begun > 50 && passed > 100, "{mixed} {begun} {passed}");
}

#[test]
fn exchanging_the_bodies_changes_no_bit() {
    let mut numbers = Random(29);
    let turned = |key: u64| key.rotate_left(32);
    let exchanged = |step: &Owned| {
        let mut order: Vec<usize> = (0..step.0.len()).collect();
        order.sort_by_key(|i| turned(step.0[*i].key[1]));
        let contacts: Vec<Contact> =
            order.iter().map(|i| Contact { key: [1, turned(step.0[*i].key[1])], ..step.0[*i] }).collect();
        let place = |i: u32| order.iter().position(|old| *old as u32 == i).unwrap() as u32;
        let mut nodes: Vec<Node> = step
            .1
            .iter()
            .map(|n| Node { features: turned(n.features), contact: place(n.contact), force: n.force })
            .collect();
        nodes.sort_by_key(|node| node.features);
        ((contacts, nodes), order)
    };
    let mut compared = 0;
    for case in 0..300 {
        // Without ties.
        let mut rough = |step: Owned| {
            let nodes = step.1.iter().map(|n| Node { force: 0.1 + numbers.next() as f32, ..*n }).collect::<Vec<_>>();
            let place = |c: &Contact| Contact { position: [0; 3].map(|_| numbers.next()), ..*c };
            (step.0.iter().map(place).collect(), nodes)
        };
        let mut random = Random(case + 1);
        let (last, now) = (rough(random_step(&mut random)), rough(random_step(&mut random)));
        let ((last_turned, was), (now_turned, is)) = (exchanged(&last), exchanged(&now));
        let (links, blends) = found(&last, &now);
        let (turned_links, turned_blends) = found(&last_turned, &now_turned);
        for (j, old) in is.iter().enumerate() {
            let back = |i: u32| was.get(i as usize).map_or(NONE, |i| *i as u32);
            assert_eq!(back(turned_links[j].source), links[*old].source);
            let own = |blends: &[Blend], j: usize| -> Vec<Blend> {
                blends.iter().filter(|b| b.now as usize == j).copied().collect()
            };
            let (mine, theirs) = (own(&blends, *old), own(&turned_blends, j));
            let bits = |b: &Blend, last: u32| (last, b.weight.to_bits());
            assert_eq!(
                mine.iter().map(|b| bits(b, b.last)).collect::<Vec<_>>(),
                theirs.iter().map(|b| bits(b, back(b.last))).collect::<Vec<_>>()
            );
            compared += mine.len();
        }
    }
    assert!(compared > 500, "{compared}");
}

#[test]
fn springs_of_parts_are_copied_and_those_of_what_joins_are_averaged() {
    let (one, two) = (step(&[&[(1, 1.0), (2, 3.0)]]), step(&[&[(1, 1.0)], &[(2, 3.0)]]));
    let pairs = [still(1)];
    let (one, two) = ((&one.0[..], &pairs[..], &one.1[..]), (&two.0[..], &pairs[..], &two.1[..]));
    let (links, blends, _) = all(&one, &two, 0.0, 9).unwrap();
    let mut springs = [[9.0; 3]; 2];
    carry(&one, &two, &links, &blends, &[[0.5, -1.0, 0.0]], &mut springs).unwrap();
    assert_eq!(springs, [[0.5, -1.0, 0.0]; 2]);
    let (links, blends, _) = all(&two, &one, 0.0, 9).unwrap();
    let mut spring = [[9.0; 3]];
    carry(&two, &one, &links, &blends, &[[1.0, 0.0, 0.0], [0.0, 2.0, 0.0]], &mut spring).unwrap();
    // Common forces times springs: 1 * 1 and 3 * 2.
    assert_eq!(spring, [[0.25, 1.5, 0.0]]);
    let mut refused = |blends: &[Blend]| {
        let e = carry(&two, &one, &links, blends, &[[0.0; 3]; 2], &mut spring).unwrap_err();
        (e.kind, e.what, e.index)
    };
    let bad = |k| (Kind::BadIndex, What::Blends, k);
    assert_eq!(refused(&[blends[0], Blend { last: 2, ..blends[1] }]), bad(1));
    assert_eq!(refused(&[blends[0], Blend { now: 1, ..blends[1] }]), bad(1));
    assert_eq!(refused(&[Blend { now: 7, ..blends[1] }, blends[0]]), bad(0));
}

#[test]
fn nodes_out_of_order_are_refused_and_too_few_blends_told() {
    let pairs = [still(1), still(2)];
    let contacts = [contact(1, 5, [0.0; 3]), contact(2, 3, [0.0; 3]), contact(2, 6, [0.0; 3])];
    let node = |features, contact| Node { features, contact, force: 1.0 };
    let good = [node(5, 0), node(2, 2), node(3, 1), node(6, 2)];
    let none: Step3<'_> = (&[], &[], &[]);
    let refused = |nodes: &[Node]| {
        let step = (&contacts[..], &pairs[..], nodes);
        let (now, last) = (all(&none, &step, 0.0, 9).unwrap_err(), all(&step, &none, 0.0, 9).unwrap_err());
        assert_eq!((now.kind, now.index, now.what, last.what), (last.kind, last.index, What::Nodes, What::LastNodes));
        (now.kind, now.index)
    };
    assert!(all(&none, &(&contacts, &pairs, &good), 0.0, 9).is_ok());
    assert_eq!(refused(&[good[0], good[2], good[1], good[3]]), (Kind::OutOfRange, 2));
    assert_eq!(refused(&[good[1], good[0]]), (Kind::OutOfRange, 1));
    assert_eq!(refused(&[good[0], node(9, 3)]), (Kind::BadIndex, 1));
    // A join of two into one.
    let (last, now) = (step(&[&[(1, 1.0)], &[(2, 1.0)]]), step(&[&[(1, 1.0), (2, 1.0)]]));
    let (last, now) = ((&last.0[..], &pairs[..1], &last.1[..]), (&now.0[..], &pairs[..1], &now.1[..]));
    assert_eq!(all(&last, &now, 0.0, 1).unwrap_err(), Error::capacity(What::Blends, 2, 1));
    assert_eq!(all(&last, &now, 0.0, 2).unwrap().1.len(), 2);
}
