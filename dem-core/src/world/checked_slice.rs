//! Access to slices that may be too short.

pub(super) fn put<T>(items: &mut [T], i: usize, item: T) {
    if let Some(to) = items.get_mut(i) {
        *to = item;
    }
}

pub(super) fn prefix<T>(items: &[T], n: usize) -> &[T] {
    items.get(..n).unwrap_or_default()
}

/// The position, moved by periods to between 0 and the period along each periodic axis.
pub(super) fn wrapped(position: [f64; 3], periods: [f64; 3]) -> [f64; 3] {
    [0, 1, 2].map(|k| {
        let (x, period) = (position[k], periods[k]);
        if period == 0.0 || (0.0..period).contains(&x) {
            return x;
        }
        let inside = x - period * libm::floor(x / period);
        if (0.0..period).contains(&inside) { inside } else { 0.0 }
    })
}
