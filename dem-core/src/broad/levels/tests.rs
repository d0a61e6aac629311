//! Errors, distributions, and optima against slow searches. (The tables are in `tests/tests/levels.rs`.)

use super::*;
use crate::array::Array;
use crate::broad::Dimensions::{self, Three, Two};
use crate::real::{exp, ln};

#[repr(align(64))]
struct Scratch([u8; 1 << 19]);

#[repr(align(64))]
struct Large([u8; 1 << 20]);

fn scratch() -> Scratch {
    Scratch([0; 1 << 19])
}

/// `splitmix64`, in [0, 1).
pub(super) struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Approximately normal: a sum of twelve uniform numbers.
    pub fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.next()).sum::<f64>() - 6.0
    }
}

fn model(radii: &impl Radii, dimensions: Dimensions, direction: Direction) -> Model {
    Model::packed(radii, dimensions, direction, 0.6, 0.2).unwrap()
}

const DIRECTIONS: [Direction; 2] = [Direction::TopDown, Direction::BottomUp];

#[test]
fn moments_of_a_power_law_are_those_of_its_density() {
    for alpha in [-4.0, -3.0, -1.0, -1.0 + 1e-9, 0.0, 2.5] {
        let law = PowerLaw::new(0.5, 40.0, alpha).unwrap();
        // The midpoint rule in ln r, where the density is r^(alpha + 1).
        let (n, width) = (40_000, ln(30.0) / 40_000.0);
        let (mut part, mut all) = ([0.0; 4], 0.0);
        for i in 0..n + (ln(40.0 / 30.0) / width) as u32 {
            let r = 0.5 * exp((f64::from(i) + 0.5) * width);
            let density = exp((alpha + 1.0) * ln(r)) * width;
            all += density;
            if i < n {
                part = [
                    part[0] + density,
                    part[1] + density * r,
                    part[2] + density * r * r,
                    part[3] + density * r * r * r,
                ];
            }
        }
        let ours = law.up_to(15.0);
        for k in 0..4 {
            assert!((ours[k] / (part[k] / all) - 1.0).abs() < 1e-4, "{alpha} {k}: {} {}", ours[k], part[k] / all);
        }
        for radius in [0.4, 0.5, 0.6, 3.0, 19.99, 20.0, 1e9] {
            let (below, above, all) = (law.up_to(radius), law.above(radius), law.up_to(20.0));
            (0..4).for_each(|k| assert!((below[k] + above[k] - all[k]).abs() < 1e-14 * all[k]));
        }
        assert!((law.up_to(20.0)[0] - 1.0).abs() < 1e-15);
        assert_eq!(law.up_to(0.49), [0.0; 4]);
    }
    let equal = PowerLaw::new(2.0, 1.0, -3.0).unwrap();
    assert_eq!((equal.up_to(2.0), equal.up_to(1.999)), ([1.0, 2.0, 4.0, 8.0], [0.0; 4]));
}

#[test]
fn one_level_costs_what_the_limits_say() {
    // P1 (33): the third line has the wrong sign as printed for alpha > -1, none here: m = 2^d nu / V_d (1 + d + alpha) / (1 + alpha).
    let law = PowerLaw::new(1.0, 1e6, 0.5).unwrap();
    let one = level(&law, &model(&law, Three, Direction::TopDown), &[2e6], 0).unwrap();
    let limit = 8.0 * 0.6 / (4.0 / 3.0 * core::f64::consts::PI) * 4.5 / 1.5;
    assert!((one.per_cell / limit - 1.0).abs() < 1e-6);
    assert_eq!(one.share, 1.0);
}

#[test]
fn radii_at_hand_are_counted_as_they_are() {
    let mut random = Random(1);
    let mut radii: [f64; 500] = core::array::from_fn(|_| exp(random.normal()));
    let margin = 0.125;
    let mut few = [Entry::default(); 256];
    let mut all = [Entry::default(); 500];
    let counted = Measured::counted(Array::from_numbers(&radii), margin, &mut few).unwrap();
    radii.iter_mut().for_each(|r| *r += margin);
    radii.sort_by(f64::total_cmp);
    let exact = Measured::sorted(&radii, &mut all).unwrap();
    assert_eq!((counted.smallest(), counted.largest()), (radii[0], radii[499]));
    assert_eq!((exact.smallest(), exact.largest()), (radii[0], radii[499]));
    for i in [0, 1, 77, 300, 498, 499] {
        let sums = radii[..=i].iter().fold([0.0; 4], |s, r| [s[0] + 1.0, s[1] + r, s[2] + r * r, s[3] + r * r * r]);
        for (ours, sum) in exact.up_to(radii[i]).into_iter().zip(sums) {
            assert!((ours * 500.0 / sum - 1.0).abs() < 1e-12);
        }
        assert_eq!(exact.snap(radii[i] * (1.0 + 1e-15)), radii[i]);
        // All bodies of a bin count with its largest radius.
        let body = counted.snap(radii[i]);
        if body <= radii[i] && body >= radii[0] {
            let bodies = radii.iter().filter(|r| **r <= body).count() as f64;
            assert_eq!(counted.up_to(body)[0], bodies / 500.0);
        }
    }
}

#[test]
fn a_fine_histogram_is_the_density_that_it_was_made_of() {
    let law = PowerLaw::new(1.0, 100.0, -3.0).unwrap();
    let edges: [f64; 2001] = core::array::from_fn(|i| exp(ln(100.0) * i as f64 / 2000.0));
    let weights: [f64; 2000] = core::array::from_fn(|i| 7.0 * (law.up_to(edges[i + 1])[0] - law.up_to(edges[i])[0]));
    let mut entries = [Entry::default(); 2001];
    let measured = Measured::histogram(&edges, &weights, &mut entries).unwrap();
    for radius in [1.0, 1.0003, 3.3, 50.0, 1e3] {
        for (a, b) in measured.up_to(radius).into_iter().zip(law.up_to(radius)) {
            assert!((a - b).abs() <= 1e-5 * b + 1e-5, "{radius}: {a} {b}");
        }
    }
    let (mut a, mut b) = ([0.0; 16], [0.0; 16]);
    let ours = optimal(&measured, &model(&measured, Three, Direction::TopDown), &mut a, &mut scratch().0).unwrap();
    let theirs = optimal(&law, &model(&law, Three, Direction::TopDown), &mut b, &mut scratch().0).unwrap();
    assert!((ours.expected.time / theirs.expected.time - 1.0).abs() < 1e-5);
    assert_eq!(ours.levels, theirs.levels);
}

/// Asserts that sizes near the optimum, and those of the rules, are not cheaper. Gives the optimal time.
fn nothing_is_cheaper(radii: &impl Radii, model: &Model, slack: f64) -> f64 {
    let mut best = [0.0; 32];
    let found = optimal(radii, model, &mut best, &mut scratch().0).unwrap();
    let best = &mut best[..found.levels];
    let time = found.expected.time;
    assert_eq!(best[found.levels - 1], 2.0 * radii.largest());
    let mut random = Random(3);
    let check = |sizes: &[f64]| {
        let other = expected(radii, model, sizes).unwrap().time;
        assert!(other >= time * (1.0 - slack), "{sizes:?} take {other} and not {time}");
    };
    for turn in 0..400 {
        let mut other = [0.0; 32];
        let other = &mut other[..best.len()];
        other.copy_from_slice(best);
        let most = if turn % 2 == 0 { 0.3 } else { 0.01 };
        for size in other[..best.len() - 1].iter_mut() {
            *size *= exp(most * (2.0 * random.next() - 1.0));
        }
        other.sort_by(f64::total_cmp);
        other[best.len() - 1] = 2.0 * radii.largest();
        other.iter_mut().for_each(|s| *s = s.min(2.0 * radii.largest()));
        check(other);
    }
    for levels in 1..24 {
        let mut sizes = [0.0; 32];
        let sizes = &mut sizes[..levels];
        for rule in 0..4 {
            match rule {
                0 => linear(radii, sizes),
                1 => exponential(radii, sizes),
                2 => constant_ratio(radii, model, 1.0, sizes),
                _ => constant_ratio(radii, model, 0.7, sizes),
            }
            .unwrap();
            check(sizes);
        }
    }
    time
}

#[test]
fn nothing_is_cheaper_than_the_optimum_for_power_laws() {
    for (omega, alpha) in [(1.0, -3.0), (1.001, 0.0), (2.0, -3.0), (30.0, 1.0), (1e3, -2.5), (1e6, -3.5)] {
        let law = PowerLaw::new(1e-3, omega, alpha).unwrap();
        for direction in DIRECTIONS {
            for dimensions in [Two, Three] {
                nothing_is_cheaper(&law, &model(&law, dimensions, direction), 1.1e-4);
            }
        }
    }
}

#[test]
fn nothing_is_cheaper_than_the_optimum_for_radii_at_hand() {
    const N: usize = 3_000;
    let mut random = Random(2);
    let sets: [(&str, [f64; N]); 5] = [
        ("log-normal", core::array::from_fn(|_| exp(random.normal()))),
        ("uniform", core::array::from_fn(|_| 1.0 + 9.0 * random.next())),
        ("bimodal", core::array::from_fn(|i| (if i % 50 == 0 { 20.0 } else { 1.0 }) * (1.0 + 0.02 * random.normal()))),
        ("two sizes", core::array::from_fn(|i| if i % 100 == 0 { 8.0 } else { 1.0 })),
        ("equal", [3.0; N]),
    ];
    for (name, mut radii) in sets {
        radii.iter_mut().for_each(|r| *r = r.max(0.01));
        radii.sort_by(f64::total_cmp);
        let mut entries = [Entry::default(); N];
        let measured = Measured::sorted(&radii, &mut entries).unwrap();
        let mut classes = [Entry::default(); 4096];
        let counted = Measured::counted(Array::from_numbers(&radii), 0.0, &mut classes).unwrap();
        for direction in DIRECTIONS {
            let model = model(&measured, Three, direction);
            let exact = nothing_is_cheaper(&measured, &model, 1.1e-4);
            let coarse = nothing_is_cheaper(&counted, &model, 2e-4);
            assert!((coarse / exact - 1.0).abs() < 1e-4, "{name}: {exact} {coarse}");
        }
    }
}

#[test]
fn two_sizes_have_two_levels() {
    let radii: [f64; 1000] = core::array::from_fn(|i| if i < 990 { 1.0 } else { 10.0 });
    let mut entries = [Entry::default(); 2];
    let measured = Measured::sorted(&radii, &mut entries).unwrap();
    let mut sizes = [0.0; 8];
    let found = optimal(&measured, &model(&measured, Three, Direction::TopDown), &mut sizes, &mut scratch().0).unwrap();
    assert_eq!((found.levels, sizes[1]), (2, 20.0));
    assert!(sizes[0] >= 2.0 && sizes[0] < 4.0, "{sizes:?}");
}

#[test]
fn a_limit_on_the_number_of_levels_is_kept() {
    let law = PowerLaw::new(1.0, 100.0, -3.0).unwrap();
    let model = model(&law, Three, Direction::TopDown);
    let mut last = f64::INFINITY;
    for most in 1..9 {
        let (mut some, mut all) = ([0.0; 9], [0.0; 9]);
        let found = optimal(&law, &model, &mut some[..most], &mut scratch().0).unwrap();
        let exact = optimal_exactly(&law, &model, &mut all[..most], &mut scratch().0).unwrap();
        assert!(found.levels <= most && found.expected.time <= exact.expected.time * (1.0 + 1e-4));
        assert!(found.expected.time <= last * (1.0 + 1e-12));
        last = found.expected.time;
    }
}

#[test]
fn senseless_input_is_an_error() {
    use Kind::{Capacity, Mismatch, NotFinite, OutOfRange, TooLarge};
    let kind = |e: Error| e.kind;
    for (smallest, omega, alpha) in [
        (0.0, 2.0, 0.0),
        (-1.0, 2.0, 0.0),
        (f64::NAN, 2.0, 0.0),
        (1e200, 2.0, 0.0),
        (1e-200, 2.0, 0.0),
        (1.0, 0.999, 0.0),
        (1.0, f64::NAN, 0.0),
        (1.0, f64::INFINITY, 0.0),
        (1.0, 2.0, f64::NAN),
        (1.0, 2.0, f64::INFINITY),
        (1.0, 1e100, 100.0),
        (1.0, 1e3, -1e3),
    ] {
        assert_eq!(PowerLaw::new(smallest, omega, alpha).map_err(kind).err(), Some(OutOfRange), "{omega} {alpha}");
    }
    let law = PowerLaw::new(1.0, 10.0, -2.0).unwrap();
    for (nu, k) in [(0.0, 0.2), (-1.0, 0.2), (f64::NAN, 0.2), (0.5, -1.0), (0.5, f64::NAN), (0.5, f64::INFINITY)] {
        let made = Model::packed(&law, Three, Direction::TopDown, nu, k);
        assert_eq!(made.map_err(kind).err(), Some(OutOfRange), "{nu} {k}");
    }
    let sound = model(&law, Three, Direction::TopDown);
    for sizes in [&[] as &[f64], &[0.0, 20.0], &[f64::NAN, 20.0], &[5.0, 4.0, 20.0], &[19.9], &[f64::INFINITY]] {
        assert_eq!(expected(&law, &sound, sizes).map_err(kind).err(), Some(OutOfRange), "{sizes:?}");
    }
    let mut many = [20.0; MOST + 1];
    assert_eq!(expected(&law, &sound, &many).map_err(kind).err(), Some(TooLarge));
    for sizes in [&mut [] as &mut [f64], &mut many] {
        let wanted = Some(if sizes.is_empty() { OutOfRange } else { TooLarge });
        assert_eq!(linear(&law, sizes).map_err(kind).err(), wanted);
        assert_eq!(exponential(&law, sizes).map_err(kind).err(), wanted);
        assert_eq!(constant_ratio(&law, &sound, 1.0, sizes).map_err(kind).err(), wanted);
        assert_eq!(optimal(&law, &sound, sizes, &mut scratch().0).map_err(kind).err(), wanted);
        assert_eq!(optimal_exactly(&law, &sound, sizes, &mut scratch().0).map_err(kind).err(), wanted);
    }
    let mut sizes = [0.0; 4];
    for ratio in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert_eq!(constant_ratio(&law, &sound, ratio, &mut sizes).map_err(kind).err(), Some(OutOfRange));
    }
    let needed = optimal_scratch(4).unwrap().size;
    let short = optimal(&law, &sound, &mut sizes, &mut scratch().0[..needed - 1]).unwrap_err();
    assert_eq!((short.kind, short.needed), (Capacity, needed as u64));
    assert_eq!(sizes, [0.0; 4]);
    optimal(&law, &sound, &mut sizes, &mut scratch().0[..needed]).unwrap();
    let dense = Model { density: 1e300, ..sound };
    assert!(optimal(&law, &dense, &mut sizes, &mut scratch().0).unwrap().expected.time.is_finite());
    let dense = Model { density: f64::MAX, ..sound };
    assert_eq!(optimal(&law, &dense, &mut sizes, &mut scratch().0).map_err(kind).err(), Some(TooLarge));

    let mut entries = [Entry::default(); 64];
    let count = |radii: &[f64], entries: &mut [Entry]| {
        let a = Measured::counted(Array::from_numbers(radii), 0.0, entries).map(|_| ()).map_err(kind);
        assert_eq!(Measured::sorted(radii, entries).map(|_| ()).map_err(kind), a);
        a
    };
    for (radii, wanted) in [
        (&[] as &[f64], OutOfRange),
        (&[1.0, -1.0], OutOfRange),
        (&[1.0, f64::NAN], NotFinite),
        (&[1.0, f64::INFINITY], NotFinite),
        (&[0.0, 0.0], OutOfRange),
        (&[1e200], OutOfRange),
    ] {
        assert_eq!(count(radii, &mut entries), Err(wanted), "{radii:?}");
    }
    assert_eq!(count(&[0.0, 1.0], &mut entries), Ok(()));
    assert_eq!(Measured::sorted(&[2.0, 1.0], &mut entries).map_err(|e| (e.kind, e.index)).err(), Some((OutOfRange, 1)));
    assert_eq!(
        Measured::sorted(&[1.0, 2.0, 3.0], &mut entries[..2]).map_err(|e| (e.kind, e.needed)).err(),
        Some((Capacity, 3))
    );
    for (edges, weights, wanted) in [
        (&[] as &[f64], &[] as &[f64], Mismatch),
        (&[1.0], &[1.0], Mismatch),
        (&[1.0, 1.0], &[1.0], OutOfRange),
        (&[1.0, f64::NAN], &[1.0], OutOfRange),
        (&[-1.0, 1.0], &[1.0], OutOfRange),
        (&[1.0, 2.0], &[-1.0], OutOfRange),
        (&[1.0, 2.0], &[f64::NAN], OutOfRange),
        (&[1.0, 2.0], &[0.0], OutOfRange),
    ] {
        let made = Measured::histogram(edges, weights, &mut entries);
        assert_eq!(made.map_err(kind).err(), Some(wanted), "{edges:?} {weights:?}");
    }
}

#[test]
fn rows_have_several_bodies_in_a_cell() {
    for omega in [1.0, 10.0, 100.0] {
        let law = PowerLaw::new(1.0, omega, -3.0).unwrap();
        let model = Model { search: Search::Rows, access: Model::ROW_ACCESS, ..model(&law, Three, Direction::TopDown) };
        let mut sizes = [0.0; 32];
        let found = optimal(&law, &model, &mut sizes, &mut scratch().0).unwrap();
        let sizes = &sizes[..found.levels];
        assert!(sizes[found.levels - 1] >= 2.0 * omega);
        let first = level(&law, &model, sizes, 0).unwrap();
        assert!(first.per_cell > 2.0 && first.per_cell < 12.0, "{omega}: {first:?} in {sizes:?}, {found:?}");
        for factor in [0.7, 0.9, 1.1, 1.4] {
            let mut others = [0.0; 32];
            let others = &mut others[..found.levels];
            others.copy_from_slice(sizes);
            others[0] *= factor;
            if others[found.levels - 1] >= 2.0 * omega {
                assert!(expected(&law, &model, others).unwrap().time >= found.expected.time * (1.0 - 1e-4));
            }
        }
    }
}

#[test]
fn a_choice_measures_the_density_that_bodies_meet() {
    use crate::broad::{Proxies, Query, Space};
    const N: usize = 4000;
    let mut memory = Large([0; 1 << 20]);
    let scratch = &mut memory.0;
    let mut random = Random(5);
    let radii: [f64; N] = core::array::from_fn(|_| exp(0.5 * random.normal()));
    let mut centres: [[f64; 3]; N] = core::array::from_fn(|_| [0; 3].map(|_| 100.0 * random.next()));
    for (space, far, share) in [
        (Space::OPEN, false, 1.0),
        (Space::new(Three, [100.0; 3]), false, 1.0),
        (Space::OPEN, true, 1.0),
        (Space::PLANE, false, 100.0),
    ] {
        centres[7] = if far { [1e12, -1e12, 3.0] } else { [50.0; 3] };
        let bodies = Proxies::new(Array::from_f64(&centres), Array::from_numbers(&radii));
        let query = Query { bodies, space, margin: 0.1 };
        let mut sizes = [0.0; 16];
        let choice = choose(&query, Direction::TopDown, Search::Cells, 0.2, &mut sizes, scratch).unwrap();
        let truth = N as f64 / 1e6 * share;
        assert!(
            (choice.model.density / truth - 1.0).abs() < 0.25,
            "{space:?}: {} and not {truth}",
            choice.model.density
        );
        let widest = radii.iter().fold(0.0, |w: f64, r| w.max(2.0 * r + 0.1));
        let last = sizes[choice.levels - 1];
        assert!(last >= widest && last <= widest * (1.0 + 1e-12));
        assert!(choice.expected.time > 0.0 && choice.levels < 10);
    }
    // Points, one body, bodies at one place.
    for n in [1, 2, 100] {
        for radius in [0.0, 1.0] {
            let (centres, radii) = ([[3.0; 3]; 100], [radius; 100]);
            let bodies = Proxies::new(Array::from_f64(&centres[..n]), Array::from_numbers(&radii[..n]));
            let query = Query { bodies, space: Space::OPEN, margin: 0.0 };
            for search in [Search::Cells, Search::Rows] {
                let mut sizes = [0.0; 4];
                let choice = choose(&query, Direction::TopDown, search, 0.2, &mut sizes, scratch).unwrap();
                assert!(sizes[choice.levels - 1] >= 2.0 * radius && sizes[0] > 0.0, "{n} {radius}: {choice:?}");
            }
        }
    }
}
