//! A layout for the caller's half of a key.

use crate::error::{Error, Kind, Result, What};

/// Who a body is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Body {
    /// Its place in the caller's arrays, below 2^27.
    pub index: u32,
    /// How often that place was given to another body. Two bits count: matching looks back one step only, so they need only
    /// tell apart who has the place in two steps, one after the other.
    pub generation: u32,
}

const INDEX: u32 = 27;

/// Names a body pair and the periodic image of B that A meets: 27 bits for the place of each body, two for each generation, two
/// for each component of the image. Ordered by the place of A, then that of B. Callers who need more of anything
/// are free to lay out their 64 bits otherwise: tags are only compared.
///
/// Errors: [`Kind::OutOfRange`] for an index of 2^27 or more (`index` 0 or 1 of [`What::Bodies`]) or an image beyond -1 to 1 (`index`
/// 2, with its component).
pub fn tag(a: Body, b: Body, image: [i32; 3]) -> Result<u64> {
    let wrong = |index, component| Error::new(Kind::OutOfRange, What::Bodies).at(index, component);
    for (i, body) in [a, b].into_iter().enumerate() {
        if body.index >> INDEX != 0 {
            return Err(wrong(i as u64, 0));
        }
    }
    if let Some(k) = image.iter().position(|shift| !(-1..=1).contains(shift)) {
        return Err(wrong(2, k as u32));
    }
    let bits = [(a.index, INDEX), (b.index, INDEX), (a.generation & 3, 2), (b.generation & 3, 2)];
    let shifts = image.map(|shift| ((shift + 1) as u32, 2));
    Ok(bits.into_iter().chain(shifts).fold(0, |tag, (value, width)| tag << width | u64::from(value)))
}
