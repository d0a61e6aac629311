//! Sizes of scratch for one shape and some numbers: a host that keeps memory of a certain size can go on doing so.

use dem_core::array::{Array, Indices, Scalar};
use dem_core::broad;
use dem_core::contact::shape::{Placed, Shape, Surface, shape_corners_scratch, shape_scratch};
use dem_core::contact::{
    self, CellOptions, Cells, Room, Side, cell_sizes, contacts_scratch, corners_scratch, history::match_scratch,
    pair_contacts_scratch, refit_cells_scratch,
};
use dem_core::mesh::{self, Halo, Mesh, MeshInput};
use dem_core::narrow::{self, Operand};
use dem_core::pose::Pose;
use dem_core::published;
use dem_core::simd::Isa;
use dem_core::surrogate::{self, Options, Tree, TreeSizes};

#[repr(C, align(64))]
struct Memory([u8; 1 << 16]);

#[test]
fn scratch_is_no_larger_than_it_was() {
    let corners: [[f64; 3]; 8] = core::array::from_fn(|i| [0, 1, 2].map(|c| (i >> c & 1) as f64));
    #[rustfmt::skip]
    let triangles = [
        [0, 4, 6], [0, 6, 2],  [1, 3, 7], [1, 7, 5],  [0, 1, 5], [0, 5, 4],
        [2, 6, 7], [2, 7, 3],  [0, 2, 3], [0, 3, 1],  [4, 5, 7], [4, 7, 6],
    ];
    let input = MeshInput {
        vertices: Array::from_f64(&corners),
        triangles: Some(Indices::from_slice(&triangles)),
        scalar: Scalar::F64,
        halo: Halo::Uniform(0.03),
    };
    let mut memory = [const { Memory([0; 1 << 16]) }; 4];
    let [block, tree, cells, scratch] = memory.each_mut().map(|memory| &mut memory.0);
    let mesh = Mesh::from_arrays(block, &input, scratch).unwrap();
    let options = Options::default();
    let tree = Tree::from_mesh(tree, &mesh, &options, scratch, Isa::SCALAR).unwrap();
    assert_eq!(tree.sizes, TreeSizes::new(12, &options).unwrap());
    let sizes = cell_sizes(&mesh, &CellOptions::default(), scratch).unwrap();
    let cells = Cells::from_mesh(cells, &sizes, &mesh, &CellOptions::default(), scratch).unwrap();
    let operand = Operand { mesh, tree, pose: &Pose::IDENTITY, scale: 1.0 };
    let side = Side { operand, cells, solid: true };
    let surface = Surface { mesh, tree, cells, solid: true };
    let placed = |shape| Placed { shape, pose: &Pose::IDENTITY, scale: 1.0 };
    let body = placed(Shape::Mesh(&surface));
    let [ball, floor] = [Shape::Sphere { radius: 1.0, halo: 0.1 }, Shape::HalfSpace { halo: 0.1 }].map(placed);
    let room = Room { pairs: 700, terms: 1200, segments: 150 };
    let layouts = [
        ("mesh", mesh::build_scratch(&mesh.sizes), 576),
        ("inspect", mesh::inspect_scratch(&mesh.sizes), 1280),
        ("mass", mesh::mass_scratch(&mesh.sizes), 640),
        ("tree", surrogate::build_scratch(&mesh.sizes, &options), 28096),
        ("cells", contact::build_scratch(&mesh.sizes), 2176),
        ("refit", refit_cells_scratch(&mesh.sizes), 2240),
        ("pairs", narrow::pairs_scratch(&operand, &operand, 700), 26944),
        ("distance", narrow::distance_scratch(&operand, &operand), 15488),
        ("points", narrow::points_scratch(&operand), 704),
        ("many points", narrow::many_points_scratch(&operand), 132224),
        ("crossings", narrow::self_intersections_scratch(&tree), 11328),
        ("contacts", contacts_scratch(&side, &side, room, 1), 665280),
        ("contacts on 3 lanes", contacts_scratch(&side, &side, room, 3), 1349952),
        ("surfaces", contacts_scratch(&side, &side, Room { segments: 0, ..room }, 1), 474240),
        ("corners", corners_scratch(&operand, &operand, 700), 489280),
        ("shapes", shape_scratch(&body, &body, room, 2), 1389568),
        ("a body and a ball", shape_scratch(&body, &ball, room, 2), 348032),
        ("a body and a floor", shape_scratch(&body, &floor, room, 2), 474112),
        ("corners of shapes", shape_corners_scratch(&body, &floor, 700), 431680),
        ("history", match_scratch(100, 70, 0), 13440),
        ("pair contacts", pair_contacts_scratch(100), 28800),
        ("sizes", broad::levels::optimal_scratch(8), 321600),
        ("choice", broad::levels::choose_scratch(8), 616512),
        ("grid", broad::hgrid_scratch(5000), 141056),
        ("live grid", broad::live_grid_scratch(5000, 300), 163904),
        ("space tree", published::spacetree::spacetree_scratch(5000, 300), 1284800),
        ("boxes", broad::box_tree_scratch(500, 5000), 10048),
        ("skin", broad::skin_scratch(50_000, 100_000), 768),
        ("sweeps", broad::swept_scratch(100_000), 832),
    ];
    let grown: Vec<_> = layouts
        .into_iter()
        .map(|(name, layout, was)| (name, layout.unwrap().size, was))
        .filter(|(_, size, was)| *size == 0 || size > was)
        .collect();
    assert_eq!(grown, [], "name, size now, size before");
}
