//! A group of bodies whose neighbours are searched for together, and the bodies to test with each.

/// Bodies that are tested together: a word has this many bits for each of five rows.
pub(super) const GROUP: usize = 12;

/// Places for the bodies of a group in one row: lanes of the widest vector.
pub(super) const STRIDE: usize = 16;

/// Places of all rows: 5 rows of 16 take 80, rounded up to a power of two so that a mask replaces bounds checks.
pub(super) const ALL: usize = 128;

/// The place of each bit of a group. A table, since a division by [`GROUP`] is slower.
pub(super) const PLACES: [u8; 64] = {
    let mut places = [0; 64];
    let mut bit = 0;
    while bit < 64 {
        places[bit] = (bit / GROUP * STRIDE + bit % GROUP) as u8;
        bit += 1;
    }
    places
};

/// For each body of a group and each row, the bodies to test. Item `STRIDE * row + body`.
#[repr(C, align(64))]
pub(super) struct Group {
    /// The range of bodies of the row to test. Integers stored as bits of f32, since lanes select among f32; they are
    /// never used in arithmetic.
    pub start: [f32; ALL],
    pub end: [f32; ALL],
    /// Coordinates of the body relative to the row.
    pub y: [f32; ALL],
    pub z: [f32; ALL],
    /// Coordinate along x, equal for all rows.
    pub x: [f32; STRIDE],
    /// Sum of radius, margin and doubt.
    pub reach: [f32; STRIDE],
}

impl Group {
    pub(super) const NONE: Group = Group {
        start: [0.0; ALL],
        end: [0.0; ALL],
        y: [0.0; ALL],
        z: [0.0; ALL],
        x: [0.0; STRIDE],
        reach: [0.0; STRIDE],
    };

    /// Place of a bit, and the range of bodies to test.
    #[inline(always)]
    pub(super) fn run(&self, bit: usize) -> (usize, usize, usize) {
        let place = PLACES[bit & 63] as usize & (ALL - 1);
        (place, self.start[place].to_bits() as usize, self.end[place].to_bits() as usize)
    }
}
