//! What the tests share: data, random numbers, scenes, and slow references that know nothing of the library's code.
//!
//! | room | what is in it |
//! | --- | --- |
//! | [`data`] | the files of `tests/data` |
//! | [`random`] | splitmix64, directions, rotations |
//! | [`vector`] | the few operations on `[f64; 3]` that the references need |
//! | [`distance`] | slow f64 reference of the distance of two triangles |
//! | [`exact`] | the same in integer arithmetic: touch and comparison with a threshold decided exactly |
//! | [`pairs`] | triangle pairs `far` and `near`, for kernels and benchmarks |
//! | [`adversarial`] | triangle pairs that break kernels |
//! | [`boxes`] | slow reference of queries over two meshes: all pairs within a threshold, least distance |
//! | [`scene`] | posed meshes: the rock scenes, poses at a given distance |
//! | [`tree`] | surrogate trees: built, dumped, checked |
//! | [`contact`] | bodies with cells, their contacts, and what forces these add up to |
//! | [`deep`] | bodies in each other |
//! | [`motion`] | a body that moves on a wall, with friction that follows its contacts |
//! | [`shapes`] | spheres, half-spaces, meshes and compounds in the world, and all their contacts |
//! | [`small`] | scenes of few bodies, whose steps should cost next to nothing |
//! | [`bodies`] | scenes of many spheres, and which of them reach each other |
//! | [`huge`] | boxes around huge bodies, and which spheres reach them |
//! | [`crowd`] | many bodies of all sorts, and their contacts by brute force |
//! | [`kept`] | scenes that keep their lists, beside one that does not |
//! | [`convex`] | what two convex bodies have in common, and what is below a plane |
//! | [`live`] | a grid that takes changes |
//! | [`walls`] | flat walls in few and many triangles, with needles and T-junctions |
//! | [`query`] | the library's answer to the same questions |
//! | [`hash`] | one number for an answer |

pub mod adversarial;
pub mod bad;
pub mod bodies;
pub mod boxes;
pub mod contact;
pub mod convex;
pub mod crowd;
pub mod data;
pub mod deep;
pub mod distance;
pub mod exact;
pub mod hash;
pub mod huge;
pub mod kept;
pub mod live;
pub mod motion;
pub mod pairs;
pub mod query;
pub mod random;
pub mod scene;
pub mod shapes;
pub mod small;
pub mod tree;
pub mod vector;
pub mod walls;

/// Three vertices.
pub type Triangle = [[f64; 3]; 3];
