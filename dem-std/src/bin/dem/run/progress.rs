//! The accumulated results of a run, besides the state of its world.

use dem_std::dem_core::world::Report;

/// Sums and extremes over all frames so far.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Progress {
    /// The last frame.
    pub frame: u64,
    /// Number of bodies that have come, for each source.
    pub come: Vec<u32>,
    /// Number of bodies that have left.
    pub left: u64,
    pub works: Works,
    /// Energy stored in contacts, and kinetic energy, at the first frame.
    pub first: [f64; 2],
    /// Kinetic energy of bodies of sources when they came, less that of bodies that left.
    pub brought: f64,
    /// The fastest approach; `stiffest`: the largest product of frequency and step; `deepest`: the depth of the deepest overlap.
    pub fastest: f64,
    pub stiffest: f64,
    pub deepest: f64,
    pub warned: bool,
    /// Whether these are from the last step only, for some frames.
    pub sampled: bool,
}

/// The extremes over the steps of a frame.
#[derive(Clone, Copy, Debug)]
pub struct Extremes {
    /// The fastest approach, in halos.
    pub fastest: f64,
    /// The largest product of frequency and step; `at`: the length of that step.
    pub stiffest: f64,
    pub at: f64,
    /// The least gap.
    pub deepest: f64,
}

impl Extremes {
    pub const NONE: Self = Extremes { fastest: 0.0, stiffest: 0.0, at: 0.0, deepest: f64::INFINITY };

    /// Takes a completed step into account.
    pub fn add(&mut self, report: &Report) {
        self.fastest = f64::max(self.fastest, report.approach);
        self.deepest = f64::min(self.deepest, report.least_gap);
        let stiff = report.frequency * report.dt;
        if stiff > self.stiffest {
            (self.stiffest, self.at) = (stiff, report.dt);
        }
    }
}

/// Energies that were transferred in a frame or a run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Works {
    /// Work of contacts on dynamic bodies; `gravity`: work of gravity on them.
    pub contacts: f64,
    pub gravity: f64,
    /// Energy dissipated by damping; `rubbed`: by friction.
    pub damped: f64,
    pub rubbed: f64,
    /// Increase of the energy stored in contacts.
    pub stored: f64,
    /// Work of driven bodies at contacts.
    pub driven: f64,
    /// Energy of numerical origin ([`Report::spurious`]).
    pub spurious: f64,
}

impl Works {
    pub fn and(self, more: &Works) -> Works {
        Works {
            contacts: self.contacts + more.contacts,
            gravity: self.gravity + more.gravity,
            damped: self.damped + more.damped,
            rubbed: self.rubbed + more.rubbed,
            stored: self.stored + more.stored,
            driven: self.driven + more.driven,
            spurious: self.spurious + more.spurious,
        }
    }

    /// The largest of these energies.
    pub fn size(&self) -> f64 {
        let Works { contacts, gravity, damped, rubbed, stored, driven, .. } = *self;
        [contacts, gravity, damped, rubbed, stored, driven].into_iter().fold(0.0, |most, x| most.max(x.abs()))
    }
}

/// Energy stored in contacts.
pub fn stored(report: &Report) -> f64 {
    report.stored_normal + report.stored_tangential
}

impl Progress {
    pub fn add(&mut self, frame: &Extremes) {
        self.fastest = f64::max(self.fastest, frame.fastest);
        self.stiffest = f64::max(self.stiffest, frame.stiffest);
        self.deepest = f64::min(self.deepest, frame.deepest);
    }

    pub fn new(report: &Report, sources: usize) -> Self {
        let first = [stored(report), report.totals.kinetic()];
        Progress { come: vec![0; sources], first, deepest: f64::INFINITY, ..Progress::default() }
    }

    pub fn to_bytes(&self) -> Vec<u8> {
        let Works { contacts, gravity, damped, rubbed, stored, driven, spurious } = self.works;
        let [a, b] = self.first;
        let works = [contacts, gravity, damped, rubbed, stored, driven, spurious, a, b];
        let numbers = works.into_iter().chain([self.brought, self.fastest, self.stiffest, self.deepest]);
        let words =
            [self.frame, self.left, u64::from(self.warned) | u64::from(self.sampled) << 1, self.come.len() as u64];
        let all = words.into_iter().chain(numbers.map(f64::to_bits));
        all.chain(self.come.iter().map(|n| u64::from(*n))).flat_map(u64::to_le_bytes).collect()
    }

    /// A value, and the bytes after it; none if there are too few.
    pub fn from_bytes(bytes: &[u8]) -> Option<(Self, &[u8])> {
        let mut rest = bytes;
        let mut word = || {
            let (head, tail) = rest.split_first_chunk()?;
            rest = tail;
            Some(u64::from_le_bytes(*head))
        };
        let [frame, left, warned, sources] = [word()?, word()?, word()?, word()?];
        let mut numbers = [0.0; 13];
        for number in &mut numbers {
            *number = f64::from_bits(word()?);
        }
        let mut come = Vec::new();
        for _ in 0..sources {
            come.push(word()? as u32);
        }
        let [contacts, gravity, damped, rubbed, stored, driven, spurious, a, b, others @ ..] = numbers;
        let [brought, fastest, stiffest, deepest] = others;
        let works = Works { contacts, gravity, damped, rubbed, stored, driven, spurious };
        let [warned, sampled] = [warned & 1 != 0, warned & 2 != 0];
        let first = [a, b];
        let own = Progress { frame, come, left, works, first, brought, fastest, stiffest, deepest, warned, sampled };
        Some((own, rest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_of_it_is_kept() {
        let (damped, rubbed) = (3.0, 4.0);
        let works = Works { contacts: 1.0, gravity: -2.0, damped, rubbed, stored: 5.0, driven: 11.0, spurious: -12.0 };
        let own = Progress {
            frame: 7,
            come: vec![3, 0, 9],
            left: 2,
            works,
            first: [6.0, 7.0],
            brought: 8.0,
            fastest: 9.0,
            stiffest: 10.0,
            deepest: f64::INFINITY,
            warned: true,
            sampled: true,
        };
        let mut bytes = own.to_bytes();
        bytes.push(1);
        assert_eq!(Progress::from_bytes(&bytes), Some((own, &[1][..])));
        assert!(Progress::from_bytes(&bytes[..100]).is_none());
    }
}
