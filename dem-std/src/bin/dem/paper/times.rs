//! Times with their spread, and the machine on which they were measured.

/// Times of the same work, in any unit.
#[derive(Clone, Default)]
pub struct Times(Vec<f64>);

impl Times {
    /// Appends a time.
    pub fn push(&mut self, time: f64) {
        self.0.push(time);
    }

    /// The median: other load on the machine disturbs some times, but not half of them.
    pub fn median(&self) -> f64 {
        self.at(1, 2)
    }

    /// The first and the third quartile.
    pub fn quartiles(&self) -> [f64; 2] {
        [self.at(1, 4), self.at(3, 4)]
    }

    /// The smallest and the largest time.
    pub fn range(&self) -> [f64; 2] {
        [self.at(0, 1), self.at(1, 1)]
    }

    /// The quantile `part` / `of`; 0 if there are no times.
    fn at(&self, part: usize, of: usize) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort_by(f64::total_cmp);
        let last = sorted.len().saturating_sub(1);
        sorted.get((last * part).div_ceil(of)).copied().unwrap_or(0.0)
    }
}

impl FromIterator<f64> for Times {
    fn from_iter<I: IntoIterator<Item = f64>>(times: I) -> Self {
        Times(times.into_iter().collect())
    }
}

/// The name of the processor from the system, or else its architecture.
pub fn processor() -> String {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = text.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':'));
    name.map_or(std::env::consts::ARCH.to_owned(), |(_, name)| name.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::Times;

    #[test]
    fn quartiles_lie_between_the_least_and_the_largest() {
        let times: Times = [5.0, 1.0, 4.0, 2.0, 3.0].into_iter().collect();
        assert_eq!((times.range(), times.quartiles(), times.median()), ([1.0, 5.0], [2.0, 4.0], 3.0));
        let one: Times = [7.0].into_iter().collect();
        assert_eq!((one.range(), one.quartiles(), one.median()), ([7.0; 2], [7.0; 2], 7.0));
        assert_eq!(Times::default().median(), 0.0);
    }
}
