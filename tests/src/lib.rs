//! Code that tests share: data, random numbers, scenes, and slow references that do not use the library's code.
//!
//! | module | what is in it |
//! | --- | --- |
//! | [`data`] | the files of `tests/data` |
//! | [`random`] | splitmix64, directions, rotations |
//! | [`vector`] | the few operations on `[f64; 3]` that the references need |
//! | [`distance`] | slow f64 reference of the distance of two triangles |
//! | [`exact`] | distance of two triangles in integer arithmetic: exact decisions on touching and on thresholds |
//! | [`pairs`] | triangle pairs `far` and `near`, for kernels and benchmarks |
//! | [`adversarial`] | triangle pairs that are hard for kernels |
//! | [`boxes`] | slow reference of queries over two meshes: all pairs within a threshold, least distance |
//! | [`scene`] | posed meshes: the rock scenes, poses at a given distance |
//! | [`tree`] | building, dumping and checking surrogate trees |
//! | [`contact`] | bodies with cells, their contacts, and sums of contact forces |
//! | [`deep`] | bodies that penetrate each other |
//! | [`motion`] | a body that moves on a wall, with friction springs that follow their contacts |
//! | [`shapes`] | spheres, half-spaces, meshes and compounds in the world, and all their contacts |
//! | [`small`] | scenes of few bodies, whose steps should be cheap |
//! | [`bodies`] | scenes of many spheres, and a slow reference of a broad phase |
//! | [`huge`] | AABBs of huge bodies, and a slow reference of pairs with spheres |
//! | [`crowd`] | many bodies of all shapes, and their contacts by brute force |
//! | [`kept`] | scenes that keep a neighbour list, compared with one that rebuilds it in every step |
//! | [`convex`] | the intersection of two convex bodies, and the part of a mesh below a plane |
//! | [`live`] | a live grid with its memory |
//! | [`walls`] | flat walls in few and many triangles, with needles and T-junctions |
//! | [`worlds`] | a world with its memory |
//! | [`query`] | the library's queries over two meshes, in the form of [`boxes`] |
//! | [`hash`] | hashes of results |

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
pub mod worlds;

/// The number of cases that a test tries: `all` if the environment has `DEM_CASES=all`, which takes long, else `few`.
pub fn cases<T>(few: T, all: T) -> T {
    if std::env::var_os("DEM_CASES").is_some_and(|v| v == "all") { all } else { few }
}

/// Three vertices.
pub type Triangle = [[f64; 3]; 3];
