//! The order in which the levels of a grid are searched.

/// From which body of a pair on different levels the search starts. Both find the same pairs in different time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u32)]
pub enum Direction {
    /// From the larger body: visits fewer cells if small bodies are many (recommended by P1 section 7).
    #[default]
    TopDown = 1,
    /// From the smaller body.
    BottomUp = 2,
}
