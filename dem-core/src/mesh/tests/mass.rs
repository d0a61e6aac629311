//! Tests of volume, centre and inertia against closed forms and reference values.

use super::*;
use crate::error::{Kind, What};
use crate::pose::Pose;

fn close(a: f64, b: f64, tolerance: f64) {
    assert!((a - b).abs() <= tolerance * b.abs().max(1e-3), "{a} is not {b} within {tolerance}");
}

fn close_all(a: &[f64], b: &[f64], tolerance: f64) {
    a.iter().zip(b).for_each(|(a, b)| close(*a, *b, tolerance));
}

#[test]
fn a_box_has_its_volume_centre_and_inertia() {
    let p = cuboid([2.0, 1.0, 0.5]).mass(3.0);
    close_all(&[p.mass, p.volume, p.area], &[3.0, 1.0, 7.0], 1e-15);
    close_all(&p.centre, &[1.0, 0.5, 0.25], 1e-15);
    // m/12 (b^2 + c^2), and so on.
    let moments = [0.3125, 1.0625, 1.25];
    close_all(&p.moments, &moments, 1e-15);
    let [a, b, c] = moments;
    close_all(&p.inertia.concat(), &[a, 0.0, 0.0, 0.0, b, 0.0, 0.0, 0.0, c], 1e-15);
    assert_eq!(p.axes, [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]);
    assert_eq!((p.state, p.holes, p.volume_error, p.centre_error, p.inertia_error), (0, 0, 0.0, 0.0, 0.0));
}

#[test]
fn the_corner_tetrahedron_has_one_over_eighty_and_one_over_480() {
    let soup = Soup {
        vertices: std::vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        triangles: std::vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]],
    };
    let p = soup.mass(1.0);
    close(p.volume, 1.0 / 6.0, 1e-15);
    close_all(&p.centre, &[0.25; 3], 1e-15);
    let (a, b) = (1.0 / 80.0, 1.0 / 480.0);
    close_all(&p.inertia.concat(), &[a, b, b, b, a, b, b, b, a], 1e-13);
    // Eigenvalues of a I + b (J - I): a - b twice and a + 2 b along the diagonal.
    close_all(&p.moments, &[1.0 / 96.0, 1.0 / 96.0, 1.0 / 60.0], 1e-13);
    let third = 3f64.sqrt() / 3.0;
    assert!(p.axes[2].iter().all(|x| (x.abs() - third).abs() < 1e-14));
}

#[test]
fn icospheres_have_the_volumes_of_the_reference_and_converge_by_a_factor_of_four() {
    // Volume and moment of inertia, radius 0.5, from an independent program.
    let reference = [
        (0.31701883876505116, 0.02293969867451957),
        (0.4573390260640203, 0.04182270750295033),
        (0.5058805849973571, 0.04944279586961948),
        (0.5190926021366297, 0.0516111696298191),
        (0.5224673684993406, 0.05217145595683898),
    ];
    let sphere = (std::f64::consts::PI / 6.0, std::f64::consts::PI / 60.0);
    let mut errors = Vec::new();
    for (level, (volume, moment)) in reference.into_iter().enumerate() {
        let p = icosphere(0.5, level as u32).mass(1.0);
        close(p.volume, volume, 1e-13);
        close_all(&p.moments, &[moment; 3], 1e-13);
        close_all(&p.centre, &[0.0; 3], 1e-13);
        errors.push([sphere.0 - p.volume, sphere.1 - p.moments[0]]);
    }
    for (coarse, fine) in errors[3].into_iter().zip(errors[4]) {
        let rate = coarse / fine;
        assert!((3.9..4.05).contains(&rate), "{rate}");
    }
}

#[test]
fn a_stretched_icosphere_has_its_long_axis_first() {
    let p = icosphere(0.5, 2).map(|[x, y, z]| [2.6 * x, y, z]).mass(1.0);
    close(p.volume, 1.315289520993122, 1e-14);
    close_all(&p.moments, &[0.12855126926101063, 0.49877892473272073, 0.4987789247327207], 1e-13);
    close_all(&p.axes[0], &[1.0, 0.0, 0.0], 1e-13);
}

#[test]
fn a_body_with_its_part_pose_lies_along_its_principal_axes_about_the_origin() {
    for orientation in [[0.3, -0.5, 0.2, 0.7], [0.9, 0.1, -0.2, 0.05], [0.0, 0.8, 0.6, -0.1], [0.1, 0.1, 1.0, 0.0]] {
        let turn = Pose { position: [3.0, -2.0, 1.0], orientation }.transform(What::Pose).unwrap();
        let askew = icosphere(0.5, 2).map(|[x, y, z]| turn.apply([2.6 * x, 1.7 * y, z]));
        let part = askew.mass(1.0).part_pose().transform(What::Pose).unwrap();
        let p = askew.map(|v| part.apply(v)).mass(1.0);
        close_all(&p.centre, &[0.0; 3], 1e-11);
        for (k, row) in p.inertia.iter().enumerate() {
            let expected: [f64; 3] = core::array::from_fn(|i| if i == k { p.moments[k] } else { 0.0 });
            close_all(row, &expected, 1e-11);
        }
    }
}

#[test]
fn a_torus_converges_to_its_closed_form() {
    let (large, small) = (2.0, 0.5);
    let p = torus(large, small, 400, 200).mass(1.0);
    let volume = 2.0 * std::f64::consts::PI * std::f64::consts::PI * large * small * small;
    close(p.volume, volume, 3e-4);
    close(p.area, volume * 2.0 / small, 3e-4);
    let across = volume * (5.0 / 8.0 * small * small + 0.5 * large * large);
    let about = volume * (0.75 * small * small + large * large);
    close_all(&p.moments, &[across, across, about], 5e-4);
    close_all(&p.axes[2].map(f64::abs), &[0.0, 0.0, 1.0], 1e-12);
}

#[test]
fn being_far_from_the_origin_costs_nothing() {
    let near = icosphere(0.5, 3).map(|p| p.map(|x| (x * 1_048_576.0).floor() / 1_048_576.0));
    let (p, q) = (near.mass(1.0), near.map(|[x, y, z]| [x + 1e6, y - 1e6, z + 3e6]).mass(1.0));
    // The coordinates are exact in both places, so all results are, except for the last bits of the centre.
    close(p.volume, q.volume, 1e-15);
    close_all(&p.moments, &q.moments, 1e-14);
    close_all(&q.centre, &[1e6 + p.centre[0], p.centre[1] - 1e6, 3e6 + p.centre[2]], 1e-15);
}

#[test]
fn sizes_from_the_smallest_to_the_largest_scale_exactly() {
    let p = cuboid([1.0, 2.0, 3.0]).mass(1.0);
    for exponent in [-190, -100, 100, 190] {
        let scale = 2f64.powi(exponent);
        let q = cuboid([1.0, 2.0, 3.0].map(|x| x * scale)).mass(1.0);
        assert_eq!(q.volume, p.volume * scale * scale * scale);
        assert_eq!(q.moments, p.moments.map(|m| m * scale * scale * scale * scale * scale));
    }
    for scale in [1e250, 1e-250] {
        let soup = cuboid([scale; 3]);
        let mut built = soup.built();
        let mesh = built.mesh();
        let mut scratch = Memory::new(mass_scratch(&mesh.sizes).unwrap());
        let error = mass_properties(mesh, 1.0, scratch.bytes()).unwrap_err();
        assert_eq!((error.kind, error.what), (Kind::OutOfRange, What::Mesh));
    }
}

#[test]
fn a_mesh_that_looks_inward_is_turned_and_says_so() {
    let (p, q) = (icosphere(1.0, 1).mass(1.0), icosphere(1.0, 1).turned().mass(1.0));
    assert_eq!((p.state, q.state), (0, MassProperties::INWARD));
    close(q.volume, p.volume, 1e-15);
    close_all(&q.moments, &p.moments, 1e-14);
    let hollow = cuboid([3.0; 3]).and(cuboid([1.0; 3]).map(|p| p.map(|x| x + 1.0)).turned()).mass(1.0);
    close(hollow.volume, 26.0, 1e-15);
    close_all(&hollow.moments, &[(243.0 - 1.0) / 6.0; 3], 1e-14);
}

#[test]
fn a_sheet_and_a_point_have_no_volume_and_say_so() {
    let sheet = Soup {
        vertices: std::vec![[0.0, 0.0, 1.0], [2.0, 0.0, 1.0], [2.0, 2.0, 1.0], [0.0, 2.0, 1.0]],
        triangles: std::vec![[0, 1, 2], [0, 2, 3]],
    };
    let p = sheet.mass(1.0);
    assert_eq!((p.state, p.volume, p.mass, p.inertia), (MassProperties::FLAT, 0.0, 0.0, [[0.0; 3]; 3]));
    assert_eq!((p.area, p.centre, p.holes), (4.0, [1.0, 1.0, 1.0], 1));
    assert!(p.volume_error > 1.0 && p.centre_error > 0.0);
    let point = Soup { vertices: std::vec![[5.0; 3]], triangles: std::vec![[0, 0, 0]] }.mass(1.0);
    assert_eq!((point.state, point.centre, point.area), (MassProperties::FLAT, [5.0; 3], 0.0));
}

#[test]
fn holes_are_closed_by_fans_and_the_error_covers_what_was_there() {
    let size = [2.0, 3.0, 4.0];
    let whole = cuboid(size).mass(1.0);
    // A missing face is flat, so the fan closes it exactly; a missing corner of the sphere is not.
    let lidless = cuboid(size).without(&[2, 3]).mass(1.0);
    close(lidless.volume, whole.volume, 1e-15);
    close_all(&lidless.moments, &whole.moments, 1e-14);
    assert_eq!(lidless.holes, 1);
    assert!(lidless.volume_error > 0.0);
    let tube = cuboid(size).without(&[0, 1, 2, 3]).mass(1.0);
    close(tube.volume, whole.volume, 1e-15);
    assert_eq!(tube.holes, 2);

    let sphere = icosphere(1.0, 3);
    let whole = sphere.mass(2.0);
    let top: Vec<usize> = (0..sphere.triangles.len())
        .filter(|i| sphere.triangles[*i].iter().all(|v| sphere.vertices[*v as usize][2] > 0.6))
        .collect();
    let open = sphere.clone().without(&top).mass(2.0);
    let error = (open.volume - whole.volume).abs();
    assert!(error > 1e-3 && error <= open.volume_error, "{error} {}", open.volume_error);
    assert!((open.centre[2] - whole.centre[2]).abs() <= open.centre_error);
    for i in 0..3 {
        assert!((open.inertia[i][i] - whole.inertia[i][i]).abs() <= open.inertia_error);
    }
}

#[test]
fn duplicates_and_triangles_that_look_the_wrong_way_cost_nothing() {
    let sphere = icosphere(1.0, 2);
    let whole = sphere.mass(1.0);
    let mut broken = sphere.clone();
    broken.triangles[40].swap(0, 1);
    broken.triangles.push(sphere.triangles[200]);
    let [a, b, c] = sphere.triangles[111];
    broken.triangles.push([a, c, b]);
    broken.triangles.push([a, a, b]);
    let p = broken.mass(1.0);
    close(p.volume, whole.volume, 1e-13);
    close_all(&p.moments, &whole.moments, 1e-13);
    assert_eq!(p.holes, 3);
    assert!(p.volume_error > 0.0 && p.volume_error < 0.01 * p.volume);
}

#[test]
fn a_density_is_positive() {
    let soup = cuboid([1.0; 3]);
    let mut built = soup.built();
    let mesh = built.mesh();
    let need = mass_scratch(&mesh.sizes).unwrap();
    let mut scratch = Memory::new(need);
    for (density, kind) in [(0.0, Kind::OutOfRange), (-1.0, Kind::OutOfRange), (f64::NAN, Kind::NotFinite)] {
        let error = mass_properties(mesh, density, scratch.bytes()).unwrap_err();
        assert_eq!((error.kind, error.what), (kind, What::Density));
    }
    let error = mass_properties(mesh, 1.0, &mut scratch.bytes()[..need.size - 1]).unwrap_err();
    assert_eq!((error.kind, error.needed), (Kind::Capacity, need.size as u64));
}
