//! The list of contacts of each body.

use zerocopy::{FromBytes, Immutable, IntoBytes};

/// A contact, from the side of one of its bodies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, FromBytes, IntoBytes, Immutable)]
#[repr(transparent)]
pub struct Touch(
    /// Twice the place of the contact in the list, and 1 where the body is its B.
    pub u32,
);

impl Touch {
    /// Place of the contact in the list.
    #[inline(always)]
    pub fn contact(self) -> usize {
        (self.0 >> 1) as usize
    }

    /// Whether the body is B, on which the opposite of the contact's force acts.
    #[inline(always)]
    pub fn is_b(self) -> bool {
        self.0 & 1 != 0
    }
}
