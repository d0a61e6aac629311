//! Contacts by every scheme and criterion of the iterative kernel, with the exact kernel behind it, in both precisions.

use crate::triangles::{COUNT, Rows, rows, single, soup};
use crate::{Hash, Random};
use dem_core::error::Result;
use dem_core::published::triangle::{
    Answers, Criterion, Fallback, Hybrid, HybridAnswer, Iterative, Scheme, Statistics, Sweep, Thresholds,
    contacts_hybrid,
};
use dem_core::real::Real;
use dem_core::simd::Isa;
use dem_core::triangle::Zip;

pub(crate) fn run(isa: Isa, _memory: &mut [u8]) -> Result<u64> {
    let mut hash = Hash::new();
    let [a, b] = rows(&mut Random::new(6));
    let (a32, b32) = (single(&a), single(&b));
    for scheme in [Scheme::Splitting, Scheme::Newton, Scheme::Projected] {
        for criterion in [Criterion::Functional, Criterion::ContactPoint, Criterion::Certified] {
            let iterative = Iterative { scheme, criterion, ..Iterative::CERTIFIED };
            let parameters = Hybrid { iterative, fallback: Fallback::Batches(8), exact_contacts: false };
            contacts(isa, &mut hash, &parameters, &a, &b)?;
            contacts(isa, &mut hash, &Hybrid { fallback: Fallback::Pairs, ..parameters }, &a32, &b32)?;
        }
    }
    Ok(hash.value())
}

fn contacts<T: Sweep>(isa: Isa, hash: &mut Hash, parameters: &Hybrid, a: &Rows<T>, b: &Rows<T>) -> Result<()> {
    let nothing =
        HybridAnswer { contact: false, exact: false, distance: T::default(), point_a: zero(), point_b: zero() };
    let mut answers = [nothing; COUNT];
    let thresholds = Thresholds::Same(T::from_f64(0.05));
    let source = Zip(soup(a)?, soup(b)?);
    let statistics = contacts_hybrid(isa, parameters, &source, thresholds, &mut Answers(&mut answers))?;
    let Statistics { pairs, contacts, unresolved, exact, batches, exact_batches } = statistics;
    [pairs, contacts, unresolved, exact, batches, exact_batches].into_iter().for_each(|n| hash.word(n));
    for answer in answers {
        hash.word(u64::from(answer.contact) << 1 | u64::from(answer.exact));
        hash.number(answer.distance.to_f64());
        [answer.point_a, answer.point_b].into_iter().for_each(|p| hash.numbers(&p.map(T::to_f64)));
    }
    Ok(())
}

fn zero<T: Real>() -> [T; 3] {
    [T::default(); 3]
}
