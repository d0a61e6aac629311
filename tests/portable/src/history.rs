//! Lists of contacts matched with one another: random ones, some with equal keys, of a few body pairs that move.

use crate::contacts::cut_contacts;
use crate::poses::random_pose;
use crate::{Hash, Random};
use dem_core::contact::Contact;
use dem_core::contact::history::{BodyPair, Event, Link, carry, match_contacts, match_scratch};
use dem_core::error::{Error, Kind, Result, What};
use dem_core::pose::Pose;
use dem_core::simd::Isa;

/// Contacts of a list at most.
const MOST: usize = 60;
const PAIRS: usize = 3;

pub(crate) fn run(_: Isa, mut memory: &mut [u8]) -> Result<u64> {
    let mut hash = Hash::new();
    let (last, now) = (cut_contacts(&mut memory)?, cut_contacts(&mut memory)?);
    let mut random = Random::new(21);
    let mut springs = [[0.0; 3]; MOST];
    let mut pairs = bodies(&mut random);
    let mut old = fill(&mut random, &pairs, last);
    for _ in 0..20 {
        let before = pairs;
        pairs = bodies(&mut random);
        let new = fill(&mut random, &pairs, now);
        let short = Error::new(Kind::Capacity, What::Scratch);
        let scratch = memory.get_mut(..match_scratch(old, new, 0)?.size).ok_or(short)?;
        let (steps, mut links) = ((&last[..old], &now[..new]), [Link::NEW; MOST]);
        let (a, b) = ((steps.0, &before[..]), (steps.1, &pairs[..]));
        let mut events = [Event::default(); 2 * MOST];
        let count = match_contacts(&a, &b, 0.4, &mut links, None, Some(&mut events), scratch)?.events;
        links[..new].iter().for_each(|l| hash.word(u64::from(l.origin) << 32 | u64::from(l.source)));
        for event in &events[..count] {
            hash.word(u64::from(event.contact) << 32 | u64::from(event.pair));
            hash.word(u64::from(event.now) << 32 | u64::from(event.last));
        }
        let mut carried = [[0.0; 3]; MOST];
        carry(&a, &b, &links[..new], &[], &springs[..old], &mut carried[..new])?;
        for (spring, to) in carried.iter().zip(&mut springs).take(new) {
            hash.numbers(spring);
            *to = [0, 1, 2].map(|k| spring[k] + [0.1, -0.2, 0.05][k]);
        }
        last[..new].copy_from_slice(&now[..new]);
        old = new;
    }
    Ok(hash.value())
}

/// Body pairs at random poses, which are near each other from step to step.
fn bodies(random: &mut Random) -> [BodyPair; PAIRS] {
    let mut near = || {
        let pose = random_pose(random);
        let [x, y, z, _] = pose.orientation;
        Pose { position: pose.position.map(|p| 0.01 * p), orientation: [0.05 * x, 0.05 * y, 0.05 * z, 1.0] }
    };
    [1, 2, 3].map(|tag| BodyPair { tag, pose_a: near(), pose_b: near() })
}

/// Contacts in order, of which half have keys that others have in other steps.
fn fill(random: &mut Random, pairs: &[BodyPair], to: &mut [Contact]) -> usize {
    let mut count = 0;
    for pair in pairs {
        let mut patch = 0;
        for _ in 0..random.word() % (MOST / PAIRS) as u64 {
            patch += 1 + random.word() % 3;
            let position = random.point();
            let normal = [0.6, 0.0, -0.8];
            let area = 0.01 * random.signed().abs();
            to[count] =
                Contact { key: [pair.tag, (patch % 4) << 32 | patch], position, normal, area, ..Contact::default() };
            count += 1;
        }
    }
    to[..count].sort_unstable_by_key(|c| c.key);
    count
}
