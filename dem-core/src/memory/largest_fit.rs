//! The largest count whose layout fits memory of a given size.

/// The largest count below `end` for which `fits` holds; `None` where it does not hold for 0. `fits` must hold for all
/// counts below one that fits. With the layout of a component as `fits`, this is the largest component that a given
/// memory can hold.
///
/// Cost: two calls of `fits` for every factor of two between `first`, a guess, and the answer.
///
/// ```
/// use dem_core::memory::most;
///
/// let fits = |n: u64| n <= 37;
/// assert_eq!((most(16, u64::MAX, fits), most(100, u64::MAX, fits)), (Some(37), Some(37)));
/// assert_eq!((most(16, 20, fits), most(16, 20, |_| false)), (Some(19), None));
/// ```
pub fn most(first: u64, end: u64, fits: impl Fn(u64) -> bool) -> Option<u64> {
    if !fits(0) {
        return None;
    }
    // Invariant: `low` fits; `high` does not fit or is `end`.
    let (mut low, mut high) = (0, end);
    let mut guess = first.max(1);
    while guess < high {
        if fits(guess) {
            low = guess;
            guess = guess.saturating_mul(2);
        } else {
            high = guess;
        }
    }
    while low + 1 < high {
        let middle = low + (high - low) / 2;
        if fits(middle) { low = middle } else { high = middle }
    }
    Some(low)
}
