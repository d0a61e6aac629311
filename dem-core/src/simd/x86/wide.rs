//! AVX2 with FMA (eight and four lanes) and AVX-512 (sixteen and eight lanes), by intrinsics.

use super::*;

/// Operations of more than one intrinsic, as functions with the target feature enabled.
macro_rules! functions {
    ($feature:literal; $(fn $name:ident($($arg:ident: $t:ty),*) -> $out:ty $body:block)*) => {
        $(#[inline]
        #[target_feature(enable = $feature)]
        fn $name($($arg: $t),*) -> $out $body)*
    };
}

functions! { "avx2,fma";
    fn neg_256(a: __m256) -> __m256 { _mm256_xor_ps(a, _mm256_set1_ps(-0.0)) }
    fn abs_256(a: __m256) -> __m256 { _mm256_andnot_ps(_mm256_set1_ps(-0.0), a) }
    fn select_256(mask: __m256, a: __m256, b: __m256) -> __m256 { _mm256_blendv_ps(b, a, mask) }
    fn not_256(a: __m256) -> __m256 { _mm256_xor_ps(a, _mm256_castsi256_ps(_mm256_set1_epi32(-1))) }
    fn exponent_256(a: __m256, twice_bias: i64, field: i64) -> __m256 {
        let exponent = _mm256_and_si256(_mm256_castps_si256(a), _mm256_set1_epi32(field as i32));
        _mm256_castsi256_ps(_mm256_sub_epi32(_mm256_set1_epi32(twice_bias as i32), exponent))
    }
    fn repeat_256(row: &[f32; 4], part: usize) -> __m256 {
        let first = 2 * (part & 1);
        let (low, high) = (_mm_set1_ps(row[first]), _mm_set1_ps(row[first + 1]));
        _mm256_insertf128_ps::<1>(_mm256_castps128_ps256(low), high)
    }
    fn tile_256(row: &[f32; 4], _part: usize) -> __m256 {
        let row = _mm_set_ps(row[3], row[2], row[1], row[0]);
        _mm256_set_m128(row, row)
    }
    fn neg_256d(a: __m256d) -> __m256d { _mm256_xor_pd(a, _mm256_set1_pd(-0.0)) }
    fn abs_256d(a: __m256d) -> __m256d { _mm256_andnot_pd(_mm256_set1_pd(-0.0), a) }
    fn select_256d(mask: __m256d, a: __m256d, b: __m256d) -> __m256d { _mm256_blendv_pd(b, a, mask) }
    fn not_256d(a: __m256d) -> __m256d { _mm256_xor_pd(a, _mm256_castsi256_pd(_mm256_set1_epi64x(-1))) }
    fn exponent_256d(a: __m256d, twice_bias: i64, field: i64) -> __m256d {
        let exponent = _mm256_and_si256(_mm256_castpd_si256(a), _mm256_set1_epi64x(field));
        _mm256_castsi256_pd(_mm256_sub_epi64(_mm256_set1_epi64x(twice_bias), exponent))
    }
    fn repeat_256d(row: &[f64; 4], part: usize) -> __m256d { _mm256_set1_pd(row[part & 3]) }
    fn tile_256d(row: &[f64; 4], _part: usize) -> __m256d { _mm256_set_pd(row[3], row[2], row[1], row[0]) }
    fn row_256d(row: &[f64; 4]) -> __m256d {
        // SAFETY: a row has four numbers.
        unsafe { _mm256_loadu_pd(row.as_ptr()) }
    }
    fn turned_256d(rows: [__m256d; 4]) -> [__m256d; 4] {
        let [a, b, c, d] = rows;
        let (even, odd) = (_mm256_unpacklo_pd(a, b), _mm256_unpackhi_pd(a, b));
        let (later_even, later_odd) = (_mm256_unpacklo_pd(c, d), _mm256_unpackhi_pd(c, d));
        [
            _mm256_permute2f128_pd::<0x20>(even, later_even),
            _mm256_permute2f128_pd::<0x20>(odd, later_odd),
            _mm256_permute2f128_pd::<0x31>(even, later_even),
            _mm256_permute2f128_pd::<0x31>(odd, later_odd),
        ]
    }
    fn columns_256d(rows: [&[f64; 4]; 4]) -> [__m256d; 4] {
        let [a, b, c, d] = rows;
        turned_256d([row_256d(a), row_256d(b), row_256d(c), row_256d(d)])
    }
}

functions! { "avx512f,avx512dq,avx512vl,avx512bw,avx2,fma";
    fn neg_512(a: __m512) -> __m512 { _mm512_xor_ps(a, _mm512_set1_ps(-0.0)) }
    fn select_512(mask: __mmask16, a: __m512, b: __m512) -> __m512 { _mm512_mask_blend_ps(mask, b, a) }
    fn exponent_512(a: __m512, twice_bias: i64, field: i64) -> __m512 {
        let exponent = _mm512_and_si512(_mm512_castps_si512(a), _mm512_set1_epi32(field as i32));
        _mm512_castsi512_ps(_mm512_sub_epi32(_mm512_set1_epi32(twice_bias as i32), exponent))
    }
    fn and_16(a: __mmask16, b: __mmask16) -> __mmask16 { a & b }
    fn or_16(a: __mmask16, b: __mmask16) -> __mmask16 { a | b }
    fn not_16(a: __mmask16) -> __mmask16 { !a }
    fn bits_16(a: __mmask16) -> __mmask16 { a }
    fn repeat_512(row: &[f32; 4], _part: usize) -> __m512 {
        let row = _mm_set_ps(row[3], row[2], row[1], row[0]);
        let which = _mm512_set_epi32(3, 3, 3, 3, 2, 2, 2, 2, 1, 1, 1, 1, 0, 0, 0, 0);
        _mm512_permutexvar_ps(which, _mm512_castps128_ps512(row))
    }
    fn tile_512(row: &[f32; 4], _part: usize) -> __m512 {
        _mm512_broadcast_f32x4(_mm_set_ps(row[3], row[2], row[1], row[0]))
    }
    fn neg_512d(a: __m512d) -> __m512d { _mm512_xor_pd(a, _mm512_set1_pd(-0.0)) }
    fn select_512d(mask: __mmask8, a: __m512d, b: __m512d) -> __m512d { _mm512_mask_blend_pd(mask, b, a) }
    fn exponent_512d(a: __m512d, twice_bias: i64, field: i64) -> __m512d {
        let exponent = _mm512_and_si512(_mm512_castpd_si512(a), _mm512_set1_epi64(field));
        _mm512_castsi512_pd(_mm512_sub_epi64(_mm512_set1_epi64(twice_bias), exponent))
    }
    fn and_8(a: __mmask8, b: __mmask8) -> __mmask8 { a & b }
    fn or_8(a: __mmask8, b: __mmask8) -> __mmask8 { a | b }
    fn not_8(a: __mmask8) -> __mmask8 { !a }
    fn bits_8(a: __mmask8) -> __mmask8 { a }
    fn repeat_512d(row: &[f64; 4], part: usize) -> __m512d {
        let first = 2 * (part & 1);
        let (low, high) = (row[first], row[first + 1]);
        _mm512_set_pd(high, high, high, high, low, low, low, low)
    }
    fn tile_512d(row: &[f64; 4], _part: usize) -> __m512d {
        _mm512_broadcast_f64x4(_mm256_set_pd(row[3], row[2], row[1], row[0]))
    }
    fn two_rows(first: &[f64; 4], second: &[f64; 4]) -> __m512d {
        _mm512_insertf64x4::<1>(_mm512_castpd256_pd512(row_256d(first)), row_256d(second))
    }
    fn columns_512d(rows: [&[f64; 4]; 8]) -> [__m512d; 4] {
        let [a, b, c, d, e, f, g, h] = rows;
        let (one, two, three, four) = (two_rows(a, c), two_rows(b, d), two_rows(e, g), two_rows(f, h));
        let (even, odd) = (_mm512_unpacklo_pd(one, two), _mm512_unpackhi_pd(one, two));
        let (later_even, later_odd) = (_mm512_unpacklo_pd(three, four), _mm512_unpackhi_pd(three, four));
        [
            _mm512_shuffle_f64x2::<0x88>(even, later_even),
            _mm512_shuffle_f64x2::<0x88>(odd, later_odd),
            _mm512_shuffle_f64x2::<0xdd>(even, later_even),
            _mm512_shuffle_f64x2::<0xdd>(odd, later_odd),
        ]
    }
}

/// Writes four rows of four numbers.
#[inline]
#[target_feature(enable = "avx2,fma")]
unsafe fn rows_256d(columns: [__m256d; 4], to: *mut f64) {
    for (k, row) in turned_256d(columns).into_iter().enumerate() {
        // SAFETY: the caller hands over room for four rows.
        unsafe { _mm256_storeu_pd(to.add(4 * k), row) }
    }
}

/// Writes eight rows of four numbers.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw,avx2,fma")]
unsafe fn rows_512d(columns: [__m512d; 4], to: *mut f64) {
    let [a, b, c, d] = columns;
    let (even, odd) = (_mm512_unpacklo_pd(a, b), _mm512_unpackhi_pd(a, b));
    let (even_rest, odd_rest) = (_mm512_unpacklo_pd(c, d), _mm512_unpackhi_pd(c, d));
    // Pairs of rows: each half of one has its first two numbers from one vector and its last two from another.
    let (near, far) = (_mm512_set_epi64(11, 10, 3, 2, 9, 8, 1, 0), _mm512_set_epi64(15, 14, 7, 6, 13, 12, 5, 4));
    let rows = [
        (0, 2, _mm512_permutex2var_pd(even, near, even_rest)),
        (1, 3, _mm512_permutex2var_pd(odd, near, odd_rest)),
        (4, 6, _mm512_permutex2var_pd(even, far, even_rest)),
        (5, 7, _mm512_permutex2var_pd(odd, far, odd_rest)),
    ];
    for (first, second, both) in rows {
        // SAFETY: the caller hands over room for eight rows.
        unsafe {
            _mm256_storeu_pd(to.add(4 * first), _mm512_castpd512_pd256(both));
            _mm256_storeu_pd(to.add(4 * second), _mm512_extractf64x4_pd::<1>(both));
        }
    }
}

lane! { F32x8, Avx2, M32x8, f32, 8, __m256;
    add _mm256_add_ps; sub _mm256_sub_ps; mul _mm256_mul_ps; div _mm256_div_ps; neg neg_256; splat _mm256_set1_ps;
    load _mm256_loadu_ps; store _mm256_storeu_ps; sqrt _mm256_sqrt_ps; abs abs_256;
    lt _mm256_cmp_ps::<_CMP_LT_OQ>; le _mm256_cmp_ps::<_CMP_LE_OQ>; eq _mm256_cmp_ps::<_CMP_EQ_OQ>;
    select select_256; min _mm256_min_ps; max _mm256_max_ps; exponent exponent_256; fused _mm256_fmadd_ps;
    repeat4 repeat_256; tile4 tile_256;
}

lane! { F64x4, Avx2, M64x4, f64, 4, __m256d;
    add _mm256_add_pd; sub _mm256_sub_pd; mul _mm256_mul_pd; div _mm256_div_pd; neg neg_256d; splat _mm256_set1_pd;
    load _mm256_loadu_pd; store _mm256_storeu_pd; sqrt _mm256_sqrt_pd; abs abs_256d;
    lt _mm256_cmp_pd::<_CMP_LT_OQ>; le _mm256_cmp_pd::<_CMP_LE_OQ>; eq _mm256_cmp_pd::<_CMP_EQ_OQ>;
    select select_256d; min _mm256_min_pd; max _mm256_max_pd; exponent exponent_256d; fused _mm256_fmadd_pd;
    repeat4 repeat_256d; tile4 tile_256d; columns columns_256d; rows rows_256d;
}

lane! { F32x16, Avx512, M32x16, f32, 16, __m512;
    add _mm512_add_ps; sub _mm512_sub_ps; mul _mm512_mul_ps; div _mm512_div_ps; neg neg_512; splat _mm512_set1_ps;
    load _mm512_loadu_ps; store _mm512_storeu_ps; sqrt _mm512_sqrt_ps; abs _mm512_abs_ps;
    lt _mm512_cmp_ps_mask::<_CMP_LT_OQ>; le _mm512_cmp_ps_mask::<_CMP_LE_OQ>; eq _mm512_cmp_ps_mask::<_CMP_EQ_OQ>;
    select select_512; min _mm512_min_ps; max _mm512_max_ps; exponent exponent_512; fused _mm512_fmadd_ps;
    repeat4 repeat_512; tile4 tile_512;
}

lane! { F64x8, Avx512, M64x8, f64, 8, __m512d;
    add _mm512_add_pd; sub _mm512_sub_pd; mul _mm512_mul_pd; div _mm512_div_pd; neg neg_512d; splat _mm512_set1_pd;
    load _mm512_loadu_pd; store _mm512_storeu_pd; sqrt _mm512_sqrt_pd; abs _mm512_abs_pd;
    lt _mm512_cmp_pd_mask::<_CMP_LT_OQ>; le _mm512_cmp_pd_mask::<_CMP_LE_OQ>; eq _mm512_cmp_pd_mask::<_CMP_EQ_OQ>;
    select select_512d; min _mm512_min_pd; max _mm512_max_pd; exponent exponent_512d; fused _mm512_fmadd_pd;
    repeat4 repeat_512d; tile4 tile_512d; columns columns_512d; rows rows_512d;
}

mask! { M32x8, __m256, 0xff; and _mm256_and_ps; or _mm256_or_ps; not not_256; bits _mm256_movemask_ps; }
mask! { M64x4, __m256d, 0xf; and _mm256_and_pd; or _mm256_or_pd; not not_256d; bits _mm256_movemask_pd; }
mask! { M32x16, __mmask16, 0xffff; and and_16; or or_16; not not_16; bits bits_16; }
mask! { M64x8, __mmask8, 0xff; and and_8; or or_8; not not_8; bits bits_8; }
