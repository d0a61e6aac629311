//! The list of contacts of each body.

use zerocopy::{FromBytes, Immutable, IntoBytes};

/// A contact as one of its two bodies sees it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, FromBytes, IntoBytes, Immutable)]
#[repr(transparent)]
pub struct Touch(
    /// Twice the index of the contact in the list, plus 1 if the body is B.
    pub u32,
);

impl Touch {
    /// Index of the contact in the list.
    #[inline(always)]
    pub fn contact(self) -> usize {
        (self.0 >> 1) as usize
    }

    /// Whether the body is B. The opposite of the contact's force acts on B.
    #[inline(always)]
    pub fn is_b(self) -> bool {
        self.0 & 1 != 0
    }
}
