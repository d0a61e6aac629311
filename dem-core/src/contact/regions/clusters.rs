//! Joins parts of a place that was split.
//!
//! Charts grow from their largest patch, so rough places have many more parts than their forces need. Neighbouring parts are joined, the
//! strongest first, while forces stay within the angle of their sum. Forces F_i fill a cone with the half-angle r about their sum F if
//! `cos r = 2 |F| / sum |F_i| - 1`. This is exact for an even pressure over a cap of a sphere, and small forces have little effect.

use core::cmp::Reverse;
use glam::DVec3;

use super::body::Body;
use super::node_matrix::{ACROSS, Few, MANY, Question, Rows, Visit};
use super::sets::{Apart, LITTLE, SPLIT, Set, Sets, common, rank};
use crate::contact::unit;
use crate::mesh::NONE;
use crate::real::{Real, max, min};

/// The union of two sets.
struct Union {
    normal: DVec3,
    size: f64,
    total: f64,
    steep: f64,
    /// Whether the cones of both are within the angle, or both are on one flat patch.
    whole: bool,
    /// The flat patches that contain all nodes of both sets.
    flats: [u32; 2],
}

impl Sets<'_> {
    fn set(&self, i: u32) -> Option<&Set> {
        self.set.get(i as usize)
    }

    /// The inward sum of a root; zero if nodes push along their normals.
    fn inward_sum(&self, i: u32) -> DVec3 {
        self.inward_sums.get(i as usize).map_or(DVec3::ZERO, |sum| DVec3::from_array(*sum))
    }

    /// The union of two sets; `None` if more than a little of its force leans too far, or if one set lies across. A union on one flat patch is
    /// always possible, because it is pushed along that patch's normal.
    fn union(&self, i: u32, j: u32, apart: &Apart<'_>) -> Option<Union> {
        let both = [*self.set(i)?, *self.set(j)?];
        let [x, y] = both.map(|set| DVec3::from_array(set.normal) * set.size);
        let (normal, size) = unit(x + y)?;
        let total = both[0].total + both[1].total;
        let flats = common(both[0].charts, both[1].charts);
        let steep = both[0].steep + both[1].steep;
        let union = Union { normal, size, total, steep, whole: true, flats };
        if flats != [NONE; 2] {
            return Some(union);
        }
        let by_normals = self.leaning(both, both.map(|set| (DVec3::from_array(set.normal), set.size)), normal, apart);
        let by_inward = match by_normals {
            Some((_, true)) => None,
            _ if self.inwards.is_empty() => None,
            _ => {
                let inwards = [i, j].map(|k| unit(self.inward_sum(k)).unwrap_or_default());
                self.leaning(both, inwards, normal, apart)
            }
        };
        let best = match (by_normals, by_inward) {
            (Some(x), Some((_, false)) | None) => Some(x),
            (_, other) => other,
        };
        best.map(|(steep, whole)| Union { steep, whole, ..union })
    }

    /// The force of both sets that leans too far from a direction, and whether neither set leans; `None` if that force is more than a little, or
    /// if one set lies across. `axes` are the directions and the lengths of sums over the sets.
    fn leaning(
        &self,
        both: [Set; 2],
        axes: [(DVec3, f64); 2],
        direction: DVec3,
        apart: &Apart<'_>,
    ) -> Option<(f64, bool)> {
        let leans = |k: usize| {
            let (axis, size) = axes[k];
            let cosine = min(1.0, max(-1.0, 2.0 * (size / both[k].total) - 1.0));
            let sine = Real::sqrt(1.0 - cosine * cosine);
            // The cone is no wider than the angle, and its axis deviates by at most the rest of the angle.
            let rest = self.limit.cosine * cosine + self.limit.sine * sine;
            !(cosine >= self.limit.cosine && axis.dot(direction) >= rest - ROUNDING)
        };
        let cosines = axes.map(|(axis, _)| axis.dot(direction));
        let at_limit = || cosines.iter().any(|cosine| self.limit.is_at(*cosine));
        if cosines.iter().any(|cosine| *cosine < ACROSS) || at_limit() && apart(both.map(|set| set.chief), None) {
            return None;
        }
        let leaning = [0, 1].map(leans);
        let [a, b] = [0, 1].map(|k| if leaning[k] { both[k].total } else { both[k].steep });
        (a + b <= LITTLE * (both[0].total + both[1].total)).then_some((a + b, leaning == [false; 2]))
    }

    /// Joins parts of places that were split. `order` is scratch, a number for each node.
    ///
    /// In each round each set chooses the strongest neighbour with which it can be joined. The pairs are joined in the order of their forces, as
    /// far as that is still possible.
    pub(super) fn join_up<B: Body>(&mut self, rows: &mut Rows<'_, B>, order: &mut [u64]) {
        self.set.iter_mut().for_each(|set| set.steep = 0.0);
        self.find_flat_patches(rows);
        let walls = rows.walls();
        let apart = |nodes: [u32; 2], _: Option<&Set>| walls.are_between(nodes, None);
        let rounds = 8 + 2 * (u32::BITS - (self.entry.len() as u32).leading_zeros());
        for _ in 0..rounds {
            self.best.fill(NONE);
            rows.neighbours(&mut Propose { sets: self, apart: &apart });
            let mut count = 0;
            for i in self.nodes() {
                if self.best.get(i as usize).is_some_and(|best| *best != NONE)
                    && let Some(to) = order.get_mut(count)
                {
                    *to = i.into();
                    count += 1;
                }
            }
            if count == 0 {
                break;
            }
            let order = order.get_mut(..count).unwrap_or_default();
            order.sort_unstable_by_key(|i| {
                self.set(*i as u32).map_or((Reverse(0), NONE), |set| (Reverse(rank(set.total)), set.chief))
            });
            for i in &*order {
                let best = self.best.get(*i as usize).copied().unwrap_or(NONE);
                let (i, j) = (self.root(*i as u32), self.root(best));
                if i != j
                    && let Some(union) = self.union(i, j, &apart)
                {
                    self.join_two(i, j, &union);
                }
            }
        }
        self.directions();
    }

    fn join_two(&mut self, i: u32, j: u32, union: &Union) {
        let chief = [i, j].map(|k| self.set(k).map_or(NONE, |set| set.chief));
        let [x, y] = chief.map(|chief| self.size.get(chief as usize).copied().unwrap_or(0.0));
        let chief = if (Reverse(rank(x)), chief[0]) < (Reverse(rank(y)), chief[1]) { chief[0] } else { chief[1] };
        let inwards = self.inward_sum(i) + self.inward_sum(j);
        self.unite(i, j);
        let root = self.root(i);
        self.inward_sums.get_mut(root as usize).into_iter().for_each(|sum| *sum = inwards.to_array());
        if let Some(set) = self.set.get_mut(root as usize) {
            (set.normal, set.size, set.chief) = (union.normal.to_array(), union.size, chief);
            (set.total, set.steep, set.charts) = (union.total, union.steep, union.flats);
        }
    }

    /// Offers a neighbour to a set, which keeps the better one.
    fn propose(&mut self, i: u32, j: u32, apart: &Apart<'_>) {
        let Some(best) = self.best.get(i as usize).copied() else { return };
        if best == j {
            return;
        }
        // Unions in which neither set leans too far come first, then those with the stronger neighbour, then those whose strongest node comes first.
        let merit = |k: u32| {
            let set = self.set(k)?;
            let union = self.union(i, k, apart)?;
            Some((union.whole, rank(set.total), Reverse(set.chief)))
        };
        let offer = merit(j);
        if offer.is_some() && offer > merit(best) {
            self.best.get_mut(i as usize).into_iter().for_each(|best| *best = j);
        }
    }
}

/// Rounding of a cosine.
const ROUNDING: f64 = 1.0 / (1u64 << 40) as f64;

/// Lets parts of split places choose among their neighbours.
struct Propose<'v, 's> {
    sets: &'v mut Sets<'s>,
    /// Whether a wall is between two nodes.
    apart: &'v Apart<'v>,
}

impl Visit for Propose<'_, '_> {
    fn wanted(&self, s: u32) -> bool {
        self.sets.state(s) == SPLIT
    }

    fn few(&mut self, count: u32) -> Few {
        let these = Few::bits(count, |i| self.wanted(i));
        Few { these, others: these, unite: false }
    }

    fn question(&mut self, s: u32, t: u32) -> Question {
        if self.sets.state(t) != SPLIT {
            return Question::No;
        }
        let (i, j) = (self.sets.root(s), self.sets.root(t));
        let best = |k: u32| self.sets.best.get(k as usize).copied().unwrap_or(NONE);
        if i == j || (best(i) == j && best(j) == i) { Question::Settled(j) } else { Question::Open }
    }

    fn meet(&mut self, s: u32, t: u32) -> u32 {
        let (i, j) = (self.sets.root(s), self.sets.root(t));
        self.sets.propose(i, j, self.apart);
        self.sets.propose(j, i, self.apart);
        j
    }

    fn again(&mut self, s: u32, by: u32, found: u32) -> bool {
        let i = self.sets.root(s);
        match found {
            NONE => true,
            // All existing neighbours have been offered to this set.
            MANY => i == self.sets.root(by),
            _ => {
                if i != found {
                    self.sets.propose(i, found, self.apart);
                    self.sets.propose(found, i, self.apart);
                }
                true
            }
        }
    }
}
