//! Tests that every deliberate defect is found, and nothing else.

use super::*;
use crate::error::{Error, Kind, What};

fn items(found: &[Vec<Finding>; 12], defect: Defect) -> Vec<u32> {
    let place = Defect::ALL.iter().position(|d| *d == defect).unwrap();
    found[place].iter().map(|f| f.item).collect()
}

fn findings(found: &[Vec<Finding>; 12], defect: Defect) -> Vec<Finding> {
    found[Defect::ALL.iter().position(|d| *d == defect).unwrap()].clone()
}

#[test]
fn a_good_mesh_has_no_defect_and_everything_works() {
    for (soup, edges) in [(cuboid([1.0, 2.0, 3.0]), 18), (icosphere(1.0, 2), 480), (torus(2.0, 0.5, 9, 7), 189)] {
        let (report, found, components) = soup.inspected();
        let (triangles, vertices) = (soup.triangles.len() as u64, soup.vertices.len() as u64);
        let expected = Report {
            triangles,
            vertices,
            positions: vertices,
            edges,
            components: 1,
            closed_components: 1,
            self_intersections: NOT_TESTED,
            works: works::DISTANCES | works::INSIDE | works::MASS,
            ..Report::default()
        };
        assert_eq!(report, expected);
        assert!(found.iter().all(|f| f.is_empty()));
        let mass = soup.mass(1.0);
        assert!((components[0].volume - mass.volume).abs() < 1e-14 * mass.volume);
        assert!((components[0].area - mass.area).abs() < 1e-14 * mass.area);
        assert_eq!(components[0].state, Component::CLOSED | Component::ORIENTABLE);
    }
}

#[test]
fn thin_triangles_are_told_apart() {
    let third = 1.0 / 3.0;
    let mut soup = cuboid([1.0; 3]);
    let base = soup.vertices.len() as u32;
    // On a line except for rounding, by 2^-40, by 1e-9; a needle; not a needle; exactly on a line.
    soup.vertices.extend([[0.1, 0.0, 5.0], [0.3, 0.2, 5.3], [0.5, 0.4, 5.6]]);
    soup.vertices.extend([[2.0, 2.0, 2.0], [2.0 + 0.5f64.powi(40), 2.0, 2.0], [2.0, 2.0, 3.0]]);
    soup.vertices.extend([[3.0, 0.0, 0.0], [4.0, 0.0, third * 1e-8], [5.0, 0.0, 0.0]]);
    soup.vertices.extend([[6.0, 0.0, 0.0], [7.0, 0.0, 1e-4], [8.0, 0.0, 0.0]]);
    soup.vertices.extend([[6.0, 9.0, 0.0], [7.0, 9.0, 0.01], [8.0, 9.0, 0.0]]);
    soup.vertices.extend([[1.0, 0.0, 7.0], [2.0, 0.0, 7.0], [4.0, 0.0, 7.0]]);
    soup.triangles.extend((0..6).map(|i| [0, 1, 2].map(|k| base + 3 * i + k)));
    soup.triangles.extend([[0, 0, 1], [2, 3, 2], [4, 4, 4]]);
    let (report, found, _) = soup.inspected();
    assert_eq!(items(&found, Defect::Collinear), [17]);
    assert_eq!(items(&found, Defect::NearlyCollinear), [12, 13, 14]);
    assert_eq!(items(&found, Defect::Needle), [15]);
    assert_eq!(items(&found, Defect::TwoEqual), [18, 19]);
    assert_eq!(items(&found, Defect::Point), [20]);
    let counts = [report.collinear, report.nearly_collinear, report.needles, report.two_equal, report.points];
    assert_eq!(counts, [1, 3, 1, 2, 1]);
}

#[test]
fn an_area_of_exactly_zero_is_told_from_the_smallest_there_is() {
    let next = 2f64.next_up();
    let on_line = Soup { vertices: std::vec![[1.0; 3], [2.0; 3], [4.0; 3]], triangles: std::vec![[0, 1, 2]] };
    let off = Soup { vertices: std::vec![[1.0; 3], [2.0, next, 2.0], [4.0; 3]], triangles: std::vec![[0, 1, 2]] };
    for scale in [1e-200, 1.0, 1e200] {
        let at = |soup: &Soup| soup.map(|p| p.map(|x| x * scale)).inspected().0;
        let (a, b) = (at(&on_line), at(&off));
        assert_eq!((a.collinear, a.nearly_collinear, b.collinear, b.nearly_collinear), (1, 0, 0, 1), "{scale}");
    }
}

#[test]
fn copies_name_the_first_of_their_kind_and_leave_the_topology_alone() {
    let mut soup = icosphere(1.0, 1);
    let (a, b) = (soup.triangles[7], soup.triangles[30]);
    soup.triangles.extend([[a[1], a[2], a[0]], [b[0], b[2], b[1]], a]);
    let (report, found, _) = soup.inspected();
    let at = |item, other| Finding { item, side: NONE, other };
    assert_eq!(findings(&found, Defect::Duplicate), [at(80, 7), at(82, 7)]);
    assert_eq!(findings(&found, Defect::ReversedCopy), [at(81, 30)]);
    assert_eq!((report.open_edges, report.non_manifold_edges, report.closed_components), (0, 0, 1));
    // The copies with the same orientation unbalance three edges, and the reversed copy three more.
    assert_eq!((report.unbalanced_edges, report.works), (6, works::DISTANCES));
}

#[test]
fn open_edges_are_listed_and_loops_counted() {
    let soup = torus(2.0, 0.5, 12, 8).without(&[0, 1, 60, 61, 120]);
    let (report, found, components) = soup.inspected();
    assert_eq!((report.open_edges, report.open_loops), (4 + 4 + 3, 3));
    let open = findings(&found, Defect::OpenEdge);
    assert_eq!(open.len(), 11);
    assert!(open.is_sorted_by_key(|f| (f.item, f.side)) && open.iter().all(|f| f.side < 3 && f.other == NONE));
    assert_eq!((components.len(), components[0].state), (1, Component::ORIENTABLE));
    assert_eq!((report.unbalanced_edges, report.works), (11, works::DISTANCES));
}

#[test]
fn an_edge_of_three_triangles_lists_all_three() {
    let mut soup = cuboid([1.0; 3]);
    soup.vertices.push([0.5, 0.5, 7.0]);
    let [a, b, _] = soup.triangles[4];
    soup.triangles.push([a, b, 8]);
    let (report, found, _) = soup.inspected();
    assert_eq!((report.non_manifold_edges, report.open_edges, report.open_loops), (1, 2, 1));
    let sides = findings(&found, Defect::NonManifoldEdge);
    assert_eq!(sides.len(), 3);
    assert!(
        sides.contains(&Finding { item: 12, side: 0, other: NONE })
            && sides.contains(&Finding { item: 4, side: 0, other: NONE })
    );
    let mut built = soup.built();
    assert!(sides.iter().all(|f| built.mesh().neighbour[f.item as usize][f.side as usize] == NONE));
}

#[test]
fn triangles_that_look_the_wrong_way_are_the_smaller_part() {
    let mut soup = icosphere(1.0, 2);
    let wrong = [3, 50, 51, 200, 319];
    wrong.iter().for_each(|i| soup.triangles[*i as usize].swap(0, 2));
    let (report, found, components) = soup.inspected();
    assert_eq!(items(&found, Defect::ReversedTriangle), wrong);
    assert_eq!((report.components, report.closed_components, report.inward_components), (1, 1, 0));
    assert_eq!(components[0].reversed, 5);
    assert_eq!(items(&found, Defect::InconsistentEdge).len() as u64, 2 * report.inconsistent_edges);
    let mut built = soup.built();
    for Finding { item, side, other } in findings(&found, Defect::InconsistentEdge) {
        assert_eq!(built.mesh().neighbour[item as usize][side as usize], other);
        assert_ne!(wrong.contains(&item), wrong.contains(&other));
    }
    assert_eq!(report.works, works::DISTANCES);
    // If most triangles are reversed, the others count as reversed.
    let (report, found, _) = soup.turned().inspected();
    assert_eq!(items(&found, Defect::ReversedTriangle), wrong);
    assert_eq!(report.inward_components, 1);
}

#[test]
fn a_moebius_strip_cannot_be_oriented_and_a_ring_can() {
    let (report, found, components) = strip(9, true, true).inspected();
    assert_eq!((report.components, report.non_orientable_components, report.open_loops), (1, 1, 1));
    assert_eq!((report.closed_components, components[0].reversed), (0, 0));
    assert!(items(&found, Defect::ReversedTriangle).is_empty() && report.inconsistent_edges > 0);
    let (report, _, _) = strip(9, true, false).inspected();
    assert_eq!((report.non_orientable_components, report.open_loops, report.inconsistent_edges), (0, 2, 0));
}

#[test]
fn components_are_closed_open_or_turned_inside_out() {
    let away = |d: f64| move |p: [f64; 3]| [p[0] + d, p[1], p[2]];
    let soup = cuboid([1.0; 3])
        .and(cuboid([1.0; 3]).turned().map(away(5.0)))
        .and(cuboid([1.0; 3]).without(&[3]).map(away(10.0)));
    let (report, _, components) = soup.inspected();
    assert_eq!((report.components, report.closed_components, report.inward_components), (3, 2, 1));
    let states: Vec<_> = components.iter().map(|c| (c.first, c.triangles, c.state)).collect();
    let (closed, oriented, inward) = (Component::CLOSED, Component::ORIENTABLE, Component::INWARD);
    assert_eq!(states, [(0, 12, closed | oriented), (12, 12, closed | oriented | inward), (24, 11, oriented)]);
    assert!((components[0].volume - 1.0).abs() < 1e-13 && (components[1].volume + 1.0).abs() < 1e-13);
}

#[test]
fn two_boxes_that_share_an_edge_are_both_closed() {
    let soup = cuboid([1.0; 3]).and(cuboid([1.0; 3]).map(|p| [p[0] + 1.0, p[1] + 1.0, p[2]]));
    let (report, found, _) = soup.inspected();
    assert_eq!((report.components, report.closed_components, report.non_manifold_edges), (2, 2, 1));
    assert_eq!(items(&found, Defect::NonManifoldEdge).len(), 4);
    assert_eq!((report.unbalanced_edges, report.works), (0, works::DISTANCES | works::INSIDE | works::MASS));
    assert_eq!((report.vertices, report.positions), (16, 14));
}

#[test]
fn vertices_that_no_triangle_uses_are_listed() {
    let mut soup = cuboid([1.0; 3]);
    soup.vertices.insert(0, [9.0; 3]);
    soup.triangles.iter_mut().flatten().for_each(|v| *v += 1);
    soup.vertices.push([0.0; 3]);
    let (report, found, _) = soup.inspected();
    assert_eq!((report.unused_vertices, items(&found, Defect::UnusedVertex)), (2, std::vec![0, 9]));
    assert_eq!((report.vertices, report.positions), (10, 9));
}

#[test]
fn lists_and_scratch_that_are_too_short_are_refused_with_the_number_needed() {
    let soup = torus(2.0, 0.5, 12, 8).without(&[0]);
    let mut built = soup.built();
    let mesh = built.mesh();
    let need = inspect_scratch(&mesh.sizes).unwrap();
    let mut scratch = Memory::new(need);
    let options = InspectOptions::default();
    let error = inspect(mesh, &options, &mut scratch.bytes()[..need.size - 1]).err().unwrap();
    assert_eq!(error, Error::capacity(What::Scratch, need.size as u64, need.size as u64 - 1));
    let error = inspect(mesh, &InspectOptions { needle: f64::NAN, ..options }, scratch.bytes()).err().unwrap();
    assert_eq!((error.kind, error.what), (Kind::OutOfRange, What::Needle));
    let found = inspect(mesh, &options, scratch.bytes()).unwrap();
    let untouched = Finding { item: 77, side: 77, other: 77 };
    let mut out = [untouched; 4];
    let error = found.list(Defect::OpenEdge, &mut out[..2]).unwrap_err();
    assert_eq!((error, out), (Error::capacity(What::Output, 3, 2), [untouched; 4]));
    assert_eq!(found.list(Defect::OpenEdge, &mut out), Ok(3));
    assert_eq!(out[3], untouched);
    assert_eq!(found.list(Defect::Needle, &mut []), Ok(0));
}

#[test]
fn damage_behind_the_header_gives_wrong_answers_or_errors_but_no_panic() {
    let soup = torus(2.0, 0.5, 9, 7).without(&[5, 6, 40]);
    let mut whole = soup.built();
    let n = whole.mesh().sizes;
    let good = Vec::from(whole.0.bytes());
    let (mut block, mut scratch) = (Memory::new(Mesh::layout(&n).unwrap()), Memory::new(inspect_scratch(&n).unwrap()));
    let mut random = Random(11);
    let mut answers = 0;
    for _ in 0..1000 {
        let bytes = block.bytes();
        bytes.copy_from_slice(&good);
        for _ in 0..1 + random.below(20) {
            let at = 128 + random.below(good.len() as u32 - 128) as usize;
            bytes[at] = if random.below(3) == 0 { 0xFF } else { random.below(256) as u8 };
        }
        let mesh = MeshRef::open(bytes).unwrap();
        for i in 0..mesh.len() + 1 {
            _ = (mesh.triangle(i), mesh.halo(i), mesh.welded(i));
        }
        let found = inspect(mesh, &InspectOptions::default(), scratch.bytes());
        answers += found.map_or(0, |found| Defect::ALL.iter().map(|d| found.findings(*d).count()).sum());
        answers += mass_properties(mesh, 1.0, scratch.bytes()).is_ok() as usize;
        let moved: Vec<_> = soup.vertices.iter().map(|p| p.map(|x| x + 1.0)).collect();
        _ = refit(bytes, Array::from_f64(&moved));
    }
    assert!(answers > 1000);
}
