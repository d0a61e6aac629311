//! Access to a host's three-vectors item by item, for memory where a slice would alias, such as inputs and outputs in the same structs.

use super::Array;
use crate::error::{Error, Kind, Result, What};

/// Three-vectors that are read item by item.
pub trait Vectors: Sync {
    /// Number of items.
    fn len(&self) -> usize;

    /// Whether the array is empty.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Item `i`, which is below `len`.
    fn get(&self, i: usize) -> [f64; 3];

    /// Checks that every number is finite. Errors: [`Kind::NotFinite`] with index and component of the first number
    /// that is NaN or infinite.
    fn check_finite(&self, what: What) -> Result<()> {
        for i in 0..self.len() {
            if let Some(c) = self.get(i).iter().position(|x| !x.is_finite()) {
                return Err(Error::new(Kind::NotFinite, what).at(i as u64, c as u32));
            }
        }
        Ok(())
    }
}

/// Three-vectors that are written item by item. A call writes each item at most once, on any lane.
pub trait VectorsMut: Sync {
    /// Number of items.
    fn len(&self) -> usize;

    /// Whether the array is empty.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Writes item `i`, which is below `len`.
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
