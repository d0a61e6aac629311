//! Tests of the iterative and hybrid kernels with pairs of known answers, and with wrong arguments.

use super::*;
use crate::error::{Error, Kind, What};
use crate::simd::Isa;
use crate::triangle::{BLOCK, Coordinates, Source};

const A: [[f64; 3]; 3] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];

/// Copies of `A`, each higher than the one before.
struct Tower(usize, f64);

impl Source<f64> for Tower {
    fn len(&self) -> usize {
        self.0
    }
    fn fill(&self, at: usize, count: usize, block: &mut Coordinates<f64>) {
        let height = |column: usize| (at + column) as f64 * self.1;
        for (k, x) in A.as_flattened().iter().enumerate() {
            block[k] = [*x; BLOCK];
            for (column, to) in block[9 + k].iter_mut().enumerate().take(count) {
                *to = if k % 3 == 2 { height(column) } else { *x };
            }
        }
    }
}

struct Verdicts([Verdict; 40]);

impl TrialSink<f64> for Verdicts {
    fn put(&mut self, at: usize, count: usize, trial: &Trial<f64>) {
        for column in 0..count {
            self.0[at + column] = trial.verdict(column);
        }
    }
}

#[test]
fn a_tower_is_in_contact_up_to_the_threshold() {
    for scheme in [Scheme::Newton, Scheme::Projected, Scheme::Splitting] {
        for criterion in [Criterion::Certified, Criterion::Functional, Criterion::ContactPoint] {
            let parameters = Iterative { scheme, criterion, ..Iterative::CERTIFIED };
            let mut got = Verdicts([Verdict::Unresolved; 40]);
            let all = contacts_iterative(Isa::best(), &parameters, &Tower(33, 0.25), Thresholds::Same(2.1), &mut got);
            assert_eq!(all, Ok(()));
            for (i, verdict) in got.0.iter().enumerate() {
                let want = [Verdict::None, Verdict::Contact][usize::from(i < 9)];
                let want = if i < 33 { want } else { Verdict::Unresolved };
                assert_eq!(*verdict, want, "{i} {parameters:?}");
            }
        }
    }
    // If nothing can be proved, the exact kernel decides.
    let mut out = [HybridAnswer::default(); 33];
    let got = contacts_hybrid(
        Isa::best(),
        &Hybrid::CERTIFIED,
        &Tower(33, 0.25),
        Thresholds::Same(2.0),
        &mut Answers(&mut out),
    );
    let want = Statistics { pairs: 33, contacts: 9, unresolved: 1, exact: 9, ..Statistics::default() };
    assert_eq!(got, Ok(want));
    assert!(out[8].contact && out[8].exact && out[8].distance == 2.0 && !out[9].contact && !out[9].exact);
}

#[test]
fn no_sweep_proves_nothing_in_the_papers_way() {
    let parameters = Iterative { sweeps: 0, ..Iterative::PAPER };
    let mut got = Verdicts([Verdict::None; 40]);
    let all = contacts_iterative(Isa::best(), &parameters, &Tower(40, 1.0), Thresholds::Same(1.0), &mut got);
    assert_eq!((all, got.0), (Ok(()), [Verdict::Unresolved; 40]));
}

#[test]
fn whole_batches_go_to_the_exact_kernel() {
    // Pair 8 of 33 lies at the threshold: its batch and no other is computed exactly.
    for (size, exact) in [(1, 1), (2, 2), (8, 8), (16, 16)] {
        let parameters = Hybrid { fallback: Fallback::Batches(size), exact_contacts: false, ..Hybrid::CERTIFIED };
        let mut out = [HybridAnswer::default(); 33];
        let got =
            contacts_hybrid(Isa::best(), &parameters, &Tower(33, 0.25), Thresholds::Same(2.0), &mut Answers(&mut out));
        let batches = 33u64.div_ceil(u64::from(size));
        let want = Statistics { pairs: 33, contacts: 9, unresolved: 1, exact, batches, exact_batches: 1 };
        assert_eq!(got, Ok(want), "{size}");
        assert_eq!(out.iter().filter(|a| a.contact).count(), 9);
    }
}

#[test]
fn wrong_arguments_are_named() {
    let run = |parameters: &Hybrid, thresholds: Thresholds<'_, f64>, height: f64| {
        let mut out = [HybridAnswer::default(); 20];
        contacts_hybrid(Isa::best(), parameters, &Tower(20, height), thresholds, &mut Answers(&mut out)).map(|_| ())
    };
    let certified = Hybrid::CERTIFIED;
    let halos = |kind| Error::new(kind, What::Halos);
    assert_eq!(run(&certified, Thresholds::Same(-1.0), 1.0), Err(halos(Kind::OutOfRange)));
    assert_eq!(run(&certified, Thresholds::Same(f64::NAN), 1.0), Err(halos(Kind::NotFinite)));
    assert_eq!(run(&certified, Thresholds::Each(&[1.0; 19]), 1.0), Err(Error::capacity(What::Halos, 20, 19)));
    let mut each = [1.0; 20];
    assert_eq!(run(&certified, Thresholds::Each(&each), 1.0), Ok(()));
    each[17] = f64::INFINITY;
    assert_eq!(run(&certified, Thresholds::Each(&each), 1.0), Err(halos(Kind::NotFinite).at(17, 0)));
    let odd = Hybrid { fallback: Fallback::Batches(3), ..certified };
    assert_eq!(run(&odd, Thresholds::Same(1.0), 1.0), Err(Error::new(Kind::OutOfRange, What::Options)));
    // The height 18 times 1e307 is the first that is infinite.
    let infinite = Error::new(Kind::NotFinite, What::TrianglesB).at(18, 2);
    assert_eq!(run(&certified, Thresholds::Same(1.0), 1e307), Err(infinite));
    assert_eq!(run(&certified, Thresholds::Same(1.0), 9e306), Ok(()));
    let none = contacts_hybrid(Isa::best(), &certified, &Tower(0, 1.0), Thresholds::Same(1.0), &mut Answers(&mut []));
    assert_eq!(none, Ok(Statistics::default()));
}

#[test]
fn a_paper_answer_may_be_wrong_and_a_proof_may_not() {
    // B lies beside A in its plane, so the first sweeps see distance 0 outside of both.
    struct Beside;
    impl Source<f64> for Beside {
        fn len(&self) -> usize {
            1
        }
        fn fill(&self, _: usize, _: usize, block: &mut Coordinates<f64>) {
            for (k, x) in A.as_flattened().iter().enumerate() {
                block[k][0] = *x;
                block[9 + k][0] = if k % 3 == 0 { *x + 1.25 } else { *x };
            }
        }
    }
    let verdict = |parameters| {
        let mut got = Verdicts([Verdict::Unresolved; 40]);
        let all = contacts_iterative(Isa::best(), parameters, &Beside, Thresholds::Same(0.125), &mut got);
        all.map(|()| got.0[0])
    };
    let paper = Iterative { kappa: 0.02, rho: 1e-3, ..Iterative::PAPER };
    assert_eq!(verdict(&paper), Ok(Verdict::Contact));
    assert_eq!(verdict(&Iterative::CERTIFIED), Ok(Verdict::None));
}
