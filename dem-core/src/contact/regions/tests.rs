//! Groups against a slow search through all pairs of nodes; exchange of bodies; resultants; numbers of any size.

extern crate std;

use super::body::{Kinds, Part};
use super::inward::inward;
use super::*;
use crate::contact::{status, unit};
use crate::triangle::tests::Random;
use glam::DVec3;
use std::vec;
use std::vec::Vec;
use zerocopy::IntoBytes;

/// Patches with neighbours and charts.
#[derive(Clone)]
struct Patches {
    neighbours: Vec<Vec<u32>>,
    chart: Vec<u32>,
    normal: Vec<Option<DVec3>>,
    concave: Vec<[u32; 2]>,
    flat: bool,
    /// Centre of a ball.
    centre: Option<DVec3>,
}

impl Body for Patches {
    fn part(&self, _: u32, _: Part) -> Part {
        Part::default()
    }

    fn neighbours(&self, _: u32, patch: u32) -> &[u32] {
        self.neighbours.get(patch as usize).map_or(&[], |list| list)
    }

    fn chart(&self, _: u32, patch: u32) -> u32 {
        self.chart[patch as usize]
    }

    fn normal(&self, patch: u32) -> Option<DVec3> {
        self.normal.get(patch as usize).copied().flatten()
    }

    fn is_flat(&self, _: u32) -> bool {
        self.flat
    }

    fn kinds(&self) -> Kinds {
        Kinds { round: self.centre.is_some(), flat: self.centre.is_none() }
    }

    fn core(&self, _: u32, from: DVec3) -> Option<(DVec3, f64)> {
        self.centre.map(|centre| (centre - from, 2.0))
    }

    fn has_walls(&self) -> bool {
        !self.concave.is_empty()
    }

    fn has_concave_edge(&self, _: u32, patch: u32) -> bool {
        self.concave.iter().flatten().any(|p| *p == patch)
    }

    fn is_concave(&self, _: u32, [p, q]: [u32; 2]) -> bool {
        self.concave.contains(&[p, q]) || self.concave.contains(&[q, p])
    }
}

impl Patches {
    fn new(n: usize) -> Self {
        let (neighbours, chart, normal) = (vec![vec![]; n], vec![0; n], vec![None; n]);
        Patches { neighbours, chart, normal, concave: vec![], flat: false, centre: None }
    }

    fn join(&mut self, p: u32, q: u32) {
        for (p, q) in [(p, q), (q, p)] {
            let list = &mut self.neighbours[p as usize];
            if p != q && !list.contains(&q) {
                list.push(q);
                list.sort();
            }
        }
    }

    fn random(random: &mut Random, n: usize, edges: usize) -> Self {
        let mut one = || (random.next() * n as f64) as u32;
        let pairs: Vec<_> = (0..edges).map(|_| (one(), one())).collect();
        let chart = (0..n).map(|_| one() % 3).collect();
        let mut patches = Patches { chart, flat: random.next() < 0.5, ..Patches::new(n) };
        for normal in &mut patches.normal {
            let mut about = || 2.0 * random.next() - 1.0;
            let to = DVec3::new(about(), about(), about());
            *normal = if random.next() < 0.2 { None } else { unit(to).map(|(n, _)| n) };
        }
        pairs.into_iter().for_each(|(p, q)| {
            patches.join(p, q);
            if p != q && random.next() < 0.5 {
                patches.concave.push([p, q]);
            }
        });
        patches
    }

    fn meet(&self, p: u32, q: u32) -> bool {
        p == q || self.neighbours[p as usize].contains(&q)
    }
}

fn grouped(list: &[Contact], bodies: [&Patches; 2], swapped: bool, grouping: &Grouping) -> (Vec<Contact>, Vec<Node>) {
    tied(list, &[], bodies, swapped, grouping)
}

fn tied(
    list: &[Contact],
    ties: &[Tie],
    bodies: [&Patches; 2],
    swapped: bool,
    grouping: &Grouping,
) -> (Vec<Contact>, Vec<Node>) {
    let (mut list, mut ties, n) = (list.to_vec(), ties.to_vec(), list.len());
    let layout = group_scratch(n, ties.len()).unwrap();
    let mut memory = vec![u128::MAX / 3; layout.size / 16 + 8];
    let bytes = memory.as_mut_bytes();
    let skip = bytes.as_ptr().align_offset(layout.align);
    let scratch = &mut bytes[skip..skip + layout.size];
    let mut nodes = vec![Node::default(); n];
    let count = group(&mut list, bodies, swapped, &mut ties, grouping, scratch, |i, node| nodes[i] = node).unwrap();
    list.truncate(count);
    (list, nodes)
}

fn key(p: u32, q: u32) -> u64 {
    u64::from(p) << 32 | u64::from(q)
}

/// A contact whose share is its measured area.
fn contact(p: u32, q: u32, normal: [f64; 3], area: f64) -> Contact {
    let (normal, _) = unit(DVec3::from_array(normal)).unwrap();
    let position = [f64::from(p), f64::from(q), 0.5];
    Contact {
        key: [7, key(p, q)],
        position,
        normal: normal.to_array(),
        gap: 0.05,
        least_gap: 0.01,
        area,
        share: area,
        halo: 0.1,
        wedging: 1.0,
        ..Contact::default()
    }
}

/// Some of all pairs of patches, in order.
fn random_list(random: &mut Random, [of_a, of_b]: [&Patches; 2], part: f64, leaning: f64, spread: f64) -> Vec<Contact> {
    let mut list = vec![];
    for p in 0..of_a.chart.len() as u32 {
        for q in 0..of_b.chart.len() as u32 {
            if random.next() >= part {
                continue;
            }
            let mut about = || spread * (2.0 * random.next() - 1.0);
            let normal = [about(), about(), about() + 1.0];
            let mut next = contact(p, q, normal, 0.1 + random.next());
            next.gap = 0.1 - 0.15 * random.next();
            next.moment = [random.next(), random.next(), 0.0];
            next.status = if random.next() < leaning { status::LEANS } else { 0 };
            match random.next() {
                x if x < 0.05 => next.area = 0.0,
                x if x < 0.15 => next.area *= 1e-9,
                _ => {}
            }
            list.push(next);
        }
    }
    list
}

/// Ties of some nodes, and of some that do not exist.
fn random_ties(random: &mut Random, [of_a, of_b]: [&Patches; 2], list: &[Contact], count: usize) -> Vec<Tie> {
    let mut ties: Vec<Tie> = vec![];
    for _ in 0..count {
        let mut pair = || {
            let [p, q] = [of_a, of_b].map(|of| (random.next() * of.chart.len() as f64) as u32);
            key(p, q)
        };
        let (at, other) = (pair(), pair());
        let own = list.get((random.next() * list.len() as f64) as usize).map_or(other, |c| c.key[1]);
        let node = if random.next() < 0.9 { own } else { other };
        if !ties.iter().any(|tie| (tie.node, tie.at) == (node, at)) {
            ties.push(Tie { node, at, faces: u64::from(random.next() < 0.5) });
        }
    }
    ties
}

/// The rules, word for word: returns the first node of each node's set.
fn slowly(list: &[Contact], ties: &[Tie], bodies: [&Patches; 2], grouping: &Grouping) -> Vec<usize> {
    let n = list.len();
    let parts = |features: u64| [(features >> 32) as u32, features as u32];
    let meet = |x: u64, y: u64| (0..2).all(|k| bodies[k].meet(parts(x)[k], parts(y)[k]));
    let name = |i: usize| list[i].key[1];
    let firm = |i: usize| list[i].status & status::LEANS == 0 && force(&list[i]) > 0.0;
    let strength = |tie: &Tie| (0..n).find(|i| name(*i) == tie.node && firm(*i)).map(|i| force(&list[i]));
    let alike = |x: &Tie, y: &Tie| (x.at, x.faces) == (y.at, y.faces);
    let stronger = |x: &Tie, y: &Tie| strength(x) > strength(y) || strength(x) == strength(y) && x.node < y.node;
    let first = |tie: &&Tie| !ties.iter().any(|other| alike(other, tie) && stronger(other, tie));
    let all: Vec<Tie> = ties.iter().filter(|tie| strength(tie).is_some()).copied().collect();
    let ties: Vec<Tie> = all.iter().filter(first).copied().collect();
    let linked = |i: usize, j: usize| {
        let one_of = |tie: &Tie| [i, j].map(name).contains(&tie.node);
        let others = || all.iter().filter(|tie| tie.faces == 1 && one_of(tie));
        ties.iter().filter(|tie| one_of(tie)).any(|x| others().any(|y| alike(x, y) && x.node != y.node))
    };
    // The places where a node has neighbours: its own, and its ties whose patches face each other.
    let places = |i: usize| {
        let own = ties.iter().filter(move |tie| tie.node == name(i) && tie.faces == 1).map(|tie| tie.at);
        core::iter::once(name(i)).chain(own)
    };
    let beside = |i: usize, j: usize| match firm(i) && firm(j) {
        true => places(i).any(|x| places(j).any(|y| meet(x, y))) || linked(i, j),
        false => meet(name(i), name(j)),
    };
    // Whether a leaning node is beside a node that does not lean.
    let below = |i: usize, j: usize| {
        let by_ties = |faces: u64| {
            ties.iter().any(|tie| firm(j) && tie.node == name(j) && tie.faces == faces && meet(name(i), tie.at))
        };
        let direct = meet(name(i), name(j)) || linked(i, j) || by_ties(1);
        (direct || by_ties(0)).then_some(direct)
    };
    let features = |i: usize| parts(name(i));
    let charts = |i: usize| [0, 1].map(|k| bodies[k].chart[features(i)[k] as usize]);
    let leans = |i: usize| list[i].status & status::LEANS != 0 || force(&list[i]) <= 0.0;
    let vector = |i: usize| DVec3::from_array(list[i].normal) * force(&list[i]);
    let normal = |i: usize| DVec3::from_array(list[i].normal);
    let inward = |i: usize| inward(bodies, &list[i]).unwrap_or_else(|| normal(i));
    let components = |of: &dyn Fn(usize) -> bool, joined: &dyn Fn(usize, usize) -> bool, root: &mut Vec<usize>| {
        for i in (0..n).filter(|i| of(*i)) {
            root[i] = i;
        }
        let mut changed = true;
        while changed {
            changed = false;
            for i in (0..n).filter(|i| of(*i)) {
                for j in (0..n).filter(|j| of(*j)) {
                    if beside(i, j) && joined(i, j) && root[j] < root[i] {
                        (root[i], changed) = (root[j], true);
                    }
                }
            }
        }
    };
    let mut root: Vec<usize> = (0..n).collect();
    components(&|i| !leans(i), &|_, _| true, &mut root);
    let direction = |r: usize, root: &[usize]| {
        let sum = (0..n).filter(|i| !leans(*i) && root[*i] == r).fold(DVec3::ZERO, |sum, i| sum + vector(i));
        unit(sum).map_or(DVec3::ZERO, |(n, _)| n)
    };
    let places = root.clone();
    let steep = |i: usize, along: DVec3| direction(places[i], &places).dot(along) < grouping.limit().cosine;
    let part = |r: usize, of: &dyn Fn(usize) -> bool| {
        (0..n).filter(|i| !leans(*i) && places[*i] == r && of(*i)).fold(0.0, |sum, i| sum + force(&list[i]))
    };
    let noise = |i: usize| force(&list[i]) <= sets::NOISE * part(places[i], &|_| true);
    let across = |i: usize, along: DVec3| !noise(i) && direction(places[i], &places).dot(along) < node_matrix::ACROSS;
    let is_across =
        |r: usize, of: &dyn Fn(usize) -> DVec3| (0..n).any(|i| !leans(i) && places[i] == r && across(i, of(i)));
    let on_flat = |r: usize| {
        let of_place: Vec<usize> = (0..n).filter(|i| !leans(*i) && places[*i] == r && !noise(*i)).collect();
        on_one_flat_patch(list, bodies, &of_place)
    };
    let steep_part =
        |r: usize, of: &dyn Fn(usize) -> DVec3| part(r, &|i| steep(i, of(i))) > sets::LITTLE * part(r, &|_| true);
    // By the normals of nodes, and by their inward directions.
    let by = |r: usize, of: &dyn Fn(usize) -> DVec3| is_across(r, of) || steep_part(r, of);
    let convex = |of: &dyn Fn(usize) -> bool| {
        let member =
            |i: usize| Member { node: i as u32, contact: &list[i], size: force(&list[i]), inward: DVec3::ZERO };
        let outward = |i: u32| {
            let [p, q] = parts(list[i as usize].key[1]);
            let normal = |k: usize, patch: u32| bodies[k].normal(patch).filter(|_| bodies[k].flat);
            [normal(0, p), normal(1, q)]
        };
        convexity((0..n).filter(|i| of(*i)).map(member), outward) >= CONVEX
    };
    let is_round = (0..n).any(|i| super::inward::inward(bodies, &list[i]).is_some());
    let is_convex = |r: usize| !is_round && convex(&|i| !leans(i) && places[i] == r);
    let broken: Vec<bool> = (0..n).map(|r| by(r, &normal) && by(r, &inward) && !on_flat(r) && !is_convex(r)).collect();
    let leans = |i: usize| leans(i) || broken[places[i]] && noise(i);
    for i in (0..n).filter(|i| leans(*i)) {
        root[i] = i;
    }
    components(&|i| !leans(i) && broken[places[i]], &|i, j| charts(i) == charts(j), &mut root);
    join_slowly(list, bodies, &mut root, &|i| !leans(i) && broken[places[i]], &beside, grouping);
    let alone = lean_slowly(list, bodies, grouping.limit().cosine, &mut root, &leans, &below);
    components(&|i| alone[i], &|i, j| !between(list, bodies, [i, j], None), &mut root);
    let cancels = |r: usize| {
        let members = || (0..n).filter(|i| root[*i] == r);
        let sum = members().fold(DVec3::ZERO, |sum, i| sum + vector(i));
        let all: f64 = members().map(|i| force(&list[i])).sum();
        let on_flat = |along: DVec3| {
            let first = members().next().unwrap();
            (0..2).any(|k| {
                let inward = bodies[k].normal(features(first)[k]).map(|n| if k == 0 { -n } else { n });
                bodies[k].flat
                    && inward.is_some_and(|n| n.dot(along) > join::ALONG)
                    && members().all(|i| features(i)[k] == features(first)[k])
            })
        };
        let inwards = members().fold(DVec3::ZERO, |sum, i| sum + inward(i) * force(&list[i]));
        let one_side = |size: f64| size > join::SOME * all && inwards.length() >= 0.5 * all;
        let convex = |size: f64| size > join::SOME * all && convex(&|i| root[i] == r);
        unit(sum).is_none_or(|(along, size)| size < 0.5 * all && !one_side(size) && !on_flat(along) && !convex(size))
    };
    (0..n).map(|i| if cancels(root[i]) { i } else { root[i] }).collect()
}

/// Lets leaning nodes choose a set, word for word. Returns which of them find none.
fn lean_slowly(
    list: &[Contact],
    bodies: [&Patches; 2],
    cosine: f64,
    root: &mut [usize],
    leans: &dyn Fn(usize) -> bool,
    below: &dyn Fn(usize, usize) -> Option<bool>,
) -> Vec<bool> {
    let n = list.len();
    let sets = root.to_vec();
    let members = |r: usize| (0..n).filter(|i| !leans(*i) && sets[*i] == r).collect::<Vec<_>>();
    let chief =
        |r: usize| members(r).into_iter().reduce(|x, y| if force(&list[y]) > force(&list[x]) { y } else { x }).unwrap();
    let sum = |r: usize| {
        let forces = members(r).into_iter().map(|i| DVec3::from_array(list[i].normal) * force(&list[i]));
        unit(forces.fold(DVec3::ZERO, |sum, own| sum + own)).unwrap_or((DVec3::ZERO, 0.0))
    };
    let patch = |i: usize, k: usize| (list[i].key[1] >> [32, 0][k]) as u32;
    let normal = |i: usize, k: usize| bodies[k].normal(patch(i, k)).map(|n| if k == 0 { -n } else { n });
    let mut alone = vec![false; n];
    for i in (0..n).filter(|i| leans(*i)) {
        let looks = sets::base(DVec3::from_array(list[i].normal), [0, 1].map(|k| normal(i, k)));
        let offers = (0..n).filter(|j| !leans(*j)).filter_map(|j| {
            let ((direction, size), direct) = (sum(sets[j]), below(i, j)?);
            let (chief, set) = (chief(sets[j]), members(sets[j]));
            let (all, own) =
                (set.iter().map(|i| force(&list[*i])).sum::<f64>(), !between(list, bodies, [i, chief], None));
            let counts: Vec<_> = set.into_iter().filter(|i| force(&list[*i]) > sets::NOISE * all).collect();
            let suit = (direct, own, sets::suit(direction, size, looks), core::cmp::Reverse(chief));
            (!between(list, bodies, [i, chief], Some((direction, cosine, &counts)))).then_some((suit, sets[j]))
        });
        let best = offers.max().map(|(_, r)| r);
        alone[i] = best.is_none();
        root[i] = best.unwrap_or(i);
    }
    alone
}

/// Whether one node is on a wall and the other one on the floor beside it, and they cannot be in one set: the wall's normal is too far from the
/// set's direction, or the whole set is on the floor.
fn between(list: &[Contact], bodies: [&Patches; 2], nodes: [usize; 2], set: Option<(DVec3, f64, &[usize])>) -> bool {
    (0..2).any(|k| {
        let patches = nodes.map(|i| (list[i].key[1] >> [32, 0][k]) as u32);
        let [Some(x), Some(y)] = patches.map(|patch| bodies[k].normal(patch)) else { return false };
        let inward = if k == 0 { -x } else { x };
        let patch = |i: usize| (list[i].key[1] >> [32, 0][k]) as u32;
        let elsewhere = |(push, cosine, set): (DVec3, f64, &[usize])| {
            inward.dot(push) < cosine || bodies[k].flat && set.iter().all(|i| patch(*i) == patch(nodes[1]))
        };
        bodies[k].is_concave(0, patches) && x.dot(y).abs() < node_matrix::ACROSS && set.is_none_or(elsewhere)
    })
}

/// Whether these nodes are on one flat patch of a body.
fn on_one_flat_patch(list: &[Contact], bodies: [&Patches; 2], nodes: &[usize]) -> bool {
    let patch = |i: usize, k: usize| (list[i].key[1] >> [32, 0][k]) as u32;
    (0..2).any(|k| bodies[k].flat && nodes.windows(2).all(|w| patch(w[0], k) == patch(w[1], k)))
}

/// Joins parts of split places.
fn join_slowly(
    list: &[Contact],
    bodies: [&Patches; 2],
    root: &mut [usize],
    of: &dyn Fn(usize) -> bool,
    beside: &dyn Fn(usize, usize) -> bool,
    grouping: &Grouping,
) {
    let nodes: Vec<usize> = (0..list.len()).filter(|i| of(*i)).collect();
    let chief = |r: usize, root: &[usize]| {
        let members = nodes.iter().copied().filter(|i| root[*i] == r);
        members.reduce(|x, y| if force(&list[y]) > force(&list[x]) { y } else { x }).unwrap()
    };
    let sum = |rs: &[usize], root: &[usize]| {
        nodes.iter().filter(|i| rs.contains(&root[**i])).fold((DVec3::ZERO, 0.0), |(sum, all), i| {
            (sum + DVec3::from_array(list[*i].normal) * force(&list[*i]), all + force(&list[*i]))
        })
    };
    let inwards = |r: usize, root: &[usize]| {
        let of_set = nodes.iter().filter(|i| root[**i] == r);
        of_set.fold(DVec3::ZERO, |sum, i| {
            sum + inward(bodies, &list[*i]).unwrap_or(DVec3::from_array(list[*i].normal)) * force(&list[*i])
        })
    };
    let mut steep = vec![0.0; list.len()];
    // Whether both cones are within the angle, and the force that leans too far.
    let union = |i: usize, j: usize, root: &[usize], steep: &[f64]| {
        let (both, all) = sum(&[i, j], root);
        let direction = both.normalize();
        let members: Vec<usize> = nodes.iter().copied().filter(|n| [i, j].contains(&root[*n])).collect();
        if on_one_flat_patch(list, bodies, &members) {
            return Some((true, steep[i] + steep[j]));
        }
        let by = |axis: &dyn Fn(usize) -> DVec3| {
            let leans = |r: usize| {
                let (own, all) = (axis(r), sum(&[r], root).1);
                let cone = (2.0 * own.length() / all - 1.0).clamp(-1.0, 1.0).acos();
                cone + own.normalize().dot(direction).clamp(-1.0, 1.0).acos() > grouping.angle
            };
            if [i, j].iter().any(|r| axis(*r).normalize().dot(direction) < node_matrix::ACROSS) {
                return None;
            }
            let leaning = [leans(i), leans(j)];
            let part = |k: usize, r: usize| if leaning[k] { sum(&[r], root).1 } else { steep[r] };
            let off = part(0, i) + part(1, j);
            (off <= sets::LITTLE * all).then_some((leaning == [false; 2], off))
        };
        match (by(&|r| sum(&[r], root).0), by(&|r| inwards(r, root))) {
            (Some((false, _)) | None, Some((true, off))) => Some((true, off)),
            (None, other) => other,
            (by_normals, _) => by_normals,
        }
    };
    loop {
        let mut choice = Vec::new();
        let mut roots: Vec<usize> = nodes.iter().map(|i| root[*i]).collect();
        roots.sort();
        roots.dedup();
        for &r in &roots {
            let others = roots.iter().copied().filter(|q| {
                let pairs = nodes.iter().flat_map(|i| nodes.iter().map(move |j| (*i, *j)));
                *q != r && pairs.clone().any(|(i, j)| root[i] == r && root[j] == *q && beside(i, j))
            });
            let rank = |q: usize| {
                let (whole, _) = union(r, q, root, &steep)?;
                Some((whole, sum(&[q], root).1, core::cmp::Reverse(chief(q, root)), q))
            };
            let best = others.filter_map(rank).reduce(|x, y| if y > x { y } else { x });
            choice.extend(best.map(|(_, _, _, q)| (sum(&[r], root).1, core::cmp::Reverse(chief(r, root)), r, q)));
        }
        if choice.is_empty() {
            return;
        }
        choice.sort_by(|x, y| y.partial_cmp(x).unwrap());
        let mut now: Vec<usize> = root.to_vec();
        for (_, _, r, q) in choice {
            let (i, j) = (now[r].min(now[q]), now[r].max(now[q]));
            if i != j
                && let Some((_, off)) = union(i, j, &now, &steep)
            {
                steep[i] = off;
                now.iter_mut().filter(|root| **root == j).for_each(|root| *root = i);
            }
        }
        root.copy_from_slice(&now);
    }
}

fn wrench(list: &[Contact]) -> (DVec3, DVec3, f64) {
    list.iter().fold((DVec3::ZERO, DVec3::ZERO, 0.0), |(f, t, all), c| {
        let own = DVec3::from_array(c.normal) * force(c);
        let torque = DVec3::from_array(c.position).cross(own) + DVec3::from_array(c.moment);
        (f + own, t + torque, all + force(c))
    })
}

#[test]
fn nodes_are_grouped_as_a_slow_search_groups_them() {
    let mut random = Random(3);
    for case in 0..400 {
        let (m, n) = (1 + case % 9, 1 + case % 7);
        let edges = |k: usize| (k * (case % 4)) / 2;
        let (mut a, mut b) = (Patches::random(&mut random, m, edges(m)), Patches::random(&mut random, n, edges(n)));
        let centre = |k: usize| DVec3::new(2.0 + (k % 3) as f64, 0.5 * (k % 9) as f64, 1.5 + (k % 5) as f64);
        match case / 3 % 4 {
            0 => a.centre = Some(centre(case)),
            1 => b.centre = Some(-centre(case)),
            2 if case % 2 == 0 => (a.centre, b.centre) = (Some(centre(case)), Some(centre(case))),
            _ => {}
        }
        let (part, leaning) = ([0.2, 0.5, 1.0][case % 3], [0.0, 0.3, 0.8][case / 3 % 3]);
        let list = random_list(&mut random, [&a, &b], part, leaning, [0.1, 0.8, 3.0][case / 9 % 3]);
        let grouping = Grouping { angle: [0.2, 0.785, 1.5][case % 3], ..Grouping::default() };
        let ties = random_ties(&mut random, [&a, &b], &list, case / 2 % 2 * (case / 4 % 12));
        let (contacts, nodes) = tied(&list, &ties, [&a, &b], false, &grouping);
        let wanted = slowly(&list, &ties, [&a, &b], &grouping);
        for (i, node) in nodes.iter().enumerate() {
            assert_eq!(node.features, list[i].key[1]);
            assert_eq!(node.force, force(&list[i]) as f32);
            for j in 0..i {
                assert_eq!(node.contact == nodes[j].contact, wanted[i] == wanted[j], "case {case}, nodes {i} and {j}");
            }
            let of_it = contacts[node.contact as usize];
            if nodes.iter().filter(|other| other.contact == node.contact).count() == 1 {
                assert_eq!(Contact { share: 0.0, ..of_it }, Contact { status: 0, share: 0.0, ..list[i] });
            }
        }
        assert!(contacts.is_sorted_by(|x, y| x.key < y.key), "case {case}");
        same_beside_many(&list, &ties, [&a, &b], &grouping, (&contacts, &nodes));
        let (x, y) = (wrench(&list), wrench(&contacts));
        assert!((x.0 - y.0).length() <= 1e-13 * x.2 && (x.1 - y.1).length() <= 1e-12 * x.2 * 10.0, "case {case}");
        let shares: f64 = contacts.iter().map(|c| c.share).sum();
        assert!(list.len() < 2 || (shares - 1.0).abs() < 1e-12);
        // With the bodies exchanged.
        let opposite = |c: &Contact| Contact {
            key: [7, c.key[1].rotate_left(32)],
            normal: c.normal.map(|x| 0.0 - x),
            moment: c.moment.map(|x| 0.0 - x),
            ..*c
        };
        let alone = |all: &[Contact]| all.iter().map(|c| Contact { share: 0.0, ..*c }).collect::<Vec<_>>();
        let mut other: Vec<Contact> = list.iter().map(opposite).collect();
        other.sort_by_key(|c| c.key);
        let turned = |x: u64| x.rotate_left(32);
        let ties: Vec<Tie> =
            ties.iter().rev().map(|tie| Tie { node: turned(tie.node), at: turned(tie.at), ..*tie }).collect();
        let back = tied(&other, &ties, [&b, &a], true, &grouping).0;
        let mut back: Vec<Contact> = back.iter().map(opposite).collect();
        back.sort_by_key(|c| c.key);
        assert_eq!(alone(&contacts), alone(&back), "case {case}");
        // One contact for both bodies, unless forces cancel.
        let (one, nodes) = grouped(&list, [&a, &b], false, &Grouping::BODIES);
        let y = wrench(&one);
        assert!((x.0 - y.0).length() <= 1e-13 * x.2 && (x.1 - y.1).length() <= 1e-12 * x.2 * 10.0, "case {case}");
        assert!(
            x.0.length() < 0.5 * x.2 || one.len() == 1 && nodes.iter().all(|node| node.contact == 0) || list.is_empty()
        );
        // One contact for each patch pair.
        let (all, nodes) = grouped(&list, [&a, &b], false, &Grouping::PATCHES);
        assert!(
            all.iter().zip(&list).all(|(x, y)| Contact { share: 0.0, ..*x } == Contact { status: 0, share: 0.0, ..*y })
        );
        assert!(nodes.iter().enumerate().all(|(i, node)| node.contact == i as u32));
    }
}

/// The contact does not depend on how terms are divided among nodes, of which some may push across.
#[test]
fn a_region_does_not_depend_on_how_its_terms_are_divided_among_nodes() {
    // Measured area, pressure, position and force of each of four terms.
    let terms = [
        (1.0, 0.5, [0.0, 0.0, 1.0], [0.1, 0.0, 0.4]),
        (3.0, 0.3, [1.0, 0.5, 1.0], [-0.2, 0.1, 0.8]),
        (0.5, 0.4, [0.5, 2.0, 1.1], [0.1, -0.1, 0.3]),
        (0.2, 0.1, [2.0, 0.0, 0.9], [0.0, 0.3, 0.0]),
    ];
    let node = |patch: u32, of: &[usize]| {
        let (mut area, mut pressure, mut first, mut force, mut torque) =
            (0.0, 0.0, DVec3::ZERO, DVec3::ZERO, DVec3::ZERO);
        for (own, weight, at, push) in of.iter().map(|i| terms[*i]) {
            let [at, push] = [at, push].map(DVec3::from_array);
            area += own;
            pressure += weight;
            (first, force, torque) = (first + at * weight, force + push, torque + at.cross(push));
        }
        let (position, mean, (normal, size)) = (first / pressure, pressure / area, unit(force).unwrap());
        Contact {
            position: position.to_array(),
            moment: (torque - position.cross(force)).to_array(),
            gap: 0.1 * (1.0 - mean),
            share: area,
            ..contact(patch, 0, normal.to_array(), size / mean)
        }
    };
    let divided = |parts: &[&[usize]]| {
        let list: Vec<_> = parts.iter().enumerate().map(|(i, of)| node(i as u32, of)).collect();
        let (contacts, _) = grouped(&list, [&strip(4), &Patches::new(1)], false, &Grouping::BODIES);
        let [one] = contacts[..] else { panic!("{contacts:?}") };
        one
    };
    let whole = node(0, &[0, 1, 2, 3]);
    for parts in
        [&[&[0, 1][..], &[2, 3][..]][..], &[&[0, 3], &[1, 2]], &[&[3, 1], &[0], &[2]], &[&[0], &[1], &[2], &[3]]]
    {
        let one = divided(parts);
        let near = |x: f64, y: f64| (x - y).abs() < 1e-14;
        assert!(near(one.gap, whole.gap) && near(one.area, whole.area), "{one:?} {whole:?}");
        let vectors = [(one.position, whole.position), (one.normal, whole.normal), (one.moment, whole.moment)];
        assert!(vectors.iter().all(|(x, y)| (0..3).all(|k| near(x[k], y[k]))), "{one:?} {whole:?}");
    }
}

/// Neighbours of few nodes are found by another method than those of many: with many more nodes that have no neighbours, the contacts stay the
/// same.
fn same_beside_many(
    list: &[Contact],
    ties: &[Tie],
    bodies: [&Patches; 2],
    grouping: &Grouping,
    (contacts, nodes): (&[Contact], &[Node]),
) {
    const MORE: usize = 64;
    let [a, b] = bodies.map(|body| {
        let mut body = body.clone();
        let all = body.chart.len() + MORE;
        body.neighbours.resize(all, vec![]);
        body.chart.resize(all, 0);
        body
    });
    let [m, n] = bodies.map(|body| body.chart.len() as u32);
    let more = (0..MORE as u32).map(|i| contact(m + i, n + i, [0.0, 0.0, 1.0], 1.0));
    let list: Vec<_> = list.iter().copied().chain(more).collect();
    let (many, of_many) = tied(&list, ties, [&a, &b], false, grouping);
    let alone = |all: &[Contact]| all.iter().map(|c| Contact { share: 0.0, ..*c }).collect::<Vec<_>>();
    assert_eq!(alone(&many[..contacts.len()]), alone(contacts));
    assert!(nodes.iter().zip(&of_many).all(|(x, y)| x == y));
}

/// A row of patches, each a neighbour of the next one.
fn strip(n: u32) -> Patches {
    let mut strip = Patches::new(n as usize);
    (1..n).for_each(|i| strip.join(i - 1, i));
    strip
}

#[test]
fn pressure_of_a_region_is_that_of_its_nodes_side_by_side() {
    let up = |p, gap: f64, area| Contact { gap, least_gap: gap, ..contact(p, 0, [0.0, 0.0, 1.0], area) };
    let list = [up(0, 0.05, 1.0), up(1, 0.05, 3.0)];
    let (contacts, _) = grouped(&list, [&strip(2), &Patches::new(1)], false, &Grouping::default());
    let [one] = contacts[..] else { panic!("{contacts:?}") };
    assert_eq!(
        (one.key, one.gap, one.area, one.position, one.share),
        ([7, key(1, 0)], 0.05, 4.0, [0.75, 0.0, 0.5], 1.0)
    );
    // Half of the area has gap 0, the other half is one halo deep.
    let list = [up(0, 0.0, 1.0), up(1, -0.1, 1.0)];
    let (contacts, _) = grouped(&list, [&strip(2), &Patches::new(1)], false, &Grouping::default());
    let [one] = contacts[..] else { panic!("{contacts:?}") };
    assert!((one.area - 2.0).abs() < 1e-14 && (one.gap + 0.05).abs() < 1e-15 && one.least_gap == -0.1);
    // Without halos, the gap is the mean depth.
    let list = list.map(|c| Contact { halo: 0.0, ..c });
    let (contacts, _) = grouped(&list, [&strip(2), &Patches::new(1)], false, &Grouping::default());
    let [one] = contacts[..] else { panic!("{contacts:?}") };
    assert!((one.area, one.gap, one.halo) == (2.0, -0.05, 0.0), "{one:?}");
}

#[test]
fn forces_that_cancel_are_not_joined() {
    for (angle, groups) in [(59.0f64, 1), (61.0, 2)] {
        let tilt = angle.to_radians();
        let list = [1.0, -1.0].map(|side| contact(u32::from(side < 0.0), 0, [side * tilt.sin(), 0.0, tilt.cos()], 1.0));
        for grouping in [Grouping { angle: 2.0, ..Grouping::default() }, Grouping::BODIES] {
            let (contacts, _) = grouped(&list, [&strip(2), &Patches::new(1)], false, &grouping);
            assert_eq!(contacts.len(), groups, "{angle}");
        }
    }
}

#[test]
fn one_patch_may_have_all_others_around_it() {
    // Both bodies have one patch that is a neighbour of all others; the others have no other neighbours.
    for n in [2_000, 10_000u32] {
        let star = || {
            let mut star = Patches::new(n as usize + 1);
            star.neighbours[0] = (1..=n).collect();
            star.neighbours[1..].iter_mut().for_each(|list| list.push(0));
            star
        };
        let (a, b) = (star(), star());
        let up = [0.0, 0.0, 1.0];
        let row: Vec<Contact> = (1..=n).map(|q| contact(0, q, up, 1.0)).collect();
        let column = (1..=n).map(|p| contact(p, 0, up, 1.0));
        let (alone, _) = grouped(&row, [&a, &b], false, &Grouping::default());
        assert_eq!(alone.len(), n as usize);
        for leaning in [0, status::LEANS] {
            let list: Vec<Contact> =
                row.iter().copied().chain(column.clone().map(|c| Contact { status: leaning, ..c })).collect();
            let (contacts, _) = grouped(&list, [&a, &b], false, &Grouping::default());
            assert_eq!(contacts.len(), if leaning == 0 { 1 } else { n as usize });
        }
    }
}

#[test]
fn a_place_of_many_charts_is_joined_to_few_regions() {
    // A strip of patches, each a chart of its own, on one patch: forces lean to either side in turn, by a larger angle in one half of the strip.
    let n = 20_000u32;
    let mut strip = strip(n);
    strip.chart = (0..n).collect();
    let one = Patches::new(1);
    let lean = |p: u32| {
        let angle: f64 = if p < n / 2 { 0.2 } else { 1.2 };
        let side = if p.is_multiple_of(2) { 1.0 } else { -1.0 };
        [side * angle.sin(), 0.0, angle.cos()]
    };
    let list: Vec<Contact> = (0..n).map(|p| contact(p, 0, lean(p), 1.0)).collect();
    let (contacts, nodes) = grouped(&list, [&strip, &one], false, &Grouping::default());
    // A hundredth of the first region may come from the other half.
    let rest = n as usize / 2;
    assert!((rest - n as usize / 200..=rest + 1).contains(&contacts.len()), "{}", contacts.len());
    assert!(nodes.iter().take(n as usize / 2).all(|node| node.contact == nodes[0].contact));
    // With a wider angle they are one region.
    let wide = Grouping { angle: 1.55, ..Grouping::default() };
    assert_eq!(grouped(&list, [&strip, &one], false, &wide).0.len(), 1);
}

#[test]
fn numbers_of_any_size_give_finite_contacts() {
    let mut random = Random(9);
    for _ in 0..300 {
        let (a, b) = (Patches::random(&mut random, 6, 8), Patches::random(&mut random, 5, 6));
        let mut list = random_list(&mut random, [&a, &b], 0.7, 0.3, 1.0);
        for c in &mut list {
            let mut any = || [0.0, 1e-320, 1e-160, 1.0, 1e160, 1e307][(random.next() * 6.0) as usize];
            (c.area, c.halo) = (any(), any());
            (c.gap, c.position[0], c.moment[1]) = (-any(), any(), any());
        }
        for grouping in [Grouping::default(), Grouping::BODIES, Grouping { angle: 0.0, ..Grouping::default() }] {
            let (contacts, _) = grouped(&list, [&a, &b], false, &grouping);
            for c in contacts {
                let numbers = [c.gap, c.least_gap, c.area, c.halo, c.share];
                assert!(
                    c.position.iter().chain(&c.normal).chain(&c.moment).chain(&numbers).all(|x| x.is_finite()),
                    "{c:?}"
                );
            }
        }
    }
}

#[test]
fn angles_are_checked() {
    for (angle, kind) in [(f64::NAN, Kind::NotFinite), (-0.1, Kind::OutOfRange), (3.2, Kind::OutOfRange)] {
        let e = Grouping { angle, ..Grouping::default() }.check().unwrap_err();
        assert_eq!((e.kind, e.what), (kind, What::Angle));
    }
    assert_eq!(Grouping { angle: core::f64::consts::PI, ..Grouping::default() }.check(), Ok(()));
}
