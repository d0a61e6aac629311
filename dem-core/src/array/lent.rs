//! Three-vectors that a host lends where no slice of them can be had: results in the same structs as what is read, say.

use super::Array;
use crate::error::{Error, Kind, Result, What};

/// Three-vectors to be read, one by one.
pub trait Vectors: Sync {
    /// Number of items.
    fn len(&self) -> usize;

    /// Whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Item `i`, which is there.
    fn get(&self, i: usize) -> [f64; 3];

    /// Errors: [`Kind::NotFinite`] with index and component of the first number that is NaN or infinite.
    fn check_finite(&self, what: What) -> Result<()> {
        for i in 0..self.len() {
            if let Some(c) = self.get(i).iter().position(|x| !x.is_finite()) {
                return Err(Error::new(Kind::NotFinite, what).at(i as u64, c as u32));
            }
        }
        Ok(())
    }
}

/// Three-vectors to be written, one by one. A call writes each item at most once, on any lane.
pub trait VectorsMut: Sync {
    /// Number of items.
    fn len(&self) -> usize;

    /// Whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Writes item `i`, which is there.
    fn set(&self, i: usize, value: [f64; 3]);
}

impl Vectors for Array<'_> {
    fn len(&self) -> usize {
        Array::len(self)
    }

    fn get(&self, i: usize) -> [f64; 3] {
        Array::get(self, i)
    }
}
