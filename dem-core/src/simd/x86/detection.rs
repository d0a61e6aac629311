//! Detects which instruction sets this machine has.

cpufeatures::new!(cpu_avx2, "avx2", "fma", "popcnt", "bmi1");
cpufeatures::new!(cpu_avx512, "avx512f", "avx512dq", "avx512vl", "avx512bw");

pub(in super::super) fn has_avx2() -> bool {
    cpu_avx2::get()
}

pub(in super::super) fn has_avx512() -> bool {
    cpu_avx512::get()
}
