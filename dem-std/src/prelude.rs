//! The names that most programs need, in one line: `use dem_std::prelude::*;`.
//!
//! | for | names |
//! | --- | --- |
//! | meshes | [`Triangles`], [`files`], [`generate`] |
//! | shapes | [`OwnedShape`] (a mesh with its tree: [`Halo`], [`TreeOptions`]), [`OwnedCells`] ([`CellOptions`]), [`Surface`], [`Shape`], [`Part`] of a compound |
//! | poses and mass | [`Pose`], [`mass_properties`] with [`mass_scratch`], [`Body`] |
//! | a scene: contacts of many bodies | [`OwnedScene`], [`Bodies`], their [`Motion`] |
//! | a world: bodies that move | [`OwnedWorld`], [`Setup`], [`BodyDef`], [`Handle`], [`Records`], [`Laws`], [`Interaction`], [`Normal`], [`Damping`]; a law of the program's own: [`ContactInput`], [`ContactResponse`] |
//! | rays | [`Ray`], [`Hit`], [`cast_bodies`] with [`cast_bodies_scratch`]; [`OwnedScene::cast`] and [`OwnedWorld::cast`] need no scratch |
//! | contacts of two bodies | [`ContactFinder`] |
//! | records of contacts, and their corners | [`Contact`], [`Corner`], [`CornerLimits`] |
//! | arrays of the program, read in place | [`Array`], [`Words`] |
//! | memory and threads | [`Memory`], [`Threads`] |
//! | errors | [`Error`], its [`Kind`], and the argument that it is about ([`What`]) |
//!
//! [`TreeOptions`] is `dem_core::surrogate::Options` under a longer name. Type aliases such as `Result` are left out, because they would hide those
//! of Rust. [`crate::dem_core`] has everything else.

#[cfg(feature = "rayon")]
pub use crate::Threads;
pub use crate::{ContactFinder, Memory, OwnedCells, OwnedScene, OwnedShape, OwnedWorld, Triangles, files, generate};
pub use dem_core::array::{Array, Words};
pub use dem_core::body::Body;
pub use dem_core::broad::Motion;
pub use dem_core::contact::shape::{Part, Shape, Surface};
pub use dem_core::contact::{CellOptions, Contact, Corner, CornerLimits};
pub use dem_core::detect::Bodies;
pub use dem_core::detect::laws::{ContactInput, ContactResponse};
pub use dem_core::error::{Error, Kind, What};
pub use dem_core::force::{Damping, Interaction, Laws, Normal};
pub use dem_core::mesh::{Halo, mass_properties, mass_scratch};
pub use dem_core::pose::Pose;
pub use dem_core::rays::{Hit, Ray, cast_bodies, cast_bodies_scratch};
pub use dem_core::surrogate::Options as TreeOptions;
pub use dem_core::world::{BodyDef, Handle, Records, Setup};
