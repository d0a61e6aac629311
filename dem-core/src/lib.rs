//! Contact detection and rigid-body stepping for bodies of any shape, without a heap and without an operating system.
//!
//! | room | what is in it |
//! | --- | --- |
//! | [`error`] | what can go wrong, and what the caller does about it |
//! | [`memory`] | sections, plan and carve, verify, grow: everything lives in blocks that the caller hands over |
//! | [`exec`] | `Executor`, `Serial`, cutting data into pieces for threads that the caller owns |
//! | [`real`] | `Real` (f32, f64) over libm |
//! | [`mod@array`] | a host's own arrays, read in place by strides |
//! | [`pose`] | position and orientation of a rigid body |
//! | [`simd`] | lanes, kernels as types, back ends, dispatch |
//! | [`triangle`] | distance kernels of triangle pairs, segments and points |
//! | [`mesh`] | triangle soups, inspection, mass properties |
//! | [`surrogate`] | trees of triangles with halos that stand for sets of triangles |
//! | [`broad`] | many bodies: which pairs may be in contact |
//! | [`narrow`] | two meshes under a relative pose: pairs, distances, closest points |
//! | [`contact`] | cells of a mesh, and two meshes under a relative pose: contacts that forces can act on |
//! | [`detect`] | a scene in every time step: all bodies in, all contacts out |
//! | [`published`] | published methods that the rooms above do without |
//!
//! Units: there are none. Any consistent set will do. Angles are in radians, quaternions are `x y z w`.
#![no_std]

#[forbid(unsafe_code)]
pub mod array;
#[forbid(unsafe_code)]
pub mod broad;
#[forbid(unsafe_code)]
pub mod contact;
#[forbid(unsafe_code)]
pub mod detect;
#[forbid(unsafe_code)]
pub mod error;
#[forbid(unsafe_code)]
pub mod exec;
pub mod memory;
#[forbid(unsafe_code)]
pub mod mesh;
#[forbid(unsafe_code)]
pub mod narrow;
#[forbid(unsafe_code)]
pub mod pose;
#[forbid(unsafe_code)]
pub mod published;
#[forbid(unsafe_code)]
pub mod real;
pub mod simd;
#[forbid(unsafe_code)]
pub mod surrogate;
#[forbid(unsafe_code)]
pub mod triangle;
#[forbid(unsafe_code)]
pub(crate) mod vector;
