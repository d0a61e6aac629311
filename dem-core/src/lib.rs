//! Contact detection and rigid-body stepping for bodies of any shape, without a heap and without an operating system.
//!
//! | module | what is in it |
//! | --- | --- |
//! | [`error`] | errors, and what the caller does about each |
//! | [`memory`] | blocks and scratch in the caller's memory: plan (how many bytes), carve (cut into slices), verify, grow |
//! | [`exec`] | `Executor`, `Serial`, and dividing data into chunks for threads of the caller |
//! | [`real`] | `Real` (f32, f64) over libm |
//! | [`mod@array`] | views of a host's arrays, read in place by strides |
//! | [`pose`] | position and orientation of a rigid body |
//! | [`simd`] | lanes, kernels as types, back ends, dispatch |
//! | [`triangle`] | distance kernels of triangle pairs, segments and points |
//! | [`mesh`] | triangle soups, inspection, mass properties |
//! | [`surrogate`] | bounding volume hierarchies whose nodes are triangles with a halo |
//! | [`broad`] | broad phase: which pairs of many bodies may be in contact |
//! | [`narrow`] | narrow phase of two meshes: triangle pairs, distances, closest points |
//! | [`contact`] | contacts of two bodies that forces can act on |
//! | [`detect`] | a whole scene, step by step: bodies in, contacts out |
//! | [`body`] | rigid bodies: mass, pose, velocity, and how they move in a time step |
//! | [`force`] | force laws: elastic forces, damping, friction, torsion, rolling resistance, cohesion |
//! | [`world`] | bodies that move: contacts, forces and motion, step by step |
//! | [`rays`] | where rays meet meshes, shapes and bodies |
//! | [`published`] | methods from the literature that the other modules do not use |
//!
//! The caller may use any consistent set of units. Angles are in radians, quaternions are `x y z w`.
//!
//! Feature `arch`, on by default: square roots use a processor instruction where there is one. Without the feature they are computed in software,
//! which is slower and gives the same bits. Switch it off only where inline assembly cannot run, as under Miri. Instruction sets (AVX2, AVX-512 and
//! others) are not features: the program chooses one at run time ([`simd::Isa`]).
#![no_std]

#[forbid(unsafe_code)]
pub mod array;
#[forbid(unsafe_code)]
pub mod body;
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
#[forbid(unsafe_code)]
pub mod force;
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
pub mod rays;
#[forbid(unsafe_code)]
pub mod real;
pub mod simd;
#[forbid(unsafe_code)]
pub mod surrogate;
#[forbid(unsafe_code)]
pub mod triangle;
#[forbid(unsafe_code)]
pub(crate) mod vector;
#[forbid(unsafe_code)]
pub mod world;
