//! Prefix sums of counts, and sorting by counting.

/// A number type for prefix sums.
pub trait Count: Copy {
    /// The number, exactly.
    fn wide(self) -> u64;
    /// The number, or the largest one of this type.
    fn of(sum: u64) -> Self;
}

impl Count for u64 {
    #[inline(always)]
    fn wide(self) -> u64 {
        self
    }

    #[inline(always)]
    fn of(sum: u64) -> u64 {
        sum
    }
}

impl Count for u32 {
    #[inline(always)]
    fn wide(self) -> u64 {
        u64::from(self)
    }

    #[inline(always)]
    fn of(sum: u64) -> u32 {
        sum.min(u64::from(u32::MAX)) as u32
    }
}

/// Inclusive prefix sum, in place: turns counts of items into ends of chunks. Sums saturate at the largest number of the type. Gives the total.
pub fn ends<N: Count>(counts: &mut [N]) -> u64 {
    counts.iter_mut().fold(0, |sum: u64, n| {
        let sum = sum.saturating_add(n.wide());
        *n = N::of(sum);
        sum
    })
}

/// Exclusive prefix sum, in place: turns counts of items into starts of chunks.
pub(crate) fn starts(counts: &mut [u32]) {
    let mut sum = 0u32;
    for count in counts {
        (*count, sum) = (sum, sum.wrapping_add(*count));
    }
}

/// Sorts by counting. `number` gives the bin of an item; `put` gets the place of each item, and the item. Items of a bin stay in order. Writes the
/// ends of bins to `ends`. An item whose bin does not exist is left out.
#[inline(always)]
pub(crate) fn by_number<I: Iterator + Clone>(
    items: I,
    ends: &mut [u32],
    number: impl Fn(&I::Item) -> usize,
    mut put: impl FnMut(usize, I::Item),
) {
    ends.fill(0);
    items.clone().for_each(|item| {
        if let Some(count) = ends.get_mut(number(&item)) {
            *count += 1;
        }
    });
    starts(ends);
    items.for_each(|item| {
        if let Some(end) = ends.get_mut(number(&item)) {
            let at = *end as usize;
            *end += 1;
            put(at, item);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefix_sums_end_at_the_largest_number() {
        let (mut small, mut wide) = ([u32::MAX, 0, 5], [3u64, 4, 0]);
        assert_eq!((ends(&mut small), small), (u64::from(u32::MAX) + 5, [u32::MAX; 3]));
        assert_eq!((ends(&mut wide), wide), (7, [3, 7, 7]));
        let mut counts = [3, 0, 2];
        starts(&mut counts);
        assert_eq!(counts, [0, 3, 3]);
    }

    #[test]
    fn what_is_sorted_by_counting_stays_in_order_within_a_bin() {
        let items = [(2, 'a'), (0, 'b'), (9, 'x'), (2, 'c'), (1, 'd'), (0, 'e')];
        let (mut sorted, mut ends) = ([' '; 5], [7; 3]);
        by_number(items.iter(), &mut ends, |item| item.0, |at, item| sorted[at] = item.1);
        assert_eq!((sorted, ends), (['b', 'e', 'd', 'a', 'c'], [2, 3, 5]));
    }
}
