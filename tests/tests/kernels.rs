//! The exact pair kernel against given distances, against integer arithmetic on hard pairs, and against itself on every
//! instruction set.

use dem_core::simd::Isa;
use dem_core::triangle::{Accuracy, ClosestPoints, Collect, Soup, Zip, closest_points, closest_points_one};
use dem_tests::vector::{largest, length, sub, weighted};
use dem_tests::{Triangle, adversarial, data, exact, pairs};

/// Largest error of a distance, relative to the largest coordinate.
fn tolerance<T: Accuracy>() -> f64 {
    if T::UNIT_ROUNDOFF.to_f64() < 1e-12 { 1e-12 } else { 1e-6 }
}

/// As the kernel sees it.
fn in_precision<T: Accuracy>(t: &Triangle) -> Triangle {
    t.map(|v| v.map(|x| T::from_f64(x).to_f64()))
}

fn run<T: Accuracy>(isa: Isa, made: &[[Triangle; 2]]) -> Vec<ClosestPoints<T>> {
    let rows = |side: usize| -> Vec<T> {
        pairs::rows(made.iter().map(|p| p[side]), made.len()).into_iter().map(T::from_f64).collect()
    };
    let (a, b) = (rows(0), rows(1));
    let soup = |rows| Soup::new(rows, made.len(), made.len(), dem_core::error::What::Pairs).unwrap();
    let nothing = closest_points_one([[T::default(); 3]; 3], [[T::default(); 3]; 3]).unwrap();
    let mut out = vec![nothing; made.len()];
    closest_points(isa, &Zip(soup(&a), soup(&b)), &mut Collect(&mut out)).unwrap();
    out
}

/// Every number of a result, as bits.
fn bits<T: Accuracy>(r: &ClosestPoints<T>) -> Vec<u64> {
    let numbers = [r.point_a, r.point_b, r.weights_a, r.weights_b];
    let numbers = numbers.as_flattened().iter().chain([&r.distance]);
    numbers.map(|x| x.to_f64().to_bits()).chain([r.feature_a as u64, r.feature_b as u64]).collect()
}

/// Errors of a result relative to the largest coordinate: of the distance, of the distance of the points, of the points from
/// their triangles, of the points from their weights. Touching is decided exactly.
fn errors<T: Accuracy>(context: &str, pair: &[Triangle; 2], result: &ClosestPoints<T>) -> [f64; 4] {
    let [a, b] = pair.each_ref().map(in_precision::<T>);
    let truth = exact::triangle_triangle(&a, &b);
    let distance = result.distance.to_f64();
    assert_eq!(distance == 0.0, truth.touches(), "{context}: {distance:e} for {:e}\n{a:?}\n{b:?}", truth.distance());
    let points = [result.point_a, result.point_b].map(|p| p.map(|x| x.to_f64()));
    let between = length(sub(points[0], points[1]));
    let (mut beside, mut weights): (f64, f64) = (0.0, 0.0);
    for (triangle, point, weight) in [(a, points[0], result.weights_a), (b, points[1], result.weights_b)] {
        beside = beside.max(exact::triangle_triangle(&[point; 3], &triangle).distance());
        weights = weights.max(length(sub(weighted(&triangle, weight.map(|w| w.to_f64())), point)));
    }
    [(distance - truth.distance()).abs(), (between - distance).abs(), beside, weights].map(|e| e / largest(&a, &b))
}

/// Says where an error is too large, with the worst of each sort.
fn judge<T: Accuracy>(context: &str, made: &[[Triangle; 2]]) -> Vec<String> {
    let mut worst = [(0.0, 0); 4];
    for (i, (pair, result)) in made.iter().zip(run::<T>(Isa::best(), made)).enumerate() {
        for (w, e) in worst.iter_mut().zip(errors(&format!("{context} {i}"), pair, &result)) {
            *w = if e > w.0 { (e, i) } else { *w };
        }
    }
    println!(
        "{context}: distance {:.1e}, between {:.1e}, beside {:.1e}, weights {:.1e}",
        worst[0].0, worst[1].0, worst[2].0, worst[3].0
    );
    let large = worst.into_iter().filter(|w| w.0 > tolerance::<T>());
    large.map(|(e, i)| format!("{context} {i}: {e:e}\n{:?}", made[i])).collect()
}

fn given<T: Accuracy>() {
    let reference = data::reference_pairs();
    let made: Vec<_> = reference.iter().map(|p| [p.0, p.1]).collect();
    assert_eq!(judge::<T>("given", &made), [""; 0]);
    let results = run::<T>(Isa::best(), &made);
    for (i, ((a, b, distance), result)) in reference.iter().zip(&results).enumerate() {
        let found = result.distance.to_f64();
        assert_eq!(found == 0.0, *distance == 0.0, "pair {i}: {found}, not {distance}");
        assert!((found - distance).abs() <= tolerance::<T>() * largest(a, b), "pair {i}: {found}, not {distance}");
    }
}

#[test]
fn given_distances_in_f64() {
    given::<f64>();
}

#[test]
fn given_distances_in_f32() {
    given::<f32>();
}

/// Kinds with caps and needles among them.
const THIN: [&str; 3] = ["cap", "needle", "far from the origin"];

fn hard<T: Accuracy>(kinds: impl Iterator<Item = &'static str>, count: usize, sizes: &[f64]) {
    let mut large = Vec::new();
    for kind in kinds {
        for &size in sizes {
            let made = adversarial::pairs(kind, count, 2, size);
            large.extend(judge::<T>(&format!("{kind} at {size:e}"), &made));
        }
    }
    assert!(large.is_empty(), "{}", large.join("\n"));
}

#[test]
fn hard_pairs_in_f64() {
    let kinds = || adversarial::kinds().filter(|kind| !THIN.contains(kind));
    hard::<f64>(kinds(), 600, &[1.0]);
    hard::<f64>(kinds(), 100, &[1e-30, 1e30]);
}

#[test]
fn thin_triangles_in_f64() {
    hard::<f64>(THIN.into_iter(), 2_000, &[1.0, 1e-30, 1e30]);
}

#[test]
fn hard_pairs_in_f32() {
    hard::<f32>(adversarial::kinds(), 600, &[1.0]);
    hard::<f32>(adversarial::kinds(), 100, &[1e-30, 1e30]);
}

#[test]
fn near_and_far_pairs() {
    for (name, made) in [("near", pairs::near(5_000, 2)), ("far", pairs::far(1_000, 2))] {
        assert_eq!(judge::<f64>(name, &made), [""; 0]);
        assert_eq!(judge::<f32>(name, &made), [""; 0]);
    }
}

fn same_bits<T: Accuracy>() {
    let mut made: Vec<_> = data::reference_pairs().iter().map(|p| [p.0, p.1]).collect();
    for kind in adversarial::kinds() {
        for size in [1.0, 1e-30, 1e30] {
            made.extend(adversarial::pairs(kind, 100, 3, size));
        }
    }
    made.extend(pairs::near(3_000, 3));
    let scalar: Vec<_> = run::<T>(Isa::SCALAR, &made).iter().map(bits).collect();
    for &isa in Isa::list() {
        for (i, (result, scalar)) in run::<T>(isa, &made).iter().zip(&scalar).enumerate() {
            assert_eq!(&bits(result), scalar, "pair {i} on {}: {:?}", isa.name(), made[i]);
        }
    }
    // Neither neighbours nor the position in a block matter.
    for (i, pair) in made.iter().enumerate().step_by(7) {
        let [a, b] = pair.map(|t| t.map(|v| v.map(T::from_f64)));
        assert_eq!(bits(&closest_points_one(a, b).unwrap()), scalar[i], "pair {i} alone");
    }
}

#[test]
fn same_bits_on_every_instruction_set_in_f64() {
    same_bits::<f64>();
}

#[test]
fn same_bits_on_every_instruction_set_in_f32() {
    same_bits::<f32>();
}

/// Swapping the arguments swaps the points; scaling by a power of two scales the result, bit for bit.
#[test]
fn scaling_by_powers_of_two_and_swapping() {
    for kind in adversarial::kinds() {
        let made = adversarial::pairs(kind, 100, 4, 1.0);
        let plain = run::<f64>(Isa::best(), &made);
        let up: Vec<_> = made.iter().map(|p| p.map(|t| t.map(|v| v.map(|x| x * 1024.0)))).collect();
        for (result, scaled) in plain.iter().zip(run::<f64>(Isa::best(), &up)) {
            assert_eq!((result.distance * 1024.0).to_bits(), scaled.distance.to_bits(), "{kind}");
            assert_eq!(result.point_a.map(|x| x * 1024.0), scaled.point_a, "{kind}");
        }
        let swapped: Vec<_> = made.iter().map(|[a, b]| [*b, *a]).collect();
        for ((result, other), pair) in plain.iter().zip(run::<f64>(Isa::best(), &swapped)).zip(&made) {
            let off = (result.distance - other.distance).abs();
            assert!(off <= 1e-12 * largest(&pair[0], &pair[1]), "{kind}: {off:e}");
            assert_eq!(result.distance == 0.0, other.distance == 0.0, "{kind}");
        }
    }
}
