//! SSE2, by safe_arch: four single or two double precision lanes.
#![allow(unused_unsafe)] // safe_arch needs none, the shared macro has it

use safe_arch::*;

use super::*;

macro_rules! helpers {
    ($vector:ty, $scalar:ty, $n:literal; $neg:ident $abs:ident $select:ident $not:ident $exponent:ident $fused:ident $load:ident $store:ident;
     $splat:path, $xor:path, $andnot:path, $and:path, $or:path, $to_int:path, $from_int:path, $splat_int:path as $int:ty, $sub_int:path, $load_from:path, $store_to:path) => {
        #[inline(always)]
        fn $neg(a: $vector) -> $vector {
            $xor(a, $splat(-0.0))
        }
        #[inline(always)]
        fn $abs(a: $vector) -> $vector {
            $andnot($splat(-0.0), a)
        }
        #[inline(always)]
        fn $select(mask: $vector, a: $vector, b: $vector) -> $vector {
            $or($and(mask, a), $andnot(mask, b))
        }
        #[inline(always)]
        fn $not(a: $vector) -> $vector {
            $xor(a, $from_int($splat_int(-1)))
        }
        #[inline(always)]
        fn $exponent(a: $vector, twice_bias: i64, field: i64) -> $vector {
            let exponent = bitand_m128i($to_int(a), $splat_int(field as $int));
            $from_int($sub_int($splat_int(twice_bias as $int), exponent))
        }
        #[inline(always)]
        fn $fused(a: $vector, b: $vector, c: $vector) -> $vector {
            a * b + c
        }
        #[inline(always)]
        unsafe fn $load(from: *const $scalar) -> $vector {
            // SAFETY: the caller hands over as many numbers as the lane has.
            $load_from(unsafe { &*from.cast::<[$scalar; $n]>() })
        }
        #[inline(always)]
        unsafe fn $store(to: *mut $scalar, a: $vector) {
            // SAFETY: the caller hands over room for as many numbers as the lane has.
            $store_to(unsafe { &mut *to.cast::<[$scalar; $n]>() }, a)
        }
    };
}

helpers!(m128, f32, 4; neg_ps abs_ps select_ps not_ps exponent_ps fused_ps load_ps store_ps;
    set_splat_m128, bitxor_m128, bitandnot_m128, bitand_m128, bitor_m128, cast_to_m128i_from_m128,
    cast_to_m128_from_m128i, set_splat_i32_m128i as i32, sub_i32_m128i, load_unaligned_m128, store_unaligned_m128);

helpers!(m128d, f64, 2; neg_pd abs_pd select_pd not_pd exponent_pd fused_pd load_pd store_pd;
    set_splat_m128d, bitxor_m128d, bitandnot_m128d, bitand_m128d, bitor_m128d, cast_to_m128i_from_m128d,
    cast_to_m128d_from_m128i, set_splat_i64_m128i as i64, sub_i64_m128i, load_unaligned_m128d, store_unaligned_m128d);

#[inline(always)]
fn repeat_ps(row: &[f32; 4], part: usize) -> m128 {
    set_splat_m128(row[part & 3])
}

#[inline(always)]
fn tile_ps(row: &[f32; 4], _part: usize) -> m128 {
    load_unaligned_m128(row)
}

#[inline(always)]
fn repeat_pd(row: &[f64; 4], part: usize) -> m128d {
    set_splat_m128d(row[(part / 2) & 3])
}

#[inline(always)]
fn tile_pd(row: &[f64; 4], part: usize) -> m128d {
    let at = 2 * (part & 1);
    set_reversed_m128d(row[at], row[at + 1])
}

lane! { F32x4, Sse2, M32x4, f32, 4, m128;
    add add_m128; sub sub_m128; mul mul_m128; div div_m128; neg neg_ps; splat set_splat_m128;
    load load_ps; store store_ps; sqrt sqrt_m128; abs abs_ps;
    lt cmp_lt_mask_m128; le cmp_le_mask_m128; eq cmp_eq_mask_m128;
    select select_ps; min min_m128; max max_m128; exponent exponent_ps; fused fused_ps;
    repeat4 repeat_ps; tile4 tile_ps;
}

lane! { F64x2, Sse2, M64x2, f64, 2, m128d;
    add add_m128d; sub sub_m128d; mul mul_m128d; div div_m128d; neg neg_pd; splat set_splat_m128d;
    load load_pd; store store_pd; sqrt sqrt_m128d; abs abs_pd;
    lt cmp_lt_mask_m128d; le cmp_le_mask_m128d; eq cmp_eq_mask_m128d;
    select select_pd; min min_m128d; max max_m128d; exponent exponent_pd; fused fused_pd;
    repeat4 repeat_pd; tile4 tile_pd;
}

mask! { M32x4, m128, 0xf; and bitand_m128; or bitor_m128; not not_ps; bits move_mask_m128; }
mask! { M64x2, m128d, 0x3; and bitand_m128d; or bitor_m128d; not not_pd; bits move_mask_m128d; }
