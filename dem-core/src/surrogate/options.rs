//! Options for building a tree: how triangles are divided, how surrogates are fitted, and what halos cover.

use crate::error::{Error, Kind, Result, What};

/// The effort for building a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[repr(u32)]
pub enum Preset {
    /// Medians, and a short descent to triangles of small volume. Large parts use a sample of their vertices.
    Fast = 1,
    /// A longer descent.
    #[default]
    Default = 2,
    /// A search, followed by a long descent.
    Best = 3,
}

/// How the triangles of a part are divided among its children.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Split {
    /// Medians along the longest principal axis.
    Median = 1,
    /// Flat parts are bisected through a corner of their surrogate, so that they stay triangular; all others are divided by medians.
    Triangle = 2,
    /// Balanced k-means (P0 appendix B).
    KMeans = 3,
}

/// How a surrogate triangle is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Fit {
    /// The smallest of a family of triangles around the part, in its principal plane, with edges moved inwards.
    Enclosing = 1,
    /// A descent, or a search with the best preset, to a small volume of triangle plus halo.
    Volume = 2,
    /// A minimum of the functional P0 (A.1).
    Functional = 3,
}

/// What the halo of a surrogate must cover.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Cover {
    /// The fine triangles below it with their halos: the smallest halo that never loses a contact (P0 Algorithm B.1).
    Fine = 1,
    /// Also the surrogates below it with their halos: halos grow monotonically towards the root (P0 Definition 4.6).
    Monotone = 2,
}

/// Weights and exponents of the functional P0 (A.1). The paper gives no values for them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Functional {
    /// `beta_size`, 2 to 64: exponent of the distances between surrogate corners and triangles.
    pub size_exponent: u32,
    /// `alpha_area`, at least 0: weight of the term that keeps the triangle from vanishing.
    pub area: f64,
    /// `alpha_inside`, at least 0: weight of the term that keeps the surrogate behind the surface. Always 0 at the root, because a closed surface
    /// as a whole has no side.
    pub inside: f64,
    /// `beta_normal`, 1 to 64: exponent of that term.
    pub normal_exponent: u32,
}

impl Functional {
    /// Values that come close to P0 Table 6.1 for nearly round bodies of diameter 1.
    pub const PUBLISHED: Functional = Functional { size_exponent: 2, area: 5.8e-6, inside: 0.0, normal_exponent: 2 };
}

/// How a tree is built.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// The preset from which these options were made; it decides how long the search is.
    pub preset: Preset,
    /// How parts are divided.
    pub split: Split,
    /// How surrogates are fitted.
    pub fit: Fit,
    /// What halos must cover.
    pub cover: Cover,
    /// Children of a node, 2 to 64.
    pub fan_out: u32,
    /// Triangles of a leaf, 1 to 64.
    pub leaf: u32,
    /// Parts with at most this many triangles have an origin of their own.
    pub subtree: u32,
    /// The search minimises volume times halo to the power of half this number, 0 to 8.
    pub exponent: u32,
    /// Seed of k-means.
    pub seed: u64,
    /// Weights of [`Fit::Functional`].
    pub functional: Functional,
}

impl Preset {
    pub(super) fn numbered(number: u32) -> Option<Self> {
        [Preset::Fast, Preset::Default, Preset::Best].into_iter().find(|&x| x as u32 == number)
    }
}

impl Split {
    pub(super) fn numbered(number: u32) -> Option<Self> {
        [Split::Median, Split::Triangle, Split::KMeans].into_iter().find(|&x| x as u32 == number)
    }
}

impl Fit {
    pub(super) fn numbered(number: u32) -> Option<Self> {
        [Fit::Enclosing, Fit::Volume, Fit::Functional].into_iter().find(|&x| x as u32 == number)
    }
}

impl Cover {
    pub(super) fn numbered(number: u32) -> Option<Self> {
        [Cover::Fine, Cover::Monotone].into_iter().find(|&x| x as u32 == number)
    }
}

impl Default for Options {
    fn default() -> Self {
        Options::preset(Preset::Default)
    }
}

impl Options {
    /// The options of a preset.
    pub const fn preset(preset: Preset) -> Self {
        Options {
            preset,
            // Loose triangles make bad corners: with a short descent, medians divide better.
            split: match preset {
                Preset::Fast => Split::Median,
                _ => Split::Triangle,
            },
            fit: Fit::Volume,
            cover: Cover::Fine,
            fan_out: 4,
            leaf: 4,
            subtree: 512,
            exponent: 1,
            seed: 1,
            functional: Functional::PUBLISHED,
        }
    }

    /// The options of the trees in P0: fan-out and leaf sets of 8, k-means, (A.1).
    pub const fn published() -> Self {
        Options { split: Split::KMeans, fit: Fit::Functional, fan_out: 8, leaf: 8, ..Options::preset(Preset::Default) }
    }

    /// Errors: [`Kind::OutOfRange`] with the component, in the order of the fields.
    pub fn check(&self) -> Result<()> {
        let Functional { size_exponent, area, inside, normal_exponent } = self.functional;
        let right = [
            (4, (2..=64).contains(&self.fan_out)),
            (5, (1..=64).contains(&self.leaf)),
            (7, self.exponent <= 8),
            (9, (2..=64).contains(&size_exponent) && (1..=64).contains(&normal_exponent)),
            (9, area >= 0.0 && area.is_finite() && inside >= 0.0 && inside.is_finite()),
        ];
        match right.into_iter().find(|(_, holds)| !holds) {
            Some((component, _)) => Err(Error::new(Kind::OutOfRange, What::Options).at(0, component)),
            None => Ok(()),
        }
    }
}
