//! Tests of every lane operation of every instruction set against its scalar definition, bit for bit.

use super::*;
use crate::error::Kind;
use crate::real::{self, Real};

/// Runs every operation on all pairs of special and ordinary numbers, and writes the bits of the results to a list.
struct Operations;

const NUMBERS: [f64; 16] =
    [0.0, -0.0, 1.0, -1.5, 3.25e-30, 1e30, -7e-12, 0.1, 2.0, -3.0, 1e-45, 5e-310, 1e38, 123.456, -0.333, 1e300];

fn expect<T: Real>(a: T, b: T) -> [T; 12] {
    let truth = |x: bool| T::from_f64(x as u8 as f64);
    [
        a + b,
        a - b,
        a * b,
        a / b,
        -a,
        a.abs().sqrt(),
        real::min(a, b),
        real::max(a, b),
        truth(a < b),
        truth(a <= b),
        truth(a == b),
        a.abs().inverse_exponent(),
    ]
}

#[inline(always)]
fn operations<L: Lane>(a: L, b: L, zero: L, one: L) -> [L; 12] {
    [
        a + b,
        a - b,
        a * b,
        a / b,
        -a,
        a.abs().sqrt(),
        a.min(b),
        a.max(b),
        L::select(a.lt(b), one, zero),
        L::select(a.le(b), one, zero),
        L::select(a.eq(b), one, zero),
        a.abs().inverse_exponent(),
    ]
}

#[inline(always)]
fn check<L: Lane>(simd: L::Simd) {
    let numbers: [L::Scalar; 16] = NUMBERS.map(L::Scalar::from_f64);
    let (zero, one) = (L::splat(simd, L::Scalar::from_f64(0.0)), L::splat(simd, L::Scalar::from_f64(1.0)));
    for b in numbers {
        let mut at = 0;
        while at < 16 {
            let results = operations(L::load(simd, &numbers, at), L::splat(simd, b), zero, one);
            for (k, result) in results.into_iter().enumerate() {
                let mut out = [L::Scalar::default(); 16];
                result.store(&mut out, 0);
                for lane in 0..L::LANES {
                    let (got, want) = (out[lane].to_f64(), expect(numbers[at + lane], b)[k].to_f64());
                    let same = got.to_bits() == want.to_bits() || (got.is_nan() && want.is_nan());
                    assert!(same, "operation {k} of {:?}, {b:?}: {got} not {want}", numbers[at + lane]);
                }
            }
            at += L::LANES;
        }
    }
}

#[inline(always)]
fn check_rows<L: Lane>(simd: L::Simd) {
    let row = [1.0, 2.0, 3.0, 4.0].map(L::Scalar::from_f64);
    let mut repeated = [L::Scalar::default(); 16];
    let mut tiled = [L::Scalar::default(); 16];
    for part in 0..16 / L::LANES {
        L::repeat4(simd, &row, part).store(&mut repeated, part * L::LANES);
        L::tile4(simd, &row, part).store(&mut tiled, part * L::LANES);
    }
    for k in 0..16 {
        assert_eq!((repeated[k].to_f64(), tiled[k].to_f64()), ((k / 4 + 1) as f64, (k % 4 + 1) as f64));
    }
    let half = L::load(simd, &repeated, 0).lt(L::splat(simd, L::Scalar::from_f64(1.5)));
    let count = if L::LANES < 4 { L::LANES } else { 4 };
    assert_eq!(half.bits(), (1 << count) - 1);
    assert_eq!((!half).bits(), ((1u64 << L::LANES) - (1 << count)) as u32);
    assert_eq!(half.all(), L::LANES <= 4);
}

/// Checks that rows become columns, and columns become these rows.
#[inline(always)]
fn check_columns<L: Lane>(simd: L::Simd) {
    let rows: [[L::Scalar; 4]; 20] =
        core::array::from_fn(|i| [0, 1, 2, 3].map(|k| L::Scalar::from_f64((10 * i + k) as f64)));
    // In another order, and not starting with the first row.
    let from: [&[L::Scalar; 4]; 20] = core::array::from_fn(|i| &rows[(7 * i + 3) % 20]);
    for at in 0..3 {
        let columns = L::columns(simd, &from, at);
        let mut back = [[L::Scalar::default(); 4]; 20];
        L::to_rows(columns, &mut back, at);
        for (k, column) in columns.into_iter().enumerate() {
            let mut out = [L::Scalar::default(); 16];
            column.store(&mut out, 0);
            (0..L::LANES).for_each(|lane| assert_eq!(out[lane], from[at + lane][k]));
        }
        for (i, row) in back.iter().enumerate() {
            let is_written = (at..at + L::LANES).contains(&i);
            assert_eq!(*row, if is_written { *from[i] } else { [L::Scalar::default(); 4] });
        }
    }
}

impl Kernel for Operations {
    type Output = ();
    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        check::<S::F32>(simd);
        check::<S::F64>(simd);
        check_rows::<S::F32>(simd);
        check_rows::<S::F64>(simd);
        check_columns::<S::F32>(simd);
        check_columns::<S::F64>(simd);
    }
}

#[test]
fn every_instruction_set_computes_the_scalar_bits() {
    for isa in Isa::list() {
        dispatch(*isa, Operations);
    }
    Operations.run(Portable::<4, 2>);
    Operations.run(Portable::<2, 4>);
}

#[test]
fn instruction_sets_are_found_by_name_and_number() {
    assert_eq!(Isa::list()[0], Isa::SCALAR);
    for isa in Isa::list() {
        assert_eq!(Isa::named(isa.name()), Ok(*isa));
        assert_eq!(Isa::numbered(isa.number()), Ok(*isa));
    }
    assert_eq!(Isa::numbered(0), Ok(Isa::best()));
    assert_eq!(Isa::named("mmx").map_err(|e| e.kind), Err(Kind::Unsupported));
}
