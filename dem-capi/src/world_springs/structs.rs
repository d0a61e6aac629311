//! Structs of springs of a law of the program.

use dem_core::detect::laws::TakenOver;

use crate::layouts::fixed;
use crate::records::mirrored;

/// What a contact takes over from contacts that have joined into it, or from one of which it is a part. All zeros if it simply continues.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct dem_taken_over {
    /// If `has_joined`: the mean of the springs of sliding of the contacts that have joined, by area. (Those of dem_world_law are means by force.)
    pub joined_mean: [f64; 3],
    /// The moment of these springs about the mean of their places, along the normal: the sum of weight times the cross product arm x spring. A length
    /// squared.
    pub joined_moment: [f64; 3],
    /// The mean square of these arms, each across the normal: a length squared.
    pub joined_square: f64,
    /// If the contact is a part of one that has split: the vector from the mean of the places of all parts to its own place, across the normal.
    pub split_arm: [f64; 3],
    /// The mean square of these arms over all parts; 0 for contacts that have not split.
    pub split_square: f64,
    /// The mean over all parts of the mean square distance of the pressure from the place of each.
    pub split_own: f64,
    /// 1: contacts have joined into it; else 0.
    pub has_joined: u32,
    /// 1: it continues no contact of the last step, though it may have springs of a neighbour; else 0.
    pub begins: u32,
}

fixed!(dem_taken_over {
    joined_mean: [f64; 3],
    joined_moment: [f64; 3],
    joined_square: f64,
    split_arm: [f64; 3],
    split_square: f64,
    split_own: f64,
    has_joined: u32,
    begins: u32,
});
mirrored!(dem_taken_over, TakenOver: joined_mean, joined_moment, joined_square, split_arm, split_square, split_own, has_joined, begins);

impl From<dem_taken_over> for TakenOver {
    fn from(taken: dem_taken_over) -> Self {
        let dem_taken_over {
            joined_mean,
            joined_moment,
            joined_square,
            split_arm,
            split_square,
            split_own,
            has_joined,
            begins,
        } = taken;
        TakenOver { joined_mean, joined_moment, joined_square, split_arm, split_square, split_own, has_joined, begins }
    }
}
